"""Bodies that only the HTTP edge knows: they hold what one use case takes as a plain argument."""

from typing import Annotated

from msgspec import Meta

from app.services.bodies import Body, CombatantIn, FactIn, Word


class CombatantsIn(Body, frozen=True):
    """Combatants who enter together."""

    combatants: Annotated[tuple[CombatantIn, ...], Meta(min_length=1, max_length=200)]


class DuplicateIn(Body, frozen=True):
    """How many more of the same."""

    count: Annotated[int, Meta(ge=1, le=200)] = 1


class FactsIn(Body, frozen=True):
    """How combatants stand to each other."""

    facts: Annotated[tuple[FactIn, ...], Meta(min_length=1, max_length=200)]
    reason: Annotated[str, Meta(min_length=1, max_length=1000)] = "stated by the GM"


class EndTurnIn(Body, frozen=True):
    """Whose turn ends; left out, it is whoever's turn it is."""

    actor: Word | None = None
