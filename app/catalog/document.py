"""The shape of a whole ruleset document: what may stand where, each section a file of the ruleset's folder.

A document is plain data (maps, lists, text, numbers, true and false). House rules are merged into it before it is
judged, so the models here look at the merged whole and keep nothing of where a value came from. Lengths are decimals of
the ruleset's unit; compiling turns them into hundredths.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

import pydantic
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from app.catalog.findings import mapping
from app.catalog.shapes import to_length
from app.engine.dice import BadDice, parse_dice

LANGUAGES = ("en", "ru", "pl")
Id = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
ClauseId = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2,4}-[0-9]{1,5}$")]
Tag = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$", max_length=100)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
Whole = Annotated[int, Field(ge=-1_000_000, le=1_000_000)]
Many = Annotated[int, Field(ge=0, le=1_000_000)]


def _length(value: float) -> float:
    if to_length(value) is None:
        raise PydanticCustomError("not_hundredths", "more than two decimals", {"got": value})
    return value


def _dice(value: str) -> str:
    try:
        parse_dice(value)
    except BadDice as error:
        raise PydanticCustomError("bad_dice", "no dice", {"got": value, "need": str(error)}) from None
    return value


def _no_repeats(value: list[str]) -> list[str]:
    seen: set[str] = set()
    for one in value:
        if one in seen:
            raise PydanticCustomError("choices_repeat", "twice", {"got": one})
        seen.add(one)
    return value


def _whole_or(pattern: str, need: str) -> AfterValidator:
    """A whole number or a word. One validator, since a union would tell the same slip once for each branch."""

    def judge(value: Any) -> Any:
        word = isinstance(value, str) and re.fullmatch(pattern, value)
        if not word and (isinstance(value, bool) or not isinstance(value, int)):
            raise PydanticCustomError("wrong_type", "neither", {"need": f"a whole number or {need}"})
        return value

    return AfterValidator(judge)


Length = Annotated[float, AfterValidator(_length)]
Dice = Annotated[str, AfterValidator(_dice)]
WholeOrNone = Annotated[Any, _whole_or("none", "none"), WithJsonSchema({"type": ["integer", "string"]})]
WholeOrStat = Annotated[
    Any, _whole_or("[a-z][a-z0-9_]{0,63}", "the id of a stat"), WithJsonSchema({"type": ["integer", "string"]})
]
Words = Annotated[list[Id], AfterValidator(_no_repeats)]
Code = Annotated[str, StringConstraints(pattern=r"^([A-Z]{2,4}-[0-9]{1,5}:)?[a-z][a-z0-9_]{0,63}$")]
"""A reason, with the clause in front where only that one is meant."""
Codes = Annotated[list[Code], AfterValidator(_no_repeats)]
DamageType = Annotated[str, StringConstraints(pattern=r"^[a-z]+[+-]*$", max_length=64)]
Choices = Annotated[list[Id], Field(min_length=1), AfterValidator(_no_repeats)]
KindWord = Literal["turn", "economy", "target", "range", "resource", "state", "input", "permission"]


class Part(BaseModel):
    """Root of all models: nothing unknown, nothing converted."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Translated(Part):
    """A text in every language."""

    en: Text
    ru: Text
    pl: Text


class Head(Part):
    """`ruleset.yaml`: who this ruleset is, and how its refusals are grouped."""

    id: Id
    version: Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    title: Translated
    unit: Annotated[str, StringConstraints(pattern=r"^[a-z]{1,12}$")]
    metric: Literal["euclid", "chebyshev", "hex_steps"]
    kinds: dict[Id, KindWord]
    general: dict[Id, ClauseId]
    alone: Words
    to_fill_in: Words = []
    order: Codes = []
    planned: dict[Id, ClauseId] = {}


class Characteristic(Part):
    """A figure of the sheet that tests are made on. One that is `optional` may be left out, for the code to derive."""

    kind: Literal["characteristic"]
    min: Whole
    max: Whole
    default: Whole | None = None
    optional: bool = False
    clause: ClauseId | None = None


