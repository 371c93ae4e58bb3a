"""A policy speaks of kinds of question that the ruleset asks a combatant; any other word is refused by its place."""

import pytest

from app.services import rulesets
from app.services.errors import BadInput
from tests.services.game import ANN, GM, Game, fighter
from tests.support import toy

pytestmark = pytest.mark.anyio
BAD = {"defned": "best", "ruling": "decline", "a/b": "ask", "defend": "best"}
PLACES = ["/policy/defned", "/policy/ruling", "/policy/a~1b"]


def places(refused: pytest.ExceptionInfo[BadInput]) -> list[tuple[str, str]]:
    """What was found, and where."""
    assert {one.need for one in refused.value.findings} == {"allocate_hits, defend, watch_fire, *"}
    return [(one.code, one.at) for one in refused.value.findings]


async def test_an_unknown_kind_is_refused_wherever_a_policy_comes_in(quick_game: Game) -> None:
    game = quick_game

    with pytest.raises(BadInput) as made:
        await game.create(fighter("ann", "blue"), fighter("orc", "red", policy=BAD))
    await game.duel()
    before = await game.read()
    with pytest.raises(BadInput) as added:
        await game.add(fighter("bob", "blue", policy=BAD))
    with pytest.raises(BadInput) as by_gm:
        await game.edit(GM, "ref:orc", policy=BAD)
    with pytest.raises(BadInput) as by_player:
        await game.edit(ANN, "ref:ann", policy=BAD)

    assert places(made) == [("unknown_kind", f"/combatants/1{at}") for at in PLACES]
    assert places(added) == [("unknown_kind", f"/combatants/0{at}") for at in PLACES]
    assert places(by_gm) == places(by_player) == [("unknown_kind", at) for at in PLACES]
    assert await game.read() == before


async def test_what_the_ruleset_tells_of_its_questions_is_what_a_policy_takes(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    told = rulesets.one(game.service.catalog, toy.TOY, "en")["questions"]

    assert {"id": "ruling", "name": "ruling", "asked": "gm"} in told
    for kind in [one["id"] for one in told if one["asked"] == "combatant"] + ["*"]:
        await game.edit(ANN, "ref:ann", policy={kind: "decline"})
        assert (await game.combatant("ref:ann"))["policy"] == {kind: "decline"}
