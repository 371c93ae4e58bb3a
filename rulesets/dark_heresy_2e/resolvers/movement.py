"""Move, Run and Disengage.

Clauses DH-3100 to DH-3120, DH-3310, DH-3320, DH-3370 to DH-3390, DH-5610, DH-5710.
"""

from collections.abc import Iterator

import msgspec

from app.engine.actions import type_of
from app.engine.blocks.distances import OwnDistance, own_distance
from app.engine.blocks.nowhere import leads_nowhere
from app.engine.commands import Submission
from app.engine.events import Turned
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.names import ClauseName, EffectName
from app.engine.reasons import Reason
from app.engine.rules import Action, Clash, Resolver, Whole
from app.engine.scene import Scene
from app.engine.space.model import Run, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.figures import reach_of
from rulesets.dark_heresy_2e.melee import part
from rulesets.dark_heresy_2e.moving import (
    LEAVING,
    PRONE,
    Column,
    engage_as_said,
    go_along,
    leave_melee,
    left_behind,
    way_of,
    why_blocked,
    why_not_engage,
    why_too_far,
    why_unsaid_whom_he_leaves,
)

WHOLE = 100
"""Per cent."""
STOPPED = "DH-3900"


class MovementParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far one gets, by the type the action is taken as, and the clause that says so.

    `leaves_freely`: those he is locked with get no free attack (DH-3310). `begins` is a condition of whoever goes, and
    `crawl_percent` how much of the way is left to somebody prone who may crawl (DH-5610). `beyond` are metres more than
    the column has, and `most` how many there are at most.
    """

    reach: dict[str, Column]
    clause: ClauseName
    leaves_freely: bool = False
    begins: EffectName | None = None
    crawl_percent: int | None = None
    beyond: OwnDistance = 0
    most: OwnDistance | None = None


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why he cannot go there."""
    params: MovementParams = action.params
    if params.leaves_freely and not table.who(sub.actor).engaged:
        yield table.rules.reason("not_engaged", params.clause)
    run, at = _run(table, sub), "/path" if table.has_map else "/said/length"
    if run is None:
        yield table.rules.reason("missing_input", at=at)
        return
    if not params.leaves_freely and leads_nowhere(table, sub, run.length):
        yield table.rules.reason("missing_input", at=at)
    yield from why_too_far(table, run, how_far(table, sub, action), params.clause, at)
    yield from why_blocked(table, run, params.clause, at)
    yield from why_not_engage(table, run)
    if not params.leaves_freely:
        yield from why_unsaid_whom_he_leaves(table, sub.actor)


def _run(table: Table, sub: Submission) -> Run | None:
    """The way as drawn on the map, or of the stated length; None if nobody gave one. Clause: DH-5700."""
    if table.has_map and not sub.path:
        return None
    run = table.space.run(sub.actor, sub.path)
    return None if isinstance(run, Unknown) else run


def how_far(table: Table, sub: Submission, action: Action) -> Length:
    """How far he gets, crawling if he lies. Clauses: DH-3100, DH-3310, DH-3370, DH-5610."""
    params: MovementParams = action.params
    column = params.reach[type_of(sub, action)]
    reach = own_distance(reach_of(table, sub.actor, column), params.beyond, params.most)
    if params.crawl_percent is not None and table.has(sub.actor, PRONE):
        return -(-reach * params.crawl_percent // WHOLE)
    return reach


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """Out of melee, along the way, into melee if he says so."""
    params: MovementParams = action.params
    run = _run(scene.as_known_to(sub.actor), sub)
    if run is None:
        return
    if params.leaves_freely:
        _break_off(scene, sub.actor, params.clause)
    begun = params.begins is not None and scene.flag("run_bonus_on_free_attack")
    if begun:
        _begin(scene, sub.actor, params)
    # Thrown down since he set out he does not crawl: his way was one for somebody on his feet.
    crawling = params.crawl_percent is not None and run.length <= how_far(scene, sub, action)
    way = way_of(scene, sub, action, run, left_behind(scene, run), crawling=crawling and scene.has(sub.actor, PRONE))
    if not leave_melee(scene, way):
        if begun and params.begins is not None:
            scene.end(sub.actor, params.begins, why="did_not_happen", clause=LEAVING)
        return
    if not begun:
        _begin(scene, sub.actor, params)
    if go_along(scene, way, STOPPED, params.clause):
        engage_as_said(scene, sub.actor)
        _turn(scene, sub)


def _begin(scene: Scene, who: CombatantId, params: MovementParams) -> None:
    """Who runs counts as running from the first step, for a free attack too if the table plays it so.

    Clauses: DH-3110, DH-3120.
    """
    if params.begins is not None:
        scene.begin(who, params.begins)


def _break_off(scene: Scene, who: CombatantId, clause: str) -> None:
    """He breaks from melee: nobody he was locked with holds him, nobody strikes at him. Clause: DH-3310."""
    for other in scene.who(who).engaged:
        part(scene, who, other, clause)


def _turn(scene: Scene, sub: Submission) -> None:
    """He may look where he likes in his own turn. Clause: DH-5710."""
    place = scene.who(sub.actor).place
    if sub.facing is not None and place is not None and place.facing != sub.facing:
        scene.emit(Turned(sub.actor, sub.facing, ClauseId("DH-5710")))


def clashes(params: MovementParams, whole: Whole) -> Iterator[Clash]:
    """A type that the action can be taken as, and nothing says how far."""
    for kind in sorted(whole.types - set(params.reach)):
        yield Clash(("reach",), "clash_absent", need=kind)


MOVE = RUN = DISENGAGE = Resolver(MovementParams, check, resolve, clashes=clashes, extent=how_far)
