"""A foe who is out of reach from here, and within it after the movement that the maneuver allows: that movement is
still to be filled in. Clauses GU-450, GU-620, GU-650, GU-800, GU-900.
"""

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.ids import CombatantId, Length
from app.engine.reasons import Reason
from app.engine.space.lattice import plane_of
from app.engine.space.model import Grid, Point, Unknown
from app.engine.table import Table, table_for
from rulesets.gurps_4e.attack import Blow
from rulesets.gurps_4e.figures import YARD, yards
from rulesets.gurps_4e.going import Going
from rulesets.gurps_4e.moving import HINDERED, how_far
from rulesets.gurps_4e.riding import is_mounted
from rulesets.gurps_4e.weapons import reaches

OUT_OF_REACH = "out_of_reach"
MOST_CELLS = 12
"""Cells that are tried as the end of his way, the nearest first."""
Judge = Callable[[Table, Submission], Iterable[Reason]]


def with_a_way(
    table: Table, sub: Submission, going: Going, blow: Blow, found: Iterable[Reason], judge: Judge
) -> Iterator[Reason]:
    """The reasons against an attack from here. One that a way straight at the foe would take away asks for that way,
    of a submission that has no movement at all; one that none would tells from how far it could be done with it.

    Clauses: GU-620, GU-650, GU-800, GU-900.
    """
    for reason in found:
        if reason.code != OUT_OF_REACH or _moves(sub, going):
            yield reason
            continue
        if any(_does(table, way, judge) for way in _ways(table, sub, going, blow)):
            yield replace(reason, at="/path" if table.has_map else "/said/length", to_fill_in=True)
            continue
        # Where something else than the distance keeps him from him, only where he stands now is told.
        most = (reason.need or 0) + _ahead(table, going)
        yield replace(reason, need=most) if (reason.got or 0) > most else reason


def _ahead(table: Table, going: Going) -> int:
    """Yards that the movement of the maneuver could bring him closer. Clauses: GU-410 to GU-440, GU-1020, GU-2230."""
    if table.has(going.who, HINDERED) or is_mounted(table, going.who):
        return 0
    return how_far(table, going) // YARD


def _moves(sub: Submission, going: Going) -> bool:
    return going.moves or sub.said.length is not None or going.toward is not None or going.away is not None


def _ways(table: Table, sub: Submission, going: Going, blow: Blow) -> Iterator[Submission]:
    """The same with each way that might bring him within reach, the shortest first; none where nobody knows."""
    usable = reaches(table, going.who, blow.item, blow.mode)
    if isinstance(table.space.distance(going.who, blow.target), Unknown) or not usable:
        return
    ground = table.state.scenery.ground
    if ground is not None and ground.grid.kind != "none":
        for place in _cells(table, ground.grid, going, blow.target, usable):
            yield replace(sub, path=(place,))
        return
    length = _missing(table, going, blow, max(usable))
    if length:
        yield _straight(table, sub, length)


def _missing(table: Table, going: Going, blow: Blow, reach: int) -> Length:
    """How much closer he has to come, or as close as the maneuver lets him where that is within reach to the nearest
    yard; 0 where it is not. Clauses: GU-490, GU-620.
    """
    far, most = table.space.distance(going.who, blow.target), how_far(table, going)
    if isinstance(far, Unknown) or yards(far) <= reach:
        return 0
    wanted, least = far - reach * YARD, far - (reach * YARD + YARD // 2 - 1)
    if least > most:
        return 0
    # A hundredth less, so that an end that is rounded lies no farther than he may go.
    return wanted if wanted <= most else max(least, most - 1)


def _cells(table: Table, grid: Grid, going: Going, target: CombatantId, usable: Iterable[int]) -> list[Point]:
    """The cells from which he could strike, of those that the movement leads to in one line."""
    metric, plane = table.rules.metric, plane_of(grid)
    here, there = table.who(going.who).place, table.who(target).place
    assert here is not None
    assert there is not None
    step = YARD if grid.kind == "hex" else grid.cell
    around = range(-((max(usable) * YARD + YARD // 2) // grid.cell), (max(usable) * YARD + YARD // 2) // grid.cell + 1)
    origin, end, most = plane.into(here.point), plane.into(there.point), how_far(table, going)
    found: list[tuple[Length, Point]] = []
    for cell in ((there.x + i * step, there.y + j * step) for i in around for j in around):
        x, y = plane.into(cell)
        length = plane.measure(x - origin[0], y - origin[1], metric)
        off = plane.length_of(plane.square_of(x - end[0], y - end[1]))
        if 0 < length <= most and yards(off) in usable:
            found.append((length, cell))
    return [cell for _, cell in sorted(found)[:MOST_CELLS]]


def _straight(table: Table, sub: Submission, length: Length) -> Submission:
    """The same with a way straight at the foe."""
    target = sub.targets[0]
    if not table.has_map:
        return replace(sub, said=replace(sub.said, length=length), options={**sub.options, "toward": target})
    return replace(sub, path=(_point(table, sub.actor, target, length),))


def _point(table: Table, who: CombatantId, target: CombatantId, length: Length) -> Point:
    here, there = table.who(who).place, table.who(target).place
    far = table.space.distance(who, target)
    assert here is not None
    assert there is not None
    assert not isinstance(far, Unknown)
    return (here.x + round((there.x - here.x) * length / far), here.y + round((there.y - here.y) * length / far))


def _does(table: Table, sub: Submission, judge: Judge) -> bool:
    """Whether nothing stands against it but what is still to be filled in."""
    then = table_for(table.rules, table.state, sub)
    return all(table.rules.can_fill_in(reason) for reason in judge(then, sub))
