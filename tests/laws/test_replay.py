"""State is the fold of events, and a run a function of its inputs: in every golden fight and in generated ones."""

import random
from collections.abc import Callable
from functools import partial

import msgspec
import pytest
from hypothesis import given

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Ask, Input
from app.engine.fold import fold_all
from app.engine.ids import CombatantId
from app.engine.reasons import ReplayMismatch
from app.engine.run import StoredRuling, digest_of, run
from app.engine.state import State
from tests.laws.cases import Case, drawn, encoded, events_of, golden_cases, log_of
from tests.laws.generate import fight, rulesets
from tests.laws.tape import Tape, examples, tapes
from tests.support.sizes import sized

Law = Callable[[Case], None]
CUTS = sized(3, 3, 1000)
ORDERS = sized(1, 1, 4)


def fold_is_state(case: Case) -> None:
    """The events alone lead from the base to the state."""
    assert fold_all(case.base, events_of(case.outcome)) == case.outcome.state


def state_survives_json(case: Case) -> None:
    """A state read back is the same state, and is written in the same bytes."""
    text = encoded(case.outcome.state)
    read = msgspec.json.decode(text, type=State)
    assert read == case.outcome.state
    assert encoded(read) == text


def events_survive_json(case: Case) -> None:
    """So is every event, with its stamp."""
    text = log_of(case.outcome)
    read = msgspec.json.decode(text, type=tuple[ev.Emitted, ...])
    assert read == case.outcome.events
    assert encoded(read) == text


def inputs_survive_json(case: Case) -> None:
    """A command, its inputs and its base out of the database give the bytes that those in memory gave."""
    base = msgspec.json.decode(encoded(case.base), type=State)
    command = msgspec.json.decode(encoded(case.command), type=cmd.Command)
    inputs = msgspec.json.decode(encoded(case.inputs), type=dict[str, Input])
    outcome = run(case.rules, base, command, inputs=inputs, source=_nothing)
    assert log_of(outcome) == log_of(case.outcome)
    assert encoded(outcome.state) == encoded(case.outcome.state)


def base_stays(case: Case) -> None:
    """A run changes nothing of the state that it starts from."""
    before = encoded(case.base)
    case.again()
    assert encoded(case.base) == before


def same_inputs_same_bytes(case: Case) -> None:
    """The same inputs give the same events, and nothing else is asked."""
    outcome = case.again()
    assert not outcome.open
    assert log_of(outcome) == log_of(case.outcome)


def _nothing(ask: Ask) -> Input | None:
    return None


def cut_gives_a_prefix(case: Case) -> None:
    """Wherever the inputs end, the events so far are the first of the full log, and the run goes on from there."""
    whole, keys = case.outcome.events, list(case.inputs)
    for cut in _few(len(keys), CUTS):
        part = {key: case.inputs[key] for key in keys[:cut]}

        outcome = case.again(part)

        shown = len(outcome.events)
        assert outcome.open
        assert outcome.events == whole[:shown]
        later = case.again(shown=shown, digest=digest_of(outcome.events))
        assert log_of(later) == log_of(case.outcome)


def no_die_falls_before_what_was_shown(case: Case) -> None:
    """A run that asks anything new before the shown events are out stops, and draws nothing."""
    whole, keys = case.outcome.events, list(case.inputs)
    for missing in _few(len(keys), CUTS):
        rest = {key: value for key, value in case.inputs.items() if key != keys[missing]}
        reached = len(case.again(rest).events)
        if reached == len(whole):
            continue

        drawn: list[Ask] = []

        def source(ask: Ask, drawn: list[Ask] = drawn) -> Input | None:
            drawn.append(ask)
            return case.inputs[ask.key]

        with pytest.raises(ReplayMismatch):
            run(case.rules, case.base, case.command, inputs=rest, source=source, shown=len(whole))
        assert not drawn


def other_events_than_shown_are_noticed(case: Case) -> None:
    """A digest of anything else than what comes out stops the run."""
    if case.outcome.events:
        with pytest.raises(ReplayMismatch):
            case.again(shown=len(case.outcome.events), digest=digest_of(case.outcome.events[1:]))


def answers_in_any_order(case: Case) -> None:
    """Whoever of several answers first, and however often the run starts anew in between: one log."""
    for turn in range(ORDERS):
        dice = random.Random(turn + len(case.inputs))
        known: dict[str, Input] = {}
        shown, digest = 0, digest_of(())
        outcome = case.again(known, shown=shown, digest=digest)
        while outcome.open:
            shown, digest = len(outcome.events), digest_of(outcome.events)
            ask = dice.choice(outcome.open)
            known = {**outcome.inputs, ask.key: case.inputs[ask.key]}
            outcome = case.again(known, shown=shown, digest=digest)
        assert log_of(outcome) == log_of(case.outcome)
        assert encoded(outcome.state) == encoded(case.outcome.state)


def a_ruling_is_an_input(case: Case) -> None:
    """What the game master changes while a command waits is due again in every later run and changes nothing before."""
    people = sorted(who for who, body in case.base.combatants.items() if body.status != "gone")
    for number, cut in enumerate(_few(len(case.inputs), CUTS)):
        waiting = case.again({key: case.inputs[key] for key in list(case.inputs)[:cut]})
        shown = len(waiting.events)
        if not shown or not people or isinstance(case.command, cmd.Leave):
            continue  # Before its first event the command itself may be refused for what was ruled.
        who = CombatantId(people[(number + shown) % len(people)])
        changes: tuple[cmd.Change, ...] = (
            cmd.SetStatus(who, ("dead", "down", "up")[cut % 3]),
            cmd.SetBudget(who, sorted(case.rules.budgets)[0], 1),
        )
        rulings = (StoredRuling(shown, cmd.Rule("the law says so", changes)),)

        outcome = run(
            case.rules,
            case.base,
            case.command,
            inputs=waiting.inputs,
            source=partial(drawn, b"ruled", plainly=True),
            rulings=rulings,
            shown=shown,
            digest=digest_of(waiting.events),
        )

        assert outcome.events[:shown] == waiting.events
        assert any(isinstance(event, ev.Ruled) for event in events_of(outcome)[shown:])
        assert fold_all(case.base, events_of(outcome)) == outcome.state
        assert log_of(case.again(outcome.inputs, rulings=rulings)) == log_of(outcome)


def _few(count: int, most: int) -> list[int]:
    """Some of the places below the count, spread over all of them."""
    return list(range(count)) if count <= most else [place * count // most for place in range(most)]


LAWS: tuple[Law, ...] = (
    fold_is_state,
    state_survives_json,
    events_survive_json,
    inputs_survive_json,
    base_stays,
    same_inputs_same_bytes,
    cut_gives_a_prefix,
    no_die_falls_before_what_was_shown,
    other_events_than_shown_are_noticed,
    answers_in_any_order,
    a_ruling_is_an_input,
)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_golden_fights_keep_the_law(law: Law) -> None:
    for case in golden_cases():
        law(case)


@pytest.mark.parametrize("name", rulesets())
@examples(everyday=120, long=5_000)
@given(tape=tapes(1200))
def test_generated_fights_keep_every_law(name: str, tape: Tape) -> None:
    for case in fight(tape, name):
        for law in LAWS:
            law(case)
