"""Double, two-handed and leaping attacks, the charge, and what combines. Clauses MA-500 to MA-590."""

from typing import Any

import pytest

from app.engine import events as ev
from tests.rulesets.manewry_ap.fights import (
    ap,
    asked,
    both_ways,
    duel,
    fight,
    held,
    place,
    put,
    set_ap,
    set_pool,
    st,
    total,
    wall,
)

QUIET: dict[str, Any] = {"immediate_response": "none"}
NONE: dict[str, Any] = {**QUIET, "defend": "none"}


# Double attack


@both_ways
@pytest.mark.clause("MA-500")
@pytest.mark.parametrize(
    ("items", "price"),
    [
        ({"dagger": "main", "dagger_2": "off"}, 5),
        ({"sword": "main", "dagger": "off"}, 6),
        ({"dagger": "main", "sword": "off"}, 6),
    ],
)
def test_a_double_attack_costs_two_more_than_the_dearer_weapon(
    on_map: bool, items: dict[str, str | None], price: int
) -> None:
    table = duel(on_map, jagna={"items": held(**items)}, borys={})

    table.play("double_attack", "jagna", "borys", **NONE, to_hit=1)

    assert ap(table, "jagna") == 10 - price


@both_ways
@pytest.mark.clause("MA-500")
@pytest.mark.parametrize(
    ("items", "fields", "reasons"),
    [
        ({"sword": "main", "shield": "off"}, {}, ["needs_two_weapons"]),
        ({"sword": "main"}, {}, ["needs_two_weapons"]),
        ({}, {}, ["needs_two_weapons"]),
        ({"greatsword": "both"}, {}, ["needs_two_weapons"]),
        ({"dagger": "main", "dagger_2": "off"}, {"weapon": "dagger", "second_weapon": "dagger"}, ["needs_two_weapons"]),
        ({"dagger": "main", "dagger_2": "off"}, {"weapon": "dagger_2", "second_weapon": "dagger"}, []),
    ],
)
def test_it_takes_a_weapon_in_each_hand(
    on_map: bool, items: dict[str, str | None], fields: dict[str, Any], reasons: list[str]
) -> None:
    table = duel(on_map, jagna={"items": held(**items)}, borys={})

    assert table.why_not("double_attack", "jagna", "borys", **fields) == reasons


@pytest.mark.clause("MA-500")
def test_it_needs_its_points() -> None:
    table = set_ap(duel(True, jagna={}, borys={}), jagna=4)

    found = table.reasons("double_attack", "jagna", "borys")

    assert [(one.code, one.need, one.got) for one in found] == [("not_enough_ap", 5, 4)]


@pytest.mark.clause("MA-500")
def test_the_attacker_says_which_hand_is_first() -> None:
    table = duel(True, jagna={"items": held(sword="main", dagger="off")}, borys={"soak": 0})

    done = table.play(
        "double_attack",
        "jagna",
        "borys",
        weapon="dagger",
        second_weapon="sword",
        **NONE,
        to_hit=40,
        second_hand=60,
        damage=1,
        damage_2=2,
    )

    assert [event.weapon_kind for event in done.of(ev.DamageDealt)] == ["dagger", "sword"]


@both_ways
@pytest.mark.clause("MA-510")
@pytest.mark.parametrize(
    ("first", "second", "bonus", "hit"), [(60, 77, 0, True), (60, 76, 0, False), (60, 72, 5, True), (60, 71, 5, False)]
)
def test_both_tests_must_pass_the_second_at_twenty_less(
    on_map: bool, first: int, second: int, bonus: int, hit: bool
) -> None:
    table = duel(on_map, jagna={}, borys={})
    put(table, "jagna", "hit_modifier", bonus)
    answers = {"damage": 1, "damage_2": 1} if hit else {}

    done = table.play(
        "double_attack", "jagna", "borys", **QUIET, defend="parry", to_hit=first, second_hand=second, **answers
    )

    one, other = done.of(ev.CheckRolled)
    assert (one.target, other.target) == (72, 72)
    assert (total(one), total(other)) == (75 + bonus, second - 5 + bonus)
    assert len(done.of(ev.DamageDealt)) == (2 if hit else 0)


@both_ways
@pytest.mark.clause("MA-510")
def test_after_a_failed_first_hand_the_second_is_not_rolled(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={})

    done = table.play("double_attack", "jagna", "borys", **QUIET, defend="parry", to_hit=56)

    assert len(done.of(ev.CheckRolled)) == 1


