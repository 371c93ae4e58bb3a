"""Where hits land: the reversed die for the first, a table for those after it. Clauses DH-5210, DH-5220."""

from app.engine.asks import GM, Option, Question
from app.engine.blocks.d100 import reversed_die
from app.engine.events import Noted
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e.figures import location_row, location_side, tables_of

SIDED = ("arm", "leg")
RIGHT, LEFT = "right", "left"


def location_at(table: Table, figure: int) -> str:
    """The location of a figure from 1 to 100. Clause: DH-5210."""
    return next(row.location for row in tables_of(table).hit_locations if figure <= row.upto)


def first_location(table: Table, die: int) -> str:
    """Where the first hit of an attack lands, by its attack die. Clause: DH-5210."""
    return location_at(table, reversed_die(die))


def later_locations(scene: Scene, by: CombatantId, first: str, die: int, count: int) -> tuple[str, ...]:
    """Where the hits after the first land on the same target. Clause: DH-5220.

    A later arm or leg is on the side of the first hit, if that has one.
    """
    parts = _parts(scene, first, count)
    if not any(part in SIDED for part in parts):
        return parts
    side = location_side(first) or _side(scene, by, die)
    return tuple(f"{side}_{part}" if part in SIDED else part for part in parts)


def _parts(table: Table, first: str, count: int) -> tuple[str, ...]:
    """The row of the first hit, as far as it is needed. A place that is no location has no row: they all go there."""
    row = next((row for row in tables_of(table).multiple_hits if row.first == location_row(first)), None)
    if row is None:
        return (first,) * count
    return tuple(row.later[min(place, len(row.later) - 1)] for place in range(count))


def _side(scene: Scene, by: CombatantId, die: int) -> str:
    """The side that a first hit to head or body leaves open: right for an even attack die, left for an odd one.

    The house rule may say right, or leave it to the GM. Clause: DH-5220.
    """
    parity = LEFT if die % 2 else RIGHT
    match scene.option("multi_hit_side"):
        case "right":
            return RIGHT
        case "gm":
            return scene.ask(_side_question(by, parity)).option
        case _:
            return parity


def _side_question(by: CombatantId, default: str) -> Question:
    return Question(
        key="",
        name="multi_hit_side",
        kind="multi_hit_side",
        to=GM,
        options=(Option(RIGHT), Option(LEFT)),
        default=default,
        best=default,
        about=by,
        informed=True,
        clause=ClauseId("DH-5220"),
    )


def fresh_location(scene: Scene, by: CombatantId, struck: CombatantId, name: str = "location") -> str:
    """A location by a d100 of its own, not reversed, where no attack was rolled. Clause: DH-5210."""
    dice = scene.roll(name, 1, 100, by, "location", clause="DH-5210")
    where = location_at(scene, dice[0].value)
    scene.emit(Noted(by, "hit_location", struck, words=(where,), dice=dice, clause=ClauseId("DH-5210")))
    return where
