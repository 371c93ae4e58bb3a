"""T17: clocks that jump, run apart or stand exactly at a deadline. Order comes from version numbers alone."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from app.persistence.database import open_database
from app.persistence.planning import KEPT_MS
from app.persistence.verify import verify
from app.services import decisions
from app.services.caller import Attempt
from tests.api.table import Table, contract, table
from tests.api.walk import spots
from tests.services.game import ANN, GM, ORC, Game, Json, fighter
from tests.services.test_resilience import moved
from tests.support.clock import Clock

pytestmark = pytest.mark.anyio

HOUR, DAY = 3_600_000, 86_400_000
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
JUMPS = {"an hour back": -HOUR, "a day on": DAY, "a second back": -1_000, "summer time begins": HOUR}


async def is_in_order(game: Game) -> list[Json]:
    """The whole log, without a gap, in the order in which it happened; the page backwards is the same."""
    events = await game.whole_log()
    assert [one["seq"] for one in events] == list(range(1, len(events) + 1))
    versions = [one["version"] for one in events]
    assert versions == sorted(versions)
    assert set(versions) == set(range(1, versions[-1] + 1))
    assert all(MOMENT.fullmatch(one["at"]) for one in events)
    backwards = await game.log(before=len(events) + 1, limit=200)
    assert sorted(one["seq"] for one in backwards["items"]) == [one["seq"] for one in events[-200:]]
    return events


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
async def test_a_clock_that_jumps_changes_no_order_and_loses_nothing(game: Game, jump: int) -> None:
    await game.duel()
    attempt = Attempt("before", b"hash")
    first = await game.act(ANN, "ref:ann", "shout", "ref:orc", attempt=attempt)
    game.clock.now += jump

    again = await game.act(ANN, "ref:ann", "shout", "ref:orc", attempt=attempt)
    assert again == first
    await game.act(ANN, "ref:ann", "shout", "ref:orc")
    await game.act(ANN, "ref:ann", "end_turn")
    game.clock.now -= jump
    await game.act(ORC, "ref:orc", "shout", "ref:ann")

    events = await is_in_order(game)
    assert events[-1]["version"] == (await game.read())["version"]


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
async def test_a_deadline_fires_once_however_the_clock_jumps(game: Game, jump: int) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), decision_timeout_s=5)
    rolls = {"to_hit": [1], "damage": [1]}
    (question,) = (await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls=rolls))["waiting_for"]
    due = game.clock.now + 5_000
    game.clock.now += jump

    early = await decisions.expire_due(game.service, game.clock.now)
    assert early == (game.clock.now >= due)
    if not early:
        assert [one["id"] for one in await game.open()] == [question["id"]]
        game.clock.now = due
    done = [await decisions.expire_due(game.service, game.clock.now + later) for later in (0, 0, 1, DAY)]

    assert early + sum(done) == 1
    told = [one for one in await is_in_order(game) if one["type"] == "decision_answered"]
    assert [one["by"] for one in told][-1] == "timeout"
    assert await game.open() == []


async def test_a_deadline_is_reached_exactly_when_it_is_now(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), decision_timeout_s=5)
    await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1], "damage": [1]})
    began = game.clock.now

    fired = []
    for now in (began, began + 4_999, began + 5_000, began + 5_001):
        game.clock.now = now
        fired.append(await decisions.expire_due(game.service, now))

    assert fired == [0, 0, 1, 0]


async def test_an_answer_and_the_deadline_at_once_are_one_answer(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), decision_timeout_s=5)
    rolls = {"to_hit": [1], "damage": [1]}
    (question,) = (await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls=rolls))["waiting_for"]
    game.clock.now += 5_000

    tries: list[Any] = [
        game.answer(ORC, question["id"], option="none"),
        decisions.expire_due(game.service, game.clock.now),
    ]
    answer, fired = await asyncio.gather(*tries, return_exceptions=True)

    assert isinstance(answer, BaseException) == (fired == 1)
    told = [one for one in await is_in_order(game) if one["type"] == "decision_answered"]
    assert sum(one["decision"] == question["id"] for one in told) == 1


async def test_two_workers_five_seconds_apart_play_one_fight(migrated_postgres_url: str) -> None:
    slow, fast = Clock(), Clock()
    fast.now += 5_000
    async with (
        open_database(migrated_postgres_url, clock=slow) as one,
        open_database(migrated_postgres_url, clock=fast) as two,
    ):
        first = await Game.opened(one, slow)
        await first.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), decision_timeout_s=5)
        second = moved(first, two)
        second.clock = second.service.clock = fast
        for number, game in enumerate((first, second) * 3):
            attempt = Attempt(f"key{number}", b"hash")
            turn = (await game.read())["turn"]["combatant"]
            there = await game.act(GM, turn, "end_turn", attempt=attempt)
            other = second if game is first else first
            assert await other.act(GM, turn, "end_turn", attempt=attempt) == there
            for asked in await game.open():
                await other.answer(GM, asked["id"], dice=[1])
        while (await first.read())["turn"]["combatant"] != first.ids["ann"]:
            await second.act(GM, (await second.read())["turn"]["combatant"], "end_turn")
        await first.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1], "damage": [1]})

        # The fast one thinks that it is due, and it is one worker's to say so; nobody says it again.
        fired = [await decisions.expire_due(game.service, game.clock.now) for game in (second, first, second)]
        slow.now += 60_000
        fast.now += 60_000
        fired += await asyncio.gather(
            *(decisions.expire_due(game.service, game.clock.now) for game in (first, second) * 3)
        )

        assert sum(fired) == 1
        assert await is_in_order(first) == await is_in_order(second)
    assert verify(migrated_postgres_url).findings == ()


async def test_a_key_is_kept_for_two_days_and_then_acts_anew(game: Game) -> None:
    await game.duel()
    attempt = Attempt("old", b"hash")
    first = await game.act(ANN, "ref:ann", "shout", "ref:orc", attempt=attempt)
    for later, is_kept in ((KEPT_MS, True), (1, False)):
        game.clock.now += later
        again = await game.act(ANN, "ref:ann", "shout", "ref:orc", attempt=attempt)
        assert (again == first) is is_kept

    # With another body too, for nobody remembers the first.
    game.clock.now += KEPT_MS + 1
    await game.act(ANN, "ref:ann", "end_turn", attempt=Attempt("old", b"another"))
    await is_in_order(game)


@pytest.fixture
async def timed(url: str) -> AsyncIterator[tuple[Table, Clock]]:
    """An application whose clock is moved by hand."""
    async with table(url, token_cache_s=0.0) as seats:
        clock = Clock()
        seats.app.state.parts.service.clock = clock
        await seats.create()
        yield seats, clock


async def test_what_expires_is_gone_exactly_when_it_is_now(timed: tuple[Table, Clock]) -> None:
    seats, clock = timed
    base, began = f"/v1/campaigns/{seats.campaign}", clock.now
    token = await seats.made(f"{base}/tokens", {"role": "spectator", "name": "x", "expires_in_s": 60})
    seats.tokens["brief"] = token["token"]
    code = (await seats.made(f"{base}/invites", {"role": "spectator", "expires_in_s": 60, "uses": 5}))["code"]

    for now, is_good in ((began + 59_999, True), (began + 60_000, False), (began + 60_001, False), (began, True)):
        clock.now = now
        read = await seats.get(seats.encounter, "brief")
        joined = await seats.post("/v1/join", {"code": code, "name": "Newcomer"}, None)
        assert (read.status_code, joined.status_code) == ((200, 201) if is_good else (401, 404)), now - began


async def test_a_ticket_is_no_longer_good_exactly_when_it_is_now(timed: tuple[Table, Clock]) -> None:
    seats, clock = timed
    for early, status in ((1, 200), (0, 401)):
        made = await seats.made(f"{seats.encounter}/stream-tickets")
        clock.now += 60_000 - early
        path = f"{seats.encounter}/stream?ticket={made['ticket']}&max_events=1"
        assert (await seats.get(path, None)).status_code == status


async def test_the_clock_of_a_client_is_nobodys_business(timed: tuple[Table, Clock]) -> None:
    seats, _clock = timed
    told: list[Any] = []
    for date in ("Tue, 30 Nov 2027 12:00:00 GMT", "Mon, 30 Nov 1925 12:00:00 GMT", "no date", ""):
        headers = {"date": date, "if-modified-since": date, "if-unmodified-since": date, "expires": date}
        change = {"reason": "so be it", "changes": [{"combatant": "ref:orc", "status": "up"}]}
        made = await seats.post(f"{seats.encounter}/rulings", change, headers=headers)
        assert made.status_code in (201, 409), made.text
        read = await seats.get(seats.encounter, headers=headers)
        assert read.status_code == 200
        told.append(read.json()["created_at"])
    assert len(set(told)) == 1


def test_no_request_says_what_time_it_is() -> None:
    asked = [spot for spot in spots(contract().document) if spot.side in ("request", "parameter")]

    assert [spot.at for spot in asked if spot.schema.get("format") in ("date", "date-time", "time")] == []
    assert [spot.at for spot in asked if re.search(r"((?<!crosses)_at|_time|date)$", spot.at)] == []
