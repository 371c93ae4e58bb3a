"""Fists, feet, shield, slam, shove, grapple, and being driven back by a blow. Clauses GU-2200 to GU-2240."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, EffectId
from app.engine.reasons import Refused
from app.engine.space.model import Ground, Place, Wall
from app.engine.state import Item
from rulesets.gurps_4e.bodily import slam_damage
from rulesets.gurps_4e.weapons import free_hands
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.harming import (
    HIT,
    SWORD,
    both_ways,
    check_of,
    duel,
    effect,
    held,
    hp,
    posture,
    put,
    terms,
    weapon,
)
from tests.support.play import Played, PlayTable, length

PASS, FAIL = (3, 3, 3), (5, 5, 4)
EMPTY: dict[str, Any] = {"items": {}}


def between(table: PlayTable, one: str, other: str) -> int | None:
    """Hundredths of a yard between two, None where nobody knows."""
    found = table.table.space.distance(CombatantId(one), CombatantId(other))
    return found if isinstance(found, int) else None


def toward(on_map: bool, yards: float, whom: str) -> dict[str, Any]:
    """Going so far, straight to him who is to the right."""
    if on_map:
        return {"path": [(yards, 0)]}
    return {"said": {"length": yards}, "options": {"toward": whom}}


# GU-2200: fists and feet


@both_ways
@pytest.mark.clause("GU-2200")
@pytest.mark.parametrize(
    ("mode", "far", "target", "raw"),
    [("punch", 0, 11, 3), ("kick", 0, 9, 4), ("kick", 1, 9, 4)],
)
def test_a_punch_is_thrust_less_1_a_kick_thrust_at_2_less(
    on_map: bool, mode: str, far: float, target: int, raw: int
) -> None:
    table = duel(on_map=on_map, far=far, x=EMPTY, s={"armour": {}})

    done = table.play("attack", "x", "s", options={"mode": mode}, to_hit=(3, 3, 3), defend="none", damage=4)

    check = check_of(done, "attack")
    assert check.target == target
    assert terms(check) == {"brawling": 11, **({"kick": -2} if mode == "kick" else {})}
    dealt = done.one(ev.DamageDealt)
    assert (dealt.raw, dealt.damage_type) == (raw, "cr")


@both_ways
@pytest.mark.clause("GU-2200", "GU-620")
@pytest.mark.parametrize(
    ("mode", "far", "reasons"),
    [("punch", 0, []), ("punch", 1, ["out_of_reach"]), ("kick", 1, []), ("kick", 2, ["out_of_reach"])],
)
def test_a_fist_reaches_close_combat_a_foot_a_yard(on_map: bool, mode: str, far: float, reasons: list[str]) -> None:
    table = duel(on_map=on_map, far=far, x=EMPTY, s={})

    assert table.why_not("attack", "x", "s", options={"mode": mode}) == reasons


@pytest.mark.clause("GU-2200")
@pytest.mark.parametrize(
    ("skills", "dx", "tested", "target"),
    [({"brawling": 12}, 11, "brawling", 12), ({"brawling": 10}, 11, "dx", 11), ({}, 11, "dx", 11)],
)
def test_it_is_brawling_or_dx(skills: dict[str, int], dx: int, tested: str, target: int) -> None:
    table = duel(far=0, p={**EMPTY, "sample": "sample_rifleman", "skills": skills, "dx": dx}, s={})

    check = check_of(table.play("attack", "p", "s", to_hit=(6, 6, 3)), "attack")

    assert (check.check, check.target) == (tested, target)


@pytest.mark.clause("GU-2200", "GU-610")
def test_with_both_hands_full_he_kicks() -> None:
    table = duel(far=0, s={}, x={})

    assert table.why_not("attack", "s", "x", options={"mode": "punch"}) == ["weapon_not_ready"]
    assert table.why_not("attack", "s", "x", options={"mode": "kick"}) == []


@pytest.mark.clause("GU-2200")
def test_with_nothing_said_he_punches() -> None:
    table = duel(far=0, x=EMPTY, s={"armour": {}})

    assert table.play("attack", "x", "s", to_hit=HIT, defend="none", damage=4).one(ev.DamageDealt).raw == 3


# GU-2210: slam


def slam(table: PlayTable, on_map: bool, yards: float = 5, **more: Any) -> Played:
    """X runs that far and slams R, who is one yard farther off."""
    way = toward(on_map, yards, "r")
    options = {"form": "slam", **way.pop("options", {})}
    given: dict[str, Any] = {"to_hit": PASS, "defend": "none", **more}
    return table.play("move_and_attack", "x", "r", options=options, **way, **given)


@both_ways
@pytest.mark.clause("GU-2210", "GU-930")
def test_the_example_of_the_ledger(on_map: bool) -> None:
    table = duel(on_map=on_map, far=6, x={}, r={})

    done = slam(table, on_map, x__damage=4, r__damage=3)

    assert terms(check_of(done, "attack")) == {"brawling": 11}
    dealt = {one.target: one for one in done.of(ev.DamageDealt)}
    assert (dealt["r"].raw, dealt["x"].raw) == (3, 1)
    assert {one.damage_type for one in dealt.values()} == {"cr"}
    assert {one.combatant for one in dealt.values()} == {"x", "r"}
    assert posture(table, "r") == "lying_prone"
    assert posture(table, "x") == "standing"
    assert hp(table, "r") == 10 - 1
    assert hp(table, "x") == 14


@pytest.mark.clause("GU-2210")
@pytest.mark.parametrize(
    ("most", "yards", "text"),
    [
        (5, 1, "1d6-3"),
        (25, 1, "1d6-3"),
        (26, 1, "1d6-2"),
        (10, 5, "1d6-2"),
        (50, 1, "1d6-2"),
        (51, 1, "1d6-1"),
        (14, 5, "1d6-1"),
        (99, 1, "1d6-1"),
        (10, 10, "1d6"),
        (29, 5, "1d6"),
        (30, 5, "2d6"),
        (40, 6, "2d6"),
        (50, 5, "3d6"),
        (100, 12, "12d6"),
    ],
)
def test_hit_points_times_yards_give_the_dice(most: int, yards: int, text: str) -> None:
    table = duel(x={"hp_max": most}, s={})

    assert slam_damage(table.table, CombatantId("x"), yards).dice.text == text


@both_ways
@pytest.mark.clause("GU-2210")
@pytest.mark.parametrize(
    ("mine", "theirs", "dx", "falls"),
    [
        (6, 2, None, "r"),
        (5, 4, None, "r"),
        (4, 4, (4, 4, 5), None),
        (4, 4, (5, 5, 4), "r"),
        (3, 4, (5, 5, 4), "r"),
        (3, 5, None, None),
        (2, 3, (3, 3, 3), None),
        (2, 4, None, "x"),
        (1, 3, None, "x"),
        (1, 2, None, None),
        (2, 2, None, "r"),
    ],
)
def test_the_weaker_one_falls_or_keeps_his_feet(
    on_map: bool, mine: int, theirs: int, dx: Any, falls: str | None
) -> None:
    """X rolls a die less 1, R a die less 2."""
    table = duel(on_map=on_map, far=6, x={"armour": {}}, r={"armour": {}})

    more = {} if dx is None else {"keep_balance": dx}
    done = slam(table, on_map, x__damage=mine, r__damage=theirs, **more)

    assert posture(table, "r") == ("lying_prone" if falls == "r" else "standing")
    assert posture(table, "x") == ("lying_prone" if falls == "x" else "standing")
    if dx is not None:
        check = check_of(done, "keep_balance")
        assert (check.combatant, check.check, check.target, check.clause) == ("r", "dx", 13, "GU-2210")


@both_ways
@pytest.mark.clause("GU-2210")
@pytest.mark.parametrize(("yards", "reasons"), [(1, []), (0.99, ["out_of_reach"]), (0, ["out_of_reach"])])
def test_he_must_have_come_at_least_a_yard_nearer(on_map: bool, yards: float, reasons: list[str]) -> None:
    table = duel(on_map=on_map, far=yards + 0.6, x={}, r={})

    way = toward(on_map, yards, "r") if yards else {}
    options = {"form": "slam", **way.pop("options", {})}

    found = table.reasons("move_and_attack", "x", "r", options=options, **way)
    assert [one.code for one in found] == reasons
    assert {one.clause for one in found} <= {"GU-2210"}


@both_ways
@pytest.mark.clause("GU-2210")
def test_who_runs_past_or_away_has_not_come_nearer(on_map: bool) -> None:
    table = duel(on_map=on_map, far=1, x={}, r={})
    way: dict[str, Any] = {"path": [(1, 1), (0, 0)]} if on_map else {"said": {"length": 2, "distance_after": {"r": 1}}}

    assert table.why_not("move_and_attack", "x", "r", options={"form": "slam"}, **way) == ["out_of_reach"]


@both_ways
@pytest.mark.clause("GU-2210")
def test_he_must_reach_the_foe(on_map: bool) -> None:
    table = duel(on_map=on_map, far=7, x={}, r={})
    way = toward(on_map, 5, "r")
    options = {"form": "slam", **way.pop("options", {})}

    (reason,) = table.reasons("move_and_attack", "x", "r", options=options, **way)

    assert (reason.code, reason.need, reason.got) == ("out_of_reach", 1, 2)


@both_ways
@pytest.mark.clause("GU-2210", "GU-780")
def test_it_may_be_an_all_out_attack_and_only_yards_toward_him_count(on_map: bool) -> None:
    table = duel(on_map=on_map, far=3, x={}, r={})
    way = toward(on_map, 2, "r")
    options = {"form": "slam", "option": "determined", **way.pop("options", {})}

    done = table.play(
        "all_out_attack",
        "x",
        "r",
        options=options,
        to_hit=PASS,
        defend="none",
        x__damage=5,
        r__damage=5,
        keep_balance=PASS,
        **way,
    )

    # 14 times 2 is 28 hundredths: a die less 2; 10 times 2 is 20: a die less 3.
    assert [(one.target, one.raw) for one in done.of(ev.DamageDealt)] == [("r", 3), ("x", 2)]
    assert terms(check_of(done, "attack")) == {"brawling": 11, "determined": 4}


@both_ways
@pytest.mark.clause("GU-2210", "GU-300")
def test_a_slam_is_dodged_like_any_other_attack(on_map: bool) -> None:
    table = duel(on_map=on_map, far=6, x={}, r={})

    done = slam(table, on_map, defend="dodge", dodge=(3, 3, 3))

    assert not done.of(ev.DamageDealt)


@both_ways
@pytest.mark.clause("GU-2210", "GU-280")
@pytest.mark.parametrize(("table_roll", "raw"), [((1, 1, 3), 6), ((2, 2, 2), 5), ((3, 3, 4), 3)])
def test_a_critical_slam_takes_the_table_of_critical_hits(on_map: bool, table_roll: Any, raw: int) -> None:
    table = duel(on_map=on_map, far=6, x={}, r={"hp_max": 20})

    more: dict[str, Any] = {} if raw == 5 else {"x__damage": 4}
    balance: dict[str, Any] = {"keep_balance": PASS} if raw < 6 else {}
    done = table.play(
        "move_and_attack",
        "x",
        "r",
        options={"form": "slam", **toward(on_map, 5, "r").get("options", {})},
        **{key: value for key, value in toward(on_map, 5, "r").items() if key != "options"},
        to_hit=(1, 1, 1),
        critical_hit=table_roll,
        r__damage=3,
        **more,
        **balance,
    )

    assert not done.questions("defend")
    assert [one.raw for one in done.of(ev.DamageDealt) if one.target == "r"] == [raw]


@pytest.mark.clause("GU-2210")
def test_both_wounds_have_their_consequences() -> None:
    table = duel(far=6, x={"armour": {}, "hp_max": 14}, r={"armour": {}, "hp_max": 10})
    table.rule(cmd.SetPool(CombatantId("r"), "hp", 2))

    slam(table, False, x__damage=6, r__damage=4)

    assert hp(table, "r") == -3
    assert hp(table, "x") == 12
    assert [one.value for one in table.who("x").effects.values() if one.kind == "shock"] == [-2]


@pytest.mark.clause("GU-2210", "GU-1220")
def test_falling_disturbs_a_concentration() -> None:
    table = duel(far=6, r={"armour": {}}, x={})
    table.play("concentrate", "r", options={"task": "a charm", "seconds_needed": 3})
    table.end_turn()

    done = slam(
        table,
        False,
        x__damage=4,
        r__damage=2,
        injured__concentration=(3, 3, 3),
        knocked_down__concentration=(4, 4, 4),
    )

    assert [one.target for one in done.of(ev.CheckRolled) if one.purpose == "concentration"] == [9, 9]
    assert not table.has("r", "concentrating")


# GU-2220: shove


def shove(table: PlayTable, **more: Any) -> Played:
    """X shoves S."""
    given: dict[str, Any] = {"options": {"form": "shove"}, "to_hit": PASS, "defend": "none", **more}
    return table.play("attack", "x", "s", **given)


@both_ways
@pytest.mark.clause("GU-2220")
def test_the_first_example_of_the_ledger(on_map: bool) -> None:
    table = duel(on_map=on_map, x=EMPTY, s={})

    done = shove(table, shove=6, keep_balance=(4, 4, 4))

    assert terms(check_of(done, "attack")) == {"brawling": 11}
    assert not done.of(ev.DamageDealt)
    assert hp(table, "s") == 12
    moved = done.one(ev.Moved)
    assert (moved.combatant, moved.distance, moved.forced, moved.clause) == ("s", 100, True, "GU-2220")
    assert between(table, "x", "s") == 200
    check = check_of(done, "keep_balance")
    assert (check.combatant, terms(check), check.clause) == ("s", {"dx": 12}, "GU-2220")
    assert posture(table, "s") == "standing"


@both_ways
@pytest.mark.clause("GU-2220")
@pytest.mark.parametrize(
    ("st", "die", "yards", "modifier"),
    [
        (8, 6, 2, -1),
        (12, 4, 0, None),
        (12, 5, 1, 0),
        (5, 6, 4, -3),
        (3, 3, 6, -5),
        (2, 1, 2, -1),
        (1, 2, 4, -3),
    ],
)
def test_a_yard_for_each_full_st_less_2_in_the_doubled_roll(
    on_map: bool, st: int, die: int, yards: int, modifier: int | None
) -> None:
    table = duel(on_map=on_map, x=EMPTY, s={"st": st, "hp_max": 10})

    more = {} if modifier is None else {"keep_balance": (1, 1, 1)}
    done = shove(table, shove=die, **more)

    assert [one.distance for one in done.of(ev.Moved)] == ([100 * yards] if yards else [])
    assert between(table, "x", "s") == 100 + 100 * yards
    if modifier is not None:
        assert terms(check_of(done, "keep_balance")).get("knockback", 0) == modifier


@both_ways
@pytest.mark.clause("GU-2220", "GU-1720")
def test_who_fails_falls(on_map: bool) -> None:
    table = duel(on_map=on_map, x=EMPTY, s={})

    shove(table, shove=6, keep_balance=(4, 4, 5))

    assert posture(table, "s") == "lying_prone"


@pytest.mark.clause("GU-2220")
def test_who_lies_already_keeps_no_balance() -> None:
    table = duel(x=EMPTY, s={})
    put(table, "s", "lying_prone")

    done = shove(table, shove=6)

    assert [one.purpose for one in done.of(ev.CheckRolled)] == ["attack"]
    assert done.of(ev.Moved)


@both_ways
@pytest.mark.clause("GU-2220")
@pytest.mark.parametrize(
    ("items", "hands", "die", "yards"),
    [
        ({}, None, 5, 1),
        ({}, 1, 5, 0),
        ({}, 1, 6, 1),
        ({"axe": Item("axe", held="main")}, None, 5, 0),
        ({"axe": Item("axe", held="main")}, 2, 6, 1),
    ],
)
def test_with_one_hand_it_is_thrust_less_1(
    on_map: bool, items: dict[str, Item], hands: int | None, die: int, yards: int
) -> None:
    table = duel(on_map=on_map, x={"items": items}, s={})
    options = {"form": "shove", **({} if hands is None else {"hands": hands})}

    more = {"keep_balance": PASS} if yards else {}
    done = shove(table, options=options, shove=die, **more)

    assert sum(one.distance for one in done.of(ev.Moved)) == 100 * yards


@pytest.mark.clause("GU-2220", "GU-610")
def test_it_takes_a_free_hand() -> None:
    table = duel(s={}, x={})

    assert table.why_not("attack", "s", "x", options={"form": "shove"}) == ["weapon_not_ready"]


@both_ways
@pytest.mark.clause("GU-2220")
@pytest.mark.parametrize(("far", "reasons"), [(0, []), (1, []), (1.49, []), (1.5, ["out_of_reach"])])
def test_it_reaches_a_yard(on_map: bool, far: float, reasons: list[str]) -> None:
    table = duel(on_map=on_map, far=far, x=EMPTY, s={})

    found = table.reasons("attack", "x", "s", options={"form": "shove"})

    assert [one.code for one in found] == reasons
    assert {one.clause for one in found} <= {"GU-2220"}


@both_ways
@pytest.mark.clause("GU-2220", "GU-300")
def test_the_foe_may_defend(on_map: bool) -> None:
    table = duel(on_map=on_map, x=EMPTY, s={})

    done = shove(table, defend="dodge", dodge=(3, 3, 3))

    assert not done.of(ev.Moved)


@pytest.mark.clause("GU-2220", "GU-930")
@pytest.mark.parametrize(
    ("exempt", "skill", "found"),
    [
        (False, 11, {"brawling": 11, "move_and_attack": -4}),
        (False, 18, {"brawling": 18, "move_and_attack": -4, "move_and_attack_cap": -5}),
        (True, 11, {"brawling": 11}),
        (True, 18, {"brawling": 18}),
    ],
)
def test_it_takes_the_penalty_of_move_and_attack_unless_the_table_plays_otherwise(
    exempt: bool, skill: int, found: dict[str, int]
) -> None:
    body = {**EMPTY, "skills": {"brawling": skill}}
    table = duel(x=body, s={}, options={"move_and_attack_shove_exempt": exempt})

    more: dict[str, Any] = {"defend": "none", "shove": 1} if exempt and skill > 16 else {}
    done = table.play("move_and_attack", "x", "s", options={"form": "shove"}, to_hit=(6, 6, 4), **more)

    assert terms(check_of(done, "attack")) == found


@pytest.mark.clause("GU-2220")
def test_on_a_map_he_goes_straight_away_and_a_wall_stops_him() -> None:
    table = fight(x={**EMPTY, "at": (0, 0, 90)}, s={"at": (0.6, 0.8, 270), "st": 4})
    wall = Wall((length(-5), length(2)), (length(5), length(2)))
    table.command(cmd.Setup(ground=Ground(walls=(wall,))))

    done = shove(table, shove=6, keep_balance=(1, 1, 1))

    moved = done.one(ev.Moved)
    assert moved.place is not None
    assert moved.place.facing == 270
    assert moved.place.y < 200
    assert abs(moved.place.x * 4 - moved.place.y * 3) < 10
    assert moved.distance < 600


@pytest.mark.clause("GU-2220")
def test_somebody_behind_him_stops_him() -> None:
    table = fight(x={**EMPTY, "at": (0, 0, 90)}, s={"at": (1, 0, 270)}, p={"at": (1.5, 0, 270)})

    done = shove(table, shove=6, keep_balance=PASS)

    assert sum(one.distance for one in done.of(ev.Moved)) < 100


@pytest.mark.clause("GU-2220")
def test_at_one_point_he_is_driven_where_the_other_looks() -> None:
    table = fight(x={**EMPTY, "at": (0, 0, 180)}, s={"at": (0, 0, 270)})

    done = shove(table, shove=6, keep_balance=PASS)

    assert done.one(ev.Moved).place == Place(0, 100, 270)


@pytest.mark.clause("GU-2220", "GU-490")
def test_without_a_map_his_distance_to_others_is_known_no_more() -> None:
    table = fight(x=EMPTY, s={}, p={}, apart={"xs": 1, "sp": 3, "xp": 4})

    shove(table, shove=6, keep_balance=PASS)

    assert (between(table, "x", "s"), between(table, "s", "p"), between(table, "x", "p")) == (200, None, 400)


@pytest.mark.clause("GU-2220", "GU-280")
@pytest.mark.parametrize(("roll", "die", "yards"), [((1, 1, 3), 5, 2), ((1, 1, 1), 5, 3), ((2, 2, 2), None, 1)])
def test_a_critical_shove_takes_the_table_of_critical_hits(roll: Any, die: int | None, yards: int) -> None:
    table = duel(x=EMPTY, s={})

    more: dict[str, Any] = {} if die is None else {"shove": die}
    done = table.play(
        "attack",
        "x",
        "s",
        options={"form": "shove"},
        to_hit=(1, 1, 1),
        critical_hit=roll,
        keep_balance=(1, 1, 1),
        **more,
    )

    assert done.one(ev.Moved).distance == 100 * yards


@pytest.mark.clause("GU-2220", "GU-280")
@pytest.mark.parametrize(("form", "far"), [("shove", 1), ("grapple", 0)])
def test_a_critical_one_may_make_him_drop_everything(form: str, far: float) -> None:
    table = duel(far=far, x=EMPTY, s={})

    more: dict[str, Any] = {"shove": 1} if form == "shove" else {}
    table.play("attack", "x", "s", options={"form": form}, to_hit=(1, 1, 1), critical_hit=(4, 4, 4), **more)

    assert held(table, "s") == set()


# The option `knockback`


def struck(
    kind: str, points: int, dr: int, *, on_map: bool = False, on: bool = True, st: int = 12, **more: Any
) -> Played:
    """X strikes S with that."""
    blade = {"items": weapon(str(points), kind), "skills": {"broadsword": 15}}
    foe = {"armour": {"torso": dr}, "hp_max": 200, "st": st}
    table = duel(on_map=on_map, x=blade, s=foe, options={"knockback": on})
    return table.play("attack", "x", "s", weapon="blade", to_hit=HIT, defend="none", **more)


@both_ways
@pytest.mark.clause("GU-2220")
@pytest.mark.parametrize(
    ("kind", "points", "dr", "yards"),
    [
        ("cr", 9, 0, 0),
        ("cr", 10, 0, 1),
        ("cr", 10, 50, 1),
        ("cr", 20, 0, 2),
        ("cut", 10, 10, 1),
        ("cut", 10, 9, 0),
        ("imp", 30, 50, 0),
        ("pi", 30, 0, 0),
    ],
)
def test_where_the_table_plays_so_crushing_blows_drive_back_and_cutting_ones_that_armour_stops(
    on_map: bool, kind: str, points: int, dr: int, yards: int
) -> None:
    more: dict[str, Any] = {"keep_balance": PASS} if yards else {}

    done = struck(kind, points, dr, on_map=on_map, **more)

    assert [one.distance for one in done.of(ev.Moved)] == ([100 * yards] if yards else [])


@pytest.mark.clause("GU-2220")
def test_by_default_only_a_shove_does() -> None:
    assert not struck("cr", 40, 0, on=False).of(ev.Moved)


@pytest.mark.clause("GU-2220")
def test_it_is_harder_to_stay_on_ones_feet_the_farther_it_goes() -> None:
    done = struck("cr", 30, 0, keep_balance=(4, 4, 3))

    assert terms(check_of(done, "keep_balance")) == {"dx": 12, "knockback": -2}
    assert "lying_prone" in [one.effect.kind for one in done.of(ev.EffectBegan)]


@pytest.mark.clause("GU-2220", "GU-2210")
def test_a_slam_has_its_own_way_to_throw_people_down() -> None:
    table = duel(far=6, x={}, r={"st": 3, "hp_max": 10}, options={"knockback": True})

    done = slam(table, False, x__damage=6, r__damage=2)

    assert [one.combatant for one in done.of(ev.Moved)] == ["x"]


@pytest.mark.clause("GU-2220", "GU-720")
def test_whom_the_first_blow_drives_out_of_reach_the_second_misses() -> None:
    blade = {"items": weapon("10", "cr"), "skills": {"broadsword": 15}}
    table = duel(x=blade, s={"hp_max": 200}, options={"knockback": True})

    done = table.play(
        "all_out_attack",
        "x",
        "s",
        weapon="blade",
        options={"option": "double"},
        to_hit=HIT,
        defend="none",
        keep_balance=PASS,
    )

    assert len(done.of(ev.AttackMade)) == 1


# GU-2230: grapple


def grapple(table: PlayTable, who: str = "x", whom: str = "s", **more: Any) -> Played:
    """He takes hold of the other."""
    given: dict[str, Any] = {"options": {"form": "grapple"}, "to_hit": PASS, "defend": "none", **more}
    return table.play("attack", who, whom, **given)


def holding(on_map: bool = False, **people: Any) -> PlayTable:
    """X holds S with both hands; it is S's slot."""
    changes = {"x": {**EMPTY}, "s": {}, **people}
    table = duel(on_map=on_map, far=0, **changes)
    grapple(table)
    table.end_turn()
    return table


