"""The GM's hand: overruling the game. A ruling is named, reasoned, and made of ordinary events."""

from collections.abc import Iterator

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Reason, Refused
from app.engine.scene import Scene
from app.engine.state import Effect, Status, Tick
from app.engine.turns import advance


def rule(scene: Scene, ruling: cmd.Rule) -> None:
    """Carry out a ruling. Raises `Refused` for a combatant, effect or item that is not there."""
    reasons = tuple(_missing(scene, ruling))
    if reasons:
        raise Refused(reasons)
    concerned = tuple(dict.fromkeys(change.combatant for change in ruling.changes))
    scene.emit(ev.Ruled(ruling.reason, concerned))
    for change in ruling.changes:
        _apply(scene, change)


def _missing(scene: Scene, ruling: cmd.Rule) -> Iterator[Reason]:
    for place, change in enumerate(ruling.changes):
        at = f"/changes/{place}"
        for field, who in _named(change):
            if who is not None and not scene.known(who):
                yield scene.rules.reason("unknown_combatant", at=f"{at}/{field}", names=(who,))
                break
        else:
            if isinstance(change, cmd.AddEffect) and change.kind not in scene.rules.effects:
                yield scene.rules.reason("unknown_effect", at=f"{at}/add_effect/id", names=(change.kind,))
            if isinstance(change, cmd.SetPool) and change.pool not in scene.rules.pools:
                yield scene.rules.reason("unknown_resource", at=f"{at}/resource", names=(change.pool,))


def _named(change: cmd.Change) -> Iterator[tuple[str, CombatantId | None]]:
    """Everybody a change names, and where the ruling has him."""
    is_fact = isinstance(change, cmd.SetFact)
    yield "fact/from" if is_fact else "combatant", change.combatant
    yield "fact/to" if is_fact else "engaged_with", getattr(change, "other", None)
    yield "add_effect/against", getattr(change, "against", None)


def _apply(scene: Scene, change: cmd.Change) -> None:
    who = change.combatant
    match change:
        case cmd.SetPool():
            _set_pool(scene, who, change.pool, change.value)
        case cmd.SetBudget():
            scene.set_budget(who, change.budget, change.value)
        case cmd.AddEffect():
            _add_effect(scene, change)
        case cmd.RemoveEffect():
            for effect in tuple(scene.who(who).effects.values()):
                if change.effect in (effect.id, effect.kind) and effect.id in scene.who(who).effects:
                    _end_effect(scene, who, effect)
        case cmd.Reposition():
            scene.emit(ev.Moved(who, 0, place=change.place, forced=True))
            if scene.rules.moved is not None:
                scene.rules.moved(scene, who)
        case cmd.SetStatus():
            _set_status(scene, who, change.status)
        case cmd.SetCover():
            scene.emit(ev.CoverChanged(who, change.cover))
        case cmd.SetItem():
            scene.emit(ev.ItemChanged(who, change.item, change.body))
        case cmd.SetEngaged() if change.engaged != scene.engaged(who, change.other):
            made = ev.EngagementBegan if change.engaged else ev.EngagementEnded
            scene.emit(made(who, change.other))
        case cmd.SetFact():
            scene.emit(ev.FactStated(who, change.other, change.fact))
            if scene.rules.moved is not None:
                scene.rules.moved(scene, who)
        case _:
            pass


def _set_status(scene: Scene, who: CombatantId, status: Status) -> None:
    if status == "gone" and scene.rules.leaving is not None:
        scene.rules.leaving(scene, who)
    if status != "gone" and scene.rules.set_status is not None:
        scene.rules.set_status(scene, who, status)
    else:
        scene.emit(ev.StatusChanged(who, status, "ruling"))


def _set_pool(scene: Scene, who: CombatantId, pool: str, value: int) -> None:
    if scene.rules.set_pool is not None:
        scene.rules.set_pool(scene, who, pool, value)
    else:
        scene.change_pool(who, pool, value - scene.pool(who, pool))


def _end_effect(scene: Scene, who: CombatantId, effect: Effect) -> None:
    if scene.rules.end_effect is not None:
        scene.rules.end_effect(scene, who, effect)
    else:
        scene.end_one(who, effect, "ruling")


def _add_effect(scene: Scene, change: cmd.AddEffect) -> None:
    if scene.rules.add_effect is not None and change.rounds is None:
        scene.rules.add_effect(scene, change.combatant, change.kind, change.value, change.against)
        return
    if scene.rules.add_for_rounds is not None and change.rounds is not None:
        who, kind = change.combatant, change.kind
        scene.rules.add_for_rounds(scene, who, kind, change.value, change.against, change.rounds)
        return
    until = None
    if change.rounds is not None:
        until = ((Tick("turn_end", CombatantId("bearer"), times=change.rounds),),)
    scene.begin(change.combatant, change.kind, value=change.value, against=change.against, until=until)


def pass_on(scene: Scene) -> None:
    """A turn whose owner was put out of action passes on by itself, once nothing is under way in it."""
    slot = scene.slot()
    if slot is not None and scene.state.status == "running" and scene.who(slot.owner).status != "up":
        with scene.within("passed_on"):
            advance(scene)
