"""Values for the Structs that a ruleset's code declares: every misfit with its place, lengths brought to hundredths.

msgspec itself stops at the first error and hides the keys of maps, so the walk over the type is done here; msgspec only
builds what has passed. The same walk gives the JSON Schema of the wire form, in which lengths are decimals.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import msgspec
from msgspec import inspect as shape

from app.catalog.findings import Findings, child, plain
from app.engine.dice import BadDice, parse_dice
from app.engine.ids import Length

KnownNames = Callable[[str, str], bool]
"""Whether something of this kind has this name."""

HUNDREDTHS = 100
LONGEST = 1_000_000
LARGEST = 1_000_000_000


def to_length(value: Any) -> Length | None:
    """A wire length (a number of units with up to two decimals) in whole hundredths; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LONGEST:
        return None
    hundredths = round(value * HUNDREDTHS)
    return hundredths if abs(value * HUNDREDTHS - hundredths) < 1e-6 else None


def from_length(length: Length) -> int | float:
    """A length as the wire writes it: a whole number of units where it is one."""
    return length // HUNDREDTHS if length % HUNDREDTHS == 0 else length / HUNDREDTHS


@cache
def _cached(struct: Hashable) -> shape.Type:
    return shape.type_info(struct)


def _type_of(struct: type[Any]) -> shape.Type:
    return _cached(cast(Hashable, struct))


