"""Forms: what an action's options or a question's answer may hold. One description judges both and becomes JSON Schema.

A form is data (it is published, stored with open questions, and judged here), so that a client which knows no ruleset
can draw it.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from app.engine.ids import ClauseId, Scalar
from app.engine.reasons import BadAnswer, Reason, Refused

FieldType = Literal[
    "bool",
    "integer",
    "integers",
    "length",
    "word",
    "words",
    "combatant",
    "combatants",
    "item",
    "allocation",
    "path",
    "text",
]
TEXT_LIMIT = 400
MOST_POINTS = 200
MOST_NUMBERS = 200
POINT_LIMIT = 10_000_000
WHOLE_LIMIT = 1_000_000


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """One input. Lengths are whole hundredths here and decimals on the wire; a `path` is a list of points of the map,
    `integers` a list of whole numbers, each within the bounds.

    `choices` are the words or ids that may be given; for an `allocation` (a map from id to whole number) they are
    its keys and `total` the sum that must come out.
    """

    name: str
    type: FieldType
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    total: int | None = None
    title: str | None = None
    """Key of the title in the ruleset's locale; the name itself if None."""
    clause: ClauseId | None = None
    barred: tuple[Reason, ...] = ()
    """Why it cannot be used now, though the game has it: whoever gives it all the same is told these."""
    barred_choices: dict[str, tuple[Reason, ...]] = {}
    """Words or ids beside the `choices` that the game has and that cannot be given now, each with why."""
    gm: bool = False
    """Whether only the GM may give it."""
    of: str | None = None
    """Where the words come from that are not listed as choices: a list of the ruleset, or the weapon's ways."""
    chance: int | None = None
    """Of the answer that has it, in millionths, where that is another than without it."""
    chances: dict[str, int] = {}
    """The same for each of its `choices`."""


Form = tuple[Field, ...]
Value = Scalar | tuple[str, ...] | tuple[int, ...] | dict[str, int] | tuple[tuple[int, int], ...]


def fill(form: Form, given: Mapping[str, Any], at: str, *, whole: bool = True) -> dict[str, Value]:
    """Judge what was given against the form and bring it to one shape, in the form's own order.

    Raises `BadAnswer` for an unknown field, a missing required one (if it is to be `whole`), or a value that cannot be,
    `Refused` for a barred one, or a barred choice. Mappings come out in the order of the form's choices, so that the
    order in which a client wrote them can never matter.
    """
    known = {field.name for field in form} if given else set()
    for name in given:
        if name not in known:
            raise BadAnswer("unknown_field", f"{at}/{name}", need=", ".join(sorted(known)))
    filled: dict[str, Value] = {}
    for field in form:
        if field.name in given and given[field.name] is not None:
            filled[field.name] = _value(field, given[field.name], f"{at}/{field.name}")
            if field.barred and filled[field.name] is not False:
                raise Refused(field.barred)
        elif field.required and whole:
            raise BadAnswer("missing_input", f"{at}/{field.name}", need=field.type)
    return filled


def _value(field: Field, raw: Any, at: str) -> Value:
    match field.type:
        case "bool":
            if not isinstance(raw, bool):
                raise BadAnswer("wrong_type", at, need="true or false")
            return raw
        case "integer" | "length":
            return _whole(field, raw, at)
        case "integers":
            return _numbers(field, raw, at)
        case "allocation":
            return _allocation(field, raw, at)
        case "combatants" | "words":
            return _list(field, raw, at)
        case "path":
            return _path(raw, at)
        case _:
            return _word(field, raw, at)


def _whole(field: Field, raw: Any, at: str) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int):
        raise BadAnswer("wrong_type", at, need="a whole number" if field.type == "integer" else "a length")
    low = -WHOLE_LIMIT if field.minimum is None else field.minimum
    high = WHOLE_LIMIT if field.maximum is None else field.maximum
    if not low <= raw <= high:
        raise BadAnswer("out_of_bounds", at, need=f"{low} to {high}")
    return raw


def _numbers(field: Field, raw: Any, at: str) -> tuple[int, ...]:
    if not isinstance(raw, list | tuple) or len(raw) > MOST_NUMBERS:
        raise BadAnswer("wrong_type", at, need=f"at most {MOST_NUMBERS} whole numbers")
    each = Field(field.name, "integer", minimum=field.minimum, maximum=field.maximum)
    return tuple(_whole(each, one, f"{at}/{place}") for place, one in enumerate(raw))


def _word(field: Field, raw: Any, at: str) -> str:
    if not isinstance(raw, str) or len(raw) > TEXT_LIMIT:
        raise BadAnswer("wrong_type", at, need="text")
    if raw in field.barred_choices:
        raise Refused(field.barred_choices[raw])
    if field.choices and raw not in field.choices:
        raise BadAnswer("unknown_choice", at, need=", ".join(field.choices))
    return raw


def _list(field: Field, raw: Any, at: str) -> tuple[str, ...]:
    if not isinstance(raw, list | tuple) or len(raw) > TEXT_LIMIT:
        raise BadAnswer("wrong_type", at, need="a list")
    given = tuple(_word(field, one, f"{at}/{place}") for place, one in enumerate(raw))
    if len(set(given)) != len(given):
        raise BadAnswer("given_twice", at)
    if len(given) < (field.minimum or 0) or (field.maximum is not None and len(given) > field.maximum):
        raise BadAnswer("out_of_bounds", at, need=f"{field.minimum or 0} to {field.maximum}")
    return given


def _path(raw: Any, at: str) -> tuple[tuple[int, int], ...]:
    if not isinstance(raw, list | tuple) or len(raw) > MOST_POINTS:
        raise BadAnswer("wrong_type", at, need=f"at most {MOST_POINTS} points")
    return tuple(_point(one, f"{at}/{place}") for place, one in enumerate(raw))


def _point(raw: Any, at: str) -> tuple[int, int]:
    if not isinstance(raw, list | tuple) or len(raw) != 2 or any(type(one) is not int for one in raw):
        raise BadAnswer("wrong_type", at, need="a point")
    if any(abs(one) > POINT_LIMIT for one in raw):
        raise BadAnswer("out_of_bounds", at, need=f"{-POINT_LIMIT} to {POINT_LIMIT}")
    return raw[0], raw[1]


def _allocation(field: Field, raw: Any, at: str) -> dict[str, int]:
    if not isinstance(raw, Mapping):
        raise BadAnswer("wrong_type", at, need="a mapping of ids to whole numbers")
    for key in raw:
        if key not in field.choices:
            raise BadAnswer("unknown_choice", f"{at}/{key}", need=", ".join(field.choices))
    share = Field(name=field.name, type="integer", minimum=field.minimum or 0, maximum=field.maximum)
    given = {key: _whole(share, raw[key], f"{at}/{key}") for key in field.choices if key in raw}
    if field.total is not None and sum(given.values()) != field.total:
        raise BadAnswer("wrong_total", at, need=str(field.total))
    return given
