"""Tokens at the door: none, bad ones, old ones, changed ones. Who may do what stands in `test_authorization.py`."""

import asyncio
import hmac
import time
from typing import Any

import pytest
from sqlalchemy import delete

from app.api.operations import Operation
from app.api.routes import UNDOCUMENTED, operations
from app.persistence.tables import idempotency
from tests.api.table import Table

ALL = operations()
CLOSED = [operation for operation in ALL if not operation.is_open]

HOUSE = {"name": "ours", "action": "strike", "clause": "TOY-020"}


async def test_every_route_is_an_operation_or_on_the_short_list(shared: Table) -> None:
    known = {operation.path for operation in ALL} | set(UNDOCUMENTED)

    assert {getattr(route, "path", "?") for route in shared.app.routes} == known


@pytest.mark.parametrize("operation", CLOSED, ids=lambda one: one.id)
async def test_nobody_comes_in_without_a_good_token(shared: Table, operation: Operation) -> None:
    path = operation.path.format(
        encounter="enc_0",
        campaign="cmp_0",
        combatant="cmb_0",
        decision="dec_0",
        token="tok_0",
        invite="inv_0",
        webhook="whk_0",
        delivery="msg_0",
        version="1",
        **HOUSE,
    )
    missing = await shared.send(operation.method, path, None)
    bad = await shared.send(operation.method, path, None, headers={"authorization": f"Bearer tw_{'a' * 12}_{'b' * 43}"})

    assert (missing.status_code, missing.json()["code"]) == (401, "token_missing")
    assert (bad.status_code, bad.json()["code"]) == (401, "token_invalid")
    assert bad.headers["www-authenticate"].startswith("Bearer")


async def test_tokens_that_are_no_good_are_all_refused_alike(seats: Table) -> None:
    base = f"/v1/campaigns/{seats.campaign}/tokens"
    made = await seats.made(base, {"role": "spectator", "name": "Wanda", "expires_in_s": 60})
    seats.tokens["late"], seats.tokens["gone"] = made["token"], made["token"]
    good = await seats.get(f"/v1/campaigns/{seats.campaign}", "gone")
    await seats.send("DELETE", f"{base}/{made['id']}")
    wrong = made["token"][:-4] + ("AAAA" if not made["token"].endswith("AAAA") else "BBBB")

    answers = [
        await seats.get("/v1/campaigns", None, headers={"authorization": text})
        for text in (
            f"Bearer {made['token']}",
            f"Bearer {wrong}",
            f"Bearer tw_{'a' * 12}_{'b' * 43}",
            "Bearer tw_1",
            "Bearer " + "x" * 5_000,
            f"Basic {made['token']}",
            "Bearer",
            "",
        )
    ]

    assert good.status_code == 200
    told = [{k: v for k, v in answer.json().items() if k != "request_id"} for answer in answers]
    assert all(one == told[0] for one in told)
    assert told[0]["code"] == "token_invalid"


