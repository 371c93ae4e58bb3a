"""What only PostgreSQL has: several processes, stale knowledge, lost connections, news from elsewhere."""

import asyncio
import time
from collections.abc import AsyncIterator

import psycopg
import pytest
from msgspec.structs import replace

from app.engine.reasons import BadAnswer
from app.persistence import failpoints, news
from app.persistence.database import Database, open_database
from app.persistence.drivers import plain_url
from app.persistence.durable import connect
from app.persistence.parts import whole
from app.persistence.postgres import PostgresWriter
from app.persistence.verify import verify
from app.persistence.work import Busy, Deletion, Job, Live, NotFound, Reply, Stale, UnknownOutcome
from tests.persistence.fights import (
    ANN,
    ORC,
    add_campaign,
    asked_again,
    asking,
    create,
    doing,
    hurt,
    job,
    noted,
    once,
    one_more,
    rewound,
)
from tests.support.clock import Clock

Two = tuple[Database, Database]


@pytest.fixture
async def two(migrated_postgres_url: str, clock: Clock) -> AsyncIterator[Two]:
    """Two databases as two processes have them: nothing is shared but the server."""
    async with (
        open_database(migrated_postgres_url, clock=clock) as one,
        open_database(migrated_postgres_url, clock=clock) as other,
    ):
        await one.writer.execute(add_campaign)
        await create(one)
        yield one, other
    failpoints.armed.clear()


async def test_each_sees_at_once_what_the_other_has_done(two: Two) -> None:
    for number in range(1, 21):
        await two[number % 2].writer.submit(job(one_more))
        for database in two:
            live = await database.store.live("enc_a")
            assert (live.head.version, live.state.combatants[ANN].pools["wounds"]) == (number + 1, number)


async def test_what_is_planned_on_stale_knowledge_is_planned_again(two: Two, migrated_postgres_url: str) -> None:
    async def play(database: Database) -> None:
        for _ in range(40):
            await database.writer.submit(job(one_more))

    await asyncio.gather(*(play(database) for database in two for _ in range(3)))

    live = await two[0].store.live("enc_a")
    assert (live.head.version, live.state.combatants[ANN].pools["wounds"]) == (241, 240)
    assert verify(migrated_postgres_url).findings == ()


async def test_of_many_on_both_one_wins(two: Two) -> None:
    for version in range(1, 11):
        tries = [database.writer.submit(job(one_more, if_match=version)) for database in two for _ in range(5)]
        done = await asyncio.gather(*tries, return_exceptions=True)

        assert sum(isinstance(result, Reply) for result in done) == 1
        assert {stale.current for stale in done if isinstance(stale, Stale)} == {version + 1}


async def test_a_refusal_is_never_answered_from_stale_knowledge(two: Two) -> None:
    one, other = two
    await other.store.live("enc_a")

    def only_when_hurt(live: Live) -> list[object]:
        if live.state.combatants[ANN].pools["wounds"] == 0:
            raise BadAnswer("not_hurt", "/")
        return list(one_more(live))

    await one.writer.submit(job(hurt(1)))
    await one.writer.submit(job(noted("x")))

    reply = await other.writer.submit(job(only_when_hurt, if_match=3))  # type: ignore[arg-type]

    assert reply.status == 201


async def test_one_key_on_both_at_once_is_one_command(two: Two) -> None:
    await create(two[0], "enc_b")
    for number in range(10):
        mine = once(f"k{number}")
        tries = [
            database.writer.submit(job(one_more, encounter=encounter, once=mine))
            for database in two
            for encounter in ("enc_a", "enc_b")
        ]
        replies = await asyncio.gather(*tries)

        assert len({reply.body for reply in replies}) == 1
        assert sum(not reply.replayed for reply in replies) == 1
    versions = [(await two[0].store.head(name)).version for name in ("enc_a", "enc_b")]
    assert sum(versions) == 12


async def test_pauses_and_rewinds_reach_the_other(two: Two) -> None:
    one, other = two
    await other.store.live("enc_a")
    await one.writer.submit(doing(asking(hurt(2))))
    paused = await other.store.live("enc_a")
    await other.writer.submit(doing(asked_again(hurt(3, ORC))))
    await one.writer.submit(job(hurt(9)))
    await other.writer.submit(doing(rewound(await other.store.moment("enc_a", 2))))

    live = await one.store.live("enc_a")

    assert paused.pending is not None
    assert live.pending == replace(paused.pending, epoch=1)
    assert live.base is not None
    assert paused.base is not None
    assert whole(live.base) == whole(paused.base)
    assert whole(live.state) == whole(paused.state)
    assert live.head.epoch == 1


