"""A state as rows and back, byte for byte: one part a combatant, numbered by his place in the order of joining.

What belongs to nobody lies below 0: the frame with the clock, the ground, the stated facts. The order of mappings is
kept, since a rule may walk over effects or combatants, and must do so alike after a restart.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from app.engine.space.model import Ground, PairFact
from app.engine.state import Combatant, Scenery, State

FRAME, GROUND, FACTS = -1, -2, -3

Patch = dict[int, str | None]
"""Parts by number; None is a part that is not there any more."""


_encoder = msgspec.json.Encoder()
_ground = msgspec.json.Decoder(Ground)
_facts = msgspec.json.Decoder(dict[str, PairFact])
_combatant = msgspec.json.Decoder(Combatant)
_state = msgspec.json.Decoder(State)


def _text(value: object) -> str:
    return _encoder.encode(value).decode()


def decompose(state: State) -> dict[int, str]:
    """All parts of a state."""
    parts = {FRAME: _frame_of(state)}
    if state.scenery.ground is not None:
        parts[GROUND] = _text(state.scenery.ground)
    if state.scenery.facts:
        parts[FACTS] = _text(state.scenery.facts)
    parts.update((place, _text(body)) for place, body in enumerate(state.combatants.values()))
    return parts


def compose(parts: Mapping[int, str]) -> State:
    """The state that these parts make. Without a frame there is none."""
    return patched(State(ruleset=""), parts)


def patched(state: State, patch: Mapping[int, str | None]) -> State:
    """The state with some parts replaced, sharing all others."""
    frame = _state.decode(patch[FRAME] or "") if FRAME in patch else state
    ground, facts = state.scenery.ground, state.scenery.facts
    if GROUND in patch:
        body = patch[GROUND]
        ground = None if body is None else _ground.decode(body)
    if FACTS in patch:
        facts = _facts.decode(patch[FACTS] or "{}")
    scenery = state.scenery
    if FRAME in patch or GROUND in patch or FACTS in patch:
        scenery = replace(frame.scenery, ground=ground, facts=facts)
    combatants = state.combatants
    if any(place >= 0 for place in patch):
        bodies: dict[int, Combatant] = dict(enumerate(combatants.values()))
        for place, body in patch.items():
            if place >= 0:
                if body is None:
                    bodies.pop(place, None)
                else:
                    bodies[place] = _combatant.decode(body)
        combatants = {bodies[place].id: bodies[place] for place in sorted(bodies)}
    return _plain(replace(frame, scenery=scenery, combatants=combatants))


def difference(old: State, new: State) -> Patch:
    """What to write over the parts of `old` to get `new`. Only what is the same object counts as unchanged."""
    patch: Patch = {}
    if any(getattr(new, name) is not getattr(old, name) for name in _OF_STATE) or any(
        getattr(new.scenery, name) is not getattr(old.scenery, name) for name in _OF_SCENERY
    ):
        patch[FRAME] = _frame_of(new)
    if new.scenery is not old.scenery:
        if new.scenery.ground is not old.scenery.ground:
            patch[GROUND] = None if new.scenery.ground is None else _text(new.scenery.ground)
        if new.scenery.facts is not old.scenery.facts and (new.scenery.facts or old.scenery.facts):
            patch[FACTS] = _text(new.scenery.facts) if new.scenery.facts else None
    if new.combatants is not old.combatants:
        before = list(old.combatants.values())
        for place, body in enumerate(new.combatants.values()):
            if place >= len(before) or body is not before[place]:
                patch[place] = _text(body)
        patch.update((place, None) for place in range(len(new.combatants), len(before)))
    return patch


def real_difference(old: State, new: State) -> Patch:
    """The same for states that share no objects: what is written alike counts as unchanged."""
    before = decompose(old)
    return {place: body for place, body in difference(old, new).items() if body != before.get(place)}


def there(state: State, place: int) -> bool:
    """Whether a state has that part."""
    if place >= 0:
        return place < len(state.combatants)
    if place == GROUND:
        return state.scenery.ground is not None
    return place == FRAME or bool(state.scenery.facts)


def whole(state: State) -> str:
    """A state as one text, for snapshots."""
    return _text(_plain(state))


def from_whole(text: str) -> State:
    """The state that was written as one text."""
    return _state.decode(text)


def packed(patch: Mapping[int, str | None]) -> str:
    """A patch as one JSON object."""
    return _text({str(place): None if body is None else msgspec.Raw(body.encode()) for place, body in patch.items()})


def unpacked(text: str) -> Patch:
    """The patch that was packed into a JSON object."""
    found = _patch.decode(text)
    return {int(place): None if bytes(raw) == b"null" else bytes(raw).decode() for place, raw in found.items()}


_patch = msgspec.json.Decoder(dict[str, msgspec.Raw])


def _frame_of(state: State) -> str:
    """The state without what lies in parts of its own, so that a new field of the state is kept without a word here."""
    return _text(_plain(replace(state, scenery=replace(state.scenery, ground=None, facts={}), combatants={})))


def _plain(state: State) -> State:
    """The state with its empty pieces as they are by default: only those are left out when it is written."""
    if state.clock is not _BARE.clock and state.clock == _BARE.clock:
        state = replace(state, clock=_BARE.clock)
    if state.scenery is not _BARE.scenery and state.scenery == _BARE.scenery:
        state = replace(state, scenery=_BARE.scenery)
    return state


_BARE = State(ruleset="")
_OF_STATE = tuple(name for name in State.__struct_fields__ if name not in ("scenery", "combatants"))
_OF_SCENERY = tuple(name for name in Scenery.__struct_fields__ if name not in ("ground", "facts"))
