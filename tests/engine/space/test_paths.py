"""Lengths of ways, straight ends, walls and people in the way."""

from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely import LineString
from shapely import Point as Dot

from app.engine.space import Grid, Ground, MapSpace, Metric, Place, Point, Run, Sector, Unknown, Wall


def go(
    *path: Point, walls: tuple[tuple[Point, Point], ...] = (), kind: str = "none", metric: Metric = "euclid"
) -> tuple[MapSpace, Run]:
    ground = Ground(Grid(kind), walls=tuple(Wall(*wall) for wall in walls))  # type: ignore[arg-type]
    space = MapSpace(ground, {"a": Place(*path[0], facing=77)}, metric=metric, up={"a"})
    run = space.run("a", path[1:])
    assert isinstance(run, Run)
    return space, run


@pytest.mark.parametrize(("path", "length"), [
    ([(0, 0)], 0),
    ([(0, 0), (0, 0)], 0),
    ([(0, 0), (300, 400)], 500),
    ([(0, 0), (100, 100)], 141),
    ([(100 * n, 100 * n) for n in range(11)], 1414),            # not 14.10
    ([(0, 0), (100, 0), (0, 0)], 200),
    ([(33 * n, 0) for n in range(4)], 99),
])  # fmt: skip
def test_legs_are_summed_before_they_are_rounded(path: list[Point], length: int) -> None:
    run = go(*path)[1]

    assert run.length == run.cost == run.walked == length


@given(st.lists(st.tuples(st.integers(-99999, 99999), st.integers(-99999, 99999)), min_size=2, max_size=12))
def test_lengths_agree_with_decimal_arithmetic(path: list[Point]) -> None:
    exact = sum(
        ((Decimal(bx - ax) ** 2 + Decimal(by - ay) ** 2).sqrt() for (ax, ay), (bx, by) in pairwise(path)), Decimal()
    )

    found = go(*path)[1].length

    # Ten-thousandths are kept of each leg, which can tip the last digit only when it hangs on half of one a leg.
    assert abs(found - exact) <= Decimal("0.5") + Decimal("0.005") * len(path)
    if abs(exact % 1 - Decimal("0.5")) > Decimal("0.005") * len(path):
        assert found == int(exact.quantize(Decimal(1), ROUND_HALF_UP))


def test_a_way_may_begin_with_the_place_where_one_is() -> None:
    space, run = go((100, 100), (300, 100))

    assert space.run("a", [(100, 100), (300, 100)]) == run
    assert run.points == ((100, 100), (300, 100))


@pytest.mark.parametrize(("at", "place"), [
    (0, Place(0, 0, 90)), (1, Place(1, 0, 90)), (299, Place(299, 0, 90)), (300, Place(300, 0, 90)),
    (301, Place(300, 1, 180)),
    (700, Place(300, 400, 180)), (9999, Place(300, 400, 180)),
])  # fmt: skip
@pytest.mark.clause("MA-830")
def test_a_place_along_a_way_faces_as_he_runs(at: int, place: Place) -> None:
    space, run = go((0, 0), (300, 0), (300, 400))

    assert space.place(run, at) == place


def test_who_does_not_move_keeps_his_facing() -> None:
    space, run = go((0, 0))

    assert run.heading is None
    assert space.place(run, 0) == Place(0, 0, 77)


@pytest.mark.parametrize(("kind", "metric", "path", "at", "where"), [
    ("square", "chebyshev", [(0, 0), (500, 0)], 199, (100, 0)),
    ("square", "chebyshev", [(0, 0), (500, 0)], 200, (200, 0)),
    ("square", "chebyshev", [(0, 0), (500, 500)], 300, (300, 300)),
    ("square", "euclid", [(0, 0), (500, 500)], 283, (200, 200)),
    ("square", "euclid", [(0, 0), (500, 500)], 281, (100, 100)),
    ("square", "euclid", [(0, 0), (500, 500)], 282, (100, 100)),
    ("hex", "hex_steps", [(0, 0), (-300, 300)], 200, (-200, 200)),
    ("hex", "hex_steps", [(0, 0), (200, 200)], 200, (100, 100)),
])  # fmt: skip
def test_on_a_grid_one_stops_in_the_last_cell_reached(
    kind: str, metric: Metric, path: list[Point], at: int, where: Point
) -> None:
    space, run = go(*path, kind=kind, metric=metric)

    place = space.place(run, at)

    assert place is not None
    assert place.point == where


