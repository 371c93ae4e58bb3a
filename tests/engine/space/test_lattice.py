"""Distances, angles and grids in whole numbers."""

from decimal import ROUND_HALF_UP, Decimal
from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.engine.space import Grid, metric_fits
from app.engine.space.lattice import FULL_TURN, Plane, direction, plane_of, sine
from app.engine.space.predicates import in_arc

FLAT, SQUARES, HEXES = plane_of(Grid()), plane_of(Grid("square")), plane_of(Grid("hex"))
STEP = st.integers(-3_000_000, 3_000_000)


@pytest.mark.parametrize(("dx", "dy", "length"), [
    (300, 400, 500),
    (141, 141, 199),        # 199.404
    (10, 398, 398),         # 398.13
    (20, 399, 400),         # 399.501: already 4.00
    (0, 399, 399),
    (0, 400, 400),
    (28, 399, 400),         # 399.98
    (20, 400, 400),         # 400.4997
    (21, 400, 401),         # 400.55
    (0, 0, 0),
])  # fmt: skip
def test_a_distance_is_rounded_once_to_the_nearest_hundredth(dx: int, dy: int, length: int) -> None:
    n = FLAT.square_of(dx, dy)

    assert FLAT.length_of(n) == length
    assert not FLAT.within(n, length - 1)
    assert FLAT.within(n, length)
    assert FLAT.within(n, length + 1)


@given(STEP, STEP, st.sampled_from([Grid(), Grid("hex"), Grid("hex", 150), Grid("hex", 7)]), st.integers(-2, 2))
def test_to_be_within_a_distance_and_to_have_it_are_one_rule(dx: int, dy: int, grid: Grid, off: int) -> None:
    plane = plane_of(grid)
    n = plane.square_of(dx, dy)
    length = plane.length_of(n)

    assert plane.within(n, length + off) == (length <= length + off and length + off >= 0)
    assert plane.within(n * 49, length + off, 7) == plane.within(n, length + off)


@given(STEP, STEP)
def test_distance_agrees_with_decimal_arithmetic(dx: int, dy: int) -> None:
    exact = (Decimal(dx) ** 2 + Decimal(dy) ** 2).sqrt()

    assert FLAT.length_of(FLAT.square_of(dx, dy)) == int(exact.quantize(Decimal(1), ROUND_HALF_UP))


@pytest.mark.parametrize(("q", "r", "steps", "euclid"), [
    (1, 0, 100, 100), (0, 1, 100, 100), (1, -1, 100, 100), (1, 1, 200, 173), (2, 2, 400, 346), (-3, 1, 300, 265),
])  # fmt: skip
def test_hexes_are_counted_in_steps_or_measured(q: int, r: int, steps: int, euclid: int) -> None:
    dx, dy = HEXES.into((100 * q, 100 * r))

    assert HEXES.measure(dx, dy, "hex_steps") == steps
    assert HEXES.measure(dx, dy, "euclid") == euclid


