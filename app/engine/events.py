"""What happened.

Events are the wire vocabulary: typed, past tense, in the log for ever, the only way a state changes.

The first half are *changes*, folded by `app.engine.fold`; the second half are *facts*, which fold to nothing and
tell why. Rulesets add no event types: what a ruleset alone knows is a `Noted` fact with named figures, or a named
pool, mark or effect.

Every class says who may know it, in three class variables read by `app.engine.visibility`: `about` names the fields
whose combatants, when hidden, hide the whole event; `mentions` those that are blanked then (somebody hits you);
`secret` the fields that only the GM sees.
"""

from typing import ClassVar, Literal

import msgspec

from app.engine.ids import ActionId, ClauseId, CombatantId, EffectId, ItemId, Length, Scalar
from app.engine.space.model import Cover, Ground, PairFact, Place, Point
from app.engine.state import Chain, Combatant, Effect, Item, Shown, Status

Names = tuple[str, ...]


def _tag(name: str) -> str:
    """`CheckRolled` -> `check_rolled`."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


class Term(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One named part of a sum, with the clause that gives it."""

    id: str
    value: int
    clause: ClauseId | None = None
    of: CombatantId | None = None
    """Whose figure it is, where it is another's than of whoever the sum is for."""


class Die(msgspec.Struct, frozen=True, gc=False):
    """One die as it fell: its sides, the face, and where it came from (`server`, `client`, or `brought` along)."""

    sides: int
    value: int
    source: str = "server"
    roll: str | msgspec.UnsetType = msgspec.UNSET
    """Name of the roll, a dot, and which of its dice this is, from 0: by it the die can be checked."""
    by: str | msgspec.UnsetType = msgspec.UNSET
    """Who reported it, where the server did not roll: public id of a token."""


