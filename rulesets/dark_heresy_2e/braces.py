"""Heavy weapons that stand braced: towards where, how, and what ends it. Clauses DH-4500 to DH-4540."""

from app.engine.ids import CombatantId, ItemId
from app.engine.scene import Scene

BRACED = "braced"
MOVED = "DH-4520"


def unbrace(scene: Scene, who: CombatantId, item: ItemId) -> None:
    """The weapon is no longer braced. Clause: DH-4520."""
    if scene.item(who, item).marks.get(BRACED):
        scene.mark_item(who, item, BRACED, 0, MOVED)


def displaced(scene: Scene, who: CombatantId) -> None:
    """He has come to stand somewhere else, and what he holds with him. Clause: DH-4520."""
    for key, item in tuple(scene.who(who).items.items()):
        if item.held:
            unbrace(scene, who, ItemId(key))
