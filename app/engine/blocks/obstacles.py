"""What stands in a way before it is gone."""

from collections.abc import Callable

from app.engine.ids import CombatantId, Length
from app.engine.space.model import Run, Unknown
from app.engine.table import Table


def first_obstacle(
    table: Table, run: Run, are_foes: Callable[[Table, CombatantId, CombatantId], bool]
) -> tuple[Length, tuple[str, ...]] | None:
    """Where a wall, a foe who stands in the way, or somebody where it ends stops the mover first, and who that is.

    Friends let him pass. Without a map only a stated "no" counts against where it ends. Clauses: DH-3310, WH-080.
    """
    found: list[tuple[Length, tuple[str, ...]]] = []
    if run.blocked_at is not None:
        found.append((run.blocked_at, ()))
    met = table.space.met(run)
    if not isinstance(met, Unknown):
        found.extend((at, (who,)) for at, who in met if are_foes(table, CombatantId(run.actor), CombatantId(who)))
    free = table.space.ends_free(run)
    if not isinstance(free, Unknown) and not free:
        found.append((run.walked, ()))
    return min(found, default=None)
