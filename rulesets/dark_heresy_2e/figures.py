"""Figures read off a combatant: characteristics, bonuses, movement, size.

Clauses DH-2060, DH-5120, DH-5150, DH-5560.
"""

from app.engine.ids import CombatantId, Length
from app.engine.state import Combatant
from app.engine.table import Table
from rulesets.dark_heresy_2e.tables import MovementRow, Tables

MOST_CRITICAL, MOST_FATIGUE = 10, 20
"""So much of both is kept: as much as kills (DH-5540), and more than any threshold (DH-5560)."""
AVERAGE_SIZE = 4
TOP_ROW = 10


def tables_of(table: Table) -> Tables:
    """The tables of this ruleset, with the house rules in them."""
    found = table.rules.tables
    assert isinstance(found, Tables)
    return found


def bonus(body: Combatant, characteristic: str) -> int:
    """The tens digit of the characteristic and any unnatural bonus. Test modifiers do not change it.

    Clause: DH-2060.
    """
    stats = body.sheet.stats
    return stats.get(characteristic, 0) // 10 + stats.get(f"unnatural_{characteristic}", 0)


def tested_value(table: Table, who: CombatantId, characteristic: str) -> tuple[int, int]:
    """The characteristic and what fatigue takes from it in a test. Clause: DH-5560."""
    body = table.who(who)
    value = body.sheet.stats.get(characteristic, 0)
    fatigue = body.pools.get("fatigue", 0)
    if table.option("fatigue_effect") == "flat_minus_10":
        return value, -10 if fatigue else 0
    if fatigue > bonus(body, characteristic):
        return value, half_up(value) - value
    return value, 0


def half_up(value: int) -> int:
    """Half of it, rounded up, as every halving here unless its clause says otherwise. Clause: DH-2130."""
    return -(-value // 2)


def size_of(body: Combatant) -> int:
    """Size from 1 (Miniscule) to 10 (Titanic), 4 for a man."""
    return body.sheet.stats.get("size", AVERAGE_SIZE)


def movement_value(table: Table, who: CombatantId) -> int:
    """Agility bonus adjusted by Size, at least 0; a lost leg leaves 1. Clauses: DH-5120, DH-5520."""
    body = table.who(who)
    value = max(0, bonus(body, "ag") + size_of(body) - AVERAGE_SIZE)
    return min(value, 1) if table.has(who, "leg_lost") else value


def reach_of(table: Table, who: CombatantId, column: str) -> Length:
    """How far he gets: the column `half`, `full`, `charge` or `run` of the movement table. Clause: DH-5120."""
    value = movement_value(table, who)
    rows = tables_of(table).movement
    row: MovementRow = next((row for row in rows if row.mv == value), rows[-1])
    reach: Length = getattr(row, column)
    if value > row.mv > 0:
        reach = reach // row.mv * value
    return half_up(reach) if table.has(who, "movement_halved") else reach


def location_side(location: str) -> str:
    """`right`, `left`, or empty for head and body."""
    side, _, part = location.partition("_")
    return side if part else ""


def location_row(location: str) -> str:
    """The part of the body without its side: `head`, `arm`, `body`, `leg`."""
    return location.rpartition("_")[2]


def armour_at(body: Combatant, location: str) -> int:
    """Armour points worn there; of several layers the best counts, which the sheet already holds. Clause: DH-5425."""
    return body.sheet.armour.get(location, 0)
