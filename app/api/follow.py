"""Following a fight: the log in pages and by long-poll, and the stream."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.api.answers import answered, paged
from app.api.asking import Asked, Asker, Follower
from app.api.metrics import Metrics
from app.api.operations import Operations
from app.api.parameters import AsDigits, EncounterId, Limit, LogBefore, LogCursor
from app.api.problem_texts import Code
from app.api.problems import Problem
from app.api.shapes import LogPage
from app.services import log, stream, tickets
from app.services.errors import Finding, TokenChanged
from app.services.tickets import TicketMade

operations = Operations("follow", "Following a fight: every event, as its reader may know it.")
_ONE = "/v1/encounters/{encounter}"

Wait = Annotated[
    float, Query(ge=0, le=25, description="Seconds to wait for something new if there is nothing yet.", examples=[25])
]
MaxEvents = Annotated[
    int | None,
    Query(ge=1, le=10_000, description="End the stream after so many events; a snapshot counts as one.", examples=[1]),
    AsDigits,
]
SSE, NDJSON = "text/event-stream", "application/x-ndjson"
_STREAMED = {
    SSE: {
        "schema": {"type": "string"},
        "x-event-schema": {"$ref": "#/components/schemas/Event"},
        "example": 'id: 42\nevent: moved\ndata: {"seq": 42, "version": 8, "type": "moved"}\n\n',
    },
    NDJSON: {
        "schema": {"type": "string"},
        "x-event-schema": {"$ref": "#/components/schemas/Event"},
        "example": '{"seq": 42, "version": 8, "type": "moved"}\n',
    },
}


@operations.get(
    f"{_ONE}/log",
    answers=LogPage,
    versioned=True,
    problems=(Code.CURSOR_GONE,),
    told="Events, and the cursor behind the last of them.",
)
async def read_log(
    asker: Asked,
    encounter: EncounterId,
    after: LogCursor = None,
    before: LogBefore = None,
    limit: Limit = 50,
    wait: Wait = 0,
) -> Response:
    """Read the log.

    Events after a cursor, oldest first, or before one, newest first. With `wait` the answer is held until something
    is new, at most so many seconds; then the list is empty. A token that is revoked or changed meanwhile ends the wait
    within a second or two. Cursors are the reader's own running numbers.
    """
    if after is not None and before is not None:
        raise Problem(Code.INVALID_REQUEST, findings=[Finding("unknown_field", "/before")])
    if before is not None and wait:
        raise Problem(Code.INVALID_REQUEST, findings=[Finding("unknown_field", "/wait")])
    held = min(wait, asker.parts.settings.wait_limit_s)
    read = partial(log.page, asker.service, encounter=encounter, after=after, before=before, limit=limit)
    try:
        result = await read(caller=asker.caller, wait=held, still_valid=asker.still_valid)
    except TokenChanged:
        await asker.look_again()
        result = await read(caller=asker.caller)
    return paged(asker, result, backwards=before is not None)


class Streams:
    """How many streams each token has open in this process."""

    def __init__(self, limit: int, metrics: Metrics) -> None:
        self._limit = limit
        self._metrics = metrics
        self._open: dict[str, int] = {}

    def enter(self, token: str) -> None:
        """One more. Raises 429."""
        if self._open.get(token, 0) >= self._limit:
            raise Problem(Code.TOO_MANY_STREAMS, limit=self._limit, retry_after=1)
        self._open[token] = self._open.get(token, 0) + 1
        self._metrics.stream_opened()

    def leave(self, token: str) -> None:
        """One less."""
        left = self._open.get(token, 1) - 1
        if left:
            self._open[token] = left
        else:
            self._open.pop(token, None)
        self._metrics.stream_closed()


class Frames(Response):
    """A stream that is cut when its reader takes nothing any more."""

    def __init__(
        self, frames: AsyncIterator[bytes], media_type: str, *, streams: Streams, token: str, stall: float
    ) -> None:
        super().__init__(None, 200, {"cache-control": "no-cache", "x-accel-buffering": "no"}, media_type)
        del self.headers["content-length"]
        self._frames = frames
        self._streams = streams
        self._token = token
        self._stall = stall

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send frames until there are no more, or nobody who takes them."""
        reader = asyncio.create_task(_gone(receive))
        sender = asyncio.create_task(self._send(send))
        try:
            await asyncio.wait({reader, sender}, return_when=asyncio.FIRST_COMPLETED)
            if sender.done():
                sender.result()
        finally:
            reader.cancel()
            sender.cancel()
            await asyncio.gather(reader, sender, return_exceptions=True)
            closing = getattr(self._frames, "aclose", None)
            if closing is not None:
                await closing()
            self._streams.leave(self._token)

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async for frame in self._frames:
            async with asyncio.timeout(self._stall):
                await send({"type": "http.response.body", "body": frame, "more_body": True})
        async with asyncio.timeout(self._stall):
            await send({"type": "http.response.body", "body": b""})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


