"""Action submissions a second beside the reference, in turns, on either database."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench import fights
from bench.figures import Table
from bench.processes import Server, ceiling, load, note, product
from tests.support.postgres import PostgresServer, private_postgres

Job = dict[str, Any]
CONNECTIONS = (1, 8, 32)
COMBATANTS = 20


@contextlib.contextmanager
def databases(kind: str, folder: Path) -> Iterator[tuple[str, str]]:
    """A database for the product and one for the reference."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'product.sqlite3'}", f"sqlite:///{folder / 'reference.sqlite3'}"
        return
    with private_postgres() as server:
        maker = PostgresServer(server.url)
        yield maker.create_database(), maker.create_database()


def measure(kind: str, folder: Path, rounds: int, seconds: float) -> Table:
    """All numbers of connections in every round; the reference first and last in turns."""
    where, driver = {"sqlite": ("SQLite", "inline, NORMAL"), "postgres": ("PostgreSQL", "asyncpg")}[kind]
    table = Table(
        f"Submissions on {where}",
        f"C is the reference ({driver}). Latencies in milliseconds; `cpu` is the server's processor time for a request "
        "in microseconds (without the database server's), `client` how much of its core the client used.",
    )
    with (
        databases(kind, folder) as (mine, theirs),
        product(mine, folder, f"product-{kind}") as server,
        ceiling(theirs, folder, f"reference-{kind}") as reference,
    ):
        campaign, token = asyncio.run(fights.open_campaign(server.port, server.token))
        names = asyncio.run(fights.create(server.port, token, campaign, COMBATANTS, max(CONNECTIONS)))
        for number in range(rounds):
            for connections in CONNECTIONS:
                note(f"{where}, round {number + 1} of {rounds}: {connections} connections")
                sides: list[tuple[str, Server, Job]] = [
                    ("C", reference, {"kind": "post", "path": "/fights"}),
                    ("Turnwright", server, {"kind": "play", "fights": names, "token": token}),
                ]
                for name, target, job in sides if number % 2 == 0 else sides[::-1]:
                    _add(table, name, target, connections, job, seconds)
    return table


def _add(table: Table, name: str, target: Server, connections: int, job: Job, seconds: float) -> None:
    busy = target.busy_s()
    found = load({**job, "port": target.port, "connections": connections, "warm_s": seconds / 5, "seconds": seconds})
    busy = (target.busy_s() - busy) / found["requests"] * 1e6
    ceilings = f"C, {connections} connections"
    row = table.row(f"{name}, {connections} connections", "/s", None if name == "C" else ceilings)
    row.add(found["rate"], p50=found["p50"], p99=found["p99"], cpu=busy, client=found["client"])
