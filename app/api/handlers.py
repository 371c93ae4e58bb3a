"""Whatever ends a request early becomes a problem here, the framework's own errors too."""

from collections.abc import Iterable

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from app.api.problem_texts import Code
from app.api.problems import Problem, answer, from_error
from app.engine.reasons import EngineError
from app.services.errors import Busy, Finding, KeyReused, ServiceError, Stale, StorageFull, UnknownOutcome

_FRAMEWORK = {404: Code.NOT_FOUND, 413: Code.BODY_TOO_LARGE, 415: Code.UNSUPPORTED_MEDIA_TYPE, 503: Code.UNAVAILABLE}


def allowed_methods(app: FastAPI, scope: Scope) -> set[str]:
    """The methods of an address; empty where there is none.

    An address that is written out is what it says, and never a name in the place of another's id.
    """
    found = [route for route in app.router.routes if route.matches({**scope, "method": "GET"})[0] is not Match.NONE]
    exact = [route for route in found if getattr(route, "path", None) == scope["path"]]
    methods = {one for route in exact or found for one in getattr(route, "methods", None) or ()}
    if "GET" in methods:
        methods.add("HEAD")
    return methods | {"OPTIONS"} if methods else methods


def written_out(app: FastAPI) -> dict[str, frozenset[str]]:
    """Addresses that another route would take for an id too, with their methods."""
    found: dict[str, frozenset[str]] = {}
    paths = [path for route in app.router.routes if "{" not in (path := getattr(route, "path", "{"))]
    for path in dict.fromkeys(paths):
        scope: Scope = {"type": "http", "path": path, "root_path": "", "method": "GET", "headers": []}
        if any(route.matches(scope)[0] is not Match.NONE for route in app.router.routes if path != _path(route)):
            found[path] = frozenset(allowed_methods(app, scope))
    return found


def _path(route: object) -> str:
    return getattr(route, "path", "")


def install(app: FastAPI) -> None:
    """Make every error a problem."""

    async def ours(request: Request, error: Exception) -> Response:
        is_answer = "decision" in request.path_params
        problem = from_error(error, request.scope["state"]["language"], is_answer=is_answer)
        if problem is None:
            raise error
        if isinstance(error, StorageFull):
            request.app.state.disk.was_full = True
        return answer(request, problem)

    async def invalid(request: Request, error: Exception) -> Response:
        found = list(_findings(error.errors())) if isinstance(error, RequestValidationError) else []
        if any(where == "path" and not _is_chosen(request, one) for where, one in found):
            # An id that cannot be one names nothing.
            return answer(request, Problem(Code.NOT_FOUND))
        return answer(request, Problem(Code.INVALID_REQUEST, findings=[finding for _, finding in found]))

    async def http(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if status == 405:
            allow = ", ".join(sorted(allowed_methods(app, request.scope)))
            return answer(request, Problem(Code.METHOD_NOT_ALLOWED, headers={"allow": allow}))
        return answer(request, Problem(_FRAMEWORK.get(status, Code.INTERNAL_ERROR)))

    for kind in (Problem, ServiceError, EngineError, Stale, KeyReused, Busy, UnknownOutcome, StorageFull):
        app.add_exception_handler(kind, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, http)


def _is_chosen(request: Request, finding: Finding) -> bool:
    """Whether that part of the path is a name that the client gives to something, and not one that something has."""
    return request.method == "PUT" and finding.at == "/name"


def _findings(errors: Iterable[dict[str, object]]) -> Iterable[tuple[str, Finding]]:
    for error in errors:
        place = error.get("loc")
        parts = [str(part) for part in place] if isinstance(place, tuple | list) else []
        where = parts[0] if parts else "query"
        bounds = error.get("ctx")
        kind = str(error.get("type", ""))
        code, need = "bad_value", ""
        if kind == "missing":
            code = "missing_input"
        elif kind.endswith(("_parsing", "_type")):
            code, need = "wrong_type", "bool" if kind.startswith("bool") else "number"
        elif kind in ("greater_than_equal", "less_than_equal"):
            code = "out_of_bounds"
            need = f"{'>=' if kind.startswith('greater') else '<='} {_bound(bounds)}"
        elif kind == "literal_error":
            code, need = "unknown_choice", _bound(bounds)
        elif "pattern" in kind or (where == "path" and kind.startswith("string_too")):
            code = "bad_cursor" if parts[-1:] in (["after"], ["before"]) else "bad_id"
        yield where, Finding(code, "/" + "/".join(parts[1:]), need)


def _bound(context: object) -> str:
    if not isinstance(context, dict):
        return ""
    return str(context.get("ge", context.get("le", context.get("expected", ""))))
