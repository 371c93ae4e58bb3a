"""The core test: successes and failures, Quick Contests, rounding, the order of an attack, untrained skills.

Clauses GU-200 to GU-290.
"""

from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.preview import preview
from app.engine.state import Item
from rulesets.gurps_4e.checks import Check, chance, judge, lead
from rulesets.gurps_4e.figures import current_move, half_move, half_up, step_of
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable

SWORD: dict[str, Any] = {"weapon": "thrusting_broadsword", "options": {"mode": "swing"}}
AXE: dict[str, Any] = {"weapon": "axe"}
PLAIN = (3, 4, 4)
S, X = CombatantId("s"), CombatantId("x")
both_ways = pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])


def duel(on_map: bool = False, s: dict[str, Any] | None = None, x: dict[str, Any] | None = None, **o: Any) -> PlayTable:
    """The swordsman beside the axeman, his slot begun."""
    if on_map:
        return fight(s={"at": (0, 0, 90), **(s or {})}, x={"at": (1, 0, 270), **(x or {})}, options=o)
    return fight(s=s or {}, x=x or {}, apart={"sx": 1}, options=o)


def effect(table: PlayTable, who: CombatantId, kind: str, value: int = 0) -> None:
    """Put a condition on somebody by ruling."""
    table.rule(cmd.AddEffect(who, kind, value))


# The test itself


@pytest.mark.clause("GU-200")
@pytest.mark.parametrize(
    ("skill", "total", "success", "degree"),
    [(13, 13, True, 0), (13, 14, False, -1), (13, 12, True, 1), (13, 5, True, 8), (13, 16, False, -3)],
)
def test_a_total_at_or_under_the_skill_succeeds_by_the_difference(
    skill: int, total: int, success: bool, degree: int
) -> None:
    found = judge(skill, total)

    assert (found.success, found.degree) == (success, degree)


@pytest.mark.clause("GU-200")
@pytest.mark.parametrize(
    ("dice", "outcome", "by"), [((4, 4, 5), "success", 0), ((5, 4, 5), "failure", 1), ((4, 4, 4), "success", 1)]
)
def test_the_attacker_rolls_three_dice_against_his_skill(dice: tuple[int, int, int], outcome: str, by: int) -> None:
    table = fight(x={}, s={}, apart={"sx": 1})
    answers: dict[str, Any] = {"defend": "none", "damage": (1, 1)} if outcome == "success" else {}

    done = table.play("attack", "x", "s", **AXE, to_hit=dice, **answers)

    check = done.check
    assert (check.combatant, check.check, check.target, check.clause) == ("x", "axe_mace", 13, "GU-270")
    assert (check.outcome, check.degrees, sum(die.value for die in check.dice)) == (outcome, by, sum(dice))
    assert check.terms == (ev.Term("axe_mace", 13, ClauseId("GU-200")),)
    assert bool(done.of(ev.HitsScored)) is (outcome == "success")


@pytest.mark.clause("GU-200", "GU-210")
@pytest.mark.parametrize("skill", range(-2, 25))
def test_the_chance_of_a_test_is_that_of_all_216_ways(skill: int) -> None:
    ways = 0
    for dice in product(range(1, 7), repeat=3):
        total = sum(dice)
        ways += total in (3, 4) or (total <= skill and total not in (17, 18))

    assert chance(skill) == ways * 1_000_000 // 216


@pytest.mark.clause("GU-210")
@pytest.mark.parametrize(
    ("skill", "total", "success"),
    [(4, 4, True), (2, 3, True), (-5, 4, True), (4, 5, False), (20, 16, True), (20, 17, False), (30, 18, False)],
)
def test_three_and_four_always_succeed_seventeen_and_eighteen_never(skill: int, total: int, success: bool) -> None:
    found = judge(skill, total)

    assert found.success is success
    assert (found.degree >= 0) is success or found.degree == 0


