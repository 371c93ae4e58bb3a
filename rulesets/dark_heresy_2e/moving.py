"""Going somewhere: what is in the way, whom one leaves, what stops one, whom one engages at the end.

Clauses DH-3310 to DH-3330, DH-3370 to DH-3390, DH-5130, DH-5700.
"""

from collections.abc import Iterator
from functools import partial
from typing import Literal

from msgspec.structs import replace

from app.engine.asks import Answer
from app.engine.blocks.obstacles import first_obstacle
from app.engine.blocks.walk import Walk, go, set_out
from app.engine.commands import Submission
from app.engine.events import ActionStopped, FactStated
from app.engine.ids import ActionId, ClauseId, CombatantId, Length
from app.engine.moments import Passing
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.space.model import Fact, PairFact, Run, Sector, Unknown, pair_key
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.dark_heresy_2e.braces import displaced
from rulesets.dark_heresy_2e.conditions import HALTS, is_out
from rulesets.dark_heresy_2e.melee import engage, part, part_from_the_far
from rulesets.dark_heresy_2e.reach import engagement_range

Column = Literal["half", "full", "charge", "run"]
"""A column of the movement table. Clause: DH-5120."""
LEAVING = "DH-3330"
BLOCKED = "path_blocked"
PRONE = "prone"
AFTER_ALL_REACTIONS = (1,)


