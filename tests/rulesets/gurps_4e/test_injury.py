"""What an injury does: shock, major wounds and knockdown, reeling, death, in that order; fatigue.

Clauses GU-2130 to GU-2150, GU-2170 to GU-2190, table 5.7.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Item
from rulesets.gurps_4e.checks import base_terms, total_of
from rulesets.gurps_4e.figures import current_move, half_move
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.harming import (
    HIT,
    SWING,
    both_ways,
    check_of,
    duel,
    effect,
    held,
    hp,
    hurt,
    posture,
    put,
    terms,
    weapon,
)
from tests.support.play import Played, PlayTable

X = CombatantId("x")
BARE: dict[str, Any] = {"armour": {}}
PASS, FAIL, GRAVE = (3, 3, 3), (4, 5, 5), (6, 5, 6)


def struck(points: int, *, on_map: bool = False, options: dict[str, Any] | None = None, **x: Any) -> PlayTable:
    """S can hit X for exactly that many points of injury, with a blow of fixed damage."""
    blade = {"items": weapon(str(points), "burn")}
    return duel(on_map=on_map, s=blade, x={**BARE, **x}, options=options)


def strike(table: PlayTable, **more: Any) -> Played:
    """The blow."""
    given: dict[str, Any] = {"to_hit": HIT, "defend": "none", **more}
    return table.play("attack", "s", "x", weapon="blade", **given)


def waiting_shock(table: PlayTable, who: str = "x") -> int:
    """The shock that waits for his next turn."""
    return sum(one.value for one in table.who(who).effects.values() if one.kind == "shock" and one.active_after)


# GU-2130: shock


@both_ways
@pytest.mark.clause("GU-2130")
@pytest.mark.parametrize(("injury", "shock"), [(1, -1), (2, -2), (3, -3), (4, -4), (5, -4), (7, -4)])
def test_an_injury_gives_a_penalty_of_its_points_up_to_4(on_map: bool, injury: int, shock: int) -> None:
    table = struck(injury, on_map=on_map)

    strike(table)

    assert waiting_shock(table) == shock
    assert not table.has("x", "shock")
    table.end_turn()
    assert table.has("x", "shock")
    check = table.play("attack", "x", "s", weapon="axe", to_hit=(6, 6, 1)).check
    assert terms(check) == {"axe_mace": 13, "shock": shock}
    assert {term.clause for term in check.terms if term.id == "shock"} == {"GU-2130"}


@pytest.mark.clause("GU-2130")
def test_it_lasts_for_the_victims_next_turn_only() -> None:
    table = struck(3)
    strike(table)
    table.end_turn()
    table.end_turn()
    assert table.has("x", "shock")

    table.end_turn()

    assert table.turn == "x"
    assert not table.has("x", "shock")
    assert waiting_shock(table) == 0


@pytest.mark.clause("GU-2130")
@pytest.mark.parametrize(("first", "second", "shock"), [(2, 3, -4), (1, 2, -3), (1, 1, -2), (4, 4, -4)])
def test_several_injuries_add_up_to_the_limit(first: int, second: int, shock: int) -> None:
    table = fight(
        r={"items": weapon(str(first), "burn"), "skills": {"broadsword": 15}},
        p={"items": weapon(str(second), "burn"), "skills": {"broadsword": 15}},
        s=BARE,
        apart={"rs": 1, "ps": 1},
    )
    for who in ("r", "p"):
        table.play("attack", who, "s", weapon="blade", to_hit=HIT, defend="none")
        table.end_turn()

    assert table.turn == "s"
    assert effect(table, "s", "shock").value == shock


@pytest.mark.clause("GU-2130")
def test_losing_2_and_3_makes_the_next_attack_an_11() -> None:
    table = fight(
        r={"items": weapon("2", "burn"), "skills": {"broadsword": 15}},
        p={"items": weapon("3", "burn"), "skills": {"broadsword": 15}},
        s=BARE,
        x={},
        apart={"rs": 1, "ps": 1, "sx": 1},
    )
    for who in ("r", "p"):
        table.play("attack", who, "s", weapon="blade", to_hit=HIT, defend="none")
        table.end_turn()

    assert table.play("attack", "s", "x", **SWING, to_hit=(6, 5, 1)).check.target == 11


@pytest.mark.clause("GU-2130")
@pytest.mark.parametrize(
    ("most", "injury", "shock"),
    [
        (19, 3, -3),
        (20, 1, 0),
        (20, 2, -1),
        (20, 3, -1),
        (20, 4, -2),
        (30, 7, -2),
        (30, 2, 0),
        (30, 3, -1),
        (25, 4, -1),
        (25, 5, -2),
        (30, 12, -4),
        (30, 15, -4),
    ],
)
def test_from_20_hit_points_on_each_full_tenth_counts(most: int, injury: int, shock: int) -> None:
    table = struck(injury, hp_max=most)

    strike(table)

    assert waiting_shock(table) == shock


@pytest.mark.clause("GU-2130")
def test_it_lies_on_dx_and_iq_and_what_rests_on_them_alone() -> None:
    table = struck(4)
    strike(table)
    table.end_turn()

    for tested, value in {
        "dx": 7,
        "iq": 5,
        "axe_mace": 9,
        "brawling": 7,
        "ht": 12,
        "will": 9,
        "per": 9,
        "st": 14,
    }.items():
        assert total_of(base_terms(table.table, X, tested)) == value, tested


@pytest.mark.clause("GU-2130")
def test_it_lies_on_no_defence() -> None:
    table = struck(4)
    strike(table)
    table.end_turn()
    table.end_turn()

    done = strike(table, defend="dodge", dodge=(3, 3, 2))

    assert terms(check_of(done, "defend")) == {"dodge": 8}


@pytest.mark.clause("GU-2130")
def test_who_has_a_high_pain_threshold_feels_none() -> None:
    table = struck(4, talents=["high_pain_threshold"])

    strike(table)

    assert waiting_shock(table) == 0


@pytest.mark.clause("GU-2130")
def test_hurt_in_ones_own_slot_it_is_for_the_turn_after() -> None:
    table = struck(3)
    table.end_turn()
    table.end_turn()
    assert table.turn == "s"
    # S hits himself in the leg with his own blade, for half of 3 points.
    done = table.play("attack", "s", "x", weapon="blade", to_hit=(6, 6, 6), critical_miss=(2, 2, 2), limb=4)
    assert done.one(ev.DamageDealt).target == "s"

    assert not table.has("s", "shock")
    assert waiting_shock(table, "s") == -1
    table.until_turn_of("x")
    table.until_turn_of("s")
    assert table.has("s", "shock")


# GU-2140: major wounds and knockdown


@both_ways
@pytest.mark.clause("GU-2140")
@pytest.mark.parametrize(
    ("injury", "dice", "outcome"),
    [
        (7, None, "nothing"),
        (8, (4, 4, 4), "nothing"),
        (8, (5, 4, 4), "stunned"),
        (8, (6, 5, 5), "stunned"),
        (8, (6, 6, 5), "unconscious"),
        (8, (6, 6, 6), "unconscious"),
    ],
)
def test_more_than_half_the_hit_points_at_once_asks_for_ht(on_map: bool, injury: int, dice: Any, outcome: str) -> None:
    table = struck(injury, on_map=on_map)

    done = strike(table, **({} if dice is None else {"knockdown": dice}))

    assert bool([one for one in done.of(ev.CheckRolled) if one.purpose == "knockdown"]) is (dice is not None)
    assert table.has("x", "stunned_physical") is (outcome == "stunned")
    assert table.has("x", "unconscious") is (outcome == "unconscious")
    assert posture(table, "x") == ("standing" if outcome == "nothing" else "lying_prone")
    if outcome == "stunned":
        assert held(table, "x") == set()
        assert next(one for one in done.of(ev.ItemMoved)).clause == "GU-2140"
    if outcome == "nothing":
        assert held(table, "x") == {"axe"}


@pytest.mark.clause("GU-2140")
@pytest.mark.parametrize(("most", "injury", "asked"), [(12, 6, False), (12, 7, True), (13, 6, False), (13, 7, True)])
def test_half_of_them_exactly_is_not_more_than_half(most: int, injury: int, asked: bool) -> None:
    table = struck(injury, hp_max=most)

    done = strike(table, **({"knockdown": PASS} if asked else {}))

    assert ("knockdown" in [one.purpose for one in done.of(ev.CheckRolled)]) is asked


@pytest.mark.clause("GU-2140")
def test_it_is_a_roll_against_ht_of_the_victim() -> None:
    table = struck(8)

    check = check_of(strike(table, knockdown=PASS), "knockdown")

    assert (check.combatant, check.check, check.target, check.clause) == ("x", "ht", 12, "GU-2140")


@pytest.mark.clause("GU-2140")
def test_two_injuries_of_half_the_hit_points_are_no_major_wound() -> None:
    table = struck(7)
    strike(table)
    table.end_turn()
    table.end_turn()

    done = strike(table)

    assert [one.purpose for one in done.of(ev.CheckRolled)] == ["attack"]
    assert hp(table, "x") == 0


@pytest.mark.clause("GU-2140")
def test_high_pain_threshold_adds_3() -> None:
    table = struck(8, talents=["high_pain_threshold"])

    assert terms(check_of(strike(table, knockdown=PASS), "knockdown")) == {"ht": 12, "high_pain_threshold": 3}


@both_ways
@pytest.mark.clause("GU-2140")
@pytest.mark.parametrize(
    ("drops", "left"), [(True, {"medium_shield"}), (False, {"medium_shield", "thrusting_broadsword"})]
)
def test_what_the_hands_hold_falls_but_a_strapped_shield_stays(on_map: bool, drops: bool, left: set[str]) -> None:
    blade = {"items": weapon("9", "burn"), "skills": {"broadsword": 15}}
    table = duel(on_map=on_map, x=blade, s=BARE, options={"knockdown_drops_held": drops})

    table.play("attack", "x", "s", weapon="blade", to_hit=HIT, defend="none", knockdown=FAIL)

    assert held(table, "s") == left


@pytest.mark.clause("GU-2140")
def test_a_cloak_falls_like_anything_else() -> None:
    cloak = {"cloak": Item("cloak", held="off"), "thrusting_broadsword": Item("thrusting_broadsword", held="main")}
    blade = {"items": weapon("9", "burn"), "skills": {"broadsword": 15}}
    table = duel(x=blade, s={**BARE, "items": cloak})

    table.play("attack", "x", "s", weapon="blade", to_hit=HIT, defend="none", knockdown=FAIL)

    assert held(table, "s") == set()


@pytest.mark.clause("GU-2140")
def test_without_drops_a_stunned_man_keeps_his_weapon_in_hand() -> None:
    table = struck(8, options={"knockdown_drops_held": False})

    strike(table, knockdown=FAIL)

    assert table.has("x", "stunned_physical")
    assert held(table, "x") == {"axe"}


# GU-2150 and table 5.7: reeling


@pytest.mark.clause("GU-2150")
@pytest.mark.parametrize(("left", "reels"), [(5, False), (4, False), (3, True), (0, True)])
def test_below_a_third_of_his_hit_points_he_reels(left: int, reels: bool) -> None:
    table = struck(12 - left, hp_max=12)

    more: dict[str, Any] = {"knockdown": PASS} if left < 6 else {}
    strike(table, **more)

    assert table.has("x", "reeling") is reels


@both_ways
@pytest.mark.clause("GU-2150")
@pytest.mark.parametrize(
    ("who", "left", "move", "dodge"),
    [
        ("x", 5, 5, {"dodge": 8}),
        ("x", 4, 3, {"dodge": 8, "reeling": -4}),
        ("r", 4, 6, {"dodge": 9}),
        ("r", 3, 3, {"dodge": 9, "reeling": -4}),
        ("s", 4, 4, {"dodge": 7, "shield": 2}),
        ("s", 3, 2, {"dodge": 7, "reeling": -3, "shield": 2}),
    ],
)
def test_move_and_dodge_are_halved_rounded_up(
    on_map: bool, who: str, left: int, move: int, dodge: dict[str, int]
) -> None:
    people: dict[str, Any] = {who: {}, "p": {"items": weapon("1d6", "cr"), "skills": {"broadsword": 15}}}
    table = duel(on_map=on_map, **people)
    hurt(table, who, left)
    assert current_move(table.table, CombatantId(who)) == move
    table.end_turn()

    done = table.play("attack", "p", who, weapon="blade", to_hit=HIT, defend="dodge", dodge=(4, 4, 5), damage=1)

    assert terms(check_of(done, "defend")) == dodge


@pytest.mark.clause("GU-2150")
@pytest.mark.parametrize(
    ("encumbrance", "posture_", "move"),
    [
        (0, "standing", 3),
        (1, "standing", 2),
        (0, "crouching", 2),
        (0, "kneeling", 1),
        (0, "lying_prone", 1),
        (0, "sitting", 0),
    ],
)
def test_encumbrance_comes_first_then_reeling_then_posture(encumbrance: int, posture_: str, move: int) -> None:
    table = duel(x={"encumbrance": encumbrance}, s={})
    hurt(table, "x", 1)
    if posture_ != "standing":
        put(table, "x", posture_)

    assert current_move(table.table, X) == move
    assert half_move(table.table, X) == max(move // 2, min(1, move))


@pytest.mark.clause("GU-2150")
def test_the_halves_of_half_a_move_and_a_step_follow() -> None:
    table = duel(x={}, s={}, far=9)
    hurt(table, "x", 4)

    assert table.why_not("move", "x", said={"length": 3}) == []
    assert table.why_not("move", "x", said={"length": 3.01}) == ["move_too_far"]


@pytest.mark.clause("GU-2150")
def test_whom_the_gm_heals_or_hurts_reels_no_more_or_from_now() -> None:
    table = struck(10)
    strike(table, knockdown=PASS)
    assert table.has("x", "reeling")

    hurt(table, "x", 5)
    assert not table.has("x", "reeling")
    assert current_move(table.table, X) == 5

    hurt(table, "x", 4)
    assert table.has("x", "reeling")
    assert current_move(table.table, X) == 3
    table.rule(cmd.SetPool(X, "fp", 1))
    assert table.has("x", "reeling")


# GU-2170: death


@both_ways
@pytest.mark.clause("GU-2170")
@pytest.mark.parametrize(
    ("before", "injury", "checks"),
    [
        (1, 10, []),
        (1, 11, [1]),
        (3, 23, [1, 2]),
        (-9, 1, [1]),
        (-10, 1, []),
        (-10, 9, []),
        (-10, 10, [2]),
        (10, 50, [1, 2, 3, 4]),
        (10, 59, [1, 2, 3, 4]),
        (-39, 1, [4]),
    ],
)
def test_each_full_multiple_that_is_reached_asks_for_ht(
    on_map: bool, before: int, injury: int, checks: list[int]
) -> None:
    table = struck(injury, on_map=on_map, hp_max=10, ht=11)
    hurt(table, "x", before)

    answers = {f"death__{one}__death": (3, 3, 3) for one in checks}
    more: dict[str, Any] = {"knockdown": PASS} if injury > 5 else {}
    if before <= 0:
        more["defend"] = "none"
    done = strike(table, **answers, **more)

    found = [one for one in done.of(ev.CheckRolled) if one.purpose == "death"]
    assert [(one.check, one.target, one.clause) for one in found] == [("ht", 11, "GU-2170")] * len(checks)
    assert table.who("x").status == "up"


@both_ways
@pytest.mark.clause("GU-2170")
@pytest.mark.parametrize(
    ("dice", "kind", "status"),
    [
        ((4, 4, 3), None, "up"),
        ((4, 4, 4), "mortally_wounded", "down"),
        ((5, 4, 4), "mortally_wounded", "down"),
        ((5, 5, 4), "dead", "dead"),
        ((6, 6, 6), "dead", "dead"),
    ],
)
def test_failing_by_1_or_2_is_a_mortal_wound_by_3_death(
    on_map: bool, dice: tuple[int, int, int], kind: str | None, status: str
) -> None:
    table = struck(4, on_map=on_map, hp_max=10, ht=11)
    hurt(table, "x", -6)

    strike(table, death=dice)

    assert table.who("x").status == status
    for one in ("mortally_wounded", "dead"):
        assert table.has("x", one) is (one == kind)


@pytest.mark.clause("GU-2170")
def test_an_automatic_failure_of_somebody_hardy_is_a_mortal_wound() -> None:
    table = struck(4, hp_max=10, ht=17)
    hurt(table, "x", -6)

    strike(table, death=(6, 6, 5))

    assert table.has("x", "mortally_wounded")


@pytest.mark.clause("GU-2170")
def test_who_is_dead_after_the_first_check_rolls_no_second() -> None:
    table = struck(40, hp_max=10, ht=11)

    done = strike(table, death__1__death=(6, 6, 5))

    assert [one.purpose for one in done.of(ev.CheckRolled)] == ["attack", "death"]
    assert table.who("x").status == "dead"


@pytest.mark.clause("GU-2170")
def test_who_is_mortally_wounded_by_the_first_may_die_of_the_second() -> None:
    table = struck(24, hp_max=10, ht=11)
    hurt(table, "x", 4)

    done = strike(table, death__1__death=(4, 4, 4), death__2__death=(5, 5, 4))

    assert [
        began.effect.kind for began in done.of(ev.EffectBegan) if began.effect.kind in ("mortally_wounded", "dead")
    ] == [
        "mortally_wounded",
        "dead",
    ]
    assert table.who("x").status == "dead"


@both_ways
@pytest.mark.clause("GU-2170")
@pytest.mark.parametrize(("injury", "dies"), [(59, False), (60, True), (61, True)])
def test_at_five_times_below_zero_he_is_dead_without_a_roll(on_map: bool, injury: int, dies: bool) -> None:
    table = struck(injury, on_map=on_map, hp_max=10)

    more: dict[str, Any] = {} if dies else {f"death__{one}__death": (3, 3, 3) for one in (1, 2, 3, 4)}
    done = strike(table, **more, **({} if dies else {"knockdown": PASS}))

    assert (table.who("x").status == "dead") is dies
    if dies:
        assert [one.purpose for one in done.of(ev.CheckRolled)] == ["attack"]


@pytest.mark.clause("GU-2170")
@pytest.mark.parametrize(("injury", "left", "gone"), [(109, -99, False), (110, -100, True), (250, -100, True)])
def test_at_ten_times_below_zero_nothing_is_left_of_him(injury: int, left: int, gone: bool) -> None:
    table = struck(injury, hp_max=10)

    done = strike(table)

    assert hp(table, "x") == left
    assert ("destroyed" in [noted.fact for noted in done.of(ev.Noted)]) is gone


@pytest.mark.clause("GU-2170")
def test_nobody_attacks_the_dead() -> None:
    table = struck(60, hp_max=10)
    strike(table)
    table.end_turn()

    assert table.turn == "s"
    assert table.why_not("attack", "s", "x", weapon="blade") == ["invalid_target"]


# GU-2180: the order of what follows


@both_ways
@pytest.mark.clause("GU-2180")
def test_hp_then_shock_then_death_then_knockdown_then_reeling(on_map: bool) -> None:
    table = struck(20, on_map=on_map, hp_max=10, ht=11)

    done = strike(table, death=(3, 3, 3), knockdown=FAIL)

    told = [
        (type(event).__name__, getattr(event, "purpose", None) or getattr(getattr(event, "effect", None), "kind", None))
        for event in done.events
        if isinstance(event, ev.DamageDealt | ev.PoolChanged | ev.EffectBegan | ev.CheckRolled)
    ]
    assert told[told.index(("DamageDealt", None)) :] == [
        ("DamageDealt", None),
        ("PoolChanged", None),
        ("EffectBegan", "shock"),
        ("EffectBegan", "just_collapsed"),
        ("CheckRolled", "death"),
        ("CheckRolled", "knockdown"),
        ("EffectBegan", "stunned_physical"),
        ("EffectBegan", "lying_prone"),
        ("EffectBegan", "reeling"),
    ]


@both_ways
@pytest.mark.clause("GU-2180")
@pytest.mark.parametrize(("knockdown", "asks"), [(PASS, True), (FAIL, False), (GRAVE, False)])
def test_an_aim_is_gone_without_a_will_roll_if_he_is_stunned_first(on_map: bool, knockdown: Any, asks: bool) -> None:
    table = duel(on_map=on_map, r={**BARE}, s={"items": weapon("6", "burn")})
    table.play("aim", "r", "s", weapon="assault_rifle")
    table.end_turn()

    more = {"keep_aim": (3, 3, 3)} if asks else {}
    done = beat_r(table, knockdown=knockdown, **more)

    assert [one.purpose for one in done.of(ev.CheckRolled)] == ["attack", "knockdown", *(["keep_aim"] if asks else [])]
    assert table.has("r", "aiming") is asks


def beat_r(table: PlayTable, **more: Any) -> Played:
    """S strikes R for the fixed damage of his blade."""
    return table.play("attack", "s", "r", weapon="blade", to_hit=HIT, defend="none", **more)


# GU-2190: fatigue


@pytest.mark.clause("GU-2190")
def test_fatigue_points_are_the_gms_to_change() -> None:
    table = duel(s={}, x={})
    assert table.who("s").pools["fp"] == 11

    done = table.rule(cmd.SetPool(CombatantId("s"), "fp", 9))

    assert table.who("s").pools["fp"] == 9
    assert done.one(ev.PoolChanged).delta == -2


@pytest.mark.clause("GU-2190")
def test_nothing_in_a_fight_tires_or_heals() -> None:
    table = duel(s={}, x={})
    hurt(table, "x", 6)
    table.play(
        "all_out_attack", "s", "x", **{**SWING, "options": {"mode": "swing", "option": "strong"}}, to_hit=(6, 6, 4)
    )
    for _ in range(6):
        table.end_turn()

    assert table.who("s").pools["fp"] == 11
    assert table.who("x").pools == {"hp": 6, "fp": 12}
