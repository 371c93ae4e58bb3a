"""Many clients at one server: each reads and writes at random, and keeps what it asked, when, and what it was told."""

import asyncio
import json
import random
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.live.club import Club
from tests.reliability.history import Asked, Entry

clock = time.monotonic
ABORTED = 0.03
"""How many writes their client does not wait for; he asks again with the same key."""


class Told(NamedTuple):
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """What it holds."""
        return json.loads(self.body)


class Line:
    """A client with one connection, or with a new one for each request, so that any worker may get it.

    Far leaner than a client for everybody: what is measured against the clock is the server, not the one who asks.
    """

    def __init__(self, url: str, token: str, *, anew: bool) -> None:
        self._host, port = url.removeprefix("http://").split(":")
        self._port, self._anew = int(port), anew
        self._common = f"Host: table\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Told:
        """Send a request and read its answer. Whoever is cancelled in between begins anew."""
        content = b"" if body is None else json.dumps(body).encode()
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        closing = "Connection: close\r\n" if self._anew else ""
        head = f"{method} {path} HTTP/1.1\r\n{self._common}{lines}{closing}Content-Length: {len(content)}\r\n\r\n"
        streams, self._streams = self._streams, None
        reader, writer = streams or await asyncio.open_connection(self._host, self._port)
        try:
            writer.write(head.encode() + content)
            first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            found = dict(line.lower().split(": ", 1) for line in rest if line)
            told = Told(int(first.split()[1]), found, await reader.readexactly(int(found.get("content-length", "0"))))
        except BaseException:
            writer.close()
            raise
        if self._anew or found.get("connection") == "close":
            writer.close()
        else:
            self._streams = reader, writer
        return told

    def close(self) -> None:
        """Let go of the connection."""
        if self._streams is not None:
            self._streams[1].close()


class Player:
    """One client. With `reads_first` it writes only to the version that it has just read."""

    def __init__(self, number: int, line: Line, encounters: Sequence[str], *, reads_first: bool) -> None:
        self.number, self._line, self._encounters, self._reads_first = number, line, encounters, reads_first
        self._chance = random.Random(number)
        self._count = 0
        self.history: list[Asked] = []
        self.odd: list[str] = []
        """Answers that nobody should get."""

    @property
    def has_won(self) -> bool:
        """Whether it has written anything."""
        return any(one.kind == "write" and one.outcome == "done" for one in self.history)

    async def play(self, until: float) -> None:
        """Ask for this and that until then."""
        while clock() < until:
            path = self._chance.choice(self._encounters)
            if self._reads_first:
                version = await self._read(path)
                await self._write(path, version)
            elif self._chance.random() < 0.4:
                await self._read(path)
            else:
                await self._write(path, None)

    async def _read(self, path: str) -> int:
        begun = clock()
        if self._chance.random() < 0.5:
            answer = await self._line.ask("GET", path)
            version = int(answer.headers["etag"].strip('"').partition(".")[0])
        else:
            answer = await self._line.ask("GET", f"{path}/log?before=1000000&limit=1")
            version = answer.json()["items"][0]["version"]
        if answer.status != 200:
            self.odd.append(f"GET: {answer.status} {answer.body[:200]!r}")
        self.history.append(Asked(self.number, path, "read", begun, clock(), "done", version))
        return version

    async def _write(self, path: str, expected: int | None) -> None:
        self._count += 1
        mark = f"{self.number}-{self._count}"
        change = {"combatant": "ref:brok", "resource": "wounds", "set": self._count % 5}
        headers = {"idempotency_key": f"{path[-10:]}-{mark}"} | (
            {} if expected is None else {"if_match": f'"{expected}"'}
        )
        asked = Asked(self.number, path, "write", clock(), 0.0, "unknown", mark=mark, expected=expected)
        body = {"reason": mark, "changes": [change]}
        patience = self._chance.uniform(0.001, 0.02) if self._chance.random() < ABORTED else 30
        try:
            async with asyncio.timeout(patience):
                answer = await self._line.ask("POST", f"{path}/rulings", body, **headers)
        except TimeoutError:
            answer = await self._line.ask("POST", f"{path}/rulings", body, **headers)
        ended = clock()
        if answer.status == 201:
            asked = asked._replace(outcome="done", version=answer.json()["version"])
        elif answer.status == 412 and expected is not None:
            asked = asked._replace(outcome="refused")
        else:
            self.odd.append(f"POST: {answer.status} {answer.body[:200]!r}")
        self.history.append(asked._replace(ended=ended))


async def played(
    club: Club, encounters: Sequence[str], seconds: float, *, clients: int, reads_first: bool, anew: bool
) -> list[Player]:
    """Let so many clients play for that long; up to twenty seconds if until then somebody has got nothing done."""
    lines = [Line(club.url, club.gm, anew=anew) for _ in range(clients)]
    players = [Player(number, line, encounters, reads_first=reads_first) for number, line in enumerate(lines)]
    begun = clock()
    while clock() < begun + seconds or (clock() < begun + 20 and any(not player.has_won for player in players)):
        until = clock() + min(seconds, 2)
        await asyncio.gather(*(player.play(until) for player in players))
    for line in lines:
        line.close()
    return players


def logged(club: Club, path: str) -> list[Entry]:
    """What was written to an encounter, in order."""
    return [Entry(event["version"], event["reason"]) for event in club.log(path) if event["type"] == "ruled"]