@pytest.mark.clause("GU-220")
@pytest.mark.parametrize(
    ("skill", "total", "critical"),
    [
        (3, 3, True),
        (3, 4, True),
        (14, 5, False),
        (15, 5, True),
        (16, 5, True),
        (15, 6, False),
        (16, 6, True),
        (30, 7, False),
    ],
)
def test_the_lowest_totals_are_critical_successes_for_the_skilled(skill: int, total: int, critical: bool) -> None:
    found = judge(skill, total)

    assert (found.success, found.critical) == (True, critical)


@pytest.mark.clause("GU-230")
@pytest.mark.parametrize(
    ("skill", "total", "critical"),
    [
        (30, 18, True),
        (15, 17, True),
        (16, 17, False),
        (20, 17, False),
        (6, 16, True),
        (6, 15, False),
        (7, 16, False),
        (2, 12, True),
        (2, 11, False),
    ],
)
def test_eighteen_seventeen_and_ten_over_are_critical_failures(skill: int, total: int, critical: bool) -> None:
    found = judge(skill, total)

    assert (found.success, found.critical) == (False, critical)


@pytest.mark.clause("GU-220", "GU-230")
@pytest.mark.parametrize(
    ("dice", "grade", "more"),
    [
        ((1, 2, 2), "critical", {"critical_hit": (3, 3, 4), "damage": 1}),
        ((2, 2, 2), None, {"defend": "none", "damage": 1}),
        ((6, 6, 4), None, {}),
        ((6, 6, 5), "critical", {"critical_miss": (3, 3, 4)}),
    ],
)
def test_the_log_tells_a_critical_result(dice: tuple[int, int, int], grade: str | None, more: dict[str, Any]) -> None:
    done = duel().play("attack", "s", "x", **SWORD, to_hit=dice, **more)

    assert done.check.target == 15
    assert done.check.grade == grade


# Too low to try


@both_ways
@pytest.mark.clause("GU-240")
@pytest.mark.parametrize(("modifier", "reasons"), [(-9, []), (-10, ["skill_too_low"]), (-11, ["skill_too_low"])])
def test_an_effective_skill_below_three_is_not_tried(on_map: bool, modifier: int, reasons: list[str]) -> None:
    table = duel(on_map, s={"skills": {"broadsword": 12}})

    found = table.reasons("attack", "s", "x", **SWORD, modifiers=(modifier,))

    assert [reason.code for reason in found] == reasons
    assert [(one.clause, one.need, one.got) for one in found] == ([("GU-240", 3, 12 + modifier)] if reasons else [])


@pytest.mark.clause("GU-240")
@pytest.mark.parametrize(("dice", "saved"), [((1, 2, 1), True), ((1, 1, 1), True), ((2, 2, 1), False)])
def test_a_defence_may_always_be_tried(dice: tuple[int, int, int], saved: bool) -> None:
    table = duel(x={"encumbrance": 4})
    effect(table, X, "stunned_physical")
    more: dict[str, Any] = {} if saved else {"damage": 1}
    if saved:
        more["critical_miss"] = (3, 3, 4)

    done = table.play(
        "attack",
        "s",
        "x",
        **SWORD,
        modifiers=("bad_footing_defense",),
        to_hit=PLAIN,
        defend="dodge",
        dodge=dice,
        **more,
    )

    rolled = next(check for check in done.of(ev.CheckRolled) if check.purpose == "defend")
    assert rolled.target == 8 - 4 - 4 - 2
    assert (rolled.outcome == "success") is saved


# Quick Contests


def side(skill: int, total: int) -> Check:
    """One side's roll."""
    return judge(skill, total)


@pytest.mark.clause("GU-250")
@pytest.mark.parametrize(
    ("one", "other", "won"),
    [
        ((12, 10), (11, 9), 0),
        ((12, 14), (11, 15), 2),
        ((12, 10), (11, 15), 6),
        ((12, 15), (11, 9), -5),
        ((12, 8), (11, 9), 2),
        ((12, 14), (11, 13), 0),
        ((12, 12), (11, 12), 1),
        ((3, 4), (11, 12), 1),
        ((3, 4), (20, 17), 1),
        ((20, 17), (3, 4), -1),
        ((20, 17), (12, 13), 1),
    ],
)
def test_a_quick_contest_is_won_by_the_margins(one: tuple[int, int], other: tuple[int, int], won: int) -> None:
    assert lead(side(*one), side(*other)) == won
    assert lead(side(*other), side(*one)) == -won


