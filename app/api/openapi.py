"""The OpenAPI document: FastAPI's own, mended where generators stumble over it, with our schemas put in.

What it says is made from the operations, the Structs and the examples; nothing is written twice.
"""

from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app.api.asking import LONGEST_TAGS
from app.api.language import MAX_HEADER
from app.api.operations import Operation, problem_examples
from app.api.problem_texts import Code
from app.api.problems import ProblemOut
from app.api.schemas import Book
from app.engine import events as ev

VERSION = "0.1.0"
DESCRIPTION = """\
Turnwright runs tabletop-RPG combat: a client says what a combatant tries to do; the service knows the rules, says
whether it may, rolls, asks whoever must react, applies the result, and tells everybody.

One client plays every ruleset: list what is possible (`list_actions`), submit (`submit_action`), answer what waits
(`answer_decision`), follow (`follow_encounter`). Send `Authorization: Bearer tw_...`, an `Idempotency-Key` with every
change, and read the `code` of a problem. Unknown fields in answers are to be ignored: they may grow, and so may choices
marked `x-may-grow`. Lengths are
decimals of the ruleset's unit.
"""
EVENT = "Event"
GROWS = "x-may-grow"
"""Stands beside a choice in answers that gets new words without notice."""
_ENVELOPE: dict[str, dict[str, Any]] = {
    "seq": {
        "type": "integer",
        "minimum": 1,
        "maximum": 2**53 - 1,
        "description": "Running number of the event as its reader counts, without gaps; the cursor behind it.",
        "examples": [41],
    },
    "version": {
        "type": "integer",
        "minimum": 0,
        "maximum": 2**53 - 1,
        "description": "Version that its command made, as its reader counts.",
        "examples": [8],
    },
    "at": {
        "type": "string",
        "format": "date-time",
        "maxLength": 30,
        "description": "When it was written (UTC).",
        "examples": ["2026-11-30T19:02:11.000Z"],
    },
    "text": {
        "type": "string",
        "maxLength": 4000,
        "description": "What happened, in the reader's language. "
        "Names in it are escaped for Markdown (`Goblin\\_2`): do not escape again.",
        "examples": ["Sable charges 8 m at Brok."],
    },
}


def document(app: FastAPI, operations: list[Operation] | None = None) -> dict[str, Any]:
    """The document, made once for an application."""
    if app.openapi_schema is None:
        from app.api.routes import SUBJECTS
        from app.api.routes import operations as all_operations

        made = get_openapi(
            title="Turnwright",
            version=VERSION,
            openapi_version="3.1.0",
            description=DESCRIPTION,
            routes=app.routes,
            tags=[{"name": subject.tag, "description": subject.description} for subject in SUBJECTS],
            license_info=None,
        )
        _complete(made, operations or all_operations())
        app.openapi_schema = made
    return app.openapi_schema


