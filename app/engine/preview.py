"""May I, and what would happen? The rule itself is run, on every way the dice can fall or on samples; nothing is
kept.

An exact preview branches over classes of faces that a rule tells apart (`sees`), one run a leaf. A tree that looks
large is not begun: it is sampled, with its error. Samples are spread evenly over the dice (a Halton sequence, one base
a roll) instead of drawn, so that few of them lie near the truth. Reactions are answered as the best policy would. The
seed of the encounter is never touched.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from itertools import product
from typing import Literal

import msgspec

from app.engine.actions import why_not
from app.engine.asks import Answer, Ask, Faces, Input, Key, Question, Roll
from app.engine.commands import Act, Submission
from app.engine.events import CheckRolled, DamageDealt, DefenceResolved, HitsScored, StatusChanged, Term
from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Ruleset
from app.engine.run import Outcome, run
from app.engine.state import State
from app.engine.table import table_for

MILLION = 1_000_000
MOST_RUNS = 60
MOST_FACES = 216
SAMPLES = 40
BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)
"""One a die, in the order in which they fall; those after the last share the bases again, shifted."""


class CheckOdds(msgspec.Struct, frozen=True):
    """A test that would be rolled, the sum behind it, and its chance in millionths."""

    combatant: CombatantId
    check: str
    purpose: str
    target: int
    terms: tuple[Term, ...]
    chance: int


class DefenceOdds(msgspec.Struct, frozen=True):
    """How a target would react, and the chance of that test in millionths."""

    combatant: CombatantId
    option: str
    chance: int | None


class Odds(msgspec.Struct, frozen=True):
    """What would come of it. Chances in millionths, means in thousandths.

    `hits` by how many stand after the defence, `damage_at_least` by points through on anybody, `drops` the chance
    that somebody goes down. A sampled one says on how many runs it stands and its widest standard error, in
    millionths.
    """

    hits: dict[int, int]
    damage_mean: int
    damage_at_least: dict[int, int]
    drops: int
    method: Literal["exact", "sampled"]
    runs: int
    error: int = 0


class Preview(msgspec.Struct, frozen=True):
    """Whether it would be accepted, every reason if not, the tests it leads to and what would come of it."""

    legal: bool
    reasons: tuple[Reason, ...] = ()
    checks: tuple[CheckOdds, ...] = ()
    defence: tuple[DefenceOdds, ...] = ()
    odds: Odds | None = None


class _TooLarge(Exception):
    """The tree has more leaves than it is worth."""


def preview(rules: Ruleset, state: State, sub: Submission) -> Preview:
    """The odds of a submission now. Draws no die of the encounter and changes nothing."""
    reasons = why_not(table_for(rules, state, sub), sub)
    if reasons:
        return Preview(False, reasons)
    act = Act(msgspec.structs.replace(sub, rolls={}))
    leaves, method = _leaves(rules, state, act)
    first = max(leaves, key=lambda leaf: len(leaf[1].events))[1]
    if not any(isinstance(emitted.event, CheckRolled) for _, leaf in leaves for emitted in leaf.events):
        return Preview(True)
    return Preview(
        True,
        checks=tuple(_checks(rules, sub, first)),
        defence=tuple(_defences(rules, leaves)),
        odds=_odds(sub, leaves, method),
    )


Leaf = tuple[int, Outcome]


def _leaves(rules: Ruleset, state: State, act: Act) -> tuple[list[Leaf], Literal["exact", "sampled"]]:
    """Every way it can go with its weight, or samples of equal weight."""
    tree = _Tree(rules, state, act)
    try:
        if tree.least_leaves() <= MOST_RUNS:
            return tree.exact(), "exact"
    except _TooLarge:
        pass
    return [(1, tree.sample(place)) for place in range(1, SAMPLES + 1)], "sampled"


class _Tree:
    def __init__(self, rules: Ruleset, state: State, act: Act) -> None:
        self._rules, self._state, self._act = rules, state, act
        self._known = 1
        """Runs that the exact tree takes at least, by the branches found so far."""

    def _run(self, inputs: Mapping[Key, Input], source: Callable[[Ask], Input | None]) -> Outcome:
        return run(self._rules, self._state, self._act, inputs=inputs, source=source, accepted=True)

    def least_leaves(self) -> int:
        """About how many leaves there are, looked at along the ways where every die falls lowest, and highest.

        Raises `_TooLarge` for a roll with too many faces to go through.
        """
        return max(self._leaves_along(0), self._leaves_along(-1))

    def _leaves_along(self, place: int) -> int:
        inputs: dict[Key, Input] = {}
        leaves = 1
        while leaves <= MOST_RUNS:
            outcome = self._run(inputs, _chosen)
            roll = _first_roll(outcome)
            if roll is None:
                break
            classes = _classes(roll, outcome.sees.get(roll.key))
            leaves *= len(classes)
            inputs = {**outcome.inputs, roll.key: Faces(classes[place][1])}
        return leaves

    def exact(self) -> list[Leaf]:
        """All leaves, weights scaled to one whole. Raises `_TooLarge`."""
        found: list[tuple[int, int, Outcome]] = []
        self._branch({}, 1, 1, found)
        return [(MILLION * MILLION * weight // whole, outcome) for weight, whole, outcome in found]

    def _branch(self, inputs: dict[Key, Input], weight: int, whole: int, found: list[tuple[int, int, Outcome]]) -> None:
        outcome = self._run(inputs, _chosen)
        roll = _first_roll(outcome)
        if roll is None:
            found.append((weight, whole, outcome))
            return
        every = roll.sides**roll.count
        classes = _classes(roll, outcome.sees.get(roll.key))
        self._known += len(classes)
        if self._known > MOST_RUNS:
            raise _TooLarge
        for share, faces in classes:
            self._branch({**outcome.inputs, roll.key: Faces(faces)}, weight * share, whole * every, found)

    def sample(self, place: int) -> Outcome:
        """One way it can go, of those that lie evenly."""
        fallen = 0

        def draw(ask: Ask) -> Input | None:
            nonlocal fallen
            if not isinstance(ask, Roll):
                return _chosen(ask)
            faces = tuple(_face(place, fallen + die, ask.sides) for die in range(ask.count))
            fallen += ask.count
            return Faces(faces)

        return self._run({}, draw)


def _first_roll(outcome: Outcome) -> Roll | None:
    return next((ask for ask in outcome.open if isinstance(ask, Roll)), None)


def _face(place: int, die: int, sides: int) -> int:
    """The face of a sample's die: its place with the digits turned round behind the point, in the die's own base."""
    round_, which = divmod(die, len(BASES))
    base = BASES[which]
    number, part, whole = place + round_ * SAMPLES, 0, 1
    while number:
        number, digit = divmod(number, base)
        part, whole = part * base + digit, whole * base
    return part * sides // whole + 1


def _chosen(ask: Ask) -> Input | None:
    """Questions are answered as the best policy would; dice are left open."""
    if isinstance(ask, Question):
        return Answer(ask.best or ask.default, by="policy")
    return None


def _classes(roll: Roll, sees: Callable[[tuple[int, ...]], Hashable] | None) -> list[tuple[int, tuple[int, ...]]]:
    """Faces that the rule tells apart: how many ways each class can fall, and one of them.

    Raises `_TooLarge` for more faces than are gone through.
    """
    if roll.sides**roll.count > MOST_FACES:
        raise _TooLarge
    counts: dict[Hashable, tuple[int, tuple[int, ...]]] = {}
    for faces in product(range(1, roll.sides + 1), repeat=roll.count):
        name = faces if sees is None else sees(faces)
        held = counts.get(name)
        counts[name] = (1, faces) if held is None else (held[0] + 1, held[1])
    return list(counts.values())


def _checks(rules: Ruleset, sub: Submission, outcome: Outcome) -> Iterator[CheckOdds]:
    seen: set[tuple[str, str]] = set()
    rolled = _rolled(outcome)
    for event in rolled:
        if (event.combatant, event.purpose) not in seen:
            seen.add((event.combatant, event.purpose))
            chance = rules.chance(event, rolled)
            yield CheckOdds(event.combatant, event.check, event.purpose, event.target, event.terms, chance)


def _rolled(outcome: Outcome) -> tuple[CheckRolled, ...]:
    return tuple(emitted.event for emitted in outcome.events if isinstance(emitted.event, CheckRolled))


def _defences(rules: Ruleset, leaves: list[Leaf]) -> Iterator[DefenceOdds]:
    seen: set[CombatantId] = set()
    for _, outcome in leaves:
        chances: dict[CombatantId, int] = {}
        rolled = _rolled(outcome)
        for emitted in outcome.events:
            event = emitted.event
            if isinstance(event, CheckRolled):
                chances[event.combatant] = rules.chance(event, rolled)
            if isinstance(event, DefenceResolved) and event.combatant not in seen:
                seen.add(event.combatant)
                yield DefenceOdds(event.combatant, event.option, chances.get(event.combatant))


def _odds(sub: Submission, leaves: list[Leaf], method: Literal["exact", "sampled"]) -> Odds:
    whole = sum(weight for weight, _ in leaves)
    hits: dict[int, int] = {}
    through: dict[int, int] = {}
    drops = 0
    for weight, outcome in leaves:
        stood, damage, dropped = _result(sub, outcome)
        hits[stood] = hits.get(stood, 0) + weight
        through[damage] = through.get(damage, 0) + weight
        drops += weight if dropped else 0
    highest = max(through)
    at_least = {points: sum(w for d, w in through.items() if d >= points) for points in range(1, highest + 1)}
    error = 0 if method == "exact" else _widest_error(len(leaves))
    return Odds(
        hits={stood: MILLION * weight // whole for stood, weight in sorted(hits.items())},
        damage_mean=sum(1000 * damage * weight for damage, weight in through.items()) // whole,
        damage_at_least={points: MILLION * weight // whole for points, weight in at_least.items()},
        drops=MILLION * drops // whole,
        method=method,
        runs=len(leaves),
        error=error,
    )


def _result(sub: Submission, outcome: Outcome) -> tuple[int, int, bool]:
    """Hits that stood, points that got through, and whether somebody else went down."""
    scored = negated = damage = 0
    dropped = False
    for emitted in outcome.events:
        event = emitted.event
        if isinstance(event, HitsScored) and event.combatant == sub.actor:
            scored += len(event.hits)
        elif isinstance(event, DefenceResolved) and event.against == sub.actor:
            negated += len(event.negated)
        elif isinstance(event, DamageDealt) and event.combatant == sub.actor:
            damage += event.through
        elif isinstance(event, StatusChanged) and event.combatant != sub.actor and event.status != "up":
            dropped = True
    return scored - negated, damage, dropped


def _widest_error(runs: int) -> int:
    """Standard error of a chance of one half on so many runs, in millionths."""
    root = 1
    while (root + 1) ** 2 <= 4 * runs:
        root += 1
    return MILLION // root
