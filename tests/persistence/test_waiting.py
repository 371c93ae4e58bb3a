"""Commands that wait, answers, rewinds: also across a restart and into the middle of a pause."""

import msgspec
import pytest
from msgspec.structs import replace

from app.engine import events as ev
from app.persistence.database import Database, open_database
from app.persistence.parts import whole
from app.persistence.verify import verify
from app.persistence.work import Change, Live, NotFound
from tests.persistence.fights import (
    ANN,
    ORC,
    SPY,
    add_campaign,
    asked_again,
    asking,
    combatant,
    create,
    creation,
    doing,
    hurt,
    job,
    noted,
    one_more,
    opened,
    rewound,
)
from tests.support.clock import Clock


def same(one: Live, other: Live) -> bool:
    """Whether two live encounters are alike to the byte."""
    encode = msgspec.json.encode
    return (
        encode(one.head) == encode(other.head)
        and whole(one.state) == whole(other.state)
        and encode(one.pending) == encode(other.pending)
        and (None if one.base is None else whole(one.base)) == (None if other.base is None else whole(other.base))
        and encode(one.decisions) == encode(other.decisions)
    )


async def test_a_waiting_command_survives_a_restart_with_the_state_it_started_from(url: str, clock: Clock) -> None:
    async with open_database(url, clock=clock) as first:
        await first.writer.execute(add_campaign)
        await create(first, ground=True)
        await first.writer.submit(doing(asking(hurt(2), hurt(5, ORC))))
        await first.writer.submit(doing(asked_again(hurt(6, ORC))))
        before = await first.store.live("enc_a")

    async with open_database(url, clock=clock) as second:
        after = await second.store.live("enc_a")
        assert same(after, before)
        assert after.base is not None
        assert after.base.combatants[ORC].pools["wounds"] == 0
        assert after.base.scenery is after.state.scenery
        await second.writer.submit(job(noted("done")))
        assert (await second.store.live("enc_a")).pending is None

    assert verify(url).findings == ()


async def test_decisions_are_closed_as_it_is_said(database: Database) -> None:
    await create(database)
    await database.writer.submit(doing(asking(hurt(1))))
    opened = await database.store.decision("enc_a", "dec_1")
    await database.writer.submit(doing(asked_again(hurt(2))))
    await database.writer.submit(job(noted("cancelled")))

    answered = await database.store.decision("enc_a", "dec_1")
    withdrawn = await database.store.decision("enc_a", "dec_2")

    assert opened is not None
    assert (opened.status, opened.owner, opened.kind) == ("open", ORC, "defend")
    assert answered is not None
    assert answered.status == "answered"
    assert withdrawn is not None
    assert withdrawn.status == "withdrawn"
    assert await database.store.decision("enc_a", "dec_9") is None


async def test_a_moment_is_the_encounter_as_it_stood(database: Database) -> None:
    await create(database)
    lives = [await database.store.live("enc_a")]
    for change in (doing(asking(hurt(2))), doing(asked_again(hurt(3, ORC))), job(hurt(9)), job(hurt(1, ORC))):
        await database.writer.submit(change)
        lives.append(await database.store.live("enc_a"))

    for live in lives:
        moment = await database.store.moment("enc_a", live.head.version)
        assert same(
            live,
            Live(
                head=live.head,
                state=moment.state,
                pending=moment.pending,
                base=moment.base,
                decisions=moment.decisions,
            ),
        )
    for version in (0, 6):
        with pytest.raises(NotFound):
            await database.store.moment("enc_a", version)


async def test_a_rewind_into_a_pause_waits_again_for_the_same_answer(url: str, clock: Clock) -> None:
    async with open_database(url, clock=clock) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        await database.writer.submit(doing(asking(hurt(2))))
        paused = await database.store.live("enc_a")
        await database.writer.submit(doing(asked_again(hurt(3, ORC))))
        await database.writer.submit(job(hurt(7)))
        moment = await database.store.moment("enc_a", 2)

        await database.writer.submit(doing(rewound(moment)))

        live = await database.store.live("enc_a")
        assert (live.head.version, live.head.epoch) == (5, 1)
        assert whole(live.state) == whole(paused.state)
        assert live.base is not None
        assert paused.base is not None
        assert whole(live.base) == whole(paused.base)
        assert paused.pending is not None
        assert live.pending == replace(paused.pending, epoch=1)
        assert live.decisions == tuple(replace(one, opened_version=5) for one in paused.decisions)
        reopened = await database.store.decision("enc_a", "dec_1")
        assert reopened is not None
        assert reopened.status == "open"
        entries = await database.store.log("enc_a", "gm", after=live.head.seq - 2)
        assert [entry.type for entry in entries] == ["rewound", "decision_opened"]

    async with open_database(url, clock=clock) as database:
        assert same(await database.store.live("enc_a"), live)
        await database.writer.submit(doing(asked_again(hurt(4, ORC))))
    assert verify(url).findings == ()


