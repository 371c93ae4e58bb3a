"""What grows with the length of the log, and with the number of combatants. One connection, in turns."""

import asyncio
from pathlib import Path

from app.persistence.schema import migrate
from bench import fights
from bench.figures import Table
from bench.processes import load, note, product
from bench.seeding import lengthen

SHORT, LONG = "log of 100", "log of 100,000"
LONG_LOG = 100_000
SHORT_FIGHTS = 10
FEW, MANY = "8 combatants", "200 combatants"
COMBATANTS = 20
SUBMISSIONS = ("attack", "answer", "end of turn")


def lengths(folder: Path, rounds: int, seconds: float, long_log: int = LONG_LOG) -> Table:
    """An action in a young fight and in one with 100,000 entries in its log."""
    table = Table(
        "Length of the log",
        "Milliseconds, half of the requests need no more; a ratio of 1.1 is a tenth more. `join` is the whole state "
        "and the last 50 entries. A young fight is left for another before it has grown old.",
    )
    url = f"sqlite:///{folder / 'lengths.sqlite3'}"
    migrate(url)
    with product(url, folder, "product-lengths") as server:
        campaign, token = asyncio.run(fights.open_campaign(server.port, server.token))
        old = asyncio.run(fights.create(server.port, token, campaign, COMBATANTS, 1))
    note(f"writing a log of {long_log}")
    asyncio.run(lengthen(url, old[0], long_log))
    with product(url, folder, "product-lengths", gives_token=False) as server:
        for number in range(rounds):
            note(f"Length of the log, round {number + 1} of {rounds}")
            young = asyncio.run(fights.create(server.port, token, campaign, COMBATANTS, SHORT_FIGHTS))
            _take_turns(table, server.port, token, {SHORT: young, LONG: old}, seconds, (*SUBMISSIONS, "join"))
    return table


def combatants(folder: Path, rounds: int, seconds: float) -> Table:
    """An action among 8 and among 200."""
    table = Table("Number of combatants", "Milliseconds, half of the requests need no more.")
    url = f"sqlite:///{folder / 'combatants.sqlite3'}"
    with product(url, folder, "product-combatants") as server:
        campaign, token = asyncio.run(fights.open_campaign(server.port, server.token))
        few = asyncio.run(fights.create(server.port, token, campaign, 8, 1))
        many = asyncio.run(fights.create(server.port, token, campaign, 200, 1))
        for number in range(rounds):
            note(f"Number of combatants, round {number + 1} of {rounds}")
            _take_turns(table, server.port, token, {FEW: few, MANY: many}, seconds, SUBMISSIONS)
    return table


def _take_turns(
    table: Table, port: int, token: str, groups: dict[str, list[str]], seconds: float, kinds: tuple[str, ...]
) -> None:
    job = {"kind": "take_turns", "port": port, "token": token, "groups": groups, "turns": 2}
    found = load({**job, "warm_s": seconds / 5, "seconds": seconds})
    first, *_ = groups
    for kind in kinds:
        for group in groups:
            of = None if group == first else f"{kind}, {first}"
            figures = found["kinds"][f"{group}/{kind}"]
            table.row(f"{kind}, {group}", "ms", of, is_cost=True).add(figures["p50"], p99=figures["p99"])
