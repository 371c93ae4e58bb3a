"""What the database holds, turned into values. Written for a driver's connection, so that writer and readers share it.

Several statements of one reading must see one moment: callers run them in a transaction, or where nobody else writes.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from app.engine.events import Rewound
from app.engine.fold import fold
from app.engine.state import State
from app.persistence.drivers import Driver
from app.persistence.parts import compose, from_whole, patched, unpacked
from app.persistence.shapes import raised
from app.persistence.statements import HEAD_COLUMNS, Statements
from app.persistence.work import (
    Ahead,
    Audience,
    Decision,
    Entry,
    Head,
    Live,
    Moment,
    NotFound,
    Once,
    Pending,
    PersistenceError,
    Reply,
    cursor,
)

_pending = msgspec.json.Decoder(Pending)
_decisions = msgspec.json.Decoder(tuple[Decision, ...])
_decision = msgspec.json.Decoder(Decision)
_headers = msgspec.json.Decoder(dict[str, str])

FOLD_PAGE = 1000
"""How many events are read at once when a state is folded from the log."""


class Damaged(PersistenceError):
    """Rows do not fit together: an encounter without its state, an event that is missing."""


class Stored(msgspec.Struct, frozen=True):
    """A reply that was given under a key."""

    request_hash: bytes
    reply: Reply
    created_at: int


def head_of(row: Sequence[Any]) -> Head:
    """An encounter's row."""
    return Head(**dict(zip(HEAD_COLUMNS, row, strict=True)))


def entry_of(row: Sequence[Any]) -> Entry:
    """An event's row."""
    seq, public_seq, version, at, kind, audience, blank, shape, body = row
    names = tuple(blank.split(",")) if blank else ()
    return Entry(seq, public_seq, version, at, kind, audience, names, raised("event", body, shape).encode())


def stored_of(row: Sequence[Any]) -> Stored:
    """A key's row."""
    request_hash, status, headers, response, created_at = row
    reply = Reply(status, _headers.decode(headers), bytes(response), replayed=True)
    return Stored(bytes(request_hash), reply, created_at)


def find_head(connection: Driver, statements: Statements, encounter: str) -> Head:
    """The row of an encounter. Raises `NotFound`."""
    row = connection.execute(statements.head, (encounter,)).fetchone()
    if row is None:
        raise NotFound(encounter)
    return head_of(row)


def find_stored(connection: Driver, statements: Statements, once: Once) -> Stored | None:
    """What was answered under a key."""
    row = connection.execute(statements.key, (once.token, once.key)).fetchone()
    return None if row is None else stored_of(row)


def load(connection: Driver, statements: Statements, head: Head, known: Live | None = None) -> Live:
    """The encounter that belongs to a row: what is known brought up to date, or the whole of it."""
    if known is not None and known.head.version == head.version and known.head.hash == head.hash:
        return known
    is_behind = known is not None and known.head.id == head.id and known.head.version < head.version
    since = known.head.version if known is not None and is_behind else 0
    patch = {
        place: None if removed else raised("part", body, shape)
        for place, shape, body, removed in connection.execute(statements.parts, (head.id, since)).fetchall()
    }
    if known is not None and is_behind:
        state = patched(known.state, patch)
    else:
        state = compose({place: body for place, body in patch.items() if body is not None})
    pending, base, decisions = _pause(connection, statements, head.id, head.version, state)
    return Live(head=head, state=state, pending=pending, base=base, decisions=decisions)


def _pause(
    connection: Driver, statements: Statements, encounter_id: int, version: int, state: State
) -> tuple[Pending | None, State | None, tuple[Decision, ...]]:
    row = connection.execute(statements.pause, (encounter_id, version)).fetchone()
    if row is None:
        return None, None, ()
    shape, pending, decisions, base = row
    opened = _decisions.decode(raised("decisions", decisions, shape))
    if pending is None:
        return None, None, opened
    back = {place: body and raised("part", body, shape) for place, body in unpacked(base).items()}
    return _pending.decode(raised("pending", pending, shape)), patched(state, back), opened


def find_decision(connection: Driver, statements: Statements, head: Head, decision: str) -> Decision | None:
    """A decision by id, open or closed."""
    row = connection.execute(statements.decision, (head.id, decision)).fetchone()
    if row is None:
        return None
    body, status = row
    return msgspec.structs.replace(_decision.decode(body), status=status)


