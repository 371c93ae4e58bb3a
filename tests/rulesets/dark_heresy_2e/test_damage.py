"""From a hit to its wounds: armour, toughness, Righteous Fury, critical effects, death. Clauses DH-5420 to DH-5570."""

from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, ItemId
from app.engine.space.model import Cover, CoverPiece
from app.engine.state import Item
from tests.support.play import Played, PlayTable, duel

LOCATIONS = ("head", "right_arm", "left_arm", "body", "right_leg", "left_leg")


def shoot(sample: str, damage: Any, *, weapon: str = "autogun", to_hit: int = 33, **given: Any) -> Played:
    """Vane's twin shoots somebody in the body (die 33) at 60 m; nobody evades."""
    return shooting(sample, weapon).play("standard_attack", "gun", "foe", to_hit=to_hit, damage=damage, **given)


def shooting(sample: str = "vane", weapon: str = "autogun", bs: int = 45, **foe: Any) -> PlayTable:
    """A gun at 60 m from somebody whose reaction is spent."""
    gun = {"sample": "vane", "bs": bs, "held": {weapon: "both"}}
    table = duel(60, gun=gun, foe={"sample": sample, **foe})
    table.rule(cmd.SetBudget(CombatantId("foe"), "reaction", 0))
    for name, item in table.who("gun").items.items():
        marks = {"ammo": 30, "braced": 1}
        table.rule(cmd.SetItem(CombatantId("gun"), ItemId(name), msgspec.structs.replace(item, marks=marks)))
    return table


def custom(table: PlayTable, **profile: Any) -> None:
    """Give the gun a weapon of its own in hand."""
    made = {
        "class": "basic",
        "damage": "1d10",
        "type": "impact",
        "range": 10000,
        "hands": 2,
        "clip": 30,
        "rof": {"single": True},
        **profile,
    }
    text = msgspec.json.encode(made).decode()
    for name in tuple(table.who("gun").items):
        table.rule(cmd.SetItem(CombatantId("gun"), ItemId(name), None))
    body = Item("custom", held="both", marks={"ammo": 30}, custom=text)
    table.rule(cmd.SetItem(CombatantId("gun"), ItemId("custom"), body))


@pytest.mark.clause("DH-5420")
@pytest.mark.parametrize(
    ("foe", "weapon", "die", "raw", "through"),
    [
        ("gorm", "autogun", 7, 10, 5),  # AP 0, TB 5
        ("vane", "heavy_stubber", 8, 12, 8),  # AP 4, pen 3, TB 3
        ("vane", "autogun", 4, 7, 0),  # AP 4, TB 3
        ("vane", "autogun", 5, 8, 1),
    ],
)
def test_armour_less_penetration_and_toughness_are_taken_off(
    foe: str, weapon: str, die: int, raw: int, through: int
) -> None:
    table = shooting(foe, weapon)
    if weapon == "heavy_stubber":
        custom(table, damage="1d10+4", penetration=3)

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=die)

    dealt = done.one(ev.DamageDealt)
    assert (dealt.location, dealt.raw, dealt.through) == ("body", raw, through)


@pytest.mark.clause("DH-5420")
def test_penetration_above_the_armour_is_lost() -> None:
    table = shooting("vane", armour=1)
    custom(table, damage="1d10+4", penetration=3)

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=4)

    assert done.one(ev.DamageDealt).through == 5


@pytest.mark.clause("DH-5420")
def test_a_blade_adds_the_strength_bonus() -> None:
    table = duel(1, sable={"sample": "sable"}, foe={"sample": "vane"})

    done = table.play("standard_attack", "sable", "foe", to_hit=33, defend="none", damage=6)

    dealt = done.one(ev.DamageDealt)
    assert (dealt.raw, dealt.through) == (9, 2)
    assert [(term.id, term.value) for term in dealt.terms] == [("dice", 6), ("s_bonus", 3)]


@pytest.mark.clause("DH-5420")
def test_each_hit_is_rolled_on_its_own() -> None:
    table = shooting("gorm")

    done = table.play(
        "full_auto_burst", "gun", "foe", to_hit=13, hit1__damage=3, hit2__damage=9, hit3__damage=5, hit4__damage=2
    )

    assert [dealt.raw for dealt in done.of(ev.DamageDealt)] == [6, 12, 8, 5]


