"""The attack: what it needs, what it hits, where hits land, rounds. Clauses WH-200 to WH-290."""

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.listing import listing
from app.engine.space.model import Ground
from app.engine.state import Item
from rulesets.wh40k_d100.striking import location_of
from tests.rulesets.wh40k_d100.fights import (
    armed,
    begin,
    both_ways,
    fight,
    held,
    places,
    pool,
    terms,
    through,
    two,
    wall,
)
from tests.support.play import item

SWORD = {"items": held("sword")}


# WH-200


@pytest.mark.clause("WH-200")
def test_an_attack_needs_a_ready_weapon() -> None:
    table = fight(apart=1, varro={"items": armed(chainsword="", lasgun="off")}, grash={})

    assert table.why_not("attack", "varro", "grash", weapon="chainsword") == ["weapon_not_ready"]
    assert "weapon_not_ready" in table.why_not("attack", "varro", "grash", weapon="lasgun")
    assert table.why_not("attack", "varro", "grash") == []


@pytest.mark.clause("WH-200", "WH-920", "WH-940")
def test_an_arm_out_of_use_can_neither_draw_nor_strike() -> None:
    table = fight(apart=1, grash={"s": 0, "items": held("combat_knife")}, varro={"wounds_max": 0, "armour": 0, "t": 0})
    table.play("attack", "grash", "varro", to_hit=11, defend="none", damage=2)

    assert table.who("varro").items["chainsword"].on_ground
    assert table.has("varro", "arm_disabled")
    table.end_turn()
    assert table.why_not("ready", "varro", weapon="chainsword", options={"hand": "main"}) == ["no_free_hand"]
    table.rule(cmd.SetItem(CombatantId("varro"), item("chainsword"), Item("chainsword", held="main")))
    assert table.why_not("attack", "varro", "grash", weapon="chainsword") == ["weapon_not_ready"]


@pytest.mark.clause("WH-200")
def test_a_target_that_is_not_there_and_one_that_is_hidden_are_refused_alike() -> None:
    table = fight(apart=1, varro={}, grash={"hidden": True}, lyse={})
    absent = table.reasons("attack", "varro", "nobody", weapon="chainsword")
    hidden = table.reasons("attack", "varro", "grash", weapon="chainsword", options={"called": "leg", "side": "left"})

    assert [(one.code, one.clause, one.at, one.kind) for one in absent] == [
        ("no_such_target", "WH-200", "/targets/0", "target")
    ]
    assert [(one.code, one.clause, one.at, one.kind) for one in hidden] == [
        ("no_such_target", "WH-200", "/targets/0", "target")
    ]


@pytest.mark.clause("WH-200")
def test_whoever_hides_from_the_attacker_is_no_target_but_for_his_own_side() -> None:
    table = fight(apart=1, varro={}, grash={}, lyse={"side": "grash"})
    begin(table, "grash", "hidden")

    assert table.why_not("attack", "varro", "grash", weapon="chainsword") == ["no_such_target"]
    assert table.why_not("attack", "lyse", "grash", weapon="sword") == ["not_your_turn"]


@pytest.mark.clause("WH-200")
def test_the_dead_and_oneself_are_no_targets() -> None:
    table = fight(apart=1, varro={}, grash={}, lyse={})
    table.rule(cmd.SetStatus(CombatantId("grash"), "dead"))

    assert table.why_not("attack", "varro", "grash", weapon="chainsword") == ["target_is_dead"]
    assert "invalid_target" in table.why_not("attack", "varro", "varro", weapon="chainsword")


# WH-210 to WH-230


@pytest.mark.clause("WH-210")
@both_ways
@pytest.mark.parametrize(
    ("weapon", "apart", "reasons"),
    [
        ("sword", 2, []),
        ("sword", 2.01, ["out_of_reach"]),
        ("spear", 3, []),
        ("spear", 3.01, ["out_of_reach"]),
        ("unarmed", 2, []),
    ],
)
def test_a_melee_attack_reaches_as_far_as_its_weapon(
    on_map: bool, weapon: str, apart: float, reasons: list[str]
) -> None:
    items = {} if weapon == "unarmed" else held(weapon, "both" if weapon == "spear" else "main")
    table = two(on_map, apart, varro={"items": items}, grash={})

    assert table.why_not("attack", "varro", "grash") == reasons


