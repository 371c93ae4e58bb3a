"""What the list offers before anything is filled in: a way still to be named takes nothing off it."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.commands import AddEffect
from app.engine.ids import CombatantId
from app.engine.listing import ActionView, listing
from app.engine.preview import preview
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable


def on_map(far: float, **more: Any) -> PlayTable:
    return fight(s={"at": (0, 0, 90)}, x={"at": (far, 0, 270)}, **more)


def stated(far: float, **more: Any) -> PlayTable:
    return fight(s={}, x={}, apart={"sx": far}, **more)


BOTH = pytest.mark.parametrize("setting", [on_map, stated], ids=["map", "stated"])


def listed(table: PlayTable, action: str, who: str = "s") -> ActionView:
    return next(view for view in listing(table.table, CombatantId(who)) if view.id == action)


@BOTH
@pytest.mark.clause("GU-620", "GU-650", "GU-780", "GU-900")
@pytest.mark.parametrize(
    ("far", "offered"),
    [
        (1, {"attack", "feint", "all_out_attack", "move_and_attack"}),
        (2, {"attack", "feint", "all_out_attack", "move_and_attack"}),
        (3, {"all_out_attack", "move_and_attack"}),
        (5, {"move_and_attack"}),
        (6, set()),
    ],
)
def test_who_can_be_reached_with_the_movement_of_a_maneuver_is_offered(
    setting: Any, far: int, offered: set[str]
) -> None:
    table = setting(far)

    found = [listed(table, one) for one in ("attack", "feint", "all_out_attack", "move_and_attack")]

    assert {view.id for view in found if any(target.available for target in view.targets)} == offered


@BOTH
@pytest.mark.clause("GU-620")
def test_without_the_way_it_is_refused_where_the_way_belongs(setting: Any) -> None:
    table = setting(2)
    at = "/path" if table.table.has_map else "/said/length"

    reasons = table.reasons("attack", "s", "x", weapon="thrusting_broadsword")

    assert [(one.code, one.clause, one.at) for one in reasons] == [("out_of_reach", "GU-620", at)]
    far = setting(9).reasons("attack", "s", "x", weapon="thrusting_broadsword")
    assert [(one.code, one.at) for one in far] == [("out_of_reach", "/targets/0")]


@pytest.mark.clause("GU-1610")
def test_to_the_stunned_nothing_is_offered_but_doing_nothing_and_what_is_free() -> None:
    table = stated(1)
    table.rule(AddEffect(CombatantId("s"), "stunned_physical"))

    maneuvers = {
        view.id
        for view in listing(table.table, CombatantId("s"))
        if view.available and any(way.cost for way in view.types)
    }

    assert maneuvers == {"do_nothing"}


@pytest.mark.clause("GU-1410")
def test_an_event_in_words_is_offered_only_to_who_waits_for_one() -> None:
    table = stated(1)
    assert not listed(table, "wait_event").available
    words = {"trigger": "custom", "text": "the bell rings", "response": "attack"}
    table.play("wait", "s", weapon="thrusting_broadsword", options=words)
    assert listed(table, "wait_event").available


@pytest.mark.clause("GU-2130", "GU-2150")
def test_shock_that_is_the_worst_already_is_told_once_and_death_ends_reeling_in_silence() -> None:
    table = fight(r={}, x={}, apart={"rx": 5})
    played = table.play(
        "attack",
        "r",
        "x",
        weapon="assault_rifle",
        options={"shots": 5},
        to_hit=(3, 3, 2),
        defend="none",
        damage=[(3, 3, 3, 3, 3)] * 3,
        death=[(6, 5, 5)],
        knockdown=[(3, 3, 3)] * 2,
    )

    assert len([event for event in played.of(ev.EffectBegan) if event.effect.kind == "shock"]) == 1
    ended = [(event.kind, event.why) for event in played.of(ev.EffectEnded) if event.kind == "reeling"]
    assert ended == [("reeling", "dead")]


@BOTH
@pytest.mark.clause("GU-1000")
def test_a_move_is_aimed_at_nobody_and_says_so_only_to_whoever_tries(setting: Any) -> None:
    table = setting(3)

    view = listed(table, "move")

    assert (view.available, view.targets) == (True, ())
    assert "move_allows_no_attack" in table.why_not("move", "s", "x")


@pytest.mark.clause("GU-720", "GU-730")
def test_the_preview_of_two_blows_shows_both_tests() -> None:
    items = {"sword": Item("shortsword", held="main"), "knife": Item("large_knife", held="off")}
    table = fight(s={"items": items, "skills": {"shortsword": 14, "knife": 14}}, x={}, apart={"sx": 1})
    sub = table.submission(
        "all_out_attack", "s", "x", weapon="sword", second_weapon="knife", options={"option": "double"}
    )

    checks = [one for one in preview(table.rules, table.state, sub).checks if one.purpose == "attack"]

    assert [(one.check, one.target) for one in checks] == [("shortsword", 14), ("knife", 10)]
