"""An encounter that was read from a file, written in one transaction together with what says where it came from."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select

from app.persistence.lines import Brought, EventLine
from app.persistence.parts import whole
from app.persistence.planning import Batch
from app.persistence.reading import load
from app.persistence.shapes import SHAPE
from app.persistence.statements import HEAD_COLUMNS, Statements
from app.persistence.tables import campaign, encounter
from app.persistence.work import Decide, Head, Job, NotFound, Once, Reply

ROWS = 500


class Bringing(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be written: the head as it is to be (its `id` counts for nothing), the file, and the change on top."""

    head: Head
    brought: Brought
    events: Callable[[], Iterator[EventLine]]
    """Reads them again from the file."""
    decide: Decide
    once: Once | None = None
    admit: Callable[[Connection], None] | None = None


def bring(connection: Connection, statements: Statements, batch: Batch, bringing: Bringing) -> Reply:
    """Write its rows, and plan the change on top of them into `batch`."""
    driver: Any = connection.connection.driver_connection
    head, brought = bringing.head, bringing.brought
    if connection.execute(select(campaign.c.id).where(campaign.c.id == head.campaign_id)).first() is None:
        raise NotFound(head.campaign_id)
    if bringing.admit is not None:
        bringing.admit(connection)
    row = {name: getattr(head, name) for name in HEAD_COLUMNS if name != "id"}
    number: int = connection.execute(insert(encounter).values(row).returning(encounter.c.id)).scalar_one()
    head = msgspec.structs.replace(head, id=number)
    cursor = driver.cursor()
    cursor.execute(statements.insert_snapshot, (number, 0, 0, SHAPE, whole(brought.origin)))
    rows: Iterable[tuple[Any, ...]] = (
        (number, place, head.version, shape, body, False) for place, (shape, body) in brought.parts.items()
    )
    cursor.executemany(statements.insert_part, list(rows))
    _many(
        cursor,
        statements.insert_pause,
        (
            (
                number, one.version, one.shape, one.waits,
                bytes(one.decisions).decode(), bytes(one.base).decode(),
            )
            for one in brought.pauses
        ),
    )  # fmt: skip
    rolls = ((number, one.version, bytes(one.body).decode()) for one in brought.rolls)
    _many(cursor, statements.insert_roll, rolls)
    _many(
        cursor,
        statements.insert_event,
        (
            (
                number, one.seq, one.public_seq, one.version, one.at, one.type, one.visible_to, one.blank, one.shape,
                bytes(one.body).decode(), bytes.fromhex(one.hash),
            )
            for one in bringing.events()
        ),
    )  # fmt: skip
    decisions = (
        (number, one.id, one.status, one.owner, one.kind, one.expires_at, None, msgspec.json.encode(one).decode())
        for one in brought.decisions
    )
    _many(cursor, statements.insert_decision, decisions)
    return batch.decide(
        Job(encounter=head.public_id, decide=bringing.decide, once=bringing.once), load(driver, statements, head)
    )


def _many(cursor: Any, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """A few hundred at a time, so that a long log never stands in memory."""
    some: list[tuple[Any, ...]] = []
    for row in rows:
        some.append(row)
        if len(some) == ROWS:
            cursor.executemany(statement, some)
            some = []
    if some:
        cursor.executemany(statement, some)
