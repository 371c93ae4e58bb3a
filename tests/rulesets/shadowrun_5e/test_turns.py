"""Combat Turns, passes, scores, ties, surprise, and what a phase holds. Clauses SR-010 to SR-130, SR-955, SR-960."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.state import State
from tests.rulesets.shadowrun_5e.fights import done, fight, ids, order, pool, rolls, score
from tests.support.play import PlayTable, combatant, ruleset


def setup(**people: Any) -> PlayTable:
    """A fight that has not begun."""
    rules = ruleset("shadowrun_5e")
    bodies = [combatant(rules, name, str(given.pop("sample", "grisha")), **given) for name, given in people.items()]
    return PlayTable(rules, State(rules.id, dice="client", combatants={body.id: body for body in bodies}))


# Combat Turn and score


@pytest.mark.clause("SR-010", "SR-955")
def test_a_combat_turn_ends_when_after_the_reduction_nobody_has_anything_left() -> None:
    table = fight(a=10, b=6, c=3)
    table.play("run", "a")
    table.play("full_defense", "a")
    done(table), done(table)

    last = done(table, a__score=4, b__score=2, c__score=1)

    assert [one.pool for one in last.of(ev.PoolChanged) if one.clause == "SR-040"] == ["initiative"] * 3
    assert not table.has("a", "running", "full_defense")
    assert last.one(ev.RoundBegan).round == 2
    assert table.state.clock.round == 2
    assert last.one(ev.PassBegan).number == 1
    assert [score(table, one) for one in "abc"] == [10, 8, 7]


@pytest.mark.clause("SR-020", "SR-750")
@pytest.mark.parametrize(
    ("sheet", "pools", "dice", "found"),
    [
        ({"reaction": 7, "intuition": 4, "initiative_dice": 3}, {}, (4, 5, 2), 22),
        ({"reaction": 4, "intuition": 3, "initiative_dice": 1}, {"physical": 3}, 6, 12),
        ({"reaction": 4, "intuition": 3, "initiative_dice": 5}, {}, (1, 1, 1, 1, 1), 12),
    ],
)
def test_the_score_is_reaction_intuition_wounds_and_dice(
    sheet: dict[str, int], pools: dict[str, int], dice: Any, found: int
) -> None:
    table = setup(a={**sheet})
    body = table.who("a")
    hurt = replace(body, pools={**body.pools, **pools})
    table.state = replace(table.state, combatants={body.id: hurt})

    table.command(cmd.Start(), a__score=dice)

    assert score(table, "a") == found


@pytest.mark.clause("SR-030", "SR-040")
def test_passes_run_by_score_and_a_score_of_nothing_has_no_phase() -> None:
    table = fight(a=22, b=13, c=10)

    assert order(table, 3) == ["a", "b", "c"]
    assert [score(table, one) for one in "abc"] == [12, 3, 0]
    assert order(table, 2) == ["a", "b"]
    assert [score(table, one) for one in "abc"] == [2, -7, -10]
    assert table.turn == "a"
    assert table.state.clock.pass_ == 3


@pytest.mark.clause("SR-030")
@pytest.mark.parametrize(
    ("action", "given"),
    [("stand_up", {}), ("sprint", {}), ("walk", {"said": {"length": 1}}), ("improvise", {"note": "kick"})],
)
def test_nobody_acts_in_the_phase_of_another(action: str, given: dict[str, Any]) -> None:
    table = fight(a=22, b={"score": 13, "effects": {}})

    assert "not_your_turn" in table.why_not(action, "b", **given)


@pytest.mark.clause("SR-050")
def test_ties_go_by_edge_reaction_intuition_and_then_a_die() -> None:
    same = {"edge": 2, "reaction": 4, "intuition": 3}
    table = fight(
        first={"score": 15},
        low={"score": 13, **same, "reaction": 3},
        high={"score": 13, **same},
        lucky={"score": 13, **same, "edge": 3, "reaction": 1},
    )
    assert order(table, 4) == ["first", "lucky", "high", "low"]

    table = fight(first={"score": 15}, one={"score": 13, **same}, other={"score": 13, **same})
    tossed = done(table, tie1__one__toss=2, tie1__other__toss=5)
    assert [one.dice[0].value for one in tossed.of(ev.StandingSet)] == [2, 5]
    assert table.turn == "other"
    order(table, 2)
    assert order(table, 2) == ["first", "other"]


@pytest.mark.clause("SR-050")
def test_equal_tosses_are_rolled_again() -> None:
    same = {"edge": 2, "reaction": 4, "intuition": 3}
    table = fight(first={"score": 15}, one={"score": 13, **same}, other={"score": 13, **same})

    done(table, tie1__one__toss=3, tie1__other__toss=3, tie2__one__toss=6, tie2__other__toss=1)

    assert order(table, 2) == ["one", "other"]


@pytest.mark.clause("SR-060", "SR-750")
def test_wounds_change_the_score_at_once_and_so_the_order() -> None:
    table = fight(a=20, b=13, c=12)

    table.rule(cmd.SetPool(CombatantId("b"), "physical", 6))

    assert score(table, "b") == 11
    done(table)
    assert table.turn == "c"
    done(table)
    assert table.turn == "b"


@pytest.mark.clause("SR-060")
def test_a_healed_score_rises_and_nobody_acts_twice_for_it() -> None:
    table = fight(a={"score": 20, "pools": {"physical": 3}}, b=18, c=5)
    done(table)

    table.rule(cmd.SetPool(CombatantId("a"), "physical", 0))

    assert score(table, "a") == 21
    assert order(table, 2) == ["b", "c"]


@pytest.mark.clause("SR-060", "SR-750")
def test_with_the_toggle_off_wounds_leave_the_score_alone() -> None:
    table = fight(a=20, b=13, options={"wound_affects_initiative": False})

    table.rule(cmd.SetPool(CombatantId("b"), "physical", 6))

    assert score(table, "b") == 13


@pytest.mark.clause("SR-070")
def test_who_falls_to_nothing_before_his_phase_has_none_in_this_pass() -> None:
    table = fight(a=20, b=10, c=5)

    spent = table.play("full_defense", "b")

    assert score(table, "b") == 0
    assert spent.one(ev.TurnEnded).kind == "lost"
    done(table)
    assert table.turn == "c"
    table.rule(cmd.SetPool(CombatantId("b"), "initiative", 4))
    done(table)
    assert table.state.clock.pass_ == 2


@pytest.mark.clause("SR-070")
def test_a_phase_that_has_begun_goes_on_at_a_score_of_nothing() -> None:
    table = fight(a=10, b=5)

    table.play("full_defense", "a")

    assert (score(table, "a"), table.turn) == (0, "a")
    assert table.why_not("take_cover", "a") == []


@pytest.mark.clause("SR-080")
def test_a_newcomer_loses_ten_for_each_pass_begun_after_the_first() -> None:
    table = fight(a=22, b=13)
    order(table, 2)
    newcomer = combatant(table.rules, "c", "grisha", reaction=4, intuition=3)

    table.command(cmd.Join((newcomer,)), c__score=5)

    assert score(table, "c") == 2
    assert order(table, 3) == ["a", "b", "c"]


@pytest.mark.clause("SR-080")
def test_in_the_first_pass_a_newcomer_loses_nothing() -> None:
    table = fight(a=22, b=13)

    table.command(cmd.Join((combatant(table.rules, "c", "grisha", reaction=4, intuition=3),)), c__score=5)

    assert score(table, "c") == 12


# Surprise


@pytest.mark.clause("SR-090")
@pytest.mark.parametrize(
    ("ready", "dice", "surprised"),
    [
        ("plain", (5, 6, 4, 3, 2, 1), True),
        ("plain", (5, 6, 5, 3, 2, 1), False),
        ("alerted", rolls(9, 3), False),
        ("ambusher", rolls(12, 2), True),
    ],
)
def test_whoever_the_gm_names_tests_against_three(ready: str, dice: tuple[int, ...], surprised: bool) -> None:
    table = setup(a={}, b={})

    begun = table.command(
        cmd.Start(ids("a")),
        a__score=6,
        b__score=1,
        surprise_readiness=ready,
        surprised__dice=dice,
    )

    assert table.has("a", "surprised") is (surprised and table.turn != "a")
    assert score(table, "a") == (2 if surprised else 12)
    assert begun.check.target == 3
    assert begun.check.limit is None


@pytest.mark.clause("SR-090")
def test_an_ambusher_who_knows_where_his_target_is_does_not_roll() -> None:
    table = setup(a={}, b={})

    begun = table.command(cmd.Start(ids("a")), a__score=6, b__score=1, surprise_readiness="aware")

    assert begun.of(ev.CheckRolled) == []


@pytest.mark.clause("SR-090", "SR-500", "SR-535")
def test_the_surprised_neither_defend_themselves_nor_interrupt_until_their_phase() -> None:
    table = fight(apart=5, a={"score": 20}, b={"score": 14})
    table.rule(cmd.AddEffect(CombatantId("b"), "ambushed"), surprised__dice=(5, 6, 4, 3, 2, 1))
    assert (score(table, "b"), table.has("b", "surprised")) == (4, True)
    assert table.why_not("full_defense", "b") == ["surprised", "insufficient_initiative"]

    shot = table.play("fire_single_shot", "a", "b", weapon="ak_97", attack__dice=rolls(6, 4), soak__dice=rolls(12, 9))

    assert shot.questions("defend") == []
    assert [one.purpose for one in shot.of(ev.CheckRolled)] == ["attack", "soak"]
    assert shot.one(ev.DamageDealt).raw == 14
    done(table)
    assert (table.turn, table.has("b", "surprised")) == ("b", False)


@pytest.mark.clause("SR-090")
def test_edge_takes_surprise_away_but_not_the_loss() -> None:
    table = fight(a=20, b={"score": 14, "policy": {"edge_offer": "ask"}})

    table.rule(
        cmd.AddEffect(CombatantId("b"), "ambushed"),
        surprised__dice=(5, 6, 4, 3, 2, 1),
        edge_beforehand="keep",
        edge_offer="keep",
        shake_off_surprise="shake_off_surprise",
    )

    assert (score(table, "b"), table.has("b", "surprised"), pool(table, "b", "edge_points")) == (4, False, 0)


# Economy


@pytest.mark.clause("SR-100")
def test_a_phase_holds_two_simple_actions_or_one_complex() -> None:
    table = fight(apart=5, a=20, b=10)
    table.play("take_aim", "a", "b", weapon="ak_97")
    assert table.why_not("melee_attack", "a", "b") == ["insufficient_actions", "out_of_reach"]
    table.play("take_cover", "a", cover_quality="none")
    assert table.why_not("take_cover", "a") == ["insufficient_actions"]
    done(table)
    table.play("sprint", "b", sprint__dice=rolls(7, 1))
    assert table.why_not("take_cover", "b") == ["insufficient_actions"]


@pytest.mark.clause("SR-100")
def test_the_same_simple_action_may_be_taken_twice_and_nothing_is_kept() -> None:
    table = fight(apart=5, a={"score": 20, "willpower": 4}, b=10)

    table.play("take_aim", "a", "b", weapon="ak_97")
    table.play("take_aim", "a", "b", weapon="ak_97")

    assert table.who("a").budget["simple"] == 0
    order(table, 2)
    assert table.who("a").budget["simple"] == 2


@pytest.mark.clause("SR-110")
def test_one_free_action_a_pass_from_the_own_phase_on() -> None:
    table = fight(a=22, b=15, c=12)
    assert table.why_not("drop_prone", "c") == ["no_action_phase_yet"]
    order(table, 2)
    assert table.turn == "c"

    table.play("drop_prone", "a")

    assert table.why_not("speak_phrase", "a") == ["free_action_limit"]
    done(table)
    assert table.turn == "a"
    assert table.why_not("speak_phrase", "a") == []


@pytest.mark.clause("SR-110", "SR-780")
def test_the_unconscious_speak_no_more() -> None:
    table = fight(a=22, b=15)
    done(table)
    table.rule(cmd.AddEffect(CombatantId("a"), "unconscious"))

    (reason,) = table.reasons("speak_phrase", "a")

    assert (reason.code, reason.clause) == ("cannot_act", "SR-110")


@pytest.mark.clause("SR-115")
def test_without_a_phase_in_the_pass_there_is_no_free_action() -> None:
    table = fight(a=22, b=15, c=10)
    order(table, 3)

    (reason,) = table.reasons("drop_prone", "c")

    assert (table.state.clock.pass_, reason.code, reason.clause) == (2, "no_action_phase_yet", "SR-115")


@pytest.mark.clause("SR-115")
def test_unless_the_table_plays_it_so() -> None:
    table = fight(a=22, b=15, c=10, options={"free_action_without_phase": True})
    order(table, 3)

    assert table.why_not("drop_prone", "c") == []


@pytest.mark.clause("SR-118")
def test_a_free_action_in_place_of_a_simple_one_only_by_option() -> None:
    table = fight(apart=5, a=22, b=15)
    table.play("run", "a")
    place = {"options": {"place": "vitals"}}
    assert table.why_not("call_shot", "a", **place) == ["free_action_limit"]
    assert table.why_not("call_shot", "a", type="simple", **place) == ["wrong_action_type"]

    table = fight(apart=5, a=22, b=15, options={"simple_as_free": True})
    table.play("run", "a")
    table.play("call_shot", "a", type="simple", **place)

    assert table.who("a").budget["simple"] == 1
    assert table.why_not("fire_single_shot", "a", "b", weapon="ak_97") == []
    assert table.why_not("call_shot", "b", type="simple", **place) == ["not_your_turn"]


@pytest.mark.clause("SR-118")
def test_with_neither_left_there_is_no_more() -> None:
    table = fight(apart=5, a=22, b=15, options={"simple_as_free": True})
    table.play("take_cover", "a", cover_quality="none")
    table.play("take_cover", "a", cover_quality="none")

    (reason,) = table.reasons("speak_phrase", "a", type="simple")

    assert (reason.code, reason.clause) == ("insufficient_actions", "SR-118")


@pytest.mark.clause("SR-120")
def test_movement_comes_between_actions_and_the_phase_ends_on_its_owners_word() -> None:
    table = fight(apart=10, a={"score": 20, "agility": 4}, b=15)

    table.play("walk", "a", said={"length": 3, "distance_after": {"b": 10}})
    table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(7, 0),
        defense__dice=rolls(6, 0),
    )
    table.play("walk", "a", said={"length": 4, "distance_after": {"b": 10}})
    table.play("take_aim", "a", "b", weapon="ak_97")

    assert (table.turn, table.who("a").budget["simple"], pool(table, "a", "moved")) == ("a", 0, 700)
    done(table)
    assert table.turn == "b"


@pytest.mark.clause("SR-120", "SR-780")
def test_it_ends_by_itself_when_its_owner_is_out() -> None:
    table = fight(a=20, b=15)

    table.rule(cmd.AddEffect(CombatantId("a"), "unconscious"))

    assert table.turn == "b"


@pytest.mark.clause("SR-125")
def test_what_has_no_name_waits_for_the_gm() -> None:
    table = fight(a={"score": 20, "strength": 5, "skills": {"unarmed_combat": 3}}, b=15)
    kick = {"attribute": "strength", "skill": "unarmed_combat", "threshold": 2}

    kicked = table.play(
        "improvise",
        "a",
        note="kick the table over",
        action_cost=("simple", kick),
        improvise__dice=(5, 5, 4, 3, 3, 2, 2, 1),
    )

    assert kicked.check.outcome == "success"
    assert kicked.one(ev.Noted).words == ("kick the table over", "succeeded")
    assert table.who("a").budget["simple"] == 1


@pytest.mark.clause("SR-125")
def test_the_gm_may_refuse_and_cannot_ask_more_than_is_left() -> None:
    table = fight(a=20, b=15)
    table.play("improvise", "a", note="wave", action_cost="refuse")
    assert table.who("a").budget["simple"] == 2
    table.play("take_cover", "a", cover_quality="none")

    with pytest.raises(Refused) as refused:
        table.play("improvise", "a", note="dig", action_cost=("complex", {}))

    assert [one.code for one in refused.value.reasons] == ["insufficient_actions"]


@pytest.mark.clause("SR-130", "SR-960")
def test_one_attack_a_phase_and_the_refusal_leaves_the_rest() -> None:
    table = fight(apart=5, a=20, b=15)
    shot = {"weapon": "ak_97", "defend": "plain", "attack__dice": rolls(6, 0), "defense__dice": rolls(6, 0)}
    table.play("fire_single_shot", "a", "b", **shot)

    assert table.why_not("fire_single_shot", "a", "b", weapon="ak_97") == ["attack_limit"]
    assert table.why_not("take_cover", "a") == []


@pytest.mark.clause("SR-130", "SR-655")
def test_two_by_option_and_recoil_counts_both() -> None:
    table = fight(apart=5, a={"score": 20, "strength": 1}, b=15, options={"attack_actions_per_phase": 2})
    shot = {"weapon": "ak_97", "defend": "plain", "attack__dice": rolls(6, 0)}
    table.play("fire_single_shot", "a", "b", **shot, defense__dice=rolls(6, 0))

    table.play("fire_single_shot", "a", "b", **shot, defense__dice=rolls(5, 0))

    assert pool(table, "a", "recoil") == 2
    assert table.who("a").budget["simple"] == 0
