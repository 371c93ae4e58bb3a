"""Who sees whom, arcs, cover and regions."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from shapely import LineString
from shapely import Point as Dot
from shapely import Polygon as Shape
from shapely.ops import unary_union

from app.engine.space import (
    Cover,
    CoverPiece,
    CoverValue,
    Grid,
    Ground,
    MapSpace,
    Place,
    Point,
    Region,
    Unknown,
    Wall,
)
from app.engine.space.index import index
from app.engine.space.predicates import in_arc, in_polygon
from app.engine.space.sight import open_between, open_line


def sees(a: Point, b: Point, *walls: tuple[Point, Point]) -> bool:
    ground = index(Ground(walls=tuple(Wall(*wall) for wall in walls)))
    one, other = open_line(ground.sight, a, b), open_line(ground.sight, b, a)
    assert one == other
    return one


@pytest.mark.parametrize(("walls", "seen"), [
    ([], True),
    ([((50, -10), (50, 10))], False),
    ([((50, 0), (50, 10))], True),                          # the line grazes a free end
    ([((50, 1), (50, 10))], True),
    ([((50, -1), (50, 10))], False),
    ([((50, 0), (50, 10)), ((50, 0), (50, -10))], False),   # a joint
    ([((50, 0), (50, 10)), ((50, 0), (60, 10))], True),     # a corner, on one side
    ([((30, 0), (30, 10)), ((60, 0), (60, -10))], False),   # between two ends from opposite sides
    ([((30, 0), (30, 10)), ((60, 1), (60, -10))], False),
    ([((30, 1), (30, 10)), ((60, 0), (60, -10))], True),
    ([((20, 0), (80, 0))], True),                           # along a wall
    ([((20, 0), (80, 0)), ((80, 0), (80, 10))], True),
    ([((20, 0), (80, 0)), ((80, 0), (80, 10)), ((20, 0), (20, -10))], False),
    ([((0, -10), (0, 10))], True),                          # on the wall on which one stands
    ([((100, -10), (100, 10))], True),
    ([((0, 0), (10, 10))], True),
    ([((1, -10), (1, 10))], False),
    ([((-1, -10), (-1, 10))], True),
    ([((101, -10), (101, 10))], True),
])  # fmt: skip
@pytest.mark.clause("DH-5170")
def test_sight_is_cut_only_if_it_is_cut_on_both_sides_of_the_line(walls: list[tuple[Point, Point]], seen: bool) -> None:
    assert sees((0, 0), (100, 0), *walls) is seen
    # The same turned by a right angle, and slanted.
    turned = [((-ay, ax), (-by, bx)) for (ax, ay), (bx, by) in walls]
    assert sees((0, 0), (0, 100), *turned) is seen
    slanted = [((ax - ay, ax * 2 + ay), (bx - by, bx * 2 + by)) for (ax, ay), (bx, by) in walls]
    assert sees((0, 0), (100, 200), *slanted) is seen


SMALL = st.tuples(st.integers(-9, 9), st.integers(-9, 9))
SEGMENTS = st.lists(st.tuples(SMALL, SMALL).filter(lambda wall: wall[0] != wall[1]), max_size=8)


@given(SMALL, SMALL, SEGMENTS)
def test_sight_agrees_with_lines_moved_a_hair_to_either_side(
    a: Point, b: Point, walls: list[tuple[Point, Point]]
) -> None:
    if a == b:
        assert sees(a, b, *walls)
        return
    length = Dot(a).distance(Dot(b))
    across = ((a[1] - b[1]) / length / 2000, (b[0] - a[0]) / length / 2000)
    blocking = [LineString(wall) for wall in walls if not any(on_segment(end, wall) for end in (a, b))]
    cut = [
        any(
            LineString([(x + side * across[0], y + side * across[1]) for x, y in (a, b)]).intersects(wall)
            for wall in blocking
        )
        for side in (-1, 1)
    ]

    assert sees(a, b, *walls) is not all(cut)


def on_segment(point: Point, wall: tuple[Point, Point]) -> bool:
    (ax, ay), (bx, by) = wall
    cross = (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax)
    return cross == 0 and min(ax, bx) <= point[0] <= max(ax, bx) and min(ay, by) <= point[1] <= max(ay, by)


WIDE = st.tuples(st.integers(-40, 40), st.integers(-40, 40)).map(lambda p: (p[0] * 125, p[1] * 125))
LONG_WALLS = st.lists(st.tuples(WIDE, WIDE).filter(lambda wall: wall[0] != wall[1]), min_size=1, max_size=30)


@given(LONG_WALLS, st.lists(st.tuples(WIDE, WIDE), min_size=1, max_size=20), st.sampled_from(["none", "hex"]))
def test_buckets_leave_no_wall_out(
    walls: list[tuple[Point, Point]], pairs: list[tuple[Point, Point]], grid: str
) -> None:
    ground = index(Ground(Grid(grid), walls=tuple(Wall(*wall) for wall in walls)))  # type: ignore[arg-type]
    for a, b in pairs:
        everything = open_between(ground.sight.segments, a, b[0] * 9, b[1] * 9, 9)
        assert open_line(ground.sight, a, b) is everything
        assert open_line(ground.sight, b, a) is everything


def test_an_open_door_stops_nothing_and_low_cover_no_sight() -> None:
    people = {"a": Place(0, 0), "b": Place(800, 0)}
    door = Wall((500, -100), (500, 100), "door")
    low = Wall((600, -100), (600, 100), move=False, sight=False, cover=CoverValue(8, ("body",)))

    assert MapSpace(Ground(walls=(door, low)), people).sees("a", "b") is False
    opened = MapSpace(Ground(walls=(Wall((500, -100), (500, 100), "door", open=True), low)), people)
    assert opened.sees("a", "b") is True
    assert opened.cover("a", "b") == Cover(100, (CoverPiece("wall_1", 8, ("body",)),))


@pytest.mark.parametrize(("at", "arc", "facing", "seen"), [
    ((3000, -1244), 45, 90, False),     # 67.47 degrees
    ((3000, -1243), 45, 90, False),     # 67.495
    ((3000, -1242), 45, 90, True),      # 67.51
    ((3000, 1242), 45, 90, True),
    ((3000, 1243), 45, 90, False),
    ((100, -100), 90, 90, True),        # exactly on the edge
    ((101, -102), 90, 90, False),
    ((-100, 0), 180, 0, True),
    ((-100, 1), 180, 0, False),
    ((0, 0), 1, 0, True),               # the apex
    ((0, 500), 360, 0, True),
    ((0, 500), 359, 0, False),
    ((-100, 100), 270, 0, True),
    ((-100, 101), 270, 0, False),
    ((0, -5), 0, 0, True),
    ((0, 5), 0, 0, False),
])  # fmt: skip
@pytest.mark.clause("DH-5720", "DH-4530")
def test_an_arc_includes_both_edges_and_nothing_beyond(at: Point, arc: int, facing: int, seen: bool) -> None:
    space = MapSpace(Ground(), {"a": Place(0, 0, facing), "b": Place(*at)})

    assert space.sees("a", "b", arc) is seen


@pytest.mark.parametrize(
    ("bearing", "seen"), [(0, True), (104, True), (105, True), (106, False), (254, False), (255, True)]
)
@pytest.mark.clause("WH-540")
def test_a_field_of_view_of_210_degrees_ends_at_105(bearing: int, seen: bool) -> None:
    space = MapSpace(Ground(), {"a": Place(0, 0, 0), "b": Place(0, 0, 0)}).after(there("b", bearing))

    assert space.sees("a", "b", 210) is seen
    assert space.arc_of("a", "b", (("seen", 210), ("unseen", 360))) == ("seen" if seen else "unseen")
    assert space.bearing("a", "b") == bearing


@given(st.integers(-9999, 9999), st.integers(-9999, 9999), st.integers(0, 359), st.integers(0, 359), st.booleans())
def test_arcs_agree_with_angles_in_floats(dx: int, dy: int, facing: int, arc: int, hexes: bool) -> None:
    assume((dx, dy) != (0, 0))
    angle = math.degrees(math.atan2(dx, -dy * (math.sqrt(3) if hexes else 1)))
    off = abs((angle - facing + 180) % 360 - 180)
    assume(abs(off - arc / 2) > 1e-9)

    assert in_arc(dx, dy, facing, arc, hexes) is (off < arc / 2)


def there(who: str, bearing: int) -> dict[str, Place | None]:
    """Somebody far off in that direction. Far enough for the lattice not to turn it by a tenth."""
    found = MapSpace(Ground(), {}).scatter((0, 0), bearing, 100_000)
    assert not isinstance(found, Unknown)
    return {who: found[0]}


@pytest.mark.parametrize(("q", "r", "arc", "inside"), [
    (1, -1, 60, True), (2, -1, 60, False), (1, -2, 60, True), (2, -2, 60, True), (3, -2, 60, False), (0, -1, 60, True),
    (-1, 0, 180, True), (1, 0, 180, True), (0, 1, 299, False), (0, 1, 300, True), (-1, 1, 180, False),
])  # fmt: skip
def test_arcs_on_hexes_have_exact_edges_along_rows_and_corners(q: int, r: int, arc: int, inside: bool) -> None:
    # Facing 0 looks at a corner between the neighbours (0, -1) at 330 and (1, -1) at 30 degrees.
    space = MapSpace(Ground(Grid("hex")), {"a": Place(0, 0, 0), "b": Place(100 * q, 100 * r)})

    assert space.sees("a", "b", arc) is inside


ARCS = (("front", 180), ("side", 300), ("rear", 360))


@pytest.mark.parametrize(("at", "arc"), [
    ((0, -100), "front"), ((100, 0), "front"), ((100, 1), "side"), ((-100, 100), "side"), ((0, 100), "rear"),
    ((1, 100), "rear"),
])  # fmt: skip
def test_the_first_arc_that_holds_somebody_is_his(at: Point, arc: str) -> None:
    people = {"a": Place(0, 0, 0), "b": Place(*at), "blind": Place(0, 0)}

    assert MapSpace(Ground(), people).arc_of("a", "b", ARCS) == arc
    assert MapSpace(Ground(), people).arc_of("blind", "b", ARCS) == "front"


def covered(*walls: Wall, size: int = 0) -> Cover:
    space = MapSpace(Ground(walls=walls), {"a": Place(0, 0), "b": Place(1000, 0)}, sizes={"b": size})
    found = space.cover("a", "b")
    assert isinstance(found, Cover)
    return found


def low(y0: int, y1: int, x: int = 1000, near: int | None = None) -> Wall:
    return Wall((x, y0), (x, y1), "low", move=False, sight=False, cover=CoverValue(8, ("body",), near=near))


@pytest.mark.parametrize(("wall", "hidden"), [
    (low(-50, 50), 100), (low(-25, 25), 50), (low(0, 50), 50), (low(25, 50), 25), (low(24, 50), 26),
    (low(-50, -26), 24), (low(50, 60), 0), (low(-25, 25, 500), 100), (low(-10, 10, 500), 40), (low(0, 200, 1), 50),
])  # fmt: skip
@pytest.mark.clause("SR-355")
def test_the_hidden_share_is_the_shadow_on_the_targets_width(wall: Wall, hidden: int) -> None:
    assert covered(wall).hidden == hidden


def test_shadows_are_joined_and_not_added() -> None:
    assert covered(
        low(-50, 0), Wall((500, -10), (500, 10), "pillar", move=False, sight=False, cover=CoverValue())
    ) == Cover(70, (CoverPiece("low", 8, ("body",)), CoverPiece("pillar")))


@pytest.mark.parametrize(("near", "counts"), [(199, False), (200, True), (201, True), (None, True)])
def test_a_cover_must_be_near_enough_to_the_target(near: int | None, counts: bool) -> None:
    assert bool(covered(low(-100, 100, 800, near)).pieces) is counts


@pytest.mark.parametrize(("y", "meets"), [(1, False), (0, True), (-1, True)])
@pytest.mark.clause("DH-5160")
def test_a_cover_gives_its_armour_if_the_line_meets_it(y: int, meets: bool) -> None:
    assert bool(covered(low(y, 50, 900)).pieces) is meets


def test_a_big_body_shows_more_beside_the_same_cover() -> None:
    assert covered(low(-50, 50), size=50).hidden == 50


def test_a_wall_that_stops_sight_hides_without_being_a_cover() -> None:
    assert covered(Wall((500, 0), (500, 200))) == Cover(50)


def test_a_cover_and_a_wall_on_one_line_both_count() -> None:
    window = Wall((900, -50), (900, 50), "window", sight=False, cover=CoverValue(4))

    assert covered(Wall((900, -50), (900, 50)), window) == Cover(100, (CoverPiece("window", 4),))


def test_on_hexes_cover_is_measured_as_anywhere() -> None:
    # The border between the hexes (1, 0) and (2, 0), from corner to corner, is 0.58 long and 0.5 before the target.
    border = Wall((900, -100), (900, 100), "hedge", move=False, sight=False, cover=CoverValue(2))
    space = MapSpace(Ground(Grid("hex"), walls=(border,)), {"a": Place(0, 0), "b": Place(200, 0)})

    # Its shadow is 0.77 wide, of a body 1.00 wide.
    assert space.cover("a", "b") == Cover(77, (CoverPiece("hedge", 2),))


@given(
    st.lists(
        st.tuples(st.integers(10, 990), st.integers(-60, 60), st.integers(10, 990), st.integers(-60, 60)), max_size=4
    )
)
def test_the_hidden_share_agrees_with_shadows_cast_by_the_library(walls: list[tuple[int, int, int, int]]) -> None:
    walls = [wall for wall in walls if wall[:2] != wall[2:]]
    shadows = []
    for ax, ay, bx, by in walls:
        far = [(x * 5000 / x, y * 5000 / x) for x, y in ((ax, ay), (bx, by))]
        shadows.append(Shape([(ax, ay), (bx, by), far[1], far[0]]).buffer(0))
    eye = LineString([(1000, -50), (1000, 50)])

    found = covered(*(Wall((ax, ay), (bx, by)) for ax, ay, bx, by in walls)).hidden

    assert abs(found - eye.intersection(unary_union(shadows)).length) <= 0.51


CLOUD = Region("cloud", "smoke", ((200, -100), (400, -100), (400, 100), (200, 100)))


@pytest.mark.parametrize(("a", "b", "kinds"), [
    ((0, 0), (500, 0), {"smoke"}), ((0, 0), (199, 0), set()), ((0, 0), (200, 0), {"smoke"}),
    ((300, 0), (310, 0), {"smoke"}), ((0, 101), (500, 101), set()), ((0, 100), (500, 100), {"smoke"}),
    ((0, -300), (600, 300), {"smoke"}),
    ((100, 100), (200, 200), set()), ((150, 50), (250, 150), {"smoke"}),
])  # fmt: skip
def test_smoke_counts_at_either_end_and_on_the_line_border_included(a: Point, b: Point, kinds: set[str]) -> None:
    space = MapSpace(Ground(regions=(CLOUD,)), {"a": Place(*a), "b": Place(*b)})

    assert space.between("a", "b") == frozenset(kinds)
    assert space.between("b", "a") == frozenset(kinds)


@pytest.mark.parametrize(
    ("point", "inside"),
    [((200, 0), True), ((199, 0), False), ((201, 0), True), ((400, 100), True), ((401, 100), False)],
)
def test_a_region_holds_its_border(point: Point, inside: bool) -> None:
    space = MapSpace(Ground(regions=(CLOUD,)), {"a": Place(*point)})

    assert space.at("a") == frozenset({"smoke"} if inside else ())
    assert space.at(point) == space.at("a")


@given(st.lists(SMALL, min_size=3, max_size=7, unique=True), SMALL)
def test_points_in_polygons_agree_with_the_library(corners: list[Point], point: Point) -> None:
    shape = Shape(corners)
    if not shape.is_valid:
        return

    assert in_polygon(*point, corners) is bool(shape.covers(Dot(point)))
    assert in_polygon(point[0] * 7, point[1] * 7, corners, 7) is in_polygon(*point, corners)
