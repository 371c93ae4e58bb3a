"""The two drivers: which SQLite is used, how it is opened, and what both have in common."""

from types import ModuleType
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, StaticPool, create_engine, event, make_url

from app.persistence.work import PersistenceError


class UnsafeDatabase(PersistenceError):
    """What is acknowledged might be lost there."""


class Rows(Protocol):
    """What a statement gives back."""

    @property
    def rowcount(self) -> int: ...
    def fetchall(self) -> list[Any]: ...
    def fetchone(self) -> Any: ...


class Driver(Protocol):
    """A driver's own connection, as far as both kinds agree."""

    def execute(self, statement: Any, parameters: Any = ..., /) -> Rows: ...


def is_sqlite(url: str) -> bool:
    """Whether this address names a SQLite file."""
    return make_url(url).get_backend_name() == "sqlite"


def sqlite_module() -> ModuleType:
    """The newest SQLite there is: that of the wheel, else the interpreter's own."""
    try:
        import pysqlite3

        return pysqlite3  # type: ignore[no-any-return]
    except ImportError:
        import sqlite3

        return sqlite3


def sqlite_path(url: str) -> str:
    """The file that a SQLite address names. A database in memory has no second connection, so there is none."""
    path = make_url(url).database
    if not path or path == ":memory:":
        raise ValueError("a SQLite database needs a file")
    return path


WRITER_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": 2,
    "busy_timeout": 5000,
    "foreign_keys": 1,
    "trusted_schema": 0,
    "mmap_size": 0,
    # The writer checkpoints by itself, in small steps.
    "wal_autocheckpoint": 0,
}
READER_PRAGMAS = WRITER_PRAGMAS | {"query_only": 1}


def open_sqlite(path: str, *, reader: bool) -> Any:
    """A connection with the pragmas of its kind, in the driver's plain mode: it begins and commits only when told."""
    connection = sqlite_module().connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    wanted = READER_PRAGMAS if reader else WRITER_PRAGMAS
    for name, value in wanted.items():
        connection.execute(f"PRAGMA {name}={value}").fetchall()
    found = pragmas_of(connection, reader=reader)
    if differing := [name for name in wanted if found[name] != wanted[name]]:
        # A pragma that cannot be had is not refused by SQLite, only left as it is.
        connection.close()
        said = ", ".join(f"{name} is {found[name]}, not {wanted[name]}" for name in differing)
        raise UnsafeDatabase(f"{path} cannot be used safely: {said}")
    return connection


def pragmas_of(connection: Any, *, reader: bool) -> dict[str, object]:
    """The pragmas as the connection has them, to be compared with what was asked for."""
    names = READER_PRAGMAS if reader else WRITER_PRAGMAS
    found: dict[str, object] = {}
    for name in names:
        row = connection.execute(f"PRAGMA {name}").fetchone()
        found[name] = row[0] if row else 0
    return found


def engine_over(connection: Any, *, begin: str) -> Engine:
    """SQLAlchemy over a SQLite connection that somebody else owns, for use where that one is used."""
    engine = create_engine("sqlite://", module=sqlite_module(), creator=lambda: connection, poolclass=StaticPool)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def plain_url(url: str) -> str:
    """A PostgreSQL address as its driver takes it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
