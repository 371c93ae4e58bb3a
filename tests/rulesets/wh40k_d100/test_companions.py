"""Soak, wounds, the critical table, conditions, evasion, bursts, areas, aim and charge. Clauses WH-900 to WH-998."""

from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import BadAnswer, Refused
from app.engine.scene import Scene
from app.engine.space.model import Cover, CoverPiece, CoverValue, Ground, Sector
from app.engine.state import Item
from rulesets.wh40k_d100.damage import suffer_row
from tests.rulesets.wh40k_d100.fights import (
    begin,
    both_ways,
    fight,
    held,
    noted,
    places,
    pool,
    terms,
    through,
    two,
    wall,
    wounds,
)
from tests.support.play import Played, PlayTable

SWORD = {"items": held("sword")}
SOFT = {"t": 0, "armour": 0, "items": {}, "wounds_max": 60, "minor": 0}


def behind(table: PlayTable, who: str, cover: Cover) -> PlayTable:
    """Somebody in cover."""
    table.rule(cmd.SetCover(CombatantId(who), cover))
    return table


# WH-900


@pytest.mark.clause("WH-900")
@pytest.mark.parametrize(("pen", "cover", "got"), [(0, 0, 5), (5, 0, 9), (5, 8, 2), (0, 8, 0), (3, 0, 8)])
def test_armour_and_cover_less_penetration_and_toughness(pen: int, cover: int, got: int) -> None:
    profile = f'{{"kind":"basic","damage":"1d10+4","type":"impact","range":10000,"pen":{pen},"rof":{{"single":true}}}}'
    table = fight(
        apart=60,
        a={"bs": 45, "items": {"gun": Item("gun", held="main", custom=profile)}},
        b={**SOFT, "t": 41, "armour": 4},
    )
    if cover:
        behind(table, "b", Cover(pieces=(CoverPiece("crate", cover, ("torso",)),)))

    done = table.play("attack", "a", "b", to_hit=36, defend="none", damage=9)

    assert places(done) == ["torso"]
    assert through(done) == [got]


@pytest.mark.clause("WH-900")
def test_cover_hides_only_its_locations_and_only_from_shooting() -> None:
    cover = Cover(pieces=(CoverPiece("crate", 8, ("left_leg",)),))
    table = behind(fight(apart=60, a={"bs": 45, "items": held("lasgun", "both")}, b=SOFT), "b", cover)
    assert through(table.play("attack", "a", "b", to_hit=36, defend="none", damage=8)) == [11]
    table.until_turn_of("b")
    table.until_turn_of("a")
    assert through(table.play("attack", "a", "b", to_hit=39, defend="none", damage=8)) == [3]

    for options, got in (({}, 8), ({"melee_meets_cover": True}, 0)):
        table = fight(apart=1, a={"ws": 60, "s": 0, **SWORD}, b=SOFT, options=options)
        behind(table, "b", cover)
        assert through(table.play("attack", "a", "b", to_hit=39, defend="none", damage=8)) == [got]


@pytest.mark.clause("WH-900", "WH-980")
def test_on_a_map_low_walls_cover_and_a_blast_comes_from_its_centre() -> None:
    low = wall(9, -5, 9, 5, id="low", move=False, sight=False, cover=CoverValue(8, ("torso",)))
    people: dict[str, Any] = {
        "a": {"at": (0, 0, 90), "bs": 45, "items": held("lasgun", "both")},
        "b": {"at": (10, 0, 270), **SOFT},
    }
    table = fight(ground=Ground(walls=(low,)), **people)
    assert through(table.play("attack", "a", "b", to_hit=36, defend="none", damage=8)) == [3]

    people["a"] = {"at": (0, 0, 90), "bs": 45, "s": 60, "items": held("frag_grenade")}
    table = fight(ground=Ground(walls=(low,)), **people)
    done = table.play("area_attack", "a", area=Sector((1100, 0), 0), to_hit=36, b__defend="none", damage=(4, 4))
    assert through(done) == [8]


# WH-910, WH-920


@pytest.mark.clause("WH-910", "WH-920")
def test_damage_beyond_the_wounds_is_critical_and_has_its_row() -> None:
    table = fight(apart=60, a={"bs": 45, "items": held("lasgun", "both")}, b={**SOFT, "wounds_max": 3, "t": 40})
    done = table.play("attack", "a", "b", to_hit=36, defend="none", damage=6)
    assert (wounds(table, "b"), table.who("b").pools["critical_damage"]) == (0, 2)
    assert (done.one(ev.CriticalSuffered).value, done.one(ev.CriticalSuffered).location) == (2, "torso")
    assert table.has("b", "stunned")
    table.until_turn_of("b")
    table.until_turn_of("a")

    # 39 lands in the left leg: four in all now.
    done = table.play("attack", "a", "b", to_hit=39, defend="none", damage=3)

    assert (done.one(ev.CriticalSuffered).value, done.one(ev.CriticalSuffered).location) == (4, "left_leg")
    assert table.who("b").pools["critical_damage"] == 4
    assert all(table.has("b", kind) for kind in ("prone", "leg_disabled", "bleeding"))


