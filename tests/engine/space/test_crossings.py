"""Where a way enters and leaves an area."""

from fractions import Fraction
from itertools import pairwise
from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import LineString
from shapely import Polygon as Shape

from app.engine.space import (
    Area,
    Crossing,
    Grid,
    Ground,
    MapSpace,
    Place,
    Point,
    Polygon,
    Run,
    Sector,
    Wall,
)
from app.engine.space.crossing import Zone, spans
from app.engine.space.index import index
from app.engine.space.lattice import plane_of
from app.engine.space.paths import Track

DISC = Sector((1000, 0), 300)
ROOM = Polygon(((1000, -200), (1400, -200), (1400, 200), (1000, 200)))


def walk(*path: Point, area: Area, since: int = 0, walls: tuple[Wall, ...] = ()) -> list[tuple[int, str]]:
    space = MapSpace(Ground(walls=walls), {"a": Place(*path[0])})
    run = space.run("a", path[1:])
    assert isinstance(run, Run)
    found = space.crossings(run, area, since)
    assert isinstance(found, tuple)
    return [(crossing.at, crossing.kind) for crossing in found]


@pytest.mark.parametrize(("path", "told"), [
    (((0, 0), (699, 0)), []),
    (((0, 0), (700, 0)), [(700, "enters")]),                                    # on the rim is inside
    (((0, 0), (701, 0)), [(700, "enters")]),
    (((0, 0), (2000, 0)), [(700, "enters"), (1300, "leaves")]),
    (((1000, 0), (1000, 100)), [(0, "starts_inside")]),
    (((1000, 0), (2000, 0)), [(0, "starts_inside"), (300, "leaves")]),
    (((700, 0), (0, 0)), [(0, "starts_inside"), (0, "leaves")]),
    (((699, 0), (0, 0)), []),
    (((0, 300), (2000, 300)), [(983, "enters"), (1017, "leaves")]),             # the rim is half a hundredth wide
    (((0, 301), (2000, 301)), []),
    (((0, 0), (1000, 0), (0, 0)), [(700, "enters"), (1300, "leaves")]),
    (((0, 0), (800, 0), (0, 0), (800, 0)),
     [(700, "enters"), (900, "leaves"), (2300, "enters")]),                     # the same place twice
    (((1000, 0),), [(0, "starts_inside")]),
    (((0, 0),), []),
])  # fmt: skip
@pytest.mark.clause("DH-5720")
def test_a_way_through_a_disc(path: tuple[Point, ...], told: list[tuple[int, str]]) -> None:
    assert walk(*path, area=DISC) == told


@pytest.mark.parametrize(("path", "told"), [
    (((0, 0), (999, 0)), []),
    (((0, 0), (1000, 0)), [(1000, "enters")]),                                  # ends on the border: inside
    (((0, 0), (2000, 0)), [(1000, "enters"), (1400, "leaves")]),
    (((0, 200), (2000, 200)), [(1000, "enters"), (1400, "leaves")]),            # along an edge is inside
    (((0, 201), (2000, 201)), []),
    (((800, 0), (1200, 400)), [(283, "enters"), (283, "leaves")]),              # one touch, at a corner
    (((0, 0), (1000, 0), (0, 0)), [(1000, "enters"), (1000, "leaves")]),        # one touch, turning round
    (((800, 1), (1200, 401)), []),
    (((1000, 0), (0, 0)), [(0, "starts_inside"), (0, "leaves")]),
    (((1000, -200), (1000, 0), (1000, 500)), [(0, "starts_inside"), (400, "leaves")]),
])  # fmt: skip
def test_a_way_through_a_room(path: tuple[Point, ...], told: list[tuple[int, str]]) -> None:
    assert walk(*path, area=ROOM) == told


@pytest.mark.parametrize(("path", "told"), [
    (((-500, -500), (500, 500)), [(707, "enters")]),                        # along its edge from the apex on
    (((-500, 500), (500, -500)), [(707, "enters")]),
    (((0, -500), (0, 500)), [(500, "enters"), (500, "leaves")]),            # through the apex alone
    (((1, -500), (1, 500)), [(499, "enters"), (501, "leaves")]),
    (((-1, -500), (-1, 500)), []),
    (((300, -500), (300, 500)), [(200, "enters"), (800, "leaves")]),
])  # fmt: skip
def test_a_way_through_a_quarter_disc(path: tuple[Point, ...], told: list[tuple[int, str]]) -> None:
    assert walk(*path, area=Sector((0, 0), 1000, 90, 90)) == told


