"""The one place where events, decisions and combatants get the form in which a reader sees them.

An event has the same bytes in every channel: answer, log, stream, webhook. They are made once per command, audience and
language and kept beside the command's entries.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from app.engine import events as ev
from app.engine.asks import Barred, Option, Question, Roll
from app.engine.forms import MOST_POINTS, Field, FieldType, Form
from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.state import Combatant
from app.engine.visibility import NOBODY, SECRET_FIELDS, cut_for, unseen_in
from app.persistence.work import Audience, Decision, Entry, Told
from app.services.cut import ALL_SEEING, Eyes, ask_known, event_known, left_out, reason_known
from app.services.lookup import ABSENT
from app.services.units import converter, secret_fields, units
from app.services.words import Words

_encode = msgspec.json.Encoder().encode
_MILLION = 1_000_000
_SECRET = SECRET_FIELDS[Combatant]


def times(at: int) -> str:
    """A time as RFC 3339 with milliseconds."""
    return _second(at // 1000) + f".{at % 1000:03d}Z"


@cache
def _plain(kind: type[ev.Event], audience: Audience) -> bool:
    """Whether an event of that type goes over the wire as it is stored."""
    return converter(kind, audience) is None and not (audience == "public" and secret_fields(kind))


_KINDS: dict[str, type[ev.Event]] = {
    str(kind.__struct_config__.tag): kind for kind in (*ev.CHANGES, *ev.FACTS, *ev.TABLE_FACTS)
}


def told(command: Told, audience: Audience, words: Words, eyes: Eyes) -> tuple[bytes, ...]:
    """The events of one command as this reader sees them."""
    kept = (audience, words.language, "events", eyes.kind(command.veiled))
    found: tuple[bytes, ...] | None = command.renderings.get(kept)
    if found is None:
        found = tuple([event(entry, command.version, audience, words, eyes) for entry in command.for_(audience)])
        command.renderings[kept] = found
    return found


def event(entry: Entry, version: int, audience: Audience, words: Words, eyes: Eyes) -> bytes:
    """One event as JSON. `version` is the one its command made, for the GM; for others, who are not to learn what was
    one command and what came of several, the revision is counted event by event.
    """
    version = version if audience == "gm" else entry.public_seq
    gone: tuple[str, ...] = ()
    if audience == "gm":
        happened = entry.event
    else:
        happened, gone = cut_for(entry.emitted, eyes.controls)
    body = entry.body
    if isinstance(happened, ev.Rewound):
        to_version = happened.to_version if audience == "gm" else happened.public_version
        happened = replace(happened, to_version=to_version, public_version=0)
        body = _encode(happened)
    if audience != "gm":
        happened = event_known(happened, eyes.hidden | unseen_in(entry.blank))
        if isinstance(happened, ev.Edited):
            happened = replace(happened, fields=tuple(name for name in happened.fields if name not in _SECRET))
    if (entry.blank and audience != "gm") or not _plain(_KINDS[entry.type], audience):
        convert = converter(type(happened), audience)
        told = happened if convert is None else convert(happened)
        body = _encode(left_out(msgspec.to_builtins(told), gone) if gone else told)
    text = _encode(words.event(happened, gone))
    head = b'{"seq":%d,"version":%d,"at":"%b",' % (entry.number(audience), version, times(entry.at).encode())
    return b'%b%b,"text":%b}' % (head, body[1:-1], text)


class _Seconds:
    """The second's text, made once a second."""

    def __init__(self) -> None:
        self._held = (-1, "")

    def __call__(self, second: int) -> str:
        held = self._held  # read and written as one: several threads ask
        if held[0] != second:
            self._held = held = (second, datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S"))
        return held[1]


_second = _Seconds()


def events(entries: Sequence[bytes]) -> bytes:
    """A list of events."""
    return b"[%b]" % b",".join(entries)


def command_result(
    command: str,
    version: int,
    *,
    is_done: bool,
    entries: Sequence[bytes],
    waiting_for: Iterable[bytes],
    unused_rolls: Sequence[str] = (),
) -> bytes:
    """What answers every command."""
    return b'{"command":%b,"version":%d,"status":"%b","events":[%b],"waiting_for":[%b],"unused_rolls":%b}' % (
        _encode(command),
        version,
        b"done" if is_done else b"waiting",
        b",".join(entries),
        b",".join(waiting_for),
        _encode(unused_rolls),
    )


def decision(one: Decision, words: Words, eyes: Eyes, rolls: CombatantId | None = None) -> dict[str, Any]:
    """An open decision: what is asked, of whom, and what may be answered. In this command `rolls` rolls in secret."""
    ask = ask_known(one.ask, eyes, rolls)
    view: dict[str, Any] = {"id": one.id, "kind": one.kind, "for": one.owner, "prompt": words.prompt(ask)}
    view |= _roll(ask) if isinstance(ask, Roll) else _question(ask, words, eyes)
    if one.ask.clause is not None:
        view["clause"] = one.ask.clause
    view["expires_at"] = None if one.expires_at is None else times(one.expires_at)
    return view


def _roll(roll: Roll) -> dict[str, Any]:
    view: dict[str, Any] = {"name": roll.name, "purpose": roll.purpose}
    if roll.count:
        view["dice"] = f"{roll.count}d{roll.sides}"
    if roll.target is not None:
        view["target"] = roll.target
    return view


def _question(question: Question, words: Words, eyes: Eyes) -> dict[str, Any]:
    view: dict[str, Any] = {
        "informed": question.informed,
        "options": [option(one, question, words, eyes) for one in question.options if one.id not in eyes],
        "unavailable": [barred(one, question, words, eyes) for one in question.barred if one.id not in eyes],
    }
    if question.default:
        view["default"] = question.default
    if question.about is not None:
        view["about"] = NOBODY if question.about in eyes else question.about
    figures: dict[str, float] = dict(question.figures)
    figures.update((name, units(length)) for name, length in question.lengths.items())
    if figures:
        view["figures"] = figures
    return view


def option(one: Option, question: Question, words: Words, eyes: Eyes) -> dict[str, Any]:
    """One answer that may be given."""
    view: dict[str, Any] = {"id": one.id, "name": words.option(one.id, question)}
    if one.chance is not None:
        view["chance"] = one.chance / _MILLION
    if one.cost:
        view["cost"] = one.cost
    if one.declines:
        view["declines"] = True
    if one.form:
        view["form"] = form(one.form, words, eyes)
    return view


def barred(one: Barred, question: Question, words: Words, eyes: Eyes) -> dict[str, Any]:
    """One answer that cannot be given now, and why."""
    return {
        "id": one.id,
        "name": words.option(one.id, question),
        "reasons": [reason(why, words, eyes) for why in one.reasons],
    }


_TYPES: dict[FieldType, dict[str, Any]] = {
    "bool": {"type": "boolean"},
    "integer": {"type": "integer"},
    "integers": {"type": "array", "items": {"type": "integer"}},
    "length": {"type": "number", "multipleOf": 0.01},
    "word": {"type": "string"},
    "words": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    "combatant": {"type": "string", "format": "combatant"},
    "combatants": {"type": "array", "items": {"type": "string", "format": "combatant"}, "uniqueItems": True},
    "item": {"type": "string", "format": "item"},
    "allocation": {"type": "object", "additionalProperties": {"type": "integer"}},
    "path": {
        "type": "array",
        "items": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        "maxItems": MOST_POINTS,
    },
    "text": {"type": "string", "maxLength": 400},
}


def form(fields: Form, words: Words, eyes: Eyes = ALL_SEEING) -> dict[str, Any]:
    """A form as JSON Schema with titles in the reader's language; a field that is barred now stands beside it, with
    why, and a choice that is barred beside the choices of its field.
    """
    made: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: _property(field, words, eyes) for field in fields if not field.barred},
        "required": [field.name for field in fields if field.required and not field.barred],
        "additionalProperties": False,
    }
    barred = {field.name: [reason(why, words, eyes) for why in field.barred] for field in fields if field.barred}
    if barred:
        names = {field.name: words.field(field) for field in fields if field.barred}
        made |= {"x-unavailable": barred, "x-names": names}
    return made


