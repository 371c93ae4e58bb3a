"""Sprinting: what a run of the turn before is good for. Clauses GU-540, GU-1030, GU-1040."""

from collections.abc import Iterator

from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.space.model import Place, Unknown
from app.engine.table import Table
from rulesets.gurps_4e.figures import STANDING, YARD, half_move, posture_of
from rulesets.gurps_4e.moving import AHEAD, Going

RAN = "ran_straight"


def heading_of(table: Table, going: Going) -> int | None:
    """The direction of a straight way in whole degrees; None where no map tells it."""
    if going.run is None or not going.run.points:
        return None
    found = table.space.bearing(going.run.points[0], going.run.points[-1])
    return None if isinstance(found, Unknown) else found


def is_straight(table: Table, going: Going) -> bool:
    """Whether the whole way is one straight line; without a map as stated, a way toward or from somebody is one."""
    run = going.run
    if run is None:
        return True
    if not table.has_map and (going.toward is not None or going.away is not None):
        return True
    straight = run.straight_end
    return not isinstance(straight, Unknown) and straight >= run.length


def why_not_sprint(table: Table, going: Going) -> Iterator[Reason]:
    """A run-up in the turn before, along the same line, standing. Clause: GU-1030."""
    if not going.sprint:
        return
    reason = table.rules.reason
    if posture_of(table, going.who) != STANDING:
        yield reason("cannot_sprint_crouched", "GU-1030", at="/options/sprint")
    run_up = table.effect(going.who, RAN)
    if run_up is None:
        yield reason("sprint_needs_run_up", "GU-1030", at="/options/sprint")
    if not is_straight(table, going) or (run_up is not None and _turns_off(table, going, run_up.value)):
        yield reason("path_not_straight", "GU-1030", at="/path" if table.has_map else "/said/path_straight")


def _turns_off(table: Table, going: Going, line: int) -> bool:
    heading = heading_of(table, going)
    return heading is not None and line >= 0 and abs((heading - line + 180) % 360 - 180) > AHEAD // 2


def keep_run(scene: Scene, going: Going, started: Place | None) -> None:
    """A straight run of at least half the Move makes a sprint possible in the next turn. Clause: GU-1030."""
    far_enough = going.length >= half_move(scene, going.who) * YARD
    if far_enough and is_straight(scene, going) and posture_of(scene, going.who) == STANDING:
        heading = heading_of(scene, going)
        scene.begin(going.who, RAN, value=-1 if heading is None else heading)
    else:
        scene.end(going.who, RAN, why="other_maneuver", clause="GU-1030")
