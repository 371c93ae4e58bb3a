"""The load client: reads a job from standard input, loads a server with it, writes what it measured.

Closed loop: each connection sends the next request when the last one was answered. What began before the warm-up was
over, or was answered after the end, is not counted.
"""

import asyncio
import importlib.util
import json
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from bench.connection import Connection
from bench.fights import Fight, Note, Unexpected
from bench.figures import percentile

clock = time.perf_counter
PATIENCE_S = 60.0
PAUSE_S = 0.02
SUBMISSION = b'{"actor":"cmb_5e6a3byc55","action":"standard_attack","targets":["cmb_dyvc8ywq14"],"weapon":"gun"}'


class Window:
    """Latencies of what happened between the warm-up and the end."""

    def __init__(self, warm_s: float, seconds: float) -> None:
        self.open(warm_s, seconds)
        self.found: defaultdict[str, list[float]] = defaultdict(list)

    def open(self, warm_s: float, seconds: float) -> None:
        """Let it begin now: what had to be made ready first took its time."""
        self.begin = clock() + warm_s
        self.end = self.begin + seconds

    @property
    def is_over(self) -> bool:
        """Whether nothing more is to be begun."""
        return clock() >= self.end

    def note(self, kind: str, begun: float, answered: float) -> None:
        """A request was answered."""
        if begun >= self.begin and answered <= self.end:
            self.found[kind].append(answered - begun)


async def play(job: dict[str, Any], window: Window) -> None:
    """Every connection plays a fight of its own."""
    names = iter(job["fights"])

    async def one(connection: Connection) -> None:
        fight = Fight(next(names))
        await fight.look(connection)
        while not window.is_over:
            await fight.play_turn(connection, clock, window.note)

    await _on_connections(job, one)


async def post(job: dict[str, Any], window: Window) -> None:
    """The reference: every connection has a row of its own."""
    rows = iter(range(job["connections"]))

    async def one(connection: Connection) -> None:
        path = f"{job['path']}/{next(rows)}"
        while not window.is_over:
            begun = clock()
            status, told = await connection.request("POST", path, SUBMISSION)
            window.note("submission", begun, clock())
            if status not in (200, 201):
                raise Unexpected(f"{status} {told[:300]!r}")

    await _on_connections(job, one)


async def take_turns(job: dict[str, Any], window: Window) -> None:
    """One connection goes from group to group, so that all are measured under the same weather.

    A fight is played for `turns` turns and then left for the next of its group. The last quarter of the time the fights
    are joined instead, as by a client who comes in: the whole state, and the last 50 entries of the log.
    """
    connection = await Connection.open(job["port"], job["token"])
    groups = {name: [Fight(fight) for fight in fights] for name, fights in job["groups"].items()}
    for fights in groups.values():
        for fight in fights:
            await fight.look(connection)
    joins_from = window.end - job["seconds"] / 4
    rounds = 0
    while not window.is_over:
        for name, fights in groups.items():
            fight = fights[rounds % len(fights)]

            def note(kind: str, begun: float, answered: float, name: str = name) -> None:
                window.note(f"{name}/{kind}", begun, answered)

            if clock() >= joins_from:
                await _join(connection, fight.name, note)
            else:
                for _ in range(job["turns"]):
                    await fight.play_turn(connection, clock, note)
        rounds += 1
    connection.close()


async def _join(connection: Connection, fight: str, note: Note) -> None:
    begun = clock()
    for path in (f"/v1/encounters/{fight}", f"/v1/encounters/{fight}/log?before=999999999&limit=50"):
        status, told = await connection.request("GET", path)
        if status != 200:
            raise Unexpected(f"{path}: {status} {told[:300]!r}")
    note("join", begun, clock())


async def read(job: dict[str, Any], window: Window) -> None:
    """Every connection sends one request over and over."""
    body = job.get("body", "").encode()

    async def one(connection: Connection) -> None:
        while not window.is_over:
            begun = clock()
            status, told = await connection.request(job["method"], job["path"], body)
            window.note("request", begun, clock())
            if status not in (200, 201):
                raise Unexpected(f"{job['path']}: {status} {told[:300]!r}")

    await _on_connections(job, one)


