"""Without a map: what is stated, what is unknown, and who is asked."""

import msgspec
import pytest

from app.engine.space import (
    Area,
    Cover,
    CoverPiece,
    Crossing,
    Exit,
    Ground,
    Landing,
    PairFact,
    Place,
    Run,
    Said,
    Sector,
    StatedSpace,
    Unknown,
    Wall,
    distance_fits,
)

ZONE = Sector((0, 0), 1000, id="zone")


def stated(said: Said | None = None, **more: object) -> StatedSpace:
    facts = {
        "a>b": PairFact(distance=800, sees=True, cover=Cover(), bearing=105, between=("smoke",)),
        "b>a": PairFact(sees=False),
        "c>a": PairFact(distance=300, band="short", arc="rear"),
    }
    return StatedSpace(facts, {"a": {"d"}}, said, **more)  # type: ignore[arg-type]


def ran(space: StatedSpace, who: str = "a") -> Run:
    run = space.run(who, [])
    assert isinstance(run, Run)
    return run


def test_unknown_is_no_no() -> None:
    unknown = stated().distance("a", "x")

    assert unknown == Unknown("distance", ("a", "x"))
    with pytest.raises(TypeError, match="distance of a, x is unknown"):
        bool(unknown)


def test_a_distance_holds_both_ways_and_all_else_one_way() -> None:
    space = stated()

    assert space.distance("a", "b") == space.distance("b", "a") == 800
    assert space.distance("a", "c") == 300
    assert space.sees("a", "b") is True
    assert space.sees("b", "a") is False
    assert space.cover("a", "b") == Cover()
    assert space.cover("b", "a") == Unknown("cover", ("b", "a"))
    assert space.between("a", "b") == space.between("b", "a") == frozenset({"smoke"})
    assert space.between("a", "c") == Unknown("between", ("a", "c"), "gm")


@pytest.mark.clause("DH-5700")
def test_engaged_people_are_adjacent_whatever_else_is_known() -> None:
    space = stated()

    assert space.adjacent("a", "d", 150) is True
    assert space.adjacent("d", "a", 150) is True
    assert space.adjacent("a", "b", 150) is False
    assert space.adjacent("a", "x", 150) == Unknown("distance", ("a", "x"))
    by_question = StatedSpace({}, lambda one, other: {one, other} == {"a", "d"})
    assert by_question.adjacent("d", "a", 150) is True


@pytest.mark.parametrize(("fov", "seen"), [(208, False), (209, False), (210, True), (360, True)])
@pytest.mark.clause("WH-540")
def test_a_stated_bearing_decides_the_field_of_view(fov: int, seen: bool) -> None:
    assert stated().sees("a", "b", fov) is seen


def test_arcs_are_stated_or_follow_from_the_bearing() -> None:
    arcs = (("front", 180), ("side", 210), ("rear", 360))

    assert stated().arc_of("a", "b", arcs) == "side"
    assert stated().arc_of("c", "a", arcs) == "rear"
    assert stated().arc_of("b", "a", arcs) == Unknown("arc", ("b", "a"))
    assert stated().bearing("a", "b") == 105
    assert stated().bearing("b", "a") == Unknown("bearing", ("b", "a"))


@pytest.mark.clause("WH-510")
def test_a_band_is_stated_where_no_distance_is() -> None:
    space = StatedSpace({"a>b": PairFact(band="long")}, {}, Said(by="a", bands={"c": "short"}))

    assert space.band("a", "b", (("short", 100),)) == "long"
    assert space.band("a", "c", (("short", 100),)) == "short"
    assert space.band("b", "a", ()) == Unknown("range_band", ("b", "a"))


def test_what_a_submission_says_goes_before_what_is_kept() -> None:
    piece = CoverPiece("crate", 8, ("body",))
    space = stated(Said(by="a", distance={"b": 900}, sees={"b": False}, cover={"b": Cover(100, (piece,))}))

    assert space.distance("b", "a") == 900
    assert space.distance("c", "b") == Unknown("distance", ("c", "b"), "gm")
    assert space.sees("a", "b") is False
    assert space.cover("a", "b") == Cover(100, (piece,))


def test_what_hides_somebody_from_everybody_yields_to_what_is_said_of_the_pair() -> None:
    hidden = Cover(60)
    space = stated(None, covers={"b": hidden, "x": hidden, "y": None})

    assert space.cover("a", "b") == Cover()
    assert space.cover("c", "b") == hidden
    assert space.cover("a", "y") == Unknown("cover", ("a", "y"))


