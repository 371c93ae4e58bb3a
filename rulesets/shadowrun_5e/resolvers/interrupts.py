"""Interrupts that may be submitted, and those that are only answers. Clauses SR-500 to SR-545."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e.conditions import fall_prone
from rulesets.shadowrun_5e.defending import FULL
from rulesets.shadowrun_5e.figures import PRONE
from rulesets.shadowrun_5e.resolvers.plain import NoParams, nothing


def check_full_defense(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Not on it yet. Clause: SR-510."""
    if table.has(sub.actor, FULL):
        yield table.rules.reason("already_full_defense", "SR-510")


def full_defense(scene: Scene, sub: Submission, action: Action) -> None:
    """Willpower on every defence from now on. Clauses: SR-510, SR-515."""
    scene.begin(sub.actor, FULL)


def check_answer(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A defence belongs to an attack that is still open: with its dice down it is too late. Clauses: SR-500, SR-530."""
    yield table.rules.reason("too_late", "SR-530")


def check_intercept(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """It is asked about while somebody moves, and only then. Clause: SR-545."""
    yield table.rules.reason("no_movement_to_intercept", "SR-545")


def check_dirt(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Under suppressive fire, and not lying yet. Clause: SR-545."""
    if table.has(sub.actor, PRONE):
        yield table.rules.reason("already_prone", "SR-545")
    if not table.has(sub.actor, "suppressed"):
        yield table.rules.reason("not_suppressed", "SR-545")


def hit_the_dirt(scene: Scene, sub: Submission, action: Action) -> None:
    """He throws himself down. Clause: SR-545."""
    fall_prone(scene, sub.actor, "SR-545")


FULL_DEFENSE = Resolver(NoParams, check_full_defense, full_defense)
ANSWER = Resolver(NoParams, check_answer, nothing)
INTERCEPT = Resolver(NoParams, check_intercept, nothing)
HIT_THE_DIRT = Resolver(NoParams, check_dirt, hit_the_dirt)
