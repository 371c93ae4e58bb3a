"""Types by which the parameters, tables and weapons of a ruleset's code name what its data declares.

They are plain text. The catalog looks at what they say about themselves: a name that nothing has, or dice that are
none, is an error when the ruleset is loaded.
"""

from typing import Annotated

from msgspec import Meta

ActionName = Annotated[str, Meta(extra={"names": "action"})]
EffectName = Annotated[str, Meta(extra={"names": "effect"})]
ModifierName = Annotated[str, Meta(extra={"names": "modifier"})]
WeaponName = Annotated[str, Meta(extra={"names": "weapon"})]
QualityName = Annotated[str, Meta(extra={"names": "quality"})]
TraitName = Annotated[str, Meta(extra={"names": "trait"})]
StatName = Annotated[str, Meta(extra={"names": "stat"})]
SkillName = Annotated[str, Meta(extra={"names": "skill"})]
RankName = Annotated[str, Meta(extra={"names": "rank"})]
LocationName = Annotated[str, Meta(extra={"names": "location"})]
PartName = Annotated[str, Meta(extra={"names": "part"})]
BudgetName = Annotated[str, Meta(extra={"names": "budget"})]
ResourceName = Annotated[str, Meta(extra={"names": "resource"})]
OptionName = Annotated[str, Meta(extra={"names": "option"})]
ReasonName = Annotated[str, Meta(extra={"names": "reason"})]
ClauseName = Annotated[str, Meta(extra={"names": "clause"})]
AtLeastOne = Annotated[int, Meta(ge=1, le=1_000_000)]
"""A figure by which something is divided."""
DiceText = Annotated[str, Meta(extra={"dice": True})]
"""Dice notation (`app.engine.dice`)."""
