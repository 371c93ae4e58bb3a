"""Fights of the ledger's ready combatants: varro, grash, trooper, lyse and quad, by name or by its beginning."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, PairFact, Place, Region, Wall, pair_key
from app.engine.state import Item, Scenery, State
from tests.support.play import Played, PlayTable, combatant, length, ruleset, table_of

SAMPLES = ("varro", "grash", "trooper", "lyse", "quad")
both_ways = pytest.mark.parametrize("on_map", [True, False], ids=["map", "stated"])
"""For whatever holds on a map and without one."""


def fight(
    *,
    apart: float | Mapping[str, float] | None = None,
    ground: Ground | None = None,
    options: Mapping[str, Any] | None = None,
    **people: Any,
) -> PlayTable:
    """A running fight in this order of turns: each a mapping of what differs from the sample his name begins.

    `apart` states distances in metres: the same for all pairs, or by pair (`{"v-g": 3}`). With `at` (x and y in metres,
    and the way he faces) somebody is on a map, and then all have to be. Sides are their names unless `side` is given.
    """
    rules = ruleset("wh40k_d100")
    bodies = [
        combatant(rules, name, str(dict(changes).get("sample", _sample(name))), **_rest(changes))
        for name, changes in people.items()
    ]
    on_map = any(body.place is not None for body in bodies)
    table = table_of(*bodies, rules=rules, ground=(ground or Ground()) if on_map else None, **(options or {}))
    if apart is not None:
        facts = dict(table.state.scenery.facts)
        names = list(people)
        pairs = {f"{one}-{other}": apart for at, one in enumerate(names) for other in names[at + 1 :]}
        for pair, far in (pairs if isinstance(apart, int | float) else apart).items():
            one, other = pair.split("-")
            facts[pair_key(one, other)] = PairFact(distance=length(far))  # type: ignore[arg-type]
        table.state = replace(table.state, scenery=replace(table.state.scenery, facts=facts))
    return table


def _sample(name: str) -> str:
    return next((sample for sample in SAMPLES if sample.startswith(name.rstrip("0123456789"))), "trooper")


def _rest(changes: Any) -> dict[str, Any]:
    fields = {key: value for key, value in dict(changes).items() if key != "sample"}
    if isinstance(fields.get("at"), tuple):
        x, y, *facing = fields.pop("at")
        fields["place"] = Place(length(x), length(y), facing[0] if facing else None)
    return fields


def two(on_map: bool, apart: float, *, options: Mapping[str, Any] | None = None, **people: Any) -> PlayTable:
    """Two who look at each other so far apart, on a map or with that stated; others beside the second."""
    if not on_map:
        return fight(apart=apart, options=options, **people)
    placed: dict[str, Any] = {}
    for number, (name, changes) in enumerate(people.items()):
        at = (0, 0, 90) if not number else (apart, number - 1, 270)
        placed[name] = {"at": at, **dict(changes)}
    return fight(options=options, **placed)


def set_up(**people: Any) -> PlayTable:
    """The same people before the fight has begun."""
    table = fight(**people)
    return PlayTable(
        table.rules, State(table.rules.id, dice="client", combatants=table.state.combatants, scenery=Scenery())
    )


def held(kind: str, hand: str = "main", **marks: int) -> dict[str, Item]:
    """One item in hand, nothing else."""
    return {kind: Item(kind, held=hand, marks=dict(marks))}


def armed(**kinds: str) -> dict[str, Item]:
    """Items by kind with the hand that holds each; loaded."""
    return {kind: Item(kind, held=hand or None) for kind, hand in kinds.items()}


def begin(table: PlayTable, who: str, kind: str, value: int = 0, against: str | None = None) -> Played:
    """The GM puts a condition on somebody; `value` is its rounds where it has nothing else to count."""
    other = None if against is None else CombatantId(against)
    if value and table.rules.effects[kind].value is None:
        return table.rule(cmd.AddEffect(CombatantId(who), kind, rounds=value, against=other))
    return table.rule(cmd.AddEffect(CombatantId(who), kind, value, against=other))


def pool(table: PlayTable, who: str, name: str, value: int) -> None:
    """The GM sets a resource."""
    table.rule(cmd.SetPool(CombatantId(who), name, value))


def region(kind: str, x: float = -100, y: float = -100, size: float = 200) -> Region:
    """A square of that kind."""
    low, left, far = length(y), length(x), length(size)
    corners = ((left, low), (left + far, low), (left + far, low + far), (left, low + far))
    return Region(kind, kind, corners)


def wall(x1: float, y1: float, x2: float, y2: float, **more: Any) -> Wall:
    """A wall between two points."""
    return Wall((length(x1), length(y1)), (length(x2), length(y2)), **more)


def terms(check: ev.CheckRolled) -> dict[str, int]:
    """The sum of a test by name, without the characteristic."""
    return {term.id: term.value for term in check.terms[1:]}


def places(done: Played) -> list[str | None]:
    """Where the hits landed."""
    return [hit.location for hit in done.one(ev.HitsScored).hits]


def through(done: Played) -> list[int]:
    """What got through, hit by hit."""
    return [one.through for one in done.of(ev.DamageDealt)]


def wounds(table: PlayTable, who: str) -> int:
    """Wounds left."""
    return table.who(who).pools["wounds"]


def noted(done: Played) -> list[str]:
    """The facts that were noted."""
    return [one.fact for one in done.of(ev.Noted)]


def order(done: Played) -> list[str]:
    """Names of everything asked, in order."""
    return [ask.key.split("/", 1)[-1] for ask in done.asked]
