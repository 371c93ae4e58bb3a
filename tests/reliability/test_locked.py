"""Somebody else holds what is needed: a clean refusal in time, for everybody, and nothing that lasts."""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable
from statistics import median

import httpx
import psycopg
import pytest

from app.persistence.drivers import plain_url, sqlite_path
from app.persistence.verify import verify
from tests.api.table import Json, Table, table
from tests.support.repository import ROOT
from tests.support.sizes import not_everyday, sized

pytestmark = not_everyday

HELD_S = sized(6, 10, 30)
CALLERS = 50
WITHIN_S = 1.5 * 6.0
"""With the slack of an alarm: on a busy machine everybody waits for the processor too."""
READ_S = 1.0
"""Half of the reads are quicker, or they wait for something."""
REPORT_S = 5.0
HOLDER = """
import sys
from app.persistence.drivers import open_sqlite
connection = open_sqlite(sys.argv[1], reader=False)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
connection.execute("ROLLBACK")
"""


class Callers:
    """Those who ask while something is held: each answer, and how long it took."""

    def __init__(self, seats: Table, encounters: list[str]) -> None:
        self._seats, self._encounters = seats, encounters
        self.answers: list[tuple[str, int, float]] = []

    async def write(self, number: int) -> None:
        """One of several kinds of command: they take different ways through the writer."""
        seats = self._seats
        encounter = self._encounters[number % len(self._encounters)]
        if number % 5 == 3:
            body: Json = {"role": "spectator", "name": f"w{number}"}
            answer = await self._timed("token", seats.post(f"/v1/campaigns/{seats.campaign}/tokens", body))
        elif number % 5 == 4:
            body = {"campaign": seats.campaign, "name": "New", "ruleset": "toy", "combatants": []}
            answer = await self._timed("create", seats.post("/v1/encounters", body))
        else:
            reason = {"reason": f"number {number}"}
            answer = await self._timed("ruling", seats.post(f"{encounter}/rulings", reason))
        assert answer.status_code in (201, 503), answer.text
        assert ("retry-after" in answer.headers) == (answer.status_code == 503)

    async def read(self, number: int) -> None:
        """The encounter, or its log."""
        encounter = self._encounters[number % len(self._encounters)]
        path = encounter if number % 2 else f"{encounter}/log"
        answer = await self._timed("read", self._seats.get(path))
        assert answer.status_code == 200, answer.text

    async def _timed(self, kind: str, asking: Awaitable[httpx.Response]) -> httpx.Response:
        begun = time.monotonic()
        answer = await asking
        self.answers.append((kind, answer.status_code, time.monotonic() - begun))
        return answer

    def slowest(self, kind: str = "") -> float:
        """Of all, or of one kind."""
        return max(took for name, _, took in self.answers if kind in ("", name))

    def median(self, kind: str = "") -> float:
        """The same in the middle."""
        return median(took for name, _, took in self.answers if kind in ("", name))

    def count(self, status: int) -> int:
        """How many were told that."""
        return sum(told == status for _, told, _ in self.answers)


async def _opened(seats: Table, count: int) -> list[str]:
    paths = []
    for _ in range(count):
        await seats.create()
        paths.append(seats.encounter)
    return paths


async def _all_is_well(seats: Table, callers: Callers) -> None:
    """Afterwards everything goes on, without anybody's help."""
    before = callers.count(201)
    await asyncio.gather(*(callers.write(number) for number in range(10)))
    assert callers.count(201) == before + 10
    assert (await seats.get("/readyz", None)).status_code == 200


