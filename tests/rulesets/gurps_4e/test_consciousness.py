"""At 0 hit points and below: a roll each turn to stay conscious. Clause GU-2160."""

from typing import Any

import pytest

from app.engine import events as ev
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.harming import HIT, SWING, SWORD, both_ways, check_of, duel, hp, hurt, put, terms, weapon
from tests.support.play import PlayTable

PASS, FAIL = (3, 3, 3), (6, 5, 5)
LOW = (2, 2, 1)
"""Saves somebody who reels, and is nothing special."""


def at(left: int, *, on_map: bool = False, most: int = 10, **more: Any) -> PlayTable:
    """S at that many hit points, X beside him; it is S's slot, and he was no better off before it."""
    table = duel(on_map=on_map, s={"hp_max": most, **more}, x={})
    hurt(table, "s", left)
    return table


@both_ways
@pytest.mark.clause("GU-2160")
@pytest.mark.parametrize(
    ("left", "found"),
    [
        (1, None),
        (0, {"ht": 11}),
        (-9, {"ht": 11}),
        (-10, {"ht": 11, "below_zero": -1}),
        (-19, {"ht": 11, "below_zero": -1}),
        (-20, {"ht": 11, "below_zero": -2}),
        (-49, {"ht": 11, "below_zero": -4}),
    ],
)
def test_it_is_a_roll_of_ht_less_1_for_each_full_multiple(
    on_map: bool, left: int, found: dict[str, int] | None
) -> None:
    table = at(left, on_map=on_map)

    more = {} if found is None else {"consciousness": (1, 1, 1)}
    done = table.play("evaluate", "s", "x", **more)

    checks = [one for one in done.of(ev.CheckRolled) if one.purpose == "consciousness"]
    assert [terms(one) for one in checks] == ([] if found is None else [found])
    assert {one.clause for one in checks} <= {"GU-2160"}
    assert table.has("s", "evaluating")


@both_ways
@pytest.mark.clause("GU-2160")
@pytest.mark.parametrize(("dice", "out"), [((4, 4, 3), False), ((4, 4, 4), True)])
def test_who_fails_is_unconscious_and_his_maneuver_is_lost(on_map: bool, dice: Any, out: bool) -> None:
    table = at(0, on_map=on_map)

    more: dict[str, Any] = {} if out else {"to_hit": (6, 6, 4)}
    done = table.play("attack", "s", "x", **SWING, consciousness=dice, **more)

    assert table.has("s", "unconscious") is out
    assert bool(done.of(ev.AttackMade)) is not out
    assert (table.who("s").status == "down") is out
    if out:
        assert table.turn == "x"
        assert table.state.clock.round == 1


@both_ways
@pytest.mark.clause("GU-2160", "GU-090")
def test_it_comes_after_the_choice_and_before_anything_of_the_maneuver(on_map: bool) -> None:
    table = at(0, on_map=on_map)
    way: dict[str, Any] = {"path": [(-2, 0)]} if on_map else {"said": {"length": 2}}

    done = table.play("move", "s", consciousness=PASS, **way)

    told = [type(event).__name__ for event in done.events]
    assert told.index("ActionTaken") < told.index("CheckRolled") < told.index("Moved")


@pytest.mark.clause("GU-2160")
def test_doing_nothing_asks_no_roll() -> None:
    table = at(-10)

    done = table.play("do_nothing", "s")

    assert not done.of(ev.CheckRolled)
    assert not table.end_turn().of(ev.CheckRolled)


@both_ways
@pytest.mark.clause("GU-2160")
@pytest.mark.parametrize(("dice", "out"), [(PASS, False), (FAIL, True)])
def test_after_it_the_first_defence_of_the_turn_does_before_it_is_rolled(on_map: bool, dice: Any, out: bool) -> None:
    table = at(0, on_map=on_map)
    table.play("do_nothing", "s")
    table.end_turn()

    more: dict[str, Any] = {"damage": (1, 1)} if out else {"dodge": LOW}
    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="dodge", consciousness=dice, **more)

    purposes = [one.purpose for one in done.of(ev.CheckRolled)]
    assert purposes[:2] == ["attack", "consciousness"]
    assert ("defend" in purposes) is not out
    assert table.has("s", "unconscious") is out
    if out:
        assert done.one(ev.DamageDealt).target == "s"


@pytest.mark.clause("GU-2160")
def test_not_defending_asks_nothing() -> None:
    table = at(0, armour={"torso": 50})
    table.play("do_nothing", "s")
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="none", damage=(1, 1))

    assert [one.purpose for one in done.of(ev.CheckRolled)] == ["attack"]


