"""What the engine sees of a ruleset: compiled data and the functions beside it. Built by the catalog, immutable."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec
from msgspec.structs import replace

from app.engine.asks import Cost
from app.engine.commands import Submission
from app.engine.events import CheckRolled
from app.engine.forms import Form
from app.engine.ids import ActionId, ClauseId, CombatantId, ItemId, Length
from app.engine.modifiers import Modifiers
from app.engine.moments import Moment
from app.engine.reasons import KINDS, Reason
from app.engine.soundness import Misfit, ordinary_misfits, pools_within
from app.engine.space.model import Metric
from app.engine.state import Chain, Combatant, Effect, Slot, Status
from app.engine.vocabulary import Vocabulary, no_words

if TYPE_CHECKING:
    from app.engine.scene import Scene
    from app.engine.table import Table
    from app.engine.triggers import Cue


class Targets(msgspec.Struct, frozen=True):
    """Whom an action is aimed at: `enemy`, `other`, `any`, `self` or `none`, and how many of them.

    With `or_place` an area or a path may stand in for them; what it is done with settles whether that is any good.
    """

    who: str = "none"
    minimum: int = 0
    maximum: int = 0
    or_place: bool = False


class Weapons(msgspec.Struct, frozen=True):
    """What an action is done with: kinds of item (`melee`, `ranged`, `carried`, `held`), empty for none. `required`
    where it is nothing without one: the only one that fits is then taken without being named.
    """

    kinds: tuple[str, ...] = ()
    second: bool = False
    required: bool = False


class Action(msgspec.Struct, frozen=True):
    """One action as data plus the two functions that carry it.

    `costs` maps each type the action may be taken as to its price, `default_type` is taken when a submission names
    none. `check` yields every reason against it, `resolve` may assume that none was. `reasons` maps a requirement
    to the reason code and clause that the data gives it. `listed` is False for what the rules take by themselves,
    `forbidden` true for what nobody may take any more, though the rules still do.
    """

    id: ActionId
    costs: Mapping[str, tuple[Cost, ...]]
    default_type: str
    tags: frozenset[str]
    targets: Targets
    weapons: Weapons
    form: Form
    params: Any
    clauses: tuple[ClauseId, ...]
    check: Callable[["Table", Submission, "Action"], Iterator[Reason]]
    resolve: Callable[["Scene", Submission, "Action"], None]
    needs: frozenset[str] = frozenset()
    """Inputs of the submission it uses: `path`, `area`, `location`, `facing`."""
    forbids: frozenset[str] = frozenset()
    """Those it has no use for and refuses by a rule of its own."""
    listed: bool = True
    forbidden: bool = False
    before: Callable[["Scene", Submission, "Action"], Submission | None] | None = None
    """What somebody must allow before anything is paid. Gives the submission as allowed, or None when it was denied."""
    type_for: Callable[["Table", Submission, "Action"], str] | None = None
    """The type it is taken as when the submission names none, where that depends on what it is done with."""
    becomes: Callable[["Table", Submission, "Action"], tuple[Submission, "Action"]] | None = None
    """What it is once the submission is looked at: another action that goes by this name, or itself with the tags and
    figures of what is done. Judged, paid and resolved is that."""
    chance: Callable[["Table", Submission, "Action"], int | None] | None = None
    """Chance in millionths of its first test against its target."""
    extent: Callable[["Table", Submission, "Action"], Length | None] | None = None
    """How far it takes whoever takes it, at most, as he is now; None where it takes nobody anywhere."""


class Figure(msgspec.Struct, frozen=True):
    """Bounds of a figure that may be given, and what it is when it is not; without a default it must be given."""

    least: int
    most: int
    default: int | None = None


class EffectKind(msgspec.Struct, frozen=True):
    """A condition or timed modifier as data.

    In its chains `bearer`, `source` and `against` stand for whoever that is. `value`, `against` and `rounds` are what
    a ruling that begins it takes.
    """

    id: str
    clause: ClauseId
    until: tuple[Chain, ...] = ()
    active_after: Chain = ()
    rank: int = 0
    stacks: bool = False
    """Whether a second one stands beside the first; otherwise it replaces it."""
    hidden: bool = False
    value: Figure | None = None
    against: Literal["none", "optional", "required"] = "none"
    rounds: bool = True
    ruled: bool = True
    """Whether a ruling can begin it; a record with more to it only the rules make."""


class Turns(Protocol):
    """A ruleset's turn structure. The engine owns the loop (`app.engine.turns`), the ruleset every answer in it."""

    def may(self, table: "Table", sub: Submission, action: Action) -> Iterator[Reason]:
        """Whose moment it is, the budget, and the limits of a turn: the same whoever the action is aimed at."""

    def pay(self, scene: "Scene", sub: Submission, action: Action) -> None:
        """Take the price and note what was done."""

    def after(self, scene: "Scene", sub: Submission, action: Action) -> None:
        """What follows every action: counters, and a turn that ends by itself."""

    def start(self, scene: "Scene", surprised: tuple[CombatantId, ...]) -> None:
        """Initiative, before the first round."""

    def enter(self, scene: "Scene", newcomer: CombatantId) -> None:
        """Somebody joins a running fight."""

    def close(self, scene: "Scene", slot: Slot) -> None:
        """Duties and expiries at the end of a slot, in the book's order, and the event that ends it."""

    def between(self, scene: "Scene") -> None:
        """What is asked in the gap between two slots; may queue slots."""

    def next(self, scene: "Scene") -> Slot | None:
        """The next slot, from the state of now; turns rounds and passes over. None: look into the queue again."""

    def open(self, scene: "Scene", slot: Slot) -> bool:
        """Begin it. False: it passed by itself or something was pushed in front, look again."""

    def upcoming(self, table: "Table") -> tuple[Slot, ...]:
        """A forecast for the tracker, no promise."""


