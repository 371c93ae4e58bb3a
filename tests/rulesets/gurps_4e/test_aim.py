"""Aim: its bonus second by second, sights, the brace, what ends it, and what it carries into a Wait."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import PairFact, Polygon, Wall
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.shooting import PISTOL, RIFLE, SAFE, apart, gun, next_slot, skill, terms
from tests.support.play import Played, PlayTable, length

R, X = CombatantId("r"), CombatantId("x")
MODES = pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])
MISS = (5, 5, 6)
FAR = 50
"""Yards at which no aim makes a shot sure, nor its lack a blunder."""
ON_WALL: dict[str, Any] = {"braced": True, "rest": True}
IN_TWO_HANDS = {"items": gun(PISTOL, "both")}
STEP: dict[bool, dict[str, Any]] = {False: {"said": {"length": 1}}, True: {"path": [(0, 1)]}}
"""A step to the side, without a map and on one."""


def aim(table: PlayTable, seconds: int = 1, weapon: str = RIFLE, target: str = "x", **options: Any) -> None:
    """R aims for so many seconds; it is his slot again afterwards."""
    for _ in range(seconds):
        table.play("aim", "r", target, weapon=weapon, options=options)
        next_slot(table)


def shoot(table: PlayTable, weapon: str = RIFLE, action: str = "attack", target: str = "x", **given: Any) -> Played:
    return table.play(action, "r", target, weapon=weapon, **{"to_hit": MISS, **given})


def record(table: PlayTable) -> Any:
    return table.table.effect(R, "aiming")


def bonus(done: Played) -> int:
    """What the aim is worth, all parts of it."""
    found = terms(done)
    return sum(found.get(name, 0) for name in ("acc", "sights", "aim_seconds", "braced"))


# GU-1800: declaring


@pytest.mark.clause("GU-1800")
@MODES
def test_an_aim_is_kept_with_its_weapon_its_target_and_one_second(on_map: bool) -> None:
    table = apart(FAR, on_map=on_map)

    table.play("aim", "r", "x", weapon=RIFLE)

    found = record(table)
    assert (found.item, found.against, found.value, found.clause) == (RIFLE, "x", 1, "GU-1800")


@pytest.mark.clause("GU-1800")
def test_an_aim_wants_a_target_and_a_ranged_weapon() -> None:
    table = apart(FAR, on_map=False)
    axe = fight(x={}, r={}, apart={"rx": 5})
    swordsman = fight(s={}, x={}, apart={"sx": 5})

    assert table.why_not("aim", "r", weapon=RIFLE) == ["aim_needs_target"]
    assert table.why_not("aim", "r", "x") == [], "the rifle in his hands"
    assert swordsman.why_not("aim", "s", "x", weapon="thrusting_broadsword") == ["aim_needs_ranged_weapon"]
    assert axe.why_not("aim", "x", "r", weapon="axe") == [], "an axe can be thrown"
    assert swordsman.why_not("aim", "s", "x") == ["aim_needs_ranged_weapon"]
    for reasons in (table.reasons("aim", "r", weapon=RIFLE), swordsman.reasons("aim", "s", "x")):
        assert {reason.clause for reason in reasons} == {"GU-1800"}


@pytest.mark.clause("GU-1800", "GU-1370")
def test_the_weapon_has_to_be_ready_and_loaded() -> None:
    table = apart(FAR, on_map=False)
    empty = apart(FAR, on_map=False, r={"items": gun(marks={"ammo": 0})})

    stowed = table.reasons("aim", "r", "x", weapon=PISTOL)

    assert [(reason.code, reason.clause) for reason in stowed] == [("weapon_not_ready", "GU-1800")]
    assert empty.why_not("aim", "r", "x", weapon=RIFLE) == ["not_enough_ammo"]


@pytest.mark.clause("GU-1800")
@MODES
def test_the_target_has_to_be_seen_or_made_out_in_another_way(on_map: bool) -> None:
    table = apart(FAR, on_map=on_map)
    hide(table)

    assert table.why_not("aim", "r", "x", weapon=RIFLE) == ["target_not_detected"]
    assert table.why_not("aim", "r", "x", weapon=RIFLE, options={"detected": True}) == []


def hide(table: PlayTable) -> None:
    """X is out of R's sight from now."""
    ground = table.state.scenery.ground
    if ground is None:
        fact = PairFact(distance=length(FAR), sees=False)
        table.rule(cmd.SetFact(R, X, fact))
        return
    walled = replace(ground, walls=(Wall((length(10), length(-50)), (length(10), length(50))),))
    table.state = replace(table.state, scenery=replace(table.state.scenery, ground=walled))


