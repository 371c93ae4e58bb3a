"""A stop thrust: on whom, who strikes first, and what his run is worth. Clauses GU-1550 to GU-1590."""

from app.engine.asks import Answer
from app.engine.commands import Submission
from app.engine.ids import ActionId, CombatantId, Length
from app.engine.moments import ActionDone, Passing
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.gurps_4e.attack import Blow, blow_of, skill_of
from rulesets.gurps_4e.checks import Side, base_terms, contest
from rulesets.gurps_4e.conditions import last_maneuver
from rulesets.gurps_4e.converting import response
from rulesets.gurps_4e.figures import YARD, yards
from rulesets.gurps_4e.maneuvers import ATTACKING
from rulesets.gurps_4e.reach import distance
from rulesets.gurps_4e.waiting import ALMOST_HALF, Wait, comes_inside, longest_usable, within
from rulesets.gurps_4e.weapons import modes_of, reaches

LATER = "stop_thrust_later"
"""Name in `Scene.met`: the foe was the quicker, and the thrust comes after his attack. Clause: GU-1560."""


def intends(table: Table, wait: Wait, moment: Passing) -> str:
    """`strike` if he comes to strike the waiter, `pass` if he only wants to get past him, else empty.

    Clause: GU-1550.
    """
    maneuver = last_maneuver(table, moment.mover)
    if maneuver is not None and maneuver.word in ATTACKING and maneuver.against == wait.who:
        return "strike"
    return "pass" if _passes(table, wait, moment) else ""


def _passes(table: Table, wait: Wait, moment: Passing) -> bool:
    """Whether the way leads through the waiter's reach and out of it again, or through himself.

    Clauses: GU-470, GU-1550.
    """
    if not table.has_map:
        return wait.who in (table.said.met or ())
    run = moment.run
    met = table.space.met(run)
    if not isinstance(met, Unknown) and any(who == wait.who for _, who in met):
        return True
    place = table.who(wait.who).place
    if place is None:
        return False
    area = within(table, wait, longest_usable(table, wait))
    if area is None:
        return False
    found = table.space.crossings(run, area)
    if isinstance(found, Unknown):
        return False
    return any(one.kind == "enters" for one in found) and any(one.kind == "leaves" for one in found)


def thrust_on_the_way(scene: Scene, wait: Wait, moment: Passing) -> tuple[Length, int, Length | None] | None:
    """Where on the way the waiter strikes first, with how many yards of approach, and without a map from how far.

    None if he does not strike on the way. Clauses: GU-1550 to GU-1570.
    """
    what = intends(scene, wait, moment)
    if not what or f"{LATER}/{wait.who}" in scene.met:
        return None
    if what == "strike" and not _is_longer(scene, wait, moment.mover):
        return None
    mine = longest_usable(scene, wait)
    near = distance(scene, moment.mover, wait.who)
    if not isinstance(near, Unknown) and near <= mine:
        gains = not scene.has_map or _comes_closer(scene, wait, moment)
        return (moment.done, max(1, approach_so_far(scene, moment.mover, wait.who)), None) if gains else None
    at = comes_inside(scene, wait, moment.run, dict(moment.ends), mine)
    if isinstance(at, Unknown) or at is None:
        return None
    start = Table(scene.rules, scene.base, scene.first_said).space.distance(moment.mover, wait.who)
    edge = mine * YARD + (ALMOST_HALF if scene.has_map else 0)
    closer = at if isinstance(start, Unknown) else start - edge
    return at, max(0, closer) // YARD, mine * YARD


def _comes_closer(scene: Scene, wait: Wait, moment: Passing) -> bool:
    """Whether the next yard of the way brings him nearer. Clause: GU-1550."""
    place = scene.space.place(moment.run, min(moment.run.walked, moment.done + YARD))
    if place is None:
        return False
    there = scene.space.after({moment.mover: place}).distance(moment.mover, wait.who)
    here = scene.space.distance(moment.mover, wait.who)
    return not isinstance(there, Unknown) and not isinstance(here, Unknown) and there < here


