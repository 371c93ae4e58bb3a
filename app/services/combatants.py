"""Combatants: who is in an encounter, and the one place where an id or `ref:TOKEN` is looked up."""

from app.services.bodies import CombatantEdit, CombatantIn
from app.services.caller import Attempt, Caller, Result
from app.services.service import Service


async def add(
    service: Service, caller: Caller, encounter: str, bodies: tuple[CombatantIn, ...], attempt: Attempt
) -> Result:
    """Let combatants enter, before the start or in mid-fight. GM. Answers with a command result."""
    raise NotImplementedError


async def page(service: Service, caller: Caller, encounter: str) -> Result:
    """`{"version", "items": [...]}`: the combatants that the caller may see, each as `read` gives it."""
    raise NotImplementedError


async def read(service: Service, caller: Caller, encounter: str, combatant: str) -> Result:
    """One combatant, whatever the system: resources, budgets, effects, items, sheet."""
    raise NotImplementedError


async def edit(
    service: Service, caller: Caller, encounter: str, combatant: str, body: CombatantEdit, attempt: Attempt
) -> Result:
    """Change a combatant's own data. GM; a player may change `policy` and `dice` of his own. A command result."""
    raise NotImplementedError


async def duplicate(
    service: Service, caller: Caller, encounter: str, combatant: str, count: int, attempt: Attempt
) -> Result:
    """More of the same, fresh and unhurt, under their own names and ids. GM. Answers with a command result."""
    raise NotImplementedError


async def remove(service: Service, caller: Caller, encounter: str, combatant: str, attempt: Attempt) -> Result:
    """Take a combatant out of the encounter. GM. Answers with a command result."""
    raise NotImplementedError