class _Reader(asyncio.Protocol):
    """Reads a stream, and says when a text has come."""

    def __init__(self, request: bytes, arrived: Callable[[], None]) -> None:
        self._request, self._arrived = request, arrived
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.wanted = b""
        self._rest = b""

    def connection_made(self, transport: Any) -> None:
        """Ask for the stream."""
        self.transport: asyncio.Transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Look for the text, which two pieces may share."""
        if not self.opened.done():
            if b"\n\n" in self._rest + data:
                self.opened.set_result(None)
                data = b""
            self._rest = data[-1:]
            return
        if self.wanted and self.wanted in self._rest + data:
            self.wanted, self._rest = b"", b""
            self._arrived()
        elif self.wanted:
            self._rest = (self._rest + data)[-len(self.wanted) :]


async def follow(job: dict[str, Any], window: Window) -> None:
    """So many read a stream, one tells something over and over, with a pause in which everything is quiet again."""
    loop = asyncio.get_running_loop()
    port, token, count = job["port"], job.get("token", ""), job["readers"]
    head = f"GET {job['stream']} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {token}\r\n\r\n".encode()
    came: list[float] = []
    everybody = asyncio.Event()

    def arrived() -> None:
        came.append(clock())
        if len(came) == count:
            everybody.set()

    readers = []
    for _ in range(count):
        _, reader = await loop.create_connection(lambda: _Reader(head, arrived), "127.0.0.1", port)
        readers.append(reader)
    await asyncio.gather(*(reader.opened for reader in readers))
    teller, number = await Connection.open(port, token), 0
    window.open(job["warm_s"], job["seconds"])
    while not window.is_over:
        number += 1
        text = f"news-{number:08}-"
        for reader in readers:
            reader.wanted = text.encode()
        came.clear()
        everybody.clear()
        begun = clock()
        status, told = await teller.request("POST", job["tell"], (job["body"] % (text, number % 2)).encode())
        if status != 201:
            raise Unexpected(f"{status} {told[:300]!r}")
        await asyncio.wait_for(everybody.wait(), PATIENCE_S)
        window.note("last", begun, came[-1])
        for at in came:
            window.note("every", begun, at)
        await asyncio.sleep(PAUSE_S)
    for reader in readers:
        reader.transport.close()
    teller.close()


async def _on_connections(job: dict[str, Any], one: Callable[[Connection], Awaitable[None]]) -> None:
    opened = [await Connection.open(job["port"], job.get("token", "")) for _ in range(job["connections"])]
    async with asyncio.TaskGroup() as group:
        for connection in opened:
            group.create_task(_awaited(one(connection)))
    for connection in opened:
        connection.close()


async def _awaited(what: Awaitable[None]) -> None:
    await what


KINDS = {"play": play, "post": post, "take_turns": take_turns, "read": read, "follow": follow}


def summary(latencies: Iterable[float], seconds: float) -> dict[str, float]:
    """Rate a second, and the middle and the tail in milliseconds."""
    found = sorted(latencies)
    if not found:
        raise Unexpected("nothing was measured: give more time")
    return {
        "count": len(found),
        "rate": len(found) / seconds,
        "p50": percentile(found, 0.5) * 1000,
        "p99": percentile(found, 0.99) * 1000,
    }


async def work(job: dict[str, Any]) -> dict[str, Any]:
    """Run a job. Gives the figures over everything and by kind, and the client's own share of its core."""
    window = Window(job["warm_s"], job["seconds"])
    begun, busy = clock(), time.process_time()
    await KINDS[job["kind"]](job, window)
    share = (time.process_time() - busy) / (clock() - begun)
    kinds = {kind: summary(found, job["seconds"]) for kind, found in window.found.items()}
    whole = summary((one for found in window.found.values() for one in found), job["seconds"])
    return {**whole, "client": share, "requests": Connection.requests, "kinds": kinds}


def main() -> None:
    """One job from standard input."""
    job = json.load(sys.stdin)
    if importlib.util.find_spec("uvloop") is None:
        found = asyncio.run(work(job))
    else:
        import uvloop

        found = uvloop.run(work(job))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
