"""Seats at a table: codes that are exchanged for tokens, exactly as often as they may be."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from app.persistence import tables
from tests.api.table import Table, table

LOOK = re.compile(r"[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}")


@pytest.fixture(params=["sqlite_url", "migrated_postgres_url"])
async def seats(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    """A campaign with everybody's tokens, on either database."""
    async with table(request.getfixturevalue(request.param)) as opened:
        yield opened


async def invited(seats: Table, **fields: Any) -> Any:
    """A new invite."""
    return await seats.made(f"/v1/campaigns/{seats.campaign}/invites", {"role": "player", **fields})


async def join(seats: Table, code: str, name: str = "Ola", **fields: Any) -> httpx.Response:
    """Somebody who has no token yet comes with a code."""
    return await seats.post("/v1/join", {"code": code, "name": name}, None, **fields)


async def left(seats: Table, invite: Any) -> int:
    """How many may still come by it."""
    found: int = (await seats.get(f"/v1/campaigns/{seats.campaign}/invites/{invite['id']}")).json()["uses_left"]
    return found


async def test_a_code_is_exchanged_for_a_token_that_can_be_played_with(seats: Table) -> None:
    await seats.duel()
    invite = await invited(seats, combatants=["ref:ann"], uses=4)
    joined = await join(seats, invite["code"])

    told = joined.json()
    assert joined.status_code == 201
    assert joined.headers["cache-control"] == "no-store"
    assert LOOK.fullmatch(invite["code"])
    assert (told["role"], told["name"], told["combatants"]) == ("player", "Ola", ["ref:ann"])
    assert (told["campaign"], told["encounter"], told["invite"]) == (seats.campaign, None, invite["id"])
    seats.tokens["ola"] = told["token"]
    assert (await seats.post(f"{seats.encounter}/actions", seats.strike(), "ola")).status_code == 201
    assert (await seats.post(f"{seats.encounter}/rulings", {"reason": "x", "changes": []}, "ola")).status_code == 403
    assert await left(seats, invite) == 3


async def test_the_list_of_tokens_tells_who_came_by_which_invite(seats: Table) -> None:
    invite = await invited(seats, uses=2)
    await join(seats, invite["code"], "Ola")

    listed = (await seats.get(f"/v1/campaigns/{seats.campaign}/tokens")).json()["items"]

    assert {one["name"]: one["invite"] for one in listed if one["name"] in ("Ola", "Ann")} == {
        "Ola": invite["id"],
        "Ann": None,
    }


async def test_twenty_at_once_get_exactly_as_many_tokens_as_there_are_uses(seats: Table) -> None:
    invite = await invited(seats, uses=4)

    answers = await asyncio.gather(*(join(seats, invite["code"], f"Player {number}") for number in range(20)))

    good = [answer.json()["token"] for answer in answers if answer.status_code == 201]
    assert len(set(good)) == len(good) == 4
    assert {answer.status_code for answer in answers} == {201, 404}
    assert await left(seats, invite) == 0
    listed = (await seats.get(f"/v1/campaigns/{seats.campaign}/tokens")).json()["items"]
    assert sum(one["invite"] == invite["id"] for one in listed) == 4


async def test_a_join_that_is_sent_again_gets_the_same_token_and_burns_no_second_use(seats: Table) -> None:
    invite = await invited(seats, uses=2)
    headers = {"idempotency-key": "0123456789abcdef"}

    first, *again = await asyncio.gather(*(join(seats, invite["code"], headers=headers) for _ in range(4)))
    sloppy = await join(seats, invite["code"], "Ala", headers=headers)

    assert first.status_code == 201
    assert {answer.content for answer in again} == {first.content}
    assert await left(seats, invite) == 1
    assert (sloppy.status_code, sloppy.json()["code"]) == (422, "idempotency_key_reused")
    await seats.send("DELETE", f"/v1/campaigns/{seats.campaign}/invites/{invite['id']}")
    late = await join(seats, invite["code"], headers=headers)
    assert late.content == first.content
    assert late.headers["idempotency-replayed"] == "true"


