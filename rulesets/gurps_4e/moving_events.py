"""What follows a movement: movement inside an attack is noticed when the attack is done, and a brace is lost.
Clauses GU-1410, GU-1860, GU-1890, GU-2230.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from app.engine.events import Moved
from app.engine.ids import CombatantId
from app.engine.moments import Moment
from app.engine.scene import Scene
from app.engine.space.model import Unknown
from app.engine.state import Effect, State
from rulesets.gurps_4e.bracing import lifted
from rulesets.gurps_4e.conditions import AIMING, release
from rulesets.gurps_4e.figures import YARD
from rulesets.gurps_4e.handling import leave_behind

CLOSE = YARD // 2
"""Hundredths of a yard below which two are at distance 0. Clause: GU-490."""
UNDER_ATTACK = "attack_depth"
MOVED = "moved_last"


class Shifted(Moment, frozen=True):
    """Somebody was moved, or stepped away, while an attack was resolved; `before` is how all stood when it began."""

    mover: CombatantId
    before: State


@contextmanager
def settle_movement(scene: Scene) -> Iterator[None]:
    """Around an attack: what watches for movement hears of retreats and shoves once the whole attack is done.

    Clause: GU-1410.
    """
    started, before = len(scene.events), scene.state
    scene.met[UNDER_ATTACK] = scene.met.get(UNDER_ATTACK, 0) + 1
    yield
    scene.met[UNDER_ATTACK] -= 1
    if scene.met[UNDER_ATTACK]:
        return
    events = [emitted.event for emitted in scene.events[started:]]
    movers = dict.fromkeys(event.combatant for event in events if isinstance(event, Moved) and event.forced)
    for mover in movers:
        with scene.within("shifted", mover):
            scene.announce(Shifted(mover, before))


def count_speed(scene: Scene, who: CombatantId, since: int, *, carried: bool = False) -> None:
    """How far he has gone by himself this turn, or was carried, where the table counts it against those who shoot.

    `since` is the number of events before he went. Clause: GU-2020.
    """
    if not scene.flag("count_target_speed"):
        return
    told = [emitted.event for emitted in scene.events[since:]]
    own = [one for one in told if isinstance(one, Moved) and one.combatant == who and one.forced == carried]
    gone = sum(one.distance for one in own)
    before = scene.effect(who, MOVED)
    if gone:
        scene.begin(who, MOVED, value=gone + (0 if before is None else before.value))


def after_moving(scene: Scene, who: CombatantId) -> None:
    """What he has dropped lies farther off, a weapon that was braced may have left its rest, and nobody holds on to
    somebody who is farther off.

    Clauses: GU-530, GU-1860, GU-1890, GU-2230.
    """
    leave_behind(scene, who)
    for holder, held, hold in [one for one in _holds(scene) if who in one[:2]]:
        far = scene.space.distance(holder, held)
        if not isinstance(far, Unknown) and far >= CLOSE:
            release(scene, holder, hold, "apart")
    record = lifted(scene, who)
    if record is not None:
        scene.begin(who, AIMING, value=record.value, item=record.item, against=record.against, declared=record.declared)


def _holds(scene: Scene) -> list[tuple[CombatantId, CombatantId, Effect]]:
    """Who holds whom. Clause: GU-2230."""
    return [
        (body.id, hold.against, hold)
        for body in scene.state.combatants.values()
        for hold in scene.effects(body.id, "grappling")
        if hold.against is not None
    ]
