"""What an event or a state holds is declared: who may know it, and how it changes the state."""

import inspect
from typing import Any, get_args

import msgspec
import pytest

from app.engine import events as ev
from app.engine import state as st
from app.engine.fold import _FOLDS
from app.engine.visibility import SECRET_FIELDS, stamp
from tests.laws.cases import events_of, golden_cases
from tests.support.play import blanked

EVENTS = [*ev.CHANGES, *ev.FACTS, *ev.TABLE_FACTS]


def structs_of(module: Any) -> list[type[msgspec.Struct]]:
    """The structs that a module defines."""
    found = [one for _, one in inspect.getmembers(module, inspect.isclass) if one.__module__ == module.__name__]
    return [one for one in found if issubclass(one, msgspec.Struct)]


def test_every_event_class_is_a_change_or_a_fact() -> None:
    classes = {one for one in structs_of(ev) if issubclass(one, ev.Event) and one is not ev.Event}

    assert classes == set(EVENTS)
    assert classes == set(get_args(ev.AnyEvent))
    assert len(EVENTS) == len(set(EVENTS))


def test_changes_have_a_fold_and_facts_have_none() -> None:
    assert set(_FOLDS) == set(ev.CHANGES)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_an_event_declares_fields_that_it_has(kind: type[ev.Event]) -> None:
    declared = {name.partition(".")[0] for name in (*kind.about, *kind.mentions, *kind.secret)}

    assert declared <= set(kind.__struct_fields__)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
def test_everybody_whom_an_event_names_is_declared(kind: type[ev.Event]) -> None:
    """A field that holds a combatant's id is about him or mentions him: else somebody hidden would be named."""
    naming = {
        field.name
        for field in msgspec.structs.fields(kind)
        if "CombatantId" in str(field.type) or field.type is st.Combatant
    }
    declared = {name.partition(".")[0] for name in (*kind.about, *kind.mentions, *kind.secret)}

    assert naming <= declared


@pytest.mark.parametrize("kind", structs_of(st), ids=lambda kind: kind.__name__)
def test_a_struct_of_the_state_declares_what_is_secret(kind: type[msgspec.Struct]) -> None:
    assert kind in SECRET_FIELDS
    assert SECRET_FIELDS[kind] <= set(kind.__struct_fields__)


def test_nothing_is_left_of_somebody_hidden_in_what_everybody_may_read() -> None:
    """Each event of the golden fights with everybody it names hidden: dropped, or without his id."""
    for case in golden_cases():
        ids = sorted(case.outcome.state.combatants)
        for event in events_of(case.outcome):
            for who in ids:
                combatants = {
                    other: msgspec.structs.replace(body, hidden=other == who)
                    for other, body in case.outcome.state.combatants.items()
                }
                emitted = stamp(msgspec.structs.replace(case.outcome.state, combatants=combatants), event)
                if emitted.audience == "all":
                    assert who not in _strings(msgspec.to_builtins(blanked(emitted)))


def _strings(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(*(_strings(one) for one in (*value, *value.values())))
    if isinstance(value, list | tuple):
        return set().union(*(_strings(one) for one in value))
    return set()