@pytest.mark.clause("WH-910")
def test_damage_that_just_takes_the_last_wound_has_no_row() -> None:
    table = fight(apart=60, a={"bs": 45, "items": held("lasgun", "both")}, b={**SOFT, "wounds_max": 9})

    done = table.play("attack", "a", "b", to_hit=36, defend="none", damage=6)

    assert wounds(table, "b") == 0
    assert not done.of(ev.CriticalSuffered)
    assert table.who("b").status == "up"


def rowed(value: int, location: str, **changes: Any) -> PlayTable:
    """Somebody on whom a row has come in another's turn."""
    table = fight(a={}, b={**SOFT, "t": 90, "items": held("sword"), **changes})
    scene = Scene(table.rules, table.state, {}, lambda ask: None)
    suffer_row(scene, ev.CriticalSuffered(CombatantId("b"), value, location))
    table.state = scene.state
    return table


ROWS: list[tuple[int, str, dict[str, int], int]] = [
    (1, "head", {}, 1),
    (1, "right_arm", {}, 0),
    (1, "torso", {}, 1),
    (1, "left_leg", {"prone": 0}, 0),
    (2, "head", {"blinded": 1}, 0),
    (2, "right_arm", {"arm_disabled": 1}, 0),
    (2, "torso", {"stunned": 1}, 0),
    (2, "left_leg", {"prone": 0}, 1),
    (3, "head", {"stunned": 1}, 0),
    (3, "right_arm", {"arm_disabled": 3}, 1),
    (3, "torso", {"prone": 0}, 1),
    (3, "left_leg", {"prone": 0, "leg_disabled": 3}, 0),
    (4, "head", {"stunned": 1, "blinded": 2}, 0),
    (4, "right_arm", {"arm_disabled": 3, "bleeding": 0}, 0),
    (4, "torso", {"stunned": 1, "bleeding": 0}, 0),
    (4, "left_leg", {"prone": 0, "leg_disabled": 3, "bleeding": 0}, 0),
    (5, "head", {"stunned": 2, "bleeding": 0}, 0),
    (5, "right_arm", {"arm_disabled": 0, "bleeding": 0}, 0),
    (5, "torso", {"stunned": 2, "prone": 0, "bleeding": 0}, 0),
    (5, "left_leg", {"prone": 0, "leg_disabled": 0, "bleeding": 0}, 0),
    (6, "head", {"stunned": 2, "bleeding": 0}, 2),
    (7, "left_leg", {"prone": 0, "leg_disabled": 0, "bleeding": 0}, 2),
    (8, "torso", {"stunned": 2, "prone": 0, "bleeding": 0, "unconscious": 0}, 0),
    (9, "right_arm", {"arm_disabled": 0, "bleeding": 0, "unconscious": 0}, 0),
]


@pytest.mark.clause("WH-920")
@pytest.mark.parametrize(("value", "location", "effects", "fatigue"), ROWS)
def test_every_row(value: int, location: str, effects: dict[str, int], fatigue: int) -> None:
    table = rowed(value, location)

    assert {one.kind: one.value for one in table.who("b").effects.values()} == effects
    assert table.who("b").pools["fatigue"] == fatigue
    assert table.who("b").items["sword"].on_ground is (location == "right_arm")


@pytest.mark.clause("WH-920", "WH-930")
@pytest.mark.parametrize("location", ["head", "right_arm", "torso", "left_leg"])
def test_the_tenth_row_kills(location: str) -> None:
    assert rowed(10, location).who("b").status == "dead"


@pytest.mark.clause("WH-920")
def test_an_arm_with_nothing_in_it_drops_nothing() -> None:
    assert rowed(1, "left_arm").who("b").items["sword"].held == "main"


@pytest.mark.clause("WH-920", "WH-060")
@pytest.mark.parametrize(("before", "after", "left"), [(1, 2, 2), (3, 2, 3), (0, 2, 0), (2, 0, 0)])
def test_the_longer_duration_is_kept(before: int, after: int, left: int) -> None:
    table = fight(a={}, b={})
    begin(table, "b", "stunned", before)
    begin(table, "b", "stunned", after)

    assert [one.value for one in table.who("b").effects.values()] == [left]


@pytest.mark.clause("WH-920", "WH-640")
def test_each_arm_is_disabled_for_itself() -> None:
    table = fight(a={}, b={"t": 90})
    scene = Scene(table.rules, table.state, {}, lambda ask: None)
    for location in ("right_arm", "left_arm", "right_arm"):
        suffer_row(scene, ev.CriticalSuffered(CombatantId("b"), 2, location))

    words = [one.word for one in scene.who(CombatantId("b")).effects.values()]
    assert words == ["right_arm", "left_arm"]


