"""Medkits, first aid, stabilizing; the GM's hand; boundaries. Clauses SR-900 to SR-960."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Wall
from app.engine.state import Item
from tests.rulesets.shadowrun_5e.fights import done, fight, order, pool, rolls, score, terms_of
from tests.support.log_lines import logged
from tests.support.play import PlayTable, book

P = CombatantId("p")


def ward(apart: float = 1, physical: int = 5, round_score: int = 9, **more: Any) -> PlayTable:
    """Wren with her medkit beside a wounded p; each Combat Turn has one pass."""
    return fight(apart=apart, wren={"score": round_score}, p={"score": 5, "pools": {"physical": physical}, **more})


def next_turn(table: PlayTable, **answers: Any) -> None:
    """Both end their phases, and initiative falls low."""
    while (now := table.state.clock.round) == table.state.clock.round:
        last = len(table.state.clock.acted) == sum(one.status == "up" for one in table.state.combatants.values()) - 1
        rolled = {f"{name}__score": 1 for name, one in table.state.combatants.items() if one.status == "up"}
        over = last and all(score(table, name) <= 10 for name in table.state.combatants)
        done(table, **(rolled | answers if over else {}))
        if table.state.clock.round != now:
            return


@pytest.mark.clause("SR-900", "SR-425")
@pytest.mark.parametrize(("apart", "codes"), [(1, []), (1.01, ["device_out_of_reach"])])
def test_one_complex_action_opens_and_starts_a_medkit_beside_a_patient(apart: float, codes: list[str]) -> None:
    table = ward(apart)
    use = {"options": {"device": "medkit"}}
    assert table.why_not("use_complex_device", "wren", "p", **use) == codes
    if codes:
        return

    table.play("use_complex_device", "wren", "p", **use)

    assert next(table.table.effects(P, "medkit_running")).value == 3
    assert table.who("wren").budget["simple"] == 0


@pytest.mark.clause("SR-900", "SR-955")
def test_left_alone_it_treats_the_patient_itself() -> None:
    table = ward()
    table.play("use_complex_device", "wren", "p", options={"device": "medkit"})

    next_turn(table, p__first_aid__dice=(5, 5, 6, 3, 2, 1))

    assert pool(table, "p", "physical") == 5
    next_turn(table)
    assert pool(table, "p", "physical") == 4


@pytest.mark.clause("SR-910", "SR-900", "SR-215")
def test_first_aid_heals_the_hits_beyond_two_one_box_a_turn() -> None:
    table = ward()
    table.play("use_complex_device", "wren", "p", options={"device": "medkit"})
    table.rule(cmd.SetBudget(CombatantId("wren"), "simple", 2))

    treated = table.play("first_aid", "wren", "p", first_aid__dice=(6, 6, 5, 5, 5, 4, 3, 2, 1, 1))

    assert terms_of(treated, "first_aid") == {"logic": 6, "first_aid": 4, "medkit": 3, "conditions": -3}
    assert (treated.check.limit, treated.check.target) == (10, 2)
    for left in (4, 3, 2):
        next_turn(table)
        assert pool(table, "p", "physical") == left
        if left > 2:
            again = table.play("first_aid", "wren", "p")
            assert again.of(ev.CheckRolled) == []
    next_turn(table)
    assert pool(table, "p", "physical") == 2


@pytest.mark.clause("SR-910")
def test_a_turn_without_it_forfeits_the_rest() -> None:
    table = ward()
    table.play("first_aid", "wren", "p", first_aid__dice=rolls(4, 4))
    next_turn(table)
    assert pool(table, "p", "physical") == 4
    next_turn(table)

    assert pool(table, "p", "physical") == 4
    assert table.why_not("first_aid", "wren", "p") == ["already_treated"]


@pytest.mark.clause("SR-910")
def test_no_more_than_the_skill_and_new_damage_opens_a_new_set() -> None:
    table = fight(apart=1, okoye=9, p={"score": 5, "pools": {"physical": 8}}, a={"score": 4})
    table.play("first_aid", "okoye", "p", options={"conditions": "good"}, first_aid__dice=rolls(2, 2))
    assert not table.has("p", "treating")
    assert table.why_not("first_aid", "okoye", "p") == ["insufficient_actions", "already_treated"]
    order(table, 2)
    table.play(
        "fire_single_shot",
        "a",
        "p",
        weapon="ak_97",
        defend="plain",
        attack__dice=rolls(6, 1),
        defense__dice=rolls(4, 0),
        soak__dice=rolls(12, 10),
    )

    assert not table.has("p", "treated")


@pytest.mark.clause("SR-910")
@pytest.mark.parametrize(("where", "dice"), [("good", 7), ("average", 6), ("poor", 5), ("bad", 4), ("terrible", 3)])
def test_without_a_medkit_three_dice_less_and_the_place_counts(where: str, dice: int) -> None:
    table = ward()

    treated = table.play("first_aid", "wren", "p", options={"conditions": where}, first_aid__dice=rolls(dice, 0))

    assert terms_of(treated, "first_aid")["no_medkit"] == -3
    assert treated.check.limit == 7


@pytest.mark.clause("SR-910", "SR-060")
def test_the_monitor_is_chosen_and_a_healed_score_rises() -> None:
    table = fight(apart=1, wren=9, p={"score": 5, "pools": {"stun": 3, "physical": 1}})
    table.play("first_aid", "wren", "p", options={"monitor": "stun", "conditions": "good"}, first_aid__dice=rolls(7, 3))

    done(table)
    ended = done(table, wren__score=1, p__score=1)

    assert pool(table, "p", "stun") == 2
    assert [one.delta for one in ended.of(ev.PoolChanged) if (one.pool, one.clause) == ("initiative", "SR-750")] == [1]


@pytest.mark.clause("SR-910")
def test_full_body_armour_halves_it_rounded_up() -> None:
    sheet = book("shadowrun_5e").read_sheet({"armour": "full_body_armor"})
    table = ward()
    body = table.who("p")
    dressed = replace(body, sheet=replace(body.sheet, worn=sheet.worn, armour=sheet.armour))
    table.state = replace(table.state, combatants={**table.state.combatants, P: dressed})

    table.play("first_aid", "wren", "p", options={"conditions": "good"}, first_aid__dice=rolls(7, 5))

    assert next(table.table.effects(P, "treating")).value == 2


@pytest.mark.clause("SR-910", "SR-220")
def test_a_critical_glitch_makes_it_worse() -> None:
    table = ward()

    harmed = table.play("first_aid", "wren", "p", first_aid__dice=(1, 1, 1, 3), glitch_effect="none", worse=3)

    assert pool(table, "p", "physical") == 8
    (worse,) = [one for one in harmed.of(ev.Noted) if one.fact == "treated_worse"]
    assert ([one.value for one in worse.dice], worse.clause) == ([3], "SR-910")
    assert "p: the treatment does harm: 3 boxes." in logged(table, harmed.events)


@pytest.mark.clause("SR-910", "SR-920")
@pytest.mark.parametrize("action", ["first_aid", "stabilize"])
def test_only_beside_him(action: str) -> None:
    assert "out_of_reach" in ward(1.5).why_not(action, "wren", "p")


@pytest.mark.clause("SR-920", "SR-790")
def test_stabilizing_takes_three_hits_and_each_failed_try_makes_it_harder() -> None:
    table = ward()
    assert table.why_not("stabilize", "wren", "p") == ["no_change"]
    table.rule(cmd.SetPool(P, "physical", 11))
    assert table.has("p", "dying")
    good = {"options": {"conditions": "good"}}
    table.play("stabilize", "wren", "p", **good, stabilize__dice=rolls(7, 2))
    next_turn(table)
    table.play("stabilize", "wren", "p", **good, stabilize__dice=rolls(5, 2))
    next_turn(table)

    third = table.play("stabilize", "wren", "p", **good, stabilize__dice=rolls(3, 3))

    assert terms_of(third, "stabilize")["failed_tries"] == -4
    assert third.check.target == 3
    assert table.has("p", "stabilized")
    assert not table.has("p", "bleeding")


# The GM's hand


@pytest.mark.clause("SR-950", "SR-620")
def test_the_gm_may_give_a_modifier_and_the_log_names_it() -> None:
    table = fight(apart=5, a={"score": 20, "agility": 5}, b=15)

    shot = table.play(
        "fire_single_shot",
        "a",
        "b",
        weapon="ak_97",
        modifiers=[2],
        defend="plain",
        attack__dice=rolls(10, 0),
        defense__dice=rolls(6, 0),
    )

    assert [(one.id, one.clause) for one in shot.check.terms if one.value == 2] == [("gm", "SR-950")]


@pytest.mark.clause("SR-950")
def test_a_ruling_sets_scores_boxes_and_conditions_and_is_told() -> None:
    table = fight(a=20, b=15)

    ruled = table.rule(
        cmd.SetPool(CombatantId("b"), "initiative", 25),
        cmd.SetPool(CombatantId("b"), "stun", 3),
        cmd.AddEffect(CombatantId("b"), "prone"),
    )

    assert ruled.one(ev.Ruled).reason == "test"
    assert (score(table, "b"), pool(table, "b", "stun"), table.has("b", "prone")) == (24, 3, True)


@pytest.mark.clause("SR-955", "SR-540", "SR-090")
def test_at_the_start_of_a_phase_defences_count_anew_and_surprise_ends() -> None:
    table = fight(a=20, b={"score": 15, "pools": {"defenses": 3}})
    table.rule(cmd.AddEffect(CombatantId("b"), "surprised"))

    done(table)

    assert (table.turn, pool(table, "b", "defenses"), table.has("b", "surprised")) == ("b", 0, False)


@pytest.mark.clause("SR-955", "SR-110")
def test_at_the_start_of_a_pass_there_is_a_new_free_action() -> None:
    table = fight(a=22, b=5)
    table.play("speak_phrase", "a")
    order(table, 2)

    assert table.who("a").budget["free"] == 1


@pytest.mark.clause("SR-955")
def test_prone_cover_recoil_aim_and_wounds_outlast_the_combat_turn() -> None:
    table = fight(apart=5, a={"score": 9, "pools": {"stun": 2}}, b=5)
    table.play("take_cover", "a", cover_quality=("good", {}))
    table.play("take_aim", "a", "b", weapon="ak_97")
    done(table)

    done(table, a__score=6, b__score=1)

    assert table.has("a", "in_cover_good")
    assert table.has("a", "aiming")
    assert pool(table, "a", "stun") == 2


@pytest.mark.clause("SR-960")
def test_all_reasons_are_told_each_once_by_clause() -> None:
    items = {"ak_97": Item("ak_97", held="both", marks={"ammo": 0})}
    table = fight(apart=600, a={"score": 20, "items": items}, b=15)
    table.play("sprint", "a", sprint__dice=rolls(7, 0))

    reasons = table.reasons("fire_short_burst", "a", "b", weapon="ak_97")

    assert [(one.code, one.clause) for one in reasons] == [
        ("insufficient_actions", "SR-100"),
        ("not_enough_ammo", "SR-300"),
        ("out_of_range", "SR-300"),
        ("wrong_fire_mode", "SR-305"),
    ]
    assert [one.need_length for one in reasons if one.code == "out_of_range"] == [55000]


@pytest.mark.clause("SR-960", "SR-320", "SR-300")
def test_within_one_clause_reasons_stand_as_its_list_has_them() -> None:
    wall = Wall((250, -300), (250, 300))
    rifle = {"ak_97": Item("ak_97", marks={"ammo": 0})}
    table = fight(a={"score": 20, "at": (0, 0), "items": rifle}, b={"score": 10, "at": (5, 0)}, walls=(wall,))

    aimed = table.why_not("take_aim", "a", "b", weapon="ak_97", options={"bonus": "pool"})
    fired = table.why_not("fire_single_shot", "a", "b", weapon="ak_97")

    assert aimed == ["no_line_of_sight", "weapon_not_ready"]
    assert fired == ["weapon_not_ready", "no_line_of_sight"]
    held = {"ak_97": Item("ak_97", held="both", marks={"ammo": 0, "magazine": 0})}
    table = fight(a={"score": 20, "items": held}, b=10)
    assert table.why_not("insert_magazine", "a", weapon="ak_97") == ["no_spare_magazine"]


@pytest.mark.clause("SR-950")
def test_what_a_ruling_gives_for_rounds_lasts_so_many_combat_turns() -> None:
    table = fight(a=9, b=5)
    table.rule(cmd.AddEffect(CombatantId("b"), "unaware", rounds=2))

    for lasts in (True, False):
        done(table)
        done(table, a__score=3, b__score=1)
        assert table.has("b", "unaware") is lasts
