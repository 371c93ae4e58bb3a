"""Who may do what. Every operation has its row; a new one without a row fails."""

import time
from typing import Any

import httpx
import pytest
from sqlalchemy import delete

from app.api.operations import Operation
from app.api.routes import UNDOCUMENTED, operations
from app.persistence.tables import idempotency
from tests.api.table import Table, fighter

ALL = operations()
CLOSED = [operation for operation in ALL if not operation.is_open]

MEMBER, GM, CONTROL, OPEN, ADMIN, KEYS, SELF = "member", "gm", "control", "open", "admin", "keys", "self"
ROWS: dict[str, str] = {
    "add_combatants": GM,
    "answer_decision": CONTROL,
    "change_combatant": GM,
    "change_token": KEYS,
    "check_health": OPEN,
    "check_readiness": OPEN,
    "create_campaign": ADMIN,
    "create_encounter": KEYS,
    "create_token": KEYS,
    "delete_encounter": GM,
    "delete_house_rules": KEYS,
    "duplicate_combatant": GM,
    "end_encounter": GM,
    "end_turn": CONTROL,
    "follow_encounter": MEMBER,
    "draw_map_png": MEMBER,
    "draw_map_svg": MEMBER,
    "list_actions": CONTROL,
    "list_campaigns": SELF,
    "list_clauses": OPEN,
    "list_combatants": MEMBER,
    "list_decisions": MEMBER,
    "list_encounters": SELF,
    "list_house_rules": MEMBER,
    "list_rulesets": OPEN,
    "list_tokens": KEYS,
    "make_ruling": GM,
    "preview_action": CONTROL,
    "put_house_rules": KEYS,
    "read_campaign": MEMBER,
    "read_clause": OPEN,
    "read_combatant": MEMBER,
    "read_decision": MEMBER,
    "read_encounter": MEMBER,
    "read_encounter_action": MEMBER,
    "read_encounter_clause": MEMBER,
    "read_encounter_ruleset": MEMBER,
    "read_encounter_schema": MEMBER,
    "read_house_rules": MEMBER,
    "read_house_rules_diff": MEMBER,
    "read_house_rules_schema": OPEN,
    "read_log": MEMBER,
    "read_meta": OPEN,
    "read_ruleset": OPEN,
    "read_ruleset_action": OPEN,
    "read_ruleset_schema": OPEN,
    "read_token": KEYS,
    "remove_combatant": GM,
    "revoke_token": KEYS,
    "rewind_encounter": GM,
    "set_up_encounter": GM,
    "start_encounter": GM,
    "state_facts": GM,
    "submit_action": CONTROL,
}
BODIES: dict[str, Any] = {
    "add_combatants": {"combatants": [{"side": "red", "sample": "orc", "name": "Another"}]},
    "answer_decision": {"option": "none"},
    "change_combatant": {"name": "Renamed"},
    "change_token": {"name": "Renamed"},
    "create_campaign": {"name": "Another"},
    "create_token": {"role": "spectator", "name": "Another"},
    "make_ruling": {"reason": "so be it", "changes": [{"combatant": "ref:ann", "add_effect": {"id": "prone"}}]},
    "rewind_encounter": {"to_version": 1, "reason": "once more"},
    "set_up_encounter": {"name": "Renamed"},
    "state_facts": {"facts": [{"from": "ref:ann", "to": "ref:orc", "distance": 3}]},
}
HOUSE = {"name": "ours", "action": "strike", "clause": "TOY-020"}
ELSEWHERE = {
    "delete_house_rules",
    "put_house_rules",
    "read_encounter_clause",
    "read_house_rules",
    "read_house_rules_diff",
}
"""They need a whole ruleset, which the toy is not: `test_house_rules.py` asks who may do them."""
ALLOWED = {
    MEMBER: {"gm", "ann", "orc", "watcher", "admin"},
    GM: {"gm", "admin"},
    KEYS: {"gm", "admin"},
    ADMIN: {"admin"},
    CONTROL: {"gm", "ann", "admin"},
    SELF: {"gm", "ann", "orc", "watcher", "stranger", "admin"},
}


