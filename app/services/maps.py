"""A map at the door: refused whole if a region, a wall or a figure in it would fail later, in the middle of a fight."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.engine.space import Ground, Metric, Place, Point, metric_fits
from app.engine.space.lattice import plane_of

LARGEST = 10_000 * 100
"""Greatest coordinate either way, in hundredths of the unit; in the hex plane as many of its own."""
MOST_WALLS = 2_000
MOST_REGIONS = 200
MOST_POINTS = 200
"""Most corners of one region."""
LARGEST_CELL = 1_000 * 100

Figures = dict[str, int | str]


class Flaw(NamedTuple):
    """One thing that is wrong with a map."""

    pointer: str
    """JSON pointer into the ground."""
    code: str
    figures: Figures
    """What a message needs: lengths in hundredths of the unit."""


def validate_ground(ground: Ground, metric: Metric | None = None) -> list[Flaw]:
    """Everything that is wrong with a map, in the order of the document; an empty list accepts it.

    With a metric also whether the ruleset can count on its grid.
    """
    return [*_grid(ground, metric), *_size(ground), *_walls(ground), *_regions(ground)]


def validate_places(ground: Ground, places: dict[str, Place], sizes: dict[str, int] | None = None) -> list[Flaw]:
    """Whether combatants may be put there: on the map and, on a grid, in whole cells. Pointers begin with the id."""
    plane = plane_of(ground.grid)
    found: list[Flaw] = []
    for who, place in places.items():
        if not plane.on_grid(place.point, (sizes or {}).get(who, 0)):
            found.append(Flaw(f"/{who}", "not_on_grid", {"cell": ground.grid.cell}))
        found.extend(_point(plane.into(place.point), f"/{who}", ground))
    return found


def _grid(ground: Ground, metric: Metric | None) -> Iterator[Flaw]:
    cell = ground.grid.cell
    if not 1 <= cell <= LARGEST_CELL:
        yield Flaw("/grid/cell", "cell_out_of_bounds", {"need": LARGEST_CELL, "got": cell})
    if any(abs(value) > LARGEST for value in ground.grid.origin):
        yield Flaw("/grid/origin", "coordinate_out_of_bounds", {"need": LARGEST})
    if metric is not None and not metric_fits(ground.grid, metric):
        yield Flaw("/grid/kind", "grid_not_fit_for_ruleset", {"metric": metric, "got": ground.grid.kind})


def _size(ground: Ground) -> Iterator[Flaw]:
    if ground.size is None:
        return
    for n, side in enumerate(ground.size):
        if not 0 < side <= LARGEST:
            yield Flaw(f"/size/{n}", "size_out_of_bounds", {"need": LARGEST, "got": side})


def _walls(ground: Ground) -> Iterator[Flaw]:
    if len(ground.walls) > MOST_WALLS:
        yield Flaw("/walls", "too_many_walls", {"need": MOST_WALLS, "got": len(ground.walls)})
        return
    seen: set[str] = set()
    for n, wall in enumerate(ground.walls):
        yield from _point(wall.a, f"/walls/{n}/a", ground)
        yield from _point(wall.b, f"/walls/{n}/b", ground)
        if wall.a == wall.b:
            yield Flaw(f"/walls/{n}", "wall_without_length", {})
        if wall.id and wall.id in seen:
            yield Flaw(f"/walls/{n}/id", "id_taken", {"got": wall.id})
        seen.add(wall.id)
        if wall.drop is not None and not 0 <= wall.drop <= LARGEST:
            yield Flaw(f"/walls/{n}/drop", "length_out_of_bounds", {"need": LARGEST, "got": wall.drop})
        if wall.cover is not None and wall.cover.near is not None and not 0 <= wall.cover.near <= LARGEST:
            yield Flaw(f"/walls/{n}/cover/near", "length_out_of_bounds", {"need": LARGEST, "got": wall.cover.near})


def _regions(ground: Ground) -> Iterator[Flaw]:
    if len(ground.regions) > MOST_REGIONS:
        yield Flaw("/regions", "too_many_regions", {"need": MOST_REGIONS, "got": len(ground.regions)})
        return
    seen: set[str] = set()
    for n, region in enumerate(ground.regions):
        if region.id in seen:
            yield Flaw(f"/regions/{n}/id", "id_taken", {"got": region.id})
        seen.add(region.id)
        yield from _shape(region.shape, f"/regions/{n}/shape", ground)


def _shape(shape: tuple[Point, ...], pointer: str, ground: Ground) -> Iterator[Flaw]:
    if not 3 <= len(shape) <= MOST_POINTS:
        yield Flaw(pointer, "region_corners_out_of_bounds", {"need": MOST_POINTS, "got": len(shape)})
        return
    for n, point in enumerate(shape):
        yield from _point(point, f"{pointer}/{n}", ground)
    # A bow tie is a polygon to look at, and has neither an inside nor an area that two rules would agree on.
    if (reason := why_not_simple(shape)) is not None:
        yield Flaw(pointer, "region_not_simple", {"reason": reason})


def why_not_simple(shape: Sequence[tuple[float, float]]) -> str | None:
    """What is wrong with a polygon that crosses or touches itself."""
    # Only now: a table without such shapes starts a tenth of a second sooner and needs 20 MB less.
    import shapely

    polygon = shapely.Polygon(shape)
    return None if polygon.is_valid else shapely.is_valid_reason(polygon)


def _point(point: Point, pointer: str, ground: Ground) -> Iterator[Flaw]:
    """Whether a point of the plane of the grid is within the limits and on the map."""
    plane = plane_of(ground.grid)
    if any(abs(value) * plane.num > LARGEST * plane.den for value in point):
        yield Flaw(pointer, "coordinate_out_of_bounds", {"need": LARGEST})
    elif not _on_map(point, ground):
        yield Flaw(pointer, "outside_map", {})


def _on_map(point: Point, ground: Ground) -> bool:
    """On the map, its border and, on a grid, half a cell around it: centres stand at whole cells, walls at halves."""
    if ground.size is None:
        return True
    plane = plane_of(ground.grid)
    x, y = point
    (wide, high), margin = ground.size, 0
    if ground.grid.kind == "hex":
        # Width and height count in units; a hex reaches 0.58 of its step beyond its centre, told here as the step.
        wide, high, margin = wide * plane.den // plane.num, high * plane.den // plane.num, plane.cell
        return -margin <= x <= wide + margin and -margin <= y and 3 * max(y - margin, 0) ** 2 <= high * high
    if ground.grid.kind == "square":
        margin = ground.grid.cell // 2
    return -margin <= x <= wide + margin and -margin <= y <= high + margin
