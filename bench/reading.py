"""What is asked before and beside the fight: the whole state, the action list, a preview."""

import asyncio
from pathlib import Path
from typing import Any

from bench import fights
from bench.figures import Table
from bench.processes import ceiling, load, note, product

COMBATANTS = 20
CONNECTIONS = 8
ALONE = {"connections": 1}


def measure(folder: Path, rounds: int, seconds: float) -> Table:
    """Each beside a bare endpoint that validates a small body and answers at once."""
    table = Table(
        "Reading",
        f"{CONNECTIONS} connections, for action list and preview one; 20 combatants; latencies in milliseconds.",
    )
    with (
        product(f"sqlite:///{folder / 'reading.sqlite3'}", folder, "product-reading") as server,
        ceiling(f"sqlite:///{folder / 'bare.sqlite3'}", folder, "reference-reading") as reference,
    ):
        campaign, token = asyncio.run(fights.open_campaign(server.port, server.token))
        name, *_ = asyncio.run(fights.create(server.port, token, campaign, COMBATANTS, 1))
        actor, target = asyncio.run(fights.pair(server.port, token, name))
        path = f"/v1/encounters/{name}"
        attack = fights.attack(actor, target).decode()
        jobs: dict[str, dict[str, Any]] = {
            "FastAPI alone": {"kind": "post", "path": "/bare"},
            "whole state": {"kind": "read", "method": "GET", "path": path},
            "last 50 entries of the log": {
                "kind": "read",
                "method": "GET",
                "path": f"{path}/log?before=99999&limit=50",
            },
            "action list": {"kind": "read", "method": "GET", "path": f"{path}/combatants/{actor}/actions", **ALONE},
            "preview": {"kind": "read", "method": "POST", "path": f"{path}/actions/preview", "body": attack, **ALONE},
        }
        bare, *_ = jobs
        for number in range(rounds):
            note(f"Reading, round {number + 1} of {rounds}")
            for row, job in jobs.items():
                port = reference.port if row == bare else server.port
                found = load(
                    {"connections": CONNECTIONS, "port": port, "token": token, **job}
                    | {"warm_s": seconds / 5, "seconds": seconds}
                )
                table.row(row, "/s", None if row == bare else bare).add(
                    found["rate"], p50=found["p50"], p99=found["p99"]
                )
    return table
