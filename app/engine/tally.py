"""What a rule sees of dice, so that a preview need not go through all the ways in which they can fall.

Of many dice it may only count how many are of which class; of one it may look at some things only later on.
"""

from collections.abc import Callable, Hashable, Iterator
from itertools import groupby
from math import factorial

import msgspec

MOST_CLASSES = 400
Class = tuple[int, tuple[int, ...]]
"""In how many ways it can fall, and one of them."""


class Seen(msgspec.Struct, frozen=True):
    """What a rule sees of a test: what decides which rolls come next and how many hits there are, and what else counts
    after that, such as where they land.
    """

    first: Hashable
    then: Hashable


class Tally(msgspec.Struct, frozen=True):
    """What a rule sees of a pool of dice: of each die its class, of all of them how many are in each, in no order.

    `seen` is asked about dice that show the highest face of their classes; faces are classed in runs, like 1 to 4 and
    5 to 6.
    """

    of_die: Callable[[int], Hashable]
    seen: Callable[[tuple[int, ...]], Hashable]

    def __call__(self, faces: tuple[int, ...]) -> Hashable:
        """What the rule sees of these."""
        return self.seen(faces)

    def classes(self, count: int, sides: int) -> list[Class] | None:
        """All that it tells apart when so many dice fall; None for more ways than are worth going through."""
        runs = [list(run) for _, run in groupby(range(1, sides + 1), key=self.of_die)]
        if _several(count, len(runs)) > MOST_CLASSES:
            return None
        found: dict[Hashable, Class] = {}
        for shares in _shared_out(count, len(runs)):
            ways = factorial(count)
            faces: tuple[int, ...] = ()
            for share, run in zip(shares, runs, strict=True):
                ways = ways // factorial(share) * len(run) ** share
                faces += (run[-1],) * share
            name = self.seen(faces)
            held = found.get(name)
            found[name] = (ways, faces) if held is None else (held[0] + ways, held[1])
        return list(found.values())


def _several(count: int, kinds: int) -> int:
    """In how many ways so many dice can be shared out."""
    return factorial(count + kinds - 1) // (factorial(count) * factorial(kinds - 1))


def _shared_out(count: int, kinds: int) -> Iterator[tuple[int, ...]]:
    if kinds == 1:
        yield (count,)
        return
    for first in range(count, -1, -1):
        for rest in _shared_out(count - first, kinds - 1):
            yield (first, *rest)
