"""Critical hits and critical misses: tables 5.9 and 5.10. Clauses GU-280, GU-395, GU-2600, GU-2610."""

from dataclasses import replace

from app.engine.dice import parse_dice
from app.engine.events import CriticalSuffered, Hit
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.scene import Scene
from rulesets.gurps_4e.attack import Blow
from rulesets.gurps_4e.checks import DICE, SIDES
from rulesets.gurps_4e.conditions import drop, drops_what_it_holds, fall, forget_item, lose_balance
from rulesets.gurps_4e.figures import tables_of
from rulesets.gurps_4e.flying import land_at
from rulesets.gurps_4e.injuries import Harm, deal
from rulesets.gurps_4e.tables import CriticalHit, CriticalMiss
from rulesets.gurps_4e.weapons import BOTH, BROKEN, MAIN, OFF, UNREADY, damage_of

MAXIMUM = 3
"""The natural roll that alone gives the highest damage where the table plays without the critical tables.

Clause: GU-280.
"""
SIX = 6
ARM = 3
"""Faces of the die up to which it is an arm, a leg otherwise. Table 5.10."""


def _total(scene: Scene, who: CombatantId, name: str, row_of: dict[int, str]) -> int:
    dice = scene.roll(name, DICE, SIDES, who, name, clause="GU-280", sees=lambda faces: row_of[sum(faces)])
    return sum(die.value for die in dice)


def critical_hit(scene: Scene, blow: Blow, harm: Harm, natural: int) -> Harm:
    """What a critical hit makes of the damage. Clause: GU-280, table 5.9."""
    who = blow.attacker
    if scene.option("critical_tables") == "lite":
        return replace(harm, at_most=natural == MAXIMUM)
    rows = {total: row.effect for row in tables_of(scene).critical_hits for total in row.rolls}
    total = _total(scene, who, "critical_hit", dict(rows))
    effect: CriticalHit = rows[total]
    scene.emit(CriticalSuffered(blow.target, total, blow.location, effect, ClauseId("GU-280")))
    match effect:
        case "triple_damage":
            return replace(harm, multiple=3)
        case "double_damage":
            return replace(harm, multiple=2)
        case "half_dr":
            return replace(harm, half_dr=True)
        case "maximum_damage":
            return replace(harm, at_most=True)
        case "major_wound":
            return replace(harm, major=True)
        case "double_shock":
            limb = blow.location is not None and blow.location.endswith(("arm", "leg", "hand", "foot"))
            return replace(harm, double_shock=True, limb_useless=limb and scene.flag("hit_locations"))
        case "drop_held":
            return replace(harm, drops=True)
        case _:
            return harm


def critical_miss(scene: Scene, who: CombatantId, blow: Blow, clause: str = "GU-280") -> None:
    """Something goes badly wrong with what he did. Clauses: GU-280, GU-395, table 5.10."""
    if scene.option("critical_tables") == "lite":
        _lite(scene, who, blow)
        return
    rows = {total: row.effect for row in tables_of(scene).critical_misses for total in row.rolls}
    total = _total(scene, who, "critical_miss", dict(rows))
    effect: CriticalMiss = rows[total]
    scene.emit(CriticalSuffered(who, total, None, effect, ClauseId(clause)))
    if effect == "breaks" and _is_sturdy(scene, who, blow):
        effect = _again(scene, who, dict(rows), ("breaks",), "dropped")
    elif effect in ("hit_self", "hit_self_half") and _cannot_hit_self(blow):
        effect = _again(scene, who, dict(rows), ("hit_self", "hit_self_half"), None)
    _befall(scene, who, blow, effect)


def _again(
    scene: Scene, who: CombatantId, rows: dict[int, str], keeps: tuple[str, ...], otherwise: str | None
) -> CriticalMiss:
    """A second roll of which only the same result is kept where it is the same, else another thing. Table 5.10."""
    with scene.within("again"):
        total = _total(scene, who, "critical_miss", rows)
    effect = rows[total]
    scene.emit(CriticalSuffered(who, total, None, effect, ClauseId("GU-280")))
    if effect in keeps or otherwise is None:
        return effect  # type: ignore[return-value]
    return otherwise  # type: ignore[return-value]


