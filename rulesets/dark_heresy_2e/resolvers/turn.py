"""Delay, free actions, the end of a turn. Clauses DH-1040, DH-1050, DH-1200, DH-3250 to DH-3300, DH-5710."""

from collections.abc import Iterator

from app.engine.actions import type_of
from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e.permission import free_action_allowed
from rulesets.dark_heresy_2e.resolvers.grapple import check_release, release
from rulesets.dark_heresy_2e.resolvers.preparing import NoParams, no_more_reasons
from rulesets.dark_heresy_2e.zones import turn_to


def check_delay(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """A full action, or by option a half one. Clause: DH-3250."""
    allowed = table.option("delay_cost")
    if type_of(sub, action) != allowed:
        yield table.rules.reason("wrong_action_type", "DH-3250", at="/type", names=(str(allowed),))


def delay_type(table: Table, sub: Submission, action: Action) -> str:
    """The action that delaying takes at this table. Clause: DH-3250."""
    return str(table.option("delay_cost"))


def delay(scene: Scene, sub: Submission, action: Action) -> None:
    """One half action is banked until the start of his next turn; the turn is over. Clauses: DH-3250, DH-3290."""
    scene.begin(sub.actor, "delaying", value=1)


def check_free(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Letting go of somebody takes somebody whom he holds; to turn is for his own turn. Clauses: DH-3548, DH-5710."""
    if sub.facing is not None and not table.is_turn_of(sub.actor):
        yield table.rules.reason("not_your_turn", "DH-1190", at="/facing")
    yield from check_release(table, sub)


def free_action(scene: Scene, sub: Submission, action: Action) -> None:
    """That it was done is all there is to tell, unless he lets go of somebody or turns.

    Clauses: DH-1040, DH-3548, DH-5710.
    """
    release(scene, sub)
    turn_to(scene, sub.actor, sub.facing)


def nothing(scene: Scene, sub: Submission, action: Action) -> None:
    """That it was done is all there is to tell."""


DELAY = Resolver(NoParams, check_delay, delay, type_for=delay_type)
FREE_ACTION = Resolver(NoParams, check_free, free_action, before=free_action_allowed)
END_TURN = Resolver(NoParams, no_more_reasons, nothing)
