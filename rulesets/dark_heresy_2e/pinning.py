"""The Pinning test: who loses his nerve under fire. Clauses DH-5640, DH-5650."""

from collections.abc import Iterable

from app.engine.events import Term
from app.engine.ids import CombatantId
from app.engine.scene import Scene
from rulesets.dark_heresy_2e.checks import take_test
from rulesets.dark_heresy_2e.conditions import is_out, pin
from rulesets.dark_heresy_2e.reach import is_engaged

TESTED = "wp"


def pinning_test(scene: Scene, who: CombatantId, modifiers: Iterable[Term] = (), clause: str = "DH-5650") -> None:
    """Willpower with the stated modifiers, or he is pinned. Who is pinned already stays so and counts as shot at.

    The dead and unconscious do not test, nor does anybody locked in melee. Clauses: DH-3910, DH-5650.
    """
    if is_out(scene, who) or is_engaged(scene, who):
        return
    if scene.has(who, "pinned"):
        if not scene.has(who, "shot_at"):
            scene.begin(who, "shot_at")
        return
    if not take_test(scene, who, TESTED, "pinning", modifiers, clause=clause).success:
        pin(scene, who)
