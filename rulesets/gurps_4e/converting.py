"""A Wait that becomes its maneuver: the question, the response, and its resolution in the middle of somebody else's
slot.

Clauses GU-060, GU-100, GU-1420 to GU-1440, GU-1470, GU-1480, GU-1510, GU-1520.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.asks import Answer, Option, Question
from app.engine.commands import Submission
from app.engine.events import ActionTaken, FactStated, Term
from app.engine.forms import Field, Form
from app.engine.ids import ActionId, ClauseId, CombatantId, Length
from app.engine.moments import ActionDone, Declaring
from app.engine.reasons import Reason, in_order
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.space.model import PairFact, Said, pair_key
from app.engine.state import Effect, State
from app.engine.table import Table
from rulesets.gurps_4e.attack import ALL_OUT_ATTACK, ATTACK, Blow
from rulesets.gurps_4e.conditions import last_maneuver, loses_the_slot
from rulesets.gurps_4e.figures import tables_of
from rulesets.gurps_4e.maneuvers import OPTION, READY, choose
from rulesets.gurps_4e.tasks import TASK
from rulesets.gurps_4e.waiting import COVER, STOP_THRUST, Wait
from rulesets.gurps_4e.weapons import modes_of

ACT, HOLD = "act", "hold"
CLAUSE = "GU-1420"
FULL_CIRCLE = 359
ON_THE_SPOT = ("out_of_reach", "weapon_not_ready")
"""What the event itself may make impossible. Clause: GU-1430."""


def offer(scene: Scene, wait: Wait, foe: CombatantId, there: State | None = None) -> Answer | None:
    """Ask the waiter whether he acts on this event; None if he holds, or if what must be done cannot be.

    `there` is how all stand at the event, where the mover has yet to be told to have come so far.

    Clauses: GU-1420, GU-1430, GU-1520.
    """
    state = there or scene.state
    plain = in_order(_why_not(scene, wait, foe, Answer(ACT), state))
    if wait.must_act and plain:
        return None
    options = (Option(ACT, form=_form(scene, wait)), *(() if wait.must_act else (Option(HOLD, declines=True),)))
    question = Question(
        key="",
        name="use_wait",
        kind="use_wait",
        to=wait.who,
        options=options,
        default=ACT if wait.must_act else HOLD,
        best=ACT if not plain else HOLD,
        about=foe,
        informed=True,
        clause=ClauseId(CLAUSE),
        stranger=scene.rules.reason("wait_response_mismatch", "GU-1430", at="/option"),
    )
    answer = scene.ask(question, lambda given: _judge(scene, wait, foe, given, state))
    return None if answer.option == HOLD else answer


def _form(table: Table, wait: Wait) -> Form:
    """What is left to say when the Wait becomes its maneuver. Clause: GU-1440."""
    clause = ClauseId("GU-1440")
    moves = (
        Field("path", "path", clause=clause) if table.has_map else Field("length", "length", minimum=0, clause=clause)
    )
    turns = (Field("facing", "integer", minimum=0, maximum=FULL_CIRCLE, clause=clause),) if table.has_map else ()
    away = () if table.has_map else (Field("away", "bool", clause=clause),)
    return (moves, *turns, *away, Field("act_at", "length", minimum=0, clause=ClauseId("GU-430")), *_ways(table, wait))


def _ways(table: Table, wait: Wait) -> Form:
    """How it may be struck with the weapon: in any way of it, or only as declared. Clauses: GU-620, GU-1430."""
    modes = tuple(modes_of(table, wait.who, wait.record.item))
    if len(modes) == 1:
        return ()
    declared = wait.word("mode")
    others = tuple(mode for mode in modes if declared not in ("", mode))
    choices = tuple(mode for mode in modes if mode not in others) or (declared,)
    mismatch = (table.rules.reason("wait_response_mismatch", "GU-1430", at="/fields/mode"),)
    barred: dict[str, tuple[Reason, ...]] = dict.fromkeys(others, mismatch)
    return (Field("mode", "word", choices=choices, barred_choices=barred, clause=ClauseId("GU-620")),)


def _judge(scene: Scene, wait: Wait, foe: CombatantId, answer: Answer, state: State) -> Iterator[Reason]:
    if answer.option == HOLD:
        return
    named, declared = answer.word("mode"), wait.word("mode")
    if named and declared and named != declared:
        yield scene.rules.reason("wait_response_mismatch", "GU-1430", at="/fields/mode")
    yield from in_order(_why_not(scene, wait, foe, answer, state))


def _why_not(scene: Scene, wait: Wait, foe: CombatantId, answer: Answer, state: State) -> Iterator[Reason]:
    """What keeps the response from being done on the spot. Clause: GU-1430."""
    table = Table(scene.rules, state, said_of(wait, answer), wait.who)
    sub, action = response(table, wait, foe, answer)
    for reason in action.check(table, sub, action):
        yield replace(reason, clause=ClauseId("GU-1430")) if reason.code in ON_THE_SPOT else reason


# The response


def response(table: Table, wait: Wait, foe: CombatantId, answer: Answer) -> tuple[Submission, Action]:
    """The maneuver that the Wait becomes, as a submission. Clauses: GU-1420, GU-1430, GU-1470."""
    maneuver, option = wait.word("response"), wait.word("response_option")
    if maneuver == ALL_OUT_ATTACK and has_defended(table, wait.who, wait.record):
        maneuver, option = ATTACK, ""
    at = wait.word("aim_at")
    target = CombatantId(at) if at else foe
    options: dict[str, object] = {}
    if option:
        options[OPTION] = option
    for name in ("form", "mode"):
        if wait.word(name):
            options[name] = wait.word(name)
    if wait.whole("shots"):
        options["shots"] = wait.whole("shots")
    for name in ("mode", "act_at"):
        if name in answer.fields:
            options[name] = answer.fields[name]
    if wait.kind == STOP_THRUST and "mode" not in options:
        options["mode"] = thrusting_mode(table, wait)
    if not table.has_map and answer.whole("length"):
        options["away_from" if answer.fields.get("away") is True else "toward"] = target
    action = table.rules.actions[ActionId(maneuver)]
    if maneuver == READY:
        options |= _readying(wait, action, option)
    facing = answer.fields.get("facing")
    path = answer.fields.get("path", ())
    targeted = action.targets.maximum > 0
    sub = Submission(
        wait.who,
        ActionId(maneuver),
        type=action.default_type,
        targets=(target,) if targeted else (),
        weapon=wait.record.item,
        path=tuple((point[0], point[1]) for point in path),
        facing=facing if isinstance(facing, int) else None,
        options=options,
    )
    return sub, action


def _readying(wait: Wait, action: Action, option: str) -> dict[str, object]:
    """What a Wait readies, as declared; a task if nothing else, which is then what was said.

    Clauses: GU-1400, GU-1530.
    """
    declared = wait.record.declared
    said: dict[str, object] = {field.name: declared[field.name] for field in action.form if field.name in declared}
    if option in ("", TASK):
        said = {TASK: wait.word("text") or wait.kind, **said}
    return {**said, OPTION: option or TASK}


def thrusting_mode(table: Table, wait: Wait) -> str:
    """The mode with a thrusting point, as the weapon is held. Clause: GU-1550."""
    modes = modes_of(table, wait.who, wait.record.item)
    return next((name for name, mode in modes.items() if mode.point), next(iter(modes), ""))


def has_defended(table: Table, who: CombatantId, wait: Effect) -> bool:
    """Whether he has used an active defence since he began to wait. Clause: GU-1470."""
    used = table.effect(who, "defended")
    return used is not None and _serial(used) > _serial(wait)


def _serial(effect: Effect) -> int:
    return int(effect.id.rsplit(".", 1)[1])


def said_of(wait: Wait, answer: Answer) -> Said:
    """What the waiter states for his own movement. Clause: GU-1440."""
    length = answer.whole("length")
    return Said(by=wait.who, length=length or None)


def convert(scene: Scene, wait: Wait, foe: CombatantId, answer: Answer, approach: int = 0) -> None:
    """The Wait is the declared maneuver from now on; it is resolved completely, then the interrupted slot goes on.

    Clauses: GU-060, GU-100, GU-1420, GU-1480, GU-1510, GU-1520, GU-1570.
    """
    sub, action = response(scene, wait, foe, answer)
    with scene.within("response"), scene.speaking(said_of(wait, answer)):
        scene.emit(
            ActionTaken(
                wait.who,
                action.id,
                action.default_type,
                tuple(sorted(action.tags)),
                sub.weapon,
                sub.targets,
                counts=False,
                clause=ClauseId(CLAUSE),
            )
        )
        choose(scene, sub, action, converted=True, with_it=_with_it(scene, wait, approach))
        scene.announce(Declaring(wait.who, action.id, action.tags, sub))
        if not loses_the_slot(scene, wait.who):
            action.resolve(scene, sub, action)
        scene.announce(ActionDone(wait.who, action.id, action.tags, sub))


def _with_it(table: Table, wait: Wait, approach: int) -> dict[str, int]:
    """What the Wait makes of the attack. Clauses: GU-1510, GU-1520, GU-1570."""
    found: dict[str, int] = {"converted": 1}
    if wait.kind == COVER:
        found["opportunity_fire"] = opportunity_penalty(table, wait)
        if wait.flag("discriminate"):
            found["discriminate"] = tables_of(table).core.discriminate
    if approach:
        found["approach"] = approach
    return found


def opportunity_penalty(table: Table, wait: Wait) -> int:
    """The penalty by the yards covered; none for a named target. Clause: GU-1510, table 5.6."""
    return area_penalty(table, wait.whole("yards"), line=wait.flag("line"), named=wait.record.against is not None)


def area_penalty(table: Table, yards: int, *, line: bool, named: bool) -> int:
    """The same for so many yards, a line of any length, or a named target. Clause: GU-1510, table 5.6."""
    if named:
        return 0
    if line:
        return tables_of(table).core.line_fire
    rows = tables_of(table).opportunity_fire
    return next((row.penalty for row in rows if yards <= row.yards), rows[-1].penalty)


def from_wait(table: Table, blow: Blow) -> Blow:
    """The attack with what the Wait behind it brings into it. Clauses: GU-1510, GU-1520, GU-1570."""
    maneuver = last_maneuver(table, blow.attacker)
    if maneuver is None or "converted" not in maneuver.declared:
        return blow
    terms = tuple(
        Term(name, value, ClauseId(clause))
        for name, clause in (("opportunity_fire", "GU-1510"), ("discriminate", "GU-1520"))
        if isinstance(value := maneuver.declared.get(name), int) and value
    )
    approach = maneuver.declared.get("approach")
    return replace(blow, extra=(*blow.extra, *terms), approach=approach if isinstance(approach, int) else 0)


def state_distance(scene: Scene, wait: Wait, mover: CombatantId, far: Length) -> None:
    """Without a map: how far apart they are at the point of the interruption. Clauses: GU-490, GU-1420."""
    if scene.has_map or scene.space.distance(mover, wait.who) == far:
        return
    held = scene.state.scenery.facts.get(pair_key(mover, wait.who), PairFact())
    scene.emit(FactStated(mover, wait.who, replace(held, distance=far), ClauseId("GU-490")))
