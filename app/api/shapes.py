"""The shapes of answers, for the documentation. The services encode them; tests hold them to what stands here."""

from typing import Any, Literal

import msgspec

from app.api.problems import ReasonOut
from app.engine.asks import Cost
from app.engine.events import AnyEvent, Term
from app.engine.ids import Length
from app.engine.space.model import Area, Cover, PairFact, Place, Point, Region, Wall


class Shape(msgspec.Struct, frozen=True):
    """Root of the shapes of answers."""


class FormOption(Shape, frozen=True):
    """One answer that may be given to a decision."""

    id: str
    name: str
    chance: float | msgspec.UnsetType = msgspec.UNSET
    """How likely it is to work, from 0 to 1, where that is known."""
    cost: tuple[Cost, ...] | msgspec.UnsetType = msgspec.UNSET
    declines: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether this is the answer that does nothing."""
    form: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """JSON Schema of the `fields` that go with it, with titles in the reader's language."""


class BarredOption(Shape, frozen=True):
    """One answer that cannot be given now, and why."""

    id: str
    name: str
    reasons: tuple[ReasonOut, ...]


class ProposalView(Shape, frozen=True):
    """What somebody wants to do, in the terms of a submission; shown to the GM and to whoever acts for him."""

    actor: str
    action: str
    name: str
    """What the action is called."""
    type: str | msgspec.UnsetType = msgspec.UNSET
    targets: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    weapon: str | msgspec.UnsetType = msgspec.UNSET
    second_weapon: str | msgspec.UnsetType = msgspec.UNSET
    path: tuple[tuple[float, float], ...] | msgspec.UnsetType = msgspec.UNSET
    facing: int | msgspec.UnsetType = msgspec.UNSET
    area: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """A part of the ground, as the schema of a submission has it."""
    location: str | msgspec.UnsetType = msgspec.UNSET
    options: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """Inputs of the action, by its form."""
    modifiers: tuple[dict[str, Any], ...] | msgspec.UnsetType = msgspec.UNSET
    """Modifiers of the situation, as the schema of a submission has them."""
    said: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    """What was stated with it, as the schema of a submission has it."""
    rolls: dict[str, tuple[int, ...]] | msgspec.UnsetType = msgspec.UNSET
    note: str | msgspec.UnsetType = msgspec.UNSET


class DecisionView(Shape, frozen=True):
    """What resolution waits for: a choice with its options, or (`kind` `roll`) dice that somebody rolls himself."""

    id: str
    kind: str
    """What sort of question it is, in the ruleset's word; `roll` for dice, `approve` for what a player proposes."""
    for_: str = msgspec.field(name="for")
    """Who must answer: a combatant's id, or `gm`."""
    prompt: str
    """The question in the reader's language. Names in it are escaped for Markdown, as in an event's `text`."""
    expires_at: str | None
    """When the default is taken; null if it waits for ever."""
    options: tuple[FormOption, ...] | msgspec.UnsetType = msgspec.UNSET
    unavailable: tuple[BarredOption, ...] | msgspec.UnsetType = msgspec.UNSET
    """Answers that exist in the game and are not open now."""
    default: str | msgspec.UnsetType = msgspec.UNSET
    """The option that is taken when time runs out."""
    informed: bool | msgspec.UnsetType = msgspec.UNSET
    """Whether the one who is asked already knows what he reacts to."""
    about: str | msgspec.UnsetType = msgspec.UNSET
    """Whom the question is about."""
    figures: dict[str, float] | msgspec.UnsetType = msgspec.UNSET
    name: str | msgspec.UnsetType = msgspec.UNSET
    """Name of the roll, by which a submission may bring its dice along."""
    dice: str | msgspec.UnsetType = msgspec.UNSET
    """The dice to roll: `1d100`."""
    purpose: str | msgspec.UnsetType = msgspec.UNSET
    target: int | msgspec.UnsetType = msgspec.UNSET
    """The number to roll against, where the rule has one."""
    clause: str | msgspec.UnsetType = msgspec.UNSET
    proposal: ProposalView | msgspec.UnsetType = msgspec.UNSET
    """What is proposed (`kind` `approve`); left out for whoever neither says yes nor acts for who proposes it."""


class DecisionPage(Shape, frozen=True):
    """The open decisions."""

    version: int
    items: tuple[DecisionView, ...]