@pytest.mark.clause("DH-5430")
@pytest.mark.parametrize(("die", "asked", "raw"), [(2, True, 9), (6, False, 9), (8, False, 11)])
def test_degrees_may_stand_in_for_the_lowest_damage_die(die: int, asked: bool, raw: int) -> None:
    table = shooting("gorm", bs=45)
    given = {"die_replacement": "replace"} if asked else {}

    done = table.play("standard_attack", "gun", "foe", to_hit=13, damage=die, **given)  # T65 r13 => S6

    assert done.check.degrees == 6
    assert bool(done.questions("die_replacement")) is asked
    assert done.one(ev.DamageDealt).raw == raw


@pytest.mark.clause("DH-5430")
def test_only_the_first_hit_may_use_the_degrees() -> None:
    table = shooting("gorm")

    done = table.play(
        "full_auto_burst", "gun", "foe", to_hit=33, hit1__damage=1, hit2__damage=1, hit1__die_replacement="replace"
    )

    assert [dealt.raw for dealt in done.of(ev.DamageDealt)] == [5, 4]
    assert len(done.questions("die_replacement")) == 1


@pytest.mark.clause("DH-5430")
def test_degrees_count_no_more_than_the_die_has_sides_and_set_off_no_fury() -> None:
    table = shooting("gorm", bs=99)

    done = table.play("standard_attack", "gun", "foe", to_hit=3, damage=2, die_replacement="replace")

    assert done.check.degrees == 12
    assert done.one(ev.DamageDealt).raw == 13
    assert done.of(ev.Noted) == []


@pytest.mark.clause("DH-5440")
@pytest.mark.parametrize(
    ("die", "toughness", "armour", "through", "fatigue"),
    [(5, 38, 0, 4, 1), (4, 38, 0, 3, 1), (3, 38, 0, 2, 0), (1, 38, 0, 0, 0), (5, 38, 4, 0, 0)],
)
def test_bare_hands_bruise(die: int, toughness: int, armour: int, through: int, fatigue: int) -> None:
    table = duel(
        1, gorm={"sample": "gorm", "held": {}}, foe={"sample": "vane", "t": toughness, "armour": armour, "held": {}}
    )

    done = table.play("standard_attack", "gorm", "foe", to_hit=33, defend="none", damage=die)

    assert done.check.target == 48
    assert done.one(ev.DamageDealt).through == through
    assert table.who("foe").pools["fatigue"] == fatigue


@pytest.mark.clause("DH-5440")
def test_raw_damage_of_bare_hands_is_never_below_zero() -> None:
    table = duel(1, a={"sample": "vane", "s": 20, "held": {}}, foe={"sample": "vane", "held": {}})

    done = table.play("standard_attack", "a", "foe", to_hit=33, defend="none", damage=1)

    assert done.one(ev.DamageDealt).raw == 0


@pytest.mark.clause("DH-5440", "DH-5110")
@pytest.mark.parametrize(("on", "target"), [(True, 28), (False, 48)])
def test_bare_hands_against_a_blade_are_at_minus_20(on: bool, target: int) -> None:
    table = duel(
        1,
        gorm={"sample": "gorm", "held": {}},
        foe={"sample": "sable"},
        options={"unarmed_vs_armed_penalty": on},
    )

    done = table.play("standard_attack", "gorm", "foe", to_hit=99)

    assert done.check.target == target


@pytest.mark.clause("DH-5450")
def test_a_natural_ten_adds_a_critical_effect_beside_the_damage() -> None:
    table = shooting("gorm")

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=10, hit1__fury=2)

    assert done.one(ev.DamageDealt).through == 8
    critical = done.one(ev.CriticalSuffered)
    assert (critical.value, critical.location, critical.cause) == (2, "body", "righteous_fury")
    assert [(die.sides, die.value, die.source) for die in critical.dice] == [(5, 2, "client")]
    assert (critical.combatant, critical.roller) == ("foe", "gun")
    assert table.who("foe").pools == {"wounds": 12, "critical_damage": 0, "fatigue": 1, "fate_points": 0}
    assert table.has("foe", "shaken")


@pytest.mark.clause("DH-5450")
def test_fury_that_cannot_get_through_does_one_point_and_nothing_more() -> None:
    table = shooting("gorm", armour=8)

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=10)

    assert done.one(ev.DamageDealt).through == 1
    assert table.who("foe").pools["wounds"] == 19
    assert done.of(ev.CriticalSuffered) == []


