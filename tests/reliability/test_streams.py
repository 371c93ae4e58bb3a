"""Streams of a server as a user starts it: who stops reading, who comes and goes, who comes back with what cursor."""

import asyncio
import contextlib
import json
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.live.club import Club
from tests.reliability.crowd import Line
from tests.support.served import Served, served, turnwright
from tests.support.sizes import IS_LONG, sized

STALLED, COMMANDS, ROUNDS = sized((100, 100, 2), (100, 100, 2), (100, 1500, 5))
FILLING = 120
KINDS = ("text/event-stream", "application/x-ndjson")
REASON = "x" * 950
"""Told twice in its event, which then has about 2 kB."""
STALL_S = 4
SETTINGS = {
    "TURNWRIGHT_RATE_LIMITS": "false",
    "TURNWRIGHT_STREAMS_PER_TOKEN": "1000",
    "TURNWRIGHT_STREAM_STALL_S": "300",
}


def serve(folder: Path) -> list[str]:
    return turnwright("serve", "--port", "0", "--database", f"sqlite:///{folder}/turnwright.sqlite3")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("streams")
    with served(serve(folder), folder / "printed", **SETTINGS) as running:
        yield running


@pytest.fixture(scope="module")
def club(server: Served) -> Iterator[Club]:
    with Club.of(server) as made:
        yield made


def opened(club: Club, path: str, *, kind: str = "text/event-stream", **headers: str) -> socket.socket:
    """A reader who has asked for a stream and has not read anything of it; little fits into his system's hands."""
    host, port = club.url.removeprefix("http://").split(":")
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect((host, int(port)))
    given = {"Host": "table", "Authorization": f"Bearer {club.gm}", "Accept": kind, **headers}
    text = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    line.sendall(f"GET {path}/stream HTTP/1.1\r\n{text}\r\n".encode())
    return line


def numbers(body: str) -> list[int]:
    """The ids of the frames, the snapshot's left out."""
    frames = [frame for frame in body.split("\n\n") if "event: snapshot" not in frame]
    return [int(line[4:]) for frame in frames for line in frame.split("\n") if line.startswith("id: ")]


async def lasted(club: Club, path: str, count: int, reason: str = "so be it") -> float:
    """Submit so many commands one by one; the time that one in a hundred exceeds."""
    line, times = Line(club.url, club.gm, anew=False), []
    for number in range(count):
        begun = time.perf_counter()
        told = await line.ask("POST", f"{path}/rulings", {"reason": f"{number} {reason}"})
        times.append(time.perf_counter() - begun)
        assert told.status == 201
    line.close()
    return statistics.quantiles(times, n=100)[98]


@pytest.mark.alone
@pytest.mark.timeout(600 if IS_LONG else 180)
async def test_readers_who_take_nothing_cost_little_and_hold_up_nobody(server: Served, club: Club) -> None:
    path = club.encounter()
    await lasted(club, path, 100, REASON)
    descriptors = server.descriptors()
    without, during, grown = [], [], 0.0

    # In turns, and the best of each: the machine is not equally busy all the time.
    for _ in range(ROUNDS):
        without.append(await lasted(club, path, COMMANDS, REASON))
        at_first = server.rss()
        with contextlib.ExitStack() as lines:
            readers = [
                lines.enter_context(contextlib.closing(opened(club, path, kind=KINDS[number % 2])))
                for number in range(STALLED)
            ]
            deadline = time.monotonic() + 60
            while f"turnwright_streams_open {STALLED}.0" not in club.client.get(f"{server.url}/metrics").text:
                assert time.monotonic() < deadline, "they do not get in"
                await asyncio.sleep(0.1)
            # They are told until nothing more fits on the way to them; from then on they are as good as gone.
            await lasted(club, path, FILLING, REASON)
            during.append(await lasted(club, path, COMMANDS, REASON))
            grown = max(grown, (server.rss() - at_first) / STALLED)
            # One of them reads after all: everything is there.
            reader = readers[0]
            reader.settimeout(10)
            last, heard = club.get(path)["cursor"], b""
            while b"id: %d\n" % last not in heard:
                heard += reader.recv(65536)
        told = numbers(heard.decode("utf-8", "replace").replace("\r\n", "\n"))
        assert told == list(range(last - len(told) + 1, last + 1))
        assert len(told) >= COMMANDS + FILLING
        deadline = time.monotonic() + 5
        while server.descriptors() > descriptors + 2 and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        assert server.descriptors() <= descriptors + 2

    best = min(without) * 1000, min(during) * 1000
    print(f"{grown / 1000:.0f} kB a reader; p99 {best[0]:.1f} ms without, {best[1]:.1f} ms with them")
    assert grown < 100_000
    # A machine that does other things besides cannot tell: held to it in the long run, which has it for itself.
    assert not IS_LONG or min(during) < 1.5 * min(without)


