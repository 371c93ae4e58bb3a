"""T18: hours of play: fights made, fought out and deleted, streams that come and go, webhooks. All stays flat."""

import asyncio
import contextlib
import os
import random
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, func, select

from app.persistence.tables import outbox, webhook_delivery
from app.persistence.verify import verify
from tests.live.club import Club
from tests.reliability.crowd import Line
from tests.reliability.duels import Duel
from tests.support.receiver import Receiver, receiver, reply
from tests.support.served import Served, served, turnwright
from tests.support.sizes import IS_LONG

SECONDS = int(os.environ.get("TURNWRIGHT_TEST_SOAK_S") or 600)
FIGHTS = 50 if SECONDS >= 600 else 12
"""Fought out at least, however long it takes."""
CLIENTS, STREAMS = 8, 20
THINK_S = 0.05
WARM = 0.2
"""Of the run, before anything is compared."""
MOST_WAL = 64 * 1024 * 1024
QUIET_S = 20


class Watch:
    """What the server holds, each second, and how long its answers took."""

    def __init__(self, server: Served, wal: Path | None) -> None:
        self.server, self.wal = server, wal
        self.begun = time.monotonic()
        self.held: list[tuple[float, int]] = []
        self.answers: list[tuple[float, float]] = []
        self.largest_wal = 0

    def note(self, begun: float, took: float) -> None:
        """An answer came."""
        self.answers.append((begun - self.begun, took))

    async def look(self) -> None:
        """Until it is cancelled."""
        while True:
            self.held.append((time.monotonic() - self.begun, self.server.rss()))
            if self.wal is not None and self.wal.exists():
                self.largest_wal = max(self.largest_wal, self.wal.stat().st_size)
            await asyncio.sleep(0.5)

    def slope(self) -> float:
        """Bytes a minute by least squares, after the warm-up."""
        warm = [(at / 60, rss) for at, rss in self.held if at > WARM * self.held[-1][0]]
        return statistics.linear_regression(*zip(*warm, strict=True)).slope

    def grown(self) -> float:
        """How much larger it is at the end than after the warm-up, at its most of ten looks each."""
        warm = [rss for at, rss in self.held if at > WARM * self.held[-1][0]]
        return max(warm[-10:]) / max(warm[:10])

    def p99(self, fifth: int) -> float:
        """What one answer in a hundred exceeds in that fifth of the run."""
        end = self.answers[-1][0]
        took = [one for at, one in self.answers if fifth * end / 5 <= at <= (fifth + 1) * end / 5]
        return statistics.quantiles(took, n=100)[98]


async def listen(server: Served, token: str, paths: list[str], chance: random.Random, heard: list[int]) -> None:
    """Come to some fight, listen for a moment, go again. Nothing is missed meanwhile, nothing comes twice."""
    host, port = server.url.removeprefix("http://").split(":")
    while True:
        await asyncio.sleep(chance.uniform(0, 0.2))
        if not paths:
            continue
        head = f"GET {chance.choice(paths)}/stream?after=0 HTTP/1.1\r\nHost: table\r\nAuthorization: Bearer {token}"
        reader, writer = await asyncio.open_connection(host, int(port))
        with contextlib.closing(writer):
            writer.write(f"{head}\r\n\r\n".encode())
            lines = b""
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(chance.uniform(0.1, 3)):
                    while part := await reader.read(65536):
                        lines += part
        whole = lines.rpartition(b"\n\n")[0].replace(b"\r\n", b"\n")
        ids = [int(line[4:]) for line in whole.split(b"\n") if line.startswith(b"id: ")]
        assert ids == list(range(1, len(ids) + 1))
        heard.append(len(ids))


async def fight(server: Served, club: Club, watch: Watch, paths: list[str], number: int, done: list[bool]) -> None:
    """One client: one fight after the other, until there is nothing more to do."""
    chance = random.Random(number)
    until = watch.begun + SECONDS
    with contextlib.closing(Line(server.url, club.gm, anew=False)) as line:
        while time.monotonic() < until or len(done) < FIGHTS:
            duel = Duel(line, club.campaign, watch.note, chance=chance, think_s=THINK_S)
            await duel.make()
            paths.append(duel.path)
            await duel.play()
            paths.remove(duel.path)
            done.append(duel.is_over)


def unsent(url: str) -> dict[str, int]:
    """How many messages of each status lie in the database, and how much news of which none was made."""
    engine = create_engine(url)
    held = webhook_delivery.c
    with engine.connect() as connection:
        rows = connection.execute(select(held.status, func.count()).group_by(held.status)).all()
        found = {str(status): int(count) for status, count in rows}
        news = connection.execute(select(func.count()).select_from(outbox)).scalar_one()
    engine.dispose()
    return {**found, "news": news}


