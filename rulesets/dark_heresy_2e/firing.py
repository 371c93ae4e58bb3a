"""Firing: the round that is spent, the attack roll, the jam, and what will deal the damage.

Clauses DH-5390, DH-5410, DH-5495, DH-5630.
"""

from collections.abc import Callable, Hashable
from functools import partial

import msgspec
from msgspec.structs import replace

from app.engine.blocks.d100 import Target
from app.engine.events import Die, ItemChanged
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.space.model import Point
from app.engine.table import Table
from rulesets.dark_heresy_2e.attack import (
    TO_HIT,
    Attack,
    is_sure,
    jams_from,
    rounds_needed,
    seen_to_hit,
)
from rulesets.dark_heresy_2e.checks import Check, additional, outcome, settled_test, tell
from rulesets.dark_heresy_2e.damage import Source
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.weapons import ammo, is_thrown


def roll_to_hit(
    scene: Scene, attack: Attack, number: Target, sees: Callable[[tuple[int, ...]], Hashable] | None = None
) -> Check:
    """The attack roll. Against somebody helpless a melee attack succeeds whatever the die. Clause: DH-5630."""

    def meaning(dice: tuple[Die, ...]) -> Check:
        check = outcome(scene, attack.attacker, attack.tested, number, dice)
        sure = not check.success and is_sure(scene, attack)
        return replace(check, success=True, degrees=1) if sure else check

    check, told = settled_test(
        scene,
        attack.attacker,
        attack.tested,
        "attack",
        number,
        name=TO_HIT,
        clause=attack.params.cites.test,
        against=attack.target or None,
        meaning=meaning,
        sees=sees or partial(seen_to_hit, scene, attack, number),
    )
    tell(scene, told)
    return check


def spend_ammunition(scene: Scene, attack: Attack) -> int:
    """Hit or miss the rounds are gone; what is left is fired if they are fewer. Gives the rounds fired.

    Clause: DH-5410.
    """
    item = scene.carried(attack.attacker, attack.item)
    if attack.is_melee or attack.item is None or item is None:
        return 0
    left = ammo(scene, attack.attacker, attack.item)
    if is_thrown(attack.weapon):
        rest = None if item.count <= 1 else msgspec.structs.replace(item, count=item.count - 1)
        thrown = (
            msgspec.structs.replace(item, held=None, on_ground=True)
            if rest is None and attack.weapon.is_melee
            else rest
        )
        scene.emit(ItemChanged(attack.attacker, attack.item, thrown, ClauseId("DH-5410")))
        return 1
    fired = min(left, rounds_needed(scene, attack.weapon, attack.mode))
    scene.mark_item(attack.attacker, attack.item, "ammo", left - fired, "DH-5410")
    return fired


def jam_if_it_does(scene: Scene, attack: Attack, check: Check) -> bool:
    """Whether this die jams the weapon: never a hit, and no shot more till it is cleared. Clause: DH-5390."""
    if attack.item is None or check.die < jams_from(scene, attack.weapon, attack.mode):
        return False
    scene.mark_item(attack.attacker, attack.item, "jammed", 1, "DH-5390")
    return True


def source_of(
    scene: Scene, attack: Attack, check: Check, number: Target, band: str, kind: str, centre: Point | None = None
) -> Source:
    """What deals the damage of this attack."""
    return Source(
        attack.attacker,
        attack.weapon,
        kind,
        check.degrees if check.success else 0,
        behind_cover=not attack.is_melee,
        twice=is_sure(scene, attack),
        band=band,
        extra_dice=_accurate_dice(scene, attack, check, number),
        centre=centre,
    )


def _accurate_dice(table: Table, attack: Attack, check: Check, number: Target) -> int:
    """Dice that an aimed single shot with an accurate basic weapon adds. Clause: DH-5495."""
    if attack.mode != "single" or attack.weapon.class_ != "basic" or not attack.weapon.has("accurate"):
        return 0
    if not check.success or not any(term.clause == "DH-4340" for term in number.terms):
        return 0
    rule = tables_of(table).core.accurate
    return min(rule.most, additional(check.degrees) // rule.step)


def come_under_fire(scene: Scene, attack: Attack, targets: tuple[CombatantId, ...]) -> None:
    """Whoever a ranged attack is aimed at counts as shot at, hit or not, and so does whoever its hits spread to.

    Clauses: DH-3650, DH-5660.
    """
    for who in dict.fromkeys(targets):
        if not attack.is_melee and not scene.has(who, "shot_at"):
            scene.begin(who, "shot_at")
