"""How a combatant begins, and what of him is shown. Clauses MA-020, MA-030, MA-080, MA-800, MA-820, MA-830."""

from collections.abc import Callable, Mapping

import msgspec

from app.engine.ids import CombatantId, Length
from app.engine.rules import Ruleset
from app.engine.state import Combatant, Item
from app.engine.table import Table
from rulesets.manewry_ap.figures import AP, END, EP, FATIGUE, HP, base
from rulesets.manewry_ap.tables import Tables
from rulesets.manewry_ap.weapons import AMMO, profile

NORTH = 0


def ap_max(tables: Tables, body: Combatant) -> int:
    """The whole pool of action points. Clause: MA-020."""
    return body.sheet.stats.get("ap_max", tables.core.pools.ap)


def ep_max(tables: Tables, body: Combatant) -> int:
    """The whole pool of stamina: base Endurance counts. Clauses: MA-030, MA-160."""
    return body.sheet.stats.get("ep_max", tables.core.pools.ep + base(body, END))


def hp_max(tables: Tables, body: Combatant) -> int:
    """Full health: base Endurance counts. Clauses: MA-160, MA-800."""
    return body.sheet.stats.get("hp_max", tables.core.pools.hp + base(body, END))


def prepare(rules: Ruleset, body: Combatant) -> Combatant:
    """Full pools, written down in the sheet; loaded weapons; on a map he looks north unless it is said otherwise.

    Clauses: MA-020, MA-030, MA-830.
    """
    tables: Tables = rules.tables
    most = {"ap_max": ap_max(tables, body), "ep_max": ep_max(tables, body), "hp_max": hp_max(tables, body)}
    sheet = msgspec.structs.replace(body.sheet, stats={**body.sheet.stats, **most})
    pools = {HP: most["hp_max"], EP: most["ep_max"], FATIGUE: 0, **body.pools}
    budget = {AP: most["ap_max"], **body.budget}
    place = body.place
    if place is not None and place.facing is None:
        place = msgspec.structs.replace(place, facing=NORTH)
    items = {key: _loaded(rules, item) for key, item in body.items.items()}
    return msgspec.structs.replace(body, sheet=sheet, pools=pools, budget=budget, place=place, items=items)


def _loaded(rules: Ruleset, item: Item) -> Item:
    weapon = profile(rules, item)
    if weapon is None or weapon.ammo is None or AMMO in item.marks:
        return item
    return msgspec.structs.replace(item, marks={**item.marks, AMMO: weapon.ammo})


def body_extra(body: Combatant) -> Length:
    """How far a body reaches beyond a man's: everybody takes one square, whatever his size. Clause: MA-080."""
    return 0


POOLS: Mapping[str, Callable[[Combatant], tuple[int, int | None]]] = {
    HP: lambda body: (body.pools.get(HP, 0), body.sheet.stats.get("hp_max")),
    EP: lambda body: (body.pools.get(EP, 0), body.sheet.stats.get("ep_max")),
    FATIGUE: lambda body: (body.pools.get(FATIGUE, 0), MOST_FATIGUE),
}
MOST_FATIGUE = 20
"""The most Fatigue markers. Table 1.1."""


def harm_of(body: Combatant) -> tuple[int, int]:
    """Health lost, out of all of it. Clause: MA-800."""
    most = body.sheet.stats.get("hp_max", 0)
    return most - body.pools.get(HP, 0), most


def refilled(table: Table, who: CombatantId) -> int:
    """What the action points refill to. Clause: MA-020."""
    return ap_max(table.rules.tables, table.who(who))


BUDGETS: Mapping[str, Callable[[Table, CombatantId], int]] = {AP: refilled}
