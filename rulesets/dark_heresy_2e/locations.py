"""Where hits land: the reversed die for the first, a table for those after it. Clauses DH-5210, DH-5220."""

from app.engine.ids import CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e.figures import location_row, location_side, tables_of

SIDED = ("arm", "leg")
DOUBLE_NOUGHT = 100


def reversed_die(die: int) -> int:
    """The two digits exchanged: 05 -> 50, 10 -> 01, and 00 stays 100. Clause: DH-5210."""
    return DOUBLE_NOUGHT if die == DOUBLE_NOUGHT else die % 10 * 10 + die // 10


def location_at(table: Table, figure: int) -> str:
    """The location of a figure from 1 to 100. Clause: DH-5210."""
    return next(row.location for row in tables_of(table).hit_locations if figure <= row.upto)


def first_location(table: Table, die: int) -> str:
    """Where the first hit of an attack lands, by its attack die. Clause: DH-5210."""
    return location_at(table, reversed_die(die))


def later_locations(table: Table, first: str, die: int, count: int) -> tuple[str, ...]:
    """Where the hits after the first land on the same target. Clause: DH-5220.

    A later arm or leg is on the side of the first hit; if that has none, right for an even attack die, left for an
    odd one.
    """
    part = location_row(first)
    row = next(row for row in tables_of(table).multiple_hits if row.first == part)
    side = location_side(first) or _side(table, die)
    parts = [row.later[min(place, len(row.later) - 1)] for place in range(count)]
    return tuple(f"{side}_{later}" if later in SIDED else later for later in parts)


def _side(table: Table, die: int) -> str:
    match table.option("multi_hit_side"):
        case "right":
            return "right"
        case _:
            return "left" if die % 2 else "right"


def fresh_location(scene: Scene, by: CombatantId, name: str = "location") -> str:
    """A location by a d100 of its own, not reversed, where no attack was rolled. Clause: DH-5210."""
    dice = scene.roll(name, 1, 100, by, "location", clause="DH-5210")
    return location_at(scene, dice[0].value)
