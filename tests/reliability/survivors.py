"""Clients who go on whatever happens to the server: what got no answer that says, they ask again by its key."""

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.reliability.crowd import Line, Told, clock
from tests.reliability.history import Asked
from tests.support.served import Served

BROKEN = (OSError, asyncio.IncompleteReadError)
AGAIN_S = 0.05
"""How long a client waits where he is told that the service cannot be had."""
PATIENCE_S = 30.0
"""Nobody waits longer for an answer."""


@dataclass
class Tried:
    """A write of which nobody knows yet what came of it."""

    asked: Asked
    key: str
    body: dict[str, Any]


@dataclass
class Survivor:
    """One client on some encounters; each write follows the version that it has just read. With a `seat`, the
    path of a token, it also names that one anew each time: that goes another way through the writer."""

    number: int
    token: str
    encounters: Sequence[str]
    chance: random.Random
    history: list[Asked] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    """Answers that nobody should get."""
    told: Counter[str] = field(default_factory=Counter)
    """How often it heard what: a status, `replayed`, or `broken` for no answer."""
    slowest: float = 0.0
    seat: str = ""
    named: int = 0
    """The last name of the seat that was acknowledged."""
    _open: Tried | None = None
    _count: int = 0
    _line: Line | None = None

    def move_to(self, server: Served) -> None:
        """Go on at the server's new address."""
        self.close()
        self._line = Line(server.url, self.token, anew=False)

    @property
    def is_settled(self) -> bool:
        """Whether it knows what came of everything that it asked for."""
        return self._open is None

    async def play(self, until: float) -> None:
        """Settle what is unknown, then read and write until then, or until the server is gone."""
        with contextlib.suppress(*BROKEN):
            while clock() < until:
                if self.seat:
                    await self._name()
                if self._open is None:
                    await self._begin()
                else:
                    await self._finish(self._open)

    async def settle(self) -> None:
        """Learn what came of the last write."""
        while self._open is not None:
            await self._finish(self._open)

    async def _name(self) -> None:
        """The next name; asked for again by the same key until it is there."""
        name = str(self.named + 1)
        if await self._ask("PATCH", self.seat, {"name": name}, idempotency_key=f"name-{name}"):
            self.named += 1

    async def _begin(self) -> None:
        path = self.chance.choice(self.encounters)
        begun = clock()
        answer = await self._ask("GET", path)
        if answer is None:
            return
        version = int(answer.headers["etag"].strip('"').partition(".")[0])
        self.history.append(Asked(self.number, path, "read", begun, clock(), "done", version))
        self._count += 1
        mark = f"{self.number}-{self._count}"
        change = {"combatant": "ref:brok", "resource": "wounds", "set": self._count % 5}
        asked = Asked(self.number, path, "write", clock(), 0.0, "unknown", mark=mark, expected=version)
        self._open = Tried(asked, f"{path[-10:]}-{mark}", {"reason": mark, "changes": [change]})

    async def _finish(self, tried: Tried) -> None:
        asked = tried.asked
        headers = {"idempotency_key": tried.key, "if_match": f'"{asked.expected}"'}
        answer = await self._ask("POST", f"{asked.encounter}/rulings", tried.body, **headers)
        if answer is None:
            return
        outcome = asked._replace(ended=clock(), outcome="refused")
        if answer.status == 201:
            self.told["replayed"] += "idempotency-replayed" in answer.headers
            outcome = outcome._replace(outcome="done", version=answer.json()["version"])
        self.history.append(outcome)
        self._open = None

    async def _ask(self, method: str, path: str, body: Any = None, **headers: str) -> Told | None:
        """An answer that says something; None where the service cannot be had just now."""
        begun = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE_S):
                assert self._line is not None, "nobody has told him where the server is"
                answer = await self._line.ask(method, path, body, **headers)
        except TimeoutError:
            self.odd.append(f"{method}: no answer in {PATIENCE_S} s")
            return None
        except BROKEN:
            self.told["broken"] += 1
            raise
        self.slowest = max(self.slowest, time.monotonic() - begun)
        self.told[str(answer.status)] += 1
        if answer.status == 503 and answer.headers.get("retry-after", "").isdigit():
            await asyncio.sleep(AGAIN_S)
            return None
        if answer.status not in ((201, 412) if method == "POST" else (200,)):
            self.odd.append(f"{method}: {answer.status} {answer.headers} {answer.body[:200]!r}")
            return None
        return answer

    def close(self) -> None:
        """Let go of the connection. The loop needs a moment for it: one that ends before cannot be closed."""
        if self._line is not None:
            self._line.close()


def together(survivors: Sequence[Survivor]) -> tuple[list[Asked], list[str], Counter[str]]:
    """What all of them saw: the history, the odd answers, how often what was heard."""
    told: Counter[str] = Counter()
    for one in survivors:
        told += one.told
    return [asked for one in survivors for asked in one.history], [odd for one in survivors for odd in one.odd], told
