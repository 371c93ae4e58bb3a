"""Tactical Advance: from cover to cover. Clauses DH-4600, DH-4610, DH-5160, DH-5640, DH-5710."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.listing import listing
from app.engine.space.model import Cover, CoverPiece, CoverValue, Ground, Place, Sector, Wall
from tests.rulesets.dark_heresy_2e.firing import cited, weapon
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, spot_of
from tests.support.play import Played, PlayTable, length

VANE = CombatantId("vane")
BAGS = Cover(100, (CoverPiece("bags", 8, ("right_leg", "left_leg"), "sandbags"),))
"""Sandbags that hide the legs."""


def behind(
    on_map: bool, spots: dict[str, Spot] | None = None, *, cover: Cover | None = BAGS, **people: Any
) -> PlayTable:
    """Vane (MV 4) at the origin behind sandbags, and others about."""
    vane = {"side": "red", "cover": cover, **people.pop("vane", {})}
    return fight(on_map, {"vane": (0, 0), **(spots or {"brok": (20, 0)})}, vane=vane, **people)


def way(on_map: bool, far: float, **options: Any) -> dict[str, Any]:
    """That far to the south, to cover that is stated."""
    where: dict[str, Any] = {"path": [(0, far)]} if on_map else {"said": {"length": far}}
    return {**where, "options": {"cover": "rockcrete", **options}}


def advance(table: PlayTable, far: float, options: dict[str, Any] | None = None, **given: Any) -> Played:
    """He goes that far."""
    on_map = table.table.has_map
    return table.play("tactical_advance", "vane", **way(on_map, far, **(options or {})), **given)


@both_ways
@pytest.mark.clause("DH-4600")
@pytest.mark.parametrize(
    ("option", "far", "reasons"),
    [
        ("half", 4, []),
        ("half", 4.01, ["move_too_far"]),
        ("half", 5, ["move_too_far"]),
        ("full", 8, []),
        ("full", 8.01, ["move_too_far"]),
    ],
)
def test_he_gets_as_far_as_half_a_move_or_a_whole_one(
    on_map: bool, option: str, far: float, reasons: list[str]
) -> None:
    table = behind(on_map, options={"tactical_advance_distance": option})

    found = table.reasons("tactical_advance", "vane", **way(on_map, far))

    assert [one.code for one in found] == reasons
    assert all(one.clause == "DH-4600" for one in found)


@both_ways
@pytest.mark.clause("DH-4600")
def test_he_must_be_in_cover_and_go_to_cover(on_map: bool) -> None:
    bare = behind(on_map, cover=None)
    table = behind(on_map)

    assert cited(bare.reasons("tactical_advance", "vane", **way(on_map, 2))) == [("not_in_cover", "DH-4600")]
    nowhere = table.reasons("tactical_advance", "vane", **way(on_map, 2, cover="none"))
    assert cited(nowhere) == [("destination_not_cover", "DH-4600")]


@pytest.mark.clause("DH-4600", "DH-5700")
def test_without_a_map_way_and_cover_are_stated() -> None:
    table = behind(False)

    assert [one.at for one in table.reasons("tactical_advance", "vane")] == ["/said/length"]
    assert [one.at for one in table.reasons("tactical_advance", "vane", said={"length": 2})] == ["/options/cover"]


@both_ways
@pytest.mark.clause("DH-4600", "DH-1080", "DH-1010")
def test_it_is_a_full_action_of_concentration(on_map: bool) -> None:
    table = behind(on_map)
    table.play("aim", "vane")

    assert table.why_not("tactical_advance", "vane", **way(on_map, 2)) == [
        "insufficient_actions",
        "second_concentration_action",
    ]
    fresh = behind(on_map)
    advance(fresh, 2)
    assert fresh.who("vane").budget["half_action"] == 0


@both_ways
@pytest.mark.clause("DH-4600", "DH-1060", "DH-5610")
def test_who_cannot_move_cannot_advance(on_map: bool) -> None:
    for condition in ("prone", "immobilised"):
        table = behind(on_map)
        table.rule(cmd.AddEffect(VANE, condition))
        assert table.why_not("tactical_advance", "vane", **way(on_map, 2)) == [condition]


@both_ways
@pytest.mark.clause("DH-4600", "DH-5640")
def test_the_pinned_have_no_full_action_for_it(on_map: bool) -> None:
    table = behind(on_map)
    table.rule(cmd.AddEffect(VANE, "pinned"))
    table.rule(cmd.SetBudget(VANE, "half_action", 1))
    table.end_turn(recover_from_pinning=100)
    table.until_turn_of("vane")

    assert table.why_not("tactical_advance", "vane", **way(on_map, 2)) == [
        "insufficient_actions",
        "pinned_may_not_leave_cover",
    ]


@both_ways
@pytest.mark.clause("DH-4610")
def test_at_the_end_only_the_new_cover_applies(on_map: bool) -> None:
    table = behind(on_map)

    done = advance(table, 4, {"cover": "wood", "cover_locations": ["body"]})

    cover = table.who("vane").cover
    assert cover is not None
    assert [(one.ap, one.locations) for one in cover.pieces] == [(4, ("body",))]
    assert done.one(ev.CoverChanged).clause == "DH-4610"
    assert not table.has("vane", "tactical_advance")
    assert not on_map or spot_of(table, "vane") == (0, 4)


@both_ways
@pytest.mark.clause("DH-4610", "DH-5160")
@pytest.mark.parametrize(
    ("options", "points", "locations"),
    [
        ({"cover": "bulkhead"}, 32, ("body", "right_leg", "left_leg")),
        ({"cover": "wood", "cover_points": 6}, 6, ("body", "right_leg", "left_leg")),
        ({"cover": "iron_plate", "cover_locations": ["head", "left_arm"]}, 8, ("head", "left_arm")),
    ],
)
def test_the_new_cover_is_as_stated(
    on_map: bool, options: dict[str, Any], points: int, locations: tuple[str, ...]
) -> None:
    table = behind(on_map)

    advance(table, 1, options)

    cover = table.who("vane").cover
    assert cover is not None
    assert [(one.ap, one.locations) for one in cover.pieces] == [(points, locations)]


@pytest.mark.clause("DH-4610", "DH-5160")
def test_after_the_advance_the_legs_are_exposed_if_the_new_cover_hides_the_body_only() -> None:
    for die, place, covered in ((33, "body", True), (17, "right_leg", False)):
        table = behind(False, brok={"items": weapon("autogun", ammo=30)})
        advance(table, 4, {"cover": "sandbags", "cover_locations": ["body"]})
        table.until_turn_of("brok")

        said = {"distance": {"vane": 60}}
        done = table.play("standard_attack", "brok", "vane", said=said, to_hit=die, defend="none", damage=9)

        dealt = done.one(ev.DamageDealt)
        assert dealt.location == place
        assert ("cover" in [term.id for term in dealt.soak]) is covered


# Under fire on the way


def watched(on_map: bool, trigger: str = "enters_zone", **people: Any) -> PlayTable:
    """Brok, quicker than Vane, watches the open ground that Vane is about to cross from the north to the south."""
    spots: dict[str, Spot] = {"vane": (20, -2)}
    gun = weapon("autogun", ammo=30)
    brok = {"side": "blue", "items": gun, "ag": 50, **people.pop("brok", {})}
    vane = {"side": "red", "cover": BAGS, **people.pop("vane", {})}
    table = fight(on_map, {"brok": (0, 0), **spots}, brok=brok, vane=vane, **people)
    area = Sector((0, 0), length(90), 90, 5)
    table.play("overwatch", "brok", area=area, facing=90, options={"attack": "standard_attack", "trigger": trigger})
    table.until_turn_of("vane")
    return table


def cross(table: PlayTable, far: float = 4, **given: Any) -> Played:
    """Vane crosses it."""
    if table.table.has_map:
        where: dict[str, Any] = {"path": [(20, -2 + far)]}
    else:
        where = {"said": {"length": far, "crosses": ["brok"], "crosses_at": {"brok": 1}, "distance": {"brok": 20}}}
    return table.play(
        "tactical_advance", "vane", **where, options={"cover": "wood", "cover_locations": ["body"]}, **given
    )


@both_ways
@pytest.mark.clause("DH-4600", "DH-5160", "DH-3890")
def test_a_hit_on_the_way_meets_the_cover_he_left(on_map: bool) -> None:
    table = watched(on_map)

    done = cross(table, overwatch_fire="fire", to_hit=17, damage=9, pinning=1)

    dealt = done.one(ev.DamageDealt)
    assert dealt.location == "right_leg"
    assert (dealt.raw, dealt.through) == (12, 0)
    assert [(term.id, term.value) for term in dealt.soak] == [("armour", 4), ("cover", 8), ("toughness", 3)]
    cover = table.who("vane").cover
    assert cover is not None
    assert cover.pieces[0].locations == ("body",)


@pytest.mark.clause("DH-4600", "DH-5160")
def test_on_a_map_a_wall_he_left_still_covers_him_in_the_open() -> None:
    table = watched(True, vane={"cover": None})
    low = {"move": False, "sight": False}
    north = Wall((1900, -250), (1900, -150), "north", **low, cover=CoverValue(8, ("right_leg",), near=150))
    south = Wall((1900, 150), (1900, 250), "south", **low, cover=CoverValue(4, ("body",), near=150))
    table.command(cmd.Setup(ground=Ground(walls=(north, south))))

    done = table.play("tactical_advance", "vane", path=[(20, 2)], overwatch_fire="fire", to_hit=17, damage=9, pinning=1)

    dealt = done.one(ev.DamageDealt)
    assert dealt.location == "right_leg"
    assert [(term.id, term.value) for term in dealt.soak if term.id == "cover"] == [("cover", 8)]
    assert table.state.scenery.worn == {"north": 1}


@pytest.mark.clause("DH-4600", "DH-4610")
def test_on_a_map_cover_next_to_where_he_ends_needs_no_telling() -> None:
    low = {"move": False, "sight": False}
    north = Wall((-50, -100), (50, -100), "north", **low, cover=CoverValue(8, ("body",)))
    south = Wall((-50, 550), (50, 550), "south", **low, cover=CoverValue(8, ("body",)))
    table = behind(True, cover=None)
    table.command(cmd.Setup(ground=Ground(walls=(north, south))))

    assert table.why_not("tactical_advance", "vane", path=[(0, 4)]) == []
    assert table.why_not("tactical_advance", "vane", path=[(0, 3.9)]) == ["destination_not_cover"]
    table.play("tactical_advance", "vane", path=[(0, 4)])
    assert table.who("vane").cover is None


@pytest.mark.clause("DH-4610", "DH-5160")
def test_on_a_map_what_was_stated_of_the_old_cover_is_over() -> None:
    south = Wall((-50, 550), (50, 550), "south", move=False, sight=False, cover=CoverValue(8, ("body",)))
    table = behind(True)
    table.command(cmd.Setup(ground=Ground(walls=(south,))))

    table.play("tactical_advance", "vane", path=[(0, 4)])

    assert table.who("vane").cover is None


@both_ways
@pytest.mark.clause("DH-4600", "DH-4610", "DH-3900")
def test_stopped_on_the_way_he_lies_in_the_open(on_map: bool) -> None:
    table = watched(on_map, vane={"wounds_max": 1, "armour": 0})

    done = cross(table, overwatch_fire="fire", to_hit=33, damage=10, hit1__fury=3, blood_loss=1)

    assert done.of(ev.ActionStopped)
    assert table.who("vane").cover is None
    assert not table.has("vane", "tactical_advance")


@both_ways
@pytest.mark.clause("DH-4600", "DH-3910", "DH-5640")
def test_pinned_on_the_way_he_still_reaches_the_new_cover(on_map: bool) -> None:
    table = watched(on_map)

    cross(table, overwatch_fire="fire", to_hit=99, pinning=99)

    assert table.has("vane", "pinned")
    cover = table.who("vane").cover
    assert cover is not None
    assert cover.pieces[0].locations == ("body",)


@both_ways
@pytest.mark.clause("DH-4600", "DH-3320")
def test_advancing_out_of_melee_gives_a_free_attack_like_any_movement(on_map: bool) -> None:
    gorm = {"side": "blue", "held": {"great_weapon": "both"}}
    table = behind(on_map, {"gorm": (0, -1)}, gorm=gorm, melee=(("vane", "gorm"),))

    where = way(on_map, 4)
    if not on_map:
        where["said"]["leaves"] = ["gorm"]
    done = table.play("tactical_advance", "vane", **where, free_attack="take", to_hit=99)

    assert len(done.questions("free_attack")) == 1
    assert not engaged(table, "vane", "gorm")


@both_ways
@pytest.mark.clause("DH-4600", "DH-3330")
def test_a_free_attack_that_stops_him_leaves_him_where_he_was_behind_his_cover(on_map: bool) -> None:
    gorm = {"side": "blue", "held": {"great_weapon": "both"}}
    table = behind(on_map, {"gorm": (0, -1)}, gorm=gorm, melee=(("vane", "gorm"),), vane={"wounds_max": 1, "t": 50})

    where = way(on_map, 4)
    if not on_map:
        where["said"]["leaves"] = ["gorm"]
    table.play("tactical_advance", "vane", **where, free_attack="take", to_hit=33, damage=(3, 5))

    assert table.who("vane").cover == BAGS
    assert not on_map or spot_of(table, "vane") == (0, 0)
    assert not table.has("vane", "tactical_advance")


@pytest.mark.clause("DH-4600", "DH-5710")
def test_he_looks_where_he_likes_when_he_has_come_there() -> None:
    table = behind(True)

    table.play("tactical_advance", "vane", path=[(0, 2)], options={"cover": "wood"}, facing=45)

    assert table.who("vane").place == Place(0, 200, 45)


@both_ways
@pytest.mark.clause("DH-4600")
def test_the_list_offers_it_in_cover_only(on_map: bool) -> None:
    for cover, offered in ((BAGS, True), (None, False)):
        table = behind(on_map, cover=cover)
        view = next(one for one in listing(table.table, VANE) if one.id == "tactical_advance")
        assert view.available is offered


# Facing


@pytest.mark.clause("DH-5710")
def test_turning_is_free_in_his_own_turn_and_only_then() -> None:
    table = behind(True)

    done = table.play("free_action", "vane", facing=135, note="over there!")

    assert done.one(ev.Turned).facing == 135
    assert table.who("vane").budget["half_action"] == 2
    table.end_turn()
    assert cited(table.reasons("free_action", "vane", facing=90, note="and there!")) == [("not_your_turn", "DH-1190")]
    assert table.why_not("free_action", "vane", note="and there!") == []


@pytest.mark.clause("DH-5710")
def test_facing_has_nothing_to_do_with_evasion() -> None:
    for facing in (0, 90, 180, 270):
        table = fight(
            True,
            {"brok": (20, 0), "vane": (0, 0)},
            brok={"items": weapon("autogun", ammo=30)},
            vane={"place": Place(0, 0, facing)},
        )
        done = table.play("standard_attack", "brok", "vane", to_hit=40, defend="dodge", dodge=40)
        assert done.of(ev.CheckRolled)[1].target == 40
