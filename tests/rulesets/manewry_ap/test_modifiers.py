"""The core test and every class of modifier at its own moment. Clauses MA-100 to MA-170."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Answer, Ask, Faces, Input
from app.engine.commands import Act, AddEffect, RemoveEffect, Rule
from app.engine.ids import CombatantId, EffectId
from app.engine.run import StoredRuling, run
from rulesets.manewry_ap.checks import chance_from
from tests.rulesets.manewry_ap.fights import ap, both_ways, duel, held, pool, put, st, terms, total
from tests.support.play import PlayTable

QUIET: dict[str, Any] = {"immediate_response": "none"}


def struck(on_map: bool, *, options: dict[str, Any] | None = None, **jagna: Any) -> PlayTable:
    """Borys next to Jagna, who has her two daggers."""
    return duel(on_map, options=options, borys={}, jagna=jagna)


# The test


@both_ways
@pytest.mark.clause("MA-100")
@pytest.mark.parametrize(("roll", "outcome"), [(48, "failure"), (49, "success"), (50, "success")])
def test_dice_and_characteristic_must_reach_the_st(on_map: bool, roll: int, outcome: str) -> None:
    table = struck(on_map, agi=17)
    answers = {"damage": 1} if outcome == "success" else {}

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="dodge", to_hit=roll, **answers)

    assert (st(done), total(done.check), done.check.outcome) == (67, roll + 18, outcome)
    assert done.check.degrees == abs(roll + 18 - 67)


@pytest.mark.clause("MA-100")
@pytest.mark.parametrize(("agi", "bonus", "roll", "outcome"), [(0, 0, 1, "failure"), (60, 20, 100, "failure")])
def test_no_face_succeeds_or_fails_by_itself(agi: int, bonus: int, roll: int, outcome: str) -> None:
    table = struck(True, agi=agi)
    put(table, "jagna", "dodge_modifier", bonus)

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="dodge", to_hit=roll)

    assert (st(done), done.check.outcome) == (50 + agi + bonus, outcome)


@pytest.mark.clause("MA-100")
def test_a_one_can_pass() -> None:
    table = struck(True)
    put(table, "borys", "hit_modifier", 40)

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="none", to_hit=1, damage=1)

    assert done.check.outcome == "success"


@pytest.mark.clause("MA-100")
def test_dice_and_base_are_options() -> None:
    table = struck(True, options={"test_dice": "2d10+1", "base_st": 12})

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="dodge", to_hit=(5, 6), damage=1)

    assert (st(done), done.check.outcome, done.check.degrees) == (30, "success", 0)
    assert terms(done.check)["test_dice"] == 1


@pytest.mark.clause("MA-100")
@pytest.mark.parametrize(
    ("dice", "faces", "natural"),
    [("1d20+1d6", {"to_hit": 20, "to_hit_2": 3}, 23), ("2d20-1d6", {"to_hit": (20, 9), "to_hit_2": 4}, 25)],
)
def test_any_dice_may_be_set(dice: str, faces: dict[str, Any], natural: int) -> None:
    table = struck(True, options={"test_dice": dice, "base_st": 60})

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="dodge", **faces)

    assert done.check.degrees == abs(natural + 18 - 78)


@pytest.mark.clause("MA-100")
@pytest.mark.parametrize(
    ("sides", "need", "chance"),
    [((100,), 50, 510000), ((100,), 1, 1000000), ((100,), 101, 0), ((10, 10), 11, 550000), ((6, 6, 6), 11, 500000)],
)
def test_chances_count_every_way(sides: tuple[int, ...], need: int, chance: int) -> None:
    assert chance_from(sides, need) == chance


@both_ways
@pytest.mark.clause("MA-110")
@pytest.mark.parametrize(("defence", "target"), [("dodge", 62), ("parry", 72), ("none", 50)])
def test_the_st_is_the_base_and_the_value_of_the_defence(on_map: bool, defence: str, target: int) -> None:
    table = duel(on_map, jagna={}, borys={})

    done = table.play("melee_attack", "jagna", "borys", **QUIET, defend=defence, to_hit=1)

    assert st(done) == target


# Hit modifiers


@both_ways
@pytest.mark.clause("MA-120")
@pytest.mark.parametrize(("second", "outcome"), [(0, "success"), (-1, "failure")])
def test_hit_modifiers_are_added_between_the_dice_and_the_comparison(on_map: bool, second: int, outcome: str) -> None:
    table = struck(on_map, agi=20)
    put(table, "borys", "hit_modifier", 5)
    if second:
        put(table, "borys", "hit_modifier", second)
    answers = {"damage": 1} if outcome == "success" else {}

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="dodge", to_hit=47, **answers)

    assert (st(done), total(done.check), done.check.outcome) == (70, 70 + second, outcome)
    assert done.check.dice[0].value == 47
    assert "hit_modifier" in terms(done.check)


@pytest.mark.clause("MA-120")
def test_a_hit_modifier_does_nothing_in_another_test() -> None:
    table = duel(True, borys={}, ogr={})
    put(table, "borys", "hit_modifier", 5)
    put(table, "borys", "grabbed", against="ogr")

    done = table.play("break_free", "borys", ogr__hold=50, borys__break_free=60)

    assert (st(done), total(done.check)) == (78, 78)


@pytest.mark.clause("MA-120")
def test_the_set_in_force_when_the_dice_lie_counts() -> None:
    table = struck(True)
    put(table, "borys", "hit_modifier", -20)
    done = ruled_before_the_dice(table, RemoveEffect(CombatantId("borys"), EffectId("hit_modifier")), to_hit=50)

    assert done.outcome == "success"
    assert "hit_modifier" not in terms(done)


def ruled_before_the_dice(table: PlayTable, *changes: cmd.Change, to_hit: int, defend: str = "dodge") -> ev.CheckRolled:
    """Borys strikes at Jagna, and the GM rules when she has chosen and the dice have not fallen."""
    answers = {"immediate_response": Answer("none"), "defend": Answer(defend)}
    act = Act(table.submission("melee_attack", "borys", "jagna"))

    def source(ask: Ask) -> Input | None:
        return answers.get(ask.key.rsplit("/", 1)[-1])

    waiting = run(table.rules, table.state, act, inputs={}, source=source)
    (roll,) = waiting.open
    inputs = {**waiting.inputs, roll.key: Faces((to_hit,))}
    ruling = StoredRuling(len(waiting.events), Rule("test", changes))
    done = run(table.rules, table.state, act, inputs=inputs, source=lambda ask: Faces((1,)), rulings=(ruling,))
    return next(emitted.event for emitted in done.events if isinstance(emitted.event, ev.CheckRolled))


# Defence modifiers


@both_ways
@pytest.mark.clause("MA-130")
@pytest.mark.parametrize(("defence", "target"), [("dodge", 68), ("parry", 68), ("none", 50)])
def test_a_defence_modifier_counts_with_its_own_defence_only(on_map: bool, defence: str, target: int) -> None:
    table = duel(on_map, jagna={}, borys={})
    put(table, "borys", "dodge_modifier", 6)
    put(table, "borys", "parry_modifier", -4)

    done = table.play("melee_attack", "jagna", "borys", **QUIET, defend=defence, to_hit=1)

    assert st(done) == target


@pytest.mark.clause("MA-130")
@pytest.mark.parametrize(
    ("kind", "defence", "target"),
    [("block_modifier", "block", 76 + 3), ("cover_modifier", "cover", 60 + 3), ("parry_modifier", "parry", 72 + 3)],
)
def test_each_kind_of_defence_has_a_class_of_its_own(kind: str, defence: str, target: int) -> None:
    table = duel(True, jagna={}, borys={})
    put(table, "borys", kind, 3)

    done = table.play("melee_attack", "jagna", "borys", **QUIET, defend=defence, to_hit=1)

    assert st(done) == target


@pytest.mark.clause("MA-130")
@pytest.mark.parametrize(
    "change",
    [
        AddEffect(CombatantId("jagna"), "dodge_modifier", 30),
        RemoveEffect(CombatantId("jagna"), EffectId("dodge_modifier")),
    ],
)
def test_a_modifier_that_begins_or_ends_later_does_not_alter_the_st_already_set(change: cmd.Change) -> None:
    table = struck(True)
    put(table, "jagna", "dodge_modifier", 6)

    check = ruled_before_the_dice(table, change, to_hit=50)

    assert check.target == 50 + 18 + 6


# Damage modifiers


@both_ways
@pytest.mark.clause("MA-140")
def test_a_modifier_of_damage_dealt_is_added_to_every_source(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={"soak": 0})
    put(table, "jagna", "damage_dealt_modifier", 2)

    done = table.play(
        "double_attack", "jagna", "borys", **QUIET, defend="none", to_hit=40, second_hand=60, damage=4, damage_2=2
    )

    assert [event.raw for event in done.of(ev.DamageDealt)] == [4 + 1 + 6 + 2, 2 + 1 + 6 + 2]


@both_ways
@pytest.mark.clause("MA-150")
@pytest.mark.parametrize(("taken", "through"), [(3, [12, 10]), (-10, [0, 0]), (-7, [2, 0]), (0, [9, 7])])
def test_a_modifier_of_damage_taken_is_added_to_each_before_soak(on_map: bool, taken: int, through: list[int]) -> None:
    table = duel(on_map, jagna={}, borys={})
    put(table, "borys", "damage_taken_modifier", taken)

    done = table.play(
        "double_attack", "jagna", "borys", **QUIET, defend="none", to_hit=40, second_hand=60, damage=6, damage_2=4
    )

    assert [event.through for event in done.of(ev.DamageDealt)] == through
    assert pool(table, "borys", "hp") == 46 - sum(through)


@pytest.mark.clause("MA-150")
def test_one_source_below_nothing_does_not_lower_the_other() -> None:
    table = duel(True, jagna={"items": held(dagger="main", sword="off"), "str": 14}, borys={})
    put(table, "borys", "damage_taken_modifier", -10)

    done = table.play(
        "double_attack", "jagna", "borys", **QUIET, defend="none", to_hit=40, second_hand=60, damage=3, damage_2=10
    )

    assert [event.through for event in done.of(ev.DamageDealt)] == [0, 10 + 3 + 7 - 10 - 4]


# Characteristics


@pytest.mark.clause("MA-160")
def test_the_current_value_counts_in_tests_defences_and_damage() -> None:
    table = duel(True, borys={}, ogr={})
    put(table, "borys", "str_modifier", -5)
    put(table, "borys", "agi_modifier", 4)
    put(table, "borys", "grabbed", against="ogr")
    freed = table.play("break_free", "borys", ogr__hold=50, borys__break_free=65)
    assert (total(freed.check), freed.check.outcome) == (78, "success")

    struck = table.play("melee_attack", "borys", "ogr", **QUIET, defend="none", to_hit=90, damage=6)
    assert struck.one(ev.DamageDealt).raw == 6 + 3 + 6

    table.end_turn()
    dodged = table.play("melee_attack", "ogr", "borys", **QUIET, defend="dodge", to_hit=1)
    assert st(dodged) == 66


@pytest.mark.clause("MA-160")
def test_by_option_damage_uses_the_base() -> None:
    table = struck(True, options={"damage_uses_current": False})
    put(table, "borys", "str_modifier", -5)

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="none", to_hit=90, damage=6)

    assert done.one(ev.DamageDealt).raw == 6 + 3 + 9


@pytest.mark.clause("MA-160")
def test_what_has_ended_before_the_dice_counts_no_more() -> None:
    table = struck(True)
    put(table, "borys", "mel_modifier", -5)

    check = ruled_before_the_dice(table, RemoveEffect(CombatantId("borys"), EffectId("mel_modifier")), to_hit=50)

    assert (total(check), check.target) == (68, 68)


@pytest.mark.clause("MA-160")
def test_pools_stay_several_add_and_nothing_falls_below_zero() -> None:
    table = struck(True)
    put(table, "borys", "end_modifier", -10)
    put(table, "jagna", "agi_modifier", -10)
    put(table, "jagna", "agi_modifier", -10)

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="dodge", to_hit=1)

    assert st(done) == 50
    assert (table.who("borys").sheet.stats["hp_max"], table.who("borys").sheet.stats["ep_max"]) == (46, 46)


# All of them together


@both_ways
@pytest.mark.clause("MA-165")
def test_modifiers_add_each_in_its_own_place(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={})
    put(table, "jagna", "hit_modifier", 5)
    put(table, "jagna", "damage_dealt_modifier", 7)
    put(table, "borys", "dodge_modifier", 6)
    put(table, "borys", "dodge_modifier", 2)
    put(table, "borys", "parry_modifier", 50)

    done = table.play(
        "leaping_attack",
        "jagna",
        "borys",
        options={"combine": ["double_attack"]},
        **QUIET,
        defend="dodge",
        to_hit=55,
        second_hand=75,
        damage=1,
        damage_2=1,
    )

    first, second = done.of(ev.CheckRolled)
    assert (first.target, total(first)) == (75, 75)
    assert (second.target, total(second)) == (75, 75)
    assert terms(second) == {
        "base_st": 50,
        "dodge": 12,
        "dodge_modifier": 8,
        "leaping_attack": 5,
        "mel": 15,
        "second_hand": -20,
        "hit_modifier": 5,
    }


@pytest.mark.clause("MA-165")
def test_the_gm_may_give_a_modifier_for_this_action_by_its_class() -> None:
    table = struck(True)
    given = (
        cmd.GivenModifier("hit", 4, "high ground"),
        cmd.GivenModifier("dodge", 3, "mud"),
        cmd.GivenModifier("damage_dealt", 2, "rage"),
        cmd.GivenModifier("damage_taken", 1, "frail"),
        cmd.GivenModifier("str", 4, "rage"),
        cmd.GivenModifier("gm", 1, "because"),
    )
    sub = table.submission("melee_attack", "borys", "jagna")
    done = table.command(Act(replace(sub, modifiers=given)), **QUIET, defend="dodge", to_hit=48, damage=6)

    assert (st(done), total(done.check)) == (71, 71)
    assert done.one(ev.DamageDealt).raw == 6 + 3 + 11 + 2 + 1


@pytest.mark.clause("MA-170")
@pytest.mark.parametrize(("rounding", "raw"), [("down", 6 + 3 + 7 + 7), ("up", 6 + 3 + 8 + 8)])
def test_each_half_is_rounded_by_itself(rounding: str, raw: int) -> None:
    table = duel(True, options={"rounding": rounding}, borys={"str": 15, "items": held(sword="main")}, jagna={})

    done = table.play("two_handed_attack", "borys", "jagna", **QUIET, defend="none", to_hit=50, damage=6)

    assert done.one(ev.DamageDealt).raw == raw
    assert ap(table, "borys") == 5
