"""Delay: a banked half action between two turns. Clauses DH-3250 to DH-3300, with initiative DH-5010 to DH-5040."""

from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.run import run
from app.engine.state import State
from tests.support.play import PlayTable, combatant, duel, ruleset


def three(**options: Any) -> PlayTable:
    """Vane, Gorm and Sable in this order, 20 m apart and not in melee."""
    return duel(20, vane={"sample": "vane"}, gorm={"sample": "gorm"}, sable={"sample": "sable"}, options=options)


@pytest.mark.clause("DH-3250")
def test_delay_ends_the_turn_at_once_and_banks_a_half_action() -> None:
    table = three()

    done = table.play("delay", "vane", delay_use="hold")

    assert table.turn == "gorm"
    assert table.has("vane", "delaying")
    assert [event.combatant for event in done.of(ev.TurnEnded)] == ["vane"]


@pytest.mark.clause("DH-3250")
def test_delay_needs_the_whole_turn() -> None:
    table = three()
    table.play("aim", "vane")

    assert table.why_not("delay", "vane") == ["insufficient_actions"]


@pytest.mark.clause("DH-3250")
def test_a_table_may_let_delay_cost_a_half_action() -> None:
    table = three(delay_cost="half")
    table.play("aim", "vane")

    assert table.why_not("delay", "vane") == []


@pytest.mark.clause("DH-3250", "DH-1120")
def test_the_delayer_keeps_his_reaction_while_he_waits() -> None:
    table = duel(1, vane={"sample": "vane"}, gorm={"sample": "gorm", "held": {"great_weapon": "both"}})
    table.play("delay", "vane", delay_use="hold")

    done = table.play("standard_attack", "gorm", "vane", to_hit=30, defend="dodge", dodge=40)

    assert done.one(ev.DefenceResolved).negated == (1,)


@pytest.mark.clause("DH-3260", "DH-3270")
def test_the_banked_half_action_is_taken_between_two_turns() -> None:
    table = three()
    table.play("delay", "vane", delay_use="hold")

    table.end_turn(delay_use="act")

    assert (table.turn, table.who("vane").budget["half_action"]) == ("vane", 1)
    table.play("standard_attack", "vane", "sable", to_hit=99)
    assert table.turn == "sable"
    assert not table.has("vane", "delaying")


@pytest.mark.clause("DH-3260")
def test_not_inside_another_turn_under_way() -> None:
    table = three()
    table.play("delay", "vane", delay_use="hold")

    reasons = table.reasons("standard_attack", "vane", "sable")

    assert [(reason.code, reason.clause) for reason in reasons] == [("turn_in_progress", "DH-3260")]


@pytest.mark.clause("DH-3260")
def test_only_a_half_action_fits_into_the_gap() -> None:
    table = three()
    table.play("delay", "vane", delay_use="hold")
    table.end_turn(delay_use="act")

    assert "insufficient_actions" in table.why_not("aim", "vane", type="full")


@pytest.mark.clause("DH-3260")
def test_the_late_action_may_be_let_go() -> None:
    table = three()
    table.play("delay", "vane", delay_use="hold")
    table.end_turn(delay_use="act")

    table.end_turn()

    assert table.turn == "sable"
    assert not table.has("vane", "delaying")


@pytest.mark.clause("DH-3270", "DH-1120")
def test_no_reaction_while_the_late_action_resolves() -> None:
    table = three()
    table.play("delay", "vane", delay_use="hold")

    table.end_turn(delay_use="act")

    assert table.table.is_turn_of(CombatantId("vane"))


@pytest.mark.clause("DH-3280")
def test_no_second_attack_by_delay() -> None:
    table = three(delay_cost="half")
    table.play("standard_attack", "vane", "sable", to_hit=99)
    table.rule(cmd.SetItem(CombatantId("vane"), _key("autogun"), _autogun()))
    table.play("delay", "vane", delay_use="hold")
    table.end_turn(delay_use="act")

    assert table.why_not("semi_auto_burst", "vane", "sable") == ["attack_limit"]
    reasons = table.reasons("standard_attack", "vane", "sable")
    assert [(reason.code, reason.clause) for reason in reasons] == [
        ("same_half_action_twice", "DH-1020"),
        ("attack_limit", "DH-1070"),
    ]
    assert table.why_not("aim", "vane") == []


def _key(name: str) -> Any:
    from app.engine.ids import ItemId

    return ItemId(name)


def _autogun() -> Any:
    from app.engine.state import Item

    return Item("autogun", held="both", marks={"ammo": 30})


@pytest.mark.clause("DH-3290")
def test_an_unused_delay_is_lost_at_the_next_turn() -> None:
    table = three()
    table.play("delay", "vane", delay_use="hold")
    table.end_turn(delay_use="hold")

    done = table.end_turn(delay_use="hold")

    assert [(event.kind, event.why) for event in done.of(ev.EffectEnded)] == [("delaying", "expired")]
    assert table.who("vane").budget["half_action"] == 2


