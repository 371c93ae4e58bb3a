"""What somebody typed into a line of a form, as the value that the API takes there."""

import json
import re
from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
_YES = frozenset({"yes", "y", "true", "да", "tak"})
_NO = frozenset({"no", "n", "false", "нет", "nie"})
_NUMBER = re.compile(r"-?[0-9]{1,9}([.,][0-9]{1,2})?")
_POINT = re.compile(r"(-?[0-9]{1,6}(?:\.[0-9]{1,2})?)\s*[,:]\s*(-?[0-9]{1,6}(?:\.[0-9]{1,2})?)")
BY_TARGET = frozenset({"distance", "sees", "cover", "bands", "crosses_at", "distance_after"})
"""Statements that name each target; who is meant, the refusal said."""
LISTS = frozenset({"crosses", "met", "leaves", "engage", "near", "inside"})


def scalar(text: str) -> Any:
    """A number, yes or no, JSON, or a word."""
    if text.casefold() in _YES:
        return True
    if text.casefold() in _NO:
        return False
    if _NUMBER.fullmatch(text):
        number = text.replace(",", ".")
        return float(number) if "." in number else int(number)
    if text[:1] in "[{":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def words(text: str) -> list[str]:
    """A list as people write it."""
    return [one.strip() for one in text.split(",") if one.strip()]


def points(text: str) -> Any:
    """A way: `2,3 4,3`."""
    return [[float(x), float(y)] for x, y in _POINT.findall(text)] or text


def put(body: Json, at: str, text: str, names: Sequence[str]) -> None:
    """Put what was typed where the refusal said that it is missing."""
    steps = at.strip("/").split("/")
    last = steps[-1]
    value: Any = scalar(text)
    if last == "path":
        value = points(text)
    elif steps[0] == "said" and last in BY_TARGET:
        value = value if isinstance(value, dict) else dict.fromkeys(names, value)
    elif last == "targets" or (steps[0] == "said" and last in LISTS):
        value = value if isinstance(value, list) else words(text)
    held = body
    for step in steps[:-1]:
        found = held.setdefault(step, {})
        if not isinstance(found, dict):
            return
        held = found
    held[last] = value


def by_schema(schema: Json, text: str) -> Any:
    """The same for a line of a decision's form, whose schema is published with it."""
    kind = schema.get("type")
    if kind == "string":
        return next((word for word, name in schema.get("x-names", {}).items() if name == text), text)
    if kind == "object":
        pairs = (one.partition("=") for one in words(text))
        return scalar(text) if text[:1] == "{" else {name.strip(): scalar(value.strip()) for name, _, value in pairs}
    if kind == "array":
        inner = schema.get("items", {})
        if inner.get("type") == "array":
            return points(text)
        parts = words(text) if "," in text or inner.get("type") == "string" else text.split()
        return [by_schema(inner, one) for one in parts]
    return scalar(text)


def hint(schema: Json) -> str:
    """What may be typed there."""
    found = schema.get("enum") or schema.get("items", {}).get("enum") or list(schema.get("properties", {}))
    if found:
        names = schema.get("x-names", {})
        return ", ".join(str(names.get(one, one)) for one in found)
    if schema.get("type") == "boolean":
        return "yes / no"
    bounds = [str(schema[end]) for end in ("minimum", "maximum") if end in schema]
    return "–".join(bounds) if bounds else str(schema.get("type", ""))
