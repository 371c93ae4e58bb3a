"""Hit locations, where the table plays with them: to hit, wounding, knockdown, what cripples.

Clauses GU-2110 to GU-2140, table 5.8.
"""

import json
from typing import Any

import pytest

from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Item
from rulesets.gurps_4e.tables import LocationRow
from rulesets.gurps_4e.weapons import free_hands
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.harming import (
    HIT,
    both_ways,
    check_of,
    duel,
    effect,
    held,
    hp,
    posture,
    terms,
    weapon,
)
from tests.support.play import Played, PlayTable, book

ON = {"hit_locations": True}
PASS, FAIL = (3, 3, 3), (4, 5, 5)
ARMS, LEGS = ("right_arm", "left_arm"), ("right_leg", "left_leg")
HANDS, FEET = ("right_hand", "left_hand"), ("right_foot", "left_foot")
TYPES = ("pi-", "pi", "pi+", "pi++", "cr", "cut", "imp", "burn", "cor", "tox", "fat")
USUAL = {"pi-": 1, "cut": 3, "pi+": 3, "imp": 4, "pi++": 4}


def at(points: str, kind: str, *, on_map: bool = False, facing: int = 270, **x: Any) -> PlayTable:
    """S strikes X with that damage; X looks at him unless he turns his back."""
    body = {"armour": {}, "hp_max": 200, **x}
    blade = {"items": weapon(points, kind), "skills": {"broadsword": 25}}
    if on_map:
        return fight(s={**blade, "at": (0, 0, 90)}, x={**body, "at": (1, 0, facing)}, options=ON)
    return duel(s=blade, x=body, options=ON)


def strike(table: PlayTable, location: str | None = None, **more: Any) -> Played:
    """The blow at that place, which he does not defend."""
    given: dict[str, Any] = {"to_hit": HIT, "defend": "none", **more}
    return table.play("attack", "s", "x", weapon="blade", location=location, **given)


# The toggle


@both_ways
@pytest.mark.clause("GU-2120")
def test_a_table_that_plays_without_them_takes_no_location(on_map: bool) -> None:
    table = duel(on_map=on_map, s={"items": weapon("3", "imp")}, x={"armour": {}})

    (reason,) = table.reasons("attack", "s", "x", weapon="blade", location="skull")
    assert (reason.code, reason.at) == ("unused_input", "/location")
    more = table.why_not("attack", "s", "x", weapon="blade", options={"random_location": True})
    assert more == ["unused_input"]
    done = table.play("attack", "s", "x", weapon="blade", to_hit=HIT, defend="none")
    assert done.one(ev.DamageDealt).through == 6
    assert done.one(ev.DamageDealt).location is None


@pytest.mark.clause("GU-2120")
def test_an_attack_that_names_none_hits_the_torso() -> None:
    table = at("9", "pi", armour={"torso": 3, "skull": 9})

    done = strike(table)

    assert done.one(ev.DamageDealt).through == 6
    assert "location" not in terms(check_of(done, "attack"))


@pytest.mark.clause("GU-2120")
def test_a_place_that_is_none_is_refused() -> None:
    (reason,) = at("3", "cut").reasons("attack", "s", "x", weapon="blade", location="tail")

    assert (reason.code, reason.clause, reason.at) == ("unknown_location", "GU-2120", "/location")


# To hit


@both_ways
@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize(
    ("location", "worth"),
    [
        ("torso", 0),
        ("vitals", -3),
        ("skull", -7),
        ("eye", -9),
        ("face", -5),
        ("neck", -5),
        ("groin", -3),
        *[(place, -2) for place in (*ARMS, *LEGS)],
        *[(place, -4) for place in (*HANDS, *FEET)],
    ],
)
def test_each_place_has_its_penalty(on_map: bool, location: str, worth: int) -> None:
    table = at("1", "imp", on_map=on_map)

    check = check_of(strike(table, location), "attack")

    assert terms(check).get("location", 0) == worth
    assert check.target == 25 + worth


@both_ways
@pytest.mark.clause("GU-2120", "GU-390")
def test_the_skull_is_easier_from_behind(on_map: bool) -> None:
    table = at("1", "imp", on_map=on_map, facing=90)

    more: dict[str, Any] = {} if on_map else {"options": {"arc": "rear"}}
    done = table.play("attack", "s", "x", weapon="blade", location="skull", to_hit=HIT, **more)

    assert terms(check_of(done, "attack"))["location"] == -5


@both_ways
@pytest.mark.clause("GU-2120")
def test_an_eye_is_not_seen_from_behind(on_map: bool) -> None:
    table = at("1", "imp", on_map=on_map, facing=90)

    more: dict[str, Any] = {} if on_map else {"options": {"arc": "rear"}}
    (reason,) = table.reasons("attack", "s", "x", weapon="blade", location="eye", **more)

    assert (reason.code, reason.clause, reason.at) == ("invalid_target", "GU-2120", "/location")
    assert at("1", "imp", on_map=on_map).why_not("attack", "s", "x", weapon="blade", location="eye") == []