@both_ways
@pytest.mark.clause("GU-2230")
@pytest.mark.parametrize(
    ("skills", "tested", "target"),
    [
        ({}, "dx", 11),
        ({"brawling": 16}, "dx", 11),
        ({"wrestling": 14}, "wrestling", 14),
        ({"judo": 13, "sumo_wrestling": 12}, "judo", 13),
        ({"sumo_wrestling": 12}, "sumo_wrestling", 12),
        ({"wrestling": 9}, "dx", 11),
    ],
)
def test_it_is_dx_or_a_grappling_skill_and_not_brawling(
    on_map: bool, skills: dict[str, int], tested: str, target: int
) -> None:
    table = duel(on_map=on_map, far=0, x={**EMPTY, "skills": skills}, s={})

    check = check_of(grapple(table), "attack")

    assert (check.check, check.target) == (tested, target)


@both_ways
@pytest.mark.clause("GU-2230")
@pytest.mark.parametrize(("far", "reasons"), [(0, []), (0.49, []), (0.5, ["out_of_reach"]), (1, ["out_of_reach"])])
def test_it_takes_distance_0(on_map: bool, far: float, reasons: list[str]) -> None:
    table = duel(on_map=on_map, far=far, x=EMPTY, s={})

    found = table.reasons("attack", "x", "s", options={"form": "grapple"})

    assert [one.code for one in found] == reasons
    assert {one.clause for one in found} <= {"GU-2230"}


