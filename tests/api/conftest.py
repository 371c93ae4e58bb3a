"""The application on a real SQLite file, spoken to over HTTP."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.persistence.schema import migrate
from tests.api.table import Table, table
from tests.support.play import catalog


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file that nobody writes to."""
    path = tmp_path_factory.mktemp("empty") / "turnwright.sqlite3"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def url(empty_file: Path, tmp_path: Path) -> str:
    """Address of a migrated SQLite file."""
    path = tmp_path / "turnwright.sqlite3"
    shutil.copy(empty_file, path)
    return f"sqlite:///{path}"


@pytest.fixture(scope="module")
async def shared(empty_file: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Table]:
    """An application with an encounter, for all tests of a module that change nothing which others look at."""
    path = tmp_path_factory.mktemp("shared") / "turnwright.sqlite3"
    shutil.copy(empty_file, path)
    async with table(f"sqlite:///{path}") as opened:
        await opened.create()
        yield opened


@pytest.fixture
async def seats(url: str) -> AsyncIterator[Table]:
    """An application with a campaign and everybody's tokens."""
    async with table(url) as opened:
        yield opened


@pytest.fixture
async def duel(seats: Table) -> Table:
    """A running fight in which it is Ann's turn."""
    await seats.duel()
    return seats


@pytest.fixture
async def real(url: str) -> AsyncIterator[Table]:
    """A campaign on the real rulesets."""
    async with table(url, catalog=catalog()) as opened:
        yield opened
