"""A server as a user starts it: a process of its own, found by what it prints."""

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.repository import ROOT

PATIENCE = 60
"""Seconds until it must be ready, on a busy machine."""
ADDRESS = re.compile(r"serves on (http://\S+)")
TOKEN = re.compile(r"\btw_[0-9a-z]{12}_[A-Za-z0-9_-]{43}")


def environment(**more: str) -> dict[str, str]:
    """The environment of somebody who has set nothing of ours."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TURNWRIGHT_", "MAKE", "PYTHON", "ARGS"))
    }
    return kept | more


@dataclass
class Served:
    """A running server and what it has printed."""

    process: "subprocess.Popen[bytes]"
    printed: Path
    token: str = field(default="")

    @property
    def url(self) -> str:
        """Its address."""
        found = ADDRESS.search(self.printed.read_text())
        assert found is not None, self.printed.read_text()
        return found[1]

    def wait(self) -> None:
        """Wait until it is ready."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            if ADDRESS.search(self.printed.read_text()) and self.is_ready():
                break
            time.sleep(0.1)
        else:
            raise AssertionError(self.printed.read_text())
        token = TOKEN.search(self.printed.read_text())
        self.token = "" if token is None else token[0]

    def is_ready(self) -> bool:
        """Whether it says so. Asked with the leanest client there is: it is asked often, while the server wants to
        start on the same processor."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=10)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def processes(self) -> list[int]:
        """Those of the group that serve: the process itself, or its workers where there are several."""
        children = [
            int(one) for one in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        ]
        # multiprocessing keeps one more, which only tracks what is shared.
        workers = [one for one in children if b"resource_tracker" not in Path(f"/proc/{one}/cmdline").read_bytes()]
        return workers or [self.process.pid]

    def busy_s(self) -> list[float]:
        """Processor time that each of them has used, in seconds."""
        told = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in self.processes()]
        return [(int(one[11]) + int(one[12])) / os.sysconf("SC_CLK_TCK") for one in told]

    def rss(self) -> int:
        """Bytes of memory that they hold together."""
        told = (Path(f"/proc/{one}/statm").read_text().split() for one in self.processes())
        return sum(int(one[1]) for one in told) * os.sysconf("SC_PAGE_SIZE")

    def descriptors(self) -> int:
        """How many files and connections they have open together."""
        return sum(len(list(Path(f"/proc/{one}/fd").iterdir())) for one in self.processes())

    def threads(self) -> int:
        """How many threads they run together."""
        return sum(len(list(Path(f"/proc/{one}/task").iterdir())) for one in self.processes())

    def kill(self) -> None:
        """End it as a power failure does: with all its children, at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def served(command: Sequence[str], printed: Path, **settings: str) -> Iterator[Served]:
    """Start a server with that command and those settings, wait until it is ready, and end it afterwards."""
    with printed.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(**settings),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = Served(process, printed)
    try:
        server.wait()
        yield server
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # a thread that kills it may just have seen its end
                os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()


def turnwright(*arguments: str) -> list[str]:
    """The command line of `turnwright` with these arguments, as a user types it.

    Where the tests run in an environment of another checkout its script would start that one's code.
    """
    script = ROOT / ".venv" / "bin" / "turnwright"
    own = script.exists() and Path(sys.prefix) == ROOT / ".venv"
    return [*([str(script)] if own else [sys.executable, "-m", "app.cli"]), *arguments]