async def test_what_one_deletes_the_other_cannot_go_on_with(
    two: Two, migrated_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = two
    monkeypatch.setattr(news.News, "spread", lambda *_: None)
    await other.writer.submit(job(one_more))
    await one.writer.delete(Deletion(encounter="enc_a", render=lambda head: Reply(204, {}, b"")))

    with pytest.raises(NotFound):
        await other.writer.submit(job(one_more))

    with pytest.raises(NotFound):
        await other.store.live("enc_a")
    assert verify(migrated_postgres_url).findings == ()


async def test_news_reach_who_waits_elsewhere(two: Two) -> None:
    one, other = two
    channel = other.hub.follow("enc_a")
    await channel.after(3, "gm", timeout=0)
    times = []
    for number in range(10):
        waiting = asyncio.create_task(channel.after(3 + number, "public", timeout=5))
        await asyncio.sleep(0.02)
        begun = time.monotonic()
        await one.writer.submit(job(noted("x")))
        told = await waiting
        times.append(time.monotonic() - begun)
        assert [entry.seq for entry in told[0].entries] == [4 + number]
    assert sorted(times)[5] < 0.5, times


async def test_lost_news_cost_a_second(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two
    monkeypatch.setattr(news.News, "spread", lambda *_: None)
    channel = other.hub.follow("enc_a")
    await channel.after(3, "gm", timeout=0)
    waiting = asyncio.create_task(channel.after(3, "gm", timeout=10))

    await one.writer.submit(job(noted("x")))
    await one.writer.submit(job(noted("y")))

    assert len(await waiting) == 2


async def test_readers_on_both_miss_nothing(two: Two) -> None:
    async def reader(database: Database) -> list[int]:
        channel = database.hub.follow("enc_a")
        numbers: list[int] = []
        while len(numbers) < 120:
            for told in await channel.after(3 + len(numbers), "gm", timeout=1):
                numbers += [entry.seq for entry in told.entries]
        return numbers

    async def play(database: Database) -> None:
        for _ in range(30):
            await database.writer.submit(job(noted("x"), noted("y")))

    reading = [asyncio.create_task(reader(database)) for database in two for _ in range(5)]
    await asyncio.gather(*(play(database) for database in two))

    for numbers in await asyncio.gather(*reading):
        assert numbers == list(range(4, 124))


async def test_due_decisions_go_to_one_of_both(two: Two, clock: Clock) -> None:
    await two[0].writer.submit(doing(asking(hurt(2), expires_at=clock.now)))

    found = await asyncio.gather(*(database.writer.due_decisions() for database in two for _ in range(5)))

    assert sum(len(due) for due in found) == 1


def end_writers(url: str) -> None:
    """End the connections of all writers, as a server that goes away does."""
    with psycopg.connect(plain_url(url), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = 'turnwright writer' AND datname = current_database()"
        )


async def test_a_lost_commit_that_did_not_happen_is_unknown(two: Two, migrated_postgres_url: str) -> None:
    one, _ = two
    await one.writer.submit(job(one_more))

    def cut() -> None:
        failpoints.armed.clear()
        end_writers(migrated_postgres_url)

    failpoints.armed["before_commit"] = cut
    with pytest.raises(UnknownOutcome):
        await one.writer.submit(job(one_more, once=once("k")))

    retry = await one.writer.submit(job(one_more, once=once("k")))
    assert not retry.replayed
    assert (await one.store.live("enc_a")).head.version == 3


@pytest.mark.parametrize("key", [None, "k"])
async def test_a_lost_commit_that_happened_is_found(two: Two, migrated_postgres_url: str, key: str | None) -> None:
    one, _ = two
    await one.writer.submit(job(one_more))

    def cut() -> None:
        failpoints.armed.clear()
        end_writers(migrated_postgres_url)
        # What the thread meets when the acknowledgement does not arrive.
        for hand in hands:
            if hand._connection is not None:
                hand._connection.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    writer = one.writer
    assert isinstance(writer, PostgresWriter)
    hands = [thread._target.__self__ for thread in writer._threads]  # type: ignore[attr-defined]
    failpoints.armed["after_commit"] = cut

    reply = await one.writer.submit(job(one_more, once=None if key is None else once(key)))

    assert (reply.status, reply.replayed) == (201, False)
    assert (await one.store.live("enc_a")).head.version == 3


async def test_connections_cut_in_between_are_opened_again(two: Two, migrated_postgres_url: str) -> None:
    one, _ = two
    for _ in range(3):
        end_writers(migrated_postgres_url)
        tries = (one.writer.submit(job(one_more, once=once("k"))) for _ in range(3))
        await asyncio.gather(*tries, return_exceptions=True)
        assert (await one.writer.submit(job(one_more))).status == 201


async def test_a_foreign_lock_is_busy_within_six_seconds(two: Two, migrated_postgres_url: str) -> None:
    one, _ = two
    await one.store.live("enc_a")
    with psycopg.connect(plain_url(migrated_postgres_url)) as connection:
        connection.execute("SELECT * FROM encounter FOR UPDATE")
        begun = time.monotonic()
        with pytest.raises(Busy):
            await one.writer.submit(job(one_more))
        assert time.monotonic() - begun < 6

    await one.writer.submit(job(one_more))


async def test_a_server_that_is_not_there_is_busy(
    migrated_postgres_url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody(url: str) -> None:
        raise psycopg.OperationalError("connection refused")

    monkeypatch.setattr("app.persistence.postgres.connect", nobody)
    async with open_database(migrated_postgres_url, clock=clock) as database:
        with pytest.raises(Busy):
            await database.writer.submit(job(one_more))


@pytest.mark.parametrize(("setting", "kept"), [("off", "on"), ("local", "on"), ("on", "on"), ("remote_apply",) * 2])
def test_the_writer_waits_for_the_disk_whatever_the_server_is_set_to(
    migrated_postgres_url: str, setting: str, kept: str
) -> None:
    url = plain_url(migrated_postgres_url)
    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = {setting}'.encode())

    with connect(url) as writing:
        assert writing.execute("SHOW synchronous_commit").fetchone() == (kept,)


async def test_decide_may_run_more_than_once_and_answers_once(two: Two) -> None:
    one, other = two
    await other.store.live("enc_a")
    await one.writer.submit(job(one_more))
    runs: list[int] = []

    def decide(live: Live) -> object:
        runs.append(live.head.version)
        return doing(asking(hurt(5))).decide(live)

    reply = await other.writer.submit(Job(encounter="enc_a", decide=decide))  # type: ignore[arg-type]

    assert runs == [1, 2]
    assert reply.body.startswith(b'{"version":3')
