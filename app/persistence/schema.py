"""Bringing a database to the schema of this code, and refusing one that is elsewhere. Only migrating loads Alembic."""

import logging
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, text

from app.persistence.drivers import is_sqlite, sqlite_module, sqlite_path
from app.persistence.instance import InstanceLock
from app.persistence.tables import REVISION
from app.persistence.work import PersistenceError

ROOT = Path(__file__).resolve().parents[2]


class WrongSchema(PersistenceError):
    """The database was made by an older or a newer version of the service; the message says which and what to do."""


def migrating_engine(url: str) -> Engine:
    """An engine whose transactions hold data definition too, on SQLite as well."""
    if not is_sqlite(url):
        return create_engine(url)
    path = make_url(url).database
    if path:
        Path(path).resolve().parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, module=sqlite_module())

    @event.listens_for(engine, "connect")
    def _plain(connection: object, _record: object) -> None:
        # The driver would otherwise commit by itself before each CREATE TABLE.
        connection.isolation_level = None  # type: ignore[attr-defined]
        connection.execute("PRAGMA journal_mode=WAL")  # type: ignore[attr-defined]
        connection.execute("PRAGMA synchronous=FULL")  # type: ignore[attr-defined]
        connection.execute("PRAGMA busy_timeout=5000")  # type: ignore[attr-defined]

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def migrate(url: str, revision: str = "head") -> None:
    """Walk up to a revision, or down to an older one (`base` is nothing). Two at once wait for each other.

    Raises `AlreadyOpen` where a process has the SQLite file in use, and `WrongSchema` where a newer version made it.
    """
    stands_at = revision_of(url)
    if stands_at is not None and stands_at > REVISION:
        raise _too_new(stands_at)
    if revision == "head" and stands_at == REVISION:
        return
    from alembic import command
    from alembic.config import Config

    logging.getLogger("alembic").setLevel(logging.WARNING)
    config = Config(str(ROOT / "alembic.ini"))
    engine = migrating_engine(url)
    lock = InstanceLock(sqlite_path(url)) if is_sqlite(url) else None
    try:
        with engine.connect() as connection:
            if lock is None:
                connection.execute(text("SELECT pg_advisory_lock(7237413)"))
                connection.commit()
            config.attributes["connection"] = connection
            found = _revision(connection) or ""
            if revision == "head" or (revision != "base" and revision > found):
                command.upgrade(config, revision)
            else:
                command.downgrade(config, revision)
            connection.commit()
    finally:
        engine.dispose()
        if lock is not None:
            lock.release()


def revision_of(url: str) -> str | None:
    """The revision a database stands at; None where nothing was migrated yet."""
    if is_sqlite(url) and not Path(sqlite_path(url)).exists():
        return None
    engine = migrating_engine(url)
    try:
        with engine.connect() as connection:
            return _revision(connection)
    finally:
        engine.dispose()


def demand_schema(url: str) -> None:
    """Raise `WrongSchema` unless the database stands exactly where this code wants it."""
    found = revision_of(url)
    if found == REVISION:
        return
    if found is None:
        raise WrongSchema("the database is empty: run `turnwright migrate` first")
    if found > REVISION:
        raise _too_new(found)
    raise WrongSchema(f"the database is at {found}, this version needs {REVISION}: run `turnwright migrate`")


def _too_new(found: str) -> WrongSchema:
    return WrongSchema(f"the database is at {found}, made by a newer version; this one knows {REVISION}")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found