@both_ways
@pytest.mark.clause("GU-2230", "GU-470")
def test_the_step_of_the_maneuver_may_lead_there(on_map: bool) -> None:
    table = duel(on_map=on_map, far=1, x=EMPTY, s={})
    way = toward(on_map, 1, "s")
    options = {"form": "grapple", **way.pop("options", {})}

    grapple(table, options=options, **way)

    assert table.has("s", "grappled")
    assert between(table, "x", "s") == 0


@pytest.mark.clause("GU-2230", "GU-610")
def test_it_takes_a_free_hand_and_holds_with_as_many_as_are_free() -> None:
    table = duel(far=0, s={}, x={})
    assert table.why_not("attack", "s", "x", options={"form": "grapple"}) == ["weapon_not_ready"]

    table = duel(far=0, x={}, s={})
    grapple(table)
    assert effect(table, "x", "grappling").value == 1
    assert free_hands(table.table, CombatantId("x")) == 0

    table = duel(far=0, x=EMPTY, s={})
    grapple(table)
    assert effect(table, "x", "grappling").value == 2

    table = duel(far=0, x=EMPTY, s={})
    grapple(table, options={"form": "grapple", "hands": 1})
    assert effect(table, "x", "grappling").value == 1
    assert free_hands(table.table, CombatantId("x")) == 1


