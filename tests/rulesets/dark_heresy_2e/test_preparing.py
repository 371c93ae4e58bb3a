"""Aim, Ready, Reload. Clauses DH-4150 to DH-4160, DH-4300 to DH-4370."""

from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, ItemId
from app.engine.state import Item
from tests.support.play import PlayTable, duel


def range_of_fire(**vane: Any) -> PlayTable:
    """Vane and his twin, 60 m apart: normal range for the autogun."""
    return duel(60, vane={"sample": "vane", **vane}, foe={"sample": "vane"})


def give(table: PlayTable, who: str, name: str, **item: Any) -> None:
    """An item by ruling."""
    table.rule(cmd.SetItem(CombatantId(who), ItemId(name), Item(**item)))


@pytest.mark.clause("DH-4340")
@pytest.mark.parametrize(("form", "target"), [("half", 65), ("full", 75)])
def test_aim_is_worth_10_or_20_on_the_next_attack(form: str, target: int) -> None:
    table = range_of_fire()

    table.play("aim", "vane", type=form)
    if form == "full":
        table.end_turn()
        table.end_turn()

    done = table.play("standard_attack", "vane", "foe", to_hit=99)
    assert done.check.target == target
    assert not table.has("vane", "aiming")


@pytest.mark.clause("DH-4340")
def test_aim_counts_in_melee_too() -> None:
    table = duel(1, sable={"sample": "sable"}, foe={"sample": "vane"})

    table.play("aim", "sable")

    assert table.play("standard_attack", "sable", "foe", to_hit=99).check.target == 72


@pytest.mark.clause("DH-4350")
def test_an_action_that_is_no_attack_loses_the_aim() -> None:
    table = range_of_fire()
    table.play("aim", "vane")

    table.play("ready", "vane", weapon="autogun", options={"hand": "stowed"})

    assert not table.has("vane", "aiming")


@pytest.mark.clause("DH-4350")
def test_a_free_action_does_not() -> None:
    table = range_of_fire()
    table.play("aim", "vane")

    table.play("free_action", "vane", note="steady")

    assert table.play("standard_attack", "vane", "foe", to_hit=99).check.target == 65


@pytest.mark.clause("DH-4350")
def test_aiming_again_replaces_the_old_bonus() -> None:
    table = range_of_fire()
    table.play("aim", "vane", type="full")
    table.end_turn()
    table.end_turn()

    table.play("aim", "vane", type="half")

    assert table.play("standard_attack", "vane", "foe", to_hit=99).check.target == 65


@pytest.mark.clause("DH-4350")
def test_delaying_loses_the_aim() -> None:
    table = range_of_fire()
    table.play("aim", "vane", type="full")
    table.end_turn()
    table.end_turn()

    table.play("delay", "vane", delay_use="hold")

    assert not table.has("vane", "aiming")


@pytest.mark.clause("DH-4360")
@pytest.mark.parametrize(("answer", "target"), [("dodge", 55), ("none", 75)])
def test_a_reaction_spoils_the_aim_and_declining_keeps_it(answer: str, target: int) -> None:
    table = range_of_fire()
    table.play("aim", "vane", type="full")
    table.end_turn()
    given: dict[str, Any] = {"dodge": 40} if answer == "dodge" else {"damage": 1}
    table.play("standard_attack", "foe", "vane", to_hit=30, defend=answer, **given)
    table.end_turn()

    done = table.play("standard_attack", "vane", "foe", to_hit=99)

    assert done.check.target == target


@pytest.mark.clause("DH-4370")
def test_the_bonus_is_for_one_attack_roll() -> None:
    table = range_of_fire()
    table.play("aim", "vane")
    table.play("standard_attack", "vane", "foe", to_hit=94)
    table.end_turn()
    table.end_turn()

    assert table.play("standard_attack", "vane", "foe", to_hit=90).check.target == 55


@pytest.mark.clause("DH-4340")
def test_an_inaccurate_weapon_gains_nothing_from_aim() -> None:
    table = range_of_fire()
    profile = {
        "class": "basic",
        "damage": "1d10",
        "type": "impact",
        "range": 10000,
        "clip": 9,
        "rof": {"single": True},
        "qualities": {"inaccurate": True},
    }
    give(table, "vane", "autogun", kind="autogun", held=None)
    text = msgspec.json.encode(profile).decode()
    give(table, "vane", "musket", kind="musket", held="both", marks={"ammo": 9}, custom=text)
    table.play("aim", "vane")

    assert table.play("standard_attack", "vane", "foe", weapon="musket", to_hit=90).check.target == 55


