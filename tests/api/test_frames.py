"""T13: a stream asks for a piece when the one before has been taken, so that a reader who takes nothing costs one."""

import asyncio
from collections.abc import AsyncIterator

from starlette.types import Message

from app.api.follow import Frames, Streams
from app.api.metrics import Metrics

WINDOW = 3
"""Messages that this reader takes before he stops."""


async def test_nothing_is_made_for_a_reader_who_takes_nothing() -> None:
    """Seeded fault 14."""
    made: list[int] = []
    sent: list[Message] = []
    leaves, never = asyncio.Event(), asyncio.Event()

    async def frames() -> AsyncIterator[bytes]:
        for number in range(1_000):
            made.append(number)
            yield b"data: %d\n\n" % number
            await asyncio.sleep(0)

    async def send(message: Message) -> None:
        if len(sent) == WINDOW:
            await never.wait()
        sent.append(message)

    async def receive() -> Message:
        await leaves.wait()
        return {"type": "http.disconnect"}

    streams = Streams(1, Metrics())
    streams.enter("tok_a")
    response = Frames(frames(), "text/event-stream", streams=streams, token="tok_a", stall=30)
    following = asyncio.create_task(response({"type": "http"}, receive, send))
    await asyncio.sleep(0.1)
    held = len(made)
    leaves.set()
    await asyncio.wait_for(following, 5)

    # The first message is the start; the last that was made waits to be taken.
    assert [message["type"] for message in sent] == ["http.response.start", *["http.response.body"] * (WINDOW - 1)]
    assert held == WINDOW
    streams.enter("tok_a")
