"""What somebody carries, as events change it."""

from typing import Any

import msgspec
import pytest

from app.engine.events import ItemMarked, ItemMoved
from app.engine.fold import fold
from app.engine.ids import CombatantId, ItemId
from app.engine.space.model import Place
from app.engine.state import Combatant, Item, Sheet, State

ANN, SWORD, SPOT = CombatantId("ann"), ItemId("sword"), Place(150, 275)


def after(*events: Any) -> Item:
    state = State(
        "toy", combatants={ANN: Combatant(ANN, "Ann", "blue", Sheet({}), items={SWORD: Item("sword", "main")})}
    )
    for event in events:
        state = fold(state, event)
    return state.combatants[ANN].items[SWORD]


@pytest.mark.parametrize(
    ("moved", "item"),
    [
        (ItemMoved(ANN, SWORD, on_ground=True, lies=SPOT), Item("sword", on_ground=True, lies=SPOT)),
        (ItemMoved(ANN, SWORD, on_ground=True), Item("sword", on_ground=True)),
        (ItemMoved(ANN, SWORD, "off"), Item("sword", "off")),
        (ItemMoved(ANN, SWORD, "off", lies=SPOT), Item("sword", "off")),
    ],
)
def test_only_what_is_on_the_ground_lies_somewhere(moved: ItemMoved, item: Item) -> None:
    assert after(moved) == item


def test_what_is_picked_up_lies_nowhere_and_what_is_marked_stays_where_it_is() -> None:
    dropped = ItemMoved(ANN, SWORD, on_ground=True, lies=SPOT)

    assert after(dropped, ItemMarked(ANN, SWORD, "jammed", 1, 1)).lies == SPOT
    assert after(dropped, ItemMoved(ANN, SWORD, "main")) == Item("sword", "main")


def test_an_item_that_lies_nowhere_is_stored_as_ever() -> None:
    assert msgspec.json.encode(Item("sword", on_ground=True)) == b'{"kind":"sword","on_ground":true}'
    assert msgspec.json.encode(ItemMoved(ANN, SWORD, on_ground=True)) == (
        b'{"type":"item_moved","combatant":"ann","item":"sword","on_ground":true}'
    )
