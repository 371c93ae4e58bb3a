"""Where a way enters and leaves an area.

Candidates are the places along a leg at which something might change: where it meets the circle, the two edges, a
polygon's sides, the borders of the walls' shadows. They are sorted as floats. What is true at a candidate and in the
middle between two of them is judged exactly, on the leg itself, so that a run along an edge does not flicker.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from app.engine.ids import Length
from app.engine.space.index import GroundIndex, Segment
from app.engine.space.lattice import Plane, direction
from app.engine.space.model import Area, Point, Sector
from app.engine.space.paths import Leg, Track
from app.engine.space.predicates import between_edges, in_polygon
from app.engine.space.sight import open_between

_FINE = 1 << 60
_CLOSE = 2.0**-50
_MARGIN = 1e-9
_LEAST = 1e-12
_NO_EDGES = ((0, -1), (0, -1))


class Span(NamedTuple):
    """A piece of a way that lies in an area; ends in hundredths along the way, as floats."""

    low: float
    high: float
    from_start: bool
    """It begins inside, at the start of the way."""
    to_end: bool
    """It is still inside at the end of the way."""


class Zone:
    """An area as it is held against ways and points: in the plane, with the walls that may throw a shadow in it."""

    __slots__ = ("_arc", "_edges", "_points", "_reach", "_walls", "box", "centre", "plane")

    def __init__(self, ground: GroundIndex, area: Area) -> None:
        plane = ground.plane
        self.plane: Plane = plane
        self._walls: Sequence[Segment] = ()
        if isinstance(area, Sector):
            self._points: tuple[Point, ...] = ()
            self.centre = cx, cy = plane.into(area.centre)
            self._reach, self._arc = area.reach, area.arc
            half_degrees = (2 * area.facing - area.arc, 2 * area.facing + area.arc)
            self._edges = (direction(half_degrees[0], plane.hexes), direction(half_degrees[1], plane.hexes))
            reach = int(plane.radius(area.reach)) + 1
            self.box = (cx - reach, cy - reach, cx + reach, cy + reach)
            if area.needs_sight:
                self._walls = ground.sight.in_box(*self.box)
        else:
            self._points = area.points
            self.centre, self._reach, self._arc, self._edges = (0, 0), 0, 360, _NO_EDGES
            xs, ys = [x for x, _ in area.points], [y for _, y in area.points]
            self.box = (min(xs), min(ys), max(xs), max(ys))

    @classmethod
    def disc(cls, plane: Plane, centre: Point, reach: Length) -> "Zone":
        """A disc around a point of the plane, without regard to walls."""
        zone = object.__new__(cls)
        zone.plane, zone._walls, zone._points = plane, (), ()
        zone.centre, zone._reach, zone._arc, zone._edges = centre, reach, 360, _NO_EDGES
        cx, cy = centre
        far = int(plane.radius(reach)) + 1
        zone.box = (cx - far, cy - far, cx + far, cy + far)
        return zone

    @property
    def has_shadows(self) -> bool:
        """Whether a wall may hide a part of it from its centre."""
        return bool(self._walls)

    def has_shadows_near(self, point: Point, far: int) -> bool:
        """Whether a wall may hide from the centre a place no farther than that from a point, in the plane."""
        (cx, cy), (x, y) = self.centre, point
        x0, x1, y0, y1 = min(cx, x - far), max(cx, x + far), min(cy, y - far), max(cy, y + far)
        return any(
            min(px, qx) <= x1 and max(px, qx) >= x0 and min(py, qy) <= y1 and max(py, qy) >= y0
            for px, py, qx, qy in self._walls
        )

    def holds(self, x: int, y: int, scale: int = 1) -> bool:
        """Whether (x, y)/scale of the plane is inside, walls considered if the area needs sight."""
        return self.in_shape(x, y, scale) and (not self._walls or open_between(self._walls, self.centre, x, y, scale))

    def in_shape(self, x: int, y: int, scale: int = 1) -> bool:
        """The same without the walls."""
        if self._points:
            return in_polygon(x, y, self._points, scale)
        plane = self.plane
        dx, dy = x - self.centre[0] * scale, y - self.centre[1] * scale
        if not plane.within(plane.square_of(dx, dy), self._reach, scale):
            return False
        if self._arc >= 360 or (dx == 0 and dy == 0):
            return True
        return between_edges(dx, dy, *self._edges, self._arc)

    def candidates(self, leg: Leg) -> list[tuple[int, int]]:
        """Moments (over, under) of a leg, 0 to 1, at which it may come in or go out by a straight border."""
        found: list[tuple[int, int]] = []
        if self._points:
            for n, b in enumerate(self._points):
                a = self._points[n - 1]
                _meet(found, leg, a, (b[0] - a[0], b[1] - a[1]), bounded=True)
        elif self._arc < 360:
            for edge in self._edges:
                _meet(found, leg, self.centre, edge, bounded=False)
            _nearest(found, leg, self.centre)
        return found

    def before(self, leg: Leg) -> list[Segment]:
        """The walls that touch the triangle of a leg and the centre: those that may hide some of the leg."""
        cx, cy = self.centre
        ax, ay = leg.ax, leg.ay
        bx, by = ax + leg.dx, ay + leg.dy
        found: list[Segment] = []
        sides = ((cx, cy, ax - cx, ay - cy), (ax, ay, leg.dx, leg.dy), (bx, by, cx - bx, cy - by))
        turned = (ax - cx) * leg.dy - (ay - cy) * leg.dx
        sign = 1 if turned >= 0 else -1
        for segment in self._walls:
            px, py, qx, qy = segment
            for x, y, dx, dy in sides:
                p_off, q_off = dx * (py - y) - dy * (px - x), dx * (qy - y) - dy * (qx - x)
                if p_off * sign < 0 and q_off * sign < 0:
                    break
            else:
                found.append(segment)
        return found

    def shadow_candidates(self, leg: Leg, walls: Sequence[Segment]) -> list[tuple[int, int]]:
        """The same for the borders of the shadows that walls throw."""
        found: list[tuple[int, int]] = []
        cx, cy = self.centre
        for px, py, qx, qy in walls:
            _meet(found, leg, (px, py), (qx - px, qy - py), bounded=True)
            for x, y in ((px, py), (qx, qy)):
                if (x, y) != self.centre:
                    _meet(found, leg, self.centre, (x - cx, y - cy), bounded=False)
        if found:
            _nearest(found, leg, self.centre)
        return found

    def whole_disc(self) -> bool:
        """Whether it has no border but the rim."""
        return not self._points and not self._walls and self._arc >= 360

    def rim(self, leg: Leg) -> tuple[float, float] | None:
        """The part of a leg within the circle, in moments; None if it stays outside. Everything for a polygon."""
        if self._points:
            return (0.0, 1.0)
        plane, w = self.plane, self.plane.weight
        fx, fy = leg.ax - self.centre[0], leg.ay - self.centre[1]
        a = plane.square_of(leg.dx, leg.dy)
        half_b = fx * leg.dx + w * fy * leg.dy
        # Four times the discriminant, whole: the radius is an odd number of half hundredths.
        twice = (2 * self._reach + 1) * plane.den
        square = plane.num * plane.num
        spare = square * (4 * half_b * half_b - 4 * a * plane.square_of(fx, fy)) + a * twice * twice
        if spare <= 0 or self._reach < 0:
            return None
        root = sqrt(spare) / plane.num
        low, high = (-2 * half_b - root) / (2 * a), (-2 * half_b + root) / (2 * a)
        return None if high <= 0 or low >= 1 else (low, high)

    def misses(self, leg: Leg) -> bool:
        """Whether a leg stays outside the box around the area."""
        x0, y0, x1, y1 = self.box
        bx, by = leg.ax + leg.dx, leg.ay + leg.dy
        return (
            (leg.ax < x0 and bx < x0)
            or (leg.ax > x1 and bx > x1)
            or (leg.ay < y0 and by < y0)
            or (leg.ay > y1 and by > y1)
        )


def _meet(found: list[tuple[int, int]], leg: Leg, origin: Point, along: Point, *, bounded: bool) -> None:
    """Note the moment at which a leg meets a line through `origin`; bounded: or the ends of a segment beside it."""
    ex, ey = along
    fx, fy = origin[0] - leg.ax, origin[1] - leg.ay
    under = leg.dx * ey - leg.dy * ex
    if under:
        over = fx * ey - fy * ex
        if under < 0:
            over, under = -over, -under
        if 0 < over < under:
            if bounded:
                # Off the segment by less than nothing is off: exact, as everything that leaves a candidate out.
                side = fx * leg.dy - fy * leg.dx
                reach = side if leg.dx * ey - leg.dy * ex > 0 else -side
                if reach < 0 or reach > under:
                    return
            found.append((over, under))
    elif bounded and fx * leg.dy == fy * leg.dx:
        whole = leg.dx * leg.dx + leg.dy * leg.dy
        for x, y in ((fx, fy), (fx + ex, fy + ey)):
            over = x * leg.dx + y * leg.dy
            if 0 < over < whole:
                found.append((over, whole))


def _nearest(found: list[tuple[int, int]], leg: Leg, centre: Point) -> None:
    """Note the moment at which a leg goes through a centre, where both edges are met at once."""
    fx, fy = centre[0] - leg.ax, centre[1] - leg.ay
    if fx * leg.dy == fy * leg.dx:
        over, whole = fx * leg.dx + fy * leg.dy, leg.dx * leg.dx + leg.dy * leg.dy
        if 0 < over < whole:
            found.append((over, whole))


def spans(zone: Zone, track: Track) -> list[Span]:
    """The pieces of a way that lie in an area, in order; a single touch has no length."""
    if not track.legs:
        return [Span(0.0, 0.0, True, True)] if zone.holds(*track.start) else []
    pieces: list[tuple[float, float]] = []
    for leg in track.legs:
        offset, size = leg.start / 100, leg.length / 100
        for low, high in _inside_moments(zone, leg):
            start, end = offset + size * low, offset + size * high
            if pieces and (start == pieces[-1][1] or (low == 0.0 and abs(start - pieces[-1][1]) < 1e-9)):
                pieces[-1] = (pieces[-1][0], end)
            else:
                pieces.append((start, end))
    if not pieces:
        return []
    last = track.legs[-1]
    whole = last.start / 100 + last.length / 100
    begins, ends = zone.holds(*track.start), zone.holds(*track.end)
    return [Span(low, high, begins and low == 0.0, ends and high == whole) for low, high in pieces]


def _inside_moments(zone: Zone, leg: Leg) -> list[tuple[float, float]]:
    """The pieces of one leg inside, in moments of it (0 to 1), in order."""
    if zone.misses(leg):
        return []
    rim = zone.rim(leg)
    if rim is None:
        return []
    if zone.whole_disc():
        # Its ends are lattice points and so never on the rim: judged exactly, they say on which side of it they are.
        low = 0.0 if zone.holds(leg.ax, leg.ay) else max(rim[0], _LEAST)
        high = 1.0 if zone.holds(leg.ax + leg.dx, leg.ay + leg.dy) else rim[1]
        return [(low, high)]
    moments = zone.candidates(leg)
    walls = zone.before(leg) if zone.has_shadows else []
    moments += zone.shadow_candidates(leg, walls)
    marks: list[tuple[float, int, int]] = [(0.0, 0, 1), (1.0, 1, 1)]
    near, far = rim[0] - _MARGIN, rim[1] + _MARGIN
    marks.extend((moment, over, under) for over, under in moments if near <= (moment := over / under) <= far)
    # At the rim itself one is outside: the circle is open by half a hundredth. It has no exact moment and needs none.
    marks.extend((edge, 0, 0) for edge in rim if 0.0 < edge < 1.0)
    marks.sort()
    found: list[tuple[float, float]] = []
    begin: float | None = None
    for n, (moment, over, under) in enumerate(marks):
        if n:
            before = marks[n - 1][0]
            if moment - before > _CLOSE:
                middle = int((before + moment) / 2 * _FINE)
                if _holds_at(zone, leg, walls, middle, _FINE):
                    begin = before if begin is None else begin
                elif begin is not None:
                    found.append((begin, before))
                    begin = None
        if under and _holds_at(zone, leg, walls, over, under):
            begin = moment if begin is None else begin
        elif under and begin is not None:
            found.append((begin, moment))
            begin = None
    if begin is not None:
        found.append((begin, 1.0))
    return found


def _holds_at(zone: Zone, leg: Leg, walls: Sequence[Segment], over: int, under: int) -> bool:
    """Whether a leg is inside at the moment over/under of it, judged on the leg itself against the walls before it."""
    x, y = leg.ax * under + leg.dx * over, leg.ay * under + leg.dy * over
    return zone.in_shape(x, y, under) and (not walls or open_between(walls, zone.centre, x, y, under))


def entered_at(zone: Zone, track: Track, position: float, least: Length) -> Length:
    """A coming in, in whole hundredths: the nearest at which the rounded place really is inside, if there is one.

    On a grid it is when the next cell on the way is reached, if that is inside.
    """
    if track.plane.hexes or track.plane.square:
        for reached, cell in track.stops():
            if reached + 1 >= position and reached >= least:
                if zone.holds(*cell):
                    return reached
                break
    return _nearest_inside(zone, track, position, least)


def left_at(zone: Zone, track: Track, position: float, least: Length) -> Length:
    """A going out, in whole hundredths: the last moment at which he is still inside."""
    if track.plane.hexes or track.plane.square:
        for reached, cell in reversed(track.stops()):
            if least <= reached <= position + 1 and zone.holds(*cell):
                return reached
    return _nearest_inside(zone, track, position, least)


def _nearest_inside(zone: Zone, track: Track, position: float, least: Length) -> Length:
    nearest = min(max(int(position + 0.5), least), max(track.total, least))
    for off in (0, 1, -1, 2, -2):
        at = nearest + off
        if least <= at <= track.total and zone.holds(*track.point(at)):
            return at
    return nearest