def _is_sturdy(scene: Scene, who: CombatantId, blow: Blow) -> bool:
    """Weapons that break only when the table says so twice. Table 5.10."""
    weapon = blow.weapon
    crushing = weapon.solid or (bool(weapon.modes) and all(mode.type == "cr" for mode in weapon.modes.values()))
    return crushing or weapon.is_firearm or weapon.fine or weapon.switch


def _cannot_hit_self(blow: Blow) -> bool:
    """Thrusts with a point and everything ranged. Table 5.10."""
    return blow.is_ranged or blow.mode.type in ("imp", "pi-", "pi", "pi+", "pi++")


def _lite(scene: Scene, who: CombatantId, blow: Blow) -> None:
    """Without the tables the weapon is dropped; a ranged one becomes unready. Clause: GU-280."""
    if blow.item is None or scene.who(who).items[blow.item].held is None:
        return
    if blow.weapon.is_ranged:
        scene.mark_item(who, blow.item, UNREADY, 1, "GU-280")
        forget_item(scene, who, blow.item, "unready")
    else:
        drop(scene, who, blow.item, "GU-280")


def _befall(scene: Scene, who: CombatantId, blow: Blow, effect: CriticalMiss) -> None:
    item = blow.item
    holds = item is not None and item in scene.who(who).items and scene.who(who).items[item].held is not None
    if effect in ("breaks", "turns_in_hand", "dropped", "flies") and (not holds or item is None):
        effect = "off_balance"
    match effect:
        case "breaks":
            assert item is not None
            break_item(scene, who, item)
        case "hit_self" | "hit_self_half":
            _hit_self(scene, who, blow, half=effect == "hit_self_half")
        case "turns_in_hand":
            assert item is not None
            scene.mark_item(who, item, UNREADY, 1, "GU-280")
            forget_item(scene, who, item, "unready")
        case "dropped":
            assert item is not None
            if blow.weapon.cheap:
                break_item(scene, who, item)
            else:
                drop(scene, who, item, "GU-280")
        case "flies":
            assert item is not None
            _flies(scene, who, blow, item)
        case "strained":
            _strain(scene, who, item)
        case "falls" if not blow.is_ranged:
            fall(scene, who, "GU-280")
        case _:
            lose_balance(scene, who, "GU-2610")


def break_item(scene: Scene, who: CombatantId, item: ItemId) -> None:
    """It is broken, and of no use. Clause: GU-2600."""
    scene.mark_item(who, item, BROKEN, 1, "GU-2600")
    forget_item(scene, who, item, "broken")


def _hit_self(scene: Scene, who: CombatantId, blow: Blow, *, half: bool) -> None:
    """His own arm or leg. Table 5.10."""
    limb = scene.roll("limb", 1, SIX, who, "limb", clause="GU-280", sees=lambda faces: faces[0] <= ARM)[0].value
    location = "right_arm" if limb <= ARM else "right_leg"
    damage = damage_of(scene, who, blow.mode.damage)
    harm = Harm(who, damage, blow.mode.type, divisor=blow.mode.divisor, halved=half, clause="GU-280")
    if scene.flag("hit_locations"):
        harm = replace(harm, location=location)
    with scene.within("self"):
        deal(scene, harm, Hit(1, who, location))


def _strain(scene: Scene, who: CombatantId, item: ItemId | None) -> None:
    """The weapon arm is of no use for the rest of the fight. Table 5.10."""
    held = MAIN if item is None else scene.who(who).items[item].held or MAIN
    hand = MAIN if held == BOTH else held
    scene.begin(who, "arm_strained", clause="GU-280", word=hand)
    drops_what_it_holds(scene, who, "left" if hand == OFF else "right", "GU-280")


def _flies(scene: Scene, who: CombatantId, blow: Blow, item: ItemId) -> None:
    """A weapon that is swung flies off, ahead or behind; whoever is there ducks or is hit. Table 5.10."""
    if blow.mode_id != "swing":
        drop(scene, who, item, "GU-280")
        return
    group = parse_dice(tables_of(scene).core.weapon_flies).groups[0]
    far = sum(die.value for die in scene.roll("flies", group.count, group.sides, who, "flies", clause="GU-280"))
    ahead = scene.roll("direction", 1, SIX, who, "direction", clause="GU-280", sees=lambda faces: faces[0] <= ARM)
    land_at(scene, who, blow, item, far, ahead[0].value <= ARM)
