"""The outermost layer: one plain ASGI middleware for the request id, the log line, the figures and every header we add.

A second layer costs as much as the rules do, so whatever concerns every request stands here.
"""

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.language import negotiate
from app.api.metrics import Metrics
from app.api.problem_texts import Code
from app.api.problems import Problem
from app.config import Settings

EXPOSED = (
    "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, X-Request-Id, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Content-Language"
)
ALLOWED_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Accept-Language, "
    "X-Request-Id"
)
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
_KNOWN_METHODS = frozenset(METHODS.split(", "))
MAX_PATH = 2000
_REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_STRICT_CONTENT = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
_ALWAYS: list[tuple[bytes, bytes]] = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"cross-origin"),
]

log = structlog.get_logger("access")


class _Chance:
    """Random bytes, fetched from the system many at a time: each fetch lets another thread in between."""

    def __init__(self) -> None:
        self._bytes, self._at = b"", 0

    def take(self, count: int) -> bytes:
        """So many that nobody had before."""
        at = self._at
        if at + count > len(self._bytes):
            self._bytes, at = os.urandom(4096), 0
        self._at = at + count
        return self._bytes[at : at + count]


_chance = _Chance()
_PAIRS = tuple(one + other for one in _ALPHABET for other in _ALPHABET)


def new_request_id() -> str:
    """Sorted by time, and short: ten characters of milliseconds, sixteen of chance, as a ULID has them."""
    number = (time.time_ns() // 1_000_000 << 80) | int.from_bytes(_chance.take(10), "big")
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])


class HeadDone(OSError):
    """Raised into an answer whose body nobody wants: to a stream it looks like a reader who has gone."""


