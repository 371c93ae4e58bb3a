"""Overwatch: a kill zone, a trigger, and an attack each time the trigger is met.

Clauses DH-3880 to DH-3940, DH-5700 to DH-5720.
"""

from collections.abc import Iterator
from functools import partial

import msgspec

from app.engine.asks import GM, Answer, Option, Question
from app.engine.commands import Submission
from app.engine.events import FactStated
from app.engine.forms import Field
from app.engine.ids import ClauseId, CombatantId, ItemId, Length
from app.engine.moments import HALTED, ActionDone, Declaring, Passing
from app.engine.names import ActionName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import PairFact, Unknown
from app.engine.state import Tick
from app.engine.table import Table
from app.engine.triggers import Cue
from rulesets.dark_heresy_2e.attack import hit_chance, why_not_fire
from rulesets.dark_heresy_2e.checks import Side, contest
from rulesets.dark_heresy_2e.conditions import BEARER
from rulesets.dark_heresy_2e.melee import part_from_the_far
from rulesets.dark_heresy_2e.moving import halts, tell_stopped
from rulesets.dark_heresy_2e.pinning import pinning_test
from rulesets.dark_heresy_2e.striking import make_attack
from rulesets.dark_heresy_2e.turns import END_TURN
from rulesets.dark_heresy_2e.watching import (
    AFTERWARDS,
    ATTACKS,
    NOT_MET,
    TEXT,
    WATCHING,
    Watch,
    agility,
    as_if_at,
    attack_of,
    cannot_fire,
    end_if_spent,
    first_inside,
    is_inside,
    kept_attack,
    watches,
    where_met,
)
from rulesets.dark_heresy_2e.weapons import range_of, weapon_of
from rulesets.dark_heresy_2e.zones import facing_of, gun_of, turn_to, why_not_zone, zone_of

POSTURES = ("prone", "immobilised", "grappled")
"""Halts that do not keep somebody from an attack if he was like that before."""
FIRE, HOLD = "fire", "hold"
YES, NO = "yes", "no"
TO_ASK, DECIDED = 0, 1


class OverwatchParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Full width of the arc that the kill zone lies in, and the attacks one may keep ready. Clause: DH-3880."""

    arc: int
    attacks: tuple[ActionName, ...]


# Declaring


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why he cannot watch that zone in that way."""
    params: OverwatchParams = action.params
    yield from _why_not_attack(table, sub, params)
    yield from _why_not_trigger(table, sub)
    yield from why_not_zone(table, sub, gun_of(table, sub), params.arc, _longest(table, sub), "DH-3880")


def _why_not_attack(table: Table, sub: Submission, params: OverwatchParams) -> Iterator[Reason]:
    """An attack of one of the three kinds, with a weapon that can make it. Clause: DH-3880."""
    reason = table.rules.reason
    item = gun_of(table, sub)
    if item is not None and weapon_of(table, sub.actor, item).is_melee:
        yield reason("attack_not_allowed_in_overwatch", "DH-3880", at="/weapon", names=(item,))
        return
    chosen = sub.options.get("attack")
    if chosen is None:
        yield reason("missing_input", "DH-3880", at="/options/attack", names=params.attacks)
        ways = [tuple(_why_not_fire(table, sub.actor, item, attack)) for attack in params.attacks]
        if all(ways):
            yield from ways[0]
    elif chosen not in params.attacks:
        yield reason("attack_not_allowed_in_overwatch", "DH-3880", at="/options/attack", names=params.attacks)
    else:
        yield from _why_not_fire(table, sub.actor, item, str(chosen))


def _why_not_fire(table: Table, who: CombatantId, item: ItemId | None, attack: str) -> Iterator[Reason]:
    """What keeps the weapon from that attack, as Overwatch words it. Being locked in melee does not: DH-3920."""
    made = kept_attack(table, who, who, item, attack)
    for one in why_not_fire(table, made):
        own = one.clause == made.params.cites.needs
        yield msgspec.structs.replace(one, clause=ClauseId("DH-3880")) if own else one


def _why_not_trigger(table: Table, sub: Submission) -> Iterator[Reason]:
    """A trigger is one of the known conditions, or words for the GM to judge. Clause: DH-3880."""
    reason, trigger = table.rules.reason, sub.options.get("trigger")
    if trigger is None:
        yield reason("missing_input", "DH-3880", at="/options/trigger")
    elif trigger == TEXT and not sub.options.get("text"):
        yield reason("missing_input", "DH-3880", at="/options/text")


