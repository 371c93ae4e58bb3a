"""Movement. Clauses SR-550 to SR-590."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Wall
from tests.rulesets.shadowrun_5e.fights import done, fight, held, order, pool, pools_of, rolls, terms_of
from tests.support.play import Played, PlayTable

both_ways = pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])


def walker(on_map: bool, **more: Any) -> PlayTable:
    """Somebody of agility four, ten metres from b."""
    where = ({"at": (0, 0)}, {"at": (10, 0)}) if on_map else ({}, {})
    return fight(
        apart=None if on_map else 10,
        a={"score": 22, "agility": 4, **where[0], **more},
        b={"score": 5, **where[1]},
    )


def way(table: PlayTable, metres: float) -> dict[str, Any]:
    """So many metres away from everybody."""
    place = table.who("a").place
    if place is None:
        return {"said": {"length": metres}}
    return {"path": [(place.x / 100, place.y / 100 + metres)]}


# How far


@both_ways
@pytest.mark.clause("SR-550", "SR-555")
def test_metres_of_all_phases_add_up_against_one_total(on_map: bool) -> None:
    table = walker(on_map)
    table.play("walk", "a", **way(table, 5))
    order(table, 2)
    assert (table.turn, table.state.clock.pass_) == ("a", 2)
    table.play("walk", "a", **way(table, 3))

    (reason,) = table.reasons("walk", "a", **way(table, 1))

    assert (reason.code, reason.need_length, reason.got_length) == ("move_too_far", 0, 100)
    table.play("run", "a")
    assert table.why_not("walk", "a", **way(table, 8)) == []
    assert table.why_not("walk", "a", **way(table, 8.01)) == ["move_too_far"]


@both_ways
@pytest.mark.clause("SR-550")
def test_the_next_combat_turn_has_its_own(on_map: bool) -> None:
    table = walker(on_map)
    table.play("walk", "a", **way(table, 8))
    order(table, 3)
    assert (table.state.clock.pass_, pool(table, "a", "moved")) == (3, 800)

    done(table, a__score=6, b__score=1)

    assert (table.state.clock.round, pool(table, "a", "moved")) == (2, 0)


@pytest.mark.clause("SR-550")
def test_who_lies_stays_there_and_nobody_walks_in_the_phase_of_another() -> None:
    table = walker(False)
    table.play("drop_prone", "a")
    assert table.why_not("walk", "a", said={"length": 1}) == ["prone"]

    assert [(one.code, one.clause) for one in table.reasons("walk", "b", said={"length": 1})] == [
        ("not_your_turn", "SR-550")
    ]


@pytest.mark.clause("SR-550")
def test_a_wall_and_a_foe_are_in_the_way() -> None:
    wall = Wall((-100, 300), (100, 300))
    table = fight(a={"score": 22, "agility": 4, "at": (0, 0)}, b={"score": 5, "at": (3, 0)}, walls=(wall,))

    assert table.why_not("walk", "a", path=[(0, 5)]) == ["path_blocked"]
    assert table.why_not("walk", "a", path=[(6, 0)]) == ["path_blocked"]


@pytest.mark.clause("SR-555")
def test_walking_costs_nothing_and_has_no_price_in_dice() -> None:
    table = fight(apart=10, a={"score": 22, "agility": 4}, b=5)
    table.play("walk", "a", said={"length": 6, "distance_after": {"b": 10}})

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(7, 0),
        defense__dice=rolls(6, 0),
    )

    assert terms_of(shot, "attack") == {"agility": 4, "automatics": 3}
    assert table.who("a").budget == {"simple": 1, "free": 1}


@both_ways
@pytest.mark.clause("SR-560", "SR-475")
def test_the_ninth_metre_takes_a_run(on_map: bool) -> None:
    table = walker(on_map)
    assert table.why_not("walk", "a", **way(table, 9)) == ["move_too_far"]
    table.play("run", "a")

    table.play("walk", "a", **way(table, 9))

    assert table.why_not("run", "a") == ["free_action_limit", "already_running"]
    assert pool(table, "a", "moved") == 900


@pytest.mark.clause("SR-560")
def test_once_a_combat_turn_and_not_lying() -> None:
    table = fight(a=22, b=5)
    table.play("run", "a")
    order(table, 2)
    assert table.why_not("run", "a") == ["already_running"]
    table = fight(a=22, b=5)
    table.rule(cmd.AddEffect(CombatantId("a"), "prone"))
    assert table.why_not("run", "a") == ["prone"]


# Sprinting


@pytest.mark.clause("SR-565", "SR-215")
@pytest.mark.parametrize(
    ("metatype", "body", "hits", "metres"),
    [(0, 4, 3, 22), (4, 4, 3, 19), (3, 4, 2, 18), (2, 6, 7, 28), (1, 4, 1, 18)],
)
def test_each_hit_is_so_many_metres_by_metatype(metatype: int, body: int, hits: int, metres: int) -> None:
    strong = hits > 5
    sheet = {"metatype": metatype, "body": body, "strength": 5 if strong else 3, "reaction": 4 if not strong else 2}
    skill = 2 if not strong else 3
    table = fight(a={"score": 22, "agility": 4, **sheet, "skills": {"running": skill}}, b=5)

    ran = table.play("sprint", "a", sprint__dice=rolls(sheet["strength"] + skill, hits))

    assert ran.check.limit == (5 if not strong else 6)
    assert table.has("a", "running")
    assert table.why_not("walk", "a", said={"length": metres}) == []
    assert table.why_not("walk", "a", said={"length": metres + 1}) == ["move_too_far"]
    assert (table.who("a").budget["simple"], table.who("a").budget["free"]) == (0, 1)


@pytest.mark.clause("SR-565")
def test_sprints_of_one_turn_add_up() -> None:
    table = fight(a={"score": 22, "agility": 4, "strength": 3, "skills": {"running": 2}}, b=5)
    table.play("sprint", "a", sprint__dice=rolls(5, 2))
    order(table, 2)

    table.play("sprint", "a", sprint__dice=rolls(5, 1))

    assert table.why_not("walk", "a", said={"length": 22}) == []
    assert table.why_not("walk", "a", said={"length": 22.01}) == ["move_too_far"]


@pytest.mark.clause("SR-565", "SR-570", "SR-750")
@pytest.mark.parametrize(("option", "dice"), [(False, 4), (True, 0)])
def test_running_does_not_spoil_the_sprint_but_wounds_do(option: bool, dice: int) -> None:
    pools = {"physical": 3}
    table = fight(
        a={"score": 22, "strength": 3, "skills": {"running": 2}, "pools": pools},
        b=5,
        options={"running_penalty_on_sprint": option},
    )
    table.play("run", "a")
    given = {"sprint__dice": rolls(dice, 0)} if dice else {}

    ran = table.play("sprint", "a", **given)

    assert pools_of(ran, "sprint") == [dice]


@pytest.mark.clause("SR-565")
def test_lying_nobody_sprints_and_by_option_only_who_runs() -> None:
    table = fight(a=22, b=5)
    table.rule(cmd.AddEffect(CombatantId("a"), "prone"))
    assert table.why_not("sprint", "a") == ["prone"]
    table = fight(a=22, b=5, options={"sprint_requires_run": True})
    assert table.why_not("sprint", "a") != []
    table.play("run", "a")
    assert table.why_not("sprint", "a") == []


# What running does


def shoots(table: PlayTable, dice: int, defense: int = 6, target: str = "b") -> Played:
    """Whoever's phase it is shoots with so many dice against so many."""
    return table.play(
        "fire_single_shot",
        str(table.turn),
        target,
        weapon="ak_97",
        defend="plain",
        **({"attack__dice": rolls(dice, 0)} if dice else {}),
        defense__dice=rolls(defense, 0),
    )


