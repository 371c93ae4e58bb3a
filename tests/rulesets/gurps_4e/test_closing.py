"""How far a maneuver leads, that none is spent on nothing, and whom a way brings within reach.

Clauses GU-410 to GU-490, GU-620, GU-900, GU-1000, GU-2150.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine.ids import CombatantId
from app.engine.listing import listing
from app.engine.space.model import Grid, Ground
from rulesets.gurps_4e.figures import current_move
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.walking import both_ways, field, walled

X = CombatantId("x")

# A Move that goes nowhere; how far a maneuver leads


@both_ways
@pytest.mark.clause("GU-490", "GU-1000")
def test_a_move_that_goes_nowhere_is_not_spent(on_map: bool) -> None:
    spots: dict[str, Any] = {"x": {"at": (0, 0, 90)}, "s": {"at": (5, 0, 270)}} if on_map else {"x": {}, "s": {}}
    table = fight(**spots, apart=None if on_map else {"xs": 5})
    nowhere: list[dict[str, Any]] = (
        [{}, {"path": [(0, 0)]}, {"facing": 90}] if on_map else [{}, {"said": {"length": 0}}]
    )

    for way in nowhere:
        (reason,) = table.reasons("move", "x", **way)
        assert (reason.code, reason.at) == ("missing_input", "/path" if on_map else "/said/length")
    if on_map:
        assert table.why_not("move", "x", facing=120) == []


@pytest.mark.clause("GU-410", "GU-420", "GU-460")
@pytest.mark.parametrize(
    ("action", "far"),
    [("move", 500), ("move_and_attack", 500), ("all_out_attack", 200), ("attack", 100), ("do_nothing", None)],
)
def test_the_list_tells_how_far_a_maneuver_leads(action: str, far: int | None) -> None:
    table = fight(x={"at": (0, 0, 90)}, s={"at": (9, 0, 270)})

    (listed,) = [one for one in listing(table.table, X) if one.id == action]

    assert [one.extent for one in listed.types] == [far]


@pytest.mark.clause("GU-490", "GU-620", "GU-900", "GU-2150")
@pytest.mark.parametrize(
    ("grid", "key", "there", "need", "got"),
    [
        ("none", "at", (4.12, 1), None, None),
        ("none", "at", (4.6, 0), 4, 5),
        ("square", "at", (3, 3), None, None),
        ("square", "at", (4, 2), 1, 4),
        ("square", "at", (5, 0), 4, 5),
        ("hex", "hex", (5, 0), 4, 5),
        ("hex", "hex", (4, 0), None, None),
    ],
)
def test_a_reeling_man_strikes_whom_the_way_brings_within_a_yard(
    grid: Any, key: str, there: Any, need: int | None, got: int | None
) -> None:
    table = field(Ground(grid=Grid(grid)), x={key: (0, 0, 90)}, s={key: (*there, 270)})
    table.rule(cmd.SetPool(X, "hp", 4))
    assert current_move(table.table, X) == 3

    (reason,) = table.reasons("move_and_attack", "x", "s")

    if need is None:
        assert (reason.code, reason.at, reason.to_fill_in) == ("out_of_reach", "/path", True)
    else:
        assert (reason.at, reason.need, reason.got, reason.to_fill_in) == ("/targets/0", need, got, False)


@pytest.mark.clause("GU-470", "GU-620")
def test_whom_a_wall_keeps_from_him_is_out_of_reach_from_where_he_stands() -> None:
    wall = walled(((2, -9), (2, 9)))
    table = field(wall, x={"at": (0, 0, 90)}, s={"at": (4, 0, 270)})

    (reason,) = [one for one in table.reasons("move_and_attack", "x", "s") if one.code == "out_of_reach"]

    assert (reason.need, reason.got, reason.to_fill_in) == (1, 4, False)