def test_a_reader_who_takes_nothing_for_long_is_cut(tmp_path: Path) -> None:
    settings = SETTINGS | {"TURNWRIGHT_STREAM_STALL_S": str(STALL_S)}
    with served(serve(tmp_path), tmp_path / "printed", **settings) as server, Club.of(server) as club:
        path = club.encounter()
        for _ in range(60):
            club.happen(path, REASON)
        before = server.descriptors()
        with contextlib.ExitStack() as lines:
            # Each is far behind, and there is more for him than any buffer on the way holds.
            for _ in range(5):
                line = lines.enter_context(contextlib.closing(opened(club, path, **{"Last-Event-ID": "0"})))
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            time.sleep(0.5)
            assert server.descriptors() >= before + 5
            stop = threading.Event()

            def go_on() -> None:
                while not stop.is_set():
                    club.happen(path, REASON)

            playing = threading.Thread(target=go_on)
            playing.start()
            deadline = time.monotonic() + 12 * STALL_S
            while server.descriptors() > before + 1 and time.monotonic() < deadline:
                time.sleep(0.2)
            stop.set()
            playing.join()
            assert server.descriptors() <= before + 1
        assert '"level":"error"' not in server.printed.read_text()


async def test_readers_who_come_and_go_leave_nothing_behind(server: Served, club: Club) -> None:
    path = club.encounter()
    for _ in range(5):
        club.happen(path)
    before = server.descriptors()

    for number in range(300):
        line = opened(club, path, **({"Last-Event-ID": "2"} if number % 2 else {}))
        if number % 3:
            line.recv(200)
        line.close()

    deadline = time.monotonic() + 5
    while server.descriptors() > before and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    assert server.descriptors() <= before
    assert "turnwright_streams_open 0.0" in httpx.get(f"{server.url}/metrics").text


@pytest.fixture(scope="module")
def told(club: Club) -> tuple[str, list[dict[str, Any]]]:
    """An encounter with a log in which nothing happens any more."""
    path = club.encounter()
    for number in range(20):
        club.happen(path, wounds=number % 4)
    return path, club.log(path)


Log = tuple[str, list[dict[str, Any]]]


@pytest.mark.parametrize("by", ["header", "query", "both"])
def test_a_reader_may_come_back_with_any_cursor(club: Club, told: Log, by: str) -> None:
    path, log = told
    client = club.client
    for cursor in range(len(log)):
        headers = {"authorization": f"Bearer {club.gm}"}
        address = f"{club.url}{path}/stream?max_events={len(log) - cursor}"
        if by != "query":
            headers["last-event-id"] = str(cursor)
        if by != "header":
            # The header is newer than the address that the reader first came by.
            address += f"&after={cursor if by == 'query' else 0}"
        answer = client.get(address, headers=headers)
        events = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
        assert events == log[cursor:]
        assert numbers(answer.text) == [event["seq"] for event in log[cursor:]]


