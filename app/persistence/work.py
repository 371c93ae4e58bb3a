"""What the persistence layer takes and gives: values, errors, and what a writer, a store and a hub can do.

One command is one job: the writer hands its `decide` the live encounter, stores the change it returns, and answers with
the reply that `render` made before the commit, so that a retry gets the same bytes. A version writes at least one
event: on PostgreSQL the event's key is what refuses a change that was planned on a stale state. Times are whole
milliseconds since 1970, UTC.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import msgspec
from sqlalchemy import Connection

from app.engine import commands as cmd
from app.engine.asks import Ask, Input, Key
from app.engine.events import AnyEvent, Emitted
from app.engine.ids import CombatantId
from app.engine.run import StoredRuling
from app.engine.state import State
from app.engine.visibility import veiled_in

if TYPE_CHECKING:
    from app.persistence.bringing import Bringing

T = TypeVar("T")

Audience = Literal["gm", "public"]
"""Who reads or writes: the GM, or anybody else. Each has his own count of versions and events."""

EncounterStatus = Literal["setup", "running", "ended"]
DecisionStatus = Literal["open", "answered", "withdrawn", "expired"]


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The slim row of an encounter: everything about it that is not the fight itself."""

    id: int
    """Inside only, never shown."""
    public_id: str
    campaign_id: str
    name: str
    ruleset: str
    pin: str
    """Hash of the merged rules document that the encounter is played by."""
    status: EncounterStatus
    """Status, round and active are copies out of the state, for lists."""
    round: int
    active: CombatantId | None
    """Whose turn it is, hidden or not: whoever shows it to others than the GM must look."""
    version: int
    seq: int
    """Number of events."""
    public_seq: int
    """Number of events whose audience is `all`."""
    epoch: int
    """Number of rewinds, so that the same question does not get the same die again."""
    commands: int
    """Number of the last command."""
    seed: bytes
    """Secret from which server dice are drawn."""
    hash: bytes
    """Hash of the last event, chained: SHA-256 of the one before and the body."""
    settings: str
    """JSON text that the services read and write: decision timeout and the like."""
    created_at: int
    updated_at: int


def revision(head: Head, audience: Audience) -> int:
    """The encounter's version in the reader's own count: what his ETag says and his If-Match is compared with."""
    return head.version if audience == "gm" else head.public_seq


def cursor(head: Head, audience: Audience) -> int:
    """How many events there are in the reader's own count: the cursor behind the newest."""
    return head.seq if audience == "gm" else head.public_seq


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A command that waits: all it takes to run it again from its base, and to notice code that would now differ."""

    command_id: str
    number: int
    """Its number in the encounter, part of what server dice are drawn from."""
    epoch: int
    """The epoch in which it began."""
    base_version: int
    """0 where its base is in no version of this encounter: it came along with a fork."""
    command: cmd.Command
    inputs: dict[Key, Input]
    rulings: tuple[StoredRuling, ...] = ()
    shown: int = 0
    digest: str
    pin: str
    engine_version: str
    token: str | None = None
    """Public id of the token that submitted it."""
    brought: dict[str, tuple[int, ...]] = {}
    """Dice brought along that no roll has asked for yet, by name of the roll."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """An ask that is open, or was: under an id of its own, for keys betray who is hidden."""

    id: str
    key: Key
    ask: Ask
    owner: CombatantId
    """Who must answer; `gm` for the game master."""
    kind: str
    hidden: bool = False
    """Nobody but the GM may know of it."""
    expires_at: int | None = None
    opened_version: int
    status: DecisionStatus = "open"


class Live(msgspec.Struct, frozen=True, kw_only=True, weakref=True):
    """An encounter as it stands. `base` is the state the pending command started from, None where nothing waits."""

    head: Head
    state: State
    pending: Pending | None = None
    base: State | None = None
    decisions: tuple[Decision, ...] = ()
    """The open ones, in the order of the change that opened them."""


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """An encounter as it stood at a version: what rewind and fork start from."""

    version: int
    state: State
    pending: Pending | None = None
    base: State | None = None
    decisions: tuple[Decision, ...] = ()


class Rolled(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A roll as it was made or handed in, kept beside the log: what each die in it rests on."""

    name: str
    """Under which server dice are drawn; stands with every die in the log."""
    key: Key
    """Where in the command it was asked for. It names who is hidden, so it stays inside."""
    epoch: int
    command: int
    sides: int
    faces: tuple[int, ...]
    source: str = "server"
    by: str | None = None
    """Public id of the token that reported it."""
    carried: bool = False
    """It came along with the waiting command of a fork: rolled there, not here."""


