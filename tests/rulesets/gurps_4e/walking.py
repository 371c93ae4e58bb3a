"""Ways to go, told once for a map and for what is stated without one."""

from math import cos, radians, sin
from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import events as ev
from app.engine.space.model import Grid, Ground, Place, Point, Wall
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable, length, said

Spot = tuple[float, float]
both_ways = pytest.mark.parametrize("on_map", [True, False], ids=["map", "stated"])
RIGHT = 90


def field(ground: Ground | None = None, *, options: dict[str, Any] | None = None, **people: Any) -> PlayTable:
    """A fight on this ground: everybody with `at`, or at a spot in hundredths of q and r with `hex`."""
    placed = {}
    for name, changes in people.items():
        fields = dict(changes)
        if "hex" in fields:
            q, r, facing = fields.pop("hex")
            fields["place"] = Place(100 * q, 100 * r, facing)
        placed[name] = fields
    table = fight(options=options, **placed)
    scenery = replace(table.state.scenery, ground=ground or Ground())
    table.state = replace(table.state, scenery=scenery)
    return table


def alone(on_map: bool, who: str = "r", options: dict[str, Any] | None = None, **changes: Any) -> PlayTable:
    """One combatant, looking to the right of the map, and nobody near him."""
    fields = {**changes, "at": (0, 0, RIGHT)} if on_map else changes
    return fight(options=options, **{who: fields})


def way(on_map: bool, yards: float, heading: int = RIGHT, start: Spot = (0, 0), **stated: Any) -> dict[str, Any]:
    """The fields of a straight way of so many yards in that direction; what is stated counts without a map."""
    if not on_map:
        return {"said": {"length": yards, **stated}}
    return {"path": [ahead(yards, heading, start)]} if yards else {}


def ahead(yards: float, heading: int, start: Spot = (0, 0)) -> Spot:
    """The spot so many yards off in a direction."""
    return (round(start[0] + yards * sin(radians(heading)), 2), round(start[1] - yards * cos(radians(heading)), 2))


def spot(table: PlayTable, who: str) -> Spot:
    """Where somebody stands."""
    place = table.who(who).place
    assert place is not None
    return place.x / 100, place.y / 100


def facing(table: PlayTable, who: str) -> int | None:
    """Where somebody looks."""
    place = table.who(who).place
    assert place is not None
    return place.facing


def gone(done: Played, who: str) -> float:
    """Yards that somebody went by himself."""
    moved: list[ev.Moved] = done.of(ev.Moved)
    return sum(one.distance for one in moved if one.combatant == who and not one.forced) / 100


def apart(table: PlayTable, one: str, other: str) -> float | None:
    """Yards between two, or None if nobody knows."""
    found = table.table.space.distance(one, other)
    return found / 100 if isinstance(found, int) else None


SQUARES = Ground(grid=Grid("square"))
HEXES = Ground(grid=Grid("hex"))


def walled(*ends: tuple[Spot, Spot], size: Point | None = None) -> Ground:
    """A ground with walls from end to end."""
    walls = tuple(Wall((length(a[0]), length(a[1])), (length(b[0]), length(b[1]))) for a, b in ends)
    return Ground(walls=walls, size=size)


__all__ = ["HEXES", "SQUARES", "said"]
