"""The shape of this ruleset's tables; their rows stand in `tables/*.yaml`, where house rules can reach them."""

from typing import Literal

import msgspec

from app.engine.ids import Length
from app.engine.names import AtLeastOne, LocationName, StatName


class Multipliers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Metres for each point of the Agility bonus. Clause: WH-080."""

    half: Length
    full: Length
    charge: Length
    run: Length
    disengage: Length
    crawl: Length


class Accurate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bonus die for so many successes after the first, and how many at most. Clause: WH-990."""

    step: AtLeastOne
    most: int


class Bleeding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody who bleeds loses at the start of his turn, and where. Clause: WH-940."""

    amount: int
    location: LocationName


class Spray(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Full width of the cone, and what keeps one out of it. Clause: WH-980."""

    arc: int
    check: StatName


class Scatter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a blast that misses goes, where a table plays it so: a direction of so many, and so far for each Failure.

    Clause: WH-980.
    """

    directions: int
    per_failure: Length


class Core(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of the core that no single action owns."""

    move_multipliers: Multipliers
    agility_at_0: Length
    leg_disabled_divisor: AtLeastOne
    forbidden_types: dict[str, tuple[str, ...]]
    joint_divisor: AtLeastOne
    pistols: tuple[str, ...]
    outnumbering: tuple[int, int]
    accurate: Accurate
    bonus_die: int
    extreme_die: int
    extreme_minimum: int
    bleeding: Bleeding
    spray: Spray
    scatter: Scatter
    area_location: LocationName
    lacking_location: LocationName
    located_hits: int
    death_at: int


class LocationRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The location up to this figure of the reversed die. Clause: WH-260."""

    upto: int
    location: LocationName


class BandRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A band up to a length, or up to so many per cent of the range; `edge` tells whether the bound belongs to it.

    Clause: WH-510.
    """

    band: str
    edge: bool
    metres: Length | None = None
    percent: int | None = None


class EngagementRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How near weapons up to this reach bring two into melee. Clause: WH-090."""

    reach: int
    metres: Length


class CriticalStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing a row does; `rounds` 0 lasts until it is treated."""

    do: Literal["fatigue", "effect", "drop", "unconscious", "die"]
    amount: int = 1
    effect: str = ""
    rounds: int = 0


class CriticalRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"everywhere": "all"}):
    """What a total of critical damage does to the part hit; `as_row` does that row first. Clause: WH-920."""

    value: int
    as_row: int | None = None
    damage_type: Literal["energy", "explosive", "impact", "rending"] | None = None
    everywhere: tuple[CriticalStep, ...] = ()
    head: tuple[CriticalStep, ...] = ()
    arm: tuple[CriticalStep, ...] = ()
    torso: tuple[CriticalStep, ...] = ()
    leg: tuple[CriticalStep, ...] = ()

    def own_steps(self, part: str) -> tuple[CriticalStep, ...]:
        """What this row itself does to that part."""
        found: tuple[CriticalStep, ...] = getattr(self, part, ())
        return (*found, *self.everywhere)


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of them; each field is a file."""

    core: Core
    hit_locations: tuple[LocationRow, ...]
    range_bands: tuple[BandRow, ...]
    engagement: tuple[EngagementRow, ...]
    armour_views: dict[str, int]
    criticals: tuple[CriticalRow, ...]