@pytest.mark.clause("WH-210")
def test_a_gun_is_no_melee_weapon() -> None:
    table = fight(apart=1, varro={"items": held("laspistol")}, grash=SWORD)

    assert table.why_not("attack", "varro", "grash", options={"use": "melee"}, weapon="laspistol") == [
        "melee_weapon_required"
    ]
    assert table.why_not("attack", "varro", "grash", options={"use": "melee"}) == []


@pytest.mark.clause("WH-210", "WH-220", "WH-120")
def test_the_test_is_on_weapon_or_ballistic_skill() -> None:
    table = fight(apart=1, varro={}, grash=SWORD)
    done = table.play("attack", "varro", "grash", weapon="chainsword", to_hit=37, defend="none", damage=3)
    assert (done.check.check, done.check.target, done.check.degrees, done.check.clause) == ("ws", 42, 2, "WH-210")

    table = fight(apart=50, varro={"items": held("lasgun", "both")}, grash=SWORD)
    done = table.play("attack", "varro", "grash", to_hit=44, defend="none", damage=3)
    assert (done.check.check, done.check.target, done.check.degrees, done.check.clause) == ("bs", 45, 1, "WH-220")


@pytest.mark.clause("WH-220")
def test_a_shot_needs_a_line_of_sight() -> None:
    table = fight(
        ground=Ground(walls=(wall(10, -5, 10, 5),)),
        varro={"at": (0, 0, 90), "items": held("lasgun", "both")},
        grash={"at": (20, 0, 270)},
    )

    assert table.why_not("attack", "varro", "grash") == ["no_line_of_sight"]


@pytest.mark.clause("WH-230")
def test_one_hit_whatever_the_successes() -> None:
    table = fight(apart=1, varro={}, grash=SWORD)

    done = table.play("attack", "varro", "grash", weapon="chainsword", to_hit=8, defend="none", damage=5)

    assert done.check.degrees == 5
    assert len(done.one(ev.HitsScored).hits) == 1


@pytest.mark.clause("WH-230")
def test_a_failure_hits_nobody() -> None:
    table = fight(apart=1, varro={}, grash=SWORD)

    assert not table.play("attack", "varro", "grash", weapon="chainsword", to_hit=43).of(ev.HitsScored)


# WH-240


@pytest.mark.clause("WH-240", "WH-950", "WH-110")
@pytest.mark.parametrize(("die", "outcome"), [(6, "success"), (7, "failure"), (5, "success")])
def test_a_critical_success_makes_dodging_harder(die: int, outcome: str) -> None:
    table = fight(apart=1, grash={}, varro={"ag": 36})

    done = table.play(
        "attack",
        "grash",
        "varro",
        to_hit=4,
        defend="dodge",
        dodge=die,
        **({"damage": 3} if outcome == "failure" else {}),
    )

    check = done.of(ev.CheckRolled)[1]
    assert (check.target, check.outcome) == (6, outcome)
    assert terms(check) == {"critical_hit": -30}


@pytest.mark.clause("WH-240", "WH-960")
def test_and_parrying_with_a_balanced_weapon() -> None:
    table = fight(apart=1, grash={}, varro={"ws": 45, "items": held("sword")})

    done = table.play("attack", "grash", "varro", to_hit=5, defend="parry", parry=25)

    check = done.of(ev.CheckRolled)[1]
    assert (check.check, check.target) == ("ws", 25)
    assert terms(check) == {"critical_hit": -30, "balanced": 10}


@pytest.mark.clause("WH-240")
def test_a_plain_success_does_not() -> None:
    table = fight(apart=1, grash={}, varro={"ag": 36})

    done = table.play("attack", "grash", "varro", to_hit=6, defend="dodge", dodge=36)

    assert done.of(ev.CheckRolled)[1].target == 36


@pytest.mark.clause("WH-240", "WH-140")
def test_a_critical_success_adds_neither_damage_nor_successes() -> None:
    table = fight(apart=1, varro={}, grash={**SWORD, "armour": 0})

    done = table.play("attack", "varro", "grash", weapon="chainsword", to_hit=5, defend="none", damage=5)

    assert done.check.degrees == 5
    assert through(done) == [5 + 2 + 3 - 5]


