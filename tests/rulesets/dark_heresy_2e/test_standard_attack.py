"""Standard Attack: one blow or one shot at +10. Clauses DH-4550 to DH-4570."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Item
from tests.rulesets.dark_heresy_2e.firing import cited, fired, jammed, places, result, terms, weapon
from tests.rulesets.dark_heresy_2e.going import both_ways, engaged, fight
from tests.support.play import PlayTable, duel

GREAT = {"sample": "gorm", "held": {"great_weapon": "both"}}


def shooting(distance: float = 60, **gun: Any) -> PlayTable:
    """Vane's twin against Vane at normal range."""
    return duel(distance, ann={"sample": "vane", **gun}, bob={"sample": "vane"})


@pytest.mark.clause("DH-4550")
@pytest.mark.parametrize(
    ("die", "outcome"), [(5, ("success", 6)), (55, ("success", 1)), (56, ("failure", 1)), (95, ("failure", 5))]
)
def test_a_shot_is_ballistic_skill_at_plus_10(die: int, outcome: tuple[str, int]) -> None:
    given: dict[str, Any] = {"defend": ...} if outcome[0] == "success" else {}

    done = shooting().play("standard_attack", "ann", "bob", to_hit=die, **given)

    assert terms(done) == {"bs": 45, "standard_attack": 10}
    assert result(done) == (55, *outcome)


@pytest.mark.clause("DH-4550")
@both_ways
@pytest.mark.parametrize(("die", "outcome"), [(62, ("success", 1)), (63, ("failure", 1))])
def test_a_blow_is_weapon_skill_at_plus_10(on_map: bool, die: int, outcome: tuple[str, int]) -> None:
    table = duel(1, on_map=on_map, sable={"sample": "sable"}, bob={"sample": "vane"})
    given: dict[str, Any] = {"defend": ...} if outcome[0] == "success" else {}

    done = table.play("standard_attack", "sable", "bob", to_hit=die, **given)

    assert terms(done) == {"ws": 52, "standard_attack": 10}
    assert result(done) == (62, *outcome)


@pytest.mark.clause("DH-4550")
@pytest.mark.parametrize("die", [55, 5])
def test_a_success_is_one_hit_however_many_degrees(die: int) -> None:
    done = shooting().play("standard_attack", "ann", "bob", to_hit=die, defend=...)

    assert places(done) == ["body"]


@pytest.mark.clause("DH-4550")
def test_a_shot_takes_one_round() -> None:
    done = shooting().play("standard_attack", "ann", "bob", to_hit=90)

    assert fired(done) == 1


@pytest.mark.clause("DH-4550", "DH-5390")
@pytest.mark.parametrize(("die", "jam"), [(95, False), (96, True), (100, True)])
def test_a_shot_jams_from_96(die: int, jam: bool) -> None:
    assert jammed(shooting().play("standard_attack", "ann", "bob", to_hit=die)) == jam


@pytest.mark.clause("DH-4550")
def test_the_events_of_an_attack_come_in_the_books_order() -> None:
    done = shooting().play("standard_attack", "ann", "bob", to_hit=55, defend="none", damage=9)

    kinds = [event for event in done.events if not isinstance(event, ev.BudgetChanged | ev.EffectBegan)]
    assert [type(event).__name__ for event in kinds] == [
        "ActionTaken",
        "AttackMade",
        "ItemMarked",
        "CheckRolled",
        "HitsScored",
        "DamageDealt",
        "PoolChanged",
    ]
    assert {event.clause for event in done.of(ev.AttackMade) + done.of(ev.CheckRolled) + done.of(ev.HitsScored)} == {
        "DH-4550"
    }


@pytest.mark.clause("DH-4550", "DH-5130")
@both_ways
@pytest.mark.parametrize(("distance", "reasons"), [(1.5, []), (1.51, [("not_engaged", "DH-4550")])])
def test_a_blow_needs_a_foe_within_reach(on_map: bool, distance: float, reasons: list[tuple[str, str]]) -> None:
    table = duel(distance, on_map=on_map, sable={"sample": "sable"}, bob={"sample": "vane"})

    assert cited(table.reasons("standard_attack", "sable", "bob")) == reasons


