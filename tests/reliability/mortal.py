"""A service that dies where it is told, for as many lives as it is asked for.

A process of its own loads everything once and forks a service for each life, so that a death costs a tenth of a
second. Requests come as lines of JSON on its input, answers go to its output; `{"died": 137}` is the answer of one who
died over the request.
"""

import asyncio
import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

import httpx
from fastapi import FastAPI

from app.api import logs
from app.config import Settings
from app.main import create_app
from app.persistence import failpoints
from app.services import tokens
from tests.support import play
from tests.support.repository import ROOT
from tests.support.served import environment

Json = dict[str, Any]
ANSWERS = 3
"""Where answers go: the service itself writes its log to where output usually goes."""


class Broken(Exception):
    """Raised at a failpoint."""


class Mortal:
    """The other end: the process, as a test has it in hand."""

    def __init__(self, url: str, said: Path) -> None:
        with said.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.reliability.mortal", url],
                cwd=ROOT,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                bufsize=1,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            pipe.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, **request: Any) -> Json:
        """What comes of a request: `status`, `headers` and `body`, or `died`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        line = self._process.stdout.readline()
        assert line, "it is gone"
        told: Json = json.loads(line)
        return told


def _is_about(key: str, frame: FrameType | None) -> bool:
    """Whether what is being written was asked for under that key: other things are written as well, by themselves."""
    while frame is not None:
        for name in ("batch", "single"):
            found = frame.f_locals.get(name)
            batch = getattr(found, "batch", found)
            if any(key in map(str, row) for row in getattr(batch, "keys", ())):
                return True
        frame = frame.f_back
    return False


def _arm(point: str, how: str, key: str) -> None:
    def reached() -> None:
        if not _is_about(key, sys._getframe(1)):
            return
        if how == "exit":
            os._exit(137)
        raise Broken(point)

    failpoints.armed.clear()
    failpoints.armed[point] = reached


def _say(told: Json) -> None:
    os.write(ANSWERS, json.dumps(told).encode() + b"\n")


async def _live(app: FastAPI) -> None:
    logs.set_up("error", as_json=False)
    # Without a buffer: what this life has not read is the next one's.
    with open(0, "rb", buffering=0, closefd=False) as lines:
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
                while line := await asyncio.to_thread(lines.readline):
                    request = json.loads(line)
                    if request.get("admin"):
                        _say({"admin": await tokens.create_admin(app.state.parts.service, "the operator")})
                        continue
                    if point := request.pop("at", None):
                        _arm(point, request.pop("how"), request["headers"]["Idempotency-Key"])
                    answer = await client.request(**request)
                    failpoints.armed.clear()
                    _say({"status": answer.status_code, "headers": dict(answer.headers), "body": answer.text})


def main(url: str) -> None:
    """One life after another, until there is nothing more to do."""
    os.dup2(1, ANSWERS)
    os.dup2(2, 1)
    app = create_app(Settings(database_url=url, rate_limits=False), catalog=play.catalog())
    # What is there already is shared with every life, and looked through by none.
    gc.collect()
    gc.freeze()
    while True:
        child = os.fork()
        if child == 0:
            asyncio.run(_live(app))
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code == 0:
            return
        _say({"died": code})


if __name__ == "__main__":
    main(sys.argv[1])
