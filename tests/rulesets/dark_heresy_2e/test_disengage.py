"""Disengage: out of melee without a blow. Clause DH-3310."""

from typing import Any

import pytest

from app.engine import events as ev
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, path
from tests.support.play import PlayTable

START: Spot = (0, 0)


def in_melee(on_map: bool, **more: Any) -> PlayTable:
    """Vane between Gorm and Sable, with Brok far off."""
    return fight(
        on_map,
        {"vane": START, "gorm": (1, 0), "sable": (0, 1), "brok": (9, 9)},
        melee=(("vane", "gorm"), ("vane", "sable")),
        **more,
    )


@both_ways
@pytest.mark.clause("DH-3310")
def test_he_breaks_from_everybody_and_nobody_is_asked(on_map: bool) -> None:
    table = in_melee(on_map)

    done = table.play("disengage", "vane", **path(on_map, START, (-4, 0)))

    assert not done.asked
    assert not table.who("vane").engaged
    assert {event.clause for event in done.of(ev.EngagementEnded)} == {"DH-3310"}
    assert done.one(ev.Moved).distance == 400
    assert table.who("vane").budget["half_action"] == 0


@both_ways
@pytest.mark.clause("DH-3310")
@pytest.mark.parametrize(("metres", "reasons"), [(3.99, []), (4, []), (4.01, ["move_too_far"]), (5, ["move_too_far"])])
def test_he_gets_as_far_as_a_half_move(on_map: bool, metres: float, reasons: list[str]) -> None:
    table = in_melee(on_map)

    assert table.why_not("disengage", "vane", **path(on_map, START, (-metres, 0))) == reasons


@both_ways
@pytest.mark.clause("DH-3310")
def test_who_is_in_no_melee_has_nothing_to_break_from(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (1, 0)})

    (reason,) = table.reasons("disengage", "vane", **path(on_map, START, (-4, 0)))

    assert (reason.code, reason.clause) == ("not_engaged", "DH-3310")


@both_ways
@pytest.mark.clause("DH-1230", "DH-3310")
def test_both_reasons_are_told_at_once(on_map: bool) -> None:
    table = fight(on_map, {"vane": START})

    assert table.why_not("disengage", "vane", **path(on_map, START, (-5, 0))) == ["move_too_far", "not_engaged"]


@both_ways
@pytest.mark.clause("DH-3310", "DH-3380")
def test_he_may_go_from_one_melee_into_another(on_map: bool) -> None:
    table = fight(on_map, {"vane": START, "gorm": (1, 0), "sable": (-5, 0)}, melee=(("vane", "gorm"),))

    table.play("disengage", "vane", **path(on_map, START, (-4, 0), engage=("sable",)))

    assert not engaged(table, "vane", "gorm")
    assert engaged(table, "vane", "sable")


@both_ways
@pytest.mark.clause("DH-3310")
def test_it_needs_the_whole_turn(on_map: bool) -> None:
    table = in_melee(on_map)
    table.play("move", "vane", type="half", **path(on_map, START, (0.5, 0.5), leaves=()))

    assert table.why_not("disengage", "vane", **path(on_map, START, (-3, 0))) == ["insufficient_actions"]
