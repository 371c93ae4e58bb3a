"""A table may limit how long a turn lasts: whoever does nothing in it has done nothing, and the fight goes on."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.services import overdue
from app.services.errors import NotPermitted
from app.services.service import Service
from app.services.settings import Settings
from tests.services.game import ANN, GM, WATCHER, Game, Json, types
from tests.support.play import catalog

pytestmark = pytest.mark.anyio
LIMIT = 30


def person(sample: str, name: str, side: str, **fields: Any) -> Json:
    return {"sample": f"sample_{sample}", "name": name.capitalize(), "side": side, "external_ref": name, **fields}


async def gurps(game: Game, *, dice: str = "server", **options: Any) -> Game:
    """Ann, a swordsman, before Orc, an axeman, a yard apart. It is Ann's turn."""
    game.service.catalog = catalog()
    await game.create(
        person("swordsman", "ann", "blue"),
        person("axeman", "orc", "red"),
        ruleset="gurps_4e",
        options=options,
        dice=dice,
    )
    await game.start()
    return game


async def turn(game: Game) -> str:
    view = await game.read()
    owner = view["turn"]["combatant"]
    return next(name for name, one in game.ids.items() if one == owner)


async def after(game: Game, seconds: float) -> int:
    """So many seconds later the clock is looked at. Tells how many turns it ended."""
    game.clock.now += int(seconds * 1000)
    return await overdue.end_due(game.service, game.clock.now)


async def since(game: Game, before: int) -> list[Json]:
    return [event for event in await game.whole_log() if event["seq"] > before]


@pytest.mark.clause("GU-070")
async def test_a_turn_without_a_limit_lasts_for_ever(quick_game: Game) -> None:
    game = await gurps(quick_game)

    assert await after(game, 1_000_000) == 0
    assert await turn(game) == "ann"


@pytest.mark.clause("GU-070", "GU-1600")
async def test_whoever_does_nothing_until_his_time_is_up_has_done_nothing(game: Game) -> None:
    await gurps(game, slot_timeout=LIMIT)

    assert await after(game, LIMIT - 0.001) == 0
    assert await turn(game) == "ann"
    before = len(await game.whole_log())
    assert await after(game, 0.001) == 1

    assert await turn(game) == "orc"
    told = await since(game, before)
    assert [(one["type"], one.get("fact") or one.get("action")) for one in told][:2] == [
        ("noted", "time_is_up"),
        ("action_taken", "do_nothing"),
    ]
    assert [one["clause"] for one in told if one["type"] == "action_taken"] == ["GU-070"]
    assert "moved" not in [one["type"] for one in told]


@pytest.mark.clause("GU-070")
async def test_whoever_acts_has_the_whole_time_again(quick_game: Game) -> None:
    game = await gurps(quick_game, slot_timeout=LIMIT)
    game.clock.now += 20_000
    await game.act(ANN, game.ids["ann"], "crouch")

    assert await after(game, 20) == 0
    assert await after(game, 10) == 1
    assert await turn(game) == "orc"


@pytest.mark.clause("GU-070")
async def test_what_the_gm_does_meanwhile_gives_nobody_more_time(quick_game: Game) -> None:
    game = await gurps(quick_game, slot_timeout=LIMIT)
    game.clock.now += 20_000
    await game.rule({"combatant": game.ids["ann"], "resource": "fp", "set": 3})

    assert await after(game, 10) == 1


@pytest.mark.clause("GU-070")
async def test_the_clock_stands_while_somebody_has_to_answer(quick_game: Game) -> None:
    game = await gurps(quick_game, dice="client", slot_timeout=LIMIT)
    foe = game.ids["orc"]
    attack = {"weapon": "thrusting_broadsword", "options": {"mode": "swing"}, "said": {"distance": {foe: 1}}}
    asked = await game.act(ANN, game.ids["ann"], "attack", foe, **attack)

    assert await after(game, 10 * LIMIT) == 0

    await game.answer(ANN, asked["waiting_for"][0]["id"], dice=[5, 5, 6])
    assert await after(game, LIMIT - 1) == 0
    assert await after(game, 1) == 1


