"""The tables of both databases. Text for JSON, bytes for hashes, whole milliseconds for times, big integers for counts.

`encounter` is slim, since every command rewrites it; what a fight is made of lies in `part`, one row a combatant
(numbered from 0 in the order of joining) and a few rows below 0 for the rest. `event` is only ever added to. `shape`
tells in which form of the engine's Structs a body was written (`app.persistence.shapes`).
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

REVISION = "0007"
"""The migration that makes what stands here."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

Number = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite numbers rows by itself only under the name INTEGER."""

campaign = Table(
    "campaign",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("settings", Text, nullable=False, server_default="{}"),
    Column("created_at", BigInteger, nullable=False),
)

token = Table(
    "token",
    metadata,
    Column("id", Number, primary_key=True),
    Column("public_id", Text, nullable=False, unique=True),
    Column("hash", LargeBinary, nullable=False),  # SHA-256 of the secret part
    Column("role", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("campaign_id", Text, ForeignKey("campaign.id", ondelete="CASCADE"), index=True),  # none for an admin
    Column("encounter", Text),  # public id, where the token is narrowed to one encounter
    Column("combatants", Text, nullable=False, server_default="[]"),  # JSON list of ids and references
    Column("language", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
    Column("invite", Text),  # public id, where somebody joined by one
    sqlite_autoincrement=True,
)

invite = Table(
    "invite",
    metadata,
    Column("id", Number, primary_key=True),
    Column("public_id", Text, nullable=False, unique=True),
    Column("hash", LargeBinary, nullable=False, unique=True),  # scrypt of the code
    Column("campaign_id", Text, ForeignKey("campaign.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("role", Text, nullable=False),
    Column("encounter", Text),
    Column("combatants", Text, nullable=False, server_default="[]"),
    Column("uses", Integer, nullable=False),
    Column("uses_left", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
    sqlite_autoincrement=True,
)

stream_ticket = Table(
    # Good once: whoever deletes the row has it.
    "stream_ticket",
    metadata,
    Column("hash", LargeBinary, primary_key=True),  # SHA-256 of the ticket
    Column("token", Text, nullable=False),  # public id; what it may see is looked up when the ticket is used
    Column("encounter", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("expires_at", BigInteger, nullable=False, index=True),
    sqlite_with_rowid=False,
)

discord_channel = Table(
    "discord_channel",
    metadata,
    Column("channel", Text, primary_key=True),  # Discord's id
    Column("encounter", Text, nullable=False),  # public id
    Column("campaign_id", Text, ForeignKey("campaign.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("token", Text, nullable=False),  # public id of the GM's who bound it
    Column("created_at", BigInteger, nullable=False),
)

discord_link = Table(
    "discord_link",
    metadata,
    Column("user_id", Text, primary_key=True),  # Discord's id
    Column("campaign_id", Text, ForeignKey("campaign.id", ondelete="CASCADE"), primary_key=True, index=True),
    Column("encounter", Text, primary_key=True),  # public id; empty where the token is narrowed to none
    Column("token", Text, nullable=False),  # public id; its secret was thrown away
    Column("created_at", BigInteger, nullable=False),
)

house_rules = Table(
    # One row a version. Of those that are not removed the newest counts; an encounter keeps to its own pin.
    "house_rules",
    metadata,
    Column("id", Number, primary_key=True),
    Column("campaign_id", Text, ForeignKey("campaign.id", ondelete="CASCADE"), nullable=False),
    Column("name", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("ruleset", Text, nullable=False),
    Column("base_pin", Text, nullable=False),  # hash of the document it was merged onto
    Column("pin", Text, nullable=False),  # hash of the merged document
    Column("body", Text, nullable=False),  # the uploaded document, as it came
    Column("created_at", BigInteger, nullable=False),
    Column("removed_at", BigInteger),
    UniqueConstraint("campaign_id", "name", "version"),
)

rules_document = Table(
    "rules_document",
    metadata,
    Column("pin", Text, primary_key=True),  # hash of the merged document; kept as long as an encounter is played by it
    Column("ruleset", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)

encounter = Table(
    "encounter",
    metadata,
    Column("id", Number, primary_key=True),
    Column("public_id", Text, nullable=False, unique=True),
    Column("campaign_id", Text, ForeignKey("campaign.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("ruleset", Text, nullable=False),
    Column("pin", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("round", Integer, nullable=False),
    Column("active", Text),
    Column("version", BigInteger, nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("public_seq", BigInteger, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("commands", BigInteger, nullable=False),
    Column("seed", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("settings", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    # Only columns that never change: PostgreSQL then updates the row in place.
    Index("ix_encounter_campaign_id_id", "campaign_id", "id"),
    sqlite_autoincrement=True,  # an id must not come back: rows of a deleted encounter go in small steps
    postgresql_with={"fillfactor": 70},
)

part = Table(
    "part",
    metadata,
    Column("encounter_id", BigInteger, primary_key=True, autoincrement=False),
    Column("ord", Integer, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),  # of its last change
    Column("shape", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("removed", Boolean, nullable=False),  # a flag, so that another worker sees it go
    postgresql_with={"fillfactor": 70},
)

event = Table(
    "event",
    metadata,
    Column("encounter_id", BigInteger, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("public_seq", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("type", Text, nullable=False),
    Column("visible_to", Text, nullable=False),
    Column("blank", Text, nullable=False),  # what is cut for others than the GM, with commas
    Column("shape", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

pause = Table(
    # One row for every version at which something waited; the newest one counts if it is the encounter's version.
    "pause",
    metadata,
    Column("encounter_id", BigInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("shape", Integer, nullable=False),
    Column("pending", Text),
    Column("decisions", Text, nullable=False),  # JSON list of those open
    Column("base", Text, nullable=False),  # JSON: the parts to put back into this version's state to get the base
    sqlite_with_rowid=False,
)

roll = Table(
    # One row for every version in which dice were rolled or handed in: a JSON list, also of those not shown yet.
    "roll",
    metadata,
    Column("encounter_id", BigInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    sqlite_with_rowid=False,
)

_DUE = "status = 'open' AND expires_at IS NOT NULL"

decision = Table(
    "decision",
    metadata,
    Column("encounter_id", BigInteger, primary_key=True, autoincrement=False),
    Column("id", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("owner", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("expires_at", BigInteger),
    Column("claimed_until", BigInteger),  # a worker is answering it by default
    Column("body", Text, nullable=False),
    Index("ix_decision_due", "expires_at", sqlite_where=text(_DUE), postgresql_where=text(_DUE)),
    sqlite_with_rowid=False,
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("id", Number, primary_key=True),
    Column("token", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("request_hash", LargeBinary, nullable=False),
    Column("status", Integer, nullable=False),
    Column("headers", Text, nullable=False),
    Column("response", LargeBinary, nullable=False),
    Column("encounter_id", BigInteger),
    Column("version", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("token", "key"),
)

outbox = Table(
    # One row a command, until somebody has looked through it for webhooks. The reference is what refuses a command
    # planned for an encounter that another worker has just deleted.
    "outbox",
    metadata,
    Column("id", Number, primary_key=True),
    Column("encounter_id", BigInteger().with_variant(Integer(), "sqlite"), ForeignKey("encounter.id"), nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("seq_from", BigInteger, nullable=False),
    Column("seq_to", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Index("ix_outbox_encounter_id", "encounter_id"),
    sqlite_autoincrement=True,
)

snapshot = Table(
    # Derived from the log, but for version 0, the state before the first event.
    "snapshot",
    metadata,
    Column("encounter_id", BigInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("shape", Integer, nullable=False),
    Column("body", Text, nullable=False),
)

purge = Table(
    # Deleted encounters whose rows are still to go.
    "purge",
    metadata,
    Column("encounter_id", BigInteger, primary_key=True, autoincrement=False),
)

webhook = Table(
    "webhook",
    metadata,
    Column("id", Number, primary_key=True),
    Column("public_id", Text, nullable=False, unique=True),
    Column("campaign_id", Text, ForeignKey("campaign.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("encounter", Text),  # public id, where the hook hears of one encounter only
    Column("events", Text, nullable=False),  # JSON list of types, empty for all
    Column("language", Text, nullable=False),
    Column("audience", Text, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("since", BigInteger, nullable=False),  # what happened before it was enabled is not sent
    Column("disabled_at", BigInteger),
    Column("disabled_reason", Text),
    Column("secret", Text, nullable=False),  # as it is: it has to sign
    Column("old_secret", Text),
    Column("old_until", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)

_HEAD = "status = 'waiting' AND next_at IS NOT NULL"
_WAITING = "status = 'waiting'"

webhook_delivery = Table(
    # One row a message. Only the first that waits in a lane has a `next_at`. No reference to the hook: rows of one that
    # was deleted are found by nobody, and go with their age.
    "webhook_delivery",
    metadata,
    Column("id", Number, primary_key=True),
    Column("public_id", Text, nullable=False, unique=True),
    Column("webhook_id", BigInteger, nullable=False),
    Column("lane", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("encounter", Text),
    Column("body", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("next_at", BigInteger),
    Column("claimed_until", BigInteger),
    Column("tried_at", BigInteger),
    Column("response_status", Integer),
    Column("error", Text),
    Column("created_at", BigInteger, nullable=False),
    Index("ix_webhook_delivery_webhook_id_id", "webhook_id", "id"),
    Index("ix_webhook_delivery_due", "next_at", sqlite_where=text(_HEAD), postgresql_where=text(_HEAD)),
    Index(
        "ix_webhook_delivery_lane",
        "webhook_id",
        "lane",
        "id",
        sqlite_where=text(_WAITING),
        postgresql_where=text(_WAITING),
    ),
    sqlite_autoincrement=True,
)