# WH-930


@pytest.mark.clause("WH-930")
@pytest.mark.parametrize(("spare", "status"), [(False, "dead"), (True, "down")])
def test_a_minor_npc_at_no_wounds_is_out(spare: bool, status: str) -> None:
    table = fight(apart=60, a={"bs": 45, "minor": 0, "items": held("lasgun", "both")}, trooper={"t": 0, "armour": 0})

    done = table.play("attack", "a", "trooper", to_hit=36, defend="none", damage=5, options={"spare": spare})

    assert table.who("trooper").status == status
    assert not done.of(ev.CriticalSuffered)


@pytest.mark.clause("WH-930")
def test_a_table_may_let_them_fight_on() -> None:
    table = fight(
        apart=60,
        a={"bs": 45, "items": held("lasgun", "both")},
        trooper={"t": 0, "armour": 0},
        options={"minor_falls_at_0": False},
    )

    table.play("attack", "a", "trooper", to_hit=36, defend="none", damage=5)

    assert table.who("trooper").status == "up"


@pytest.mark.clause("WH-930", "WH-070")
def test_further_hits_of_a_burst_on_one_who_is_out_do_nothing() -> None:
    for spare in (False, True):
        table = fight(apart=60, a={"bs": 55, "items": held("autogun", "both")}, trooper={"t": 0, "armour": 0})
        rolls = {f"hit{number}__damage": 9 for number in (1, 2, 3)}
        done = table.play(
            "full_auto_burst", "a", "trooper", to_hit=21, defend="none", options={"spare": spare}, **rolls
        )
        assert len(done.of(ev.DamageDealt)) == 1


@pytest.mark.clause("WH-930")
@pytest.mark.parametrize(
    ("who", "name", "value", "status"),
    [
        ("varro", "critical_damage", 9, "up"),
        ("varro", "critical_damage", 10, "dead"),
        ("varro", "wounds", 0, "up"),
        ("trooper", "wounds", 1, "up"),
        ("trooper", "wounds", 0, "dead"),
    ],
)
def test_a_ruling_beyond_what_he_bears_has_its_consequence(who: str, name: str, value: int, status: str) -> None:
    table = fight(apart=10, varro={}, trooper={})

    pool(table, who, name, value)

    assert table.who(who).status == status


@pytest.mark.clause("WH-930")
@pytest.mark.parametrize(("fatigue", "status"), [(4, "up"), (5, "down")])
def test_more_fatigue_than_the_toughness_bonus(fatigue: int, status: str) -> None:
    table = fight(varro={"t": 41}, grash={})
    pool(table, "varro", "fatigue", fatigue)

    assert table.who("varro").status == status


# WH-940


@pytest.mark.clause("WH-940", "WH-910")
def test_bleeding_costs_one_at_the_start_of_ones_turn() -> None:
    table = fight(varro={"wounds_max": 2, "t": 90, "armour": 12}, grash={})
    begin(table, "varro", "bleeding")
    for left, critical in ((1, 0), (0, 0), (0, 1)):
        table.until_turn_of("grash")
        table.until_turn_of("varro")
        assert (wounds(table, "varro"), table.who("varro").pools["critical_damage"]) == (left, critical)
    # The first row of the torso: fatigue.
    assert table.who("varro").pools["fatigue"] == 1
    table.rule(cmd.RemoveEffect(CombatantId("varro"), "bleeding"))  # type: ignore[arg-type]
    table.until_turn_of("grash")
    table.until_turn_of("varro")
    assert table.who("varro").pools["critical_damage"] == 1


@pytest.mark.clause("WH-940", "WH-920")
def test_bleeding_does_not_stack() -> None:
    table = fight(varro={}, grash={})
    begin(table, "varro", "bleeding")
    begin(table, "varro", "bleeding")

    assert len(table.who("varro").effects) == 1


@pytest.mark.clause("WH-940", "WH-490")
@pytest.mark.parametrize(("die", "stays"), [(40, False), (41, True)])
def test_the_suppressed_may_shake_it_off_at_the_end_of_their_turn(die: int, stays: bool) -> None:
    table = fight(varro={"wp": 40}, grash={})
    begin(table, "varro", "suppressed")

    done = table.end_turn(shake_off=die)

    assert done.check.check == "wp"
    assert table.has("varro", "suppressed") is stays


@pytest.mark.clause("WH-940", "WH-950")
def test_the_blinded_neither_dodge_nor_parry() -> None:
    table = fight(apart=1, varro={}, grash={})
    begin(table, "grash", "blinded", 2)

    assert not table.play("attack", "varro", "grash", weapon="chainsword", to_hit=20, damage=5).questions("defend")


