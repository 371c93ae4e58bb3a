"""What is sent, when, in which order and by whom, on a clock that a test moves and on both databases."""

import asyncio
import itertools
import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select, update

from app.persistence import webhooks
from app.persistence.cache import Cache
from app.persistence.housekeeping import OUTBOX_MS, Housekeeping
from app.persistence.tables import outbox, webhook, webhook_delivery
from app.services import encounters
from app.services.caller import Attempt
from app.services.webhooks import fanout
from app.services.webhooks.sending import Answer
from tests.services.game import GM, WATCHER
from tests.webhooks.conftest import PAUSES, Round

ONE, TWO = "https://one.example.org/", "https://two.example.org/"


async def rows(walk: Round, *columns: Any) -> list[Any]:
    query = select(*columns).select_from(webhook_delivery).order_by(webhook_delivery.c.id)
    return await walk.game.service.store.read(lambda connection: list(connection.execute(query)))


async def left_in_outbox(walk: Round) -> int:
    query = select(func.count()).select_from(outbox)
    return await walk.game.service.store.read(lambda connection: connection.execute(query).scalar_one())


async def test_every_event_comes_once_and_as_the_log_has_it(walk: Round) -> None:
    await walk.hook("one")
    await walk.hook("two", audience="gm", language="ru")
    lurker = {"sample": "orc", "side": "red", "external_ref": "lurker", "hidden": True}
    await walk.game.duel(lurker, *people())
    await walk.game.act(GM, "ref:ann", "end_turn")
    await walk.go()

    assert walk.events_to(ONE) == await walk.game.whole_log(WATCHER)
    assert walk.events_to(TWO) == await walk.game.whole_log(msgspec.structs.replace(GM, language="ru"))
    assert len(walk.events_to(TWO)) > len(walk.events_to(ONE))
    assert await left_in_outbox(walk) == 0


def people() -> list[dict[str, Any]]:
    return [
        {"sample": "ann", "side": "blue", "external_ref": "ann"},
        {"sample": "orc", "side": "red", "external_ref": "orc"},
    ]


async def test_what_nobody_may_see_sends_nothing_and_names_nobody(walk: Round) -> None:
    await walk.hook("one")
    await walk.hook("two", audience="gm")
    await walk.game.duel()
    await walk.go()
    before = len(walk.to(ONE)), len(walk.to(TWO))
    await walk.game.add({"sample": "orc", "side": "red", "name": "Xyzzy", "external_ref": "xyzzy", "hidden": True})
    await walk.go()

    assert len(walk.to(ONE)) == before[0]
    assert len(walk.to(TWO)) == before[1] + 1
    assert not any(b"xyzzy" in body.lower() for _, to, _, body in walk.post.sent if to == ONE)


async def test_one_command_is_one_message_with_its_encounter_and_campaign(walk: Round) -> None:
    await walk.hook("one")
    view = await walk.game.create()
    await walk.go()

    ((_, _, message, body),) = walk.post.sent
    told = json.loads(body)
    assert message.startswith("msg_")
    assert told["type"] == "encounter.events"
    assert told["data"]["campaign"] == view["campaign"]
    assert told["data"]["encounter"] == view["id"]
    assert len(told["data"]["events"]) > 1


async def test_only_the_wanted_encounter_and_the_wanted_types_are_sent(walk: Round) -> None:
    await walk.game.create()
    first = walk.game.encounter
    await walk.go()
    await walk.hook("one", encounter=first)
    await walk.hook("two", events='["turn_began","round_began"]')
    await walk.game.duel()
    second = walk.game.encounter
    walk.game.encounter = first
    await walk.game.start()
    await walk.go()

    assert {json.loads(body)["data"]["encounter"] for _, to, _, body in walk.post.sent if to == ONE} == {first}
    got = {(json.loads(body)["data"]["encounter"], event["type"]) for _, to, _, body in walk.post.sent
           for event in json.loads(body)["data"]["events"] if to == TWO}  # fmt: skip
    assert {kind for _, kind in got} == {"turn_began", "round_began"}
    assert second in {name for name, _ in got}


async def test_what_happened_before_is_not_sent(walk: Round) -> None:
    await walk.game.create()
    walk.clock.now += 10
    await walk.hook("one", since=walk.clock.now)
    await walk.go()
    assert walk.post.sent == []
    walk.clock.now += 10
    await walk.game.start()
    await walk.go()
    assert walk.events_to(ONE)[0]["type"] == "encounter_started"


async def test_ten_tries_as_planned_with_one_id_and_then_it_is_disabled(walk: Round) -> None:
    name = await walk.hook("one")
    walk.post.answers[ONE] = Answer(500)
    await walk.game.create()
    begun = walk.clock.now
    while True:
        await walk.courier.round()
        await walk.courier.settle()
        found = await rows(walk, webhook_delivery.c.next_at, webhook_delivery.c.status)
        if found[0].next_at is None:
            break
        walk.clock.now = found[0].next_at

    tries = walk.to(ONE)
    assert len(tries) == 10
    assert len({message for _, message in tries}) == 1
    gaps = [(later - earlier) / 1000 for (earlier, _), (later, _) in itertools.pairwise(tries)]
    for gap, planned in zip(gaps, PAUSES, strict=True):
        assert planned <= gap <= planned * 1.1
    assert 75 * 3600 < (tries[-1][0] - begun) / 1000 < 84 * 3600
    query = select(webhook.c.enabled, webhook.c.disabled_reason).where(webhook.c.id == name)
    row = await walk.game.service.store.read(lambda connection: connection.execute(query).one())
    assert tuple(row) == (False, "failing")
    assert found[0].status == "failed"


