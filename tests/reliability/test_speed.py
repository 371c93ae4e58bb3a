"""T22: an alarm, no measurement: half as quick as promised is too slow. Figures come from `make bench`."""

import asyncio
import contextlib
import random
import statistics
import time
from pathlib import Path

import pytest

from tests.live.club import Club
from tests.reliability.crowd import Line
from tests.reliability.duels import Duel
from tests.support.served import Served, served, turnwright
from tests.support.sizes import IS_LONG, not_everyday, sized

pytestmark = not_everyday

SLACK = sized(2, 2, 1)
LEAST_PER_S, MOST_P99_S, MOST_ALONE_S, MOST_READ_S = 100 / SLACK, 0.3 * SLACK, 0.05 * SLACK, 0.03 * SLACK
MOST_START_S, MOST_BYTES = 2 * SLACK, 150e6 * SLACK
SECONDS = sized(1.5, 3, 20)
WINDOWS = 3
"""Tries: the machine is not equally busy all the time, and one good one shows what the server can do."""
ENCOUNTERS = 100


async def window(server: Served, club: Club, clients: int) -> tuple[float, float]:
    """Submissions a second of so many clients, and what one in a hundred of them exceeds."""
    took: list[float] = []
    lines = [Line(server.url, club.gm, anew=False) for _ in range(clients)]
    until = time.monotonic() + SECONDS

    async def play(line: Line, number: int) -> None:
        while time.monotonic() < until:
            duel = Duel(line, club.campaign, lambda _, one: took.append(one), chance=random.Random(number))
            await duel.make()
            while time.monotonic() < until and duel.turn in duel.up and len({duel.sides[one] for one in duel.up}) > 1:
                await duel.play_turn()

    begun = time.monotonic()
    with contextlib.ExitStack() as stack:
        for line in lines:
            stack.callback(line.close)
        await asyncio.gather(*(play(line, number) for number, line in enumerate(lines)))
    rate = len(took) / (time.monotonic() - begun)
    return rate, statistics.quantiles(took, n=100)[98]


async def reads(server: Served, club: Club, path: str) -> float:
    """What one read of a fight in a hundred exceeds."""
    line, took = Line(server.url, club.gm, anew=False), []
    for _ in range(300):
        begun = time.monotonic()
        told = await line.ask("GET", path)
        took.append(time.monotonic() - begun)
        assert told.status == 200
    line.close()
    return statistics.quantiles(took, n=100)[98]


def until_ready(command: list[str], printed: Path) -> float:
    """Seconds from the start of a server until it is ready."""
    begun = time.monotonic()
    with served(command, printed):
        return time.monotonic() - begun


@pytest.mark.alone
@pytest.mark.timeout(0 if IS_LONG else 180)
async def test_it_is_not_half_as_quick_as_it_should_be(empty_url: str, tmp_path: Path) -> None:
    if empty_url.startswith("postgres") and not IS_LONG:
        pytest.skip("at night")
    command = turnwright("serve", "--port", "0", "--database", empty_url)
    with served(command, tmp_path / "first", TURNWRIGHT_RATE_LIMITS="false") as first:
        admin = first.token
    started = min(until_ready(command, tmp_path / f"start{number}") for number in range(WINDOWS))
    with (
        served(command, tmp_path / "printed", TURNWRIGHT_RATE_LIMITS="false") as server,
        Club(server.url, admin) as club,
    ):
        path = ""
        with contextlib.closing(Line(server.url, club.gm, anew=False)) as line:
            for number in range(ENCOUNTERS):
                duel = Duel(line, club.campaign, lambda *_: None, chance=random.Random(number))
                await duel.make(20)
                path = duel.path
        held = server.rss()
        many = [await window(server, club, 16)]
        alone = [(await window(server, club, 1))[1]]
        read = [await reads(server, club, path)]
        for _ in range(WINDOWS - 1):
            if max(many)[0] < LEAST_PER_S or min(one for _, one in many) > MOST_P99_S:
                many.append(await window(server, club, 16))
            if min(alone) > MOST_ALONE_S:
                alone.append((await window(server, club, 1))[1])
            if min(read) > MOST_READ_S:
                read.append(await reads(server, club, path))

    rate, p99 = max(one for one, _ in many), min(one for _, one in many)
    print(
        f"16 clients {rate:.0f}/s, p99 {p99 * 1000:.0f} ms; alone p99 {min(alone) * 1000:.0f} ms; "
        f"a read {min(read) * 1000:.1f} ms; ready after {started:.1f} s; {held / 1e6:.0f} MB at {ENCOUNTERS} encounters"
    )
    assert rate >= LEAST_PER_S
    assert p99 <= MOST_P99_S
    assert min(alone) <= MOST_ALONE_S
    assert min(read) <= MOST_READ_S
    assert started <= MOST_START_S
    assert held <= MOST_BYTES
