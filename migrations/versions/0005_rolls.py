"""Every roll beside the log, so that each die can be checked against the seed."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "roll",
        sa.Column("encounter_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("encounter_id", "version", name=op.f("pk_roll")),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("roll")
