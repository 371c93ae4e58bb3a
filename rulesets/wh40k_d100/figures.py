"""Figures read off a combatant: bonuses, arms, armour, the body's parts. Clauses WH-080, WH-170, WH-350, WH-360."""

from app.engine.ids import CombatantId, Length
from app.engine.state import Combatant
from app.engine.table import Table
from rulesets.wh40k_d100.tables import Tables

WOUNDS, CRITICAL, FATIGUE = "wounds", "critical_damage", "fatigue"
RIGHT, LEFT = "right", "left"
ARM, LEG, HEAD, TORSO = "arm", "leg", "head", "torso"
JOINT, EYE = "joint", "eye"
MULTIPLE_ARMS = "multiple_arms"
_NATURAL = {HEAD: "natural_head", ARM: "natural_arms", TORSO: "natural_torso", LEG: "natural_legs"}


def tables_of(table: Table) -> Tables:
    """The tables of this ruleset, with the house rules in them."""
    found = table.rules.tables
    assert isinstance(found, Tables)
    return found


def whole_option(table: Table, key: str) -> int:
    """A house-rule option that is a whole number, or a length in hundredths."""
    value = table.option(key)
    assert isinstance(value, int)
    return value


def divided(table: Table, value: int, by: int) -> int:
    """A division, rounded as the table plays it. Clause: WH-170."""
    return value // by if table.option("rounding") == "down" else -(-value // by)


def stat(body: Combatant, name: str) -> int:
    """A figure of the sheet; 0 if it has none."""
    return body.sheet.stats.get(name, 0)


def bonus(body: Combatant, characteristic: str) -> int:
    """The tens of a characteristic as it is now. Clause: WH-170."""
    return stat(body, characteristic) // 10


def is_minor(body: Combatant) -> bool:
    """Whether he is one of the many who do not matter. Clause: WH-870."""
    return bool(stat(body, "minor"))


def arms_of(body: Combatant) -> int:
    """Arms: as the sheet says, else those of the trait, else two. Clause: WH-640."""
    stated = body.sheet.stats.get("arms")
    return body.sheet.trait_values.get(MULTIPLE_ARMS, 2) if stated is None else stated


def has_many_arms(body: Combatant) -> bool:
    """Whether his pairs of arms attack each for itself. Clause: WH-640."""
    return MULTIPLE_ARMS in body.sheet.traits


def pairs_of(body: Combatant) -> int:
    """Pairs of arms that may attack; somebody with fewer than two has what he has of one. Clause: WH-640."""
    return max(1, arms_of(body) // 2) if has_many_arms(body) else 1


def arm(side: str, pair: int = 1) -> str:
    """Name of an arm: that of the first pair has no number. Clause: WH-260."""
    return f"{side}_{ARM}" if pair == 1 else f"{side}_{ARM}_{pair}"


def has_arm(body: Combatant, side: str, pair: int = 1) -> bool:
    """Whether he has that arm: of an odd number the last one is a main one. Clauses: WH-260, WH-330."""
    place = 2 * (pair - 1) + (1 if side == main_side(body) else 2)
    return place <= arms_of(body)


def main_side(body: Combatant) -> str:
    """The side of the main hand of each pair. Clause: WH-600."""
    return LEFT if stat(body, "left_handed") else RIGHT


def side_of(body: Combatant, hand: str) -> str:
    """The side on which he has his main or his off hand."""
    main = main_side(body)
    return main if hand == "main" else (RIGHT if main == LEFT else LEFT)


def part_of(location: str) -> str:
    """The part of the body without side and number: `head`, `arm`, `torso`, `leg`. Clause: WH-920."""
    return next((word for word in location.split("_") if word in _NATURAL), location)


def armour_location(location: str) -> str:
    """The location under which armour is worn there: an arm of any pair is covered like that of the first."""
    return location.rstrip("0123456789").rstrip("_") if part_of(location) == ARM else location


def armour_at(table: Table, body: Combatant, location: str, special: str | None = None) -> int:
    """Armour points there: worn, helmet and natural. A joint has a third of them, an eye no helmet.

    Clauses: WH-350, WH-360, WH-900.
    """
    part = part_of(location)
    worn = body.sheet.armour.get(armour_location(location), 0)
    if part == HEAD:
        worn = stat(body, "worn_head") + (0 if special == EYE else worn)
    points = worn + stat(body, _NATURAL.get(part, ""))
    return divided(table, points, tables_of(table).core.joint_divisor) if special == JOINT else points


def reach_of(table: Table, who: CombatantId, column: str) -> Length:
    """How far he gets: his Agility bonus times the multiplier; less with a leg that is out of use.

    On a grid only whole cells count. Clauses: WH-080, WH-170.
    """
    core = tables_of(table).core
    multiplier: Length = getattr(core.move_multipliers, column)
    agility = bonus(table.who(who), "ag")
    reach = agility * multiplier if agility else core.agility_at_0 * multiplier // 100
    if table.has(who, "leg_disabled"):
        reach = divided(table, reach, core.leg_disabled_divisor)
    ground = table.state.scenery.ground
    if ground is not None and ground.grid.kind != "none":
        reach -= reach % ground.grid.cell
    return reach
