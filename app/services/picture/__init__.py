"""The place of a fight as a picture, for chat channels: drawn from what its reader may see, and from nothing else."""

import asyncio
from collections.abc import Callable
from typing import Literal, NamedTuple

from app.persistence.work import revision
from app.services import lookup
from app.services.caller import Caller
from app.services.picture.drawing import Drawing, Theme
from app.services.picture.pixels import png
from app.services.service import Service
from app.services.views import Viewer

__all__ = ["WIDEST", "Kind", "Picture", "Theme", "picture"]
Kind = Literal["svg", "png"]
WIDEST = 2000
_STYLE = 1
"""Of the drawing: whoever changes how it looks counts this up, or readers keep the old one."""
_ROOM = asyncio.Semaphore(2)
"""So many PNGs are drawn at once; the processors are the game's."""


class Picture(NamedTuple):
    """A picture with its tag; no body where the reader has it already."""

    tag: str
    body: bytes | None


async def picture(
    service: Service,
    caller: Caller,
    encounter: str,
    kind: Kind,
    theme: Theme,
    width: int,
    *,
    reader: str = "",
    has: Callable[[str], bool] | None = None,
) -> Picture:
    """The place as the caller may see it. Without a map, what was stated as a list.

    `reader` tells his copies from those of others, and `has` whether he has the one with that tag; he has none without.
    """
    live = await lookup.encounter(service.store, caller, encounter)
    tag = f'"{revision(live.head, caller.audience)}-{_STYLE}-{kind}-{theme}-{width}.{reader}"'
    if has is not None and has(tag):
        return Picture(tag, None)
    book = await service.fetch(live.head.pin)
    viewer = Viewer(service, caller, book, live)
    view = viewer.encounter()
    names = {
        name: viewer.words.name("region", name)
        for name in (*book.ruleset.vocabulary.air, *book.ruleset.vocabulary.ground)
    }
    names |= {name: viewer.words.name("band", name) for name in book.ruleset.vocabulary.bands}
    unit = viewer.words.name("unit", book.ruleset.unit)
    drawing = Drawing(theme, width, unit, frozenset(book.ruleset.vocabulary.air), names)
    text = drawing.of(view, view["round_text"])
    if kind == "svg":
        return Picture(tag, text.encode())
    async with _ROOM:
        return Picture(tag, await asyncio.to_thread(png, text))
