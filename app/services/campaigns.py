"""Campaigns: the tenant. An admin opens one and gets its first GM token; everything else hangs below it."""

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, insert, select

from app.persistence import tables
from app.persistence.work import Reply
from app.services.bodies import Body, Name
from app.services.caller import Attempt, Caller, Result
from app.services.errors import BadInput, Finding, NotFound, NotPermitted
from app.services.service import Service
from app.services.tokens import insert_token, mint, once_or_not, times


class CampaignIn(Body, frozen=True):
    """A new campaign."""

    name: Name


class CampaignOut(msgspec.Struct, frozen=True):
    """A campaign."""

    id: str
    name: str
    created_at: str


class CampaignMade(CampaignOut, frozen=True, kw_only=True):
    """A new campaign with the token of its GM, shown this once."""

    gm_token: str


class CampaignPage(msgspec.Struct, frozen=True):
    """Campaigns, newest first."""

    items: tuple[CampaignOut, ...]
    next_cursor: str | None


def _shown(row: Row[Any]) -> CampaignOut:
    return CampaignOut(row.id, row.name, times(row.created_at) or "")


async def create(service: Service, caller: Caller, body: CampaignIn, attempt: Attempt, seed: bytes | None) -> Result:
    """Open a campaign. Admin. The answer alone holds the GM's token."""
    if caller.role != "admin":
        raise NotPermitted("admin")
    minted, now, name = mint(seed), service.clock(), service.new_id("cmp_")

    def work(connection: Connection) -> Reply:
        connection.execute(insert(tables.campaign).values(id=name, name=body.name, created_at=now))
        insert_token(connection, minted, role="gm", name="GM", now=now, campaign=name)
        return Reply(201, {}, msgspec.json.encode(CampaignOut(name, body.name, times(now) or "")))

    reply = await once_or_not(service, caller, attempt, work)
    kept = msgspec.json.decode(reply.body, type=CampaignOut)
    made = CampaignMade(**msgspec.structs.asdict(kept), gm_token=minted.text)
    return Result(msgspec.json.encode(made), created=kept.id, is_replay=reply.replayed)


async def page(service: Service, caller: Caller, *, after: str | None, limit: int) -> Result:
    """The campaigns that the caller belongs to, newest first; an admin's are all of them."""
    column = tables.campaign.c

    def work(connection: Connection) -> CampaignPage:
        query = select(tables.campaign).order_by(column.created_at.desc(), column.id.desc())
        if caller.role != "admin":
            query = query.where(column.id == caller.campaign)
        if after is not None:
            last = connection.execute(select(tables.campaign).where(column.id == after)).one_or_none()
            if last is None or (caller.role != "admin" and caller.campaign != after):
                raise BadInput([Finding("bad_cursor", "/after")])
            older = (column.created_at < last.created_at) | (
                (column.created_at == last.created_at) & (column.id < last.id)
            )
            query = query.where(older)
        rows = connection.execute(query.limit(limit + 1)).all()
        more = rows[limit - 1].id if len(rows) > limit else None
        return CampaignPage(tuple(_shown(row) for row in rows[:limit]), more)

    return Result(msgspec.json.encode(await service.store.read(work)))


async def read(service: Service, caller: Caller, campaign: str) -> Result:
    """One campaign. Whoever belongs to it, or an admin."""
    if caller.role != "admin" and caller.campaign != campaign:
        raise NotFound("campaign", campaign)

    def work(connection: Connection) -> CampaignOut:
        row = connection.execute(select(tables.campaign).where(tables.campaign.c.id == campaign)).one_or_none()
        if row is None:
            raise NotFound("campaign", campaign)
        return _shown(row)

    return Result(msgspec.json.encode(await service.store.read(work)))
