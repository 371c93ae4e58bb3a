"""What is looked up in a ground: walls and regions by buckets, built once for each version of a map."""

from collections.abc import Iterable
from typing import TypeAlias

from app.engine.space.lattice import Plane, plane_of
from app.engine.space.model import Ground, Id, Point, Region, Wall

Segment: TypeAlias = tuple[int, int, int, int]
"""Both ends of a wall in the plane."""

_STRIDE = 1 << 24
_LONGEST_ROW = 256
_KEPT = 64


def bucket_key(x: int, y: int, side: int) -> int:
    """The bucket of a point of the plane."""
    return x // side * _STRIDE + y // side


def keys_on_line(ax: int, ay: int, bx: int, by: int, side: int) -> list[int]:
    """Every bucket that a segment goes through or touches, column by column."""
    if ax > bx:
        ax, ay, bx, by = bx, by, ax, ay
    first, last = ax // side, bx // side
    if first == last:
        low, high = (ay, by) if ay < by else (by, ay)
        base = first * _STRIDE
        return list(range(base + low // side, base + high // side + 1))
    keys: list[int] = []
    dx, dy = bx - ax, by - ay
    across = dx * side
    here = ay // side
    for column in range(first, last + 1):
        # A point on the border of two columns belongs to the right one; both ends of the span are taken along.
        there = by // side if column == last else (ay * dx + dy * ((column + 1) * side - ax)) // across
        base = column * _STRIDE
        if here == there:
            keys.append(base + here)
        elif here < there:
            keys.extend(range(base + here, base + there + 1))
        else:
            keys.extend(range(base + there, base + here + 1))
        here = there
    return keys


def keys_in_box(x0: int, y0: int, x1: int, y1: int, side: int) -> list[int]:
    """Every bucket that a box touches."""
    rows = range(y0 // side, y1 // side + 1)
    return [column * _STRIDE + row for column in range(x0 // side, x1 // side + 1) for row in rows]


class WallBuckets:
    """Walls of one kind by the buckets they touch."""

    __slots__ = ("_named", "buckets", "segments", "side")

    def __init__(self, walls: Iterable[tuple[Id, Wall]], side: int) -> None:
        self.side = side
        self._named: dict[Segment, list[tuple[Id, Wall]]] = {}
        for name, wall in walls:
            self._named.setdefault((*wall.a, *wall.b), []).append((name, wall))
        self.segments: list[Segment] = list(self._named)
        buckets: dict[int, list[Segment]] = {}
        for segment in self.segments:
            for key in keys_on_line(*segment, side):
                buckets.setdefault(key, []).append(segment)
        self.buckets: dict[int, tuple[Segment, ...]] = {key: tuple(found) for key, found in buckets.items()}

    def on_line(self, a: Point, b: Point) -> list[Segment]:
        """Walls in the buckets of a segment, each once."""
        return self._gather(keys_on_line(*a, *b, self.side))

    def in_box(self, x0: int, y0: int, x1: int, y1: int) -> list[Segment]:
        """Walls in the buckets of a box, each once."""
        if not self.buckets:
            return []
        if (x1 // self.side - x0 // self.side + 1) * (y1 // self.side - y0 // self.side + 1) > len(self.buckets):
            return self.segments
        return self._gather(keys_in_box(x0, y0, x1, y1, self.side))

    def _gather(self, keys: list[int]) -> list[Segment]:
        buckets = self.buckets
        return list(dict.fromkeys(segment for key in keys if key in buckets for segment in buckets[key]))

    def in_triangle(self, apex: Point, a: Point, b: Point) -> list[Segment]:
        """Walls that may touch a triangle, narrower than a bucket at its base a-b, each once."""
        side = self.side
        middle = ((a[0] + b[0]) // 2, (a[1] + b[1]) // 2)
        keys = [key for end in (a, middle, b) for key in keys_on_line(*apex, *end, side)]
        keys.extend(keys_in_box(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]), side))
        return self._gather(keys)

    def named(self, segment: Segment) -> list[tuple[Id, Wall]]:
        """The walls of a segment with their names, in the order of the map; mostly one."""
        return self._named[segment]


class GroundIndex:
    """A ground as it is looked up: walls by what they stop, regions by where they are."""

    __slots__ = ("cover", "drop", "ground", "move", "plane", "regions", "side", "sight")

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.plane: Plane = plane_of(ground.grid)
        self.side = self._side(ground)
        # A door that stands open is as good as none. Unnamed walls are called by their place in the map.
        walls = [(wall.id or f"wall_{n}", wall) for n, wall in enumerate(ground.walls) if not wall.open]
        self.sight = WallBuckets((pair for pair in walls if pair[1].sight), self.side)
        self.move = WallBuckets((pair for pair in walls if pair[1].move), self.side)
        self.cover = WallBuckets((pair for pair in walls if pair[1].sight or pair[1].cover is not None), self.side)
        self.drop = WallBuckets((pair for pair in walls if pair[1].drop is not None), self.side)
        boxes: list[tuple[int, int, int, int, Region]] = []
        for region in ground.regions:
            xs, ys = [x for x, _ in region.shape], [y for _, y in region.shape]
            boxes.append((min(xs), min(ys), max(xs), max(ys), region))
        self.regions: tuple[tuple[int, int, int, int, Region], ...] = tuple(boxes)

    def _side(self, ground: Ground) -> int:
        """Side of a bucket: five units, or more if the walls of a huge map would fill too many of them."""
        xs = [x for wall in ground.walls for x in (wall.a[0], wall.b[0])] or [0]
        ys = [y for wall in ground.walls for y in (wall.a[1], wall.b[1])] or [0]
        extent = max(max(xs) - min(xs), max(ys) - min(ys))
        return max(self.plane.bucket, extent // _LONGEST_ROW + 1)


_built: dict[int, tuple[Ground, GroundIndex]] = {}
_by_value: dict[Ground, GroundIndex] = {}


def index(ground: Ground) -> GroundIndex:
    """The index of a ground, built once for each value: found by identity, else by what it says.

    The ground is kept beside its index, so that an identity in the cache cannot come to belong to another one.
    """
    kept = _built.get(id(ground))
    if kept is not None and kept[0] is ground:
        return kept[1]
    found = _by_value.get(ground)
    if found is None:
        found = GroundIndex(ground)
        # Dropping everything when full keeps no order between threads; a rebuild costs half a millisecond.
        if len(_by_value) >= _KEPT:
            _by_value.clear()
        _by_value[ground] = found
    if len(_built) >= _KEPT:
        _built.clear()
    _built[id(ground)] = (ground, found)
    return found
