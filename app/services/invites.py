"""Invites: a short code that somebody at the table reads out, and that whoever hears it exchanges for a token.

A code has 40 bits. That is little, so only scrypt of it is kept, it ends by itself, and joining is limited by address.
"""

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from sqlalchemy import Connection, Row, and_, func, insert, or_, select, update

from app.persistence import tables
from app.persistence.work import Once, Reply
from app.services import tokens
from app.services.bodies import Body, Name
from app.services.caller import Attempt, Caller, Result, Role
from app.services.errors import BadCode, BadInput, Finding, KeyReused, LimitReached
from app.services.owned import need_campaign, owned, page_of
from app.services.service import ALPHABET, Service
from app.services.tokens import Narrowed, Seconds, Subjects, may_manage, mint, once_or_not, times

ID_PREFIX = "inv_"
INVITES_PER_CAMPAIGN = 100
"""Those that can still be used."""
KEY_LENGTH = 16
"""Characters that a key for joining has at least: whoever knows code, name and key gets the same token again."""
_LETTERS = 8
_COST = {"n": 2**13, "r": 8, "p": 1}
_ALIKE = str.maketrans({"o": "0", "i": "1", "l": "1", "u": "v", "-": None, "_": None, " ": None})
_CODE = re.compile(f"[{ALPHABET}]{{{_LETTERS}}}")


class InviteIn(Body, frozen=True):
    """Whom to let in: as what, for whom, how many and how long."""

    role: Literal["player", "spectator", "co_gm"]
    combatants: Subjects = ()
    encounter: Narrowed | None = None
    uses: Annotated[int, Meta(ge=1, le=100)] = 1
    """How many may join by it."""
    expires_in_s: Seconds = 86_400


class InviteOut(msgspec.Struct, frozen=True):
    """An invite without its code."""

    id: str
    role: Role
    campaign: str
    encounter: str | None
    combatants: tuple[str, ...]
    uses: int
    """How many may join by it."""
    uses_left: int
    """How many still may."""
    created_at: str
    expires_at: str
    revoked_at: str | None


class InviteMade(InviteOut, frozen=True, kw_only=True):
    """A new invite."""

    code: str
    """What whoever joins must send; shown this once."""


class InvitePage(msgspec.Struct, frozen=True):
    """Invites, oldest first."""

    items: tuple[InviteOut, ...]
    next_cursor: str | None


class JoinIn(Body, frozen=True):
    """A code, and what whoever joins is called."""

    code: Annotated[str, Meta(min_length=1, max_length=40)]
    """As it was read out: case, dashes and spaces do not matter; `O` is read as 0, `I` and `L` as 1, `U` as V."""
    name: Name


class _Known(msgspec.Struct, frozen=True):
    """What is made of a code: by what it is found, and a secret that only whoever has the code can make again."""

    hash: bytes
    secret: bytes


def _made(seed: bytes | None) -> str:
    """A code, by chance or from a seed that nobody else can know."""
    if seed is None:
        seed = secrets.token_bytes(32)
    number = int.from_bytes(hashlib.sha256(b"code" + seed).digest(), "big")
    return "".join(ALPHABET[number >> 5 * place & 31] for place in range(_LETTERS))


def _written(code: str) -> str:
    """A code as people read it: `K7Q2-9XMD`."""
    half = _LETTERS // 2
    return f"{code[:half]}-{code[half:]}".upper()


def _plain(given: str) -> str | None:
    """The code that is meant; None for what cannot be one."""
    code = given.lower().translate(_ALIKE)
    return code if _CODE.fullmatch(code) else None


async def _known(code: str) -> _Known:
    """Slow on purpose, and in a thread of its own: somebody who has the database should not find the codes."""
    made = await asyncio.to_thread(
        lambda: hashlib.scrypt(code.encode(), salt=b"turnwright-invite", dklen=64, maxmem=2**25, **_COST)
    )
    return _Known(made[:32], made[32:])


def _shown(row: Row[Any]) -> InviteOut:
    return InviteOut(
        id=row.public_id,
        role=row.role,
        campaign=row.campaign_id,
        encounter=row.encounter,
        combatants=tuple(msgspec.json.decode(row.combatants, type=list[str])),
        uses=row.uses,
        uses_left=row.uses_left,
        created_at=times(row.created_at) or "",
        expires_at=times(row.expires_at) or "",
        revoked_at=times(row.revoked_at),
    )


def _usable(now: int) -> Any:
    """Which of them still let somebody in."""
    held = tables.invite.c
    return and_(held.uses_left > 0, held.revoked_at.is_(None), or_(held.expires_at.is_(None), held.expires_at > now))


