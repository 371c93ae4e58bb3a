"""Throwing oneself down: where to, and what one is then. Clauses MA-440, MA-450, MA-470, MA-750."""

from collections.abc import Iterator
from typing import Final

import msgspec

from app.engine.events import Moved
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Place, Point, Unknown
from app.engine.space.predicates import in_arc
from app.engine.table import Table
from rulesets.manewry_ap.figures import KNOCKED_DOWN, UNIT, is_on_the_ground, tables_of
from rulesets.manewry_ap.reach import distances_after, is_taken, unseen_by

DROP: Final = "drop_prone"
DIRECTION, FREE, PLACE = "direction", "destination_free", "place"
SPOT, BACK = "spot", "back"
AHEAD = 180
"""Full width of the arc into which one may fall: exactly sideways is in it. Clause: MA-440."""


class Fall(msgspec.Struct, frozen=True):
    """Where somebody means to fall: a point of the map, or a direction with whether it is free. None is on the spot."""

    point: Point | None = None
    direction: str = SPOT
    free: bool | None = None


def fall_of(table: Table, who: CombatantId, path: tuple[Point, ...], direction: str | None, free: bool | None) -> Fall:
    """The fall that was named."""
    place = table.who(who).place
    if table.has_map:
        point = path[-1] if path else None
        return Fall(None if place is None or point == place.point else point)
    return Fall(None, direction or SPOT, free)


def why_not_drop(table: Table, who: CombatantId, where: Fall, at: str = "") -> Iterator[Reason]:
    """Already down, too far, not free, or backwards. Clauses: MA-440, MA-450."""
    reason = table.rules.reason
    if is_on_the_ground(table, who):
        yield reason("already_prone")
    if where.point is not None:
        yield from _why_not_there(table, who, where.point, f"{at}/{PLACE}" if at else "/path")
    elif where.direction == BACK:
        yield reason("cannot_fall_backwards", at=f"{at or '/options'}/{DIRECTION}")
    elif where.direction != SPOT and where.free is None:
        yield reason("missing_input", at=f"{at}/{FREE}" if at else "/said/destination_free")
    elif where.direction != SPOT and not where.free:
        yield reason("no_free_space", at=f"{at or '/options'}/{DIRECTION}")


def _why_not_there(table: Table, who: CombatantId, point: Point, at: str) -> Iterator[Reason]:
    place, most = table.who(who).place, tables_of(table).core.drop_units * UNIT
    if place is None:
        return
    reason, far = table.rules.reason, _apart(place, point)
    if far > most:
        yield reason("move_too_far", at=at, need_length=most, got_length=far)
    elif not is_free_for(table, who, point, unseen_by(table, who)):
        yield reason("no_free_space", at=at)
    if place.facing is not None and not in_arc(point[0] - place.x, point[1] - place.y, place.facing, AHEAD, False):
        yield reason("cannot_fall_backwards", at=at)


def _apart(place: Place, point: Point) -> Length:
    return max(abs(point[0] - place.x), abs(point[1] - place.y))


def is_free_for(table: Table, who: CombatantId, point: Point, unseen: frozenset[CombatantId]) -> bool:
    """Whether nobody is there and no wall is in between. Clause: MA-440."""
    if is_taken(table, who, point, unseen):
        return False
    run = table.space.run(who, (point,))
    return not isinstance(run, Unknown) and run.blocked_at is None


def fall(scene: Scene, who: CombatantId, where: Fall) -> None:
    """He lies on his belly there; where somebody unseen is already, he falls where he stood. Clauses: MA-440, MA-450.

    He goes on looking where he looked.
    """
    place, clause = scene.who(who).place, ClauseId("MA-440")
    if where.point is not None and place is not None:
        if is_free_for(scene, who, where.point, frozenset()):
            goal = Place(where.point[0], where.point[1], place.facing)
            scene.emit(Moved(who, _apart(place, where.point), path=(where.point,), place=goal, clause=clause))
    elif where.direction != SPOT and not scene.has_map:
        scene.emit(Moved(who, UNIT, distances=distances_after(scene), clause=clause))
    scene.begin(who, KNOCKED_DOWN, clause="MA-450")
