"""News of commits for whoever follows an encounter: streams, long polls, webhooks.

A channel is one encounter's tail of recent commands and those who wait. A reader holds nothing but his cursor: he is
served from the tail if it reaches back to it, else from the log. A wake-up says "look", nothing more, so a lost one
costs time and never an event. Everything here runs on the event loop.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Protocol
from weakref import WeakValueDictionary

from app.persistence.work import Audience, Entry, Head, NotFound, PersistenceError, Told, cursor

TAIL_COMMANDS = 64
TAIL_ENTRIES = 1000
CROWD = 16
"""Of more readers than this a few are woken at a time, so that they do not stand in the submitter's way."""
CROWD_DELAY_S = 0.006
"""How long the first of them wait, for more to come."""
CROWD_PAUSE_S = 0.002
"""What is left to others between some of them and the next."""
CROWD_SHARES = 25
"""Into so many parts the largest crowd is divided."""


class Log(Protocol):
    """What a hub asks of the store."""

    async def head(self, encounter: str) -> Head:
        """The encounter's row."""
        ...

    async def log(
        self, encounter: str, audience: Audience, *, after: int = 0, before: int | None = None, limit: int = 200
    ) -> Sequence[Entry]:
        """A page of its log."""
        ...


class LiveHub:
    """The channels of this process."""

    def __init__(self) -> None:
        self._channels: WeakValueDictionary[str, LiveChannel] = WeakValueDictionary()
        self._log: Log | None = None
        self._on_commit: list[Callable[[], None]] = []
        self.is_closed = False

    def attach(self, log: Log) -> None:
        """Say where the log is read."""
        self._log = log

    @property
    def log(self) -> Log:
        """Where the log is read."""
        assert self._log is not None
        return self._log

    def follow(self, encounter: str) -> "LiveChannel":
        """The encounter's channel."""
        channel = self._channels.get(encounter)
        if channel is None:
            channel = self._channels[encounter] = LiveChannel(self, encounter)
        return channel

    def on_commit(self, listener: Callable[[], None]) -> None:
        """Call this whenever this process has committed something."""
        self._on_commit.append(listener)

    def publish(self, told: Iterable[tuple[str, Told]]) -> None:
        """This process has committed these commands."""
        for encounter, command in told:
            channel = self._channels.get(encounter)
            if channel is not None:
                channel.publish(command)
        for listener in self._on_commit:
            listener()

    def nudge(self, encounter: str, seq: int) -> None:
        """Some process has committed up to that event."""
        channel = self._channels.get(encounter)
        if channel is not None:
            channel.nudge(seq)

    def bury(self, encounter: str) -> None:
        """The encounter was deleted."""
        channel = self._channels.get(encounter)
        if channel is not None:
            channel.bury()

    def watched(self) -> list[str]:
        """Encounters that somebody follows."""
        return list(self._channels)

    def close(self) -> None:
        """Wake everybody who waits, for good."""
        self.is_closed = True
        for channel in list(self._channels.values()):
            channel.wake()


