"""Suppression fire: what may be raked, who is attacked at once, who on coming in, and when it is over."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import BadAnswer
from app.engine.space.model import Wall
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.shooting import LOW, PISTOL, RIFLE, SAFE, gun, next_slot, rounds, scored, skill, terms
from tests.support.play import Played, PlayTable, length

R, X = CombatantId("r"), CombatantId("x")
MODES = pytest.mark.parametrize("on_map", [False, True], ids=["stated", "map"])
MISS = (5, 5, 5)
HIT = (2, 3, 3)


def spots(*points: tuple[float, float]) -> list[tuple[int, int]]:
    """Points as an option of a submission holds them."""
    return [(length(x), length(y)) for x, y in points]


def row(count: int, far: float = 10) -> list[tuple[int, int]]:
    """The middles of so many zones side by side across R's line of fire."""
    return spots(*[(far, 2 * place) for place in range(count)])


def raking(
    shots: tuple[int, ...] = (15,),
    *,
    on_map: bool = True,
    inside: tuple[str, ...] = (),
    far: float = 10,
    **options: Any,
) -> dict[str, Any]:
    """What a submission of suppression fire holds beside its actor: a row of zones, without a map who is inside."""
    made: dict[str, Any] = {"option": "suppression_fire", "zones": list(shots), **options}
    if on_map:
        made.setdefault("centres", row(len(shots), far))
        return {"weapon": RIFLE, "options": made}
    made.setdefault("zone_distance", length(far))
    return {"weapon": RIFLE, "options": made, "said": {"inside": inside}}


def scenery(
    *, on_map: bool, r: Any = None, x: Any = None, far: float = 10, options: dict[str, Any] | None = None, **others: Any
) -> PlayTable:
    """R with his rifle and X so far before him; further people as they are given."""
    shooter, foe = dict(r or {}), {**SAFE, **(x or {})}
    if on_map:
        return fight(r={"at": (0, 0, 90), **shooter}, x={"at": (far, 0, 270), **foe}, options=options, **others)
    return fight(r=shooter, x=foe, apart={"rx": far}, options=options, **others)


def why_not(table: PlayTable, **given: Any) -> list[str]:
    return table.why_not("all_out_attack", "r", **given)


def rake(table: PlayTable, given: dict[str, Any], **answers: Any) -> Played:
    return table.play("all_out_attack", "r", **given, **answers)


def zones(table: PlayTable, who: str = "r") -> dict[str, int]:
    """Shots left in each zone by its name."""
    found = table.table.effects(CombatantId(who), "suppressed_zone")
    return {zone.area.id: zone.value for zone in found if zone.area is not None}


def empty(on_map: bool, x: Any = None) -> PlayTable:
    """R rakes a place where nobody is; X stands off it and has the next slot."""
    table = scenery(on_map=on_map, x=x, far=14)
    rake(table, raking(on_map=on_map))
    table.until_turn_of("x")
    return table


def come(table: PlayTable, far: float = 4, *, crosses: tuple[str, ...] = ("r",), **answers: Any) -> Played:
    """X walks toward R, so that 4 yards bring him into the middle of the zone at 10."""
    if table.table.has_map:
        return table.play("move", "x", path=[(14 - far, 0)], **answers)
    said = {"length": far, "distance_after": {"r": 14 - far}, "crosses": crosses}
    return table.play("move", "x", said=said, **answers)


# GU-770: the weapon and the turn


@pytest.mark.clause("GU-770")
@MODES
@pytest.mark.parametrize(("rof", "reasons"), [(4, ["rof_exceeded", "rof_too_low"]), (5, []), (6, [])])
def test_it_takes_a_rate_of_fire_of_five(on_map: bool, rof: int, reasons: list[str]) -> None:
    table = scenery(on_map=on_map, r={"items": gun(rof=rof)})

    assert why_not(table, **raking((5,), on_map=on_map)) == reasons


@pytest.mark.clause("GU-770")
def test_a_pistol_is_too_slow_for_it() -> None:
    table = scenery(on_map=True, r={"items": gun(PISTOL, "main")})

    found = table.reasons("all_out_attack", "r", **{**raking((5,)), "weapon": PISTOL})

    assert [(why.code, why.clause) for why in found if why.code == "rof_too_low"] == [("rof_too_low", "GU-770")]