def show(table: PlayTable) -> None:
    """R sees X again."""
    ground = table.state.scenery.ground
    if ground is None:
        table.rule(cmd.SetFact(R, X, PairFact(distance=length(FAR), sees=True)))
        return
    table.state = replace(table.state, scenery=replace(table.state.scenery, ground=replace(ground, walls=())))


@pytest.mark.clause("GU-1800", "GU-580")
def test_an_aim_takes_the_whole_turn_of_however_fast_one_is() -> None:
    fast = {"trait_values": {"altered_time_rate": 1}}
    first = apart(FAR, on_map=False, r=fast)
    second = apart(FAR, on_map=False, r=fast)

    first.play("aim", "r", "x", weapon=RIFLE)
    shoot(second)

    assert first.why_not("attack", "r", "x", weapon=RIFLE) == ["full_turn_maneuver"]
    assert second.why_not("aim", "r", "x", weapon=RIFLE) == ["full_turn_maneuver"]


@pytest.mark.clause("GU-1800", "GU-1860")
def test_a_telescope_is_aimed_too_and_is_no_weapon() -> None:
    table = apart(FAR, on_map=False)

    aim(table, 2, weapon=None, device="telescope")  # type: ignore[arg-type]

    assert (record(table).word, record(table).item, record(table).value) == ("telescope", None, 2)
    assert table.why_not("aim", "r", "x", weapon=RIFLE, options={"device": "telescope"}) == ["unused_input"]
    assert table.why_not("aim", "r", "x", options={"device": "telescope", "braced": True}) == ["cannot_brace"]
    assert table.why_not("aim", "r", "x", options={"device": "telescope", "rest": True}) == ["unused_input"]
    table.play("aim", "r", "x", options={"device": "camera"})
    assert (record(table).word, record(table).value) == ("camera", 1)
    next_slot(table)
    table.play("aim", "r", "x", weapon=RIFLE)
    assert (record(table).word, record(table).value) == (None, 1)


@pytest.mark.clause("GU-1800")
def test_an_attack_gains_nothing_from_a_device() -> None:
    table = fight(r={}, x={}, apart={"rx": FAR})
    aim(table, weapon=None, device="telescope")  # type: ignore[arg-type]

    assert bonus(shoot(table)) == 0
    assert record(table) is None


# GU-1810 and GU-1820: the bonus


@pytest.mark.clause("GU-1810", "GU-640")
@MODES
@pytest.mark.parametrize("action", ["attack", "all_out_attack"])
def test_the_accuracy_counts_for_the_attack_that_follows(on_map: bool, action: str) -> None:
    table = apart(FAR, on_map=on_map)
    aim(table)
    options = {"option": "determined"} if action == "all_out_attack" else {}

    done = shoot(table, action=action, options=options)

    assert terms(done)["acc"] == 5
    assert skill(done) == (13 if action == "all_out_attack" else 12)


@pytest.mark.clause("GU-1810")
def test_the_example_of_one_second_before_range() -> None:
    table = apart(2, on_map=False)
    aim(table)

    assert skill(shoot(table, to_hit=(5, 6, 6))) == 20


@pytest.mark.clause("GU-1820")
@pytest.mark.parametrize(("seconds", "worth"), [(1, 5), (2, 6), (3, 7), (4, 7)])
def test_more_seconds_add_one_and_then_another(seconds: int, worth: int) -> None:
    table = apart(FAR, on_map=False)
    aim(table, seconds)

    assert bonus(shoot(table)) == worth


