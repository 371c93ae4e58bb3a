"""Metres of an action's own beside those that the rules give, for movements that house rules build."""

from typing import Annotated

from msgspec import Meta

from app.engine.ids import Length

OwnDistance = Annotated[Length, Meta(ge=0, le=1_000_000, extra={"length": True})]


def own_distance(given: Length, beyond: Length, most: Length | None) -> Length:
    """So much more than the rules give, and so much at most. Who cannot go at all gains nothing by it."""
    if given <= 0:
        return given
    far = given + beyond
    return far if most is None else min(far, most)