class CommandResult(Shape, frozen=True):
    """What answers every command: what happened, and what is awaited."""

    command: str
    """Id of the command."""
    version: int
    status: Literal["done", "waiting"]
    """`waiting` when somebody must answer before it goes on."""
    events: tuple[AnyEvent, ...]
    waiting_for: tuple[DecisionView, ...]
    """The open decisions that the reader may see."""
    unused_rolls: tuple[str, ...]
    """Names of dice brought along that no roll has asked for."""


class ResourceView(Shape, frozen=True):
    """A resource: wounds, fate."""

    id: str
    name: str
    value: int
    max: int | None
    """The most it can be; null where there is no such bound."""


class BudgetView(Shape, frozen=True):
    """What is left of somebody's actions, reactions or points."""

    id: str
    name: str
    left: int
    max: int
    """What it refills to."""


class MomentView(Shape, frozen=True):
    """A moment that an effect waits for."""

    at: str
    """What happens then: `turn_end`, `next_attack`, ..."""
    who: str | msgspec.UnsetType = msgspec.UNSET
    """Whose moment it is; left out, anybody's."""
    against: str | msgspec.UnsetType = msgspec.UNSET
    times: int | msgspec.UnsetType = msgspec.UNSET
    """How often it must come; left out, once."""
    then: int | msgspec.UnsetType = msgspec.UNSET
    """How many further moments must follow."""


class EffectView(Shape, frozen=True):
    """A condition or timed modifier on somebody."""

    id: str
    kind: str
    """What it is: an effect of the ruleset."""
    name: str
    active: bool
    """False while it only waits to begin."""
    clause: str
    value: int | msgspec.UnsetType = msgspec.UNSET
    ends: tuple[MomentView, ...] | msgspec.UnsetType = msgspec.UNSET
    """What ends it, whichever comes first; empty for what lasts until it is removed."""
    source: str | msgspec.UnsetType = msgspec.UNSET
    """Who caused it."""
    against: str | msgspec.UnsetType = msgspec.UNSET
    item: str | msgspec.UnsetType = msgspec.UNSET
    word: str | msgspec.UnsetType = msgspec.UNSET
    """What was chosen with it: a fire mode, a trigger."""
    declared: dict[str, str | int | bool | tuple[str, ...] | None] | msgspec.UnsetType = msgspec.UNSET
    """What its bearer said beforehand: when he will act, and how."""
    area: Area | msgspec.UnsetType = msgspec.UNSET


class Named(Shape, frozen=True):
    """Something of the ruleset with its name."""

    id: str
    name: str


class ItemView(Shape, frozen=True):
    """Something carried."""

    kind: str
    """Its entry in the ruleset's catalogue."""
    name: str
    held: str | None
    """The hand that holds it: `main`, `off`, `both`; null when stowed."""
    on_ground: bool
    """Whether it lies on the ground."""
    count: int | msgspec.UnsetType = msgspec.UNSET
    """How many of it."""
    marks: dict[str, int] | msgspec.UnsetType = msgspec.UNSET
    """Its changing figures: `ammo`, `jammed`, `braced`."""
    custom: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    """A profile of its own."""
    modes: tuple[Named, ...] | msgspec.UnsetType = msgspec.UNSET
    """The ways of using it, where a form asks for one of them (`x-of` is `modes`)."""
    lies: Place | msgspec.UnsetType = msgspec.UNSET
    """Where on the map it lies; left out where it does not."""


class UnknownSlot(Shape, frozen=True):
    """Somebody in the order of whom the reader knows nothing else."""

    id: str
    """Stands for him in `turn`, `upcoming` and events, as long as he is hidden so; nothing else takes it."""


class Condition(Shape, frozen=True):
    """How somebody looks of whom no figures are shown."""

    id: Literal["unhurt", "wounded", "badly_wounded", "down"]
    name: str
    """The same in the reader's language."""


class SlotView(Shape, frozen=True):
    """A stretch of time that belongs to somebody."""

    combatant: str
    """Id of a combatant, or of an unknown slot."""
    kind: str
    """`turn`, a late half action, an initiative phase."""


