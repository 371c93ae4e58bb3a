"""GURPS through the service: what only the game master says, what a ruling cannot set, what a question shows."""

from typing import Any

import pytest

from app.services.errors import BadInput, NotPermitted
from tests.services.game import ANN, GM, Game
from tests.services.test_turn_limit import gurps, turn
from tests.support.play import book

pytestmark = pytest.mark.anyio
BLOW: dict[str, Any] = {"weapon": "thrusting_broadsword", "said": {"distance": {"ref:orc": 1}}}


async def anns_turn(game: Game) -> Game:
    """It is Ann's turn, and the table rolls."""
    await gurps(game, dice="client")
    while await turn(game) != "ann":
        await game.act(GM, f"ref:{await turn(game)}", "end_turn")
    return game


@pytest.mark.clause("GU-390")
async def test_whether_somebody_is_aware_of_an_attack_the_gm_alone_says(quick_game: Game) -> None:
    game = await anns_turn(quick_game)
    blow = {**BLOW, "options": {"aware": False}}

    with pytest.raises(NotPermitted):
        await game.act(ANN, "ref:ann", "attack", "ref:orc", **blow)
    asked = await game.act(GM, "ref:ann", "attack", "ref:orc", **blow)

    assert asked["status"] == "waiting"
    form = book("gurps_4e").action_form_schema("attack", "en")
    assert [name for name, field in form["properties"].items() if field.get("x-gm")] == ["aware"]


@pytest.mark.clause("GU-2170")
async def test_no_ruling_sets_hit_points_below_what_is_left_of_a_body(quick_game: Game) -> None:
    game = await anns_turn(quick_game)
    most = (await game.combatant("ref:orc"))["resources"][0]["max"]

    with pytest.raises(BadInput) as refused:
        await game.rule({"combatant": "ref:orc", "resource": "hp", "set": -10 * most - 1})

    assert [(one.code, one.at) for one in refused.value.findings] == [("out_of_bounds", "/changes/0/set")]
    await game.rule({"combatant": "ref:orc", "resource": "hp", "set": -10 * most})
    assert (await game.combatant("ref:orc"))["status"] == "dead"


@pytest.mark.clause("GU-370")
async def test_a_defence_shows_its_chance_with_a_retreat(quick_game: Game) -> None:
    game = await anns_turn(quick_game)
    asked = await game.act(GM, "ref:ann", "attack", "ref:orc", **BLOW)
    asked = await game.answer(GM, asked["waiting_for"][0]["id"], dice=[3, 3, 3])

    [question] = asked["waiting_for"]
    dodge, parry = (next(one for one in question["options"] if one["id"] == name) for name in ("dodge", "parry"))

    assert dodge["form"]["properties"]["retreat"]["x-chance"] > dodge["chance"]
    ways = parry["form"]["properties"]["with"]
    assert set(ways["x-chances"]) == set(ways["enum"])
    assert max(ways["x-chances"].values()) == parry["chance"]
    assert parry["form"]["properties"]["retreat"]["x-chance"] > parry["chance"]
