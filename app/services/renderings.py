"""What readers are shown of a fight as it stands, encoded once for all readers of a kind.

A rendering is kept with the very `Live` it was made from: once anything is committed there is another one, and what was
kept of the old is never found again. Whose eyes see alike is decided in `app.services.cut`, so that one reader is never
given what was made for another.
"""

from collections.abc import Callable, Hashable
from typing import Any
from weakref import ref

import msgspec

from app.persistence.work import Live
from app.services.caller import Caller
from app.services.cut import kind_of

_encode = msgspec.json.Encoder().encode
MOST_BYTES = 32 * 1024 * 1024
"""All renderings of a process together: some hundred fights of 20, as several kinds of readers see them."""


class _Kept:
    """The renderings of one fight."""

    __slots__ = ("bodies", "of", "size")

    def __init__(self, live: Live) -> None:
        self.of = ref(live)
        self.bodies: dict[Hashable, bytes] = {}
        self.size = 0


class Renderings:
    """Bounded in bytes; the fight that was looked at longest ago goes first. Used from the event loop only."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._kept: dict[str, _Kept] = {}
        self.size = 0
        """Bytes kept now."""

    def of(self, live: Live, caller: Caller, what: Hashable, make: Callable[[], Any]) -> bytes:
        """A fight's rendering as JSON for this reader, made if no reader of his kind has asked for it before."""
        name, key = live.head.public_id, (what, kind_of(caller, live.state))
        kept = self._kept.pop(name, None)
        if kept is None or kept.of() is not live:
            if kept is not None:
                self.size -= kept.size
            kept = _Kept(live)
        self._kept[name] = kept
        body = kept.bodies.get(key)
        if body is None:
            body = kept.bodies[key] = _encode(make())
            kept.size += len(body)
            self.size += len(body)
            self._make_room()
        return body

    def _make_room(self) -> None:
        while self.size > self._most:
            oldest = next(iter(self._kept))
            self.size -= self._kept.pop(oldest).size
