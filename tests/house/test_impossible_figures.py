"""Figures that nobody could play with are refused where the author wrote them, before anything is counted with them."""

from typing import Any

import pytest

from app.catalog.house import BadHouseRules, judge
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
