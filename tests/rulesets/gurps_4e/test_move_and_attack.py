"""Move and Attack: order and penalties, what it leaves to defend with, rolls on the way. Clauses GU-900 to GU-960."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable, length

SWORD, SHIELD = "thrusting_broadsword", "medium_shield"
HIT, MISS = (3, 3, 3), (5, 5, 5)


def both(on_map: bool, one: str, other: str, far: float, **more: Any) -> PlayTable:
    """Two so far from each other, on a map or with that stated."""
    first, second = dict(more.pop(one, {})), dict(more.pop(other, {}))
    if not on_map:
        return fight(apart={one + other: far}, **{one: first, other: second}, **more)
    return fight(**{one: {"at": (0, 0, 90), **first}, other: {"at": (far, 0, 270), **second}}, **more)


def going(on_map: bool, yards: float, foe: str, **options: Any) -> dict[str, Any]:
    """So far toward the foe."""
    if on_map:
        return {"path": [(yards, 0)], "options": options}
    return {"said": {"length": yards}, "options": {"toward": foe, **options}}


def charge(table: PlayTable, who: str, foe: str, weapon: str | None, **given: Any) -> Played:
    """A Move and Attack."""
    return table.play("move_and_attack", who, foe, weapon=weapon, **given)


def terms(done: Played) -> dict[str, int]:
    """The sum behind the attack roll."""
    return {term.id: term.value for term in done.check.terms}


# Order


@pytest.mark.clause("GU-900")
@pytest.mark.parametrize("on_map", [False, True])
def test_he_moves_and_then_attacks(on_map: bool) -> None:
    table = both(on_map, "x", "s", 6)

    done = charge(table, "x", "s", "axe", to_hit=MISS, **going(on_map, 5, "s"))

    kinds = [type(event) for event in done.events]
    assert kinds.index(ev.Moved) < kinds.index(ev.AttackMade)
    assert done.one(ev.Moved).distance == length(5)
    assert len(done.of(ev.AttackMade)) == 1


@pytest.mark.clause("GU-900")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(
    ("at", "option", "reasons"),
    [
        (5, False, []),
        (2, False, ["attack_must_follow_move"]),
        (0, False, ["attack_must_follow_move"]),
        (5, True, []),
        (2, True, []),
        (0, True, []),
        (6, True, ["attack_must_follow_move"]),
    ],
)
def test_only_by_option_is_the_attack_before_or_during_the_move(
    on_map: bool, at: float, option: bool, reasons: list[str]
) -> None:
    table = both(on_map, "r", "x", 20, options={"attack_during_move": option})

    found = table.reasons(
        "move_and_attack", "r", "x", weapon="assault_rifle", **going(on_map, 5, "x", act_at=length(at))
    )

    assert [(one.code, one.clause) for one in found] == [(code, "GU-900") for code in reasons]


@pytest.mark.clause("GU-900")
@pytest.mark.parametrize("on_map", [False, True])
def test_by_option_he_strikes_in_passing_and_goes_on(on_map: bool) -> None:
    table = both(on_map, "r", "x", 20, options={"attack_during_move": True})

    done = charge(table, "r", "x", "assault_rifle", to_hit=(4, 4, 4), **going(on_map, 5, "x", act_at=200))

    kinds = [type(event) for event in done.events if isinstance(event, ev.Moved | ev.AttackMade)]
    assert kinds == [ev.Moved, ev.AttackMade, ev.Moved]
    assert [event.distance for event in done.of(ev.Moved)] == [200, 300]
    assert terms(done)["range"] == -6


@pytest.mark.clause("GU-900")
@pytest.mark.parametrize(
    ("items", "weapon", "reasons"),
    [
        ({"axe": Item("axe")}, "axe", ["weapon_not_ready"]),
        ({"axe": Item("axe", held="main")}, "axe", []),
        ({}, None, []),
    ],
)
def test_it_is_made_unarmed_or_with_a_ready_weapon(
    items: Mapping[str, Item], weapon: str | None, reasons: list[str]
) -> None:
    table = fight(x={"items": items}, s={}, apart={"sx": 1})
    options = {} if weapon else {"mode": "kick"}

    found = table.reasons("move_and_attack", "x", "s", weapon=weapon, options=options)

    assert [(one.code, one.clause) for one in found] == [(code, "GU-900") for code in reasons]


# At range


@pytest.mark.clause("GU-910")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(
    ("kind", "held", "form", "penalty"),
    [
        ("auto_pistol", "main", {}, -2),
        ("assault_rifle", "both", {}, -4),
        ("large_knife", "main", {"form": "throw"}, -2),
        ("longbow", "both", {}, -8),
    ],
)
def test_two_or_the_bulk_whichever_is_worse(
    on_map: bool, kind: str, held: str, form: dict[str, str], penalty: int
) -> None:
    table = both(on_map, "r", "x", 7, r={"items": {"it": Item(kind, held=held)}, "skills": {"bow": 18}})

    done = charge(table, "r", "x", "it", options=form, to_hit=(5, 4, 4))

    assert terms(done)["move_and_attack"] == penalty
    assert {term.id: term.clause for term in done.check.terms}["move_and_attack"] == "GU-910"


@pytest.mark.clause("GU-910")
def test_a_smaller_bulk_than_two_counts_as_two() -> None:
    small = (
        '{"kind":"ranged","skill":"guns_pistol","modes":{"shot":{"damage":"1d6","type":"pi"}},'
        '"range_max":5000,"bulk":-1,"missile":"bullet","rcl":2,"rof":1}'
    )
    table = fight(r={"items": {"it": Item("auto_pistol", held="main", custom=small)}}, x={}, apart={"rx": 7})

    done = charge(table, "r", "x", "it", to_hit=MISS)

    assert terms(done)["move_and_attack"] == -2


@pytest.mark.clause("GU-910")
def test_no_cap_holds_a_shot() -> None:
    table = fight(r={"skills": {"guns_rifle": 20}}, x={}, apart={"rx": 2})

    done = charge(table, "r", "x", "assault_rifle", to_hit=(6, 6, 5))

    assert done.check.target == 20 - 4


@pytest.mark.clause("GU-920")
@pytest.mark.parametrize("on_map", [False, True])
def test_the_aim_is_lost(on_map: bool) -> None:
    table = both(on_map, "r", "x", 10)
    for _ in range(3):
        table.play("aim", "r", "x", weapon="assault_rifle")
        table.end_turn()
        table.until_turn_of("r")

    done = charge(table, "r", "x", "assault_rifle", to_hit=MISS)

    assert done.check.target == 15 - 4 - 4
    assert terms(done) == {"guns_rifle": 15, "move_and_attack": -4, "range": -4}
    assert not table.has("r", "aiming")


# In melee


@pytest.mark.clause("GU-930")
@pytest.mark.parametrize(
    ("skill", "evaluated", "target", "cap"),
    [(15, 0, 9, -2), (12, 0, 8, 0), (13, 0, 9, 0), (14, 0, 9, -1), (15, 3, 9, -5), (11, 2, 9, 0)],
)
def test_four_worse_and_never_above_nine(skill: int, evaluated: int, target: int, cap: int) -> None:
    table = fight(s={"skills": {"broadsword": skill}}, x={}, apart={"sx": 1})
    if evaluated:
        table.rule(cmd.AddEffect(CombatantId("s"), "evaluating", evaluated, against=CombatantId("x")))

    done = charge(table, "s", "x", SWORD, to_hit=MISS)

    assert done.check.target == target
    assert terms(done)["move_and_attack"] == -4
    assert terms(done).get("move_and_attack_cap", 0) == cap
    assert {term.clause for term in done.check.terms if term.id.startswith("move_and")} == {"GU-930"}


@pytest.mark.clause("GU-930", "GU-270")
def test_the_cap_comes_after_what_the_gm_adds() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})

    assert charge(table, "s", "x", SWORD, modifiers=[5], to_hit=MISS).check.target == 9


@pytest.mark.clause("GU-930", "GU-2210")
@pytest.mark.parametrize("on_map", [False, True])
def test_a_slam_has_neither_penalty_nor_cap(on_map: bool) -> None:
    table = both(on_map, "x", "r", 5, x={"dx": 12, "skills": {"brawling": 11}})

    done = charge(table, "x", "r", None, to_hit=(5, 5, 5), **going(on_map, 5, "r", form="slam"))

    assert terms(done) == {"dx": 12}


@pytest.mark.clause("GU-930", "GU-2220")
@pytest.mark.parametrize(("option", "target"), [(False, 9), (True, 16)])
def test_a_shove_has_both_unless_the_table_plays_it_otherwise(option: bool, target: int) -> None:
    table = fight(
        x={"skills": {"brawling": 16}, "items": {}},
        s={},
        apart={"sx": 1},
        options={"move_and_attack_shove_exempt": option},
    )

    done = charge(table, "x", "s", None, options={"form": "shove"}, to_hit=(6, 6, 5) if option else MISS)

    assert done.check.target == target


# Rolls on the way


@pytest.mark.clause("GU-940")
def test_a_roll_that_the_gm_calls_for_is_two_worse() -> None:
    table = fight(x={}, s={}, apart={"sx": 6})
    charge(table, "x", "s", "axe", to_hit=MISS, said={"length": 5}, options={"toward": "s"})

    done = table.rule(
        cmd.AddEffect(CombatantId("x"), "called_roll"),
        called_roll=("dx", {"purpose": "ice"}),
        roll=(3, 3, 3),
    )

    assert (done.check.check, done.check.target, done.check.clause) == ("dx", 11 - 2, "GU-940")
    assert {term.id: term.value for term in done.check.terms} == {"dx": 11, "move_and_attack": -2}
    assert (done.one(ev.Noted).fact, done.one(ev.Noted).words) == ("roll_succeeded", ("ice",))
    assert not table.has("x", "called_roll")


@pytest.mark.clause("GU-940")
def test_it_is_asked_for_in_the_middle_of_the_maneuver_too() -> None:
    table = fight(x={}, s={}, apart={"sx": 6})
    going_on = charge(table, "x", "s", "axe", to_hit=..., said={"length": 5}, options={"toward": "s"})
    assert [ask.name for ask in going_on.open] == ["to_hit"]
    table.state = going_on.outcome.state

    done = table.rule(cmd.AddEffect(CombatantId("x"), "called_roll"), called_roll="dx", roll=(4, 4, 4))

    assert (done.check.target, done.check.outcome) == (9, "failure")


@pytest.mark.clause("GU-940", "GU-130")
@pytest.mark.parametrize(
    ("tested", "value", "modifier", "target"),
    [("dx", 0, 0, 11), ("dx", -3, 0, 8), ("ht", -1, -2, 9), ("axe_mace", 0, 1, 14)],
)
def test_in_any_other_maneuver_it_has_what_the_gm_says(tested: str, value: int, modifier: int, target: int) -> None:
    table = fight(x={}, s={}, apart={"sx": 6})
    table.play("move", "x", said={"length": 5}, options={"toward": "s"})

    done = table.rule(
        cmd.AddEffect(CombatantId("x"), "called_roll", value),
        called_roll=(tested, {"modifier": modifier}),
        roll=(3, 3, 3),
    )

    assert (done.check.check, done.check.target, done.check.clause) == (tested, target, "GU-130")


@pytest.mark.clause("GU-940")
def test_the_next_maneuver_is_free_of_it() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})
    charge(table, "x", "s", "axe", to_hit=MISS)
    table.end_turn()
    table.end_turn()

    done = table.rule(cmd.AddEffect(CombatantId("x"), "called_roll"), called_roll="dx", roll=(3, 3, 3))

    assert done.check.target == 11


@pytest.mark.clause("GU-940", "GU-240")
def test_a_roll_below_three_is_not_even_tried() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})
    charge(table, "x", "s", "axe", to_hit=MISS)

    done = table.rule(cmd.AddEffect(CombatantId("x"), "called_roll", -7), called_roll="dx")

    assert done.of(ev.CheckRolled) == []
    assert (done.one(ev.Noted).fact, done.one(ev.Noted).clause) == ("roll_too_hard", "GU-240")


@pytest.mark.clause("GU-940")
def test_the_gm_is_asked_and_only_for_what_can_be_rolled() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})

    done = table.rule(cmd.AddEffect(CombatantId("x"), "called_roll"), called_roll="per", roll=(3, 3, 3))

    question = done.questions("called_roll")[0]
    offered = {option.id for option in question.options}
    assert (question.to, question.about) == ("gm", "x")
    assert {"st", "dx", "iq", "ht", "will", "per", "axe_mace", "broadsword"} <= offered
    assert "acrobatics" not in offered


# Defence


@pytest.mark.clause("GU-950")
@pytest.mark.parametrize("on_map", [False, True])
def test_only_dodge_and_block_are_left(on_map: bool) -> None:
    table = both(on_map, "s", "x", 1)
    charge(table, "s", "x", SWORD, to_hit=MISS)
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="block", block=(4, 4, 4))

    question = done.questions("defend")[0]
    assert {option.id for option in question.options} == {"dodge", "block", "none"}
    barred = {one.id: [(reason.code, reason.clause) for reason in one.reasons] for one in question.barred}
    assert ("parry_not_allowed", "GU-950") in barred["parry"]
    assert done.of(ev.CheckRolled)[1].target == 12


@pytest.mark.clause("GU-950")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("parry", "parry_not_allowed"),
        (("dodge", {"retreat": True}), "retreat_not_allowed"),
        (("block", {"retreat": True}), "retreat_not_allowed"),
    ],
)
def test_a_parry_or_a_retreat_is_refused(answer: Any, code: str) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    charge(table, "s", "x", SWORD, to_hit=MISS)
    table.end_turn()

    with pytest.raises(Refused) as refused:
        table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend=answer)

    assert (code, "GU-950") in [(one.code, one.clause) for one in refused.value.reasons]


@pytest.mark.clause("GU-950", "GU-380")
def test_nor_can_he_throw_himself_down() -> None:
    table = fight(x={}, r={}, apart={"rx": 3})
    charge(table, "x", "r", None, options={"form": "slam", "toward": "r"}, said={"length": 3}, to_hit=MISS)
    table.end_turn()

    done = table.play(
        "attack",
        "r",
        "x",
        weapon="assault_rifle",
        said={"distance": {"x": 3}},
        to_hit=HIT,
        defend="dodge",
        dodge=(3, 3, 2),
    )

    question = done.questions("defend")[0]
    assert "dodge_and_drop" not in {option.id for option in question.options}
    barred = {one.id: {reason.code for reason in one.reasons} for one in question.barred}
    assert "retreat_not_allowed" in barred["dodge_and_drop"]


@pytest.mark.clause("GU-950")
def test_at_the_next_slot_everything_is_open_again() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    charge(table, "s", "x", SWORD, to_hit=MISS)
    table.end_turn()
    table.end_turn()
    table.play("do_nothing", "s")
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="axe", to_hit=HIT, defend="parry", parry=(4, 4, 4))

    assert done.of(ev.CheckRolled)[1].target == 12


# Distance


@pytest.mark.clause("GU-960")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(("yards", "reasons"), [(5, []), (6, ["move_too_far"])])
def test_the_whole_move_at_most(on_map: bool, yards: int, reasons: list[str]) -> None:
    table = both(on_map, "x", "s", yards + 1)

    assert table.why_not("move_and_attack", "x", "s", weapon="axe", **going(on_map, yards, "s")) == reasons


@pytest.mark.clause("GU-960")
def test_without_a_yard_the_penalties_stay() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})

    done = charge(table, "x", "s", "axe", to_hit=MISS)

    assert done.of(ev.Moved) == []
    assert done.check.target == 9
    assert table.has("x", "moved_and_attacked")


@pytest.mark.clause("GU-960", "GU-1030")
@pytest.mark.parametrize("on_map", [False, True])
def test_who_ran_before_may_sprint(on_map: bool) -> None:
    table = both(on_map, "x", "s", 12)
    assert "sprint_needs_run_up" in table.why_not(
        "move_and_attack", "x", "s", weapon="axe", **going(on_map, 6, "s", sprint=True)
    )
    run: dict[str, Any] = {"path": [(5, 0)]} if on_map else {"said": {"length": 5}, "options": {"toward": "s"}}
    table.play("move", "x", **run)
    table.end_turn()
    table.end_turn()

    way: dict[str, Any] = (
        {"path": [(11, 0)], "options": {"sprint": True}}
        if on_map
        else {"said": {"length": 6}, "options": {"toward": "s", "sprint": True}}
    )
    done = charge(table, "x", "s", "axe", to_hit=MISS, **way)

    assert done.one(ev.Moved).distance == length(6)
    assert table.has("x", "sprinting")