class Edge:
    """Wraps the whole application."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: Settings,
        metrics: Metrics,
        allowed: Callable[[Scope], Iterable[str]],
        exact: Mapping[str, frozenset[str]],
    ) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._allowed = allowed
        self._exact = exact
        self._any_origin = "*" in settings.origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; everything but HTTP passes through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        wanted = _wanted(scope["headers"])
        state: dict[str, Any] = scope.setdefault("state", {})
        given = wanted.get(b"x-request-id", b"")
        state["request_id"] = given.decode() if _REQUEST_ID.fullmatch(given) else new_request_id()
        state["language"] = negotiate(
            wanted.get(b"accept-language", b"").decode("latin-1"), self._settings.default_language
        )
        answer = _Answer(self, scope, send, wanted.get(b"origin"))
        self._metrics.began()
        try:
            await self._handle(scope, receive, answer, wanted)
        except HeadDone:
            pass
        except Exception as error:
            if not (answer.is_head and _is_head_done(error)):
                self._metrics.failed()
                log.error("request failed", request_id=state["request_id"], path=scope["path"], exc_info=error)
                await answer.fail()
        finally:
            self._note(scope, answer, time.perf_counter() - began)

    async def _handle(self, scope: Scope, receive: Receive, answer: "_Answer", wanted: dict[bytes, bytes]) -> None:
        path: str = scope["path"]
        if "\x00" in path or len(path) > MAX_PATH:
            await answer.problem(Problem(Code.NOT_FOUND))
        elif scope["method"] == "OPTIONS":
            await self._options(scope, answer, wanted)
        elif path in self._exact and scope["method"] not in self._exact[path]:
            answer.is_head = scope["method"] == "HEAD"
            allow = ", ".join(sorted(self._exact[path]))
            await answer.problem(Problem(Code.METHOD_NOT_ALLOWED, headers={"allow": allow}))
        elif scope["method"] == "HEAD":
            answer.is_head = True
            # A scope of its own: the server still has to know that this answer has no body.
            answer.scope = {**scope, "method": "GET"}
            await self._app(answer.scope, receive, answer.send)
        else:
            await self._app(scope, receive, answer.send)

    async def _options(self, scope: Scope, answer: "_Answer", wanted: dict[bytes, bytes]) -> None:
        if b"origin" in wanted and b"access-control-request-method" in wanted:
            headers = [
                (b"access-control-allow-methods", METHODS.encode()),
                (b"access-control-allow-headers", ALLOWED_HEADERS.encode()),
                (b"access-control-max-age", b"600"),
            ]
            await answer.plain(204, headers)
            return
        methods = sorted(self._allowed(scope))
        if methods:
            await answer.plain(204, [(b"allow", ", ".join(methods).encode())])
        else:
            await answer.problem(Problem(Code.NOT_FOUND))

    def origin_headers(self, origin: bytes | None) -> list[tuple[bytes, bytes]]:
        """What a browser must read before it lets the page see the answer."""
        if self._any_origin:
            allowed = b"*"
        elif origin is not None and origin.decode("latin-1") in self._settings.origins:
            allowed = origin
        else:
            return []
        return [(b"access-control-allow-origin", allowed), (b"access-control-expose-headers", EXPOSED.encode())]

    @property
    def vary(self) -> bytes:
        """What an answer depends on besides its address."""
        return b"Accept-Language, Authorization" if self._any_origin else b"Accept-Language, Authorization, Origin"

    def _note(self, scope: Scope, answer: "_Answer", seconds: float) -> None:
        route = getattr(answer.scope.get("route"), "path", "unknown")
        method = scope["method"]
        known = method if method in _KNOWN_METHODS else "OTHER"
        self._metrics.ended(known, route, answer.status, seconds)
        if answer.status == 429:
            self._metrics.limited()
        if self._settings.access_log:
            state = scope["state"]
            log.info(
                "request",
                request_id=state["request_id"],
                method=known,
                path=scope["path"],
                route=route,
                status=answer.status,
                ms=round(seconds * 1000, 2),
                bytes=answer.size,
                caller=state.get("caller"),
            )


class _Answer:
    """The way out: adds our headers to whatever answer there is, and drops the body of a HEAD."""

    __slots__ = ("_edge", "_is_over", "_origin", "_send", "is_head", "is_started", "scope", "size", "status")

    def __init__(self, edge: Edge, scope: Scope, send: Send, origin: bytes | None) -> None:
        self._edge = edge
        self.scope = scope
        self._send = send
        self._origin = origin
        self.is_head = False
        self._is_over = False
        self.is_started = False
        self.size = 0
        self.status = 500

    async def send(self, message: Message) -> None:
        """Send on what the application sends."""
        if message["type"] == "http.response.start":
            self.is_started = True
            self.status = message["status"]
            message["headers"] = self._headers(list(message.get("headers", ())))
            await self._send(message)
        elif self.is_head:
            if not self._is_over:
                self._is_over = True
                await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            if message.get("more_body"):
                raise HeadDone
        else:
            self.size += len(message.get("body", b""))
            await self._send(message)

    def _headers(self, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        state = self.scope["state"]
        there = {name for name, _ in headers}
        headers.append((b"x-request-id", state["request_id"].encode()))
        headers.append((b"content-language", state["language"].encode()))
        headers.append((b"vary", self._edge.vary))
        headers += _ALWAYS
        if b"cache-control" not in there:
            headers.append((b"cache-control", b"private, no-cache"))
        if b"content-security-policy" not in there:
            headers.append(_STRICT_CONTENT)
        headers += self._edge.origin_headers(self._origin)
        standing = state.get("standing")
        if standing is not None and b"ratelimit" not in there:
            headers += standing.headers()
        return headers

    async def plain(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """An answer without a body."""
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": b""})

    async def problem(self, problem: Problem) -> None:
        """A problem, from outside the application."""
        state = self.scope["state"]
        response = problem.response(state["language"], state["request_id"], None)
        await self.send({"type": "http.response.start", "status": problem.status, "headers": response.raw_headers})
        await self.send({"type": "http.response.body", "body": bytes(response.body)})

    async def fail(self) -> None:
        """Our own fault; an answer that has begun can only be cut."""
        if self.is_started:
            raise ConnectionError("the answer broke off")
        await self.problem(Problem(Code.INTERNAL_ERROR))


def _is_head_done(error: BaseException) -> bool:
    """Whether this only says that a HEAD was answered, however the application has wrapped it."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, HeadDone):
            return True
        if isinstance(seen, BaseExceptionGroup):
            return all(_is_head_done(one) for one in seen.exceptions)
        seen = seen.__cause__ or seen.__context__
    return False


_WANTED = frozenset({b"x-request-id", b"accept-language", b"origin", b"access-control-request-method"})


def _wanted(headers: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    return {name: value for name, value in headers if name in _WANTED}
