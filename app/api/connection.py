"""The connection itself: what uvicorn leaves without a limit before a request is there, and after it was answered.

A head that never ends, in time or in size, costs a connection and its memory for ever; so does a body that goes on
after its request was refused, or one that is wrapped in far more than it holds.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.api.crowd import Crowd

WRAPPING = 16
"""Bytes around each byte of a body at most: chunks of one byte are wrapped in five."""
LEFT_OVER = 1_100_000
"""Bytes of a body that are still read when its request was answered already."""
_LATE, _LARGE = (408, "Request Timeout"), (431, "Request Header Fields Too Large")
_MANY = (429, "Too Many Requests")


class Connection(HttpToolsProtocol):
    """One connection of a client, with a limit for everything that is no body; bodies have theirs at the door."""

    def __init__(self, *given: Any, head_s: float, head_limit: int, crowd: Crowd, **named: Any) -> None:
        super().__init__(*given, **named)
        self._crowd = crowd
        self._address = ""
        """Where he is counted."""
        self._head_s, self._head_limit = head_s, head_limit
        self._late: asyncio.TimerHandle | None = None
        self._is_head = True
        """Whether a head, or the first byte of one, is awaited."""
        self._is_whole = True
        """Whether nothing is missing of the last request."""
        self._is_cut = False
        self._told = self._other = self._body = self._left_over = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is there, and has to say what he wants."""
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        if not self._crowd.enter(address):
            self._cut(*_MANY)
            return
        self._address = address
        self._hurry()

    def connection_lost(self, exc: Exception | None) -> None:
        """He is gone."""
        self._calm()
        if self._address:
            self._crowd.leave(self._address)
            self._address = ""
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, as long as it is worth it."""
        if self._is_head and self._late is None:
            self._hurry()
        self._other += len(data)
        super().data_received(data)
        # What came in one piece with its head is counted there; this is for what does not come to an end.
        if self._other - self._body > self._head_limit + WRAPPING * self._body or self._left_over > LEFT_OVER:
            self._cut(*_LARGE)

    def on_message_begin(self) -> None:
        """The first byte of a head."""
        super().on_message_begin()
        self._is_head, self._is_whole = True, False
        self._told = self._other = self._body = self._left_over = 0

    def on_url(self, url: bytes) -> None:
        """A piece of the address."""
        self._told += len(url)
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        self._told += len(name) + len(value) + 4
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._calm()
        if self._told > self._head_limit:
            self._cut(*_LARGE)
        if not self._is_cut:
            self._is_head = False
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body; nobody reads it any more when the answer is out."""
        if self._is_cut:
            return
        self._body += len(body)
        if self.cycle.response_complete:
            self._left_over += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """All of the request is there."""
        if self._is_cut:
            return
        self._is_head = self._is_whole = True
        self._calm()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """The answer is out, perhaps before all of its request was in."""
        super().on_response_complete()
        if not self._is_whole and not self.transport.is_closing():
            self._hurry()

    @property
    def _answers(self) -> bool:
        """Whether an answer is under way; before the first request there is no cycle."""
        return not getattr(self.cycle, "response_complete", True)

    def _hurry(self) -> None:
        self._calm()
        self._late = self.loop.call_later(self._head_s, self._is_late)

    def _calm(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _is_late(self) -> None:
        self._late = None
        if self._answers:
            # Whoever sends the next request piece by piece while he is still being answered gets his answer first.
            self._hurry()
            return
        self._cut(*_LATE)

    def _cut(self, status: int, title: str) -> None:
        """End it; with a word where no answer is under way that it would garble."""
        self._is_cut = True
        if self.transport.is_closing():
            return
        if self._is_head and not self._answers:
            text = title.encode()
            head = f"HTTP/1.1 {status} {title}\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\n"
            self.transport.write(f"{head}content-length: {len(text)}\r\n\r\n".encode() + text)
        self.transport.close()
