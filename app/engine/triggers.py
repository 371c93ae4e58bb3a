"""Reactions that hang on moments: who might act, in which order, and with what."""

from collections.abc import Callable

import msgspec

from app.engine.asks import Answer
from app.engine.ids import Length


class Cue(msgspec.Struct, frozen=True):
    """Somebody could react at this moment.

    `at` is how far along a path (0 where there is none), `rank` who comes first at the same point, `key` what makes
    it fire once a moment. `offer` asks and emits nothing: None means that nothing happens and nobody learns that it
    could have. `run` carries out what was answered.
    """

    at: Length
    rank: tuple[int | str, ...]
    key: str
    offer: Callable[[], Answer | None]
    run: Callable[[Answer], None]
