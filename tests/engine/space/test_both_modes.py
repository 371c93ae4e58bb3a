"""One table of questions, asked of a map and of what was stated: the answers are the same."""

from collections.abc import Callable, Mapping

import pytest

from app.engine.space import (
    Crossing,
    Fact,
    Grid,
    Ground,
    Length,
    MapSpace,
    Metric,
    PairFact,
    Place,
    Run,
    Said,
    Sector,
    Space,
    StatedSpace,
    Unknown,
    pair_key,
)

Build = Callable[..., Space]


def on_a_map(distances: Mapping[str, Length], metric: Metric = "euclid") -> Space:
    """Ann at the origin; the others in a row to the east, so far off."""
    grid = Grid("square") if metric == "chebyshev" else Grid()
    places = {"ann": Place(0, 0, 90)} | {who: Place(length, 0) for who, length in distances.items()}
    return MapSpace(Ground(grid), places, metric=metric, up={"ann"})


def without_one(distances: Mapping[str, Length], metric: Metric = "euclid") -> Space:
    """The same, stated by Ann."""
    facts = {
        pair_key(one, other): PairFact(distance=abs(distances[one] - distances[other]))
        for one in distances
        for other in distances
        if one < other
    }
    said = Said(
        by="ann",
        distance=dict(distances),
        path_straight=True,
        crosses=(),
        destination_free=True,
    )
    return StatedSpace(facts, {}, said, everybody=("ann", *distances))


both = pytest.mark.parametrize("build", [on_a_map, without_one])


@both
@pytest.mark.parametrize(("distance", "reasons"), [
    (399, ["too_close_to_charge"]), (400, []), (401, []), (1199, []), (1200, []), (1201, ["move_too_far"]),
])  # fmt: skip
@pytest.mark.clause("DH-3950")
def test_a_charge_needs_four_metres_and_stays_within_reach(build: Build, distance: int, reasons: list[str]) -> None:
    run = build({"orc": distance}).run_to("ann", "orc")

    assert isinstance(run, Run)
    assert charge_reasons(run, 1200) == reasons


def charge_reasons(run: Run, reach: Length) -> list[str]:
    """What DH-3950 says against a charge."""
    found = []
    if run.length < 400:
        found.append("too_close_to_charge")
    if run.length > reach:
        found.append("move_too_far")
    if isinstance(run.straight_end, Unknown) or run.straight_end < min(400, run.length):
        found.append("path_not_straight")
    return found


@pytest.mark.parametrize(("tail", "reasons"), [(399, ["path_not_straight"]), (400, []), (401, [])])
@pytest.mark.clause("DH-3950")
def test_the_last_four_metres_of_a_charge_are_one_line(tail: int, reasons: list[str]) -> None:
    mapped = MapSpace(Ground(), {"ann": Place(0, 0), "orc": Place(300, tail)}).run_to("ann", "orc", [(300, 0)])
    said = Said(by="ann", distance={"orc": 500}, length=300 + tail, straight_end=tail)
    stated = StatedSpace({}, {}, said).run_to("ann", "orc")

    assert isinstance(mapped, Run)
    assert isinstance(stated, Run)
    assert charge_reasons(mapped, 1200) == charge_reasons(stated, 1200) == reasons
    assert (mapped.length, mapped.straight_end) == (stated.length, stated.straight_end)


@both
@pytest.mark.parametrize(("distance", "engaged"), [(149, True), (150, True), (151, False)])
@pytest.mark.clause("DH-5130")
def test_adjacent_is_within_the_engagement_range(build: Build, distance: int, engaged: bool) -> None:
    space = build({"orc": distance})

    assert space.adjacent("ann", "orc", 150) is engaged
    assert space.adjacent("orc", "ann", 150) is engaged
    assert space.distance("orc", "ann") == distance


@both
@pytest.mark.clause("DH-3430")
def test_extra_hits_reach_two_metres_from_the_first_target(build: Build) -> None:
    space = build({"first": 1000, "just": 1200, "beyond": 1201, "before": 801})

    assert space.near("first", 200) == ("before", "just")
    assert space.near("first", 201) == ("before", "beyond", "just")
    assert space.near("first", 198) == ()


@both
@pytest.mark.parametrize(("distance", "band"), [
    (200, "point_blank"), (201, "short"), (4999, "short"), (5000, "combat"), (20000, "combat"), (20001, "long"),
    (40000, "extreme"), (40001, ""),
])  # fmt: skip
@pytest.mark.clause("WH-510")
def test_a_range_band_follows_from_the_distance(build: Build, distance: int, band: str) -> None:
    bands = (("point_blank", 200), ("short", 4999), ("combat", 20000), ("long", 30000), ("extreme", 40000))

    assert build({"orc": distance}).band("ann", "orc", bands) == band


@both
@pytest.mark.parametrize(("distance", "cost"), [(100, 4), (200, 5), (400, 7), (700, 10)])
@pytest.mark.clause("MA-540")
def test_a_charge_on_squares_costs_one_for_each_square_run(build: Build, distance: int, cost: int) -> None:
    run = build({"ork": distance}, metric="chebyshev").run_to("ann", "ork")

    assert isinstance(run, Run)
    assert 4 + (run.length - 100) // 100 == cost
    assert run.straight_end == run.length


ZONE = Sector((1000, 0), 300, id="zone")


@pytest.mark.parametrize(("length", "crosses"), [(699, False), (700, True)])
@pytest.mark.clause("DH-3890")
def test_a_way_enters_a_zone_or_not(length: int, crosses: bool) -> None:
    mapped = on_a_map({})
    stated = StatedSpace({}, {}, Said(by="ann", length=length, crosses=("zone",) if crosses else ()))

    for space in (mapped, stated):
        run = space.run("ann", [(length, 0)])
        assert isinstance(run, Run)
        told: Fact[tuple[Crossing, ...]] = space.crossings(run, ZONE)
        assert isinstance(told, tuple)
        assert [(crossing.at, crossing.kind) for crossing in told] == ([(length, "enters")] if crosses else [])


@both
def test_who_has_nobody_in_the_way_ends_free(build: Build) -> None:
    space = build({"orc": 800})
    run = space.run_to("ann", "orc")

    assert isinstance(run, Run)
    assert space.met(run) == ()
    assert space.ends_free(run) is True
