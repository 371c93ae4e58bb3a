"""The loop over a ruleset's turn structure.

The engine owns this; every answer in it is the ruleset's (`rules.Turns`).
"""

from app.engine.events import SlotDropped, SlotQueued
from app.engine.ids import ClauseId
from app.engine.scene import Scene
from app.engine.state import Slot

MAX_SLOTS = 500
"""So many pass before the game master is left to decide: by then nobody is there who comes to himself."""


def advance(scene: Scene) -> None:
    """Close what runs, then go on until the next slot opens: committed ones first, else the next that the rules give.

    Ends without an open slot when nobody is left who could have one, or all have been passed over so often that nobody
    seems ever to: a ruling that helps somebody opens the next. Everything asked on the way carries the count of slots
    passed in its key, since one command may pass several phases.
    """
    turns = scene.rules.turns
    running = scene.slot()
    if running is not None:
        with scene.within("close", running.owner):
            turns.close(scene, running)
    for passed in range(MAX_SLOTS):
        if not any(body.status == "up" for body in scene.state.combatants.values()):
            return
        with scene.within(f"gap{passed}"):
            turns.between(scene)
            slot = _committed(scene) or turns.next(scene)
            if slot is not None and turns.open(scene, slot):
                return


def _committed(scene: Scene) -> Slot | None:
    queue = scene.state.clock.queue
    if not queue:
        return None
    scene.emit(SlotDropped(queue[0].owner, queue[0].kind, queue[0].clause))
    return queue[0]


def commit(scene: Scene, slot: Slot, clause: str, *, front: bool = False) -> None:
    """Put a stretch of time into the queue."""
    scene.emit(SlotQueued(slot.owner, slot.kind, slot.others, front, ClauseId(clause)))
