"""The walk through a log that trusts nothing: numbers, versions, the chain of hashes, the fold, and every die.

The auditor of a database and the door for an import both walk with it. Reads no database itself.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Literal

import msgspec

from app.engine.asks import Faces
from app.engine.dice import MAX_SIDES, commitment, named_faces, roll_name
from app.engine.events import AnyEvent, DecisionOpened, Die, Emitted, EncounterSet, Forked, Imported, Rewound
from app.engine.fold import fold
from app.engine.state import State
from app.engine.visibility import is_cut_rightly
from app.persistence.command_walk import CommandWalk, Held
from app.persistence.told_dice import ToldDice
from app.persistence.work import Entry, Head, PastSeed, Pending, Rolled

FIRST_HASH = bytes(32)
"""What stands before the first event in the chain of hashes."""


def linked(chain: bytes, entry: Entry, written: bytes) -> bytes:
    """The hash after one more event: over the one before, what its row says of it, and its body as it was written."""
    blank = ",".join(entry.blank)
    row = f"{entry.seq}\n{entry.public_seq}\n{entry.version}\n{entry.at}\n{entry.audience}\n{blank}\n"
    return hashlib.sha256(chain + row.encode() + written).digest()


class DiceSettings(msgspec.Struct, frozen=True):
    """What an encounter's settings say of its dice."""

    commitment: str = ""
    forked: bool = False
    past_seeds: tuple[PastSeed, ...] = ()
    seed_epoch: int = 0


_settings = msgspec.json.Decoder(DiceSettings)
_rolls = msgspec.json.Decoder(tuple[Rolled, ...])


Why = Literal["nameless", "elsewhere", "seed_unknown", "uncommitted"]
"""Why a die of the server could not be drawn again."""
_WHY: dict[Why, str] = {
    "nameless": "are from before dice had names",
    "elsewhere": "fell in the encounter that this one was forked from, and can be checked there only",
    "seed_unknown": "were drawn from a seed that is not shown yet, or not known here",
    "uncommitted": "were drawn from a seed to which nobody was committed before they fell",
}


def told_of(settings: str) -> DiceSettings:
    """What settings say of dice."""
    return _settings.decode(settings)


def rolls_of(body: str) -> tuple[Rolled, ...]:
    """The rolls in a row."""
    return _rolls.decode(body)


class Seeds:
    """Which secret was in force when; None where it is not known here."""

    def __init__(self, settings: str, seed: bytes | None) -> None:
        told = _settings.decode(settings)
        self.commitments = (*(past.commitment for past in told.past_seeds), told.commitment)
        past = ((one.epoch, None if one.seed is None else bytes.fromhex(one.seed)) for one in told.past_seeds)
        self._by_epoch = (*past, (told.seed_epoch, seed))

    def of(self, epoch: int) -> bytes | None:
        """The one from which the dice of that epoch were drawn."""
        found = None
        for since, seed in self._by_epoch:
            if since <= epoch:
                found = seed
        return found

    def committed(self, epoch: int) -> str:
        """The commitment to that seed; empty for none."""
        found = ""
        for (since, _), told in zip(self._by_epoch, self.commitments, strict=True):
            if since <= epoch:
                found = told
        return found

    def findings(self) -> Iterator[str]:
        """Seeds that are not what was committed to."""
        for (since, seed), committed in zip(self._by_epoch, self.commitments, strict=True):
            if seed is not None and committed and commitment(seed) != committed:
                yield f"the seed in force since rewind {since} is not the one that was committed to"
        if any(one[0] >= other[0] for one, other in zip(self._by_epoch, self._by_epoch[1:], strict=False)):
            yield "the seeds do not follow one another"


def came_along(rolls: Mapping[int, tuple[Rolled, ...]], waited: Pending | None) -> frozenset[str]:
    """Names of the rolls that a fork may have from where it was forked: those of the command that waited then.

    `waited` is what waited at the first version. Whether the log is that of a fork at all, its first event tells.
    """
    if waited is None:
        return frozenset()

    def fits(rolled: Rolled) -> bool:
        had = waited.inputs.get(rolled.key)
        if not rolled.carried or not isinstance(had, Faces) or rolled.command != waited.number or rolled.epoch:
            return False
        told = (had.name, had.faces, had.source, had.by or None, had.sides or 0)
        return told == (rolled.name, rolled.faces, rolled.source, rolled.by, rolled.sides)

    return frozenset(rolled.name for rolled in rolls.get(1, ()) if fits(rolled))