def test_every_operation_has_its_row() -> None:
    assert {operation.id for operation in ALL} == set(ROWS)


async def test_every_route_is_an_operation_or_on_the_short_list(shared: Table) -> None:
    known = {operation.path for operation in ALL} | set(UNDOCUMENTED)

    assert {getattr(route, "path", "?") for route in shared.app.routes} == known


@pytest.mark.parametrize("operation", CLOSED, ids=lambda one: one.id)
async def test_nobody_comes_in_without_a_good_token(shared: Table, operation: Operation) -> None:
    path = operation.path.format(
        encounter="enc_0", campaign="cmp_0", combatant="cmb_0", decision="dec_0", token="tok_0", **HOUSE
    )
    missing = await shared.send(operation.method, path, None)
    bad = await shared.send(operation.method, path, None, headers={"authorization": f"Bearer tw_{'a' * 12}_{'b' * 43}"})

    assert (missing.status_code, missing.json()["code"]) == (401, "token_missing")
    assert (bad.status_code, bad.json()["code"]) == (401, "token_invalid")
    assert bad.headers["www-authenticate"].startswith("Bearer")


async def body_of(table: Table, operation: Operation) -> Any:
    match operation.id:
        case "create_encounter":
            return {"campaign": table.campaign, "name": "Another", "ruleset": "toy"}
        case "submit_action" | "preview_action":
            return {"actor": "ref:ann", "action": "shout", "targets": ["ref:orc"]}
        case _:
            return BODIES.get(operation.id)


async def fresh(table: Table, operation: Operation) -> str:
    """An encounter in which the operation can be tried, and the id of its open decision."""
    await table.duel(fighter("ann", "blue", dice="client"), fighter("orc", "red", dice="client"))
    if operation.id not in ("answer_decision", "read_decision"):
        return "dec_0"
    await table.made(f"{table.encounter}/end-turn")
    struck = await table.made(f"{table.encounter}/actions", table.strike("orc", "ann"))
    decision: str = struck["waiting_for"][0]["id"]
    return decision


async def tried(table: Table, operation: Operation, decision: str, who: str) -> httpx.Response:
    """The operation, by somebody."""
    token = (
        await table.made(f"/v1/campaigns/{table.campaign}/tokens", {"role": "spectator", "name": "Spare"})
        if operation.id in ("change_token", "revoke_token", "read_token")
        else {"id": "tok_0"}
    )
    path = operation.path.format(
        encounter=table.encounter.rsplit("/", 1)[-1],
        campaign=table.campaign,
        combatant="ref:ann",
        decision=decision,
        token=token["id"],
        **HOUSE,
    )
    params = {"max_events": 1} if operation.id == "follow_encounter" else {}
    body = await body_of(table, operation)
    return await table.send(operation.method, path, who, params=params, **({} if body is None else {"json": body}))


@pytest.mark.parametrize("operation", [one for one in CLOSED if one.id not in ELSEWHERE], ids=lambda one: one.id)
async def test_each_role_may_do_what_its_row_says(shared: Table, operation: Operation) -> None:
    row = ROWS[operation.id]
    decision = await fresh(shared, operation)
    for who in ("stranger", "watcher", "orc", "ann", "admin", "gm"):
        response = await tried(shared, operation, decision, who)
        if operation.method != "GET" and response.is_success:
            decision = await fresh(shared, operation)

        if who in ALLOWED[row]:
            # What the state of play refuses is refused to the GM too: that is no question of entitlement.
            assert response.status_code in (200, 201, 204, 409), (who, response.text)
        elif who == "stranger" and row is not ADMIN and operation.id != "create_encounter":
            assert response.status_code == 404, (who, response.text)
        else:
            assert response.status_code in (403, 404), (who, response.text)


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
    name = first.rsplit("/", 1)[-1]
    made = await seats.made(f"/v1/campaigns/{seats.campaign}/tokens", {"role": "gm", "name": "Co", "encounter": name})
    seats.tokens["co"] = made["token"]
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