class LiveChannel:
    """One encounter, as this process hears of it."""

    def __init__(self, hub: LiveHub, encounter: str) -> None:
        self._hub = hub
        self._encounter = encounter
        self._tail: deque[Told] = deque()
        self._entries = 0
        self._begin: dict[Audience, int] | None = None
        """The count before the tail's first event, for each audience; None until the end of the log is known."""
        self._end = 0
        """The seq of the tail's last event."""
        self._heard = 0
        """The highest seq that anybody spoke of."""
        self._waiting: set[asyncio.Future[None]] = set()
        self._pulling: asyncio.Task[None] | None = None
        self._wake_later: asyncio.TimerHandle | None = None
        self._is_due = False
        """Something has happened since the waking of a crowd began."""
        self._is_gone = False

    async def after(self, number: int, audience: Audience, *, timeout: float, limit: int = 200) -> Sequence[Told]:
        """What comes after `number` in the reader's own count, as soon as there is something."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while True:
            if self._is_gone:
                raise NotFound(self._encounter)
            news = self._from_tail(number, audience)
            if news is None:
                news = await self._from_log(number, audience, limit)
            if news or self._hub.is_closed:
                return news
            waiter: asyncio.Future[None] = loop.create_future()
            self._waiting.add(waiter)
            try:
                # Between looking and standing in line nothing else ran on this loop, unless the log was read in
                # between: then the tail may have moved on.
                if self._from_tail(number, audience):
                    continue
                left = deadline - loop.time()
                if left <= 0:
                    return ()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await waiter
            finally:
                self._waiting.discard(waiter)

    def _from_tail(self, number: int, audience: Audience) -> list[Told] | None:
        """Commands after that number; None where the tail does not reach back to it, or the number is beyond it."""
        begin = self._begin
        if begin is None or number < begin[audience] or number > self._count(audience):
            return None
        found: list[Told] = []
        for told in reversed(self._tail):
            last = told.entries[-1].number(audience)
            if last <= number:
                break
            found.append(_cut(told, number, audience))
        found.reverse()
        return [told for told in found if told.for_(audience)]

    def _count(self, audience: Audience) -> int:
        assert self._begin is not None
        return self._tail[-1].entries[-1].number(audience) if self._tail else self._begin[audience]

    async def _from_log(self, number: int, audience: Audience, limit: int) -> list[Told]:
        head = await self._hub.log.head(self._encounter)
        if number == cursor(head, audience):
            self._seed(head)
            return []
        # Also for a number beyond the end: the log itself says so, should it have grown meanwhile.
        return grouped(await self._hub.log.log(self._encounter, audience, after=number, limit=limit))

    def _seed(self, head: Head) -> None:
        """The reader stands at the end of the log: from here on the tail is enough."""
        if self._begin is None:
            self._tail.clear()
            self._entries = 0
            self._begin = {"gm": head.seq, "public": head.public_seq}
            self._end = head.seq
        if max(self._heard, head.seq) > self._end:
            # Something was committed while the log was read, or by another process.
            self._pull()

    def publish(self, told: Told) -> None:
        """A command of this process was committed."""
        first, last = told.entries[0].seq, told.entries[-1].seq
        self._heard = max(self._heard, last)
        if self._begin is not None and first == self._end + 1:
            self._append(told)
        elif last > self._end and self._begin is not None:
            self._pull()
            return
        self.wake()

    def nudge(self, seq: int) -> None:
        """There are events up to that one, says another process."""
        self._heard = max(self._heard, seq)
        if self._begin is None:
            self.wake()
        elif seq > self._end:
            self._pull()

    def bury(self) -> None:
        """There is no such encounter any more."""
        self._is_gone = True
        self.wake()

    def wake(self) -> None:
        """Let those who wait look again."""
        if self._hub.is_closed:
            self._wake_some(list(self._waiting), len(self._waiting))
        elif self._wake_later is not None:
            self._is_due = True
        elif len(self._waiting) <= CROWD:
            self._wake_some(list(self._waiting), CROWD)
        else:
            self._wake_later = asyncio.get_running_loop().call_later(CROWD_DELAY_S, self._wake_crowd)

    def _wake_crowd(self) -> None:
        self._is_due = False
        waiting = list(self._waiting)
        self._wake_some(waiting, max(CROWD, len(waiting) // CROWD_SHARES))

    def _wake_some(self, waiting: list[asyncio.Future[None]], share: int) -> None:
        self._wake_later = None
        for waiter in waiting[:share]:
            if not waiter.done():
                waiter.set_result(None)
        later, rest = asyncio.get_running_loop().call_later, waiting[share:]
        if rest:
            self._wake_later = later(CROWD_PAUSE_S, self._wake_some, rest, share)
        elif self._is_due:
            self._wake_later = later(CROWD_PAUSE_S, self._wake_crowd)

    def _append(self, told: Told) -> None:
        self._tail.append(told)
        self._entries += len(told.entries)
        self._end = told.entries[-1].seq
        while len(self._tail) > TAIL_COMMANDS or (self._entries > TAIL_ENTRIES and len(self._tail) > 1):
            gone = self._tail.popleft()
            self._entries -= len(gone.entries)
            last = gone.entries[-1]
            self._begin = {"gm": last.seq, "public": last.public_seq}

    def _pull(self) -> None:
        """Fetch once, for all who wait, what another process has written."""
        if self._pulling is None or self._pulling.done():
            self._pulling = asyncio.get_running_loop().create_task(self._fetch())

    async def _fetch(self) -> None:
        try:
            entries = await self._hub.log.log(self._encounter, "gm", after=self._end, limit=TAIL_ENTRIES)
        except NotFound:
            self.bury()
            return
        except PersistenceError:
            # The database is away: whoever waits finds out for himself.
            self.wake()
            return
        if len(entries) == TAIL_ENTRIES:
            # Too far behind: everybody pages through the log until he is at its end.
            self._begin = None
        elif self._begin is not None:
            for told in grouped(entries):
                if told.entries[0].seq == self._end + 1:
                    self._append(told)
        self.wake()


def grouped(entries: Iterable[Entry]) -> list[Told]:
    """Entries put together by command."""
    return [Told(version, tuple(group)) for version, group in groupby(entries, key=lambda entry: entry.version)]


def _cut(told: Told, number: int, audience: Audience) -> Told:
    """The command itself, with what readers have rendered of it, unless the reader has seen part of it already."""
    known = told.for_(audience)
    if not known or known[0].number(audience) > number:
        return told
    return Told(told.version, tuple(entry for entry in known if entry.number(audience) > number))
