"""What only SQLite has: pragmas, one process, group commit, a log file that may end anywhere."""

import asyncio
import shutil
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import insert

from app.persistence import drivers, failpoints, sqlite, writing
from app.persistence.database import open_database
from app.persistence.drivers import (
    WRITER_PRAGMAS,
    UnsafeDatabase,
    open_sqlite,
    pragmas_of,
    sqlite_module,
    sqlite_path,
)
from app.persistence.instance import AlreadyOpen
from app.persistence.sqlite import SqliteWriter
from app.persistence.store import SqliteStore
from app.persistence.tables import campaign
from app.persistence.verify import verify
from app.persistence.work import Ahead, Busy, StorageFull
from tests.persistence.fights import add_campaign, create, job, noted, one_more
from tests.support.chance import chance
from tests.support.clock import Clock
from tests.support.sizes import IS_LONG, sized

TORN_COPIES = sized(15, 50, 1000)
OFFSETS = 200


async def test_every_connection_has_its_pragmas(sqlite_url: str) -> None:
    """T3c: those without which a crash could cost what was acknowledged."""
    async with open_database(sqlite_url) as database:
        writer, store = database.writer, database.store
        assert isinstance(writer, SqliteWriter)
        assert isinstance(store, SqliteStore)

        wanted = {
            "journal_mode": "wal",
            "synchronous": 2,  # FULL: a confirmed command survives a power cut
            "busy_timeout": 5000,
            "foreign_keys": 1,
            "trusted_schema": 0,
            "mmap_size": 0,
            "wal_autocheckpoint": 0,
        }
        assert pragmas_of(writer._connection, reader=False) == wanted
        for reader in (store._short, store._long):
            assert pragmas_of(reader, reader=True) == wanted | {"query_only": 1}


