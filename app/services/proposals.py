"""What is waited for, as somebody sees it; and what a player proposes, shown to those whose business it is."""

from typing import Any

import msgspec

from app.catalog import Rulebook
from app.engine import commands as cmd
from app.engine.commands import Submission
from app.engine.proposals import APPROVE
from app.engine.space.model import Said
from app.engine.visibility import NOBODY
from app.persistence.work import Decision, Live
from app.services import wire
from app.services.caller import Caller
from app.services.cut import Eyes
from app.services.play import in_secret
from app.services.units import in_units, units
from app.services.words import Words

View = dict[str, Any]


def proposed(live: Live, decision: Decision) -> Submission | None:
    """What this decision is to allow; None for one of another kind."""
    command = None if live.pending is None else live.pending.command
    is_one = isinstance(command, cmd.Act) and command.proposed and decision.kind == APPROVE
    return command.submission if is_one and isinstance(command, cmd.Act) else None


def waiting_for(caller: Caller, book: Rulebook, live: Live, words: Words, eyes: Eyes) -> list[View]:
    """The open decisions that the caller may know of."""
    return [waiting(one, caller, book, live, words, eyes) for one in live.decisions if caller.is_gm or not one.hidden]


def waiting(one: Decision, caller: Caller, book: Rulebook, live: Live, words: Words, eyes: Eyes) -> View:
    """One open decision, with what is proposed if he says yes to it or acts for whoever proposes it.

    Nobody else is told: a plan may be a secret, and one that is refused never happened.
    """
    view = wire.decision(one, words, eyes, None if live.pending is None else in_secret(live.pending.command))
    submission = proposed(live, one)
    if submission is not None and caller.answers_for(submission.actor, live.state.combatants.get(submission.actor)):
        view["proposal"] = _shown(submission, caller, book, words, eyes)
    return view


def _shown(submission: Submission, caller: Caller, book: Rulebook, words: Words, eyes: Eyes) -> View:
    """A submission as it could be sent again: in the unit, and without the names of those who were hidden since."""
    view: View = msgspec.to_builtins(in_units(submission, caller.audience))
    action = book.ruleset.actions.get(submission.action)
    kinds = {} if action is None else {field.name: field.type for field in action.form}
    if submission.options:
        view["options"] = {name: _in_units(kinds.get(name), value) for name, value in submission.options.items()}
    view["name"] = words.name("action", submission.action)
    if submission.said == Said():
        view.pop("said", None)
    return view if caller.is_gm else _without(view, eyes)


def _in_units(kind: str | None, value: Any) -> Any:
    if kind == "length" and isinstance(value, int) and not isinstance(value, bool):
        return units(value)
    if kind == "path" and isinstance(value, list | tuple):
        return [[units(one) for one in point] for point in value]
    return value


def _without(value: Any, eyes: Eyes) -> Any:
    """The value with every name of these blanked, wherever it stands."""
    match value:
        case str():
            return NOBODY if value in eyes else value
        case dict():
            return {_without(key, eyes): _without(one, eyes) for key, one in value.items()}
        case list() | tuple():
            return [_without(one, eyes) for one in value]
        case _:
            return value