@pytest.mark.clause("GU-770")
def test_it_is_the_only_maneuver_of_however_fast_one_is() -> None:
    fast = {"trait_values": {"altered_time_rate": 1}}
    first, second = scenery(on_map=True, r=fast), scenery(on_map=True, r=fast)

    rake(first, raking((5,)), to_hit=MISS)
    second.play("attack", "r", "x", weapon=RIFLE, to_hit=MISS)

    assert first.why_not("attack", "r", "x", weapon=RIFLE) == ["full_turn_maneuver"]
    assert why_not(second, **raking((5,))) == ["full_turn_maneuver"]


@pytest.mark.clause("GU-770", "GU-1370")
def test_the_weapon_has_to_be_ready_and_loaded() -> None:
    stowed = scenery(on_map=True, r={"items": gun(RIFLE, None)})
    spent = scenery(on_map=True, r={"items": gun(marks={"ammo": 0})})
    sword = scenery(on_map=True, r={"items": {RIFLE: Item("thrusting_broadsword", held="main")}})

    assert why_not(stowed, **raking()) == ["weapon_not_ready"]
    assert why_not(spent, **raking()) == ["not_enough_ammo"]
    assert "option_not_for_melee" in why_not(sword, **raking())


@pytest.mark.clause("GU-770", "GU-790")
def test_whoever_rakes_has_no_defence_until_his_next_slot() -> None:
    table = empty(on_map=True)

    assert table.has("r", "no_active_defense")


# GU-2500: the zones


@pytest.mark.clause("GU-2500")
@MODES
@pytest.mark.parametrize(
    ("shots", "reasons"),
    [
        ((15,), []),
        ((5, 5, 5), []),
        ((5, 10), []),
        ((5,), []),
        ((4,), ["too_few_shots_in_zone"]),
        ((10, 4), ["too_few_shots_in_zone"]),
        ((16,), ["rof_exceeded"]),
        ((5, 5, 6), ["rof_exceeded"]),
        ((5, 5, 5, 5), ["rof_exceeded"]),
        ((4, 4, 4, 3), ["too_few_shots_in_zone"]),
        ((), ["missing_input"]),
    ],
)
def test_five_shots_at_least_for_each_zone_and_no_more_than_the_rate_of_fire(
    on_map: bool, shots: tuple[int, ...], reasons: list[str]
) -> None:
    found = scenery(on_map=on_map).reasons("all_out_attack", "r", **raking(shots, on_map=on_map))

    assert [why.code for why in found] == reasons
    assert {why.clause for why in found} <= {"GU-2500"}


@pytest.mark.clause("GU-2500", "GU-2030")
@pytest.mark.parametrize(("ammo", "reasons"), [(15, []), (14, ["not_enough_ammo"])])
def test_no_more_than_the_weapon_holds(ammo: int, reasons: list[str]) -> None:
    table = scenery(on_map=True, r={"items": gun(marks={"ammo": ammo})})

    assert why_not(table, **raking()) == reasons


@pytest.mark.clause("GU-2500")
@pytest.mark.parametrize(
    ("centres", "reasons"),
    [
        ([(10, 0), (10, 2), (10, 4)], []),
        ([(10, 0), (11, 1), (10, 2)], []),
        ([(10, 0), (10, 2.01), (10, 4)], ["invalid_option_value"]),
        ([(10, 0), (10, 2), (10, 5)], ["invalid_option_value"]),
        ([(10, 0), (10, 0), (10, 2)], ["invalid_option_value"]),
        ([(10, 0), (10, 2)], ["missing_input"]),
        ([(3499, 0), (3500, 0), (3501, 0)], ["out_of_range"]),
    ],
)
def test_zones_lie_beside_each_other_within_range(centres: Any, reasons: list[str]) -> None:
    table = scenery(on_map=True)

    assert why_not(table, **raking((5, 5, 5), centres=spots(*centres))) == reasons


@pytest.mark.clause("GU-2500", "GU-630")
@pytest.mark.parametrize(("far", "reasons"), [(3500, []), (3500.01, ["out_of_range"])])
def test_without_a_map_the_zones_have_a_distance(far: float, reasons: list[str]) -> None:
    assert why_not(scenery(on_map=False), **raking(on_map=False, far=far)) == reasons


