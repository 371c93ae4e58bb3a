# ruff: noqa: E501 -- lists of addresses
"""T12: every address that a webhook must not lead to: refused when it is given, and never connected to."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx
import pytest

from app.services.errors import UrlForbidden
from app.services.webhooks.guard import Guard, Policy, is_public
from app.services.webhooks.sending import Answer, HttpSender, secret_text, tls, transport
from tests.support.receiver import receiver, reply

PUBLIC = "93.184.216.34"
NAMES = {
    "hooks.example.org": [PUBLIC],
    "six.example.org": ["2606:2800:220:1:248:1893:25c8:1946"],
    "mixed.example.org": [PUBLIC, "127.0.0.1"],
    "mixed-six.example.org": [PUBLIC, "::1"],
    "inside.example.org": ["10.1.2.3"],
    "loop.example.org": ["127.0.0.1"],
    "metadata.example.org": ["169.254.169.254"],
    "zone.example.org": ["fe80::1%eth0"],
    "nothing.example.org": [],
    "internal": ["93.184.216.34"],
    "db.internal": ["93.184.216.34"],
}
LITERALS = [
    "127.0.0.1", "127.1", "127.0.1", "0.0.0.0", "0", "2130706433", "017700000001", "0177.0.0.1", "0x7f000001",
    "0x7f.0.0.1", "0x7f.1", "127.0.0.01", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
    "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[2001:db8::1]",
    "[3fff::1]", "[5f00::1]", "[100::1]", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1",
    "169.254.169.254", "[fd00:ec2::254]", "100.64.0.1", "100.100.100.200", "192.0.0.1", "192.0.0.170", "192.0.2.1",
    "198.51.100.1", "203.0.113.1", "198.18.0.1", "198.19.255.255", "192.88.99.1", "224.0.0.1", "239.255.255.250",
    "240.0.0.1", "255.255.255.255", "[fc00::1]", "[fd12:3456::1]", "[fe80::1]", "[fe80::1%25eth0]", "[fec0::1]",
    "[ff02::1]",
]  # fmt: skip
HOSTS = [
    "localhost", "LOCALHOST", "localhost.", "a.localhost", "x.y.localhost", "internal", "db.internal", "metadata.google.internal",
    "printer.local", "nas.lan", "router.home.arpa", "single", "127.0.0.1.", "hooks.example.org.", "mixed.example.org",
    "mixed-six.example.org", "inside.example.org", "loop.example.org", "metadata.example.org", "zone.example.org", "nothing.example.org",
    "unknown.example.net", "１２７.０.０.１", "①②⑦.0.0.1", "127。0。0。1", "127.0.0.1。", "ⓛocalhost", "a" * 64 + ".example.org", ".".join(["a" * 60] * 5),
    "-a.example.org", "a..example.org", "a_b.example.org", "ex%61mple.org", "hooks.example.org\\@127.0.0.1", "",
]  # fmt: skip
URLS = [
    "file:///etc/passwd", "gopher://hooks.example.org/_x", "unix:/run/db.sock", "http+unix://%2Frun%2Fdb.sock/x", "ftp://hooks.example.org/",
    "javascript:alert(1)", "data:text/plain,x", "//hooks.example.org/x", "hooks.example.org", "https:/hooks.example.org", "https:hooks.example.org",
    "HTTPS://hooks.example.org/x", "https:\\\\hooks.example.org/x", "http://hooks.example.org/x", "https://user@hooks.example.org/", "https://user:word@hooks.example.org/",
    "https://hooks.example.org@127.0.0.1/", "https://127.0.0.1#@hooks.example.org/", "https://hooks.example.org:25/", "https://hooks.example.org:22/", "https://hooks.example.org:0/",
    "https://hooks.example.org:99999/", "https://hooks.example.org:/", "https://hooks.example.org:4 43/", "https://hooks.example.org:443:80/",
    "https://hooks.example.org/\r\nX-Y: z", "https://hooks.example.org/%0d%0aX-Y:%20z", "https://hooks.example.org/%0A", "https://hooks.example.org/a b", " https://hooks.example.org/",
    "https://hooks.example.org/\t", "https://hooks.example.org/\x00", "https://hooks.example.org/#x", "https://hooks.example.org/é", "https://hooks.example.org/" + "a" * 1000,
    "https://[::1", "https://::1/", "https://[hooks.example.org]/", "https:///x", "https://", "",
]  # fmt: skip
VECTORS = [
    *(f"https://{host}/hook" for host in (*LITERALS, *HOSTS)),
    *URLS,
]


async def stub(host: str, port: int) -> Sequence[str]:
    """Knows a few names and no others."""
    if host not in NAMES:
        raise socket.gaierror(host)
    return NAMES[host]


@contextmanager
def forbidden_listener() -> Iterator[list[int]]:
    """Counts who connects to the loopback, on a port that a hook may use as far as ports go."""
    seen: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        stop = threading.Event()

        def listen() -> None:
            while not stop.is_set():
                try:
                    line, _ = server.accept()
                except TimeoutError:
                    continue
                seen.append(line.getpeername()[1])
                line.close()

        thread = threading.Thread(target=listen)
        thread.start()
        seen_port.append(server.getsockname()[1])
        try:
            yield seen
        finally:
            time.sleep(0.1)
            stop.set()
            thread.join()
            seen_port.clear()


seen_port: list[int] = []


def guard(**fields: object) -> Guard:
    return Guard(Policy(**fields), stub, resolve_s=0.05)  # type: ignore[arg-type]


def test_there_are_enough_of_them() -> None:
    assert len(set(VECTORS)) == len(VECTORS) >= 100


@pytest.mark.parametrize("url", VECTORS, ids=ascii)
async def test_it_is_refused_when_given(url: str) -> None:
    assert not await guard().admits(url)
    with pytest.raises(UrlForbidden) as refused:
        await guard().target(url)
    assert str(refused.value) == "webhook_url_forbidden"


async def test_none_of_them_is_ever_connected_to() -> None:
    """Sent as if they had been admitted, also over plain http, to a port on which somebody listens."""
    with forbidden_listener() as seen:
        (port,) = seen_port
        policy = Policy(frozenset({443, 80, 8443, port}), http=True)
        sender = HttpSender(Guard(policy, stub, resolve_s=0.05), 2.0, transport(tls()))
        for host in (*LITERALS, *HOSTS):
            for scheme in ("http", "https"):
                answer = await sender.send(f"{scheme}://{host}:{port}/", "msg_1", b"{}", [secret_text(b"x" * 32)], 0)
                assert answer == Answer(None, "forbidden"), host
        await sender.close()
    assert seen == []


async def test_a_name_that_changes_its_mind_is_caught_at_the_next_try() -> None:
    answers = iter([[PUBLIC], ["127.0.0.1"]])

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return next(answers)

    with forbidden_listener() as seen:
        (port,) = seen_port
        judge = Guard(Policy(frozenset({port}), http=True), rebinding)
        assert await judge.admits(f"http://rebind.example.org:{port}/")
        sender = HttpSender(judge, 2.0, transport(tls()))
        answer = await sender.send(f"http://rebind.example.org:{port}/", "msg_1", b"{}", [secret_text(b"x" * 32)], 0)
        await sender.close()
    assert answer == Answer(None, "forbidden")
    assert seen == []


async def test_it_connects_to_the_address_that_was_judged_and_resolves_once() -> None:
    asked: list[str] = []
    seen: list[httpx.Request] = []

    async def counting(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return [PUBLIC]

    def connected(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, stream=httpx.ByteStream(b""))

    sender = HttpSender(Guard(Policy(), counting), 2.0, httpx.MockTransport(connected))
    answer = await sender.send("https://Hooks.example.org:8443/a?b=c", "msg_1", b"{}", [secret_text(b"x" * 32)], 0)
    await sender.close()

    assert answer == Answer(200)
    assert asked == ["hooks.example.org"]
    (request,) = seen
    assert str(request.url) == f"https://{PUBLIC}:8443/a?b=c"
    assert request.headers["host"] == "hooks.example.org:8443"
    assert request.extensions["sni_hostname"] == "hooks.example.org"


async def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with forbidden_listener() as seen, receiver() as there:
        (port,) = seen_port
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        judge = guard(exempt=frozenset({there.address}))
        sender = HttpSender(judge, 2.0, transport(tls()))
        answer = await sender.send(there.url, "msg_1", b"{}", [secret_text(b"x" * 32)], 0)
        await sender.close()
    assert answer == Answer(204)
    assert seen == []


async def test_a_redirect_is_not_followed() -> None:
    with forbidden_listener() as seen, receiver() as there:
        (port,) = seen_port
        there.answer = lambda handler: reply(handler, 302, location=f"http://127.0.0.1:{port}/")
        sender = HttpSender(guard(exempt=frozenset({there.address})), 2.0, transport(tls()))
        answer = await sender.send(there.url, "msg_1", b"{}", [secret_text(b"x" * 32)], 0)
        await sender.close()
    assert answer == Answer(302)
    assert seen == []


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.org",
        "https://hooks.example.org/a/b?c=d&e=%20f",
        "https://hooks.example.org?c=d",
        "https://hooks.example.org:8443/",
        "https://hooks.example.org:80/",
        "https://six.example.org/",
        "https://Hooks.Example.Org/",
        "https://93.184.216.34/",
        "https://[2606:2800:220:1:248:1893:25c8:1946]/",
    ],
)
async def test_a_public_address_is_admitted(url: str) -> None:
    assert await guard().admits(url)


async def test_the_operator_may_allow_more() -> None:
    assert await guard(http=True).admits("http://hooks.example.org/")
    assert await guard(ports=frozenset({9000})).admits("https://hooks.example.org:9000/")
    exempt = guard(exempt=frozenset({"127.0.0.1:9999", "loop.example.org:9999"}))
    assert await exempt.admits("http://127.0.0.1:9999/hook")
    assert await exempt.admits("http://loop.example.org:9999/hook")
    assert not await exempt.admits("http://127.0.0.1:9998/hook")
    assert not await exempt.admits("https://loop.example.org/hook")


async def test_a_refusal_takes_as_long_for_a_name_that_there_is_as_for_one_that_there_is_not() -> None:
    async def took(host: str) -> float:
        async def slow(name: str, port: int) -> Sequence[str]:
            await asyncio.sleep(0.05 if name == "loop.example.org" else 0)
            return await stub(name, port)

        judge = Guard(Policy(), slow, resolve_s=0.2)
        begun = time.monotonic()
        assert not await judge.admits(f"https://{host}/")
        return time.monotonic() - begun

    there, not_there, inside = [await took(f"{name}.example.org") for name in ("loop", "unknown", "inside")]

    assert min(there, not_there, inside) >= 0.19
    assert max(there, not_there, inside) - min(there, not_there, inside) < 0.15


async def test_a_name_server_that_hangs_is_no_name_server() -> None:
    async def hangs(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(30)
        return [PUBLIC]

    assert not await Guard(Policy(), hangs, resolve_s=0.05).admits("https://hooks.example.org/")


@pytest.mark.parametrize("text", ["93.184.216.34", "1.1.1.1", "2606:2800:220:1:248:1893:25c8:1946", "2a00:1450::1"])
def test_the_open_internet_is_public(text: str) -> None:
    assert is_public(text)


def test_what_is_no_address_is_not_public() -> None:
    assert not is_public("hooks.example.org")
    assert not is_public("2606:2800::1%eth0")
