"""Whether each section of a document is shaped as its model asks: what pydantic says, as findings at their places."""

from collections.abc import Mapping
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
                _note(document[section], detail, place, findings)


def _note(section: Any, detail: ErrorDetails, root: str, findings: Findings) -> None:
    kind, ctx, given = detail["type"], detail.get("ctx", {}), detail["input"]
    place, last = _walk(section, detail, root)
    if findings.has(place) and kind != "missing":
        return
    if kind == "missing":
        findings.add(child(place, last), "missing", got=last)
    elif kind == "extra_forbidden":
        findings.add(place, "unknown_field", got=last)
    elif kind in _TYPES:
        findings.add(place, "wrong_type", need=_TYPES[kind])
    elif kind in _BOUNDS:
        word, need = _BOUNDS[kind]
        findings.add(place, "out_of_bounds", got=given, need=need.format(ctx[word]))
    elif kind == "literal_error":
        findings.add(place, "unknown_word", got=given, need=ctx["expected"].replace("'", ""))
    elif kind == "union_tag_invalid":
        field = ctx["discriminator"].strip("'")
        findings.add(child(place, field), "unknown_kind", got=ctx["tag"], need=ctx["expected_tags"].replace("'", ""))
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