@pytest.mark.clause("MA-510")
def test_by_option_it_is_rolled_all_the_same() -> None:
    table = duel(True, options={"roll_second_hand_always": True}, jagna={}, borys={})

    done = table.play("double_attack", "jagna", "borys", **QUIET, defend="parry", to_hit=56, second_hand=100)

    assert [check.outcome for check in done.of(ev.CheckRolled)] == ["failure", "success"]
    assert done.of(ev.HitsScored) == []


@both_ways
@pytest.mark.clause("MA-510")
def test_both_shots_are_spent_though_the_first_hand_missed(on_map: bool) -> None:
    table = duel(on_map, 5, jagna={"items": held(hand_crossbow="main", hand_crossbow_2="off")}, borys={})

    table.play("double_attack", "jagna", "borys", **NONE, to_hit=1)

    assert [table.who("jagna").items[key].marks["ammo"] for key in ("hand_crossbow", "hand_crossbow_2")] == [0, 0]


@pytest.mark.clause("MA-510")
def test_both_thrown_weapons_are_gone() -> None:
    table = duel(True, 5, jagna={"items": held(throwing_knife="main", throwing_knife_2="off")}, borys={})

    table.play("double_attack", "jagna", "borys", **NONE, to_hit=1)

    assert {item.held for item in table.who("jagna").items.values()} == {None}


# Two-handed attack and heavy weapons


@both_ways
@pytest.mark.clause("MA-520")
@pytest.mark.parametrize(
    ("action", "items", "price", "raw"),
    [
        ("two_handed_attack", {"sword": "main"}, 5, 27),
        ("melee_attack", {"sword": "main"}, 4, 18),
        ("melee_attack", {"greatsword": "both"}, 5, 27),
        ("two_handed_attack", {"greatsword": "both"}, 5, 27),
    ],
)
def test_a_heavy_weapon_costs_one_more_and_adds_half_of_strength_once(
    on_map: bool, action: str, items: dict[str, str | None], price: int, raw: int
) -> None:
    table = duel(on_map, borys={"items": held(**items)}, jagna={})
    dice: Any = (3, 3) if "greatsword" in items else 6

    done = table.play(action, "borys", "jagna", **NONE, to_hit=50, damage=dice)

    assert (ap(table, "borys"), done.one(ev.DamageDealt).raw) == (10 - price, raw)


@both_ways
@pytest.mark.clause("MA-520")
@pytest.mark.parametrize(
    ("items", "fields", "reasons"),
    [
        ({"sword": "main", "shield": "off"}, {}, ["no_free_hand"]),
        ({"sword": "both"}, {}, []),
        ({}, {}, ["melee_weapon_required"]),
        ({"bow": "both"}, {"weapon": "bow"}, ["melee_weapon_required"]),
    ],
)
def test_a_two_handed_attack_takes_a_melee_weapon_and_both_hands(
    on_map: bool, items: dict[str, str | None], fields: dict[str, Any], reasons: list[str]
) -> None:
    table = duel(on_map, borys={"items": held(**items)}, jagna={})

    assert table.why_not("two_handed_attack", "borys", "jagna", **fields) == reasons


@pytest.mark.clause("MA-520")
def test_a_one_handed_weapon_with_the_attribute_is_heavy_too() -> None:
    table = duel(True, borys={}, jagna={})
    from app.engine.state import Item
    from tests.support.play import book

    custom = book("manewry_ap").read_weapon(
        {"kind": "melee", "ap_cost": 4, "damage": "1d6", "qualities": {"heavy": True}}
    )
    items = {"mace": Item("mace", held="main", custom=custom)}
    table = duel(True, borys={"items": items}, jagna={})

    done = table.play("melee_attack", "borys", "jagna", **NONE, to_hit=50, damage=6)

    assert (ap(table, "borys"), done.one(ev.DamageDealt).raw) == (5, 6 + 9 + 9)


# Leaping attack


@both_ways
@pytest.mark.clause("MA-530")
@pytest.mark.parametrize("roll", [49, 48])
def test_a_leap_is_five_harder_hurts_five_more_and_ends_the_turn(on_map: bool, roll: int) -> None:
    table = duel(on_map, borys={}, halina={"agi": 12, "soak": 0}, jagna={"side": "halina"})
    answers = {"damage": 6} if roll == 49 else {}

    done = table.play("leaping_attack", "borys", "halina", **QUIET, defend="dodge", to_hit=roll, **answers)

    assert (st(done), ap(table, "borys")) == (67, 5)
    assert [event.raw for event in done.of(ev.DamageDealt)] == [23] * (roll == 49)
    fields: dict[str, Any] = {"path": [(0, 1)]} if on_map else {"said": {"length": 1}}
    assert table.why_not("walk", "borys", **fields) == ["turn_over"]
    assert table.turn == "borys"