class DiceAudit:
    """Every roll against the seed, every die of the log against its roll, and every roll against its command."""

    def __init__(
        self,
        seeds: Seeds,
        rolls: Mapping[int, tuple[Rolled, ...]],
        waited: Pending | None,
        wanted: Collection[int] = (),
    ) -> None:
        self._seeds = seeds
        self._came_along = came_along(rolls, waited)
        self._commands = CommandWalk(rolls, wanted)
        self._told = ToldDice(rolls)
        self._version = 0
        self.epoch = 0
        """How often the encounter was taken back or brought in until now."""
        self._epochs: dict[int, int] = {}
        self.is_fork = False
        """Whether the log begins as that of a fork; known from its first event on."""
        self._published: list[str] = []
        self._rolls: dict[str, tuple[int, Rolled]] = {}
        self._early: list[str] = []
        self.checked = 0
        """Dice of the server that were drawn again."""
        self.nameless = self.elsewhere = self.seedless = self.uncommitted = 0
        """Older than names of rolls; fallen where it was forked from; drawn from a seed that is not known here, or from
        one to which nobody had committed himself."""
        self.reported = 0
        """Dice that somebody rolled himself."""
        for version, made in sorted(rolls.items()):
            for rolled in made:
                if rolled.name in self._rolls:
                    self._early.append(f"roll {rolled.name} was made twice")
                if not _can_fall(rolled):
                    self._early.append(f"roll {rolled.name} of version {version} cannot fall so")
                self._rolls[rolled.name] = (version, rolled)

    @property
    def highest(self) -> int:
        """The greatest number that a command in the log has."""
        return self._commands.highest

    @property
    def unchecked(self) -> int:
        """Dice of the server that could not be drawn again."""
        return sum(self.unproven.values())

    @property
    def unproven(self) -> dict[Why, int]:
        """The same by why it could not be."""
        return {
            "nameless": self.nameless,
            "elsewhere": self.elsewhere,
            "seed_unknown": self.seedless,
            "uncommitted": self.uncommitted,
        }

    def at_first(self) -> Iterator[str]:
        """What is wrong before any event is looked at: seeds, and rolls that are not drawn from them."""
        yield from self._early
        yield from self._seeds.findings()
        for version, rolled in self._rolls.values():
            seed = self._seeds.of(rolled.epoch)
            if rolled.name in self._came_along:
                continue
            if rolled.carried:
                yield f"roll {rolled.name} of version {version} did not come along with a fork, as it says"
            if seed is None:
                continue
            if rolled.name != roll_name(seed, rolled.epoch, rolled.command, rolled.key):
                yield f"roll {rolled.name} of version {version} has a name that the seed does not give it"
            elif rolled.source == "server" and rolled.faces != named_faces(
                seed, rolled.name, len(rolled.faces), rolled.sides
            ):
                yield f"roll {rolled.name} of version {version} is not what the seed gives"

    def take(self, seq: int, version: int, before: State, emitted: Emitted) -> Iterator[str]:
        """What is wrong with the dice of one event, which happened to that state."""
        happened = emitted.event
        if seq == 1:
            self.is_fork = isinstance(happened, Forked)
            if self._came_along and not self.is_fork:
                yield "there are rolls that came along with a fork, and this is none"
        elif self.is_fork and version == 1 and not isinstance(happened, EncounterSet | DecisionOpened):
            yield f"event {seq} happened while it was forked"
        elif isinstance(happened, Forked):
            yield f"event {seq} forks what has begun already"
        self.epoch += isinstance(happened, Rewound | Imported)
        self._version = version
        self._epochs[version] = self.epoch
        if isinstance(happened, EncounterSet) and happened.dice_commitment is not None:
            self._published.append(happened.dice_commitment)
            self._commands.published()
        yield from self._commands.take(version, before, emitted)
        dice = dice_of(happened)
        named = [str(die.roll) for die in dice if die.roll is not msgspec.UNSET]
        if len(set(named)) != len(named):
            yield f"event {seq} shows a die twice"
        for die in dice:
            if not 2 <= die.sides <= MAX_SIDES or not 1 <= die.value <= die.sides:
                yield f"event {seq} shows a die as {die.value} of {die.sides}"
            if die.roll is msgspec.UNSET:
                self.nameless += die.source == "server"
                self.reported += die.source != "server"
                if self._published and not self._commands.is_old:
                    yield f"event {seq} has a die of no roll"
                continue
            yield from self._die(seq, version, die, die.roll)
            if die.source != "server":
                self._commands.shown(seq, happened, die.roll.partition(".")[0])
        yield from self._told.take(seq, self._commands.first, happened, dice)

    def _die(self, seq: int, version: int, die: Die, called: str) -> Iterator[str]:
        name, _, place = called.partition(".")
        made, rolled = self._rolls.get(name, (0, None))
        if rolled is None or made > version:
            yield f"event {seq} has a die of roll {name}, which was not made by then"
            return
        number = int(place) if place.isascii() and place.isdigit() and len(place) <= 4 else len(rolled.faces)
        if number >= len(rolled.faces):
            yield f"event {seq} has a die {called} that was not rolled"
            return
        if not self._commands.owns(made):
            yield f"event {seq} has a die of roll {name}, which was made for something else"
        if rolled.epoch != self._epochs.get(made):
            yield f"event {seq} has a die that was drawn as if after rewind {rolled.epoch}, which it was not"
        fell = (rolled.faces[number], rolled.source, rolled.by)
        shown = (die.value, die.source, None if die.by is msgspec.UNSET else die.by)
        if shown != fell or (rolled.sides and rolled.sides != die.sides):
            yield f"event {seq} shows die {called} as {die.value} of {die.sides}, which is not how it fell"
        if die.source != "server":
            self.reported += 1
        elif name in self._came_along:
            self.elsewhere += 1
        elif self._seeds.of(rolled.epoch) is None:
            self.seedless += 1
        elif self._seeds.committed(rolled.epoch) not in self._published:
            self.uncommitted += 1
        else:
            self.checked += 1

    def closed(self, held: Held | None) -> Iterator[str]:
        """The version behind us is through; `held` is what is kept as waiting at it."""
        yield from self._commands.closed(self.epoch, held)
        self._told.closed(self._version, is_over=held is None or held[0] is None)

    def at_last(self) -> Iterator[str]:
        """What is wrong with what was published, and with the last rolls."""
        yield from self._told.finish()
        # A file may have come without those of before: dice under a seed that nobody was told of are unproven.
        committed = [one for one in self._seeds.commitments if one]
        if self._published and self._published != committed[-len(self._published) :]:
            yield "the commitments to seeds are not those that were published in the log"


