"""The services on a real database, both kinds, with the toy ruleset."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.persistence.database import open_database
from app.persistence.schema import migrate
from app.persistence.verify import verify
from tests.services.game import Clock, Game
from tests.support.postgres import PostgresServer


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
