"""The auditor: whether everything stored fits together. Reads only, and trusts nothing but the log.

For each encounter: versions and events without a gap, counts and the chain of hashes, the fold of the events equal to
the stored parts and snapshots, what waits equal to what is open, each die to its roll and each roll to the seed that
was committed to. For the database: nothing that belongs to nobody.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, Table, create_engine, func, select

from app.engine.state import State
from app.persistence.audit import DiceAudit, LogWalk, Seeds, Why, rolls_of, told_of, told_why
from app.persistence.command_walk import Held
from app.persistence.drivers import engine_over, is_sqlite, open_sqlite, sqlite_path
from app.persistence.parts import compose, decompose, from_whole, patched, unpacked, whole
from app.persistence.reading import entry_of, head_of
from app.persistence.shapes import raised
from app.persistence.statements import ENTRY_COLUMNS, HEAD_COLUMNS
from app.persistence.tables import (
    decision,
    encounter,
    event,
    idempotency,
    outbox,
    part,
    pause,
    purge,
    roll,
    rules_document,
    snapshot,
)
from app.persistence.work import Decision, Head, Pending, Rolled

PAGE = 1000

_pending = msgspec.json.Decoder(Pending)
_decision = msgspec.json.Decoder(Decision)
_decisions = msgspec.json.Decoder(tuple[Decision, ...])


Verdict = Literal["proven", "unproven", "broken"]
Reason = Why | Literal["times", "rules_unknown"]


class Unproven(msgspec.Struct, frozen=True):
    """So many of something that could not be checked, and why in a plain sentence."""

    reason: Reason
    count: int
    text: str


Again = Callable[[Connection, Head, State, State, Pending, tuple[Decision, ...]], Iterable[str] | None]
"""What is wrong with a waiting command when it is run again, from its base: it must come to this state and ask this.
None where its rules are not known here.
"""


class Report(msgspec.Struct, frozen=True):
    """What was looked at, and everything that is wrong in plain sentences; empty is well."""

    encounters: int
    events: int
    findings: tuple[str, ...]
    dice_checked: int = 0
    """Dice of the server that were drawn again from the seed."""
    dice_unchecked: int = 0
    """Dice of the server that cannot be: from before they had names, or from a seed that is not known here."""
    dice_reported: int = 0
    """Dice that somebody rolled himself."""
    unproven: tuple[Unproven, ...] = ()
    """What could not be checked, and why."""

    @property
    def verdict(self) -> Verdict:
        """Something is wrong; or nothing is, and something could not be checked; or all was."""
        return "broken" if self.findings else "unproven" if self.unproven else "proven"


def verify(url: str, only: str | None = None, again: Again | None = None) -> Report:
    """Look at a whole database, or at one encounter by its public id. `again` runs what waits once more."""
    reports: list[Report] = []
    findings: list[str] = []
    unproven: list[Unproven] = []
    raw = open_sqlite(sqlite_path(url), reader=True) if is_sqlite(url) else None
    if raw is not None:
        engine = engine_over(raw, begin="BEGIN")
    else:
        engine = create_engine(url, isolation_level="REPEATABLE READ")
    try:
        with engine.connect() as connection:
            if raw is not None:
                for (said,) in raw.execute("PRAGMA integrity_check").fetchall():
                    if said != "ok":
                        findings.append(f"the file is damaged: {said}")
            rows = select(*(encounter.c[name] for name in HEAD_COLUMNS)).order_by(encounter.c.id)
            if only is not None:
                rows = rows.where(encounter.c.public_id == only)
            for row in connection.execute(rows).all():
                head = head_of(tuple(row))
                reports.append(examine(connection, head, again))
                findings += (f"{head.public_id}: {finding}" for finding in reports[-1].findings)
                unproven += (replace(one, text=f"{head.public_id}: {one.text}") for one in reports[-1].unproven)
            if only is None:
                findings += _orphans(connection)
    finally:
        engine.dispose()
        if raw is not None:
            raw.close()
    return Report(
        len(reports),
        sum(one.events for one in reports),
        tuple(findings),
        sum(one.dice_checked for one in reports),
        sum(one.dice_unchecked for one in reports),
        sum(one.dice_reported for one in reports),
        tuple(unproven),
    )


def _based(row: Any, state: State) -> State:
    """The state that a waiting command started from."""
    return patched(
        state, {place: body and raised("part", body, row.shape) for place, body in unpacked(row.base).items()}
    )


def pending_of(row: Any) -> Pending | None:
    """The command in a row of a pause."""
    if row is None or row.pending is None:
        return None
    return _pending.decode(raised("pending", row.pending, row.shape))


def examine(connection: Connection, head: Head, again: Again | None = None) -> Report:
    """Look at one encounter, in a transaction that sees one moment."""
    encounter = _Encounter(connection, head, again)
    findings = tuple(encounter.findings())
    dice = encounter.dice
    unproven = tuple(encounter.unproven())
    if dice is None:
        return Report(1, head.seq, findings, unproven=unproven)
    return Report(1, head.seq, findings, dice.checked, dice.unchecked, dice.reported, unproven)


def unproven_dice(counts: Mapping[Why, int]) -> Iterator[Unproven]:
    """Dice of the server that could not be checked, by why."""
    for why, count in counts.items():
        if count:
            yield Unproven(why, count, told_why(why, count))


def unproven_times(count: int) -> Iterator[Unproven]:
    """Events that cannot have happened when they say."""
    if count:
        yield Unproven("times", count, f"{count} events are older than the one before them")


class _Encounter:
    def __init__(self, connection: Connection, head: Head, again: Again | None) -> None:
        self.connection = connection
        self.head = head
        self._again = again
        self._walk: LogWalk | None = None
        self._pauses: frozenset[int] = frozenset()
        self._not_again = 0

    def unproven(self) -> Iterator[Unproven]:
        """What could not be checked."""
        if self._walk is not None:
            yield from unproven_dice(self._walk.dice.unproven)
            yield from unproven_times(self._walk.times_back)
        if count := self._not_again:
            yield Unproven("rules_unknown", count, "what waits was not run again: its rules are not known here")

    @property
    def dice(self) -> DiceAudit | None:
        """What was found of the dice."""
        return None if self._walk is None else self._walk.dice

    def findings(self) -> Iterator[str]:
        """Everything that is wrong with one encounter; at what cannot be read it ends."""
        try:
            yield from self._findings()
        except (msgspec.MsgspecError, KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
            yield f"a row cannot be read: {error!r}"

    def _findings(self) -> Iterator[str]:
        origin = self.connection.execute(
            select(snapshot.c.shape, snapshot.c.body).where(
                snapshot.c.encounter_id == self.head.id, snapshot.c.version == 0
            )
        ).first()
        if origin is None:
            yield "the state before the first event is missing"
            return
        state = from_whole(raised("state", origin.body, origin.shape))
        kept: dict[int, State] = {}
        try:
            yield from self._log(state, kept)
        except (msgspec.MsgspecError, KeyError, ValueError) as error:
            yield f"the log cannot be folded: {error!r}"
            return
        if self.head.version not in kept:
            yield f"the log does not reach version {self.head.version}"
            return
        yield from self._state(kept[self.head.version])
        yield from self._snapshots(kept)
        yield from self._waiting(kept)
        yield from self._waited(state)
        yield from self._row()
        yield from self._outbox()

    def _log(self, state: State, kept: dict[int, State]) -> Iterator[str]:
        """Walk the log, keeping the states that are needed later: now, at snapshots, where rewinds and pauses go."""
        wanted = self._wanted()
        dice = DiceAudit(self._seeds(), self._rolls(), self._waited_at_first(), wanted)
        walk = self._walk = LogWalk(state, wanted, dice, self._held)
        walk.kept = kept
        yield from walk.dice.at_first()
        for row in self._events():
            *columns, stored_hash = row
            yield from walk.take(entry_of(columns), columns[-1].encode(), bytes(stored_hash))
        yield from walk.finish(self.head)

    def _seeds(self) -> Seeds:
        return Seeds(self.head.settings, self.head.seed)

    def _rolls(self) -> dict[int, tuple[Rolled, ...]]:
        rows = self.connection.execute(
            select(roll.c.version, roll.c.body).where(roll.c.encounter_id == self.head.id).order_by(roll.c.version)
        )
        return {row.version: rolls_of(row.body) for row in rows}

    def _wanted(self) -> set[int]:
        rows = self.connection.execute(
            select(event.c.body).where(event.c.encounter_id == self.head.id, event.c.type == "rewound")
        )
        back = {msgspec.json.decode(row.body)["to_version"] for row in rows}
        snapshots = self.connection.execute(
            select(snapshot.c.version).where(snapshot.c.encounter_id == self.head.id)
        ).scalars()
        now = self._pause()
        self._pauses = frozenset(
            self.connection.execute(select(pause.c.version).where(pause.c.encounter_id == self.head.id)).scalars()
        )
        base = () if now is None or now.pending is None else (msgspec.json.decode(now.pending)["base_version"],)
        return {*back, *snapshots, *base}

    def _events(self) -> Iterator[Any]:
        columns = [event.c[name] for name in (*ENTRY_COLUMNS, "hash")]
        last = 0
        while True:
            rows = self.connection.execute(
                select(*columns)
                .where(event.c.encounter_id == self.head.id, event.c.seq > last)
                .order_by(event.c.seq)
                .limit(PAGE)
            ).all()
            if not rows:
                return
            yield from rows
            last = rows[-1].seq

    def _state(self, state: State) -> Iterator[str]:
        rows = self.connection.execute(
            select(part.c.ord, part.c.shape, part.c.body, part.c.version, part.c.removed).where(
                part.c.encounter_id == self.head.id
            )
        ).all()
        stored = {row.ord: raised("part", row.body, row.shape) for row in rows if not row.removed}
        folded = decompose(state)
        for place in sorted(stored.keys() | folded.keys()):
            if stored.get(place) != folded.get(place):
                yield f"part {place} is not what the log says"
        if any(row.version > self.head.version for row in rows):
            yield "a part is newer than the encounter"
        slot = state.clock.slot
        copies = (("status", state.status), ("round", state.clock.round), ("active", slot and slot.owner))
        for name, found in copies:
            if getattr(self.head, name) != found:
                yield f"the row says {name} {getattr(self.head, name)!r}, the state {found!r}"
        if whole(compose(folded)) != whole(state):
            yield "the state does not survive being stored"

    def _snapshots(self, kept: dict[int, State]) -> Iterator[str]:
        for row in self.connection.execute(select(snapshot).where(snapshot.c.encounter_id == self.head.id)).all():
            if row.version == 0:
                continue
            if row.version not in kept or whole(kept[row.version]) != raised("state", row.body, row.shape):
                yield f"the snapshot of version {row.version} is not what the log says"

    def _pause(self, version: int | None = None) -> Any:
        at = self.head.version if version is None else version
        return self.connection.execute(
            select(pause.c.shape, pause.c.pending, pause.c.decisions, pause.c.base).where(
                pause.c.encounter_id == self.head.id, pause.c.version == at
            )
        ).first()

    def _held(self, version: int) -> Held | None:
        if version not in self._pauses:
            return None
        now = self._pause(version)
        return pending_of(now), _decisions.decode(raised("decisions", now.decisions, now.shape))

    def _waited_at_first(self) -> Pending | None:
        return pending_of(self._pause(1))

    def _waiting(self, kept: dict[int, State]) -> Iterator[str]:
        now = self._pause()
        held = self._held(self.head.version)
        pending, opened = (None, ()) if held is None else held
        rows = self.connection.execute(
            select(decision.c.body).where(decision.c.encounter_id == self.head.id, decision.c.status == "open")
        ).scalars()
        if {one.id: one for one in opened} != {one.id: one for one in map(_decision.decode, rows)}:
            yield "what is open is not what the encounter waits for"
        if pending is not None:
            state = kept[self.head.version]
            base = _based(now, state)
            before = base if pending.base_version == 0 else kept.get(pending.base_version)
            is_of_a_fork = pending.base_version != 0 or (self.dice is not None and self.dice.is_fork)
            if before is None or not is_of_a_fork or whole(before) != whole(base):
                yield f"the pending command does not start from version {pending.base_version}"
            yield from self._once_more(state, base, pending, opened)

    def _waited(self, origin: State) -> Iterator[str]:
        """What waited where it was forked: dice that it had then are in no log but that of another encounter."""
        if self.dice is None or not self.dice.is_fork or self.head.version == 1:
            return
        held = self._held(1)
        pending, opened = (None, ()) if held is None else held
        if pending is not None:
            yield from self._once_more(origin, _based(self._pause(1), origin), pending, opened)

    def _once_more(self, state: State, base: State, pending: Pending, opened: tuple[Decision, ...]) -> Iterator[str]:
        found = None if self._again is None else self._again(self.connection, self.head, state, base, pending, opened)
        if found is None:
            self._not_again += 1
        else:
            yield from found

    def _row(self) -> Iterator[str]:
        """What the row says that the log, the rolls or the rules say too."""
        head, dice = self.head, self.dice
        assert dice is not None
        if head.epoch != dice.epoch:
            yield f"the row says {head.epoch} rewinds, the log {dice.epoch}"
        if not dice.highest <= head.commands or (not dice.is_fork and head.commands > head.version):
            yield f"the row says that the last command has number {head.commands}, which it cannot have"
        if told_of(head.settings).forked != dice.is_fork:
            yield "the settings say something else of a fork than the log"
        column = rules_document.c
        rules = self.connection.execute(select(column.ruleset).where(column.pin == head.pin)).scalar()
        if rules is not None and rules != head.ruleset:
            yield f"the rules it is played by are of {rules}, not of {head.ruleset}"
        if self._walk is not None and self._walk.state.ruleset != head.ruleset:
            yield f"the row says ruleset {head.ruleset}, the state {self._walk.state.ruleset}"
        held = self._held(head.version)
        if held is not None and held[0] is not None and held[0].pin != head.pin:
            yield "what waits began under other rules than the row says"

    def _outbox(self) -> Iterator[str]:
        rows = self.connection.execute(
            select(outbox.c.version, outbox.c.seq_from, outbox.c.seq_to).where(outbox.c.encounter_id == self.head.id)
        ).all()
        if len({row.version for row in rows}) != len(rows):
            yield "a version stands in the outbox twice"
        if any(not 1 <= row.seq_from <= row.seq_to <= self.head.seq for row in rows):
            yield "the outbox speaks of events that are not there"


def _orphans(connection: Connection) -> Iterator[str]:
    known = select(encounter.c.id).union_all(select(purge.c.encounter_id)).subquery()
    tables: tuple[Table, ...] = (event, part, pause, roll, snapshot, decision)
    for table in tables:
        found = connection.execute(
            select(table.c.encounter_id).distinct().where(table.c.encounter_id.not_in(select(known.c.id)))
        ).all()
        if found:
            yield f"{table.name} has rows of {len(found)} encounters that are not there"
    ahead = (
        select(func.count())
        .select_from(idempotency.join(encounter, encounter.c.id == idempotency.c.encounter_id))
        .where(idempotency.c.version > encounter.c.version)
    )
    if count := connection.execute(ahead).scalar():
        yield f"{count} answers are remembered for versions that are not there"
