"""Receivers as they are: some work, some fail, hang, lie or drown us. All on the loopback, over the real network."""

import asyncio
import json
import re
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trustme
from sqlalchemy import Connection, func, select
from standardwebhooks import Webhook

from app.persistence.tables import outbox
from tests.api.table import Table
from tests.support.receiver import Receiver, drop, receiver, reply
from tests.webhooks.conftest import live

Json = dict[str, Any]


async def hook_to(seats: Table, there: Receiver, **fields: Any) -> Json:
    """A hook that leads to a receiver."""
    body = {"url": there.url, "name": "Bot", **fields}
    made: Json = await seats.made(f"/v1/campaigns/{seats.campaign}/webhooks", body)
    return made


async def deliveries(seats: Table, hook: Json) -> list[Json]:
    """Its messages, newest first."""
    path = f"/v1/campaigns/{seats.campaign}/webhooks/{hook['id']}/deliveries?limit=200"
    found: list[Json] = (await seats.get(path)).json()["items"]
    return found


def _news(connection: Connection) -> int:
    count: int = connection.execute(select(func.count()).select_from(outbox)).scalar_one()
    return count


async def until(seats: Table, hook: Json, wanted: Callable[[list[Json]], bool], seconds: float = 20) -> list[Json]:
    """Wait until its messages are as wanted."""
    deadline = time.monotonic() + seconds
    while True:
        # What a command makes of news is seen only when the courier has looked at it.
        is_looked_through = not await seats.app.state.parts.service.store.read(_news)
        found = await deliveries(seats, hook)
        if is_looked_through and wanted(found):
            return found
        assert time.monotonic() < deadline, found
        await asyncio.sleep(0.05)


def well(handler: Any) -> None:
    """All is well."""
    reply(handler, 200)


def arrived(found: list[Json]) -> bool:
    """All of them, and there are some."""
    return bool(found) and all(one["status"] == "delivered" for one in found)


def tried(found: list[Json]) -> bool:
    """The oldest has been tried, and how that ended stands in it."""
    return bool(found) and found[-1]["tries"] > 0


async def whole_log(seats: Table, who: str, language: str = "en") -> list[Json]:
    """The log as somebody reads it."""
    answer = await seats.get(f"{seats.encounter}/log?limit=200", who, headers={"accept-language": language})
    assert not answer.json()["has_more"]
    found: list[Json] = answer.json()["items"]
    return found


async def test_every_event_arrives_exactly_as_the_log_has_it(url: str) -> None:
    with receiver() as public, receiver() as gm:
        async with live(url, public, gm) as seats:
            hooks = [await hook_to(seats, public, language="pl"), await hook_to(seats, gm, audience="gm")]
            await seats.duel()
            await seats.made(f"{seats.encounter}/actions", seats.strike())
            for hook in hooks:
                await until(seats, hook, arrived)
            expected = [await whole_log(seats, "watcher", "pl"), await whole_log(seats, "gm")]

    for there, hook, log in zip((public, gm), hooks, expected, strict=True):
        assert [event for one in there.received for event in one.events] == log
        assert all(one.is_signed_by(hook["secret"]) for one in there.received)
        for one in there.received:
            Webhook(hook["secret"]).verify(one.body, one.headers)
        assert len({one.id for one in there.received}) == len(there.received)
        assert there.received[0].headers["content-type"] == "application/json"


async def test_one_that_fails_hangs_and_recovers_gets_every_event_in_order(url: str) -> None:
    troubles: Iterator[Callable[[Any], None]] = iter(
        [
            lambda handler: reply(handler, 500),
            lambda handler: time.sleep(1.5),
            drop,
            lambda handler: reply(handler, 301, location="http://127.0.0.1:1/"),
            lambda handler: reply(handler, 204),
            lambda handler: reply(handler, 503),
        ]
    )
    with receiver() as there:

        def troubled(handler: Any) -> None:
            next(troubles, well)(handler)

        there.answer = troubled
        async with live(url, there, webhook_timeout_s=0.5, webhook_retry_s=(0.1,) * 9) as seats:
            hook = await hook_to(seats, there)
            await seats.duel()
            found = await until(seats, hook, arrived, 30)
            log = await whole_log(seats, "watcher")

    first: dict[str, list[Json]] = {}
    for one in there.received:
        assert one.is_signed_by(hook["secret"])
        assert first.setdefault(one.id, one.events) == one.events
    assert [event for events in first.values() for event in events] == log
    assert found[-1]["tries"] == 5
    assert sum(one["tries"] for one in found) == len(there.received) == len(found) + 5


@pytest.mark.parametrize(
    ("answer", "error", "status"),
    [
        (lambda handler: time.sleep(1.0), "timeout", None),
        (lambda handler: reply(handler, 500), "status", 500),
        (lambda handler: reply(handler, 301, location="http://127.0.0.1:1/"), "status", 301),
        (lambda handler: reply(handler, 304), "status", 304),
        (drop, "connection", None),
        (lambda handler: handler.wfile.write(b"this is no HTTP\r\n\r\n"), "connection", None),
        (lambda handler: handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000), "connection", None),
    ],
    ids=["slow", "500", "301", "304", "dropped", "nonsense", "endless header"],
)
async def test_what_is_no_2xx_is_tried_again(
    sqlite_url: str, answer: Callable[[Any], None], error: str, status: int | None
) -> None:
    with receiver() as there:
        there.answer = answer
        async with live(sqlite_url, there, webhook_timeout_s=0.4, webhook_retry_s=(60.0,)) as seats:
            hook = await hook_to(seats, there)
            await seats.create()
            (found,) = await until(seats, hook, tried)

    assert (found["error"], found["response_status"], found["status"]) == (error, status, "waiting")
    assert found["tries"] == 1
    assert found["next_try_at"] > found["tried_at"]


