"""Blast and Spray, and getting out of them. Clauses DH-3660 to DH-3680, DH-5480, DH-5700, DH-5720."""

from itertools import permutations
from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Roll
from app.engine.ids import CombatantId
from app.engine.listing import ActionView, listing
from app.engine.reasons import Refused
from app.engine.space.model import Cover, CoverPiece, CoverValue, Exit, Ground, Place, Sector, Wall
from tests.rulesets.dark_heresy_2e.firing import cited, jammed, weapon
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, spot_of
from tests.support.play import Played, PlayTable, duel, length

FRAG = weapon("frag_grenade", "main", count=2)
FLAMER = weapon("hand_flamer", "main", ammo=2)
THROWER = {"sample": "vane", "side": "red", "items": FRAG}
"""Vane: BS 45, SB 3, so that a grenade has a range of 9 m."""
SPRAYER = {"sample": "vane", "side": "red", "items": FLAMER}
AT = {"vane": {"sample": "vane", "side": "blue"}, "gorm": {"sample": "gorm", "side": "blue"}}


def throwing(on_map: bool, spots: dict[str, Spot], **people: Any) -> PlayTable:
    """Somebody with two grenades at the origin, and others about."""
    return fight(on_map, {"ann": (0, 0), **spots}, ann=THROWER, **people)


def states(on_map: bool, **said: Any) -> dict[str, Any]:
    """What is stated where there is no map."""
    return {} if on_map else {"said": said}


def hurt(done: Played) -> list[str]:
    """Whom damage was dealt to, in order."""
    return [event.target for event in done.of(ev.DamageDealt)]


def caught(done: Played) -> list[str]:
    """Whom the area holds, in order."""
    return [hit.target for hit in done.one(ev.HitsScored).hits]


# Blast: who is in it


@both_ways
@pytest.mark.clause("DH-5480")
@pytest.mark.parametrize(("off", "is_in"), [(2.99, True), (3, True), (3.01, False), (3.1, False)])
def test_a_blast_holds_everybody_as_near_as_its_figure(on_map: bool, off: float, is_in: bool) -> None:
    table = throwing(on_map, {"bob": (8, 0), "vane": (8, off)}, bob=AT["vane"], vane=AT["vane"])

    done = table.play(
        "standard_attack",
        "ann",
        "bob",
        to_hit=50,
        defend="none",
        damage=(2, 3),
        hit_location=50,
        **states(on_map, near=["vane"] if is_in else []),
        **({} if on_map else {"exit_distance": "blocked"}),
    )

    assert caught(done) == (["bob", "vane"] if is_in else ["bob"])


@pytest.mark.clause("DH-5480", "DH-5700")
def test_without_a_map_the_stated_distances_tell_who_is_in_it_if_all_are_known() -> None:
    table = throwing(False, {"bob": (8, 0), "vane": (8, 3), "gorm": (8, 3.1)}, bob=AT["vane"], **AT)

    done = table.play(
        "standard_attack",
        "ann",
        "bob",
        to_hit=50,
        exit_distance="blocked",
        defend="none",
        damage=(2, 3),
        hit_location=50,
    )

    assert caught(done) == ["bob", "vane"]


@pytest.mark.clause("DH-5480", "DH-5700")
def test_without_a_map_and_without_distances_it_must_be_stated_who_is_in_it() -> None:
    table = duel(8, ann=THROWER, bob=AT["vane"], vane=AT["vane"])

    assert cited(table.reasons("standard_attack", "ann", "bob")) == [("missing_input", "DH-5700")]
    assert table.why_not("standard_attack", "ann", "bob", said={"near": []}) == []


@pytest.mark.clause("DH-5480")
def test_there_is_one_damage_roll_for_all_and_a_location_for_each() -> None:
    table = throwing(True, {"bob": (8, 0), "gorm": (8, 2)}, bob=AT["vane"], gorm=AT["gorm"])

    done = table.play(
        "standard_attack",
        "ann",
        "bob",
        to_hit=50,
        defend="none",
        damage=(5, 6),
        bob__hit_location=23,
        gorm__hit_location=86,
    )

    dealt = done.of(ev.DamageDealt)
    assert [(one.target, one.raw, one.location) for one in dealt] == [("bob", 11, "left_arm"), ("gorm", 11, "left_leg")]
    assert [one.through for one in dealt] == [4, 6]
    assert sum(isinstance(ask, Roll) and ask.name == "damage" for ask in done.asked) == 1


@pytest.mark.clause("DH-5480", "DH-1120")
def test_who_throws_it_too_near_is_in_it_himself_and_cannot_dodge_in_his_own_turn() -> None:
    table = throwing(True, {"bob": (2, 0)}, bob=AT["vane"])

    done = table.play("standard_attack", "ann", "bob", to_hit=50, bob__defend="none", damage=(2, 2), hit_location=50)

    assert caught(done) == ["ann", "bob"]
    assert [question.to for question in done.questions("defend")] == ["bob"]
    assert hurt(done) == ["ann", "bob"]


