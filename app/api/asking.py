"""Who asks, and how: one dependency reads token, key, version and language by hand, for the quick path's sake."""

import hashlib
import re
from typing import Annotated, Any, BinaryIO, TypeVar

import msgspec
from fastapi import Depends, Query, Request
from msgspec.structs import replace

from app.api.problem_texts import Code
from app.api.problems import Problem
from app.api.rates import Rates
from app.api.strict_json import Headers, parse, read_body, read_lines, tree_of
from app.config import Settings
from app.services import tickets
from app.services.caller import Attempt, Caller
from app.services.errors import Finding
from app.services.house_rules import MOST_BYTES
from app.services.rulesets import Catalog
from app.services.service import Service
from app.services.tokens import Gate, TokenText, seed_for
from app.services.webhooks.hooks import Desk

T = TypeVar("T")
_KEY = re.compile(rb"[\x21-\x7e]{1,255}")
_TAG = re.compile(rb'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_VERSION = re.compile(rb"([0-9]{1,15})(?:\.[0-9a-f]{10})?")
LONGEST_TAGS = 2000
"""So much of a header with entity tags is read."""
NEVER = -1
"""A version that no encounter has: a tag that is none of ours, or a weak one, never matches."""


class Parts:
    """What requests are answered with, wired once at start: kept on `app.state.parts`."""

    __slots__ = ("catalog", "desk", "gate", "rates", "service", "settings", "views")

    def __init__(self, service: Service, gate: Gate, rates: Rates, settings: Settings, desk: Desk) -> None:
        self.service = service
        self.desk = desk
        self.catalog: Catalog = service.catalog
        self.views: dict[tuple[str, bytes, str], bytes] = {}
        """Answers about rulesets, encoded; they change only with the installation."""
        self.gate = gate
        self.rates = rates
        self.settings = settings


class Sent:
    """One request, whoever sent it."""

    __slots__ = ("_headers", "_if_match", "_if_none_match", "_key", "parts", "request")

    def __init__(self, request: Request, parts: Parts, headers: Headers) -> None:
        self.request = request
        self.parts = parts
        self._headers = headers
        self._key = headers.get(b"idempotency-key")
        self._if_match = headers.get(b"if-match")
        self._if_none_match = headers.get(b"if-none-match")

    @property
    def service(self) -> Service:
        """What the use cases work with."""
        return self.parts.service

    @property
    def address(self) -> str:
        """Where it comes from."""
        return address_of(self.request.scope)

    async def body(self, kind: type[T], *, large: bool = False) -> tuple[T, Attempt]:
        """The request's body as that type, and how it was sent."""
        settings = self.parts.settings
        # The headers are judged before the body is read: what cannot be used need not be received.
        self.check_headers()
        limit = settings.large_body_limit if large else settings.body_limit
        raw = await read_body(self.request.receive, self._headers, limit, settings.body_timeout_s)
        return parse(raw, kind), self.attempt(raw)

    async def document(self) -> tuple[Any, tuple[Finding, ...], Attempt]:
        """The body as a tree of JSON, what in its texts and numbers cannot be taken, and how it was sent.

        `If-None-Match` can only ask that nothing be there yet.
        """
        settings = self.parts.settings
        self.check_headers()
        if self._if_none_match is not None and self._if_none_match.strip() != b"*":
            raise Problem(Code.INVALID_HEADER)
        raw = await read_body(self.request.receive, self._headers, MOST_BYTES, settings.body_timeout_s)
        tree, flaws = tree_of(raw)
        return tree, flaws, replace(self.attempt(raw), is_first=self._if_none_match is not None)

    async def lines(self, file: BinaryIO) -> Attempt:
        """The request's body as lines, put into a file, and how it was sent."""
        settings = self.parts.settings
        self.check_headers()
        receive, headers = self.request.receive, self._headers
        digest = await read_lines(receive, headers, settings.import_limit, settings.import_timeout_s, file)
        return self.attempt(digest)

    async def maybe_body(self, kind: type[T], empty: T) -> tuple[T, Attempt]:
        """The same for an operation that also goes without a body."""
        headers = self._headers
        has_length = headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
        if b"content-type" not in headers and not has_length:
            return empty, self.attempt(b"")
        return await self.body(kind)

    def check_headers(self) -> None:
        """Raise 400 for a key or a tag that cannot be read."""
        if self._key is not None and not _KEY.fullmatch(self._key):
            raise Problem(Code.INVALID_HEADER)
        self._version()

    def attempt(self, raw: bytes = b"") -> Attempt:
        """How a change was sent: its key with what it belongs to, and the version that it expects."""
        version = self._version()
        if self._key is None:
            return Attempt(None, b"", version)
        if not _KEY.fullmatch(self._key):
            raise Problem(Code.INVALID_HEADER)
        scope = self.request.scope
        digest = hashlib.sha256(f"{scope['method']}\n{scope['path']}\n".encode())
        digest.update(scope["query_string"] + b"\n" + raw)
        return Attempt(self._key.decode(), digest.digest(), version)

    def _version(self) -> int | None:
        if self._if_match is None or self._if_match.strip() == b"*":
            return None
        match = _TAG.fullmatch(self._if_match.strip())
        if match is None or len(self._if_match) > LONGEST_TAGS:
            raise Problem(Code.INVALID_HEADER)
        version = _VERSION.fullmatch(match[2])
        if match[1] or version is None:
            return NEVER
        return int(version[1])

    def has(self, tag: str) -> bool:
        """Whether the reader's copy carries this tag already."""
        if self._if_none_match is None:
            return False
        if self._if_none_match.strip() == b"*":
            return True
        wanted = tag.removeprefix("W/").strip('"').encode()
        return any(match[2] == wanted for match in _TAG.finditer(self._if_none_match[:LONGEST_TAGS]))


class Asker(Sent):
    """One request with its caller."""

    __slots__ = ("_authorization", "caller")

    def __init__(self, request: Request, parts: Parts, caller: Caller, headers: Headers) -> None:
        super().__init__(request, parts, headers)
        self.caller = caller
        # Whoever comes by a ticket has none.
        self._authorization = headers.get(b"authorization", b"")

    def reader(self, besides: str = "") -> str:
        """What tells his copies from those of others: whoever sees less, or reads another language, has other bytes.

        So has he himself where the body tells something `besides` that does not count for him.
        """
        who = self.caller
        told = [who.token, who.role, who.encounter, who.language, *sorted(who.combatants)]
        if besides:
            told.append(besides)
        return hashlib.sha256(repr(tuple(told)).encode()).hexdigest()[:10]

    async def still_valid(self) -> bool:
        """Whether the token still says the same about its owner."""
        return await self.parts.gate.is_still(self.caller)

    async def look_again(self) -> None:
        """Take the caller as his token now says. Raises 401."""
        caller = await self.parts.gate.named(self.caller.token)
        if caller is None:
            raise Problem(Code.TOKEN_INVALID)
        self.caller = msgspec.structs.replace(caller, language=self.caller.language)

    def seed(self) -> bytes | None:
        """What a secret is made from that is asked for under a key."""
        return seed_for(
            self._authorization.decode("latin-1"), None if self._key is None else self._key.decode("latin-1")
        )


_READ = frozenset(
    {
        b"authorization",
        b"content-encoding",
        b"content-length",
        b"content-type",
        b"expect",
        b"idempotency-key",
        b"if-match",
        b"if-none-match",
        b"transfer-encoding",
    }
)


def address_of(scope: Any) -> str:
    """Where a request comes from, for limits."""
    client = scope.get("client")
    return client[0] if client else "unknown"


def _headers(scope: Any) -> Headers:
    return {name: value for name, value in scope["headers"] if name in _READ}


async def asker(request: Request) -> Asker:
    """Whoever sent a good token. Raises 401, 429."""
    scope = request.scope
    parts: Parts = scope["app"].state.parts
    headers = _headers(scope)
    given = headers.get(b"authorization")
    if given is None:
        await parts.rates.count_address(address_of(scope))
        raise Problem(Code.TOKEN_MISSING)
    scheme, _, text = given.decode("latin-1").partition(" ")
    text = text.strip()
    caller = None
    if scheme.lower() == "bearer" and TokenText.fullmatch(text):
        caller = await parts.gate.caller(text)
    if caller is None:
        await parts.rates.check_bad(address_of(scope))
        await parts.rates.count_bad(address_of(scope))
        raise Problem(Code.TOKEN_INVALID)
    state = scope["state"]
    state["caller"] = caller.token
    state["standing"] = await parts.rates.count_token(caller.token)
    language = state["language"]
    if caller.language != language:
        caller = msgspec.structs.replace(caller, language=language)
    return Asker(request, parts, caller, headers)


TicketGiven = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=100,
        description="A ticket, instead of the header `Authorization`: `create_stream_ticket` gives one.",
    ),
]


