"""Fights of the ledger's four ready combatants: s, x, r and p, as section 6 of the ledger has them."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from app.engine.space.model import Ground, PairFact, Place, pair_key
from tests.support.play import PlayTable, combatant, length, ruleset, table_of

SAMPLES = {
    "s": "sample_swordsman",
    "x": "sample_axeman",
    "r": "sample_rifleman",
    "p": "sample_spearman",
}


def fight(
    *, apart: Mapping[str, float] | None = None, options: Mapping[str, Any] | None = None, **people: Any
) -> PlayTable:
    """A running fight in this order of slots: each a mapping of what differs from the ledger's own of that letter.

    `apart` states distances in yards by pair (`{"sx": 1}`, or `{"s1-x": 1}`). A combatant with `at` (x and y in yards,
    and the way he faces) is on a map, and then all have to be.
    """
    rules = ruleset("gurps_4e")
    bodies = [
        combatant(rules, name, _sample(name, dict(changes)), **_rest(changes)) for name, changes in people.items()
    ]
    on_map = any(body.place is not None for body in bodies)
    table = table_of(*bodies, rules=rules, ground=Ground() if on_map else None, **(options or {}))
    if apart:
        facts = {**table.state.scenery.facts}
        for pair, far in apart.items():
            one, other = tuple(pair) if len(pair) == len("sx") else tuple(pair.split("-"))
            facts[pair_key(one, other)] = PairFact(distance=length(far))
        table.state = replace(table.state, scenery=replace(table.state.scenery, facts=facts))
    return table


def _sample(name: str, changes: dict[str, Any]) -> str:
    return str(changes.get("sample", SAMPLES.get(name[0], "sample_swordsman")))


def _rest(changes: Any) -> dict[str, Any]:
    fields = {key: value for key, value in dict(changes).items() if key != "sample"}
    if isinstance(fields.get("at"), tuple):
        x, y, *facing = fields.pop("at")
        fields["place"] = Place(length(x), length(y), facing[0] if facing else None)
    return fields
