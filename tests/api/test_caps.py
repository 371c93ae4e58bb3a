"""T9, caps: each is taken at its limit and refused one above, with a code of its own that says which it is."""

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from app.catalog import Catalog
from app.engine.scene import MAX_DEPTH, Scene
from app.services import house_rules, play
from app.services.invites import INVITES_PER_CAMPAIGN
from app.services.maps import MOST_REGIONS, MOST_WALLS
from app.services.newcomers import MAX_COMBATANTS
from app.services.play import MAX_OPEN
from app.services.rulings import MAX_EFFECTS
from app.services.tickets import TICKETS_PER_TOKEN
from app.services.tokens import TOKENS_PER_CAMPAIGN
from tests.api.table import Table, fighter, table
from tests.support import toy
from tests.support.play import catalog as real_rules

Json = dict[str, Any]


def test_the_caps_are_those_that_are_promised() -> None:
    assert (
        *(200, 64, 2_000, 50),
        *(1_000_000, 16),
    ) == (MAX_COMBATANTS, MAX_EFFECTS, MOST_WALLS, MAX_OPEN, play.MAX_EVENTS, MAX_DEPTH)


def is_cap(response: Any, code: str, limit: int) -> None:
    """It says which cap was met, and where it lies."""
    told = response.json()
    assert (response.status_code, told["code"], told["limit"]) == (409, "limit_reached", limit), told
    assert [one["code"] for one in told["errors"]] == [code]
    assert str(limit) in told["detail"]


async def test_combatants(seats: Table) -> None:
    await seats.create({"side": "red", "sample": "orc", "count": MAX_COMBATANTS - 1})
    path = f"{seats.encounter}/combatants"
    await seats.made(path, {"combatants": [fighter("last", "blue")]})

    is_cap(await seats.post(path, {"combatants": [fighter("more", "blue")]}), "too_many_combatants", MAX_COMBATANTS)
    is_cap(
        await seats.post(f"{path}/ref:last/duplicate", {"count": 1}),
        "too_many_combatants",
        MAX_COMBATANTS,
    )
    assert (await seats.send("DELETE", f"{path}/ref:last")).status_code in (200, 201)
    await seats.made(path, {"combatants": [fighter("again", "blue")]})
    for count in (MAX_COMBATANTS, MAX_COMBATANTS + 1):
        body = {
            "campaign": seats.campaign,
            "name": "Crowd",
            "ruleset": toy.TOY,
            "combatants": [
                {"side": "red", "sample": "orc", "count": count - 100},
                {"side": "blue", "sample": "ann", "count": 100},
            ],
        }
        made = await seats.post("/v1/encounters", body)
        if count == MAX_COMBATANTS:
            assert made.status_code == 201, made.text
        else:
            is_cap(made, "too_many_combatants", MAX_COMBATANTS)


def changed(**parts: Any) -> Catalog:
    """The toy ruleset with other actions or effects."""
    book = toy.rulebook()
    rules: Any = book.ruleset
    anew = dataclasses.replace(rules, **{name: {**getattr(rules, name), **part} for name, part in parts.items()})
    return Catalog({toy.TOY: dataclasses.replace(book, ruleset=anew)})


async def test_conditions(url: str) -> None:
    fear = replace(toy.rules().effects["shaken"], stacks=True)
    async with table(url, catalog=changed(effects={"shaken": fear})) as seats:
        await seats.duel()
        path = f"{seats.encounter}/rulings"

        def ruling(count: int, effect: str = "shaken") -> Json:
            return {"reason": "fear", "changes": [{"combatant": "ref:orc", "add_effect": {"id": effect}}] * count}

        is_cap(await seats.post(path, ruling(MAX_EFFECTS + 1)), "too_many_effects", MAX_EFFECTS)
        await seats.made(path, ruling(MAX_EFFECTS - 2))
        # One that does not stack takes the place of the one before it.
        await seats.made(path, ruling(MAX_EFFECTS, "prone"))
        await seats.made(path, ruling(1))
        is_cap(await seats.post(path, ruling(1)), "too_many_effects", MAX_EFFECTS)
        await seats.made(path, ruling(1, "prone"))
        orc = (await seats.get(f"{seats.encounter}/combatants/ref:orc")).json()
        assert len(orc["effects"]) == MAX_EFFECTS


async def test_walls_regions_and_the_size_of_a_map(seats: Table) -> None:
    def space(**fields: Any) -> Json:
        return {"mode": "map", **fields}

    def walls(count: int) -> Json:
        return space(walls=[{"a": [number, 0], "b": [number, 1]} for number in range(count)])

    def regions(count: int) -> Json:
        triangle = [[0, 0], [1, 0], [0, 1]]
        return space(regions=[{"kind": "mud", "shape": triangle} for _ in range(count)])

    def reach(length: float) -> Json:
        return space(walls=[{"a": [-length, 0], "b": [length, 1]}])

    body = {"campaign": seats.campaign, "name": "Maze", "ruleset": toy.TOY, "combatants": [fighter("ann", "blue")]}
    for within, beyond, at in (
        (walls(MOST_WALLS), walls(MOST_WALLS + 1), "/space/walls"),
        (reach(10_000), reach(10_000.01), "/space/walls/0"),
    ):
        assert (await seats.post("/v1/encounters", {**body, "space": within})).status_code == 201, at
        refused = await seats.post("/v1/encounters", {**body, "space": beyond})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
        assert refused.json()["errors"][0]["at"].startswith(at)
    refused = await seats.post("/v1/encounters", {**body, "space": regions(MOST_REGIONS + 1)})
    assert (refused.status_code, refused.json()["errors"][0]["at"]) == (422, "/space/regions")


