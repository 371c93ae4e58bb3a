"""Move, Full Move, Run, Disengage, lying down and standing up. Clauses WH-080, WH-085, WH-440."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from app.engine.blocks.distances import OwnDistance, own_distance
from app.engine.blocks.nowhere import leads_nowhere
from app.engine.commands import Submission
from app.engine.ids import Length
from app.engine.names import EffectName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.wh40k_d100.conditions import PRONE, fall_prone
from rulesets.wh40k_d100.figures import reach_of
from rulesets.wh40k_d100.moving import go_along, run_of, why_held_in_melee, why_not_go
from rulesets.wh40k_d100.reach import is_engaged, part_from_all

Reach = Literal["half", "full", "charge", "run", "disengage", "crawl"]
"""A multiple of the Agility bonus, as the tables have it. Clause: WH-080."""


class MovementParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which multiple of the Agility bonus one gets, and which crawling, where that can be done.

    `begins` is a condition of whoever goes; `leaves_melee` ends every engagement. `beyond` are metres more than the
    multiple gives, and `most` how many there are at most. Clauses: WH-080, WH-085.
    """

    reach: Reach
    crawling: Reach | None = None
    begins: EffectName | None = None
    leaves_melee: bool = False
    beyond: OwnDistance = 0
    most: OwnDistance | None = None


class NoParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """No figures of its own."""


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why he cannot go there."""
    params: MovementParams = action.params
    if table.has(sub.actor, PRONE) and params.crawling is None:
        yield table.rules.reason("must_stand", "WH-080")
    run = run_of(table, sub)
    yield from why_not_go(table, sub, run, how_far(table, sub, action), action.clauses[0])
    if run is not None and not params.leaves_melee and leads_nowhere(table, sub, run.length):
        yield table.rules.reason("missing_input", at="/path" if table.has_map else "/said/length")
    if not params.leaves_melee:
        yield from why_held_in_melee(table, sub, run)
    elif not is_engaged(table, sub.actor):
        yield table.rules.reason("not_engaged", "WH-085")


def how_far(table: Table, sub: Submission, action: Action) -> Length:
    """How far he gets, crawling if he lies. Clause: WH-080."""
    params: MovementParams = action.params
    crawls = table.has(sub.actor, PRONE) and params.crawling is not None
    given = reach_of(table, sub.actor, params.crawling if crawls and params.crawling else params.reach)
    return own_distance(given, params.beyond, params.most)


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """Out of melee if that is what he does, and along the way."""
    params: MovementParams = action.params
    run = run_of(scene.as_known_to(sub.actor), sub)
    assert run is not None
    if params.leaves_melee:
        part_from_all(scene, sub.actor, "WH-085")
    if params.begins is not None:
        scene.begin(sub.actor, params.begins)
    go_along(scene, sub, action, run)


def check_drop(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """He is on his feet. Clause: WH-085."""
    if table.has(sub.actor, PRONE):
        yield table.rules.reason("already_prone", "WH-085")


def drop(scene: Scene, sub: Submission, action: Action) -> None:
    """He lies down. Clauses: WH-085, WH-440."""
    fall_prone(scene, sub.actor, "WH-085")


def check_stand(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """He lies. Clause: WH-085."""
    if not table.has(sub.actor, PRONE):
        yield table.rules.reason("not_prone", "WH-085")


def stand(scene: Scene, sub: Submission, action: Action) -> None:
    """He gets up. Clause: WH-085."""
    scene.end(sub.actor, PRONE, why="stood_up", clause="WH-085")


MOVE = Resolver(MovementParams, check, resolve, extent=how_far)
DROP_PRONE = Resolver(NoParams, check_drop, drop)
STAND_UP = Resolver(NoParams, check_stand, stand)
