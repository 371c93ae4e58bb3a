"""Holds every answer that a test gets to the OpenAPI document: its status, its media type, its schema."""

import re
from functools import cached_property
from typing import Any

import httpx
from jsonschema_rs import Draft202012Validator, Registry

ROOT = "urn:turnwright"
TOLD_HEADERS = ("etag", "idempotency-replayed", "link", "location", "ratelimit", "ratelimit-policy", "retry-after")
"""Headers that a client acts on: an answer has those that are declared for it, and no other of them."""
JSON_TYPES = ("application/json", "application/problem+json")


class Contract:
    """The document as a judge."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._registry = Registry([(ROOT, document)])
        self._validators: dict[str, Draft202012Validator] = {}

    @cached_property
    def _paths(self) -> list[tuple[re.Pattern[str], dict[str, Any]]]:
        paths = sorted(self.document["paths"].items(), key=lambda item: item[0].count("{"))
        return [(re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path) + r"\Z"), one) for path, one in paths]

    def operation(self, method: str, path: str) -> dict[str, Any] | None:
        """The operation behind a method and an address."""
        for pattern, methods in self._paths:
            if pattern.match(path) and method.lower() in methods:
                found: dict[str, Any] = methods[method.lower()]
                return found
        return None

    def by_id(self, name: str) -> dict[str, Any]:
        """The operation of that name."""
        methods = (one for path in self.document["paths"].values() for one in path.values())
        found: dict[str, Any] = next(one for one in methods if one["operationId"] == name)
        return found

    def validator(self, pointer: str) -> Draft202012Validator:
        """A validator of one schema of the document."""
        held = self._validators.get(pointer)
        if held is None:
            held = Draft202012Validator({"$ref": f"{ROOT}{pointer}"}, registry=self._registry)
            self._validators[pointer] = held
        return held

    def check(self, response: httpx.Response) -> None:
        """Raise `AssertionError` for an answer that the document does not know."""
        request = response.request
        operation = self.operation(request.method, request.url.path)
        if operation is None or response.status_code == 405:
            return
        told = operation["responses"].get(str(response.status_code))
        what = f"{request.method} {request.url.path} -> {response.status_code}"
        assert told is not None, f"{what} is not declared"
        declared = {name.lower() for name in told.get("headers", {})}
        undeclared = {name for name in TOLD_HEADERS if name in response.headers} - declared
        assert not undeclared, f"{what} sends undeclared {sorted(undeclared)}"
        kind = response.headers.get("content-type", "").partition(";")[0]
        if not response.content:
            assert "content" not in told, f"{what} should have a body"
            return
        assert kind in told["content"], f"{what} has the undeclared type {kind}"
        if kind in JSON_TYPES:
            schema = told["content"][kind]["schema"]
            errors = list(self.validator(schema["$ref"]).iter_errors(response.json()))
            assert not errors, f"{what}: {errors[0].instance_path}: {errors[0].message[:400]}"
