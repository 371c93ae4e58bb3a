"""Figures of a sheet that are words, flags that may be left out, and prices in a resource."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.catalog import Unfit
from app.catalog.checking import check
from app.catalog.findings import Findings
from app.engine.asks import Cost
from tests.support.play import book

SHADOWRUN = book("shadowrun_5e")


def read(**figures: Any) -> Any:
    """A sheet of a ruleset that has words on it."""
    return SHADOWRUN.read_sheet(figures)


def test_a_word_is_held_as_its_place_and_written_as_a_word() -> None:
    sheet = read(metatype="troll", smartlink="gear")

    assert (sheet.stats["metatype"], sheet.stats["smartlink"]) == (4, 1)
    written = SHADOWRUN.write_sheet(sheet)
    assert (written["metatype"], written["smartlink"]) == ("troll", "gear")
    assert read(**written) == sheet
    assert Draft202012Validator(SHADOWRUN.sheet_schema("en")).is_valid(written)


def test_without_one_the_default_counts() -> None:
    assert read().stats["metatype"] == 0


@pytest.mark.parametrize("value", ["orc", 3, True, ["ork"]])
def test_any_other_word_is_none(value: Any) -> None:
    with pytest.raises(Unfit) as unfit:
        read(metatype=value)

    assert [f"{one.place} {one.code}" for one in unfit.value.findings] == ["/metatype unknown_word"]
    assert not Draft202012Validator(SHADOWRUN.sheet_schema("en")).is_valid({"metatype": value})


def test_a_flag_may_be_left_out() -> None:
    assert "dni" not in read().stats
    assert read(dni=True).stats["dni"] == 1
    assert "dni" not in SHADOWRUN.write_sheet(read())


def test_the_default_must_be_one_of_the_words() -> None:
    document = json.loads(json.dumps(SHADOWRUN.document))
    document["stats"]["figures"]["metatype"]["default"] = "orc"

    findings = Findings()
    check(document, SHADOWRUN.texts, None, findings)

    assert [f"{one.place} {one.code}" for one in findings] == ["/stats/figures/metatype/default default_not_offered"]


def test_an_action_may_cost_a_resource() -> None:
    assert SHADOWRUN.ruleset.actions["full_defense"].costs["interrupt"] == (Cost("initiative", 10),)
