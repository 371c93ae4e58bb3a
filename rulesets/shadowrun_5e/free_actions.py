"""What a Free Action is taken as when nobody says so. Clauses SR-110, SR-118."""

from app.engine.commands import Submission
from app.engine.rules import Action
from app.engine.table import Table

FREE, SIMPLE = "free", "simple"


def free_or_simple(table: Table, sub: Submission, action: Action) -> str:
    """A Simple Action in its place once the free one is spent, where the table plays it so. Clauses: SR-110, SR-118."""
    left = table.who(sub.actor).budget
    plays_so = table.flag("simple_as_free") and table.is_turn_of(sub.actor) and SIMPLE in action.costs
    return SIMPLE if plays_so and not left.get(FREE, 0) and left.get(SIMPLE, 0) else action.default_type