def test_a_walk_along_an_edge_does_not_flicker() -> None:
    zone = Sector((0, 0), 3000, 90, 45)

    told = walk((0, 0), (2772, -1148), area=zone)

    # The end is 22.496 degrees off, just outside: he is inside at the apex alone.
    assert told == [(0, "starts_inside")]
    # A way that winds about the edge by a hundredth crosses it once for each leg at most.
    assert len(walk((0, 0), (924, -383), (1848, -765), (2772, -1148), area=zone)) <= 4


SHADE = Wall((500, -100), (500, 100))
WATCHED = Sector((0, 0), 2000, 90, 90, needs_sight=True)


@pytest.mark.parametrize(("path", "told"), [
    # The shadow of the wall is 200 wide to both sides at x = 1000; its very border is in sight.
    (((1000, -500), (1000, 500)),
     [(0, "starts_inside"), (300, "leaves"), (700, "enters")]),
    (((400, -100), (400, 100)), [(0, "starts_inside")]),                    # in front of the wall
    (((1000, 0), (1000, 100)), []),
    (((1000, 0), (1000, 200)), [(200, "enters")]),
    (((1000, 0), (1000, 199)), []),
    (((500, 0), (1000, 0)), [(0, "starts_inside"), (0, "leaves")]),         # on the wall he is seen
])  # fmt: skip
@pytest.mark.clause("DH-5720")
def test_what_a_wall_hides_is_not_in_a_watched_zone(path: tuple[Point, ...], told: list[tuple[int, str]]) -> None:
    assert walk(*path, area=WATCHED, walls=(SHADE,)) == told


@pytest.mark.parametrize(("since", "told"), [
    (0, [(700, "enters"), (900, "leaves"), (2300, "enters")]),
    (699, [(700, "enters"), (900, "leaves"), (2300, "enters")]),
    (700, [(700, "starts_inside"), (900, "leaves"), (2300, "enters")]),
    (900, [(900, "starts_inside"), (900, "leaves"), (2300, "enters")]),
    (901, [(2300, "enters")]),
    (2400, [(2400, "starts_inside")]),
])  # fmt: skip
@pytest.mark.clause("DH-3900")
def test_after_a_stop_the_same_way_goes_on(since: int, told: list[tuple[int, str]]) -> None:
    assert walk((0, 0), (800, 0), (0, 0), (800, 0), area=DISC, since=since) == told


def test_the_point_of_a_crossing_is_where_he_stops() -> None:
    space = MapSpace(Ground(), {"a": Place(-731, 413)})
    run = space.run("a", [(655, -122), (977, 801)])
    assert isinstance(run, Run)

    entered = space.crossings(run, DISC)

    assert isinstance(entered, tuple)
    for crossing in entered:
        place = space.place(run, crossing.at)
        assert place is not None
        assert place.point == crossing.point
        assert space.after({"a": place}).inside(DISC) == ("a",)


@pytest.mark.parametrize(("kind", "path", "told"), [
    ("square", ((0, 0), (600, 0)), [(200, "enters", (200, 0)), (400, "leaves", (400, 0))]),
    ("square", ((0, 100), (300, 100)), [(300, "enters", (300, 100))]),
    ("square", ((0, 0), (200, 0)), [(200, "enters", (200, 0))]),
    ("hex", ((0, 0), (600, 0)), [(200, "enters", (200, 0)), (400, "leaves", (400, 0))]),
])  # fmt: skip
def test_on_a_grid_a_zone_is_entered_and_left_in_whole_cells(
    kind: str, path: tuple[Point, ...], told: list[tuple[int, str, Point]]
) -> None:
    space = MapSpace(Ground(Grid(kind)), {"a": Place(*path[0])})  # type: ignore[arg-type]
    run = space.run("a", path[1:])
    assert isinstance(run, Run)

    found = space.crossings(run, Sector((300, 0), 140))

    assert found == tuple(Crossing(*one) for one in told)  # type: ignore[arg-type]


SPOT = st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000))
PATHS = st.lists(SPOT, min_size=2, max_size=5)
SECTORS = st.builds(
    Sector, SPOT, st.integers(1, 1200), st.integers(0, 359), st.sampled_from([1, 30, 45, 90, 180, 270, 330, 360])
)
WALLS = st.lists(st.tuples(SPOT, SPOT).filter(lambda wall: wall[0] != wall[1]), max_size=4)


def check_against_samples(zone: Zone, track: Track) -> None:
    """Every piece of the way is inside at many places of it, and everything else outside."""
    pieces = spans(zone, track)
    assert all(one.high < other.low for one, other in pairwise(pieces))
    for leg in track.legs:
        for n in range(101):
            moment = Fraction(n * 37 % 101, 101)
            along = (leg.start + leg.length * float(moment)) / 100
            if any(abs(along - end) < 1e-6 for piece in pieces for end in piece[:2]):
                continue
            x, y = leg.ax + leg.dx * moment, leg.ay + leg.dy * moment
            assert zone.holds(int(x * 101), int(y * 101), 101) is any(low < along < high for low, high, *_ in pieces)


