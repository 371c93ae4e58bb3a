"""Everything that is wrong with a body at once.

The decoder stops at its first complaint. Only then, and off the quick path, this walks the whole tree beside the type
and lists every place that does not fit. It judges shapes and bounds exactly as the decoder does, and never quotes
what was sent.
"""

import re
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

from app.services.errors import Finding


def faults_of(tree: Any, kind: Any) -> list[Finding]:
    """Every place of the tree that does not fit the type, in the order of the type's fields."""
    return list(_judge(tree, inspect.type_info(kind), ""))


def _judge(value: Any, kind: inspect.Type, at: str) -> Iterator[Finding]:
    match kind:
        case inspect.Metadata():
            yield from _judge(value, kind.type, at)
        case inspect.AnyType() | inspect.RawType():
            return
        case inspect.UnionType():
            yield from _union(value, kind, at)
        case inspect.StructType():
            yield from _struct(value, kind, at)
        case inspect.DictType():
            yield from _dict(value, kind, at)
        case inspect.VarTupleType() | inspect.ListType():
            yield from _list(value, kind, at)
        case inspect.TupleType():
            yield from _fixed(value, kind, at)
        case inspect.LiteralType():
            if value not in kind.values or isinstance(value, bool):
                yield Finding("unknown_choice", at, ", ".join(str(one) for one in kind.values))
        case inspect.StrType():
            yield from _text(value, kind, at)
        case inspect.IntType() | inspect.FloatType():
            yield from _number(value, kind, at)
        case inspect.BoolType():
            if not isinstance(value, bool):
                yield Finding("wrong_type", at, "bool")
        case inspect.NoneType():
            if value is not None:
                yield Finding("wrong_type", at, "null")
        case _:
            return


def _fits(value: Any, kind: inspect.Type) -> bool:
    """Whether the value is of the JSON type that this takes, whatever is in it."""
    match kind:
        case inspect.Metadata():
            return _fits(value, kind.type)
        case inspect.NoneType():
            return value is None
        case inspect.BoolType():
            return isinstance(value, bool)
        case inspect.IntType():
            return isinstance(value, int) and not isinstance(value, bool)
        case inspect.FloatType():
            return isinstance(value, int | float) and not isinstance(value, bool)
        case inspect.StrType():
            return isinstance(value, str)
        case inspect.LiteralType():
            return isinstance(value, str)
        case inspect.StructType() | inspect.DictType():
            return isinstance(value, dict)
        case inspect.ListType() | inspect.VarTupleType() | inspect.TupleType():
            return isinstance(value, list)
        case inspect.UnionType():
            return any(_fits(value, one) for one in kind.types)
        case inspect.AnyType():
            return True
        case _:
            return False


def _names(kind: inspect.Type) -> list[str]:
    match kind:
        case inspect.Metadata():
            return _names(kind.type)
        case inspect.IntType():
            return ["whole"]
        case inspect.FloatType():
            return ["number"]
        case inspect.StrType() | inspect.LiteralType():
            return ["text"]
        case inspect.StructType() | inspect.DictType():
            return ["object"]
        case inspect.ListType() | inspect.VarTupleType() | inspect.TupleType():
            return ["list"]
        case inspect.BoolType():
            return ["bool"]
        case inspect.NoneType():
            return ["null"]
        case _:
            return []


def _union(value: Any, kind: inspect.UnionType, at: str) -> Iterator[Finding]:
    members = [one for one in kind.types if not isinstance(one, inspect.CustomType)]
    structs = [one for one in members if isinstance(one, inspect.StructType) and one.tag_field is not None]
    if isinstance(value, dict) and structs:
        field = structs[0].tag_field or ""
        if field not in value:
            yield Finding("missing_input", f"{at}/{field}")
            return
        for one in structs:
            if one.tag == value[field]:
                yield from _struct(value, one, at)
                return
        yield Finding("unknown_choice", f"{at}/{field}", ", ".join(str(one.tag) for one in structs))
        return
    fitting = [one for one in members if _fits(value, one)]
    if not fitting:
        known = [name for one in members for name in _names(one) if name != "null"]
        yield Finding("wrong_type", at, known[0] if known else "object")
        return
    yield from min((list(_judge(value, one, at)) for one in fitting), key=len)


def _struct(value: Any, kind: inspect.StructType, at: str) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield Finding("wrong_type", at, "object")
        return
    known = {field.encode_name for field in kind.fields}
    for field in kind.fields:
        place = f"{at}/{field.encode_name}"
        if field.encode_name in value:
            yield from _judge(value[field.encode_name], field.type, place)
        elif field.required:
            yield Finding("missing_input", place)
    if kind.forbid_unknown_fields:
        for name in value:
            if name not in known and not (kind.tag_field is not None and name == kind.tag_field):
                yield Finding("unknown_field", f"{at}/{_pointed(name)}")


def _dict(value: Any, kind: inspect.DictType, at: str) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield Finding("wrong_type", at, "object")
        return
    yield from _length(len(value), kind.min_length, kind.max_length, at)
    for key, one in value.items():
        place = f"{at}/{_pointed(key)}"
        wrong = list(_judge(key, kind.key_type, place))
        yield from wrong or _judge(one, kind.value_type, place)


def _list(value: Any, kind: inspect.VarTupleType | inspect.ListType, at: str) -> Iterator[Finding]:
    if not isinstance(value, list):
        yield Finding("wrong_type", at, "list")
        return
    yield from _length(len(value), kind.min_length, kind.max_length, at)
    for place, one in enumerate(value):
        yield from _judge(one, kind.item_type, f"{at}/{place}")


def _fixed(value: Any, kind: inspect.TupleType, at: str) -> Iterator[Finding]:
    if not isinstance(value, list):
        yield Finding("wrong_type", at, "point" if len(kind.item_types) == 2 else "list")
        return
    yield from _length(len(value), len(kind.item_types), len(kind.item_types), at)
    for place, (one, item) in enumerate(zip(value, kind.item_types, strict=False)):
        yield from _judge(one, item, f"{at}/{place}")


def _text(value: Any, kind: inspect.StrType, at: str) -> Iterator[Finding]:
    if not isinstance(value, str):
        yield Finding("wrong_type", at, "text")
        return
    yield from _length(len(value), kind.min_length, kind.max_length, at)
    if kind.pattern is not None and not re.search(kind.pattern, value):
        yield Finding("bad_id", at)


def _length(length: int, low: int | None, high: int | None, at: str) -> Iterator[Finding]:
    if low is not None and length < low:
        yield Finding("too_short", at, str(low))
    if high is not None and length > high:
        yield Finding("too_long", at, str(high))


def _number(value: Any, kind: inspect.IntType | inspect.FloatType, at: str) -> Iterator[Finding]:
    if isinstance(value, bool) or not isinstance(value, int if isinstance(kind, inspect.IntType) else int | float):
        yield Finding("wrong_type", at, "whole" if isinstance(kind, inspect.IntType) else "number")
        return
    if (
        (kind.ge is not None and value < kind.ge)
        or (kind.gt is not None and value <= kind.gt)
        or (kind.le is not None and value > kind.le)
        or (kind.lt is not None and value >= kind.lt)
    ):
        low, high = _bound(kind.ge, kind.gt), _bound(kind.le, kind.lt)
        yield Finding("out_of_bounds", at, f"{low}..{high}")


def _bound(included: float | None, excluded: float | None) -> str:
    bound = included if included is not None else excluded
    return "" if bound is None else f"{bound:.10g}"


def _pointed(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
