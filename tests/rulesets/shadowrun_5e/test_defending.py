"""Interrupts and defences. Clauses SR-500 to SR-545, SR-600, SR-640."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import BadAnswer, Refused
from tests.rulesets.shadowrun_5e.fights import done, fight, held, order, pool, pools_of, rolls, score, terms_of
from tests.support.play import Played, PlayTable

GUARD: dict[str, Any] = {"reaction": 4, "intuition": 3, "willpower": 3}


def shot(table: PlayTable, defend: Any = "plain", defense: int = 0, hits: int = 0, **given: Any) -> Played:
    """Whoever's phase it is shoots at b and misses."""
    dice = {"defense__dice": rolls(defense, hits)} if defense else {}
    return table.play("fire_single_shot", str(table.turn), "b", weapon="ak_97", defend=defend, **dice, **given)


def blow(table: PlayTable, defend: Any = "plain", defense: int = 0, **given: Any) -> Played:
    """A blow with bare hands that hits nothing."""
    dice = {"defense__dice": rolls(defense, 0)} if defense else {}
    return table.play("melee_attack", str(table.turn), "b", defend=defend, **dice, **given)


def barred(table: PlayTable, option: str, how: str = "fire_single_shot") -> list[str]:
    """What bars that answer."""
    given: dict[str, Any] = {"weapon": "ak_97"} if how == "fire_single_shot" else {}
    with pytest.raises(Refused) as refused:
        table.play(how, str(table.turn), "b", defend=option, **given)
    return [one.code for one in refused.value.reasons]


def attacked(score_: int = 13, apart: float = 1, **more: Any) -> PlayTable:
    """A ganger attacks b, of whom these are the figures."""
    options = more.pop("options", {})
    return fight(apart=apart, a={"score": 20}, b={"score": score_, **GUARD, **more}, options=options)


# Interrupts


@pytest.mark.clause("SR-500", "SR-510", "SR-070")
@pytest.mark.parametrize(("has", "codes"), [(10, []), (9, ["insufficient_initiative"]), (11, [])])
def test_exactly_the_price_is_enough(has: int, codes: list[str]) -> None:
    table = fight(a=20, b=has)
    assert table.why_not("full_defense", "b") == codes
    if not codes:
        table.play("full_defense", "b")
        assert score(table, "b") == has - 10
        assert table.who("b").budget == {"simple": 0, "free": 0}


@pytest.mark.clause("SR-500", "SR-060")
def test_it_may_be_bought_before_the_own_phase_and_the_order_changes() -> None:
    table = fight(a=20, b=19, c=15)

    table.play("full_defense", "b")

    assert order(table, 2) == ["a", "c"]
    assert (table.turn, score(table, "b")) == ("b", 9)


@pytest.mark.clause("SR-500")
@pytest.mark.parametrize("state", ["unconscious", "surprised"])
def test_not_by_those_who_are_out_or_surprised(state: str) -> None:
    table = fight(a=20, b=30, c=5)
    done(table)
    table.rule(cmd.AddEffect(CombatantId("b"), state))

    expected = {"unconscious": ("cannot_act", "SR-500"), "surprised": ("surprised", "SR-090")}[state]

    assert expected in [(one.code, one.clause) for one in table.reasons("full_defense", "b")]


@pytest.mark.clause("SR-500", "SR-530")
@pytest.mark.parametrize("action", ["block", "parry", "dodge"])
def test_a_defence_belongs_to_an_open_attack(action: str) -> None:
    (reason,) = fight(a=20, b=15).reasons(action, "b")

    assert (reason.code, reason.clause) == ("too_late", "SR-530")


# Full Defense


@pytest.mark.clause("SR-510", "SR-530", "SR-540")
def test_bought_at_the_second_of_two_shots_it_does_not_reach_back_to_the_first() -> None:
    table = attacked(apart=5, options={"attack_actions_per_phase": 2})

    first = shot(table, "plain", 7, attack__dice=rolls(6, 0))
    second = shot(table, "full_defense", 9, attack__dice=rolls(6, 0))

    assert pools_of(first, "defend") == [7]
    assert pools_of(second, "defend") == [9]
    assert terms_of(second, "defend") == {"reaction": 4, "intuition": 3, "full_defense": 3, "earlier_defenses": -1}
    assert score(table, "b") == 3