def approach_so_far(scene: Scene, mover: CombatantId, who: CombatantId) -> int:
    """Full yards by which he has come closer in this turn up to now: of the real distance, not the rounded one.

    Clause: GU-1570.
    """
    then, now = _then_and_now(scene, mover, who)
    return max(0, then - now) // YARD


def _then_and_now(scene: Scene, mover: CombatantId, who: CombatantId) -> tuple[Length, Length]:
    then = Table(scene.rules, scene.base, scene.first_said).space.distance(mover, who)
    now = scene.space.distance(mover, who)
    return (0, 0) if isinstance(then, Unknown) or isinstance(now, Unknown) else (then, now)


def foe_reach(table: Table, foe: CombatantId) -> int:
    """Yards at which the attack he has declared strikes at most; bare hands, slams and grapples are close.

    Clause: GU-1560.
    """
    maneuver = last_maneuver(table, foe)
    if maneuver is None or maneuver.declared.get("form") in ("slam", "grapple", "shove"):
        return 0
    item = maneuver.item
    modes = modes_of(table, foe, item)
    named = maneuver.declared.get("mode")
    mode = modes.get(str(named)) or next(iter(modes.values()), None)
    return 0 if mode is None else max(reaches(table, foe, item, mode), default=0)


def _is_longer(table: Table, wait: Wait, foe: CombatantId) -> bool:
    """Whether the waiter's weapon is the longer, or by option is to be tried. Clause: GU-1560."""
    mine, theirs = longest_usable(table, wait), foe_reach(table, foe)
    return mine > theirs or (mine == theirs and table.option("equal_reach") == "quick_contest")


def tries_to_be_first(scene: Scene, wait: Wait, foe: CombatantId) -> bool:
    """Whether he strikes now: with equal reach, where the table plays it so, a contest of skills tells.

    Clause: GU-1560.
    """
    maneuver = last_maneuver(scene, foe)
    strikes = maneuver is not None and maneuver.word in ATTACKING and maneuver.against == wait.who
    equal = longest_usable(scene, wait) == foe_reach(scene, foe)
    if not strikes or not equal or scene.option("equal_reach") != "quick_contest" or f"done/{foe}" in scene.met:
        return True
    sub, action = response(scene, wait, foe, Answer("act"))
    mine = skill_of(scene, blow_of(scene, sub, action.id))
    theirs = skill_of(scene, _foes_blow(scene, foe, wait))
    one, other = (
        Side(wait.who, mine, base_terms(scene, wait.who, mine)),
        Side(foe, theirs, base_terms(scene, foe, theirs)),
    )
    with scene.within("first"):
        won = contest(scene, one, other, "strike_first", clause="GU-1560") == wait.who
    if not won:
        scene.met[f"{LATER}/{wait.who}"] = 1
    return won


def _foes_blow(scene: Scene, foe: CombatantId, wait: Wait) -> Blow:
    maneuver = last_maneuver(scene, foe)
    assert maneuver is not None
    return blow_of(scene, Submission(foe, ActionId("attack"), targets=(wait.who,), weapon=maneuver.item), "attack")


def strikes_after(scene: Scene, wait: Wait, moment: ActionDone) -> bool:
    """Whether the thrust comes right after the foe's attack on the waiter, toward whom he has moved.

    Clauses: GU-1550, GU-1560.
    """
    then, now = _then_and_now(scene, moment.actor, wait.who)
    if wait.who not in moment.sub.targets or yards(then) - yards(now) < 1:
        return False
    if scene.who(moment.actor).status != "up":
        return False
    scene.met[f"done/{moment.actor}"] = 1
    later = f"{LATER}/{wait.who}" in scene.met
    return later or longest_usable(scene, wait) <= foe_reach(scene, moment.actor)
