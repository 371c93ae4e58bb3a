"""Who may know what: stamped when an event is emitted, cut when it is read. The only place that decides it.

Today there are two audiences, `all` and `gm`: whatever is hidden is left out for everybody but the GM.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from app.engine import events as ev
from app.engine.ids import CombatantId, Scalar
from app.engine.state import Clock, Combatant, Done, Effect, Item, Scenery, Sheet, Slot, State, Tick

NOBODY = "unknown"
"""What stands where a hidden combatant would have been mentioned."""

SECRET_FIELDS: dict[type[msgspec.Struct], frozenset[str]] = {
    Combatant: frozenset({"notes", "hidden", "serial", "policy"}),
    Effect: frozenset({"hidden"}),
    Item: frozenset(),
    Sheet: frozenset(),
    Done: frozenset(),
    Tick: frozenset(),
    Slot: frozenset(),
    Clock: frozenset(),
    Scenery: frozenset(),
    State: frozenset(),
}
"""Fields of the state that only the GM sees. A test holds that every Struct of the state is listed here."""


def hidden_in(state: State) -> frozenset[CombatantId]:
    """Everybody who is hidden now."""
    return frozenset([body.id for body in state.combatants.values() if body.hidden])


_SECRET_BY_ITSELF = (ev.Joined, ev.Edited, ev.EffectBegan, ev.EffectCounted, ev.EffectEnded)


def stamp(state: State, event: ev.AnyEvent, hidden: frozenset[CombatantId] | None = None) -> ev.Emitted:
    """The event with who may know it, judged by who is hidden at this moment (`hidden`, where the caller keeps it)."""
    if hidden is None:
        hidden = hidden_in(state)
    if not hidden and not isinstance(event, _SECRET_BY_ITSELF):
        return ev.Emitted(event)
    if _is_secret(state, event, hidden) or any(_names_one(event, name, hidden) for name in event.about):
        return ev.Emitted(event, "gm")
    return ev.Emitted(event, "all", tuple([name for name in event.mentions if _names_one(event, name, hidden)]))


def _is_secret(state: State, event: ev.AnyEvent, hidden: frozenset[CombatantId]) -> bool:
    match event:
        case ev.Joined():
            return event.body.hidden
        case ev.Edited():
            only_secrets = bool(event.fields) and SECRET_FIELDS[Combatant].issuperset(event.fields)
            return event.body.hidden or (only_secrets and "hidden" not in event.fields)
        case ev.EffectBegan():
            return event.effect.hidden
        case ev.EffectCounted() | ev.EffectEnded():
            effect = state.combatants[event.combatant].effects.get(event.effect)
            return effect is not None and effect.hidden
        case ev.Ruled():
            return bool(event.combatants) and hidden.issuperset(event.combatants)
        case _:
            return False


def _names_one(event: ev.AnyEvent, name: str, hidden: frozenset[CombatantId]) -> bool:
    return bool(hidden) and not hidden.isdisjoint(_named(event, name))


def _named(event: ev.AnyEvent, name: str) -> tuple[str, ...]:
    value: Any = event
    for part in name.split("."):
        value = tuple(getattr(one, part) for one in value) if isinstance(value, tuple) else getattr(value, part)
    return _ids(value)


def names_in(declared: Mapping[str, Scalar | tuple[str, ...]], hidden: frozenset[CombatantId]) -> bool:
    """Whether what somebody has said beforehand names one of these: then all of it is kept back."""
    return not hidden.isdisjoint(_ids(declared))


def _ids(value: Any) -> tuple[str, ...]:
    """The ids in a value: of one, of several, of those in a mapping, of those whose moments a chain counts."""
    match value:
        case None | int() | Combatant():
            return ()
        case str():
            return (value,)
        case Tick():
            return tuple(who for who in (value.who, value.against) if who is not None)
        case dict():
            return tuple(who for entry in value.items() for one in entry for who in _ids(one))
        case _:
            return tuple(who for one in value for who in _ids(one))


def blanked(emitted: ev.Emitted) -> ev.AnyEvent:
    """The event as everybody but the GM may see it. Only for events whose audience is `all`."""
    if not emitted.blank:
        return emitted.event
    event: Any = emitted.event
    for name in emitted.blank:
        event = _without(event, name)
    return event  # type: ignore[no-any-return]


def _without(value: Any, name: str) -> Any:
    """The value with what stands under that name blanked."""
    if isinstance(value, tuple):
        return tuple(_without(one, name) for one in value)
    head, _, rest = name.partition(".")
    held = getattr(value, head)
    nothing = type(held)() if isinstance(held, tuple | dict) else NOBODY
    return msgspec.structs.replace(value, **{head: _without(held, rest) if rest else nothing})
