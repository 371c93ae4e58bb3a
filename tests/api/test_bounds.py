"""Nothing on the wire is without a limit, and in a request the limit that is told is the one that is kept."""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from app.api.operations import Operation
from app.api.problems import Problem
from app.api.routes import operations
from app.api.schemas import MOST_ENTRIES, MOST_ITEMS
from app.api.strict_json import parse
from tests.api.table import contract
from tests.api.walk import Json, Spot, body_of, pointer, spots, trials

FREE = re.compile(r"schema|\bform\b", re.IGNORECASE)
"""What a field of free JSON says about itself: where its shape is found."""


def unbounded(spot: Spot) -> Iterator[str]:
    """What a schema leaves open."""
    schema, kind = spot.schema, spot.schema.get("type")
    words = set(schema)
    if kind == "string" and not {"maxLength", "enum", "const"} & words:
        yield "how long"
    if kind in ("integer", "number") and not {"minimum", "maximum"} <= words:
        yield "how large"
    if kind == "array" and not {"maxItems", "items"} <= words:
        yield "how many"
    if kind == "object" and "properties" not in schema:
        if "maxProperties" not in schema:
            yield "how many entries"
        if spot.side == "request" and schema.get("propertyNames", {}).get("maxLength") is None:
            yield "how long a name"


def test_the_walk_sees_what_is_open() -> None:
    open_ones: list[tuple[Json, str]] = [
        ({"type": "string"}, "how long"),
        ({"type": "integer", "minimum": 0}, "how large"),
        ({"type": "array", "items": {}}, "how many"),
        ({"type": "object", "additionalProperties": {}, "propertyNames": {"maxLength": 1}}, "how many entries"),
        ({"type": "object", "additionalProperties": {}, "maxProperties": 1}, "how long a name"),
    ]
    for schema, what in open_ones:
        assert list(unbounded(Spot("request", "", schema))) == [what]


def test_everything_on_the_wire_has_a_limit() -> None:
    document = contract().document
    streamed = {f"{one.id} {one.status} {kind}" for one in operations() for kind in one.media_types}

    found = [(spot.side, spot.at, what) for spot in spots(document) for what in unbounded(spot)]

    # A stream has no end: what stands in it is told by `x-event-schema`.
    assert [one for one in found if one[1] not in streamed] == []


def test_a_request_is_bounded_by_numbers_of_its_own_not_by_what_answers_may_hold() -> None:
    lax = [
        spot.at
        for spot in spots(contract().document)
        if spot.side == "request"
        and (spot.schema.get("maxItems") == MOST_ITEMS or spot.schema.get("maxProperties") == MOST_ENTRIES)
    ]

    assert lax == []


def test_free_json_says_where_its_shape_is_found() -> None:
    document = contract().document
    for name, schema in document["components"]["schemas"].items():
        for field, one in schema.get("properties", {}).items():
            kinds = [one, *one.get("anyOf", ())]
            if any(kind.get("additionalProperties") == {} for kind in kinds):
                assert FREE.search(one["description"] + " " + schema["description"]), f"{name}.{field}"


def _beyond(schema: Json) -> Iterator[Any]:
    """Values just outside each bound of a schema."""
    if "enum" in schema:
        yield "no word of it"
    elif schema.get("type") == "string":
        yield "a" * (schema["maxLength"] + 1)
        if schema.get("minLength"):
            yield ""
    elif schema.get("type") in ("integer", "number"):
        yield schema["maximum"] + 1
        yield schema["minimum"] - 1
    elif schema.get("type") == "array":
        yield [None] * (schema["maxItems"] + 1)
        yield [None] * (schema["minItems"] - 1) if schema.get("minItems") else "no list"
    elif "maxProperties" in schema:
        yield {f"k{n}": None for n in range(schema["maxProperties"] + 1)}
        yield {"k" * (schema["propertyNames"]["maxLength"] + 1): None}


@pytest.mark.parametrize(
    "operation",
    [one for one in operations() if one.body is not None and one.id != "put_house_rules"],
    ids=lambda one: one.id,
)
def test_a_body_is_held_to_every_limit_that_is_told(operation: Operation) -> None:
    document = contract().document
    content = contract().by_id(operation.id)["requestBody"]["content"]["application/json"]
    tried = 0
    for path, value in trials(document, content["schema"], _beyond):
        raw = json.dumps(body_of(path, value)).encode()
        at = pointer(path)
        assert operation.body is not None
        try:
            parse(raw, operation.body)
        except Problem as problem:
            # What does not fit is told by its place; a list or map that is too large may hide behind 50 misfits inside.
            told = [one.at for one in problem.findings]
            assert any(one == at or one.startswith(f"{at}/") for one in told), (at, value, told[:5])
        else:
            raise AssertionError((at, str(value)[:80]))
        tried += 1

    assert tried >= len(msgspec.structs.fields(operation.body or msgspec.Struct))