@both_ways
@pytest.mark.clause("GU-2230")
def test_the_foe_may_dodge_a_grapple(on_map: bool) -> None:
    table = duel(on_map=on_map, far=0, x=EMPTY, s={})

    grapple(table, defend="dodge", dodge=(3, 3, 3))

    assert not table.has("s", "grappled")


@both_ways
@pytest.mark.clause("GU-2230", "GU-370")
def test_whoever_has_stepped_back_in_vain_is_held_at_distance_0(on_map: bool) -> None:
    table = duel(on_map=on_map, far=0.4, x=EMPTY, s={})
    before = table.who("s").place

    grapple(table, defend=("dodge", {"retreat": True}), dodge=(5, 5, 5))

    assert table.has("s", "grappled")
    assert between(table, "x", "s") == 0
    if on_map:
        assert before is not None
        place, here = table.who("s").place, table.who("x").place
        assert place is not None
        assert here is not None
        assert (place.point, place.facing) == (here.point, before.facing)


@both_ways
@pytest.mark.clause("GU-2230")
def test_the_held_one_is_at_4_less_on_dx_and_what_rests_on_it(on_map: bool) -> None:
    table = holding(on_map)

    check = check_of(table.play("attack", "s", "x", options={"mode": "kick"}, to_hit=(6, 6, 2)), "attack")

    assert terms(check) == {"brawling": 12, "kick": -2, "grappled": -4}