@pytest.mark.clause("GU-1810")
def test_the_bonus_is_for_that_weapon_and_that_target() -> None:
    items = {**gun(RIFLE, "both"), **gun(PISTOL, "main")}
    other = fight(r={}, x={}, s={}, apart={"rx": FAR, "rs": FAR})
    weapon = apart(30, on_map=False, r={"items": items})
    aim(other)
    aim(weapon)

    assert bonus(shoot(other, target="s")) == 0
    assert bonus(shoot(weapon, PISTOL)) == 0
    assert record(other) is None
    assert record(weapon) is None


@pytest.mark.clause("GU-1810")
def test_a_weapon_that_is_thrown_has_its_own_accuracy() -> None:
    table = fight(x={"skills": {"thrown_axe_mace": 12}}, r={}, apart={"rx": 5})
    table.play("aim", "x", "r", weapon="axe")
    next_slot(table, "x")

    done = table.play("attack", "x", "r", weapon="axe", options={"form": "throw"}, to_hit=MISS)

    assert terms(done) == {"thrown_axe_mace": 12, "range": -2, "acc": 2}


# GU-1830: sights


@pytest.mark.clause("GU-1830")
@pytest.mark.parametrize(("sights", "worth"), [(0, 2), (1, 3), (2, 4), (3, 4), (4, 4)])
def test_sights_add_no_more_than_the_accuracy(sights: int, worth: int) -> None:
    table = apart(FAR, on_map=False, r={"items": gun(PISTOL, "main", sight_bonus=sights)})
    aim(table, weapon=PISTOL)

    assert bonus(shoot(table, PISTOL)) == worth


@pytest.mark.clause("GU-1830")
def test_seconds_and_a_brace_are_outside_that_bound() -> None:
    table = apart(FAR, on_map=False, r={"items": gun(PISTOL, "both", sight_bonus=4)})
    aim(table, 2, weapon=PISTOL, braced=True)

    done = shoot(table, PISTOL)

    found = terms(done)
    assert (found["acc"], found["sights"], found["aim_seconds"], found["braced"]) == (2, 2, 1, 1)
    assert bonus(done) == 6


# GU-1840: the brace


@pytest.mark.clause("GU-1840")
@pytest.mark.parametrize(
    ("fields", "posture", "options", "reasons"),
    [
        ({}, "standing", ON_WALL, []),
        ({}, "standing", {"braced": True}, ["cannot_brace"]),
        ({}, "kneeling", {"braced": True}, ["cannot_brace"]),
        ({}, "lying_prone", {"braced": True}, []),
        ({"items": gun(RIFLE, bipod=False)}, "lying_prone", {"braced": True}, ["cannot_brace"]),
        ({"items": gun(RIFLE, mounted=True)}, "standing", {"braced": True}, []),
        ({"items": gun(PISTOL, "both")}, "standing", {"braced": True}, []),
        ({"items": gun(PISTOL, "main")}, "standing", {"braced": True}, ["cannot_brace"]),
        ({"items": gun(PISTOL, "main")}, "standing", ON_WALL, []),
        ({"items": gun("longbow")}, "standing", ON_WALL, ["cannot_brace"]),
        ({"items": {"spear": Item("spear", held="both")}}, "standing", ON_WALL, ["cannot_brace"]),
        ({}, "standing", {"rest": True}, ["unused_input"]),
    ],
)
def test_what_can_be_braced(fields: Any, posture: str, options: dict[str, bool], reasons: list[str]) -> None:
    table = apart(5, on_map=False, r=fields)
    if posture != "standing":
        table.rule(cmd.AddEffect(R, posture))
    weapon = next(iter(fields.get("items", {RIFLE: None})))

    assert table.why_not("aim", "r", "x", weapon=weapon, options=options) == reasons


