"""What both writers do alike: rows to the driver, encounters made and deleted, keys, errors put into our words."""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.exc import DBAPIError

from app.persistence import failpoints
from app.persistence.bringing import Bringing, bring
from app.persistence.due import claim_due
from app.persistence.parts import whole
from app.persistence.planning import KEPT_MS, Batch, first_head, repeated
from app.persistence.reading import find_head, find_stored
from app.persistence.shapes import SHAPE
from app.persistence.statements import HEAD_COLUMNS, Statements
from app.persistence.tables import campaign, decision, encounter, outbox, purge
from app.persistence.work import (
    Busy,
    Creation,
    Deletion,
    Due,
    Job,
    NotFound,
    Once,
    PersistenceError,
    Reply,
    Stale,
    StorageFull,
    Told,
    revision,
)

logger = logging.getLogger("turnwright.persistence")
T = TypeVar("T")

QUEUE_LIMIT = 1000
"""Jobs that may wait; more are refused as `Busy`."""
BATCH_LIMIT = 64
QUARANTINE_S = 60.0
"""How long an encounter whose write failed runs last and alone."""


class WriteFailed(PersistenceError):
    """The database refused the rows of a command, for a reason that is ours. Nothing was written."""


class Task:
    """A job and whoever waits for it."""

    __slots__ = ("born", "future", "job")

    def __init__(self, job: Job, future: "asyncio.Future[Reply]") -> None:
        self.job = job
        self.future = future
        self.born = time.monotonic()


Outcome = tuple["asyncio.Future[Any]", Any, BaseException | None]
"""Who waits, what he gets, or what is raised for him."""


def deliver(outcomes: Iterable[Outcome]) -> None:
    """Answer those who still wait. Runs on the event loop."""
    for future, value, error in outcomes:
        if future.done():
            continue
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)


def write(connection: Any, statements: Statements, batch: Batch) -> Any:
    """Hand the rows to the driver, encounters first. Gives the cursor that counts the encounters which were found."""
    heads = connection.cursor()
    heads.executemany(statements.update_head, batch.heads)
    for statement, rows in (
        (statements.update_part, batch.parts),
        (statements.insert_part, batch.new_parts),
    ):
        _many(connection, statement, rows)
    failpoints.reach("after_state")
    _many(connection, statements.insert_event, batch.events)
    failpoints.reach("after_events")
    for statement, rows in (
        (statements.insert_pause, batch.pauses),
        (statements.insert_roll, batch.rolls),
        (statements.insert_decision, batch.decisions),
        (statements.close_decision, batch.closed),
        (statements.insert_outbox, batch.outbox),
        (statements.delete_key, batch.lapsed_keys),
        (statements.insert_key, batch.keys),
    ):
        _many(connection, statement, rows)
    return heads


def _many(connection: Any, statement: str, rows: list[Any]) -> None:
    if rows:
        connection.cursor().executemany(statement, rows)


def answered_before(connection: Any, statements: Statements, batch: Batch, once: Once | None) -> Reply | None:
    """The reply that a key already has, in this batch or in the database. Raises `KeyReused`."""
    if once is None:
        return None
    if (reply := batch.repeated(once)) is not None:
        return reply
    stored = find_stored(connection, statements, once)
    if stored is None:
        return None
    if stored.created_at < batch.now - KEPT_MS:
        batch.forget(once)
        return None
    return repeated(stored.request_hash, stored.reply, once)


