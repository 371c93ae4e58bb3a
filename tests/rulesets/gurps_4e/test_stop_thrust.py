"""Stop thrust: on whom, who strikes first, what the run of the foe is worth."""

from typing import Any

import pytest

from app.engine import events as ev
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable

SPEAR, AXE, SWORD = "spear", "axe", "thrusting_broadsword"


def on_map(yards: float = 6, **more: Any) -> PlayTable:
    """The spearman at the origin, the axeman so many yards to his right."""
    return fight(p={"at": (0, 0, 90)}, x={"at": (yards, 0, 270), "basic_move": 8, "hp_max": 40}, **more)


def stated(yards: float = 6, **more: Any) -> PlayTable:
    """The same without a map."""
    return fight(p={}, x={"basic_move": 8, "hp_max": 40}, apart={"px": yards}, **more)


BOTH = pytest.mark.parametrize("setting", [on_map, stated], ids=["map", "stated"])


def set_up(table: PlayTable, who: str = "p", weapon: str = SPEAR, **options: Any) -> None:
    """He waits with his point toward whoever comes."""
    table.play("wait", who, weapon=weapon, options={"kind": "stop_thrust", "response": "attack", **options})
    table.end_turn()


def comes(table: PlayTable, yards: float, start: float = 6, action: str = "move_and_attack", **given: Any) -> Any:
    """The axeman comes so many yards at the spearman."""
    options = dict(given.pop("options", {}))
    where: dict[str, Any] = {"path": [(start - yards, 0)]}
    if not table.table.has_map:
        where = {"said": {"length": yards}}
        options["toward"] = "p"
    targets = () if action == "move" else ("p",)
    weapon = {} if action == "move" else {"weapon": given.pop("weapon", AXE)}
    if weapon.get("weapon") is None:
        weapon = {}
    return table.play(action, "x", *targets, options=options, **weapon, **where, **given)


@pytest.mark.clause("GU-1550")
def test_it_takes_a_ready_weapon_with_a_thrusting_point() -> None:
    options = {"kind": "stop_thrust", "response": "attack"}
    table = fight(p={}, x={}, apart={"px": 5})
    assert table.why_not("wait", "p", weapon=SPEAR, options=options) == []
    assert table.why_not("wait", "p", weapon="large_knife", options=options) == [
        "weapon_not_ready",
        "needs_thrusting_weapon",
    ]
    assert table.why_not("wait", "p", options=options) == [], "the spear in his hands"
    axeman = fight(x={}, p={}, apart={"px": 5})
    reasons = axeman.reasons("wait", "x", weapon=AXE, options=options)
    assert [(reason.code, reason.clause) for reason in reasons] == [("needs_thrusting_weapon", "GU-1550")]


@pytest.mark.clause("GU-1550")
@pytest.mark.parametrize("response", ["feint", "ready"])
def test_it_becomes_an_attack(response: str) -> None:
    table = fight(p={}, x={}, apart={"px": 5})
    options = {"kind": "stop_thrust", "response": response}
    assert table.why_not("wait", "p", weapon=SPEAR, options=options) == ["wait_response_not_allowed"]


@pytest.mark.clause("GU-1550", "GU-1560")
@BOTH
def test_who_runs_at_a_longer_weapon_is_struck_first(setting: Any) -> None:
    table = setting()
    set_up(table)
    played = comes(table, 5, use_wait="act", to_hit=[(4, 4, 4), (3, 3, 3)], defend=["none", "none"], damage=[1, (1, 1)])
    assert [event.combatant for event in played.of(ev.AttackMade)] == ["p", "x"]
    assert played.of(ev.AttackMade)[0].target == "x"


@pytest.mark.clause("GU-1550")
@BOTH
def test_who_is_near_already_and_does_not_move_sets_nothing_off(setting: Any) -> None:
    table = setting(1)
    set_up(table)
    played = table.play("attack", "x", "p", weapon=AXE, to_hit=(6, 6, 4))
    assert not played.questions("use_wait")