Handler = Callable[["Scene", Any], Iterator["Cue"]]
Questions = Mapping[str, Literal["combatant", "gm"]]
"""Every kind of question that a ruleset's code asks, and whom. A policy may speak of what a combatant is asked."""


class Clash(msgspec.Struct, frozen=True):
    """Two figures of one action that contradict each other: where in its parameters, as which word, with which
    figures.
    """

    at: tuple[str, ...]
    code: str
    got: str = ""
    need: str = ""


class Whole(msgspec.Struct, frozen=True):
    """What the parameters of an action are held against: its id, the types it can be taken as, and the document's
    tables and effects as plain data.
    """

    action: str
    types: frozenset[str]
    tables: Mapping[str, Any]
    effects: frozenset[str]


class Resolver(msgspec.Struct, frozen=True):
    """A rule in code: the shape of its parameters (a frozen Struct that forbids unknown fields), its check, its
    steps.
    """

    params: type[Any]
    check: Callable[["Table", Submission, Action], Iterator[Reason]]
    resolve: Callable[["Scene", Submission, Action], None]
    before: Callable[["Scene", Submission, Action], Submission | None] | None = None
    type_for: Callable[["Table", Submission, Action], str] | None = None
    becomes: Callable[["Table", Submission, Action], tuple[Submission, Action]] | None = None
    chance: Callable[["Table", Submission, Action], int | None] | None = None
    extent: Callable[["Table", Submission, Action], Length | None] | None = None
    clashes: Callable[[Any, Whole], Iterator[Clash]] | None = None
    """What in its parameters contradicts each other, or the rest of the document."""


