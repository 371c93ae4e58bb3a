"""Operations: a function with its path, what it takes and answers, and which problems it may end in.

The documentation is written from what stands here, so that an operation cannot be served without being described.
"""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, get_type_hints

from fastapi import APIRouter, FastAPI, Request, params
from pydantic import TypeAdapter
from starlette.responses import Response
from starlette.routing import BaseRoute

from app.api.asking import asker
from app.api.examples import examples_of, refusals
from app.api.problem_texts import PROBLEMS, Code
from app.api.problems import MEDIA_TYPE, type_of
from app.api.queries import QuickRoute, StrictRoute
from app.api.schemas import component_name

Endpoint = Callable[..., Awaitable[Response]]
E = TypeVar("E", bound=Endpoint)

JSON = "application/json"
_KEY = {"$ref": "#/components/parameters/IdempotencyKey"}
_MATCH = {"$ref": "#/components/parameters/IfMatch"}
_NONE_MATCH = {"$ref": "#/components/parameters/IfNoneMatch"}
_FIRST = {"$ref": "#/components/parameters/IfNoneMatchAny"}
_LANGUAGE = {"$ref": "#/components/parameters/AcceptLanguage"}
_REQUEST_ID = {"$ref": "#/components/headers/RequestId"}
_ETAG = {"$ref": "#/components/headers/ETag"}
_RATES = {
    "RateLimit": {"$ref": "#/components/headers/RateLimit"},
    "RateLimit-Policy": {"$ref": "#/components/headers/RateLimitPolicy"},
}

