"""Nothing is acknowledged before it is on disk: settings that allow it are told of, and each commit is flushed."""

import contextlib
import logging
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
import pytest

from app.persistence.database import open_database
from app.persistence.drivers import plain_url
from app.persistence.durable import connect, unsafe_settings
from app.persistence.postgres import PostgresWriter
from tests.live.club import Club
from tests.support.postgres import private_postgres
from tests.support.served import Served, served, turnwright

ACTIONS = 100


async def test_lazy_commits_are_told_of_and_made_good(
    migrated_postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """T3c: with synchronous_commit off for the database, every connection that writes has it on all the same."""
    with psycopg.connect(plain_url(migrated_postgres_url), autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = off'.encode())
    with caplog.at_level(logging.WARNING):
        async with open_database(migrated_postgres_url) as database:
            writer = database.writer
            assert isinstance(writer, PostgresWriter)
            alone = await writer.execute(
                lambda connection: connection.exec_driver_sql("SHOW synchronous_commit").scalar()
            )
            with contextlib.closing(connect(writer.url)) as hand:
                row = hand.execute("SHOW synchronous_commit").fetchone()
    assert (alone, row) == ("on", ("on",))
    assert "synchronous_commit is off there" in caplog.text


async def test_a_server_that_does_not_flush_is_told_of(
    migrated_postgres_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """T3c: the server that tests share runs so, unless somebody named another; which it is, it says itself."""
    with psycopg.connect(plain_url(migrated_postgres_url), autocommit=True) as connection:
        off = [
            name
            for name in ("fsync", "full_page_writes")
            if connection.execute(f"SHOW {name}".encode()).fetchone() == ("off",)
        ]
    with caplog.at_level(logging.WARNING):
        async with open_database(migrated_postgres_url):
            pass
    assert unsafe_settings(migrated_postgres_url) == off
    assert bool(off) == (f"PostgreSQL runs with {', '.join(off)} off" in caplog.text)


@contextlib.contextmanager
def flushes_of(processes: Sequence[int], folder: Path) -> Iterator[list[str]]:
    """Every successful fsync and fdatasync of these processes, their threads and children, there once it is left."""
    if shutil.which("strace") is None:
        pytest.skip("flushes are counted with strace, which is not installed here")
    found: list[str] = []
    told, said = folder / "trace", folder / "strace"
    command = ["strace", "-f", "-e", "trace=fsync,fdatasync", "-o", str(told)]
    for process in processes:
        command += ["-p", str(process)]
    with said.open("wb") as output:
        strace = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=output)
    try:
        deadline = time.monotonic() + 20
        while said.read_text().count(" attached") < len(processes):
            if strace.poll() is not None:
                pytest.skip(f"strace may not look at another process here: {said.read_text().strip()}")
            assert time.monotonic() < deadline, said.read_text()
            time.sleep(0.05)
        yield found
    finally:
        if strace.poll() is None:
            strace.send_signal(signal.SIGINT)
            strace.wait(timeout=20)
    lines = told.read_text().splitlines()
    # A call that was interrupted by another's line ends in "resumed" there.
    found += [line for line in lines if line.endswith(" = 0") and "sync" in line]


def _children(process: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def _act(server: Served) -> Iterator[None]:
    """A hundred actions one after the other, once everything is warm."""
    with Club.of(server) as club:
        path = club.encounter()
        club.happen(path)
        yield
        for number in range(ACTIONS):
            club.happen(path, wounds=number % 5)
        assert len(club.log(path)) > ACTIONS


@pytest.mark.crash
def test_each_action_is_flushed_to_the_file(tmp_path: Path) -> None:
    """T3a: as the system sees it, with strace: at least one flush for each action that is acknowledged."""
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{tmp_path}/turnwright.sqlite3")
    with served(command, tmp_path / "printed", TURNWRIGHT_RATE_LIMITS="false") as server:
        acting = _act(server)
        next(acting)
        with flushes_of(server.processes(), tmp_path) as flushes:
            assert next(acting, None) is None
    print(f"{len(flushes)} flushes for {ACTIONS} actions")
    assert len(flushes) >= ACTIONS


@pytest.mark.crash
def test_each_action_is_flushed_by_postgres(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """T3a: the same of a PostgreSQL server as it is installed, all its processes together."""
    if request.config.getoption("--no-postgres"):
        pytest.skip("--no-postgres was given")
    with private_postgres() as postgres:
        command = turnwright("serve", "--port", "0", "--database", postgres.url)
        with served(command, tmp_path / "printed", TURNWRIGHT_RATE_LIMITS="false") as server:
            acting = _act(server)
            next(acting)
            with flushes_of([postgres.pid(), *_children(postgres.pid())], tmp_path) as flushes:
                assert next(acting, None) is None
    print(f"{len(flushes)} flushes for {ACTIONS} actions")
    assert len(flushes) >= ACTIONS
