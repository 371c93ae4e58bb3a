"""Ways that the engine proposes or that somebody is made to take: out of an area, beside a target, pushed, strayed.

A search may be approximate, a check may not: what is proposed here is near enough the best, but it really is free,
really beside and really outside.
"""

from collections.abc import Iterable, Iterator
from math import ceil, isqrt

from app.engine.ids import Length
from app.engine.space.bodies import Bodies
from app.engine.space.crossing import Zone, spans
from app.engine.space.index import GroundIndex
from app.engine.space.lattice import HEX_ROW, HEX_STEP, Plane, direction, round_half_up
from app.engine.space.model import Area, Degrees, Id, Metric, Point, Sector
from app.engine.space.paths import Track, first_touch, on_wall, stop_before, way_free
from app.engine.space.predicates import touches

REACH = 100
"""How far apart ordinary people are who stand next to each other, in hundredths."""
_FAN = 5
_STEP_ROUND = 15
_NOTHING = 1e-6


def inside_map(ground: GroundIndex, point: Point) -> bool:
    """Whether a point of the plane is on the map: a cell counts if its centre is."""
    size = ground.ground.size
    if size is None:
        return True
    plane = ground.plane
    if plane.hexes:
        # Width and height are in units, and rows of the hex plane are shortened by the root of three.
        x, y = point
        wide, high = size[0] * plane.den, size[1] * plane.den
        return 0 <= x * plane.num <= wide and y >= 0 and 3 * (y * plane.num) ** 2 <= high * high
    return 0 <= point[0] <= size[0] and 0 <= point[1] <= size[1]


def free(ground: GroundIndex, bodies: Bodies, who: Id, point: Point) -> bool:
    """Whether somebody may come to stand at a point of the plane."""
    return (
        inside_map(ground, point)
        and not (ground.move.buckets and on_wall(ground.move, point))
        and not bodies.standing_at(point, who)
    )


def met(bodies: Bodies, actor: Id, track: Track, leave_out: Id | None = None) -> list[tuple[Length, Id]]:
    """Who stands in the way, in order, each with how far one gets before him.

    Who is too near at the start is not in the way until he has been left.
    """
    if not track.legs:
        return []
    plane = track.plane
    if plane.hexes or plane.square:
        return _met_on_grid(bodies, actor, track, leave_out)
    spare = bodies.room(actor, actor) + bodies.widest + 1
    xs = [track.end[0], *(leg.ax for leg in track.legs)]
    ys = [track.end[1], *(leg.ay for leg in track.legs)]
    found: list[tuple[Length, Id]] = []
    for who in bodies.in_box(min(xs) - spare, min(ys) - spare, max(xs) + spare, max(ys) + spare):
        if who in (actor, leave_out) or who not in bodies.up or _is_aside(track, bodies.points[who], spare):
            continue
        for span in _spans_beside(bodies, actor, who, track):
            at = int(span)
            while at > 0 and bodies.overlaps(track.point(at), actor, who):
                at -= 1
            found.append((at, who))
            break
    return sorted(found)


def _is_aside(track: Track, point: Point, reach: int) -> bool:
    """Whether a point is farther than that from every line that a leg lies on."""
    x, y = point
    for leg in track.legs:
        across = (x - leg.ax) * leg.dy - (y - leg.ay) * leg.dx
        if across * across <= reach * reach * (leg.dx * leg.dx + leg.dy * leg.dy):
            return False
    return True


def _spans_beside(bodies: Bodies, actor: Id, who: Id, track: Track) -> Iterator[float]:
    """Where a way comes too near to somebody, having been far enough before."""
    zone = Zone.disc(bodies.plane, bodies.points[who], bodies.room(actor, who) - 1)
    for span in spans(zone, track):
        if not span.from_start:
            yield span.low


def _met_on_grid(bodies: Bodies, actor: Id, track: Track, leave_out: Id | None) -> list[tuple[Length, Id]]:
    stops = track.stops()
    too_near = set(bodies.standing_at(track.start, actor))
    found: dict[Id, Length] = {}
    before = 0
    for reached, cell in stops[1:]:
        here = bodies.standing_at(cell, actor)
        too_near.intersection_update(here)
        for who in here:
            if who not in too_near and who != leave_out:
                found.setdefault(who, before)
        before = reached
    return sorted((at, who) for who, at in found.items())


def beside(ground: GroundIndex, bodies: Bodies, actor: Id, origin: Point, target: Id) -> Point | None:
    """A free place next to the target, the nearest to `origin`; no wall is between it and the target."""
    for point in _places_beside(bodies, actor, origin, target):
        if free(ground, bodies, actor, point) and way_free(ground.move, bodies.points[target], point):
            return point
    return None


def straight_beside(bodies: Bodies, actor: Id, origin: Point, target: Id) -> Point:
    """The place next to the target, free or not, on the straight way from `origin`."""
    return next(iter(_places_beside(bodies, actor, origin, target)))


