"""Rows of webhooks: what the outbox still holds, messages in their lanes, claims, and how a try ended.

Transactions lock rows of the outbox first, then hooks, then messages, each in the order of their ids.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, func, insert, or_, select, update

from app.persistence.tables import encounter, outbox, webhook, webhook_delivery

held, hook = webhook_delivery.c, webhook.c
WAITING, DELIVERED, FAILED = "waiting", "delivered", "failed"
EVENTS, PING = "encounter.events", "ping"


class News(msgspec.Struct, frozen=True):
    """One command that nobody has looked through yet."""

    id: int
    encounter_id: int
    encounter: str
    campaign: str
    seq_from: int
    seq_to: int
    at: int


class Listener(msgspec.Struct, frozen=True):
    """An enabled hook, as far as it decides what is sent to it."""

    id: int
    campaign: str
    encounter: str | None
    events: frozenset[str]
    language: str
    audience: str
    since: int


class Message(msgspec.Struct, frozen=True):
    """Something to send to a hook."""

    public_id: str
    webhook_id: int
    encounter: str
    body: str


class Candidate(msgspec.Struct, frozen=True):
    """A message that is due."""

    id: int
    webhook_id: int
    url: str


class Claimed(msgspec.Struct, frozen=True):
    """A message that is ours to send, until the lease runs out."""

    id: int
    public_id: str
    webhook_id: int
    hook: str
    kind: str
    url: str
    body: str
    secrets: tuple[str, ...]
    tries: int
    claimed_until: int


class Verdict(msgspec.Struct, frozen=True):
    """How a try ended. `next_at` is the next try, None for none; `disable` why the hook is disabled for it."""

    is_delivered: bool
    tried_at: int
    response_status: int | None = None
    error: str | None = None
    next_at: int | None = None
    disable: str | None = None


def oldest_news(connection: Connection, but: Collection[int], limit: int) -> list[News]:
    """What lies in the outbox, oldest first, but for these encounters."""
    row = outbox.c
    query = (
        select(
            row.id,
            row.encounter_id,
            encounter.c.public_id,
            encounter.c.campaign_id,
            row.seq_from,
            row.seq_to,
            row.created_at,
        )
        .join(encounter, encounter.c.id == row.encounter_id)
        .order_by(row.id)
        .limit(limit)
    )
    if but:
        query = query.where(row.encounter_id.not_in(but))
    return [News(*found) for found in connection.execute(query)]


def listeners(connection: Connection, campaigns: Collection[str] | None = None) -> list[Listener]:
    """Enabled hooks, of these campaigns or of all."""
    return [_listener(row) for row in connection.execute(_listening(campaigns))]


def _listening(campaigns: Collection[str] | None) -> Select[Any]:
    query = select(webhook).where(hook.enabled).order_by(hook.id)
    return query if campaigns is None else query.where(hook.campaign_id.in_(campaigns))


def _listener(row: Row[Any]) -> Listener:
    kinds = frozenset(msgspec.json.decode(row.events, type=tuple[str, ...]))
    return Listener(row.id, row.campaign_id, row.encounter, kinds, row.language, row.audience, row.since)


def is_anybody_listening(connection: Connection) -> bool:
    """Whether any hook is enabled."""
    return connection.execute(select(hook.id).where(hook.enabled).limit(1)).first() is not None


def fan_out(
    connection: Connection,
    news: Sequence[News],
    known: Sequence[Listener],
    messages: Iterable[tuple[int, Message]],
    now: int,
) -> bool | None:
    """Take these rows out of the outbox and put in the messages that were made of them, each with its row's id.

    A row that somebody else has taken brings no message. None where hooks have changed meanwhile: look again.
    """
    ids = [one.id for one in news]
    locked = select(outbox.c.id).where(outbox.c.id.in_(ids)).order_by(outbox.c.id).with_for_update()
    still = set(connection.execute(locked).scalars())
    if not still:
        return False
    campaigns = {one.campaign for one in news}
    current = [_listener(row) for row in connection.execute(_listening(campaigns).with_for_update())]
    if current != list(known):
        return None
    connection.execute(delete(outbox).where(outbox.c.id.in_(still)))
    waiting: set[tuple[int, str]] = set()
    for row, message in messages:
        if row not in still:
            continue
        lane = (message.webhook_id, message.encounter)
        if lane not in waiting and not _is_waiting(connection, *lane):
            next_at: int | None = now
        else:
            next_at = None
        waiting.add(lane)
        _put(connection, message, message.encounter, EVENTS, next_at, now)
    return bool(waiting)


def _is_waiting(connection: Connection, webhook_id: int, lane: str) -> bool:
    return connection.execute(_lane(webhook_id, lane).limit(1)).first() is not None


def _lane(webhook_id: int, lane: str) -> Select[Any]:
    return (
        select(held.id, held.next_at)
        .where(held.webhook_id == webhook_id, held.lane == lane, held.status == WAITING)
        .order_by(held.id)
    )


def _put(connection: Connection, message: Message, lane: str, kind: str, next_at: int | None, now: int) -> None:
    row = {
        "public_id": message.public_id,
        "webhook_id": message.webhook_id,
        "lane": lane,
        "kind": kind,
        "encounter": message.encounter or None,
        "body": message.body,
        "status": WAITING,
        "tries": 0,
        "next_at": next_at,
        "created_at": now,
    }
    connection.execute(insert(webhook_delivery).values(row))


def put_ping(connection: Connection, public_id: str, webhook_id: int, body: str, now: int) -> None:
    """A message that is nobody's news, in a lane of its own."""
    _put(connection, Message(public_id, webhook_id, "", body), public_id, PING, now, now)


