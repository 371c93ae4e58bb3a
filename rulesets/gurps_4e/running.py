"""Sprinting: what a run of the turn before is good for. Clauses GU-540, GU-590, GU-1030, GU-1040."""

from collections.abc import Iterator

from app.engine.ids import Length
from app.engine.reasons import Reason
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import counts_now
from rulesets.gurps_4e.figures import CROUCHING, STANDING, YARD, half_move, posture_of
from rulesets.gurps_4e.going import Going
from rulesets.gurps_4e.headings import heading_of, is_off, is_straight

RAN, SPRINTING = "ran_straight", "sprinting"
NO_LINE = -1
"""The line of a run where no map tells its direction."""


def why_not_sprint(table: Table, going: Going) -> Iterator[Reason]:
    """A run-up in the turn before, along the same line, standing. Clauses: GU-540, GU-1030."""
    if not going.sprint:
        return
    reason, posture = table.rules.reason, posture_of(table, going.who)
    if posture != STANDING:
        clause = "GU-540" if posture == CROUCHING else "GU-1030"
        yield reason("cannot_sprint_crouched", clause, at="/options/sprint")
    run_up = table.effect(going.who, RAN)
    if run_up is None or not counts_now(table, run_up):
        yield reason("sprint_needs_run_up", "GU-1030", at="/options/sprint")
    if not is_straight(going) or (run_up is not None and _turns_off(table, going, run_up.value)):
        yield reason("path_not_straight", "GU-1030", at="/path" if table.has_map else "/said/path_straight")


def _turns_off(table: Table, going: Going, line: int) -> bool:
    heading = heading_of(table, going)
    return heading is not None and line != NO_LINE and is_off(heading, line)


def keep_run(scene: Scene, going: Going, gone: Length, *, forward: bool) -> None:
    """A straight run forward of at least half the Move makes a sprint possible in the next turn. Clause: GU-1030."""
    far_enough = gone >= half_move(scene, going.who) * YARD > 0
    if far_enough and forward and is_straight(going) and posture_of(scene, going.who) == STANDING:
        heading = heading_of(scene, going)
        scene.begin(going.who, RAN, value=NO_LINE if heading is None else heading)
    else:
        scene.end(going.who, RAN, why="other_maneuver", clause="GU-1030")