@pytest.mark.clause("GU-250")
@pytest.mark.parametrize(("holder", "free"), [((5, 5, 6), False), ((6, 5, 6), True)])
def test_both_sides_of_a_contest_roll_once_and_a_tie_is_nobodys(holder: tuple[int, int, int], free: bool) -> None:
    table = fight(x={}, s={}, apart={"sx": 0})
    table.play("attack", "x", "s", options={"form": "grapple", "hands": 1}, to_hit=PLAIN, defend="none")
    table.until_turn_of("s")

    done = table.play("attack", "s", "x", options={"form": "break_free"}, x__break_free=holder, s__break_free=(4, 5, 5))

    assert [(one.combatant, one.target) for one in done.of(ev.CheckRolled)] == [("s", 12), ("x", 14)]
    settled = done.one(ev.ContestSettled)
    assert (settled.winner, settled.margin) == (("s", 1) if free else (None, 0))


# Rounding


@pytest.mark.clause("GU-260")
@pytest.mark.parametrize(("skill", "parry"), [(12, 9), (13, 9), (14, 10)])
def test_half_a_skill_is_rounded_down(skill: int, parry: int) -> None:
    table = fight(s={}, x={"skills": {"axe_mace": skill}}, apart={"sx": 1})

    done = table.play(
        "attack", "s", "x", **SWORD, to_hit=PLAIN, defend=("parry", {"with": "axe"}), parry=(6, 5, 5), damage=1
    )

    assert done.of(ev.CheckRolled)[1].target == parry


@pytest.mark.clause("GU-260")
def test_move_is_halved_down_a_step_and_what_wounds_halve_are_rounded_up() -> None:
    table = duel().table

    assert (current_move(table, X), half_move(table, X), step_of(table, X)) == (5, 2, 1)
    assert [half_up(figure) for figure in (7, 8, 9)] == [4, 4, 5]


# The order of an attack


@both_ways
@pytest.mark.clause("GU-270")
def test_an_attack_goes_from_the_roll_over_defence_and_damage_to_the_weapon(on_map: bool) -> None:
    great_axe = {"held": {"great_axe": "both"}, "skills": {"two_handed_axe_mace": 13}}
    at = {"at": (0, 0, 90)} if on_map else {}
    to = {"at": (1, 0, 270)} if on_map else {}
    table = fight(x={**great_axe, **at}, s=to, apart=None if on_map else {"sx": 1})

    done = table.play(
        "attack",
        "x",
        "s",
        weapon="great_axe",
        to_hit=PLAIN,
        defend="dodge",
        dodge=(5, 4, 3),
        damage=(4, 4),
        knockdown=(3, 3, 3),
    )

    told: list[Any] = list(done.events)
    wanted: list[type[Any]] = [
        ev.AttackMade,
        ev.CheckRolled,
        ev.HitsScored,
        ev.CheckRolled,
        ev.DefenceResolved,
        ev.DamageDealt,
        ev.PoolChanged,
        ev.CheckRolled,
        ev.ItemMarked,
    ]
    places = [next(at for at, event in enumerate(told) if isinstance(event, kind)) for kind in dict.fromkeys(wanted)]
    assert [check.purpose for check in done.of(ev.CheckRolled)] == ["attack", "defend", "knockdown"]
    assert places == sorted(places)
    balance = next(at for at, event in enumerate(told) if _begins(event, "unbalanced_by_attack"))
    assert balance > places[-2]
    assert done.one(ev.ItemMarked).mark == "unready"


def _begins(event: Any, kind: str) -> bool:
    return isinstance(event, ev.EffectBegan) and event.effect.kind == kind


@pytest.mark.clause("GU-2030")
def test_ammunition_is_spent_when_the_shot_is_fired_whatever_comes_of_it() -> None:
    table = fight(r={}, x={}, apart={"rx": 5})

    done = table.play("attack", "r", "x", weapon="assault_rifle", to_hit=...)

    assert done.open
    spent = done.one(ev.ItemMarked)
    assert (spent.mark, spent.delta) == ("ammo", -1)


