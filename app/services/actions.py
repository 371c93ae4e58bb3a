"""Submitting an action: the central path. What is possible, and what would happen, stand beside it."""

from app.services.bodies import SubmissionIn
from app.services.caller import Attempt, Caller, Result
from app.services.service import Service


async def submit(service: Service, caller: Caller, encounter: str, body: SubmissionIn, attempt: Attempt) -> Result:
    """Take an action (also `end_turn`). Who controls the actor, or the GM. Answers with a command result.

    Raises `Refused` with every reason, `BadAnswer`, `AnswerAwaited` while something waits, `Stale`.
    """
    raise NotImplementedError


async def possible(
    service: Service, caller: Caller, encounter: str, combatant: str, *, available_only: bool = False
) -> Result:
    """Every action for this combatant now: legal or with all reasons, its cost, form, targets and weapons."""
    raise NotImplementedError


async def preview(service: Service, caller: Caller, encounter: str, body: SubmissionIn) -> Result:
    """Whether it is allowed and what would come of it. Draws no die and changes nothing."""
    raise NotImplementedError
