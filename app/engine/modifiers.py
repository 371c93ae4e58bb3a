"""Named modifiers as data: each row says at which stage it counts, when, how much, and by which clause."""

from collections.abc import Iterable, Set
from dataclasses import dataclass

from app.engine.events import Term
from app.engine.ids import ClauseId


@dataclass(frozen=True, slots=True)
class Modifier:
    """One row. It applies when all of `all`, one of `any` (if there are any) and none of `without` are among the tags.

    Rows of one `scale` exclude each other: the one that weighs most counts. `term` is the name under which it is shown.
    """

    id: str
    term: str
    stage: str
    value: int
    clause: ClauseId
    all: frozenset[str] = frozenset()
    any: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    scale: str | None = None

    def applies(self, tags: Set[str]) -> bool:
        """Whether this row counts under these tags."""
        if not self.all <= tags or not self.without.isdisjoint(tags):
            return False
        return not self.any or not self.any.isdisjoint(tags)


def collect(rows: Iterable[Modifier], stage: str, tags: Set[str]) -> tuple[Term, ...]:
    """The terms of one stage under these tags, in the order of the data."""
    found: list[Term] = []
    scales: dict[str, int] = {}
    for row in rows:
        if row.stage != stage or not row.applies(tags):
            continue
        term = Term(row.term, row.value, row.clause)
        if row.scale is None:
            found.append(term)
        elif row.scale not in scales:
            scales[row.scale] = len(found)
            found.append(term)
        elif abs(row.value) > abs(found[scales[row.scale]].value):
            found[scales[row.scale]] = term
    return tuple(found)