@pytest.mark.clause("DH-3300")
def test_two_who_claim_one_gap_test_agility_and_the_other_keeps_his_action() -> None:
    table = duel(20, sable={"sample": "sable"}, vane={"sample": "vane"}, gorm={"sample": "gorm"})
    table.play("delay", "sable", delay_use="hold")
    table.play("delay", "vane", sable__delay_use="hold", vane__delay_use="hold")

    done = table.end_turn(
        sable__delay_use="act",
        vane__delay_use="act",
        delay_order1__sable__delay_order=40,
        delay_order1__vane__delay_order=12,
    )

    assert [check.degrees for check in done.of(ev.CheckRolled)] == [1, 4]
    assert table.turn == "vane"
    table.play("free_action", "vane", note="now!")
    table.play("aim", "vane", sable__delay_use="act")
    assert table.turn == "sable"


@pytest.mark.clause("DH-3300", "DH-2110")
def test_a_double_failure_for_the_order_is_rolled_again() -> None:
    table = duel(20, a={"sample": "vane"}, b={"sample": "vane"}, gorm={"sample": "gorm"})
    table.play("delay", "a", delay_use="hold")
    table.play("delay", "b", a__delay_use="hold", b__delay_use="hold")

    table.end_turn(
        a__delay_use="act",
        b__delay_use="act",
        delay_order1__a__delay_order=77,
        delay_order1__b__delay_order=91,
        delay_order2__a__delay_order=12,
        delay_order2__b__delay_order=33,
    )

    assert table.turn == "a"


@pytest.mark.clause("DH-3300")
def test_three_who_claim_one_gap_rank_by_degrees_of_one_roll() -> None:
    table = duel(20, a={"sample": "vane"}, b={"sample": "vane"}, c={"sample": "vane"}, gorm={"sample": "gorm"})
    hold = {"a__delay_use": "hold", "b__delay_use": "hold", "c__delay_use": "hold"}
    table.play("delay", "a", a__delay_use="hold")
    table.play("delay", "b", a__delay_use="hold", b__delay_use="hold")
    table.play("delay", "c", **hold)

    done = table.end_turn(
        a__delay_use="act",
        b__delay_use="act",
        c__delay_use="act",
        a__delay_order=35,
        b__delay_order=5,
        c__delay_order=90,
    )

    assert len(done.of(ev.CheckRolled)) == 3
    assert table.turn == "b"


# Initiative


def fresh(*names: str) -> State:
    """Samples that have not started yet."""
    rules = ruleset()
    bodies = [combatant(rules, name, name) for name in names]
    return State(rules.id, dice="client", combatants={body.id: body for body in bodies})


@pytest.mark.clause("DH-5010")
def test_initiative_is_a_d10_and_the_agility_bonus_with_ties_settled() -> None:
    table = PlayTable(ruleset(), fresh("vane", "sable", "brok", "gorm"))

    table.command(
        cmd.Start(),
        vane__initiative=[6, 4],
        sable__initiative=[6, 8],
        brok__initiative=9,
        gorm__initiative=3,
    )

    order = [body.id for body in table.table.in_order()]
    assert order == ["brok", "sable", "vane", "gorm"]
    assert [table.who(name).standing[0] for name in order] == [11, 10, 10, 5]
    assert (table.turn, table.state.clock.round) == ("brok", 1)


@pytest.mark.clause("DH-5010")
def test_a_tie_goes_to_the_higher_agility_bonus_before_any_new_die() -> None:
    table = PlayTable(ruleset(), fresh("vane", "brok"))

    table.command(cmd.Start(), vane__initiative=4, brok__initiative=6)

    assert [body.id for body in table.table.in_order()] == ["vane", "brok"]


@pytest.mark.clause("DH-5020")
@pytest.mark.parametrize(("die", "acts_this_round"), [(10, False), (1, True)])
def test_a_newcomer_whose_place_has_passed_acts_next_round(die: int, acts_this_round: bool) -> None:
    table = PlayTable(ruleset(), fresh("brok", "gorm"))
    table.command(cmd.Start(), brok__initiative=5, gorm__initiative=4)

    table.command(cmd.Join((combatant(ruleset(), "vane", "vane"),)), initiative=die)

    acted = "vane" in table.state.clock.acted
    assert acted != acts_this_round
    assert table.who("vane").budget["reaction"] == 1


@pytest.mark.clause("DH-5030", "DH-1110")
def test_everybody_has_one_turn_a_round() -> None:
    table = three()

    turns = []
    for _ in range(4):
        turns.append((table.state.clock.round, table.turn))
        table.end_turn()

    assert turns == [(1, "vane"), (1, "gorm"), (1, "sable"), (2, "vane")]


