"""The Pinning test and what it does at once. Clauses DH-5640, DH-5650."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.events import Term
from app.engine.ids import CombatantId
from app.engine.scene import Scene
from rulesets.dark_heresy_2e.pinning import pinning_test
from tests.rulesets.dark_heresy_2e.going import both_ways, fight, told
from tests.support.play import PlayTable, Script

BROK = CombatantId("brok")


def after_the_test(table: PlayTable, modifier: int = 0, **answers: Any) -> Scene:
    """Brok under fire, in a run of its own."""
    given = Script(answers)
    scene = Scene(table.rules, table.state, {}, given.source)
    pinning_test(scene, BROK, [Term("suppressing_fire", modifier)] if modifier else ())
    given.check_used()
    return scene


def alone(on_map: bool, **fields: Any) -> PlayTable:
    """Brok far from Vane, whose turn it is."""
    return fight(on_map, {"vane": (0, 0), "brok": (60, 0)}, brok=fields)


@both_ways
@pytest.mark.clause("DH-5650")
@pytest.mark.parametrize(
    ("modifier", "die", "target", "pinned"),
    [
        (0, 34, 34, False),
        (0, 35, 34, True),
        (-10, 24, 24, False),
        (-10, 25, 24, True),
        (-20, 14, 14, False),
        (-20, 15, 14, True),
        (-60, 1, -26, False),
        (60, 100, 94, True),
    ],
)
def test_willpower_with_the_stated_modifier_or_pinned(
    on_map: bool, modifier: int, die: int, target: int, pinned: bool
) -> None:
    scene = after_the_test(alone(on_map), modifier, pinning=die)

    rolled = scene.events[0].event
    assert isinstance(rolled, ev.CheckRolled)
    assert (rolled.check, rolled.target, rolled.clause) == ("wp", target, "DH-5650")
    assert scene.has(BROK, "pinned") is pinned


@both_ways
@pytest.mark.clause("DH-5650")
def test_who_is_pinned_does_not_test_again_and_counts_as_shot_at(on_map: bool) -> None:
    table = alone(on_map)
    table.rule(cmd.AddEffect(BROK, "pinned"))

    scene = after_the_test(table)

    assert scene.has(BROK, "pinned")
    assert scene.has(BROK, "shot_at")


@both_ways
@pytest.mark.clause("DH-5650")
def test_who_is_locked_in_melee_does_not_test(on_map: bool) -> None:
    table = fight(on_map, {"vane": (0, 0), "brok": (1, 0)}, melee=(("vane", "brok"),))

    assert after_the_test(table).events == []


@both_ways
@pytest.mark.clause("DH-5650")
def test_who_is_locked_only_with_somebody_who_is_down_does_test(on_map: bool) -> None:
    table = fight(
        on_map, {"gorm": (5, 5), "vane": (0, 0), "brok": (1, 0)}, vane={"engaged": ("brok",), "status": "down"}
    )

    assert len(after_the_test(table, pinning=1).events) == 1


@both_ways
@pytest.mark.clause("DH-3910", "DH-5650")
@pytest.mark.parametrize("status", ["down", "dead"])
def test_the_unconscious_and_the_dead_do_not_test(on_map: bool, status: str) -> None:
    assert after_the_test(alone(on_map, status=status)).events == []


@both_ways
@pytest.mark.clause("DH-5640")
def test_pinned_in_somebody_elses_turn_he_has_one_half_action_in_his_own(on_map: bool) -> None:
    table = alone(on_map)
    table.rule(cmd.AddEffect(BROK, "pinned"))

    done = table.end_turn()

    assert table.who("brok").budget["half_action"] == 1
    assert "BudgetChanged" in told(done.events)


@both_ways
@pytest.mark.clause("DH-5640")
@pytest.mark.parametrize(("used", "left"), [(False, 2), (True, 0)])
def test_pinned_in_his_own_turn_he_has_nothing_left_once_he_has_used_a_half_action(
    on_map: bool, used: bool, left: int
) -> None:
    table = alone(on_map)
    table.end_turn()
    if used:
        table.play("aim", "brok")

    scene = after_the_test(table, pinning=35)

    assert scene.who(BROK).budget["half_action"] == left
