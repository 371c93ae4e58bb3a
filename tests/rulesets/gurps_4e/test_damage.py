"""From the dice to the injury: basic damage, DR and armour divisors, wounding by type. Clauses GU-2100 to GU-2120."""

from typing import Any

import pytest

from app.catalog.rulebook import Rulebook
from app.engine import events as ev
from app.engine.ids import ClauseId
from app.engine.state import Item
from rulesets.gurps_4e.weapons import Mode, damage_text
from tests.rulesets.gurps_4e.harming import HIT, SWING, beat, both_ways, duel, hp, weapon
from tests.support.play import PlayTable, book

UNARMOURED: dict[str, Any] = {"armour": {}, "hp_max": 50}


def dealt(table: PlayTable, damage: Any, **more: Any) -> ev.DamageDealt:
    found: ev.DamageDealt = beat(table, "s", "x", damage, **more).one(ev.DamageDealt)
    return found


def against(kind: str, damage: str = "2d6", divisor: int = 1, armour: Any = None, **options: Any) -> PlayTable:
    """S has a blade of that damage, X wears that armour and is hard to kill."""
    foe = {"hp_max": 200, "armour": armour or {}, "ht": 16}
    return duel(s={"items": weapon(damage, kind, divisor)}, x=foe, options=options or None)


# GU-2100: basic damage


@both_ways
@pytest.mark.clause("GU-2100")
@pytest.mark.parametrize(("die", "basic"), [(1, 4), (4, 7), (6, 9)])
def test_basic_damage_is_the_dice_and_what_is_added(on_map: bool, die: int, basic: int) -> None:
    table = duel(on_map=on_map, s={}, x=UNARMOURED)

    done = dealt(table, die, **SWING)

    assert done.raw == basic
    assert [(term.id, term.value, term.clause) for term in done.terms] == [
        ("dice", die, "GU-2100"),
        ("weapon", 3, "GU-2100"),
    ]
    assert [(one.sides, one.value) for one in done.dice] == [(6, die)]


@pytest.mark.clause("GU-2100")
@pytest.mark.parametrize(
    ("kind", "damage", "die", "basic"),
    [
        ("imp", "1d6-2", 1, 1),
        ("imp", "1d6-2", 2, 1),
        ("imp", "1d6-2", 3, 1),
        ("imp", "1d6-2", 4, 2),
        ("cr", "1d6-3", 1, 0),
        ("cr", "1d6-3", 2, 0),
        ("cr", "1d6-3", 3, 0),
        ("cr", "1d6-3", 4, 1),
        *[(kind, "1d6-6", 1, 1) for kind in ("pi-", "pi", "pi+", "pi++", "cut", "burn", "cor", "tox", "fat")],
    ],
)
def test_it_is_at_least_0_for_crushing_and_1_for_any_other_type(kind: str, damage: str, die: int, basic: int) -> None:
    assert dealt(against(kind, damage), die, weapon="blade").raw == basic


@pytest.mark.clause("GU-2100")
def test_a_crushing_blow_of_0_injures_nobody() -> None:
    table = against("cr", "1d6-3")

    done = beat(table, "s", "x", 3, weapon="blade")

    assert done.one(ev.DamageDealt).through == 0
    assert not done.of(ev.PoolChanged)
    assert "shock" not in [began.effect.kind for began in done.of(ev.EffectBegan)]


@pytest.mark.clause("GU-2100")
def test_a_weapon_may_do_a_fixed_damage_without_dice() -> None:
    table = against("cr", "5")

    done = table.play("attack", "s", "x", weapon="blade", to_hit=HIT, defend="none")

    assert done.one(ev.DamageDealt).raw == 5


@pytest.mark.clause("GU-2100")
@pytest.mark.parametrize("text", ["2d6+1d4", "thr2", "thr+1d6", "", "d", "swing"])
def test_what_is_no_damage_is_no_damage(text: str) -> None:
    with pytest.raises(ValueError, match=r"damage|dice|terms"):
        Mode(text, "cr")


@pytest.mark.clause("GU-2100")
@pytest.mark.parametrize(
    ("text", "parts"), [("thr", ("thr", "")), ("sw+2", ("sw", "+2")), ("thr-1", ("thr", "-1")), ("8d6", ("", "8d6"))]
)
def test_damage_is_dice_or_the_wielders_thrust_or_swing(text: str, parts: tuple[str, str]) -> None:
    assert damage_text(text) == parts


@pytest.mark.clause("GU-2100")
@pytest.mark.parametrize(
    ("st", "thrust", "swing"),
    [
        (1, "1d6-6", "1d6-5"),
        (2, "1d6-6", "1d6-5"),
        (3, "1d6-5", "1d6-4"),
        (8, "1d6-3", "1d6-2"),
        (9, "1d6-2", "1d6-1"),
        (10, "1d6-2", "1d6"),
        (11, "1d6-1", "1d6+1"),
        (12, "1d6-1", "1d6+2"),
        (13, "1d6", "2d6-1"),
        (14, "1d6", "2d6"),
        (19, "2d6-1", "3d6+1"),
        (20, "2d6-1", "3d6+2"),
        (26, "2d6+2", "5d6"),
        (27, "3d6-1", "5d6+1"),
        (28, "3d6-1", "5d6+1"),
        (29, "3d6", "5d6+2"),
        (30, "3d6", "5d6+2"),
    ],
)
def test_thrust_and_swing_by_st(st: int, thrust: str, swing: str) -> None:
    rulebook: Rulebook = book("gurps_4e")
    row = rulebook.ruleset.tables.strength[st - 1]

    assert (row.thrust, row.swing) == (thrust, swing)
    assert len(rulebook.ruleset.tables.strength) == 30


