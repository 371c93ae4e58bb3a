"""What an integrator would notice between two OpenAPI documents: every break by its kind and place, and what is new.

`python -m tools.api_changes` holds openapi/openapi.json against openapi/released.json, the contract that clients build
on; `--accept` makes today's contract the new one, which is done when a version goes out.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]
FOLDER = Path(__file__).resolve().parent.parent / "openapi"
CURRENT, RELEASED = FOLDER / "openapi.json", FOLDER / "released.json"
PROSE = frozenset({"description", "summary", "example", "examples", "title"})
GROWS = "x-may-grow"
"""Marks a choice in answers to which words may be added: clients are told to expect that."""
UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
SAME = ("pattern", "multipleOf", "format")


class Change(NamedTuple):
    """One difference."""

    kind: str
    at: str
    breaks: bool = True

    def __str__(self) -> str:
        return f"{self.kind}: {self.at}"


def contract(document: Any, *, named: bool = False) -> Any:
    """The document without its prose. `named` tells that keys are names here, not words of OpenAPI."""
    if isinstance(document, list):
        return [contract(one) for one in document]
    if not isinstance(document, dict):
        return document
    return {
        key: contract(one, named=not named and key in ("properties", "schemas", "parameters", "headers", "paths"))
        for key, one in document.items()
        if named or key not in PROSE
    }


class Comparison:
    """Walks two documents side by side."""

    def __init__(self, old: Json, new: Json) -> None:
        self.old, self.new = old, new
        self._seen: set[tuple[str, str, str]] = set()

    def changes(self) -> Iterator[Change]:
        """Every difference."""
        for path, methods in self.old["paths"].items():
            if path not in self.new["paths"]:
                yield Change("path_removed", path)
                continue
            for method, operation in methods.items():
                at = f"{method.upper()} {path}"
                found = self.new["paths"][path].get(method)
                if found is None:
                    yield Change("operation_removed", at)
                else:
                    yield from self._operation(operation, found, at)
        for path, methods in self.new["paths"].items():
            for method in methods:
                if method not in self.old["paths"].get(path, {}):
                    yield Change("operation_added", f"{method.upper()} {path}", breaks=False)
        for name in self.old["components"]["schemas"]:
            if name not in self.new["components"]["schemas"]:
                yield Change("type_removed", name)

    def _operation(self, old: Json, new: Json, at: str) -> Iterator[Change]:
        if old["operationId"] != new["operationId"]:
            yield Change("operation_renamed", f"{at}: {old['operationId']} -> {new['operationId']}")
        if old.get("security", self.old.get("security")) == [] and new.get("security") != []:
            yield Change("token_needed", at)
        yield from self._parameters(old, new, at)
        yield from self._body(old.get("requestBody"), new.get("requestBody"), at)
        for status, answer in old["responses"].items():
            found = new["responses"].get(status)
            if found is None:
                # A problem that no longer happens takes nothing from anybody.
                yield Change("answer_removed", f"{at} {status}", breaks=status < "4")
            else:
                yield from self._answer(answer, found, f"{at} {status}")
        for status in new["responses"]:
            if status not in old["responses"]:
                # Who gets a 304 has asked for it.
                yield Change("answer_added", f"{at} {status}", breaks=status < "4" and status != "304")

    def _parameters(self, old: Json, new: Json, at: str) -> Iterator[Change]:
        before = {(one["in"], one["name"]): one for one in self._all(self.old, old.get("parameters", ()))}
        after = {(one["in"], one["name"]): one for one in self._all(self.new, new.get("parameters", ()))}
        for (where, name), one in before.items():
            found = after.get((where, name))
            if found is None:
                yield Change("parameter_removed", f"{at} {where} {name}")
                continue
            if found.get("required") and not one.get("required"):
                yield Change("parameter_required", f"{at} {where} {name}")
            yield from self._schema(one["schema"], found["schema"], f"{at} {where} {name}", "in")
        for where, name in after.keys() - before.keys():
            needed = bool(after[where, name].get("required"))
            yield Change("parameter_required" if needed else "parameter_added", f"{at} {where} {name}", breaks=needed)

    def _body(self, old: Json | None, new: Json | None, at: str) -> Iterator[Change]:
        if old is None:
            if new is not None:
                needed = bool(new.get("required"))
                yield Change("body_required" if needed else "body_added", at, breaks=needed)
            return
        if new is None:
            yield Change("body_removed", at)
            return
        if new.get("required") and not old.get("required"):
            yield Change("body_required", at)
        yield from self._content(old, new, at, "in")

    def _answer(self, old: Json, new: Json, at: str) -> Iterator[Change]:
        for name in old.get("headers", {}):
            if name not in new.get("headers", {}):
                yield Change("header_removed", f"{at} {name}")
        yield from self._content(old, new, at, "out")

    def _content(self, old: Json, new: Json, at: str, way: str) -> Iterator[Change]:
        for kind, content in old.get("content", {}).items():
            found = new.get("content", {}).get(kind)
            if found is None:
                yield Change("media_type_removed", f"{at} {kind}")
            else:
                yield from self._schema(content["schema"], found["schema"], at, way)

    def _schema(self, old: Json, new: Json, at: str, way: str) -> Iterator[Change]:
        """`way` is `in` for what a client sends and `out` for what it gets."""
        names = (_name(old), _name(new), way)
        if names[0] and names[1]:
            if names in self._seen:
                return
            self._seen.add(names)
            at = names[1]
        elif "$ref" not in old and "$ref" not in new and old == new and "$ref" not in json.dumps(old):
            return
        old, new = _resolved(self.old, old), _resolved(self.new, new)
        yield from _kinds(self._types(self.old, old), self._types(self.new, new), at, way)
        yield from _words(old, new, at, way)
        if way == "in":
            yield from _limits(old, new, at)
        if old.get("discriminator", {}).get("propertyName") != new.get("discriminator", {}).get("propertyName"):
            yield Change("discriminator_changed", at)
        yield from self._fields(old, new, at, way)
        for word, shown in (("items", "[]"), ("additionalProperties", "{}")):
            before, after = old.get(word), new.get(word)
            if isinstance(before, dict) and isinstance(after, dict):
                yield from self._schema(before, after, at + shown, way)
        yield from self._variants(old, new, at, way)

    def _fields(self, old: Json, new: Json, at: str, way: str) -> Iterator[Change]:
        before, after = old.get("properties", {}), new.get("properties", {})
        had, has = set(old.get("required", ())), set(new.get("required", ()))
        for name, schema in before.items():
            if name not in after:
                yield Change("field_removed", f"{at}.{name}")
                continue
            if way == "in" and name in has - had:
                yield Change("field_required", f"{at}.{name}")
            if way == "out" and name in had - has:
                yield Change("field_optional", f"{at}.{name}")
            yield from self._schema(schema, after[name], f"{at}.{name}", way)
        for name in after.keys() - before.keys():
            needed = way == "in" and name in has
            yield Change("field_required" if needed else "field_added", f"{at}.{name}", breaks=needed)

    def _variants(self, old: Json, new: Json, at: str, way: str) -> Iterator[Change]:
        before, after = self._choices(self.old, old), self._choices(self.new, new)
        if not before or not after:
            return
        for key, one in before.items():
            if key in after:
                yield from self._schema(one, after[key], f"{at}|{key}", way)
            else:
                yield Change("variant_removed", f"{at}|{key}")
        for key in after.keys() - before.keys():
            yield Change("variant_added", f"{at}|{key}", breaks=way == "out" and not new.get(GROWS))

    def _choices(self, document: Json, schema: Json) -> dict[str, Json]:
        return {
            _name(one) or ",".join(sorted(self._types(document, one))): one
            for word in ("anyOf", "oneOf")
            for one in schema.get(word, ())
            if one.get("type") != "null"
        }

    def _types(self, document: Json, schema: Json) -> frozenset[str]:
        """The JSON types that a schema takes."""
        schema = _resolved(document, schema)
        inner = [one for word in ("anyOf", "oneOf") for one in schema.get(word, ())]
        if inner:
            return frozenset().union(*(self._types(document, one) for one in inner))
        told = schema.get("type", "any")
        return frozenset([told] if isinstance(told, str) else told)

    def _all(self, document: Json, given: Iterable[Json]) -> list[Json]:
        return [_resolved(document, one) for one in given]


def _kinds(before: frozenset[str], after: frozenset[str], at: str, way: str) -> Iterator[Change]:
    if "any" in (after if way == "in" else before):
        return
    more = after - before - ({"integer"} if "number" in before else set())
    less = before - after - ({"integer"} if "number" in after else set())
    if way == "in" and less:
        yield Change("type_narrowed", f"{at}: {', '.join(sorted(less))} no longer taken")
    if way == "out" and more:
        yield Change("type_widened", f"{at}: {', '.join(sorted(more))} may come")


def _words(old: Json, new: Json, at: str, way: str) -> Iterator[Change]:
    before, after = old.get("enum"), new.get("enum")
    if before is None and after is None:
        return
    if before is None:
        yield Change("choice_narrowed", f"{at}: only some words", breaks=way == "in")
        return
    if after is None:
        yield Change("choice_widened", f"{at}: any word", breaks=way == "out")
        return
    for word in before:
        if word not in after:
            # In answers too: clients have a constant for it.
            yield Change("choice_narrowed", f"{at}: {word}")
    for word in after:
        if word not in before:
            yield Change("choice_widened", f"{at}: {word}", breaks=way == "out" and not new.get(GROWS))


def _limits(old: Json, new: Json, at: str) -> Iterator[Change]:
    for word in UPPER:
        if word in new and (word not in old or new[word] < old[word]):
            yield Change("limit_narrowed", f"{at} {word}")
    for word in LOWER:
        if word in new and (word not in old or new[word] > old[word]):
            yield Change("limit_narrowed", f"{at} {word}")
    for word in SAME:
        if word in new and new[word] != old.get(word):
            yield Change("limit_narrowed", f"{at} {word}")
    if new.get("additionalProperties") is False and old.get("additionalProperties") is not False:
        yield Change("limit_narrowed", f"{at} additionalProperties")
    if "propertyNames" in new:
        yield from _limits(old.get("propertyNames", {}), new["propertyNames"], f"{at} propertyNames")
    if "default" in old and old["default"] != new.get("default"):
        yield Change("default_changed", at)


def _name(schema: Json) -> str:
    return str(schema.get("$ref", "")).rsplit("/", 1)[-1]


def _resolved(document: Json, one: Json) -> Json:
    while "$ref" in one:
        found: Any = document
        for part in one["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        one = found
    return one


def changes(old: Json, new: Json) -> list[Change]:
    """Every difference between two documents, breaks first."""
    return sorted(set(Comparison(contract(old), contract(new)).changes()), key=lambda one: (not one.breaks, one))


def main(arguments: list[str]) -> int:
    """Compare, or accept."""
    current = json.loads(CURRENT.read_text(encoding="utf-8"))
    if arguments == ["--accept"]:
        text = json.dumps(contract(current), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        # One path or type a line: small, and still readable in a diff.
        RELEASED.write_text(_lines(json.loads(text)) + "\n", encoding="utf-8")
        return 0
    found = changes(json.loads(RELEASED.read_text(encoding="utf-8")), current)
    for one in found:
        print("BREAKS" if one.breaks else "new   ", one)
    return 1 if any(one.breaks for one in found) else 0


def _lines(value: Any, depth: int = 0) -> str:
    if depth == 3 or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    inner = ",\n".join(f"{json.dumps(key)}: {_lines(one, depth + 1)}" for key, one in value.items())
    return "{\n" + inner + "\n}" if inner else "{}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
