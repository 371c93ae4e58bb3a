"""Feint. Clauses GU-800 to GU-890."""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import FEINT as FEINT_ID
from rulesets.gurps_4e.attack import blow_of
from rulesets.gurps_4e.checks import chance, total_of
from rulesets.gurps_4e.feinting import contest_of_feint, keep_feint, why_not_feint
from rulesets.gurps_4e.maneuvers import spend_records
from rulesets.gurps_4e.moving import MovementParams, go_after, go_before, going_of, when_acting, why_not_go
from rulesets.gurps_4e.remainder import resumed


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why he cannot feint so. Clauses: GU-800, GU-840, GU-880."""
    going = going_of(table, sub, action, action.params)
    yield from why_not_go(table, going)
    yield from why_not_feint(when_acting(table, going), sub, blow_of(table, sub, FEINT_ID))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The step, the contest, the record for the next turn. Clauses: GU-810 to GU-850, GU-890, GU-1950."""
    going = going_of(scene, sub, action, action.params)
    if not go_before(scene, going):
        return
    whole = resumed(scene, sub, action, lambda one: tuple(why_not_feint(scene, one, blow_of(scene, one, FEINT_ID))))
    if whole is None:
        return
    blow = blow_of(scene, whole, FEINT_ID)
    with scene.within("feint"):
        won = contest_of_feint(scene, blow)
    spend_records(scene, sub.actor, blow.target, feints=False)
    keep_feint(scene, sub.actor, blow.target, won)
    go_after(scene, going)


def feint_chance(table: Table, sub: Submission, action: Action) -> int | None:
    """Chance in millionths that his own roll succeeds. Clause: GU-820."""
    from rulesets.gurps_4e.attack import skill_of
    from rulesets.gurps_4e.checks import base_terms

    blow = blow_of(table, sub, FEINT_ID)
    return chance(total_of(base_terms(table, sub.actor, skill_of(table, blow))))


FEINT = Resolver(MovementParams, check, resolve, chance=feint_chance)
