"""How far a weapon reaches, and shooting in and into melee. Clauses DH-5140, DH-5340, DH-5350, DH-5495."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Item
from rulesets.dark_heresy_2e.reach import BEYOND, band_at
from tests.rulesets.dark_heresy_2e.firing import barred, cited, jammed, places, result, struck, terms, weapon
from tests.rulesets.dark_heresy_2e.going import both_ways, fight
from tests.support.play import PlayTable, combatant, duel, length, ruleset, table_of

BANDS = {"point_blank": 30, "short": 10, "normal": 0, "long": -10, "extreme": -30}


def band_of(found: dict[str, int]) -> int:
    """What the range is worth in these terms."""
    return sum(value for name, value in found.items() if name.startswith("range_"))


@pytest.mark.clause("DH-5140")
@both_ways
@pytest.mark.parametrize(
    ("distance", "band"),
    [
        (2.0, "point_blank"),
        (2.1, "short"),
        (49.9, "short"),
        (50, "normal"),
        (200, "normal"),
        (200.1, "long"),
        (300, "long"),
        (300.1, "extreme"),
        (400, "extreme"),
    ],
)
def test_the_bands_of_a_weapon_with_a_range_of_100(on_map: bool, distance: float, band: str) -> None:
    table = duel(distance, on_map=on_map, ann={"sample": "vane"}, bob={"sample": "vane"})

    assert band_of(terms(table.play("standard_attack", "ann", "bob", to_hit=99))) == BANDS[band]


@pytest.mark.clause("DH-5140")
@both_ways
@pytest.mark.parametrize("action", ["standard_attack", "semi_auto_burst", "full_auto_burst"])
@pytest.mark.parametrize(("distance", "refused"), [(400, False), (401, True)])
def test_beyond_four_times_the_range_there_is_no_shot(
    on_map: bool, action: str, distance: float, refused: bool
) -> None:
    table = duel(distance, on_map=on_map, ann={"sample": "vane"}, bob={"sample": "vane"})

    assert table.why_not(action, "ann", "bob") == (["out_of_range"] if refused else [])


@pytest.mark.clause("DH-5140")
@pytest.mark.parametrize(
    ("reach", "distance", "band"),
    [
        (4, 2.0, "point_blank"),  # although half of 4 is 2
        (4, 2.01, "normal"),
        (4, 8, "normal"),
        (4, 8.01, "long"),
        (4, 12.01, "extreme"),
        (4, 16.01, BEYOND),
        (5, 2.49, "short"),
        (5, 2.5, "normal"),
        (1, 2.0, "point_blank"),
        (1, 2.01, "long"),
        (0.25, 2.0, "point_blank"),
        (0.25, 2.01, BEYOND),
        (90, 44.99, "short"),
        (90, 45, "normal"),
    ],
)
def test_point_blank_goes_before_every_other_band(reach: float, distance: float, band: str) -> None:
    table = duel(1, ann={"sample": "vane"}, bob={"sample": "vane"})

    assert band_at(table.table, length(distance), length(reach)) == band


@pytest.mark.clause("DH-5140")
@both_ways
@pytest.mark.parametrize(
    ("option", "distance", "worth"), [(2, 2, 30), (2, 2.01, 10), (3, 3, 30), (3, 3.01, 10), (0, 1.6, 10)]
)
def test_how_near_is_point_blank_is_for_the_table_to_say(
    on_map: bool, option: float, distance: float, worth: int
) -> None:
    table = duel(
        distance,
        on_map=on_map,
        ann={"sample": "vane"},
        bob={"sample": "vane"},
        options={"point_blank_m": length(option)},
    )

    assert band_of(terms(table.play("standard_attack", "ann", "bob", to_hit=99))) == worth


@pytest.mark.clause("DH-5140")
@both_ways
def test_a_blow_has_no_range(on_map: bool) -> None:
    table = duel(1, on_map=on_map, sable={"sample": "sable"}, bob={"sample": "vane"})

    assert terms(table.play("standard_attack", "sable", "bob", to_hit=99)) == {"ws": 52, "standard_attack": 10}


@pytest.mark.clause("DH-5140")
@pytest.mark.parametrize(
    ("strength", "distance", "worth"), [(40, 6.1, 0), (40, 24, 0), (40, 24.1, -10), (30, 18.1, -10)]
)
def test_the_range_of_what_is_thrown_grows_with_strength(strength: int, distance: float, worth: int) -> None:
    """Three metres a point of Strength bonus: 12 m or 9 m."""
    star = weapon("frag_grenade", "main", count=2, changes={"qualities": {}})
    table = duel(distance, ann={"sample": "vane", "s": strength, "items": star}, bob={"sample": "vane"})

    assert band_of(terms(table.play("standard_attack", "ann", "bob", to_hit=99))) == worth


@pytest.mark.clause("DH-5140", "DH-5130")
def test_without_a_map_a_pair_in_melee_is_at_point_blank_if_nobody_said_more() -> None:
    rules = ruleset()
    pistol = weapon("laspistol", "main", ammo=30)
    table = table_of(
        combatant(rules, "ann", "vane", engaged=("bob",), items=pistol),
        combatant(rules, "bob", "vane", engaged=("ann",)),
    )

    assert table.why_not("standard_attack", "ann", "bob") == []
    assert table.play("standard_attack", "ann", "bob", to_hit=99).check.target == 55


# In melee and into melee


def locked(on_map: bool = False, items: dict[str, Item] | None = None, **options: Any) -> PlayTable:
    """Vane in melee with Gorm, Brok 60 m off."""
    return fight(
        on_map,
        {"vane": (0.0, 0.0), "gorm": (1.0, 0.0), "brok": (60.0, 0.0)},
        melee=(("vane", "gorm"),),
        vane={"items": items or weapon("autogun", ammo=30)},
        options=options,
    )


@pytest.mark.clause("DH-5340")
@both_ways
@pytest.mark.parametrize("target", ["gorm", "brok"])
@pytest.mark.parametrize("action", ["standard_attack", "semi_auto_burst", "full_auto_burst"])
def test_in_melee_a_long_gun_cannot_be_fired_at_anybody(on_map: bool, target: str, action: str) -> None:
    assert cited(locked(on_map).reasons(action, "vane", target)) == [("weapon_not_usable_in_melee", "DH-5340")]


@pytest.mark.clause("DH-5340")
@both_ways
@pytest.mark.parametrize(
    ("kind", "reasons"),
    [
        ("laspistol", []),
        ("shotgun", ["weapon_not_usable_in_melee"]),
        ("heavy_stubber", ["fire_mode_not_available", "weapon_not_usable_in_melee"]),
    ],
)
def test_in_melee_only_pistols_are_fired(on_map: bool, kind: str, reasons: list[str]) -> None:
    assert locked(on_map, weapon(kind, ammo=8)).why_not("standard_attack", "vane", "gorm", weapon=kind) == reasons


@pytest.mark.clause("DH-5340")
@both_ways
@pytest.mark.parametrize(("target", "number"), [("gorm", 65), ("brok", 55)])
def test_a_pistol_in_melee_has_no_bonus_for_being_near(on_map: bool, target: str, number: int) -> None:
    """At Gorm +10 for his size and no -20: the shooter himself is the one in melee with him. Brok is at 60 m."""
    table = locked(on_map, weapon("laspistol", "main", ammo=30))

    assert table.play("standard_attack", "vane", target, to_hit=90).check.target == number


@pytest.mark.clause("DH-5340")
def test_short_range_counts_again_when_he_is_free() -> None:
    table = locked(False, weapon("laspistol", "main", ammo=30))
    table.rule(cmd.SetEngaged(CombatantId("vane"), CombatantId("gorm"), False))

    assert table.play("standard_attack", "vane", "gorm", to_hit=100).check.target == 95


@pytest.mark.clause("DH-5340", "DH-5140")
def test_a_foe_out_of_action_holds_nobody_in_melee() -> None:
    table = locked()
    table.rule(cmd.AddEffect(CombatantId("gorm"), "unconscious"))

    assert table.why_not("standard_attack", "vane", "brok") == []


@pytest.mark.clause("DH-5340", "DH-3605")
@pytest.mark.parametrize(
    ("option", "held", "offered", "bars"),
    [
        (False, {"sword": "main"}, ["dodge", "none"], {"parry": [("cannot_parry_ranged", "DH-3605")]}),
        (True, {"sword": "main"}, ["dodge", "parry", "none"], {}),
        (True, {"laspistol": "main"}, ["dodge", "none"], {"parry": [("cannot_parry", "DH-3620")]}),
    ],
)
def test_a_pistol_shot_in_melee_is_dodged_unless_the_table_lets_it_be_parried(
    option: bool, held: dict[str, str], offered: list[str], bars: dict[str, Any]
) -> None:
    table = fight(
        False,
        {"vane": (0, 0), "bob": (1, 0)},
        melee=(("vane", "bob"),),
        vane={"items": weapon("laspistol", "main", ammo=30)},
        bob={"sample": "vane", "held": held},
        options={"parry_pistol_in_melee": option},
    )

    question = table.play("standard_attack", "vane", "bob", to_hit=20, defend=...).questions("defend")[0]

    assert [option.id for option in question.options] == offered
    assert barred(question) == bars


@pytest.mark.clause("DH-5340", "DH-3605")
def test_a_pistol_shot_from_outside_the_melee_is_never_parried() -> None:
    table = duel(
        20,
        vane={"sample": "vane", "items": weapon("laspistol", "main", ammo=30)},
        bob={"sample": "vane", "held": {"sword": "main"}},
        options={"parry_pistol_in_melee": True},
    )

    question = table.play("standard_attack", "vane", "bob", to_hit=20, defend=...).questions("defend")[0]

    assert barred(question) == {"parry": [("cannot_parry_ranged", "DH-3605")]}


def into(on_map: bool = False, *, friends: int = 1, braced: int = 1, **options: Any) -> PlayTable:
    """Brok 60 m from Gorm, who is in melee with Vane and perhaps with more of Brok's side."""
    spots = {"brok": (0.0, 0.0), "gorm": (60.0, 0.0), "vane": (61.0, 0.0), "sable": (60.0, 1.0)}
    melee = (("gorm", "vane"), ("gorm", "sable"))[:friends]
    side: dict[str, Any] = {"side": "us"}
    gun = {**side, "items": weapon("heavy_stubber", ammo=80, braced=braced)}
    return fight(on_map, spots, melee=melee, brok=gun, vane=side, sable=side, options=options)