async def test_a_receiver_who_is_gone_is_left_alone_at_once(walk: Round) -> None:
    name = await walk.hook("one")
    walk.post.answers[ONE] = Answer(410)
    await walk.game.duel()
    await walk.go()

    assert len(walk.to(ONE)) == 1
    query = select(webhook.c.enabled, webhook.c.disabled_reason).where(webhook.c.id == name)
    row = await walk.game.service.store.read(lambda connection: connection.execute(query).one())
    assert tuple(row) == (False, "gone")


async def test_a_message_that_fails_holds_up_its_own_encounter_only(walk: Round) -> None:
    await walk.hook("one")
    await walk.game.create()
    first = walk.game.encounter
    walk.post.answers[ONE] = Answer(503)
    await walk.courier.round()
    await walk.courier.settle()
    del walk.post.answers[ONE]
    await walk.game.start()
    await walk.game.create()
    second = walk.game.encounter
    await walk.go()

    sent = [json.loads(body)["data"]["encounter"] for _, _, _, body in walk.post.sent]
    assert sent == [first, second]
    walk.clock.now += 6_000
    await walk.go()
    walk.game.encounter = first
    of_first = [told["data"]["events"] for told in map(_told, walk.post.sent) if told["data"]["encounter"] == first]
    again, *others = of_first[1:]
    assert of_first[0] == again
    assert [*again, *itertools.chain(*others)] == await walk.game.whole_log(WATCHER)


def _told(sent: tuple[int, str, str, bytes]) -> Any:
    return json.loads(sent[3])


async def test_two_couriers_send_each_message_once_and_in_order(walk: Round) -> None:
    await walk.hook("one")
    couriers = [walk.courier, *(walk.another() for _ in range(3))]
    await walk.game.duel()
    for _ in range(12):
        await walk.game.rule({"combatant": "ref:orc", "add_effect": {"id": "prone"}})
        for courier in couriers:
            courier._looked_at = -1000
        await asyncio.gather(*(courier.round() for courier in couriers))
    for _ in range(100):
        await asyncio.gather(*(courier.round() for courier in couriers))
        await asyncio.gather(*(courier.settle() for courier in couriers))

    assert len({message for _, message in walk.to(ONE)}) == len(walk.to(ONE))
    assert walk.events_to(ONE) == await walk.game.whole_log(WATCHER)


async def test_who_dies_between_sending_and_marking_has_sent_it_and_it_is_sent_again(walk: Round) -> None:
    await walk.hook("one")
    await walk.game.create()

    async def send(*given: object) -> Answer:
        await walk.post.send(*given)  # type: ignore[arg-type]
        raise asyncio.CancelledError

    dying = walk.another()
    dying._sender = type("Dying", (), {"send": staticmethod(send)})()
    await dying.round()
    await dying.settle()
    await walk.go()
    assert len(walk.to(ONE)) == 1, "the lease still holds"
    walk.clock.now += 31_000
    await walk.go()

    (_, first), (_, second) = walk.to(ONE)
    assert first == second
    assert [row.status for row in await rows(walk, webhook_delivery.c.status)] == ["delivered"]


async def test_a_late_mark_of_a_lost_lease_changes_nothing(walk: Round) -> None:
    await walk.hook("one")
    await walk.game.create()
    hold, sent = asyncio.Event(), asyncio.Event()

    async def send(*given: object) -> Answer:
        sent.set()
        await hold.wait()
        return Answer(500)

    slow = walk.another()
    slow._sender = type("Slow", (), {"send": staticmethod(send)})()
    await slow.round()
    await sent.wait()
    walk.clock.now += 31_000
    await walk.go()
    hold.set()
    await slow.settle()

    assert [tuple(row) for row in await rows(walk, webhook_delivery.c.status, webhook_delivery.c.tries)] == [
        ("delivered", 1)
    ]


async def test_a_receiver_that_hangs_keeps_its_own_places_only(walk: Round) -> None:
    for name in ("one", "two"):
        await walk.hook(name)
    for _ in range(12):
        await walk.game.create()
    hold = asyncio.Event()

    async def send(url: str, message: str, body: bytes, secrets: Sequence[str], at_ms: int) -> Answer:
        if url == ONE:
            await hold.wait()
        return await walk.post.send(url, message, body, secrets, at_ms)

    walk.courier._sender = type("Half", (), {"send": staticmethod(send)})()
    for _ in range(60):
        await walk.courier.round()
        await asyncio.sleep(0.01)

    assert len(walk.to(TWO)) == 12
    assert len(walk.courier._under_way) == 2
    hold.set()
    await walk.go()
    assert len(walk.to(ONE)) == 12


