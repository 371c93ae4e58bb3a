"""May I, and what would happen? The rule itself is run, on every way the dice can fall or on samples; nothing is
kept.

An exact preview branches over classes of faces that a rule tells apart (`sees`), one run a leaf. Of a tree that looks
large only the tests are gone through, up to the first roll that is none (damage, a table), and what comes after is
sampled, with its error: so the chances of hits stay exact. Where even the tests are too many all of it is sampled.
Samples are spread evenly over the dice (a Halton sequence, one base a roll) instead of drawn, so that few of them lie
near the truth. A pool of which only the hits are counted has few classes however many dice it has (`Tally`), and ways
that come to a roll with the same state, result and figures go on as one (`alike`): so a pool against a pool, and what
is soaked of it, is gone through to its end. Reactions are answered as the best policy would. The seed of the encounter
is never touched.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Literal

import msgspec
from msgspec.structs import replace

from app.engine.actions import why_not
from app.engine.asks import Answer, Ask, Faces, Input, Key, Question, Roll
from app.engine.commands import Act, Submission
from app.engine.events import (
    AttackMade,
    CheckRolled,
    DamageDealt,
    DefenceResolved,
    HitsScored,
    StatusChanged,
    Term,
)
from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Ruleset
from app.engine.run import Outcome, run
from app.engine.state import State
from app.engine.table import table_for
from app.engine.tally import Class, Tally
from app.engine.visibility import people_of

MILLION = 1_000_000
MOST_RUNS = 60
MOST_POOLED = 250
"""So many where pools of dice are counted: a sampled one takes a sixth of it, but tells less."""
MOST_FACES = 216
MOST_WAYS = 40
"""So many ways through the tests are looked at singly before the rest of each is sampled."""
SAMPLES = 40
BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)
"""One a die, in the order in which they fall; those after the last share the bases again, shifted."""


_ENCODER = msgspec.json.Encoder(order="deterministic")


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


class _TooLarge(Exception):
    """The tree has more leaves than it is worth."""


def preview(rules: Ruleset, state: State, sub: Submission) -> Preview:
    """The odds of a submission now. Draws no die of the encounter and changes nothing."""
    reasons = why_not(table_for(rules, state, sub), sub)
    if reasons:
        return Preview(False, reasons)
    act = Act(msgspec.structs.replace(sub, rolls={}))
    leaves = _leaves(rules, state, act)
    first = max(leaves, key=lambda leaf: len(leaf.outcome.events)).outcome
    if not any(isinstance(emitted.event, CheckRolled) for leaf in leaves for emitted in leaf.outcome.events):
        return Preview(True)
    return Preview(
        True,
        checks=tuple(_checks(rules, sub, first)),
        defence=tuple(_defences(rules, leaves)),
        odds=_odds(sub, leaves),
        people=frozenset().union(*(people_of(one.event) for leaf in leaves for one in leaf.outcome.events)),
    )


class _Leaf(msgspec.Struct, frozen=True):
    """One way it can go and its share of all. `drawn_from` is how many samples stand for the same way through the
    tests, 0 for a way that was gone to its end, and `known` how many of its events all of those have in common.
    """

    weight: Fraction
    outcome: Outcome
    drawn_from: int = 0
    known: int = 0


def _leaves(rules: Ruleset, state: State, act: Act) -> list[_Leaf]:
    """Every way it can go, or what can be gone through of it with samples of the rest."""
    tree = _Tree(rules, state, act)
    try:
        if tree.least_leaves() <= MOST_RUNS or tree.pooled:
            return tree.exact()
    except _TooLarge:
        pass
    try:
        if tree.tests_seen <= tree.most_ways:
            return tree.sampled_after_the_tests()
    except _TooLarge:
        pass
    return tree.sampled()


class _Tree:
    def __init__(self, rules: Ruleset, state: State, act: Act) -> None:
        self._rules, self._state, self._act = rules, state, act
        self._known = 1
        """Runs that the exact tree takes at least, by the branches found so far."""
        self.tests_seen = 1
        """Ways through the tests that come before any other roll, as far as has been looked."""
        self.pooled = False
        """Whether there are pools in it of which only hits are counted."""

    @property
    def most_ways(self) -> int:
        """So many ways through the tests are looked at singly."""
        return MOST_RUNS if self.pooled else MOST_WAYS

    def _run(self, inputs: Mapping[Key, Input], source: Callable[[Ask], Input | None]) -> Outcome:
        return run(self._rules, self._state, self._act, inputs=inputs, source=source, accepted=True)

    def least_leaves(self) -> int:
        """About how many leaves there are, looked at along the ways where every die falls lowest, and highest.

        Raises `_TooLarge` for a roll with too many faces to go through.
        """
        return max(self._leaves_along(0), self._leaves_along(-1))

    def _leaves_along(self, place: int) -> int:
        inputs: dict[Key, Input] = {}
        leaves, only_tests = 1, True
        while leaves <= MOST_RUNS:
            outcome = self._run(inputs, _chosen)
            roll = _first_roll(outcome)
            if roll is None:
                break
            only_tests = only_tests and _is_test(roll, outcome)
            self.pooled = self.pooled or isinstance(outcome.sees.get(roll.key), Tally)
            classes = _classes(roll, outcome.sees.get(roll.key))
            leaves *= len(classes)
            if only_tests:
                self.tests_seen = max(self.tests_seen, leaves)
            inputs = {**outcome.inputs, roll.key: Faces(classes[place][1])}
        return leaves

    def exact(self) -> list[_Leaf]:
        """All leaves. Raises `_TooLarge`."""
        ways = self._spread(MOST_POOLED if self.pooled else MOST_RUNS, lambda roll, outcome: True)
        return [_Leaf(way.weight, way.outcome) for way in ways if way.outcome is not None]

    def sampled_after_the_tests(self) -> list[_Leaf]:
        """Every way through the tests up to the first roll that is none, and samples of what follows on each.

        A likely way gets more of them. Raises `_TooLarge`.
        """
        ways = self._spread(MOST_POOLED if self.pooled else MOST_WAYS, _is_test)
        open_ = sum(way.weight for way in ways if way.is_open)
        leaves: list[_Leaf] = []
        place = 0
        for way in ways:
            assert way.outcome is not None
            if not way.is_open:
                leaves.append(_Leaf(way.weight, way.outcome))
                continue
            count = max(1, round(SAMPLES * way.weight / open_))
            for _ in range(count):
                place += 1
                outcome = self.sample(place, way.outcome.inputs)
                leaves.append(_Leaf(way.weight / count, outcome, count, len(way.outcome.events)))
        return leaves

    def sampled(self) -> list[_Leaf]:
        """Samples of all of it."""
        return [_Leaf(Fraction(1, SAMPLES), self.sample(place, {}), SAMPLES) for place in range(1, SAMPLES + 1)]

    def _spread(self, most: int, goes_on: Callable[[Roll, Outcome], bool]) -> list["_Way"]:
        """Every way from the start, as long as the rolls are such; such as go on alike are one. Raises `_TooLarge`."""
        self._known = 1
        found: list[_Way] = []
        ended: dict[Hashable, int] = {}
        waiting: dict[Hashable, _Way] = {}
        ahead = [_Way(Fraction(1), {})]
        while ahead or waiting:
            if not ahead:
                if self._known + sum(len(_classes_of(way)) for way in waiting.values()) > most:
                    raise _TooLarge
                ahead = self._parted(waiting.pop(next(iter(waiting))), most)
            way = ahead.pop()
            outcome = self._run(way.inputs, _chosen)
            way = replace(way, outcome=outcome)
            roll = _first_roll(outcome)
            name = None if roll is None else self._name(roll, outcome)
            if roll is None or not goes_on(roll, outcome):
                if name is not None and name in ended:
                    found[ended[name]] = _joined(found[ended[name]], way)
                    continue
                if name is not None:
                    ended[name] = len(found)
                found.append(way)
            elif name is not None:
                waiting[name] = _joined(waiting[name], way) if name in waiting else way
            else:
                ahead += self._parted(way, most)
        return found

    def _parted(self, way: "_Way", most: int) -> list["_Way"]:
        """The ways in which its open roll can fall, the first one last."""
        assert way.outcome is not None
        roll = _first_roll(way.outcome)
        assert roll is not None
        every, classes = roll.sides**roll.count, _classes_of(way)
        self._known += len(classes)
        if self._known > most:
            raise _TooLarge
        parts = [
            _Way(way.weight * Fraction(share, every), {**way.outcome.inputs, roll.key: Faces(faces)})
            for share, faces in classes
        ]
        return parts[::-1]

    def _name(self, roll: Roll, outcome: Outcome) -> Hashable:
        """What two ways must have in common to go on alike; None where the resolver does not say."""
        alike = outcome.alike.get(roll.key)
        if alike is None:
            return None
        return roll.key, roll.count, alike, _result(self._act.submission, outcome), _ENCODER.encode(outcome.state)

    def sample(self, place: int, inputs: Mapping[Key, Input]) -> Outcome:
        """One way it can go from there, of those that lie evenly."""
        fallen = 0

        def draw(ask: Ask) -> Input | None:
            nonlocal fallen
            if not isinstance(ask, Roll):
                return _chosen(ask)
            faces = tuple(_face(place, fallen + die, ask.sides) for die in range(ask.count))
            fallen += ask.count
            return Faces(faces)

        return self._run(inputs, draw)


class _Way(msgspec.Struct, frozen=True):
    """A way as far as it is settled, and its share of all; `outcome` is what came of it when it was run."""

    weight: Fraction
    inputs: Mapping[Key, Input]
    outcome: Outcome | None = None

    @property
    def is_open(self) -> bool:
        """Whether there are rolls on it that are not settled."""
        return self.outcome is not None and _first_roll(self.outcome) is not None


def _joined(one: _Way, other: _Way) -> _Way:
    """Two ways that go on alike, as the first of them."""
    return replace(one, weight=one.weight + other.weight)


def _is_test(roll: Roll, outcome: Outcome) -> bool:
    """Whether it is rolled against a number or, as a pool, against hits; not what comes of them."""
    pooled = isinstance(outcome.sees.get(roll.key), Tally) and roll.key not in outcome.alike
    return roll.target is not None or pooled


def _classes_of(way: _Way) -> list[Class]:
    """In how many ways its open roll can fall, and one of each."""
    assert way.outcome is not None
    roll = _first_roll(way.outcome)
    assert roll is not None
    return _classes(roll, way.outcome.sees.get(roll.key))


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


def _classes(roll: Roll, sees: Callable[[tuple[int, ...]], Hashable] | None) -> list[Class]:
    """Faces that the rule tells apart: how many ways each class can fall, and one of them.

    Raises `_TooLarge` for more faces than are gone through.
    """
    if isinstance(sees, Tally):
        tallied = sees.classes(roll.count, roll.sides)
        if tallied is None:
            raise _TooLarge
        return tallied
    if roll.sides**roll.count > MOST_FACES:
        raise _TooLarge
    counts: dict[Hashable, tuple[int, tuple[int, ...]]] = {}
    for faces in product(range(1, roll.sides + 1), repeat=roll.count):
        name = faces if sees is None else sees(faces)
        held = counts.get(name)
        counts[name] = (1, faces) if held is None else (held[0] + 1, held[1])
    return list(counts.values())


def _checks(rules: Ruleset, sub: Submission, outcome: Outcome) -> Iterator[CheckOdds]:
    """Each test once: by another sum (a second blow, with the off hand) it is another test."""
    seen: set[tuple[str, str, str, tuple[Term, ...]]] = set()
    rolled = _rolled(outcome)
    for event in rolled:
        key = (event.combatant, event.purpose, event.check, event.terms)
        if key not in seen:
            seen.add(key)
            chance = rules.chance(event, rolled)
            yield CheckOdds(event.combatant, event.check, event.purpose, event.target, event.terms, chance)


def _rolled(outcome: Outcome) -> tuple[CheckRolled, ...]:
    return tuple(emitted.event for emitted in outcome.events if isinstance(emitted.event, CheckRolled))


def _defences(rules: Ruleset, leaves: list[_Leaf]) -> Iterator[DefenceOdds]:
    seen: set[CombatantId] = set()
    for leaf in leaves:
        chances: dict[CombatantId, int] = {}
        rolled = _rolled(leaf.outcome)
        for emitted in leaf.outcome.events:
            event = emitted.event
            if isinstance(event, CheckRolled):
                chances[event.combatant] = rules.chance(event, rolled)
            if isinstance(event, DefenceResolved) and event.combatant not in seen:
                seen.add(event.combatant)
                yield DefenceOdds(event.combatant, event.option, chances.get(event.combatant))


def _odds(sub: Submission, leaves: list[_Leaf]) -> Odds:
    hits: dict[int, Fraction] = {}
    through: dict[int, Fraction] = {}
    drops = Fraction(0)
    for leaf in leaves:
        stood, damage, dropped = _result(sub, leaf.outcome)
        hits[stood] = hits.get(stood, Fraction(0)) + leaf.weight
        through[damage] = through.get(damage, Fraction(0)) + leaf.weight
        drops += leaf.weight if dropped else 0
    highest = max(through)
    at_least = {points: sum(w for d, w in through.items() if d >= points) for points in range(1, highest + 1)}
    error = _widest_error(leaves)
    return Odds(
        hits={stood: _floor(weight) for stood, weight in sorted(hits.items())},
        damage_mean=int(sum(1000 * damage * weight for damage, weight in through.items())),
        damage_at_least={points: _floor(Fraction(weight)) for points, weight in at_least.items()},
        drops=_floor(drops),
        method="sampled" if any(leaf.drawn_from for leaf in leaves) else "exact",
        runs=len(leaves),
        error=error,
        hits_error=error if any(_hits_were_drawn(sub, leaf) for leaf in leaves) else 0,
    )


def _floor(weight: Fraction) -> int:
    """A share of all in millionths."""
    return int(MILLION * weight)


def _hits_were_drawn(sub: Submission, leaf: _Leaf) -> bool:
    """Whether an attack of his, or a defence against it, came after a roll that was sampled."""
    for emitted in leaf.outcome.events[leaf.known :] if leaf.drawn_from else ():
        event = emitted.event
        if isinstance(event, AttackMade | HitsScored) and event.combatant == sub.actor:
            return True
        if isinstance(event, DefenceResolved) and event.against == sub.actor:
            return True
    return False


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


def _widest_error(leaves: list[_Leaf]) -> int:
    """Standard error of a chance of one half by these samples, in millionths: 0 where nothing was drawn.

    Each way through the tests adds the variance of its own samples; those of one way share its weight.
    """
    variance = sum(leaf.weight * leaf.weight for leaf in leaves if leaf.drawn_from) / 4
    return isqrt(int(variance * MILLION * MILLION))
