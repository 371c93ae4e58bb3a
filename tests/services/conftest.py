"""The services on a real database, both kinds, with the toy ruleset."""

from collections.abc import AsyncIterator

import pytest

from app.persistence.database import open_database
from app.persistence.verify import verify
from tests.services.game import Game
from tests.support.clock import Clock


@pytest.fixture
async def game(url: str) -> AsyncIterator[Game]:
    """A campaign with its GM, on either database. Afterwards everything stored must fit together."""
    clock = Clock()
    async with open_database(url, clock=clock) as database:
        yield await Game.opened(database, clock)
    assert verify(url).findings == ()


@pytest.fixture
async def quick_game(sqlite_url: str) -> AsyncIterator[Game]:
    """The same on SQLite alone, for what has nothing to do with the database."""
    clock = Clock()
    async with open_database(sqlite_url, clock=clock) as database:
        yield await Game.opened(database, clock)
    assert verify(sqlite_url).findings == ()
