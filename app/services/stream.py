"""Following an encounter live: the same events as the log, as SSE or ND-JSON."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Literal

from app.services.caller import Caller
from app.services.service import Service

Format = Literal["sse", "ndjson"]


async def open_stream(
    service: Service,
    caller: Caller,
    encounter: str,
    *,
    format: Format = "sse",
    after: int | None = None,
    max_events: int | None = None,
    still_valid: Callable[[], Awaitable[bool]] | None = None,
) -> AsyncIterator[bytes]:
    """Frames for the reader's cut; without `after` the first is a snapshot. Errors come here, before any frame.

    Ends after `max_events` events, when `still_valid` (asked each second) says no, or when the server closes.
    """
    raise NotImplementedError
