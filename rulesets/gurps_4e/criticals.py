"""Critical hits and critical misses: tables 5.9 and 5.10. Clauses GU-280, GU-395, GU-2600, GU-2610."""

from typing import TypeVar

from msgspec.structs import replace

from app.engine.dice import parse_dice
from app.engine.events import CriticalSuffered, Die, Hit, Noted
from app.engine.ids import ClauseId, CombatantId, ItemId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.attack import PARRYING, Blow
from rulesets.gurps_4e.checks import DICE, SIDES
from rulesets.gurps_4e.conditions import drop, forget_item, lose_balance
from rulesets.gurps_4e.figures import tables_of
from rulesets.gurps_4e.flying import fly_off
from rulesets.gurps_4e.holding_on import knocked_down
from rulesets.gurps_4e.injuries import Harm, deal
from rulesets.gurps_4e.locations import LEFT, RIGHT, is_limb
from rulesets.gurps_4e.tables import CriticalHitRow, CriticalMiss, CriticalMissRow
from rulesets.gurps_4e.weapons import BROKEN, MAIN, OFF, UNREADY, damage_of, is_point, is_swing

MAXIMUM = 3
"""The natural roll that alone gives the highest damage where the table plays without the critical tables.

Clause: GU-280.
"""
FIRST_HALF = 3
"""Faces of the die up to which it is an arm, or ahead; a leg, or behind, otherwise. Table 5.10."""
HIT_SELF = ("hit_self", "hit_self_half")
Row = TypeVar("Row", CriticalHitRow, CriticalMissRow)


def _rolled(scene: Scene, who: CombatantId, name: str, rows: tuple[Row, ...]) -> tuple[tuple[Die, ...], int, Row]:
    """3d on one of the two tables: the dice, the total, and its row."""
    found = {total: row for row in rows for total in row.rolls}
    dice = scene.roll(name, DICE, SIDES, who, name, clause="GU-280", sees=sum)
    total = sum(die.value for die in dice)
    return dice, total, found[total]


# Critical hits


def critical_hit(scene: Scene, blow: Blow, harm: Harm, natural: int, location: str | None) -> Harm:
    """What a critical hit there makes of the damage. Clause: GU-280, table 5.9."""
    if scene.option("critical_tables") == "lite":
        return replace(harm, at_most=natural == MAXIMUM)
    dice, total, row = _rolled(scene, blow.attacker, "critical_hit", tables_of(scene).critical_hits)
    clause = ClauseId("GU-280")
    scene.emit(CriticalSuffered(blow.target, total, location, row.effect, clause, dice, blow.attacker))
    match row.effect:
        case "triple_damage" | "double_damage":
            return replace(harm, multiple=row.multiple)
        case "half_dr":
            return replace(harm, half_dr=True)
        case "maximum_damage":
            return replace(harm, at_most=True)
        case "major_wound":
            return replace(harm, major=True)
        case "double_shock":
            useless = is_limb(location) and scene.flag("hit_locations")
            return replace(harm, double_shock=True, limb_useless=useless)
        case "drop_held":
            return replace(harm, drops=True)
        case _:
            return harm


# Critical misses


def critical_miss(scene: Scene, who: CombatantId, blow: Blow, clause: str = "GU-280") -> None:
    """Something goes badly wrong with what he did. Clauses: GU-280, GU-395, table 5.10."""
    if scene.option("critical_tables") == "lite":
        _lite(scene, who, blow)
        return
    effect = _read(scene, who, blow, clause)
    if effect in HIT_SELF and _may_miss_himself(blow):
        with scene.within("again"):
            effect = _read(scene, who, blow, clause)
    if effect == "breaks" and _is_sturdy(blow):
        with scene.within("sturdy"):
            effect = "breaks" if _read(scene, who, blow, clause) == "breaks" else "dropped"
    _befall(scene, who, blow, effect)


def _read(scene: Scene, who: CombatantId, blow: Blow, clause: str) -> CriticalMiss:
    """The row that the dice say, as it befalls him: whoever shoots does not fall. Table 5.10."""
    dice, total, row = _rolled(scene, who, "critical_miss", tables_of(scene).critical_misses)
    effect: CriticalMiss = "off_balance" if row.effect == "falls" and blow.is_ranged else row.effect
    scene.emit(CriticalSuffered(who, total, None, effect, ClauseId(clause), dice, who))
    return effect


def _is_sturdy(blow: Blow) -> bool:
    """Weapons that break only when the table says so twice. Table 5.10."""
    weapon = blow.weapon
    return blow.item is not None and (weapon.solid or weapon.magic or weapon.fine or weapon.is_firearm)


def _may_miss_himself(blow: Blow) -> bool:
    """Thrusts with a point, and everything ranged: he hits himself only if the table says so twice. Table 5.10."""
    return blow.is_ranged or (is_point(blow.mode) and not is_swing(blow.mode_id, blow.mode))


