"""What any other action breaks: an aim that is held, suppressive fire that is kept up. Clauses SR-320, SR-435."""

from app.engine.ids import ActionId, CombatantId, ItemId
from app.engine.scene import Scene

AIM_LEAVES = ("take_aim", "walk", "call_shot", "multiple_attacks", "delay_action")
"""What an aim outlasts. The attack it is for uses it up itself. Clause: SR-320."""
FIRE_LEAVES = ("suppressive_fire", "delay_action")


def disturb(scene: Scene, who: CombatantId, action: ActionId, weapon: ItemId | None = None) -> None:
    """He has taken an action: another one than the aim is for loses it, and suppressive fire stops.

    Clauses: SR-320, SR-435.
    """
    aim = scene.effect(who, "aiming")
    fires_it = aim is not None and aim.item == weapon and "fire" in action
    if aim is not None and action not in AIM_LEAVES and not fires_it:
        scene.end(who, "aiming", why="other_action", clause="SR-320")
    if action not in FIRE_LEAVES:
        stop_suppressing(scene, who)


def stop_suppressing(scene: Scene, who: CombatantId) -> None:
    """His suppressive fire is over for everybody who was in it. Clause: SR-435."""
    if not scene.end(who, "suppressing", why="other_action", clause="SR-435"):
        return
    for body in scene.in_order():
        for effect in tuple(scene.effects(body.id, "suppressed")):
            if effect.source == who:
                scene.end_one(body.id, effect, "ended", "SR-435")
