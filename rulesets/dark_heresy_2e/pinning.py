"""The Pinning test: who loses his nerve under fire. Clauses DH-5640, DH-5650."""

from collections.abc import Iterable
from functools import partial

from app.engine.events import Term
from app.engine.ids import CombatantId
from app.engine.scene import Scene
from app.engine.table import Table
from rulesets.dark_heresy_2e.checks import take_test, tell, unspoken_test
from rulesets.dark_heresy_2e.conditions import is_out, pin
from rulesets.dark_heresy_2e.reach import is_engaged

TESTED = "wp"


def pinning_test(scene: Scene, who: CombatantId, modifiers: Iterable[Term] = (), clause: str = "DH-5650") -> None:
    """Willpower with the stated modifiers, or he is pinned. Who is pinned already stays so and counts as shot at.

    The dead and unconscious do not test, nor does anybody locked in melee. Clauses: DH-3910, DH-5650.
    """
    if _is_exempt(scene, who):
        return
    if scene.has(who, "pinned"):
        if not scene.has(who, "shot_at"):
            scene.begin(who, "shot_at")
        return
    if not take_test(scene, who, TESTED, "pinning", modifiers, clause=clause).success:
        pin(scene, who)


def pinning_tests(scene: Scene, whom: Iterable[CombatantId], modifiers: Iterable[Term], clause: str) -> None:
    """The same for several, given in initiative order: they test side by side. Clauses: DH-4210, DH-5650."""
    terms = tuple(modifiers)
    testing = [who for who in whom if not _is_exempt(scene, who) and not scene.has(who, "pinned")]
    with scene.within("pinning"):
        tests = scene.gather(
            {
                who: partial(
                    unspoken_test,
                    scene,
                    who,
                    TESTED,
                    "pinning",
                    terms,
                    clause=clause,
                    sees=lambda success, degrees: success,
                )
                for who in testing
            }
        )
    for who in testing:
        check, told = tests[who]
        tell(scene, told)
        if not check.success:
            pin(scene, who)


def _is_exempt(table: Table, who: CombatantId) -> bool:
    """The dead and unconscious do not test, nor does anybody locked in melee. Clauses: DH-3910, DH-5650."""
    return is_out(table, who) or is_engaged(table, who)
