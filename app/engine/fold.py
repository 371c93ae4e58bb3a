"""State = fold of events. One function a kind of change; facts fold to nothing."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import facts_after, pair_key
from app.engine.state import Clock, Combatant, Done, Effect, Item, Slot, State


def fold(state: State, event: ev.Event) -> State:
    """The state after one event."""
    change = _FOLDS.get(type(event))
    return state if change is None else change(state, event)


def fold_all(state: State, events: Iterable[ev.Event]) -> State:
    """The state after many."""
    for event in events:
        state = fold(state, event)
    return state


def _with(state: State, who: CombatantId, **fields: Any) -> State:
    return _put(state, replace(state.combatants[who], **fields))


def _put(state: State, body: Combatant) -> State:
    return replace(state, combatants={**state.combatants, body.id: body})


def _clock(state: State, **fields: Any) -> State:
    return replace(state, clock=replace(state.clock, **fields))


def _encounter_started(state: State, event: ev.EncounterStarted) -> State:
    return replace(state, status="running")


def _encounter_ended(state: State, event: ev.EncounterEnded) -> State:
    return replace(state, status="ended", clock=replace(state.clock, slot=None, queue=()))


def _encounter_set(state: State, event: ev.EncounterSet) -> State:
    dice = state.dice if event.dice is None else event.dice
    return replace(
        state,
        options={**state.options, **event.options},
        dice=dice,
        values=state.values if event.values is None else event.values,
        secret_rolls=event.secret_rolls or state.secret_rolls,
    )


def _round_began(state: State, event: ev.RoundBegan) -> State:
    return replace(state, clock=Clock(round=event.round, queue=state.clock.queue))


def _pass_began(state: State, event: ev.PassBegan) -> State:
    return _clock(state, pass_=event.number, acted=())


def _turn_began(state: State, event: ev.TurnBegan) -> State:
    state = _clock(state, slot=Slot(owner=event.combatant, kind=event.kind, others=event.others))
    for who in (event.combatant, *event.others) if event.fresh else ():
        state = _with(state, who, done=())
    return state


def _turn_ended(state: State, event: ev.TurnEnded) -> State:
    acted = state.clock.acted
    if event.acted and event.combatant not in acted:
        acted = (*acted, event.combatant)
    slot = state.clock.slot
    ends = slot is not None and slot.owner == event.combatant
    return _clock(state, slot=None if ends else slot, acted=acted)


def _slot_queued(state: State, event: ev.SlotQueued) -> State:
    slot = Slot(owner=event.combatant, kind=event.kind, others=event.others, clause=event.clause)
    queue = state.clock.queue
    return _clock(state, queue=(slot, *queue) if event.front else (*queue, slot))


def _slot_dropped(state: State, event: ev.SlotDropped) -> State:
    queue = list(state.clock.queue)
    for place, slot in enumerate(queue):
        if slot.owner == event.combatant and slot.kind == event.kind:
            del queue[place]
            break
    return _clock(state, queue=tuple(queue))


def _joined(state: State, event: ev.Joined) -> State:
    return _put(state, event.body)


def _left(state: State, event: ev.Left) -> State:
    gone = event.combatant
    state = _with(state, gone, status="gone", engaged=(), effects={})
    for other in state.combatants.values():
        if gone in other.engaged:
            state = _with(state, other.id, engaged=tuple(e for e in other.engaged if e != gone))
    queue = tuple(slot for slot in state.clock.queue if slot.owner != gone)
    slot = state.clock.slot
    return _clock(state, queue=queue, slot=None if slot is not None and slot.owner == gone else slot)


def _edited(state: State, event: ev.Edited) -> State:
    return _put(state, event.body)


def _pool_changed(state: State, event: ev.PoolChanged) -> State:
    pools = state.combatants[event.combatant].pools
    return _with(state, event.combatant, pools={**pools, event.pool: event.value})


def _budget_changed(state: State, event: ev.BudgetChanged) -> State:
    budget = state.combatants[event.combatant].budget
    return _with(state, event.combatant, budget={**budget, event.budget: event.value})


def _standing_set(state: State, event: ev.StandingSet) -> State:
    return _with(state, event.combatant, standing=event.standing)


def _action_taken(state: State, event: ev.ActionTaken) -> State:
    if not event.counts:
        return state
    done = Done(action=event.action, form=event.form, tags=event.tags, item=event.item)
    return _with(state, event.combatant, done=(*state.combatants[event.combatant].done, done))


def _moved(state: State, event: ev.Moved) -> State:
    if event.place is not None:
        return _with(state, event.combatant, place=event.place)
    if state.scenery.ground is not None or event.distance == 0:
        return state
    facts = facts_after(state.scenery.facts, event.combatant, {str(who): far for who, far in event.distances.items()})
    return replace(state, scenery=replace(state.scenery, facts=facts))


def _turned(state: State, event: ev.Turned) -> State:
    place = state.combatants[event.combatant].place
    if place is None:
        return state
    return _with(state, event.combatant, place=replace(place, facing=event.facing))


def _engagement_began(state: State, event: ev.EngagementBegan) -> State:
    for one, other in ((event.combatant, event.other), (event.other, event.combatant)):
        held = state.combatants[one].engaged
        if other not in held:
            state = _with(state, one, engaged=tuple(sorted((*held, other))))
    return state


def _engagement_ended(state: State, event: ev.EngagementEnded) -> State:
    for one, other in ((event.combatant, event.other), (event.other, event.combatant)):
        held = state.combatants[one].engaged
        if other in held:
            state = _with(state, one, engaged=tuple(e for e in held if e != other))
    return state


def _effect_began(state: State, event: ev.EffectBegan) -> State:
    body = state.combatants[event.combatant]
    return _with(state, body.id, effects={**body.effects, event.effect.id: event.effect}, serial=body.serial + 1)


def _effect_counted(state: State, event: ev.EffectCounted) -> State:
    body = state.combatants[event.combatant]
    effect: Effect = replace(body.effects[event.effect], until=event.until, active_after=event.active_after)
    if event.value is not None:
        effect = replace(effect, value=event.value)
    return _with(state, body.id, effects={**body.effects, event.effect: effect})


def _effect_ended(state: State, event: ev.EffectEnded) -> State:
    body = state.combatants[event.combatant]
    return _with(state, body.id, effects={key: e for key, e in body.effects.items() if key != event.effect})


def _item(state: State, who: CombatantId, item: str, body: Item) -> State:
    return _with(state, who, items={**state.combatants[who].items, item: body})


def _item_marked(state: State, event: ev.ItemMarked) -> State:
    item = state.combatants[event.combatant].items[event.item]
    return _item(state, event.combatant, event.item, replace(item, marks={**item.marks, event.mark: event.value}))


def _item_moved(state: State, event: ev.ItemMoved) -> State:
    item = state.combatants[event.combatant].items[event.item]
    lies = event.lies if event.on_ground else None
    moved = replace(item, held=event.held, on_ground=event.on_ground, lies=lies)
    return _item(state, event.combatant, event.item, moved)


def _item_changed(state: State, event: ev.ItemChanged) -> State:
    if event.body is not None:
        return _item(state, event.combatant, event.item, event.body)
    items = state.combatants[event.combatant].items
    return _with(state, event.combatant, items={key: item for key, item in items.items() if key != event.item})


def _cover_changed(state: State, event: ev.CoverChanged) -> State:
    return _with(state, event.combatant, cover=event.cover)


def _cover_worn(state: State, event: ev.CoverWorn) -> State:
    return replace(state, scenery=replace(state.scenery, worn={**state.scenery.worn, event.wall: event.worn}))


def _status_changed(state: State, event: ev.StatusChanged) -> State:
    return _with(state, event.combatant, status=event.status)


def _fact_stated(state: State, event: ev.FactStated) -> State:
    facts = {**state.scenery.facts, pair_key(event.combatant, event.other): event.fact}
    return replace(state, scenery=replace(state.scenery, facts=facts))


def _map_changed(state: State, event: ev.MapChanged) -> State:
    return replace(state, scenery=replace(state.scenery, ground=event.ground))


_FOLDS: dict[type[ev.Event], Callable[[State, Any], State]] = {
    ev.EncounterStarted: _encounter_started,
    ev.EncounterEnded: _encounter_ended,
    ev.EncounterSet: _encounter_set,
    ev.RoundBegan: _round_began,
    ev.PassBegan: _pass_began,
    ev.TurnBegan: _turn_began,
    ev.TurnEnded: _turn_ended,
    ev.SlotQueued: _slot_queued,
    ev.SlotDropped: _slot_dropped,
    ev.Joined: _joined,
    ev.Left: _left,
    ev.Edited: _edited,
    ev.PoolChanged: _pool_changed,
    ev.BudgetChanged: _budget_changed,
    ev.StandingSet: _standing_set,
    ev.ActionTaken: _action_taken,
    ev.Moved: _moved,
    ev.Turned: _turned,
    ev.EngagementBegan: _engagement_began,
    ev.EngagementEnded: _engagement_ended,
    ev.EffectBegan: _effect_began,
    ev.EffectCounted: _effect_counted,
    ev.EffectEnded: _effect_ended,
    ev.ItemMarked: _item_marked,
    ev.ItemMoved: _item_moved,
    ev.ItemChanged: _item_changed,
    ev.CoverChanged: _cover_changed,
    ev.CoverWorn: _cover_worn,
    ev.StatusChanged: _status_changed,
    ev.FactStated: _fact_stated,
    ev.MapChanged: _map_changed,
}
