"""An open Wait: what it waits for, and whether this is it. Clauses GU-1400, GU-1410, GU-1455, GU-1490 to GU-1520,
GU-1540 to GU-1560.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from app.engine.ids import CombatantId, Length
from app.engine.scene import Scene
from app.engine.space.model import Crossing, Fact, Run, Sector, Unknown
from app.engine.state import Effect
from app.engine.table import Table
from rulesets.gurps_4e.conditions import WAITING, is_stunned
from rulesets.gurps_4e.figures import YARD, yards
from rulesets.gurps_4e.reach import are_foes, can_see
from rulesets.gurps_4e.weapons import Mode, modes_of, reaches

Trigger = Literal[
    "enters_reach",
    "enters_area",
    "comes_within",
    "becomes_visible",
    "starts_maneuver",
    "attacks",
    "ally_acts",
    "custom",
]
TRIGGERS: tuple[Trigger, ...] = (
    "enters_reach",
    "enters_area",
    "comes_within",
    "becomes_visible",
    "starts_maneuver",
    "attacks",
    "ally_acts",
    "custom",
)
ORDINARY, COVER, STOP_THRUST, REFLEX = "ordinary", "cover", "stop_thrust", "reflex"
FAR = 1_000_000
"""Hundredths of a yard beyond any map: sight has no range of its own."""
ALMOST_HALF = YARD // 2 - 1


class Wait(msgspec.Struct, frozen=True):
    """An open Wait of somebody, as he declared it."""

    who: CombatantId
    record: Effect

    def word(self, name: str, default: str = "") -> str:
        """A word of the declaration."""
        value = self.record.declared.get(name, default)
        return value if isinstance(value, str) else default

    def whole(self, name: str, default: int = 0) -> int:
        """A figure of the declaration."""
        value = self.record.declared.get(name, default)
        return value if isinstance(value, int) else default

    def flag(self, name: str) -> bool:
        """A yes or no of the declaration."""
        return self.record.declared.get(name) is True

    def names(self, name: str) -> tuple[str, ...]:
        """Several words of the declaration."""
        value = self.record.declared.get(name, ())
        return value if isinstance(value, tuple) else ()

    @property
    def kind(self) -> str:
        """`ordinary`, `cover`, `stop_thrust` or `reflex`."""
        return self.word("kind", ORDINARY)

    @property
    def covers_an_area(self) -> bool:
        """Whether it covers an area, and not one named target. Clause: GU-1520."""
        return self.kind == COVER and self.record.against is None

    @property
    def must_act(self) -> bool:
        """Whether the shot at whoever comes first must be taken. Clause: GU-1520."""
        return self.covers_an_area and not self.flag("discriminate")


def waits(table: Table, but: CombatantId) -> Iterator[Wait]:
    """Every open Wait of somebody else who can act, in turn order. Clauses: GU-030, GU-1455, GU-1490."""
    for body in table.in_order():
        record = table.effect(body.id, WAITING)
        able = body.status == "up" and not is_stunned(table, body.id)
        if body.id != but and record is not None and able and not table.has(body.id, "off_balance", "bound"):
            yield Wait(body.id, record)


def concerns(table: Table, wait: Wait, who: CombatantId) -> bool:
    """Whether it is for somebody like him: a named foe, one of a group, else any foe he can know of.

    Clauses: GU-1410, GU-1520.
    """
    if who in table.unknown_to(wait.who) or table.who(who).status != "up":
        return False
    if wait.covers_an_area:
        return True
    if wait.record.against is not None:
        return wait.record.against == who
    group = wait.names("group")
    return who in group if group else are_foes(table, wait.who, who)


# Where on a way it fires


def longest_usable(table: Table, wait: Wait) -> int:
    """Yards at which his declared weapon strikes at most, as it is held and set. Clauses: GU-620, GU-1560."""
    item = wait.record.item
    named = wait.word("mode")
    modes = modes_of(table, wait.who, item)
    fit: list[Mode] = [modes[named]] if named in modes else list(modes.values())
    return max((reach for mode in fit for reach in reaches(table, wait.who, item, mode)), default=0)


def within(table: Table, wait: Wait, limit: int) -> Sector | None:
    """The disc about the waiter inside which somebody is at most so many yards off. Clause: GU-490."""
    place = table.who(wait.who).place
    if table.has_map and place is None:
        return None
    centre = (0, 0) if place is None else place.point
    return Sector(centre, limit * YARD + ALMOST_HALF, id=wait.who)


def comes_inside(
    scene: Scene, wait: Wait, run: Run, ends: dict[CombatantId, Length], limit: int
) -> Fact[Length | None]:
    """How far along the way somebody comes from beyond so many yards to within them; None if he does not.

    Without a map by the distances that are known, else as the mover states it. Clause: GU-1410.
    """
    mover = CombatantId(run.actor)
    if not scene.has_map:
        before, after = distance_before(scene, mover, wait.who), ends.get(wait.who)
        if not isinstance(before, Unknown):
            if yards(before) <= limit:
                return None
            if after is not None:
                return min(run.walked, before - limit * YARD) if yards(after) <= limit else None
    area = within(scene, wait, limit)
    if area is None:
        return None
    return first_entry(scene.space.crossings(run, area))


def distance_before(scene: Scene, mover: CombatantId, who: CombatantId) -> Fact[Length]:
    """Without a map: how far he was before he set out, where what was known has been lost on the way.

    Clause: GU-490.
    """
    now = scene.space.distance(mover, who)
    return started(scene).space.distance(mover, who) if isinstance(now, Unknown) else now


def started(scene: Scene) -> Table:
    """The table as it was when the command began, with what it states."""
    return Table(scene.rules, scene.base, scene.first_said)


def first_entry(found: Fact[tuple[Crossing, ...]]) -> Fact[Length | None]:
    """Where somebody comes in from outside; who was inside from the start does not. Clause: GU-1410."""
    if isinstance(found, Unknown):
        return found
    return next((one.at for one in found if one.kind == "enters"), None)


def comes_into_view(scene: Scene, wait: Wait, run: Run) -> Fact[Length | None]:
    """Where somebody comes into sight. Clause: GU-1410."""
    place = scene.who(wait.who).place
    if place is None:
        return first_entry(scene.space.crossings(run, Sector((0, 0), FAR, id=wait.who)))
    if can_see(scene, wait.who, CombatantId(run.actor)):
        return None
    return first_entry(scene.space.crossings(run, Sector(place.point, FAR, needs_sight=True)))


def comes_into_cover(scene: Scene, wait: Wait, run: Run) -> Fact[Length | None]:
    """Where somebody first is in the covered area and in sight, having been out of the one or the other.

    Clauses: GU-1500, GU-1520.
    """
    area, place = wait.record.area, scene.who(wait.who).place
    if not scene.has_map or area is None or place is None:
        return first_entry(scene.space.crossings(run, Sector((0, 0), FAR, id=wait.who)))
    inside = scene.space.crossings(run, area)
    seen = scene.space.crossings(run, Sector(place.point, FAR, needs_sight=True))
    if isinstance(inside, Unknown) or isinstance(seen, Unknown):
        return None
    return _first_both(_stretches(inside, run.walked), _stretches(seen, run.walked))


def _stretches(found: tuple[Crossing, ...], end: Length) -> list[tuple[Length, Length]]:
    """From where to where somebody is inside."""
    made: list[tuple[Length, Length]] = []
    begin: Length | None = None
    for one in found:
        if one.kind == "leaves":
            made.append((begin or 0, one.at))
            begin = None
        else:
            begin = one.at
    if begin is not None:
        made.append((begin, end))
    return made


def _first_both(one: list[tuple[Length, Length]], other: list[tuple[Length, Length]]) -> Length | None:
    """The first point that lies in a stretch of both, unless it is the very start. Clause: GU-1410."""
    points = [max(a, c) for a, b in one for c, d in other if max(a, c) <= min(b, d)]
    first = min(points, default=None)
    return None if first == 0 else first
