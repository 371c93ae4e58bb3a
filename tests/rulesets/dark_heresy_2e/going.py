"""Fights in which somebody goes somewhere, told once for a map and for what is stated."""

from math import hypot
from typing import Any

import msgspec
import pytest

from app.engine.events import AnyEvent
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, PairFact, Place, Wall, pair_key
from tests.support.play import PlayTable, combatant, length, ruleset, table_of

Spot = tuple[float, float]
both_ways = pytest.mark.parametrize("on_map", [True, False], ids=["map", "stated"])
"""For whatever holds on a map and without one."""


def fight(
    on_map: bool,
    spots: dict[str, Spot],
    *,
    melee: tuple[tuple[str, str], ...] = (),
    walls: tuple[tuple[Spot, Spot], ...] = (),
    options: dict[str, Any] | None = None,
    **people: dict[str, Any],
) -> PlayTable:
    """People at these spots, the first to act first: placed on a map, or with all their distances stated.

    Everybody is his own namesake of the samples and his own side unless told otherwise; `melee` are pairs locked in it.
    """
    rules = ruleset()
    engaged: dict[str, tuple[str, ...]] = {name: () for name in spots}
    for one, other in melee:
        engaged[one], engaged[other] = (*engaged[one], other), (*engaged[other], one)
    bodies = []
    for name, spot in spots.items():
        fields: dict[str, Any] = {"sample": name, "engaged": tuple(sorted(engaged[name])), **people.get(name, {})}
        if on_map:
            fields.setdefault("place", Place(length(spot[0]), length(spot[1]), 0))
        bodies.append(combatant(rules, name, **fields))
    ground = Ground(walls=tuple(Wall(point(a), point(b)) for a, b in walls)) if on_map else None
    table = table_of(*bodies, rules=rules, ground=ground, **(options or {}))
    if not on_map:
        facts = {
            pair_key(one, other): PairFact(distance=apart(spots[one], spots[other]))
            for place, one in enumerate(spots)
            for other in list(spots)[place + 1 :]
        }
        scenery = msgspec.structs.replace(table.state.scenery, facts=facts)
        table.state = msgspec.structs.replace(table.state, scenery=scenery)
    return table


def point(spot: Spot) -> tuple[int, int]:
    """Hundredths of a spot."""
    return length(spot[0]), length(spot[1])


def apart(one: Spot, other: Spot) -> int:
    """How far two spots are apart, in hundredths."""
    return round(100 * hypot(one[0] - other[0], one[1] - other[1]))


def path(on_map: bool, start: Spot, *corners: Spot, **said: Any) -> dict[str, Any]:
    """The fields of one and the same way: its corners on a map, its length where there is none.

    What is stated besides (`leaves`, `engage`, `crosses`, ...) counts on a map only where it is no measure.
    """
    if on_map:
        kept = {name: value for name, value in said.items() if name == "engage"}
        return {"path": list(corners), "said": kept}
    whole = sum(apart(a, b) for a, b in zip((start, *corners), corners, strict=False))
    return {"said": {"length": whole / 100, **said}}


def told(events: tuple[AnyEvent, ...]) -> list[str]:
    """The kinds of events, in order."""
    return [type(event).__name__ for event in events]


def spot_of(table: PlayTable, name: str) -> Spot | None:
    """Where somebody stands on the map."""
    place = table.who(name).place
    return None if place is None else (place.x / 100, place.y / 100)


def engaged(table: PlayTable, one: str, other: str) -> bool:
    """Whether two are locked in melee."""
    return table.table.engaged(CombatantId(one), CombatantId(other))