OPEN = (Code.NOT_FOUND, Code.INVALID_REQUEST, Code.RATE_LIMITED, Code.UNAVAILABLE)
"""What may happen to anybody."""
KNOWN = (Code.TOKEN_MISSING, Code.TOKEN_INVALID, Code.NOT_PERMITTED)
"""What may happen to whoever needs a token."""
BODY = (
    Code.INVALID_JSON,
    Code.DUPLICATE_KEY,
    Code.INVALID_HEADER,
    Code.BODY_TIMEOUT,
    Code.BODY_TOO_LARGE,
    Code.UNSUPPORTED_MEDIA_TYPE,
)
"""What may be wrong with a body."""
WRITES = (
    Code.INVALID_HEADER,
    Code.IDEMPOTENCY_KEY_REUSED,
    Code.STORAGE_FULL,
)
"""What may happen to a change."""
PLAY = (Code.ILLEGAL_ACTION, Code.ANSWER_AWAITED, Code.CONFLICT, Code.LIMIT_REACHED, Code.STALE_VERSION)
"""What may happen to a change of an encounter."""
DECIDES = (Code.ALREADY_ANSWERED, Code.BAD_ANSWER, Code.RULES_CHANGED)
"""What may happen where a waiting command goes on."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation as it is served and described."""

    method: str
    path: str
    endpoint: Endpoint
    tag: str
    answers: type[Any] | None
    body: type[Any] | None
    body_required: bool
    status: int
    problems: tuple[Code, ...]
    is_open: bool
    versioned: bool
    located: bool
    lean: bool
    by_ticket: bool
    media_types: dict[str, dict[str, Any]] = field(default_factory=dict)
    takes: dict[str, dict[str, Any]] = field(default_factory=dict)
    answers_description: str = ""
    others: dict[int | str, dict[str, Any]] = field(default_factory=dict)
    tagged: bool = False
    """Whether its answer has an `ETag` that is no version of an encounter."""
    headers: tuple[str, ...] = ()
    """Further headers that it takes, as the document's components call them."""
    is_signed: bool = False
    """Whether somebody else's program calls it in its own way: it sends no idempotency key."""

    @property
    def id(self) -> str:
        """Its operationId: the name of its function, verb first."""
        return self.endpoint.__name__

    @property
    def is_kept(self) -> bool:
        """Whether a client may keep the answer and ask whether it still holds."""
        return self.versioned or self.tagged

    @property
    def is_paged(self) -> bool:
        """Whether it answers with a page that another may follow."""
        return self.answers is not None and "next_cursor" in getattr(self.answers, "__struct_fields__", ())

    def responses(self) -> dict[int | str, dict[str, Any]]:
        """Every answer it may give."""
        told: dict[int | str, dict[str, Any]] = {self.status: self._success()}
        if self.is_kept and self.method == "GET" and self.status == 200:
            told[304] = {
                "description": "You have this already (`If-None-Match`).",
                "headers": {"X-Request-Id": _REQUEST_ID, "ETag": _ETAG, **_RATES},
            }
        by_status: dict[int, list[Code]] = {}
        for code in dict.fromkeys(self.problems):
            by_status.setdefault(PROBLEMS[code].status, []).append(code)
        for status, codes in sorted(by_status.items()):
            told[status] = problem_response(codes)
        told |= self.others
        return told

    def _success(self) -> dict[str, Any]:
        headers: dict[str, Any] = {"X-Request-Id": _REQUEST_ID}
        if self.is_kept:
            headers["ETag"] = _ETAG
        if self.located:
            headers["Location"] = {"$ref": "#/components/headers/Location"}
        if self.method != "GET" and not self.is_signed:
            headers["Idempotency-Replayed"] = {"$ref": "#/components/headers/IdempotencyReplayed"}
        if self.is_paged:
            headers["Link"] = {"$ref": "#/components/headers/Link"}
        headers |= _RATES
        told: dict[str, Any] = {"description": self.answers_description or "Done.", "headers": headers}
        if self.media_types:
            told["content"] = self.media_types
        elif self.answers is not None:
            content: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{component_name(self.answers)}"}}
            if shown := examples_of(self.id, "response"):
                content["examples"] = shown
            told["content"] = {JSON: content}
        return told

    def extra(self) -> dict[str, Any]:
        """What the signature does not tell: headers and body."""
        parameters: list[dict[str, Any]] = [*self._path_parameters(), _LANGUAGE] if self.lean else [_LANGUAGE]
        if self.method != "GET" and not self.is_signed:
            parameters.append(_KEY)
            if self.versioned:
                parameters.append(_MATCH)
            if self.method == "PUT":
                parameters.append(_FIRST)
        elif self.is_kept:
            parameters.append(_NONE_MATCH)
        parameters += [{"$ref": f"#/components/parameters/{name}"} for name in self.headers]
        extra: dict[str, Any] = {"parameters": parameters}
        if self.is_open:
            extra["security"] = []
        elif self.by_ticket:
            extra["security"] = [{"token": []}, {"ticket": []}]
        if self.body is not None:
            content: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{component_name(self.body)}"}}
            if shown := examples_of(self.id, "request"):
                content["examples"] = shown
            extra["requestBody"] = {"required": self.body_required, "content": {JSON: content}}
        elif self.takes:
            extra["requestBody"] = {"required": True, "content": self.takes}
        return extra

    def _path_parameters(self) -> list[dict[str, Any]]:
        """The parameters of the path, as FastAPI would describe them."""
        told: list[dict[str, Any]] = []
        for name, kind in get_type_hints(self.endpoint, include_extras=True).items():
            info = next((one for one in getattr(kind, "__metadata__", ()) if isinstance(one, params.Path)), None)
            if info is not None:
                schema = TypeAdapter(kind).json_schema()
                schema.pop("examples", None)
                described = schema.pop("description", "")
                one = {"name": name, "in": "path", "required": True, "schema": schema, "description": described}
                told.append(one | {"example": (info.examples or [""])[0]})
        return told


def _lean(endpoint: Endpoint) -> Endpoint:
    """The same operation without FastAPI's parameters, which cost more than the token and the body together.

    An id that cannot be one names nothing, here as anywhere.
    """

    async def quick(request: Request) -> Response:
        return await endpoint(await asker(request), **request.path_params)

    return quick


def _plain(code: Code) -> dict[str, Any]:
    """A problem as it comes where nothing is to be told beyond its words."""
    entry = PROBLEMS[code]
    return {
        "type": type_of(code),
        "title": entry.en.title,
        "status": entry.status,
        "code": code.value,
        "detail": entry.en.detail,
        "request_id": "01kb9g7w5qx3v0m2n8c4r6t1zs",
    }


def problem_examples(operations: list[Operation]) -> dict[str, Any]:
    """Every problem of theirs once: as it came where it was provoked, else in its plain words."""
    told, used = refusals(), {code for operation in operations for code in operation.problems}
    return {
        code.value: {"summary": PROBLEMS[code].en.title, "value": told.get(code.value) or _plain(code)}
        for code in Code
        if code in used
    }


