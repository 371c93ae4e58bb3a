"""JSON Schema of everything on the wire, made from the Structs themselves, so that it has one definition.

Lengths are whole hundredths inside and decimals of the ruleset's unit here. Descriptions come from the docstrings
beside the fields, or from the glossary; a field without either is an error, and so is one name for two shapes.
"""

import ast
import inspect as python
import re
import textwrap
from functools import cache
from typing import Any

import msgspec
from msgspec import inspect

from app.api.glossary import CHOICES, EXAMPLES, GLOSSARY, NAMES
from app.engine.visibility import may_lack

Schema = dict[str, Any]
ANY_LENGTH = 100_000
MOST_ITEMS, MOST_ENTRIES = 10_000, 1_000
"""Bounds of lists and maps in answers that name none; in a body every bound is named, and judged."""
WHOLE = 2**53 - 1


class Undescribed(LookupError):
    """Something on the wire that nobody has described."""


def _as_sent(note: str) -> str:
    """A note about a length, which is whole hundredths inside and decimals on the wire."""
    note = re.sub(r"^Hundredths of the unit", "In the ruleset's unit", note)
    return re.sub(r"\bhundredths of (the unit|[qr]\b)", lambda m: m[1].replace("the", "the ruleset's"), note)


@cache
def field_notes(kind: type[Any]) -> dict[str, str]:
    """The docstrings below the fields of a Struct, of its parents too."""
    notes: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        if one is msgspec.Struct or not issubclass(one, msgspec.Struct):
            continue
        tree = ast.parse(textwrap.dedent(python.getsource(one))).body[0]
        if not isinstance(tree, ast.ClassDef):
            continue
        for field, note in zip(tree.body, tree.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(note, ast.Expr)
                and isinstance(note.value, ast.Constant)
                and isinstance(note.value.value, str)
            ):
                notes[field.target.id] = _as_sent(" ".join(note.value.value.split()))
    return notes


def component_name(kind: type[Any]) -> str:
    """Under which name a Struct stands in the document."""
    return NAMES.get(kind.__name__, kind.__name__)


