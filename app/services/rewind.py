"""Going back to an earlier version, also into the middle of a command that waited. History is kept."""

from app.services.bodies import RewindIn
from app.services.caller import Attempt, Caller, Result
from app.services.service import Service


async def rewind(service: Service, caller: Caller, encounter: str, body: RewindIn, attempt: Attempt) -> Result:
    """Let the encounter stand as it did at `to_version`. GM. Answers with a command result."""
    raise NotImplementedError