@pytest.mark.clause("WH-940", "WH-930")
def test_the_unconscious_are_passed_over_and_bleed_on() -> None:
    table = fight(varro={}, grash={"wounds_max": 5}, lyse={})
    begin(table, "grash", "bleeding")
    begin(table, "grash", "unconscious")

    table.end_turn()

    assert table.turn == "lyse"
    assert wounds(table, "grash") == 4


# WH-950, WH-960


def burst_at(ag: int, dodge: int, *, hits: int = 3, **given: Any) -> Played:
    """A full-auto burst with so many hits at somebody who dodges."""
    die = {2: 31, 3: 21, 4: 12}[hits]
    table = fight(apart=60, a={"bs": 55, "items": held("autogun", "both")}, b={**SOFT, "ag": ag, **given.pop("b", {})})
    return table.play("full_auto_burst", "a", "b", to_hit=die, defend="dodge", dodge=dodge, **given)


@pytest.mark.clause("WH-950")
def test_a_dodge_cancels_as_many_hits_as_successes_the_last_first() -> None:
    done = burst_at(36, 22, hit1__damage=5)
    assert done.one(ev.DefenceResolved).negated == (2, 3)
    assert done.one(ev.DefenceResolved).left == (1,)

    done = burst_at(36, 31, hit1__damage=5, hit2__damage=5)
    assert done.one(ev.DefenceResolved).negated == (3,)

    done = burst_at(36, 37, hit1__damage=5, hit2__damage=5, hit3__damage=5)
    assert done.one(ev.DefenceResolved).negated == ()


@pytest.mark.clause("WH-950")
def test_the_skills_own_modifier_counts() -> None:
    done = burst_at(36, 46, b={"dodge_bonus": 10}, hit1__damage=5, hit2__damage=5)

    assert done.of(ev.CheckRolled)[1].target == 46
    assert terms(done.of(ev.CheckRolled)[1]) == {"dodge_bonus": 10}


@pytest.mark.clause("WH-950", "WH-980")
@both_ways
def test_out_of_an_area_one_dodges_altogether_and_stays_where_he_is(on_map: bool) -> None:
    table = two(on_map, 8, grash={"bs": 50, "items": held("frag_grenade")}, b={**SOFT, "ag": 30}, c=SOFT)
    near = {} if on_map else {"said": {"near": ("b", "c")}}
    before = table.who("b").place

    done = table.play(
        "area_attack", "grash", "b", to_hit=49, b__defend="dodge", b__dodge=30, c__defend="none", damage=(3, 4), **near
    )

    assert [one.target for one in done.of(ev.DamageDealt)] == ["c"]
    assert table.who("b").place == before
    assert not done.of(ev.Moved)


@pytest.mark.clause("WH-960")
@pytest.mark.parametrize(("die", "stands"), [(42, False), (43, True)])
def test_parrying(die: int, stands: bool) -> None:
    table = fight(apart=1, grash={}, varro={"ws": 42, "items": held("chainsword")})

    done = table.play(
        "attack", "grash", "varro", to_hit=20, defend="parry", parry=die, **({"damage": 2} if stands else {})
    )

    check = done.of(ev.CheckRolled)[1]
    assert (check.check, check.target, check.clause) == ("ws", 42, "WH-960")
    assert bool(done.of(ev.DamageDealt)) is stands
    assert table.who("varro").budget["reaction"] == 0


@pytest.mark.clause("WH-960", "WH-998")
def test_what_cannot_be_parried_is_not_offered_and_refused() -> None:
    for table in (
        fight(apart=60, varro={"items": held("lasgun", "both")}, grash={}),
        fight(apart=1, varro={"items": held("sword")}, grash={"items": held("frag_grenade")}),
    ):
        with pytest.raises(Refused) as refused:
            table.play("attack", "varro", "grash", to_hit=20, defend="parry")
        assert [(one.code, one.clause) for one in refused.value.reasons] == [("parry_not_possible", "WH-960")]
    table = fight(grash={"items": {}}, varro={})
    assert table.why_not("parry", "grash") == ["nothing_to_evade", "parry_not_possible"]


@pytest.mark.clause("WH-960", "WH-610")
def test_the_weapon_that_parries_best() -> None:
    items = {"chain": Item("chainsword", held="main"), "sword": Item("sword", held="off")}
    table = fight(apart=1, grash={}, varro={"ws": 42, "items": items, "parry_bonus": 10})

    done = table.play("attack", "grash", "varro", to_hit=20, defend="parry", parry=52)

    assert terms(done.of(ev.CheckRolled)[1]) == {"parry_bonus": 10}


# WH-970


