"""Three tables' house rules played over HTTP to the end, with every die scripted and every figure followed."""

import json
from typing import Any

import pytest

from tests.api.duels import Duel, of_type
from tests.api.table import Table
from tests.house.documents import DARK_HERESY, MANEWRY, SHADOWRUN

Json = dict[str, Any]


async def test_manewry_on_three_dice_and_twelve_points_to_the_end(real: Table) -> None:
    dice = {
        "initiative": [5],
        "one/attack": [7, 6, 5],
        "other/attack": [1, 1, 1],
        "damage": [6],
    }
    duel = Duel(real, dice, {"one/defend": "parry"})
    await duel.begin(MANEWRY, {"sample": "borys"}, {"sample": "jagna"})
    turns = strikes = 0
    while (await duel.who("other"))["status"] == "up":
        who = await duel.on_turn()
        assert await duel.left(who, "ap") == 12
        turns += 1
        # Four AP a sword, three a dagger: two blows on ten points, three on twelve.
        for left in (8, 4) if who == "one" else (9, 6):
            await duel.strike(who, "melee_attack")
            assert await duel.left(who, "ap") == left
            strikes += 1
            if (await duel.who("other"))["status"] != "up":
                break
        else:
            assert (await duel.who("one"))["status"] == "up"
            await duel.end_turn()

    log = await duel.log()
    assert turns >= 3
    checks = [one for one in of_type(log, "check_rolled") if one["purpose"] == "attack"]
    assert len(checks) == strikes
    for check in checks:
        assert [die["sides"] for die in check["dice"]] == [10, 10, 10]
        place = [term["id"] for term in check["terms"]].index("mel")
        st = sum(term["value"] for term in check["terms"][:place])
        total = sum(die["value"] for die in check["dice"]) + sum(term["value"] for term in check["terms"][place:])
        assert check["terms"][0] == {"id": "base_st", "value": 17, "clause": "MA-110"}
        assert check["target"] == st
        assert (check["outcome"] == "success", check["degrees"]) == (total >= st, abs(total - st))
    # Eighteen of the dice and as much of the skill against 17; three and fifteen against 17 with a parry on top.
    assert {one["outcome"] for one in checks if sum(die["value"] for die in one["dice"]) == 18} == {"success"}
    assert {one["outcome"] for one in checks if sum(die["value"] for die in one["dice"]) == 3} == {"failure"}
    dealt = of_type(log, "damage_dealt")
    # A six and 3 of the sword, half of 18 STR, less 2 of leather.
    assert {(one["raw"], one["through"]) for one in dealt} == {(18, 16)}
    assert len(dealt) == len(of_type(log, "hits_scored")) == 3
    body = await duel.who("other")
    assert next(one["value"] for one in body["resources"] if one["id"] == "hp") == 41 - 16 * len(dealt)
    assert (body["status"], (await duel.who("one"))["status"]) == ("down", "up")
    refused = await duel.refusable("other", "melee_attack", targets=["ref:one"])
    assert refused.status_code == 409
    await duel.close()


async def test_shadowrun_with_two_attacks_a_phase_to_the_end(real: Table) -> None:
    # Fives and sixes are hits: all of the samurai's, none of the ganger's.
    dice = {"initiative": [3], "one/attack": [5, 5, 5, 1], "other/defend": [2], "other/soak": [5, 2, 2]}
    duel = Duel(real, dice)
    await duel.begin(SHADOWRUN, {"sample": "razor"}, {"sample": "grisha"}, metres=10)
    await duel.turn_of("one")
    shot: Json = {"weapon": "ares_alpha"}
    phases = 0
    while (await duel.who("other"))["status"] == "up":
        await duel.turn_of("one")
        phases += 1
        for _ in range(2):
            log = await duel.strike("one", "fire_single_shot", **shot)
            attack = next(one for one in of_type(log, "check_rolled") if one["purpose"] == "attack")
            hits = sum(die["value"] >= 5 for die in attack["dice"])
            dealt = of_type(log, "damage_dealt")[0]
            net = next(term["value"] for term in dealt["terms"] if term["id"] == "net_hits")
            assert net == min(hits, 7)
            soak = next(one for one in of_type(log, "check_rolled") if one["purpose"] == "soak")
            assert dealt["through"] == dealt["raw"] - sum(die["value"] >= 5 for die in soak["dice"])
            if (await duel.who("other"))["status"] != "up":
                break
        else:
            assert ("attack_limit", "SR-130") in await duel.reasons("one", "fire_single_shot", **shot)
            await duel.end_turn()
    assert phases >= 1
    log = await duel.log()
    physical = sum(one["delta"] for one in of_type(log, "pool_changed") if one["pool"] == "physical")
    body = await duel.who("other")
    assert next(one for one in body["resources"] if one["id"] == "physical")["max"] <= physical
    assert (body["status"], (await duel.who("one"))["status"]) == ("down", "up")
    await duel.close()