@pytest.mark.clause("SR-510")
def test_one_payment_is_for_every_attack_from_then_on_and_it_is_not_bought_twice() -> None:
    table = attacked(apart=5, score_=19, options={"attack_actions_per_phase": 2})
    shot(table, "full_defense", 10, attack__dice=rolls(6, 0))

    assert barred(table, "full_defense") == ["insufficient_initiative", "already_full_defense"]
    shot(table, "plain", 9, attack__dice=rolls(6, 0))
    assert "already_full_defense" in table.why_not("full_defense", "b")
    assert score(table, "b") == 9


@pytest.mark.clause("SR-510", "SR-500")
@pytest.mark.parametrize(("has", "codes"), [(10, None), (9, ["insufficient_initiative"])])
def test_in_answer_to_an_attack_it_costs_the_same(has: int, codes: list[str] | None) -> None:
    table = attacked(has, apart=5)
    if codes:
        assert barred(table, "full_defense") == codes
    else:
        shot(table, "full_defense", 10, attack__dice=rolls(6, 0))
        assert score(table, "b") == 0


@pytest.mark.clause("SR-515", "SR-010")
def test_it_ends_with_the_combat_turn() -> None:
    table = fight(apart=5, a=14, b={"score": 12, **GUARD})
    order(table, 2)
    assert table.state.clock.pass_ == 2
    table.rule(cmd.SetPool(CombatantId("b"), "initiative", 12))
    table.play("full_defense", "b")
    done(table)
    assert table.has("b", "full_defense")
    done(table, a__score=6, b__score=1)

    shot(table, "plain", 7, attack__dice=rolls(6, 0))

    assert not table.has("b", "full_defense")


@pytest.mark.clause("SR-515")
def test_or_by_option_with_the_next_phase_of_ones_own() -> None:
    table = fight(apart=5, a=30, b=25, options={"full_defense_duration": "own_next_phase"})
    table.play("full_defense", "b")

    done(table)

    assert (table.turn, table.has("b", "full_defense")) == ("b", False)


# Block, parry, dodge


@pytest.mark.clause("SR-520", "SR-215")
@pytest.mark.parametrize(
    ("answer", "dice", "term"),
    [("block", 10, "block"), ("parry", 11, "parry"), ("dodge", 9, "dodge")],
)
def test_each_adds_its_skill_to_this_one_test_under_the_physical_limit(answer: str, dice: int, term: str) -> None:
    skills = {"unarmed_combat": 3, "clubs": 3, "gymnastics": 2}
    table = attacked(strength=3, body=4, skills=skills, items=held(stun_baton="main"))
    reach = 1

    struck = blow(table, answer, dice if answer == "parry" else dice + reach, attack__dice=rolls(6, 0))

    (defended,) = [one for one in struck.of(ev.CheckRolled) if one.purpose == "defend"]
    assert defended.limit == 5
    assert terms_of(struck, "defend")[term] == {"block": 3, "parry": 3, "dodge": 2}[answer]
    assert score(table, "b") == 8
    assert struck.one(ev.DefenceResolved).option == answer


@pytest.mark.clause("SR-520", "SR-225")
@pytest.mark.parametrize(
    ("answer", "more", "codes"),
    [
        ("block", {"skills": {"unarmed_combat": 0}}, ["untrained"]),
        ("dodge", {"skills": {"gymnastics": 0}}, ["untrained"]),
        ("parry", {}, ["melee_weapon_required"]),
        ("parry", {"items": held(katana="both"), "skills": {"blades": 0}}, ["untrained"]),
        ("dodge", {"score_": 4}, ["insufficient_initiative"]),
        ("block_dodge", {}, ["one_active_defense"]),
        ("full_defense_parry_block", {}, ["one_active_defense"]),
    ],
)
def test_what_bars_them(answer: str, more: dict[str, Any], codes: list[str]) -> None:
    assert barred(attacked(**more), answer, "melee_attack") == codes


