"""Plumbing for every test: databases, the order of tests that must run alone, what hypothesis may take."""

import fcntl
import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from app.persistence.schema import migrate
from tests.support import postgres
from tests.support.pool import Pool
from tests.support.sizes import IS_LONG

# Everyday the same examples, so that a change is judged by itself; `make laws` and the long profile look for new ones.
hypothesis.settings.register_profile("everyday", deadline=None, print_blob=True, max_examples=50, derandomize=True)
hypothesis.settings.register_profile("long", deadline=None, print_blob=True, max_examples=1000)

TURN_VARIABLE = "TURNWRIGHT_TEST_TURN_FOLDER"
turns = pytest.StashKey["tempfile.TemporaryDirectory[str]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-postgres", action="store_true", help="leave out the tests that need PostgreSQL")


def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.load_profile("long" if IS_LONG else "everyday")
    if hasattr(config, "workerinput"):
        return
    # Only the process that starts the workers: they inherit both folders, and it outlives them all.
    postgres.own_shared_folder()
    folder = tempfile.TemporaryDirectory(prefix="tw-turn-")
    config.stash[turns] = folder
    os.environ[TURN_VARIABLE] = folder.name


def pytest_collection_finish() -> None:
    """What was collected stays; the collector need not walk over it again with every test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


def pytest_unconfigure(config: pytest.Config) -> None:
    if turns in config.stash:
        config.stash[turns].cleanup()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Let a test marked `alone` run while no other worker runs one. Outside the timeout's clock, hence first.

    Everybody queues at the gate. Who needs the room alone stays at the gate until it is empty, so that nobody can
    slip past him again and again; the others go through at once.
    """
    folder = Path(os.environ[TURN_VARIABLE])
    is_alone = item.get_closest_marker("alone") is not None
    with (folder / "gate").open("w") as gate, (folder / "room").open("w") as room:
        fcntl.flock(gate, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH)
        fcntl.flock(gate, fcntl.LOCK_UN)
        return (yield)


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    """Asynchronous tests run on the event loop that the service runs on."""
    return "asyncio", {"use_uvloop": True}


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> postgres.PostgresServer:
    """The PostgreSQL server of this test run, shared by all workers."""
    if request.config.getoption("--no-postgres"):
        pytest.skip("--no-postgres was given")
    return postgres.postgres_server()


@pytest.fixture
def postgres_url(postgres_server: postgres.PostgresServer) -> Iterator[str]:
    """SQLAlchemy URL of a fresh, empty PostgreSQL database, gone after the test."""
    with postgres_server.database() as url:
        yield url


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
def postgres_pool(postgres_server: postgres.PostgresServer) -> Iterator[Pool]:
    """Migrated PostgreSQL databases, each for one test after another."""
    with postgres_server.database() as url:
        migrate(url)
        pool = Pool(postgres_server, url)
        yield pool
        pool.close()


@pytest.fixture
def migrated_postgres_url(postgres_pool: Pool) -> Iterator[str]:
    """Address of a migrated, empty PostgreSQL database."""
    with postgres_pool.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    """Address of a migrated, empty database: the test runs on both kinds."""
    name = "sqlite_url" if request.param == "sqlite" else "migrated_postgres_url"
    found: str = request.getfixturevalue(name)
    return found


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of a database with nothing in it."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path_factory.mktemp('empty')}/new/turnwright.sqlite3"
    found: str = request.getfixturevalue("postgres_url")
    return found
