"""One worker and two beside each other, on PostgreSQL: what a second process brings."""

import asyncio
import json
from pathlib import Path

from bench import fights
from bench.connection import Connection
from bench.figures import Table
from bench.load import Window, summary
from bench.processes import note, product
from tests.support.postgres import PostgresServer, private_postgres

CONNECTIONS = (1, 8, 32)
PEOPLE = [{"sample": "sable", "side": "acolytes"}, {"sample": "brok", "side": "cult", "external_ref": "brok"}]


async def encounters(port: int, token: str, campaign: str, count: int) -> list[str]:
    """Paths of so many fights."""
    connection = await Connection.open(port, token)
    body = {"campaign": campaign, "name": "Bench", "ruleset": "dark_heresy_2e", "combatants": PEOPLE}
    made = [await connection.request("POST", "/v1/encounters", json.dumps(body).encode()) for _ in range(count)]
    connection.close()
    return [f"/v1/encounters/{json.loads(told)['id']}" for _, told in made]


async def rule(port: int, token: str, paths: list[str], warm_s: float, seconds: float) -> dict[str, float]:
    """On a connection for each fight its GM rules without a pause: a command with everything that belongs to one."""
    window = Window(warm_s, seconds)

    async def one(path: str) -> None:
        connection = await Connection.open(port, token)
        number = 0
        while not window.is_over:
            number += 1
            change = {"combatant": "ref:brok", "resource": "wounds", "set": number % 5}
            body = json.dumps({"reason": "bench", "changes": [change]}).encode()
            begun = asyncio.get_running_loop().time()
            status, told = await connection.request("POST", f"{path}/rulings", body, f"{path[-10:]}-{begun}")
            window.note("ruling", begun, asyncio.get_running_loop().time())
            if status != 201:
                raise fights.Unexpected(f"{status} {told[:300]!r}")
        connection.close()

    await asyncio.gather(*map(one, paths))
    return summary(window.found["ruling"], seconds)


def measure(folder: Path, rounds: int, seconds: float) -> Table:
    """Every number of connections in every round, one worker first and last in turns."""
    table = Table(
        "Workers on PostgreSQL",
        "Rulings, a fight for each connection. Workers, database and load client share the machine, nothing is pinned. "
        "Latencies in milliseconds.",
    )
    with private_postgres() as postgres:
        maker = PostgresServer(postgres.url)
        with (
            product(maker.create_database(), folder, "one", workers=1) as one,
            product(maker.create_database(), folder, "two", workers=2) as two,
        ):
            sides = []
            for name, server in (("1 worker", one), ("2 workers", two)):
                campaign, token = asyncio.run(fights.open_campaign(server.port, server.token))
                paths = asyncio.run(encounters(server.port, token, campaign, max(CONNECTIONS)))
                sides.append((name, server, token, paths))
            for number in range(rounds):
                for connections in CONNECTIONS:
                    note(f"workers, round {number + 1} of {rounds}: {connections} connections")
                    for name, server, token, paths in sides if number % 2 == 0 else sides[::-1]:
                        found = asyncio.run(rule(server.port, token, paths[:connections], seconds / 5, seconds))
                        against = None if server is one else f"1 worker, {connections} connections"
                        row = table.row(f"{name}, {connections} connections", "/s", against)
                        row.add(found["rate"], p50=found["p50"], p99=found["p99"])
    return table
