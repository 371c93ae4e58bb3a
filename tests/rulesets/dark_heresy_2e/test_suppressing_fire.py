"""Suppressing Fire: zone, nerves, random hits. Clauses DH-4200 to DH-4250, DH-5640 to DH-5660, DH-5710, DH-5720."""

from itertools import permutations
from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Roll
from app.engine.ids import CombatantId
from app.engine.listing import listing
from app.engine.space.model import Area, Ground, Polygon, Region, Sector
from tests.rulesets.dark_heresy_2e.firing import cited, fired, jammed, places, struck, terms, weapon
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, fight
from tests.support.play import Played, PlayTable, duel, length

SHOOTER = {"sample": "vane", "side": "red"}
"""Vane: BS 45, an autogun (range 100, semi 3, full 10)."""
SEMI, FULL = {"mode": "semi"}, {"mode": "full"}


def zone(arc: int = 45, reach: float = 50, facing: int = 90) -> Sector:
    """A zone from the origin to the east."""
    return Sector((0, 0), length(reach), facing, arc)


def suppressing(on_map: bool, spots: dict[str, Spot], **people: Any) -> PlayTable:
    """Vane's twin at the origin, and people before him who are all like Brok (WP 34, Agility 28)."""
    given: dict[str, Any] = {name: {"sample": "brok", "side": "blue", **people.pop(name, {})} for name in spots}
    shooter = {**SHOOTER, **people.pop("ann", {})}
    return fight(on_map, {"ann": (0, 0), **spots}, ann=shooter, **given, **people)


def lay_down(table: PlayTable, options: dict[str, Any], inside: tuple[str, ...] = (), **given: Any) -> Played:
    """The fire into a zone as wide as it may be; without a map with those inside stated."""
    arc = 45 if options.get("mode") == "full" else 30
    where: dict[str, Any] = {"area": zone(arc)} if table.table.has_map else {"said": {"inside": list(inside)}}
    return table.play("suppressing_fire", "ann", options=options, facing=90, **where, **given)


def pinning(**dice: int) -> dict[str, Any]:
    """The dice of the Pinning tests."""
    return {f"pinning__{who}__pinning": die for who, die in dice.items()}


# Declaring


@pytest.mark.clause("DH-4200")
@pytest.mark.parametrize(
    ("mode", "arc", "reasons"),
    [("semi", 30, []), ("semi", 31, ["zone_arc_exceeded"]), ("full", 45, []), ("full", 46, ["zone_arc_exceeded"])],
)
def test_the_zone_is_as_wide_as_the_burst_allows(mode: str, arc: int, reasons: list[str]) -> None:
    table = suppressing(True, {"bob": (20, 0)})

    assert table.why_not("suppressing_fire", "ann", options={"mode": mode}, area=zone(arc), facing=90) == reasons


@pytest.mark.clause("DH-4200", "DH-5710")
def test_the_zone_is_measured_from_where_he_faces() -> None:
    table = suppressing(True, {"bob": (20, 0)})

    reasons = table.reasons("suppressing_fire", "ann", options=FULL, area=zone(25, facing=90), facing=79)
    turned = table.play(
        "suppressing_fire", "ann", options=FULL, area=zone(25, facing=90), facing=80, to_hit=90, **pinning(bob=1)
    )

    assert [(one.code, one.need, one.got) for one in reasons] == [("zone_arc_exceeded", 45, 47)]
    assert turned.one(ev.Turned).facing == 80


@pytest.mark.clause("DH-4200")
@pytest.mark.parametrize(
    ("option", "reach", "reasons"),
    [
        ("published", 50, []),
        ("published", 50.01, ["out_of_range"]),
        ("unlimited", 50.01, []),
        ("unlimited", 900, []),
    ],
)
def test_it_goes_as_far_as_half_the_range_unless_the_table_has_no_bound(
    option: str, reach: float, reasons: list[str]
) -> None:
    table = suppressing(True, {"bob": (20, 0)}, options={"kill_zone_range": option})

    assert table.why_not("suppressing_fire", "ann", options=FULL, area=zone(45, reach), facing=90) == reasons


