"""What goes wrong while writing: others do not suffer, nothing is half done, what is known is what is stored."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from app.persistence import failpoints
from app.persistence.database import Database, open_database
from app.persistence.store import DatabaseStore
from app.persistence.verify import verify
from app.persistence.work import Change, Live
from app.persistence.writing import WriteFailed
from tests.persistence.fights import (
    ANN,
    add_campaign,
    asked_again,
    asking,
    changed,
    create,
    creation,
    doing,
    hurt,
    job,
    once,
    one_more,
    rewound,
)
from tests.support.clock import Clock


class Broken(Exception):
    """Raised at a failpoint."""


@pytest.fixture(autouse=True)
def nothing_armed() -> Iterator[None]:
    yield
    failpoints.armed.clear()


def armed(point: str, times: int = 1) -> None:
    """Fail at that place, so many times."""
    left = [times]

    def fail() -> None:
        if left[0] > 0:
            left[0] -= 1
            raise Broken(point)

    failpoints.armed[point] = fail


def unwritable(live: Live) -> Change:
    """No database takes half of a character pair."""
    return changed(live, *one_more(live), name="\ud800")


async def test_what_cannot_be_written_fails_alone(database: Database, url: str) -> None:
    for name in ("enc_a", "enc_b", "enc_c"):
        await create(database, name)

    async def good(encounter: str) -> None:
        for _ in range(5):
            await database.writer.submit(job(one_more, encounter=encounter))

    bad = [database.writer.submit(doing(unwritable)) for _ in range(5)]
    done = await asyncio.gather(good("enc_b"), good("enc_c"), *bad, return_exceptions=True)

    assert done[:2] == [None, None]
    assert all(isinstance(error, WriteFailed) for error in done[2:])
    assert [(await database.store.live(name)).head.version for name in ("enc_a", "enc_b", "enc_c")] == [1, 6, 6]
    # It is in quarantine, not dead.
    assert (await database.writer.submit(job(one_more))).status == 201
    assert verify(url).findings == ()


COMMANDS: dict[str, Callable[[Database], object]] = {
    "simple": lambda database: database.writer.submit(job(one_more, once=once("k"))),
    "opening": lambda database: database.writer.submit(doing(asking(hurt(3)), once=once("k"))),
    "creating": lambda database: database.writer.create(creation("enc_new", once=once("k"))),
}


@pytest.mark.parametrize("point", ["after_state", "after_events", "before_commit"])
@pytest.mark.parametrize("command", COMMANDS)
async def test_failing_before_the_commit_leaves_nothing(
    database: Database, url: str, clock: Clock, point: str, command: str
) -> None:
    await create(database)
    armed(point, times=10)

    with pytest.raises((Broken, WriteFailed)):
        await COMMANDS[command](database)  # type: ignore[misc]
    failpoints.armed.clear()

    assert (await database.store.live("enc_a")).head.version == 1
    assert verify(url).findings == ()
    reply = await COMMANDS[command](database)  # type: ignore[misc]
    assert not reply.replayed
    assert verify(url).findings == ()


@pytest.mark.parametrize("point", ["after_state", "after_events", "before_commit"])
async def test_a_batch_that_fails_once_is_done_one_by_one(database: Database, point: str) -> None:
    await create(database)
    armed(point)

    await asyncio.gather(*(database.writer.submit(job(one_more)) for _ in range(10)))

    live = await database.store.live("enc_a")
    assert (live.head.version, live.state.combatants[ANN].pools["wounds"]) == (11, 10)


async def test_every_kind_of_change_is_whole_after_failures_in_between(url: str, clock: Clock) -> None:
    async with open_database(url, clock=clock) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        steps: list[Callable[[Live], Change]] = [
            asking(hurt(1)),
            asked_again(hurt(2)),
            lambda live: changed(live, hurt(3)),
        ]
        for point in ("after_state", "after_events", "before_commit", "after_events"):
            change = steps.pop(0) if steps else rewound(await database.store.moment("enc_a", 2))
            armed(point, times=10)
            with pytest.raises(WriteFailed):
                await database.writer.submit(doing(change))
            failpoints.armed.clear()
            await database.writer.submit(doing(change))
        version = (await database.store.live("enc_a")).head.version

    assert version == 5
    assert verify(url).findings == ()
    async with open_database(url, clock=clock) as database:
        assert (await database.store.live("enc_a")).pending is not None


async def test_nothing_is_known_or_answered_before_it_is_committed(database: Database) -> None:
    await create(database)
    await database.store.live("enc_a")
    store = database.store
    assert isinstance(store, DatabaseStore)
    seen: list[tuple[int, bool]] = []

    def look() -> None:
        known = store._cache.get("enc_a")
        assert known is not None
        seen.append((known.head.version, answer.done()))

    failpoints.armed["before_commit"] = failpoints.armed["after_commit"] = look
    answer = asyncio.create_task(database.writer.submit(job(one_more)))
    await answer

    assert seen == [(1, False), (1, False)]
    assert (await store.live("enc_a")).head.version == 2
