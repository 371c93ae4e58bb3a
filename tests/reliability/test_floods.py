"""T9 on the wire: heads and bodies that are too large, too slow or cut off, and what any of them costs the server."""

import gzip
import socket
import time
from collections.abc import Iterator

import pytest

from tests.api.test_bodies import RAW
from tests.live.club import Club
from tests.support.served import Served, served, turnwright
from tests.support.sizes import not_everyday, sized

pytestmark = not_everyday

SLOW_S = 1.0
SETTINGS = {
    "TURNWRIGHT_RATE_LIMITS": "false",
    "TURNWRIGHT_HEAD_TIMEOUT_S": str(SLOW_S),
    "TURNWRIGHT_BODY_TIMEOUT_S": str(SLOW_S),
    "TURNWRIGHT_LOG_LEVEL": "error",
}
TIMES = sized(5, 10, 200)
CPU_S, MEMORY = 0.1, 50_000_000
"""What a request may cost: seconds of the processor, bytes of memory."""
ANSWERED, CUT = b"HTTP/1.1 ", b""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One that is patient for a second."""
    folder = tmp_path_factory.mktemp("floods")
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{folder}/turnwright.sqlite3")
    with served(command, folder / "printed", **SETTINGS) as running:
        yield running
    assert '"level":"error"' not in (folder / "printed").read_text().replace(" ", "")


@pytest.fixture(scope="module")
def club(server: Served) -> Iterator[Club]:
    """A campaign there."""
    with Club.of(server) as made:
        yield made


def line(server: Served) -> socket.socket:
    """A connection of one's own."""
    host, port = server.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def head(club: Club, path: str = "/v1/campaigns", token: str | None = None, **headers: str) -> bytes:
    """The head of a POST with JSON, without its end."""
    told = {"Host": "table", "Authorization": f"Bearer {token or club.admin}", "Content-Type": "application/json"}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in {**told, **headers}.items())
    return f"POST {path} HTTP/1.1\r\n{lines}".encode()


def heard(connection: socket.socket) -> bytes:
    """Everything until the other side ends it."""
    told = b""
    try:
        while piece := connection.recv(65536):
            told += piece
    except ConnectionResetError:
        pass
    return told


def poured(connection: socket.socket, piece: bytes, most: int) -> int:
    """How many bytes of an endless repetition are taken before the connection is cut."""
    sent = 0
    try:
        while sent < most:
            sent += connection.send(piece)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return sent


def is_well(server: Served, club: Club) -> bool:
    """Whether others are still served."""
    return bool(club.get("/v1/campaigns", club.admin)["items"]) and server.process.poll() is None


@pytest.mark.parametrize(
    ("what", "start", "then"),
    [
        ("nothing at all", b"", b""),
        ("half a head", b"GET /healthz HTTP/1.1\r\nHost: ta", b""),
        ("a header now and then", b"GET /healthz HTTP/1.1\r\nHost: table\r\n", b"X: y\r\n"),
        ("a byte now and then", b"GET /healthz HTTP/1.1\r\nX: ", b"y"),
    ],
)
def test_a_head_that_does_not_come_is_given_up(server: Served, what: str, start: bytes, then: bytes) -> None:
    with line(server) as slow:
        began = time.monotonic()
        slow.sendall(start)
        slow.settimeout(0.2)
        told = None
        while told is None and time.monotonic() - began < 15:
            try:
                told = slow.recv(4096)
            except TimeoutError:
                slow.sendall(then)

        assert told is not None, what
        assert told.startswith(b"HTTP/1.1 408 "), what
        assert SLOW_S * 0.9 < time.monotonic() - began < SLOW_S + 10, what


def test_a_next_request_may_not_dawdle_either(server: Served) -> None:
    with line(server) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: table\r\n\r\n")
        assert slow.recv(65536).startswith(b"HTTP/1.1 200 ")
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHos")

        assert b"HTTP/1.1 408 " in heard(slow)


@pytest.mark.parametrize("piece", [b"X: " + b"y" * 1000 + b"\r\n", b"y" * 1000], ids=["many headers", "one header"])
def test_a_head_that_does_not_end_is_cut(server: Served, club: Club, piece: bytes) -> None:
    before = server.rss()
    with line(server) as flood:
        flood.sendall(b"GET /healthz HTTP/1.1\r\nHost: table\r\nX: ")
        taken = poured(flood, piece, 200_000_000)

        assert taken < 20_000_000
    assert server.rss() - before < MEMORY
    assert is_well(server, club)


def test_the_headers_of_a_request_have_a_limit_at_which_they_are_still_read(server: Served, club: Club) -> None:
    for size, wanted in ((60_000, b"HTTP/1.1 400 "), (70_000, b"HTTP/1.1 431 ")):
        with line(server) as one:
            one.sendall(head(club, Idempotency_Key="k" * size, Content_Length="2", Connection="close") + b"\r\n{}")
            assert heard(one).startswith(wanted), size


@pytest.mark.parametrize(
    ("what", "piece"),
    [
        ("chunks", b"400\r\n" + b" " * 1024 + b"\r\n"),
        ("an extension of a chunk", b"1;" + b"x" * 1000),
        ("trailers", b"0\r\nX: " + b"y" * 1000 + b"\r\nX: "),
    ],
)
def test_a_flood_in_chunks_is_cut(server: Served, club: Club, what: str, piece: bytes) -> None:
    before = server.rss()
    with line(server) as flood:
        flood.sendall(head(club, Transfer_Encoding="chunked") + b"\r\n")
        taken = poured(flood, piece, 200_000_000)

        # What the system's own buffers on the loopback hold counts as taken.
        assert taken < 20_000_000, what
    assert server.rss() - before < MEMORY, what
    assert is_well(server, club)


