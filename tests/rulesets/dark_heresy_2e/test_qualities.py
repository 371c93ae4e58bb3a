"""Qualities of weapons that no other file looks at, and how they go together.

Clauses DH-3640, DH-5450, DH-5460, DH-5490, DH-5495, DH-5690.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Roll
from app.engine.ids import CombatantId
from tests.rulesets.dark_heresy_2e.firing import fired, places, terms, weapon
from tests.support.play import Played, PlayTable, duel

VANE = CombatantId("vane")
MAUL = weapon("shock_maul", "main")


def shocking(items: dict[str, Any] = MAUL, **vane: Any) -> PlayTable:
    """Gorm with a shock maul beside Vane (T 38, TB 3, armour 4). It does 1d10+3+5."""
    return duel(1, gorm={"sample": "gorm", "items": items}, vane={"sample": "vane", **vane})


def strike(table: PlayTable, **given: Any) -> Played:
    """A blow to the body that is not evaded."""
    return table.play("standard_attack", "gorm", "vane", to_hit=33, defend="none", **given)


# Shocking


@pytest.mark.clause("DH-5690")
@pytest.mark.parametrize(
    ("die", "fatigue", "rounds"), [(38, 0, 0), (39, 1, 1), (49, 1, 1), (50, 1, 2), (62, 1, 2), (99, 1, 4), (100, 1, 4)]
)
def test_what_gets_through_is_a_toughness_test_against_fatigue_and_stun(die: int, fatigue: int, rounds: int) -> None:
    table = shocking()

    done = strike(table, damage=2, shocking=die)

    assert done.one(ev.DamageDealt).through == 3
    test = done.of(ev.CheckRolled)[-1]
    assert (test.check, test.purpose, test.target, test.clause) == ("t", "shocking", 38, "DH-5690")
    assert table.who("vane").pools["fatigue"] == fatigue
    stunned = table.table.effect(VANE, "stunned")
    assert (0 if stunned is None else stunned.value) == rounds


@pytest.mark.clause("DH-5690")
def test_one_point_is_enough_and_none_is_not() -> None:
    strong = strike(shocking(armour=0, t=70), damage=1, shocking=1)  # 9 raw, TB 7
    stopped = strike(shocking(armour=2, t=70), damage=1)

    assert strong.one(ev.DamageDealt).through == 2
    assert stopped.one(ev.DamageDealt).through == 0
    assert [check.purpose for check in stopped.of(ev.CheckRolled)] == ["attack"]


@pytest.mark.clause("DH-5690", "DH-5450")
def test_the_one_point_of_righteous_fury_is_a_point_that_got_through() -> None:
    table = shocking(armour=30)

    done = strike(table, damage=10, shocking=39)

    assert done.one(ev.DamageDealt).through == 1
    assert table.has("vane", "stunned")


@pytest.mark.clause("DH-5690", "DH-3610")
def test_a_hit_that_was_evaded_shocks_nobody() -> None:
    table = shocking(held={"sword": "main"})

    done = table.play("standard_attack", "gorm", "vane", to_hit=33, defend="parry", parry=20)

    assert [check.purpose for check in done.of(ev.CheckRolled)] == ["attack", "evade"]


@pytest.mark.clause("DH-5690", "DH-5540")
def test_the_dead_are_not_shocked() -> None:
    table = shocking(minion=1, wounds_max=1)

    strike(table, damage=5)

    assert table.who("vane").status == "dead"


@pytest.mark.clause("DH-5690", "DH-5560")
def test_the_fatigue_of_it_may_knock_him_out_and_then_nothing_is_left_to_stun() -> None:
    table = shocking()
    table.rule(cmd.SetPool(VANE, "fatigue", 7))

    strike(table, damage=2, shocking=100)

    assert table.who("vane").status == "down"
    assert not table.has("vane", "stunned")


@pytest.mark.clause("DH-5690", "DH-5620")
def test_of_two_stuns_the_longer_counts() -> None:
    table = shocking()
    table.rule(cmd.AddEffect(VANE, "stunned", 3))

    strike_of_the_stunned = table.play("standard_attack", "gorm", "vane", to_hit=33, damage=2, shocking=62)

    assert strike_of_the_stunned.questions("defend") == []
    assert [effect.value for effect in table.table.effects(VANE, "stunned")] == [3]


@pytest.mark.clause("DH-5690", "DH-5480")
def test_a_shocking_blast_is_tested_by_each_whom_it_hurts() -> None:
    both = {"blast": 3, "shocking": True}
    grenade = weapon("frag_grenade", "main", count=1, changes={"qualities": both})
    table = duel(
        8, on_map=True, gorm={"sample": "vane", "items": grenade}, vane={"sample": "vane"}, brok={"sample": "brok"}
    )

    done = table.play(
        "standard_attack", "gorm", "vane", to_hit=30, defend="none", damage=(4, 4), hit_location=50, hit1__shocking=99
    )

    assert [event.through for event in done.of(ev.DamageDealt)] == [1, 0]
    assert [check.combatant for check in done.of(ev.CheckRolled) if check.purpose == "shocking"] == ["vane"]


# Damage dice


def shooting(qualities: dict[str, Any], distance: float = 20, *, damage: str = "1d10", **gun: Any) -> PlayTable:
    """Somebody like Vane with a rifle of these qualities, and a naked foe with TB 0."""
    rifle = weapon("autogun", ammo=30, changes={"qualities": qualities, "damage": damage, **gun})
    return duel(
        distance,
        ann={"sample": "vane", "items": rifle},
        foe={"sample": "vane", "armour": 0, "t": 9, "wounds_max": 60},
    )


@pytest.mark.clause("DH-5460")
@pytest.mark.parametrize(
    ("qualities", "damage", "dice", "counted"),
    [
        ({"tearing": True}, "2d10", (3, 1, 9), 12),
        ({"tearing": True}, "2d10", (4, 4, 4), 8),
        ({"tearing": True, "proven": 4}, "1d10", (1, 3), 4),
        ({"tearing": True, "primitive": 6}, "1d10", (2, 9), 6),
        ({"proven": 3, "primitive": 7}, "2d10", (1, 9), 10),
        ({}, "1d10", (5,), 5),
    ],
)
def test_tearing_proven_and_primitive_go_together(
    qualities: dict[str, Any], damage: str, dice: tuple[int, ...], counted: int
) -> None:
    done = shooting(qualities, damage=damage).play(
        "standard_attack", "ann", "foe", to_hit=55, defend="none", damage=dice
    )

    assert done.one(ev.DamageDealt).raw == counted
    assert next(ask.count for ask in done.asked if isinstance(ask, Roll) and ask.name == "damage") == len(dice)


@pytest.mark.clause("DH-5450", "DH-5460")
@pytest.mark.parametrize(
    ("qualities", "dice", "furious"),
    [
        ({}, (10,), True),
        ({}, (9,), False),
        ({"vengeful": 8}, (8,), True),
        ({"vengeful": 8}, (7,), False),
        ({"vengeful": 8, "proven": 9}, (7,), False),
        ({"primitive": 7}, (10,), True),
        ({"tearing": True}, (10, 10), True),
        ({"tearing": True}, (2, 10), True),
    ],
)
def test_righteous_fury_looks_at_the_natural_die_that_is_kept(
    qualities: dict[str, Any], dice: tuple[int, ...], furious: bool
) -> None:
    given = {"hit1__fury": 1} if furious else {}

    done = shooting(qualities).play("standard_attack", "ann", "foe", to_hit=55, defend="none", damage=dice, **given)

    assert bool(done.of(ev.CriticalSuffered)) is furious


# Storm and Twin-Linked


@pytest.mark.clause("DH-5490")
def test_a_twin_linked_storm_takes_four_times_the_rounds_and_adds_its_hit_last() -> None:
    table = shooting({"storm": True, "twin_linked": True})

    done = table.play("semi_auto_burst", "ann", "foe", to_hit=1, defend="none", damage=[1] * 4)

    assert terms(done)["twin_linked"] == 20
    assert (len(places(done)), fired(done)) == (4, 12)


@pytest.mark.clause("DH-3640", "DH-5490")
@pytest.mark.parametrize(("die", "stand"), [(40, 4), (39, 2), (29, 0), (41, 6)])
def test_each_degree_of_evasion_turns_two_hits_of_a_storm_away(die: int, stand: int) -> None:
    rate = weapon("storm_bolter", ammo=60)
    table = duel(
        20,
        ann={"sample": "vane", "items": rate, "bs": 99},
        foe={"sample": "vane", "wounds_max": 60, "side": "foe"},
        options={"storm_cap": "before_doubling"},
    )

    given: dict[str, Any] = {} if stand == 0 else {"damage": [(1, 1)] * stand}
    if 0 < stand < 6:
        given["negate_hits"] = "last"
    done = table.play("full_auto_burst", "ann", "foe", to_hit=79, defend="dodge", dodge=die, **given)

    assert len(places(done)) == 6
    assert len(done.of(ev.DamageDealt)) == stand


# Scatter and Accurate


@pytest.mark.clause("DH-5495", "DH-3430")
def test_scatter_of_a_burst_counts_by_how_far_each_target_is() -> None:
    spread = weapon("autogun", ammo=30, changes={"qualities": {"scatter": True}, "damage": "1d10+5"})
    foe = {"sample": "vane", "side": "blue", "wounds_max": 60}
    table = duel(49.99, on_map=True, ann={"sample": "vane", "items": spread, "bs": 60}, near=foe, far=foe)

    done = table.play(
        "semi_auto_burst",
        "ann",
        "far",
        to_hit=40,
        allocate_hits=("allocate", {"hits": {"far": 1, "near": 1}}),
        defend="none",
        damage=[1, 1],
    )

    assert [(event.target, event.raw) for event in done.of(ev.DamageDealt)] == [("far", 3), ("near", 6)]


@pytest.mark.clause("DH-5495", "DH-5140")
def test_engaged_a_scatter_pistol_is_none_the_better_for_being_near() -> None:
    pistol = weapon("laspistol", "main", ammo=30, changes={"qualities": {"scatter": True}})
    table = duel(1, ann={"sample": "vane", "items": pistol, "engaged": (CombatantId("foe"),)}, foe={"sample": "vane"})

    done = table.play("standard_attack", "ann", "foe", to_hit=99)

    assert "range_point_blank" not in terms(done)
    assert terms(done)["scatter"] == 10
