"""A weapon that rests on something while it is aimed, and what takes that away. Clauses GU-1840, GU-1860, GU-1890."""

import msgspec

from app.engine.ids import CombatantId, ItemId
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.gurps_4e.conditions import AIMING
from rulesets.gurps_4e.figures import LYING, posture_of
from rulesets.gurps_4e.weapons import BOTH, HANDS, weapon_of

BRACED, REST = "braced", "rest"


def can_brace(table: Table, who: CombatantId, item: ItemId, *, rest: bool) -> bool:
    """Whether the weapon can be braced here and now; `rest` tells that something is there to lay it on.

    Clause: GU-1840.
    """
    weapon = weapon_of(table, who, item)
    if not weapon.braceable:
        return False
    if rest or weapon.mounted:
        return True
    if weapon.hands < HANDS:
        return table.item(who, item).held == BOTH
    return weapon.bipod and posture_of(table, who) in LYING


def is_braced(table: Table, who: CombatantId, record: Effect) -> bool:
    """Whether the weapon of that aim still has its support: what it lay on counts in the posture it was laid there.

    Clauses: GU-1840, GU-1860, GU-1890.
    """
    if record.declared.get(BRACED) is not True or record.item is None:
        return False
    laid = record.declared.get(REST)
    return laid in (None, posture_of(table, who)) and can_brace(table, who, record.item, rest=laid is not None)


def lifted(table: Table, who: CombatantId) -> Effect | None:
    """The aim as it is once he has moved: a two-handed weapon is braced no more, any other has left its rest.

    None where moving changes nothing. Clauses: GU-1860, GU-1890.
    """
    record = table.effect(who, AIMING)
    if record is None or record.item is None or record.declared.get(BRACED) is not True:
        return None
    two_handed = weapon_of(table, who, record.item).hands == HANDS
    gone = (BRACED, REST) if two_handed else (REST,)
    if not any(name in record.declared for name in gone):
        return None
    return msgspec.structs.replace(
        record, declared={name: value for name, value in record.declared.items() if name not in gone}
    )


def once_moved(table: Table, who: CombatantId) -> Table:
    """The table with the aim as it will be when he has moved. Clause: GU-1890."""
    record = lifted(table, who)
    if record is None:
        return table
    body = table.who(who)
    body = msgspec.structs.replace(body, effects={**body.effects, record.id: record})
    state = msgspec.structs.replace(table.state, combatants={**table.state.combatants, who: body})
    return Table(table.rules, state, table.said, table.viewer)
