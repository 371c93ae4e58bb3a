"""The log in pages, both ways, and the long-poll."""

from app.services.caller import Caller, Result
from app.services.service import Service


async def page(
    service: Service,
    caller: Caller,
    encounter: str,
    *,
    after: int | None = None,
    before: int | None = None,
    limit: int = 50,
    wait: float = 0,
) -> Result:
    """Events after a cursor, oldest first, or before one, newest first: `{"items", "next_cursor", "has_more"}`.

    Cursors are the reader's own running numbers (0 is the beginning). `wait` seconds (at most 25) hold the answer until
    something is new. Raises `CursorGone` for a cursor ahead of the log.
    """
    raise NotImplementedError