class Hit(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One hit of an attack: its number within the attack, whom it strikes, and where."""

    number: int
    target: CombatantId
    location: str | None = None


class Figure(msgspec.Struct, frozen=True, gc=False):
    """A named whole number that belongs to a fact."""

    id: str
    value: int


class Event(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="type", tag=_tag):
    """Root of all events. What follows from a rule names it in `clause`; what the table itself has done has none."""

    about: ClassVar[Names] = ("combatant",)
    mentions: ClassVar[Names] = ()
    secret: ClassVar[Names] = ()


# Changes: each of these is folded into the state.


class EncounterStarted(Event, frozen=True):
    """The fight begins; setting up is over and options are locked."""

    about: ClassVar[Names] = ()
    clause: ClauseId | None = None


class EncounterEnded(Event, frozen=True):
    """The fight is over."""

    about: ClassVar[Names] = ()
    why: str | None = None


class EncounterSet(Event, frozen=True):
    """The table changed how the encounter is played, or what others see of it."""

    about: ClassVar[Names] = ()
    secret: ClassVar[Names] = ("values", "secret_rolls")
    options: dict[str, Scalar | tuple[str, ...]] = {}
    dice: Literal["server", "client"] | None = None
    """Whose dice are rolled from here on: the server's, or the table's own."""
    dice_commitment: str | None = None
    """Hash of the secret from which the server's dice are drawn from here on."""
    values: dict[str, Shown] | None = None
    """How exactly others see figures from now on, by side."""
    secret_rolls: Literal["told", "silent"] | None = None


class RoundBegan(Event, frozen=True):
    """A new round; nobody has acted in it yet."""

    about: ClassVar[Names] = ()
    round: int
    clause: ClauseId | None = None


class PassBegan(Event, frozen=True):
    """A new initiative pass inside the round."""

    about: ClassVar[Names] = ()
    number: int
    clause: ClauseId | None = None


class TurnBegan(Event, frozen=True):
    """Somebody's turn, phase or late action begins, with it those of `others` who act at the same time.

    A `fresh` one forgets what they did in the one before.
    """

    mentions: ClassVar[Names] = ("others",)
    combatant: CombatantId
    kind: str = "turn"
    fresh: bool = True
    clause: ClauseId | None = None
    others: tuple[CombatantId, ...] = ()


class TurnEnded(Event, frozen=True):
    """That turn, phase or late action is over. `acted` tells whether it was his turn of this round."""

    combatant: CombatantId
    kind: str = "turn"
    acted: bool = True
    clause: ClauseId | None = None


class SlotQueued(Event, frozen=True):
    """A stretch of time is now committed to come: at the `front` of the queue or at its end."""

    mentions: ClassVar[Names] = ("others",)
    combatant: CombatantId
    kind: str
    others: tuple[CombatantId, ...] = ()
    front: bool = False
    clause: ClauseId | None = None


class SlotDropped(Event, frozen=True):
    """The first committed stretch was taken out of the queue, because it begins or because it is forfeit."""

    combatant: CombatantId
    kind: str
    clause: ClauseId | None = None


class Joined(Event, frozen=True):
    """A combatant entered the encounter."""

    about: ClassVar[Names] = ("body",)
    body: Combatant
    clause: ClauseId | None = None


class Left(Event, frozen=True):
    """A combatant was taken out of the encounter."""

    combatant: CombatantId
    clause: ClauseId | None = None


class Edited(Event, frozen=True):
    """A combatant's own data changed, by the GM or by a rule; `body` is how it stands now."""

    about: ClassVar[Names] = ("body",)
    body: Combatant
    fields: Names = ()
    clause: ClauseId | None = None


class PoolChanged(Event, frozen=True):
    """A resource of a combatant changed by `delta` and is now `value`."""

    combatant: CombatantId
    pool: str
    delta: int
    value: int
    clause: ClauseId | None = None


class BudgetChanged(Event, frozen=True):
    """What is left of somebody's actions, reactions or points changed by `delta` and is now `value`."""

    combatant: CombatantId
    budget: str
    delta: int
    value: int
    clause: ClauseId | None = None


class StandingSet(Event, frozen=True):
    """A combatant's place in the order is settled: initiative first, then what breaks ties."""

    combatant: CombatantId
    standing: tuple[int, ...]
    dice: tuple[Die, ...] = ()
    clause: ClauseId | None = None


class ActionTaken(Event, frozen=True):
    """A combatant takes an action: it is paid for and counts from here on."""

    mentions: ClassVar[Names] = ("targets",)
    combatant: CombatantId
    action: ActionId
    form: str = ""
    tags: Names = ()
    item: ItemId | None = None
    targets: tuple[CombatantId, ...] = ()
    note: str | None = None
    counts: bool = True
    """Whether it goes on the list of what he did this turn."""
    clause: ClauseId | None = None


class Moved(Event, frozen=True):
    """A combatant went along `path` (map) for `distance`; `place` is where he stands now.

    Without a map only the distance.
    """

    mentions: ClassVar[Names] = ("beside", "distances")
    combatant: CombatantId
    distance: Length
    path: tuple[Point, ...] = ()
    place: Place | None = None
    forced: bool = False
    beside: CombatantId | None = None
    distances: dict[CombatantId, Length] = {}
    """Without a map: how far he is now from those named; what was known of the others is no longer."""
    clause: ClauseId | None = None


class Turned(Event, frozen=True):
    """A combatant faces another way, in whole degrees."""

    combatant: CombatantId
    facing: int
    clause: ClauseId | None = None


class EngagementBegan(Event, frozen=True):
    """Two combatants are locked in melee with each other."""

    about: ClassVar[Names] = ("combatant", "other")
    combatant: CombatantId
    other: CombatantId
    clause: ClauseId | None = None


class EngagementEnded(Event, frozen=True):
    """Two combatants are no longer locked in melee."""

    about: ClassVar[Names] = ("combatant", "other")
    combatant: CombatantId
    other: CombatantId
    clause: ClauseId | None = None


class EffectBegan(Event, frozen=True):
    """A condition or timed modifier is on a combatant from now."""

    mentions: ClassVar[Names] = (
        "effect.source",
        "effect.against",
        "effect.until",
        "effect.active_after",
        "effect.declared",
    )
    combatant: CombatantId
    effect: Effect
    clause: ClauseId | None = None


class EffectCounted(Event, frozen=True):
    """One of the moments an effect counts has passed; these are the chains it still waits for."""

    mentions: ClassVar[Names] = ("until", "active_after")
    combatant: CombatantId
    effect: EffectId
    until: tuple[Chain, ...]
    active_after: Chain = ()
    value: int | None = None
    clause: ClauseId | None = None


class EffectEnded(Event, frozen=True):
    """A condition or timed modifier is over."""

    combatant: CombatantId
    effect: EffectId
    kind: str
    why: str = "expired"
    clause: ClauseId | None = None


class ItemMarked(Event, frozen=True):
    """A changing figure of an item (`ammo`, `jammed`, `braced`) changed by `delta` and is now `value`."""

    combatant: CombatantId
    item: ItemId
    mark: str
    delta: int
    value: int
    clause: ClauseId | None = None


class ItemMoved(Event, frozen=True):
    """An item went to a hand (`main`, `off`, `both`), was stowed (None), or dropped, where there is a map at `lies`."""

    combatant: CombatantId
    item: ItemId
    held: str | None = None
    on_ground: bool = False
    clause: ClauseId | None = None
    lies: Place | None = None


class ItemChanged(Event, frozen=True):
    """An item was given, edited, used up (`body` None) or its count changed."""

    combatant: CombatantId
    item: ItemId
    body: Item | None
    clause: ClauseId | None = None


class CoverChanged(Event, frozen=True):
    """What a combatant stands behind, as stated or as worn down; None for none."""

    combatant: CombatantId
    cover: Cover | None
    clause: ClauseId | None = None


class CoverWorn(Event, frozen=True):
    """A piece of cover on the map has lost armour points: `worn` in all."""

    about: ClassVar[Names] = ()
    wall: str
    worn: int
    clause: ClauseId | None = None


class StatusChanged(Event, frozen=True):
    """A combatant goes down, dies, or is up again."""

    combatant: CombatantId
    status: Status
    why: str | None = None
    clause: ClauseId | None = None


class FactStated(Event, frozen=True):
    """Without a map: how two combatants stand to each other, as somebody entitled to it said."""

    about: ClassVar[Names] = ("combatant", "other")
    combatant: CombatantId
    other: CombatantId
    fact: PairFact
    clause: ClauseId | None = None


class MapChanged(Event, frozen=True):
    """The ground of the fight is now this one."""

    about: ClassVar[Names] = ()
    ground: Ground | None


# Facts: they tell what was rolled, hit, refused; nothing folds.


class CheckRolled(Event, frozen=True):
    """A test: the sum that made the target number, the dice, and how it came out, in degrees of success or failure."""

    mentions: ClassVar[Names] = ("against", "terms.of")
    combatant: CombatantId
    check: str
    """What is tested: a characteristic or a skill."""
    purpose: str
    """What for: `attack`, `evade`, `pinning`, ..."""
    target: int
    dice: tuple[Die, ...]
    outcome: Literal["success", "failure"]
    degrees: int
    terms: tuple[Term, ...] = ()
    against: CombatantId | None = None
    clause: ClauseId | None = None
    grade: str | None = None
    """What the ruleset calls an outcome beyond plain success and failure: `critical`, `glitch`."""
    limit: int | None = None
    """The most hits that count, where a test of a pool of dice has such a bound."""


class ContestSettled(Event, frozen=True):
    """An opposed test came out; nobody wins a stalemate."""

    mentions: ClassVar[Names] = ("other", "winner")
    combatant: CombatantId
    other: CombatantId
    purpose: str
    winner: CombatantId | None
    margin: int = 0
    clause: ClauseId | None = None


class AttackMade(Event, frozen=True):
    """An attack is under way: with what, at whom, as part of which action."""

    mentions: ClassVar[Names] = ("target",)
    combatant: CombatantId
    target: CombatantId
    action: ActionId
    weapon: ItemId | None = None
    weapon_kind: str | None = None
    clause: ClauseId | None = None
    form: str = ""
    """How it is done where it is no ordinary use of the weapon: `slam`, `grapple`, ..."""


class HitsScored(Event, frozen=True):
    """Where the hits of one attack land, before anybody evades."""

    mentions: ClassVar[Names] = ("hits.target",)
    combatant: CombatantId
    hits: tuple[Hit, ...]
    clause: ClauseId | None = None


class DefenceResolved(Event, frozen=True):
    """Somebody reacted to an attack (`option` says how) and so many hits were turned away."""

    mentions: ClassVar[Names] = ("against",)
    combatant: CombatantId
    against: CombatantId
    option: str
    negated: tuple[int, ...] = ()
    left: tuple[int, ...] = ()
    clause: ClauseId | None = None


class DamageDealt(Event, frozen=True):
    """One hit's damage, from the dice to what gets through."""

    about: ClassVar[Names] = ("target",)
    mentions: ClassVar[Names] = ("combatant",)
    combatant: CombatantId | None
    target: CombatantId
    through: int
    raw: int
    dice: tuple[Die, ...] = ()
    terms: tuple[Term, ...] = ()
    """Parts of the raw damage."""
    soak: tuple[Term, ...] = ()
    """What was taken off: armour, penetration (as a positive term against it), toughness."""
    hit: int = 1
    location: str | None = None
    damage_type: str | None = None
    weapon_kind: str | None = None
    clause: ClauseId | None = None


class CriticalSuffered(Event, frozen=True):
    """A row of a critical table applies."""

    mentions: ClassVar[Names] = ("roller",)
    combatant: CombatantId
    value: int
    location: str | None = None
    cause: str = "critical_damage"
    clause: ClauseId | None = None
    dice: tuple[Die, ...] = ()
    """Where the row was rolled for: the dice that say which."""
    roller: CombatantId | None = None
    """Who rolled them."""


class ActionStopped(Event, frozen=True):
    """An action ended before it was through, and is spent."""

    combatant: CombatantId
    action: ActionId
    why: str
    clause: ClauseId | None = None


class Noted(Event, frozen=True):
    """Anything else the table should know, named by the ruleset, with named figures and words."""

    mentions: ClassVar[Names] = ("target",)
    combatant: CombatantId
    fact: str
    target: CombatantId | None = None
    figures: tuple[Figure, ...] = ()
    words: Names = ()
    dice: tuple[Die, ...] = ()
    clause: ClauseId | None = None


TIME_IS_UP = "time_is_up"
"""Noted by the table before a turn that the clock ends."""

Verdict = Literal["confirmed", "refused", "withdrawn"]


class ProposalSettled(Event, frozen=True):
    """What a player proposed was confirmed or refused by the GM, or taken back; only what is confirmed happens."""

    secret: ClassVar[Names] = ("action",)
    combatant: CombatantId
    verdict: Verdict
    """`confirmed`, `refused` or `withdrawn`."""
    by: str
    action: ActionId | None = None
    """What it was; only the GM is told."""
    note: str | None = None
    """What the GM says to it, for everybody."""


class Appeared(Event, frozen=True):
    """Somebody who was hidden is seen from now on; `body` is how he stands now."""

    about: ClassVar[Names] = ("body",)
    body: Combatant
    slot: str | None = None
    """The unknown slot that was his."""
    clause: ClauseId | None = None


class Ruled(Event, frozen=True):
    """The GM overruled the game. What it changed follows as ordinary events."""

    about: ClassVar[Names] = ()
    mentions: ClassVar[Names] = ("combatants",)
    reason: str
    combatants: tuple[CombatantId, ...] = ()


# Facts about the table itself, written by the service around a run.


class DecisionOpened(Event, frozen=True):
    """Resolution waits for somebody."""

    decision: str
    combatant: CombatantId
    """Who must answer; `gm` for the game master."""
    kind: str
    clause: ClauseId | None = None


class DecisionAnswered(Event, frozen=True):
    """A question was answered: by whom (`player`, `gm`, `policy`, `timeout`) and how."""

    decision: str
    combatant: CombatantId
    kind: str
    option: str | None = None
    by: str = "player"
    clause: ClauseId | None = None


class CommandCancelled(Event, frozen=True):
    """The GM ended a command that was waiting; what had been shown stands."""

    about: ClassVar[Names] = ()
    command: str
    reason: str


class Rewound(Event, frozen=True):
    """The encounter stands again as it did at an earlier version; what came between stays in the log."""

    about: ClassVar[Names] = ()
    to_version: int
    reason: str
    public_version: int = 0
    """The same version in the count of everybody but the GM, who gets it as `to_version`."""


class Forked(Event, frozen=True):
    """This encounter begins where another one stood at one of its versions."""

    about: ClassVar[Names] = ()
    secret: ClassVar[Names] = ("at_version",)
    encounter: str
    """Id of the one it was forked from."""
    at_version: int = 0
    """The version it stood at then."""


class Imported(Event, frozen=True):
    """The encounter was brought in from elsewhere, with all that stands before in the log."""

    about: ClassVar[Names] = ()
    encounter: str
    """Its id where it came from."""


CHANGES: tuple[type[Event], ...] = (
    EncounterStarted,
    EncounterEnded,
    EncounterSet,
    RoundBegan,
    PassBegan,
    TurnBegan,
    TurnEnded,
    SlotQueued,
    SlotDropped,
    Joined,
    Left,
    Edited,
    PoolChanged,
    BudgetChanged,
    StandingSet,
    ActionTaken,
    Moved,
    Turned,
    EngagementBegan,
    EngagementEnded,
    EffectBegan,
    EffectCounted,
    EffectEnded,
    ItemMarked,
    ItemMoved,
    ItemChanged,
    CoverChanged,
    CoverWorn,
    StatusChanged,
    FactStated,
    MapChanged,
)
FACTS: tuple[type[Event], ...] = (
    CheckRolled,
    ContestSettled,
    AttackMade,
    HitsScored,
    DefenceResolved,
    DamageDealt,
    CriticalSuffered,
    ActionStopped,
    Noted,
    ProposalSettled,
    Appeared,
    Ruled,
)
TABLE_FACTS: tuple[type[Event], ...] = (DecisionOpened, DecisionAnswered, CommandCancelled, Rewound, Forked, Imported)

AnyEvent = (
    EncounterStarted
    | EncounterEnded
    | EncounterSet
    | RoundBegan
    | PassBegan
    | TurnBegan
    | TurnEnded
    | SlotQueued
    | SlotDropped
    | Joined
    | Left
    | Edited
    | PoolChanged
    | BudgetChanged
    | StandingSet
    | ActionTaken
    | Moved
    | Turned
    | EngagementBegan
    | EngagementEnded
    | EffectBegan
    | EffectCounted
    | EffectEnded
    | ItemMarked
    | ItemMoved
    | ItemChanged
    | CoverChanged
    | CoverWorn
    | StatusChanged
    | FactStated
    | MapChanged
    | CheckRolled
    | ContestSettled
    | AttackMade
    | HitsScored
    | DefenceResolved
    | DamageDealt
    | CriticalSuffered
    | ActionStopped
    | Noted
    | ProposalSettled
    | Appeared
    | Ruled
    | DecisionOpened
    | DecisionAnswered
    | CommandCancelled
    | Rewound
    | Forked
    | Imported
)


def roller_of(event: AnyEvent) -> CombatantId | None:
    """Who rolled the dice of an event: its combatant, but what another's roll brings upon him."""
    if isinstance(event, CriticalSuffered):
        return event.roller
    who: CombatantId | None = getattr(event, "combatant", None)
    return who


class Emitted(msgspec.Struct, frozen=True, gc=False):
    """An event as it was emitted, stamped with who may know it: `audience` `all` or `gm`, and what is cut for others.

    Cuts are read and written by `app.engine.visibility` alone.
    """

    event: AnyEvent
    audience: str = "all"
    blank: Names = ()