@pytest.mark.clause("GU-1840")
@pytest.mark.parametrize(
    ("weapon", "fields", "posture", "options", "worth"),
    [
        (PISTOL, IN_TWO_HANDS, None, {"braced": True}, 3),
        (RIFLE, {}, "lying_prone", {"braced": True}, 6),
        (RIFLE, {}, None, ON_WALL, 6),
        (RIFLE, {}, None, {}, 5),
    ],
)
def test_a_brace_is_worth_one(
    weapon: str, fields: Any, posture: str | None, options: dict[str, Any], worth: int
) -> None:
    table = apart(FAR, on_map=False, r=fields)
    if posture is not None:
        table.rule(cmd.AddEffect(R, posture))
    aim(table, weapon=weapon, **options)

    assert bonus(shoot(table, weapon)) == worth


@pytest.mark.clause("GU-1840", "GU-1820")
def test_the_brace_is_that_of_the_last_second() -> None:
    table = apart(FAR, on_map=False)
    aim(table, **ON_WALL)
    aim(table)

    assert bonus(shoot(table)) == 6


# GU-1850: movement


@pytest.mark.clause("GU-1850")
@MODES
def test_a_step_goes_with_an_aim_but_not_with_a_braced_two_handed_weapon(on_map: bool) -> None:
    rifle, pistol = apart(FAR, on_map=on_map), apart(FAR, on_map=on_map, r=IN_TWO_HANDS)

    braced = rifle.reasons("aim", "r", "x", weapon=RIFLE, options=ON_WALL, **STEP[on_map])

    assert [(reason.code, reason.clause) for reason in braced] == [("braced_cannot_step", "GU-1850")]
    assert rifle.why_not("aim", "r", "x", weapon=RIFLE, **STEP[on_map]) == []
    assert pistol.why_not("aim", "r", "x", weapon=PISTOL, options={"braced": True}, **STEP[on_map]) == []


@pytest.mark.clause("GU-1850")
@MODES
def test_it_is_no_more_than_a_step(on_map: bool) -> None:
    table = apart(FAR, on_map=on_map)
    way: dict[str, Any] = {"path": [(0, 1.01)]} if on_map else {"said": {"length": 1.01}}

    assert table.why_not("aim", "r", "x", weapon=RIFLE, **way) == ["step_too_far"]


@pytest.mark.clause("GU-1850")
def test_turning_is_a_step_too() -> None:
    table = apart(FAR, on_map=True)

    assert table.why_not("aim", "r", "x", weapon=RIFLE, options=ON_WALL, facing=0) == ["braced_cannot_step"]
    assert table.why_not("aim", "r", "x", weapon=RIFLE, facing=0) == []


@pytest.mark.clause("GU-1850")
def test_a_step_while_aiming_takes_nothing_from_the_aim() -> None:
    table = apart(FAR, on_map=True, r=IN_TWO_HANDS)
    aim(table, weapon=PISTOL, braced=True)
    table.play("aim", "r", "x", weapon=PISTOL, options={"braced": True}, path=[(0, 1)])
    next_slot(table)

    assert bonus(shoot(table, PISTOL)) == 4


# GU-1860: what ends an aim


@pytest.mark.clause("GU-1860")
@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("do_nothing", {}),
        ("move", {"said": {"length": 2, "distance_after": {"x": 18}}}),
        ("change_posture", {"options": {"posture": "kneeling"}}),
        ("all_out_defense", {"options": {"option": "increased_dodge"}}),
        ("evaluate", {"target": "x"}),
    ],
)
def test_any_other_maneuver_ends_it(action: str, fields: dict[str, Any]) -> None:
    table = apart(6, on_map=False)
    aim(table, 2)
    given = dict(fields)
    targets = [given.pop("target")] if "target" in given else []

    done = table.play(action, "r", *targets, **given)

    ended = [event for event in done.of(ev.EffectEnded) if event.kind == "aiming"]
    assert [(event.why, event.clause) for event in ended] == [("other_maneuver", "GU-1860")]
    assert record(table) is None


