"""Swift Attack, Lightning Attack, a weapon in each hand, Stun.

Clauses DH-3150 to DH-3190, DH-3840 to DH-3870, DH-4050, DH-4060, DH-5300, DH-5310.
"""

from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, ItemId
from app.engine.reasons import Refused
from app.engine.space.model import PairFact
from tests.support.play import PlayTable, duel

GREAT = {"sample": "gorm", "held": {"great_weapon": "both"}}
SWORDS = {"sample": "sable"}


def fencing(*, foe: Any = None, options: Any = None, **sable: Any) -> PlayTable:
    """Sable beside somebody whose reaction is spent."""
    table = duel(1, sable={**SWORDS, **sable}, foe=foe or {"sample": "vane"}, options=options or {})
    table.rule(cmd.SetBudget(CombatantId("foe"), "reaction", 0))
    return table


def hits(count: int) -> dict[str, Any]:
    """Damage dice for so many hits."""
    return {f"hit{number}__damage": 1 for number in range(1, count + 1)}


@pytest.mark.clause("DH-3150")
def test_swift_attack_takes_the_talent() -> None:
    table = duel(1, vane={"sample": "vane", "held": {"sword": "main"}}, gorm=GREAT)

    reasons = table.reasons("swift_attack", "vane", "gorm")

    assert [(reason.code, reason.clause) for reason in reasons] == [("missing_talent", "DH-3150")]
    assert fencing().why_not("swift_attack", "sable", "foe") == []


@pytest.mark.clause("DH-3150", "DH-1230")
def test_the_stunned_without_the_talent_hear_both() -> None:
    table = duel(1, vane={"sample": "vane", "held": {"sword": "main"}}, gorm=GREAT)
    table.rule(cmd.AddEffect(CombatantId("vane"), "stunned", 1))

    reasons = table.reasons("swift_attack", "vane", "gorm")

    assert [(reason.code, reason.clause) for reason in reasons] == [
        ("stunned", "DH-1210"),
        ("missing_talent", "DH-3150"),
    ]


@pytest.mark.clause("DH-3150")
def test_swift_attack_takes_a_blade_or_a_free_hand() -> None:
    table = duel(1, vane={"sample": "vane", "talents": ["swift_attack"]}, gorm=GREAT)
    assert table.why_not("swift_attack", "vane", "gorm") == ["melee_weapon_required"]
    bare = duel(1, vane={"sample": "vane", "talents": ["swift_attack"], "held": {}}, gorm=GREAT)
    assert bare.why_not("swift_attack", "vane", "gorm") == []


@pytest.mark.clause("DH-3160", "DH-2070")
@pytest.mark.parametrize(("die", "degrees", "count"), [(31, 3, 2), (50, 1, 1), (40, 2, 1), (20, 4, 2), (5, 6, 3)])
def test_swift_attack_hits_once_and_once_more_for_two_degrees(die: int, degrees: int, count: int) -> None:
    table = fencing()

    done = table.play("swift_attack", "sable", "foe", to_hit=die, **hits(count))

    assert (done.check.target, done.check.degrees) == (52, degrees)
    assert len(done.one(ev.HitsScored).hits) == count


@pytest.mark.clause("DH-3160")
def test_swift_attack_gives_no_more_hits_than_the_weapon_skill_bonus() -> None:
    table = fencing(ws=29)

    done = table.play("swift_attack", "sable", "foe", modifiers=[60], to_hit=2, **hits(2))

    assert (done.check.target, done.check.degrees) == (89, 9)
    assert len(done.one(ev.HitsScored).hits) == 2


def melee_of_three() -> PlayTable:
    """Sable beside Gorm and Vane, whose reactions are spent."""
    table = duel(1, sable=SWORDS, gorm=GREAT, vane={"sample": "vane"})
    for who in ("gorm", "vane"):
        table.rule(
            cmd.SetBudget(CombatantId(who), "reaction", 0), cmd.SetEngaged(CombatantId("sable"), CombatantId(who), True)
        )
    return table


@pytest.mark.clause("DH-3170")
def test_extra_hits_go_to_others_in_reach_who_are_no_harder_to_hit() -> None:
    table = melee_of_three()

    done = table.play(
        "swift_attack",
        "sable",
        "vane",
        to_hit=31,
        allocate_hits=("allocate", {"hits": {"vane": 1, "gorm": 1}}),
        **hits(2),
    )

    assert [hit.target for hit in done.one(ev.HitsScored).hits] == ["vane", "gorm"]


