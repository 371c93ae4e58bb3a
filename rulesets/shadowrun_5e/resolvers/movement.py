"""Walking, running, sprinting. Clauses SR-550 to SR-575."""

from collections.abc import Iterator
from functools import partial

from app.engine.commands import Submission
from app.engine.ids import CombatantId, Length
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.state import Tick
from app.engine.table import Table
from rulesets.shadowrun_5e.attack import why_no_push
from rulesets.shadowrun_5e.checks import FIELD, action_terms, pool_terms, take_test
from rulesets.shadowrun_5e.figures import METRE, PRONE, RUNNING, metatype_row, physical_limit
from rulesets.shadowrun_5e.free_actions import free_or_simple
from rulesets.shadowrun_5e.harm import CONSEQUENCES
from rulesets.shadowrun_5e.moving import WalkParams, metres_left, move, why_not_go
from rulesets.shadowrun_5e.resolvers.plain import NoParams


def check_walk(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """As far as is left of the Combat Turn's metres. Clauses: SR-550, SR-590."""
    yield from why_not_go(table, sub, action.params)


def walk(scene: Scene, sub: Submission, action: Action) -> None:
    """He goes there, walking or running as he does. Clauses: SR-555, SR-560."""
    move(scene, sub, action.id, "SR-560" if scene.has(sub.actor, RUNNING) else "SR-555")


def check_run(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Once a Combat Turn, and not lying. Clauses: SR-560, SR-575."""
    if table.has(sub.actor, RUNNING):
        yield table.rules.reason("already_running", "SR-560")
    if table.has(sub.actor, PRONE):
        yield table.rules.reason("prone", "SR-560")


def run(scene: Scene, sub: Submission, action: Action) -> None:
    """He runs until the Combat Turn is over, or for this phase where the table plays it so. Clauses: SR-560, SR-575."""
    scene.later(CONSEQUENCES, partial(start_running, scene, sub.actor))


def start_running(scene: Scene, who: CombatantId) -> None:
    """The state begins. Clauses: SR-570, SR-575."""
    if scene.has(who, RUNNING):
        return
    short = scene.option("running_state_duration") == "action_phase"
    scene.begin(who, RUNNING, until=((Tick("phase_end", who),),) if short else None)


def check_sprint(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Not lying; after a run where the table asks for one. Clause: SR-565."""
    if table.has(sub.actor, PRONE):
        yield table.rules.reason("prone", "SR-565")
    if table.flag("sprint_requires_run") and not table.has(sub.actor, RUNNING):
        yield table.rules.reason("not_running", "SR-565")
    yield from why_no_push(table, sub)


def sprint(scene: Scene, sub: Submission, action: Action) -> None:
    """Strength and running: each hit is so many metres more, and he runs. Clause: SR-565."""
    who = sub.actor
    terms = (*pool_terms(scene, who, "strength", "running"), *action_terms(scene, who, sprint=True))
    done = take_test(
        scene,
        who,
        "running",
        "sprint",
        terms,
        clause="SR-565",
        limit=physical_limit(scene.who(who)),
        push=sub.options.get(FIELD) is True,
    )
    metres = done.hits * metatype_row(scene, who).sprint * METRE
    scene.later(CONSEQUENCES, partial(_sprinted, scene, who, metres))


def _sprinted(scene: Scene, who: CombatantId, metres: int) -> None:
    scene.begin(who, "sprinted", value=metres)
    start_running(scene, who)


def how_far(table: Table, sub: Submission, action: Action) -> Length:
    """The metres that the Combat Turn leaves him. Clauses: SR-550, SR-590."""
    return metres_left(table, sub.actor, action.params)


WALK = Resolver(WalkParams, check_walk, walk, extent=how_far)
RUN = Resolver(NoParams, check_run, run, type_for=free_or_simple)
SPRINT = Resolver(NoParams, check_sprint, sprint)