@both_ways
@pytest.mark.clause("GU-2230")
@pytest.mark.parametrize(("defend", "found"), [("dodge", 7), ("parry", 8)])
def test_parry_follows_from_the_lowered_skill_and_dodge_does_not(on_map: bool, defend: str, found: int) -> None:
    """S has dropped everything: 3 and half of 12 is 9, of 8 it is 7; against a kick his bare hand parries."""
    table = holding(on_map, s={**EMPTY, "skills": {"brawling": 14}})
    table.until_turn_of("x")

    done = table.play(
        "attack", "x", "s", options={"mode": "kick"}, to_hit=PASS, defend=defend, **{defend: (6, 6, 3)}, damage=1
    )

    assert check_of(done, "defend").target == found


@pytest.mark.clause("GU-2230")
def test_a_block_falls_by_2() -> None:
    table = fight(x=EMPTY, s={}, p={}, apart={"xs": 0, "sp": 2})
    grapple(table)
    table.end_turn()
    table.end_turn()

    done = table.play("attack", "p", "s", weapon="spear", to_hit=HIT, defend="block", block=(6, 5, 3), damage=1)

    assert terms(check_of(done, "defend")) == {"block": 10, "grappled": -2, "shield": 2}


@both_ways
@pytest.mark.clause("GU-2230")
@pytest.mark.parametrize("action", ["move", "attack", "all_out_defense"])
def test_he_cannot_move_away(on_map: bool, action: str) -> None:
    table = holding(on_map)
    way: dict[str, Any] = {"path": [(1, 0)]} if on_map else {"said": {"length": 1}}
    away = {} if on_map else {"away_from": "x"}
    more: dict[str, Any] = {"options": away}
    if action == "attack":
        more = {"options": {"mode": "kick", "act_at": 0, **away}}
    if action == "all_out_defense":
        more = {"options": {"option": "increased_dodge", **away}}

    found = table.reasons(action, "s", *(["x"] if action == "attack" else []), **way, **more)

    assert [(one.code, one.clause) for one in found] == [("movement_not_allowed", "GU-2230")]


