"""Tokens: who may come in, as what, for whom. Only a hash of the secret is kept; the secret itself is shown once.

`tw_<id>_<secret>`: the id finds the row, 256 bits of secret prove it. A token that a request with an idempotency key
asks for is derived from the asking token's own secret and the key, so that the answer can be repeated without being
kept.
"""

import asyncio
import base64
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Collection
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType
from sqlalchemy import Connection, Row, and_, func, insert, or_, select, update

from app.persistence import tables
from app.persistence.work import Reply
from app.services.bodies import Body, Name
from app.services.caller import Attempt, Caller, Result, Role
from app.services.errors import BadInput, Finding, KeyReused, LimitReached, NotFound, NotPermitted
from app.services.owned import need_campaign, owned, page_of
from app.services.results import once
from app.services.service import Service

TokenText = re.compile(r"tw_([0-9a-z]{12})_([A-Za-z0-9_-]{43})")
ID_PREFIX = "tok_"
CACHE_SIZE = 10_000
TOGETHER_S = 0.5
"""So long what one stream was told of a token holds for its others too."""
TOKENS_PER_CAMPAIGN = 200
_DUMMY = hashlib.sha256(b"nobody").digest()

Subject = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=204,
        pattern=r"^(cmb_[0-9a-z]{1,22}|ref:.{1,200})$",
        description="A combatant's id, or `ref:TOKEN`.",
    ),
]
Subjects = Annotated[tuple[Subject, ...], Meta(max_length=200)]
Narrowed = Annotated[str, Meta(max_length=26)]
Seat = Literal["gm", "co_gm", "player", "spectator"]
Seconds = Annotated[int, Meta(ge=60, le=31_536_000, description="How long it is good for, in seconds.")]


class TokenIn(Body, frozen=True):
    """A token to give to somebody at the table."""

    role: Seat
    name: Name
    combatants: Subjects = ()
    encounter: Narrowed | None = None
    expires_in_s: Seconds | None = None


class TokenEdit(Body, frozen=True):
    """What may be changed about a token; a field left out stays.

    Whoever is no player any more acts for nobody.
    """

    role: Seat | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    combatants: Subjects | UnsetType = UNSET
    encounter: Narrowed | UnsetType | None = UNSET
    expires_in_s: Seconds | UnsetType | None = UNSET


class TokenOut(msgspec.Struct, frozen=True):
    """A token without its secret."""

    id: str
    name: str
    role: Role
    campaign: str | None
    encounter: str | None
    combatants: tuple[str, ...]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    invite: str | None = None
    """Id of the invite that it was made by; null for one that the GM made."""


class TokenMade(TokenOut, frozen=True, kw_only=True):
    """A new token. `token` is its secret, shown this once."""

    token: str


class TokenPage(msgspec.Struct, frozen=True):
    """Tokens, oldest first."""

    items: tuple[TokenOut, ...]
    next_cursor: str | None


class Minted(msgspec.Struct, frozen=True):
    """A fresh token: its public id, the whole text that its owner sends, and what is kept of it."""

    id: str
    text: str
    hash: bytes


def mint(seed: bytes | None = None) -> Minted:
    """Make a token, by chance or from a seed that nobody else can know."""
    if seed is None:
        seed = secrets.token_bytes(32)
    name = base64.b32encode(hashlib.sha256(b"id" + seed).digest())[:12].decode().lower()
    secret = base64.urlsafe_b64encode(hashlib.sha256(b"secret" + seed).digest()).rstrip(b"=").decode()
    return Minted(ID_PREFIX + name, f"tw_{name}_{secret}", hashlib.sha256(secret.encode()).digest())


def seed_for(authorization: str, key: str | None) -> bytes | None:
    """The seed of a token that is made under an idempotency key; None without a key."""
    if key is None:
        return None
    return hmac.digest(authorization.encode(), b"turnwright-token\n" + key.encode(), hashlib.sha256)


