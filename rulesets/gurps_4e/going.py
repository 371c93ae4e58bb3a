"""The movement that a submission asks for: how far, when, which way, and what becomes of stated distances.

Clauses GU-430, GU-450, GU-490, GU-530, GU-1020.
"""

from collections.abc import Mapping
from typing import Literal

import msgspec

from app.engine.blocks.distances import OwnDistance
from app.engine.commands import Submission
from app.engine.ids import ActionId, CombatantId, ItemId, Length
from app.engine.names import ClauseName, ReasonName
from app.engine.rules import Action
from app.engine.space.model import Fact, Run, Unknown
from app.engine.table import Table
from rulesets.gurps_4e.figures import YARD

Extent = Literal["none", "step", "half", "full"]
BEFORE, AFTER = "before", "after"


class MovementParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a maneuver lets one go and by which clause; `forward` and `split` as All-Out Attack and Move and
    Attack have it.

    `split` is the reason where the rest of the maneuver comes in the midst of the way.
    """

    extent: Extent = "none"
    clause: ClauseName = "GU-460"
    split: ReasonName = "step_split"
    split_clause: ClauseName = "GU-430"
    forward: bool = False
    last: bool = False
    """Whether the rest comes at the end of the way only."""
    beyond: OwnDistance = 0
    """Yards more than the extent gives, and how many there are at most."""
    most: OwnDistance | None = None


class Going(msgspec.Struct, frozen=True):
    """The movement a submission asks for. `at` is how far along it the rest of the maneuver comes, `facing` where he
    looks afterwards, `rise` whether he rises instead, `ends` what is known without a map of where the way ends.

    Without a map `ahead` says that the way leads straight ahead, and `arc` from which side he comes at whom he evades.
    """

    who: CombatantId
    action: ActionId
    params: MovementParams
    run: Run | None = None
    at: Length = 0
    facing: int | None = None
    rise: str = ""
    sprint: bool = False
    toward: CombatantId | None = None
    away: CombatantId | None = None
    ahead: bool = False
    arc: str | None = None
    met: Mapping[CombatantId, Length | None] = msgspec.field(default_factory=dict)
    """Without a map: who was stated to be in the way, and how far he gets before him; None where nobody knows."""
    start: Mapping[CombatantId, Length] = msgspec.field(default_factory=dict)
    ends: Mapping[CombatantId, Length] = msgspec.field(default_factory=dict)
    drop: ItemId | None = None
    drop_at: Length = 0
    turns_later: bool = False
    """Whether somebody who only turns does so after the rest of the maneuver."""
    rider: CombatantId | None = None
    """Who controls the mount that goes, and drops what is dropped."""

    @property
    def owner(self) -> CombatantId:
        """Whose maneuver it is."""
        return self.rider or self.who

    @property
    def length(self) -> Length:
        """Length of the way in hundredths of a yard."""
        return 0 if self.run is None else self.run.length

    @property
    def moves(self) -> bool:
        """Whether he goes anywhere, turns or rises."""
        return self.length > 0 or self.facing is not None or bool(self.rise)

    @property
    def comes_first(self) -> bool:
        """Whether the movement comes before the rest of the maneuver."""
        return self.at >= self.length and not self.turns_later

    @property
    def drops_first(self) -> bool:
        """Whether he drops something before the rest of the maneuver, or just as it comes."""
        return self.drop is not None and self.drop_at <= self.at


def going_of(
    table: Table,
    sub: Submission,
    action: Action | ActionId,
    params: MovementParams,
    rider: CombatantId | None = None,
) -> Going:
    """The movement of a submission, without judging it. Clauses: GU-430, GU-450, GU-490."""
    options, who = sub.options, sub.actor
    found = table.space.run(who, sub.path) if (sub.path or not table.has_map) else None
    run = None if found is None or isinstance(found, Unknown) else found
    length = 0 if run is None else run.length
    at = options.get("act_at")
    toward, away = _named(options.get("toward")), _named(options.get("away_from"))
    start = _distances_now(table, who, rider, (toward, away))
    ends = _distances_then(table, sub, start, toward, length)
    return Going(
        who,
        action if isinstance(action, str) else action.id,
        params,
        run,
        at=length if at is None else int(at),
        facing=sub.facing,
        rise=str(options.get("rise") or ""),
        sprint=options.get("sprint") is True,
        toward=toward,
        away=away,
        ahead=options.get("ahead") is True,
        arc=_word(options.get("evade_arc")),
        met={} if run is None else _met(table, run, rider),
        start=start,
        ends=ends,
        drop=None if options.get("drop") is None else ItemId(str(options["drop"])),
        drop_at=int(options.get("drop_at") or 0),
        turns_later=at == 0 and length == 0,
        rider=rider,
    )


def _named(value: object) -> CombatantId | None:
    return CombatantId(value) if isinstance(value, str) else None


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def distance_from(table: Table, who: CombatantId, other: CombatantId, rider: CombatantId | None = None) -> Fact[Length]:
    """How far somebody is from another; where it was only stated of who rides him, as far as that. Clause: GU-1020."""
    far = table.space.distance(who, other)
    return table.space.distance(rider, other) if isinstance(far, Unknown) and rider is not None else far


def _distances_now(
    table: Table, who: CombatantId, rider: CombatantId | None, named: tuple[CombatantId | None, ...]
) -> dict[CombatantId, Length]:
    """Without a map: how far those are whom he goes to or from. Clause: GU-490."""
    found: dict[CombatantId, Length] = {}
    for other in named:
        if other is None or table.has_map or not table.known(other):
            continue
        far = distance_from(table, who, other, rider)
        if not isinstance(far, Unknown):
            found[other] = far
    return found


def _distances_then(
    table: Table,
    sub: Submission,
    start: Mapping[CombatantId, Length],
    toward: CombatantId | None,
    length: Length,
) -> dict[CombatantId, Length]:
    """Without a map: how far whoever is named is where the way ends; nothing is known of the others. Clause: GU-490."""
    if table.has_map or not length:
        return {}
    ends = {other: abs(far - length) if other == toward else far + length for other, far in start.items()}
    ends.update({CombatantId(other): far for other, far in (sub.said.distance_after or {}).items()})
    return ends


def _met(table: Table, run: Run, rider: CombatantId | None) -> dict[CombatantId, Length | None]:
    """Without a map: whoever was stated to be in the way, and how far one gets before him. Clauses: GU-470, GU-490."""
    if table.has_map:
        return {}
    stated, found = table.space.met(run), dict[CombatantId, Length | None]()
    for at, who in () if isinstance(stated, Unknown) else stated:
        other = CombatantId(who)
        far = distance_from(table, CombatantId(run.actor), other, rider)
        if table.said.units_free is not None:
            found[other] = at
        else:
            found[other] = None if isinstance(far, Unknown) else max(0, far - YARD)
    return found


def known_at(going: Going, at: Length) -> dict[CombatantId, Length]:
    """Without a map: what is known of distances at a point of the way. Clause: GU-490."""
    if at >= going.length:
        return dict(going.ends)
    return {other: abs(far - at) if other == going.toward else far + at for other, far in going.start.items()}
