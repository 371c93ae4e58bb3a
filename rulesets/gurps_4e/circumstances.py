"""Circumstances that a submission or the GM names, each an entry of its own in the sum. Clause GU-130."""

from collections.abc import Iterable, Iterator, Set

from app.engine.commands import GivenModifier
from app.engine.events import Term
from app.engine.ids import ClauseId
from app.engine.modifiers import collect
from app.engine.table import Table

HIT, DEFEND = "hit", "defend"


def given_terms(
    table: Table, given: Iterable[GivenModifier], stage: str, tags: Set[str] = frozenset()
) -> Iterator[Term]:
    """What was named for this roll: by the book's figure, or by the GM's where he says one. Clause: GU-130."""
    named = frozenset(f"given.{one.id}" for one in given if one.value is None)
    yield from collect(table.rules.modifiers, stage, named | tags)
    for one in given:
        if one.value is not None and _stage_of(table, one.id) == stage:
            yield Term(one.id, one.value, ClauseId("GU-130"))


def _stage_of(table: Table, name: str) -> str:
    """The roll that a name belongs to: the attack, unless the data has it for the defence."""
    return next((row.stage for row in table.rules.modifiers if f"given.{name}" in row.all), HIT)
