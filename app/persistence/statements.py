"""The statements of the action path: made from the tables, compiled once for a database, run on its driver.

Going through SQLAlchemy's execution costs about 30 µs a statement, more than SQLite needs to carry it out.
"""

from typing import Any

from sqlalchemy import (
    ColumnElement,
    Delete,
    Dialect,
    Insert,
    Select,
    Table,
    Update,
    bindparam,
    delete,
    insert,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg

from app.persistence.tables import decision, encounter, event, idempotency, outbox, part, pause, roll, snapshot

HEAD_COLUMNS = tuple(column.name for column in encounter.columns)
HEAD_CHANGES = (
    "name",
    "status",
    "round",
    "active",
    "version",
    "seq",
    "public_seq",
    "epoch",
    "commands",
    "seed",
    "hash",
    "settings",
    "updated_at",
)
"""What a command may change in the encounter's row; none of it is indexed."""
ENTRY_COLUMNS = ("seq", "public_seq", "version", "at", "type", "visible_to", "blank", "shape", "body")
KEY_COLUMNS = ("request_hash", "status", "headers", "response", "created_at")


class Statements:
    """Texts for one kind of database. The order of parameters is that of the names in the comment beside each."""

    def __init__(self, *, is_sqlite: bool) -> None:
        dialect: Any = sqlite.dialect if is_sqlite else psycopg.dialect
        self._dialect: Dialect = dialect(paramstyle="qmark" if is_sqlite else "format")
        self._upsert = sqlite.insert if is_sqlite else postgresql.insert
        mark = "?" if is_sqlite else "%s"

        heads = select(*(encounter.c[name] for name in HEAD_COLUMNS))
        self.head = self._text(heads.where(encounter.c.public_id == _given("public_id")), "public_id")
        self.heads_locked = (
            self._text(heads.where(encounter.c.public_id == _given("public_id")), "public_id")
            .rsplit("WHERE", 1)[0]
            .rstrip()
            + f" WHERE encounter.public_id = ANY({mark}) ORDER BY encounter.id FOR UPDATE"
        )
        self.parts = self._text(
            select(part.c.ord, part.c.shape, part.c.body, part.c.removed)
            .where(part.c.encounter_id == _given("encounter_id"), part.c.version > _given("version"))
            .order_by(part.c.ord),
            "encounter_id",
            "version",
        )
        self.pause = self._text(
            select(pause.c.shape, pause.c.pending, pause.c.decisions, pause.c.base).where(
                pause.c.encounter_id == _given("encounter_id"), pause.c.version == _given("version")
            ),
            "encounter_id",
            "version",
        )
        self.snapshot = self._text(
            select(snapshot.c.version, snapshot.c.seq, snapshot.c.shape, snapshot.c.body)
            .where(snapshot.c.encounter_id == _given("encounter_id"), snapshot.c.version <= _given("version"))
            .order_by(snapshot.c.version.desc()),
            "encounter_id",
            "version",
        )
        self.snapshot += " LIMIT 1"
        self.decision = self._text(
            select(decision.c.body, decision.c.status).where(
                decision.c.encounter_id == _given("encounter_id"), decision.c.id == _given("id")
            ),
            "encounter_id",
            "id",
        )
        self.key = self._text(
            select(*(idempotency.c[name] for name in KEY_COLUMNS)).where(
                idempotency.c.token == _given("token"), idempotency.c.key == _given("key")
            ),
            "token",
            "key",
        )
        self.keys = (
            "SELECT token, key, " + ", ".join(KEY_COLUMNS) + " FROM idempotency"
            " WHERE (token, key) IN (SELECT * FROM unnest(%s::text[], %s::text[]))"
        )
        self.seqs = "SELECT public_id, seq FROM encounter WHERE public_id = ANY(%s)"
        # encounter, first seq, last seq, how many at most
        entries = select(*(event.c[name] for name in ENTRY_COLUMNS)).where(
            event.c.encounter_id == _given("encounter_id"),
            event.c.seq >= _given("first"),
            event.c.seq <= _given("last"),
        )
        public = entries.where(event.c.visible_to == literal_column("'all'"))
        orders = {False: event.c.seq.asc(), True: event.c.seq.desc()}
        self.entries = {
            (audience, backwards): self._text(rows.order_by(order), "encounter_id", "first", "last") + f" LIMIT {mark}"
            for audience, rows in (("gm", entries), ("public", public))
            for backwards, order in orders.items()
        }
        self.counts = self._text(
            select(event.c.public_seq, event.c.version).where(
                event.c.encounter_id == _given("encounter_id"), event.c.seq == _given("seq")
            ),
            "encounter_id",
            "seq",
        )

        self.update_head = self._text(
            update(encounter)
            .where(encounter.c.id == _given("old_id"), encounter.c.version == _given("old_version"))
            .ordered_values(*((encounter.c[name], _given(name)) for name in HEAD_CHANGES)),
            *HEAD_CHANGES,
            "old_id",
            "old_version",
        )
        self.update_part = self._text(
            update(part)
            .where(part.c.encounter_id == _given("of"), part.c.ord == _given("place"))
            .ordered_values(*((part.c[name], _given(name)) for name in ("version", "shape", "body", "removed"))),
            "version",
            "shape",
            "body",
            "removed",
            "of",
            "place",
        )
        self.insert_part = self._insert_or(part, "version", "shape", "body", "removed")
        self.insert_event = self._insert(event)
        self.insert_pause = self._insert(pause)
        self.insert_roll = self._insert(roll)
        self.insert_decision = self._insert_or(decision, "status", "expires_at", "claimed_until", "body")
        self.close_decision = self._text(
            update(decision)
            .where(decision.c.encounter_id == _given("of"), decision.c.id == _given("which"))
            .ordered_values((decision.c.status, _given("status"))),
            "status",
            "of",
            "which",
        )
        self.insert_key = self._insert(idempotency, leaving="id")
        self.delete_key = self._text(
            delete(idempotency).where(
                idempotency.c.token == _given("token"),
                idempotency.c.key == _given("key"),
                idempotency.c.created_at < _given("created_at"),
            ),
            "token",
            "key",
            "created_at",
        )
        self.insert_outbox = self._insert(outbox, leaving="id")
        self.insert_snapshot = self._text(
            self._upsert(snapshot)
            .values({column.name: _given(column.name) for column in snapshot.columns})
            .on_conflict_do_nothing(),
            *(column.name for column in snapshot.columns),
        )

    def _insert(self, table: Table, *, leaving: str = "") -> str:
        names = [column.name for column in table.columns if column.name != leaving]
        return self._text(insert(table).values({name: _given(name) for name in names}).inline(), *names)

    def _insert_or(self, table: Table, *changes: str) -> str:
        """Insert, or change these columns of the row that is there already."""
        names = [column.name for column in table.columns]
        statement = self._upsert(table).values({name: _given(name) for name in names})
        statement = statement.on_conflict_do_update(
            index_elements=[column.name for column in table.primary_key],
            set_={name: statement.excluded[name] for name in changes},
        )
        return self._text(statement, *names)

    def _text(self, statement: "Select[Any] | Insert | Update | Delete", *order: str) -> str:
        compiled: Any = statement.compile(dialect=self._dialect)
        if tuple(compiled.positiontup) != order:
            raise TypeError(f"parameters come as {compiled.positiontup}, wanted {order}")
        return str(compiled)


def _given(name: str) -> ColumnElement[Any]:
    return bindparam(name)
