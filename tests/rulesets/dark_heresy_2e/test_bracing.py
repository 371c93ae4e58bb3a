"""Brace Heavy Weapon: how it stands, how far it turns, what moves it, and leaving it to another.

Clauses DH-4500 to DH-4540.
"""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.listing import listing
from app.engine.space.model import PairFact, Polygon, Sector, pair_key
from rulesets.dark_heresy_2e.weapons import RateOfFire
from tests.rulesets.dark_heresy_2e.firing import barred, cited, terms, weapon
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, fight, path
from tests.support.play import Played, PlayTable, length

BROK = CombatantId("brok")
FAR: Spot = (0, -40)
"""Straight to the north, which is where everybody faces at first."""


def gunner(on_map: bool, spots: dict[str, Spot] | None = None, **people: Any) -> PlayTable:
    """Brok with his heavy stubber (BS 43, range 100) at the origin, and people like Vane elsewhere."""
    spots = spots or {"bob": FAR}
    others: dict[str, Any] = {
        name: {"sample": "vane", "side": "blue", **people.pop(name, {})} for name in spots if name != "brok"
    }
    brok = {"side": "red", **people.pop("brok", {})}
    return fight(on_map, {"brok": (0, 0), **spots}, brok=brok, **others, **people)


def brace(table: PlayTable, how: str | None = None, **given: Any) -> Played:
    """Set it up."""
    options = {} if how is None else {"brace": how}
    return table.play("brace_heavy_weapon", "brok", options=options, **given)


def is_braced(table: PlayTable, who: str = "brok") -> bool:
    """Whether the stubber stands braced."""
    return bool(table.who(who).items["heavy_stubber"].marks.get("braced"))


def fresh_turn(table: PlayTable, **answers: Any) -> None:
    """His next turn, the others having passed."""
    table.end_turn(**answers)
    table.until_turn_of("brok", **answers)


# Bracing


@both_ways
@pytest.mark.clause("DH-4500", "DH-4510", "DH-3440")
def test_a_half_action_braces_it_and_the_penalty_is_gone(on_map: bool) -> None:
    table = gunner(on_map)

    brace(table)
    done = table.play("full_auto_burst", "brok", "bob", to_hit=99)

    assert table.who("brok").budget["half_action"] == 0
    assert done.check.target == 33 + 10
    assert "unbraced" not in terms(done)
    again = gunner(on_map).play("full_auto_burst", "brok", "bob", to_hit=99)
    assert terms(again)["unbraced"] == -30


@pytest.mark.clause("DH-4500")
def test_only_heavy_weapons_are_braced_and_only_once() -> None:
    light = gunner(True, brok={"items": weapon("autogun", ammo=30)})
    stowed = gunner(True, brok={"items": weapon("heavy_stubber", None, ammo=80)})
    bare = gunner(True, brok={"items": {}})
    table = gunner(True)

    assert cited(light.reasons("brace_heavy_weapon", "brok")) == [("weapon_not_heavy", "DH-4500")]
    assert cited(stowed.reasons("brace_heavy_weapon", "brok", weapon="heavy_stubber")) == [
        ("weapon_not_ready", "DH-4500")
    ]
    assert cited(bare.reasons("brace_heavy_weapon", "brok")) == [("weapon_not_heavy", "DH-4500")]
    assert table.why_not("brace_heavy_weapon", "brok") == []
    brace(table)
    fresh_turn(table)
    assert cited(table.reasons("brace_heavy_weapon", "brok")) == [("already_braced", "DH-4500")]


@pytest.mark.clause("DH-4500")
def test_the_list_offers_it_to_whom_holds_a_heavy_weapon() -> None:
    def view(table: PlayTable, who: str) -> Any:
        return next(one for one in listing(table.table, CombatantId(who)) if one.id == "brace_heavy_weapon")

    assert view(gunner(True), "brok").available
    assert not view(gunner(True, brok={"items": weapon("autogun", ammo=30)}), "brok").available


