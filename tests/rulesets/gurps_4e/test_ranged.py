"""Shots and throws: range, speed, rate of fire, many hits at once, too little strength, close quarters."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import ClauseId, CombatantId, EffectId, ItemId
from app.engine.state import Effect, Item
from rulesets.gurps_4e.attack import rapid_fire_bonus
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.shooting import (
    LOW,
    PISTOL,
    RIFLE,
    SAFE,
    apart,
    gun,
    next_slot,
    rounds,
    scored,
    skill,
    terms,
)
from tests.support.play import Played, PlayTable, length

X, R = CombatantId("x"), CombatantId("r")
MODES = pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])
MISS = (5, 5, 6)
ARMED = {"items": gun(PISTOL, "main")}
KNIFE = {"items": {"large_knife": Item("large_knife", held="main")}, "skills": {"thrown_knife": 12}}


def shoot(table: PlayTable, weapon: str = RIFLE, who: str = "r", target: str = "x", **given: Any) -> Played:
    return table.play("attack", who, target, weapon=weapon, **{"to_hit": MISS, **given})


# GU-2000: the sum


@pytest.mark.clause("GU-2000")
@MODES
def test_a_shot_adds_range_and_the_posture_of_the_target_to_the_skill(on_map: bool) -> None:
    table = apart(7, on_map=on_map, r=ARMED)
    table.rule(cmd.AddEffect(X, "kneeling"))

    done = shoot(table, PISTOL)

    assert terms(done) == {"guns_pistol": 14, "range": -3, "target_posture": -2}
    assert skill(done) == 9


@pytest.mark.clause("GU-2000")
@pytest.mark.parametrize(
    ("posture", "worth"),
    [
        ("standing", 0),
        ("crouching", -2),
        ("kneeling", -2),
        ("crawling", -2),
        ("sitting", -2),
        ("lying_prone", -2),
        ("lying_face_up", -2),
    ],
)
def test_every_posture_but_standing_is_harder_to_hit(posture: str, worth: int) -> None:
    table = apart(2, on_map=False)
    if posture != "standing":
        table.rule(cmd.AddEffect(X, posture))

    assert skill(shoot(table)) == 15 + worth


@pytest.mark.clause("GU-2000")
@pytest.mark.parametrize(
    ("location", "worth"),
    [
        ("torso", -2),
        ("groin", -2),
        ("vitals", -2),
        ("left_leg", -2),
        ("right_foot", -2),
        ("skull", None),
        ("left_arm", None),
    ],
)
def test_the_posture_hides_only_what_is_low(location: str, worth: int | None) -> None:
    table = apart(2, on_map=False, options={"hit_locations": True})
    table.rule(cmd.AddEffect(X, "kneeling"))

    assert terms(shoot(table, location=location)).get("target_posture") == worth


@pytest.mark.clause("GU-2000")
def test_size_aim_rapid_fire_and_what_the_gm_gives_count_too() -> None:
    table = apart(20, on_map=False, x={"size_modifier": 1})
    table.play("aim", "r", "x", weapon=RIFLE)
    next_slot(table)

    done = shoot(table, options={"shots": 5}, modifiers=[-3])

    assert terms(done) == {"guns_rifle": 15, "range": -6, "acc": 5, "rapid_fire": 1, "size_modifier": 1, "gm": -3}
    assert skill(done) == 13


@pytest.mark.clause("GU-2000")
def test_the_shooter_s_own_posture_is_no_penalty_to_a_shot() -> None:
    table = apart(2, on_map=False)
    table.rule(cmd.AddEffect(R, "lying_prone"))

    assert skill(shoot(table)) == 15


# GU-2010: speed and range


@pytest.mark.clause("GU-2010")
@MODES
@pytest.mark.parametrize(
    ("far", "worth"),
    [
        (1, 0),
        (2, 0),
        (2.1, -1),
        (3, -1),
        (3.01, -2),
        (5, -2),
        (7, -3),
        (10, -4),
        (10.5, -5),
        (15, -5),
        (20, -6),
        (30, -7),
        (50, -8),
        (70, -9),
        (100, -10),
        (101, -11),
        (150, -11),
        (200, -12),
        (300, -13),
        (500, -14),
        (700, -15),
        (1000, -16),
        (1500, -17),
        (2000, -18),
        (2000.01, -19),
        (3000, -19),
        (3500, -20),
    ],
)
def test_an_exact_range_belongs_to_its_row_and_more_to_the_next(on_map: bool, far: float, worth: int) -> None:
    table = apart(far, on_map=on_map, r={"skills": {"guns_rifle": 30}})

    assert skill(shoot(table, to_hit=(6, 6, 6), critical_miss=(3, 3, 3))) == 30 + worth


# GU-2020: the target's speed


@pytest.mark.clause("GU-2020")
@pytest.mark.parametrize(("speed", "worth"), [(0, -4), (0.01, -5), (5, -5), (5.01, -6)])
def test_a_stated_speed_of_the_target_is_added_to_the_range(speed: float, worth: int) -> None:
    table = apart(10, on_map=False)

    assert skill(shoot(table, options={"target_speed": length(speed)})) == 15 + worth


def run_and_shoot(*, on_map: bool, counted: bool, **given: Any) -> Played:
    """X runs 5 yards, which brings him 10 yards from R, who shoots at him."""
    options = {"count_target_speed": counted}
    if on_map:
        table = fight(x={"at": (15, 0, 270)}, r={"at": (0, 0, 90)}, options=options)
        table.play("move", "x", path=[(10, 0)])
    else:
        table = fight(x={}, r={}, apart={"rx": 15}, options=options)
        table.play("move", "x", said={"length": 5, "distance_after": {"r": 10}})
    table.until_turn_of("r")
    return shoot(table, **given)


@pytest.mark.clause("GU-2020")
@MODES
@pytest.mark.parametrize(("counted", "worth"), [(False, -4), (True, -5)])
def test_by_option_what_the_target_ran_in_his_last_turn_counts(on_map: bool, counted: bool, worth: int) -> None:
    assert skill(run_and_shoot(on_map=on_map, counted=counted)) == 15 + worth


@pytest.mark.clause("GU-2020")
def test_a_stated_speed_stands_before_the_counted_one() -> None:
    assert skill(run_and_shoot(on_map=True, counted=True, options={"target_speed": 0})) == 11


@pytest.mark.clause("GU-2020")
def test_the_counted_speed_is_that_of_one_turn() -> None:
    table = fight(x={"at": (15, 0, 270)}, r={"at": (0, 0, 90)}, options={"count_target_speed": True})
    table.play("move", "x", path=[(10, 0)])
    assert table.has("x", "moved_last")

    next_slot(table, "x")
    table.end_turn()

    assert skill(shoot(table)) == 11


# GU-2030: rate of fire and ammunition


@pytest.mark.clause("GU-2030")
@pytest.mark.parametrize("to_hit", [(3, 3, 3), MISS], ids=["hit", "miss"])
def test_rounds_are_gone_hit_or_miss(to_hit: tuple[int, int, int]) -> None:
    table = apart(10, on_map=False, x=SAFE)
    answers: dict[str, Any] = {} if to_hit == MISS else {"defend": "none", "damage": [LOW] * 3}

    shoot(table, options={"shots": 15}, to_hit=to_hit, **answers)

    assert rounds(table) == 16


@pytest.mark.clause("GU-2030")
@pytest.mark.parametrize(
    ("weapon", "ammo", "shots", "reasons"),
    [
        (PISTOL, 16, 3, []),
        (PISTOL, 16, 4, ["rof_exceeded"]),
        (PISTOL, 2, 2, []),
        (PISTOL, 2, 3, ["not_enough_ammo"]),
        (PISTOL, 2, 4, ["rof_exceeded", "not_enough_ammo"]),
        (PISTOL, 0, 1, ["not_enough_ammo"]),
        (RIFLE, 31, 15, []),
        (RIFLE, 31, 16, ["rof_exceeded"]),
    ],
)
def test_shots_are_bounded_by_the_rate_of_fire_and_the_rounds(
    weapon: str, ammo: int, shots: int, reasons: list[str]
) -> None:
    table = apart(5, on_map=False, r={"items": gun(weapon, marks={"ammo": ammo})})

    found = table.reasons("attack", "r", "x", weapon=weapon, options={"shots": shots})

    assert sorted(reason.code for reason in found) == sorted(reasons)
    assert {reason.clause for reason in found} <= {"GU-2030", "GU-1370"}


@pytest.mark.clause("GU-2030")
def test_one_shot_is_what_nobody_has_to_say() -> None:
    table = apart(5, on_map=False)

    shoot(table)

    assert rounds(table) == 30


# GU-2040: rapid fire


@pytest.mark.clause("GU-2040")
@pytest.mark.parametrize(
    ("shots", "bonus"),
    [
        (1, 0),
        (4, 0),
        (5, 1),
        (8, 1),
        (9, 2),
        (12, 2),
        (13, 3),
        (16, 3),
        (17, 4),
        (24, 4),
        (25, 5),
        (49, 5),
        (50, 6),
        (99, 6),
        (100, 7),
        (199, 7),
        (200, 8),
        (399, 8),
        (400, 9),
        (800, 10),
    ],
)
def test_the_bonus_grows_with_the_shots_and_by_one_for_each_doubling(shots: int, bonus: int) -> None:
    assert rapid_fire_bonus(apart(2, on_map=False).table, shots) == bonus


@pytest.mark.clause("GU-2040")
@pytest.mark.parametrize(
    ("roll", "hits"), [((4, 5, 5), 1), ((4, 4, 5), 1), ((4, 4, 4), 2), ((3, 3, 3), 3), ((2, 3, 3), 4), ((2, 2, 3), 4)]
)
def test_each_full_recoil_in_the_margin_is_one_hit_more(roll: tuple[int, int, int], hits: int) -> None:
    table = apart(10, on_map=False, x=SAFE)

    done = shoot(table, options={"shots": 15}, to_hit=roll, defend="none", damage=[LOW] * hits)

    assert (skill(done), scored(done)) == (14, hits)
    assert len(done.of(ev.DamageDealt)) == hits


@pytest.mark.clause("GU-2040")
@pytest.mark.parametrize(
    ("rcl", "to_hit", "hits"),
    [(2, (3, 4, 4), 2), (2, (2, 4, 4), 3), (2, (2, 2, 4), 3), (1, (4, 4, 4), 3), (1, (4, 4, 5), 2), (1, (2, 2, 3), 3)],
)
def test_no_more_hits_than_shots_whatever_the_recoil(rcl: int, to_hit: tuple[int, int, int], hits: int) -> None:
    table = apart(2, on_map=False, r={"items": gun(PISTOL, "main", rcl=rcl)}, x=SAFE)

    done = shoot(table, PISTOL, options={"shots": 3}, to_hit=to_hit, defend="none", damage=[(1, 1)] * hits)

    assert (skill(done), scored(done)) == (14, hits)


@pytest.mark.clause("GU-2040")
def test_a_burst_that_hits_by_eight_is_held_to_its_three_shots() -> None:
    table = apart(2, on_map=False, r={"items": gun(PISTOL, "main"), "skills": {"guns_pistol": 15}}, x=SAFE)

    done = shoot(table, PISTOL, options={"shots": 3}, to_hit=(2, 2, 3), defend="none", damage=[(1, 1)] * 3)

    assert done.check.degrees == 8
    assert scored(done) == 3


@pytest.mark.clause("GU-2040")
def test_a_critical_hit_against_all_odds_is_still_one_hit() -> None:
    table = apart(100, on_map=False, r={"skills": {"guns_rifle": 13}}, x=SAFE)

    done = shoot(table, options={"shots": 4}, to_hit=(1, 1, 2), critical_hit=(3, 3, 4), damage=LOW)

    assert (skill(done), scored(done)) == (3, 1)


# GU-2050: dodging many hits


@pytest.mark.clause("GU-2050")
@pytest.mark.parametrize(
    ("dodge", "standing"), [((2, 3, 4), 3), ((2, 3, 3), 2), ((2, 2, 3), 1), ((2, 2, 2), 0), ((1, 1, 2), 0)]
)
def test_a_dodge_avoids_one_hit_and_one_more_for_each_point_of_its_margin(
    dodge: tuple[int, int, int], standing: int
) -> None:
    table = apart(10, on_map=False, x=SAFE)
    answers: dict[str, Any] = {"damage": [LOW] * standing} if standing else {}

    done = shoot(table, options={"shots": 15}, to_hit=(3, 3, 3), defend="dodge", dodge=dodge, **answers)

    assert scored(done) == 3
    assert len(done.of(ev.DamageDealt)) == standing
    assert len(done.one(ev.DefenceResolved).negated) == 3 - standing
    assert len(done.questions("defend")) == 1


@pytest.mark.clause("GU-2050")
def test_a_critical_dodge_avoids_every_hit() -> None:
    table = apart(10, on_map=False, r={"items": gun(rcl=1)}, x=SAFE)

    done = shoot(table, options={"shots": 15}, to_hit=(2, 2, 3), defend="dodge", dodge=(1, 1, 2))

    assert scored(done) == 8
    assert len(done.one(ev.DefenceResolved).negated) == 8
    assert not done.of(ev.DamageDealt)


@pytest.mark.clause("GU-2050")
def test_throwing_oneself_down_counts_for_the_hits_too() -> None:
    table = apart(10, on_map=False, x=SAFE)

    done = shoot(table, options={"shots": 15}, to_hit=(3, 3, 3), defend="dodge_and_drop", dodge=(3, 3, 3))

    assert len(done.one(ev.DefenceResolved).negated) == 3
    assert table.has("x", "lying_prone")


# GU-2060: strength and hands


def lamed(kind: str) -> Effect:
    """An arm of R that is of no use."""
    return Effect(EffectId("r.1"), kind, ClauseId("GU-280"), word="left")


@pytest.mark.clause("GU-2060")
@pytest.mark.parametrize(("st", "number"), [(12, 14), (11, 14), (10, 13), (8, 11)])
def test_each_point_of_strength_that_is_lacking_costs_one(st: int, number: int) -> None:
    table = apart(2, on_map=False, r={"st": st, "items": gun("longbow"), "skills": {"bow": 14}})

    assert skill(shoot(table, "longbow")) == number


@pytest.mark.clause("GU-2060")
def test_in_melee_too_a_weapon_wants_its_strength() -> None:
    table = fight(x={"st": 9}, s={}, apart={"sx": 1})

    done = table.play("attack", "x", "s", weapon="axe", to_hit=MISS)

    assert skill(done) == 11


@pytest.mark.clause("GU-2060")
@pytest.mark.parametrize("kind", ["arm_strained", "arm_crippled"])
def test_a_two_handed_weapon_cannot_be_used_with_one_good_hand(kind: str) -> None:
    lame = {EffectId("r.1"): lamed(kind)}
    table = apart(5, on_map=False, r={"effects": lame, "serial": 1})

    found = table.reasons("attack", "r", "x", weapon=RIFLE)

    assert [(reason.code, reason.clause) for reason in found] == [("needs_two_hands", "GU-2060")]


@pytest.mark.clause("GU-2060")
def test_the_good_hand_still_fires_a_one_handed_weapon() -> None:
    lame = {EffectId("r.1"): lamed("arm_strained")}
    table = apart(5, on_map=False, r={**ARMED, "effects": lame, "serial": 1})

    assert table.why_not("attack", "r", "x", weapon=PISTOL) == []


# GU-2070: thrown weapons


def throw(table: PlayTable, target: str = "x", **given: Any) -> Played:
    return shoot(table, "large_knife", target=target, options={"form": "throw"}, **given)


@pytest.mark.clause("GU-2070")
@MODES
def test_a_knife_flies_one_and_a_half_times_the_strength(on_map: bool) -> None:
    def against(far: float) -> list[str]:
        table = apart(far, on_map=on_map, r=KNIFE)
        return table.why_not("attack", "r", "x", weapon="large_knife", options={"form": "throw"})

    assert against(15) == []
    assert against(15.01) == ["out_of_range"]


@pytest.mark.clause("GU-2070")
@MODES
@pytest.mark.parametrize(("far", "raw"), [(8, 4), (8.01, 2)])
def test_beyond_eight_tenths_of_the_strength_it_does_half_damage(on_map: bool, far: float, raw: int) -> None:
    table = apart(far, on_map=on_map, r=KNIFE, x=SAFE)

    done = throw(table, to_hit=(2, 2, 3), defend="none", damage=6)

    assert done.one(ev.DamageDealt).raw == raw


@pytest.mark.clause("GU-2070")
@MODES
def test_a_thrown_weapon_lies_where_the_target_is(on_map: bool) -> None:
    table = apart(5, on_map=on_map, r=KNIFE)

    throw(table)

    knife = table.who("r").items["large_knife"]
    assert (knife.held, knife.on_ground) == (None, True)
    assert knife.lies == (table.who("x").place if on_map else None)
    next_slot(table)
    assert table.why_not("attack", "r", "x", weapon="large_knife", options={"form": "throw"}) == ["weapon_not_ready"]


@pytest.mark.clause("GU-2070")
def test_what_is_not_ready_is_not_thrown() -> None:
    table = apart(5, on_map=False, r={"items": {"large_knife": Item("large_knife")}})

    assert table.why_not("attack", "r", "x", weapon="large_knife", options={"form": "throw"}) == ["weapon_not_ready"]


@pytest.mark.clause("GU-2070")
def test_the_knife_is_tested_on_throwing_or_by_default_on_dexterity_less_four() -> None:
    skilled = apart(2, on_map=False, r=KNIFE)
    untrained = apart(2, on_map=False, r={"items": KNIFE["items"]})

    assert terms(throw(skilled)) == {"thrown_knife": 12}
    assert skill(throw(untrained)) == 9


@pytest.mark.clause("GU-2070")
@pytest.mark.parametrize(("defence", "number"), [("dodge", 9), ("block", 12), ("parry", 10), ("dodge_and_drop", 12)])
def test_it_may_be_dodged_blocked_or_parried(defence: str, number: int) -> None:
    table = fight(r=KNIFE, s={}, apart={"rs": 2})
    name = "dodge" if defence == "dodge_and_drop" else defence

    done = throw(table, "s", to_hit=(2, 3, 4), defend=defence, **{name: (3, 3, 3)})

    rolled = next(event for event in done.of(ev.CheckRolled) if event.purpose == "defend")
    assert rolled.target == number


@pytest.mark.clause("GU-2070")
@pytest.mark.parametrize("shots", [1, 3])
def test_a_weapon_is_thrown_once(shots: int) -> None:
    table = apart(5, on_map=False, r=KNIFE)

    options = {"form": "throw", "shots": shots}

    assert table.why_not("attack", "r", "x", weapon="large_knife", options=options) == ["unused_input"]


# GU-2080: close quarters


@pytest.mark.clause("GU-2080")
@pytest.mark.parametrize(
    ("on_map", "far", "number"),
    [(False, 0, 12), (False, 1, 14), (True, 0, 12), (True, 0.49, 12), (True, 0.5, 14), (True, 1, 14)],
)
def test_at_distance_nought_bulk_takes_the_place_of_range(on_map: bool, far: float, number: int) -> None:
    table = apart(far, on_map=on_map, r=ARMED)

    done = shoot(table, PISTOL)

    assert skill(done) == number
    assert terms(done).get("bulk") == (-2 if number == 12 else None)


@pytest.mark.clause("GU-2080", "GU-2000")
@pytest.mark.parametrize(("bulk", "number"), [(-2, 12), (-1, 12), (-4, 10)])
def test_bulk_counts_once_for_somebody_who_moves_to_distance_nought_and_shoots(bulk: int, number: int) -> None:
    table = apart(2, on_map=True, r={"items": gun(PISTOL, "main", bulk=bulk)})

    done = table.play("move_and_attack", "r", "x", weapon=PISTOL, path=[(2, 0)], to_hit=MISS)

    assert skill(done) == number


@pytest.mark.clause("GU-2080")
def test_the_item_that_is_shot_keeps_its_name() -> None:
    table = apart(0, on_map=False, r=ARMED)

    assert shoot(table, PISTOL).one(ev.AttackMade).weapon == ItemId(PISTOL)
