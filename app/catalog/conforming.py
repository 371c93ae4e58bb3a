"""Whether each section of a document is shaped as its model asks: what pydantic says, as findings at their places."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import pydantic
from pydantic import TypeAdapter
from pydantic_core import ErrorDetails

from app.catalog.findings import Findings, child, listed

_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "model_attributes_type": "a map",
    "finite_number": "a number",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least {}"),
    "less_than_equal": ("le", "at most {}"),
}


def check_shape(document: Mapping[str, Any], adapters: Mapping[str, TypeAdapter[Any]], findings: Findings) -> None:
    """Note everything that is not shaped as its section asks, but nothing twice about one place."""
    for section, adapter in adapters.items():
        place = child("", section)
        if section not in document:
            continue
        try:
            adapter.validate_python(document[section])
        except pydantic.ValidationError as error:
            for detail in error.errors(include_url=False):
                _note(document[section], detail, place, adapter, findings)


def _note(section: Any, detail: ErrorDetails, root: str, adapter: TypeAdapter[Any], findings: Findings) -> None:
    kind, ctx, given = detail["type"], detail.get("ctx", {}), detail["input"]
    place, last = _walk(section, detail, root)
    if findings.has(place) and kind != "missing":
        return
    if kind == "missing":
        findings.add(child(place, last), "missing", got=last)
    elif kind == "extra_forbidden":
        findings.unknown(place, "field", last, _fields(adapter, detail["loc"][:-1]), "unknown_field")
    elif kind in _TYPES:
        findings.add(place, "wrong_type", need=_TYPES[kind])
    elif kind in _BOUNDS:
        word, need = _BOUNDS[kind]
        findings.add(place, "out_of_bounds", got=given, need=need.format(ctx[word]))
    elif kind == "literal_error":
        findings.none_of(place, given, _listed(ctx["expected"]))
    elif kind == "union_tag_invalid":
        field = ctx["discriminator"].strip("'")
        findings.none_of(child(place, field), ctx["tag"], _listed(ctx["expected_tags"]), "unknown_kind")
    elif kind == "union_tag_not_found":
        field = ctx["discriminator"].strip("'")
        findings.add(child(place, field), "missing", got=field)
    elif kind == "string_pattern_mismatch":
        findings.add(place, "bad_text", got=given, need=ctx["pattern"])
    elif kind in ("too_short", "string_too_short"):
        findings.add(place, "too_few", need=ctx.get("min_length"))
    elif kind in ("too_long", "string_too_long"):
        findings.add(place, "too_many", need=ctx.get("max_length"))
    elif kind in ("bad_dice", "not_hundredths", "choices_repeat", "wrong_type"):
        findings.add(place, kind, **ctx)
    else:
        findings.add(place, "invalid", got=detail["msg"])


def _walk(section: Any, detail: ErrorDetails, root: str) -> tuple[str, str]:
    """The place of an error in the document: the steps of pydantic's path that exist there, and the last step."""
    place, at, last = root, section, ""
    for step in detail["loc"]:
        if step in at if isinstance(at, Mapping) else isinstance(step, int) and step < len(listed(at)):
            at, place = at[step], child(place, step)
        last = str(step)
    return place, last


def _listed(told: str) -> list[str]:
    """The words of pydantic's `'a', 'b' or 'c'`."""
    return re.findall(r"'([^']*)'", told)


def _fields(adapter: TypeAdapter[Any], path: Iterable[int | str]) -> set[str]:
    """The fields that may stand at the end of pydantic's path, whichever of several shapes is meant there."""
    whole = _schema(adapter)
    here = _meant(whole, whole)
    for step in path:
        below = [one for node in here for one in _below(node, step)]
        # Steps that name one of several shapes lead nowhere.
        here = [one for node in below for one in _meant(node, whole)] or here
    return {name for node in here for name in node.get("properties", {})}


@cache
def _schema(adapter: TypeAdapter[Any]) -> dict[str, Any]:
    return adapter.json_schema()


def _meant(node: Mapping[str, Any], whole: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schemas that a schema stands for: what it refers to, each of its choices."""
    if "$ref" in node:
        return _meant(whole["$defs"][node["$ref"].rpartition("/")[2]], whole)
    choices = [*node.get("anyOf", ()), *node.get("oneOf", ()), *node.get("allOf", ())]
    return [one for choice in choices for one in _meant(choice, whole)] or [node]


def _below(node: Mapping[str, Any], step: int | str) -> list[Mapping[str, Any]]:
    if isinstance(step, int):
        found = node.get("items")
    else:
        patterns = [*node.get("patternProperties", {}).values(), node.get("additionalProperties")]
        found = node.get("properties", {}).get(step, patterns[0])
    return [found] if isinstance(found, Mapping) else []
