"""Copies that are made while people play: each is a whole moment of what was, and can be played on."""

import asyncio
import os
import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, select

from app.persistence.backup import backup
from app.persistence.database import Database, open_database
from app.persistence.drivers import is_sqlite
from app.persistence.tables import event
from app.persistence.verify import verify
from tests.persistence.fights import add_campaign, create, job, noted, once, one_more
from tests.support.postgres import PostgresServer, postgres_server, program
from tests.support.repository import ROOT
from tests.support.served import environment, turnwright
from tests.support.sizes import IS_LONG, sized

COPIES = sized(2, 3, 50)
EVERY_S = 1.0
ENCOUNTERS = ("enc_a", "enc_b")
WRITERS = 4
KEY = re.compile(rb'"(w\d+\.\d+)"')


class Writers:
    """Those who write all the while: what was acknowledged, and how long each had to wait."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.acknowledged: list[str] = []
        self.waits: list[float] = []
        self.is_over = False

    async def write(self, name: str) -> None:
        """One of them, until it is over."""
        number = 0
        while not self.is_over:
            number += 1
            key = f"{name}.{number}"
            begun = time.monotonic()
            command = job(one_more, noted(key), encounter=ENCOUNTERS[number % 2], once=once(key))
            await self._database.writer.submit(command)
            self.waits.append(time.monotonic() - begun)
            self.acknowledged.append(key)


def run(command: Sequence[str]) -> None:
    """As an operator would type it."""
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"


def dump(url: str, target: Path, *, as_command: bool) -> None:
    """Copy the database with the tool that it has for this. Not as a command it begins at once, so that less is in it
    that was written only then."""
    if is_sqlite(url) and not as_command:
        backup(url, target)
    elif is_sqlite(url):
        run(turnwright("backup", str(target), "--database", url))
    else:
        run([program("pg_dump"), "--no-owner", "-f", str(target), *_where(url)])


def restore(server: PostgresServer | None, source: Path) -> str:
    """The copy as a database; its address."""
    if server is None:
        return f"sqlite:///{source}"
    url = server.create_database()
    run([program("psql"), "-q", "-v", "ON_ERROR_STOP=1", "-f", str(source), *_where(url)])
    return url


def _where(url: str) -> list[str]:
    made = make_url(url)
    host = made.query.get("host") or made.host or "localhost"
    port = [] if made.port is None else ["-p", str(made.port)]
    return ["-h", str(host), *port, "-U", str(made.username), "-d", str(made.database)]


def chain(url: str) -> dict[tuple[int, int], bytes]:
    """Every event's hash, which tells of all before it too."""
    engine = create_engine(url)
    with engine.connect() as connection:
        rows = connection.execute(select(event.c.encounter_id, event.c.seq, event.c.hash, event.c.body)).all()
    engine.dispose()
    return {(row.encounter_id, row.seq): bytes(row.hash) + row.body.encode() for row in rows}


def _may_dump(url: str) -> None:
    if is_sqlite(url):
        return
    if make_url(url).password is not None or "TURNWRIGHT_TEST_DATABASE_URL" in os.environ:
        pytest.skip("pg_dump has to fit the server, and of a named server nobody knows whether it does")
    for name in ("pg_dump", "psql"):
        if not program(name):
            pytest.skip(f"{name} is not installed here")


@pytest.mark.crash
@pytest.mark.timeout(0 if IS_LONG else 120)
async def test_copies_made_under_load_are_whole(url: str, tmp_path: Path) -> None:
    """T20: a copy every second while four write; each holds all that was acknowledged before it was begun, is a
    beginning of what there is in the end, passes the auditor and can be played on."""
    _may_dump(url)
    server = None if is_sqlite(url) else postgres_server()
    known: list[int] = []
    async with open_database(url) as database:
        await database.writer.execute(add_campaign)
        for name in ENCOUNTERS:
            await create(database, name)
        writers = Writers(database)
        writing = [asyncio.create_task(writers.write(f"w{number}")) for number in range(WRITERS)]
        for number in range(COPIES):
            begun = time.monotonic()
            known.append(len(writers.acknowledged))
            await asyncio.to_thread(dump, url, tmp_path / f"copy{number}", as_command=number == 0)
            await asyncio.sleep(max(0.0, EVERY_S - (time.monotonic() - begun)))
        writers.is_over = True
        await asyncio.gather(*writing)
    everything = chain(url)
    slow = sum(wait > 0.2 for wait in writers.waits)
    print(f"{COPIES} copies, {len(writers.waits)} writes, slowest {max(writers.waits):.3f} s, {slow} over 200 ms")

    assert len(writers.acknowledged) > 20 * COPIES
    before = 0
    for number in range(COPIES):
        copy = restore(server, tmp_path / f"copy{number}")
        try:
            found = chain(copy)
            assert found.items() <= everything.items()
            assert before < len(found) < len(everything) or number == COPIES - 1
            before = len(found)
            keys = {key.decode() for told in found.values() for key in KEY.findall(told)}
            assert keys >= set(writers.acknowledged[: known[number]])
            async with open_database(copy) as database:
                await database.writer.submit(job(one_more))
            assert verify(copy).findings == ()
        finally:
            if server is not None:
                server.drop_database(copy)
            else:
                Path(copy.removeprefix("sqlite:///")).unlink()
