"""Named modifiers as data: each row says at which stage it counts, when, how much, and by which clause."""

from collections.abc import Iterable, Set
from functools import cached_property, lru_cache

import msgspec

from app.engine.events import Term
from app.engine.ids import ClauseId

_KEPT = 4096
"""So many sets of tags are remembered; when they are more, all are forgotten."""


class Modifier(msgspec.Struct, frozen=True):
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


class Modifiers(tuple[Modifier, ...]):
    """All rows of a ruleset, in the order of the data. Those of a stage are looked out once."""

    def of(self, stage: str) -> tuple[Modifier, ...]:
        """The rows of that stage."""
        stages: dict[str, tuple[Modifier, ...]] = self.__dict__.setdefault("stages", {})
        found = stages.get(stage)
        if found is None:
            found = stages[stage] = tuple([row for row in self if row.stage == stage])
        return found

    @cached_property
    def told(self) -> dict[tuple[str, frozenset[str]], tuple[Term, ...]]:
        """Terms already collected, by stage and by those of the tags that the stage looks at. See `collect`."""
        return {}

    def looked_at(self, stage: str) -> frozenset[str]:
        """Every tag that makes a difference at that stage."""
        stages: dict[str, frozenset[str]] = self.__dict__.setdefault("tags", {})
        found = stages.get(stage)
        if found is None:
            rows = self.of(stage)
            found = stages[stage] = frozenset(tag for row in rows for tag in (*row.all, *row.any, *row.without))
        return found

    @cached_property
    def asked(self) -> frozenset[str]:
        """Every tag that some row wants to be there."""
        return frozenset(tag for row in self for tag in (*row.all, *row.any))


@lru_cache(maxsize=_KEPT)
def tagged(prefix: str, names: frozenset[str] | tuple[str, ...]) -> frozenset[str]:
    """The names as tags of one kind: `actor.prone` of `actor` and `prone`."""
    return frozenset([f"{prefix}.{name}" for name in names])


def collect(rows: Modifiers, stage: str, tags: Set[str]) -> tuple[Term, ...]:
    """The terms of one stage under these tags, in the order of the data.

    They depend on nothing else, and a fight comes to the same few sets of tags again and again: told once for each.
    """
    under = rows.looked_at(stage) & tags
    found = rows.told.get((stage, under))
    if found is None:
        if len(rows.told) >= _KEPT:
            rows.told.clear()
        found = rows.told[stage, under] = _collected(rows.of(stage), under)
    return found


def _collected(rows: Iterable[Modifier], tags: Set[str]) -> tuple[Term, ...]:
    found: list[Term] = []
    scales: dict[str, int] = {}
    for row in rows:
        if not row.applies(tags):
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