@pytest.mark.clause("DH-4200")
@pytest.mark.parametrize(
    ("items", "options", "reasons"),
    [
        (weapon("autogun", ammo=30), SEMI, []),
        (weapon("lasgun", ammo=30), FULL, ["fire_mode_not_available"]),
        (weapon("shotgun", ammo=8), SEMI, ["fire_mode_not_available"]),
        (weapon("frag_grenade", "main", count=2), {}, ["fire_mode_not_available"]),
        (weapon("autogun", ammo=0), SEMI, ["not_enough_ammo"]),
        (weapon("autogun", ammo=30, jammed=1), SEMI, ["weapon_jammed"]),
        (weapon("autogun", None, ammo=30), SEMI, ["weapon_not_ready"]),
        (weapon("autogun", ammo=30), {}, ["missing_input"]),
        (weapon("lasgun", ammo=30), {}, []),
    ],
)
def test_it_takes_a_weapon_that_fires_bursts(
    items: dict[str, Any], options: dict[str, str], reasons: list[str]
) -> None:
    table = suppressing(True, {"bob": (20, 0)}, ann={"items": items})
    reach = 4.5 if "frag_grenade" in items else 15 if "shotgun" in items else 50

    found = table.reasons("suppressing_fire", "ann", options=options, area=zone(30, reach), facing=90)

    assert [one.code for one in found] == reasons
    assert all(one.clause == "DH-4200" for one in found)


@pytest.mark.clause("DH-4200", "DH-5410")
@pytest.mark.parametrize(("options", "rounds"), [(SEMI, 3), (FULL, 10)])
@both_ways
def test_it_spends_the_rounds_of_the_burst(on_map: bool, options: dict[str, str], rounds: int) -> None:
    table = suppressing(on_map, {"bob": (20, 0)})

    done = lay_down(table, options, ("bob",), to_hit=90, **pinning(bob=1))

    assert fired(done) == rounds
    assert table.who("ann").items["autogun"].marks["ammo"] == 30 - rounds
    assert table.who("ann").budget["half_action"] == 0


@pytest.mark.clause("DH-4200", "DH-5340")
def test_engaged_he_can_do_it_with_a_pistol_only() -> None:
    rifle = suppressing(True, {"bob": (1, 0)}, melee=(("ann", "bob"),))
    pistol = suppressing(True, {"bob": (1, 0)}, melee=(("ann", "bob"),), ann={"items": weapon("laspistol", "main")})

    where = {"area": zone(30, 15), "facing": 90}
    assert cited(rifle.reasons("suppressing_fire", "ann", options=SEMI, **where)) == [
        ("weapon_not_usable_in_melee", "DH-5340")
    ]
    assert pistol.why_not("suppressing_fire", "ann", **where) == []


@pytest.mark.clause("DH-4220")
def test_he_may_not_choose_to_fail() -> None:
    table = suppressing(True, {"bob": (20, 0)})

    reasons = table.reasons("suppressing_fire", "ann", options={**SEMI, "fail": True}, area=zone(30), facing=90)

    assert cited(reasons) == [("cannot_choose_to_fail", "DH-4220")]
    assert table.why_not("suppressing_fire", "ann", options={**SEMI, "fail": False}, area=zone(30), facing=90) == []


@pytest.mark.clause("DH-4200", "DH-5700")
def test_without_a_map_it_is_stated_who_is_in_the_zone() -> None:
    table = suppressing(False, {"bob": (20, 0)})

    assert cited(table.reasons("suppressing_fire", "ann", options=SEMI)) == [("missing_input", "DH-5700")]
    assert table.why_not("suppressing_fire", "ann", options=SEMI, said={"inside": []}) == []


@pytest.mark.clause("DH-4200", "DH-1070", "DH-1010")
def test_it_is_a_full_action_and_an_attack() -> None:
    table = suppressing(True, {"bob": (20, 0)})
    table.play("aim", "ann")

    assert table.why_not("suppressing_fire", "ann", options=SEMI, area=zone(30), facing=90) == ["insufficient_actions"]
    assert {"attack", "ranged"} == table.rules.actions["suppressing_fire"].tags


@pytest.mark.clause("DH-4200")
@both_ways
def test_the_list_offers_it_to_whom_has_a_gun_for_it(on_map: bool) -> None:
    gun = suppressing(on_map, {"bob": (20, 0)})
    blade = fight(on_map, {"sable": (0, 0), "bob": (20, 0)}, bob={"sample": "brok"})

    def offered(table: PlayTable, who: str) -> bool:
        return next(one for one in listing(table.table, CombatantId(who)) if one.id == "suppressing_fire").available

    assert offered(gun, "ann")
    assert not offered(blade, "sable")


# Nerves


