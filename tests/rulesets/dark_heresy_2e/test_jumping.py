"""Jump or Leap. Clauses DH-4400 to DH-4470."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, Wall
from tests.rulesets.dark_heresy_2e.firing import cited
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, fight, path, spot_of
from tests.support.play import Played, PlayTable

VANE = CombatantId("vane")
HERE: Spot = (10.0, 10.0)
FAR: Spot = (40.0, 40.0)
fall_dice = {"fall_vane__damage": 3, "fall_vane__location": 50}
"""The dice of a fall."""


def alone(on_map: bool = False, options: dict[str, Any] | None = None, **vane: Any) -> PlayTable:
    """Vane to act, Gorm far off."""
    return fight(on_map, {"vane": HERE, "gorm": FAR}, options=options, vane=vane)


def kind(name: str, **options: Any) -> dict[str, Any]:
    """The options of that kind of jump, lengths in hundredths."""
    return {"options": {"kind": name, **options}}


def run_up(on_map: bool, length: float, **said: Any) -> dict[str, Any]:
    """A straight run-up of that length to the right."""
    return path(on_map, HERE, (HERE[0] + length, HERE[1]), path_straight=True, **said)


def figures(done: Played, fact: str) -> dict[str, int]:
    """The figures of a fact."""
    (found,) = [event for event in done.of(ev.Noted) if event.fact == fact]
    return {figure.id: figure.value for figure in found.figures}


def facts(done: Played) -> list[str]:
    """Everything noted."""
    return [event.fact for event in done.of(ev.Noted)]


# Up


@both_ways
@pytest.mark.clause("DH-4400")
def test_half_a_metre_from_a_stand_without_a_test(on_map: bool) -> None:
    table = alone(on_map)

    done = table.play("jump_or_leap", "vane", **kind("vertical_standing"), gm_jump_test="none")

    assert done.of(ev.CheckRolled) == []
    assert figures(done, "jumped") == {"height_cm": 50, "reach_cm": 330}
    assert table.who("vane").budget["half_action"] == 0


@pytest.mark.clause("DH-4400")
@pytest.mark.parametrize(("stature", "edge", "grasps"), [(180, 330, True), (180, 340, False), (200, 350, True)])
def test_the_reach_is_the_own_height_a_metre_and_the_jump(stature: int, edge: int, grasps: bool) -> None:
    table = alone()

    done = table.play(
        "jump_or_leap", "vane", **kind("vertical_standing", stature=stature, edge=edge), gm_jump_test="none"
    )

    assert ("grasped" in facts(done)) is grasps


@pytest.mark.clause("DH-4400")
@pytest.mark.parametrize(("die", "height"), [(28, 50), (29, 0)])
def test_the_gm_may_ask_for_toughness_of_somebody_heavily_laden(die: int, height: int) -> None:
    table = alone()

    done = table.play(
        "jump_or_leap", "vane", **kind("vertical_standing"), gm_jump_test=("test", {"modifier": -10}), jump=die
    )

    (question,) = done.questions()
    assert (question.to, question.default) == ("gm", "none")
    assert (done.check.check, done.check.target) == ("t", 28)
    assert figures(done, "jumped")["height_cm"] == height


@pytest.mark.clause("DH-4410")
@pytest.mark.parametrize(("die", "up"), [(34, True), (35, False)])
def test_pulling_oneself_up_is_a_test_of_strength(die: int, up: bool) -> None:
    table = alone()

    done = table.play(
        "jump_or_leap",
        "vane",
        **kind("vertical_standing", edge=300, pull_up=True),
        gm_jump_test="none",
        pull_up=die,
    )

    assert (done.check.check, done.check.target, done.check.clause) == ("s", 34, "DH-4410")
    assert ("pulled_up" in facts(done)) is up


@both_ways
@pytest.mark.clause("DH-4410", "DH-4470")
@pytest.mark.parametrize("kills", [False, True])
def test_whoever_pulls_himself_up_leaves_those_next_to_him(on_map: bool, kills: bool) -> None:
    table = fight(
        on_map,
        {"vane": HERE, "gorm": (11, 10)},
        melee=(("vane", "gorm"),),
        gorm={"held": {"great_weapon": "both"}},
        vane={"minion": 1, "wounds_max": 1},
    )
    struck = {"to_hit": 40, "damage": (9, 9)} if kills else {"to_hit": 99}

    done = table.play(
        "jump_or_leap",
        "vane",
        **kind("vertical_standing", edge=300, pull_up=True),
        gm_jump_test="none",
        pull_up=30,
        free_attack="take",
        **struck,
    )

    assert ("pulled_up" in facts(done)) is not kills
    assert not table.table.engaged(VANE, CombatantId("gorm"))


@both_ways
@pytest.mark.clause("DH-4430")
@pytest.mark.parametrize(("die", "height"), [(23, 350), (40, 250), (33, 300), (1, 450)])
def test_a_running_jump_goes_higher_by_strength_and_degrees(on_map: bool, die: int, height: int) -> None:
    table = alone(on_map)

    done = table.play("jump_or_leap", "vane", **kind("vertical_running"), **run_up(on_map, 4), jump=die)

    assert (done.check.target, done.check.clause) == (40, "DH-4430")
    assert figures(done, "jumped") == {"height_cm": height, "reach_cm": 280 + height}
    if on_map:
        assert spot_of(table, "vane") == (14, 10)


@both_ways
@pytest.mark.clause("DH-4430")
@pytest.mark.parametrize(("second", "prone"), [(40, False), (44, True)])
def test_who_stumbles_tests_again_or_falls_and_his_turn_ends(on_map: bool, second: int, prone: bool) -> None:
    table = alone(on_map)

    done = table.play("jump_or_leap", "vane", **kind("vertical_running"), **run_up(on_map, 4), jump=41, stumble=second)

    assert figures(done, "jumped") == {"height_cm": 0}
    assert table.has("vane", "prone") is prone
    assert table.turn == "gorm"


@both_ways
@pytest.mark.clause("DH-4430")
@pytest.mark.parametrize(("length", "reasons"), [(3.9, [("run_up_too_short", "DH-4430")]), (4, [])])
def test_a_running_jump_takes_four_metres_of_run_up(
    on_map: bool, length: float, reasons: list[tuple[str, str]]
) -> None:
    table = alone(on_map)

    found = table.reasons("jump_or_leap", "vane", **kind("vertical_running"), **run_up(on_map, length))

    assert cited(found) == reasons


# The run-up


@both_ways
@pytest.mark.clause("DH-4440")
@pytest.mark.parametrize(("length", "target"), [(4, 40), (4.9, 40), (5, 50), (6.9, 60), (7, 70), (8, 70)])
def test_each_full_metre_beyond_four_helps_up_to_30(on_map: bool, length: float, target: int) -> None:
    table = alone(on_map)

    done = table.play("jump_or_leap", "vane", **kind("vertical_running"), **run_up(on_map, length), jump=target)

    assert (done.check.target, done.check.outcome) == (target, "success")


@pytest.mark.clause("DH-4440", "DH-4430")
def test_it_helps_who_stumbles_too() -> None:
    table = alone()

    done = table.play("jump_or_leap", "vane", **kind("vertical_running"), **run_up(False, 7), jump=71, stumble=70)

    assert [check.target for check in done.of(ev.CheckRolled)] == [70, 70]
    assert not table.has("vane", "prone")


@both_ways
@pytest.mark.clause("DH-4440")
@pytest.mark.parametrize(
    ("limit", "length", "reasons"),
    [
        ("full_move", 8, []),
        ("full_move", 8.1, [("move_too_far", "DH-4440")]),
        ("charge", 12, []),
        ("charge", 12.1, [("move_too_far", "DH-4440")]),
        ("run", 24, []),
        ("run", 24.1, [("move_too_far", "DH-4440")]),
    ],
)
def test_the_run_up_is_a_full_move_at_most_unless_the_table_says_otherwise(
    on_map: bool, limit: str, length: float, reasons: list[tuple[str, str]]
) -> None:
    table = alone(on_map, {"run_up_limit": limit})

    found = table.reasons("jump_or_leap", "vane", **kind("leap_running"), **run_up(on_map, length))

    assert cited(found) == reasons


@pytest.mark.clause("DH-4440")
def test_somebody_slow_has_just_room_for_one() -> None:
    table = fight(False, {"brok": HERE, "gorm": FAR})

    assert table.why_not("jump_or_leap", "brok", **kind("leap_running"), **run_up(False, 4)) == []
    assert table.why_not("jump_or_leap", "brok", **kind("leap_running"), **run_up(False, 5)) == ["move_too_far"]


@pytest.mark.clause("DH-4460", "DH-4430")
@pytest.mark.parametrize(
    ("jump", "reason"), [("leap_running", "path_not_straight"), ("vertical_running", "run_up_too_short")]
)
def test_the_run_up_is_straight(jump: str, reason: str) -> None:
    bend = {"path": [(12, 10), (12, 13)]}
    on_map, stated = alone(True), alone(False)

    assert on_map.why_not("jump_or_leap", "vane", **kind(jump), **bend) == [reason]
    assert on_map.why_not("jump_or_leap", "vane", **kind(jump), path=[(11, 10), (11, 14)]) == []
    said = {"length": 5, "path_straight": False}
    assert stated.why_not("jump_or_leap", "vane", **kind(jump), said=said) == [reason]
    assert stated.why_not("jump_or_leap", "vane", **kind(jump), said={"length": 5}) == ["missing_input"]
    assert stated.why_not("jump_or_leap", "vane", **kind(jump)) == ["missing_input"]
    assert on_map.why_not("jump_or_leap", "vane", **kind(jump)) == ["missing_input"]


@pytest.mark.clause("DH-4440")
def test_a_wall_stands_in_the_way_of_a_run_up() -> None:
    table = fight(True, {"vane": HERE, "gorm": FAR}, walls=(((12, 5), (12, 15)),))

    assert "path_blocked" in table.why_not("jump_or_leap", "vane", **kind("leap_running"), **run_up(True, 5))


# Down


@both_ways
@pytest.mark.clause("DH-4420", "DH-5470")
@pytest.mark.parametrize(
    ("height", "die", "falls", "prone"),
    [(600, 32, None, False), (700, 32, 3, True), (700, 50, 7, True), (100, 41, 1, True), (500, 40, None, False)],
)
def test_jumping_down(on_map: bool, height: int, die: int, falls: int | None, prone: bool) -> None:
    table = alone(on_map)
    fallen = {} if falls is None else fall_dice

    done = table.play("jump_or_leap", "vane", **kind("jump_down", height=height), jump=die, **fallen)

    assert (done.check.check, done.check.target, done.check.clause) == ("ag", 40, "DH-4420")
    assert table.has("vane", "prone") is prone
    if falls is None:
        assert done.of(ev.DamageDealt) == []
    else:
        dealt = done.one(ev.DamageDealt)
        assert (dealt.raw, dealt.through) == (3 + falls, falls)


@pytest.mark.clause("DH-4420")
def test_how_far_down_must_be_said() -> None:
    found = alone().reasons("jump_or_leap", "vane", **kind("jump_down"))

    assert cited(found) == [("missing_input", "DH-4420")]
    assert cited(alone().reasons("jump_or_leap", "vane")) == [("missing_input", "DH-4400")]


@both_ways
@pytest.mark.clause("DH-4420", "DH-4470")
@pytest.mark.parametrize(("height", "leaves"), [(150, False), (151, True)])
def test_jumping_down_leaves_whom_it_takes_out_of_reach(on_map: bool, height: int, leaves: bool) -> None:
    table = fight(
        on_map, {"vane": HERE, "gorm": (11, 10)}, melee=(("vane", "gorm"),), gorm={"held": {"great_weapon": "both"}}
    )
    asked = {"free_attack": "pass"} if leaves else {}

    table.play("jump_or_leap", "vane", **kind("jump_down", height=height), jump=10, **asked)

    assert table.table.engaged(VANE, CombatantId("gorm")) is not leaves


# Over


@both_ways
@pytest.mark.clause("DH-4450")
@pytest.mark.parametrize(
    ("die", "distance", "height"), [(18, 450, 200), (40, 300, 100), (41, 200, 100), (75, 50, 100), (95, 50, 100)]
)
def test_a_standing_leap(on_map: bool, die: int, distance: int, height: int) -> None:
    table = alone(on_map)

    done = table.play("jump_or_leap", "vane", **kind("leap_standing", direction=90), jump=die)

    assert (done.check.target, done.check.clause) == (40, "DH-4450")
    assert figures(done, "leapt") == {"distance_cm": distance, "height_cm": height}
    moved = done.one(ev.Moved)
    assert (moved.distance, moved.clause) == (distance, "DH-4450")
    if on_map:
        assert spot_of(table, "vane") == (10 + distance / 100, 10)


@pytest.mark.clause("DH-4450", "DH-2130")
@pytest.mark.parametrize(("strength", "die", "distance", "height"), [(40, 40, 400, 100), (34, 18, 450, 200)])
def test_the_height_is_a_quarter_of_the_distance_rounded_up(
    strength: int, die: int, distance: int, height: int
) -> None:
    table = alone(s=strength)

    done = table.play("jump_or_leap", "vane", **kind("leap_standing"), jump=die)

    assert figures(done, "leapt") == {"distance_cm": distance, "height_cm": height}


@both_ways
@pytest.mark.clause("DH-4460", "DH-4440")
def test_a_running_leap_is_easier_and_no_longer(on_map: bool) -> None:
    table = alone(on_map)

    done = table.play("jump_or_leap", "vane", **kind("leap_running"), **run_up(on_map, 6), jump=20)

    assert (done.check.target, done.check.degrees, done.check.clause) == (60, 5, "DH-4460")
    assert figures(done, "leapt")["distance_cm"] == 500
    assert [moved.distance for moved in done.of(ev.Moved)] == [600, 500]
    if on_map:
        assert spot_of(table, "vane") == (21, 10)


@both_ways
@pytest.mark.clause("DH-4460")
def test_a_running_leap_takes_four_metres_of_run_up(on_map: bool) -> None:
    found = alone(on_map).reasons("jump_or_leap", "vane", **kind("leap_running"), **run_up(on_map, 3.9))

    assert cited(found) == [("run_up_too_short", "DH-4460")]


@pytest.mark.clause("DH-4450")
def test_on_a_map_a_standing_leap_has_a_direction_and_stops_short_of_what_is_in_its_way() -> None:
    table = fight(True, {"vane": HERE, "gorm": FAR}, walls=(((12, 5), (12, 15)),))
    assert cited(table.reasons("jump_or_leap", "vane", **kind("leap_standing"))) == [("missing_input", "DH-4450")]

    table.play("jump_or_leap", "vane", **kind("leap_standing", direction=90), jump=40)

    spot = spot_of(table, "vane")
    assert spot is not None
    assert 11 <= spot[0] < 12


@both_ways
@pytest.mark.clause("DH-4470", "DH-5470")
@pytest.mark.parametrize(("gap", "falls"), [(400, True), (350, False), (300, False)])
def test_who_does_not_get_over_the_gap_falls_into_it(on_map: bool, gap: int, falls: bool) -> None:
    table = alone(on_map)
    fallen = {"drop_height": ("drop", {"drop": 600}), **fall_dice} if falls else {}

    done = table.play("jump_or_leap", "vane", **kind("leap_standing", direction=0, gap=gap), jump=33, **fallen)

    assert figures(done, "leapt")["distance_cm"] == 350
    assert table.has("vane", "prone") is falls
    if falls:
        assert done.one(ev.DamageDealt).raw == 9
        assert done.questions()[0].to == "gm"


@pytest.mark.clause("DH-4470")
def test_a_depth_that_was_stated_is_not_asked_for() -> None:
    table = alone()

    done = table.play("jump_or_leap", "vane", **kind("leap_standing", gap=500, depth=200), jump=33, **fall_dice)

    assert done.questions() == []
    assert done.one(ev.DamageDealt).raw == 5


@both_ways
@pytest.mark.clause("DH-4470", "DH-3320")
@pytest.mark.parametrize("jump", ["leap_standing", "leap_running"])
def test_leaping_out_of_melee_provokes(on_map: bool, jump: str) -> None:
    table = fight(
        on_map, {"vane": HERE, "gorm": (9, 10)}, melee=(("vane", "gorm"),), gorm={"held": {"great_weapon": "both"}}
    )
    if jump == "leap_running":
        goes = run_up(on_map, 4, leaves=["gorm"])
    else:
        goes = {} if on_map else {"said": {"leaves": ["gorm"]}}

    done = table.play(
        "jump_or_leap", "vane", **kind(jump, direction=90), **goes, free_attack="take", to_hit=99, jump=40
    )

    assert len(done.questions("free_attack")) == 1
    assert done.questions("defend") == []
    assert not table.table.engaged(VANE, CombatantId("gorm"))


@pytest.mark.clause("DH-4470", "DH-5700")
def test_without_a_map_somebody_in_melee_says_whom_he_leaves() -> None:
    table = fight(False, {"vane": HERE, "gorm": (11, 10)}, melee=(("vane", "gorm"),))

    assert table.why_not("jump_or_leap", "vane", **kind("leap_standing")) == ["missing_input"]
    assert table.why_not("jump_or_leap", "vane", **kind("leap_standing"), said={"leaves": []}) == []


@pytest.mark.clause("DH-4470", "DH-3330")
def test_a_free_attack_that_stops_him_leaves_no_leap() -> None:
    table = fight(
        False,
        {"vane": HERE, "gorm": (11, 10)},
        melee=(("vane", "gorm"),),
        gorm={"held": {"great_weapon": "both"}},
        vane={"minion": 1, "wounds_max": 1},
    )

    done = table.play(
        "jump_or_leap",
        "vane",
        **kind("leap_standing"),
        said={"leaves": ["gorm"]},
        jump=40,
        free_attack="take",
        to_hit=40,
        damage=(9, 9),
    )

    assert done.of(ev.Moved) == []
    assert table.who("vane").status == "dead"


@pytest.mark.clause("DH-4400", "DH-1060", "DH-5610")
def test_it_is_a_full_movement_action() -> None:
    table = alone()
    table.rule(cmd.AddEffect(VANE, "immobilised"))
    table.rule(cmd.AddEffect(VANE, "prone"))
    assert table.why_not("jump_or_leap", "vane", **kind("vertical_standing")) == ["immobilised", "prone"]

    table = alone()
    table.play("aim", "vane")
    assert table.why_not("jump_or_leap", "vane", **kind("vertical_standing")) == ["insufficient_actions"]


@pytest.mark.clause("DH-5680", "DH-4450")
def test_fate_makes_a_leap_easier() -> None:
    table = alone()

    done = table.play("jump_or_leap", "vane", **kind("leap_standing", fate=True), jump=50)

    assert done.check.target == 50


@pytest.mark.clause("DH-4470")
def test_somebody_in_the_landing_place_leaves_him_over_the_gap() -> None:
    table = fight(True, {"vane": HERE, "gorm": FAR, "ilsa": (14.4, 10.0)}, ilsa={"sample": "vane", "side": "vane"})

    done = table.play(
        "jump_or_leap", "vane", **kind("leap_standing", direction=90, gap=400, depth=300), jump=18, **fall_dice
    )

    assert figures(done, "leapt")["distance_cm"] == 450
    assert table.has("vane", "prone")


@pytest.mark.clause("DH-4450", "DH-4470")
def test_the_edges_of_a_gap_stop_a_walk_and_not_a_leap() -> None:
    table = alone(True)
    edges = tuple(Wall((x, 500), (x, 1500), id=f"edge{x}", sight=False, drop=600) for x in (1100, 1400))
    table.command(cmd.Setup(ground=Ground(walls=edges)))
    assert "path_blocked" in table.why_not("move", "vane", **path(True, HERE, (13.0, 10.0)))

    table.play("jump_or_leap", "vane", **kind("leap_standing", direction=90, gap=400), jump=18)

    assert spot_of(table, "vane") == (14.5, 10.0)


@pytest.mark.clause("DH-4430")
def test_a_running_jump_that_succeeds_ends_the_turn_too() -> None:
    table = alone()

    table.play("jump_or_leap", "vane", **kind("vertical_running"), **run_up(False, 4), jump=23)

    assert table.turn == "gorm"


# What the GM adds


@pytest.mark.clause("DH-4420", "DH-4430", "DH-4450", "DH-4460", "DH-5110")
@pytest.mark.parametrize(
    ("name", "options", "approach", "target"),
    [
        ("jump_down", {"height": 400}, None, 30),
        ("leap_standing", {}, None, 30),
        ("vertical_running", {}, 4, 30),
        ("leap_running", {}, 6, 50),
    ],
)
def test_a_modifier_of_the_gm_counts_in_the_test_of_the_jump(
    name: str, options: dict[str, int], approach: int | None, target: int
) -> None:
    table = alone()

    more = {} if approach is None else run_up(False, approach)
    done = table.play("jump_or_leap", "vane", **kind(name, **options), **more, modifiers=(-10,), jump=30)

    assert done.check.target == target


@pytest.mark.clause("DH-5110")
def test_a_circumstance_of_attacks_is_refused_in_a_jump() -> None:
    assert alone().why_not("jump_or_leap", "vane", **kind("leap_standing"), modifiers=("darkness",)) == [
        "unknown_option"
    ]
