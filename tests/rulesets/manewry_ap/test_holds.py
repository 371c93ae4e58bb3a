"""Grabbing, holding, tightening, releasing, breaking free. Clauses MA-300 to MA-435."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.space.model import Place
from app.engine.state import Item
from tests.rulesets.manewry_ap.fights import (
    ap,
    asked,
    both_ways,
    duel,
    fight,
    held,
    options,
    pool,
    put,
    set_pool,
    st,
    terms,
    total,
)
from tests.support.log_lines import logged
from tests.support.play import PlayTable

QUIET: dict[str, Any] = {"immediate_response": "none"}


def held_fight(on_map: bool = True, *, option: dict[str, Any] | None = None, **more: Any) -> PlayTable:
    """The ogre holds Borys, and Halina and Jagna are about, against both."""
    if on_map:
        people: dict[str, Any] = {
            "ogr": {"at": (0, 0, 90)},
            "borys": {"at": (1, 0, 270)},
            "halina": {"at": (1, 5)},
            "jagna": {"at": (0, 1)},
        }
        placed: dict[str, Any] = {name: {**fields, **more.get(name, {})} for name, fields in people.items()}
        table = fight(options=option, **placed)
    else:
        far = {"ogr-borys": 1, "halina-borys": 5, "halina-ogr": 5, "jagna-borys": 1, "jagna-ogr": 1}
        table = fight(
            options=option,
            apart=far,
            sees={"halina-borys": True, "halina-ogr": True},
            **{name: more.get(name, {}) for name in ("ogr", "borys", "halina", "jagna")},
        )
    table.rule(cmd.AddEffect(CombatantId("borys"), "grabbed", against=CombatantId("ogr")))
    return table


# Grab


@both_ways
@pytest.mark.clause("MA-300")
@pytest.mark.parametrize(
    ("items", "weapon", "bare", "price"),
    [
        ({"sword": "main"}, "sword", False, 4),
        ({"greatsword": "both"}, "greatsword", False, 5),
        ({"sword": "main"}, None, True, 3),
        ({}, None, False, 3),
        ({"bow": "both"}, "bow", False, 3),
        ({"shield": "main", "sword": "off"}, "shield", False, 3),
    ],
)
def test_a_grab_costs_what_a_melee_attack_with_that_item_costs(
    on_map: bool, items: dict[str, str | None], weapon: str | None, bare: bool, price: int
) -> None:
    table = duel(on_map, borys={"items": held(**items)}, jagna={})
    fields: dict[str, Any] = {"options": {"bare_hands": True}} if bare else {}

    table.play("grab", "borys", "jagna", weapon=weapon, **fields, **QUIET, defend="none", to_hit=1)

    assert ap(table, "borys") == 10 - price


@pytest.mark.clause("MA-300")
def test_any_object_in_hand_counts_as_fists() -> None:
    table = duel(True, borys={"items": {"chair": Item("thing", held="both")}}, jagna={})

    done = table.play("grab", "borys", "jagna", weapon="chair", **QUIET, defend="none", to_hit=40)

    assert ap(table, "borys") == 7
    assert done.check.outcome == "success"


@both_ways
@pytest.mark.clause("MA-300")
@pytest.mark.parametrize(
    ("items", "far", "fields", "reasons"),
    [
        ({"sword": "main"}, 1, {}, []),
        ({"sword": "main"}, 2, {}, ["not_adjacent"]),
        ({"spear": "main"}, 2, {}, ["not_adjacent"]),
        ({"sword": None}, 1, {"weapon": "sword"}, ["weapon_not_ready"]),
        ({"sword": "main", "shield": "off"}, 1, {"options": {"bare_hands": True}}, ["weapon_not_ready"]),
    ],
)
def test_the_target_is_next_to_him_and_the_item_in_hand(
    on_map: bool, items: dict[str, str | None], far: int, fields: dict[str, Any], reasons: list[str]
) -> None:
    table = duel(on_map, far, borys={"items": held(**items)}, jagna={})

    assert table.why_not("grab", "borys", "jagna", **fields) == reasons


@both_ways
@pytest.mark.clause("MA-300")
def test_only_an_enemy_is_grabbed(on_map: bool) -> None:
    table = duel(on_map, borys={}, jagna={"side": "borys"})

    assert table.why_not("grab", "borys", "jagna") == ["not_an_enemy"]


@both_ways
@pytest.mark.clause("MA-310", "MA-320")
@pytest.mark.parametrize(("roll", "success"), [(56, True), (55, False)])
def test_a_grab_is_a_hit_test_at_eight_more_and_does_no_damage(on_map: bool, roll: int, success: bool) -> None:
    table = duel(on_map, ogr={}, borys={})
    put(table, "ogr", "damage_dealt_modifier", 10)

    done = table.play("grab", "ogr", "borys", **QUIET, defend="dodge", to_hit=roll)

    assert (st(done), done.check.outcome == "success", ap(table, "ogr")) == (70, success, 5)
    assert (table.has("borys", "grabbed"), table.has("ogr", "holding")) == (success, success)
    assert done.of(ev.DamageDealt) == []
    assert pool(table, "borys", "hp") == 46


@pytest.mark.clause("MA-310")
def test_defence_and_hit_modifiers_count_in_a_grab() -> None:
    table = duel(True, ogr={}, borys={})
    put(table, "ogr", "hit_modifier", 5)
    put(table, "borys", "dodge_modifier", 6)

    done = table.play("grab", "ogr", "borys", **QUIET, defend="dodge", to_hit=57)

    assert (st(done), total(done.check)) == (76, 76)


# What the two may do


@both_ways
@pytest.mark.clause("MA-330")
@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("drop_prone", {}),
        ("stand_up", {}),
        ("ready_item", {"weapon": "sword", "options": {"handling": "let_go"}}),
        ("rest", {}),
        ("crawl", {"path": [(1, 1)]}),
    ],
)
def test_who_is_grabbed_may_only_break_free(on_map: bool, action: str, fields: dict[str, Any]) -> None:
    table = held_fight(on_map)
    table.end_turn()
    if not on_map and "path" in fields:
        fields = {"said": {"length": 1}}

    found = table.why_not(action, "borys", **fields)

    assert "grabbed_may_only_break_free" in found
    assert table.why_not("break_free", "borys") == []
    assert table.why_not("end_turn", "borys") == []
    assert ap(table, "borys") == 10


@pytest.mark.clause("MA-330")
def test_the_grabbed_attacks_nobody_and_drops_in_no_window() -> None:
    table = held_fight()

    done = table.play("tighten_hold", "ogr", immediate_response="none", defend="none", to_hit=1)
    assert options(done, "immediate_response") == ["break_free", "none"]
    table.end_turn()
    assert table.why_not("melee_attack", "borys", "ogr") == ["grabbed_may_only_break_free"]


@both_ways
@pytest.mark.clause("MA-340", "MA-350")
def test_the_holder_may_only_release_or_tighten(on_map: bool) -> None:
    table = held_fight(on_map)

    assert table.why_not("melee_attack", "ogr", "jagna") == ["holding_may_only_release_or_tighten"]
    assert table.why_not("grab", "ogr", "jagna") == ["holding_may_only_release_or_tighten"]
    assert table.why_not("rest", "ogr") == ["holding_may_only_release_or_tighten"]

    table.play("release_hold", "ogr")
    assert not table.has("borys", "grabbed")
    table.play("melee_attack", "ogr", "jagna", **QUIET, defend="none", to_hit=1)
    assert ap(table, "ogr") == 4


@pytest.mark.clause("MA-350")
def test_a_release_ends_one_hold_and_others_stay() -> None:
    table = held_fight()
    put(table, "borys", "grabbed", against="jagna")

    let_go = table.play("release_hold", "ogr")

    assert table.has("borys", "grabbed")
    assert not table.has("ogr", "holding")
    assert table.has("jagna", "holding")
    assert "One of the holds on borys is over." in logged(table, let_go.events)
    assert "borys is free of the hold." not in logged(table, let_go.events)


@both_ways
@pytest.mark.clause("MA-350")
def test_who_holds_nobody_releases_and_tightens_nothing(on_map: bool) -> None:
    table = duel(on_map, ogr={}, borys={})

    assert table.why_not("release_hold", "ogr") == ["not_holding"]
    assert table.why_not("tighten_hold", "ogr") == ["not_holding"]


@pytest.mark.clause("MA-350")
def test_only_the_one_who_is_held_can_be_named() -> None:
    table = held_fight()

    assert table.why_not("release_hold", "ogr", "jagna") == ["not_holding"]
    assert table.why_not("tighten_hold", "ogr", "jagna") == ["not_holding"]
    assert table.why_not("tighten_hold", "ogr", "borys") == []


# Tightening


@both_ways
@pytest.mark.clause("MA-360")
def test_tightening_repeats_the_test_for_a_fatigue_marker(on_map: bool) -> None:
    table = held_fight(on_map)

    first = table.play("tighten_hold", "ogr", **QUIET, defend="dodge", to_hit=60)
    assert (st(first), total(first.check), pool(table, "borys", "fatigue")) == (70, 74, 1)
    second = table.play("tighten_hold", "ogr", **QUIET, defend="dodge", to_hit=50)

    assert (total(second.check), pool(table, "borys", "fatigue"), ap(table, "ogr")) == (64, 1, 0)
    assert table.has("borys", "grabbed"), "on failure the hold goes on"
    assert pool(table, "borys", "hp") == 46
    assert table.why_not("tighten_hold", "ogr") == ["not_enough_ap"]


@pytest.mark.clause("MA-360")
def test_by_option_the_held_has_no_defence_against_his_holder() -> None:
    table = held_fight(option={"held_defends_against_holder": False})

    done = table.play("tighten_hold", "ogr", **QUIET, to_hit=1)

    assert (asked(done), st(done)) == (["immediate_response"], 58)


@pytest.mark.clause("MA-300", "MA-360")
def test_tightening_costs_what_the_grab_cost() -> None:
    table = duel(True, borys={"items": held(sword="main")}, jagna={})
    table.play("grab", "borys", "jagna", options={"bare_hands": True}, **QUIET, defend="none", to_hit=60)
    assert ap(table, "borys") == 7

    table.play("tighten_hold", "borys", **QUIET, defend="none", to_hit=1)

    assert ap(table, "borys") == 4


# Outsiders


@both_ways
@pytest.mark.clause("MA-370")
def test_neither_of_the_two_can_defend_against_outsiders(on_map: bool) -> None:
    table = held_fight(on_map)
    put(table, "borys", "dodge_modifier", 6)
    put(table, "borys", "cover_modifier", 6)
    table.until_turn_of("halina")

    done = table.play("ranged_attack", "halina", "borys", **QUIET, to_hit=1)
    assert (asked(done), st(done)) == (["immediate_response"], 50)
    table.end_turn()
    leap = table.play("leaping_attack", "jagna", "borys", **QUIET, to_hit=1)
    assert st(leap) == 55


@both_ways
@pytest.mark.clause("MA-370")
def test_a_holder_who_lets_go_in_the_window_defends_himself(on_map: bool) -> None:
    table = held_fight(on_map)
    table.until_turn_of("halina")

    done = table.play("ranged_attack", "halina", "ogr", immediate_response="release_hold", defend="dodge", to_hit=1)

    assert options(done, "immediate_response") == ["release_hold", "none"]
    assert (st(done), ap(table, "ogr"), table.has("borys", "grabbed")) == (56, 8, False)


@both_ways
@pytest.mark.clause("MA-370", "MA-390")
def test_the_grabbed_may_break_free_in_the_window_and_then_defend(on_map: bool) -> None:
    table = held_fight(on_map)
    table.until_turn_of("halina")

    done = table.play(
        "ranged_attack",
        "halina",
        "borys",
        immediate_response="break_free",
        ogr__hold=50,
        borys__break_free=60,
        defend="cover",
        to_hit=1,
    )

    assert done.of(ev.CheckRolled)[1].target == 60
    assert (ap(table, "borys"), ap(table, "ogr")) == (8, 10)


@pytest.mark.clause("MA-370")
def test_lying_and_grab_still_count_against_the_held() -> None:
    table = held_fight()
    put(table, "borys", "lying")
    table.until_turn_of("halina")

    shot = table.play("ranged_attack", "halina", "borys", **QUIET, to_hit=1)
    assert st(shot) == 55


# Size


@both_ways
@pytest.mark.clause("MA-380")
@pytest.mark.parametrize(
    ("mine", "his", "reasons"),
    [
        (1.0, 1.5, []),
        (1.0, 1.6, ["target_too_large"]),
        (1.6, 2.4, []),
        (1.6, 2.5, ["target_too_large"]),
        (0.7, 1.0, []),
        (0.7, 1.1, ["target_too_large"]),
    ],
)
def test_the_target_is_at_most_half_as_large_again(on_map: bool, mine: float, his: float, reasons: list[str]) -> None:
    table = duel(on_map, borys={"size": mine}, ogr={"size": his})

    assert table.why_not("grab", "borys", "ogr") == reasons


# Breaking free


@both_ways
@pytest.mark.clause("MA-390", "MA-410")
@pytest.mark.parametrize(("roll", "free"), [(60, True), (59, False)])
def test_strength_against_strength(on_map: bool, roll: int, free: bool) -> None:
    table = held_fight(on_map)
    table.end_turn()

    done = table.play("break_free", "borys", ogr__hold=50, borys__break_free=roll)

    assert (st(done), total(done.check)) == (78, roll + 18)
    assert table.has("borys", "grabbed") != free
    assert table.has("ogr", "holding") != free
    assert (ap(table, "borys"), ap(table, "ogr")) == (9, 10)


@both_ways
@pytest.mark.clause("MA-390")
def test_who_is_not_grabbed_breaks_nothing(on_map: bool) -> None:
    table = duel(on_map, borys={}, ogr={})

    assert table.why_not("break_free", "borys") == ["not_grabbed"]


@pytest.mark.clause("MA-390")
def test_modifiers_of_strength_count_on_both_sides_and_no_others() -> None:
    table = held_fight()
    put(table, "ogr", "str_modifier", -8)
    put(table, "ogr", "hit_modifier", 50)
    put(table, "borys", "dodge_modifier", 50)
    put(table, "borys", "next_str_modifier", 2)
    table.end_turn()

    done = table.play("break_free", "borys", ogr__hold=50, borys__break_free=50)

    assert (st(done), total(done.check), table.has("borys", "next_str_modifier")) == (70, 70, False)


def two_holders(**option: Any) -> PlayTable:
    """Somebody of STR 28 held by one of STR 12 and one of STR 18."""
    table = fight(
        options=option,
        held={"at": (0, 0), "sample": "ogr"},
        one={"at": (1, 0), "sample": "borys", "str": 12},
        two={"at": (0, 1), "sample": "borys", "str": 18},
    )
    put(table, "held", "grabbed", against="one")
    put(table, "held", "grabbed", against="two")
    return table


@pytest.mark.clause("MA-400", "MA-410")
@pytest.mark.parametrize(("roll", "free"), [(37, True), (36, False)])
def test_several_holders_add_up_and_one_test_is_for_all(roll: int, free: bool) -> None:
    table = two_holders()

    done = table.play("break_free", "held", one__hold=20, two__hold=15, held__break_free=roll)

    assert (st(done), done.check.outcome == "success") == (65, free)
    assert table.has("held", "grabbed") != free
    assert (table.has("one", "holding"), table.has("two", "holding")) == (not free, not free)
    assert sum(line.endswith("is free of the hold.") for line in logged(table, done.events)) == free


@pytest.mark.clause("MA-400")
@pytest.mark.parametrize(("roll", "free"), [(17, True), (16, False)])
def test_by_option_the_highest_counts_and_the_strength_of_the_others(roll: int, free: bool) -> None:
    table = two_holders(several_holders_st="highest_plus_str")

    done = table.play("break_free", "held", one__hold=20, two__hold=15, held__break_free=roll)

    assert st(done) == 33 + 12
    assert terms(done.check) == {"holder": 15, "holder_str": 12 + 18, "str": 28}
    assert done.check.outcome == ("success" if free else "failure")


@pytest.mark.clause("MA-400")
def test_the_holders_roll_side_by_side() -> None:
    table = two_holders()

    done = table.play("break_free", "held", one__hold=..., two__hold=...)

    assert sorted(ask.key.rsplit("/", 2)[-2] for ask in done.open) == ["one", "two"]


@pytest.mark.clause("MA-410")
def test_the_freed_spends_what_is_left() -> None:
    table = held_fight(borys={"at": (1, 0, 270)})
    table.end_turn()
    table.play("break_free", "borys", ogr__hold=1, borys__break_free=90)

    table.play("run", "borys", path=[(10, 0)])

    assert ap(table, "borys") == 0


@both_ways
@pytest.mark.clause("MA-420")
@pytest.mark.parametrize("down", ["ogr", "borys"])
def test_a_hold_ends_when_one_of_them_goes_down(on_map: bool, down: str) -> None:
    table = held_fight(on_map)

    set_pool(table, down, "hp", 0)

    assert not table.has("borys", "grabbed")
    assert not table.has("ogr", "holding")


@pytest.mark.clause("MA-420")
def test_a_hold_ends_when_they_are_moved_apart() -> None:
    table = held_fight()

    table.rule(cmd.Reposition(CombatantId("borys"), Place(400, 0, 0)))

    assert table.why_not("walk", "ogr", path=[(0, -1)]) == []
    table.end_turn()
    assert not table.has("borys", "grabbed")


@both_ways
@pytest.mark.clause("MA-420")
def test_who_frees_himself_from_a_tightening_is_not_tested(on_map: bool) -> None:
    table = held_fight(on_map)

    done = table.play("tighten_hold", "ogr", immediate_response="break_free", ogr__hold=1, borys__break_free=90)

    assert len(done.of(ev.CheckRolled)) == 1, "only that of the one who broke free"
    assert (ap(table, "ogr"), ap(table, "borys"), pool(table, "borys", "fatigue")) == (5, 9, 0)


@both_ways
@pytest.mark.clause("MA-430")
def test_others_may_grab_the_held_as_outsiders(on_map: bool) -> None:
    table = held_fight(on_map)
    table.until_turn_of("jagna")

    done = table.play("grab", "jagna", "borys", **QUIET, to_hit=43)
    assert (asked(done), st(done)) == (["immediate_response"], 58)
    assert table.has("jagna", "holding")

    tightened = table.play("tighten_hold", "jagna", **QUIET, defend="dodge", to_hit=1)
    assert st(tightened) == 70, "now the second holder is in the hold"


@both_ways
@pytest.mark.clause("MA-435")
def test_a_holder_who_is_grabbed_may_break_free_or_release(on_map: bool) -> None:
    table = duel(on_map, borys={}, ogr={}, halina={"at": (0, 1)} if on_map else {})
    if not on_map:
        table.rule(cmd.SetEngaged(CombatantId("borys"), CombatantId("halina"), engaged=True))
    put(table, "halina", "grabbed", against="borys")
    put(table, "borys", "grabbed", against="ogr")

    both = ["grabbed_may_only_break_free", "holding_may_only_release_or_tighten"]
    assert table.why_not("tighten_hold", "borys") == ["grabbed_may_only_break_free"]
    assert table.why_not("melee_attack", "borys", "ogr") == both
    assert table.why_not("drop_prone", "borys") == both
    assert table.why_not("break_free", "borys") == []
    table.play("release_hold", "borys")
    assert (table.has("halina", "grabbed"), table.has("borys", "grabbed")) == (False, True)


@pytest.mark.clause("MA-435")
def test_breaking_free_does_not_release_the_own_captive() -> None:
    table = duel(True, borys={}, ogr={}, halina={"at": (0, 1)})
    put(table, "halina", "grabbed", against="borys")
    put(table, "borys", "grabbed", against="ogr")

    table.play("break_free", "borys", ogr__hold=1, borys__break_free=90)

    assert (table.has("halina", "grabbed"), table.has("borys", "grabbed"), table.has("borys", "holding")) == (
        True,
        False,
        True,
    )


@pytest.mark.clause("MA-330")
def test_a_refused_answer_leaves_the_window_open() -> None:
    table = held_fight()
    table.until_turn_of("halina")

    with pytest.raises(Refused) as refused:
        table.play("ranged_attack", "halina", "borys", immediate_response="drop_prone")

    assert [one.code for one in refused.value.reasons] == ["grabbed_may_only_break_free"]
