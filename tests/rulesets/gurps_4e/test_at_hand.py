"""A submission that names no weapon means the one at hand."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.commands import AddEffect
from app.engine.ids import CombatantId
from app.engine.listing import TargetView, listing
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable

MISS = (6, 6, 4)


def used(table: Any, who: str, target: str, **options: Any) -> str | None:
    """The weapon that an attack without one named is made with."""
    played = table.play("attack", who, target, options=options, to_hit=MISS)
    found: str | None = played.one(ev.AttackMade).weapon
    return found


@pytest.mark.clause("GU-600", "GU-610")
def test_an_attack_that_names_no_weapon_is_made_with_the_one_in_hand() -> None:
    assert used(fight(x={}, s={}, apart={"sx": 1}), "x", "s") == "axe"
    assert used(fight(r={}, s={}, apart={"rs": 10}), "r", "s") == "assault_rifle"


@pytest.mark.clause("GU-600")
def test_a_shield_is_struck_with_only_where_nothing_else_is_at_hand() -> None:
    assert used(fight(s={}, x={}, apart={"sx": 1}), "s", "x") == "thrusting_broadsword"
    bare = {"medium_shield": Item("medium_shield", held="off")}
    assert used(fight(s={"items": bare}, x={}, apart={"sx": 1}), "s", "x") == "medium_shield"
    assert used(fight(s={}, x={}, apart={"sx": 1}), "s", "x", form="shield_bash") == "medium_shield"


@pytest.mark.clause("GU-600", "GU-620")
def test_of_two_weapons_it_is_the_one_that_can_strike_the_target() -> None:
    both = {"axe": Item("axe", held="main"), "pistol": Item("auto_pistol", held="off", marks={"ammo": 16})}
    near = fight(x={"items": both, "skills": {"guns_pistol": 14}}, s={}, apart={"sx": 1})
    far = fight(x={"items": both, "skills": {"guns_pistol": 14}}, s={}, apart={"sx": 7})

    assert used(near, "x", "s") == "axe"
    assert used(far, "x", "s") == "pistol"


@pytest.mark.clause("GU-600", "GU-2200")
def test_bare_hands_are_meant_by_their_modes_and_where_the_hands_are_empty() -> None:
    assert used(fight(x={}, s={}, apart={"sx": 0}), "x", "s", mode="punch") is None
    assert used(fight(x={"items": {}}, s={}, apart={"sx": 0}), "x", "s") is None


@pytest.mark.clause("GU-1800")
def test_an_aim_takes_the_ranged_weapon_in_hand() -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    table.play("aim", "r", "x")
    assert table.table.effect("r", "aiming").item == "assault_rifle"  # type: ignore[arg-type,union-attr]


# Bare hands instead of the weapon at hand


def target_of(table: PlayTable, who: str, action: str = "attack") -> TargetView:
    """The only other one, as the list shows him."""
    view = next(one for one in listing(table.table, CombatantId(who)) if one.id == action)
    return view.targets[0]


def spear_set_to_two() -> PlayTable:
    spear = Item("spear", held="both", marks={"reach": 2})
    return fight(p={"items": {"spear": spear}}, x={}, apart={"px": 1})


def parried_with_the_axe() -> PlayTable:
    table = fight(x={}, s={}, apart={"xs": 1})
    table.end_turn()
    table.play("attack", "s", "x", to_hit=(3, 3, 4), defend=("parry", {}), parry=(1, 2, 3))
    table.until_turn_of("x")
    return table


def close() -> PlayTable:
    return fight(s={}, x={}, apart={"sx": 0})


@pytest.mark.clause("GU-360", "GU-600", "GU-620", "GU-1330", "GU-2200")
@pytest.mark.parametrize(
    ("setting", "who", "code", "clause", "modes"),
    [
        (spear_set_to_two, "p", "reach_not_set", "GU-1330", ("kick",)),
        (parried_with_the_axe, "x", "unbalanced_after_parry", "GU-360", ("kick", "punch")),
        (close, "s", "out_of_reach", "GU-620", ("kick",)),
    ],
)
@pytest.mark.parametrize("action", ["attack", "move_and_attack", "feint"])
def test_where_the_weapon_is_no_good_and_a_kick_would_be_the_mode_is_missing(
    setting: Any, who: str, code: str, clause: str, modes: tuple[str, ...], action: str
) -> None:
    table = setting()
    foe = next(name for name in table.state.combatants if name != who)

    target = target_of(table, who, action)

    assert target.available
    assert target.chance is None
    assert [(one.code, one.at, one.names) for one in target.missing] == [(code, "/options/mode", modes)]
    told = table.reasons(action, who, foe)
    clause = "GU-800" if (action, code) == ("feint", "out_of_reach") else clause
    assert [(one.code, one.clause, one.at, one.to_fill_in) for one in told] == [(code, clause, "/options/mode", True)]
    assert table.why_not(action, who, foe, options={"mode": modes[0]}) == []


@pytest.mark.clause("GU-600", "GU-2200")
def test_a_weapon_that_is_named_is_judged_alone() -> None:
    told = spear_set_to_two().reasons("attack", "p", "x", weapon="spear")
    assert [(one.code, one.at, one.to_fill_in) for one in told] == [("reach_not_set", "/targets/0", False)]


@pytest.mark.clause("GU-620", "GU-2200")
def test_empty_hands_are_offered_whoever_a_foot_reaches() -> None:
    table = fight(s={"items": {}}, x={}, apart={"sx": 1})

    target = target_of(table, "s")

    assert target.available
    assert target.reasons == ()
    far = fight(s={"items": {}}, x={}, apart={"sx": 9})
    assert [one.code for one in target_of(far, "s").reasons] == ["out_of_reach"]


@pytest.mark.clause("GU-600", "GU-650")
def test_of_two_weapons_it_is_the_one_that_a_step_brings_to_bear() -> None:
    items = {"axe": Item("axe", held="main"), "knife": Item("large_knife", held="off")}
    table = fight(x={"items": items}, s={}, apart={"xs": 2})
    assert target_of(table, "x").available


@pytest.mark.clause("GU-240", "GU-490")
@pytest.mark.parametrize("who", ["s", "r"])
def test_without_a_distance_there_is_no_chance_and_the_list_says_what_is_missing(who: str) -> None:
    other = "x"
    table = fight(**{who: {}, other: {}})

    target = target_of(table, who)

    assert target.available
    assert target.chance is None
    assert [(one.code, one.at) for one in target.missing] == [("missing_input", "/said/distance")]


@pytest.mark.clause("GU-880")
def test_a_shield_feint_and_a_bash_take_the_shield_in_hand() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    assert used(table, "s", "x", form="shield_bash") == "medium_shield"
    again = fight(s={}, x={}, apart={"sx": 1})
    again.rule(AddEffect(CombatantId("s"), "bashed", against=CombatantId("x")))

    feint = again.play("feint", "s", "x", options={"option": "shield"}, s__feint=(3, 3, 3), x__feint=(3, 3, 3))

    assert feint.one(ev.ActionTaken).item == "medium_shield"
    assert feint.check.check == "shield"
    with_sword = fight(s={}, x={}, apart={"sx": 1})
    assert with_sword.why_not("feint", "s", "x", options={"option": "weapon"}) == []


@pytest.mark.clause("GU-600")
def test_a_wrong_mode_is_told_which_there_are() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    told = table.reasons("attack", "s", "x", weapon="thrusting_broadsword", options={"mode": "slash"})
    assert [(one.code, one.at, set(one.names)) for one in told] == [
        ("invalid_option_value", "/options/mode", {"swing", "thrust"})
    ]
