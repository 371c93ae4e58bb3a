"""What a fight is at one moment: frozen values, changed by the fold of events alone (`app.engine.fold`).

Lengths are whole hundredths of the ruleset's unit, everything else is whole numbers and words, so that a state
survives JSON byte for byte. Nothing here knows a ruleset: characteristics, pools, budgets, item marks and effects
are named figures whose names the ruleset's data declares.
"""

from typing import Literal

import msgspec

from app.engine.ids import ActionId, ClauseId, CombatantId, EffectId, ItemId, Scalar
from app.engine.space.model import Area, Cover, Ground, PairFact, Place

Status = Literal["up", "down", "dead", "gone"]
"""`up` acts and stands in the way; `down` lies there; `dead` and `gone` (removed, or left) take no part."""

Shown = Literal["exact", "band", "none"]
"""How exactly the figures of a combatant are seen by whoever does not control him."""


class Tick(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A moment that effects count: what happened (`turn_start`, `attack`, ...), by whom, against whom, how often.

    `who` or `against` None matches anybody.
    """

    at: str
    who: CombatantId | None = None
    against: CombatantId | None = None
    times: int = 1


Chain = tuple[Tick, ...]
"""Ticks that must come one after another."""


class Effect(msgspec.Struct, frozen=True, omit_defaults=True):
    """A condition or timed modifier on one combatant, with its own end.

    `until` is any of several chains, whichever is through first; while `active_after` is not empty the effect only
    waits. `rank` orders those that end at one moment. `value` is the effect's figure, `word` its choice (a fire
    mode, a trigger), `against` whom it is bound to, `item` the item it concerns, `area` a zone, `declared` what its
    bearer has said beforehand by name: when he will act, and how. `in_secret` tells that its value can come of a roll
    that is not everybody's.
    """

    id: EffectId
    kind: str
    clause: ClauseId
    until: tuple[Chain, ...] = ()
    active_after: Chain = ()
    rank: int = 0
    source: CombatantId | None = None
    against: CombatantId | None = None
    item: ItemId | None = None
    value: int = 0
    word: str | None = None
    words: tuple[str, ...] = ()
    area: Area | None = None
    hidden: bool = False
    declared: dict[str, Scalar | tuple[str, ...]] = {}
    in_secret: bool = False


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something carried. `kind` is a catalogue id; `held` the hand (`main`, `off`, `both`), None when stowed.

    `marks` are its changing figures (`ammo`, `jammed`, `braced`); `custom` is the JSON text of a profile of its own.
    `lies` is where on the map it lies, None where it is not on the ground or there is no map.
    """

    kind: str
    held: str | None = None
    count: int = 1
    marks: dict[str, int] = {}
    custom: str | None = None
    on_ground: bool = False
    lies: Place | None = None


class Sheet(msgspec.Struct, frozen=True, omit_defaults=True):
    """A combatant's statistics as the ruleset's `stats.yaml` declares them, validated at the door.

    `stats` are characteristics and other figures, `ranks` skills by rank word, `traits` talents and the like,
    `armour` points by location (`torso`) and, where they differ, by `torso/cr` against a type of damage, with `worn`
    naming the catalogue entries they came from. Where skills have whole levels, `levels` holds them, and `defaults` the
    levels that stand for skills which he does not have. `trait_values` are the figures of talents that carry one.
    """

    stats: dict[str, int]
    ranks: dict[str, str] = {}
    traits: tuple[str, ...] = ()
    armour: dict[str, int] = {}
    worn: tuple[str, ...] = ()
    levels: dict[str, int] = {}
    defaults: dict[str, int] = {}
    trait_values: dict[str, int] = {}


class Done(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One action taken in the current turn of its owner."""

    action: ActionId
    form: str = ""
    """The type it was taken as: `half`, `full`, `simple`, ..."""
    tags: tuple[str, ...] = ()
    item: ItemId | None = None


class Combatant(msgspec.Struct, frozen=True, omit_defaults=True):
    """One participant. `pools` are resources (wounds taken, fate), `budget` what is left of the turn's economy.

    `standing` is the initiative with its tie-breakers, compared from the front, higher first. `policy` answers
    questions by kind (`ask`, `decline`, `best`); `dice` None means the encounter's way.
    """

    id: CombatantId
    name: str
    side: str
    sheet: Sheet
    status: Status = "up"
    external_ref: str | None = None
    sample: str | None = None
    hidden: bool = False
    dice: Literal["server", "client"] | None = None
    policy: dict[str, str] = {}
    place: Place | None = None
    cover: Cover | None = None
    pools: dict[str, int] = {}
    budget: dict[str, int] = {}
    done: tuple[Done, ...] = ()
    standing: tuple[int, ...] = ()
    items: dict[str, Item] = {}
    effects: dict[str, Effect] = {}
    engaged: tuple[CombatantId, ...] = ()
    serial: int = 0
    """How many effects this combatant has had; effect ids are numbered per bearer, so that gaps betray nothing."""
    notes: str | None = None
    slot: str | None = None
    """While he is hidden: the id under which others see that somebody is in the order. None where they see nothing."""
    values: Shown | None = None
    """How exactly others see his figures; None as the encounter has it for his side."""
    rolls: Literal["open", "secret"] = "open"


class Slot(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A stretch of time that belongs to somebody: a turn, a late half action, an initiative phase."""

    owner: CombatantId
    kind: str = "turn"
    others: tuple[CombatantId, ...] = ()
    clause: ClauseId | None = None
    """By which it was committed, while it waits in the queue."""


class Clock(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where in the fight we are.

    Never an order: only who has acted, and what is already committed to come (`queue`).
    """

    round: int = 0
    pass_: int = msgspec.field(default=0, name="pass")
    slot: Slot | None = None
    acted: tuple[CombatantId, ...] = ()
    queue: tuple[Slot, ...] = ()


class Scenery(msgspec.Struct, frozen=True, omit_defaults=True):
    """The place of the fight: a map (`ground`), or pairwise facts that were stated (`facts`, keyed by `pair_key`)."""

    ground: Ground | None = None
    facts: dict[str, PairFact] = {}
    worn: dict[str, int] = {}
    """Armour points that pieces of cover on the map have lost, by wall id."""


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole fight. `options` holds only the house-rule options that differ from the ruleset's defaults."""

    ruleset: str
    status: Literal["setup", "running", "ended"] = "setup"
    options: dict[str, Scalar | tuple[str, ...]] = {}
    dice: Literal["server", "client"] = "server"
    clock: Clock = Clock()
    scenery: Scenery = Scenery()
    combatants: dict[CombatantId, Combatant] = {}
    values: dict[str, Shown] = {}
    """How exactly others see figures, by side; `*` for every other side."""
    secret_rolls: Literal["told", "silent"] = "told"
    """Whether others learn that a secret roll took place."""
