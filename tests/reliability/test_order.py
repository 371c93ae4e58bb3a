"""Sixteen clients on one encounter and on forty: one order explains everything that they were told."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.live.club import Club
from tests.reliability.crowd import Line, logged, played
from tests.reliability.history import starved, violations
from tests.support.served import Served, served, turnwright
from tests.support.sizes import IS_LONG, sized

SECONDS = sized(4, 5, 600)
ROUNDS = sized(8, 40, 200)
CLIENTS, SUBMITTERS = 16, 50
FIRST = 1
"""The version that an encounter is made with."""


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One worker on SQLite, two on PostgreSQL."""
    folder = tmp_path_factory.mktemp("order")
    options = ["--port", "0"]
    if request.param == "sqlite":
        options += ["--database", f"sqlite:///{folder}/turnwright.sqlite3"]
        with served(turnwright("serve", *options), folder / "printed", TURNWRIGHT_RATE_LIMITS="false") as running:
            yield running
        return
    with request.getfixturevalue("postgres_server").database() as url:
        options += ["--workers", "2", "--database", url]
        with served(turnwright("serve", *options), folder / "printed", TURNWRIGHT_RATE_LIMITS="false") as running:
            yield running


@pytest.fixture(scope="module")
def club(server: Served) -> Iterator[Club]:
    """A campaign there."""
    with Club.of(server) as made:
        yield made


@pytest.mark.concurrency
@pytest.mark.timeout(0 if IS_LONG else 120)
@pytest.mark.parametrize("count", [1, 40])
async def test_one_order_explains_what_everybody_was_told(server: Served, club: Club, count: int) -> None:
    encounters = [club.encounter() for _ in range(count)]
    several = len(server.processes()) > 1
    before = server.busy_s()

    # On one encounter everybody writes to the version that he has just read, which another has changed more often
    # than not; on forty they come and go.
    players = await played(club, encounters, SECONDS, clients=CLIENTS, reads_first=count == 1, anew=several)

    busy = [after - first for after, first in zip(server.busy_s(), before, strict=True)]
    history = [one for player in players for one in player.history]
    assert [one for player in players for one in player.odd] == []
    assert violations(history, {path: logged(club, path) for path in encounters}, FIRST) == []
    assert starved(history, range(CLIENTS)) == []
    done = sum(one.kind == "write" and one.outcome == "done" for one in history)
    refused = sum(one.outcome == "refused" for one in history)
    print(f"{len(history)} requests, {done} writes, {refused} refused, processor time {busy}")
    assert done > 2 * CLIENTS
    assert count > 1 or refused > 0
    assert min(busy) > 0.1 * max(busy), f"one worker did nearly everything: {busy}"


@pytest.mark.concurrency
async def test_of_fifty_who_follow_one_version_one_wins(server: Served, club: Club) -> None:
    path = club.encounter()
    anew = len(server.processes()) > 1
    lines = [Line(club.url, club.gm, anew=anew) for _ in range(SUBMITTERS)]
    winners = []
    for version in range(FIRST, FIRST + ROUNDS):
        tries = (
            line.ask("POST", f"{path}/rulings", {"reason": f"{version}/{name}"}, if_match=f'"{version}"')
            for name, line in enumerate(lines)
        )
        answers = await asyncio.gather(*tries)
        assert sorted(answer.status for answer in answers) == [201] + [412] * (SUBMITTERS - 1)
        assert {answer.headers["etag"] for answer in answers} == {f'"{version + 1}"'}
        winners.append(version + 1)
    for line in lines:
        line.close()

    assert [entry.version for entry in logged(club, path)] == winners
