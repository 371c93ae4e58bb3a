"""What a client sends, as typed values. Lengths are decimals of the ruleset's unit; nothing is judged yet.

The HTTP edge decodes a request body straight into these; `app.services.door` turns them into the engine's hundredths.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.engine.state import Shown
from app.services.maps import MOST_POINTS, MOST_REGIONS, MOST_WALLS

Units = Annotated[float, Meta(ge=-100_000, le=100_000)]
"""A length or coordinate in the ruleset's unit, to two decimals."""
Spot = tuple[Units, Units]
Whole = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
Degrees = Annotated[int, Meta(ge=0, le=359)]
NAME = 80
Name = Annotated[str, Meta(min_length=1, max_length=NAME)]
Word = Annotated[str, Meta(min_length=1, max_length=100)]
"""An id, a word of the ruleset, or `ref:TOKEN`."""
Note = Annotated[str, Meta(max_length=1000)]
Notes = Annotated[str, Meta(max_length=4000)]
Ref = Annotated[str, Meta(min_length=1, max_length=200)]
"""By which a client knows a combatant."""
Scalar = bool | Whole | Units | Annotated[str, Meta(max_length=400)] | None
Few, Many, All = Meta(max_length=50), Meta(max_length=200), Meta(max_length=400)
"""How much a list or a map may hold: what hangs on one thing, one of everybody, or entries of a ruleset's own."""
Words = Annotated[tuple[Word, ...], Many]
Policy = Literal["ask", "decline", "best"]
Policies = Annotated[dict[Word, Policy], Few]
Options = Annotated[dict[Word, Scalar | Annotated[tuple[Word, ...], Few]], All]
"""House-rule options with their values."""
FreeForm = Annotated[dict[Annotated[str, Meta(max_length=100)], Any], All]
"""JSON whose schema the ruleset publishes; the service judges it by that."""
Dice = Literal["server", "client"]
Approval = Literal["none", "actions"]
Reveal = Literal["everybody", "gm"]
"""Who is shown the seed of the dice once the fight is over."""
Side = Annotated[str, Meta(min_length=1, max_length=100)]
"""A side, or `*` for every other one."""


