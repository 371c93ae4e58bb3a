"""From places of the wire to points of the picture: squares and plane as they are, hexes from axial places."""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

Spot = tuple[float, float]
View = dict[str, Any]
_TALL = math.sqrt(3) / 6
LEAST = 10.0
"""Units shown where there is nothing."""


class Box(NamedTuple):
    """What is shown, in units."""

    left: float
    top: float
    width: float
    height: float


class Lay:
    """How places and shapes of one map lie in the plane, in units."""

    def __init__(self, space: View) -> None:
        self.cell: float = space["cell"]
        self.is_hex = space["grid"] == "hex"

    def shape(self, point: Iterable[float]) -> Spot:
        """A corner of a wall or region."""
        x, y = point
        return (x * self.cell / 6, y * self.cell * _TALL) if self.is_hex else (x, y)

    def place(self, point: Iterable[float]) -> Spot:
        """Where somebody stands."""
        x, y = point
        return self.shape((6 * x + 3 * y, 3 * y)) if self.is_hex else (x, y)


def standing(body: View, lay: Lay) -> Spot | None:
    """Where a combatant stands."""
    at = body["position"]
    return None if at is None else lay.place((at["x"], at["y"]))


def box_of(view: View, lay: Lay) -> Box:
    """The map's own size, and everybody and everything on it."""
    space = view["space"]
    spots = [at for body in view["combatants"] if (at := standing(body, lay)) is not None]
    if space["size"]:
        spots += [(0, 0), tuple(space["size"])]
    for wall in space["walls"]:
        spots += [lay.shape(wall["a"]), lay.shape(wall["b"])]
    for region in space["regions"]:
        spots += [lay.shape(point) for point in region["shape"]]
    if not spots:
        spots = [(0, 0), (LEAST, LEAST)]
    edge = max(0.5 if space["grid"] == "none" else lay.cell * 0.75, 0 if space["size"] else 1)
    left, top = (min(spot[n] for spot in spots) - edge for n in (0, 1))
    right, bottom = (max(spot[n] for spot in spots) + edge for n in (0, 1))
    return Box(left, top, right - left, bottom - top)


def hexes(box: Box, lay: Lay, most: int) -> list[list[Spot]]:
    """The corners of every hex that is shown; none where they would be too many to see."""
    tall = lay.cell * math.sqrt(3) / 2
    if (box.height / tall + 1) * (box.width / lay.cell + 1) > most:
        return []
    corners = ((0, 2), (3, 1), (3, -1), (0, -2), (-3, -1), (-3, 1))
    found = []
    for r in range(math.ceil(box.top / tall), math.ceil((box.top + box.height) / tall)):
        first, last = (math.ceil(side / lay.cell - r / 2) for side in (box.left, box.left + box.width))
        for q in range(first, last):
            found.append([lay.shape((6 * q + 3 * r + x, 3 * r + y)) for x, y in corners])
    return found


def lines(low: float, far: float, start: float, step: float, most: int) -> list[float]:
    """Where the lines of a grid run along one axis."""
    if far / step > most:
        return []
    first = start + math.ceil((low - start) / step) * step
    return [first + n * step for n in range(int((low + far - first) / step) + 1)]


def slice_of(area: View, lay: Lay, at: Callable[[Spot], Spot], scale: float) -> str:
    """The path of a slice of a disc."""
    centre = lay.place(area["centre"])
    reach, arc, facing = area["reach"], area.get("arc", 360), area.get("facing", 0)

    def rim(degrees: float) -> Spot:
        turn = math.radians(degrees)
        return at((centre[0] + reach * math.sin(turn), centre[1] - reach * math.cos(turn)))

    (x, y), (a, b), (c, d) = at(centre), rim(facing - arc / 2), rim(facing + arc / 2)
    radius = reach * scale
    return f"M{x:.1f} {y:.1f}L{a:.1f} {b:.1f}A{radius:.1f} {radius:.1f} 0 {int(arc > 180)} 1 {c:.1f} {d:.1f}Z"