@pytest.mark.clause("DH-5350")
@both_ways
def test_shooting_at_somebody_in_melee_with_another_is_at_minus_20(on_map: bool) -> None:
    done = into(on_map).play("full_auto_burst", "brok", "gorm", to_hit=24)

    assert terms(done) == {"bs": 43, "full_auto_burst": -10, "size": 10, "shooting_into_melee": -20}
    assert result(done) == (23, "failure", 1)


@pytest.mark.clause("DH-5350")
@both_ways
@pytest.mark.parametrize(("side", "worth"), [("us", -20), ("gorm", -20)])
def test_whoever_is_in_melee_with_the_target_makes_no_difference(on_map: bool, side: str, worth: int) -> None:
    table = fight(
        on_map,
        {"brok": (0, 0), "gorm": (60, 0), "vane": (61, 0)},
        melee=(("gorm", "vane"),),
        brok={"side": "us", "held": {"autogun": "both"}},
        vane={"side": side},
    )

    assert terms(table.play("standard_attack", "brok", "gorm", to_hit=99))["shooting_into_melee"] == worth


@pytest.mark.clause("DH-5350")
def test_a_target_in_melee_with_nobody_who_can_fight_is_shot_at_freely() -> None:
    table = into()
    table.rule(cmd.AddEffect(CombatantId("vane"), "unconscious"))

    assert "shooting_into_melee" not in terms(table.play("full_auto_burst", "brok", "gorm", to_hit=90))


