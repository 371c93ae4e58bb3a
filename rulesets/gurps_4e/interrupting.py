"""When an open Wait comes in: at a declaration, on a way, after an ally, after movement inside an attack.

Clauses GU-1410 to GU-1420, GU-1490 to GU-1520, GU-1540 to GU-1590.
"""

from collections.abc import Iterator
from functools import partial

from app.engine.asks import GM, Answer, Option, Question
from app.engine.events import Moved
from app.engine.fold import fold
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.moments import HALTED, ActionDone, Declaring, Passing
from app.engine.scene import Scene
from app.engine.space.model import Fact, Unknown
from app.engine.state import State
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.gurps_4e.conditions import loses_the_slot
from rulesets.gurps_4e.converting import convert, offer, state_distance
from rulesets.gurps_4e.figures import YARD
from rulesets.gurps_4e.maneuvers import ATTACKING, is_maneuver
from rulesets.gurps_4e.moving_events import Shifted
from rulesets.gurps_4e.reach import distance
from rulesets.gurps_4e.stop_thrusts import (
    approach_so_far,
    strikes_after,
    thrust_on_the_way,
    tries_to_be_first,
)
from rulesets.gurps_4e.waiting import (
    COVER,
    STOP_THRUST,
    Wait,
    comes_inside,
    comes_into_cover,
    comes_into_view,
    concerns,
    distance_before,
    longest_usable,
    waits,
)

YES, NO = "yes", "no"
MOVING_TRIGGERS = ("enters_reach", "enters_area", "comes_within", "becomes_visible")


def _rank(table: Table, who: CombatantId) -> tuple[int | str, ...]:
    """Turn order. Clauses: GU-030, GU-1490."""
    return (*(-figure for figure in table.who(who).standing), who)


def _cue(
    scene: Scene,
    wait: Wait,
    foe: CombatantId,
    at: Length = 0,
    *,
    ask_gm: bool = False,
    far: Length | None = None,
    there: State | None = None,
) -> Cue:
    return Cue(
        at,
        _rank(scene, wait.who),
        f"wait/{wait.who}",
        partial(_offer, scene, wait, foe, ask_gm, there),
        partial(_act, scene, wait, foe, far),
    )


def _offer(scene: Scene, wait: Wait, foe: CombatantId, ask_gm: bool, there: State | None) -> Answer | None:
    if ask_gm and not _gm_says_so(scene, wait, foe):
        return None
    return offer(scene, wait, foe, there)


def _act(scene: Scene, wait: Wait, foe: CombatantId, far: Length | None, answer: Answer) -> None:
    """The Wait comes in; a foe who has declared no more than his maneuver may have lost it. Clauses: GU-100, GU-110."""
    if far is not None:
        state_distance(scene, wait, foe, far)
    convert(scene, wait, foe, answer)
    if scene.is_turn_of(foe) and loses_the_slot(scene, foe):
        scene.met[HALTED] = 1


def _there(scene: Scene, wait: Wait, moment: Passing, at: Length, far: Length | None) -> State:
    """How all stand once the mover has come so far: what is offered there is judged there. Clause: GU-1430."""
    place = scene.space.place(moment.run, at)
    distances = {} if far is None or scene.has_map else {wait.who: far}
    return fold(scene.state, Moved(moment.mover, max(0, at - moment.done), place=place, distances=distances))


def _gm_says_so(scene: Scene, wait: Wait, mover: CombatantId) -> bool:
    """Without a map nobody has said whether the way comes so near: the GM knows. Clauses: GU-130, GU-490."""
    answer = scene.ask(
        Question(
            key="",
            name="wait_event",
            kind="wait_event",
            to=GM,
            options=(Option(YES), Option(NO, declines=True)),
            default=NO,
            best=NO,
            about=mover,
            clause=ClauseId("GU-1410"),
        )
    )
    return answer.option == YES


# Moments


def wait_declaring(scene: Scene, moment: Declaring) -> Iterator[Cue]:
    """At the declaration, before anything of it happens. Clause: GU-1410."""
    actor = moment.actor
    if not is_maneuver(scene.rules, moment.action) or scene.who(actor).status != "up":
        return
    for wait in waits(scene, actor):
        if concerns(scene, wait, actor) and _fires_at_declaration(scene, wait, moment):
            yield _cue(scene, wait, actor)


def _fires_at_declaration(scene: Scene, wait: Wait, moment: Declaring) -> bool:
    trigger = wait.word("trigger")
    if trigger == "starts_maneuver":
        kinds = wait.names("maneuvers")
        return not kinds or moment.action in kinds
    if trigger == "attacks":
        whom = wait.word("whom") or wait.who
        return moment.action in ATTACKING and whom in moment.sub.targets
    return False


