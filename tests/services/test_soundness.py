"""What cannot be of a combatant is refused by its place, whichever way it comes in: joining, an edit, a ruling."""

from typing import Any

import pytest

from app.services.errors import BadInput
from tests.services.game import GM, Game, fighter

pytestmark = pytest.mark.anyio
Found = list[tuple[str, str, str]]

ITEMS: list[tuple[dict[str, Any], Found]] = [
    ({"kind": "bow", "marks": {"arrows": -1}}, [("out_of_bounds", "/marks/arrows", "0..12")]),
    ({"kind": "bow", "marks": {"arrows": 13}}, [("out_of_bounds", "/marks/arrows", "0..12")]),
    ({"kind": "bow", "marks": {"a/b": 1}}, [("unknown_word", "/marks/a~1b", "arrows")]),
    ({"kind": "sword", "marks": {"arrows": 1}}, [("unknown_word", "/marks/arrows", "")]),
    ({"kind": "bow", "held": "both", "marks": {"arrows": 5}}, [("hand_full", "/held", "main")]),
    ({"kind": "bow", "marks": {"arrows": 12}}, []),
    ({"kind": "sword", "held": "off"}, []),
]
"""An item for somebody with a sword in his main hand, and what is wrong with it."""


async def found(doing: Any) -> Found:
    """What is refused, if anything is."""
    try:
        await doing
    except BadInput as refused:
        return [(one.code, one.at, one.need) for one in refused.findings]
    return []


@pytest.mark.parametrize(("item", "flaws"), ITEMS)
async def test_an_item_is_judged_alike_wherever_it_comes_from(quick_game: Game, item: Any, flaws: Found) -> None:
    game = quick_game
    await game.duel()
    before = await game.read()

    def at(place: str) -> Found:
        return [(code, place + rest, need) for code, rest, need in flaws]

    given = {"sword": {"kind": "sword", "held": "main"}, "new": item}
    others = [("hand_full", "/combatants/0/items/sword/held", "main")] if flaws and "held" in flaws[0][1] else []
    assert await found(game.add(fighter("bob", "blue", items=given))) == others + at("/combatants/0/items/new")
    if flaws:
        assert await found(game.edit(GM, "ref:ann", items={"new": item})) == at("/items/new")
        assert await found(game.rule({"combatant": "ref:ann", "item": "new", "give": item})) == at("/changes/0/give")
        assert await game.read() == before
    else:
        assert await found(game.edit(GM, "ref:ann", items={"new": item})) == []
        assert await found(game.rule({"combatant": "ref:ann", "item": "newer", "give": {**item, "held": None}})) == []


async def test_a_ruling_is_judged_change_by_change(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    sword = {"kind": "sword", "held": "main"}

    swapped = game.rule(
        {"combatant": "ref:ann", "item": "sword", "take": True},
        {"combatant": "ref:ann", "item": "other", "give": sword},
        {"combatant": "ref:ann", "add_effect": {"id": "prone"}},
        {"combatant": "ref:ann", "remove_effect": "prone"},
    )
    assert await found(swapped) == []
    twice = game.rule(
        {"combatant": "ref:ann", "item": "other", "take": True},
        {"combatant": "ref:ann", "item": "other", "take": True},
        {"combatant": "ref:ann", "item": "one", "give": sword},
        {"combatant": "ref:ann", "item": "two", "give": sword},
        {"combatant": "ref:ann", "remove_effect": "prone"},
    )
    assert await found(twice) == [
        ("unknown_item", "/changes/1/item", ""),
        ("hand_full", "/changes/3/give/held", "main"),
        ("no_such_effect", "/changes/4/remove_effect", ""),
    ]


async def test_an_edit_takes_away_only_what_is_there(quick_game: Game) -> None:
    game = quick_game
    await game.duel()

    assert await found(game.edit(GM, "ref:ann", items={"sord": None})) == [("unknown_item", "/items/sord", "")]
    assert await found(game.edit(GM, "ref:ann", items={"sword": None})) == []


async def test_the_most_of_a_resource_does_not_fall_below_what_there_is(quick_game: Game) -> None:
    game = quick_game
    await game.duel()
    lower = {"toughness": 8, "speed": 4}

    assert await found(game.edit(GM, "ref:ann", sheet=lower)) == [("below_present", "/sheet/toughness", "hits 12")]
    assert (await game.combatant("ref:ann"))["sheet"]["toughness"] == 12
    await game.rule({"combatant": "ref:ann", "resource": "hits", "set": 8})

    assert await found(game.edit(GM, "ref:ann", sheet=lower)) == []
