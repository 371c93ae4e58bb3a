"""JSON Schemas (2020-12) from the same source as the checks: each action's form, the sheet, the options, the document.

Titles are in the reader's language; `x-clause` names the clause behind a field, `x-length` marks lengths.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from app.catalog.armour import GENERAL
from app.catalog.document import Document, entries
from app.catalog.findings import mapping
from app.catalog.shapes import from_length, json_schema
from app.catalog.sheets import ARMOUR, DEFAULTS, SKILLS, TALENTS, ranks_in_order
from app.catalog.texts import Texts
from app.engine.forms import MOST_NUMBERS, MOST_POINTS, TEXT_LIMIT, Field, Form
from app.engine.rules import RulesetCode

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]
_FIGURES = {"flag": "boolean", "decimal": "number"}


def object_schema(properties: Mapping[str, Schema], required: Iterable[str] = ()) -> Schema:
    """A closed object."""
    made: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    needed = sorted(required)
    return made | {"required": needed} if needed else made


def choice_schema(named: Iterable[tuple[str, str]]) -> Schema:
    """One of several words, each with its name."""
    return {"type": "string", "oneOf": [{"const": word, "title": name} for word, name in named]}


def form_schema(form: Form, texts: Texts, language: str) -> Schema:
    """What an action's `options`, or the fields of an answer, may hold."""
    properties = {field.name: field_schema(field, texts, language) for field in form}
    return object_schema(properties, (field.name for field in form if field.required))


def field_schema(field: Field, texts: Texts, language: str) -> Schema:
    """One input of a form."""
    key = field.title or field.name
    made = _field_type(field, key, texts, language)
    made["title"] = texts.name("field", key, language)
    made["x-type"] = field.type
    if field.clause is not None:
        made["x-clause"] = field.clause
    if field.gm:
        made["x-gm"] = True
    if field.of is not None:
        made["x-of"] = field.of
    return made


def _field_type(field: Field, key: str, texts: Texts, language: str) -> Schema:
    named = [(choice, texts.choice(key, choice, language) or choice) for choice in field.choices]
    word = choice_schema(named) if named else {"type": "string", "maxLength": TEXT_LIMIT}
    match field.type:
        case "bool":
            return {"type": "boolean"}
        case "integer":
            return {"type": "integer"} | _bounds("minimum", "maximum", field.minimum, field.maximum)
        case "integers":
            each = {"type": "integer"} | _bounds("minimum", "maximum", field.minimum, field.maximum)
            return {"type": "array", "items": each, "maxItems": MOST_NUMBERS}
        case "length":
            low = None if field.minimum is None else from_length(field.minimum)
            high = None if field.maximum is None else from_length(field.maximum)
            return {"type": "number", "x-length": True} | _bounds("minimum", "maximum", low, high)
        case "path":
            point = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2, "x-length": True}
            return {"type": "array", "items": point, "maxItems": MOST_POINTS}
        case "words" | "combatants":
            bounds = _bounds("minItems", "maxItems", field.minimum, field.maximum)
            return {"type": "array", "items": word, "uniqueItems": True} | bounds
        case "allocation":
            share = {"type": "integer"} | _bounds("minimum", "maximum", field.minimum or 0, field.maximum)
            made = object_schema({choice: share | {"title": name} for choice, name in named})
            return made if field.total is None else made | {"x-total": field.total}
        case _:
            return word


def _bounds(low_word: str, high_word: str, low: float | None, high: float | None) -> Schema:
    return {word: bound for word, bound in ((low_word, low), (high_word, high)) if bound is not None}


def sheet_schema(document: Mapping[str, Any], texts: Texts, language: str) -> Schema:
    """What a sheet editor may hold."""
    stats = mapping(document["stats"])
    properties: dict[str, Schema] = {}
    required: list[str] = []
    for name, figure in entries(stats, "figures").items():
        made: Schema = {"type": _FIGURES.get(figure["kind"], "integer")}
        if figure["kind"] == "word":
            made |= choice_schema((one, texts.choice(name, one, language) or one) for one in figure["choices"])
        if "step" in figure:
            made["multipleOf"] = figure["step"]
        made |= _bounds("minimum", "maximum", figure.get("min"), figure.get("max"))
        made |= {"title": texts.name("stat", name, language), "x-kind": figure["kind"]}
        if figure.get("optional"):
            made["type"] = [made["type"], "null"]
        elif figure.get("default") is None:
            required.append(name)
        else:
            made["default"] = figure["default"]
        if figure.get("clause"):
            made["x-clause"] = figure["clause"]
        properties[name] = made
    if stats.get("skills"):
        properties[SKILLS] = _skills_schema(document, texts, language)
        if mapping(stats.get("levels")).get("defaults"):
            properties[DEFAULTS] = _levels_schema(document, texts, language, DEFAULTS)
    if stats.get("traits"):
        properties[TALENTS] = {
            "type": "array",
            "items": _talent_schema(document, texts, language),
            "uniqueItems": True,
            "title": texts.name("stat", TALENTS, language),
        }
    if stats.get("armour"):
        properties[ARMOUR] = _armour_schema(document, texts, language)
    return {"$schema": DIALECT, **object_schema(properties, required)}


