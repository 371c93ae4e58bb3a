"""A table whose Dark Heresy reloads more slowly: as many turns as its document says."""

import pytest

from app.catalog.house import judge
from app.engine.rules import Ruleset
from app.engine.state import Item
from tests.house.documents import DARK_HERESY
from tests.support.play import PlayTable, book, combatant, table_of


def with_an_empty(kind: str, hand: str, rules: Ruleset) -> PlayTable:
    gun = Item(kind, held=hand, marks={"ammo": 0})
    return table_of(combatant(rules, "ann", "vane", items={"gun": gun}), combatant(rules, "bo", "sable"), rules=rules)


def turns_until_loaded(table: PlayTable) -> int:
    """Turns that a reload takes, all of each spent on it."""
    table.play("reload", "ann", weapon="gun")
    turns = 1
    while not table.who("ann").items["gun"].marks.get("ammo", 0):
        assert table.who("ann").budget["half_action"] == 0
        assert turns < 5
        table.end_turn()
        table.until_turn_of("ann")
        table.play("continue_extended_action", "ann")
        turns += 1
    return turns


@pytest.mark.parametrize(
    ("kind", "hand", "by_the_book", "by_ours"),
    [
        ("laspistol", "main", ([], 1), (["wrong_action_type"], 1)),
        ("autogun", "both", (["wrong_action_type"], 1), (["wrong_action_type"], 2)),
    ],
)
def test_a_reload_takes_what_the_house_rules_say(
    kind: str, hand: str, by_the_book: tuple[list[str], int], by_ours: tuple[list[str], int]
) -> None:
    for rules, expected in ((book().ruleset, by_the_book), (judge(book(), DARK_HERESY).ruleset, by_ours)):
        table = with_an_empty(kind, hand, rules)
        as_half = table.why_not("reload", "ann", weapon="gun", type="half")

        assert (as_half, turns_until_loaded(table)) == expected
