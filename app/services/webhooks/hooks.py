"""A campaign's webhooks: made, changed, rotated, taken away. Whoever hands out keys may do it."""

import hashlib
import secrets
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import UNSET
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from app.persistence import tables
from app.persistence import webhooks as rows
from app.persistence.work import Reply
from app.services.caller import Attempt, Caller, Result
from app.services.errors import BadInput, Finding, KeyReused, LimitReached, NotFound, UrlForbidden
from app.services.owned import owned, page_of
from app.services.service import Service
from app.services.tokens import may_manage, once_or_not
from app.services.webhooks.guard import Guard
from app.services.webhooks.sending import secret_text
from app.services.webhooks.shapes import (
    EVENT_TYPES,
    WebhookEdit,
    WebhookIn,
    WebhookMade,
    WebhookOut,
    WebhookPage,
    webhook_out,
)

ROTATION_MS = 24 * 3600 * 1000
"""How long the secret before signs as well."""
_SECRET_BYTES = 32


class Desk(msgspec.Struct, frozen=True):
    """What the use cases need beside the service: the judge of addresses, the cap, and the courier's bell."""

    guard: Guard
    limit: int
    wake: Callable[[], None]


def mint_secret(seed: bytes | None) -> str:
    """A secret, by chance or from a seed that nobody else can know."""
    if seed is None:
        return secret_text(secrets.token_bytes(_SECRET_BYTES))
    return secret_text(hashlib.sha256(b"webhook" + seed).digest())


def find(connection: Connection, campaign: str, webhook: str) -> Row[Any]:
    """A hook of that campaign. Raises `NotFound`."""
    return owned(connection, tables.webhook, campaign, webhook)


def _check(connection: Connection, campaign: str, encounter: str | None, events: tuple[str, ...]) -> None:
    """Raise `BadInput` for an encounter of somebody else's, or events that there are not."""
    known_types = ", ".join(sorted(EVENT_TYPES))
    found = [
        Finding("unknown_word", f"/events/{at}", known_types) for at, one in enumerate(events) if one not in EVENT_TYPES
    ]
    if encounter is not None:
        held = tables.encounter.c
        known = select(held.id).where(held.public_id == encounter, held.campaign_id == campaign)
        if connection.execute(known).one_or_none() is None:
            found.append(Finding("bad_id", "/encounter"))
    if found:
        raise BadInput(found)


async def create(
    service: Service,
    caller: Caller,
    desk: Desk,
    campaign: str,
    body: WebhookIn,
    attempt: Attempt,
    seed: bytes | None,
) -> Result:
    """Make a webhook. The answer alone holds its secret."""
    may_manage(caller, campaign)
    secret, now, name = mint_secret(seed), service.clock(), service.new_id("whk_")
    is_admitted = await desk.guard.admits(body.url)

    def work(connection: Connection) -> Reply:
        if not is_admitted:
            raise UrlForbidden
        held = tables.webhook.c
        home = select(tables.campaign.c.id).where(tables.campaign.c.id == campaign).with_for_update()
        if connection.execute(home).one_or_none() is None:
            raise NotFound("campaign", campaign)
        there = select(func.count()).select_from(tables.webhook).where(held.campaign_id == campaign)
        if connection.execute(there).scalar_one() >= desk.limit:
            raise LimitReached("too_many_webhooks", desk.limit)
        if connection.execute(select(held.id).where(held.secret == secret)).first() is not None:
            raise KeyReused(campaign)
        _check(connection, campaign, body.encounter, body.events)
        row = {
            "public_id": name,
            "campaign_id": campaign,
            "name": body.name,
            "url": body.url,
            "encounter": body.encounter,
            "events": msgspec.json.encode(body.events).decode(),
            "language": body.language,
            "audience": body.audience,
            "enabled": body.enabled,
            "since": now,
            "disabled_at": None if body.enabled else now,
            "disabled_reason": None if body.enabled else "by_gm",
            "secret": secret,
            "created_at": now,
        }
        connection.execute(insert(tables.webhook).values(row))
        return Reply(201, {}, msgspec.json.encode(webhook_out(find(connection, campaign, name), now)))

    reply = await once_or_not(service, caller, attempt, work)
    desk.wake()
    return _with_secret(reply, secret)


