"""What the data lets a table change: figures of tables, prices, modifiers; and what cannot be of a combatant.

Clauses MA-020, MA-030, MA-040, MA-160, MA-380, MA-470, MA-490, MA-510, MA-520, MA-610, MA-820.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import pytest
from msgspec.structs import replace

from app.catalog import Rulebook
from app.catalog.findings import Findings
from app.catalog.registry import make_rulebook
from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.rules import Ruleset
from app.engine.state import Combatant, Item
from tests.rulesets.manewry_ap.fights import NAME, held
from tests.support.play import PlayTable, book, combatant, state_distance, table_of

NONE: dict[str, Any] = {"immediate_response": "none", "defend": "none"}


def changed_book(change: Callable[[dict[str, Any]], None]) -> Rulebook:
    """The whole book with a house rule in it."""
    base = book(NAME)
    document: dict[str, Any] = deepcopy(_plain(base.document))
    change(document)
    return make_rulebook(document, base.texts, base.code, Findings())


def changed(change: Callable[[dict[str, Any]], None]) -> Ruleset:
    """The rules with a house rule in them, judged whole."""
    return changed_book(change).ruleset


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def duel_under(rules: Ruleset, *, far: float = 1, one: dict[str, Any] | None = None) -> PlayTable:
    """Borys and Jagna under these rules, so far apart."""
    bodies = (combatant(rules, "borys", "borys", **(one or {})), combatant(rules, "jagna", "jagna"))
    table = table_of(*bodies, rules=rules)
    state_distance(table, "borys", "jagna", far)
    return table


@pytest.mark.clause("MA-040", "MA-470")
def test_prices_of_actions_are_data() -> None:
    def dearer(document: dict[str, Any]) -> None:
        document["actions"]["stand_up"]["cost"]["manoeuvre"]["ap"] = 5
        document["actions"]["drop_prone"]["cost"]["immediate"]["ap"] = 2

    table = duel_under(changed(dearer))
    table.play("drop_prone", "borys")
    assert table.who("borys").budget["ap"] == 8

    table.play("stand_up", "borys")

    assert table.who("borys").budget["ap"] == 3


@pytest.mark.clause("MA-020", "MA-030", "MA-800")
def test_pools_are_figures_of_a_table() -> None:
    def richer(document: dict[str, Any]) -> None:
        document["tables"]["core"]["pools"] = {"ap": 12, "ep": 40, "hp": 20}

    body = duel_under(changed(richer)).who("borys")

    assert (body.budget["ap"], body.pools["ep"], body.pools["hp"]) == (12, 56, 36)


@pytest.mark.clause("MA-510", "MA-490", "MA-820", "MA-310")
def test_manoeuvre_and_posture_changes_are_rows_of_data() -> None:
    def harder(document: dict[str, Any]) -> None:
        document["modifiers"]["grab"]["value"] = 12
        document["modifiers"]["ground_attack_modifier"]["value"] = -5
        document["modifiers"]["fatigue_hit_modifier"]["value"] = -2

    table = duel_under(changed(harder))
    table.rule(cmd.SetPool(CombatantId("borys"), "fatigue", 1))
    table.play("drop_prone", "borys")

    done = table.play("grab", "borys", "jagna", **NONE, to_hit=1)

    found = {term.id: term.value for term in done.check.terms}
    assert found == {
        "base_st": 50,
        "grab": 12,
        "mel": 18,
        "ground_attack_modifier": -5,
        "fatigue_hit_modifier": -2,
    }


@pytest.mark.clause("MA-520", "MA-230", "MA-500", "MA-530")
def test_shares_and_prices_of_manoeuvres_are_figures_of_a_table() -> None:
    def other(document: dict[str, Any]) -> None:
        core = document["tables"]["core"]
        core["melee_share"] = {"numerator": 1, "denominator": 3}
        core["heavy"] = {"ap": 2, "share": {"numerator": 1, "denominator": 1}}

    table = duel_under(changed(other), one={"items": held(sword="main")})

    done = table.play("two_handed_attack", "borys", "jagna", **NONE, to_hit=50, damage=6)

    assert (table.who("borys").budget["ap"], done.one(ev.DamageDealt).raw) == (4, 6 + 3 + 6 + 18)


@pytest.mark.clause("MA-610")
def test_the_pattern_of_the_sprint_is_a_table() -> None:
    def longer(document: dict[str, Any]) -> None:
        document["tables"]["core"]["sprint"] = {"least": 4, "units_per_ap": 4, "ep": 3}

    table = duel_under(changed(longer), far=20)

    table.play("sprint", "borys", said={"length": 10})

    assert (table.who("borys").budget["ap"], table.who("borys").pools["ep"]) == (10 - 4, 46 - 24)


@pytest.mark.clause("MA-560")
def test_a_table_without_leaps_cannot_add_one() -> None:
    def without(document: dict[str, Any]) -> None:
        del document["actions"]["leaping_attack"]

    table = duel_under(changed(without))

    assert table.why_not("two_handed_attack", "borys", "jagna", options={"combine": ["leaping_attack"]}) == [
        "no_free_hand",
        "manoeuvres_do_not_combine",
    ]


@pytest.mark.clause("MA-220")
def test_the_table_of_defences_is_data() -> None:
    def no_block(document: dict[str, Any]) -> None:
        document["tables"]["defences"] = [
            {**row, "against": ["melee", "shot", "throw"]}
            for row in document["tables"]["defences"]
            if row["id"] != "block"
        ]

    rules = changed(no_block)
    table = table_of(combatant(rules, "halina", "halina"), combatant(rules, "borys", "borys"), rules=rules)
    state_distance(table, "halina", "borys", 5)

    done = table.play("ranged_attack", "halina", "borys", said={"sees": {"borys": True}}, **NONE, to_hit=1)

    assert [option.id for option in done.questions("defend")[0].options] == ["dodge", "cover", "parry", "none"]


# What cannot be


def misfits(**fields: Any) -> list[tuple[str, str]]:
    """Codes and places of what cannot be of Borys with these changes."""
    body = combatant(book(NAME).ruleset, "borys", "borys")
    made: Combatant = replace(body, **fields)
    return [(one.code, one.at) for one in book(NAME).ruleset.misfits(made)]


@pytest.mark.clause("MA-670", "MA-210")
@pytest.mark.parametrize(
    ("items", "found"),
    [
        ({"bow": Item("bow", held="both", marks={"ammo": 20})}, []),
        ({"bow": Item("bow", held="both", marks={"ammo": 21})}, [("out_of_bounds", "/items/bow/marks/ammo")]),
        ({"sword": Item("sword", marks={"ammo": 1})}, [("unknown_word", "/items/sword/marks/ammo")]),
        (
            {"a": Item("sword", held="main"), "b": Item("dagger", held="main")},
            [("hand_full", "/items/a/held"), ("hand_full", "/items/b/held")],
        ),
    ],
)
def test_marks_and_hands_have_bounds(items: dict[str, Item], found: list[tuple[str, str]]) -> None:
    assert misfits(items=items) == found


@pytest.mark.clause("MA-030", "MA-820")
@pytest.mark.parametrize(("pools", "fits"), [({"ep": 46}, True), ({"ep": 47}, False), ({"fatigue": 21}, False)])
def test_nobody_has_more_than_his_pools_hold(pools: dict[str, int], fits: bool) -> None:
    assert (misfits(pools=pools) == []) == fits
