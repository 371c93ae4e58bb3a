"""News between processes that share a PostgreSQL database.

NOTIFY inside a command's transaction would take a lock that all commits of the server share. So a thread of its own
collects what was committed for two milliseconds and tells it in one go. News may get lost: every second each process
also looks for itself, so that a loss costs a second and never an event.
"""

import asyncio
import contextlib
import queue
import secrets
import selectors
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg

from app.persistence.cache import Cache
from app.persistence.drivers import plain_url
from app.persistence.hub import LiveHub
from app.persistence.postgres_store import PostgresStore
from app.persistence.work import PersistenceError
from app.persistence.writing import logger

CHANNEL = "turnwright"
GONE = -1
"""Stands for the number of events of an encounter that was deleted."""
COLLECT_S = 0.002
LONGEST = 7900
"""Bytes of a notification; the server's own limit is 8000."""
LOOK_EVERY_S = 1.0
RETRY_S = 0.5
LISTEN_S = 5.0
"""The longest sleep of who listens."""


class News:
    """Tells other processes and listens to them. Made on the event loop."""

    def __init__(self, url: str, hub: LiveHub, cache: Cache, store: PostgresStore) -> None:
        self._url = plain_url(url)
        self._hub = hub
        self._cache = cache
        self._store = store
        self._loop = asyncio.get_running_loop()
        self._sender = secrets.token_hex(4)
        self._queue: queue.SimpleQueue[Mapping[str, int] | None] = queue.SimpleQueue()
        self._is_closed = False
        self._closing, self._close_heard = socket.socketpair()
        self._threads = [
            threading.Thread(target=work, name=f"turnwright-{name}", daemon=True)
            for name, work in (("notifier", self._notify), ("listener", self._listen))
        ]
        for thread in self._threads:
            thread.start()
        self._looking = self._loop.create_task(self._look())

    def spread(self, seqs: Mapping[str, int]) -> None:
        """These encounters have events up to these numbers."""
        if seqs:
            self._queue.put(seqs)

    async def close(self) -> None:
        """Tell what is still to be told and stop."""
        self._is_closed = True
        self._looking.cancel()
        self._queue.put(None)
        self._closing.close()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)
        self._close_heard.close()

    def _notify(self) -> None:
        connection: psycopg.Connection[Any] | None = None
        is_last = False
        while not is_last:
            found = self._queue.get()
            seqs: dict[str, int] = {}
            while found is not None:
                seqs.update(found)
                try:
                    found = self._queue.get(timeout=COLLECT_S)
                except queue.Empty:
                    break
            is_last = found is None
            try:
                if seqs and connection is None:
                    connection = psycopg.connect(self._url, autocommit=True, connect_timeout=3)
                    connection.execute("SET synchronous_commit = off")
                for text in _messages(self._sender, seqs):
                    assert connection is not None
                    connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, text))
            except psycopg.Error:
                # The others will look for themselves.
                if connection is not None:
                    connection.close()
                connection = None
        if connection is not None:
            connection.close()

    def _listen(self) -> None:
        while not self._is_closed:
            try:
                with psycopg.connect(self._url, autocommit=True, connect_timeout=3) as connection:
                    connection.execute(f"LISTEN {CHANNEL}".encode())
                    while not self._is_closed:
                        for notification in connection.notifies(timeout=0):
                            self._heard(notification.payload)
                        self._wait(connection, timeout=LISTEN_S)
            except psycopg.Error:
                self._wait(timeout=RETRY_S)
            except Exception:
                logger.exception("listening failed")
                self._wait(timeout=RETRY_S)

    def _wait(self, *also: "psycopg.Connection[Any]", timeout: float) -> None:
        """Until one of these has something to tell, or all are to be closed."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._close_heard, selectors.EVENT_READ)
            for connection in also:
                selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.select(timeout)

    def _heard(self, text: str) -> None:
        sender, _, rest = text.partition("|")
        if sender == self._sender or self._loop.is_closed():
            return
        news = dict(_pairs(rest))
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._pass_on, news)

    def _pass_on(self, news: Mapping[str, int]) -> None:
        for encounter, seq in news.items():
            if seq == GONE:
                self._cache.bury(encounter)
                self._hub.bury(encounter)
            else:
                self._hub.nudge(encounter, seq)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            watched = self._hub.watched()
            if not watched:
                continue
            try:
                found = await self._store.seqs(watched)
            except PersistenceError:
                continue
            except Exception:
                logger.exception("looking for news failed")
                continue
            self._pass_on({encounter: found.get(encounter, GONE) for encounter in watched})


def _messages(sender: str, seqs: Mapping[str, int]) -> Iterator[str]:
    """Payloads that are short enough."""
    text = ""
    for encounter, seq in seqs.items():
        pair = f"{encounter}:{seq}"
        if len(sender) + len(text) + len(pair) + 2 > LONGEST:
            yield f"{sender}|{text}"
            text = ""
        text = f"{text},{pair}" if text else pair
    if text:
        yield f"{sender}|{text}"


def _pairs(text: str) -> Iterator[tuple[str, int]]:
    for pair in text.split(","):
        encounter, _, seq = pair.rpartition(":")
        with contextlib.suppress(ValueError):
            yield encounter, int(seq)
