"""Going somewhere: how far, what is in the way, whom one leaves, who sees it. Clauses WH-080, WH-090, WH-530."""

from collections.abc import Iterator
from functools import partial

from app.engine.asks import Answer
from app.engine.blocks.obstacles import first_obstacle
from app.engine.blocks.walk import Walk, walk
from app.engine.commands import Submission
from app.engine.events import ActionStopped, Turned
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.moments import Passing
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.space.model import Run, Sector, Unknown
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.wh40k_d100.conditions import is_out
from rulesets.wh40k_d100.reach import are_foes, keep_up_engagements, longest_reach, melee_distance, opponents
from rulesets.wh40k_d100.view import follow, who_sees_the_way

BLOCKED = "path_blocked"
CLAUSE = "WH-080"


def run_of(table: Table, sub: Submission) -> Run | None:
    """The way as drawn on the map, or of the stated length; None if nobody gave one. Clause: WH-095."""
    if table.has_map and not sub.path:
        return None
    run = table.space.run(sub.actor, sub.path)
    return None if isinstance(run, Unknown) else run


def why_not_go(table: Table, sub: Submission, run: Run | None, reach: Length, clause: str = CLAUSE) -> Iterator[Reason]:
    """Every reason why he cannot go that way. Clauses: WH-080, WH-095."""
    at, reason = "/path" if table.has_map else "/said/length", table.rules.reason
    if run is None:
        yield reason("missing_input", at=at, names=("path" if table.has_map else "length",))
        return
    if run.length > reach:
        yield reason("move_too_far", clause, at=at, need_length=reach, got_length=run.length)
    yield from why_blocked(table, run, at)


def why_blocked(table: Table, run: Run, at: str) -> Iterator[Reason]:
    """A wall, a foe who stands in the way, or somebody where it ends. Friends let him pass. Clause: WH-080."""
    first = first_obstacle(table, run, are_foes)
    if first is not None:
        far, names = first
        yield table.rules.reason(BLOCKED, CLAUSE, at=at, got_length=far, names=names)


def why_held_in_melee(table: Table, sub: Submission, run: Run | None) -> Iterator[Reason]:
    """Whoever is locked in melee gets out of it by disengaging alone; staying within it he may go about.

    Without a map he goes out of it unless he says that he leaves nobody. Clause: WH-080.
    """
    held = opponents(table, sub.actor)
    if not table.has_map:
        left = held if sub.said.leaves is None else tuple(one for one in held if one in sub.said.leaves)
    else:
        left = () if run is None else tuple(one for one in held if _leads_away(table, run, one))
    if left:
        yield table.rules.reason("engaged_must_disengage", CLAUSE, names=left)


def _leads_away(table: Table, run: Run, other: CombatantId) -> bool:
    place = table.who(other).place
    if place is None:
        return False
    within = max(melee_distance(table, longest_reach(table, CombatantId(who))) for who in (run.actor, other))
    crossings = table.space.crossings(run, Sector(place.point, within))
    return not isinstance(crossings, Unknown) and any(one.kind == "leaves" for one in crossings)


def go_along(scene: Scene, sub: Submission, action: Action, run: Run) -> bool:
    """Go the way; those who see it turn after him. Tells whether he came to its end. Clauses: WH-080, WH-530."""
    who = sub.actor
    outset = Table(scene.rules, scene.state, scene.said)
    stated = {} if scene.has_map else dict(sub.said.distance_after or {})
    way = Walk(
        who,
        run,
        action.id,
        ClauseId(action.clauses[0]),
        partial(_can_go_on, scene, who),
        beside=None if run.target is None else CombatantId(run.target),
        distances={CombatantId(other): far for other, far in stated.items()},
    )
    arrived = walk(scene, way)
    done = run.walked if arrived else scene.met.get(_blocked(who), run.walked)
    saw = who_sees_the_way(outset, run, done)
    if not arrived:
        scene.emit(ActionStopped(who, action.id, BLOCKED, ClauseId(CLAUSE)))
    if done:
        scene.tick("move", who)
    follow(scene, who, saw)
    turn(scene, sub)
    keep_up_engagements(scene, who)
    return arrived


def turn(scene: Scene, sub: Submission) -> None:
    """He looks where he says at the end of it. Clause: WH-530."""
    place = scene.who(sub.actor).place
    if sub.facing is not None and place is not None and place.facing != sub.facing:
        scene.emit(Turned(sub.actor, sub.facing % 360, ClauseId("WH-530")))


def _can_go_on(scene: Scene, who: CombatantId) -> bool:
    return not is_out(scene, who) and _blocked(who) not in scene.met


# Somebody unseen in the way


def somebody_unseen(scene: Scene, moment: Passing) -> Iterator[Cue]:
    """A foe whom the mover could not know of stands in the way: he stops before him. Clause: WH-080."""
    unseen = scene.unknown_to(moment.mover)
    met = scene.space.met(moment.run) if unseen and scene.has_map else ()
    if isinstance(met, Unknown):
        return
    for at, who in met:
        if who in unseen and are_foes(scene, moment.mover, CombatantId(who)):
            yield Cue(at, (1,), f"met/{who}", _bump, partial(_stop, scene, moment.mover, at))


def _bump() -> Answer:
    return Answer(BLOCKED)


def _stop(scene: Scene, mover: CombatantId, at: Length, answer: Answer) -> None:
    scene.met[_blocked(mover)] = at


def _blocked(mover: CombatantId) -> str:
    return f"{BLOCKED}/{mover}"
