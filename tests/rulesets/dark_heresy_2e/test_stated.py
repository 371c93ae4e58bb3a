"""What may be stated in place of a map. Clauses DH-5110, DH-5140, DH-5700."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine.ids import CombatantId
from app.engine.space.model import Cover, PairFact
from rulesets.dark_heresy_2e.reach import is_in_cover
from tests.rulesets.dark_heresy_2e.firing import terms
from tests.rulesets.dark_heresy_2e.test_ranges import BANDS, band_of
from tests.support.play import PlayTable, duel, ruleset

ANN, BOB = CombatantId("ann"), CombatantId("bob")
PAIR: dict[str, Any] = {"ann": {"sample": "vane"}, "bob": {"sample": "vane"}}


def apart(**fact: Any) -> PlayTable:
    """Two of whom nothing else is known."""
    table = duel(5, **PAIR)
    table.rule(cmd.SetFact(ANN, BOB, PairFact(**fact)), cmd.SetFact(BOB, ANN, PairFact()))
    return table


@pytest.mark.clause("DH-5140", "DH-5700")
@pytest.mark.parametrize("band", BANDS)
def test_a_band_is_stated_in_place_of_the_distance(band: str) -> None:
    said = {"bands": {"bob": band}}

    assert apart().why_not("standard_attack", "ann", "bob") == ["missing_input"]
    kept = apart(band=band).play("standard_attack", "ann", "bob", to_hit=99)
    stated = apart().play("standard_attack", "ann", "bob", said=said, to_hit=99)
    assert band_of(terms(kept)) == band_of(terms(stated)) == BANDS[band]


@pytest.mark.clause("DH-5140")
def test_the_bands_that_may_be_stated_are_those_of_the_table() -> None:
    assert ruleset().vocabulary.bands == tuple(BANDS)


@pytest.mark.clause("DH-5700")
def test_the_gm_confirms_a_band_too() -> None:
    table = apart()
    table.state = replace(table.state, options={"gm_confirms_distances": True})

    done = table.play("standard_attack", "ann", "bob", said={"bands": {"bob": "short"}}, gm_confirms_distances="deny")

    assert len(done.questions("gm_confirms_distances")) == len(done.asked) == 1


@pytest.mark.clause("DH-5110", "DH-5700")
@pytest.mark.parametrize(
    ("between", "worth"), [((), {}), (("smoke",), {"fog": -20}), (("dark", "rain"), {"darkness": -30})]
)
def test_what_lies_between_two_is_stated(between: tuple[str, ...], worth: dict[str, int]) -> None:
    found = terms(apart(distance=1000, between=between).play("standard_attack", "ann", "bob", to_hit=99))

    assert {name: found[name] for name in ("fog", "darkness", "rain") if name in found} == worth


@pytest.mark.clause("DH-5640")
def test_behind_nothing_is_not_in_cover() -> None:
    table = apart()

    assert not is_in_cover(table.table, ANN)
    table.rule(cmd.SetCover(ANN, Cover()))
    assert not is_in_cover(table.table, ANN)
    table.rule(cmd.SetCover(ANN, Cover(40)))
    assert is_in_cover(table.table, ANN)
