"""Stepping away from an attack, and throwing oneself down. Clauses GU-370, GU-380, GU-950, GU-1040."""

from collections.abc import Iterator

from app.engine.events import Moved
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Place, Unknown
from app.engine.table import Table
from rulesets.gurps_4e.attack import Blow
from rulesets.gurps_4e.conditions import is_stunned, last_maneuver, take_posture
from rulesets.gurps_4e.figures import CROUCHING, PRONE, STANDING, YARD, posture_of, posture_row, step_of
from rulesets.gurps_4e.moving_events import after_moving
from rulesets.gurps_4e.riding import is_mounted

RETREATED = "retreated"
DO_NOTHING = "do_nothing"
WITHOUT_MOVEMENT = (DO_NOTHING, "change_posture", "wait")
TURNS = (0, *(side * off for off in range(15, 181, 15) for side in (1, -1)))
"""Directions off the straight way back that are looked at where something is in the way."""


def has_retreated_from(table: Table, who: CombatantId, attacker: CombatantId) -> bool:
    """Whether a retreat of this turn counts against this attacker. Clause: GU-370."""
    return any(one.against == attacker for one in table.effects(who, RETREATED))


def why_not_retreat(table: Table, who: CombatantId, blow: Blow) -> Iterator[Reason]:
    """Every reason why he cannot step away from this attack, or go on with a retreat from this attacker.

    Clauses: GU-370, GU-950, GU-1040.
    """
    reason = table.rules.reason
    if blow.is_ranged:
        yield reason("retreat_not_allowed", "GU-370")
    yield from _why_barred(table, who, "GU-370")
    if has_retreated_from(table, who, blow.attacker):
        return
    if table.has(who, RETREATED):
        yield reason("retreat_already_used", "GU-370")
    elif not _has_room(table, who, blow.attacker):
        yield reason("no_room_to_retreat", "GU-370")


def why_not_drop(table: Table, who: CombatantId, blow: Blow) -> Iterator[Reason]:
    """Every reason why he cannot throw himself down: only from a shot or throw, from standing or crouching, and where
    he could retreat. Clause: GU-380.
    """
    reason = table.rules.reason
    if not blow.is_ranged:
        yield reason("option_not_for_melee", "GU-380")
    elif posture_of(table, who) not in (STANDING, CROUCHING):
        yield reason("retreat_not_allowed", "GU-380")
    yield from _why_barred(table, who, "GU-380")
    if table.has(who, RETREATED):
        yield reason("retreat_already_used", "GU-380")


def _why_barred(table: Table, who: CombatantId, clause: str) -> Iterator[Reason]:
    """What of his own keeps him from any retreat. Clauses: GU-370, GU-950, GU-1040."""
    reason = table.rules.reason
    kept = is_stunned(table, who) or is_mounted(table, who) or table.has(who, "grappled", "bound", "sprinting")
    if kept or not posture_row(table, posture_of(table, who)).retreat or _may_not_move(table, who):
        yield reason("retreat_not_allowed", clause)
    if table.has(who, "moved_and_attacked"):
        yield reason("retreat_not_allowed", "GU-950")


def _may_not_move(table: Table, who: CombatantId) -> bool:
    """Whether, by option, his maneuver allows no movement; who had no slot yet is doing nothing. Clause: GU-370."""
    if not table.flag("no_movement_bars_retreat"):
        return False
    maneuver = last_maneuver(table, who)
    return (DO_NOTHING if maneuver is None else maneuver.word) in WITHOUT_MOVEMENT


def _has_room(table: Table, who: CombatantId, attacker: CombatantId) -> bool:
    return step_of(table, who) > 0 and (not table.has_map or _landing(table, who, attacker) is not None)


def _landing(table: Table, who: CombatantId, attacker: CombatantId) -> Place | None:
    """A free place a step away that is farther from the attacker, straight back if it can be. Clause: GU-370."""
    back = table.space.bearing(attacker, who)
    near = table.space.distance(who, attacker)
    if isinstance(back, Unknown) or isinstance(near, Unknown):
        return None
    length = step_of(table, who) * YARD
    for off in TURNS:
        found = table.space.push(who, (back + off) % 360, length)
        if isinstance(found, Unknown) or found.where is None or found.blocked_by is not None or found.over is not None:
            continue
        far = table.space.after({who: found.where}).distance(who, attacker)
        if not isinstance(far, Unknown) and far > near:
            return found.where
    return None


def retreat(scene: Scene, who: CombatantId, attacker: CombatantId) -> None:
    """Step away; one who has retreated from the same attacker already goes no further. Clause: GU-370."""
    if scene.has(who, RETREATED):
        return
    far = scene.space.distance(who, attacker)
    step = step_of(scene, who) * YARD
    distances = {} if scene.has_map or isinstance(far, Unknown) else {attacker: far + step}
    place = _landing(scene, who, attacker) if scene.has_map else None
    scene.begin(who, RETREATED, against=attacker)
    scene.emit(Moved(who, step, place=place, forced=True, distances=distances, clause=ClauseId("GU-370")))
    after_moving(scene, who)


def throw_oneself_down(scene: Scene, who: CombatantId, attacker: CombatantId) -> None:
    """He lies prone, which is the retreat of this turn. Clause: GU-380."""
    scene.begin(who, RETREATED, against=attacker, clause="GU-380")
    take_posture(scene, who, PRONE, "GU-380")