@pytest.mark.clause("GU-2500")
def test_without_a_map_it_is_said_who_is_in_which_zone() -> None:
    table = scenery(on_map=False)
    one, several = raking(on_map=False, inside=("x",)), raking((5, 5), on_map=False, inside=("x",))
    silent = {**one, "said": {}}
    nowhere = {**one, "options": {**one["options"], "zone_distance": None}}

    assert why_not(table, **one) == []
    assert why_not(table, **several) == ["missing_input"]
    assert why_not(table, **raking((5, 5), on_map=False, inside=("x",), in_zones=[2])) == []
    assert why_not(table, **raking((5, 5), on_map=False, inside=("x",), in_zones=[3])) == ["invalid_option_value"]
    assert why_not(table, **raking((5, 5), on_map=False, inside=("x",), in_zones=[1, 2])) == ["missing_input"]
    assert why_not(table, **silent) == ["missing_input"]
    assert why_not(table, **nowhere) == ["missing_input"]
    assert why_not(table, **raking(on_map=False, inside=("nobody",))) == ["unknown_combatant"]
    assert why_not(table, **raking(on_map=False, inside=("r",))) == ["invalid_target"]


@pytest.mark.clause("GU-2500")
def test_nothing_that_was_sent_is_passed_over() -> None:
    table, flat = scenery(on_map=True), scenery(on_map=False)
    plain = raking()

    for name, value in {
        "shots": 5,
        "target_speed": 0,
        "hands": 1,
        "aware": False,
        "in_zones": [1],
        "zone_distance": 0,
    }.items():
        assert why_not(table, **{**plain, "options": {**plain["options"], name: value}}) == ["unused_input"], name
    assert table.why_not("all_out_attack", "r", "x", **plain) == ["unused_input"]
    assert "unused_input" in why_not(table, **plain, location="torso")
    assert why_not(flat, **raking(on_map=False, centres=row(1))) == ["unused_input"]
    for name, other in {"zones": [5], "centres": row(1), "in_zones": [1], "zone_distance": 0}.items():
        options = {"option": "determined", name: other}
        assert table.why_not("all_out_attack", "r", "x", weapon=RIFLE, options=options) == ["unused_input"], name


@pytest.mark.clause("GU-2500")
def test_zones_are_whole_numbers() -> None:
    for wrong in ("15", [1.5], [True], [0], {"x": 5}):
        with pytest.raises(BadAnswer):
            why_not(scenery(on_map=True), **raking(zones=wrong))


@pytest.mark.clause("GU-2500")
@MODES
def test_everybody_inside_is_attacked_at_once_friend_or_foe(on_map: bool) -> None:
    others: dict[str, Any] = {"s": {"side": "r", **SAFE}, "p": SAFE}
    if on_map:
        others = {"s": {"side": "r", "at": (10, 1, 0), **SAFE}, "p": {"at": (10, 1.01, 0), **SAFE}}
    table = scenery(on_map=on_map, **others)

    done = rake(table, raking(on_map=on_map, inside=("s", "x")), to_hit=[MISS, MISS])

    assert [event.target for event in done.of(ev.AttackMade)] == ["x", "s"]
    assert zones(table) == {"r": 15}


@pytest.mark.clause("GU-2500", "GU-2030")
@MODES
def test_the_shots_are_gone_and_the_zones_lie_under_fire(on_map: bool) -> None:
    table = scenery(on_map=on_map)

    rake(table, raking((5, 10), on_map=on_map, far=20))

    assert rounds(table) == 16
    assert zones(table) == {"r": 5, "r/2": 10}
    zone = table.table.effect(R, "suppressed_zone")
    assert zone is not None
    assert (zone.item, zone.clause) == (RIFLE, "GU-2500")


@pytest.mark.clause("GU-2500")
@MODES
def test_each_zone_has_its_own_people_and_its_own_shots(on_map: bool) -> None:
    others: dict[str, Any] = {"s": {"at": (10, 2, 0), **SAFE}} if on_map else {"s": SAFE}
    table = scenery(on_map=on_map, **others)

    where: dict[str, Any] = {} if on_map else {"in_zones": [1, 2]}

    done = rake(table, raking((5, 10), on_map=on_map, inside=("x", "s"), **where), to_hit=[MISS, MISS])

    rolled = [event for event in done.of(ev.CheckRolled) if event.purpose == "attack"]
    bonus = [next(term.value for term in event.terms if term.id == "rapid_fire") for event in rolled]
    assert [event.against for event in rolled] == ["x", "s"]
    assert bonus == [1, 2]


