"""Fate: before a roll, after a test, and to shake something off. Clause DH-5680."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.state import State
from tests.rulesets.dark_heresy_2e.firing import cited
from tests.support.play import Played, PlayTable, combatant, duel, ruleset

ASKED = {"sample": "vane", "policy": {"spend_fate": "ask"}}
"""Vane with his two points, who wants to be asked after his tests."""
GORM = {"sample": "gorm"}
clause = pytest.mark.clause("DH-5680")


def pair(vane: dict[str, Any] = ASKED, distance: float = 80, **options: Any) -> PlayTable:
    """Vane to act, Gorm to follow."""
    return duel(distance, vane=vane, gorm=GORM, options=options)


def fate_of(table: PlayTable, name: str) -> int:
    """Points left."""
    return table.who(name).pools["fate_points"]


def condition(table: PlayTable, name: str, kind: str, value: int = 0) -> Played:
    """By ruling."""
    return table.rule(cmd.AddEffect(CombatantId(name), kind, value))


def results(done: Played) -> list[tuple[int, int, str, int]]:
    """Target, die, outcome and degrees of each test told."""
    return [(one.target, one.dice[0].value, one.outcome, one.degrees) for one in done.of(ev.CheckRolled)]


# After a test


@clause
def test_a_reroll_stands_whatever_the_first_die_was() -> None:
    table = pair({**ASKED, "held": {"autogun": "both"}})

    done = table.play(
        "semi_auto_burst",
        "vane",
        "gorm",
        modifiers=[-10],
        to_hit=60,
        spend_fate="reroll",
        again__to_hit=20,
        defend="none",
        damage=1,
    )

    assert results(done) == [(45, 60, "failure", 3), (45, 20, "success", 3)]
    assert done.one(ev.HitsScored).hits[0].location == "head"
    assert fate_of(table, "vane") == 1
    assert done.one(ev.Noted).words == ("reroll",)


@clause
@pytest.mark.parametrize(("die", "again", "jams"), [(98, 20, False), (20, 98, True)])
def test_a_reroll_replaces_the_die_for_jams_too(die: int, again: int, jams: bool) -> None:
    table = pair()

    done = table.play(
        "standard_attack",
        "vane",
        "gorm",
        to_hit=die,
        spend_fate="reroll",
        again__to_hit=again,
        **({} if jams else {"defend": "none", "damage": 1}),
    )

    assert bool([mark for mark in done.of(ev.ItemMarked) if mark.mark == "jammed"]) is jams


@clause
def test_a_degree_may_be_added_to_a_success_and_the_same_die_stands() -> None:
    table = pair()

    done = table.play(
        "semi_auto_burst",
        "vane",
        "gorm",
        to_hit=35,
        spend_fate="add_degree",
        defend="none",
        hit1__damage=1,
        hit2__damage=1,
    )

    assert results(done) == [(55, 35, "success", 3), (55, 35, "success", 4)]
    assert len(done.one(ev.HitsScored).hits) == 2
    assert fate_of(table, "vane") == 1


@clause
@pytest.mark.parametrize(("die", "offered"), [(20, ["none", "reroll", "add_degree"]), (99, ["none", "reroll"])])
def test_a_degree_is_offered_after_a_success_only(die: int, offered: list[str]) -> None:
    table = pair()

    done = table.play("standard_attack", "vane", "gorm", to_hit=die, spend_fate=...)

    (question,) = done.questions("spend_fate")
    assert [option.id for option in question.options] == offered
    assert (question.to, question.default, question.clause) == ("vane", "none", "DH-5680")
    assert question.figures["die"] == die


@clause
@pytest.mark.parametrize(
    "vane",
    [
        {"sample": "vane"},
        {"sample": "vane", "policy": {"*": "ask"}},
        {**ASKED, "fate_points": 0},
        {**ASKED, "policy": {"spend_fate": "decline"}},
    ],
    ids=["says nothing", "says it of everything else", "has none", "says no"],
)
def test_only_somebody_with_a_point_who_asks_for_it_is_asked(vane: dict[str, Any]) -> None:
    table = pair(vane)

    done = table.play("standard_attack", "vane", "gorm", to_hit=99)

    assert done.questions("spend_fate") == []


@clause
def test_nothing_is_spent_by_whoever_says_none() -> None:
    table = pair()

    done = table.play("standard_attack", "vane", "gorm", to_hit=99, spend_fate="none")

    assert len(done.of(ev.CheckRolled)) == 1
    assert fate_of(table, "vane") == 2


@clause
def test_both_sides_of_an_opposed_test_and_an_evasion_are_asked() -> None:
    table = duel(1, gorm={**GORM, "held": {}}, vane=ASKED)

    done = table.play(
        "knock_down",
        "gorm",
        "vane",
        gorm__knock_down=50,
        vane__knock_down=90,
        spend_fate="reroll",
        again__knock_down=30,
    )

    assert [one.combatant for one in done.of(ev.CheckRolled)] == ["gorm", "vane", "vane"]
    # Both have one degree; Gorm's bonus is the higher.
    assert done.one(ev.ContestSettled).winner == "gorm"

    table = duel(1, gorm={**GORM, "held": {}}, vane=ASKED)
    done = table.play(
        "standard_attack", "gorm", "vane", to_hit=20, defend="dodge", dodge=90, spend_fate="reroll", again__dodge=40
    )
    assert done.one(ev.DefenceResolved).negated == (1,)
    assert fate_of(table, "vane") == 1


# Before the roll


@clause
def test_ten_more_before_the_roll_is_a_field_of_the_submission() -> None:
    table = pair({"sample": "vane"})

    done = table.play("standard_attack", "vane", "gorm", options={"fate": True}, to_hit=75, defend="none", damage=1)

    assert (done.check.target, done.check.outcome) == (75, "success")
    assert ("fate", 10) in [(term.id, term.value) for term in done.check.terms]
    assert fate_of(table, "vane") == 1
    assert not table.has("vane", "fate_bonus")


@clause
def test_it_is_good_for_one_roll() -> None:
    table = duel(1, sable={"sample": "sable"}, gorm=GORM)

    done = table.play(
        "standard_attack",
        "sable",
        "gorm",
        weapon="sword",
        second_weapon="sword_2",
        options={"fate": True},
        first__to_hit=99,
        second__to_hit=99,
    )

    first, second = done.of(ev.CheckRolled)
    assert first.target - second.target == 10


@clause
def test_it_counts_in_an_evasion_as_a_field_of_the_answer() -> None:
    table = duel(1, gorm={**GORM, "held": {}}, vane={"sample": "vane"})

    done = table.play("standard_attack", "gorm", "vane", to_hit=20, defend=("dodge", {"fate": True}), dodge=50)

    assert done.of(ev.CheckRolled)[1].target == 50
    assert done.one(ev.DefenceResolved).negated == (1,)
    assert fate_of(table, "vane") == 1


@clause
def test_the_last_point_cannot_go_into_a_test_twice() -> None:
    table = duel(1, gorm={**GORM, "held": {}}, vane={**ASKED, "fate_points": 1})

    done = table.play(
        "standard_attack", "gorm", "vane", to_hit=20, defend=("dodge", {"fate": True}), dodge=51, damage=1
    )

    assert done.questions("spend_fate") == []
    assert fate_of(table, "vane") == 0


@clause
def test_without_a_point_there_is_nothing_to_put_into_a_test() -> None:
    table = duel(1, gorm={**GORM, "held": {}}, brok={"sample": "brok"})

    assert cited(table.reasons("standard_attack", "gorm", "brok", options={"fate": True})) == [("no_fate", "DH-5680")]
    with pytest.raises(Refused) as refused:
        table.play("standard_attack", "gorm", "brok", to_hit=20, defend=("dodge", {"fate": True}))
    assert cited(refused.value.reasons) == [("no_fate", "DH-5680")]


@clause
@pytest.mark.parametrize(("who", "barred"), [("brok", [("no_fate", "DH-5680")]), ("vane", [])])
def test_an_evasion_offers_a_point_to_whoever_has_one(who: str, barred: list[tuple[str, str]]) -> None:
    people: dict[str, Any] = {who: {"sample": who}}
    table = duel(1, gorm={**GORM, "held": {}}, **people)

    done = table.play("standard_attack", "gorm", who, to_hit=20, defend="none", damage=1)

    (asked,) = done.questions("defend")
    dodge = next(one for one in asked.options if one.id == "dodge")
    assert [cited(field.barred) for field in dodge.form if field.name == "fate"] == [barred]
    assert dodge.own


@clause
def test_a_pinning_test_on_the_way_does_not_use_it_up() -> None:
    table = pair({"sample": "vane"}, distance=1)
    terms = [
        row.id
        for row in table.rules.modifiers
        if row.applies({"actor.fate_bonus", "for.attack"}) and row.stage == "test"
    ]

    assert terms == ["fate"]
    assert not any(
        row.applies({"actor.fate_bonus", "for.pinning"}) for row in table.rules.modifiers if row.id == "fate"
    )


# To shake something off


@clause
@pytest.mark.parametrize(("die", "left"), [(1, 8), (3, 10), (5, 12)])
def test_a_point_takes_away_some_damage_in_anybodys_turn(die: int, left: int) -> None:
    table = duel(80, gorm=GORM, vane={"sample": "vane"})
    table.rule(cmd.SetPool(CombatantId("vane"), "wounds", 7))

    done = table.play("spend_fate", "vane", options={"benefit": "remove_damage"}, fate=die)

    assert table.who("vane").pools["wounds"] == min(12, left)
    assert fate_of(table, "vane") == 1
    assert table.turn == "gorm"
    assert done.of(ev.BudgetChanged) == []


@clause
def test_critical_damage_stays() -> None:
    table = pair({"sample": "vane"})
    table.rule(cmd.SetPool(CombatantId("vane"), "wounds", 0), cmd.SetPool(CombatantId("vane"), "critical_damage", 2))

    table.play("spend_fate", "vane", options={"benefit": "remove_damage"}, fate=4)

    assert (table.who("vane").pools["wounds"], table.who("vane").pools["critical_damage"]) == (4, 2)


@clause
def test_a_point_ends_being_stunned_while_stunned() -> None:
    table = duel(80, gorm=GORM, vane={"sample": "vane"})
    condition(table, "vane", "stunned", 3)

    table.play("spend_fate", "vane", options={"benefit": "end_stun"})
    table.end_turn()

    assert table.turn == "vane"
    assert table.who("vane").budget["half_action"] == 2


@clause
def test_who_wants_to_be_asked_is_asked_at_the_start_of_a_stunned_turn_and_acts() -> None:
    table = duel(80, gorm=GORM, vane=ASKED)
    condition(table, "vane", "stunned", 3)

    table.end_turn(spend_fate="end_stun")

    assert (table.turn, table.has("vane", "stunned"), fate_of(table, "vane")) == ("vane", False, 1)


@clause
def test_who_keeps_the_point_is_passed_over() -> None:
    table = duel(80, gorm=GORM, vane=ASKED)
    condition(table, "vane", "stunned", 1)

    table.end_turn(spend_fate="none")

    assert (table.turn, fate_of(table, "vane")) == ("gorm", 2)


@clause
def test_a_point_removes_all_fatigue_and_no_action_is_spent() -> None:
    table = pair({"sample": "vane"}, gm_free_action_limit=1)
    table.rule(cmd.SetPool(CombatantId("vane"), "fatigue", 4))

    table.play("spend_fate", "vane", options={"benefit": "remove_fatigue"})

    assert table.who("vane").pools["fatigue"] == 0
    assert table.who("vane").budget["half_action"] == 2
    # It is no free action either.
    assert table.why_not("drop_item", "vane", weapon="autogun") == []


@clause
def test_it_keeps_an_overwatch_and_an_aim() -> None:
    table = pair({"sample": "vane"})
    table.play("aim", "vane", type="full")
    table.rule(cmd.SetPool(CombatantId("vane"), "fatigue", 1))
    table.end_turn()

    table.play("spend_fate", "vane", options={"benefit": "remove_fatigue"})

    assert table.has("vane", "aiming")


@clause
@pytest.mark.parametrize(
    ("fate", "benefit", "reasons"),
    [
        (0, "remove_damage", ["no_fate", "unknown_option"]),
        (1, "remove_damage", ["unknown_option"]),
        (1, "end_stun", ["unknown_option"]),
        (1, "remove_fatigue", ["unknown_option"]),
        (0, None, ["no_fate", "unknown_option"]),
    ],
)
def test_no_point_or_nothing_that_it_would_change(fate: int, benefit: str | None, reasons: list[str]) -> None:
    table = pair({"sample": "vane", "fate_points": fate})

    found = table.why_not("spend_fate", "vane", options={} if benefit is None else {"benefit": benefit})

    assert sorted(found) == reasons


@clause
def test_somebody_unconscious_or_dead_spends_none() -> None:
    table = duel(80, gorm=GORM, vane={"sample": "vane"})
    table.rule(cmd.SetPool(CombatantId("vane"), "fatigue", 3))
    condition(table, "vane", "unconscious")

    assert table.why_not("spend_fate", "vane", options={"benefit": "remove_fatigue"}) == ["unconscious"]


# Initiative


def setup(**people: Any) -> PlayTable:
    """A fight not begun."""
    bodies = {CombatantId(name): combatant(ruleset(), name, **fields) for name, fields in people.items()}
    return PlayTable(ruleset(), State("dark_heresy_2e", dice="client", combatants=bodies))


@clause
def test_the_initiative_die_counts_ten() -> None:
    table = setup(vane=ASKED, gorm=GORM)

    done = table.command(cmd.Start(), vane__initiative=2, spend_fate="initiative_ten", gorm__initiative=9)

    assert {one.combatant: one.standing[0] for one in done.of(ev.StandingSet)} == {"vane": 14, "gorm": 11}
    assert (table.turn, fate_of(table, "vane")) == ("vane", 1)


@clause
def test_a_ten_leaves_nothing_to_ask() -> None:
    table = setup(vane=ASKED, gorm=GORM)

    done = table.command(cmd.Start(), vane__initiative=10, gorm__initiative=9)

    assert done.questions() == []


@clause
def test_fate_is_not_for_those_whose_sheet_gives_none() -> None:
    assert [
        combatant(ruleset(), name, sample=name).pools["fate_points"] for name in ("vane", "sable", "brok", "gorm")
    ] == [
        2,
        1,
        0,
        0,
    ]


@clause
def test_it_counts_in_a_grapple() -> None:
    table = duel(1, vane={"sample": "vane", "held": {}}, gorm=GORM)
    table.rule(cmd.AddEffect(CombatantId("vane"), "grapple_controller", against=CombatantId("gorm")))

    done = table.play(
        "grapple",
        "vane",
        type="full",
        options={"option": "throw_down", "fate": True},
        vane__grapple=99,
        gorm__grapple=99,
    )

    assert next(check for check in done.of(ev.CheckRolled) if check.combatant == "vane").target == 44