class PlainFigure(Part):
    """Any other whole number of the sheet."""

    kind: Literal["figure"]
    min: Whole
    max: Whole
    default: Whole | None = None
    optional: bool = False
    clause: ClauseId | None = None


class DecimalFigure(Part):
    """A number of the sheet in steps of less than a whole, a multiple of `step`; the state holds its hundredths."""

    kind: Literal["decimal"]
    min: Length
    max: Length
    step: Length
    default: Length | None = None
    optional: bool = False
    clause: ClauseId | None = None


class FlagFigure(Part):
    """Something of the sheet that is so or not."""

    kind: Literal["flag"]
    default: bool | None = None
    optional: bool = False
    clause: ClauseId | None = None


class WordFigure(Part):
    """One of several words on the sheet; the state holds its place among them."""

    kind: Literal["word"]
    choices: Choices
    default: Id | None = None
    clause: ClauseId | None = None


Figure = Annotated[Characteristic | PlainFigure | DecimalFigure | FlagFigure | WordFigure, Field(discriminator="kind")]


class Untrained(Part):
    """What stands for the level of a skill that a sheet does not have: a characteristic and what is added to it."""

    stat: Id
    modifier: Whole


class Skill(Part):
    """A skill and the characteristic it is tested on."""

    stat: Id
    untrained: Untrained | None = None
    clause: ClauseId | None = None


class Levels(Part):
    """Skills have whole levels instead of ranks. `default` is that of a skill which a sheet does not name; with `none`
    the sheet does not have it. `defaults`: a sheet may say with what level a skill is used that it does not have.
    """

    min: Whole
    max: Whole
    default: WholeOrNone = "none"
    defaults: bool = False


class Cited(Part):
    """Something that needs no more than its name and clause."""

    clause: ClauseId


class Talent(Part):
    """Something that a sheet may list; with `figure` it carries a whole number between `min` and `max` there."""

    clause: ClauseId
    figure: bool = False
    min: Whole | None = None
    max: Whole | None = None


class Location(Part):
    """A place where a hit lands, and the part of the body that tables speak of."""

    part: Id


class ArmourBounds(Part):
    """Armour points a sheet may state, and what is worn if nothing is said. `types` are the types of damage against
    which points may be told apart.
    """

    min: Whole = 0
    max: Whole
    default: Id
    types: Annotated[list[DamageType], AfterValidator(_no_repeats)] = []
    clause: ClauseId | None = None


class Resource(Part):
    """A pool. `max` is a figure or the name of a stat; without it there is no bound."""

    min: Whole = 0
    max: WholeOrStat = None
    clause: ClauseId


def _points_form(value: Any) -> str:
    return "[by type]" if isinstance(value, Mapping) else "[whole]"


_Whole = Annotated[Many, pydantic.Strict()]
Points = Annotated[
    Annotated[_Whole, pydantic.Tag("[whole]")] | Annotated[dict[DamageType, _Whole], pydantic.Tag("[by type]")],
    pydantic.Discriminator(_points_form),
]
"""Armour points of one place: a whole number, or `dr` and what holds instead of it against single types of damage."""


class Stats(Part):
    """`stats.yaml`: the sheet."""

    figures: dict[Id, Figure]
    skills: dict[Id, Skill] = {}
    ranks: dict[Id, Whole] = {}
    levels: Levels | None = None
    traits: dict[Id, Talent] = {}
    locations: dict[Id, Location] = {}
    armour: ArmourBounds | None = None
    derived: dict[Id, Cited] = {}
    resources: dict[Id, Resource] = {}
    budgets: dict[Id, Cited] = {}


class TargetsModel(Part):
    """Whom an action is aimed at."""

    who: Literal["enemy", "other", "any", "self", "none"]
    min: Annotated[int, Field(ge=0, le=100)] = 1
    max: Annotated[int, Field(ge=0, le=100)] = 1
    or_place: bool = False


class WeaponsModel(Part):
    """What an action is done with. `required`: nothing without one, so that the only one that fits is taken."""

    kinds: Words
    second: bool = False
    required: bool = False