@pytest.mark.parametrize(
    ("cursor", "status", "code"),
    [
        ("future", 410, "cursor_gone"),
        ("another", 410, "cursor_gone"),
        ("999999999999999", 410, "cursor_gone"),
        ("-1", 422, "invalid_request"),
        ("abc", 422, "invalid_request"),
        ("1e3", 422, "invalid_request"),
        ("1.0", 422, "invalid_request"),
        ("٣", 422, "invalid_request"),
        ("9" * 1000, 422, "invalid_request"),
        ("x" * 1000, 422, "invalid_request"),
    ],
)
def test_a_cursor_that_is_none_of_ours_is_refused(club: Club, told: Log, cursor: str, status: int, code: str) -> None:
    path, log = told
    if cursor == "future":
        cursor = str(len(log) + 1)
    if cursor == "another":
        other = club.encounter()
        for number in range(30):
            club.happen(other, wounds=number % 4)
        cursor = str(club.get(other)["cursor"])
    headers = {b"authorization": f"Bearer {club.gm}".encode(), b"last-event-id": cursor.encode()}

    answer = httpx.get(f"{club.url}{path}/stream", headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_an_empty_cursor_is_none_and_a_snapshot_comes_first(club: Club, told: Log) -> None:
    path, log = told
    headers = {"authorization": f"Bearer {club.gm}", "last-event-id": ""}

    answer = httpx.get(f"{club.url}{path}/stream?max_events=1", headers=headers, timeout=20)

    assert f"id: {len(log)}\nevent: snapshot\n" in answer.text
    assert numbers(answer.text) == []


async def test_five_thousand_events_are_caught_up_with(club: Club) -> None:
    path = club.encounter()
    lines = [Line(club.url, club.gm, anew=False) for _ in range(8)]

    async def fill(line: Line, who: int) -> None:
        for number in range(32):
            changes = [
                {
                    "combatant": f"ref:{('brok', 'sable')[one % 2]}",
                    "resource": "wounds",
                    "set": (number + one // 2 + who) % 7,
                }
                for one in range(20)
            ]
            told = await line.ask("POST", f"{path}/rulings", {"reason": "much", "changes": changes})
            assert told.status == 201, told.body

    await asyncio.gather(*(fill(line, who) for who, line in enumerate(lines)))
    for line in lines:
        line.close()
    last = club.get(path)["cursor"]
    begun = time.monotonic()
    headers = {"authorization": f"Bearer {club.gm}"}
    answers = [
        httpx.get(f"{club.url}{path}/stream?after=0&max_events={last}", headers=headers | {"accept": kind}, timeout=60)
        for kind in ("text/event-stream", "application/x-ndjson")
    ]
    print(f"{last} events twice in {time.monotonic() - begun:.1f} s")

    assert last >= 5000
    assert numbers(answers[0].text) == list(range(1, last + 1))
    assert [json.loads(line)["seq"] for line in answers[1].text.splitlines() if line] == list(range(1, last + 1))


def test_a_busy_stream_ends_soon_after_its_token_is_revoked(club: Club) -> None:
    path, token = club.encounter(), club.token()
    headers = {"authorization": f"Bearer {token['token']}"}
    stop = threading.Event()

    def play() -> None:
        while not stop.is_set():
            club_of_player.happen(path)

    with Club(club.url, club.admin) as club_of_player:
        club_of_player.gm = club.gm
        playing = threading.Thread(target=play)
        playing.start()
        try:
            with httpx.stream("GET", f"{club.url}{path}/stream", headers=headers, timeout=20) as stream:
                lines = stream.iter_lines()
                for _ in range(50):
                    next(lines)
                club.revoke(token)
                begun = time.monotonic()
                for _ in lines:
                    continue
                took = time.monotonic() - begun
        finally:
            stop.set()
            playing.join()

    assert took < 5
    assert httpx.get(f"{club.url}{path}/stream", headers=headers).status_code == 401


@pytest.mark.crash
def test_a_reader_goes_on_where_he_was_when_the_server_is_killed(tmp_path: Path) -> None:
    heard: list[int] = []
    with served(serve(tmp_path), tmp_path / "first", **SETTINGS) as first, Club.of(first) as club:
        path, gm = club.encounter(), club.gm
        headers = {"authorization": f"Bearer {gm}"}
        with httpx.stream("GET", f"{club.url}{path}/stream?after=0", headers=headers, timeout=20) as stream:
            threading.Timer(1.0, first.kill).start()
            with contextlib.suppress(httpx.TransportError):
                threading.Thread(target=_until_it_breaks, args=(club, path), daemon=True).start()
                left = ""
                for text in stream.iter_text():
                    *frames, left = (left + text).split("\n\n")
                    heard += numbers("\n\n".join(frames))
    assert heard

    with served(serve(tmp_path), tmp_path / "second", **SETTINGS) as second:
        last = int(httpx.get(f"{second.url}{path}", headers=headers).json()["cursor"])
        if last > heard[-1]:
            address = f"{second.url}{path}/stream?max_events={last - heard[-1]}"
            answer = httpx.get(address, headers=headers | {"last-event-id": str(heard[-1])}, timeout=20)
            heard += numbers(answer.text)

    assert heard == list(range(1, last + 1))


def _until_it_breaks(club: Club, path: str) -> None:
    with contextlib.suppress(httpx.TransportError, RuntimeError):
        while True:
            club.happen(path)
