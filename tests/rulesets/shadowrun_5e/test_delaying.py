"""Delayed phases in all their forms. Clauses SR-140 to SR-198."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.table import Table
from tests.rulesets.shadowrun_5e.fights import done, fight, order, pool, rolls, score, terms_of
from tests.support.play import Played, PlayTable


def delay(table: PlayTable, who: str = "a", **answers: Any) -> Played:
    """He delays; whoever is next starts, and all who delay are asked."""
    return table.play("delay_action", who, **answers)


def asked(played: Played, kind: str) -> list[str]:
    """Who was asked that, in order."""
    return [question.to for question in played.questions(kind)]


# Declaring


@pytest.mark.clause("SR-140")
def test_it_costs_nothing_and_keeps_the_phase_whole() -> None:
    table = fight(a=22, b=13, c=10)

    delay(table, delayed_intervention="wait")

    assert table.has("a", "delaying")
    assert table.turn == "b"
    done(table, delayed_intervention="before")
    assert (table.turn, table.who("a").budget["simple"], table.who("a").budget["free"]) == ("a", 2, 1)


@pytest.mark.clause("SR-140")
@pytest.mark.parametrize(
    ("before", "given", "code"),
    [
        ("speak_phrase", {}, "already_acted"),
        ("take_cover", {"cover_quality": "none"}, "already_acted"),
        ("walk", {"said": {"length": 1}}, "already_moved"),
        ("full_defense", {}, None),
    ],
)
def test_only_before_any_action_and_any_metre(before: str, given: dict[str, Any], code: str | None) -> None:
    table = fight(a=22, b=13)

    table.play(before, "a", **given)

    assert table.why_not("delay_action", "a") == ([code] if code else [])


@pytest.mark.clause("SR-140")
def test_an_interrupt_bought_in_an_earlier_phase_does_not_matter() -> None:
    table = fight(a=22, b=13)
    table.play("full_defense", "b")
    done(table)

    assert (table.turn, score(table, "b")) == ("b", 3)
    assert table.why_not("delay_action", "b") == []


@pytest.mark.clause("SR-140")
def test_not_in_the_phase_of_another_and_not_twice() -> None:
    table = fight(a=22, b=13, c=10)
    assert [(one.code, one.clause) for one in table.reasons("delay_action", "b")] == [("not_your_turn", "SR-140")]
    delay(table, delayed_intervention="wait")
    assert "already_delayed" in table.why_not("delay_action", "a")
    done(table, delayed_intervention="before")

    assert (table.turn, table.why_not("delay_action", "a")) == ("a", ["already_delayed"])


@pytest.mark.clause("SR-140", "SR-658", "SR-955")
def test_its_start_counts_defences_anew_and_its_end_forgets_no_recoil() -> None:
    table = fight(a={"score": 22, "pools": {"recoil": 6, "defenses": 0}}, b=13)

    delay(table, delayed_intervention="wait")

    assert pool(table, "a", "recoil") == 6
    done(table, delayed_end_of_pass="act")
    done(table)
    assert pool(table, "a", "recoil") == 0


@pytest.mark.clause("SR-145")
def test_the_free_action_is_there_from_the_declaration_on_and_only_once() -> None:
    table = fight(a=22, b=13, c=10)
    delay(table, delayed_intervention="wait")

    table.play("drop_prone", "a")

    assert table.has("a", "delaying", "prone")
    done(table, delayed_intervention="before")
    assert table.turn == "a"
    assert "free_action_limit" in table.why_not("run", "a")


# Cutting in


@pytest.mark.clause("SR-150", "SR-155")
def test_one_cuts_in_only_at_the_start_of_a_phase() -> None:
    table = fight(a=22, b=13, c=10)
    delay(table, delayed_intervention="wait")
    assert table.why_not("take_cover", "a") == ["too_late_wait_for_next_phase"]

    ended = done(table, delayed_intervention="before")

    assert asked(ended, "delayed_intervention") == ["a"]
    assert table.turn == "a"
    done(table)
    assert (table.turn, table.who("c").budget["simple"]) == ("c", 2)


@pytest.mark.clause("SR-155", "SR-060")
def test_who_is_cut_into_acts_next_all_the_same_with_his_wounds() -> None:
    table = fight(apart=5, a=22, c={"score": 10})
    delay(table, delayed_intervention="before")

    table.play(
        "fire_single_shot",
        "a",
        "c",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 2),
        defense__dice=rolls(6, 0),
        soak__dice=rolls(12, 8),
    )

    assert score(table, "c") == 9
    done(table)
    assert table.turn == "c"


@pytest.mark.clause("SR-155", "SR-070", "SR-150")
def test_he_loses_his_phase_if_his_score_or_he_is_gone() -> None:
    table = fight(a=22, b=5, c=3)
    delay(table, delayed_intervention="before")
    table.rule(cmd.SetPool(CombatantId("b"), "initiative", 0))

    done(table)

    assert table.turn == "c"


@pytest.mark.clause("SR-160")
def test_acting_just_after_is_binding_and_comes_before_anybody_else() -> None:
    table = fight(a=22, b=13, c=10, d=9)

    delay(table, delayed_intervention="after")

    assert table.turn == "b"
    assert table.why_not("take_cover", "a") == ["intervention_committed"]
    assert table.why_not("delay_action", "a") == ["intervention_committed"]
    assert order(table, 4) == ["b", "a", "c", "d"]


@pytest.mark.clause("SR-150")
def test_several_answers_to_one_phase_go_before_together_after_by_score() -> None:
    table = fight(low=30, high=40, late=28, b=13)
    assert table.turn == "high"
    delay(table, "high", high__delayed_intervention="wait")
    delay(table, "low", high__delayed_intervention="wait", low__delayed_intervention="wait")
    ended = delay(
        table,
        "late",
        high__delayed_intervention="before",
        low__delayed_intervention="before",
        late__delayed_intervention="after",
    )

    assert asked(ended, "delayed_intervention") == ["high", "low", "late"]
    assert order(table, 4) == ["high", "low", "b", "late"]


@pytest.mark.clause("SR-150")
def test_an_interrupting_phase_can_be_interrupted_and_the_last_declared_comes_first() -> None:
    table = fight(a=22, d=20, b=13)
    delay(table, "a", delayed_intervention="wait")
    nested = delay(
        table,
        "d",
        **{
            "gap0__intervene__a__delayed_intervention": "wait",
            "gap0__intervene__d__delayed_intervention": "before",
            "gap1__intervene__a__delayed_intervention": "before",
        },
    )

    assert [question.about for question in nested.questions("delayed_intervention")] == ["b", "b", "d"]
    assert order(table, 3) == ["a", "d", "b"]


@pytest.mark.clause("SR-150")
def test_who_has_committed_is_not_asked_again_in_this_pass() -> None:
    table = fight(a=22, b=13, c=10)
    delay(table, delayed_intervention="after")
    done(table)
    assert table.turn == "a"

    ended = done(table)

    assert (table.turn, asked(ended, "delayed_intervention")) == ("c", [])


@pytest.mark.clause("SR-150", "SR-165")
def test_those_who_meant_to_act_together_or_after_do_so_without_one_who_is_out() -> None:
    table = fight(first=40, a=22, d=21, e=20, b=13, c=3)
    for who in ("first", "a", "d"):
        delay(table, who, delayed_intervention="wait")
    delay(
        table,
        "e",
        first__delayed_intervention="before",
        a__delayed_intervention="simultaneous",
        d__delayed_intervention="after",
        e__delayed_intervention="wait",
    )
    assert table.turn == "first"
    table.rule(cmd.AddEffect(CombatantId("b"), "unconscious"))

    done(table, delayed_intervention="wait")

    assert table.turn == "a"
    done(table, delayed_intervention="wait")
    assert table.turn == "d"
    done(table, delayed_intervention="wait")
    assert table.turn == "c"


@pytest.mark.clause("SR-150")
def test_it_is_the_same_when_the_interrupted_one_delays_himself() -> None:
    table = fight(a=22, b=13, c=5)
    delay(table, delayed_intervention="after")

    delay(table, "b", delayed_intervention="wait")

    assert table.turn == "a"
    assert table.has("b", "delaying")


# Together


def beat(action: str | None = None, **fields: Any) -> tuple[str, dict[str, Any]]:
    """What somebody submits for a beat."""
    return "act", ({"action": action} if action else {}) | fields


SHOT: dict[str, Any] = {"weapon": "ak_97"}


@pytest.mark.clause("SR-165")
def test_two_who_fire_at_each_other_both_hit_even_if_one_goes_down() -> None:
    table = fight(apart=5, a=22, b=13)

    both = _both_fire(table)

    made = [one.combatant for one in both.of(ev.AttackMade)]
    assert made == ["b", "a"]
    assert [one.through for one in both.of(ev.DamageDealt)] == [4, 15]
    assert pool(table, "a", "physical") == 4
    assert table.has("b", "unconscious")
    first_wound = next(
        at for at, one in enumerate(both.events) if isinstance(one, ev.PoolChanged) and one.pool == "physical"
    )
    assert all(at < first_wound for at, one in enumerate(both.events) if isinstance(one, ev.DamageDealt))


@pytest.mark.clause("SR-165")
def test_who_was_put_down_in_the_first_beat_has_no_turn_in_the_second() -> None:
    table = fight(apart=5, a=22, b=13)

    open_ = _both_fire(table, beat2__a__simultaneous_beat=...)

    assert [one.key.split("/", 2)[2] for one in open_.open] == ["beat2/a/simultaneous_beat"]
    between = Table(table.rules, open_.outcome.state)
    assert (between.who(CombatantId("b")).status, between.can_act_now(CombatantId("b"))) == ("down", False)
    assert between.can_act_now(CombatantId("a"))


def _both_fire(table: PlayTable, **more: Any) -> Played:
    shooting = "resolved__fire_single_shot__attack1"
    answers: dict[str, Any] = {
        "beat1__a__simultaneous_beat": beat("fire_single_shot", targets=("b",), **SHOT),
        "beat1__b__simultaneous_beat": beat("fire_single_shot", targets=("a",), **SHOT),
        f"b__{shooting}__defend": "plain",
        f"b__{shooting}__attack__dice": rolls(6, 2),
        f"b__{shooting}__defense__dice": rolls(6, 0),
        f"b__{shooting}__soak__dice": rolls(12, 8),
        f"a__{shooting}__defend": "plain",
        f"a__{shooting}__attack__dice": rolls(6, 5),
        f"a__{shooting}__defense__dice": rolls(6, 0),
        f"a__{shooting}__soak__dice": rolls(12, 0),
        "beat2__a__simultaneous_beat": "pass",
        **more,
    }
    return delay(table, delayed_intervention="simultaneous", **answers)


@pytest.mark.clause("SR-165")
def test_submissions_are_sealed_asked_side_by_side_and_show_nothing() -> None:
    table = fight(apart=5, a=22, b=13, c=5)

    open_ = delay(
        table, delayed_intervention="simultaneous", beat1__a__simultaneous_beat=..., beat1__b__simultaneous_beat=...
    )

    assert sorted(one.key.rsplit("/", 2)[1] for one in open_.open) == ["a", "b"]
    assert open_.of(ev.AttackMade) == []


@pytest.mark.clause("SR-165")
def test_a_complex_action_is_the_only_one_of_both_beats() -> None:
    table = fight(apart=1, a=22, b=13, c=5)

    with pytest.raises(Refused) as refused:
        delay(
            table,
            delayed_intervention="simultaneous",
            beat1__a__simultaneous_beat=beat("sprint"),
            beat1__b__simultaneous_beat="pass",
            sprint__dice=rolls(7, 0),
            beat2__a__simultaneous_beat=beat("take_cover"),
            beat2__b__simultaneous_beat="pass",
        )

    assert [one.code for one in refused.value.reasons] == ["insufficient_actions"]


@pytest.mark.clause("SR-165", "SR-130")
def test_one_attack_in_both_beats_and_both_phases_end_after_the_second() -> None:
    table = fight(apart=5, a=22, b=13, c=5)
    shot = beat("fire_single_shot", targets=("c",), **SHOT)

    with pytest.raises(Refused) as refused:
        delay(
            table,
            delayed_intervention="simultaneous",
            beat1__a__simultaneous_beat=shot,
            beat1__b__simultaneous_beat="pass",
            defend="plain",
            attack__dice=rolls(6, 0),
            defense__dice=rolls(6, 0),
            beat2__a__simultaneous_beat=shot,
            beat2__b__simultaneous_beat="pass",
        )
    assert [one.code for one in refused.value.reasons] == ["attack_limit"]

    delay(table, delayed_intervention="simultaneous", simultaneous_beat="pass")
    assert table.turn == "c"


@pytest.mark.clause("SR-165")
def test_everything_is_judged_by_where_people_stood_when_the_beat_began() -> None:
    table = fight(a={"score": 22, "at": (0, 0)}, b={"score": 13, "at": (10, 0)}, c={"score": 5, "at": (30, 30)})

    both = delay(
        table,
        delayed_intervention="simultaneous",
        beat1__a__simultaneous_beat=beat(None, path=((500, 0),)),
        beat1__b__simultaneous_beat=beat("fire_single_shot", targets=("a",), **SHOT),
        defend="plain",
        attack__dice=rolls(6, 0),
        defense__dice=rolls(6, 0),
        beat2__a__simultaneous_beat="pass",
        beat2__b__simultaneous_beat="pass",
    )

    kinds = [type(one) for one in both.events]
    assert kinds.index(ev.AttackMade) < kinds.index(ev.Moved)
    place = table.who("a").place
    assert place is not None
    assert (place.x, pool(table, "a", "moved")) == (500, 500)


@pytest.mark.clause("SR-165", "SR-465")
def test_what_he_let_fall_in_a_beat_he_does_not_fire_in_it() -> None:
    table = fight(apart=5, a=22, b=13, c=5)

    both = delay(
        table,
        delayed_intervention="simultaneous",
        beat1__a__simultaneous_beat=beat(
            "fire_single_shot", targets=("b",), free_action="drop_object", free_weapon="ak_97", **SHOT
        ),
        beat1__b__simultaneous_beat="pass",
        beat2__a__simultaneous_beat="pass",
        beat2__b__simultaneous_beat="pass",
    )

    assert both.of(ev.AttackMade) == []
    assert [(one.combatant, one.fact, one.words) for one in both.of(ev.Noted)] == [
        ("a", "thwarted", ("fire_single_shot",))
    ]
    assert table.who("a").items["ak_97"].marks["ammo"] == 38


@pytest.mark.clause("SR-165", "SR-540")
def test_prices_and_counts_are_paid_at_once_inside_a_beat() -> None:
    table = fight(apart=5, a=22, d=20, b=13, c=3)
    delay(table, delayed_intervention="wait")
    shot = beat("fire_single_shot", targets=("b",), **SHOT)

    both = delay(
        table,
        "d",
        delayed_intervention="simultaneous",
        **{
            "beat1__a__simultaneous_beat": shot,
            "beat1__d__simultaneous_beat": shot,
            "beat1__b__simultaneous_beat": "pass",
            "a__resolved__fire_single_shot__attack1__defend": "full_defense",
            "d__resolved__fire_single_shot__attack1__defend": "plain",
            "attack__dice": [rolls(6, 0), rolls(6, 0)],
            "defense__dice": [rolls(9, 0), rolls(8, 0)],
            "beat2__a__simultaneous_beat": "pass",
            "beat2__d__simultaneous_beat": "pass",
            "beat2__b__simultaneous_beat": "pass",
        },
    )

    assert score(table, "b") == 3
    assert terms_of(both, "defend", 1)["earlier_defenses"] == -1


@pytest.mark.clause("SR-165", "SR-150")
def test_the_interrupted_one_may_delay_and_the_other_acts_without_him() -> None:
    table = fight(apart=5, a=22, b=13, c=5)

    answers: dict[str, Any] = {
        "intervene__a__delayed_intervention": "simultaneous",
        "beat1__a__simultaneous_beat": beat("take_cover"),
        "cover_quality": "partial",
        "beat1__b__simultaneous_beat": "delay",
        "beat2__a__simultaneous_beat": "pass",
        "intervene__b__delayed_intervention": "wait",
    }
    delay(table, **answers)

    assert table.has("a", "in_cover_partial")
    assert (table.turn, table.has("b", "delaying")) == ("c", True)


# The end of the pass


@pytest.mark.clause("SR-170")
def test_at_the_end_of_the_pass_the_highest_acts_last() -> None:
    table = fight(a=22, b=13, c=5)
    delay(table, delayed_intervention="wait")
    delay(table, "b", delayed_intervention="wait")

    ended = done(table, delayed_end_of_pass="act")

    assert asked(ended, "delayed_end_of_pass") == ["a", "b"]
    assert (table.turn, table.state.clock.pass_) == ("b", 1)
    assert table.why_not("take_cover", "a") == ["intervention_committed"]
    again = done(table)
    assert asked(again, "delayed_intervention") == []
    assert table.turn == "a"
    done(table)
    assert (table.state.clock.pass_, table.turn) == (2, "a")


@pytest.mark.clause("SR-175", "SR-190", "SR-110")
def test_a_carried_phase_comes_before_every_ordinary_one_and_is_one_more() -> None:
    table = fight(a=22, b=13, c=24)
    done(table)
    delay(table, delayed_intervention="wait")
    table.play("end_phase", "b", delayed_end_of_pass="carry_over", carried_delay="act")

    assert (table.state.clock.pass_, table.turn, score(table, "a")) == (2, "a", 12)
    table.play("drop_prone", "a")
    found = order(table, 3)

    assert found == ["a", "c", "a"]
    assert table.turn == "b"


@pytest.mark.clause("SR-175")
def test_the_free_action_of_the_new_pass_is_shared_by_both_phases() -> None:
    table = fight(a=22, b=13)
    delay(table, delayed_intervention="wait")
    done(table, delayed_end_of_pass="carry_over", carried_delay="act")
    table.play("drop_prone", "a")

    done(table)

    assert (table.turn, table.why_not("speak_phrase", "a")) == ("a", ["free_action_limit"])


@pytest.mark.clause("SR-175")
def test_several_carriers_go_by_score_and_by_option_it_replaces_the_phase() -> None:
    table = fight(a=22, b=20, c=3, options={"carried_delay_replaces_phase": True})
    delay(table, delayed_intervention="wait")
    delay(table, "b", delayed_intervention="wait")

    done(table, delayed_end_of_pass="carry_over", carried_delay="act")

    assert table.turn == "a"
    done(table, carried_delay="act")
    assert table.turn == "b"
    done(table)
    assert (table.state.clock.pass_, table.turn) == (3, "a")


@pytest.mark.clause("SR-180")
def test_what_is_not_used_then_is_lost_and_the_ordinary_phase_stays() -> None:
    table = fight(a={"score": 22, "pools": {"recoil": 3}}, b=13)
    delay(table, delayed_intervention="wait")

    lost = done(table, delayed_end_of_pass="carry_over", carried_delay="forfeit")

    assert [one.fact for one in lost.of(ev.Noted)] == ["delay_lost"]
    assert (table.turn, table.state.clock.pass_) == ("a", 2)
    assert pool(table, "a", "recoil") == 3
    assert table.why_not("delay_action", "a") == []


@pytest.mark.clause("SR-180", "SR-140")
def test_a_carried_phase_cannot_be_delayed_and_ended_without_an_act_it_is_a_phase() -> None:
    table = fight(a={"score": 22, "pools": {"recoil": 3}}, b=13)
    delay(table, delayed_intervention="wait")
    done(table, delayed_end_of_pass="carry_over", carried_delay="act")
    assert table.why_not("delay_action", "a") == ["already_delayed"]

    done(table)

    assert pool(table, "a", "recoil") == 0
    assert table.turn == "a"


@pytest.mark.clause("SR-185")
def test_a_delayed_phase_outlasts_a_score_of_nothing() -> None:
    table = fight(a=12, b=11, c=5)
    delay(table, delayed_intervention="wait")
    table.play("full_defense", "a")
    table.rule(cmd.SetPool(CombatantId("a"), "physical", 6))
    assert score(table, "a") == 0

    done(table, delayed_intervention="before")

    assert table.turn == "a"


@pytest.mark.clause("SR-185", "SR-780")
def test_but_not_unconsciousness() -> None:
    table = fight(a=12, b=11, c=5)
    delay(table, delayed_intervention="wait")

    table.rule(cmd.AddEffect(CombatantId("a"), "unconscious"))

    assert not table.has("a", "delaying")
    assert order(table, 1) == ["b"]
    assert table.turn == "c"


@pytest.mark.clause("SR-187")
def test_the_surprised_are_not_asked_to_cut_in_but_may_act_at_the_end() -> None:
    table = fight(a=22, b=13, c=5)
    delay(table, delayed_intervention="wait")
    table.rule(cmd.AddEffect(CombatantId("a"), "surprised"))
    assert score(table, "a") == 12

    middle = done(table)
    assert asked(middle, "delayed_intervention") == []
    done(table, delayed_end_of_pass="act")

    assert (table.turn, table.has("a", "surprised")) == ("a", False)


@pytest.mark.clause("SR-187")
def test_one_surprised_when_his_carried_phase_is_due_loses_it() -> None:
    table = fight(a=22, b=21, c=14)
    delay(table, delayed_intervention="wait")
    delay(table, "b", delayed_intervention="wait")
    done(table, delayed_end_of_pass="carry_over", carried_delay="act")
    assert table.turn == "a"
    table.rule(cmd.AddEffect(CombatantId("b"), "surprised"))

    lost = done(table)

    assert [one.clause for one in lost.of(ev.Noted)] == ["SR-187"]
    assert asked(lost, "carried_delay") == []


@pytest.mark.clause("SR-190")
def test_acting_late_changes_nothing_about_the_score() -> None:
    table = fight(a=22, b=13, c=10)
    delay(table, delayed_intervention="wait")
    done(table, delayed_intervention="after")
    order(table, 1)
    assert (table.turn, score(table, "a")) == ("a", 22)

    done(table)

    assert (table.state.clock.pass_, score(table, "a")) == (2, 12)


@pytest.mark.clause("SR-195", "SR-575")
def test_carried_over_the_end_of_a_combat_turn_it_comes_first_in_the_next() -> None:
    table = fight(a=4, b=3)
    delay(table, delayed_intervention="wait")

    done(table, delayed_end_of_pass="carry_over", a__score=3, b__score=6, carried_delay="act")

    assert (table.state.clock.round, table.state.clock.pass_) == (2, 1)
    assert [score(table, one) for one in "ab"] == [9, 12]
    assert order(table, 3) == ["a", "b", "a"]


@pytest.mark.clause("SR-195")
def test_unless_the_table_does_not_carry_over() -> None:
    table = fight(a=4, b=3, options={"delay_carry_across_turns": False})
    delay(table, delayed_intervention="wait")

    lost = done(table, delayed_end_of_pass="carry_over", a__score=3, b__score=6)

    assert [one.clause for one in lost.of(ev.Noted)] == ["SR-195"]
    assert order(table, 2) == ["b", "a"]


@pytest.mark.clause("SR-195")
def test_no_pass_is_made_for_a_carrier_alone() -> None:
    table = fight(a=9, b=3)
    delay(table, delayed_intervention="wait")

    done(table, delayed_end_of_pass="carry_over", a__score=3, b__score=6, carried_delay="act")

    assert table.state.clock.round == 2


@pytest.mark.clause("SR-198")
@pytest.mark.parametrize(("way", "dice"), [("before", 5), ("end", 6)])
def test_by_option_cutting_in_costs_a_die_and_waiting_for_the_end_does_not(way: str, dice: int) -> None:
    table = fight(apart=5, a=22, b=13, options={"delayed_action_dice_modifier": -1})
    delay(table, delayed_intervention="before" if way == "before" else "wait")
    if way == "end":
        done(table, delayed_end_of_pass="act")

    table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(dice, 0),
        defense__dice=rolls(6, 0),
    )


@pytest.mark.clause("SR-198")
def test_without_the_option_it_costs_nothing() -> None:
    table = fight(apart=5, a=22, b=13)
    delay(table, delayed_intervention="before")

    table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 0),
        defense__dice=rolls(6, 0),
    )