def _talent_schema(document: Mapping[str, Any], texts: Texts, language: str) -> Schema:
    talents = entries(document["stats"], "traits")
    names = {talent: texts.name("trait", talent, language) for talent in talents}
    plain = [(talent, names[talent]) for talent, one in talents.items() if not one.get("figure")]
    made = [choice_schema(plain)] if plain else []
    for talent, one in talents.items():
        if one.get("figure"):
            value = {"type": "integer", "minimum": one["min"], "maximum": one["max"]}
            fields = {"id": {"const": talent}, "value": value}
            made.append(object_schema(fields, fields) | {"title": names[talent]})
    return made[0] if len(made) == 1 else {"anyOf": made}


def _skills_schema(document: Mapping[str, Any], texts: Texts, language: str) -> Schema:
    if document["stats"].get("levels") is not None:
        return _levels_schema(document, texts, language, SKILLS)
    ranks = ranks_in_order(document)
    rank = choice_schema((word, texts.name("rank", word, language)) for word in ranks)
    skills = {
        name: rank | {"title": texts.name("skill", name, language), "default": next(iter(ranks)), "x-stat": one["stat"]}
        for name, one in entries(document["stats"], "skills").items()
    }
    return object_schema(skills) | {"title": texts.name("stat", SKILLS, language)}


def _levels_schema(document: Mapping[str, Any], texts: Texts, language: str, field: str) -> Schema:
    levels = document["stats"]["levels"]
    level: Schema = {"type": "integer", "minimum": levels["min"], "maximum": levels["max"]}
    if isinstance(levels.get("default"), int):
        level["default"] = levels["default"]
    skills = {
        name: level | {"title": texts.name("skill", name, language), "x-stat": one["stat"]}
        for name, one in entries(document["stats"], "skills").items()
    }
    return object_schema(skills) | {"title": texts.name("stat", field, language)}


def _armour_schema(document: Mapping[str, Any], texts: Texts, language: str) -> Schema:
    bounds = document["stats"]["armour"]
    one = choice_schema((name, texts.name("armour", name, language)) for name in mapping(document.get("armour")))
    whole = {"type": "integer", "minimum": bounds.get("min", 0), "maximum": bounds["max"]}
    points: Schema = whole
    if bounds.get("types"):
        by_type = {kind: whole | {"title": texts.name("damage_type", kind, language)} for kind in bounds["types"]}
        general = whole | {"title": texts.name("stat", GENERAL, language)}
        points = {"anyOf": [whole, object_schema({GENERAL: general} | by_type)]}
    locations = {
        name: points | {"title": texts.name("location", name, language)}
        for name in mapping(document["stats"].get("locations"))
    }
    return {
        "anyOf": [one, {"type": "array", "items": one, "uniqueItems": True}, object_schema(locations)],
        "title": texts.name("stat", ARMOUR, language),
        "default": bounds["default"],
    }


def options_schema(document: Mapping[str, Any], texts: Texts, language: str) -> Schema:
    """The house-rule options that an encounter may change."""
    properties: dict[str, Schema] = {}
    for name, option in entries(document, "options").items():
        made = _option_type(option, texts, language)
        made |= {"title": texts.name("option", name, language), "default": option["default"]}
        properties[name] = made | {"x-clause": option["clause"], "x-kind": option["kind"]}
    return {"$schema": DIALECT, **object_schema(properties)}


def _option_type(option: Mapping[str, Any], texts: Texts, language: str) -> Schema:
    named = [(choice, texts.choice("option", choice, language) or choice) for choice in option.get("choices", ())]
    bounds = _bounds("minimum", "maximum", option.get("min"), option.get("max"))
    match option["kind"]:
        case "flag":
            return {"type": "boolean"}
        case "choice":
            return choice_schema(named)
        case "list":
            return {"type": "array", "items": choice_schema(named), "uniqueItems": True}
        case "whole":
            return {"type": "integer"} | bounds
        case "optional_whole":
            return {"anyOf": [{"const": "none"}, {"type": "integer"} | bounds]}
        case "length":
            return {"type": "number", "x-length": True} | bounds
        case _:
            return {"type": "string", "x-dice": True, "maxLength": 100}


def document_schema(code: RulesetCode) -> Schema:
    """The whole document of a ruleset with this code: any editor completes a document from it."""
    made: Schema = Document.model_json_schema(by_alias=True)
    actions = made["$defs"]["ActionModel"]
    actions["properties"]["resolver"] = {"enum": sorted(code.resolvers)}
    actions["allOf"] = [
        {
            "if": {"properties": {"resolver": {"const": name}}},
            "then": {"properties": {"params": json_schema(code.resolvers[name].params)}},
        }
        for name in sorted(code.resolvers)
    ]
    made["properties"]["weapons"] = {"type": "object", "additionalProperties": json_schema(code.weapon)}
    made["properties"]["tables"] = json_schema(code.tables)
    return {"$schema": DIALECT, **made}