@pytest.mark.clause("DH-5450")
@pytest.mark.parametrize(("die", "furious"), [(8, False), (9, True), (10, True)])
def test_a_vengeful_weapon_rages_sooner(die: int, furious: bool) -> None:
    table = shooting("gorm")
    custom(table, damage="1d10+3", qualities={"vengeful": 9})
    given = {"hit1__fury": 1} if furious else {}

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=die, **given)

    assert bool(done.of(ev.Noted)) is furious


@pytest.mark.clause("DH-5450")
def test_fury_comes_once_a_hit_however_many_dice_show_it() -> None:
    table = shooting("gorm")
    custom(table, damage="2d10")

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=(10, 10), hit1__fury=1)

    assert len(done.of(ev.CriticalSuffered)) == 1


@pytest.mark.clause("DH-5460")
@pytest.mark.parametrize(
    ("qualities", "dice", "counted", "furious"),
    [
        ({"tearing": True}, (3, 9), 9, False),
        ({"proven": 4}, (2,), 4, False),
        ({"proven": 4}, (5,), 5, False),
        ({"primitive": 7}, (9,), 7, False),
        ({"primitive": 7}, (10,), 7, True),
    ],
)
def test_qualities_change_what_a_die_counts(
    qualities: dict[str, Any], dice: tuple[int, ...], counted: int, furious: bool
) -> None:
    table = shooting("gorm")
    custom(table, damage="1d10", qualities=qualities)
    given = {"hit1__fury": 1} if furious else {}

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=dice, **given)

    assert done.one(ev.DamageDealt).raw == counted


@pytest.mark.clause("DH-5425")
def test_worn_layers_do_not_add_up_and_cover_does() -> None:
    table = shooting("vane", armour=4)
    table.rule(cmd.SetCover(CombatantId("foe"), Cover(50, (CoverPiece("sandbags", 8, ("body",)),))))

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=9)

    assert [(term.id, term.value) for term in done.one(ev.DamageDealt).soak] == [
        ("armour", 4),
        ("cover", 8),
        ("toughness", 3),
    ]


@pytest.mark.clause("DH-5510")
def test_what_the_wounds_cannot_hold_is_critical_damage() -> None:
    table = shooting("vane", armour=0)
    table.rule(cmd.SetPool(CombatantId("foe"), "wounds", 2))

    table.play("standard_attack", "gun", "foe", to_hit=33, damage=5)  # 8 raw, 5 through

    pools = table.who("foe").pools
    assert (pools["wounds"], pools["critical_damage"]) == (0, 3)


def critical(value: int, location: str, **given: Any) -> PlayTable:
    """Somebody without armour or toughness takes his `value`-th point of critical damage at a location."""
    die = {"head": 10, "right_arm": 11, "left_arm": 12, "body": 33, "right_leg": 17, "left_leg": 9}[location]
    table = shooting("vane", armour=0, t=9, wp=99)
    custom(table, damage="1d10")
    table.rule(
        cmd.SetPool(CombatantId("foe"), "wounds", 0), cmd.SetPool(CombatantId("foe"), "critical_damage", value - 1)
    )
    table.play("standard_attack", "gun", "foe", to_hit=die, damage=1, **given)
    return table


@pytest.mark.clause("DH-5520", "DH-5530")
@pytest.mark.parametrize(
    ("value", "location", "fatigue", "effects"),
    [
        (1, "head", 1, set()),
        (2, "head", 1, {"shaken"}),
        (2, "body", 1, {"shaken"}),
        (2, "right_arm", 1, set()),
        (2, "left_leg", 1, {"movement_halved"}),
        (3, "body", 1, {"stunned"}),
        (3, "right_leg", 1, {"stunned", "prone"}),
        (4, "body", 1, {"stunned", "prone"}),
        (5, "head", 2, {"stunned", "shaken"}),
        (5, "body", 2, {"stunned", "weakened"}),
        (5, "left_arm", 2, {"stunned", "arm_unusable"}),
        (5, "right_leg", 2, {"stunned", "movement_halved"}),
        (8, "right_arm", 3, {"prone", "blood_loss", "arm_lost"}),
        (8, "left_leg", 3, {"prone", "blood_loss", "leg_lost"}),
    ],
)
def test_the_row_of_the_new_total_applies(value: int, location: str, fatigue: int, effects: set[str]) -> None:
    table = critical(value, location)

    body = table.who("foe")
    assert body.pools["fatigue"] == fatigue
    assert {effect.kind for effect in body.effects.values()} - {"shot_at"} == effects
    assert body.status == "up"


