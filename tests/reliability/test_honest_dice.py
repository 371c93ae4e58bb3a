"""Fights in which everybody rolls for himself, with many best and worst dice: all that they leave behind is proven, and
may be taken elsewhere.
"""

import random

import pytest

from tests.api.table import Table
from tests.reliability.secret_fights import Fight
from tests.support.play import book, catalog

pytestmark = pytest.mark.anyio

NDJSON = {"content-type": "application/x-ndjson"}
STEPS = 14


class Lucky(random.Random):
    """Dice that fall best or worst two times in three."""

    def randint(self, a: int, b: int) -> int:
        """A face."""
        return self.choice((a, b, super().randint(a, b)))


async def is_well(fight: Fight, home: str) -> None:
    """Whether nothing is wrong with what is kept."""
    told = (await fight.send("GET", f"{home}/verify")).json()
    assert (told["ok"], told["findings"]) == (True, []), told


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ruleset", sorted(catalog().ids))
async def test_what_the_table_rolled_is_its_own(town: Table, ruleset: str, seed: int) -> None:
    fight = Fight(town, ruleset, seed, hidden=None)
    fight.chance = Lucky(f"{ruleset}/{seed}")
    await fight.begin(sorted(book(ruleset).document["samples"]))
    for _ in range(STEPS):
        await fight.step()

    await is_well(fight, fight.home)
    lines = (await fight.send("GET", f"{fight.home}/export")).content
    address = f"/v1/encounters/import?campaign={town.campaign}"
    made = await town.send("POST", address, content=lines, headers=NDJSON)
    assert made.status_code == 201, made.text
    await is_well(fight, f"/v1/encounters/{made.json()['id']}")


@pytest.mark.clause("DH-5450")
async def test_a_critical_that_the_attacker_rolls_for_is_his(town: Table) -> None:
    fight = Fight(town, "dark_heresy_2e", 1, hidden=None)
    await fight.begin(["sable"], foe={"policy": {"*": "decline"}})
    while await fight.on_turn() != "a":
        await fight.send("POST", f"{fight.home}/end-turn", {})
        await fight.settle()
    body = {
        "actor": "ref:a",
        "action": "standard_attack",
        "targets": ["ref:foe"],
        "rolls": {"to_hit": [1], "damage": [10]},
    }
    given = await fight.send("POST", f"{fight.home}/actions", body, "ann")
    assert given.is_success, given.text
    await fight.settle()

    log = (await fight.send("GET", f"{fight.home}/log?limit=200")).json()["items"]
    row = next(one for one in log if one["type"] == "critical_suffered" and one["dice"])
    assert (row["combatant"], row["roller"]) == (fight.ids["foe"], fight.ids["a"])
    await is_well(fight, fight.home)