async def test_another_process_holds_the_file(sqlite_url: str) -> None:
    """T16: an outside process holds the write lock of the SQLite file. Writers are told within six seconds, readers
    notice nothing."""
    async with table(sqlite_url) as seats:
        callers = Callers(seats, await _opened(seats, 3))
        command = [sys.executable, "-c", HOLDER, sqlite_path(sqlite_url)]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdin is not None
            assert holder.stdout is not None
            assert await asyncio.to_thread(holder.stdout.readline) == b"held\n"
            begun = time.monotonic()
            asked: list[asyncio.Task[None]] = []
            while time.monotonic() < begun + HELD_S - 5:
                asked += [asyncio.create_task(callers.write(len(asked) + number)) for number in range(5)]
                await callers.read(len(asked))
                await asyncio.sleep(0.4)
            await asyncio.gather(*asked)
            print(f"{callers.count(503)} refused, {callers.slowest():.2f} s; reads {callers.slowest('read'):.2f} s")
            assert callers.count(201) == 0
            assert callers.slowest() < WITHIN_S
            assert callers.median("read") < READ_S
            holder.stdin.close()
            await asyncio.to_thread(holder.wait)
        await _all_is_well(seats, callers)
    assert verify(sqlite_url).findings == ()


@pytest.fixture
async def crowded(migrated_postgres_url: str) -> AsyncIterator[tuple[Table, Callers]]:
    """Fifty callers; the writer has two connections."""
    async with table(migrated_postgres_url) as seats:
        yield seats, Callers(seats, await _opened(seats, 5))
    assert verify(migrated_postgres_url).findings == ()


@pytest.mark.parametrize("name", sized(["encounter"], ["encounter"], ["encounter", "idempotency", "token"]))
async def test_fifty_callers_and_two_connections(
    crowded: tuple[Table, Callers], migrated_postgres_url: str, name: str
) -> None:
    """T16: somebody has locked a table on PostgreSQL, and fifty wait for two connections: all are told in time."""
    seats, callers = crowded
    with psycopg.connect(plain_url(migrated_postgres_url)) as connection:
        connection.execute(f"LOCK TABLE {name} IN EXCLUSIVE MODE".encode())
        waves = []
        for wave in range(2):
            waves += [asyncio.create_task(callers.write(wave + number)) for number in range(CALLERS // 2)]
            await asyncio.gather(*(callers.read(number) for number in range(4)))
            await asyncio.sleep(1.0)
        await asyncio.gather(*waves)
        print(f"{name}: {callers.count(503)} refused, {callers.slowest():.2f} s; reads {callers.slowest('read'):.2f} s")
        assert callers.count(503) > 0
        assert callers.slowest() < WITHIN_S
        assert callers.median("read") < READ_S
    await _all_is_well(seats, callers)


async def test_a_table_that_cannot_even_be_read(crowded: tuple[Table, Callers], migrated_postgres_url: str) -> None:
    """T16: as somebody does who rewrites a table: whoever asks for the log is told so in time."""
    seats, callers = crowded
    with psycopg.connect(plain_url(migrated_postgres_url)) as connection:
        connection.execute("LOCK TABLE event IN ACCESS EXCLUSIVE MODE")
        begun = time.monotonic()
        paths = ["log", "verify", "branches", "log", "verify"]
        answers = await asyncio.gather(*(seats.get(f"{seats.encounter}/{path}") for path in paths))
        assert time.monotonic() - begun < WITHIN_S
        assert {(one.status_code, one.json()["code"]) for one in answers} == {(503, "unavailable")}
        assert all("retry-after" in one.headers for one in answers)
    assert (await seats.get(f"{seats.encounter}/log")).status_code == 200
    await _all_is_well(seats, callers)


async def test_long_reports_hold_up_nobody_else(url: str) -> None:
    """T16: as many reports as there are threads for them, each of five seconds: another is refused in time, and who
    plays notices nothing."""
    async with table(url) as seats:
        callers = Callers(seats, await _opened(seats, 2))
        store = seats.app.state.parts.service.store
        reports = [asyncio.create_task(store.examine(lambda _: time.sleep(REPORT_S))) for _ in range(4)]
        await asyncio.sleep(0.2)

        begun = time.monotonic()
        more = asyncio.create_task(seats.get(f"{seats.encounter}/verify"))
        for number in range(10):
            await callers.read(number)
            await callers.write(number)
        refused = await more
        took = time.monotonic() - begun

        assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (
            503,
            "unavailable",
            "1",
        )
        assert took < WITHIN_S
        assert callers.count(503) == 0
        assert callers.median() < READ_S
        await asyncio.gather(*reports, return_exceptions=True)
        assert (await seats.get(f"{seats.encounter}/verify")).json()["ok"]
