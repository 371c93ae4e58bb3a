"""How far the list of actions says that somebody gets is how far he may go, and not a step farther."""

from typing import Any

import pytest

from app.engine.ids import CombatantId, Length
from app.engine.listing import ActionView, listing
from tests.rulesets.shadowrun_5e.fights import fight
from tests.support.play import PlayTable, combatant, ruleset, table_of

TOO_FAR = {"move_too_far", "step_too_far", "not_enough_ap", "not_enough_ep", "insufficient_actions"}
MOVERS = {
    "dark_heresy_2e": ("sable", {"move", "run", "flee"}),
    "gurps_4e": ("sample_axeman", {"move"}),
    "manewry_ap": ("borys", {"walk", "run", "sneak", "crawl", "sprint"}),
    "shadowrun_5e": ("razor", {"walk"}),
    "wh40k_d100": ("varro", {"move", "full_move", "run"}),
}


def _alone(name: str) -> PlayTable:
    if name == "shadowrun_5e":
        return fight(a=12)  # its first Action Phase, whose score is rolled before
    rules = ruleset(name)
    return table_of(combatant(rules, "a", MOVERS[name][0]), rules=rules)


def _why_not(table: PlayTable, action: str, way: str, far: Length) -> set[str]:
    said: dict[str, Any] = {"length": far / 100, "path_straight": True}
    return TOO_FAR.intersection(table.why_not(action, "a", type=way, said=said))


@pytest.mark.parametrize("name", sorted(MOVERS))
def test_it_is_true_to_the_step(name: str) -> None:
    table, tried = _alone(name), set()
    for action in listing(table.table, CombatantId("a")):
        for way in action.types:
            if way.extent and way.available and action.id in MOVERS[name][1]:
                assert not _why_not(table, action.id, way.type, way.extent), (action.id, way)
                assert _why_not(table, action.id, way.type, way.extent + 100), (action.id, way)
                tried.add(action.id)

    assert tried == MOVERS[name][1]


@pytest.mark.parametrize("name", sorted(MOVERS))
def test_what_takes_nobody_anywhere_has_none(name: str) -> None:
    listed: dict[str, ActionView] = {one.id: one for one in listing(_alone(name).table, CombatantId("a"))}

    assert all(way.extent is None for way in listed["end_turn" if "end_turn" in listed else "end_phase"].types)
