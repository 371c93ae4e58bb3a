"""Every reason against an attack.

Clauses WH-160, WH-200 to WH-220, WH-290, WH-400, WH-510, WH-640 to WH-660, WH-980.
"""

from collections.abc import Iterator

from app.engine.commands import Submission
from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.space.model import Place, Unknown
from app.engine.table import Table
from rulesets.wh40k_d100.attack import THERE, Attack, band_to, fails_by_itself
from rulesets.wh40k_d100.calling import why_not_called
from rulesets.wh40k_d100.figures import has_many_arms, pairs_of, tables_of, whole_option
from rulesets.wh40k_d100.reach import (
    BEYOND,
    is_engaged,
    is_within_melee,
    stated_band,
)
from rulesets.wh40k_d100.tags import why_not_given
from rulesets.wh40k_d100.view import hidden_from, is_unseen
from rulesets.wh40k_d100.weapons import (
    MAIN,
    OFF,
    Weapon,
    ammo,
    is_ready,
    range_of,
    usable_arm,
)

_PLACES_AIMED_AT = ("area", "path", "facing")
"""Inputs that name a place or a direction where there is no target to aim at. Clause: WH-980."""


def why_not_attack(table: Table, attack: Attack, sub: Submission) -> Iterator[Reason]:
    """Every reason against this attack now."""
    hidden = set(hidden_from(table, attack.attacker))
    target = None if attack.target is None or attack.target in hidden else attack.target
    if target is None and attack.target is not None:
        place = sub.targets.index(attack.target)
        yield table.rules.reason("no_such_target", at=f"/targets/{place}", names=(attack.target,))
    yield from why_not_this_pair(table, attack)
    yield from why_not_wield(table, attack)
    yield from _why_not_so(table, attack, sub)
    yield from _why_not_claimed(table, attack, target)
    yield from why_not_given(table, attack.given, attack.attacker, target, melee=attack.is_melee)
    if attack.called is not None:
        yield from why_not_called(table, attack.called, target, attack.weapon)
    elif sub.location is not None or sub.options.get("side") is not None or sub.options.get("arm_pair") is not None:
        yield table.rules.reason("missing_input", "WH-300", at="/options/called", names=("called",))
    for at in _PLACES_AIMED_AT if sub.targets and attack.params.mode == "area" else ():
        if getattr(sub, at) not in (None, ()):
            yield table.rules.reason("unused_input", at=f"/{at}", names=(at,))
    if target is not None or attack.place is not None or attack.weapon.is_spray:
        yield from why_not_at(table, attack, target)


def why_not_this_pair(table: Table, attack: Attack) -> Iterator[Reason]:
    """The pair of arms that would attack is one that he has, and has not attacked yet. Clause: WH-640."""
    body, reason = table.who(attack.attacker), table.rules.reason
    pairs, named = pairs_of(body), max(attack.pair, attack.named_pair or 1)
    if named > pairs:
        yield reason("no_such_pair", "WH-640", at="/options/pair", need=pairs, got=named)
    elif has_many_arms(body):
        used = sum(effect.value == attack.pair for effect in table.effects(attack.attacker, "pair_attacked"))
        if used >= whole_option(table, "attack_actions_per_turn"):
            yield reason("pair_already_attacked", "WH-640", at="/options/pair", names=(str(attack.pair),))


def why_not_wield(table: Table, attack: Attack) -> Iterator[Reason]:
    """The weapon is ready, in the pair of arms that is named; bare hands where one is free. Clause: WH-200."""
    who = attack.attacker
    ready = is_ready(table, who, attack.item)
    if attack.item is None and not attack.weapon.is_melee:
        ready = False
    if attack.item is None and attack.pair <= pairs_of(table.who(who)):
        ready = ready and any(usable_arm(table, who, hand, attack.pair) for hand in (MAIN, OFF))
    # A weapon that another pair of arms holds is not ready in the pair that is named.
    ready = ready and (attack.weapon.natural or attack.named_pair in (None, attack.pair))
    if not ready:
        yield table.rules.reason("weapon_not_ready", "WH-200", at="/weapon")