@pytest.mark.clause("DH-4500", "DH-5710")
def test_he_faces_where_he_braces_it_to() -> None:
    table = gunner(True)

    done = brace(table, "tripod", facing=90)

    assert done.one(ev.Turned).facing == 90
    assert table.who("brok").items["heavy_stubber"].marks["brace_facing"] == 90


@pytest.mark.clause("DH-4510")
@pytest.mark.parametrize(("option", "reasons"), [("penalty", []), ("forbid", ["weapon_not_ready"])])
def test_some_tables_forbid_firing_it_unbraced(option: str, reasons: list[str]) -> None:
    table = gunner(True, options={"unbraced_burst": option})

    assert table.why_not("full_auto_burst", "brok", "bob") == reasons
    brace(table)
    assert table.why_not("full_auto_burst", "brok", "bob") == []


# What ends it


@both_ways
@pytest.mark.clause("DH-4520")
@pytest.mark.parametrize("how", ["kneeling", "bipod", "tripod"])
def test_going_away_with_it_ends_it(on_map: bool, how: str) -> None:
    table = gunner(on_map)
    brace(table, how)

    table.play("move", "brok", **path(on_map, (0, 0), (1, 0), leaves=()))

    assert not is_braced(table)


@both_ways
@pytest.mark.clause("DH-4520")
@pytest.mark.parametrize(("how", "stays"), [("kneeling", False), ("bipod", True), ("tripod", True)])
def test_standing_up_or_falling_ends_only_what_is_braced_on_the_body(on_map: bool, how: str, stays: bool) -> None:
    table = gunner(on_map)
    brace(table, how)

    table.rule(cmd.AddEffect(BROK, "prone"))
    assert is_braced(table) is stays

    table = gunner(on_map)
    table.rule(cmd.AddEffect(BROK, "sitting"))
    brace(table, how)
    table.play("stand_mount_dismount", "brok")
    assert is_braced(table) is stays


@both_ways
@pytest.mark.clause("DH-4520", "DH-3780")
def test_being_pushed_ends_it(on_map: bool) -> None:
    table = gunner(on_map, {"sable": (0, 1)}, sable={"sample": "sable"})
    brace(table, "bipod")
    table.until_turn_of("sable")

    table.play(
        "manoeuvre",
        "sable",
        "brok",
        options={"direction": 0},
        manoeuvre1__sable__manoeuvre=2,
        manoeuvre1__brok__manoeuvre=99,
    )

    assert not is_braced(table)


@both_ways
@pytest.mark.clause("DH-4520", "DH-3610")
def test_a_dodge_on_the_spot_leaves_it_braced(on_map: bool) -> None:
    table = gunner(on_map, {"bob": (0, -20)})
    brace(table)
    table.until_turn_of("bob")

    table.play("standard_attack", "bob", "brok", to_hit=40, defend="dodge", dodge=28)

    assert is_braced(table)


@both_ways
@pytest.mark.clause("DH-4520", "DH-3660")
def test_a_dodge_that_displaces_him_ends_it(on_map: bool) -> None:
    table = gunner(on_map, {"bob": (0, -8)}, bob={"items": weapon("frag_grenade", "main", count=1)})
    brace(table)
    table.until_turn_of("bob")

    done = table.play(
        "standard_attack",
        "bob",
        area=Sector((0, -200), 0),
        to_hit=40,
        defend="dodge",
        dodge=28,
        **({} if on_map else {"said": {"length": 6, "near": ["brok"]}, "exit_distance": ("state", {"distance": 100})}),
    )

    assert done.of(ev.Moved)
    assert not is_braced(table)


@pytest.mark.clause("DH-4520")
def test_stowing_it_or_taking_it_in_other_hands_moves_it() -> None:
    table = gunner(True)
    brace(table, "tripod")

    table.play("ready", "brok", weapon="heavy_stubber", options={"hand": "stowed"})

    assert not is_braced(table)


@both_ways
@pytest.mark.clause("DH-4520")
def test_turning_and_waiting_leave_it_braced(on_map: bool) -> None:
    table = gunner(on_map)
    brace(table, "kneeling")

    fresh_turn(table)
    table.play("full_auto_burst", "brok", "bob", to_hit=99)

    assert is_braced(table)


