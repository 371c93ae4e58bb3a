"""Run stored commands again in a process of its own and print what comes of each: `python -m tests.laws.again FILE`.

Chance and clock raise here: a rule that looked at either would not be a function of its inputs.
"""

import hashlib
import os
import random
import secrets
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from app.engine import commands as cmd
from app.engine.asks import Input, Key
from app.engine.run import run
from app.engine.state import State
from tests.laws.cases import Case, encoded, log_of
from tests.support.play import ruleset


class Stored(msgspec.Struct, frozen=True):
    """A command as it lies in a database: its rules by name, its base, all its inputs."""

    ruleset: str
    base: State
    command: cmd.Command
    inputs: dict[Key, Input]


def store(cases: Iterable[Case], path: Path) -> None:
    """Write commands to a file, one a line."""
    stored = (Stored(case.rules.id, case.base, case.command, dict(case.inputs)) for case in cases)
    path.write_bytes(b"\n".join(encoded(one) for one in stored))


def fingerprint(log: bytes, state: State) -> str:
    """A hash of everything that came out."""
    return hashlib.sha256(log + b"\n" + encoded(state)).hexdigest()


def again(path: Path) -> Iterator[str]:
    """What comes of each, out of the file."""
    for line in path.read_bytes().splitlines():
        one = msgspec.json.decode(line, type=Stored)
        outcome = run(ruleset(one.ruleset), one.base, one.command, inputs=one.inputs, source=lambda ask: None)
        yield fingerprint(log_of(outcome), outcome.state)


def _forbidden(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("a rule asked for chance or for the time")


def forbid() -> None:
    """From here on whoever asks for chance or for the time fails."""
    for module, names in (
        (random, ("random", "randint", "choice", "shuffle", "getrandbits")),
        (secrets, ("token_bytes", "randbelow", "choice")),
        (time, ("time", "time_ns", "monotonic", "perf_counter", "localtime", "gmtime")),
        (os, ("urandom",)),
    ):
        for forbidden in names:
            setattr(module, forbidden, _forbidden)


def _main(path: Path) -> None:
    for name in {one.ruleset for one in (msgspec.json.decode(line, type=Stored) for line in path.open("rb"))}:
        ruleset(name)
    forbid()
    for found in again(path):
        print(found)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
