"""Who may know what: stamped when an event is emitted, cut when it is read. The only place that decides it.

Today there are two audiences, `all` and `gm`: whatever is hidden is left out for everybody but the GM.
"""

from typing import Any

import msgspec

from app.engine import events as ev
from app.engine.state import Clock, Combatant, Effect, Item, Scenery, Sheet, State

NOBODY = "unknown"
"""What stands where a hidden combatant would have been mentioned."""

SECRET_FIELDS: dict[type[msgspec.Struct], frozenset[str]] = {
    Combatant: frozenset({"notes", "hidden", "serial", "policy"}),
    Effect: frozenset({"hidden"}),
    Item: frozenset(),
    Sheet: frozenset(),
    Clock: frozenset(),
    Scenery: frozenset(),
    State: frozenset(),
}
"""Fields of the state that only the GM sees. A test holds that every Struct of the state is listed here."""


def stamp(state: State, event: ev.AnyEvent) -> ev.Emitted:
    """The event with who may know it, judged by who is hidden at this moment."""
    if any(_is_hidden(state, who) for name in event.about for who in _named(event, name)) or _is_secret(state, event):
        return ev.Emitted(event, "gm")
    blank = tuple(name for name in event.mentions if any(_is_hidden(state, who) for who in _named(event, name)))
    return ev.Emitted(event, "all", blank)


def _is_secret(state: State, event: ev.AnyEvent) -> bool:
    if isinstance(event, ev.EffectBegan):
        return event.effect.hidden
    if isinstance(event, ev.EffectCounted | ev.EffectEnded):
        effect = state.combatants[event.combatant].effects.get(event.effect)
        return effect is not None and effect.hidden
    return False


def _named(event: ev.AnyEvent, name: str) -> tuple[str, ...]:
    if name == "hits.target":
        return tuple(hit.target for hit in getattr(event, "hits", ()))
    value: Any = getattr(event, name)
    if isinstance(value, Combatant):
        return ("",) if value.hidden else ()
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _is_hidden(state: State, who: str) -> bool:
    if who == "":
        return True
    body = state.combatants.get(who)  # type: ignore[call-overload]
    return body is not None and bool(body.hidden)


def blanked(emitted: ev.Emitted) -> ev.AnyEvent:
    """The event as everybody but the GM may see it. Only for events whose audience is `all`."""
    if not emitted.blank:
        return emitted.event
    event: Any = emitted.event
    for name in emitted.blank:
        if name == "hits.target":
            hits = tuple(msgspec.structs.replace(hit, target=NOBODY) for hit in event.hits)
            event = msgspec.structs.replace(event, hits=hits)
        elif isinstance(getattr(event, name), tuple | dict):
            event = msgspec.structs.replace(event, **{name: type(getattr(event, name))()})
        else:
            event = msgspec.structs.replace(event, **{name: NOBODY})
    return event  # type: ignore[no-any-return]