def due(connection: Connection, now: int, busy: Collection[int], each: int, limit: int) -> list[Candidate]:
    """Messages whose time has come, at most so many of `each` hook and none of the busy ones."""
    place = func.row_number().over(partition_by=held.webhook_id, order_by=(held.next_at, held.id)).label("place")
    found = (
        select(held.id, held.webhook_id, hook.url, held.next_at, place)
        .join(webhook, hook.id == held.webhook_id)
        .where(_is_due(now), hook.enabled)
    )
    if busy:
        found = found.where(held.webhook_id.not_in(busy))
    ranked = found.subquery()
    # The first of every hook come before the second of any.
    query = select(ranked).where(ranked.c.place <= each).order_by(ranked.c.place, ranked.c.next_at).limit(limit)
    return [Candidate(row.id, row.webhook_id, row.url) for row in connection.execute(query)]


def _is_due(now: int) -> ColumnElement[bool]:
    is_free = or_(held.claimed_until.is_(None), held.claimed_until <= now)
    return and_(held.status == WAITING, held.next_at.is_not(None), held.next_at <= now, is_free)


def claim(connection: Connection, ids: Collection[int], now: int, lease_ms: int) -> list[Claimed]:
    """Those of them that nobody else is sending. They are ours until the lease runs out."""
    query = (
        select(webhook_delivery, hook.public_id.label("hook"), hook.url, hook.secret, hook.old_secret, hook.old_until)
        .join(webhook, hook.id == held.webhook_id)
        .where(held.id.in_(ids), _is_due(now), hook.enabled)
        .order_by(held.id)
        .with_for_update(of=webhook_delivery, skip_locked=True)
    )
    rows = connection.execute(query).all()
    until = now + lease_ms
    if rows:
        mine = update(webhook_delivery).where(held.id.in_([row.id for row in rows]))
        connection.execute(mine.values(claimed_until=until))
    return [
        Claimed(
            row.id,
            row.public_id,
            row.webhook_id,
            row.hook,
            row.kind,
            row.url,
            row.body,
            (row.secret, row.old_secret) if row.old_secret and row.old_until > now else (row.secret,),
            row.tries,
            until,
        )
        for row in rows
    ]