@pytest.mark.clause("DH-4520", "DH-5560")
def test_who_falls_unconscious_no_longer_kneels_with_it() -> None:
    for how, stays in (("kneeling", False), ("tripod", True)):
        table = gunner(True)
        brace(table, how)
        table.rule(cmd.AddEffect(BROK, "unconscious"))
        assert is_braced(table) is stays


# The arc


@pytest.mark.clause("DH-4530")
@pytest.mark.parametrize(
    ("how", "mode", "spot", "reasons"),
    [
        ("tripod", "total", (40, 0), []),
        ("tripod", "total", (40, 0.7), ["outside_brace_arc"]),
        ("tripod", "total", (-40, 0), []),
        ("tripod", "each_side", (0, 40), []),
        ("bipod", "total", (16.56, -40), []),
        ("bipod", "total", (16.98, -40), ["outside_brace_arc"]),
        ("bipod", "each_side", (40, -40), []),
        ("bipod", "each_side", (40.1, -40), ["outside_brace_arc"]),
        ("kneeling", "total", (-16.56, -40), []),
        ("kneeling", "total", (-16.98, -40), ["outside_brace_arc"]),
    ],
)
def test_it_turns_within_its_arc_edges_included(how: str, mode: str, spot: Spot, reasons: list[str]) -> None:
    table = gunner(True, {"bob": spot}, options={"brace_arc_mode": mode})

    brace(table, how, facing=0)

    assert table.why_not("full_auto_burst", "brok", "bob") == reasons


@pytest.mark.clause("DH-4530")
@pytest.mark.parametrize(
    ("how", "bearing", "reasons"),
    [
        ("tripod", 90, []),
        ("tripod", 91, ["outside_brace_arc"]),
        ("tripod", 270, []),
        ("bipod", 22, []),
        ("bipod", 23, ["outside_brace_arc"]),
        ("bipod", 337, ["outside_brace_arc"]),
        ("bipod", None, []),
    ],
)
def test_without_a_map_a_stated_bearing_counts(how: str, bearing: int | None, reasons: list[str]) -> None:
    table = gunner(False)
    brace(table, how)
    if bearing is not None:
        fact = PairFact(distance=length(40), bearing=bearing)
        table.rule(cmd.SetFact(BROK, CombatantId("bob"), fact))
        assert table.state.scenery.facts[pair_key("brok", "bob")] == fact

    assert table.why_not("full_auto_burst", "brok", "bob") == reasons


@pytest.mark.clause("DH-4530")
def test_the_refusal_tells_the_arc_and_what_it_would_take() -> None:
    table = gunner(True, {"bob": (40, -40)})
    brace(table, "bipod", facing=0)

    reason = table.reasons("full_auto_burst", "brok", "bob")[0]

    assert (reason.clause, reason.need, reason.got) == ("DH-4530", 45, 90)


@pytest.mark.clause("DH-4530")
def test_once_moved_it_may_be_fired_anywhere_again() -> None:
    table = gunner(True, {"bob": (0, 40)})
    brace(table, "bipod", facing=0)
    assert table.why_not("full_auto_burst", "brok", "bob") == ["outside_brace_arc"]

    table.play("move", "brok", path=[(1, 0)])
    fresh_turn(table)

    assert table.why_not("full_auto_burst", "brok", "bob") == []


@pytest.mark.clause("DH-4530")
@pytest.mark.parametrize(("answer", "arc"), [("usual", 45), (("state", {"degrees": 20}), 20)])
def test_the_gm_may_say_that_a_support_allows_less(answer: Any, arc: int) -> None:
    table = gunner(True, {"bob": (16.5, -40), "cy": (0, -30)})

    done = brace(table, "support", facing=0, brace_arc=answer)

    assert done.questions("brace_arc")[0].to == "gm"
    assert table.who("brok").items["heavy_stubber"].marks["brace_arc"] == arc
    assert table.why_not("full_auto_burst", "brok", "bob") == ([] if arc == 45 else ["outside_brace_arc"])
    assert table.why_not("full_auto_burst", "brok", "cy") == []


