"""Ways out, beside, pushed and strayed; people looked for; what a reader may know."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.space import (
    Exit,
    Grid,
    Ground,
    Landing,
    MapSpace,
    Metric,
    Place,
    Point,
    Polygon,
    Region,
    Run,
    Sector,
    Wall,
)
from app.engine.space.crossing import Zone
from app.engine.space.index import index

BLAST = Sector((0, 0), 300)


def way_out(at: Point, area: Sector | Polygon, *walls: tuple[Point, Point], limit: int = 400, **others: Point) -> Exit:
    places = {who: Place(*point) for who, point in {"a": at, **others}.items()}
    space = MapSpace(Ground(walls=tuple(Wall(*wall) for wall in walls)), places, up=others)
    found = space.exit("a", area, limit)
    assert isinstance(found, Exit)
    if found.place is not None and found.length:
        assert space.after({"a": found.place}).inside(area) == ()
    return found


@pytest.mark.parametrize(("at", "limit", "length", "place", "possible"), [
    ((100, 0), 400, 200, Place(301, 0), True),
    ((0, 0), 300, 300, Place(0, -301), True),
    ((0, 0), 299, 300, Place(0, -301), False),
    ((0, -300), 400, 0, Place(0, -301), True),          # on the edge is still inside
    ((0, -301), 400, 0, Place(0, -301), True),
    ((180, 240), 0, 0, Place(181, 241), True),
])  # fmt: skip
@pytest.mark.clause("DH-3660")
def test_the_way_out_of_a_blast_is_as_long_as_the_edge_is_far(
    at: Point, limit: int, length: int, place: Place, possible: bool
) -> None:
    assert way_out(at, BLAST, limit=limit) == Exit(length, place, possible)


@pytest.mark.clause("DH-3660")
def test_a_blocked_way_out_is_gone_round() -> None:
    straight, aside = way_out((200, 0), BLAST), way_out((200, 0), BLAST, ((250, -50), (250, 50)))
    shut_in = way_out(
        (200, 0),
        BLAST,
        ((150, -50), (250, -50)),
        ((250, -50), (250, 50)),
        ((250, 50), (150, 50)),
        ((150, 50), (150, -50)),
    )

    assert straight.length == 100
    assert aside.length == pytest.approx(math.hypot(50, 50) * 2, rel=0.15)
    assert aside.possible
    assert shut_in == Exit(100, None, False)
    assert way_out((200, 0), BLAST, b=(310, 0)).length > 100


@pytest.mark.parametrize(("at", "length"), [((1000, 0), 268), ((1000, 100), 171), ((2900, 0), 100), ((3, 0), 1)])
def test_the_way_out_of_a_cone_is_across_the_nearer_edge(at: Point, length: int) -> None:
    found = way_out(at, Sector((0, 0), 3000, 90, 30), limit=1000)

    expected = min(3000 - math.hypot(*at), math.hypot(*at) * math.sin(math.radians(15) - math.atan2(abs(at[1]), at[0])))
    assert abs(found.length - expected) <= 1
    assert found.length == pytest.approx(length, abs=10)


def test_the_way_out_of_a_room_goes_square_to_its_nearest_side() -> None:
    room = Polygon(((0, 0), (1000, 0), (1000, 600), (0, 600)))

    assert way_out((400, 500), room) == Exit(100, Place(400, 601), True)
    assert way_out((400, 500), room, ((0, 550), (999, 550))).length == 400


def test_behind_a_wall_is_a_way_out_of_what_needs_sight() -> None:
    zone = Sector((0, 0), 3000, 90, 90, needs_sight=True)

    found = way_out((1000, 300), zone, ((500, -100), (500, 100)), limit=2000)

    # Square to the border of the shadow it would be 98; the fan of five degrees comes near it.
    assert 98 <= found.length <= 110


@given(
    st.tuples(st.integers(-250, 250), st.integers(-250, 250)),
    st.lists(
        st.tuples(st.integers(-400, 400), st.integers(-400, 400), st.integers(-200, 200), st.integers(-200, 200)),
        max_size=4,
    ),
    st.sampled_from([BLAST, Sector((-100, 0), 400, 90, 90), Polygon(((-300, -300), (300, -200), (200, 300)))]),
)
def test_a_proposed_way_out_is_nearly_the_shortest(
    at: Point, walls: list[tuple[int, int, int, int]], area: Sector | Polygon
) -> None:
    pieces = [((x, y), (x + dx, y + dy)) for x, y, dx, dy in walls if (dx, dy) != (0, 0)]
    ground = Ground(walls=tuple(Wall(*piece) for piece in pieces))
    zone = Zone(index(ground), area)
    if not zone.holds(*at):
        return
    found = way_out(at, area, *pieces, limit=2000)

    best = None
    space = MapSpace(ground, {"a": Place(*at)})
    for degrees in range(0, 360, 3):
        for length in range(1, 1000, 25):
            end = space.scatter(at, degrees, length)
            assert isinstance(end, tuple)
            if not zone.holds(*end[0].point):
                run = space.run("a", [end[0].point])
                assert isinstance(run, Run)
                if run.blocked_at is None and space.ends_free(run):
                    best = length if best is None else min(best, length)
                break
    if best is not None:
        assert found.place is not None
        assert found.length <= best * 1.15 + 10


@pytest.mark.parametrize(("kind", "metric", "limit", "possible"), [
    ("square", "euclid", 300, True), ("square", "euclid", 299, False),
    ("square", "chebyshev", 213, True), ("square", "chebyshev", 211, False),    # across the corners
    ("hex", "hex_steps", 300, True), ("hex", "hex_steps", 299, False),
])  # fmt: skip
@pytest.mark.clause("DH-3660")
def test_on_a_grid_the_way_out_ends_in_a_cell_outside(kind: str, metric: Metric, limit: int, possible: bool) -> None:
    space = MapSpace(Ground(Grid(kind)), {"a": Place(0, 0)}, metric=metric)  # type: ignore[arg-type]

    found = space.exit("a", BLAST, limit)

    assert isinstance(found, Exit)
    assert found.possible is possible
    assert found.place is not None
    assert found.place.x % 100 == found.place.y % 100 == 0
    assert space.after({"a": found.place}).inside(BLAST) == ()


@pytest.mark.parametrize(("direction", "length", "landing"), [
    (90, 200, Landing(Place(200, 0, 5))),
    (0, 200, Landing(Place(0, -200, 5))),
    (45, 100, Landing(Place(71, -71, 5))),
    (90, 400, Landing(Place(299, 0, 5), "wall_0")),
    (90, 299, Landing(Place(299, 0, 5))),
    (90, 300, Landing(Place(299, 0, 5), "wall_0")),
    (180, 200, Landing(Place(0, 150, 5), "b")),
    (180, 150, Landing(Place(0, 150, 5))),
    (270, 99, Landing(Place(-99, 0, 5))),
    (270, 100, Landing(Place(-100, 0, 5))),
    (270, 101, Landing(Place(-101, 0, 5), None, "ledge", 700)),
])  # fmt: skip
def test_a_push_ends_before_walls_and_people_and_goes_over_edges(direction: int, length: int, landing: Landing) -> None:
    walls = (Wall((300, -50), (300, 50)), Wall((-100, -50), (-100, 50), "ledge", move=False, sight=False, drop=700))
    space = MapSpace(Ground(walls=walls), {"a": Place(0, 0, 5), "b": Place(0, 200)}, up={"a", "b"})

    assert space.push("a", direction, length) == landing


@pytest.mark.parametrize(("kind", "metric", "direction", "place"), [
    ("square", "chebyshev", 45, Place(200, -200)), ("square", "euclid", 45, Place(100, -100)),
    ("hex", "hex_steps", 30, Place(200, -200)),
    ("hex", "hex_steps", 0, Place(100, -200)), ("hex", "hex_steps", 90, Place(200, 0)),
])  # fmt: skip
def test_on_a_grid_a_push_ends_in_a_cell(kind: str, metric: Metric, direction: int, place: Place) -> None:
    space = MapSpace(Ground(Grid(kind)), {"a": Place(0, 0)}, metric=metric)  # type: ignore[arg-type]

    assert space.push("a", direction, 200) == Landing(place)


@pytest.mark.parametrize(("length", "wall"), [(199, False), (200, True), (400, True)])
@pytest.mark.clause("DH-5480")
def test_a_shot_that_strays_ignores_walls_and_says_so(length: int, wall: bool) -> None:
    space = MapSpace(Ground(walls=(Wall((200, -50), (200, 50)),)), {})

    assert space.scatter((0, 0), 90, length) == (Place(length, 0), wall)


def test_a_place_beside_is_on_the_straight_way_if_it_is_free() -> None:
    places = {"a": Place(0, 0), "b": Place(800, 0), "c": Place(700, 20), "ogre": Place(0, 800)}
    space = MapSpace(Ground(), places, up=set(places), sizes={"ogre": 100})

    assert space.known_to({"c"}).beside("a", "b") == Place(700, 0, 90)
    aside = space.beside("a", "b")
    assert isinstance(aside, Place)
    moved = space.after({"a": aside})
    assert moved.distance("a", "b") == 100
    assert moved.distance("a", "c") in range(50, 80)
    assert space.beside("a", "ogre") == Place(0, 600, 180)
    assert space.after({"a": Place(730, -10)}).known_to({"c"}).beside("a", "b") == Place(730, -10, 98)


def test_there_may_be_no_place_beside() -> None:
    box = ((770, -30), (830, -30)), ((830, -30), (830, 30)), ((830, 30), (770, 30)), ((770, 30), (770, -30))
    space = MapSpace(Ground(walls=tuple(Wall(*wall) for wall in box)), {"a": Place(0, 0), "b": Place(800, 0)})

    assert space.beside("a", "b") is False
    run = space.run_to("a", "b")
    assert isinstance(run, Run)
    assert run.blocked_at == run.walked == 700


@pytest.mark.parametrize(
    ("b", "place"), [((400, 0), (300, 0)), ((400, 100), (300, 0)), ((400, 400), (300, 300)), ((100, 0), (0, 0))]
)
@pytest.mark.clause("MA-540")
def test_on_squares_a_charge_ends_in_the_square_in_front(b: Point, place: Point) -> None:
    space = MapSpace(Ground(Grid("square")), {"a": Place(0, 0), "b": Place(*b)}, up={"a", "b"}, metric="chebyshev")
    run = space.run_to("a", "b")

    assert isinstance(run, Run)
    assert run.points[-1] == place
    assert run.length == max(b)
    assert run.walked == max(b) - 100


def test_a_big_body_is_reached_and_measured_at_its_rim() -> None:
    space = MapSpace(Ground(), {"a": Place(0, 0), "ogre": Place(1000, 0)}, sizes={"ogre": 150}, up={"ogre"})
    run = space.run_to("a", "ogre")

    assert isinstance(run, Run)
    assert space.distance("a", "ogre") == run.length == run.straight_end == 850
    assert run.points == ((0, 0), (750, 0))


def test_a_two_square_body_is_measured_between_footprints() -> None:
    space = MapSpace(
        Ground(Grid("square")),
        {"a": Place(200, 0), "big": Place(50, 50)},
        sizes={"big": 50},
        metric="chebyshev",
        up={"big"},
    )

    assert space.distance("a", "big") == 100
    assert space.after({"a": Place(300, 0)}).distance("a", "big") == 200
    run = space.after({"a": Place(500, 0)}).run_to("a", "big")
    assert isinstance(run, Run)
    assert run.points[-1] == (200, 0)


@given(
    st.lists(st.tuples(st.integers(-3000, 3000), st.integers(-3000, 3000)), min_size=1, max_size=40),
    st.integers(0, 2500),
    st.sampled_from([("none", "euclid"), ("none", "chebyshev"), ("hex", "euclid"), ("hex", "hex_steps")]),
)
def test_who_is_near_agrees_with_asking_everybody(points: list[Point], reach: int, how: tuple[str, Metric]) -> None:
    kind, metric = how
    if kind == "hex":
        points = [(x // 100 * 100, y // 100 * 100) for x, y in points]
    places = {f"p{n}": Place(*point) for n, point in enumerate(points)}
    sizes = {who: 37 for n, who in enumerate(places) if n % 3 == 0}
    space = MapSpace(Ground(Grid(kind)), places, sizes=sizes, metric=metric)  # type: ignore[arg-type]
    moved = space.after({"p0": Place(100, 200), "new": Place(0, 0)}).after({"new": None})

    for here in (space, moved):
        everybody = sorted(place for place in places if place != "p0" and here.adjacent("p0", place, reach))
        assert here.near("p0", reach) == tuple(everybody)


def test_what_is_hidden_is_left_out_of_what_is_found_by_looking() -> None:
    ground = Ground(
        walls=(Wall((500, -50), (500, 50), "secret"),), regions=(Region("r", "smoke", ((0, 0), (9, 0), (9, 9))),)
    )
    space = MapSpace(ground, {"a": Place(0, 0), "b": Place(100, 0), "c": Place(200, 0)}, up={"a", "b", "c"})

    known = space.known_to({"b", "secret", "r"})

    assert space.near("a", 300) == ("b", "c")
    assert known.near("a", 300) == ("c",)
    assert known.inside(Sector((0, 0), 150)) == ("a",)
    assert known.at("a") == frozenset()
    run = known.run("a", [(0, 90), (600, 0)])
    assert isinstance(run, Run)
    assert run.blocked_at is None
    assert known.after({"b": Place(50, 50)}).near("a", 300) == ("c",)
    assert MapSpace(ground, {"a": Place(0, 0), "b": Place(100, 0)}, hidden={"b"}).near("a", 300) == ()
    # By name he is still answered: whoever asks by name knows him.
    assert known.distance("a", "b") == 100


def test_an_index_is_built_once_for_each_value_of_a_ground() -> None:
    one, other = (Ground(walls=(Wall((0, 0), (100, 100)),)) for _ in range(2))

    assert index(one) is index(other) is index(one)
    assert index(Ground(walls=(Wall((0, 0), (100, 101)),))) is not index(one)


def test_a_metric_that_the_grid_cannot_count_is_refused() -> None:
    with pytest.raises(ValueError, match="hex_steps"):
        MapSpace(Ground(), {}, metric="hex_steps")
