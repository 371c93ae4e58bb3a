"""Figures that no weapon can have are refused at the door, at their place. Clause GU-1370."""

from typing import Any

import pytest

from app.catalog.findings import Unfit
from tests.support.play import book

MELEE = {"kind": "melee", "skill": "broadsword", "modes": {"swing": {"damage": "sw", "type": "cut", "reach": [1]}}}
RANGED = {"kind": "ranged", "skill": "bow", "modes": {"shot": {"damage": "1d6", "type": "imp"}}}


def found_in(wire: Any) -> list[tuple[str, str]]:
    """Codes and places of what the door finds."""
    try:
        book("gurps_4e").read_weapon(wire, "/custom")
    except Unfit as unfit:
        return [(one.code, one.place) for one in unfit.findings]
    return []


def mode(**changes: Any) -> dict[str, Any]:
    return {**MELEE, "modes": {"swing": {"damage": "sw", "type": "cut", "reach": [1], **changes}}}


def test_ordinary_profiles_are_taken() -> None:
    for wire in (MELEE, RANGED, {**RANGED, "range_half": 50, "range_max": 100, "shots": 1, "rcl": 1}):
        assert not found_in(wire)


@pytest.mark.clause("GU-1370")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rcl", 0),
        ("rcl", -1),
        ("rof", 0),
        ("rof", 201),
        ("shots", 0),
        ("reload", 0),
        ("reload", -2),
        ("acc", -1),
        ("sight_bonus", 1000),
        ("bulk", 1),
        ("db", -500),
        ("min_st", -1),
        ("min_st", 201),
        ("hands", 0),
        ("hands", 3),
        ("parry", -1000),
        ("range_max", -5),
    ],
)
def test_a_figure_out_of_bounds_is_refused_where_it_stands(field: str, value: int) -> None:
    assert found_in({**RANGED, field: value}) == [("out_of_bounds", f"/custom/{field}")]


@pytest.mark.clause("GU-1370")
@pytest.mark.parametrize(
    ("changes", "at"),
    [
        ({"divisor": 0}, "/custom/modes/swing/divisor"),
        ({"divisor": -2}, "/custom/modes/swing/divisor"),
        ({"reach": [-1]}, "/custom/modes/swing/reach/0"),
        ({"hands": 0}, "/custom/modes/swing/hands"),
        ({"to_hit": 1000}, "/custom/modes/swing/to_hit"),
    ],
)
def test_so_is_one_of_a_mode(changes: dict[str, Any], at: str) -> None:
    assert found_in(mode(**changes)) == [("out_of_bounds", at)]


@pytest.mark.clause("GU-1370")
@pytest.mark.parametrize(
    "wire",
    [
        {**MELEE, "usual": "thrust"},
        {**MELEE, "modes": {}},
        {**RANGED, "modes": {}},
        {"kind": "unarmed", "skill": "karate", "modes": {}},
        mode(reach=[]),
        {**RANGED, "range_half": 100, "range_max": 50},
        {**RANGED, "range_half": 0, "range_max": 0},
        {**MELEE, "throw": {"skill": "bow", "damage": "sw", "type": "cut", "half_st": 5, "max_st": 1}},
    ],
)
def test_what_does_not_go_together_is_refused(wire: dict[str, Any]) -> None:
    assert [code for code, _ in found_in(wire)] == ["code_refused"]
