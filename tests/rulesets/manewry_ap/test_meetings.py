"""Where clauses meet: holds and charges, hiding and holds, leaps and windows, reactions and what they change."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, EffectId
from tests.rulesets.manewry_ap.fights import (
    EAST,
    WEST,
    ap,
    asked,
    both_ways,
    duel,
    fight,
    held,
    options,
    place,
    pool,
    put,
    set_ap,
    set_pool,
    st,
    terms,
    wall,
)

QUIET: dict[str, Any] = {"immediate_response": "none"}
NONE: dict[str, Any] = {**QUIET, "defend": "none"}


@both_ways
@pytest.mark.clause("MA-370", "MA-435")
def test_a_holder_grabbed_by_a_third_has_no_defence(on_map: bool) -> None:
    table = duel(on_map, ogr={}, borys={}, halina={"at": (1, 1), "side": "ogr"} if on_map else {"side": "ogr"})
    put(table, "halina", "grabbed", against="borys")

    done = table.play("grab", "ogr", "borys", **QUIET, to_hit=44)

    assert (options(done, "immediate_response"), st(done)) == (["release_hold", "none"], 58)
    assert table.has("borys", "grabbed", "holding")


@both_ways
@pytest.mark.clause("MA-390", "MA-420", "MA-410")
def test_breaking_free_in_the_window_of_the_own_holder_leaves_both_free_for_the_rest_of_the_turn(on_map: bool) -> None:
    table = duel(on_map, ogr={}, borys={})
    put(table, "borys", "grabbed", against="ogr")
    table.play("tighten_hold", "ogr", immediate_response="break_free", ogr__hold=1, borys__break_free=50)

    done = table.play("melee_attack", "ogr", "borys", defend="dodge", to_hit=1)

    assert (st(done), ap(table, "ogr"), asked(done)) == (62, 0, ["defend"])


@pytest.mark.clause("MA-350", "MA-420")
def test_a_hold_of_which_the_gm_takes_one_half_is_none() -> None:
    table = duel(True, ogr={}, borys={})
    put(table, "borys", "grabbed", against="ogr")

    table.rule(cmd.RemoveEffect(CombatantId("borys"), EffectId("grabbed")))

    assert table.why_not("melee_attack", "ogr", "borys") == []
    table.end_turn()
    assert not table.has("ogr", "holding")


@pytest.mark.clause("MA-540", "MA-460", "MA-440")
def test_a_charge_strikes_though_its_target_throws_itself_aside() -> None:
    table = fight(borys={"at": (0, 0, EAST)}, jagna={"at": (4, 0, WEST)})

    done = table.play(
        "charge",
        "borys",
        "jagna",
        immediate_response=("drop_prone", {"place": [(400, -100)]}),
        defend="dodge",
        to_hit=60,
        damage=6,
    )

    assert (place(table, "borys"), place(table, "jagna"), st(done)) == ((3, 0), (4, -1), 78)
    assert done.one(ev.DamageDealt).raw == 24


@pytest.mark.clause("MA-540", "MA-250", "MA-750")
def test_two_hidden_foes_meet_in_a_charge() -> None:
    table = fight(jagna={"at": (0, 0)}, borys={"at": (6, 0)}, halina={"at": (3, 0), "side": "borys"})
    put(table, "jagna", "hidden")
    put(table, "halina", "hidden")

    done = table.play("charge", "jagna", "borys", to_hit=1)

    assert (done.one(ev.AttackMade).target, st(done), asked(done)) == ("halina", 50, [])
    assert (table.has("jagna", "hidden"), table.has("halina", "hidden")) == (False, False)


@pytest.mark.clause("MA-600", "MA-540")
def test_a_charge_with_path_and_target_must_agree() -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (4, 0)}, ogr={"at": (0, 4), "side": "jagna"})

    assert table.why_not("charge", "borys", "jagna", path=[(3, 0)]) == []
    assert table.why_not("charge", "borys", "jagna", path=[(0, 3)]) == ["first_enemy_is_other"]


@pytest.mark.clause("MA-510", "MA-210")
def test_a_double_throw_goes_as_far_as_both_knives() -> None:
    knives = held(throwing_knife="main", throwing_knife_2="off")

    assert duel(True, 8, jagna={"items": knives}, borys={}).why_not("double_attack", "jagna", "borys") == []
    assert duel(True, 9, jagna={"items": knives}, borys={}).why_not("double_attack", "jagna", "borys") == [
        "out_of_range"
    ]


@pytest.mark.clause("MA-510", "MA-810", "MA-420")
def test_the_first_source_ends_the_hold_and_the_second_still_hurts() -> None:
    table = fight(jagna={"at": (0, 0)}, borys={"at": (1, 0), "soak": 0}, ogr={"at": (2, 0), "side": "jagna"})
    put(table, "borys", "grabbed", against="ogr")
    set_pool(table, "borys", "hp", 3)

    done = table.play("double_attack", "jagna", "borys", **QUIET, to_hit=40, second_hand=60, damage=1, damage_2=1)

    assert st(done) == 50
    assert pool(table, "borys", "hp") == 3 - 8 - 8
    assert not table.has("ogr", "holding")


@pytest.mark.clause("MA-070", "MA-120", "MA-510")
def test_a_hit_modifier_for_the_next_use_serves_both_hands_of_one_attack() -> None:
    table = duel(True, jagna={}, borys={})
    put(table, "jagna", "next_hit_modifier", 5)

    done = table.play("double_attack", "jagna", "borys", **NONE, to_hit=30, second_hand=1)

    assert [terms(check)["next_hit_modifier"] for check in done.of(ev.CheckRolled)] == [5, 5]
    assert not table.has("jagna", "next_hit_modifier")


@pytest.mark.clause("MA-070", "MA-150")
def test_a_modifier_of_damage_taken_for_the_next_use_waits_for_a_hit() -> None:
    table = duel(True, jagna={}, borys={"soak": 0})
    put(table, "borys", "next_damage_taken_modifier", 4)

    table.play("melee_attack", "jagna", "borys", **NONE, to_hit=1)
    assert table.has("borys", "next_damage_taken_modifier")
    done = table.play("melee_attack", "jagna", "borys", **NONE, to_hit=50, damage=1)

    assert done.one(ev.DamageDealt).raw == 1 + 1 + 6 + 4
    assert not table.has("borys", "next_damage_taken_modifier")


@pytest.mark.clause("MA-360", "MA-620")
def test_who_was_tightened_cannot_run_once_free() -> None:
    table = duel(True, ogr={}, borys={})
    put(table, "borys", "grabbed", against="ogr")
    table.play("tighten_hold", "ogr", **NONE, to_hit=90)
    table.play("release_hold", "ogr")
    table.end_turn()

    assert table.why_not("run", "borys", path=[(1, 1)]) == ["fatigued_cannot_run"]
    assert table.why_not("walk", "borys", path=[(1, 1)]) == []


@pytest.mark.clause("MA-650", "MA-210", "MA-370")
def test_lying_counts_against_a_throw_even_in_a_hold() -> None:
    table = duel(True, 1, halina={"items": held(throwing_knife="main")}, borys={}, ogr={"side": "halina"})
    put(table, "borys", "lying")
    put(table, "borys", "grabbed", against="ogr")

    done = table.play("throw_attack", "halina", "borys", **QUIET, to_hit=1)

    assert st(done) == 55


@pytest.mark.clause("MA-490", "MA-300")
def test_a_grab_from_the_ground_is_possible() -> None:
    table = duel(True, borys={}, jagna={})
    put(table, "borys", "knocked_down")

    done = table.play("grab", "borys", "jagna", **NONE, to_hit=60)

    assert (st(done), table.has("jagna", "grabbed")) == (58, True)


@pytest.mark.clause("MA-020", "MA-220", "MA-040")
def test_every_point_counts_when_two_attack_in_a_row() -> None:
    table = set_ap(fight(ogr={"at": (0, 0)}, jagna={"at": (2, 0), "side": "ogr"}, borys={"at": (1, 0)}), borys=2)

    first = table.play("melee_attack", "ogr", "borys", immediate_response="drop_prone", defend="dodge", to_hit=1)
    table.end_turn()
    second = table.play("melee_attack", "jagna", "borys", to_hit=1)

    assert (st(first), st(second), ap(table, "borys")) == (72, 50, 0)
    assert asked(second) == []


@pytest.mark.clause("MA-080", "MA-600")
def test_without_a_map_moving_makes_old_distances_unknown() -> None:
    table = fight(apart={"borys-jagna": 1}, borys={}, jagna={})

    table.play("walk", "borys", said={"length": 1})

    assert table.why_not("melee_attack", "borys", "jagna") == ["missing_input"]


@pytest.mark.clause("MA-540", "MA-080")
def test_after_a_charge_without_a_map_they_are_adjacent() -> None:
    table = duel(False, 3, borys={}, jagna={})

    table.play("charge", "borys", "jagna", said={"units_free": 2}, **NONE, to_hit=1)

    assert ap(table, "borys") == 4
    assert table.why_not("melee_attack", "borys", "jagna") == []


@pytest.mark.clause("MA-210", "MA-740", "MA-730")
def test_a_hidden_archer_behind_a_corner_is_spotted_only_by_who_sees_her() -> None:
    table = fight(
        walls=(wall((-5, 0.5), (5, 0.5)),),
        halina={"at": (0, 0)},
        borys={"at": (8, 0, WEST)},
        ogr={"at": (0, 3), "side": "borys"},
    )
    put(table, "halina", "hidden")

    table.play("ranged_attack", "halina", "borys", to_hit=1)

    assert table.has("halina", "spotted")
    set_pool(table, "borys", "hp", 0)
    table.end_turn()
    assert not table.has("halina", "spotted"), "the only one who saw her is down"


@pytest.mark.clause("MA-560", "MA-540")
def test_everything_at_once_is_refused_with_every_reason() -> None:
    table = set_ap(set_pool(duel(True, 8, borys={}, jagna={}), "borys", "fatigue", 1), borys=2)
    put(table, "borys", "lying")

    found = table.why_not("charge", "borys", "jagna", options={"combine": ["two_handed_attack", "leaping_attack"]})

    assert found == ["not_enough_ap", "must_stand", "no_free_hand", "manoeuvres_do_not_combine", "fatigued_cannot_run"]
