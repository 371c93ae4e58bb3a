"""Reads: what both databases have in common, and SQLite, which answers short questions on the event loop, in 30 µs."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from app.persistence.cache import Cache
from app.persistence.drivers import Driver, engine_over, open_sqlite
from app.persistence.patience import in_thread
from app.persistence.reading import find_decision, find_head, head_of, load, moment, page
from app.persistence.statements import HEAD_COLUMNS, Statements
from app.persistence.tables import encounter as encounters
from app.persistence.work import Audience, Decision, Entry, Head, Live, Moment

T = TypeVar("T")


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
            return in_transaction(self._short, "BEGIN", question)
        return await in_thread(self._thread, lambda: in_transaction(self._long, "BEGIN", question))


def in_transaction(connection: Any, begin: str, question: Callable[[Driver], T]) -> T:
    """The answer from one moment of the database."""
    connection.execute(begin)
    try:
        return question(connection)
    finally:
        connection.execute("ROLLBACK")
