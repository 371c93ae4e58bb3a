"""Ways of moving, the sprint and its pattern, rest, things in hand, loading. Clauses MA-600 to MA-670."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, ItemId
from app.engine.reasons import Refused
from app.engine.space.model import Place
from app.engine.state import Item
from tests.rulesets.manewry_ap.fights import (
    ap,
    both_ways,
    duel,
    fight,
    held,
    place,
    pool,
    put,
    set_ap,
    set_pool,
    st,
    wall,
)
from tests.support.play import PlayTable

QUIET: dict[str, Any] = {"immediate_response": "none"}


def alone(on_map: bool, **borys: Any) -> PlayTable:
    """Borys with nobody near; Jagna is far away behind his line."""
    if on_map:
        return fight(borys={"at": (0, 0), **borys}, jagna={"at": (0, 90)})
    return fight(apart={"borys-jagna": 90}, sees={"borys-jagna": False}, borys=borys, jagna={})


def way(on_map: bool, units: float) -> dict[str, Any]:
    """A straight way so long."""
    return {"path": [(units, 0)]} if on_map else {"said": {"length": units}}


# In general


@both_ways
@pytest.mark.clause("MA-600")
def test_modes_may_follow_one_another_and_an_attack_between(on_map: bool) -> None:
    table = duel(on_map, 4, borys={}, jagna={})
    there = {"path": [(3, 0)]} if on_map else {"said": {"length": 3, "distance_after": {"jagna": 1}}}
    back = {"path": [(2, 0)]} if on_map else {"said": {"length": 1}}

    table.play("run", "borys", **there)
    table.play("melee_attack", "borys", "jagna", **QUIET, defend="none", to_hit=1)
    table.play("walk", "borys", **back)

    assert ap(table, "borys") == 1


@pytest.mark.clause("MA-600")
def test_diagonals_cost_one_unit() -> None:
    table = alone(True)

    table.play("run", "borys", path=[(2, 2), (4, 0)])

    assert (ap(table, "borys"), place(table, "borys")) == (6, (4, 0))


@both_ways
@pytest.mark.clause("MA-600")
@pytest.mark.parametrize(("units", "reasons"), [(2, []), (2.5, ["whole_units_only"]), (0.99, ["whole_units_only"])])
def test_whole_units_are_moved(on_map: bool, units: float, reasons: list[str]) -> None:
    assert alone(on_map).why_not("walk", "borys", **way(on_map, units)) == reasons


@pytest.mark.clause("MA-600")
@pytest.mark.parametrize(
    ("path", "reasons"),
    [
        ([(3, 0)], ["path_blocked"]),
        ([(2, 0)], ["path_blocked"]),
        ([(1, 0)], []),
        ([(1, 1), (2, 1), (3, 0)], []),
        ([(0, 3)], ["path_blocked"]),
    ],
)
def test_walls_and_those_on_their_feet_block_the_way(path: list[tuple[float, float]], reasons: list[str]) -> None:
    table = fight(walls=(wall((-1, 1.5), (1, 1.5)),), borys={"at": (0, 0)}, jagna={"at": (2, 0)})

    assert table.why_not("run", "borys", path=path) == reasons


@pytest.mark.clause("MA-600")
@pytest.mark.parametrize("state", ["knocked_down", "lying", "down"])
def test_who_is_on_the_ground_blocks_nobody(state: str) -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (2, 0)})
    if state == "down":
        set_pool(table, "jagna", "hp", 0)
    else:
        put(table, "jagna", state)

    assert table.why_not("run", "borys", path=[(3, 0)]) == []


@both_ways
@pytest.mark.clause("MA-600")
def test_passing_or_leaving_an_enemy_provokes_nothing(on_map: bool) -> None:
    table = duel(on_map, borys={}, jagna={})

    done = table.play("run", "borys", **({"path": [(0, 3)]} if on_map else {"said": {"length": 3}}))

    assert done.asked == ()


@pytest.mark.clause("MA-600")
@pytest.mark.parametrize(
    ("action", "path", "at", "left", "ends"),
    [
        ("run", [(6, 0)], (4, 0), 7, (3, 0)),
        ("walk", [(4, 0)], (1, 0), 10, (0, 0)),
        ("crawl", [(3, 0)], (3, 0), 4, (2, 0)),
        ("sprint", [(8, 0)], (5, 0), 7, (4, 0)),
        ("sprint", [(8, 0)], (4, 0), 8, (3, 0)),
    ],
)
def test_the_mover_stops_before_a_hidden_enemy_and_pays_for_what_he_moved(
    action: str, path: list[tuple[float, float]], at: tuple[int, int], left: int, ends: tuple[int, int]
) -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": at})
    put(table, "jagna", "hidden")
    assert table.why_not(action, "borys", path=path) == []

    table.play(action, "borys", path=path)

    assert (place(table, "borys"), ap(table, "borys")) == (ends, left)
    assert not table.has("jagna", "hidden")
    if action == "sprint":
        assert pool(table, "borys", "ep") == 46 - 5 * (ends[0] - 1)


@pytest.mark.clause("MA-600")
def test_even_one_whom_only_the_gm_saw_is_then_seen() -> None:
    table = fight(borys={"at": (0, 0)}, jagna={"at": (2, 0), "hidden": True})

    done = table.play("run", "borys", path=[(4, 0)])

    assert place(table, "borys") == (1, 0)
    assert not table.who("jagna").hidden
    assert [(event.body.id, event.clause) for event in done.of(ev.Appeared)] == [("jagna", "MA-600")]


@both_ways
@pytest.mark.clause("MA-600", "MA-830")
def test_a_way_must_be_named(on_map: bool) -> None:
    table = alone(on_map)

    assert table.why_not("run", "borys") == ["missing_input"]


# Sprint


@both_ways
@pytest.mark.clause("MA-610")
@pytest.mark.parametrize(
    ("units", "points", "stamina"),
    [(4, 3, 10), (5, 4, 10), (6, 4, 20), (7, 5, 20), (8, 5, 30), (9, 6, 30), (10, 6, 40), (11, 7, 40)],
)
def test_the_pattern_of_the_sprint(on_map: bool, units: int, points: int, stamina: int) -> None:
    table = alone(on_map)

    table.play("sprint", "borys", **way(on_map, units))

    assert (ap(table, "borys"), pool(table, "borys", "ep")) == (10 - points, 46 - stamina)


@both_ways
@pytest.mark.clause("MA-610")
@pytest.mark.parametrize(("units", "reasons"), [(3, ["sprint_too_short"]), (1, ["sprint_too_short"]), (4, [])])
def test_a_sprint_needs_four_units(on_map: bool, units: int, reasons: list[str]) -> None:
    assert alone(on_map).why_not("sprint", "borys", **way(on_map, units)) == reasons


@both_ways
@pytest.mark.clause("MA-610")
@pytest.mark.parametrize(("left", "reasons"), [(3, ["not_enough_ap"]), (4, [])])
def test_a_sprint_needs_its_points(on_map: bool, left: int, reasons: list[str]) -> None:
    assert set_ap(alone(on_map), borys=left).why_not("sprint", "borys", **way(on_map, 6)) == reasons


@both_ways
@pytest.mark.clause("MA-615")
@pytest.mark.parametrize(
    ("left", "units", "reasons"),
    [(20, 6, []), (19, 6, ["not_enough_ep"]), (19, 5, []), (10, 5, []), (9, 4, ["not_enough_ep"])],
)
def test_all_the_stamina_must_be_there_before_the_start(
    on_map: bool, left: int, units: int, reasons: list[str]
) -> None:
    table = set_pool(alone(on_map), "borys", "ep", left)

    assert table.why_not("sprint", "borys", **way(on_map, units)) == reasons
    if reasons:
        with pytest.raises(Refused):
            table.play("sprint", "borys", **way(on_map, units))
        assert (ap(table, "borys"), pool(table, "borys", "ep")) == (10, left)
    else:
        table.play("sprint", "borys", **way(on_map, units))
        assert pool(table, "borys", "ep") == left - {6: 20, 5: 10}[units]


# Run, walk, sneak, crawl


@both_ways
@pytest.mark.clause("MA-620", "MA-630", "MA-640", "MA-650")
@pytest.mark.parametrize(
    ("action", "points", "units", "reasons"),
    [
        ("run", 10, 10, []),
        ("run", 10, 11, ["not_enough_ap"]),
        ("walk", 10, 5, []),
        ("walk", 10, 6, ["not_enough_ap"]),
        ("walk", 9, 4, []),
        ("walk", 9, 5, ["not_enough_ap"]),
        ("sneak", 10, 5, []),
        ("sneak", 10, 6, ["not_enough_ap"]),
        ("crawl", 10, 3, []),
        ("crawl", 10, 4, ["not_enough_ap"]),
    ],
)
def test_what_each_way_costs(on_map: bool, action: str, points: int, units: int, reasons: list[str]) -> None:
    table = set_ap(alone(on_map), borys=points)

    assert table.why_not(action, "borys", **way(on_map, units)) == reasons
    if not reasons:
        answers = {"hide": 100} if on_map and action == "sneak" else {}
        table.play(action, "borys", **way(on_map, units), **answers)
        each = {"run": 1, "walk": 2, "sneak": 2, "crawl": 3}[action]
        assert ap(table, "borys") == points - each * units


@both_ways
@pytest.mark.clause("MA-620")
def test_the_fatigued_walk(on_map: bool) -> None:
    table = set_pool(alone(on_map), "borys", "fatigue", 1)

    assert table.why_not("run", "borys", **way(on_map, 2)) == ["fatigued_cannot_run"]
    assert table.why_not("sprint", "borys", **way(on_map, 4)) == ["fatigued_cannot_run"]
    assert table.why_not("walk", "borys", **way(on_map, 5)) == []


@both_ways
@pytest.mark.clause("MA-650")
def test_a_standing_character_may_crawl_at_once_and_lies_until_it_stands_up(on_map: bool) -> None:
    table = (
        fight(halina={"at": (0, 0)}, jagna={"at": (3, 0), "items": held(hand_crossbow="main", dagger="off")})
        if (on_map)
        else fight(
            apart={"halina-jagna": 1},
            sees={"jagna-halina": True},
            halina={},
            jagna={"items": held(hand_crossbow="main", dagger="off")},
        )
    )
    fields = {"path": [(2, 0)]} if on_map else {"said": {"length": 1, "distance_after": {"jagna": 1}}}
    table.play("crawl", "halina", **fields)
    assert table.has("halina", "lying")
    table.end_turn()
    said = {} if on_map else {"said": {"sees": {"halina": True}}}

    arrow = table.play("ranged_attack", "jagna", "halina", defend="dodge", to_hit=1, **said)
    blow = table.play("melee_attack", "jagna", "halina", weapon="dagger", defend="dodge", to_hit=1)

    assert (st(arrow), st(blow)) == (72, 67)
    table.until_turn_of("halina")
    table.play("stand_up", "halina")
    assert not table.has("halina", "lying")


# Rest


@both_ways
@pytest.mark.clause("MA-660", "MA-820")
def test_rest_takes_the_whole_pool_and_gives_stamina_and_a_marker_back(on_map: bool) -> None:
    table = set_pool(set_pool(alone(on_map), "borys", "ep", 6), "borys", "fatigue", 2)

    table.play("rest", "borys")

    assert (ap(table, "borys"), pool(table, "borys", "ep"), pool(table, "borys", "fatigue")) == (0, 26, 1)


@pytest.mark.clause("MA-660")
@pytest.mark.parametrize(("left", "reasons"), [(10, []), (9, ["full_ap_required"])])
def test_rest_needs_the_full_pool(left: int, reasons: list[str]) -> None:
    found = set_ap(alone(True), borys=left).reasons("rest", "borys")

    assert [one.code for one in found] == reasons
    assert [(one.need, one.got) for one in found] == [(10, left)] * len(reasons)


@pytest.mark.clause("MA-660")
@pytest.mark.parametrize(("left", "more", "after"), [(30, 20, 46), (0, 20, 20), (0, 3, 3)])
def test_stamina_stops_at_the_maximum_and_how_much_is_an_option(left: int, more: int, after: int) -> None:
    table = set_pool(fight(options={"rest_ep": more}, borys={}, jagna={}), "borys", "ep", left)

    table.play("rest", "borys")

    assert (pool(table, "borys", "ep"), pool(table, "borys", "fatigue")) == (after, 0)


# Things


@both_ways
@pytest.mark.clause("MA-670")
def test_putting_the_shield_away_frees_the_second_hand(on_map: bool) -> None:
    table = duel(on_map, borys={}, jagna={})
    assert table.why_not("two_handed_attack", "borys", "jagna") == ["no_free_hand"]

    table.play("ready_item", "borys", weapon="shield", options={"handling": "put_away"})
    table.play("two_handed_attack", "borys", "jagna", **QUIET, defend="none", to_hit=1)

    assert ap(table, "borys") == 3


@both_ways
@pytest.mark.clause("MA-670")
@pytest.mark.parametrize(
    ("items", "weapon", "fields", "reasons"),
    [
        ({"dagger": None}, "dagger", {}, []),
        ({"dagger": None, "bow": "both"}, "dagger", {}, ["no_free_hand"]),
        ({"dagger": None, "sword": "main"}, "dagger", {}, []),
        ({"bow": None, "sword": "main"}, "bow", {}, ["no_free_hand"]),
        ({"bow": None}, "bow", {}, []),
        ({"dagger": None, "sword": "main"}, "dagger", {"hand": "main"}, ["no_free_hand"]),
        ({"dagger": "main"}, "dagger", {"hand": "main"}, ["already_ready"]),
        ({"dagger": "main"}, "dagger", {"hand": "off"}, []),
        ({"dagger": None}, "dagger", {"handling": "put_away"}, ["item_not_ready"]),
        ({"dagger": None}, "dagger", {"handling": "let_go"}, ["item_not_ready"]),
        ({"dagger": None}, "sword", {}, ["item_not_carried"]),
        ({"dagger": None}, None, {}, ["missing_input"]),
    ],
)
def test_drawing_needs_a_hand(
    on_map: bool, items: dict[str, str | None], weapon: str | None, fields: dict[str, str], reasons: list[str]
) -> None:
    table = duel(on_map, borys={"items": held(**items)}, jagna={})

    assert table.why_not("ready_item", "borys", weapon=weapon, options={"handling": "draw", **fields}) == reasons


@both_ways
@pytest.mark.clause("MA-670")
def test_drawing_costs_two_and_letting_go_nothing(on_map: bool) -> None:
    table = set_ap(duel(on_map, borys={"items": held(sword="main", dagger=None)}, jagna={}), borys=2)

    table.play("ready_item", "borys", weapon="sword", options={"handling": "let_go"})
    assert (ap(table, "borys"), table.who("borys").items["sword"].on_ground) == (2, True)
    table.play("ready_item", "borys", weapon="dagger", options={"handling": "draw"})

    assert (ap(table, "borys"), table.who("borys").items["dagger"].held) == (0, "main")
    assert table.why_not("ready_item", "borys", weapon="dagger", options={"handling": "put_away"}) == ["not_enough_ap"]


@pytest.mark.clause("MA-670")
@pytest.mark.parametrize(("at", "reasons"), [((0, 0), []), ((1, 1), []), ((2, 0), ["item_out_of_reach"])])
def test_things_are_picked_up_from_the_own_or_the_next_square(at: tuple[int, int], reasons: list[str]) -> None:
    table = fight(borys={"at": (0, 0), "items": {}}, jagna={"at": (5, 0)})
    lies = Place(at[0] * 100, at[1] * 100)
    table.rule(cmd.SetItem(CombatantId("jagna"), ItemId("dagger"), Item("dagger", on_ground=True, lies=lies)))
    options = {"handling": "pick_up", "from": "jagna", "item": "dagger"}

    assert table.why_not("ready_item", "borys", options=options) == reasons
    if not reasons:
        table.play("ready_item", "borys", options=options)
        assert table.who("borys").items["dagger"].held == "main"
        assert "dagger" not in table.who("jagna").items


@pytest.mark.clause("MA-670")
@pytest.mark.parametrize(("far", "reasons"), [(None, ["missing_input"]), (1, []), (2, ["item_out_of_reach"])])
def test_without_a_map_how_far_it_lies_is_stated(far: int | None, reasons: list[str]) -> None:
    table = fight(borys={"items": {"sword": Item("sword", on_ground=True)}}, jagna={})
    options: dict[str, Any] = {"handling": "pick_up"}
    if far is not None:
        options["item_distance"] = far * 100

    assert table.why_not("ready_item", "borys", weapon="sword", options=options) == reasons


@pytest.mark.clause("MA-670")
def test_what_lies_in_the_hand_of_another_is_out_of_reach() -> None:
    table = duel(True, borys={"items": {}}, jagna={})
    options = {"handling": "pick_up", "from": "jagna", "item": "dagger"}

    assert table.why_not("ready_item", "borys", options=options) == ["item_out_of_reach"]


@both_ways
@pytest.mark.clause("MA-670")
def test_a_hand_crossbow_is_loaded_for_three_and_then_full(on_map: bool) -> None:
    items = {"hand_crossbow": Item("hand_crossbow", held="main", marks={"ammo": 0})}
    table = duel(on_map, jagna={"items": items}, borys={})

    table.play("reload", "jagna", weapon="hand_crossbow")

    assert (ap(table, "jagna"), table.who("jagna").items["hand_crossbow"].marks["ammo"]) == (7, 1)
    assert table.why_not("reload", "jagna", weapon="hand_crossbow") == ["nothing_to_reload"]


@both_ways
@pytest.mark.clause("MA-670")
@pytest.mark.parametrize(
    ("item", "reasons"),
    [
        (Item("bow", held="both", marks={"ammo": 3}), ["nothing_to_reload"]),
        (Item("sword", held="main"), ["nothing_to_reload"]),
        (Item("hand_crossbow", marks={"ammo": 0}), ["weapon_not_ready"]),
    ],
)
def test_what_is_not_loaded_has_nothing_to_reload(on_map: bool, item: Item, reasons: list[str]) -> None:
    table = duel(on_map, jagna={"items": {"it": item}}, borys={})

    assert table.why_not("reload", "jagna", weapon="it") == reasons


@pytest.mark.clause("MA-670")
def test_reloading_needs_its_points() -> None:
    items = {"hand_crossbow": Item("hand_crossbow", held="main", marks={"ammo": 0})}
    table = set_ap(duel(True, jagna={"items": items}, borys={}), jagna=2)

    found = table.reasons("reload", "jagna", weapon="hand_crossbow")

    assert [(one.code, one.need, one.got) for one in found] == [("not_enough_ap", 3, 2)]