async def test_a_rewind_takes_away_who_came_later_and_rewinds_may_go_past_rewinds(url: str, clock: Clock) -> None:
    async with open_database(url, clock=clock) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        await database.writer.submit(job(one_more))
        spy = combatant(SPY, hidden=True)
        await database.writer.submit(job(ev.Emitted(ev.Joined(spy), "gm"), one_more))
        await database.writer.submit(doing(rewound(await database.store.moment("enc_a", 2))))
        await database.writer.submit(job(one_more))
        other = combatant(SPY, name="Somebody else")
        await database.writer.submit(job(ev.Emitted(ev.Joined(other))))
        await database.writer.submit(doing(rewound(await database.store.moment("enc_a", 5))))
        await database.writer.submit(job(one_more))
        await database.writer.submit(doing(rewound(await database.store.moment("enc_a", 3))))
        wounds = []
        for version in range(1, 10):
            state = (await database.store.moment("enc_a", version)).state
            wounds.append((state.combatants[ANN].pools["wounds"], len(state.combatants)))
        live = await database.store.live("enc_a")

    assert wounds == [(0, 2), (1, 2), (2, 3), (1, 2), (2, 2), (2, 3), (2, 2), (3, 2), (2, 3)]
    assert live.head.epoch == 3
    async with open_database(url, clock=clock) as database:
        assert same(await database.store.live("enc_a"), live)
    assert verify(url).findings == ()


async def test_who_came_after_that_is_not_there_any_more_after_a_restart(url: str, clock: Clock) -> None:
    async with open_database(url, clock=clock) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        await database.writer.submit(job(ev.Emitted(ev.Joined(combatant(SPY)))))
        await database.writer.submit(doing(rewound(await database.store.moment("enc_a", 1))))

    assert verify(url).findings == ()
    async with open_database(url, clock=clock) as database:
        assert list((await database.store.live("enc_a")).state.combatants) == [ANN, ORC]


async def test_a_version_without_an_event_is_never_stored(database: Database) -> None:
    await create(database)

    def nothing(live: Live) -> Change:
        return Change(state=live.state, events=())

    with pytest.raises(Exception, match="without an event"):
        await database.writer.submit(doing(nothing))

    assert (await database.store.live("enc_a")).head.version == 1


async def test_due_decisions_are_given_to_one_caller_until_the_lease_is_over(database: Database, clock: Clock) -> None:
    await create(database)
    await create(database, "enc_b")
    await database.writer.submit(doing(asking(hurt(2), expires_at=clock.now + 1000)))
    await database.writer.submit(doing(asking(hurt(2)), "enc_b"))

    early = await database.writer.due_decisions()
    clock.now += 1000
    first = await database.writer.due_decisions(lease_ms=5000)
    second = await database.writer.due_decisions()
    clock.now += 5000
    third = await database.writer.due_decisions()
    await database.writer.submit(doing(asked_again(hurt(4, ORC))))
    clock.now += 50_000
    last = await database.writer.due_decisions()

    assert (list(early), list(second), list(last)) == ([], [], [])
    assert [(due.encounter, due.decision) for due in first] == [("enc_a", "dec_1")]
    assert list(third) == list(first)


async def test_a_fork_may_begin_in_the_middle_of_a_command(url: str, clock: Clock) -> None:
    async with open_database(url, clock=clock) as database:
        await database.writer.execute(add_campaign)
        await create(database)
        await database.writer.submit(doing(asking(hurt(2))))
        moment = await database.store.moment("enc_a", 2)
        assert moment.pending is not None
        decisions = tuple(replace(one, opened_version=1) for one in moment.decisions)
        change = Change(
            state=moment.state,
            events=(ev.Emitted(ev.Forked("enc_a", 2)), ev.Emitted(ev.EncounterSet()), *opened(decisions)),
            pending=replace(moment.pending, base_version=0),
            base=moment.base,
            decisions=decisions,
            commands=moment.pending.number,
        )
        fork = replace(creation("enc_fork"), origin=moment.state, change=change, settings='{"forked":true}')
        await database.writer.create(fork)
        made = await database.store.live("enc_fork")

    async with open_database(url, clock=clock) as database:
        assert same(await database.store.live("enc_fork"), made)
        await database.writer.submit(doing(asked_again(hurt(3, ORC)), "enc_fork"))
        assert (await database.store.live("enc_a")).head.version == 2
    assert verify(url).findings == ()