@both_ways
@pytest.mark.clause("DH-4210", "DH-5650")
@pytest.mark.parametrize(
    ("options", "die", "pinned"), [(FULL, 15, True), (FULL, 14, False), (SEMI, 25, True), (SEMI, 24, False)]
)
def test_whoever_is_in_the_zone_tests_at_minus_10_or_minus_20(
    on_map: bool, options: dict[str, str], die: int, pinned: bool
) -> None:
    table = suppressing(on_map, {"bob": (20, 0)})

    done = lay_down(table, options, ("bob",), to_hit=90, **pinning(bob=die))

    test = done.check
    assert (test.check, test.target, test.clause) == ("wp", 14 if options == FULL else 24, "DH-4210")
    assert table.has("bob", "pinned") is pinned
    assert [ask.name for ask in done.asked] == ["pinning", "to_hit"]


@both_ways
@pytest.mark.clause("DH-4210")
def test_friends_in_the_zone_test_too_and_the_shooter_does_not(on_map: bool) -> None:
    table = suppressing(on_map, {"bob": (20, 0), "pal": (10, 0)}, pal={"side": "red"})

    done = lay_down(table, FULL, ("bob", "pal"), to_hit=90, **pinning(bob=1, pal=99))

    assert [check.combatant for check in done.of(ev.CheckRolled)] == ["bob", "pal", "ann"]
    assert table.has("pal", "pinned")


@pytest.mark.clause("DH-4210", "DH-5650")
def test_who_is_engaged_or_out_of_action_does_not_test_and_who_is_pinned_stays_so() -> None:
    table = suppressing(
        True, {"bob": (20, 0), "foe": (21, 0), "cold": (15, 0), "low": (18, 1)}, melee=(("bob", "foe"),)
    )
    table.rule(cmd.AddEffect(CombatantId("cold"), "unconscious"), cmd.AddEffect(CombatantId("low"), "pinned"))

    done = lay_down(table, FULL, to_hit=90)

    assert [check.purpose for check in done.of(ev.CheckRolled)] == ["attack"]
    assert table.has("low", "pinned")
    assert not table.has("bob", "pinned")


@pytest.mark.clause("DH-4210", "DH-5660")
def test_everybody_in_the_zone_counts_as_shot_at_and_recovers_the_harder_for_it() -> None:
    table = suppressing(True, {"bob": (20, 0)})
    lay_down(table, FULL, to_hit=90, **pinning(bob=99))
    assert table.has("bob", "shot_at")
    table.end_turn()

    done = table.end_turn(recover_from_pinning=35)

    assert done.check.target == 34
    assert table.has("bob", "pinned")


@pytest.mark.clause("DH-4210")
def test_the_order_of_answers_does_not_matter() -> None:
    results = []
    for order in permutations(("bob", "cy")):
        table = suppressing(True, {"bob": (20, 0), "cy": (15, 0)})
        dice = {"bob": 99, "cy": 1}
        done = lay_down(table, FULL, to_hit=90, **pinning(**{who: dice[who] for who in order}))
        results.append(done.events)

    assert results[0] == results[1]


# The zone on a map


@pytest.mark.clause("DH-5720", "DH-4210")
@pytest.mark.parametrize(
    ("spot", "is_in"),
    [
        ((30.0, -12.42), True),
        ((30.0, -12.43), False),
        ((30.0, 12.42), True),
        ((50.0, 0.0), True),
        ((50.01, 0.0), False),
        ((-1.0, 0.0), False),
    ],
)
def test_edges_of_arc_and_reach_belong_to_it(spot: Spot, is_in: bool) -> None:
    table = suppressing(True, {"bob": spot})

    done = lay_down(table, FULL, to_hit=90, **(pinning(bob=1) if is_in else {}))

    assert len(done.of(ev.CheckRolled)) == 1 + is_in


@pytest.mark.clause("DH-5720", "DH-5170")
@pytest.mark.parametrize("area", [zone(45), Polygon(((0, 0), (4000, -500), (4000, 500)))], ids=["sector", "polygon"])
def test_who_is_out_of_sight_is_not_in_it(area: Area) -> None:
    table = suppressing(True, {"bob": (20, 0), "cy": (8, 0)}, walls=(((10, -2), (10, 2)),))

    done = table.play("suppressing_fire", "ann", options=FULL, area=area, facing=90, to_hit=90, **pinning(cy=1))

    assert [check.combatant for check in done.of(ev.CheckRolled)] == ["cy", "ann"]