@dataclass(slots=True)
class _Fit:
    findings: Findings
    known: KnownNames

    def value(self, node: shape.Type, raw: Any, at: str) -> Any:
        extra: Mapping[str, Any] = {}
        while isinstance(node, shape.Metadata):
            extra, node = {**extra, **(node.extra or {})}, node.type
        if extra.get("length"):
            return self.length(node, raw, at)
        match node:
            case shape.UnionType():
                return self.union(node, raw, at)
            case shape.StructType():
                return self.struct(node, raw, at)
            case shape.DictType():
                return self.dict_(node, raw, at)
            case shape.ListType() | shape.VarTupleType() | shape.SetType() | shape.FrozenSetType():
                return self.items(node, raw, at)
            case shape.TupleType():
                return self.fixed(node, raw, at)
            case shape.LiteralType():
                if raw not in node.values or isinstance(raw, bool):
                    self.findings.none_of(at, raw, node.values)
                return raw
            case shape.IntType() | shape.FloatType():
                return self.number(node, raw, at)
            case shape.StrType():
                return self.text(node, raw, at, extra)
            case shape.BoolType():
                return self.plain(raw, at, isinstance(raw, bool), "true or false")
            case shape.NoneType():
                return self.plain(raw, at, raw is None, "null")
            case _:
                return raw

    def plain(self, raw: Any, at: str, fits: bool, need: str) -> Any:
        if not fits:
            self.findings.add(at, "wrong_type", need=need)
        return raw

    def length(self, node: shape.Type, raw: Any, at: str) -> Any:
        found = to_length(raw)
        if found is None:
            if isinstance(raw, float):
                self.findings.add(at, "not_hundredths", got=raw)
            else:
                self.findings.add(at, "wrong_type", need="a length")
            return raw
        if isinstance(node, shape.IntType):
            self.bounds(node, found, at, HUNDREDTHS)
        return found

    def number(self, node: "shape.IntType | shape.FloatType", raw: Any, at: str) -> Any:
        whole = isinstance(node, shape.IntType)
        if isinstance(raw, bool) or not isinstance(raw, int if whole else int | float):
            self.findings.add(at, "wrong_type", need="a whole number" if whole else "a number")
            return raw
        if abs(raw) > LARGEST:
            self.findings.add(at, "out_of_bounds", got=raw, need=f"{-LARGEST} to {LARGEST}")
            return raw
        self.bounds(node, raw, at, 1)
        return raw

    def bounds(self, node: "shape.IntType | shape.FloatType", value: float, at: str, scale: int) -> None:
        low = node.ge if node.ge is not None else node.gt
        high = node.le if node.le is not None else node.lt
        below = (node.ge is not None and value < node.ge) or (node.gt is not None and value <= node.gt)
        above = (node.le is not None and value > node.le) or (node.lt is not None and value >= node.lt)
        if below or above:
            ends = ["" if end is None else plain(end / scale) for end in (low, high)]
            self.findings.add(at, "out_of_bounds", got=plain(value / scale), need=" to ".join(ends).strip())

    def text(self, node: shape.StrType, raw: Any, at: str, extra: Mapping[str, Any]) -> Any:
        if not isinstance(raw, str):
            self.findings.add(at, "wrong_type", need="text")
            return raw
        if extra.get("dice"):
            try:
                parse_dice(raw)
            except BadDice as error:
                self.findings.add(at, "bad_dice", got=raw, need=str(error))
        kind = extra.get("names")
        if kind is not None and not self.known(kind, raw):
            self.findings.add(at, "unknown_name", need=kind, got=raw)
        return raw

    def union(self, node: shape.UnionType, raw: Any, at: str) -> Any:
        if raw is None and any(isinstance(_bare(one), shape.NoneType) for one in node.types):
            return None
        given = _sort_of(raw)
        fitting = [one for one in node.types if given in _sorts_of(one)]
        structs = [one for one in fitting if isinstance(one, shape.StructType)]
        if len(structs) > 1:
            return self.tagged(structs, raw, at)
        if fitting:
            return self.value(fitting[0], raw, at)
        self.findings.add(at, "wrong_type", need=" or ".join(_NEEDS[_sorts_of(one)[0]] for one in node.types))
        return raw

    def tagged(self, structs: list[shape.StructType], raw: Mapping[str, Any], at: str) -> Any:
        field = structs[0].tag_field or "type"
        for one in structs:
            if raw.get(field) == one.tag:
                return self.struct(one, raw, at)
        if field in raw:
            self.findings.none_of(child(at, field), raw[field], [one.tag for one in structs], "unknown_kind")
        else:
            self.findings.add(child(at, field), "missing", got=field)
        return raw

    def struct(self, node: shape.StructType, raw: Any, at: str) -> Any:
        if not isinstance(raw, Mapping):
            self.findings.add(at, "wrong_type", need="a map")
            return raw
        fields = {one.encode_name: one for one in node.fields}
        if node.tag_field is not None:
            if node.tag_field not in raw:
                self.findings.add(child(at, node.tag_field), "missing", got=node.tag_field)
            elif raw[node.tag_field] != node.tag:
                self.findings.add(
                    child(at, node.tag_field), "unknown_kind", got=raw[node.tag_field], need=str(node.tag)
                )
        made: dict[str, Any] = {}
        for name, one in raw.items():
            if name in fields:
                made[name] = self.value(fields[name].type, one, child(at, name))
            elif name == node.tag_field:
                made[name] = one
            else:
                self.findings.unknown(child(at, name), "field", name, fields, "unknown_field")
        for name, field in fields.items():
            if field.required and name not in raw:
                self.findings.add(child(at, name), "missing", got=name)
        return made

    def dict_(self, node: shape.DictType, raw: Any, at: str) -> Any:
        if not isinstance(raw, Mapping):
            self.findings.add(at, "wrong_type", need="a map")
            return raw
        for name in raw:
            self.value(node.key_type, name, child(at, name))
        return {name: self.value(node.value_type, one, child(at, name)) for name, one in raw.items()}

    def items(self, node: Any, raw: Any, at: str) -> Any:
        if not isinstance(raw, list | tuple):
            self.findings.add(at, "wrong_type", need="a list")
            return raw
        if node.min_length is not None and len(raw) < node.min_length:
            self.findings.add(at, "too_few", need=node.min_length)
        if node.max_length is not None and len(raw) > node.max_length:
            self.findings.add(at, "too_many", need=node.max_length)
        return [self.value(node.item_type, one, child(at, index)) for index, one in enumerate(raw)]

    def fixed(self, node: shape.TupleType, raw: Any, at: str) -> Any:
        if not isinstance(raw, list | tuple) or len(raw) != len(node.item_types):
            self.findings.add(at, "wrong_type", need=f"a list of {len(node.item_types)}")
            return raw
        pairs = zip(node.item_types, raw, strict=True)
        return [self.value(one, value, child(at, index)) for index, (one, value) in enumerate(pairs)]


_NEEDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "null": "null",
    "map": "a map",
    "list": "a list",
}


def _bare(node: shape.Type) -> shape.Type:
    while isinstance(node, shape.Metadata):
        node = node.type
    return node


def _sort_of(raw: Any) -> str:
    if raw is None:
        return "null"
    for sort, kind in (("bool", bool), ("int", int), ("float", float), ("str", str), ("map", Mapping)):
        if isinstance(raw, kind):
            return sort
    return "list"


def _sorts_of(node: shape.Type) -> tuple[str, ...]:
    """The sorts of plain values that a type may be given as, the most telling first."""
    if isinstance(node, shape.Metadata):
        if (node.extra or {}).get("length"):
            return ("float", "int")
        return _sorts_of(node.type)
    match node:
        case shape.BoolType():
            return ("bool",)
        case shape.IntType():
            return ("int",)
        case shape.FloatType():
            return ("float", "int")
        case shape.StrType():
            return ("str",)
        case shape.LiteralType():
            return tuple(dict.fromkeys(_sort_of(value) for value in node.values))
        case shape.NoneType():
            return ("null",)
        case shape.StructType() | shape.DictType():
            return ("map",)
        case _:
            return ("list",)


