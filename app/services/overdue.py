"""Turns whose time is up: each is ended for whoever did nothing in it.

Each process knows of the turns that it has seen begin, and looks now and then for the rest, so that a turn also ends
when the worker that saw it begin is gone.
"""

from collections.abc import Callable

from sqlalchemy import Connection, select

from app.engine import commands as cmd
from app.engine.events import TIME_IS_UP, Noted
from app.engine.ids import ActionId, CombatantId
from app.engine.reasons import EngineError
from app.engine.visibility import stamp
from app.persistence.tables import encounter
from app.persistence.work import Change, Committed, Job, Live, PersistenceError, Reply
from app.services.changes import submitted
from app.services.errors import ServiceError
from app.services.play import begin
from app.services.service import Service
from app.services.settings import Settings
from app.services.turn_limit import timed

END_TURN = ActionId("end_turn")


class _NotDue(Exception):
    """That turn is over, or somebody has done something in it."""


async def look_again(service: Service) -> None:
    """Learn of turns with a limit that another process saw begin, or this one before it was started anew."""
    held = encounter.c
    query = select(held.public_id, held.settings).where(held.status == "running", held.settings.contains("turn_due_at"))

    def found(connection: Connection) -> list[tuple[str, str]]:
        return [(row.public_id, row.settings) for row in connection.execute(query)]

    for name, text in await service.store.read(found):
        due = Settings.of_text(text).turn_due_at
        if due is not None:
            service.turns_due[name] = due


async def end_due(service: Service, now: int) -> int:
    """End every turn whose time is up at `now` (UTC milliseconds). Tells how many.

    Each is one command of its own. One that cannot be ended so is left to the table.
    """
    ended = 0
    for name in [name for name, due in tuple(service.turns_due.items()) if due <= now]:
        service.turns_due.pop(name, None)
        try:
            await submitted(service, Job(encounter=name, decide=_ending(service, now)))
        except (_NotDue, ServiceError, EngineError, PersistenceError):
            continue
        ended += 1
    return ended


def _ending(service: Service, now: int) -> Callable[[Live], tuple[Change, Callable[[Committed], Reply]]]:
    def decide(live: Live) -> tuple[Change, Callable[[Committed], Reply]]:
        service.note_turn(live.head)
        due, slot = Settings.of(live.head).turn_due_at, live.state.clock.slot
        if due is None or due > now or slot is None or live.pending is not None:
            raise _NotDue
        rules = service.rulebook(live.head.pin).ruleset
        owner = CombatantId(slot.owner)
        told = (stamp(live.state, Noted(owner, TIME_IS_UP)),)
        played = begin(rules, live, cmd.Act(cmd.Submission(owner, END_TURN)), now=now, told=told)
        return timed(rules, live, played.change, now, by_clock=True), lambda committed: Reply(0, {}, b"")

    return decide
