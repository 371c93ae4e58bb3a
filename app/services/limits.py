"""What an import takes of people and ids: no more than the door takes of a client, whoever made the file up."""

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta

from app.engine import events as ev
from app.engine.asks import GM
from app.engine.state import Combatant, State
from app.persistence.audit import dice_of
from app.services.bodies import NAME, Notes, Policies, Ref, Word
from app.services.texts import is_line, is_name

SLOT = r"^unk_[a-z0-9]{1,40}\Z"
"""Under which others know that somebody is there."""
COMBATANT = r"^cmb_[a-z0-9]{1,40}\Z"
ENCOUNTER = r"^enc_[a-z0-9_]{1,100}\Z"
_COMBATANT, _SLOT, _ENCOUNTER = re.compile(COMBATANT), re.compile(SLOT), re.compile(ENCOUNTER)
_TOKEN, _DECISION = re.compile(r"^tok_[a-z0-9_]{1,40}\Z"), re.compile(r"^dec_[a-z0-9]{1,40}\Z")
_COMMAND = re.compile(r"^cmd_[a-z0-9]{1,40}\Z")
NUMBERED = len(" 99999")
"""How much longer a name may be that got a number: several of one kind, or a copy."""


class Bounds(msgspec.Struct, frozen=True):
    """What there may be of a combatant beside his figures, which his ruleset judges."""

    id: Annotated[str, Meta(pattern=COMBATANT)]
    name: Annotated[str, Meta(min_length=1, max_length=NAME + NUMBERED)]
    side: Word
    external_ref: Ref | None
    sample: Word | None
    slot: Annotated[str, Meta(pattern=SLOT)] | None
    policy: Policies
    notes: Notes | None
    items: dict[Word, Any]


def fits(body: Combatant) -> bool:
    """Whether somebody could be there by the door."""
    told = {name: getattr(body, name) for name in Bounds.__struct_fields__}
    try:
        msgspec.convert(told, Bounds)
    except msgspec.ValidationError:
        return False
    words = (body.side, body.external_ref or "", body.sample or "", *body.items)
    return is_name(body.name, NUMBERED) and all(map(is_line, words))


def state_flaws(state: State) -> Iterator[str]:
    """What is wrong with those who are there."""
    for who, body in state.combatants.items():
        if who != body.id or not fits(body):
            yield f"combatant {len(who)} is none whom anybody could make"
    refs = [body.external_ref for body in state.combatants.values() if body.status != "gone"]
    known = [one for one in refs if one is not None]
    if len(set(known)) != len(known):
        yield "two combatants have one external_ref"


def event_flaws(happened: ev.AnyEvent, before: State) -> Iterator[str]:
    """What is wrong with the ids in an event, and with whom it brings in or changes."""
    people = [who for name in (*happened.about, *happened.mentions) for who in _ids(getattr(happened, name, None))]
    if not all(who == GM or _COMBATANT.match(who) or _SLOT.match(who) for who in people):
        yield "an event names somebody under no id of ours"
    if not all(die.by is UNSET or _TOKEN.match(die.by) for die in dice_of(happened)):
        yield "a die was reported under no id of ours"
    match happened:
        case ev.Joined() | ev.Edited() | ev.Appeared():
            if not fits(happened.body):
                yield "somebody whom nobody could make"
            others = (body for who, body in before.combatants.items() if who != happened.body.id)
            if happened.body.external_ref is not None and any(
                body.external_ref == happened.body.external_ref and body.status != "gone" for body in others
            ):
                yield "two combatants have one external_ref"
        case ev.DecisionOpened() | ev.DecisionAnswered():
            if not _DECISION.match(happened.decision):
                yield "a decision under no id of ours"
        case ev.CommandCancelled():
            if not _COMMAND.match(happened.command):
                yield "a command under no id of ours"
        case ev.Forked() | ev.Imported():
            if not _ENCOUNTER.match(happened.encounter):
                yield "an encounter under no id of ours"
        case _:
            pass


def is_encounter(name: str) -> bool:
    """Whether that is an id of an encounter."""
    return _ENCOUNTER.match(name) is not None


def _ids(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, tuple | dict):
        return [one for one in value if isinstance(one, str)]
    return ()
