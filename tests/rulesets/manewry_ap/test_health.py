"""Losing health, several sources, Fatigue markers, facing. Clauses MA-800 to MA-830."""

from typing import Any

import pytest

from app.engine import events as ev
from tests.rulesets.manewry_ap.fights import (
    EAST,
    NORTH,
    WEST,
    both_ways,
    duel,
    fight,
    pool,
    put,
    set_pool,
    terms,
)

NONE: dict[str, Any] = {"immediate_response": "none", "defend": "none"}


def facing(table: Any, who: str) -> int | None:
    """Which way somebody looks."""
    place = table.who(who).place
    return None if place is None else place.facing


@both_ways
@pytest.mark.clause("MA-800")
@pytest.mark.parametrize(("left", "status"), [(6, "up"), (5, "down")])
def test_at_zero_he_is_down_and_on_the_ground(on_map: bool, left: int, status: str) -> None:
    table = set_pool(duel(on_map, jagna={}, borys={"soak": 3}), "borys", "hp", left)

    done = table.play("melee_attack", "jagna", "borys", **NONE, to_hit=50, damage=1)

    assert done.one(ev.DamageDealt).through == 5
    assert (table.who("borys").status, table.has("borys", "knocked_down")) == (status, status == "down")
    assert pool(table, "borys", "hp") == left - 5


@pytest.mark.clause("MA-800")
@pytest.mark.parametrize(("health", "status"), [(1, "up"), (0, "down"), (-15, "down"), (-16, "dead")])
def test_at_minus_endurance_he_is_dead(health: int, status: str) -> None:
    table = set_pool(duel(True, jagna={}, borys={}), "borys", "hp", health)

    assert table.who("borys").status == status


@pytest.mark.clause("MA-800")
def test_who_is_down_has_no_turn_and_one_who_is_healed_has() -> None:
    table = set_pool(duel(True, jagna={}, borys={}, halina={}), "borys", "hp", -3)
    table.end_turn()
    assert table.turn == "halina"

    set_pool(table, "borys", "hp", 4)
    table.end_turn()

    assert (table.turn, table.has("borys", "knocked_down")) == ("borys", True)


@both_ways
@pytest.mark.clause("MA-810")
def test_a_target_down_after_the_first_source_still_takes_the_second(on_map: bool) -> None:
    table = set_pool(duel(on_map, jagna={}, borys={"soak": 0}), "borys", "hp", 6)
    put(table, "borys", "damage_taken_modifier", -5)

    done = table.play("double_attack", "jagna", "borys", **NONE, to_hit=50, second_hand=60, damage=5, damage_2=3)

    assert [event.through for event in done.of(ev.DamageDealt)] == [7, 5]
    changes = [event.value for event in done.of(ev.PoolChanged)]
    assert changes == [-1, -6]
    assert len(done.of(ev.StatusChanged)) == 1


@both_ways
@pytest.mark.clause("MA-820")
def test_markers_stay_until_rested_off_and_do_nothing_else(on_map: bool) -> None:
    table = set_pool(duel(on_map, jagna={}, borys={}), "jagna", "fatigue", 3)
    struck = table.play("melee_attack", "jagna", "borys", **NONE, to_hit=1)
    assert set(terms(struck.check)) == {"base_st", "mel"}
    table.end_turn()
    table.end_turn()

    table.play("rest", "jagna")

    assert pool(table, "jagna", "fatigue") == 2
    fields = {"path": [(0, 1)]} if on_map else {"said": {"length": 1}}
    assert "fatigued_cannot_run" in table.why_not("run", "jagna", **fields)


@pytest.mark.clause("MA-820")
def test_markers_stop_at_twenty() -> None:
    table = set_pool(duel(True, ogr={}, borys={}), "borys", "fatigue", 20)
    put(table, "borys", "grabbed", against="ogr")

    table.play("tighten_hold", "ogr", **NONE, to_hit=90)

    assert pool(table, "borys", "fatigue") == 20


@pytest.mark.clause("MA-830")
def test_facing_is_that_of_the_last_step_or_attack() -> None:
    table = fight(borys={"at": (0, 0, NORTH)}, jagna={"at": (1, 0)})

    table.play("melee_attack", "borys", "jagna", **NONE, to_hit=1)
    assert facing(table, "borys") == EAST
    assert table.why_not("drop_prone", "borys", path=[(-1, 0)]) == ["cannot_fall_backwards"]
    table.play("run", "borys", path=[(-1, 0)])

    assert facing(table, "borys") == WEST


@pytest.mark.clause("MA-830")
def test_turning_on_the_spot_is_free_on_the_own_turn() -> None:
    table = fight(borys={"at": (0, 0, NORTH)}, jagna={"at": (5, 0)})

    done = table.play("face", "borys", facing=270)

    assert (facing(table, "borys"), done.of(ev.BudgetChanged)) == (WEST, [])
    assert table.why_not("face", "jagna", facing=0) == ["not_your_turn"]
    assert table.why_not("face", "borys") == ["missing_input"]


@pytest.mark.clause("MA-830")
def test_without_a_map_nobody_turns() -> None:
    table = fight(borys={}, jagna={})

    assert table.why_not("face", "borys", facing=90) == ["unused_input"]


@pytest.mark.clause("MA-830")
def test_who_is_put_on_the_map_without_a_facing_looks_north() -> None:
    from app.engine.space.model import Place
    from tests.support.play import combatant, ruleset

    body = combatant(ruleset("manewry_ap"), "borys", "borys", place=Place(0, 0))

    assert body.place is not None
    assert body.place.facing == NORTH