@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize("kind", TYPES)
def test_only_what_impales_or_pierces_is_aimed_at_the_vitals(kind: str) -> None:
    fits = kind == "imp" or kind.startswith("pi")

    found = at("1", kind).why_not("attack", "s", "x", weapon="blade", location="vitals")

    assert found == ([] if fits else ["invalid_target"])


@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize(("missile", "found"), [("beam", []), ("bullet", ["invalid_target"])])
def test_of_what_burns_only_a_tight_beam_is(missile: str, found: list[str]) -> None:
    gun = {
        "kind": "ranged",
        "skill": "guns_pistol",
        "modes": {"shot": {"damage": "3d6", "type": "burn"}},
        "range_max": 10000,
        "missile": missile,
    }
    items = {"gun": Item("gun", held="main", custom=json.dumps(gun))}
    table = duel(r={"items": items}, x={}, far=5, options=ON)

    assert table.why_not("attack", "r", "x", weapon="gun", location="vitals") == found


@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize("form", ["shove", "slam", "grapple"])
def test_the_body_is_not_aimed_at_a_place(form: str) -> None:
    table = duel(s={"items": {}}, x={}, far=0 if form == "grapple" else 1, options=ON)

    found = table.reasons("attack", "s", "x", location="skull", options={"form": form})

    assert [one.at for one in found if one.code == "unused_input"] == ["/location"]


# Wounding and DR


def wounding(location: str, kind: str) -> int:
    """Halves that a point counts there."""
    usual = USUAL.get(kind, 2)
    if location in ("skull", "eye"):
        return usual if kind == "tox" else 8
    if location == "vitals" and (kind == "imp" or kind.startswith("pi")):
        return 6
    if location == "neck":
        return {"cr": 3, "cut": 4}.get(kind, usual)
    if location in (*ARMS, *LEGS, *HANDS, *FEET) and kind in ("pi+", "pi++", "imp"):
        return 2
    return usual


PLACES = ("torso", "vitals", "skull", "eye", "face", "neck", "groin", *ARMS, *LEGS, *HANDS, *FEET)


@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("location", PLACES)
def test_what_a_point_counts_in_each_place(location: str, kind: str) -> None:
    if location == "vitals" and not (kind == "imp" or kind.startswith("pi")):
        return
    table = at("11", kind)

    done = strike(table, location)

    through = 11 - (2 if location == "skull" else 0)
    assert done.one(ev.DamageDealt).through == through * wounding(location, kind) // 2
    assert done.one(ev.DamageDealt).location == location


@both_ways
@pytest.mark.clause("GU-2110", "GU-2120")
@pytest.mark.parametrize(
    ("location", "armour", "soaked"),
    [
        ("torso", {"torso": 4, "right_arm": 1}, 4),
        ("right_arm", {"torso": 4, "right_arm": 1}, 1),
        ("left_arm", {"torso": 4, "right_arm": 1}, 0),
        ("skull", {"torso": 4}, 2),
        ("skull", {"skull": 3}, 5),
        ("eye", {"skull": 3}, 0),
        ("face", {"face": 3, "face/cut": 1}, 1),
    ],
)
def test_dr_is_that_of_the_place(on_map: bool, location: str, armour: dict[str, int], soaked: int) -> None:
    done = strike(at("9", "cut", on_map=on_map, armour=armour), location)

    dealt = done.one(ev.DamageDealt)
    assert sum(term.value for term in dealt.soak if term.id == "dr") == soaked
    assert dealt.raw == 9


@pytest.mark.clause("GU-2110")
def test_an_armour_divisor_divides_the_bone_too() -> None:
    blade = {"items": weapon("9", "burn", 2), "skills": {"broadsword": 25}}
    table = duel(s=blade, x={"armour": {"skull": 3}, "hp_max": 200}, options=ON)

    dealt = strike(table, "skull").one(ev.DamageDealt)

    assert dealt.through == (9 - 2) * 4


# Knockdown


@both_ways
@pytest.mark.clause("GU-2140")
@pytest.mark.parametrize(
    ("location", "worth"),
    [
        ("torso", 0),
        ("vitals", -5),
        ("skull", -10),
        ("eye", -10),
        ("face", -5),
        ("groin", -5),
        ("neck", 0),
        ("right_leg", 0),
    ],
)
def test_knockdown_rolls_are_harder_for_head_vitals_and_groin(on_map: bool, location: str, worth: int) -> None:
    points = {"skull": 5, "eye": 3, "vitals": 4}.get(location, 11)
    table = at(str(points), "pi", on_map=on_map, hp_max=20, ht=18)

    done = strike(table, location, knockdown=PASS)

    assert terms(check_of(done, "knockdown")).get("location", 0) == worth


