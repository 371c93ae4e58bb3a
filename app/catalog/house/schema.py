"""JSON Schema of house rules for one ruleset: the document's own, with everything optional, and `null` to remove."""

from collections.abc import Mapping
from typing import Any

from app.catalog.document import LANGUAGES, entries
from app.catalog.house.bounds import LONGEST_TEXT, MOST_ENTRIES
from app.catalog.house.merging import EXTENDS, FIXED, NAME, NAMED, NAMES, STATS_OF_FIELDS, TITLE
from app.catalog.house.names import LONGEST, NAMEABLE
from app.catalog.rulebook import Rulebook
from app.catalog.schemas import DIALECT, options_schema

Schema = dict[str, Any]
_ID = "^[a-z][a-z0-9_]{0,63}$"


def overlay_schema(book: Rulebook, language: str) -> Schema:
    """What an editor completes house rules from."""
    whole = book.document_schema()
    definitions = {name: _loose(one) for name, one in whole["$defs"].items()}
    definitions["Name"] = {
        "type": "object",
        "properties": {one: {"type": "string", "minLength": 1, "maxLength": LONGEST} for one in LANGUAGES},
        "required": ["en"],
        "additionalProperties": False,
    }
    properties: Schema = {
        EXTENDS: {"const": book.id},
        TITLE: {"$ref": "#/$defs/Name"},
        "options": _options(book, language),
    }
    name: Schema = {"$ref": "#/$defs/Name"}
    for section in NAMED:
        properties[section] = _section(book, section, whole["properties"].get(section, {}), language, name)
    properties["tables"] = _loose(whole["properties"]["tables"])
    properties["stats"] = _stats(book)
    properties[NAMES] = {
        "type": "object",
        "properties": {kind: {"type": "object", "additionalProperties": name} for kind in NAMEABLE},
        "additionalProperties": False,
    }
    definitions["ActionModel"] = _action(book, definitions["ActionModel"])
    return {
        "$schema": DIALECT,
        "title": book.summary(language)["title"],
        "type": "object",
        "properties": properties,
        "required": [EXTENDS],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _options(book: Rulebook, language: str) -> Schema:
    made = options_schema(book.document, book.texts, language)
    made.pop("$schema")
    return made


def _action(book: Rulebook, action: Schema) -> Schema:
    """An action: its parameters as its resolver has them; of resolvers, those that can be built on."""
    properties = {key: one for key, one in action["properties"].items() if key not in FIXED["actions"]}
    properties["resolver"] = {"enum": sorted(book.code.open), "description": "What a new action can be built on."}
    properties[NAME] = {"$ref": "#/$defs/Name"}
    return {**action, "properties": properties}


def _section(book: Rulebook, section: str, declared: Schema, language: str, name: Schema) -> Schema:
    """A map by id: what is there can be changed or, with null, removed; another id is something new."""
    inner = _loose(declared.get("additionalProperties") or {})
    if "$ref" not in inner:
        inner = _with_name(inner, name)
    elif inner["$ref"].endswith("ActionModel"):
        inner = {"$ref": "#/$defs/ActionModel"}
    else:
        inner = {"allOf": [inner], "properties": {NAME: name}}
    kind = {"actions": "action", "armour": "armour", "qualities": "quality"}.get(section, section[:-1])
    known = {
        key: {"anyOf": [_known(book, section, key, inner), {"type": "null"}], "title": book.name(kind, key, language)}
        for key in entries(book.document, section)
    }
    return {
        "type": "object",
        "properties": known,
        "additionalProperties": inner,
        "propertyNames": {"pattern": _ID},
        "maxProperties": MOST_ENTRIES,
    }


def _known(book: Rulebook, section: str, key: str, inner: Schema) -> Schema:
    if section != "actions":
        return inner
    resolver = entries(book.document, section)[key].get("resolver")
    params: Schema = next(
        (
            rule["then"]["properties"]["params"]
            for rule in book.document_schema()["$defs"]["ActionModel"]["allOf"]
            if rule["if"]["properties"]["resolver"]["const"] == resolver
        ),
        {},
    )
    return {"allOf": [inner], "properties": {"params": _loose(params)}}


def _with_name(inner: Schema, name: Schema) -> Schema:
    if "properties" in inner:
        return {**inner, "properties": {**inner["properties"], NAME: name}}
    return {**inner, "properties": {NAME: name}}


def _stats(book: Rulebook) -> Schema:
    """Figures of the sheet can be changed; none is added or removed."""
    groups: Schema = {}
    for group, held in book.document["stats"].items():
        if not isinstance(held, Mapping):
            continue
        if group in STATS_OF_FIELDS:
            groups[group] = {"type": "object"}
        else:
            closed = {key: {} if not isinstance(one, Mapping) else {"type": "object"} for key, one in held.items()}
            groups[group] = {"type": "object", "properties": closed, "additionalProperties": False}
    return {"type": "object", "properties": groups, "additionalProperties": False}


def _loose(value: Any) -> Any:
    """The same with nothing required, and null wherever a field of a map may be taken away."""
    if isinstance(value, list):
        return [_loose(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    made: Schema = {}
    for key, one in value.items():
        if key == "required" and isinstance(one, list):
            continue
        if key == "properties" and isinstance(one, Mapping):
            made[key] = {name: {"anyOf": [_loose(field), {"type": "null"}]} for name, field in one.items()}
        elif key == "maxLength" and isinstance(one, int):
            made[key] = min(one, LONGEST_TEXT)
        elif key == "default":
            continue
        else:
            made[key] = _loose(one)
    return made
