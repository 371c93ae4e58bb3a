"""Fights of the ledger's four ready combatants: Borys, Halina, Jagna and the ogre, on squares or with stated facts."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Grid, Ground, PairFact, Place, Wall, pair_key
from app.engine.state import Item
from tests.support.play import Played, PlayTable, combatant, length, ruleset, table_of

NAME = "manewry_ap"
GRID = Grid("square")
NORTH, EAST, SOUTH, WEST = 0, 90, 180, 270
both_ways = pytest.mark.parametrize("on_map", [True, False], ids=["map", "stated"])
"""On squares, and with what is stated instead."""


def fight(
    *,
    apart: Mapping[str, float] | None = None,
    sees: Mapping[str, bool] | None = None,
    options: Mapping[str, Any] | None = None,
    walls: tuple[Wall, ...] = (),
    **people: Any,
) -> PlayTable:
    """A running fight in this order of turns: each a mapping of what differs from the ready combatant of that name.

    A combatant with `at` (x and y in squares, and the way he faces) is on a map, and then all have to be. `apart`
    states distances by pair (`{"borys-halina": 3}`), `sees` whether one of a pair sees the other.
    """
    rules = ruleset(NAME)
    bodies = [combatant(rules, name, _sample(name, changes), **_rest(changes)) for name, changes in people.items()]
    on_map = any(body.place is not None for body in bodies)
    ground = Ground(GRID, walls=walls) if on_map else None
    table = table_of(*bodies, rules=rules, ground=ground, **(options or {}))
    facts = {**table.state.scenery.facts}
    for pair, far in (apart or {}).items():
        one, other = pair.split("-")
        facts[pair_key(one, other)] = PairFact(distance=length(far))
    for pair, seen in (sees or {}).items():
        one, other = pair.split("-")
        held = facts.get(pair_key(one, other), PairFact())
        facts[pair_key(one, other)] = replace(held, sees=seen)
    if facts:
        table.state = replace(table.state, scenery=replace(table.state.scenery, facts=facts))
    return table


def _sample(name: str, changes: Any) -> str:
    return str(dict(changes).get("sample", name.split("_", maxsplit=1)[0]))


def _rest(changes: Any) -> dict[str, Any]:
    fields = {key: value for key, value in dict(changes).items() if key != "sample"}
    if isinstance(fields.get("at"), tuple):
        x, y, *facing = fields.pop("at")
        fields["place"] = Place(length(x), length(y), facing[0] if facing else NORTH)
    if "size" in fields:
        fields["size"] = length(fields["size"])
    if "soak" in fields:
        fields["armour"] = {"body": fields.pop("soak")}
    return fields


def duel(on_map: bool, far: float = 1, *, options: Mapping[str, Any] | None = None, **people: Any) -> PlayTable:
    """Two or more in a row to the east of the first, the second so far from him, each next one a square farther."""
    names = list(people)
    if on_map:
        placed: dict[str, Any] = {
            name: {"at": (0 if place == 0 else far + place - 1, 0, EAST if place == 0 else WEST), **people[name]}
            for place, name in enumerate(names)
        }
        return fight(options=options, **placed)
    apart = {f"{names[0]}-{name}": far + place for place, name in enumerate(names[1:])}
    return fight(apart=apart, options=options, sees={f"{names[0]}-{name}": True for name in names[1:]}, **people)


def put(table: PlayTable, who: str, kind: str, value: int = 0, **fields: Any) -> Played:
    """The GM puts a condition or modifier on somebody."""
    against = fields.pop("against", None)
    change = cmd.AddEffect(CombatantId(who), kind, value, against=CombatantId(against) if against else None, **fields)
    return table.rule(change)


def set_ap(table: PlayTable, **points: int) -> PlayTable:
    """So many action points are left to these."""
    for who, left in points.items():
        table.rule(cmd.SetBudget(CombatantId(who), "ap", left))
    return table


def set_pool(table: PlayTable, who: str, pool: str, value: int) -> PlayTable:
    """A resource of his has this value."""
    table.rule(cmd.SetPool(CombatantId(who), pool, value))
    return table


def ap(table: PlayTable, who: str) -> int:
    """Action points left."""
    return table.who(who).budget["ap"]


def pool(table: PlayTable, who: str, name: str) -> int:
    """What is left of a resource."""
    return table.who(who).pools[name]


def st(done: Played, place: int = 0) -> int:
    """The ST of the first test, or of a later one."""
    check: ev.CheckRolled = done.of(ev.CheckRolled)[place]
    return check.target


def total(check: ev.CheckRolled) -> int:
    """What the dice and all that is added to them come to."""
    begins = [term.id for term in check.terms].index(check.check)
    added = sum(term.value for term in check.terms[begins:])
    return added + sum(die.value for die in check.dice)


def terms(check: ev.CheckRolled) -> dict[str, int]:
    """The named parts of a test."""
    found: dict[str, int] = {}
    for term in check.terms:
        found[term.id] = found.get(term.id, 0) + term.value
    return found


def asked(done: Played) -> list[str]:
    """Kinds of the questions, in order."""
    return [question.kind for question in done.questions()]


def options(done: Played, kind: str) -> list[str]:
    """What the first question of that kind offered."""
    return [option.id for option in done.questions(kind)[0].options]


def held(**items: str | None) -> dict[str, Item]:
    """Items by kind, each in that hand, loaded if they are loaded at all; `dagger_2` is a second dagger."""
    ammo = {"bow": 20, "hand_crossbow": 1}
    found = {}
    for name, hand in items.items():
        kind = name.removesuffix("_2")
        found[name] = Item(kind, held=hand, marks={"ammo": ammo[kind]} if kind in ammo else {})
    return found


def wall(a: tuple[float, float], b: tuple[float, float], **fields: Any) -> Wall:
    """A piece of wall between two points, in squares."""
    return Wall((length(a[0]), length(a[1])), (length(b[0]), length(b[1])), **fields)


def place(table: PlayTable, who: str) -> tuple[float, float]:
    """Where somebody is, in squares."""
    found = table.who(who).place
    assert found is not None
    return found.x / 100, found.y / 100
