"""Riding and driving: the mount moves in place of whoever controls it, and carries all. Clause GU-1020."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.blocks.walk import Walk, go
from app.engine.ids import ActionId, ClauseId, CombatantId
from app.engine.moments import Passing
from app.engine.reasons import Refused
from app.engine.scene import Scene
from app.engine.space.model import PairFact
from rulesets.gurps_4e.riding import carried_by, controller_of
from tests.rulesets.gurps_4e.fights import fight
from tests.rulesets.gurps_4e.walking import apart, both_ways, facing, gone, spot, way
from tests.support.play import PlayTable

R, P, X, HORSE = (CombatantId(who) for who in ("r", "p", "x", "horse"))
CONTROL: dict[str, Any] = {"control_mount": True}


def riding(on_map: bool, *, horse: Any = None, first: str = "p", passengers: str = "", **others: Any) -> PlayTable:
    """The spearman on a horse with a Move of 8; whoever else rides with him as named."""
    beast = {"sample": "sample_axeman", "side": "p", "basic_move": 8, "items": {}, **(horse or {})}
    people: dict[str, Any] = {"p": {}, "horse": beast, **{who: {"side": "p"} for who in passengers}, **others}
    people = {first: people.pop(first), **people}
    if on_map:
        for who, fields in people.items():
            people[who] = {"at": (0, 0, 90), **fields}
    table = fight(**people)
    mount(table, *("p", *passengers))
    return table


def mount(table: PlayTable, *who: str) -> None:
    """Put somebody on the horse."""
    table.rule(*(cmd.AddEffect(CombatantId(one), "mounted", against=HORSE) for one in who))


# The way


@both_ways
@pytest.mark.clause("GU-1020")
@pytest.mark.parametrize(("yards", "reasons"), [(8, []), (8.01, ["move_too_far"]), (9, ["move_too_far"])])
def test_the_mount_goes_as_far_as_its_own_move(on_map: bool, yards: float, reasons: list[str]) -> None:
    table = riding(on_map)

    assert table.why_not("move", "p", options=CONTROL, **way(on_map, yards)) == reasons


@both_ways
@pytest.mark.clause("GU-1020")
def test_it_carries_the_rider_and_the_passengers(on_map: bool) -> None:
    table = riding(on_map, passengers="r")

    done = table.play("move", "p", options=CONTROL, **way(on_map, 8))

    moved = [(one.combatant, one.distance, one.forced) for one in done.of(ev.Moved)]
    assert moved == [("horse", 800, False), ("p", 800, True), ("r", 800, True)]
    if on_map:
        assert {who: (spot(table, who), facing(table, who)) for who in ("horse", "p", "r")} == {
            who: ((8, 0), 90) for who in ("horse", "p", "r")
        }
    else:
        assert apart(table, "p", "horse") == apart(table, "p", "r") == apart(table, "r", "horse") == 0


@pytest.mark.clause("GU-1020")
def test_without_a_map_the_distances_of_all_of_them_change_alike() -> None:
    table = riding(False, passengers="r", x={})
    table.rule(cmd.SetFact(P, X, PairFact(distance=1000)))

    table.play("move", "p", options={**CONTROL, "toward": "x"}, said={"length": 8})

    assert [apart(table, who, "x") for who in ("horse", "p", "r")] == [2, 2, 2]


@both_ways
@pytest.mark.clause("GU-1020", "GU-2020")
def test_where_the_table_counts_speed_theirs_is_that_of_the_mount(on_map: bool) -> None:
    table = riding(on_map)
    table.state = replace(table.state, options={"count_target_speed": True})

    table.play("move", "p", options=CONTROL, **way(on_map, 8))

    moved = [table.table.effect(who, "moved_last") for who in (HORSE, P)]
    assert [None if one is None else one.value for one in moved] == [800, 800]


@pytest.mark.clause("GU-1020")
def test_all_of_them_look_where_the_mount_looks() -> None:
    table = riding(True, passengers="r")

    table.play("move", "p", options=CONTROL, path=[(0, 3)], facing=0)

    assert [facing(table, who) for who in ("horse", "p", "r")] == [0, 0, 0]


@pytest.mark.clause("GU-1020")
def test_what_is_dropped_on_the_way_is_the_riders() -> None:
    table = riding(True)

    table.play("move", "p", options={**CONTROL, "drop": "spear", "drop_at": 300}, path=[(8, 0)])

    lies = table.who("p").items["spear"].lies
    assert lies is not None
    assert lies.point == (300, 0)


@both_ways
@pytest.mark.clause("GU-1020", "GU-470")
def test_a_foe_in_the_way_is_evaded_by_the_mount_alone(on_map: bool) -> None:
    table = riding(on_map, x={"at": (4, 0, 270)} if on_map else {})
    if not on_map:
        table.rule(cmd.SetFact(P, X, PairFact(distance=400)))

    done = table.play(
        "move",
        "p",
        options=CONTROL,
        **way(on_map, 8, met=("x",)),
        let_pass="oppose",
        horse__evade=(6, 5, 5),
        x__evade=(3, 3, 3),
    )

    assert gone(done, "horse") == (3.5 if on_map else 3)
    assert apart(table, "p", "horse") == 0
    assert apart(table, "p", "x") == (0.5 if on_map else 1)


# Who controls it


@both_ways
@pytest.mark.clause("GU-1020")
def test_whoever_sits_on_nothing_controls_nothing(on_map: bool) -> None:
    table = riding(on_map, r={}, first="r")

    for options in (CONTROL, {"mount": "horse"}, {**CONTROL, "mount": "horse"}):
        found = table.reasons("move", "r", options=options, **way(on_map, 3))
        assert [(one.code, one.clause, one.at) for one in found if one.code == "not_controlling_mount"] == [
            ("not_controlling_mount", "GU-1020", "/options/mount")
        ]


@both_ways
@pytest.mark.clause("GU-1020")
@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ({"mount": "horse"}, []),
        ({"mount": "horse", "control_mount": True}, []),
        ({"mount": "r"}, ["not_controlling_mount"]),
    ],
)
def test_the_mount_may_be_named(on_map: bool, options: dict[str, Any], reasons: list[str]) -> None:
    table = riding(on_map, r={})

    assert table.why_not("move", "p", options=options, **way(on_map, 5)) == reasons


@both_ways
@pytest.mark.clause("GU-1020")
@pytest.mark.parametrize("kind", ["unconscious", "stunned_physical"])
def test_a_mount_that_cannot_act_is_controlled_by_nobody(on_map: bool, kind: str) -> None:
    table = riding(on_map)
    table.rule(cmd.AddEffect(HORSE, kind))

    found = table.why_not("move", "p", options=CONTROL, **way(on_map, 1))

    assert found == ["not_controlling_mount"]


@both_ways
@pytest.mark.clause("GU-1020")
def test_one_of_those_who_ride_controls_it_in_a_turn(on_map: bool) -> None:
    table = riding(on_map, passengers="r")
    table.play("move", "p", options=CONTROL, **way(on_map, 2))
    table.until_turn_of("r")

    assert table.why_not("move", "r", options=CONTROL, **way(on_map, 2)) == ["not_controlling_mount"]


# What it takes


@both_ways
@pytest.mark.clause("GU-1020")
def test_it_takes_the_whole_slot_and_move_is_the_maneuver_of_both(on_map: bool) -> None:
    table = riding(on_map)

    table.play("move", "p", options=CONTROL, **way(on_map, 2))

    assert table.why_not("do_nothing", "p") == ["maneuver_already_used"]
    for who in (P, HORSE):
        maneuver = table.table.effect(who, "maneuver")
        assert maneuver is not None
        assert maneuver.word == "move"


@both_ways
@pytest.mark.clause("GU-1020", "GU-580")
def test_somebody_faster_has_no_other_maneuver_beside_it(on_map: bool) -> None:
    fast = {"trait_values": {"altered_time_rate": 1}, "talents": ["altered_time_rate"]}
    table = riding(on_map, p=fast)

    table.play("move", "p", options=CONTROL, **way(on_map, 2))
    assert table.why_not("do_nothing", "p") == ["full_turn_maneuver"]

    table = riding(on_map, p=fast)
    table.play("evaluate", "p", "horse") if on_map else table.play("do_nothing", "p")
    assert table.why_not("move", "p", options=CONTROL, **way(on_map, 2)) == ["full_turn_maneuver"]


@both_ways
@pytest.mark.clause("GU-1020")
def test_the_rider_adds_no_movement_of_his_own(on_map: bool) -> None:
    table = riding(on_map)

    sprint = table.reasons("move", "p", options={**CONTROL, "sprint": True}, **way(on_map, 2))
    walk = table.reasons("move", "p", **way(on_map, 2))
    step = table.reasons("all_out_defense", "p", options={"option": "double_defense"}, **way(on_map, 1))

    assert [(one.code, one.clause, one.at) for one in sprint] == [("mount_moves_instead", "GU-1020", "/options/sprint")]
    for found in (walk, step):
        assert [(one.code, one.clause) for one in found] == [("mount_moves_instead", "GU-1020")]
    assert table.why_not("all_out_defense", "p", options={"option": "double_defense"}) == []


@pytest.mark.clause("GU-1020")
def test_nor_does_he_turn_or_retreat_on_its_back() -> None:
    table = riding(True, x={"at": (1, 0, 270)}, first="x")

    with pytest.raises(Refused) as refused:
        table.play("attack", "x", "p", weapon="axe", to_hit=(4, 3, 4), defend=("dodge", {"retreat": True}))
    assert [one.code for one in refused.value.reasons] == ["retreat_not_allowed"]

    table.until_turn_of("p")
    found = table.why_not("all_out_defense", "p", options={"option": "double_defense"}, facing=0)
    assert found == ["mount_moves_instead"]


# The mount's own slot


def order(table: PlayTable, slots: int) -> list[str | None]:
    """Whose slots come one after another."""
    found = [table.turn]
    for _ in range(slots - 1):
        table.end_turn()
        found.append(table.turn)
    return found


@both_ways
@pytest.mark.clause("GU-1020")
def test_the_mount_has_no_slot_of_its_own_while_it_is_controlled(on_map: bool) -> None:
    table = riding(on_map)
    table.play("move", "p", options=CONTROL, **way(on_map, 2))

    # The horse is passed over once; in the next round nobody controls it.
    assert order(table, 4) == ["p", "p", "horse", "p"]


@both_ways
@pytest.mark.clause("GU-1020")
def test_so_it_is_where_the_mount_comes_before_its_rider(on_map: bool) -> None:
    table = riding(on_map, first="horse")
    table.end_turn()
    table.play("move", "p", options=CONTROL, **way(on_map, 2))

    assert order(table, 3) == ["p", "p", "horse"]


@both_ways
@pytest.mark.clause("GU-1020")
def test_what_lasts_until_its_next_slot_ends_all_the_same(on_map: bool) -> None:
    table = riding(on_map)
    table.rule(cmd.AddEffect(HORSE, "stun_aftermath"))
    table.play("move", "p", options=CONTROL, **way(on_map, 2))

    done = table.end_turn()

    assert not table.has("horse", "stun_aftermath")
    assert [(one.combatant, one.clause) for one in done.of(ev.TurnEnded)] == [("p", "GU-090"), ("horse", "GU-1020")]


@both_ways
@pytest.mark.clause("GU-1020")
def test_in_a_turn_without_control_the_gm_moves_it_and_then_nobody_controls_it(on_map: bool) -> None:
    table = riding(on_map, first="horse")

    done = table.play("move", "horse", **way(on_map, 8))
    assert gone(done, "horse") == 8
    table.end_turn()

    assert apart(table, "p", "horse") == 0
    assert table.why_not("move", "p", options=CONTROL, **way(on_map, 1)) == ["not_controlling_mount"]


@both_ways
@pytest.mark.clause("GU-1020")
def test_a_mount_whose_rider_is_out_of_the_fight_has_its_slot_again(on_map: bool) -> None:
    table = riding(on_map, r={})
    table.play("move", "p", options=CONTROL, **way(on_map, 2))
    assert controller_of(table.table, HORSE) == "p"

    table.rule(cmd.AddEffect(P, "unconscious"))

    assert controller_of(table.table, HORSE) is None
    assert table.turn == "horse"


@pytest.mark.clause("GU-1020")
def test_what_is_carried_may_carry_others() -> None:
    table = riding(False, passengers="r", x={"side": "p"})
    table.rule(cmd.AddEffect(X, "mounted", against=R))

    assert carried_by(table.table, HORSE) == ("p", "r", "x")


# A walk that carries somebody


def test_those_who_are_carried_may_be_reacted_to_as_well() -> None:
    table = riding(True, passengers="r")
    scene = Scene(table.rules, table.state, {}, lambda ask: None)
    run = scene.space.run("horse", ((300, 0),))
    moments: list[Passing] = []

    def watched(moment: Passing) -> list[Any]:
        moments.append(moment)
        return []

    scene.cues = watched  # type: ignore[method-assign, assignment]
    go(scene, Walk(HORSE, run, ActionId("move"), ClauseId("GU-1020"), lambda: True, carries=(P, R)))  # type: ignore[arg-type]

    assert [(one.mover, one.run.actor) for one in moments] == [("horse", "horse"), ("p", "p"), ("r", "r")]


@pytest.mark.clause("GU-1020", "GU-1410")
def test_whoever_waits_for_the_rider_sees_him_come() -> None:
    table = riding(True, x={"at": (6, 0, 270)}, first="x")
    table.play(
        "wait",
        "x",
        "p",
        weapon="axe",
        options={"trigger": "comes_within", "distance": 1, "response": "attack"},
    )
    table.until_turn_of("p")

    done = table.play("move", "p", options=CONTROL, path=[(5, 0)], use_wait="act", to_hit=(6, 6, 4))

    assert done.one(ev.AttackMade).target == "p"
    assert [spot(table, who) for who in ("horse", "p")] == [(5, 0), (5, 0)]