def _longest(table: Table, sub: Submission) -> Length | None:
    """The weapon's range, unless the table lets zones reach as far as shots do. Clause: DH-3880."""
    item = gun_of(table, sub)
    if item is None or table.option("kill_zone_range") == "unlimited":
        return None
    return range_of(table, sub.actor, weapon_of(table, sub.actor, item))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """He turns to his zone and watches it until the start of his next turn. Clauses: DH-3880, DH-3935, DH-5710."""
    who, params, facing = sub.actor, action.params, facing_of(scene, sub)
    turn_to(scene, who, facing)
    _keep_aim(scene, who)
    text = sub.options.get("text")
    scene.begin(
        who,
        WATCHING,
        item=gun_of(scene, sub),
        word=str(sub.options["attack"]),
        words=(str(sub.options["trigger"]), *((str(text),) if text else ())),
        area=zone_of(scene, sub, params.arc, _longest(scene, sub) or 0, facing or 0),
    )


def _keep_aim(scene: Scene, who: CombatantId) -> None:
    """An aim he has is kept for the first shot, and lost with the Overwatch. Clause: DH-3935."""
    aim = scene.effect(who, "aiming")
    if aim is not None:
        until = (*scene.rules.effects["aiming"].until, (Tick("turn_start", BEARER),))
        scene.begin(who, "aiming", clause="DH-3935", value=aim.value, word=aim.word, until=until)


# Triggers


def overwatch_declaring(scene: Scene, moment: Declaring) -> Iterator[Cue]:
    """Somebody in the zone attacks, or does what the words of a trigger may speak of. Clause: DH-3890."""
    for watch in watches(scene, moment.actor, moment.actor):
        by_words = watch.trigger == TEXT and "movement" not in moment.tags and moment.action != END_TURN
        if not (by_words or (watch.trigger == ATTACKS and "attack" in moment.tags)):
            continue
        inside = is_inside(scene, watch)
        if isinstance(inside, Unknown) or inside:
            yield Cue(
                0,
                (0, watch.place),
                watch.key,
                partial(_offer_to_declared, scene, watch),
                partial(_fire_at_declared, scene, watch, moment),
            )


def overwatch_passing(scene: Scene, moment: Passing) -> Iterator[Cue]:
    """Somebody on his way comes into a zone, moves in one, leaves cover in one. Clauses: DH-3890, DH-5720."""
    if not moment.run.walked:
        return
    slot = scene.slot()
    actor = slot.owner if moment.forced and slot is not None else moment.mover
    for watch in watches(scene, moment.mover, actor):
        if watch.trigger == ATTACKS or watch.name in scene.met:
            continue
        at = where_met(scene, watch, moment)
        if isinstance(at, Unknown):
            ask = partial(_ask_where, scene, watch, moment)
            yield Cue(moment.since, (0, watch.place), f"ruling/{watch.watcher}", ask, _nothing)
        elif at is not None:
            there = as_if_at(scene, watch.target, scene.space.place(moment.run, at))
            yield Cue(
                at, (0, watch.place), watch.key, partial(_offer, scene, watch, there), partial(_in_turn, scene, watch)
            )


def overwatch_after(scene: Scene, moment: ActionDone) -> Iterator[Cue]:
    """The actor was first, his action is done: now the attack, where he is then. Clause: DH-3900."""
    if not any(name.endswith(AFTERWARDS) for name in scene.met):
        return
    for target in tuple(scene.state.combatants):
        for watch in watches(scene, target, moment.actor):
            if watch.afterwards in scene.met:
                yield Cue(
                    0,
                    (0, watch.place),
                    f"{watch.key}/{target}",
                    partial(_offer_afterwards, scene, watch),
                    partial(_fire, scene, watch),
                )


# Asking


def _ask_where(scene: Scene, watch: Watch, moment: Passing) -> None:
    """The GM judges whether the way meets the trigger, and where.

    Where he does not say it is as soon as he is in the zone, or without a map at the end of the way. Clause: DH-5700.
    """
    where = Field("at", "length", minimum=moment.since, maximum=moment.run.walked)
    answer = _ruling(scene, watch, "overwatch_trigger", (where,))
    usual = first_inside(scene, watch, moment)
    at = answer.whole("at", moment.run.walked if usual is None else usual)
    scene.met[watch.ruled] = NOT_MET if answer.option == NO else at


def _ruling(scene: Scene, watch: Watch, name: str, form: tuple[Field, ...] = ()) -> Answer:
    return scene.ask(
        Question(
            key="",
            name=name,
            kind="ruling",
            to=GM,
            options=(Option(YES, form=form), Option(NO, declines=True)),
            default=NO,
            about=watch.target,
            clause=ClauseId("DH-3880"),
        )
    )


def _nothing(answer: Answer) -> None:
    """What was ruled is looked at again."""


def _offer(scene: Scene, watch: Watch, there: Table) -> Answer | None:
    """The trigger is met: once for an action and a combatant. Who is quicker acts first. Clauses: DH-3890, DH-3900."""
    scene.met[watch.name] = 1
    if watch.trigger == TEXT and not _is_met_in_words(scene, watch, there):
        return None
    if agility(scene, watch.actor) > agility(scene, watch.watcher):
        scene.met[watch.afterwards] = TO_ASK
        return None
    return _ask_to_fire(scene, watch, there)