@pytest.mark.clause("MA-530")
def test_what_is_left_still_pays_for_defences() -> None:
    table = duel(True, borys={}, jagna={})
    table.play("leaping_attack", "borys", "jagna", **NONE, to_hit=1)
    table.end_turn()

    done = table.play("melee_attack", "jagna", "borys", **QUIET, defend="dodge", to_hit=1)

    assert (st(done), ap(table, "borys")) == (62, 4)


@both_ways
@pytest.mark.clause("MA-535")
@pytest.mark.parametrize(
    ("items", "far", "fields", "reasons"),
    [
        ({"bow": "both"}, 1, {"weapon": "bow"}, ["melee_weapon_required"]),
        ({"spear": "main"}, 2, {}, []),
        ({"spear": "main"}, 3, {}, ["out_of_reach"]),
        ({"sword": "main"}, 2, {}, ["out_of_reach"]),
        ({}, 1, {}, []),
    ],
)
def test_a_leap_is_a_melee_attack_within_reach(
    on_map: bool, items: dict[str, str | None], far: int, fields: dict[str, Any], reasons: list[str]
) -> None:
    table = duel(on_map, far, borys={"items": held(**items)}, jagna={})

    assert table.why_not("leaping_attack", "borys", "jagna", **fields) == reasons


@pytest.mark.clause("MA-535")
def test_a_leap_moves_nobody() -> None:
    table = duel(True, 2, borys={"items": held(spear="main")}, jagna={})

    table.play("leaping_attack", "borys", "jagna", **NONE, to_hit=1)

    assert (place(table, "borys"), ap(table, "borys")) == ((0, 0), 5)


@pytest.mark.clause("MA-535")
def test_by_option_one_may_leap_and_shoot() -> None:
    table = duel(True, 9, options={"leap_melee_only": False}, halina={}, jagna={})

    done = table.play(
        "ranged_attack", "halina", "jagna", options={"combine": ["leaping_attack"]}, **NONE, to_hit=50, damage=1
    )

    assert (st(done), ap(table, "halina"), done.one(ev.DamageDealt).raw) == (55, 5, 1 + 4 + 5)


@pytest.mark.clause("MA-535")
def test_by_option_one_leaps_with_any_weapon_but_not_with_what_is_none() -> None:
    by_option = duel(True, 1, options={"leap_melee_only": False}, borys={}, jagna={})
    by_rule = duel(True, 1, borys={}, jagna={})

    assert by_option.why_not("leaping_attack", "borys", "jagna", weapon="sword") == []
    assert by_option.why_not("leaping_attack", "borys", "jagna", weapon="shield") == ["weapon_not_ready"]
    assert by_rule.why_not("leaping_attack", "borys", "jagna", weapon="shield") == ["melee_weapon_required"]


@pytest.mark.clause("MA-535")
def test_otherwise_a_shot_does_not_combine_with_a_leap() -> None:
    table = duel(True, 9, halina={}, jagna={})

    assert table.why_not("ranged_attack", "halina", "jagna", options={"combine": ["leaping_attack"]}) == [
        "melee_weapon_required"
    ]


# Charge


def charge_fields(on_map: bool, far: int) -> dict[str, Any]:
    """What a charge over a free line states without a map."""
    return {} if on_map else {"said": {"units_free": far - 1}}


@both_ways
@pytest.mark.clause("MA-540", "MA-550")
@pytest.mark.parametrize(("far", "price", "raw"), [(4, 7, 24), (2, 5, 20), (7, 10, 30)])
def test_each_unit_run_costs_a_point_and_adds_two(on_map: bool, far: int, price: int, raw: int) -> None:
    table = duel(on_map, far, borys={}, jagna={"agi": 12})

    done = table.play(
        "charge", "borys", "jagna", **charge_fields(on_map, far), **QUIET, defend="dodge", to_hit=44, damage=6
    )

    assert (st(done), ap(table, "borys"), done.one(ev.DamageDealt).raw) == (62, 10 - price, raw)
    assert done.one(ev.Moved).distance == (far - 1) * 100
    if on_map:
        assert place(table, "borys") == (far - 1, 0)
    assert table.why_not("melee_attack", "borys", "jagna") in ([], ["not_enough_ap"])