async def test_a_join_that_is_sent_again_gets_no_token_that_is_good_no_more(seats: Table) -> None:
    invite = await invited(seats, uses=2)
    headers = {"idempotency-key": "0123456789abcdef"}
    first = await join(seats, invite["code"], headers=headers)
    assert first.status_code == 201

    await seats.send("DELETE", f"/v1/campaigns/{seats.campaign}/tokens/{first.json()['id']}")
    late = await join(seats, invite["code"], headers=headers)

    assert (late.status_code, late.json()["code"]) == (404, "code_invalid")
    assert first.json()["token"] not in late.text
    assert await left(seats, invite) == 1


async def test_a_key_that_others_could_guess_is_refused(seats: Table) -> None:
    invite = await invited(seats)

    refused = await join(seats, invite["code"], headers={"idempotency-key": "1"})

    assert (refused.status_code, refused.json()["errors"][0]["at"]) == (422, "/Idempotency-Key")
    assert await left(seats, invite) == 1


async def test_keys_of_two_codes_have_nothing_to_do_with_each_other(seats: Table) -> None:
    one, other = await invited(seats), await invited(seats)
    headers = {"idempotency-key": "0123456789abcdef"}

    first, second = await join(seats, one["code"], headers=headers), await join(seats, other["code"], headers=headers)

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json()["token"] != second.json()["token"]


async def test_an_invite_that_is_asked_for_again_has_the_same_code(seats: Table) -> None:
    headers = {"idempotency-key": "k1"}
    path = f"/v1/campaigns/{seats.campaign}/invites"
    first = await seats.post(path, {"role": "spectator"}, headers=headers)
    again = await seats.post(path, {"role": "spectator"}, headers=headers)

    assert again.content == first.content
    assert again.headers["idempotency-replayed"] == "true"
    assert first.headers["location"] == f"{path}/{first.json()['id']}"
    assert len((await seats.get(path)).json()["items"]) == 1


async def test_a_code_is_read_as_people_say_it(seats: Table) -> None:
    code = (await invited(seats, uses=5))["code"]
    plain = code.replace("-", "")
    ways = [plain.lower(), " ".join(plain), plain.replace("0", "O").replace("1", "l"), code.replace("1", "I").lower()]

    assert [(await join(seats, way)).status_code for way in ways] == [201] * 4


async def test_whatever_is_wrong_with_a_code_the_answer_is_the_same(seats: Table) -> None:
    campaign = f"/v1/campaigns/{seats.campaign}/invites"
    used, revoked, late, orphan = [await invited(seats, expires_in_s=600) for _ in range(4)]
    await join(seats, used["code"])
    await seats.send("DELETE", f"{campaign}/{revoked['id']}")
    service, real = seats.app.state.parts.service, seats.app.state.parts.service.clock
    await seats.create()
    orphan = await invited(seats, role="co_gm", encounter=seats.encounter.rsplit("/", 1)[-1])
    assert (await seats.send("DELETE", seats.encounter)).status_code == 204
    codes = ["0000-0000", "nothing", "!", used["code"], revoked["code"], orphan["code"]]
    answers = [await join(seats, code) for code in codes]
    service.clock = lambda: real() + 601_000
    answers.append(await join(seats, late["code"]))
    service.clock = real

    bodies = [{**answer.json(), "request_id": ""} for answer in answers]
    assert {answer.status_code for answer in answers} == {404}
    assert all(body == bodies[0] for body in bodies)
    assert bodies[0]["code"] == "code_invalid"
    assert await left(seats, late) == await left(seats, orphan) == 1
    assert (await join(seats, late["code"])).status_code == 201


@pytest.mark.parametrize(("language", "title"), [("ru", "войти"), ("pl", "kod")])
async def test_the_refusal_is_told_in_the_readers_language(seats: Table, language: str, title: str) -> None:
    refused = await join(seats, "0000-0000", headers={"accept-language": language})

    assert title in refused.json()["title"]


async def test_a_code_stands_nowhere_in_the_database(seats: Table) -> None:
    made = await seats.post(
        f"/v1/campaigns/{seats.campaign}/invites", {"role": "player"}, headers={"idempotency-key": "k2"}
    )
    code, key = made.json()["code"], "0123456789abcdef"
    token = (await join(seats, code, headers={"idempotency-key": key})).json()["token"]

    def rows(connection: Any) -> str:
        found = [connection.execute(select(one)).all() for one in (tables.invite, tables.token, tables.idempotency)]
        return repr(found)

    text = await seats.app.state.parts.service.store.read(rows)
    assert key in text
    assert code.lower() not in text.lower()
    assert code.replace("-", "").lower() not in text.lower()
    assert token.split("_", 2)[2] not in text