@pytest.mark.clause("DH-5480", "DH-5410")
def test_a_thrown_grenade_is_gone_hit_or_miss_and_the_last_leaves_the_hand_empty() -> None:
    table = throwing(True, {"bob": (8, 0)}, bob=AT["vane"])
    table.play("standard_attack", "ann", "bob", to_hit=99, scatter_direction=1, scatter=5)
    assert table.who("ann").items["frag_grenade"].count == 1

    table.end_turn()
    table.until_turn_of("ann")
    done = table.play("standard_attack", "ann", "bob", to_hit=96, scatter_direction=5, scatter=5)

    assert not jammed(done)
    assert "frag_grenade" not in table.who("ann").items


@pytest.mark.clause("DH-5480", "DH-5660")
def test_everybody_in_it_counts_as_shot_at() -> None:
    table = throwing(True, {"bob": (8, 0), "gorm": (8, 2)}, bob=AT["vane"], gorm=AT["gorm"])

    table.play("standard_attack", "ann", "bob", to_hit=50, defend="none", damage=(1, 1), hit_location=50)

    assert table.has("bob", "shot_at")
    assert table.has("gorm", "shot_at")
    assert not table.has("ann", "shot_at")


@pytest.mark.clause("DH-5480", "DH-5450")
def test_righteous_fury_is_rolled_for_each_whom_the_one_roll_strikes() -> None:
    table = throwing(True, {"bob": (8, 0), "gorm": (8, 2)}, bob=AT["vane"], gorm=AT["gorm"])

    done = table.play(
        "standard_attack", "ann", "bob", to_hit=50, defend="none", damage=(10, 1), hit_location=50, fury=[1, 2]
    )

    assert [event.combatant for event in done.of(ev.CriticalSuffered)] == ["bob", "gorm"]


@pytest.mark.clause("DH-5480", "DH-5430")
def test_degrees_for_a_die_are_asked_once_and_count_for_all() -> None:
    table = throwing(True, {"bob": (8, 0), "gorm": (8, 2)}, bob=AT["vane"], gorm=AT["gorm"])

    done = table.play(
        "standard_attack",
        "ann",
        "bob",
        to_hit=5,
        defend="none",
        damage=(2, 4),
        hit_location=50,
        die_replacement="replace",
    )

    assert len(done.questions("die_replacement")) == 1
    assert [event.raw for event in done.of(ev.DamageDealt)] == [10, 10]


@pytest.mark.clause("DH-5480", "DH-5160")
def test_on_a_map_cover_counts_from_where_it_goes_off() -> None:
    low = Wall((800, 100), (900, 100), "crates", move=False, sight=False, cover=CoverValue(8, ("body",)))
    shielded = throwing(True, {"bob": (8.5, 0), "vane": (8.5, 2)}, bob=AT["vane"], vane=AT["vane"])
    shielded.command(cmd.Setup(ground=Ground(walls=(low,))))

    done = shielded.play("standard_attack", "ann", "bob", to_hit=50, defend="none", damage=(5, 5), hit_location=50)

    by_target = {event.target: [term.id for term in event.soak] for event in done.of(ev.DamageDealt)}
    assert "cover" not in by_target["bob"]
    assert "cover" in by_target["vane"]


@pytest.mark.clause("DH-5480", "DH-5490")
def test_each_hit_of_a_burst_goes_off_by_itself_and_one_dodge_gets_out_of_them_all() -> None:
    launcher = weapon("autogun", ammo=30, changes={"qualities": {"blast": 2}, "damage": "1d10"})
    table = fight(
        True,
        {"ann": (0, 0), "bob": (8, 0), "gorm": (8, 1)},
        ann={**THROWER, "items": launcher},
        bob=AT["vane"],
        gorm=AT["gorm"],
    )

    done = table.play(
        "semi_auto_burst",
        "ann",
        "bob",
        to_hit=20,
        bob__defend="dodge",
        bob__dodge=40,
        gorm__defend="none",
        blast1__damage=3,
        blast2__damage=4,
        hit_location=50,
    )

    assert [(hit.number, hit.target) for hit in done.one(ev.HitsScored).hits] == [
        (1, "bob"),
        (2, "gorm"),
        (3, "bob"),
        (4, "gorm"),
    ]
    assert done.one(ev.DefenceResolved).negated == (1, 3)
    assert [(event.target, event.raw) for event in done.of(ev.DamageDealt)] == [("gorm", 3), ("gorm", 4)]


# Blast: where it goes off


