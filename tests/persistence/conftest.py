"""Databases for these tests: migrated once, copied for each test, both kinds under one name."""

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from app.persistence.database import Database, open_database
from app.persistence.schema import migrate
from tests.persistence.fights import add_campaign
from tests.support.postgres import PostgresServer


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file that nobody writes to."""
    path = tmp_path_factory.mktemp("migrated") / "turnwright.sqlite3"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(migrated_file: Path, tmp_path: Path) -> str:
    """Address of a migrated SQLite file."""
    path = tmp_path / "turnwright.sqlite3"
    shutil.copy(migrated_file, path)
    return f"sqlite:///{path}"


@pytest.fixture(scope="session")
def migrated_postgres(postgres_server: PostgresServer) -> Iterator[str]:
    """A migrated PostgreSQL database that nobody is connected to."""
    with postgres_server.database() as url:
        migrate(url)
        yield url


@pytest.fixture
def migrated_postgres_url(postgres_server: PostgresServer, migrated_postgres: str) -> Iterator[str]:
    """Address of a migrated PostgreSQL database."""
    with postgres_server.database(template=migrated_postgres) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """Address of a migrated, empty database: the test runs on both kinds."""
    name = "sqlite_url" if request.param == "sqlite" else "migrated_postgres_url"
    found: str = request.getfixturevalue(name)
    return found


Opener = Callable[[], AsyncIterator[Database]]


@pytest.fixture
async def database(url: str, clock: Clock) -> AsyncIterator[Database]:
    """An open database with one campaign."""
    async with open_database(url, clock=clock) as opened:
        await opened.writer.execute(add_campaign)
        yield opened
