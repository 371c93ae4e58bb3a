"""Choices off a tape of bytes, so that hypothesis can make, shrink and repeat a whole fight as one value."""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import Phase, settings
from hypothesis import strategies as st

from tests.support.sizes import IS_LONG

T = TypeVar("T")


def examples(everyday: int, long: int) -> settings:
    """So many examples: always the same ones every day, chance ones in the long run, which also makes them smaller."""
    phases = (Phase.generate, Phase.shrink) if IS_LONG else (Phase.generate,)
    count = long if IS_LONG else everyday
    return settings(max_examples=count, phases=phases, derandomize=not IS_LONG, deadline=None, database=None)


class Tape:
    """Whole numbers from bytes; a tape that has run out gives zeros, so the first choice is the plainest."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def __repr__(self) -> str:
        return f"Tape({self._data!r})"

    def below(self, limit: int) -> int:
        """A whole number from 0 to below the limit."""
        found = 0
        for _ in range(1 if limit <= 256 else 2):
            found = found * 256 + (self._data[self._at] if self._at < len(self._data) else 0)
            self._at += 1
        return found % limit

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[self.below(len(choices))]

    def some(self, choices: Sequence[T], most: int) -> tuple[T, ...]:
        """Up to so many of them, in the order drawn; one may come twice."""
        return tuple(self.pick(choices) for _ in range(self.below(most + 1)))

    def is_one_in(self, chances: int) -> bool:
        """Seldom; never once the tape has run out."""
        return self.below(chances) == chances - 1


def tapes(length: int = 400) -> st.SearchStrategy[Tape]:
    """Tapes of that many bytes."""
    return st.binary(min_size=length, max_size=length).map(Tape)