@pytest.mark.clause("GU-2140")
def test_a_wound_to_the_head_that_is_not_major_asks_nothing() -> None:
    done = strike(at("3", "pi", hp_max=20), "face")

    assert [one.purpose for one in done.of(ev.CheckRolled)] == ["attack"]


# Crippling


@both_ways
@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize(
    ("location", "most", "injury", "crippled", "counted"),
    [
        ("right_arm", 14, 7, False, 7),
        ("right_arm", 14, 8, True, 8),
        ("right_arm", 14, 12, True, 8),
        ("left_leg", 13, 6, False, 6),
        ("left_leg", 13, 7, True, 7),
        ("left_leg", 13, 20, True, 7),
        ("right_hand", 12, 4, False, 4),
        ("right_hand", 12, 5, True, 5),
        ("right_hand", 12, 11, True, 5),
        ("left_foot", 14, 4, False, 4),
        ("left_foot", 14, 5, True, 5),
        ("left_foot", 14, 9, True, 5),
    ],
)
def test_a_limb_is_crippled_by_so_much_and_loses_no_more(
    on_map: bool, location: str, most: int, injury: int, crippled: bool, counted: int
) -> None:
    table = at(str(injury), "pi", on_map=on_map, hp_max=most)

    done = strike(table, location, **({"knockdown": PASS} if counted * 2 > most else {}))

    side, _, part = location.partition("_")
    assert table.has("x", f"{part}_crippled") is crippled
    assert done.one(ev.DamageDealt).through == counted
    assert hp(table, "x") == most - counted
    if crippled:
        record = effect(table, "x", f"{part}_crippled")
        assert (record.word, record.clause, record.until) == (side, "GU-2120", ())
        lost = [term.value for term in done.one(ev.DamageDealt).soak if term.id == "limb"]
        assert lost == ([injury - counted] if injury > counted else [])


@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize(("basic", "crippled"), [(1, False), (2, True)])
def test_an_eye_is_crippled_by_more_than_a_tenth_and_keeps_all_of_it(basic: int, crippled: bool) -> None:
    table = at(str(basic), "pi", hp_max=40)

    done = strike(table, "eye")

    assert done.one(ev.DamageDealt).through == 4 * basic
    assert table.has("x", "eye_crippled") is crippled


@both_ways
@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize(("location", "falls"), [("right_leg", True), ("left_leg", True), ("right_foot", False)])
def test_on_a_crippled_leg_he_falls(on_map: bool, location: str, falls: bool) -> None:
    table = at("8", "pi", on_map=on_map, hp_max=14)

    strike(table, location, **({"knockdown": PASS} if falls else {}))

    assert posture(table, "x") == ("lying_prone" if falls else "standing")


@both_ways
@pytest.mark.clause("GU-2060", "GU-2120")
def test_a_crippled_hand_lets_go_of_what_it_holds_alone(on_map: bool) -> None:
    table = at("8", "pi", on_map=on_map, hp_max=14)

    strike(table, "right_arm", knockdown=PASS)

    assert held(table, "x") == set()
    assert free_hands(table.table, CombatantId("x")) == 1
    table.end_turn()
    assert table.why_not("attack", "x", "s", weapon="axe") == ["weapon_not_ready"]


@pytest.mark.clause("GU-2060", "GU-2120")
def test_the_other_hand_keeps_its_own() -> None:
    table = at("8", "pi", hp_max=14)

    strike(table, "left_arm", knockdown=PASS)

    assert held(table, "x") == {"axe"}


@pytest.mark.clause("GU-2060", "GU-2120")
def test_what_two_hands_held_stays_in_the_other_one_and_is_of_no_use() -> None:
    great = {"great_axe": Item("great_axe", held="both", marks={"reach": 1})}
    table = at("8", "pi", hp_max=14, items=great, skills={"two_handed_axe_mace": 13})

    strike(table, "left_arm", knockdown=PASS)

    assert held(table, "x") == {"great_axe"}
    table.end_turn()
    assert table.why_not("attack", "x", "s", weapon="great_axe") == ["needs_two_hands"]
    table.end_turn()
    (asked,) = strike(table, knockdown=PASS).questions("defend")
    assert "parry" not in [option.id for option in asked.options]
    assert [reason.code for one in asked.barred for reason in one.reasons if one.id == "parry"] == ["weapon_not_ready"]


@pytest.mark.clause("GU-2120")
def test_a_spear_held_in_two_hands_is_used_in_one_then() -> None:
    blade = {"items": weapon("7", "pi"), "skills": {"broadsword": 25}}
    table = duel(s=blade, p={"armour": {}, "hp_max": 12}, options=ON)
    table.play("attack", "s", "p", weapon="blade", location="left_hand", to_hit=HIT, defend="none")
    table.end_turn()

    done = table.play("attack", "p", "s", weapon="spear", to_hit=(3, 3, 3), defend="none", damage=4)

    assert done.one(ev.DamageDealt).raw == 4 - 1 + 2