@both_ways
@pytest.mark.clause("GU-2230", "GU-370")
def test_he_cannot_retreat(on_map: bool) -> None:
    table = holding(on_map)
    table.until_turn_of("x")

    kick: dict[str, Any] = {"options": {"mode": "kick"}, "to_hit": PASS}
    with pytest.raises(Refused) as refused:
        table.play("attack", "x", "s", defend=("dodge", {"retreat": True}), **kick)

    assert [(one.code, one.clause) for one in refused.value.reasons] == [("retreat_not_allowed", "GU-370")]


def break_free(table: PlayTable, s: Any, x: Any) -> Played:
    """S tries to get free of X."""
    return table.play("attack", "s", "x", options={"form": "break_free"}, s__break_free=s, x__break_free=x)


@both_ways
@pytest.mark.clause("GU-2230", "GU-250")
@pytest.mark.parametrize(
    ("mine", "theirs", "free"),
    [
        ((3, 3, 3), (6, 5, 5), False),
        ((3, 3, 2), (6, 5, 5), True),
        ((3, 3, 2), (6, 5, 4), False),
        ((4, 4, 4), (6, 6, 6), True),
        ((5, 5, 5), (5, 5, 5), False),
    ],
)
def test_he_gets_free_by_a_quick_contest_of_st(on_map: bool, mine: Any, theirs: Any, free: bool) -> None:
    table = holding(on_map)

    done = break_free(table, mine, theirs)

    checks = {one.combatant: one for one in done.of(ev.CheckRolled)}
    assert terms(checks["s"]) == {"st": 12}
    assert terms(checks["x"]) == {"st": 14, "both_hands": 5}
    settled = done.one(ev.ContestSettled)
    assert (settled.winner == "s") is free
    assert settled.clause == "GU-2230"
    assert table.has("s", "grappled") is not free
    assert table.has("x", "grappling") is not free
    if free:
        assert "released" in [one.fact for one in done.of(ev.Noted)]
        assert free_hands(table.table, CombatantId("x")) == 2


