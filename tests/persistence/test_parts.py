"""A state as rows and back, byte for byte."""

import msgspec
import pytest

from app.engine.fold import fold_all
from app.engine.ids import CombatantId, EffectId
from app.engine.space.model import Ground, PairFact
from app.engine.state import Clock, Effect, Scenery, Slot, State
from app.persistence.parts import (
    FACTS,
    FRAME,
    GROUND,
    compose,
    decompose,
    difference,
    packed,
    patched,
    real_difference,
    there,
    unpacked,
    whole,
)
from tests.persistence.fights import ANN, CLAUSE, ORC, SPY, beginning, combatant


def fight(*bodies: CombatantId, ground: bool = True, facts: bool = True) -> State:
    made = (combatant(who, hidden=who == SPY) for who in bodies)
    told = beginning(*made, ground=ground, facts=facts)
    state = fold_all(State(ruleset="dark_heresy_2e"), (emitted.event for emitted in told))
    return msgspec.structs.replace(state, status="running", clock=Clock(round=2, slot=Slot(ANN), acted=(ORC,)))


STATES = [
    State(ruleset="x"),
    fight(ORC, ANN, SPY),
    fight(ANN, ORC, ground=False),
    fight(ANN, ORC, facts=False),
    fight(ANN, ORC, ground=False, facts=False),
    msgspec.structs.replace(fight(ANN, ORC), clock=Clock(), scenery=Scenery(worn={"north": 2})),
    msgspec.structs.replace(fight(ANN, ORC), clock=Clock(), scenery=Scenery()),
]


@pytest.mark.parametrize("state", STATES)
def test_a_state_survives_its_parts_byte_for_byte(state: State) -> None:
    assert whole(compose(decompose(state))) == whole(state)


def test_the_order_of_mappings_survives() -> None:
    state = fight(SPY, ANN, ORC)
    fx = {name: Effect(EffectId(name), "prone", CLAUSE) for name in ("fx.9", "fx.10", "fx.1")}
    ann = msgspec.structs.replace(state.combatants[ANN], effects=fx)
    state = msgspec.structs.replace(state, combatants={**state.combatants, ANN: ann})

    found = compose(decompose(state))

    assert list(found.combatants) == [SPY, ANN, ORC]
    assert list(found.combatants[ANN].effects) == ["fx.9", "fx.10", "fx.1"]
    assert list(found.combatants[ANN].pools) == ["wounds", "fate"]


@pytest.mark.parametrize("old", STATES)
@pytest.mark.parametrize("new", STATES)
def test_a_difference_makes_the_new_state_from_the_old(old: State, new: State) -> None:
    for patch in (difference(old, new), real_difference(old, new), unpacked(packed(difference(old, new)))):
        assert whole(patched(old, patch)) == whole(new)


def test_only_what_changed_is_different() -> None:
    state = fight(ORC, ANN, SPY)
    ann = msgspec.structs.replace(state.combatants[ANN], pools={"wounds": 3})
    ground = Ground(size=(1, 1))
    scenery = msgspec.structs.replace(state.scenery, ground=ground, facts={"a>b": PairFact(distance=1)})

    assert difference(state, state) == {}
    assert set(difference(state, msgspec.structs.replace(state, combatants={**state.combatants, ANN: ann}))) == {1}
    assert set(difference(state, msgspec.structs.replace(state, clock=Clock()))) == {FRAME}
    assert set(difference(state, msgspec.structs.replace(state, scenery=scenery))) == {GROUND, FACTS}
    moved = msgspec.structs.replace(state.scenery, facts=scenery.facts)
    worn = msgspec.structs.replace(state.scenery, worn={"north": 2})
    assert set(difference(state, msgspec.structs.replace(state, scenery=moved))) == {FACTS}
    assert set(difference(state, msgspec.structs.replace(state, scenery=worn))) == {FRAME}


def test_equal_states_that_share_nothing_really_differ_in_nothing() -> None:
    one, other = fight(ORC, ANN), fight(ORC, ANN)

    assert set(difference(one, other)) == {FRAME, GROUND, FACTS, 0, 1}
    assert real_difference(one, other) == {}


def test_patching_shares_what_did_not_change() -> None:
    state = fight(ORC, ANN)
    other = fight(ORC, ANN, SPY)

    found = patched(state, {2: decompose(other)[2]})

    assert found.combatants[ORC] is state.combatants[ORC]
    assert found.scenery is state.scenery
    assert list(found.combatants) == [ORC, ANN, SPY]


def test_a_part_is_there_or_not() -> None:
    bare, full = fight(ANN, ORC, ground=False, facts=False), fight(ANN, ORC)

    assert [there(bare, place) for place in (FRAME, GROUND, FACTS, 1, 2)] == [True, False, False, True, False]
    assert all(there(full, place) for place in (FRAME, GROUND, FACTS, 0, 1))
