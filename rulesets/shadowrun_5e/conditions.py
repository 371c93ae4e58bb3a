"""What becomes of somebody: prone, unconscious, dying, dead, and what rulings do. Clauses SR-450, SR-760 to SR-790."""

from app.engine.events import StatusChanged
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from rulesets.shadowrun_5e.delaying import ACTING_LAST, CARRIED_DELAY, DELAYING, INTERVENING
from rulesets.shadowrun_5e.figures import PRONE
from rulesets.shadowrun_5e.steadiness import stop_suppressing

COVERS = ("in_cover_partial", "in_cover_good")
UNCONSCIOUS, DYING, DEAD, STABILIZED = "unconscious", "dying", "dead", "stabilized"
LOST_WHEN_OUT = ("aiming", DELAYING, INTERVENING, ACTING_LAST, CARRIED_DELAY, "full_defense", "surprised")


def fall_prone(scene: Scene, who: CombatantId, clause: str) -> None:
    """He lies, and the cover that he stood behind is none. Clauses: SR-355, SR-450."""
    leave_cover(scene, who)
    if not scene.has(who, PRONE):
        scene.begin(who, PRONE, clause=clause)


def leave_cover(scene: Scene, who: CombatantId) -> None:
    """He moved or was knocked down. Clause: SR-355."""
    scene.end(who, *COVERS, why="moved", clause="SR-355")


def knock_out(scene: Scene, who: CombatantId, clause: str = "SR-780") -> None:
    """Unconscious, lying, without aim or delayed phase. Clause: SR-780."""
    if scene.has(who, UNCONSCIOUS):
        return
    scene.begin(who, UNCONSCIOUS, clause=clause)
    fall_prone(scene, who, clause)
    for kind in LOST_WHEN_OUT:
        effects = [effect for effect in scene.who(who).effects.values() if effect.kind == kind]
        for effect in effects:
            scene.end_one(who, effect, UNCONSCIOUS, "SR-780")
    stop_suppressing(scene, who)
    if scene.who(who).status == "up":
        scene.emit(StatusChanged(who, "down", UNCONSCIOUS, ClauseId(clause)))


def come_round(scene: Scene, who: CombatantId) -> None:
    """No monitor is full any more: he is awake, and lies where he lay. Clause: SR-780."""
    scene.end(who, UNCONSCIOUS, DYING, "bleeding", why="healed", clause="SR-780")
    if scene.who(who).status == "down":
        scene.emit(StatusChanged(who, "up", "healed", ClauseId("SR-780")))


def die(scene: Scene, who: CombatantId) -> None:
    """Overflow beyond the body is death. Clause: SR-790."""
    scene.end(who, DYING, "bleeding", why=DEAD, clause="SR-790")
    if not scene.has(who, DEAD):
        scene.begin(who, DEAD)
    if scene.who(who).status != DEAD:
        scene.emit(StatusChanged(who, "dead", DEAD, ClauseId("SR-790")))
