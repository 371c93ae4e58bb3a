"""A whole encounter as lines of JSON: written from the database, and read back trusting nothing in them.

The order is head, rules, origin, parts, pauses, rolls, events, end. Bodies are passed on as the bytes they are: the
chain of hashes is over them, with what their rows say.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta
from sqlalchemy import Connection, select

from app.engine.events import AnyEvent
from app.engine.state import State
from app.persistence.audit import DiceAudit, LogWalk, Seeds, rolls_of
from app.persistence.command_walk import Held
from app.persistence.parts import FACTS, FRAME, GROUND, compose, decompose, from_whole, patched, unpacked, whole
from app.persistence.reading import entry_of
from app.persistence.shapes import raised
from app.persistence.statements import ENTRY_COLUMNS
from app.persistence.tables import event, part, pause, roll, rules_document, snapshot
from app.persistence.work import Decision, EncounterStatus, Entry, Head, PastSeed, Pending

PAGE = 500
MOST_PARTS = 100_000
MOST_PAUSES = 100_000
"""Bounds of an import beside its size."""

Whole = Annotated[int, Meta(ge=0, le=2**53 - 1)]
LATEST = 253_402_300_799_999
"""The end of the year 9999 in milliseconds: what comes later cannot be told as a date."""
Time = Annotated[int, Meta(ge=0, le=LATEST)]
Short = Annotated[str, Meta(max_length=200)]
Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="line", forbid_unknown_fields=True):
    """Root of all lines."""

    rank: ClassVar[int]


class HeadLine(Line, frozen=True, kw_only=True, tag="head"):
    """What the encounter is, and where its log ends."""

    rank: ClassVar[int] = 0
    format: Literal[1]
    id: Short
    name: Annotated[str, Meta(min_length=1, max_length=80)]
    ruleset: Short
    pin: Hash
    status: EncounterStatus
    version: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    seq: Annotated[int, Meta(ge=1, le=1_000_000)]
    public_seq: Whole
    epoch: Annotated[int, Meta(ge=0, le=1_000_000)]
    commands: Whole
    hash: Hash
    created_at: Time
    decision_timeout_s: Annotated[int, Meta(ge=1, le=86_400)] | None
    approval: Literal["none", "actions"]
    dice_reveal: Literal["everybody", "gm"]
    dice_seeds: Annotated[tuple[PastSeed, ...], Meta(min_length=1, max_length=10_000)]
    """Every seed by the epoch since which it is in force; null for one that must not be known."""
    forked: bool
    notes: Annotated[str, Meta(max_length=4000)] | None
    rewinds: Annotated[tuple[Whole, ...], Meta(max_length=100_000)]
    """Versions that the log goes back to."""


class RulesLine(Line, frozen=True, kw_only=True, tag="rules"):
    """The merged document that it is played by."""

    rank: ClassVar[int] = 1
    document: msgspec.Raw


class OriginLine(Line, frozen=True, kw_only=True, tag="origin"):
    """The state before the first event."""

    rank: ClassVar[int] = 2
    shape: Whole
    body: msgspec.Raw


class PartLine(Line, frozen=True, kw_only=True, tag="part"):
    """A part of the newest state."""

    rank: ClassVar[int] = 3
    ord: Annotated[int, Meta(ge=-100, le=1_000_000)]
    shape: Whole
    body: msgspec.Raw


class PauseLine(Line, frozen=True, kw_only=True, tag="pause"):
    """What waited at a version."""

    rank: ClassVar[int] = 4

    @property
    def waits(self) -> str | None:
        """The pending command, None where only decisions were open."""
        held = bytes(self.pending)
        return None if held == b"null" else held.decode()

    version: Whole
    shape: Whole
    pending: msgspec.Raw
    decisions: msgspec.Raw
    base: msgspec.Raw


class RollLine(Line, frozen=True, kw_only=True, tag="rolls"):
    """What was rolled at a version."""

    rank: ClassVar[int] = 5
    version: Whole
    body: msgspec.Raw


class EventLine(Line, frozen=True, kw_only=True, tag="event"):
    """One event of the log."""

    rank: ClassVar[int] = 6
    seq: Whole
    public_seq: Whole
    version: Whole
    at: Time
    type: Annotated[str, Meta(max_length=60)]
    visible_to: Literal["all", "gm"]
    blank: str
    """As long as somebody has figures, and as many are hidden who are named; a line has its limit."""
    shape: Whole
    hash: Hash
    body: msgspec.Raw


class EndLine(Line, frozen=True, kw_only=True, tag="end"):
    """The last line: so many came before it."""

    rank: ClassVar[int] = 7
    lines: Whole


_COMMAND, _DECISION = re.compile(r"cmd_[a-z0-9]{1,40}"), re.compile(r"dec_[a-z0-9]{1,40}")
_COMMITMENT = re.compile(r"([0-9a-f]{64})?")
_ONCE = (HeadLine, RulesLine, OriginLine, EndLine)
_LINE = msgspec.json.Decoder(HeadLine | RulesLine | OriginLine | PartLine | PauseLine | RollLine | EventLine | EndLine)
_encode = msgspec.json.Encoder().encode
_pending = msgspec.json.Decoder(Pending)
_decisions = msgspec.json.Decoder(tuple[Decision, ...])


# Writing


def exported(head: Head, settings: Any, connection: Connection) -> Iterator[bytes]:
    """Everything but the events, which are added to only. In one transaction, with a `head` read in it."""
    over = head.status == "ended"
    present = PastSeed(settings.seed_epoch, settings.commitment, head.seed.hex() if over else None)
    rewinds = connection.execute(
        select(event.c.body).where(event.c.encounter_id == head.id, event.c.type == "rewound").order_by(event.c.seq)
    ).scalars()
    yield _encode(
        HeadLine(
            format=1,
            id=head.public_id,
            name=head.name,
            ruleset=head.ruleset,
            pin=head.pin,
            status=head.status,
            version=head.version,
            seq=head.seq,
            public_seq=head.public_seq,
            epoch=head.epoch,
            commands=head.commands,
            hash=head.hash.hex(),
            created_at=head.created_at,
            decision_timeout_s=settings.decision_timeout_s,
            approval=settings.approval,
            dice_reveal=settings.dice_reveal,
            dice_seeds=(*settings.past_seeds, present),
            forked=settings.forked,
            notes=settings.notes,
            rewinds=tuple(sorted({msgspec.json.decode(body)["to_version"] for body in rewinds})),
        )
    )
    column = rules_document.c
    yield _raw(RulesLine, document=connection.execute(select(column.body).where(column.pin == head.pin)).scalar_one())
    origin = connection.execute(
        select(snapshot.c.shape, snapshot.c.body).where(snapshot.c.encounter_id == head.id, snapshot.c.version == 0)
    ).one()
    yield _raw(OriginLine, shape=origin.shape, body=origin.body)
    parts = select(part.c.ord, part.c.shape, part.c.body).where(
        part.c.encounter_id == head.id, part.c.removed.is_(False)
    )
    for row in connection.execute(parts.order_by(part.c.ord)):
        yield _raw(PartLine, ord=row.ord, shape=row.shape, body=row.body)
    for held in connection.execute(select(pause).where(pause.c.encounter_id == head.id).order_by(pause.c.version)):
        pending = "null"
        if held.pending is not None:
            # Who submitted it is a token here, and nobody elsewhere.
            waits = _pending.decode(raised("pending", held.pending, held.shape))
            pending = _encode(msgspec.structs.replace(waits, token=None)).decode()
        yield _raw(
            PauseLine, version=held.version, shape=held.shape, pending=pending, decisions=held.decisions, base=held.base
        )
    rolls = select(roll.c.version, roll.c.body).where(roll.c.encounter_id == head.id).order_by(roll.c.version)
    for made in connection.execute(rolls):
        yield _raw(RollLine, version=made.version, body=made.body)


def exported_events(head: Head, after: int, connection: Connection) -> list[bytes]:
    """A page of the log behind an event, up to where `head` ends."""
    columns = [event.c[name] for name in (*ENTRY_COLUMNS, "hash")]
    rows = connection.execute(
        select(*columns)
        .where(event.c.encounter_id == head.id, event.c.seq > after, event.c.seq <= head.seq)
        .order_by(event.c.seq)
        .limit(PAGE)
    )
    return [_raw(EventLine, **{**row._mapping, "hash": bytes(row.hash).hex()}) for row in rows]


def end(lines: int) -> bytes:
    """The last line."""
    return _encode(EndLine(lines=lines))


def _raw(kind: type[Any], **fields: Any) -> bytes:
    made = {name: msgspec.Raw(value.encode()) if name in _BODIES else value for name, value in fields.items()}
    return _encode(kind(**made))


_BODIES = frozenset({"body", "document", "pending", "decisions", "base"})


# Reading


class BrokenLine(ValueError):
    """A line that cannot be taken, by its number from 1."""

    def __init__(self, number: int, code: str, need: str = "") -> None:
        self.number, self.code, self.need = number, code, need
        super().__init__(f"line {number}: {code} {need}".rstrip())


class Brought(msgspec.Struct, frozen=True):
    """A file that was read through and fits together; its events stay in the file."""

    head: HeadLine
    document: bytes
    origin: State
    state: State
    parts: dict[int, tuple[int, str]]
    pauses: tuple[PauseLine, ...]
    rolls: tuple[RollLine, ...]
    pending: Pending | None
    base: State | None
    decisions: tuple[Decision, ...]
    waited: tuple[Pending, State, tuple[Decision, ...]] | None
    """In a fork what waited when it was forked, where that began, and what was open."""
    dice: tuple[int, int, int]
    """Dice of the server that were checked, those that could not be, and dice of the table."""


Judge = Callable[[AnyEvent, State], Iterable[str]]
"""What is wrong with an event that happened to that state, in itself: whom it brings in, whom it names."""


class Reader:
    """Takes line after line, in order, and says at the first wrong one which it is."""

    def __init__(self, judge: Judge) -> None:
        self.number = 0
        self._judge = judge
        self._rank = -1
        self._head: HeadLine | None = None
        self._document = b""
        self._origin = State(ruleset="")
        self._parts: dict[int, tuple[int, str]] = {}
        self._pauses: dict[int, PauseLine] = {}
        self._begun: dict[int, int] = {}
        """From which version the command of a pause started, by the version of the pause."""
        self._last_of: dict[int, int] = {}
        """The last pause of a command, by the version it started from."""
        self._rolls: dict[int, RollLine] = {}
        self._walk: LogWalk | None = None
        self._is_over = False

    def take(self, raw: bytes) -> None:
        """One line. Raises `BrokenLine`."""
        self.number += 1
        try:
            line = _LINE.decode(raw)
            self._in_order(line)
            self._take(line)
        except (
            msgspec.MsgspecError,
            KeyError,
            ValueError,
            AttributeError,
            TypeError,
            IndexError,
            RecursionError,
        ) as bad:
            if isinstance(bad, BrokenLine):
                raise
            raise BrokenLine(self.number, "bad_line") from bad

    def _in_order(self, line: Line) -> None:
        expected = self._rank + 1 if self._rank < 3 or isinstance(line, EndLine) else self._rank
        wrong = self._is_over or line.rank < self._rank or (line.rank == self._rank and isinstance(line, _ONCE))
        if wrong or (line.rank > expected and line.rank <= 3) or (isinstance(line, EndLine) and self._walk is None):
            raise BrokenLine(self.number, "line_out_of_order")
        self._rank = line.rank

    def _take(self, line: Line) -> None:
        match line:
            case HeadLine():
                if not all(_COMMITMENT.fullmatch(one.commitment) for one in line.dice_seeds):
                    raise ValueError("a commitment that is none")
                self._head = line
            case RulesLine():
                self._document = bytes(line.document)
            case OriginLine():
                self._origin = from_whole(raised("state", bytes(line.body).decode(), line.shape))
            case PartLine():
                self._new(line.ord not in self._parts and len(self._parts) < MOST_PARTS)
                self._new(line.ord >= 0 or line.ord in (FRAME, GROUND, FACTS))
                self._parts[line.ord] = (line.shape, bytes(line.body).decode())
            case PauseLine():
                self._new(line.version not in self._pauses and len(self._pauses) < MOST_PAUSES)
                self._pauses[line.version] = line
                _opened(line)
            case RollLine():
                self._new(line.version not in self._rolls)
                rolls_of(bytes(line.body).decode())
                self._rolls[line.version] = line
            case EventLine():
                self._event(line)
            case EndLine():
                self._is_over = True
                if line.lines != self.number - 1:
                    raise BrokenLine(self.number, "log_broken", f"{line.lines} lines, {self.number - 1} came")

    def _new(self, is_new: bool) -> None:
        if not is_new:
            raise BrokenLine(self.number, "line_out_of_order")

    def _event(self, line: EventLine) -> None:
        assert self._head is not None
        if self._walk is None:
            rolls = {version: rolls_of(bytes(one.body).decode()) for version, one in self._rolls.items()}
            first = self._pauses.get(1)
            waited = None if first is None else _opened(first)[0]
            for version, held in sorted(self._pauses.items()):
                if (waiting := _opened(held)[0]) is not None:
                    self._begun[version] = waiting.base_version
                    self._last_of[waiting.base_version] = version
            wanted = {*self._head.rewinds, *self._last_of}
            dice = DiceAudit(seeds_of(self._head), rolls, waited, wanted)
            self._walk = LogWalk(self._origin, wanted, dice, self._held)
            self._first_wrong(dice.at_first())
        walk = self._walk
        if line.version != walk.version:
            self._paused(walk.version)
        entry = entry_in(line)
        self._first_wrong(self._judge(entry.event, walk.state))
        self._first_wrong(walk.take(entry, bytes(line.body), bytes.fromhex(line.hash)))

    def _held(self, version: int) -> Held | None:
        held = self._pauses.get(version)
        return None if held is None else _opened(held)

    def _paused(self, version: int) -> None:
        """A pause at a version that has just been read: what waits must have begun at the version that it names."""
        assert self._walk is not None
        assert self._head is not None
        held = self._pauses.get(version)
        if held is None:
            return
        base = _based(held, self._walk.state)
        begun = self._begun.get(version)
        if begun is None:
            return
        # In a fork of a fight that waited the command is older than the log.
        before = (base if self._walk.dice.is_fork else None) if begun == 0 else self._walk.kept.get(begun)
        if before is None or whole(before) != whole(base):
            raise BrokenLine(self.number, "log_broken", f"the pause of version {version} has another base")
        if self._last_of[begun] == version and begun not in self._head.rewinds:
            self._walk.kept.pop(begun, None)

    def _first_wrong(self, findings: Iterable[str]) -> None:
        for finding in findings:
            raise BrokenLine(self.number, "log_broken", finding)

    def finish(self) -> Brought:
        """Everything was read. Raises `BrokenLine`."""
        head, walk = self._head, self._walk
        if not self._is_over or head is None or walk is None:
            raise BrokenLine(self.number + 1, "line_missing")
        try:
            return self._finished(head, walk)
        except (msgspec.MsgspecError, KeyError, ValueError, AttributeError, TypeError, IndexError) as bad:
            if isinstance(bad, BrokenLine):
                raise
            raise BrokenLine(self.number, "bad_line") from bad

    def _finished(self, head: HeadLine, walk: LogWalk) -> Brought:
        ends = {"version": walk.version, "seq": walk.seq, "public_seq": walk.public_seq, "hash": walk.chain.hex()}
        for name, found in ends.items():
            if getattr(head, name) != found:
                raise BrokenLine(1, "log_broken", f"{name} {getattr(head, name)}, the log {found}")
        self._first_wrong(walk.end())
        parts = {place: raised("part", body, shape) for place, (shape, body) in self._parts.items()}
        if parts != decompose(walk.state) or whole(compose(parts)) != whole(walk.state):
            raise BrokenLine(self.number, "log_broken", "the parts are not what the log says")
        if head.status != walk.state.status or head.ruleset != walk.state.ruleset:
            raise BrokenLine(1, "log_broken", f"the state is {walk.state.status} under {walk.state.ruleset}")
        if any(version > head.version for version in (*self._pauses, *self._rolls)):
            raise BrokenLine(self.number, "log_broken", "a pause or a roll of a version that is not there")
        now = self._pauses.get(head.version)
        pending: Pending | None = None
        decisions: tuple[Decision, ...] = ()
        base: State | None = None
        if now is not None:
            pending, decisions = _opened(now)
            self._fit(head, pending)
            base = None if pending is None else _based(now, walk.state)
            self._paused(head.version)
        dice = walk.dice
        told = (head.forked, head.epoch)
        if told != (dice.is_fork, dice.epoch):
            raise BrokenLine(1, "log_broken", "a fork or rewinds that are not in the log")
        if not dice.highest <= head.commands or (not head.forked and head.commands > head.version):
            raise BrokenLine(1, "log_broken", f"{head.commands} commands, and the last of the log is {dice.highest}")
        if any(one.epoch > head.epoch for one in head.dice_seeds):
            raise BrokenLine(1, "log_broken", "a seed of a rewind that is not there")
        if any(one.epoch > head.epoch for made in self._rolls.values() for one in rolls_of(bytes(made.body).decode())):
            raise BrokenLine(self.number, "log_broken", "a roll of a rewind that is not there")
        return Brought(
            head,
            self._document,
            self._origin,
            walk.state,
            self._parts,
            tuple(self._pauses.values()),
            tuple(self._rolls.values()),
            pending,
            base,
            decisions,
            self._waited(dice.is_fork),
            (dice.checked, dice.unchecked, dice.reported),
        )

    def _waited(self, is_fork: bool) -> tuple[Pending, State, tuple[Decision, ...]] | None:
        first = self._pauses.get(1)
        if not is_fork or first is None:
            return None
        pending, decisions = _opened(first)
        return None if pending is None else (pending, _based(first, self._origin), decisions)

    def _fit(self, head: HeadLine, pending: Pending | None) -> None:
        """What waits must be numbered like this log."""
        if pending is not None and not 0 < pending.number <= head.commands:
            raise BrokenLine(self.number, "log_broken", "what waits is not of this log")


def seeds_of(head: HeadLine) -> Seeds:
    """The seeds that came along."""
    *past, present = head.dice_seeds
    told = {"commitment": present.commitment, "past_seeds": past, "seed_epoch": present.epoch}
    return Seeds(_encode(told).decode(), None if present.seed is None else bytes.fromhex(present.seed))


def entry_in(line: EventLine) -> Entry:
    """The event of a line."""
    told = {name: getattr(line, name) for name in ENTRY_COLUMNS if name != "body"}
    return entry_of((*told.values(), bytes(line.body).decode()))


def event_in(raw: bytes) -> EventLine | None:
    """The event of a line that was read before; None for any other line."""
    line = _LINE.decode(raw)
    return line if isinstance(line, EventLine) else None


def _opened(line: PauseLine) -> tuple[Pending | None, tuple[Decision, ...]]:
    pending = None
    if line.waits is not None:
        pending = _pending.decode(raised("pending", line.waits, line.shape))
    decisions = _decisions.decode(raised("decisions", bytes(line.decisions).decode(), line.shape))
    if pending is not None and (pending.token is not None or not _COMMAND.fullmatch(pending.command_id)):
        raise ValueError("a command under no id of ours, or of somebody here")
    if not all(_DECISION.fullmatch(one.id) for one in decisions):
        raise ValueError("a decision under no id of ours")
    if any(one.expires_at is not None and not 0 <= one.expires_at <= LATEST for one in decisions):
        raise ValueError("a decision runs out at no time that can be told")
    return pending, decisions


def _based(line: PauseLine, state: State) -> State:
    back = {
        place: body and raised("part", body, line.shape) for place, body in unpacked(bytes(line.base).decode()).items()
    }
    return patched(state, back)