@pytest.mark.clause("DH-5350")
@pytest.mark.parametrize("option", ["none", "friend_on_miss"])
def test_a_hit_strikes_only_the_target(option: str) -> None:
    done = into(stray_shots=option).play("full_auto_burst", "brok", "gorm", to_hit=23, defend=...)

    assert struck(done) == ["gorm"]


@pytest.mark.clause("DH-5350")
def test_a_miss_hits_nobody() -> None:
    assert not into().play("full_auto_burst", "brok", "gorm", to_hit=24).of(ev.HitsScored)


@pytest.mark.clause("DH-5350", "DH-5210")
def test_a_table_may_let_a_miss_hit_the_friend_in_the_melee_once() -> None:
    done = into(stray_shots="friend_on_miss").play(
        "full_auto_burst", "brok", "gorm", to_hit=24, defend="none", damage=9
    )

    assert (struck(done), places(done)) == (["vane"], ["body"])
    assert [question.to for question in done.questions("defend")] == ["vane"]
    assert [(event.target, event.through) for event in done.of(ev.DamageDealt)] == [("vane", 9)]


@pytest.mark.clause("DH-5350")
def test_the_friend_may_evade_it() -> None:
    done = into(stray_shots="friend_on_miss").play(
        "full_auto_burst", "brok", "gorm", to_hit=24, defend="dodge", dodge=40
    )

    assert not done.of(ev.DamageDealt)


@pytest.mark.clause("DH-5350")
@pytest.mark.parametrize(("face", "friend"), [(1, "sable"), (2, "vane")])
def test_of_several_friends_a_die_says_which(face: int, friend: str) -> None:
    table = into(friends=2, stray_shots="friend_on_miss")

    done = table.play("full_auto_burst", "brok", "gorm", to_hit=24, friend=face, defend=...)

    assert struck(done) == [friend]


@pytest.mark.clause("DH-5350", "DH-5390")
def test_a_jam_hits_no_friend_either() -> None:
    done = into(stray_shots="friend_on_miss").play("full_auto_burst", "brok", "gorm", to_hit=94)

    assert jammed(done)
    assert not done.of(ev.HitsScored)


