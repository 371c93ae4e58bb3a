"""What a table may ask of the engine. Commands are imperative; what comes of them are events."""

from typing import Any, Literal

import msgspec

from app.engine.ids import ActionId, CombatantId, EffectId, ItemId, Scalar
from app.engine.space.model import Area, Cover, Ground, PairFact, Place, Point, Said
from app.engine.state import Combatant, Item, Shown, Status


class GivenModifier(msgspec.Struct, frozen=True, omit_defaults=True):
    """A situational modifier brought along: a known id, or `gm` with a value of its own and a reason."""

    id: str
    value: int | None = None
    reason: str | None = None


class Submission(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a combatant tries: the same shape in every ruleset.

    `type` is the way an action is taken where it has several (`half`, `full`). `path` and `destination` are points
    of the map; `said` is what is stated instead of measured. `rolls` are dice brought along, by name of the roll
    (`to_hit`).
    """

    actor: CombatantId
    action: ActionId
    type: str | None = None
    targets: tuple[CombatantId, ...] = ()
    weapon: ItemId | None = None
    second_weapon: ItemId | None = None
    path: tuple[Point, ...] = ()
    facing: int | None = None
    area: Area | None = None
    location: str | None = None
    options: dict[str, Any] = {}
    modifiers: tuple[GivenModifier, ...] = ()
    said: Said = Said()
    rolls: dict[str, tuple[int, ...]] = {}
    note: str | None = None
    secret: bool = False
    """Whether the actor's rolls are for the GM alone."""

    @property
    def target(self) -> CombatantId | None:
        """The first target, where an action has one."""
        return self.targets[0] if self.targets else None


class Start(msgspec.Struct, frozen=True, omit_defaults=True, tag="start"):
    """Begin the fight: initiative, first round, first turn. `surprised` names who is caught unawares."""

    surprised: tuple[CombatantId, ...] = ()


class Finish(msgspec.Struct, frozen=True, omit_defaults=True, tag="finish"):
    """End the fight."""

    why: str | None = None


class Act(msgspec.Struct, frozen=True, omit_defaults=True, tag="act"):
    """Take an action. What is only `proposed` waits for the GM's yes first."""

    submission: Submission
    proposed: bool = False


class Join(msgspec.Struct, frozen=True, tag="join"):
    """Combatants enter, before the start or in the middle of the fight."""

    combatants: tuple[Combatant, ...]


class Leave(msgspec.Struct, frozen=True, tag="leave"):
    """Combatants are taken out of the encounter."""

    combatants: tuple[CombatantId, ...]


class Edit(msgspec.Struct, frozen=True, tag="edit"):
    """The GM replaces a combatant's own data; `fields` names what changed."""

    body: Combatant
    fields: tuple[str, ...]


class Setup(msgspec.Struct, frozen=True, omit_defaults=True, tag="setup"):
    """Change how the encounter is played: options and dice before the start, ground and secrets at any time."""

    options: dict[str, Scalar | tuple[str, ...]] = {}
    dice: Literal["server", "client"] | None = None
    ground: Ground | None = None
    values: dict[str, Shown] | None = None
    secret_rolls: Literal["told", "silent"] | None = None


class SetPool(msgspec.Struct, frozen=True, tag="set_pool"):
    """A resource becomes this value."""

    combatant: CombatantId
    pool: str
    value: int


class SetBudget(msgspec.Struct, frozen=True, tag="set_budget"):
    """What is left of an action, reaction or point budget becomes this value."""

    combatant: CombatantId
    budget: str
    value: int


class AddEffect(msgspec.Struct, frozen=True, omit_defaults=True, tag="add_effect"):
    """A condition of the ruleset begins, with its usual end or for some rounds of its bearer."""

    combatant: CombatantId
    kind: str
    value: int = 0
    rounds: int | None = None
    against: CombatantId | None = None


class RemoveEffect(msgspec.Struct, frozen=True, tag="remove_effect"):
    """An effect ends: one by its id, or all of a kind."""

    combatant: CombatantId
    effect: EffectId


class Reposition(msgspec.Struct, frozen=True, tag="reposition"):
    """A combatant is put somewhere else; nothing is provoked."""

    combatant: CombatantId
    place: Place


class SetStatus(msgspec.Struct, frozen=True, tag="set_status"):
    """A combatant is declared up, down or dead."""

    combatant: CombatantId
    status: Status


class SetCover(msgspec.Struct, frozen=True, tag="set_cover"):
    """What a combatant stands behind; None for nothing."""

    combatant: CombatantId
    cover: Cover | None


class SetItem(msgspec.Struct, frozen=True, tag="set_item"):
    """An item is given, changed, or taken away (None)."""

    combatant: CombatantId
    item: ItemId
    body: Item | None


class SetEngaged(msgspec.Struct, frozen=True, tag="set_engaged"):
    """Two combatants are, or are not, locked in melee."""

    combatant: CombatantId
    other: CombatantId
    engaged: bool


class SetFact(msgspec.Struct, frozen=True, tag="set_fact"):
    """Without a map: how two combatants stand to each other."""

    combatant: CombatantId
    other: CombatantId
    fact: PairFact


Change = (
    SetPool | SetBudget | AddEffect | RemoveEffect | Reposition | SetStatus | SetCover | SetItem | SetEngaged | SetFact
)


class Rule(msgspec.Struct, frozen=True, tag="rule"):
    """The GM overrules the game, with a reason."""

    reason: str
    changes: tuple[Change, ...]


Command = Start | Finish | Act | Join | Leave | Edit | Setup | Rule
