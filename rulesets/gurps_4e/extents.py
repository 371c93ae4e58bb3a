"""How far each maneuver lets one go, for the list of actions. Clauses GU-400 to GU-460, GU-1140."""

from app.engine.commands import Submission
from app.engine.ids import Length
from app.engine.rules import Action
from app.engine.table import Table
from rulesets.gurps_4e.going import MovementParams, going_of
from rulesets.gurps_4e.moving import HINDERED, how_far
from rulesets.gurps_4e.riding import is_mounted


def extent(table: Table, sub: Submission, action: Action) -> Length | None:
    """How far the maneuver lets him go on his own feet; None where it lets him go nowhere. Clauses: GU-410, GU-460."""
    return extent_of(table, sub, action, action.params)


def extent_of(table: Table, sub: Submission, action: Action, params: MovementParams) -> Length | None:
    """The same with this movement."""
    if params.extent == "none" or is_mounted(table, sub.actor):
        return None
    if table.has(sub.actor, HINDERED):
        return 0
    return how_far(table, going_of(table, sub, action, params))
