"""Aim, Ready, Reload and what runs over several turns, clearing a jam.

Clauses DH-1150 to DH-1170, DH-4150, DH-4300 to DH-4370, DH-5400.
"""

from collections.abc import Iterator

import msgspec

from app.engine.actions import type_of
from app.engine.commands import Submission
from app.engine.events import Figure, ItemMoved, Noted
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.dark_heresy_2e import fate, skill_use
from rulesets.dark_heresy_2e.braces import let_go_of, unbrace
from rulesets.dark_heresy_2e.checks import take_test
from rulesets.dark_heresy_2e.grappling import hands_holding
from rulesets.dark_heresy_2e.leaving_weapons import check_take_over, take_over, takes_over
from rulesets.dark_heresy_2e.tags import given_terms, why_not_given
from rulesets.dark_heresy_2e.weapons import (
    Weapon,
    ammo,
    free_hands,
    hands_taken,
    is_hand_full,
    is_jammed,
    profile,
    readied,
)

STOWED, BOTH, MAIN, OFF = "stowed", "both", "main", "off"


class AimParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What aiming is worth, by the action it takes. Clause: DH-4340."""

    half: int
    full: int


class NoParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No figures of its own."""


def no_more_reasons(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Nothing beyond what every action needs."""
    return iter(())


def aim(scene: Scene, sub: Submission, action: Action) -> None:
    """A bonus for the next attack; a new aim replaces the old one. Clauses: DH-4340, DH-4350."""
    params: AimParams = action.params
    form = type_of(sub, action)
    value = params.half if form == "half" else params.full
    scene.begin(sub.actor, "aiming", value=value, word=f"aim_{form}")


# Ready


def check_ready(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """An item that he has, and hands for it; or a braced weapon that another has left. Clauses: DH-4300, DH-4540."""
    if takes_over(sub):
        yield from check_take_over(table, sub)
        return
    if sub.weapon is None:
        yield table.rules.reason("missing_input", "DH-4300", at="/weapon")
        return
    item = table.item(sub.actor, sub.weapon)
    if item.on_ground:
        yield table.rules.reason("item_not_carried", "DH-4300", at="/weapon", names=(sub.weapon,))
    if sub.options.get("hand") == STOWED:
        return
    need = _hands_for(table, sub)
    held = hands_taken(table.rules, item) if item.held else 0
    free = free_hands(table, sub.actor) + held - hands_holding(table, sub.actor)
    if need > free:
        yield table.rules.reason("no_free_hand", "DH-4300", at="/weapon", need=need, got=free)
    elif is_hand_full(table, sub.actor, sub.weapon, sub.options.get("hand")):
        yield table.rules.reason("no_free_hand", "DH-4300", at="/options/hand", need=1, got=0)


def _hands_for(table: Table, sub: Submission) -> int:
    weapon = profile(table.rules, table.item(sub.actor, sub.weapon or ItemId("")))
    if sub.options.get("hand") == BOTH:
        return 2
    return 1 if weapon is None else weapon.hands


def ready(scene: Scene, sub: Submission, action: Action) -> None:
    """Draw an item into a hand, or stow it: a braced one is moved by that. Clauses: DH-4300, DH-4310, DH-4520."""
    if takes_over(sub):
        take_over(scene, sub)
        return
    assert sub.weapon is not None
    chosen = sub.options.get("hand")
    hand = None if chosen == STOWED else chosen or _hand(scene, sub)
    unbrace(scene, sub.actor, sub.weapon)
    scene.emit(ItemMoved(sub.actor, sub.weapon, hand, False, ClauseId("DH-4300")))


def _hand(table: Table, sub: Submission) -> str:
    if _hands_for(table, sub) > 1:
        return BOTH
    taken = {item.held for key, item in table.who(sub.actor).items.items() if key != sub.weapon}
    return OFF if MAIN in taken else MAIN


def check_drop(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something that he holds. Clause: DH-1040."""
    if sub.weapon is None:
        yield table.rules.reason("missing_input", "DH-1040", at="/weapon")
    elif not table.item(sub.actor, sub.weapon).held:
        yield table.rules.reason("item_not_carried", "DH-4300", at="/weapon", names=(sub.weapon,))


def drop(scene: Scene, sub: Submission, action: Action) -> None:
    """It falls to the ground; a weapon that stands braced is left standing. Clauses: DH-1040, DH-4540."""
    assert sub.weapon is not None
    let_go_of(scene, sub.actor, sub.weapon)
    scene.emit(ItemMoved(sub.actor, sub.weapon, None, True, ClauseId("DH-1040")))


# Reload


def _to_reload(table: Table, sub: Submission) -> ItemId | None:
    """The weapon named, else the first in hand that takes ammunition."""
    if sub.weapon is not None:
        return sub.weapon
    return next((key for key, weapon in readied(table, sub.actor) if weapon.clip), None)


def check_reload(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A weapon that can be reloaded and is not full, in the time it takes. Clause: DH-4150."""
    reason = table.rules.reason
    key = _to_reload(table, sub)
    weapon = None if key is None else profile(table.rules, table.item(sub.actor, key))
    if key is None or weapon is None or weapon.reloading is None or not weapon.clip:
        yield reason("not_reloadable", "DH-4150", at="/weapon")
        return
    if ammo(table, sub.actor, key) >= weapon.clip:
        yield reason("magazine_full", "DH-4150", at="/weapon", need=weapon.clip, got=ammo(table, sub.actor, key))
    needed = "half" if weapon.reloading.kind == "half" else "full"
    if type_of(sub, action) != needed:
        yield reason("wrong_action_type", "DH-4150", at="/type", names=(needed,))


def reload_type(table: Table, sub: Submission, action: Action) -> str:
    """The action that the weapon takes. Clause: DH-4150."""
    key = _to_reload(table, sub)
    weapon = None if key is None else profile(table.rules, table.item(sub.actor, key))
    takes = None if weapon is None else weapon.reloading
    return "half" if takes is not None and takes.kind == "half" else "full"


def reload(scene: Scene, sub: Submission, action: Action) -> None:
    """Fill the magazine, or begin to: more than one full action is an extended one. Clauses: DH-1150, DH-4150."""
    key = _to_reload(scene, sub)
    assert key is not None
    weapon = profile(scene.rules, scene.item(sub.actor, key))
    assert weapon is not None
    assert weapon.reloading is not None
    steps = weapon.reloading.steps
    if steps == 1:
        _fill(scene, sub.actor, key, weapon)
        return
    scene.begin(sub.actor, "extended_action", value=1, item=key, word=action.id, words=(str(steps),))
    tell_progress(scene, sub.actor, 1, steps)


def _fill(scene: Scene, who: CombatantId, key: ItemId, weapon: Weapon) -> None:
    scene.mark_item(who, key, "ammo", weapon.clip or 0, "DH-4150")


def tell_progress(scene: Scene, who: CombatantId, progress: int, needed: int) -> None:
    """How much of an extended action is done. Clause: DH-1150."""
    figures = (Figure("progress", progress), Figure("needed", needed))
    scene.emit(Noted(who, "extended_progress", figures=figures, clause=ClauseId("DH-1150")))


def check_continue(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """An extended action that runs; one that a ruling put on him has no steps. Clauses: DH-1150, DH-1170."""
    running = table.effect(sub.actor, "extended_action")
    if running is None or not running.words:
        yield table.rules.reason("no_extended_action", "DH-1150")
        if any(done.form != "free" for done in table.who(sub.actor).done):
            yield table.rules.reason("not_extended", "DH-1170")
        return
    if running.item is not None and _is_out_of_hand(table, sub.actor, running.item):
        yield table.rules.reason("item_not_carried", "DH-4300", names=(running.item,))
    if sub.options.get(fate.FIELD) is True and not _is_tested(table, running):
        yield table.rules.reason("unknown_option", fate.CLAUSE, at=f"/options/{fate.FIELD}")


def _is_out_of_hand(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether what the work is done on has fallen or is gone. Clauses: DH-4150, DH-4300."""
    held = table.who(who).items.get(item)
    return held is None or held.on_ground


def _is_tested(table: Table, running: Effect) -> bool:
    """Whether the next step of it has a test: only the use of a skill may have one. Clause: DH-3710."""
    complete = running.value + 1 >= int(running.words[0])
    return running.word == skill_use.NAME and skill_use.is_tested_now(table, complete)


def continue_extended(scene: Scene, sub: Submission, action: Action) -> None:
    """One step further; complete when all its steps are done. Clause: DH-1150."""
    running = scene.effect(sub.actor, "extended_action")
    assert running is not None
    needed, progress = int(running.words[0]), running.value + 1
    tested = _is_tested(scene, running)
    scene.end_one(sub.actor, running, "complete" if progress >= needed else "continued", "DH-1150")
    tell_progress(scene, sub.actor, progress, needed)
    if progress < needed:
        scene.begin(
            sub.actor,
            "extended_action",
            value=progress,
            against=running.against,
            item=running.item,
            word=running.word,
            words=running.words,
        )
    if tested:
        skill_use.put_to_use(scene, sub.actor, skill_use.use_kept(running), complete=progress >= needed)
    if progress < needed:
        return
    held = None if running.item is None else scene.who(sub.actor).items.get(running.item)
    weapon = None if held is None else profile(scene.rules, held)
    if running.item is not None and weapon is not None:
        _fill(scene, sub.actor, running.item, weapon)


def check_cancel(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """An extended action that runs. Clause: DH-1160."""
    if table.effect(sub.actor, "extended_action") is None:
        yield table.rules.reason("no_extended_action", "DH-1150")


def cancel_extended(scene: Scene, sub: Submission, action: Action) -> None:
    """All progress is lost. Clause: DH-1160."""
    scene.end(sub.actor, "extended_action", why="cancelled", clause="DH-1160")


# Jams


def _jammed(table: Table, sub: Submission) -> ItemId | None:
    if sub.weapon is not None:
        return sub.weapon
    return next((key for key, _ in readied(table, sub.actor) if is_jammed(table, sub.actor, key)), None)


def check_clear_jam(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A weapon that is jammed. Clause: DH-5400."""
    yield from why_not_given(table, sub.modifiers)
    key = _jammed(table, sub)
    if key is None or not is_jammed(table, sub.actor, key):
        yield table.rules.reason("not_jammed", "DH-5400", at="/weapon")


def clear_jam(scene: Scene, sub: Submission, action: Action) -> None:
    """A Ballistic Skill test: cleared, and the ammunition in it is lost; or still jammed. Clause: DH-5400."""
    key = _jammed(scene, sub)
    if key is None:
        return
    if take_test(scene, sub.actor, "bs", "clear_jam", given_terms(sub.modifiers), clause="DH-5400").success:
        scene.mark_item(sub.actor, key, "jammed", 0, "DH-5400")
        scene.mark_item(sub.actor, key, "ammo", 0, "DH-5400")


AIM = Resolver(AimParams, no_more_reasons, aim)
READY = Resolver(NoParams, check_ready, ready)
DROP_ITEM = Resolver(NoParams, check_drop, drop)
RELOAD = Resolver(NoParams, check_reload, reload, type_for=reload_type)
CONTINUE_EXTENDED = Resolver(NoParams, check_continue, continue_extended)
CANCEL_EXTENDED = Resolver(NoParams, check_cancel, cancel_extended)
CLEAR_JAM = Resolver(NoParams, check_clear_jam, clear_jam)
