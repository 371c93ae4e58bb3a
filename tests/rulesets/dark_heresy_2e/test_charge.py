"""Charge: the distance, the line, the blow, and what may come in between. Clauses DH-3950 to DH-3990."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, ItemId
from app.engine.reasons import Refused
from app.engine.space.model import Place
from app.engine.state import Item
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, spot_of, told
from tests.support.play import Played, PlayTable

START: Spot = (0, 0)
LINE = {"path_straight": True}


def facing_off(on_map: bool, metres: float = 8, **people: Any) -> PlayTable:
    """Sable, sword in each hand, so many metres from Vane."""
    return fight(on_map, {"sable": START, "vane": (metres, 0)}, **people)


def charge(table: PlayTable, on_map: bool, who: str = "sable", target: str = "vane", **given: Any) -> Played:
    """Straight at him."""
    if not on_map:
        given["said"] = {**LINE, **given.get("said", {})}
    return table.play("charge", who, target, **given)


def why_not(table: PlayTable, on_map: bool, **given: Any) -> list[str]:
    """Reasons against the same."""
    if not on_map:
        given["said"] = {**LINE, **given.get("said", {})}
    return table.why_not("charge", "sable", "vane", **given)


# The way


@both_ways
@pytest.mark.clause("DH-3950")
@pytest.mark.parametrize(
    ("metres", "reasons"),
    [
        (3.9, ["too_close_to_charge"]),
        (3.99, ["too_close_to_charge"]),
        (4, []),
        (4.01, []),
        (11.99, []),
        (12, []),
        (12.01, ["move_too_far"]),
        (12.1, ["move_too_far"]),
    ],
)
def test_the_target_is_at_least_four_metres_off_and_within_the_charge(
    on_map: bool, metres: float, reasons: list[str]
) -> None:
    table = facing_off(on_map, metres)

    assert why_not(table, on_map) == reasons


@both_ways
@pytest.mark.clause("DH-3950")
def test_a_weapon_that_he_does_not_carry_hides_nothing_else_that_can_be_known(on_map: bool) -> None:
    near, far = facing_off(on_map, 3), facing_off(on_map, 8)

    assert why_not(near, on_map, weapon="lance") == ["too_close_to_charge", "item_not_carried"]
    assert why_not(far, on_map, weapon="lance") == ["item_not_carried"]


@both_ways
@pytest.mark.clause("DH-3950", "DH-5120")
@pytest.mark.parametrize(
    ("ag", "metres", "reasons"),
    [
        (10, 4, ["move_too_far"]),
        (10, 3, ["too_close_to_charge"]),
        (9, 4, ["move_too_far"]),
        (20, 6, []),
        (20, 6.01, ["move_too_far"]),
    ],
)
def test_who_is_too_slow_can_never_charge(on_map: bool, ag: int, metres: float, reasons: list[str]) -> None:
    table = facing_off(on_map, metres, sable={"ag": ag})

    assert why_not(table, on_map) == reasons


@both_ways
@pytest.mark.clause("DH-3950")
def test_a_refusal_tells_what_is_needed_and_what_there_is(on_map: bool) -> None:
    table = facing_off(on_map, 3.9)

    (reason,) = table.reasons("charge", "sable", "vane", **({} if on_map else {"said": LINE}))

    assert (reason.clause, reason.at, reason.need_length, reason.got_length) == ("DH-3950", "/targets/0", 400, 390)


@pytest.mark.clause("DH-3950")
@pytest.mark.parametrize(
    ("corner", "reasons"),
    [
        ((4, 1), []),
        ((6, 1), []),
        ((6.13, 1), []),
        ((6.14, 1), ["path_not_straight"]),
        ((7, 1.5), ["path_not_straight"]),
        ((2, 0.01), []),
    ],
)
def test_the_last_four_metres_are_one_line(corner: Spot, reasons: list[str]) -> None:
    # From (6.13, 1) to (10, 0) are 4.00, from (6.14, 1) 3.99.
    table = facing_off(True, 10)

    assert table.why_not("charge", "sable", "vane", path=[corner]) == reasons


@pytest.mark.clause("DH-3950", "DH-5700")
@pytest.mark.parametrize(
    ("stated", "reasons"),
    [
        ({"path_straight": True}, []),
        ({"path_straight": False}, ["path_not_straight"]),
        ({"straight_end": 4}, []),
        ({"straight_end": 3.99}, ["path_not_straight"]),
        ({}, ["missing_input"]),
    ],
)
def test_without_a_map_the_line_is_stated(stated: dict[str, Any], reasons: list[str]) -> None:
    table = facing_off(False, 8)

    assert table.why_not("charge", "sable", "vane", said=stated) == reasons


@pytest.mark.clause("DH-5700")
def test_without_a_map_and_without_a_distance_it_lacks_one() -> None:
    table = fight(False, {"sable": START, "vane": (8, 0)})
    table.play("move", "sable", said={"length": 1, "leaves": ()})
    table.until_turn_of("vane")
    table.until_turn_of("sable")

    (reason,) = table.reasons("charge", "sable", "vane", said=LINE)

    assert (reason.code, reason.at, reason.clause) == ("missing_input", "/said/distance", "DH-5700")
    assert table.why_not("charge", "sable", "vane", said={**LINE, "distance": {"vane": 8}}) == []


@pytest.mark.clause("DH-3950")
@pytest.mark.parametrize(("length", "reasons"), [(12, []), (12.01, ["move_too_far"]), (8, [])])
def test_without_a_map_a_way_round_is_as_long_as_stated(length: float, reasons: list[str]) -> None:
    table = facing_off(False, 8)

    assert table.why_not("charge", "sable", "vane", said={"straight_end": 4, "length": length}) == reasons


@pytest.mark.clause("DH-3950")
@pytest.mark.parametrize(("middle", "reasons"), [((4, 1), []), ((4, 4.4), []), ((4, 4.5), ["move_too_far"])])
def test_a_way_round_counts_in_full(middle: Spot, reasons: list[str]) -> None:
    table = facing_off(True, 8)

    # By (4, 4.4) it is 5.95 and 5.95 long; by (4, 4.5) 6.02 twice.
    assert table.why_not("charge", "sable", "vane", path=[middle]) == reasons


@pytest.mark.clause("DH-3950")
@pytest.mark.parametrize(
    ("wall", "reasons"),
    [(((5, -1), (5, 1)), ["path_blocked"]), (((5, 0), (5, 1)), ["path_blocked"]), (((5, 0.01), (5, 1)), [])],
)
def test_a_wall_in_the_way_blocks_it(wall: tuple[Spot, Spot], reasons: list[str]) -> None:
    table = fight(True, {"sable": START, "vane": (8, 0)}, walls=(wall,))

    assert table.why_not("charge", "sable", "vane") == reasons


@pytest.mark.clause("DH-3950")
@pytest.mark.parametrize(
    ("gorm", "reasons"),
    [
        ({}, ["path_blocked"]),
        ({"side": "sable"}, []),
        ({"status": "down"}, []),
        ({"hidden": True}, []),
        ({"place": Place(400, 50, 0)}, []),
        ({"place": Place(400, 49, 0)}, ["path_blocked"]),
    ],
)
def test_a_foe_in_the_way_blocks_it_and_a_friend_does_not(gorm: dict[str, Any], reasons: list[str]) -> None:
    table = fight(True, {"sable": START, "vane": (8, 0), "gorm": (4, 0)}, gorm=gorm)

    assert table.why_not("charge", "sable", "vane") == reasons


@pytest.mark.clause("DH-3950")
def test_he_ends_beside_the_target_on_the_straight_way() -> None:
    table = facing_off(True)

    done = charge(table, True, to_hit=99)

    assert spot_of(table, "sable") == (7, 0)
    moved = done.one(ev.Moved)
    assert (moved.distance, moved.beside, moved.clause) == (700, "vane", "DH-3950")


@pytest.mark.clause("DH-3950")
def test_where_somebody_stands_he_ends_in_a_free_place_beside_the_target() -> None:
    table = fight(True, {"sable": START, "vane": (8, 0), "brok": (7, 0)}, brok={"side": "sable"})

    charge(table, True, to_hit=99)

    where = spot_of(table, "sable")
    assert where is not None
    assert where != (7, 0)
    assert engaged(table, "sable", "vane")


@pytest.mark.clause("DH-3950")
def test_he_may_name_the_place_beside_the_target() -> None:
    table = facing_off(True)

    done = charge(table, True, path=[(7.5, 0.9)], to_hit=99)

    assert spot_of(table, "sable") == (7.5, 0.9)
    assert done.one(ev.Moved).beside == "vane"


@pytest.mark.clause("DH-3950")
@pytest.mark.parametrize(
    ("metres", "end", "reasons"),
    [(4, (3, 0), []), (12, (11, 0), []), (12.01, (11.01, 0), ["move_too_far"]), (8, (8, 0.3), ["path_blocked"])],
)
def test_a_named_place_is_measured_to_the_target_too(metres: float, end: Spot, reasons: list[str]) -> None:
    table = facing_off(True, metres)

    assert table.why_not("charge", "sable", "vane", path=[end]) == reasons


# The blow


@both_ways
@pytest.mark.clause("DH-3960")
def test_the_blow_is_at_plus_20_and_both_are_engaged(on_map: bool) -> None:
    table = facing_off(on_map)

    done = charge(table, on_map, to_hit=70, defend="none", damage=5)

    assert (done.check.target, done.check.outcome, done.check.degrees) == (72, "success", 1)
    assert ("charge", 20, "DH-3960") in [(term.id, term.value, term.clause) for term in done.check.terms]
    # The die read backwards: 07 is the head.
    assert [hit.location for hit in done.one(ev.HitsScored).hits] == ["head"]
    assert engaged(table, "sable", "vane")
    assert done.one(ev.AttackMade).action == "charge"


@both_ways
@pytest.mark.clause("DH-3960")
def test_a_great_success_is_still_one_hit(on_map: bool) -> None:
    table = facing_off(on_map)

    done = charge(table, on_map, to_hit=5, defend="none", damage=5, die_replacement="keep")

    assert done.check.degrees == 8
    assert len(done.one(ev.HitsScored).hits) == 1


@both_ways
@pytest.mark.clause("DH-3960")
def test_a_miss_leaves_both_engaged(on_map: bool) -> None:
    table = facing_off(on_map)

    charge(table, on_map, to_hit=73)

    assert engaged(table, "sable", "vane")


@both_ways
@pytest.mark.clause("DH-3960", "DH-3600")
def test_the_target_may_evade_the_blow(on_map: bool) -> None:
    table = facing_off(on_map)

    done = charge(table, on_map, to_hit=70, defend="dodge", dodge=40)

    assert not done.of(ev.DamageDealt)


@both_ways
@pytest.mark.clause("DH-4340")
def test_an_aim_helps_the_blow(on_map: bool) -> None:
    table = facing_off(on_map)
    table.play("aim", "sable", type="full")
    table.end_turn()
    table.until_turn_of("sable")

    assert charge(table, on_map, to_hit=99).check.target == 52 + 20 + 20


@both_ways
@pytest.mark.clause("DH-1030", "DH-3950")
def test_a_charge_takes_the_whole_turn_and_its_one_attack(on_map: bool) -> None:
    table = facing_off(on_map)

    charge(table, on_map, to_hit=99)

    assert table.who("sable").budget["half_action"] == 0
    assert set(table.why_not("standard_attack", "sable", "vane")) == {"insufficient_actions", "attack_limit"}


@both_ways
@pytest.mark.clause("DH-3960")
@pytest.mark.parametrize(
    ("weapon", "reasons"),
    [("sword", []), ("sword_2", []), ("knife", ["weapon_not_ready"]), ("laspistol", ["melee_weapon_required"])],
)
def test_the_blow_takes_a_melee_weapon_in_hand(on_map: bool, weapon: str, reasons: list[str]) -> None:
    table = facing_off(on_map)
    table.rule(cmd.SetItem(CombatantId("sable"), ItemId("laspistol"), Item("laspistol", held="main")))

    assert why_not(table, on_map, weapon=weapon) == reasons


# Unarmed


@both_ways
@pytest.mark.clause("DH-3970")
@pytest.mark.parametrize(
    ("held", "mode", "option", "reasons"),
    [
        ({"sword": "main"}, "grapple", False, ["not_unarmed"]),
        ({"sword": "main"}, "knock_down", False, ["not_unarmed"]),
        ({"sword": "main"}, "knock_down", True, []),
        ({"sword": "main"}, "grapple", True, ["not_unarmed"]),
        ({"sword": "main"}, "strike", False, []),
        ({}, "grapple", False, []),
        ({}, "knock_down", False, []),
        ({}, "strike", False, []),
    ],
)
def test_only_the_unarmed_may_grapple_or_knock_down(
    on_map: bool, held: dict[str, str], mode: str, option: bool, reasons: list[str]
) -> None:
    table = facing_off(on_map, sable={"held": held}, options={"charge_knock_down_armed": option})

    assert why_not(table, on_map, options={"mode": mode}) == reasons


@both_ways
@pytest.mark.clause("DH-3970", "DH-5440")
def test_who_has_no_weapon_charges_with_bare_hands(on_map: bool) -> None:
    table = facing_off(on_map, sable={"held": {}})

    done = charge(table, on_map, to_hit=70, defend="none", damage=1)

    assert done.one(ev.AttackMade).weapon_kind == "unarmed"


@both_ways
@pytest.mark.clause("DH-3970", "DH-4000")
@pytest.mark.parametrize(("dice", "prone"), [((55, 30), True), ((80, 30), False)])
def test_an_unarmed_charge_may_knock_the_target_down_at_plus_10(
    on_map: bool, dice: tuple[int, int], prone: bool
) -> None:
    table = fight(on_map, {"gorm": START, "vane": (6, 0)}, gorm={"held": {}})

    rolls = {"gorm__knock_down": dice[0], "vane__knock_down": dice[1]}
    more = {"knock_down_outcome": "prone"} if prone else {}
    done = charge(table, on_map, "gorm", "vane", options={"mode": "knock_down"}, **rolls, **more)

    assert (done.check.check, done.check.target) == ("s", 68)
    assert table.has("vane", "prone") is prone
    assert engaged(table, "gorm", "vane")
    assert not done.of(ev.AttackMade)


@both_ways
@pytest.mark.clause("DH-3970", "DH-4370")
def test_an_aim_is_used_up_by_a_knock_down_without_any_good(on_map: bool) -> None:
    table = fight(on_map, {"gorm": START, "vane": (6, 0)}, gorm={"held": {}})
    table.play("aim", "gorm", type="full")
    table.until_turn_of("vane")
    table.until_turn_of("gorm")

    done = charge(
        table, on_map, "gorm", "vane", options={"mode": "knock_down"}, gorm__knock_down=99, vane__knock_down=99
    )

    assert done.check.target == 68
    assert not table.has("gorm", "aiming")


# What comes in between


@both_ways
@pytest.mark.clause("DH-3980")
def test_charging_out_of_melee_gives_the_free_attacks_first(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (-1, 0), "brok": (8, 0)}, melee=(("vane", "gorm"),))

    done = charge(table, on_map, "vane", "brok", free_attack="take", gorm__to_hit=99, charge__to_hit=98)

    assert [made.combatant for made in done.of(ev.AttackMade)] == ["gorm", "vane"]
    kinds = told(done.events)
    assert kinds.index("AttackMade") < kinds.index("Moved")
    assert not engaged(table, "vane", "gorm")
    assert engaged(table, "vane", "brok")


@both_ways
@pytest.mark.clause("DH-3980", "DH-3990")
@pytest.mark.parametrize(("damage", "why", "status"), [((3, 3), "stunned", "up"), ((7, 6), "dead", "dead")])
def test_who_is_stopped_by_a_free_attack_does_not_charge(
    on_map: bool, damage: tuple[int, int], why: str, status: str
) -> None:
    table = fight(
        on_map,
        {"vane": START, "gorm": (-1, 0), "brok": (8, 0)},
        melee=(("vane", "gorm"),),
        vane={"wounds_max": 1},
        gorm={"held": {"great_weapon": "both"}},
    )

    done = charge(table, on_map, "vane", "brok", free_attack="take", to_hit=44, damage=damage)

    assert not done.of(ev.Moved)
    assert done.one(ev.ActionStopped).why == why
    assert table.who("vane").status == status
    assert not engaged(table, "vane", "brok")
    assert spot_of(table, "vane") == (START if on_map else None)


@pytest.mark.clause("DH-3990")
def test_a_way_that_turns_out_to_be_blocked_ends_there_without_a_blow() -> None:
    table = fight(True, {"sable": START, "vane": (8, 0), "gorm": (4, 0)}, gorm={"hidden": True})

    done = charge(table, True)

    assert spot_of(table, "sable") == (3.5, 0)
    stopped = done.one(ev.ActionStopped)
    assert (stopped.action, stopped.why, stopped.clause) == ("charge", "path_blocked", "DH-3990")
    assert table.who("sable").budget["half_action"] == 0
    assert not table.who("sable").engaged


@both_ways
@pytest.mark.clause("DH-1220")
def test_nobody_charges_the_dead(on_map: bool) -> None:
    table = facing_off(on_map, vane={"status": "dead"})

    with pytest.raises(Refused, match="invalid_target"):
        charge(table, on_map)


@both_ways
@pytest.mark.clause("DH-3960", "DH-5640")
def test_the_charged_are_pinned_no_more(on_map: bool) -> None:
    table = facing_off(on_map)
    table.rule(cmd.AddEffect(CombatantId("vane"), "pinned"))

    charge(table, on_map, to_hit=99)

    assert not table.has("vane", "pinned")


@both_ways
@pytest.mark.clause("DH-1230", "DH-3950")
def test_every_reason_is_told_at_once(on_map: bool) -> None:
    table = facing_off(on_map, 3)
    table.play("aim", "sable")

    assert why_not(table, on_map, options={"mode": "grapple"}) == [
        "insufficient_actions",
        "not_unarmed",
        "too_close_to_charge",
    ]


@both_ways
@pytest.mark.clause("DH-3970", "DH-2090", "DH-5110")
def test_a_modifier_of_the_gm_counts_in_the_knock_down_of_a_charge(on_map: bool) -> None:
    table = fight(on_map, {"gorm": START, "vane": (6, 0)}, gorm={"held": {}})

    done = charge(
        table, on_map, "gorm", "vane", options={"mode": "knock_down"}, modifiers=(-20,),
        gorm__knock_down=99, vane__knock_down=99,
    )  # fmt: skip

    assert [check.target for check in done.of(ev.CheckRolled)] == [48, 34]


@both_ways
@pytest.mark.clause("DH-5110", "DH-1220")
def test_a_circumstance_that_no_rule_knows_is_refused_in_a_charge(on_map: bool) -> None:
    assert why_not(facing_off(on_map), on_map, modifiers=("moonlight",)) == ["unknown_option"]