@pytest.mark.clause("WH-970")
@pytest.mark.parametrize(("to_hit", "hits"), [(45, 1), (39, 1), (29, 2), (19, 2), (9, 3), (6, 3)])
def test_a_semi_auto_burst(to_hit: int, hits: int) -> None:
    table = fight(apart=60, a={"bs": 45, "items": held("lasgun", "both")}, b=SOFT)
    rolls = {f"hit{number}__damage": 9 for number in range(1, hits + 1)}

    done = table.play("semi_auto_burst", "a", "b", to_hit=to_hit, defend="none", **rolls)

    assert done.check.target == 45
    assert len(done.one(ev.HitsScored).hits) == hits


@pytest.mark.clause("WH-970", "WH-240")
def test_a_critical_burst() -> None:
    table = fight(apart=60, a={"bs": 45, "items": held("lasgun", "both")}, b={**SOFT, "ag": 36})

    done = table.play("semi_auto_burst", "a", "b", to_hit=5, defend="dodge", dodge=6, hit1__damage=9, hit2__damage=9)

    assert done.check.degrees == 5
    assert len(done.one(ev.HitsScored).hits) == 3
    assert done.of(ev.CheckRolled)[1].target == 6


@pytest.mark.clause("WH-970")
def test_a_full_auto_burst_is_bounded_by_the_rate_of_fire() -> None:
    table = fight(apart=20, a={"bs": 45, "items": held("autogun", "both")}, b=SOFT)
    done = table.play(
        "full_auto_burst",
        "a",
        "b",
        to_hit=12,
        defend="dodge",
        dodge=1 + 29,
        **{f"hit{n}__damage": 9 for n in (1, 2, 3)},
    )
    assert (done.check.target, len(done.one(ev.HitsScored).hits)) == (45, 4)

    table = fight(apart=2, a={"bs": 115, "items": held("autogun", "both")}, b=SOFT)
    rolls = {f"hit{n}__damage": 9 for n in range(1, 11)}
    done = table.play("full_auto_burst", "a", "b", to_hit=7, defend="none", **rolls)
    assert (done.check.degrees, len(done.one(ev.HitsScored).hits)) == (14, 10)
    assert fight(apart=20, a={"items": held("autogun", "both")}, b=SOFT, c=SOFT).why_not(
        "full_auto_burst", "a", "b", "c"
    ) == ["too_many_targets"]


# WH-980


@pytest.mark.clause("WH-980")
@pytest.mark.parametrize(("far", "caught"), [(3, True), (3.1, False)])
def test_a_blast_at_a_point(far: float, caught: bool) -> None:
    table = fight(
        a={"at": (0, 0, 90), "bs": 45, "s": 60, "items": held("frag_grenade")}, b={"at": (12 + far, 0, 270), **SOFT}
    )
    given: dict[str, Any] = {"b__defend": "none", "damage": (4, 4)} if caught else {}

    done = table.play("area_attack", "a", area=Sector((1200, 0), 0), to_hit=36, **given)

    assert bool(done.of(ev.DamageDealt)) is caught
    assert done.check.target == 45
    assert "area_attack" in noted(done)


@pytest.mark.clause("WH-980")
def test_a_blast_that_misses_hits_nobody() -> None:
    table = fight(apart=8, a={"bs": 45, "s": 60, "items": held("frag_grenade")}, b=SOFT)

    assert not table.play("area_attack", "a", "b", to_hit=99).of(ev.HitsScored)


@pytest.mark.clause("WH-980", "WH-400")
def test_rows_about_the_target_count_for_the_one_aimed_at() -> None:
    table = fight(apart=20, a={"bs": 45, "s": 60, "items": held("frag_grenade")}, b=SOFT, c=SOFT)
    begin(table, "b", "stunned", 1)
    begin(table, "c", "prone")

    assert table.play("area_attack", "a", "b", to_hit=99).check.target == 65


@pytest.mark.clause("WH-980", "WH-095")
def test_without_a_map_the_gm_lists_who_is_inside() -> None:
    table = fight(apart=8, a={"bs": 45, "s": 60, "items": held("frag_grenade")}, b=SOFT, c=SOFT)

    done = table.play(
        "area_attack",
        "a",
        "b",
        to_hit=36,
        area_caught=("these", {"who": ["b", "c"]}),
        b__defend="none",
        c__defend="none",
        damage=(4, 4),
    )

    assert [one.target for one in done.of(ev.DamageDealt)] == ["b", "c"]
    table = fight(apart=8, a={"bs": 45, "s": 60, "items": held("frag_grenade")}, b=SOFT)
    assert not table.play("area_attack", "a", "b", to_hit=36, area_caught="nobody").of(ev.HitsScored)
    spot = {"said": {"length": 20}, "path": [(0, 0)]}
    assert fight(a={"s": 60, "items": held("frag_grenade")}, b=SOFT).why_not("area_attack", "a", **spot) == []


