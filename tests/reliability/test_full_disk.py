"""A disk without room: nothing more is written, everything can be read, and room is all that it needs to go on."""

import asyncio
import contextlib
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.persistence.schema import migrate
from app.persistence.verify import verify
from tests.api.table import Table, table
from tests.support.postgres import connect, private_postgres

Json = dict[str, Any]
AT_ONCE = 5
MOST = 2000
"""So many commands of 4 kB fill any disk here."""


async def _fill(seats: Table) -> list[Json]:
    """Write until there is no room; what was acknowledged."""
    done: list[Json] = []
    words = "".join(f"{number:04}" for number in range(240))
    for start in range(0, MOST, AT_ONCE):
        tries = (
            seats.post(f"{seats.encounter}/rulings", {"reason": f"{number} {words}"})
            for number in range(start, start + AT_ONCE)
        )
        answers = await asyncio.gather(*tries)
        done += [one.json() for one in answers if one.status_code == 201]
        refused = [one for one in answers if one.status_code != 201]
        assert {(one.status_code, one.json()["code"]) for one in refused} <= {(507, "storage_full")}
        if refused:
            return done
    raise AssertionError("it never was full")


async def _goes_through_it(seats: Table, make_room: Callable[[], Any]) -> None:
    assert (await seats.get("/readyz", None)).status_code == 200
    done = await _fill(seats)

    before = await seats.get(seats.encounter)
    body: Json = {"campaign": seats.campaign, "name": "x" * 70, "ruleset": before.json()["ruleset"], "combatants": []}
    # Something small may still fit somewhere, and then it is there. A refusal leaves nothing.
    tries = [await seats.post(f"{seats.encounter}/rulings", {"reason": "y" * 900}) for _ in range(3)]
    tries.append(await seats.post("/v1/encounters", body))
    assert {one.status_code for one in tries} <= {201, 507}
    assert 507 in {one.status_code for one in tries}
    fitted = sum(one.status_code == 201 for one in tries[:3])
    version = done[-1]["version"] + fitted
    assert (await seats.get(seats.encounter)).json()["version"] == version
    page = (await seats.get(f"{seats.encounter}/log?before=1000000&limit=1")).json()
    assert page["items"][0]["version"] == version
    assert (await seats.get(f"{seats.encounter}/verify")).json()["ok"]
    ready = await seats.get("/readyz", None)
    assert (ready.status_code, ready.headers["retry-after"]) == (503, "1")

    result = make_room()
    if asyncio.iscoroutine(result):
        await result

    assert (await seats.get("/readyz", None)).status_code == 200
    again = await seats.made(f"{seats.encounter}/rulings", {"reason": "z" * 900})
    assert again["version"] == version + 1


async def test_a_file_that_may_not_grow(sqlite_url: str) -> None:
    """T15: a bound on the pages of the file, which needs no rights."""
    async with table(sqlite_url) as seats:
        await seats.create()
        writer = seats.app.state.parts.service.writer

        def bound(pages: int) -> Any:
            return writer.execute(lambda _: writer._connection.execute(f"PRAGMA max_page_count={pages}").fetchall())

        ((pages,),) = await writer.execute(lambda _: writer._connection.execute("PRAGMA page_count").fetchall())
        await bound(pages + 40)
        await _goes_through_it(seats, lambda: bound(1_000_000))
    assert verify(sqlite_url).findings == ()


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A disk of that size, where this user may have one."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0777", "tmpfs", str(folder)]
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root may mount a small disk")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextlib.contextmanager
def ballast(folder: Path, leaves: int) -> Iterator[Callable[[], None]]:
    """A file that takes all but so many bytes of a disk; what it gives takes it away."""
    path = folder / "ballast"
    free = os.statvfs(folder)
    path.write_bytes(b"\0" * (free.f_bavail * free.f_frsize - leaves))
    yield path.unlink


async def test_a_small_disk_under_sqlite(tmp_path: Path) -> None:
    """T15: a disk of 4 MB with the file, its log and all."""
    with small_disk(tmp_path / "disk", 4) as disk:
        url = f"sqlite:///{disk}/turnwright.sqlite3"
        migrate(url)
        async with table(url) as seats:
            await seats.create()
            with ballast(disk, 1_000_000) as make_room:
                await _goes_through_it(seats, make_room)
        assert verify(url).findings == ()


@pytest.fixture
async def seats_on_a_small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[tuple[Table, Path]]:
    """A table on a database in a tablespace of 40 MB, on a server of its own."""
    if request.config.getoption("--no-postgres"):
        pytest.skip("--no-postgres was given")
    with private_postgres() as server, small_disk(server.folder / "disk", 40) as disk:
        os.chown(disk, os.stat(server.data).st_uid, -1)
        with connect(server.url) as connection:
            connection.execute(f"CREATE TABLESPACE small LOCATION '{disk}'".encode())
            connection.execute(b"CREATE DATABASE small TABLESPACE small")
        url = server.url.replace("/postgres?", "/small?")
        migrate(url)
        async with table(url) as seats:
            await seats.create()
            yield seats, disk
        assert verify(url).findings == ()
        server.stop()


async def test_a_small_disk_under_postgres(seats_on_a_small_disk: tuple[Table, Path]) -> None:
    """T15: a tablespace on a disk of its own, which is full."""
    seats, disk = seats_on_a_small_disk
    with ballast(disk, 300_000) as make_room:
        await _goes_through_it(seats, make_room)
