"""Encounters: made in one call, listed, read, started, ended, set up, deleted."""

from app.services.bodies import EncounterIn, EndIn, SetupIn, StartIn
from app.services.caller import Attempt, Caller, Result
from app.services.service import Service


async def create(service: Service, caller: Caller, body: EncounterIn, attempt: Attempt) -> Result:
    """Make an encounter with its combatants: version 1. GM of the campaign. Answers as `read` does."""
    raise NotImplementedError


async def page(
    service: Service,
    caller: Caller,
    *,
    campaign: str | None = None,
    status: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Result:
    """Encounters the caller may see, oldest first: `{"items", "next_cursor"}`. `after` is a `next_cursor`."""
    raise NotImplementedError


async def read(service: Service, caller: Caller, encounter: str) -> Result:
    """The encounter as its reader may see it: clock, space, combatants, what waits."""
    raise NotImplementedError


async def start(service: Service, caller: Caller, encounter: str, body: StartIn, attempt: Attempt) -> Result:
    """Roll initiative and begin the first turn; waits for those who roll their own. GM. A command result."""
    raise NotImplementedError


async def end(service: Service, caller: Caller, encounter: str, body: EndIn, attempt: Attempt) -> Result:
    """End the fight. GM. A command that waits must be answered or cancelled first. Answers with a command result."""
    raise NotImplementedError


async def set_up(service: Service, caller: Caller, encounter: str, body: SetupIn, attempt: Attempt) -> Result:
    """Change options and dice (before the start), map, name and time limit (at any time). GM. A command result."""
    raise NotImplementedError


async def delete(service: Service, caller: Caller, encounter: str, attempt: Attempt) -> Result:
    """Remove the encounter with its log. GM. The body is empty."""
    raise NotImplementedError
