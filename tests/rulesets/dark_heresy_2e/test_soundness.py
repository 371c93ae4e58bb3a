"""What a weapon's marks may be, and what fits into hands. The door of the service holds everybody to it."""

import pytest

from app.engine.ids import CombatantId
from app.engine.state import Combatant, Item, Sheet
from app.services.bodies import CombatantEdit
from app.services.combatants import _edited
from app.services.errors import BadInput
from tests.support.play import book, combatant, duel, ruleset

BRACED = {"braced": 1, "brace_arc": 90, "brace_facing": 45, "brace_on_body": 0, "brace_x": -200, "brace_y": 1200}


def told(items: dict[str, Item], **stats: int) -> list[tuple[str, str, str]]:
    """What is wrong with somebody who carries this."""
    body = Combatant(CombatantId("cmb_1"), "Ann", "red", Sheet(stats), items=items)
    return [(one.code, one.at, one.need) for one in ruleset().misfits(body)]


@pytest.mark.clause("DH-5410", "DH-5390", "DH-4500")
@pytest.mark.parametrize(
    ("kind", "marks", "wrong"),
    [
        ("autogun", {"ammo": -1}, {"ammo": "0..30"}),
        ("autogun", {"ammo": 0, "jammed": 1}, {}),
        ("autogun", {"ammo": 30}, {}),
        ("autogun", {"ammo": 31, "jammed": 2}, {"ammo": "0..30", "jammed": "0..1"}),
        ("heavy_stubber", {"ammo": 80, **BRACED}, {}),
        ("heavy_stubber", {"braced": 2, "brace_facing": 360}, {"braced": "0..1", "brace_facing": "0..359"}),
        ("frag_grenade", {"ammo": 1}, {"ammo": "0..0"}),
        ("sword", {"ammo": 1}, {"ammo": ""}),
        ("thing", {"charges": 1}, {"charges": ""}),
    ],
)
def test_a_mark_is_one_that_the_weapon_has_and_within_its_bounds(
    kind: str, marks: dict[str, int], wrong: dict[str, str]
) -> None:
    found = told({"it": Item(kind, marks=marks)})

    assert {at.removeprefix("/items/it/marks/"): need for _, at, need in found} == wrong


@pytest.mark.clause("DH-4300")
@pytest.mark.parametrize(
    ("hands", "held", "full"),
    [
        (2, ["main", "off"], []),
        (2, ["main", "main"], ["main"]),
        (2, ["both", "off"], ["off"]),
        (2, ["both", "both"], ["main", "off"]),
        (4, ["both", "main", "off"], []),
        (4, ["both", "main", "main"], ["main"]),
    ],
)
def test_a_hand_holds_one_thing_and_more_only_where_there_are_more_hands(
    hands: int, held: list[str], full: list[str]
) -> None:
    found = told({f"it{place}": Item("sword", held=hand) for place, hand in enumerate(held)}, hands=hands)

    assert sorted({need for _, _, need in found}) == full


@pytest.mark.clause("DH-4300")
def test_an_item_is_not_readied_into_a_hand_that_holds_another() -> None:
    items = {"sword": Item("sword", held="main"), "knife": Item("knife")}
    table = duel(ann={"items": items}, orc={})

    assert table.why_not("ready", "ann", weapon="knife", options={"hand": "main"}) == ["no_free_hand"]
    assert table.why_not("ready", "ann", weapon="knife", options={"hand": "off"}) == []
    assert table.why_not("ready", "ann", weapon="sword", options={"hand": "main"}) == []


def test_hands_are_not_taken_away_from_what_they_hold() -> None:
    items = {name: Item("knife", held="main") for name in ("one", "two")}
    held = combatant(ruleset(), "ann", hands=4, items=items)
    state = duel(ann={}, orc={}).state

    with pytest.raises(BadInput) as refused:
        _edited(book(), state, held, CombatantEdit(sheet={"hands": 2, "ws": 40}), None)

    assert {(one.code, one.at) for one in refused.value.findings} == {("hand_full", "/sheet/hands")}
