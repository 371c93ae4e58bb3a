"""A foe who is out of reach from here, and within it after the movement that the maneuver allows: that movement is
still to be filled in. Clauses GU-450, GU-620, GU-650, GU-800, GU-900.
"""

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.ids import CombatantId, Length
from app.engine.reasons import Reason
from app.engine.space.model import Point, Unknown
from app.engine.table import Table, table_for
from rulesets.gurps_4e.attack import Blow
from rulesets.gurps_4e.figures import YARD
from rulesets.gurps_4e.going import Going
from rulesets.gurps_4e.moving import HINDERED, how_far
from rulesets.gurps_4e.riding import is_mounted
from rulesets.gurps_4e.weapons import reaches

OUT_OF_REACH = "out_of_reach"
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
        far = _missing(table, going, blow)
        if far and _does(table, _straight(table, sub, far), judge):
            yield replace(reason, at="/path" if table.has_map else "/said/length", to_fill_in=True)
        else:
            too_far = (reason.got or 0) > (reason.need or 0)
            yield replace(reason, need=(reason.need or 0) + (_ahead(table, going) if too_far else 0))


def _ahead(table: Table, going: Going) -> int:
    """Yards that the movement of the maneuver could bring him closer. Clauses: GU-410 to GU-440, GU-1020, GU-2230."""
    if table.has(going.who, HINDERED) or is_mounted(table, going.who):
        return 0
    return how_far(table, going) // YARD


def _moves(sub: Submission, going: Going) -> bool:
    return going.moves or sub.said.length is not None or going.toward is not None or going.away is not None


def _missing(table: Table, going: Going, blow: Blow) -> Length:
    """How much closer he has to come; 0 where no movement of this maneuver leads so far, or nobody knows."""
    far = table.space.distance(going.who, blow.target)
    usable = reaches(table, going.who, blow.item, blow.mode)
    if isinstance(far, Unknown) or not usable:
        return 0
    missing = far - max(usable) * YARD
    return missing if 0 < missing <= how_far(table, going) else 0


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
