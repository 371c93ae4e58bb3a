"""What follows a movement: movement inside an attack is noticed when the attack is done, and a brace is lost.
Clauses GU-1410, GU-1860, GU-1890, GU-2230.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from app.engine.events import Moved
from app.engine.ids import CombatantId
from app.engine.moments import Moment
from app.engine.scene import Scene
from app.engine.state import State
from rulesets.gurps_4e.conditions import AIMING
from rulesets.gurps_4e.weapons import HANDS, weapon_of

UNDER_ATTACK = "attack_depth"


@dataclass(frozen=True, slots=True)
class Shifted(Moment):
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


def after_moving(scene: Scene, who: CombatantId) -> None:
    """A two-handed weapon that was braced has left its rest. Clauses: GU-1860, GU-1890."""
    record = scene.effect(who, AIMING)
    if record is None or record.item is None or record.declared.get("braced") is not True:
        return
    if weapon_of(scene, who, record.item).hands < HANDS:
        return
    scene.begin(
        who,
        AIMING,
        value=record.value,
        item=record.item,
        against=record.against,
        declared={**record.declared, "braced": False},
    )