@pytest.mark.clause("DH-4550")
@pytest.mark.parametrize(
    ("kind", "reasons"), [("autogun", []), ("heavy_stubber", [("fire_mode_not_available", "DH-4550")])]
)
def test_a_shot_needs_a_weapon_that_fires_single_shots(kind: str, reasons: list[tuple[str, str]]) -> None:
    table = shooting(held={kind: "both"})

    assert cited(table.reasons("standard_attack", "ann", "bob", weapon=kind)) == reasons


@pytest.mark.clause("DH-4550", "DH-5410")
@pytest.mark.parametrize(("rounds", "reasons"), [(1, []), (0, [("not_enough_ammo", "DH-4550")])])
def test_a_shot_needs_a_round(rounds: int, reasons: list[tuple[str, str]]) -> None:
    table = shooting(items=weapon("autogun", ammo=rounds))

    assert cited(table.reasons("standard_attack", "ann", "bob")) == reasons


@pytest.mark.clause("DH-4550", "DH-5390")
@pytest.mark.parametrize(("jam", "reasons"), [(0, []), (1, [("weapon_jammed", "DH-4550")])])
def test_a_jammed_weapon_does_not_shoot(jam: int, reasons: list[tuple[str, str]]) -> None:
    table = shooting(items=weapon("autogun", ammo=30, jammed=jam))

    assert cited(table.reasons("standard_attack", "ann", "bob")) == reasons


@pytest.mark.clause("DH-4550")
@pytest.mark.parametrize(
    ("distance", "kind", "held", "reasons"),
    [
        (60, "autogun", "both", []),
        (60, "autogun", None, [("weapon_not_ready", "DH-4550")]),
        (1, "sword", "main", []),
        (1, "sword", None, [("weapon_not_ready", "DH-4550")]),
    ],
)
def test_a_weapon_must_be_in_hand(distance: float, kind: str, held: str | None, reasons: list[tuple[str, str]]) -> None:
    table = shooting(distance, items=weapon(kind, held))

    assert cited(table.reasons("standard_attack", "ann", "bob", weapon=kind)) == reasons


@pytest.mark.clause("DH-4550", "DH-5140")
@both_ways
@pytest.mark.parametrize(("distance", "reasons"), [(400, []), (400.01, [("out_of_range", "DH-4550")])])
def test_a_shot_reaches_four_times_the_range(on_map: bool, distance: float, reasons: list[tuple[str, str]]) -> None:
    table = duel(distance, on_map=on_map, ann={"sample": "vane"}, bob={"sample": "vane"})

    assert cited(table.reasons("standard_attack", "ann", "bob")) == reasons


@pytest.mark.clause("DH-4550", "DH-5700")
@pytest.mark.parametrize(("stated", "reasons"), [({"distance": {"bob": 60}}, []), ({}, [("missing_input", "DH-5700")])])
def test_without_a_map_a_shot_needs_the_distance_stated(stated: dict[str, Any], reasons: list[tuple[str, str]]) -> None:
    from tests.support.play import combatant, ruleset, table_of

    table = table_of(combatant(ruleset(), "ann", "vane"), combatant(ruleset(), "bob", "vane"))

    assert cited(table.reasons("standard_attack", "ann", "bob", said=stated)) == reasons


@pytest.mark.clause("DH-1230")
def test_every_reason_is_told_once_in_the_order_of_the_clauses() -> None:
    table = shooting(500, items=weapon("heavy_stubber", None, ammo=0, jammed=1))

    assert cited(table.reasons("standard_attack", "ann", "bob", weapon="heavy_stubber")) == [
        ("fire_mode_not_available", "DH-4550"),
        ("not_enough_ammo", "DH-4550"),
        ("out_of_range", "DH-4550"),
        ("weapon_jammed", "DH-4550"),
        ("weapon_not_ready", "DH-4550"),
    ]


