"""Concentrate: one mental task, what completes it and what breaks it. Clauses GU-1200 to GU-1240."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Effect, Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable

SPELL = {"task": "fireball", "skill": "magery", "seconds_needed": 3}
LONG = {"task": "the long spell", "seconds_needed": 9}
WEAK = {"r": {"skills": {"magery": 14}}}
KEEPS, LOSES = (3, 3, 3), (4, 3, 3)
"""Will 12 - 3 = 9."""
HIT, DODGE_FAILS, DODGED = (4, 4, 4), (4, 4, 4), (3, 3, 3)


def progress(table: PlayTable, who: str = "r") -> Effect | None:
    """What he concentrates on, and how many seconds he has."""
    return table.table.effect(CombatantId(who), "concentrating")


def seconds(table: PlayTable, who: str = "r") -> int:
    """Seconds that have gone into it; 0 where it is lost."""
    record = progress(table, who)
    return 0 if record is None else record.value


def concentrate(table: PlayTable, options: dict[str, Any], **end: Any) -> Played:
    """One second more, and the end of that slot."""
    table.until_turn_of("r")
    table.play("concentrate", "r", options=options)
    return table.end_turn(**end)


def concentrating(**more: Any) -> PlayTable:
    """R in the midst of a long spell, and X at arm's length in his slot."""
    table = fight(r={**WEAK["r"], "armour": {}, **more}, x={}, apart={"rx": 1})
    concentrate(table, LONG)
    return table


def asked(done: Played) -> list[str]:
    """What was rolled for."""
    return [event.purpose for event in done.of(ev.CheckRolled)]


# The task


@pytest.mark.clause("GU-1200", "GU-1210")
@pytest.mark.parametrize(("roll", "fact"), [((4, 4, 4), "task_done"), ((5, 5, 4), "task_failed")])
def test_a_hidden_fighter_is_spotted_by_a_roll_at_the_end_of_the_slot(roll: tuple[int, ...], fact: str) -> None:
    table = fight(r={}, x={}, apart={"rx": 9})

    begun = table.play("concentrate", "r", options={"task": "look", "skill": "per"})
    assert begun.of(ev.CheckRolled) == []
    done = table.end_turn(task=roll)

    assert (done.check.check, done.check.target, done.check.clause) == ("per", 13, "GU-1210")
    assert (done.one(ev.Noted).fact, done.one(ev.Noted).words) == (fact, ("look",))
    assert not table.has("r", "concentrating")


@pytest.mark.clause("GU-1200")
def test_a_task_without_a_roll_is_simply_done() -> None:
    table = fight(r={}, x={}, apart={"rx": 9})

    done = concentrate(table, {"task": "work the controls"})

    assert (done.one(ev.Noted).fact, done.of(ev.CheckRolled)) == ("task_done", [])


@pytest.mark.clause("GU-1200")
def test_what_it_is_done_to_is_told_with_the_roll() -> None:
    table = fight(r=WEAK["r"], x={}, apart={"rx": 9})

    table.play("concentrate", "r", "x", options={"task": "charm", "skill": "magery"}, modifiers=[-1])
    done = table.end_turn(task=(4, 4, 4))

    assert (done.check.against, done.check.target) == ("x", 13)


@pytest.mark.clause("GU-1200")
@pytest.mark.parametrize(
    ("options", "modifiers", "reasons"),
    [
        ({"task": "look", "skill": "per"}, [], []),
        ({}, [], ["missing_input"]),
        ({"task": "look", "skill": "second_sight"}, [], ["unknown_skill"]),
        ({"task": "order", "skill": "leadership"}, [], ["untrained"]),
        ({"task": "look", "skill": "per"}, [-10], []),
        ({"task": "look", "skill": "per"}, [-11], ["skill_too_low"]),
    ],
)
def test_the_submission_names_the_task_and_what_is_rolled(
    options: dict[str, Any], modifiers: list[int], reasons: list[str]
) -> None:
    table = fight(r={}, x={}, apart={"rx": 9})

    assert table.why_not("concentrate", "r", options=options, modifiers=modifiers) == reasons


@pytest.mark.clause("GU-1200", "GU-580")
@pytest.mark.parametrize("order", [("concentrate", "attack"), ("attack", "concentrate")])
def test_it_takes_the_full_turn(order: tuple[str, str]) -> None:
    table = fight(s={"trait_values": {"altered_time_rate": 1}}, x={}, apart={"sx": 1})
    ways: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
        "concentrate": ((), {"options": {"task": "think"}}),
        "attack": (("x",), {"weapon": "thrusting_broadsword"}),
    }
    first, second = ways[order[0]], ways[order[1]]
    answers = {} if order[0] == "concentrate" else {"to_hit": (6, 6, 4)}

    table.play(order[0], "s", *first[0], **first[1], **answers)

    assert table.why_not(order[1], "s", *second[0], **second[1]) == ["full_turn_maneuver"]


