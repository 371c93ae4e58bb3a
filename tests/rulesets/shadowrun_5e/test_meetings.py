"""Rules that meet: chains of attacks, beats, delays, wounds, magazines."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.space.model import Sector
from app.engine.state import Item
from rulesets.shadowrun_5e.odds import beats, hits_of
from tests.rulesets.shadowrun_5e.fights import done, fight, held, order, pool, pools_of, rolls, score, terms_of


@pytest.mark.clause("SR-510", "SR-470", "SR-070")
@pytest.mark.parametrize(("has", "legal"), [(10, True), (9, False)])
def test_full_defense_bought_between_two_shares_of_one_attack(has: int, legal: bool) -> None:
    items = {"one": Item("colt_america_l36", held="main"), "two": Item("colt_america_l36", held="off")}
    shooter = {"score": 20, "items": items, "agility": 6, "skills": {"pistols": 4}}
    table = fight(apart=5, a=shooter, b=has, c=2)
    table.play("multiple_attacks", "a")

    shots = table.play(
        "fire_single_shot",
        "a",
        "b",
        "b",
        weapon="one",
        second_weapon="two",
        attack1__defend="plain",
        attack2__defend="full_defense" if legal else "plain",
        attack__dice=[rolls(5, 0), rolls(3, 0)],
        defense__dice=[rolls(6, 0), rolls(8 if legal else 5, 0)],
    )

    assert pools_of(shots, "defend") == [6, 8 if legal else 5]
    second = shots.questions("defend")[1]
    assert ("full_defense" in {one.id for one in second.options}) is legal
    done(table)
    assert table.turn == ("c" if legal else "b")


@pytest.mark.clause("SR-185", "SR-510", "SR-750", "SR-150")
def test_a_delayed_phase_is_used_at_a_score_below_nothing() -> None:
    table = fight(apart=5, a=12, b=11, c=3)
    table.play("delay_action", "a", delayed_intervention="wait")
    table.play(
        "fire_single_shot",
        "b",
        "a",
        weapon="ak_97",
        defend="full_defense",
        attack__dice=rolls(6, 3),
        defense__dice=rolls(9, 0),
        soak__dice=rolls(12, 4),
    )
    assert score(table, "a") == 2 - 3
    done(table, delayed_intervention="before")

    assert table.turn == "a"
    assert table.why_not("take_aim", "a", "b", weapon="ak_97") == []


@pytest.mark.clause("SR-060", "SR-750", "SR-030")
def test_a_wound_lets_the_next_one_go_first() -> None:
    table = fight(apart=5, a=20, b=13, c=12)

    table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 1),
        defense__dice=rolls(6, 0),
        soak__dice=rolls(12, 5),
    )

    assert score(table, "b") == 11
    assert order(table, 3) == ["a", "c", "b"]


@pytest.mark.clause("SR-560", "SR-570", "SR-110", "SR-415")
@pytest.mark.parametrize("on_map", [True, False])
def test_the_free_action_goes_into_the_run_and_the_blow_gains_by_it(on_map: bool) -> None:
    at: list[dict[str, Any]] = [{"at": (0, 0)}, {"at": (9.5, 0)}] if on_map else [{}, {}]
    table = fight(apart=None if on_map else 9.5, a={"score": 20, "agility": 4, **at[0]}, b={"score": 10, **at[1]})
    assert table.why_not("melee_attack", "a", "b") == ["out_of_reach"]
    way: dict[str, Any] = {"said": {"length": 8.5, "distance_after": {"b": 1}}}
    table.play("run", "a")
    table.play("walk", "a", **({"path": ((8.5, 0),)} if on_map else way))

    blow = table.play("melee_attack", "a", "b", defend="plain", attack__dice=rolls(9, 0), defense__dice=rolls(6, 0))

    assert terms_of(blow, "attack")["running"] == 2
    assert table.why_not("call_shot", "a", options={"place": "vitals"}) == ["free_action_limit"]


@pytest.mark.clause("SR-185", "SR-070", "SR-510", "SR-155")
@pytest.mark.parametrize("on_map", [True, False])
def test_a_delayed_phase_at_a_score_of_exactly_nothing_still_cuts_in(on_map: bool) -> None:
    at: list[dict[str, Any]] = [{"at": (0, 0)}, {"at": (5, 0)}, {"at": (5, 5)}] if on_map else [{}, {}, {}]
    people: dict[str, Any] = {
        name: {"score": has, **where} for (name, has), where in zip((("a", 10), ("b", 9), ("c", 3)), at, strict=True)
    }
    table = fight(apart=None if on_map else 5, **people)
    table.play("delay_action", "a", delayed_intervention="wait")
    table.play("full_defense", "a")
    assert score(table, "a") == 0

    done(table, delayed_intervention="before")

    assert table.turn == "a"
    shot = table.play(
        "fire_single_shot",
        "a",
        "c",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 0),
        defense__dice=rolls(6, 0),
    )
    assert terms_of(shot, "attack") == {"agility": 3, "automatics": 3}
    done(table)
    assert table.turn == "c"


@pytest.mark.clause("SR-652", "SR-345", "SR-350", "SR-455")
def test_a_magazine_that_empties_within_a_burst_and_what_comes_after() -> None:
    alpha = Item("ares_alpha", held="both", marks={"mode": 2, "ammo": 4, "spare_1": 42})
    table = fight(apart=5, razor={"score": 30, "items": {"ares_alpha": alpha}}, b=10)
    burst = {"weapon": "ares_alpha", "defend": "plain"}

    first = table.play(
        "fire_short_full_auto", "razor", "b", **burst, attack__dice=rolls(14, 0), defense__dice=rolls(3, 0)
    )
    assert terms_of(first, "defend")["rate_of_fire"] == -3
    assert pool(table, "razor", "recoil") == 4
    order(table, 2)
    assert table.why_not("fire_short_full_auto", "razor", "b", weapon="ares_alpha") == ["not_enough_ammo"]
    table.play("mental_command", "razor", weapon="ares_alpha", options={"command": "eject_magazine"})
    table.play("insert_magazine", "razor", weapon="ares_alpha")
    second = table.play(
        "fire_short_full_auto", "razor", "b", **burst, attack__dice=rolls(9, 0), defense__dice=rolls(1, 0)
    )

    assert terms_of(second, "attack")["recoil"] == 5 - 10
    assert table.who("razor").items["ares_alpha"].marks["ammo"] == 36


@pytest.mark.clause("SR-187", "SR-090", "SR-195")
def test_carried_into_a_turn_that_opens_with_an_ambush_the_phase_is_lost() -> None:
    table = fight(a=4, b=3)
    table.play("delay_action", "a", delayed_intervention="wait")
    table.rule(cmd.AddEffect(CombatantId("a"), "surprised"))

    lost = done(table, delayed_end_of_pass="carry_over", a__score=6, b__score=5)

    assert [one.fact for one in lost.of(ev.Noted)] == ["delay_lost"]
    assert (table.state.clock.round, table.turn) == (2, "a")


@pytest.mark.clause("SR-545", "SR-500", "SR-520", "SR-560")
@pytest.mark.parametrize("on_map", [True, False])
def test_an_interrupt_within_an_interrupt(on_map: bool) -> None:
    where: list[dict[str, Any]] = [{"at": (0, 0)}, {"at": (1.5, 0)}, {"at": (0, 7)}] if on_map else [{}, {}, {}]
    table = fight(
        apart=None if on_map else 1.5,
        a={"score": 20, "agility": 5, "skills": {"gymnastics": 2}, **where[0]},
        okoye={"score": 8, "items": held(stun_baton="main"), **where[1]},
        wren={"score": 6, "side": "okoye", **where[2]},
    )
    way: dict[str, Any] = {"said": {"length": 6, "distance_after": {"okoye": 7, "wren": 7}}}

    went = table.play(
        "walk",
        "a",
        **({"path": ((-6, 0),)} if on_map else way),
        okoye__intercept_choice="intercept",
        defend="full_defense_dodge",
        attack__dice=rolls(7, 0),
        defense__dice=rolls(10, 0),
    )

    assert score(table, "a") == 20 - 15
    assert score(table, "okoye") == 3
    assert [one.to for one in went.questions()] == ["okoye", "a"]
    assert table.has("a", "full_defense")
    done(table)
    assert table.turn == "wren"


@pytest.mark.clause("SR-165", "SR-545")
def test_in_a_beat_intercepting_is_asked_when_positions_come_into_force() -> None:
    guard = {"score": 13, "items": held(stun_baton="main")}
    table = fight(apart=1.5, a={"score": 22, "agility": 5}, okoye=guard, c=3)
    leaving = ("act", {"length": 500, "distances": {"okoye": 650}})
    answers: dict[str, Any] = {
        "delayed_intervention": "simultaneous",
        "beat1__a__simultaneous_beat": leaving,
        "beat1__okoye__simultaneous_beat": (
            "act",
            {"action": "melee_attack", "targets": ("a",), "weapon": "stun_baton"},
        ),
        "okoye__resolved__melee_attack__attack1__defend": "plain",
        "intercept__okoye__intercept_choice": "intercept",
        "intercept__okoye__defend": "plain",
        "attack__dice": [rolls(7, 0), rolls(7, 0)],
        "defense__dice": [rolls(5, 0), rolls(4, 0)],
        "beat2__a__simultaneous_beat": "pass",
        "beat2__okoye__simultaneous_beat": "pass",
    }

    both = table.play("delay_action", "a", **answers)

    made = [one.action for one in both.of(ev.AttackMade)]
    assert made == ["melee_attack", "intercept"]
    kinds = [type(one).__name__ for one in both.events]
    assert kinds.index("AttackMade") < kinds.index("Moved")
    assert score(table, "okoye") == 8


@pytest.mark.clause("SR-195", "SR-515", "SR-550", "SR-575", "SR-658")
def test_what_a_phase_carried_over_the_end_of_a_turn_finds() -> None:
    table = fight(apart=5, a={"score": 4, "agility": 4, "pools": {"recoil": 5}}, b=3)
    table.play("delay_action", "a", delayed_intervention="wait")
    table.rule(cmd.SetPool(CombatantId("a"), "initiative", 10))
    table.play("full_defense", "a")

    done(table, delayed_end_of_pass="carry_over", a__score=3, b__score=6, carried_delay="act")

    assert table.turn == "a"
    assert not table.has("a", "full_defense")
    assert pool(table, "a", "recoil") == 5
    assert table.why_not("walk", "a", said={"length": 8}) == []
    table.play("run", "a")
    done(table)
    assert pool(table, "a", "recoil") == 0
    done(table)
    assert (table.turn, table.why_not("run", "a")) == ("a", ["free_action_limit", "already_running"])


@pytest.mark.clause("SR-435", "SR-150", "SR-540")
def test_suppressive_fire_meets_whoever_cuts_in() -> None:
    items = {"ak_97": Item("ak_97", held="both", marks={"mode": 2})}
    table = fight(
        c={"score": 25, "at": (20, 2)}, a={"score": 20, "items": items, "at": (0, 0)}, b={"score": 5, "at": (0, 30)}
    )
    table.play("delay_action", "c", delayed_intervention="wait")
    table.play(
        "suppressive_fire",
        "a",
        weapon="ak_97",
        area=Sector((2000, 0), 500),
        suppress__dice=rolls(6, 2),
        suppression_response="drop_prone",
    )
    done(table, delayed_intervention="before")

    assert (table.turn, table.has("c", "prone")) == ("c", True)
    assert table.why_not("speak_phrase", "c") == ["free_action_limit"]
    looked = table.play("observe_in_detail", "c")
    assert terms_of(looked, "observe")["suppressed"] == -2


def together(table: Any, **answers: Any) -> Any:
    """A acts together with b: what both submit, and whatever is asked then."""
    return table.play("delay_action", "a", delayed_intervention="simultaneous", **answers)


@pytest.mark.clause("SR-165", "SR-560", "SR-570")
@pytest.mark.parametrize(("metres", "codes"), [(16, []), (16.01, ["move_too_far"])])
def test_a_run_declared_in_a_beat_counts_for_its_move_and_for_the_next_beat(metres: float, codes: list[str]) -> None:
    table = fight(apart=30, a={"score": 22, "agility": 4}, b=13, c=3)
    far = int(metres * 100)
    shoot = ("act", {"action": "fire_single_shot", "targets": ("b",), "weapon": "ak_97"})
    run: Any = ("act", {"free_action": "run", "length": far, "distances": {"b": 2000}, **shoot[1]})
    answers: dict[str, Any] = {
        "beat1__a__simultaneous_beat": run,
        "beat1__b__simultaneous_beat": "pass",
        "defend": "plain",
        "attack__dice": rolls(6, 0),
        "defense__dice": rolls(6, 0),
        "beat2__a__simultaneous_beat": ("act", {"action": "observe_in_detail"}),
        "beat2__b__simultaneous_beat": "pass",
    }
    if codes:
        with pytest.raises(Refused) as refused:
            together(table, **answers)
        assert [one.code for one in refused.value.reasons] == codes
        return

    both = together(table, **answers)

    assert terms_of(both, "attack") == {"agility": 4, "automatics": 3, "environment": -1}
    assert terms_of(both, "observe")["running"] == -4
    assert (pool(table, "a", "moved"), table.who("a").budget["simple"]) == (1600, 0)


@pytest.mark.clause("SR-165", "SR-468")
def test_who_is_disarmed_in_a_beat_has_fired_in_it_all_the_same() -> None:
    table = fight(apart=5, a={"score": 22, "agility": 8}, b=13, c=3)
    shot = {"action": "fire_single_shot", "weapon": "ak_97"}
    answers: dict[str, Any] = {
        "beat1__a__simultaneous_beat": (
            "act",
            {"free_action": "call_shot", "free_place": "disarm", "targets": ("b",), **shot},
        ),
        "beat1__b__simultaneous_beat": ("act", {"targets": ("a",), **shot}),
        "defend": "plain",
        "b__resolved__fire_single_shot__attack1__attack__dice": rolls(6, 0),
        "b__resolved__fire_single_shot__attack1__defense__dice": rolls(6, 0),
        "a__resolved__fire_single_shot__attack1__attack__dice": rolls(7, 2),
        "a__resolved__fire_single_shot__attack1__defense__dice": rolls(6, 0),
        "beat2__a__simultaneous_beat": "pass",
        "beat2__b__simultaneous_beat": "pass",
    }

    both = together(table, **answers)

    assert table.who("b").items["ak_97"].on_ground
    assert len(both.of(ev.AttackMade)) == 2


@pytest.mark.clause("SR-468")
def test_on_a_map_a_weapon_flies_away_from_the_shot() -> None:
    table = fight(okoye={"score": 20, "at": (0, 0)}, b={"score": 10, "at": (5, 0)})
    table.play("call_shot", "okoye", options={"place": "disarm"})

    table.play(
        "fire_single_shot",
        "okoye",
        "b",
        weapon="hk_227",
        defend="plain",
        attack__dice=rolls(5, 3),
        defense__dice=rolls(6, 0),
    )

    lies = table.who("b").items["ak_97"].lies
    assert lies is not None
    assert (lies.x, lies.y) == (700, 0)


@pytest.mark.clause("SR-530", "SR-210")
def test_every_defence_is_offered_with_its_exact_chance() -> None:
    table = fight(apart=5, a=20, b={"score": 15, "willpower": 3})

    waiting = table.play("fire_single_shot", "a", "b", weapon="ak_97", defend=...)

    chances = {one.id: one.chance for one in waiting.questions("defend")[0].options}
    assert chances == {
        "plain": 1_000_000 - beats(hits_of(6, 5), hits_of(6)),
        "full_defense": 1_000_000 - beats(hits_of(6, 5), hits_of(9)),
    }


@pytest.mark.clause("SR-435", "SR-590", "SR-780")
def test_suppressive_fire_is_left_by_saying_so_and_ends_with_the_shooter() -> None:
    items = {"ak_97": Item("ak_97", held="both", marks={"mode": 2})}
    table = fight(apart=5, a={"score": 20, "items": items}, b=15, c=12)
    shots = {"suppress__dice": rolls(6, 0), "suppression_response": "test", "suppressed__dice": rolls(4, 0)}
    table.play("suppressive_fire", "a", weapon="ak_97", said={"inside": ("b", "c")}, **shots)
    done(table)

    table.play("walk", "b", said={"length": 3, "leaves": ("a",)})
    assert not table.has("b", "suppressed")
    assert table.has("c", "suppressed")
    table.rule(cmd.AddEffect(CombatantId("a"), "unconscious"))

    assert not table.has("c", "suppressed")


@pytest.mark.clause("SR-030", "SR-175")
def test_the_tracker_foresees_carriers_first_and_then_the_highest_scores() -> None:
    table = fight(a=22, b=24, c=14, d=3)
    done(table)
    table.play("delay_action", "a", delayed_intervention="wait")
    done(table, delayed_intervention="wait")
    done(table, delayed_end_of_pass="carry_over", carried_delay="act")

    upcoming = table.rules.turns.upcoming(table.table)

    assert table.turn == "a"
    assert [one.owner for one in upcoming] == ["b", "a", "c"]


@pytest.mark.clause("SR-150")
def test_nobody_is_asked_about_the_phase_of_somebody_hidden_nor_offered_him_as_a_target() -> None:
    table = fight(apart=5, a=22, sneak={"score": 15, "hidden": True, "side": "z"}, b=13)

    passed = table.play("delay_action", "a")
    assert (table.turn, passed.questions()) == ("sneak", [])
    beat = done(table, delayed_intervention="simultaneous", a__simultaneous_beat=..., b__simultaneous_beat="pass")

    (question,) = beat.open
    (act,) = [one for one in question.options if one.id == "act"]  # type: ignore[union-attr]
    (targets,) = [field for field in act.form if field.name == "targets"]
    assert "sneak" not in targets.choices


@pytest.mark.clause("SR-020", "SR-750")
@pytest.mark.parametrize(("affects", "found"), [(True, 11), (False, 12)])
def test_wounds_count_in_the_roll_as_well_unless_the_table_plays_without(affects: bool, found: int) -> None:
    table = fight(a={"score": 3, "pools": {"stun": 3}}, b=2, options={"wound_affects_initiative": affects})
    done(table)

    done(table, a__score=6, b__score=1)

    assert score(table, "a") == found


@pytest.mark.clause("SR-565")
def test_by_option_a_sprint_without_a_run_is_refused() -> None:
    table = fight(a=20, b=10, options={"sprint_requires_run": True})

    assert [(one.code, one.clause) for one in table.reasons("sprint", "a")] == [("not_running", "SR-565")]