@pytest.mark.parametrize(("dx", "dy", "length"), [(300, 200, 300), (-300, 300, 300), (0, -700, 700)])
@pytest.mark.clause("MA-080")
def test_diagonals_count_one_by_the_chessboard_metric(dx: int, dy: int, length: int) -> None:
    assert SQUARES.measure(dx, dy, "chebyshev") == length


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(-190, 190), st.integers(-90, 90))
def test_a_point_settles_on_the_nearest_hex(q: int, r: int, off_x: int, off_y: int) -> None:
    x, y = HEXES.into((100 * q, 100 * r))
    point = (x + off_x, y + off_y)

    settled = HEXES.settle(*point)

    step_q, step_r = HEXES.out(settled)
    assert step_q % 100 == 0
    assert step_r % 100 == 0
    found = HEXES.square_of(settled[0] - point[0], settled[1] - point[1])
    around = [HEXES.into((step_q + 100 * a, step_r + 100 * b)) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    assert found == min(HEXES.square_of(cx - point[0], cy - point[1]) for cx, cy in around)


def test_squares_count_from_their_origin() -> None:
    plane = plane_of(Grid("square", 150, (75, 75)))

    assert plane.settle(149, 151) == (75, 225)
    assert plane.on_grid((225, 75))
    assert not plane.on_grid((150, 75))
    assert plane.on_grid((150, 75), extra=75)


def test_sines_are_right_to_25_digits() -> None:
    unit = sine(180)

    assert all(abs(sine(n) ** 2 + sine(n + 180) ** 2 - unit * unit) < unit * 1000 for n in range(FULL_TURN))
    assert abs(2 * sine(60) - unit) < 100
    assert abs(sine(90) ** 2 * 2 - unit * unit) < unit * 1000
    # sin(a + b) ties every angle to its neighbours.
    assert all(
        abs(sine(n + 1) * unit - sine(n) * sine(181) - sine(n + 180) * sine(1)) < unit * 1000 for n in range(FULL_TURN)
    )


@pytest.mark.parametrize("hexes", [False, True])
def test_no_lattice_point_comes_near_an_edge_without_lying_on_it(hexes: bool) -> None:
    """Else scaled sines would be too coarse to judge: best approximations show how near one can come."""
    largest = 40_000_000
    step = 60 if hexes else 90
    for half_degrees in range(FULL_TURN):
        if half_degrees % step == 0:
            continue
        x, y = direction(half_degrees, hexes)
        over, under = abs(x), abs(y)
        p, q, p_next, q_next, rest = 1, 0, 0, 1, (over, under)
        while rest[1] and q_next <= largest and p <= largest:
            whole = rest[0] // rest[1]
            rest = (rest[1], rest[0] - whole * rest[1])
            p, q, p_next, q_next = whole * p + p_next, whole * q + q_next, p, q
            if p <= largest and q <= largest and (p or q):
                # Both coordinates of the vector are off by less than 1000, so the judgement by less than this.
                assert abs(p * under - q * over) > 1000 * (p + q)


@given(STEP, STEP, st.sampled_from([FLAT, HEXES]))
def test_a_bearing_is_the_whole_degree_whose_arc_holds_the_direction(dx: int, dy: int, plane: Plane) -> None:
    assume((dx, dy) != (0, 0))

    bearing = plane.bearing(dx, dy)

    assert in_arc(dx, dy, bearing, 1, plane.hexes)
    assert not in_arc(dx, dy, bearing + 180, 1, plane.hexes)


@pytest.mark.parametrize(("dx", "dy", "bearing"), [
    (0, -1, 0), (1, -1, 45), (1, 0, 90), (1, 1, 135), (0, 1, 180), (-1, 1, 225), (-1, 0, 270), (-1, -1, 315), (0, 0, 0),
    (-1, -1000, 0), (-1, -100, 359), (3000, -1242, 68), (3000, -1243, 67), (3000, -1244, 67),
])  # fmt: skip
def test_bearings_count_clockwise_from_up(dx: int, dy: int, bearing: int) -> None:
    assert FLAT.bearing(dx, dy) == bearing


@pytest.mark.parametrize(("kind", "metric", "fits"), [
    ("none", "euclid", True), ("square", "euclid", True), ("hex", "euclid", True), ("hex", "hex_steps", True),
    ("square", "chebyshev", True), ("none", "chebyshev", True), ("hex", "chebyshev", False),
    ("none", "hex_steps", False), ("square", "hex_steps", False),
])  # fmt: skip
def test_a_metric_needs_its_grid(kind: str, metric: str, fits: bool) -> None:
    assert metric_fits(Grid(kind), metric) is fits  # type: ignore[arg-type]


@given(st.integers(0, FULL_TURN - 1), st.integers(0, 20_000), st.sampled_from([100, 150]))
def test_a_step_of_a_length_has_that_length(half_degrees: int, length: int, cell: int) -> None:
    for grid in (Grid(), Grid("hex", cell)):
        plane = plane_of(grid)
        x, y = plane.rounded(half_degrees, length, "euclid")

        assert abs(sqrt(plane.square_of(x, y)) * plane.num / plane.den / 1024 - length) < 0.01
    hexes = plane_of(Grid("hex", cell))
    x, y = hexes.rounded(half_degrees, length, "hex_steps")
    assert abs(hexes.steps_over(x, y) * hexes.num / hexes.den / 1024 - length) < 0.01
    x, y = FLAT.rounded(half_degrees, length, "chebyshev")
    assert max(abs(x), abs(y)) == length * 1024