@pytest.mark.clause("GU-2120", "GU-340")
def test_a_strapped_shield_stays_on_a_crippled_arm_and_blocks_no_more() -> None:
    blade = {"items": weapon("8", "pi"), "skills": {"broadsword": 25}}
    table = duel(x=blade, s={"armour": {}}, options=ON)
    table.play("attack", "x", "s", weapon="blade", location="left_arm", to_hit=HIT, defend="none", knockdown=PASS)
    assert held(table, "s") == {"thrusting_broadsword", "medium_shield"}
    table.end_turn()
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="blade", to_hit=HIT, defend="none", knockdown=PASS)

    (asked,) = done.questions("defend")
    assert [option.id for option in asked.options] == ["dodge", "parry", "none"]


@pytest.mark.clause("GU-2120")
def test_what_is_crippled_already_is_so_once() -> None:
    table = at("5", "pi", hp_max=12)
    for _ in range(2):
        strike(table, "right_foot")
        table.end_turn()
        table.end_turn()

    assert len([one for one in table.who("x").effects.values() if one.kind == "foot_crippled"]) == 1


# The place that the dice give


def rows() -> tuple[LocationRow, ...]:
    found: tuple[LocationRow, ...] = book("gurps_4e").ruleset.tables.hit_locations
    return found


@pytest.mark.clause("GU-2120")
def test_each_total_of_3d_strikes_one_place() -> None:
    found = {total: row.location for row in rows() for total in row.rolls}

    assert found == {
        3: "skull",
        4: "skull",
        5: "face",
        6: "right_leg",
        7: "right_leg",
        8: "right_arm",
        9: "torso",
        10: "torso",
        11: "groin",
        12: "left_arm",
        13: "left_leg",
        14: "left_leg",
        15: "right_hand",
        16: "right_foot",
        17: "neck",
        18: "neck",
    }


@both_ways
@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize(
    ("dice", "side", "location"),
    [
        ((1, 1, 1), None, "skull"),
        ((1, 2, 2), None, "face"),
        ((3, 3, 2), None, "right_arm"),
        ((3, 4, 4), None, "groin"),
        ((4, 4, 4), None, "left_arm"),
        ((5, 5, 5), 3, "right_hand"),
        ((5, 5, 5), 4, "left_hand"),
        ((6, 5, 5), 1, "right_foot"),
        ((6, 5, 5), 6, "left_foot"),
        ((6, 6, 6), None, "neck"),
    ],
)
def test_who_leaves_it_to_the_dice_rolls_for_the_place(
    on_map: bool, dice: tuple[int, int, int], side: int | None, location: str
) -> None:
    table = at("3", "cut", on_map=on_map)

    more: dict[str, Any] = {} if side is None else {"side": side}
    done = table.play(
        "attack",
        "s",
        "x",
        weapon="blade",
        options={"random_location": True},
        to_hit=HIT,
        defend="none",
        hit1__location=dice,
        **more,
    )

    assert "location" not in terms(check_of(done, "attack"))
    assert done.one(ev.DamageDealt).location == location
    (told,) = [one for one in done.of(ev.Noted) if one.fact == "hit_location"]
    assert [one.value for one in told.dice] == [*dice, *(() if side is None else (side,))]
    assert (told.target, told.words, told.clause) == ("x", (location,), "GU-2120")


@pytest.mark.clause("GU-2120")
def test_a_place_is_named_or_left_to_the_dice() -> None:
    table = at("3", "cut")

    (reason,) = table.reasons("attack", "s", "x", weapon="blade", location="neck", options={"random_location": True})

    assert (reason.code, reason.at) == ("unused_input", "/location")


@pytest.mark.clause("GU-2120", "GU-2040")
def test_each_bullet_strikes_where_its_own_dice_say() -> None:
    pistol = {"auto_pistol": Item("auto_pistol", held="main", marks={"ammo": 16})}
    table = duel(r={"items": pistol}, x={"armour": {}, "hp_max": 200}, far=2, options=ON)

    done = table.play(
        "attack",
        "r",
        "x",
        weapon="auto_pistol",
        options={"shots": 3, "random_location": True},
        to_hit=(3, 3, 3),
        defend="none",
        hit1__location=(3, 3, 3),
        hit2__location=(1, 2, 2),
        hit3__location=(5, 5, 5),
        side=5,
        hit1__damage=(1, 1),
        hit2__damage=(1, 1),
        hit3__damage=(1, 1),
    )

    assert [one.location for one in done.of(ev.DamageDealt)] == ["torso", "face", "left_hand"]
