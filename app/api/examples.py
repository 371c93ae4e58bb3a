"""Example bodies, shared by the documentation and the tests: `openapi/examples/<operation>.json`.

A file holds a list of `{"name", "summary", "request", "response", ...}`; a test sends each request and compares what
comes back.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "openapi" / "examples"


REFUSALS = FOLDER.parent / "refusals.json"
"""Problems as they came when they were provoked, by their code."""


@cache
def refusals() -> dict[str, dict[str, Any]]:
    """Problems as they came; those that are not easily provoked are not among them."""
    if not REFUSALS.is_file():
        return {}
    told: dict[str, dict[str, Any]] = json.loads(REFUSALS.read_text(encoding="utf-8"))
    return told


@cache
def examples(operation: str) -> tuple[dict[str, Any], ...]:
    """The examples of one operation, in order; none where there is no file."""
    path = FOLDER / f"{operation}.json"
    if not path.is_file():
        return ()
    return tuple(json.loads(path.read_text(encoding="utf-8")))


STAND_INS = {"{campaign}": "cmp_7h2k9m4q1x", "{other}": "cmb_b9k2m9q4xw", "{code}": "K7Q2-9XMD"}
"""What the documentation shows where a test puts in the id of something it has made."""


def examples_of(operation: str, part: str) -> dict[str, Any]:
    """Its request or response bodies as OpenAPI shows them."""
    return {
        one["name"]: {"summary": one["summary"], "value": _filled(one[part])}
        for one in examples(operation)
        if part in one
    }


def _filled(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    for name, shown in STAND_INS.items():
        text = text.replace(name, shown)
    return json.loads(text)
