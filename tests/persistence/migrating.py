"""A process that migrates databases and is killed over it: for each a fork, which dies before its nth statement.

Takes a JSON list of `[url, n]`, prints one of exit codes.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import alembic.command
from sqlalchemy import Engine, event

from app.persistence.schema import migrate
from tests.support.repository import ROOT
from tests.support.served import environment

LOADED_ONCE = (alembic.command.__name__,)
"""Before the forks, not in each of them."""


@contextmanager
def statements() -> Iterator[list[str]]:
    """Everything that is sent to any database meanwhile."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def killed(cases: Sequence[tuple[str, int]]) -> list[int]:
    """Migrate each of these databases until the kill; the exit codes."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.persistence.migrating"],
        cwd=ROOT,
        env=environment(),
        input=json.dumps(cases),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    codes: list[int] = json.loads(done.stdout)
    return codes


def _migrate(url: str, last: int) -> None:
    left = last

    def count(*_: object) -> None:
        nonlocal left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1

    event.listen(Engine, "before_cursor_execute", count)
    migrate(url)


def main() -> None:
    """One after the other."""
    codes = []
    for url, last in json.load(sys.stdin):
        child = os.fork()
        if child == 0:
            _migrate(url, last)
            os._exit(0)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print(json.dumps(codes))


if __name__ == "__main__":
    main()
