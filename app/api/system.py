"""Beside the game: health, figures, what this server is, and the pages for people."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from starlette.responses import Response

from app.api.asking import Parts, Visited
from app.api.language import LANGUAGES
from app.api.metrics import Metrics
from app.api.openapi import VERSION
from app.api.operations import Operations
from app.api.pages import docs, docs_file, problem_page, problems_page, to_docs
from app.api.problem_texts import Code
from app.api.problems import Problem
from app.api.shapes import Meta, MetaLimits, MetaRuleset
from app.config import Settings
from app.services import rulesets
from app.services.errors import Busy, StorageFull

operations = Operations("service", "The service itself.")
Check = Callable[[], Awaitable[None]]


class Health(msgspec.Struct, frozen=True):
    """How the service is."""

    status: str


@operations.get("/v1/meta", answers=Meta, is_open=True, told="Version, rulesets and limits.")
async def read_meta(parts: Visited) -> Response:
    """Say what this server is.

    Its version, its rulesets with the hash of their data, its languages and its limits. Needs no token.
    """
    settings = parts.settings
    limits = MetaLimits(
        body_bytes=settings.body_limit,
        large_body_bytes=settings.large_body_limit,
        combatants=200,
        encounters_per_campaign=settings.encounters_per_campaign,
        open_decisions=50,
        events=1_000_000,
        streams_per_token=settings.streams_per_token,
        wait_s=settings.wait_limit_s,
        idempotency_hours=48,
    )
    known = [MetaRuleset(*head) for head in rulesets.heads(parts.catalog)]
    meta = Meta("turnwright", VERSION, list(LANGUAGES), known, limits)
    return Response(msgspec.json.encode(meta), 200, {"cache-control": "public, max-age=60"}, "application/json")


def _said(status: int, word: str) -> Response:
    return Response(
        msgspec.json.encode(Health(word)), status, {"cache-control": "no-store"}, media_type="application/json"
    )


@operations.get("/healthz", answers=Health, is_open=True, told="It is there.")
async def check_health() -> Response:
    """Say that the process is there.

    Looks at nothing else, and needs no token.
    """
    return _said(200, "ok")


@operations.get("/readyz", answers=Health, is_open=True, told="It can be played.")
async def check_readiness(request: Request) -> Response:
    """Say whether the service can be played on.

    The database answers, stands at the schema of this version, and the disk takes more; 503 otherwise. Needs no token.
    """
    parts: Parts = request.app.state.parts
    if parts.service.is_closing:
        raise Problem(Code.UNAVAILABLE, retry_after=1)
    check: Check = request.app.state.is_ready
    try:
        await check()
    except (Busy, StorageFull):
        raise Problem(Code.UNAVAILABLE, retry_after=1) from None
    return _said(200, "ready")


def install(app: FastAPI, settings: Settings, document: Callable[[], dict[str, Any]]) -> None:
    """The pages that are no part of the API."""

    async def openapi_json() -> Response:
        return Response(msgspec.json.encode(document()), 200, {"cache-control": "no-cache"}, "application/json")

    pages: list[tuple[str, Callable[..., Awaitable[Response]]]] = [
        ("/openapi.json", openapi_json),
        ("/problems", problems_page),
        ("/problems/{name}", problem_page),
    ]
    if settings.docs:
        pages += [("/", to_docs), ("/docs", docs), ("/docs/{name}", docs_file)]
    if settings.metrics:
        pages.append(("/metrics", metrics))
    for path, endpoint in pages:
        app.add_api_route(path, endpoint, methods=["GET"], include_in_schema=False, response_model=None)


async def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    figures: Metrics = request.app.state.metrics
    return Response(figures.text(), 200, {"cache-control": "no-store"}, figures.content_type)