@pytest.mark.clause("GU-1550")
@BOTH
def test_who_only_comes_closer_sets_nothing_off(setting: Any) -> None:
    table = setting()
    set_up(table)
    assert not comes(table, 5, action="move").questions("use_wait")


@pytest.mark.clause("GU-1550", "GU-1560")
def test_who_wants_to_get_past_is_struck_the_same_way() -> None:
    table = fight(p={"at": (0, 0, 90)}, x={"at": (4, 1.2, 270), "basic_move": 8, "hp_max": 40})
    set_up(table)
    played = table.play("move", "x", path=[(-4, 1.2)], use_wait="act", to_hit=(4, 4, 4), defend="none", damage=1)
    assert [event.combatant for event in played.of(ev.AttackMade)] == ["p"]
    walked = sum(event.distance for event in played.of(ev.Moved) if event.combatant == "x")
    assert walked == 800


@pytest.mark.clause("GU-1560")
@pytest.mark.parametrize(("option", "first"), [("foe_first", "x"), ("quick_contest", "s")])
def test_equal_reach(option: str, first: str) -> None:
    table = fight(
        s={"at": (0, 0, 90)}, x={"at": (5, 0, 270)}, options={} if option == "foe_first" else {"equal_reach": option}
    )
    set_up(table, "s", SWORD)
    contest: dict[str, Any] = {}
    if option == "quick_contest":
        contest = {"s__strike_first": (3, 3, 3), "x__strike_first": (4, 4, 4)}
    played = table.play(
        "move_and_attack",
        "x",
        "s",
        weapon=AXE,
        path=[(1, 0)],
        use_wait="act",
        to_hit=[(3, 3, 3), (3, 3, 3)],
        defend=["none", "none"],
        damage=[1, (1, 1)] if first == "s" else [(1, 1), 1],
        **contest,
    )
    assert [event.combatant for event in played.of(ev.AttackMade)] == [first, "x" if first == "s" else "s"]


@pytest.mark.clause("GU-1560")
def test_a_lost_contest_leaves_the_thrust_for_afterwards() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (5, 0, 270)}, options={"equal_reach": "quick_contest"})
    set_up(table, "s", SWORD)
    played = table.play(
        "move_and_attack",
        "x",
        "s",
        weapon=AXE,
        path=[(1, 0)],
        use_wait=["act", "act"],
        s__strike_first=(6, 6, 4),
        x__strike_first=(3, 3, 3),
        to_hit=[(3, 3, 3), (3, 3, 3)],
        defend=["none", "none"],
        damage=[(1, 1), 1],
    )
    assert [event.combatant for event in played.of(ev.AttackMade)] == ["x", "s"]


@pytest.mark.clause("GU-1560")
def test_a_waiter_who_can_no_longer_does_not_strike_back() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (5, 0, 270)})
    set_up(table, "s", SWORD)
    played = table.play(
        "move_and_attack",
        "x",
        "s",
        weapon=AXE,
        path=[(1, 0)],
        to_hit=(3, 3, 3),
        defend="none",
        damage=(6, 6),
        knockdown=(6, 6, 5),
    )
    assert not played.questions("use_wait")
    assert table.who("s").status == "down"


@pytest.mark.clause("GU-1570")
@BOTH
@pytest.mark.parametrize(("approach", "bonus"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2)])
def test_one_more_for_every_two_yards_of_his_run(setting: Any, approach: int, bonus: int) -> None:
    # on a map he is within two yards of the spear from 2.49 on
    start = approach + (2.49 if setting is on_map else 2)
    table = setting(start)
    set_up(table)
    played = comes(
        table,
        approach + 1,
        start,
        use_wait="act",
        to_hit=[(4, 4, 4), (6, 6, 4)],
        defend="none",
        damage=1,
    )
    dealt = played.one(ev.DamageDealt)
    terms = {term.id: (term.value, term.clause) for term in dealt.terms}
    assert terms.get("stop_thrust", (0, "GU-1570")) == (bonus, "GU-1570")
    assert dealt.raw == 1 + 2 + bonus


