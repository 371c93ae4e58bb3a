"""Processes are killed while others go on. Nothing acknowledged is lost, nothing is done twice or by half.

Of whole servers tell `tests/reliability/test_kill.py` and `test_database_killed.py`.
"""

import json
import random
import subprocess
import sys
import threading
import time
from typing import IO

import pytest
from sqlalchemy import Connection, create_engine, select

from app.persistence.database import open_database
from app.persistence.failpoints import POINTS
from app.persistence.tables import encounter, event, idempotency
from app.persistence.verify import verify
from tests.persistence.fights import add_campaign, create
from tests.support.repository import ROOT
from tests.support.sizes import sized

ENCOUNTERS = ["enc_a", "enc_b", "enc_c"]
PATIENCE_S = 60
"""How long a process may take to start, or to die where it is to, on a busy machine."""


class Players:
    """One process that plays, and everything that was ever said by it and those before it."""

    def __init__(self, url: str, name: str, clients: int = 6) -> None:
        self.url, self.name, self.clients = url, name, clients
        self.tried: dict[str, tuple[str, int]] = {}
        self.acknowledged: dict[str, int] = {}
        self.refused: set[str] = set()
        self.replayed = 0
        self.busy = 0
        self.runs = 0
        self.is_ready = threading.Event()

    def start(self) -> None:
        """Start the process; it first settles what is unknown."""
        self.runs += 1
        unknown = [
            (key, *place)
            for key, place in self.tried.items()
            if key not in self.acknowledged and key not in self.refused
        ]
        given = {
            "url": self.url,
            "name": f"{self.name}{self.runs}",
            "clients": self.clients,
            "encounters": ENCOUNTERS,
            "unknown": unknown,
        }
        self.is_ready.clear()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.persistence.player", json.dumps(given)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        if not self.is_ready.wait(PATIENCE_S):
            self.kill()
            pytest.fail("the players did not start")

    def kill(self) -> None:
        """SIGKILL, and read what was said until then."""
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            self._listen(lines)

    def _listen(self, lines: IO[str]) -> None:
        for line in lines:
            if not line.endswith("\n"):
                return
            kind, *words = json.loads(line)
            if kind == "ready":
                self.is_ready.set()
            elif kind == "try":
                self.tried[words[0]] = (words[1], words[2])
            elif kind == "ack":
                self.acknowledged[words[0]] = words[1]
                self.replayed += words[2]
            elif kind == "stale":
                self.refused.add(words[0])
            elif kind == "busy":
                self.busy += 1


async def prepare(url: str) -> None:
    """Some encounters to play."""
    async with open_database(url) as database:
        await database.writer.execute(add_campaign)
        for name in ENCOUNTERS:
            await create(database, name)


def audit(url: str, *players: Players) -> None:
    """Everything acknowledged is there, as it was acknowledged, and nothing else."""
    report = verify(url)
    assert report.findings == ()
    engine = create_engine(url)
    with engine.connect() as connection:
        stored = keys_of(connection)
        versions = {row.public_id: row.version for row in connection.execute(select(encounter))}
        notes = connection.execute(select(event.c.body).where(event.c.type == "noted")).scalars().all()
    engine.dispose()
    acknowledged = {key: version for one in players for key, version in one.acknowledged.items()}
    assert len(acknowledged) > 20
    assert {key: stored.get(key) for key in acknowledged} == acknowledged
    done = [json.loads(body)["words"][0] for body in notes]
    assert len(done) == len(set(done))
    assert set(done) == set(stored)
    assert len(stored) == sum(versions.values()) - len(ENCOUNTERS)
    refused = {key for one in players for key in one.refused}
    assert not refused & set(stored)


def keys_of(connection: Connection) -> dict[str, int | None]:
    """The version that each key made."""
    rows = connection.execute(select(idempotency.c.key, idempotency.c.version)).all()
    return {row.key: row.version for row in rows}


@pytest.mark.crash
async def test_players_of_two_processes_killed_on_postgres(migrated_postgres_url: str) -> None:
    await prepare(migrated_postgres_url)
    both = [Players(migrated_postgres_url, name) for name in ("p", "q")]
    chance = random.Random(4)

    for one in both:
        one.start()
    for _ in range(4):
        time.sleep(chance.uniform(0.2, 0.5))
        one = chance.choice(both)
        one.kill()
        one.start()
    time.sleep(0.5)
    for one in both:
        one.kill()

    audit(migrated_postgres_url, *both)


@pytest.mark.crash
@pytest.mark.parametrize("point", sized(POINTS[2:4], POINTS[2:4], POINTS[:5]))
async def test_dying_at_a_given_place(url: str, point: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """T6, amid a batch of several players' commands."""
    await prepare(url)
    players = Players(url, "p", clients=3)
    monkeypatch.setenv("TURNWRIGHT_FAILPOINT", f"{point}:15")
    players.start()
    assert players.process.wait(PATIENCE_S) == 137
    players.reader.join()
    monkeypatch.delenv("TURNWRIGHT_FAILPOINT")

    players.start()
    deadline = time.monotonic() + 10
    while len(players.acknowledged) < 40 and time.monotonic() < deadline:
        time.sleep(0.02)
    players.kill()

    audit(url, players)