async def test_an_unknown_id_is_compared_as_a_known_one_is(seats: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeded fault 13: whoever guesses does not learn by the time which ids there are."""
    seats.must_be_here("its comparisons are counted")
    made = await seats.made(f"/v1/campaigns/{seats.campaign}/tokens", {"role": "spectator", "name": "Wanda"})
    known = made["token"].split("_")[1]
    compared: list[int] = []
    real = hmac.compare_digest

    def counting(one: bytes, other: bytes) -> bool:
        compared.append(len(other))
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", counting)
    for name in (known, "a" * 12):
        answer = await seats.get("/v1/me", None, headers={"authorization": f"Bearer tw_{name}_{'b' * 43}"})
        assert answer.status_code == 401

    assert compared == [32, 32]


async def test_a_token_ends_when_its_time_is_up(seats: Table) -> None:
    base = f"/v1/campaigns/{seats.campaign}/tokens"
    made = await seats.made(base, {"role": "spectator", "name": "Wanda", "expires_in_s": 60})
    seats.tokens["late"] = made["token"]
    assert (await seats.get("/v1/campaigns", "late")).status_code == 200

    seats.app.state.parts.service.clock = lambda: int(time.time() * 1000) + 60_001

    assert (await seats.get("/v1/campaigns", "late")).status_code == 401


async def test_what_a_player_acts_for_can_be_changed_and_counts_at_once(duel: Table) -> None:
    body = {"actor": "ref:ann", "action": "shout", "targets": ["ref:orc"]}
    assert (await duel.post(f"{duel.encounter}/actions", body, "orc")).status_code == 403
    name = "tok_" + duel.tokens["orc"].split("_")[1]

    changed = await duel.send(
        "PATCH", f"/v1/campaigns/{duel.campaign}/tokens/{name}", json={"combatants": ["ref:orc", "ref:ann"]}
    )

    assert changed.json()["combatants"] == ["ref:orc", "ref:ann"]
    assert (await duel.post(f"{duel.encounter}/actions", body, "orc")).status_code == 201


async def test_a_token_of_one_encounter_knows_no_other(seats: Table) -> None:
    await seats.create()
    first = seats.encounter
    body = {"role": "co_gm", "name": "Co", "encounter": first.rsplit("/", 1)[-1]}
    seats.tokens["co"] = (await seats.made(f"/v1/campaigns/{seats.campaign}/tokens", body))["token"]
    await seats.create()

    assert (await seats.get(first, "co")).status_code == 200
    assert (await seats.get(seats.encounter, "co")).status_code == 404
    refused = await seats.post(f"/v1/campaigns/{seats.campaign}/tokens", {"role": "gm", "name": "More"}, "co")
    assert refused.status_code == 403


async def test_only_a_players_token_names_combatants(seats: Table) -> None:
    body = {"role": "spectator", "name": "Wanda", "combatants": ["ref:ann"]}

    refused = await seats.post(f"/v1/campaigns/{seats.campaign}/tokens", body)

    assert refused.json()["errors"][0]["at"] == "/combatants"


async def test_a_secret_is_shown_once_and_kept_as_a_hash_alone(seats: Table, url: str) -> None:
    seats.must_be_here("its file is looked into")
    base = f"/v1/campaigns/{seats.campaign}/tokens"
    made = await seats.post(base, {"role": "spectator", "name": "Wanda"}, headers={"idempotency-key": "k1"})
    again = await seats.post(base, {"role": "spectator", "name": "Wanda"}, headers={"idempotency-key": "k1"})

    secret = made.json()["token"].split("_", 2)[2]
    assert made.headers["cache-control"] == "no-store"
    assert again.content == made.content
    assert again.headers["idempotency-replayed"] == "true"
    listed = await seats.get(base)
    assert secret not in listed.text
    path = url.removeprefix("sqlite:///")
    for name in (path, path + "-wal"):
        with open(name, "rb") as file:
            assert secret.encode() not in file.read()


async def test_a_key_that_has_made_a_token_makes_no_second_one_even_when_it_is_forgotten(seats: Table) -> None:
    path, headers = f"/v1/campaigns/{seats.campaign}/tokens", {"idempotency-key": "k2"}
    await seats.made(path, {"role": "spectator", "name": "Wanda"}, headers=headers)
    service = seats.app.state.parts.service
    await service.writer.execute(lambda connection: connection.execute(delete(idempotency)))

    refused = await seats.post(path, {"role": "spectator", "name": "Wanda"}, headers=headers)

    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_key_reused")


async def test_bad_tokens_from_one_address_have_to_wait(url: str) -> None:
    from tests.api.table import table

    async with table(url, rate_limits=True, rate_bad_tokens="5 per 1 minute", rate_token="1000 per 1 second") as seats:
        bad = {"authorization": f"Bearer tw_{'a' * 12}_{'b' * 43}"}
        answers = [(await seats.get("/v1/campaigns", None, headers=bad)).status_code for _ in range(7)]

        assert answers == [401] * 5 + [429] * 2
        assert (await seats.get("/v1/campaigns", "gm")).status_code == 200


async def test_the_streams_of_a_token_ask_together_whether_it_still_holds(
    duel: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    duel.must_be_here("what is asked of its store is counted")
    parts = duel.app.state.parts
    caller = await parts.gate.caller(duel.tokens["ann"])
    asked = 0
    read = parts.service.store.read

    async def counted(work: Any) -> Any:
        nonlocal asked
        asked += 1
        return await read(work)

    monkeypatch.setattr(parts.service.store, "read", counted)

    assert await asyncio.gather(*(parts.gate.is_still(caller) for _ in range(50))) == [True] * 50
    assert asked == 1
    public_id = caller.token
    revoked = await duel.send("DELETE", f"/v1/campaigns/{duel.campaign}/tokens/{public_id}")
    assert revoked.is_success, revoked.text
    assert await parts.gate.is_still(caller) is False, "what is changed here counts at once"
