"""Rulings that cannot be: each is refused with its place, and nothing changes."""

from typing import Any

import pytest

from app.catalog import Rulebook
from app.services import rulings
from app.services.bodies import ChangeIn, FactIn, RulingIn
from app.services.caller import Attempt
from app.services.errors import BadInput, Refusal
from tests.services.game import GM, Game, fighter

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("change", "code", "at"),
    [
        ({"resource": "hits", "set": -1}, "out_of_bounds", "/set"),
        ({"resource": "hits", "change": -1000}, "out_of_bounds", "/change"),
        ({"resource": "hits", "set": 11}, "out_of_bounds", "/set"),
        ({"budget": "mana", "set": 1}, "unknown_word", "/budget"),
        ({"budget": "reaction", "set": -1}, "out_of_bounds", "/set"),
        ({"budget": "reaction", "set": 1_000_000}, "out_of_bounds", "/set"),
        ({"engaged_with": "ref:orc", "engaged": True}, "named_twice", "/engaged_with"),
        ({"fact": {"from": "ref:orc", "to": "ref:orc", "distance": 1}}, "named_twice", "/fact/to"),
        ({"fact": {"from": "ref:orc", "to": "ref:ann", "distance": -1}}, "out_of_bounds", "/fact/distance"),
        ({"position": [1, 1]}, "no_map", "/position"),
    ],
)
async def test_a_ruling_that_cannot_be_is_refused(game: Game, change: dict[str, Any], code: str, at: str) -> None:
    await game.duel()
    before = await game.read()

    with pytest.raises(BadInput) as refused:
        await game.rule({"combatant": "ref:orc", "status": "up"}, {"combatant": "ref:orc", **change})

    assert [(one.code, one.at) for one in refused.value.findings] == [(code, f"/changes/1{at}")]
    assert await game.read() == before


async def test_nobody_is_put_off_the_map(game: Game) -> None:
    space = {"mode": "map", "size": [10, 10]}
    await game.duel(fighter("ann", "blue", position=[1, 1]), fighter("orc", "red", position=[3, 3]), space=space)

    with pytest.raises(BadInput) as refused:
        await game.rule({"combatant": "ref:orc", "position": [1000, 1]})

    assert [(one.code, one.at) for one in refused.value.findings] == [("outside_map", "/changes/0/position")]


async def test_who_is_unknown_is_told_where_he_is_named(game: Game) -> None:
    await game.duel()

    with pytest.raises(Refusal) as other:
        await game.rule({"combatant": "ref:orc", "engaged_with": "ref:nobody", "engaged": True})
    with pytest.raises(Refusal) as resource:
        await game.rule({"combatant": "ref:orc", "resource": "mana", "set": 1})

    assert [view["at"] for view in other.value.views] == ["/changes/0/engaged_with"]
    assert [view["at"] for view in resource.value.views] == ["/changes/0/resource"]


async def test_what_is_wrong_with_a_fact_is_told_where_the_fact_is(game: Game) -> None:
    await game.duel()

    async def state(fact: FactIn) -> None:
        body = RulingIn("so be it", (ChangeIn(combatant=fact.from_, fact=fact),))
        await rulings.rule(game.service, GM, game.encounter, body, Attempt(), facts=True)

    with pytest.raises(BadInput) as bad:
        await state(FactIn("ref:orc", "ref:orc"))
    with pytest.raises(Refusal) as unknown:
        await state(FactIn("ref:orc", "ref:nobody"))

    assert [one.at for one in bad.value.findings] == ["/facts/0/to"]
    assert [view["at"] for view in unknown.value.views] == ["/facts/0/to"]


async def test_changes_of_one_figure_add_up(game: Game) -> None:
    await game.duel()

    await game.rule(
        {"combatant": "ref:orc", "resource": "hits", "change": -2},
        {"combatant": "ref:orc", "resource": "hits", "change": -3},
    )

    assert (await game.combatant("ref:orc"))["resources"][0]["value"] == 5


async def test_a_resource_goes_below_nothing_as_far_as_its_ruleset_lets_it(
    quick_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    await quick_game.create()
    monkeypatch.setattr(Rulebook, "least", lambda book, resource: -20)

    told = await quick_game.rule({"combatant": "ref:orc", "resource": "hits", "set": -20})
    with pytest.raises(BadInput) as wrong:
        await quick_game.rule({"combatant": "ref:orc", "resource": "hits", "change": -1})

    assert next(one for one in told["events"] if one["type"] == "pool_changed")["value"] == -20
    assert [(one.code, one.need) for one in wrong.value.findings] == [("out_of_bounds", "-20..10")]
