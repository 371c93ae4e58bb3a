"""The database server dies under a service that goes on: nothing acknowledged is lost, and every answer is clean."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from app.persistence.verify import verify
from tests.live.club import Club
from tests.reliability.crowd import clock, logged
from tests.reliability.history import Entry, violations
from tests.reliability.survivors import Survivor, together
from tests.support.chance import chance
from tests.support.postgres import LocalPostgres, connect, private_postgres
from tests.support.served import Served, served, turnwright
from tests.support.sizes import IS_LONG, sized

DEATHS = sized(3, 5, 50)
WRITERS, ENCOUNTERS = 4, 2
READY_S = 5.0
IN_A_TRANSACTION = """
SELECT pid FROM pg_stat_activity
WHERE application_name = 'turnwright writer' AND datname = current_database()
 AND xact_start IS NOT NULL AND backend_xid IS NOT NULL
"""


def kill_postmaster(postgres: LocalPostgres, url: str) -> None:
    """As when the system runs out of memory: the server is gone, its children find out by themselves."""
    os.kill(postgres.pid(), signal.SIGKILL)


def crash(postgres: LocalPostgres, url: str) -> None:
    """As at a power cut."""
    postgres.crash()


def end_a_writer(postgres: LocalPostgres, url: str) -> None:
    """One connection is cut while a command is being written over it."""
    deadline = time.monotonic() + 10
    with connect(url) as connection:
        while time.monotonic() < deadline:
            for (pid,) in connection.execute(IN_A_TRANSACTION).fetchall():
                connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
                return
    raise AssertionError("nobody was writing")


Death = Callable[[LocalPostgres, str], None]
KINDS: tuple[Death, ...] = (kill_postmaster, end_a_writer, crash)


@contextlib.asynccontextmanager
async def playing(survivors: list[Survivor]) -> AsyncIterator[None]:
    """They play meanwhile."""
    tasks = [asyncio.create_task(one.play(clock() + 3600)) for one in survivors]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def somebody_writes(survivors: list[Survivor], server: Served, within: float) -> float:
    """Seconds until the service says that it is ready and a write has been acknowledged."""
    before, begun = sum(one.told["201"] for one in survivors), time.monotonic()
    while time.monotonic() < begun + within:
        await asyncio.sleep(0.02)
        if sum(one.told["201"] for one in survivors) > before and await asyncio.to_thread(server.is_ready):
            return time.monotonic() - begun
    raise AssertionError(f"nobody could write within {within} s")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Lines that died with the server.
@pytest.mark.crash
@pytest.mark.timeout(0 if IS_LONG else 600)
async def test_callers_of_a_service_whose_database_dies_hear_nothing_odd(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """T2: the postmaster is killed, stopped without a checkpoint, one writer's connection is cut in mid-transaction,
    in turn. The service runs on: it says 2xx, 412, or 503 with Retry-After, and is back within five seconds."""
    if request.config.getoption("--no-postgres"):
        pytest.skip("--no-postgres was given")
    luck, back = chance(), []
    with private_postgres() as postgres:
        url, settings = postgres.url, {"TURNWRIGHT_RATE_LIMITS": "false"}
        with served(turnwright("serve", "--port", "0", "--database", url), tmp_path / "printed", **settings) as server:
            club = Club.of(server)
            paths = [club.encounter() for _ in range(ENCOUNTERS)]
            survivors = [Survivor(number, club.gm, paths, luck) for number in range(WRITERS)]
            seat = f"/v1/campaigns/{club.campaign}/tokens/{club.token()['id']}"
            survivors[0].seat = seat
            for one in survivors:
                one.move_to(server)
            async with playing(survivors):
                for number in range(DEATHS):
                    await somebody_writes(survivors, server, 30)
                    await asyncio.sleep(luck.uniform(0.05, 0.3))
                    death = KINDS[number % len(KINDS)]
                    await asyncio.to_thread(death, postgres, url)
                    if death is not end_a_writer:
                        await asyncio.sleep(luck.uniform(0, 0.3))
                        await asyncio.to_thread(postgres.start)
                    back.append(await somebody_writes(survivors, server, 30))
            # Whoever was interrupted in the middle does not know, and asks again.
            for one in survivors:
                one.move_to(server)
                await one.settle()
                one.close()
            await asyncio.sleep(0.2)  # the loop lets go of their connections
            logs: dict[str, Sequence[Entry]] = {path: logged(club, path) for path in paths}
            name = club.get(seat)["name"]
            club.client.close()
        report = verify(url)

    history, odd, told = together(survivors)
    slowest = max(one.slowest for one in survivors)
    print(f"{DEATHS} deaths, heard {dict(told)}, slowest answer {slowest:.2f} s, back after {max(back):.2f} s at most")
    assert odd == []
    assert violations(history, logs) == []
    assert report.findings == ()
    # Its client may have been interrupted over the last one.
    assert survivors[0].named > DEATHS
    assert int(name) in (survivors[0].named, survivors[0].named + 1)
    assert told["503"] > 0
    assert told["broken"] == 0
    assert sum(one.kind == "write" and one.outcome == "done" for one in history) > 2 * DEATHS
    assert max(back) < READY_S
