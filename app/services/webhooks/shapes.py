"""What goes over the wire about webhooks, and the form of what they send."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import Row

from app.engine import events as ev
from app.persistence.webhooks import EVENTS, PING
from app.services import wire
from app.services.bodies import Body, Name
from app.services.tokens import times
from app.services.webhooks.guard import LONGEST

Url = Annotated[str, Meta(min_length=1, max_length=LONGEST)]
Encounter = Annotated[str, Meta(max_length=26)]
Type = Annotated[str, Meta(min_length=1, max_length=64)]
Types = Annotated[tuple[Type, ...], Meta(max_length=64)]
Language = Literal["en", "ru", "pl"]
Audience = Literal["public", "gm"]
Reason = Literal["by_gm", "gone", "failing"]
Status = Literal["waiting", "delivered", "failed"]
Error = Literal["status", "timeout", "connection", "tls", "forbidden"]

EVENT_TYPES = frozenset(str(kind.__struct_config__.tag) for kind in (*ev.CHANGES, *ev.FACTS, *ev.TABLE_FACTS))


class WebhookIn(Body, frozen=True):
    """A webhook to make."""

    url: Url
    """Where messages are posted to."""
    name: Name
    encounter: Encounter | None = None
    events: Types = ()
    """Types of events that are sent; none for all."""
    language: Language = "en"
    """Language of the texts in the events."""
    audience: Audience = "public"
    """`public` sends what a spectator sees; `gm` everything, hidden things too."""
    enabled: bool = True
    """Whether it hears of what happens."""


class WebhookEdit(Body, frozen=True):
    """What may be changed about a webhook; a field left out stays."""

    url: Url | UnsetType = UNSET
    """Where messages are posted to."""
    name: Name | UnsetType = UNSET
    encounter: Encounter | UnsetType | None = UNSET
    events: Types | UnsetType = UNSET
    """Types of events that are sent; none for all."""
    language: Language | UnsetType = UNSET
    """Language of the texts in the events."""
    audience: Audience | UnsetType = UNSET
    """`public` sends what a spectator sees; `gm` everything, hidden things too."""
    enabled: bool | UnsetType = UNSET
    """True also lets one that was disabled for its failures try again."""


class WebhookOut(msgspec.Struct, frozen=True):
    """A webhook without its secret."""

    id: str
    campaign: str
    name: str
    url: Url
    """Where messages are posted to."""
    encounter: str | None
    events: Types
    """Types of events that are sent; none for all."""
    language: Language
    """Language of the texts in the events."""
    audience: Audience
    """`public` sends what a spectator sees; `gm` everything, hidden things too."""
    enabled: bool
    """Whether it hears of what happens."""
    disabled_reason: Reason | None
    """Why not: `by_gm`, `gone` (the receiver answered 410) or `failing` (ten tries in vain)."""
    disabled_at: str | None
    """Since when not."""
    old_secret_until: str | None
    """Until when the secret before the last rotation signs too."""
    created_at: str


class WebhookMade(WebhookOut, frozen=True, kw_only=True):
    """A webhook with its secret, shown this once."""

    secret: str
    """Signs every message, as Standard Webhooks has it: `whsec_` and 32 bytes in base64."""


class WebhookPage(msgspec.Struct, frozen=True):
    """Webhooks, oldest first."""

    items: tuple[WebhookOut, ...]
    next_cursor: str | None


class DeliveryOut(msgspec.Struct, frozen=True):
    """One message: what it is, and how far it has come."""

    id: str
    """Its `webhook-id`, the same in every try."""
    type: Literal["encounter.events", "ping"]
    """What it carries: events of one command, or nothing."""
    encounter: str | None
    status: Status
    tries: int
    """How often it has been sent."""
    response_status: int | None
    """HTTP status of the last answer; null where there was none."""
    error: Error | None
    """What was wrong with the last try: its `status`, no answer in time, no connection, no `tls`, or an address that
    is not called.
    """
    created_at: str
    tried_at: str | None
    """When it was tried last."""
    next_try_at: str | None
    """When it is tried next; null while an earlier one about its encounter waits, and when nothing more will be."""


class DeliveryPage(msgspec.Struct, frozen=True):
    """Messages to a webhook, newest first."""

    items: tuple[DeliveryOut, ...]
    next_cursor: str | None


def webhook_out(row: Row[Any], now: int) -> WebhookOut:
    """A webhook as it is listed."""
    return WebhookOut(
        id=row.public_id,
        campaign=row.campaign_id,
        name=row.name,
        url=row.url,
        encounter=row.encounter,
        events=msgspec.json.decode(row.events, type=tuple[str, ...]),
        language=row.language,
        audience=row.audience,
        enabled=row.enabled,
        disabled_reason=row.disabled_reason,
        disabled_at=times(row.disabled_at),
        old_secret_until=times(row.old_until) if row.old_secret and row.old_until > now else None,
        created_at=times(row.created_at) or "",
    )


def delivery_out(row: Row[Any]) -> DeliveryOut:
    """A message as it is listed."""
    return DeliveryOut(
        id=row.public_id,
        type=row.kind,
        encounter=row.encounter,
        status=row.status,
        tries=row.tries,
        response_status=row.response_status,
        error=row.error,
        created_at=times(row.created_at) or "",
        tried_at=times(row.tried_at),
        next_try_at=times(row.next_at),
    )


def events_body(campaign: str, encounter: str, at: int, events: list[bytes]) -> str:
    """The message about one command: its events as the log has them, byte for byte."""
    head = b'{"type":"%b","timestamp":"%b","data":{"campaign":"%b","encounter":"%b","events":' % (
        EVENTS.encode(),
        wire.times(at).encode(),
        campaign.encode(),
        encounter.encode(),
    )
    return (head + wire.events(events) + b"}}").decode()


def ping_body(campaign: str, webhook: str, at: int) -> str:
    """The message of a test."""
    told = {"type": PING, "timestamp": wire.times(at), "data": {"campaign": campaign, "webhook": webhook}}
    return msgspec.json.encode(told).decode()