@pytest.mark.clause("DH-5480")
@pytest.mark.parametrize(
    ("direction", "spot"),
    [(1, (8, -4)), (2, (10.83, -2.83)), (3, (12, 0)), (5, (8, 4)), (7, (4, 0)), (8, (5.17, -2.83))],
)
def test_a_miss_strays_in_a_compass_direction_clockwise_from_north(direction: int, spot: tuple[float, float]) -> None:
    table = throwing(True, {"bob": (8, 0), "vane": spot}, bob=AT["vane"], vane=AT["vane"])

    done = table.play(
        "standard_attack",
        "ann",
        "bob",
        to_hit=99,
        scatter_direction=direction,
        scatter=4,
        vane__defend="none",
        damage=(1, 1),
        hit_location=50,
    )

    assert caught(done) == ["vane"]
    assert done.of(ev.Noted)[0].figures[0].value == 4


@pytest.mark.clause("DH-5480")
@pytest.mark.parametrize("direction", [9, 10])
def test_two_faces_give_no_direction_and_it_goes_off_where_it_was_aimed(direction: int) -> None:
    table = throwing(True, {"bob": (8, 0)}, bob=AT["vane"])

    done = table.play(
        "standard_attack",
        "ann",
        "bob",
        to_hit=99,
        scatter_direction=direction,
        defend="none",
        damage=(1, 1),
        hit_location=50,
    )

    assert caught(done) == ["bob"]
    assert done.questions("die_replacement") == []


@pytest.mark.clause("DH-5480")
def test_a_wall_that_it_strays_through_is_told() -> None:
    wall = ((6, -2), (10, -2))
    table = fight(True, {"ann": (0, 0), "bob": (8, 0)}, walls=(wall,), ann=THROWER, bob=AT["vane"])

    done = table.play("standard_attack", "ann", "bob", to_hit=99, scatter_direction=1, scatter=5)

    assert done.one(ev.Noted).words == ("through_a_wall",)


@pytest.mark.clause("DH-5480", "DH-5700")
def test_without_a_map_the_gm_says_whom_a_stray_blast_holds() -> None:
    table = throwing(False, {"bob": (8, 0), "vane": (8, 3)}, bob=AT["vane"], vane=AT["vane"])

    done = table.play(
        "standard_attack",
        "ann",
        "bob",
        to_hit=99,
        scatter_direction=1,
        scatter=2,
        area_caught=("state", {"who": ["vane"]}),
        exit_distance="blocked",
        defend="none",
        damage=(1, 1),
        hit_location=50,
    )

    assert caught(done) == ["vane"]
    assert done.questions("ruling")[0].to == "gm"


@pytest.mark.clause("DH-5480", "DH-5390")
def test_a_jammed_launcher_fires_nothing() -> None:
    launcher = weapon("autogun", ammo=30, changes={"qualities": {"blast": 3}})
    table = fight(True, {"ann": (0, 0), "bob": (8, 0)}, ann={**THROWER, "items": launcher}, bob=AT["vane"])

    done = table.play("standard_attack", "ann", "bob", to_hit=96)

    assert jammed(done)
    assert done.of(ev.HitsScored) == []


# At a point


@both_ways
@pytest.mark.clause("DH-5480")
@pytest.mark.parametrize("how", ["area", "path"])
def test_a_grenade_may_be_thrown_at_a_point(on_map: bool, how: str) -> None:
    table = throwing(on_map, {"bob": (8, 0), "vane": (8, 4)}, bob=AT["vane"], vane=AT["vane"])
    where = {"area": Sector((800, 200), 0)} if how == "area" else {"path": [(8, 2)]}

    done = table.play(
        "standard_attack",
        "ann",
        **where,
        to_hit=55,
        defend="none",
        damage=(1, 1),
        hit_location=50,
        **states(on_map, length=8.25, near=["bob", "vane"]),
        **({} if on_map else {"exit_distance": "blocked"}),
    )

    assert done.check.target == 55
    assert done.check.against is None
    assert caught(done) == ["bob", "vane"]
    assert done.of(ev.AttackMade) == []


@both_ways
@pytest.mark.clause("DH-5480", "DH-5140")
@pytest.mark.parametrize(("off", "target"), [(2, 85), (4.4, 65), (4.5, 55), (18, 55), (18.1, 45), (27.1, 25)])
def test_a_point_is_as_hard_to_hit_as_it_is_far(on_map: bool, off: float, target: int) -> None:
    table = throwing(on_map, {"bob": (60, 60)}, bob=AT["vane"])

    done = table.play(
        "standard_attack",
        "ann",
        area=Sector((length(off), 0), 0),
        to_hit=99,
        scatter_direction=9,
        **states(on_map, length=off, near=[]),
        **({"hit_location": 50, "damage": (1, 1)} if on_map and off == 2 else {}),
    )

    assert done.check.target == target


