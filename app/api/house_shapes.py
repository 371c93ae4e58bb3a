"""The shapes of house rules, for the documentation. The catalog judges a document; this only draws its outline."""

from typing import Annotated, Any, Literal

import msgspec

from app.api.shapes import Shape
from app.services.house_rules import LONGEST_TEXT, MOST_ENTRIES

Key = Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_TEXT)]
Text = Annotated[str, msgspec.Meta(max_length=LONGEST_TEXT)]
All = msgspec.Meta(max_length=MOST_ENTRIES)
Values = Annotated[dict[Key, Any], All]
Entries = Annotated[dict[Key, Values | None], All]
"""By id: fields of what is there are changed, null removes it, another id is something new."""


class HouseRulesDocument(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """House rules: what is otherwise than in the ruleset that they extend. Its own JSON Schema says all of it."""

    extends: Text
    """Id of the ruleset."""
    title: Annotated[dict[Key, Text], All] = {}
    """What they are called, by language; `en` is needed."""
    options: Values = {}
    """House-rule options with their values."""
    actions: Entries = {}
    """Actions. A new one is built on a resolver that the ruleset opens."""
    effects: Entries = {}
    """Effects and conditions, with their ends."""
    modifiers: Entries = {}
    """Situational modifiers."""
    weapons: Entries = {}
    """Weapons."""
    armour: Entries = {}
    """Armour: points by location."""
    qualities: Entries = {}
    """Qualities of weapons."""
    samples: Entries = {}
    """Ready combatants."""
    tables: Values = {}
    """Figures of the tables; rows of a list are replaced together."""
    stats: Values = {}
    """Bounds and defaults of the sheet's figures."""
    names: Annotated[dict[Key, Annotated[dict[Key, Annotated[dict[Key, Text], All]], All]], All] = {}
    """Names of words that no entry carries, by kind and id."""


class HouseRulesSummary(Shape, frozen=True):
    """House rules in one line."""

    name: str
    """Under which they were put."""
    title: str | None
    """What they are called, in the reader's language."""
    ruleset: str
    version: int
    """Counted up with every change."""
    pin: str
    """Hash of the merged document; an encounter keeps the one it began with."""
    base_pin: str
    """Hash of the ruleset that they were checked against."""
    created_at: str


class HouseRules(HouseRulesSummary, frozen=True):
    """House rules with their document."""

    document: HouseRulesDocument
    """As it was sent."""


class HouseRulesPage(Shape, frozen=True):
    """The house rules of a campaign."""

    items: tuple[HouseRulesSummary, ...]
    next_cursor: str | None


class DifferenceView(Shape, frozen=True):
    """One thing that is otherwise."""

    at: str
    """JSON Pointer into the merged document, or into the ruleset's where it is gone."""
    change: Literal["changed", "added", "removed", "forbidden"]
    """What became of it."""
    section: str
    """Section of the document: `actions`, `weapons`, `options`."""
    id: str
    """Id of the entry in it."""
    name: str
    """What the entry is called, in the reader's language."""
    field: str | None
    """Which field of it; null for the whole entry."""
    clause: str | None
    """The clause that says it."""
    before: Any
    """What the ruleset says."""
    after: Any
    """What is said now."""
    text: str
    """All of it as a sentence in the reader's language."""


class ChanceView(Shape, frozen=True):
    """An action whose chance is another now, by two samples of the ruleset: the pair with the widest change."""

    action: str
    name: str
    """What it is called, in the reader's language."""
    actor: str
    """Who acts."""
    target: str
    """At whom."""
    distance: float
    """How far apart they are, in the ruleset's unit."""
    before: float
    """By the book, from 0 to 1."""
    after: float


class HouseRulesDiff(HouseRulesSummary, frozen=True):
    """What house rules change."""

    items: tuple[DifferenceView, ...]
    chances: tuple[ChanceView, ...]
    """What that makes of the odds."""


class HouseRulesSchema(Shape, frozen=True):
    """JSON Schema (2020-12) of house rules for one ruleset: an object that takes nothing but these properties."""

    dialect: str = msgspec.field(name="$schema")
    """The dialect of JSON Schema."""
    title: str
    """Title of the ruleset, in the reader's language."""
    type: Literal["object"]
    """A document is an object."""
    properties: dict[str, Any]
    """Its sections, each with what may stand there."""
    required: tuple[str, ...]
    """What it cannot go without."""
    defs: dict[str, Any] = msgspec.field(name="$defs")
    """Shapes that the sections refer to."""
