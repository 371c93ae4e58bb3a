"""The first tables: campaigns and who may enter them, encounters with their log, idempotency keys, the outbox."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), server_default="{}", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_campaign")),
    )
    op.create_table(
        "decision",
        sa.Column("encounter_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("claimed_until", sa.BigInteger(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("encounter_id", "id", name=op.f("pk_decision")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_decision_due",
        "decision",
        ["expires_at"],
        unique=False,
        sqlite_where=sa.text("status = 'open' AND expires_at IS NOT NULL"),
        postgresql_where=sa.text("status = 'open' AND expires_at IS NOT NULL"),
    )

    op.create_table(
        "event",
        sa.Column("encounter_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("public_seq", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("visible_to", sa.Text(), nullable=False),
        sa.Column("blank", sa.Text(), nullable=False),
        sa.Column("shape", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("encounter_id", "seq", name=op.f("pk_event")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "idempotency",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", sa.Text(), nullable=False),
        sa.Column("response", sa.LargeBinary(), nullable=False),
        sa.Column("encounter_id", sa.BigInteger(), nullable=True),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_idempotency")),
        sa.UniqueConstraint("token", "key", name=op.f("uq_idempotency_token_key")),
    )
    op.create_table(
        "part",
        sa.Column("encounter_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("ord", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("shape", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("encounter_id", "ord", name=op.f("pk_part")),
        postgresql_with={"fillfactor": 70},
    )
    op.create_table(
        "pause",
        sa.Column("encounter_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("shape", sa.Integer(), nullable=False),
        sa.Column("pending", sa.Text(), nullable=True),
        sa.Column("decisions", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("encounter_id", "version", name=op.f("pk_pause")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "purge",
        sa.Column("encounter_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("encounter_id", name=op.f("pk_purge")),
    )
    op.create_table(
        "rules_document",
        sa.Column("pin", sa.Text(), nullable=False),
        sa.Column("ruleset", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("pin", name=op.f("pk_rules_document")),
    )
    op.create_table(
        "snapshot",
        sa.Column("encounter_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("shape", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("encounter_id", "version", name=op.f("pk_snapshot")),
    )
    op.create_table(
        "encounter",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("ruleset", sa.Text(), nullable=False),
        sa.Column("pin", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("active", sa.Text(), nullable=True),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("public_seq", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("commands", sa.BigInteger(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name=op.f("fk_encounter_campaign_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_encounter")),
        sa.UniqueConstraint("public_id", name=op.f("uq_encounter_public_id")),
        postgresql_with={"fillfactor": 70},
        sqlite_autoincrement=True,
    )
    op.create_index("ix_encounter_campaign_id_id", "encounter", ["campaign_id", "id"], unique=False)

    op.create_table(
        "house_rules",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("ruleset", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_house_rules_campaign_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_house_rules")),
    )
    op.create_index(op.f("ix_house_rules_campaign_id"), "house_rules", ["campaign_id"], unique=False)

    op.create_table(
        "invite",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("encounter", sa.Text(), nullable=True),
        sa.Column("combatants", sa.Text(), server_default="[]", nullable=False),
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

    op.create_table(
        "token",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("public_id", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Text(), nullable=True),
        sa.Column("encounter", sa.Text(), nullable=True),
        sa.Column("combatants", sa.Text(), server_default="[]", nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign_id"], ["campaign.id"], name=op.f("fk_token_campaign_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("public_id", name=op.f("uq_token_public_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_token_campaign_id"), "token", ["campaign_id"], unique=False)

    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("encounter_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("seq_from", sa.BigInteger(), nullable=False),
        sa.Column("seq_to", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("claimed_until", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["encounter_id"], ["encounter.id"], name=op.f("fk_outbox_encounter_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_encounter_id", "outbox", ["encounter_id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_outbox_encounter_id", table_name="outbox")

    op.drop_table("outbox")
    op.drop_index(op.f("ix_token_campaign_id"), table_name="token")

    op.drop_table("token")
    op.drop_index(op.f("ix_invite_campaign_id"), table_name="invite")

    op.drop_table("invite")
    op.drop_index(op.f("ix_house_rules_campaign_id"), table_name="house_rules")

    op.drop_table("house_rules")
    op.drop_index("ix_encounter_campaign_id_id", table_name="encounter")

    op.drop_table("encounter")
    op.drop_table("snapshot")
    op.drop_table("rules_document")
    op.drop_table("purge")
    op.drop_table("pause")
    op.drop_table("part")
    op.drop_table("idempotency")
    op.drop_table("event")
    op.drop_index(
        "ix_decision_due",
        table_name="decision",
        sqlite_where=sa.text("status = 'open' AND expires_at IS NOT NULL"),
        postgresql_where=sa.text("status = 'open' AND expires_at IS NOT NULL"),
    )

    op.drop_table("decision")
    op.drop_table("campaign")
