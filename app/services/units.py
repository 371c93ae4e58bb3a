"""Engine values as they go over the wire: lengths as decimals, and without the fields that only the GM sees.

What has neither is passed on as it is, to be encoded by msgspec directly. One function a type, built once.
"""

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import inspect

from app.engine.events import Event
from app.engine.visibility import SECRET_FIELDS
from app.persistence.work import Audience

Convert = Callable[[Any], Any]


_CONVERTERS: dict[tuple[type[Any], Audience], Convert | None] = {}


def converter(kind: type[Any], audience: Audience) -> Convert | None:
    """What turns a value of that type into what is encoded, None where nothing has to be done."""
    try:
        return _CONVERTERS[kind, audience]
    except KeyError:
        return _CONVERTERS.setdefault((kind, audience), _of(inspect.type_info(kind), audience))


def in_units(value: Any, audience: Audience) -> Any:
    """One value of a Struct as it goes over the wire."""
    convert = converter(type(value), audience)
    return value if convert is None else convert(value)


def units(length: int) -> float:
    """A length in hundredths as a decimal of the unit."""
    return length / 100


def _of(kind: inspect.Type, audience: Audience) -> Convert | None:
    match kind:
        case inspect.Metadata():
            return units if (kind.extra or {}).get("length") else _of(kind.type, audience)
        case inspect.StructType():
            return _struct(kind, audience)
        case inspect.UnionType():
            return _union(kind, audience)
        case inspect.VarTupleType() | inspect.ListType():
            return _each(_of(kind.item_type, audience))
        case inspect.TupleType():
            return _tuple([_of(item, audience) for item in kind.item_types])
        case inspect.DictType():
            return _values(_of(kind.value_type, audience))
        case _:
            return None


def _struct(kind: inspect.StructType, audience: Audience) -> Convert | None:
    secret = secret_fields(kind.cls) if audience == "public" else frozenset()
    fields = [(field, _of(field.type, audience)) for field in kind.fields if field.name not in secret]
    if len(fields) == len(kind.fields) and all(convert is None for _, convert in fields):
        return None
    omits = kind.cls.__struct_config__.omit_defaults
    plan = tuple(
        (field.name, field.encode_name, convert, omits and not field.required, _default(field))
        for field, convert in fields
    )
    tag = {} if kind.tag_field is None else {kind.tag_field: kind.tag}

    def convert_struct(value: Any) -> Any:
        told: dict[str, Any] = dict(tag)
        for name, written, convert, may_omit, default in plan:
            held = getattr(value, name)
            if may_omit and held == default:
                continue
            told[written] = held if convert is None else convert(held)
        return told

    return convert_struct


def secret_fields(kind: type[Any]) -> frozenset[str]:
    """Fields of a Struct that only the GM sees."""
    if issubclass(kind, Event):
        return frozenset(kind.secret)
    return SECRET_FIELDS.get(kind, frozenset())


def _default(field: inspect.Field) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def _union(kind: inspect.UnionType, audience: Audience) -> Convert | None:
    structs: dict[type, Convert] = {}
    others: dict[type, Convert] = {}
    for one in kind.types:
        convert = _of(one, audience)
        if convert is None:
            continue
        if isinstance(one, inspect.StructType):
            structs[one.cls] = convert
        else:
            others[_python(one)] = convert
    if not structs and not others:
        return None
    by_type = structs | others

    def convert_union(value: Any) -> Any:
        convert = by_type.get(type(value))
        return value if convert is None else convert(value)

    return convert_union


def _python(kind: inspect.Type) -> type:
    match kind:
        case inspect.Metadata():
            return _python(kind.type)
        case inspect.IntType():
            return int
        case inspect.DictType():
            return dict
        case inspect.ListType():
            return list
        case _:
            return tuple


def _each(convert: Convert | None) -> Convert | None:
    return None if convert is None else lambda values: [convert(value) for value in values]


def _tuple(converts: list[Convert | None]) -> Convert | None:
    if all(convert is None for convert in converts):
        return None

    def convert_tuple(values: Any) -> Any:
        return [value if convert is None else convert(value) for value, convert in zip(values, converts, strict=True)]

    return convert_tuple


def _values(convert: Convert | None) -> Convert | None:
    return None if convert is None else lambda held: {key: convert(value) for key, value in held.items()}