@pytest.mark.clause("WH-980")
@pytest.mark.parametrize(("die", "hit"), [(30, False), (31, True)])
def test_a_spray_is_kept_out_of(die: int, hit: bool) -> None:
    table = fight(apart=8, a={"items": held("flamer", "both")}, b={**SOFT, "ag": 30})
    given: dict[str, Any] = {"b__defend": "none", "damage": 4} if hit else {}

    done = table.play("area_attack", "a", "b", said={"inside": ()}, b__spray=die, **given)

    assert done.check.purpose == "spray"
    assert bool(done.of(ev.HitsScored)) is hit
    assert table.who("b").budget["reaction"] == 1
    assert not [check for check in done.of(ev.CheckRolled) if check.purpose == "attack"]


@pytest.mark.clause("WH-980", "WH-590")
def test_unseen_takes_evasion_away_but_not_the_test_against_a_spray() -> None:
    table = fight(a={"at": (0, 5, 0), "items": held("flamer", "both")}, b={"at": (0, 0, 0), **SOFT})

    done = table.play("area_attack", "a", "b", b__spray=99, damage=4)

    assert "unseen" in noted(done)
    assert not done.questions("defend")


@pytest.mark.clause("WH-980")
def test_the_cone_is_30_degrees_and_as_long_as_the_range() -> None:
    table = fight(
        a={"at": (0, 0, 0), "items": held("flamer", "both")},
        on={"at": (0, -20, 180), **SOFT},
        edge={"at": (2.6, -10, 180), **SOFT},
        off={"at": (2.8, -10, 180), **SOFT},
        far={"at": (0, -20.1, 180), **SOFT},
    )
    begin(table, "edge", "unconscious")

    cone = Sector((0, 0), 2000, 0, 30)
    done = table.play("area_attack", "a", area=cone, on__spray=99, on__defend="none", damage=4)

    assert sorted(one.target for one in done.of(ev.DamageDealt)) == ["edge", "on"]
    assert table.why_not("area_attack", "a", "far") != []


# WH-990


@pytest.mark.clause("WH-990")
def test_aiming_counts_for_the_next_attack_this_turn_or_next() -> None:
    table = fight(apart=60, a={"bs": 45, "items": held("lasgun", "both")}, b=SOFT)
    table.play("aim", "a")
    done = table.play("attack", "a", "b", to_hit=99)
    assert (done.check.target, terms(done.check)) == (55, {"aimed": 10})
    assert not table.has("a", "aiming")
    table.until_turn_of("b")
    table.until_turn_of("a")
    table.play("aim", "a")
    table.until_turn_of("b")
    table.until_turn_of("a")
    assert table.play("attack", "a", "b", to_hit=99).check.target == 55
    table.play("aim", "a")
    for _ in range(2):
        table.until_turn_of("b")
        table.until_turn_of("a")
    table.end_turn()
    assert not table.has("a", "aiming")


@pytest.mark.clause("WH-990")
@both_ways
def test_moving_or_reacting_loses_the_aim(on_map: bool) -> None:
    way: dict[str, Any] = {"path": [(0, 1)]} if on_map else {"said": {"length": 1}}
    table = two(on_map, 60, a={"items": held("lasgun", "both")}, b={"bs": 45, "items": held("lasgun", "both")})
    table.play("aim", "a")
    table.play("move", "a", **way)
    assert not table.has("a", "aiming")

    table = two(on_map, 60, a={"items": held("lasgun", "both")}, b={"bs": 45, "items": held("lasgun", "both")})
    table.play("aim", "a")
    table.end_turn()
    table.play("attack", "b", "a", to_hit=40, defend="dodge", dodge=20)
    assert not table.has("a", "aiming")


@pytest.mark.clause("WH-990")
@pytest.mark.parametrize(("to_hit", "degrees", "dice"), [(41, 3, 1), (21, 5, 2), (5, 7, 2), (51, 2, 0)])
def test_an_aimed_accurate_shot_adds_dice(to_hit: int, degrees: int, dice: int) -> None:
    table = fight(apart=100, a={"bs": 55, "minor": 0, "items": held("long_las", "both")}, b=SOFT)
    table.play("aim", "a")
    bonus: dict[str, Any] = {"bonus": tuple([9] * dice)} if dice else {}

    done = table.play("attack", "a", "b", to_hit=to_hit, defend="none", damage=9, **bonus)

    assert (done.check.target, done.check.degrees) == (65, degrees)
    assert len(done.one(ev.DamageDealt).dice) == 1 + dice


@pytest.mark.clause("WH-990")
def test_without_aim_there_are_none() -> None:
    table = fight(apart=100, a={"bs": 55, "items": held("long_las", "both")}, b=SOFT)

    assert len(table.play("attack", "a", "b", to_hit=11, defend="none", damage=9).one(ev.DamageDealt).dice) == 1


def charging(on_map: bool, far: float, **more: Any) -> tuple[PlayTable, dict[str, Any]]:
    """Somebody who could charge 9 m."""
    table = two(on_map, far, a={"ws": 42, "ag": 36, "items": held("sword"), "minor": 0, **more}, b={**SOFT, **SWORD})
    return table, {} if on_map else {"said": {"path_straight": True, "leaves": ()}}