@pytest.mark.clause("GU-070")
async def test_where_nobody_is_left_at_the_table_the_clock_stops_until_somebody_acts(quick_game: Game) -> None:
    game = await gurps(quick_game, slot_timeout=LIMIT)

    ended = [await after(game, LIMIT) for _ in range(5)]

    assert ended == [1, 1, 0, 0, 0]
    assert await turn(game) == "ann"
    await game.act(ANN, game.ids["ann"], "do_nothing")
    assert await after(game, LIMIT) == 1


@pytest.mark.clause("GU-070")
async def test_a_worker_that_saw_nothing_of_it_finds_the_deadline(game: Game) -> None:
    await gurps(game, slot_timeout=LIMIT)
    other = Service(
        game.database.writer, game.database.store, game.database.hub, catalog(), clock=game.clock, new_id=game._id
    )
    game.clock.now += LIMIT * 1000
    assert await overdue.end_due(other, game.clock.now) == 0

    await overdue.look_again(other)

    assert await overdue.end_due(other, game.clock.now) == 1
    assert await after(game, 0) == 0
    assert await turn(game) == "orc"


@pytest.mark.clause("GU-070")
async def test_after_going_back_the_time_begins_anew(quick_game: Game) -> None:
    game = await gurps(quick_game, slot_timeout=LIMIT)
    version = (await game.read())["version"]
    assert await after(game, LIMIT) == 1
    game.clock.now += 20_000

    await game.rewind(version)

    assert await turn(game) == "ann"
    assert await after(game, LIMIT - 1) == 0
    assert await after(game, 1) == 1


@pytest.mark.clause("GU-070")
async def test_a_fight_that_is_over_has_no_deadline(quick_game: Game) -> None:
    game = await gurps(quick_game, slot_timeout=LIMIT)
    await game.end()

    live = await game.service.store.live(game.encounter)
    assert Settings.of(live.head) == replace(Settings.of(live.head), turn_due_at=None, turns_missed=0)
    assert await after(game, LIMIT) == 0


# What is the GM's alone


@pytest.mark.clause("GU-130")
@pytest.mark.parametrize("caller", [ANN, WATCHER])
async def test_a_ruling_of_anybody_but_the_gm_is_refused_in_the_words_of_the_game(
    quick_game: Game, caller: Any
) -> None:
    game = await gurps(quick_game)

    with pytest.raises(NotPermitted) as refused:
        await game.rule({"combatant": game.ids["orc"], "resource": "hp", "set": 1}, caller=caller)

    assert [(one.code, one.clause) for one in refused.value.reasons] == [("gm_only", "GU-130")]


@pytest.mark.clause("GU-130")
@pytest.mark.parametrize("modifier", [{"id": "gm", "value": 3, "reason": "luck"}, {"id": "darkness", "value": 3}])
async def test_only_the_gm_brings_a_modifier_with_a_value_of_its_own(quick_game: Game, modifier: Json) -> None:
    game = await gurps(quick_game)
    who, foe = game.ids["ann"], game.ids["orc"]
    attack = {"weapon": "thrusting_broadsword", "options": {"mode": "swing"}, "said": {"distance": {foe: 1}}}

    with pytest.raises(NotPermitted) as refused:
        await game.act(ANN, who, "attack", foe, modifiers=[modifier], **attack)

    assert [one.code for one in refused.value.reasons] == ["gm_only"]
    done = await game.act(GM, who, "attack", foe, modifiers=[modifier], **attack)
    assert "attack_made" in types(done)


async def test_a_ruleset_without_a_word_for_it_is_refused_without_reasons(quick_game: Game) -> None:
    await quick_game.duel()

    with pytest.raises(NotPermitted) as refused:
        await quick_game.rule({"combatant": quick_game.ids["orc"], "resource": "hp", "set": 1}, caller=ANN)

    assert refused.value.reasons == ()
