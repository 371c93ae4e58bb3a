"""What lies on a line: walls that stop sight, cover and its share, regions."""

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt

from app.engine.ids import Length
from app.engine.space.index import GroundIndex, Segment, WallBuckets, keys_on_line
from app.engine.space.lattice import Plane, round_half_up
from app.engine.space.model import Cover, CoverPiece, Id, Kind, Point
from app.engine.space.predicates import in_polygon, near_segment, touches

_NOTHING: frozenset[Kind] = frozenset()


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
    if not ground.cover.buckets or a == b:
        return Cover()
    dx, dy = b[0] - a[0], b[1] - a[1]
    plane = ground.plane
    whole = plane.square_of(dx, dy)
    edge = _half_base(plane, whole, half_width)
    pieces: dict[Id, CoverPiece] = {}
    shadows: list[tuple[Fraction, Fraction]] = []
    for segment in _before(ground, a, b, half_width):
        px, py, qx, qy = segment
        # Coordinates along the line and across it, each times the length of the line.
        p = _turned(plane.weight, dx, dy, px - a[0], py - a[1])
        q = _turned(plane.weight, dx, dy, qx - a[0], qy - a[1])
        if _aside(p, q, whole, edge):
            continue
        hides = False
        for name, wall in ground.cover.named(segment):
            value = wall.cover
            if value is None or not (value.near is None or near_segment(plane, b, (px, py), (qx, qy), value.near)):
                hides = hides or wall.sight
                continue
            hides = True
            if touches(*a, *b, px, py, qx, qy):
                pieces[name] = CoverPiece(name, value.ap, value.locations, value.rating)
        shadow = _shadow(p, q, whole) if hides else None
        if shadow is not None:
            shadows.append(shadow)
    return Cover(_share(shadows, edge), tuple(pieces[name] for name in sorted(pieces)))


def _before(ground: GroundIndex, a: Point, b: Point, half_width: Length) -> list[Segment]:
    """The walls that may throw a shadow on a target at b, so wide to both sides."""
    plane = ground.plane
    reach = half_width * plane.den // plane.num + 2
    if 2 * reach >= ground.side:
        xs, ys = (a[0], b[0] - reach, b[0] + reach), (a[1], b[1] - reach, b[1] + reach)
        return ground.cover.in_box(min(xs), min(ys), max(xs), max(ys))
    # The base across the line, a little too long; in the hex plane what is across is longer than it looks.
    dx, dy = b[0] - a[0], b[1] - a[1]
    size = max(abs(dx), abs(dy))
    off = (dy * reach * plane.weight // size + 1, dx * reach // size + 1)
    return ground.cover.in_triangle(a, (b[0] + off[0], b[1] - off[1]), (b[0] - off[0], b[1] + off[1]))


def _turned(weight: int, dx: int, dy: int, x: int, y: int) -> Point:
    """A vector as (along, across) the line dx, dy; on hexes the root of three is left out of `across`."""
    return (x * dx + weight * y * dy, dx * y - dy * x)


def _aside(p: Point, q: Point, whole: int, edge: Fraction) -> bool:
    """Whether p-q lies wholly behind the eye, behind the target or to one side of the triangle between them."""
    (p_along, p_across), (q_along, q_across) = p, q
    if (p_along <= 0 and q_along <= 0) or (p_along > whole and q_along > whole):
        return True
    widest = int(edge) + 1
    p_limit, q_limit = widest * p_along, widest * q_along
    return (p_across * whole > p_limit and q_across * whole > q_limit) or (
        -p_across * whole > p_limit and -q_across * whole > q_limit
    )


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
        elif along == 0 and across:
            ends.append(Fraction(1000 * whole if across > 0 else -1000 * whole))
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


def _half_base(plane: Plane, whole: int, half_width: Length) -> Fraction:
    """Half the target's width in the units of a shadow: its length in the plane times that of the line.

    The only irrational number here, kept to nine digits below the hundredth. On hexes `across` lacks the root of
    three, and so does this.
    """
    half = Fraction(half_width * plane.den, plane.num)
    return _root(half * half * whole / plane.weight)


def _share(shadows: list[tuple[Fraction, Fraction]], edge: Fraction) -> int:
    """Whole per cent of the target's width that the shadows cover together, rounded once."""
    if not shadows or edge <= 0:
        return 0
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
    if not ground.regions:
        return _NOTHING
    x, y = point
    return frozenset(
        region.kind
        for x0, y0, x1, y1, region in ground.regions
        if x0 <= x <= x1 and y0 <= y <= y1 and in_polygon(x, y, region.shape)
    )


def kinds_between(ground: GroundIndex, a: Point, b: Point) -> frozenset[Kind]:
    """Kinds of the regions that hold one of two points of the plane, or touch the line between them."""
    if not ground.regions:
        return _NOTHING
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
