"""Ways: their length, where one is along them, what is straight about them, and where a wall stops them."""

from collections.abc import Sequence
from typing import NamedTuple

from app.engine.ids import Length
from app.engine.space.index import Segment, WallBuckets
from app.engine.space.lattice import HEX_STEP, Plane, round_half_up
from app.engine.space.model import Degrees, Metric, Point
from app.engine.space.predicates import touches, turn

SLACK = 1
"""How far a straight way may stray sideways without a grid, in hundredths: the rounding of its corners."""


class Leg(NamedTuple):
    """One straight piece of a way, in the plane."""

    ax: int
    ay: int
    dx: int
    dy: int
    start: int
    """Ten-thousandths of the unit before it."""
    length: int
    """Its length in ten-thousandths."""


class Track:
    """A way in the plane, measured. Legs of no length are left out."""

    __slots__ = ("end", "legs", "metric", "plane", "start", "total")

    def __init__(self, plane: Plane, points: Sequence[Point], metric: Metric) -> None:
        self.plane = plane
        self.metric = metric
        legs: list[Leg] = []
        done = 0
        ax, ay = points[0]
        for bx, by in points[1:]:
            dx, dy = bx - ax, by - ay
            if dx or dy:
                length = plane.myriadths(dx, dy, metric)
                legs.append(Leg(ax, ay, dx, dy, done, length))
                done += length
            ax, ay = bx, by
        self.legs = legs
        self.start = points[0]
        self.end = (ax, ay)
        self.total = (done + 50) // 100
        """Length in hundredths: the legs are summed first and rounded once."""

    def leg_at(self, at: Length) -> Leg:
        """The leg on which one is after so many hundredths; at a corner the one that ends there."""
        for leg in self.legs:
            if 100 * at <= leg.start + leg.length:
                return leg
        return self.legs[-1]

    def point(self, at: Length) -> Point:
        """Where one is after so many hundredths: a lattice point, or the last cell reached on a grid."""
        if not self.legs or at <= 0:
            return self.start
        if at >= self.total:
            return self.end
        leg = self.leg_at(at)
        done = min(max(100 * at - leg.start, 0), leg.length)
        if self.plane.hexes or self.plane.square:
            # Lengths in hundredths cut the last digits off the steps: a step counts as made half a hundredth early.
            steps = steps_of(self.plane, leg)
            made = min((2 * done + 100) * steps // (2 * leg.length), steps)
            return self.plane.settle(leg.ax * steps + leg.dx * made, leg.ay * steps + leg.dy * made, steps)
        return self.plane.settle(leg.ax * leg.length + leg.dx * done, leg.ay * leg.length + leg.dy * done, leg.length)

    def heading(self, at: Length | None = None) -> Degrees | None:
        """Direction in which one runs after so many hundredths, or at the end."""
        if not self.legs:
            return None
        leg = self.legs[-1] if at is None else self.leg_at(at)
        return self.plane.bearing(leg.dx, leg.dy)

    def stops(self) -> list[tuple[Length, Point]]:
        """On a grid: every cell on the way and the hundredths at which it is reached, from the start."""
        found = [(0, self.start)]
        for leg in self.legs:
            steps = steps_of(self.plane, leg)
            for n in range(1, steps + 1):
                cell = self.plane.settle(leg.ax * steps + leg.dx * n, leg.ay * steps + leg.dy * n, steps)
                found.append((round_half_up(leg.start * steps + leg.length * n, 100 * steps), cell))
        return found

    def straight_end(self) -> Length:
        """Length of the longest tail that is one straight line.

        All its corners lie within the slack of its chord and all its legs head onward. By the metric in which
        diagonals count 1 it must keep to one of eight directions. Clauses: DH-3950, MA-540.
        """
        legs = self.legs
        if self.metric == "chebyshev":
            if not legs or not _is_eighth(legs[-1]):
                return 0
            last = legs[-1]
            first = len(legs) - 1
            while first and _same_direction(legs[first - 1], last):
                first -= 1
            return self.total - (legs[first].start + 50) // 100
        if len(legs) <= 1:
            return self.total
        whole = legs[-1].start + legs[-1].length
        marks = [(leg.start, (leg.ax, leg.ay)) for leg in legs]
        if self.plane.hexes or self.plane.square:
            # Cells and not corners, so that it does not matter how the client drew one and the same way.
            marks = [(100 * reached, cell) for reached, cell in self.stops()[:-1]]
        corners = [corner for _, corner in marks] + [self.end]
        for first, (done, _) in enumerate(marks):
            if _is_straight(self.plane, corners, first):
                # The tail is summed and rounded by itself: ten legs of 0.4 are 4.00 wherever they begin.
                return (whole - done + 50) // 100
        return 0


def steps_of(plane: Plane, leg: Leg) -> int:
    """How many cells a leg on a grid goes on by."""
    reach = plane.steps_over(leg.dx, leg.dy) if plane.hexes else max(abs(leg.dx), abs(leg.dy))
    return max(round_half_up(reach, HEX_STEP if plane.hexes else plane.cell), 1)


def _is_eighth(leg: Leg) -> bool:
    """Whether a leg runs along a row, a column or a diagonal."""
    return leg.dx == 0 or leg.dy == 0 or abs(leg.dx) == abs(leg.dy)


def _same_direction(one: Leg, other: Leg) -> bool:
    return turn(one.dx, one.dy, other.dx, other.dy) == 0 and one.dx * other.dx + one.dy * other.dy > 0


def _is_straight(plane: Plane, corners: Sequence[Point], first: int) -> bool:
    """Whether the corners from `first` on make one line within the slack: a hundredth, half a cell on a grid."""
    (ax, ay), (zx, zy) = corners[first], corners[-1]
    dx, dy = zx - ax, zy - ay
    if dx == 0 and dy == 0:
        return False
    w = plane.weight
    slack = plane.cell if plane.hexes or plane.square else 2 * SLACK
    bound = slack * slack * plane.square_of(dx, dy)
    x, y = zx, zy
    # Backwards, since a tail that is no line mostly shows it near its end.
    for n in range(len(corners) - 2, first - 1, -1):
        px, py = corners[n]
        if px == x and py == y:
            continue
        if (x - px) * dx + w * (y - py) * dy <= 0:
            return False
        cross = turn(dx, dy, px - ax, py - ay)
        if 4 * w * cross * cross > bound:
            return False
        x, y = px, py
    return True


def first_touch(track: Track, walls: WallBuckets) -> tuple[Length, Segment] | None:
    """How far one gets before touching a wall, and which; None if the way is free.

    It is measured on the centre line, ends of walls included. The walls on which the way begins may be left,
    but not walked along or touched again.
    """
    if not walls.buckets:
        return None
    for number, leg in enumerate(track.legs):
        a, b = (leg.ax, leg.ay), (leg.ax + leg.dx, leg.ay + leg.dy)
        best: tuple[int, int, Segment] | None = None
        for segment in walls.on_line(a, b):
            met = _contact(leg, segment, leaving=number == 0)
            if met is not None and (best is None or met[0] * best[1] < best[0] * met[1]):
                best = (*met, segment)
        if best is not None:
            over, under, segment = best
            # The last whole hundredth before the contact.
            position = leg.start * under + leg.length * over
            return (max(-(-position // (100 * under)) - 1, 0), segment)
    return None


def _contact(leg: Leg, segment: Segment, leaving: bool) -> tuple[int, int] | None:
    """The first moment (over, under) of a leg at which it touches a wall; None if it does not.

    With `leaving`, a contact at the very start only does not count.
    """
    px, py, qx, qy = segment
    ax, ay, dx, dy = leg.ax, leg.ay, leg.dx, leg.dy
    if not touches(ax, ay, ax + dx, ay + dy, px, py, qx, qy):
        return None
    ex, ey = qx - px, qy - py
    under = turn(dx, dy, ex, ey)
    if under:
        over = turn(px - ax, py - ay, ex, ey)
        if under < 0:
            over, under = -over, -under
        return None if leaving and over == 0 else (over, under)
    # On one line: the nearer end, or the start if that is on the wall; then walking on is walking along it.
    whole = dx * dx + dy * dy
    low, high = sorted(((px - ax) * dx + (py - ay) * dy, (qx - ax) * dx + (qy - ay) * dy))
    if leaving and high <= 0:
        return None
    return (max(low, 0), whole)


def stop_before(track: Track, walls: WallBuckets) -> tuple[Length, Segment] | None:
    """How far one gets along a way so that the rounded place is on this side of the first wall, and which it is."""
    met = first_touch(track, walls)
    if met is None:
        return None
    at, segment = met
    leg = track.leg_at(at)
    start = (leg.ax, leg.ay)
    # Rounding can carry him onto a wall or through it where way and wall nearly run side by side.
    if track.plane.hexes or track.plane.square:
        for reached, cell in reversed(track.stops()):
            if reached <= at and (100 * reached <= leg.start or way_free(walls, start, cell)):
                return (reached, segment)
        return (0, segment)
    while 100 * at > leg.start and not way_free(walls, start, track.point(at)):
        at -= 1
    return (at, segment)


def on_wall(walls: WallBuckets, point: Point) -> bool:
    """Whether a point of the plane lies on a wall: nobody comes to stand there."""
    return any(touches(*point, *point, *segment) for segment in walls.on_line(point, point))


def way_free(walls: WallBuckets, a: Point, b: Point) -> bool:
    """Whether one can walk straight from a to b; a wall on which one stands at a may be left."""
    if not walls.buckets:
        return True
    leg = Leg(*a, b[0] - a[0], b[1] - a[1], 0, 1)
    if a == b:
        return True
    return all(_contact(leg, segment, leaving=True) is None for segment in walls.on_line(a, b))