@pytest.mark.clause("GU-270")
def test_modifiers_add_up_and_the_cap_comes_last() -> None:
    table = duel()
    table.play("evaluate", "s", "x")
    table.end_turn()
    table.end_turn()
    table.play("evaluate", "s", "x")
    table.end_turn()
    effect(table, S, "shock", -1)
    table.until_turn_of("s")

    done = table.play("move_and_attack", "s", "x", **SWORD, to_hit=(4, 3, 3))

    values = {term.id: term.value for term in done.check.terms}
    assert values == {
        "broadsword": 15,
        "evaluate": 2,
        "shock": -1,
        "move_and_attack": -4,
        "move_and_attack_cap": -3,
    }
    assert done.check.target == 9
    assert done.check.terms[-1].id == "move_and_attack_cap"


@pytest.mark.clause("GU-270")
@pytest.mark.parametrize("size", [-2, 0, 1])
@pytest.mark.parametrize("ranged", [False, True])
def test_the_size_of_the_target_counts_in_melee_and_at_range(size: int, ranged: bool) -> None:
    if ranged:
        table = fight(r={}, x={"size_modifier": size}, apart={"rx": 2})
        done = table.play("attack", "r", "x", weapon="assault_rifle", to_hit=PLAIN, defend="none", damage=(1,) * 5)
    else:
        table = duel(x={"size_modifier": size})
        done = table.play("attack", "s", "x", **SWORD, to_hit=PLAIN, defend="none", damage=1)

    assert done.check.target == 15 + size


# Critical hits and misses


@pytest.mark.clause("GU-280")
def test_a_critical_hit_asks_no_defence_and_rolls_on_its_table() -> None:
    table = duel()

    done = table.play("attack", "s", "x", **SWORD, to_hit=(2, 2, 1), critical_hit=(3, 1, 1), damage=4, knockdown=PLAIN)

    assert not done.questions("defend")
    assert done.one(ev.CriticalSuffered).cause == "double_damage"
    assert done.one(ev.DamageDealt).raw == 14


@pytest.mark.clause("GU-280")
def test_a_plain_hit_rolls_on_no_table() -> None:
    done = duel().play("attack", "s", "x", **SWORD, to_hit=(2, 2, 2), defend="none", damage=1)

    assert not done.of(ev.CriticalSuffered)
    assert done.questions("defend")


@pytest.mark.clause("GU-280")
def test_a_critical_failure_rolls_on_the_table_of_misses() -> None:
    table = duel()

    done = table.play("attack", "s", "x", **SWORD, to_hit=(6, 6, 6), critical_miss=(3, 3, 4))

    assert done.one(ev.CriticalSuffered).cause == "dropped"
    assert table.who("s").items["thrusting_broadsword"].on_ground


@pytest.mark.clause("GU-280")
@pytest.mark.parametrize(("dice", "rolled"), [((1, 1, 1), 9), ((1, 1, 2), 4)])
def test_the_lite_rule_has_highest_damage_for_a_three_alone(dice: tuple[int, int, int], rolled: int) -> None:
    table = duel(critical_tables="lite")
    more: dict[str, Any] = {"damage": 1} if rolled == 4 else {"knockdown": PLAIN}

    done = table.play("attack", "s", "x", **SWORD, to_hit=dice, **more)

    assert not done.questions("defend")
    assert not done.of(ev.CriticalSuffered)
    assert done.one(ev.DamageDealt).raw == rolled


@pytest.mark.clause("GU-280")
def test_the_lite_rule_drops_the_weapon_and_makes_a_gun_unready() -> None:
    table = fight(s={}, r={}, apart={"sr": 1}, options={"critical_tables": "lite"})

    table.play("attack", "s", "r", **SWORD, to_hit=(6, 6, 6))
    table.until_turn_of("r")
    table.play("attack", "r", "s", weapon="assault_rifle", to_hit=(6, 6, 6))

    assert table.who("s").items["thrusting_broadsword"].on_ground
    assert table.who("r").items["assault_rifle"].marks["unready"] == 1