def problem_response(codes: list[Code]) -> dict[str, Any]:
    """One error status with the codes that it may carry."""
    status = PROBLEMS[codes[0]].status
    told = "; ".join(f"`{code.value}`: {PROBLEMS[code].en.title}" for code in codes)
    headers: dict[str, Any] = {"X-Request-Id": _REQUEST_ID, **_RATES}
    if status in (429, 503):
        headers["Retry-After"] = {"$ref": "#/components/headers/RetryAfter"}
    if status == 412:
        headers["ETag"] = _ETAG
    examples = {code.value: {"$ref": f"#/components/examples/{code.value}"} for code in codes}
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": told, "headers": headers, "content": {MEDIA_TYPE: {"schema": schema, "examples": examples}}}


def _flowing(text: str) -> str:
    """A docstring as prose: its line breaks mean nothing, its paragraphs do."""
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


class Operations:
    """The operations of one subject."""

    def __init__(self, tag: str, description: str) -> None:
        self.tag = tag
        self.description = description
        self.all: list[Operation] = []

    def get(self, path: str, **told: Any) -> Callable[[E], E]:
        """Something is read."""
        return self._add("GET", path, **told)

    def post(self, path: str, **told: Any) -> Callable[[E], E]:
        """Something is made or done."""
        return self._add("POST", path, **told)

    def patch(self, path: str, **told: Any) -> Callable[[E], E]:
        """Something is changed."""
        return self._add("PATCH", path, **told)

    def put(self, path: str, **told: Any) -> Callable[[E], E]:
        """Something is put in its place."""
        return self._add("PUT", path, **told)

    def delete(self, path: str, **told: Any) -> Callable[[E], E]:
        """Something is taken away."""
        return self._add("DELETE", path, **told)

    def _add(
        self,
        method: str,
        path: str,
        *,
        answers: type[Any] | None = None,
        body: type[Any] | None = None,
        body_required: bool = True,
        status: int = 200,
        problems: tuple[Code, ...] = (),
        is_open: bool = False,
        versioned: bool = False,
        located: bool = False,
        lean: bool = False,
        by_ticket: bool = False,
        media_types: dict[str, dict[str, Any]] | None = None,
        takes: dict[str, dict[str, Any]] | None = None,
        told: str = "",
        others: dict[int | str, dict[str, Any]] | None = None,
        tagged: bool = False,
        headers: tuple[str, ...] = (),
        is_signed: bool = False,
    ) -> Callable[[E], E]:
        needed = (*OPEN, *(() if is_open else KNOWN), *(BODY if body is not None or takes else ()))
        if method != "GET" and not is_signed:
            needed = (*needed, *WRITES)
        elif versioned:
            needed = (*needed, Code.INVALID_HEADER)

        def register(endpoint: E) -> E:
            operation = Operation(
                method,
                path,
                endpoint,
                self.tag,
                answers,
                body,
                body_required,
                status,
                (*needed, *problems),
                is_open,
                versioned,
                located,
                lean,
                by_ticket,
                media_types or {},
                takes or {},
                told,
                others or {},
                tagged,
                headers,
                is_signed,
            )
            self.all.append(operation)
            return endpoint

        return register

    def install(self, app: FastAPI) -> None:
        """Give an application the routes. They hold nothing of it: all applications of a process share them."""
        app.router.routes.extend(self._routes)

    @cached_property
    def _routes(self) -> list[BaseRoute]:
        router = APIRouter(route_class=StrictRoute)
        for operation in self.all:
            summary, _, description = (inspect.getdoc(operation.endpoint) or "").partition("\n")
            router.add_api_route(
                operation.path,
                _lean(operation.endpoint) if operation.lean else operation.endpoint,
                route_class_override=QuickRoute if operation.lean else None,
                methods=[operation.method],
                operation_id=operation.id,
                tags=[self.tag],
                summary=summary.rstrip("."),
                description=_flowing(description) or summary,
                status_code=operation.status,
                response_class=Response,
                response_model=None,
                responses=operation.responses(),
                openapi_extra=operation.extra(),
            )
        return router.routes
