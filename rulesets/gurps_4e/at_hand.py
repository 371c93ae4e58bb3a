"""The weapon meant by a submission that names none: what is in his hands and does for it. Clauses GU-600, GU-1370."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from app.engine.commands import Submission
from app.engine.ids import ItemId
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.table import Table
from rulesets.gurps_4e.attack import BODILY, FEINT, SHIELD_BASH, SHOT, STRIKE, THROW, blow_of, why_not_strike
from rulesets.gurps_4e.maneuvers import DEVICE, OPTION
from rulesets.gurps_4e.weapons import UNARMED, Weapon, held

FEIGNED = {"weapon": STRIKE, "shield": SHIELD_BASH}
"""The attack that each option of a feint feigns. Clause: GU-880."""
MODE = "mode"
Check = Callable[[Table, Submission, Action], Iterator[Reason]]


def with_weapon(table: Table, sub: Submission, action: Action) -> tuple[Submission, Action]:
    """The submission with the weapon at hand, where it names none and does not mean bare hands, nor a device.

    Of several the first that could strike the target as all stand now, else the first that could after the movement
    of the maneuver; a mode of bare hands (`punch`, `kick`) means these. Clause: GU-600.
    """
    if sub.weapon is not None or means_bare_hands(table, sub) or sub.options.get(DEVICE):
        return sub, action
    fit = sorted(_fitting(table, sub, action), key=lambda entry: _rank(sub, *entry))
    armed = [replace(sub, weapon=key) for key, _ in fit]
    aimed = bool(sub.targets) and table.known(sub.targets[0])
    able = next((one for one in armed if aimed and _can_strike(table, one)), None)
    if able is not None:
        return able, action
    if len(armed) > 1 and aimed:
        able = next((one for one in armed if not _lasting(table, action.check(table, one, action))), None)
    return able or (armed[0] if armed else sub), _or_bare_hands(sub, action)


def means_bare_hands(table: Table, sub: Submission) -> bool:
    """Whether it is done with the body alone. Clauses: GU-2200 to GU-2230."""
    return sub.options.get("form") in BODILY or sub.options.get(MODE) in _bare(table).modes


def form_of(sub: Submission) -> object:
    """The form of attack that it names, or that its option feigns. Clauses: GU-600, GU-880."""
    return FEIGNED.get(str(sub.options.get(OPTION))) if sub.action == FEINT else sub.options.get("form")


def _bare(table: Table) -> Weapon:
    bare: Weapon = table.rules.weapons[UNARMED]
    return bare


def _rank(sub: Submission, key: ItemId, weapon: Weapon) -> tuple[bool, bool, bool]:
    """A shield comes after any weapon, one that strikes no blow after one that does."""
    return weapon.is_shield, weapon.is_shield and not weapon.modes, key == sub.second_weapon


def _fitting(table: Table, sub: Submission, action: Action) -> Iterator[tuple[ItemId, Weapon]]:
    """What he holds that the action is done with, and that the named form can be done with."""
    form, mode = form_of(sub), sub.options.get(MODE)
    for key, _, weapon in held(table, sub.actor):
        if not table.rules.fits(table, sub.actor, key, action):
            continue
        if (form == SHIELD_BASH and not weapon.is_shield) or (form == SHOT and not weapon.is_ranged):
            continue
        if sub.action == FEINT and form == STRIKE and weapon.is_shield:
            continue
        if (form == THROW and weapon.throw is None) or (
            mode is not None and mode not in weapon.modes and form != THROW
        ):
            continue
        yield key, weapon


def _can_strike(table: Table, armed: Submission) -> bool:
    return not any(True for _ in why_not_strike(table, blow_of(table, armed, armed.action, "")))


def _lasting(table: Table, reasons: Iterator[Reason]) -> bool:
    """Whether something stands against it that nothing filled in would take away."""
    return any(not table.rules.can_fill_in(reason) for reason in reasons)


# Bare hands instead


def _or_bare_hands(plain: Submission, action: Action) -> Action:
    """The action with what it is done with left open: where the weapon at hand is no good and hands or feet would be,
    only the mode is missing. Clauses: GU-600, GU-2200.
    """
    if (
        "melee" not in action.weapons.kinds
        or plain.options.get(MODE) is not None
        or form_of(plain) not in (None, STRIKE)
    ):
        return action
    check, chance = action.check, action.chance

    def judged(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        found = tuple(check(table, sub, action))
        modes = _bare_modes(table, plain, action, check) if _lasting(table, iter(found)) else ()
        for reason in found:
            if modes and not table.rules.can_fill_in(reason):
                yield replace(reason, at=f"/options/{MODE}", names=modes, to_fill_in=True)
            else:
                yield reason

    def chance_of_it(table: Table, sub: Submission, action: Action) -> int | None:
        return None if chance is None or _lasting(table, check(table, sub, action)) else chance(table, sub, action)

    return replace(action, check=judged, chance=chance_of_it)


def _bare_modes(table: Table, plain: Submission, action: Action, check: Check) -> tuple[str, ...]:
    """How he could strike with hand or foot: nothing stands against it but what is still to be filled in."""
    barehanded = {mode: replace(plain, options={**plain.options, MODE: mode}) for mode in _bare(table).modes}
    return tuple(mode for mode, one in barehanded.items() if not _lasting(table, check(table, one, action)))
