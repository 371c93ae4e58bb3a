"""What games with a percentile die have in common: a target number as a sum, tens, the die read backwards."""

from collections.abc import Iterable

import msgspec

from app.engine.events import Term
from app.engine.ids import ClauseId

SIDES = 100
MILLION = 1_000_000
DOUBLE_NOUGHT = 100


class Target(msgspec.Struct, frozen=True):
    """A target number as the sum that makes it."""

    number: int
    terms: tuple[Term, ...]


def summed(base: Iterable[Term], modifiers: Iterable[Term], cap: int | None, clause: ClauseId) -> Target:
    """The target number: base and modifiers, these together held within the cap, as a term of its own; None for none.

    Clauses: DH-2010, DH-2030, WH-100, WH-140.
    """
    own, named = tuple(base), [term for term in modifiers if term.value]
    total = sum(term.value for term in named)
    if cap is not None and abs(total) > cap:
        held = cap if total > 0 else -cap
        named.append(Term("modifier_cap", held - total, clause))
        total = held
    return Target(sum(term.value for term in own) + total, (*own, *named))


def tens_apart(target: int, die: int) -> int:
    """How many tens the die is below the target, which is 0 at least. Clauses: DH-2050, WH-120, WH-130."""
    return max(target, 0) // 10 - die // 10


def reversed_die(die: int) -> int:
    """The two digits exchanged: 05 -> 50, 10 -> 01, and 00 stays 100. Clauses: DH-5210, WH-250."""
    return DOUBLE_NOUGHT if die == DOUBLE_NOUGHT else die % 10 * 10 + die // 10