@pytest.mark.clause("GU-2500")
def test_whoever_stands_where_two_zones_meet_is_attacked_once() -> None:
    table = scenery(on_map=True, x={"at": (10, 1, 270)})

    done = rake(table, raking((5, 5)), to_hit=MISS)

    assert len(done.of(ev.AttackMade)) == 1


@pytest.mark.clause("GU-2500")
def test_a_wall_stops_the_fire_but_nobody_has_to_be_seen() -> None:
    table = scenery(on_map=True, s={"at": (10, 0.5, 0), "hidden": True, **SAFE})
    ground = table.state.scenery.ground
    assert ground is not None
    walled = replace(ground, walls=(Wall((length(9), length(-3)), (length(9), length(0.2))),))
    table.state = replace(table.state, scenery=replace(table.state.scenery, ground=walled))

    done = rake(table, raking(), to_hit=MISS)

    assert [event.target for event in done.of(ev.AttackMade)] == ["s"]


@pytest.mark.clause("GU-2500", "GU-780")
@MODES
def test_he_moves_half_his_move_forward_before_firing_only(on_map: bool) -> None:
    table = scenery(on_map=on_map, far=14)

    def way(far: float, act_at: float | None = None) -> list[str]:
        given = raking(on_map=on_map)
        if act_at is not None:
            given["options"]["act_at"] = length(act_at)
        if on_map:
            return why_not(table, **given, path=[(far, 0)])
        return why_not(table, **{**given, "said": {"inside": (), "length": far, "distance_after": {"x": 14 - far}}})

    assert way(3) == []
    assert way(3, 3) == []
    assert way(3.01) == ["move_too_far"]
    assert way(3, 0) == ["move_split"]
    assert "move_split" in way(3, 1)


@pytest.mark.clause("GU-2500")
def test_the_fire_is_laid_from_where_he_has_gone() -> None:
    table = scenery(on_map=True, far=12)

    done = rake(table, {**raking(far=12), "path": [(2, 0)]}, to_hit=MISS)

    assert terms(done)["range"] == -4
    assert [type(event) for event in done.events if isinstance(event, ev.Moved | ev.AttackMade)] == [
        ev.Moved,
        ev.AttackMade,
    ]


# GU-2500: who comes in


@pytest.mark.clause("GU-2500", "GU-100")
@MODES
def test_whoever_enters_is_attacked_at_that_point_of_his_way(on_map: bool) -> None:
    table = empty(on_map)

    done = come(table, 5 if on_map else 4, to_hit=MISS)

    kinds = [type(event) for event in done.events if isinstance(event, ev.Moved | ev.AttackMade)]
    if on_map:
        assert kinds == [ev.Moved, ev.AttackMade, ev.Moved]
        assert [event.distance for event in done.of(ev.Moved)] == [length(3), length(2)]
        assert terms(done)["range"] == -5
    else:
        assert kinds == [ev.Moved, ev.AttackMade]
    assert done.one(ev.AttackMade).combatant == "r"


@pytest.mark.clause("GU-2500")
def test_without_a_map_the_place_of_the_entry_can_be_stated() -> None:
    table = empty(on_map=False)
    said = {"length": 4, "distance_after": {"r": 10}, "crosses": ("r",), "crosses_at": {"r": 1}}

    done = table.play("move", "x", said=said, to_hit=MISS)

    assert [event.distance for event in done.of(ev.Moved)] == [length(1), length(3)]
    assert terms(done)["range"] == -4


@pytest.mark.clause("GU-2500")
@MODES
def test_whoever_stays_outside_is_left_alone(on_map: bool) -> None:
    table = empty(on_map)

    assert not come(table, 2.99, crosses=()).of(ev.AttackMade)


@pytest.mark.clause("GU-2500")
def test_the_border_belongs_to_the_zone() -> None:
    assert come(empty(on_map=True), 3, to_hit=MISS).of(ev.AttackMade)