@dataclass(frozen=True)
class RulesetCode:
    """What a ruleset's package exports as `CODE`: everything its data cannot say.

    `resolvers` by the name that `actions.yaml` uses; `weapon` the Struct that weapons are read into; `tags` every
    tag that the package's Python computes, so that data which asks for another one is an error at load;
    `param_options` names the options read by code.
    """

    resolvers: Mapping[str, Resolver]
    turns: "Turns"
    weapon: type[Any]
    tables: type[Any]
    tags: frozenset[str]
    handlers: Mapping[type[Moment], tuple[Handler, ...]]
    body_extra: Callable[[Combatant], Length]
    pools: Mapping[str, Callable[[Combatant], tuple[int, int | None]]]
    harm: Callable[[Combatant], tuple[int, int]]
    """How much harm a body carries, out of how much it bears: what a band such as `wounded` is made from."""
    prepare: Callable[["Ruleset", Combatant], Combatant]
    """Completes a newcomer: pools, budgets, marks of items, as the rules begin with them."""
    budgets: Mapping[str, Callable[["Table", CombatantId], int]]
    """What each budget refills to now, for showing."""
    fits: Callable[["Table", CombatantId, ItemId, Action], bool]
    """Whether an item is one that the action could be done with."""
    check_chance: Callable[[CheckRolled], int]
    """Chance in millionths of a test with that target number."""
    moments: frozenset[str] = frozenset()
    """Every moment that the package's Python counts (`turn_start`); an effect that waits for another one never ends."""
    stages: frozenset[str] = frozenset()
    """Every stage at which it collects modifiers."""
    questions: Questions = field(default_factory=dict)
    misfits: Callable[["Ruleset", Combatant], Iterator[Misfit]] = ordinary_misfits
    """What cannot be of a combatant's items: marks that they do not have, hands that are full."""
    vocabulary: Callable[[Any], Vocabulary] = no_words
    """Words in which space may be stated, from the tables as `tables` reads them. Hit locations come from the data."""
    add_effect: Callable[["Scene", CombatantId, str, int, CombatantId | None], None] | None = None
    add_for_rounds: Callable[["Scene", CombatantId, str, int, CombatantId | None, int], None] | None = None
    """Begins an effect on a ruling for so many rounds of its bearer, as the ruleset counts them."""
    end_effect: Callable[["Scene", CombatantId, Effect], None] | None = None
    """Ends an effect on a ruling, with whatever ends beside it."""
    leaving: Callable[["Scene", CombatantId], None] | None = None
    """What ends where somebody is about to leave the encounter."""
    set_status: Callable[["Scene", CombatantId, Status], None] | None = None
    """Carries out a ruling that somebody is up, down or dead, with whatever comes of it."""
    moved: Callable[["Scene", CombatantId], None] | None = None
    """What follows where a ruling or an edit has put somebody elsewhere."""
    least: Mapping[str, Callable[["Ruleset", Combatant], int]] = field(default_factory=dict)
    """The least that a resource can be, where that depends on whose it is."""
    turn_limit: Callable[["Table"], int | None] | None = None
    """Seconds that the turn under way may last before it is ended for whoever did nothing in it; None for ever."""
    set_pool: Callable[["Scene", CombatantId, str, int], None] | None = None
    """Makes a resource this value on a ruling, with whatever the rules do beside it."""
    chance_among: Callable[[CheckRolled, tuple[CheckRolled, ...]], int] | None = None
    """The same as `check_chance` where a test is opposed by another: among all the tests that were rolled with it."""
    sums_hold_others: bool = False
    """Whether what a test must reach can hold figures of whoever it is against."""
    open: frozenset[str] = frozenset()
    """Resolvers on which house rules may build actions: those that know an action by its parameters alone."""
    ends_turn: frozenset[str] = frozenset()
    """Actions by which a turn is ended: without them no fight goes on, so that they cannot be forbidden."""
    relied_on: frozenset[str] = frozenset()
    """What the code calls by its id (`weapons/unarmed`), beside every effect: it cannot be removed. An action never is:
    one that is forbidden stays, for the rules' own calls."""


