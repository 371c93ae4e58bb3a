"""Wait: declaring it, covering, stop thrust, reflex, and an event in words that has happened.

Clauses GU-1400 to GU-1590.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.asks import GM, Option, Question
from app.engine.commands import Submission
from app.engine.events import ActionStopped, Noted
from app.engine.ids import ClauseId, CombatantId, ItemId, Scalar
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.areas import covered_yards
from rulesets.gurps_4e.at_hand import means_bare_hands
from rulesets.gurps_4e.attack import (
    ALL_OUT_ATTACK,
    ATTACK,
    DETERMINED,
    FEINT,
    SHIELD_BASH,
    SHOT,
    SUPPRESSION,
    THROW,
    Blow,
    blow_of,
    has_form,
    skill_of,
    why_not_so_many,
)
from rulesets.gurps_4e.checks import base_terms, level, total_of
from rulesets.gurps_4e.conditions import WAITING
from rulesets.gurps_4e.converting import ACT, area_penalty, convert, offer
from rulesets.gurps_4e.figures import tables_of
from rulesets.gurps_4e.maneuvers import READY
from rulesets.gurps_4e.moving import MovementParams, going_of, why_not_go
from rulesets.gurps_4e.resolvers.plain import NoParams
from rulesets.gurps_4e.resolvers.ready import OWN_FIELDS
from rulesets.gurps_4e.wait_inputs import WITH_A_WEAPON, Told, why_not_readied, why_not_them, why_unused
from rulesets.gurps_4e.waiting import COVER, ORDINARY, REFLEX, STOP_THRUST, Wait
from rulesets.gurps_4e.weapons import held, is_ready, modes_of, rounds, weapon_of

RESPONSES = (ATTACK, FEINT, ALL_OUT_ATTACK, READY)
YES, NO = "yes", "no"
KEPT = (
    "form",
    "mode",
    "distance",
    "maneuvers",
    "whom",
    "ally",
    "text",
    "group",
    "aim_at",
    "shots",
    "line",
    "discriminate",
    *OWN_FIELDS,
)


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against waiting so. Clauses: GU-1400, GU-1440, GU-1500, GU-1550."""
    yield from why_not_go(table, going_of(table, sub, action, action.params))
    told = Told(table, sub, kind_of(sub), trigger_of(sub))
    yield from why_unused(told)
    yield from why_not_them(told)
    yield from _why_not_trigger(table, sub)
    yield from _why_not_response(table, sub)
    yield from why_not_readied(told)
    kind = kind_of(sub)
    if kind == COVER:
        yield from _why_not_cover(table, sub)
    if kind == STOP_THRUST and not _has_point(table, sub):
        yield table.rules.reason("needs_thrusting_weapon", "GU-1550", at="/weapon")


def kind_of(sub: Submission) -> str:
    """Which sort of Wait it is."""
    return str(sub.options.get("kind") or ORDINARY)


def trigger_of(sub: Submission) -> str:
    """What it waits for; covering a named target is for his next maneuver unless it says otherwise. Clause: GU-1500."""
    named = sub.options.get("trigger")
    if named is not None:
        return str(named)
    if kind_of(sub) == COVER:
        return "starts_maneuver" if sub.targets else "enters_area"
    return "stop_thrust" if kind_of(sub) == STOP_THRUST else ""


def _why_not_trigger(table: Table, sub: Submission) -> Iterator[Reason]:
    """Exactly one event, with what it needs. Clauses: GU-1400, GU-1410."""
    reason, trigger = table.rules.reason, trigger_of(sub)
    if not trigger:
        yield reason("wait_needs_trigger", "GU-1400", at="/options/trigger", to_fill_in=True)
    needs = {"comes_within": "distance", "ally_acts": "ally", "custom": "text"}.get(trigger)
    if needs is not None and sub.options.get(needs) in (None, ""):
        yield reason("wait_needs_trigger", "GU-1410", at=f"/options/{needs}", names=(needs,), to_fill_in=True)
    if trigger == "enters_area" and table.has_map and sub.area is None and kind_of(sub) != COVER:
        yield reason("wait_needs_trigger", "GU-1410", at="/area", names=("area",), to_fill_in=True)
    for field in ("whom", "ally", "aim_at"):
        named = sub.options.get(field)
        if isinstance(named, str) and not table.known(named):
            yield reason("unknown_combatant", at=f"/options/{field}", names=(named,))