@pytest.mark.clause("SR-520")
@pytest.mark.parametrize("answer", ["foo", "none", "intercept", "hit_the_dirt", "block_block", ""])
def test_what_is_no_defence_is_unknown(answer: str) -> None:
    with pytest.raises(BadAnswer) as refused:
        barred(attacked(), answer, "melee_attack")

    assert (refused.value.code, refused.value.at) == ("unknown_option", "/option")


@pytest.mark.clause("SR-520")
def test_only_against_blows_but_a_dodge_by_option() -> None:
    for answer in ("block", "dodge"):
        assert barred(attacked(apart=5), answer) == ["melee_only"]
    table = attacked(apart=5, options={"dodge_vs_ranged": True}, strength=3)
    assert barred(table, "block") == ["melee_only"]
    shot(table, "dodge", 9, attack__dice=rolls(6, 0))
    assert score(table, "b") == 8


@pytest.mark.clause("SR-520")
def test_their_price_is_an_option() -> None:
    table = attacked(options={"active_defense_cost": 7})

    blow(table, "dodge", 9, attack__dice=rolls(6, 0))

    assert score(table, "b") == 6


# Both together


@pytest.mark.clause("SR-525")
@pytest.mark.parametrize(("has", "codes"), [(15, None), (14, ["insufficient_initiative"])])
def test_together_their_prices_add_and_what_cannot_be_paid_is_refused_whole(has: int, codes: list[str] | None) -> None:
    table = attacked(has, strength=3, body=4)
    if codes:
        assert barred(table, "full_defense_dodge", "melee_attack") == codes
        for alone, dice in (("full_defense", 10), ("dodge", 9)):
            again = attacked(has, strength=3, body=4)
            blow(again, alone, dice, attack__dice=rolls(6, 0))
        return

    struck = blow(table, "full_defense_dodge", 12, attack__dice=rolls(6, 0))

    assert score(table, "b") == 0
    assert [one.limit for one in struck.of(ev.CheckRolled) if one.purpose == "defend"] == [5]


@pytest.mark.clause("SR-525")
def test_on_full_defense_already_only_the_dodge_is_paid() -> None:
    table = attacked(16, strength=3)
    table.play("full_defense", "b")

    blow(table, "dodge", 12, attack__dice=rolls(6, 0))

    assert score(table, "b") == 1


# The test


@pytest.mark.clause("SR-530", "SR-600")
def test_the_choice_comes_before_any_die_of_the_attack() -> None:
    table = attacked(apart=5)

    waiting = table.play("fire_single_shot", "a", "b", weapon="ak_97", defend=...)

    assert [one.to for one in waiting.questions("defend")] == ["b"]
    assert waiting.of(ev.CheckRolled) == []
    assert waiting.questions("defend")[0].figures == {"score": 13}
    struck = shot(attacked(apart=5), "plain", 7, 2, attack__dice=rolls(6, 3), soak__dice=rolls(12, 12))
    assert struck.one(ev.ContestSettled).margin == 1


@pytest.mark.clause("SR-535")
@pytest.mark.parametrize("state", ["surprised", "unconscious", "unaware"])
def test_the_helpless_have_no_defence_but_soak(state: str) -> None:
    table = attacked(apart=5)
    table.rule(cmd.AddEffect(CombatantId("b"), state))

    struck = table.play(
        "fire_single_shot", "a", "b", weapon="ak_97", attack__dice=rolls(6, 4), soak__dice=rolls(12, 12)
    )

    assert struck.questions("defend") == []
    assert struck.one(ev.ContestSettled).margin == 4
    assert pool(table, "b", "defenses") == 0


@pytest.mark.clause("SR-540", "SR-955")
def test_each_earlier_defence_costs_a_die_until_the_own_phase() -> None:
    table = fight(apart=5, a=30, c=29, d=28, b={"score": 20, **GUARD}, e=15)
    for dice in (7, 6, 5):
        shot(table, "plain", dice, attack__dice=rolls(6, 0))
        done(table)
    assert (table.turn, pool(table, "b", "defenses")) == ("b", 0)
    done(table)

    shot(table, "plain", 7, attack__dice=rolls(6, 0))


@pytest.mark.clause("SR-540")
def test_a_test_whose_pool_fell_to_nothing_counts_too() -> None:
    table = attacked(apart=5, pools={"physical": 9, "stun": 9}, reaction=1, intuition=1)

    shot(table, "plain", attack__dice=rolls(6, 0))

    assert pool(table, "b", "defenses") == 1


