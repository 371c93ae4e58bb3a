"""The three modifier tables. Clauses WH-400 to WH-510."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Ground, PairFact
from rulesets.wh40k_d100.reach import band_at
from tests.rulesets.wh40k_d100.fights import begin, both_ways, fight, held, pool, region, terms, two
from tests.support.play import PlayTable, length

SWORD = {"items": held("sword")}


def melee(ws: int = 42, *, ground: Ground | None = None, **more: Any) -> PlayTable:
    """Swordsmen beside each other, on a map if there is ground."""
    one, other = ({"at": (0, 0, 90)}, {"at": (1, 0, 270)}) if ground is not None else ({}, {})
    return fight(
        apart=None if ground is not None else 1,
        ground=ground,
        v={"ws": ws, **SWORD, **one},
        g={**SWORD, **other},
        **more,
    )


def ranged(bs: int = 45, apart: float = 60, *, ground: Ground | None = None, **more: Any) -> PlayTable:
    """A lasgun at combat range, on a map if there is ground."""
    one, other = ({"at": (0, 0, 90)}, {"at": (apart, 0, 270)}) if ground is not None else ({}, {})
    gun = {"bs": bs, "items": held("lasgun", "both")}
    return fight(
        apart=None if ground is not None else apart, ground=ground, v={**gun, **one}, g={**SWORD, **other}, **more
    )


def target_number(table: PlayTable, **fields: Any) -> int:
    """What the attack is rolled against."""
    return table.play("attack", "v", "g", to_hit=99, **fields).check.target


# WH-400


@pytest.mark.clause("WH-400", "WH-420")
def test_rows_add_up_and_each_is_told() -> None:
    table = ranged(bs=55, apart=250)

    done = table.play("attack", "v", "g", to_hit=99, modifiers=("darkness", "smoke_fog"))

    assert done.check.target == -5
    assert terms(done.check) == {"darkness": -30, "smoke_fog": -20, "range_long": -10}
    assert {term.id: term.clause for term in done.check.terms}["darkness"] == "WH-410"


@pytest.mark.clause("WH-400")
@pytest.mark.parametrize(
    ("stated", "reasons"),
    [
        (("weak_light", "darkness"), ["contradicting_modifiers"]),
        (("difficult_terrain", "very_difficult_terrain"), ["contradicting_modifiers"]),
        (("darkness", "smoke_fog"), []),
        (("nonsense",), ["unknown_option"]),
    ],
)
def test_steps_of_one_scale_exclude_each_other(stated: tuple[str, ...], reasons: list[str]) -> None:
    assert melee().why_not("attack", "v", "g", modifiers=stated) == reasons


@pytest.mark.clause("WH-400", "WH-095")
@pytest.mark.parametrize("row", ["weak_light", "darkness", "smoke_fog", "difficult_terrain", "higher_position"])
def test_a_row_that_the_map_contradicts_is_refused(row: str) -> None:
    assert melee(ground=Ground()).why_not("attack", "v", "g", modifiers=(row,)) == ["contradicting_modifiers"]
    shown = Ground(regions=(region("dark"), region("smoke"), region("difficult")))
    fits = row in ("darkness", "smoke_fog", "difficult_terrain")
    assert (melee(ground=shown).why_not("attack", "v", "g", modifiers=(row,)) == []) is fits


@pytest.mark.clause("WH-400", "WH-510")
def test_a_band_stated_beside_a_known_distance_must_agree() -> None:
    table = ranged()

    assert table.why_not("attack", "v", "g", said={"bands": {"g": "long"}}) == ["contradicting_modifiers"]
    assert table.why_not("attack", "v", "g", said={"bands": {"g": "combat"}}) == []


@pytest.mark.clause("WH-400")
@pytest.mark.parametrize("value", [-35, 7])
def test_the_gm_may_add_a_row_of_any_value(value: int) -> None:
    assert target_number(melee(), modifiers=(value,)) == 42 + value


@pytest.mark.clause("WH-400", "WH-450")
def test_the_strongest_step_counts_once() -> None:
    table = melee(ground=Ground(regions=(region("difficult"), region("very_difficult"))))

    assert target_number(table) == 42 - 20


# WH-410


@pytest.mark.clause("WH-410", "WH-440", "WH-450")
@pytest.mark.parametrize(
    ("condition", "in_melee", "at_range"),
    [("prone", 20, -20), ("running", 20, -20), ("stunned", 20, 20), ("surprised", 30, 30), ("unaware", 30, 30)],
)
def test_what_the_target_does_or_suffers(condition: str, in_melee: int, at_range: int) -> None:
    for made, value in ((melee, in_melee), (ranged, at_range)):
        before, table = target_number(made()), made()
        begin(table, "g", condition, 1)
        assert target_number(table) - before == value


@pytest.mark.clause("WH-410")
@pytest.mark.parametrize(("levels", "value"), [(0, 0), (1, -10), (3, -10)])
def test_fatigue_counts_once_at_any_level(levels: int, value: int) -> None:
    for made in (melee, ranged):
        base, table = target_number(made()), made()
        pool(table, "v", "fatigue", levels)
        assert target_number(table) == base + value


@pytest.mark.clause("WH-410", "WH-440")
def test_the_ledgers_two_sums() -> None:
    table = melee()
    pool(table, "v", "fatigue", 3)
    begin(table, "g", "prone")
    assert target_number(table) == 42 - 10 + 20

    table = ranged()
    pool(table, "v", "fatigue", 3)
    begin(table, "g", "prone")
    assert target_number(table) == 45 - 10 - 20


# WH-420, WH-430


@pytest.mark.clause("WH-410", "WH-420")
@pytest.mark.parametrize(
    ("stated", "in_melee", "at_range"),
    [
        (("weak_light",), 0, -10),
        (("darkness",), -20, -30),
        (("smoke_fog",), -10, -20),
        (("darkness", "smoke_fog"), -30, -50),
    ],
)
@pytest.mark.parametrize("on_map", [True, False], ids=["map", "stated"])
def test_light_and_smoke(on_map: bool, stated: tuple[str, ...], in_melee: int, at_range: int) -> None:
    kinds = {"weak_light": "weak_light", "darkness": "dark", "smoke_fog": "smoke"}
    ground = Ground(regions=tuple(region(kinds[row]) for row in stated)) if on_map else None
    given = {} if on_map else {"modifiers": stated}

    assert target_number(melee(ground=ground), **given) == 42 + in_melee
    assert target_number(ranged(ground=ground), **given) == 45 + at_range


@pytest.mark.clause("WH-420")
def test_light_counts_where_the_target_is_and_smoke_anywhere_on_the_line() -> None:
    at_the_shooter = Ground(regions=(region("dark", -2, -2, 4),))
    at_the_target = Ground(regions=(region("dark", 58, -2, 4),))
    between = Ground(regions=(region("smoke", 20, -2, 4), region("dark", 30, -2, 4)))

    assert target_number(ranged(ground=at_the_shooter)) == 45
    assert target_number(ranged(ground=at_the_target)) == 15
    assert target_number(ranged(ground=between)) == 25


@pytest.mark.clause("WH-420", "WH-095")
def test_smoke_between_two_may_be_stated_of_them() -> None:
    table = fight(v={"items": held("lasgun", "both")}, g={})
    fact = PairFact(distance=length(60), between=("smoke", "dark"))
    table.rule(cmd.SetFact(CombatantId("g"), CombatantId("v"), fact))

    assert target_number(table) == 45 - 20 - 30


@pytest.mark.clause("WH-430", "WH-160")
def test_a_blinded_attacker_in_melee() -> None:
    table = melee(50)
    begin(table, "v", "blinded", 1)
    assert target_number(table) == 20

    table = melee(50)
    begin(table, "v", "blinded", 1)
    assert target_number(table, modifiers=("darkness",)) == 0


@pytest.mark.clause("WH-430")
def test_a_table_may_let_blindness_stand_for_the_light() -> None:
    table = melee(50, options={"blinded_replaces_light_rows": True})
    begin(table, "v", "blinded", 1)

    assert target_number(table, modifiers=("darkness", "smoke_fog")) == 20


@pytest.mark.clause("WH-430")
def test_a_spray_is_not_stopped_by_blindness() -> None:
    table = fight(apart=5, v={"items": held("flamer", "both")}, g={})
    begin(table, "v", "blinded", 1)

    done = table.play("area_attack", "v", "g", said={"inside": ("g",)}, spray=99, defend="none", damage=3)

    assert done.one(ev.HitsScored)


# WH-440, WH-450


@pytest.mark.clause("WH-440")
def test_lying_down_ends_running() -> None:
    table = melee()
    begin(table, "g", "running")
    begin(table, "g", "prone")

    assert not table.has("g", "running")


@pytest.mark.clause("WH-450", "WH-120")
def test_stunned_and_surprised_together() -> None:
    table = ranged(bs=55, apart=20)
    begin(table, "g", "stunned", 1)
    begin(table, "g", "unaware")
    begin(table, "g", "surprised")

    done = table.play("attack", "v", "g", to_hit=20, damage=9, options={})

    assert (done.check.target, done.check.degrees) == (115, 10)


@pytest.mark.clause("WH-450", "WH-940")
def test_the_unconscious_count_as_stunned_and_prone() -> None:
    table = melee()
    begin(table, "g", "unconscious")

    assert target_number(table) == 42 + 20 + 20


# WH-460 to WH-480


@pytest.mark.clause("WH-460")
@pytest.mark.parametrize("on_map", [True, False], ids=["map", "stated"])
@pytest.mark.parametrize(("row", "value"), [("difficult", -10), ("very_difficult", -20)])
def test_ground_under_the_attacker_counts_in_melee_only(on_map: bool, row: str, value: int) -> None:
    ground = Ground(regions=(region(row, -0.5, -0.5, 1),)) if on_map else None
    given = {} if on_map else {"modifiers": (f"{row}_terrain",)}

    assert target_number(melee(ground=ground), **given) == 42 + value
    assert target_number(ranged(ground=ground), **given) == 45
    under_the_target = Ground(regions=(region(row, 0.5, -0.5, 1),))
    assert target_number(melee(ground=under_the_target)) == 42


@pytest.mark.clause("WH-470")
@both_ways
@pytest.mark.parametrize(
    ("attackers", "defenders", "value"),
    [(1, 1, 0), (2, 1, 10), (3, 1, 20), (3, 2, 0), (4, 2, 10), (5, 2, 10), (6, 2, 20)],
)
def test_outnumbering(on_map: bool, attackers: int, defenders: int, value: int) -> None:
    ours = [f"v{number}" for number in range(attackers)]
    theirs = [f"g{number}" for number in range(defenders)]
    people: dict[str, Any] = {}
    for names, others, x, side in ((ours, theirs, 0, "us"), (theirs, ours, 1, "them")):
        for number, name in enumerate(names):
            where = {"at": (x, number / 5, 90)} if on_map else {"engaged": tuple(CombatantId(one) for one in others)}
            people[name] = {"side": side, **SWORD, **where}
    table = fight(apart=None if on_map else 1, **people)

    done = table.play("attack", "v0", "g0", to_hit=99)

    assert terms(done.check).get("outnumber_2_1", 0) + terms(done.check).get("outnumber_3_1", 0) == value


@pytest.mark.clause("WH-470")
def test_the_unconscious_do_not_count() -> None:
    table = fight(
        apart=1,
        v0={"side": "us", **SWORD},
        v1={"side": "us", **SWORD, "engaged": (CombatantId("g"),)},
        g={**SWORD, "engaged": (CombatantId("v1"),)},
    )
    begin(table, "v1", "unconscious")

    assert table.play("attack", "v0", "g", to_hit=99).check.target == 42


@pytest.mark.clause("WH-480")
@pytest.mark.parametrize(("height", "value"), [(49, 0), (50, 10), (300, 10), (-300, 0)])
def test_half_a_metre_higher(height: int, value: int) -> None:
    table = fight(v={"at": (0, 0, 90), "elevation": height, **SWORD}, g={"at": (1, 0, 270), **SWORD})
    assert table.play("attack", "v", "g", to_hit=99).check.target == 42 + value
    assert target_number(melee(), modifiers=("higher_position",)) == 52


@pytest.mark.clause("WH-480")
def test_how_much_height_counts_is_the_tables_choice() -> None:
    people: dict[str, Any] = {"v": {"at": (0, 0, 90), "elevation": 100, **SWORD}, "g": {"at": (1, 0, 270), **SWORD}}

    assert fight(options={"height_advantage_m": 200}, **people).play("attack", "v", "g", to_hit=99).check.target == 42


@pytest.mark.clause("WH-480")
@pytest.mark.parametrize(
    ("weapon", "against", "value"),
    [("spear", "sword", 5), ("sword", "sword", 0), ("combat_knife", "", 5), ("sword", "spear", 0)],
)
def test_a_longer_weapon(weapon: str, against: str, value: int) -> None:
    hands = {"spear": "both"}
    table = fight(
        apart=1,
        v={"items": held(weapon, hands.get(weapon, "main"))},
        g={"items": held(against, hands.get(against, "main")) if against else {}},
    )

    assert target_number(table) == 42 + value


@pytest.mark.clause("WH-480", "WH-400")
def test_a_spear_from_a_wall() -> None:
    table = fight(apart=1, v={"items": held("spear", "both")}, g=SWORD)

    assert target_number(table, modifiers=("higher_position",)) == 57


# WH-490 to WH-510


@pytest.mark.clause("WH-490", "WH-500", "WH-940")
def test_suppressed_into_melee_at_long_range() -> None:
    table = fight(
        apart={"v-g": 250},
        v={"items": held("lasgun", "both")},
        g={**SWORD, "engaged": (CombatantId("l"),)},
        l={**SWORD, "engaged": (CombatantId("g"),)},
    )
    begin(table, "v", "suppressed")

    done = table.play("attack", "v", "g", to_hit=99)

    assert done.check.target == -5
    assert terms(done.check) == {"attacker_suppressed": -20, "shooting_into_melee": -20, "range_long": -10}
    table = melee()
    begin(table, "v", "suppressed")
    assert target_number(table) == 42


@pytest.mark.clause("WH-490", "WH-510")
@pytest.mark.parametrize(
    ("far", "row", "value"),
    [
        (2, "range_point_blank", 30),
        (2.1, "range_short", 10),
        (49.9, "range_short", 10),
        (50, "", 0),
        (200, "", 0),
        (200.1, "range_long", -10),
        (300, "range_long", -10),
        (300.1, "range_extreme", -30),
        (400, "range_extreme", -30),
    ],
)
@both_ways
def test_distance_bands(on_map: bool, far: float, row: str, value: int) -> None:
    table = two(on_map, far, v={"items": held("lasgun", "both")}, g={"items": {}})

    done = table.play("attack", "v", "g", to_hit=99)

    assert terms(done.check) == ({row: value} if row else {})


@pytest.mark.clause("WH-510")
@both_ways
def test_beyond_four_times_the_range_there_is_no_shot(on_map: bool) -> None:
    table = two(on_map, 400.1, v={"items": held("lasgun", "both")}, g={})

    assert table.why_not("attack", "v", "g") == ["out_of_range"]
    if not on_map:
        assert fight(v={"items": held("lasgun", "both")}, g={}).why_not(
            "attack", "v", "g", said={"bands": {"g": "beyond"}}
        ) == ["out_of_range"]


@pytest.mark.clause("WH-510")
@pytest.mark.parametrize(("far", "band"), [(200, "point_blank"), (210, "combat"), (800, "combat"), (1600, "extreme")])
def test_point_blank_is_checked_first(far: int, band: str) -> None:
    """A range of 4 m has no short band: half of it is point blank already."""
    assert band_at(fight(v={}).table, far, 400) == band


@pytest.mark.clause("WH-510")
def test_what_is_thrown_flies_by_strength() -> None:
    table = fight(apart=60, grash={"items": held("frag_grenade")}, varro={})
    assert table.why_not("area_attack", "grash", "varro") == []

    # Strength bonus 5: a range of 15 m, and four times that at most.
    table = fight(apart=60.01, grash={"items": held("frag_grenade")}, varro={})
    assert table.why_not("area_attack", "grash", "varro") == ["out_of_range"]


@pytest.mark.clause("WH-500")
def test_a_pistol_at_ones_own_foe_and_at_one_whom_others_fight() -> None:
    def pistol(**more: Any) -> PlayTable:
        foes = (CombatantId("v"), CombatantId("l")) if more else (CombatantId("v"),)
        return fight(
            apart=1,
            v={"items": held("laspistol"), "side": "us", "engaged": (CombatantId("g"),)},
            g={**SWORD, "engaged": foes},
            **more,
        )

    assert target_number(pistol()) == 75
    assert target_number(pistol(l={"side": "us", "engaged": (CombatantId("g"),), **SWORD})) == 55


@pytest.mark.clause("WH-500", "WH-490")
def test_a_table_may_keep_point_blank_out_of_melee() -> None:
    table = fight(
        apart=1,
        v={"items": held("laspistol"), "engaged": (CombatantId("g"),)},
        g={**SWORD, "engaged": (CombatantId("v"),)},
        options={"point_blank_bonus_when_engaged": False},
    )

    assert target_number(table) == 45


@pytest.mark.clause("WH-500")
def test_a_miss_into_melee_strikes_nobody_unless_the_table_plays_it_so() -> None:
    people: dict[str, Any] = {
        "v": {"items": held("lasgun", "both"), "side": "us"},
        "g": {**SWORD, "engaged": (CombatantId("l"),)},
        "l": {**SWORD, "side": "us", "engaged": (CombatantId("g"),)},
    }
    table = fight(apart=60, **people)
    assert not table.play("attack", "v", "g", to_hit=71).of(ev.HitsScored)

    table = fight(apart=60, options={"miss_hits_bystander": True}, **people)
    done = table.play("attack", "v", "g", to_hit=71, defend="none", damage=9)
    hit = done.one(ev.HitsScored).hits[0]
    assert (hit.target, hit.location) == ("l", "right_arm")


@pytest.mark.clause("WH-500")
def test_of_several_bystanders_a_die_decides() -> None:
    table = fight(
        apart=60,
        v={"items": held("lasgun", "both"), "side": "us"},
        g={**SWORD, "engaged": (CombatantId("l"), CombatantId("t"))},
        l={**SWORD, "side": "us", "engaged": (CombatantId("g"),)},
        t={**SWORD, "side": "us", "engaged": (CombatantId("g"),)},
        options={"miss_hits_bystander": True},
    )

    done = table.play("attack", "v", "g", to_hit=71, who=2, defend="dodge", dodge=10)

    assert done.one(ev.HitsScored).hits[0].target == "t"