async def test_what_is_told_is_sent_while_there_is_more_to_tell(walk: Round, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fanout, "BATCH", 1)
    await walk.hook("one")
    await walk.game.create()
    for number in range(6):
        await walk.game.rule({"combatant": "ref:ann", "resource": "hits", "set": number})
    begun: list[int] = []
    step = walk.courier._fanout.step

    async def watched() -> bool:
        begun.append(len(walk.courier._under_way) + len(walk.post.sent))
        return await step()

    monkeypatch.setattr(walk.courier._fanout, "step", watched)
    await walk.courier.round()
    await walk.courier.settle()

    assert len(begun) > 6
    assert begun[-1] > 0, "nothing was sent before all was told"


async def test_ten_thousand_queued_are_no_burden(walk: Round) -> None:
    name = await walk.hook("one", enabled=False)
    await walk.game.create()
    many = [
        {
            "public_id": f"msg_q{number}", "webhook_id": name, "lane": f"enc_{number % 50}", "kind": "encounter.events",
            "encounter": f"enc_{number % 50}", "body": "{}", "status": "waiting", "tries": 0, "next_at": None,
            "created_at": walk.clock.now,
        }
        for number in range(10_000)
    ]  # fmt: skip
    await walk.game.service.writer.execute(lambda connection: connection.execute(webhook_delivery.insert(), many))
    await walk.game.service.writer.execute(lambda connection: webhooks.enable(connection, name, walk.clock.now))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    found = await walk.game.service.store.read(lambda connection: webhooks.due(connection, walk.clock.now, [], 2, 64))
    took = loop.time() - begun

    assert len(found) == 2
    assert took < 0.1


async def test_enabled_again_it_gets_what_was_waiting_and_nothing_of_the_meantime(walk: Round) -> None:
    name = await walk.hook("one")
    walk.post.answers[ONE] = Answer(None, "timeout")
    await walk.game.create()
    await walk.go()
    await walk.game.start()
    await walk.go()
    writer = walk.game.service.writer
    await writer.execute(lambda connection: webhooks.disable(connection, name, "failing", walk.clock.now))
    await walk.game.rule({"combatant": "ref:orc", "add_effect": {"id": "prone"}})
    walk.courier._looked_at = -1000
    await walk.go()
    before = len(walk.post.sent)
    walk.clock.now += 1000
    del walk.post.answers[ONE]
    await writer.execute(lambda connection: webhooks.enable(connection, name, walk.clock.now))
    await walk.go()

    kinds = [event["type"] for event in walk.events_to(ONE)]
    assert len(walk.post.sent) == before + 2
    assert "encounter_started" in kinds
    assert "ruled" not in kinds


async def test_an_encounter_may_go_while_its_news_waits(walk: Round) -> None:
    await walk.hook("one")
    await walk.game.create()
    gone = walk.game.encounter
    await encounters.delete(walk.game.service, GM, gone, Attempt())
    await walk.game.create()
    await walk.go()

    assert {json.loads(body)["data"]["encounter"] for _, _, _, body in walk.post.sent} == {walk.game.encounter}


async def test_old_messages_go_but_for_those_that_are_still_tried(walk: Round) -> None:
    name = await walk.hook("one")
    walk.post.answers[ONE] = Answer(500)
    await walk.game.create()
    await walk.go()
    late = walk.clock.now + OUTBOX_MS + 1
    chores = Housekeeping(Cache())
    writer = walk.game.service.writer

    await writer.execute(lambda connection: chores.step(connection, late))
    assert len(await rows(walk, webhook_delivery.c.id)) == 1
    await writer.execute(lambda connection: connection.execute(update(webhook).values(enabled=False)))
    await writer.execute(lambda connection: chores.step(connection, late))
    assert await rows(walk, webhook_delivery.c.id) == []
    assert name


async def test_news_that_nobody_wants_goes_too(walk: Round) -> None:
    await walk.game.duel()
    assert await left_in_outbox(walk) > 0
    await walk.go()
    assert await left_in_outbox(walk) == 0
    assert walk.post.sent == []


async def test_a_courier_who_stops_lets_go_of_what_he_had(walk: Round) -> None:
    await walk.hook("one")
    await walk.game.create()

    async def send(*given: object) -> Answer:
        await asyncio.sleep(60)
        raise AssertionError

    stopping = walk.another()
    stopping._sender = type("Slow", (), {"send": staticmethod(send)})()
    await stopping.round()
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await stopping.close()
    await walk.go()

    assert loop.time() - begun < 5
    assert len(walk.to(ONE)) == 1


async def test_the_courier_ends_when_he_is_told_to_in_the_moment_the_bell_rings(walk: Round) -> None:
    for _ in range(30):
        walking = asyncio.create_task(walk.courier.run())
        await asyncio.sleep(0.02)
        walk.courier.wake()
        walking.cancel()
        async with asyncio.timeout(5):
            await asyncio.gather(walking, return_exceptions=True)
        assert walking.cancelled()