@pytest.mark.clause("GU-1860", "GU-920")
@MODES
def test_move_and_attack_loses_all_of_it(on_map: bool) -> None:
    table = apart(10, on_map=on_map)
    aim(table, 3)

    done = shoot(table, action="move_and_attack")

    assert skill(done) == 7
    assert record(table) is None


@pytest.mark.clause("GU-1860")
def test_the_bonus_is_used_once() -> None:
    table = apart(FAR, on_map=False)
    aim(table, 2)

    first = shoot(table)
    next_slot(table)

    assert (bonus(first), bonus(shoot(table))) == (6, 0)


@pytest.mark.clause("GU-1860")
def test_another_target_or_weapon_starts_at_one_second() -> None:
    table = fight(r={"items": {**gun(RIFLE), **gun(PISTOL, "main")}}, x={}, s={}, apart={"rx": FAR, "rs": FAR})
    aim(table, 2)
    assert record(table).value == 2

    aim(table, target="s")
    assert (record(table).against, record(table).value) == ("s", 1)

    aim(table, weapon=PISTOL, target="s")
    assert (record(table).item, record(table).value) == (PISTOL, 1)


@pytest.mark.clause("GU-1860")
@MODES
def test_a_target_out_of_sight_gives_no_bonus_until_it_is_seen_again(on_map: bool) -> None:
    gone, back = apart(FAR, on_map=on_map), apart(FAR, on_map=on_map)
    for table in (gone, back):
        aim(table, 2)
        hide(table)
        assert record(table).value == 2
    show(back)

    assert "target_not_visible" in gone.why_not("attack", "r", "x", weapon=RIFLE)
    assert bonus(shoot(back)) == 6


@pytest.mark.clause("GU-1860")
@pytest.mark.parametrize("kind", ["stunned_physical", "stunned_mental", "unconscious", "dead"])
def test_stun_and_being_out_of_action_end_it(kind: str) -> None:
    table = apart(FAR, on_map=False)
    aim(table)

    table.rule(cmd.AddEffect(R, kind))

    assert record(table) is None


@pytest.mark.clause("GU-1860")
def test_a_weapon_that_is_dropped_is_aimed_no_more() -> None:
    table = apart(FAR, on_map=False)
    aim(table)

    table.play("drop_item", "r", weapon=RIFLE)

    assert record(table) is None


@pytest.mark.clause("GU-1860")
def test_a_fall_ends_no_aim_but_takes_the_brace() -> None:
    table = apart(FAR, on_map=False)
    aim(table, 2, **ON_WALL)

    table.rule(cmd.AddEffect(R, "lying_prone"))

    assert bonus(shoot(table)) == 6


@pytest.mark.clause("GU-1860")
def test_who_rises_from_his_bipod_has_no_brace() -> None:
    table = apart(FAR, on_map=False)
    table.rule(cmd.AddEffect(R, "lying_prone"))
    aim(table, braced=True)

    table.rule(cmd.AddEffect(R, "kneeling"))

    assert bonus(shoot(table)) == 5


@pytest.mark.clause("GU-1860")
@MODES
def test_a_forced_move_ends_no_aim_but_takes_the_brace(on_map: bool) -> None:
    if on_map:
        table = fight(r={"at": (0, 0, 90)}, x={"at": (FAR, 0, 270)}, s={"at": (0, 1, 0), "items": {}, "st": 30})
    else:
        table = fight(r={}, x={}, s={"items": {}, "st": 30}, apart={"rx": FAR, "rs": 1, "sx": FAR})
    table.play("aim", "r", "x", weapon=RIFLE, options=ON_WALL)
    table.until_turn_of("s")
    close: dict[str, Any] = {"path": [(0, 0)]} if on_map else {"said": {"length": 1}, "options": {"toward": "r"}}
    options = {**close.pop("options", {}), "form": "shove"}
    table.play(
        "attack",
        "s",
        "r",
        **close,
        options=options,
        to_hit=(2, 3, 3),
        defend="none",
        shove=(1, 1, 2),
        keep_balance=(3, 3, 3),
    )
    table.until_turn_of("r")
    if not on_map:
        table.rule(cmd.SetFact(R, X, PairFact(distance=length(FAR))))

    assert record(table).value == 1
    assert "braced" not in terms(shoot(table))