class Body(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Root of all bodies: unknown fields are refused."""


class PlaceIn(Body, frozen=True):
    """A place on the map."""

    x: Units
    y: Units
    facing: Degrees | None = None


class CoverPieceIn(Body, frozen=True):
    """One thing to stand behind."""

    id: Word
    ap: Annotated[int, Meta(ge=0, le=1000)] = 0
    locations: Annotated[tuple[Word, ...], Few] = ()
    rating: Annotated[str, Meta(max_length=40)] = ""


class CoverIn(Body, frozen=True):
    """How far somebody is hidden, and behind what."""

    hidden: Annotated[int, Meta(ge=0, le=100)] = 100
    pieces: Annotated[tuple[CoverPieceIn, ...], Few] = ()


class ItemIn(Body, frozen=True):
    """Something carried: a catalogue id, or a profile of its own (`custom`)."""

    kind: Word
    held: Annotated[str, Meta(max_length=10)] | None = None
    count: Annotated[int, Meta(ge=1, le=10_000)] = 1
    marks: Annotated[dict[Word, Whole], Few] = {}
    custom: FreeForm | None = None


class CombatantIn(Body, frozen=True):
    """A combatant who enters: a `sample` of the ruleset by its name, or a `sheet` of the ruleset's own statistics.

    `count` makes several of one kind, called `Brok 1` to `Brok 3`, at `positions`.
    """

    side: Word
    name: Name | None = None
    sample: Word | None = None
    sheet: FreeForm | None = None
    count: Annotated[int, Meta(ge=1, le=200)] = 1
    position: PlaceIn | Spot | None = None
    positions: Annotated[tuple[PlaceIn | Spot, ...], Many] = ()
    external_ref: Ref | None = None
    hidden: bool | Literal["slot"] = False
    policy: Policies = {}
    dice: Dice | None = None
    items: Annotated[dict[Word, ItemIn], Many] | None = None
    cover: CoverIn | None = None
    notes: Notes | None = None
    values: Shown | None = None
    rolls: Literal["open", "secret"] = "open"


MOST_PAIRS = 20_000
"""Facts that are stated at once: one of every pair of 200 combatants."""
FACTS = ("distance", "sees", "cover", "bearing", "band", "between", "arc")
"""What is stated of a pair. That they are engaged is no fact of space."""


class FactIn(Body, frozen=True):
    """How two combatants stand to each other, where there is no map.

    What is left out stays as it was stated before; null takes it back. A new distance replaces a band, and the
    other way round.
    """

    from_: Word = msgspec.field(name="from")
    to: Word
    distance: Units | msgspec.UnsetType | None = msgspec.UNSET
    engaged: bool | None = None
    sees: bool | msgspec.UnsetType | None = msgspec.UNSET
    cover: CoverIn | Literal["none"] | msgspec.UnsetType | None = msgspec.UNSET
    bearing: Degrees | msgspec.UnsetType | None = msgspec.UNSET
    band: Word | msgspec.UnsetType | None = msgspec.UNSET
    between: Annotated[tuple[Word, ...], Few] | msgspec.UnsetType | None = msgspec.UNSET
    arc: Word | msgspec.UnsetType | None = msgspec.UNSET

    def names(self, fact: str) -> bool:
        """Whether anything is said of that, be it that it is known no longer."""
        return getattr(self, fact) is not msgspec.UNSET

    def says(self, fact: str) -> Any:
        """What is stated of that; None for nothing."""
        return getattr(self, fact) if self.names(fact) else None


class CoverValueIn(Body, frozen=True):
    """What a wall gives to somebody behind it; `near` is how near he must be for it to count."""

    ap: Annotated[int, Meta(ge=0, le=1000)] = 0
    locations: Annotated[tuple[Word, ...], Few] = ()
    rating: Annotated[str, Meta(max_length=40)] = ""
    near: Units | None = None


class WallIn(Body, frozen=True):
    """A piece of wall with what it stops."""

    a: Spot
    b: Spot
    id: Annotated[str, Meta(max_length=100)] | None = None
    move: bool = True
    sight: bool = True
    open: bool = False
    cover: CoverValueIn | None = None
    drop: Units | None = None


class RegionIn(Body, frozen=True):
    """A piece of ground or air of one kind."""

    kind: Word
    shape: Annotated[tuple[Spot, ...], Meta(max_length=MOST_POINTS)]
    id: Word | None = None


class MapIn(Body, frozen=True, tag_field="mode", tag="map"):
    """A map. A wall may be written as its corners alone: `[[22, 14], [22, 25]]`."""

    grid: Literal["none", "square", "hex"] = "none"
    cell: Units | None = None
    origin: Spot | None = None
    size: Spot | None = None
    walls: Annotated[
        tuple[WallIn | Annotated[tuple[Spot, ...], Meta(max_length=MOST_WALLS + 1)], ...], Meta(max_length=MOST_WALLS)
    ] = ()
    regions: Annotated[tuple[RegionIn, ...], Meta(max_length=MOST_REGIONS)] = ()
    worn: Annotated[dict[Word, Annotated[int, Meta(ge=0, le=1_000_000)]], Meta(max_length=MOST_WALLS)] = {}


class StatedIn(Body, frozen=True, tag_field="mode", tag="stated"):
    """No map: distances, sight and cover are stated."""

    facts: Annotated[tuple[FactIn, ...], Meta(max_length=MOST_PAIRS)] = ()


class EncounterIn(Body, frozen=True):
    """A new encounter, whole: its ruleset with options, its place, its dice and who is there."""

    campaign: Word
    name: Name
    ruleset: Word
    house_rules: Word | None = None
    options: Options = {}
    space: MapIn | StatedIn = StatedIn()
    dice: Dice = "server"
    dice_reveal: Reveal = "everybody"
    decision_timeout_s: Annotated[int, Meta(ge=1, le=86_400)] | None = None
    approval: Approval = "none"
    """`actions`: what players submit waits for the GM's yes, but for the end of a turn."""
    values: Annotated[dict[Side, Shown], Few] = {}
    secret_rolls: Literal["told", "silent"] = "told"
    notes: Notes | None = None
    combatants: Annotated[tuple[CombatantIn, ...], Many] = ()


class SetupIn(Body, frozen=True):
    """How it is played: options and dice before the start; map, time limit, approval and secrets at any time."""

    name: Name | None = None
    options: Options = {}
    dice: Dice | None = None
    space: MapIn | None = None
    dice_reveal: Reveal | None = None
    decision_timeout_s: Annotated[int, Meta(ge=1, le=86_400)] | msgspec.UnsetType | None = msgspec.UNSET
    approval: Approval | msgspec.UnsetType = msgspec.UNSET
    """`actions`: what players submit from now on waits for the GM's yes, but for the end of a turn."""
    values: Annotated[dict[Side, Shown], Few] | None = None
    secret_rolls: Literal["told", "silent"] | None = None
    notes: Notes | msgspec.UnsetType | None = msgspec.UNSET


class StartIn(Body, frozen=True):
    """Begin the fight; `surprised` are caught unawares."""

    surprised: Words = ()


class EndIn(Body, frozen=True):
    """End the fight."""

    why: Note | None = None


class CombatantEdit(Body, frozen=True):
    """What the GM changes about a combatant; a field left out stays as it is.

    `sheet` and `items` are merged by name (null removes an item), everything else is replaced.
    """

    name: Name | msgspec.UnsetType = msgspec.UNSET
    side: Word | msgspec.UnsetType = msgspec.UNSET
    external_ref: Ref | msgspec.UnsetType | None = msgspec.UNSET
    hidden: bool | Literal["slot"] | msgspec.UnsetType = msgspec.UNSET
    policy: Policies | msgspec.UnsetType = msgspec.UNSET
    dice: Dice | msgspec.UnsetType | None = msgspec.UNSET
    notes: Notes | msgspec.UnsetType | None = msgspec.UNSET
    sheet: FreeForm | msgspec.UnsetType = msgspec.UNSET
    items: Annotated[dict[Word, ItemIn | None], Many] | msgspec.UnsetType = msgspec.UNSET
    position: PlaceIn | Spot | msgspec.UnsetType | None = msgspec.UNSET
    cover: CoverIn | msgspec.UnsetType | None = msgspec.UNSET
    values: Shown | msgspec.UnsetType | None = msgspec.UNSET
    rolls: Literal["open", "secret"] | msgspec.UnsetType = msgspec.UNSET


class ModifierIn(Body, frozen=True):
    """A situational modifier: a known id, or `gm` with a value and a reason."""

    id: Word
    value: Annotated[int, Meta(ge=-1_000, le=1_000)] | None = None
    reason: Note | None = None


class SectorIn(Body, frozen=True, tag_field="kind", tag="sector"):
    """A disc or a slice of one."""

    centre: Spot
    reach: Units
    facing: Degrees = 0
    arc: Annotated[int, Meta(ge=1, le=360)] = 360
    needs_sight: bool = False
    id: Annotated[str, Meta(max_length=100)] = ""


class PolygonIn(Body, frozen=True, tag_field="kind", tag="polygon"):
    """An area with corners."""

    points: Annotated[tuple[Spot, ...], Meta(max_length=MOST_POINTS)]
    id: Annotated[str, Meta(max_length=100)] = ""


class SaidIn(Body, frozen=True):
    """What a submission states where there is no map: `app.engine.space.model.Said` in decimals."""

    distance: Annotated[dict[Word, Units], Many] | None = None
    sees: Annotated[dict[Word, bool], Many] | None = None
    cover: Annotated[dict[Word, CoverIn], Many] | None = None
    bands: Annotated[dict[Word, Word], Many] | None = None
    length: Units | None = None
    path_straight: bool | None = None
    straight_end: Units | None = None
    crosses: Words | None = None
    crosses_at: Annotated[dict[Word, Units], Many] | None = None
    met: Words | None = None
    leaves: Words | None = None
    engage: Words | None = None
    distance_after: Annotated[dict[Word, Units], Many] | None = None
    near: Words | None = None
    inside: Words | None = None
    units_free: Units | None = None
    destination_free: bool | None = None
    beside_free: bool | None = None


class SubmissionIn(Body, frozen=True):
    """What a combatant tries: the same shape in every ruleset.

    `path` holds points of the map; `destination` alone stands for a straight way there. `said` is what is stated
    instead of measured. `rolls` are dice brought along, by name of the roll.
    """

    actor: Word
    action: Word
    type: Word | None = None
    targets: Words = ()
    weapon: Word | None = None
    second_weapon: Word | None = None
    path: Annotated[tuple[Spot, ...], Many] = ()
    destination: Spot | None = None
    facing: Degrees | None = None
    area: SectorIn | PolygonIn | None = None
    location: Word | None = None
    options: FreeForm = {}
    modifiers: Annotated[tuple[ModifierIn, ...], Meta(max_length=50)] = ()
    said: SaidIn | None = None
    rolls: Annotated[dict[Word, Annotated[tuple[Whole, ...], Meta(max_length=100)]], Many] = {}
    note: Note | None = None
    secret: bool = False


class AnswerIn(Body, frozen=True):
    """An answer to a decision: an option with the fields of its form, or the dice somebody rolled."""

    option: Word | None = None
    fields: Annotated[
        FreeForm,
        Meta(description="What the option's form lists.", examples=[{"with": "axe", "retreat": True}]),
    ] = {}
    dice: Annotated[tuple[Whole, ...], Meta(max_length=100)] | None = None


class EffectIn(Body, frozen=True):
    """A condition to begin: `rounds` of its bearer, else with its usual end.

    The ruleset tells of each effect whether it takes a `value`, `rounds` and somebody `against` whom it is.
    """

    id: Word
    value: Whole | None = None
    rounds: Annotated[int, Meta(ge=1, le=1000)] | None = None
    against: Word | None = None


class ChangeIn(Body, frozen=True):
    """One change of a ruling. Exactly one thing besides `combatant`: what to change about him, or `cancel` a decision.

    `resource` and `budget` go with `set` or `change`; `engaged_with` with `engaged`; `fact` states distances and sight.
    """

    combatant: Word | None = None
    resource: Word | None = None
    budget: Word | None = None
    set: Whole | None = None
    change: Whole | None = None
    add_effect: EffectIn | None = None
    remove_effect: Word | None = None
    position: PlaceIn | Spot | None = None
    status: Literal["up", "down", "dead"] | None = None
    cover: CoverIn | Literal["none"] | None = None
    item: Word | None = None
    give: ItemIn | None = None
    take: bool = False
    engaged_with: Word | None = None
    engaged: bool | None = None
    fact: FactIn | None = None
    cancel: Word | None = None


class RulingIn(Body, frozen=True):
    """The GM overrules the game, with a reason."""

    reason: Annotated[str, Meta(min_length=1, max_length=1000)]
    changes: Annotated[tuple[ChangeIn, ...], Many] = ()


class ForkIn(Body, frozen=True):
    """An encounter of its own from here: at which version, the present one where none is named, and under what name."""

    at_version: Annotated[int, Meta(ge=0, le=2**53 - 1)] | None = None
    name: Name | None = None


class RewindIn(Body, frozen=True):
    """Back to an earlier version; what came between stays in the log."""

    to_version: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    reason: Annotated[str, Meta(min_length=1, max_length=1000)]
