"""What broke a table once: dice nobody can have rolled, a turn of somebody who is gone, who hides while he is asked."""

import pytest

from app.engine.reasons import BadAnswer
from app.services import combatants, decisions
from app.services.caller import Attempt
from app.services.errors import NotFound
from tests.services.game import ANN, GM, ORC, WATCHER, Game, fighter, seen, types

pytestmark = pytest.mark.anyio


async def test_a_die_that_cannot_be_is_refused_where_it_was_handed_in(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    before = await game.read()

    with pytest.raises(BadAnswer) as face:
        await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [101]})

    assert (face.value.code, face.value.at) == ("die_out_of_range", "/rolls/to_hit/0")
    assert await game.read() == before


@pytest.mark.parametrize("damage", [[99], [0], [-1]])
async def test_another_ones_bad_dice_do_not_bar_an_answer(game: Game, damage: list[int]) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    rolls = {"to_hit": [1], "damage": damage}
    question = (await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls=rolls))["waiting_for"][0]["id"]

    taken = await game.answer(ORC, question, option="none")
    roll = taken["waiting_for"][0]
    end = await game.answer(ANN, roll["id"], dice=[3])

    assert (roll["kind"], roll["name"], roll["for"]) == ("roll", "damage", game.ids["ann"])
    assert (end["status"], end["unused_rolls"]) == ("done", ["damage"])


async def empty(game: Game) -> None:
    """Everybody leaves."""
    for who in ("ref:orc", "ref:ann"):
        await combatants.remove(game.service, GM, game.encounter, who, Attempt())


async def test_no_turn_is_left_behind_by_the_last_one_who_leaves(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="server"), fighter("orc", "red", dice="server"))

    await empty(game)

    assert (await game.read())["turn"] is None


async def test_a_newcomer_has_the_turn_where_everybody_had_left(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="server"), fighter("orc", "red", dice="server"))
    await empty(game)

    entered = await game.add(fighter("bob", "blue", dice="server"))

    assert "turn_began" in types(entered)
    assert (await game.read())["turn"]["combatant"] == (await game.combatant("ref:bob"))["id"]


async def test_who_hides_takes_what_he_is_asked_with_him(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    rolls = {"to_hit": [1], "damage": [1]}
    question = (await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls=rolls))["waiting_for"][0]["id"]

    await game.edit(GM, "ref:orc", hidden=True)

    for caller in (ANN, WATCHER):
        page = await decisions.page(game.service, caller, game.encounter)
        assert seen(page)["items"] == []
        assert game.ids["orc"].encode() not in page.body
        with pytest.raises(NotFound):
            await decisions.read(game.service, caller, game.encounter, question)
    assert [one["id"] for one in await game.open()] == [question]
    assert (await game.answer(GM, question, option="none"))["status"] == "done"


async def test_who_is_shown_again_is_asked_before_everybody(game: Game) -> None:
    await game.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    question = (await game.act(ANN, "ref:ann", "strike", "ref:orc", rolls={"to_hit": [1]}))["waiting_for"][0]["id"]

    await game.edit(GM, "ref:orc", hidden=True)
    await game.edit(GM, "ref:orc", hidden=False)

    view = seen(await decisions.page(game.service, WATCHER, game.encounter))
    assert [one["id"] for one in view["items"]] == [question]
