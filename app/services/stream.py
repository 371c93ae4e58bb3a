"""Following an encounter live: the same events as the log, as SSE or ND-JSON."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Literal

from app.persistence.work import Ahead, Live, PersistenceError, Told, cursor
from app.persistence.work import NotFound as NoRow
from app.services import lookup, wire
from app.services.caller import Caller
from app.services.cut import eyes_of
from app.services.errors import CursorGone
from app.services.remembered import words_of
from app.services.service import Service
from app.services.views import whole

Format = Literal["sse", "ndjson"]
PAGE = 50
"""Events fetched at once for a reader who is behind."""
PIECE = 64 * 1024
"""Bytes sent at once, as long as they are more than one event: all that a reader who takes nothing can hold up."""
LOOK_S = 1.0
"""How often it is asked whether the reader may still read."""


async def open_stream(
    service: Service,
    caller: Caller,
    encounter: str,
    *,
    format: Format = "sse",
    after: int | None = None,
    max_events: int | None = None,
    still_valid: Callable[[], Awaitable[bool]] | None = None,
    comment_s: float = 15.0,
    life_s: float = 3600.0,
) -> AsyncIterator[bytes]:
    """Frames for the reader's cut; without `after` the first is a snapshot. Errors come here, before any frame.

    Ends after `max_events` events, after `life_s`, when `still_valid` (asked each second) says no, or when the server
    closes, with a comment then. A comment (ND-JSON: an empty line) goes out after `comment_s` without an event.
    """
    live = await lookup.encounter(service.store, caller, encounter)
    now = cursor(live.head, caller.audience)
    if after is not None and after > now:
        raise CursorGone(now)
    follower = _Follower(service, caller, encounter, format)
    return follower.frames(live, after, max_events, still_valid, comment_s, life_s)


class _Follower:
    """One reader's stream. Holds his cursor and nothing else."""

    def __init__(self, service: Service, caller: Caller, encounter: str, format: Format) -> None:
        self.service, self.caller, self.encounter, self.format = service, caller, encounter, format
        self.audience = caller.audience

    async def frames(
        self,
        live: Live,
        after: int | None,
        max_events: int | None,
        still_valid: Callable[[], Awaitable[bool]] | None,
        comment_s: float,
        life_s: float,
    ) -> AsyncIterator[bytes]:
        """Snapshot or retry hint, then events as they come."""
        if after is None:
            after = cursor(live.head, self.audience)
            yield await self._snapshot(live, after)
        elif self.format == "sse":
            yield b"retry: 1000\n\n"
        del live  # a state as it stood long ago is nothing to hold for an hour
        channel = self.service.hub.follow(self.encounter)
        sent, begun = 0, time.monotonic()
        quiet_since = asked = begun
        while not self.service.is_closing and (max_events is None or sent < max_events):
            try:
                news = await channel.after(after, self.audience, timeout=LOOK_S, limit=PAGE)
                now = time.monotonic()
                # Also while there is much to tell: whoever may read no more gets nothing of it.
                if still_valid is not None and now - asked >= LOOK_S:
                    if not await still_valid():
                        return
                    asked = now
                if now - begun > life_s:
                    return
                frames, after = await self._rendered(news, after, None if max_events is None else max_events - sent)
            except (NoRow, Ahead):
                return
            except PersistenceError:
                # The database is away. There can be no news, and a reader sent away now might not come back.
                frames = []
                await asyncio.sleep(LOOK_S)
            # Nothing but the piece itself is held while it waits to be taken.
            piece, sent, news, frames = b"".join(frames), sent + len(frames), (), []
            if piece:
                quiet_since = time.monotonic()
                yield piece
            elif time.monotonic() - quiet_since >= comment_s:
                quiet_since = time.monotonic()
                yield b":\n\n" if self.format == "sse" else b"\n"
        if self.service.is_closing:
            yield b":closing\n\n" if self.format == "sse" else b"\n"

    async def _snapshot(self, live: Live, at: int) -> bytes:
        book = await self.service.fetch(live.head.pin)
        view = whole(self.service, self.caller, book, live)
        if self.format == "sse":
            return b"retry: 1000\nid: %d\nevent: snapshot\ndata: %b\n\n" % (at, view)
        return b'{"type":"snapshot","seq":%d,"encounter":%b}\n' % (at, view)

    async def _rendered(self, news: Sequence[Told], after: int, most: int | None) -> tuple[list[bytes], int]:
        """Frames of these commands, as many as are sent at once, and the cursor behind them."""
        frames: list[bytes] = []
        size = 0
        for told in news:
            for number, frame in await self._frames(told):
                if number <= after:
                    continue
                if len(frames) == most or (frames and size + len(frame) > PIECE):
                    return frames, after
                frames.append(frame)
                size += len(frame)
                after = number
            after = max(after, told.entries[-1].number(self.audience))
        return frames, after

    async def _frames(self, told: Told) -> tuple[tuple[int, bytes], ...]:
        """The frames of a command with their numbers, made once for all readers of a kind."""
        own: frozenset[str] = frozenset()
        if told.veiled and self.audience != "gm":
            live = await self.service.store.live(self.encounter)
            own = frozenset(eyes_of(self.caller, live.state).kind(told.veiled))
        kept = (self.audience, self.caller.language, self.format, own)
        found: tuple[tuple[int, bytes], ...] | None = told.renderings.get(kept)
        if found is None:
            found = told.renderings[kept] = await self._made(told)
        return found

    async def _made(self, told: Told) -> tuple[tuple[int, bytes], ...]:
        service, caller = self.service, self.caller
        live = await service.store.live(self.encounter)
        entries = told.for_(self.audience)
        words = await words_of(service, caller, live, entries)
        eyes = eyes_of(caller, live.state)
        events = wire.told(told, self.audience, words, eyes)
        return tuple(
            (entry.number(self.audience), self._frame(entry.number(self.audience), entry.type, event))
            for entry, event in zip(entries, events, strict=True)
        )

    def _frame(self, number: int, kind: str, event: bytes) -> bytes:
        if self.format == "ndjson":
            return event + b"\n"
        return b"id: %d\nevent: %b\ndata: %b\n\n" % (number, kind.encode(), event)
