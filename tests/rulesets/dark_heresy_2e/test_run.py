"""Run: how far, what it does to those who strike or shoot at the runner. Clauses DH-3100 to DH-3120."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, path, told
from tests.support.play import PlayTable

START: Spot = (0, 0)


def straight(on_map: bool, metres: float, **said: Any) -> dict[str, Any]:
    """A way straight to the left."""
    return path(on_map, START, (-metres, 0), **said)


def in_melee(on_map: bool, **more: Any) -> PlayTable:
    """Vane to run from Gorm, who has his great weapon in his hands."""
    armed = {"held": {"great_weapon": "both"}}
    return fight(on_map, {"vane": START, "gorm": (1, 0)}, melee=(("vane", "gorm"),), gorm=armed, **more)


@both_ways
@pytest.mark.clause("DH-3100")
@pytest.mark.parametrize(
    ("who", "metres", "reasons"),
    [
        ("vane", 24, []),
        ("vane", 24.01, ["move_too_far"]),
        ("vane", 25, ["move_too_far"]),
        ("gorm", 18, []),
        ("gorm", 18.01, ["move_too_far"]),
    ],
)
def test_one_runs_six_times_the_movement_value(on_map: bool, who: str, metres: float, reasons: list[str]) -> None:
    table = fight(on_map, {who: START})

    assert table.why_not("run", who, **straight(on_map, metres)) == reasons


@both_ways
@pytest.mark.clause("DH-1030", "DH-3100")
def test_it_takes_the_whole_turn(on_map: bool) -> None:
    table = fight(on_map, {"vane": START})

    table.play("run", "vane", **straight(on_map, 24))

    assert table.who("vane").budget["half_action"] == 0


@both_ways
@pytest.mark.clause("DH-3110")
def test_a_runner_is_harder_to_shoot_until_the_start_of_his_next_turn(on_map: bool) -> None:
    table = fight(on_map, {"vane": (0, 0), "brok": (60, 0)})
    table.play("run", "vane", **straight(on_map, 10, distance_after={"brok": 70}))
    table.until_turn_of("brok")

    done = table.play("full_auto_burst", "brok", "vane", to_hit=14)

    # 43 - 10 for the burst - 20 for the runner - 30 for the unbraced gun.
    assert (done.check.target, done.check.outcome) == (-17, "failure")
    assert ("target_running", -20, "DH-3110") in [(t.id, t.value, t.clause) for t in done.check.terms]
    table.until_turn_of("vane")
    assert not table.has("vane", "running")


@both_ways
@pytest.mark.clause("DH-3110")
def test_a_braced_burst_at_a_runner_has_the_number_of_the_book(on_map: bool) -> None:
    table = fight(on_map, {"vane": (0, 0), "brok": (60, 0)})
    table.play("run", "vane", **straight(on_map, 10, distance_after={"brok": 70}))
    table.until_turn_of("brok")

    done = table.play("full_auto_burst", "brok", "vane", modifiers=[30], to_hit=14)

    assert (done.check.target, done.check.outcome, done.check.degrees) == (13, "failure", 1)


@both_ways
@pytest.mark.clause("DH-3110")
def test_a_runner_is_easier_to_strike(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "sable": (-11, 0)})
    table.play("run", "vane", **straight(on_map, 10, engage=("sable",)))
    table.until_turn_of("sable")

    done = table.play("standard_attack", "sable", "vane", to_hit=82, defend="none", damage=1)

    assert (done.check.target, done.check.outcome, done.check.degrees) == (82, "success", 1)


@both_ways
@pytest.mark.clause("DH-3110", "DH-1180")
def test_running_ends_with_the_start_of_the_next_turn_before_anything_else(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (50, 0)})
    table.play("run", "vane", **straight(on_map, 24))
    assert table.has("vane", "running")

    table.end_turn()
    done = table.end_turn()

    assert told(done.events)[-3:] == ["TurnBegan", "EffectEnded", "BudgetChanged"]


@both_ways
@pytest.mark.clause("DH-3120")
def test_running_out_of_melee_gives_a_free_attack_with_the_bonus_against_runners(on_map: bool) -> None:
    table = in_melee(on_map)

    done = table.play(
        "run", "vane", free_attack="take", to_hit=50, damage=(2, 2), **straight(on_map, 24, leaves=("gorm",))
    )

    assert (done.check.target, done.check.degrees) == (68, 2)
    assert not engaged(table, "vane", "gorm")
    assert done.one(ev.Moved).distance == 2400


@both_ways
@pytest.mark.clause("DH-3120")
def test_a_table_may_count_the_run_only_after_the_free_attack(on_map: bool) -> None:
    table = in_melee(on_map, options={"run_bonus_on_free_attack": False})

    done = table.play("run", "vane", free_attack="take", to_hit=99, **straight(on_map, 24, leaves=("gorm",)))

    assert done.check.target == 48
    assert table.has("vane", "running")


@both_ways
@pytest.mark.clause("DH-3330")
@pytest.mark.parametrize("early", [True, False])
def test_a_run_that_did_not_happen_leaves_nobody_running(on_map: bool, early: bool) -> None:
    table = in_melee(on_map, options={"run_bonus_on_free_attack": early}, vane={"wounds_max": 1})

    # Four get through one wound: three points of critical damage stun him.
    done = table.play(
        "run", "vane", free_attack="take", to_hit=44, damage=(3, 3), **straight(on_map, 24, leaves=("gorm",))
    )

    assert table.has("vane", "stunned")
    assert not table.has("vane", "running")
    assert not done.of(ev.Moved)
    assert engaged(table, "vane", "gorm")


@both_ways
@pytest.mark.clause("DH-5610")
def test_who_lies_does_not_run(on_map: bool) -> None:
    table = fight(on_map, {"vane": START})
    table.rule(cmd.AddEffect(CombatantId("vane"), "prone"))

    assert table.why_not("run", "vane", **straight(on_map, 2)) == ["prone"]


@both_ways
@pytest.mark.clause("DH-1030", "DH-5640")
def test_who_is_pinned_in_the_open_has_too_little_for_a_run(on_map: bool) -> None:
    table = fight(on_map, {"sable": START, "gorm": (50, 0)})
    table.end_turn()
    table.rule(cmd.AddEffect(CombatantId("sable"), "pinned"))
    table.end_turn()

    reasons = table.reasons("run", "sable", **straight(on_map, 10))

    assert ("insufficient_actions", "DH-1030") in [(reason.code, reason.clause) for reason in reasons]