# GU-1870: defence and injury


def shot_at(dodge: Any = None, **answers: Any) -> tuple[PlayTable, Played]:
    """R has aimed for two seconds; X shoots him with a pistol from the side of his own slot."""
    table = fight(
        x={"items": gun(PISTOL, "main"), "skills": {"guns_pistol": 15}}, r={"armour": 0, "hp_max": 30}, apart={"rx": 10}
    )
    table.end_turn()
    for _ in range(2):
        table.play("aim", "r", "x", weapon=RIFLE)
        table.end_turn()
        if record(table).value < 2:
            table.end_turn()
    given = {"defend": "none"} if dodge is None else {"defend": "dodge", "dodge": dodge}
    return table, table.play("attack", "x", "r", weapon=PISTOL, to_hit=(3, 3, 3), **given, **answers)


@pytest.mark.clause("GU-1870")
@pytest.mark.parametrize(("roll", "kept"), [((4, 4, 4), True), ((4, 4, 5), False)])
def test_an_injury_asks_for_will_or_the_aim_is_lost(roll: tuple[int, int, int], kept: bool) -> None:
    table, done = shot_at(damage=(1, 1), keep_aim=roll)

    rolled = next(event for event in done.of(ev.CheckRolled) if event.purpose == "keep_aim")
    assert (rolled.check, rolled.target, rolled.clause) == ("will", 12, "GU-1870")
    assert (record(table) is not None) is kept
    if kept:
        assert record(table).value == 2


@pytest.mark.clause("GU-1870", "GU-1860")
@pytest.mark.parametrize("dodge", [(3, 3, 3), (5, 5, 5)], ids=["avoided", "failed"])
def test_a_defence_loses_it_at_once_whether_it_succeeds_or_not(dodge: tuple[int, int, int]) -> None:
    answers = {} if dodge == (3, 3, 3) else {"damage": (1, 1)}

    table, done = shot_at(dodge, **answers)

    assert record(table) is None
    assert not [event for event in done.of(ev.CheckRolled) if event.purpose == "keep_aim"]
    ended = next(event for event in done.of(ev.EffectEnded) if event.kind == "aiming")
    assert (ended.why, ended.clause) == ("defended", "GU-1870")


@pytest.mark.clause("GU-1870")
def test_a_hit_that_does_no_injury_costs_nothing() -> None:
    table = fight(x={"items": gun(PISTOL, "main"), "skills": {"guns_pistol": 15}}, r=SAFE, apart={"rx": 10})
    table.end_turn()
    table.play("aim", "r", "x", weapon=RIFLE)
    table.end_turn()

    table.play("attack", "x", "r", weapon=PISTOL, to_hit=(3, 3, 3), defend="none", damage=(6, 6))

    assert record(table).value == 1


# GU-1880: Aim, then Wait


def cover(table: PlayTable, *targets: str, **options: Any) -> Any:
    """R waits and covers somebody, or so many yards."""
    fields: dict[str, Any] = {"kind": "cover", "response": "attack", **options}
    return table.play("wait", "r", *targets, weapon=RIFLE, options=fields)


@pytest.mark.clause("GU-1880")
def test_an_aim_goes_into_a_wait_that_covers_the_target_and_gains_no_seconds() -> None:
    table = apart(FAR, on_map=False)
    aim(table, 2)

    cover(table, "x")
    table.end_turn()
    done = table.play("do_nothing", "x", use_wait="act", to_hit=MISS)

    assert bonus(done) == 6


@pytest.mark.clause("GU-1880")
@pytest.mark.parametrize(
    ("options", "kept"), [({"yards": 1}, True), ({"yards": 2}, False), ({"line": True, "yards": 1}, False)]
)
def test_of_areas_only_a_single_yard_keeps_it(options: dict[str, Any], kept: bool) -> None:
    table = apart(FAR, on_map=False)
    aim(table, 2)

    cover(table, **options)

    assert (record(table) is not None) is kept