# WH-250, WH-260


@pytest.mark.clause("WH-250", "WH-260")
@pytest.mark.parametrize(
    ("die", "location"),
    [
        (41, "right_arm"),
        (10, "head"),
        (1, "head"),
        (2, "right_arm"),
        (3, "left_arm"),
        (7, "torso"),
        (8, "right_leg"),
        (9, "left_leg"),
        (11, "right_arm"),
        (88, "left_leg"),
        (90, "head"),
        (20, "head"),
        (91, "right_arm"),
        (12, "left_arm"),
        (92, "left_arm"),
        (13, "torso"),
        (6, "torso"),
        (17, "right_leg"),
        (58, "right_leg"),
        (68, "left_leg"),
        (95, "torso"),
        (100, "left_leg"),
    ],
)
def test_where_the_reversed_roll_lands(die: int, location: str) -> None:
    assert location_of(fight(varro={}).table, CombatantId("varro"), die) == location


@pytest.mark.clause("WH-250", "WH-450")
def test_the_natural_die_counts_and_not_the_target_number() -> None:
    table = fight(apart=1, varro={}, grash={**SWORD})
    begin(table, "grash", "stunned", 1)

    done = table.play("attack", "varro", "grash", weapon="chainsword", to_hit=41, damage=5)

    assert (done.check.target, places(done)) == (62, ["right_arm"])


@pytest.mark.clause("WH-260", "WH-640")
def test_a_part_that_is_not_there_becomes_the_torso() -> None:
    table = fight(apart=1, varro={}, grash={"items": {}, "arms": 1})
    assert location_of(table.table, CombatantId("grash"), 41) == "right_arm"
    assert location_of(table.table, CombatantId("grash"), 12) == "torso"

    lefty = fight(apart=1, varro={}, grash={"items": {}, "arms": 1, "left_handed": 1})
    assert location_of(lefty.table, CombatantId("grash"), 12) == "left_arm"
    assert location_of(lefty.table, CombatantId("grash"), 41) == "torso"
    assert location_of(fight(grash={"arms": 0}).table, CombatantId("grash"), 41) == "torso"


# WH-270, WH-280


@pytest.mark.clause("WH-270", "WH-970")
def test_the_first_two_hits_strike_the_place_and_the_rest_the_torso() -> None:
    table = fight(apart=10, varro={"items": held("autogun", "both")}, grash={})

    done = table.play(
        "full_auto_burst",
        "varro",
        "grash",
        to_hit=12,
        defend="none",
        hit1__damage=5,
        hit2__damage=5,
        hit3__damage=5,
        hit4__damage=5,
    )

    assert done.check.target == 45
    assert places(done) == ["left_arm", "left_arm", "torso", "torso"]


@pytest.mark.clause("WH-270", "WH-950")
def test_hits_are_counted_before_any_is_evaded() -> None:
    table = fight(apart=10, varro={"items": held("autogun", "both")}, grash={})

    done = table.play(
        "full_auto_burst",
        "varro",
        "grash",
        to_hit=12,
        defend="dodge",
        dodge=25,
        hit1__damage=5,
        hit2__damage=5,
        hit3__damage=5,
    )

    assert done.one(ev.DefenceResolved).negated == (4,)
    assert [one.location for one in done.of(ev.DamageDealt)] == ["left_arm", "left_arm", "torso"]


@pytest.mark.clause("WH-270")
def test_a_single_hit_lands_where_it_lands() -> None:
    table = fight(apart=10, varro={"items": held("autogun", "both")}, grash={})

    assert places(table.play("attack", "varro", "grash", to_hit=27, defend="none", damage=5)) == ["right_leg"]


@pytest.mark.clause("WH-280", "WH-720")
@both_ways
def test_an_area_strikes_everybody_in_the_torso(on_map: bool) -> None:
    table = two(on_map, 8, grash={"bs": 50, "items": held("frag_grenade")}, varro={}, lyse={})
    near = {} if on_map else {"said": {"near": ("varro", "lyse")}}

    done = table.play(
        "area_attack", "grash", "varro", to_hit=10, varro__defend="none", lyse__defend="none", damage=(3, 4), **near
    )

    assert sorted((hit.target, hit.location) for hit in done.one(ev.HitsScored).hits) == [
        ("lyse", "torso"),
        ("varro", "torso"),
    ]


