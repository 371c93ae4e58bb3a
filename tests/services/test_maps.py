"""What a map is refused for at the door."""

import pytest

from app.engine.space import CoverValue, Grid, Ground, Metric, Place, Point, Region, Wall
from app.services.maps import LARGEST, MOST_POINTS, MOST_REGIONS, MOST_WALLS, validate_ground, validate_places

BOX = ((0, 0), (100, 0), (100, 100), (0, 100))


def found(ground: Ground, metric: Metric | None = None) -> list[tuple[str, str]]:
    return [(flaw.pointer, flaw.code) for flaw in validate_ground(ground, metric)]


def wall(b: Point, **more: object) -> Ground:
    return Ground(walls=(Wall((0, 0), b, **more),))  # type: ignore[arg-type]


def region(*shape: Point) -> Ground:
    return Ground(regions=(Region("smoke", "smoke", shape),))


def regions(many: int) -> Ground:
    return Ground(regions=tuple(Region(f"r{n}", "x", BOX) for n in range(many)))


@pytest.mark.parametrize(("ground", "flaws"), [
    (Ground(), []),
    (Ground(size=(4000, 2500), walls=(Wall((2200, 1400), (2200, 2500)),), regions=(Region("r", "smoke", BOX),)), []),
    (wall((LARGEST, -LARGEST)), []),
    (wall((LARGEST + 1, 0)), [("/walls/0/b", "coordinate_out_of_bounds")]),
    (wall((0, -LARGEST - 1)), [("/walls/0/b", "coordinate_out_of_bounds")]),
    (wall((0, 0)), [("/walls/0", "wall_without_length")]),
    (wall((1, 0)), []),
    (wall((1, 0), drop=-1), [("/walls/0/drop", "length_out_of_bounds")]),
    (wall((1, 0), cover=CoverValue(near=-1)), [("/walls/0/cover/near", "length_out_of_bounds")]),
    (Ground(walls=(Wall((0, 0), (1, 0), "door"), Wall((0, 0), (0, 1), "door"))), [("/walls/1/id", "id_taken")]),
    (Ground(walls=(Wall((0, 0), (1, 0)),) * MOST_WALLS), []),
    (Ground(walls=(Wall((0, 0), (1, 0)),) * (MOST_WALLS + 1)), [("/walls", "too_many_walls")]),
    (region(*BOX), []),
    (region((0, 0), (100, 100), (100, 0), (0, 100)), [("/regions/0/shape", "region_not_simple")]),
    (region((0, 0), (100, 0)), [("/regions/0/shape", "region_corners_out_of_bounds")]),
    (region((0, 0), (100, 0), (200, 0)), [("/regions/0/shape", "region_not_simple")]),
    (region((0, 0), (100, 0), (100, 0), (0, 100)), []),
    (region(*((n, n * n) for n in range(MOST_POINTS))), []),
    (region(*((n, n * n) for n in range(MOST_POINTS + 1))), [("/regions/0/shape", "region_corners_out_of_bounds")]),
    (regions(MOST_REGIONS), []),
    (regions(MOST_REGIONS + 1), [("/regions", "too_many_regions")]),
    (Ground(regions=(Region("r", "x", BOX),) * 2), [("/regions/1/id", "id_taken")]),
    (Ground(size=(100, 0)), [("/size/1", "size_out_of_bounds")]),
    (Ground(size=(LARGEST + 1, 1)), [("/size/0", "size_out_of_bounds")]),
    (Ground(size=(100, 100), walls=(Wall((0, 0), (100, 101)),)), [("/walls/0/b", "outside_map")]),
    (Ground(Grid("square"), (100, 100), (Wall((-50, 0), (150, 0)),)), []),
    (Ground(Grid("square"), (100, 100), (Wall((-51, 0), (150, 0)),)), [("/walls/0/a", "outside_map")]),
    (Ground(Grid("hex"), (300, 300), (Wall((300, 100), (0, -200)),)), []),
    (Ground(Grid("hex"), (300, 300), (Wall((300, 100), (9000, 100)),)), [("/walls/0/b", "outside_map")]),
    (Ground(Grid("square", 0)), [("/grid/cell", "cell_out_of_bounds")]),
    (Ground(Grid(origin=(LARGEST + 1, 0))), [("/grid/origin", "coordinate_out_of_bounds")]),
])  # fmt: skip
def test_a_map_is_refused_with_the_place_of_every_flaw(ground: Ground, flaws: list[tuple[str, str]]) -> None:
    assert found(ground) == flaws


def test_every_flaw_is_told_at_once() -> None:
    ground = Ground(
        walls=(Wall((0, 0), (0, 0)), Wall((0, 0), (9, 9))), regions=region((0, 0), (1, 1)).regions, size=(5, 5)
    )

    assert found(ground) == [
        ("/walls/0", "wall_without_length"), ("/walls/1/b", "outside_map"),
        ("/regions/0/shape", "region_corners_out_of_bounds"),
    ]  # fmt: skip


@pytest.mark.parametrize(("grid", "metric", "flaws"), [
    ("none", "hex_steps", [("/grid/kind", "grid_not_fit_for_ruleset")]), ("hex", "hex_steps", []),
    ("hex", "chebyshev", [("/grid/kind", "grid_not_fit_for_ruleset")]), ("square", "chebyshev", []),
    ("none", "euclid", []),
])  # fmt: skip
def test_a_grid_must_suit_the_ruleset(grid: str, metric: Metric, flaws: list[tuple[str, str]]) -> None:
    assert found(Ground(Grid(grid)), metric) == flaws  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "place", "size", "flaws"), [
    ("none", Place(12, 34), 0, []),
    ("none", Place(1001, 0), 0, [("/a", "outside_map")]),
    ("square", Place(200, 300), 0, []),
    ("square", Place(250, 350), 0, [("/a", "not_on_grid")]),
    ("square", Place(250, 350), 50, []),
    ("hex", Place(200, 300), 0, []),
    ("hex", Place(150, 300), 0, [("/a", "not_on_grid")]),
    ("none", Place(LARGEST + 1, 0), 0, [("/a", "coordinate_out_of_bounds")]),
])  # fmt: skip
def test_combatants_stand_on_the_map_and_in_its_cells(
    kind: str, place: Place, size: int, flaws: list[tuple[str, str]]
) -> None:
    ground = Ground(Grid(kind), (1000, 1000))  # type: ignore[arg-type]

    assert [(flaw.pointer, flaw.code) for flaw in validate_places(ground, {"a": place}, {"a": size})] == flaws