class CombatantView(Shape, frozen=True):
    """A combatant, whatever the system."""

    id: str
    name: str
    side: str
    status: Literal["up", "down", "dead", "gone"]
    """`up` acts; `down` lies there; `dead` takes no part."""
    external_ref: str | None
    sample: str | None
    position: Place | None
    cover: Cover | None
    initiative: tuple[int, ...]
    """Initiative with what breaks ties, compared from the front, higher first."""
    initiative_text: str | None
    """The first of them as the ruleset counts it; null before anything was rolled."""
    is_turn: bool
    """Whether it is his turn."""
    resources: tuple[ResourceView, ...]
    budgets: tuple[BudgetView, ...]
    effects: tuple[EffectView, ...]
    engaged: tuple[str, ...]
    """With whom he is locked in melee."""
    items: dict[str, ItemView]
    sheet: dict[str, Any] | None
    """Statistics by the ruleset's schema; null where the reader does not get them."""
    shown: Literal["exact", "band", "none"]
    """How exactly the reader sees his figures: all of them, a `condition` instead, or nothing."""
    condition: Condition | msgspec.UnsetType = msgspec.UNSET
    policy: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    dice: Literal["server", "client"] | msgspec.UnsetType | None = msgspec.UNSET
    """Whose dice are rolled for him; null is the encounter's way. For whoever acts for him, and the GM."""
    hidden: bool | Literal["slot"] | msgspec.UnsetType = msgspec.UNSET
    """Whether only the GM knows of him; `slot` where others see that somebody is in the order. For the GM."""
    notes: str | msgspec.UnsetType | None = msgspec.UNSET
    values: Literal["exact", "band", "none"] | msgspec.UnsetType | None = msgspec.UNSET
    """How exactly others see his figures; null as the encounter has it for his side. For the GM."""
    rolls: Literal["open", "secret"] | msgspec.UnsetType = msgspec.UNSET
    """Whether his rolls are the GM's alone. For the GM."""
    slot: str | msgspec.UnsetType = msgspec.UNSET
    """The id under which others see that somebody is in the order. For the GM."""


class CombatantPage(Shape, frozen=True):
    """The combatants that the reader may see."""

    version: int
    items: tuple[CombatantView, ...]


class StatedFact(PairFact, frozen=True, kw_only=True):
    """How one combatant stands to another, as it was stated and as long as neither has moved."""

    from_: str = msgspec.field(name="from")
    """Whose side it is seen from."""
    to: str
    """Who is seen."""


class StatedSpace(Shape, frozen=True, tag_field="mode", tag="stated"):
    """No map: what has been stated."""

    facts: tuple[StatedFact, ...]


class MapSpace(Shape, frozen=True, tag_field="mode", tag="map"):
    """The map."""

    grid: Literal["none", "square", "hex"]
    cell: Length
    """Side of a square, or distance between neighbouring hexes."""
    origin: Point
    """Centre of some square."""
    size: Point | None
    """Width and height; null is without bounds."""
    walls: tuple[Wall, ...]
    regions: tuple[Region, ...]
    worn: dict[str, int]
    """How far cover has been worn down, by its id."""


class EncounterSummary(Shape, frozen=True):
    """An encounter in one line."""

    id: str
    campaign: str
    name: str
    ruleset: str
    status: Literal["setup", "running", "ended"]
    round: int
    version: int
    created_at: str


class PlayedBy(Shape, frozen=True):
    """The house rules of an encounter, in the version that it keeps to."""

    name: str
    """Under which the campaign has them."""
    version: int
    """The version it began with."""


class DiceSeed(Shape, frozen=True):
    """A secret from which the server's dice were drawn, and the hash of it that was published before the first roll."""

    since: int
    """The rewind since which it is in force, counted from 0."""
    commitment: str
    """SHA-256 of `turnwright-dice`, a line break and the seed, in hexadecimal."""
    seed: str | None
    """The seed in hexadecimal; null where it is not shown to this reader, or not known here."""


