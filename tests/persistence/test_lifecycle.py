"""Encounters made, listed and deleted; everything else that is written; what is done when nobody waits."""

from pathlib import Path

import msgspec
import pytest
from sqlalchemy import Connection, func, insert, select

from app.engine.reasons import BadAnswer
from app.persistence.cache import Cache
from app.persistence.database import Database, open_database
from app.persistence.housekeeping import Housekeeping
from app.persistence.tables import campaign, event, idempotency, part, purge, snapshot
from app.persistence.verify import verify
from app.persistence.work import Deletion, Head, KeyReused, NotFound, Once, Reply, Stale
from tests.persistence.fights import CAMPAIGN, asking, create, creation, doing, job, noted, once, one_more
from tests.support.clock import Clock


def gone(head: Head) -> Reply:
    return Reply(204, {"X-Was": str(head.version)}, b"")


async def test_a_new_encounter_is_version_one(database: Database, clock: Clock) -> None:
    reply = await database.writer.create(creation(ground=True, facts=True))

    live = await database.store.live("enc_a")
    assert msgspec.json.decode(reply.body)["version"] == 1
    assert (live.head.version, live.head.seq, live.head.created_at) == (1, 5, clock.now)
    assert live.head.seed == b"\1" * 32
    assert live.head.status == "setup"


async def test_making_one_is_repeated_under_its_key(database: Database) -> None:
    first = await database.writer.create(creation("enc_a", once=once("k")))

    again = await database.writer.create(creation("enc_b", once=once("k")))

    assert again.body == first.body
    assert again.replayed
    with pytest.raises(NotFound):
        await database.store.live("enc_b")


async def test_a_campaign_that_is_not_there_gets_no_encounter(database: Database) -> None:
    with pytest.raises(NotFound):
        await database.writer.create(msgspec.structs.replace(creation(), campaign_id="cmp_nowhere"))


async def test_encounters_are_listed_in_pages_newest_first(database: Database) -> None:
    for name in ("enc_a", "enc_b", "enc_c"):
        await create(database, name)

    page = await database.store.encounters(CAMPAIGN, limit=2)
    rest = await database.store.encounters(CAMPAIGN, before=page[-1].id, limit=2)

    assert [head.public_id for head in (*page, *rest)] == ["enc_c", "enc_b", "enc_a"]
    assert await database.store.encounters("cmp_other") == []


async def test_a_deleted_encounter_is_gone_for_everybody_at_once(database: Database) -> None:
    await create(database)
    await database.writer.submit(doing(asking(noted("x"), expires_at=1)))

    with pytest.raises(Stale):
        await database.writer.delete(Deletion(encounter="enc_a", render=gone, if_match=1))
    reply = await database.writer.delete(Deletion(encounter="enc_a", render=gone, once=once("k")))
    again = await database.writer.delete(Deletion(encounter="enc_a", render=gone, once=once("k")))

    assert (reply.headers, again.headers, again.replayed) == ({"X-Was": "2"}, {"X-Was": "2"}, True)
    with pytest.raises(NotFound):
        await database.store.live("enc_a")
    with pytest.raises(NotFound):
        await database.writer.submit(job(one_more))
    with pytest.raises(NotFound):
        await database.writer.delete(Deletion(encounter="enc_a", render=gone))
    assert list(await database.writer.due_decisions()) == []


async def test_its_rows_go_in_small_steps(database: Database, clock: Clock, url: str) -> None:
    await create(database)
    for _ in range(3):
        await database.writer.submit(job(*[noted("x")] * 100))
    await database.writer.delete(Deletion(encounter="enc_a", render=gone))
    chores = Housekeeping(Cache())

    steps = 0
    while await database.writer.execute(lambda connection: chores.step(connection, clock.now)):
        steps += 1

    def left(connection: Connection) -> list[int]:
        tables = (event, part, snapshot, purge)
        return [connection.execute(select(func.count()).select_from(table)).scalar_one() for table in tables]

    assert steps > 3
    assert await database.store.read(left) == [0, 0, 0, 0]
    assert verify(url).findings == ()


