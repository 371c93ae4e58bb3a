"""The table view: a page and its files, the same for everybody. What it may show, the API tells it."""

import gzip
import hashlib
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Annotated, NamedTuple

from fastapi import FastAPI, Path, Request
from starlette.responses import Response

from app.api.parameters import EncounterId
from app.api.problem_texts import Code
from app.api.problems import Problem
from app.config import Settings

PAGE = "index.html"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing inline, nothing of another host, and no frame around it."""
_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}
AssetName = Annotated[str, Path(pattern=r"^([a-z]+/)?[a-z_]+\.[a-z]+$", max_length=60)]


class Asset(NamedTuple):
    """A file as it is sent."""

    body: bytes
    media_type: str
    tag: str
    packed: bytes
    """The same, a third as long, for browsers that take it: all of them."""


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Asset]]:
    for one in folder.iterdir():
        kind = _TYPES.get(one.name.rpartition(".")[2])
        if one.is_dir():
            yield from _files(one, f"{prefix}{one.name}/")
        elif kind is not None:
            body = one.read_bytes()
            tag = hashlib.sha256(body).hexdigest()[:20]
            yield f"{prefix}{one.name}", Asset(body, kind, tag, gzip.compress(body, 9, mtime=0))


def _takes_packed(accepted: str) -> bool:
    """Whether `Accept-Encoding` names gzip, and not as something that it does not want."""
    wanted = [one.replace(" ", "").lower().partition(";") for one in accepted.split(",")]
    return any(name == "gzip" and more not in ("q=0", "q=0.0", "q=0.00", "q=0.000") for name, _, more in wanted)


def install(app: FastAPI, settings: Settings) -> None:
    """The page and its files, read once."""
    if not settings.table_view:
        return
    assets = dict(_files(resources.files("app.table")))

    def sent(request: Request, name: str) -> Response:
        asset = assets.get(name)
        if asset is None:
            raise Problem(Code.NOT_FOUND)
        # Looked at anew each time: a page of one version with a script of another would be neither.
        takes_packed = _takes_packed(request.headers.get("accept-encoding", ""))
        headers = {
            "etag": f'"{asset.tag}{"-gz" if takes_packed else ""}"',
            "cache-control": "public, no-cache",
            "content-security-policy": POLICY,
            "vary": "accept-encoding",
        }
        if headers["etag"] in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if takes_packed:
            return Response(asset.packed, 200, headers | {"content-encoding": "gzip"}, asset.media_type)
        return Response(asset.body, 200, headers, asset.media_type)

    async def table_page(request: Request, encounter: EncounterId) -> Response:
        return sent(request, PAGE)

    async def table_asset(request: Request, name: AssetName) -> Response:
        return sent(request, name)

    for path, endpoint in (("/table/{encounter}", table_page), ("/table/assets/{name:path}", table_asset)):
        app.add_api_route(path, endpoint, methods=["GET"], include_in_schema=False, response_model=None)
