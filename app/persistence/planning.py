"""From commands to rows, without a word to the database. Both databases plan alike and differ in when they do it.

A batch holds what several commands want written. Commands for one encounter chain through `live`; its row and each of
its parts are then written once.
"""

from typing import Any

import msgspec

from app.engine.state import State
from app.persistence.audit import FIRST_HASH, linked
from app.persistence.parts import Patch, decompose, difference, packed, real_difference, there
from app.persistence.shapes import SHAPE
from app.persistence.statements import HEAD_CHANGES
from app.persistence.work import (
    Change,
    Committed,
    Creation,
    Decision,
    Entry,
    Head,
    Job,
    KeyReused,
    Live,
    Once,
    PersistenceError,
    Reply,
    Stale,
    Told,
    revision,
)

_encoder = msgspec.json.Encoder()
KEPT_MS = 48 * 3600 * 1000
"""How long a key is remembered at least."""

Row = tuple[Any, ...]


class BrokenLaw(PersistenceError):
    """A change that must not be stored, whatever it says: our own bug, never the caller's."""


class Batch:
    """Rows of one transaction, and what the encounters look like once it is committed."""

    def __init__(self, now: int) -> None:
        self.now = now
        self.live: dict[str, Live] = {}
        """Encounters as they stand inside the batch, by public id."""
        self.told: list[tuple[str, Told]] = []
        self.replies: dict[tuple[str, str], tuple[bytes, Reply]] = {}
        """What is answered under keys of this batch."""
        self._heads: dict[int, tuple[int, Head]] = {}
        self._parts: dict[tuple[int, int], Row] = {}
        self._new_parts: set[tuple[int, int]] = set()
        self._decisions: dict[tuple[int, str], Row] = {}
        self._closed: dict[tuple[int, str], str] = {}
        self.events: list[Row] = []
        self.pauses: list[Row] = []
        self.rolls: list[Row] = []
        self.keys: list[Row] = []
        self.lapsed_keys: list[Row] = []
        self.outbox: list[Row] = []

    def repeated(self, once: Once | None) -> Reply | None:
        """The reply that this batch already holds for a key. Raises `KeyReused` if it is for something else."""
        found = None if once is None else self.replies.get((once.token, once.key))
        if found is None or once is None:
            return None
        return repeated(found[0], found[1], once)

    def decide(self, job: Job, live: Live) -> Reply:
        """Run a job on an encounter and take in what it wants written. What is raised leaves the batch unchanged."""
        head = live.head
        current = revision(head, job.audience)
        if job.if_match is not None and job.if_match != current:
            raise Stale(current)
        change, render = job.decide(live)
        planned = _Planned(head, live, change, self.now)
        reply = render(planned.committed)
        self._take(planned, change)
        if job.once is not None:
            self.remember(job.once, reply, planned.after)
        return reply

    def create(self, creation: Creation, encounter_id: int) -> Reply:
        """Take in a new encounter whose row (version 0, nothing told) was inserted under that number."""
        head = first_head(creation, encounter_id, self.now)
        live = Live(head=head, state=State(ruleset=""))
        planned = _Planned(head, live, creation.change, self.now)
        reply = creation.render(planned.committed)
        self._take(planned, creation.change)
        if creation.once is not None:
            self.remember(creation.once, reply, planned.after)
        return reply

    def remember(self, once: Once, reply: Reply, head: Head | None = None) -> None:
        """Store a reply under its key."""
        self.replies[once.token, once.key] = (once.request_hash, reply)
        headers = _encoder.encode(reply.headers).decode()
        place = (None, None) if head is None else (head.id, head.version)
        self.keys.append((once.token, once.key, once.request_hash, reply.status, headers, reply.body, *place, self.now))

    def forget(self, once: Once) -> None:
        """Take away an older row of a key whose time is over, so that it can be used again."""
        self.lapsed_keys.append((once.token, once.key, self.now - KEPT_MS))

    def _take(self, planned: "_Planned", change: Change) -> None:
        before, after = planned.before, planned.after
        self.live[after.public_id] = planned.committed.live
        self.told.append((after.public_id, planned.committed.told))
        self._heads[after.id] = (self._heads[after.id][0] if after.id in self._heads else before.version, after)
        for place, body in planned.patch.items():
            key = (after.id, place)
            if before.version == 0 or not there(planned.old, place):
                self._new_parts.add(key)
            self._parts[key] = (after.version, SHAPE, body or "", body is None)
        for opened in planned.opened:
            self._closed.pop((after.id, opened.id), None)
            self._decisions[after.id, opened.id] = _decision_row(after.id, opened)
        for decision, status in planned.closed.items():
            self._closed[after.id, decision] = status
        self.events.extend(planned.events)
        if change.pending is not None or change.decisions:
            pending = None if change.pending is None else _encoder.encode(change.pending).decode()
            base = {} if change.base is None else difference(change.state, change.base)
            decisions = _encoder.encode(change.decisions).decode()
            self.pauses.append((after.id, after.version, SHAPE, pending, decisions, packed(base)))
        if change.rolls:
            self.rolls.append((after.id, after.version, _encoder.encode(change.rolls).decode()))
        self.outbox.append((after.id, after.version, before.seq + 1, after.seq, self.now))

    @property
    def heads(self) -> list[Row]:
        """Changed encounters, by id: two workers that touch the same ones must do so in the same order."""
        return [
            (*(getattr(head, name) for name in HEAD_CHANGES), number, version)
            for number, (version, head) in sorted(self._heads.items())
        ]

    @property
    def parts(self) -> list[Row]:
        """Changed parts that have a row."""
        return [(*row, *key) for key, row in sorted(self._parts.items()) if key not in self._new_parts]

    @property
    def new_parts(self) -> list[Row]:
        """Changed parts that may have none."""
        return [(*key, *row) for key, row in sorted(self._parts.items()) if key in self._new_parts]

    @property
    def decisions(self) -> list[Row]:
        """Decisions that were opened."""
        return [row for _, row in sorted(self._decisions.items())]

    @property
    def closed(self) -> list[Row]:
        """Decisions that were closed."""
        return [(status, *key) for key, status in sorted(self._closed.items())]


