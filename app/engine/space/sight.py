"""What lies on a line: walls that stop sight, cover and its share, regions."""

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt

from app.engine.ids import Length
from app.engine.space.index import GroundIndex, Segment, WallBuckets, keys_on_line
from app.engine.space.lattice import round_half_up
from app.engine.space.model import Cover, CoverPiece, Kind, Point
from app.engine.space.predicates import in_polygon, near_segment, touches


def open_line(buckets: WallBuckets, a: Point, b: Point) -> bool:
    """Whether nothing stops sight between two points.

    It is stopped only if both the line moved a hair to the left and the line moved a hair to the right are cut: a
    line that grazes a free end or runs along a wall sees, one through a joint does not, and it is the same both
    ways. A wall on which one of the two stands does not count.
    """
    kept = buckets.buckets
    if not kept:
        return True
    ax, ay = a
    bx, by = b
    dx, dy = bx - ax, by - ay
    left = right = False
    for key in keys_on_line(ax, ay, bx, by, buckets.side):
        if key not in kept:
            continue
        for px, py, qx, qy in kept[key]:
            p_side = dx * (py - ay) - dy * (px - ax)
            q_side = dx * (qy - ay) - dy * (qx - ax)
            if (p_side > 0 and q_side > 0) or (p_side < 0 and q_side < 0) or p_side == q_side:
                continue
            ex, ey = qx - px, qy - py
            a_side = ex * (ay - py) - ey * (ax - px)
            b_side = ex * (by - py) - ey * (bx - px)
            if (a_side > 0 and b_side < 0) or (a_side < 0 and b_side > 0):
                if (p_side > 0) != (q_side > 0):
                    left = True
                if (p_side >= 0) != (q_side >= 0):
                    right = True
                if left and right:
                    return False
    return True


def open_between(segments: Iterable[Segment], a: Point, bx: int, by: int, scale: int) -> bool:
    """The same rule for a point (bx, by)/scale, against the walls given."""
    ax, ay = a
    dx, dy = bx - ax * scale, by - ay * scale
    left = right = False
    for px, py, qx, qy in segments:
        p_side = dx * (py - ay) - dy * (px - ax)
        q_side = dx * (qy - ay) - dy * (qx - ax)
        if (p_side > 0 and q_side > 0) or (p_side < 0 and q_side < 0) or p_side == q_side:
            continue
        ex, ey = qx - px, qy - py
        a_side = ex * (ay - py) - ey * (ax - px)
        b_side = ex * (by - py * scale) - ey * (bx - px * scale)
        if (a_side > 0 and b_side < 0) or (a_side < 0 and b_side > 0):
            left = left or (p_side > 0) != (q_side > 0)
            right = right or (p_side >= 0) != (q_side >= 0)
            if left and right:
                return False
    return True


def cover_of(ground: GroundIndex, a: Point, b: Point, half_width: Length) -> Cover:
    """What hides a body at b, so wide to both sides across the line, from an eye at a (points of the plane).

    The share counts the shadows of all covers that are near enough to the target, and of walls that stop sight; the
    pieces are those of them with a cover value that the line itself meets. Clauses: DH-5160, SR-355.
    """
    if not ground.cover.walls or a == b:
        return Cover()
    dx, dy = b[0] - a[0], b[1] - a[1]
    plane = ground.plane
    pieces: dict[str, CoverPiece] = {}
    shadows: list[tuple[Fraction, Fraction]] = []
    reach = half_width * plane.den // plane.num + 1
    box = (min(a[0], b[0]) - reach, min(a[1], b[1]) - reach, max(a[0], b[0]) + reach, max(a[1], b[1]) + reach)
    for segment in ground.cover.in_box(*box):
        px, py, qx, qy = segment
        name, wall = ground.cover.named(segment)
        value = wall.cover
        if value is not None and value.near is not None and not near_segment(plane, b, (px, py), (qx, qy), value.near):
            value = None
            if not wall.sight:
                continue
        # Coordinates along the line and across it, each times the length of the line.
        p = _turned(plane.weight, dx, dy, px - a[0], py - a[1])
        q = _turned(plane.weight, dx, dy, qx - a[0], qy - a[1])
        shadow = _shadow(p, q, plane.square_of(dx, dy))
        if shadow is not None:
            shadows.append(shadow)
        if value is not None and touches(*a, *b, px, py, qx, qy):
            pieces[name] = CoverPiece(name, value.ap, value.locations, value.rating)
    hidden = _share(shadows, plane.square_of(dx, dy), plane.weight, Fraction(half_width * plane.den, plane.num))
    return Cover(hidden, tuple(pieces[name] for name in sorted(pieces)))


