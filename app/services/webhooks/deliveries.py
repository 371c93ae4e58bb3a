"""Messages of a webhook: listed, sent again, and one to try whether it works."""

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, select

from app.persistence import tables
from app.persistence import webhooks as rows
from app.persistence.work import Reply
from app.services.caller import Attempt, Caller, Result
from app.services.errors import BadInput, Finding, NotFound, NotTheTime
from app.services.service import Service
from app.services.tokens import may_manage, once_or_not
from app.services.webhooks.hooks import Desk, find
from app.services.webhooks.shapes import DeliveryPage, delivery_out, ping_body

held = tables.webhook_delivery.c


def _find(connection: Connection, webhook_id: int, delivery: str) -> Row[Any]:
    query = select(tables.webhook_delivery).where(held.public_id == delivery, held.webhook_id == webhook_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound("delivery", delivery)
    return row


async def page(
    service: Service, caller: Caller, campaign: str, webhook: str, *, after: str | None, limit: int
) -> Result:
    """What was sent and is to be sent, newest first."""
    may_manage(caller, campaign)

    def work(connection: Connection) -> DeliveryPage:
        hook = find(connection, campaign, webhook)
        query = select(tables.webhook_delivery).where(held.webhook_id == hook.id).order_by(held.id.desc())
        if after is not None:
            try:
                query = query.where(held.id < _find(connection, hook.id, after).id)
            except NotFound:
                raise BadInput([Finding("bad_cursor", "/after")]) from None
        found = connection.execute(query.limit(limit + 1)).all()
        more = found[limit - 1].public_id if len(found) > limit else None
        return DeliveryPage(tuple(delivery_out(row) for row in found[:limit]), more)

    return Result(msgspec.json.encode(await service.store.read(work)))


async def resend(
    service: Service, caller: Caller, desk: Desk, campaign: str, webhook: str, delivery: str, attempt: Attempt
) -> Result:
    """Send it again, whatever came of it before. Raises `NotTheTime` while the hook is disabled."""
    may_manage(caller, campaign)
    now = service.clock()

    def work(connection: Connection) -> Reply:
        hook = _enabled(connection, campaign, webhook)
        row = _find(connection, hook.id, delivery)
        rows.resend(connection, row.id, now)
        return Reply(200, {}, msgspec.json.encode(delivery_out(_find(connection, hook.id, delivery))))

    reply = await once_or_not(service, caller, attempt, work)
    desk.wake()
    return Result(reply.body, is_replay=reply.replayed)


async def test(service: Service, caller: Caller, desk: Desk, campaign: str, webhook: str, attempt: Attempt) -> Result:
    """Send a message that says nothing, once. Raises `NotTheTime` while the hook is disabled."""
    may_manage(caller, campaign)
    now, name = service.clock(), service.new_id("msg_")

    def work(connection: Connection) -> Reply:
        hook = _enabled(connection, campaign, webhook)
        rows.put_ping(connection, name, hook.id, ping_body(campaign, webhook, now), now)
        return Reply(201, {}, msgspec.json.encode(delivery_out(_find(connection, hook.id, name))))

    reply = await once_or_not(service, caller, attempt, work)
    desk.wake()
    return Result(reply.body, is_replay=reply.replayed)


def _enabled(connection: Connection, campaign: str, webhook: str) -> Row[Any]:
    hook = find(connection, campaign, webhook)
    if not hook.enabled:
        raise NotTheTime("webhook_disabled")
    return hook
