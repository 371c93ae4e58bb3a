"""Shots as tests need them: weapons of one's own, two at a distance, and what to look at when an attack was made."""

from typing import Any

import msgspec

from app.engine import events as ev
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable, ruleset

SAFE = {"armour": 200}
"""Armour that nothing gets through, where only the hits matter."""
RIFLE = "assault_rifle"
PISTOL = "auto_pistol"
LOW = (1, 1, 1, 1, 1)
"""Dice of the rifle's damage where they do not matter."""


def gun(kind: str = RIFLE, held: str | None = "both", **changes: Any) -> dict[str, Item]:
    """One weapon under the name of its kind; `marks` as an item has them, everything else changes its profile."""
    marks = dict(changes.pop("marks", {}))
    custom = None
    if changes:
        custom = msgspec.json.encode(msgspec.structs.replace(ruleset("gurps_4e").weapons[kind], **changes)).decode()
    return {kind: Item(kind, held=held, marks=marks, custom=custom)}


def apart(
    far: float, *, on_map: bool, r: Any = None, x: Any = None, options: dict[str, Any] | None = None
) -> PlayTable:
    """R, whose slot it is, and X so far from him, stated or on a map where both look at each other."""
    if on_map:
        return fight(r={"at": (0, 0, 90), **(r or {})}, x={"at": (far, 0, 270), **(x or {})}, options=options)
    return fight(r=r or {}, x=x or {}, apart={"rx": far}, options=options)


def terms(done: Played) -> dict[str, int]:
    """The named parts of the attack roll."""
    rolled = next(event for event in done.of(ev.CheckRolled) if event.purpose == "attack")
    return {term.id: term.value for term in rolled.terms}


def skill(done: Played) -> int:
    """The effective skill of the attack roll."""
    found: int = next(event for event in done.of(ev.CheckRolled) if event.purpose == "attack").target
    return found


def scored(done: Played) -> int:
    """Hits before anybody defended himself."""
    return sum(len(event.hits) for event in done.of(ev.HitsScored))


def rounds(table: PlayTable, who: str = "r", item: str = RIFLE) -> int:
    """Rounds left in a weapon."""
    return table.who(who).items[item].marks["ammo"]


def next_slot(table: PlayTable, who: str = "r") -> None:
    """Whoever's slot it is ends it, and so do all until his next one."""
    table.end_turn()
    table.until_turn_of(who)