@pytest.mark.clause("DH-1230")
def test_what_is_missing_leaves_only_its_own_checks_out() -> None:
    table = duel(5, sable={"sample": "sable"}, bob={"sample": "vane"})
    table.rule(cmd.SetBudget(CombatantId("sable"), "half_action", 0))

    assert cited(table.reasons("standard_attack", "sable", "bob")) == [
        ("insufficient_actions", "DH-1010"),
        ("not_engaged", "DH-4550"),
    ]
    assert cited(table.reasons("standard_attack", "sable")) == [
        ("insufficient_actions", "DH-1010"),
        ("missing_input", "DH-5700"),
    ]


@pytest.mark.clause("DH-1230", "DH-1190")
def test_out_of_turn_with_a_jammed_weapon() -> None:
    table = duel(60, vane={"sample": "vane"}, brok={"sample": "brok", "items": weapon("autogun", ammo=9, jammed=1)})

    assert cited(table.reasons("standard_attack", "brok", "vane")) == [
        ("not_your_turn", "DH-1190"),
        ("weapon_jammed", "DH-4550"),
    ]


@pytest.mark.clause("DH-1220")
@pytest.mark.parametrize(("target", "reason"), [("ann", "invalid_target"), ("cid", "invalid_target")])
def test_neither_oneself_nor_the_dead_are_attacked(target: str, reason: str) -> None:
    table = duel(60, ann={"sample": "vane"}, bob={"sample": "vane"}, cid={"sample": "vane", "status": "dead"})

    assert reason in table.why_not("standard_attack", "ann", target)


@pytest.mark.clause("DH-4550")
def test_at_arms_length_the_melee_weapon_in_hand_is_taken_and_the_pistol_farther_off() -> None:
    items = {**weapon("laspistol", "main", ammo=30), **weapon("sword", "off")}
    near = duel(1, ann={"sample": "vane", "items": items, "talents": ["ambidextrous"]}, bob={"sample": "vane"})
    far = duel(20, ann={"sample": "vane", "items": items}, bob={"sample": "vane"})

    assert near.play("standard_attack", "ann", "bob", to_hit=90).one(ev.AttackMade).weapon == "sword"
    assert far.play("standard_attack", "ann", "bob", to_hit=90).one(ev.AttackMade).weapon == "laspistol"


@pytest.mark.clause("DH-4550", "DH-5130")
@both_ways
@pytest.mark.parametrize("die", [55, 90])
def test_a_blow_locks_both_in_melee_hit_or_miss(on_map: bool, die: int) -> None:
    table = duel(1, on_map=on_map, sable={"sample": "sable"}, bob={"sample": "vane"})
    given: dict[str, Any] = {"defend": "none", "damage": 9} if die == 55 else {}

    table.play("standard_attack", "sable", "bob", to_hit=die, **given)

    assert engaged(table, "sable", "bob")


@pytest.mark.clause("DH-4550")
def test_a_shot_locks_nobody_in_melee() -> None:
    table = shooting(1)

    table.play("standard_attack", "ann", "bob", to_hit=99)

    assert not engaged(table, "ann", "bob")


@pytest.mark.clause("DH-4550", "DH-5440")
def test_who_holds_no_weapon_strikes_with_bare_hands() -> None:
    table = duel(1, gorm={"sample": "gorm"}, vane={"sample": "vane", "armour": 0})

    done = table.play("standard_attack", "gorm", "vane", to_hit=48, defend="none", damage=5)

    assert result(done) == (48, "success", 1)
    assert (done.one(ev.AttackMade).weapon_kind, done.one(ev.DamageDealt).through) == ("unarmed", 4)


