"""How a combatant begins, and what of him is shown: hit points, fatigue, the maneuver of his slot. Clauses GU-570,
GU-1310, GU-1370, GU-2120, GU-2190.
"""

from collections.abc import Callable, Mapping

import msgspec

from app.engine.ids import CombatantId, Length
from app.engine.rules import Ruleset
from app.engine.state import Combatant, Item
from app.engine.table import Table
from rulesets.gurps_4e.figures import FP, HP, figure
from rulesets.gurps_4e.turns import MANEUVER, SPEECH, maneuvers_of, words_of
from rulesets.gurps_4e.weapons import AMMO, REACH, SWITCHED, profile


def prepare(rules: Ruleset, body: Combatant) -> Combatant:
    """Full hit and fatigue points; weapons come loaded, switched on and set to their first reach unless said
    otherwise.
    """
    pools = {HP: figure(body, "hp_max"), FP: figure(body, "fp_max"), **body.pools}
    budget = {MANEUVER: 0, SPEECH: 0, **body.budget}
    items = {key: _readied(rules, item) for key, item in body.items.items()}
    return msgspec.structs.replace(body, pools=pools, budget=budget, items=items)


def _readied(rules: Ruleset, item: Item) -> Item:
    weapon = profile(rules, item)
    if weapon is None:
        return item
    marks = dict(item.marks)
    if weapon.is_ranged and weapon.shots:
        marks.setdefault(AMMO, weapon.shots)
    if weapon.switch and item.held is not None:
        marks.setdefault(SWITCHED, 1)
    if weapon.reach_needs_ready:
        first = next((mode.reach[0] for mode in weapon.modes.values() if mode.reach), None)
        if first is not None:
            marks.setdefault(REACH, first)
    return item if marks == item.marks else msgspec.structs.replace(item, marks=marks)


def body_extra(body: Combatant) -> Length:
    """How far a body reaches beyond a man's: no clause gives a figure, so that every distance is from centre to
    centre.
    """
    return 0


POOLS: Mapping[str, Callable[[Combatant], tuple[int, int | None]]] = {
    HP: lambda body: (body.pools.get(HP, 0), figure(body, "hp_max")),
    FP: lambda body: (body.pools.get(FP, 0), figure(body, "fp_max")),
}


def harm_of(body: Combatant) -> tuple[int, int]:
    """Hit points lost, out of all of them. Clause: GU-2120."""
    most = figure(body, "hp_max")
    return most - body.pools.get(HP, 0), most


BUDGETS: Mapping[str, Callable[[Table, CombatantId], int]] = {MANEUVER: maneuvers_of, SPEECH: words_of}