async def follower(request: Request, ticket: TicketGiven = None) -> Asker:
    """Whoever sent a good token, or a ticket that nobody has used. Raises 401, 422, 429."""
    if ticket is None:
        return await asker(request)
    scope = request.scope
    parts: Parts = scope["app"].state.parts
    headers = _headers(scope)
    if b"authorization" in headers:
        raise Problem(Code.INVALID_REQUEST, findings=[Finding("two_tokens", "/ticket")])
    address = address_of(scope)
    await parts.rates.check_bad(address)
    caller = await tickets.take(parts.service, parts.gate, request.path_params["encounter"], ticket)
    if caller is None:
        await parts.rates.count_bad(address)
        raise Problem(Code.TICKET_INVALID)
    scope["state"]["caller"] = caller.token
    scope["state"]["standing"] = await parts.rates.count_token(caller.token)
    return Asker(request, parts, caller, headers)


async def visitor(request: Request) -> Parts:
    """Anybody: what needs no token is counted by address."""
    parts: Parts = request.scope["app"].state.parts
    request.scope["state"]["standing"] = await parts.rates.count_address(address_of(request.scope))
    return parts


async def sender(request: Request) -> Sent:
    """The same, where something is sent along."""
    return Sent(request, await visitor(request), _headers(request.scope))


Asked = Annotated[Asker, Depends(asker)]
Follower = Annotated[Asker, Depends(follower)]
Visited = Annotated[Parts, Depends(visitor)]
Visitor = Annotated[Sent, Depends(sender)]
