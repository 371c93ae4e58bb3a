"""Which effects count which moments, so that a moment touches only those and never scans everybody.

Built once per run at the first moment that counts, kept up by the run's own events; beside the state, never in it.
"""

from collections.abc import Iterator

from app.engine import events as ev
from app.engine.ids import CombatantId, EffectId
from app.engine.state import Effect, State

_FOLLOWED: frozenset[type[ev.Event]] = frozenset((ev.EffectBegan, ev.EffectEnded, ev.Joined, ev.Edited))


class EffectIndex:
    """Effects by the moments at the heads of their chains."""

    def __init__(self, state: State) -> None:
        self._by_moment: dict[str, dict[tuple[CombatantId, EffectId], None]] = {}
        for body in state.combatants.values():
            if body.effects:
                for effect in body.effects.values():
                    self._add(body.id, effect)

    def _add(self, bearer: CombatantId, effect: Effect) -> None:
        chains = (effect.active_after, *effect.until) if effect.active_after else effect.until
        for chain in chains:
            for tick in chain:
                self._by_moment.setdefault(tick.at, {})[bearer, effect.id] = None

    def counting(self, at: str) -> Iterator[tuple[CombatantId, EffectId]]:
        """Those that might count this moment; a stale entry is the caller's to skip."""
        return iter(tuple(self._by_moment.get(at, ())))

    def follow(self, event: ev.Event) -> None:
        """Keep up with what happened."""
        if type(event) not in _FOLLOWED:
            return
        if isinstance(event, ev.EffectBegan):
            self._add(event.combatant, event.effect)
        elif isinstance(event, ev.EffectEnded):
            for counted in self._by_moment.values():
                counted.pop((event.combatant, event.effect), None)
        elif isinstance(event, ev.Joined | ev.Edited):
            for effect in event.body.effects.values():
                self._add(event.body.id, effect)
