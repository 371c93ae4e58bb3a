"""Covering with a ranged weapon: an area or a named target, what it costs, and who is shot at."""

from typing import Any

import pytest

from app.engine import events as ev
from app.engine.space.model import Area, Ground, Place, Polygon, Sector, Wall
from app.engine.state import Item
from rulesets.gurps_4e.areas import yards_of
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable, combatant, length, ruleset, table_of

RIFLE = "assault_rifle"


def square(x: float, y: float, width: float, height: float) -> Area:
    """An area of the map, in yards."""
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Polygon(tuple((length(a), length(b)) for a, b in corners))


def cover(table: PlayTable, area: Area | None = None, target: str | None = None, **options: Any) -> None:
    """The rifleman covers, and his slot is over."""
    targets = () if target is None else (target,)
    where = {} if area is None else {"area": area}
    table.play("wait", "r", *targets, weapon=RIFLE, options={"kind": "cover", "response": "attack", **options}, **where)
    table.end_turn()


def at_ten() -> PlayTable:
    """The axeman one yard beside a covered yard 10 yards ahead of the rifleman."""
    return fight(r={"at": (0, 0, 90)}, x={"at": (9.5, 2, 0)}, p={"at": (9.5, -3, 0), "side": "r"})


@pytest.mark.clause("GU-1500")
def test_covering_one_yard_costs_nothing() -> None:
    table = at_ten()
    cover(table, square(9, -0.5, 1, 1))
    played = table.play("move", "x", path=[(9.5, 0)], use_wait="act", to_hit=(6, 6, 4))
    assert played.check.target == 15 - 4
    assert played.one(ev.AttackMade).target == "x"


@pytest.mark.clause("GU-1500")
def test_the_area_must_be_stated() -> None:
    table = at_ten()
    options = {"kind": "cover", "response": "attack"}
    assert table.why_not("wait", "r", weapon=RIFLE, options=options) == ["cover_needs_area"]
    assert table.why_not("wait", "r", "x", weapon=RIFLE, options=options) == []
    flat = fight(r={}, x={}, apart={"rx": 10})
    reasons = flat.reasons("wait", "r", weapon=RIFLE, options=options)
    assert [(reason.code, reason.at) for reason in reasons] == [("cover_needs_area", "/options/yards")]
    assert flat.why_not("wait", "r", weapon=RIFLE, options={**options, "yards": 1}) == []
    assert flat.why_not("wait", "r", weapon=RIFLE, options={**options, "line": True}) == []


@pytest.mark.clause("GU-1500")
def test_the_weapon_is_ranged_and_ready() -> None:
    table = fight(r={}, s={}, x={}, apart={"rx": 10})
    options = {"kind": "cover", "response": "attack", "yards": 1}
    assert table.why_not("wait", "r", weapon="auto_pistol", options=options) == ["weapon_not_ready"]
    assert table.why_not("wait", "r", options=options) == [], "the rifle in his hands"
    swordsman = fight(s={}, x={}, apart={"sx": 10})
    assert swordsman.why_not("wait", "s", options=options) == ["weapon_not_ready"]


@pytest.mark.clause("GU-1500", "GU-1370")
def test_an_empty_weapon_covers_nothing() -> None:
    empty = {RIFLE: Item(RIFLE, held="both", marks={"ammo": 0})}
    table = fight(r={"items": empty}, x={}, apart={"rx": 10})
    options = {"kind": "cover", "response": "attack", "yards": 1}
    assert table.why_not("wait", "r", weapon=RIFLE, options=options) == ["not_enough_ammo"]


@pytest.mark.clause("GU-1500")
@pytest.mark.parametrize(
    ("response", "option", "codes"),
    [
        ("attack", None, []),
        ("all_out_attack", "determined", []),
        ("all_out_attack", "double", ["wait_response_not_allowed"]),
        ("feint", None, ["wait_response_not_allowed"]),
        ("ready", None, ["wait_response_not_allowed"]),
    ],
)
def test_the_response_is_a_shot(response: str, option: str | None, codes: list[str]) -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    options = {"kind": "cover", "response": response, "yards": 1}
    if option:
        options["response_option"] = option
    assert table.why_not("wait", "r", weapon=RIFLE, options=options) == codes


@pytest.mark.clause("GU-1500")
def test_a_named_target_is_shot_at_when_he_starts_any_maneuver() -> None:
    table = fight(r={}, x={}, s={}, apart={"rx": 10, "rs": 10})
    cover(table, target="x")
    played = table.play("change_posture", "x", options={"posture": "kneeling"}, use_wait="act", to_hit=(6, 6, 4))
    assert played.check.target == 15 - 4
    assert played.of(ev.AttackMade)[0].clause == "GU-600"