@both_ways
@pytest.mark.clause("DH-5480", "DH-4550", "DH-5140")
def test_a_point_out_of_range_is_refused(on_map: bool) -> None:
    table = throwing(on_map, {"bob": (8, 0)}, bob=AT["vane"])

    reasons = table.reasons(
        "standard_attack", "ann", area=Sector((3601, 0), 0), **states(on_map, length=36.01, near=[])
    )

    assert cited(reasons) == [("out_of_range", "DH-4550")]
    assert (
        table.why_not("standard_attack", "ann", area=Sector((3600, 0), 0), **states(on_map, length=36, near=[])) == []
    )


@pytest.mark.clause("DH-5480", "DH-5170")
def test_a_point_out_of_sight_is_refused() -> None:
    table = fight(True, {"ann": (0, 0), "bob": (8, 0)}, walls=(((4, -5), (4, 5)),), ann=THROWER, bob=AT["vane"])

    assert cited(table.reasons("standard_attack", "ann", area=Sector((800, 200), 0))) == [
        ("no_line_of_sight", "DH-5170")
    ]


@pytest.mark.clause("DH-5480", "DH-5700")
def test_without_a_map_the_distance_of_the_point_must_be_stated() -> None:
    table = throwing(False, {"bob": (8, 0)}, bob=AT["vane"])

    reasons = table.reasons("standard_attack", "ann", area=Sector((0, 0), 0))

    assert [(reason.at, reason.clause) for reason in reasons] == [("/said/length", "DH-5700")]
    assert table.why_not("standard_attack", "ann", area=Sector((0, 0), 0), said={"length": 8}) == ["missing_input"]
    assert table.why_not("standard_attack", "ann", area=Sector((0, 0), 0), said={"length": 8, "near": []}) == []


@pytest.mark.clause("DH-5480", "DH-1220")
def test_only_a_weapon_with_an_area_is_aimed_at_a_point() -> None:
    table = duel(8, on_map=True, ann={"sample": "vane"}, bob=AT["vane"])

    assert cited(table.reasons("standard_attack", "ann", area=Sector((800, 0), 0))) == [("invalid_target", "DH-1220")]
    assert cited(table.reasons("standard_attack", "ann")) == [("missing_input", "DH-5700")]


def standard_attack_of(table: PlayTable) -> ActionView:
    """What her list says of it."""
    return next(view for view in listing(table.table, CombatantId("ann")) if view.id == "standard_attack")


@both_ways
@pytest.mark.clause("DH-5480")
def test_the_list_offers_it_where_nobody_is_in_reach(on_map: bool) -> None:
    table = throwing(on_map, {"bob": (90, 0)}, bob=AT["vane"])
    far = fight(on_map, {"ann": (0, 0), "bob": (590, 0)}, ann={"sample": "vane"}, bob=AT["vane"])

    grenade, gun = standard_attack_of(table), standard_attack_of(far)
    assert grenade.available
    assert grenade.reasons == ()
    assert not grenade.targets[0].available
    assert not gun.available
    assert [reason.code for reason in gun.reasons] == ["out_of_range"]


# Getting out of it


def blasted(on_map: bool, who: str, off: float, **given: Any) -> tuple[PlayTable, Played]:
    """Somebody so many metres from the middle of a blast of 3 m, and how he reacts to it."""
    table = throwing(on_map, {who: (8, off)}, **{who: {"sample": who, "side": "blue"}})
    said = {
        "length": 8,
        "near": [who],
        "exits": {who: Exit(length(3 - off), None, True)},
    }
    done = table.play("standard_attack", "ann", area=Sector((800, 0), 0), to_hit=50, **states(on_map, **said), **given)
    return table, done


@both_ways
@pytest.mark.clause("DH-3660")
def test_a_dodge_leads_to_the_edge(on_map: bool) -> None:
    table, done = blasted(on_map, "vane", 1, defend="dodge", dodge=30)

    question = done.questions("defend")[0]
    assert question.lengths == {"exit_distance": 200}
    assert question.figures == {"hits": 1, "escapable": 1}
    moved = done.one(ev.Moved)
    assert moved.forced
    assert moved.clause == "DH-3660"
    assert moved.distance == (201 if on_map else 200)
    assert not on_map or spot_of(table, "vane") == (8, 3.01)
    assert hurt(done) == []
    assert table.who("vane").budget["reaction"] == 0


