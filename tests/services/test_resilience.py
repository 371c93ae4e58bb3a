"""Restarts and crowds: an answer goes on where the rule stood, and only one of many is taken."""

import asyncio
import dataclasses
import itertools
from typing import Any

import pytest
from msgspec.structs import replace

from app.catalog import Catalog
from app.persistence.database import open_database
from app.persistence.verify import verify
from app.services import decisions
from app.services.caller import Attempt
from app.services.errors import AlreadyAnswered, AnswerAwaited, Refusal, ReplayBroken, Stale
from tests.services.game import ANN, GM, ORC, Game, fighter
from tests.support import toy
from tests.support.clock import Clock

pytestmark = pytest.mark.anyio


def moved(game: Game, database: Any) -> Game:
    """The same encounter, looked at by a process that has just started."""
    again = Game(database, game.clock)
    again.encounter, again.ids, again.count = game.encounter, game.ids, game.count
    return again


async def test_a_pause_survives_restarts_and_ends_as_it_would_have(url: str) -> None:
    logs = []
    for restarts in (False, True):
        clock = Clock()
        async with open_database(url, clock=clock) as database:
            game = Game(database, clock) if restarts else await Game.opened(database, clock)
            game.count = 1000 * restarts
            await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), fighter("orc2", "red"))
            waiting = (await game.act(ANN, "ref:ann", "blast", "ref:orc", "ref:orc2"))["waiting_for"]
            if not restarts:
                await finish(game, waiting)
                logs.append(facts(await game.whole_log(), game.ids))
        while restarts and waiting:
            async with open_database(url, clock=clock) as database:
                game = moved(game, database)
                waiting = await one_answer(game, waiting)
                logs[1:] = [facts(await game.whole_log(), game.ids)]

    assert logs[0] == logs[1]
    assert verify(url).findings == ()


async def finish(game: Game, waiting: list[Any]) -> None:
    """Answer until nothing is open."""
    while waiting:
        waiting = await one_answer(game, waiting)


async def one_answer(game: Game, waiting: list[Any]) -> list[Any]:
    """Answer what is open first, and tell what is open then."""
    first = waiting[0]
    given = {"dice": [3]} if first["kind"] == "roll" else {"option": "none"}
    still: list[Any] = (await game.answer(GM, first["id"], **given))["waiting_for"]
    return still


def facts(log: list[Any], ids: dict[str, str]) -> list[Any]:
    """A log without what differs from one encounter to the next."""
    names = {who: name for name, who in ids.items()}
    return [
        (event["type"], names.get(event.get("combatant", "")), fallen(event.get("dice")), event.get("value"))
        for event in log
        if event["type"] not in ("joined", "standing_set", "decision_opened", "decision_answered")
    ]


def fallen(dice: Any) -> Any:
    """Dice as they fell, without the name of their roll, which is another in each encounter and epoch."""
    if not isinstance(dice, list):
        return dice
    return [{name: held for name, held in die.items() if name not in ("roll", "by")} for die in dice]


async def test_the_order_of_answers_does_not_show_in_the_log(quick_game: Game) -> None:
    game = quick_game
    crowd = [fighter(name, "red", dice="client") for name in ("orc", "orc2", "orc3")]
    await game.duel(fighter("ann", "blue", dice="client"), *crowd)
    version = (await game.read())["version"]
    logs = []

    for order in itertools.permutations(range(3)):
        cursor = (await game.read())["cursor"]
        waiting = (await game.act(ANN, "ref:ann", "blast", "ref:orc", "ref:orc2", "ref:orc3"))["waiting_for"]
        for place in order:
            await game.answer(GM, waiting[place]["id"], option="dodge" if place else "none")
        while waiting := await game.open():
            await game.answer(GM, waiting[-1]["id"], dice=[4])
        told = (await game.log(after=cursor, limit=200))["items"]
        logs.append(
            [
                {k: fallen(v) if k == "dice" else v for k, v in e.items() if k not in ("seq", "version")}
                for e in told
                if "decis" not in e["type"]
            ]
        )
        await game.rewind(version)

    assert all(log == logs[0] for log in logs)
    assert len(logs[0]) == 8


async def test_of_many_answers_at_once_one_is_taken(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    rolls = {"to_hit": [1], "damage": [1]}
    question = (await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls=rolls))["waiting_for"][0]["id"]

    answers = [game.answer(caller, question, option=option) for caller in (ORC, GM) for option in ("none", "dodge") * 5]
    results = await asyncio.gather(*answers, return_exceptions=True)

    taken = [one for one in results if not isinstance(one, BaseException)]
    assert len(taken) == 1
    assert {type(one) for one in results if isinstance(one, BaseException)} == {AlreadyAnswered}


