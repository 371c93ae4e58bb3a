"""Reads, on both databases. SQLite answers short questions on the event loop, in 30 µs; PostgreSQL in threads."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import psycopg
from sqlalchemy import Connection, Engine, create_engine, select
from sqlalchemy.exc import OperationalError

from app.persistence.cache import Cache
from app.persistence.drivers import Driver, engine_over, open_sqlite, plain_url
from app.persistence.patience import in_thread
from app.persistence.reading import find_decision, find_head, head_of, load, moment, page
from app.persistence.statements import HEAD_COLUMNS, Statements
from app.persistence.tables import encounter as encounters
from app.persistence.work import Audience, Busy, Decision, Entry, Head, Live, Moment

T = TypeVar("T")

READERS = 4
"""Threads that read from PostgreSQL, each with a connection."""
PATIENCE = {"lock_timeout": 2500, "statement_timeout": 20_000}
"""Milliseconds that a reader waits for a lock, and that one question may take."""
LONG_READERS = 2
"""Threads for what takes long, so that short questions do not wait for it."""


class DatabaseStore(ABC):
    """What both stores do alike."""

    def __init__(self, statements: Statements, cache: Cache) -> None:
        self._statements = statements
        self._cache = cache

    @abstractmethod
    async def _ask(self, question: Callable[[Driver], T], *, is_long: bool = False) -> T:
        """Put a question to a connection that sees one moment of the database."""

    @abstractmethod
    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run short SQLAlchemy queries that write nothing."""

    @abstractmethod
    async def examine(self, work: Callable[[Connection], T]) -> T:
        """Run long SQLAlchemy queries on one moment of the database."""

    @abstractmethod
    async def live(self, encounter: str) -> Live:
        """The encounter as it stands."""

    @abstractmethod
    async def head(self, encounter: str) -> Head:
        """The encounter's row."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of the connections."""

    async def encounters(self, campaign_id: str, *, before: int | None = None, limit: int = 50) -> Sequence[Head]:
        """A campaign's encounters, newest first."""
        rows = select(*(encounters.c[name] for name in HEAD_COLUMNS)).where(encounters.c.campaign_id == campaign_id)
        if before is not None:
            rows = rows.where(encounters.c.id < before)
        rows = rows.order_by(encounters.c.id.desc()).limit(limit)
        return await self.read(lambda connection: [head_of(tuple(row)) for row in connection.execute(rows)])

    async def log(
        self, encounter: str, audience: Audience, *, after: int = 0, before: int | None = None, limit: int = 200
    ) -> Sequence[Entry]:
        """A page of the log in the reader's own count."""

        def question(connection: Driver) -> list[Entry]:
            head = self._known_head(connection, encounter)
            return page(connection, self._statements, head, audience, after=after, before=before, limit=limit)

        return await self._ask(question)

    async def moment(self, encounter: str, version: int) -> Moment:
        """The encounter as it stood at a version."""

        def question(connection: Driver) -> Moment:
            return moment(connection, self._statements, find_head(connection, self._statements, encounter), version)

        return await self._ask(question, is_long=True)

    async def decision(self, encounter: str, decision: str) -> Decision | None:
        """A decision by id, open or closed."""

        def question(connection: Driver) -> Decision | None:
            head = find_head(connection, self._statements, encounter)
            return find_decision(connection, self._statements, head, decision)

        return await self._ask(question)

    async def ping(self) -> None:
        """Ask the database for nothing."""
        await self._ask(lambda connection: connection.execute("SELECT 1").fetchone())

    def _known_head(self, connection: Driver, encounter: str) -> Head:
        """The encounter's row as every other reader of this process has it."""
        return find_head(connection, self._statements, encounter)

    def _load(self, connection: Driver, encounter: str) -> Live:
        head = find_head(connection, self._statements, encounter)
        live = load(connection, self._statements, head, self._cache.get(encounter))
        self._cache.put(live)
        return live