@pytest.mark.clause("DH-3170")
def test_an_extra_hit_on_somebody_harder_to_hit_is_refused() -> None:
    table = melee_of_three()

    done = table.play("swift_attack", "sable", "gorm", to_hit=31, **hits(2))

    assert done.questions("allocate_hits") == []
    assert [hit.target for hit in done.one(ev.HitsScored).hits] == ["gorm", "gorm"]


@pytest.mark.clause("DH-3170")
def test_an_extra_hit_on_somebody_out_of_reach_is_refused() -> None:
    table = duel(
        1,
        on_map=True,
        sable=SWORDS,
        a={"sample": "vane"},
        b={"sample": "vane", "place": _place(100, 100)},
        c={"sample": "vane", "place": _place(900, 900)},
    )
    for who in "abc":
        table.rule(cmd.SetBudget(CombatantId(who), "reaction", 0))

    with pytest.raises(Refused) as refused:
        table.play(
            "swift_attack", "sable", "a", to_hit=31, allocate_hits=("allocate", {"hits": {"a": 1, "c": 1}}), **hits(2)
        )

    assert [(reason.code, reason.clause) for reason in refused.value.reasons] == [("not_engaged", "DH-3170")]


def _place(x: int, y: int) -> Any:
    from app.engine.space.model import Place

    return Place(x, y)


@pytest.mark.clause("DH-3180")
def test_extra_hits_follow_the_table_from_the_first_location() -> None:
    table = fencing()

    done = table.play("swift_attack", "sable", "foe", to_hit=21, **hits(2))

    assert [hit.location for hit in done.one(ev.HitsScored).hits] == ["right_arm", "right_arm"]


@pytest.mark.clause("DH-3180")
@pytest.mark.parametrize(
    ("option", "given", "location"), [(None, {}, "right_arm"), ("roll_d100", {"location_gorm__location": 50}, "body")]
)
def test_a_hit_that_moves_on_repeats_the_first_location_or_rolls_its_own(
    option: str | None, given: dict[str, int], location: str
) -> None:
    options = {} if option is None else {"split_hit_location": option}
    table = duel(1, sable=SWORDS, gorm={"sample": "vane"}, vane={"sample": "vane"}, options=options)
    for who in ("gorm", "vane"):
        table.rule(
            cmd.SetBudget(CombatantId(who), "reaction", 0), cmd.SetEngaged(CombatantId("sable"), CombatantId(who), True)
        )

    done = table.play(
        "swift_attack",
        "sable",
        "vane",
        to_hit=21,
        allocate_hits=("allocate", {"hits": {"vane": 1, "gorm": 1}}),
        **given,
        **hits(2),
    )

    assert [hit.location for hit in done.one(ev.HitsScored).hits] == ["right_arm", location]


@pytest.mark.clause("DH-3190", "DH-5300")
def test_swift_attack_with_two_weapons_is_two_tests_each_with_its_cap() -> None:
    table = fencing()

    done = table.play(
        "swift_attack",
        "sable",
        "foe",
        weapon="sword",
        second_weapon="sword_2",
        first__to_hit=33,
        second__to_hit=7,
        first__hit1__damage=1,
        second__hit1__damage=1,
        second__hit2__damage=1,
        second__hit3__damage=1,
    )

    rolled = done.of(ev.CheckRolled)
    assert [(check.target, check.degrees) for check in rolled] == [(42, 2), (42, 5)]
    assert [len(event.hits) for event in done.of(ev.HitsScored)] == [1, 3]


@pytest.mark.clause("DH-3190")
def test_two_weapons_take_the_talent() -> None:
    table = duel(1, fighter={**SWORDS, "talents": ["swift_attack"]}, foe={"sample": "vane"})

    reasons = table.reasons("swift_attack", "fighter", "foe", weapon="sword", second_weapon="sword_2")

    assert [(reason.code, reason.clause) for reason in reasons] == [("missing_talent_two_weapon_wielder", "DH-3190")]


