"""Following a fight: how long until the last of 500 readers has what was told, beside a bare StreamingResponse."""

import asyncio
from pathlib import Path
from typing import Any

from bench import fights
from bench.figures import Table
from bench.processes import ceiling, load, note, product

READERS = (1, 100, 500)
NEWS = '{"text":"%s","number":%d}'


def measure(folder: Path, rounds: int, seconds: float) -> Table:
    """Every number of readers in every round, the reference first and last in turns."""
    table = Table(
        "Streams",
        "Server-sent events, one reader process. Milliseconds from the sending of the POST until the last reader has "
        "its event: half of the times no more (p50), and all but the slowest of a hundred (p99); `all` is the same of "
        "all readers. The reference puts what it was sent into everybody's queue, the product takes a ruling.",
    )
    with (
        product(f"sqlite:///{folder / 'streams.sqlite3'}", folder, "product-streams") as server,
        ceiling(f"sqlite:///{folder / 'bare.sqlite3'}", folder, "reference-streams") as reference,
    ):
        campaign, token = asyncio.run(fights.open_campaign(server.port, server.token))
        fight, *_ = asyncio.run(fights.create(server.port, token, campaign, 20, 1))
        who, _ = asyncio.run(fights.pair(server.port, token, fight))
        path = f"/v1/encounters/{fight}"
        ruling = f'{{"reason":"%s","changes":[{{"combatant":"{who}","resource":"fatigue","set":%d}}]}}'
        bare: dict[str, Any] = {"port": reference.port, "stream": "/stream", "tell": "/tell", "body": NEWS}
        mine = {"port": server.port, "token": token, "stream": f"{path}/stream", "tell": f"{path}/rulings"}
        sides = [("bare", bare), ("Turnwright", {**mine, "body": ruling})]
        for number in range(rounds):
            for readers in READERS:
                note(f"Streams, round {number + 1} of {rounds}: {readers} readers")
                for side, asked in sides if number % 2 == 0 else sides[::-1]:
                    job = {"kind": "follow", "readers": readers, "warm_s": seconds / 5, "seconds": seconds, **asked}
                    kinds = load(job)["kinds"]
                    for name in ("p50", "p99"):
                        of = None if side == "bare" else f"bare, last of {readers}, {name}"
                        row = table.row(f"{side}, last of {readers}, {name}", "ms", of, is_cost=True)
                        row.add(kinds["last"][name], all=kinds["every"][name])
    return table
