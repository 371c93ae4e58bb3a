"""Things in hand: which hand takes one, how far one lies that is on the ground, taking it up and putting it away.

Clauses GU-530, GU-1300, GU-1310, GU-1370, GU-1380.
"""

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from app.engine.events import ItemChanged, ItemMoved, Moved
from app.engine.ids import ClauseId, CombatantId, ItemId, Length
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Place, Unknown
from app.engine.state import Item
from app.engine.table import Table
from rulesets.gurps_4e.conditions import forget_item, unmark
from rulesets.gurps_4e.figures import tables_of, yards
from rulesets.gurps_4e.weapons import (
    AWAY,
    BOTH,
    HANDS,
    MAIN,
    OFF,
    SWITCHED,
    free_hands,
    hands_taken,
    profile,
    room_in,
)

THERE = CombatantId("there")
"""Stands for the place where something lies."""
LEFT_BEHIND = "left_behind"
"""Name in `Scene.met` of the number of events that have been looked at for what somebody leaves behind."""


class Thing(msgspec.Struct, frozen=True):
    """An item, whose it is, and the hand or hands it goes to: None where none is free."""

    owner: CombatantId
    key: ItemId
    item: Item
    goes_to: str | None


def thing_of(
    table: Table, owner: CombatantId, key: ItemId, hand: str | None = None, taker: CombatantId | None = None
) -> Thing:
    """The item with the hand it is to be held in: as said, else as it is held, else as many as it needs.

    Clauses: GU-1300, GU-1380.
    """
    item, who = table.item(owner, key), taker or owner
    weapon = profile(table.rules, item)
    if hand is not None:
        goes_to: str | None = hand
    elif weapon is not None and weapon.hands == HANDS:
        goes_to = BOTH
    elif item.held is not None:
        goes_to = item.held
    else:
        goes_to = next((one for one in (MAIN, OFF) if room_in(table, who, one)), None)
    return Thing(owner, key, item, goes_to)


def why_no_hand(table: Table, who: CombatantId, thing: Thing) -> Iterator[Reason]:
    """No hand is free for it, or not the one it is to go to. Clauses: GU-1300, GU-1380."""
    reason = table.rules.reason
    weapon = profile(table.rules, thing.item)
    two_handed = weapon is not None and weapon.hands == HANDS
    needs = HANDS if two_handed or thing.goes_to == BOTH else 1
    own = hands_taken(thing.item) if thing.owner == who else 0
    free = free_hands(table, who) + own
    if free < needs:
        yield reason("no_free_hand", "GU-1300", at="/weapon", need=needs, got=max(0, free))
        return
    if two_handed and thing.goes_to != BOTH:
        yield reason("needs_two_hands", "GU-1300", at="/options/hand", names=(thing.key,))
        return
    wanted = (MAIN, OFF) if thing.goes_to == BOTH else (thing.goes_to,)
    mine = (MAIN, OFF) if thing.item.held == BOTH else (thing.item.held,)
    for hand in wanted:
        if hand is not None and not room_in(table, who, hand) and not (thing.owner == who and hand in mine):
            yield reason("no_free_hand", "GU-1300", at="/options/hand", need=1, got=0)
            return


# What lies on the ground


def why_not_near(table: Table, who: CombatantId, thing: Thing, stated: object) -> Iterator[Reason]:
    """It lies farther off than he can reach down; without a map somebody has to know how far. Clause: GU-1300."""
    reason, most = table.rules.reason, tables_of(table).core.pick_up_reach
    far = distance_to(table, who, thing, stated if isinstance(stated, int) else None)
    if far is None:
        yield reason("missing_input", "GU-1300", at="/options/item_distance")
    elif yards(far) > most:
        yield reason("item_out_of_reach", "GU-1300", at="/weapon", need=most, got=yards(far), names=(thing.key,))


def distance_to(table: Table, who: CombatantId, thing: Thing, stated: Length | None) -> Length | None:
    """How far it lies from him: on a map by where it lies, else as stated, else as far as its owner and what he has
    gone since. Clauses: GU-490, GU-530, GU-1300.
    """
    if table.has_map:
        lies, place = thing.item.lies, table.who(who).place
        if lies is None or place is None:
            return None
        far = table.space.after({THERE: Place(lies.x, lies.y)}).distance(who, THERE)
        return None if isinstance(far, Unknown) else far
    if stated is not None:
        return stated
    away = thing.item.marks.get(AWAY, 0)
    if thing.owner == who:
        return away
    apart = table.space.distance(who, thing.owner)
    return None if away or isinstance(apart, Unknown) else apart


def leave_behind(scene: Scene, who: CombatantId) -> None:
    """Without a map, what he has dropped lies as much farther off as he has moved since he was last looked at.

    Clauses: GU-490, GU-530.
    """
    told = [emitted.event for emitted in scene.events]
    name = f"{LEFT_BEHIND}/{who}"
    counted, scene.met[name] = scene.met.get(name, 0), len(told)
    if scene.has_map:
        return
    for key, item in tuple(scene.who(who).items.items()):
        if item.on_ground and (gone := _gone_from(told[counted:], who, ItemId(key))):
            scene.mark_item(who, ItemId(key), AWAY, item.marks.get(AWAY, 0) + gone, "GU-530")


def _gone_from(told: Iterable[object], who: CombatantId, item: ItemId) -> Length:
    """How far he has come, counted anew from where he dropped it."""
    gone = 0
    for event in told:
        if isinstance(event, ItemMoved) and (event.combatant, event.item) == (who, item):
            gone = 0
        elif isinstance(event, Moved) and event.combatant == who:
            gone += event.distance
    return gone


def take_in_hand(scene: Scene, who: CombatantId, thing: Thing) -> None:
    """It is in his hand, and his from now on if it was another's. Clauses: GU-1300, GU-1360."""
    unmark(scene, thing.owner, thing.key, AWAY, "GU-1300")
    if thing.owner == who:
        scene.emit(ItemMoved(who, thing.key, thing.goes_to, False, ClauseId("GU-1300")))
        return
    taken = replace(scene.item(thing.owner, thing.key), held=thing.goes_to, on_ground=False, lies=None)
    scene.emit(ItemChanged(thing.owner, thing.key, None, ClauseId("GU-1300")))
    scene.emit(ItemChanged(who, _free_name(scene, who, thing.key), taken, ClauseId("GU-1300")))


def _free_name(table: Table, who: CombatantId, item: ItemId) -> ItemId:
    """The name it goes by among his things."""
    names = (item, *(ItemId(f"{item}_{number}") for number in range(2, len(table.who(who).items) + 3)))
    return next(name for name in names if name not in table.who(who).items)


def put_away(scene: Scene, who: CombatantId, item: ItemId) -> None:
    """It is stowed: off if it had been switched on, and no longer ready. Clauses: GU-1370, GU-1860."""
    if scene.item(who, item).marks.get(SWITCHED):
        unmark(scene, who, item, SWITCHED, "GU-1370")
    scene.emit(ItemMoved(who, item, None, False, ClauseId("GU-1380")))
    forget_item(scene, who, item, "stowed")
