"""Shadowrun through the service: what stands against a command while dice are awaited."""

from typing import Any

import pytest

from app.services.errors import AnswerAwaited
from tests.services.game import GM, Game
from tests.support.play import catalog

pytestmark = pytest.mark.anyio


@pytest.mark.clause("SR-500")
async def test_an_interrupt_while_dice_are_awaited_is_told_that_something_is_being_resolved(quick_game: Game) -> None:
    game = quick_game
    game.service.catalog = catalog()
    people = [
        {"sample": name, "name": name, "side": side, "external_ref": name, "position": {"x": x, "y": 0}}
        for name, side, x in (("razor", "red", 0), ("okoye", "blue", 5))
    ]
    await game.create(*people, ruleset="shadowrun_5e", dice="client", space={"mode": "map"})
    asked: dict[str, Any] = await game.start()
    for one in asked["waiting_for"]:
        face = 6 if one["for"] == game.ids["razor"] else 1
        await game.answer(GM, one["id"], dice=[face] * int(one["dice"].partition("d")[0]))
    shot = await game.act(GM, "ref:razor", "fire_single_shot", "ref:okoye", weapon="ares_alpha")
    rolled = await game.answer(GM, shot["waiting_for"][0]["id"], option="plain")
    assert [one["kind"] for one in rolled["waiting_for"]] == ["roll"]

    with pytest.raises(AnswerAwaited) as refused:
        await game.act(GM, "ref:okoye", "full_defense")

    assert [(one.code, one.clause) for one in refused.value.reasons] == [("decision_pending", "SR-500")]
