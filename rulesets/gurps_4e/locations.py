"""Where hits land, if the table plays with hit locations. Table 5.8."""

from app.engine.events import Die, Figure, Hit, Noted
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.gurps_4e.checks import DICE, SIDES
from rulesets.gurps_4e.figures import tables_of
from rulesets.gurps_4e.tables import LocationRow

RIGHT, LEFT = "right", "left"
LIMBS = ("arm", "leg", "hand", "foot")
RIGHT_UP_TO = 3
"""Faces of the die up to which it is the right one of a pair that has one row for both."""


def row_of(table: Table, location: str) -> LocationRow | None:
    """The row of a place; None for what is no place. Table 5.8."""
    return next((row for row in tables_of(table).hit_locations if row.location == location), None)


def row_at(table: Table, location: str | None) -> LocationRow | None:
    """The row of the place that is hit, where the table plays with places. Table 5.8."""
    return None if location is None or not table.flag("hit_locations") else row_of(table, location)


def is_limb(location: str | None) -> bool:
    """Whether it is an arm, leg, hand or foot."""
    return location is not None and location.endswith(LIMBS)


def placed(scene: Scene, hit: Hit, by: CombatantId) -> Hit:
    """The hit with the place that the dice give it. Table 5.8."""
    rows = {total: row for row in tables_of(scene).hit_locations for total in row.rolls}
    with scene.within(f"hit{hit.number}"):
        dice = scene.roll(
            "location", DICE, SIDES, by, "location", clause="GU-2120", sees=lambda faces: rows[sum(faces)].location
        )
        total = sum(die.value for die in dice)
        row = rows[total]
        location, side = _either_side(scene, row.location, by) if row.either else (row.location, ())
    found = (Figure("roll", total),)
    clause = ClauseId("GU-2120")
    scene.emit(Noted(by, "hit_location", hit.target, found, (location,), (*dice, *side), clause))
    return Hit(hit.number, hit.target, location)


def _either_side(scene: Scene, location: str, by: CombatantId) -> tuple[str, tuple[Die, ...]]:
    """A hand or foot: right or left by one die more."""
    part = location.partition("_")[2]
    side = scene.roll("side", 1, SIDES, by, "side", clause="GU-2120", sees=lambda faces: faces[0] <= RIGHT_UP_TO)
    return f"{RIGHT if side[0].value <= RIGHT_UP_TO else LEFT}_{part}", side