class SqliteStore(DatabaseStore):
    """Reads from a SQLite file through connections that cannot write."""

    def __init__(self, path: str, statements: Statements, cache: Cache) -> None:
        super().__init__(statements, cache)
        self._short = open_sqlite(path, reader=True)
        self._engine = engine_over(self._short, begin="BEGIN")
        self._long = open_sqlite(path, reader=True)
        self._long_engine = engine_over(self._long, begin="BEGIN")
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="turnwright-reader")

    async def live(self, encounter: str) -> Live:
        """The encounter as it stands: what this process knows is the truth, for no other process writes."""
        known = self._cache.get(encounter)
        return known if known is not None else await self._ask(lambda connection: self._load(connection, encounter))

    async def head(self, encounter: str) -> Head:
        """The encounter's row."""
        known = self._cache.get(encounter)
        if known is not None:
            return known.head
        return await self._ask(lambda connection: find_head(connection, self._statements, encounter))

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run short SQLAlchemy queries that write nothing."""
        with self._engine.begin() as connection:
            return work(connection)

    async def examine(self, work: Callable[[Connection], T]) -> T:
        """Run long SQLAlchemy queries in the thread of long readings."""

        def question() -> T:
            with self._long_engine.begin() as connection:
                return work(connection)

        return await in_thread(self._thread, question)

    def _known_head(self, connection: Driver, encounter: str) -> Head:
        # Between a commit and the moment the writer's thread makes it known, the file is ahead. A page that showed
        # more than `live` does would give its reader a cursor beyond the end.
        known = self._cache.get(encounter)
        return known.head if known is not None else super()._known_head(connection, encounter)

    async def close(self) -> None:
        """Let go of the connections."""
        await asyncio.to_thread(self._thread.shutdown)
        self._engine.dispose()
        self._long_engine.dispose()
        self._short.close()
        self._long.close()

    async def _ask(self, question: Callable[[Driver], T], *, is_long: bool = False) -> T:
        if not is_long:
            return _in_transaction(self._short, "BEGIN", question)
        return await in_thread(self._thread, lambda: _in_transaction(self._long, "BEGIN", question))


class PostgresStore(DatabaseStore):
    """Reads from PostgreSQL in a few threads. A connection that was lost is opened again."""

    def __init__(self, url: str, statements: Statements, cache: Cache) -> None:
        super().__init__(statements, cache)
        self._url = plain_url(url)
        self._own = threading.local()
        self._open: list[psycopg.Connection[Any]] = []
        self._threads = ThreadPoolExecutor(max_workers=READERS, thread_name_prefix="turnwright-reader")
        self._long_threads = ThreadPoolExecutor(max_workers=LONG_READERS, thread_name_prefix="turnwright-long-reader")
        self._engine: Engine = create_engine(
            url,
            pool_size=READERS + LONG_READERS,
            pool_pre_ping=True,
            connect_args={
                "connect_timeout": 3,
                "options": " ".join(f"-c {name}={value}" for name, value in PATIENCE.items()),
            },
        )

    async def live(self, encounter: str) -> Live:
        """The encounter as it stands: what is known, if no other process has gone on from there."""

        def current(connection: Driver) -> Live | None:
            head = find_head(connection, self._statements, encounter)
            known = self._cache.get(encounter)
            if known is not None and known.head.version == head.version and known.head.hash == head.hash:
                return known
            return None

        live = await self._ask(current, is_one_statement=True)
        return live if live is not None else await self._ask(lambda connection: self._load(connection, encounter))

    async def head(self, encounter: str) -> Head:
        """The encounter's row."""
        return await self._ask(
            lambda connection: find_head(connection, self._statements, encounter), is_one_statement=True
        )

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run short SQLAlchemy queries that write nothing."""

        def question() -> T:
            try:
                with self._engine.connect() as connection:
                    return work(connection)
            except OperationalError as error:
                raise Busy(str(error.orig)) from error

        return await in_thread(self._threads, question)

    async def examine(self, work: Callable[[Connection], T]) -> T:
        """Run long SQLAlchemy queries that see one moment."""

        def question() -> T:
            try:
                with self._engine.connect().execution_options(isolation_level="REPEATABLE READ") as connection:
                    return work(connection)
            except OperationalError as error:
                raise Busy(str(error.orig)) from error

        return await in_thread(self._long_threads, question)

    async def seqs(self, encounters: list[str]) -> dict[str, int]:
        """How many events each of these encounters has; none for those that are gone."""
        rows: list[tuple[str, int]] = await self._ask(
            lambda connection: connection.execute(self._statements.seqs, (encounters,)).fetchall(),
            is_one_statement=True,
        )
        return dict(rows)

    async def close(self) -> None:
        """Let go of the connections."""
        await asyncio.to_thread(self._threads.shutdown)
        await asyncio.to_thread(self._long_threads.shutdown)
        self._engine.dispose()
        for connection in self._open:
            connection.close()

    async def _ask(
        self, question: Callable[[Driver], T], *, is_long: bool = False, is_one_statement: bool = False
    ) -> T:
        threads = self._long_threads if is_long else self._threads
        return await in_thread(threads, lambda: self._try(question, is_one_statement))

    def _try(self, question: Callable[[Driver], T], is_one_statement: bool) -> T:
        """Reads change nothing, so one that met a broken connection is simply asked again, once."""
        for is_last in (False, True):
            try:
                connection = self._connection()
                if is_one_statement:
                    return question(connection)
                return _in_transaction(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", question)
            except psycopg.OperationalError as error:
                connection = getattr(self._own, "connection", None)
                is_lost = connection is None or connection.closed
                self._drop()
                # What took too long once would take as long again.
                if is_last or not is_lost:
                    raise Busy(str(error)) from error
        raise AssertionError("unreachable")

    def _connection(self) -> Any:
        connection: psycopg.Connection[Any] | None = getattr(self._own, "connection", None)
        if connection is None or connection.closed:
            connection = psycopg.connect(self._url, autocommit=True, connect_timeout=3)
            connection.prepare_threshold = 2
            for name, value in PATIENCE.items():
                connection.execute(f"SET {name} = {value}")
            self._own.connection = connection
            self._open.append(connection)
        return connection

    def _drop(self) -> None:
        connection: psycopg.Connection[Any] | None = getattr(self._own, "connection", None)
        if connection is not None:
            self._own.connection = None
            self._open.remove(connection)
            connection.close()


def _in_transaction(connection: Any, begin: str, question: Callable[[Driver], T]) -> T:
    connection.execute(begin)
    try:
        return question(connection)
    finally:
        connection.execute("ROLLBACK")