class Single:
    """Something that is written in a transaction of its own."""

    def __init__(self, statements: Statements, now: int) -> None:
        self._statements = statements
        self.batch = Batch(now)
        self.buried: str | None = None
        """An encounter that is gone once this is committed."""

    def create(self, connection: Connection, creation: Creation) -> Reply:
        """Store a new encounter."""
        driver: Any = connection.connection.driver_connection
        if (reply := answered_before(driver, self._statements, self.batch, creation.once)) is not None:
            return reply
        if connection.execute(select(campaign.c.id).where(campaign.c.id == creation.campaign_id)).first() is None:
            raise NotFound(creation.campaign_id)
        if creation.admit is not None:
            creation.admit(connection)
        head = first_head(creation, 0, self.batch.now)
        row = {name: getattr(head, name) for name in HEAD_COLUMNS if name != "id"}
        number = connection.execute(insert(encounter).values(row).returning(encounter.c.id)).scalar_one()
        reply = self.batch.create(creation, number)
        driver.cursor().execute(self._statements.insert_snapshot, (number, 0, 0, SHAPE, whole(creation.origin)))
        write(driver, self._statements, self.batch)
        return reply

    def bring(self, connection: Connection, bringing: Bringing) -> Reply:
        """Store an encounter that was read from a file."""
        driver: Any = connection.connection.driver_connection
        if (reply := answered_before(driver, self._statements, self.batch, bringing.once)) is not None:
            return reply
        reply = bring(connection, self._statements, self.batch, bringing)
        write(driver, self._statements, self.batch)
        return reply

    def delete(self, connection: Connection, deletion: Deletion) -> Reply:
        """Take an encounter away at once; most of its rows follow later."""
        driver: Any = connection.connection.driver_connection
        if (reply := answered_before(driver, self._statements, self.batch, deletion.once)) is not None:
            return reply
        locked = select(encounter.c.id).where(encounter.c.public_id == deletion.encounter).with_for_update()
        connection.execute(locked)
        head = find_head(driver, self._statements, deletion.encounter)
        current = revision(head, deletion.audience)
        if deletion.if_match is not None and deletion.if_match != current:
            raise Stale(current)
        reply = deletion.render(head)
        connection.execute(delete(outbox).where(outbox.c.encounter_id == head.id))
        # At once, so that nobody answers what is gone.
        connection.execute(delete(decision).where(decision.c.encounter_id == head.id))
        connection.execute(insert(purge).values(encounter_id=head.id))
        connection.execute(delete(encounter).where(encounter.c.id == head.id))
        if deletion.once is not None:
            self.batch.remember(deletion.once, reply)
        self._write_keys(driver)
        self.buried = deletion.encounter
        return reply

    def once(self, connection: Connection, work: Callable[[Connection], Reply], once: Once) -> Reply:
        """Run other statements under a key."""
        driver: Any = connection.connection.driver_connection
        if connection.dialect.name == "postgresql":
            # The same key twice at once: the second waits, and then finds what the first was answered.
            name = f"{once.token}\n{once.key}"
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(name, 0))))
        if (reply := answered_before(driver, self._statements, self.batch, once)) is not None:
            return reply
        reply = work(connection)
        self.batch.remember(once, reply)
        self._write_keys(driver)
        return reply

    @property
    def told(self) -> list[tuple[str, Told]]:
        """News to be spread after the commit."""
        return self.batch.told

    def _write_keys(self, driver: Any) -> None:
        _many(driver, self._statements.delete_key, self.batch.lapsed_keys)
        _many(driver, self._statements.insert_key, self.batch.keys)


class AloneWriter(ABC):
    """What either writer writes in a transaction of its own. How such a transaction is run is the writer's own."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self.clock = clock

    async def create(self, creation: Creation) -> Reply:
        """Store a new encounter."""
        reply: Reply = await self._alone(lambda single, connection: single.create(connection, creation))
        return reply

    async def bring(self, bringing: Bringing) -> Reply:
        """Store an encounter that was read from a file."""
        reply: Reply = await self._alone(lambda single, connection: single.bring(connection, bringing))
        return reply

    async def delete(self, deletion: Deletion) -> Reply:
        """Remove an encounter with everything that belongs to it."""
        reply: Reply = await self._alone(lambda single, connection: single.delete(connection, deletion))
        return reply

    async def execute(self, work: Callable[[Connection], T]) -> T:
        """Run SQLAlchemy statements in one transaction."""
        result: T = await self._alone(lambda _, connection: work(connection))
        return result

    async def execute_once(self, work: Callable[[Connection], Reply], once: Once) -> Reply:
        """The same under an idempotency key."""
        reply: Reply = await self._alone(lambda single, connection: single.once(connection, work, once))
        return reply

    async def due_decisions(self, *, limit: int = 50, lease_ms: int = 30_000) -> Sequence[Due]:
        """Open decisions whose time is up, each given to one caller only until its lease runs out."""
        now = self.clock()
        return await self.execute(lambda connection: claim_due(connection, now, limit, lease_ms))

    @abstractmethod
    async def _alone(self, work: Callable[[Single, Connection], Any]) -> Any:
        """Run this in a transaction of its own, and spread its news after the commit."""


def in_our_words(error: BaseException) -> BaseException:
    """A driver's error as one of ours where it means something to the caller; anything else as it is."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    name = type(cause).__name__
    text = str(cause).lower()
    if name == "OperationalError" and ("locked" in text or "busy" in text):
        return Busy("the database is locked")
    if name == "DiskFull" or "disk is full" in text:
        return StorageFull("the disk is full")
    if name in ("LockNotAvailable", "QueryCanceled", "DeadlockDetected", "TooManyConnections", "CannotConnectNow"):
        return Busy(text)
    return error
