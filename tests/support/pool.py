"""Migrated PostgreSQL databases that one test after another uses: emptied between them, which is quicker than new ones.

Creating and dropping a database costs half a second, emptying one a hundredth. Who changed more than rows (a column, a
trigger, a setting of the database) has used it up: the next test gets a new one.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg

from app.persistence.tables import metadata
from tests.support.postgres import PostgresServer, connect

BUILD = b"""
SELECT md5(string_agg(part, ';' ORDER BY part)) FROM (
    SELECT concat_ws(' ', c.relname, c.relkind, a.attname, a.atttypid, a.attnotnull, a.attidentity,
                     pg_get_expr(d.adbin, d.adrelid)) AS part
      FROM pg_class c
      LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE c.relnamespace = 'public'::regnamespace
    UNION ALL SELECT conname::text || pg_get_constraintdef(oid) FROM pg_constraint
     WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT tgname::text || tgenabled::text FROM pg_trigger
    UNION ALL SELECT proname::text || prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT setconfig::text FROM pg_db_role_setting s JOIN pg_database b ON b.oid = s.setdatabase
     WHERE b.datname = current_database()
) AS parts
"""
"""What a database is made of, without its rows."""

KEPT = "alembic_version"


@dataclass
class Pool:
    """Copies of one migrated database."""

    server: PostgresServer
    template: str
    """Address of the migrated database. Nobody is connected to it."""
    _spare: list[str] = field(default_factory=list)
    _all: list[str] = field(default_factory=list)
    _build: str = ""

    @contextlib.contextmanager
    def database(self) -> Iterator[str]:
        """A migrated, empty database, for one test."""
        url = self._spare.pop() if self._spare else self._create()
        try:
            yield url
        finally:
            if self._clear(url):
                self._spare.append(url)
            else:
                self.drop(url)

    def close(self) -> None:
        """Drop what is left."""
        for url in list(self._all):
            self.drop(url)

    def drop(self, url: str) -> None:
        """Drop one for good."""
        self._all.remove(url)
        self.server.drop_database(url)

    def _create(self) -> str:
        url = self.server.create_database(self.template)
        self._all.append(url)
        if not self._build:
            with connect(url) as connection:
                self._build = _build(connection)
        return url

    def _clear(self, url: str) -> bool:
        """Empty it; false where it is not as it was made, or cannot be reached any more."""
        try:
            with connect(url) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                if _build(connection) != self._build:
                    return False
                with connection.transaction():
                    for table in reversed(metadata.sorted_tables):
                        if table.name != KEPT:
                            connection.execute(f'DELETE FROM "{table.name}"'.encode())
                    connection.execute(
                        "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) "
                        "FROM pg_sequences WHERE schemaname = 'public'"
                    )
        except psycopg.Error:
            return False
        return True


def _build(connection: "psycopg.Connection[tuple[str, ...]]") -> str:
    row = connection.execute(BUILD).fetchone()
    assert row is not None
    return row[0]