def _why_not_response(table: Table, sub: Submission) -> Iterator[Reason]:
    """One of four maneuvers, with a weapon that is ready where it takes one. Clauses: GU-1370, GU-1400, GU-1500."""
    reason, response = table.rules.reason, sub.options.get("response")
    kind, at = kind_of(sub), "/options/response"
    if response is None:
        if kind != REFLEX:
            yield reason("wait_needs_response", "GU-1400", at=at)
        return
    allowed = RESPONSES if kind in (ORDINARY, REFLEX) else (ATTACK, ALL_OUT_ATTACK)
    option = sub.options.get("response_option")
    clause = {COVER: "GU-1500", STOP_THRUST: "GU-1550"}.get(kind, "GU-1400")
    if response not in allowed or (
        kind == COVER and response == ALL_OUT_ATTACK and option not in (None, DETERMINED, SUPPRESSION)
    ):
        yield reason("wait_response_not_allowed", clause, at=at, names=(str(response),))
        return
    if response == ALL_OUT_ATTACK:
        if option is None:
            yield reason("option_required", "GU-1400", at="/options/response_option")
        elif option == SUPPRESSION:
            yield reason("full_turn_maneuver", "GU-1400", at="/options/response_option")
    if response in WITH_A_WEAPON and sub.weapon is not None and sub.weapon in table.who(sub.actor).items:
        yield from _why_not_armed(table, sub, sub.weapon)
    if response in WITH_A_WEAPON:
        yield from _why_not_so(table, _blow(table, sub))


def _blow(table: Table, sub: Submission) -> Blow:
    """The attack that it is to become, whoever comes. Clause: GU-1400."""
    options = {name: sub.options[name] for name in ("form", "mode", "shots") if sub.options.get(name) is not None}
    return blow_of(table, replace(sub, options={**options, **_form_of_cover(table, sub)}), ATTACK)


def _form_of_cover(table: Table, sub: Submission) -> dict[str, str]:
    """What is no missile weapon covers only as it is thrown. Clause: GU-1500."""
    weapon = weapon_of(table, sub.actor, sub.weapon)
    is_thrown = kind_of(sub) == COVER and not weapon.is_ranged and weapon.throw is not None
    return {"form": THROW} if is_thrown and sub.options.get("form") is None else {}


def _why_not_so(table: Table, blow: Blow) -> Iterator[Reason]:
    """A way or form that the weapon does not have, and more shots than it fires. Clauses: GU-600, GU-2030."""
    reason = table.rules.reason
    if not has_form(blow):
        yield reason("invalid_option_value", "GU-600", at="/options/form", names=(blow.form,))
    elif blow.form == SHIELD_BASH and not blow.weapon.is_shield:
        yield reason("no_ready_shield", "GU-2240", at="/weapon")
    elif blow.form == SHOT:
        yield from why_not_so_many(table, blow)


def _why_no_such_mode(table: Table, sub: Submission) -> Iterator[Reason]:
    named = sub.options.get("mode")
    if named is not None and named not in modes_of(table, sub.actor, sub.weapon):
        yield table.rules.reason("invalid_option_value", "GU-600", at="/options/mode", names=(str(named),))


def _why_not_armed(table: Table, sub: Submission, item: ItemId) -> Iterator[Reason]:
    clause = "GU-1500" if kind_of(sub) == COVER else "GU-1400"
    yield from _why_no_such_mode(table, sub)
    if not is_ready(table, sub.actor, item):
        yield table.rules.reason("weapon_not_ready", clause, at="/weapon", names=(item,))
    left = rounds(table, sub.actor, item)
    if left is not None and left < 1:
        yield table.rules.reason("not_enough_ammo", "GU-1370", at="/weapon", need=1, got=left)


def _why_not_cover(table: Table, sub: Submission) -> Iterator[Reason]:
    """A ready ranged weapon, and an area or one named target. Clauses: GU-1500, GU-1510."""
    reason = table.rules.reason
    blow = _blow(table, sub)
    if sub.weapon is None or not blow.is_ranged:
        yield reason("weapon_not_ready", "GU-1500", at="/weapon")
    else:
        yield from _why_too_hard(table, sub, blow)
    if not sub.targets and not covered_yards(sub) and sub.options.get("line") is not True:
        yield reason("cover_needs_area", "GU-1500", at="/area" if table.has_map else "/options/yards")
    if table.has_map and not sub.targets and sub.area is None:
        yield reason("cover_needs_area", "GU-1500", at="/area")


def _why_too_hard(table: Table, sub: Submission, blow: Blow) -> Iterator[Reason]:
    """An area so large that nobody could hit in it at any distance. Clauses: GU-240, GU-1510, GU-1520."""
    skill = skill_of(table, blow)
    if level(table, sub.actor, skill) is None:
        return
    lowest, discriminates = tables_of(table).core.lowest_skill, sub.options.get("discriminate") is True
    worth = area_penalty(table, covered_yards(sub), line=sub.options.get("line") is True, named=bool(sub.targets))
    total = total_of(base_terms(table, sub.actor, skill)) + worth
    total += tables_of(table).core.discriminate if discriminates else 0
    if total < lowest:
        yield table.rules.reason("skill_too_low", "GU-240", at="/weapon", need=lowest, got=total)


