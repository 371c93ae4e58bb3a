"""The GM changes things while an attack or a way is under way: what is left goes on."""

from functools import partial

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.asks import Answer, Ask, Faces, Input, Question, Roll
from app.engine.ids import CombatantId, ItemId
from app.engine.run import Outcome, StoredRuling, run
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable


def midway(table: PlayTable, sub: cmd.Submission, at: str, *changes: cmd.Change, **answers: str) -> Outcome:
    """Play it with threes, up to the question whose key ends so; then the GM rules, and it is played on."""

    def source(ask: Ask, until: str) -> Input | None:
        if until and ask.key.endswith(until):
            return None
        if isinstance(ask, Roll):
            return Faces((3,) * ask.count, "client")
        assert isinstance(ask, Question)
        return Answer(answers.get(ask.kind, ask.default))

    waiting = run(table.rules, table.state, cmd.Act(sub), inputs={}, source=partial(source, until=at))
    assert waiting.open, [type(one.event).__name__ for one in waiting.events]
    ruling = StoredRuling(len(waiting.events), cmd.Rule("so be it", changes))
    done = run(
        table.rules,
        table.state,
        cmd.Act(sub),
        inputs=waiting.inputs,
        source=partial(source, until=""),
        rulings=(ruling,),
    )
    assert not done.open
    return done


def told(outcome: Outcome, kind: type[ev.Event]) -> list[ev.AnyEvent]:
    return [one.event for one in outcome.events if isinstance(one.event, kind)]


def taken(who: str, item: str) -> cmd.SetItem:
    return cmd.SetItem(CombatantId(who), ItemId(item), None)


@pytest.mark.clause("GU-270")
def test_a_weapon_that_is_taken_while_the_foe_defends_has_struck_all_the_same() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (1, 0, 270)})
    sub = table.submission("attack", "s", "x", weapon=ItemId("thrusting_broadsword"))

    done = midway(table, sub, "/defend", taken("s", "thrusting_broadsword"))

    assert told(done, ev.DamageDealt)


@pytest.mark.clause("GU-2030")
def test_rounds_are_gone_though_the_magazine_is_changed_in_the_midst() -> None:
    table = fight(r={}, x={}, apart={"rx": 5})
    sub = table.submission("attack", "r", "x", weapon=ItemId("assault_rifle"), options={"shots": 3})
    rifle = table.who("r").items["assault_rifle"]
    emptied = cmd.SetItem(
        CombatantId("r"), ItemId("assault_rifle"), type(rifle)(rifle.kind, held="both", marks={"ammo": 0})
    )

    done = midway(table, sub, "/to_hit", emptied)

    assert done.state.combatants[CombatantId("r")].items["assault_rifle"].marks["ammo"] == 0


@pytest.mark.clause("GU-2520")
def test_a_zone_is_under_fire_no_more_once_the_weapon_is_taken() -> None:
    table = fight(r={"at": (0, 0, 90)}, x={"at": (12, 5, 270)})
    options = {"option": "suppression_fire", "zones": (5,), "centres": ((1200, 0),)}
    table.play("all_out_attack", "r", weapon="assault_rifle", options=options)
    table.end_turn()
    table.rule(taken("r", "assault_rifle"))

    done = table.play("move", "x", path=[(12, 5), (12, 2)])

    assert not done.asked


@pytest.mark.clause("GU-1430")
def test_a_wait_whose_weapon_is_gone_is_no_blow_with_the_fist() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (3, 0, 270)})
    options = {"trigger": "comes_within", "distance": 1, "response": "attack"}
    table.play("wait", "s", weapon="thrusting_broadsword", options=options)
    table.end_turn()
    table.rule(taken("s", "thrusting_broadsword"))

    done = table.play("move", "x", path=[(3, 0), (1, 0)], use_wait="hold")

    assert done.questions("use_wait")[0].best == "hold"


@pytest.mark.clause("GU-110")
@pytest.mark.parametrize(
    "change",
    [
        cmd.AddEffect(CombatantId("x"), "stunned_physical"),
        cmd.AddEffect(CombatantId("x"), "off_balance"),
        cmd.AddEffect(CombatantId("x"), "unconscious"),
        cmd.SetStatus(CombatantId("x"), "dead"),
        cmd.AddEffect(CombatantId("x"), "sitting"),
    ],
    ids=lambda change: getattr(change, "kind", "dead"),
)
def test_who_cannot_go_on_goes_no_further_though_the_waiter_holds(change: cmd.Change) -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (5, 0, 270)})
    options = {"trigger": "comes_within", "distance": 3, "response": "attack"}
    table.play("wait", "s", weapon="thrusting_broadsword", options=options)
    table.end_turn()
    sub = table.submission("move_and_attack", "x", "s", weapon=ItemId("axe"), path=[(5, 0), (1, 0)])

    done = midway(table, sub, "/use_wait", change)

    assert not told(done, ev.Moved)


@pytest.mark.clause("GU-080")
def test_a_turn_passes_on_only_when_what_was_under_way_is_through() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (1, 0, 270)})
    sub = table.submission("attack", "s", "x", weapon=ItemId("thrusting_broadsword"))

    done = midway(table, sub, "/defend", cmd.SetStatus(CombatantId("s"), "dead"))

    kinds = [type(one.event) for one in done.events]
    assert kinds.index(ev.TurnEnded) > kinds.index(ev.DamageDealt)
    assert kinds.count(ev.TurnEnded) == 1
    slot = done.state.clock.slot
    assert slot is not None
    assert slot.owner == "x"