async def test_open_decisions(seats: Table) -> None:
    crowd = {"side": "red", "sample": "orc", "count": MAX_OPEN + 2, "dice": "server"}
    people = (fighter("ann", "blue", dice="client"), crowd)
    await seats.duel(*people)
    everybody = (await seats.get(f"{seats.encounter}/combatants")).json()["items"]
    foes = [one["id"] for one in everybody if one["side"] == "red"]
    body = {"actor": "ref:ann", "action": "blast", "targets": foes, "rolls": {}}

    told = await seats.made(f"{seats.encounter}/actions", body)

    open_ones = (await seats.get(f"{seats.encounter}/decisions")).json()["items"]
    assert len(told["waiting_for"]) == len(open_ones) == MAX_OPEN
    told = await seats.made(f"{seats.encounter}/decisions/{open_ones[0]['id']}", {"option": "none"})
    assert len((await seats.get(f"{seats.encounter}/decisions")).json()["items"]) == MAX_OPEN


async def test_events(duel: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    duel.must_be_here("the limit is lowered in this process: nobody waits for a million events")
    shout = {"actor": "ref:ann", "action": "shout", "targets": ["ref:orc"]}
    held = (await duel.get(f"{duel.encounter}/log?before=1000&limit=1")).json()["items"][0]["seq"]
    monkeypatch.setattr(play, "MAX_EVENTS", held + 1)

    await duel.made(f"{duel.encounter}/actions", shout)
    monkeypatch.setattr(play, "MAX_EVENTS", held)

    is_cap(await duel.post(f"{duel.encounter}/actions", shout), "too_many_events", held)
    is_cap(await duel.post(f"{duel.encounter}/actions/preview", shout), "too_many_events", held)
    assert (await duel.get(duel.encounter)).status_code == 200


async def test_encounters(url: str) -> None:
    async with table(url, encounters_per_campaign=2) as seats:
        await seats.create()
        await seats.create()
        body = {"campaign": seats.campaign, "name": "Third", "ruleset": toy.TOY}

        is_cap(await seats.post("/v1/encounters", body), "too_many_encounters", 2)
        is_cap(await seats.post(f"{seats.encounter}/fork", {}), "too_many_encounters", 2)
        assert (await seats.send("DELETE", seats.encounter)).status_code == 204
        assert (await seats.post("/v1/encounters", body)).status_code == 201


async def test_house_rules(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house_rules, "NAMES_PER_CAMPAIGN", 1)
    monkeypatch.setattr(house_rules, "VERSIONS_PER_CAMPAIGN", 2)
    document: Json = {"extends": "manewry_ap", "options": {"base_st": 55}}
    async with table(url, catalog=real_rules()) as seats:
        base = f"/v1/campaigns/{seats.campaign}/house-rules"
        assert (await seats.send("PUT", f"{base}/one", json=document)).is_success
        is_cap(await seats.send("PUT", f"{base}/two", json=document), "too_many_house_rules", 1)
        document["options"] = {"base_st": 56}
        assert (await seats.send("PUT", f"{base}/one", json=document)).is_success
        document["options"] = {"base_st": 57}
        is_cap(await seats.send("PUT", f"{base}/one", json=document), "too_many_versions", 2)


async def test_invites_tickets_and_tokens(seats: Table) -> None:
    await seats.create()
    base = f"/v1/campaigns/{seats.campaign}"
    tickets = f"{seats.encounter}/stream-tickets"
    for path, body, held, code, limit in (
        (f"{base}/invites", {"role": "spectator"}, 0, "too_many_invites", INVITES_PER_CAMPAIGN),
        (tickets, None, 0, "too_many_tickets", TICKETS_PER_TOKEN),
        (f"{base}/tokens", {"role": "spectator", "name": "x"}, 4, "too_many_tokens", TOKENS_PER_CAMPAIGN),
    ):
        for _ in range(limit - held):
            assert (await seats.post(path, body)).status_code == 201, path
        is_cap(await seats.post(path, body), code, limit)


def with_reactions(levels: int) -> Catalog:
    """The toy ruleset with a shout that is answered by a shout, so many times over."""

    def deep(scene: Scene, left: int) -> None:
        if left:
            with scene.within("reaction", str(left), "again"):
                deep(scene, left - 1)

    shout = replace(toy.rules().actions["shout"], resolve=lambda scene, sub, action: deep(scene, levels))
    return changed(actions={"shout": shout})


BEGUN = 1
"""What an action itself adds to the depth; each reaction to a reaction may add three."""


@pytest.mark.parametrize(("levels", "status"), [(MAX_DEPTH * 3 - BEGUN, 201), (MAX_DEPTH * 3 - BEGUN + 1, 409)])
async def test_reactions_to_reactions(url: str, levels: int, status: int) -> None:
    async with table(url, catalog=with_reactions(levels)) as seats:
        await seats.duel()
        version = (await seats.get(seats.encounter)).json()["version"]
        shout = {"actor": "ref:ann", "action": "shout", "targets": ["ref:orc"]}

        answer = await seats.post(f"{seats.encounter}/actions", shout)

        assert answer.status_code == status, answer.text
        assert (await seats.get(seats.encounter)).json()["version"] == version + (status == 201)
        if status == 409:
            is_cap(answer, "too_deep", MAX_DEPTH)
            is_cap(await seats.post(f"{seats.encounter}/actions/preview", shout), "too_deep", MAX_DEPTH)
            assert (await seats.post(f"{seats.encounter}/end-turn")).status_code == 201