def _why_not_so(table: Table, attack: Attack, sub: Submission) -> Iterator[Reason]:
    """What the weapon cannot do: be used that way, fire in that mode, or without rounds. Clauses: WH-210, WH-290."""
    reason, weapon, mode = table.rules.reason, attack.weapon, attack.params.mode
    if sub.options.get("use") == "melee" and not weapon.is_melee:
        yield reason("melee_weapon_required", "WH-210", at="/weapon")
        return
    wants_fire = sub.options.get("use") == "ranged" or mode in ("semi", "full", "area")
    if weapon.is_melee:
        if wants_fire:
            yield reason("fire_mode_not_available", "WH-290", at="/weapon")
        return
    if not weapon.rounds_in(mode):
        yield reason("fire_mode_not_available", "WH-290", at="/weapon")
    if attack.item is None or not table.flag("track_ammo") or not (weapon.clip or weapon.is_thrown):
        return
    need, left = max(1, weapon.rounds_in(mode)), ammo(table, attack.attacker, attack.item)
    if left < need:
        yield reason("not_enough_ammo", "WH-290", at="/weapon", need=need, got=left)


def _why_not_claimed(table: Table, attack: Attack, target: CombatantId | None) -> Iterator[Reason]:
    """A claim that what is known contradicts, and a die for a test that fails without one. Clauses: WH-160, WH-400."""
    if attack.brings_roll and (fails_by_itself(table, attack) or not attack.weapon.is_tested):
        yield table.rules.reason("no_roll_expected", "WH-160", at="/rolls/to_hit")
    if attack.unseen is not None and target is not None:
        found = is_unseen(table, attack.attacker, target)
        if not isinstance(found, Unknown) and found != attack.unseen:
            yield table.rules.reason("contradicting_modifiers", "WH-400", at="/options/unseen", names=("unseen",))


def why_not_at(table: Table, attack: Attack, target: CombatantId | None) -> Iterator[Reason]:
    """What stands against it where the target is: reach, melee, range, sight. Judged when the attack is resolved too.

    Clauses: WH-210, WH-220, WH-510, WH-650, WH-660.
    """
    reason, who, weapon = table.rules.reason, attack.attacker, attack.weapon
    names = () if target is None else (target,)
    if attack.is_melee:
        if target is not None and not is_within_melee(table, who, target, weapon):
            yield reason("out_of_reach", "WH-210", at="/targets/0", names=names)
        return
    if is_engaged(table, who) and not _may_shoot_engaged(table, weapon):
        yield reason("weapon_not_usable_in_melee", "WH-660", at="/weapon")
    if weapon.is_spray:
        yield from _why_not_cone(table, attack, target)
        return
    yield from _why_out_of_range(table, attack, target)
    if not _is_in_sight(table, attack, target):
        yield reason("no_line_of_sight", "WH-220", at="/targets/0" if names else "/area", names=names)


def _may_shoot_engaged(table: Table, weapon: Weapon) -> bool:
    """What may be fired in melee. Clause: WH-660."""
    match table.option("engaged_shooting"):
        case "all_weapons":
            return True
        case "forbidden":
            return weapon.is_cast
        case _:
            return weapon.kind in tables_of(table).core.pistols or weapon.is_cast


def _why_out_of_range(table: Table, attack: Attack, target: CombatantId | None) -> Iterator[Reason]:
    reason = table.rules.reason
    band = band_to(table, attack, target)
    at, names = ("/targets/0", (target,)) if target is not None else ("/area", ())
    if isinstance(band, Unknown):
        asked = at if table.has_map else ("/said/bands" if target is not None else "/said/length")
        yield reason("missing_input", at=asked, names=("range_band",))
        return
    if band == BEYOND or band not in {row.band for row in tables_of(table).range_bands}:
        yield reason("out_of_range", "WH-510", at=at, names=names)
    stated = None if target is None else stated_band(table, attack.attacker, target)
    if stated is not None and stated != band:
        yield reason("contradicting_modifiers", "WH-400", at="/said/bands", names=(stated, band))


def _is_in_sight(table: Table, attack: Attack, target: CombatantId | None) -> bool:
    space, goal = table.space, target
    if goal is None:
        if not table.has_map or attack.place is None:
            return True
        space, goal = space.after({THERE: Place(*attack.place)}), CombatantId(THERE)
    found = space.sees(attack.attacker, goal)
    return isinstance(found, Unknown) or found


def _why_not_cone(table: Table, attack: Attack, target: CombatantId | None) -> Iterator[Reason]:
    """A cone has a direction; a target named is within its reach and in sight. Clause: WH-980."""
    reason = table.rules.reason
    if target is None:
        if table.has_map and attack.facing is None and attack.place is None:
            yield reason("missing_input", at="/facing", names=("facing",))
        return
    distance = table.space.distance(attack.attacker, target)
    limit = range_of(table, attack.attacker, attack.weapon)
    if not isinstance(distance, Unknown) and distance > limit:
        yield reason("out_of_range", "WH-510", at="/targets/0", need_length=limit, got_length=distance)
    if not _is_in_sight(table, attack, target):
        yield reason("no_line_of_sight", "WH-220", at="/targets/0", names=(target,))
