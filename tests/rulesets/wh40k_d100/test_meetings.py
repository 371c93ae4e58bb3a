"""Where clauses meet, options that no other test looks at, and the odds of a preview."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.preview import preview
from app.engine.state import Item
from tests.rulesets.wh40k_d100.fights import begin, fight, held, noted, places, pool, terms, through, wounds
from tests.support.play import PlayTable

SWORD = {"items": held("sword")}
SOFT = {"t": 0, "armour": 0, "items": {}, "wounds_max": 60, "minor": 0}


@pytest.mark.clause("WH-070", "WH-440")
def test_a_hit_may_throw_the_target_down_before_the_next_but_changes_nothing_rolled() -> None:
    table = fight(apart=60, a={"bs": 55, "minor": 0, "items": held("autogun", "both")}, b={**SOFT, "wounds_max": 12})

    # 29 is 92, the left leg: the first hit spends the wounds, the next ones throw him down and are as they were.
    done = table.play(
        "full_auto_burst",
        "a",
        "b",
        to_hit=19,
        defend="none",
        hit1__damage=9,
        hit2__damage=8,
        hit3__damage=7,
        hit4__damage=6,
    )

    assert places(done) == ["left_leg", "left_leg", "torso", "torso"]
    assert through(done)[:2] == [12, 11]
    assert [one.value for one in done.of(ev.CriticalSuffered)] == [10]
    assert table.who("b").status == "dead"


@pytest.mark.clause("WH-070", "WH-840", "WH-910")
def test_wounds_come_before_the_extreme_effect_of_the_same_hit() -> None:
    table = fight(
        apart=60, a={"bs": 45, "minor": 0, "items": held("lasgun", "both")}, b={**SOFT, "t": 40, "wounds_max": 8}
    )

    done = table.play("attack", "a", "b", to_hit=43, defend="none", damage=10, extreme=3)

    causes = [(one.cause, one.value) for one in done.of(ev.CriticalSuffered)]
    assert causes == [("critical_damage", 1), ("extreme_damage", 3)]
    assert table.who("b").pools["fatigue"] == 2


@pytest.mark.clause("WH-640", "WH-600", "WH-620")
def test_each_pair_has_an_off_hand_of_its_own() -> None:
    items = {"gun": Item("laspistol", held="off", marks={"pair": 2, "ammo": 30}), "sword": Item("sword", held="main")}
    table = fight(apart=20, quad={"items": items}, grash=SWORD)

    assert terms(table.play("attack", "quad", "grash", weapon="gun", to_hit=99).check) == {"off_hand": -20}


@pytest.mark.clause("WH-640", "WH-990")
def test_a_charge_is_the_attack_of_the_pair_that_strikes() -> None:
    table = fight(apart=6, quad={}, grash=SWORD, options={"half_actions_per_turn": 3})
    table.play("charge", "quad", "grash", said={"path_straight": True, "leaves": ()}, weapon="sword", to_hit=99)

    assert table.why_not("attack", "quad", "grash", weapon="sword") == ["pair_already_attacked"]
    assert table.why_not("attack", "quad", "grash", weapon="autogun") == ["weapon_not_usable_in_melee"]


@pytest.mark.clause("WH-300", "WH-990", "WH-340")
def test_a_charge_may_be_called() -> None:
    table = fight(apart=6, a={"ws": 70, "ag": 36, **SWORD}, b={**SOFT, **SWORD})
    given: dict[str, Any] = {"said": {"path_straight": True, "leaves": ()}, "options": {"called": "joint"}}
    assert table.why_not("charge", "a", "b", **given) == ["joint_requires_limb_or_head"]

    done = table.play("charge", "a", "b", location="left_leg", to_hit=50, defend="none", damage=5, **given)

    assert (done.check.target, places(done)) == (70 + 20 - 40, ["left_leg"])
    assert "mental" in done.one(ev.ActionTaken).tags


@pytest.mark.clause("WH-990", "WH-630")
def test_an_aim_counts_for_the_first_of_two_weapons() -> None:
    items = {"one": Item("sword", held="main"), "two": Item("sword", held="off")}
    table = fight(apart=1, lyse={"ws": 50, "items": items}, grash=SWORD)
    table.play("aim", "lyse")

    done = table.play("two_weapon_attack", "lyse", "grash", main__to_hit=99, off__to_hit=99)

    assert [check.target for check in done.of(ev.CheckRolled)] == [60, 30]


@pytest.mark.clause("WH-430", "WH-630")
def test_of_blade_and_gun_blindness_stops_the_gun_alone() -> None:
    items = {"sword": Item("sword", held="main"), "gun": Item("laspistol", held="off", marks={"ammo": 30})}
    table = fight(apart=1, lyse={"ws": 50, "items": items}, grash=SWORD)
    begin(table, "lyse", "blinded", 1)

    done = table.play("two_weapon_attack", "lyse", "grash", main__to_hit=99)

    assert done.check.target == 20
    assert "attack_failed" in noted(done)


@pytest.mark.clause("WH-280", "WH-870", "WH-880")
def test_a_minor_thrower_deals_extreme_damage_only_when_granted() -> None:
    def thrown(table: PlayTable, **given: Any) -> list[str]:
        done = table.play(
            "area_attack", "trooper", "b", to_hit=20, said={"near": ("b",)}, b__defend="none", damage=(10, 3), **given
        )
        return noted(done)

    people: dict[str, Any] = {"trooper": {"bs": 40, "s": 60, "items": held("frag_grenade")}, "b": SOFT}
    assert thrown(fight(apart=8, **people)) == []
    table = fight(apart=8, **people)
    begin(table, "trooper", "extreme_damage_granted")
    assert thrown(table, b__extreme=1) == ["extreme_damage"]


@pytest.mark.clause("WH-560", "WH-980", "WH-450")
def test_surprise_counts_in_an_area_for_the_one_aimed_at() -> None:
    table = fight(apart=20, a={"bs": 45, "s": 60, "items": held("frag_grenade")}, b=SOFT, c=SOFT)
    begin(table, "c", "unaware")
    assert table.play("area_attack", "a", "b", to_hit=99).check.target == 45

    table = fight(apart=20, a={"bs": 45, "s": 60, "items": held("frag_grenade")}, b=SOFT, c=SOFT)
    begin(table, "b", "unaware")
    done = table.play("area_attack", "a", "b", to_hit=70, said={"near": ("b", "c")}, c__defend="none", damage=(4, 4))
    assert done.check.target == 75
    assert [one.to for one in done.questions("defend")] == ["c"]


@pytest.mark.clause("WH-930", "WH-090")
def test_whoever_falls_frees_those_he_held() -> None:
    table = fight(apart=1, varro={"side": "us"}, trooper={"engaged": ()}, lyse={"side": "us", **SWORD})
    table.play("attack", "varro", "trooper", weapon="chainsword", to_hit=99)
    assert table.who("varro").engaged == ("trooper",)

    pool(table, "trooper", "fatigue", 4)

    assert table.who("trooper").status == "down"
    assert table.who("varro").engaged == ()


@pytest.mark.clause("WH-940", "WH-060", "WH-920")
def test_somebody_who_bleeds_to_death_has_no_turn() -> None:
    table = fight(varro={}, trooper={"wounds_max": 1}, lyse={})
    begin(table, "trooper", "bleeding")

    table.end_turn()

    assert table.who("trooper").status == "dead"
    assert table.turn == "lyse"


@pytest.mark.clause("WH-800", "WH-710")
def test_bare_hands_can_be_extreme() -> None:
    table = fight(apart=1, varro={"items": {}, "s": 30}, b=SOFT)

    done = table.play("attack", "varro", "b", to_hit=40, defend="none", damage=5, extreme=1)

    assert through(done) == [5 - 2 + 3]
    assert wounds(table, "b") == 54


# Odds


def odds(table: PlayTable, action: str, *targets: str, **fields: Any) -> Any:
    """The preview of a submission."""
    return preview(table.rules, table.state, table.submission(action, table.turn or "", *targets, **fields))


@pytest.mark.clause("WH-100", "WH-110")
def test_the_preview_knows_the_sum_and_the_chance() -> None:
    table = fight(apart=1, varro={"ws": 42}, grash=SWORD)
    found = odds(table, "attack", "grash", weapon="chainsword", options={"called": "torso"})

    assert found.legal
    assert (found.checks[0].target, found.checks[0].chance) == (32, 320_000)


@pytest.mark.clause("WH-230", "WH-320", "WH-700", "WH-730")
def test_odds_are_exact_where_the_dice_allow_it() -> None:
    """A called knife against somebody without a reaction: 30 in 100, a d5, and Successes in the place of the die."""
    table = fight(
        apart=1,
        t1={"ws": 40, "s": 0, "items": held("combat_knife")},
        t2={"t": 0, "armour": 0, "wounds_max": 60, "items": held("combat_knife")},
    )
    table.rule(cmd.SetBudget(CombatantId("t2"), "reaction", 0))

    found = odds(table, "attack", "t2", options={"called": "torso"})

    assert found.odds.method == "exact"
    assert found.odds.hits == {0: 700_000, 1: 300_000}
    # Successes by the die: 1 to 9 four, 10 to 19 three, 20 to 29 two, 30 one.
    means = {4: 4 * 4 + 5, 3: 3 * 3 + 4 + 5, 2: 2 * 2 + 3 + 4 + 5, 1: 1 + 2 + 3 + 4 + 5}
    ways = {4: 9, 3: 10, 2: 10, 1: 1}
    whole = sum(ways[one] * means[one] for one in ways)
    assert found.odds.damage_mean == whole * 1000 // (100 * 5)


@pytest.mark.clause("WH-260", "WH-950")
def test_larger_trees_are_sampled_with_their_error() -> None:
    table = fight(apart=1, varro={}, grash=SWORD)

    found = odds(table, "attack", "grash", weapon="chainsword")

    assert found.odds.method == "sampled"
    assert found.odds.error > 0
    assert found.defence[0].option in ("dodge", "parry")


@pytest.mark.clause("WH-980")
def test_the_chance_of_a_spray_is_that_of_not_getting_out() -> None:
    table = fight(apart=5, a={"items": held("flamer", "both")}, b={**SOFT, "ag": 30})
    submission = table.submission("area_attack", "a", "b")
    action = table.rules.actions[submission.action]
    assert action.chance is not None

    assert action.chance(table.table, submission, action) == 700_000


@pytest.mark.clause("WH-160", "WH-998")
def test_the_list_tells_chances_and_reasons() -> None:
    from app.engine.listing import listing

    table = fight(apart=1, varro={"ws": 42}, grash=SWORD)
    views = {str(view.id): view for view in listing(table.table, CombatantId("varro"))}

    assert views["attack"].available
    assert views["attack"].targets[0].chance == 420_000
    assert not views["stand_up"].available
    assert "dodge" not in views
    begin(table, "varro", "stunned", 1)
    views = {str(view.id): view for view in listing(table.table, CombatantId("varro"))}
    assert [view for view in views.values() if view.available] == [views["end_turn"]]