@pytest.mark.clause("DH-4300")
def test_drawing_needs_a_free_hand_and_dropping_makes_one() -> None:
    table = range_of_fire()

    assert table.why_not("ready", "vane", weapon="sword") == ["no_free_hand"]
    table.play("drop_item", "vane", weapon="autogun")
    table.play("ready", "vane", weapon="sword")

    assert table.who("vane").items["sword"].held == "main"


@pytest.mark.clause("DH-4300")
def test_only_what_is_carried_can_be_drawn() -> None:
    table = range_of_fire()
    table.play("drop_item", "vane", weapon="autogun")

    assert table.why_not("ready", "vane", weapon="autogun") == ["item_not_carried"]
    assert table.why_not("ready", "vane", weapon="lasgun") == ["item_not_carried"]


@pytest.mark.clause("DH-4300")
def test_a_second_weapon_goes_to_the_other_hand() -> None:
    table = duel(20, sable={"sample": "sable"}, foe={"sample": "vane"})
    table.play("drop_item", "sable", weapon="sword_2")

    table.play("ready", "sable", weapon="knife")

    assert table.who("sable").items["knife"].held == "off"


@pytest.mark.clause("DH-4300")
def test_stowing_is_readying_too() -> None:
    table = range_of_fire()

    table.play("ready", "vane", weapon="autogun", options={"hand": "stowed"})

    autogun = table.who("vane").items["autogun"]
    assert (autogun.held, autogun.on_ground) == (None, False)


@pytest.mark.clause("DH-4310", "DH-1020")
def test_stowing_and_drawing_the_same_item_is_the_same_half_action() -> None:
    table = duel(20, sable={"sample": "sable"}, foe={"sample": "vane"})
    table.play("ready", "sable", weapon="sword", options={"hand": "stowed"})

    assert table.why_not("ready", "sable", weapon="sword") == ["same_half_action_twice"]
    assert table.why_not("ready", "sable", weapon="knife") == []


@pytest.mark.clause("DH-4300")
@pytest.mark.parametrize("weapon", ["sword", "sword_2"])
def test_what_is_drawn_again_stays_in_its_own_hand(weapon: str) -> None:
    table = duel(20, sable={"sample": "sable"}, foe={"sample": "vane"})

    table.play("ready", "sable", weapon=weapon)

    items = table.who("sable").items
    assert (items["sword"].held, items["sword_2"].held) == ("main", "off")


@pytest.mark.clause("DH-4150")
def test_a_laspistol_is_reloaded_in_a_half_action() -> None:
    table = range_of_fire(held={})
    give(table, "vane", "laspistol", kind="laspistol", held="main", marks={"ammo": 3})

    table.play("reload", "vane", weapon="laspistol")

    assert table.who("vane").items["laspistol"].marks["ammo"] == 30
    assert table.who("vane").budget["half_action"] == 1


@pytest.mark.clause("DH-4150")
def test_an_autogun_takes_a_full_action() -> None:
    table = range_of_fire()
    give(table, "vane", "autogun", kind="autogun", held="both", marks={"ammo": 3})

    assert table.why_not("reload", "vane", type="half") == ["wrong_action_type"]
    table.play("reload", "vane")

    assert table.who("vane").items["autogun"].marks["ammo"] == 30
    assert table.who("vane").budget["half_action"] == 0


@pytest.mark.clause("DH-4150")
@pytest.mark.parametrize(("item", "reason"), [("sword", "not_reloadable"), ("autogun", "magazine_full")])
def test_what_cannot_be_reloaded(item: str, reason: str) -> None:
    table = range_of_fire()

    assert table.why_not("reload", "vane", weapon=item) == [reason]


@pytest.mark.clause("DH-4150", "DH-1160")
def test_a_reload_that_was_interrupted_leaves_the_magazine_as_it_was() -> None:
    table = duel(60, brok={"sample": "brok"}, vane={"sample": "vane"})
    give(table, "brok", "heavy_stubber", kind="heavy_stubber", held="both", marks={"ammo": 7})
    table.play("reload", "brok")
    table.end_turn()

    done = table.play("standard_attack", "vane", "brok", to_hit=30, defend="dodge", dodge=1)

    assert table.who("brok").items["heavy_stubber"].marks["ammo"] == 7
    assert "extended_action" in [event.kind for event in done.of(ev.EffectEnded)]


@pytest.mark.clause("DH-4160", "DH-1020")
def test_two_half_reloads_are_the_same_half_action_twice() -> None:
    table = range_of_fire(held={})
    for name, hand in (("laspistol", "main"), ("laspistol_2", "off")):
        give(table, "vane", name, kind="laspistol", held=hand, marks={"ammo": 3})
    table.play("reload", "vane", weapon="laspistol")

    assert table.why_not("reload", "vane", weapon="laspistol_2") == ["same_half_action_twice"]