@pytest.mark.clause("DH-4570", "DH-5300")
def test_a_standard_attack_with_two_weapons() -> None:
    table = fencing()

    done = table.play(
        "standard_attack",
        "sable",
        "foe",
        weapon="sword",
        second_weapon="sword_2",
        first__to_hit=52,
        second__to_hit=53,
        first__hit1__damage=1,
    )

    assert [(check.target, check.outcome) for check in done.of(ev.CheckRolled)] == [(52, "success"), (52, "failure")]
    plain = duel(1, fighter={**SWORDS, "talents": []}, foe={"sample": "vane"})
    reasons = plain.reasons("standard_attack", "fighter", "foe", weapon="sword", second_weapon="sword_2")
    assert [(reason.code, reason.clause) for reason in reasons] == [("missing_talent_two_weapon_wielder", "DH-4570")]


@pytest.mark.clause("DH-5300", "DH-5320")
@pytest.mark.parametrize(
    ("talents", "first", "second"),
    [
        (["two_weapon_wielder_melee", "ambidextrous"], 52, 52),
        (["two_weapon_wielder_melee"], 42, 22),
        (["two_weapon_wielder_melee", "ambidextrous", "two_weapon_master"], 62, 62),
    ],
)
def test_what_talents_are_worth_with_two_weapons(talents: list[str], first: int, second: int) -> None:
    table = fencing(talents=talents)

    done = table.play(
        "standard_attack",
        "sable",
        "foe",
        weapon="sword",
        second_weapon="sword_2",
        first__to_hit=99,
        second__to_hit=99,
    )

    assert [check.target for check in done.of(ev.CheckRolled)] == [first, second]


@pytest.mark.clause("DH-5300")
@pytest.mark.parametrize("second", ["sword", "knife"])
def test_two_different_weapons_in_two_hands(second: str) -> None:
    table = fencing()

    assert "needs_two_weapons" in table.why_not("standard_attack", "sable", "foe", weapon="sword", second_weapon=second)


@pytest.mark.clause("DH-5300")
def test_a_mixed_pair_takes_both_talents() -> None:
    table = fencing(held={"sword": "main", "laspistol": "off"})

    codes = table.why_not("standard_attack", "sable", "foe", weapon="sword", second_weapon="laspistol")

    assert "missing_talent_two_weapon_wielder" in codes


def gunman(
    *names: str, talents: tuple[str, ...] = ("two_weapon_wielder_ranged", "ambidextrous"), **more: Any
) -> PlayTable:
    """A gun in each hand, and people 20 m off."""
    people: dict[str, Any] = {name: {"sample": "vane"} for name in names or ("a",)}
    gun = {"sample": "vane", "talents": list(talents), "held": {"autopistol": "main", "laspistol": "off"}}
    table = duel(20, gun=gun, **people, **more)
    for name, weapon in table.who("gun").items.items():
        body = msgspec.structs.replace(weapon, marks={"ammo": 18})
        table.rule(cmd.SetItem(CombatantId("gun"), ItemId(name), body))
    for name in people:
        table.rule(cmd.SetBudget(CombatantId(name), "reaction", 0))
    return table


@pytest.mark.clause("DH-5300")
@pytest.mark.parametrize(("apart", "reasons"), [(10, []), (10.1, ["target_too_far_from_primary"])])
def test_two_shots_go_at_targets_within_ten_metres(apart: float, reasons: list[str]) -> None:
    table = gunman("a", "b")
    table.rule(cmd.SetFact(CombatantId("a"), CombatantId("b"), PairFact(distance=round(apart * 100))))

    assert table.why_not("standard_attack", "gun", "a", "b", weapon="autopistol", second_weapon="laspistol") == reasons


@pytest.mark.clause("DH-3440", "DH-3740")
def test_the_second_weapon_must_have_the_mode_of_the_burst() -> None:
    table = gunman()

    reasons = table.reasons("full_auto_burst", "gun", "a", weapon="autopistol", second_weapon="laspistol")

    assert [(reason.code, reason.at) for reason in reasons] == [("fire_mode_not_available", "/second_weapon")]


@pytest.mark.clause("DH-5300")
def test_a_miss_or_a_jam_of_the_first_does_not_stop_the_second() -> None:
    table = gunman()

    done = table.play(
        "standard_attack",
        "gun",
        "a",
        weapon="autopistol",
        second_weapon="laspistol",
        first__to_hit=96,
        second__to_hit=20,
        second__hit1__damage=1,
    )

    assert table.who("gun").items["autopistol"].marks["jammed"] == 1
    assert len(done.of(ev.DamageDealt)) == 1


