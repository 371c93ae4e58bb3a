"""Reads from PostgreSQL, in threads. Loaded only where that is the database: its driver is a twentieth of the start."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import psycopg
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import OperationalError

from app.persistence.cache import Cache
from app.persistence.drivers import Driver, plain_url
from app.persistence.patience import in_thread
from app.persistence.reading import find_head
from app.persistence.statements import Statements
from app.persistence.store import DatabaseStore, in_transaction
from app.persistence.work import Busy, Head, Live

T = TypeVar("T")

READERS = 4
"""Threads that read from PostgreSQL, each with a connection."""
PATIENCE = {"lock_timeout": 2500, "statement_timeout": 20_000}
"""Milliseconds that a reader waits for a lock, and that one question may take."""
LONG_READERS = 2
"""Threads for what takes long, so that short questions do not wait for it."""


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
                return in_transaction(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", question)
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
