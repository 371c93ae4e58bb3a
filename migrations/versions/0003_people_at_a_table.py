"""Invites that count their uses, tokens that name their invite, tickets for streams; a narrowed GM is a co-GM."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("token", sa.Column("invite", sa.Text(), nullable=True))
    op.execute("UPDATE token SET role = 'co_gm' WHERE role = 'gm' AND encounter IS NOT NULL")
    # The table of 0001 was never written to.
    op.drop_index(op.f("ix_invite_campaign_id"), table_name="invite")
    op.drop_table("invite")
    _invite(sa.Column("uses", sa.Integer(), nullable=False))
    op.create_table(
        "stream_ticket",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("encounter", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_stream_ticket")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_stream_ticket_expires_at"), "stream_ticket", ["expires_at"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_stream_ticket_expires_at"), table_name="stream_ticket")
    op.drop_table("stream_ticket")
    op.drop_index(op.f("ix_invite_campaign_id"), table_name="invite")
    op.drop_table("invite")
    _invite()
    op.execute("UPDATE token SET role = 'gm' WHERE role = 'co_gm'")
    op.drop_column("token", "invite")


def _invite(*more: sa.Column[int]) -> None:
    op.create_table(
        "invite",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("encounter", sa.Text(), nullable=True),
        sa.Column("combatants", sa.Text(), server_default="[]", nullable=False),
        *more,
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_invite_campaign_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invite")),
        sa.UniqueConstraint("hash", name=op.f("uq_invite_hash")),
        sa.UniqueConstraint("public_id", name=op.f("uq_invite_public_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_invite_campaign_id"), "invite", ["campaign_id"], unique=False)
