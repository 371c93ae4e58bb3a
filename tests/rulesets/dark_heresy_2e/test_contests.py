"""Feint, Manoeuvre, Knock Down. Clauses DH-2120, DH-3760 to DH-3790, DH-4000 to DH-4030, DH-4620 to DH-4640."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, Landing, Place, Wall
from tests.support.play import PlayTable, duel

GREAT = {"sample": "gorm", "held": {"great_weapon": "both"}}
SWORDS = {"sample": "sable"}


def contested(mine: int, theirs: int, purpose: str, me: str, foe: str) -> dict[str, Any]:
    """The two dice of an opposed test."""
    return {f"{purpose}1__{me}__{purpose}": mine, f"{purpose}1__{foe}__{purpose}": theirs}


def feinting(**foe: Any) -> PlayTable:
    """Sable beside Gorm, whom she has just feinted."""
    table = duel(1, sable=SWORDS, gorm={**GREAT, **foe})
    table.play("feint", "sable", "gorm", **contested(40, 30, "feint", "sable", "gorm"))
    return table


@pytest.mark.clause("DH-4620")
def test_a_feint_bars_evasion_of_the_next_standard_attack() -> None:
    table = feinting()

    assert table.has("gorm", "feinted")
    done = table.play("standard_attack", "sable", "gorm", to_hit=40, damage=1)

    assert done.questions("defend") == []
    assert not table.has("gorm", "feinted")


@pytest.mark.clause("DH-4620")
@pytest.mark.parametrize(("mine", "theirs", "won"), [(40, 30, True), (52, 38, True), (53, 38, False), (99, 99, False)])
def test_the_feint_is_an_opposed_test_of_weapon_skill(mine: int, theirs: int, won: bool) -> None:
    table = duel(1, sable=SWORDS, gorm=GREAT)

    done = table.play("feint", "sable", "gorm", **contested(mine, theirs, "feint", "sable", "gorm"))

    assert [check.target for check in done.of(ev.CheckRolled)] == [52, 38]
    assert table.has("gorm", "feinted") is won


@pytest.mark.clause("DH-4620")
def test_a_feint_needs_a_foe_next_to_one() -> None:
    table = duel(5, sable=SWORDS, gorm=GREAT)

    assert table.why_not("feint", "sable", "gorm") == ["not_engaged"]


@pytest.mark.clause("DH-4630")
def test_any_other_action_loses_the_feint_and_a_free_one_does_not() -> None:
    table = feinting()
    table.play("free_action", "sable", note="now!")
    assert table.has("gorm", "feinted")

    table.play("ready", "sable", weapon="sword", options={"hand": "stowed"})

    assert not table.has("gorm", "feinted")


@pytest.mark.clause("DH-4630")
def test_the_end_of_the_turn_loses_the_feint() -> None:
    table = feinting()

    table.end_turn()

    assert not table.has("gorm", "feinted")


@pytest.mark.clause("DH-4640")
def test_only_the_feinted_foe_is_barred_and_an_attack_on_another_loses_it() -> None:
    table = duel(1, sable=SWORDS, gorm=GREAT, vane={"sample": "vane"})
    table.play("feint", "sable", "gorm", **contested(40, 30, "feint", "sable", "gorm"))

    done = table.play("standard_attack", "sable", "vane", to_hit=40, defend="none", damage=1)

    assert len(done.questions("defend")) == 1
    assert not table.has("gorm", "feinted")


# Knock Down


def knocking(distance: float = 1, **options: Any) -> PlayTable:
    """Gorm with bare hands beside Vane."""
    return duel(distance, gorm={"sample": "gorm", "held": {}}, vane={"sample": "vane"}, options=options)


@pytest.mark.clause("DH-4000", "DH-4010")
def test_one_degree_throws_the_target_to_the_ground() -> None:
    table = knocking()

    done = table.play("knock_down", "gorm", "vane", **contested(58, 35, "knock_down", "gorm", "vane"))

    assert [check.target for check in done.of(ev.CheckRolled)] == [58, 34]
    assert table.has("vane", "prone")
    assert done.questions() == []


@pytest.mark.clause("DH-4000")
def test_it_is_an_attack_next_to_somebody() -> None:
    table = knocking(5)

    assert table.why_not("knock_down", "gorm", "vane") == ["not_engaged"]
    near = knocking()
    near.play("standard_attack", "gorm", "vane", to_hit=99)
    assert "attack_limit" in near.why_not("knock_down", "gorm", "vane")


@pytest.mark.clause("DH-4000")
@pytest.mark.parametrize(("before", "target"), [("move", 68), ("move_and_shout", 68), ("ready", 58), (None, 58)])
def test_a_half_move_right_before_adds_10(before: str | None, target: int) -> None:
    table = duel(
        3 if before and before.startswith("move") else 1,
        gorm={"sample": "gorm", "held": {}},
        vane={"sample": "vane"},
    )
    if before and before.startswith("move"):
        table.play("move", "gorm", type="half", said={"length": 2, "engage": ["vane"], "distance_after": {"vane": 1}})
    if before == "move_and_shout":
        table.play("free_action", "gorm", note="down!")
    if before == "ready":
        table.play("aim", "gorm")

    done = table.play("knock_down", "gorm", "vane", **contested(99, 99, "knock_down", "gorm", "vane"))

    assert done.check.target == target


@pytest.mark.clause("DH-4010", "DH-2120")
def test_two_degrees_may_hurt_instead() -> None:
    table = knocking()

    done = table.play(
        "knock_down",
        "gorm",
        "vane",
        **contested(40, 99, "knock_down", "gorm", "vane"),
        knock_down_outcome="damage",
        hit1__damage=5,
    )

    dealt = done.one(ev.DamageDealt)
    assert (dealt.location, dealt.raw, dealt.through) == ("body", 7, 0)
    assert table.who("vane").pools["fatigue"] == 1
    assert not table.has("vane", "prone")


@pytest.mark.clause("DH-4010")
def test_a_table_may_let_it_do_both() -> None:
    table = knocking(knock_down_damage="in_addition")

    table.play(
        "knock_down",
        "gorm",
        "vane",
        **contested(40, 99, "knock_down", "gorm", "vane"),
        knock_down_outcome="both",
        hit1__damage=5,
    )

    assert table.has("vane", "prone")
    assert table.who("vane").pools["fatigue"] == 1


@pytest.mark.clause("DH-2120")
@pytest.mark.parametrize(("margin", "asked"), [("own", True), ("difference", False)])
def test_the_margin_is_ones_own_degrees_or_the_difference(margin: str, asked: bool) -> None:
    table = knocking(opposed_margin=margin)
    given = {"knock_down_outcome": "prone"} if asked else {}

    done = table.play("knock_down", "gorm", "vane", **contested(41, 34, "knock_down", "gorm", "vane"), **given)

    assert bool(done.questions("knock_down_outcome")) is asked


@pytest.mark.clause("DH-4020")
@pytest.mark.parametrize(("mine", "theirs", "falls"), [(59, 20, True), (59, 31, False), (59, 99, False)])
def test_a_target_who_wins_well_throws_the_attacker(mine: int, theirs: int, falls: bool) -> None:
    table = duel(1, gorm={"sample": "gorm", "held": {}}, sable=SWORDS)

    table.play("knock_down", "gorm", "sable", **contested(mine, theirs, "knock_down", "gorm", "sable"))

    assert table.has("gorm", "prone") is falls
    assert not table.has("sable", "prone")


@pytest.mark.clause("DH-4030")
def test_who_lies_already_cannot_fall_again() -> None:
    table = knocking()
    table.rule(cmd.AddEffect(CombatantId("vane"), "prone"))

    done = table.play("knock_down", "gorm", "vane", **contested(58, 99, "knock_down", "gorm", "vane"))

    assert done.of(ev.EffectBegan) == []


# Manoeuvre


def pushing(*walls: Wall, **more: Any) -> PlayTable:
    """Sable at 10/10 with Gorm 1 m east of her, on a map."""
    people = {
        "sable": {**SWORDS, "place": Place(1000, 1000, 90)},
        "gorm": {**GREAT, "place": Place(1100, 1000, 270)},
        **more,
    }
    table = duel(1, on_map=True, **people)
    if walls:
        table.command(cmd.Setup(ground=Ground(walls=walls)))
    table.rule(cmd.SetEngaged(CombatantId("sable"), CombatantId("gorm"), True))
    return table


@pytest.mark.clause("DH-3760", "DH-5130")
def test_the_loser_is_moved_a_metre_and_is_out_of_melee() -> None:
    table = pushing()

    done = table.play(
        "manoeuvre", "sable", "gorm", options={"direction": 90}, **contested(31, 39, "manoeuvre", "sable", "gorm")
    )

    assert done.one(ev.Moved).forced
    assert table.who("gorm").place == Place(1200, 1000, 270)
    assert table.who("gorm").engaged == ()


@pytest.mark.clause("DH-3760")
def test_the_winner_may_follow_and_stays_in_melee() -> None:
    table = pushing()

    table.play(
        "manoeuvre",
        "sable",
        "gorm",
        options={"direction": 90, "advance": True},
        **contested(31, 39, "manoeuvre", "sable", "gorm"),
    )

    place = table.who("sable").place
    assert place is not None
    assert place.point == (1100, 1000)
    assert table.who("gorm").engaged == ("sable",)


@pytest.mark.clause("DH-3760", "DH-2100")
def test_a_tie_goes_to_the_higher_bonus() -> None:
    table = pushing()

    done = table.play(
        "manoeuvre", "sable", "gorm", options={"direction": 90}, **contested(42, 22, "manoeuvre", "sable", "gorm")
    )

    assert done.one(ev.ContestSettled).winner == "sable"


@pytest.mark.clause("DH-3770")
def test_not_into_a_wall_or_onto_somebody() -> None:
    walled = pushing(Wall((1150, 900), (1150, 1100)))
    crowded = pushing(vane={"sample": "vane", "place": Place(1200, 1000, 0)})

    assert walled.why_not("manoeuvre", "sable", "gorm", options={"direction": 90}) == ["destination_blocked"]
    assert walled.why_not("manoeuvre", "sable", "gorm", options={"direction": 0}) == []
    assert crowded.why_not("manoeuvre", "sable", "gorm", options={"direction": 90}) == ["destination_blocked"]


@pytest.mark.clause("DH-3770", "DH-5470")
def test_over_an_edge_he_falls() -> None:
    table = pushing(Wall((1150, 900), (1150, 1100), id="ledge", move=False, sight=False, drop=600))

    done = table.play(
        "manoeuvre",
        "sable",
        "gorm",
        options={"direction": 90},
        **contested(31, 39, "manoeuvre", "sable", "gorm"),
        fall_gorm__damage=5,
        fall_gorm__location=50,
    )

    dealt = done.one(ev.DamageDealt)
    assert (dealt.raw, dealt.through) == (11, 6)
    assert table.has("gorm", "prone")


@pytest.mark.clause("DH-3770", "DH-5700")
def test_without_a_map_the_room_and_the_drop_are_stated() -> None:
    table = duel(1, sable=SWORDS, gorm=GREAT)

    blocked = table.why_not("manoeuvre", "sable", "gorm", said={"destination_free": False})
    assert blocked == ["destination_blocked"]
    done = table.play(
        "manoeuvre",
        "sable",
        "gorm",
        said={"destination_free": True, "landing": {"gorm": Landing(None, over="ledge", drop=600)}},
        **contested(31, 39, "manoeuvre", "sable", "gorm"),
        fall_gorm__damage=5,
        fall_gorm__location=50,
    )

    assert done.one(ev.DamageDealt).raw == 11


@pytest.mark.clause("DH-3780")
def test_the_moved_provokes_nothing_and_the_follower_does_from_others() -> None:
    table = pushing(vane={"sample": "vane", "place": Place(900, 1000, 90), "held": {"sword": "main"}})
    table.rule(cmd.SetEngaged(CombatantId("sable"), CombatantId("vane"), True))

    done = table.play(
        "manoeuvre",
        "sable",
        "gorm",
        options={"direction": 90, "advance": True},
        **contested(31, 39, "manoeuvre", "sable", "gorm"),
        vane__free_attack="pass",
    )

    assert [question.to for question in done.questions("free_attack")] == ["vane"]


@pytest.mark.clause("DH-3790")
def test_a_manoeuvre_is_no_attack_but_loses_the_aim() -> None:
    table = pushing()
    table.rule(cmd.AddEffect(CombatantId("sable"), "aiming", 10))

    table.play(
        "manoeuvre", "sable", "gorm", options={"direction": 90}, **contested(99, 99, "manoeuvre", "sable", "gorm")
    )

    assert not table.has("sable", "aiming")
    assert table.why_not("standard_attack", "sable", "gorm") == []


@pytest.mark.clause("DH-1060", "DH-3760")
def test_somebody_immobilised_can_feint_but_not_manoeuvre() -> None:
    table = pushing()
    table.rule(cmd.AddEffect(CombatantId("sable"), "immobilised"))

    assert table.why_not("manoeuvre", "sable", "gorm", options={"direction": 90}) == ["immobilised"]
    assert table.why_not("feint", "sable", "gorm") == []


# Stances


@pytest.mark.clause("DH-3550")
def test_blows_at_a_stance_are_harder_and_shots_are_not() -> None:
    table = duel(1, vane={"sample": "vane"}, gorm=GREAT)
    table.play("defensive_stance", "vane")
    table.end_turn()

    done = table.play("standard_attack", "gorm", "vane", to_hit=29)

    assert (done.check.target, done.check.outcome, done.check.degrees) == (28, "failure", 1)


@pytest.mark.clause("DH-3560", "DH-1110")
def test_the_stance_gives_one_more_reaction_which_goes_with_it() -> None:
    table = duel(1, vane={"sample": "vane"}, gorm=GREAT)
    table.play("defensive_stance", "vane")
    assert table.who("vane").budget["bonus_reaction"] == 1

    table.end_turn()
    table.end_turn()

    assert table.who("vane").budget["bonus_reaction"] == 0
    assert not table.has("vane", "defensive_stance")


@pytest.mark.clause("DH-3560")
def test_the_last_in_order_may_evade_twice_before_his_next_turn() -> None:
    table = duel(1, gorm=GREAT, vane={"sample": "vane"})
    table.end_turn()
    table.play("defensive_stance", "vane")

    table.end_turn()

    budget = table.who("vane").budget
    assert (table.state.clock.round, budget["reaction"], budget["bonus_reaction"]) == (2, 1, 1)


@pytest.mark.clause("DH-3570")
def test_a_table_may_end_the_stance_with_the_round() -> None:
    table = duel(1, gorm=GREAT, vane={"sample": "vane"}, options={"defensive_stance_expires": "round"})
    table.end_turn()
    table.play("defensive_stance", "vane")

    table.end_turn()

    assert not table.has("vane", "defensive_stance")
    assert table.who("vane").budget["bonus_reaction"] == 0


@pytest.mark.clause("DH-3580")
def test_feints_and_knocking_down_are_not_hindered_by_a_stance() -> None:
    table = duel(1, vane={"sample": "vane"}, gorm=GREAT)
    table.play("defensive_stance", "vane")
    table.end_turn()

    feint = table.play("feint", "gorm", "vane", **contested(99, 99, "feint", "gorm", "vane"))

    assert feint.check.target == 38
    knock = table.play("knock_down", "gorm", "vane", **contested(99, 99, "knock_down", "gorm", "vane"))
    assert knock.check.target == 58


@pytest.mark.clause("DH-4100")
def test_a_guarded_turn_attacks_worse_and_evades_better() -> None:
    table = duel(60, vane={"sample": "vane"}, foe={"sample": "vane"})
    table.play("guarded_action", "vane")

    done = table.play("semi_auto_burst", "vane", "foe", to_hit=35, defend="none", damage=1)
    assert (done.check.target, done.check.degrees) == (35, 1)
    table.end_turn()

    answer = table.play("standard_attack", "foe", "vane", to_hit=30, defend="dodge", dodge=50)
    assert answer.of(ev.CheckRolled)[1].target == 50


@pytest.mark.clause("DH-4100")
def test_guarded_must_come_first_in_the_turn() -> None:
    table = duel(60, vane={"sample": "vane"}, foe={"sample": "vane"})
    table.play("free_action", "vane", note="careful")
    assert table.why_not("guarded_action", "vane") == []

    table.play("ready", "vane", weapon="autogun", options={"hand": "stowed"})

    assert table.why_not("guarded_action", "vane") == ["must_be_first_action"]


@pytest.mark.clause("DH-4100")
def test_guarded_is_no_late_half_action() -> None:
    table = duel(60, vane={"sample": "vane"}, foe={"sample": "vane"})
    table.play("delay", "vane", delay_use="act")

    assert table.why_not("guarded_action", "vane") == ["must_be_first_action"]


@pytest.mark.clause("DH-4110")
def test_the_penalty_covers_feints_and_not_strength() -> None:
    table = duel(1, sable=SWORDS, gorm=GREAT)
    table.play("guarded_action", "sable")

    assert table.play("feint", "sable", "gorm", **contested(99, 99, "feint", "sable", "gorm")).check.target == 42
    other = duel(1, sable=SWORDS, gorm=GREAT)
    other.play("guarded_action", "sable")
    knock = other.play("knock_down", "sable", "gorm", **contested(99, 99, "knock_down", "sable", "gorm"))
    assert knock.check.target == 36


# What the GM adds


@pytest.mark.clause("DH-2090", "DH-5110")
@pytest.mark.parametrize(
    ("action", "options", "targets"),
    [("feint", {}, [42, 38]), ("manoeuvre", {"direction": 90}, [42, 38]), ("knock_down", {}, [26, 58])],
)
def test_a_modifier_of_the_gm_counts_for_him_who_tries_it(
    action: str, options: dict[str, Any], targets: list[int]
) -> None:
    table = duel(1, sable=SWORDS, gorm=GREAT)

    given = contested(99, 98, action, "sable", "gorm")
    done = table.play(action, "sable", "gorm", options=options, modifiers=(-10,), **given)

    assert [check.target for check in done.of(ev.CheckRolled)] == targets


@pytest.mark.clause("DH-2090", "DH-5110")
@pytest.mark.parametrize("action", ["feint", "manoeuvre", "knock_down"])
def test_a_circumstance_of_attacks_is_refused_and_not_lost(action: str) -> None:
    table = duel(1, sable=SWORDS, gorm=GREAT)

    assert table.why_not(action, "sable", "gorm", options={}, modifiers=("darkness",)) == ["unknown_option"]


@pytest.mark.clause("DH-2120", "DH-2090")
def test_two_degrees_of_the_winners_own_are_enough_under_a_modifier() -> None:
    table = duel(1, gorm={"sample": "gorm"}, vane={"sample": "vane", "s": 54})

    given = contested(51, 54, "knock_down", "gorm", "vane")
    done = table.play("knock_down", "gorm", "vane", modifiers=(10,), knock_down_outcome="prone", **given)

    assert [(check.target, check.degrees) for check in done.of(ev.CheckRolled)] == [(68, 2), (54, 1)]