@pytest.mark.clause("DH-5300")
def test_when_the_first_kills_the_second_may_go_elsewhere() -> None:
    table = gunman("a", "b")
    table.rule(
        cmd.SetFact(CombatantId("a"), CombatantId("b"), PairFact(distance=300)),
        cmd.SetPool(CombatantId("a"), "wounds", 0),
        cmd.SetPool(CombatantId("a"), "critical_damage", 9),
    )

    done = table.play(
        "standard_attack",
        "gun",
        "a",
        weapon="autopistol",
        second_weapon="laspistol",
        first__to_hit=33,
        first__hit1__damage=9,
        second_target=("target", {"target": "b"}),
        second__to_hit=99,
    )

    assert [event.target for event in done.of(ev.AttackMade)] == ["a", "b"]


@pytest.mark.clause("DH-4370")
@pytest.mark.parametrize(("both", "targets"), [(False, [55, 45]), (True, [55, 55])])
def test_an_aim_counts_for_the_first_weapon_unless_the_table_says_both(both: bool, targets: list[int]) -> None:
    table = gunman(options={"aim_both_weapons": both})
    table.play("aim", "gun")

    done = table.play(
        "standard_attack",
        "gun",
        "a",
        weapon="autopistol",
        second_weapon="laspistol",
        first__to_hit=94,
        second__to_hit=94,
    )

    assert [check.target for check in done.of(ev.CheckRolled)] == targets
    assert not table.has("gun", "aiming")


@pytest.mark.clause("DH-5310")
def test_each_of_two_attacks_takes_a_reaction_of_its_own() -> None:
    table = gunman()
    table.rule(cmd.SetBudget(CombatantId("a"), "reaction", 1))

    done = table.play(
        "standard_attack",
        "gun",
        "a",
        weapon="autopistol",
        second_weapon="laspistol",
        first__to_hit=20,
        first__evade__a__defend="dodge",
        first__evade__a__dodge=40,
        second__to_hit=20,
        second__hit1__damage=1,
    )

    assert len(done.questions("defend")) == 1
    assert len(done.of(ev.DamageDealt)) == 1


@pytest.mark.clause("DH-4620", "DH-5300")
def test_a_feint_covers_both_rolls_of_a_standard_attack() -> None:
    table = duel(1, sable=SWORDS, gorm=GREAT)
    table.play("feint", "sable", "gorm", feint1__sable__feint=40, feint1__gorm__feint=99)

    done = table.play(
        "standard_attack",
        "sable",
        "gorm",
        weapon="sword",
        second_weapon="sword_2",
        first__to_hit=40,
        first__hit1__damage=1,
        second__to_hit=40,
        second__hit1__damage=1,
    )

    assert done.questions("defend") == []


# Lightning Attack


@pytest.mark.clause("DH-3840")
def test_lightning_attack_takes_the_talent_and_a_nimble_weapon() -> None:
    talent = {"talents": ["lightning_attack"]}
    table = duel(1, gorm={**GREAT, **talent}, foe={"sample": "vane"})

    assert table.why_not("lightning_attack", "gorm", "foe") == ["weapon_quality_forbids"]
    assert fencing(talents=[]).why_not("lightning_attack", "sable", "foe") == ["missing_talent"]


@pytest.mark.clause("DH-3850")
@pytest.mark.parametrize(
    ("ws", "more", "die", "degrees", "cap", "count"),
    [(52, 0, 18, 4, None, 4), (32, 40, 5, 7, None, 4), (32, 40, 5, 7, "total", 3)],
)
def test_lightning_attack_hits_once_a_degree(
    ws: int, more: int, die: int, degrees: int, cap: str | None, count: int
) -> None:
    table = fencing(ws=ws, options={} if cap is None else {"lightning_cap": cap})
    modifiers = [more] if more else []

    done = table.play("lightning_attack", "sable", "foe", modifiers=modifiers, to_hit=die, **hits(count))

    assert (done.check.target, done.check.degrees) == (ws - 10 + more, degrees)
    assert len(done.one(ev.HitsScored).hits) == count


