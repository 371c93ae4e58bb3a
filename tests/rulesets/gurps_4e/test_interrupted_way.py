"""What is left of a way once somebody has come between: shoved aside, knocked down, held, slowed, stunned.

Clauses GU-100, GU-110, GU-430, GU-900.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.walking import HEXES, apart, both_ways, field, gone, spot
from tests.support.play import Played, PlayTable, length

R, X = CombatantId("r"), CombatantId("x")
ON: dict[str, Any] = {"to_hit": (3, 3, 3), "defend": "none"}


def waited_for(on_map: bool, *, form: str = "strike", **changes: Any) -> PlayTable:
    """The axeman waits for whoever comes within a yard, and the rifleman is about to run past him."""
    weapon = "axe" if form == "strike" else None
    if on_map:
        table = fight(x={"at": (4, 1, 0), **changes}, r={"at": (0, 0, 90)})
    else:
        table = fight(x=changes, r={}, apart={"xr": 4})
    options = {"trigger": "comes_within", "distance": 1, "response": "attack"}
    table.play("wait", "x", weapon=weapon, options={**options, "form": form})
    table.end_turn()
    return table


def run_past(table: PlayTable, action: str = "move", **given: Any) -> Played:
    """Six yards straight on, of which the third or so brings him near."""
    if table.table.has_map:
        return table.play(action, "r", path=[(6, 0)], use_wait="act", **given)
    stated = {"length": 6, "crosses": ("x",), "crosses_at": {"x": 3}}
    return table.play(action, "r", said=stated, use_wait="act", **given)


# Going on


@both_ways
@pytest.mark.clause("GU-100")
def test_where_nothing_has_changed_he_goes_on_by_himself(on_map: bool) -> None:
    table = waited_for(on_map)

    done = run_past(table, to_hit=(6, 6, 4))

    assert (gone(done, "r"), done.questions("resume_turn")) == (6, [])
    assert [type(one) for one in done.events if isinstance(one, ev.Moved | ev.AttackMade)] == [
        ev.Moved,
        ev.AttackMade,
        ev.Moved,
    ]


SHOVED: dict[str, Any] = {**ON, "shove": 5, "keep_balance": (3, 3, 3)}
"""A thrust of 5, less 1 for the one hand, doubled to 8, drives ST 10 a yard back."""


@pytest.mark.clause("GU-100")
def test_shoved_off_his_way_he_is_asked_by_which_he_goes_on() -> None:
    table = waited_for(True, form="shove")

    done = run_past(table, **SHOVED, way__resume_turn=("change_remainder", {"path": ((400, -300),)}))

    (question,) = done.questions("resume_turn")
    assert (question.to, question.clause) == ("r", "GU-100")
    assert [option.id for option in question.options] == ["change_remainder", "stop"]
    assert spot(table, "r") == (4, -3)
    assert gone(done, "r") < 6


@pytest.mark.clause("GU-100")
def test_he_may_stop_there_and_the_maneuver_counts_as_taken() -> None:
    table = waited_for(True, form="shove")

    done = run_past(table, **SHOVED, way__resume_turn="stop")

    stopped = done.one(ev.ActionStopped)
    assert (stopped.combatant, stopped.action, stopped.clause) == ("r", "move", "GU-100")
    assert table.why_not("move", "r", path=[(6, 0)])[0] == "maneuver_already_used"


@pytest.mark.clause("GU-100", "GU-410")
def test_the_other_way_is_no_longer_than_what_is_left() -> None:
    with pytest.raises(Refused) as refused:
        run_past(
            waited_for(True, form="shove"),
            **SHOVED,
            way__resume_turn=("change_remainder", {"path": ((900, 0),)}),
        )

    (reason,) = refused.value.reasons
    assert (reason.code, reason.at, reason.need_length) == ("move_too_far", "/fields/path", 311)


@pytest.mark.clause("GU-100")
@pytest.mark.parametrize(("yards", "fits"), [(3, True), (3.01, False)])
def test_without_a_map_he_says_how_far_he_goes_on(yards: float, fits: bool) -> None:
    table = waited_for(False, form="shove")
    given: dict[str, Any] = {**SHOVED, "way__resume_turn": ("change_remainder", {"length": length(yards)})}

    if not fits:
        with pytest.raises(Refused):
            run_past(table, **given)
        return
    assert gone(run_past(table, **given), "r") == 6


# What ends it


@both_ways
@pytest.mark.clause("GU-110")
def test_a_stunned_one_goes_no_farther_and_his_maneuver_rules_his_defence(on_map: bool) -> None:
    table = waited_for(on_map)

    # 2d+2 less DR 8: 6 and 5 and 2 make 13, 5 through, 7 by the cut: a major wound of 10 HP.
    done = run_past(table, **ON, damage=(6, 5), knockdown=(5, 4, 4))

    assert table.has("r", "stunned_physical", "lying_prone")
    assert gone(done, "r") == pytest.approx(3, abs=0.2)
    maneuver = table.table.effect(R, "maneuver")
    assert maneuver is not None
    assert maneuver.word == "move"


@both_ways
@pytest.mark.clause("GU-110")
def test_knocked_down_he_goes_only_as_far_as_he_still_can(on_map: bool) -> None:
    table = waited_for(on_map, form="shove")

    # He has gone nearly three yards, and lying down has a Move of 1.
    done = run_past(table, **ON, shove=5, keep_balance=(6, 5, 5))

    assert table.has("r", "lying_prone")
    assert done.questions("resume_turn") == []
    assert gone(done, "r") == pytest.approx(3, abs=0.2)


@both_ways
@pytest.mark.clause("GU-110", "GU-2150")
@pytest.mark.parametrize(("die", "left"), [(4, 6), (5, 3)])
def test_reeling_in_mid_slot_his_move_is_worked_out_anew(on_map: bool, die: int, left: float) -> None:
    table = waited_for(on_map)
    table.rule(cmd.SetPool(R, "hp", 4))

    # 2d+2 less DR 8: with 4 and 2 nothing gets through, with 5 and 2 a single point, and 3 of 10 HP are left.
    done = run_past(table, **ON, damage=(die, 2))

    assert table.has("r", "reeling") == (left == 3)
    # Three yards with a Move of 3: nothing, or next to nothing, is left.
    assert gone(done, "r") == left


# The attack in the midst of the way


@both_ways
@pytest.mark.clause("GU-900", "GU-430")
def test_by_option_the_attack_comes_on_the_way_and_he_goes_on(on_map: bool) -> None:
    spots: dict[str, Any] = {"x": {"at": (0, 0, 90)}, "s": {"at": (2, 1, 180)}} if on_map else {"x": {}, "s": {}}
    table = fight(options={"attack_during_move": True}, apart=None if on_map else {"xs": 3}, **spots)
    fields: dict[str, Any] = (
        {"path": [(5, 0)]} if on_map else {"said": {"length": 5, "path_straight": True, "distance_after": {"s": 3}}}
    )
    options = {"act_at": length(2), **({} if on_map else {"toward": "s"})}

    done = table.play("move_and_attack", "x", "s", weapon="axe", options=options, **fields, to_hit=(6, 6, 4))

    pieces = [
        one.distance if isinstance(one, ev.Moved) else "strikes"
        for one in done.events
        if isinstance(one, ev.Moved | ev.AttackMade)
    ]
    assert pieces == [200, "strikes", 300]
    if on_map:
        assert spot(table, "x") == (5, 0)
    else:
        assert apart(table, "x", "s") == 3
    assert table.has("x", "ran_straight")


@pytest.mark.clause("GU-900")
def test_so_it_does_round_a_corner_on_hexes() -> None:
    table = field(HEXES, options={"attack_during_move": True}, x={"hex": (0, 0, 90)}, s={"hex": (3, 0, 210)})

    done = table.play(
        "move_and_attack",
        "x",
        "s",
        weapon="axe",
        options={"act_at": length(3)},
        path=[(2, 0), (2, 2)],
        to_hit=(6, 6, 4),
    )

    assert [one.distance for one in done.of(ev.Moved)] == [300, 100]
    assert spot(table, "x") == (2, 2)
