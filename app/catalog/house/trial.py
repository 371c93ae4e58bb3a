"""A first round under a ruleset, played by its own samples: what the list of actions says, and the odds of each.

House rules are tried once before they are taken, so that a figure with which the rules cannot reckon is told to its
author and not to the table; and the odds before and after tell what a change weighs.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from app.catalog.rulebook import Rulebook
from app.engine import commands as cmd
from app.engine.asks import Answer, Ask, Faces, Input, Roll
from app.engine.dice import server_faces
from app.engine.events import Joined
from app.engine.fold import fold_all
from app.engine.ids import CombatantId
from app.engine.listing import listing
from app.engine.run import run
from app.engine.space.model import PairFact, pair_key
from app.engine.state import Scenery, State
from app.engine.table import Table

MOST_SAMPLES = 8
"""Samples that take part: enough to meet every kind of weapon, few enough for a request."""
DISTANCES = (100, 1000)
"""Hundredths of the unit between any two: at hand, and out of reach."""
SEED = bytes(32)
"""Every trial rolls alike."""
MOST_ASKED = 300
"""Dice and answers that the beginning of a fight may take."""
_ONE, _OTHER = CombatantId("trial_one"), CombatantId("trial_other")


class EndlessTrial(Exception):
    """The fight does not begin: it asks and asks."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The chance in millionths of an action's first test, by one sample against another so far away."""

    action: str
    actor: str
    target: str
    distance: int
    chance: int


def odds(book: Rulebook, samples: tuple[str, ...]) -> Iterator[Odds]:
    """Every chance that the list of actions tells, each sample beside the next. Raises whatever the rules raise."""
    for place, one in enumerate(samples):
        other = samples[(place + 1) % len(samples)]
        for distance in DISTANCES:
            state = running(book, one, other, distance)
            table = Table(book.ruleset, state)
            for who, actor, target in ((_ONE, one, other), (_OTHER, other, one)):
                for view in listing(table, who):
                    for each in view.targets:
                        if each.chance is not None:
                            yield Odds(str(view.id), actor, target, distance, each.chance)


def samples_of(book: Rulebook) -> tuple[str, ...]:
    """Who takes part in a trial."""
    return tuple(sorted(book.document.get("samples", {})))[:MOST_SAMPLES]


def running(book: Rulebook, one: str, other: str, distance: int) -> State:
    """Two samples on different sides, the fight begun with chance dice and every default."""
    rules = book.ruleset
    bodies = []
    for who, sample, side in ((_ONE, one, "one"), (_OTHER, other, "other")):
        body = book.sample(sample, who, side, sample)
        if body is not None:
            bodies.append(rules.prepare(rules, replace(body, engaged=())))
    facts = {
        pair_key(_ONE, _OTHER): PairFact(distance=distance, sees=True),
        pair_key(_OTHER, _ONE): PairFact(sees=True),
    }
    state = fold_all(State(rules.id, scenery=Scenery(facts=facts)), (Joined(body) for body in bodies))
    return run(rules, state, cmd.Start(), inputs={}, source=PlainSource()).state


class PlainSource:
    """Dice that hang on what they are for, and every default; no fight needs many to begin."""

    def __init__(self) -> None:
        self._asked = 0

    def __call__(self, ask: Ask) -> Input | None:
        self._asked += 1
        if self._asked > MOST_ASKED:
            raise EndlessTrial(ask.key)
        if isinstance(ask, Roll):
            return Faces(server_faces(SEED, 0, 0, ask.key, ask.count, ask.sides), "server")
        return Answer(ask.default)
