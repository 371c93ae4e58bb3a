"""The log in pages, both ways, and the long-poll."""

from collections.abc import Sequence

from app.persistence.work import Ahead, Audience, Entry, Live, Store, cursor, revision
from app.persistence.work import NotFound as NoRow
from app.services import lookup, wire
from app.services.caller import Caller, Result
from app.services.changes import unseen, words_for
from app.services.errors import CursorGone, NotFound
from app.services.service import Service

MAX_WAIT = 25.0
"""Seconds that a long-poll may hold a line."""


async def page(
    service: Service,
    caller: Caller,
    encounter: str,
    *,
    after: int | None = None,
    before: int | None = None,
    limit: int = 50,
    wait: float = 0,
) -> Result:
    """Events after a cursor, oldest first, or before one, newest first: `{"items", "next_cursor", "has_more"}`.

    Cursors are the reader's own running numbers (0 is the beginning). `wait` seconds (at most 25) hold the answer until
    something is new. Raises `CursorGone` for a cursor ahead of the log.
    """
    live = await lookup.encounter(service.store, caller, encounter)
    newest = cursor(live.head, caller.audience)
    start = after or 0
    if before is None and start > newest:
        raise CursorGone(newest)
    if before is None and start == newest and wait > 0:
        live = await _news(service, caller, encounter, live, start, min(wait, MAX_WAIT))
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


async def _news(service: Service, caller: Caller, encounter: str, live: Live, after: int, wait: float) -> Live:
    """The encounter once something is new, or as it was when time is up or the server closes."""
    if service.is_closing:
        return live
    try:
        found = await service.hub.follow(encounter).after(after, caller.audience, timeout=wait)
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
    words = words_for(service, caller, await service.fetch(live.head.pin), live.state)
    hidden = unseen(caller, live.state)
    return [wire.event(one, one.version, caller.audience, words, hidden) for one in entries]
