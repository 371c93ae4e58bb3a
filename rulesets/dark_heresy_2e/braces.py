"""Heavy weapons that stand braced: towards where, how far they turn, and what ends it. Clauses DH-4500 to DH-4540."""

from collections.abc import Iterator, Mapping

from app.engine.ids import CombatantId, ItemId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Place, Point, Unknown
from app.engine.table import Table

BRACED, ARC, FACING, ON_BODY, X, Y = "braced", "brace_arc", "brace_facing", "brace_on_body", "brace_x", "brace_y"
"""Marks of a braced weapon. One that lacks the others (so stated from the start) turns freely."""
MOVED = "DH-4520"
INSIDE, OUTSIDE = "inside", "outside"
WHOLE_CIRCLE = 360
THERE = "there"


def is_braced(table: Table, who: CombatantId, item: ItemId) -> bool:
    """Whether it stands braced."""
    return bool(_marks(table, who, item).get(BRACED))


def _marks(table: Table, who: CombatantId, item: ItemId) -> Mapping[str, int]:
    """What is marked on it; nothing on what a ruling has taken away."""
    carried = table.carried(who, item)
    return {} if carried is None else carried.marks


# The arc


def arc_of(table: Table, who: CombatantId, item: ItemId) -> int | None:
    """Full width of the arc in which it can be turned; None where nothing limits it. Clause: DH-4530."""
    marks = _marks(table, who, item)
    if not marks.get(BRACED) or not marks.get(ARC):
        return None
    arc = marks[ARC]
    return min(WHOLE_CIRCLE, 2 * arc) if table.option("brace_arc_mode") == "each_side" else arc


def facing_of_brace(table: Table, who: CombatantId, item: ItemId) -> int:
    """The middle of that arc. Without a map it is where he looks."""
    return _marks(table, who, item).get(FACING, 0)


def why_outside_arc(
    table: Table, who: CombatantId, item: ItemId, goal: CombatantId | Point, at: str
) -> Iterator[Reason]:
    """A target to which the weapon cannot be turned without moving it. Clause: DH-4530."""
    arc = arc_of(table, who, item)
    if arc is None or arc >= WHOLE_CIRCLE:
        return
    space, facing, name = table.space, facing_of_brace(table, who, item), goal if isinstance(goal, str) else THERE
    place = table.who(who).place
    if table.has_map and place is not None:
        moved: dict[str, Place | None] = {who: Place(place.x, place.y, facing)}
        if not isinstance(goal, str):
            moved[THERE] = Place(*goal)
        space = space.after(moved)
    elif name == THERE:
        return
    if space.arc_of(who, name, ((INSIDE, arc), (OUTSIDE, WHOLE_CIRCLE))) != OUTSIDE:
        return
    bearing = space.bearing(who, name)
    off = 0 if isinstance(bearing, Unknown) else (bearing - (facing if table.has_map else 0)) % WHOLE_CIRCLE
    width = max(2 * min(off, WHOLE_CIRCLE - off), arc + 1)
    yield table.rules.reason("outside_brace_arc", "DH-4530", at=at, need=arc, got=width)


# What ends it


def unbrace(scene: Scene, who: CombatantId, item: ItemId) -> None:
    """The weapon is no longer braced. Clause: DH-4520."""
    if is_braced(scene, who, item):
        scene.mark_item(who, item, BRACED, 0, MOVED)


def displaced(scene: Scene, who: CombatantId) -> None:
    """He has come to stand somewhere else, and what he holds with him. Clause: DH-4520."""
    for key, item in tuple(scene.who(who).items.items()):
        if item.held:
            unbrace(scene, who, ItemId(key))


def stirred(scene: Scene, who: CombatantId) -> None:
    """He moves or falls: what is braced on his own body is no longer; a bipod or tripod stands. Clause: DH-4520."""
    for key, item in tuple(scene.who(who).items.items()):
        if item.marks.get(ON_BODY):
            unbrace(scene, who, ItemId(key))


def let_go_of(scene: Scene, who: CombatantId, item: ItemId) -> None:
    """He lets it out of his hands: it stays braced unless that was on his body. Clause: DH-4540."""
    if _marks(scene, who, item).get(ON_BODY):
        unbrace(scene, who, item)