class EncounterView(EncounterSummary, frozen=True):
    """An encounter as its reader may see it: the snapshot to begin with."""

    cursor: int
    """How many events the reader can know of: where to follow on."""
    pin: str
    """Hash of the rules that it is played by."""
    house_rules: PlayedBy | None
    """Null where it is played by the book."""
    pass_: int = msgspec.field(name="pass")
    round_text: str
    """Round and pass as the game calls them, in the reader's language; empty while nothing runs."""
    turn: SlotView | None
    """Whose stretch of time it is; null where nobody's, or nobody's whom the reader may know of."""
    upcoming: tuple[SlotView, ...]
    """A forecast of who comes next; no promise."""
    unknown_slots: tuple[UnknownSlot, ...]
    """Those in the order of whom the reader knows nothing else. None for the GM, who knows them."""
    options: dict[str, Any]
    dice: Literal["server", "client"]
    dice_commitment: str
    """Hash of the secret from which the server's dice are drawn, so that it can be checked at the end."""
    dice_reveal: Literal["everybody", "gm"]
    """Who is shown the seed of the dice once the fight is over."""
    dice_seed: str | None
    """That secret in hexadecimal, once the fight is over and the reader may know it."""
    dice_seeds: tuple[DiceSeed, ...]
    """Every secret that dice were drawn from, oldest first: going back after the end puts a new one in force."""
    decision_timeout_s: int | None
    approval: Literal["none", "actions"]
    """`actions` where what players submit waits for the GM's yes, but for the end of a turn."""
    space: MapSpace | StatedSpace
    combatants: tuple[CombatantView, ...]
    waiting: bool
    """Whether somebody must answer before it goes on."""
    waiting_for: tuple[DecisionView, ...]
    """The open decisions that the reader may see."""
    values: dict[str, Literal["exact", "band", "none"]] | msgspec.UnsetType = msgspec.UNSET
    """How exactly others see figures, by side; `*` for every other one. For the GM."""
    secret_rolls: Literal["told", "silent"] | msgspec.UnsetType = msgspec.UNSET
    """Whether others learn that a secret roll took place. For the GM."""
    notes: str | msgspec.UnsetType | None = msgspec.UNSET


class EncounterPage(Shape, frozen=True):
    """Encounters."""

    items: tuple[EncounterSummary, ...]
    next_cursor: str | None


class TargetOption(Shape, frozen=True):
    """Somebody an action may be aimed at, or why not."""

    id: str
    relation: Literal["foe", "ally", "self"]
    """What he is to whoever acts, by their sides. Foes come first."""
    available: bool
    chance: float | msgspec.UnsetType = msgspec.UNSET
    """Of the first test. Left out where there is none, or nobody has said yet how far they are apart."""
    reasons: tuple[ReasonOut, ...] | msgspec.UnsetType = msgspec.UNSET
    missing: tuple[ReasonOut, ...] | msgspec.UnsetType = msgspec.UNSET
    """What a submission still has to say to be aimed at that target, each with the place where it belongs."""


class ActionType(Shape, frozen=True):
    """One way to take an action now."""

    type: str
    """The way, as a submission names it (`half`, `full`)."""
    name: str
    cost: tuple[Cost, ...]
    available: bool
    extent: float | None
    """How far it takes him at most as he is now, in the ruleset's unit; null for what takes nobody anywhere. What is
    chosen in its form may change it.
    """


class FormLink(Shape, frozen=True):
    """Where the form of an action's options is found."""

    href: str
    """Address of the action; its `form` is the JSON Schema."""


class ActionOption(Shape, frozen=True):
    """An action as a combatant can take it now, or every reason why he cannot."""

    id: str
    name: str
    available: bool
    cost: tuple[Cost, ...]
    """What its ordinary way costs."""
    extent: float | None
    """How far its ordinary way takes him at most as he is now, in the ruleset's unit; null for what takes nobody
    anywhere.
    """
    types: tuple[ActionType, ...]
    """The ways to take it."""
    default_type: str
    """The way it is taken when a submission names none."""
    tags: tuple[str, ...]
    clauses: tuple[str, ...]
    reasons: tuple[ReasonOut, ...]
    targets: tuple[TargetOption, ...]
    """Whom it could be aimed at."""
    weapons: tuple[str, ...]
    needs: tuple[str, ...]
    """Fields that a submission of it can have besides: `path`, `area`, `location`, `facing`."""
    form: FormLink | None
    """Where the form of its options is; null if it has none."""


class ActionList(Shape, frozen=True):
    """What a combatant can do now."""

    version: int
    actions: tuple[ActionOption, ...]


class TermForecast(Term, frozen=True, kw_only=True):
    """One named part of a sum, with its name in the reader's language."""

    name: str


class CheckForecast(Shape, frozen=True):
    """A test that would be rolled, with the sum behind it."""

    combatant: str
    check: str
    """What is rolled against."""
    name: str
    """Its name."""
    purpose: str
    """What it is rolled for."""
    purpose_name: str
    """The name of that."""
    terms: tuple[TermForecast, ...]
    target: int | msgspec.UnsetType = msgspec.UNSET
    """The number to roll against. Left out, as another's terms are, where the reader does not get his figures."""
    chance: float | msgspec.UnsetType = msgspec.UNSET
    """Left out where it would tell figures of somebody that the reader does not get."""