@pytest.mark.clause("GU-2230")
def test_held_with_one_hand_there_is_no_bonus() -> None:
    table = duel(far=0, x={}, s={})
    grapple(table)
    table.end_turn()

    done = break_free(table, (3, 3, 3), (5, 5, 1))

    assert terms(next(one for one in done.of(ev.CheckRolled) if one.combatant == "x")) == {"st": 14}
    assert done.one(ev.ContestSettled).winner is None


@pytest.mark.clause("GU-2230")
def test_getting_free_is_an_attack_and_of_somebody_who_holds() -> None:
    table = holding()

    double = {"form": "break_free", "option": "double"}
    (reason,) = table.reasons("all_out_attack", "s", "x", options=double)
    assert (reason.code, reason.clause, reason.at) == ("invalid_option_value", "GU-2230", "/options/form")
    assert table.why_not("move_and_attack", "s", "x", options={"form": "break_free"}) == ["invalid_option_value"]
    assert table.why_not("attack", "s", "x", options={"form": "break_free"}) == []
    (reason,) = duel(far=0, s={}, x={}).reasons("attack", "s", "x", options={"form": "break_free"})
    assert (reason.code, reason.clause) == ("invalid_target", "GU-2230")


@both_ways
@pytest.mark.clause("GU-2230", "GU-500")
def test_the_holder_lets_go_as_a_free_action(on_map: bool) -> None:
    table = holding(on_map)
    table.until_turn_of("x")

    table.play("release", "x", "s")

    assert not table.has("s", "grappled")
    assert not table.has("x", "grappling")
    (reason,) = table.reasons("release", "x", "s")
    assert (reason.code, reason.clause) == ("invalid_target", "GU-2230")


@pytest.mark.clause("GU-2230")
@pytest.mark.parametrize("kind", ["stunned_physical", "stunned_mental", "unconscious", "mortally_wounded", "dead"])
def test_it_ends_when_the_holder_is_stunned_or_out_of_action(kind: str) -> None:
    table = holding()

    put(table, "x", kind)

    assert not table.has("s", "grappled")
    assert not table.has("x", "grappling")


@pytest.mark.clause("GU-2230")
@pytest.mark.parametrize("kind", ["off_balance", "lying_prone", "bound"])
def test_nothing_less_ends_it(kind: str) -> None:
    table = holding()

    put(table, "x", kind)

    assert table.has("s", "grappled")


@pytest.mark.clause("GU-2230")
def test_two_may_hold_him_and_he_must_get_free_of_both() -> None:
    table = fight(x=EMPTY, p={**EMPTY}, s={}, apart={"xs": 0, "ps": 0})
    grapple(table, "x", "s")
    table.end_turn()
    grapple(table, "p", "s")
    table.end_turn()
    table.play("attack", "s", "x", options={"form": "break_free"}, s__break_free=PASS, x__break_free=(6, 6, 6))

    assert table.has("s", "grappled")
    assert effect(table, "s", "grappled").source == "p"
    assert table.why_not("attack", "s", "p", options={"form": "break_free"}) == ["maneuver_already_used"]


@both_ways
@pytest.mark.clause("GU-2230")
def test_who_is_driven_apart_holds_nobody_any_more(on_map: bool) -> None:
    table = holding(on_map, s={**EMPTY, "st": 17}, x={**EMPTY, "st": 8, "hp_max": 14})

    done = table.play(
        "attack",
        "s",
        "x",
        options={"form": "shove"},
        to_hit=(2, 2, 2),
        defend="none",
        shove=3,
        keep_balance=(1, 1, 1),
    )

    assert done.one(ev.Moved).combatant == "x"
    assert not table.has("s", "grappled")
    assert not table.has("x", "grappling")
    released = next(one for one in done.of(ev.Noted) if one.fact == "released")
    assert (released.words, released.clause) == (("apart",), "GU-2230")


@pytest.mark.clause("GU-2230")
def test_a_holder_who_walks_off_lets_go() -> None:
    table = holding(True)
    table.until_turn_of("x")

    table.play("move", "x", path=[(-2, 0)])

    assert not table.has("s", "grappled")


