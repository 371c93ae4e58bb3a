"""Tickets: a browser's `EventSource` sends no header, so it brings one of these in the address, good once.

Only a hash is kept, in the database, so that any worker can take it.
"""

import base64
import hashlib
import re
import secrets
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from app.persistence import tables
from app.persistence.work import Reply
from app.services import lookup
from app.services.caller import Attempt, Caller, Result
from app.services.errors import LimitReached
from app.services.service import Service
from app.services.tokens import Gate, once_or_not, times

LIFE_S = 60
TICKETS_PER_TOKEN = 20
"""Those that can still be used."""
SWEPT = 200
"""Old ones that are thrown away at once, by whoever gets a new one."""
_TICKET = re.compile(r"twt_([A-Za-z0-9_-]{43})")


class TicketMade(msgspec.Struct, frozen=True):
    """A ticket for one stream."""

    ticket: str
    """What the address of the stream takes as `ticket`; shown this once, good once."""
    expires_at: str


class _Kept(msgspec.Struct, frozen=True):
    expires_at: str


def _made(seed: bytes | None) -> str:
    """A ticket, by chance or from a seed that nobody else can know."""
    secret = secrets.token_bytes(32) if seed is None else hashlib.sha256(b"ticket" + seed).digest()
    return "twt_" + base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def _hash(ticket: str) -> bytes:
    return hashlib.sha256(ticket.encode()).digest()


async def create(service: Service, caller: Caller, encounter: str, attempt: Attempt, seed: bytes | None) -> Result:
    """A ticket for this encounter's stream, as the caller sees it and in his language. Whoever may follow it."""
    await lookup.encounter(service.store, caller, encounter)
    ticket, now = _made(seed), service.clock()
    held = tables.stream_ticket.c

    def work(connection: Connection) -> Reply:
        old = select(held.hash).where(held.expires_at <= now).limit(SWEPT)
        connection.execute(delete(tables.stream_ticket).where(held.hash.in_(old)))
        own = select(func.count()).select_from(tables.stream_ticket).where(held.token == caller.token)
        if connection.execute(own.where(held.expires_at > now)).scalar_one() >= TICKETS_PER_TOKEN:
            raise LimitReached("too_many_tickets", TICKETS_PER_TOKEN)
        row = {"token": caller.token, "encounter": encounter, "language": caller.language}
        expires = now + LIFE_S * 1000
        connection.execute(insert(tables.stream_ticket).values(hash=_hash(ticket), expires_at=expires, **row))
        return Reply(201, {}, msgspec.json.encode(_Kept(times(expires) or "")))

    reply = await once_or_not(service, caller, attempt, work)
    kept = msgspec.json.decode(reply.body, type=_Kept)
    return Result(msgspec.json.encode(TicketMade(ticket, kept.expires_at)), is_replay=reply.replayed)


async def take(service: Service, gate: Gate, encounter: str, ticket: str) -> Caller | None:
    """Who comes by this ticket, which is then gone; None if it lets nobody in.

    Whoever deletes the row has it: of many who use it at once exactly one.
    """
    if not _TICKET.fullmatch(ticket):
        return None
    held, now = tables.stream_ticket.c, service.clock()
    this = (held.hash == _hash(ticket), held.encounter == encounter)

    def work(connection: Connection) -> Any:
        row = connection.execute(select(tables.stream_ticket).where(*this)).one_or_none()
        if row is None or connection.execute(delete(tables.stream_ticket).where(*this)).rowcount != 1:
            return None
        return row if row.expires_at > now else None

    row = await service.writer.execute(work)
    if row is None:
        return None
    caller = await gate.named(row.token)
    return None if caller is None else msgspec.structs.replace(caller, language=row.language)
