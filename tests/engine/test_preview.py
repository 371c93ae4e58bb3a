"""What a preview costs and how near it comes: few runs, dice spread evenly, nothing judged twice."""

from typing import Any

import msgspec
import pytest

from app.engine import branching
from app.engine import commands as cmd
from app.engine.asks import Answer, Ask, Faces, Input, Roll
from app.engine.branching import LEAST_SAMPLES, MOST_RUNS, SAMPLES
from app.engine.ids import ActionId, CombatantId, ItemId
from app.engine.preview import MILLION, preview
from app.engine.run import run
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable, duel

ANN, ORC = CombatantId("ann"), CombatantId("orc")
GUN = {"held": {"autogun": "both"}, "bs": 70}


def shot(action: str = "standard_attack") -> cmd.Submission:
    """Ann shoots at the orc."""
    return cmd.Submission(ANN, ActionId(action), targets=(ORC,), weapon=ItemId("autogun"))


def loaded() -> PlayTable:
    """Ann with a loaded gun, twenty metres from the orc."""
    return duel(distance=20, on_map=True, ann=GUN, orc={"ag": 40})


@pytest.mark.parametrize("sides", [2, 5, 6, 10, 100])
@pytest.mark.parametrize("die", [0, 1, 2, 3])
def test_the_faces_of_the_samples_lie_evenly(sides: int, die: int) -> None:
    faces = [branching._face(place, die, sides) for place in range(1, SAMPLES + 1)]

    assert min(faces) >= 1
    assert max(faces) <= sides
    low = sum(face <= sides // 2 for face in faces)
    assert abs(low - SAMPLES * (sides // 2) / sides) <= 3


def test_many_dice_do_not_fall_alike() -> None:
    first = [branching._face(place, 0, 10) for place in range(1, SAMPLES + 1)]

    again = [branching._face(place, len(branching.BASES), 10) for place in range(1, SAMPLES + 1)]

    assert first != again


def test_a_large_tree_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0

    def counted(*given: Any, **more: Any) -> Any:
        nonlocal runs
        runs += 1
        return run(*given, **more)

    monkeypatch.setattr(branching, "run", counted)
    table = loaded()

    found = preview(table.rules, table.state, shot())

    # Missed, jammed, dodged; and hit.
    assert found.odds is not None
    drawn = found.odds.runs - 3
    assert found.odds.method == "sampled"
    assert drawn == round(SAMPLES * found.odds.hits[1] / MILLION) > LEAST_SAMPLES
    assert found.odds.hits_error == 0 < found.odds.error
    assert runs == 6 + drawn

    runs = 0
    monkeypatch.setattr(branching, "MOST_WAYS", 3)
    found = preview(table.rules, table.state, shot())

    assert found.odds is not None
    assert (found.odds.method, found.odds.runs) == ("sampled", SAMPLES)
    assert found.odds.hits_error == found.odds.error > 0
    assert runs <= SAMPLES + 10


def test_what_is_hardly_ever_reached_is_sampled_all_the_same() -> None:
    table = duel(distance=20, on_map=True, ann=GUN, orc={"ag": 95, "skills": {"dodge": "known"}})

    found = preview(table.rules, table.state, shot())

    assert found.odds is not None
    assert found.odds.hits[1] < MILLION // 10
    assert found.odds.runs == 3 + LEAST_SAMPLES
    assert 0 < found.odds.error < 20_000


def test_sampled_odds_are_near_those_of_the_whole_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    table = loaded()
    sampled = preview(table.rules, table.state, shot()).odds
    monkeypatch.setattr(branching, "MOST_RUNS", 5000)

    exact = preview(table.rules, table.state, shot()).odds

    assert sampled is not None
    assert exact is not None
    assert (exact.method, exact.error, exact.hits_error) == ("exact", 0, 0)
    assert exact.runs > MOST_RUNS
    assert sampled.hits == exact.hits
    assert abs(sampled.damage_mean - exact.damage_mean) < 250
    for points in (1, 3, 5):
        assert abs(sampled.damage_at_least[points] - exact.damage_at_least[points]) < sampled.error


def test_the_odds_of_the_whole_tree_are_those_of_its_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    table = loaded()
    monkeypatch.setattr(branching, "MOST_RUNS", 5000)

    found = preview(table.rules, table.state, shot())

    attack = next(check for check in found.checks if check.purpose == "attack")
    dodge = found.defence[0]
    assert found.odds is not None
    assert dodge.chance is not None
    assert attack.chance is not None
    assert abs(found.odds.hits[1] - attack.chance * (MILLION - dodge.chance) // MILLION) <= 1


def is_success(total: int, skill: int) -> bool:
    """Three dice against a skill: three and four always, seventeen and eighteen never."""
    return total <= 4 or (total <= skill and total < 17)


def is_critical(total: int, skill: int) -> bool:
    """A success that nothing turns away."""
    return total <= 4 or (total == 5 and skill >= 15) or (total == 6 and skill >= 16)


ROLLS = [one + two + three for one in range(1, 7) for two in range(1, 7) for three in range(1, 7)]


@pytest.mark.parametrize("skill", [5, 11, 15, 18])
@pytest.mark.parametrize("defence", [4, 9, 16])
def test_where_damage_is_sampled_the_chance_of_a_hit_is_still_that_of_every_way_the_tests_can_fall(
    skill: int, defence: int
) -> None:
    table = fight(s={"skills": {"broadsword": skill}}, x={"held": {"torch": "both"}}, apart={"sx": 1})
    given = (cmd.GivenModifier("gm_defense", defence - 8, "as the test wants it"),)
    sub = table.submission("attack", "s", "x", weapon="thrusting_broadsword")

    found = preview(table.rules, table.state, msgspec.structs.replace(sub, modifiers=given))

    stands = sum(
        is_success(attack, skill) and (is_critical(attack, skill) or not is_success(dodge, defence))
        for attack in ROLLS
        for dodge in ROLLS
    )
    assert found.odds is not None
    assert (found.odds.method, found.odds.hits_error) == ("sampled", 0)
    assert found.odds.hits.get(1, 0) == MILLION * stands // len(ROLLS) ** 2
    assert found.odds.hits[0] == MILLION * (len(ROLLS) ** 2 - stands) // len(ROLLS) ** 2
    assert 0 < found.odds.error < 80_000
    assert found.checks[0].chance == MILLION * sum(is_success(total, skill) for total in ROLLS) // len(ROLLS)
    assert found.defence[0].option == "dodge"
    assert found.defence[0].chance == MILLION * sum(is_success(total, defence) for total in ROLLS) // len(ROLLS)


def test_the_chances_of_several_hits_are_exact_too() -> None:
    table = fight(r={}, s={"held": {}}, apart={"rs": 10})
    sub = table.submission("attack", "r", "s", weapon="assault_rifle", options={"shots": 15})

    found = preview(table.rules, table.state, sub)

    skill, dodge = 15 - 4 + 3, 7
    ways: dict[int, int] = {}
    for attack in ROLLS:
        hits = min(15, 1 + max(0, skill - attack) // 2) if is_success(attack, skill) else 0
        for defence in ROLLS:
            negated = 0
            if not is_critical(attack, skill) and is_success(defence, dodge):
                negated = hits if is_critical(defence, dodge) else min(hits, 1 + max(0, dodge - defence))
            ways[hits - negated] = ways.get(hits - negated, 0) + 1
    assert found.odds is not None
    assert (found.odds.method, found.odds.hits_error) == ("sampled", 0)
    assert found.odds.hits == {hits: MILLION * ways[hits] // len(ROLLS) ** 2 for hits in sorted(ways)}


def test_hits_that_come_after_sampled_dice_have_an_error() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    sub = table.submission("all_out_attack", "s", "x", weapon="thrusting_broadsword", options={"option": "double"})

    found = preview(table.rules, table.state, sub)

    assert found.odds is not None
    assert found.odds.hits_error == found.odds.error > 0


def test_what_was_accepted_is_not_judged_again_and_comes_out_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def source(ask: Ask) -> Input | None:
        if isinstance(ask, Roll):
            return Faces((7,))
        return Answer(ask.default)

    table = loaded()
    act = cmd.Act(shot())
    judged = run(table.rules, table.state, act, inputs={}, source=source)
    monkeypatch.setattr("app.engine.actions._all", lambda *given: pytest.fail("judged again"))

    accepted = run(table.rules, table.state, act, inputs={}, source=source, accepted=True)

    assert accepted.events == judged.events