@pytest.mark.clause("GU-2500", "GU-130")
@pytest.mark.parametrize(("answer", "attacks"), [("no", 0), ("yes", 1), (("yes", {"at": 150}), 1)])
def test_without_a_map_the_gm_says_what_nobody_has_stated(answer: Any, attacks: int) -> None:
    table = empty(on_map=False)
    said = {"length": 4, "distance_after": {"r": 10}}
    given = {"to_hit": MISS} if attacks else {}

    done = table.play("move", "x", said=said, enters_zone=answer, **given)

    assert len(done.of(ev.AttackMade)) == attacks
    question = done.questions("enters_zone")[0]
    assert (question.to, question.default, question.clause) == ("gm", "no", "GU-2500")
    lengths = [event.distance for event in done.of(ev.Moved)]
    assert lengths == ([150, 250] if isinstance(answer, tuple) else [400])


@pytest.mark.clause("GU-2500")
def test_a_friend_who_enters_is_attacked_too() -> None:
    table = scenery(on_map=True, x={"at": (14, 0, 270), "side": "r"}, far=14)
    rake(table, raking())
    table.until_turn_of("x")

    assert come(table, to_hit=MISS).one(ev.AttackMade).target == "x"


@pytest.mark.clause("GU-2500")
def test_each_entry_is_an_attack_of_its_own_and_staying_inside_is_none() -> None:
    table = empty(on_map=True)

    through = table.play("move", "x", path=[(11.5, 0), (10.5, 0), (10.5, 0.5)], to_hit=MISS)
    assert len(through.of(ev.AttackMade)) == 1

    again = empty(on_map=True, x={"at": (11.5, 0, 270), "basic_move": 8, **SAFE})
    twice = again.play("move", "x", path=[(10.5, 0), (12, 0), (10.5, 0)], to_hit=[MISS, MISS])
    assert len(twice.of(ev.AttackMade)) == 2


@pytest.mark.clause("GU-2500")
def test_who_was_inside_leaves_and_is_attacked_as_he_comes_back() -> None:
    table = scenery(on_map=True)
    rake(table, raking(), to_hit=MISS)
    table.until_turn_of("x")

    assert not table.play("move", "x", path=[(10, 0.5)]).of(ev.AttackMade)

    back = scenery(on_map=True)
    rake(back, raking(), to_hit=MISS)
    back.until_turn_of("x")
    assert len(back.play("move", "x", path=[(11.5, 0), (10.5, 0)], to_hit=MISS).of(ev.AttackMade)) == 1


@pytest.mark.clause("GU-2500")
def test_a_way_through_two_zones_is_an_entry_into_each() -> None:
    table = scenery(on_map=True, x={"at": (10, -2, 180)})
    rake(table, raking((5, 5)))
    table.until_turn_of("x")

    done = table.play("move", "x", path=[(10, 2)], to_hit=[MISS, MISS])

    assert len(done.of(ev.AttackMade)) == 2
    assert [event.distance for event in done.of(ev.Moved)] == [length(1), length(2), length(1)]


@pytest.mark.clause("GU-2500")
def test_without_a_map_each_zone_of_several_has_its_name() -> None:
    table = scenery(on_map=False, far=14)
    rake(table, raking((5, 10), on_map=False))
    table.until_turn_of("x")

    done = come(table, crosses=("r/2",), to_hit=MISS)

    assert terms(done)["rapid_fire"] == 2


@pytest.mark.clause("GU-2500")
def test_who_comes_out_from_behind_a_wall_inside_the_zone_comes_under_fire_there() -> None:
    table = scenery(on_map=True, x={"at": (10.5, 0.5, 270)})
    ground = table.state.scenery.ground
    assert ground is not None
    walled = replace(ground, walls=(Wall((length(10), length(0.2)), (length(10), length(5))),))
    table.state = replace(table.state, scenery=replace(table.state.scenery, ground=walled))
    assert not rake(table, raking()).of(ev.AttackMade)
    table.until_turn_of("x")

    done = table.play("move", "x", path=[(10.5, -0.5)], to_hit=MISS)

    assert done.one(ev.AttackMade).target == "x"
    assert 0 < done.of(ev.Moved)[0].distance < length(0.5)