class PastSeed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A secret from which dice were drawn before the present one took over."""

    epoch: int
    """The first epoch in which it was in force."""
    commitment: str
    seed: str | None = None
    """Hexadecimal; None where it is not known here, after an import."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one command does to an encounter. `state` is the state before with `events` folded in.

    A rewind names `to_version`, and one of its events is `Rewound`: then `state`, `pending`, `base` and `decisions` are
    those of that moment, with the events after `Rewound` folded in, and the epoch rises by one.
    """

    state: State
    events: tuple[Emitted, ...]
    """At least one, always."""
    pending: Pending | None = None
    base: State | None = None
    """The state that `pending` started from; needed exactly when something is pending."""
    decisions: tuple[Decision, ...] = ()
    """All that are open afterwards. One that was open and is not among them is closed."""
    closed: dict[str, DecisionStatus] = {}
    """How they were closed, by id; `withdrawn` unless said otherwise."""
    commands: int | None = None
    """The number of the last command, when a new one began."""
    name: str | None = None
    settings: str | None = None
    to_version: int | None = None
    rolls: tuple[Rolled, ...] = ()
    """Rolls that were made by it, also those that no event tells of yet."""
    seed: bytes | None = None
    """Another secret for the server's dice from here on."""


class Entry(msgspec.Struct, frozen=True):
    """One event in the log. `body` is the engine's JSON: whole hundredths, no text, nothing cut. `blank` is what of it
    is cut for others than the GM, as the engine stamped it.
    """

    seq: int
    public_seq: int
    """Running count of events for everybody, this one included if it is one of them."""
    version: int
    at: int
    """When it was written; the same for all events of a command."""
    type: str
    audience: str
    """`all` or `gm`."""
    blank: tuple[str, ...]
    body: bytes

    def number(self, audience: Audience) -> int:
        """Its number in the reader's own count."""
        return self.seq if audience == "gm" else self.public_seq

    @property
    def event(self) -> AnyEvent:
        """The event itself, decoded from the body."""
        return _EVENT.decode(self.body)

    @property
    def emitted(self) -> Emitted:
        """The event with its stamp, as the engine emitted it."""
        return Emitted(self.event, self.audience, self.blank)


_EVENT: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


class Told:
    """What one command told, in order. Shared by all readers of the process, so renderings are kept beside it."""

    __slots__ = ("entries", "renderings", "veiled", "version")

    def __init__(self, version: int, entries: tuple[Entry, ...]) -> None:
        self.version = version
        self.entries = entries
        self.renderings: dict[Hashable, Any] = {}
        """Whatever the renderer wants to keep: by kind of reader, language and format."""
        self.veiled = veiled_in(cut for entry in entries for cut in entry.blank)
        """Whose figures not everybody gets: readers who control none of them are of one kind."""

    def for_(self, audience: Audience) -> tuple[Entry, ...]:
        """The entries that this audience may know of; may be none."""
        return self.entries if audience == "gm" else tuple(e for e in self.entries if e.audience == "all")

    def after(self, number: int, audience: Audience) -> tuple[Entry, ...]:
        """Those of them that come after `number` in the audience's own count."""
        return tuple(entry for entry in self.for_(audience) if entry.number(audience) > number)


class Committed(msgspec.Struct, frozen=True, kw_only=True):
    """A change as it is about to be committed: what `render` makes the answer from."""

    live: Live
    told: Told
    before: Head

    @property
    def head(self) -> Head:
        """The encounter's row after the change."""
        return self.live.head

    @property
    def version(self) -> int:
        """The version that the change made."""
        return self.live.head.version


class Reply(msgspec.Struct, frozen=True):
    """An answer as it goes over the wire and into the idempotency row. `replayed` when a retry got it from there."""

    status: int
    headers: dict[str, str]
    body: bytes
    replayed: bool = False


class Once(msgspec.Struct, frozen=True):
    """The caller's idempotency key. `request_hash` covers method, path and body; another one is refused."""

    token: str
    """Public id of the token; another token's key is another key."""
    key: str
    request_hash: bytes


Render = Callable[[Committed], Reply]
Decide = Callable[[Live], tuple[Change, Render]]
"""Runs in the writer's thread, perhaps more than once; pure but for what it raises."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One command for one encounter. `if_match` is in the count of `audience`."""

    encounter: str
    decide: Decide
    once: Once | None = None
    if_match: int | None = None
    audience: Audience = "gm"


class Creation(msgspec.Struct, frozen=True, kw_only=True):
    """A new encounter: version 1 is `change`, folded onto `origin` (usually a bare `State(ruleset)`).

    `admit` may raise to refuse it, in the transaction that would store it.
    """

    public_id: str
    campaign_id: str
    name: str
    ruleset: str
    pin: str
    seed: bytes
    settings: str
    origin: State
    change: Change
    render: Render
    once: Once | None = None
    admit: Callable[[Connection], None] | None = None


class Deletion(msgspec.Struct, frozen=True, kw_only=True):
    """The end of an encounter: it is gone at once, its rows follow in small steps. `render` may raise to refuse."""

    encounter: str
    render: Callable[[Head], Reply]
    once: Once | None = None
    if_match: int | None = None
    audience: Audience = "gm"


class PersistenceError(Exception):
    """Root of what this layer raises on purpose. Whatever `decide` raises goes to the caller as it is."""


