"""Where people stand to each other: foes, who is unseen, distances, sight, backs, cover, who stands in the way.

Clauses MA-080, MA-200, MA-210, MA-540, MA-600, MA-720, MA-830, table 1.3.
"""

from app.engine.ids import CombatantId, Length
from app.engine.space import Space
from app.engine.space.model import Fact, Point, Unknown
from app.engine.table import Table
from app.engine.vocabulary import Vocabulary
from rulesets.manewry_ap.figures import HIDDEN, UNIT, is_on_the_ground, tables_of
from rulesets.manewry_ap.tables import Tables

FRONT, BEHIND = "front", "behind"
ARCS = ((FRONT, 180), (BEHIND, 360))
"""Behind is more than a right angle off. Clause: MA-720."""


def vocabulary(tables: Tables) -> Vocabulary:
    """The words in which a fight without a map may be stated, and the covers that a map may have."""
    return Vocabulary(arcs=(FRONT, BEHIND), cover_ratings=tuple(row.id for row in tables.objects))


def are_foes(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether they are on different sides."""
    return table.who(one).side != table.who(other).side


def foes_of(table: Table, who: CombatantId) -> list[CombatantId]:
    """Conscious enemies, by id. Clause: MA-710."""
    bodies = table.state.combatants.values()
    return sorted(body.id for body in bodies if body.status == "up" and are_foes(table, who, body.id))


def unseen_by(table: Table, who: CombatantId) -> frozenset[CombatantId]:
    """Of whom he knows nothing: enemies that are hidden, and those whom only the GM sees. Clauses: MA-200, MA-740."""
    hidden = (body.id for body in table.state.combatants.values() if table.has(body.id, HIDDEN))
    return table.unknown_to(who) | frozenset(one for one in hidden if are_foes(table, who, one))


def knows_of(table: Table, who: CombatantId, other: CombatantId) -> bool:
    """Whether there is such a combatant as far as he knows. Clause: MA-200."""
    return table.known(other) and other not in unseen_by(table, who)


def distance(table: Table, one: CombatantId, other: CombatantId) -> Fact[Length]:
    """How far apart they are, in hundredths: the greater of the two differences. Clause: MA-080."""
    return table.space.distance(one, other)


def is_within(table: Table, one: CombatantId, other: CombatantId, units: int) -> Fact[bool]:
    """Whether they are no farther apart than so many units; who is stated to be engaged is adjacent. Clause: MA-080."""
    return table.space.adjacent(one, other, units * UNIT)


def in_sight(table: Table, one: CombatantId, other: CombatantId) -> Fact[bool]:
    """Whether nothing stands between them: it is the same both ways. Clauses: MA-210, MA-710."""
    found = table.space.sees(one, other)
    if isinstance(found, Unknown) and not isinstance(back := table.space.sees(other, one), Unknown):
        return back
    return found


def is_behind(table: Table, who: CombatantId, foe: CombatantId, stated: tuple[str, ...] | None) -> Fact[bool]:
    """Whether he is behind the back of that foe, by facing on a map, else as stated. Clauses: MA-720, MA-830."""
    if not table.has_map and stated is not None:
        return foe in stated
    found = table.space.arc_of(foe, who, ARCS)
    return found if isinstance(found, Unknown) else found == BEHIND


def distances_after(table: Table) -> dict[CombatantId, Length]:
    """Without a map: how far from others he is stated to be once he has moved. Clause: MA-080."""
    return {CombatantId(who): far for who, far in (table.said.distance_after or {}).items()}


# Who is in the way


def way_space(table: Table, who: CombatantId, *, whole: bool = False) -> Space:
    """Space as somebody finds it who goes through it: who is on the ground is in nobody's way, who is unseen only when
    he is met (`whole`). Clauses: MA-470, MA-600.
    """
    low = {body.id for body in table.state.combatants.values() if is_on_the_ground(table, body.id)} - {who}
    return table.whole_space.known_to(low if whole else low | unseen_by(table, who))


def stands_there(table: Table, who: CombatantId) -> bool:
    """Whether somebody else stands where he is. Clause: MA-470."""
    mine = table.who(who).place
    return mine is not None and any(
        body.id != who
        and body.status == "up"
        and body.place is not None
        and body.place.point == mine.point
        and not is_on_the_ground(table, body.id)
        for body in table.state.combatants.values()
    )


def is_taken(table: Table, who: CombatantId, point: Point, unseen: frozenset[CombatantId]) -> bool:
    """Whether somebody else is in that square, on his feet or not. Clause: MA-440."""
    return any(
        body.id != who
        and body.id not in unseen
        and body.status == "up"
        and body.place is not None
        and max(abs(body.place.x - point[0]), abs(body.place.y - point[1])) < UNIT
        for body in table.state.combatants.values()
    )


# Cover


def object_cover(table: Table, attacker: CombatantId, target: CombatantId) -> int | None:
    """The rating of the best object next to the target and between the two; without a map the one that was stated.

    None without one. Table 1.3.
    """
    found = table.space.cover(attacker, target)
    if isinstance(found, Unknown):
        return None
    near = [piece.rating for piece in found.pieces if not table.has_map or _is_next_to(table, target, piece.id)]
    return max((rating for one in near if (rating := _rating(table, one)) is not None), default=None)


def _rating(table: Table, word: str) -> int | None:
    """What a kind of object is worth."""
    return next((row.cover for row in tables_of(table).objects if row.id == word), None)


def _is_next_to(table: Table, who: CombatantId, wall: str) -> bool:
    """Whether a wall of the map is no farther from him than a square. Table 1.3."""
    ground, place = table.state.scenery.ground, table.who(who).place
    if ground is None or place is None:
        return False
    return any(_gap(one.a, one.b, place.point) <= UNIT for one in ground.walls if one.id == wall)


def _gap(a: Point, b: Point, point: Point) -> Length:
    """How far a point is from a wall by the metric of squares; a slanting one counts as the box around it."""
    across = max(min(a[0], b[0]) - point[0], point[0] - max(a[0], b[0]), 0)
    along = max(min(a[1], b[1]) - point[1], point[1] - max(a[1], b[1]), 0)
    return max(across, along)