def _is_met_in_words(scene: Scene, watch: Watch, there: Table) -> bool:
    """The GM judges the words; where he said at which point of a way, the target must be in the zone there."""
    if watch.ruled in scene.met:
        inside = is_inside(there, watch)
        return isinstance(inside, Unknown) or inside or not scene.has_map
    return _ruling(scene, watch, "overwatch_trigger").option == YES


def _ask_to_fire(scene: Scene, watch: Watch, there: Table) -> Answer | None:
    """Fire or hold, if he can fire at all. Clause: DH-3890."""
    if cannot_fire(there, watch):
        return None
    answer = scene.ask(
        Question(
            key="",
            name="overwatch_fire",
            kind="overwatch_fire",
            to=watch.watcher,
            options=(Option(FIRE, hit_chance(there, attack_of(there, watch))), Option(HOLD, declines=True)),
            default=HOLD,
            best=FIRE,
            about=watch.target,
            clause=ClauseId("DH-3890"),
        )
    )
    return None if answer.option == HOLD else answer


def _offer_to_declared(scene: Scene, watch: Watch) -> Answer | None:
    """As any trigger; where nobody knows whether he is in the zone the GM tells."""
    untold = watch.trigger == ATTACKS and isinstance(is_inside(scene, watch), Unknown)
    if untold and _ruling(scene, watch, "overwatch_trigger").option == NO:
        return None
    return _offer(scene, watch, scene)


def _offer_afterwards(scene: Scene, watch: Watch) -> Answer | None:
    """Out of the zone or out of sight by now: no attack. Who lost the opposed test has decided. Clause: DH-3900."""
    inside = is_inside(scene, watch)
    if isinstance(inside, Unknown):
        inside = _ruling(scene, watch, "overwatch_in_zone").option == YES
    if not inside:
        return None
    if scene.met[watch.afterwards] == DECIDED:
        return None if cannot_fire(scene, watch) else Answer(FIRE)
    return _ask_to_fire(scene, watch, scene)


# Firing


def _in_turn(scene: Scene, watch: Watch, answer: Answer) -> None:
    """With equal Agility an opposed test settles who is first, rolled until somebody is. Clause: DH-3900."""
    if agility(scene, watch.actor) == agility(scene, watch.watcher):
        first = contest(
            scene,
            Side(watch.watcher, "ag"),
            Side(watch.actor, "ag"),
            "overwatch_order",
            clause="DH-3900",
            until_settled=True,
        ).winner
        if first != watch.watcher:
            scene.met[watch.afterwards] = DECIDED
            return
    _fire(scene, watch, answer)


def _fire_at_declared(scene: Scene, watch: Watch, moment: Declaring, answer: Answer) -> None:
    """The attack comes before the action, which ends there if it leaves the actor unable to go on. Clause: DH-3900."""
    posture = {halt for halt in halts(scene, moment.actor) if halt in POSTURES}
    _in_turn(scene, watch, answer)
    if HALTED not in scene.met and set(halts(scene, moment.actor)) - posture:
        scene.met[HALTED] = 1
        tell_stopped(scene, moment.actor, moment.action, "DH-3900")


def _fire(scene: Scene, watch: Watch, answer: Answer) -> None:
    """The attack; then, hit or miss, whoever met the trigger holds his nerve or is pinned.

    Clauses: DH-3890, DH-3910, DH-3920.
    """
    part_from_the_far(scene, watch.target)
    _state_distance(scene, watch)
    if cannot_fire(scene, watch):
        return
    make_attack(scene, attack_of(scene, watch))
    end_if_spent(scene, watch.watcher)
    pinning_test(scene, watch.target, clause="DH-3910")


def _state_distance(scene: Scene, watch: Watch) -> None:
    """Without a map nobody may know how far off he is by now: the GM tells, or it is normal range. Clause: DH-5700."""
    if scene.has_map or not isinstance(scene.space.distance(watch.watcher, watch.target), Unknown):
        return
    answer = scene.ask(
        Question(
            key="",
            name="overwatch_distance",
            kind="ruling",
            to=GM,
            options=(
                Option("state", form=(Field("distance", "length", required=True, minimum=0),)),
                Option("normal_range", declines=True),
            ),
            default="normal_range",
            about=watch.target,
            clause=ClauseId("DH-5700"),
        )
    )
    if answer.option == "state":
        fact = PairFact(distance=answer.whole("distance"))
        scene.emit(FactStated(watch.watcher, watch.target, fact, ClauseId("DH-5700")))


OVERWATCH = Resolver(OverwatchParams, check, resolve)