@both_ways
@pytest.mark.clause("GU-2160")
@pytest.mark.parametrize("first", ["maneuver", "defence"])
def test_there_is_one_roll_a_turn_at_most(on_map: bool, first: str) -> None:
    quick = {"talents": ["altered_time_rate"], "trait_values": {"altered_time_rate": 1}}
    table = duel(on_map=on_map, s={"hp_max": 10}, x=quick)
    hurt(table, "s", 0)
    if first == "maneuver":
        table.play("evaluate", "s", "x", consciousness=PASS)
    else:
        table.play("do_nothing", "s")
    table.end_turn()
    blow: dict[str, Any] = {"weapon": "axe", "to_hit": HIT, "defend": "dodge", "dodge": LOW}

    more = {"consciousness": PASS} if first == "defence" else {}
    table.play("attack", "x", "s", **blow, **more)
    done = table.play("attack", "x", "s", **blow)

    assert "consciousness" not in [one.purpose for one in done.of(ev.CheckRolled)]
    table.end_turn()
    assert table.play("evaluate", "s", "x", consciousness=PASS).of(ev.CheckRolled)


@pytest.mark.clause("GU-2160", "GU-570")
def test_of_several_maneuvers_the_first_that_is_not_do_nothing_asks_it() -> None:
    quick: dict[str, Any] = {"talents": ["altered_time_rate"], "trait_values": {"altered_time_rate": 1}}
    table = at(0, **quick)

    table.play("do_nothing", "s")
    done = table.play("evaluate", "s", "x", consciousness=PASS)

    assert check_of(done, "consciousness").target == 11


@both_ways
@pytest.mark.clause("GU-2160")
def test_nothing_is_asked_in_the_rest_of_the_turn_in_which_he_fell_so_low(on_map: bool) -> None:
    quick = {
        "items": weapon("7", "burn"),
        "skills": {"broadsword": 15},
        "talents": ["altered_time_rate"],
        "trait_values": {"altered_time_rate": 1},
    }
    table = duel(on_map=on_map, s={"hp_max": 20, "armour": {}}, x=quick)
    hurt(table, "s", 5)
    table.play("do_nothing", "s")
    table.end_turn()
    table.play("attack", "x", "s", weapon="blade", to_hit=HIT, defend="none")
    assert hp(table, "s") == -2

    done = table.play("attack", "x", "s", weapon="blade", to_hit=HIT, defend="dodge", dodge=PASS)

    assert "consciousness" not in [one.purpose for one in done.of(ev.CheckRolled)]
    table.end_turn()
    assert table.turn == "s"
    assert check_of(table.play("evaluate", "s", "x", consciousness=PASS), "consciousness").target == 11


@pytest.mark.clause("GU-2160")
def test_brought_to_0_in_his_own_slot_he_goes_on_in_it() -> None:
    table = duel(s={"hp_max": 12, "armour": {}}, x={})
    hurt(table, "s", 4)

    # He hits his own leg with the first blow, for 7 cut to the bone; the second is not asked about.
    table.play(
        "all_out_attack",
        "s",
        "x",
        weapon=SWORD,
        options={"option": "double", "mode": "swing"},
        first__to_hit=(6, 6, 6),
        critical_miss=(4, 1, 1),
        limb=5,
        damage=6,
        second__to_hit=(6, 6, 4),
    )

    assert hp(table, "s") == -2


@pytest.mark.clause("GU-2160", "GU-080")
def test_the_unconscious_are_passed_over() -> None:
    table = fight(s={"hp_max": 10}, x={}, p={}, apart={"sx": 1, "sp": 1, "xp": 1})
    hurt(table, "s", 0)

    table.play("evaluate", "s", "x", consciousness=FAIL)
    table.end_turn()
    table.end_turn()

    assert table.turn == "x"


@pytest.mark.clause("GU-2160", "GU-1610")
def test_a_stunned_man_at_0_does_nothing_and_rolls_only_to_defend_himself() -> None:
    table = at(0)
    put(table, "s", "stunned_physical")
    done = table.end_turn(recover_from_stun=FAIL)
    assert [one.purpose for one in done.of(ev.CheckRolled)] == ["recover_from_stun"]

    done = table.play(
        "attack", "x", "s", weapon="axe", to_hit=HIT, defend="dodge", consciousness=PASS, dodge=(4, 4, 4), damage=(1, 1)
    )

    assert [one.purpose for one in done.of(ev.CheckRolled)][:3] == ["attack", "consciousness", "defend"]