# Several seconds


@pytest.mark.clause("GU-1210")
def test_a_spell_of_three_seconds_is_cast_at_the_end_of_the_third() -> None:
    table = fight(r=WEAK["r"], x={}, apart={"rx": 9})

    first = concentrate(table, SPELL)
    assert (seconds(table), first.of(ev.CheckRolled)) == (1, [])
    second = concentrate(table, {"task": "fireball"})
    assert (seconds(table), second.of(ev.CheckRolled)) == (2, [])
    third = concentrate(table, {"task": "fireball"}, task=(4, 4, 4))

    assert (third.check.check, third.check.target) == ("magery", 14)
    assert third.one(ev.Noted).fact == "task_done"
    assert seconds(table) == 0


@pytest.mark.clause("GU-1210")
@pytest.mark.parametrize("between", ["move", "nothing"])
def test_any_other_maneuver_between_loses_all_progress(between: str) -> None:
    table = fight(r=WEAK["r"], x={}, apart={"rx": 9})
    concentrate(table, SPELL)
    concentrate(table, SPELL)

    table.until_turn_of("r")
    if between == "move":
        done = table.play("move", "r", options={"away_from": "x"}, said={"length": 1})
        table.end_turn()
    else:
        done = table.end_turn()

    ended = next(event for event in done.of(ev.EffectEnded) if event.kind == "concentrating")
    assert (ended.why, ended.clause) == ("other_maneuver", "GU-1210")
    concentrate(table, SPELL)
    assert seconds(table) == 1


@pytest.mark.clause("GU-1210")
@pytest.mark.parametrize("other", [{"task": "ice dart"}, {"task": "fireball", "seconds_needed": 2}])
def test_another_task_begins_anew(other: dict[str, Any]) -> None:
    table = fight(r=WEAK["r"], x={}, apart={"rx": 9})
    concentrate(table, SPELL)

    concentrate(table, {"seconds_needed": 5, **other})

    assert seconds(table) == 1


# Distraction


@pytest.mark.clause("GU-1220")
@pytest.mark.parametrize(("will", "left"), [(KEEPS, 1), (LOSES, 0)])
def test_a_defence_calls_for_will_less_three(will: tuple[int, ...], left: int) -> None:
    table = concentrating()

    done = table.play("attack", "x", "r", weapon="axe", to_hit=HIT, defend="dodge", dodge=DODGED, concentration=will)

    assert asked(done) == ["attack", "defend", "concentration"]
    rolled = done.of(ev.CheckRolled)[-1]
    assert (rolled.target, rolled.clause) == (9, "GU-1220")
    assert {term.id: term.value for term in rolled.terms} == {"will": 12, "distracted": -3}
    assert seconds(table) == left


@pytest.mark.clause("GU-1220")
def test_a_defence_and_an_injury_of_one_attack_are_two_events() -> None:
    table = concentrating()

    done = table.play(
        "attack",
        "x",
        "r",
        weapon="axe",
        to_hit=HIT,
        defend="dodge",
        dodge=DODGE_FAILS,
        damage=(1, 1),
        concentration=[KEEPS, LOSES],
        knockdown=(3, 3, 3),
    )

    assert asked(done) == ["attack", "defend", "concentration", "knockdown", "concentration"]
    kinds = [type(event).__name__ for event in done.events]
    assert kinds.index("DefenceResolved") < kinds.index("DamageDealt")
    assert seconds(table) == 0


@pytest.mark.clause("GU-1220")
def test_once_lost_the_rest_of_the_attack_asks_nothing() -> None:
    table = concentrating()

    done = table.play(
        "attack",
        "x",
        "r",
        weapon="axe",
        to_hit=HIT,
        defend="dodge",
        dodge=DODGE_FAILS,
        concentration=LOSES,
        damage=(1, 1),
        knockdown=(3, 3, 3),
    )

    assert asked(done).count("concentration") == 1


@pytest.mark.clause("GU-1220")
def test_a_knockdown_is_a_third_event() -> None:
    table = concentrating()

    done = table.play(
        "attack",
        "x",
        "r",
        weapon="axe",
        to_hit=HIT,
        defend="dodge",
        dodge=(6, 6, 6),
        concentration=[KEEPS, KEEPS, KEEPS],
        damage=(1, 1),
        knockdown=(3, 3, 3),
    )

    assert table.has("r", "lying_prone")
    assert asked(done).count("concentration") == 3
    assert seconds(table) == 1


@pytest.mark.clause("GU-1220")
def test_throwing_oneself_down_is_no_knockdown() -> None:
    table = fight(
        r={**WEAK["r"]},
        x={"items": {"axe": Item("axe", held="main")}},
        apart={"rx": 3},
    )
    concentrate(table, LONG)

    done = table.play(
        "attack",
        "x",
        "r",
        weapon="axe",
        options={"form": "throw"},
        to_hit=(1, 1, 3),
        defend="dodge_and_drop",
        dodge=DODGED,
        concentration=KEEPS,
    )

    assert table.has("r", "lying_prone")
    assert asked(done).count("concentration") == 1


