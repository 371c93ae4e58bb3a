"""Showing and hiding in the middle of a fight: what others are told when a combatant's own data change.

Whoever is hidden vanishes before the change that nobody may see; whoever is shown appears as he then is, without what
was before. An unknown slot comes and goes by facts that name nothing but its id.
"""

from collections.abc import Iterator

from app.engine import events as ev
from app.engine.ids import ClauseId, CombatantId
from app.engine.scene import Scene
from app.engine.state import Combatant
from app.engine.visibility import ABSENT_SLOT, PRESENT_SLOT


def put(scene: Scene, body: Combatant, fields: tuple[str, ...], clause: ClauseId | None = None) -> None:
    """A combatant's own data become these."""
    before = scene.who(body.id)
    if body.hidden and not before.hidden:
        scene.emit(ev.Noted(body.id, "vanished", clause=clause))
    scene.emit(ev.Edited(body, fields, clause))
    for told in slot_told(before, body):
        scene.emit(told)
    if before.hidden and not body.hidden:
        scene.emit(ev.Appeared(scene.who(body.id), before.slot, clause))


def slot_told(before: Combatant | None, body: Combatant) -> Iterator[ev.Noted]:
    """What others learn of an unknown slot; on reveal nothing, for `Appeared` names it."""
    old = None if before is None or not before.hidden else before.slot
    new = body.slot if body.hidden else None
    if old == new:
        return
    if old is not None and body.hidden:
        yield ev.Noted(CombatantId(old), ABSENT_SLOT)
    if new is not None:
        yield ev.Noted(CombatantId(new), PRESENT_SLOT)
