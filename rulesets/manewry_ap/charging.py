"""The line of a charge: who is met on it first, and how far one runs. Clauses MA-080, MA-540, MA-600, MA-620."""

from collections.abc import Iterator

import msgspec

from app.engine.commands import Submission
from app.engine.ids import CombatantId, Length
from app.engine.reasons import Reason
from app.engine.space.model import Point, Run, Unknown
from app.engine.table import Table
from rulesets.manewry_ap.figures import UNIT, is_fatigued
from rulesets.manewry_ap.reach import are_foes, distance, knows_of, unseen_by, way_space

PATH, TARGET = "/path", "/targets/0"


class Charge(msgspec.Struct, frozen=True):
    """A charge as far as it can be told. `met` is the first enemy on its line, `ends` where it stops on a map.

    `straight` is False for a line that is none, `other` the enemy who is met before the one who was named.
    """

    units: int = 0
    met: CombatantId | None = None
    run: Run | None = None
    straight: bool = True
    whole: bool = True
    other: bool = False
    free: Length | None = None
    """Without a map: how much free space was stated."""
    missing: str | None = None
    """What was not stated."""

    @property
    def can_be_priced(self) -> bool:
        """Whether it is known how far it goes, or at least that it goes one unit. Clause: MA-095."""
        somebody = self.met is not None or self.missing is not None
        return self.straight and self.whole and not self.other and somebody


def charge_of(table: Table, sub: Submission, *, whole: bool = False) -> Charge:
    """The charge of a submission: at the enemy named, or along the direction of the path. Clauses: MA-080, MA-540.

    With `whole` an enemy whom he does not see counts like any other.
    """
    return _on_the_map(table, sub, whole) if table.has_map else _as_stated(table, sub)


def _on_the_map(table: Table, sub: Submission, whole: bool) -> Charge:
    who, target = sub.actor, sub.target
    place = table.who(who).place
    there = table.who(target).place if target is not None and knows_of(table, who, target) else None
    if place is None or (not sub.path and there is None):
        return Charge(1, missing=None if target is not None else PATH)
    goal = sub.path[-1] if sub.path else there.point if there is not None else place.point
    step = _step(place.point, goal)
    if step is None or any(not _is_on_line(place.point, step, point) for point in sub.path):
        return Charge(straight=False)
    on_line = _enemies_on(table, sub, place.point, step, whole)
    if not on_line:
        return Charge()
    far, first = on_line[0]
    if not whole and target is not None and first != target:
        return Charge(other=True, met=first)
    units = far - 1
    end = (place.x + step[0] * units * UNIT, place.y + step[1] * units * UNIT)
    run = way_space(table, who, whole=whole).run(who, (end,) if units else ())
    return Charge(units, first, None if isinstance(run, Unknown) else run)


def _step(start: Point, goal: Point) -> tuple[int, int] | None:
    """One of the eight directions, if the goal lies in one by whole units. Clause: MA-540."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    if dx % UNIT or dy % UNIT or not (dx or dy) or (dx and dy and abs(dx) != abs(dy)):
        return None
    return (dx > 0) - (dx < 0), (dy > 0) - (dy < 0)


def _is_on_line(start: Point, step: tuple[int, int], point: Point) -> bool:
    return point == start or _step(start, point) == step


def _enemies_on(
    table: Table, sub: Submission, start: Point, step: tuple[int, int], whole: bool
) -> list[tuple[int, CombatantId]]:
    """Enemies who stand on the line, the nearest first; one who is down only if he is the one named.

    Clause: MA-540.
    """
    unseen = frozenset() if whole else unseen_by(table, sub.actor)
    found = [
        (max(abs(body.place.x - start[0]), abs(body.place.y - start[1])) // UNIT, body.id)
        for body in table.state.combatants.values()
        if body.place is not None
        and body.place.point != start
        and body.id not in unseen
        and are_foes(table, sub.actor, body.id)
        and (body.status == "up" or (body.status == "down" and body.id == sub.target))
        and _step(start, body.place.point) == step
    ]
    return sorted(found)


def _as_stated(table: Table, sub: Submission) -> Charge:
    """Without a map: the distance and the free space on the line as they were said. Clause: MA-080."""
    who, target, said = sub.actor, sub.target, table.said
    if target is None or not knows_of(table, who, target):
        return Charge(1, missing=None if target is not None else TARGET)
    if said.path_straight is False:
        return Charge(straight=False)
    enemies = [one for one in said.met or () if table.known(one) and are_foes(table, who, CombatantId(one))]
    if enemies and enemies[0] != target:
        return Charge(other=True, met=CombatantId(enemies[0]))
    far = distance(table, who, target)
    if isinstance(far, Unknown):
        return Charge(1, missing="/said/distance")
    if far % UNIT:
        return Charge(met=target, whole=False)
    units = max(0, far // UNIT - 1)
    run = Run(who, units * UNIT, units * UNIT, cost=units * UNIT, walked=units * UNIT, target=target)
    unsaid = units > 0 and said.units_free is None
    return Charge(units, target, run, free=said.units_free, missing="/said/units_free" if unsaid else None)


def why_not_charge(table: Table, sub: Submission, charge: Charge) -> Iterator[Reason]:
    """Every reason that lies in the line and in the run. Clauses: MA-540, MA-620."""
    reason, who = table.rules.reason, sub.actor
    if is_fatigued(table, who):
        yield reason("fatigued_cannot_run")
    if sub.target is not None and not knows_of(table, who, sub.target):
        yield reason("no_such_target", at=TARGET, names=(sub.target,))
    elif charge.missing is not None:
        yield reason("missing_input", at=charge.missing)
    elif not charge.straight:
        yield reason("path_not_straight", at=PATH)
    elif charge.other:
        yield reason("first_enemy_is_other", at=TARGET, names=(charge.met or "",))
    elif charge.met is None:
        yield reason("no_such_target", at=TARGET if sub.targets else PATH)
    elif not charge.whole:
        yield reason("whole_units_only", at="/said/distance")
    else:
        yield from _why_no_way(table, sub, charge)


def _why_no_way(table: Table, sub: Submission, charge: Charge) -> Iterator[Reason]:
    """The first unit must be free, and so must all that are run. Clause: MA-540."""
    reason, run = table.rules.reason, charge.run
    free = _free_length(table, sub, charge)
    if free < UNIT or not charge.units:
        yield reason("no_room_to_charge", at=TARGET if sub.targets else PATH, need_length=UNIT, got_length=free)
    if run is not None and free < run.walked:
        yield reason("path_blocked", at=PATH if table.has_map else "/said/units_free", got_length=free)
    elif table.has_map and charge.units and _wall_before(table, sub, charge):
        yield reason("path_blocked", at=PATH, got_length=free)


def _free_length(table: Table, sub: Submission, charge: Charge) -> Length:
    """How far the line is free of walls and of people, at most as far as it is run."""
    if charge.run is None:
        return 0
    if not table.has_map:
        standing = [one for one in table.said.met or () if one != charge.met]
        return 0 if standing else min(charge.free or 0, charge.run.walked)
    found = way_space(table, sub.actor).free_length(charge.run)
    return 0 if isinstance(found, Unknown) else found


def _wall_before(table: Table, sub: Submission, charge: Charge) -> bool:
    """Whether a wall stands between where he stops and the one he charges."""
    assert charge.met is not None
    there = table.who(charge.met).place
    if there is None:
        return False
    run = table.space.run(sub.actor, (there.point,))
    return not isinstance(run, Unknown) and run.blocked_at is not None
