"""Use a Skill, at once and over several turns, and what the GM is asked for it. Clauses DH-2020, DH-3700, DH-3710."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from tests.rulesets.dark_heresy_2e.firing import cited
from tests.support.play import PlayTable, duel

VANE, GORM = CombatantId("vane"), CombatantId("gorm")
FULLY_SKILLED = {"sample": "vane", "skills": {"medicae": "trained", "athletics": "experienced", "stealth": "veteran"}}


def pair(vane: dict[str, Any] | None = None, **options: Any) -> PlayTable:
    """Vane to act, Gorm to follow."""
    return duel(20, vane=vane or {"sample": "vane"}, gorm={"sample": "gorm"}, options=options)


def using(skill: str, **options: Any) -> dict[str, Any]:
    """The fields of a use of that skill."""
    return {"options": {"skill": skill, **options}}


# At once


@pytest.mark.clause("DH-3700", "DH-2080")
@pytest.mark.parametrize(
    ("skill", "rank", "target", "die", "outcome", "degrees"),
    [
        ("awareness", "known", 38, 20, "success", 2),
        ("awareness", "untrained", 18, 20, "failure", 2),
        ("medicae", "trained", 43, 43, "success", 1),
        ("athletics", "experienced", 54, 55, "failure", 1),
        ("stealth", "veteran", 70, 70, "success", 1),
    ],
)
def test_a_use_is_a_test_of_the_skill(skill: str, rank: str, target: int, die: int, outcome: str, degrees: int) -> None:
    table = pair({"sample": "vane", "skills": {skill: rank}})

    done = table.play("use_skill", "vane", type="half", **using(skill, modifier=0), use_skill=die)

    check = done.check
    assert (check.check, check.target, check.outcome, check.degrees) == (skill, target, outcome, degrees)
    assert check.clause == "DH-3700"
    assert done.questions() == []
    assert table.who("vane").budget["half_action"] == 1


@pytest.mark.clause("DH-3700", "DH-2020")
@pytest.mark.parametrize(
    ("difficulty", "modifier", "target"),
    [("challenging", None, 38), ("easy", None, 68), ("hard", None, 18), ("hellish", None, -22), ("routine", -5, 53)],
)
def test_the_named_difficulty_and_a_modifier_make_it_easier_or_harder(
    difficulty: str, modifier: int | None, target: int
) -> None:
    table = pair()
    stated = {} if modifier is None else {"modifier": modifier}

    done = table.play("use_skill", "vane", **using("awareness", difficulty=difficulty, **stated), use_skill=99)

    assert done.check.target == target
    named = [(term.id, term.clause) for term in done.check.terms if term.id == difficulty]
    assert named == ([] if difficulty == "challenging" else [(difficulty, "DH-2020")])


@pytest.mark.clause("DH-3700")
def test_a_characteristic_may_be_tested_in_place_of_a_skill() -> None:
    table = pair()

    done = table.play("use_skill", "vane", **using("fel", modifier=10), use_skill=40)

    assert (done.check.check, done.check.target) == ("fel", 40)


@pytest.mark.clause("DH-3700")
def test_the_gm_adds_a_modifier_of_his_own() -> None:
    table = pair()

    done = table.play("use_skill", "vane", **using("awareness", difficulty="hard"), modifiers=[30], use_skill=48)

    assert (done.check.target, done.check.outcome) == (48, "success")


@pytest.mark.clause("DH-3700", "DH-1080", "DH-1020")
def test_as_concentration_it_excludes_another_one_in_the_same_turn() -> None:
    table = pair()
    table.play("aim", "vane")
    assert cited(table.reasons("use_skill", "vane", **using("awareness", modifier=0))) == [
        ("second_concentration_action", "DH-1080")
    ]

    table = pair()
    table.play("use_skill", "vane", **using("awareness", modifier=0), use_skill=99)
    assert cited(table.reasons("aim", "vane")) == [("second_concentration_action", "DH-1080")]
    assert cited(table.reasons("use_skill", "vane", **using("stealth", modifier=0))) == [
        ("same_half_action_twice", "DH-1020"),
        ("second_concentration_action", "DH-1080"),
    ]


@pytest.mark.clause("DH-3700")
@pytest.mark.parametrize(
    ("given", "reasons"),
    [
        ({"options": {"skill": "cooking", "modifier": 0}}, [("unknown_skill", "DH-3700")]),
        ({"options": {"modifier": 0}}, [("missing_input", "DH-3700")]),
        ({"type": "free", "options": {"skill": "awareness"}}, [("wrong_action_type", "DH-1220")]),
        ({"options": {"skill": "awareness"}, "modifiers": ["darkness"]}, [("unknown_option", "DH-1220")]),
        ({"type": "extended", "options": {"skill": "awareness", "modifier": 0}}, [("missing_input", "DH-3710")]),
    ],
)
def test_what_it_needs(given: dict[str, Any], reasons: list[tuple[str, str]]) -> None:
    assert cited(pair().reasons("use_skill", "vane", **given)) == reasons


@pytest.mark.clause("DH-3700", "DH-1010")
def test_a_full_or_an_extended_use_takes_the_whole_turn() -> None:
    table = pair()
    table.play("ready", "vane", weapon="autogun", options={"hand": "stowed"})

    for kind in ("full", "extended"):
        found = table.reasons("use_skill", "vane", type=kind, **using("awareness", modifier=0, turns=3))
        assert cited(found) == [("insufficient_actions", "DH-1010")]


# What the GM is asked


@pytest.mark.clause("DH-3700")
def test_the_gm_says_how_long_and_how_hard_if_nobody_did() -> None:
    table = pair()

    done = table.play(
        "use_skill",
        "vane",
        **using("awareness"),
        gm_skill_parameters=("allow", {"type": "full", "difficulty": "difficult", "modifier": -5}),
        use_skill=23,
    )

    (question,) = done.questions()
    assert (question.to, question.clause) == ("gm", "DH-3700")
    assert (done.check.target, done.check.outcome) == (23, "success")
    assert (done.one(ev.ActionTaken).form, table.who("vane").budget["half_action"]) == ("full", 0)


@pytest.mark.clause("DH-3700", "DH-3710")
def test_the_gm_may_make_it_an_extended_one_or_leave_it_as_it_is() -> None:
    table = pair()
    table.play(
        "use_skill", "vane", **using("athletics"), gm_skill_parameters=("allow", {"type": "extended", "turns": 2})
    )
    assert table.has("vane", "extended_action")

    table = pair()
    done = table.play("use_skill", "vane", **using("awareness"), gm_skill_parameters="allow", use_skill=38)
    assert (done.check.target, done.one(ev.ActionTaken).form) == (38, "half")


@pytest.mark.clause("DH-3700")
def test_a_denial_spends_nothing() -> None:
    table = pair()

    done = table.play("use_skill", "vane", **using("awareness"), gm_skill_parameters="deny")

    assert [type(event).__name__ for event in done.events] == ["Noted"]
    assert (done.one(ev.Noted).fact, done.one(ev.Noted).clause) == ("gm_refused", "DH-3700")
    assert table.who("vane").budget["half_action"] == 2


@pytest.mark.clause("DH-3700")
@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({"type": "full"}, [("insufficient_actions", "DH-1010")]),
        ({"type": "extended"}, [("insufficient_actions", "DH-1010"), ("missing_input", "DH-3710")]),
    ],
)
def test_an_answer_that_the_turn_has_no_room_for_is_refused(
    fields: dict[str, Any], reasons: list[tuple[str, str]]
) -> None:
    table = pair()
    table.play("ready", "vane", weapon="autogun", options={"hand": "stowed"})

    with pytest.raises(Refused) as refused:
        table.play("use_skill", "vane", **using("awareness"), gm_skill_parameters=("allow", fields))

    assert cited(refused.value.reasons) == reasons


# Over several turns


def worked(table: PlayTable, turns: int, **given: Any) -> None:
    """Vane begins something that takes so many turns; everybody else passes."""
    table.play("use_skill", "vane", type="extended", **using("athletics", modifier=20, turns=turns), **given)
    table.end_turn()
    table.end_turn()


@pytest.mark.clause("DH-3710", "DH-1150")
def test_an_extended_use_is_tested_when_it_is_done() -> None:
    table = pair()
    worked(table, 3)

    second = table.play("continue_extended_action", "vane")
    assert second.of(ev.CheckRolled) == []
    table.end_turn()
    table.end_turn()
    third = table.play("continue_extended_action", "vane", use_skill=34)

    assert (third.check.check, third.check.target, third.check.outcome) == ("athletics", 34, "success")
    assert not table.has("vane", "extended_action")


@pytest.mark.clause("DH-3710")
def test_a_table_may_have_it_tested_in_each_turn() -> None:
    table = pair(extended_test="each_turn")

    worked(table, 2, use_skill=99)
    last = table.play("continue_extended_action", "vane", use_skill=34)

    assert last.check.target == 34
    assert not table.has("vane", "extended_action")


@pytest.mark.clause("DH-3710", "DH-1160")
def test_dodging_loses_the_progress() -> None:
    table = duel(1, vane={"sample": "vane"}, gorm={"sample": "gorm", "held": {"great_weapon": "both"}})
    table.play("use_skill", "vane", type="extended", **using("athletics", modifier=0, turns=3))
    table.end_turn()

    table.play("standard_attack", "gorm", "vane", to_hit=20, defend="dodge", dodge=30)

    assert not table.has("vane", "extended_action")
    table.end_turn()
    assert cited(table.reasons("continue_extended_action", "vane")) == [("no_extended_action", "DH-1150")]


@pytest.mark.clause("DH-3710", "DH-5680")
def test_fate_goes_into_an_extended_use_in_the_turn_of_its_test() -> None:
    table = pair()
    options = {"skill": "athletics", "modifier": 20, "turns": 2, "fate": True}
    assert cited(table.reasons("use_skill", "vane", type="extended", options=options)) == [
        ("unknown_option", "DH-5680")
    ]

    worked(table, 2)
    done = table.play("continue_extended_action", "vane", options={"fate": True}, use_skill=44)

    assert (done.check.target, done.check.outcome) == (44, "success")


# A known use


@pytest.mark.clause("DH-5550", "DH-3700")
@pytest.mark.parametrize(("die", "bleeds"), [(33, False), (34, True)])
@pytest.mark.parametrize("patient", ["gorm", "vane"])
def test_medicae_stops_blood_loss(die: int, bleeds: bool, patient: str) -> None:
    table = pair({**FULLY_SKILLED, "int": 33})
    table.rule(cmd.AddEffect(CombatantId(patient), "blood_loss"))
    targets = () if patient == "vane" else ("gorm",)

    done = table.play("use_skill", "vane", *targets, **using("medicae"), use_skill=die)

    assert (done.check.target, done.one(ev.ActionTaken).form) == (33, "half")
    assert done.questions() == []
    assert table.has(patient, "blood_loss") is bleeds
    if not bleeds:
        assert done.one(ev.EffectEnded).clause == "DH-5550"


@pytest.mark.clause("DH-5550")
def test_stopping_blood_loss_takes_a_half_action() -> None:
    table = pair()
    table.rule(cmd.AddEffect(GORM, "blood_loss"))

    found = table.reasons("use_skill", "vane", "gorm", type="full", **using("medicae"))

    assert cited(found) == [("wrong_action_type", "DH-5550")]


@pytest.mark.clause("DH-3700")
def test_medicae_on_somebody_who_does_not_bleed_is_any_other_use() -> None:
    table = pair()

    done = table.play("use_skill", "vane", "gorm", **using("medicae"), gm_skill_parameters="allow", use_skill=50)

    assert done.check.target == 13


@pytest.mark.clause("DH-3710", "DH-5550")
def test_whom_a_long_use_is_for_is_told_apart_from_its_figures() -> None:
    """A name among the words of a condition would show somebody hidden to everybody."""
    table = pair()
    table.play("use_skill", "vane", "gorm", type="extended", **using("stealth", modifier=0, turns=3))

    effect = table.table.effect(VANE, "extended_action")

    assert effect is not None
    assert (effect.against, effect.words) == ("gorm", ("3", "stealth", "", "0", ""))
