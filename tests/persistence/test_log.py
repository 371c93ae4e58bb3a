"""The log in pages, by the reader's own count, and the news of commits."""

import asyncio
import random
from collections.abc import Sequence

import pytest

from app.persistence.database import Database
from app.persistence.hub import LiveHub
from app.persistence.work import Ahead, Audience, Deletion, Entry, Head, NotFound, Reply, Told
from tests.persistence.fights import create, job, noted

AUDIENCES: list[Audience] = ["gm", "public"]


async def filled(database: Database, seed: int, commands: int = 30) -> None:
    """A log in which hidden and open events are mixed at random."""
    chance = random.Random(seed)
    await create(database)
    for number in range(commands):
        audiences = [chance.choice(["all", "gm", "gm"]) for _ in range(chance.randint(1, 4))]
        await database.writer.submit(job(*(noted(f"{number}", audience=audience) for audience in audiences)))


@pytest.mark.parametrize("audience", AUDIENCES)
async def test_pages_in_both_directions_tell_the_whole_log_once(database: Database, audience: Audience) -> None:
    await filled(database, seed=7)
    every = await database.store.log("enc_a", "gm", limit=1000)
    mine = [entry for entry in every if audience == "gm" or entry.audience == "all"]

    for limit in (1, 3, 1000):
        forwards: list[Entry] = []
        while page := await database.store.log(
            "enc_a", audience, after=forwards[-1].number(audience) if forwards else 0, limit=limit
        ):
            forwards += page
        backwards: list[Entry] = []
        while page := await database.store.log(
            "enc_a", audience, before=backwards[-1].number(audience) if backwards else 10**9, limit=limit
        ):
            backwards += page
        assert forwards == mine
        assert backwards == mine[::-1]
    assert [entry.number(audience) for entry in mine] == list(range(1, len(mine) + 1))


async def test_every_cursor_gives_what_comes_after_it(database: Database) -> None:
    await filled(database, seed=11, commands=15)
    every = await database.store.log("enc_a", "gm", limit=1000)
    public = [entry for entry in every if entry.audience == "all"]

    for number in range(len(public) + 1):
        assert await database.store.log("enc_a", "public", after=number, limit=1000) == public[number:]
    with pytest.raises(Ahead) as ahead:
        await database.store.log("enc_a", "public", after=len(public) + 1)
    assert ahead.value.current == len(public)
    with pytest.raises(NotFound):
        await database.store.log("enc_nowhere", "gm")


async def test_entries_carry_what_was_emitted(database: Database) -> None:
    await create(database)
    emitted = noted("psst", audience="gm")

    await database.writer.submit(job(emitted))

    (entry,) = await database.store.log("enc_a", "gm", after=3)
    assert entry.emitted == emitted
    assert entry.body == b'{"type":"noted","combatant":"cmb_ann","fact":"said","words":["psst"]}'


async def test_who_waits_hears_of_a_commit_and_of_nothing_hidden(database: Database) -> None:
    await create(database)
    channel = database.hub.follow("enc_a")
    gm = asyncio.create_task(channel.after(3, "gm", timeout=5))
    player = asyncio.create_task(channel.after(3, "public", timeout=0.3))
    await asyncio.sleep(0.02)

    await database.writer.submit(job(noted("psst", audience="gm")))

    assert [told.version for told in await gm] == [2]
    assert list(await player) == []


async def test_a_channel_gives_what_is_already_there_at_once(database: Database) -> None:
    await filled(database, seed=3, commands=5)
    every = await database.store.log("enc_a", "public", limit=1000)

    news = await database.hub.follow("enc_a").after(2, "public", timeout=5)

    assert [entry for told in news for entry in told.entries] == every[2:]


async def test_a_cursor_beyond_the_log_is_told(database: Database) -> None:
    await create(database)

    with pytest.raises(Ahead) as ahead:
        await database.hub.follow("enc_a").after(4, "gm", timeout=5)

    assert ahead.value.current == 3


@pytest.mark.parametrize("audience", AUDIENCES)
async def test_readers_that_come_and_go_miss_nothing(database: Database, audience: Audience) -> None:
    await create(database)
    channel = database.hub.follow("enc_a")
    chance = random.Random(5)
    is_over = False

    async def reader(after: int) -> list[int]:
        numbers: list[int] = []
        while not is_over or len(numbers) + after < await total():
            news = await channel.after(after + len(numbers), audience, timeout=0.05, limit=chance.choice([1, 5, 200]))
            numbers += [entry.number(audience) for told in news for entry in told.for_(audience)]
            if chance.random() < 0.3:
                await asyncio.sleep(chance.random() / 50)
        return numbers

    async def total() -> int:
        head = await database.store.head("enc_a")
        return head.seq if audience == "gm" else head.public_seq

    readers = [asyncio.create_task(reader(chance.randint(0, 3))) for _ in range(20)]
    for _ in range(100):
        audiences = [chance.choice(["all", "gm"]) for _ in range(chance.randint(1, 3))]
        await database.writer.submit(job(*(noted("x", audience=one) for one in audiences)))
    is_over = True

    count = await total()
    for numbers in await asyncio.gather(*readers):
        assert numbers == list(range(numbers[0], count + 1))


