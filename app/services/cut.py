"""A fight as somebody may know it: what a list of actions, a preview or a view is made from."""

from msgspec.structs import replace

from app.engine.ids import CombatantId
from app.engine.state import Combatant, Effect, State
from app.engine.visibility import NOBODY, hidden_in, names_in
from app.services.caller import Caller


def known(state: State, caller: Caller) -> State:
    """The state without what this caller may not know of: combatants who are hidden, and whatever names them.

    Of hidden effects he knows those on combatants whom he controls.
    """
    if caller.is_gm:
        return state
    hidden = hidden_in(state)
    bodies = {
        who: body_known(body, hidden, keeps_effects=caller.controls(body))
        for who, body in state.combatants.items()
        if who not in hidden
    }
    if not hidden:
        return replace(state, combatants=bodies)
    clock = state.clock
    slot = None if clock.slot is not None and clock.slot.owner in hidden else clock.slot
    queue = tuple(slot for slot in clock.queue if slot.owner not in hidden)
    clock = replace(clock, slot=slot, queue=queue, acted=tuple(who for who in clock.acted if who not in hidden))
    facts = {key: fact for key, fact in state.scenery.facts.items() if hidden.isdisjoint(key.split(">", 1))}
    return replace(state, combatants=bodies, clock=clock, scenery=replace(state.scenery, facts=facts))


def body_known(body: Combatant, hidden: frozenset[CombatantId], *, keeps_effects: bool = False) -> Combatant:
    """A combatant without hidden effects, and without the names of hidden people."""
    effects = {
        key: _effect_known(effect, hidden) if hidden else effect
        for key, effect in body.effects.items()
        if keeps_effects or not effect.hidden
    }
    if not hidden:
        return body if len(effects) == len(body.effects) else replace(body, effects=effects)
    return replace(body, effects=effects, engaged=tuple(who for who in body.engaged if who not in hidden))


def _effect_known(effect: Effect, hidden: frozenset[CombatantId]) -> Effect:
    def name(who: CombatantId | None) -> CombatantId | None:
        return CombatantId(NOBODY) if who in hidden else who

    chains = tuple(
        tuple(replace(tick, who=name(tick.who), against=name(tick.against)) for tick in chain) for chain in effect.until
    )
    waits = tuple(replace(tick, who=name(tick.who), against=name(tick.against)) for tick in effect.active_after)
    return replace(
        effect,
        source=name(effect.source),
        against=name(effect.against),
        until=chains,
        active_after=waits,
        declared={} if names_in(effect.declared, hidden) else effect.declared,
    )
