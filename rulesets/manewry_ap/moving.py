"""Ways of moving: run, walk, sneak, crawl, and the sprint with its pattern; what they cost and what stops them.

Clauses MA-490, MA-540, MA-600 to MA-650, MA-750.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from app.engine.blocks.walk import Walk, go
from app.engine.commands import Submission
from app.engine.ids import ActionId, ClauseId, CombatantId, Length
from app.engine.names import ClauseName
from app.engine.reasons import Reason
from app.engine.rules import Action
from app.engine.scene import Scene
from app.engine.space.model import Run, Unknown
from app.engine.table import Table
from rulesets.manewry_ap.figures import EP, UNIT, ap_left, is_conscious, is_fatigued, is_on_the_ground, tables_of
from rulesets.manewry_ap.hiding import met, reveal
from rulesets.manewry_ap.reach import distances_after, unseen_by, way_space

MOST_UNITS = 1000
"""Farther nobody looks: where the table lets a unit cost nothing, no way is too long."""
SPRINT: Literal["sprint"] = "sprint"


class MoveParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One way of moving: AP for each unit, or the pattern of a sprint; who can and what it makes of him.

    `runs` is running, which the fatigued cannot; `stands` needs him on his feet; `hides` is the way of those who hide;
    `lies` leaves him lying.
    """

    clause: ClauseName
    per_unit: int = 0
    pattern: Literal["sprint"] | None = None
    runs: bool = False
    stands: bool = True
    hides: bool = False
    lies: bool = False


class Price(msgspec.Struct, frozen=True):
    """What a movement costs."""

    ap: int
    ep: int = 0