@pytest.mark.clause("DH-4200", "DH-5720")
def test_a_zone_may_have_any_shape_inside_the_arc() -> None:
    table = suppressing(True, {"bob": (20, 0), "cy": (20, 6)})
    lane = Polygon(((0, 0), (4000, -300), (4000, 300)))

    done = table.play("suppressing_fire", "ann", options=SEMI, area=lane, facing=90, to_hit=90, **pinning(bob=1))

    assert [check.combatant for check in done.of(ev.CheckRolled)] == ["bob", "ann"]
    wide = Polygon(((0, 0), (4000, -1200), (4000, 300)))
    table = suppressing(True, {"bob": (20, 0)})
    assert table.why_not("suppressing_fire", "ann", options=SEMI, area=wide, facing=90) == ["zone_arc_exceeded"]


# The test


@both_ways
@pytest.mark.clause("DH-4220")
@pytest.mark.parametrize("options", [SEMI, FULL])
def test_it_is_ballistic_skill_at_minus_20_whatever_the_burst(on_map: bool, options: dict[str, str]) -> None:
    table = suppressing(on_map, {"bob": (20, 0)})

    done = lay_down(table, options, ("bob",), to_hit=25, defend="none", damage=1, **pinning(bob=1))

    test = done.of(ev.CheckRolled)[1]
    assert (test.target, test.outcome, test.degrees, test.against) == (25, "success", 1, None)
    assert [term.id for term in test.terms] == ["bs", "suppressing_fire"]


@pytest.mark.clause("DH-4220")
def test_what_is_on_the_targets_side_does_not_count() -> None:
    table = suppressing(True, {"bob": (1.5, 0)}, bob={"size": 6})
    table.rule(cmd.AddEffect(CombatantId("bob"), "running"), cmd.AddEffect(CombatantId("bob"), "prone"))

    done = lay_down(table, FULL, to_hit=90, **pinning(bob=1))

    assert done.of(ev.CheckRolled)[1].target == 25


@pytest.mark.clause("DH-4220", "DH-4340")
def test_an_aim_counts_and_is_spent() -> None:
    table = suppressing(True, {"bob": (20, 0)})
    table.play("aim", "ann", type="full")
    table.end_turn()
    table.until_turn_of("ann")

    done = lay_down(table, FULL, to_hit=46, **pinning(bob=1))

    assert done.of(ev.CheckRolled)[1].target == 45
    assert not table.has("ann", "aiming")


@pytest.mark.clause("DH-4220", "DH-4510", "DH-5640")
def test_other_circumstances_of_the_shooter_count() -> None:
    stubber = weapon("heavy_stubber", ammo=80)
    table = suppressing(True, {"bob": (20, 0)}, ann={"items": stubber})

    done = table.play(
        "suppressing_fire", "ann", area=zone(45), facing=90, modifiers=["darkness", 5], to_hit=90, **pinning(bob=1)
    )

    found = {term.id: term.value for term in done.of(ev.CheckRolled)[1].terms}
    assert found == {"bs": 45, "suppressing_fire": -20, "unbraced": -30, "darkness": -30, "gm": 5, "modifier_cap": 15}


@pytest.mark.clause("DH-4220", "DH-5110")
def test_on_a_map_the_darkness_in_which_he_stands_counts() -> None:
    table = suppressing(True, {"bob": (20, 0)})
    corner = ((-500, -500), (500, -500), (500, 500), (-500, 500))
    table.command(cmd.Setup(ground=Ground(regions=(Region("night", "dark", corner),))))

    done = lay_down(table, FULL, to_hit=90, **pinning(bob=1))

    assert terms(done).get("darkness") is None
    assert {term.id: term.value for term in done.of(ev.CheckRolled)[1].terms}["darkness"] == -30


@both_ways
@pytest.mark.clause("DH-4220", "DH-5390")
@pytest.mark.parametrize(("die", "jams"), [(93, False), (94, True), (100, True)])
def test_94_jams_and_what_nerves_were_lost_stays_lost(on_map: bool, die: int, jams: bool) -> None:
    table = suppressing(on_map, {"bob": (20, 0)})

    done = lay_down(table, FULL, ("bob",), to_hit=die, **pinning(bob=99))

    assert jammed(done) is jams
    assert done.of(ev.HitsScored) == []
    assert table.has("bob", "pinned")