async def create(
    service: Service, caller: Caller, campaign: str, body: InviteIn, attempt: Attempt, seed: bytes | None
) -> Result:
    """Make an invite. GM of the whole campaign, or admin. The answer alone holds the code."""
    may_manage(caller, campaign)
    code, now = _made(seed), service.clock()
    known, name = await _known(code), service.new_id(ID_PREFIX)
    held = tables.invite.c

    def work(connection: Connection) -> Reply:
        need_campaign(connection, campaign)
        tokens.fit(connection, campaign, body.role, body.encounter, body.combatants)
        usable = select(func.count()).select_from(tables.invite).where(held.campaign_id == campaign, _usable(now))
        if connection.execute(usable).scalar_one() >= INVITES_PER_CAMPAIGN:
            raise LimitReached("too_many_invites", INVITES_PER_CAMPAIGN)
        if connection.execute(select(held.id).where(held.hash == known.hash)).one_or_none() is not None:
            raise KeyReused(name)
        row = {
            "public_id": name,
            "hash": known.hash,
            "campaign_id": campaign,
            "role": body.role,
            "encounter": body.encounter,
            "combatants": msgspec.json.encode(body.combatants).decode(),
            "uses": body.uses,
            "uses_left": body.uses,
            "created_at": now,
            "expires_at": now + body.expires_in_s * 1000,
        }
        connection.execute(insert(tables.invite).values(**row))
        return Reply(201, {}, msgspec.json.encode(_shown(owned(connection, tables.invite, campaign, name))))

    reply = await once_or_not(service, caller, attempt, work)
    kept = msgspec.json.decode(reply.body, type=InviteOut)
    made = InviteMade(**msgspec.structs.asdict(kept), code=_written(code))
    return Result(msgspec.json.encode(made), created=kept.id, is_replay=reply.replayed)


async def page(service: Service, caller: Caller, campaign: str, *, after: str | None, limit: int) -> Result:
    """The campaign's invites, oldest first, used up and revoked ones too. GM or admin."""
    may_manage(caller, campaign)

    def work(connection: Connection) -> InvitePage:
        rows, more = page_of(connection, tables.invite, campaign, after, limit)
        return InvitePage(tuple(_shown(row) for row in rows), more)

    return Result(msgspec.json.encode(await service.store.read(work)))


async def read(service: Service, caller: Caller, campaign: str, invite: str) -> Result:
    """One invite, without its code. GM or admin."""
    may_manage(caller, campaign)
    row = await service.store.read(lambda connection: owned(connection, tables.invite, campaign, invite))
    return Result(msgspec.json.encode(_shown(row)))


async def revoke(service: Service, caller: Caller, campaign: str, invite: str, attempt: Attempt) -> Result:
    """Nobody joins by it any more; whoever has, stays. Revoking it twice changes nothing. GM or admin."""
    may_manage(caller, campaign)
    now = service.clock()
    held = tables.invite.c

    def work(connection: Connection) -> Reply:
        row = owned(connection, tables.invite, campaign, invite)
        living = and_(held.id == row.id, held.revoked_at.is_(None))
        connection.execute(update(tables.invite).where(living).values(revoked_at=now))
        return Reply(204, {}, b"")

    reply = await once_or_not(service, caller, attempt, work)
    return Result(b"", is_replay=reply.replayed)


async def join(service: Service, body: JoinIn, attempt: Attempt, roles: Collection[Role] | None = None) -> Result:
    """A token for whoever has the code. The answer alone holds its secret; a retry under its key gets the same one.

    `roles` are those that are wanted: the code of another is left alone, as one that lets nobody in.
    Raises `BadCode` for every code that lets nobody in, whatever is wrong with it, `LimitReached`.
    """
    if attempt.key is not None and len(attempt.key) < KEY_LENGTH:
        raise BadInput([Finding("short_key", "/Idempotency-Key", str(KEY_LENGTH))])
    code = _plain(body.code)
    if code is None:
        raise BadCode
    known, now, seed = await _known(code), service.clock(), None
    if attempt.key is not None:
        seed = hmac.digest(known.secret, f"{attempt.key}\n{body.name}".encode(), hashlib.sha256)
    minted = mint(seed)
    held = tables.invite.c

    def work(connection: Connection) -> Reply:
        # One statement takes a use, so that of many who come at once exactly so many get in.
        taken = update(tables.invite).where(held.hash == known.hash, _usable(now)).values(uses_left=held.uses_left - 1)
        if connection.execute(taken).rowcount != 1:
            raise BadCode
        invite = connection.execute(select(tables.invite).where(held.hash == known.hash)).one()
        if roles is not None and invite.role not in roles:
            raise BadCode
        if invite.encounter is not None and not tokens.is_there(connection, invite.campaign_id, invite.encounter):
            raise BadCode
        tokens.room_for_one_more(connection, invite.campaign_id)
        row = tokens.insert_token(
            connection,
            minted,
            role=invite.role,
            name=body.name,
            now=now,
            campaign=invite.campaign_id,
            encounter=invite.encounter,
            combatants=tuple(msgspec.json.decode(invite.combatants, type=list[str])),
            invite=invite.public_id,
        )
        return Reply(201, {}, msgspec.json.encode(tokens.shown(row)))

    if attempt.key is None:
        return tokens.made(await service.writer.execute(work), minted)
    # The room of the key is the code's own: nobody has a token yet.
    room = Once(f"join_{known.hash.hex()}", attempt.key, attempt.request_hash)
    reply = await service.writer.execute_once(work, room)
    if reply.replayed and not await service.store.read(lambda connection: tokens.is_good(connection, minted.id, now)):
        raise BadCode
    return tokens.made(reply, minted)
