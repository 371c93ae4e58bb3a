"""What goes into hands and out of them: drawing, picking up, dropping, magazines. Clauses SR-325, SR-345, SR-350,
SR-360, SR-370, SR-430, SR-465.
"""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.events import ItemMoved
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e.attack import attacks_of, row_of, why_no_push, why_not_aimed_at
from rulesets.shadowrun_5e.checks import action_terms, pool_terms, take_test
from rulesets.shadowrun_5e.figures import METRE, physical_limit, stat, tables_of
from rulesets.shadowrun_5e.free_actions import free_or_simple
from rulesets.shadowrun_5e.resolvers.plain import NoParams
from rulesets.shadowrun_5e.striking import defense_for, fire_rounds, strike
from rulesets.shadowrun_5e.weapons import (
    AMMO,
    AWAY,
    eject,
    free_hands,
    hand_for,
    has_magazine,
    insert,
    is_ready,
    let_fall,
    lies_at,
    mode_of,
    profile,
    rounds,
    spares,
    weapon_of,
)

SINGLE = "fire_single_shot"


def _named(table: Table, sub: Submission, clause: str) -> Iterator[Reason]:
    if sub.weapon is None:
        yield table.rules.reason("missing_input", clause, at="/weapon")


def _carries(table: Table, sub: Submission) -> bool:
    return sub.weapon is not None and sub.weapon in table.who(sub.actor).items


def why_not_drawn(table: Table, sub: Submission, clause: str) -> Iterator[Reason]:
    """Carried, not in hand yet, and the hands free for it. Clause: SR-325."""
    reason = table.rules.reason
    yield from _named(table, sub, clause)
    if not _carries(table, sub) or sub.weapon is None:
        return
    item = table.item(sub.actor, sub.weapon)
    if item.on_ground:
        yield reason("item_not_carried", clause, at="/weapon", names=(sub.weapon,))
    elif item.held is not None or is_ready(table, sub.actor, sub.weapon):
        yield reason("already_ready", clause, at="/weapon", names=(sub.weapon,))
    elif hand_for(table, sub.actor, profile(table.rules, item)) is None:
        yield reason("no_free_hand", clause, at="/weapon", names=(sub.weapon,))


def take_in_hand(scene: Scene, who: CombatantId, item: ItemId, clause: str) -> None:
    """It is in the hand or hands that it needs. Clause: SR-325."""
    hand = hand_for(scene, who, profile(scene.rules, scene.item(who, item)))
    if scene.item(who, item).marks.get(AWAY):
        scene.mark_item(who, item, AWAY, 0, clause)
    scene.emit(ItemMoved(who, item, hand, False, ClauseId(clause)))