def _lite(scene: Scene, who: CombatantId, blow: Blow) -> None:
    """Without the tables the weapon is dropped; a ranged one becomes unready. Clause: GU-280."""
    item = _in_hand(scene, who, blow)
    if item is None:
        return
    if blow.weapon.is_ranged:
        _make_unready(scene, who, item)
    else:
        drop(scene, who, item, "GU-280")


def _in_hand(table: Table, who: CombatantId, blow: Blow) -> ItemId | None:
    """The weapon of the attack, if he still has it in hand."""
    carried = table.carried(who, blow.item)
    return None if carried is None or carried.held is None else blow.item


def _make_unready(scene: Scene, who: CombatantId, item: ItemId) -> None:
    """It takes a Ready before it is of use again. Clauses: GU-280, GU-1320."""
    scene.mark_item(who, item, UNREADY, 1, "GU-280")
    forget_item(scene, who, item, "unready")


def _befall(scene: Scene, who: CombatantId, blow: Blow, effect: CriticalMiss) -> None:
    """The row as it is; what befalls a weapon is a lost balance for whoever strikes without one."""
    item = _in_hand(scene, who, blow)
    match effect:
        case "hit_self" | "hit_self_half":
            _hit_self(scene, who, blow, half=effect == "hit_self_half")
        case "strained":
            _strain(scene, who, item)
        case "falls":
            knocked_down(scene, who, "GU-280")
        case "breaks" if item is not None:
            break_item(scene, who, item)
        case "turns_in_hand" if item is not None:
            _make_unready(scene, who, item)
        case "flies" if item is not None and _can_fly(blow):
            _fly(scene, who, blow, item)
        case "dropped" | "flies" if item is not None:
            _let_go(scene, who, blow, item)
        case _:
            lose_balance(scene, who, "GU-2610")


def break_item(scene: Scene, who: CombatantId, item: ItemId) -> None:
    """It is broken, and of no use. Clause: GU-2600."""
    scene.mark_item(who, item, BROKEN, 1, "GU-2600")
    forget_item(scene, who, item, "broken")


def _let_go(scene: Scene, who: CombatantId, blow: Blow, item: ItemId) -> None:
    """It falls; a cheap one breaks. Table 5.10."""
    if blow.weapon.cheap:
        break_item(scene, who, item)
    else:
        drop(scene, who, item, "GU-2600")


def _hand_of(scene: Scene, who: CombatantId, item: ItemId | None) -> str:
    """The hand that strikes: the one that holds the weapon, the main one with two or none."""
    carried = scene.carried(who, item)
    return OFF if carried is not None and carried.held == OFF else MAIN


def _hit_self(scene: Scene, who: CombatantId, blow: Blow, *, half: bool) -> None:
    """His own leg, or the arm that does not strike. Table 5.10."""
    limb = scene.roll("limb", 1, SIDES, who, "limb", clause="GU-280", sees=lambda faces: faces[0] <= FIRST_HALF)[0]
    side = RIGHT if _hand_of(scene, who, blow.item) == OFF else LEFT
    location = f"{side}_{'arm' if limb.value <= FIRST_HALF else 'leg'}"
    scene.emit(Noted(who, "own_limb", words=(location,), dice=(limb,), clause=ClauseId("GU-280")))
    damage = damage_of(scene, who, blow.mode.damage)
    harm = Harm(who, damage, blow.mode.type, divisor=blow.mode.divisor, halved="GU-280" if half else "")
    with scene.within("self"):
        deal(scene, harm, Hit(1, who, location))


def _strain(scene: Scene, who: CombatantId, item: ItemId | None) -> None:
    """The weapon arm is of no use for the rest of the fight; what it holds stays in it. Table 5.10, clause GU-2060."""
    scene.begin(who, "arm_strained", clause="GU-280", word=_hand_of(scene, who, item))


def _can_fly(blow: Blow) -> bool:
    """Only what is swung at somebody flies off; a parry is no swing. Table 5.10."""
    return not blow.is_ranged and blow.maneuver != PARRYING and is_swing(blow.mode_id, blow.mode)


def _fly(scene: Scene, who: CombatantId, blow: Blow, item: ItemId) -> None:
    """The weapon flies off, ahead or behind; whoever is there ducks or is hit. Table 5.10."""
    group = parse_dice(tables_of(scene).core.weapon_flies).groups[0]
    flies = scene.roll("flies", group.count, group.sides, who, "flies", clause="GU-280")
    ahead = scene.roll(
        "direction", 1, SIDES, who, "direction", clause="GU-280", sees=lambda face: face[0] <= FIRST_HALF
    )
    fly_off(scene, who, blow, item, (*flies, *ahead), ahead=ahead[0].value <= FIRST_HALF)