def quiet(server: Served) -> tuple[int, int]:
    """Descriptors and threads, once nothing moves any more."""
    seen = (server.descriptors(), server.threads())
    deadline = time.monotonic() + QUIET_S
    while time.monotonic() < deadline:
        time.sleep(1)
        seen, before = (server.descriptors(), server.threads()), seen
        if seen == before:
            break
    return seen


@contextlib.contextmanager
def receivers() -> Iterator[tuple[Receiver, Receiver]]:
    """One that works, and one that fails every seventh time."""
    with receiver() as good, receiver() as bad:
        bad.answer = lambda handler: reply(handler, 500 if len(bad.received) % 7 == 0 else 204)
        yield good, bad


@pytest.mark.soak
@pytest.mark.skipif(not IS_LONG, reason="hours of play are for the night")
@pytest.mark.timeout(0)
async def test_hours_of_play_leave_everything_as_it_was(empty_url: str, tmp_path: Path) -> None:
    wal = Path(f"{empty_url.removeprefix('sqlite:///')}-wal") if empty_url.startswith("sqlite") else None
    with receivers() as (good, bad):
        settings = {
            "TURNWRIGHT_RATE_LIMITS": "false",
            "TURNWRIGHT_STREAMS_PER_TOKEN": "100",
            "TURNWRIGHT_WEBHOOK_ALLOW": f"{good.address},{bad.address}",
            "TURNWRIGHT_WEBHOOK_RETRY_S": "0.2,0.2,0.2,0.2",
        }
        command = turnwright("serve", "--port", "0", "--database", empty_url)
        with served(command, tmp_path / "printed", **settings) as server, Club.of(server) as club:
            hooks = f"/v1/campaigns/{club.campaign}/webhooks"
            for there in (good, bad):
                club.call("POST", hooks, {"url": there.url, "name": "Bot"})
            # Once through by itself: what is made at the first use is there before anything is compared.
            first = Watch(server, wal)
            with contextlib.closing(Line(server.url, club.gm, anew=False)) as line:
                duel = Duel(line, club.campaign, first.note, chance=random.Random(0))
                await duel.make()
                await duel.play()
            before = quiet(server)

            watch, paths, done, heard = Watch(server, wal), list[str](), list[bool](), list[int]()
            looking = asyncio.create_task(watch.look())
            listening = [
                asyncio.create_task(listen(server, club.gm, paths, random.Random(100 + number), heard))
                for number in range(STREAMS)
            ]
            async with asyncio.TaskGroup() as group:
                for number in range(CLIENTS):
                    group.create_task(fight(server, club, watch, paths, number, done))
            took = time.monotonic() - watch.begun
            for task in (looking, *listening):
                task.cancel()
            fates = await asyncio.gather(looking, *listening, return_exceptions=True)
            assert [one for one in fates if not isinstance(one, asyncio.CancelledError)] == []
            after = quiet(server)
            left = club.get(f"/v1/encounters?campaign={club.campaign}")["items"]
            printed = server.printed.read_text()

    ends = watch.p99(0) * 1000, watch.p99(4) * 1000
    print(
        f"{took:.0f} s: {len(done)} fights, {sum(done)} to the end, {len(watch.answers)} submissions, "
        f"{len(heard)} streams with {sum(heard)} events, {len(good.received)} and {len(bad.received)} messages, "
        f"{unsent(empty_url)}; "
        f"{watch.held[0][1] / 1e6:.0f} -> {watch.held[-1][1] / 1e6:.0f} MB, {watch.slope() / 1e6:+.2f} MB/min, "
        f"x{watch.grown():.3f}; descriptors and threads {before} -> {after}; "
        f"log file {watch.largest_wal / 1e6:.1f} MB; p99 {ends[0]:.0f} -> {ends[1]:.0f} ms"
    )
    assert len(done) >= FIGHTS
    assert sum(done) > 0.9 * len(done)
    assert len(heard) > STREAMS
    assert sum(heard) > len(done)
    assert min(len(good.received), len(bad.received)) > STREAMS
    assert left == []
    assert after[0] <= before[0] + 2
    assert after[1] <= before[1] + 2
    assert watch.largest_wal <= MOST_WAL
    assert watch.grown() <= (1.10 if SECONDS >= 600 else 1.25)
    # Half a minute is too short for a slope, and a machine that does other things besides tells nothing of speed.
    assert SECONDS < 600 or watch.slope() <= 0.5e6
    assert '"level":"error"' not in printed
    assert verify(empty_url).findings == ()
