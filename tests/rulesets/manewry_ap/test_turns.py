"""Rounds, action points, stamina, immediate actions, the end of a turn, refusals. Clauses MA-010 to MA-095."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, EffectId, ItemId
from app.engine.reasons import Refused
from app.engine.state import Item, State
from tests.rulesets.manewry_ap.fights import (
    NAME,
    NORTH,
    ap,
    asked,
    both_ways,
    duel,
    fight,
    options,
    pool,
    put,
    set_ap,
    set_pool,
)
from tests.support.play import PlayTable, combatant, ruleset

# Initiative and rounds


def start(**people: dict[str, Any]) -> tuple[PlayTable, dict[str, int]]:
    """A fight that has not begun, with the die that each will roll."""
    rules = ruleset(NAME)
    dice = {name: int(fields.pop("die")) for name, fields in people.items()}
    bodies = {CombatantId(name): combatant(rules, name, "borys", **fields) for name, fields in people.items()}
    table = PlayTable(rules, State(rules.id, dice="client", combatants=bodies))
    return table, {f"{name}__initiative": die for name, die in dice.items()}


@pytest.mark.clause("MA-010")
@pytest.mark.parametrize(
    ("one", "other", "first"),
    [
        ({"dodge": 12, "die": 8}, {"agi": 17, "die": 4}, "other"),
        ({"dodge": 12, "die": 8}, {"agi": 17, "die": 3}, "other"),
        ({"dodge": 12, "die": 8}, {"agi": 17, "die": 2}, "one"),
        ({"dodge": 12, "die": 8}, {"dodge": 12, "die": 8}, "one"),
    ],
)
def test_initiative_is_a_ten_sided_die_and_agility_then_agility_then_who_joined_first(
    one: dict[str, int], other: dict[str, int], first: str
) -> None:
    table, dice = start(one=one, other=other)

    done = table.command(cmd.Start(), **dice)

    assert table.turn == first
    assert table.who("one").standing[0] == 20
    assert {event.clause for event in done.of(ev.StandingSet)} == {"MA-010"}


@pytest.mark.clause("MA-010")
def test_a_round_gives_everybody_one_turn_and_keeps_the_order() -> None:
    table = fight(borys={}, halina={}, jagna={})
    order = []

    for _ in range(6):
        order.append(table.turn)
        table.end_turn()

    assert order == ["borys", "halina", "jagna"] * 2
    assert table.state.clock.round == 3


@pytest.mark.clause("MA-010")
def test_actions_wait_for_the_own_turn() -> None:
    table = duel(on_map=True, borys={}, jagna={})

    assert table.why_not("melee_attack", "jagna", "borys") == ["not_your_turn"]
    assert table.why_not("drop_prone", "jagna") == ["not_your_turn"]


@pytest.mark.clause("MA-010")
def test_a_newcomer_rolls_and_acts_in_this_round() -> None:
    table = fight(borys={}, halina={})

    table.command(cmd.Join((combatant(ruleset(NAME), "late", "ogr"),)), late__initiative=3)
    table.end_turn()

    assert table.who("late").standing[0] == 9
    assert table.turn == "halina"
    table.end_turn()
    assert table.turn == "late"


@pytest.mark.clause("MA-010")
def test_the_dice_of_initiative_are_an_option() -> None:
    rules = ruleset(NAME)
    bodies = {CombatantId("one"): combatant(rules, "one", "borys")}
    table = PlayTable(rules, State(rules.id, dice="client", options={"initiative": "2d6+1"}, combatants=bodies))

    table.command(cmd.Start(), one__initiative=(2, 3))

    assert table.who("one").standing[0] == 12 + 2 + 3 + 1


# Action points


@pytest.mark.clause("MA-020")
def test_points_left_stay_for_defences_and_are_never_carried_over() -> None:
    table = duel(on_map=True, borys={}, jagna={}, ogr={"side": "jagna", "place": None})
    table.rule(cmd.SetBudget(CombatantId("borys"), "ap", 6))
    table.end_turn()

    for _ in range(3):
        table.play("melee_attack", "jagna", "borys", immediate_response="none", defend="dodge", to_hit=1)

    assert ap(table, "borys") == 3
    table.until_turn_of("borys")
    assert ap(table, "borys") == 10


@pytest.mark.clause("MA-020")
@pytest.mark.parametrize(("left", "reasons"), [(3, ["not_enough_ap"]), (4, []), (5, [])])
def test_an_action_needs_its_points(left: int, reasons: list[str]) -> None:
    table = set_ap(duel(on_map=True, borys={}, jagna={}), borys=left)

    found = table.reasons("melee_attack", "borys", "jagna")

    assert [reason.code for reason in found] == reasons
    assert [(reason.need, reason.got, reason.clause) for reason in found] == [(4, left, "MA-020")] * len(reasons)


@pytest.mark.clause("MA-020")
def test_the_pool_is_full_when_the_encounter_begins() -> None:
    table, dice = start(one={"die": 5, "agi": 20}, other={"die": 5, "ap_max": 12})
    table.rule(cmd.SetBudget(CombatantId("other"), "ap", 2))

    table.command(cmd.Start(), **dice)

    assert (ap(table, "one"), ap(table, "other")) == (10, 12)


@pytest.mark.clause("MA-020")
def test_by_option_the_pool_is_filled_with_the_round() -> None:
    table = fight(options={"ap_refill": "full_at_round_start"}, borys={}, halina={})
    set_ap(table, borys=1, halina=2)

    table.end_turn()
    assert ap(table, "halina") == 2

    table.end_turn()
    assert (ap(table, "borys"), ap(table, "halina")) == (10, 10)


# Stamina


@pytest.mark.clause("MA-030")
def test_stamina_is_thirty_and_endurance_and_comes_back_by_five() -> None:
    table = duel(on_map=True, far=9, borys={}, jagna={})
    assert pool(table, "borys", "ep") == 46

    table.play("sprint", "borys", path=[(4, 1)])
    assert pool(table, "borys", "ep") == 36
    table.end_turn()
    table.until_turn_of("borys")
    assert pool(table, "borys", "ep") == 36, "he sprinted in his previous turn"
    table.end_turn()
    table.until_turn_of("borys")
    assert pool(table, "borys", "ep") == 41


@pytest.mark.clause("MA-030")
@pytest.mark.parametrize(("left", "after"), [(40, 45), (41, 46), (42, 46), (46, 46)])
def test_stamina_never_rises_above_the_pool(left: int, after: int) -> None:
    table = set_pool(fight(borys={}, halina={}), "borys", "ep", left)

    table.end_turn()
    table.end_turn()

    assert pool(table, "borys", "ep") == after


@pytest.mark.clause("MA-030")
def test_how_much_comes_back_is_an_option() -> None:
    table = set_pool(fight(options={"ep_regen": 8}, borys={}, halina={}), "borys", "ep", 20)

    table.end_turn()
    table.end_turn()

    assert pool(table, "borys", "ep") == 28


# Immediate actions


@both_ways
@pytest.mark.clause("MA-040")
def test_an_immediate_action_may_be_taken_when_an_attack_is_declared_once_in_a_turn(on_map: bool) -> None:
    table = duel(on_map, ogr={}, borys={})

    first = table.play("melee_attack", "ogr", "borys", immediate_response="drop_prone", defend="none", to_hit=1)
    second = table.play("melee_attack", "ogr", "borys", defend="none", to_hit=1)

    assert asked(first) == ["immediate_response", "defend"]
    assert asked(second) == ["defend"]
    assert ap(table, "borys") == 9


@pytest.mark.clause("MA-040")
def test_it_may_be_repeated_in_the_next_turn_of_anyone() -> None:
    table = duel(on_map=True, ogr={}, jagna={"side": "ogr"}, borys={"at": (1, 1)})
    strike = {"defend": "none", "to_hit": 1}
    table.play("melee_attack", "ogr", "borys", immediate_response="drop_prone", **strike)
    put(table, "borys", "lying")
    table.rule(cmd.RemoveEffect(CombatantId("borys"), EffectId("knocked_down")))
    table.rule(cmd.RemoveEffect(CombatantId("borys"), EffectId("lying")))

    table.end_turn()
    again = table.play("melee_attack", "jagna", "borys", immediate_response="drop_prone", **strike)

    assert asked(again) == ["immediate_response", "defend"]


@pytest.mark.clause("MA-040")
@pytest.mark.parametrize(("left", "kinds"), [(0, []), (1, ["immediate_response", "defend"])])
def test_nothing_is_asked_when_nothing_is_legal(left: int, kinds: list[str]) -> None:
    table = set_ap(duel(on_map=True, ogr={}, borys={}), borys=left)

    answers = {"immediate_response": "none", "defend": "none"} if kinds else {}
    done = table.play("melee_attack", "ogr", "borys", to_hit=1, **answers)

    assert asked(done) == kinds


@pytest.mark.clause("MA-040")
def test_the_window_offers_what_is_legal_and_tells_why_the_rest_is_not() -> None:
    table = duel(on_map=True, ogr={}, borys={})

    done = table.play("melee_attack", "ogr", "borys", immediate_response="none", defend="none", to_hit=1)

    assert options(done, "immediate_response") == ["drop_prone", "none"]
    barred = {one.id: [reason.code for reason in one.reasons] for one in done.questions("immediate_response")[0].barred}
    assert barred == {"break_free": ["not_grabbed"], "release_hold": ["not_holding"]}
    with pytest.raises(Refused):
        table.play("melee_attack", "ogr", "borys", immediate_response="break_free")


@pytest.mark.clause("MA-040")
def test_the_own_turn_counts_as_a_turn_too() -> None:
    table = duel(on_map=True, borys={}, jagna={})
    table.play("drop_prone", "borys")

    found = table.reasons("drop_prone", "borys")

    assert [reason.code for reason in found] == ["immediate_already_used", "already_prone"]
    assert (found[0].need, found[0].got) == (1, 1)


@pytest.mark.clause("MA-040")
def test_how_often_is_an_option() -> None:
    table = duel(on_map=True, options={"immediate_per_turn": 2}, borys={}, jagna={})
    table.play("drop_prone", "borys")

    assert table.why_not("drop_prone", "borys") == ["already_prone"]


@pytest.mark.clause("MA-050")
@pytest.mark.parametrize(
    "action", ["grab", "double_attack", "leaping_attack", "melee_attack", "drop_prone", "walk", "sneak", "crawl"]
)
def test_every_manoeuvre_is_open_to_somebody_without_any_talent(action: str) -> None:
    table = duel(on_map=True, jagna={}, borys={})
    fields: dict[str, Any] = {"path": [(0, 1)]} if action in ("walk", "sneak", "crawl") else {}
    targets = () if action in ("walk", "sneak", "crawl", "drop_prone") else ("borys",)

    assert table.who("jagna").sheet.traits == ()
    assert table.why_not(action, "jagna", *targets, **fields) == []


# The order of an attack


@both_ways
@pytest.mark.clause("MA-060")
def test_an_attack_goes_through_its_steps_in_order(on_map: bool) -> None:
    table = duel(on_map, borys={}, jagna={})
    put(table, "jagna", "dodge_modifier", 2)
    put(table, "borys", "hit_modifier", 3)

    done = table.play(
        "leaping_attack", "borys", "jagna", immediate_response="none", defend="dodge", to_hit=54, damage=6
    )

    told = [type(event).__name__ for event in done.events if not isinstance(event, ev.Turned)]
    assert told == [
        "ActionTaken",
        "BudgetChanged",
        "AttackMade",
        "DefenceResolved",
        "BudgetChanged",
        "CheckRolled",
        "HitsScored",
        "DamageDealt",
        "PoolChanged",
        "EffectBegan",
    ]
    assert [term.id for term in done.check.terms] == [
        "base_st",
        "dodge",
        "dodge_modifier",
        "leaping_attack",
        "mel",
        "hit_modifier",
    ]
    assert [ask.key.rsplit("/", 1)[-1] for ask in done.asked] == ["immediate_response", "defend", "to_hit", "damage"]


# The end of a turn


@pytest.mark.clause("MA-070")
def test_only_the_end_of_the_turn_passes_it_on() -> None:
    table = set_ap(duel(on_map=True, borys={}, jagna={}), borys=0)

    assert table.turn == "borys"
    table.end_turn()
    assert table.turn == "jagna"


@pytest.mark.clause("MA-070")
def test_a_modifier_for_two_turns_given_in_somebody_elses_turn_lasts_for_the_next_two() -> None:
    table = duel(on_map=True, jagna={}, borys={})
    put(table, "borys", "hit_modifier", 5, rounds=2)
    seen = []

    for _ in range(3):
        table.end_turn()
        seen.append(table.has("borys", "hit_modifier"))
        table.end_turn()

    assert seen == [True, True, False]


@pytest.mark.clause("MA-070")
def test_given_in_the_own_turn_that_turn_is_counted() -> None:
    table = duel(on_map=True, borys={}, jagna={})
    put(table, "borys", "hit_modifier", 5, rounds=1)

    table.end_turn()

    assert not table.has("borys", "hit_modifier")


@pytest.mark.clause("MA-070")
def test_a_modifier_may_last_until_the_end_of_a_named_combatants_turn() -> None:
    table = fight(borys={}, halina={}, jagna={})
    put(table, "borys", "hit_modifier", 5, against="halina")

    table.end_turn()
    assert table.has("borys", "hit_modifier")
    table.end_turn()
    assert not table.has("borys", "hit_modifier")


@pytest.mark.clause("MA-070")
def test_a_modifier_for_the_next_use_is_gone_once_it_has_been_added() -> None:
    table = duel(on_map=True, borys={}, jagna={})
    put(table, "borys", "next_hit_modifier", 5)
    put(table, "jagna", "next_parry_modifier", -4)
    put(table, "jagna", "next_dodge_modifier", 6)
    fields = {"immediate_response": "none", "defend": "dodge"}

    first = table.play("melee_attack", "borys", "jagna", **fields, to_hit=51, damage=1)
    second = table.play("melee_attack", "borys", "jagna", **fields, to_hit=1)

    assert [term.id for term in first.check.terms] == [
        "base_st",
        "dodge",
        "next_dodge_modifier",
        "mel",
        "next_hit_modifier",
    ]
    assert [term.id for term in second.check.terms] == ["base_st", "dodge", "mel"]
    assert table.has("jagna", "next_parry_modifier"), "it was not used"


@pytest.mark.clause("MA-070")
def test_turn_over_bars_everything_and_falls_with_the_turn() -> None:
    table = duel(on_map=True, borys={}, jagna={})
    table.play("leaping_attack", "borys", "jagna", immediate_response="none", defend="none", to_hit=1)

    for action, fields in (
        ("walk", {"path": [(0, 1)]}),
        ("drop_prone", {}),
        ("ready_item", {"weapon": "sword", "options": {"handling": "put_away"}}),
    ):
        assert table.why_not(action, "borys", **fields) == ["turn_over"]
    table.end_turn()
    assert not table.has("borys", "turn_over")


# With and without a map


@pytest.mark.clause("MA-080")
@pytest.mark.parametrize(
    ("spot", "far"), [((3, 2), 300), ((2, 3), 300), ((3, 3), 300), ((-3, 2), 300), ((1, 1), 100), ((0, 1), 100)]
)
def test_distance_is_the_greater_of_the_two_differences(spot: tuple[int, int], far: int) -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": spot})

    assert table.table.space.distance("borys", "jagna") == far


@pytest.mark.clause("MA-080")
@pytest.mark.parametrize(
    ("action", "fields", "missing"),
    [
        ("melee_attack", {}, "/said/distance"),
        ("grab", {}, "/said/distance"),
        ("charge", {}, "/said/distance"),
        ("charge", {"said": {"distance": {"jagna": 4}}}, "/said/units_free"),
        ("walk", {}, "/said/length"),
        ("sneak", {"said": {"length": 2}}, "/said/sees"),
        ("sneak", {"said": {"length": 2, "sees": {"jagna": False}}}, "/said/distance"),
        ("sneak", {"said": {"length": 2, "sees": {"jagna": True}}}, "/options/behind"),
        ("drop_prone", {"options": {"direction": "left"}}, "/said/destination_free"),
    ],
)
def test_what_is_needed_and_not_stated_is_missing(action: str, fields: dict[str, Any], missing: str) -> None:
    table = fight(borys={}, jagna={})
    targets = ("jagna",) if action in ("melee_attack", "grab", "charge") else ()

    found = table.reasons(action, "borys", *targets, **fields)

    assert [(reason.code, reason.clause, reason.at) for reason in found] == [("missing_input", "MA-080", missing)]


@pytest.mark.clause("MA-080")
def test_a_shot_needs_distance_and_sight() -> None:
    table = fight(halina={}, jagna={})

    assert table.reasons("ranged_attack", "halina", "jagna")[0].at in ("/said/distance", "/said/sees")
    said = {"distance": {"jagna": 30}, "sees": {"jagna": True}}
    assert table.why_not("ranged_attack", "halina", "jagna", said=said) == []


@pytest.mark.clause("MA-080")
def test_who_is_stated_to_be_engaged_is_adjacent() -> None:
    table = fight(borys={}, jagna={})
    table.rule(cmd.SetEngaged(CombatantId("borys"), CombatantId("jagna"), engaged=True))

    assert table.why_not("melee_attack", "borys", "jagna") == []


# Refusals


@pytest.mark.clause("MA-090")
def test_a_refused_submission_changes_nothing() -> None:
    table = set_pool(duel(on_map=True, far=9, borys={}, jagna={}), "borys", "ep", 19)
    before = table.state

    with pytest.raises(Refused) as refused:
        table.play("sprint", "borys", path=[(6, 1)])

    assert table.state == before
    assert [(one.code, one.need, one.got) for one in refused.value.reasons] == [("not_enough_ep", 20, 19)]


@pytest.mark.clause("MA-095")
def test_a_refusal_lists_every_reason_in_the_order_of_the_table() -> None:
    table = duel(on_map=True, far=9, jagna={}, borys={})
    set_pool(set_pool(set_ap(table, jagna=3), "jagna", "ep", 5), "jagna", "fatigue", 1)
    put(table, "jagna", "knocked_down")

    found = table.reasons("sprint", "jagna", path=[(6, 1)])

    assert [(one.code, one.need, one.got) for one in found] == [
        ("not_enough_ap", 4, 3),
        ("must_stand", None, None),
        ("not_enough_ep", 20, 5),
        ("fatigued_cannot_run", None, None),
    ]


@pytest.mark.clause("MA-095")
def test_within_one_clause_the_order_is_that_of_the_ledger() -> None:
    table = duel(on_map=True, far=3, jagna={"items": {}}, borys={})
    table.rule(cmd.SetItem(CombatantId("jagna"), ItemId("dagger"), Item("dagger")))

    found = table.reasons("melee_attack", "jagna", "borys", weapon="dagger")

    assert [one.code for one in found] == ["out_of_reach", "weapon_not_ready"]


@pytest.mark.clause("MA-095")
def test_what_cannot_be_judged_is_left_out() -> None:
    table = set_ap(fight(borys={"at": (0, 0, NORTH)}, jagna={"at": (3, 1)}), borys=1)

    assert table.why_not("charge", "borys", "jagna") == ["path_not_straight"], "a crooked way has no price"


@pytest.mark.clause("MA-095")
def test_refusals_of_the_engine_stand_alone() -> None:
    table = set_ap(duel(on_map=True, borys={}, jagna={}), borys=0)

    assert table.why_not("somersault", "borys", "jagna") == ["unknown_action"]


@pytest.mark.clause("MA-095")
def test_a_wrong_answer_is_refused_and_the_decision_stays_open() -> None:
    table = duel(on_map=True, jagna={}, borys={"items": {}})

    with pytest.raises(Refused) as refused:
        table.play("melee_attack", "jagna", "borys", immediate_response="none", defend="parry")

    assert [(one.code, one.clause) for one in refused.value.reasons] == [("defence_not_legal", "MA-220")]
    assert table.turn == "jagna"
    assert ap(table, "jagna") == 10