_NAME = re.compile("[0-9a-f]{16}")


def _can_fall(rolled: Rolled) -> bool:
    # Dice that came along may be from before a roll was kept with its sides.
    sides = rolled.sides or (MAX_SIDES if rolled.carried else 0)
    well = 2 <= sides <= MAX_SIDES and len(rolled.faces) > 0 and rolled.source in ("server", "client", "brought")
    return well and _NAME.fullmatch(rolled.name) is not None and all(1 <= face <= sides for face in rolled.faces)


def told_why(why: Why, count: int) -> str:
    """That so many dice could not be checked, and why, as a plain sentence."""
    return f"{count} dice could not be checked: they {_WHY[why]}"


def dice_of(happened: AnyEvent) -> tuple[Die, ...]:
    """The dice that an event tells of."""
    held = getattr(happened, "dice", ())
    return held if isinstance(held, tuple) else ()


class LogWalk:
    """Takes the events of one log in order; keeps the states of `wanted` versions, and at last the newest."""

    def __init__(
        self, origin: State, wanted: Iterable[int], dice: DiceAudit, held: Callable[[int], Held | None]
    ) -> None:
        self.state = origin
        self.kept: dict[int, State] = {}
        self.seq = self.public_seq = self.version = 0
        self.chain = FIRST_HASH
        self.dice = dice
        self.times_back = 0
        """How often an event is older than the one before it."""
        self._at = 0
        self._wanted = frozenset(wanted)
        self._held = held
        """What is kept as waiting at a version."""

    def take(self, entry: Entry, written: bytes, stored_hash: bytes) -> Iterator[str]:
        """One more event. `written` is the body as it was written, before any change of shape: what the chain is over.

        Raises `msgspec.MsgspecError`, `KeyError` or `ValueError` where it cannot be folded.
        """
        if entry.seq != self.seq + 1:
            yield f"event {entry.seq} follows event {self.seq}"
        if entry.version not in (self.version, self.version + 1) or entry.version == 0:
            yield f"version {entry.version} follows version {self.version} at event {entry.seq}"
        if entry.version != self.version and self.version:
            yield from self._closed()
        self.times_back += entry.at < self._at
        self._at = entry.at
        self.seq, self.version = entry.seq, entry.version
        self.public_seq += entry.audience == "all"
        if entry.public_seq != self.public_seq:
            yield f"event {self.seq} is number {entry.public_seq} for everybody, not {self.public_seq}"
        self.chain = linked(self.chain, entry, written)
        if stored_hash != self.chain:
            yield f"the chain of hashes breaks at event {self.seq}"
            self.chain = stored_hash
        happened = entry.event
        if entry.type != happened.__struct_config__.tag:
            yield f"event {self.seq} is called {entry.type}, which it is not"
        if not is_cut_rightly(self.state, Emitted(happened, entry.audience, entry.blank)):
            yield f"event {self.seq} shows others what they must not see, or cuts what it does not have"
        yield from self.dice.take(self.seq, self.version, self.state, entry.emitted)
        if not isinstance(happened, Rewound):
            self.state = fold(self.state, happened)
        elif happened.to_version not in self.kept:
            yield f"event {self.seq} goes back to version {happened.to_version}, which was not before it"
        else:
            self.state = self.kept[happened.to_version]

    def _closed(self) -> Iterator[str]:
        if self.version in self._wanted:
            self.kept[self.version] = self.state
        yield from self.dice.closed(self._held(self.version))

    def finish(self, head: Head) -> Iterator[str]:
        """Whether the log ends where the row says."""
        yield from self.end()
        ends = {"version": self.version, "seq": self.seq, "public_seq": self.public_seq, "hash": self.chain}
        for name, found in ends.items():
            if getattr(head, name) != found:
                yield f"the row says {name} {getattr(head, name)!r}, the log {found!r}"

    def end(self) -> Iterator[str]:
        """The log is through."""
        yield from self._closed()
        self.kept[self.version] = self.state
        yield from self.dice.at_last()
