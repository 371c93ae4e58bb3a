"""Concentrate: one mental task, for a second or several in a row. Clauses GU-1200 to GU-1240."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.conditions import CONCENTRATING
from rulesets.gurps_4e.extents import extent
from rulesets.gurps_4e.moving import MovementParams, go_after, go_before, going_of, when_acting, why_not_go
from rulesets.gurps_4e.tasks import task_of, why_not_task, work_on


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against the step, the task and its roll. Clauses: GU-240, GU-290, GU-1200, GU-1240."""
    going = going_of(table, sub, action, action.params)
    yield from why_not_go(table, going)
    then = when_acting(table, going)
    yield from why_not_task(then, sub.actor, task_of(then, sub, CONCENTRATING), CONCENTRATING, "GU-1200")


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """One second more of the task; what it comes to is seen at the end of the slot. Clauses: GU-1210, GU-1240."""
    going = going_of(scene, sub, action, action.params)
    if not go_before(scene, going):
        return
    work_on(scene, sub.actor, task_of(scene, sub, CONCENTRATING), CONCENTRATING)
    go_after(scene, going)


CONCENTRATE = Resolver(MovementParams, check, resolve, extent=extent)
