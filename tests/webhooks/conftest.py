"""A table whose webhooks reach receivers on the loopback, and a courier whom a test walks by hand."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from sqlalchemy import insert

from app.persistence.database import Database, open_database
from app.persistence.tables import webhook
from app.services.webhooks.courier import Courier
from app.services.webhooks.office import Network
from app.services.webhooks.sending import Answer, secret_text
from tests.api.table import Table, table
from tests.services.game import CAMPAIGN, Game
from tests.support.clock import Clock
from tests.support.receiver import Receiver

PAUSES = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
SECRET = secret_text(b"k" * 32)


@asynccontextmanager
async def live(url: str, *receivers: Receiver, **fields: Any) -> AsyncIterator[Table]:
    """A table on the real network, which may call these receivers, with short pauses."""
    given = {
        "webhook_allow": tuple(one.address for one in receivers),
        "webhook_retry_s": (0.2,) * 9,
        "webhook_timeout_s": 2.0,
        **fields,
    }
    async with table(url, network=Network(resolve_s=0.05), **given) as opened:
        yield opened


class Post:
    """Stands at the end of the line: notes what is sent, and answers what it is told to."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.sent: list[tuple[int, str, str, bytes]] = []
        self.answers: dict[str, Answer] = {}

    async def send(self, url: str, message: str, body: bytes, secrets: Sequence[str], at_ms: int) -> Answer:
        self.sent.append((self.clock.now, url, message, body))
        return self.answers.get(url, Answer(204))


class Round:
    """A game with a courier, on a clock that stands still until it is moved."""

    def __init__(self, game: Game, clock: Clock) -> None:
        self.game, self.clock, self.post = game, clock, Post(clock)
        self.courier = self.another()

    def another(self) -> Courier:
        """One more courier, as another process has one."""
        return Courier(self.game.service, self.post, timeout_s=15, pauses_s=PAUSES, chance=lambda: 0.5)

    async def hook(self, name: str = "one", **fields: Any) -> int:
        """A webhook of the campaign."""
        row = {
            "public_id": f"whk_{name}",
            "campaign_id": CAMPAIGN,
            "name": name,
            "url": f"https://{name}.example.org/",
            "events": "[]",
            "language": "en",
            "audience": "public",
            "enabled": True,
            "since": 0,
            "secret": SECRET,
            "created_at": 0,
            **fields,
        }
        made = insert(webhook).values(row).returning(webhook.c.id)
        found: int = await self.game.service.writer.execute(lambda connection: connection.execute(made).scalar_one())
        return found

    async def go(self) -> None:
        """Rounds until nothing is left to do at this moment."""
        for _ in range(200):
            before = len(self.post.sent)
            await self.courier.round()
            await self.courier.settle()
            if len(self.post.sent) == before:
                return
        raise AssertionError("it never ends")

    def to(self, url: str) -> list[tuple[int, str]]:
        """When what was sent to somebody."""
        return [(at, message) for at, to, message, _ in self.post.sent if to == url]

    def events_to(self, url: str) -> list[Any]:
        """The events that somebody got, in order."""
        found: list[Any] = []
        for _, to, _, body in self.post.sent:
            if to == url:
                found += msgspec.json.decode(body)["data"]["events"]
        return found


@pytest.fixture
def clock() -> Clock:
    """A clock that a test moves."""
    return Clock()


@pytest.fixture
async def database(url: str, clock: Clock) -> AsyncIterator[Database]:
    """An open database of either kind."""
    async with open_database(url, clock=clock) as opened:
        yield opened


@pytest.fixture
async def walk(database: Database, clock: Clock) -> Round:
    """A game with two people in it, and its courier."""
    game = await Game.opened(database, clock)
    return Round(game, clock)
