"""A command with everything that was asked in it: what every law looks at."""

import hashlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Answer, Ask, Faces, Input, Key, Question, Roll, judged_answer
from app.engine.dice import server_faces
from app.engine.forms import Field, Form
from app.engine.reasons import BadAnswer, Refused
from app.engine.rules import Ruleset
from app.engine.run import Outcome, run
from app.engine.state import State
from tests.golden.fights import all_fights, play

ENCODER = msgspec.json.Encoder()
"""Keeps the order of mappings, as the database does: a rule may walk over effects or combatants."""
MOST_ASKS = 400


@dataclass(frozen=True)
class Case:
    """A command that was carried out: from which state, with which inputs, and what came of it."""

    rules: Ruleset
    base: State
    command: cmd.Command
    inputs: Mapping[Key, Input]
    outcome: Outcome

    def again(self, inputs: Mapping[Key, Input] | None = None, **given: Any) -> Outcome:
        """Run it again, with all its inputs or with these; whatever else is asked stays open."""
        found = self.inputs if inputs is None else inputs
        return run(self.rules, self.base, self.command, inputs=found, source=lambda ask: None, **given)


def encoded(value: Any) -> bytes:
    """The one way in which states, events and inputs are written."""
    return ENCODER.encode(value)


def log_of(outcome: Outcome) -> bytes:
    """Everything emitted, as it is stored."""
    return encoded(outcome.events)


def events_of(outcome: Outcome) -> tuple[ev.AnyEvent, ...]:
    """The events without their stamps."""
    return tuple(emitted.event for emitted in outcome.events)


@cache
def golden_cases() -> tuple[Case, ...]:
    """Every step of every golden fight that was not refused."""
    found = []
    for fight in all_fights():
        for _, step in play(fight):
            if step.outcome is not None:
                found.append(Case(fight.ruleset, step.base, step.command, step.inputs, step.outcome))
    return tuple(found)


# Answering


def drawn(salt: bytes, ask: Ask, *, plainly: bool = False) -> Input:
    """Dice and answers as a function of the key alone; `plainly` takes the default."""
    if isinstance(ask, Roll):
        return Faces(server_faces(salt, 0, 0, ask.key, ask.count, ask.sides), "server")
    if plainly:
        option = next(option for option in ask.options if option.id == ask.default)
        return judged_answer(ask, option.id, _plain(option.form), "timeout")
    dice = random.Random(hashlib.sha256(salt + ask.key.encode()).digest())
    option = dice.choice(ask.options)
    return judged_answer(ask, option.id, {field.name: _value(dice, field) for field in option.form})


def _plain(form: Form) -> dict[str, Any]:
    return {field.name: _value(random.Random(0), field) for field in form if field.required}


def _value(dice: random.Random, field: Field) -> Any:
    low = 0 if field.minimum is None else field.minimum
    high = low + 300 if field.maximum is None else field.maximum
    match field.type:
        case "bool":
            return dice.random() < 0.5
        case "integer" | "length":
            return dice.randint(low, high)
        case "integers":
            return [dice.randint(low, high)]
        case "allocation":
            return _share(dice, field)
        case "combatants" | "words":
            count = min(dice.randint(low, high), len(field.choices))
            return dice.sample(field.choices, count)
        case _:
            return dice.choice(field.choices) if field.choices else "a word"


def _share(dice: random.Random, field: Field) -> dict[str, int]:
    share = dict.fromkeys(dice.sample(field.choices, len(field.choices)), 0)
    for _ in range(field.total or 0):
        share[dice.choice(field.choices)] += 1
    return share


def settled(rules: Ruleset, base: State, command: cmd.Command, salt: bytes) -> Case:
    """Run a command to its end, everything asked being answered by chance.

    A refused answer changes nothing and is followed by the plain one. Raises what the command itself is refused with.
    """
    plainly: set[Key] = set()
    for _ in range(MOST_ASKS):
        last: list[Ask] = []

        def source(ask: Ask, last: list[Ask] = last) -> Input:
            last.append(ask)
            return drawn(salt, ask, plainly=ask.key in plainly)

        try:
            outcome = run(rules, base, command, inputs={}, source=source)
        except (Refused, BadAnswer):
            if not last or not isinstance(last[-1], Question) or last[-1].key in plainly:
                raise
            plainly.add(last[-1].key)
            continue
        assert not outcome.open
        return Case(rules, base, command, outcome.inputs, outcome)
    raise AssertionError(f"answers were refused {MOST_ASKS} times: {command}")


def clauses_of(value: Any) -> Iterator[str]:
    """Every clause that a struct cites, itself and in its parts."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            found = getattr(value, name)
            if name == "clause" and found is not None:
                yield found
            else:
                yield from clauses_of(found)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from clauses_of(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from clauses_of(one)


__all__ = ["Answer", "Case", "clauses_of", "drawn", "encoded", "events_of", "golden_cases", "log_of", "settled"]