@both_ways
@pytest.mark.clause("MA-540")
@pytest.mark.parametrize(("far", "reasons"), [(1, ["no_room_to_charge"]), (2, []), (7, []), (8, ["not_enough_ap"])])
def test_a_charge_needs_a_unit_of_room_and_its_points(on_map: bool, far: int, reasons: list[str]) -> None:
    table = duel(on_map, far, borys={}, jagna={})

    found = table.reasons("charge", "borys", "jagna", **charge_fields(on_map, far))

    assert [one.code for one in found] == reasons
    if reasons == ["not_enough_ap"]:
        assert (found[0].need, found[0].got) == (11, 10)


@pytest.mark.clause("MA-540")
@pytest.mark.parametrize(
    ("at", "reasons"),
    [((4, 4), []), ((-4, 4), []), ((0, -4), []), ((4, 1), ["path_not_straight"]), ((4, 3), ["path_not_straight"])],
)
def test_the_line_is_one_of_eight(at: tuple[int, int], reasons: list[str]) -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": at})

    assert table.why_not("charge", "borys", "jagna") == reasons


@pytest.mark.clause("MA-540")
def test_even_a_long_weapon_stops_in_the_square_before() -> None:
    table = duel(True, 4, borys={"items": held(spear="main")}, jagna={})

    table.play("charge", "borys", "jagna", **NONE, to_hit=1)

    assert place(table, "borys") == (3, 0)


@pytest.mark.clause("MA-540")
def test_a_direction_will_do_and_the_first_enemy_on_it_is_struck() -> None:
    table = fight(
        borys={"at": (0, 0)}, jagna={"at": (5, 0)}, ogr={"at": (3, 0), "side": "jagna"}, halina={"at": (2, 1)}
    )

    assert table.why_not("charge", "borys", "jagna") == ["first_enemy_is_other"]
    done = table.play("charge", "borys", path=[(1, 0)], **NONE, to_hit=1)

    assert done.one(ev.AttackMade).target == "ogr", "one beside the line does not count"
    assert place(table, "borys") == (2, 0)


@pytest.mark.clause("MA-540")
def test_first_enemy_is_other_leaves_price_and_way_unjudged() -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (20, 0)}, ogr={"at": (3, 0)})

    assert table.why_not("charge", "borys", "jagna") == ["first_enemy_is_other"]


@pytest.mark.clause("MA-540")
@pytest.mark.parametrize(
    ("path", "reasons"), [([(0, 1)], ["no_such_target"]), ([(1, 0), (1, 1)], ["path_not_straight"])]
)
def test_nobody_on_the_line_and_crooked_lines(path: list[tuple[float, float]], reasons: list[str]) -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (5, 0)})

    assert table.why_not("charge", "borys", path=path) == reasons


@pytest.mark.clause("MA-540")
@pytest.mark.parametrize(
    ("at", "reasons"), [((2, 0), ["path_blocked"]), ((1, 0), ["no_room_to_charge", "path_blocked"]), ((2, 1), [])]
)
def test_a_friend_on_his_feet_is_in_the_way(at: tuple[int, int], reasons: list[str]) -> None:
    table = fight(borys={"at": (0, 0)}, halina={"at": at, "side": "borys"}, jagna={"at": (5, 0)})

    assert table.why_not("charge", "borys", "jagna") == reasons


@pytest.mark.clause("MA-540")
@pytest.mark.parametrize("x", [2.5, 4.5])
def test_a_wall_is_in_the_way(x: float) -> None:
    table = fight(walls=(wall((x, -1), (x, 1)),), borys={"at": (0, 0)}, jagna={"at": (5, 0)})

    assert table.why_not("charge", "borys", "jagna") == ["path_blocked"]


@pytest.mark.clause("MA-540")
@pytest.mark.parametrize(
    ("said", "reasons"),
    [
        ({"units_free": 3}, []),
        ({"units_free": 2}, ["path_blocked"]),
        ({"units_free": 0}, ["no_room_to_charge", "path_blocked"]),
        ({"units_free": 3, "path_straight": False}, ["path_not_straight"]),
        ({"units_free": 3, "met": ("halina",)}, ["first_enemy_is_other"]),
        ({"units_free": 3, "distance": {"jagna": 4.5}}, ["whole_units_only"]),
    ],
)
def test_without_a_map_the_line_is_as_stated(said: dict[str, Any], reasons: list[str]) -> None:
    table = fight(apart={"borys-jagna": 4}, borys={}, jagna={}, halina={})

    assert table.why_not("charge", "borys", "jagna", said=said) == reasons


