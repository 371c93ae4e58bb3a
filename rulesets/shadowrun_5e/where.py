"""Where people stand to each other: distance, sight, cover, who is locked in melee. Clauses SR-355, SR-580, SR-590."""

from app.engine.events import EngagementBegan, EngagementEnded
from app.engine.ids import ClauseId, CombatantId, Length
from app.engine.scene import Scene
from app.engine.space.model import Cover, Point, Unknown
from app.engine.table import Table
from rulesets.shadowrun_5e.figures import tables_of
from rulesets.shadowrun_5e.weapons import melee_weapon, striking_distance

PARTIAL, GOOD = "in_cover_partial", "in_cover_good"


def distance(table: Table, one: CombatantId, other: CombatantId) -> Length | None:
    """Hundredths of a metre between them, None where nobody has said."""
    found = table.space.distance(one, other)
    return None if isinstance(found, Unknown) else found


def can_see(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether he sees the other: no wall between, nobody said he does not, and the other is not hidden from him.

    Without a map nothing said is a yes.
    """
    if other in table.unknown_to(one):
        return False
    found = table.space.sees(one, other)
    return True if isinstance(found, Unknown) else found


def missing_distance(table: Table) -> str:
    """Where in a submission a distance that nobody has stated belongs."""
    return "/targets/0" if table.has_map else "/said/distance"


def near_enough(table: Table, one: CombatantId, other: CombatantId) -> bool:
    """Whether either could strike the other from where they stand; unknown counts as yes. Clause: SR-580."""
    far = distance(table, one, other)
    pairs = (one, other)
    return far is None or any(far <= striking_distance(table, who, melee_weapon(table, who)) for who in pairs)


def in_melee(table: Table, who: CombatantId) -> bool:
    """Whether he is locked with somebody who is still there and near enough. Clause: SR-580."""
    engaged = table.who(who).engaged
    return any(table.who(other).status == "up" and near_enough(table, who, other) for other in engaged)


def lock(scene: Scene, one: CombatantId, other: CombatantId) -> None:
    """A blow was struck between them. Clause: SR-580."""
    if not scene.engaged(one, other):
        scene.emit(EngagementBegan(one, other, ClauseId("SR-580")))


def part_by_moving(scene: Scene, who: CombatantId, named: tuple[CombatantId, ...]) -> None:
    """Without a map: of whom nothing is said after a move, he is locked with no longer. Clauses: SR-580, SR-590."""
    if scene.has_map:
        return
    for other in scene.who(who).engaged:
        if other not in named or not near_enough(scene, who, other):
            scene.emit(EngagementEnded(who, other, ClauseId("SR-580")))


def cover_of(table: Table, who: CombatantId, attacker: CombatantId) -> str | None:
    """The cover that he has taken against this attacker: by the map, or as it was stated. Clause: SR-355."""
    for kind in (GOOD, PARTIAL):
        effect = table.effect(who, kind)
        if effect is None:
            continue
        if table.has_map:
            return hidden_share(table, attacker, who)
        return kind if not effect.words or attacker in effect.words else None
    return None


def hidden_share(table: Table, attacker: CombatantId, who: CombatantId) -> str | None:
    """Partial from a quarter hidden on, good above a half. Clause: SR-355."""
    return _share_of(table, table.space.cover(attacker, who))


def shelter_from(table: Table, point: Point, who: CombatantId) -> str | None:
    """The same against a burst at that point: what stands between is there whether anybody knows of it or not.

    Clauses: SR-355, SR-830.
    """
    return _share_of(table, table.whole_space.cover(point, who))


def _share_of(table: Table, found: Cover | Unknown) -> str | None:
    shares = tables_of(table).core.cover
    if isinstance(found, Unknown) or found.hidden < shares.partial:
        return None
    return GOOD if found.hidden > shares.good else PARTIAL
