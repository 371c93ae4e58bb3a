"""Webhooks over HTTP: made, listed, changed, rotated, taken away, on both databases."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from app.services.webhooks.office import Network
from app.services.webhooks.shapes import EVENT_TYPES
from tests.api.table import Table, table
from tests.webhooks.test_guard import VECTORS, stub

GOOD = {"url": "https://bot.example.org/hook", "name": "Bot"}


@pytest.fixture
async def seats(url: str) -> AsyncIterator[Table]:
    async with table(url, webhooks_per_campaign=3) as opened:
        yield opened


def home(seats: Table) -> str:
    return f"/v1/campaigns/{seats.campaign}/webhooks"


async def test_a_secret_is_shown_once_and_again_to_a_retry_alone(seats: Table) -> None:
    headers = {"idempotency-key": "bot"}
    made = await seats.post(home(seats), GOOD, headers=headers)
    again = await seats.post(home(seats), GOOD, headers=headers)
    path = f"{home(seats)}/{made.json()['id']}"
    turned = await seats.post(f"{path}/rotate-secret", headers={"idempotency-key": "turn"})
    turned_again = await seats.post(f"{path}/rotate-secret", headers={"idempotency-key": "turn"})

    secret = made.json()["secret"]
    assert secret.startswith("whsec_")
    assert len(secret) == len("whsec_") + 44
    assert made.headers["cache-control"] == "no-store"
    assert made.headers["location"] == path
    assert again.content == made.content
    assert turned.content == turned_again.content
    assert turned.json()["secret"] != secret
    assert turned.json()["old_secret_until"] > turned.json()["created_at"]
    for shown in (await seats.get(home(seats)), await seats.get(path), await seats.send("PATCH", path, json={})):
        assert "whsec_" not in shown.text
        assert secret[6:] not in shown.text


async def test_no_secret_is_in_the_log_or_beside_an_idempotency_key(
    seats: Table, capfd: pytest.CaptureFixture[str]
) -> None:
    from sqlalchemy import select

    from app.persistence.tables import idempotency

    made = await seats.made(home(seats), GOOD, headers={"idempotency-key": "bot"})
    stored = await seats.app.state.parts.service.store.read(
        lambda connection: connection.execute(select(idempotency.c.response)).scalars().all()
    )
    said = capfd.readouterr()

    assert stored
    assert not any(made["secret"][6:].encode() in bytes(one) for one in stored)
    assert made["secret"][6:] not in said.out + said.err


async def test_a_hook_is_changed_and_taken_away(seats: Table) -> None:
    await seats.create()
    name = seats.encounter.rsplit("/", 1)[-1]
    made = await seats.made(home(seats), GOOD)
    path = f"{home(seats)}/{made['id']}"
    body = {"events": ["moved"], "encounter": name, "language": "ru", "audience": "gm", "enabled": False, "name": "B"}
    changed = (await seats.send("PATCH", path, json=body)).json()
    sent = await seats.post(f"{path}/test")
    enabled = (await seats.send("PATCH", path, json={"enabled": True, "encounter": None})).json()
    gone = await seats.send("DELETE", path)

    assert {key: changed[key] for key in body} == body
    assert changed["disabled_reason"] == "by_gm"
    assert (sent.status_code, sent.json()["code"]) == (409, "conflict")
    assert (enabled["enabled"], enabled["disabled_reason"], enabled["encounter"]) == (True, None, None)
    assert gone.status_code == 204
    assert (await seats.get(path)).status_code == 404
    assert (await seats.get(f"{path}/deliveries")).status_code == 404


async def test_made_public_it_forgets_what_was_made_for_the_gm(seats: Table) -> None:
    made = await seats.made(home(seats), GOOD | {"audience": "gm"})
    path = f"{home(seats)}/{made['id']}"
    await seats.made(f"{path}/test")
    before = (await seats.get(f"{path}/deliveries")).json()["items"]
    await seats.send("PATCH", path, json={"name": "Other"})
    kept = (await seats.get(f"{path}/deliveries")).json()["items"]
    await seats.send("PATCH", path, json={"audience": "public"})
    after = (await seats.get(f"{path}/deliveries")).json()["items"]

    assert (len(before), len(kept), len(after)) == (1, 1, 0)


async def test_there_is_a_limit_to_them(seats: Table) -> None:
    for _ in range(3):
        await seats.made(home(seats), GOOD)
    refused = await seats.post(home(seats), GOOD)
    page = (await seats.get(f"{home(seats)}?limit=2")).json()
    rest = (await seats.get(f"{home(seats)}?limit=2&after={page['next_cursor']}")).json()

    assert (refused.status_code, refused.json()["code"], refused.json()["limit"]) == (409, "limit_reached", 3)
    assert (len(page["items"]), len(rest["items"]), rest["next_cursor"]) == (2, 1, None)


@pytest.fixture
async def judged(sqlite_url: str) -> AsyncIterator[Table]:
    """A table in whose network names lead where those of the vectors do."""
    async with table(sqlite_url, network=Network(resolve=stub, transport=DEAF, resolve_s=0.05)) as opened:
        yield opened


DEAF = httpx.MockTransport(lambda request: httpx.Response(204, stream=httpx.ByteStream(b"")))


async def test_every_forbidden_address_gets_the_same_answer(judged: Table) -> None:
    seats, good = judged, {**GOOD, "url": "https://hooks.example.org/hook"}
    told: set[str] = set()
    for url in VECTORS[::7]:
        answer = await seats.post(home(seats), {**GOOD, "url": url})
        if 0 < len(url) <= 1000 and url.isprintable() and url.isascii():
            assert answer.status_code == 422, url
            problem = answer.json()
            told.add(str({key: value for key, value in problem.items() if key != "request_id"}))
            assert problem["code"] == "webhook_url_forbidden"
        else:
            assert answer.status_code in (400, 422)
    made = await seats.made(home(seats), good)
    moved = await seats.send("PATCH", f"{home(seats)}/{made['id']}", json={"url": "https://127.0.0.1/"})

    assert len(told) == 1
    assert moved.json()["code"] == "webhook_url_forbidden"
    assert (await seats.get(home(seats))).json()["items"][0]["url"] == good["url"]


@pytest.mark.parametrize(
    ("body", "at"),
    [
        ({"events": ["moved", "flown"]}, "/events/1"),
        ({"encounter": "enc_0"}, "/encounter"),
        ({"language": "de"}, "/language"),
        ({"audience": "everybody"}, "/audience"),
        ({"secret": "whsec_x"}, "/secret"),
        ({"url": ""}, "/url"),
    ],
)
async def test_what_cannot_be_is_told_with_its_place(seats: Table, body: dict[str, Any], at: str) -> None:
    refused = await seats.post(home(seats), GOOD | body)

    assert refused.status_code == 422
    assert [one["at"] for one in refused.json()["errors"]] == [at]


async def test_a_player_and_a_co_gm_have_no_webhooks(seats: Table) -> None:
    await seats.create()
    body = {"role": "co_gm", "name": "Co", "encounter": seats.encounter.rsplit("/", 1)[-1]}
    seats.tokens["co"] = (await seats.made(f"/v1/campaigns/{seats.campaign}/tokens", body))["token"]
    for who, status in (("ann", 403), ("watcher", 403), ("co", 403), ("stranger", 404), ("admin", 200)):
        assert (await seats.get(home(seats), who)).status_code == status
        made = await seats.post(home(seats), GOOD, who)
        assert made.status_code == (201 if status == 200 else status)


async def test_another_campaigns_hook_is_not_there(seats: Table) -> None:
    made = await seats.made(home(seats), GOOD)
    theirs = (await seats.get("/v1/campaigns", "stranger")).json()["items"][0]["id"]
    path = f"/v1/campaigns/{theirs}/webhooks/{made['id']}"
    for method, end in (
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/test"),
        ("POST", "/rotate-secret"),
        ("GET", "/deliveries"),
    ):
        assert (await seats.send(method, path + end, "stranger")).status_code == 404


def test_every_type_of_event_can_be_asked_for() -> None:
    assert {"moved", "turn_began", "damage_dealt", "ruled"} < EVENT_TYPES
