"""A long log, written by the product's own persistence layer: many versions of one event each."""

import asyncio

from app.engine.events import AttackMade, Emitted
from app.engine.ids import ActionId, ClauseId
from app.persistence.database import open_database
from app.persistence.work import Change, Committed, Job, Live, Reply

AT_ONCE = 500


async def lengthen(url: str, encounter: str, length: int) -> None:
    """Let the log of an encounter have at least so many entries. No server may use a SQLite file meanwhile."""

    def decide(live: Live) -> tuple[Change, object]:
        one, other, *_ = live.state.combatants
        event = AttackMade(one, other, ActionId("standard_attack"), None, "lasgun", ClauseId("DH-4550"))
        return Change(state=live.state, events=(Emitted(event, "all"),)), _nothing

    async with open_database(url) as database:
        head = await database.store.head(encounter)
        left = length - head.seq
        while left > 0:
            some = min(left, AT_ONCE)
            jobs = (Job(encounter=encounter, decide=decide) for _ in range(some))  # type: ignore[arg-type]
            await asyncio.gather(*(database.writer.submit(job) for job in jobs))
            left -= some


def _nothing(committed: Committed) -> Reply:
    return Reply(0, {}, b"")
