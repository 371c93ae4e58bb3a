"""Stand, Mount or Dismount. Clauses DH-3210 to DH-3230, DH-4520, DH-5700."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.listing import listing
from tests.rulesets.dark_heresy_2e.firing import cited
from tests.rulesets.dark_heresy_2e.going import Spot, both_ways, engaged, fight, spot_of
from tests.support.play import PlayTable, length

ACTION = "stand_mount_dismount"
VANE = CombatantId("vane")
FOE = {"sample": "gorm", "side": "blue", "held": {"great_weapon": "both"}}


def stable(on_map: bool, off: float = 1, **people: Any) -> PlayTable:
    """Vane with his horse so far to the east."""
    spots: dict[str, Spot] = {"vane": (0, 0), "horse": (off, 0)}
    spots |= people.pop("spots", {})
    horse = {"sample": "gorm", "side": "red", "held": {}, **people.pop("horse", {})}
    return fight(on_map, spots, horse=horse, vane={"side": "red"}, **people)


def mount(table: PlayTable, **given: Any) -> Any:
    """Onto the horse."""
    return table.play(ACTION, "vane", options={"mode": "mount", "mount": "horse"}, **given)


# Standing


@both_ways
@pytest.mark.clause("DH-3210")
@pytest.mark.parametrize("condition", ["prone", "sitting"])
def test_who_lies_or_sits_stands_up_for_a_half_action(on_map: bool, condition: str) -> None:
    table = stable(on_map)
    table.rule(cmd.AddEffect(VANE, condition))

    table.play(ACTION, "vane", options={"mode": "stand"})

    assert not table.has("vane", "prone", "sitting")
    assert table.who("vane").budget["half_action"] == 1


@both_ways
@pytest.mark.clause("DH-3210")
def test_who_stands_has_nothing_to_stand_up_from(on_map: bool) -> None:
    table = stable(on_map)

    assert cited(table.reasons(ACTION, "vane")) == [("not_prone", "DH-3210")]
    assert cited(table.reasons(ACTION, "vane", options={"mode": "stand"})) == [("not_prone", "DH-3210")]


@both_ways
@pytest.mark.clause("DH-3230")
def test_standing_up_gives_nobody_a_free_attack(on_map: bool) -> None:
    table = stable(on_map, spots={"gorm": (0, 1)}, gorm=FOE, melee=(("vane", "gorm"),))
    table.rule(cmd.AddEffect(VANE, "prone"))

    done = table.play(ACTION, "vane")

    assert done.questions() == []
    assert engaged(table, "vane", "gorm")


# Mounting


@both_ways
@pytest.mark.clause("DH-3220")
def test_who_stands_mounts_a_beast_next_to_him(on_map: bool) -> None:
    table = stable(on_map)

    mount(table)

    seat = table.table.effect(VANE, "mounted")
    assert seat is not None
    assert (seat.against, seat.word) == ("horse", None)
    assert table.who("vane").budget["half_action"] == 1
    assert not on_map or spot_of(table, "vane") == (1, 0)


@both_ways
@pytest.mark.clause("DH-3220")
@pytest.mark.parametrize(("off", "reasons"), [(1.5, []), (1.51, ["out_of_reach"]), (8, ["out_of_reach"])])
def test_the_beast_must_be_within_reach(on_map: bool, off: float, reasons: list[str]) -> None:
    table = stable(on_map, off)

    found = table.reasons(ACTION, "vane", options={"mode": "mount", "mount": "horse"})

    assert [one.code for one in found] == reasons
    assert all(one.clause == "DH-3220" for one in found)


@both_ways
@pytest.mark.clause("DH-3220")
@pytest.mark.parametrize("condition", ["prone", "sitting"])
def test_nobody_mounts_from_the_ground(on_map: bool, condition: str) -> None:
    table = stable(on_map)
    table.rule(cmd.AddEffect(VANE, condition))

    assert cited(table.reasons(ACTION, "vane", options={"mode": "mount", "mount": "horse"})) == [("prone", "DH-3220")]


@both_ways
@pytest.mark.clause("DH-3220", "DH-1220")
def test_a_beast_is_somebody_else_who_is_up(on_map: bool) -> None:
    table = stable(on_map)

    def why(name: str) -> list[str]:
        return table.why_not(ACTION, "vane", options={"mode": "mount", "mount": name})

    assert why("nobody") == ["unknown_combatant"]
    assert why("vane") == ["invalid_target"]
    table.rule(cmd.SetStatus(CombatantId("horse"), "dead"))
    assert why("horse") == ["invalid_target"]


@pytest.mark.clause("DH-3220", "DH-5700")
def test_without_a_map_its_distance_must_be_known() -> None:
    table = fight(False, {"vane": (0, 0), "horse": (1, 0)}, horse={"sample": "gorm"})
    table.play("move", "vane", said={"length": 1, "leaves": []})
    table.end_turn()
    table.until_turn_of("vane")

    assert cited(table.reasons(ACTION, "vane", options={"mount": "horse"})) == [("missing_input", "DH-5700")]
    assert table.why_not(ACTION, "vane", options={"mount": "horse"}, said={"distance": {"horse": 1}}) == []


@both_ways
@pytest.mark.clause("DH-3220")
def test_a_vehicle_is_stated(on_map: bool) -> None:
    table = stable(on_map)

    table.play(ACTION, "vane", options={"vehicle": "Chimera", "position": "gunner"})

    seat = table.table.effect(VANE, "mounted")
    assert seat is not None
    assert (seat.against, seat.word, seat.words) == (None, "Chimera", ("gunner",))


@both_ways
@pytest.mark.clause("DH-3220")
def test_a_vehicle_that_is_stated_to_be_far_off_is_out_of_reach(on_map: bool) -> None:
    table = stable(on_map)

    far = {"mode": "mount", "vehicle": "Chimera", "distance": length(1.6)}
    assert cited(table.reasons(ACTION, "vane", options=far)) == [("out_of_reach", "DH-3220")]
    assert table.why_not(ACTION, "vane", options={**far, "distance": length(1.5)}) == []


@pytest.mark.clause("DH-3220")
def test_mounting_takes_something_to_mount() -> None:
    assert cited(stable(True).reasons(ACTION, "vane", options={"mode": "mount"})) == [("missing_input", "DH-3220")]


@both_ways
@pytest.mark.clause("DH-3220")
def test_inside_a_vehicle_he_may_change_his_position(on_map: bool) -> None:
    table = stable(on_map)
    table.play(ACTION, "vane", options={"vehicle": "Chimera", "position": "gunner"})
    table.end_turn()
    table.until_turn_of("vane")

    table.play(ACTION, "vane", options={"mode": "move_inside", "position": "driver"})

    seat = table.table.effect(VANE, "mounted")
    assert seat is not None
    assert (seat.word, seat.words) == ("Chimera", ("driver",))


@both_ways
@pytest.mark.clause("DH-3220")
def test_on_foot_or_on_a_beast_there_is_no_inside(on_map: bool) -> None:
    table = stable(on_map)
    assert cited(table.reasons(ACTION, "vane", options={"mode": "move_inside"})) == [("not_mounted", "DH-3220")]

    mount(table)
    table.end_turn()
    table.until_turn_of("vane")
    assert cited(table.reasons(ACTION, "vane", options={"mode": "move_inside"})) == [("not_mounted", "DH-3220")]


# Dismounting


@both_ways
@pytest.mark.clause("DH-3220")
def test_he_gets_off_standing_next_to_his_mount(on_map: bool) -> None:
    table = stable(on_map)
    mount(table)
    table.end_turn()
    table.until_turn_of("vane")

    table.play(ACTION, "vane", options={"mode": "dismount"})

    assert not table.has("vane", "mounted", "prone", "sitting")
    if on_map:
        where = spot_of(table, "vane")
        assert where is not None
        assert 0.25 <= (where[0] - 1) ** 2 + where[1] ** 2 <= 2.25


@pytest.mark.clause("DH-3220")
@pytest.mark.parametrize(
    ("to", "reasons"),
    [((1, 1.5), []), ((1, 1.51), ["out_of_reach"]), ((1.2, 0), ["destination_blocked"])],
)
def test_on_a_map_he_may_choose_on_which_side(to: Spot, reasons: list[str]) -> None:
    table = stable(True)
    mount(table)
    table.end_turn()
    table.until_turn_of("vane")

    assert table.why_not(ACTION, "vane", options={"mode": "dismount"}, path=[to]) == reasons
    if not reasons:
        table.play(ACTION, "vane", options={"mode": "dismount"}, path=[to])
        assert spot_of(table, "vane") == to


@both_ways
@pytest.mark.clause("DH-3220")
def test_on_foot_there_is_nothing_to_get_off(on_map: bool) -> None:
    table = stable(on_map)

    assert cited(table.reasons(ACTION, "vane", options={"mode": "dismount"})) == [("not_mounted", "DH-3220")]


@both_ways
@pytest.mark.clause("DH-3220")
def test_the_list_offers_what_his_posture_leaves_open(on_map: bool) -> None:
    def offered(table: PlayTable) -> bool:
        return next(one for one in listing(table.table, VANE) if one.id == ACTION).available

    table = stable(on_map)
    assert not offered(table)
    mount(table)
    table.end_turn()
    table.until_turn_of("vane")
    assert offered(table)


# Leaving melee by it


@pytest.mark.clause("DH-3230", "DH-3320")
@pytest.mark.parametrize(("gorm", "asked"), [((-1.0, 0.0), True), ((0.0, 1.0), False)])
def test_mounting_away_from_an_opponent_provokes_and_staying_next_to_him_does_not(gorm: Spot, asked: bool) -> None:
    table = stable(True, spots={"gorm": gorm}, gorm=FOE, melee=(("vane", "gorm"),))

    given = {"free_attack": "pass"} if asked else {}
    done = mount(table, **given)

    assert bool(done.questions("free_attack")) is asked
    assert engaged(table, "vane", "gorm") is not asked
    assert table.has("vane", "mounted")


@both_ways
@pytest.mark.clause("DH-3230", "DH-3320", "DH-5700")
def test_entering_a_vehicle_provokes_those_whom_he_is_said_to_leave(on_map: bool) -> None:
    table = stable(on_map, spots={"gorm": (0, 1)}, gorm=FOE, melee=(("vane", "gorm"),))
    enter = {"vehicle": "Chimera"}

    assert cited(table.reasons(ACTION, "vane", options=enter)) == [("missing_input", "DH-5700")]
    done = table.play(ACTION, "vane", options=enter, said={"leaves": ["gorm"]}, free_attack="take", to_hit=99)

    assert len(done.questions("free_attack")) == 1
    assert table.has("vane", "mounted")
    assert not engaged(table, "vane", "gorm")


@both_ways
@pytest.mark.clause("DH-3230", "DH-3330")
def test_a_free_attack_that_stops_him_keeps_him_on_the_ground(on_map: bool) -> None:
    table = stable(on_map, spots={"gorm": (0, 1)}, gorm=FOE, melee=(("vane", "gorm"),))
    table.rule(cmd.SetPool(VANE, "wounds", 0))

    done = table.play(
        ACTION,
        "vane",
        options={"vehicle": "Chimera"},
        said={"leaves": ["gorm"]},
        free_attack="take",
        to_hit=33,
        damage=(3, 2),
    )

    assert done.one(ev.ActionStopped).action == ACTION
    assert not table.has("vane", "mounted")
    assert engaged(table, "vane", "gorm")
    assert table.who("vane").budget["half_action"] == 1


@both_ways
@pytest.mark.clause("DH-3230")
def test_who_says_that_he_leaves_nobody_is_struck_at_by_nobody(on_map: bool) -> None:
    table = stable(on_map, spots={"gorm": (0, 1)}, gorm=FOE, melee=(("vane", "gorm"),))

    done = table.play(ACTION, "vane", options={"vehicle": "Chimera"}, said={"leaves": []})

    assert done.questions() == []
    assert engaged(table, "vane", "gorm")


@both_ways
@pytest.mark.clause("DH-3220", "DH-1060")
def test_the_immobilised_neither_stand_up_nor_mount(on_map: bool) -> None:
    table = stable(on_map)
    table.rule(cmd.AddEffect(VANE, "immobilised"))

    assert table.why_not(ACTION, "vane", options={"mount": "horse"}) == ["immobilised"]