@both_ways
@pytest.mark.clause("DH-3660")
def test_a_way_out_that_is_too_long_fails_by_itself_and_the_reaction_is_spent(on_map: bool) -> None:
    table, done = blasted(on_map, "gorm", 0, defend="dodge", damage=(2, 2), hit_location=50)

    question = done.questions("defend")[0]
    assert question.lengths == {"exit_distance": 300}
    assert question.figures["escapable"] == 0
    assert question.options[0].chance == 0
    assert question.best == "none"
    assert [event.purpose for event in done.of(ev.CheckRolled)] == ["attack"]
    assert [event.fact for event in done.of(ev.Noted)] == ["area_attack", "evasion_impossible", "hit_location"]
    assert done.one(ev.DefenceResolved).left == (1,)
    assert hurt(done) == ["gorm"]
    assert table.who("gorm").budget["reaction"] == 0


@both_ways
@pytest.mark.clause("DH-3660")
@pytest.mark.parametrize(("figure", "escapes"), [(4, True), (5, False)])
def test_exactly_the_agility_bonus_is_near_enough(on_map: bool, figure: int, escapes: bool) -> None:
    big = weapon("frag_grenade", "main", count=2, changes={"qualities": {"blast": figure}})
    table = fight(on_map, {"ann": (0, 0), "vane": (20, 0)}, ann={**THROWER, "items": big}, vane=AT["vane"])
    said = {"near": [], "exits": {"vane": Exit(length(figure), None, True)}}

    done = table.play(
        "standard_attack",
        "ann",
        "vane",
        to_hit=40,
        defend="dodge",
        **states(on_map, **said),
        **({"dodge": 40} if escapes else {"damage": (1, 1), "hit_location": 50}),
    )

    assert done.questions("defend")[0].lengths == {"exit_distance": 100 * figure}
    assert hurt(done) == ([] if escapes else ["vane"])


@both_ways
@pytest.mark.clause("DH-3660")
def test_who_stands_on_the_very_edge_needs_no_more_than_a_step(on_map: bool) -> None:
    table, done = blasted(on_map, "gorm", 3, defend="dodge", dodge=6)

    assert done.questions("defend")[0].lengths == {"exit_distance": 0}
    assert hurt(done) == []
    assert not on_map or spot_of(table, "gorm") == (8, 3.01)


@both_ways
@pytest.mark.clause("DH-3660", "DH-3610")
def test_a_dodge_that_fails_leaves_him_in_it(on_map: bool) -> None:
    table, done = blasted(on_map, "vane", 1, defend="dodge", dodge=41, damage=(1, 1), hit_location=50)

    assert done.of(ev.Moved) == []
    assert hurt(done) == ["vane"]
    assert not on_map or spot_of(table, "vane") == (8, 1)


@pytest.mark.clause("DH-3660")
def test_a_way_out_that_is_blocked_is_none() -> None:
    walls = (((6.8, -1.5), (10, -1.5)), ((6.8, 1.5), (10, 1.5)), ((6.8, -1.5), (6.8, 1.5)), ((10, -1.5), (10, 1.5)))
    table = fight(True, {"ann": (7, 0), "vane": (9, 0)}, walls=walls, ann=THROWER, vane=AT["vane"])

    done = table.play("standard_attack", "ann", "vane", to_hit=50, defend="dodge", damage=(1, 1), hit_location=50)

    assert done.questions("defend")[0].figures["escapable"] == 0
    assert "vane" in hurt(done)


@pytest.mark.clause("DH-3660", "DH-5700")
@pytest.mark.parametrize(
    ("answer", "escapable"),
    [(("state", {"distance": 400}), 1), (("state", {"distance": 401}), 0), ("blocked", 0)],
)
def test_without_a_map_the_gm_states_the_way_out(answer: Any, escapable: int) -> None:
    table = throwing(False, {"vane": (8, 0)}, vane=AT["vane"])

    done = table.play(
        "standard_attack",
        "ann",
        "vane",
        said={"near": []},
        to_hit=50,
        exit_distance=answer,
        defend="none",
        damage=(1, 1),
        hit_location=50,
    )

    assert done.questions("ruling")[0].to == "gm"
    assert done.questions("defend")[0].figures["escapable"] == escapable


@pytest.mark.clause("DH-3660")
def test_he_may_choose_where_to() -> None:
    table = throwing(True, {"vane": (8, 1)}, vane=AT["vane"])

    table.play(
        "standard_attack",
        "ann",
        "vane",
        to_hit=50,
        dodge=40,
        defend=("dodge", {"to_x": 1150, "to_y": 100}),
    )

    assert spot_of(table, "vane") == (11.5, 1)