class DefenceForecast(Shape, frozen=True):
    """How a target would best react."""

    combatant: str
    option: str
    """The reaction."""
    name: str
    """Its name."""
    chance: float | None


class DamageForecast(Shape, frozen=True):
    """The damage that might get through."""

    mean: float
    """What gets through on average."""
    at_least: dict[str, float]
    """The chance that at least so many points get through."""
    drops: float
    """The chance that somebody goes down."""
    method: Literal["exact", "sampled"]
    """Whether every way the dice can fall was counted, or samples were taken of what the tests leave open."""
    runs: int
    """How often the rule was run for it."""
    error: float
    """Widest standard error of a sampled chance; 0 for an exact one."""


class Preview(Shape, frozen=True):
    """Whether an action is allowed, and what might come of it."""

    legal: bool
    reasons: tuple[ReasonOut, ...]
    checks: tuple[CheckForecast, ...]
    """Tests that it leads to."""
    defence: tuple[DefenceForecast, ...]
    """How those it is aimed at would react."""
    hits: dict[str, float] | msgspec.UnsetType = msgspec.UNSET
    """The chance of so many hits that stand after the defence."""
    hits_error: float | msgspec.UnsetType = msgspec.UNSET
    """Widest standard error of these; 0 where every test that leads to them was gone through."""
    damage: DamageForecast | msgspec.UnsetType = msgspec.UNSET
    """The damage that might get through."""


class LogPage(Shape, frozen=True):
    """Events of the log."""

    items: tuple[AnyEvent, ...]
    next_cursor: int
    """What to send next as `after`, or as `before` if that was sent: never null, even where nothing is new."""
    has_more: bool
    """Whether there is more in this direction now."""


class ClauseView(Shape, frozen=True):
    """A clause of the rules, in our own words."""

    id: str
    title: str
    text: str


class ClausePage(Shape, frozen=True):
    """Clauses of a ruleset."""

    items: tuple[ClauseView, ...]
    next_cursor: str | None


class RulesetSummary(Shape, frozen=True):
    """A ruleset in one line."""

    id: str
    version: str
    pin: str
    """Hash of its data; an encounter keeps the one it began with."""
    title: str
    unit: str
    """Unit of every length: `m`, `yd`."""
    unit_name: str
    """How people write it behind a number, in the reader's language."""
    metric: Literal["euclid", "chebyshev", "hex_steps"]
    """How distance is counted on a map."""


class RulesetPage(Shape, frozen=True):
    """The rulesets."""

    items: tuple[RulesetSummary, ...]
    next_cursor: str | None


class NamedAny(Shape, frozen=True):
    """Something of the ruleset with its name, and further fields of the ruleset's own."""

    id: str
    name: str
    clause: str | msgspec.UnsetType = msgspec.UNSET


class TypeInfo(Shape, frozen=True):
    """One way of taking an action, with what it costs."""

    id: str
    name: str
    cost: tuple[Cost, ...]


class TargetsInfo(Shape, frozen=True):
    """Whom an action is aimed at, and how many of them."""

    who: Literal["enemy", "other", "any", "self", "none"]
    """Who can be one."""
    min: int
    """How many at least."""
    max: int
    """How many at most."""
    or_place: bool
    """Whether a place may be named instead: the centre of `area`, or the end of `path`."""


class WeaponsInfo(Shape, frozen=True):
    """What an action is done with."""

    kinds: tuple[str, ...]
    """Kinds of weapon that it takes; empty for none."""
    second: bool
    """Whether it takes a second one."""
    required: bool
    """Whether it is nothing without one: the only one that fits is then taken without being named."""


class ActionInfo(Shape, frozen=True):
    """An action of a ruleset."""

    id: str
    name: str
    types: tuple[TypeInfo, ...]
    """The ways of taking it."""
    default_type: str
    """The way it is taken when a submission names none."""
    tags: tuple[Named, ...]
    targets: TargetsInfo
    weapons: WeaponsInfo
    needs: tuple[str, ...]
    """Fields of the submission that it uses: `path`, `area`, `location`, `facing`."""
    form: dict[str, Any]
    """JSON Schema of its `options`, with titles in the reader's language."""
    clauses: tuple[str, ...]
    listed: bool
    """False for what the rules take by themselves."""


class OptionInfo(Shape, frozen=True):
    """A house-rule option."""

    id: str
    name: str
    kind: str
    """What it holds: `flag`, `choice`, `list`, `whole`, `optional_whole`, `length`, `dice`."""
    value: Any
    """What is in force."""
    default: Any
    """What the ruleset says."""
    choices: tuple[Named, ...]
    min: float | None
    """The least it may be."""
    max: float | None
    """The most it may be."""
    clause: str


