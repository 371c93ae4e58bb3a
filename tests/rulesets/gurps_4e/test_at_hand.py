"""A submission that names no weapon means the one at hand."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight

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
