"""Pages for people: the documentation from local files, and what each problem means."""

from importlib import resources
from typing import Annotated

import msgspec
from fastapi import Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.api import problem_pages
from app.api.asking import Parts
from app.api.problem_pages import Language
from app.api.problem_texts import Code
from app.api.problems import Problem

_FILES = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"
    "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_DOCS = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Turnwright API</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png"><link rel="stylesheet" href="/docs/swagger-ui.css">
<style>body { margin: 0; }</style></head>
<body><div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>
"""
_START = """\
// The badge of a foreign validator is left out: this page asks nobody but this server.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: "list",
  filter: true,
  persistAuthorization: true,
  presets: [SwaggerUIBundle.presets.apis],
  tryItOutEnabled: true,
  validatorUrl: null,
});
"""
Lang = Annotated[Language | None, Query(description="Language of the page, whatever `Accept-Language` says.")]


async def docs() -> Response:
    """The documentation, from local files."""
    return HTMLResponse(_DOCS, headers={"content-security-policy": _POLICY, "cache-control": "no-cache"})


async def docs_file(name: str) -> Response:
    """A file of the documentation."""
    headers = {"cache-control": "public, max-age=86400"}
    if name == "start.js":
        return Response(_START, 200, headers, "text/javascript")
    kind = _FILES.get(name)
    if kind is None:
        raise Problem(Code.NOT_FOUND)
    content = resources.files("fastapi_swagger.resources").joinpath(name).read_bytes()
    return Response(content, 200, headers, kind)


async def to_docs() -> Response:
    """Whoever comes without an address is looking for the documentation."""
    return RedirectResponse("/docs", 307)


def _language(request: Request, lang: Language | None) -> str:
    """The language that is asked for; the answer says which one it is."""
    state = request.scope["state"]
    if lang is not None:
        state["language"] = lang
    found: str = state["language"]
    return found


def _answer(request: Request, page: str, told: bytes) -> Response:
    headers = {"cache-control": "public, max-age=3600", "vary": "Accept"}
    if problem_pages.wants_html(request.headers.get("accept", "")):
        return HTMLResponse(page, headers=headers | {"content-security-policy": problem_pages.POLICY})
    return Response(told, 200, headers, "application/json")


async def problems_page(request: Request, lang: Lang = None) -> Response:
    """Every problem there is."""
    parts: Parts = request.app.state.parts
    language = _language(request, lang)
    return _answer(request, problem_pages.index(language, docs=parts.settings.docs), problem_pages.told_all(language))


async def problem_page(request: Request, name: str, lang: Lang = None) -> Response:
    """What a problem means, for people and for programs."""
    parts: Parts = request.app.state.parts
    language = _language(request, lang)
    try:
        code = Code(name.replace("-", "_"))
    except ValueError:
        raise Problem(Code.NOT_FOUND) from None
    page = problem_pages.page(code, language, docs=parts.settings.docs)
    return _answer(request, page, msgspec.json.encode(problem_pages.told(code, language)))
