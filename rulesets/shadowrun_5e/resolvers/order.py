"""Delaying, ending a phase, and Edge on the order of a Combat Turn. Clauses SR-120, SR-140, SR-865, SR-870."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.shadowrun_5e.delaying import DELAYING, PHASE
from rulesets.shadowrun_5e.resolvers.plain import NoParams, check_nothing, nothing


def check_delay(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """At the start of an ordinary phase: nothing done in it, not a metre gone. Clauses: SR-140, SR-180."""
    slot, reason = table.state.clock.slot, table.rules.reason
    done = table.who(sub.actor).done
    if table.has(sub.actor, DELAYING) or (table.is_turn_of(sub.actor) and slot is not None and slot.kind != PHASE):
        yield reason("already_delayed", "SR-140")
    if not table.is_turn_of(sub.actor):
        return
    if any(one.action != "walk" for one in done):
        yield reason("already_acted", "SR-140")
    if any(one.action == "walk" for one in done):
        yield reason("already_moved", "SR-140")


def delay(scene: Scene, sub: Submission, action: Action) -> None:
    """The phase closes with nothing spent. Clause: SR-140."""
    scene.begin(sub.actor, DELAYING)


def check_too_late(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Both are asked about as initiative is rolled; later it is too late. Clauses: SR-865, SR-870."""
    yield table.rules.reason("too_late", action.clauses[0])


DELAY = Resolver(NoParams, check_delay, delay)
END = Resolver(NoParams, check_nothing, nothing)
BEFORE_THE_TURN = Resolver(NoParams, check_too_late, nothing)