def page(
    connection: Driver,
    statements: Statements,
    head: Head,
    audience: Audience,
    *,
    after: int = 0,
    before: int | None = None,
    limit: int = 200,
) -> list[Entry]:
    """Entries after, or before, a number in the reader's own count. Raises `Ahead` for one beyond the log."""
    newest = cursor(head, audience)
    if after > newest:
        raise Ahead(newest)
    backwards = before is not None
    if before is not None:
        first, last = 1, _place(connection, statements, head, audience, min(before, newest + 1)) - 1
    else:
        first, last = _place(connection, statements, head, audience, after + 1), head.seq
    rows = connection.execute(statements.entries[audience, backwards], (head.id, first, last, limit)).fetchall()
    return [entry_of(row) for row in rows]


def _place(connection: Driver, statements: Statements, head: Head, audience: Audience, number: int) -> int:
    """The seq of the event with that number in the reader's count; one past the end when there is none yet."""
    if audience == "gm" or number > head.public_seq:
        return number if audience == "gm" else head.seq + 1
    # Between the two bounds lie only events that are not for everybody, so without any there is nothing to search.
    low, high = number, head.seq - (head.public_seq - number)
    while low < high:
        middle = (low + high) // 2
        if _counts(connection, statements, head, middle)[0] >= number:
            high = middle
        else:
            low = middle + 1
    return low


def last_seq(connection: Driver, statements: Statements, head: Head, version: int) -> int:
    """The seq of a version's last event."""
    low, high = version, head.seq - (head.version - version)
    while low < high:
        middle = (low + high + 1) // 2
        if _counts(connection, statements, head, middle)[1] <= version:
            low = middle
        else:
            high = middle - 1
    return low


def _counts(connection: Driver, statements: Statements, head: Head, seq: int) -> tuple[int, int]:
    row = connection.execute(statements.counts, (head.id, seq)).fetchone()
    if row is None:
        raise Damaged(f"{head.public_id} has no event {seq}")
    return row[0], row[1]


def moment(connection: Driver, statements: Statements, head: Head, version: int) -> Moment:
    """The encounter as it stood at a version. Raises `NotFound` for one that it never had."""
    if not 1 <= version <= head.version:
        raise NotFound(f"{head.public_id} at version {version}")
    state = state_at(connection, statements, head, version)
    pending, base, decisions = _pause(connection, statements, head.id, version, state)
    return Moment(version=version, state=state, pending=pending, base=base, decisions=decisions)


def state_at(connection: Driver, statements: Statements, head: Head, version: int) -> State:
    """The state after a version, from the nearest snapshot and the log alone.

    A rewind in between does not matter for itself: the walk goes back to the version that it names and on from there.
    """
    tails: list[list[Entry]] = []
    while True:
        row = connection.execute(statements.snapshot, (head.id, version)).fetchone()
        if row is None:
            raise Damaged(f"{head.public_id} has no snapshot of its beginning")
        _, seq, shape, body = row
        last = last_seq(connection, statements, head, version) if version else 0
        tail, back = _tail(connection, statements, head, seq + 1, last)
        tails.append(tail)
        if back is None:
            return _folded(from_whole(raised("state", body, shape)), tails)
        version = back


def _folded(state: State, tails: list[list[Entry]]) -> State:
    for tail in reversed(tails):
        for entry in tail:
            state = fold(state, entry.event)
    return state


def _tail(
    connection: Driver, statements: Statements, head: Head, first: int, last: int
) -> tuple[list[Entry], int | None]:
    """Events from `first` to `last`, or those after the last rewind among them with the version it went back to."""
    found: list[Entry] = []
    back: int | None = None
    while first <= last:
        rows = connection.execute(statements.entries["gm", False], (head.id, first, last, FOLD_PAGE)).fetchall()
        if not rows:
            raise Damaged(f"{head.public_id} has no event {first}")
        for entry in map(entry_of, rows):
            if entry.type == "rewound":
                rewound = entry.event
                assert isinstance(rewound, Rewound)
                found, back = [], rewound.to_version
            else:
                found.append(entry)
        first += len(rows)
    return found, back
