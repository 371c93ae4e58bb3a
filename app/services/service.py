"""What use cases work with, wired once at start-up: the writer, reads, live news, rulesets, the clock and chance."""

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar

import msgspec
from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from app.catalog import Catalog, Rulebook
from app.persistence.tables import rules_document
from app.persistence.work import Head, Hub, Store, Writer
from app.services.narration import Book
from app.services.renderings import Renderings
from app.services.settings import Settings

T = TypeVar("T")
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: nothing in it is mistaken for something else when read aloud."""


def now_ms() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def random_id(prefix: str) -> str:
    """A short id that tells nothing about how many there are."""
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(10))


RULEBOOKS_HELD = 64
"""Compiled rulesets under house rules that are kept at hand, about 1 MB each."""


class Held(Generic[T]):
    """The last so many of something, by name. Used from the loop and from the writer's thread."""

    def __init__(self, most: int) -> None:
        self._most, self._held, self._lock = most, dict[str, T](), Lock()

    def get(self, name: str) -> T | None:
        """What is held under that name, which is used last from now on."""
        with self._lock:
            found = self._held.pop(name, None)
            if found is not None:
                self._held[name] = found
            return found

    def put(self, name: str, value: T) -> None:
        """Hold it; whatever was used longest ago goes."""
        with self._lock:
            self._held.pop(name, None)
            self._held[name] = value
            while len(self._held) > self._most:
                del self._held[next(iter(self._held))]

    def __len__(self) -> int:
        return len(self._held)


class Unpinned(Exception):
    """The rules document of that fingerprint has to be fetched first."""

    def __init__(self, pin: str) -> None:
        self.pin = pin
        super().__init__(pin)


@dataclass
class Service:
    """Everything behind the use cases.

    `clock` gives milliseconds since 1970 (UTC), `new_id` makes an id from its prefix, `new_seed` the secret of an
    encounter's dice. Set `is_closing` and close the hub to let streams and long-polls end.
    """

    writer: Writer
    store: Store
    hub: Hub
    catalog: Catalog
    clock: Callable[[], int] = now_ms
    new_id: Callable[[str], str] = random_id
    new_seed: Callable[[], bytes] = field(default=lambda: secrets.token_bytes(32))
    encounters_per_campaign: int = 1000
    is_closing: bool = False
    turns_due: dict[str, int] = field(default_factory=dict)
    """When the time of a turn is up (UTC milliseconds), by encounter, as far as this process knows."""
    renderings: Renderings = field(default_factory=Renderings)
    _restored: Held[Rulebook] = field(default_factory=lambda: Held(RULEBOOKS_HELD))
    _voices: Held[Book] = field(default_factory=lambda: Held(RULEBOOKS_HELD))
    _kept: set[str] = field(default_factory=set)

    def rulebook(self, pin: str) -> Rulebook:
        """The merged document that an encounter is played by. Raises `Unpinned` for one that has to be fetched."""
        found = self.catalog.by_pin(pin) or self._restored.get(pin)
        if found is None:
            raise Unpinned(pin)
        return found

    async def fetch(self, pin: str) -> Rulebook:
        """The same, fetched if need be."""
        try:
            return self.rulebook(pin)
        except Unpinned:
            document = await self.store.read(lambda connection: stored_document(connection, pin))
            # Judging and compiling takes a tenth of a second, in which others are served.
            book = await asyncio.to_thread(self.catalog.restore, document)
            self.hold(book)
            return book

    def hold(self, book: Rulebook) -> None:
        """Keep a compiled ruleset at hand; of many the longest held goes."""
        if self.catalog.by_pin(book.ruleset.pin) is None:
            self._restored.put(book.ruleset.pin, book)

    async def keep(self, book: Rulebook) -> None:
        """Store the rules document before the first encounter that is played by it."""
        pin = book.ruleset.pin
        if pin not in self._kept:
            await self.writer.execute(lambda connection: keep_document(connection, book, self.clock()))
            self._kept.add(pin)

    def note_turn(self, head: Head) -> None:
        """Remember when the time of the turn under way is up."""
        due = Settings.of(head).turn_due_at
        if due is None:
            self.turns_due.pop(head.public_id, None)
        else:
            self.turns_due[head.public_id] = due

    def voice(self, book: Rulebook) -> Book:
        """Sentences in a ruleset's words; made once for each document, since it remembers what it looked up."""
        pin = book.ruleset.pin
        found = self._voices.get(pin)
        if found is None:
            found = Book(book.texts.find, book.ruleset.unit)
            self._voices.put(pin, found)
        return found


def keep_document(connection: Connection, book: Rulebook, now: int) -> None:
    """Store a rules document under its fingerprint, if it is not there yet."""
    column, pin = rules_document.c, book.ruleset.pin
    if connection.execute(select(column.pin).where(column.pin == pin)).first() is not None:
        return
    body = msgspec.json.encode(book.document, order="sorted").decode()
    try:
        with connection.begin_nested():
            row = {"pin": pin, "ruleset": book.id, "body": body, "created_at": now}
            connection.execute(insert(rules_document).values(**row))
    except IntegrityError:
        return  # another worker was quicker with the same document


def stored_document(connection: Connection, pin: str) -> dict[str, Any]:
    """A rules document as it was stored with the first encounter that is played by it."""
    row = connection.execute(select(rules_document.c.body).where(rules_document.c.pin == pin)).one()
    document: dict[str, Any] = msgspec.json.decode(row.body)
    return document