class _Planned:
    """One change, worked out."""

    def __init__(self, head: Head, live: Live, change: Change, now: int) -> None:
        _judge(change)
        self.before = head
        self.old = live.state
        version = head.version + 1
        seq, public_seq, chain = head.seq, head.public_seq, head.hash
        entries: list[Entry] = []
        self.events: list[Row] = []
        for emitted in change.events:
            body = _encoder.encode(emitted.event)
            seq += 1
            if emitted.audience == "all":
                public_seq += 1
            kind: str = emitted.event.__struct_config__.tag  # type: ignore[assignment]
            entry = Entry(seq, public_seq, version, now, kind, emitted.audience, emitted.blank, body)
            chain = linked(chain, entry, body)
            entries.append(entry)
            blank = ",".join(emitted.blank)
            self.events.append(
                (head.id, seq, public_seq, version, now, kind, emitted.audience, blank, SHAPE, body.decode(), chain)
            )
        state = change.state
        slot = state.clock.slot
        self.after = msgspec.structs.replace(
            head,
            name=head.name if change.name is None else change.name,
            settings=head.settings if change.settings is None else change.settings,
            status=state.status,
            round=state.clock.round,
            active=None if slot is None else slot.owner,
            version=version,
            seq=seq,
            public_seq=public_seq,
            epoch=head.epoch + (change.to_version is not None),
            commands=head.commands if change.commands is None else change.commands,
            seed=head.seed if change.seed is None else change.seed,
            hash=chain,
            updated_at=now,
        )
        if head.version == 0:
            self.patch: Patch = dict(decompose(state))
        elif change.to_version is None:
            self.patch = difference(live.state, state)
        else:
            self.patch = real_difference(live.state, state)
        known = {decision.id: decision for decision in live.decisions}
        self.opened = [decision for decision in change.decisions if known.pop(decision.id, None) != decision]
        self.closed = {name: change.closed.get(name, "withdrawn") for name in known}
        self.committed = Committed(
            live=Live(
                head=self.after, state=state, pending=change.pending, base=change.base, decisions=change.decisions
            ),
            told=Told(version, tuple(entries)),
            before=head,
        )


def _judge(change: Change) -> None:
    if not change.events:
        raise BrokenLaw("a version without an event")
    if (change.pending is None) != (change.base is None):
        raise BrokenLaw("a pending command and its base come together")
    if (change.to_version is not None) != any(kind.event.__class__.__name__ == "Rewound" for kind in change.events):
        raise BrokenLaw("a rewind and its event come together")


def first_head(creation: Creation, encounter_id: int, now: int) -> Head:
    """The row of an encounter before its first version."""
    return Head(
        id=encounter_id,
        public_id=creation.public_id,
        campaign_id=creation.campaign_id,
        name=creation.name,
        ruleset=creation.ruleset,
        pin=creation.pin,
        status="setup",
        round=0,
        active=None,
        version=0,
        seq=0,
        public_seq=0,
        epoch=0,
        commands=0,
        seed=creation.seed,
        hash=FIRST_HASH,
        settings=creation.settings,
        created_at=now,
        updated_at=now,
    )


def repeated(request_hash: bytes, reply: Reply, once: Once) -> Reply:
    """A stored reply for a retry. Raises `KeyReused` if the request is another one."""
    if request_hash != once.request_hash:
        raise KeyReused(once.key)
    return reply if reply.replayed else msgspec.structs.replace(reply, replayed=True)


def _decision_row(encounter_id: int, decision: Decision) -> Row:
    body = _encoder.encode(decision).decode()
    return (
        encounter_id, decision.id, decision.status, decision.owner, decision.kind, decision.expires_at, None, body,
    )  # fmt: skip
