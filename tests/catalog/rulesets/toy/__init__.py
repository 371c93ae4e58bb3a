"""A ruleset just big enough to hold one of everything the catalog reads. Its rules do nothing."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from app.engine.commands import Submission
from app.engine.events import CheckRolled
from app.engine.ids import CombatantId, ItemId, Length
from app.engine.names import ClauseName, DiceText, EffectName
from app.engine.reasons import Reason
from app.engine.rules import Action, Resolver, Ruleset, RulesetCode
from app.engine.scene import Scene
from app.engine.state import Combatant, Slot
from app.engine.table import Table


class Begin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="begin"):
    """Begin an effect."""

    effect: EffectName


class Push(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="push"):
    """Push the target."""

    by: Length


class StrikeParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of a blow."""

    to_hit: int
    reach: Length
    harm: DiceText = "1d6"
    cites: dict[str, ClauseName] = {}
    after: dict[str, Begin | Push] = {}
    cap: int | Literal["none"] = "none"


class StepParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of a walk."""

    steps: tuple[Length, ...] = ()


class Weapon(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"class_": "class"}):
    """A weapon."""

    class_: Literal["melee", "ranged"]
    harm: DiceText
    range: Length | None = None
    qualities: dict[str, int | bool] = {}


class SpeedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far one gets."""

    might: int
    pace: Length


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All tables."""

    speed: tuple[SpeedRow, ...]


class NoTurns:
    """Turns of a game that nobody plays."""

    def may(self, table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
        yield from ()

    def pay(self, scene: Scene, sub: Submission, action: Action) -> None: ...
    def after(self, scene: Scene, sub: Submission, action: Action) -> None: ...
    def start(self, scene: Scene, surprised: tuple[CombatantId, ...]) -> None: ...
    def enter(self, scene: Scene, newcomer: CombatantId) -> None: ...
    def close(self, scene: Scene, slot: Slot) -> None: ...
    def between(self, scene: Scene) -> None: ...

    def next(self, scene: Scene) -> Slot | None:
        return None

    def open(self, scene: Scene, slot: Slot) -> bool:
        return True

    def upcoming(self, table: Table) -> tuple[Slot, ...]:
        return ()


def check(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    yield from ()


def resolve(scene: Scene, sub: Submission, action: Action) -> None: ...


def prepare(rules: Ruleset, body: Combatant) -> Combatant:
    return body


def pool(body: Combatant) -> tuple[int, int | None]:
    return 0, body.sheet.stats["life"]


def budget(table: Table, who: CombatantId) -> int:
    return 2


def body_extra(body: Combatant) -> Length:
    return 0


def harm(body: Combatant) -> tuple[int, int]:
    return body.pools.get("hurt", 0), 10


def fits(table: Table, who: CombatantId, item: ItemId, action: Action) -> bool:
    return True


def check_chance(rolled: CheckRolled) -> int:
    return 500_000


CODE = RulesetCode(
    resolvers={
        "strike": Resolver(StrikeParams, check, resolve),
        "step": Resolver(StepParams, check, resolve),
    },
    turns=NoTurns(),
    weapon=Weapon,
    tables=Tables,
    tags=frozenset({"melee", "ranged", "range.short"}),
    handlers={},
    body_extra=body_extra,
    pools={"hurt": pool},
    harm=harm,
    prepare=prepare,
    budgets={"point": budget},
    fits=fits,
    check_chance=check_chance,
    moments=frozenset({"turn_start", "turn_end"}),
    stages=frozenset({"hit", "harm"}),
)