@pytest.mark.clause("SR-570", "SR-575", "SR-620")
@pytest.mark.parametrize(("option", "dice"), [({}, 2), ({"running_penalty": -2}, 4)])
def test_shooting_on_the_run_is_four_dice_worse_until_the_turn_is_over(option: dict[str, int], dice: int) -> None:
    table = fight(apart=5, a=22, b=5, options=option)
    table.play("run", "a")
    shoots(table, dice)
    order(table, 2)
    shoots(table, dice)
    order(table, 1)
    done(table, a__score=6, b__score=1)

    shoots(table, 6, 5)


@pytest.mark.clause("SR-570", "SR-580")
@pytest.mark.parametrize(("order_", "dice"), [("run_first", 8), ("blow_first", 6)])
def test_a_blow_on_the_run_is_two_better_if_the_run_came_first(order_: str, dice: int) -> None:
    table = fight(apart=1, a=22, b=5)
    if order_ == "run_first":
        table.play("run", "a")

    table.play("melee_attack", "a", "b", defend="plain", attack__dice=rolls(dice, 0), defense__dice=rolls(6, 0))

    if order_ == "blow_first":
        table.play("run", "a")


@pytest.mark.clause("SR-570")
def test_the_bonus_is_an_option() -> None:
    table = fight(apart=1, a=22, b=5, options={"running_melee_bonus": 0})
    table.play("run", "a")

    table.play("melee_attack", "a", "b", defend="plain", attack__dice=rolls(6, 0), defense__dice=rolls(6, 0))


@pytest.mark.clause("SR-570", "SR-640")
def test_defence_takes_no_penalty_and_is_two_better_against_shots() -> None:
    table = fight(apart=5, b=22, a=20)
    table.play("run", "b")
    done(table)

    shot = shoots(table, 6, 8)

    assert terms_of(shot, "defend") == {"reaction": 3, "intuition": 3, "running": 2}


