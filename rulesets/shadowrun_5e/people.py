"""How a combatant begins, and what of him is shown; what a ruling begins. Clauses SR-090, SR-740, SR-780, SR-850."""

from collections.abc import Callable, Mapping

import msgspec

from app.engine.ids import CombatantId, Length
from app.engine.rules import Ruleset
from app.engine.scene import Scene
from app.engine.state import Combatant
from app.engine.table import Table
from rulesets.shadowrun_5e.conditions import DEAD, DYING, UNCONSCIOUS, die, fall_prone, knock_out
from rulesets.shadowrun_5e.figures import (
    DEFENSES,
    EDGE,
    MOVED,
    OVERFLOW,
    PHYSICAL,
    PRONE,
    RECOIL,
    SCORE,
    STUN,
    div_up,
    stat,
    tables_of,
)
from rulesets.shadowrun_5e.harm import shock, start_bleeding
from rulesets.shadowrun_5e.surprise import SURPRISED, caught, take_surprise_test
from rulesets.shadowrun_5e.turns import FREE, SIMPLE
from rulesets.shadowrun_5e.weapons import readied

BOXES = 8
"""Boxes of a monitor beside half an attribute, for showing; play takes them from the tables."""


def prepare(rules: Ruleset, body: Combatant) -> Combatant:
    """Unhurt, with all his Edge; weapons come loaded unless something else is said."""
    unhurt = dict.fromkeys((SCORE, PHYSICAL, STUN, OVERFLOW, RECOIL, DEFENSES, MOVED), 0)
    pools = {**unhurt, EDGE: stat(body, "edge"), **body.pools}
    budget = {SIMPLE: 0, FREE: 0, **body.budget}
    items = {key: readied(rules, item) for key, item in body.items.items()}
    return msgspec.structs.replace(body, pools=pools, budget=budget, items=items)


def body_extra(body: Combatant) -> Length:
    """How far a body reaches beyond a man's: no clause gives a figure, reach is reckoned apart (SR-615)."""
    return 0


def _pool(name: str, most: Callable[[Combatant], int | None]) -> Callable[[Combatant], tuple[int, int | None]]:
    return lambda body: (body.pools.get(name, 0), most(body))


def _unbounded(body: Combatant) -> int | None:
    return None


POOLS: Mapping[str, Callable[[Combatant], tuple[int, int | None]]] = {
    SCORE: _pool(SCORE, _unbounded),
    EDGE: _pool(EDGE, lambda body: stat(body, "edge")),
    PHYSICAL: _pool(PHYSICAL, lambda body: BOXES + div_up(stat(body, "body"), 2)),
    STUN: _pool(STUN, lambda body: BOXES + div_up(stat(body, "willpower"), 2)),
    OVERFLOW: _pool(OVERFLOW, _unbounded),
    RECOIL: _pool(RECOIL, _unbounded),
    DEFENSES: _pool(DEFENSES, _unbounded),
    MOVED: _pool(MOVED, _unbounded),
}


def harm_of(body: Combatant) -> tuple[int, int]:
    """Boxes filled on the monitor that is fuller, out of all of its boxes. Clause: SR-740."""
    monitors = [POOLS[name](body) for name in (PHYSICAL, STUN)]
    return max(((filled, most or 0) for filled, most in monitors), key=lambda one: one[0] * 100 // max(1, one[1]))


def _simple(table: Table, who: CombatantId) -> int:
    return tables_of(table).core.simple_actions


def _free(table: Table, who: CombatantId) -> int:
    return tables_of(table).core.free_actions


BUDGETS: Mapping[str, Callable[[Table, CombatantId], int]] = {SIMPLE: _simple, FREE: _free}


def add_by_ruling(scene: Scene, who: CombatantId, kind: str, value: int, against: CombatantId | None) -> None:
    """A condition begins because the GM says so, with what belongs to it. Clauses: SR-090, SR-770, SR-780, SR-950."""
    match kind:
        case "ambushed":
            with scene.within("ambushed", who):
                take_surprise_test(scene, who, value)
        case _ if kind == SURPRISED:
            with scene.within(SURPRISED, who):
                caught(scene, who)
        case _ if kind == PRONE:
            fall_prone(scene, who, "SR-950")
        case _ if kind == UNCONSCIOUS:
            knock_out(scene, who, "SR-950")
        case _ if kind == DYING:
            knock_out(scene, who, "SR-950")
            scene.begin(who, DYING)
            start_bleeding(scene, who)
        case _ if kind == DEAD:
            knock_out(scene, who, "SR-950")
            die(scene, who)
        case "electrified":
            shock(scene, who)
        case _:
            scene.begin(who, kind, value=value, against=against)