def test_the_gm_is_asked_what_the_submitter_cannot_know() -> None:
    space = stated(Said(by="a", length=500), secret={"sniper", "nest"})

    assert space.distance("a", "x") == Unknown("distance", ("a", "x"), "client")
    assert space.distance("a", "sniper") == Unknown("distance", ("a", "sniper"), "gm")
    assert space.sees("x", "a") == Unknown("sees", ("x", "a"), "client")
    assert space.sees("x", "y") == Unknown("sees", ("x", "y"), "gm")
    assert space.crossings(ran(space), Sector((0, 0), 1, id="nest")) == Unknown("crosses", ("a", "nest"), "gm")
    assert space.crossings(ran(space), ZONE) == Unknown("crosses", ("a", "zone"), "client")
    # An empty list from a client is none of the zones that he knows.
    silent = stated(Said(by="a", length=500, crosses=()), secret={"nest"})
    assert silent.crossings(ran(silent), Sector((0, 0), 1, id="nest")) == Unknown("crosses", ("a", "nest"), "gm")
    assert silent.crossings(ran(silent), ZONE) == ()


@pytest.mark.parametrize(("said", "straight"), [
    (Said(by="a", length=800, path_straight=True), 800),
    (Said(by="a", length=800, path_straight=False), 0),
    (Said(by="a", length=800, path_straight=False, straight_end=400), 400),
    (Said(by="a", length=300, straight_end=400), 300),
    (Said(by="a", length=800), Unknown("straight_end", ("a",))),
])  # fmt: skip
@pytest.mark.clause("DH-5700")
def test_a_way_stated_as_straight_is_straight_all_along(said: Said, straight: object) -> None:
    run = ran(stated(said))

    assert run.length == run.cost == run.walked == said.length
    assert run.straight_end == straight


@pytest.mark.clause("DH-5700")
def test_a_charge_without_a_distance_lacks_it() -> None:
    said = Said(by="a", path_straight=True)

    assert stated(said).run_to("a", "x") == Unknown("distance", ("a", "x"))
    run = stated(said).run_to("a", "b")
    assert isinstance(run, Run)
    assert (run.length, run.straight_end, run.target) == (800, 800, "b")
    assert stated(said).run("a", []) == Unknown("length", ("a",))
    assert stated(said).run("b", []) == Unknown("length", ("b",), "gm")


def test_lists_are_stated_or_derived_when_everything_is_known() -> None:
    facts = {"p>x": PairFact(distance=200), "p>y": PairFact(distance=201)}

    assert StatedSpace(facts, {}).near("p", 200) == Unknown("near", ("p",))
    assert StatedSpace(facts, {}, everybody={"p", "x", "y"}).near("p", 200) == ("x",)
    assert StatedSpace(facts, {}, everybody={"p", "x", "y", "z"}).near("p", 200) == Unknown("near", ("p",))
    assert StatedSpace(facts, {}, Said(near=("z", "p", "y"))).near("p", 200) == ("y", "z")
    assert StatedSpace(facts, {}, Said(near=())).near((0, 0), 200) == ()
    assert StatedSpace({}, {}).inside(ZONE) == Unknown("inside", ("zone",))
    assert StatedSpace({}, {}, Said(inside=("b", "a"))).inside(ZONE) == ("a", "b")
    assert StatedSpace({}, {}, Said(inside=("b",)), zones={"zone": ["c"]}).inside(ZONE) == ("c",)
    assert StatedSpace({}, {}, Said(inside=("b", "a"))).known_to({"a"}).inside(ZONE) == ("b",)


@pytest.mark.parametrize(("since", "told"), [
    (0, (Crossing(300, "enters"),)), (299, (Crossing(300, "enters"),)), (300, (Crossing(300, "starts_inside"),)),
])  # fmt: skip
def test_a_stated_crossing_is_where_it_was_stated(since: int, told: object) -> None:
    space = stated(Said(by="a", length=500, crosses=("zone",), crosses_at={"zone": 300}))

    assert space.crossings(ran(space), ZONE, since) == told
    assert space.known_to({"zone"}).crossings(ran(space), ZONE) == ()


