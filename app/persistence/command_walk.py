"""Which command each version of a log belongs to: what it waits for, which rolls are its own, and who could roll.

Nothing says so in the log itself. But a command goes on in the next version exactly where it left something open, and
begins anew otherwise; a rewind goes on with what waited where it goes back to. From that all else follows: a die is
bound to a roll of its own command, and what a pause keeps to what the log has told until then.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from app.engine import events as ev
from app.engine.asks import GM, Faces
from app.engine.commands import Act
from app.engine.ids import CombatantId
from app.engine.state import State
from app.persistence.work import Decision, Pending, Rolled

_NO_DICE = frozenset({"timeout", "ruling"})
"""Ways to close a roll without anybody's dice."""
_BESIDE = (
    ev.DecisionOpened,
    ev.DecisionAnswered,
    ev.CommandCancelled,
    ev.EncounterSet,
    ev.Rewound,
    ev.Forked,
    ev.Imported,
)
"""Events that stand beside a waiting command, and are none of what it has told."""
MOST_NESTED = 1000
"""Rewinds one within the other, while the same command waits."""
_encode = msgspec.json.Encoder(order="deterministic").encode

Held = tuple[Pending | None, tuple[Decision, ...]]
"""What is kept of a version at which something waited."""


class _Asked(NamedTuple):
    owner: CombatantId
    kind: str
    version: int
    is_his: bool
    """It is a roll, and whoever is asked rolls for himself."""


class _Stretch(NamedTuple):
    """Versions of one command without a rewind among them; `parent` up to its version `cut` came before."""

    first: int
    parent: "_Stretch | None" = None
    cut: int = 0
    depth: int = 0


class _Stood(NamedTuple):
    """How a command stood at the end of a version."""

    base: int
    stretch: _Stretch
    is_old: bool
    asked: dict[str, _Asked]
    rolled: int
    told: int
    digest: Any
    pending: Pending | None
    actors: frozenset[CombatantId]