async def test_shadowrun_refuses_a_third_attack_though_an_action_is_left(real: Table) -> None:
    document = json.loads(json.dumps(SHADOWRUN))
    document["actions"] = {"fire_single_shot": {"cost": {"simple": {"simple": 0}}}}
    duel = Duel(real, {"initiative": [3], "attack": [1, 5, 2, 2], "defend": [5], "soak": [5]})
    await duel.begin(document, {"sample": "razor"}, {"sample": "grisha"}, metres=10)
    await duel.turn_of("one")
    for _ in range(2):
        await duel.strike("one", "fire_single_shot", weapon="ares_alpha")
    assert await duel.left("one", "simple") == 2
    assert await duel.reasons("one", "fire_single_shot", weapon="ares_alpha") == {("attack_limit", "SR-130")}
    await duel.end_turn()
    await duel.turn_of("one")
    await duel.strike("one", "fire_single_shot", weapon="ares_alpha")


@pytest.mark.parametrize(("option", "left"), [("dos", 1), ("one_plus_dos", 0)])
async def test_dark_heresy_counts_evasion_as_the_table_says(real: Table, option: str, left: int) -> None:
    document = {**DARK_HERESY, "options": {"evasion_multi": option}}
    dice = {"initiative": [5], "attack": [9], "evade": [57], "damage": [5]}
    duel = Duel(real, dice, {"other/defend": "dodge"})
    great = {"great": {"kind": "great_weapon", "held": "both"}}
    await duel.begin(document, {"sample": "brok", "items": great}, {"sample": "sable"})
    await duel.turn_of("one")
    log = await duel.strike("one", "heavy_swing", weapon="great")
    attack, dodge = of_type(log, "check_rolled")
    assert (attack["target"], attack["outcome"], attack["degrees"]) == (20, "success", 3)
    assert {"id": "heavy_swing", "value": -10, "clause": "HR-101"} in attack["terms"]
    assert (dodge["outcome"], dodge["degrees"]) == ("success", 1)
    assert len(of_type(log, "hits_scored")[0]["hits"]) == 2
    assert len(of_type(log, "damage_dealt")) == left
    assert await duel.left("one", "half_action") == 0


async def test_dark_heresy_with_a_heavy_swing_to_the_end(real: Table) -> None:
    dice = {"initiative": [5], "one/attack": [4], "other/attack": [99], "damage": [2], "evade": [99], "stun": [1]}
    duel = Duel(real, dice, {"other/defend": "dodge"})
    great = {"great": {"kind": "great_weapon", "held": "both"}}
    await duel.begin(DARK_HERESY, {"sample": "brok", "items": great}, {"sample": "sable"})
    swings = blows = 0
    while (await duel.who("other"))["status"] == "up":
        who = await duel.on_turn()
        if who == "one":
            log = await duel.strike(who, "heavy_swing", weapon="great")
            swings += 1
            dealt = of_type(log, "damage_dealt")
            # Twos on two dice and 4 of his strength, less 3 of her toughness and 1 of leather: 4 by each of two hits.
            assert {(one["raw"], one["through"]) for one in dealt} == {(8, 4)}
            # The first of the two hits may have killed her.
            assert len(dealt) == (2 if (await duel.who("other"))["status"] == "up" else 1)
        else:
            blow = await duel.refusable(who, "standard_attack", targets=["ref:one"], weapon="sword")
            # A critical wound may have stunned her.
            blows += blow.is_success
        if (await duel.view())["turn"] and await duel.on_turn() == who:
            await duel.end_turn()
    assert swings >= 2
    assert blows >= 1
    assert (await duel.who("one"))["status"] == "up"
    await duel.close()