@pytest.mark.clause("DH-3660")
@pytest.mark.parametrize(
    ("to", "code"),
    [((10, 1), "destination_blocked"), ((13, 1), "move_too_far"), ((8, 5.02), "move_too_far"), ((12, 0), None)],
)
def test_where_he_cannot_get_to_is_refused_and_the_question_stays_open(
    to: tuple[float, float], code: str | None
) -> None:
    table = throwing(True, {"vane": (8, 1), "bob": (9, -3.5)}, vane=AT["vane"], bob=AT["vane"])
    given: dict[str, Any] = {
        "to_hit": 50,
        "dodge": 40,
        "defend": ("dodge", {"to_x": length(to[0]), "to_y": length(to[1])}),
    }
    if code is None:
        to_the_rim = {"to_x": length(11.01), "to_y": 100}
        table.play("standard_attack", "ann", "vane", **{**given, "defend": ("dodge", to_the_rim)})
        return

    with pytest.raises(Refused) as refused:
        table.play("standard_attack", "ann", "vane", **given)

    assert cited(refused.value.reasons) == [(code, "DH-3660")]


@pytest.mark.clause("DH-3660")
def test_an_occupied_place_is_none_to_dodge_to() -> None:
    table = throwing(True, {"vane": (8, 0), "bob": (8, 3.1)}, vane=AT["vane"], bob=AT["vane"])

    with pytest.raises(Refused) as refused:
        table.play("standard_attack", "ann", "vane", to_hit=50, defend=("dodge", {"to_x": 800, "to_y": 301}))

    assert cited(refused.value.reasons) == [("destination_blocked", "DH-3660")]


@pytest.mark.clause("DH-3650", "DH-3660")
def test_two_who_dodge_do_not_end_on_each_other_whoever_answers_first() -> None:
    results = []
    for order in permutations(("bob", "vane")):
        table = throwing(True, {"bob": (7.7, 0), "vane": (8.3, 0)}, bob=AT["vane"], vane=AT["vane"])
        to = ("dodge", {"to_x": 800, "to_y": 302})
        answers = {f"{who}__defend": to for who in order} | {f"{who}__dodge": 40 for who in order}
        table.play("standard_attack", "ann", area=Sector((800, 0), 0), to_hit=50, **answers)
        results.append({who: spot_of(table, who) for who in ("bob", "vane")})

    assert results[0] == results[1]
    assert results[0]["bob"] == (8, 3.02)
    assert results[0]["vane"] != (8, 3.02)


@both_ways
@pytest.mark.clause("DH-3670")
def test_dodging_away_from_an_opponent_gives_him_no_free_attack_and_they_part(on_map: bool) -> None:
    spots: dict[str, Spot] = {"ann": (0, 0), "vane": (8, 2), "gorm": (8, 1)}
    blue = {"sample": "vane", "side": "blue"}
    table = fight(on_map, spots, melee=(("vane", "gorm"),), ann=THROWER, vane=blue, gorm={"side": "green"})
    far = {"near": ["vane"], "length": 8, "exits": {"vane": Exit(200, None, True)}}

    done = table.play(
        "standard_attack",
        "ann",
        area=Sector((800, 100), 0),
        to_hit=50,
        vane__defend=("dodge", {"to_x": 1001, "to_y": 350}) if on_map else "dodge",
        vane__dodge=40,
        **({"gorm__defend": "none", "damage": (1, 1), "hit_location": 50} if on_map else {}),
        **states(on_map, **far),
    )

    assert done.questions("free_attack") == []
    assert not engaged(table, "vane", "gorm")


@pytest.mark.clause("DH-3670", "DH-5130")
def test_who_is_still_next_to_his_opponent_stays_locked_with_him() -> None:
    spots: dict[str, Spot] = {"ann": (0, 0), "vane": (8, 2.9), "gorm": (8, 3.9)}
    blue = {"sample": "vane", "side": "blue"}
    table = fight(True, spots, melee=(("vane", "gorm"),), ann=THROWER, vane=blue, gorm={"side": "green"})

    table.play(
        "standard_attack",
        "ann",
        area=Sector((800, 0), 0),
        to_hit=50,
        defend=("dodge", {"to_x": 850, "to_y": 301}),
        dodge=40,
    )

    assert engaged(table, "vane", "gorm")


@pytest.mark.clause("DH-3660", "DH-1060")
def test_the_immobilised_cannot_dodge_out() -> None:
    table = throwing(True, {"vane": (8, 0)}, vane=AT["vane"])
    table.rule(cmd.AddEffect(CombatantId("vane"), "immobilised"))

    done = table.play("standard_attack", "ann", "vane", to_hit=50, damage=(1, 1), hit_location=50)

    assert done.questions("defend") == []
    assert hurt(done) == ["vane"]


@pytest.mark.clause("DH-3660", "DH-4360")
def test_dodging_out_is_a_reaction_like_any_other_and_spoils_an_aim() -> None:
    table = throwing(True, {"vane": (8, 0)}, vane=AT["vane"])
    table.rule(cmd.AddEffect(CombatantId("vane"), "aiming", 20))

    table.play("standard_attack", "ann", "vane", to_hit=50, defend="dodge", dodge=1)

    assert not table.has("vane", "aiming")