def test_who_is_in_a_zone_leaves_it_by_crossing_its_border() -> None:
    inside = {"zone": ["a"]}
    stays = stated(Said(by="a", length=500, crosses=()), zones=inside)
    goes = stated(Said(by="a", length=500, crosses=("zone",)), zones=inside)

    assert stays.crossings(ran(stays), ZONE) == (Crossing(0, "starts_inside"),)
    assert goes.crossings(ran(goes), ZONE) == (Crossing(0, "starts_inside"), Crossing(500, "leaves"))


def test_people_in_the_way_are_stated() -> None:
    space = stated(Said(by="a", length=500, met=("x", "y"), units_free=300, destination_free=False))
    bare = stated(Said(by="a", length=500))

    assert space.met(ran(space)) == ((300, "x"), (300, "y"))
    assert space.known_to({"x"}).met(ran(space)) == ((300, "y"),)
    assert space.free_length(ran(space)) == 300
    assert space.ends_free(ran(space)) is False
    assert bare.met(ran(bare)) == ()
    assert bare.free_length(ran(bare)) == Unknown("units_free", ("a",))
    assert bare.ends_free(ran(bare)) == Unknown("destination_free", ("a",))
    assert bare.place(ran(bare), 100) is None


@pytest.mark.parametrize(("limit", "possible"), [(399, False), (400, True), (401, True)])
@pytest.mark.clause("DH-3660")
def test_the_gm_states_the_way_out(limit: int, possible: bool) -> None:
    said = Said(exits={"b": Exit(400, None, True), "c": Exit(100, None, False)}, landing={"b": Landing(None, "wall")})

    assert stated(said).exit("b", ZONE, limit) == Exit(400, None, possible)
    assert stated(said).exit("c", ZONE, limit) == Exit(100, None, False)
    assert stated(said).exit("a", ZONE, limit) == Unknown("exit", ("a",), "gm")
    assert stated(said).push("b", 90, 100) == Landing(None, "wall")
    assert stated(said).push("a", 90, 100) == Unknown("landing", ("a",), "gm")
    assert stated(said).scatter((0, 0), 0, 100) == Unknown("landing", (), "gm")
    assert stated(said).beside("a", "b") == Unknown("beside", ("a", "b"))
    assert stated(Said(beside_free=False)).beside("a", "b") is False


def test_terrain_about_somebody_is_stated() -> None:
    space = stated(None, underfoot={"a": ["mud"], "b": []})

    assert space.at("a") == frozenset({"mud"})
    assert space.at("b") == frozenset()
    assert space.at("c") == Unknown("at", ("c",), "gm")
    assert space.at((0, 0)) == Unknown("at", (), "gm")


@pytest.mark.clause("SR-590", "GU-490")
def test_after_a_move_only_named_distances_are_known() -> None:
    space = stated(Said(by="a", length=500, distance={"b": 800}, distance_after={"b": 400}), zones={"zone": ["a", "b"]})

    after = space.after({"a": None})

    assert after.distance("a", "b") == 400
    assert after.distance("a", "c") == Unknown("distance", ("a", "c"))
    assert after.sees("a", "b") == Unknown("sees", ("a", "b"))
    assert after.adjacent("a", "d", 150) is True
    assert after.inside(ZONE) == ("b",)
    assert after.run("a", []) == Unknown("length", ("a",))
    assert space.after({"c": Place(0, 0)}).distance("a", "b") == 800
    assert space.after({"c": None}).distance("a", "c") == Unknown("distance", ("a", "c"))


@pytest.mark.parametrize(("new", "fits"), [(599, False), (600, True), (1200, True), (1800, True), (1801, False)])
@pytest.mark.clause("SR-590")
def test_a_new_distance_must_fit_the_metres_moved(new: int, fits: bool) -> None:
    assert distance_fits(1200, new, 600) is fits


@pytest.mark.parametrize(("value", "kind"), [
    (Ground(size=(100, 100), walls=(Wall((0, 0), (1, 2), drop=3),)), Ground),
    (ZONE, Area),
    (PairFact(distance=3, between=()), PairFact),
    (Said(by="a", crosses=(), exits={"b": Exit(1, None, True)}), Said),
    (Run("a", 1, Unknown("straight_end"), 1, 1), Run),
])  # fmt: skip
def test_the_values_survive_json(value: object, kind: object) -> None:
    assert msgspec.json.decode(msgspec.json.encode(value), type=kind) == value
