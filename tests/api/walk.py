"""A walk through the document: every schema of every request, answer, parameter and header, with its place."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]
SIDES = ("request", "answer", "parameter", "header")


class Spot(NamedTuple):
    """One schema: on which side of the wire, where, and what it says."""

    side: str
    at: str
    schema: Json


def resolve(document: Json, one: Json) -> Json:
    """What a reference stands for."""
    while "$ref" in one:
        found: Any = document
        for part in one["$ref"].removeprefix("#/").split("/"):
            found = found[part.replace("~1", "/").replace("~0", "~")]
        one = found
    return one


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Path, method and operation."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def spots(document: Json) -> list[Spot]:
    """Every schema that anything on the wire is judged by; a named one once on each side."""
    found: list[Spot] = []
    seen: set[tuple[str, str]] = set()

    def walk(side: str, at: str, schema: Json) -> None:
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            if (side, name) not in seen:
                seen.add((side, name))
                walk(side, name, resolve(document, schema))
            return
        found.append(Spot(side, at, schema))
        for name, one in schema.get("properties", {}).items():
            walk(side, f"{at}.{name}", one)
        for word in ("items", "additionalProperties"):
            if isinstance(schema.get(word), dict):
                walk(side, f"{at}[]" if word == "items" else f"{at}{{}}", schema[word])
        for word in ("anyOf", "oneOf", "allOf"):
            for one in schema.get(word, ()):
                walk(side, at, one)

    for _, _, operation in operations(document):
        name = operation["operationId"]
        for given in operation["parameters"]:
            parameter = resolve(document, given)
            walk("parameter", f"{name}?{parameter['name']}", parameter["schema"])
        for content in operation.get("requestBody", {}).get("content", {}).values():
            walk("request", name, content["schema"])
        for status, answer in operation["responses"].items():
            for header, one in answer.get("headers", {}).items():
                walk("header", f"{name} {status} {header}", resolve(document, one)["schema"])
            for kind, content in answer.get("content", {}).items():
                walk("answer", f"{name} {status} {kind}", content["schema"])
    return found


def everything(value: Any, at: str = "") -> Iterator[tuple[str, Json]]:
    """Every object of a JSON document with its place."""
    if isinstance(value, dict):
        yield at, value
        for name, one in value.items():
            yield from everything(one, f"{at}/{name}")
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from everything(one, f"{at}/{place}")


Path = tuple[Any, ...]
"""Where in a body something stands: 0 for an item of a list, a name with the marks that must stand beside it."""


def _members(document: Json, schema: Json) -> list[Json]:
    schema = resolve(document, schema)
    found = [one for word in ("anyOf", "oneOf") for one in schema.get(word, ())]
    return [inner for one in found for inner in _members(document, one)] or [schema]


def trials(
    document: Json, schema: Json, values: Callable[[Json], Iterator[Any]], path: Path = (), depth: int = 0
) -> Iterator[tuple[Path, Any]]:
    """Every place of a body with the values to be tried there."""
    members = _members(document, schema)
    if len(members) == 1 or {one.get("type") for one in members} <= {members[0].get("type"), "null"}:
        for value in values(members[0]):
            if len(members) == 1 or "discriminator" not in schema:
                yield path, value
    if depth > 6:
        return
    for one in members:
        marks = {
            name: spec["enum"][0] for name, spec in one.get("properties", {}).items() if len(spec.get("enum", ())) == 1
        }
        for name, inner in one.get("properties", {}).items():
            if name not in marks:
                yield from trials(document, inner, values, (*path, (name, marks)), depth + 1)
        if isinstance(one.get("items"), dict):
            yield from trials(document, one["items"], values, (*path, 0), depth + 1)
        inner = one.get("additionalProperties")
        if isinstance(inner, dict) and inner:
            yield from trials(document, inner, values, (*path, ("k", {})), depth + 1)


def body_of(path: Path, value: Any) -> Any:
    """A body with that value at that place, and nothing else."""
    for step in reversed(path):
        value = [value] if step == 0 else {**step[1], step[0]: value}
    return value


def pointer(path: Path) -> str:
    """The place as a JSON pointer."""
    return "".join("/0" if step == 0 else f"/{step[0]}" for step in path)
