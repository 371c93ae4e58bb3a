"""A movement that leads nowhere: nothing would come of it but its price."""

from app.engine.commands import Submission
from app.engine.ids import Length
from app.engine.table import Table


def leads_nowhere(table: Table, sub: Submission, length: Length) -> bool:
    """Whether nobody would be elsewhere, look elsewhere, or come into or out of anybody's reach by it."""
    place, said = table.who(sub.actor).place, sub.said
    turns = sub.facing is not None and (place is None or place.facing != sub.facing)
    return not (length or turns or said.engage or said.leaves or said.distance_after)
