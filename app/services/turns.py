"""Ending a turn without saying whose: the one thing about turns that a client need not know."""

from app.services import actions, lookup
from app.services.bodies import SubmissionIn
from app.services.caller import Attempt, Caller, Result
from app.services.errors import NotTheTime
from app.services.service import Service

END_TURN = "end_turn"


async def end(service: Service, caller: Caller, encounter: str, actor: str | None, attempt: Attempt) -> Result:
    """End the turn of `actor`, or of whoever's it is: the action `end_turn`. Answers with a command result.

    Raises `NotTheTime` where it is nobody's turn, or nobody's whom the caller may know of.
    """
    if actor is None:
        live = await lookup.encounter(service.store, caller, encounter)
        slot = live.state.clock.slot
        owner = None if slot is None else live.state.combatants.get(slot.owner)
        if owner is None or not lookup.sees(caller, owner):
            raise NotTheTime("nobodys_turn")
        actor = owner.id
    return await actions.submit(service, caller, encounter, SubmissionIn(actor=actor, action=END_TURN), attempt)
