"""Words for the log: it also tells of those whom a rewind has taken out of the fight again."""

import re
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, select

from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Combatant
from app.persistence.reading import entry_of
from app.persistence.statements import ENTRY_COLUMNS
from app.persistence.tables import event
from app.persistence.work import Entry, Live
from app.services.caller import Caller
from app.services.changes import words_for
from app.services.service import Service
from app.services.words import Words

_ID = re.compile(rb'"(cmb_[0-9a-z]+)"')


async def words_of(service: Service, caller: Caller, live: Live, entries: Sequence[Entry]) -> Words:
    """Words for these entries. Whoever is not there any more is called as he was when he came."""
    book = await service.fetch(live.head.pin)
    return words_for(service, caller, book, live.state, await _gone(service, live, entries))


async def _gone(service: Service, live: Live, entries: Sequence[Entry]) -> Mapping[CombatantId, Combatant]:
    if not live.head.epoch:
        return {}
    told = {CombatantId(found.decode()) for entry in entries for found in _ID.findall(entry.body)}
    missing = told - live.state.combatants.keys()
    if not missing:
        return {}
    columns = [event.c[name] for name in ENTRY_COLUMNS]
    joined = select(*columns).where(event.c.encounter_id == live.head.id, event.c.type == "joined")

    def work(connection: Connection) -> list[Entry]:
        return [entry_of(tuple(row)) for row in connection.execute(joined)]

    came = [entry.event for entry in await service.store.read(work)]
    return {one.body.id: one.body for one in came if isinstance(one, ev.Joined) and one.body.id in missing}
