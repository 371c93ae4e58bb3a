"""A ruling gives an effect what it takes, and nothing else."""

from typing import Any

import pytest

from app.services.errors import BadInput
from tests.services.game import Game

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("effect", "flaws"),
    [
        ({"id": "shaken"}, []),
        ({"id": "shaken", "value": -30, "rounds": 3, "against": "ref:orc"}, []),
        ({"id": "shaken", "value": 0}, [("out_of_bounds", "/value", "-30..-1")]),
        ({"id": "shaken", "against": "ref:ann"}, [("named_twice", "/against", "")]),
        ({"id": "prone", "value": 0}, [("not_taken", "/value", "")]),
        ({"id": "prone", "against": "ref:orc"}, [("not_taken", "/against", "")]),
        ({"id": "prone", "rounds": 3}, []),
    ],
)
async def test_a_ruling_gives_an_effect_what_it_takes(
    quick_game: Game, effect: Any, flaws: list[tuple[str, str, str]]
) -> None:
    game = quick_game
    await game.duel()

    before = len((await game.log())["items"])

    if flaws:
        with pytest.raises(BadInput) as refused:
            await game.rule({"combatant": "ref:ann", "add_effect": effect})
        told = [(one.code, one.at.removeprefix("/changes/0/add_effect"), one.need) for one in refused.value.findings]
        assert told == flaws
        assert len((await game.log())["items"]) == before
        return
    await game.rule({"combatant": "ref:ann", "add_effect": effect})
    if effect == {"id": "shaken"}:
        assert [one["value"] for one in (await game.combatant("ref:ann"))["effects"]] == [-10]