def _is_ours(claimed: Claimed) -> ColumnElement[bool]:
    return and_(held.id == claimed.id, held.claimed_until == claimed.claimed_until, held.status == WAITING)


def release(connection: Connection, claimed: Iterable[Claimed]) -> None:
    """They were not sent after all."""
    for one in claimed:
        connection.execute(update(webhook_delivery).where(_is_ours(one)).values(claimed_until=None))


def release_all(connection: Connection) -> None:
    """Nobody is sending anything: the only process that could has just begun."""
    connection.execute(update(webhook_delivery).where(held.claimed_until.is_not(None)).values(claimed_until=None))


def finish(connection: Connection, claimed: Claimed, verdict: Verdict) -> bool:
    """Write down how a try ended, unless the lease ran out and somebody else has it now. Tells whether it was ours."""
    locked = select(hook.id).where(hook.id == claimed.webhook_id).with_for_update()
    connection.execute(locked).first()
    is_over = verdict.is_delivered or verdict.next_at is None
    values = {
        "status": DELIVERED if verdict.is_delivered else FAILED if is_over else WAITING,
        "tries": claimed.tries + 1,
        "tried_at": verdict.tried_at,
        "response_status": verdict.response_status,
        "error": verdict.error,
        "next_at": None if is_over else verdict.next_at,
        "claimed_until": None,
    }
    mine = update(webhook_delivery).where(_is_ours(claimed)).values(values).returning(held.lane)
    lane = connection.execute(mine).scalar_one_or_none()
    if lane is None:
        return False
    if is_over:
        _let_next(connection, claimed.webhook_id, lane, verdict.tried_at)
    if verdict.disable is not None:
        disable(connection, claimed.webhook_id, verdict.disable, verdict.tried_at)
    return True


def _let_next(connection: Connection, webhook_id: int, lane: str, now: int) -> None:
    following = connection.execute(_lane(webhook_id, lane).limit(1)).first()
    if following is not None and following.next_at is None:
        connection.execute(update(webhook_delivery).where(held.id == following.id).values(next_at=now))


def disable(connection: Connection, webhook_id: int, reason: str, now: int) -> None:
    """Nothing more is sent to it until somebody enables it."""
    enabled = update(webhook).where(hook.id == webhook_id, hook.enabled)
    connection.execute(enabled.values(enabled=False, disabled_at=now, disabled_reason=reason))


def enable(connection: Connection, webhook_id: int, now: int) -> None:
    """Let it hear of what happens from now on, and of what was waiting for it."""
    values = {"enabled": True, "since": now, "disabled_at": None, "disabled_reason": None}
    connection.execute(update(webhook).where(hook.id == webhook_id).values(values))
    lanes = select(func.min(held.id)).where(held.webhook_id == webhook_id, held.status == WAITING).group_by(held.lane)
    connection.execute(update(webhook_delivery).where(held.id.in_(lanes)).values(next_at=now, tries=0))


def forget(connection: Connection, webhook_id: int) -> None:
    """Drop all its messages, sent or not."""
    connection.execute(delete(webhook_delivery).where(held.webhook_id == webhook_id))


def resend(connection: Connection, delivery_id: int, now: int) -> None:
    """Send it again, in a lane of its own where it was done with; one that waits for its next try is tried at once."""
    over = and_(held.id == delivery_id, held.status != WAITING)
    again = {"status": WAITING, "tries": 0, "next_at": now, "claimed_until": None, "lane": held.public_id}
    if not connection.execute(update(webhook_delivery).where(over).values(again)).rowcount:
        head = and_(held.id == delivery_id, held.status == WAITING, held.next_at > now)
        connection.execute(update(webhook_delivery).where(head).values(next_at=now))


def forget_old_secrets(connection: Connection, now: int) -> None:
    """Secrets that sign no more are kept no longer."""
    over = and_(hook.old_secret.is_not(None), hook.old_until <= now)
    if connection.execute(select(hook.id).where(over).limit(1)).first() is not None:
        connection.execute(update(webhook).where(over).values(old_secret=None, old_until=None))