async def test_renderings_are_shared_by_those_who_are_up_to_date(database: Database) -> None:
    await create(database)
    channel = database.hub.follow("enc_a")
    waiting = [asyncio.create_task(channel.after(3, audience, timeout=5)) for audience in AUDIENCES]
    await asyncio.sleep(0.02)
    await database.writer.submit(job(noted("psst", audience="gm"), noted("aloud")))

    heard: list[Told] = [news[0] for news in await asyncio.gather(*waiting)]
    cut = (await channel.after(4, "gm", timeout=1))[0]

    assert heard[0] is heard[1]
    assert cut is not heard[0]
    assert [entry.seq for entry in cut.entries] == [5]


async def test_the_tail_is_bounded_and_who_is_behind_it_reads_the_log(database: Database) -> None:
    await create(database)
    channel = database.hub.follow("enc_a")
    await channel.after(3, "gm", timeout=0)
    for _ in range(100):
        await database.writer.submit(job(noted("x")))

    news = await channel.after(3, "gm", timeout=1, limit=7)
    late = await channel.after(100, "gm", timeout=1)

    assert [told.version for told in news] == [2, 3, 4, 5, 6, 7, 8]
    assert [told.version for told in late] == [99, 100, 101]


async def test_a_deleted_encounter_ends_its_channel(database: Database) -> None:
    await create(database)
    waiting = asyncio.create_task(database.hub.follow("enc_a").after(3, "gm", timeout=5))
    await asyncio.sleep(0.02)

    await database.writer.delete(Deletion(encounter="enc_a", render=lambda head: Reply(204, {}, b"")))

    with pytest.raises(NotFound):
        await waiting


async def test_of_a_crowd_everybody_hears_everything(database: Database) -> None:
    await create(database)
    channel = database.hub.follow("enc_a")

    async def reader() -> list[int]:
        numbers: list[int] = []
        while len(numbers) < 10:
            # Far less than the hub's own look at the database would take.
            news = await asyncio.wait_for(channel.after(3 + len(numbers), "gm", timeout=60), 10)
            numbers += [entry.seq for told in news for entry in told.entries]
        return numbers

    readers = [asyncio.create_task(reader()) for _ in range(100)]
    await asyncio.sleep(0.02)
    for number in range(10):
        await database.writer.submit(job(noted("x")))
        await asyncio.sleep(0.003 * (number % 3))

    assert await asyncio.gather(*readers) == [list(range(4, 14))] * 100


async def test_a_closing_hub_keeps_nobody_waiting(database: Database) -> None:
    await create(database)
    waiting = [asyncio.create_task(database.hub.follow("enc_a").after(3, "gm", timeout=60)) for _ in range(30)]
    await asyncio.sleep(0.02)

    database.hub.close()

    assert [list(news) for news in await asyncio.wait_for(asyncio.gather(*waiting), 1)] == [[]] * 30


SOON_S, NEVER_S = 5, 30
"""Who is woken hears at once; who is not hears when his time is up."""


async def test_who_waits_is_woken(database: Database) -> None:
    await create(database)
    channel = database.hub.follow("enc_a")
    await channel.after(3, "gm", timeout=0)
    for number in range(3, 6):
        waiting = asyncio.create_task(channel.after(number, "gm", timeout=NEVER_S))
        await asyncio.sleep(0.05)

        await database.writer.submit(job(noted("x")))

        async with asyncio.timeout(SOON_S):
            assert [entry.seq for told in await waiting for entry in told.entries] == [number + 1]


async def test_who_hears_of_it_between_looking_and_waiting_does_not_wait(database: Database) -> None:
    """While he reads where the log ends, another comes to its end before him, and then something happens."""
    await create(database)
    channel = database.hub.follow("enc_a")
    hub = database.hub
    assert isinstance(hub, LiveHub)
    store, looked = database.store, list[Head]()

    class Late:
        """A log whose first answer is old when it comes."""

        async def head(self, encounter: str) -> Head:
            found = await store.head(encounter)
            looked.append(found)
            if len(looked) == 1:
                await channel.after(3, "gm", timeout=0)
                await database.writer.submit(job(noted("x")))
            return found

        async def log(
            self, encounter: str, audience: Audience, *, after: int = 0, before: int | None = None, limit: int = 200
        ) -> Sequence[Entry]:
            return await store.log(encounter, audience, after=after, before=before, limit=limit)

    hub.attach(Late())
    async with asyncio.timeout(SOON_S):
        told = await channel.after(3, "gm", timeout=NEVER_S)

    assert [entry.seq for one in told for entry in one.entries] == [4]
    assert len(looked) == 2
