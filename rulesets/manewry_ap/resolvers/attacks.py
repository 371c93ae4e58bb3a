"""Every attack: the basic ones, grab and tighten, double, two-handed, leap and charge. Clauses MA-200 to MA-580."""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.ids import ActionId
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.manewry_ap.attack import (
    CHARGE,
    COMBINE,
    DOUBLE,
    TWO_HANDED,
    Attack,
    AttackParams,
    attack_of,
    manoeuvres_of,
    why_not_attack,
)
from rulesets.manewry_ap.charging import Charge
from rulesets.manewry_ap.hiding import met
from rulesets.manewry_ap.moving import Stop, advance_along, moves_openly
from rulesets.manewry_ap.pricing import declared, priced
from rulesets.manewry_ap.reach import unseen_by
from rulesets.manewry_ap.striking import foreseen, strike
from rulesets.manewry_ap.weapons import LEAP


def becomes(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """A double or two-handed attack with a leap or a charge in it is that one, doubled; and everything has its price.

    Clauses: MA-500, MA-520, MA-560.
    """
    several = manoeuvres_of(sub, action)
    inner = several & {LEAP, CHARGE}
    if action.id in (DOUBLE, TWO_HANDED) and len(inner) == 1:
        other = table.rules.actions.get(ActionId(min(inner)))
        if other is not None:
            combined = tuple(sorted(several - inner))
            sub = replace(sub, action=other.id, type=other.default_type, options={**sub.options, COMBINE: combined})
            action = other
    return priced(sub, action, declared(table, sub, action))


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against it. Clauses: MA-200 to MA-580."""
    yield from why_not_attack(table, sub, action)


def resolve(scene: Scene, sub: Submission, action: Action) -> None:
    """Run up if it is a charge, then strike. A hold to tighten or a line to charge along that a ruling has ended comes
    to nothing.

    Clauses: MA-060, MA-540, MA-750.
    """
    attack = attack_of(scene, sub, action, whole=True)
    if attack.target not in scene.state.combatants:
        return
    if attack.charge is not None:
        _run_up(scene, attack, attack.charge)
    with scene.within(attack.target):
        strike(scene, attack)


def _run_up(scene: Scene, attack: Attack, charge: Charge) -> None:
    """As far as the first enemy on the line, who may be one that he did not see. Clauses: MA-540, MA-550, MA-750."""
    who, target = attack.attacker, attack.target
    unseen = target in unseen_by(scene, who)
    moves_openly(scene, who)
    if charge.run is not None and charge.units:
        advance_along(scene, who, charge.run, Stop(charge.run.walked), ActionId(CHARGE), "MA-540")
    if unseen:
        met(scene, target)


def chance(table: Table, sub: Submission, action: Action) -> int | None:
    """The chance of its first test against that target. Clauses: MA-100, MA-220."""
    sub, action = becomes(table, sub, action)
    return foreseen(table, attack_of(table, sub, action))


ATTACK = Resolver(AttackParams, check, resolve, becomes=becomes, chance=chance)
