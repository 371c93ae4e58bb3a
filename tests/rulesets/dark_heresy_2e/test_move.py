"""Move: how far, what is in the way, whom one leaves and engages. Clauses DH-3370 to DH-3390, DH-5610, DH-5710."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.space.model import Place
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, path, spot_of, told

START: Spot = (0, 0)


def straight(on_map: bool, metres: float, **said: Any) -> dict[str, Any]:
    """A way straight to the right."""
    return path(on_map, START, (metres, 0), **said)


@both_ways
@pytest.mark.clause("DH-3370")
@pytest.mark.parametrize(
    ("who", "form", "metres", "reasons"),
    [
        ("vane", "half", 3.99, []),
        ("vane", "half", 4, []),
        ("vane", "half", 4.01, ["move_too_far"]),
        ("vane", "half", 4.5, ["move_too_far"]),
        ("vane", "full", 8, []),
        ("vane", "full", 8.01, ["move_too_far"]),
        ("brok", "half", 2, []),
        ("brok", "half", 2.01, ["move_too_far"]),
        ("brok", "full", 4, []),
        ("brok", "full", 4.01, ["move_too_far"]),
        ("gorm", "half", 3, []),
        ("gorm", "half", 3.01, ["move_too_far"]),
    ],
)
def test_a_half_action_goes_the_movement_value_and_a_full_one_twice_that(
    on_map: bool, who: str, form: str, metres: float, reasons: list[str]
) -> None:
    table = fight(on_map, {who: START})

    assert table.why_not("move", who, type=form, **straight(on_map, metres)) == reasons


@both_ways
@pytest.mark.clause("DH-3370", "DH-5120")
@pytest.mark.parametrize(("ag", "metres", "reasons"), [(9, 0.5, []), (9, 0.51, ["move_too_far"]), (100, 10, [])])
def test_the_table_has_a_row_for_the_slowest_and_goes_on_above_its_last(
    on_map: bool, ag: int, metres: float, reasons: list[str]
) -> None:
    table = fight(on_map, {"vane": START}, vane={"ag": ag})

    assert table.why_not("move", "vane", **straight(on_map, metres)) == reasons


@both_ways
@pytest.mark.clause("DH-3370")
def test_a_move_too_far_says_how_far_he_gets_and_cites_its_clause(on_map: bool) -> None:
    table = fight(on_map, {"vane": START})

    (reason,) = table.reasons("move", "vane", **straight(on_map, 4.5))

    assert (reason.clause, reason.need_length, reason.got_length) == ("DH-3370", 400, 450)


@both_ways
@pytest.mark.clause("DH-3370")
def test_he_stands_at_the_end_of_his_way_and_looks_where_he_went(on_map: bool) -> None:
    table = fight(on_map, {"vane": START})

    done = table.play("move", "vane", **straight(on_map, 4))

    moved = done.one(ev.Moved)
    assert (moved.distance, moved.clause) == (400, "DH-3370")
    assert table.who("vane").place == (Place(400, 0, 90) if on_map else None)
    assert table.who("vane").budget["half_action"] == 1


@pytest.mark.clause("DH-3370")
def test_the_length_is_that_of_the_way_and_not_of_the_line_between_its_ends() -> None:
    table = fight(True, {"vane": START})

    assert table.why_not("move", "vane", path=[(3, 0), (3, 1)]) == []
    assert table.why_not("move", "vane", path=[(3, 0), (3, 1.01)]) == ["move_too_far"]
    assert table.why_not("move", "vane", path=[(0, 0), (2, 0), (2, 0), (4, 0)]) == []


@both_ways
@pytest.mark.clause("DH-5700")
def test_a_move_without_a_way_lacks_it(on_map: bool) -> None:
    table = fight(on_map, {"vane": START})

    (reason,) = table.reasons("move", "vane")

    assert (reason.code, reason.clause) == ("missing_input", "DH-5700")
    assert reason.at == ("/path" if on_map else "/said/length")


# What is in the way


@pytest.mark.clause("DH-3370")
@pytest.mark.parametrize(
    ("way", "reasons"),
    [
        ([(1.99, 0)], []),
        ([(2, 0)], ["path_blocked"]),
        ([(3, 0)], ["path_blocked"]),
        ([(0, 2.5), (2.5, 2.5)], ["path_blocked", "move_too_far"]),
    ],
)
def test_nobody_walks_into_a_wall(way: list[Spot], reasons: list[str]) -> None:
    table = fight(True, {"vane": START}, walls=(((2, -2), (2, 3)),))

    assert set(table.why_not("move", "vane", path=way)) == set(reasons)


@pytest.mark.clause("DH-3370")
@pytest.mark.parametrize(
    ("side", "way", "reasons"),
    [
        ("gorm", [(4, 0)], ["path_blocked"]),
        ("vane", [(4, 0)], []),
        ("gorm", [(2, 0)], ["path_blocked"]),
        ("vane", [(2, 0)], ["path_blocked"]),
        ("vane", [(1.5, 0)], []),
        ("vane", [(1.51, 0)], ["path_blocked"]),
        ("gorm", [(0, 0.5), (3, 0.5)], []),
        ("gorm", [(0, 0.49), (3, 0.49)], ["path_blocked"]),
    ],
)
def test_friends_let_him_pass_and_foes_do_not_and_nobody_ends_where_somebody_stands(
    side: str, way: list[Spot], reasons: list[str]
) -> None:
    table = fight(True, {"vane": START, "gorm": (2, 0)}, gorm={"side": side})

    assert table.why_not("move", "vane", path=way) == reasons


@pytest.mark.clause("DH-3370")
@pytest.mark.parametrize("status", ["down", "dead"])
def test_who_lies_there_is_no_obstacle(status: str) -> None:
    table = fight(True, {"vane": START, "gorm": (2, 0)}, gorm={"status": status})

    assert table.why_not("move", "vane", path=[(4, 0)]) == []


@pytest.mark.clause("DH-3370")
def test_a_foe_he_cannot_know_of_is_met_on_the_way_and_stops_him() -> None:
    table = fight(True, {"vane": START, "gorm": (2, 0)}, gorm={"hidden": True})

    assert table.why_not("move", "vane", path=[(4, 0)]) == []
    done = table.play("move", "vane", path=[(4, 0)])

    assert spot_of(table, "vane") == (1.5, 0)
    stopped = done.one(ev.ActionStopped)
    assert (stopped.why, stopped.clause) == ("path_blocked", "DH-3370")


@pytest.mark.parametrize(
    ("stated", "reasons"),
    [
        ({"destination_free": False}, ["path_blocked"]),
        ({"met": ("gorm",)}, ["path_blocked"]),
        ({"met": ()}, []),
        ({}, []),
    ],
)
@pytest.mark.clause("DH-5700")
def test_without_a_map_the_way_is_as_it_is_stated(stated: dict[str, Any], reasons: list[str]) -> None:
    table = fight(False, {"vane": START, "gorm": (9, 0)})

    assert table.why_not("move", "vane", said={"length": 4, **stated}) == reasons


# Out of melee and into it


@pytest.mark.clause("DH-3390")
@pytest.mark.parametrize(
    ("way", "asked"),
    [
        ([(1, 1), (2, 1)], False),
        ([(2.5, 0.0)], False),
        ([(-0.5, 0)], False),
        ([(-0.51, 0)], True),
        ([(-2, 0)], True),
        ([(-1, 0), (0, 0)], True),
    ],
)
def test_walking_round_an_opponent_provokes_nothing_and_a_step_away_does(way: list[Spot], asked: bool) -> None:
    table = fight(True, {"vane": START, "gorm": (1, 0)}, melee=(("vane", "gorm"),))
    if way == [(2.5, 0.0)]:
        way = [(1, 0.75), (2.4, 0.3)]

    done = table.play("move", "vane", path=way, **({"free_attack": "pass"} if asked else {}))

    assert bool(done.questions("free_attack")) is asked


@both_ways
@pytest.mark.clause("DH-3320", "DH-3390", "DH-5130")
def test_who_is_left_is_locked_with_him_no_longer(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (1, 0)}, melee=(("vane", "gorm"),))

    done = table.play("move", "vane", free_attack="pass", **path(on_map, START, (-4, 0), leaves=("gorm",)))

    assert not engaged(table, "vane", "gorm")
    assert done.one(ev.EngagementEnded).clause == "DH-5130"


@both_ways
@pytest.mark.clause("DH-5130", "DH-5700")
def test_who_is_not_left_stays_locked_with_him(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (1, 0)}, melee=(("vane", "gorm"),))

    done = table.play("move", "vane", **path(on_map, START, (0, 1), leaves=()))

    assert engaged(table, "vane", "gorm")
    assert told(done.events) == ["ActionTaken", "BudgetChanged", "Moved"]


@pytest.mark.clause("DH-3390", "DH-5130")
def test_who_leaves_and_comes_back_has_left() -> None:
    table = fight(True, {"vane": START, "gorm": (1, 0)}, melee=(("vane", "gorm"),))

    table.play("move", "vane", path=[(-1, 0), (0, 0)], free_attack="pass")

    assert not engaged(table, "vane", "gorm")


@pytest.mark.clause("DH-5700")
def test_without_a_map_somebody_in_melee_says_whom_he_leaves() -> None:
    table = fight(False, {"vane": START, "gorm": (1, 0)}, melee=(("vane", "gorm"),))

    (reason,) = table.reasons("move", "vane", said={"length": 4})

    assert (reason.code, reason.clause, reason.at) == ("missing_input", "DH-5700", "/said/leaves")


@both_ways
@pytest.mark.clause("DH-3380")
def test_he_may_declare_himself_engaged_with_a_foe_he_comes_to_stand_next_to(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (5, 0)})

    done = table.play("move", "vane", **path(on_map, START, (4, 0), engage=("gorm",)))

    assert engaged(table, "vane", "gorm")
    assert done.one(ev.EngagementBegan).clause == "DH-3380"


@both_ways
@pytest.mark.clause("DH-3380")
def test_he_need_not(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (5, 0)})

    table.play("move", "vane", **path(on_map, START, (4, 0)))

    assert not engaged(table, "vane", "gorm")


@pytest.mark.clause("DH-3380", "DH-5130")
@pytest.mark.parametrize(("gorm", "reasons"), [((5.49, 0), []), ((5.5, 0), []), ((5.51, 0), ["not_engaged"])])
def test_only_a_foe_within_reach_at_the_end_can_be_engaged(gorm: Spot, reasons: list[str]) -> None:
    table = fight(True, {"vane": START, "gorm": gorm})

    assert table.why_not("move", "vane", **path(True, START, (4, 0), engage=("gorm",))) == reasons


@both_ways
@pytest.mark.clause("DH-3380")
def test_a_friend_cannot_be_engaged(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (5, 0)}, gorm={"side": "vane"})

    assert table.why_not("move", "vane", **path(on_map, START, (4, 0), engage=("gorm",))) == ["invalid_target"]


@both_ways
@pytest.mark.clause("DH-3380", "DH-5640")
def test_going_into_melee_frees_both_of_being_pinned(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (5, 0)})
    table.rule(cmd.AddEffect(CombatantId("gorm"), "pinned"))

    table.play("move", "vane", **path(on_map, START, (4, 0), engage=("gorm",)))

    assert not table.has("gorm", "pinned")


@pytest.mark.clause("DH-5700")
def test_without_a_map_old_distances_are_gone_and_new_ones_as_stated() -> None:
    table = fight(False, {"vane": START, "gorm": (9, 0), "brok": (0, 9)})

    table.play("move", "vane", said={"length": 4, "distance_after": {"gorm": 5}})

    facts = table.state.scenery.facts
    assert {key: fact.distance for key, fact in facts.items() if "vane" in key} == {"vane>gorm": 500}
    assert facts["gorm>brok"].distance == 1273


# Posture


@both_ways
@pytest.mark.clause("DH-5610")
@pytest.mark.parametrize(
    ("who", "metres", "reasons"),
    [("vane", 2, []), ("vane", 2.01, ["move_too_far"]), ("gorm", 1.5, []), ("gorm", 1.51, ["move_too_far"])],
)
def test_who_lies_crawls_half_as_far(on_map: bool, who: str, metres: float, reasons: list[str]) -> None:
    table = fight(on_map, {who: START})
    table.rule(cmd.AddEffect(CombatantId(who), "prone"))

    assert table.why_not("move", who, **straight(on_map, metres)) == reasons


@both_ways
@pytest.mark.clause("DH-5610")
def test_a_crawl_is_gone_to_its_end(on_map: bool) -> None:
    table = fight(on_map, {"vane": START})
    table.rule(cmd.AddEffect(CombatantId("vane"), "prone"))

    done = table.play("move", "vane", **straight(on_map, 2))

    assert done.one(ev.Moved).distance == 200
    assert table.has("vane", "prone")
    assert not done.of(ev.ActionStopped)


@both_ways
@pytest.mark.clause("DH-1060")
def test_who_is_immobilised_does_not_move(on_map: bool) -> None:
    table = fight(on_map, {"vane": START})
    table.rule(cmd.AddEffect(CombatantId("vane"), "immobilised"))

    with pytest.raises(Refused, match="immobilised"):
        table.play("move", "vane", **straight(on_map, 2))


@pytest.mark.clause("DH-5710")
def test_he_may_turn_at_the_end_of_his_way() -> None:
    table = fight(True, {"vane": START})

    done = table.play("move", "vane", path=[(4, 0)], facing=180)

    assert table.who("vane").place == Place(400, 0, 180)
    assert done.one(ev.Turned).clause == "DH-5710"


@pytest.mark.clause("DH-5120", "DH-5520")
def test_a_lamed_leg_halves_how_far_he_gets() -> None:
    table = fight(True, {"vane": START})
    table.rule(cmd.AddEffect(CombatantId("vane"), "movement_halved"))

    assert table.why_not("move", "vane", path=[(2, 0)]) == []
    assert table.why_not("move", "vane", path=[(2.01, 0)]) == ["move_too_far"]
