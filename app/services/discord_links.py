"""Which Discord channel shows which encounter, and by which token a Discord user plays.

A link holds the public id of a token that nobody has the secret of: it was made by joining and thrown away, so that it
can be used through Discord alone. What it lets its owner do is asked of the token each time, so that the GM's changes
and revoking count at once.
"""

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from app.persistence import tables
from app.services.caller import Caller
from app.services.service import Service
from app.services.tokens import Gate

ANYWHERE = ""
"""Stands for the encounter of a link whose token is narrowed to none."""


class Bound(NamedTuple):
    """What a channel shows."""

    encounter: str
    campaign: str


async def bind(service: Service, channel: str, caller: Caller) -> None:
    """Let a channel show the encounter that this GM's token is narrowed to."""
    held, now = tables.discord_channel.c, service.clock()
    row = {"channel": channel, "encounter": caller.encounter, "campaign_id": caller.campaign, "token": caller.token}

    def work(connection: Connection) -> None:
        connection.execute(delete(tables.discord_channel).where(held.channel == channel))
        connection.execute(insert(tables.discord_channel).values(**row, created_at=now))

    await service.writer.execute(work)


async def bound(service: Service, channel: str) -> Bound | None:
    """What the channel shows; None where nobody has bound it."""
    query = select(tables.discord_channel).where(tables.discord_channel.c.channel == channel)
    row: Any = await service.store.read(lambda connection: connection.execute(query).one_or_none())
    return None if row is None else Bound(row.encounter, row.campaign_id)


async def link(service: Service, user: str, caller: Caller) -> None:
    """Let a Discord user play by this token from now on. The one he had for the same seat is revoked."""
    held, now = tables.discord_link.c, service.clock()
    seat = {"user_id": user, "campaign_id": caller.campaign, "encounter": caller.encounter or ANYWHERE}
    this = [held[name] == value for name, value in seat.items()]
    tokens = tables.token.c

    def work(connection: Connection) -> None:
        before = connection.execute(select(held.token).where(*this)).scalar_one_or_none()
        if before == caller.token:
            return
        if before is not None:
            old = (tokens.public_id == before, tokens.revoked_at.is_(None))
            connection.execute(update(tables.token).where(*old).values(revoked_at=now))
            connection.execute(delete(tables.discord_link).where(*this))
        connection.execute(insert(tables.discord_link).values(**seat, token=caller.token, created_at=now))

    await service.writer.execute(work)


async def caller_of(service: Service, gate: Gate, user: str, where: Bound, language: str) -> Caller | None:
    """Who a Discord user is in that encounter, now; None for whoever has not joined, or whose token is no good."""
    held = tables.discord_link.c
    query = select(held.encounter, held.token).where(
        held.user_id == user, held.campaign_id == where.campaign, held.encounter.in_((where.encounter, ANYWHERE))
    )
    rows: Any = await service.store.read(lambda connection: connection.execute(query).all())
    # The seat in this encounter comes before one in the whole campaign.
    for row in sorted(rows, key=lambda one: one.encounter == ANYWHERE):
        caller = await gate.named(row.token)
        if caller is not None:
            return msgspec.structs.replace(caller, language=language)
    return None
