"""A process that plays: clients that submit with a key and the version they saw, and print what came of it.

Each line is a JSON list: `["try", key, encounter, version]` before a command is sent, then `["ack", key, version,
replayed]`, `["stale", key]` or `["busy", key]`. What was tried and got no answer is tried again by the next process.
"""

import asyncio
import json
import random
import sys

from app.persistence.database import Database, open_database
from app.persistence.work import Stale, Unavailable
from tests.persistence.fights import job, noted, once, one_more


def say(*words: object) -> None:
    """One line, at once."""
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


async def attempt(database: Database, key: str, encounter: str, version: int) -> None:
    """One command under a key."""
    command = job(one_more, noted(key), encounter=encounter, once=once(key), if_match=version)
    try:
        reply = await database.writer.submit(command)
    except Stale:
        say("stale", key)
    except Unavailable:
        say("busy", key)
        await asyncio.sleep(0.05)
    else:
        say("ack", key, json.loads(reply.body)["version"], reply.replayed)


async def client(database: Database, name: str, encounters: list[str]) -> None:
    """Submit without end."""
    chance = random.Random(name)
    number = 0
    while True:
        encounter = chance.choice(encounters)
        try:
            head = await database.store.head(encounter)
        except Unavailable:
            await asyncio.sleep(0.05)
            continue
        number += 1
        key = f"{name}.{number}"
        say("try", key, encounter, head.version)
        await attempt(database, key, encounter, head.version)


async def main(url: str, name: str, clients: int, encounters: list[str], unknown: list[tuple[str, str, int]]) -> None:
    """Open, settle what is unknown, play until killed."""
    async with open_database(url) as database:
        say("ready")
        await asyncio.gather(*(attempt(database, *one) for one in unknown))
        await asyncio.gather(*(client(database, f"{name}.{number}", encounters) for number in range(clients)))


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    asyncio.run(main(**given))
