"""Figures read off a combatant: attributes, limits, monitors, wounds, the score, how far he gets.

Clauses SR-020, SR-215, SR-550, SR-740, SR-750, ledger 1.1.
"""

from math import isqrt

from app.engine.ids import CombatantId, Length
from app.engine.space.model import Point
from app.engine.state import Combatant
from app.engine.table import Table
from rulesets.shadowrun_5e.tables import MetatypeRow, Tables

METRE = 100
"""Hundredths of a metre."""
METATYPES = ("human", "elf", "ork", "dwarf", "troll")
SMARTLINKS = (NO_SMARTLINK, GEAR, IMPLANTED) = ("none", "gear", "implanted")
"""Words of the sheet in the order of `stats.yaml`; a sheet holds their place."""
SCORE, EDGE, PHYSICAL, STUN, OVERFLOW = "initiative", "edge_points", "physical", "stun", "overflow"
RECOIL, DEFENSES, MOVED = "recoil", "defenses", "moved"
PRONE, RUNNING = "prone", "running"
OUT = ("unconscious", "dead")
"""Conditions in which nobody does anything. Clause: SR-780."""


def tables_of(table: Table) -> Tables:
    """The tables of this ruleset, with the house rules in them."""
    found = table.rules.tables
    assert isinstance(found, Tables)
    return found


def div_up(value: int, by: int) -> int:
    """Divided and rounded up, as everything is here."""
    return -(-value // by)


def stat(body: Combatant, name: str) -> int:
    """A figure that his sheet states, 0 for one that it leaves out."""
    return body.sheet.stats.get(name, 0)


def metatype_of(body: Combatant) -> str:
    """What he is."""
    return METATYPES[stat(body, "metatype")]


def metatype_row(table: Table, who: CombatantId) -> MetatypeRow:
    """What that brings along."""
    return tables_of(table).metatypes[metatype_of(table.who(who))]


def smartlink_of(body: Combatant) -> str:
    """His smartlink: none, as gear, implanted. Clause: SR-215."""
    return SMARTLINKS[stat(body, "smartlink")]


def has_dni(body: Combatant) -> bool:
    """Whether his nerves reach his devices: as the sheet says, else with an implanted smartlink. Clause: SR-455."""
    return bool(body.sheet.stats.get("dni", smartlink_of(body) == IMPLANTED))


def natural_reach(table: Table, who: CombatantId) -> int:
    """Reach of the body alone. Clause: SR-615."""
    return table.who(who).sheet.stats.get("natural_reach", metatype_row(table, who).reach)


def natural_armor(table: Table, who: CombatantId) -> int:
    """Armour of the body alone. Clause: SR-710."""
    return table.who(who).sheet.stats.get("natural_armor", metatype_row(table, who).armor)


def armor_of(table: Table, who: CombatantId) -> int:
    """The best that he wears, what is worn beside it, and his own. Clause: SR-710."""
    return sum(table.who(who).sheet.armour.values()) + natural_armor(table, who)


def physical_limit(body: Combatant) -> int:
    """Hits that count in tests of the body. Clause: SR-215."""
    return div_up(2 * stat(body, "strength") + stat(body, "body") + stat(body, "reaction"), 3)


def mental_limit(body: Combatant) -> int:
    """Hits that count in tests of the mind. Clause: SR-215."""
    return div_up(2 * stat(body, "logic") + stat(body, "intuition") + stat(body, "willpower"), 3)


def physical_boxes(table: Table, who: CombatantId) -> int:
    """Length of the physical monitor. Clause: SR-740."""
    return tables_of(table).core.boxes + div_up(stat(table.who(who), "body"), 2)


def stun_boxes(table: Table, who: CombatantId) -> int:
    """Length of the stun monitor. Clause: SR-740."""
    return tables_of(table).core.boxes + div_up(stat(table.who(who), "willpower"), 2)


def wound_modifier(table: Table, who: CombatantId) -> int:
    """One die less for each full row of boxes on either monitor. Clause: SR-750."""
    pools, row = table.who(who).pools, tables_of(table).core.boxes_per_wound
    return -(pools.get(PHYSICAL, 0) // row) - (pools.get(STUN, 0) // row)


def score_of(table: Table, who: CombatantId) -> int:
    """His initiative score now. Clause: SR-020."""
    return table.who(who).pools.get(SCORE, 0)


def is_out(table: Table, who: CombatantId) -> bool:
    """Whether he is unconscious, dead or gone. Clause: SR-780."""
    return table.who(who).status != "up" or table.has(who, *OUT)


def is_running(table: Table, who: CombatantId) -> bool:
    """Whether he runs; lying down the state has no effect. Clause: SR-575."""
    return table.has(who, RUNNING) and not table.has(who, PRONE)


def is_helpless(table: Table, who: CombatantId) -> bool:
    """Whether he can neither defend himself nor interrupt: surprised, unaware, out. Clause: SR-535."""
    return is_out(table, who) or table.has(who, "surprised", "unaware")


def allowance(table: Table, who: CombatantId) -> Length:
    """Hundredths of a metre for the whole Combat Turn: walking, or running with what sprints have added.

    Clauses: SR-550, SR-565.
    """
    core, agility = tables_of(table).core, stat(table.who(who), "agility")
    if table.has(who, RUNNING):
        return agility * core.run * METRE + sum(effect.value for effect in table.effects(who, "sprinted"))
    return agility * core.walk * METRE


def moved(table: Table, who: CombatantId) -> Length:
    """Hundredths of a metre gone in this Combat Turn. Clause: SR-550."""
    return table.who(who).pools.get(MOVED, 0)


def whole_option(table: Table, key: str) -> int:
    """A house-rule option that is a whole number."""
    found = table.option(key)
    assert isinstance(found, int)
    return found


def are_foes(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether they are on different sides."""
    return table.who(one).side != table.who(other).side


def apart(one: Point, other: Point) -> Length:
    """Hundredths of a metre between two points of the map, to the nearest, as every distance is measured."""
    x, y = one[0] - other[0], one[1] - other[1]
    return (isqrt(4 * (x * x + y * y)) + 1) // 2
