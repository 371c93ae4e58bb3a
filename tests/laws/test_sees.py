"""What a rule says it looks at in a die is all that it looks at: the exact odds of a preview stand on it."""

import random
from collections import defaultdict
from collections.abc import Hashable
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from msgspec import to_builtins

from app.engine import events as ev
from app.engine.asks import GM, Answer, Ask, Faces, Input, Question, Roll
from app.engine.run import Outcome, run
from tests.laws.cases import Case, drawn, events_of, golden_cases
from tests.laws.generate import fight, rulesets
from tests.laws.tape import Tape, examples, tapes
from tests.support.sizes import sized

MOST_FACES = 216
ROLLS = sized(3, 3, 100)


def is_honest(case: Case, salt: bytes) -> None:
    """Two members of one class, for some rolls of the case: the same up to the next ask, and the same result."""
    for number, key in enumerate(list(case.inputs)):
        if number >= ROLLS:
            break
        before = dict(list(case.inputs.items())[:number])
        asked = case.again(before)
        roll = next((ask for ask in asked.open if ask.key == key), None)
        if not isinstance(roll, Roll) or key not in asked.sees or roll.sides**roll.count > MOST_FACES:
            continue
        classes: dict[Hashable, list[tuple[int, ...]]] = defaultdict(list)
        for faces in product(range(1, roll.sides + 1), repeat=roll.count):
            classes[asked.sees[key](faces)].append(faces)
        dice = random.Random(salt + key.encode())
        members = dice.choice([found for found in classes.values() if len(found) > 1] or [[]])
        if len(members) > 1:
            one, other = dice.sample(members, 2)
            told = f"{key}: {one} and {other} are one class in {case.command}"
            mine, theirs = (_left_to_the_gm(case, {**before, key: Faces(faces)}) for faces in (one, other))
            assert shown(case.again(mine)) == shown(case.again(theirs)), told
            assert result(_through(case, mine, salt)) == result(_through(case, theirs, salt)), told


def _left_to_the_gm(case: Case, inputs: dict[str, Input]) -> dict[str, Input]:
    """The same with nothing done where the game master alone says whether anything is: so previews take it."""
    found = dict(inputs)
    while True:
        idle = [
            ask
            for ask in case.again(found).open
            if isinstance(ask, Question)
            and ask.to == GM
            and ask.best == ask.default
            and any(one.id == ask.default and one.declines for one in ask.options)
        ]
        if not idle:
            return found
        found |= {ask.key: Answer(ask.default) for ask in idle}


def shown(outcome: Outcome) -> Any:
    """The events, the state and what is asked next; but for the face, its degrees and grade, the side of the body, and
    that nothing came of something.
    """
    events = [one for one in events_of(outcome) if not (isinstance(one, ev.Noted) and one.words == ("none",))]
    return _plain(to_builtins((events, outcome.state, outcome.open)))


def _plain(value: Any) -> Any:
    match value:
        case dict():
            kept = {name: one for name, one in value.items() if name not in ("dice", "degrees", "grade")}
            return {name: _plain(one) for name, one in kept.items()}
        case list() | tuple():
            return [_plain(one) for one in value]
        case str():
            return value.removeprefix("right_").removeprefix("left_")
        case _:
            return value


def _through(case: Case, inputs: dict[str, Input], salt: bytes) -> Outcome:
    """The run to its end; whatever is still to be asked is drawn by its key."""

    def source(ask: Ask) -> Input:
        return drawn(salt, ask, plainly=True)

    return run(case.rules, case.base, case.command, inputs=inputs, source=source)


def result(outcome: Outcome) -> Any:
    """What a preview counts: hits, what they do, who goes down."""
    events = events_of(outcome)
    return (
        [len(event.hits) for event in events if isinstance(event, ev.HitsScored)],
        [(event.target, event.through) for event in events if isinstance(event, ev.DamageDealt)],
        [(event.combatant, event.status) for event in events if isinstance(event, ev.StatusChanged)],
    )


def test_golden_fights_are_honest() -> None:
    for turn in range(sized(3, 3, 50)):
        for case in golden_cases():
            is_honest(case, bytes([turn]))


@pytest.mark.parametrize("name", rulesets())
@examples(everyday=120, long=5_000)
@given(tape=tapes(1200))
def test_generated_fights_are_honest(name: str, tape: Tape) -> None:
    for number, case in enumerate(fight(tape, name)):
        is_honest(case, bytes([number]))
