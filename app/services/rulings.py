"""The GM's hand: overruling the game, and cancelling a command that waits."""

from app.services.bodies import RulingIn
from app.services.caller import Attempt, Caller, Result
from app.services.service import Service


async def rule(service: Service, caller: Caller, encounter: str, body: RulingIn, attempt: Attempt) -> Result:
    """Carry out a ruling, also in the middle of a waiting command. GM. Answers with a command result."""
    raise NotImplementedError
