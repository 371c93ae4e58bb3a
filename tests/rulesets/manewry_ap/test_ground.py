"""Dropping prone, standing up, the two statuses of the ground. Clauses MA-440 to MA-490."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.reasons import Refused
from tests.rulesets.manewry_ap.fights import (
    EAST,
    NORTH,
    WEST,
    ap,
    both_ways,
    duel,
    fight,
    held,
    place,
    put,
    set_ap,
    st,
    terms,
    wall,
)
from tests.support.log_lines import logged

QUIET: dict[str, Any] = {"immediate_response": "none"}


# Dropping


@pytest.mark.clause("MA-440")
@pytest.mark.parametrize(
    ("to", "reasons"),
    [
        ((0, -1), []),
        ((1, -1), []),
        ((1, 0), []),
        ((-1, 0), []),
        ((0, 0), []),
        ((1, 1), ["cannot_fall_backwards"]),
        ((0, 1), ["cannot_fall_backwards"]),
        ((0, -2), ["move_too_far"]),
        ((0, 2), ["move_too_far", "cannot_fall_backwards"]),
    ],
)
def test_one_unit_at_most_and_not_backwards(to: tuple[int, int], reasons: list[str]) -> None:
    table = fight(borys={"at": (0, 0, NORTH)}, jagna={"at": (9, 9)})

    assert table.why_not("drop_prone", "borys", path=[to]) == reasons


@pytest.mark.clause("MA-440")
def test_nobody_and_no_wall_may_be_there() -> None:
    table = fight(walls=(wall((-0.5, -1), (-0.5, 1)),), borys={"at": (0, 0, NORTH)}, jagna={"at": (1, 0)})

    assert table.why_not("drop_prone", "borys", path=[(1, 0)]) == ["no_free_space"]
    assert table.why_not("drop_prone", "borys", path=[(-1, 0)]) == ["no_free_space"]
    assert table.why_not("drop_prone", "borys", path=[(0, -1)]) == []


@pytest.mark.clause("MA-440")
def test_where_somebody_unseen_is_he_falls_on_the_spot() -> None:
    table = fight(borys={"at": (0, 0, NORTH)}, jagna={"at": (1, 0)})
    put(table, "jagna", "hidden")

    table.play("drop_prone", "borys", path=[(1, 0)])

    assert place(table, "borys") == (0, 0)
    assert table.has("borys", "knocked_down")


@pytest.mark.clause("MA-440")
@pytest.mark.parametrize(
    ("direction", "free", "reasons"),
    [
        ("spot", None, []),
        (None, None, []),
        ("forward", True, []),
        ("left", True, []),
        ("right", True, []),
        ("right", False, ["no_free_space"]),
        ("right", None, ["missing_input"]),
        ("back", True, ["cannot_fall_backwards"]),
    ],
)
def test_without_a_map_the_direction_is_stated(direction: str | None, free: bool | None, reasons: list[str]) -> None:
    table = fight(borys={}, jagna={})
    fields: dict[str, Any] = {"options": {"direction": direction}} if direction else {}

    assert table.why_not("drop_prone", "borys", **fields, said={"destination_free": free}) == reasons


@both_ways
@pytest.mark.clause("MA-450")
def test_he_lies_on_his_belly_one_square_off(on_map: bool) -> None:
    table = set_ap(duel(on_map, far=5, borys={}, jagna={}), borys=6)
    fields: dict[str, Any] = (
        {"path": [(1, 0)]} if on_map else {"options": {"direction": "forward"}, "said": {"destination_free": True}}
    )

    done = table.play("drop_prone", "borys", **fields)

    assert (ap(table, "borys"), table.has("borys", "knocked_down")) == (5, True)
    assert done.one(ev.Moved).distance == 100
    if on_map:
        assert place(table, "borys") == (1, 0)


@both_ways
@pytest.mark.clause("MA-450")
@pytest.mark.parametrize("status", ["knocked_down", "lying"])
def test_nobody_drops_who_is_down_already(on_map: bool, status: str) -> None:
    table = duel(on_map, borys={}, jagna={})
    put(table, "borys", status)

    assert table.why_not("drop_prone", "borys") == ["already_prone"]


# Before an attack


@both_ways
@pytest.mark.clause("MA-460")
def test_that_attack_is_ten_harder_and_no_other(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={})

    first = table.play("melee_attack", "jagna", "borys", immediate_response="drop_prone", defend="dodge", to_hit=1)
    second = table.play("melee_attack", "jagna", "borys", defend="dodge", to_hit=1)

    assert (st(first), st(second)) == (72, 62)
    assert terms(first.check)["drop_prone"] == 10


@both_ways
@pytest.mark.clause("MA-460")
def test_a_grab_against_him_who_drops(on_map: bool) -> None:
    table = duel(on_map, ogr={}, borys={})

    done = table.play("grab", "ogr", "borys", immediate_response="drop_prone", defend="dodge", to_hit=1)

    assert st(done) == 80


@both_ways
@pytest.mark.clause("MA-460")
def test_dropping_in_the_own_turn_makes_no_later_attack_harder(on_map: bool) -> None:
    table = duel(on_map, borys={}, jagna={})
    table.play("drop_prone", "borys")
    table.end_turn()

    done = table.play("melee_attack", "jagna", "borys", defend="dodge", to_hit=1)

    assert st(done) == 62


@pytest.mark.clause("MA-440", "MA-460")
def test_the_attack_goes_on_though_the_fall_took_him_out_of_reach() -> None:
    table = fight(jagna={"at": (0, 0, EAST)}, borys={"at": (1, 0, EAST)})

    done = table.play(
        "melee_attack",
        "jagna",
        "borys",
        immediate_response=("drop_prone", {"place": [(200, 0)]}),
        defend="none",
        to_hit=45,
        damage=1,
    )

    assert (place(table, "borys"), st(done), done.check.outcome) == ((2, 0), 60, "success")


@pytest.mark.clause("MA-440")
@pytest.mark.parametrize(
    ("to", "code"), [((0, 0), "no_free_space"), ((300, 0), "move_too_far"), ((200, 0), "cannot_fall_backwards")]
)
def test_the_fall_in_the_window_keeps_the_same_rules(to: tuple[int, int], code: str) -> None:
    table = fight(jagna={"at": (0, 0, EAST)}, borys={"at": (1, 0, WEST)})

    with pytest.raises(Refused) as refused:
        table.play("melee_attack", "jagna", "borys", immediate_response=("drop_prone", {"place": [to]}))

    assert code in [one.code for one in refused.value.reasons]


@pytest.mark.clause("MA-440")
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"direction": "back", "destination_free": True}, "cannot_fall_backwards"),
        ({"direction": "left"}, "missing_input"),
        ({"direction": "left", "destination_free": False}, "no_free_space"),
    ],
)
def test_and_without_a_map(fields: dict[str, Any], code: str) -> None:
    table = duel(False, jagna={}, borys={})

    with pytest.raises(Refused) as refused:
        table.play("melee_attack", "jagna", "borys", immediate_response=("drop_prone", fields))

    assert [one.code for one in refused.value.reasons] == [code]


# Standing up


@both_ways
@pytest.mark.clause("MA-470")
@pytest.mark.parametrize("statuses", [("knocked_down",), ("lying",), ("knocked_down", "lying")])
def test_standing_up_takes_three_and_no_test(on_map: bool, statuses: tuple[str, ...]) -> None:
    table = duel(on_map, borys={}, jagna={})
    for status in statuses:
        put(table, "borys", status)

    done = table.play("stand_up", "borys")

    assert (ap(table, "borys"), done.of(ev.CheckRolled)) == (7, [])
    assert not table.has("borys", "knocked_down", "lying")
    assert logged(table, done.events).count("borys stands up.") == 1


@both_ways
@pytest.mark.clause("MA-470")
def test_only_who_is_on_the_ground_stands_up(on_map: bool) -> None:
    table = duel(on_map, borys={}, jagna={})

    assert table.why_not("stand_up", "borys") == ["not_prone"]


@both_ways
@pytest.mark.clause("MA-470")
def test_who_is_pinned_down_stays_down(on_map: bool) -> None:
    table = duel(on_map, borys={}, jagna={})
    put(table, "borys", "knocked_down")
    put(table, "borys", "pinned_down")

    assert table.why_not("stand_up", "borys") == ["stand_up_prevented"]


@pytest.mark.clause("MA-470")
@pytest.mark.parametrize(("on_feet", "reasons"), [(True, ["stand_up_prevented"]), (False, [])])
def test_who_has_somebody_standing_over_him_stays_down(on_feet: bool, reasons: list[str]) -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (0, 0)})
    put(table, "borys", "knocked_down")
    if not on_feet:
        put(table, "jagna", "lying")

    assert table.why_not("stand_up", "borys") == reasons


@pytest.mark.clause("MA-470")
def test_a_grab_is_refused_by_its_own_reason_alone() -> None:
    table = duel(True, borys={}, ogr={})
    put(table, "borys", "knocked_down")
    put(table, "borys", "grabbed", against="ogr")

    assert table.why_not("stand_up", "borys") == ["grabbed_may_only_break_free"]


# Two statuses


@both_ways
@pytest.mark.clause("MA-480", "MA-650")
@pytest.mark.parametrize(("status", "shot", "blow"), [("knocked_down", 67, 67), ("lying", 72, 67)])
def test_only_who_lies_is_harder_to_shoot(on_map: bool, status: str, shot: int, blow: int) -> None:
    table = duel(on_map, jagna={"items": held(hand_crossbow="main", dagger="off")}, halina={})
    put(table, "halina", status)

    arrow = table.play("ranged_attack", "jagna", "halina", defend="dodge", to_hit=1)
    stab = table.play("melee_attack", "jagna", "halina", weapon="dagger", defend="dodge", to_hit=1)

    assert (st(arrow), st(stab)) == (shot, blow)


@pytest.mark.clause("MA-480")
@pytest.mark.parametrize("statuses", [("knocked_down",), ("knocked_down", "lying"), ("lying",)])
def test_by_option_the_knocked_down_count_as_lying_and_never_twice(statuses: tuple[str, ...]) -> None:
    table = duel(
        True, 5, options={"knocked_down_counts_as_lying": True}, jagna={"items": held(hand_crossbow="main")}, halina={}
    )
    for status in statuses:
        put(table, "halina", status)

    done = table.play("ranged_attack", "jagna", "halina", defend="dodge", to_hit=1)

    assert st(done) == 72


# What the ground bars


@both_ways
@pytest.mark.clause("MA-490")
@pytest.mark.parametrize("status", ["knocked_down", "lying"])
@pytest.mark.parametrize("action", ["run", "walk", "sneak", "sprint"])
def test_on_the_ground_he_only_crawls(on_map: bool, status: str, action: str) -> None:
    table = duel(on_map, far=9, borys={}, jagna={})
    put(table, "borys", status)
    fields: dict[str, Any] = {"path": [(4, 1)]} if on_map else {"said": {"length": 400 / 100, "sees": {"jagna": True}}}
    if action == "sneak" and not on_map:
        fields["options"] = {"behind": []}

    assert table.why_not(action, "borys", **fields) == ["must_stand"]
    short: dict[str, Any] = {"path": [(1, 1)]} if on_map else {"said": {"length": 1}}
    assert table.why_not("crawl", "borys", **short) == []


@both_ways
@pytest.mark.clause("MA-490")
def test_on_the_ground_he_neither_leaps_nor_charges(on_map: bool) -> None:
    table = duel(on_map, far=1, borys={}, jagna={})
    put(table, "borys", "lying")
    assert table.why_not("leaping_attack", "borys", "jagna") == ["must_stand"]
    assert table.why_not("melee_attack", "borys", "jagna") == []
    assert table.why_not("grab", "borys", "jagna") == []

    far = duel(on_map, far=4, borys={}, jagna={})
    put(far, "borys", "knocked_down")
    fields: dict[str, Any] = {} if on_map else {"said": {"units_free": 3}}
    assert far.why_not("charge", "borys", "jagna", **fields) == ["must_stand"]


@both_ways
@pytest.mark.clause("MA-490")
def test_attacks_and_defences_from_the_ground_have_no_modifier(on_map: bool) -> None:
    table = duel(on_map, borys={}, jagna={})
    put(table, "borys", "knocked_down")

    done = table.play("melee_attack", "borys", "jagna", **QUIET, defend="dodge", to_hit=1)
    table.end_turn()
    back = table.play("melee_attack", "jagna", "borys", defend="dodge", to_hit=1)

    assert set(terms(done.check)) == {"base_st", "dodge", "mel"}
    assert st(back) == 62
