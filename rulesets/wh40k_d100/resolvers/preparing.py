"""Aim, Ready, dropping things, Reload, Command, reactions by themselves, the end of a turn.

Clauses WH-020, WH-030, WH-085, WH-880, WH-950 to WH-990.
"""

from collections.abc import Iterator

import msgspec

from app.engine.actions import type_of
from app.engine.commands import Submission
from app.engine.events import ItemMoved
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.names import EffectName, StatName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Place
from app.engine.table import Table
from rulesets.wh40k_d100.checks import succeeds, take_test, target_number
from rulesets.wh40k_d100.evasion import parrying_weapon
from rulesets.wh40k_d100.figures import bonus, is_minor, tables_of, whole_option
from rulesets.wh40k_d100.people import REACTION
from rulesets.wh40k_d100.resolvers.movement import NoParams
from rulesets.wh40k_d100.tags import given_terms
from rulesets.wh40k_d100.view import hidden_from
from rulesets.wh40k_d100.weapons import (
    AMMO,
    BOTH,
    MAIN,
    OFF,
    PAIR,
    STOWED,
    ammo,
    arms_holding,
    is_hand_free,
    pair_of,
    profile,
    readied,
)

COMMANDER = "commander"


class AimParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What aiming is worth. Clause: WH-990."""

    value: int


class CommandParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a command is tested on and what it gives. Clause: WH-880."""

    check: StatName
    bonus: StatName
    begins: EffectName


class ReactionParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether it takes a weapon in hand. Clause: WH-960."""

    parries: bool = False


def no_more_reasons(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Nothing beyond what every action needs."""
    return iter(())


def aim(scene: Scene, sub: Submission, action: Action) -> None:
    """A bonus for the next attack; a new aim replaces the old one. Clause: WH-990."""
    params: AimParams = action.params
    scene.begin(sub.actor, "aiming", value=params.value)


def end_turn(scene: Scene, sub: Submission, action: Action) -> None:
    """The turn passes on by itself. Clause: WH-020."""


# Ready