def fit(struct: type[Any], raw: Any, at: str, findings: Findings, known: KnownNames) -> Any:
    """The value as that Struct, or None with everything that keeps it from being one among the findings."""
    made = _Fit(findings, known).value(_type_of(struct), raw, at)
    if findings.has(at):
        return None
    try:
        return msgspec.convert(made, struct, strict=True)
    except (msgspec.ValidationError, ValueError) as error:
        findings.add(at, "code_refused", got=error)
        return None


def wire(value: Any) -> Any:
    """A Struct's value as the wire writes it: lengths as decimals, nothing left out that is not a default."""
    return _wire(_type_of(type(value)), value)


def _wire(node: shape.Type, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(node, shape.Metadata):
        return from_length(value) if (node.extra or {}).get("length") else _wire(node.type, value)
    match node:
        case shape.UnionType():
            fitting = [one for one in node.types if _holds(one, value)]
            return _wire(fitting[0], value) if fitting else value
        case shape.StructType():
            made: dict[str, Any] = {}
            if node.tag_field is not None:
                made[node.tag_field] = node.tag
            for one in node.fields:
                held = getattr(value, one.name)
                if one.required or held != _default(one):
                    made[one.encode_name] = _wire(one.type, held)
            return made
        case shape.DictType():
            return {name: _wire(node.value_type, one) for name, one in value.items()}
        case shape.ListType() | shape.VarTupleType():
            return [_wire(node.item_type, one) for one in value]
        case shape.TupleType():
            return [_wire(one, held) for one, held in zip(node.item_types, value, strict=True)]
        case _:
            return value


def _holds(node: shape.Type, value: Any) -> bool:
    bare = _bare(node)
    if isinstance(bare, shape.StructType):
        return type(value) is bare.cls
    if isinstance(value, tuple):
        return isinstance(bare, shape.VarTupleType | shape.TupleType | shape.ListType)
    return _sort_of(value) in _sorts_of(node) or _sort_of(value) in _sorts_of(bare)


def _default(field: shape.Field) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def json_schema(struct: type[Any]) -> dict[str, Any]:
    """JSON Schema (2020-12) of the wire form of a Struct, complete in itself."""
    return _schema(_type_of(struct))


def _schema(node: shape.Type) -> dict[str, Any]:
    if isinstance(node, shape.Metadata):
        extra = node.extra or {}
        if extra.get("length"):
            whole = node.type if isinstance(node.type, shape.IntType) else shape.IntType()
            ends = {"minimum": whole.ge, "maximum": whole.le}
            bounds = {word: from_length(int(end)) for word, end in ends.items() if end is not None}
            return {"type": "number", "x-length": True, **bounds}
        made = _schema(node.type)
        if "names" in extra:
            made["x-names"] = extra["names"]
        return made
    match node:
        case shape.BoolType():
            return {"type": "boolean"}
        case shape.IntType() | shape.FloatType():
            made = {"type": "integer" if isinstance(node, shape.IntType) else "number"}
            low = {"minimum": node.ge, "exclusiveMinimum": node.gt}
            high = {"maximum": node.le, "exclusiveMaximum": node.lt}
            return made | {word: bound for word, bound in (low | high).items() if bound is not None}
        case shape.StrType():
            return {"type": "string"}
        case shape.NoneType():
            return {"type": "null"}
        case shape.LiteralType():
            return {"enum": sorted(node.values, key=str)}
        case shape.UnionType():
            return {"anyOf": [_schema(one) for one in node.types]}
        case shape.StructType():
            return _struct_schema(node)
        case shape.DictType():
            return {"type": "object", "additionalProperties": _schema(node.value_type)}
        case shape.ListType() | shape.VarTupleType() | shape.SetType() | shape.FrozenSetType():
            return {"type": "array", "items": _schema(node.item_type)}
        case shape.TupleType():
            items = [_schema(one) for one in node.item_types]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        case _:
            return {}


def _struct_schema(node: shape.StructType) -> dict[str, Any]:
    properties = {one.encode_name: _schema(one.type) for one in node.fields}
    required = [one.encode_name for one in node.fields if one.required]
    if node.tag_field is not None:
        properties = {node.tag_field: {"const": node.tag}, **properties}
        required = [node.tag_field, *required]
    made: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        made["required"] = required
    text = node.cls.__doc__
    if text and not text.startswith(f"{node.cls.__name__}("):
        made["description"] = text.strip().splitlines()[0]
    return made