def _has_point(table: Table, sub: Submission) -> bool:
    """Whether the weapon is ready and has a thrusting point, as it is held. Clause: GU-1550."""
    item = sub.weapon
    if item is None or item not in table.who(sub.actor).items or not is_ready(table, sub.actor, item):
        return False
    modes, named = modes_of(table, sub.actor, item), sub.options.get("mode")
    return modes[str(named)].point if named in modes else any(mode.point for mode in modes.values())


def with_weapon_for_it(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """The weapon at hand, where the response is made with one: a ranged one to cover, one with a point to thrust."""
    if sub.weapon is not None or sub.options.get("response") not in WITH_A_WEAPON or means_bare_hands(table, sub):
        return sub, action
    kind = kind_of(sub)
    for key, _, weapon in held(table, sub.actor):
        usable = is_ready(table, sub.actor, key) and rounds(table, sub.actor, key) != 0
        if kind not in (COVER, STOP_THRUST) and not usable:
            continue
        ranged = weapon.is_ranged or (kind == COVER and weapon.throw is not None)
        if (kind == COVER and not ranged) or (kind == STOP_THRUST and not _has_point(table, replace(sub, weapon=key))):
            continue
        return replace(sub, weapon=key), action
    return sub, action


def single_motion(scene: Scene, sub: Submission, action: Action) -> Submission | None:
    """A reflex must be one motion, and the GM has the last word; if it is not, no slot is used up. Clause: GU-1530."""
    if kind_of(sub) != REFLEX:
        return sub
    answer = scene.ask(
        Question(
            key="",
            name="single_motion",
            kind="single_motion",
            to=GM,
            options=(Option(YES), Option(NO, declines=True)),
            default=YES,
            best=YES,
            about=sub.actor,
            clause=ClauseId("GU-1530"),
        )
    )
    if answer.option == YES:
        return sub
    scene.emit(ActionStopped(sub.actor, action.id, "not_a_single_motion", ClauseId("GU-1530")))
    return None


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The Wait is open until it is used, held to the next slot, or ended early. Clauses: GU-1400, GU-1450, GU-1880."""
    options = sub.options
    declared: dict[str, Scalar | tuple[str, ...]] = {
        "kind": kind_of(sub),
        "trigger": trigger_of(sub),
        "response": str(options.get("response") or READY),
    }
    if options.get("response_option") is not None:
        declared["response_option"] = str(options["response_option"])
    for name in KEPT:
        if options.get(name) is not None:
            declared[name] = options[name]
    declared |= _form_of_cover(scene, sub)
    if kind_of(sub) == COVER and not sub.targets:
        declared["yards"] = covered_yards(sub)
    scene.begin(
        sub.actor, WAITING, against=sub.target, item=sub.weapon, area=sub.area, declared=declared, word=trigger_of(sub)
    )


# An event in words


def check_event(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """He waits for something in words. Clause: GU-1410."""
    record = table.effect(sub.actor, WAITING)
    if record is None or record.declared.get("trigger") != "custom":
        yield table.rules.reason("no_open_wait", "GU-1410")


def event_happened(scene: Scene, sub: Submission, action: Action) -> Submission | None:
    """The GM says whether it has. Clause: GU-1410."""
    answer = scene.ask(
        Question(
            key="",
            name="wait_event",
            kind="wait_event",
            to=GM,
            options=(Option(YES), Option(NO, declines=True)),
            default=YES,
            best=YES,
            about=sub.actor,
            clause=ClauseId("GU-1410"),
        )
    )
    if answer.option == NO:
        scene.emit(Noted(sub.actor, "wait_not_triggered", clause=ClauseId("GU-1410")))
        return None
    return sub


def fire(scene: Scene, sub: Submission, action: Action) -> None:
    """It has happened: he acts, or holds. Clauses: GU-1410, GU-1420."""
    record = scene.effect(sub.actor, WAITING)
    if record is None:
        return
    wait = Wait(sub.actor, record)
    foe = sub.targets[0] if sub.targets else CombatantId(wait.word("aim_at") or sub.actor)
    with scene.within("event"):
        answer = offer(scene, wait, foe)
        if answer is not None and answer.option == ACT:
            convert(scene, wait, foe, answer)


WAIT = Resolver(MovementParams, check, resolve, before=single_motion, becomes=with_weapon_for_it)
WAIT_EVENT = Resolver(NoParams, check_event, fire, before=event_happened)
