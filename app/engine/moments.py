"""Moments that reactions hang on. Shared blocks announce them; a ruleset maps each kind to handlers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.engine.commands import Submission
from app.engine.ids import ActionId, CombatantId, Length
from app.engine.space.model import Run

HALTED = "halted"
"""Name in `Scene.met` by which a reaction to a declaration tells that the action is spent and not carried out."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Root of all moments."""


@dataclass(frozen=True, slots=True)
class Leaving(Moment):
    """A mover is about to leave the engaged opponents `leaves`."""

    mover: CombatantId
    run: Run
    leaves: tuple[CombatantId, ...]
    action: ActionId
    provokes: bool


@dataclass(frozen=True, slots=True)
class Passing(Moment):
    """A mover goes along `run`, has done `done` of it, and everything from `since` on is still to be looked at.

    `ends` is what is known without a map of how far he will be from others where the way ends.
    """

    mover: CombatantId
    run: Run
    done: Length
    since: Length
    action: ActionId
    forced: bool = False
    ends: Mapping[CombatantId, Length] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Declaring(Moment):
    """An action was paid for and is about to be resolved: `sub`, with everything that was declared."""

    actor: CombatantId
    action: ActionId
    tags: frozenset[str]
    sub: Submission


@dataclass(frozen=True, slots=True)
class ActionDone(Moment):
    """An action has been resolved."""

    actor: CombatantId
    action: ActionId
    tags: frozenset[str]
    sub: Submission