@pytest.mark.clause("DH-4530", "DH-3430")
def test_further_hits_go_to_nobody_outside_the_arc() -> None:
    table = gunner(True, {"bob": (16.5, -40), "cy": (17.5, -40)})
    brace(table, "bipod", facing=0)

    alone = table.play("full_auto_burst", "brok", "bob", to_hit=23, defend="none", damage=[1, 1, 1])

    assert alone.questions("allocate_hits") == []
    table = gunner(True, {"bob": (16.5, -40), "cy": (17.5, -40), "dee": (15.5, -40)})
    brace(table, "bipod", facing=0)
    asked = table.play("full_auto_burst", "brok", "bob", to_hit=23, allocate_hits=...).questions("allocate_hits")[0]
    assert barred(asked) == {"cy": [("outside_brace_arc", "DH-4530")]}


@pytest.mark.clause("DH-4530", "DH-3880")
@pytest.mark.parametrize(
    ("facing", "arc", "reasons"),
    [(0, 45, []), (1, 45, ["outside_brace_arc"]), (12, 20, []), (13, 20, ["outside_brace_arc"])],
)
def test_a_watched_zone_lies_inside_the_arc(facing: int, arc: int, reasons: list[str]) -> None:
    table = gunner(True)
    brace(table, "bipod", facing=0)
    fresh_turn(table)

    options = {"attack": "full_auto_burst", "trigger": "enters_zone"}
    area = Sector((0, 0), length(90), facing, arc)
    assert table.why_not("overwatch", "brok", area=area, facing=facing, options=options) == reasons


@pytest.mark.clause("DH-4530", "DH-4200")
def test_a_suppressed_zone_lies_inside_the_arc() -> None:
    table = gunner(True)
    brace(table, "bipod", facing=0)
    fresh_turn(table)

    inside = Sector((0, 0), length(50), 0, 45)
    beside = Polygon(((0, 0), (-500, -4000), (3000, -4000)))
    assert table.why_not("suppressing_fire", "brok", area=inside, facing=0) == []
    reasons = table.reasons("suppressing_fire", "brok", area=beside, facing=15)
    assert cited(reasons) == [("outside_brace_arc", "DH-4530")]


@pytest.mark.clause("DH-4530")
def test_a_point_outside_the_arc_is_none_to_aim_a_launcher_at() -> None:
    launcher = weapon("heavy_stubber", ammo=80, changes={"qualities": {"blast": 3}, "rof": RateOfFire(single=True)})
    table = gunner(True, brok={"items": launcher})
    brace(table, "bipod", facing=0)

    assert table.why_not("standard_attack", "brok", area=Sector((0, -3000), 0)) == []
    assert table.why_not("standard_attack", "brok", area=Sector((3000, 0), 0)) == ["outside_brace_arc"]


# Leaving it to another


def left_alone(on_map: bool, how: str = "tripod", spots: dict[str, Spot] | None = None) -> PlayTable:
    """Brok has braced it, let go of it and gone a step away; it is Vane's turn, who has nothing in his hands."""
    spots = spots or {"vane": (1.2, 0), "bob": FAR}
    table = gunner(on_map, spots, vane={"items": {}, "side": "red", "talents": ()})
    brace(table, how, facing=0)
    table.play("drop_item", "brok", weapon="heavy_stubber")
    after = {} if on_map else {"distance_after": {"vane": 2, "bob": 40}}
    table.play("move", "brok", **path(on_map, (0, 0), (-1, 0), leaves=(), **after))
    table.until_turn_of("vane")
    return table


@both_ways
@pytest.mark.clause("DH-4540")
@pytest.mark.parametrize("how", ["bipod", "tripod"])
def test_another_next_to_it_takes_it_over_and_fires_it_braced(on_map: bool, how: str) -> None:
    table = left_alone(on_map, how)
    assert is_braced(table)

    table.play("ready", "vane", options={"from": "brok", "item": "heavy_stubber"})
    said = {} if on_map else {"said": {"distance": {"bob": 40}}}
    done = table.play("full_auto_burst", "vane", "bob", to_hit=99, **said)

    assert "heavy_stubber" not in table.who("brok").items
    assert table.who("vane").items["heavy_stubber"].held == "both"
    assert is_braced(table, "vane")
    assert "unbraced" not in terms(done)


