"""Which way a movement leads: forward, straight, and where one may look after it. Clauses GU-450, GU-480, GU-1030."""

from itertools import pairwise

from app.engine.space.model import Point, Unknown
from app.engine.space.predicates import in_arc
from app.engine.table import Table
from rulesets.gurps_4e.going import Going

AHEAD = 120
"""Full width of the arc that counts as forward: 60 degrees either way. Clauses: GU-450, GU-480, GU-1030."""
SLACK = 1
"""Hundredths of a yard by which a corner may be off because places are rounded."""
_NEIGHBOURS = tuple((dx, dy) for dx in (0, -SLACK, SLACK) for dy in (0, -SLACK, SLACK))
_UNIT = 3
"""Points of the plane of a hex map in one hundredth."""


def turned(one: int, other: int) -> int:
    """Degrees from one direction to another, the shorter way round."""
    return abs((one - other + 180) % 360 - 180)


def is_off(one: int, other: int) -> bool:
    """Whether a direction is more than 60 degrees off another one. Clauses: GU-480, GU-1030."""
    return turned(one, other) > AHEAD // 2


def heading_of(table: Table, going: Going) -> int | None:
    """The direction of a straight way in whole degrees; None where no map tells it."""
    if going.run is None or not going.run.points:
        return None
    found = table.space.bearing(going.run.points[0], going.run.points[-1])
    return None if isinstance(found, Unknown) else found


def is_straight(going: Going) -> bool:
    """Whether the whole way is one straight line; without a map as stated, and a way toward or from somebody is one."""
    run = going.run
    if run is None or going.toward is not None or going.away is not None:
        return True
    straight = run.straight_end
    return not isinstance(straight, Unknown) and straight >= run.length


def is_forward(table: Table, going: Going) -> bool:
    """Whether each piece lies within 60 degrees of where he looks as it begins; after a piece he may look along it.

    Without a map it has to lead toward somebody, straight ahead, or nearer to somebody who is named. Clause: GU-450.
    """
    run = going.run
    if run is None or not run.length:
        return True
    if not table.has_map:
        return going.away is None and (going.toward is not None or going.ahead or _comes_nearer(table, going))
    place, hexes = table.who(going.who).place, _is_hex(table)
    facings = {None if place is None else place.facing}
    for one, other in pairwise(run.points):
        dx, dy = _plane(other[0] - one[0], other[1] - one[1], hexes)
        if not any(facing is None or _ahead(dx, dy, facing, hexes) for facing in facings):
            return False
        heading = table.space.bearing(one, other)
        facings.add(None if isinstance(heading, Unknown) else heading)
    return True


def _comes_nearer(table: Table, going: Going) -> bool:
    """Whether somebody whose distance afterwards is named is nearer then."""
    for other, far in going.ends.items():
        was = table.space.distance(going.who, other)
        if not isinstance(was, Unknown) and far < was:
            return True
    return False


def _is_hex(table: Table) -> bool:
    ground = table.state.scenery.ground
    return ground is not None and ground.grid.kind == "hex"


def _plane(dx: int, dy: int, hexes: bool) -> Point:
    return (2 * _UNIT * dx + _UNIT * dy, _UNIT * dy) if hexes else (dx, dy)


def _ahead(dx: int, dy: int, facing: int, hexes: bool) -> bool:
    return any(in_arc(dx + x, dy + y, facing, AHEAD, hexes) for x, y in _NEIGHBOURS)