class Book:
    """Collects the components that are needed."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}
        self._of: dict[str, object] = {}
        self._unions: dict[frozenset[type[Any]], Schema] = {}

    def ref(self, kind: type[Any]) -> Schema:
        """A reference to a Struct, which is written down with all that it holds."""
        name = component_name(kind)
        self._take(name, kind)
        if name not in self.components:
            self.components[name] = {}
            info = inspect.type_info(kind)
            if not isinstance(info, inspect.StructType):
                raise TypeError(f"{kind} is no Struct")
            self.components[name] = self._struct(info)
        return {"$ref": f"#/components/schemas/{name}"}

    def _take(self, name: str, kind: object) -> None:
        known = self._of.setdefault(name, kind)
        if known != kind:
            raise Undescribed(f"{name} would be two shapes: {known} and {kind}")

    def name_union(self, name: str, kinds: list[type[Any]], description: str) -> None:
        """Give the choice between these tagged Structs a name, under which it stands wherever it is used."""
        tagged = [inspect.type_info(kind) for kind in kinds]
        schema = self._tagged([one for one in tagged if isinstance(one, inspect.StructType)])
        self.components[name] = {"description": description, **schema}
        self._unions[frozenset(kinds)] = {"$ref": f"#/components/schemas/{name}"}

    def envelope(self, kind: type[Any], extra: dict[str, Schema]) -> Schema:
        """A Struct with further fields that are always there, in front of its own."""
        reference = self.ref(kind)
        schema = self.components[component_name(kind)]
        schema["properties"] = {**extra, **schema["properties"]}
        schema["required"] = [*extra, *(name for name in schema["required"] if name not in extra)]
        return reference

    def _struct(self, kind: inspect.StructType) -> Schema:
        doc = python.getdoc(kind.cls) or ""
        properties: dict[str, Schema] = {}
        required: list[str] = []
        if kind.tag_field is not None:
            properties[kind.tag_field] = {
                "type": "string",
                "enum": [kind.tag],
                "description": "Which of the shapes this is.",
            }
            required.append(kind.tag_field)
        notes, lacking = field_notes(kind.cls), may_lack(kind.cls)
        for field in kind.fields:
            schema = self.schema(field.type)
            described = describe(kind.cls, field.name, field.encode_name, notes)
            if kind.forbid_unknown_fields and _is_told(field.default):
                # In prose: with `default` openapi-typescript would ask for the field.
                described += f" Left out, it is `{msgspec.json.encode(field.default).decode().strip(chr(34))}`."
            properties[field.encode_name] = _with(schema, described, _example(kind.cls, field.encode_name))
            if field.required and field.name not in lacking:
                required.append(field.encode_name)
        schema = {"type": "object", "description": _plain(doc), "properties": properties}
        if required:
            schema["required"] = required
        if kind.forbid_unknown_fields:
            schema["additionalProperties"] = False
        return schema

    def schema(self, kind: inspect.Type) -> Schema:
        """The schema of a type."""
        match kind:
            case inspect.Metadata():
                if (kind.extra or {}).get("length"):
                    return {"type": "number", "multipleOf": 0.01, "minimum": -ANY_LENGTH, "maximum": ANY_LENGTH}
                inner = self.schema(kind.type)
                return {**inner, **(kind.extra_json_schema or {})} if "$ref" not in inner else inner
            case inspect.StructType():
                return self.ref(kind.cls)
            case inspect.UnionType():
                return self._union(kind)
            case inspect.DictType():
                return self._map(kind)
            case inspect.LiteralType():
                return self._words(kind)
            case inspect.VarTupleType() | inspect.ListType():
                schema: Schema = {"type": "array", "items": self.schema(kind.item_type)}
                if kind.min_length:
                    schema["minItems"] = kind.min_length
                schema["maxItems"] = kind.max_length or MOST_ITEMS
                return schema
            case inspect.TupleType():
                count = len(kind.item_types)
                return {
                    "type": "array",
                    "items": self.schema(kind.item_types[0]),
                    "minItems": count,
                    "maxItems": count,
                }
            case _:
                return _scalar(kind)

    def _map(self, kind: inspect.DictType) -> Schema:
        schema: Schema = {"type": "object", "additionalProperties": self.schema(kind.value_type)}
        longest = getattr(kind.key_type, "max_length", None)
        if longest is not None:
            schema["propertyNames"] = {"maxLength": longest}
        if kind.min_length:
            schema["minProperties"] = kind.min_length
        schema["maxProperties"] = kind.max_length or MOST_ENTRIES
        return schema

    def _words(self, kind: inspect.LiteralType) -> Schema:
        """A choice of words: under a name where it has one, so that generators make one type of it."""
        schema: Schema = {"type": "string", "enum": list(kind.values)}
        words = frozenset(str(one) for one in kind.values)
        named = CHOICES.get(words)
        if named is None:
            return schema
        name, description = named
        self._take(name, words)
        self.components[name] = {**schema, "description": description}
        return {"$ref": f"#/components/schemas/{name}"}

    def _union(self, kind: inspect.UnionType) -> Schema:
        members = [one for one in kind.types if not isinstance(one, inspect.CustomType)]
        is_null = any(isinstance(one, inspect.NoneType) for one in members)
        others = [one for one in members if not isinstance(one, inspect.NoneType)]
        tagged = [one for one in others if isinstance(one, inspect.StructType) and one.tag_field is not None]
        if len(tagged) > 1 and len(tagged) == len(others):
            schema = self._tagged(tagged)
            return {"anyOf": [schema, {"type": "null"}]} if is_null else schema
        schemas = [self.schema(one) for one in others]
        if is_null:
            schemas.append({"type": "null"})
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def _tagged(self, kinds: list[inspect.StructType]) -> Schema:
        known = self._unions.get(frozenset(one.cls for one in kinds))
        if known is not None:
            return known
        references = [self.ref(one.cls) for one in kinds]
        mapping = {str(one.tag): reference["$ref"] for one, reference in zip(kinds, references, strict=True)}
        return {"oneOf": references, "discriminator": {"propertyName": kinds[0].tag_field, "mapping": mapping}}


def _scalar(kind: inspect.Type) -> Schema:
    match kind:
        case inspect.StrType():
            schema: Schema = {"type": "string", "maxLength": kind.max_length or 4000}
            if kind.min_length:
                schema["minLength"] = kind.min_length
            if kind.pattern:
                schema["pattern"] = kind.pattern
            return schema
        case inspect.IntType():
            return {
                "type": "integer",
                "minimum": _whole(kind.ge, kind.gt, 1, -WHOLE),
                "maximum": _whole(kind.le, kind.lt, -1, WHOLE),
            }
        case inspect.FloatType():
            return {
                "type": "number",
                "minimum": kind.ge if kind.ge is not None else -WHOLE,
                "maximum": kind.le if kind.le is not None else WHOLE,
            }
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.NoneType():
            return {"type": "null"}
        case _:
            return {}


def _whole(included: float | None, excluded: float | None, step: int, default: int) -> int:
    if included is not None:
        return int(included)
    return default if excluded is None else int(excluded) + step


_TYPES: dict[type[Any], tuple[str, ...]] = {str: ("string",), int: ("integer", "number")}
"""Of which types an example can be: the same word may be a number in one shape and text in another."""


def _with(schema: Schema, description: str, example: Any) -> Schema:
    if "$ref" in schema and len(schema) == 1:
        # In 3.1 a description may stand beside a reference.
        return {**schema, "description": description}
    told = {**schema, "description": description}
    if example is not None and schema.get("type") in _TYPES[type(example)]:
        told["examples"] = [example]
    return told


def describe(kind: type[Any], name: str, written: str, notes: dict[str, str]) -> str:
    """What a field means. Raises `Undescribed`."""
    found = GLOSSARY.get(f"{kind.__name__}.{written}") or notes.get(name) or GLOSSARY.get(written)
    if found is None:
        raise Undescribed(f"{kind.__name__}.{written}")
    return _plain(found)


def _is_told(default: Any) -> bool:
    return isinstance(default, bool | int | float | str) and default != ""


def _example(kind: type[Any], written: str) -> Any:
    return EXAMPLES.get(f"{kind.__name__}.{written}", EXAMPLES.get(written))


def _plain(text: str) -> str:
    return " ".join(text.replace("`app.engine.space.model.Said` in decimals", "all in decimals of the unit").split())