@both_ways
@pytest.mark.clause("MA-540")
@pytest.mark.parametrize(
    ("items", "fields", "reasons"),
    [
        ({"bow": "both"}, {"weapon": "bow"}, ["melee_weapon_required"]),
        ({}, {}, []),
    ],
)
def test_a_charge_is_a_melee_attack(
    on_map: bool, items: dict[str, str | None], fields: dict[str, Any], reasons: list[str]
) -> None:
    table = duel(on_map, 4, borys={"items": held(**items)}, jagna={})

    assert table.why_not("charge", "borys", "jagna", **fields, **charge_fields(on_map, 4)) == reasons


@both_ways
@pytest.mark.clause("MA-540", "MA-620")
def test_the_fatigued_do_not_charge(on_map: bool) -> None:
    table = set_pool(duel(on_map, 4, borys={}, jagna={}), "borys", "fatigue", 1)

    assert table.why_not("charge", "borys", "jagna", **charge_fields(on_map, 4)) == ["fatigued_cannot_run"]


@pytest.mark.clause("MA-540", "MA-200")
def test_a_hidden_enemy_is_no_target_of_a_charge() -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (4, 0)})
    put(table, "jagna", "hidden")

    assert table.why_not("charge", "borys", "jagna") == ["no_such_target"]


@pytest.mark.clause("MA-540", "MA-750")
@pytest.mark.parametrize(("at", "units"), [((3, 0), 2), ((1, 0), 0)])
def test_a_hidden_enemy_on_the_line_is_met_in_the_run(at: tuple[int, int], units: int) -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (6, 0)}, ogr={"at": at, "side": "jagna"})
    put(table, "ogr", "hidden")
    assert table.why_not("charge", "borys", "jagna") == []

    done = table.play("charge", "borys", "jagna", **QUIET, defend="dodge", to_hit=90, damage=6)

    assert done.one(ev.AttackMade).target == "ogr"
    assert (ap(table, "borys"), place(table, "borys")) == (10 - 4 - units, (units, 0))
    assert done.one(ev.DamageDealt).raw == 18 + 2 * units
    assert not table.has("ogr", "hidden")


# Combining


@both_ways
@pytest.mark.clause("MA-560", "MA-530")
@pytest.mark.parametrize(
    ("action", "combine"), [("leaping_attack", "double_attack"), ("double_attack", "leaping_attack")]
)
def test_a_double_leap(on_map: bool, action: str, combine: str) -> None:
    table = duel(on_map, jagna={}, borys={"soak": 0})

    done = table.play(
        action,
        "jagna",
        "borys",
        options={"combine": [combine]},
        **QUIET,
        defend="dodge",
        to_hit=52,
        second_hand=72,
        damage=1,
        damage_2=2,
    )

    assert ap(table, "jagna") == 4
    assert [check.target for check in done.of(ev.CheckRolled)] == [67, 67]
    assert [event.raw for event in done.of(ev.DamageDealt)] == [1 + 1 + 6 + 5, 2 + 1 + 6 + 5]
    assert table.has("jagna", "turn_over")


@both_ways
@pytest.mark.clause("MA-560", "MA-550")
@pytest.mark.parametrize(("action", "combine"), [("charge", "two_handed_attack"), ("two_handed_attack", "charge")])
def test_a_two_handed_charge(on_map: bool, action: str, combine: str) -> None:
    table = duel(on_map, 3, borys={"items": held(sword="main")}, jagna={})

    done = table.play(
        action,
        "borys",
        "jagna",
        options={"combine": [combine]},
        **charge_fields(on_map, 3),
        **NONE,
        to_hit=50,
        damage=6,
    )

    assert (ap(table, "borys"), done.one(ev.DamageDealt).raw) == (3, 31)


@both_ways
@pytest.mark.clause("MA-560")
def test_a_double_charge(on_map: bool) -> None:
    table = duel(on_map, 4, jagna={}, borys={"soak": 0})

    done = table.play(
        "charge",
        "jagna",
        "borys",
        options={"combine": ["double_attack"]},
        **charge_fields(on_map, 4),
        **NONE,
        to_hit=50,
        second_hand=60,
        damage=1,
        damage_2=1,
    )

    assert ap(table, "jagna") == 2
    assert [event.raw for event in done.of(ev.DamageDealt)] == [1 + 1 + 6 + 6] * 2


