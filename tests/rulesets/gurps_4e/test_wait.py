"""Wait: declaring it, what sets it off, becoming its maneuver in the middle of somebody else's slot."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import events as ev
from app.engine.commands import AddEffect, SetItem
from app.engine.ids import CombatantId, ItemId
from app.engine.reasons import Refused
from app.engine.space.model import Ground, Place, Wall
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable, combatant, ruleset, table_of

SWORD, AXE, SPEAR = "thrusting_broadsword", "axe", "spear"
STRIKE = {"trigger": "enters_reach", "response": "attack"}


def waiting(table: PlayTable, who: str = "s", weapon: str = SWORD, *targets: str, **options: Any) -> None:
    """He waits, and his slot is over."""
    table.play("wait", who, *targets, weapon=weapon, options={**STRIKE, **options})
    table.end_turn()


def on_map(**more: Any) -> PlayTable:
    """The swordsman at the origin, the axeman 5 yards to his right, and whoever else."""
    return fight(s={"at": (0, 0, 90)}, x={"at": (5, 0, 270)}, **more)


def stated(**more: Any) -> PlayTable:
    """The same without a map."""
    return fight(s={}, x={}, apart={"sx": 5}, **more)


def comes(table: PlayTable, action: str = "move_and_attack", yards: float = 4, **given: Any) -> Any:
    """The axeman comes so many yards toward the swordsman."""
    where: dict[str, Any] = {"path": [(5 - yards, 0)]} if table.table.has_map else {"said": {"length": yards}}
    options = dict(given.pop("options", {}))
    if not table.table.has_map:
        options["toward"] = "s"
    targets = () if action == "move" else ("s",)
    weapon = {} if action == "move" else {"weapon": AXE}
    return table.play(action, "x", *targets, options=options, **weapon, **where, **given)


BOTH = pytest.mark.parametrize("setting", [on_map, stated], ids=["map", "stated"])

# Declaring


@pytest.mark.clause("GU-1400")
def test_a_wait_states_its_event_and_its_response() -> None:
    table = stated()
    assert table.why_not("wait", "s", weapon=SWORD, options={"response": "attack"}) == ["wait_needs_trigger"]
    assert table.why_not("wait", "s", weapon=SWORD, options={"trigger": "enters_reach"}) == ["wait_needs_response"]
    table.play(
        "wait",
        "s",
        weapon=SWORD,
        options={
            "trigger": "comes_within",
            "distance": 1,
            "response": "all_out_attack",
            "response_option": "determined",
        },
    )
    record = table.table.effect("s", "waiting")  # type: ignore[arg-type]
    assert record is not None
    assert record.clause == "GU-1400"
    assert (record.item, record.word) == (SWORD, "comes_within")
    assert record.declared["response"] == "all_out_attack"
    assert record.declared["response_option"] == "determined"


@pytest.mark.clause("GU-1400")
@pytest.mark.parametrize(
    "response", ["move", "wait", "aim", "concentrate", "evaluate", "all_out_defense", "do_nothing"]
)
def test_a_wait_becomes_one_of_four_maneuvers(response: str) -> None:
    table = stated()
    reasons = table.reasons("wait", "s", weapon=SWORD, options={**STRIKE, "response": response})
    assert [(reason.code, reason.clause) for reason in reasons] == [("wait_response_not_allowed", "GU-1400")]


@pytest.mark.clause("GU-1400")
def test_all_out_attack_in_a_wait_names_an_option_that_an_interrupt_has_room_for() -> None:
    table = stated()
    options = {**STRIKE, "response": "all_out_attack"}
    assert table.why_not("wait", "s", weapon=SWORD, options=options) == ["option_required"]
    raking = {**options, "response_option": "suppression_fire"}
    assert table.why_not("wait", "s", weapon=SWORD, options=raking) == ["full_turn_maneuver"]
    for option in ("determined", "double", "feint", "strong"):
        assert table.why_not("wait", "s", weapon=SWORD, options={**options, "response_option": option}) == []


@pytest.mark.clause("GU-1400")
def test_the_weapon_of_the_response_is_ready_when_it_is_declared() -> None:
    table = fight(r={}, x={}, apart={"rx": 5})
    options = {"trigger": "starts_maneuver", "response": "attack"}
    assert table.why_not("wait", "r", weapon="auto_pistol", options=options) == ["weapon_not_ready"]
    assert table.why_not("wait", "r", weapon="assault_rifle", options=options) == []
    ready = {"trigger": "starts_maneuver", "response": "ready", "response_option": "draw"}
    assert table.why_not("wait", "r", weapon="auto_pistol", options=ready) == []


@pytest.mark.clause("GU-1440")
@BOTH
def test_nobody_moves_while_he_waits(setting: Any) -> None:
    table = setting()
    where = {"path": [(1, 0)]} if table.table.has_map else {"said": {"length": 1}}
    reasons = table.reasons("wait", "s", weapon=SWORD, options=STRIKE, **where)
    assert [(reason.code, reason.clause) for reason in reasons] == [("movement_not_allowed", "GU-1440")]


@pytest.mark.clause("GU-1440")
def test_nobody_turns_while_he_waits() -> None:
    assert on_map().why_not("wait", "s", weapon=SWORD, options=STRIKE, facing=0) == ["movement_not_allowed"]


# What sets it off


@pytest.mark.clause("GU-1410", "GU-1420")
@BOTH
def test_a_foe_who_enters_the_reach_is_struck_and_goes_on(setting: Any) -> None:
    table = setting()
    waiting(table)
    played = comes(table, use_wait="act", to_hit=[(4, 3, 4), (3, 3, 3)], defend=["none", "none"], damage=[4, (1, 1)])
    made = [event.combatant for event in played.of(ev.AttackMade)]
    assert made == ["s", "x"]
    assert table.who("x").pools["hp"] == 14 - 7
    walked = sum(event.distance for event in played.of(ev.Moved) if event.combatant == "x")
    assert walked == 400
    taken = [event for event in played.of(ev.ActionTaken) if event.combatant == "s"]
    assert [(event.action, event.clause, event.counts) for event in taken] == [("attack", "GU-1420", False)]


@pytest.mark.clause("GU-1420")
@BOTH
def test_a_wait_that_is_held_stays_open_and_leaves_no_trace(setting: Any) -> None:
    table = setting()
    waiting(table)
    played = comes(table, "move", use_wait="hold")
    assert table.has("s", "waiting")
    assert [event.distance for event in played.of(ev.Moved)] == [400]
    assert not played.of(ev.DecisionOpened)


@pytest.mark.clause("GU-1410")
@BOTH
@pytest.mark.parametrize(("yards", "fires"), [(2, False), (3, True)])
def test_coming_within_two_yards(setting: Any, yards: int, fires: bool) -> None:
    table = setting()
    waiting(table, trigger="comes_within", distance=2)
    given: dict[str, Any] = {"use_wait": "hold"} if fires else {}
    played = comes(table, "move", yards, **given)
    assert len(played.questions("use_wait")) == (1 if fires else 0)


@pytest.mark.clause("GU-1410")
@BOTH
def test_being_near_already_is_no_event(setting: Any) -> None:
    table = setting()
    waiting(table, trigger="comes_within", distance=6)
    assert not comes(table, "move", 3).questions("use_wait")


@pytest.mark.clause("GU-1410")
@pytest.mark.parametrize(("kinds", "fires"), [((), True), (("move",), True), (("attack", "aim"), False)])
def test_starting_a_maneuver(kinds: tuple[str, ...], fires: bool) -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    options: dict[str, Any] = {"maneuvers": kinds} if kinds else {}
    waiting(table, trigger="starts_maneuver", **options)
    given: dict[str, Any] = {"use_wait": "hold"} if fires else {}
    played = table.play("move", "x", said={"length": 3}, options={"away_from": "s"}, **given)
    assert len(played.questions("use_wait")) == (1 if fires else 0)


@pytest.mark.clause("GU-1410")
def test_a_declaration_is_interrupted_before_anything_of_it_happens() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    waiting(table, trigger="starts_maneuver")
    played = table.play(
        "move",
        "x",
        said={"length": 3},
        options={"away_from": "s"},
        use_wait="act",
        to_hit=(4, 4, 4),
        defend="none",
        damage=1,
    )
    kinds = [type(event) for event in played.events]
    assert kinds.index(ev.AttackMade) < kinds.index(ev.Moved)


@pytest.mark.clause("GU-1410")
@pytest.mark.parametrize(("whom", "fires"), [(None, False), ("s", False), ("p", True)])
def test_attacking_somebody(whom: str | None, fires: bool) -> None:
    table = fight(s={}, x={}, p={"side": "s"}, apart={"sx": 1, "xp": 1, "sp": 1})
    waiting(table, trigger="attacks", **({"whom": whom} if whom else {}))
    given: dict[str, Any] = {"use_wait": "hold"} if fires else {}
    played = table.play("attack", "x", "p", weapon=AXE, to_hit=(6, 6, 4), **given)
    assert len(played.questions("use_wait")) == (1 if fires else 0)


@pytest.mark.clause("GU-1410")
def test_only_the_foe_who_was_named_or_one_of_a_group_is_meant() -> None:
    def two() -> PlayTable:
        return fight(s={}, x={}, x2={}, apart={"sx": 5, "s-x2": 5})

    table = two()
    waiting(table, "s", SWORD, "x2", trigger="starts_maneuver")
    assert not table.play("do_nothing", "x").questions("use_wait")
    table.end_turn()
    assert table.play("do_nothing", "x2", use_wait="hold").questions("use_wait")
    table = two()
    waiting(table, trigger="starts_maneuver", group=["x2"])
    assert not table.play("do_nothing", "x").questions("use_wait")
    table.end_turn()
    assert table.play("do_nothing", "x2", use_wait="hold").questions("use_wait")


@pytest.mark.clause("GU-1410")
def test_a_friend_sets_nothing_off_unless_he_is_named() -> None:
    table = fight(s={}, p={"side": "s"}, x={}, apart={"sp": 5, "sx": 5})
    waiting(table, trigger="starts_maneuver")
    assert not table.play("do_nothing", "p").questions("use_wait")


@pytest.mark.clause("GU-1410")
def test_coming_into_sight_round_a_wall() -> None:
    rules = ruleset("gurps_4e")
    wall = Ground(walls=(Wall((300, -500), (300, 500)),))
    s = combatant(rules, "s", "sample_swordsman", place=Place(0, 0, 90))
    x = combatant(rules, "x", "sample_axeman", place=Place(500, 400, 0))
    table = table_of(s, x, rules=rules, ground=wall)
    table.play("wait", "s", weapon=SWORD, options={"trigger": "becomes_visible", "response": "attack"})
    table.end_turn()
    played = table.play("move", "x", path=[(5, 9)], use_wait="hold")
    assert played.questions("use_wait")


@pytest.mark.clause("GU-1410")
def test_an_event_in_words_is_confirmed_by_the_gm() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    waiting(table, trigger="custom", text="the bell rings")
    assert table.why_not("wait_event", "x") == ["no_open_wait"]
    played = table.play("wait_event", "s", "x", wait_event="no")
    assert not played.of(ev.AttackMade)
    assert table.has("s", "waiting")
    played = table.play(
        "wait_event", "s", "x", wait_event="yes", use_wait="act", to_hit=(4, 4, 4), defend="none", damage=1
    )
    assert played.one(ev.AttackMade).target == "x"
    assert not table.has("s", "waiting")


@pytest.mark.clause("GU-1410")
def test_an_event_in_words_needs_the_words() -> None:
    reasons = stated().reasons("wait", "s", weapon=SWORD, options={"trigger": "custom", "response": "attack"})
    assert [(reason.code, reason.at) for reason in reasons] == [("wait_needs_trigger", "/options/text")]


@pytest.mark.clause("GU-1410")
def test_without_a_map_the_gm_says_whether_a_way_comes_so_near() -> None:
    table = stated()
    waiting(table, trigger="comes_within", distance=2)
    played = table.play("move", "x", said={"length": 3}, wait_event="yes", use_wait="hold")
    assert [question.to for question in played.questions("wait_event")] == ["gm"]
    table = stated()
    waiting(table, trigger="comes_within", distance=2)
    assert not table.play("move", "x", said={"length": 3}, wait_event="no").questions("use_wait")
    table = stated()
    waiting(table, trigger="comes_within", distance=2)
    played = table.play("move", "x", said={"length": 3, "distance_after": {"s": 4}})
    assert not played.questions()


@pytest.mark.clause("GU-1410")
def test_a_retreat_that_comes_near_is_asked_about_when_the_attack_is_done() -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (2, 0, 90)}, p={"at": (4, 0, 270)})
    waiting(table, "s", SWORD, "x", trigger="comes_within", distance=1)
    table.end_turn()
    played = table.play(
        "attack",
        "p",
        "x",
        weapon=SPEAR,
        to_hit=(4, 4, 4),
        defend=("dodge", {"retreat": True}),
        dodge=(6, 6, 6),
        damage=1,
        use_wait="hold",
    )
    asked = [ask.name for ask in played.asked]
    assert asked.index("damage") < asked.index("use_wait")


# Becoming the maneuver


@pytest.mark.clause("GU-1430")
def test_the_response_is_the_one_that_was_declared() -> None:
    table = stated()
    waiting(table)
    with pytest.raises(Refused) as caught:
        comes(table, use_wait="all_out_attack")
    assert [reason.code for reason in caught.value.reasons] == ["wait_response_mismatch"]


@pytest.mark.clause("GU-1430")
def test_a_mode_that_was_declared_is_kept() -> None:
    table = stated()
    waiting(table, mode="thrust")
    with pytest.raises(Refused) as caught:
        comes(table, use_wait=("act", {"mode": "swing"}))
    assert [reason.code for reason in caught.value.reasons] == ["wait_response_mismatch"]


@pytest.mark.clause("GU-1430")
@pytest.mark.parametrize(
    ("declared", "choices", "barred"), [({"mode": "thrust"}, {"thrust"}, {"swing"}), ({}, {"swing", "thrust"}, set())]
)
def test_only_a_mode_that_would_be_taken_is_offered(declared: Any, choices: set[str], barred: set[str]) -> None:
    table = stated()
    table.play("wait", "s", weapon=SWORD, options={"trigger": "enters_reach", "response": "attack", **declared})
    table.end_turn()
    question = comes(table, use_wait="act", to_hit=(6, 6, 4)).questions("use_wait")[0]
    mode = next(one for one in question.options[0].form if one.name == "mode")
    assert (set(mode.choices), set(mode.barred_choices)) == (choices, barred)


@pytest.mark.clause("GU-1430")
@BOTH
def test_what_cannot_be_done_on_the_spot_is_refused_and_can_be_held(setting: Any) -> None:
    table = setting()
    waiting(table, trigger="comes_within", distance=4)
    with pytest.raises(Refused) as caught:
        comes(table, "move", 2, use_wait="act")
    assert [(one.code, one.clause) for one in caught.value.reasons] == [("out_of_reach", "GU-1430")]
    comes(table, "move", 2, use_wait="hold")
    assert table.has("s", "waiting")


@pytest.mark.clause("GU-1430")
def test_a_weapon_that_is_not_ready_any_more_cannot_be_used() -> None:
    table = stated()
    waiting(table)
    item = table.who("s").items[SWORD]
    table.rule(SetItem(CombatantId("s"), ItemId(SWORD), replace(item, held=None)))
    with pytest.raises(Refused) as caught:
        comes(table, use_wait="act")
    assert ("weapon_not_ready", "GU-1430") in [(one.code, one.clause) for one in caught.value.reasons]


@pytest.mark.clause("GU-1440")
def test_the_converted_attack_has_its_step() -> None:
    table = fight(p={"at": (0, 0, 90)}, x={"at": (5, 0, 270)})
    waiting(table, "p", SPEAR, trigger="comes_within", distance=3)
    played = table.play(
        "move",
        "x",
        path=[(2, 0)],
        use_wait=("act", {"path": [(100, 0)]}),
        to_hit=(4, 4, 4),
        defend="none",
        damage=1,
    )
    steps = [event for event in played.of(ev.Moved) if event.combatant == "p"]
    assert [(event.distance, event.clause) for event in steps] == [(100, "GU-650")]


@pytest.mark.clause("GU-1440")
def test_the_converted_attack_has_its_step_without_a_map() -> None:
    table = fight(p={}, x={}, apart={"px": 5})
    waiting(table, "p", SPEAR, trigger="comes_within", distance=3)
    with pytest.raises(Refused) as caught:
        table.play("move", "x", said={"length": 3}, options={"toward": "p"}, use_wait="act")
    assert [reason.code for reason in caught.value.reasons] == ["out_of_reach"]
    played = table.play(
        "move",
        "x",
        said={"length": 3},
        options={"toward": "p"},
        use_wait=("act", {"length": 100}),
        to_hit=(4, 4, 4),
        defend="none",
        damage=1,
    )
    assert [event.distance for event in played.of(ev.Moved) if event.combatant == "p"] == [100]


@pytest.mark.clause("GU-1440")
@pytest.mark.parametrize(("end", "code"), [((200, 0), None), ((0, 200), "not_forward")])
def test_a_converted_all_out_attack_moves_half_and_forward(end: tuple[int, int], code: str | None) -> None:
    table = fight(p={"at": (0, 0, 90)}, x={"at": (5, 0, 270)})
    waiting(
        table,
        "p",
        SPEAR,
        trigger="comes_within",
        distance=4,
        response="all_out_attack",
        response_option="determined",
    )
    answer = ("act", {"path": [end]})
    if code is None:
        played = table.play("move", "x", path=[(2, 0)], use_wait=answer, to_hit=(4, 4, 4), defend="none", damage=1)
        assert played.of(ev.AttackMade)
        return
    with pytest.raises(Refused) as caught:
        table.play("move", "x", path=[(2, 0)], use_wait=answer)
    assert code in [reason.code for reason in caught.value.reasons]


@pytest.mark.clause("GU-1450")
def test_a_wait_that_nobody_sets_off_ends_with_the_next_slot() -> None:
    table = stated()
    waiting(table)
    table.play("do_nothing", "x")
    played = table.end_turn()
    ended = [event for event in played.of(ev.EffectEnded) if event.kind == "waiting"]
    assert [(event.combatant, event.why) for event in ended] == [("s", "expired")]
    assert table.why_not("move", "s", said={"length": 4}, options={"away_from": "x"}) == []


@pytest.mark.clause("GU-1455")
@pytest.mark.parametrize("kind", ["stunned_physical", "stunned_mental", "off_balance", "bound", "unconscious"])
def test_what_ends_a_wait_early(kind: str) -> None:
    table = fight(s={}, x={}, p={"side": "s"}, apart={"sx": 5})
    waiting(table)
    table.rule(AddEffect(CombatantId("s"), kind))
    assert not table.has("s", "waiting")
    assert table.table.effect("s", "maneuver").word == "wait"  # type: ignore[arg-type,union-attr]
    assert not comes(table, "move").questions("use_wait")


@pytest.mark.clause("GU-1455")
def test_a_fall_does_not_end_a_wait() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    waiting(table, trigger="starts_maneuver", mode="swing")
    table.rule(AddEffect(CombatantId("s"), "lying_prone"))
    played = table.play("do_nothing", "x", use_wait="act", to_hit=(4, 4, 4))
    assert played.check.target == 15 - 4


@pytest.mark.clause("GU-1460")
def test_a_waiter_defends_himself_as_ever() -> None:
    table = fight(s={}, x={}, p={}, apart={"sx": 1, "sp": 2})
    waiting(table, "s", SWORD, "p", trigger="starts_maneuver", mode="swing")
    played = table.play("attack", "x", "s", weapon=AXE, to_hit=(4, 4, 4), defend="block", block=(4, 4, 4))
    assert [check.target for check in played.of(ev.CheckRolled) if check.combatant == "s"] == [12]
    assert table.has("s", "waiting")


@pytest.mark.clause("GU-1460", "GU-060")
def test_after_a_converted_all_out_attack_there_is_no_defence() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    waiting(table, trigger="starts_maneuver", response="all_out_attack", response_option="determined", mode="swing")
    played = table.play(
        "attack",
        "x",
        "s",
        weapon=AXE,
        use_wait="act",
        to_hit=[(6, 6, 6), (3, 3, 3)],
        critical_miss=(4, 3, 3),
        damage=(1, 1),
    )
    assert not played.questions("defend")
    assert table.table.effect("s", "maneuver").word == "all_out_attack"  # type: ignore[arg-type,union-attr]


@pytest.mark.clause("GU-1470")
@pytest.mark.parametrize("defends", [True, False])
def test_having_defended_makes_an_all_out_attack_a_plain_one(defends: bool) -> None:
    table = fight(s={}, r={}, x={}, apart={"sr": 10, "sx": 1})
    waiting(
        table,
        "s",
        SWORD,
        "x",
        trigger="starts_maneuver",
        response="all_out_attack",
        response_option="determined",
        mode="swing",
    )
    defence: dict[str, Any] = (
        {"defend": "dodge", "dodge": (3, 2, 2)} if defends else {"defend": "none", "damage": (1, 1, 1, 1, 1)}
    )
    table.play("attack", "r", "s", weapon="assault_rifle", to_hit=(3, 3, 4), **defence)
    table.end_turn()
    late: dict[str, Any] = {} if defends else {"defend": "none", "damage": 1}
    played = table.play("do_nothing", "x", use_wait="act", to_hit=(6, 6, 4), **late)
    taken = next(event for event in played.of(ev.ActionTaken) if event.combatant == "s")
    assert (taken.action, played.check.target) == (("attack", 15) if defends else ("all_out_attack", 19))
    assert table.has("s", "no_active_defense") is not defends


@pytest.mark.clause("GU-1480")
def test_a_converted_wait_is_the_maneuver_of_its_turn() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    table.play("evaluate", "s", "x")
    table.end_turn()
    table.play("do_nothing", "x")
    table.end_turn()
    waiting(table, trigger="starts_maneuver", mode="swing")
    played = table.play("do_nothing", "x", use_wait="act", to_hit=(6, 6, 6), critical_miss=(4, 3, 3))
    assert played.check.target == 16
    table = fight(s={}, x={}, apart={"sx": 1})
    table.play("evaluate", "s", "x")
    table.end_turn()
    table.end_turn()
    waiting(table, trigger="starts_maneuver", mode="swing")
    table.play("do_nothing", "x", use_wait="hold")
    table.end_turn()
    played = table.play("attack", "s", "x", weapon=SWORD, to_hit=(6, 6, 6), critical_miss=(4, 3, 3))
    assert played.check.target == 15


@pytest.mark.clause("GU-1480")
def test_a_feint_made_by_a_wait_serves_the_next_turn() -> None:
    table = fight(s={}, x={}, apart={"sx": 1})
    waiting(table, trigger="starts_maneuver", response="feint")
    table.play("do_nothing", "x", use_wait="act", s__feint=(4, 4, 2), x__feint=(6, 5, 4))
    table.end_turn()
    played = table.play(
        "attack",
        "s",
        "x",
        weapon=SWORD,
        to_hit=(4, 4, 4),
        defend="dodge",
        dodge=(3, 3, 3),
        damage=1,
        options={"mode": "swing"},
    )
    assert played.of(ev.CheckRolled)[-1].target == 8 - 5


@pytest.mark.clause("GU-1490")
@BOTH
@pytest.mark.parametrize("falls", [True, False])
def test_two_waits_on_one_event_resolve_in_turn_order(setting: Any, falls: bool) -> None:
    if setting is on_map:
        table = fight(p={"at": (0, 0, 90), "side": "s"}, s={"at": (0, 1, 90)}, x={"at": (5, 0, 270), "hp_max": 14})
    else:
        table = fight(p={"side": "s"}, s={}, x={}, apart={"px": 5, "sx": 5})
    table.play("wait", "p", weapon=SPEAR, options={"trigger": "comes_within", "distance": 2, "response": "attack"})
    table.end_turn()
    table.play("wait", "s", weapon=SWORD, options={"trigger": "comes_within", "distance": 2, "response": "attack"})
    table.end_turn()
    where: dict[str, Any] = (
        {"path": [(1, 0)]}
        if setting is on_map
        else {"said": {"length": 4, "distance_after": {"p": 1, "s": 1}}, "options": {"toward": "p"}}
    )
    played = table.play(
        "move",
        "x",
        **where,
        use_wait=["act", *(["hold"] if not falls else [])],
        to_hit=(4, 4, 4),
        defend="none",
        damage=6 if falls else 1,
        **({"knockdown": (5, 5, 5)} if falls else {}),
    )
    asked = [question.to for question in played.questions("use_wait")]
    assert asked == (["p"] if falls else ["p", "s"])
    assert table.has("s", "waiting")


@pytest.mark.clause("GU-1540")
def test_a_faster_friend_acts_right_after_a_slower_one() -> None:
    table = fight(p={"side": "s"}, s={}, x={}, apart={"px": 2, "sx": 1, "ps": 1})
    table.play("wait", "p", weapon=SPEAR, options={"trigger": "ally_acts", "ally": "s", "response": "attack"})
    table.end_turn()
    played = table.play(
        "attack",
        "s",
        "x",
        weapon=SWORD,
        to_hit=[(6, 6, 4), (4, 4, 4)],
        use_wait="act",
        defend="none",
        damage=1,
    )
    assert [event.combatant for event in played.of(ev.AttackMade)] == ["s", "p"]
    assert table.turn == "s"


@pytest.mark.clause("GU-1530")
@pytest.mark.parametrize("yes", [True, False])
def test_a_reflex_is_one_motion_and_the_gm_has_the_last_word(yes: bool) -> None:
    table = fight(s={}, x={}, apart={"sx": 5})
    played = table.play(
        "wait",
        "s",
        options={
            "kind": "reflex",
            "trigger": "custom",
            "text": "slam the grate",
            "response": "ready",
            "response_option": "task",
        },
        single_motion="yes" if yes else "no",
    )
    assert table.has("s", "waiting") is yes
    assert table.who("s").budget["maneuver"] == (0 if yes else 1)
    stopped = played.of(ev.ActionStopped)
    assert [(event.why, event.clause) for event in stopped] == ([] if yes else [("not_a_single_motion", "GU-1530")])
    assert table.why_not("move", "s", said={"length": 1}, options={"away_from": "x"}) == (
        ["maneuver_already_used"] if yes else []
    )
