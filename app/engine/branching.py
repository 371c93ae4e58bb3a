"""The ways a submission can go: all of them, or what can be gone through with samples of the rest.

An exact preview branches over classes of faces that a rule tells apart (`sees`), one run a leaf. Of a tree that looks
large only the tests are gone through, up to the first roll that is none (damage, a table), by what of them decides how
it goes on (`Seen`); what comes after is sampled, with its error, and with it whatever else of those tests counts then:
so the chances of hits stay exact. Where even the tests are too many all of it is sampled.
Samples are spread evenly over the dice (a Halton sequence, one base a roll) instead of drawn, so that few of them lie
near the truth. A pool of which only the hits are counted has few classes however many dice it has (`Tally`), and ways
that come to a roll with the same state, result and figures go on as one (`alike`): so a pool against a pool, and what
is soaked of it, is gone through to its end. Reactions are answered as the best policy would.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import msgspec
from msgspec.structs import replace

from app.engine.asks import Answer, Ask, Faces, Input, Key, Question, Roll
from app.engine.commands import Act, Submission
from app.engine.events import (
    DamageDealt,
    DefenceResolved,
    HitsScored,
    StatusChanged,
)
from app.engine.rules import Ruleset
from app.engine.run import Outcome, run
from app.engine.state import State
from app.engine.tally import Seen, Tally

MOST_RUNS = 60
MOST_POOLED = 250
"""So many where pools of dice are counted: a sampled one takes a sixth of it, but tells less."""
MOST_FACES = 216
MOST_WAYS = 40
"""So many ways through the tests are looked at singly before the rest of each is sampled."""
SAMPLES = 40
LEAST_SAMPLES = 10
"""At least so many where the tests before them were gone through; as a rule as many as the ways that go on have of all,
which is nearer to the truth with fewer runs.
"""
BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)
"""One a die, in the order in which they fall; those after the last share the bases again, shifted."""


_ENCODER = msgspec.json.Encoder(order="deterministic")
Fell = tuple[int, ...]
"""The faces of one roll."""
_NONE: Mapping[Key, Sequence[Fell]] = {}


class _TooLarge(Exception):
    """The tree has more leaves than it is worth."""


class Leaf(msgspec.Struct, frozen=True):
    """One way it can go and its share of all. `drawn_from` is how many samples stand for the same way through the
    tests, 0 for a way that was gone to its end, and `known` how many of its events all of those have in common.
    """

    weight: Fraction
    outcome: Outcome
    drawn_from: int = 0
    known: int = 0


def leaves_of(rules: Ruleset, state: State, act: Act) -> list[Leaf]:
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
        self._ran: dict[Hashable, Outcome] = {}
        self._fell: dict[int, Sequence[tuple[Fell, Hashable]]] = {}

    @property
    def most_ways(self) -> int:
        """So many ways through the tests are looked at singly."""
        return MOST_RUNS if self.pooled else MOST_WAYS

    def _run(self, inputs: Mapping[Key, Input], source: Callable[[Ask], Input | None]) -> Outcome:
        return run(self._rules, self._state, self._act, inputs=inputs, source=source, accepted=True)

    def _go(self, inputs: Mapping[Key, Input]) -> Outcome:
        """How it goes with these faces up to the next roll; run once, however often it is looked at."""
        faces = tuple((key, found.faces) for key, found in inputs.items() if isinstance(found, Faces))
        outcome = self._ran.get(faces)
        if outcome is None:
            outcome = self._ran[faces] = self._run(inputs, _chosen)
        return outcome

    def least_leaves(self) -> int:
        """About how many leaves there are, looked at along the ways where every die falls lowest, and highest.

        Raises `_TooLarge` for a roll with too many faces to go through.
        """
        return max(self._leaves_along(0), self._leaves_along(-1))

    def _named(self, outcome: Outcome) -> Sequence[tuple[Fell, Hashable]]:
        """Every way in which its open roll can fall, with what the rule sees of it.

        Raises `_TooLarge` for more faces than are gone through.
        """
        found = self._fell.get(id(outcome))
        if found is None:
            roll = _first_roll(outcome)
            assert roll is not None
            if roll.sides**roll.count > MOST_FACES:
                raise _TooLarge
            sees = outcome.sees.get(roll.key)
            every = product(range(1, roll.sides + 1), repeat=roll.count)
            found = self._fell[id(outcome)] = [(faces, faces if sees is None else sees(faces)) for faces in every]
        return found

    def _classes(self, outcome: Outcome) -> "list[_Kind]":
        """Ways to fall that the rule tells apart. Raises `_TooLarge`."""
        tallied = _tallied(outcome)
        if tallied is not None:
            return tallied
        found: dict[Hashable, list[Fell]] = {}
        for faces, name in self._named(outcome):
            found.setdefault(name, []).append(faces)
        return [_Kind(len(fell), fell[0]) for fell in found.values()]

    def _sorts(self, outcome: Outcome) -> "list[_Kind]":
        """The same by nothing but what decides how it goes on up to the end of the tests. Raises `_TooLarge`."""
        tallied = _tallied(outcome)
        if tallied is not None:
            return tallied
        found: dict[Hashable, list[Fell]] = {}
        later: dict[Hashable, set[Hashable]] = {}
        for faces, name in self._named(outcome):
            first, then = (name.first, name.then) if isinstance(name, Seen) else (name, None)
            found.setdefault(first, []).append(faces)
            later.setdefault(first, set()).add(then)
        return [
            _Kind(len(fell), fell[0], tuple(fell) if len(later[first]) > 1 else ()) for first, fell in found.items()
        ]

    def _leaves_along(self, place: int) -> int:
        inputs: dict[Key, Input] = {}
        leaves, tests, only_tests = 1, 1, True
        while leaves <= MOST_RUNS or only_tests:
            outcome = self._go(inputs)
            roll = _first_roll(outcome)
            if roll is None:
                break
            only_tests = only_tests and _is_test(roll, outcome)
            self.pooled = self.pooled or isinstance(outcome.sees.get(roll.key), Tally)
            classes = self._classes(outcome)
            leaves *= len(classes)
            if only_tests:
                tests *= len(self._sorts(outcome))
                self.tests_seen = max(self.tests_seen, tests)
                if tests > self.most_ways:
                    return MOST_RUNS + 1
            inputs = {**outcome.inputs, roll.key: Faces(classes[place].faces)}
        return leaves

    def exact(self) -> list[Leaf]:
        """All leaves. Raises `_TooLarge`."""
        most = MOST_POOLED if self.pooled else MOST_RUNS
        ways = self._spread(most, lambda roll, outcome: True, self._classes)
        return [Leaf(way.weight, way.outcome) for way in ways if way.outcome is not None]

    def sampled_after_the_tests(self) -> list[Leaf]:
        """Every way through the tests up to the first roll that is none, and samples of what follows on each.

        A likely way gets more of them. Raises `_TooLarge`.
        """
        ways = self._spread(MOST_POOLED if self.pooled else MOST_WAYS, _is_test, self._sorts)
        open_ = sum(way.weight for way in ways if way.is_open)
        leaves: list[Leaf] = []
        place = 0
        for way in ways:
            assert way.outcome is not None
            if not way.is_open:
                leaves.append(Leaf(way.weight, way.outcome))
                continue
            count = max(1, round(max(SAMPLES, LEAST_SAMPLES / open_) * way.weight))
            for _ in range(count):
                place += 1
                outcome = self.sample(place, way.outcome.inputs, way.alike)
                leaves.append(Leaf(way.weight / count, outcome, count, len(way.outcome.events)))
        return leaves

    def sampled(self) -> list[Leaf]:
        """Samples of all of it."""
        return [Leaf(Fraction(1, SAMPLES), self.sample(place, {}), SAMPLES) for place in range(1, SAMPLES + 1)]

    def _spread(
        self, most: int, goes_on: Callable[[Roll, Outcome], bool], sort: "Callable[[Outcome], list[_Kind]]"
    ) -> list["_Way"]:
        """Every way from the start, as long as the rolls are such; such as go on alike are one. Raises `_TooLarge`."""
        self._known = 1
        found: list[_Way] = []
        ended: dict[Hashable, int] = {}
        waiting: dict[Hashable, _Way] = {}
        ahead = [_Way(Fraction(1), {})]
        while ahead or waiting:
            if not ahead:
                if self._known + sum(len(_kinds_of(way, sort)) for way in waiting.values()) > most:
                    raise _TooLarge
                ahead = self._parted(waiting.pop(next(iter(waiting))), most, sort)
            way = ahead.pop()
            outcome = self._go(way.inputs)
            way = replace(way, outcome=outcome)
            roll = _first_roll(outcome)
            name = None if roll is None or way.alike else self._name(roll, outcome)
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
                ahead += self._parted(way, most, sort)
        return found

    def _parted(self, way: "_Way", most: int, sort: "Callable[[Outcome], list[_Kind]]") -> list["_Way"]:
        """The ways in which its open roll can fall, the first one last."""
        assert way.outcome is not None
        roll = _first_roll(way.outcome)
        assert roll is not None
        every, kinds = roll.sides**roll.count, _kinds_of(way, sort)
        self._known += len(kinds)
        if self._known > most:
            raise _TooLarge
        parts = [
            _Way(
                way.weight * Fraction(kind.ways, every),
                {**way.outcome.inputs, roll.key: Faces(kind.faces)},
                {**way.alike, roll.key: kind.alike} if kind.alike else way.alike,
            )
            for kind in kinds
        ]
        return parts[::-1]

    def _name(self, roll: Roll, outcome: Outcome) -> Hashable:
        """What two ways must have in common to go on alike; None where the resolver does not say."""
        alike = outcome.alike.get(roll.key)
        if alike is None:
            return None
        return roll.key, roll.count, alike, result_of(self._act.submission, outcome), _ENCODER.encode(outcome.state)

    def sample(self, place: int, inputs: Mapping[Key, Input], alike: Mapping[Key, Sequence[Fell]] = _NONE) -> Outcome:
        """One way it can go from there, of those that lie evenly: `alike` are the faces that went that way."""
        fallen = 0
        if alike:
            chosen = dict(inputs)
            for key, faces in alike.items():
                chosen[key] = Faces(faces[_face(place, fallen, len(faces)) - 1])
                fallen += 1
            inputs = chosen

        def draw(ask: Ask) -> Input | None:
            nonlocal fallen
            if not isinstance(ask, Roll):
                return _chosen(ask)
            faces = tuple(_face(place, fallen + die, ask.sides) for die in range(ask.count))
            fallen += ask.count
            return Faces(faces)

        return self._run(inputs, draw)


class _Way(msgspec.Struct, frozen=True):
    """A way as far as it is settled, and its share of all; `outcome` is what came of it when it was run.

    `alike` are all faces of a test that go this way, where they differ in what counts after the tests.
    """

    weight: Fraction
    inputs: Mapping[Key, Input]
    alike: Mapping[Key, Sequence[Fell]] = {}
    outcome: Outcome | None = None

    @property
    def is_open(self) -> bool:
        """Whether there are rolls on it that are not settled."""
        return self.outcome is not None and _first_roll(self.outcome) is not None


class _Kind(msgspec.Struct, frozen=True):
    """Ways in which a roll can fall that are not told apart: how many, and one of them.

    `alike` are all of them where they differ in what counts after the tests.
    """

    ways: int
    faces: Fell
    alike: tuple[Fell, ...] = ()


def _tallied(outcome: Outcome) -> list[_Kind] | None:
    """The ways of its open roll where that is a pool of which only hits are counted. Raises `_TooLarge`."""
    roll = _first_roll(outcome)
    assert roll is not None
    sees = outcome.sees.get(roll.key)
    if not isinstance(sees, Tally):
        return None
    tallied = sees.classes(roll.count, roll.sides)
    if tallied is None:
        raise _TooLarge
    return [_Kind(*one) for one in tallied]


def _joined(one: _Way, other: _Way) -> _Way:
    """Two ways that go on alike, as the first of them."""
    return replace(one, weight=one.weight + other.weight)


def _is_test(roll: Roll, outcome: Outcome) -> bool:
    """Whether it is rolled against a number or, as a pool, against hits; not what comes of them."""
    pooled = isinstance(outcome.sees.get(roll.key), Tally) and roll.key not in outcome.alike
    return roll.target is not None or pooled


def _kinds_of(way: _Way, sort: "Callable[[Outcome], list[_Kind]]") -> "list[_Kind]":
    """In how many ways its open roll can fall, and one of each."""
    assert way.outcome is not None
    return sort(way.outcome)


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


def result_of(sub: Submission, outcome: Outcome) -> tuple[int, int, bool]:
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