@both_ways
@pytest.mark.clause("DH-4250")
def test_into_an_empty_zone_it_is_still_rolled_for_a_jam(on_map: bool) -> None:
    table = suppressing(on_map, {"bob": (-20, 0)})

    done = lay_down(table, FULL, to_hit=96)

    assert jammed(done)
    assert [check.purpose for check in done.of(ev.CheckRolled)] == ["attack"]


@pytest.mark.clause("DH-4250")
def test_into_an_empty_zone_a_success_hits_nobody() -> None:
    table = suppressing(True, {"bob": (-20, 0)})

    done = lay_down(table, FULL, to_hit=1)

    assert done.of(ev.HitsScored) == []
    assert fired(done) == 10


# Hits


@both_ways
@pytest.mark.clause("DH-4230")
@pytest.mark.parametrize(("die", "hits"), [(25, 1), (15, 1), (5, 2)])
def test_one_hit_and_one_more_for_every_two_additional_degrees(on_map: bool, die: int, hits: int) -> None:
    table = suppressing(on_map, {"bob": (20, 0)})

    done = lay_down(table, FULL, ("bob",), to_hit=die, defend="none", damage=[1] * hits, **pinning(bob=1))

    assert struck(done) == ["bob"] * hits
    assert done.one(ev.HitsScored).clause == "DH-4230"


@pytest.mark.clause("DH-4230")
@pytest.mark.parametrize(("ammo", "hits"), [(2, 3), (3, 4), (30, 4)])
def test_additional_hits_are_no_more_than_the_rate_or_the_rounds(ammo: int, hits: int) -> None:
    table = suppressing(
        True, {"bob": (20, 0)}, ann={"bs": 99, "items": weapon("autogun", ammo=ammo)}, bob={"wounds_max": 60}
    )

    done = table.play(
        "suppressing_fire",
        "ann",
        options=SEMI,
        area=zone(30),
        facing=90,
        modifiers=[6],
        to_hit=3,
        defend="none",
        damage=[1] * hits,
        **pinning(bob=1),
    )

    assert done.of(ev.CheckRolled)[1].degrees == 9
    assert len(struck(done)) == hits


@both_ways
@pytest.mark.clause("DH-4230")
def test_a_die_among_those_who_were_not_hit_yet_picks_each(on_map: bool) -> None:
    table = suppressing(on_map, {"bob": (20, 0), "cy": (15, 0), "dee": (10, 0)})

    done = lay_down(
        table,
        FULL,
        ("bob", "cy", "dee"),
        to_hit=5,
        target1=2,
        target2=2,
        defend="none",
        damage=[1, 1],
        **pinning(bob=1, cy=1, dee=1),
    )

    dice = [ask for ask in done.asked if isinstance(ask, Roll) and ask.name.startswith("target")]
    assert [die.sides for die in dice] == [3, 2]
    assert struck(done) == ["cy", "dee"]


@pytest.mark.clause("DH-4230", "DH-5220")
def test_more_hits_than_targets_start_over_and_follow_the_table() -> None:
    table = suppressing(
        True, {"bob": (20, 0), "cy": (15, 0)}, ann={"bs": 95}, bob={"wounds_max": 60}, cy={"wounds_max": 60}
    )

    done = lay_down(table, FULL, to_hit=15, target1=2, target3=1, defend="none", damage=[1] * 4, **pinning(bob=1, cy=1))

    assert struck(done) == ["cy", "bob", "bob", "cy"]
    assert places(done) == ["body", "body", "body", "body"]
    assert [(hit.target, hit.location) for hit in done.one(ev.HitsScored).hits if hit.number > 2] == [
        ("bob", "body"),
        ("cy", "body"),
    ]


@pytest.mark.clause("DH-4230", "DH-5210", "DH-3180")
def test_the_test_die_read_backwards_is_where_the_first_hit_on_each_lands() -> None:
    repeated = suppressing(True, {"bob": (20, 0), "cy": (15, 0)})
    fresh = suppressing(True, {"bob": (20, 0), "cy": (15, 0)}, options={"split_hit_location": "roll_d100"})

    given = {"to_hit": 2, "target1": 1, "defend": "none", "damage": [1, 1], **pinning(bob=1, cy=1)}
    assert places(lay_down(repeated, FULL, **given)) == ["right_arm", "right_arm"]
    assert places(lay_down(fresh, FULL, **given, location_cy__location=90)) == ["right_arm", "left_leg"]


