"""Sprint, run, walk, sneak, crawl. Clauses MA-600 to MA-650, MA-700, MA-750."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.ids import Length
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.manewry_ap.figures import HIDDEN, LYING, UNIT
from rulesets.manewry_ap.hiding import BEHIND, hide, why_not_hide
from rulesets.manewry_ap.moving import (
    MoveParams,
    advance_along,
    going_of,
    most_units,
    moves_openly,
    stop_of,
    why_not_move,
)
from rulesets.manewry_ap.pricing import declared, priced
from rulesets.manewry_ap.turns import SPRINTED


def becomes(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """The movement with its price. Clause: MA-095."""
    return priced(sub, action, declared(table, sub, action))


def backs_of(sub: Submission) -> tuple[str, ...] | None:
    """At whose backs he is, as stated. Clause: MA-080."""
    given = sub.options.get(BEHIND)
    return tuple(given) if isinstance(given, list | tuple) else None


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against going there, and against hiding for who sneaks. Clauses: MA-600 to MA-650, MA-730."""
    params: MoveParams = action.params
    yield from why_not_move(table, sub, action)
    if params.hides:
        yield from why_not_hide(table, sub.actor, backs_of(sub))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The test of whoever begins to sneak, then the way; who has been put elsewhere meanwhile does not go it.

    Clauses: MA-600, MA-645, MA-650, MA-750.
    """
    params: MoveParams = action.params
    who, going, place = sub.actor, going_of(scene, sub), scene.who(sub.actor).place
    if going.run is None:
        return
    stop = stop_of(scene, who, going.run)
    if not params.hides:
        moves_openly(scene, who)
    elif not scene.has(who, HIDDEN):
        hide(scene, who, backs_of(sub))
    if scene.who(who).place != place:
        return
    if params.lies and not scene.has(who, LYING):
        scene.begin(who, LYING)
    if params.pattern is not None:
        scene.begin(who, SPRINTED)
    advance_along(scene, who, going.run, stop, action.id, params.clause)


def how_far(table: Table, sub: Submission, action: Action) -> Length:
    """As far as his AP and his stamina last. Clauses: MA-600 to MA-615."""
    return most_units(table, action.params, sub.actor) * UNIT


MOVE = Resolver(MoveParams, check, resolve, becomes=becomes, extent=how_far)
