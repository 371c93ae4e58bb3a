"""Opening a database: its writer, its store and its hub, wired together."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from app.persistence.cache import Cache
from app.persistence.drivers import is_sqlite, sqlite_path
from app.persistence.hub import LiveHub
from app.persistence.instance import InstanceLock
from app.persistence.schema import demand_schema
from app.persistence.sqlite import SqliteWriter
from app.persistence.statements import Statements
from app.persistence.store import SqliteStore
from app.persistence.work import Hub, Store, Writer
from app.persistence.writing import logger


def wall_clock() -> int:
    """Whole milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


class Database:
    """An open database."""

    def __init__(self, writer: Writer, store: Store, hub: Hub) -> None:
        self.writer = writer
        self.store = store
        self.hub = hub


@asynccontextmanager
async def open_database(url: str, *, clock: Callable[[], int] = wall_clock) -> AsyncIterator[Database]:
    """Open a migrated database for this process and close it afterwards, finishing what is queued.

    Raises `WrongSchema`, and `AlreadyOpen` where another process uses the same SQLite file.
    """
    opening = _open_sqlite(url, clock) if is_sqlite(url) else _open_postgres(url, clock)
    async with opening as database:
        yield database


@asynccontextmanager
async def _open_sqlite(url: str, clock: Callable[[], int]) -> AsyncIterator[Database]:
    path = sqlite_path(url)
    demand_schema(url)
    lock = InstanceLock(path)
    try:
        statements, cache, hub = Statements(is_sqlite=True), Cache(), LiveHub()
        store = SqliteStore(path, statements, cache)
        writer = SqliteWriter(path, statements, cache, hub, clock)
        hub.attach(store)
        try:
            yield Database(writer, store, hub)
        finally:
            hub.close()
            await writer.close()
            await store.close()
    finally:
        lock.release()


@asynccontextmanager
async def _open_postgres(url: str, clock: Callable[[], int]) -> AsyncIterator[Database]:
    from app.persistence.durable import lazy_commits, unsafe_settings
    from app.persistence.news import News
    from app.persistence.postgres import PostgresWriter
    from app.persistence.postgres_store import PostgresStore

    demand_schema(url)
    if unsafe := unsafe_settings(url):
        said = f"PostgreSQL runs with {', '.join(unsafe)} off: a crash may lose or damage what was acknowledged"
        logger.warning(said, extra={"settings_off": unsafe})
    if lazy := lazy_commits(url):
        logger.warning(f"synchronous_commit is {lazy} there: Turnwright turns it on for everything that it writes")
    statements, cache, hub = Statements(is_sqlite=False), Cache(), LiveHub()
    store = PostgresStore(url, statements, cache)
    news = News(url, hub, cache, store)
    writer = PostgresWriter(url, statements, cache, hub, news, clock)
    hub.attach(store)
    try:
        yield Database(writer, store, hub)
    finally:
        hub.close()
        await writer.close()
        await news.close()
        await store.close()
