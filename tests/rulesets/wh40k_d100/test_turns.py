"""Rounds, budgets, reactions, types of action, durations, movement and preparing. Clauses WH-010 to WH-095."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.space.model import Grid, Ground
from app.engine.state import Item
from rulesets.wh40k_d100.view import field_of_view
from tests.rulesets.wh40k_d100.fights import (
    armed,
    begin,
    both_ways,
    fight,
    held,
    places,
    pool,
    set_up,
    two,
    wall,
    wounds,
)
from tests.support.play import PlayTable


def go(on_map: bool, x: float, y: float = 0, *, start: tuple[float, float] = (0, 0), **said: Any) -> dict[str, Any]:
    """One straight way, drawn or stated."""
    if on_map:
        return {"path": [(x, y)]}
    far = ((x - start[0]) ** 2 + (y - start[1]) ** 2) ** 0.5
    return {"said": {"length": far, **said}}


# WH-010


@pytest.mark.clause("WH-010")
def test_the_order_is_die_and_agility_bonus_then_agility_then_who_came_first() -> None:
    table = set_up(a={"ag": 36}, b={"ag": 52}, c={"ag": 30}, d={"ag": 52})

    table.command(cmd.Start(), a__initiative=6, b__initiative=4, c__initiative=7, d__initiative=4)

    assert [body.id for body in table.table.in_order()] == ["c", "b", "d", "a"]
    assert table.turn == "c"
    assert [table.who(name).standing[0] for name in "abcd"] == [9, 9, 10, 9]


@pytest.mark.clause("WH-010")
def test_a_round_ends_when_all_have_had_a_turn_and_nobody_acts_out_of_turn() -> None:
    table = fight(varro={}, grash={})

    assert table.why_not("aim", "grash") == ["not_your_turn"]
    table.end_turn()
    assert (table.turn, table.state.clock.round) == ("grash", 1)
    table.end_turn()
    assert (table.turn, table.state.clock.round) == ("varro", 2)


@pytest.mark.clause("WH-010")
def test_the_initiative_die_is_the_tables_choice() -> None:
    table = set_up(a={"ag": 36})
    table.command(cmd.Setup(options={"initiative": "2d6+1"}))

    table.command(cmd.Start(), a__initiative=(5, 6))

    assert table.who("a").standing[0] == 15


@pytest.mark.clause("WH-010", "WH-030")
def test_a_newcomer_rolls_and_has_his_reaction() -> None:
    table = fight(varro={}, grash={})
    late = fight(lyse={}).who("lyse")

    table.command(cmd.Join((late,)), initiative=10)

    assert table.who("lyse").standing[:2] == (15, 52)
    assert table.who("lyse").budget["reaction"] == 1


# WH-020 to WH-040


@pytest.mark.clause("WH-020", "WH-200")
def test_a_turn_holds_two_half_actions_or_one_full_one() -> None:
    table = fight(apart=1, varro={}, grash={"engaged": ()})

    table.play("attack", "varro", "grash", weapon="chainsword", to_hit=99)

    assert table.who("varro").budget["half_action"] == 1
    assert table.why_not("full_move", "varro", said={"length": 1, "leaves": ()}) == ["insufficient_actions"]
    need = table.reasons("full_move", "varro", said={"length": 1, "leaves": ()})[0]
    assert (need.clause, need.need, need.got) == ("WH-020", 2, 1)
    table.play("aim", "varro")
    assert table.why_not("aim", "varro") == ["insufficient_actions"]
    assert table.why_not("drop_prone", "varro") == []


@pytest.mark.clause("WH-020")
@pytest.mark.parametrize(("halves", "left"), [(2, 1), (3, 2)])
def test_the_number_of_half_actions_is_the_tables_choice(halves: int, left: int) -> None:
    table = fight(varro={}, options={"half_actions_per_turn": halves})

    table.play("aim", "varro")

    assert table.who("varro").budget["half_action"] == left


@pytest.mark.clause("WH-030")
def test_one_reaction_until_ones_own_turn_begins_again() -> None:
    table = fight(apart=1, a={"sample": "varro"}, b={"sample": "grash"}, c={"sample": "lyse"})
    first = table.play("attack", "a", "b", weapon="chainsword", to_hit=40, defend="dodge", dodge=20)
    assert table.who("b").budget["reaction"] == 0
    assert first.one(ev.DefenceResolved).negated == (1,)
    table.until_turn_of("c")

    # B's turn has come in between: the reaction is back.
    assert table.who("b").budget["reaction"] == 1


@pytest.mark.clause("WH-030")
def test_without_a_reaction_nobody_is_asked() -> None:
    table = fight(apart=1, a={"sample": "varro"}, c={"sample": "lyse"}, b={"sample": "grash"})
    table.play("attack", "a", "b", weapon="chainsword", to_hit=40, defend="dodge", dodge=99, damage=5)
    table.end_turn()

    done = table.play("attack", "c", "b", weapon="sword", to_hit=40, damage=5)

    assert not done.questions("defend")
    assert table.why_not("dodge", "b") == ["no_reaction_left", "nothing_to_evade"]
    table.end_turn()
    assert table.turn == "b"
    assert table.who("b").budget["reaction"] == 1


@pytest.mark.clause("WH-030", "WH-940")
def test_the_stunned_have_no_reaction_to_use() -> None:
    table = fight(apart=1, varro={}, grash={})
    begin(table, "grash", "stunned", 1)

    done = table.play("attack", "varro", "grash", weapon="chainsword", to_hit=40, damage=5)

    assert not done.questions("defend")
    assert table.why_not("dodge", "grash") == ["stunned", "nothing_to_evade"]


@pytest.mark.clause("WH-030")
def test_the_number_of_reactions_is_the_tables_choice() -> None:
    table = fight(
        apart=1, a={"sample": "varro"}, c={"sample": "lyse"}, b={"sample": "grash"}, options={"reactions_per_round": 0}
    )
    table.until_turn_of("b")
    table.until_turn_of("a")

    done = table.play("attack", "a", "b", weapon="chainsword", to_hit=40, damage=5)

    assert not done.questions("defend")


@pytest.mark.clause("WH-040")
def test_one_attack_a_turn() -> None:
    table = fight(apart=1, varro={}, grash={})
    table.play("attack", "varro", "grash", weapon="chainsword", to_hit=99)

    assert table.why_not("attack", "varro", "grash", weapon="chainsword") == ["attack_limit"]
    assert table.who("varro").budget["half_action"] == 1


@pytest.mark.clause("WH-040")
def test_a_table_may_allow_more_attacks() -> None:
    table = fight(apart=1, varro={}, grash={}, options={"attack_actions_per_turn": 2})
    table.play("attack", "varro", "grash", weapon="chainsword", to_hit=99)

    assert table.why_not("attack", "varro", "grash", weapon="chainsword") == []


# WH-050


@pytest.mark.clause("WH-050")
def test_an_attack_has_the_types_of_what_it_is_made_with() -> None:
    table = fight(apart=1, varro={}, grash={})
    done = table.play("attack", "varro", "grash", weapon="chainsword", to_hit=99)
    assert done.one(ev.ActionTaken).tags == ("attack", "melee", "physical")

    table = fight(apart=10, varro={}, grash={})
    done = table.play("attack", "varro", "grash", weapon="laspistol", to_hit=99)
    assert done.one(ev.ActionTaken).tags == ("attack", "physical", "ranged")


@pytest.mark.clause("WH-050", "WH-310")
def test_frenzy_forbids_what_is_mental() -> None:
    table = fight(apart=1, varro={}, grash={})
    begin(table, "varro", "frenzied")
    calling = {"weapon": "chainsword", "options": {"called": "head"}}

    assert table.why_not("attack", "varro", "grash", weapon="chainsword") == []
    found = table.reasons("attack", "varro", "grash", **calling)
    assert [(one.code, one.names) for one in found] == [("action_type_forbidden", ("mental", "frenzied"))]
    assert table.why_not("aim", "varro") == ["action_type_forbidden"]
    with pytest.raises(Refused):
        table.play("attack", "varro", "grash", **calling)
    assert table.who("varro").budget["half_action"] == 2


@pytest.mark.clause("WH-050", "WH-940")
@pytest.mark.parametrize("condition", ["stunned", "unconscious"])
def test_the_stunned_and_unconscious_can_only_end_their_turn(condition: str) -> None:
    table = fight(apart=1, varro={}, grash={})
    begin(table, "varro", condition, 1)

    reasons = table.reasons("drop_prone", "varro")

    assert [one.names for one in reasons if one.code == "action_type_forbidden"] == [(condition,)]


@pytest.mark.clause("WH-050")
def test_the_dead_do_nothing() -> None:
    table = fight(apart=1, varro={}, grash={}, lyse={})
    table.rule(cmd.SetStatus(CombatantId("varro"), "dead"))

    assert "action_type_forbidden" in table.why_not("aim", "varro")


# WH-060


@pytest.mark.clause("WH-060")
def test_a_round_ends_with_the_next_own_turn_that_starts() -> None:
    table = fight(varro={}, grash={})
    begin(table, "grash", "stunned", 1)
    table.end_turn()

    assert table.turn == "grash"
    assert table.why_not("aim", "grash") == ["action_type_forbidden"]
    table.end_turn()
    assert not table.has("grash", "stunned")


@pytest.mark.clause("WH-060")
def test_stunned_in_ones_own_turn_the_rest_of_it_and_the_next_are_lost() -> None:
    table = fight(varro={}, grash={})
    begin(table, "varro", "stunned", 1)

    assert table.why_not("aim", "varro") == ["action_type_forbidden"]
    table.end_turn()
    assert table.has("varro", "stunned")
    table.until_turn_of("varro")
    assert table.has("varro", "stunned")
    table.end_turn()
    assert not table.has("varro", "stunned")


@pytest.mark.clause("WH-060")
def test_a_table_may_end_rounds_when_the_turn_starts() -> None:
    table = fight(varro={}, grash={}, options={"round_ends": "turn_start"})
    begin(table, "grash", "stunned", 1)
    table.end_turn()

    assert not table.has("grash", "stunned")


@pytest.mark.clause("WH-060", "WH-080", "WH-440")
@both_ways
def test_who_runs_counts_as_running_until_his_next_turn_starts(on_map: bool) -> None:
    table = two(on_map, 50, varro={"ag": 36}, grash={})
    table.play("run", "varro", **go(on_map, 0, 18))

    assert table.has("varro", "running")
    table.end_turn()
    assert table.has("varro", "running")
    table.end_turn()
    assert not table.has("varro", "running")


# WH-080


@pytest.mark.clause("WH-080")
@both_ways
@pytest.mark.parametrize(
    ("action", "far", "reasons"),
    [
        ("move", 3, []),
        ("move", 3.01, ["move_too_far"]),
        ("move", 3.5, ["move_too_far"]),
        ("full_move", 6, []),
        ("full_move", 6.01, ["move_too_far"]),
        ("run", 18, []),
        ("run", 18.01, ["move_too_far"]),
    ],
)
def test_how_far_one_gets(on_map: bool, action: str, far: float, reasons: list[str]) -> None:
    table = two(on_map, 50, varro={"ag": 36}, grash={})

    assert table.why_not(action, "varro", **go(on_map, 0, far)) == reasons


@pytest.mark.clause("WH-080")
@pytest.mark.parametrize(("action", "far"), [("move", 0.5), ("full_move", 1), ("run", 3)])
def test_with_an_agility_bonus_of_0_half_a_metre_stands_for_it(action: str, far: float) -> None:
    table = fight(varro={"ag": 9})

    assert table.why_not(action, "varro", said={"length": far}) == []
    assert table.why_not(action, "varro", said={"length": far + 0.01}) == ["move_too_far"]


@pytest.mark.clause("WH-080")
@both_ways
def test_on_the_ground_one_stands_up_or_crawls(on_map: bool) -> None:
    table = two(on_map, 50, varro={"ag": 36}, grash={})
    table.play("drop_prone", "varro")

    assert table.why_not("move", "varro", **go(on_map, 0, 1)) == ["must_stand"]
    assert table.why_not("run", "varro", **go(on_map, 0, 1)) == ["must_stand"]
    assert table.why_not("full_move", "varro", **go(on_map, 0, 1.5)) == []
    assert table.why_not("full_move", "varro", **go(on_map, 0, 1.51)) == ["move_too_far"]


@pytest.mark.clause("WH-080", "WH-170", "WH-920")
def test_a_disabled_leg_halves_the_way_and_a_grid_takes_whole_cells() -> None:
    table = two(True, 50, varro={"ag": 36}, grash={})
    begin(table, "varro", "leg_disabled", 2)
    assert table.why_not("move", "varro", path=[(0, 1.5)]) == []
    assert table.why_not("move", "varro", path=[(0, 1.51)]) == ["move_too_far"]

    table = fight(ground=Ground(Grid("square", 100)), varro={"ag": 36, "at": (0, 0, 0)}, grash={"at": (30, 0, 0)})
    begin(table, "varro", "leg_disabled", 2)
    assert table.why_not("move", "varro", path=[(0, 1)]) == []
    assert table.why_not("move", "varro", path=[(0, 2)]) == ["move_too_far"]


@pytest.mark.clause("WH-080")
def test_walls_foes_and_taken_places_block_the_way() -> None:
    table = fight(
        ground=Ground(walls=(wall(-5, 2, 5, 2),)),
        varro={"at": (0, 0, 0), "side": "us"},
        lyse={"at": (1, 0, 0), "side": "us"},
        grash={"at": (0, -4, 180)},
    )

    assert table.why_not("move", "varro", path=[(0, 3)]) == ["path_blocked"]
    assert table.why_not("full_move", "varro", path=[(0, -6)]) == ["path_blocked"]
    assert table.why_not("full_move", "varro", path=[(2, 0)]) == []
    assert table.why_not("full_move", "varro", path=[(1, 0)]) == ["path_blocked"]


@pytest.mark.clause("WH-080")
def test_a_foe_whom_one_cannot_know_of_stops_one_before_him() -> None:
    table = fight(varro={"at": (0, 0, 90)}, grash={"at": (2, 0, 270), "hidden": True})

    assert table.why_not("move", "varro", path=[(3, 0)]) == []
    done = table.play("move", "varro", path=[(3, 0)])

    assert done.one(ev.ActionStopped).why == "path_blocked"
    place = table.who("varro").place
    assert place is not None
    assert 100 <= place.x < 200


@pytest.mark.clause("WH-080", "WH-085", "WH-090")
@both_ways
@pytest.mark.parametrize("action", ["move", "full_move", "run"])
def test_out_of_melee_only_by_disengaging(on_map: bool, action: str) -> None:
    table = two(
        on_map,
        1,
        varro={"engaged": () if on_map else (CombatantId("grash"),)},
        grash={"engaged": () if on_map else (CombatantId("varro"),)},
    )

    assert table.why_not(action, "varro", **go(on_map, -2.5)) == ["engaged_must_disengage"]
    assert table.why_not("disengage", "varro", **go(on_map, -3)) == []
    assert table.why_not("disengage", "varro", **go(on_map, -4)) == ["move_too_far"]
    done = table.play("disengage", "varro", **go(on_map, -3))
    assert done.of(ev.EngagementEnded) or on_map
    assert table.why_not("disengage", "varro", **go(on_map, -3)) != []
    table.until_turn_of("grash")
    table.until_turn_of("varro")
    assert "not_engaged" in table.why_not("disengage", "varro", **go(on_map, -4))


@pytest.mark.clause("WH-080")
def test_within_melee_one_may_go_about() -> None:
    table = two(True, 1, varro={}, grash={})
    assert table.why_not("move", "varro", path=[(0, 1)]) == []

    table = two(False, 1, varro={"engaged": (CombatantId("grash"),)}, grash={"engaged": (CombatantId("varro"),)})
    assert table.why_not("move", "varro", said={"length": 1, "leaves": ()}) == []


# WH-085


@pytest.mark.clause("WH-085")
def test_reloading_takes_the_weapons_time_and_fills_the_clip() -> None:
    table = fight(apart=20, varro={"items": held("laspistol", ammo=3)}, grash={})
    table.play("reload", "varro")

    assert table.who("varro").items["laspistol"].marks["ammo"] == 30
    assert table.who("varro").budget["half_action"] == 1
    table.play("attack", "varro", "grash", to_hit=99)

    table = fight(apart=20, varro={"items": held("lasgun", "both", ammo=3)}, grash={})
    table.play("reload", "varro")
    assert table.who("varro").items["lasgun"].marks["ammo"] == 60
    assert table.who("varro").budget["half_action"] == 0


@pytest.mark.clause("WH-085")
def test_what_cannot_be_reloaded() -> None:
    table = fight(apart=20, varro={"items": {**held("laspistol"), **held("frag_grenade", "off")}}, grash={})

    assert table.why_not("reload", "varro", weapon="laspistol") == ["magazine_full"]
    assert table.why_not("reload", "varro", weapon="frag_grenade") == ["not_reloadable"]
    assert table.why_not("reload", "varro", weapon="laspistol", type="full") == ["wrong_action_type"]


@pytest.mark.clause("WH-085")
def test_a_half_action_draws_puts_away_or_picks_up_and_letting_go_is_free() -> None:
    table = fight(varro={"items": {**armed(chainsword="main", lasgun="", laspistol="")}})

    assert table.why_not("ready", "varro", weapon="lasgun") == ["no_free_hand"]
    table.play("ready", "varro", weapon="laspistol")
    assert table.who("varro").items["laspistol"].held == "off"
    table.play("drop_item", "varro", weapon="laspistol")
    assert table.who("varro").items["laspistol"].on_ground
    assert table.who("varro").budget["half_action"] == 1
    table.play("ready", "varro", weapon="chainsword", options={"hand": "stowed"})
    assert table.who("varro").items["chainsword"].held is None
    table.end_turn()
    table.play("ready", "varro", weapon="laspistol", options={"hand": "main"})
    assert table.who("varro").items["laspistol"] == Item("laspistol", held="main", marks={"ammo": 30})
    table.play("ready", "varro", weapon="laspistol", options={"hand": "stowed"})
    table.end_turn()
    table.play("ready", "varro", weapon="lasgun")
    assert table.who("varro").items["lasgun"].held == "both"
    assert table.why_not("ready", "varro", weapon="laspistol", options={"hand": "stowed"}) == ["weapon_not_ready"]


@pytest.mark.clause("WH-085")
def test_what_lies_out_of_reach_is_not_picked_up() -> None:
    table = fight(varro={"at": (0, 0, 0), "ag": 36}, grash={"at": (30, 0, 0)})
    table.play("drop_item", "varro", weapon="chainsword")
    table.play("move", "varro", path=[(2, 0)])
    assert table.why_not("ready", "varro", weapon="chainsword") == []
    table.end_turn()
    table.end_turn()
    table.play("move", "varro", path=[(2.5, 0)])

    assert table.why_not("ready", "varro", weapon="chainsword") == ["item_not_carried"]


@pytest.mark.clause("WH-085")
def test_lying_down_is_free_and_standing_up_a_half_action() -> None:
    table = fight(varro={})
    assert table.why_not("stand_up", "varro") == ["not_prone"]
    table.play("drop_prone", "varro")

    assert table.who("varro").budget["half_action"] == 2
    assert table.why_not("drop_prone", "varro") == ["already_prone"]
    table.play("stand_up", "varro")
    assert not table.has("varro", "prone")
    assert table.who("varro").budget["half_action"] == 1


# WH-090


def engaged_at(apart: float, **people: Any) -> bool:
    """Whether the first two are engaged so far apart on a map, by what the shooting of a lasgun says."""
    table = two(True, apart, **people)
    return "weapon_not_usable_in_melee" in table.why_not("attack", next(iter(people)), list(people)[1])


@pytest.mark.clause("WH-090")
@pytest.mark.parametrize(
    ("weapon", "apart", "engaged"),
    [("sword", 2, True), ("sword", 2.01, False), ("spear", 3, True), ("spear", 3.01, False)],
)
def test_on_a_map_reach_decides_who_is_engaged(weapon: str, apart: float, engaged: bool) -> None:
    hand = "both" if weapon == "spear" else "main"
    assert engaged_at(apart, v={"items": held("lasgun", "both")}, g={"items": held(weapon, hand)}) is engaged


@pytest.mark.clause("WH-090")
def test_without_a_melee_weapon_on_either_side_only_those_who_have_fought_are_engaged() -> None:
    table = two(True, 1, v={"items": held("lasgun", "both")}, g={"items": {}})
    assert table.why_not("attack", "v", "g", weapon="lasgun") == []
    table.end_turn()
    table.play("attack", "g", "v", to_hit=99)
    table.end_turn()

    assert table.why_not("attack", "v", "g", weapon="lasgun") == ["weapon_not_usable_in_melee"]
    assert table.who("v").engaged == ("g",)


@pytest.mark.clause("WH-090")
def test_without_a_map_a_melee_attack_engages_and_a_death_frees() -> None:
    table = fight(
        a={"sample": "varro"}, c={"sample": "lyse", "side": "a", "items": held("sword")}, b={"sample": "trooper"}
    )
    done = table.play("attack", "a", "b", weapon="chainsword", to_hit=99)
    assert done.one(ev.EngagementBegan).other == "b"
    table.end_turn()
    pool(table, "b", "wounds", 1)

    done = table.play("attack", "c", "b", to_hit=10, defend="none", damage=9)

    assert table.who("b").status == "dead"
    assert table.who("a").engaged == ()


@pytest.mark.clause("WH-090")
def test_on_a_map_events_tell_who_is_engaged_now() -> None:
    table = fight(varro={"at": (0, 0, 90), "ag": 36}, grash={"at": (4, 0, 270)})

    done = table.play("move", "varro", path=[(2.5, 0)])

    assert done.one(ev.EngagementBegan).other == "grash"
    table.end_turn()
    table.play("disengage", "grash", path=[(6, 0)])
    assert table.who("varro").engaged == ()


# WH-095


@pytest.mark.clause("WH-095", "WH-510")
def test_without_a_map_a_shot_needs_a_band_and_a_movement_metres() -> None:
    table = fight(varro={"items": held("lasgun", "both")}, grash={})

    reason = table.reasons("attack", "varro", "grash")[0]
    assert (reason.code, reason.clause, reason.names) == ("missing_input", "WH-095", ("range_band",))
    assert table.why_not("move", "varro") == ["missing_input"]
    done = table.play("attack", "varro", "grash", said={"bands": {"grash": "short"}}, to_hit=99)
    assert done.check.target == 45 + 10


@pytest.mark.clause("WH-095")
@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({}, 0),
        ({"stated_light": "weak_light"}, -10),
        ({"stated_light": "darkness"}, -30),
        ({"stated_smoke": True}, -20),
        ({"stated_terrain": "difficult"}, 0),
    ],
)
def test_light_and_smoke_may_be_stated_for_the_encounter(options: dict[str, Any], value: int) -> None:
    table = fight(apart=50, varro={"items": held("lasgun", "both")}, grash={}, options=options)

    assert table.play("attack", "varro", "grash", to_hit=99).check.target == 45 + value


@pytest.mark.clause("WH-095")
@pytest.mark.parametrize(("terrain", "value"), [("easy", 0), ("difficult", -10), ("very_difficult", -20)])
def test_ground_may_be_stated_for_the_encounter(terrain: str, value: int) -> None:
    table = fight(apart=1, varro={}, grash={"items": held("sword")}, options={"stated_terrain": terrain})

    assert table.play("attack", "varro", "grash", weapon="chainsword", to_hit=99).check.target == 42 + value


def test_helpers_of_the_fights() -> None:
    table: PlayTable = fight(apart=1, varro={}, grash={})
    done = table.play("attack", "varro", "grash", weapon="chainsword", to_hit=31, defend="none", damage=9)

    assert places(done) == ["right_arm"]
    assert wounds(table, "grash") == 20 - (9 + 2 + 3 - 0 - 5)


@pytest.mark.clause("WH-060")
@pytest.mark.parametrize("kind", ["stunned", "blinded", "suppressed", "hidden"])
def test_rounds_that_the_gm_gives_count_turns_that_start_afterwards(kind: str) -> None:
    table = fight(varro={}, grash={})
    begin(table, "varro", kind, 1)

    table.end_turn(**({"shake_off": 99} if kind == "suppressed" else {}))
    assert table.has("varro", kind), "the turn in which it came does not count"
    table.end_turn()
    assert table.has("varro", kind)
    table.end_turn(**({"shake_off": 99} if kind == "suppressed" else {}))
    assert not table.has("varro", kind)


@pytest.mark.clause("WH-550", "WH-940")
def test_what_the_gm_says_of_a_condition_counts() -> None:
    table = fight(varro={"at": (0, 0, 0)}, grash={"at": (0, 10, 0), "items": held("sword")})
    begin(table, "varro", "wider_view", 150)
    assert field_of_view(table.table, CombatantId("varro")) == 360
    begin(table, "varro", "arm_disabled", 2)

    assert table.why_not("attack", "varro", "grash", weapon="laspistol") == ["weapon_not_ready"]
    assert "weapon_not_ready" not in table.why_not("attack", "varro", "grash", weapon="chainsword")
