"""The log, the long-poll and the streams: one event has the same bytes everywhere."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from app.persistence.work import Busy
from app.services import log, stream
from app.services.errors import CursorGone, NotFound
from tests.services.game import ANN, GM, STRANGER, WATCHER, Game, fighter, seen

pytestmark = pytest.mark.anyio


async def frames_of(game: Game, caller: Any = WATCHER, **fields: Any) -> AsyncIterator[bytes]:
    """A stream."""
    return await stream.open_stream(game.service, caller, game.encounter, **fields)


async def test_the_log_pages_both_ways_without_a_gap(game: Game) -> None:
    await game.duel()
    whole = await game.whole_log(WATCHER)

    by_three = await game.whole_log(WATCHER, limit=3)
    backwards: list[Any] = []
    cursor = whole[-1]["seq"] + 1
    while cursor > 1:
        page = await game.log(WATCHER, before=cursor, limit=4)
        backwards += page["items"]
        cursor = page["next_cursor"]
        assert page["has_more"] == (cursor > 1)

    assert by_three == whole == backwards[::-1]
    assert (await game.log(WATCHER, after=whole[-1]["seq"]))["items"] == []
    with pytest.raises(CursorGone):
        await game.log(WATCHER, after=whole[-1]["seq"] + 1)
    with pytest.raises(NotFound):
        await game.log(STRANGER)


async def test_events_do_not_tell_which_of_them_were_one_command(game: Game) -> None:
    await game.duel()
    struck = await game.act(ANN, "ref:ann", "shout", "ref:orc")

    first = struck["events"][0]["seq"]
    page = await game.log(ANN, after=first - 1, limit=1)

    assert len(struck["events"]) > 1
    assert page["items"] == struck["events"][:1]
    assert [event["version"] for event in struck["events"]] == [event["seq"] for event in struck["events"]]
    assert struck["version"] == struck["events"][-1]["seq"]


async def test_one_event_is_the_same_in_answer_log_and_streams(game: Game) -> None:
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", policy={"defend": "decline"}))
    after = (await game.read(ANN))["cursor"]
    live = {kind: await frames_of(game, ANN, format=kind, after=after, max_events=3) for kind in ("sse", "ndjson")}
    readers = {kind: asyncio.create_task(collected(frames)) for kind, frames in live.items()}
    await asyncio.sleep(0.05)

    answer = await game.act(ANN, "ref:ann", "shout", "ref:orc")
    got = {kind: await reader for kind, reader in readers.items()}
    later = {
        kind: await collected(await frames_of(game, ANN, format=kind, after=after, max_events=3))
        for kind in ("sse", "ndjson")
    }

    assert len(answer["events"]) == 3
    assert (await game.log(ANN, after=after))["items"] == answer["events"]
    assert events_in(got["sse"]) == events_in(got["ndjson"]) == answer["events"]
    assert later == got
    assert b"event: effect_began\n" in got["sse"]


async def collected(frames: AsyncIterator[bytes]) -> bytes:
    """A stream to its end."""
    return b"".join([frame async for frame in frames])


def events_in(text: bytes) -> list[Any]:
    """The events of a stream in either format."""
    lines = [line.removeprefix(b"data: ") for line in text.splitlines()]
    return [msgspec.json.decode(line) for line in lines if line.startswith(b"{")]


async def test_joining_is_one_snapshot_then_events(game: Game) -> None:
    await game.duel()
    frames = await frames_of(game, ANN, max_events=3)

    first = await anext(frames)
    told = await game.act(ANN, "ref:ann", "shout", "ref:orc")
    rest = await collected(frames)

    snapshot = events_in(first)[0]
    assert first.startswith(b"retry: 1000\nid: %d\nevent: snapshot\n" % snapshot["cursor"])
    assert snapshot["id"] == game.encounter
    assert events_in(rest) == told["events"]
    assert rest.startswith(b"id: %d\n" % (snapshot["cursor"] + 1))


async def test_a_long_poll_answers_as_soon_as_there_is_something(game: Game) -> None:
    await game.duel()
    cursor = (await game.read(ANN))["cursor"]
    waiting = asyncio.create_task(game.log(ANN, after=cursor, wait=20))
    await asyncio.sleep(0.05)

    told = await game.act(ANN, "ref:ann", "shout", "ref:orc")
    page = await waiting
    nothing = await game.log(ANN, after=page["next_cursor"], wait=0.05)

    assert page["items"] == told["events"]
    assert nothing == {"items": [], "next_cursor": page["next_cursor"], "has_more": False}


async def test_hidden_events_do_not_wake_whoever_may_not_know(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red"), fighter("spy", "red", hidden=True))
    cursor = (await game.read(ANN))["cursor"]
    waiting = asyncio.create_task(game.log(ANN, after=cursor, wait=0.3))
    await asyncio.sleep(0.05)

    await game.rule({"combatant": "ref:spy", "resource": "hits", "set": 2})

    assert (await waiting)["items"] == []


async def test_streams_end_when_the_server_closes_or_the_token_is_revoked(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    valid = True

    async def still_valid() -> bool:
        return valid

    cursor = (await game.read())["cursor"]
    revoked = asyncio.create_task(collected(await frames_of(game, after=cursor, still_valid=still_valid)))
    closed = [
        asyncio.create_task(collected(await frames_of(game, GM, after=cursor, format=kind)))
        for kind in ("sse", "ndjson")
    ]
    polling = asyncio.create_task(log.page(game.service, ANN, game.encounter, after=cursor, wait=20))
    await asyncio.sleep(0.05)

    valid = False
    await asyncio.wait_for(revoked, 3)
    game.service.is_closing = True
    game.service.hub.close()

    assert await asyncio.wait_for(asyncio.gather(*closed), 1) == [b"retry: 1000\n\n:closing\n\n", b"\n"]
    assert seen(await asyncio.wait_for(polling, 1))["items"] == []


async def test_a_stream_with_much_to_tell_ends_as_soon_as_a_quiet_one(game: Game) -> None:
    await game.duel()
    valid, is_over = True, False

    async def still_valid() -> bool:
        return valid

    async def play() -> None:
        while not is_over:
            await game.rule({"combatant": "ref:orc", "resource": "hits", "set": 3})
            await asyncio.sleep(0.01)

    playing = asyncio.create_task(play())
    cursor = (await game.read())["cursor"]
    revoked = asyncio.create_task(collected(await frames_of(game, after=cursor, still_valid=still_valid)))
    old = asyncio.create_task(collected(await frames_of(game, after=cursor, life_s=1.5)))
    await asyncio.sleep(0.5)
    valid = False
    ended = [await asyncio.wait_for(one, 5) for one in (revoked, old)]
    is_over = True
    await playing

    for told in ended:
        numbers = [event["seq"] for event in events_in(told)]
        assert numbers == list(range(cursor + 1, cursor + 1 + len(numbers)))
        assert numbers


async def test_a_stream_stays_open_while_the_database_is_away(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    cursor = (await game.read())["cursor"]

    class Away:
        """A database that cannot be reached."""

        async def head(self, encounter: str) -> Any:
            raise Busy("the database cannot be reached")

        log = head

    hub: Any = game.database.hub
    there = hub.log
    hub.attach(Away())
    reading = asyncio.create_task(collected(await frames_of(game, ANN, after=cursor, max_events=1)))
    await asyncio.sleep(0.1)
    assert not reading.done()
    hub.attach(there)
    await game.rule({"combatant": "ref:orc", "resource": "hits", "set": 3})

    heard = events_in(await asyncio.wait_for(reading, 5))
    assert heard == (await game.log(ANN, after=cursor, limit=1))["items"]


async def test_much_is_sent_in_pieces(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    cursor = (await game.read())["cursor"]
    for number in range(70):
        await game.rule({"combatant": "ref:orc", "resource": "hits", "set": 3}, reason=f"{number} " + "x" * 450)
    last = (await game.read())["cursor"]

    pieces = [one async for one in await frames_of(game, GM, after=cursor, max_events=last - cursor)]

    assert [event["seq"] for event in events_in(b"".join(pieces))] == list(range(cursor + 1, last + 1))
    assert max(map(len, pieces)) <= stream.PIECE
    assert len(pieces) > 2


async def test_a_quiet_stream_is_kept_open_by_comments(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    cursor = (await game.read())["cursor"]

    sse = await collected(await frames_of(game, after=cursor, comment_s=0.5, life_s=1.5))
    lines = await collected(await frames_of(game, after=cursor, comment_s=0.5, life_s=1.5, format="ndjson"))

    assert sse.startswith(b"retry: 1000\n\n:\n\n")
    assert set(lines) == set(b"\n")


async def test_a_reader_far_behind_gets_every_event_once(quick_game: Game) -> None:
    game = quick_game
    await game.duel(fighter("ann", "blue"), fighter("orc", "red", policy={"*": "decline"}))
    for _ in range(120):
        await game.act(GM, (await game.read())["turn"]["combatant"], "end_turn")
    last = (await game.read(ANN))["cursor"]

    streamed = events_in(await collected(await frames_of(game, ANN, after=0, max_events=last)))

    assert last > 2 * stream.PAGE
    assert streamed == await game.whole_log(ANN)


async def test_texts_come_in_the_readers_language(quick_game: Game) -> None:
    game = quick_game
    await game.duel()

    texts = {
        language: [event["text"] for event in await game.whole_log(msgspec.structs.replace(ANN, language=language))]
        for language in ("en", "ru", "pl")
    }

    assert len({tuple(text) for text in texts.values()}) == 3