# WH-290


@pytest.mark.clause("WH-290")
@pytest.mark.parametrize(("action", "spent"), [("attack", 1), ("semi_auto_burst", 3), ("full_auto_burst", 10)])
def test_rounds_are_spent_hit_or_miss(action: str, spent: int) -> None:
    table = fight(apart=50, varro={"items": held("autogun", "both")}, grash={})

    table.play(action, "varro", "grash", to_hit=99)

    assert table.who("varro").items["autogun"].marks["ammo"] == 30 - spent


@pytest.mark.clause("WH-290", "WH-995")
@pytest.mark.parametrize(("left", "reasons"), [(9, ["not_enough_ammo"]), (10, [])])
def test_a_burst_takes_all_its_rounds(left: int, reasons: list[str]) -> None:
    table = fight(apart=50, varro={"items": held("autogun", "both", ammo=left)}, grash={})

    found = table.reasons("full_auto_burst", "varro", "grash")
    assert [one.code for one in found] == reasons
    if found:
        assert (found[0].need, found[0].got) == (10, 9)
    else:
        table.play("full_auto_burst", "varro", "grash", to_hit=99)
        assert table.who("varro").items["autogun"].marks["ammo"] == 0


@pytest.mark.clause("WH-290")
def test_a_mode_that_the_weapon_does_not_have() -> None:
    table = fight(apart=50, varro={"items": held("long_las", "both")}, grash={})
    assert table.why_not("semi_auto_burst", "varro", "grash") == ["fire_mode_not_available"]
    assert table.why_not("area_attack", "varro", "grash") == ["fire_mode_not_available"]

    table = fight(apart=5, grash={"items": held("frag_grenade")}, varro={})
    assert table.why_not("attack", "grash", "varro", weapon="frag_grenade") == ["fire_mode_not_available"]
    offered = {str(view.id): view.weapons for view in listing(table.table, CombatantId("grash"))}
    assert (offered["attack"], offered["area_attack"]) == ((), ("frag_grenade",))
    table = fight(apart=1, grash={}, varro={})
    assert table.why_not("attack", "grash", "varro", options={"use": "ranged"}, weapon="great_cleaver") == [
        "fire_mode_not_available"
    ]


@pytest.mark.clause("WH-290")
def test_a_table_need_not_count_rounds() -> None:
    table = fight(apart=50, varro={"items": held("autogun", "both", ammo=0)}, grash={}, options={"track_ammo": False})

    table.play("full_auto_burst", "varro", "grash", to_hit=99)

    assert table.who("varro").items["autogun"].marks["ammo"] == 0


@pytest.mark.clause("WH-290")
def test_what_is_thrown_is_gone_and_a_spray_spends_one() -> None:
    table = fight(
        apart=5, grash={"bs": 50, "items": {"frag_grenade": Item("frag_grenade", held="main", count=2)}}, varro={}
    )
    table.play("area_attack", "grash", "varro", to_hit=99)
    assert table.who("grash").items["frag_grenade"].count == 1
    table.until_turn_of("varro")
    table.until_turn_of("grash")
    table.play(
        "area_attack", "grash", "varro", to_hit=20, varro__defend="none", said={"near": ("varro",)}, damage=(3, 4)
    )
    assert "frag_grenade" not in table.who("grash").items

    table = fight(apart=5, grash={"items": held("flamer", "both")}, varro={})
    table.play("area_attack", "grash", "varro", said={"inside": ("varro",)}, varro__spray=30)
    assert table.who("grash").items["flamer"].marks["ammo"] == 5


@pytest.mark.clause("WH-090", "WH-930")
def test_an_attack_on_a_friend_locks_nobody() -> None:
    table = fight(apart=1, varro={"side": "us"}, lyse={"side": "us"})
    pool(table, "lyse", "fatigue", 0)

    table.play("attack", "varro", "lyse", weapon="chainsword", to_hit=99)

    assert table.who("varro").engaged == ()
