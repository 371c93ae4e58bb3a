"""Threads that are waited for, but not for ever: what has not begun by then is refused, and does not begin."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.persistence.work import Busy

T = TypeVar("T")

PATIENCE_S = 2.5
"""How long something waits for its turn. A lock is waited for 2.5 s after that, and the caller hears within six."""


async def in_thread(threads: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """Run this in one of the threads. Raises `Busy` where none of them is free in time."""
    loop = asyncio.get_running_loop()
    job = threads.submit(work)
    is_late = False

    def give_up() -> None:
        nonlocal is_late
        is_late = job.cancel()  # what has begun goes on

    timer = loop.call_later(PATIENCE_S, give_up)
    try:
        return await asyncio.wrap_future(job, loop=loop)
    except asyncio.CancelledError:
        if is_late:
            raise Busy("too much is waiting for the database") from None
        raise
    finally:
        timer.cancel()
