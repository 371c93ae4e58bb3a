"""Processes under measurement: servers on one core, the load client on another, where there are two."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 60.0
LIMITS_OUT_OF_THE_WAY = {
    "TURNWRIGHT_RATE_LIMITS": "false",
    "TURNWRIGHT_ENCOUNTERS_PER_CAMPAIGN": "100000",
    "TURNWRIGHT_STREAMS_PER_TOKEN": "1000",
}
_ADDRESS = re.compile(r"on http://[\d.]+:(\d+)")
_TOKEN = re.compile(r"^\s+(tw_\S+)$")


def cores() -> tuple[set[int], set[int]]:
    """Cores for servers and for the load client; empty sets where there is nothing to choose from."""
    if not hasattr(os, "sched_getaffinity"):
        return set(), set()
    there = sorted(os.sched_getaffinity(0))
    return (set(), set()) if len(there) < 2 else ({there[0]}, {there[1]})


@contextlib.contextmanager
def pinned(where: set[int]) -> Iterator[None]:
    """Whatever is started inside runs on these cores."""
    if not where:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, where)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Server:
    """A server process, ready to answer on `port` of the loopback."""

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        folder: Path,
        environment: dict[str, str],
        *,
        gives_token: bool,
        is_pinned: bool = True,
    ) -> None:
        self.name = name
        self.token = ""
        """The first admin's token, where the server prints one."""
        self.port = 0
        self._log = (folder / f"{name}.log").open("w")
        with pinned(cores()[0] if is_pinned else set()):
            self._process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=ROOT,
                env={**os.environ, **environment},
                stdout=subprocess.PIPE,
                stderr=self._log,
                text=True,
            )
        try:
            self._wait(gives_token)
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """Its process id, for a profiler."""
        return self._process.pid

    def _wait(self, gives_token: bool) -> None:
        """Until it says that it serves, and does."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := _ADDRESS.search(line):
                self.port = int(found[1])
            if found := _TOKEN.match(line):
                self.token = found[1]
            if self.port and (self.token or not gives_token):
                break
        if not self.port:
            raise RuntimeError(f"{self.name} did not start:\n{Path(self._log.name).read_text()[-2000:]}")
        deadline = time.monotonic() + PATIENCE_S
        while not _answers(self.port):
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise RuntimeError(f"{self.name} does not answer:\n{Path(self._log.name).read_text()[-2000:]}")
            time.sleep(0.05)

    def busy_s(self) -> float:
        """Processor time it has used, in seconds; 0 where the system does not tell."""
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Bytes of it that are in memory; 0 where the system does not tell."""
        try:
            return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            return 0

    def stop(self) -> None:
        """End it in order, or by force if it takes too long."""
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()


def _answers(port: int) -> bool:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status < 500
    except OSError:
        return False
    finally:
        connection.close()


@contextlib.contextmanager
def product(
    database: str, folder: Path, name: str, *, gives_token: bool = True, workers: int | None = None
) -> Iterator[Server]:
    """The product as `turnwright serve` starts it, with rate limits out of the way.

    It prints a token on a database that has none yet. A number of workers is left to run on whatever core is free.
    """
    server = Server(
        name,
        ["app.cli", "serve", "--port", "0", "--workers", str(workers or 1), "--database", database],
        folder,
        LIMITS_OUT_OF_THE_WAY,
        gives_token=gives_token,
        is_pinned=workers is None,
    )
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def ceiling(database: str, folder: Path, name: str) -> Iterator[Server]:
    """The bare reference on that database."""
    server = Server(name, ["bench.ceiling", database], folder, {}, gives_token=False)
    try:
        yield server
    finally:
        server.stop()


def load(job: dict[str, Any]) -> dict[str, Any]:
    """Run one load in a client process of its own, and give what it measured."""
    with pinned(cores()[1]):
        process: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-m", "bench.load"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    told, _ = process.communicate(json.dumps(job))
    if process.returncode != 0:
        raise RuntimeError(f"the load client failed with {process.returncode}")
    found: dict[str, Any] = json.loads(told)
    return found


def note(text: str, to: IO[str] = sys.stderr) -> None:
    """Tell whoever waits how far it is."""
    print(text, file=to, flush=True)