def _places_beside(bodies: Bodies, actor: Id, origin: Point, target: Id) -> Iterable[Point]:
    plane = bodies.plane
    tx, ty = bodies.points[target]
    extras = bodies.extra(actor) + bodies.extra(target)
    if plane.hexes or plane.square:
        cells = _cells_beside(plane, origin, (tx, ty), extras)
        return sorted(cells, key=lambda cell: _nearness(plane, bodies.metric, origin, (tx, ty), cell))
    return _ring_beside(plane, origin, (tx, ty), REACH + extras)


def _ring_beside(plane: Plane, origin: Point, target: Point, reach: Length) -> Iterator[Point]:
    """Places at that distance from the target, the straight one first, then farther and farther round."""
    (ox, oy), (tx, ty) = origin, target
    dx, dy = ox - tx, oy - ty
    if plane.within(plane.square_of(dx, dy), reach) and (dx or dy):
        yield origin
    if dx == 0 and dy == 0:
        dy = -1
    yield _along(target, (dx, dy), reach, plane)
    straight = plane.bearing(dx, dy)
    for turned in range(_STEP_ROUND, 181, _STEP_ROUND):
        yield _along(target, direction(2 * (straight - turned), plane.hexes), reach, plane)
        yield _along(target, direction(2 * (straight + turned), plane.hexes), reach, plane)


def _along(start: Point, vector: Point, length: Length, plane: Plane) -> Point:
    """The point of the plane that lies that many hundredths from a start in a direction, rounded."""
    long = isqrt(plane.square_of(*vector) << 40)
    far = (length * plane.den << 20) // plane.num
    return (start[0] + round_half_up(vector[0] * far, long), start[1] + round_half_up(vector[1] * far, long))


def _cells_beside(plane: Plane, origin: Point, target: Point, extras: Length) -> list[Point]:
    """Cells next to a body: eight or six around an ordinary one. A big actor keeps to the corners he stands on."""
    (ox, oy), (tx, ty) = origin, target
    if plane.hexes:
        ring = 1 + round_half_up(extras, plane.grid.cell)
        return [
            (tx + HEX_STEP * q + HEX_ROW * r, ty + HEX_ROW * r)
            for q in range(-ring, ring + 1)
            for r in range(-ring, ring + 1)
            if max(abs(q), abs(r), abs(q + r)) == ring
        ]
    cell = plane.cell
    reach = cell + extras
    xs = range(tx - reach + (ox - tx + reach) % cell, tx + reach + 1, cell)
    ys = range(ty - reach + (oy - ty + reach) % cell, ty + reach + 1, cell)
    return [(x, y) for x in xs for y in ys if max(abs(x - tx), abs(y - ty)) > reach - cell]


def _nearness(plane: Plane, metric: Metric, origin: Point, target: Point, cell: Point) -> tuple[int, int, int, Point]:
    """Order of the cells beside a target: near to the origin, then near to the straight line."""
    dx, dy = cell[0] - origin[0], cell[1] - origin[1]
    aside = abs(dx * (target[1] - origin[1]) - dy * (target[0] - origin[0]))
    return (plane.measure(dx, dy, metric), plane.square_of(dx, dy), aside, cell)


class Push:
    """Somebody is moved straight in a direction: where he ends, in the plane, and what stopped him or let him fall."""

    __slots__ = ("blocked_by", "drop", "over", "where")

    def __init__(self, ground: GroundIndex, bodies: Bodies, who: Id, degrees: Degrees, length: Length) -> None:
        plane = ground.plane
        start = bodies.points[who]
        track = Track(plane, [start, landing(plane, start, degrees, length, bodies.metric)], bodies.metric)
        self.blocked_by: Id | None = None
        at = track.total
        wall = stop_before(track, ground.move)
        if wall is not None:
            at, self.blocked_by = wall[0], ground.move.named(wall[1])[0][0]
        body = next(iter(met(bodies, who, track)), None)
        if body is not None and body[0] < at:
            at, self.blocked_by = body
        self.where = track.point(at)
        edge = first_touch(track, ground.drop)
        self.over: Id | None = None
        self.drop = 0
        if edge is not None and edge[0] < at and not touches(*self.where, *self.where, *edge[1]):
            self.over, found = ground.drop.named(edge[1])[0]
            self.drop = found.drop or 0


def landing(plane: Plane, start: Point, degrees: Degrees, length: Length, metric: Metric) -> Point:
    """The place in that direction and distance, rounded to where somebody can be."""
    x, y = plane.rounded(2 * degrees, length, metric)
    return plane.settle(start[0] * 1024 + x, start[1] * 1024 + y, 1024)


def wall_between(ground: GroundIndex, a: Point, b: Point) -> bool:
    """Whether a wall that stops movement lies between two points."""
    return any(touches(*a, *b, *segment) for segment in ground.move.on_line(a, b))