class _Field(Part):
    required: bool = False
    title: Id | None = None
    clause: ClauseId | None = None
    gm: bool = False


class FlagField(_Field):
    """Yes or no."""

    type: Literal["bool"]


class IntegerField(_Field):
    """A whole number, or a list of them."""

    type: Literal["integer", "integers"]
    min: Whole | None = None
    max: Whole | None = None


class LengthField(_Field):
    """A length in the ruleset's unit."""

    type: Literal["length"]
    min: Length | None = None
    max: Length | None = None


class WordField(_Field):
    """One of several words, or any word if none are named."""

    type: Literal["word"]
    choices: Words = []
    of: Literal["skills", "talents", "actions", "modes"] | None = None
    """Where the words come from if none are named: a list of the ruleset, or the ways of the weapon that is used."""


class WordsField(_Field):
    """Several of several words."""

    type: Literal["words"]
    choices: Words = []
    min: Many | None = None
    max: Many | None = None


class NamingField(_Field):
    """Somebody or something of the encounter, or free text."""

    type: Literal["combatant", "item", "path", "text"]


class CombatantsField(_Field):
    """Several combatants."""

    type: Literal["combatants"]
    min: Many | None = None
    max: Many | None = None


class AllocationField(_Field):
    """Whole numbers shared out among named keys."""

    type: Literal["allocation"]
    choices: Choices
    min: Whole | None = None
    max: Whole | None = None
    total: Whole | None = None


FormField = Annotated[
    FlagField | IntegerField | LengthField | WordField | WordsField | NamingField | CombatantsField | AllocationField,
    Field(discriminator="type"),
]


class ActionModel(Part):
    """One action of `actions.yaml`."""

    cost: Annotated[dict[Id, dict[Id, Many]], Field(min_length=1)]
    default_type: Id | None = None
    tags: Words = []
    targets: TargetsModel | None = None
    weapons: WeaponsModel | None = None
    needs: list[Literal["path", "area", "location", "facing"]] = []
    forbids: list[Literal["path", "area", "location", "facing"]] = []
    form: dict[Id, FormField] = {}
    resolver: Id
    params: dict[str, Any] = {}
    clauses: Annotated[list[ClauseId], Field(min_length=1), AfterValidator(_no_repeats)]
    listed: bool = True
    forbidden: bool = False


Role = Literal["bearer", "source", "against"]


class TickModel(Part):
    """A moment that an effect counts; without `who` it is anybody's."""

    at: Id
    who: Role | None = None
    against: Role | None = None
    times: Annotated[int, Field(ge=1, le=1000)] = 1


ChainModel = Annotated[list[TickModel], Field(min_length=1)]


class EffectValue(Part):
    """The figure that a ruling may give an effect. Without a default it must."""

    min: Whole
    max: Whole
    default: Whole | None = None


class EffectModel(Part):
    """One condition or timed effect of `effects.yaml`; without `until` it lasts until it is removed.

    `value`, `against` and `rounds` say what a ruling that begins it takes: a figure, another combatant (or whether it
    needs one), and a number of rounds. What is not `ruled` only the rules themselves begin: a record that a ruling
    could not fill in.
    """

    clause: ClauseId
    rank: Whole = 0
    until: list[ChainModel] = []
    active_after: list[TickModel] = []
    stacks: bool = False
    hidden: bool = False
    value: EffectValue | None = None
    against: Literal["none", "optional", "required"] = "none"
    rounds: bool = True
    ruled: bool = True


class When(Part):
    """Tags: all of `all`, one of `any` if there are any, none of `not`."""

    all: list[Tag] = []
    any: list[Tag] = []
    without: list[Tag] = Field(default=[], alias="not")


class ModifierModel(Part):
    """One row of `modifiers.yaml`. `term` is the name it is shown under, its own id if none is given."""

    term: Id | None = None
    stage: Id
    value: Whole
    when: When = When()
    scale: Id | None = None
    clause: ClauseId


