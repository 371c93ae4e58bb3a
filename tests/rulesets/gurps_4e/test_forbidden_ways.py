"""Maneuvers without movement do not ask for any, and say by which clause they refuse it. Clauses GU-460, GU-1440."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine.ids import CombatantId
from app.engine.listing import listing
from tests.rulesets.gurps_4e.fights import fight

WAIT = {"options": {"trigger": "enters_reach", "response": "attack"}}


@pytest.mark.parametrize(
    ("action", "more", "clause"),
    [
        pytest.param("do_nothing", {}, "GU-460", marks=pytest.mark.clause("GU-460")),
        pytest.param(
            "change_posture", {"options": {"posture": "kneeling"}}, "GU-460", marks=pytest.mark.clause("GU-460")
        ),
        pytest.param("wait", WAIT, "GU-1440", marks=pytest.mark.clause("GU-1440")),
    ],
)
def test_it_needs_no_way_and_refuses_one(action: str, more: dict[str, Any], clause: str) -> None:
    table = fight(s={"at": (0, 0, 90)}, x={"at": (5, 0, 270)})
    [view] = [one for one in listing(table.table, CombatantId("s")) if one.id == action]

    assert not {"path", "facing"} & set(view.needs)
    assert table.why_not(action, "s", **more) == []
    for way in ({"path": [(1, 0)]}, {"facing": 180}):
        assert [(one.code, one.clause) for one in table.reasons(action, "s", **more, **way)] == [
            ("movement_not_allowed", clause)
        ]


@pytest.mark.clause("GU-1300", "GU-1400")
def test_a_wait_lists_what_a_ready_of_its_own_could_draw() -> None:
    table = fight(r={}, x={}, apart={"rx": 5})
    [view] = [one for one in listing(table.table, CombatantId("r")) if one.id == "wait"]
    options = {"trigger": "enters_reach", "response": "ready", "response_option": "draw"}

    assert set(view.weapons) == set(table.who("r").items)
    assert any(table.who("r").items[one].held is None for one in view.weapons)
    assert table.why_not("wait", "r", weapon="auto_pistol", options=options) == []


@pytest.mark.parametrize("on_map", [True, False])
@pytest.mark.clause("GU-410", "GU-1730")
def test_who_can_go_nowhere_is_not_asked_how_far(on_map: bool) -> None:
    places: dict[str, Any] = {"s": {"at": (0, 0, 90)}, "x": {"at": (3, 0, 270)}}
    table = fight(**places) if on_map else fight(s={}, x={}, apart={"sx": 3})
    table.rule(cmd.AddEffect(CombatantId("s"), "sitting"))

    assert table.why_not("move", "s") == []
    way: dict[str, Any] = {"path": [(1, 0)]} if on_map else {"said": {"length": 1}, "options": {"toward": "x"}}
    assert table.why_not("move", "s", **way) == ["move_too_far"]
