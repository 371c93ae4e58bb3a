"""Which stretches of a log count, and which were left behind by going back: worked out from its rewinds alone."""

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, select

from app.persistence.tables import event
from app.persistence.work import Audience, Head


class Rewind(msgspec.Struct, frozen=True):
    """The version that a rewind made, and the one it went back to."""

    version: int
    to_version: int


class Stretch(msgspec.Struct, frozen=True):
    """Versions from `first` to `last`, both included."""

    first: int
    last: int
    abandoned: bool


def stretches(newest: int, rewinds: Sequence[Rewind]) -> list[Stretch]:
    """All versions up to the newest, oldest first: those that led to the present, and those that were left behind.

    Walked from the end: the newest rewind before a version that counts is where the walk goes back from.
    """
    found: list[Stretch] = []
    last = newest
    for rewind in sorted(rewinds, key=lambda one: one.version, reverse=True):
        if rewind.version > last:
            continue  # made on a stretch that was left behind itself
        found.append(Stretch(rewind.version, last, abandoned=False))
        if rewind.to_version + 1 < rewind.version:
            found.append(Stretch(rewind.to_version + 1, rewind.version - 1, abandoned=True))
        last = rewind.to_version
    if last >= 1:
        found.append(Stretch(1, last, abandoned=False))
    return found[::-1]


def rewinds_of(connection: Connection, head: Head) -> list[Rewind]:
    """Every rewind of an encounter. None for most, so that most need not look through their log."""
    if not head.epoch:
        return []
    rows = connection.execute(
        select(event.c.version, event.c.body)
        .where(event.c.encounter_id == head.id, event.c.type == "rewound", event.c.version <= head.version)
        .order_by(event.c.seq)
    )
    return [Rewind(row.version, msgspec.json.decode(row.body)["to_version"]) for row in rows]


def numbered(connection: Connection, head: Head, found: Stretch, audience: Audience) -> tuple[int, int] | None:
    """The first and the last event of a stretch in the reader's own count; None where he knows of none."""
    column = event.c.seq if audience == "gm" else event.c.public_seq
    rows = select(column).where(
        event.c.encounter_id == head.id, event.c.version >= found.first, event.c.version <= found.last
    )
    if audience != "gm":
        rows = rows.where(event.c.visible_to == "all")
    first = connection.execute(rows.order_by(event.c.seq).limit(1)).scalar()
    if first is None:
        return None
    return first, connection.execute(rows.order_by(event.c.seq.desc()).limit(1)).scalar_one()
