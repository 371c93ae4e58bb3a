"""From what a use case answers to what is sent: status, tag, place, and whether it was sent before."""

from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from app.api.asking import Asker
from app.services.caller import Result

JSON = "application/json"


def answered(
    asker: Asker, result: Result, status: int = 200, *, at: str | None = None, secret: bool = False
) -> Response:
    """The answer to a request. `at` is the address under which what was made is found."""
    headers: dict[str, str] = {}
    if result.version is not None:
        tag = f'"{result.version}"'
        if status == 200 and asker.request.scope["method"] in ("GET", "HEAD"):
            tag = f'"{result.version}.{asker.reader(result.besides)}"'
            if asker.has(tag):
                return Response(status_code=304, headers={"etag": tag})
        headers["etag"] = tag
    if at is not None:
        headers["location"] = at
    if result.is_replay:
        headers["idempotency-replayed"] = "true"
    if secret:
        headers["cache-control"] = "no-store"
    if status == 204:
        return Response(status_code=204, headers=headers)
    return Response(result.body, status, headers, JSON)


class _Next(msgspec.Struct):
    next_cursor: str | int | None = None
    has_more: bool = True


_NEXT = msgspec.json.Decoder(_Next)


def paged(asker: Asker, result: Result, *, backwards: bool = False) -> Response:
    """A page with a link to the next one."""
    return linked(asker.request, answered(asker, result), backwards=backwards)


def linked(request: Request, response: Response, *, backwards: bool = False) -> Response:
    """The same answer; where it is a page that another follows, with a link to that one."""
    if response.status_code == 200:
        page = _NEXT.decode(response.body)
        following = page.next_cursor
        if following is not None and page.has_more:
            query = dict(request.query_params)
            query.pop("wait", None)
            query["before" if backwards else "after"] = str(following)
            response.headers["link"] = f'<{request.url.path}?{urlencode(query)}>; rel="next"'
    return response