@pytest.mark.clause("GU-2500", "GU-110")
def test_whoever_is_stunned_on_coming_in_goes_no_further() -> None:
    table = empty(on_map=True, x={"armour": 0, "hp_max": 40})

    done = come(table, 5, to_hit=(3, 3, 3), defend="none", damage=(6, 6, 6, 6, 1), knockdown=(5, 5, 5))

    assert table.has("x", "stunned_physical")
    place = table.who("x").place
    assert place is not None
    assert place.x == length(11)
    assert not done.questions("resume_turn")


@pytest.mark.clause("GU-2500")
@MODES
def test_whoever_is_shoved_into_it_is_attacked_when_the_shove_is_done(on_map: bool) -> None:
    if on_map:
        table = fight(
            r={"at": (0, 0, 90)},
            s={"at": (13, 0, 270), "items": {}, "st": 30},
            x={"at": (12.5, 0, 90), **SAFE},
        )
    else:
        table = fight(r={}, s={"items": {}, "st": 30}, x=SAFE, apart={"rs": 13, "rx": 12, "sx": 0})
    rake(table, raking(on_map=on_map))
    table.until_turn_of("s")
    ruling = {} if on_map else {"enters_zone": "yes"}

    done = table.play(
        "attack",
        "s",
        "x",
        options={"form": "shove"},
        attack__to_hit=(2, 3, 3),
        defend="none",
        shove=(4, 4, 4),
        keep_balance=(3, 3, 3),
        r__0__to_hit=MISS,
        **ruling,
    )

    assert [event.combatant for event in done.of(ev.AttackMade)] == ["s", "r"]


# GU-2510: skill and hits


@pytest.mark.clause("GU-2510")
@MODES
@pytest.mark.parametrize(
    ("shots", "mounted", "number"),
    [((15,), False, 9), ((5,), False, 7), ((15,), True, 11), ((5,), True, 9), ((9,), False, 8)],
)
def test_the_skill_is_held_to_six_or_eight_and_the_bonus_of_the_zone(
    on_map: bool, shots: tuple[int, ...], mounted: bool, number: int
) -> None:
    table = scenery(on_map=on_map, r={"items": gun(mounted=mounted)})

    assert skill(rake(table, raking(shots, on_map=on_map, inside=("x",)), to_hit=MISS)) == number


@pytest.mark.clause("GU-2510")
def test_a_shot_that_is_harder_than_that_stays_as_hard_as_it_is() -> None:
    table = scenery(on_map=True, far=150)

    done = rake(table, raking(far=150), to_hit=MISS)

    assert terms(done) == {"guns_rifle": 15, "range": -11, "rapid_fire": 3}
    assert skill(done) == 7


@pytest.mark.clause("GU-2510", "GU-240")
def test_nobody_is_attacked_whom_no_roll_could_hit() -> None:
    table = scenery(on_map=True, far=2000)

    assert not rake(table, raking(far=2000)).of(ev.AttackMade)


@pytest.mark.clause("GU-2510", "GU-1860")
def test_no_aim_counts_and_none_is_left() -> None:
    table = scenery(on_map=True, far=150)
    table.play("aim", "r", "x", weapon=RIFLE)
    next_slot(table)

    done = rake(table, raking(far=150), to_hit=MISS)

    assert "acc" not in terms(done)
    assert not table.has("r", "aiming")


@pytest.mark.clause("GU-2510", "GU-130")
def test_what_the_gm_gives_holds_for_whoever_comes_later_too() -> None:
    table = scenery(on_map=True, x={"at": (14, 0, 270)}, far=14)
    rake(table, {**raking(), "modifiers": ["bad_light", -4]})
    table.until_turn_of("x")

    done = come(table, to_hit=MISS)

    assert (terms(done)["bad_light"], terms(done)["gm"]) == (-3, -4)
    assert skill(done) == 6


@pytest.mark.clause("GU-2510")
@MODES
def test_hits_come_off_the_shots_of_the_zone(on_map: bool) -> None:
    table = scenery(on_map=on_map)

    done = rake(table, raking(on_map=on_map, inside=("x",)), to_hit=(1, 2, 2), defend="none", damage=[LOW] * 3)

    assert (skill(done), scored(done)) == (9, 3)
    assert zones(table) == {"r": 12}
    assert rounds(table) == 16


