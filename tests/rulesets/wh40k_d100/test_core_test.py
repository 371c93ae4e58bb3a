"""The core test: target number, critical results, Successes and Failures, caps. Clauses WH-100 to WH-170."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.blocks.d100 import reversed_die
from app.engine.reasons import Refused
from rulesets.wh40k_d100.checks import chance_against, judge
from rulesets.wh40k_d100.figures import bonus
from tests.rulesets.wh40k_d100.fights import begin, fight, held, noted, terms
from tests.support.play import PlayTable


def shooting(bs: int = 55, band: str = "combat", weapon: str = "laspistol", **more: Any) -> PlayTable:
    """Somebody who shoots at a trooper without a map."""
    hand = "both" if weapon in ("lasgun", "autogun", "long_las", "flamer") else "main"
    options, armour = more.pop("options", {}), more.pop("armour", {})
    return fight(
        varro={"bs": bs, "items": held(weapon, hand), **more}, trooper={"minor": 0, "armour": armour}, options=options
    )


def said(band: str) -> dict[str, Any]:
    """The band of the trooper."""
    return {"said": {"bands": {"trooper": band}}}


@pytest.mark.clause("WH-100")
@pytest.mark.parametrize(("die", "outcome"), [(41, "success"), (42, "success"), (43, "failure")])
def test_equal_to_the_target_number_is_a_success(die: int, outcome: str) -> None:
    table = fight(apart=1, varro={"ws": 42}, trooper={"items": held("sword")})

    done = table.play(
        "attack",
        "varro",
        "trooper",
        weapon="chainsword",
        to_hit=die,
        **({"defend": "none", "damage": 2} if die < 43 else {}),
    )

    assert (done.check.target, done.check.outcome) == (42, outcome)


@pytest.mark.clause("WH-110", "WH-150")
@pytest.mark.parametrize(
    ("target", "die", "success", "critical"),
    [
        (45, 5, True, True),
        (45, 6, True, False),
        (110, 95, True, False),
        (110, 96, False, False),
        (110, 100, False, False),
        (-10, 4, True, True),
        (-10, 6, False, False),
        (3, 5, True, True),
    ],
)
def test_low_rolls_always_succeed_and_high_ones_always_fail(
    target: int, die: int, success: bool, critical: bool
) -> None:
    found = judge(fight(varro={}).table, target, die)

    assert (found.success, found.critical) == (success, critical)


@pytest.mark.clause("WH-110")
@pytest.mark.parametrize(
    ("options", "die", "critical"),
    [
        ({"critical_success": "doubles"}, 33, True),
        ({"critical_success": "doubles"}, 4, False),
        ({"critical_success": "doubles"}, 99, False),
        ({"critical_success": "successes_at_least"}, 5, True),
        ({"critical_success": "successes_at_least"}, 10, False),
        ({"critical_success": "successes_at_least", "critical_success_successes": 4}, 10, True),
        ({"natural_success": 1}, 4, False),
        ({"natural_success": 1}, 1, True),
    ],
)
def test_other_ideas_of_a_critical_success(options: dict[str, Any], die: int, critical: bool) -> None:
    assert judge(fight(varro={}, options=options).table, 45, die).critical is critical


@pytest.mark.clause("WH-110")
def test_a_table_may_let_fewer_rolls_fail_by_themselves() -> None:
    assert judge(fight(varro={}, options={"natural_failure": 100}).table, 110, 96).success
    assert chance_against(fight(varro={}).table, 110) == 950_000
    assert chance_against(fight(varro={}).table, -10) == 50_000
    assert chance_against(fight(varro={}).table, 42) == 420_000


@pytest.mark.clause("WH-120")
@pytest.mark.parametrize(
    ("target", "die", "successes"),
    [(45, 41, 1), (45, 40, 1), (45, 39, 2), (45, 9, 5), (39, 30, 1), (104, 7, 11), (5, 5, 1), (-10, 4, 1)],
)
def test_counting_successes(target: int, die: int, successes: int) -> None:
    assert judge(fight(varro={}).table, target, die).degrees == successes


@pytest.mark.clause("WH-120")
@pytest.mark.parametrize(("die", "successes"), [(41, 0), (39, 1), (9, 4)])
def test_successes_without_the_one(die: int, successes: int) -> None:
    table = fight(varro={}, options={"successes": "tens_difference"}).table

    assert judge(table, 45, die).degrees == successes


@pytest.mark.clause("WH-130", "WH-150")
@pytest.mark.parametrize(
    ("target", "die", "failures"), [(30, 31, 1), (30, 40, 2), (110, 96, 1), (-10, 50, 6), (60, 100, 5)]
)
def test_counting_failures(target: int, die: int, failures: int) -> None:
    found = judge(fight(varro={}).table, target, die)

    assert (found.success, found.degrees) == (False, failures)


@pytest.mark.clause("WH-130")
def test_failures_without_the_one() -> None:
    assert judge(fight(varro={}, options={"failures": "tens_difference"}).table, 30, 40).degrees == 1


@pytest.mark.clause("WH-140", "WH-320")
@pytest.mark.parametrize(("options", "target"), [({}, -25), ({"modifier_cap": 60}, -5)])
def test_modifiers_add_up_without_limit_unless_the_table_sets_one(options: dict[str, Any], target: int) -> None:
    table = shooting(weapon="laspistol", options=options)

    done = table.play("attack", "varro", "trooper", options={"called": "eye"}, to_hit=6, **said("extreme"))

    assert done.check.target == target
    assert done.check.outcome == "failure"


@pytest.mark.clause("WH-140", "WH-110")
def test_only_the_lowest_rolls_hit_against_a_negative_target_number() -> None:
    table = shooting(weapon="laspistol")

    done = table.play(
        "attack", "varro", "trooper", options={"called": "eye"}, to_hit=5, defend="none", damage=3, **said("extreme")
    )

    assert (done.check.outcome, done.check.grade, done.check.degrees) == ("success", "critical", 1)


@pytest.mark.clause("WH-140")
@pytest.mark.parametrize(("options", "target"), [({}, 135), ({"modifier_cap": 60}, 115)])
def test_the_cap_holds_upwards_too(options: dict[str, Any], target: int) -> None:
    table = shooting(options=options)
    begin(table, "trooper", "stunned", 1)
    begin(table, "trooper", "surprised")

    done = table.play("attack", "varro", "trooper", to_hit=96, **said("point_blank"))

    assert done.check.target == target
    assert terms(done.check)["target_surprised"] == 30


@pytest.mark.clause("WH-160", "WH-430")
def test_a_test_that_fails_by_itself_is_not_rolled_but_paid_for() -> None:
    table = shooting(bs=120)
    begin(table, "varro", "blinded", 1)

    done = table.play("attack", "varro", "trooper", **said("point_blank"))

    assert not done.asked
    fact = next(one for one in done.of(ev.Noted) if one.fact == "attack_failed")
    assert (fact.words, fact.clause) == (("blinded",), "WH-160")
    assert table.who("varro").items["laspistol"].marks["ammo"] == 29
    assert table.who("varro").budget["half_action"] == 1
    assert "extreme_damage" not in noted(done)


@pytest.mark.clause("WH-160")
def test_a_die_brought_along_for_it_is_refused() -> None:
    table = shooting()
    assert table.why_not("attack", "varro", "trooper", rolls={"to_hit": (4,)}, **said("short")) == []
    begin(table, "varro", "blinded", 1)

    assert table.why_not("attack", "varro", "trooper", rolls={"to_hit": (4,)}, **said("short")) == ["no_roll_expected"]
    with pytest.raises(Refused):
        table.play("attack", "varro", "trooper", modifiers=("nonsense",), **said("short"))


@pytest.mark.clause("WH-170")
def test_bonuses_round_down() -> None:
    body = fight(varro={"s": 49}).who("varro")

    assert bonus(body, "s") == 4


@pytest.mark.clause("WH-170", "WH-350")
@pytest.mark.parametrize(("options", "points"), [({}, 2), ({"rounding": "up"}, 3)])
def test_armour_at_a_joint_rounds_as_the_table_plays_it(options: dict[str, Any], points: int) -> None:
    table = shooting(bs=95, options=options, armour={"right_arm": 8})

    done = table.play(
        "attack",
        "varro",
        "trooper",
        options={"called": "joint"},
        location="right_arm",
        to_hit=40,
        defend="none",
        damage=9,
        **said("combat"),
    )

    assert {term.id: term.value for term in done.one(ev.DamageDealt).soak}["armour"] == points


@pytest.mark.clause("WH-250", "WH-150")
@pytest.mark.parametrize(("die", "figure"), [(41, 14), (10, 1), (7, 70), (100, 100), (1, 10), (88, 88), (90, 9)])
def test_the_digits_change_places(die: int, figure: int) -> None:
    assert reversed_die(die) == figure