@both_ways
@pytest.mark.clause("MA-560")
@pytest.mark.parametrize(
    ("action", "combine"),
    [
        ("double_attack", ["two_handed_attack"]),
        ("two_handed_attack", ["double_attack"]),
        ("melee_attack", ["double_attack", "two_handed_attack"]),
        ("leaping_attack", ["charge"]),
        ("grab", ["double_attack"]),
        ("grab", ["two_handed_attack"]),
        ("grab", ["leaping_attack"]),
    ],
)
def test_what_does_not_combine(on_map: bool, action: str, combine: list[str]) -> None:
    table = duel(on_map, jagna={}, borys={})

    assert "manoeuvres_do_not_combine" in table.why_not(action, "jagna", "borys", options={"combine": combine})


@pytest.mark.clause("MA-560")
def test_tightening_is_not_doubled() -> None:
    table = duel(True, jagna={}, borys={})
    put(table, "borys", "grabbed", against="jagna")

    assert "manoeuvres_do_not_combine" in table.why_not("tighten_hold", "jagna", options={"combine": ["double_attack"]})


@both_ways
@pytest.mark.clause("MA-560")
def test_double_and_two_handed_may_be_added_to_a_basic_attack(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={})
    table.play("melee_attack", "jagna", "borys", options={"combine": ["double_attack"]}, **NONE, to_hit=1)
    assert ap(table, "jagna") == 5

    other = duel(on_map, borys={"items": held(sword="main")}, jagna={})
    other.play("melee_attack", "borys", "jagna", options={"combine": ["two_handed_attack"]}, **NONE, to_hit=1)
    assert ap(other, "borys") == 5


# Shots and throws with both hands


@both_ways
@pytest.mark.clause("MA-570")
def test_two_hand_crossbows(on_map: bool) -> None:
    table = duel(on_map, 9, jagna={"items": held(hand_crossbow="main", hand_crossbow_2="off")}, borys={})

    done = table.play(
        "double_attack", "jagna", "borys", **QUIET, defend="dodge", to_hit=49, second_hand=69, damage=1, damage_2=1
    )

    assert [total(check) for check in done.of(ev.CheckRolled)] == [62, 62]
    assert (ap(table, "jagna"), [event.raw for event in done.of(ev.DamageDealt)]) == (4, [5, 5])


@pytest.mark.clause("MA-570")
def test_a_bow_is_not_one_handed() -> None:
    table = duel(True, 9, jagna={"items": held(bow="main", hand_crossbow="off")}, borys={})

    assert "one_handed_required" in table.why_not("double_attack", "jagna", "borys")


@both_ways
@pytest.mark.clause("MA-580")
@pytest.mark.parametrize(
    ("items", "kinds", "reasons"),
    [
        ({"dagger": "main", "hand_crossbow": "off"}, {}, ["mixed_attack_kinds"]),
        ({"throwing_knife": "main", "throwing_knife_2": "off"}, {}, []),
        ({"throwing_knife": "main", "throwing_knife_2": "off"}, {"kind": "melee"}, ["mixed_attack_kinds"]),
        ({"throwing_knife": "main", "throwing_knife_2": "off"}, {"kind": "melee", "second_kind": "melee"}, []),
        ({"throwing_knife": "main", "hand_crossbow": "off"}, {}, ["mixed_attack_kinds"]),
    ],
)
def test_both_halves_are_of_one_kind(
    on_map: bool, items: dict[str, str | None], kinds: dict[str, str], reasons: list[str]
) -> None:
    table = duel(on_map, 1, jagna={"items": held(**items)}, borys={})

    assert table.why_not("double_attack", "jagna", "borys", options=kinds) == reasons


@both_ways
@pytest.mark.clause("MA-590")
def test_one_response_and_one_defence_for_the_whole_double_attack(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={})

    done = table.play(
        "double_attack", "jagna", "borys", immediate_response="drop_prone", defend="dodge", to_hit=57, second_hand=76
    )

    assert asked(done) == ["immediate_response", "defend"]
    assert [check.target for check in done.of(ev.CheckRolled)] == [72, 72]
    assert ap(table, "borys") == 8
