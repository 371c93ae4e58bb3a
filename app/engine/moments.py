"""Moments that reactions hang on. Shared blocks announce them; a ruleset maps each kind to handlers."""

from collections.abc import Mapping

import msgspec

from app.engine.commands import Submission
from app.engine.ids import ActionId, CombatantId, Length
from app.engine.space.model import Run

HALTED = "halted"
"""Name in `Scene.met` by which a reaction to a declaration tells that the action is spent and not carried out."""


class Moment(msgspec.Struct, frozen=True):
    """Root of all moments."""


class Leaving(Moment, frozen=True):
    """A mover is about to leave the engaged opponents `leaves`."""

    mover: CombatantId
    run: Run
    leaves: tuple[CombatantId, ...]
    action: ActionId
    provokes: bool


class Passing(Moment, frozen=True):
    """A mover goes along `run`, has done `done` of it, and everything from `since` on is still to be looked at.

    `ends` is what is known without a map of how far he will be from others where the way ends.
    """

    mover: CombatantId
    run: Run
    done: Length
    since: Length
    action: ActionId
    forced: bool = False
    ends: Mapping[CombatantId, Length] = msgspec.field(default_factory=dict)


class Declaring(Moment, frozen=True):
    """An action was paid for and is about to be resolved: `sub`, with everything that was declared."""

    actor: CombatantId
    action: ActionId
    tags: frozenset[str]
    sub: Submission


class ActionDone(Moment, frozen=True):
    """An action has been resolved."""

    actor: CombatantId
    action: ActionId
    tags: frozenset[str]
    sub: Submission