@pytest.mark.clause("GU-130", "GU-2230")
@pytest.mark.parametrize(("who", "kind", "against"), [("s", "grappled", "x"), ("x", "grappling", "s")])
def test_the_gm_may_put_one_into_the_hold_of_another(who: str, kind: str, against: str) -> None:
    table = duel(far=0, s={}, x=EMPTY)

    put(table, who, kind, 2, against)

    assert (effect(table, "s", "grappled").source, effect(table, "x", "grappling").against) == ("x", "s")
    assert table.why_not("attack", "s", "x", options={"form": "break_free"}) == []


# GU-2240: shield bash


@both_ways
@pytest.mark.clause("GU-2240", "GU-340")
def test_a_shield_bash_is_the_block_of_the_turn(on_map: bool) -> None:
    table = duel(on_map=on_map, s={}, x={"armour": {}})

    done = table.play("attack", "s", "x", weapon="medium_shield", to_hit=HIT, defend="none", damage=5)

    check = check_of(done, "attack")
    assert (check.check, check.target) == ("shield", 14)
    assert (done.one(ev.DamageDealt).raw, done.one(ev.DamageDealt).damage_type) == (4, "cr")
    table.end_turn()
    done = table.play("attack", "x", "s", weapon="axe", to_hit=PASS, defend="dodge", dodge=(3, 3, 3))
    (asked,) = done.questions("defend")
    assert [option.id for option in asked.options] == ["dodge", "parry", "none"]
    barred = {one.id: [reason.code for reason in one.reasons] for one in asked.barred}
    assert barred["block"] == ["block_already_used"]
    assert terms(check_of(done, "defend")) == {"dodge": 7, "shield": 2}


@pytest.mark.clause("GU-2240")
def test_from_the_next_slot_on_he_blocks_again() -> None:
    table = duel(s={}, x={})
    table.play("attack", "s", "x", weapon="medium_shield", to_hit=(6, 6, 4))
    table.end_turn()
    table.end_turn()
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="block", block=(3, 3, 3))

    assert check_of(done, "defend").target == 12


@both_ways
@pytest.mark.clause("GU-2240", "GU-620")
@pytest.mark.parametrize(("far", "reasons"), [(0, ["out_of_reach"]), (1, []), (2, ["out_of_reach"])])
def test_it_reaches_a_yard_like_a_sword(on_map: bool, far: float, reasons: list[str]) -> None:
    table = duel(on_map=on_map, far=far, s={}, x={})

    assert table.why_not("attack", "s", "x", weapon="medium_shield") == reasons


@pytest.mark.clause("GU-2240", "GU-880")
@pytest.mark.parametrize("dice", [HIT, (6, 6, 4)])
def test_it_is_kept_for_shield_feints_hit_or_not(dice: Any) -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "sp": 1})
    more: dict[str, Any] = {"defend": "none", "damage": 1} if dice == HIT else {}
    table.play("attack", "s", "x", weapon="medium_shield", to_hit=dice, **more)
    table.until_turn_of("x")
    table.until_turn_of("s")

    shield = {"weapon": "medium_shield", "options": {"option": "shield"}}
    assert table.why_not("feint", "s", "x", **shield) == []
    assert table.why_not("feint", "s", "p", **shield) == ["shield_feint_needs_prior_bash"]


@pytest.mark.clause("GU-2240")
@pytest.mark.parametrize(
    ("items", "kind"),
    [({"cloak": Item("cloak", held="off")}, "cloak"), ({"sword": Item(SWORD, held="main")}, "sword")],
)
def test_only_a_shield_bashes(items: dict[str, Item], kind: str) -> None:
    table = duel(s={"items": items}, x={})

    found = table.why_not("attack", "s", "x", weapon=kind, options={"form": "shield_bash"})

    assert "no_ready_shield" in found


# A hold has two ends


@pytest.mark.clause("GU-130", "GU-2230")
@pytest.mark.parametrize(("who", "kind"), [("x", "grappled"), ("s", "grappling")])
def test_a_ruling_that_ends_one_end_of_a_hold_ends_the_other(who: str, kind: str) -> None:
    table = fight(s={"items": {}}, x={}, apart={"sx": 0})
    table.rule(cmd.AddEffect(CombatantId("x"), "grappled", 2, against=CombatantId("s")))
    assert free_hands(table.table, CombatantId("s")) == 0

    table.rule(cmd.RemoveEffect(CombatantId(who), EffectId(kind)))

    assert not table.has("x", "grappled")
    assert not table.has("s", "grappling")
    assert free_hands(table.table, CombatantId("s")) == 2


@pytest.mark.clause("GU-1380", "GU-2230")
@pytest.mark.parametrize("gone", ["x", "s"])
@pytest.mark.parametrize("ruled", [False, True])
def test_whoever_leaves_neither_holds_nor_is_held(gone: str, ruled: bool) -> None:
    table = fight(s={"items": {}}, x={}, apart={"sx": 0})
    table.rule(cmd.AddEffect(CombatantId("x"), "grappled", 2, against=CombatantId("s")))

    if ruled:
        table.rule(cmd.SetStatus(CombatantId(gone), "gone"))
    else:
        table.command(cmd.Leave((CombatantId(gone),)))

    left = "s" if gone == "x" else "x"
    assert not table.has(left, "grappled", "grappling")
    if left == "s":
        assert free_hands(table.table, CombatantId("s")) == 2
