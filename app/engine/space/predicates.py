"""The few formulas that judge. Exact, in whole numbers of the plane (see `lattice.Plane`).

A point given with a scale k stands for (x/k, y/k): points in the middle of a leg are judged on the leg itself and
not on a rounded neighbour of it.
"""

from collections.abc import Sequence

from app.engine.space.lattice import Plane, direction
from app.engine.space.model import Point


def turn(ax: int, ay: int, bx: int, by: int) -> int:
    """Cross product: positive if b is clockwise from a, by less than half a turn."""
    return ax * by - ay * bx


def in_arc(dx: int, dy: int, facing: int, arc: int, hexes: bool) -> bool:
    """Whether a direction lies in an arc of that full width around a facing, in whole degrees.

    Both edges are included, and so is the apex; 360 is everything. Clauses: DH-5720, WH-540.
    """
    if arc >= 360 or (dx == 0 and dy == 0):
        return True
    return between_edges(dx, dy, direction(2 * facing - arc, hexes), direction(2 * facing + arc, hexes), arc)


def between_edges(dx: int, dy: int, left: Point, right: Point, arc: int) -> bool:
    """The same for known edges and a real direction."""
    from_left, to_right = left[0] * dy - left[1] * dx, dx * right[1] - dy * right[0]
    if arc > 180:
        return from_left >= 0 or to_right >= 0
    return from_left >= 0 and to_right >= 0 and (arc > 0 or dx * left[0] + dy * left[1] > 0)


def in_polygon(x: int, y: int, points: Sequence[Point], scale: int = 1) -> bool:
    """Whether (x, y)/scale lies in a simple polygon, its border included."""
    inside = False
    ax, ay = points[-1][0] * scale, points[-1][1] * scale
    for corner in points:
        bx, by = corner[0] * scale, corner[1] * scale
        side = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        if side == 0 and min(ax, bx) <= x <= max(ax, bx) and min(ay, by) <= y <= max(ay, by):
            return True
        if (ay > y) != (by > y) and (side > 0) == (by > ay):
            inside = not inside
        ax, ay = bx, by
    return inside


def touches(ax: int, ay: int, bx: int, by: int, px: int, py: int, qx: int, qy: int) -> bool:
    """Whether the segments a-b and p-q have a point in common, ends included. a and b may be one point."""
    dx, dy = bx - ax, by - ay
    p_side, q_side = dx * (py - ay) - dy * (px - ax), dx * (qy - ay) - dy * (qx - ax)
    if (p_side > 0 and q_side > 0) or (p_side < 0 and q_side < 0):
        return False
    ex, ey = qx - px, qy - py
    a_side, b_side = ex * (ay - py) - ey * (ax - px), ex * (by - py) - ey * (bx - px)
    if (a_side > 0 and b_side > 0) or (a_side < 0 and b_side < 0):
        return False
    # On one line, and for a single point on the line of the wall, only the extents are left to tell.
    return (
        min(ax, bx) <= max(px, qx)
        and min(px, qx) <= max(ax, bx)
        and min(ay, by) <= max(py, qy)
        and min(py, qy) <= max(ay, by)
    )


def near_segment(plane: Plane, point: Point, a: Point, b: Point, reach: int) -> bool:
    """Whether the distance from a point to a segment is at most reach when rounded."""
    w = plane.weight
    dx, dy = b[0] - a[0], b[1] - a[1]
    px, py = point[0] - a[0], point[1] - a[1]
    along, whole = px * dx + w * py * dy, plane.square_of(dx, dy)
    if along <= 0:
        return plane.within(plane.square_of(px, py), reach)
    if along >= whole:
        return plane.within(plane.square_of(point[0] - b[0], point[1] - b[1]), reach)
    # The height over the segment is w * cross² / whole, both sides of `within` times whole.
    cross = turn(dx, dy, px, py)
    bound = (2 * reach + 1) * plane.den
    return reach >= 0 and 4 * w * cross * cross * plane.num * plane.num < bound * bound * whole