@pytest.mark.clause("GU-1880")
@pytest.mark.parametrize(("wide", "kept"), [(1, True), (1.01, False)])
def test_on_a_map_the_area_is_measured(wide: float, kept: bool) -> None:
    table = apart(FAR, on_map=True)
    aim(table, 2)
    far, side = length(FAR), length(wide)
    area = Polygon(((far, 0), (far + side, 0), (far + side, length(1)), (far, length(1))))
    options = {"kind": "cover", "response": "attack"}

    table.play("wait", "r", weapon=RIFLE, area=area, options=options)

    assert (record(table) is not None) is kept


@pytest.mark.clause("GU-1880", "GU-1510")
def test_covering_two_yards_the_shot_has_no_bonus_and_one_less() -> None:
    table = apart(10, on_map=False)
    aim(table, 2)
    cover(table, yards=2)
    table.end_turn()
    said = {"length": 1, "distance_after": {"r": 10}, "crosses": ("r",)}

    done = table.play("move", "x", said=said, use_wait="act", to_hit=MISS)

    assert bonus(done) == 0
    assert skill(done) == 10


@pytest.mark.clause("GU-1880")
def test_a_wait_that_covers_somebody_else_or_covers_nothing_loses_it() -> None:
    other = fight(r={}, x={}, s={}, apart={"rx": FAR, "rs": FAR})
    plain = apart(FAR, on_map=False)
    aim(other)
    aim(plain)

    cover(other, "s")
    plain.play("wait", "r", "x", weapon=RIFLE, options={"trigger": "starts_maneuver", "response": "attack"})

    assert record(other) is None
    assert record(plain) is None


@pytest.mark.clause("GU-1880", "GU-1870")
def test_in_a_covering_wait_too_an_injury_asks_for_will() -> None:
    table = fight(r={"armour": 0}, x={}, s={"items": gun(PISTOL, "main")}, apart={"rx": FAR, "rs": 10, "sx": 10})
    aim(table, 2)
    cover(table, "x")
    table.until_turn_of("s")

    done = table.play(
        "attack", "s", "r", weapon=PISTOL, to_hit=(1, 1, 2), critical_hit=(3, 3, 4), damage=(1, 1), keep_aim=(5, 5, 5)
    )

    assert [event.outcome for event in done.of(ev.CheckRolled) if event.purpose == "keep_aim"] == ["failure"]
    assert record(table) is None
    assert table.has("r", "waiting")


# GU-1890: a step before the braced shot


@pytest.mark.clause("GU-1890")
@MODES
@pytest.mark.parametrize(("act_at", "worth"), [(0, 8), (1, 7)], ids=["shot first", "step first"])
def test_who_steps_before_the_shot_has_only_the_brace_taken(on_map: bool, act_at: int, worth: int) -> None:
    table = apart(FAR, on_map=on_map)
    aim(table, 3, **ON_WALL)
    step = dict(STEP[on_map])
    if not on_map:
        step = {"said": {"length": 1, "distance_after": {"x": FAR}}}

    done = shoot(table, options={"act_at": length(act_at)}, **step)

    assert bonus(done) == worth


@pytest.mark.clause("GU-1890")
def test_a_pistol_in_two_hands_keeps_its_brace_through_a_step() -> None:
    table = apart(FAR, on_map=True, r=IN_TWO_HANDS)
    aim(table, weapon=PISTOL, braced=True)

    assert bonus(shoot(table, PISTOL, path=[(0, 1)], options={"act_at": length(1)})) == 3


@pytest.mark.clause("GU-1890", "GU-1860")
def test_a_pistol_in_one_hand_leaves_its_rest_by_a_step() -> None:
    table = apart(FAR, on_map=True, r={"items": gun(PISTOL, "main")})
    aim(table, weapon=PISTOL, **ON_WALL)

    assert bonus(shoot(table, PISTOL, path=[(0, 1)], options={"act_at": length(1)})) == 2