class Gate:
    """Tells who a token is. What was good is taken for a moment without looking again."""

    def __init__(self, service: Service, *, cache_s: float = 1.0) -> None:
        self._service = service
        self._cache_s = cache_s
        self._known: dict[tuple[str, bytes], tuple[float, int | None, Caller]] = {}
        self._looked: dict[str, tuple[float, asyncio.Future[Row[Any] | None]]] = {}

    async def caller(self, text: str) -> Caller | None:
        """Whose token this is; None for one that is unknown, wrong, revoked or expired, which all take the same way."""
        match = TokenText.fullmatch(text)
        if match is None:
            return None
        digest = hashlib.sha256(match[2].encode()).digest()
        known = self._known.get((match[1], digest))
        if known is not None and known[0] > time.monotonic():
            return known[2] if known[1] is None or known[1] > self._service.clock() else None
        row = await self._row(ID_PREFIX + match[1])
        is_right = hmac.compare_digest(digest, row.hash if row is not None else _DUMMY)
        if row is None or not is_right or not self._is_good(row):
            return None
        caller = caller_of(row)
        if self._cache_s > 0:
            if len(self._known) >= CACHE_SIZE:
                self._known.clear()
            self._known[match[1], digest] = (time.monotonic() + self._cache_s, row.expires_at, caller)
        return caller

    async def is_still(self, caller: Caller) -> bool:
        """Whether the token is still good, and still says the same about its owner."""
        row = await self._lately(caller.token)
        return (
            row is not None
            and self._is_good(row)
            and msgspec.structs.replace(caller_of(row), language=caller.language) == caller
        )

    async def named(self, token: str) -> Caller | None:
        """What a token of that public id says of its owner now; None for one that is no good any more."""
        row = await self._row(token)
        return None if row is None or not self._is_good(row) else caller_of(row)

    def forget(self) -> None:
        """Look at every token again: one was changed."""
        self._known.clear()
        self._looked.clear()

    def _is_good(self, row: Row[Any]) -> bool:
        return _is_good(row, self._service.clock())

    async def _lately(self, public_id: str) -> Row[Any] | None:
        """Its row as it is, or was a moment ago: of the hundred streams of one token one asks the database."""
        known = self._looked.get(public_id)
        if known is None or time.monotonic() - known[0] > TOGETHER_S:
            if len(self._looked) >= CACHE_SIZE:
                self._looked.clear()
            known = self._looked[public_id] = (time.monotonic(), asyncio.ensure_future(self._row(public_id)))
        return await asyncio.shield(known[1])

    async def _row(self, public_id: str) -> Row[Any] | None:
        found: Row[Any] | None = await self._service.store.read(lambda connection: _find(connection, public_id))
        return found


def _find(connection: Connection, public_id: str) -> Row[Any] | None:
    return connection.execute(select(tables.token).where(tables.token.c.public_id == public_id)).one_or_none()


def is_good(connection: Connection, public_id: str, now: int) -> bool:
    """Whether there is such a token, and it lets somebody in."""
    row = _find(connection, public_id)
    return row is not None and _is_good(row, now)


def _is_good(row: Row[Any], now: int) -> bool:
    return row.revoked_at is None and (row.expires_at is None or row.expires_at > now)


def caller_of(row: Row[Any]) -> Caller:
    """What a token lets its owner see and do."""
    return Caller(
        token=row.public_id,
        token_id=row.id,
        role=row.role,
        campaign=row.campaign_id,
        encounter=row.encounter,
        combatants=frozenset(msgspec.json.decode(row.combatants, type=list[str])),
        language=row.language or "en",
    )