# Intercept, hit the dirt


def passing(apart: float = 1.5, has: int = 8, **more: Any) -> PlayTable:
    """Somebody walks away from a guard with a baton, who is not on his side."""
    guard = {"score": has, "items": held(stun_baton="main"), **more}
    return fight(apart=apart, a={"score": 20, "agility": 5}, okoye=guard)


@pytest.mark.clause("SR-545", "SR-590")
def test_whoever_walks_out_of_reach_may_be_struck_at_that_point() -> None:
    table = passing()

    went = table.play(
        "walk",
        "a",
        said={"length": 6, "distance_after": {"okoye": 7}},
        intercept_choice="intercept",
        defend="plain",
        attack__dice=rolls(7, 0),
        defense__dice=rolls(5, 0),
    )

    assert [one.distance for one in went.of(ev.Moved)] == [50, 550]
    assert score(table, "okoye") == 3
    assert went.one(ev.AttackMade).action == "intercept"
    assert pool(table, "a", "moved") == 600
    assert table.who("okoye").budget == {"simple": 0, "free": 0}


@pytest.mark.clause("SR-545")
def test_on_a_map_too_and_the_movement_ends_if_he_falls() -> None:
    guard = {"score": 8, "items": held(stun_baton="main"), "at": (0, 0)}
    table = fight(a={"score": 20, "agility": 5, "at": (0, 1.5)}, okoye=guard)

    went = table.play(
        "walk",
        "a",
        path=[(0, 7)],
        intercept_choice="intercept",
        defend="plain",
        attack__dice=rolls(7, 3),
        defense__dice=rolls(5, 0),
        soak__dice=rolls(9, 0),
    )

    assert table.has("a", "prone")
    assert went.of(ev.Moved)[-1].distance == 50
    place = table.who("a").place
    assert place is not None
    assert place.y == 200
    assert pool(table, "a", "moved") == 50


@pytest.mark.clause("SR-545")
def test_he_may_let_him_go_and_nobody_sees_that_he_could() -> None:
    table = passing()

    went = table.play("walk", "a", said={"length": 6, "distance_after": {"okoye": 7}}, intercept_choice="decline")

    assert len(went.of(ev.Moved)) == 1
    assert score(table, "okoye") == 8


@pytest.mark.clause("SR-545", "SR-500")
@pytest.mark.parametrize("why", ["score", "surprised", "far", "within", "friend"])
def test_who_cannot_is_not_asked(why: str) -> None:
    apart, after = {"far": (3.0, 6.0), "within": (1.0, 1.5)}.get(why, (1.5, 5.0))
    more: dict[str, Any] = {"side": "a"} if why == "friend" else {}
    table = passing(apart, 4 if why == "score" else 8, **more)
    if why == "surprised":
        table.rule(cmd.AddEffect(CombatantId("okoye"), "surprised"))

    went = table.play("walk", "a", said={"length": 4, "distance_after": {"okoye": after}})

    assert went.questions("intercept_choice") == []


@pytest.mark.clause("SR-545")
def test_the_target_may_defend_himself_as_usual_and_it_is_once_for_each_move() -> None:
    table = passing()

    went = table.play(
        "walk",
        "a",
        said={"length": 6, "distance_after": {"okoye": 7}},
        intercept_choice="intercept",
        defend="dodge",
        attack__dice=rolls(7, 0),
        defense__dice=rolls(7, 0),
    )

    assert len(went.questions("intercept_choice")) == 1
    assert score(table, "a") == 15


@pytest.mark.clause("SR-545")
def test_nobody_intercepts_who_does_not_move() -> None:
    assert fight(a=20, b=15).why_not("intercept", "b") == ["no_movement_to_intercept"]


@pytest.mark.clause("SR-545")
def test_hitting_the_dirt_is_for_suppressive_fire() -> None:
    table = fight(a=20, b=15)
    assert table.why_not("hit_the_dirt", "b") == ["not_suppressed"]
    table.rule(cmd.AddEffect(CombatantId("b"), "suppressed", 2))

    table.play("hit_the_dirt", "b")

    assert (table.has("b", "prone"), score(table, "b")) == (True, 10)