@pytest.mark.clause("DH-5520")
@pytest.mark.parametrize(("location", "rounds"), [("head", 2), ("body", 1)])
def test_a_critical_hit_to_the_head_stuns_for_longer(location: str, rounds: int) -> None:
    table = critical(4, location)

    effect = next(one for one in table.who("foe").effects.values() if one.kind == "stunned")
    assert effect.value == rounds


@pytest.mark.clause("DH-5520")
@pytest.mark.parametrize("value", [6, 7])
def test_graver_rows_stun_for_a_d5(value: int) -> None:
    table = critical(value, "body", stun=4)

    kinds = {effect.kind: effect.value for effect in table.who("foe").effects.values()}
    assert kinds["stunned"] == 4
    assert "prone" in kinds
    assert ("blood_loss" in kinds) is (value == 7)


@pytest.mark.clause("DH-5520")
@pytest.mark.parametrize(("value", "location"), [(8, "head"), (8, "body"), (9, "right_leg")])
def test_the_gravest_rows_knock_out(value: int, location: str) -> None:
    table = critical(value, location)

    assert table.who("foe").status == "down"
    assert table.has("foe", "unconscious", "blood_loss")


@pytest.mark.clause("DH-5520")
def test_a_hit_arm_drops_what_its_hand_holds() -> None:
    table = critical(3, "right_arm")

    autogun = table.who("foe").items["autogun"]
    assert (autogun.held, autogun.on_ground) == (None, True)


@pytest.mark.clause("DH-5520")
def test_the_other_hand_keeps_what_it_holds() -> None:
    table = duel(1, gorm={"sample": "gorm", "held": {"great_weapon": "both"}}, foe={"sample": "sable"})
    table.rule(cmd.SetPool(CombatantId("foe"), "wounds", 0))

    table.play("standard_attack", "gorm", "foe", to_hit=11, defend="none", damage=(1, 1))  # right arm, 7 - 1 - 3

    held = {key: item.held for key, item in table.who("foe").items.items()}
    assert held == {"sword": None, "sword_2": "off", "knife": None}


@pytest.mark.clause("DH-5540")
def test_ten_points_of_critical_damage_kill() -> None:
    table = critical(10, "body")

    assert table.who("foe").status == "dead"
    assert table.who("foe").effects == {}


@pytest.mark.clause("DH-5540")
def test_damage_that_goes_far_beyond_kills_too() -> None:
    table = shooting("vane", armour=0, t=9)
    table.rule(cmd.SetPool(CombatantId("foe"), "wounds", 0), cmd.SetPool(CombatantId("foe"), "critical_damage", 6))

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=4)

    assert done.one(ev.StatusChanged).status == "dead"
    # The row is that of all of it; no more is kept than kills, or nobody could go on from there elsewhere.
    assert done.one(ev.CriticalSuffered).value > 10
    assert table.who("foe").pools["critical_damage"] == 10
    assert list(table.rules.misfits(table.who("foe"))) == []


@pytest.mark.clause("DH-5540", "DH-5130")
def test_the_dead_are_locked_with_nobody_and_leave_the_order() -> None:
    table = duel(1, gorm={"sample": "gorm", "held": {"great_weapon": "both"}}, foe={"sample": "vane", "armour": 0})
    table.rule(cmd.SetPool(CombatantId("foe"), "wounds", 0), cmd.SetPool(CombatantId("foe"), "critical_damage", 9))

    table.play("standard_attack", "gorm", "foe", to_hit=33, defend="none", damage=(5, 5))

    assert table.who("gorm").engaged == ()
    table.end_turn()
    assert table.turn == "gorm"


@pytest.mark.clause("DH-5550")
@pytest.mark.parametrize(("die", "status"), [(9, "up"), (10, "dead")])
def test_blood_loss_kills_on_a_ten_at_the_end_of_each_own_turn(die: int, status: str) -> None:
    table = duel(20, vane={"sample": "vane"}, foe={"sample": "vane"})
    table.rule(cmd.AddEffect(CombatantId("vane"), "blood_loss"))

    table.end_turn(blood_loss=die)

    assert table.who("vane").status == status


