"""The weapon meant by a submission that names none: what is in his hands and does for it. Clauses GU-600, GU-1370."""

from collections.abc import Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.ids import ItemId
from app.engine.rules import Action
from app.engine.table import Table
from rulesets.gurps_4e.attack import BODILY, SHIELD_BASH, SHOT, THROW, blow_of, why_not_strike
from rulesets.gurps_4e.maneuvers import DEVICE
from rulesets.gurps_4e.weapons import UNARMED, Weapon, held


def with_weapon(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """The submission with the weapon at hand, where it names none and does not mean bare hands, nor a device.

    Of several the first that could strike the target as all stand now; a mode of bare hands (`punch`, `kick`) means
    these. Clause: GU-600.
    """
    if sub.weapon is not None or means_bare_hands(table, sub) or sub.options.get(DEVICE):
        return sub, action
    fit = sorted(_fitting(table, sub, action), key=lambda entry: (entry[1].is_shield, entry[0] == sub.second_weapon))
    if not fit:
        return sub, action
    able = (key for key, _ in fit if sub.targets and table.known(sub.targets[0]) and _can_strike(table, sub, key))
    return replace(sub, weapon=next(able, fit[0][0])), action


def means_bare_hands(table: Table, sub: Submission) -> bool:
    """Whether it is done with the body alone. Clauses: GU-2200 to GU-2230."""
    bare: Weapon = table.rules.weapons[UNARMED]
    return sub.options.get("form") in BODILY or sub.options.get("mode") in bare.modes


def _fitting(table: Table, sub: Submission, action: Action) -> Iterator[tuple[ItemId, Weapon]]:
    """What he holds that the action is done with, and that the named form can be done with."""
    form, mode = sub.options.get("form"), sub.options.get("mode")
    for key, _, weapon in held(table, sub.actor):
        if not table.rules.fits(table, sub.actor, key, action):
            continue
        if (form == SHIELD_BASH and not weapon.is_shield) or (form == SHOT and not weapon.is_ranged):
            continue
        if (form == THROW and weapon.throw is None) or (
            mode is not None and mode not in weapon.modes and form != THROW
        ):
            continue
        yield key, weapon


def _can_strike(table: Table, sub: Submission, key: ItemId) -> bool:
    armed = replace(sub, weapon=key)
    return not any(True for _ in why_not_strike(table, blow_of(table, armed, sub.action, "")))