async def test_an_invite_is_for_a_seat_that_can_be(seats: Table) -> None:
    path = f"/v1/campaigns/{seats.campaign}/invites"
    bodies = (
        {"role": "co_gm"},
        {"role": "spectator", "combatants": ["ref:ann"]},
        {"role": "co_gm", "encounter": "enc_nothere"},
        {"role": "gm"},
        {"role": "player", "uses": 0},
        {"role": "player", "uses": 101},
        {"role": "player", "expires_in_s": None},
    )
    refused = [await seats.post(path, body) for body in bodies]

    assert [answer.status_code for answer in refused] == [422] * len(bodies)
    places = ["/encounter", "/combatants", "/encounter", "/role", "/uses", "/uses", "/expires_in_s"]
    assert [answer.json()["errors"][0]["at"] for answer in refused] == places


async def test_a_co_gm_comes_by_a_code_and_has_one_encounter(seats: Table) -> None:
    await seats.duel()
    name, first = seats.encounter.rsplit("/", 1)[-1], seats.encounter
    invite = await invited(seats, role="co_gm", encounter=name)
    seats.tokens["co"] = (await join(seats, invite["code"], "Co")).json()["token"]
    await seats.create()

    assert (await seats.get(seats.encounter, "co")).status_code == 404
    seen = (await seats.get(first, "co")).json()
    assert "notes" in seen["combatants"][0]
    body = {"reason": "so be it", "changes": [{"combatant": "ref:orc", "add_effect": {"id": "prone"}}]}
    assert (await seats.post(f"{first}/rulings", body, "co")).status_code == 201
    assert (await seats.send("DELETE", first, "co")).status_code == 403
    assert (await seats.post(f"/v1/campaigns/{seats.campaign}/invites", {"role": "player"}, "co")).status_code == 403
    assert [one["id"] for one in (await seats.get("/v1/encounters", "co")).json()["items"]] == [name]


async def test_invites_and_tokens_are_counted(seats: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.services import invites, tokens

    path = f"/v1/campaigns/{seats.campaign}/invites"
    monkeypatch.setattr(invites, "INVITES_PER_CAMPAIGN", 2)
    monkeypatch.setattr(tokens, "TOKENS_PER_CAMPAIGN", 5)
    first, _ = await invited(seats, uses=5), await invited(seats)
    full = await seats.post(path, {"role": "player"})
    assert (full.status_code, full.json()["code"], full.json()["limit"]) == (409, "limit_reached", 2)

    assert (await join(seats, first["code"])).status_code == 201
    crowded = await join(seats, first["code"])

    assert (crowded.status_code, crowded.json()["limit"]) == (409, 5)
    assert await left(seats, first) == 4
    await seats.send("DELETE", f"{path}/{first['id']}")
    assert (await seats.post(path, {"role": "player"})).status_code == 201


async def test_pages_of_invites_hang_together(seats: Table) -> None:
    made = [(await invited(seats))["id"] for _ in range(3)]
    path = f"/v1/campaigns/{seats.campaign}/invites"
    first = (await seats.get(f"{path}?limit=2")).json()
    second = (await seats.get(f"{path}?limit=2&after={first['next_cursor']}")).json()
    bad = await seats.get(f"{path}?after=inv_nothere")

    assert [one["id"] for one in first["items"] + second["items"]] == made
    assert second["next_cursor"] is None
    assert bad.json()["errors"][0]["at"] == "/after"
    assert all("code" not in one for one in first["items"])


async def test_whoever_guesses_has_to_wait(url: str) -> None:
    async with table(url, rate_limits=True, rate_join="4 per 1 minute", rate_address="1000 per 1 second") as seats:
        code = (await invited(seats))["code"]
        answers = await asyncio.gather(*(join(seats, f"0000-{number:04}") for number in range(9)))

        assert sorted(answer.status_code for answer in answers) == [404] * 4 + [429] * 5
        late = await join(seats, code)
        assert late.status_code == 429
        assert int(late.headers["retry-after"]) > 0
        assert (await seats.get(f"/v1/campaigns/{seats.campaign}")).status_code == 200
