"""Stepping away from an attack, and throwing oneself down. Clauses GU-370, GU-380, GU-950, GU-1040."""

from collections.abc import Iterator

from app.engine.events import Moved
from app.engine.ids import ClauseId, CombatantId
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.table import Table
from rulesets.gurps_4e.attack import Blow
from rulesets.gurps_4e.conditions import is_stunned, last_maneuver, take_posture
from rulesets.gurps_4e.figures import PRONE, YARD, posture_of, posture_row, step_of
from rulesets.gurps_4e.moving_events import after_moving

WITHOUT_MOVEMENT = ("do_nothing", "change_posture", "wait")
STRAIGHT = (0, 15, -15, 30, -30, 45, -45, 60, -60, 75, -75)
"""Directions off the straight way back that are looked at where something is in the way."""


def why_not_retreat(table: Table, who: CombatantId, blow: Blow, clause: str = "GU-370") -> Iterator[Reason]:
    """Every reason why he cannot step away. Clauses: GU-370, GU-380, GU-790, GU-950, GU-1040."""
    reason = table.rules.reason
    barred = (
        not posture_row(table, posture_of(table, who)).retreat
        or is_stunned(table, who)
        or table.has(who, "grappled", "bound", "sprinting")
    )
    if barred:
        yield reason("retreat_not_allowed", clause)
    if table.has(who, "moved_and_attacked"):
        yield reason("retreat_not_allowed", "GU-950")
    maneuver = last_maneuver(table, who)
    if table.flag("no_movement_bars_retreat") and maneuver is not None and maneuver.word in WITHOUT_MOVEMENT:
        yield reason("retreat_not_allowed", clause)
    used = table.effect(who, "retreated")
    if used is not None and (used.against != blow.attacker or clause == "GU-380"):
        yield reason("retreat_already_used", clause)
    elif used is None and not barred and clause != "GU-380" and not _has_room(table, who, blow.attacker):
        yield reason("no_room_to_retreat", clause)


def _has_room(table: Table, who: CombatantId, attacker: CombatantId) -> bool:
    return step_of(table, who) > 0 and (not table.has_map or _landing(table, who, attacker) is not None)


def _landing(table: Table, who: CombatantId, attacker: CombatantId):  # type: ignore[no-untyped-def]
    """A free place a step away from the attacker, straight back if it can be."""
    back = table.space.bearing(attacker, who)
    if isinstance(back, Unknown):
        return None
    length = step_of(table, who) * YARD
    for off in STRAIGHT:
        found = table.space.push(who, (back + off) % 360, length)
        if isinstance(found, Unknown) or found.where is None or found.blocked_by is not None or found.over is not None:
            continue
        return found.where
    return None


def retreat(scene: Scene, who: CombatantId, blow: Blow) -> bool:
    """Step away, or go on with a retreat from the same attacker. Tells whether its bonus counts. Clause: GU-370."""
    if scene.has(who, "retreated"):
        return True
    scene.begin(who, "retreated", against=blow.attacker)
    far = scene.space.distance(who, blow.attacker)
    step = step_of(scene, who) * YARD
    distances = {} if scene.has_map or isinstance(far, Unknown) else {blow.attacker: far + step}
    place = _landing(scene, who, blow.attacker) if scene.has_map else None
    scene.emit(Moved(who, step, place=place, forced=True, distances=distances, clause=ClauseId("GU-370")))
    after_moving(scene, who)
    return True


def throw_oneself_down(scene: Scene, who: CombatantId, blow: Blow) -> None:
    """He lies prone, which is the retreat of this turn. Clause: GU-380."""
    scene.begin(who, "retreated", against=blow.attacker, clause="GU-380")
    take_posture(scene, who, PRONE, "GU-380")
