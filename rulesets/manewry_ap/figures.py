"""Figures read off a combatant: current characteristics, pools, postures. Clauses MA-020, MA-030, MA-160, MA-170,
MA-480, MA-820.
"""

from typing import Final

from app.engine.ids import CombatantId
from app.engine.state import Combatant
from app.engine.table import Table
from rulesets.manewry_ap.tables import Share, Tables

UNIT: Final = 100
"""Hundredths of a unit."""
STR, AGI, END, MEL, RNG = "str", "agi", "end", "mel", "rng"
STEALTH, LISTENING, SPOTTING = "stealth", "listening", "spotting"
CHARACTERISTICS = (STR, AGI, END, MEL, RNG, STEALTH, LISTENING, SPOTTING)
HP, EP, FATIGUE = "hp", "ep", "fatigue"
AP: Final = "ap"
KNOCKED_DOWN, LYING = "knocked_down", "lying"
HIDDEN, SPOTTED = "hidden", "spotted"
TURN_OVER, PINNED = "turn_over", "pinned_down"
SOAK_LOCATION = "body"


def tables_of(table: Table) -> Tables:
    """The tables of this ruleset, with the house rules in them."""
    found = table.rules.tables
    assert isinstance(found, Tables)
    return found


def base(body: Combatant, key: str) -> int:
    """A figure of the sheet, without any modifier."""
    return body.sheet.stats.get(key, 0)


def current(table: Table, who: CombatantId, key: str, this_action: int = 0) -> int:
    """A characteristic with the modifiers that lie on it now, at least 0. Clause: MA-160."""
    changed = sum(effect.value for kind in modifier_kinds(key) for effect in table.effects(who, kind))
    return max(0, base(table.who(who), key) + changed + this_action)


def modifier_kinds(of_class: str) -> tuple[str, str]:
    """The effects that carry modifiers of a class: those that last, and those gone with the next use."""
    return f"{of_class}_modifier", f"next_{of_class}_modifier"


def share_of(table: Table, value: int, share: Share) -> int:
    """A share of a figure, rounded by itself. Clause: MA-170."""
    scaled = value * share.numerator
    if table.option("rounding") == "up":
        return -(-scaled // share.denominator)
    return scaled // share.denominator


def ap_left(table: Table, who: CombatantId) -> int:
    """Action points left. Clause: MA-020."""
    return table.who(who).budget.get(AP, 0)


def is_on_the_ground(table: Table, who: CombatantId) -> bool:
    """Whether he is knocked down or lies. Clauses: MA-480, MA-490."""
    return table.has(who, KNOCKED_DOWN, LYING)


def is_fatigued(table: Table, who: CombatantId) -> bool:
    """Whether he has a Fatigue marker. Clause: MA-820."""
    return table.who(who).pools.get(FATIGUE, 0) > 0


def is_conscious(table: Table, who: CombatantId) -> bool:
    """Whether he is neither down nor dead. Clauses: MA-260, MA-800."""
    return table.who(who).status == "up"


def soak_of(table: Table, who: CombatantId) -> int:
    """What his armour takes off every source. Clause: MA-240."""
    return table.who(who).sheet.armour.get(SOAK_LOCATION, 0)


def whole_option(table: Table, key: str) -> int:
    """A house-rule option that is a whole number."""
    found = table.option(key)
    return found if isinstance(found, int) else 0