@dataclass(frozen=True)
class Ruleset:
    """One ruleset, merged with its house rules, ready to be played. `pin` is the hash of the merged document."""

    id: str
    version: str
    pin: str
    unit: str
    metric: Metric
    actions: Mapping[str, Action]
    effects: Mapping[str, EffectKind]
    modifiers: Modifiers
    options: Mapping[str, Any]
    """Every house-rule option with the value in force for this document."""
    weapons: Mapping[str, Any]
    armour: Mapping[str, Mapping[str, int]]
    """Points of each piece by `location`, and by `location/type` against single types of damage."""
    tables: Any
    """The ruleset's tables, in the Struct that its code declares."""
    skills: Mapping[str, str]
    """Skill -> the characteristic it is tested on."""
    ranks: Mapping[str, int]
    """Rank of a skill -> what it is worth; the first is that of a skill nobody learned."""
    turns: Turns
    handlers: Mapping[type[Moment], tuple[Handler, ...]]
    kinds: Mapping[str, str]
    """Reason code -> common kind."""
    alone: frozenset[str]
    """Reason codes beside which nothing else can be judged."""
    to_fill_in: frozenset[str]
    """Reason codes that only say what a submission still lacks, beside `missing_input`."""
    general: Mapping[str, ClauseId]
    """Clause of each refusal the engine itself gives (`unknown_action`, `decision_pending`, ...)."""
    make_weapon: Callable[[str], Any]
    """Decodes and checks the JSON text of a weapon profile."""
    body_extra: Callable[[Combatant], Length]
    """How far a body reaches beyond an ordinary one."""
    pools: Mapping[str, Callable[[Combatant], tuple[int, int | None]]]
    """Resources to show: (value, maximum)."""
    harm: Callable[[Combatant], tuple[int, int]]
    """How much harm a body carries, out of how much it bears."""
    budgets: Mapping[str, Callable[["Table", CombatantId], int]]
    prepare: Callable[["Ruleset", Combatant], Combatant]
    fits: Callable[["Table", CombatantId, ItemId, Action], bool]
    check_chance: Callable[[CheckRolled], int]
    planned: Mapping[ActionId, ClauseId] = field(default_factory=dict)
    """Actions of the game that this version does not carry yet, with their clause; refused as `not_supported_yet`."""
    add_effect: Callable[["Scene", CombatantId, str, int, CombatantId | None], None] | None = None
    add_for_rounds: Callable[["Scene", CombatantId, str, int, CombatantId | None, int], None] | None = None
    """Begins an effect on a ruling, with whatever the ruleset's own rules do beside it."""
    set_pool: Callable[["Scene", CombatantId, str, int], None] | None = None
    """Makes a resource this value on a ruling, with whatever the ruleset's own rules do beside it."""
    chance_among: Callable[[CheckRolled, tuple[CheckRolled, ...]], int] | None = None
    sums_hold_others: bool = False
    end_effect: Callable[["Scene", CombatantId, Effect], None] | None = None
    """Ends an effect on a ruling, with whatever the ruleset's own rules end beside it."""
    leaving: Callable[["Scene", CombatantId], None] | None = None
    """What the ruleset's own rules end where somebody is about to leave the encounter."""
    set_status: Callable[["Scene", CombatantId, Status], None] | None = None
    """Carries out a ruling that somebody is up, down or dead, with whatever the ruleset's own rules do beside it."""
    moved: Callable[["Scene", CombatantId], None] | None = None
    """What the ruleset's own rules do once a ruling or an edit has put somebody elsewhere."""
    least: Mapping[str, Callable[["Ruleset", Combatant], int]] = field(default_factory=dict)
    """The least that a resource can be, where that depends on whose it is."""
    questions: Questions = field(default_factory=dict)
    own_misfits: Callable[["Ruleset", Combatant], Iterator[Misfit]] = ordinary_misfits
    turn_limit: Callable[["Table"], int | None] | None = None
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    document: Mapping[str, Any] = field(default_factory=dict)
    order: Mapping[str, int] = field(default_factory=dict)
    """Reason code -> its place among those of one clause, where the rules list them otherwise than by alphabet."""
    untrained: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Skill -> the characteristic, and what is added to it, that stand for the level of whoever never learned it."""

    def misfits(self, body: Combatant) -> Iterator[Misfit]:
        """Everything that cannot be of this combatant: marks, full hands, more of a resource than his sheet allows."""
        yield from self.own_misfits(self, body)
        yield from pools_within(body, self.pools)

    def can_fill_in(self, reason: Reason) -> bool:
        """Whether that only says what a submission still lacks."""
        return reason.to_fill_in or reason.code in self.to_fill_in

    def chance(self, rolled: CheckRolled, among: tuple[CheckRolled, ...]) -> int:
        """Chance in millionths of a test, opposed by whichever of the tests that were rolled with it."""
        return self.check_chance(rolled) if self.chance_among is None else self.chance_among(rolled, among)

    @property
    def compares_dice(self) -> bool:
        """Whether the chance of a test against somebody can be over his dice too, and not the roller's target alone."""
        return self.chance_among is not None

    def reason(self, code: str, clause: str | None = None, **figures: Any) -> Reason:
        """A reason with its kind, under the clause given or the general one of its code."""
        found = clause or self.general.get(code)
        if found is None:
            raise LookupError(f"no clause is known for the reason {code}")
        return Reason(code, ClauseId(found), self.kinds.get(code, KINDS[5]), **figures)

    def why_forbidden(self, named: object, at: str) -> Iterator[Reason]:
        """Why nobody may take the action of that id, if house rules forbid it; nothing for a word that is no action."""
        action = self.actions.get(ActionId(named)) if isinstance(named, str) else None
        if action is not None and action.forbidden:
            yield self.reason("forbidden_by_house_rules", action.clauses[0], at=at, names=(action.id,))


def bound(chain: Chain, bearer: CombatantId, source: CombatantId | None, against: CombatantId | None) -> Chain:
    """A chain of an effect kind with `bearer`, `source` and `against` replaced by who they are."""
    if not chain:
        return chain
    who = {"bearer": bearer, "source": source, "against": against}
    return tuple(
        replace(tick, who=who.get(tick.who or "", tick.who), against=who.get(tick.against or "", tick.against))
        for tick in chain
    )
