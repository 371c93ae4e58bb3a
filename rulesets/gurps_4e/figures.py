"""Figures read off a combatant: characteristics, Move, posture, how far he gets. Clauses GU-400 to GU-440, GU-2150."""

from functools import lru_cache

from app.engine.ids import CombatantId, Length
from app.engine.state import Combatant
from app.engine.table import Table
from rulesets.gurps_4e.tables import PostureRow, Tables

YARD = 100
"""Hundredths of a yard."""
STANDING = "standing"
CROUCHING, KNEELING, CRAWLING, SITTING = "crouching", "kneeling", "crawling", "sitting"
PRONE, FACE_UP = "lying_prone", "lying_face_up"
POSTURES = (STANDING, CROUCHING, KNEELING, CRAWLING, SITTING, PRONE, FACE_UP)
LYING = (PRONE, FACE_UP)
HP, FP = "hp", "fp"
_DERIVED = {"will": "iq", "per": "iq", "hp_max": "st", "fp_max": "ht"}


def tables_of(table: Table) -> Tables:
    """The tables of this ruleset, with the house rules in them."""
    found = table.rules.tables
    assert isinstance(found, Tables)
    return found


def figure(body: Combatant, name: str) -> int:
    """A figure of the sheet, or what it is worked out from. `basic_speed` is in hundredths. Clauses: GU-030, GU-400."""
    stats = body.sheet.stats
    found = stats.get(name)
    if found is not None:
        return found
    if name == "basic_speed":
        return (figure(body, "ht") + figure(body, "dx")) * YARD // 4
    if name == "basic_move":
        return figure(body, "basic_speed") // YARD
    if name in _DERIVED:
        return figure(body, _DERIVED[name])
    return {"hands": 2}.get(name, 0)


def has_trait(table: Table, who: CombatantId, trait: str) -> bool:
    """Whether his sheet lists the advantage."""
    return trait in table.who(who).sheet.traits


def posture_of(table: Table, who: CombatantId) -> str:
    """How he holds himself. Table 5.1."""
    active = table.active(who)
    return next((posture for posture in POSTURES if posture in active), STANDING)


def posture_row(table: Table, posture: str) -> PostureRow:
    """What a posture does. Table 5.1."""
    return _rows(tables_of(table).postures)[posture]


@lru_cache(maxsize=32)
def _rows(rows: tuple[PostureRow, ...]) -> dict[str, PostureRow]:
    return {row.posture: row for row in rows}


def hp_of(table: Table, who: CombatantId) -> int:
    """Hit points left, which may be fewer than none."""
    return table.who(who).pools.get(HP, 0)


def is_reeling(table: Table, who: CombatantId) -> bool:
    """Whether fewer than a third of his hit points are left. Clause: GU-2150."""
    return hp_of(table, who) * tables_of(table).core.reeling < figure(table.who(who), "hp_max")


def half_up(value: int) -> int:
    """Half of it, rounded up. Clauses: GU-260, GU-2150."""
    return -(-value // 2)


def current_move(table: Table, who: CombatantId, posture: str | None = None) -> int:
    """Yards a second: encumbrance, then reeling, then posture. Clauses: GU-400, GU-2150."""
    body = table.who(who)
    basic = figure(body, "basic_move")
    percent = tables_of(table).encumbrance[figure(body, "encumbrance")]
    move = max(min(1, basic), basic * percent // 100)
    if is_reeling(table, who):
        move = half_up(move)
    row = posture_row(table, posture or posture_of(table, who))
    if row.lies:
        return min(1, move)
    if not row.numerator:
        return 0
    return max(min(1, move), move * row.numerator // row.denominator)


def step_of(table: Table, who: CombatantId) -> int:
    """Yards of a step: a tenth of the Move, at least 1; none without any Move. Clause: GU-420."""
    move, divisor = current_move(table, who), tables_of(table).core.step_divisor
    if not move:
        return 0
    return max(1, move // divisor if table.option("step_rounding") == "down" else -(-move // divisor))


def half_move(table: Table, who: CombatantId) -> int:
    """Half the Move, never less than the step. Clause: GU-440."""
    return max(current_move(table, who) // 2, step_of(table, who))


def sprint_move(table: Table, who: CombatantId) -> int:
    """The Move of somebody who sprints. Clause: GU-1030."""
    move, sprint = current_move(table, who), tables_of(table).core.sprint
    return max(move + sprint.least, move * sprint.percent // 100)


def yards(distance: Length) -> int:
    """A distance in whole yards, the nearest, half up. Clause: GU-490."""
    return (distance + YARD // 2) // YARD
