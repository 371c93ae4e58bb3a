"""Sprinting: the run-up, the line, how far it goes, and that nobody retreats in such a turn. Clauses GU-540, GU-590,
GU-1030, GU-1040.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from rulesets.gurps_4e.figures import sprint_move
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.walking import ahead, alone, both_ways, gone, spot, way
from tests.support.play import PlayTable

R, X = CombatantId("r"), CombatantId("x")
SPRINT: dict[str, Any] = {"sprint": True}
STRAIGHT: dict[str, Any] = {"path_straight": True}


def after_a_run(on_map: bool, yards: float = 5, *, who: str = "x", heading: int = 90, **changes: Any) -> PlayTable:
    """Somebody who ran that far in the turn before, and whose slot it is again."""
    table = alone(on_map, who, **changes)
    table.play("move", who, **way(on_map, yards, heading, **STRAIGHT))
    table.end_turn()
    return table


def on(table: PlayTable, yards: float, heading: int = 90, who: str = "x") -> dict[str, Any]:
    """Straight on from where he is."""
    on_map = table.table.has_map
    return way(on_map, yards, heading, spot(table, who) if on_map else (0, 0), **STRAIGHT)


# How far


@pytest.mark.clause("GU-1030")
@pytest.mark.parametrize(("move", "sprint"), [(4, 5), (5, 6), (6, 7), (9, 10), (10, 12), (14, 16), (15, 18), (1, 2)])
def test_it_is_a_fifth_more_and_a_yard_at_least(move: int, sprint: int) -> None:
    assert sprint_move(fight(r={"basic_move": move}).table, R) == sprint


@both_ways
@pytest.mark.clause("GU-1030")
@pytest.mark.parametrize(("yards", "reasons"), [(6, []), (6.01, ["move_too_far"]), (7, ["move_too_far"])])
def test_the_second_second_of_a_run_goes_farther(on_map: bool, yards: float, reasons: list[str]) -> None:
    table = after_a_run(on_map)

    assert table.why_not("move", "x", options=SPRINT, **on(table, yards)) == reasons


@both_ways
@pytest.mark.clause("GU-1030")
def test_without_sprinting_the_move_is_what_it_was(on_map: bool) -> None:
    table = after_a_run(on_map)

    assert table.why_not("move", "x", **on(table, 6)) == ["move_too_far"]


@both_ways
@pytest.mark.clause("GU-1030")
def test_so_does_every_further_second(on_map: bool) -> None:
    table = after_a_run(on_map)

    for _ in range(2):
        done = table.play("move", "x", options=SPRINT, **on(table, 6))
        table.end_turn()
        assert gone(done, "x") == 6


# The run-up


@both_ways
@pytest.mark.clause("GU-1030")
def test_in_the_first_second_there_is_no_sprint(on_map: bool) -> None:
    found = alone(on_map, "x").reasons("move", "x", options=SPRINT, **way(on_map, 6, **STRAIGHT))

    assert [(one.code, one.clause, one.at) for one in found] == [("sprint_needs_run_up", "GU-1030", "/options/sprint")]


@both_ways
@pytest.mark.clause("GU-1030")
@pytest.mark.parametrize(("yards", "reasons"), [(1.99, ["sprint_needs_run_up"]), (2, []), (5, [])])
def test_a_run_up_is_half_the_move_at_least(on_map: bool, yards: float, reasons: list[str]) -> None:
    table = after_a_run(on_map, yards)

    assert table.why_not("move", "x", options=SPRINT, **on(table, 6)) == reasons


@pytest.mark.clause("GU-1030")
def test_a_run_up_is_straight() -> None:
    table = alone(True, "x")
    table.play("move", "x", path=[(3, 0), (3, 2)])
    table.end_turn()

    assert table.why_not("move", "x", options=SPRINT, path=[(3, 8)]) == ["sprint_needs_run_up"]


@pytest.mark.clause("GU-1030")
@pytest.mark.parametrize(
    ("stated", "options", "reasons"),
    [
        ({"path_straight": True}, {}, []),
        ({"path_straight": False}, {}, ["sprint_needs_run_up"]),
        ({"straight_end": 5}, {}, []),
        ({"straight_end": 4}, {}, ["sprint_needs_run_up"]),
        ({}, {}, ["sprint_needs_run_up"]),
        ({}, {"toward": "s"}, []),
        ({}, {"away_from": "s"}, []),
    ],
)
def test_without_a_map_it_is_as_straight_as_stated(
    stated: dict[str, Any], options: dict[str, Any], reasons: list[str]
) -> None:
    table = fight(x={}, s={}, apart={"xs": 20})
    table.play("move", "x", options=options, said={"length": 5, **stated})
    table.end_turn()
    table.end_turn()

    assert table.why_not("move", "x", options=SPRINT, said={"length": 6, "path_straight": True}) == reasons


@pytest.mark.clause("GU-1030")
@pytest.mark.parametrize(("heading", "reasons"), [(90, []), (150, []), (151, ["sprint_needs_run_up"])])
def test_a_run_up_goes_forward(heading: int, reasons: list[str]) -> None:
    table = after_a_run(True, 4, heading=heading)

    assert table.why_not("move", "x", options=SPRINT, **on(table, 6, heading)) == reasons


@both_ways
@pytest.mark.clause("GU-1030")
@pytest.mark.parametrize("action", ["do_nothing", "all_out_defense"])
def test_another_maneuver_between_ends_the_run(on_map: bool, action: str) -> None:
    table = after_a_run(on_map)
    table.play(action, "x", options={"option": "double_defense"} if action == "all_out_defense" else {})
    table.end_turn()

    assert table.why_not("move", "x", options=SPRINT, **on(table, 6)) == ["sprint_needs_run_up"]


@both_ways
@pytest.mark.clause("GU-1030")
def test_a_turn_in_which_he_stands_ends_it_too(on_map: bool) -> None:
    table = after_a_run(on_map)
    table.play("do_nothing", "x")
    table.end_turn()

    assert table.why_not("move", "x", options=SPRINT, **on(table, 6)) == ["sprint_needs_run_up"]


@both_ways
@pytest.mark.clause("GU-1030")
def test_a_move_and_attack_is_a_run_up_and_a_sprint_as_well(on_map: bool) -> None:
    spots: dict[str, Any] = {"x": {"at": (0, 0, 90)}, "s": {"at": (5.9, 0, 270)}, "r": {"at": (12, 0, 270)}}
    if on_map:
        table = fight(**spots)
        first: dict[str, Any] = {"path": [(5, 0)]}
        second: dict[str, Any] = {"path": [(5.5, 1.5), (11, 0)]}
        straight: dict[str, Any] = {"path": [(11, 0)]}
    else:
        table = fight(x={}, s={}, r={}, apart={"xs": 6, "xr": 12})
        first = {"said": {"length": 5, "path_straight": True, "distance_after": {"s": 1, "r": 7}}}
        second = {"said": {"length": 6, "path_straight": False, "distance_after": {"r": 1}}}
        straight = {"said": {"length": 6, "path_straight": True, "distance_after": {"r": 1}}}

    assert table.why_not("move_and_attack", "x", "s", weapon="axe", options=SPRINT, **first) == ["sprint_needs_run_up"]
    table.play("move_and_attack", "x", "s", weapon="axe", **first, to_hit=(6, 6, 4))
    table.until_turn_of("s")
    table.until_turn_of("x")

    assert "path_not_straight" in table.why_not("move_and_attack", "x", "r", weapon="axe", options=SPRINT, **second)
    given = {"let_pass": "let_pass"} if on_map else {}
    done = table.play("move_and_attack", "x", "r", weapon="axe", options=SPRINT, **straight, **given, to_hit=(6, 6, 4))
    assert gone(done, "x") == 6
    assert table.has("x", "sprinting")


# The line


@pytest.mark.clause("GU-1030")
@pytest.mark.parametrize(
    ("heading", "reasons"),
    [(90, []), (150, []), (151, ["path_not_straight"]), (29, ["path_not_straight"]), (270, ["path_not_straight"])],
)
def test_the_sprint_keeps_within_60_degrees_of_the_line(heading: int, reasons: list[str]) -> None:
    table = after_a_run(True)

    found = table.reasons("move", "x", options=SPRINT, **on(table, 6, heading))

    assert [(one.code, one.at) for one in found] == [(code, "/path") for code in reasons]


@both_ways
@pytest.mark.clause("GU-1030")
def test_the_sprint_is_straight(on_map: bool) -> None:
    table = after_a_run(on_map)
    bent: dict[str, Any] = {"path": [(8, 0), (10, 1)]} if on_map else {"said": {"length": 6, "path_straight": False}}

    found = table.reasons("move", "x", options=SPRINT, **bent)

    assert [(one.code, one.clause) for one in found] == [("path_not_straight", "GU-1030")]


@pytest.mark.clause("GU-1030")
def test_a_third_second_keeps_to_the_line_of_the_second() -> None:
    table = after_a_run(True)
    table.play("move", "x", options=SPRINT, path=[ahead(6, 150, (5, 0))])
    table.end_turn()

    assert table.why_not("move", "x", options=SPRINT, **on(table, 6, 210)) == []
    assert table.why_not("move", "x", options=SPRINT, **on(table, 6, 89)) == ["path_not_straight"]


# Standing


@both_ways
@pytest.mark.clause("GU-1030", "GU-540")
@pytest.mark.parametrize(
    ("posture", "clause"), [("crouching", "GU-540"), ("kneeling", "GU-1030"), ("lying_prone", "GU-1030")]
)
def test_nobody_sprints_but_on_his_feet(on_map: bool, posture: str, clause: str) -> None:
    table = after_a_run(on_map)
    table.rule(cmd.AddEffect(X, posture))

    found = table.reasons("move", "x", options=SPRINT, **on(table, 1))

    assert [(one.code, one.clause) for one in found] == [("cannot_sprint_crouched", clause)]


@both_ways
@pytest.mark.clause("GU-1030")
def test_a_run_in_a_crouch_is_no_run_up(on_map: bool) -> None:
    table = alone(on_map, "x")
    table.play("crouch", "x")
    table.play("move", "x", **way(on_map, 3, **STRAIGHT))
    table.end_turn()
    table.play("rise_from_crouch", "x")

    assert table.why_not("move", "x", options=SPRINT, **on(table, 6)) == ["sprint_needs_run_up"]


# Several maneuvers


@both_ways
@pytest.mark.clause("GU-590", "GU-1030")
@pytest.mark.parametrize(("carry", "reasons"), [(True, []), (False, ["sprint_needs_run_up"])])
def test_with_two_maneuvers_the_first_is_a_run_up_for_the_second(on_map: bool, carry: bool, reasons: list[str]) -> None:
    fast = {"trait_values": {"altered_time_rate": 1}, "talents": ["altered_time_rate"]}
    table = alone(on_map, "x", options={"carry_within_slot": carry}, **fast)
    table.play("move", "x", **way(on_map, 5, **STRAIGHT))

    assert table.why_not("move", "x", options=SPRINT, **on(table, 6)) == reasons


# Retreating


def attacked(sprints: bool) -> PlayTable:
    """The rifleman has run for two seconds, sprinting or not, to a yard from the swordsman, whose slot it is."""
    table = fight(r={"at": (0, 0, 90)}, s={"at": (14 if sprints else 13, 0, 270)})
    table.play("move", "r", path=[(6, 0)])
    table.end_turn()
    table.end_turn()
    table.play("move", "r", options={"sprint": True} if sprints else {}, path=[(13 if sprints else 12, 0)])
    table.end_turn()
    return table


@pytest.mark.clause("GU-1040")
def test_after_a_move_any_defence_is_open_and_a_retreat_too() -> None:
    table = attacked(False)

    done = table.play(
        "attack",
        "s",
        "r",
        weapon="thrusting_broadsword",
        options={"mode": "swing"},
        to_hit=(4, 3, 4),
        defend=("dodge", {"retreat": True}),
        dodge=(4, 4, 4),
    )

    assert done.of(ev.CheckRolled)[1].target == 12


@pytest.mark.clause("GU-1040")
def test_in_a_turn_with_sprint_nobody_retreats() -> None:
    table = attacked(True)
    blow: dict[str, Any] = {"weapon": "thrusting_broadsword", "options": {"mode": "swing"}, "to_hit": (4, 3, 4)}

    with pytest.raises(Refused) as refused:
        table.play("attack", "s", "r", **blow, defend=("dodge", {"retreat": True}))
    assert "retreat_not_allowed" in [one.code for one in refused.value.reasons]
    done = table.play("attack", "s", "r", **blow, defend="dodge", dodge=(4, 4, 1))
    assert done.of(ev.CheckRolled)[1].target == 9


@both_ways
@pytest.mark.clause("GU-1040")
def test_the_sprint_is_over_with_the_next_slot(on_map: bool) -> None:
    table = after_a_run(on_map)
    table.play("move", "x", options=SPRINT, **on(table, 6))
    assert table.has("x", "sprinting")

    table.end_turn()

    assert not table.has("x", "sprinting")
