"""The GM's hand: overruling the game, and cancelling a command that waits."""

from collections.abc import Iterator

from app.catalog import Rulebook
from app.engine import commands as cmd
from app.engine.events import CommandCancelled, Emitted
from app.engine.ids import EffectId, ItemId
from app.engine.state import State
from app.persistence.work import Live, Pending
from app.services import door, lookup
from app.services.bodies import ChangeIn, RulingIn
from app.services.caller import Attempt, Caller, Result
from app.services.changes import change
from app.services.errors import BadInput, Finding, LimitReached
from app.services.play import Played, begin, go_on, withdrawn
from app.services.service import Service

MAX_EFFECTS = 64
"""Conditions that a ruling may heap on one combatant."""
_ALONE = ("add_effect", "remove_effect", "position", "status", "cover", "fact", "cancel")
_PAIRS = (("resource", ("set", "change")), ("budget", ("set", "change")), ("item", ("give", "take")))


async def rule(service: Service, caller: Caller, encounter: str, body: RulingIn, attempt: Attempt) -> Result:
    """Carry out a ruling, also in the middle of a waiting command. GM. Answers with a command result.

    While something waits, the ruling becomes a part of the waiting command, which runs again with it: questions may
    change or vanish. With `cancel` that command ends, and what was shown of it stands.
    """
    now = service.clock()

    def act(book: Rulebook, live: Live) -> Played:
        rules = book.ruleset
        lookup.need_gm(caller)
        findings = tuple(_shape(body))
        if findings:
            raise BadInput(findings)
        ruling = cmd.Rule(body.reason, tuple(_changes(book, live.state, caller, body)))
        cancels = {one.cancel for one in body.changes if one.cancel is not None}
        if not cancels:
            if live.pending is not None:
                return go_on(rules, live, now=now, ruling=ruling)
            return begin(rules, live, ruling, now=now, token=caller.token)
        if live.pending is None or not cancels <= {one.id for one in live.decisions}:
            raise BadInput(
                Finding("unknown_decision", f"/changes/{place}/cancel")
                for place, one in enumerate(body.changes)
                if one.cancel is not None and all(one.cancel != held.id for held in live.decisions)
            )
        told = (_cancelled(live.state, live.pending, body.reason),)
        closed = withdrawn(live.decisions)
        return begin(rules, live, ruling, now=now, token=caller.token, told=told, closed=closed)

    return await change(service, caller, encounter, attempt, act)


def _cancelled(state: State, pending: Pending, reason: str) -> Emitted:
    event = CommandCancelled(pending.command_id, reason)
    if isinstance(pending.command, cmd.Act):
        actor = state.combatants.get(pending.command.submission.actor)
        if actor is not None and actor.hidden:
            return Emitted(event, "gm")
    return Emitted(event)


def _shape(body: RulingIn) -> Iterator[Finding]:
    """Whether each change says exactly one thing."""
    for place, one in enumerate(body.changes):
        at = f"/changes/{place}"
        said = [name for name in _ALONE if getattr(one, name) is not None]
        said += [name for name, _ in _PAIRS if getattr(one, name) is not None]
        said += ["engaged_with"] if one.engaged_with is not None else []
        if len(said) != 1:
            yield Finding("one_change_each", at, ", ".join((*_ALONE, "resource", "budget", "item", "engaged_with")))
            continue
        if one.combatant is None and said[0] not in ("cancel", "fact"):
            yield Finding("missing_input", f"{at}/combatant")
        for name, figures in _PAIRS:
            if said[0] == name and sum(bool(_has(one, figure)) for figure in figures) != 1:
                yield Finding("missing_input", f"{at}/{figures[0]}", " or ".join(figures))
        if said[0] == "engaged_with" and one.engaged is None:
            yield Finding("missing_input", f"{at}/engaged")


def _has(one: ChangeIn, figure: str) -> bool:
    value = getattr(one, figure)
    return value is not None and value is not False


def _changes(book: Rulebook, state: State, caller: Caller, body: RulingIn) -> Iterator[cmd.Change]:
    for place, one in enumerate(body.changes):
        if one.cancel is None:
            yield from _change(book, state, caller, one, f"/changes/{place}")


def _change(book: Rulebook, state: State, caller: Caller, one: ChangeIn, at: str) -> Iterator[cmd.Change]:
    if one.fact is not None:
        first = lookup.id_of(state, caller, one.fact.from_)
        second = lookup.id_of(state, caller, one.fact.to)
        yield cmd.SetFact(first, second, door.fact(one.fact))
        if one.fact.engaged is not None:
            yield cmd.SetEngaged(first, second, one.fact.engaged)
        return
    who = lookup.id_of(state, caller, one.combatant or "")
    body = state.combatants.get(who)
    if one.resource is not None:
        held = 0 if body is None else body.pools.get(one.resource, 0)
        yield cmd.SetPool(who, one.resource, one.set if one.set is not None else held + (one.change or 0))
    elif one.budget is not None:
        held = 0 if body is None else body.budget.get(one.budget, 0)
        yield cmd.SetBudget(who, one.budget, one.set if one.set is not None else held + (one.change or 0))
    elif one.add_effect is not None:
        effect = one.add_effect
        if body is not None and len(body.effects) >= MAX_EFFECTS:
            raise LimitReached("too_many_effects", MAX_EFFECTS)
        against = None if effect.against is None else lookup.id_of(state, caller, effect.against)
        yield cmd.AddEffect(who, effect.id, effect.value, effect.rounds, against)
    elif one.remove_effect is not None:
        yield cmd.RemoveEffect(who, EffectId(one.remove_effect))
    elif one.position is not None:
        yield cmd.Reposition(who, door.place(one.position))
    elif one.status is not None:
        yield cmd.SetStatus(who, one.status)
    elif one.cover is not None:
        yield cmd.SetCover(who, None if one.cover == "none" else door.cover(one.cover))
    elif one.item is not None:
        given = None if one.give is None else door.item(book, one.give, f"{at}/give")
        yield cmd.SetItem(who, ItemId(one.item), given)
    elif one.engaged_with is not None:
        yield cmd.SetEngaged(who, lookup.id_of(state, caller, one.engaged_with), bool(one.engaged))