@pytest.mark.clause("DH-5350")
def test_a_foe_of_the_shooter_in_the_melee_is_no_friend() -> None:
    table = fight(
        False,
        {"brok": (0, 0), "gorm": (60, 0), "vane": (61, 0)},
        melee=(("gorm", "vane"),),
        brok={"held": {"autogun": "both"}},
        options={"stray_shots": "friend_on_miss"},
    )

    assert not table.play("standard_attack", "brok", "gorm", to_hit=90).of(ev.HitsScored)


# Scatter and Accurate


@pytest.mark.clause("DH-5495")
@both_ways
@pytest.mark.parametrize(
    ("distance", "number", "raw"),
    [
        (2, 105, 16),  # point blank: +10 to hit, +3 damage
        (2.1, 85, 13),  # short: +10 to hit
        (14.9, 85, 13),
        (15, 65, 10),  # beyond short: -3 damage
        (20, 65, 10),
        (60.1, 55, 10),
        (90.1, 35, 10),
    ],
)
def test_scatter_is_better_near_and_worse_far_off(on_map: bool, distance: float, number: int, raw: int) -> None:
    table = duel(
        distance,
        on_map=on_map,
        vane={"sample": "vane", "items": weapon("shotgun", ammo=8)},
        gorm={"sample": "gorm"},
    )

    done = table.play("standard_attack", "vane", "gorm", to_hit=35, defend="none", damage=9)

    assert done.check.target == number
    assert done.one(ev.DamageDealt).raw == raw


@pytest.mark.clause("DH-5495", "DH-5420")
@pytest.mark.parametrize(("distance", "die", "through"), [(2, 93, 7), (20, 65, 1)])
def test_the_ledgers_shotgun(distance: float, die: int, through: int) -> None:
    table = duel(distance, vane={"sample": "vane", "items": weapon("shotgun", ammo=8)}, gorm={"sample": "gorm"})

    done = table.play("standard_attack", "vane", "gorm", to_hit=die, defend="none", damage=5)

    assert done.one(ev.DamageDealt).through == through


def marksman(aim: str | None, *, kind: str = "autogun", quality: str = "accurate") -> PlayTable:
    """Ann with such a weapon, aimed or not, her turn; Bob 60 m off."""
    gun = weapon(kind, ammo=30, changes={"qualities": {quality: True}})
    table = duel(60, ann={"sample": "vane", "bs": 60, "items": gun}, bob={"sample": "vane", "wounds_max": 60})
    if aim is not None:
        table.play("aim", "ann", type=aim)
        if aim == "full":
            table.end_turn()
            table.end_turn()
    return table


@pytest.mark.clause("DH-5495")
@pytest.mark.parametrize(("aim", "extra"), [(None, 0), ("half", 20), ("full", 30)])
def test_accurate_adds_10_when_an_aim_counts(aim: str | None, extra: int) -> None:
    assert marksman(aim).play("standard_attack", "ann", "bob", to_hit=100).check.target == 70 + extra


@pytest.mark.clause("DH-5495", "DH-4340")
def test_an_inaccurate_weapon_gains_nothing_by_aim() -> None:
    assert marksman("half", quality="inaccurate").play("standard_attack", "ann", "bob", to_hit=100).check.target == 70


@pytest.mark.clause("DH-5495")
@pytest.mark.parametrize(
    ("die", "degrees", "dice"), [(90, 1, 0), (80, 2, 0), (70, 3, 1), (60, 4, 1), (50, 5, 2), (10, 9, 2)]
)
def test_an_aimed_single_shot_with_it_has_more_dice_by_degrees(die: int, degrees: int, dice: int) -> None:
    given: dict[str, Any] = {"accurate": (2,) * dice} if dice else {}

    done = marksman("half").play("standard_attack", "ann", "bob", to_hit=die, defend="none", damage=9, **given)

    assert done.check.degrees == degrees
    dealt = done.one(ev.DamageDealt)
    assert len(dealt.dice) == 1 + dice
    assert dealt.raw == 9 + 3 + 2 * dice


@pytest.mark.clause("DH-5495", "DH-5450")
def test_the_extra_dice_cause_no_righteous_fury() -> None:
    done = marksman("half").play("standard_attack", "ann", "bob", to_hit=70, defend="none", damage=9, accurate=10)

    assert not done.of(ev.Noted)


@pytest.mark.clause("DH-5495")
@pytest.mark.parametrize(
    ("aim", "kind", "action"),
    [
        (None, "autogun", "standard_attack"),
        ("half", "autogun", "semi_auto_burst"),
        ("half", "laspistol", "standard_attack"),
    ],
)
def test_not_without_an_aim_nor_in_a_burst_nor_with_a_pistol(aim: str | None, kind: str, action: str) -> None:
    done = marksman(aim, kind=kind).play(action, "ann", "bob", to_hit=9, defend="none", damage=10, fury=1)

    assert all(len(dealt.dice) == 1 for dealt in done.of(ev.DamageDealt))
