"""The list of actions and previews: prices, chances, exact odds, and what is hidden stays hidden. Clauses MA-100,
MA-095, MA-200, MA-510.
"""

from typing import Any

import pytest

from app.engine.ids import CombatantId
from app.engine.listing import ActionView, listing
from app.engine.preview import preview
from tests.rulesets.manewry_ap.fights import NAME, both_ways, duel, fight, put, set_ap
from tests.support.play import PlayTable, book


def views(table: PlayTable, who: str) -> dict[str, ActionView]:
    """The list of somebody's actions by id."""
    return {view.id: view for view in listing(table.table, CombatantId(who))}


@both_ways
@pytest.mark.clause("MA-020", "MA-500", "MA-530")
def test_the_list_shows_the_price_with_what_is_in_hand(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={})

    found = {name: [cost.amount for cost in view.types[0].cost] for name, view in views(table, "jagna").items()}

    expected = {
        "melee_attack": [3],
        "double_attack": [5],
        "leaping_attack": [4],
        "grab": [3],
        "stand_up": [3],
        "rest": [10],
    }
    assert {name: found[name] for name in expected} == expected


@both_ways
@pytest.mark.clause("MA-095")
def test_what_the_list_offers_is_accepted(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={})

    for name, view in views(table, "jagna").items():
        for target in view.targets:
            reasons = table.why_not(name, "jagna", target.id)
            assert target.available == (not [code for code in reasons if code != "missing_input"]), name


@pytest.mark.clause("MA-200", "MA-100")
def test_the_list_tells_the_chance_against_the_best_defence() -> None:
    table = duel(True, jagna={}, borys={})

    (target,) = views(table, "jagna")["melee_attack"].targets

    assert target.chance == 400_000, "block 76 against Melee 15: 61 or more"


@pytest.mark.clause("MA-200")
def test_the_list_does_not_tell_of_the_hidden() -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (1, 0)}, ogr={"at": (0, 1)})
    put(table, "jagna", "hidden")

    found = {target.id: target for target in views(table, "borys")["melee_attack"].targets}

    assert [one.code for one in found[CombatantId("jagna")].reasons] == ["no_such_target"]


@both_ways
@pytest.mark.clause("MA-100", "MA-230")
def test_a_single_attack_is_previewed_exactly(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={})

    odds = preview(table.rules, table.state, table.submission("melee_attack", "jagna", "borys"))

    assert odds.odds is not None
    assert (odds.odds.method, odds.odds.hits) == ("exact", {0: 600_000, 1: 400_000})
    assert [(check.target, check.chance) for check in odds.checks] == [(76, 400_000)]
    assert odds.defence[0].option == "block"
    # Dagger: 2 to 7, half of Strength 6, less 4: 6.5 in the mean.
    assert odds.odds.damage_mean == 2600


@pytest.mark.clause("MA-510", "MA-100")
def test_the_odds_of_both_hands_are_exact() -> None:
    table = set_ap(duel(True, jagna={}, borys={"items": {}}), borys=1)

    odds = preview(table.rules, table.state, table.submission("double_attack", "jagna", "borys")).odds

    assert odds is not None
    # Dodge 62: the first hand hits on 47 (54 in 100), the second on 67 (34 in 100).
    assert odds.hits == {0: 816_400, 2: 183_600}
    assert odds.hits_error == 0


@pytest.mark.clause("MA-100")
def test_other_dice_change_the_odds_exactly() -> None:
    table = duel(True, options={"test_dice": "3d6", "base_st": 10}, jagna={}, borys={"items": {}})

    odds = preview(table.rules, table.state, table.submission("grab", "jagna", "borys"))

    assert odds.checks[0].chance == 92_592, "10 and dodge 12 and 8, less 15: 15 or more on 3d6 is 20 of 216"


@pytest.mark.clause("MA-095")
def test_a_refused_preview_tells_why() -> None:
    table = duel(True, 3, jagna={}, borys={})

    found = preview(table.rules, table.state, table.submission("melee_attack", "jagna", "borys"))

    assert (found.legal, [one.code for one in found.reasons]) == (False, ["out_of_reach"])


@pytest.mark.clause("MA-050")
@pytest.mark.parametrize("language", ["en", "ru", "pl"])
def test_everything_has_a_name_and_every_clause_a_text(language: str) -> None:
    found: dict[str, Any] = book(NAME).describe_ruleset(language)

    assert all(one["name"] != one["id"] for one in found["actions"])
    assert all(one["name"] for one in found["effects"])
    texts = book(NAME).texts
    assert len(texts.clauses) == 78
    for clause in texts.clauses:
        told = texts.clause(clause, language)
        assert told is not None
        assert told.text not in ("x", told.title)


@pytest.mark.clause("MA-520")
@pytest.mark.parametrize(
    ("sample", "pools"),
    [("borys", (10, 46, 46)), ("halina", (10, 42, 42)), ("jagna", (10, 41, 41)), ("ogr", (10, 55, 55))],
)
def test_the_ready_combatants(sample: str, pools: tuple[int, int, int]) -> None:
    people: dict[str, Any] = {sample: {}, "foe": {"sample": "borys"}}
    table = fight(**people)

    body = table.who(sample)

    assert (body.budget["ap"], body.pools["ep"], body.pools["hp"]) == pools