@pytest.mark.clause("DH-5040")
def test_the_surprised_lose_their_first_turn_and_are_easier_to_hit() -> None:
    table = PlayTable(ruleset(), fresh("vane", "brok"))
    table.command(cmd.Start((CombatantId("brok"),)), vane__initiative=9, brok__initiative=5)

    assert "surprised" in table.why_not("aim", "brok")
    from app.engine.space.model import Said

    sub = table.submission("standard_attack", "vane", "brok")
    sub = msgspec.structs.replace(sub, said=Said(distance={"brok": 6000}))
    outcome = run(table.rules, table.state, cmd.Act(sub), inputs={}, source=lambda ask: None)
    assert outcome.open[0].target == 85  # type: ignore[union-attr]
    done = table.end_turn()

    assert [event.kind for event in done.of(ev.EffectEnded)] == ["surprised"]
    assert table.turn == "vane"
    assert table.why_not("aim", "vane") == []


@pytest.mark.clause("DH-5040", "DH-1130")
def test_the_surprised_have_no_reaction() -> None:
    table = PlayTable(ruleset(), fresh("vane", "sable"))
    table.command(cmd.Start((CombatantId("sable"),)), vane__initiative=9, sable__initiative=5)
    table.rule(cmd.SetFact(CombatantId("vane"), CombatantId("sable"), _near()))

    done = table.play("standard_attack", "vane", "sable", to_hit=50, damage=1)

    assert done.questions("defend") == []


def _near() -> Any:
    from app.engine.space.model import PairFact

    return PairFact(distance=2000)


# Where the table lets it come between two actions of somebody else


@pytest.mark.clause("DH-3260", "DH-3270")
def test_a_table_may_let_it_come_between_two_actions_of_anothers_turn() -> None:
    table = three(delay_window="between_actions")
    table.play("delay", "vane", delay_use="hold")
    table.play("aim", "gorm")

    done = table.play("standard_attack", "vane", "gorm", to_hit=99)

    assert [type(event).__name__ for event in done.events][:4] == [
        "SlotQueued",
        "EffectEnded",
        "TurnBegan",
        "BudgetChanged",
    ]
    assert [(one.combatant, one.kind, one.fresh) for one in done.of(ev.TurnBegan)] == [
        ("vane", "late", False),
        ("gorm", "turn", False),
    ]
    assert table.turn == "gorm"
    assert table.who("gorm").budget["half_action"] == 1
    assert table.why_not("aim", "gorm") == ["same_half_action_twice", "second_concentration_action"]
    assert not table.has("vane", "delaying")


@pytest.mark.clause("DH-3260", "DH-1190")
def test_only_a_banked_half_action_comes_in_between() -> None:
    table = three(delay_window="between_actions")
    table.play("delay", "vane", delay_use="hold")

    def found(action: str, who: str, **given: Any) -> list[tuple[str, str]]:
        return [(reason.code, reason.clause) for reason in table.reasons(action, who, **given)]

    assert found("aim", "vane", type="full") == [("insufficient_actions", "DH-1010")]
    assert found("drop_item", "vane", weapon="autogun") == [("not_your_turn", "DH-1190")]
    assert found("end_turn", "vane") == [("not_your_turn", "DH-1190")]
    assert found("aim", "sable") == [("not_your_turn", "DH-1190"), ("no_delay_banked", "DH-3260")]
    assert found("end_turn", "sable") == [("not_your_turn", "DH-1190")]
    assert found("aim", "vane") == []


@pytest.mark.clause("DH-3260", "DH-1120")
def test_whose_turn_it_comes_between_has_no_reaction_in_it() -> None:
    table = duel(
        1,
        vane={"sample": "vane", "held": {"sword": "main"}},
        gorm={"sample": "gorm"},
        options={"delay_window": "between_actions"},
    )
    table.play("delay", "vane", delay_use="hold")

    done = table.play("standard_attack", "vane", "gorm", to_hit=20, damage=1)

    assert done.questions("defend") == []


@pytest.mark.clause("DH-3280", "DH-3260")
def test_it_counts_as_part_of_the_delayers_own_turn_there_too() -> None:
    table = three(delay_window="between_actions", delay_cost="half")
    table.play("standard_attack", "vane", "gorm", to_hit=90)
    table.play("delay", "vane", delay_use="hold")

    assert table.why_not("semi_auto_burst", "vane", "gorm") == ["attack_limit"]
    assert table.why_not("move", "vane", said={"length": 2}) == []


@pytest.mark.clause("DH-3260")
def test_a_turn_goes_on_to_the_next_if_its_owner_cannot_after_it() -> None:
    table = duel(
        80,
        vane={"sample": "vane"},
        gorm={"sample": "gorm", "wounds_max": 1, "minion": 1, "t": 9},
        sable={"sample": "sable"},
        options={"delay_window": "between_actions"},
    )
    table.play("delay", "vane", delay_use="hold")

    table.play("standard_attack", "vane", "gorm", to_hit=20, damage=9)

    assert table.who("gorm").status == "dead"
    assert table.turn == "sable"


@pytest.mark.clause("DH-3260")
def test_it_may_still_be_taken_between_two_turns() -> None:
    table = three(delay_window="between_actions")
    table.play("delay", "vane", delay_use="act")

    assert table.turn == "vane"
    table.play("aim", "vane")
    assert table.turn == "gorm"