def check_ready(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """As any drawing goes. Clause: SR-325."""
    yield from why_not_drawn(table, sub, "SR-325")


def ready(scene: Scene, sub: Submission, action: Action) -> None:
    """One weapon goes into the hand. Clause: SR-325."""
    assert sub.weapon is not None
    take_in_hand(scene, sub.actor, sub.weapon, "SR-325")


# Quick draw


def check_quick_draw(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Drawn as any weapon, of the size of a pistol, and then fired. Clauses: SR-300, SR-325, SR-360."""
    reason, who = table.rules.reason, sub.actor
    yield from why_not_drawn(table, sub, "SR-360")
    if _carries(table, sub) and sub.weapon is not None:
        weapon = weapon_of(table, who, sub.weapon)
        if not weapon.pistol:
            yield reason("weapon_not_ready", "SR-360", at="/weapon", names=(sub.weapon,))
            return
        if mode_of(table, who, sub.weapon) not in row_of(table, SINGLE).modes:
            yield reason("wrong_fire_mode", "SR-360", at="/weapon")
        if not has_magazine(table, who, sub.weapon):
            yield reason("no_magazine", "SR-360", at="/weapon", names=(sub.weapon,))
        elif not rounds(table, who, sub.weapon):
            yield reason("not_enough_ammo", "SR-360", at="/weapon", need=1, got=0)
    yield from why_not_aimed_at(table, sub, action, "SR-360")
    yield from why_no_push(table, sub)


def quick_draw(scene: Scene, sub: Submission, action: Action) -> None:
    """Skill and reaction: it is in hand either way, and fired at once if that was quick enough. Clause: SR-360."""
    who, item = sub.actor, sub.weapon
    assert item is not None
    skill = weapon_of(scene, who, item).skill
    terms = (*pool_terms(scene, who, "reaction", skill), *action_terms(scene, who))
    drawn = take_test(
        scene,
        who,
        skill,
        "quick_draw",
        terms,
        clause="SR-360",
        limit=physical_limit(scene.who(who)),
        threshold=tables_of(scene).core.quick_draw.threshold,
    )
    take_in_hand(scene, who, item, "SR-360")
    if not drawn.success:
        return
    row = row_of(scene, SINGLE)
    fired = fire_rounds(scene, who, item, row)
    strike(scene, attacks_of(scene, sub, action.id, defense_for(row, fired), "SR-360")[0])


# Picking up, putting down, dropping


def check_pick_up(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Within a metre, and a hand for it. Clause: SR-370."""
    reason = table.rules.reason
    yield from _named(table, sub, "SR-370")
    if not _carries(table, sub) or sub.weapon is None:
        return
    item = table.item(sub.actor, sub.weapon)
    if not item.on_ground:
        if item.held is None:
            yield reason("no_change", "SR-370", at="/weapon", names=(sub.weapon,))
        return
    need, got = tables_of(table).core.pick_up_reach * METRE, lies_at(table, sub.actor, sub.weapon)
    if got > need:
        yield reason("out_of_reach", "SR-370", at="/weapon", need_length=need, got_length=got)
    if hand_for(table, sub.actor, profile(table.rules, item)) is None:
        yield reason("no_free_hand", "SR-370", at="/weapon", names=(sub.weapon,))


def pick_up(scene: Scene, sub: Submission, action: Action) -> None:
    """From the ground into the hand, or out of the hand to where he says. Clauses: SR-325, SR-370."""
    assert sub.weapon is not None
    if scene.item(sub.actor, sub.weapon).on_ground:
        take_in_hand(scene, sub.actor, sub.weapon, "SR-370")
    elif sub.options.get("where") == "ground":
        let_fall(scene, sub.actor, sub.weapon, "SR-370")
    else:
        scene.emit(ItemMoved(sub.actor, sub.weapon, None, False, ClauseId("SR-370")))


def check_drop(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something in hand. Clause: SR-465."""
    yield from _named(table, sub, "SR-465")
    if _carries(table, sub) and sub.weapon is not None and table.item(sub.actor, sub.weapon).held is None:
        yield table.rules.reason("weapon_not_ready", "SR-465", at="/weapon", names=(sub.weapon,))


def drop(scene: Scene, sub: Submission, action: Action) -> None:
    """It lies where he stands. Clause: SR-465."""
    assert sub.weapon is not None
    let_fall(scene, sub.actor, sub.weapon, "SR-465")


# Magazines


def why_not_clip(table: Table, sub: Submission, clause: str) -> Iterator[Reason]:
    """A weapon in hand that takes magazines. Clauses: SR-345, SR-350."""
    yield from _named(table, sub, clause)
    if _carries(table, sub) and sub.weapon is not None and weapon_of(table, sub.actor, sub.weapon).feed != "clip":
        yield table.rules.reason("wrong_feed", clause, at="/weapon", names=(sub.weapon,))


def check_remove(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A magazine is in it. Clause: SR-345."""
    yield from why_not_clip(table, sub, "SR-345")
    if _carries(table, sub) and sub.weapon is not None and not has_magazine(table, sub.actor, sub.weapon):
        yield table.rules.reason("no_magazine", "SR-345", at="/weapon", names=(sub.weapon,))


def remove(scene: Scene, sub: Submission, action: Action) -> None:
    """It comes out. Clause: SR-345."""
    assert sub.weapon is not None
    eject(scene, sub.actor, sub.weapon, "SR-345")


def check_insert(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """None is in it, a spare one is there, and a hand to put it in. Clause: SR-350."""
    reason, who = table.rules.reason, sub.actor
    yield from why_not_clip(table, sub, "SR-350")
    if not _carries(table, sub) or sub.weapon is None or weapon_of(table, who, sub.weapon).feed != "clip":
        return
    if has_magazine(table, who, sub.weapon):
        yield reason("magazine_already_in", "SR-350", at="/weapon", names=(sub.weapon,))
    if not spares(table, who, sub.weapon):
        yield reason("no_spare_magazine", "SR-350", at="/weapon", names=(sub.weapon,))
    if not free_hands(table, who) and table.item(who, sub.weapon).held != "both":
        yield reason("no_free_hand", "SR-350", at="/weapon", names=(sub.weapon,))


def put_in(scene: Scene, sub: Submission, action: Action) -> None:
    """The fullest of the spare ones. Clause: SR-350."""
    assert sub.weapon is not None
    insert(scene, sub.actor, sub.weapon, "SR-350")


def check_reload(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A weapon without magazines that is not full. Clause: SR-430."""
    reason, who = table.rules.reason, sub.actor
    yield from _named(table, sub, "SR-430")
    if not _carries(table, sub) or sub.weapon is None:
        return
    weapon = weapon_of(table, who, sub.weapon)
    if not weapon.is_firearm or weapon.feed in ("clip", "none"):
        yield reason("wrong_feed", "SR-430", at="/weapon", names=(sub.weapon,))
    elif rounds(table, who, sub.weapon) >= weapon.capacity:
        yield reason("no_change", "SR-430", at="/weapon", names=(sub.weapon,))
    if weapon.is_firearm and not is_ready(table, who, sub.weapon):
        yield reason("weapon_not_ready", "SR-430", at="/weapon", names=(sub.weapon,))


def reload(scene: Scene, sub: Submission, action: Action) -> None:
    """As many rounds as the hands are quick; two into a break action; a belt whole. Clause: SR-430."""
    who, item = sub.actor, sub.weapon
    assert item is not None
    weapon, held = weapon_of(scene, who, item), rounds(scene, who, item)
    more = {"break_action": tables_of(scene).core.break_action, "belt": weapon.capacity}.get(
        weapon.feed, stat(scene.who(who), "agility")
    )
    scene.mark_item(who, item, AMMO, min(weapon.capacity, held + more), "SR-430")


READY = Resolver(NoParams, check_ready, ready)
QUICK_DRAW = Resolver(NoParams, check_quick_draw, quick_draw)
PICK_UP = Resolver(NoParams, check_pick_up, pick_up)
DROP = Resolver(NoParams, check_drop, drop, type_for=free_or_simple)
REMOVE = Resolver(NoParams, check_remove, remove)
INSERT = Resolver(NoParams, check_insert, put_in)
RELOAD = Resolver(NoParams, check_reload, reload)