def wait_passing(scene: Scene, moment: Passing) -> Iterator[Cue]:
    """On the way of somebody who moves. Clauses: GU-1410, GU-1420, GU-1500, GU-1550, GU-1560."""
    mover = moment.mover
    if not moment.run.walked or moment.forced:
        return
    for wait in waits(scene, mover):
        if not concerns(scene, wait, mover):
            continue
        if wait.kind == STOP_THRUST:
            yield from _stop_thrust_cue(scene, wait, moment)
            continue
        found, far = _where(scene, wait, moment)
        if isinstance(found, Unknown):
            end = moment.run.walked
            off = far_at(scene, wait, moment, end) if far is None else far
            yield _cue(scene, wait, mover, end, ask_gm=True, far=off, there=_there(scene, wait, moment, end, off))
        elif found is not None:
            yield _cue(scene, wait, mover, found, far=far, there=_there(scene, wait, moment, found, far))


def _where(scene: Scene, wait: Wait, moment: Passing) -> tuple[Fact[Length | None], Length | None]:
    """How far along the way it fires, and without a map how far off the mover then is."""
    ends = dict(moment.ends)
    if wait.kind == COVER and wait.covers_an_area:
        found = comes_into_cover(scene, wait, moment.run)
        return found, None if isinstance(found, Unknown) or found is None else far_at(scene, wait, moment, found)
    match wait.word("trigger"):
        case "enters_reach":
            limit = longest_usable(scene, wait)
            return comes_inside(scene, wait, moment.run, ends, limit), limit * YARD
        case "comes_within":
            limit = wait.whole("distance")
            return comes_inside(scene, wait, moment.run, ends, limit), limit * YARD
        case "becomes_visible" | "enters_area":
            comes = comes_into_view if wait.word("trigger") == "becomes_visible" else comes_into_cover
            found = comes(scene, wait, moment.run)
            return found, None if isinstance(found, Unknown) or found is None else far_at(scene, wait, moment, found)
        case _:
            return None, None


def far_at(scene: Scene, wait: Wait, moment: Passing, at: Length) -> Length | None:
    """Without a map: how far off he is at that point of a way of which both ends are known, else as far as before.

    Clause: GU-490.
    """
    before = distance_before(scene, moment.mover, wait.who)
    if scene.has_map or isinstance(before, Unknown):
        return None
    after = moment.ends.get(wait.who, before)
    return before + (after - before) * at // moment.run.walked


def wait_after(scene: Scene, moment: ActionDone) -> Iterator[Cue]:
    """After an ally's maneuver, and a stop thrust that came second after the foe's attack.

    Clauses: GU-1540, GU-1560.
    """
    if not is_maneuver(scene.rules, moment.action):
        return
    for wait in waits(scene, moment.actor):
        if wait.word("trigger") == "ally_acts" and wait.word("ally") == moment.actor:
            foe = moment.sub.targets[0] if moment.sub.targets else moment.actor
            yield _cue(scene, wait, foe)
            continue
        thrusts = wait.kind == STOP_THRUST and moment.action in ATTACKING and concerns(scene, wait, moment.actor)
        if thrusts and strikes_after(scene, wait, moment):
            approach = approach_so_far(scene, moment.actor, wait.who)
            yield _thrust(scene, wait, moment.actor, 0, approach, None, scene.state)


def wait_shifted(scene: Scene, moment: Shifted) -> Iterator[Cue]:
    """Movement that happened while an attack was resolved: a retreat, a shove. Clause: GU-1410."""
    mover = moment.mover
    before = Table(scene.rules, moment.before)
    for wait in waits(scene, mover):
        if not concerns(scene, wait, mover) or wait.kind in (COVER, STOP_THRUST):
            continue
        trigger = wait.word("trigger")
        if trigger not in ("enters_reach", "comes_within"):
            continue
        limit = longest_usable(scene, wait) if trigger == "enters_reach" else wait.whole("distance")
        was, now = distance(before, mover, wait.who), distance(scene, mover, wait.who)
        if not isinstance(was, Unknown) and not isinstance(now, Unknown) and was > limit >= now:
            yield _cue(scene, wait, mover)


# Stop thrusts


def _stop_thrust_cue(scene: Scene, wait: Wait, moment: Passing) -> Iterator[Cue]:
    found = thrust_on_the_way(scene, wait, moment)
    if found is None:
        return
    at, approach, far = found
    yield _thrust(scene, wait, moment.mover, at, approach, far, _there(scene, wait, moment, at, far))


def _thrust(
    scene: Scene, wait: Wait, foe: CombatantId, at: Length, approach: int, far: Length | None, there: State
) -> Cue:
    return Cue(
        at,
        _rank(scene, wait.who),
        f"stop_thrust/{wait.who}",
        partial(offer, scene, wait, foe, there),
        partial(_do_thrust, scene, wait, foe, approach, far),
    )


def _do_thrust(scene: Scene, wait: Wait, foe: CombatantId, approach: int, far: Length | None, answer: Answer) -> None:
    if far is not None:
        state_distance(scene, wait, foe, far)
    if tries_to_be_first(scene, wait, foe):
        convert(scene, wait, foe, answer, approach)