@pytest.mark.clause("SR-575", "SR-640")
def test_while_he_lies_running_has_no_effect_and_counts_again_when_he_stands() -> None:
    table = fight(apart=5, b={"score": 22, "pools": {"physical": 3}}, a=20)
    table.play("run", "b")
    table.rule(cmd.AddEffect(CombatantId("b"), "prone"))
    table.play("stand_up", "b", stand_up__dice=rolls(7, 0))
    done(table)
    shot = shoots(table, 6, 3)
    assert terms_of(shot, "defend") == {"reaction": 3, "intuition": 3, "prone": -2, "wounds": -1}
    table.rule(cmd.RemoveEffect(CombatantId("b"), "prone"))  # type: ignore[arg-type]
    done(table)
    assert table.turn == "b"

    shot = shoots(table, 1, 6, "a")

    assert terms_of(shot, "attack")["running"] == -4


@pytest.mark.clause("SR-575")
def test_by_option_a_run_lasts_for_one_phase() -> None:
    table = fight(apart=5, a=22, b=5, options={"running_state_duration": "action_phase"})
    table.play("run", "a")
    done(table)

    assert not table.has("a", "running")


# Melee


@pytest.mark.clause("SR-580", "SR-620", "SR-640")
def test_firing_while_in_melee_and_being_fired_at_are_three_dice_worse() -> None:
    table = fight(apart=1, b={"score": 22}, a=20, c=18)
    table.play("melee_attack", "b", "a", defend="plain", attack__dice=rolls(6, 0), defense__dice=rolls(6, 0))
    done(table)

    shot = shoots(table, 3, 3)

    assert terms_of(shot, "attack")["in_melee"] == -3
    assert terms_of(shot, "defend")["in_melee"] == -3


@pytest.mark.clause("SR-580", "SR-955")
def test_the_lock_ends_when_neither_reaches_the_other_and_with_the_combat_turn() -> None:
    table = fight(apart=1, a={"score": 20, "agility": 6}, b=15)
    table.play("melee_attack", "a", "b", defend="plain", attack__dice=rolls(9, 0), defense__dice=rolls(6, 0))
    table.play("walk", "a", said={"length": 4, "distance_after": {"b": 5}}, intercept_choice="decline")
    assert table.who("a").engaged == ()

    table = fight(apart=1, a=9, b=8)
    table.play("melee_attack", "a", "b", defend="plain", attack__dice=rolls(6, 0), defense__dice=rolls(6, 0))
    assert table.who("b").engaged == ("a",)
    done(table)
    done(table, a__score=1, b__score=2)
    assert table.who("b").engaged == ()


@pytest.mark.clause("SR-580", "SR-950")
def test_or_the_gm_says_so() -> None:
    table = fight(apart=1, a=20, b=15)
    table.rule(cmd.SetEngaged(CombatantId("a"), CombatantId("b"), True))

    shoots(table, 3, 3)


# Without a map


@pytest.mark.clause("SR-590")
@pytest.mark.parametrize(
    ("after", "codes"),
    [(5.99, ["distance_inconsistent"]), (6, []), (12, []), (18, []), (18.01, ["distance_inconsistent"])],
)
def test_a_new_distance_must_come_from_the_old_one_by_so_many_metres(after: float, codes: list[str]) -> None:
    table = fight(apart=12, a={"score": 20, "agility": 4}, b=15)

    assert table.why_not("walk", "a", said={"length": 6, "distance_after": {"b": after}}) == codes


@pytest.mark.clause("SR-590")
def test_distances_are_stated_and_those_that_are_not_are_asked_for() -> None:
    table = fight(a={"score": 20, "items": held(ak_97="both")}, b=15)
    assert table.why_not("fire_single_shot", "a", "b", weapon="ak_97") == ["missing_input"]
    assert table.why_not("fire_single_shot", "a", "b", weapon="ak_97", said={"distance": {"b": 5}}) == []
    assert table.why_not("walk", "a") == ["missing_input"]

    moved = table.play("walk", "a", said={"length": 2, "distance_after": {"b": 7}})

    assert moved.one(ev.Moved).distances == {"b": 700}
    assert table.why_not("fire_single_shot", "a", "b", weapon="ak_97") == []


@pytest.mark.clause("SR-550", "SR-560")
def test_with_no_metre_left_a_walk_is_not_offered_and_a_run_gives_more() -> None:
    table = fight(apart=30, a={"score": 20, "agility": 4}, b=10)
    table.play("walk", "a", said={"length": 8, "distance_after": {"b": 22}})

    assert table.why_not("walk", "a") == ["move_too_far", "missing_input"]
    table.play("run", "a")
    assert table.why_not("walk", "a") == ["missing_input"]
