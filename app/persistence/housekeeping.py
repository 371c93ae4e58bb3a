"""What can wait until nobody is waiting: snapshots, old keys, rows of deleted encounters. In small steps."""

from sqlalchemy import Connection, Table, delete, func, insert, select, tuple_

from app.persistence.cache import Cache
from app.persistence.parts import whole
from app.persistence.planning import KEPT_MS
from app.persistence.shapes import SHAPE
from app.persistence.tables import (
    event,
    idempotency,
    outbox,
    part,
    pause,
    purge,
    roll,
    snapshot,
    webhook,
    webhook_delivery,
)
from app.persistence.webhooks import WAITING

STEP = 200
"""Rows that one step deletes at most."""
SNAPSHOT_EVERY = 256
"""Versions between snapshots. They only save time when an old version is asked for."""
KNOWN_SNAPSHOTS = 10_000
"""Encounters whose newest snapshot is remembered; then it is looked up again."""
OUTBOX_MS = 7 * 24 * 3600 * 1000
"""How long news is kept that nobody has looked through, should nobody do so, and what was or was to be sent of it."""

_TO_PURGE = (event, roll, pause, part, snapshot)


class Housekeeping:
    """The chores of one process. Several processes may do them side by side."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._snapshots: dict[int, int] = {}
        """The version of an encounter's newest snapshot, where it is known."""

    def step(self, connection: Connection, now: int) -> bool:
        """Do a little inside the given transaction; tells whether there may be more to do."""
        return (
            self._old_rows(connection, idempotency, now - KEPT_MS)
            or self._old_rows(connection, outbox, now - OUTBOX_MS)
            or self._old_messages(connection, now - OUTBOX_MS)
            or self._deleted(connection)
            or self._snapshot(connection)
        )

    def _old_rows(self, connection: Connection, table: Table, limit: int) -> bool:
        # Rows are numbered about in the order of time, so the oldest are found without an index on it.
        oldest = connection.execute(select(table.c.id, table.c.created_at).order_by(table.c.id).limit(STEP)).all()
        old = [row.id for row in oldest if row.created_at < limit]
        if old:
            connection.execute(delete(table).where(table.c.id.in_(old)))
        return len(old) == STEP

    def _old_messages(self, connection: Connection, limit: int) -> bool:
        row = webhook_delivery.c
        oldest = (
            select(row.id, row.created_at, row.status, webhook.c.enabled)
            .outerjoin(webhook, webhook.c.id == row.webhook_id)
            .order_by(row.id)
            .limit(STEP)
        )
        # What is still being tried stays, or whatever waits behind it would wait for ever.
        old = [
            found.id
            for found in connection.execute(oldest)
            if found.created_at < limit and not (found.status == WAITING and found.enabled)
        ]
        if old:
            connection.execute(delete(webhook_delivery).where(row.id.in_(old)))
        return len(old) == STEP

    def _deleted(self, connection: Connection) -> bool:
        gone = connection.execute(select(purge.c.encounter_id).limit(1)).scalar()
        if gone is None:
            return False
        for table in _TO_PURGE:
            keys = tuple(table.primary_key.columns)
            some = select(*keys).where(table.c.encounter_id == gone).limit(STEP)
            if connection.execute(delete(table).where(tuple_(*keys).in_(some))).rowcount:
                return True
        connection.execute(delete(purge).where(purge.c.encounter_id == gone))
        return True

    def _snapshot(self, connection: Connection) -> bool:
        if len(self._snapshots) > KNOWN_SNAPSHOTS:
            self._snapshots.clear()
        for live in self._cache.recent():
            head = live.head
            if head.version < SNAPSHOT_EVERY:
                continue
            newest = self._snapshots.get(head.id)
            if newest is None:
                versions = select(func.max(snapshot.c.version)).where(snapshot.c.encounter_id == head.id)
                newest = self._snapshots[head.id] = connection.execute(versions).scalar() or 0
            if head.version - newest >= SNAPSHOT_EVERY:
                is_there = select(snapshot.c.version).where(
                    snapshot.c.encounter_id == head.id, snapshot.c.version == head.version
                )
                if connection.execute(is_there).first() is None:
                    connection.execute(
                        insert(snapshot).values(
                            encounter_id=head.id,
                            version=head.version,
                            seq=head.seq,
                            shape=SHAPE,
                            body=whole(live.state),
                        )
                    )
                self._snapshots[head.id] = head.version
                return True
        return False
