"""How a combatant begins, and what of him is shown: wounds, fatigue, fate, actions, reactions.

Clauses DH-1110, DH-1210, DH-5510.
"""

from collections.abc import Callable, Mapping

import msgspec

from app.engine.ids import CombatantId, Length
from app.engine.rules import Ruleset
from app.engine.state import Combatant, Item
from app.engine.table import Table
from rulesets.dark_heresy_2e.figures import AVERAGE_SIZE, MOST_CRITICAL, MOST_FATIGUE, size_of, tables_of
from rulesets.dark_heresy_2e.turns import BONUS_REACTION, HALF_ACTION, REACTION, DarkHeresyTurns
from rulesets.dark_heresy_2e.weapons import THROWN_CLASSES, profile

BODY_STEP = 50
"""Hundredths of a metre that a body reaches farther for each size above a man's; no clause gives a figure."""


def prepare(rules: Ruleset, body: Combatant) -> Combatant:
    """Full wounds and the fate of the sheet, no damage, a reaction; weapons come loaded unless said otherwise."""
    stats = body.sheet.stats
    pools = {
        "wounds": stats.get("wounds_max", 1),
        "critical_damage": 0,
        "fatigue": 0,
        "fate_points": stats.get("fate_points", 0),
        **body.pools,
    }
    budget = {HALF_ACTION: 0, REACTION: 0, **body.budget}
    items = {key: _loaded(rules, item) for key, item in body.items.items()}
    return msgspec.structs.replace(body, pools=pools, budget=budget, items=items)


def _loaded(rules: Ruleset, item: Item) -> Item:
    weapon = profile(rules, item)
    if weapon is None or not weapon.clip or weapon.class_ in THROWN_CLASSES or "ammo" in item.marks:
        return item
    return msgspec.structs.replace(item, marks={**item.marks, "ammo": weapon.clip})


def body_extra(body: Combatant) -> Length:
    """How far a body reaches beyond a man's: half a metre for each size above average."""
    return max(0, size_of(body) - AVERAGE_SIZE - 1) * BODY_STEP


POOLS: Mapping[str, Callable[[Combatant], tuple[int, int | None]]] = {
    "wounds": lambda body: (body.pools.get("wounds", 0), body.sheet.stats.get("wounds_max")),
    "critical_damage": lambda body: (body.pools.get("critical_damage", 0), MOST_CRITICAL),
    "fatigue": lambda body: (body.pools.get("fatigue", 0), MOST_FATIGUE),
    "fate_points": lambda body: (body.pools.get("fate_points", 0), body.sheet.stats.get("fate_points")),
}


def harm_of(body: Combatant) -> tuple[int, int]:
    """Wounds lost and critical damage beyond them, out of the wounds he has. Clauses: DH-5510, DH-5520."""
    most = body.sheet.stats.get("wounds_max", 1)
    return most - body.pools.get("wounds", 0) + body.pools.get("critical_damage", 0), most


def _half_actions(table: Table, who: CombatantId) -> int:
    return DarkHeresyTurns().half_actions(table, who)


def _reactions(table: Table, who: CombatantId) -> int:
    return tables_of(table).core.reactions


def _bonus_reactions(table: Table, who: CombatantId) -> int:
    return table.who(who).budget.get(BONUS_REACTION, 0)


BUDGETS: Mapping[str, Callable[[Table, CombatantId], int]] = {
    HALF_ACTION: _half_actions,
    REACTION: _reactions,
    BONUS_REACTION: _bonus_reactions,
}
