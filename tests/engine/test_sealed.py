"""What waits until it is released, slots of several owners, and the hooks of rulings and odds."""

import pytest
from msgspec.structs import replace

from app.engine import events as ev
from app.engine.fold import fold
from app.engine.ids import CombatantId
from app.engine.reasons import EngineError
from app.engine.scene import Scene
from app.engine.space.model import PairFact, Said, pair_key
from app.engine.state import Done, Slot, State
from app.engine.visibility import stamp
from tests.support import toy
from tests.support.play import blanked

A, B = CombatantId("a"), CombatantId("b")


def scene(state: State | None = None) -> Scene:
    """A run of two people in which nobody is asked."""
    return Scene(toy.rules(), state or toy.duel(toy.body("a"), toy.body("b", "red")), {}, lambda ask: None)


def test_what_is_left_for_later_happens_at_once_unless_it_is_held() -> None:
    told: list[str] = []
    run = scene()

    run.later(1, lambda: told.append("now"))

    assert told == ["now"]


def test_what_is_held_happens_at_the_release_by_rank_and_then_in_order() -> None:
    told: list[str] = []
    run = scene()
    run.hold()
    for rank, name in ((1, "wound a"), (0, "move a"), (1, "wound b"), (0, "move b")):
        run.later(rank, lambda name=name: told.append(name))  # type: ignore[misc]
    assert told == []

    run.release()

    assert told == ["move a", "move b", "wound a", "wound b"]
    run.later(0, lambda: told.append("at once"))
    assert told[-1] == "at once"


def test_what_happens_at_the_release_is_held_no_more() -> None:
    told: list[str] = []
    run = scene()
    run.hold()
    run.later(0, lambda: run.later(1, lambda: told.append("inner")))

    run.release()

    assert told == ["inner"]


def test_it_is_not_held_twice() -> None:
    run = scene()
    run.hold()

    with pytest.raises(EngineError):
        run.hold()


def test_another_submission_is_heard_while_it_is_resolved() -> None:
    state = toy.duel(toy.body("a"), toy.body("b", "red"))
    facts = {pair_key(A, B): PairFact(distance=500)}
    run = scene(replace(state, scenery=replace(state.scenery, facts=facts)))
    assert run.space.distance(A, B) == 500

    before = run.hear(Said(by=A, distance={B: 200}))

    assert run.space.distance(A, B) == 200
    run.hear(before)
    assert run.space.distance(A, B) == 500


def test_a_slot_of_several_is_the_turn_of_each_and_forgets_what_all_of_them_did() -> None:
    state = toy.duel(toy.body("a"), toy.body("b", "red"))
    old = {who: replace(body, done=(Done("x"),)) for who, body in state.combatants.items()}  # type: ignore[arg-type]

    after = fold(replace(state, combatants=old), ev.TurnBegan(A, "together", True, None, (B,)))

    assert after.clock.slot == Slot(A, "together", (B,))
    assert [body.done for body in after.combatants.values()] == [(), ()]
    assert Scene(toy.rules(), after, {}, lambda ask: None).is_turn_of(B)


def test_the_hidden_among_them_are_not_told() -> None:
    state = toy.duel(toy.body("a"), toy.body("b", "red", hidden=True))

    emitted = stamp(state, ev.TurnBegan(A, "together", True, None, (B,)))

    assert emitted.audience == "all"
    assert blanked(emitted).others == ()  # type: ignore[union-attr]
