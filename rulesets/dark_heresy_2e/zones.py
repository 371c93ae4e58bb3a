"""Zones of fire: where they lie, how wide they are, how far they go. Clauses DH-3880, DH-4200, DH-4530, DH-5710."""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.events import Turned
from app.engine.ids import ClauseId, CombatantId, ItemId, Length
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Area, Place, Point, Polygon, Sector, Unknown
from app.engine.space.predicates import in_arc
from app.engine.table import Table
from rulesets.dark_heresy_2e.braces import arc_of, facing_of_brace
from rulesets.dark_heresy_2e.weapons import readied

WHOLE_CIRCLE = 360


def gun_of(table: Table, sub: Submission) -> ItemId | None:
    """The weapon named, else the first in hand that shoots."""
    if sub.weapon is not None:
        return sub.weapon
    return next((key for key, weapon in readied(table, sub.actor) if weapon.is_ranged), None)


def facing_of(table: Table, sub: Submission) -> int | None:
    """Where he faces for it: as the submission says, as the zone that it names, else as he stands. Clause: DH-5710."""
    if sub.facing is not None:
        return sub.facing
    if isinstance(sub.area, Sector):
        return sub.area.facing
    place = table.who(sub.actor).place
    return None if place is None else place.facing


def why_not_zone(
    table: Table, sub: Submission, item: ItemId | None, arc: int, limit: Length | None, clause: str
) -> Iterator[Reason]:
    """Inside the arc he faces, no farther than it may go, and within the arc of a braced weapon.

    Without a map it need not be drawn. Clauses: DH-3880, DH-4200, DH-4530, DH-5710.
    """
    reason, area = table.rules.reason, sub.area
    if area is None:
        if table.has_map:
            yield reason("missing_input", clause, at="/area")
        return
    facing = facing_of(table, sub)
    if table.has_map and table.who(sub.actor).place is None:
        yield reason("missing_input", clause, at="/actor")
        return
    if facing is None:
        yield reason("missing_input", "DH-5710", at="/facing")
        return
    width = width_of(table, sub.actor, area, facing)
    if width is None:
        yield reason("not_supported_yet", clause, at="/area")
    elif width > arc:
        yield reason("zone_arc_exceeded", clause, at="/area", need=arc, got=width)
    reach = reach_of_zone(table, sub.actor, area)
    if limit is not None and reach > limit:
        yield reason("out_of_range", clause, at="/area", need_length=limit, got_length=reach)
    yield from _why_outside_the_brace(table, sub.actor, area, item)


def _why_outside_the_brace(table: Table, who: CombatantId, area: Area, item: ItemId | None) -> Iterator[Reason]:
    """A braced weapon covers no more than it can be turned to. Clause: DH-4530."""
    if item is None or item not in table.who(who).items:
        return
    arc, braced = arc_of(table, who, item), facing_of_brace(table, who, item)
    width = None if arc is None else width_of(table, who, area, braced)
    if arc is not None and width is not None and width > arc:
        yield table.rules.reason("outside_brace_arc", "DH-4530", at="/area", need=arc, got=width)


def width_of(table: Table, who: CombatantId, area: Area, facing: int) -> int | None:
    """Full width, around the facing, of the narrowest arc of whole degrees that holds the zone. None if not judged."""
    if isinstance(area, Sector):
        off = (area.facing - facing) % WHOLE_CIRCLE
        return min(WHOLE_CIRCLE, area.arc + 2 * min(off, WHOLE_CIRCLE - off))
    place, ground = table.who(who).place, table.state.scenery.ground
    if place is None or ground is None or ground.grid.kind == "hex":
        return None
    vectors = [(x - place.x, y - place.y) for x, y in area.points]
    every = range(WHOLE_CIRCLE + 1)
    return next(width for width in every if all(in_arc(dx, dy, facing, width, False) for dx, dy in vectors))


def reach_of_zone(table: Table, who: CombatantId, area: Area) -> Length:
    """How far the zone goes. A polygon's farthest corner is as far off as somebody who stands there."""
    if isinstance(area, Sector):
        return area.reach
    corners = {f"corner{number}": Place(*point) for number, point in enumerate(area.points)}
    space = table.space.after(corners)
    found = [space.distance(who, corner) for corner in corners]
    return max((one for one in found if not isinstance(one, Unknown)), default=0)


def zone_of(table: Table, sub: Submission, arc: int, reach: Length, facing: int) -> Area:
    """The zone from where he stands, under his own id, by which a submission without a map speaks of it."""
    place, area = table.who(sub.actor).place, sub.area
    if isinstance(area, Polygon):
        return msgspec.structs.replace(area, id=sub.actor)
    centre: Point = (0, 0) if place is None else place.point
    if area is None:
        return Sector(centre, reach, facing, arc, needs_sight=True, id=sub.actor)
    return Sector(centre, area.reach, area.facing, area.arc, needs_sight=True, id=sub.actor)


def turn_to(scene: Scene, who: CombatantId, facing: int | None) -> None:
    """He faces that way now, if that is another. Clause: DH-5710."""
    place = scene.who(who).place
    if facing is not None and place is not None and place.facing != facing:
        scene.emit(Turned(who, facing, ClauseId("DH-5710")))