@pytest.mark.clause("GU-1570", "GU-490")
@pytest.mark.parametrize(("start", "walked", "bonus"), [(6, 3.51, 1), (5, 2.51, 1), (4, 1.51, 0), (6.48, 3.99, 1)])
def test_only_full_yards_of_the_real_way_count(start: float, walked: float, bonus: int) -> None:
    table = on_map(start)
    set_up(table)
    played = comes(table, start - 1, start, use_wait="act", to_hit=[(4, 4, 4), (6, 6, 4)], defend="none", damage=1)
    assert played.of(ev.Moved)[0].distance == round(walked * 100)
    terms = {term.id: term.value for term in played.one(ev.DamageDealt).terms}
    assert terms.get("stop_thrust", 0) == bonus


@pytest.mark.clause("GU-1570")
def test_a_thrust_that_is_defended_has_no_use_of_it() -> None:
    table = on_map()
    set_up(table)
    played = comes(table, 5, use_wait="act", to_hit=[(4, 4, 4), (6, 6, 4)], defend="dodge", dodge=(2, 2, 2))
    assert not played.of(ev.DamageDealt)
    assert {term.id for term in played.check.terms}.isdisjoint({"stop_thrust"})


@pytest.mark.clause("GU-1580")
def test_it_adds_to_all_out_attack_strong() -> None:
    table = on_map(6.49)
    set_up(table, response="all_out_attack", response_option="strong")
    played = comes(table, 5, 6.49, use_wait="act", to_hit=[(4, 4, 4), (6, 6, 4)], defend="none", damage=1)
    assert played.one(ev.DamageDealt).raw == 1 + 2 + 2 + 2
    assert table.has("p", "no_active_defense")


@pytest.mark.clause("GU-1580")
def test_each_thrust_of_a_double_has_it() -> None:
    table = on_map(6.49)
    set_up(table, response="all_out_attack", response_option="double")
    to_hit, defend = [(4, 4, 4), (4, 4, 4), (6, 6, 4)], ["none", "none"]
    played = comes(table, 5, 6.49, use_wait="act", to_hit=to_hit, defend=defend, damage=[1, 1])
    assert [event.raw for event in played.of(ev.DamageDealt)] == [5, 5]


@pytest.mark.clause("GU-1590")
def test_he_defends_by_the_maneuver_he_is_in() -> None:
    table = on_map()
    set_up(table)
    played = comes(table, 5, use_wait="act", to_hit=[(4, 4, 4), (6, 6, 4)], defend="dodge", dodge=(2, 2, 2))
    question = played.questions("defend")[0]
    assert [option.id for option in question.options] == ["dodge", "none"]
    retreats = [field for option in question.options for field in option.form if field.name == "retreat"]
    assert all(field.barred for field in retreats)


@pytest.mark.clause("GU-1590", "GU-060")
def test_who_has_declared_an_all_out_attack_has_no_defence_against_it() -> None:
    table = fight(p={"at": (0, 0, 90)}, x={"at": (3, 0, 270)})
    set_up(table)
    played = table.play(
        "all_out_attack",
        "x",
        "p",
        weapon=AXE,
        options={"option": "strong"},
        path=[(1, 0)],
        use_wait="act",
        to_hit=[(4, 4, 4), (6, 6, 4)],
        damage=1,
    )
    assert not played.questions("defend")
    assert [event.combatant for event in played.of(ev.AttackMade)] == ["p", "x"]


@pytest.mark.clause("GU-1590", "GU-100")
def test_a_retreat_may_spoil_his_own_reach_and_then_he_is_asked_how_to_go_on() -> None:
    table = fight(p={"at": (0, 0, 90)}, x={"at": (3, 0, 270)})
    set_up(table)
    played = table.play(
        "attack",
        "x",
        "p",
        weapon=AXE,
        options={"form": "throw"},
        path=[(2, 0)],
        use_wait="act",
        to_hit=[(4, 4, 4), (5, 4, 4)],
        defend=("dodge", {"retreat": True}),
        dodge=(3, 3, 3),
        way__resume_turn="stop",
    )
    assert [event.combatant for event in played.of(ev.AttackMade)] == ["p", "x"]
