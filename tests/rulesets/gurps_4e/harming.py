"""Two or three who harm each other: with or without a map, with a weapon of any type of damage, injured by so much."""

import json
from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, ItemId
from app.engine.state import Effect, Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import Played, PlayTable

SWORD = "thrusting_broadsword"
SWING: dict[str, Any] = {"weapon": SWORD, "options": {"mode": "swing"}}
HIT = (4, 3, 4)
"""A plain hit with any of the ledger's skills."""
both_ways = pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])


def duel(*, on_map: bool = False, far: float = 1, options: dict[str, Any] | None = None, **people: Any) -> PlayTable:
    """Two (S and X unless named), so far apart, looking at each other; the first has his slot."""
    changes: dict[str, Any] = people or {"s": {}, "x": {}}
    one, other = changes
    if on_map:
        places: dict[str, Any] = {one: {"at": (0, 0, 90)}, other: {"at": (far, 0, 270)}}
        return fight(options=options, **{name: {**changes[name], **places[name]} for name in changes})
    return fight(options=options, apart={f"{one}-{other}": far}, **changes)


def weapon(damage: str, kind: str, divisor: int = 1, **fields: Any) -> dict[str, Item]:
    """A sword of its own: swung with that damage of that type."""
    mode = {"damage": damage, "type": kind, "reach": [1], **({} if divisor == 1 else {"divisor": divisor})}
    profile = {"kind": "melee", "skill": "broadsword", "modes": {"swing": mode}, "parry": 0, **fields}
    return {"blade": Item("blade", held="main", custom=json.dumps(profile))}


def beat(table: PlayTable, who: str, whom: str, damage: Any, **more: Any) -> Played:
    """Hit him, who does not defend, with these dice of damage."""
    given = {"to_hit": HIT, "defend": "none", **more}
    return table.play("attack", who, whom, damage=damage, **given)


def hurt(table: PlayTable, who: str, hp: int) -> None:
    """So many hit points are left to him."""
    table.rule(cmd.SetPool(CombatantId(who), "hp", hp))


def put(table: PlayTable, who: str, kind: str, value: int = 0, against: str | None = None) -> None:
    """Put a condition on somebody by ruling."""
    table.rule(cmd.AddEffect(CombatantId(who), kind, value, against=None if against is None else CombatantId(against)))


def hp(table: PlayTable, who: str) -> int:
    """Hit points left."""
    return table.who(who).pools["hp"]


def posture(table: PlayTable, who: str) -> str:
    """How he holds himself."""
    kinds = {effect.kind for effect in table.who(who).effects.values()}
    postures = ("crouching", "kneeling", "crawling", "sitting", "lying_prone", "lying_face_up")
    return next((one for one in postures if one in kinds), "standing")


def effect(table: PlayTable, who: str, kind: str) -> Effect:
    """The only effect of that kind, waiting or active."""
    found = [one for one in table.who(who).effects.values() if one.kind == kind]
    assert len(found) == 1, found
    return found[0]


def held(table: PlayTable, who: str) -> set[str]:
    """What he holds."""
    return {key for key, item in table.who(who).items.items() if item.held is not None}


def item(table: PlayTable, who: str, name: str) -> Item:
    """One of his things."""
    return table.who(who).items[ItemId(name)]


def check_of(done: Played, purpose: str) -> ev.CheckRolled:
    """The only test for that purpose."""
    found = [check for check in done.of(ev.CheckRolled) if check.purpose == purpose]
    assert len(found) == 1, [check.purpose for check in done.of(ev.CheckRolled)]
    only: ev.CheckRolled = found[0]
    return only


def terms(check: ev.CheckRolled) -> dict[str, int]:
    """The parts of its target number."""
    return {term.id: term.value for term in check.terms}