class NotFound(PersistenceError):
    """There is no such encounter, version or decision."""


class Stale(PersistenceError):
    """`If-Match` names another revision than the current one."""

    def __init__(self, current: int) -> None:
        self.current = current
        """In the count of the job's audience."""
        super().__init__(f"the current revision is {current}")


class KeyReused(PersistenceError):
    """The idempotency key was used for another request."""


class Unavailable(PersistenceError):
    """Not now: 503 with `Retry-After`."""

    retry_after = 1
    """Seconds."""


class Busy(Unavailable):
    """Nothing was written: too much is queued, the database is locked or cannot be reached."""


class UnknownOutcome(Unavailable):
    """The connection broke during the commit: it may have been written or not. A retry with the same key tells."""


class StorageFull(PersistenceError):
    """Nothing was written: the disk is full. 507."""


class Due(msgspec.Struct, frozen=True):
    """A decision whose time is up."""

    encounter: str
    decision: str
    expires_at: int


class Writer(Protocol):
    """The only way anything is written. One for SQLite, one for PostgreSQL."""

    async def submit(self, job: Job) -> Reply:
        """Run one command and store what comes of it; answers after the commit, or with the stored reply of a retry.

        Raises what `decide` and `render` raise, `Stale`, `KeyReused`, `NotFound`, `Unavailable`, `StorageFull`; then
        nothing is written (but see `UnknownOutcome`).
        """
        ...

    async def create(self, creation: Creation) -> Reply:
        """Store a new encounter."""
        ...

    async def bring(self, bringing: "Bringing") -> Reply:
        """Store an encounter that was read from a file."""
        ...

    async def delete(self, deletion: Deletion) -> Reply:
        """Remove an encounter with everything that belongs to it."""
        ...

    async def execute(self, work: Callable[[Connection], T]) -> T:
        """Run SQLAlchemy statements in one transaction, for everything that is not an encounter; commits on return."""
        ...

    async def execute_once(self, work: Callable[[Connection], Reply], once: Once) -> Reply:
        """The same under an idempotency key: the reply is stored in the same transaction and repeated to a retry."""
        ...

    async def due_decisions(self, *, limit: int = 50, lease_ms: int = 30_000) -> Sequence[Due]:
        """Open decisions whose time is up, each given to one caller only until its lease runs out unanswered."""
        ...


class Store(Protocol):
    """Reads. Never behind an answer that was given before: what was acknowledged is seen."""

    async def head(self, encounter: str) -> Head:
        """The encounter's row. Raises `NotFound`."""
        ...

    async def live(self, encounter: str) -> Live:
        """The encounter as it stands. Raises `NotFound`."""
        ...

    async def encounters(self, campaign_id: str, *, before: int | None = None, limit: int = 50) -> Sequence[Head]:
        """A campaign's encounters, newest first; `before` is the `Head.id` of the last one of the page before."""
        ...

    async def log(
        self, encounter: str, audience: Audience, *, after: int = 0, before: int | None = None, limit: int = 200
    ) -> Sequence[Entry]:
        """At most `limit` entries after `after` in the reader's own count, or those before `before`, newest first.

        Entries that the reader may not know of are not among them. Raises `NotFound`.
        """
        ...

    async def moment(self, encounter: str, version: int) -> Moment:
        """The encounter as it stood at a version: state, what was pending, what was open. Raises `NotFound`."""
        ...

    async def decision(self, encounter: str, decision: str) -> Decision | None:
        """A decision by id, also one that was closed."""
        ...

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run short SQLAlchemy queries that write nothing."""
        ...

    async def examine(self, work: Callable[[Connection], T]) -> T:
        """The same for queries that take long, on one moment of the database, beside everything else."""
        ...

    async def ping(self) -> None:
        """Ask the database for nothing. Raises `Busy` where it cannot be reached."""
        ...


class Channel(Protocol):
    """News of one encounter for one reader."""

    async def after(self, number: int, audience: Audience, *, timeout: float, limit: int = 200) -> Sequence[Told]:
        """What comes after `number` in the reader's own count, as soon as there is something; empty when time is up.

        A command may come cut, never with a gap. Raises `NotFound` when the encounter is gone, `Ahead` when `number` is
        beyond the log.
        """
        ...


class Ahead(PersistenceError):
    """A cursor beyond the end of the log: 410, take a snapshot."""

    def __init__(self, current: int) -> None:
        self.current = current
        super().__init__(f"the log ends at {current}")


class Hub(Protocol):
    """News of commits, from this process and from others."""

    def follow(self, encounter: str) -> Channel:
        """The encounter's channel. Holding it costs nothing; only waiting in `after` does."""
        ...

    def on_commit(self, listener: Callable[[], None]) -> None:
        """Call this, on the event loop, whenever this process has committed something."""
        ...

    def close(self) -> None:
        """Wake everybody who waits, for good: `after` returns at once from now on, for a shutdown that drains."""
        ...