def _turned(weight: int, dx: int, dy: int, x: int, y: int) -> Point:
    """A vector as (along, across) the line dx, dy; on hexes the root of three is left out of `across`."""
    return (x * dx + weight * y * dy, dx * y - dy * x)


def _shadow(p: Point, q: Point, whole: int) -> tuple[Fraction, Fraction] | None:
    """Where the shadow of p-q, cast from the origin, falls on the line across the target; None if it misses.

    The wall is cut to what lies between the eye and the target. A wall that reaches back to the eye's own line
    hides that side without end, which a shadow a thousand times as wide as the target line is long stands for.
    """
    (p_along, p_across), (q_along, q_across) = p, q
    ends: list[Fraction] = []
    for along, across in ((p_along, p_across), (q_along, q_across)):
        if 0 < along <= whole:
            ends.append(Fraction(across * whole, along))
    for border in (0, whole):
        if (p_along - border) * (q_along - border) < 0:
            met = p_across + Fraction((q_across - p_across) * (border - p_along), q_along - p_along)
            if border:
                ends.append(met)
            elif met:
                ends.append(Fraction(1000 * whole if met > 0 else -1000 * whole))
    if len(ends) < 2:
        return None
    return (min(ends), max(ends))


def _share(shadows: list[tuple[Fraction, Fraction]], whole: int, weight: int, half_width: Fraction) -> int:
    """Whole per cent of the target's width that the shadows cover together, rounded once.

    `across` counts in units of length-of-line times length / root of the weight; the half width is brought there
    by a root, the only irrational number here, kept to nine digits below the hundredth.
    """
    if not shadows or half_width <= 0:
        return 0
    edge = _root(half_width * half_width * whole / weight)
    covered, upto = Fraction(0), -edge
    for low, high in sorted(shadows):
        start, end = max(low, upto), min(high, edge)
        if end > start:
            covered += end - start
            upto = end
    over = covered * 100 / (2 * edge)
    return round_half_up(over.numerator, over.denominator)


def _root(square: Fraction) -> Fraction:
    """The root of a fraction, exact where it is a fraction itself."""
    fine = 10**9
    top, under = isqrt(square.numerator), isqrt(square.denominator)
    if top * top == square.numerator and under * under == square.denominator:
        return Fraction(top, under)
    return Fraction(isqrt(square.numerator * fine * fine // square.denominator), fine)


def kinds_at(ground: GroundIndex, point: Point) -> frozenset[Kind]:
    """Kinds of the regions that hold a point of the plane."""
    x, y = point
    return frozenset(
        region.kind
        for x0, y0, x1, y1, region in ground.regions
        if x0 <= x <= x1 and y0 <= y <= y1 and in_polygon(x, y, region.shape)
    )


def kinds_between(ground: GroundIndex, a: Point, b: Point) -> frozenset[Kind]:
    """Kinds of the regions that hold one of two points of the plane, or touch the line between them."""
    (ax, ay), (bx, by) = a, b
    left, right = (ax, bx) if ax < bx else (bx, ax)
    top, bottom = (ay, by) if ay < by else (by, ay)
    found: set[Kind] = set()
    for x0, y0, x1, y1, region in ground.regions:
        if region.kind in found or x0 > right or x1 < left or y0 > bottom or y1 < top:
            continue
        shape = region.shape
        if in_polygon(ax, ay, shape) or any(
            touches(ax, ay, bx, by, *shape[n - 1], *shape[n]) for n in range(len(shape))
        ):
            found.add(region.kind)
    return frozenset(found)
