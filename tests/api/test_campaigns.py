"""Campaigns and tokens: made, listed in pages, read."""

from tests.api.table import Table


async def test_a_campaign_is_found_where_its_answer_says(seats: Table) -> None:
    made = await seats.post("/v1/campaigns", {"name": "Thursday"}, "admin")

    assert made.status_code == 201
    found = await seats.get(made.headers["location"], "admin")
    assert found.json() == {k: v for k, v in made.json().items() if k != "gm_token"}
    assert found.json()["created_at"].endswith("Z")


async def test_each_sees_his_own_campaigns(seats: Table) -> None:
    assert seats.app is not None, "nobody else has a campaign here"
    for who, count in (("gm", 1), ("ann", 1), ("admin", 2)):
        told = (await seats.get("/v1/campaigns", who)).json()
        assert len(told["items"]) == count


async def test_lists_come_in_pages_that_miss_and_repeat_nothing(seats: Table) -> None:
    assert seats.app is not None, "nobody else has a campaign here"
    for number in range(5):
        await seats.made("/v1/campaigns", {"name": f"Table {number}"}, "admin")
    whole = [one["id"] for one in (await seats.get("/v1/campaigns", "admin")).json()["items"]]

    seen: list[str] = []
    path: str | None = "/v1/campaigns?limit=2"
    while path:
        page = await seats.get(path, "admin")
        seen += [one["id"] for one in page.json()["items"]]
        link = page.headers.get("link")
        path = None if link is None else link[1 : link.index(">")]

    assert seen == whole
    assert len(seen) == 7


async def test_tokens_are_listed_without_secrets_and_in_pages(seats: Table) -> None:
    path = f"/v1/campaigns/{seats.campaign}/tokens"

    first = await seats.get(path, params={"limit": 3})
    link = first.headers["link"]
    second = await seats.get(link[1 : link.index(">")])

    names = [one["name"] for one in first.json()["items"] + second.json()["items"]]
    assert names == ["GM", "Ann", "Otto", "Wanda"]
    assert second.json()["next_cursor"] is None


async def test_revoking_twice_changes_nothing(seats: Table) -> None:
    path = f"/v1/campaigns/{seats.campaign}/tokens"
    made = await seats.made(path, {"role": "spectator", "name": "Guest"})

    first = await seats.send("DELETE", f"{path}/{made['id']}")
    revoked = (await seats.get(f"{path}/{made['id']}")).json()["revoked_at"]
    again = await seats.send("DELETE", f"{path}/{made['id']}")

    assert first.status_code == again.status_code == 204
    assert (await seats.get(f"{path}/{made['id']}")).json()["revoked_at"] == revoked


async def test_a_campaign_has_only_so_many_tokens(seats: Table) -> None:
    path = f"/v1/campaigns/{seats.campaign}/tokens"
    for number in range(196):
        await seats.made(path, {"role": "spectator", "name": f"Guest {number}"})

    refused = await seats.post(path, {"role": "spectator", "name": "One more"})

    assert (refused.status_code, refused.json()["code"], refused.json()["limit"]) == (409, "limit_reached", 200)


async def test_a_token_is_narrowed_only_to_an_encounter_of_its_campaign(seats: Table) -> None:
    body = {"role": "spectator", "name": "Guest", "encounter": "enc_0"}

    refused = await seats.post(f"/v1/campaigns/{seats.campaign}/tokens", body)

    assert refused.json()["errors"] == [
        {"code": "bad_id", "at": "/encounter", "message": "This cannot be an id."},
    ]


async def test_a_players_combatant_is_an_id_or_a_ref_and_nothing_else(seats: Table) -> None:
    path = f"/v1/campaigns/{seats.campaign}/tokens"

    refused = await seats.post(path, {"role": "player", "name": "Ola", "combatants": ["sable"]}, "gm")

    assert refused.status_code == 422
    assert [one["at"] for one in refused.json()["errors"]] == ["/combatants/0"]