@pytest.mark.clause("WH-990", "WH-080")
@both_ways
@pytest.mark.parametrize(
    ("far", "reasons"),
    [(3.99, ["too_close_to_charge"]), (4, []), (9, []), (9.01, ["move_too_far"])],
)
def test_how_far_one_charges(on_map: bool, far: float, reasons: list[str]) -> None:
    table, given = charging(on_map, far)

    assert table.why_not("charge", "a", "b", **given) == reasons


@pytest.mark.clause("WH-990", "WH-080")
def test_whoever_gets_less_than_4_m_cannot_charge_at_all() -> None:
    table = fight(a={"ag": 10, **SWORD}, b=SWORD)

    assert table.why_not("charge", "a", "b", said={"path_straight": True, "leaves": ()}) == [
        "move_too_far",
        "missing_input",
    ]


@pytest.mark.clause("WH-990")
@both_ways
def test_a_charge_ends_with_a_blow_at_20_more(on_map: bool) -> None:
    table, given = charging(on_map, 6)

    done = table.play("charge", "a", "b", to_hit=62, defend="none", damage=5, **given)

    assert (done.check.target, terms(done.check)) == (62, {"charging": 20})
    assert done.one(ev.Moved)
    assert table.who("a").budget["half_action"] == 0
    assert table.who("a").engaged == ("b",)
    assert set(done.one(ev.ActionTaken).tags) == {"attack", "melee", "movement", "physical"}


@pytest.mark.clause("WH-990", "WH-740")
def test_a_raptor_adds_a_die_on_a_charge_only() -> None:
    table, given = charging(False, 6, talents=("raptor",))
    done = table.play("charge", "a", "b", to_hit=61, defend="none", damage=5, bonus=9, **given)
    assert len(done.one(ev.DamageDealt).dice) == 2

    table, _ = charging(False, 1, talents=("raptor",))
    done = table.play("attack", "a", "b", to_hit=41, defend="none", damage=5)
    assert len(done.one(ev.DamageDealt).dice) == 1


@pytest.mark.clause("WH-990", "WH-080", "WH-210")
def test_what_else_keeps_one_from_charging() -> None:
    table, given = charging(False, 6)
    assert table.why_not("charge", "a", "b", said={"path_straight": False, "leaves": ()}) == ["too_close_to_charge"]
    assert table.why_not("charge", "a", "b") == ["missing_input"]
    table.play("drop_prone", "a")
    assert table.why_not("charge", "a", "b", **given) == ["must_stand"]

    table, given = charging(False, 6, items=held("laspistol"))
    assert table.why_not("charge", "a", "b", weapon="laspistol", **given) == ["melee_weapon_required"]
    table, given = charging(False, 6, engaged=(CombatantId("b"),))
    assert table.why_not("charge", "a", "b", said={"path_straight": True}) == ["engaged_must_disengage"]
    table = fight(
        ground=Ground(walls=(wall(3, -5, 3, 5, sight=False),)),
        a={"at": (0, 0, 90), "ag": 36, **SWORD},
        b={"at": (6, 0, 270), **SWORD},
    )
    assert table.why_not("charge", "a", "b") == ["path_blocked"]


@pytest.mark.clause("WH-990", "WH-530", "WH-520")
def test_a_charge_at_ones_back_is_unseen() -> None:
    table = fight(a={"at": (0, 6, 0), "ag": 36, "ws": 60, **SWORD}, b={"at": (0, 0, 0), **SOFT})
    done = table.play("charge", "a", "b", to_hit=40, damage=5)
    assert "unseen" in noted(done)

    table = fight(a={"at": (0, -6, 180), "ag": 36, "ws": 60, **SWORD}, b={"at": (0, 0, 0), **SOFT})
    done = table.play("charge", "a", "b", to_hit=40, defend="none", damage=5)
    assert "unseen" not in noted(done)


# WH-995, WH-998


@pytest.mark.clause("WH-995")
def test_a_refusal_leaves_everything_as_it_was() -> None:
    table = fight(apart=60, a={"items": held("autogun", "both", ammo=9)}, b=SOFT)
    table.play("aim", "a")
    before = table.state

    with pytest.raises(Refused) as refused:
        table.play("full_auto_burst", "a", "b")

    assert [(one.code, one.need, one.got) for one in refused.value.reasons] == [("not_enough_ammo", 10, 9)]
    assert table.state == before


