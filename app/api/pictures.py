"""Pictures of a fight, for chat channels."""

from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from app.api.asking import Asked, Asker
from app.api.operations import Operations
from app.api.parameters import AsDigits, EncounterId
from app.services import picture

operations = Operations("pictures", "Pictures of a fight, as its reader may see it.")
_ONE = "/v1/encounters/{encounter}"
SVG, PNG = "image/svg+xml", "image/png"

Theme = Annotated[Literal["light", "dark"], Query(description="Its colours.", examples=["dark"])]
Width = Annotated[int, Query(ge=200, le=picture.WIDEST, description="Its width in pixels.", examples=[800]), AsDigits]


@operations.get(
    f"{_ONE}/map.svg",
    versioned=True,
    media_types={SVG: {"schema": {"type": "string"}, "example": '<svg xmlns="http://www.w3.org/2000/svg"></svg>'}},
    told="The picture.",
)
async def draw_map_svg(asker: Asked, encounter: EncounterId, theme: Theme = "light", width: Width = 800) -> Response:
    """Draw the map as SVG.

    Walls, regions, areas and everybody whom the reader may see; whose turn it is stands above. Without a map it is a
    list: who is there in turn order, and which distances were stated. The tag changes with the reader's version.
    """
    return await _drawn(asker, encounter, "svg", theme, width)


@operations.get(
    f"{_ONE}/map.png",
    versioned=True,
    media_types={PNG: {"schema": {"type": "string", "format": "binary"}}},
    told="The picture.",
)
async def draw_map_png(asker: Asked, encounter: EncounterId, theme: Theme = "light", width: Width = 800) -> Response:
    """Draw the map as PNG.

    The same picture as `draw_map_svg`, for where SVG is not shown.
    """
    return await _drawn(asker, encounter, "png", theme, width)


async def _drawn(asker: Asker, encounter: str, kind: picture.Kind, theme: picture.Theme, width: int) -> Response:
    found = await picture.picture(
        asker.service, asker.caller, encounter, kind, theme, width, reader=asker.reader(), has=asker.has
    )
    headers = {"etag": found.tag}
    if found.body is None:
        return Response(status_code=304, headers=headers)
    return Response(found.body, 200, headers, SVG if kind == "svg" else PNG)
