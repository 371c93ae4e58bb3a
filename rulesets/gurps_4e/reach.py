"""Where people stand to each other: melee and ranged distance, the side of an attack, what is seen.

Clauses GU-390, GU-490.
"""

from app.engine.ids import CombatantId, Length
from app.engine.space.model import Fact, Unknown
from app.engine.table import Table
from rulesets.gurps_4e.figures import YARD, tables_of, yards

FRONT, SIDE, REAR = "front", "side", "rear"
ARCS = (FRONT, SIDE, REAR)


def distance(table: Table, one: CombatantId, other: CombatantId) -> Fact[int]:
    """Yards between them as melee counts it: to the nearest yard, 0 for close combat; steps from hex to hex on hexes.

    Clause: GU-490.
    """
    ground = table.state.scenery.ground
    if ground is not None and ground.grid.kind == "hex":
        here, there = table.who(one).place, table.who(other).place
        if here is not None and there is not None:
            q, r = here.x - there.x, here.y - there.y
            return yards(max(abs(q), abs(r), abs(q + r)) * ground.grid.cell // YARD)
    length = table.space.distance(one, other)
    return length if isinstance(length, Unknown) else yards(length)


def range_to(table: Table, one: CombatantId, other: CombatantId) -> Fact[Length]:
    """Hundredths of a yard between them as a shot counts it. Clause: GU-490."""
    return table.space.distance(one, other)


def missing_distance(table: Table) -> str:
    """Where in a submission a distance that nobody has stated belongs."""
    return "/targets/0" if table.has_map else "/said/distance"


def arc_of(table: Table, defender: CombatantId, attacker: CombatantId, stated: str | None = None) -> str:
    """From which side the attack comes: by facing on a map, as stated without one, the front unless it is.

    Clause: GU-390.
    """
    core = tables_of(table).core
    arcs = ((FRONT, core.front_arc), (SIDE, core.side_arc), (REAR, 360))
    found = table.space.arc_of(defender, attacker, arcs)
    if table.has_map:
        return FRONT if isinstance(found, Unknown) else found
    if stated in ARCS:
        return str(stated)
    return FRONT if isinstance(found, Unknown) or found not in ARCS else found


def can_see(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether he sees the other: no wall is between, nobody has said he does not, and the other is not hidden.

    Without a map nothing said is a yes. Clause: GU-130.
    """
    if other in table.unknown_to(one):
        return False
    found = table.space.sees(one, other)
    return True if isinstance(found, Unknown) else found


def looks_at(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether he sees the other, who is not behind his back. Clauses: GU-390, GU-840."""
    return can_see(table, one, other) and arc_of(table, one, other) != REAR


def are_foes(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether they are on different sides."""
    return table.who(one).side != table.who(other).side
