"""Open databases for these tests."""

from collections.abc import AsyncIterator, Callable

import pytest

from app.persistence.database import Database, open_database
from tests.persistence.fights import add_campaign
from tests.support.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


Opener = Callable[[], AsyncIterator[Database]]


@pytest.fixture
async def database(url: str, clock: Clock) -> AsyncIterator[Database]:
    """An open database with one campaign."""
    async with open_database(url, clock=clock) as opened:
        await opened.writer.execute(add_campaign)
        yield opened