class LevelsInfo(Shape, frozen=True):
    """Which levels skills may have."""

    min: int
    """The least it may be."""
    max: int
    """The most it may be."""
    default: int | None
    """The level of a skill that a sheet does not name; null where the sheet then does not have it."""
    defaults: bool
    """Whether a sheet may say with what level a skill is used that it does not have."""


class QuestionInfo(Shape, frozen=True):
    """A kind of question that the ruleset asks."""

    id: str
    """The `kind` of the decision; where a combatant is asked, his `policy` may name it."""
    name: str
    asked: Literal["combatant", "gm"]
    """Who is asked: a combatant, or the GM, for whom no policy answers."""


class RulesetInfo(RulesetSummary, frozen=True):
    """A ruleset with everything that it names. Lists hold id and name, and what the ruleset itself says of each."""

    actions: tuple[ActionInfo, ...]
    planned: tuple[NamedAny, ...]
    """Actions of the game that this version does not carry yet."""
    stats: tuple[NamedAny, ...]
    """Figures of a sheet."""
    derived: tuple[NamedAny, ...]
    """Figures that follow from others."""
    skills: tuple[NamedAny, ...]
    ranks: tuple[NamedAny, ...]
    """Ranks of a skill, lowest first."""
    talents: tuple[NamedAny, ...]
    locations: tuple[NamedAny, ...]
    """Hit locations."""
    resources: tuple[NamedAny, ...]
    budgets: tuple[NamedAny, ...]
    effects: tuple[NamedAny, ...]
    qualities: tuple[NamedAny, ...]
    """Qualities of weapons."""
    weapons: tuple[NamedAny, ...]
    armour: tuple[NamedAny, ...]
    samples: tuple[NamedAny, ...]
    """Ready combatants."""
    modifiers: tuple[NamedAny, ...]
    """Situational modifiers that a submission may name."""
    questions: tuple[QuestionInfo, ...]
    """Kinds of question that a play may ask."""
    bands: tuple[Named, ...]
    """Range bands that may be stated."""
    arcs: tuple[Named, ...]
    """Sides of somebody that may be stated."""
    air: tuple[Named, ...]
    """What may be stated to lie between two; on a map also kinds of region."""
    marks: tuple[Named, ...]
    """Changing figures of an item that have a name: `ammo`."""
    ground: tuple[Named, ...]
    """The other kinds of region that a map may have."""
    cover_ratings: tuple[Named, ...]
    """Words for how good a cover is."""
    options: tuple[OptionInfo, ...]
    levels: LevelsInfo | msgspec.UnsetType = msgspec.UNSET
    """Where skills have whole levels instead of ranks."""
    damage_types: tuple[Named, ...] | msgspec.UnsetType = msgspec.UNSET
    """Types of damage against which armour may hold differently, where there are such."""


class RulesetSchemas(Shape, frozen=True):
    """JSON Schemas of a ruleset (2020-12), with titles in the reader's language."""

    sheet: dict[str, Any]
    """Of a combatant's `sheet`."""
    weapon: dict[str, Any]
    """Of a weapon's own profile (`custom`)."""
    options: dict[str, Any]
    """Of an encounter's house-rule options."""
    actions: dict[str, dict[str, Any]]
    """Of the `options` of each action, by its id."""


class MetaRuleset(Shape, frozen=True):
    """A ruleset that this server plays."""

    id: str
    version: str
    pin: str
    """Hash of its data."""


class MetaLimits(Shape, frozen=True):
    """What this server takes at most."""

    body_bytes: int
    """Size of an ordinary body."""
    large_body_bytes: int
    """Size of a body that holds an encounter or many combatants."""
    combatants: int
    """Combatants in one encounter."""
    encounters_per_campaign: int
    """Encounters in one campaign; a deleted one makes room."""
    open_decisions: int
    """Decisions open at once in one encounter."""
    events: int
    """Events in one encounter."""
    streams_per_token: int
    wait_s: float
    """How long a long-poll is held."""
    idempotency_hours: int
    """How long an answer is kept under its `Idempotency-Key`."""


class Meta(Shape, frozen=True):
    """What this server is."""

    name: str
    version: str
    """Version of the service."""
    languages: list[str]
    rulesets: list[MetaRuleset]
    limits: MetaLimits
