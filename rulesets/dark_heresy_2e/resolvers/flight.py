"""Flee: a movement under another name. Clauses: DH-3355, DH-3360."""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.ids import ActionId, Length
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e.resolvers.preparing import NoParams

BY = "by"
MOVE = "move"


def _named(table: Table, sub: Submission) -> Action:
    """The action that he flees by."""
    return table.rules.actions[ActionId(str(sub.options.get(BY) or MOVE))]


def type_for(table: Table, sub: Submission, action: Action) -> str:
    """The ordinary type of the action that he flees by."""
    return _named(table, sub).default_type


def becomes(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """That action, with its cost, limits and free attacks; what is told of it cites the flight. Clause: DH-3355."""
    named = _named(table, sub)
    if sub.type not in named.costs:
        return sub, action
    own = {field.name for field in named.form}
    options = {name: value for name, value in sub.options.items() if name in own}
    return replace(sub, action=named.id, options=options), replace(named, clauses=(action.clauses[0], *named.clauses))


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Only what could not become another action is looked at here: one that is not taken as that type."""
    yield table.rules.reason("wrong_action_type", "DH-3355", at="/type", names=tuple(_named(table, sub).costs))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The other action is resolved in its place."""


def extent(table: Table, sub: Submission, action: Action) -> Length | None:
    """As far as the action that he flees by. Clause: DH-3355."""
    named = _named(table, sub)
    return named.extent(table, sub, named) if named.extent is not None and sub.type in named.costs else None


FLEE = Resolver(NoParams, check, resolve, type_for=type_for, becomes=becomes, extent=extent)