@both_ways
@pytest.mark.clause("DH-4230")
def test_at_some_tables_the_gm_picks(on_map: bool) -> None:
    people: dict[str, Spot] = {"bob": (20, 0), "cy": (15, 0)}
    table = suppressing(on_map, people, options={"gm_random_targets": True})

    done = lay_down(
        table,
        FULL,
        ("bob", "cy"),
        to_hit=5,
        gm_random_targets=("allocate", {"hits": {"cy": 2}}),
        defend="none",
        damage=[1, 1],
        **pinning(bob=1, cy=1),
    )

    assert done.questions("gm_random_targets")[0].to == "gm"
    assert struck(done) == ["cy", "cy"]


@pytest.mark.clause("DH-4230")
def test_a_gm_who_does_not_care_has_it_rolled() -> None:
    table = suppressing(True, {"bob": (20, 0), "cy": (15, 0)}, options={"gm_random_targets": True})

    done = lay_down(
        table, FULL, to_hit=25, gm_random_targets="roll", target1=1, defend="none", damage=1, **pinning(bob=1, cy=1)
    )

    assert struck(done) == ["bob"]


@both_ways
@pytest.mark.clause("DH-4240", "DH-3610")
def test_each_whom_it_hits_may_evade(on_map: bool) -> None:
    table = suppressing(on_map, {"bob": (20, 0), "cy": (15, 0)}, bob={"sample": "vane"})

    done = lay_down(
        table,
        FULL,
        ("bob", "cy"),
        to_hit=5,
        target1=1,
        bob__defend="dodge",
        bob__dodge=12,
        cy__defend="none",
        damage=1,
        **pinning(bob=1, cy=1),
    )

    assert done.one(ev.DefenceResolved).negated == (1,)
    assert [event.target for event in done.of(ev.DamageDealt)] == ["cy"]


@pytest.mark.clause("DH-4230", "DH-5490")
def test_storm_and_twin_linked_do_here_what_they_do_elsewhere() -> None:
    storm = weapon("autogun", ammo=30, changes={"qualities": {"storm": True}})
    twin = weapon("autogun", ammo=30, changes={"qualities": {"twin_linked": True}})
    results = []
    for items, hits in ((storm, 2), (twin, 3)):
        table = suppressing(True, {"bob": (20, 0)}, ann={"items": items}, bob={"wounds_max": 60})
        done = lay_down(table, SEMI, to_hit=15, defend="none", damage=[1] * hits, **pinning(bob=1))
        results.append((done.of(ev.CheckRolled)[1].target, len(struck(done)), fired(done)))

    assert results == [(25, 2, 6), (45, 3, 6)]


@pytest.mark.clause("DH-4230", "DH-5495")
def test_scatter_does_its_damage_by_how_far_each_is() -> None:
    spread = weapon("autogun", ammo=30, changes={"qualities": {"scatter": True}, "damage": "1d10+5"})
    table = suppressing(True, {"bob": (1.9, 0), "cy": (49.99, 0), "dee": (50, 0)}, ann={"items": spread, "bs": 75})

    done = lay_down(
        table,
        SEMI,
        to_hit=5,
        target1=1,
        target2=1,
        defend="none",
        damage=[1, 1, 1],
        **pinning(bob=1, cy=1, dee=1),
    )

    assert {event.target: event.raw for event in done.of(ev.DamageDealt)} == {"bob": 9, "cy": 6, "dee": 3}


@pytest.mark.clause("DH-4200", "DH-3880")
def test_an_overwatch_that_waits_for_attacks_fires_at_the_shooter() -> None:
    table = duel(
        20, on_map=True, watcher={"sample": "brok", "items": weapon("autogun"), "side": "blue", "ag": 50}, ann=SHOOTER
    )
    table.play(
        "overwatch",
        "watcher",
        area=Sector((0, 0), 5000, 90, 45),
        facing=90,
        options={"attack": "standard_attack", "trigger": "attacks"},
    )
    table.until_turn_of("ann")

    done = table.play(
        "suppressing_fire",
        "ann",
        options=FULL,
        area=Sector((2000, 0), 5000, 270, 45),
        facing=270,
        overwatch_fire="fire",
        overwatch__watcher__to_hit=99,
        overwatch__watcher__pinning=1,
        pinning__watcher__pinning=1,
        suppressing_fire__to_hit=90,
    )

    assert [check.purpose for check in done.of(ev.CheckRolled)] == ["attack", "pinning", "pinning", "attack"]
