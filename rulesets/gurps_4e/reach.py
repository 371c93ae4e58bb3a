"""Where people stand to each other: melee and ranged distance, the side of an attack, what is seen.

Clauses GU-350, GU-390, GU-490.
"""

from app.engine.ids import CombatantId, Length
from app.engine.space.model import Fact, Unknown
from app.engine.table import Table
from app.engine.vocabulary import Vocabulary
from rulesets.gurps_4e.figures import tables_of, yards
from rulesets.gurps_4e.weapons import BOTH, MAIN

FRONT, SIDE, SHIELD_SIDE, REAR = "front", "side", "shield_side", "rear"
ARCS = (FRONT, SIDE, SHIELD_SIDE, REAR)
"""What may be stated: `shield_side` is a side attack against which a shield still counts."""
HALF_TURN = 180


def vocabulary(tables: object) -> Vocabulary:
    """The sides of somebody from which an attack may come. Clause: GU-390."""
    return Vocabulary(arcs=ARCS)


def distance(table: Table, one: CombatantId, other: CombatantId) -> Fact[int]:
    """Yards between them as melee counts it: from centre to centre to the nearest yard, 0 for close combat.

    It is so on every grid. Clause: GU-490.
    """
    length = table.space.distance(one, other)
    return length if isinstance(length, Unknown) else yards(length)


def range_to(table: Table, one: CombatantId, other: CombatantId) -> Fact[Length]:
    """Hundredths of a yard between them as a shot counts it. Clause: GU-490."""
    return table.space.distance(one, other)


def missing_distance(table: Table) -> str:
    """Where in a submission a distance that nobody has stated belongs."""
    return "/targets/0" if table.has_map else "/said/distance"


def arc_of(table: Table, defender: CombatantId, attacker: CombatantId, stated: str | None = None) -> str:
    """From which side the attack comes: front, side or rear. By facing on a map; without one as the GM has it, else as
    the attacker states it, else the front. Clause: GU-390.
    """
    found = _arc_word(table, defender, attacker, stated)
    return SIDE if found == SHIELD_SIDE else found


def is_arc_known(table: Table, defender: CombatantId) -> bool:
    """Whether a map tells the side of an attack, so that nobody has to state it. Clause: GU-390."""
    place = table.who(defender).place
    return table.has_map and place is not None and place.facing is not None


def _arc_word(table: Table, defender: CombatantId, attacker: CombatantId, stated: str | None) -> str:
    core = tables_of(table).core
    arcs = ((FRONT, core.front_arc), (SIDE, core.side_arc), (REAR, 360))
    if not table.has_map or is_arc_known(table, defender):
        found = table.space.arc_of(defender, attacker, arcs)
        if not isinstance(found, Unknown) and found in ARCS:
            return found
    return stated if stated in ARCS else FRONT


def is_side_of(
    table: Table, hand: str | None, defender: CombatantId, attacker: CombatantId, stated: str | None = None
) -> bool:
    """Whether an attack from the side comes from the side of that hand: the off hand is the left one.

    Where no direction is known it is as stated. Clause: GU-350.
    """
    direction = table.space.bearing(defender, attacker)
    if table.has_map:
        place = table.who(defender).place
        ahead = None if place is None else place.facing
    else:
        ahead = 0
    if isinstance(direction, Unknown) or ahead is None:
        return _arc_word(table, defender, attacker, stated) == SHIELD_SIDE
    on_the_right = (direction - ahead) % 360 < HALF_TURN
    return hand == BOTH or (hand == MAIN) == on_the_right


def can_see(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether he sees the other: no wall is between, nobody has said he does not, and the other is not hidden.

    Without a map nothing said is a yes. Clause: GU-130.
    """
    if other in table.unknown_to(one):
        return False
    found = table.space.sees(one, other)
    return True if isinstance(found, Unknown) else found


def are_foes(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether they are on different sides."""
    return table.who(one).side != table.who(other).side
