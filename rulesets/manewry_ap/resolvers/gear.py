"""Taking things in hand, putting them away, picking them up, letting go; loading. Clause MA-670."""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace
from msgspec.structs import replace as changed

from app.engine.asks import Cost
from app.engine.commands import Submission
from app.engine.events import ItemChanged, ItemMoved
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.state import Item
from app.engine.table import Table
from rulesets.manewry_ap.figures import AP, UNIT
from rulesets.manewry_ap.weapons import (
    AMMO,
    BOTH,
    HANDS,
    MAIN,
    OFF,
    can_be_loaded,
    empty_hands,
    in_hand,
    profile,
    weapon_of,
)

DRAW, PUT_AWAY, PICK_UP, LET_GO = "draw", "put_away", "pick_up", "let_go"
HANDLING, HAND, FROM, ITEM, ITEM_DISTANCE = "handling", "hand", "from", "item", "item_distance"
CLAUSE = "MA-670"


class ReadyParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far off a thing may lie that is picked up, in units."""

    reach: int = 1


class NoParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing of its own."""


def handling_of(sub: Submission) -> str:
    """What is done with the item."""
    return str(sub.options.get(HANDLING, ""))


def becomes_ready(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """Letting go is free. Clause: MA-670."""
    if handling_of(sub) != LET_GO:
        return sub, action
    return sub, replace(action, costs=dict.fromkeys(action.costs, ()))


def _thing(sub: Submission) -> tuple[CombatantId, ItemId | None]:
    """Whose it is, and which."""
    owner, item = sub.options.get(FROM), sub.options.get(ITEM)
    if owner is None:
        return sub.actor, sub.weapon
    return CombatantId(str(owner)), None if item is None else ItemId(str(item))


def check_ready(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Something to handle, where it must be for that, and a hand for it. Clause: MA-670."""
    reason, handling = table.rules.reason, handling_of(sub)
    owner, item = _thing(sub)
    foreign = owner != sub.actor
    at = f"/options/{ITEM}" if foreign else "/weapon"
    for name in (FROM, ITEM, ITEM_DISTANCE):
        if name in sub.options and handling != PICK_UP:
            yield reason("unused_input", at=f"/options/{name}", names=(name,))
    if HAND in sub.options and handling in (PUT_AWAY, LET_GO):
        yield reason("unused_input", at=f"/options/{HAND}", names=(HAND,))
    if foreign and handling != PICK_UP:
        return
    if foreign and not table.known(owner):
        yield reason("unknown_combatant", at=f"/options/{FROM}", names=(owner,))
        return
    if item is None:
        yield reason("missing_input", at=at)
        return
    if item not in table.who(owner).items:
        yield reason("item_not_carried", at=at, names=(item,))
        return
    held = table.item(owner, item)
    if handling == PICK_UP:
        yield from _why_not_picked_up(table, sub, action, held, at)
    elif handling == DRAW and held.on_ground:
        yield reason("item_not_carried", at=at, names=(item,))
    elif handling in (PUT_AWAY, LET_GO) and held.held is None:
        yield reason("item_not_ready", at=at, names=(item,))
    if handling == DRAW or (handling == PICK_UP and held.on_ground):
        yield from _why_no_hand(table, sub, held, at)


def _why_not_picked_up(table: Table, sub: Submission, action: Action, item: Item, at: str) -> Iterator[Reason]:
    """It lies on the ground, in his square or the next. Clause: MA-670."""
    params: ReadyParams = action.params
    reason, reach = table.rules.reason, params.reach * UNIT
    if not item.on_ground:
        yield reason("item_out_of_reach", at=at)
        return
    place, stated = table.who(sub.actor).place, sub.options.get(ITEM_DISTANCE)
    far: int | None = stated if isinstance(stated, int) else None
    if table.has_map and place is not None and item.lies is not None:
        far = max(abs(item.lies.x - place.x), abs(item.lies.y - place.y))
    if far is None:
        yield reason("missing_input", at=f"/options/{ITEM_DISTANCE}")
    elif far > reach:
        yield reason("item_out_of_reach", at=at, need_length=reach, got_length=far)


def hand_for(table: Table, sub: Submission, item: Item) -> str | None:
    """The hand it goes to: the one named, both for what needs both, else the first that is empty."""
    named, weapon = sub.options.get(HAND), profile(table.rules, item)
    if named is not None:
        return str(named)
    if weapon is not None and weapon.hands == HANDS:
        return BOTH
    return next(iter(empty_hands(table, sub.actor)), None)


def _why_no_hand(table: Table, sub: Submission, item: Item, at: str) -> Iterator[Reason]:
    free = set(empty_hands(table, sub.actor))
    if item.held is not None:
        free |= {MAIN, OFF} if item.held == BOTH else {item.held}
    goal = hand_for(table, sub, item)
    if goal is not None and goal == item.held:
        yield table.rules.reason("already_ready", at=at)
    elif goal is None or not {MAIN, OFF} & free or not (free >= ({MAIN, OFF} if goal == BOTH else {goal})):
        yield table.rules.reason("no_free_hand", at=at)


def ready(scene: Scene, sub: Submission, action: Action) -> None:
    """It is where it was to go; what was another's on the ground is his. Clause: MA-670."""
    owner, item = _thing(sub)
    assert item is not None
    held, clause, handling = scene.item(owner, item), ClauseId(CLAUSE), handling_of(sub)
    if handling == PUT_AWAY:
        scene.emit(ItemMoved(sub.actor, item, None, clause=clause))
        return
    if handling == LET_GO:
        scene.emit(ItemMoved(sub.actor, item, None, True, clause, lies=scene.who(sub.actor).place))
        return
    goal = hand_for(scene, sub, held)
    if owner == sub.actor:
        scene.emit(ItemMoved(sub.actor, item, goal, clause=clause))
        return
    taken = changed(held, held=goal, on_ground=False, lies=None)
    key = _free_key(scene, sub.actor, item)
    scene.emit(ItemChanged(owner, item, None, clause))
    scene.emit(ItemChanged(sub.actor, key, taken, clause))


def _free_key(table: Table, who: CombatantId, item: ItemId) -> ItemId:
    """A name for it that nothing else of his has."""
    carried, number, key = table.who(who).items, 2, str(item)
    while key in carried:
        key, number = f"{item}_{number}", number + 1
    return ItemId(key)


# Loading


def becomes_reload(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """The price is the weapon's own; of none named, the least of those that can be loaded. Clause: MA-670."""
    who, named = sub.actor, sub.weapon
    carried = [key for key, _, _ in in_hand(table, who) if can_be_loaded(table, who, key)] if named is None else []
    items = [named] if named in table.who(who).items else carried
    weapons = [weapon_of(table, who, item) for item in items]
    price = min((one.reload_ap for one in weapons if one is not None and one.reload_ap is not None), default=0)
    return sub, replace(action, costs=dict.fromkeys(action.costs, (Cost(AP, price),)))


def check_reload(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A weapon in hand that is loaded at all, and is not full. Clause: MA-670."""
    reason, who, item = table.rules.reason, sub.actor, sub.weapon
    if item is None:
        some = any(can_be_loaded(table, who, key) for key, _, _ in in_hand(table, who))
        yield reason("missing_input" if some else "nothing_to_reload", at="/weapon")
        return
    if table.item(who, item).held is None:
        yield reason("weapon_not_ready", at="/weapon", names=(item,))
    if not can_be_loaded(table, who, item):
        yield reason("nothing_to_reload", at="/weapon", names=(item,))


def reload(scene: Scene, sub: Submission, action: Action) -> None:
    """It is full. Clause: MA-670."""
    assert sub.weapon is not None
    weapon = weapon_of(scene, sub.actor, sub.weapon)
    assert weapon is not None
    assert weapon.ammo is not None
    scene.mark_item(sub.actor, sub.weapon, AMMO, weapon.ammo, CLAUSE)


READY_ITEM = Resolver(ReadyParams, check_ready, ready, becomes=becomes_ready)
RELOAD = Resolver(NoParams, check_reload, reload, becomes=becomes_reload)