@both_ways
@pytest.mark.clause("DH-4540")
def test_what_was_braced_on_the_body_is_lost_when_he_lets_go(on_map: bool) -> None:
    table = left_alone(on_map, "kneeling")

    assert not is_braced(table)
    reasons = table.reasons("ready", "vane", options={"from": "brok", "item": "heavy_stubber"})
    assert cited(reasons) == [("item_not_carried", "DH-4540")]


@pytest.mark.clause("DH-4540")
@pytest.mark.parametrize(("spot", "reasons"), [((1.5, 0.0), []), ((1.51, 0.0), ["out_of_reach"])])
def test_he_must_be_next_to_where_it_stands(spot: Spot, reasons: list[str]) -> None:
    table = left_alone(True, "tripod", {"vane": spot, "bob": FAR})

    assert table.why_not("ready", "vane", options={"from": "brok", "item": "heavy_stubber"}) == reasons


@pytest.mark.clause("DH-4540", "DH-4530")
def test_the_arc_goes_with_the_weapon() -> None:
    table = left_alone(True, "bipod", {"vane": (0, 1), "bob": (40, 0), "cy": FAR})

    table.play("ready", "vane", options={"from": "brok", "item": "heavy_stubber"})

    assert table.why_not("full_auto_burst", "vane", "bob") == ["outside_brace_arc"]
    assert table.why_not("full_auto_burst", "vane", "cy") == []


@both_ways
@pytest.mark.clause("DH-4540")
def test_what_somebody_holds_is_not_taken_from_him_unless_he_is_out_of_action(on_map: bool) -> None:
    table = gunner(on_map, {"vane": (1, 0)}, vane={"items": {}, "side": "red"})
    brace(table, "tripod")
    table.until_turn_of("vane")
    take = {"options": {"from": "brok", "item": "heavy_stubber"}}

    assert cited(table.reasons("ready", "vane", **take)) == [("item_not_carried", "DH-4540")]
    table.rule(cmd.AddEffect(BROK, "unconscious"))
    assert table.why_not("ready", "vane", **take) == []


@pytest.mark.clause("DH-4540", "DH-4300")
def test_it_takes_free_hands_and_an_owner_who_is_there() -> None:
    table = gunner(True, {"vane": (1, 0)}, vane={"side": "red"})
    brace(table, "tripod")
    table.play("drop_item", "brok", weapon="heavy_stubber")
    table.until_turn_of("vane")

    assert table.why_not("ready", "vane", options={"from": "brok", "item": "heavy_stubber"}) == ["no_free_hand"]
    assert table.why_not("ready", "vane", options={"from": "nobody", "item": "heavy_stubber"}) == ["unknown_combatant"]
    assert table.why_not("ready", "vane", options={"from": "brok", "item": "knife"}) == ["item_not_carried"]


@both_ways
@pytest.mark.clause("DH-4540")
def test_he_who_left_it_may_take_it_up_again(on_map: bool) -> None:
    table = gunner(on_map)
    brace(table, "tripod")
    table.play("drop_item", "brok", weapon="heavy_stubber")

    table.play("ready", "brok", options={"from": "brok", "item": "heavy_stubber"})

    assert table.who("brok").items["heavy_stubber"].held == "both"
    assert is_braced(table)


@pytest.mark.clause("DH-4540", "DH-5520")
def test_who_is_hurt_so_that_he_drops_it_leaves_it_standing() -> None:
    table = gunner(True, {"bob": (0, -20)}, brok={"wounds_max": 1, "armour": 0, "t": 10})
    brace(table, "tripod")
    table.until_turn_of("bob")

    table.play("standard_attack", "bob", "brok", to_hit=11, defend="none", damage=1)

    assert table.who("brok").items["heavy_stubber"].on_ground
    assert is_braced(table)
