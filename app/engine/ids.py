"""Names of things: ids that must not be mixed up, and the integer length."""

from typing import Annotated, NewType

import msgspec

CombatantId = NewType("CombatantId", str)
ItemId = NewType("ItemId", str)
EffectId = NewType("EffectId", str)
ActionId = NewType("ActionId", str)
ClauseId = NewType("ClauseId", str)

Length = Annotated[int, msgspec.Meta(extra={"length": True})]
"""A length in whole hundredths of the ruleset's unit. The wire form is a decimal number of units."""

Scalar = bool | int | str | None