def _property(field: Field, words: Words, eyes: Eyes) -> dict[str, Any]:
    schema: dict[str, Any] = {"title": words.field(field), **_TYPES[field.type]}
    choices = [choice for choice in field.choices if choice not in eyes]
    bounds = _bounds(field)
    match field.type:
        case "integer" | "length":
            schema |= {{"low": "minimum", "high": "maximum"}[end]: value for end, value in bounds.items()}
        case "integers":
            schema["items"] = schema["items"] | {
                {"low": "minimum", "high": "maximum"}[end]: value for end, value in bounds.items()
            }
        case "words" | "combatants":
            if choices:
                schema["items"] = {**schema["items"], "enum": choices}
            schema |= {{"low": "minItems", "high": "maxItems"}[end]: value for end, value in bounds.items()}
        case "allocation":
            share: dict[str, Any] = {"type": "integer", "minimum": 0}
            share |= {{"low": "minimum", "high": "maximum"}[end]: value for end, value in bounds.items()}
            schema |= {"properties": dict.fromkeys(choices, share), "additionalProperties": False}
            if field.total is not None:
                schema["x-total"] = field.total
        case "word" | "combatant" | "item":
            if choices:
                schema["enum"] = choices
        case _:
            pass
    if field.type in ("word", "words", "allocation"):
        named = [*choices, *(one for one in field.barred_choices if one not in eyes)]
        if named:
            schema["x-names"] = {choice: words.value(field.title or field.name, choice) for choice in named}
    if field.chance is not None:
        schema["x-chance"] = field.chance / _MILLION
    if field.chances:
        schema["x-chances"] = {choice: value / _MILLION for choice, value in field.chances.items()}
    barred = {
        choice: [reason(why, words, eyes) for why in against]
        for choice, against in field.barred_choices.items()
        if choice not in eyes
    }
    if barred:
        schema["x-unavailable"] = barred
    if field.clause is not None:
        schema["x-clause"] = field.clause
    return schema


def _bounds(field: Field) -> dict[str, float]:
    found: dict[str, float] = {}
    if field.minimum is not None:
        found["low"] = units(field.minimum) if field.type == "length" else field.minimum
    if field.maximum is not None:
        found["high"] = units(field.maximum) if field.type == "length" else field.maximum
    return found


def reason(why: Reason, words: Words, eyes: Eyes = ALL_SEEING) -> dict[str, Any]:
    """A reason with its figures and what it says to a person."""
    why = reason_known(why, eyes)
    if why.names:
        names = tuple(NOBODY if name in eyes else name.removeprefix(ABSENT) for name in why.names)
        # How many there are of whom he does not know is not his to count.
        why = replace(why, names=tuple(n for at, n in enumerate(names) if n != NOBODY or NOBODY not in names[:at]))
    view: dict[str, Any] = {"code": why.code, "kind": why.kind, "clause": why.clause}
    if why.at is not None:
        view["at"] = why.at
    need = why.need if why.need_length is None else units(why.need_length)
    got = why.got if why.got_length is None else units(why.got_length)
    if need is not None:
        view["need"] = need
    if got is not None:
        view["got"] = got
    if why.names:
        view["names"] = why.names
    if words.is_lacking(why):
        view["to_fill_in"] = True
    view["message"] = words.reason(why)
    return view
