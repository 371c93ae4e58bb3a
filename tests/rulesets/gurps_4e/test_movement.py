"""How far one gets, when, which way, and where one looks afterwards. Clauses GU-400 to GU-460, GU-480, GU-490, GU-1000,
GU-1010.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Grid, Ground
from rulesets.gurps_4e.figures import current_move, half_move, step_of
from rulesets.gurps_4e.reach import distance
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.walking import (
    HEXES,
    SQUARES,
    ahead,
    alone,
    apart,
    both_ways,
    facing,
    field,
    gone,
    spot,
    walled,
    way,
)
from tests.support.play import PlayTable, length

R, S, X = CombatantId("r"), CombatantId("s"), CombatantId("x")


def who_moves(move: int, posture: str | None = None, hp: int | None = None, **changes: Any) -> PlayTable:
    """Somebody of that Basic Move, perhaps in a posture."""
    table = fight(r={"basic_move": move, **changes})
    if posture is not None:
        table.rule(posture_of("r", posture))
    if hp is not None:
        table.rule(cmd.SetPool(R, "hp", hp))
    return table


def posture_of(who: str, posture: str) -> cmd.AddEffect:
    """A ruling that puts somebody into a posture."""
    return cmd.AddEffect(CombatantId(who), posture)


# Move


@pytest.mark.clause("GU-400")
@pytest.mark.parametrize(
    ("move", "encumbrance", "left"),
    [(5, 0, 5), (5, 1, 4), (5, 2, 3), (5, 3, 2), (5, 4, 1), (9, 1, 7), (6, 2, 3), (6, 3, 2), (4, 4, 1), (1, 4, 1)],
)
def test_encumbrance_takes_fifths_of_the_move_rounded_down_but_leaves_one(
    move: int, encumbrance: int, left: int
) -> None:
    assert current_move(who_moves(move, encumbrance=encumbrance).table, R) == left


@pytest.mark.clause("GU-400")
@pytest.mark.parametrize(
    ("move", "posture", "left"),
    [
        (4, "crouching", 2),
        (4, "kneeling", 1),
        (6, "crouching", 4),
        (5, "crouching", 3),
        (1, "crouching", 1),
        (2, "kneeling", 1),
        (6, "crawling", 2),
        (9, "sitting", 0),
        (9, "lying_prone", 1),
        (9, "lying_face_up", 1),
    ],
)
def test_a_posture_leaves_a_part_of_the_move(move: int, posture: str, left: int) -> None:
    assert current_move(who_moves(move, posture).table, R) == left


@pytest.mark.clause("GU-400")
@pytest.mark.parametrize(("move", "hp", "left"), [(5, 3, 3), (5, 4, 5), (6, 3, 3), (1, 3, 1)])
def test_reeling_halves_it_rounded_up(move: int, hp: int, left: int) -> None:
    assert current_move(who_moves(move, hp=hp).table, R) == left


@pytest.mark.clause("GU-400")
@pytest.mark.parametrize(("move", "encumbrance", "posture", "left"), [(12, 1, "crouching", 3), (11, 1, "crouching", 2)])
def test_encumbrance_comes_before_reeling_and_reeling_before_the_posture(
    move: int, encumbrance: int, posture: str, left: int
) -> None:
    # 12: 9, 5, 3, where reeling first would leave 2. 11: 8, 4, 2, where the posture first would leave 3.
    table = who_moves(move, posture, hp=3, encumbrance=encumbrance)

    assert current_move(table.table, R) == left


@pytest.mark.clause("GU-400")
def test_the_ready_combatants_have_the_moves_of_their_sheets() -> None:
    table = fight(s={}, x={}, r={}, p={}).table

    found = [(current_move(table, CombatantId(who)), half_move(table, CombatantId(who))) for who in "sxrp"]

    assert found == [(4, 2), (5, 2), (6, 3), (6, 3)]


# The whole Move


@both_ways
@pytest.mark.clause("GU-410", "GU-1000")
@pytest.mark.parametrize(("yards", "reasons"), [(4.99, []), (5, []), (5.01, ["move_too_far"]), (6, ["move_too_far"])])
def test_move_goes_as_far_as_the_move(on_map: bool, yards: float, reasons: list[str]) -> None:
    table = alone(on_map, "x")

    assert table.why_not("move", "x", **way(on_map, yards)) == reasons


@both_ways
@pytest.mark.clause("GU-410")
def test_the_refusal_tells_what_is_allowed_and_what_was_asked(on_map: bool) -> None:
    (reason,) = alone(on_map, "x").reasons("move", "x", **way(on_map, 6))

    assert (reason.code, reason.clause, reason.need_length, reason.got_length) == ("move_too_far", "GU-410", 500, 600)
    assert reason.at == ("/path" if on_map else "/said/length")


@both_ways
@pytest.mark.clause("GU-410")
@pytest.mark.parametrize(("yards", "reasons"), [(5, []), (6, ["move_too_far"])])
def test_so_does_move_and_attack(on_map: bool, yards: float, reasons: list[str]) -> None:
    far: dict[str, Any] = {"distance_after": {"s": 1}}
    table = fight(x={"at": (0, 0, 90)} if on_map else {}, s={"at": (yards + 1, 0, 270)} if on_map else {})

    assert table.why_not("move_and_attack", "x", "s", weapon="axe", **way(on_map, yards, **far)) == reasons


@both_ways
@pytest.mark.clause("GU-410")
def test_he_is_there_afterwards(on_map: bool) -> None:
    table = alone(on_map, "x")

    done = table.play("move", "x", **way(on_map, 5))

    assert (gone(done, "x"), done.one(ev.Moved).clause) == (5, "GU-410")
    if on_map:
        assert spot(table, "x") == (5, 0)
        assert done.one(ev.Moved).path == ((0, 0), (500, 0))


@pytest.mark.clause("GU-410")
def test_a_way_with_corners_is_as_long_as_its_pieces() -> None:
    table = alone(True, "x")

    assert table.why_not("move", "x", path=[(3, 0), (3, 2)]) == []
    assert table.why_not("move", "x", path=[(3, 0), (3, 2.01)]) == ["move_too_far"]


# A step


@pytest.mark.clause("GU-420")
@pytest.mark.parametrize(
    ("move", "up", "down"),
    [(0, 0, 0), (1, 1, 1), (10, 1, 1), (11, 2, 1), (19, 2, 1), (20, 2, 2), (21, 3, 2), (30, 3, 3)],
)
def test_a_step_is_a_tenth_of_the_move_rounded_up_or_by_option_down(move: int, up: int, down: int) -> None:
    assert step_of(fight(r={"basic_move": move}).table, R) == up
    assert step_of(fight(r={"basic_move": move}, options={"step_rounding": "down"}).table, R) == down


@both_ways
@pytest.mark.clause("GU-420")
@pytest.mark.parametrize(
    ("move", "yards", "reasons"),
    [
        (4, 1, []),
        (4, 1.01, ["step_too_far"]),
        (10, 2, ["step_too_far"]),
        (11, 2, []),
        (20, 2, []),
        (20, 2.01, ["step_too_far"]),
        (0, 1, ["step_too_far"]),
    ],
)
def test_a_step_goes_no_farther(on_map: bool, move: int, yards: float, reasons: list[str]) -> None:
    table = alone(on_map, "r", basic_move=move)
    # Any direction will do: straight back.
    table_reasons = table.why_not(
        "all_out_defense", "r", options={"option": "double_defense"}, **way(on_map, yards, 270)
    )

    assert table_reasons == reasons


@pytest.mark.clause("GU-420")
def test_a_step_may_be_a_change_of_facing_or_both() -> None:
    table = alone(True, "r")

    done = table.play("all_out_defense", "r", options={"option": "double_defense"}, facing=270)

    assert (done.one(ev.Turned).facing, done.one(ev.Turned).clause) == (270, "GU-430")
    assert facing(table, "r") == 270

    table = alone(True, "r")
    table.play("all_out_defense", "r", options={"option": "double_defense"}, path=[(0, 1)], facing=0)
    assert (spot(table, "r"), facing(table, "r")) == ((0, 1), 0)


@pytest.mark.clause("GU-420")
def test_a_step_alone_turns_nobody() -> None:
    table = alone(True, "r")

    table.play("all_out_defense", "r", options={"option": "double_defense"}, path=[(-1, 0)])

    assert (spot(table, "r"), facing(table, "r")) == ((-1, 0), 90)


# Before or after


def duel(on_map: bool, far: float, **changes: Any) -> PlayTable:
    """The axeman with a Move of 12, and the swordsman so many yards to the right of him."""
    x: dict[str, Any] = {"basic_move": 12, **changes}
    if on_map:
        return fight(x={**x, "at": (0, 0, 90)}, s={"at": (far, 0, 270)})
    return fight(x=x, s={}, apart={"xs": far})


@both_ways
@pytest.mark.clause("GU-430")
@pytest.mark.parametrize(("at", "reasons"), [(0, []), (1, ["step_split"]), (2, []), (None, []), (3, ["step_split"])])
def test_the_whole_step_comes_before_or_after(on_map: bool, at: float | None, reasons: list[str]) -> None:
    # At 2 yards he reaches 1 after his step; at 1 he would have to strike first.
    table = duel(on_map, 1 if at == 0 else 3)
    options = {} if at is None else {"act_at": length(at)}
    toward = {} if on_map else {"away_from" if at == 0 else "toward": "s"}

    found = table.why_not(
        "attack", "x", "s", weapon="axe", options={**options, **toward}, **way(on_map, 2, 270 if at == 0 else 90)
    )

    assert [code for code in found if code == "step_split"] == reasons
    if not reasons:
        assert found == []


@both_ways
@pytest.mark.clause("GU-430")
def test_a_step_before_the_attack_is_taken_first(on_map: bool) -> None:
    table = duel(on_map, 2)
    toward = {} if on_map else {"toward": "s"}

    done = table.play("attack", "x", "s", weapon="axe", options=toward, **way(on_map, 1), to_hit=(6, 6, 4))

    kinds = [type(event).__name__ for event in done.events]
    assert kinds.index("Moved") < kinds.index("AttackMade")
    assert apart(table, "x", "s") == 1


@both_ways
@pytest.mark.clause("GU-430")
def test_a_step_after_the_attack_is_taken_last(on_map: bool) -> None:
    table = duel(on_map, 1)
    away = {} if on_map else {"away_from": "s"}

    done = table.play(
        "attack", "x", "s", weapon="axe", options={"act_at": 0, **away}, **way(on_map, 2, 270), to_hit=(6, 6, 4)
    )

    kinds = [type(event).__name__ for event in done.events]
    assert kinds.index("AttackMade") < kinds.index("Moved")
    assert apart(table, "x", "s") == 3


@pytest.mark.clause("GU-430")
@pytest.mark.parametrize(("options", "first"), [({}, True), ({"act_at": 0}, False)])
@pytest.mark.parametrize("path", [[], [(0, -1)]])
def test_a_change_of_facing_comes_at_the_moment_of_the_step(
    options: dict[str, int], first: bool, path: list[Any]
) -> None:
    table = duel(True, 1)

    done = table.play("attack", "x", "s", weapon="axe", options=options, path=path, facing=120, to_hit=(6, 6, 4))

    kinds = [type(event).__name__ for event in done.events]
    assert (kinds.index("Turned") < kinds.index("AttackMade")) == first
    assert facing(table, "x") == 120


# Half the Move


@pytest.mark.clause("GU-440")
@pytest.mark.parametrize(("move", "half"), [(5, 2), (6, 3), (1, 1), (2, 1), (3, 1), (12, 6), (0, 0)])
def test_half_the_move_is_rounded_down_and_never_less_than_the_step(move: int, half: int) -> None:
    assert half_move(fight(r={"basic_move": move}).table, R) == half


@both_ways
@pytest.mark.clause("GU-440")
@pytest.mark.parametrize(("yards", "reasons"), [(3, []), (3.01, ["move_too_far"])])
def test_all_out_defense_with_increased_dodge_goes_half_the_move(
    on_map: bool, yards: float, reasons: list[str]
) -> None:
    table = alone(on_map, "r")

    found = table.reasons("all_out_defense", "r", options={"option": "increased_dodge"}, **way(on_map, yards, 270))

    assert [reason.code for reason in found] == reasons


# Forward


def all_out(table: PlayTable, *path: Any, **options: Any) -> list[str]:
    """What speaks against an All-Out Attack after that way, apart from the distance he then has."""
    found = table.why_not(
        "all_out_attack",
        "p",
        "x",
        weapon="spear",
        path=list(path),
        options={"option": "determined", **options},
    )
    return [code for code in found if code not in ("out_of_reach", "reach_not_set")]


@pytest.mark.clause("GU-450")
@pytest.mark.parametrize(
    ("bearing", "reasons"),
    [(0, []), (60, []), (61, ["not_forward"]), (300, []), (299, ["not_forward"]), (180, ["not_forward"])],
)
@pytest.mark.parametrize("looks", [0, 45, 200])
def test_each_piece_lies_within_60_degrees_of_the_facing(looks: int, bearing: int, reasons: list[str]) -> None:
    table = field(p={"at": (0, 0, looks)}, x={"at": (9, 9, 0)})

    assert all_out(table, ahead(2, looks + bearing)) == reasons


@pytest.mark.clause("GU-450")
@pytest.mark.parametrize(("second", "reasons"), [(120, []), (121, ["not_forward"]), (0, []), (299, ["not_forward"])])
def test_after_a_piece_he_may_look_along_it(second: int, reasons: list[str]) -> None:
    table = field(p={"at": (0, 0, 0)}, x={"at": (9, 9, 0)})
    corner = ahead(1.5, 60)

    assert all_out(table, corner, ahead(1.5, second, corner)) == reasons


@pytest.mark.clause("GU-450")
@pytest.mark.parametrize(
    ("looks", "to", "reasons"),
    [
        (90, (1, 0), []),
        (90, (0, 1), []),
        (90, (1, -1), []),
        (90, (-1, 1), ["not_forward"]),
        (0, (1, 0), ["not_forward"]),
    ],
)
def test_forward_on_hexes(looks: int, to: tuple[int, int], reasons: list[str]) -> None:
    # The neighbours of a hex lie at 30, 90, 150, 210, 270 and 330 degrees.
    table = field(HEXES, p={"hex": (0, 0, looks)}, x={"hex": (9, 9, 0)})

    assert all_out(table, to) == reasons


@pytest.mark.clause("GU-450")
@pytest.mark.parametrize(("to", "reasons"), [((1, 0), []), ((1, -1), []), ((0, 1), ["not_forward"])])
def test_forward_on_squares(to: tuple[int, int], reasons: list[str]) -> None:
    table = field(SQUARES, p={"at": (0, 0, 45)}, x={"at": (9, 9, 0)})

    assert all_out(table, to) == reasons


@pytest.mark.clause("GU-450")
@pytest.mark.parametrize(
    ("options", "said", "reasons"),
    [
        ({"toward": "x"}, {}, []),
        ({"ahead": True}, {}, []),
        ({}, {"distance_after": {"x": 2}}, []),
        ({}, {}, ["not_forward"]),
        ({}, {"distance_after": {"x": 5}}, ["not_forward"]),
        ({}, {"distance_after": {"x": 6}}, ["not_forward"]),
        ({"away_from": "x"}, {}, ["not_forward"]),
        ({"away_from": "s", "toward": "x"}, {}, ["not_forward"]),
    ],
)
def test_without_a_map_it_is_declared_toward_somebody_or_ahead(
    options: dict[str, Any], said: dict[str, Any], reasons: list[str]
) -> None:
    table = fight(p={}, x={}, s={}, apart={"px": 5, "ps": 5})
    stated = {"length": 3, **said}

    found = table.reasons(
        "all_out_attack", "p", "x", weapon="spear", options={"option": "determined", **options}, said=stated
    )

    assert [(one.code, one.clause) for one in found if one.code == "not_forward"] == [
        (code, "GU-450") for code in reasons
    ]


# No movement


@both_ways
@pytest.mark.clause("GU-460")
@pytest.mark.parametrize(
    ("action", "options"), [("do_nothing", {}), ("change_posture", {"posture": "kneeling"}), ("wait", {})]
)
def test_do_nothing_change_posture_and_wait_stay_where_they_are(
    on_map: bool, action: str, options: dict[str, Any]
) -> None:
    table = alone(on_map, "s")

    step = table.reasons(action, "s", options=options, **way(on_map, 1))
    turn = table.reasons(action, "s", options=options, facing=0)

    for found, at in ((step, "/path" if on_map else "/said/length"), (turn, "/facing")):
        barred = [one for one in found if one.code == "movement_not_allowed"]
        assert [one.at for one in barred] == [at]
        assert barred[0].clause in ("GU-460", "GU-1440")
    assert "movement_not_allowed" not in table.why_not(action, "s", options=options)


# Facing afterwards


@pytest.mark.clause("GU-480")
@pytest.mark.parametrize(
    ("yards", "looks", "reasons"),
    [
        (6, 0, []),
        (6, 60, []),
        (6, 300, []),
        (6, 61, ["facing_too_far"]),
        (6, 299, ["facing_too_far"]),
        (6, 180, ["facing_too_far"]),
        (3, 180, []),
        (3, 61, []),
        (3.01, 61, ["facing_too_far"]),
    ],
)
def test_after_a_move_he_looks_within_60_degrees_of_where_he_went(yards: float, looks: int, reasons: list[str]) -> None:
    table = alone(True, "r")

    assert table.why_not("move", "r", path=[ahead(yards, 0)], facing=looks) == reasons


@pytest.mark.clause("GU-480")
@pytest.mark.parametrize(("yards", "reasons"), [(3, ["facing_too_far"]), (1.5, [])])
def test_so_he_does_after_half_a_move(yards: float, reasons: list[str]) -> None:
    table = alone(True, "r")
    options = {"option": "increased_dodge"}

    assert table.why_not("all_out_defense", "r", options=options, path=[ahead(yards, 0)], facing=180) == reasons


@pytest.mark.clause("GU-480")
def test_by_itself_the_facing_is_the_direction_of_the_last_piece() -> None:
    table = alone(True, "r")

    table.play("move", "r", path=[(2, 0), (2, 3)])

    assert facing(table, "r") == 180


@pytest.mark.clause("GU-480")
def test_a_declared_facing_is_taken_at_the_end() -> None:
    table = alone(True, "r")

    done = table.play("move", "r", path=[(6, 0)], facing=150)

    assert (done.one(ev.Turned).facing, done.one(ev.Turned).clause) == (150, "GU-480")
    assert facing(table, "r") == 150


@pytest.mark.clause("GU-480")
def test_whoever_goes_nowhere_may_turn_as_he_likes() -> None:
    table = alone(True, "r")

    table.play("move", "r", facing=270)

    assert facing(table, "r") == 270


@pytest.mark.clause("GU-480")
def test_without_a_map_no_facing_is_kept() -> None:
    found = alone(False, "r").reasons("move", "r", facing=0, said={"length": 2})

    assert [(one.code, one.clause, one.at) for one in found] == [("unused_input", "GU-480", "/facing")]


# Distances


@pytest.mark.clause("GU-490")
@pytest.mark.parametrize(
    ("grid", "spot_of_x", "yards"),
    [
        ("none", (1.41, 0), 1),
        ("none", (1.49, 0), 1),
        ("none", (1.5, 0), 2),
        ("none", (0.4, 0), 0),
        ("none", (0.49, 0), 0),
        ("none", (0.5, 0), 1),
        ("none", (3, 4), 5),
        ("square", (1, 1), 1),
        ("square", (2, 1), 2),
        ("square", (2, 2), 3),
        ("hex", (1, 0), 1),
        ("hex", (1, 1), 2),
        ("hex", (2, 1), 3),
        ("hex", (0, 0), 0),
    ],
)
def test_melee_counts_from_centre_to_centre_to_the_nearest_yard(grid: Any, spot_of_x: Any, yards: int) -> None:
    key = "hex" if grid == "hex" else "at"
    table = field(Ground(grid=Grid(grid)), s={key: (0, 0, 90)}, x={key: (*spot_of_x, 270)})

    assert distance(table.table, S, X) == yards


@pytest.mark.clause("GU-490")
def test_a_move_changes_the_stated_distances_that_it_names() -> None:
    table = fight(r={}, x={}, s={}, apart={"rx": 8, "rs": 5})

    table.play("move", "r", said={"length": 6, "distance_after": {"x": 3}})

    assert (apart(table, "r", "x"), apart(table, "r", "s")) == (3, None)


@pytest.mark.clause("GU-490")
@pytest.mark.parametrize(("option", "far"), [("toward", 2), ("away_from", 14)])
def test_a_way_toward_or_from_somebody_says_how_far_he_is_then(option: str, far: float) -> None:
    table = fight(r={}, x={}, apart={"rx": 8})

    table.play("move", "r", options={option: "x"}, said={"length": 6})

    assert apart(table, "r", "x") == far


@pytest.mark.clause("GU-490")
def test_a_move_that_names_nobody_leaves_all_distances_to_the_gm() -> None:
    table = fight(r={}, x={}, apart={"rx": 8})

    table.play("move", "r", said={"length": 6})
    table.end_turn()

    assert apart(table, "r", "x") is None
    found = table.reasons("attack", "x", "r", weapon="axe")
    assert [(one.code, one.clause, one.at) for one in found] == [("missing_input", "GU-490", "/said/distance")]


@pytest.mark.clause("GU-490")
def test_without_a_map_a_move_has_to_say_its_length() -> None:
    found = alone(False, "r").reasons("move", "r")

    assert [(one.code, one.clause, one.at) for one in found] == [("missing_input", "GU-490", "/said/length")]


@both_ways
@pytest.mark.clause("GU-490")
@pytest.mark.parametrize("option", ["toward", "away_from"])
def test_whom_one_goes_to_is_said_only_where_no_map_shows_it(on_map: bool, option: str) -> None:
    table = fight(
        r={"at": (0, 0, 90)} if on_map else {},
        x={"at": (8, 0, 0)} if on_map else {},
        apart=None if on_map else {"rx": 8},
    )

    known = table.why_not("move", "r", options={option: "x"}, **way(on_map, 3))
    unknown = table.why_not("move", "r", options={option: "nobody"}, **way(on_map, 3))

    assert (known, unknown) == (["unused_input"] if on_map else [], ["unknown_combatant"])


# Walls


@pytest.mark.clause("GU-470")
def test_a_wall_stops_a_way_before_it_is_taken() -> None:
    table = field(walled(((2, -1), (2, 1))), r={"at": (0, 0, 90)})

    (reason,) = table.reasons("move", "r", path=[(4, 0)])

    assert (reason.code, reason.clause, reason.got_length) == ("path_blocked", "GU-470", 199)
    assert table.why_not("move", "r", path=[(1, -2), (4, 0)]) == []


@pytest.mark.clause("GU-470")
def test_nobody_goes_off_the_map() -> None:
    table = field(walled(size=(length(5), length(5))), r={"at": (1, 1, 90)})

    assert table.why_not("move", "r", path=[(1, 5)]) == []
    assert table.why_not("move", "r", path=[(1, 5.01)]) == ["destination_blocked"]


# Move itself


@both_ways
@pytest.mark.clause("GU-1000")
def test_move_holds_no_attack(on_map: bool) -> None:
    table = fight(
        r={"at": (0, 0, 90)} if on_map else {},
        x={"at": (8, 0, 0)} if on_map else {},
        apart=None if on_map else {"rx": 8},
    )

    for given in ({"weapon": "assault_rifle"}, {}):
        targets = () if given else ("x",)
        (reason,) = table.reasons("move", "r", *targets, **given, **way(on_map, 3))
        assert (reason.code, reason.clause) == ("move_allows_no_attack", "GU-1000")


@both_ways
@pytest.mark.clause("GU-1000")
def test_free_actions_go_with_it(on_map: bool) -> None:
    table = alone(on_map, "r", held={"auto_pistol": "main"})

    done = table.play("move", "r", options={"drop": "auto_pistol", "drop_at": length(6)}, **way(on_map, 6))
    table.play("talk", "r", note="Run!")

    assert gone(done, "r") == 6
    assert done.one(ev.ItemMoved).on_ground


# Who is shown it


@both_ways
@pytest.mark.clause("GU-1010")
@pytest.mark.parametrize("hidden", [False, True])
def test_whoever_cannot_see_the_mover_is_not_told_of_it(on_map: bool, hidden: bool) -> None:
    table = alone(on_map, "x", hidden=hidden)

    done = table.play("move", "x", **way(on_map, 4))

    audiences = {emitted.audience for emitted in done.outcome.events}
    assert audiences == ({"gm"} if hidden else {"all"})
    if on_map:
        assert done.one(ev.Moved).path == ((0, 0), (400, 0))