@pytest.mark.clause("DH-5550")
def test_the_unconscious_bleed_on() -> None:
    table = duel(20, vane={"sample": "vane"}, foe={"sample": "vane"})
    table.rule(cmd.AddEffect(CombatantId("foe"), "blood_loss"), cmd.AddEffect(CombatantId("foe"), "unconscious"))

    table.end_turn(blood_loss=10)

    assert table.who("foe").status == "dead"
    assert table.turn == "vane"


@pytest.mark.clause("DH-5560")
@pytest.mark.parametrize(("levels", "status"), [(7, "up"), (8, "down")])
def test_fatigue_beyond_the_threshold_knocks_out(levels: int, status: str) -> None:
    table = critical(1, "body")
    table = shooting("vane", armour=0, t=38, wp=41)
    table.rule(
        cmd.SetPool(CombatantId("foe"), "fatigue", levels - 1),
        cmd.SetPool(CombatantId("foe"), "wounds", 0),
    )
    custom(table, damage="1d10")

    table.play("standard_attack", "gun", "foe", to_hit=33, damage=4)

    assert (table.who("foe").pools["fatigue"], table.who("foe").status) == (levels, status)


@pytest.mark.clause("DH-5540", "DH-5560", "DH-5570")
@pytest.mark.parametrize(
    ("name", "value", "minion", "status"),
    [
        ("fatigue", 7, 0, "up"),
        ("fatigue", 8, 0, "down"),
        ("critical_damage", 9, 0, "up"),
        ("critical_damage", 10, 0, "dead"),
        ("critical_damage", 0, 1, "up"),
        ("critical_damage", 1, 1, "dead"),
        ("wounds", 0, 0, "up"),
    ],
)
def test_a_ruling_beyond_what_he_bears_has_its_consequence(name: str, value: int, minion: int, status: str) -> None:
    table = shooting("vane", t=38, wp=41, minion=minion)

    done = table.rule(cmd.SetPool(CombatantId("foe"), name, value))

    assert table.who("foe").status == status
    assert table.has("foe", "unconscious") is (status == "down")
    changed = [event.clause for event in done.of(ev.StatusChanged)]
    cited = {"down": "DH-5560", "dead": "DH-5570" if minion else "DH-5540"}
    assert changed == ([cited[status]] if status in cited else [])


@pytest.mark.clause("DH-5560")
@pytest.mark.parametrize(("levels", "option", "target"), [(5, None, 33), (4, None, 55), (1, "flat_minus_10", 45)])
def test_fatigue_above_a_bonus_halves_what_is_tested(levels: int, option: str | None, target: int) -> None:
    options = {} if option is None else {"fatigue_effect": option}
    table = duel(60, vane={"sample": "vane"}, foe={"sample": "vane"}, options=options)
    table.rule(cmd.SetPool(CombatantId("vane"), "fatigue", levels))

    done = table.play("standard_attack", "vane", "foe", to_hit=99)

    assert done.check.target == target


@pytest.mark.clause("DH-5570")
@pytest.mark.parametrize(("minion", "status"), [(1, "dead"), (0, "up")])
def test_a_minion_dies_at_the_first_point_of_critical_damage(minion: int, status: str) -> None:
    table = shooting("vane", armour=0, t=9, wp=99, minion=minion)
    custom(table, damage="1d10")
    table.rule(cmd.SetPool(CombatantId("foe"), "wounds", 0))

    table.play("standard_attack", "gun", "foe", to_hit=33, damage=1)

    assert table.who("foe").status == status


@pytest.mark.clause("DH-5630")
def test_a_blow_at_somebody_helpless_always_hits_and_counts_its_dice_twice() -> None:
    table = duel(1, sable={"sample": "sable"}, foe={"sample": "vane"})
    table.rule(cmd.AddEffect(CombatantId("foe"), "unconscious"))

    done = table.play("standard_attack", "sable", "foe", to_hit=99, damage=(4, 7))

    dealt = done.one(ev.DamageDealt)
    assert (dealt.raw, dealt.through) == (14, 7) if dealt.location == "body" else (14, dealt.through)
    assert (done.check.outcome, done.check.degrees) == ("success", 1)


@pytest.mark.clause("DH-5630")
def test_shots_at_somebody_helpless_are_easier_and_do_ordinary_damage() -> None:
    table = shooting("vane")
    table.rule(cmd.AddEffect(CombatantId("foe"), "helpless"))

    done = table.play("standard_attack", "gun", "foe", to_hit=33, damage=9)

    assert done.check.target == 85
    assert len(done.one(ev.DamageDealt).dice) == 1
