"""How the rolls of a log are told: each of one combatant, and none kept back for another.

A rule tells a kind of roll mostly in one way (a hit that comes too late is noted instead of told as damage). So two
dice of one command that stand where the other one fell are seen by what the rest of the log says.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from app.engine.events import AnyEvent, CheckRolled, DamageDealt, Die, Edited, Noted, Rewound, Ruled, StandingSet
from app.persistence.work import Rolled

Way = tuple[str, str]
"""A kind of event, with what it is for."""
_ID = re.compile(r"(cmb|tok|dec|enc)_[a-z0-9]+|[0-9]+")


class _Told(NamedTuple):
    """One roll in one event."""

    seq: int
    name: str
    kind: str
    way: Way


class ToldDice:
    """Takes the dice of the events of a log in order."""

    def __init__(self, rolls: Mapping[int, tuple[Rolled, ...]]) -> None:
        self._rolls = rolls
        self._kinds = {one.name: kind_of(one) for made in rolls.values() for one in made}
        self._ways: dict[str, Counter[Way]] = {}
        """How a kind of roll is told, and how often."""
        self._commands: list[list[_Told]] = [[]]
        """What each command that told of several rolls told of them."""
        self._of: dict[str, tuple[Way, str | None]] = {}
        """How a roll was told, and of whom."""
        self._missing: list[tuple[int, Way, set[str]]] = []
        """Events that show no die of their own, with the kinds of rolls that were told nowhere."""
        # Of the command
        self._first = 0
        self._made: list[str] = []
        self._seen: set[str] = set()
        self._bare: list[tuple[int, Way]] = []
        self._is_plain = True

    def take(self, seq: int, first: int, happened: AnyEvent, dice: Sequence[Die]) -> Iterator[str]:
        """One more event, of the command that began in version `first`."""
        if first != self._first:
            self._first, self._is_plain = first, True
            self._made, self._seen, self._bare = [], set(), []
            self._commands.append([])
        if isinstance(happened, Rewound | Ruled | Edited):
            self._is_plain = False  # what was rolled by then may count for nothing
        if not isinstance(happened, CheckRolled | DamageDealt | StandingSet | Noted):
            return
        way = _way(happened)
        names = list(dict.fromkeys(str(die.roll).partition(".")[0] for die in dice))
        fresh = False
        for name in names:
            kind = self._kinds.get(name)
            if kind is None:
                continue
            self._ways.setdefault(kind, Counter())[way] += 1
            # What is noted of a roll can stand beside what it was for: a die that was left out.
            told = (way, happened.combatant)
            if not isinstance(happened, Noted) and self._of.setdefault(name, told) != told:
                yield _of_another(seq, name)
            if name not in self._seen:
                fresh = True
                self._commands[-1].append(_Told(seq, name, kind, way))
            self._seen.add(name)
        if not fresh and (dice or not isinstance(happened, Noted)):
            self._bare.append((seq, way))

    def closed(self, version: int, *, is_over: bool) -> None:
        """A version is through, and with it the command if it `is_over`."""
        self._made += (one.name for one in self._rolls.get(version, ()) if not one.carried)
        if is_over and self._is_plain and self._bare:
            left = {self._kinds[name] for name in self._made if name not in self._seen}
            if left:
                self._missing += ((seq, way, left) for seq, way in self._bare)

    def finish(self) -> Iterator[str]:
        """The log is through, and it is known how each kind of roll is told."""
        usual = {kind: ways.most_common(1)[0][0] for kind, ways in self._ways.items()}
        for command in self._commands:
            strange = [(one, one.way, usual[one.kind]) for one in command if one.way != usual[one.kind]]
            crossed = {(usually, way) for _, way, usually in strange}
            for one, way, usually in strange:
                if (way, usually) in crossed:
                    yield _of_another(one.seq, one.name)
        for seq, way, left in self._missing:
            if any(way in self._ways.get(kind, ()) for kind in left):
                yield f"event {seq} does not show the die that was rolled for it"


def _of_another(seq: int, name: str) -> str:
    return f"event {seq} shows a die of roll {name}, which was made for something else"


def kind_of(rolled: Rolled) -> str:
    """Rolls of the same rule: where in a command they are asked for, without whom it is about."""
    return "/".join(_ID.sub("*", rolled.key).split("/")[-2:])


def _way(happened: CheckRolled | DamageDealt | StandingSet | Noted) -> Way:
    kind = str(happened.__struct_config__.tag)
    if isinstance(happened, CheckRolled):
        return kind, happened.purpose
    return kind, happened.fact if isinstance(happened, Noted) else ""
