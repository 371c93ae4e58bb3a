"""What use cases work with, wired once at start-up: the writer, reads, live news, rulesets, the clock and the maker of ids."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: nothing in it is mistaken for something else when read aloud."""


def now_ms() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


def random_id(prefix: str, length: int = 8) -> str:
    """A short id that tells nothing about how many there are."""
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(length))


@dataclass
class Service:
    """Everything behind the use cases. `clock` gives UTC milliseconds, `new_id` makes an id from its prefix."""

    writer: Any
    reads: Any
    hub: Any
    catalog: Any
    clock: Callable[[], int] = now_ms
    new_id: Callable[[str], str] = random_id
    is_closing: bool = field(default=False)