def _complete(made: dict[str, Any], operations: list[Operation]) -> None:
    made["servers"] = [{"url": "/", "description": "This server."}]
    made["security"] = [{"token": []}]
    components: dict[str, Any] = made.setdefault("components", {})
    components["schemas"] = schemas(operations)
    components["securitySchemes"] = {
        "token": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "tw_<id>_<secret>",
            "description": "A token of the campaign (`gm`, `co_gm`, `player`, `spectator`), or an admin's.",
        },
        "ticket": {
            "type": "apiKey",
            "in": "query",
            "name": "ticket",
            "description": "For one stream, once, where no header can be sent: `create_stream_ticket` gives one.",
        },
    }
    components["parameters"] = _PARAMETERS
    components["examples"] = problem_examples(operations)
    components["headers"] = _HEADERS
    for path in made["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                _mend(parameter)


def _mend(parameter: dict[str, Any]) -> None:
    """A parameter that may be left out is not one that may be null."""
    schema = parameter.get("schema")
    if not schema:
        return
    schema.pop("title", None)
    options = schema.get("anyOf")
    if options is not None:
        kept = [one for one in options if one.get("type") != "null"]
        if len(kept) == 1:
            del schema["anyOf"]
            schema.update(kept[0])
    examples = schema.pop("examples", None) or parameter.pop("examples", None)
    # A page for trying things out fills examples in, which only helps where something must be there.
    if examples and parameter["required"]:
        parameter["example"] = examples[0]
    elif examples:
        parameter["description"] += f" Example: `{_written(examples[0])}`."
    schema.pop("description", None)


def _written(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def schemas(operations: list[Operation]) -> dict[str, Any]:
    """Every schema that the operations need."""
    book = Book()
    kinds = [*ev.CHANGES, *ev.FACTS, *ev.TABLE_FACTS]
    for kind in kinds:
        book.envelope(kind, _ENVELOPE)
    book.name_union(
        EVENT, kinds, "Something that happened. Switch on `type`; unknown types are to be shown by their `text`."
    )
    book.ref(ProblemOut)
    for operation in operations:
        for shape in (operation.body, operation.answers):
            if shape is not None:
                book.ref(shape)
    book.components["Problem"]["properties"]["code"] |= {"enum": [code.value for code in Code], GROWS: True}
    book.components[EVENT][GROWS] = True
    return dict(sorted(book.components.items()))


_PARAMETERS: dict[str, Any] = {
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": "A new one for every new request, such as `01kb9g7w5qx3v0m2n8c4r6t1zs`; a request sent again "
        "with the same key is carried out once and gets the same answer, for 48 hours. Refused requests are not kept.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]{1,255}$"},
    },
    "DiscordSignature": {
        "name": "X-Signature-Ed25519",
        "in": "header",
        "required": False,
        "description": "Discord's signature over the time and the body, in hexadecimal.",
        "schema": {"type": "string", "maxLength": 128, "pattern": "^[0-9a-fA-F]{128}$"},
    },
    "DiscordTimestamp": {
        "name": "X-Signature-Timestamp",
        "in": "header",
        "required": False,
        "description": "When it was signed, in seconds since 1970.",
        "schema": {"type": "string", "maxLength": 12, "pattern": "^[0-9]{1,12}$"},
    },
    "IfMatch": {
        "name": "If-Match",
        "in": "header",
        "required": False,
        "description": 'The `ETag` that the encounter is expected to have, or its version alone, `"7"`, or `*`; if '
        "it has another one, the request is refused with 412.",
        "schema": {"type": "string", "maxLength": LONGEST_TAGS, "pattern": r'^(\*|(W/)?"[!#-~]*")$'},
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "The `ETag` of the copy that is there already; 304 if it is what would be sent.",
        "schema": {"type": "string", "maxLength": LONGEST_TAGS},
    },
    "IfNoneMatchAny": {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "`*`: only if nothing is there yet; 412 if something is.",
        "schema": {"type": "string", "enum": ["*"]},
    },
    "AcceptLanguage": {
        "name": "Accept-Language",
        "in": "header",
        "required": False,
        "description": "Language of names, texts and messages: `en`, `ru`, `pl`, also weighted (`pl, en;q=0.5`). Ids, "
        "codes and numbers never change.",
        "schema": {"type": "string", "maxLength": MAX_HEADER},
    },
    "LastEventId": {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "description": "The cursor behind the last event that arrived, as a browser sends it by itself when it "
        "connects again; it counts more than `after`.",
        "schema": {"type": "string", "maxLength": 15, "pattern": "^[0-9]{0,15}$"},
    },
}
_HEADERS: dict[str, Any] = {
    "RequestId": {
        "description": "Id of the request, as sent in `X-Request-Id` or made here; it stands in the log.",
        "schema": {"type": "string", "maxLength": 64},
    },
    "ETag": {
        "description": "The version as its reader counts, in quotes; of what was read, behind a dot, also a mark of "
        'reader and language (`"7.3f1c09a2b4"`), since others get other bytes. Take it as it comes.',
        "schema": {"type": "string", "maxLength": 200},
    },
    "Location": {
        "description": "Address of what was made, where it has one.",
        "schema": {"type": "string", "maxLength": 2000},
    },
    "Link": {
        "description": 'Address of the page that follows, as `<...>; rel="next"`; left out behind the last one.',
        "schema": {"type": "string", "maxLength": 4000},
    },
    "RateLimit": {
        "description": "Requests that are left (`r`) and seconds until the window is empty again (`t`).",
        "schema": {"type": "string", "maxLength": 100},
    },
    "RateLimitPolicy": {
        "description": "Requests (`q`) that are taken within so many seconds (`w`).",
        "schema": {"type": "string", "maxLength": 100},
    },
    "IdempotencyReplayed": {
        "description": "`true` when this answer was given before under the same key.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "RetryAfter": {
        "description": "Seconds to wait.",
        "schema": {"type": "integer", "minimum": 0, "maximum": 86400},
    },
}


def written(app: FastAPI) -> str:
    """The document as it is committed."""
    raw = msgspec.json.encode(document(app), order="sorted")
    return msgspec.json.format(raw, indent=1).decode() + "\n"
