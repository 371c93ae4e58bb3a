"""How a combatant begins, and what of him is shown. Clauses WH-020, WH-030, WH-910."""

from collections.abc import Callable, Mapping

import msgspec

from app.engine.ids import CombatantId, Length
from app.engine.rules import Ruleset
from app.engine.state import Combatant, Item
from app.engine.table import Table
from rulesets.wh40k_d100.figures import CRITICAL, FATIGUE, WOUNDS, stat, whole_option
from rulesets.wh40k_d100.weapons import AMMO, profile

HALF_ACTION, REACTION = "half_action", "reaction"
MOST_CRITICAL, MOST_FATIGUE = 10, 20


def prepare(rules: Ruleset, body: Combatant) -> Combatant:
    """Whole and rested; weapons come loaded unless said otherwise."""
    pools = {WOUNDS: stat(body, "wounds_max"), CRITICAL: 0, FATIGUE: 0, **body.pools}
    reactions = rules.options["reactions_per_round"]
    budget = {HALF_ACTION: 0, REACTION: int(reactions), **body.budget}
    items = {key: _loaded(rules, item) for key, item in body.items.items()}
    return msgspec.structs.replace(body, pools=pools, budget=budget, items=items)


def _loaded(rules: Ruleset, item: Item) -> Item:
    weapon = profile(rules, item)
    if weapon is None or not weapon.clip or weapon.is_thrown or AMMO in item.marks:
        return item
    return msgspec.structs.replace(item, marks={**item.marks, AMMO: weapon.clip})


def body_extra(body: Combatant) -> Length:
    """No clause lets a body reach farther than another."""
    return 0


POOLS: Mapping[str, Callable[[Combatant], tuple[int, int | None]]] = {
    WOUNDS: lambda body: (body.pools.get(WOUNDS, 0), stat(body, "wounds_max")),
    CRITICAL: lambda body: (body.pools.get(CRITICAL, 0), MOST_CRITICAL),
    FATIGUE: lambda body: (body.pools.get(FATIGUE, 0), MOST_FATIGUE),
}


def harm_of(body: Combatant) -> tuple[int, int]:
    """Wounds lost and critical damage beyond them, out of the wounds he has. Clause: WH-910."""
    most = stat(body, "wounds_max")
    return most - body.pools.get(WOUNDS, 0) + body.pools.get(CRITICAL, 0), most


def half_actions_of(table: Table, who: CombatantId) -> int:
    """Half actions of a turn. Clause: WH-020."""
    return whole_option(table, "half_actions_per_turn")


def reactions_of(table: Table, who: CombatantId) -> int:
    """Reactions from one turn of his to the next. Clause: WH-030."""
    return whole_option(table, "reactions_per_round")


BUDGETS: Mapping[str, Callable[[Table, CombatantId], int]] = {HALF_ACTION: half_actions_of, REACTION: reactions_of}