async def test_of_many_submissions_with_one_version_one_is_taken(game: Game) -> None:
    await game.duel()
    attempt = Attempt(if_match=(await game.read(ANN))["version"])

    tries = [game.act(ANN, "ref:ann", "shout", "ref:orc", attempt=attempt) for _ in range(12)]
    results = await asyncio.gather(*tries, return_exceptions=True)

    assert sum(not isinstance(one, BaseException) for one in results) == 1
    assert {type(one) for one in results if isinstance(one, BaseException)} == {Stale}


async def test_retries_at_once_get_one_answer(game: Game) -> None:
    await game.duel()
    attempt = Attempt("key", b"hash")

    results = await asyncio.gather(*(game.act(ANN, "ref:ann", "end_turn", attempt=attempt) for _ in range(10)))

    assert all(result == results[0] for result in results)


async def test_two_processes_play_one_encounter(migrated_postgres_url: str) -> None:
    clock = Clock()
    async with (
        open_database(migrated_postgres_url, clock=clock) as one,
        open_database(migrated_postgres_url, clock=clock) as two,
    ):
        first = await Game.opened(one, clock)
        await first.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
        second = moved(first, two)
        for _ in range(6):
            turn = (await second.read())["turn"]["combatant"]
            target = first.ids["orc"] if turn == first.ids["ann"] else first.ids["ann"]
            waiting = (await first.act(GM, turn, "strike", target, rolls={"to_hit": [1], "damage": [1]}))["waiting_for"]
            if waiting:
                await second.answer(GM, waiting[0]["id"], option="none")
            for asked in await first.open():
                await first.answer(GM, asked["id"], dice=[1])
            await second.act(GM, turn, "end_turn")
        results = await asyncio.gather(
            *(game.act(GM, turn, "end_turn") for game in (first, second) for turn in first.ids.values()),
            return_exceptions=True,
        )

        taken = [one for one in results if not isinstance(one, BaseException)]
        assert taken
        assert all(isinstance(one, Refusal | AnswerAwaited) for one in results if isinstance(one, BaseException))
        assert await first.whole_log() == await second.whole_log()
    assert verify(migrated_postgres_url).findings == ()


async def test_one_worker_answers_what_is_due(migrated_postgres_url: str) -> None:
    clock = Clock()
    async with (
        open_database(migrated_postgres_url, clock=clock) as one,
        open_database(migrated_postgres_url, clock=clock) as two,
    ):
        first = await Game.opened(one, clock)
        await first.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), decision_timeout_s=5)
        await first.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1], "damage": [1]})
        second = moved(first, two)
        clock.now += 5_000

        done = await asyncio.gather(*(decisions.expire_due(game.service, clock.now) for game in (first, second) * 3))

        assert sum(done) == 1
        assert (await second.read())["waiting"] is False


async def test_changed_code_is_noticed_and_the_gm_has_two_ways_out(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"), decision_timeout_s=5)
    rolls = {"to_hit": [1], "damage": [4]}
    question = (await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls=rolls))["waiting_for"][0]["id"]
    version = (await game.read())["version"]
    log = await game.whole_log()

    game.service.catalog = with_another_strike()
    with pytest.raises(ReplayBroken) as broken:
        await game.answer(ORC, question, option="none")
    game.clock.now += 5_000
    assert await decisions.expire_due(game.service, game.clock.now) == 0
    assert await game.whole_log() == log
    await game.rule({"cancel": question})
    await game.rewind(version)
    with pytest.raises(ReplayBroken):
        await game.answer(ORC, (await game.open())[0]["id"], option="none")
    await game.rewind(broken.value.base_version)

    assert (await game.act(ANN, "ref:ann", "strike", "ref:orc"))["status"] == "done"


def with_another_strike() -> Catalog:
    """The toy ruleset after an update of its code: the same document, another rule."""
    book = toy.rulebook()
    strike = replace(book.ruleset.actions["strike"], resolve=lambda scene, sub, action: None)
    rules = dataclasses.replace(book.ruleset, actions={**book.ruleset.actions, "strike": strike})
    return Catalog({toy.TOY: dataclasses.replace(book, ruleset=rules)})