# GU-2110: DR and armour divisors


@both_ways
@pytest.mark.clause("GU-2110")
@pytest.mark.parametrize(
    ("dice", "dr", "kind", "through"),
    [((6, 6, 5), 2, "pi", 15), ((2, 4, 2), 8, "pi", 0), ((3, 4, 2), 8, "pi", 1), ((2, 3, 2), 8, "pi", 0)],
)
def test_dr_is_taken_off(on_map: bool, dice: tuple[int, ...], dr: int, kind: str, through: int) -> None:
    foe = {"armour": {"torso": dr}, "hp_max": 200}
    table = duel(on_map=on_map, s={"items": weapon("3d6", kind)}, x=foe)

    done = dealt(table, dice, weapon="blade")

    assert (done.raw, done.through) == (sum(dice), through)
    assert ("dr", dr, ClauseId("GU-2110")) in [(term.id, term.value, term.clause) for term in done.soak]
    assert hp(table, "x") == 200 - through


@pytest.mark.clause("GU-2110")
@pytest.mark.parametrize(
    ("dr", "divisor", "through"),
    [(4, 5, 20), (5, 5, 19), (9, 5, 19), (10, 5, 18), (4, 1, 16), (3, 2, 19), (4, 3, 19)],
)
def test_an_armour_divisor_divides_dr_rounded_down(dr: int, divisor: int, through: int) -> None:
    table = against("burn", "4d6", divisor, {"torso": dr})

    assert dealt(table, (5, 5, 5, 5), weapon="blade").through == through


@pytest.mark.clause("GU-2110")
def test_the_force_sword_burns_through_mail_as_if_it_were_not_there() -> None:
    force = Item("force_sword", held="main", marks={"on": 1})
    table = duel(
        s={"items": {"force_sword": force}, "skills": {"force_sword": 15}},
        x={"armour": {"torso": 4}, "hp_max": 100},
    )

    done = dealt(table, (1, 2, 3, 4, 2, 3, 3, 2), weapon="force_sword")

    assert (done.raw, done.through, done.soak) == (20, 20, ())


@pytest.mark.clause("GU-2110")
@pytest.mark.parametrize(
    ("kind", "through"),
    [("cr", 8), ("cut", 9), ("imp", 12), ("burn", 6)],
)
def test_mail_has_less_dr_against_crushing(kind: str, through: int) -> None:
    table = against(kind, "2d6", armour={"torso": 4, "torso/cr": 2})

    assert dealt(table, (4, 6), weapon="blade").through == through


@pytest.mark.clause("GU-2110")
@pytest.mark.parametrize(
    ("kind", "dr"),
    [*[(kind, 8) for kind in ("pi-", "pi", "pi+", "pi++", "cut")], *[(kind, 2) for kind in ("cr", "imp", "burn")]],
)
def test_the_ballistic_vest_stops_what_pierces_and_cuts(kind: str, dr: int) -> None:
    table = duel(r={"hp_max": 100}, s={"items": weapon("2d6", kind)})
    table.end_turn()

    done = beat(table, "s", "r", (5, 5), weapon="blade").one(ev.DamageDealt)

    assert next(term.value for term in done.soak if term.id == "dr") == dr


# GU-2120: wounding


WOUNDING = {
    "pi-": 1,
    "pi": 2,
    "cr": 2,
    "burn": 2,
    "cor": 2,
    "tox": 2,
    "fat": 2,
    "cut": 3,
    "pi+": 3,
    "imp": 4,
    "pi++": 4,
}


@both_ways
@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize("kind", WOUNDING)
@pytest.mark.parametrize("basic", [1, 2, 3, 5, 6])
def test_what_penetrates_counts_by_its_type_rounded_down_and_at_least_1(on_map: bool, kind: str, basic: int) -> None:
    table = duel(on_map=on_map, s={"items": weapon("1d6", kind)}, x={"hp_max": 200, "armour": {}})

    done = beat(table, "s", "x", basic, weapon="blade")

    injury = max(1, basic * WOUNDING[kind] // 2)
    assert done.one(ev.DamageDealt).through == injury
    assert hp(table, "x") == 200 - injury
    change = next(event for event in done.of(ev.PoolChanged) if event.pool == "hp")
    assert (change.delta, change.clause) == (-injury, "GU-2120")


@pytest.mark.clause("GU-2120")
@pytest.mark.parametrize(("kind", "basic", "injury"), [("cut", 5, 7), ("pi-", 1, 1), ("imp", 3, 6), ("cr", 0, 0)])
def test_the_examples_of_the_ledger(kind: str, basic: int, injury: int) -> None:
    table = against(kind, "1d6-1") if kind == "cr" else against(kind, "1d6")

    assert dealt(table, basic or 1, weapon="blade").through == injury


@pytest.mark.clause("GU-2120")
def test_what_armour_stops_injures_nobody_whatever_its_type() -> None:
    table = against("imp", "1d6", armour={"torso": 6})

    done = beat(table, "s", "x", 6, weapon="blade")

    assert done.one(ev.DamageDealt).through == 0
    assert hp(table, "x") == 200


@pytest.mark.clause("GU-2100", "GU-2120")
def test_the_log_tells_how_the_injury_came_about() -> None:
    table = duel(s={}, x={"hp_max": 50})

    done = dealt(table, 4, **SWING)

    assert (done.raw, done.through, done.damage_type, done.weapon_kind) == (7, 7, "cut", "thrusting_broadsword")
    assert [(term.id, term.value, term.clause) for term in done.soak] == [
        ("dr", 2, "GU-2110"),
        ("wounding", -2, "GU-2120"),
    ]
    assert done.clause == "GU-2120"