@pytest.mark.parametrize(("path", "straight"), [
    ([(0, 0), (800, 0)], 800),
    ([(0, 0), (400, 0), (800, 0)], 800),
    ([(0, 0), (400, 1), (800, 0)], 800),            # a corner a hundredth off is a rounded one
    ([(0, 0), (400, 2), (800, 0)], 400),
    ([(0, 0), (0, 400), (400, 400)], 400),
    ([(0, 0), (0, 400), (399, 400)], 399),
    ([(0, 0), (400, 0), (300, 0)], 100),            # turning back is no line
    ([(0, 0), (400, 0), (400, 0)], 400),
    ([(0, 0)], 0),
    ([(100 * n, 50 * n) for n in range(9)], 894),
    ([(0, 0), (1, 0), (0, 0)], 1),
])  # fmt: skip
@pytest.mark.clause("DH-3950")
def test_the_straight_end_is_the_longest_tail_within_a_hundredth_of_its_chord(path: list[Point], straight: int) -> None:
    assert go(*path)[1].straight_end == straight


@pytest.mark.parametrize("kind", ["square", "hex"])
def test_on_a_grid_a_staircase_is_a_line_however_it_is_drawn(kind: str) -> None:
    _, whole = go((0, 0), (700, 300), kind=kind)
    stairs = [(0, 0), (100, 0), (200, 100), (300, 100), (500, 200), (600, 300), (700, 300)]
    if kind == "square":
        _, drawn = go(*stairs, kind=kind)
        assert drawn.straight_end == drawn.length
    assert whole.straight_end == pytest.approx(whole.length, abs=60)
    _, bent = go((0, 0), (0, 400), (300, 400), kind="square")
    _, stepped = go(*[(0, 100 * n) for n in range(5)], *[(100 * n, 400) for n in range(1, 4)], kind="square")
    assert bent.straight_end == stepped.straight_end == 300


@pytest.mark.parametrize(("path", "straight"), [
    ([(0, 0), (400, 0)], 400),
    ([(0, 0), (400, 400)], 400),
    ([(0, 0), (400, 300)], 0),                      # not one of eight directions
    ([(0, 0), (100, 0), (400, 300)], 300),
    ([(0, 0), (100, 100), (400, 400)], 400),
    ([(0, 0), (300, 0), (100, 0)], 200),
])  # fmt: skip
@pytest.mark.clause("MA-540")
def test_where_diagonals_count_one_a_line_keeps_to_eight_directions(path: list[Point], straight: int) -> None:
    assert go(*path, kind="square", metric="chebyshev")[1].straight_end == straight


@pytest.mark.parametrize(("walls", "blocked_at"), [
    ([], None),
    ([((500, -100), (500, 100))], 499),
    ([((500, 0), (500, 100))], 499),                # touching the end of a wall is touching it
    ([((500, 1), (500, 100))], None),
    ([((0, -100), (0, 100))], None),                # who was put on a wall may leave it
    ([((0, 0), (300, 0))], 0),                      # but not walk along it
    ([((-300, 0), (0, 0))], None),
    ([((1, -100), (1, 100))], 0),
    ([((800, -100), (800, 100))], 799),             # nobody comes to stand on one
    ([((801, -100), (801, 100))], None),
    ([((300, 0), (600, 0))], 299),
    ([((500, -100), (500, 100)), ((300, -100), (300, 100))], 299),
    ([((300, 300), (600, -100))], 524),
])  # fmt: skip
@pytest.mark.clause("DH-3950", "MA-600")
def test_a_wall_stops_whoever_touches_it(walls: list[tuple[Point, Point]], blocked_at: int | None) -> None:
    assert go((0, 0), (800, 0), walls=tuple(walls))[1].blocked_at == blocked_at


def test_a_corner_on_a_wall_is_no_tunnel() -> None:
    assert go((0, 0), (500, 0), (800, 0), walls=(((500, -100), (500, 100)),))[1].blocked_at == 499
    assert go((0, 0), (500, 0), (0, 100), walls=(((500, -100), (500, 100)),))[1].blocked_at == 499


def test_on_squares_one_stops_in_the_cell_before_the_wall() -> None:
    assert go((0, 0), (800, 0), walls=(((350, -100), (350, 100)),), kind="square")[1].blocked_at == 300


SPOT = st.tuples(st.integers(-300, 300), st.integers(-300, 300))
WALLS = st.lists(st.tuples(SPOT, SPOT).filter(lambda wall: wall[0] != wall[1]), min_size=1, max_size=8)