@pytest.mark.clause("GU-2510")
def test_hits_that_are_dodged_are_gone_from_the_zone_too() -> None:
    table = scenery(on_map=True)

    rake(table, raking(), to_hit=(1, 2, 2), defend="dodge", dodge=(2, 2, 2))

    assert zones(table) == {"r": 12}


@pytest.mark.clause("GU-2510")
def test_the_hits_of_a_zone_are_never_more_than_its_shots() -> None:
    crowd: dict[str, Any] = {name: {"at": (10, 0.1 * place, 270), **SAFE} for place, name in enumerate(("x2", "x3"), 1)}
    table = scenery(on_map=True, r={"items": gun(rcl=1)}, **crowd)

    done = rake(table, raking((5,)), to_hit=[(1, 2, 2), (1, 2, 2)], defend=["none", "none"], damage=[LOW] * 5)

    assert skill(done) == 7
    assert [len(event.hits) for event in done.of(ev.HitsScored)] == [3, 2]
    assert zones(table) == {}
    ended = next(event for event in done.of(ev.EffectEnded) if event.kind == "suppressed_zone")
    assert (ended.why, ended.clause) == ("spent", "GU-2510")


@pytest.mark.clause("GU-2510", "GU-2500")
def test_a_spent_zone_is_entered_freely() -> None:
    table = scenery(on_map=True, r={"items": gun(rcl=1)}, x2={"at": (14, 0, 270), **SAFE})
    rake(table, raking((5,)), to_hit=(1, 1, 1), critical_hit=(3, 3, 4), damage=[LOW] * 5)
    table.until_turn_of("x2")

    assert not table.play("move", "x2", path=[(10, 0)]).of(ev.AttackMade)


@pytest.mark.clause("GU-2510")
def test_the_bonus_stays_that_of_all_the_shots_of_the_zone() -> None:
    table = scenery(on_map=True, r={"items": gun(rcl=1)}, x2={"at": (14, 0, 270), **SAFE})
    rake(table, raking(), to_hit=(1, 2, 2), defend="none", damage=[LOW] * 5)
    table.until_turn_of("x2")

    done = table.play("move", "x2", path=[(10, 0)], to_hit=MISS)

    assert zones(table) == {"r": 10}
    assert (terms(done)["rapid_fire"], skill(done)) == (3, 9)


# GU-2520: the end


@pytest.mark.clause("GU-2520")
@MODES
def test_it_is_over_at_the_start_of_his_next_slot(on_map: bool) -> None:
    table = empty(on_map)
    assert zones(table) == {"r": 15}

    table.until_turn_of("r")

    assert zones(table) == {}


@pytest.mark.clause("GU-2520")
@pytest.mark.parametrize("kind", ["stunned_physical", "stunned_mental", "unconscious", "mortally_wounded", "dead"])
def test_it_is_over_at_once_when_he_is_stunned_or_out(kind: str) -> None:
    table = empty(on_map=True)

    done = table.rule(cmd.AddEffect(R, kind))

    ended = next(event for event in done.of(ev.EffectEnded) if event.kind == "suppressed_zone")
    assert ended.clause == "GU-2520"
    assert not come(table).of(ev.AttackMade)


@pytest.mark.clause("GU-2520")
def test_a_fall_or_a_wound_alone_does_not_end_it() -> None:
    table = empty(on_map=True)

    table.rule(cmd.AddEffect(R, "lying_prone"))

    assert zones(table) == {"r": 15}


@pytest.mark.clause("GU-2520")
def test_it_is_over_when_he_drops_the_weapon() -> None:
    table = scenery(on_map=True, x={"at": (14, 0, 270)}, far=14)
    rake(table, raking((5, 10)))

    table.play("drop_item", "r", weapon=RIFLE)

    assert zones(table) == {}


@pytest.mark.clause("GU-2520", "GU-280")
def test_a_blunder_that_drops_the_weapon_spares_the_rest_of_the_zone() -> None:
    table = scenery(on_map=True, s={"at": (10, 0.5, 0), **SAFE})

    done = rake(table, raking(), to_hit=(6, 6, 6), critical_miss=(3, 3, 3))

    assert len(done.of(ev.AttackMade)) == 1
    assert zones(table) == {}
