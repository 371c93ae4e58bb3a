"""The chain of hashes goes over all that the row of an event says, not over its body alone."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

PAGE = 1000
_encounter = sa.table("encounter", sa.column("id", sa.BigInteger), sa.column("hash", sa.LargeBinary))
_event = sa.table(
    "event",
    *(sa.column(name, sa.BigInteger) for name in ("encounter_id", "seq", "public_seq", "version", "at")),
    *(sa.column(name, sa.Text) for name in ("visible_to", "blank", "body")),
    sa.column("hash", sa.LargeBinary),
)
_FIRST = bytes(32)


def upgrade() -> None:
    _chained(_with_row)


def downgrade() -> None:
    _chained(_body_alone)


def _with_row(chain: bytes, row: Any) -> bytes:
    told = f"{row.seq}\n{row.public_seq}\n{row.version}\n{row.at}\n{row.visible_to}\n{row.blank}\n"
    return hashlib.sha256(chain + told.encode() + row.body.encode()).digest()


def _body_alone(chain: bytes, row: Any) -> bytes:
    return hashlib.sha256(chain + row.body.encode()).digest()


def _chained(link: Callable[[bytes, Any], bytes]) -> None:
    """Write every chain anew. What was tampered with before is sealed as it is: verify first."""
    connection = op.get_bind()
    column = _event.c
    one = sa.update(_event).where(column.encounter_id == sa.bindparam("e"), column.seq == sa.bindparam("s"))
    for encounter in connection.execute(sa.select(_encounter.c.id)).scalars().all():
        chain, last = _FIRST, 0
        query = sa.select(_event).where(column.encounter_id == encounter).order_by(column.seq).limit(PAGE)
        while rows := connection.execute(query.where(column.seq > last)).all():
            written = []
            for row in rows:
                chain, last = link(chain, row), row.seq
                written.append({"e": encounter, "s": row.seq, "h": chain})
            connection.execute(one.values(hash=sa.bindparam("h")), written)
        connection.execute(sa.update(_encounter).where(_encounter.c.id == encounter).values(hash=chain))