@given(st.lists(SPOT, min_size=2, max_size=4), WALLS)
def test_what_blocks_a_way_agrees_with_the_library(path: list[Point], walls: list[tuple[Point, Point]]) -> None:
    # On whole numbers a tenth as fine, so that everything lines up often.
    path = [(x // 30 * 30, y // 30 * 30) for x, y in path]
    if any(LineString(wall).distance(Dot(path[0])) == 0 for wall in walls):
        return
    space, run = go(*path, walls=tuple(walls))
    way = LineString(path) if len({*path}) > 1 else Dot(path[0])

    free = all(way.disjoint(LineString(wall)) for wall in walls)

    if any(0 < way.distance(LineString(wall)) < 1e-6 for wall in walls):
        return
    assert (run.blocked_at is None) is free
    if run.blocked_at is not None:
        stopped = space.place(run, run.blocked_at)
        assert stopped is not None
        assert all(LineString(wall).distance(Dot(stopped.point)) > 0 for wall in walls)


def people(*up: str, kind: str = "none", **places: Point) -> MapSpace:
    metric: Metric = "chebyshev" if kind == "square" else "euclid"
    return MapSpace(
        Ground(Grid(kind)),  # type: ignore[arg-type]
        {who: Place(*point) for who, point in places.items()},
        up=up,
        metric=metric,
        sizes={"ogre": 100},
    )


def met(space: MapSpace, *path: Point) -> object:
    run = space.run("a", path)
    assert isinstance(run, Run)
    return space.met(run)


@pytest.mark.parametrize(("at", "told"), [
    ((400, 0), ((350, "b"),)),                      # an elbow apart is near enough
    ((400, 49), ((392, "b"),)),
    ((400, 50), ()),
    ((400, -50), ()),
    ((850, 0), ()),
    ((849, 0), ((799, "b"),)),
    ((0, 49), ()),                                  # too near at the start: he may go
    ((-30, 0), ()),
])  # fmt: skip
def test_who_is_closer_than_an_elbow_is_met(at: Point, told: object) -> None:
    assert met(people("a", "b", a=(0, 0), b=at), (800, 0)) == told


def test_those_in_the_way_are_told_in_order_and_the_fallen_not_at_all() -> None:
    space = people("a", "b", "c", "ogre", a=(0, 0), b=(600, 0), c=(300, 10), d=(200, 0), ogre=(450, 140))

    assert met(space, (800, 0)) == ((251, "c"), (397, "ogre"), (550, "b"))
    assert met(space.known_to({"c"}), (800, 0)) == ((397, "ogre"), (550, "b"))


def test_who_was_too_near_and_is_come_back_to_is_met() -> None:
    assert met(people("a", "b", a=(0, 0), b=(30, 0)), (-200, 0), (200, 0)) == ((380, "b"),)


@pytest.mark.parametrize(
    ("at", "told"), [((300, 0), ((200, "b"),)), ((300, 100), ()), ((500, 0), ((400, "b"),)), ((600, 0), ())]
)
@pytest.mark.clause("MA-600")
def test_on_squares_one_stops_in_the_square_before(at: Point, told: object) -> None:
    space = people("a", "b", kind="square", a=(0, 0), b=at)

    assert met(space, (500, 0)) == told


@pytest.mark.parametrize(("end", "free"), [((400, 0), False), ((449, 0), False), ((450, 0), True), ((0, 0), True)])
def test_nobody_ends_on_somebody(end: Point, free: bool) -> None:
    space = people("a", "b", a=(0, 0), b=(400, 0))
    run = space.run("a", [end])
    assert isinstance(run, Run)

    assert space.ends_free(run) is free


def test_nobody_ends_on_a_wall_or_off_the_map() -> None:
    space = MapSpace(Ground(size=(1000, 1000), walls=(Wall((500, 0), (500, 900)),)), {"a": Place(100, 100)})
    ends = {}
    for end in ((499, 100), (500, 100), (100, 1000), (100, 1001), (-1, 0)):
        run = space.run("a", [end])
        assert isinstance(run, Run)
        ends[end] = space.ends_free(run)

    assert ends == {(499, 100): True, (500, 100): False, (100, 1000): True, (100, 1001): False, (-1, 0): False}


@pytest.mark.parametrize(
    ("b", "wall", "free"), [((900, 0), None, 800), ((400, 0), None, 350), ((400, 0), 300, 299), ((900, 0), 600, 599)]
)
@pytest.mark.clause("MA-540")
def test_the_free_length_ends_at_the_first_wall_or_person(b: Point, wall: int | None, free: int) -> None:
    walls = () if wall is None else (Wall((wall, -9), (wall, 9)),)
    space = MapSpace(Ground(walls=walls), {"a": Place(0, 0), "b": Place(*b)}, up={"b"})
    run = space.run("a", [(800, 0)])
    assert isinstance(run, Run)

    assert space.free_length(run) == free


def test_somebody_off_the_map_is_unknown_to_every_question() -> None:
    space = MapSpace(Ground(), {"a": Place(0, 0)})
    run = space.run("a", [])
    assert isinstance(run, Run)

    unknown = Unknown("place", ("b",), "gm")
    assert [
        space.distance("a", "b"), space.adjacent("b", "a", 100), space.sees("a", "b"), space.bearing("a", "b"),
        space.arc_of("a", "b", (("all", 360),)), space.band("a", "b", ()), space.cover("b", "a"), space.at("b"),
        space.between("a", "b"), space.near("b", 100), space.run("b", []), space.run_to("a", "b"),
        space.push("b", 0, 100), space.beside("a", "b"), space.exit("b", Sector((0, 0), 100), 100),
    ] == [unknown] * 15  # fmt: skip
