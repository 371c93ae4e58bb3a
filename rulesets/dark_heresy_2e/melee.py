"""Being locked in melee: who is, how it begins and ends. Clauses DH-3380, DH-5130, DH-5640."""

from app.engine.events import EngagementBegan, EngagementEnded
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from rulesets.dark_heresy_2e.conditions import is_out, let_go
from rulesets.dark_heresy_2e.reach import engagement_range


def engage(scene: Scene, one: CombatantId, other: CombatantId, clause: str = "DH-5130") -> None:
    """Lock two in melee; whoever enters melee is pinned no longer. Clauses: DH-5130, DH-5640."""
    if is_out(scene, one) or is_out(scene, other):
        return
    if not scene.engaged(one, other):
        scene.emit(EngagementBegan(one, other, ClauseId(clause)))
    for who in (one, other):
        scene.end(who, "pinned", why="engaged", clause="DH-5640")


def part(scene: Scene, one: CombatantId, other: CombatantId, clause: str = "DH-5130") -> None:
    """They are locked in melee no longer, nor in a grapple. Clauses: DH-3548, DH-5130."""
    if scene.engaged(one, other):
        scene.emit(EngagementEnded(one, other, ClauseId(clause)))
        let_go(scene, one, "apart", other=other)


def part_from_the_far(scene: Scene, who: CombatantId, named: tuple[CombatantId, ...] = ()) -> None:
    """After a movement: he is locked no longer with those he is not next to, on the map, or with those named, without.

    Clause: DH-5130.
    """
    for other in scene.who(who).engaged:
        if not scene.has_map:
            if other in named:
                part(scene, who, other)
            continue
        near = scene.space.adjacent(who, other, engagement_range(scene))
        if not isinstance(near, Unknown) and not near and together(who, other) not in scene.met:
            part(scene, who, other)


def together(one: CombatantId, other: CombatantId) -> str:
    """The name, among what a command has set off, by which two go somewhere as one, if one step after the other."""
    return "/".join(("together", *sorted((one, other))))