def _with_secret(reply: Reply, secret: str) -> Result:
    kept = msgspec.json.decode(reply.body, type=WebhookOut)
    made = WebhookMade(**msgspec.structs.asdict(kept), secret=secret)
    return Result(msgspec.json.encode(made), created=kept.id, is_replay=reply.replayed)


async def page(service: Service, caller: Caller, campaign: str, *, after: str | None, limit: int) -> Result:
    """The campaign's webhooks, oldest first, without their secrets."""
    may_manage(caller, campaign)
    now = service.clock()

    def work(connection: Connection) -> WebhookPage:
        found, more = page_of(connection, tables.webhook, campaign, after, limit)
        return WebhookPage(tuple(webhook_out(row, now) for row in found), more)

    return Result(msgspec.json.encode(await service.store.read(work)))


async def read(service: Service, caller: Caller, campaign: str, webhook: str) -> Result:
    """One webhook, without its secret."""
    may_manage(caller, campaign)
    now = service.clock()
    shown = await service.store.read(lambda connection: webhook_out(find(connection, campaign, webhook), now))
    return Result(msgspec.json.encode(shown))


async def edit(
    service: Service, caller: Caller, desk: Desk, campaign: str, webhook: str, body: WebhookEdit, attempt: Attempt
) -> Result:
    """Change a webhook; enabling it lets it try again what waits for it."""
    may_manage(caller, campaign)
    now = service.clock()
    is_admitted = body.url is UNSET or await desk.guard.admits(body.url)

    def work(connection: Connection) -> Reply:
        if not is_admitted:
            raise UrlForbidden
        row = _locked(connection, campaign, webhook)
        encounter = None if body.encounter is UNSET else body.encounter
        _check(connection, campaign, encounter, () if body.events is UNSET else body.events)
        given = {name: getattr(body, name) for name in ("url", "name", "encounter", "language", "audience")}
        changed: dict[str, Any] = {name: value for name, value in given.items() if value is not UNSET}
        if body.events is not UNSET:
            changed["events"] = msgspec.json.encode(body.events).decode()
        if changed:
            connection.execute(update(tables.webhook).where(tables.webhook.c.id == row.id).values(**changed))
        if row.audience == "gm" and body.audience == "public":
            # Whoever reads there now is not to get what was made for the GM.
            rows.forget(connection, row.id)
        if body.enabled is False:
            rows.disable(connection, row.id, "by_gm", now)
        elif body.enabled is True and not row.enabled:
            rows.enable(connection, row.id, now)
        return Reply(200, {}, msgspec.json.encode(webhook_out(find(connection, campaign, webhook), now)))

    reply = await once_or_not(service, caller, attempt, work)
    desk.wake()
    return Result(reply.body, is_replay=reply.replayed)


def _locked(connection: Connection, campaign: str, webhook: str) -> Row[Any]:
    """The same, and nobody else changes it meanwhile."""
    row = find(connection, campaign, webhook)
    connection.execute(select(tables.webhook.c.id).where(tables.webhook.c.id == row.id).with_for_update())
    return find(connection, campaign, webhook)


async def rotate(
    service: Service, caller: Caller, campaign: str, webhook: str, attempt: Attempt, seed: bytes | None
) -> Result:
    """Give it a new secret. For a day every message is signed with both."""
    may_manage(caller, campaign)
    secret, now = mint_secret(seed), service.clock()

    def work(connection: Connection) -> Reply:
        row = _locked(connection, campaign, webhook)
        if secret in (row.secret, row.old_secret):
            raise KeyReused(webhook)
        values = {"secret": secret, "old_secret": row.secret, "old_until": now + ROTATION_MS}
        connection.execute(update(tables.webhook).where(tables.webhook.c.id == row.id).values(**values))
        return Reply(200, {}, msgspec.json.encode(webhook_out(find(connection, campaign, webhook), now)))

    return _with_secret(await once_or_not(service, caller, attempt, work), secret)


async def remove(service: Service, caller: Caller, campaign: str, webhook: str, attempt: Attempt) -> Result:
    """Take it away, with what waits for it."""
    may_manage(caller, campaign)

    def work(connection: Connection) -> Reply:
        row = _locked(connection, campaign, webhook)
        connection.execute(delete(tables.webhook).where(tables.webhook.c.id == row.id))
        return Reply(204, {}, b"")

    reply = await once_or_not(service, caller, attempt, work)
    return Result(b"", is_replay=reply.replayed)