def _format(asker: Asker) -> Literal["sse", "ndjson"]:
    accept = asker.request.headers.get("accept", "")
    return "ndjson" if NDJSON in accept and SSE not in accept else "sse"


def _last_seen(asker: Asker, after: int | None) -> int | None:
    """The cursor that an interrupted reader brings; his header counts more than the address he first came by."""
    last = asker.request.headers.get("last-event-id")
    if last is None or last == "":
        return after
    if not (last.isascii() and last.isdigit() and len(last) <= 15):
        raise Problem(Code.INVALID_REQUEST, findings=[Finding("bad_cursor", "/Last-Event-ID")])
    return int(last)


@operations.post(
    f"{_ONE}/stream-tickets",
    answers=TicketMade,
    status=201,
    problems=(Code.LIMIT_REACHED,),
    told="The ticket, shown this once.",
)
async def create_stream_ticket(asker: Asked, encounter: EncounterId) -> Response:
    """Get a ticket for a stream.

    For a browser's `EventSource`, which sends no header: `GET .../stream?ticket=...` goes without `Authorization`. It
    is good once, for a minute, for this encounter, and shows what the token may see in the language of this request. A
    token has at most 20 that are still good. Whoever reconnects gets a new one and goes on with `after`.
    """
    result = await tickets.create(asker.service, asker.caller, encounter, asker.attempt(), asker.seed())
    return answered(asker, result, 201, secret=True)


@operations.get(
    f"{_ONE}/stream",
    problems=(Code.CURSOR_GONE, Code.TICKET_INVALID, Code.TOO_MANY_STREAMS),
    by_ticket=True,
    headers=("LastEventId",),
    media_types=_STREAMED,
    told="Events as they happen, in the format that `Accept` asks for.",
)
async def follow_encounter(
    asker: Follower, encounter: EncounterId, after: LogCursor = None, max_events: MaxEvents = None
) -> Response:
    """Follow an encounter.

    Server-sent events (`id` is the cursor, `event` the type), or one JSON document a line with `Accept:
    application/x-ndjson`. Without a cursor the first frame is a snapshot, as `read_encounter` answers it (`event` is
    `snapshot`; as a line it is `{"type": "snapshot", "seq": ..., "encounter": ...}`); with `after`, or the header
    `Last-Event-ID`, it goes on behind that event. Comments keep the line open. The server ends a stream after an
    hour, and within a second or two when the token is revoked or changed: with a changed one come back without a
    cursor.
    Whoever cannot send a header brings a `ticket`.
    """
    request, settings = asker.request, asker.parts.settings
    streams: Streams = request.app.state.streams
    kind, cursor = _format(asker), _last_seen(asker, after)

    streams.enter(asker.caller.token)
    try:
        frames = await stream.open_stream(
            asker.service,
            asker.caller,
            encounter,
            format=kind,
            after=cursor,
            # The snapshot counts as one.
            max_events=max_events - 1 if max_events is not None and cursor is None else max_events,
            still_valid=asker.still_valid,
            comment_s=settings.stream_comment_s,
            life_s=settings.stream_life_s,
        )
    except BaseException:
        streams.leave(asker.caller.token)
        raise
    return Frames(
        frames,
        SSE if kind == "sse" else NDJSON,
        streams=streams,
        token=asker.caller.token,
        # Where the system itself ends such connections, it does so first.
        stall=settings.stream_stall_s + 5,
    )