def are_foes(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether they are on different sides."""
    return table.who(one).side != table.who(other).side


# What is in the way


def why_too_far(table: Table, run: Run, reach: Length, clause: str, at: str) -> Iterator[Reason]:
    """A way that is longer than he gets."""
    if run.length > reach:
        yield table.rules.reason("move_too_far", clause, at=at, need_length=reach, got_length=run.length)


def why_blocked(table: Table, run: Run, clause: str, at: str) -> Iterator[Reason]:
    """A wall, a foe who stands in the way, or somebody where it ends. Friends let him pass.

    Only what his player can know counts: whom he cannot see he meets on the way.
    """
    first = first_obstacle(table, run, are_foes)
    if first is not None:
        at_length, names = first
        yield table.rules.reason(BLOCKED, clause, at=at, got_length=at_length, names=names)


def somebody_unseen(scene: Scene, moment: Passing) -> Iterator[Cue]:
    """A foe whom the mover could not see stands in the way: he stops before him."""
    unseen = scene.unknown_to(moment.mover)
    met = scene.space.met(moment.run) if unseen and scene.has_map else ()
    if isinstance(met, Unknown):
        return
    for at, who in met:
        if who in unseen and are_foes(scene, moment.mover, CombatantId(who)):
            yield Cue(at, AFTER_ALL_REACTIONS, f"met/{who}", _bump, partial(_stop, scene, moment.mover))


def _bump() -> Answer:
    return Answer(BLOCKED)


def _stop(scene: Scene, mover: CombatantId, answer: Answer) -> None:
    scene.met[_blocked(mover)] = 1


def _blocked(mover: CombatantId) -> str:
    return f"{BLOCKED}/{mover}"


# Whom one leaves


def why_unsaid_whom_he_leaves(table: Table, who: CombatantId) -> Iterator[Reason]:
    """Without a map somebody locked in melee must say whom he leaves. Clause: DH-5700."""
    if not table.has_map and table.who(who).engaged and table.said.leaves is None:
        yield table.rules.reason("missing_input", at="/said/leaves", names=table.who(who).engaged)


def left_behind(table: Table, run: Run) -> tuple[CombatantId, ...]:
    """Opponents he is locked with from whom the way leads away, be it only for a step.

    Walking round somebody while next to him leaves nobody. Clauses: DH-3320, DH-3390.
    """
    who = CombatantId(run.actor)
    engaged = table.who(who).engaged
    if not table.has_map:
        return tuple(other for other in engaged if other in (table.said.leaves or ()))
    return tuple(other for other in engaged if _leads_away(table, run, who, other))


def _leads_away(table: Table, run: Run, who: CombatantId, other: CombatantId) -> bool:
    place = table.who(other).place
    if place is None:
        return False
    near = Sector(place.point, engagement_range(table) + table.extra(who) + table.extra(other))
    crossings = table.space.crossings(run, near)
    assert not isinstance(crossings, Unknown)
    return any(one.kind == "leaves" for one in crossings)


# Going


def way_of(
    scene: Scene,
    sub: Submission,
    action: Action,
    run: Run,
    leaves: tuple[CombatantId, ...],
    *,
    crawling: bool = False,
) -> Walk:
    """The way as it is walked, until it is done or something stops him. Only who crawls goes on lying."""
    stated = {} if scene.has_map else dict(sub.said.distance_after or {})
    return Walk(
        sub.actor,
        run,
        action.id,
        action.clauses[0],
        partial(_can_go_on, scene, sub.actor, crawling),
        leaves,
        beside=None if run.target is None else CombatantId(run.target),
        distances={CombatantId(other): length for other, length in stated.items()},
    )


def halts(table: Table, who: CombatantId) -> tuple[str, ...]:
    """What keeps him from going on, in the order it is told. Clauses: DH-3330, DH-3900, DH-3990."""
    if table.who(who).status == "dead":
        return ("dead",)
    found = tuple(halt for halt in HALTS if table.has(who, halt))
    if is_out(table, who) and not found:
        return ("unconscious",)
    return found


def _can_go_on(scene: Scene, who: CombatantId, crawling: bool) -> bool:
    found = [halt for halt in halts(scene, who) if not (crawling and halt == PRONE)]
    return not found and _blocked(who) not in scene.met


def leave_melee(scene: Scene, way: Walk) -> bool:
    """Leave those he is locked with, if their free attacks let him; stopped, he stays and the pairs stay.

    Clauses: DH-3320, DH-3330.
    """
    if not set_out(scene, way):
        tell_stopped(scene, way.mover, way.action, LEAVING)
        return False
    if not scene.has_map:
        # Nobody knows where on the way they part, and who is shot at on it is locked with them no longer.
        for other in way.leaves:
            part(scene, way.mover, other)
            if not way.run.walked:
                _no_longer_near(scene, way, other)
    return True


def _no_longer_near(scene: Scene, way: Walk, other: CombatantId) -> None:
    """Going up, down or onto something is no length walked: what was known of how far the one left is holds no longer.

    Clauses: DH-5130, DH-5700.
    """
    now = way.distances.get(other)
    for one, two in ((way.mover, other), (other, way.mover)):
        fact = scene.state.scenery.facts.get(pair_key(one, two), PairFact())
        if fact.distance != now and (one == way.mover or fact.distance is not None):
            scene.emit(FactStated(one, two, replace(fact, distance=now), ClauseId("DH-5700")))


def go_along(scene: Scene, way: Walk, stopped: str, blocked: str) -> bool:
    """Go the way, whoever may react on it, and be locked no longer with those who were left.

    Stopped by a reaction or by somebody unseen, he stands where he was stopped, under these clauses.
    """
    stood = scene.who(way.mover).place
    arrived = go(scene, way)
    if stood is None or scene.who(way.mover).place != stood:
        displaced(scene, way.mover)
    part_from_the_far(scene, way.mover)
    if arrived:
        for other in way.leaves:
            part(scene, way.mover, other)
    else:
        tell_stopped(scene, way.mover, way.action, blocked if _blocked(way.mover) in scene.met else stopped)
    return arrived


def tell_stopped(scene: Scene, who: CombatantId, action: ActionId, clause: str) -> None:
    """The action is spent and goes no further."""
    why = BLOCKED if _blocked(who) in scene.met else next(iter(halts(scene, who)), "stopped")
    scene.emit(ActionStopped(who, action, why, ClauseId(clause)))


# Whom one engages at the end


def why_not_engage(table: Table, run: Run) -> Iterator[Reason]:
    """Whoever he says he engages must be a foe, and on a map next to where the way ends. Clauses: DH-3380, DH-5130."""
    reason, who = table.rules.reason, CombatantId(run.actor)
    for name in table.said.engage or ():
        other = CombatantId(name)
        if not table.known(other):
            yield reason("unknown_combatant", at="/said/engage", names=(other,))
        elif table.who(other).status != "up" or not are_foes(table, who, other):
            yield reason("invalid_target", at="/said/engage", names=(other,))
        elif is_beside_at_the_end(table, run, other) is False:
            yield reason("not_engaged", "DH-5130", at="/said/engage", names=(other,))


def is_beside_at_the_end(table: Table, run: Run, other: CombatantId) -> Fact[bool]:
    """Whether he is next to somebody where the way ends. Without a map it is as stated."""
    if not table.has_map:
        return True
    there = table.space.after({run.actor: table.space.place(run, run.walked)})
    return there.adjacent(run.actor, other, engagement_range(table))


def engage_as_said(scene: Scene, who: CombatantId) -> None:
    """He declares himself engaged with foes next to whom he has come to stand. Clause: DH-3380."""
    for name in scene.said.engage or ():
        other = CombatantId(name)
        near = not scene.has_map or scene.space.adjacent(who, other, engagement_range(scene))
        if near is True:
            engage(scene, who, other, "DH-3380")
