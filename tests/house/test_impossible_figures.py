"""Figures that nobody could play with are refused where the author wrote them, before anything is counted with them."""

from typing import Any

import pytest

from app.catalog.house import BadHouseRules, judge, unfit_samples
from app.engine.ids import CombatantId
from tests.support.play import book


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("shadowrun_5e", "/tables/core/defaulting", 1_000_000),
        ("shadowrun_5e", "/tables/core/simple_actions", -1),
        ("shadowrun_5e", "/tables/core/boxes", -8),
        ("shadowrun_5e", "/tables/core/between_passes", 10),
        ("shadowrun_5e", "/weapons/ares_alpha/dv", 1_000_000_000),
        ("shadowrun_5e", "/weapons/ares_alpha/ap", 1_000_000_000),
        ("manewry_ap", "/tables/core/pools/ap", -100),
        ("manewry_ap", "/weapons/sword/reach", -1),
        ("wh40k_d100", "/weapons/laspistol/pen", 1_000_000_000),
        ("wh40k_d100", "/weapons/laspistol/clip", 0),
    ],
)
def test_it_is_refused_at_its_place(name: str, place: str, value: int) -> None:
    document: Any = value
    for step in reversed(place.split("/")[1:]):
        document = {step: document}

    with pytest.raises(BadHouseRules) as refused:
        judge(book(name), {"extends": name, **document})

    assert [(one.place, one.code) for one in refused.value.findings] == [(place, "out_of_bounds")]


@pytest.mark.parametrize(
    ("name", "document", "places"),
    [
        ("wh40k_d100", {"samples": {"varro": {"items": {"laspistol": {"marks": {"ammo": -30}}}}}}, {"/samples/varro"}),
        ("wh40k_d100", {"weapons": {"laspistol": {"clip": 5}}}, {"/weapons/laspistol"}),
        ("wh40k_d100", {"weapons": {"laspistol": {"clip": 50}}}, set()),
    ],
)
def test_a_sample_that_nobody_could_begin_with_is_told(name: str, document: Any, places: set[str]) -> None:
    base, given = book(name), {"extends": name, **document}

    found = unfit_samples(base, judge(base, given), given)

    assert {(one.place, one.code) for one in found} == {(place, "unfit_sample") for place in places}


@pytest.mark.parametrize("name", ["dark_heresy_2e", "gurps_4e", "manewry_ap", "shadowrun_5e", "wh40k_d100"])
def test_every_sample_of_a_base_fits(name: str) -> None:
    rules = book(name).ruleset
    for key in book(name).document["samples"]:
        body = book(name).sample(key, CombatantId("one"), "one", key)
        assert body is not None
        assert list(rules.misfits(rules.prepare(rules, body))) == []