@given(PATHS, SECTORS, WALLS, st.booleans(), st.sampled_from(["none", "hex"]))
def test_crossings_of_random_ways_agree_with_brute_force(
    path: list[Point], sector: Sector, walls: list[tuple[Point, Point]], needs_sight: bool, kind: str
) -> None:
    grid = Grid(kind)  # type: ignore[arg-type]
    ground = index(Ground(grid, walls=tuple(Wall(*wall) for wall in walls)))
    area = Sector(sector.centre, sector.reach, sector.facing, sector.arc, needs_sight)
    plane = plane_of(grid)

    check_against_samples(Zone(ground, area), Track(plane, [plane.into(point) for point in path], "euclid"))


@given(PATHS, st.lists(SPOT, min_size=3, max_size=8, unique=True))
def test_lengths_in_a_polygon_agree_with_the_library(path: list[Point], corners: list[Point]) -> None:
    shape = Shape(corners)
    if not shape.is_valid or shape.area == 0:
        return
    zone, track = Zone(index(Ground()), Polygon(tuple(corners))), Track(plane_of(Grid()), path, "euclid")

    check_against_samples(zone, track)

    inside = sum(span.high - span.low for span in spans(zone, track))
    # Leg by leg: an overlay of the whole way would merge what is walked twice.
    expected = sum(LineString([a, b]).intersection(shape).length for a, b in pairwise(path) if a != b)
    assert inside == pytest.approx(expected, abs=0.05)


GRID_SPOT = st.tuples(st.integers(-5, 5), st.integers(-5, 5)).map(lambda p: (p[0] * 100, p[1] * 100))


@given(
    st.lists(GRID_SPOT, min_size=2, max_size=4),
    st.lists(GRID_SPOT, min_size=3, max_size=6, unique=True),
    st.lists(st.tuples(GRID_SPOT, GRID_SPOT).filter(lambda wall: wall[0] != wall[1]), max_size=4),
)
def test_where_everything_lines_up_crossings_still_agree(
    path: list[Point], corners: list[Point], walls: list[tuple[Point, Point]]
) -> None:
    ground, plane = index(Ground(walls=tuple(Wall(*wall) for wall in walls))), plane_of(Grid())
    track = Track(plane, path, "euclid")

    check_against_samples(Zone(ground, Sector(corners[0], 400, 135, 90, True)), track)
    check_against_samples(Zone(ground, Sector(corners[1], 300, 0, 360, True)), track)
    if Shape(corners).is_valid:
        check_against_samples(Zone(ground, Polygon(tuple(corners))), track)


@given(PATHS, SECTORS, WALLS, st.booleans())
def test_who_stops_at_a_crossing_is_inside(
    path: list[Point], sector: Sector, walls: list[tuple[Point, Point]], needs_sight: bool
) -> None:
    area = Sector(sector.centre, max(sector.reach, 50), sector.facing, sector.arc, needs_sight)
    space = MapSpace(Ground(walls=tuple(Wall(*wall) for wall in walls)), {"a": Place(*path[0])})
    run = space.run("a", path[1:])
    assert isinstance(run, Run)

    told = space.crossings(run, area)

    assert isinstance(told, tuple)
    assert [crossing.at for crossing in told] == sorted(crossing.at for crossing in told)
    kinds = [crossing.kind for crossing in told]
    assert all(one != other for one, other in pairwise(kinds))
    assert kinds[:1] in ([], ["enters"], ["starts_inside"])
    assert (kinds[:1] == ["starts_inside"]) is (space.inside(area) == ("a",))
    for one, other in pairwise(told):
        if one.kind != "leaves" and other.at - one.at > 4:
            middle = space.place(run, one.at)
            assert middle is not None
            assert space.after({"a": middle}).inside(area) == ("a",)


@given(PATHS, SECTORS)
def test_everybody_is_inside_or_not_by_one_formula(path: list[Point], sector: Sector) -> None:
    space = MapSpace(Ground(), {f"p{n}": Place(*point) for n, point in enumerate(path)})
    disc = Sector(sector.centre, sector.reach)

    assert space.inside(disc) == space.near(sector.centre, sector.reach)
    assert set(space.inside(sector)) <= set(space.inside(disc))  # type: ignore[arg-type]
    for who in space.inside(disc):  # type: ignore[union-attr]
        place = space.placed(who)
        assert place is not None
        assert dist(place.point, sector.centre) < sector.reach + 0.5