class Going(msgspec.Struct, frozen=True):
    """The movement of a submission. `run` is None where nobody knows how long it is."""

    who: CombatantId
    run: Run | None

    @property
    def length(self) -> Length:
        """Its length in hundredths of a unit."""
        return 0 if self.run is None else self.run.length

    @property
    def units(self) -> int:
        """Whole units; a part counts as one. Clause: MA-600."""
        return -(-self.length // UNIT)


def going_of(table: Table, sub: Submission, *, whole: bool = False) -> Going:
    """The way that was drawn or stated. Clauses: MA-080, MA-600."""
    if table.has_map and not sub.path:
        return Going(sub.actor, None)
    run = way_space(table, sub.actor, whole=whole).run(sub.actor, sub.path)
    return Going(sub.actor, None if isinstance(run, Unknown) else run)


# Price


def sprint_units(table: Table, units: int) -> int:
    """How many units of a sprint are sprinted: always an even number of them. Clause: MA-610."""
    return units - 2 if units % 2 == 0 else units - 3


def price_of(table: Table, params: MoveParams, units: int, gone: int | None = None) -> Price | None:
    """What so many units cost, or the first `gone` of them; None for a sprint that is none.

    Half an AP of a sprint that was cut short counts whole. Clauses: MA-600 to MA-650.
    """
    done = units if gone is None else gone
    if params.pattern is None:
        return Price(done * params.per_unit)
    sprint = tables_of(table).core.sprint
    if units < sprint.least:
        return None
    sprinted = min(max(done - 1, 0), sprint_units(table, units))
    per_ap = sprint.units_per_ap
    return Price((done - sprinted) * params.per_unit + -(-sprinted // per_ap), sprinted * sprint.ep)


def least_units(table: Table, params: MoveParams) -> int:
    """The shortest way that can be gone so. Clause: MA-610."""
    return 1 if params.pattern is None else tables_of(table).core.sprint.least


def most_units(table: Table, params: MoveParams, who: CombatantId) -> int:
    """The longest way that he can pay for now. Clauses: MA-600 to MA-615."""
    ap, ep = ap_left(table, who), table.who(who).pools.get(EP, 0)
    units = least_units(table, params)
    if not _is_paid(price_of(table, params, units), ap, ep):
        return 0
    while _is_paid(price_of(table, params, units + 1), ap, ep) and units < MOST_UNITS:
        units += 1
    return units


def _is_paid(price: Price | None, ap: int, ep: int) -> bool:
    return price is not None and price.ap <= ap and price.ep <= ep


# Reasons


def why_not_move(table: Table, sub: Submission, action: Action) -> Iterator[Reason]:
    """Every reason against going there that way, but for the AP. Clauses: MA-080, MA-490, MA-600 to MA-650."""
    params: MoveParams = action.params
    reason, who = table.rules.reason, sub.actor
    going = going_of(table, sub)
    if params.stands and is_on_the_ground(table, who):
        yield reason("must_stand")
    if params.runs and is_fatigued(table, who):
        yield reason("fatigued_cannot_run")
    at = "/path" if table.has_map else "/said/length"
    if going.run is None or not going.length:
        yield reason("missing_input", at=at)
        if params.pattern is not None:
            yield from _why_no_sprint(table, params, least_units(table, params), who, at)
        return
    if going.length % UNIT:
        yield reason("whole_units_only", at=at, need_length=UNIT, got_length=going.length)
    yield from _why_blocked(table, going, at)
    if params.pattern is not None:
        yield from _why_no_sprint(table, params, going.units, who, at)


def _why_blocked(table: Table, going: Going, at: str) -> Iterator[Reason]:
    """Walls, and those on their feet whom he sees. Clause: MA-600."""
    run, space = going.run, way_space(table, going.who)
    assert run is not None
    in_the_way = space.met(run)
    free = space.ends_free(run) if table.has_map else True
    blocked = run.blocked_at
    if not isinstance(in_the_way, Unknown) and in_the_way:
        blocked = min(in_the_way[0][0], run.length if blocked is None else blocked)
    if blocked is not None or free is False:
        yield table.rules.reason("path_blocked", at=at, got_length=blocked)


def _why_no_sprint(table: Table, params: MoveParams, units: int, who: CombatantId, at: str) -> Iterator[Reason]:
    """Long enough, and all the stamina there before the start. Clauses: MA-610, MA-615."""
    reason, price = table.rules.reason, price_of(table, params, units)
    if price is None:
        yield reason("sprint_too_short", at=at, need=least_units(table, params), got=units)
    elif price.ep > (left := table.who(who).pools.get(EP, 0)):
        yield reason("not_enough_ep", need=price.ep, got=left)


# Going


class Stop(msgspec.Struct, frozen=True):
    """How far one gets, and whom unseen one runs into there."""

    at: Length
    met: tuple[CombatantId, ...] = ()


def stop_of(table: Table, who: CombatantId, run: Run) -> Stop:
    """The whole way, or up to the first in it of whom he did not know. Clauses: MA-540, MA-600."""
    unseen = unseen_by(table, who)
    found = way_space(table, who, whole=True).met(run)
    if isinstance(found, Unknown):
        return Stop(run.walked)
    hidden = [(at, CombatantId(one)) for at, one in found if CombatantId(one) in unseen]
    if not hidden:
        return Stop(run.walked)
    first = hidden[0][0]
    return Stop(first // UNIT * UNIT, tuple(one for at, one in hidden if at == first))


def advance_along(scene: Scene, who: CombatantId, run: Run, stop: Stop, action: ActionId, clause: str) -> None:
    """Go as far as one gets; who was run into is hidden no more. Clauses: MA-600, MA-830."""
    if stop.at:
        distances = distances_after(scene) if stop.at == run.walked else {}
        if run.target is not None and stop.at == run.walked:
            distances[CombatantId(run.target)] = UNIT
        go(
            scene,
            Walk(
                who,
                run,
                action,
                ClauseId(clause),
                lambda: is_conscious(scene, who),
                distances=distances,
                until=stop.at,
            ),
        )
    for one in stop.met:
        met(scene, one)


def moves_openly(scene: Scene, who: CombatantId) -> None:
    """Whoever moves in any way but sneaking is hidden no more. Clause: MA-750."""
    reveal(scene, who, "moved", "MA-750")