@pytest.mark.clause("DH-3860")
def test_lightning_hits_follow_the_table() -> None:
    table = fencing()

    done = table.play("lightning_attack", "sable", "foe", to_hit=5, **hits(5))

    locations = [hit.location for hit in done.one(ev.HitsScored).hits]
    assert locations == ["body", "body", "left_arm", "head", "left_arm"]


@pytest.mark.clause("DH-3635")
@pytest.mark.parametrize(("option", "negated"), [(None, (1, 2, 3)), ("one_only", (3,))])
def test_parrying_several_blows_counts_by_degrees_unless_the_table_says_one(
    option: str | None, negated: tuple[int, ...]
) -> None:
    options = {} if option is None else {"parry_multi": option}
    table = duel(1, a=SWORDS, b=SWORDS, options=options)
    given: dict[str, Any] = {} if option is None else {"negate_hits": "last", **hits(2)}

    done = table.play("lightning_attack", "a", "b", to_hit=25, defend="parry", parry=58, **given)

    assert done.one(ev.DefenceResolved).negated == negated


@pytest.mark.clause("DH-3870", "DH-5300")
def test_lightning_attack_with_two_weapons() -> None:
    table = fencing()

    done = table.play(
        "lightning_attack",
        "sable",
        "foe",
        weapon="sword",
        second_weapon="sword_2",
        first__to_hit=30,
        second__to_hit=2,
        first__hit1__damage=1,
        **{f"second__{key}": value for key, value in hits(4).items()},
    )

    assert [(check.target, check.degrees) for check in done.of(ev.CheckRolled)] == [(32, 1), (32, 4)]
    assert [len(event.hits) for event in done.of(ev.HitsScored)] == [1, 4]


# Stun


def stunning(**given: Any) -> PlayTable:
    """Gorm with bare hands beside Vane, whose reaction is spent."""
    table = duel(1, gorm={"sample": "gorm", "held": {}}, vane={"sample": "vane", **given})
    table.rule(cmd.SetBudget(CombatantId("vane"), "reaction", 0))
    return table


@pytest.mark.clause("DH-4050")
@pytest.mark.parametrize(("die", "hit"), [(18, True), (19, False)])
def test_a_stun_is_a_blow_at_minus_20(die: int, hit: bool) -> None:
    given = {"stun": 1} if hit else {}

    done = stunning().play("stun", "gorm", "vane", to_hit=die, **given)

    assert (done.check.target, done.check.outcome) == (18, "success" if hit else "failure")


@pytest.mark.clause("DH-4050")
def test_a_stun_may_be_evaded_and_takes_a_blade_or_bare_hands_next_to_somebody() -> None:
    table = stunning()
    table.rule(cmd.SetBudget(CombatantId("vane"), "reaction", 1))

    done = table.play("stun", "gorm", "vane", to_hit=18, defend="dodge", dodge=40)

    assert done.of(ev.Noted) == []
    far = duel(5, gorm={"sample": "gorm", "held": {}}, vane={"sample": "vane"})
    assert far.why_not("stun", "gorm", "vane") == ["not_engaged"]
    gun = duel(1, vane={"sample": "vane"}, gorm=GREAT)
    assert gun.why_not("stun", "vane", "gorm", weapon="autogun") == ["melee_weapon_required"]


@pytest.mark.clause("DH-4060")
@pytest.mark.parametrize(("die", "rounds", "fatigue"), [(8, 6, 1), (2, 0, 1), (1, None, 0)])
def test_the_contest_of_a_stun(die: int, rounds: int | None, fatigue: int) -> None:
    table = stunning()

    table.play("stun", "gorm", "vane", to_hit=18, stun=die)

    held = [effect.value for effect in table.who("vane").effects.values() if effect.kind == "stunned"]
    assert held == ([rounds] if rounds else [])
    assert table.who("vane").pools["fatigue"] == fatigue
    assert table.who("vane").pools["wounds"] == 12


@pytest.mark.clause("DH-3580", "DH-4050")
@pytest.mark.parametrize(("die", "outcome"), [(1, "success"), (2, "failure")])
def test_a_stun_against_a_stance_is_nearly_hopeless(die: int, outcome: str) -> None:
    table = stunning()
    table.rule(cmd.AddEffect(CombatantId("vane"), "defensive_stance"))
    given = {"stun": 1} if outcome == "success" else {}

    done = table.play("stun", "gorm", "vane", to_hit=die, **given)

    assert (done.check.target, done.check.outcome) == (-2, outcome)