async def test_a_410_disables_at_once_and_the_hook_says_so(sqlite_url: str) -> None:
    with receiver() as there:
        there.answer = lambda handler: reply(handler, 410)
        async with live(sqlite_url, there) as seats:
            hook = await hook_to(seats, there)
            await seats.create()
            (found,) = await until(seats, hook, lambda all_: tried(all_) and all_[0]["status"] == "failed")
            shown = (await seats.get(f"/v1/campaigns/{seats.campaign}/webhooks/{hook['id']}")).json()

    assert found["response_status"] == 410
    assert (shown["enabled"], shown["disabled_reason"]) == (False, "gone")
    assert shown["disabled_at"]
    assert len(there.received) == 1


async def test_of_an_endless_answer_little_is_read(sqlite_url: str) -> None:
    sent = [0]

    def flood(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("content-length", str(1_000_000_000))
        handler.end_headers()
        part = b"x" * 65_536
        for _ in range(16_000):
            handler.wfile.write(part)
            sent[0] += len(part)

    with receiver() as there:
        there.answer = flood
        async with live(sqlite_url, there, webhook_timeout_s=5.0) as seats:
            hook = await hook_to(seats, there)
            await seats.create()
            await until(seats, hook, arrived)

    # The rest lay in the buffers of both ends of the line.
    assert sent[0] < 20_000_000


async def test_one_bad_receiver_delays_no_other(sqlite_url: str) -> None:
    with receiver() as bad, receiver() as good:
        bad.answer = lambda handler: time.sleep(3)
        async with live(sqlite_url, bad, good, webhook_timeout_s=2.5) as seats:
            await hook_to(seats, bad)
            hook = await hook_to(seats, good)
            begun = time.monotonic()
            for _ in range(10):
                await seats.create()
            await until(seats, hook, lambda found: len(found) == 10 and arrived(found))
            took = time.monotonic() - begun
            assert bad.connections <= 4

    assert took < 2.5
    assert len(good.received) == 10


@contextmanager
def authority(tmp_path: Path, *names: str) -> Iterator[tuple[ssl.SSLContext, Path]]:
    """A certificate for these names, and the file of the authority that gave it."""
    ca = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ca.issue_cert(*names).configure_cert(context)
    file = tmp_path / "ca.pem"
    ca.cert_pem.write_to_path(file)
    yield context, file


@pytest.mark.parametrize(
    ("names", "is_known", "error"),
    [(("127.0.0.1",), True, None), (("127.0.0.1",), False, "tls"), (("other.example.org",), True, "tls")],
    ids=["good", "unknown authority", "another name"],
)
async def test_only_a_good_certificate_is_believed(
    sqlite_url: str, tmp_path: Path, names: tuple[str, ...], is_known: bool, error: str | None
) -> None:
    with authority(tmp_path, *names) as (context, file), receiver(context) as there:
        more = {"webhook_ca_file": file} if is_known else {}
        async with live(sqlite_url, there, webhook_retry_s=(60.0,), **more) as seats:
            hook = await hook_to(seats, there, url=f"https://{there.address}/hook")
            await seats.create()
            (found,) = await until(seats, hook, tried)

    assert found["error"] == error
    assert len(there.received) == (0 if error else 1)


async def test_after_a_rotation_both_secrets_sign(sqlite_url: str) -> None:
    with receiver() as there:
        async with live(sqlite_url, there) as seats:
            hook = await hook_to(seats, there)
            path = f"/v1/campaigns/{seats.campaign}/webhooks/{hook['id']}"
            turned = (await seats.post(f"{path}/rotate-secret")).json()
            await seats.made(f"{path}/test")
            await until(seats, hook, arrived)
            service = seats.app.state.parts.service
            now = service.clock()
            service.clock = lambda: now + 24 * 3600 * 1000 + 1000
            await seats.made(f"{path}/test")
            await until(seats, hook, lambda found: len(found) == 2 and arrived(found))

    both, one = there.received
    assert turned["secret"] != hook["secret"]
    assert both.is_signed_by(hook["secret"])
    assert both.is_signed_by(turned["secret"])
    assert both.json["type"] == "ping"
    assert one.is_signed_by(turned["secret"])
    assert not one.is_signed_by(hook["secret"])


async def test_a_message_can_be_sent_again_with_the_same_bytes(sqlite_url: str) -> None:
    with receiver() as there:
        async with live(sqlite_url, there) as seats:
            hook = await hook_to(seats, there)
            await seats.create()
            (found,) = await until(seats, hook, arrived)
            path = f"/v1/campaigns/{seats.campaign}/webhooks/{hook['id']}/deliveries/{found['id']}/resend"
            again = await seats.post(path)
            await until(seats, hook, arrived)

    assert again.json()["status"] == "waiting"
    first, second = there.received
    assert (first.id, first.body) == (second.id, second.body)


async def test_the_receiver_of_the_handbook_takes_good_messages_and_no_others(sqlite_url: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(code.strip().splitlines()) <= 24
    with receiver() as there:
        async with live(sqlite_url, there) as seats:
            hook = await hook_to(seats, there)
            await seats.create()
            await until(seats, hook, arrived)
    (one,) = there.received
    space: Json = {"__name__": "handbook"}
    exec(compile(code, "webhooks.md", "exec"), space)
    good = space["verified"](hook["secret"], one.headers, one.body)
    assert good == json.loads(one.body)
    for headers, body in (
        (one.headers, one.body + b" "),
        (one.headers | {"webhook-id": "msg_other"}, one.body),
        (one.headers | {"webhook-timestamp": "1700000000"}, one.body),
        (one.headers | {"webhook-signature": "v1,AAAA"}, one.body),
    ):
        assert space["verified"](hook["secret"], headers, body) is None
