"""Several maneuvers in one slot, full-turn maneuvers, what one carries over to another. Clauses GU-570 to GU-590."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.ids import CombatantId
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.walking import both_ways, gone, way
from tests.support.play import PlayTable

S, X = CombatantId("s"), CombatantId("x")
SWORD: dict[str, Any] = {"weapon": "thrusting_broadsword"}
SWING: dict[str, Any] = {"mode": "swing"}
MISSED = (6, 6, 4)
FAILED: dict[str, Any] = {"to_hit": (4, 3, 4), "defend": "dodge", "dodge": (4, 4, 4), "damage": 1}
"""He hits, and is not dodged."""


def rate(extra: int, **more: Any) -> dict[str, Any]:
    """What makes somebody so much faster."""
    return {"talents": ["altered_time_rate"], "trait_values": {"altered_time_rate": extra}, **more}


def duel(extra: int = 1, *, on_map: bool = False, options: dict[str, Any] | None = None) -> PlayTable:
    """The swordsman with so many maneuvers more, a yard from the axeman."""
    if on_map:
        return fight(s=rate(extra, at=(0, 0, 90)), x={"at": (1, 0, 270)}, options=options)
    return fight(s=rate(extra), x={}, apart={"sx": 1}, options=options)


def attack(table: PlayTable, **given: Any) -> Any:
    """The swordsman strikes at the axeman."""
    return table.play("attack", "s", "x", **SWORD, options=SWING, **given)


# How many


@both_ways
@pytest.mark.clause("GU-570")
@pytest.mark.parametrize("extra", [0, 1, 2])
def test_there_is_one_and_as_many_more_as_he_is_faster(on_map: bool, extra: int) -> None:
    table = duel(extra, on_map=on_map)

    for _ in range(1 + extra):
        assert table.why_not("evaluate", "s", "x") == []
        table.play("evaluate", "s", "x")

    found = table.reasons("evaluate", "s", "x")
    assert [(one.code, one.clause) for one in found] == [("maneuver_already_used", "GU-570" if extra else "GU-010")]


@both_ways
@pytest.mark.clause("GU-570")
def test_each_has_its_own_movement(on_map: bool) -> None:
    table = duel(on_map=on_map)

    first = table.play("move", "s", **way(on_map, 4, 270))
    second = table.play("move", "s", **way(on_map, 4, 270, (-4, 0)))

    assert gone(first, "s") + gone(second, "s") == 8


@pytest.mark.clause("GU-570")
def test_free_actions_belong_to_the_slot() -> None:
    table = duel()
    table.play("crouch", "s")
    table.play("talk", "s", note="Two!")
    table.play("evaluate", "s", "x")

    assert table.why_not("talk", "s", note="Three!") == ["speech_limit_reached"]
    assert set(table.why_not("rise_from_crouch", "s")) == {"crouch_change_already_used", "only_at_start_of_turn"}


@pytest.mark.clause("GU-570")
def test_he_need_not_use_them_all_and_has_them_again_in_the_next_slot() -> None:
    table = duel()
    table.play("evaluate", "s", "x")
    table.end_turn()
    table.end_turn()

    assert table.who("s").budget["maneuver"] == 2


# Which rules the defence


def struck(table: PlayTable, **given: Any) -> Any:
    """The axeman strikes at the swordsman, and hits if he is not stopped."""
    table.until_turn_of("x")
    return table.play("attack", "x", "s", weapon="axe", to_hit=(4, 3, 4), **given)


@both_ways
@pytest.mark.clause("GU-570")
def test_the_last_one_chosen_rules_the_defence(on_map: bool) -> None:
    table = duel(on_map=on_map)
    attack(table, to_hit=MISSED)
    table.play("all_out_defense", "s", options={"option": "increased_dodge"})

    done = struck(table, defend="dodge", dodge=(4, 4, 3))

    assert done.of(ev.CheckRolled)[1].target == 11


@both_ways
@pytest.mark.clause("GU-570")
@pytest.mark.parametrize("last", ["all_out_defense", "evaluate"])
def test_the_ban_of_all_out_attack_stays(on_map: bool, last: str) -> None:
    table = duel(on_map=on_map)
    table.play("all_out_attack", "s", "x", **SWORD, options={"option": "strong", **SWING}, to_hit=MISSED)
    if last == "evaluate":
        table.play("evaluate", "s", "x")
    else:
        table.play("all_out_defense", "s", options={"option": "double_defense"})

    done = struck(table, damage=(1, 1))

    assert done.questions("defend") == []
    assert done.of(ev.DamageDealt)


@both_ways
@pytest.mark.clause("GU-570")
def test_the_bonus_of_all_out_defense_stays(on_map: bool) -> None:
    table = duel(on_map=on_map)
    table.play("all_out_defense", "s", options={"option": "increased_dodge"})
    attack(table, to_hit=MISSED)

    done = struck(table, defend="dodge", dodge=(4, 4, 3))

    assert done.of(ev.CheckRolled)[1].target == 11


@both_ways
@pytest.mark.clause("GU-570")
def test_what_move_and_attack_bars_stays(on_map: bool) -> None:
    table = duel(on_map=on_map)
    table.play("move_and_attack", "s", "x", **SWORD, options=SWING, to_hit=MISSED)
    table.play("evaluate", "s", "x")

    done = struck(table, defend="dodge", dodge=(4, 4, 1))

    (question,) = done.questions("defend")
    barred = {one.id: [reason.code for reason in one.reasons] for one in question.barred}
    assert barred["parry"] == ["parry_not_allowed"]


@both_ways
@pytest.mark.clause("GU-570")
def test_with_the_next_slot_all_of_it_is_over(on_map: bool) -> None:
    table = duel(on_map=on_map)
    table.play("all_out_attack", "s", "x", **SWORD, options={"option": "strong", **SWING}, to_hit=MISSED)
    table.play("all_out_defense", "s", options={"option": "double_defense"})
    table.end_turn()
    table.end_turn()

    assert not table.has("s", "no_active_defense", "all_out_defending")


# The full turn


def shooter(extra: int = 1) -> PlayTable:
    """The rifleman with so many maneuvers more, ten yards from the axeman."""
    return fight(r=rate(extra), x={}, apart={"rx": 10})


AIM: dict[str, Any] = {"weapon": "assault_rifle"}
RAKE: dict[str, Any] = {"weapon": "assault_rifle", "options": {"option": "suppression_fire"}}


@pytest.mark.clause("GU-580")
def test_nothing_follows_an_aim() -> None:
    table = shooter()
    table.play("aim", "r", "x", **AIM)

    for action, targets, given in (("attack", ("x",), AIM), ("do_nothing", (), {}), ("aim", ("x",), AIM)):
        found = table.reasons(action, "r", *targets, **given)
        assert [(one.code, one.clause) for one in found] == [("full_turn_maneuver", "GU-580")]


@pytest.mark.clause("GU-580")
def test_and_none_of_them_follows_another_maneuver() -> None:
    table = shooter(2)
    table.play("attack", "r", "x", **AIM, to_hit=MISSED)

    assert table.why_not("aim", "r", "x", **AIM) == ["full_turn_maneuver"]
    assert "full_turn_maneuver" in table.why_not("concentrate", "r", options={"task": "look", "seconds_needed": 1})
    assert "full_turn_maneuver" in table.why_not("all_out_attack", "r", **RAKE)
    assert table.why_not("attack", "r", "x", **AIM) == []


@pytest.mark.clause("GU-580")
def test_nothing_follows_a_concentration() -> None:
    table = shooter()
    table.play("concentrate", "r", options={"task": "look", "seconds_needed": 2})

    assert table.why_not("attack", "r", "x", **AIM) == ["full_turn_maneuver"]


@pytest.mark.clause("GU-580")
def test_with_one_maneuver_it_is_simply_used() -> None:
    table = shooter(0)
    table.play("aim", "r", "x", **AIM)

    assert table.why_not("attack", "r", "x", **AIM) == ["maneuver_already_used"]


@pytest.mark.clause("GU-580")
def test_free_actions_go_with_it_all_the_same() -> None:
    table = shooter()
    table.play("aim", "r", "x", **AIM)

    assert table.why_not("talk", "r", note="Hold still.") == []


@pytest.mark.clause("GU-580")
def test_a_slot_of_its_own_takes_a_full_turn_maneuver_again() -> None:
    table = shooter()
    table.play("aim", "r", "x", **AIM)
    table.end_turn()
    table.end_turn()

    assert table.why_not("aim", "r", "x", **AIM) == []


# Carried over


def feinted(table: PlayTable) -> None:
    """The swordsman feints with 15 and wins by 4 against the 13 of the axeman."""
    table.play("feint", "s", "x", **SWORD, s__feint=(4, 3, 3), x__feint=(4, 4, 4))


@both_ways
@pytest.mark.clause("GU-590")
def test_a_feint_serves_the_next_maneuver_of_the_same_slot_and_is_spent(on_map: bool) -> None:
    table = duel(2, on_map=on_map)
    feinted(table)

    first = attack(table, **FAILED)
    second = attack(table, **FAILED)

    assert [done.of(ev.CheckRolled)[1].target for done in (first, second)] == [8 - 4, 8]
    assert not table.has("s", "feinted")


@both_ways
@pytest.mark.clause("GU-590")
def test_else_it_serves_the_next_turn(on_map: bool) -> None:
    table = duel(on_map=on_map)
    feinted(table)
    table.end_turn()
    table.end_turn()

    done = attack(table, **FAILED)

    assert done.of(ev.CheckRolled)[1].target == 4


@both_ways
@pytest.mark.clause("GU-590")
def test_by_option_it_serves_the_next_turn_only(on_map: bool) -> None:
    table = duel(on_map=on_map, options={"carry_within_slot": False})
    feinted(table)

    done = attack(table, **FAILED)
    assert done.of(ev.CheckRolled)[1].target == 8
    table.end_turn()
    table.end_turn()

    done = attack(table, **FAILED)
    assert done.of(ev.CheckRolled)[1].target == 4


@both_ways
@pytest.mark.clause("GU-590")
@pytest.mark.parametrize(("carry", "now", "then"), [(True, 17, 15), (False, 15, 17)])
def test_two_evaluations_in_one_slot_count_as_two(on_map: bool, carry: bool, now: int, then: int) -> None:
    table = duel(2, on_map=on_map, options={"carry_within_slot": carry})
    table.play("evaluate", "s", "x")
    table.play("evaluate", "s", "x")

    assert attack(table, **FAILED).check.target == now
    table.end_turn()
    table.end_turn()

    assert attack(table, **FAILED).check.target == then


@pytest.mark.clause("GU-590")
def test_an_evaluation_that_was_not_used_lapses_with_the_next_turn() -> None:
    table = duel()
    table.play("evaluate", "s", "x")
    for _ in range(4):
        table.end_turn()

    assert attack(table, to_hit=MISSED).check.target == 15
