"""Feint, and what somebody names to resist feints with. Clauses GU-800 to GU-890."""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.at_hand import FEIGNED, with_weapon
from rulesets.gurps_4e.attack import FEINT as FEINT_ID
from rulesets.gurps_4e.attack import Blow, blow_of, why_not_options
from rulesets.gurps_4e.checks import chance, total_of
from rulesets.gurps_4e.closing import with_a_way
from rulesets.gurps_4e.extents import extent
from rulesets.gurps_4e.feinting import (
    RESISTING,
    contest_of_feint,
    feint_terms,
    keep_feint,
    resistances,
    why_not_feint,
)
from rulesets.gurps_4e.maneuvers import OPTION, spend_records
from rulesets.gurps_4e.moving import MovementParams, go_after, go_before, going_of, when_acting, why_not_go
from rulesets.gurps_4e.remainder import resumed
from rulesets.gurps_4e.resolvers.plain import NoParams


def feint_blow(table: Table, sub: Submission) -> Blow:
    """The attack that is feigned: with weapon or shield, as named or as the item is. Clauses: GU-800, GU-880."""
    named = FEIGNED.get(str(sub.options.get(OPTION) or ""))
    options = sub.options if named is None else {**sub.options, "form": named}
    return blow_of(table, replace(sub, options=options), FEINT_ID)


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason why he cannot feint so. Clauses: GU-800, GU-840, GU-880, GU-890."""
    going, blow = going_of(table, sub, action, action.params), feint_blow(table, sub)
    yield from why_not_go(table, going)
    yield from why_not_options(table, sub, blow)
    found = why_not_feint(when_acting(table, going), blow)
    yield from with_a_way(table, sub, going, blow, found, lambda then, one: check(then, one, action))


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """The step, the contest, the record for the next turn. Clauses: GU-810 to GU-850, GU-890, GU-1950."""
    going = going_of(scene, sub, action, action.params)
    if not go_before(scene, going):
        return
    whole = resumed(scene, sub, action, lambda one: tuple(why_not_feint(scene, feint_blow(scene, one))))
    if whole is None:
        return
    blow = feint_blow(scene, whole)
    with scene.within("feint"):
        won = contest_of_feint(scene, blow)
    spend_records(scene, sub.actor, blow.target, feints=False)
    keep_feint(scene, sub.actor, blow.target, won)
    go_after(scene, going)


def feint_chance(table: Table, sub: Submission, action: Action) -> int | None:
    """Chance in millionths that his own roll succeeds from where he then stands. Clause: GU-820."""
    if not sub.targets:
        return None
    going = going_of(table, sub, action, action.params)
    return chance(total_of(feint_terms(when_acting(table, going), feint_blow(table, sub))))


def _could_resist(table: Table, who: CombatantId) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.skill for one in resistances(table, who)))


def check_resist(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """One of what he could roll now. Clause: GU-830."""
    named = sub.options.get("skill")
    open_to_him = _could_resist(table, sub.actor)
    if named is not None and named not in open_to_him:
        yield table.rules.reason("invalid_option_value", "GU-830", at="/options/skill", names=open_to_him)


def resist(scene: Scene, sub: Submission, action: Action) -> None:
    """He resists with that from now on, or with the best again. Clause: GU-830."""
    scene.end(sub.actor, RESISTING, why="replaced", clause="GU-830")
    named = sub.options.get("skill")
    if named is not None:
        scene.begin(sub.actor, RESISTING, word=str(named))


FEINT = Resolver(MovementParams, check, resolve, becomes=with_weapon, chance=feint_chance, extent=extent)
RESIST_FEINTS = Resolver(NoParams, check_resist, resist)
