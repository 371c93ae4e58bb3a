"""Decisions: what a waiting command asks, of whom, and what it goes on with."""

from app.services.bodies import AnswerIn
from app.services.caller import Attempt, Caller, Result
from app.services.service import Service


async def page(service: Service, caller: Caller, encounter: str) -> Result:
    """`{"version", "items": [...]}`: the open decisions that the caller may see."""
    raise NotImplementedError


async def read(service: Service, caller: Caller, encounter: str, decision: str) -> Result:
    """One open decision. `AlreadyAnswered` if it is open no more."""
    raise NotImplementedError


async def answer(
    service: Service, caller: Caller, encounter: str, decision: str, body: AnswerIn, attempt: Attempt
) -> Result:
    """Answer an open decision: for whom one acts, or as GM for all. Answers with a command result.

    Raises `NotFound`, `NotPermitted`, `AlreadyAnswered`, `BadAnswer`, `Refused`; the decision then stays open.
    """
    raise NotImplementedError


async def expire_due(service: Service, now: int) -> int:
    """Answer with its default every decision whose time is up at `now` (UTC milliseconds). Tells how many."""
    raise NotImplementedError