async def test_other_rows_are_written_whole_or_not_at_all(database: Database) -> None:
    def two(connection: Connection) -> int:
        connection.execute(insert(campaign).values(id="cmp_b", name="b", created_at=1))
        return 7

    def broken(connection: Connection) -> None:
        connection.execute(insert(campaign).values(id="cmp_c", name="c", created_at=1))
        raise BadAnswer("no", "/")

    assert await database.writer.execute(two) == 7
    with pytest.raises(BadAnswer):
        await database.writer.execute(broken)

    names = await database.store.read(lambda found: found.execute(select(campaign.c.id).order_by("id")).scalars().all())
    assert list(names) == ["cmp_b", CAMPAIGN]


async def test_other_rows_are_written_once_under_a_key(database: Database) -> None:
    def work(connection: Connection) -> Reply:
        connection.execute(insert(campaign).values(id="cmp_b", name="b", created_at=1))
        return Reply(201, {"Location": "/"}, b"made")

    first = await database.writer.execute_once(work, once("k"))
    again = await database.writer.execute_once(work, once("k"))

    assert (first.body, again.body, again.headers, again.replayed) == (b"made", b"made", {"Location": "/"}, True)
    with pytest.raises(KeyReused):
        await database.writer.execute_once(work, once("k", b"other"))


async def test_a_key_is_forgotten_after_two_days(database: Database, clock: Clock) -> None:
    await create(database)
    await database.writer.submit(job(one_more, once=once("k")))
    clock.now += 48 * 3600 * 1000
    kept = await database.writer.submit(job(one_more, once=once("k")))
    clock.now += 1

    fresh = await database.writer.submit(job(one_more, once=once("k", b"another body")))

    assert kept.replayed
    assert not fresh.replayed


async def test_old_keys_are_swept_out(database: Database, clock: Clock) -> None:
    await create(database)
    for number in range(3):
        await database.writer.submit(job(one_more, once=once(f"old{number}")))
    clock.now += 48 * 3600 * 1000 + 1
    await database.writer.submit(job(one_more, once=once("new")))

    chores = Housekeeping(Cache())
    await database.writer.execute(lambda connection: chores.step(connection, clock.now))

    keys = await database.store.read(lambda found: found.execute(select(idempotency.c.key)).scalars().all())
    assert list(keys) == ["new"]


async def test_snapshots_are_taken_now_and_then_and_old_states_found_with_and_without(url: str, clock: Clock) -> None:
    async with open_database(url, clock=clock) as database:
        from tests.persistence.fights import add_campaign

        await database.writer.execute(add_campaign)
        await create(database)
        for _ in range(300):
            await database.writer.submit(job(one_more))
        live = await database.store.live("enc_a")
        without = [(await database.store.moment("enc_a", version)).state for version in (5, 290, 301)]
        cache = Cache()
        cache.put(live)
        chores = Housekeeping(cache)
        while await database.writer.execute(lambda connection: chores.step(connection, clock.now)):
            pass
        taken = await database.store.read(lambda found: found.execute(select(snapshot.c.version)).scalars().all())
        await database.writer.submit(job(one_more))

        assert sorted(taken) == [0, 301]
        assert [(await database.store.moment("enc_a", version)).state for version in (5, 290, 301)] == without
        assert (await database.store.moment("enc_a", 302)).state == (await database.store.live("enc_a")).state
    assert verify(url).findings == ()


@pytest.mark.parametrize("key", ["ключ", "a" * 255, "'; DROP TABLE event; --"])
async def test_keys_may_be_any_text(database: Database, key: str) -> None:
    await create(database)
    mine = Once("tok", key, b"x" * 32)

    await database.writer.submit(job(one_more, once=mine))

    assert (await database.writer.submit(job(one_more, once=mine))).replayed


async def test_a_backup_is_whole_and_opens(sqlite_url: str, clock: Clock, tmp_path: Path) -> None:
    from app.persistence.backup import backup
    from tests.persistence.fights import add_campaign

    target = tmp_path / "copy.sqlite3"
    async with open_database(sqlite_url, clock=clock) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        await database.writer.submit(job(one_more))

        backup(sqlite_url, target)

        await database.writer.submit(job(one_more))
    with pytest.raises(FileExistsError):
        backup(sqlite_url, target)
    copy = f"sqlite:///{target}"
    assert verify(copy).findings == ()
    async with open_database(copy, clock=clock) as database:
        assert (await database.store.live("enc_a")).head.version == 2
        await database.writer.submit(job(one_more))