@pytest.mark.clause("GU-1500", "GU-1410")
def test_coming_into_view_in_the_area_is_an_event_too() -> None:
    rules = ruleset("gurps_4e")
    r = combatant(rules, "r", "sample_rifleman", place=Place(0, 0, 90))
    x = combatant(rules, "x", "sample_axeman", place=Place(1000, 300, 0))
    ground = Ground(walls=(Wall((500, 50), (500, 400)),))
    table = table_of(r, x, rules=rules, ground=ground)
    table.play(
        "wait",
        "r",
        weapon=RIFLE,
        area=square(8, -5, 4, 10),
        options={"kind": "cover", "response": "attack", "discriminate": True},
    )
    table.end_turn()
    played = table.play("move", "x", path=[(10, 0)], use_wait="hold")
    assert len(played.questions("use_wait")) == 1
    moved = played.one(ev.Moved)
    assert moved.distance == 300


@pytest.mark.clause("GU-1510")
@pytest.mark.parametrize(
    ("yards", "penalty"),
    [(1, 0), (2, -1), (3, -2), (4, -2), (5, -3), (6, -3), (7, -4), (10, -4), (11, -5), (40, -5)],
)
def test_a_larger_area_costs_more(yards: int, penalty: int) -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    cover(table, yards=yards)
    played = table.play(
        "move", "x", said={"length": 2, "crosses": ("r",)}, options={"away_from": "r"}, use_wait="act", to_hit=(5, 5, 3)
    )
    terms = {term.id: (term.value, term.clause) for term in played.check.terms}
    assert terms.get("opportunity_fire", (0, "GU-1510")) == (penalty, "GU-1510")
    assert played.check.target == 15 - 5 + penalty


@pytest.mark.clause("GU-1510")
def test_a_straight_line_of_any_length_costs_two() -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    cover(table, line=True)
    played = table.play(
        "move", "x", said={"length": 2, "crosses": ("r",)}, options={"away_from": "r"}, use_wait="act", to_hit=(6, 6, 4)
    )
    assert {term.id: term.value for term in played.check.terms}["opportunity_fire"] == -2


@pytest.mark.clause("GU-1510")
@pytest.mark.parametrize(
    ("area", "yards"),
    [
        (square(0, 0, 1, 1), 1),
        (square(0, 0, 2, 1), 2),
        (square(0, 0, 2.5, 2), 5),
        (square(0, 0, 2.51, 2), 6),
        (Sector((0, 0), 200), 13),
        (Sector((0, 0), 10), 1),
    ],
)
def test_yards_of_an_area_on_the_map(area: Area, yards: int) -> None:
    assert yards_of(area) == yards


@pytest.mark.clause("GU-1520")
def test_the_shot_goes_at_the_first_who_comes_friend_or_foe() -> None:
    table = at_ten()
    cover(table, square(9, -0.5, 1, 1))
    table.until_turn_of("p")
    played = table.play("move", "p", path=[(9.5, 0)], use_wait="act", to_hit=(6, 6, 4))
    question = played.questions("use_wait")[0]
    assert [option.id for option in question.options] == ["act"]
    assert question.default == "act"
    assert played.one(ev.AttackMade).target == "p"
    assert not table.has("r", "waiting")


@pytest.mark.clause("GU-1520")
def test_who_discriminates_may_hold_and_shoots_at_minus_two() -> None:
    table = at_ten()
    cover(table, square(9, -0.5, 1, 1), discriminate=True)
    held = table.play("move", "x", path=[(9.5, 0)], use_wait="hold")
    assert [option.id for option in held.questions("use_wait")[0].options] == ["act", "hold"]
    table.end_turn()
    played = table.play("move", "p", path=[(9.4, -0.4)], use_wait="act", to_hit=(6, 6, 4))
    assert {term.id: term.value for term in played.check.terms}["discriminate"] == -2


@pytest.mark.clause("GU-1520")
def test_a_covered_named_target_may_be_held_back_from() -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    cover(table, target="x")
    played = table.play("do_nothing", "x", use_wait="hold")
    assert [option.id for option in played.questions("use_wait")[0].options] == ["act", "hold"]
    assert table.has("r", "waiting")


@pytest.mark.clause("GU-1880")
@pytest.mark.parametrize(
    ("yards", "named", "bonus"),
    [(None, True, 6), (1, False, 6), (2, False, 0)],
    ids=["target", "one yard", "two yards"],
)
def test_an_aim_goes_on_into_a_wait_that_covers_no_more_than_a_yard(yards: int | None, named: bool, bonus: int) -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    for _ in range(2):
        table.play("aim", "r", "x", weapon=RIFLE)
        table.end_turn()
        table.end_turn()
    options: dict[str, Any] = {"yards": yards} if yards else {}
    cover(table, target="x" if named else None, **options)
    assert table.has("r", "aiming") is bool(bonus)
    hit: dict[str, Any] = {"defend": "none", "damage": (1, 1, 1, 1, 1)} if bonus else {}
    if named:
        played = table.play("do_nothing", "x", use_wait="act", to_hit=(6, 6, 4), **hit)
    else:
        where = {"length": 1, "crosses": ("r",), "distance_after": {"r": 10}}
        played = table.play("move", "x", said=where, use_wait="act", to_hit=(6, 6, 4), **hit)
    assert played.check.target == 15 - 4 + bonus + (-1 if yards == 2 else 0)