# Untrained


@pytest.mark.clause("GU-290")
@pytest.mark.parametrize(
    ("weapon", "held", "target"),
    [
        ("spear", "main", 8),
        ("shortsword", "main", 8),
        ("force_sword", "main", 8),
        ("longbow", "both", 8 - 1),
        ("auto_pistol", "main", 9),
    ],
)
def test_whoever_lacks_the_skill_rolls_against_dx_less_four_or_five(weapon: str, held: str, target: int) -> None:
    table = fight(r={"held": {weapon: held}}, x={}, apart={"rx": 1})
    _forget(table, "r")

    done = table.play("attack", "r", "x", weapon=weapon, to_hit=(6, 6, 4))

    assert done.check.target == target
    assert [(term.id, term.value) for term in done.check.terms[:2]] == [
        ("dx", 13),
        ("untrained", -4 if weapon == "auto_pistol" else -5),
    ]


def _forget(table: PlayTable, who: str) -> None:
    """He has learned nothing at all."""
    body = table.who(who)
    sheet = replace(body.sheet, levels={}, defaults={})
    table.state = replace(
        table.state, combatants={**table.state.combatants, CombatantId(who): replace(body, sheet=sheet)}
    )


@pytest.mark.clause("GU-290")
@pytest.mark.parametrize(
    ("options", "at", "target"),
    [({"mode": "punch"}, 0, 13), ({"mode": "kick"}, 1, 11), ({"form": "grapple"}, 0, 13), ({"form": "shove"}, 1, 13)],
)
def test_unarmed_without_a_skill_is_dx(options: dict[str, str], at: int, target: int) -> None:
    table = fight(r={"items": {}}, x={}, apart={"rx": at})
    _forget(table, "r")

    done = table.play("attack", "r", "x", options=options, to_hit=(6, 6, 4))

    assert (done.check.check, done.check.target) == ("dx", target)


@pytest.mark.clause("GU-290")
def test_a_default_on_the_sheet_goes_before_that_of_the_book() -> None:
    table = fight(r={"held": {"spear": "main"}, "defaults": {"spear": 11}}, x={}, apart={"rx": 1})

    done = table.play("attack", "r", "x", weapon="spear", to_hit=(6, 6, 4))

    assert done.check.terms == (ev.Term("spear", 11, ClauseId("GU-290")),)


@pytest.mark.clause("GU-290")
def test_a_default_of_brawling_counts_unarmed() -> None:
    table = fight(r={"items": {}, "defaults": {"brawling": 14}}, x={}, apart={"rx": 0})

    done = table.play("attack", "r", "x", options={"mode": "punch"}, to_hit=(6, 6, 4))

    assert (done.check.check, done.check.target) == ("brawling", 14)


@pytest.mark.clause("GU-290")
@pytest.mark.parametrize(("skills", "reasons"), [({}, ["untrained"]), ({"shortsword": 5}, [])])
def test_a_weapon_may_need_its_skill(skills: dict[str, int], reasons: list[str]) -> None:
    odd = (
        '{"kind":"melee","skill":"shortsword","modes":{"cut":{"damage":"sw","type":"cut","reach":[1]}},'
        '"parry":0,"no_default":true}'
    )
    table = fight(r={"items": {"odd": Item("odd", held="main", custom=odd)}, "skills": skills}, x={}, apart={"rx": 1})

    found = table.reasons("attack", "r", "x", weapon="odd")

    assert [reason.code for reason in found] == reasons
    assert all(reason.clause == "GU-290" for reason in found)


@pytest.mark.clause("GU-200", "GU-290")
def test_the_list_of_actions_and_the_attack_know_the_same_chance() -> None:
    table = duel()
    sub = table.submission("attack", "s", "x", **SWORD)

    found = preview(table.rules, table.state, sub)

    assert found.checks[0].chance == chance(15)
    action = table.rules.actions[ActionId("attack")]
    assert action.chance is not None
    assert action.chance(table.table, sub, action) == chance(15)