@pytest.mark.parametrize("name", ["journal_mode", "synchronous", "mmap_size", "wal_autocheckpoint"])
async def test_a_file_that_cannot_be_opened_safely_is_refused(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """T3c: SQLite says nothing where a pragma cannot be had, so it is looked at."""
    module = sqlite_module()
    other = {"journal_mode": "delete", "synchronous": "off", "mmap_size": 1 << 20, "wal_autocheckpoint": 1000}

    class Stubborn(module.Connection):  # type: ignore[name-defined,misc]
        def execute(self, statement: str, *more: object) -> object:
            if statement.startswith(f"PRAGMA {name}="):
                statement = f"PRAGMA {name}={other[name]}"
            return super().execute(statement, *more)

    def connect(path: str, **options: object) -> object:
        return module.connect(path, factory=Stubborn, **options)

    monkeypatch.setattr(drivers, "sqlite_module", lambda: SimpleNamespace(connect=connect))
    with pytest.raises(UnsafeDatabase, match=f"{name} is {str(other[name]).replace('off', '0')}, not"):
        async with open_database(sqlite_url):
            pass


async def test_readers_cannot_write(sqlite_url: str) -> None:
    async with open_database(sqlite_url) as database:
        with pytest.raises(Exception, match="readonly"):
            await database.store.read(
                lambda found: found.execute(insert(campaign).values(id="x", name="x", created_at=0))
            )


async def test_one_process_at_a_time(sqlite_url: str) -> None:
    async with open_database(sqlite_url):
        with pytest.raises(AlreadyOpen, match="PostgreSQL"):
            async with open_database(sqlite_url):
                pass
    async with open_database(sqlite_url):
        pass


async def test_what_is_queued_is_committed_together(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    commits: list[int] = []
    real = writing.write

    def counted(connection: object, statements: object, batch: object) -> object:
        commits.append(len(batch.told))  # type: ignore[attr-defined]
        return real(connection, statements, batch)  # type: ignore[arg-type]

    monkeypatch.setattr(sqlite, "write", counted)
    async with open_database(sqlite_url) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        await create(database, "enc_b")

        await asyncio.gather(
            *(database.writer.submit(job(one_more, encounter=("enc_a", "enc_b")[n % 2])) for n in range(40))
        )

        assert sum(commits) == 40
        assert len(commits) < 10
        assert (await database.store.live("enc_b")).head.version == 21


async def test_a_foreign_lock_is_busy_and_does_not_last(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(WRITER_PRAGMAS, "busy_timeout", 100)
    async with open_database(sqlite_url) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        # Through the same library: two of them in one process do not see each other's locks.
        other = open_sqlite(sqlite_path(sqlite_url), reader=False)
        other.execute("BEGIN IMMEDIATE")

        done = await asyncio.gather(
            *(database.writer.submit(job(one_more)) for _ in range(5)),
            database.writer.execute(lambda connection: None),
            return_exceptions=True,
        )
        assert [type(error) for error in done] == [Busy] * 6
        assert (await database.store.live("enc_a")).head.version == 1

        other.execute("ROLLBACK")
        other.close()
        await database.writer.submit(job(one_more))


async def test_a_full_disk_is_told_and_leaves_when_there_is_room(sqlite_url: str) -> None:
    async with open_database(sqlite_url) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        writer = database.writer
        assert isinstance(writer, SqliteWriter)

        def bound(pages: int) -> None:
            writer._connection.execute(f"PRAGMA max_page_count={pages}").fetchall()

        await writer.execute(lambda connection: bound(1))
        with pytest.raises(StorageFull):
            await asyncio.gather(*(writer.submit(job(noted("x" * 10_000))) for _ in range(100)))
        version = (await database.store.live("enc_a")).head.version
        assert len(await database.store.log("enc_a", "gm", limit=1000)) == version + 2

        await writer.execute(lambda connection: bound(1_000_000))
        await writer.submit(job(one_more))
        assert (await database.store.live("enc_a")).head.version == version + 1
    assert verify(sqlite_url).findings == ()


async def test_too_much_at_once_is_refused(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "QUEUE_LIMIT", 10)
    async with open_database(sqlite_url) as database:
        await database.writer.execute(add_campaign)
        await create(database)

        tries = (database.writer.submit(job(one_more)) for _ in range(200))
        done = await asyncio.gather(*tries, return_exceptions=True)

        refused = sum(isinstance(result, Busy) for result in done)
        assert 0 < refused < 200
        assert (await database.store.live("enc_a")).head.version == 1 + 200 - refused


async def test_the_log_is_folded_back_when_nobody_waits(sqlite_url: str) -> None:
    async with open_database(sqlite_url) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        for _ in range(20):
            await database.writer.submit(job(noted("x" * 10_000)))
        await asyncio.sleep(0.5)

        writer = database.writer
        assert isinstance(writer, SqliteWriter)
        assert writer._since_checkpoint == 0
        main = Path(sqlite_path(sqlite_url)).stat().st_size
        assert main > 200_000


@pytest.mark.timeout(0 if IS_LONG else 120)
async def test_a_torn_end_of_the_log_is_some_earlier_version(sqlite_url: str, clock: Clock, tmp_path: Path) -> None:
    """T3b: as after a power cut: the file as at the last checkpoint, the log cut off or overwritten somewhere."""
    path = Path(sqlite_path(sqlite_url))
    async with open_database(sqlite_url, clock=clock) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        await asyncio.sleep(0.4)
        hashes = [(await database.store.live("enc_a")).head.hash]
        for _ in range(40):
            await database.writer.submit(job(one_more))
            hashes.append((await database.store.live("enc_a")).head.hash)
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", tmp_path / f"saved{suffix}")

    wal = (tmp_path / "saved-wal").read_bytes()
    luck = chance()
    # Everywhere in the log, and half of them in its last tenth.
    offsets = [luck.randrange(len(wal) * 9 // 10 * (n % 2), len(wal)) for n in range(OFFSETS)]
    versions = set()
    for number in range(TORN_COPIES):
        torn = tmp_path / f"torn{number}.sqlite3"
        shutil.copy(tmp_path / "saved", torn)
        offset = luck.choice(offsets)
        rest = b"" if number % 2 else luck.randbytes(min(200, len(wal) - offset))
        Path(f"{torn}-wal").write_bytes(wal[:offset] + rest + (b"" if number % 2 else wal[offset + len(rest) :]))

        async with open_database(f"sqlite:///{torn}", clock=clock) as database:
            head = (await database.store.live("enc_a")).head
            versions.add(head.version)
            assert head.hash == hashes[head.version - 1], "it is no version that there ever was"
            await database.writer.submit(job(one_more))
        assert verify(f"sqlite:///{torn}").findings == ()
        for suffix in ("", "-wal", "-shm", ".lock"):
            Path(f"{torn}{suffix}").unlink(missing_ok=True)
    assert len(versions) > 4


async def test_a_slow_reader_does_not_hold_up_the_writer(sqlite_url: str) -> None:
    async with open_database(sqlite_url) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        reader = open_sqlite(sqlite_path(sqlite_url), reader=True)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM event").fetchall()

        for _ in range(10):
            await database.writer.submit(job(one_more))

        assert reader.execute("SELECT version FROM encounter").fetchone() == (1,)
        reader.close()


def test_a_database_in_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a file"):
        sqlite_path("sqlite://")


async def test_a_page_shows_no_more_than_is_known(sqlite_url: str) -> None:
    """The writer's thread may be held up between its commit and saying so: cursors must fit what is known."""
    async with open_database(sqlite_url) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        is_committed, go_on = threading.Event(), threading.Event()

        def hold() -> None:
            is_committed.set()
            go_on.wait(5)

        failpoints.armed["after_commit"] = hold
        submitted = asyncio.create_task(database.writer.submit(job(one_more)))
        await asyncio.to_thread(is_committed.wait, 5)
        try:
            live = await database.store.live("enc_a")
            page = await database.store.log("enc_a", "gm")
            with pytest.raises(Ahead):
                await database.hub.follow("enc_a").after(4, "gm", timeout=0)
        finally:
            failpoints.armed.clear()
            go_on.set()
        await submitted

        assert page[-1].seq == live.head.seq == 3
        assert len(await database.store.log("enc_a", "gm")) == 4


async def test_what_is_taken_up_together_waits_for_a_foreign_lock_once(sqlite_url: str) -> None:
    """T16: commands, and whatever else came in behind them, are told at the same time that the file is held."""
    async with open_database(sqlite_url) as database:
        writer = database.writer
        assert isinstance(writer, SqliteWriter)
        await writer.execute(add_campaign)
        await create(database)
        foreign = sqlite_module().connect(sqlite_path(sqlite_url), check_same_thread=False, isolation_level=None)
        is_committed, go_on = threading.Event(), threading.Event()

        def hold() -> None:
            failpoints.armed.clear()
            writer._connection.execute("PRAGMA busy_timeout=300")
            foreign.execute("BEGIN IMMEDIATE")
            is_committed.set()
            go_on.wait(5)

        failpoints.armed["before_notify"] = hold
        first = asyncio.create_task(writer.submit(job(one_more)))
        await asyncio.to_thread(is_committed.wait, 5)
        second = asyncio.create_task(writer.submit(job(one_more)))
        third = asyncio.create_task(writer.execute(lambda connection: None))
        while writer._queue.qsize() < 2:
            await asyncio.sleep(0.01)
        go_on.set()

        assert (await first).status < 300
        with pytest.raises(Busy):
            await second
        done, _ = await asyncio.wait([third], timeout=0.1)
        assert done, "it waits for the lock again"
        with pytest.raises(Busy):
            await third
        foreign.execute("ROLLBACK")
        foreign.close()
        await writer.submit(job(one_more))
