"""A server killed between sending and marking sends again under the same id; two servers send each message once."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.receiver import Receiver, receiver
from tests.support.served import Served, served, turnwright

Json = dict[str, Any]


def serve(url: str) -> list[str]:
    return turnwright("serve", "--port", "0", "--database", url)


def call(server: Served, token: str, method: str, path: str, body: Json | None = None) -> Json:
    """A request that must work."""
    headers = {"Authorization": f"Bearer {token}"}
    answer = httpx.request(method, f"{server.url}{path}", json=body, headers=headers, timeout=30)
    assert answer.is_success, answer.text
    found: Json = answer.json()
    return found


def settings(there: Receiver, **more: str) -> dict[str, str]:
    return {
        "TURNWRIGHT_WEBHOOK_ALLOW": there.address,
        "TURNWRIGHT_WEBHOOK_TIMEOUT_S": "1",
        "TURNWRIGHT_WEBHOOK_RETRY_S": "0.2,0.2,0.2,0.2",
        "TURNWRIGHT_RATE_LIMITS": "false",
        **more,
    }


def until_arrived(server: Served, token: str, hook: str) -> list[Json]:
    """Wait until all messages have arrived; oldest first."""
    deadline = time.monotonic() + 60
    while True:
        found: list[Json] = call(server, token, "GET", f"{hook}/deliveries?limit=200")["items"]
        if found and all(one["status"] == "delivered" for one in found):
            return found[::-1]
        assert time.monotonic() < deadline, found
        time.sleep(0.2)


def table_with_hook(server: Served, there: Receiver) -> tuple[str, str, str, Json]:
    """The GM's token, the campaign, the hook's path and the hook."""
    campaign = call(server, server.token, "POST", "/v1/campaigns", {"name": "Thursday"})
    token, home = campaign["gm_token"], f"/v1/campaigns/{campaign['id']}/webhooks"
    hook = call(server, token, "POST", home, {"url": there.url, "name": "Bot"})
    return token, campaign["id"], f"{home}/{hook['id']}", hook


def open_fight(server: Served, token: str, campaign: str) -> str:
    """A new encounter."""
    people = [{"sample": "sable", "side": "a"}, {"sample": "brok", "side": "b"}]
    body = {"campaign": campaign, "name": "Gate", "ruleset": "dark_heresy_2e", "combatants": people}
    return f"/v1/encounters/{call(server, token, 'POST', '/v1/encounters', body)['id']}"


@pytest.mark.crash
def test_killed_between_sending_and_marking_it_is_sent_again_under_the_same_id(empty_url: str, tmp_path: Path) -> None:
    with receiver() as there:
        dying = settings(there, TURNWRIGHT_FAILPOINT="webhook_sent:1")
        with served(serve(empty_url), tmp_path / "first", **dying) as first:
            token, campaign, path, hook = table_with_hook(first, there)
            fight = open_fight(first, token, campaign)
            first.process.wait(timeout=30)
            assert first.process.returncode == 137
        assert len(there.received) == 1
        with served(serve(empty_url), tmp_path / "second", **settings(there)) as second:
            until_arrived(second, token, path)
            log = call(second, token, "GET", f"{fight}/log?limit=200")["items"]

    sent, again = there.received
    assert (sent.id, sent.body) == (again.id, again.body)
    assert all(one.is_signed_by(hook["secret"]) for one in there.received)
    assert [event["type"] for event in again.events] == [event["type"] for event in log]


@pytest.mark.crash
def test_two_servers_send_each_message_once_and_in_order(postgres_url: str, tmp_path: Path) -> None:
    with receiver() as there, ExitStack() as stack:
        one = stack.enter_context(served(serve(postgres_url), tmp_path / "one", **settings(there)))
        token, campaign, path, hook = table_with_hook(one, there)
        two = stack.enter_context(served(serve(postgres_url), tmp_path / "two", **settings(there)))
        fights = [open_fight(server, token, campaign) for server in (one, two)]
        for number in range(8):
            for fight in fights:
                server = (one, two)[number % 2]
                call(server, token, "PATCH", fight, {"name": f"Gate {number}"})
        found = until_arrived(two, token, path)
        caller = call(one, token, "POST", f"/v1/campaigns/{campaign}/tokens", {"role": "spectator", "name": "W"})
        logs = {fight: call(two, caller["token"], "GET", f"{fight}/log?limit=200")["items"] for fight in fights}

    assert len(there.received) == len({each.id for each in there.received}) == len(found)
    for fight, log in logs.items():
        name = fight.rsplit("/", 1)[-1]
        mine = [each for each in there.received if each.json["data"]["encounter"] == name]
        assert [event["seq"] for each in mine for event in each.events] == [event["seq"] for event in log]
        assert all(each.is_signed_by(hook["secret"]) for each in mine)