class CommandWalk:
    """Takes the events of a log in order, with the state before each, and what was kept at the end of each version."""

    def __init__(self, rolls: Mapping[int, tuple[Rolled, ...]], wanted: Collection[int]) -> None:
        self._rolls = rolls
        self._by_name = {one.name: (version, one) for version, made in rolls.items() for one in made}
        self._wanted = frozenset(wanted)
        self._stood: dict[int, _Stood] = {}
        self._version = 0
        self.highest = 0
        """The greatest number of a command until now."""
        self.is_fork = self._is_published = False
        self._could: dict[str, frozenset[CombatantId]] = {}
        """Whose dice they can be that were reported, by name of the roll."""
        # Of the version
        self._states: list[State] = []
        self._answered: list[CombatantId] = []
        self._shown: list[tuple[int, frozenset[CombatantId], str]] = []
        self._again: Counter[tuple[CombatantId, str]] | None = None
        # Of the command
        self._asked: dict[str, _Asked] = {}
        self._pending: Pending | None = None
        self._begin(0)

    def _begin(self, version: int) -> None:
        """Another command begins in this version."""
        self._base = version - 1
        self._stretch = _Stretch(version)
        self._is_old = not self._is_published
        self._asked = {}
        self._pending = None
        self._count = self._told = 0
        self._digest = hashlib.sha256()
        self._actors: frozenset[CombatantId] = frozenset()

    def published(self) -> None:
        """From here on there is a commitment to a seed, and every die has the name of its roll."""
        self._is_published = True

    @property
    def is_old(self) -> bool:
        """Whether the command began before dice had names, as far as the log says."""
        return self._is_old

    @property
    def number(self) -> int | None:
        """The command's number, where it is known here."""
        return None if self._pending is None else self._pending.number

    @property
    def first(self) -> int:
        """The version in which it began; the same for all versions of a command."""
        return self._base + 1

    def take(self, version: int, before: State, emitted: ev.Emitted) -> Iterator[str]:
        """One more event."""
        happened = emitted.event
        if version != self._version:
            self._version = version
            self._states, self._shown, self._again = [before], [], None
            self._answered.clear()
            if not self._asked:
                self._begin(version)
                self._actors = _seated(before)
            self._count += len(self._rolls.get(version, ()))
        if isinstance(happened, ev.Joined | ev.Edited | ev.EncounterSet):
            self._states = [*self._states[-1:], before] if len(self._states) > 8 else [*self._states, before]
        match happened:
            case ev.Forked():
                self.is_fork, self._base = True, -1
            case ev.Rewound():
                self._back(version, happened.to_version)
            case ev.CommandCancelled():
                self._begin(version)
                self._actors, self._count = _seated(before), len(self._rolls.get(version, ()))
            case ev.DecisionOpened():
                yield from self._opened(version, before, happened)
            case ev.DecisionAnswered():
                was = self._asked.get(happened.decision)
                if was is None or (was.owner, was.kind) != (happened.combatant, happened.kind):
                    yield f"version {version} answers decision {happened.decision}, which was not open so"
                    return
                self._asked = {name: one for name, one in self._asked.items() if name != happened.decision}
                if was.is_his and happened.by not in _NO_DICE:
                    self._answered.append(was.owner)
            case ev.ActionTaken() | ev.ProposalSettled():
                self._actors |= {happened.combatant}
            case _:
                pass
        if not isinstance(happened, _BESIDE) and not (self._told == 0 and _is_clock(happened)):
            self._told += 1
            self._digest.update(_encode(emitted))

    def _back(self, version: int, to_version: int) -> None:
        """Taken back: what waited there, if anything did, goes on from here."""
        stood = self._stood.get(to_version)
        if stood is None:
            self._begin(version)
            self._again = Counter()
            return
        self._base, self._is_old, self._pending = stood.base, stood.is_old, stood.pending
        self._told, self._digest, self._actors = stood.told, stood.digest.copy(), stood.actors
        self._count = stood.rolled + len(self._rolls.get(version, ()))
        self._stretch = _Stretch(version, stood.stretch, to_version, stood.stretch.depth + 1)
        if self._stretch.depth > MOST_NESTED:
            raise ValueError("taken back too often while one command waited")
        self._asked = {}
        self._again = Counter((one.owner, one.kind) for one in stood.asked.values())

    def _opened(self, version: int, before: State, happened: ev.DecisionOpened) -> Iterator[str]:
        owner, kind = happened.combatant, happened.kind
        if happened.decision in self._asked:
            yield f"version {version} opens decision {happened.decision} twice"
        is_his = kind == "roll"
        if self._again is not None:
            # What is asked once stays his, also after a rewind and in a fork.
            self._again[owner, kind] -= 1
            if self._again[owner, kind] < 0:
                yield f"version {version} goes back, and opens what was not open there"
        elif is_his and not (self.is_fork and version == 1):
            is_his = any(_rolls_himself(state, owner) for state in (*self._states, before))
            if not is_his:
                yield f"version {version} asks for a roll of somebody whose dice the server rolls"
        self._asked = {**self._asked, happened.decision: _Asked(owner, kind, version, is_his)}

    # Dice

    def owns(self, made: int) -> bool:
        """Whether a roll of that version is one of the present command, and was not left behind by a rewind."""
        stretch: _Stretch | None = self._stretch
        until = self._version
        while stretch is not None and made < stretch.first:
            until = stretch.cut
            stretch = stretch.parent
        return stretch is not None and made <= until

    def shown(self, seq: int, happened: ev.AnyEvent, name: str) -> None:
        """A die of that roll stands in an event, and somebody reported it: judged when the version is over."""
        who = ev.roller_of(happened)
        # What nobody dealt is rolled by whom it strikes, or by the game master.
        rollers = (who,) if who is not None else (getattr(happened, "target", GM), GM)
        self._shown.append((seq, frozenset(rollers), name))

    # The end of a version

    def closed(self, epoch: int, held: Held | None) -> Iterator[str]:
        """The version is through; `held` is what is kept as waiting at it."""
        pending, decisions = (None, ()) if held is None else held
        yield from self._numbered(epoch, pending)
        yield from self._reported()
        if self._again is not None and any(self._again.values()):
            yield f"version {self._version} goes back, and does not open what was open there"
        if (pending is not None) != bool(self._asked):
            yield f"what waits at version {self._version} is not what the log says"
        opened = {name: (one.owner, one.kind) for name, one in self._asked.items()}
        if {one.id: (one.owner, one.kind) for one in decisions} != opened or len(decisions) != len(opened):
            yield f"what is open at version {self._version} is not what the log says"
        elif any(one.opened_version != self._asked[one.id].version for one in decisions):
            yield f"a decision of version {self._version} was not opened when it says"
        if pending is not None:
            yield from self._waits(epoch, pending)
            self._pending = pending
            if isinstance(pending.command, Act):
                self._actors |= {pending.command.submission.actor}
        if self._asked and self._version in self._wanted:
            self._stood[self._version] = _Stood(
                self._base, self._stretch, self._is_old, self._asked, self._count,
                self._told, self._digest.copy(), self._pending, self._actors,
            )  # fmt: skip

    def _numbered(self, epoch: int, pending: Pending | None) -> Iterator[str]:
        """Rolls of a version are of one command: that which is told, under its number and after as many rewinds."""
        made = self._rolls.get(self._version, ())
        numbers = {rolled.command for rolled in made}
        if self.number is None and pending is not None:
            numbers.add(pending.number)
        if any(rolled.epoch != epoch for rolled in made):
            yield f"a roll of version {self._version} was drawn as if after other rewinds"
        if len(numbers) > 1 or (self.number is not None and not numbers <= {self.number}):
            yield f"rolls of version {self._version} are of another command"
        elif numbers and self.number is None:
            number = numbers.pop()
            if number <= self.highest:
                yield f"the command of version {self._version} has the number of an earlier one"
            self.highest = max(self.highest, number)
        if self._version == 1 and self.is_fork and any(not rolled.carried for rolled in made):
            yield "a roll fell while it was forked"

    def _reported(self) -> Iterator[str]:
        for rolled in self._rolls.get(self._version, ()):
            if rolled.source == "server" or rolled.carried:
                continue
            answers = rolled.source == "client"
            who = frozenset(self._answered) if answers else frozenset(self._bringers())
            self._could[rolled.name] = who
            if not who:
                said = "nobody was asked for it" if answers else "nobody rolled for himself"
                yield f"roll {rolled.name} of version {self._version} was reported by the table, where {said}"
        for seq, rollers, name in self._shown:
            could = self._could.get(name)
            if could is not None and not could & rollers:
                yield f"event {seq} has a reported die of somebody whose dice the server rolled"

    def _bringers(self) -> Iterator[CombatantId]:
        """Dice come along with a submission: those of the actor, if he rolls for himself."""
        for who in self._actors:
            if any(who in state.combatants and _rolls_himself(state, who) for state in self._states):
                yield who

    def _waits(self, epoch: int, pending: Pending) -> Iterator[str]:
        at = f"the command that waits at version {self._version}"
        if pending.base_version != max(self._base, 0) or pending.epoch != epoch:
            yield f"{at} did not begin when it says"
        before = self._pending
        if before is not None and (
            (pending.command_id, pending.number, pending.command) != (before.command_id, before.number, before.command)
            or pending.rulings[: len(before.rulings)] != before.rulings
        ):
            yield f"{at} is not the one that began"
        if self._base >= 0 and (pending.shown, pending.digest) != (self._told, self._digest.hexdigest()):
            yield f"{at} has not told what the log says"
        yield from self._inputs(at, pending)
        brought = pending.command.submission.rolls if isinstance(pending.command, Act) else {}
        for name, left in pending.brought.items():
            if not left or brought.get(name, ())[-len(left) :] != left:
                yield f"{at} has dice left that were not brought along"

    def _inputs(self, at: str, pending: Pending) -> Iterator[str]:
        """Its dice are those of all its rolls, each under the key of its own."""
        had = 0
        for key, given in pending.inputs.items():
            if not isinstance(given, Faces):
                continue
            if given.name is msgspec.UNSET:
                if not self._is_old:
                    yield f"{at} has dice of no roll"
                continue
            had += 1
            version, rolled = self._named(given.name)
            if rolled is None or not self.owns(version):
                yield f"{at} has dice of roll {given.name}, which is none of its own"
                continue
            told = (given.faces, given.source, given.by or None, given.sides or 0)
            if rolled.key != key or told != (rolled.faces, rolled.source, rolled.by, rolled.sides):
                yield f"{at} has other dice than its roll {given.name}"
        if had != self._count:
            yield f"{at} has not the dice of all its rolls"

    def _named(self, name: str) -> tuple[int, Rolled | None]:
        return self._by_name.get(name, (0, None))


def _is_clock(happened: ev.AnyEvent) -> bool:
    """Whether the table says that the time of a turn is up: then it ends by a command of its own."""
    return isinstance(happened, ev.Noted) and happened.fact == ev.TIME_IS_UP


def _seated(state: State) -> frozenset[CombatantId]:
    """Whose turn it is: who ends it, or acts first."""
    slot = state.clock.slot
    return frozenset() if slot is None else frozenset((CombatantId(slot.owner), *map(CombatantId, slot.others)))


def _rolls_himself(state: State, who: CombatantId) -> bool:
    """Whether his dice are the table's own. Of somebody who has yet to join it is not known here."""
    body = state.combatants.get(who)
    if body is None:
        return who != GM or state.dice == "client"
    return (state.dice if body.dice is None else body.dice) == "client"
