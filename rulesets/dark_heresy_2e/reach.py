"""Who can get at whom: melee reach, range bands, sight, cover. Clauses DH-5130 to DH-5170, DH-5340, DH-5350."""

from app.engine.ids import CombatantId, Length
from app.engine.space.lattice import plane_of
from app.engine.space.model import Cover, CoverPiece, Fact, Place, Point, Sector, Unknown
from app.engine.space.predicates import near_segment
from app.engine.table import Table
from rulesets.dark_heresy_2e.figures import tables_of
from rulesets.dark_heresy_2e.weapons import Weapon, range_of

ADVANCING = "tactical_advance"
"""The effect of who goes from cover to cover; its area is where he stood behind the first. Clause: DH-4600."""
CENTRE = "centre"
"""Name of where a blast went off among those who stand on the map."""
POINT_BLANK = "point_blank"
BEYOND = ""
"""The band of what is out of range."""


def length_option(table: Table, key: str) -> Length:
    """A house-rule option that is a length, in hundredths."""
    value = table.option(key)
    assert isinstance(value, int)
    return value


def engagement_range(table: Table) -> Length:
    """How near is next to somebody. Clause: DH-5130."""
    return length_option(table, "engagement_range_m")


def is_adjacent(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether they are near enough for melee: next to each other on the map, or a stated pair. Clause: DH-5130."""
    if not table.has_map and (table.engaged(one, other) or _stated_pair(table, one, other)):
        return True
    found = table.space.adjacent(one, other, engagement_range(table))
    return not isinstance(found, Unknown) and found


def _stated_pair(table: Table, one: CombatantId, other: CombatantId) -> bool:
    said = table.said
    return bool(said.engage) and {said.by, *(said.engage or ())} >= {one, other}


def engaged_opponents(table: Table, who: CombatantId) -> tuple[CombatantId, ...]:
    """Those he is locked in melee with and who can still hold him there."""
    return tuple(other for other in table.who(who).engaged if table.who(other).status == "up")


def is_engaged(table: Table, who: CombatantId) -> bool:
    """Whether he is locked in melee with anybody."""
    return bool(engaged_opponents(table, who))


def range_band(table: Table, shooter: CombatantId, target: CombatantId, weapon: Weapon) -> Fact[str]:
    """The band the target is in: `point_blank`, `short`, `normal`, `long`, `extreme`, or beyond.

    Without a map it may be stated in place of the distance; a pair in melee is as near as that takes, if nobody said
    more. Clauses: DH-5130, DH-5140, DH-5700.
    """
    distance = table.space.distance(shooter, target)
    if isinstance(distance, Unknown):
        stated = table.space.band(shooter, target, ())
        if not isinstance(stated, Unknown):
            return stated
        if not is_adjacent(table, shooter, target):
            return distance
        distance = engagement_range(table)
    return band_at(table, distance, range_of(table, shooter, weapon) or 0)


def band_at(table: Table, distance: Length, reach: Length) -> str:
    """The band of a distance for a weapon of that range. Point blank comes first, whatever the range.

    Clause: DH-5140.
    """
    if distance <= length_option(table, "point_blank_m"):
        return POINT_BLANK
    for row in tables_of(table).ranges:
        limit, held = reach * row.percent, distance * 100
        if held < limit or (row.edge and held == limit):
            return row.band
    return BEYOND


def is_into_melee(table: Table, shooter: CombatantId, target: CombatantId) -> bool:
    """Whether the target is locked in melee with somebody else than the shooter. Clause: DH-5350."""
    return any(other != shooter for other in engaged_opponents(table, target))


def gang(table: Table, attacker: CombatantId, target: CombatantId) -> int:
    """How many of the attacker's side are on the target, himself included; the stunned and helpless do not count.

    Clause: DH-5135.
    """
    side = table.who(attacker).side
    others = {
        other
        for other in table.who(target).engaged
        if other != attacker
        and table.who(other).side == side
        and table.who(other).status == "up"
        and not table.has(other, "stunned", "helpless", "unconscious")
    }
    return len(others) + 1


def cover_at(
    table: Table, attacker: CombatantId, target: CombatantId, location: str, centre: Point | None = None
) -> tuple[int, str | None]:
    """Armour points of cover at the location and the piece that gives them, the best if there are several.

    What was stated for the target counts beside what the map shows; without a map, what was stated for the two of
    them goes before it. On a map a blast comes from its centre, and who advances from cover to cover is still behind
    the one that he left. Clauses: DH-4600, DH-5160, DH-5480.
    """
    pieces: list[CoverPiece] = []
    stated = table.who(target).cover
    if stated is not None and table.has_map:
        pieces.extend(stated.pieces)
    space, eye = table.space, str(attacker)
    if table.has_map and centre is not None:
        eye = CENTRE
        space = space.after({eye: Place(*centre)})
    left = table.effect(target, ADVANCING)
    if left is not None and isinstance(left.area, Sector):
        space = space.after({target: Place(*left.area.centre)})
    seen = space.cover(eye, target)
    if not isinstance(seen, Unknown):
        pieces.extend(seen.pieces)
    best: tuple[int, str | None] = (0, None)
    for piece in pieces:
        points = piece.ap - table.state.scenery.worn.get(piece.id, 0)
        if location in piece.locations and points > best[0]:
            best = (points, piece.id)
    return best


def is_in_cover(table: Table, who: CombatantId) -> bool:
    """Whether he stands behind anything: stated, or a cover of the map next to him. Clauses: DH-4600, DH-5640."""
    body = table.who(who)
    return body.cover not in (None, Cover()) or (
        body.place is not None and bool(covers_beside(table, body.place.point))
    )


def covers_beside(table: Table, point: Point) -> tuple[str, ...]:
    """The covers of the map next to which somebody at that point stands, or as near as they ask. Clause: DH-5160."""
    ground = table.state.scenery.ground
    if ground is None:
        return ()
    plane, reach = plane_of(ground.grid), engagement_range(table)
    here = plane.into(point)
    named = ((wall.id or f"wall_{number}", wall) for number, wall in enumerate(ground.walls))
    return tuple(
        name
        for name, wall in named
        if wall.cover is not None
        and not wall.open
        and wall.cover.ap > table.state.scenery.worn.get(name, 0)
        and near_segment(plane, here, wall.a, wall.b, reach if wall.cover.near is None else wall.cover.near)
    )
