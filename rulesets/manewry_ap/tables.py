"""The shape of this ruleset's tables; their rows stand in `tables/*.yaml`, where house rules can reach them."""

from typing import Annotated, Literal

import msgspec

from app.engine.names import AtLeastOne, StatName

AttackKind = Literal["melee", "shot", "throw"]
Figure = Annotated[int, msgspec.Meta(ge=0, le=1_000)]
Modifier = Annotated[int, msgspec.Meta(ge=-1_000, le=1_000)]
Some = Annotated[int, msgspec.Meta(ge=1, le=1_000)]


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Root of all rows."""


class Share(_Row, frozen=True):
    """A share of a figure. Clauses: MA-170, MA-230, MA-520."""

    numerator: Figure
    denominator: AtLeastOne


class Pools(_Row, frozen=True):
    """What pools hold where a sheet does not say it: `ep` and `hp` with Endurance added. Clauses: MA-020, MA-030."""

    ap: Some
    ep: Figure
    hp: Figure


class Heavy(_Row, frozen=True):
    """What a heavy weapon adds. Clause: MA-520."""

    ap: Figure
    share: Share


class Charge(_Row, frozen=True):
    """What each unit of a charge costs, and adds to the damage. Clauses: MA-540, MA-550."""

    ap: Figure
    damage: Modifier


class Sprint(_Row, frozen=True):
    """The least units of a sprint, those that cost 1 AP together, and stamina for each. Clause: MA-610."""

    least: Figure
    units_per_ap: AtLeastOne
    ep: Figure


class Core(_Row, frozen=True):
    """Figures that no single action owns."""

    pools: Pools
    melee_share: Share
    heavy: Heavy
    double_ap: Figure
    leap_ap: Figure
    charge: Charge
    sprint: Sprint
    grab_size_percent: Figure
    drop_units: Figure
    rest_fatigue: Figure


class DefenceRow(_Row, frozen=True):
    """One defence: table 1.3. `adds` is what is added to the characteristic, and what of it the defender needs."""

    id: Literal["dodge", "block", "cover", "parry"]
    stat: StatName | None
    adds: Literal["nothing", "shield_block", "cover", "weapon_parry"]
    against: tuple[AttackKind, ...]


class ObjectRow(_Row, frozen=True):
    """Something to take cover behind. Table 1.3."""

    id: str
    cover: Figure


class Tables(_Row, frozen=True):
    """All of them; each field is a file."""

    core: Core
    defences: tuple[DefenceRow, ...]
    objects: tuple[ObjectRow, ...]
