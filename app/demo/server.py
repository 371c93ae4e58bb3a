"""A server of our own: the same command that an operator types, with a database that is gone afterwards."""

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

_ADDRESS = re.compile(r"serves on (http://\S+)")
_TOKEN = re.compile(r"\btw_[0-9a-z]+_\S+")
PAUSE = 0.05
PATIENCE = 20
"""Seconds that a server may take to end."""


class NoServer(Exception):
    """Our own server did not come up."""


def answers(url: str) -> bool:
    """Whether a Turnwright answers there."""
    try:
        return httpx.get(f"{url}/readyz", timeout=2).is_success
    except httpx.HTTPError:
        return False


@contextlib.contextmanager
def own_server() -> Iterator[tuple[str, str]]:
    """A server on a free port of the loopback: its address and an admin's token."""
    with tempfile.TemporaryDirectory(prefix="turnwright-demo-") as folder:
        said = Path(folder) / "log"
        database = f"sqlite:///{Path(folder).as_posix()}/demo.sqlite3"
        command = [sys.executable, "-m", "app.cli", "serve", "--host", "127.0.0.1", "--port", "0"]
        settings = {name: value for name, value in os.environ.items() if not name.startswith("TURNWRIGHT_")}
        settings["TURNWRIGHT_LOG_JSON"] = "false"
        with said.open("wb") as log:
            process = subprocess.Popen(
                [*command, "--database", database],
                env=settings,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        try:
            address, token = _greeting(process, said)
            while not answers(address):
                _still_runs(process, said)
                time.sleep(PAUSE)
            yield address, token
        finally:
            _stop(process)


def _greeting(process: "subprocess.Popen[str]", said: Path) -> tuple[str, str]:
    """What it prints when it starts."""
    address = token = None
    assert process.stdout is not None
    for line in process.stdout:
        address = address or _found(_ADDRESS, line)
        token = token or _found(_TOKEN, line)
        if address and token:
            return address, token
    raise NoServer(f"The server of the demo did not start:\n{said.read_text(errors='replace').strip()}")


def _still_runs(process: "subprocess.Popen[str]", said: Path) -> None:
    if process.poll() is not None:
        raise NoServer(f"The server of the demo ended:\n{said.read_text(errors='replace').strip()}")


def _stop(process: "subprocess.Popen[str]") -> None:
    process.terminate()
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _found(pattern: re.Pattern[str], line: str) -> str | None:
    match = pattern.search(line)
    return None if match is None else match[match.lastindex or 0]
