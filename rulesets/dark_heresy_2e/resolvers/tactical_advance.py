"""Tactical Advance: from one cover to another, behind the first all the way. Clauses DH-4600, DH-4610."""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.events import CoverChanged
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.space.model import Cover, CoverPiece, Run, Sector, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.figures import reach_of, tables_of
from rulesets.dark_heresy_2e.moving import (
    Column,
    go_along,
    leave_melee,
    left_behind,
    way_of,
    why_blocked,
    why_too_far,
    why_unsaid_whom_he_leaves,
)
from rulesets.dark_heresy_2e.reach import ADVANCING, covers_beside, is_in_cover
from rulesets.dark_heresy_2e.zones import turn_to

CLAUSE = "DH-4600"
AFTERWARDS = "DH-4610"
STOPPED = "DH-3900"
NONE = "none"
WHOLE = 100
"""Per cent."""


class AdvanceParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The column of the movement table for each way the table may play it, and the parts of the body that a cover hides
    if nobody says which.

    Clause: DH-4600.
    """

    reach: dict[str, Column]
    hides: tuple[str, ...]


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """He is in cover, there is cover where he goes, and it is near enough. Clause: DH-4600."""
    reason = table.rules.reason
    if not is_in_cover(table, sub.actor):
        yield reason("not_in_cover", CLAUSE)
    run, at = _run(table, sub), "/path" if table.has_map else "/said/length"
    if run is None:
        yield reason("missing_input", at=at)
        return
    yield from _why_no_cover_there(table, sub, run)
    yield from why_too_far(table, run, extent(table, sub, action), CLAUSE, at)
    yield from why_blocked(table, run, CLAUSE, at)
    yield from why_unsaid_whom_he_leaves(table, sub.actor)


def extent(table: Table, sub: Submission, action: Action) -> Length:
    """How far it leads. Clause: DH-4600."""
    params: AdvanceParams = action.params
    return reach_of(table, sub.actor, params.reach[str(table.option("tactical_advance_distance"))])


def _run(table: Table, sub: Submission) -> Run | None:
    """The way as drawn on the map, or of the stated length; None if nobody gave one."""
    if table.has_map and not sub.path:
        return None
    run = table.space.run(sub.actor, sub.path)
    return None if isinstance(run, Unknown) else run


def _why_no_cover_there(table: Table, sub: Submission, run: Run) -> Iterator[Reason]:
    """Cover of the map next to where he ends, or stated with the submission. Without a map it has to be stated."""
    stated = sub.options.get("cover")
    if table.has_map and stated is None:
        if not covers_beside(table, run.points[-1]):
            yield table.rules.reason("destination_not_cover", CLAUSE, at="/path")
    elif stated is None:
        yield table.rules.reason("missing_input", at="/options/cover")
    elif stated == NONE:
        yield table.rules.reason("destination_not_cover", CLAUSE, at="/options/cover")


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The cover he leaves counts to the last step, and from there only the new one. Clauses: DH-4600, DH-4610."""
    who, params = sub.actor, action.params
    run = _run(scene.as_known_to(who), sub)
    assert run is not None
    way, stood = way_of(scene, sub, action, run, left_behind(scene, run)), scene.who(who).place
    scene.begin(who, ADVANCING, area=None if stood is None else Sector(stood.point, 0))
    if not leave_melee(scene, way):
        scene.end(who, ADVANCING, why="stopped", clause=CLAUSE)
        return
    arrived = go_along(scene, way, STOPPED, CLAUSE)
    scene.end(who, ADVANCING, why="done" if arrived else "stopped", clause=AFTERWARDS)
    if arrived:
        _is_behind(scene, who, _new_cover(scene, sub, params))
        turn_to(scene, who, sub.facing)
    elif scene.who(who).place != stood or not scene.has_map:
        _is_behind(scene, who, None)


def _new_cover(table: Table, sub: Submission, params: AdvanceParams) -> Cover | None:
    """The cover that was stated for where he ends; one of the map needs no telling."""
    material = sub.options.get("cover")
    if material is None or material == NONE:
        return None
    points = sub.options.get("cover_points")
    if not isinstance(points, int):
        points = next(row.points for row in tables_of(table).cover if row.material == material)
    hidden = sub.options.get("cover_locations") or params.hides
    return Cover(WHOLE, (CoverPiece(f"{sub.actor}/cover", points, tuple(hidden), str(material)),))


def _is_behind(scene: Scene, who: CombatantId, cover: Cover | None) -> None:
    """What was stated of the old cover is over. Clause: DH-4610."""
    if scene.who(who).cover != cover:
        scene.emit(CoverChanged(who, cover, ClauseId(AFTERWARDS)))


TACTICAL_ADVANCE = Resolver(AdvanceParams, check, resolve)
