"""Streams by ticket, and what open streams and long polls notice when a token is changed or revoked."""

import asyncio
import io
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from app.api import logs
from app.persistence import tables
from tests.api.table import Table, fighter, table


@pytest.fixture(params=["sqlite_url", "migrated_postgres_url"])
async def duel(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    """A running fight in which it is Ann's turn, on either database."""
    async with table(request.getfixturevalue(request.param)) as opened:
        await opened.duel(
            fighter("ann", "blue", dice="client"),
            fighter("orc", "red", dice="client"),
            fighter("spy", "red", hidden=True),
        )
        yield opened


async def ticket(duel: Table, who: str = "ann", **fields: Any) -> str:
    """A new ticket."""
    made: str = (await duel.made(f"{duel.encounter}/stream-tickets", None, who, **fields))["ticket"]
    return made


async def stream(duel: Table, given: str, encounter: str = "", **params: Any) -> httpx.Response:
    """Follow with nothing but a ticket."""
    params = {"max_events": 1, **params}
    return await duel.get(f"{encounter or duel.encounter}/stream", None, params={"ticket": given, **params})


def token_of(duel: Table, who: str) -> str:
    """The address of somebody's token."""
    return f"/v1/campaigns/{duel.campaign}/tokens/tok_{duel.tokens[who].split('_')[1]}"


async def test_a_ticket_opens_one_stream_with_its_tokens_eyes(duel: Table) -> None:
    given = await ticket(duel)

    opened, again = await stream(duel, given), await stream(duel, given)

    shown = json.loads(opened.text.split("data: ", 1)[1].splitlines()[0])
    assert {one["name"] for one in shown["combatants"]} == {"Ann", "Orc"}
    assert (again.status_code, again.json()["code"]) == (401, "ticket_invalid")
    as_gm = await stream(duel, await ticket(duel, "gm"))
    assert '"Spy"' in as_gm.text


async def test_the_stream_speaks_the_language_in_which_the_ticket_was_asked_for(duel: Table) -> None:
    given = await ticket(duel, headers={"accept-language": "pl"})
    told = (await duel.get(f"{duel.encounter}/log", "ann", headers={"accept-language": "pl"})).json()

    opened = await stream(duel, given, after=0, max_events=len(told["items"]))

    texts = [json.loads(line[6:])["text"] for line in opened.text.splitlines() if line.startswith("data: ")]
    assert texts == [one["text"] for one in told["items"]]
    english = (await duel.get(f"{duel.encounter}/log", "ann")).json()
    assert texts != [one["text"] for one in english["items"]]


async def test_of_twenty_who_use_it_at_once_exactly_one_wins(duel: Table) -> None:
    given = await ticket(duel)

    answers = await asyncio.gather(*(stream(duel, given) for _ in range(20)))

    assert sorted(answer.status_code for answer in answers) == [200] + [401] * 19


async def test_whatever_is_wrong_with_a_ticket_the_answer_is_the_same(duel: Table) -> None:
    path, parts = duel.encounter, duel.app.state.parts
    used, late, revoked = await ticket(duel), await ticket(duel), await ticket(duel, "orc")
    await stream(duel, used)
    await duel.send("DELETE", token_of(duel, "orc"))
    elsewhere = await ticket(duel)
    await duel.create()
    other, real = duel.encounter, parts.service.clock
    refused = [await stream(duel, one, path) for one in ("twt_nothing", "!", f"twt_{'a' * 43}", used, revoked)]
    refused.append(await stream(duel, elsewhere, other))
    parts.service.clock = lambda: real() + 61_000
    refused.append(await stream(duel, late, path))
    parts.service.clock = real

    bodies = [{**answer.json(), "request_id": "", "instance": ""} for answer in refused]
    assert {answer.status_code for answer in refused} == {401}
    assert all(body == bodies[0] for body in bodies)
    assert (await stream(duel, elsewhere, path)).status_code == 200, "a wrong address does not use it up"


async def test_a_request_carries_a_ticket_or_a_token(duel: Table) -> None:
    both = await duel.get(f"{duel.encounter}/stream", "ann", params={"ticket": await ticket(duel)})
    misplaced = await duel.get(f"{duel.encounter}/log", None, params={"ticket": await ticket(duel)})

    assert (both.status_code, both.json()["errors"][0]["at"]) == (422, "/ticket")
    assert misplaced.status_code in (401, 422)


async def test_who_may_not_follow_gets_no_ticket(duel: Table) -> None:
    assert (await duel.post(f"{duel.encounter}/stream-tickets", None, "stranger")).status_code == 404
    assert (await duel.post(f"{duel.encounter}/stream-tickets", None, "watcher")).status_code == 201


async def test_a_ticket_that_is_asked_for_again_is_the_same_one(duel: Table) -> None:
    headers = {"idempotency-key": "k1"}
    first = await duel.post(f"{duel.encounter}/stream-tickets", None, "ann", headers=headers)
    again = await duel.post(f"{duel.encounter}/stream-tickets", None, "ann", headers=headers)

    assert again.content == first.content
    assert first.headers["cache-control"] == "no-store"
    assert (await stream(duel, first.json()["ticket"])).status_code == 200


async def test_tickets_are_counted_and_old_ones_are_swept(duel: Table) -> None:
    for _ in range(20):
        await ticket(duel)
    full = await duel.post(f"{duel.encounter}/stream-tickets", None, "ann")
    assert (full.status_code, full.json()["limit"]) == (409, 20)

    service = duel.app.state.parts.service
    real = service.clock
    service.clock = lambda: real() + 61_000
    await ticket(duel)
    service.clock = real

    count = select(func.count()).select_from(tables.stream_ticket)
    assert await service.store.read(lambda connection: connection.execute(count).scalar_one()) == 1


async def test_a_ticket_stands_in_no_log_and_not_in_the_database(duel: Table) -> None:
    written = io.StringIO()
    pen = logs.set_up("info", as_json=True, stream=written)
    try:
        given = await ticket(duel, headers={"idempotency-key": "k2"})

        def rows(connection: Any) -> str:
            return repr([connection.execute(select(one)).all() for one in (tables.stream_ticket, tables.idempotency)])

        kept = await duel.app.state.parts.service.store.read(rows)
        await stream(duel, given)
        await stream(duel, given)
    finally:
        pen.close()

    assert "stream-tickets" in written.getvalue()
    for text in (written.getvalue(), kept):
        assert given not in text
        assert given.removeprefix("twt_") not in text
    assert given not in logs.redact(f"GET /stream?ticket={given}")


@pytest.mark.parametrize("change", ["revoked", "demoted", "narrowed"])
async def test_an_open_stream_ends_when_its_token_is_changed_though_there_is_always_news(
    duel: Table, change: str
) -> None:
    made = await duel.made(f"/v1/campaigns/{duel.campaign}/tokens", {"role": "gm", "name": "Second"})
    duel.tokens["second"] = made["token"]
    following = asyncio.create_task(stream(duel, await ticket(duel, "second"), max_events=10_000))
    await asyncio.sleep(0.3)
    path = token_of(duel, "second")
    if change == "revoked":
        assert (await duel.send("DELETE", path)).status_code == 204
    else:
        body = {"role": "spectator"}
        if change == "narrowed":
            await duel.create()
            body = {"role": "co_gm", "encounter": duel.encounter.rsplit("/", 1)[-1]}
        assert (await duel.send("PATCH", path, json=body)).status_code == 200
    changed = time.monotonic()
    while not following.done() and time.monotonic() - changed < 6:
        await duel.send("PATCH", duel.encounter, json={"name": "Again"})
        await asyncio.sleep(0.2)

    assert following.done()
    assert time.monotonic() - changed < 5
    assert (await following).status_code == 200


async def test_a_long_poll_ends_when_its_token_is_revoked(duel: Table) -> None:
    cursor = (await duel.get(duel.encounter, "ann")).json()["cursor"]
    polling = asyncio.create_task(duel.get(f"{duel.encounter}/log", "ann", params={"after": cursor, "wait": 20}))
    await asyncio.sleep(0.2)

    await duel.send("DELETE", token_of(duel, "ann"))
    ended = await asyncio.wait_for(polling, 5)

    assert (ended.status_code, ended.json()["code"]) == (401, "token_invalid")


async def test_a_long_poll_of_a_gm_who_is_one_no_more_tells_him_nothing_hidden(duel: Table) -> None:
    made = await duel.made(f"/v1/campaigns/{duel.campaign}/tokens", {"role": "gm", "name": "Second"})
    duel.tokens["second"] = made["token"]
    cursor = (await duel.get(duel.encounter, "second")).json()["cursor"]
    path, params = f"{duel.encounter}/log", {"after": cursor, "wait": 20}
    polling = asyncio.create_task(duel.get(path, "second", params=params))
    await asyncio.sleep(0.2)

    await duel.send("PATCH", token_of(duel, "second"), json={"role": "spectator"})
    await duel.made(
        f"{duel.encounter}/rulings",
        {"reason": "secret", "changes": [{"combatant": "ref:spy", "resource": "hits", "set": 2}]},
    )
    ended = await asyncio.wait_for(polling, 5)

    # The GM's cursor lies beyond what a spectator can know of, as after any such change: he takes a snapshot.
    assert (ended.status_code, ended.json()["code"]) == (410, "cursor_gone")


async def test_ownership_counts_at_once_in_lists_of_actions_and_for_a_decision_that_is_open(duel: Table) -> None:
    struck = await duel.made(f"{duel.encounter}/actions", duel.strike(rolls={"to_hit": [1]}), "ann")
    asked = struck["waiting_for"][0]
    decision = f"{duel.encounter}/decisions/{asked['id']}"
    answer = {"dice": [1]} if asked["kind"] == "roll" else {"option": asked["default"]}
    assert asked["for"] == await duel.id_of("orc")
    orc, ann = token_of(duel, "orc"), token_of(duel, "ann")
    actions = f"{duel.encounter}/combatants/ref:orc/actions"

    assert (await duel.get(actions, "ann")).status_code == 403
    await duel.send("PATCH", ann, json={"combatants": ["ref:ann", "ref:orc"]})
    assert (await duel.get(actions, "ann")).status_code == 200
    assert (await duel.get(actions, "orc")).status_code == 200, "two players may act for one"
    await duel.send("PATCH", orc, json={"combatants": []})

    assert (await duel.get(actions, "orc")).status_code == 403
    assert (await duel.post(decision, answer, "orc")).status_code == 403
    assert (await duel.post(decision, answer, "ann")).status_code == 201


async def test_a_player_who_becomes_something_else_acts_for_nobody(duel: Table) -> None:
    changed = await duel.send("PATCH", token_of(duel, "ann"), json={"role": "spectator"})

    assert (changed.json()["role"], changed.json()["combatants"]) == ("spectator", [])
    assert (await duel.post(f"{duel.encounter}/actions", duel.strike(), "ann")).status_code == 403
    for body in ({"role": "co_gm"}, {"role": "gm", "encounter": duel.encounter.rsplit("/", 1)[-1]}):
        refused = await duel.send("PATCH", token_of(duel, "ann"), json=body)
        assert (refused.status_code, refused.json()["errors"][0]["at"]) == (422, "/encounter")
