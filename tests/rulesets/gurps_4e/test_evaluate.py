"""Evaluate: whom, what it is worth, how it adds up. Clauses GU-1900 to GU-1950."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, PairFact, Wall
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable

SWORD = "thrusting_broadsword"
MISS, MISS_OF_16, FAILS = (6, 6, 4), (6, 6, 5), (4, 4, 5)
TWICE = {"trait_values": {"altered_time_rate": 1}}


def both(on_map: bool, one: str, other: str, far: float, **more: Any) -> PlayTable:
    """Two so far from each other, on a map or with that stated."""
    first, second = dict(more.pop(one, {})), dict(more.pop(other, {}))
    if not on_map:
        return fight(apart={one + other: far}, **{one: first, other: second}, **more)
    return fight(**{one: {"at": (0, 0, 90), **first}, other: {"at": (far, 0, 270), **second}}, **more)


def bonus(table: PlayTable, who: str = "s") -> dict[str, int]:
    """What he has evaluated, by foe."""
    return {str(one.against): one.value for one in table.table.effects(CombatantId(who), "evaluating")}


def evaluate(table: PlayTable, *foes: str, who: str = "s") -> None:
    """A second for each of these foes, and on to his next slot."""
    for foe in foes:
        table.play("evaluate", who, foe)
        table.end_turn()
        table.until_turn_of(who)


def worth(done: Played) -> list[int | None]:
    """The Evaluate bonus of each roll of his."""
    return [
        {term.id: term.value for term in event.terms}.get("evaluate")
        for event in done.of(ev.CheckRolled)
        if event.combatant == "s"
    ]


# Whom


@pytest.mark.clause("GU-1900")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(
    ("who", "changes", "far", "reasons"),
    [
        ("x", {}, 1, []),
        ("x", {}, 6, []),
        ("x", {}, 7, ["target_too_far_to_evaluate"]),
        # Move 4 and a reach of 1.
        ("s", {}, 5, []),
        ("s", {}, 6, ["target_too_far_to_evaluate"]),
        # Move 6, and a spear that is set to 2.
        ("p", {}, 8, []),
        ("p", {}, 9, ["target_too_far_to_evaluate"]),
        ("p", {"items": {"spear": Item("spear", held="both", marks={"reach": 1})}}, 8, ["target_too_far_to_evaluate"]),
        # A rifle does not strike, but he kicks.
        ("r", {}, 7, []),
        ("r", {}, 8, ["target_too_far_to_evaluate"]),
    ],
)
def test_a_foe_whom_one_move_and_attack_reaches(
    on_map: bool, who: str, changes: dict[str, Any], far: int, reasons: list[str]
) -> None:
    foe = "s" if who != "s" else "x"
    table = both(on_map, who, foe, far, **{who: changes})

    refused = table.reasons("evaluate", who, foe)

    assert [one.code for one in refused] == reasons
    assert {one.clause for one in refused} <= {"GU-1900"}


@pytest.mark.clause("GU-1900")
def test_the_refusal_tells_how_far_is_too_far() -> None:
    table = fight(x={}, s={}, apart={"sx": 7})

    refused = table.reasons("evaluate", "x", "s")

    assert [(one.need, one.got, one.at) for one in refused] == [(6, 7, "/targets/0")]


@pytest.mark.clause("GU-1900")
def test_move_counts_as_it_is_now() -> None:
    table = fight(x={}, s={}, apart={"sx": 3})
    table.rule(cmd.AddEffect(CombatantId("x"), "kneeling"))

    assert table.why_not("evaluate", "x", "s") == ["target_too_far_to_evaluate"]


@pytest.mark.clause("GU-1900", "GU-2230")
def test_who_is_held_reaches_nobody_far_off() -> None:
    table = fight(x={}, s={}, p={}, apart={"sx": 2, "px": 0})
    table.rule(cmd.AddEffect(CombatantId("x"), "grappled", 1, against=CombatantId("p")))

    assert table.why_not("evaluate", "x", "s") == ["target_too_far_to_evaluate"]
    assert table.why_not("evaluate", "x", "p") == []


@pytest.mark.clause("GU-1900")
def test_somebody_out_of_sight_on_a_map_is_not_evaluated() -> None:
    table = fight(x={"at": (0, 0, 90)}, s={"at": (3, 0, 270)})
    wall = Wall((150, -500), (150, 500))
    table.command(cmd.Setup(ground=Ground(walls=(wall,))))

    assert table.why_not("evaluate", "x", "s") == ["target_not_visible"]


@pytest.mark.clause("GU-1900")
def test_somebody_out_of_sight_without_a_map_is_not_evaluated() -> None:
    table = fight(x={}, s={}, apart={"sx": 3})
    table.rule(cmd.SetFact(CombatantId("x"), CombatantId("s"), PairFact(sees=False, distance=300)))

    refused = table.reasons("evaluate", "x", "s")

    assert [(one.code, one.clause) for one in refused] == [("target_not_visible", "GU-1900")]


@pytest.mark.clause("GU-1900")
def test_an_unknown_distance_has_to_be_stated() -> None:
    table = fight(x={}, s={})

    assert table.why_not("evaluate", "x", "s") == ["missing_input"]
    assert table.why_not("evaluate", "x", "s", said={"distance": {"s": 6}}) == []


@pytest.mark.clause("GU-1900", "GU-1940")
def test_a_step_before_brings_him_near_enough_and_one_after_does_not() -> None:
    table = fight(x={"at": (0, 0, 90)}, s={"at": (7, 0, 270)})

    assert table.why_not("evaluate", "x", "s", path=[(1, 0)]) == []
    assert table.why_not("evaluate", "x", "s", path=[(1, 0)], options={"act_at": 0}) == ["target_too_far_to_evaluate"]


# What it is worth


@pytest.mark.clause("GU-1910", "GU-640")
@pytest.mark.parametrize("on_map", [False, True])
def test_one_more_to_hit_in_the_next_turn_only(on_map: bool) -> None:
    table = both(on_map, "s", "x", 1)
    evaluate(table, "x")

    done = table.play("attack", "s", "x", weapon=SWORD, to_hit=MISS_OF_16)

    assert done.check.target == 16
    assert [(term.id, term.value, term.clause) for term in done.check.terms][-1] == ("evaluate", 1, "GU-1910")
    assert bonus(table) == {}


@pytest.mark.clause("GU-1910")
def test_it_is_gone_after_the_next_turn() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    evaluate(table, "x")
    table.play("all_out_defense", "s", options={"option": "increased_dodge"})
    assert bonus(table) == {"x": 1}
    table.end_turn()
    table.until_turn_of("s")

    assert bonus(table) == {}
    assert table.play("attack", "s", "x", weapon=SWORD, to_hit=MISS).check.target == 15


@pytest.mark.clause("GU-1910")
@pytest.mark.parametrize(
    ("maneuver", "given", "expected"),
    [
        ("attack", {"to_hit": MISS_OF_16}, [16]),
        ("feint", {"s__feint": MISS, "x__feint": MISS}, [16]),
        ("all_out_attack", {"options": {"option": "determined"}, "to_hit": MISS_OF_16}, [20]),
        ("all_out_attack", {"options": {"option": "double"}, "to_hit": [MISS_OF_16, MISS_OF_16]}, [16, 16]),
        (
            "all_out_attack",
            {"options": {"option": "feint"}, "s__feint": MISS, "x__feint": MISS, "to_hit": MISS_OF_16},
            [16, 16],
        ),
        ("move_and_attack", {"to_hit": (5, 5, 5)}, [9]),
    ],
)
def test_every_roll_of_the_maneuver_has_it(maneuver: str, given: dict[str, Any], expected: list[int]) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    evaluate(table, "x")

    done = table.play(maneuver, "s", "x", weapon=SWORD, **given)

    assert [event.target for event in done.of(ev.CheckRolled) if event.combatant == "s"] == expected
    assert worth(done) == [1] * len(expected)
    assert bonus(table) == {}


@pytest.mark.clause("GU-1910")
def test_it_counts_against_that_foe_alone() -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "ps": 1})
    evaluate(table, "x")

    done = table.play("attack", "s", "p", weapon=SWORD, to_hit=MISS)

    assert done.check.target == 15
    assert bonus(table) == {"x": 1}


# Repeating


@pytest.mark.clause("GU-1920")
def test_seconds_in_a_row_add_up_to_three() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    found = []
    for _ in range(4):
        evaluate(table, "x")
        found.append(bonus(table)["x"])

    assert found == [1, 2, 3, 3]
    assert table.play("attack", "s", "x", weapon=SWORD, to_hit=MISS_OF_16).check.target == 18


@pytest.mark.clause("GU-1920")
def test_another_foe_begins_anew() -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "ps": 1})

    evaluate(table, "x", "x", "p")
    assert bonus(table) == {"p": 1}
    evaluate(table, "x")

    assert bonus(table) == {"x": 1}


@pytest.mark.clause("GU-1920")
def test_any_other_maneuver_between_begins_anew() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    evaluate(table, "x", "x")
    table.play("do_nothing", "s")
    table.end_turn()
    table.until_turn_of("s")
    evaluate(table, "x")

    assert bonus(table) == {"x": 1}


@pytest.mark.clause("GU-1920", "GU-590")
def test_a_maneuver_between_begins_anew_within_one_slot_too() -> None:
    table = fight(s=TWICE, x={}, apart={"sx": 1})

    table.play("evaluate", "s", "x")
    table.play("change_posture", "s", options={"posture": "kneeling"})
    assert bonus(table) == {"x": 1}
    table.end_turn()
    table.until_turn_of("s")
    table.play("evaluate", "s", "x")
    assert bonus(table) == {"x": 1}
    table.play("evaluate", "s", "x")

    assert bonus(table) == {"x": 2}


@pytest.mark.clause("GU-1920", "GU-590")
def test_two_in_one_slot_count_as_two() -> None:
    table = fight(s=TWICE, x={}, apart={"sx": 1})

    table.play("evaluate", "s", "x")
    table.play("evaluate", "s", "x")

    assert bonus(table) == {"x": 2}


@pytest.mark.clause("GU-1920")
def test_a_foe_who_has_gone_too_far_must_come_near_again() -> None:
    table = fight(s={}, x={}, apart={"sx": 5})
    table.play("evaluate", "s", "x")
    table.end_turn()
    table.play("move", "x", options={"away_from": "s"}, said={"length": 5})
    table.end_turn()

    assert bonus(table) == {"x": 1}
    assert table.why_not("evaluate", "s", "x") == ["target_too_far_to_evaluate"]


# Melee only


@pytest.mark.clause("GU-1930")
@pytest.mark.parametrize(("option", "target"), [(False, 13), (True, 14)])
def test_a_throw_has_nothing_of_it_but_spends_it(option: bool, target: int) -> None:
    table = fight(x={"skills": {"thrown_axe_mace": 13}}, s={}, apart={"sx": 2}, options={"evaluate_for_ranged": option})
    evaluate(table, "s", who="x")

    done = table.play("attack", "x", "s", weapon="axe", options={"form": "throw"}, to_hit=MISS)

    assert done.check.target == target
    assert bonus(table, "x") == {}


@pytest.mark.clause("GU-1930")
def test_unarmed_attacks_have_it() -> None:
    table = fight(x={}, s={}, apart={"sx": 0})
    evaluate(table, "s", who="x")

    assert table.play("attack", "x", "s", options={"mode": "punch"}, to_hit=MISS).check.target == 12


# Movement and defence


@pytest.mark.clause("GU-1940")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(("yards", "reasons"), [(1, []), (2, ["step_too_far"])])
def test_it_goes_with_a_step(on_map: bool, yards: int, reasons: list[str]) -> None:
    table = both(on_map, "s", "x", 3)
    way: dict[str, Any] = {"path": [(yards, 0)]} if on_map else {"said": {"length": yards}, "options": {"toward": "x"}}

    assert table.why_not("evaluate", "s", "x", **way) == reasons


@pytest.mark.clause("GU-1940", "GU-2130")
def test_nothing_is_lost_by_defending_or_by_an_injury() -> None:
    table = fight(s={}, x={"items": {"spear": Item("spear", held="main")}, "skills": {"spear": 12}}, apart={"sx": 1})
    evaluate(table, "x")
    table.play("evaluate", "s", "x")
    table.end_turn()

    hurt = table.play(
        "attack",
        "x",
        "s",
        weapon="spear",
        to_hit=(3, 3, 3),
        defend="dodge",
        dodge=FAILS,
        damage=3,
    )
    table.end_turn()
    assert bonus(table) == {"x": 2}
    done = table.play("attack", "s", "x", weapon=SWORD, to_hit=MISS)

    lost = hurt.one(ev.PoolChanged).delta
    assert {term.id: term.value for term in done.check.terms} == {"broadsword": 15, "shock": lost, "evaluate": 2}
    assert (lost, done.check.target) == (-2, 15)


@pytest.mark.clause("GU-1940")
def test_every_defence_is_open() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    table.play("evaluate", "s", "x")
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="axe", to_hit=(4, 4, 4), defend="block", block=(4, 4, 4))

    assert {option.id for option in done.questions("defend")[0].options} == {"dodge", "parry", "block", "none"}


# And then a feint


@pytest.mark.clause("GU-1950")
def test_a_feint_uses_it_up() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    evaluate(table, "x", "x")

    feint = table.play("feint", "s", "x", weapon=SWORD, s__feint=(4, 4, 4), x__feint=MISS)
    assert feint.check.target == 17
    assert bonus(table) == {}
    table.end_turn()
    table.until_turn_of("s")
    done = table.play("attack", "s", "x", weapon=SWORD, to_hit=(4, 4, 4), defend="dodge", dodge=(3, 3, 3), damage=1)

    assert done.check.target == 15
    assert done.of(ev.CheckRolled)[1].target == 8 - 5
