"""What the GM puts on somebody, with what the rules do beside it. Clauses MA-070, MA-320, MA-470, MA-730, MA-820."""

from app.engine.ids import CombatantId, ItemId
from app.engine.scene import Scene
from rulesets.manewry_ap.classes import is_modifier, lay_on
from rulesets.manewry_ap.figures import HIDDEN, HP, SPOTTED
from rulesets.manewry_ap.harm import settle_health
from rulesets.manewry_ap.holds import GRABBED, HOLDING, take_hold
from rulesets.manewry_ap.weapons import in_hand


def begin_by_ruling(scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None = None) -> None:
    """A modifier that ends with the turn of `against`, a hold with its other half, or any other condition."""
    if is_modifier(kind):
        lay_on(scene, who, kind, value, against)
    elif kind == GRABBED and against is not None:
        take_hold(scene, against, who, _with(scene, against))
    elif kind == HOLDING and against is not None:
        take_hold(scene, who, against, _with(scene, who))
    else:
        if kind in (HIDDEN, SPOTTED):
            scene.end(who, HIDDEN, SPOTTED, why="ruling")
        scene.begin(who, kind, value=value, against=against)


def _with(scene: Scene, holder: CombatantId) -> ItemId | None:
    """What he holds somebody with: what is in his hand, else the hand itself. Clause: MA-300."""
    return next((key for key, _, _ in in_hand(scene, holder)), None)


def set_pool_by_ruling(scene: Scene, who: CombatantId, pool: str, value: int) -> None:
    """Health given another value may put somebody down, or up again. Clause: MA-800."""
    scene.change_pool(who, pool, value - scene.pool(who, pool))
    if pool == HP:
        settle_health(scene, who)
