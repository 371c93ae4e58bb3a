"""Losing one's footing: driven back by a shove or a blow, and keeping one's balance. Clauses GU-2210, GU-2220."""

from app.engine.events import Moved, Term
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from rulesets.gurps_4e.checks import DX, succeeds, take_test
from rulesets.gurps_4e.conditions import is_out
from rulesets.gurps_4e.figures import LYING, YARD, figure, posture_of, tables_of
from rulesets.gurps_4e.holding_on import knocked_down
from rulesets.gurps_4e.moving_events import after_moving


def knock_back(scene: Scene, by: CombatantId, who: CombatantId, strength: int, clause: str) -> None:
    """A yard straight away for each full ST less 2 in it; the farther, the harder to stay on one's feet.

    Clause: GU-2220.
    """
    yards = strength // max(1, figure(scene.who(who), "st") - tables_of(scene).core.shove.st_less)
    if not yards:
        return
    _driven_back(scene, by, who, yards, clause)
    keep_balance(scene, who, clause, Term("knockback", 1 - yards, ClauseId(clause)))


def keep_balance(scene: Scene, who: CombatantId, clause: str, *terms: Term) -> None:
    """DX, or he falls; nobody asks it of whoever lies already. Clauses: GU-2210, GU-2220."""
    if is_out(scene, who) or posture_of(scene, who) in LYING:
        return
    with scene.within("balance"):
        if not take_test(scene, who, DX, "keep_balance", terms, clause=clause, sees=succeeds).success:
            knocked_down(scene, who, clause)


def _driven_back(scene: Scene, by: CombatantId, who: CombatantId, yards: int, clause: str) -> None:
    """Straight away, as far as nothing stops him. Clause: GU-2220."""
    length = yards * YARD
    if not scene.has_map:
        far = scene.space.distance(by, who)
        distances = {} if isinstance(far, Unknown) else {by: far + length}
        scene.emit(Moved(who, length, forced=True, distances=distances, clause=ClauseId(clause)))
        after_moving(scene, who)
        return
    landing = scene.space.push(who, _away(scene, by, who), length)
    before = scene.who(who).place
    if isinstance(landing, Unknown) or landing.where is None or landing.where == before or before is None:
        return
    run = scene.space.run(who, (landing.where.point,))
    gone = length if isinstance(run, Unknown) else run.length
    scene.emit(Moved(who, gone, place=landing.where, forced=True, clause=ClauseId(clause)))
    after_moving(scene, who)


def _away(scene: Scene, by: CombatantId, who: CombatantId) -> int:
    """The direction from the one to the other; where they are at one point, the way the first looks."""
    here, there = scene.who(by).place, scene.who(who).place
    if here is not None and there is not None and here.point == there.point:
        return here.facing or 0
    away = scene.space.bearing(by, who)
    return 0 if isinstance(away, Unknown) else away
