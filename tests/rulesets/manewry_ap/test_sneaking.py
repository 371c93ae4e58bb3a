"""Hiding, who notices, discovery, attacks from hiding. Clauses MA-640, MA-645, MA-700 to MA-750."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import PairFact
from tests.rulesets.manewry_ap.fights import (
    EAST,
    NORTH,
    SOUTH,
    WEST,
    ap,
    asked,
    both_ways,
    duel,
    fight,
    place,
    put,
    set_pool,
    st,
    terms,
    total,
    wall,
)
from tests.support.play import PlayTable

QUIET: dict[str, Any] = {"immediate_response": "none"}
SNEAK: dict[str, Any] = {"path": [(0, 1)]}


def watched(*, options: dict[str, Any] | None = None, **foes: Any) -> PlayTable:
    """Jagna, who sneaks, among enemies of hers."""
    placed: dict[str, Any] = {name: {"side": "foes", **fields} for name, fields in foes.items()}
    return fight(options=options, jagna={"at": (0, 0)}, **placed)


FIRST = {"sample": "borys", "at": (5, 0, WEST), "listening": 8, "spotting": 9}
SECOND = {"sample": "borys", "at": (5, 1, WEST), "listening": 12, "spotting": 15}


# The test


@pytest.mark.clause("MA-700", "MA-710")
@pytest.mark.parametrize(("roll", "hidden"), [(49, True), (48, False)])
def test_one_roll_must_reach_what_every_enemy_makes_of_the_st(roll: int, hidden: bool) -> None:
    table = watched(first=FIRST)

    done = table.play("sneak", "jagna", **SNEAK, hide=roll)

    assert (st(done), total(done.check)) == (67, roll + 18)
    assert table.has("jagna", "hidden") == hidden
    assert table.has("jagna", "spotted") != hidden
    assert terms(done.check) == {"base_st": 50, "listening": 8, "spotting": 9, "stealth": 18}


@pytest.mark.clause("MA-710", "MA-730")
def test_noticed_by_one_is_hidden_to_none() -> None:
    table = watched(first=FIRST, second=SECOND)

    done = table.play("sneak", "jagna", **SNEAK, hide=50)

    assert len(done.of(ev.CheckRolled)) == 1
    assert total(done.check) == 68
    assert [event.combatant for event in done.of(ev.Noted)] == ["second"], "the first has not noticed her"
    assert (table.has("jagna", "hidden"), table.has("jagna", "spotted")) == (False, True)
    assert place(table, "jagna") == (0, 1), "the movement goes on"


@pytest.mark.clause("MA-700")
def test_the_test_comes_with_every_own_turn_begun_hidden() -> None:
    table = watched(first=FIRST)
    table.play("sneak", "jagna", **SNEAK, hide=50)
    assert ap(table, "jagna") == 8
    again = table.play("sneak", "jagna", path=[(0, 2)])
    assert again.of(ev.CheckRolled) == [], "one result stands until her next turn"
    table.end_turn()

    done = table.end_turn(hide=10)

    assert table.turn == "jagna"
    assert (st(done), table.has("jagna", "hidden")) == (67, False)


@pytest.mark.clause("MA-700")
def test_with_nobody_to_notice_no_roll_is_needed() -> None:
    table = watched(first={**FIRST, "at": (90, 0, WEST)})
    table.state.scenery.facts.clear()
    far = fight(
        walls=(wall((50, -99), (50, 99)),), jagna={"at": (0, 0)}, first={**FIRST, "at": (90, 0, WEST), "side": "foes"}
    )

    done = far.play("sneak", "jagna", **SNEAK)

    assert done.of(ev.CheckRolled) == []
    assert far.has("jagna", "hidden")
    assert table.play("sneak", "jagna", **SNEAK, hide=90).of(ev.CheckRolled), "in sight, however far"


@pytest.mark.clause("MA-710")
@pytest.mark.parametrize(("far", "rolls"), [(20, 1), (21, 0)])
def test_within_earshot_without_sight_one_only_listens(far: int, rolls: int) -> None:
    table = fight(
        walls=(wall((10.5, -99), (10.5, 99)),),
        jagna={"at": (0, 0)},
        first={**FIRST, "at": (far, 0, WEST), "side": "foes"},
    )
    answers = {"hide": 40} if rolls else {}

    done = table.play("sneak", "jagna", **SNEAK, **answers)

    assert [check.target for check in done.of(ev.CheckRolled)] == [58] * rolls
    assert table.has("jagna", "hidden")


@pytest.mark.clause("MA-710")
def test_earshot_is_an_option() -> None:
    table = fight(
        options={"earshot_units": 5},
        walls=(wall((3.5, -99), (3.5, 99)),),
        jagna={"at": (0, 0)},
        first={**FIRST, "at": (6, 0, WEST), "side": "foes"},
    )

    assert table.play("sneak", "jagna", **SNEAK).of(ev.CheckRolled) == []


@pytest.mark.clause("MA-710")
def test_the_unconscious_and_friends_notice_nothing() -> None:
    table = fight(jagna={"at": (0, 0)}, borys={"at": (3, 0)}, halina={"at": (2, 0), "side": "jagna"})
    set_pool(table, "borys", "hp", 0)

    assert table.play("sneak", "jagna", **SNEAK).of(ev.CheckRolled) == []


@pytest.mark.clause("MA-710")
def test_by_option_each_is_asked_whether_he_tries() -> None:
    table = watched(options={"detection": "ask"}, first=FIRST, second=SECOND)

    done = table.play("sneak", "jagna", **SNEAK, first__detect="try", second__detect="let_be", hide=49)

    assert asked(done) == ["detect", "detect"]
    assert (st(done), table.has("jagna", "hidden")) == (67, True)


@pytest.mark.clause("MA-720", "MA-830")
@pytest.mark.parametrize(
    ("facing", "target"), [(EAST, 62), (WEST, 77), (NORTH, 77), (SOUTH, 77), (91, 62), (1, 62), (179, 62), (359, 77)]
)
def test_behind_the_back_only_listening_counts(facing: int, target: int) -> None:
    table = watched(second={**SECOND, "at": (5, 0, facing)})

    done = table.play("sneak", "jagna", **SNEAK, hide=50)

    assert st(done) == target
    assert table.has("jagna", "hidden") == (target <= 68)


@pytest.mark.clause("MA-080", "MA-710", "MA-720")
@pytest.mark.parametrize(
    ("said", "behind", "target"),
    [
        ({"sees": {"second": True}}, [], 77),
        ({"sees": {"second": True}}, ["second"], 62),
        ({"sees": {"second": False}, "distance": {"second": 20}}, None, 62),
        ({"sees": {"second": False}, "distance": {"second": 21}}, None, None),
    ],
)
def test_without_a_map_who_notices_is_stated(
    said: dict[str, Any], behind: list[str] | None, target: int | None
) -> None:
    table = fight(jagna={}, second={"sample": "borys", "listening": 12, "spotting": 15})
    options = {} if behind is None else {"behind": behind}
    answers = {} if target is None else {"hide": 60}

    done = table.play("sneak", "jagna", said={"length": 1, **said}, options=options, **answers)

    assert [check.target for check in done.of(ev.CheckRolled)] == ([] if target is None else [target])


@pytest.mark.clause("MA-700", "MA-710")
@pytest.mark.parametrize(
    ("answer", "target"),
    [
        ("all_see", 77),
        ("nobody", None),
        (("these", {"in_sight": ["second"]}), 77),
        (("these", {"in_sight": ["second"], "behind": ["second"]}), 62),
        (("these", {"in_earshot": ["second"]}), 62),
        (("these", {}), None),
    ],
)
def test_at_the_start_of_a_turn_without_a_map_the_gm_says_who_could_notice(answer: Any, target: int | None) -> None:
    table = fight(jagna={}, second={"sample": "borys", "listening": 12, "spotting": 15})
    put(table, "jagna", "hidden")
    table.end_turn()
    answers = {} if target is None else {"hide": 90}

    done = table.end_turn(perception=answer, **answers)

    assert done.questions("perception")[0].to == "gm"
    assert [check.target for check in done.of(ev.CheckRolled)] == ([] if target is None else [target])
    assert table.has("jagna", "hidden")


@pytest.mark.clause("MA-720")
def test_a_stated_side_serves_at_the_start_of_a_turn() -> None:
    table = fight(jagna={}, second={"sample": "borys", "listening": 12, "spotting": 15})
    put(table, "jagna", "hidden")
    for one, other, fact in (("jagna", "second", PairFact(sees=True)), ("second", "jagna", PairFact(arc="behind"))):
        table.rule(cmd.SetFact(CombatantId(one), CombatantId(other), fact))
    table.end_turn()

    done = table.end_turn(hide=50)

    assert st(done) == 62


# In the middle of a turn


@pytest.mark.clause("MA-645")
def test_sneaking_declared_after_a_run_is_tested_before_the_first_unit() -> None:
    table = watched(first=FIRST)
    table.play("run", "jagna", path=[(0, 2)])

    done = table.play("sneak", "jagna", path=[(0, 5)], hide=60)

    assert (ap(table, "jagna"), table.has("jagna", "hidden")) == (2, True)
    kinds = [type(event).__name__ for event in done.events]
    assert kinds.index("CheckRolled") < kinds.index("Moved")


@pytest.mark.clause("MA-645", "MA-730")
def test_a_failed_test_forbids_hiding_and_not_walking() -> None:
    table = watched(first=FIRST)
    table.play("sneak", "jagna", path=[(0, 1)], hide=1)

    assert table.why_not("sneak", "jagna", path=[(0, 2)]) == ["in_enemy_sight"]
    table.play("walk", "jagna", path=[(0, 2)])
    assert ap(table, "jagna") == 6


@pytest.mark.clause("MA-645", "MA-750")
@pytest.mark.parametrize("action", ["run", "walk", "crawl"])
def test_moving_openly_ends_the_sneak_and_another_needs_a_new_test(action: str) -> None:
    table = watched(first=FIRST)
    table.play("sneak", "jagna", path=[(0, 1)], hide=90)
    table.play(action, "jagna", path=[(0, 2)])
    assert not table.has("jagna", "hidden")
    if action == "crawl":
        return

    done = table.play("sneak", "jagna", path=[(0, 3)], hide=90)

    assert len(done.of(ev.CheckRolled)) == 1


# Discovery


@pytest.mark.clause("MA-730")
def test_who_was_spotted_may_hide_again_once_out_of_everybodys_sight() -> None:
    table = fight(
        walls=(wall((2.5, 2.5), (2.5, 9)),),
        jagna={"at": (0, 0)},
        halina={"at": (9, 3, WEST), "side": "foes"},
        borys={"at": (9, 4, WEST), "side": "foes"},
    )
    table.play("sneak", "jagna", path=[(0, 1)], hide=1)
    table.until_turn_of("jagna")
    found = table.reasons("sneak", "jagna", path=[(0, 2)])
    assert [(one.code, one.clause) for one in found] == [("in_enemy_sight", "MA-730")]

    table.play("run", "jagna", path=[(1, 5)])
    assert not table.has("jagna", "spotted")
    done = table.play("sneak", "jagna", path=[(1, 6)], hide=60)

    assert table.has("jagna", "hidden")
    assert st(done) == 50 + 12, "both only listen, and Halina hears better"


@pytest.mark.clause("MA-730")
@pytest.mark.parametrize(("sees", "reasons"), [(True, ["in_enemy_sight"]), (False, [])])
def test_without_a_map_sight_is_stated_again(sees: bool, reasons: list[str]) -> None:
    table = fight(jagna={}, second={"sample": "borys"})
    put(table, "jagna", "spotted")
    said = {"length": 1, "sees": {"second": sees}, "distance": {"second": 5}}

    assert table.why_not("sneak", "jagna", said=said) == reasons
    if not sees:
        table.play("sneak", "jagna", said=said, hide=90)
        assert (table.has("jagna", "hidden"), table.has("jagna", "spotted")) == (True, False)


# From hiding


@both_ways
@pytest.mark.clause("MA-740", "MA-250")
def test_the_first_attack_is_a_surprise_and_the_second_is_not(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={})
    put(table, "jagna", "hidden")

    first = table.play("melee_attack", "jagna", "borys", to_hit=1)
    second = table.play("melee_attack", "jagna", "borys", **QUIET, defend="parry", to_hit=1)

    assert (asked(first), st(first), st(second)) == ([], 50, 72)
    assert (table.has("jagna", "hidden"), table.has("jagna", "spotted")) == (False, True)


@pytest.mark.clause("MA-740")
def test_by_option_the_attacker_stays_hidden() -> None:
    table = duel(True, options={"attack_reveals": False}, jagna={}, borys={})
    put(table, "jagna", "hidden")

    table.play("melee_attack", "jagna", "borys", to_hit=1)

    assert (table.has("jagna", "hidden"), table.has("jagna", "spotted")) == (True, False)


@pytest.mark.clause("MA-740")
def test_a_shot_from_out_of_sight_of_all_leaves_nobody_spotted() -> None:
    table = fight(apart={"halina-borys": 5}, halina={}, borys={})
    put(table, "halina", "hidden")
    table.rule(cmd.SetFact(CombatantId("halina"), CombatantId("borys"), PairFact(distance=500, sees=True)))

    table.play("ranged_attack", "halina", "borys", to_hit=1)

    assert table.has("halina", "spotted")


@both_ways
@pytest.mark.clause("MA-750", "MA-540")
def test_a_charge_from_hiding_is_a_surprise_and_gives_away(on_map: bool) -> None:
    table = duel(on_map, 4, jagna={}, borys={})
    put(table, "jagna", "hidden")
    fields = {} if on_map else {"said": {"units_free": 3}}

    done = table.play("charge", "jagna", "borys", **fields, to_hit=50, damage=1)

    assert (asked(done), st(done)) == ([], 50)
    assert terms_of_damage(done)["charge"] == 6
    assert not table.has("jagna", "hidden")


def terms_of_damage(done: Any) -> dict[str, int]:
    """The parts of the damage."""
    return {term.id: term.value for term in done.one(ev.DamageDealt).terms}


@pytest.mark.clause("MA-750")
def test_a_grab_ends_hiding_even_if_attacks_do_not() -> None:
    table = duel(True, options={"attack_reveals": False}, jagna={}, borys={})
    put(table, "jagna", "hidden")

    done = table.play("grab", "jagna", "borys", to_hit=1)

    assert (asked(done), st(done), table.has("jagna", "hidden")) == ([], 58, False)


@both_ways
@pytest.mark.clause("MA-750")
def test_being_struck_at_ends_it_and_he_may_still_defend(on_map: bool) -> None:
    table = duel(on_map, jagna={}, borys={"side": "jagna"}, halina={})
    put(table, "borys", "hidden")

    done = table.play("melee_attack", "jagna", "borys", **QUIET, defend="dodge", to_hit=1)

    assert (st(done), table.has("borys", "hidden")) == (62, False)


@pytest.mark.clause("MA-750")
def test_standing_still_keeps_it() -> None:
    table = watched(first=FIRST)
    put(table, "jagna", "hidden")

    table.play("ready_item", "jagna", weapon="dagger", options={"handling": "let_go"})
    table.end_turn()

    assert table.has("jagna", "hidden")
