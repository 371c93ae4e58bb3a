"""Attack: its forms, the ready weapon, reach and range, what is carried over, the step, and the defence afterwards.

Clauses GU-600 to GU-660.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import BadAnswer
from app.engine.space.model import Grid, Ground, Place
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable, combatant, length, ruleset, table_of

SWORD: dict[str, Any] = {"weapon": "thrusting_broadsword", "options": {"mode": "swing"}}
AXE: dict[str, Any] = {"weapon": "axe"}
HIT = (3, 4, 4)
SOFT: dict[str, Any] = {"to_hit": HIT, "defend": "none"}
S, X, R, P = (CombatantId(name) for name in "sxrp")
both_ways = pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])


def duel(on_map: bool = False, one: str = "s", other: str = "x", far: float = 1, **changes: Any) -> PlayTable:
    """The first has the slot, and they look at each other so many yards apart."""
    options = changes.pop("options", None)
    people = {one: changes.pop(one, {}), other: changes.pop(other, {})}
    assert not changes
    if not on_map:
        return fight(**people, apart={one + other: far}, options=options)
    people[one] = {"at": (0, 0, 90), **people[one]}
    people[other] = {"at": (far, 0, 270), **people[other]}
    return fight(**people, options=options)


def walk(on_map: bool, start: float, end: float, toward: str) -> dict[str, Any]:
    """Going along the line between them, from there to there on it."""
    if on_map:
        return {"path": [(end, 0)]}
    gone = {"toward": toward} if end > start else {"away_from": toward}
    return {"said": {"length": abs(end - start)}, "options": gone}


def given(*parts: dict[str, Any]) -> dict[str, Any]:
    """Parts of a submission put together."""
    whole: dict[str, Any] = {"options": {}}
    for part in parts:
        whole |= {name: value for name, value in part.items() if name != "options"}
        whole["options"] |= part.get("options", {})
    return whole


def cited(table: PlayTable, action: str, who: str, *targets: str, **fields: Any) -> list[tuple[str, str]]:
    """Reasons against it with their clauses."""
    return [(one.code, str(one.clause)) for one in table.reasons(action, who, *targets, **fields)]


def terms(done: Played) -> dict[str, int]:
    """The sum of the attack."""
    return {term.id: term.value for term in done.check.terms}


# GU-600: what it does


@both_ways
@pytest.mark.clause("GU-600")
def test_one_attack_is_made_and_the_target_is_asked(on_map: bool) -> None:
    table = duel(on_map)

    done = table.play("attack", "s", "x", **SWORD, to_hit=(4, 3, 4), defend="none", damage=1)

    made = done.one(ev.AttackMade)
    assert (made.combatant, made.target, made.weapon, made.action, made.clause) == (
        "s",
        "x",
        "thrusting_broadsword",
        "attack",
        "GU-600",
    )
    assert (done.check.target, done.check.outcome, done.check.degrees) == (15, "success", 4)
    assert [question.kind for question in done.questions()] == ["defend"]
    assert done.one(ev.DamageDealt).damage_type == "cut"


@pytest.mark.clause("GU-600")
@pytest.mark.parametrize(
    ("who", "weapon", "options", "far", "check", "target"),
    [
        ("s", "thrusting_broadsword", {"mode": "thrust"}, 1, "broadsword", 15),
        ("s", "medium_shield", {}, 1, "shield", 14),
        ("x", None, {"mode": "kick"}, 1, "brawling", 9),
        ("x", None, {"mode": "punch"}, 0, "brawling", 11),
        ("x", None, {"form": "grapple"}, 0, "dx", 11),
        ("r", "assault_rifle", {}, 2, "guns_rifle", 15),
    ],
)
def test_it_may_be_armed_unarmed_or_from_afar(
    who: str, weapon: str | None, options: dict[str, str], far: float, check: str, target: int
) -> None:
    table = duel(one=who, other="p", far=far)

    done = table.play("attack", who, "p", weapon=weapon, options=options, to_hit=(6, 6, 4))

    assert done.check.target == target
    assert done.check.check in (check, "dx")


@pytest.mark.clause("GU-600")
def test_a_weapon_may_be_thrown() -> None:
    table = duel(one="x", far=3, other="p", x={"skills": {"thrown_axe_mace": 13}})

    done = table.play("attack", "x", "p", weapon="axe", options={"form": "throw"}, to_hit=(6, 6, 3))

    assert terms(done) == {"thrown_axe_mace": 13, "range": -1}
    assert table.who("x").items["axe"].on_ground


@pytest.mark.clause("GU-600")
@pytest.mark.parametrize(
    ("who", "weapon", "options"),
    [
        ("s", "thrusting_broadsword", {"form": "shot"}),
        ("s", "thrusting_broadsword", {"form": "throw"}),
        ("s", "medium_shield", {"form": "strike"}),
        ("r", "assault_rifle", {"form": "strike"}),
        ("r", "assault_rifle", {"form": "throw"}),
        ("x", None, {"form": "shot"}),
        ("p", None, {"form": "shot"}),
        ("r", "torch", {}),
    ],
)
def test_a_form_that_the_weapon_has_not_is_refused(who: str, weapon: str | None, options: dict[str, str]) -> None:
    held = {"assault_rifle": Item("assault_rifle", held="both"), "torch": Item("torch", held="main")}
    people: dict[str, Any] = {"r": {"items": held}} if who == "r" else {}
    table = duel(one=who, other="p", **people)

    assert ("invalid_option_value", "GU-600") in cited(table, "attack", who, "p", weapon=weapon, options=options)


@pytest.mark.clause("GU-600")
def test_a_bash_takes_a_shield() -> None:
    table = duel()

    why = cited(table, "attack", "s", "x", weapon="thrusting_broadsword", options={"form": "shield_bash"})

    assert why == [("no_ready_shield", "GU-2240")]


@pytest.mark.clause("GU-600")
@pytest.mark.parametrize("mode", ["hack", "shot", "punch", ""])
def test_a_mode_that_the_weapon_has_not_is_refused(mode: str) -> None:
    found = duel().reasons("attack", "s", "x", weapon="thrusting_broadsword", options={"mode": mode})

    assert [(one.code, one.clause, one.at) for one in found] == [("invalid_option_value", "GU-600", "/options/mode")]


@pytest.mark.clause("GU-600")
@pytest.mark.parametrize(
    ("weapon", "options", "at"),
    [
        ("thrusting_broadsword", {"shots": 2}, "/options/shots"),
        ("thrusting_broadsword", {"hands": 2}, "/options/hands"),
        ("thrusting_broadsword", {"target_speed": 100}, "/options/target_speed"),
        (None, {"form": "shove", "mode": "punch"}, "/options/mode"),
        ("thrusting_broadsword", {"form": "grapple"}, "/weapon"),
    ],
)
def test_what_has_no_meaning_for_the_attack_is_not_passed_over(
    weapon: str | None, options: dict[str, Any], at: str
) -> None:
    table = duel(far=0 if options.get("form") == "grapple" else 1, s={"held": {"thrusting_broadsword": "main"}})

    found = table.reasons("attack", "s", "x", weapon=weapon, options=options)

    assert [(one.code, one.at) for one in found] == [("unused_input", at)]


@pytest.mark.clause("GU-600")
def test_nor_is_it_in_a_feint() -> None:
    feint = {"weapon": "thrusting_broadsword", "options": {"mode": "hack", "arc": "side"}}

    found = duel(True).reasons("feint", "s", "x", **feint)

    assert {(one.code, one.at) for one in found} == {
        ("unused_input", "/options/arc"),
        ("invalid_option_value", "/options/mode"),
    }


@pytest.mark.clause("GU-600")
def test_a_form_that_is_none_is_no_submission() -> None:
    with pytest.raises(BadAnswer):
        duel().why_not("attack", "s", "x", options={"form": "headbutt"})


@pytest.mark.clause("GU-600")
@pytest.mark.parametrize(("targets", "reason"), [((), "missing_input"), (("x", "p"), "too_many_targets")])
def test_it_is_one_attack_on_one_target(targets: tuple[str, ...], reason: str) -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "sp": 1})

    assert reason in table.why_not("attack", "s", *targets, **SWORD)


# GU-610: the weapon must be ready


@both_ways
@pytest.mark.clause("GU-610")
def test_a_weapon_on_the_ground_is_not_ready_and_the_fist_is(on_map: bool) -> None:
    lies = {"spear": Item("spear", on_ground=True, lies=Place(0, 0))}
    table = duel(on_map, one="p", other="x", far=0 if not on_map else 0.4, p={"items": lies})

    assert cited(table, "attack", "p", "x", weapon="spear")[0] == ("weapon_not_ready", "GU-610")
    assert cited(table, "attack", "p", "x", options={"mode": "punch"}) == []


@pytest.mark.clause("GU-610")
@pytest.mark.parametrize(
    "item",
    [
        Item("thrusting_broadsword"),
        Item("thrusting_broadsword", held="main", marks={"unready": 1}),
        Item("thrusting_broadsword", held="main", marks={"broken": 1}),
    ],
)
def test_carried_unready_or_broken_it_is_not_ready(item: Item) -> None:
    table = duel(s={"items": {"sword": item}})

    assert cited(table, "attack", "s", "x", weapon="sword") == [("weapon_not_ready", "GU-610")]


@pytest.mark.clause("GU-610")
@pytest.mark.parametrize(
    ("held", "ready"),
    [
        ({}, True),
        ({"axe": "main"}, True),
        ({"axe": "main", "medium_shield": "off"}, False),
        ({"great_axe": "both"}, False),
        ({"torch": "both"}, False),
    ],
)
def test_bare_hands_are_ready_unless_they_hold_something(held: dict[str, str], ready: bool) -> None:
    table = duel(one="x", other="s", far=0, x={"held": held})

    expected = [] if ready else [("weapon_not_ready", "GU-610")]
    assert cited(table, "attack", "x", "s", options={"mode": "punch"}) == expected
    assert cited(table, "attack", "x", "s", options={"mode": "kick"}) == []


@pytest.mark.clause("GU-610")
def test_hands_that_hold_a_foe_strike_nobody() -> None:
    table = duel(one="x", other="s", far=0, x={"items": {}})
    table.play("attack", "x", "s", options={"form": "grapple"}, **SOFT)
    table.end_turn()
    table.end_turn()

    assert cited(table, "attack", "x", "s", options={"mode": "punch"}) == [("weapon_not_ready", "GU-610")]


# GU-620: reach


@both_ways
@pytest.mark.clause("GU-620")
@pytest.mark.parametrize(
    ("far", "reasons", "need"),
    [(0, ["out_of_reach"], 1), (1, [], 1), (2, ["out_of_reach"], 1), (3, ["out_of_reach"], 2)],
    ids=["too close", "in reach", "a step away", "too far for a step"],
)
def test_the_axe_strikes_at_one_yard_alone(on_map: bool, far: float, reasons: list[str], need: int) -> None:
    """What is too far with the step tells from how far it is not."""
    table = duel(on_map, one="x", other="s", far=far)

    found = table.reasons("attack", "x", "s", **AXE)

    assert [one.code for one in found] == reasons
    assert all((one.clause, one.need, one.got) == ("GU-620", need, far) for one in found)


@both_ways
@pytest.mark.clause("GU-620")
@pytest.mark.parametrize(
    ("weapon", "mode", "struck"),
    [
        ("large_knife", "swing", {0, 1}),
        ("large_knife", "thrust", {0}),
        ("force_sword", "swing", {1, 2}),
        (None, "punch", {0}),
        (None, "kick", {0, 1}),
    ],
)
def test_a_list_of_reaches_means_any_of_them(on_map: bool, weapon: str | None, mode: str, struck: set[int]) -> None:
    found = set()
    for far in range(4):
        held = {weapon: "main"} if weapon else {}
        table = duel(on_map, one="x", other="s", far=far, x={"held": held})
        if not table.why_not("attack", "x", "s", weapon=weapon, options={"mode": mode}):
            found.add(far)

    assert found == struck


@both_ways
@pytest.mark.clause("GU-620")
@pytest.mark.parametrize(
    ("set_to", "far", "reasons"),
    [
        (2, 2, []),
        (2, 1, [("reach_not_set", "GU-1330")]),
        (1, 1, []),
        (1, 2, [("reach_not_set", "GU-1330")]),
        (1, 3, [("out_of_reach", "GU-620")]),
    ],
)
def test_a_weapon_that_is_set_strikes_at_that_reach_alone(
    on_map: bool, set_to: int, far: int, reasons: list[tuple[str, str]]
) -> None:
    items = {"spear": Item("spear", held="both", marks={"reach": set_to})}
    table = duel(on_map, one="p", other="x", far=far, p={"items": items})

    assert cited(table, "attack", "p", "x", weapon="spear") == reasons


@both_ways
@pytest.mark.clause("GU-620", "GU-650")
def test_the_step_before_brings_the_target_into_reach_and_the_step_after_does_not(on_map: bool) -> None:
    table = duel(on_map, one="x", other="s", far=2)
    step = walk(on_map, 0, 1, "s")

    assert cited(table, "attack", "x", "s", **given(AXE, step)) == []
    after = given(AXE, step, {"options": {"act_at": 0}})
    assert cited(table, "attack", "x", "s", **after) == [("out_of_reach", "GU-620")]
    done = table.play("attack", "x", "s", **given(AXE, step), **SOFT, damage=(1, 1))
    kinds = [type(event) for event in done.events]
    assert kinds.index(ev.Moved) < kinds.index(ev.AttackMade)


@pytest.mark.clause("GU-620")
@pytest.mark.parametrize(("at", "reasons"), [((1, 1), []), ((1, 1.12), ["out_of_reach"]), ((0.4, 0), ["out_of_reach"])])
def test_on_a_map_melee_counts_to_the_nearest_yard(at: tuple[float, float], reasons: list[str]) -> None:
    table = fight(x={"at": (0, 0, 90)}, s={"at": (*at, 270)})

    assert table.why_not("attack", "x", "s", **AXE) == reasons


@pytest.mark.clause("GU-620")
@pytest.mark.parametrize(("cells", "reasons"), [((1, 0), []), ((1, -1), []), ((2, -1), ["out_of_reach"])])
def test_on_hexes_melee_counts_the_steps(cells: tuple[int, int], reasons: list[str]) -> None:
    rules = ruleset("gurps_4e")
    x = combatant(rules, "x", "sample_axeman", place=Place(0, 0, 90))
    s = combatant(rules, "s", "sample_swordsman", place=Place(cells[0] * 100, cells[1] * 100, 270))
    table = table_of(x, s, rules=rules, ground=Ground(grid=Grid("hex", length(1))))

    assert table.why_not("attack", "x", "s", **AXE) == reasons


@pytest.mark.clause("GU-620")
def test_without_a_map_the_distance_must_be_known() -> None:
    table = fight(s={}, x={})

    found = table.reasons("attack", "s", "x", **SWORD)

    assert [(one.code, one.at) for one in found] == [("missing_input", "/said/distance")]
    assert table.why_not("attack", "s", "x", **SWORD, said={"distance": {"x": 1}}) == []


@both_ways
@pytest.mark.clause("GU-620")
@pytest.mark.parametrize(("far", "reasons"), [(0, []), (1, ["out_of_reach"])])
def test_whoever_crawls_strikes_at_distance_0_alone(on_map: bool, far: int, reasons: list[str]) -> None:
    table = duel(on_map, one="x", other="s", far=far, x={"held": {"large_knife": "main"}})
    table.rule(cmd.AddEffect(X, "crawling"))

    assert table.why_not("attack", "x", "s", weapon="large_knife") == reasons


# GU-630: range


@both_ways
@pytest.mark.clause("GU-630")
@pytest.mark.parametrize(
    ("far", "reasons"), [(1849, []), (1850, []), (1850.01, ["out_of_range"]), (1851, ["out_of_range"])]
)
def test_a_shot_reaches_as_far_as_the_weapon_does(on_map: bool, far: float, reasons: list[str]) -> None:
    pistol = {"held": {"auto_pistol": "main"}, "skills": {"guns_pistol": 30}}
    table = duel(on_map, one="r", other="x", far=far, r=pistol)

    found = table.reasons("attack", "r", "x", weapon="auto_pistol")

    assert [one.code for one in found] == reasons
    assert all((one.clause, one.need_length, one.got_length) == ("GU-630", 185_000, length(far)) for one in found)


@both_ways
@pytest.mark.clause("GU-630")
@pytest.mark.parametrize(("far", "through"), [(150, 9), (150.01, 4), (151, 4)])
def test_beyond_half_the_range_damage_is_halved_and_rounded_down(on_map: bool, far: float, through: int) -> None:
    pistol = {"held": {"auto_pistol": "main"}, "skills": {"guns_pistol": 25}}
    table = duel(on_map, one="r", other="s", far=far, r=pistol, s={"armour": 0, "hp_max": 50})

    done = table.play("attack", "r", "s", weapon="auto_pistol", to_hit=HIT, defend="none", damage=(4, 3))

    assert done.one(ev.DamageDealt).raw == through


@pytest.mark.clause("GU-630")
@pytest.mark.parametrize(("far", "reasons"), [(15, []), (15.01, ["out_of_range"])])
def test_a_thrown_knife_flies_as_far_as_the_strength_of_the_arm(far: float, reasons: list[str]) -> None:
    knife = {"held": {"large_knife": "main"}, "skills": {"thrown_knife": 20}}
    table = duel(one="r", other="x", far=far, r=knife)

    assert table.why_not("attack", "r", "x", weapon="large_knife", options={"form": "throw"}) == reasons


# GU-640: what is carried over


@both_ways
@pytest.mark.clause("GU-640")
def test_an_evaluate_of_the_turn_before_is_one_more_in_melee(on_map: bool) -> None:
    table = duel(on_map)
    table.play("evaluate", "s", "x")
    table.end_turn()
    table.end_turn()

    done = table.play("attack", "s", "x", **SWORD, to_hit=(2, 2, 2), critical_hit=(3, 3, 4), damage=1)

    assert terms(done) == {"broadsword": 15, "evaluate": 1}
    assert done.check.grade == "critical"


@pytest.mark.clause("GU-640")
def test_evaluating_one_foe_helps_against_no_other() -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "sp": 1})
    table.play("evaluate", "s", "x")
    for _ in "sxp":
        table.end_turn()

    done = table.play("attack", "s", "p", **SWORD, to_hit=(6, 6, 4))

    assert terms(done) == {"broadsword": 15}


@both_ways
@pytest.mark.clause("GU-640")
@pytest.mark.parametrize("target", ["x", "s"])
def test_an_aim_of_the_turn_before_helps_against_its_target(on_map: bool, target: str) -> None:
    if on_map:
        table = fight(r={"at": (0, 0, 90)}, x={"at": (20, 0, 270)}, s={"at": (0, 20, 0)})
    else:
        table = fight(r={}, x={}, s={}, apart={"rx": 20, "rs": 20})
    table.play("aim", "r", "x", weapon="assault_rifle")
    for _ in "rxs":
        table.end_turn()

    done = table.play("attack", "r", target, weapon="assault_rifle", to_hit=(6, 6, 3))

    assert terms(done) == {"guns_rifle": 15, "range": -6, **({"acc": 5} if target == "x" else {})}


@both_ways
@pytest.mark.clause("GU-640")
def test_a_feint_of_the_turn_before_is_taken_off_the_defence(on_map: bool) -> None:
    table = duel(on_map)
    table.play("feint", "s", "x", **SWORD, s__feint=(3, 4, 4), x__feint=(4, 4, 4))
    table.end_turn()
    table.end_turn()

    done = table.play("attack", "s", "x", **SWORD, to_hit=HIT, defend="dodge", dodge=(1, 2, 2))

    defence = done.of(ev.CheckRolled)[1]
    assert {term.id: term.value for term in defence.terms} == {"dodge": 8, "feint": -3}


# GU-650: movement


@both_ways
@pytest.mark.clause("GU-650")
def test_one_may_step_back_after_the_blow(on_map: bool) -> None:
    table = duel(on_map)
    back = walk(on_map, 0, -1, "x")

    done = table.play("attack", "s", "x", **given(SWORD, back, {"options": {"act_at": 0}}), **SOFT, damage=1)

    kinds = [type(event) for event in done.events]
    assert kinds.index(ev.DamageDealt) < kinds.index(ev.Moved)
    if on_map:
        assert table.who("s").place == Place(-100, 0, 90)
    else:
        assert table.table.space.distance("s", "x") == 200


@both_ways
@pytest.mark.clause("GU-650")
@pytest.mark.parametrize(("far", "reasons"), [(1, []), (1.01, ["step_too_far"]), (2, ["step_too_far"])])
@pytest.mark.parametrize("act_at", [0, None])
def test_a_step_is_as_far_as_one_goes(on_map: bool, far: float, reasons: list[str], act_at: int | None) -> None:
    start = 1 if act_at == 0 else 1 + far
    table = duel(on_map, far=start)
    way = walk(on_map, 0, -far if act_at == 0 else far, "x")
    when: dict[str, Any] = {} if act_at is None else {"options": {"act_at": act_at}}

    found = table.reasons("attack", "s", "x", **given(SWORD, way, when))

    assert [one.code for one in found] == reasons
    assert all((one.clause, one.need_length) == ("GU-650", 100) for one in found)


@both_ways
@pytest.mark.clause("GU-650")
def test_other_maneuvers_go_further(on_map: bool) -> None:
    way = given(SWORD, walk(on_map, 0, 2, "x"))

    assert duel(on_map, far=3).why_not("attack", "s", "x", **way) == ["step_too_far"]
    assert duel(on_map, far=3).why_not("move_and_attack", "s", "x", **way) == []
    assert (
        duel(on_map, far=3).why_not("all_out_attack", "s", "x", **given(way, {"options": {"option": "strong"}})) == []
    )


@pytest.mark.clause("GU-650")
def test_a_step_may_go_any_way_and_ends_facing_anywhere() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (1, 1, 270)})

    done = table.play("attack", "s", "x", **SWORD, path=[(1, 0)], facing=180, to_hit=(6, 6, 4))

    assert table.who("s").place == Place(100, 0, 180)
    assert done.check.target == 15


# GU-660: the defence afterwards


@both_ways
@pytest.mark.clause("GU-660")
@pytest.mark.parametrize(("kind", "target"), [("dodge", 9), ("parry", 12), ("block", 12)])
def test_after_an_attack_any_defence_is_open(on_map: bool, kind: str, target: int) -> None:
    table = duel(on_map)
    table.play("attack", "s", "x", **SWORD, to_hit=(6, 6, 4))
    table.end_turn()
    rolled: dict[str, Any] = {kind: (3, 3, 3)}

    done = table.play("attack", "x", "s", **AXE, to_hit=HIT, defend=(kind, {"retreat": False}), **rolled)

    assert done.of(ev.CheckRolled)[1].target == target


@both_ways
@pytest.mark.clause("GU-660")
def test_and_so_is_a_retreat(on_map: bool) -> None:
    table = duel(on_map)
    table.play("attack", "s", "x", **SWORD, to_hit=(6, 6, 4))
    table.end_turn()

    done = table.play("attack", "x", "s", **AXE, to_hit=HIT, defend=("dodge", {"retreat": True}), dodge=(4, 4, 4))

    assert done.of(ev.CheckRolled)[1].target == 12
