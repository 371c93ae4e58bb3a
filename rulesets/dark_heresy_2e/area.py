"""The area of an attack: a blast or a cone, where it lies, whom it holds, and what keeps one from aiming it there.

Clauses DH-5480, DH-5710, DH-5720.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.engine.ids import CombatantId, Length
from app.engine.reasons import Reason
from app.engine.space.model import Area, Fact, Place, Point, Sector, Unknown
from app.engine.table import Table
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.reach import BEYOND, band_at, range_band
from rulesets.dark_heresy_2e.weapons import range_of

if TYPE_CHECKING:
    from rulesets.dark_heresy_2e.attack import Attack

BLAST, SPRAY = "blast", "spray"
CLAUSE = "DH-5480"
UNIT = 100
"""Hundredths in the metre by which a quality counts."""
NOWHERE: Point = (0, 0)
"""Stands for any point where there is no map."""
WHOLE_CIRCLE = 360
THERE = "there"
"""Name of the point aimed at among those who stand on the map."""


# Where it lies


def blast_at(attack: "Attack", centre: Point) -> Sector:
    """Everything as near to the centre as the quality's figure says."""
    return Sector(centre, UNIT * attack.weapon.figure(BLAST))


def cone_of(table: Table, attack: "Attack") -> Sector | None:
    """The cone as far as the weapon's range, towards the target or where it is sprayed; None if nobody said where."""
    place, facing = table.who(attack.attacker).place, _facing(table, attack)
    if facing is None or (table.has_map and place is None):
        return None
    centre = NOWHERE if place is None else place.point
    reach = range_of(table, attack.attacker, attack.weapon) or 0
    return Sector(centre, reach, facing, tables_of(table).core.spray.arc, needs_sight=True)


def _facing(table: Table, attack: "Attack") -> int | None:
    if not table.has_map:
        return attack.facing or 0
    if attack.facing is not None or not (attack.target or attack.place):
        return attack.facing
    bearing = table.space.bearing(attack.attacker, attack.target or attack.place or NOWHERE)
    return None if isinstance(bearing, Unknown) else bearing


def impact_of(table: Table, attack: "Attack") -> Point:
    """Where a blast goes off if it goes where it was aimed."""
    if attack.place is not None:
        return attack.place
    place = table.who(attack.target).place
    return NOWHERE if place is None else place.point


# Whom it holds


def in_cone(table: Table, attack: "Attack", cone: Sector) -> Fact[tuple[CombatantId, ...]]:
    """Everybody in the cone but who sprays it; complete concealment alone keeps one out of it.

    Without a map its target is, and whoever was stated to be.
    """
    if not table.has_map and not _says(table, attack):
        return Unknown("inside", (attack.attacker,), "gm")
    inside = table.space.inside(cone)
    if isinstance(inside, Unknown):
        return inside
    return _present(table, inside if table.has_map else (attack.target, *inside), but=attack.attacker)


def in_blast(table: Table, attack: "Attack", centre: Point | None) -> Fact[tuple[CombatantId, ...]]:
    """Everybody so near to the centre, who threw it and who stands on either side alike.

    `centre` None is one that has strayed to where, without a map, nobody but the GM knows.
    """
    reach = UNIT * attack.weapon.figure(BLAST)
    if table.has_map:
        near = table.space.near(centre or NOWHERE, reach)
    elif centre is None or not _says(table, attack):
        return Unknown("near", (attack.target,), "gm")
    else:
        near = table.space.near(attack.target or centre, reach)
    return near if isinstance(near, Unknown) else _present(table, (attack.target, *near) if not table.has_map else near)


def _says(table: Table, attack: "Attack") -> bool:
    """Whether what was stated is about this attack, and not about somebody's way into it."""
    return table.said.by in ("", attack.attacker)


def _present(table: Table, found: tuple[str, ...], but: str = "") -> tuple[CombatantId, ...]:
    """Those who are here, in initiative order."""
    return tuple(body.id for body in table.in_order() if body.id in found and body.id != but)


# What keeps one from it


def why_not_area(table: Table, attack: "Attack") -> Iterator[Reason]:
    """Too far, out of sight, or not told where and whom it holds."""
    if attack.weapon.has(SPRAY):
        yield from _why_not_cone(table, attack)
        return
    yield from _why_out_of_reach(table, attack)
    if not table.has_map and isinstance(in_blast(table, attack, NOWHERE), Unknown):
        yield table.rules.reason("missing_input", "DH-5700", at="/said/near")


def _why_not_cone(table: Table, attack: "Attack") -> Iterator[Reason]:
    """A cone has a direction; its target is no farther off than it reaches, and in sight."""
    reason = table.rules.reason
    cone = cone_of(table, attack)
    if cone is None:
        yield reason("missing_input", CLAUSE, at="/facing")
        return
    if not table.has_map and isinstance(in_cone(table, attack, cone), Unknown):
        yield reason("missing_input", "DH-5700", at="/said/inside")
    if not attack.target:
        return
    distance = table.space.distance(attack.attacker, attack.target)
    if not isinstance(distance, Unknown) and distance > cone.reach:
        yield reason("out_of_range", CLAUSE, at="/targets/0", need_length=cone.reach, got_length=distance)
    yield from _why_out_of_sight(table, attack)


def _why_out_of_reach(table: Table, attack: "Attack") -> Iterator[Reason]:
    reason, at = table.rules.reason, "/targets/0" if attack.target else "/area"
    names = (attack.target,) if attack.target else ()
    band = band_at_place(table, attack) if not attack.target else _band_of_target(table, attack)
    if isinstance(band, Unknown):
        asked = "/said/distance" if attack.target else "/said/length"
        yield reason("missing_input", "DH-5700", at=at if table.has_map else asked, names=names)
    elif band == BEYOND:
        yield reason("out_of_range", attack.params.cites.reach, at=at, names=names)
    yield from _why_out_of_sight(table, attack)


def _band_of_target(table: Table, attack: "Attack") -> Fact[str]:
    return range_band(table, attack.attacker, attack.target, attack.weapon)


def _why_out_of_sight(table: Table, attack: "Attack") -> Iterator[Reason]:
    space, goal = table.space, attack.target
    if not goal:
        if not table.has_map or attack.place is None:
            return
        space, goal = space.after({THERE: Place(*attack.place)}), CombatantId(THERE)
    sees = space.sees(attack.attacker, goal)
    if not isinstance(sees, Unknown) and not sees:
        at = "/targets/0" if attack.target else "/area"
        yield table.rules.reason("no_line_of_sight", "DH-5170", at=at, names=(goal,) if attack.target else ())


def band_at_place(table: Table, attack: "Attack") -> Fact[str]:
    """The range band of the point that it is aimed at. Without a map its distance is the stated length."""
    distance: Fact[Length] | None = table.said.length if _says(table, attack) else None
    if table.has_map and attack.place is not None:
        distance = table.space.after({THERE: Place(*attack.place)}).distance(attack.attacker, THERE)
    if distance is None:
        return Unknown("distance", (attack.attacker,))
    if isinstance(distance, Unknown):
        return distance
    return band_at(table, distance, range_of(table, attack.attacker, attack.weapon) or 0)


def to_leave(table: Table, who: CombatantId, area: Area) -> Area:
    """The area that somebody has to get out of: a blast also holds whose body reaches into it."""
    if isinstance(area, Sector) and area.arc >= WHOLE_CIRCLE:
        return Sector(area.centre, area.reach + table.extra(who))
    return area
