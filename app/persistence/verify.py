"""The auditor: whether everything stored fits together. Reads only, and trusts nothing but the log.

For each encounter: versions and events without a gap, counts and the chain of hashes, the fold of the events equal to
the stored parts and snapshots, what waits equal to what is open, each die to its roll and each roll to the seed that
was committed to. For the database: nothing that belongs to nobody.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, create_engine, func, select

from app.engine.state import State
from app.persistence.audit import DiceAudit, LogWalk, Seeds, rolls_of
from app.persistence.drivers import engine_over, is_sqlite, open_sqlite, sqlite_path
from app.persistence.parts import compose, decompose, from_whole, patched, unpacked, whole
from app.persistence.reading import entry_of, head_of
from app.persistence.shapes import raised
from app.persistence.statements import ENTRY_COLUMNS, HEAD_COLUMNS
from app.persistence.tables import decision, encounter, event, idempotency, outbox, part, pause, purge, roll, snapshot
from app.persistence.work import Decision, Head, Pending, Rolled

PAGE = 1000

_pending = msgspec.json.Decoder(Pending)
_decisions = msgspec.json.Decoder(tuple[Decision, ...])


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
    notes: tuple[str, ...] = ()
    """Which dice could not be checked and why, in plain sentences."""


def verify(url: str, only: str | None = None) -> Report:
    """Look at a whole database, or at one encounter by its public id."""
    reports: list[Report] = []
    findings: list[str] = []
    notes: list[str] = []
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
                reports.append(examine(connection, head))
                findings += (f"{head.public_id}: {finding}" for finding in reports[-1].findings)
                notes += (f"{head.public_id}: {note}" for note in reports[-1].notes)
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
        tuple(notes),
    )


def pending_of(row: Any) -> Pending | None:
    """The command in a row of a pause."""
    if row is None or row.pending is None:
        return None
    return _pending.decode(raised("pending", row.pending, row.shape))


def examine(connection: Connection, head: Head) -> Report:
    """Look at one encounter, in a transaction that sees one moment."""
    encounter = _Encounter(connection, head)
    findings = tuple(encounter.findings())
    dice = encounter.dice
    if dice is None:
        return Report(1, head.seq, findings)
    return Report(1, head.seq, findings, dice.checked, dice.unchecked, dice.reported, dice.notes)


class _Encounter:
    def __init__(self, connection: Connection, head: Head) -> None:
        self.connection = connection
        self.head = head
        self._walk: LogWalk | None = None

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
        yield from self._outbox()

    def _log(self, state: State, kept: dict[int, State]) -> Iterator[str]:
        """Walk the log, keeping the states that are needed later: now, at snapshots, where rewinds and pauses go."""
        dice = DiceAudit(self._seeds(), self._rolls(), self._waited_at_first())
        walk = self._walk = LogWalk(state, self._wanted(), dice)
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

    def _waited_at_first(self) -> Pending | None:
        return pending_of(self._pause(1))

    def _waiting(self, kept: dict[int, State]) -> Iterator[str]:
        now = self._pause()
        opened = () if now is None else _decisions.decode(raised("decisions", now.decisions, now.shape))
        rows = self.connection.execute(
            select(decision.c.id).where(decision.c.encounter_id == self.head.id, decision.c.status == "open")
        ).scalars()
        if {one.id for one in opened} != set(rows):
            yield "what is open is not what the encounter waits for"
        pending = pending_of(now)
        if pending is not None:
            back = {place: body and raised("part", body, now.shape) for place, body in unpacked(now.base).items()}
            base = patched(kept[self.head.version], back)
            before = base if pending.base_version == 0 else kept.get(pending.base_version)
            is_of_a_fork = pending.base_version != 0 or (self.dice is not None and self.dice.is_fork)
            if before is None or not is_of_a_fork or whole(before) != whole(base):
                yield f"the pending command does not start from version {pending.base_version}"

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