class FlagOption(Part):
    """On or off."""

    kind: Literal["flag"]
    default: bool
    clause: ClauseId


class ChoiceOption(Part):
    """One of several words."""

    kind: Literal["choice"]
    default: Id
    choices: Choices
    clause: ClauseId


class ListOption(Part):
    """Any of several words."""

    kind: Literal["list"]
    default: Words
    choices: Choices
    clause: ClauseId


class WholeOption(Part):
    """A whole number."""

    kind: Literal["whole"]
    default: Whole
    min: Whole
    max: Whole
    clause: ClauseId


class OptionalWholeOption(Part):
    """A whole number, or the word `none`."""

    kind: Literal["optional_whole"]
    default: WholeOrNone
    min: Whole
    max: Whole
    clause: ClauseId


class LengthOption(Part):
    """A length."""

    kind: Literal["length"]
    default: Length
    min: Length = 0
    max: Length
    clause: ClauseId


class DiceOption(Part):
    """Dice; `max` is the most that their faces may come to, where something is counted out over all of them."""

    kind: Literal["dice"]
    default: Dice
    max: int | None = None
    clause: ClauseId

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.max is not None and parse_dice(self.default).highest > self.max:
            raise ValueError(f"the dice come to more than {self.max}")
        return self


OptionModel = Annotated[
    FlagOption | ChoiceOption | ListOption | WholeOption | OptionalWholeOption | LengthOption | DiceOption,
    Field(discriminator="kind"),
]


class QualityModel(Part):
    """A quality of weapons; `figure` if it carries one."""

    figure: bool = False
    clause: ClauseId


class SampleModel(Part):
    """A combatant ready to fight, as a client would send it."""

    sheet: dict[str, Any]
    items: dict[Id, Any] = {}


class ClauseText(Part):
    """What a clause says, in our own words."""

    title: Translated
    text: Translated


SECTIONS: Mapping[str, TypeAdapter[Any]] = {
    "ruleset": TypeAdapter(Head),
    "stats": TypeAdapter(Stats),
    "actions": TypeAdapter(dict[Id, ActionModel]),
    "effects": TypeAdapter(dict[Id, EffectModel]),
    "modifiers": TypeAdapter(dict[Id, ModifierModel]),
    "options": TypeAdapter(dict[Id, OptionModel]),
    "weapons": TypeAdapter(dict[Id, dict[str, Any]]),
    "qualities": TypeAdapter(dict[Id, QualityModel]),
    "armour": TypeAdapter(dict[Id, dict[Id, Points]]),
    "samples": TypeAdapter(dict[Id, SampleModel]),
    "tables": TypeAdapter(dict[Id, Any]),
    "names": TypeAdapter(dict[Id, dict[str, dict[str, Text]]]),
}
"""What makes a document. Texts (clauses and names) stand beside it: mending a translation is no change of the rules."""

OPTIONAL = frozenset({"weapons", "qualities", "armour", "samples", "tables", "names"})
MERGED = frozenset({"names"})
"""Sections that only a document merged with house rules has: the names that these gave."""

TEXTS: Mapping[str, TypeAdapter[Any]] = {
    "clauses": TypeAdapter(dict[ClauseId, ClauseText]),
    "locale": TypeAdapter(dict[str, dict[Id, dict[str, Text]]]),
}


class Document(Part):
    """A whole ruleset, for its JSON Schema."""

    ruleset: Head
    stats: Stats
    actions: dict[Id, ActionModel]
    effects: dict[Id, EffectModel]
    modifiers: dict[Id, ModifierModel]
    options: dict[Id, OptionModel]
    weapons: dict[Id, dict[str, Any]] = {}
    qualities: dict[Id, QualityModel] = {}
    armour: dict[Id, dict[Id, Points]] = {}
    samples: dict[Id, SampleModel] = {}
    tables: dict[Id, Any] = {}


def entries(document: Mapping[str, Any], section: str) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a section that are maps; what is none has been found elsewhere."""
    return {name: one for name, one in mapping(document.get(section)).items() if isinstance(one, Mapping)}