@pytest.mark.clause("GU-1220", "GU-120")
def test_stun_loses_it_without_a_roll() -> None:
    table = concentrating()

    done = table.play("attack", "x", "r", weapon="axe", to_hit=HIT, defend="none", damage=(1, 1), knockdown=(5, 4, 4))

    assert table.has("r", "stunned_physical")
    assert "concentration" not in asked(done)
    assert seconds(table) == 0


@pytest.mark.clause("GU-1220")
@pytest.mark.parametrize("kind", ["stunned_mental", "unconscious"])
def test_a_ruling_that_puts_him_out_loses_it_too(kind: str) -> None:
    table = concentrating()

    table.rule(cmd.AddEffect(CombatantId("r"), kind))

    assert seconds(table) == 0


@pytest.mark.clause("GU-1220")
@pytest.mark.parametrize(("modifier", "target"), [(0, 9), (-2, 7)])
@pytest.mark.parametrize("keeps", [True, False])
def test_the_gm_distracts_him_otherwise(modifier: int, target: int, keeps: bool) -> None:
    table = concentrating()
    faces = (1, 2, 2) if keeps else (5, 5, 5)

    done = table.rule(cmd.AddEffect(CombatantId("r"), "distracted", modifier), concentration=faces)

    assert done.check.target == target
    assert seconds(table) == (1 if keeps else 0)
    assert not table.has("r", "distracted")


@pytest.mark.clause("GU-1220")
def test_nobody_is_distracted_from_nothing() -> None:
    table = fight(r={}, x={}, apart={"rx": 1})

    done = table.rule(cmd.AddEffect(CombatantId("r"), "distracted"))

    assert done.of(ev.CheckRolled) == []


# Choosing not to defend


@pytest.mark.clause("GU-1230")
def test_a_miss_calls_for_no_roll() -> None:
    table = concentrating()

    done = table.play("attack", "x", "r", weapon="axe", to_hit=(6, 6, 4))

    assert asked(done) == ["attack"]
    assert seconds(table) == 1


@pytest.mark.clause("GU-1230")
def test_a_hit_without_a_defence_that_does_nothing_calls_for_no_roll() -> None:
    table = concentrating(armour=20)

    done = table.play("attack", "x", "r", weapon="axe", to_hit=HIT, defend="none", damage=(1, 1))

    assert asked(done) == ["attack"]
    assert seconds(table) == 1


@pytest.mark.clause("GU-1230", "GU-1220")
@pytest.mark.parametrize(("will", "left"), [(KEEPS, 1), (LOSES, 0)])
def test_an_injury_calls_for_one_even_so(will: tuple[int, ...], left: int) -> None:
    table = concentrating(armour=2)

    done = table.play("attack", "x", "r", weapon="axe", to_hit=HIT, defend="none", damage=(1, 1), concentration=will)

    assert done.one(ev.PoolChanged).delta == -3
    assert asked(done) == ["attack", "concentration"]
    assert seconds(table) == left


# Movement


@pytest.mark.clause("GU-1240")
@pytest.mark.parametrize("on_map", [False, True])
def test_a_mage_steps_each_second_of_a_spell(on_map: bool) -> None:
    table = fight(
        r={**WEAK["r"], **({"at": (0, 0, 90)} if on_map else {})},
        x={"at": (9, 0, 270)} if on_map else {},
        apart=None if on_map else {"rx": 9},
    )

    for second in (1, 2):
        way: dict[str, Any] = {"path": [(0, second)]} if on_map else {"said": {"length": 1}}
        far: dict[str, Any] = {"path": [(0, second + 1)]} if on_map else {"said": {"length": 2}}
        options = {"task": "shield", "seconds_needed": 2}
        assert table.why_not("concentrate", "r", options=options, **far) == ["step_too_far"]
        table.play("concentrate", "r", options=options, **way)
        done = table.end_turn()
        assert [event.fact for event in done.of(ev.Noted)] == (["task_done"] if second == 2 else [])
        table.until_turn_of("r")


@pytest.mark.clause("GU-1240")
def test_every_defence_is_open_to_him() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    table.play("concentrate", "s", options={"task": "think", "seconds_needed": 2})
    table.end_turn()

    done = table.play(
        "attack", "x", "s", weapon="axe", to_hit=HIT, defend="block", block=(4, 4, 4), concentration=(2, 2, 3)
    )

    assert {option.id for option in done.questions("defend")[0].options} == {"dodge", "parry", "block", "none"}
    assert done.of(ev.CheckRolled)[1].target == 12