def check_ready(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something of his, within reach if it lies on the ground, and hands that are free for it. Clause: WH-085."""
    reason = table.rules.reason
    if sub.weapon is None:
        yield reason("missing_input", "WH-085", at="/weapon", names=("weapon",))
        return
    item = table.item(sub.actor, sub.weapon)
    if item.on_ground and not _is_at_hand(table, sub.actor, item.lies):
        yield reason("item_not_carried", "WH-085", at="/weapon", names=(sub.weapon,))
    if sub.options.get("hand") == STOWED:
        if item.held is None:
            yield reason("weapon_not_ready", "WH-085", at="/weapon")
        return
    hand, pair = _where(table, sub)
    wanted = (MAIN, OFF) if hand == BOTH else (hand,)
    if not all(is_hand_free(table, sub.actor, one, pair, sub.weapon) for one in wanted):
        yield reason("no_free_hand", "WH-085", at="/options/hand", need=len(wanted))


def _is_at_hand(table: Table, who: CombatantId, lies: Place | None) -> bool:
    place = table.who(who).place
    if place is None or lies is None:
        return True
    within = tables_of(table).engagement[0].metres
    return (place.x - lies.x) ** 2 + (place.y - lies.y) ** 2 <= within**2


def _where(table: Table, sub: Submission) -> tuple[str, int]:
    """The hand and the pair of arms: as named, else those that are free."""
    assert sub.weapon is not None
    item = table.item(sub.actor, sub.weapon)
    weapon = profile(table.rules, item)
    both = weapon is not None and weapon.hands > 1
    named, pair = sub.options.get("hand"), sub.options.get("pair")
    pairs = (pair,) if isinstance(pair, int) else (1, 2, 3, 4, 5, 6)
    hand = str(named) if named is not None else (BOTH if both else "")
    for one in pairs:
        free = [each for each in (MAIN, OFF) if is_hand_free(table, sub.actor, each, one, sub.weapon)]
        if hand == BOTH and len(free) > 1:
            return BOTH, one
        if hand in free:
            return hand, one
        if not hand and free:
            return free[0], one
    return hand or MAIN, pairs[0]


def ready(scene: Scene, sub: Submission, action: Action) -> None:
    """Draw it, put it away or pick it up. Clauses: WH-085, WH-640."""
    assert sub.weapon is not None
    if sub.options.get("hand") == STOWED:
        scene.emit(ItemMoved(sub.actor, sub.weapon, None, False, ClauseId("WH-085")))
        return
    hand, pair = _where(scene, sub)
    if pair != pair_of(scene.item(sub.actor, sub.weapon)):
        scene.mark_item(sub.actor, sub.weapon, PAIR, pair, "WH-640")
    scene.emit(ItemMoved(sub.actor, sub.weapon, hand, False, ClauseId("WH-085")))


def check_drop(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something that he holds. Clause: WH-085."""
    if sub.weapon is None:
        yield table.rules.reason("missing_input", "WH-085", at="/weapon", names=("weapon",))
    elif not arms_holding(table.who(sub.actor), table.item(sub.actor, sub.weapon)):
        yield table.rules.reason("weapon_not_ready", "WH-085", at="/weapon")


def drop_item(scene: Scene, sub: Submission, action: Action) -> None:
    """It falls to the ground. Clause: WH-085."""
    assert sub.weapon is not None
    place = scene.who(sub.actor).place
    scene.emit(ItemMoved(sub.actor, sub.weapon, None, True, ClauseId("WH-085"), place))


# Reload


def _to_reload(table: Table, sub: Submission) -> ItemId | None:
    """The weapon named, else the first in hand that takes a clip."""
    if sub.weapon is not None:
        return sub.weapon
    fit = [key for key, weapon in readied(table, sub.actor) if weapon.clip and weapon.reload is not None]
    fit.sort(key=lambda key: _is_full(table, sub.actor, key))
    return next(iter(fit), None)


def _is_full(table: Table, who: CombatantId, item: ItemId) -> bool:
    weapon = profile(table.rules, table.item(who, item))
    return weapon is None or ammo(table, who, item) >= (weapon.clip or 0)


def check_reload(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A weapon that takes a clip and is not full, in the time it takes. Clause: WH-085."""
    reason, key = table.rules.reason, _to_reload(table, sub)
    weapon = None if key is None else profile(table.rules, table.item(sub.actor, key))
    if key is None or weapon is None or weapon.reload is None or not weapon.clip:
        yield reason("not_reloadable", "WH-085", at="/weapon")
        return
    if _is_full(table, sub.actor, key):
        yield reason("magazine_full", "WH-085", at="/weapon", need=weapon.clip, got=ammo(table, sub.actor, key))
    if type_of(sub, action) != weapon.reload:
        yield reason("wrong_action_type", "WH-085", at="/type", names=(weapon.reload,))


def reload_type(table: Table, sub: Submission, action: Action) -> str:
    """The action that the weapon takes. Clause: WH-085."""
    key = _to_reload(table, sub)
    weapon = None if key is None else profile(table.rules, table.item(sub.actor, key))
    return action.default_type if weapon is None or weapon.reload is None else weapon.reload


def reload(scene: Scene, sub: Submission, action: Action) -> None:
    """The clip is full. Clause: WH-085."""
    key = _to_reload(scene, sub)
    assert key is not None
    weapon = profile(scene.rules, scene.item(sub.actor, key))
    assert weapon is not None
    scene.mark_item(sub.actor, key, AMMO, weapon.clip or 0, "WH-085")


# Command


def check_command(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A commander, and as many of his own that do not matter by themselves as he can lead and reach. Clause: WH-880."""
    reason, who = table.rules.reason, sub.actor
    if COMMANDER not in table.who(who).sheet.traits:
        yield reason("not_a_commander", "WH-880", names=(COMMANDER,))
    most = bonus(table.who(who), action.params.check)
    if len(sub.targets) > most:
        yield reason("too_many_targets", "WH-880", at="/targets", need=most, got=len(sub.targets))
    hidden = set(hidden_from(table, who))
    for place, one in enumerate(sub.targets):
        at = f"/targets/{place}"
        if one in hidden:
            yield reason("no_such_target", "WH-200", at=at, names=(one,))
            continue
        if table.who(one).status == "dead":
            yield reason("target_is_dead", "WH-200", at=at, names=(one,))
        if one == who or not is_minor(table.who(one)) or table.who(one).side != table.who(who).side:
            yield reason("not_minor_npc", "WH-880", at=at, names=(one,))
        limit = whole_option(table, "command_range_m")
        if table.has_map and one != who and table.space.adjacent(who, one, limit) is not True:
            yield reason("out_of_range", "WH-880", at=at, need_length=limit, names=(one,))


def command(scene: Scene, sub: Submission, action: Action) -> None:
    """On a success they may strike to kill until his next turn. Clause: WH-880."""
    params: CommandParams = action.params
    number = target_number(scene, sub.actor, params.check, given_terms(sub.modifiers), params.bonus)
    check = take_test(scene, sub.actor, params.check, "command", number, clause="WH-880", sees=succeeds)
    if not check.success:
        return
    for one in sub.targets:
        scene.begin(one, params.begins, source=sub.actor)


# Reactions by themselves


def check_reaction(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Out of turn it is offered where an attack has hit; here there is nothing to evade.

    Clauses: WH-030, WH-950, WH-960.
    """
    reason, who = table.rules.reason, sub.actor
    if table.who(who).budget.get(REACTION, 0) < 1:
        yield reason("no_reaction_left", "WH-030")
    if table.has(who, "stunned", "unconscious"):
        yield reason("stunned", "WH-030")
    yield reason("nothing_to_evade", "WH-950")
    if action.params.parries and parrying_weapon(table, who) is None:
        yield reason("parry_not_possible", "WH-960")


AIM = Resolver(AimParams, no_more_reasons, aim)
COMMAND = Resolver(CommandParams, check_command, command)
END_TURN = Resolver(NoParams, no_more_reasons, end_turn)
DROP_ITEM = Resolver(NoParams, check_drop, drop_item)
REACTION_ALONE = Resolver(ReactionParams, check_reaction, end_turn)
READY = Resolver(NoParams, check_ready, ready)
RELOAD = Resolver(NoParams, check_reload, reload, type_for=reload_type)
