"""Critical hits and critical misses, every row of both tables.

Clauses GU-280, GU-395, GU-2600, GU-2610, tables 5.9 and 5.10.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Question
from app.engine.ids import CombatantId
from app.engine.state import Item
from rulesets.gurps_4e.weapons import free_hands
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.harming import (
    HIT,
    SWING,
    SWORD,
    both_ways,
    check_of,
    duel,
    effect,
    held,
    hp,
    item,
    posture,
    put,
    terms,
    weapon,
)
from tests.support.play import Played, PlayTable, book

CRITICAL, FUMBLE = (1, 1, 2), (6, 6, 6)
PASS, FAIL = (3, 3, 3), (5, 5, 5)
TOUGH: dict[str, Any] = {"armour": {}, "hp_max": 200}
LITE = {"critical_tables": "lite"}


def dice_of(total: int) -> tuple[int, int, int]:
    """Three dice of that total."""
    first = min(6, total - 2)
    second = min(6, total - first - 1)
    return first, second, total - first - second


# Table 5.9


@pytest.mark.clause("GU-280")
def test_every_total_of_3d_has_a_row_in_both_tables() -> None:
    tables = book("gurps_4e").ruleset.tables

    assert {total: row.effect for row in tables.critical_hits for total in row.rolls} == {
        3: "triple_damage",
        4: "half_dr",
        5: "double_damage",
        6: "maximum_damage",
        7: "major_wound",
        8: "double_shock",
        9: "normal_damage",
        10: "normal_damage",
        11: "normal_damage",
        12: "drop_held",
        13: "major_wound",
        14: "major_wound",
        15: "maximum_damage",
        16: "double_damage",
        17: "half_dr",
        18: "triple_damage",
    }
    assert {total: row.effect for row in tables.critical_misses for total in row.rolls} == {
        3: "breaks",
        4: "breaks",
        5: "hit_self",
        6: "hit_self_half",
        7: "off_balance",
        8: "turns_in_hand",
        9: "dropped",
        10: "dropped",
        11: "dropped",
        12: "turns_in_hand",
        13: "off_balance",
        14: "flies",
        15: "strained",
        16: "falls",
        17: "breaks",
        18: "breaks",
    }


@both_ways
@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(
    ("total", "raw", "through"),
    [
        (3, 21, 17),
        (18, 21, 17),
        (4, 7, 5),
        (17, 7, 5),
        (5, 14, 10),
        (16, 14, 10),
        (9, 7, 3),
        (10, 7, 3),
        (11, 7, 3),
    ],
)
def test_it_multiplies_what_was_rolled_or_halves_dr(on_map: bool, total: int, raw: int, through: int) -> None:
    blade = {"items": weapon("1d6+3", "burn")}
    table = duel(on_map=on_map, s=blade, x={"armour": {"torso": 4}, "hp_max": 200})

    done = table.play("attack", "s", "x", weapon="blade", to_hit=CRITICAL, critical_hit=dice_of(total), damage=4)

    assert not done.questions("defend")
    dealt = done.one(ev.DamageDealt)
    assert (dealt.raw, dealt.through) == (raw, through)
    suffered = done.one(ev.CriticalSuffered)
    assert (suffered.combatant, suffered.value, suffered.clause) == ("x", total, "GU-280")
    assert ([one.value for one in suffered.dice], suffered.roller) == (list(dice_of(total)), "s")


@pytest.mark.clause("GU-280")
def test_the_example_of_the_ledger() -> None:
    table = duel(s={}, x=TOUGH)

    done = table.play("attack", "s", "x", **SWING, to_hit=(2, 2, 1), critical_hit=(3, 1, 1), damage=4)

    assert (check_of(done, "attack").target, done.one(ev.DamageDealt).raw) == (15, 14)


@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(("dr", "divisor", "protects"), [(5, 1, 2), (4, 1, 2), (1, 1, 0), (9, 2, 2), (5, 2, 1)])
def test_half_dr_is_rounded_down_after_the_divisor(dr: int, divisor: int, protects: int) -> None:
    blade = {"items": weapon("20", "burn", divisor)}
    table = duel(s=blade, x={"armour": {"torso": dr}, "hp_max": 200})

    done = table.play("attack", "s", "x", weapon="blade", to_hit=CRITICAL, critical_hit=dice_of(4))

    assert done.one(ev.DamageDealt).through == 20 - protects


@pytest.mark.clause("GU-280")
@pytest.mark.parametrize("total", [6, 15])
@pytest.mark.parametrize(("damage", "most"), [("1d6+3", 9), ("3d6-1", 17)])
def test_maximum_damage_rolls_nothing(total: int, damage: str, most: int) -> None:
    table = duel(s={"items": weapon(damage, "burn")}, x=TOUGH)

    done = table.play("attack", "s", "x", weapon="blade", to_hit=CRITICAL, critical_hit=dice_of(total))

    assert done.one(ev.DamageDealt).raw == most
    assert done.one(ev.DamageDealt).dice == ()


@pytest.mark.clause("GU-280", "GU-630")
def test_the_maximum_beyond_half_range_is_half_of_it() -> None:
    pistol = {"gun": Item("auto_pistol", held="main", marks={"ammo": 16})}
    table = duel(r={"items": pistol, "skills": {"guns_pistol": 20}}, x=TOUGH, far=151)

    done = table.play("attack", "r", "x", weapon="gun", to_hit=CRITICAL, critical_hit=dice_of(6))

    assert done.one(ev.DamageDealt).raw == 7


def parts(done: Played) -> list[tuple[str, int, str | None]]:
    """What the only damage is made of."""
    return [(term.id, term.value, term.clause) for term in done.one(ev.DamageDealt).terms]


@pytest.mark.clause("GU-280", "GU-630", "GU-2100")
@pytest.mark.parametrize(
    ("total", "far", "rolled", "terms"),
    [
        (3, 10, {"damage": (2, 3)}, [("dice", 5), ("weapon", 2), ("tripled", 14)]),
        (5, 10, {"damage": (2, 3)}, [("dice", 5), ("weapon", 2), ("doubled", 7)]),
        (5, 151, {"damage": (2, 3)}, [("dice", 5), ("weapon", 2), ("halved", -4), ("doubled", 3)]),
        (9, 151, {"damage": (2, 3)}, [("dice", 5), ("weapon", 2), ("halved", -4)]),
        (6, 10, {}, [("maximum", 12), ("weapon", 2)]),
        (6, 151, {}, [("maximum", 12), ("weapon", 2), ("halved", -7)]),
    ],
)
def test_each_part_of_the_damage_is_named(
    total: int, far: float, rolled: dict[str, Any], terms: list[tuple[str, int]]
) -> None:
    pistol = {"gun": Item("auto_pistol", held="main", marks={"ammo": 16})}
    table = duel(r={"items": pistol, "skills": {"guns_pistol": 20}}, x=TOUGH, far=far)

    done = table.play("attack", "r", "x", weapon="gun", to_hit=CRITICAL, critical_hit=dice_of(total), **rolled)

    clauses = {"dice": "GU-2100", "weapon": "GU-2100", "halved": "GU-630"}
    assert parts(done) == [(name, worth, clauses.get(name, "GU-280")) for name, worth in terms]


@pytest.mark.clause("GU-2100")
@pytest.mark.parametrize(("kind", "least"), [("burn", 1), ("cr", 0)])
def test_the_least_that_damage_can_be_is_a_part_of_its_own(kind: str, least: int) -> None:
    table = duel(s={"items": weapon("1d6-5", kind)}, x=TOUGH)

    done = table.play("attack", "s", "x", weapon="blade", to_hit=HIT, defend="none", damage=2)

    assert parts(done) == [("dice", 2, "GU-2100"), ("weapon", -5, "GU-2100"), ("minimum", 3 + least, "GU-2100")]


@both_ways
@pytest.mark.clause("GU-280", "GU-2140")
@pytest.mark.parametrize("total", [7, 13, 14])
@pytest.mark.parametrize(("dr", "asked"), [(2, True), (3, False)])
def test_it_is_a_major_wound_if_anything_penetrates(on_map: bool, total: int, dr: int, asked: bool) -> None:
    blade = {"items": weapon("3", "burn")}
    table = duel(on_map=on_map, s=blade, x={"armour": {"torso": dr}, "hp_max": 200})

    more = {"knockdown": FAIL} if asked else {}
    table.play("attack", "s", "x", weapon="blade", to_hit=CRITICAL, critical_hit=dice_of(total), **more)

    assert table.has("x", "stunned_physical") is asked


@both_ways
@pytest.mark.clause("GU-280", "GU-2130")
@pytest.mark.parametrize(("points", "shock"), [(0, 0), (1, -2), (3, -6), (4, -8), (5, -8), (9, -8)])
def test_double_shock_goes_to_8(on_map: bool, points: int, shock: int) -> None:
    blade = {"items": weapon(str(points), "cr")}
    table = duel(on_map=on_map, s=blade, x={"armour": {}, "hp_max": 19, "ht": 10})

    table.play("attack", "s", "x", weapon="blade", to_hit=CRITICAL, critical_hit=dice_of(8))
    table.end_turn()

    assert sum(one.value for one in table.who("x").effects.values() if one.kind == "shock") == shock
    if points == 9:
        assert table.play("attack", "x", "s", weapon="axe", to_hit=(6, 5, 2)).check.target == 5


@pytest.mark.clause("GU-280", "GU-2130")
def test_a_plain_injury_after_it_adds_up_to_what_it_came_to() -> None:
    table = fight(
        r={"items": weapon("3", "burn"), "skills": {"broadsword": 15}},
        p={"items": weapon("3", "burn"), "skills": {"broadsword": 15}},
        s={"armour": {}},
        apart={"rs": 1, "ps": 1},
    )
    table.play("attack", "r", "s", weapon="blade", to_hit=CRITICAL, critical_hit=dice_of(8))
    table.end_turn()
    table.play("attack", "p", "s", weapon="blade", to_hit=HIT, defend="none")
    table.end_turn()

    assert effect(table, "s", "shock").value == -6


@both_ways
@pytest.mark.clause("GU-280", "GU-2120")
@pytest.mark.parametrize(
    ("ht", "seconds"),
    [(10, 6), (12, 4), (13, 3), (14, 2), (16, 2)],
)
@pytest.mark.parametrize("location", ["right_arm", "left_leg", "right_hand", "left_foot"])
def test_with_locations_a_struck_limb_is_useless_for_a_while(
    on_map: bool, ht: int, seconds: int, location: str
) -> None:
    blade = {"items": weapon("1", "burn"), "skills": {"broadsword": 20}}
    table = duel(on_map=on_map, s=blade, x={"armour": {}, "ht": ht}, options={"hit_locations": True})
    side, _, part = location.partition("_")

    table.play("attack", "s", "x", weapon="blade", location=location, to_hit=CRITICAL, critical_hit=dice_of(8))

    record = effect(table, "x", f"{part}_crippled")
    assert (record.word, record.value, record.clause) == (side, seconds, "GU-280")
    assert held(table, "x") == (set() if location in ("right_arm", "right_hand") else {"axe"})
    assert posture(table, "x") == ("lying_prone" if part == "leg" else "standing")
    # It was struck before his slot of this second, so that he is without it in as many slots of his.
    for _ in range(seconds):
        table.until_turn_of("x")
        assert table.has("x", f"{part}_crippled")
        table.end_turn()
    table.until_turn_of("x")
    assert not table.has("x", f"{part}_crippled")


@pytest.mark.clause("GU-280", "GU-2120")
@pytest.mark.parametrize(("location", "points"), [(None, 1), ("torso", 1), ("face", 1), ("right_arm", 0)])
def test_no_limb_or_nothing_that_penetrates_leaves_all_limbs(location: str | None, points: int) -> None:
    blade = {"items": weapon(str(points), "cr"), "skills": {"broadsword": 20}}
    table = duel(s=blade, x={"armour": {}}, options={"hit_locations": True})

    table.play("attack", "s", "x", weapon="blade", location=location, to_hit=CRITICAL, critical_hit=dice_of(8))

    assert not [one for one in table.who("x").effects.values() if one.kind.endswith("_crippled")]


@pytest.mark.clause("GU-280", "GU-2120")
def test_a_limb_that_is_crippled_anyway_stays_so() -> None:
    blade = {"items": weapon("8", "burn"), "skills": {"broadsword": 20}}
    table = duel(s=blade, x={"armour": {}}, options={"hit_locations": True})

    table.play(
        "attack",
        "s",
        "x",
        weapon="blade",
        location="left_arm",
        to_hit=CRITICAL,
        critical_hit=dice_of(8),
        knockdown=PASS,
    )

    assert effect(table, "x", "arm_crippled").until == ()


@both_ways
@pytest.mark.clause("GU-280", "GU-2600")
@pytest.mark.parametrize("dr", [0, 50])
def test_the_victim_drops_everything_held_penetrating_or_not(on_map: bool, dr: int) -> None:
    blade = {"items": weapon("3", "burn"), "skills": {"broadsword": 15}}
    table = duel(on_map=on_map, x=blade, s={"armour": {"torso": dr}})

    table.play("attack", "x", "s", weapon="blade", to_hit=CRITICAL, critical_hit=dice_of(12))

    assert held(table, "s") == set()
    assert item(table, "s", SWORD).on_ground
    assert item(table, "s", SWORD).lies == table.who("s").place


@pytest.mark.clause("GU-280", "GU-2040")
def test_of_several_bullets_only_the_first_is_the_critical_one() -> None:
    table = duel(r={"items": {"gun": Item("auto_pistol", held="main", marks={"ammo": 16})}}, x=TOUGH, far=2)

    done = table.play(
        "attack",
        "r",
        "x",
        weapon="gun",
        options={"shots": 3},
        to_hit=(1, 1, 1),
        critical_hit=dice_of(3),
        hit1__damage=(1, 1),
        hit2__damage=(1, 1),
        hit3__damage=(1, 1),
    )

    assert [one.raw for one in done.of(ev.DamageDealt)] == [12, 4, 4]


@both_ways
@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(("dice", "raw"), [((1, 1, 1), 9), ((1, 1, 2), 7)])
def test_without_the_tables_only_a_natural_3_gives_maximum_damage(
    on_map: bool, dice: tuple[int, int, int], raw: int
) -> None:
    table = duel(on_map=on_map, s={}, x=TOUGH, options=LITE)

    more = {"damage": 4} if raw == 7 else {}
    done = table.play("attack", "s", "x", **SWING, to_hit=dice, **more)

    assert not done.questions("defend")
    assert not done.of(ev.CriticalSuffered)
    assert done.one(ev.DamageDealt).raw == raw


# Table 5.10


def fumble(table: PlayTable, total: int, who: str = "s", whom: str = "x", **more: Any) -> Played:
    """A critical miss with that total on the table."""
    given: dict[str, Any] = {**SWING, **more}
    return table.play("attack", who, whom, to_hit=FUMBLE, critical_miss=dice_of(total), **given)


@both_ways
@pytest.mark.clause("GU-280", "GU-2600")
@pytest.mark.parametrize("total", [3, 4, 17, 18])
def test_the_weapon_breaks_and_is_of_no_use(on_map: bool, total: int) -> None:
    table = duel(on_map=on_map, s={}, x={})

    done = fumble(table, total)

    assert item(table, "s", SWORD).marks["broken"] == 1
    suffered = done.of(ev.CriticalSuffered)[0]
    assert ([one.value for one in suffered.dice], suffered.roller) == (list(dice_of(total)), "s")
    assert done.one(ev.ItemMarked).clause == "GU-2600"
    assert (done.one(ev.CriticalSuffered).combatant, done.one(ev.CriticalSuffered).value) == ("s", total)
    table.until_turn_of("x")
    table.until_turn_of("s")
    assert table.why_not("attack", "s", "x", **SWING) == ["weapon_not_ready"]


STURDY: list[tuple[str, dict[str, Item], dict[str, Any]]] = [
    ("solid", weapon("1d6", "cr", solid=True), {}),
    ("fine", weapon("1d6", "cut", fine=True), {}),
    ("magic", weapon("1d6", "cut", magic=True), {}),
]


@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(("name", "items", "more"), STURDY, ids=[name for name, _, _ in STURDY])
@pytest.mark.parametrize(("again", "breaks"), [(3, True), (18, True), (9, False), (7, False), (5, False)])
def test_a_sturdy_one_breaks_only_if_the_table_says_so_twice_and_else_falls(
    name: str, items: dict[str, Item], more: dict[str, Any], again: int, breaks: bool
) -> None:
    table = duel(s={"items": items}, x={})

    done = table.play(
        "attack",
        "s",
        "x",
        weapon="blade",
        to_hit=FUMBLE,
        attack__critical_miss=dice_of(3),
        sturdy__critical_miss=dice_of(again),
    )

    assert [one.value for one in done.of(ev.CriticalSuffered)] == [3, again]
    assert bool(item(table, "s", "blade").marks.get("broken")) is breaks
    assert (held(table, "s") == set()) is not breaks


@pytest.mark.clause("GU-280")
def test_a_firearm_is_sturdy() -> None:
    table = duel(r={}, x={}, far=5)

    table.play(
        "attack",
        "r",
        "x",
        weapon="assault_rifle",
        to_hit=FUMBLE,
        attack__critical_miss=dice_of(4),
        sturdy__critical_miss=dice_of(10),
    )

    assert not item(table, "r", "assault_rifle").marks.get("broken")
    assert item(table, "r", "assault_rifle").on_ground


@both_ways
@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(("total", "basic"), [(5, 7), (6, 3)])
@pytest.mark.parametrize(("die", "location"), [(1, "left_arm"), (3, "left_arm"), (4, "left_leg"), (6, "left_leg")])
def test_he_hits_himself_in_arm_or_leg(on_map: bool, total: int, basic: int, die: int, location: str) -> None:
    table = duel(on_map=on_map, s={"armour": {"torso": 9}, "hp_max": 30}, x={})

    done = fumble(table, total, limb=die, damage=4)

    dealt = done.one(ev.DamageDealt)
    assert (dealt.target, dealt.location, dealt.raw, dealt.through) == ("s", location, basic, basic * 3 // 2)
    (limb,) = [one for one in done.of(ev.Noted) if one.fact == "own_limb"]
    assert (limb.words, [one.value for one in limb.dice], limb.clause) == ((location,), [die], "GU-280")
    assert hp(table, "s") == 30 - basic * 3 // 2


@pytest.mark.clause("GU-280", "GU-2120")
def test_with_locations_the_limb_may_be_crippled_by_it() -> None:
    table = duel(s={"armour": {}}, x={}, options={"hit_locations": True})

    fumble(table, 5, limb=1, damage=6, knockdown=PASS)

    assert table.has("s", "arm_crippled")
    assert hp(table, "s") == 12 - 7


@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(
    ("first", "again", "hits"),
    [(5, 5, 4), (5, 6, 2), (6, 5, 4), (6, 6, 2), (5, 9, None), (6, 10, None)],
)
def test_a_thrust_with_a_point_hits_him_only_if_the_table_says_so_twice(
    first: int, again: int, hits: int | None
) -> None:
    table = duel(s={"armour": {}, "hp_max": 40}, x={})

    more: dict[str, Any] = {} if hits is None else {"limb": 1, "damage": 3}
    done = table.play(
        "attack",
        "s",
        "x",
        weapon=SWORD,
        options={"mode": "thrust"},
        to_hit=FUMBLE,
        attack__critical_miss=dice_of(first),
        again__critical_miss=dice_of(again),
        **more,
    )

    assert [one.raw for one in done.of(ev.DamageDealt)] == ([] if hits is None else [hits])
    assert (SWORD in held(table, "s")) is (hits is not None)


@pytest.mark.clause("GU-280")
def test_whoever_shoots_hits_himself_only_if_the_table_says_so_twice() -> None:
    table = duel(r={"hp_max": 60}, x={}, far=5)

    done = table.play(
        "attack",
        "r",
        "x",
        weapon="assault_rifle",
        to_hit=FUMBLE,
        attack__critical_miss=dice_of(5),
        again__critical_miss=dice_of(6),
        limb=2,
        damage=(3, 3, 3, 3, 3),
    )

    assert done.one(ev.DamageDealt).raw == 7
    assert item(table, "r", "assault_rifle").marks["ammo"] == 30


@pytest.mark.clause("GU-280")
def test_the_second_roll_of_a_thrust_may_break_the_weapon() -> None:
    table = duel(s={}, x={})

    table.play(
        "attack",
        "s",
        "x",
        weapon=SWORD,
        options={"mode": "thrust"},
        to_hit=FUMBLE,
        attack__critical_miss=dice_of(6),
        again__critical_miss=dice_of(18),
    )

    assert item(table, "s", SWORD).marks["broken"] == 1


@both_ways
@pytest.mark.clause("GU-280", "GU-2610")
@pytest.mark.parametrize("total", [7, 13])
def test_off_balance_he_can_do_nothing_at_all_until_his_next_slot(on_map: bool, total: int) -> None:
    table = duel(on_map=on_map, s={}, x={})

    fumble(table, total)

    assert table.has("s", "off_balance")
    assert table.turn == "x"
    (reason,) = table.reasons("talk", "s")
    assert (reason.code, reason.clause) == ("cannot_act", "GU-2610")
    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="dodge", dodge=(3, 3, 1))
    assert terms(check_of(done, "defend")) == {"dodge": 7, "shield": 2, "off_balance": -2}
    table.end_turn()
    assert table.turn == "s"
    assert not table.has("s", "off_balance")
    assert table.why_not("talk", "s") == []
    assert table.why_not("attack", "s", "x", **SWING) == []


@pytest.mark.clause("GU-2610")
def test_it_stops_the_second_blow_and_the_way_that_was_to_follow() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (1, 0, 270)})

    done = table.play(
        "all_out_attack",
        "s",
        "x",
        weapon=SWORD,
        options={"option": "double", "mode": "swing", "act_at": 0},
        path=[(0.5, 0.5)],
        to_hit=FUMBLE,
        critical_miss=dice_of(7),
    )

    assert len(done.of(ev.AttackMade)) == 1
    assert not done.of(ev.Moved)
    assert table.turn == "x"


@both_ways
@pytest.mark.clause("GU-2610", "GU-430")
def test_a_step_that_was_to_follow_is_not_taken(on_map: bool) -> None:
    table = duel(on_map=on_map, s={}, x={})
    way: dict[str, Any] = {"path": [(-1, 0)]} if on_map else {"said": {"length": 1}}
    options = {"mode": "swing", "act_at": 0, **({} if on_map else {"away_from": "x"})}

    done = table.play(
        "attack", "s", "x", weapon=SWORD, options=options, to_hit=FUMBLE, critical_miss=dice_of(13), **way
    )

    assert not done.of(ev.Moved)


@both_ways
@pytest.mark.clause("GU-280", "GU-1320")
@pytest.mark.parametrize("total", [8, 12])
def test_the_weapon_turns_in_the_hand(on_map: bool, total: int) -> None:
    table = duel(on_map=on_map, s={}, x={})

    fumble(table, total)

    assert SWORD in held(table, "s")
    assert item(table, "s", SWORD).marks["unready"] == 1
    table.until_turn_of("x")
    table.until_turn_of("s")
    assert table.why_not("attack", "s", "x", **SWING) == ["weapon_not_ready"]
    table.play("ready", "s", weapon=SWORD, options={"option": "recover_weapon"})
    assert not item(table, "s", SWORD).marks.get("unready")


@both_ways
@pytest.mark.clause("GU-280", "GU-2600")
@pytest.mark.parametrize("total", [9, 10, 11])
def test_he_drops_the_weapon_where_he_stands(on_map: bool, total: int) -> None:
    table = duel(on_map=on_map, x={}, s={})

    fumble(table, total, "x", "s", weapon="axe")

    axe = item(table, "x", "axe")
    assert (axe.held, axe.on_ground, axe.lies) == (None, True, table.who("x").place)
    table.until_turn_of("s")
    table.until_turn_of("x")
    assert table.why_not("attack", "x", "s", weapon="axe") == ["weapon_not_ready"]
    assert table.why_not("ready", "x", weapon="axe", options={"option": "pick_up"}) == []


@pytest.mark.clause("GU-280", "GU-2600")
def test_a_cheap_one_breaks_where_another_falls() -> None:
    table = duel(s={"items": weapon("1d6", "cut", cheap=True)}, x={})

    table.play("attack", "s", "x", weapon="blade", to_hit=FUMBLE, critical_miss=dice_of(10))

    assert item(table, "s", "blade").marks["broken"] == 1


# 14: the weapon flies


@pytest.mark.clause("GU-280", "GU-2600")
@pytest.mark.parametrize(
    ("facing", "die", "far", "x", "y"),
    [
        (90, 1, 3, 300, 0),
        (90, 3, 3, 300, 0),
        (90, 4, 3, -300, 0),
        (90, 6, 1, -100, 0),
        (0, 2, 6, 0, -600),
        (None, 1, 4, 400, 0),
    ],
)
def test_a_weapon_that_is_swung_flies_ahead_or_behind(facing: int | None, die: int, far: int, x: int, y: int) -> None:
    table = fight(s={"at": (0, 0, facing)}, x={"at": (1, 0, 270)})

    done = fumble(table, 14, flies=far, direction=die)

    lies = item(table, "s", SWORD).lies
    assert lies is not None
    assert (lies.x, lies.y) == (x, y)
    assert item(table, "s", SWORD).on_ground
    noted = next(one for one in done.of(ev.Noted) if one.fact == "weapon_flies")
    assert [one.value for one in noted.dice] == [far, die]
    assert (noted.words, [(one.id, one.value) for one in noted.figures]) == (
        ("ahead" if die <= 3 else "behind",),
        [("yards", far)],
    )


@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(("duck", "basic"), [((4, 4, 4), None), ((4, 4, 5), 3)])
def test_whoever_is_there_ducks_or_takes_half_its_damage(duck: tuple[int, int, int], basic: int | None) -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (1, 0, 270)}, p={"at": (4, 0, 270), "armour": {}})

    more: dict[str, Any] = {} if basic is None else {"damage": 4}
    done = fumble(table, 14, flies=4, direction=2, get_out_of_the_way=duck, **more)

    check = check_of(done, "get_out_of_the_way")
    assert (check.combatant, check.check, check.target) == ("p", "dx", 12)
    assert [(one.target, one.raw) for one in done.of(ev.DamageDealt)] == ([] if basic is None else [("p", basic)])


@pytest.mark.clause("GU-280")
def test_nobody_else_is_asked_to_duck() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (1, 0, 270)}, p={"at": (4.51, 0, 270)})

    done = fumble(table, 14, flies=4, direction=2)

    assert [one.purpose for one in done.of(ev.CheckRolled)] == ["attack"]


@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(
    ("apart", "choices"),
    [
        ({"sx": 1, "sp": 4, "sr": 9}, ("p",)),
        ({"sx": 1, "sp": 4}, ("p", "r")),
        ({"sx": 1, "sp": 3.5, "sr": 4.4}, ("p", "r")),
        ({"sx": 1, "sp": 3, "sr": 5}, None),
    ],
)
def test_without_a_map_the_gm_says_who_is_there(apart: dict[str, float], choices: tuple[str, ...] | None) -> None:
    table = fight(s={}, x={}, p={}, r={}, apart=apart)

    more: dict[str, Any] = {} if choices is None else {"weapon_flies": "nobody"}
    done = fumble(table, 14, flies=4, direction=5, **more)

    asked = done.questions("weapon_flies")
    assert [_who_may_be_there(one) for one in asked] == ([] if choices is None else [choices])
    assert [(one.to, one.lengths, one.clause) for one in asked] == (
        [] if choices is None else [("gm", {"distance": 400}, "GU-280")]
    )
    assert not done.of(ev.DamageDealt)
    assert item(table, "s", SWORD).on_ground


def _who_may_be_there(question: Question) -> tuple[str, ...]:
    return next(option for option in question.options if option.id == "somebody").form[0].choices


@pytest.mark.clause("GU-280")
def test_whom_the_gm_names_ducks_or_is_hit() -> None:
    table = fight(s={}, x={}, p={"armour": {}, "hp_max": 30}, r={}, apart={"sx": 1})

    done = fumble(
        table,
        14,
        flies=4,
        direction=5,
        weapon_flies=("somebody", {"who": ["r", "p"]}),
        p__get_out_of_the_way=(6, 6, 1),
        r__get_out_of_the_way=(3, 3, 3),
        damage=5,
    )

    assert [one.combatant for one in done.of(ev.CheckRolled)] == ["s", "p", "r"]
    assert [(one.target, one.raw) for one in done.of(ev.DamageDealt)] == [("p", 4)]


@pytest.mark.clause("GU-280")
@pytest.mark.parametrize("way", ["thrust", "throw", "shot"])
def test_what_is_not_swung_is_only_dropped(way: str) -> None:
    if way == "shot":
        table, who, options, kind = duel(r={}, x={}, far=5), "r", {}, "assault_rifle"
    elif way == "throw":
        table, who, options, kind = duel(x={}, s={}, far=1), "x", {"form": "throw"}, "axe"
    else:
        table, who, options, kind = duel(s={}, x={}), "s", {"mode": "thrust"}, SWORD
    whom = "s" if who == "x" else "x"

    done = table.play("attack", who, whom, weapon=kind, options=options, to_hit=FUMBLE, critical_miss=dice_of(14))

    assert not done.of(ev.DamageDealt)
    assert item(table, who, kind).on_ground
    assert "weapon_flies" not in [one.fact for one in done.of(ev.Noted)]


# 15 and 16


@both_ways
@pytest.mark.clause("GU-280", "GU-2060")
def test_a_strained_shoulder_makes_the_weapon_arm_useless_for_the_fight(on_map: bool) -> None:
    table = duel(on_map=on_map, s={}, x={})

    fumble(table, 15)

    record = effect(table, "s", "arm_strained")
    assert (record.word, record.until, record.clause) == ("main", (), "GU-280")
    assert SWORD in held(table, "s")
    table.until_turn_of("x")
    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="none", damage=(1, 1))
    (asked,) = done.questions("defend")
    assert [option.id for option in asked.options] == ["dodge", "block", "none"]
    barred = {one.id: [reason.code for reason in one.reasons] for one in asked.barred}
    assert barred["parry"] == ["weapon_not_ready"]
    table.until_turn_of("s")
    assert table.why_not("attack", "s", "x", **SWING) == ["weapon_not_ready"]
    assert table.why_not("attack", "s", "x", weapon="medium_shield") == []


@pytest.mark.clause("GU-280", "GU-2060")
def test_with_a_strained_shoulder_no_weapon_for_two_hands_is_used() -> None:
    table = duel(r={}, x={}, far=5)

    table.play("attack", "r", "x", weapon="assault_rifle", to_hit=FUMBLE, critical_miss=dice_of(15))
    table.end_turn()
    table.end_turn()

    assert held(table, "r") == {"assault_rifle"}
    assert table.why_not("attack", "r", "x", weapon="assault_rifle") == ["needs_two_hands"]


@pytest.mark.clause("GU-280")
def test_of_an_arm_that_is_strained_the_other_hand_is_free_as_before() -> None:
    table = duel(x={}, s={})

    fumble(table, 15, "x", "s", weapon="axe")

    assert free_hands(table.table, CombatantId("x")) == 1


@both_ways
@pytest.mark.clause("GU-280", "GU-1720")
def test_he_falls_prone(on_map: bool) -> None:
    table = duel(on_map=on_map, s={}, x={})

    fumble(table, 16)

    assert posture(table, "s") == "lying_prone"
    assert not table.has("s", "off_balance")


@pytest.mark.clause("GU-280")
def test_who_shoots_loses_his_balance_instead() -> None:
    table = duel(r={}, x={}, far=5)

    table.play("attack", "r", "x", weapon="assault_rifle", to_hit=FUMBLE, critical_miss=dice_of(16))

    assert table.has("r", "off_balance")
    assert posture(table, "r") == "standing"


@both_ways
@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(
    ("total", "kind"),
    [
        *[(total, "off_balance") for total in (3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 17, 18)],
        (15, "arm_strained"),
        (16, "lying_prone"),
    ],
)
def test_without_a_weapon_what_befalls_it_is_a_lost_balance(on_map: bool, total: int, kind: str) -> None:
    table = duel(on_map=on_map, far=0, s={"items": {}}, x={})

    table.play("attack", "s", "x", to_hit=FUMBLE, critical_miss=dice_of(total))

    assert table.has("s", kind)
    assert table.has("s", "off_balance") is (kind == "off_balance")


@pytest.mark.clause("GU-280")
def test_a_punch_may_strike_the_other_arm() -> None:
    table = duel(far=0, s={"items": {}, "armour": {}}, x={})

    done = table.play("attack", "s", "x", to_hit=FUMBLE, critical_miss=dice_of(5), limb=2, damage=6)

    assert (done.one(ev.DamageDealt).location, done.one(ev.DamageDealt).raw) == ("left_arm", 4)


@both_ways
@pytest.mark.clause("GU-280", "GU-2600")
def test_without_the_tables_a_weapon_is_dropped_and_a_ranged_one_unready(on_map: bool) -> None:
    table = duel(on_map=on_map, s={}, x={}, options=LITE)
    table.play("attack", "s", "x", **SWING, to_hit=FUMBLE)
    assert item(table, "s", SWORD).on_ground

    table = duel(on_map=on_map, r={}, x={}, far=5, options=LITE)
    table.play("attack", "r", "x", weapon="assault_rifle", to_hit=FUMBLE)
    assert item(table, "r", "assault_rifle").held == "both"
    assert item(table, "r", "assault_rifle").marks["unready"] == 1

    table = duel(on_map=on_map, far=0, s={"items": {}}, x={}, options=LITE)
    done = table.play("attack", "s", "x", to_hit=FUMBLE)
    assert not done.of(ev.EffectBegan)[1:]


@pytest.mark.clause("GU-280", "GU-1860")
@pytest.mark.parametrize("total", [8, 9])
def test_an_aim_with_what_is_unready_or_dropped_is_gone(total: int) -> None:
    table = duel(r={"items": {"gun": Item("auto_pistol", held="main", marks={"ammo": 16})}}, x={}, far=5)
    table.play("aim", "r", "x", weapon="gun")
    table.until_turn_of("x")
    table.until_turn_of("r")

    table.play("attack", "r", "x", weapon="gun", to_hit=FUMBLE, critical_miss=dice_of(total))

    assert not table.has("r", "aiming")


# GU-395: critical results on a defence


@both_ways
@pytest.mark.clause("GU-395")
@pytest.mark.parametrize(("defend", "name"), [("block", "block"), ("parry", "parry"), ("dodge", "dodge")])
def test_a_critical_success_against_a_blow_sends_the_attacker_to_the_table(
    on_map: bool, defend: str, name: str
) -> None:
    table = duel(on_map=on_map, x={}, s={})

    done = table.play(
        "attack", "x", "s", weapon="axe", to_hit=HIT, defend=defend, **{name: (1, 1, 2)}, critical_miss=(3, 4, 3)
    )

    assert not done.of(ev.DamageDealt)
    assert item(table, "x", "axe").on_ground
    assert done.one(ev.CriticalSuffered).clause == "GU-395"
    roll = next(one for one in done.asked if one.name == "critical_miss")
    assert roll.by == "x"  # type: ignore[union-attr]


@pytest.mark.clause("GU-395")
def test_against_a_shot_it_does_not() -> None:
    table = duel(r={}, x={}, far=5)

    done = table.play("attack", "r", "x", weapon="assault_rifle", to_hit=HIT, defend="dodge", dodge=(1, 1, 1))

    assert not done.of(ev.CriticalSuffered)


@both_ways
@pytest.mark.clause("GU-395", "GU-1720")
def test_a_dodge_that_goes_badly_wrong_ends_on_the_ground_and_the_hit_stands(on_map: bool) -> None:
    table = duel(on_map=on_map, x={}, s={"hp_max": 60})

    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="dodge", dodge=FUMBLE, damage=(3, 3))

    assert posture(table, "s") == "lying_prone"
    assert done.one(ev.DamageDealt).target == "s"


@both_ways
@pytest.mark.clause("GU-395")
def test_a_block_that_goes_badly_wrong_leaves_the_shield_unready(on_map: bool) -> None:
    table = duel(on_map=on_map, x={}, s={"hp_max": 60})

    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="block", block=FUMBLE, damage=(3, 3))

    assert item(table, "s", "medium_shield").marks["unready"] == 1
    assert done.one(ev.DamageDealt).target == "s"
    table.until_turn_of("s")
    table.play("ready", "s", weapon="medium_shield", options={"option": "recover_weapon"})
    assert not item(table, "s", "medium_shield").marks.get("unready")


@both_ways
@pytest.mark.clause("GU-395")
@pytest.mark.parametrize(("total", "more"), [(10, {}), (14, {}), (3, {}), (8, {}), (7, {}), (16, {}), (15, {})])
def test_a_parry_that_goes_badly_wrong_sends_the_defender_to_the_table(
    on_map: bool, total: int, more: dict[str, Any]
) -> None:
    table = duel(on_map=on_map, x={}, s={"hp_max": 60})

    done = table.play(
        "attack",
        "x",
        "s",
        weapon="axe",
        to_hit=HIT,
        defend="parry",
        parry=FUMBLE,
        critical_miss=dice_of(total),
        damage=(3, 3),
    )

    assert done.one(ev.DamageDealt).target == "s"
    sword = item(table, "s", SWORD)
    expected = {
        10: sword.on_ground,
        14: sword.on_ground,
        3: sword.marks.get("broken") == 1,
        8: sword.marks.get("unready") == 1,
        7: table.has("s", "off_balance"),
        16: posture(table, "s") == "lying_prone",
        15: table.has("s", "arm_strained"),
    }
    assert expected[total]


@pytest.mark.clause("GU-395", "GU-2610")
def test_a_parry_turned_against_him_takes_the_second_blow_of_a_double() -> None:
    table = duel(x={}, s={})

    done = table.play(
        "all_out_attack",
        "x",
        "s",
        weapon="axe",
        options={"option": "double"},
        to_hit=HIT,
        defend="parry",
        parry=(1, 1, 1),
        critical_miss=dice_of(7),
    )

    assert len(done.of(ev.AttackMade)) == 1


@pytest.mark.clause("GU-395", "GU-1220")
@pytest.mark.parametrize(("dice", "keeps"), [((2, 2, 3), True), ((3, 3, 2), False)])
def test_falling_disturbs_a_concentration(dice: tuple[int, int, int], keeps: bool) -> None:
    table = duel(x={}, s={"hp_max": 60})
    table.end_turn()
    table.play("concentrate", "s", options={"task": "a charm", "seconds_needed": 3})
    table.end_turn()

    more: dict[str, Any] = {"injured__concentration": (2, 2, 3)} if keeps else {}
    table.play(
        "attack",
        "x",
        "s",
        weapon="axe",
        to_hit=HIT,
        defend="dodge",
        dodge=FUMBLE,
        defended__concentration=(2, 2, 3),
        knocked_down__concentration=dice,
        damage=(3, 3),
        **more,
    )

    assert table.has("s", "concentrating") is keeps


@pytest.mark.clause("GU-2610", "GU-1455")
def test_off_balance_ends_an_open_wait() -> None:
    table = duel(s={}, x={})
    put(table, "s", "waiting")

    table.rule(cmd.AddEffect(CombatantId("s"), "off_balance"))

    assert not table.has("s", "waiting")


@pytest.mark.clause("GU-280", "GU-2610")
@pytest.mark.parametrize("total", [16])
def test_whoever_shoots_loses_his_balance_where_others_fall(total: int) -> None:
    pistol = {"gun": Item("auto_pistol", held="main", marks={"ammo": 16})}
    table = duel(r={"items": pistol, "skills": {"guns_pistol": 12}}, x=TOUGH, far=10)

    done = table.play("attack", "r", "x", weapon="gun", to_hit=(6, 6, 6), critical_miss=dice_of(total))

    assert [one.cause for one in done.of(ev.CriticalSuffered)] == ["off_balance"]
    assert posture(table, "r") == "standing"
