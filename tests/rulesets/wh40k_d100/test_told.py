"""What the log says of what these rules make happen."""

import pytest

from app.engine import events as ev
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.state import Item
from tests.rulesets.wh40k_d100.fights import begin, fight, held
from tests.support.play import PlayTable, book
from tests.support.telling import told

A, B = CombatantId("a"), CombatantId("b")


@pytest.fixture(scope="module")
def table() -> PlayTable:
    """Two people with grenades."""
    return fight(apart=10, a={"items": held("frag_grenade")}, b={"items": held("combat_knife")})


@pytest.mark.clause("WH-800", "WH-810")
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Extreme Damage against {b}!"),
        ("ru", "Экстремальный Урон, цель — {b}!"),
        ("pl", "Obrażenia ekstremalne, cel: {b}!"),
    ],
)
def test_extreme_damage_names_whom_it_strikes(table: PlayTable, language: str, text: str) -> None:
    assert told(table, ev.Noted(A, "extreme_damage", B), language) == text.format(b=table.who("b").name)


@pytest.mark.clause("WH-290")
def test_what_is_thrown_is_told_as_what_is_left(table: PlayTable) -> None:
    grenades, name = ItemId("frag_grenade"), table.who("a").name

    left = told(table, ev.ItemChanged(A, grenades, Item("frag_grenade", count=1), ClauseId("WH-290")))
    gone = told(table, ev.ItemChanged(A, grenades, None, ClauseId("WH-290")))

    assert left == f"{name}: Frag Grenade, 1 left."
    assert gone == f"{name} has thrown the last one: Frag Grenade."


@pytest.mark.clause("WH-050", "WH-940")
def test_a_condition_that_forbids_everything_is_named_alone() -> None:
    table = fight(apart=10, a={}, b={})
    begin(table, "a", "stunned", 1)

    found = [one for one in table.reasons("aim", "a") if one.code == "action_type_forbidden"]

    assert [one.names for one in found] == [("stunned",)]
    assert book("wh40k_d100").message("action_type_forbidden", "en") == "A condition forbids this action: {names}."
