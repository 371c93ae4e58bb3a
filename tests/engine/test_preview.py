"""What a preview costs and how near it comes: few runs, dice spread evenly, nothing judged twice."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import preview as previews
from app.engine.asks import Answer, Ask, Faces, Input, Roll
from app.engine.ids import ActionId, CombatantId, ItemId
from app.engine.preview import MILLION, MOST_RUNS, SAMPLES, preview
from app.engine.run import run
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
    faces = [previews._face(place, die, sides) for place in range(1, SAMPLES + 1)]

    assert min(faces) >= 1
    assert max(faces) <= sides
    low = sum(face <= sides // 2 for face in faces)
    assert abs(low - SAMPLES * (sides // 2) / sides) <= 3


def test_many_dice_do_not_fall_alike() -> None:
    first = [previews._face(place, 0, 10) for place in range(1, SAMPLES + 1)]

    again = [previews._face(place, len(previews.BASES), 10) for place in range(1, SAMPLES + 1)]

    assert first != again


def test_a_large_tree_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = 0

    def counted(*given: Any, **more: Any) -> Any:
        nonlocal runs
        runs += 1
        return run(*given, **more)

    monkeypatch.setattr(previews, "run", counted)
    table = loaded()

    found = preview(table.rules, table.state, shot())

    assert found.odds is not None
    assert found.odds.method == "sampled"
    assert runs <= SAMPLES + 10


def test_sampled_odds_are_near_those_of_the_whole_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    table = loaded()
    sampled = preview(table.rules, table.state, shot()).odds
    monkeypatch.setattr(previews, "MOST_RUNS", 5000)

    exact = preview(table.rules, table.state, shot()).odds

    assert sampled is not None
    assert exact is not None
    assert (exact.method, exact.error) == ("exact", 0)
    assert exact.runs > MOST_RUNS
    assert abs(sampled.hits[1] - exact.hits[1]) < 60_000
    assert abs(sampled.damage_mean - exact.damage_mean) < 250
    for points in (1, 3, 5):
        assert abs(sampled.damage_at_least[points] - exact.damage_at_least[points]) < sampled.error


def test_the_odds_of_the_whole_tree_are_those_of_its_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    table = loaded()
    monkeypatch.setattr(previews, "MOST_RUNS", 5000)

    found = preview(table.rules, table.state, shot())

    attack = next(check for check in found.checks if check.purpose == "attack")
    dodge = found.defence[0]
    assert found.odds is not None
    assert dodge.chance is not None
    assert abs(found.odds.hits[1] - attack.chance * (MILLION - dodge.chance) // MILLION) <= 1


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
