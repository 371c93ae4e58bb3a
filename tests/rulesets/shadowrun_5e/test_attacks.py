"""The attack sequence, its modifiers, range and environment. Clauses SR-600 to SR-665."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import ActionId, CombatantId, ItemId
from app.engine.state import Item
from rulesets.shadowrun_5e.attack import Attack, reach_difference
from rulesets.shadowrun_5e.weapons import melee_weapon, weapon_of
from tests.rulesets.shadowrun_5e.fights import fight, held, pool, rolls, terms_of
from tests.support.play import Played, PlayTable


def shoot(table: PlayTable, dice: int, defense: int = 6, gun: str = "ak_97", **given: Any) -> Played:
    """A shot at b that hits nothing."""
    return table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon=gun,
        defend="plain",
        **({"attack__dice": rolls(dice, 0)} if dice else {}),
        **({"defense__dice": rolls(defense, 0)} if defense else {}),
        **given,
    )


@pytest.mark.clause("SR-600", "SR-650")
def test_the_steps_come_in_the_order_of_the_book() -> None:
    table = fight(apart=5, a=20, b=15)

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        defend="full_defense",
        attack__dice=rolls(6, 5),
        defense__dice=rolls(9, 0),
        soak__dice=rolls(12, 4),
    )

    told = [
        (type(one).__name__, getattr(one, "purpose", None) or getattr(one, "pool", None) or getattr(one, "mark", None))
        for one in shot.events
    ]
    wanted = [
        ("ActionTaken", None),
        ("ItemMarked", "ammo"),
        ("AttackMade", None),
        ("PoolChanged", "initiative"),
        ("CheckRolled", "attack"),
        ("CheckRolled", "defend"),
        ("CheckRolled", "soak"),
        ("DamageDealt", None),
        ("PoolChanged", "physical"),
    ]
    places = [told.index(one) for one in wanted]
    assert places == sorted(places)
    after = told[told.index(("PoolChanged", "physical")) :]
    effects = [one.effect.kind for one in shot.of(ev.EffectBegan)]
    assert after[1] == ("PoolChanged", "initiative")
    assert effects.index("prone") < effects.index("unconscious") < effects.index("dying")


@pytest.mark.clause("SR-600", "SR-960")
def test_what_is_refused_costs_neither_action_nor_round() -> None:
    table = fight(apart=600, a=20, b=15)

    assert table.why_not("fire_single_shot", "a", "b", weapon="ak_97") == ["out_of_range"]
    assert table.who("a").items["ak_97"].marks["ammo"] == 38


@pytest.mark.clause("SR-605", "SR-215")
def test_a_shot_is_agility_and_the_skill_under_the_accuracy() -> None:
    table = fight(apart=5, a={"score": 20, "agility": 4, "skills": {"automatics": 4}}, b=15)

    shot = shoot(table, 8)

    assert (terms_of(shot, "attack"), shot.check.limit) == ({"agility": 4, "automatics": 4}, 5)


@pytest.mark.clause("SR-610", "SR-215")
def test_bare_hands_are_agility_and_unarmed_combat_under_the_physical_limit() -> None:
    table = fight(apart=1, a=20, b=15)

    blow = table.play("melee_attack", "a", "b", defend="plain", attack__dice=rolls(6, 0), defense__dice=rolls(6, 0))

    assert (terms_of(blow, "attack"), blow.check.limit) == ({"agility": 3, "unarmed_combat": 3}, 6)


@pytest.mark.clause("SR-615")
@pytest.mark.parametrize(
    ("attacker", "defender", "term"),
    [
        ({"sample": "boulder", "items": held(combat_axe="both")}, {"items": held(stun_baton="main")}, -2),
        ({"items": held(combat_knife="main")}, {"items": held(club="main")}, 1),
        ({"items": held(club="main")}, {"items": held(club="main")}, 0),
        ({"sample": "boulder", "items": {}}, {"items": {}}, -1),
    ],
)
def test_the_longer_reach_helps_the_defence_or_hurts_it(
    attacker: dict[str, Any], defender: dict[str, Any], term: int
) -> None:
    table = fight(
        apart=1, a={"score": 20, "skills": {"clubs": 2, "blades": 3}, **attacker}, b={"score": 15, **defender}
    )
    weapon = next(iter(attacker["items"]), None)

    who = CombatantId("a")
    item = None if weapon is None else ItemId(weapon)
    attack = Attack(who, CombatantId("b"), ActionId("melee_attack"), item, weapon_of(table.table, who, item))
    assert reach_difference(table.table, attack, melee_weapon(table.table, CombatantId("b"))) == term


# Modifiers


@pytest.mark.clause("SR-620")
@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("blind_fire", -6),
        ("from_vehicle", -2),
        ("from_cover_imaging", -3),
        (3, 3),
        (-2, -2),
    ],
)
def test_situations_that_nobody_can_see_are_stated(given: Any, value: int) -> None:
    table = fight(apart=5, a={"score": 20, "agility": 6}, b=15)

    shot = shoot(table, 9 + value, modifiers=[given])

    assert terms_of(shot, "attack")[given if isinstance(given, str) else "gm"] == value


@pytest.mark.clause("SR-620")
@pytest.mark.parametrize(
    ("attacker", "target", "given", "dice", "term"),
    [
        ({}, {}, ["superior_position"], 8, ("superior_position", 2)),
        ({}, {}, ["touch_only"], 8, ("touch_only", 2)),
        ({"prone"}, {}, [], 5, ("attacker_prone", -1)),
        ({}, {"prone"}, [], 7, ("target_prone", 1)),
    ],
)
def test_and_so_in_melee(attacker: Any, target: Any, given: Any, dice: int, term: tuple[str, int]) -> None:
    table = fight(apart=1, a=20, b=15)
    for who, kinds in (("a", attacker), ("b", target)):
        for kind in kinds:
            table.rule(cmd.AddEffect(CombatantId(who), kind))

    blow = table.play(
        "melee_attack",
        "a",
        "b",
        modifiers=given,
        defend="plain",
        attack__dice=rolls(dice, 0),
        defense__dice=rolls(4 if target else 6, 0),
    )

    assert terms_of(blow, "attack")[term[0]] == term[1]


@pytest.mark.clause("SR-620", "SR-215")
@pytest.mark.parametrize(("smartlink", "value"), [(1, 1), (2, 2)])
def test_a_smartlink_helps_only_with_a_smart_weapon(smartlink: int, value: int) -> None:
    items = {"ares_alpha": Item("ares_alpha", held="both")}
    table = fight(apart=5, a={"score": 20, "smartlink": smartlink, "items": items}, b=15)
    assert terms_of(shoot(table, 6 + value, gun="ares_alpha"), "attack")["smartlink"] == value

    table = fight(apart=5, a={"score": 20, "smartlink": smartlink}, b=15)
    assert "smartlink" not in terms_of(shoot(table, 6), "attack")


@pytest.mark.clause("SR-620", "SR-570", "SR-750")
def test_all_that_apply_are_added_together() -> None:
    table = fight(apart=5, razor={"score": 20, "pools": {"stun": 3}, "agility": 7}, b=15)
    table.play("run", "razor")

    shot = table.play(
        "fire_single_shot",
        "razor",
        "b",
        weapon="ares_alpha",
        defend="plain",
        attack__dice=rolls(9, 0),
        defense__dice=rolls(6, 0),
    )

    assert terms_of(shot, "attack") == {"agility": 7, "automatics": 5, "smartlink": 2, "running": -4, "wounds": -1}


@pytest.mark.clause("SR-640", "SR-540", "SR-570")
def test_the_defenders_are_added_too() -> None:
    items = {"ak_97": Item("ak_97", held="both", marks={"mode": 1})}
    table = fight(apart=5, b={"score": 30, "reaction": 4}, a={"score": 20, "items": items, "strength": 15})
    table.play("run", "b")
    table.play("end_phase", "b")
    state = table.who("b")
    assert state.pools["defenses"] == 0
    bodies = {**table.state.combatants, state.id: replace(state, pools={**state.pools, "defenses": 1})}
    table.state = replace(table.state, combatants=bodies)

    shot = table.play(
        "fire_short_burst",
        "a",
        "b",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 0),
        defense__dice=rolls(6, 0),
    )

    assert terms_of(shot, "defend") == {
        "reaction": 4,
        "intuition": 3,
        "running": 2,
        "earlier_defenses": -1,
        "rate_of_fire": -2,
    }
    assert pool(table, "b", "defenses") == 2


@pytest.mark.clause("SR-640")
@pytest.mark.parametrize(("given", "value"), [("in_moving_vehicle", 3)])
def test_inside_a_moving_vehicle_it_is_easier(given: str, value: int) -> None:
    table = fight(apart=5, a=20, b=15)

    shoot(table, 6, 6 + value, modifiers=[given])


@pytest.mark.clause("SR-640")
@pytest.mark.parametrize(("bonus", "dice"), [(0, 6), (1, 7)])
def test_against_a_charge_only_by_option(bonus: int, dice: int) -> None:
    table = fight(apart=1, a=20, b=15, options={"charge_defender_bonus": bonus})
    table.play("run", "a")

    table.play("melee_attack", "a", "b", defend="plain", attack__dice=rolls(8, 0), defense__dice=rolls(dice, 0))


# Range


@pytest.mark.clause("SR-660", "SR-300")
@pytest.mark.parametrize(
    ("apart", "modifier"),
    [(5, 0), (5.01, -1), (20, -1), (20.5, -3), (40, -3), (40.01, -6), (60, -6), (61, None)],
)
def test_each_band_reaches_up_to_its_figure(apart: float, modifier: int | None) -> None:
    items = {"ares_predator_v": Item("ares_predator_v", held="main")}
    table = fight(apart=apart, a={"score": 20, "items": items, "agility": 6}, b=15)
    if modifier is None:
        assert table.why_not("fire_single_shot", "a", "b", weapon="ares_predator_v") == ["out_of_range"]
        return

    shot = shoot(table, 9 + modifier, gun="ares_predator_v")

    assert terms_of(shot, "attack").get("environment", 0) == modifier


@pytest.mark.clause("SR-660")
@pytest.mark.parametrize(("metres", "modifier"), [(25, 0), (26, -1)])
def test_on_a_map_it_is_measured(metres: float, modifier: int) -> None:
    table = fight(a={"score": 20, "at": (0, 0)}, b={"score": 15, "at": (metres, 0)})

    shot = shoot(table, 6 + modifier)

    assert terms_of(shot, "attack").get("environment", 0) == modifier


@pytest.mark.clause("SR-665", "SR-230")
@pytest.mark.parametrize(
    ("apart", "given", "modifier"),
    [
        (5, [], 0),
        (26, ["light_dim"], -3),
        (26, ["visibility_light"], -3),
        (151, ["light_dim", "wind_light"], -6),
        (351, ["light_dark"], -10),
        (5, ["light_partial", "glare_moderate"], -3),
        (5, ["visibility_heavy", "wind_moderate"], -6),
        (5, ["glare_weak", "wind_light", "visibility_light"], -3),
        (5, ["light_partial", "light_dim"], -3),
    ],
)
def test_the_worst_condition_counts_and_two_of_the_worst_are_a_step_worse(
    apart: float, given: list[str], modifier: int
) -> None:
    table = fight(apart=apart, a={"score": 20, "agility": 10}, b=15)

    shot = shoot(table, 13 + modifier, modifiers=given)

    assert terms_of(shot, "attack").get("environment", 0) == modifier


@pytest.mark.clause("SR-665")
def test_wind_and_range_do_not_matter_to_a_blow() -> None:
    table = fight(apart=1, a=20, b=15)

    blow = table.play(
        "melee_attack",
        "a",
        "b",
        modifiers=["wind_strong", "light_dim"],
        defend="plain",
        attack__dice=rolls(3, 0),
        defense__dice=rolls(6, 0),
    )

    assert terms_of(blow, "attack")["environment"] == -3
