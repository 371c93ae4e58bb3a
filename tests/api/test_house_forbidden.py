"""An action that house rules forbid, over HTTP: out of the lists, refused to everybody, used by the rules."""

from typing import Any

from tests.api.duels import FOE, Duel, of_type
from tests.api.table import Table

CODE = "forbidden_by_house_rules"
WORDS = {"en": "house rules", "ru": "домашние правила", "pl": "zasady domowe"}


async def test_a_standard_attack_is_forbidden_and_a_free_attack_still_is_one(real: Table) -> None:
    dice = {"one/initiative": [9], "other/initiative": [2], "attack": [9], "damage": [5], "evade": [99]}
    duel = Duel(real, dice, {"one/free_attack": "take", "other/free_attack": "take"})
    document = {"extends": "dark_heresy_2e", "actions": {"standard_attack": None, "knock_down": None}}
    sword = {"sword": {"kind": "sword", "held": "main"}}
    await duel.begin(document, {"sample": "brok", "items": sword}, {"sample": "brok", "items": sword})
    who = await duel.on_turn()
    foe = FOE[who]
    listed = (await real.get(f"{duel.home}/combatants/ref:{who}/actions")).json()["actions"]
    assert not {"standard_attack", "knock_down"} & {one["id"] for one in listed}
    assert "charge" in {one["id"] for one in listed}
    told = (await real.get(f"{duel.home}/ruleset")).json()["actions"]
    assert "standard_attack" not in {one["id"] for one in told}
    page = (await real.get(f"{duel.home}/ruleset/actions/standard_attack")).json()
    assert page["listed"] is False
    modes = (await real.get(f"{duel.home}/ruleset/actions/charge")).json()["form"]["properties"]["mode"]
    assert "knock_down" not in str(modes)

    sub: dict[str, Any] = {"actor": f"ref:{who}", "targets": [f"ref:{foe}"], "weapon": "sword"}
    for given, at in (
        ({**sub, "action": "standard_attack"}, "/action"),
        ({**sub, "action": "charge", "options": {"mode": "knock_down"}}, "/options/mode"),
    ):
        for language, words in WORDS.items():
            header = {"accept-language": language}
            refused = await real.post(f"{duel.home}/actions", given, headers=header)
            assert refused.status_code == 409, refused.text
            (reason,) = refused.json()["reasons"]
            assert (reason["code"], reason["at"], reason["kind"]) == (CODE, at, "permission")
            assert words in reason["message"]
            foreseen = (await real.post(f"{duel.home}/actions/preview", given, headers=header)).json()
            assert (foreseen["legal"], foreseen["reasons"]) == (False, [reason])

    log = await duel.act(who, "move", type="half", said={"length": 2, "leaves": [f"ref:{foe}"]})
    (attack,) = [one for one in of_type(log, "check_rolled") if one["purpose"] == "attack"]
    assert attack["outcome"] == "success"
    await duel.close()


async def test_what_ends_a_turn_cannot_be_forbidden(real: Table) -> None:
    path = f"/v1/campaigns/{real.campaign}/house-rules/ours"
    document = {"extends": "shadowrun_5e", "actions": {"end_turn": None, "end_phase": {"forbidden": True}}}
    refused = await real.send("PUT", path, json=document)
    assert [(one["at"], one["code"]) for one in refused.json()["errors"]] == [
        ("/actions/end_phase/forbidden", "ends_turn"),
        ("/actions/end_turn", "ends_turn"),
    ]
    assert "no fight goes on" in refused.json()["errors"][0]["message"]


async def test_the_difference_says_what_is_forbidden(real: Table) -> None:
    path = f"/v1/campaigns/{real.campaign}/house-rules/ours"
    document = {"extends": "manewry_ap", "actions": {"charge": None}}
    assert (await real.send("PUT", path, json=document)).status_code == 201
    (item,) = (await real.get(f"{path}/diff", headers={"accept-language": "pl"})).json()["items"]
    assert (item["at"], item["change"], item["field"]) == ("/actions/charge", "forbidden", None)
    assert item["text"].endswith(": zakazano")