@pytest.mark.clause("DH-3680", "DH-3605")
def test_no_area_is_parried_even_at_arms_length() -> None:
    table = fight(True, {"ann": (0, 0), "sable": (1, 0)}, ann=SPRAYER, sable={"side": "blue"})

    done = table.play("standard_attack", "ann", "sable", spray=90, defend="none", damage=1)

    question = done.questions("defend")[0]
    assert [(one.id, cited(one.reasons)) for one in question.barred] == [
        ("parry", [("cannot_parry_ranged", "DH-3605"), ("cannot_parry_area", "DH-3680")])
    ]


@pytest.mark.clause("DH-3680", "DH-5340")
def test_an_option_that_lets_pistols_be_parried_changes_nothing_for_areas() -> None:
    table = fight(
        True,
        {"ann": (0, 0), "sable": (1, 0)},
        melee=(("ann", "sable"),),
        ann=SPRAYER,
        sable={"side": "blue"},
        options={"parry_pistol_in_melee": True},
    )

    done = table.play("standard_attack", "ann", "sable", spray=90, defend="none", damage=1)

    assert cited(done.questions("defend")[0].barred[0].reasons) == [("cannot_parry_area", "DH-3680")]


# Spray


def spraying(on_map: bool, spots: dict[str, Spot], **people: Any) -> PlayTable:
    """Somebody with a hand flamer (10 m) at the origin."""
    options = people.pop("options", {})
    walls = people.pop("walls", ())
    return fight(on_map, {"ann": (0, 0), **spots}, walls=walls, options=options, ann=SPRAYER, **people)


@both_ways
@pytest.mark.clause("DH-5480")
@pytest.mark.parametrize(("die", "is_hit"), [(28, False), (29, True)])
def test_everybody_in_the_cone_tests_agility_or_is_hit(on_map: bool, die: int, is_hit: bool) -> None:
    table = spraying(on_map, {"brok": (5, 0)}, brok={"side": "blue"})
    given: dict[str, Any] = {"defend": "none", "damage": 4} if is_hit else {}
    if is_hit and not on_map:
        given["exit_distance"] = "blocked"

    done = table.play("standard_attack", "ann", "brok", spray=die, **states(on_map, inside=[]), **given)

    assert [(check.check, check.purpose, check.target) for check in done.of(ev.CheckRolled)] == [("ag", "spray", 28)]
    assert len(done.of(ev.HitsScored)) == is_hit
    assert [event.location for event in done.of(ev.DamageDealt)] == (["body"] if is_hit else [])
    assert table.who("ann").items["hand_flamer"].marks["ammo"] == 1


@pytest.mark.clause("DH-5480")
def test_a_nine_on_the_damage_die_jams_it() -> None:
    table = spraying(True, {"vane": (5, 0)}, vane=AT["vane"])

    done = table.play("standard_attack", "ann", "vane", spray=90, defend="none", damage=9)

    dealt = done.one(ev.DamageDealt)
    assert (dealt.raw, dealt.through, dealt.location) == (13, 8, "body")
    assert jammed(done)


@pytest.mark.clause("DH-5480")
@pytest.mark.parametrize(
    ("die", "qualities", "options", "jams"),
    [
        (9, {"spray": True}, {}, True),
        (8, {"spray": True}, {}, False),
        (1, {"spray": True}, {}, False),
        (9, {"spray": True, "reliable": True}, {}, False),
        (9, {"spray": True}, {"spray_jam": False}, False),
    ],
)
def test_what_jams_a_spray(die: int, qualities: dict[str, bool], options: dict[str, Any], jams: bool) -> None:
    flamer = weapon("hand_flamer", "main", ammo=2, changes={"qualities": qualities})
    spots: dict[str, Spot] = {"ann": (0.0, 0.0), "vane": (5.0, 0.0)}
    table = fight(True, spots, ann={**SPRAYER, "items": flamer}, vane=AT["vane"], options=options)

    done = table.play("standard_attack", "ann", "vane", spray=90, defend="none", damage=die)

    assert jammed(done) is jams


@pytest.mark.clause("DH-5480")
@pytest.mark.parametrize(
    ("spot", "is_in"),
    [
        ((9.65, 2.58), True),
        ((9.5, 2.56), False),
        ((10, 0), True),
        ((10.01, 0), False),
        ((5, -1.3), True),
        ((-1, 0), False),
    ],
)
def test_the_cone_is_30_degrees_wide_and_as_long_as_the_range(spot: tuple[float, float], is_in: bool) -> None:
    table = spraying(True, {"brok": spot}, brok={"side": "blue"})

    done = table.play("standard_attack", "ann", area=Sector((0, 0), 0, facing=90), **({"spray": 28} if is_in else {}))

    assert len(done.of(ev.CheckRolled)) == is_in


