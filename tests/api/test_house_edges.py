"""The edges of putting house rules: names, limits, only the first, and figures as people write them."""

from typing import Any

import pytest

from app.catalog import Rulebook
from app.services import house_rules
from tests.api.duels import Duel
from tests.api.table import Table
from tests.support.play import book

Json = dict[str, Any]
DOCUMENT: Json = {"extends": "manewry_ap", "options": {"base_st": 55}}


def path(seats: Table, name: str = "ours") -> str:
    return f"/v1/campaigns/{seats.campaign}/house-rules/{name}"


async def test_only_the_first_can_be_asked_for(real: Table) -> None:
    first = {"if-none-match": "*"}
    assert (await real.send("PUT", path(real), json=DOCUMENT, headers=first)).status_code == 201
    for document in (DOCUMENT, {**DOCUMENT, "options": {}}):
        refused = await real.send("PUT", path(real), json=document, headers=first)
        assert (refused.status_code, refused.json()["code"], refused.headers["etag"]) == (412, "stale_version", '"1"')
    assert (await real.get(path(real))).json()["document"] == DOCUMENT
    unread = await real.send("PUT", path(real), json=DOCUMENT, headers={"if-none-match": '"1"'})
    assert (unread.status_code, unread.json()["code"]) == (400, "invalid_header")
    assert (await real.send("DELETE", path(real))).status_code == 204
    again = await real.send("PUT", path(real), json=DOCUMENT, headers=first)
    assert (again.status_code, again.json()["version"]) == (201, 2)


@pytest.mark.parametrize("name", ["Ours", "1st", "a" * 65, "zasady-stołu", "a.b", "%20"])
async def test_a_name_that_cannot_be_one_is_told(real: Table, name: str) -> None:
    refused = await real.send("PUT", path(real, name), json=DOCUMENT)
    assert refused.status_code == 422, refused.text
    assert [(one["at"], one["code"]) for one in refused.json()["errors"]] == [("/name", "bad_id")]
    assert (await real.get(path(real, name))).status_code == 404
    strange = await real.send("PUT", f"/v1/campaigns/No One/house-rules/{name}", json=DOCUMENT)
    assert strange.status_code == 404


async def test_a_sample_that_no_encounter_would_take_is_refused(real: Table) -> None:
    document = {"extends": "wh40k_d100", "weapons": {"laspistol": {"clip": 5}}}
    (error,) = (await real.send("PUT", path(real), json=document, headers={"accept-language": "ru"})).json()["errors"]
    assert (error["at"], error["code"]) == ("/weapons/laspistol", "unfit_sample")
    assert error["message"] == "так никто не может начать бой: /samples/quad/items/laspistol/marks/ammo (0..5)"


async def test_bounds_are_written_out(real: Table) -> None:
    document = {"extends": "manewry_ap", "tables": {"core": {"melee_share": {"denominator": 10_000_000}}}}
    (error,) = (await real.send("PUT", path(real), json=document)).json()["errors"]
    assert error["message"] == "10000000 is outside 1 to 1000000"


async def test_one_clause_can_stand_behind_hundreds_of_entries(real: Table) -> None:
    name = {"en": "A blade with quite a long name for one"}
    sword = book("manewry_ap").document["weapons"]["sword"]
    document = {
        "extends": "manewry_ap",
        "modifiers": {
            f"row_{number}": {
                "name": {"en": f"Row of ours number {number}"},
                "stage": next(iter(book("manewry_ap").document["modifiers"].values()))["stage"],
                "value": 1,
                "when": {"all": [f"given.row_{number}"]},
                "clause": "HR-10",
            }
            for number in range(390)
        },
        "weapons": {"blade": {**sword, "name": name}},
    }
    made = await real.send("PUT", path(real), json=document)
    assert made.status_code == 201, made.text[:600]
    body = {"campaign": real.campaign, "name": "x", "ruleset": "manewry_ap", "house_rules": "ours"}
    home = f"/v1/encounters/{(await real.made('/v1/encounters', body))['id']}"
    text = (await real.get(f"{home}/ruleset/rules/HR-10")).json()["text"]
    assert text.startswith("This table's own rule: Row of ours number 0, ")
    assert text.endswith("…."), text


async def test_what_cannot_be_played_is_told_where_it_stands(real: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that is known of gets so far: the rules are made to fail on a figure that they know well."""
    ordinary = house_rules._try

    def fails(merged: Rulebook) -> None:
        if merged.ruleset.options["base_st"] == 55:
            raise ArithmeticError
        ordinary(merged)

    monkeypatch.setattr(house_rules, "_try", fails)
    document = {**DOCUMENT, "weapons": {"sword": {"ap_cost": 5}}}
    (error,) = (await real.send("PUT", path(real), json=document)).json()["errors"]
    assert (error["at"], error["code"]) == ("/options/base_st", "not_playable")


async def test_a_free_action_is_a_simple_one_once_it_is_spent(real: Table) -> None:
    duel = Duel(real, {"one/initiative": [5], "other/initiative": [2]})
    document = {"extends": "shadowrun_5e", "options": {"simple_as_free": True}}
    await duel.begin(document, {"sample": "razor"}, {"sample": "grisha"}, metres=10)
    await duel.turn_of("one")

    async def phrase() -> Json:
        listed = (await real.get(f"{duel.home}/combatants/ref:one/actions")).json()["actions"]
        found: Json = next(one for one in listed if one["id"] == "speak_phrase")
        return found

    for kind, budget in (("free", "free"), ("simple", "simple")):
        view = await phrase()
        assert (view["default_type"], view["available"]) == (kind, True)
        assert [cost["budget"] for cost in view["cost"]] == [budget]
        assert next(way["available"] for way in view["types"] if way["type"] == kind)
        before = await duel.left("one", budget)
        await duel.act("one", "speak_phrase")
        assert await duel.left("one", budget) == before - 1
    await duel.close()
