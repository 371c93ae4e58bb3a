"""What use cases work with, wired once at start-up: the writer, reads, live news, rulesets, the clock and chance."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.persistence.work import Hub, Store, Writer

if TYPE_CHECKING:
    from app.catalog import Catalog

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: nothing in it is mistaken for something else when read aloud."""


def now_ms() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def random_id(prefix: str) -> str:
    """A short id that tells nothing about how many there are."""
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(10))


@dataclass
class Service:
    """Everything behind the use cases.

    `clock` gives milliseconds since 1970 (UTC), `new_id` makes an id from its prefix, `new_seed` the secret of an
    encounter's dice. Set `is_closing` and close the hub to let streams and long-polls end.
    """

    writer: Writer
    store: Store
    hub: Hub
    catalog: "Catalog"
    clock: Callable[[], int] = now_ms
    new_id: Callable[[str], str] = random_id
    new_seed: Callable[[], bytes] = field(default=lambda: secrets.token_bytes(32))
    is_closing: bool = False
