"""The writer: one version a command, whole or not at all, on both databases."""

import asyncio

import pytest

from app.engine.reasons import BadAnswer
from app.persistence.database import Database
from app.persistence.work import KeyReused, Live, NotFound, Stale
from tests.persistence.fights import ANN, create, hurt, job, noted, once, one_more


async def test_a_command_is_one_version_and_is_read_back(database: Database) -> None:
    await create(database)

    reply = await database.writer.submit(job(hurt(3), noted("ouch")))

    live = await database.store.live("enc_a")
    assert reply.status == 201
    assert reply.body == b'{"version":2,"types":["pool_changed","noted"]}'
    assert (live.head.version, live.head.seq, live.head.commands) == (2, 5, 1)
    assert live.state.combatants[ANN].pools["wounds"] == 3
    entries = await database.store.log("enc_a", "gm", after=3)
    assert [(entry.seq, entry.version, entry.type) for entry in entries] == [(4, 2, "pool_changed"), (5, 2, "noted")]


async def test_what_is_submitted_together_is_all_done_in_some_order(database: Database) -> None:
    await create(database)

    replies = await asyncio.gather(*(database.writer.submit(job(one_more)) for _ in range(20)))

    live = await database.store.live("enc_a")
    assert live.state.combatants[ANN].pools["wounds"] == 20
    assert live.head.version == 21
    assert len({reply.body for reply in replies}) == 20


async def test_of_many_with_one_version_one_wins_and_the_others_learn_the_new_one(database: Database) -> None:
    await create(database)

    tries = [database.writer.submit(job(one_more, if_match=1)) for _ in range(10)]
    done = await asyncio.gather(*tries, return_exceptions=True)

    lost = [result for result in done if isinstance(result, Stale)]
    assert len(lost) == 9
    assert {stale.current for stale in lost} == {2}


async def test_a_player_compares_with_his_own_count(database: Database) -> None:
    await create(database)
    await database.writer.submit(job(noted("hidden", audience="gm")))

    reply = await database.writer.submit(job(hurt(), if_match=3, audience="public"))

    assert reply.status == 201
    with pytest.raises(Stale) as stale:
        await database.writer.submit(job(hurt(), if_match=3, audience="public"))
    assert stale.value.current == 4


async def test_a_retry_gets_the_same_bytes_and_does_nothing(database: Database) -> None:
    await create(database)
    first = await database.writer.submit(job(one_more, once=once("k"), if_match=1))

    again = await database.writer.submit(job(one_more, once=once("k"), if_match=1))

    assert (again.status, again.headers, again.body) == (first.status, first.headers, first.body)
    assert (first.replayed, again.replayed) == (False, True)
    assert (await database.store.live("enc_a")).head.version == 2


async def test_one_key_many_times_at_once_is_one_command(database: Database) -> None:
    await create(database)

    replies = await asyncio.gather(*(database.writer.submit(job(one_more, once=once("k"))) for _ in range(20)))

    assert len({reply.body for reply in replies}) == 1
    assert sum(not reply.replayed for reply in replies) == 1
    assert (await database.store.live("enc_a")).state.combatants[ANN].pools["wounds"] == 1


async def test_a_key_is_for_one_request_and_one_token(database: Database) -> None:
    await create(database)
    await database.writer.submit(job(one_more, once=once("k", b"one")))

    with pytest.raises(KeyReused):
        await database.writer.submit(job(one_more, once=once("k", b"other")))
    reply = await database.writer.submit(job(one_more, once=once("k", b"other", token="tok_player")))

    assert not reply.replayed


async def test_a_job_that_fails_answers_for_itself_alone(database: Database) -> None:
    await create(database)
    await create(database, "enc_b")

    def fails(live: Live) -> list[object]:
        raise BadAnswer("die_out_of_range", "/dice/0")

    done = await asyncio.gather(
        database.writer.submit(job(one_more)),
        database.writer.submit(job(fails, once=once("bad"))),  # type: ignore[arg-type]
        database.writer.submit(job(one_more, encounter="enc_b")),
        database.writer.submit(job(one_more, encounter="enc_nowhere")),
        return_exceptions=True,
    )

    assert isinstance(done[1], BadAnswer)
    assert isinstance(done[3], NotFound)
    assert (await database.store.live("enc_a")).head.version == 2
    assert (await database.store.live("enc_b")).head.version == 2
    # A refusal is not stored under its key.
    assert not (await database.writer.submit(job(one_more, once=once("bad")))).replayed