class Exits:
    """Straight ways out of an area for somebody inside it, the shortest first."""

    def __init__(self, ground: GroundIndex, bodies: Bodies, who: Id, area: Area) -> None:
        self._ground, self._bodies, self._who, self._area = ground, bodies, who, area
        self._plane = ground.plane
        self._start = bodies.points[who]
        self._zone = Zone(ground, area)

    def best(self) -> tuple[Length, Point | None]:
        """Length of the shortest free way and where it ends; without a free one the shortest of all, and None."""
        if not self._zone.holds(*self._start):
            return (0, self._start)
        ways = self._in_order(self._to_cells() if self._plane.hexes or self._plane.square else self._square_out())
        if ways and self._is_free(ways[0][1]):
            far = -(-ways[0][0] * self._plane.den // self._plane.num)
            if not self._zone.has_shadows_near(self._start, far):
                return ways[0]
        if not (self._plane.hexes or self._plane.square):
            # The nearest border is square to a side, along a radius or at a corner, so those came first and alone.
            fan = (direction(2 * turned, self._plane.hexes) for turned in range(0, 360, _FAN))
            # What a wall hides may begin nearer; a free way to the border of the shape need not be beaten by more.
            enough = ways[0][0] + 10 if ways and self._is_free(ways[0][1]) else None
            ways = self._in_order([*ways, *self._measured(fan, enough)])
        for length, point in ways:
            if self._is_free(point):
                return (length, point)
        return (ways[0][0] if ways else 0, None)

    def _in_order(self, ways: list[tuple[Length, Point]]) -> list[tuple[Length, Point]]:
        """The shortest first; of equal ones that which ends nearer."""
        x, y = self._start
        return sorted(ways, key=lambda way: (way[0], self._plane.square_of(way[1][0] - x, way[1][1] - y), way[1]))

    def _is_free(self, point: Point) -> bool:
        ground = self._ground
        return free(ground, self._bodies, self._who, point) and way_free(ground.move, self._start, point)

    def _square_out(self) -> list[tuple[Length, Point]]:
        """Straight out along the radius, square across the sides, and to the corners."""
        x, y = self._start
        vectors: list[Point] = []
        area = self._area
        if isinstance(area, Sector):
            cx, cy = self._plane.into(area.centre)
            vectors.append((x - cx, y - cy) if (x, y) != (cx, cy) else direction(2 * area.facing, self._plane.hexes))
            if area.arc < 360:
                for edge in (2 * area.facing - area.arc, 2 * area.facing + area.arc):
                    vectors.extend(self._across(direction(edge, self._plane.hexes)))
                vectors.append((cx - x, cy - y))
        else:
            for n, b in enumerate(area.points):
                a = area.points[n - 1]
                vectors.extend(self._across((b[0] - a[0], b[1] - a[1])))
                vectors.append((b[0] - x, b[1] - y))
        return self._measured(vector for vector in vectors if vector != (0, 0))

    def _across(self, side: Point) -> tuple[Point, Point]:
        """Both directions at right angles to a side; in the hex plane heights are shortened."""
        dx, dy = side
        w = self._plane.weight
        return ((w * dy, -dx), (-w * dy, dx))

    def _measured(self, vectors: Iterable[Point], enough: Length | None = None) -> list[tuple[Length, Point]]:
        """Ways out in these directions: as far as the edge, and the first place that is beyond it."""
        x0, y0, x1, y1 = self._zone.box
        far = (x1 - x0 + y1 - y0 + 400) * self._plane.num // self._plane.den if enough is None else enough
        found: list[tuple[Length, Point]] = []
        for vector in vectors:
            end = _along(self._start, vector, far, self._plane)
            track = Track(self._plane, [self._start, end], "euclid")
            length = self._far(track)
            for beyond in (1, 2, 3):
                point = track.point(length + beyond)
                if not self._zone.holds(*point):
                    found.append((length, point))
                    break
        return found

    def _far(self, track: Track) -> Length:
        """How far the edge is along a straight way. The rim is half a hundredth wide, so a half counts as nearer."""
        return max(ceil(spans(self._zone, track)[0].high - 0.5 - _NOTHING), 0)

    def _to_cells(self) -> list[tuple[Length, Point]]:
        """Ways to the nearest cells outside, ring by ring, until some are free."""
        x0, y0, x1, y1 = self._zone.box
        plane = self._plane
        rings = max(x1 - x0, y1 - y0) // plane.cell * (2 if plane.hexes else 1) + 2
        found: list[tuple[Length, Point]] = []
        enough = rings
        for ring in range(1, rings + 1):
            if ring > enough:
                break
            for cell in self._ring(ring):
                if not self._zone.holds(*cell):
                    track = Track(plane, [self._start, cell], self._bodies.metric)
                    found.append((self._far(track), cell))
            if enough == rings and any(self._is_free(cell) for _, cell in found):
                # Diagonals are longer than they look from ring to ring, so half as many rings more may hold a better.
                enough = ring + ring // 2 + 1
        return found

    def _ring(self, ring: int) -> Iterator[Point]:
        x, y = self._start
        for i in range(-ring, ring + 1):
            for j in range(-ring, ring + 1):
                if self._plane.hexes:
                    if max(abs(i), abs(j), abs(i + j)) == ring:
                        yield (x + HEX_STEP * i + HEX_ROW * j, y + HEX_ROW * j)
                elif max(abs(i), abs(j)) == ring:
                    yield (x + i * self._plane.cell, y + j * self._plane.cell)
