"""May I, and what would happen? The rule itself is run, on every way the dice can fall or on samples; nothing is
kept. How they are chosen stands in `app.engine.branching`. The seed of the encounter is never touched.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from math import isqrt, lcm
from typing import Generic, Literal, TypeVar

import msgspec

from app.engine.actions import why_not
from app.engine.branching import Leaf, leaves_of, result_of
from app.engine.commands import Act, Submission
from app.engine.events import (
    AttackMade,
    CheckRolled,
    DefenceResolved,
    HitsScored,
    Term,
)
from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Ruleset
from app.engine.run import Outcome
from app.engine.state import State
from app.engine.table import table_for
from app.engine.visibility import people_of

T = TypeVar("T")
MILLION = 1_000_000


class CheckOdds(msgspec.Struct, frozen=True):
    """A test that would be rolled, the sum behind it, its chance in millionths. `target` and `chance` are None
    where they are not told.
    """

    combatant: CombatantId
    check: str
    purpose: str
    target: int | None
    terms: tuple[Term, ...]
    chance: int | None
    over: CombatantId | None = None
    """Whose dice its chance may be over besides, whether or not he rolls any this time."""
    held_in: CombatantId | None = None
    """Whose figures the sum may hold, whether or not it does this time."""


class DefenceOdds(msgspec.Struct, frozen=True):
    """How a target would react, and the chance of that test in millionths."""

    combatant: CombatantId
    option: str
    chance: int | None


class Odds(msgspec.Struct, frozen=True):
    """What would come of it. Chances in millionths, means in thousandths.

    `hits` by how many stand after the defence, `damage_at_least` by points through on anybody, `drops` the chance
    that somebody goes down. A sampled one says on how many runs it stands and its widest standard error, in
    millionths; `hits_error` is that of the hits, 0 where every test before them was gone through.
    """

    hits: dict[int, int]
    damage_mean: int
    damage_at_least: dict[int, int]
    drops: int
    method: Literal["exact", "sampled"]
    runs: int
    error: int = 0
    hits_error: int = 0


class Preview(msgspec.Struct, frozen=True):
    """Whether it would be accepted, every reason if not, the tests it leads to and what would come of it."""

    legal: bool
    reasons: tuple[Reason, ...] = ()
    checks: tuple[CheckOdds, ...] = ()
    defence: tuple[DefenceOdds, ...] = ()
    odds: Odds | None = None
    people: frozenset[str] = frozenset()
    """Everybody who has a part in it, however it goes."""


def preview(rules: Ruleset, state: State, sub: Submission) -> Preview:
    """The odds of a submission now. Draws no die of the encounter and changes nothing."""
    reasons = why_not(table_for(rules, state, sub), sub)
    if reasons:
        return Preview(False, reasons)
    act = Act(msgspec.structs.replace(sub, rolls={}))
    leaves = _in_whole(leaves_of(rules, state, act))
    if not any(isinstance(one.event, CheckRolled | AttackMade) for leaf in leaves for one in leaf.outcome.events):
        return Preview(True)
    return Preview(
        True,
        checks=tuple(_checks(rules, leaves)),
        defence=tuple(_defences(rules, leaves)),
        odds=_odds(sub, leaves),
        people=frozenset().union(*(people_of(one.event) for leaf in leaves for one in leaf.outcome.events)),
    )


class _Leaf(msgspec.Struct, frozen=True):
    """One way it can go, its share of all in whole parts, and its tests. Of all of them the parts are as large."""

    weight: int
    outcome: Outcome
    drawn_from: int
    known: int
    tests: tuple[CheckRolled, ...]


def _in_whole(leaves: list[Leaf]) -> list[_Leaf]:
    parts = lcm(*(leaf.weight.denominator for leaf in leaves))
    return [
        _Leaf(
            leaf.weight.numerator * (parts // leaf.weight.denominator),
            leaf.outcome,
            leaf.drawn_from,
            leaf.known,
            tuple(one.event for one in leaf.outcome.events if isinstance(one.event, CheckRolled)),
        )
        for leaf in leaves
    ]


_Nth = tuple[CombatantId, str, str, int]
"""A test by who takes it, what for and with what, and how many of the kind he has taken before."""


def _checks(rules: Ruleset, leaves: list[_Leaf]) -> Iterator[CheckOdds]:
    """The tests of the longest way, each with the sum that it most likely has, whatever a rare blow before it adds.
    Each once: by another sum (a second blow, with the off hand) it is another test.
    """
    likely: dict[_Nth, _Likely[tuple[CheckRolled, tuple[CheckRolled, ...]]]] = {}
    for leaf in leaves:
        for nth, event in _numbered(leaf.tests):
            likely.setdefault(nth, _Likely()).add((event.target, event.terms), leaf.weight, (event, leaf.tests))
    longest = max(leaves, key=lambda leaf: len(leaf.outcome.events))
    seen: set[tuple[str, str, str, tuple[Term, ...]]] = set()
    for nth, _ in _numbered(longest.tests):
        event, among = likely[nth].found
        key = (event.combatant, event.purpose, event.check, event.terms)
        if key not in seen:
            seen.add(key)
            chance = rules.chance(event, among)
            yield CheckOdds(
                event.combatant,
                event.check,
                event.purpose,
                event.target,
                event.terms,
                chance,
                over=event.against if rules.compares_dice else None,
                held_in=event.against if rules.sums_hold_others else None,
            )


def _numbered(tests: Iterable[CheckRolled]) -> Iterator[tuple[_Nth, CheckRolled]]:
    before: Counter[tuple[CombatantId, str, str]] = Counter()
    for event in tests:
        kind = (event.combatant, event.purpose, event.check)
        yield (*kind, before[kind]), event
        before[kind] += 1


def _defences(rules: Ruleset, leaves: list[_Leaf]) -> Iterator[DefenceOdds]:
    """How each target would most likely react to the first blow that he can answer."""
    likely: dict[CombatantId, _Likely[DefenceOdds]] = {}
    for leaf in leaves:
        chances: dict[CombatantId, int] = {}
        answered: set[CombatantId] = set()
        for emitted in leaf.outcome.events:
            event = emitted.event
            if isinstance(event, CheckRolled):
                chances[event.combatant] = rules.chance(event, leaf.tests)
            if isinstance(event, DefenceResolved) and event.combatant not in answered:
                answered.add(event.combatant)
                found = DefenceOdds(event.combatant, event.option, chances.get(event.combatant))
                likely.setdefault(event.combatant, _Likely()).add(found, leaf.weight, found)
    for one in likely.values():
        yield one.found


class _Likely(Generic[T]):
    """Of several that may be, the one of the kind that has the most weight; of equals the first."""

    def __init__(self) -> None:
        self._weights: dict[Hashable, int] = {}
        self._found: dict[Hashable, T] = {}

    def add(self, kind: Hashable, weight: int, found: T) -> None:
        """One more way in which it is so."""
        self._weights[kind] = self._weights.get(kind, 0) + weight
        self._found.setdefault(kind, found)

    @property
    def found(self) -> T:
        """The likeliest."""
        return self._found[max(self._weights, key=self._weights.__getitem__)]


def _odds(sub: Submission, leaves: list[_Leaf]) -> Odds:
    hits: dict[int, int] = {}
    through: dict[int, int] = {}
    drops = 0
    for leaf in leaves:
        stood, damage, dropped = result_of(sub, leaf.outcome)
        hits[stood] = hits.get(stood, 0) + leaf.weight
        through[damage] = through.get(damage, 0) + leaf.weight
        drops += leaf.weight if dropped else 0
    every = sum(leaf.weight for leaf in leaves)
    highest = max(through)
    at_least = {points: sum(w for d, w in through.items() if d >= points) for points in range(1, highest + 1)}
    error = _widest_error(leaves, every)
    return Odds(
        hits={stood: MILLION * weight // every for stood, weight in sorted(hits.items())},
        damage_mean=sum(1000 * damage * weight for damage, weight in through.items()) // every,
        damage_at_least={points: MILLION * weight // every for points, weight in at_least.items()},
        drops=MILLION * drops // every,
        method="sampled" if any(leaf.drawn_from for leaf in leaves) else "exact",
        runs=len(leaves),
        error=error,
        hits_error=error if any(_hits_were_drawn(sub, leaf) for leaf in leaves) else 0,
    )


def _hits_were_drawn(sub: Submission, leaf: _Leaf) -> bool:
    """Whether an attack of his, or a defence against it, came after a roll that was sampled."""
    for emitted in leaf.outcome.events[leaf.known :] if leaf.drawn_from else ():
        event = emitted.event
        if isinstance(event, AttackMade | HitsScored) and event.combatant == sub.actor:
            return True
        if isinstance(event, DefenceResolved) and event.against == sub.actor:
            return True
    return False


def _widest_error(leaves: list[_Leaf], every: int) -> int:
    """Standard error of a chance of one half by these samples, in millionths: 0 where nothing was drawn.

    Each way through the tests adds the variance of its own samples; those of one way share its weight.
    """
    squares = sum(leaf.weight * leaf.weight for leaf in leaves if leaf.drawn_from)
    return isqrt(squares * MILLION * MILLION // (4 * every * every))
