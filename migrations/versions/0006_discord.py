"""Which Discord channel shows which encounter, and by which token a Discord user plays."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "discord_channel",
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("encounter", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_discord_channel_campaign_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("channel", name=op.f("pk_discord_channel")),
    )
    op.create_index(op.f("ix_discord_channel_campaign_id"), "discord_channel", ["campaign_id"], unique=False)
    op.create_table(
        "discord_link",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("encounter", sa.Text(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_discord_link_campaign_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "campaign_id", "encounter", name=op.f("pk_discord_link")),
    )
    op.create_index(op.f("ix_discord_link_campaign_id"), "discord_link", ["campaign_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_discord_link_campaign_id"), table_name="discord_link")
    op.drop_table("discord_link")
    op.drop_index(op.f("ix_discord_channel_campaign_id"), table_name="discord_channel")
    op.drop_table("discord_channel")
