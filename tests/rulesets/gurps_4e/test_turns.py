"""One-second turns: whose slot it is, one maneuver in it, what begins and ends with it."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Roll
from app.engine.ids import CombatantId
from app.engine.state import State
from rulesets.gurps_4e.maneuvers import MANEUVERS
from tests.rulesets.gurps_4e.fights import SAMPLES, fight
from tests.support.play import Played, PlayTable, combatant, ruleset

SWORD = {"weapon": "thrusting_broadsword", "options": {"mode": "swing"}}
NEAR = {"sx": 1, "sp": 1, "xp": 1}


def gathered(**people: Any) -> PlayTable:
    """The same people before the fight has started."""
    rules = ruleset("gurps_4e")
    bodies = [
        combatant(rules, name, changes.get("sample", SAMPLES.get(name[0], "sample_swordsman")), **_figures(changes))
        for name, changes in people.items()
    ]
    state = State(rules.id, dice="client", combatants={body.id: body for body in bodies})
    return PlayTable(rules, state)


def _figures(changes: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in changes.items() if key != "sample"}


def order_of(table: PlayTable) -> list[str]:
    return [body.id for body in table.table.in_order()]


def with_effect(table: PlayTable, who: str, *kinds: str) -> PlayTable:
    for kind in kinds:
        table.rule(cmd.AddEffect(CombatantId(who), kind))
    return table


# GU-010 and GU-020: one maneuver, in one's own slot


@pytest.mark.clause("GU-010")
def test_the_thirteen_maneuvers_are_the_actions_of_this_game_that_use_up_a_slot() -> None:
    actions = ruleset("gurps_4e").actions
    using = {name for name, action in actions.items() if "maneuver" in action.costs}

    assert using == set(MANEUVERS)
    assert len(using) == 13


@pytest.mark.clause("GU-010")
def test_a_second_maneuver_in_the_same_slot_is_refused() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.play("attack", "s", "x", **SWORD, to_hit=(5, 5, 6))

    refused = table.reasons("move", "s", said={"length": 1})

    assert [(one.code, one.clause) for one in refused] == [("maneuver_already_used", "GU-010")]


@pytest.mark.clause("GU-010")
def test_what_is_on_no_list_is_no_action() -> None:
    table = fight(s={}, x={}, apart=NEAR)

    refused = table.reasons("charge", "s", "x")

    assert [(one.code, one.clause) for one in refused] == [("unknown_action", "GU-010")]


@pytest.mark.clause("GU-010")
def test_a_free_action_leaves_the_maneuver() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.play("talk", "s", note="Have at you!")

    assert table.why_not("attack", "s", "x", **SWORD) == []


@pytest.mark.clause("GU-020")
def test_a_maneuver_out_of_the_slot_is_refused() -> None:
    table = fight(r={}, p={}, s={}, x={}, apart=NEAR)
    table.end_turn()

    assert table.turn == "p"
    refused = table.reasons("attack", "x", "s", weapon="axe")
    assert [(one.code, one.clause) for one in refused] == [("not_your_turn", "GU-020")]


@pytest.mark.clause("GU-020")
@pytest.mark.parametrize("action", ["do_nothing", "crouch", "end_turn", "evaluate", "change_posture"])
def test_nothing_but_speech_is_done_in_the_slot_of_another(action: str) -> None:
    table = gathered(s={}, x={})
    table.command(cmd.Start())
    target = ("s",) if action == "evaluate" else ()
    options = {"posture": "kneeling"} if action == "change_posture" else {}

    assert "not_your_turn" in table.why_not(action, "x", *target, options=options)
    assert table.why_not("talk", "x", note="Wait!") == []


@pytest.mark.clause("GU-020", "GU-300")
def test_a_defence_needs_no_slot() -> None:
    table = fight(s={}, x={}, apart=NEAR)

    done = table.play("attack", "s", "x", **SWORD, to_hit=(4, 3, 4), defend="dodge", dodge=(2, 3, 3))

    assert done.one(ev.DefenceResolved).negated == (1,)


# GU-030: the order


@pytest.mark.clause("GU-030")
def test_quarters_of_speed_then_dx_settle_the_order_without_a_die() -> None:
    table = gathered(x={}, s={}, p={}, r={})

    done = table.command(cmd.Start())

    assert order_of(table) == ["r", "p", "s", "x"]
    assert [(event.combatant, event.standing) for event in done.of(ev.StandingSet)] == [
        ("r", (600, 13)),
        ("p", (600, 12)),
        ("s", (575, 12)),
        ("x", (575, 11)),
    ]
    assert done.asked == ()
    assert table.turn == "r"


@pytest.mark.clause("GU-030")
def test_a_quarter_of_speed_goes_before_any_dx() -> None:
    table = gathered(slow={"basic_speed": 550, "dx": 18}, fast={"basic_speed": 575, "dx": 9})
    table.command(cmd.Start())

    assert order_of(table) == ["fast", "slow"]


@pytest.mark.clause("GU-030")
def test_speed_that_no_sheet_states_is_a_quarter_of_ht_and_dx() -> None:
    people = {name: {"dx": dx, "ht": 10} for name, dx in (("x1", 11), ("x2", 12))}
    table = gathered(**people)
    for name in people:
        body = table.state.combatants[CombatantId(name)]
        stats = {key: value for key, value in body.sheet.stats.items() if key != "basic_speed"}
        table.state = replace(
            table.state,
            combatants={**table.state.combatants, body.id: replace(body, sheet=replace(body.sheet, stats=stats))},
        )
    table.command(cmd.Start())

    assert [table.who(name).standing for name in order_of(table)] == [(550, 12), (525, 11)]


@pytest.mark.clause("GU-030")
def test_two_guards_who_are_alike_roll_a_die_each() -> None:
    guard = {"basic_speed": 550, "dx": 11}
    table = gathered(guard1=guard, guard2=guard)

    done = table.command(cmd.Start(), guard1__tie_break=4, guard2__tie_break=2)

    assert order_of(table) == ["guard1", "guard2"]
    assert [event.dice[0].value for event in done.of(ev.StandingSet)] == [4, 2]


@pytest.mark.clause("GU-030")
def test_equal_dice_are_rolled_again_by_those_alone() -> None:
    guard = {"basic_speed": 550, "dx": 11}
    table = gathered(guard1=guard, guard2=guard, guard3=guard)

    table.command(cmd.Start(), guard1__tie_break=[3, 5], guard2__tie_break=[3, 6], guard3__tie_break=1)

    assert order_of(table) == ["guard2", "guard1", "guard3"]


@pytest.mark.clause("GU-030")
def test_all_who_are_tied_roll_at_once() -> None:
    guard = {"basic_speed": 550, "dx": 11}
    table = gathered(guard1=guard, guard2=guard)

    done = table.command(cmd.Start(), guard1__tie_break=..., guard2__tie_break=...)

    assert [(ask.by, ask.count, ask.sides) for ask in done.open if isinstance(ask, Roll)] == [
        ("guard1", 1, 6),
        ("guard2", 1, 6),
    ]


@pytest.mark.clause("GU-030")
def test_the_order_is_the_same_in_every_round_whatever_befalls_somebody() -> None:
    table = gathered(x={}, s={}, p={}, r={})
    table.command(cmd.Start())
    with_effect(table, "r", "kneeling", "bound")
    table.rule(cmd.SetPool(CombatantId("r"), "hp", 2))

    turns = []
    for _ in range(8):
        turns.append((table.state.clock.round, table.turn))
        table.end_turn()

    assert turns == [(number, who) for number in (1, 2) for who in ("r", "p", "s", "x")]


@pytest.mark.clause("GU-030")
def test_a_round_ends_after_the_last_slot() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.end_turn()

    done = table.end_turn()

    assert done.one(ev.RoundBegan).round == 2
    assert table.turn == "s"


def joining(name: str, **fields: Any) -> cmd.Join:
    return cmd.Join((combatant(ruleset("gurps_4e"), name, SAMPLES.get(name[0], "sample_swordsman"), **fields),))


@pytest.mark.clause("GU-030")
def test_a_newcomer_acts_in_this_round_only_if_his_place_has_not_passed() -> None:
    table = gathered(s={}, x={})
    table.command(cmd.Start())
    table.command(joining("r"))
    table.command(joining("late", basic_speed=500))

    turns = [table.turn]
    for _ in range(5):
        table.end_turn()
        turns.append(table.turn)

    assert turns == ["s", "x", "late", "r", "s", "x"]


@pytest.mark.clause("GU-030")
def test_a_newcomer_who_is_like_somebody_rolls_against_him_and_nobody_else_moves() -> None:
    guard = {"basic_speed": 550, "dx": 11}
    table = gathered(guard1=guard, guard2=guard)
    table.command(cmd.Start(), guard1__tie_break=5, guard2__tie_break=2)

    done = table.command(joining("guard3", **guard), guard3__tie_break=4)

    assert order_of(table) == ["guard1", "guard3", "guard2"]
    assert [event.combatant for event in done.of(ev.StandingSet)] == ["guard3"]


@pytest.mark.clause("GU-030")
def test_who_never_had_to_roll_rolls_when_a_newcomer_is_like_him() -> None:
    guard = {"basic_speed": 550, "dx": 11}
    table = gathered(guard1=guard, x={})
    table.command(cmd.Start())

    table.command(joining("guard2", **guard), guard1__tie_break=3, guard2__tie_break=4)

    assert order_of(table) == ["x", "guard2", "guard1"]


# GU-040: until the next turn, and on the next turn


def parried_at(table: PlayTable, attacker: str, **given: Any) -> int:
    """The number against which S parries an attack that hits."""
    axe = {"weapon": "axe"} if attacker == "x" else {"weapon": "spear"}
    done = table.play("attack", attacker, "s", **axe, to_hit=(3, 3, 4), defend="parry", parry=(3, 3, 2), **given)
    found = [event for event in done.of(ev.CheckRolled) if event.purpose == "defend"]
    target: int = found[0].target
    return target


@pytest.mark.clause("GU-040", "GU-1110")
def test_what_lasts_until_the_next_turn_is_gone_before_the_next_maneuver_is_chosen() -> None:
    table = fight(s={}, x={}, p={}, apart=NEAR)
    table.play("all_out_defense", "s", options={"option": "increased_parry"})
    table.end_turn()

    assert parried_at(table, "x") == 14

    table.end_turn()
    opened = table.end_turn()

    ended = [event.kind for event in opened.of(ev.EffectEnded)]
    assert "all_out_defending" in ended
    kinds = [type(event) for event in opened.events]
    assert kinds.index(ev.TurnBegan) < kinds.index(ev.EffectEnded)
    assert not table.has("s", "all_out_defending")
    assert table.why_not("attack", "s", "x", **SWORD) == []


@pytest.mark.clause("GU-040", "GU-1910")
def test_what_is_good_on_the_next_turn_is_gone_when_the_one_after_begins() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.play("evaluate", "s", "x")
    table.end_turn()
    table.end_turn()

    assert table.has("s", "evaluating")

    table.play("move", "s", said={"length": 1})
    table.end_turn()
    table.end_turn()

    assert not table.has("s", "evaluating")


@pytest.mark.clause("GU-040", "GU-330")
def test_a_turn_runs_to_ones_own_next_slot_not_to_the_end_of_the_round() -> None:
    table = fight(x={}, s={}, p={}, apart=NEAR)
    table.play("attack", "x", "s", weapon="axe", to_hit=(3, 3, 4), defend="parry", parry=(3, 3, 2))
    table.end_turn()

    assert not table.has("s", "parried")

    table.end_turn()
    table.rule(cmd.SetItem(CombatantId("p"), "spear", replace(table.who("p").items["spear"], marks={"reach": 1})))  # type: ignore[arg-type]
    assert parried_at(table, "p") == 12
    table.end_turn()

    assert table.state.clock.round == 2
    assert parried_at(table, "x") == 8


# GU-050: before the first slot


def shot_at_x(table: PlayTable, **given: Any) -> Played:
    return table.play("attack", "r", "x", weapon="assault_rifle", to_hit=(3, 3, 4), **given)


@pytest.mark.clause("GU-050", "GU-1600")
def test_who_has_had_no_slot_defends_as_if_he_had_done_nothing() -> None:
    table = fight(r={}, x={}, apart={"rx": 10})

    done = shot_at_x(table, defend="dodge", dodge=(3, 3, 2))

    assert [event.target for event in done.of(ev.CheckRolled) if event.purpose == "defend"] == [8]
    assert {option.id for option in done.questions("defend")[0].options} == {"dodge", "dodge_and_drop", "none"}


@pytest.mark.clause("GU-050", "GU-1620")
def test_who_is_surprised_defends_at_minus_4() -> None:
    table = gathered(r={}, x={})
    table.command(cmd.Start(surprised=(CombatantId("x"),)))

    done = shot_at_x(table, said={"distance": {"x": 10}}, defend="dodge", dodge=(1, 1, 2))

    assert [event.target for event in done.of(ev.CheckRolled) if event.purpose == "defend"] == [4]


# GU-060: the last maneuver rules


@pytest.mark.clause("GU-060", "GU-790")
def test_a_maneuver_rules_the_defence_from_the_moment_it_is_chosen() -> None:
    table = fight(x={}, s={}, apart=NEAR)

    done = table.play("all_out_attack", "x", "s", weapon="axe", options={"option": "strong"}, to_hit=(5, 5, 6))

    names = [event.effect.kind for event in done.of(ev.EffectBegan)]
    assert names[:2] == ["maneuver", "no_active_defense"]
    kinds = [type(event) for event in done.events]
    assert kinds.index(ev.EffectBegan) < kinds.index(ev.AttackMade)


@pytest.mark.clause("GU-060", "GU-790")
def test_after_an_all_out_attack_nobody_is_asked_for_a_defence_until_the_next_slot() -> None:
    table = fight(x={}, s={}, p={}, apart=NEAR)
    table.play("all_out_attack", "x", "s", weapon="axe", options={"option": "strong"}, to_hit=(5, 5, 6))
    table.end_turn()

    done = table.play("attack", "s", "x", **SWORD, to_hit=(4, 3, 4), damage=1)

    assert done.questions() == []
    assert done.one(ev.DamageDealt).target == "x"

    table.end_turn()
    table.end_turn()
    table.play("do_nothing", "x")
    table.end_turn()
    again = table.play("attack", "s", "x", **SWORD, to_hit=(4, 3, 4), defend="dodge", dodge=(2, 2, 2))
    assert again.one(ev.DefenceResolved).negated == (1,)


@pytest.mark.clause("GU-060")
def test_the_last_maneuver_is_kept_until_another_is_chosen() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.play("move_and_attack", "s", "x", **SWORD, to_hit=(5, 5, 6))

    for _ in range(2):
        last = table.table.effect(CombatantId("s"), "maneuver")
        assert last is not None
        assert last.word == "move_and_attack"
        table.end_turn()
    table.play("do_nothing", "s")

    last = table.table.effect(CombatantId("s"), "maneuver")
    assert last is not None
    assert last.word == "do_nothing"


THRUST_WAIT = {"kind": "stop_thrust", "response": "attack"}


@pytest.mark.clause("GU-060", "GU-790", "GU-1590")
@pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])
def test_an_all_out_attack_leaves_no_defence_against_what_interrupts_it(on_map: bool) -> None:
    where: dict[str, Any] = {"path": [(1, 0)]} if on_map else {"said": {"length": 2}}
    table = fight(p={"at": (0, 0, 90)}, x={"at": (3, 0, 270)}) if on_map else fight(p={}, x={}, apart={"px": 3})
    table.play("wait", "p", weapon="spear", options=THRUST_WAIT)
    table.end_turn()
    options = {"option": "strong", **({} if on_map else {"toward": "p"})}

    done = table.play(
        "all_out_attack",
        "x",
        "p",
        weapon="axe",
        options=options,
        **where,
        use_wait="act",
        to_hit=[(4, 4, 4), (5, 5, 6)],
        damage=1,
    )

    assert [event.combatant for event in done.of(ev.AttackMade)] == ["p", "x"]
    assert done.questions("defend") == []
    assert done.of(ev.DamageDealt)[0].target == "x"


@pytest.mark.clause("GU-060", "GU-1480")
def test_a_converted_wait_is_the_maneuver_it_became() -> None:
    table = fight(s={}, x={}, apart={"sx": 3})
    table.play("wait", "s", weapon="thrusting_broadsword", options={"trigger": "enters_reach", "response": "attack"})
    table.end_turn()
    waiting = table.table.effect(CombatantId("s"), "maneuver")
    assert waiting is not None
    assert waiting.word == "wait"

    table.play(
        "move",
        "x",
        said={"length": 2},
        options={"toward": "s"},
        use_wait=("act", {"mode": "swing"}),
        to_hit=(5, 5, 6),
    )

    became = table.table.effect(CombatantId("s"), "maneuver")
    assert became is not None
    assert became.word == "attack"


# GU-070 and GU-1600: who does nothing


@pytest.mark.clause("GU-070", "GU-1600")
def test_who_passes_has_done_nothing() -> None:
    table = fight(s={}, x={}, apart=NEAR)

    done = table.end_turn()

    taken = [event.action for event in done.of(ev.ActionTaken)]
    assert taken == ["do_nothing"]
    told = next(event for event in done.of(ev.ActionTaken) if event.action == "do_nothing")
    assert told.clause == "GU-070"
    last = table.table.effect(CombatantId("s"), "maneuver")
    assert last is not None
    assert last.word == "do_nothing"
    assert done.of(ev.Moved) == []


@pytest.mark.clause("GU-070")
def test_who_passed_may_use_any_defence() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.end_turn()

    done = table.play("attack", "x", "s", weapon="axe", to_hit=(3, 3, 4), defend="none", damage=(1, 1))

    assert {option.id for option in done.questions("defend")[0].options} == {"dodge", "parry", "block", "none"}


@pytest.mark.clause("GU-070")
def test_who_has_taken_a_maneuver_does_not_do_nothing_as_well() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.play("evaluate", "s", "x")

    done = table.end_turn()

    assert "do_nothing" not in [event.action for event in done.of(ev.ActionTaken)]


@pytest.mark.clause("GU-070", "GU-1920")
def test_passing_breaks_what_another_maneuver_would_break() -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    table.play("aim", "r", "x", weapon="assault_rifle")
    table.end_turn()
    table.end_turn()

    assert table.has("r", "aiming")
    table.end_turn()

    assert not table.has("r", "aiming")


@pytest.mark.clause("GU-1600")
def test_do_nothing_can_be_chosen_and_is_nothing_but_that() -> None:
    table = fight(s={}, x={}, apart=NEAR)

    done = table.play("do_nothing", "s")

    assert [event.action for event in done.of(ev.ActionTaken)] == ["do_nothing"]
    assert done.asked == ()
    assert table.turn == "s"


# GU-090: how a slot begins


@pytest.mark.clause("GU-090", "GU-1640")
def test_who_shook_off_his_stun_is_free_of_it_when_his_next_slot_begins() -> None:
    table = with_effect(fight(x={}, s={}, apart=NEAR), "x", "stunned_physical")
    assert table.why_not("attack", "x", "s", weapon="axe") == ["must_do_nothing"]
    table.play("do_nothing", "x")
    table.end_turn(recover_from_stun=(4, 4, 4))

    assert not table.has("x", "stunned_physical")
    assert table.has("x", "stun_aftermath")
    done = table.play("attack", "s", "x", **SWORD, to_hit=(4, 3, 4), defend="dodge", dodge=(2, 2, 2), damage=1)
    assert [event.target for event in done.of(ev.CheckRolled) if event.purpose == "defend"] == [4]

    table.end_turn()
    assert table.turn == "x"
    assert not table.has("x", "stun_aftermath")
    assert table.why_not("attack", "x", "s", weapon="axe") == []


@pytest.mark.clause("GU-090")
def test_what_ends_with_the_slot_ends_in_the_order_of_the_book() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    kinds = ("evaluating", "off_balance", "stun_aftermath", "parried", "all_out_defending")
    with_effect(table, "x", *kinds)
    table.end_turn()
    assert table.has("x", "evaluating")

    table.end_turn()
    with_effect(table, "x", "off_balance", "stun_aftermath", "parried", "all_out_defending")
    done = table.end_turn()

    ended = [event.kind for event in done.of(ev.EffectEnded) if event.combatant == "x"]
    assert ended == ["all_out_defending", "parried", "stun_aftermath", "off_balance", "evaluating"]


@pytest.mark.clause("GU-090", "GU-2130")
def test_shock_earned_since_the_last_slot_begins_before_the_maneuver_is_chosen() -> None:
    table = fight(x={}, s={}, apart=NEAR)
    table.play("attack", "x", "s", weapon="axe", to_hit=(3, 3, 4), defend="none", damage=(1, 2))
    assert not table.has("s", "shock")

    table.end_turn()

    assert table.has("s", "shock")
    done = table.play("attack", "s", "x", **SWORD, to_hit=(5, 5, 6))
    assert ev.Term("shock", -1, done.check.terms[1].clause) in done.check.terms


@pytest.mark.clause("GU-090")
def test_crouching_comes_before_the_maneuver() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.play("evaluate", "s", "x")

    assert "only_at_start_of_turn" in table.why_not("crouch", "s")


@pytest.mark.clause("GU-090", "GU-2160")
def test_consciousness_is_rolled_for_after_the_choice_and_before_the_maneuver() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.rule(cmd.SetPool(CombatantId("s"), "hp", 0))

    done = table.play("attack", "s", "x", **SWORD, consciousness=(3, 4, 4), to_hit=(5, 5, 6))

    purposes = [event.purpose for event in done.of(ev.CheckRolled)]
    assert purposes == ["consciousness", "attack"]
    kinds = [type(event) for event in done.events]
    assert kinds.index(ev.ActionTaken) < kinds.index(ev.CheckRolled)


@pytest.mark.clause("GU-090", "GU-2160")
def test_who_faints_as_he_chooses_loses_the_maneuver_and_the_slot() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    table.rule(cmd.SetPool(CombatantId("s"), "hp", 0))

    done = table.play("attack", "s", "x", **SWORD, consciousness=(5, 4, 4))

    assert done.of(ev.AttackMade) == []
    assert table.has("s", "unconscious")
    assert table.turn == "x"


@pytest.mark.clause("GU-090", "GU-1630")
def test_recovery_is_rolled_for_when_the_slot_ends() -> None:
    table = with_effect(fight(x={}, s={}, apart=NEAR), "x", "stunned_physical")

    chosen = table.play("do_nothing", "x")
    ended = table.end_turn(recover_from_stun=(5, 4, 4))

    assert chosen.of(ev.CheckRolled) == []
    kinds = [type(event) for event in ended.events]
    assert kinds.index(ev.CheckRolled) < kinds.index(ev.TurnEnded)
    assert table.has("x", "stunned_physical")


# GU-130: what the GM adds


def modified(id: str, value: int | None = None) -> tuple[cmd.GivenModifier, ...]:
    return (cmd.GivenModifier(id, value, None if value is None else "the GM says so"),)


def attack_with(table: PlayTable, given: tuple[cmd.GivenModifier, ...], **answers: Any) -> Played:
    sub = replace(table.submission("attack", "s", "x", **SWORD), modifiers=given)
    return table.command(cmd.Act(sub), **answers)


@pytest.mark.clause("GU-130")
def test_what_the_gm_adds_is_an_entry_of_its_own_in_the_sum() -> None:
    table = fight(s={}, x={}, apart=NEAR)

    done = attack_with(table, modified("darkness", -3), to_hit=(5, 5, 3))

    assert done.check.target == 12
    assert ("darkness", -3, "GU-130") in [(one.id, one.value, one.clause) for one in done.check.terms]
    assert done.check.outcome == "failure"


@pytest.mark.clause("GU-130")
def test_a_circumstance_without_a_value_has_the_one_of_the_data() -> None:
    table = fight(s={}, x={}, apart=NEAR)

    done = attack_with(table, modified("bad_light"), to_hit=(5, 5, 3))

    assert ("bad_light", -3) in [(one.id, one.value) for one in done.check.terms]


@pytest.mark.clause("GU-130")
@pytest.mark.parametrize(
    ("given", "dodge"),
    [(("gm_defense", -2), 6), (("gm_defense", 3), 11), (("bad_footing_defense", None), 6), (("darkness", -3), 8)],
)
def test_the_gm_adds_to_a_defence_as_he_does_to_an_attack(given: tuple[str, int | None], dodge: int) -> None:
    table = fight(s={}, x={}, apart=NEAR)

    done = attack_with(table, modified(*given), to_hit=(4, 3, 4), defend="dodge", dodge=(2, 2, 2))

    assert [event.target for event in done.of(ev.CheckRolled) if event.purpose == "defend"] == [dodge]


@pytest.mark.clause("GU-130")
def test_the_gm_adds_to_a_feint_too() -> None:
    table = fight(s={}, x={}, apart=NEAR)
    sub = replace(table.submission("feint", "s", "x", **SWORD), modifiers=modified("darkness", -3))

    done = table.command(cmd.Act(sub), s__feint=(4, 4, 4), x__feint=(4, 4, 4))

    assert [event.target for event in done.of(ev.CheckRolled) if event.combatant == "s"] == [12]


@pytest.mark.clause("GU-130")
def test_what_is_left_to_the_gm_is_a_field_or_a_ruling() -> None:
    table = fight(s={}, x={}, apart=NEAR)

    table.rule(cmd.AddEffect(CombatantId("x"), "bound"))
    done = table.play("attack", "s", "x", **SWORD, to_hit=(4, 3, 4), damage=1)

    assert done.questions() == []
