"""Who may know what: stamped when an event is emitted, cut when it is read. The only place that decides it.

Today there are two audiences, `all` and `gm`: whatever is hidden is left out for everybody but the GM.
"""

from typing import Any

import msgspec

from app.engine import events as ev
from app.engine.state import Clock, Combatant, Effect, Item, Scenery, Sheet, State, Tick

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
    if isinstance(event, ev.Ruled):
        return bool(event.combatants) and all(_is_hidden(state, who) for who in event.combatants)
    if isinstance(event, ev.EffectCounted | ev.EffectEnded):
        effect = state.combatants[event.combatant].effects.get(event.effect)
        return effect is not None and effect.hidden
    return False


def _named(event: ev.AnyEvent, name: str) -> tuple[str, ...]:
    value: Any = event
    for part in name.split("."):
        value = tuple(getattr(one, part) for one in value) if isinstance(value, tuple) else getattr(value, part)
    return _ids(value)


def _ids(value: Any) -> tuple[str, ...]:
    """The ids in a value: of one, of several, of those who key a mapping, of those whose moments a chain counts."""
    match value:
        case None:
            return ()
        case str():
            return (value,)
        case Combatant():
            return ("",) if value.hidden else ()
        case Tick():
            return tuple(who for who in (value.who, value.against) if who is not None)
        case _:
            return tuple(who for one in value for who in _ids(one))


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