def times(moment: int | None) -> str | None:
    """UTC milliseconds as RFC 3339."""
    if moment is None:
        return None
    seconds, rest = divmod(moment, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{rest:03d}Z"


def shown(row: Row[Any]) -> TokenOut:
    """A token as it is listed."""
    return TokenOut(
        id=row.public_id,
        name=row.name,
        role=row.role,
        campaign=row.campaign_id,
        encounter=row.encounter,
        combatants=tuple(msgspec.json.decode(row.combatants, type=list[str])),
        created_at=times(row.created_at) or "",
        expires_at=times(row.expires_at),
        revoked_at=times(row.revoked_at),
        invite=row.invite,
    )


def may_manage(caller: Caller, campaign: str) -> None:
    """Whoever hands out keys runs the table. What is not his campaign is not there for him."""
    if caller.role != "admin" and caller.campaign != campaign:
        raise NotFound("campaign", campaign)
    if not caller.manages:
        raise NotPermitted("gm")


def fit(
    connection: Connection,
    campaign: str,
    role: str,
    encounter: str | None,
    combatants: Collection[str],
    *,
    is_new: bool = True,
) -> None:
    """Whether such a seat can be: only a player acts for combatants, and a co-GM has one encounter, a GM all of them.

    `is_new` says that the encounter was named just now, and must be there. Raises `BadInput`.
    """
    findings = []
    if combatants and role != "player":
        findings.append(Finding("unknown_field", "/combatants"))
    if role == "co_gm" and encounter is None:
        findings.append(Finding("missing_input", "/encounter"))
    elif role == "gm" and encounter is not None:
        findings.append(Finding("whole_campaign", "/encounter", "co_gm"))
    elif is_new and encounter is not None and not is_there(connection, campaign, encounter):
        findings.append(Finding("bad_id", "/encounter"))
    if findings:
        raise BadInput(findings)


def is_there(connection: Connection, campaign: str, encounter: str) -> bool:
    """Whether the campaign has an encounter of that id."""
    held = tables.encounter.c
    known = select(held.id).where(held.public_id == encounter, held.campaign_id == campaign)
    return connection.execute(known).one_or_none() is not None


def room_for_one_more(connection: Connection, campaign: str) -> None:
    """Raises `LimitReached` where a campaign has as many tokens as it may, revoked ones left out.

    On PostgreSQL several that are made in the same moment do not see each other, and may come out a few beyond it.
    """
    living = and_(tables.token.c.campaign_id == campaign, tables.token.c.revoked_at.is_(None))
    held = connection.execute(select(func.count()).select_from(tables.token).where(living)).scalar_one()
    if held >= TOKENS_PER_CAMPAIGN:
        raise LimitReached("too_many_tokens", TOKENS_PER_CAMPAIGN)


def insert_token(
    connection: Connection,
    minted: Minted,
    *,
    role: Role,
    name: str,
    now: int,
    campaign: str | None = None,
    encounter: str | None = None,
    combatants: tuple[str, ...] = (),
    expires_at: int | None = None,
    invite: str | None = None,
) -> Row[Any]:
    """Store a token and give its row. Raises `KeyReused` for one that its seed has made before."""
    if _find(connection, minted.id) is not None:
        raise KeyReused(minted.id)
    statement = insert(tables.token).values(
        public_id=minted.id,
        hash=minted.hash,
        role=role,
        name=name,
        campaign_id=campaign,
        encounter=encounter,
        combatants=msgspec.json.encode(combatants).decode(),
        created_at=now,
        expires_at=expires_at,
        invite=invite,
    )
    connection.execute(statement)
    row = _find(connection, minted.id)
    if row is None:
        raise LookupError(minted.id)
    return row


async def once_or_not(service: Service, caller: Caller, attempt: Attempt, work: Callable[[Connection], Reply]) -> Reply:
    """Carry out a change that is no encounter's: under the caller's idempotency key, if he sent one."""
    key = once(caller, attempt)
    if key is None:
        return await service.writer.execute(work)
    return await service.writer.execute_once(work, key)


async def create(
    service: Service, caller: Caller, campaign: str, body: TokenIn, attempt: Attempt, seed: bytes | None
) -> Result:
    """Make a token for the campaign. GM of the whole campaign, or admin. The answer alone holds the secret."""
    may_manage(caller, campaign)
    minted, now = mint(seed), service.clock()
    expires_at = None if body.expires_in_s is None else now + body.expires_in_s * 1000

    def work(connection: Connection) -> Reply:
        need_campaign(connection, campaign)
        room_for_one_more(connection, campaign)
        fit(connection, campaign, body.role, body.encounter, body.combatants)
        row = insert_token(
            connection,
            minted,
            role=body.role,
            name=body.name,
            now=now,
            campaign=campaign,
            encounter=body.encounter,
            combatants=body.combatants,
            expires_at=expires_at,
        )
        return Reply(201, {}, msgspec.json.encode(shown(row)))

    return made(await once_or_not(service, caller, attempt, work), minted)


def made(reply: Reply, minted: Minted) -> Result:
    """What tells of a new token: what is stored of it, and its secret, which never is."""
    kept = msgspec.json.decode(reply.body, type=TokenOut)
    whole = TokenMade(**msgspec.structs.asdict(kept), token=minted.text)
    return Result(msgspec.json.encode(whole), created=kept.id, is_replay=reply.replayed)


async def page(service: Service, caller: Caller, campaign: str, *, after: str | None, limit: int) -> Result:
    """The campaign's tokens, oldest first, revoked ones too. GM or admin."""
    may_manage(caller, campaign)

    def work(connection: Connection) -> TokenPage:
        rows, more = page_of(connection, tables.token, campaign, after, limit)
        return TokenPage(tuple(shown(row) for row in rows), more)

    return Result(msgspec.json.encode(await service.store.read(work)))


async def read(service: Service, caller: Caller, campaign: str, token: str) -> Result:
    """One token, without its secret. GM or admin."""
    may_manage(caller, campaign)
    row = await service.store.read(lambda connection: owned(connection, tables.token, campaign, token))
    return Result(msgspec.json.encode(shown(row)))


async def own(service: Service, caller: Caller) -> Result:
    """The caller's own token, without its secret: who he is here."""

    def work(connection: Connection) -> Row[Any] | None:
        return _find(connection, caller.token)

    row = await service.store.read(work)
    if row is None:  # deleted with its campaign since it was let in
        raise NotFound("token", caller.token)
    return Result(msgspec.json.encode(shown(row)))


async def edit(
    service: Service, caller: Caller, gate: Gate, campaign: str, token: str, body: TokenEdit, attempt: Attempt
) -> Result:
    """Change a token's role and reach, for whom it acts, its name, or how long it is good. GM or admin."""
    may_manage(caller, campaign)
    now = service.clock()

    def work(connection: Connection) -> Reply:
        row = owned(connection, tables.token, campaign, token)
        changed: dict[str, Any] = {}
        if body.name is not UNSET:
            changed["name"] = body.name
        if not (body.role is body.combatants is body.encounter is UNSET):
            role = row.role if body.role is UNSET else body.role
            combatants = body.combatants
            if combatants is UNSET:
                kept = msgspec.json.decode(row.combatants, type=tuple[str, ...])
                combatants = kept if role == "player" else ()
            encounter = row.encounter if body.encounter is UNSET else body.encounter
            fit(connection, campaign, role, encounter, combatants, is_new=body.encounter is not UNSET)
            changed |= {"role": role, "encounter": encounter}
            changed["combatants"] = msgspec.json.encode(combatants).decode()
        if body.expires_in_s is not UNSET:
            changed["expires_at"] = None if body.expires_in_s is None else now + body.expires_in_s * 1000
        if changed:
            connection.execute(update(tables.token).where(tables.token.c.id == row.id).values(**changed))
        return Reply(200, {}, msgspec.json.encode(shown(owned(connection, tables.token, campaign, token))))

    reply = await once_or_not(service, caller, attempt, work)
    gate.forget()
    return Result(reply.body, is_replay=reply.replayed)


async def revoke(service: Service, caller: Caller, gate: Gate, campaign: str, token: str, attempt: Attempt) -> Result:
    """The token is good no more, at once. Revoking it twice changes nothing. GM or admin."""
    may_manage(caller, campaign)
    now = service.clock()

    def work(connection: Connection) -> Reply:
        row = owned(connection, tables.token, campaign, token)
        living = and_(tables.token.c.id == row.id, tables.token.c.revoked_at.is_(None))
        connection.execute(update(tables.token).where(living).values(revoked_at=now))
        return Reply(204, {}, b"")

    reply = await once_or_not(service, caller, attempt, work)
    gate.forget()
    return Result(b"", is_replay=reply.replayed)


async def create_admin(service: Service, name: str) -> str:
    """A token for the operator, bound to no campaign. Only the command line makes one."""
    minted, now = mint(), service.clock()

    def work(connection: Connection) -> None:
        insert_token(connection, minted, role="admin", name=name, now=now)

    await service.writer.execute(work)
    return minted.text


async def has_admin(service: Service) -> bool:
    """Whether there is an admin's token that is good."""
    now = service.clock()
    good = and_(
        tables.token.c.role == "admin",
        tables.token.c.revoked_at.is_(None),
        or_(tables.token.c.expires_at.is_(None), tables.token.c.expires_at > now),
    )
    query = select(tables.token.c.id).where(good).limit(1)
    found: bool = await service.store.read(lambda connection: connection.execute(query).one_or_none() is not None)
    return found
