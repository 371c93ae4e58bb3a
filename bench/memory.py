"""What a fight costs in memory, and what a reader who follows it does: the server's own, as the system counts it."""

import asyncio
import time
from pathlib import Path

from bench import fights
from bench.connection import Connection
from bench.figures import Table
from bench.processes import Server, note, product

FIGHTS, READERS = 200, 500
COMBATANTS = 20
SETTLED_S = 1.0
KIB = 1024


def measure(folder: Path, rounds: int, seconds: float) -> Table:
    """In each round a new server: fights are made and read once, then one of them is followed by many."""
    table = Table(
        "Memory of the server",
        f"Resident, by the difference: {FIGHTS} fights of {COMBATANTS} that were begun and read once, each then at "
        f"hand with its state encoded; {READERS} streams on one of them that nothing is told.",
    )
    for number in range(rounds):
        note(f"Memory, round {number + 1} of {rounds}")
        with product(f"sqlite:///{folder / f'memory-{number}.sqlite3'}", folder, f"product-memory-{number}") as server:
            if not server.memory():
                table.note += " This system does not tell."
                return table
            campaign, token = asyncio.run(fights.open_campaign(server.port, server.token))
            asyncio.run(_made(server.port, token, campaign, 5))
            before = _settled(server)
            table.row("server with 5 fights", "MiB").add(before / KIB / KIB)
            names = asyncio.run(_made(server.port, token, campaign, FIGHTS))
            with_fights = _settled(server)
            table.row("a fight", "KiB").add((with_fights - before) / KIB / FIGHTS)
            followed = asyncio.run(_followed(server, token, names[-1]))
            table.row("a stream", "KiB").add((followed - with_fights) / KIB / READERS)
    return table


def _settled(server: Server) -> int:
    time.sleep(SETTLED_S)
    return server.memory()


async def _made(port: int, token: str, campaign: str, count: int) -> list[str]:
    names = await fights.create(port, token, campaign, COMBATANTS, count)
    connection = await Connection.open(port, token)
    for name in names:
        await connection.request("GET", f"/v1/encounters/{name}")
    connection.close()
    return names


async def _followed(server: Server, token: str, name: str) -> int:
    """What the server holds while so many follow a fight."""
    head = f"GET /v1/encounters/{name}/stream HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {token}\r\n\r\n".encode()
    opened = []
    for _ in range(READERS):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head)
        await reader.readuntil(b"event: snapshot")
        opened.append(writer)
    await asyncio.sleep(SETTLED_S)
    found = server.memory()
    for writer in opened:
        writer.close()
    return found
