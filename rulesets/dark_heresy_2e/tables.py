"""The shape of this ruleset's tables; their rows stand in `tables/*.yaml`, where house rules can reach them."""

from typing import Literal

import msgspec

from app.engine.ids import Length
from app.engine.names import AtLeastOne, DiceText, LocationName, StatName


class Jams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The die from which a weapon jams, by what it is or does. Clause: DH-5390."""

    single: int
    burst: int
    reliable: int
    unreliable: int


class TwinLinked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Twice the rounds, and more hits from so many degrees on. Clause: DH-5490."""

    rounds: int
    hits: int
    from_degrees: int


class Storm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times the rounds and times the hits. Clause: DH-5490."""

    rounds: int
    hits: int


class Accurate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A damage die for so many degrees after the first, and how many at most. Clause: DH-5495."""

    step: AtLeastOne
    most: int


class Blast(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a blast that misses strays, and the die that gives one of so many directions, clockwise from north.

    Clause: DH-5480.
    """

    scatter: DiceText
    direction: DiceText
    directions: AtLeastOne


class Spray(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Full width of the cone, what keeps one out of it, where it strikes, and the damage die on which it jams.

    Clause: DH-5480.
    """

    arc: int
    check: StatName
    location: LocationName
    jams_on: int


class Core(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of the core that no single action owns."""

    modifier_cap: int
    half_actions: int
    half_actions_pinned: int
    reactions: int
    initiative: str
    minion_dies_at: int
    fear: tuple[int, ...]
    jams: Jams
    spread: Length
    second_target: Length
    twin_linked: TwinLinked
    storm: Storm
    accurate: Accurate
    blast: Blast
    spray: Spray


class MovementRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Distances by movement value. Clause: DH-5120."""

    mv: int
    half: Length
    full: Length
    charge: Length
    run: Length


class LocationRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The location up to this figure of the reversed die. Clause: DH-5210."""

    upto: int
    location: str


class MultipleRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the hits after the first land; the last entry repeats. Clause: DH-5220."""

    first: str
    later: tuple[str, ...]


class RangeRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A band up to so many per cent of the range; `edge` tells whether the bound itself belongs to it.

    Clause: DH-5140.
    """

    band: str
    percent: int
    edge: bool


class SizeRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a body's size changes the test to hit it. Clause: DH-5150."""

    size: int
    name: str
    to_hit: int


class DifficultyRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named difficulty. Clause: DH-2020."""

    name: str
    value: int


class CoverRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Armour points of a common cover. Clause: DH-5160."""

    material: str
    points: int


class CriticalStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing a critical effect does. `amount` is dice text; `lasts` next_turn, else for the encounter."""

    do: Literal["fatigue", "stun", "effect", "drop_held", "die"]
    amount: str = "1"
    effect: str | None = None
    lasts: Literal["next_turn", "encounter"] = "encounter"


class CriticalRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"everywhere": "all"}):
    """What a total of critical damage does: everywhere, and to the part hit besides. Clause: DH-5520."""

    value: int
    everywhere: tuple[CriticalStep, ...] = ()
    head: tuple[CriticalStep, ...] = ()
    body: tuple[CriticalStep, ...] = ()
    arm: tuple[CriticalStep, ...] = ()
    leg: tuple[CriticalStep, ...] = ()

    def steps(self, part: str) -> tuple[CriticalStep, ...]:
        """What happens to somebody hit there: the part's own step takes the place of the same step for all."""
        own: tuple[CriticalStep, ...] = getattr(self, part, ())
        replaced = {(step.do, step.effect) for step in own}
        return (*(step for step in self.everywhere if (step.do, step.effect) not in replaced), *own)


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of them; each field is a file."""

    core: Core
    movement: tuple[MovementRow, ...]
    hit_locations: tuple[LocationRow, ...]
    multiple_hits: tuple[MultipleRow, ...]
    ranges: tuple[RangeRow, ...]
    sizes: tuple[SizeRow, ...]
    difficulty: tuple[DifficultyRow, ...]
    criticals: tuple[CriticalRow, ...]
    cover: tuple[CoverRow, ...]