@pytest.mark.clause("WH-998", "WH-050")
def test_all_reasons_at_once_in_the_order_of_the_clauses() -> None:
    table = fight(
        apart=1,
        varro={
            "items": {"sword": Item("sword", held="main"), "lasgun": Item("lasgun", held="both", marks={"ammo": 0})},
            "engaged": (CombatantId("grash"),),
        },
        grash={"engaged": (CombatantId("varro"),)},
    )
    table.play("attack", "varro", "grash", weapon="sword", to_hit=99)
    table.play("aim", "varro")
    begin(table, "varro", "frenzied")

    found = table.reasons("attack", "varro", "grash", weapon="lasgun", options={"called": "head"})

    assert [(one.code, one.clause) for one in found] == [
        ("insufficient_actions", "WH-020"),
        ("attack_limit", "WH-040"),
        ("action_type_forbidden", "WH-050"),
        ("not_enough_ammo", "WH-290"),
        ("weapon_not_usable_in_melee", "WH-660"),
    ]


@pytest.mark.clause("WH-998", "WH-080")
def test_within_a_clause_they_come_as_the_ledger_lists_them() -> None:
    table = fight(
        varro={"at": (0, 0, 90), "ag": 36},
        grash={"at": (1.5, 0, 270)},
        ground=Ground(walls=(wall(-3, -5, -3, 5),)),
    )
    table.play("drop_prone", "varro")

    assert table.why_not("run", "varro", path=[(-30, 0)]) == [
        "move_too_far",
        "must_stand",
        "path_blocked",
        "engaged_must_disengage",
    ]


@pytest.mark.clause("WH-998", "WH-200")
def test_what_cannot_be_judged_is_left_out_and_the_service_stands_alone() -> None:
    table = fight(apart=1, varro={"items": {}}, grash={})
    assert table.why_not("attack", "varro", "nobody", options={"called": "leg"}) == ["no_such_target"]
    assert table.why_not("juggle", "varro") == ["unknown_action"]
    assert table.why_not("attack", "varro", "grash", type="full") == ["wrong_action_type"]
    assert table.why_not("aim", "nobody") == ["unknown_combatant"]


@pytest.mark.clause("WH-998")
def test_a_wrong_answer_is_refused_and_the_decision_stays_open() -> None:
    table = fight(apart=1, varro={}, grash={})
    before = table.state

    with pytest.raises(BadAnswer):
        table.play("attack", "varro", "grash", weapon="chainsword", to_hit=20, defend="duck")

    assert table.state == before


@pytest.mark.clause("WH-070")
def test_a_die_out_of_range_is_no_answer() -> None:
    with pytest.raises(BadAnswer):
        fight(apart=1, varro={}, grash={}).play("attack", "varro", "grash", weapon="chainsword", to_hit=101)


def test_samples_stand_as_the_ledger_has_them() -> None:
    table = fight(varro={}, grash={}, trooper={}, lyse={}, quad={})
    for name, figures in {
        "varro": (42, 45, 38, 41, 36, 14),
        "grash": (45, 20, 52, 55, 28, 20),
        "trooper": (30, 30, 30, 30, 30, 8),
        "lyse": (50, 55, 33, 35, 52, 12),
        "quad": (48, 40, 45, 40, 40, 18),
    }.items():
        stats = table.who(name).sheet.stats
        assert tuple(stats[key] for key in ("ws", "bs", "s", "t", "ag", "wounds_max")) == figures
        assert list(table.rules.misfits(table.who(name))) == []
    assert msgspec.json.encode(table.state)


@pytest.mark.clause("WH-998", "WH-400", "WH-640", "WH-330")
def test_nothing_that_is_sent_is_silently_ignored() -> None:
    table = fight(apart=1, quad={}, grash=SWORD)

    def why(**fields: Any) -> list[str]:
        return table.why_not("attack", "quad", "grash", weapon="sword", **fields)

    assert why(options={"pair": 1}) == []
    assert why(options={"pair": 2}) == ["weapon_not_ready"]
    assert why(options={"pair": 3}) == ["weapon_not_ready", "no_such_pair"]
    assert why(options={"called": "head", "side": "left"}) == ["unused_input"]
    assert why(options={"called": "leg", "side": "left", "arm_pair": 2}) == ["unused_input"]
    assert why(options={"called": "torso"}, location="head") == ["unused_input"]
    assert table.why_not("aim", "quad", modifiers=(5,)) == ["unknown_option"]
    assert table.why_not("aim", "quad", modifiers=("darkness",)) == ["unknown_option"]
    assert "unused_input" in table.why_not("aim", "quad", weapon="sword")
    table = fight(apart=8, grash={"items": held("frag_grenade")}, varro={})
    assert table.why_not("area_attack", "grash", "varro", facing=90) == ["unused_input"]
    assert table.why_not("area_attack", "grash", "varro", area=Sector((0, 0), 300)) == ["unused_input"]
    items = {"one": Item("sword", held="main"), "two": Item("sword", held="off")}
    table = fight(apart=1, lyse={"items": items}, grash=SWORD)
    assert table.why_not("two_weapon_attack", "lyse", "grash", options={"second_side": "left"}) == ["missing_input"]
