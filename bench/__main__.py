"""`python -m bench`: every measurement in one run, as Markdown on standard output.

Only ratios of one run mean anything: machines drift by a factor of two, and so does the same machine within an hour.
"""

import argparse
import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from bench import beside, engine, growth, memory, reading, streams, submissions, workers
from bench.figures import Table
from bench.processes import cores, note

Measurement = Callable[[Path, int, float], Table]
MEASUREMENTS: dict[str, Measurement] = {
    "engine": lambda folder, rounds, seconds: engine.measure(rounds, seconds / 8),
    "sqlite": lambda folder, rounds, seconds: submissions.measure("sqlite", folder, rounds, seconds),
    "postgres": lambda folder, rounds, seconds: submissions.measure("postgres", folder, rounds, seconds),
    "lengths": growth.lengths,
    "combatants": growth.combatants,
    "reading": reading.measure,
    "workers": workers.measure,
    "streams": streams.measure,
    "memory": memory.measure,
    "rules": lambda folder, rounds, seconds: beside.rules(rounds, seconds / 8),
    "tables": beside.tables,
}
ROUNDS, SECONDS = 5, 5.0
QUICK_ROUNDS, QUICK_SECONDS = 1, 1.0


def surroundings() -> str:
    """What the figures were taken on, in a line."""
    pinned = "server and load client on a core of their own" if cores()[0] else "nothing pinned"
    packages = ", ".join(f"{name} {version(name)}" for name in ("fastapi", "uvicorn", "sqlalchemy", "msgspec"))
    load = f", load average {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return (
        f"Python {platform.python_version()}, {os.cpu_count()} cores ({pinned}), {packages}, "
        f"SQLite {sqlite3.sqlite_version} under the reference{load}."
    )


def main() -> None:
    """Measure what was asked for, and print it."""
    asked = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    asked.add_argument(
        "--quick", action="store_true", help="one short round: does it run, and about where does it stand"
    )
    asked.add_argument("--only", nargs="+", choices=tuple(MEASUREMENTS), metavar="NAME", help=", ".join(MEASUREMENTS))
    asked.add_argument("--rounds", type=int, help=f"rounds, each through everything ({ROUNDS})")
    asked.add_argument("--seconds", type=float, help=f"seconds of one load ({SECONDS:g})")
    given = asked.parse_args()
    rounds = given.rounds or (QUICK_ROUNDS if given.quick else ROUNDS)
    seconds = given.seconds or (QUICK_SECONDS if given.quick else SECONDS)
    print(f"`python -m bench {' '.join(sys.argv[1:])}`".replace(" `", "`"))
    print(f"\n{surroundings()} {rounds} rounds of {seconds:g} seconds.\n")
    for name in given.only or MEASUREMENTS:
        note(f"== {name}")
        with tempfile.TemporaryDirectory(prefix="tw-bench-") as folder:
            table = MEASUREMENTS[name](Path(folder), rounds, seconds)
        print("\n".join(table.lines()), flush=True)


if __name__ == "__main__":
    main()
