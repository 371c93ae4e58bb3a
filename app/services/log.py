"""The log in pages, both ways, and the long-poll."""

import time
from collections.abc import Awaitable, Callable, Sequence

from app.persistence.work import Ahead, Audience, Entry, Live, Store, Told, cursor, revision
from app.persistence.work import NotFound as NoRow
from app.services import lookup, wire
from app.services.caller import Caller, Result
from app.services.cut import eyes_of
from app.services.errors import CursorGone, NotFound, TokenChanged
from app.services.remembered import words_of
from app.services.service import Service

MAX_WAIT = 25.0
"""Seconds that a long-poll may hold a line."""
LOOK_S = 1.0
"""How often it is asked whether whoever waits may still read."""


async def page(
    service: Service,
    caller: Caller,
    encounter: str,
    *,
    after: int | None = None,
    before: int | None = None,
    limit: int = 50,
    wait: float = 0,
    still_valid: Callable[[], Awaitable[bool]] | None = None,
) -> Result:
    """Events after a cursor, oldest first, or before one, newest first: `{"items", "next_cursor", "has_more"}`.

    Cursors are the reader's own running numbers (0 is the beginning). `wait` seconds (at most 25) hold the answer until
    something is new. Raises `CursorGone` for a cursor ahead of the log, and after a wait `TokenChanged` when
    `still_valid` (asked each second) says no.
    """
    live = await lookup.encounter(service.store, caller, encounter)
    newest = cursor(live.head, caller.audience)
    start = after or 0
    if before is None and start > newest:
        raise CursorGone(newest)
    if before is None and start == newest and wait > 0:
        live = await _news(service, caller, encounter, live, start, min(wait, MAX_WAIT), still_valid)
    entries = await _entries(service.store, encounter, caller.audience, start, before, limit + 1)
    shown = entries[:limit]
    items = await _rendered(service, caller, live, shown)
    has_more = len(entries) > limit
    if before is None:
        following = shown[-1].number(caller.audience) if shown else start
    else:
        following = shown[-1].number(caller.audience) if shown else 0
    body = b'{"items":%b,"next_cursor":%d,"has_more":%b}' % (wire.events(items), following, _BOOL[has_more])
    return Result(body, revision(live.head, caller.audience))


_BOOL = {True: b"true", False: b"false"}


async def _news(
    service: Service,
    caller: Caller,
    encounter: str,
    live: Live,
    after: int,
    wait: float,
    still_valid: Callable[[], Awaitable[bool]] | None,
) -> Live:
    """The encounter once something is new, or as it was when time is up or the server closes."""
    channel, found = service.hub.follow(encounter), False
    until = time.monotonic() + wait
    try:
        while not found and not service.is_closing and (left := until - time.monotonic()) > 0:
            found = bool(await channel.after(after, caller.audience, timeout=min(LOOK_S, left)))
            if still_valid is not None and not await still_valid():
                raise TokenChanged
        return await lookup.encounter(service.store, caller, encounter) if found else live
    except NoRow:
        raise NotFound("encounter", encounter) from None
    except Ahead as ahead:
        raise CursorGone(ahead.current) from None


async def _entries(
    store: Store, encounter: str, audience: Audience, after: int, before: int | None, limit: int
) -> Sequence[Entry]:
    try:
        return await store.log(encounter, audience, after=after, before=before, limit=limit)
    except NoRow:
        raise NotFound("encounter", encounter) from None


async def _rendered(service: Service, caller: Caller, live: Live, entries: Sequence[Entry]) -> list[bytes]:
    """The entries in the order in which they came."""
    if not entries:
        return []
    words = await words_of(service, caller, live, entries)
    eyes = eyes_of(caller, live.state)
    return [wire.event(one, one.version, caller.audience, words, eyes) for one in entries]


async def told(
    service: Service, caller: Caller, encounter: str, first: int, last: int
) -> tuple[tuple[str, bytes], ...] | None:
    """The events of one command, from number `first` to `last` of the whole log, as this reader's log has them.

    Each with its type; none where the reader may know of none. None where the log does not reach so far yet.
    """
    live = await service.store.live(encounter)
    entries = await service.store.log(encounter, "gm", after=first - 1, limit=last - first + 1)
    if not entries or entries[-1].seq != last:
        return None
    command = Told(entries[0].version, tuple(entries))
    words = await words_of(service, caller, live, entries)
    shown = wire.told(command, caller.audience, words, eyes_of(caller, live.state))
    return tuple((entry.type, event) for entry, event in zip(command.for_(caller.audience), shown, strict=True))