@pytest.mark.clause("DH-5480")
def test_friends_in_the_cone_are_no_safer_and_it_is_told_in_initiative_order() -> None:
    table = spraying(
        True,
        {"brok": (6, 0), "vane": (3, 0), "sable": (8, 1)},
        brok={"side": "blue"},
        vane={"side": "red"},
        sable={"side": "blue"},
    )

    done = table.play(
        "standard_attack",
        "ann",
        "brok",
        brok__spray=99,
        vane__spray=99,
        sable__spray=47,
        brok__defend="none",
        vane__defend="none",
        damage=2,
    )

    assert [check.combatant for check in done.of(ev.CheckRolled)] == ["brok", "vane", "sable"]
    assert hurt(done) == ["brok", "vane"]
    assert [event.raw for event in done.of(ev.DamageDealt)] == [6, 6]


@pytest.mark.clause("DH-5480")
def test_only_complete_concealment_is_cover() -> None:
    behind = Cover(pieces=(CoverPiece("bags", 8, ("body",)),))
    table = spraying(
        True,
        {"vane": (5, 0), "brok": (8, 0)},
        walls=(((7, -1), (7, 1)),),
        vane={**AT["vane"], "cover": behind},
        brok={"side": "blue"},
    )

    done = table.play("standard_attack", "ann", "vane", spray=99, defend="none", damage=5)

    assert hurt(done) == ["vane"]
    assert "cover" not in [term.id for term in done.one(ev.DamageDealt).soak]


@pytest.mark.clause("DH-5480", "DH-3660")
def test_who_is_hit_may_dodge_out_of_the_cone() -> None:
    table = spraying(True, {"vane": (5, 0)}, vane=AT["vane"])

    done = table.play("standard_attack", "ann", "vane", spray=99, defend="dodge", dodge=40)

    assert done.questions("defend")[0].lengths["exit_distance"] == 129
    assert hurt(done) == []
    place = table.who("vane").place
    assert place is not None
    assert abs(place.y) == 126


@pytest.mark.clause("DH-5480", "DH-5630")
def test_the_helpless_do_not_get_out_of_the_way() -> None:
    table = spraying(True, {"vane": (5, 0)}, vane=AT["vane"])
    table.rule(cmd.AddEffect(CombatantId("vane"), "helpless"))

    done = table.play("standard_attack", "ann", "vane", damage=5)

    assert done.of(ev.CheckRolled) == []
    assert hurt(done) == ["vane"]


@pytest.mark.clause("DH-5480", "DH-3800")
def test_no_called_shot_with_it() -> None:
    table = spraying(True, {"vane": (5, 0)}, vane=AT["vane"])

    assert cited(table.reasons("called_shot", "ann", "vane", location="head")) == [
        ("weapon_quality_forbids", "DH-3800")
    ]


@both_ways
@pytest.mark.clause("DH-5480")
def test_a_target_beyond_the_range_is_out_of_the_cone(on_map: bool) -> None:
    table = spraying(on_map, {"vane": (10.01, 0)}, vane=AT["vane"])

    assert cited(table.reasons("standard_attack", "ann", "vane", **states(on_map, inside=[]))) == [
        ("out_of_range", "DH-5480")
    ]


@pytest.mark.clause("DH-5480", "DH-5710")
def test_without_a_target_it_needs_a_direction() -> None:
    table = spraying(False, {"vane": (5, 0)}, vane=AT["vane"])

    assert [reason.at for reason in table.reasons("standard_attack", "ann", area=Sector((0, 0), 0))] == ["/said/inside"]
    done = table.play(
        "standard_attack",
        "ann",
        area=Sector((0, 0), 0),
        said={"inside": ["vane"]},
        spray=99,
        exit_distance=("state", {"distance": 100}),
        defend="dodge",
        dodge=30,
    )
    assert caught(done) == ["vane"]


@pytest.mark.clause("DH-5480", "DH-3890")
def test_an_overwatch_with_a_flamer_sprays_whoever_comes_in() -> None:
    table = fight(True, {"ann": (0, 0), "brok": (20, 0)}, ann={**SPRAYER, "ag": 50}, brok={"side": "blue"})
    table.play(
        "overwatch",
        "ann",
        area=Sector((0, 0), 1000, 90, 45),
        facing=90,
        options={"attack": "standard_attack", "trigger": "enters_zone"},
    )
    table.until_turn_of("brok")
    table.rule(cmd.Reposition(CombatantId("brok"), Place(1100, 0)))

    done = table.play("move", "brok", path=[(9.5, 0)], overwatch_fire="fire", spray=99, damage=5, pinning=10)

    assert done.one(ev.AttackMade).action == "overwatch"
    assert hurt(done) == ["brok"]
    assert done.questions("defend") == []
