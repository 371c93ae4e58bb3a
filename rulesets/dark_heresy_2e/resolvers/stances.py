"""Defensive Stance and Guarded Action. Clauses DH-3550 to DH-3580, DH-4100, DH-4110."""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.state import Tick
from app.engine.table import Table
from rulesets.dark_heresy_2e.evasion import BONUS_REACTION
from rulesets.dark_heresy_2e.resolvers.preparing import NoParams, no_more_reasons
from rulesets.dark_heresy_2e.turns import FREE, LATE

AT_THE_NEXT_ROUND = ((Tick("round_start"),),)


class StanceParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many more reactions the stance gives. Clause: DH-3560."""

    reactions: int


def defensive_stance(scene: Scene, sub: Submission, action: Action) -> None:
    """On the defensive until the own next turn, or by house rule the next round, with another Evasion in hand.

    Clauses: DH-3550, DH-3560, DH-3570.
    """
    params: StanceParams = action.params
    until = AT_THE_NEXT_ROUND if scene.option("defensive_stance_expires") == "round" else None
    scene.begin(sub.actor, "defensive_stance", until=until)
    scene.set_budget(sub.actor, BONUS_REACTION, params.reactions, "DH-3560")


def check_guarded(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Only as the first action of a turn; free ones before it do not matter, a Delay does. Clause: DH-4100."""
    slot = table.state.clock.slot
    if slot is None or slot.owner != sub.actor:
        return
    acted = any(done.form != FREE for done in table.who(sub.actor).done)
    if acted or slot.kind == LATE:
        yield table.rules.reason("must_be_first_action", "DH-4100")


def guarded_action(scene: Scene, sub: Submission, action: Action) -> None:
    """Attacks of this turn are harder, Evasion easier until the next. Clauses: DH-4100, DH-4110."""
    scene.begin(sub.actor, "guarded_attack", clause="DH-4110")
    scene.begin(sub.actor, "guarded")


DEFENSIVE_STANCE = Resolver(StanceParams, no_more_reasons, defensive_stance)
GUARDED_ACTION = Resolver(NoParams, check_guarded, guarded_action)
