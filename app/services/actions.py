"""Submitting an action: the central path. What is possible, and what would happen, stand beside it."""

from app.catalog import Rulebook
from app.engine import commands as cmd
from app.engine.reasons import Refused
from app.engine.rules import Ruleset
from app.engine.state import Combatant, State
from app.persistence.work import Live
from app.services import door, lookup
from app.services.bodies import SubmissionIn
from app.services.caller import Attempt, Caller, Result
from app.services.changes import change
from app.services.errors import NotPermitted
from app.services.play import Played, begin, nothing_waits
from app.services.service import Service

GM_MODIFIER = "gm"
"""The situational modifier with a value of its own: only the GM may bring it along."""


async def submit(service: Service, caller: Caller, encounter: str, body: SubmissionIn, attempt: Attempt) -> Result:
    """Take an action (also `end_turn`). Who controls the actor, or the GM. Answers with a command result.

    Raises `Refusal` with every reason, `BadAnswer`, `AnswerAwaited` while something waits, `Stale`.
    """
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        rules = book.ruleset
        actor = actor_of(rules, live.state, caller, body)
        nothing_waits(rules, live, caller)
        sub = door.submission(rules, live.state, caller, actor.id, body)
        return begin(rules, live, cmd.Act(sub), now=now, token=caller.token)

    return await change(service, caller, encounter, attempt, act)


def actor_of(rules: Ruleset, state: State, caller: Caller, body: SubmissionIn) -> Combatant:
    """Who acts, if the caller may act for him. Raises `Refused` for somebody whom he cannot know, `NotPermitted`."""
    actor = lookup.find(state, caller, body.actor)
    if actor is None:
        raise Refused((rules.reason("unknown_combatant", at="/actor", names=(body.actor,)),))
    if not caller.controls(actor):
        raise NotPermitted("control of the actor")
    if not caller.is_gm and any(one.id == GM_MODIFIER for one in body.modifiers):
        raise NotPermitted("gm")
    return actor


async def possible(
    service: Service, caller: Caller, encounter: str, combatant: str, *, available_only: bool = False
) -> Result:
    """Every action for this combatant now: legal or with all reasons, its cost, form, targets and weapons."""
    raise NotImplementedError


async def preview(service: Service, caller: Caller, encounter: str, body: SubmissionIn) -> Result:
    """Whether it is allowed and what would come of it. Draws no die and changes nothing."""
    raise NotImplementedError