@pytest.mark.clause("DH-4550", "DH-5140")
@both_ways
@pytest.mark.parametrize(
    ("distance", "target"),
    [(1.5, None), (1.6, 85), (2, 85), (2.4, 65), (2.5, 55), (10, 55), (10.1, 45), (15, 45), (15.1, 25), (20, 25)],
)
def test_a_knife_is_thrown_at_somebody_out_of_reach(on_map: bool, distance: float, target: int | None) -> None:
    """A range of 5 m; next to the foe it is a blow on Weapon Skill."""
    table = duel(
        distance, on_map=on_map, ann={"sample": "vane", "items": weapon("knife", "main")}, bob={"sample": "vane"}
    )

    done = table.play("standard_attack", "ann", "bob", to_hit=99)

    tested = ("ws", 45) if target is None else ("bs", target)
    assert (done.check.check, done.check.target) == tested


@pytest.mark.clause("DH-4550", "DH-5140")
@both_ways
def test_a_knife_is_not_thrown_beyond_four_times_its_range(on_map: bool) -> None:
    table = duel(20.1, on_map=on_map, ann={"sample": "vane", "items": weapon("knife", "main")}, bob={"sample": "vane"})

    assert cited(table.reasons("standard_attack", "ann", "bob")) == [("out_of_range", "DH-4550")]


@pytest.mark.clause("DH-4550", "DH-5390", "DH-5410")
def test_a_thrown_knife_lies_on_the_ground_and_never_jams() -> None:
    table = duel(4, ann={"sample": "vane", "items": weapon("knife", "main")}, bob={"sample": "vane"})

    done = table.play("standard_attack", "ann", "bob", to_hit=100)

    assert not jammed(done)
    assert table.who("ann").items["knife"] == Item("knife", on_ground=True)


@pytest.mark.clause("DH-5410", "DH-5320")
def test_of_several_knives_one_is_thrown() -> None:
    table = duel(4, ann={"sample": "vane", "items": weapon("knife", "off", count=3)}, bob={"sample": "vane"})

    done = table.play("standard_attack", "ann", "bob", to_hit=100)

    assert terms(done)["off_hand"] == -20
    assert table.who("ann").items["knife"] == Item("knife", held="off", count=2)


@pytest.mark.clause("DH-5410", "DH-5320")
@pytest.mark.parametrize(("held", "target"), [("main", 55), ("off", 35)])
def test_the_last_of_things_that_are_thrown_is_gone_and_counts_with_the_hand_that_threw_it(
    held: str, target: int
) -> None:
    star = weapon("knife", held, changes={"class_": "thrown", "range": 1000})
    table = duel(10, ann={"sample": "vane", "items": star}, bob={"sample": "vane"})

    done = table.play("standard_attack", "ann", "bob", to_hit=90)

    assert done.check.target == target
    assert table.who("ann").items == {}


@pytest.mark.clause("DH-4560", "DH-4550")
def test_a_grapple_is_for_the_unarmed() -> None:
    table = duel(1, gorm=GREAT, vane={"sample": "vane"})

    assert cited(table.reasons("standard_attack", "gorm", "vane", options={"mode": "grapple"})) == [
        ("not_unarmed", "DH-3450")
    ]
    assert table.why_not("standard_attack", "gorm", "vane", options={"mode": "strike"}) == []


@pytest.mark.clause("DH-5050")
@pytest.mark.parametrize(("options", "target"), [({}, 55), ({"aware": True}, 55), ({"aware": False}, 85)])
def test_a_target_who_does_not_expect_it_is_hit_at_plus_30(options: dict[str, Any], target: int) -> None:
    assert shooting().play("standard_attack", "ann", "bob", options=options, to_hit=95).check.target == target


@pytest.mark.clause("DH-4550")
@both_ways
def test_an_unconscious_foe_is_a_target_and_is_not_locked_in_melee(on_map: bool) -> None:
    table = fight(on_map, {"sable": (0, 0), "vane": (1, 0)})
    table.rule(cmd.AddEffect(CombatantId("vane"), "unconscious"))

    done = table.play("standard_attack", "sable", "vane", to_hit=60, damage=(4, 7))

    assert done.one(ev.DamageDealt).target == "vane"
    assert not engaged(table, "sable", "vane")