@pytest.mark.parametrize("token", [None, "tw_aaaaaaaaaaaa_" + "b" * 43], ids=["admin", "nobody"])
def test_a_body_beyond_its_limit_is_refused_and_no_more_of_it_is_read(
    server: Served, club: Club, token: str | None
) -> None:
    with line(server) as flood:
        flood.sendall(head(club, token=token, Content_Length="300000000") + b"\r\n")
        taken = poured(flood, b" " * 65536, 300_000_000)

        assert taken < 20_000_000
    assert is_well(server, club)


def test_a_body_cut_off_changes_nothing(server: Served, club: Club) -> None:
    held = len(club.get("/v1/campaigns?limit=200", club.admin)["items"])
    body = b'{"name": "Half"}'
    for announced, sent in ((len(body), body[:-1]), (len(body) + 1, body), (10_000_000, body), (len(body), b"")):
        with line(server) as one:
            one.sendall(head(club, Content_Length=str(announced)) + b"\r\n" + sent)
    for chunks in (b"10\r\n" + body, b"10\r\n" + body + b"\r\n", b"10\r\n" + body[:3], b"zz\r\n", b"-1\r\n", b"1" * 40):
        with line(server) as one:
            one.sendall(head(club, Transfer_Encoding="chunked") + b"\r\n" + chunks)
    time.sleep(0.5)

    assert len(club.get("/v1/campaigns?limit=200", club.admin)["items"]) == held


def test_a_body_that_drips_is_given_up(server: Served, club: Club) -> None:
    with line(server) as slow:
        began = time.monotonic()
        slow.sendall(head(club, Content_Length="60000") + b"\r\n")
        slow.settimeout(0.1)
        told = None
        while told is None and time.monotonic() - began < 15:
            try:
                told = slow.recv(4096)
            except TimeoutError:
                slow.sendall(b" ")

        assert told is not None
        assert told.startswith(b"HTTP/1.1 408 ")
        assert b"body_timeout" in told + heard(slow)


@pytest.mark.parametrize(
    "headers",
    [
        {"Content_Length": "-1"},
        {"Content_Length": "1" * 30},
        {"Content_Length": "2, 3"},
        {"Content_Length": "0x2"},
        {"Content_Length": "2", "Transfer_Encoding": "chunked"},
        {"Transfer_Encoding": "chunked, gzip"},
        {"Transfer_Encoding": "xchunked"},
        {"Content_Length": "2", "Content_Encoding": "gzip"},
        {"Content_Length": "2", "Expect": "200-nothing"},
        {"Content_Length": "2", "Upgrade": "websocket", "Connection": "upgrade"},
    ],
    ids=str,
)
def test_odd_heads_never_break_the_server(server: Served, club: Club, headers: dict[str, str]) -> None:
    with line(server) as one:
        one.sendall(head(club, **headers) + b"\r\n{}")
        one.shutdown(socket.SHUT_WR)
        told = heard(one)

    assert not told or told.startswith(b"HTTP/1.1 4"), told[:80]
    assert is_well(server, club)


COSTLY: list[tuple[str, bytes]] = [
    *((what, content) for what, content, _, _ in RAW),
    ("a gzip bomb", gzip.compress(b" " * 60_000_000)[:60_000]),
    ("many keys", b"{" + b",".join(b'"k%d":1' % number for number in range(6_000)) + b"}"),
    ("many wrong items", b'{"combatants": [' + b",".join([b"7"] * 30_000) + b"]}"),
    ("many long numbers", b"[" + b",".join([b"9" * 4_000] * 15) + b"]"),
    ("escapes", b'{"name": "' + b"\\u00e9" * 10_000 + b'"}'),
    ("backslashes", b'{"name": "' + b"\\\\" * 30_000 + b'"}'),
    ("quotes that never end", b'{"name": "' + b'\\"' * 30_000),
    ("accents", b'{"name": "' + "e\u0301".encode() * 20_000 + b'"}'),
    ("brackets in texts", b'{"name": "' + b"[{" * 30_000 + b'"}'),
    ("brackets", b"[" * 60_000),
    ("an exponent", b'{"name": 1e99999999999}'),
    ("zeros", b'{"name": 0.' + b"0" * 60_000 + b"1}"),
    ("spaces", b" " * 60_000 + b"{}"),
    ("deep and wide", b"[" + b",".join([b"[" * 30 + b"]" * 30] * 900) + b"]"),
]


@pytest.mark.parametrize("path", ["/v1/encounters", "{base}/actions", "{house}/house-rules/ours", "/v1/join"])
def test_no_body_costs_more_than_it_is_worth(server: Served, club: Club, path: str) -> None:
    encounter = club.encounter()
    url = path.format(base=encounter, house=f"/v1/campaigns/{club.campaign}")
    method = "PUT" if "house-rules" in path else "POST"
    club.client.request(method, f"{club.url}{url}", content=b"{}", headers=said(club))
    for what, content in COSTLY:
        (before,), memory = server.busy_s(), server.rss()
        for _ in range(TIMES):
            answer = club.client.request(method, f"{club.url}{url}", content=content, headers=said(club))
            assert 400 <= answer.status_code < 500, (what, answer.status_code)
        (after,) = server.busy_s()

        assert (after - before) / TIMES <= CPU_S, (what, (after - before) / TIMES)
        assert server.rss() - memory <= MEMORY, (what, server.rss() - memory)


def said(club: Club) -> dict[str, str]:
    """The headers of a body of JSON from the GM."""
    return {"authorization": f"Bearer {club.gm}", "content-type": "application/json"}
