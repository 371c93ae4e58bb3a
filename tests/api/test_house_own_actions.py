"""Attacks, moves and effects of a table's own, played over HTTP in all five rulesets, with figures that show."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.api.duels import Duel, of_type
from tests.api.table import Table
from tests.house.own import BLOW, COIL, COILED, DASH, OWN
from tests.support.play import catalog

Json = dict[str, Any]
INITIATIVE = {"one/initiative": [5], "other/initiative": [2]}


@dataclass(frozen=True)
class Played:
    """Who plays it, with which dice, and what must come out."""

    sample: str
    weapon: str
    walk: str
    """The book's move that is outdone."""
    near: float
    far: float
    """How far the book's move leads, and how far one's own."""
    dice: Json
    price: tuple[str, int]
    terms: tuple[tuple[int, str], ...]
    """Values and clauses of one's own terms in the test."""
    damage: Json = field(default_factory=dict)
    """Figures of the damage event."""
    hits: int = 1
    limit: str = "move_too_far"


PLAYED = {
    "dark_heresy_2e": Played(
        "sable", "sword", "move", 4, 6.5, {"attack": [9], "damage": [5]}, ("half_action", 2), ((-7, "HR-10"),), hits=2
    ),
    "gurps_4e": Played(
        "sample_axeman",
        "axe",
        "move",
        5,
        7.5,
        {"attack": [2], "damage": [5], "knockdown": [1]},
        ("maneuver", 1),
        ((-3, "HR-10"),),
    ),
    # Four AP for a sword and one of its own; a six, 9 of half the strength, 3 of the sword and 5 of its own.
    "manewry_ap": Played(
        "borys",
        "sword",
        "walk",
        20,
        10,
        {"attack": [90], "damage": [6]},
        ("ap", 5),
        ((4, "HR-10"), (9, "HR-10")),
        {"raw": 23},
        limit="not_enough_ap",
    ),
    "shadowrun_5e": Played(
        "boulder",
        "combat_axe",
        "walk",
        6,
        9,
        {"attack": [5], "defend": [2], "soak": [2]},
        ("simple", 2),
        ((4, "HR-10"),),
    ),
    "wh40k_d100": Played(
        "lyse", "sword", "move", 5, 7.5, {"attack": [9], "damage": [9]}, ("half_action", 1), ((-15, "HR-10"),)
    ),
}


def test_every_ruleset_is_played() -> None:
    assert set(PLAYED) == set(OWN) == set(catalog().ids)


async def begun(real: Table, ruleset: str, metres: float) -> Duel:
    given = PLAYED[ruleset]
    duel = Duel(real, {**INITIATIVE, **given.dice})
    await duel.begin(OWN[ruleset], {"sample": given.sample}, {"sample": given.sample}, metres=metres)
    await duel.turn_of("one")
    return duel


async def told(duel: Duel, kind: str, since: int, name: Json) -> None:
    """What happened is told by its name in three languages."""
    for language, words in name.items():
        lines = [one["text"] for one in await duel.log(language) if one["seq"] >= since and one["type"] == kind]
        assert any(words.lower() in line.lower() for line in lines), (language, words, lines)


@pytest.mark.parametrize("ruleset", sorted(PLAYED))
async def test_an_attack_with_its_own_figures(real: Table, ruleset: str) -> None:
    given = PLAYED[ruleset]
    duel = await begun(real, ruleset, 1)
    budget, price = given.price
    before = await duel.left("one", budget)
    log = await duel.strike("one", "crushing_blow", weapon=given.weapon)
    assert before - await duel.left("one", budget) == price
    attack = next(one for one in of_type(log, "check_rolled") if one["purpose"] == "attack")
    own = [(one["value"], one["clause"]) for one in attack["terms"] if one["id"] == "crushing_blow"]
    assert own == list(given.terms)
    assert attack["outcome"] == "success"
    assert sum(len(one["hits"]) for one in of_type(log, "hits_scored")) == given.hits
    dealt = of_type(log, "damage_dealt")
    assert dealt
    for figure, value in given.damage.items():
        assert {one[figure] for one in dealt} == {value}
    if ruleset == "shadowrun_5e":
        (one,) = dealt
        assert {"id": "crushing_blow", "value": 3, "clause": "HR-10"} in one["terms"]
    await told(duel, "action_taken", log[0]["seq"], BLOW)
    await duel.close()


@pytest.mark.parametrize("ruleset", sorted(PLAYED))
async def test_a_move_with_its_own_distance(real: Table, ruleset: str) -> None:
    given = PLAYED[ruleset]
    duel = await begun(real, ruleset, 30)
    for action, most in ((given.walk, given.near), ("mad_dash", given.far)):
        sub = {"said": {"length": 99}}
        refused = await duel.refusable("one", action, **sub)
        assert refused.status_code == 409, refused.text
        (reason,) = [one for one in refused.json()["reasons"] if one["code"] == given.limit]
        assert (reason["need"] if given.limit == "move_too_far" else 10) == (most if most != 20 else 10)
    log = await duel.act("one", "mad_dash", said={"length": given.far})
    (moved,) = of_type(log, "moved")
    assert moved["distance"] == given.far
    await told(duel, "action_taken", log[0]["seq"], DASH)
    await duel.close()


@pytest.mark.parametrize("ruleset", sorted(PLAYED))
async def test_an_effect_that_ends(real: Table, ruleset: str) -> None:
    duel = await begun(real, ruleset, 30)
    log = await duel.act("one", "coil")
    (effect,) = [one["effect"] for one in of_type(log, "effect_began") if one["effect"]["kind"] == "coiled"]
    assert (effect["value"], effect["clause"]) == (3, "HR-30")
    assert "coiled" in {one["kind"] for one in (await duel.who("one"))["effects"]}
    await told(duel, "action_taken", log[0]["seq"], COIL)
    await told(duel, "effect_began", log[0]["seq"], COILED)
    await duel.end_turn()
    await duel.turn_of("one")
    assert "coiled" not in {one["kind"] for one in (await duel.who("one"))["effects"]}
    ended = [one for one in of_type(await duel.log(), "effect_ended") if one["kind"] == "coiled"]
    assert [(one["clause"], one["seq"] > log[-1]["seq"]) for one in ended] == [("HR-30", True)]
    await told(duel, "effect_ended", log[0]["seq"], COILED)
    await duel.close()
