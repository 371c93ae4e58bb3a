"""Ready: drawing, picking up, loading, recovering, reach, tasks, traits. Clauses GU-1300 to GU-1360."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId, ItemId
from app.engine.space.model import Place
from app.engine.state import Item
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable, length

NEAR: dict[str, Any] = {"apart": {"sx": 1}}
HERE, THERE = {"at": (0, 0, 90)}, {"at": (1, 0, 270)}
RIFLE_AND_PISTOL = {"assault_rifle": Item("assault_rifle", held="both"), "auto_pistol": Item("auto_pistol")}


def lying(kind: str, at: tuple[float, float] | None = None) -> Item:
    """Something on the ground, on a map at that place."""
    lies = None if at is None else Place(length(at[0]), length(at[1]))
    return Item(kind, on_ground=True, lies=lies)


def held(table: PlayTable, who: str) -> dict[str, str | None]:
    """What somebody holds, by hand."""
    return {key: item.held for key, item in table.who(who).items.items() if item.held}


def ready(option: str, **more: Any) -> dict[str, Any]:
    """Options of a Ready."""
    return {"options": {"option": option, **more}}


# Drawing and picking up


@pytest.mark.clause("GU-1300")
@pytest.mark.parametrize("where", [{}, HERE])
def test_what_is_drawn_in_one_second_shoots_in_the_next(where: dict[str, Any]) -> None:
    foe = {"at": (7, 0, 270)} if where else {}
    table = fight(r={"items": {"auto_pistol": Item("auto_pistol")}, **where}, x=foe, apart=None if where else {"rx": 7})

    assert table.why_not("attack", "r", "x", weapon="auto_pistol") == ["weapon_not_ready"]
    drawn = table.play("ready", "r", weapon="auto_pistol", **ready("draw"))
    table.until_turn_of("x")
    table.until_turn_of("r")
    shot = table.play("attack", "r", "x", weapon="auto_pistol", to_hit=(6, 6, 4))

    assert (drawn.one(ev.ItemMoved).held, drawn.one(ev.ItemMoved).clause) == ("main", "GU-1300")
    assert shot.check.target == 14 - 3


@pytest.mark.clause("GU-1300", "GU-1380")
@pytest.mark.parametrize(
    ("items", "weapon", "reasons"),
    [
        ({"auto_pistol": Item("auto_pistol", held="main"), "large_knife": Item("large_knife")}, "large_knife", []),
        (RIFLE_AND_PISTOL, "auto_pistol", ["no_free_hand"]),
        ({"assault_rifle": Item("assault_rifle"), "auto_pistol": Item("auto_pistol")}, "assault_rifle", []),
        (
            {"assault_rifle": Item("assault_rifle"), "auto_pistol": Item("auto_pistol", held="off")},
            "assault_rifle",
            ["no_free_hand"],
        ),
        ({"auto_pistol": Item("auto_pistol", held="main")}, "auto_pistol", ["already_ready"]),
        ({"auto_pistol": lying("auto_pistol")}, "auto_pistol", ["item_not_carried"]),
        ({"auto_pistol": Item("auto_pistol", held="main", marks={"broken": 1})}, "auto_pistol", ["weapon_not_ready"]),
        ({}, "auto_pistol", ["item_not_carried"]),
        ({}, None, ["missing_input"]),
    ],
)
def test_drawing_takes_a_free_hand_and_two_for_a_two_handed_weapon(
    items: dict[str, Item], weapon: str | None, reasons: list[str]
) -> None:
    table = fight(r={"items": items}, x={}, apart={"rx": 5})

    assert table.why_not("ready", "r", weapon=weapon, **ready("draw")) == reasons


@pytest.mark.clause("GU-1300")
def test_every_refusal_of_drawing_cites_its_clause() -> None:
    table = fight(r={}, x={}, apart={"rx": 5})

    refused = table.reasons("ready", "r", weapon="auto_pistol", **ready("draw"))

    assert [(one.code, one.clause, one.need, one.got) for one in refused] == [("no_free_hand", "GU-1300", 1, 0)]


@pytest.mark.clause("GU-1300")
@pytest.mark.parametrize(
    ("at", "reasons"),
    [((0, 0), []), ((1, 0), []), ((1.49, 0), []), ((1.5, 0), ["item_out_of_reach"]), ((2, 0), ["item_out_of_reach"])],
)
def test_what_lies_within_a_yard_can_be_picked_up_on_a_map(at: tuple[float, float], reasons: list[str]) -> None:
    table = fight(x={"items": {"axe": lying("axe", at)}, **HERE}, s=THERE)

    assert table.why_not("ready", "x", weapon="axe", **ready("pick_up")) == reasons


@pytest.mark.clause("GU-1300", "GU-1360")
def test_a_step_brings_him_to_what_lies_too_far_off() -> None:
    table = fight(x={"items": {"axe": lying("axe", (0, 2))}, **HERE}, s=THERE)

    done = table.play("ready", "x", weapon="axe", path=[(0, 1)], **ready("pick_up"))

    assert done.one(ev.Moved).distance == length(1)
    assert held(table, "x") == {"axe": "main"}
    assert (table.who("x").items["axe"].lies, table.who("x").items["axe"].on_ground) == (None, False)


@pytest.mark.clause("GU-1300")
@pytest.mark.parametrize(
    ("marks", "stated", "reasons"),
    [
        ({}, None, []),
        ({"away": 100}, None, []),
        ({"away": 200}, None, ["item_out_of_reach"]),
        ({"away": 200}, 1, []),
        ({}, 1, []),
        ({}, 2, ["item_out_of_reach"]),
    ],
)
def test_without_a_map_it_lies_as_far_off_as_is_known_or_stated(
    marks: dict[str, int], stated: float | None, reasons: list[str]
) -> None:
    table = fight(x={"items": {"axe": Item("axe", on_ground=True, marks=marks)}}, s={}, apart={"sx": 1})
    said = {} if stated is None else {"item_distance": length(stated)}

    assert table.why_not("ready", "x", weapon="axe", **ready("pick_up", **said)) == reasons


@pytest.mark.clause("GU-1300", "GU-2600")
def test_a_weapon_dropped_by_a_fumble_is_picked_up_in_the_next_slot() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})

    table.play("attack", "x", "s", weapon="axe", to_hit=(6, 6, 6), critical_miss=(3, 4, 3))
    assert held(table, "x") == {}
    table.end_turn()
    table.end_turn()
    table.play("ready", "x", weapon="axe", **ready("pick_up"))

    assert held(table, "x") == {"axe": "main"}


@pytest.mark.clause("GU-1300")
def test_without_a_map_he_leaves_behind_what_he_has_dropped() -> None:
    table = fight(x={}, s={}, apart={"sx": 9})

    table.play("drop_item", "x", weapon="axe")
    table.play("move", "x", options={"toward": "s"}, said={"length": 2})
    table.end_turn()
    table.end_turn()

    assert table.why_not("ready", "x", weapon="axe", **ready("pick_up")) == ["item_out_of_reach"]
    assert table.why_not("ready", "x", weapon="axe", **ready("pick_up", item_distance=0)) == []


@pytest.mark.clause("GU-1300")
@pytest.mark.parametrize("on_map", [False, True])
def test_a_thrown_knife_lies_where_the_target_stood(on_map: bool) -> None:
    knife = {"items": {"large_knife": Item("large_knife", held="main")}}
    table = fight(
        r={**knife, **(HERE if on_map else {})},
        x={"at": (5, 0, 270)} if on_map else {},
        apart=None if on_map else {"rx": 5},
    )

    table.play("attack", "r", "x", weapon="large_knife", options={"form": "throw"}, to_hit=(6, 6, 4))
    table.until_turn_of("x")

    assert held(table, "r") == {}
    assert table.why_not("ready", "x", **ready("pick_up", **{"from": "r", "item": "large_knife"})) == (
        [] if on_map else ["missing_input"]
    )
    table.until_turn_of("r")
    assert table.why_not("ready", "r", weapon="large_knife", **ready("pick_up")) == ["item_out_of_reach"]


@pytest.mark.clause("GU-1300")
@pytest.mark.parametrize("on_map", [False, True])
def test_what_another_has_dropped_is_his_who_picks_it_up(on_map: bool) -> None:
    axe = lying("axe", (1, 0) if on_map else None)
    table = fight(
        s={"items": {"axe": Item("axe", held="main")}, **(HERE if on_map else {})},
        x={"items": {"axe": axe}, **(THERE if on_map else {})},
        apart=None if on_map else {"sx": 1},
    )

    done = table.play("ready", "s", **ready("pick_up", **{"from": "x", "item": "axe"}))

    taken, given = done.of(ev.ItemChanged)
    assert (taken.combatant, taken.item, taken.body) == ("x", "axe", None)
    assert (given.combatant, given.item, given.clause) == ("s", "axe_2", "GU-1300")
    assert held(table, "s") == {"axe": "main", "axe_2": "off"}
    assert table.who("x").items == {}


@pytest.mark.clause("GU-1300")
@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ({"from": "nobody", "item": "axe"}, ["unknown_combatant"]),
        ({"from": "x", "item": "sword"}, ["item_not_carried"]),
        ({"from": "x"}, ["missing_input"]),
        ({"item": "axe"}, ["missing_input"]),
        ({"from": "x", "item": "axe"}, ["item_out_of_reach"]),
    ],
)
def test_only_what_another_has_dropped_can_be_taken(options: dict[str, str], reasons: list[str]) -> None:
    table = fight(s={"items": {}}, x={}, **NEAR)

    assert table.why_not("ready", "s", **ready("pick_up", **options)) == reasons


@pytest.mark.clause("GU-1300")
def test_what_lies_at_somebodys_feet_without_a_map_is_as_far_off_as_he() -> None:
    table = fight(s={"items": {}}, x={"items": {"axe": lying("axe")}}, apart={"sx": 2})
    options = {"from": "x", "item": "axe"}

    assert table.why_not("ready", "s", **ready("pick_up", **options)) == ["item_out_of_reach"]
    assert table.why_not("ready", "s", **ready("pick_up", item_distance=length(1), **options)) == []


# Reloading


@pytest.mark.clause("GU-1310")
def test_loading_takes_its_ready_maneuvers_and_keeps_its_count() -> None:
    empty = {"assault_rifle": Item("assault_rifle", held="both", marks={"ammo": 0})}
    table = fight(r={"items": empty}, x={}, apart={"rx": 10})

    def load() -> None:
        table.until_turn_of("r")
        table.play("ready", "r", weapon="assault_rifle", **ready("reload"))
        table.end_turn()

    load()
    table.until_turn_of("r")
    table.play("move", "r", options={"away_from": "x"}, said={"length": 2})
    table.end_turn()
    load()
    assert table.who("r").items["assault_rifle"].marks == {"ammo": 0, "loading": 2}
    table.until_turn_of("r")
    assert table.why_not("attack", "r", "x", weapon="assault_rifle") == ["not_enough_ammo"]
    load()

    assert table.who("r").items["assault_rifle"].marks == {"ammo": 31, "loading": 0}
    table.until_turn_of("r")
    assert table.why_not("attack", "r", "x", weapon="assault_rifle") == []


@pytest.mark.clause("GU-1310")
@pytest.mark.parametrize("how", ["fired", "dropped"])
def test_firing_or_dropping_the_weapon_loses_the_count(how: str) -> None:
    half = {"assault_rifle": Item("assault_rifle", held="both", marks={"ammo": 4, "loading": 2})}
    table = fight(r={"items": half}, x={}, apart={"rx": 10})

    if how == "fired":
        table.play("attack", "r", "x", weapon="assault_rifle", to_hit=(6, 6, 4))
    else:
        table.play("drop_item", "r", weapon="assault_rifle")

    assert table.who("r").items["assault_rifle"].marks["loading"] == 0


@pytest.mark.clause("GU-1310")
def test_a_dropped_weapon_that_is_never_loaded_gets_no_count() -> None:
    table = fight(x={}, s={}, apart={"sx": 1})

    done = table.play("drop_item", "x", weapon="axe")

    assert done.of(ev.ItemMarked) == []
    assert table.who("x").items["axe"].marks == {}


@pytest.mark.clause("GU-1310")
@pytest.mark.parametrize(
    ("item", "reasons"),
    [
        (Item("longbow", held="both", marks={"ammo": 0}), []),
        (Item("longbow", held="both", marks={"ammo": 1}), ["magazine_full"]),
        (Item("auto_pistol", held="main", marks={"ammo": 15}), []),
        (Item("auto_pistol", held="main"), ["magazine_full"]),
        (Item("auto_pistol", marks={"ammo": 3}), ["weapon_not_ready"]),
        (Item("axe", held="main"), ["not_reloadable"]),
    ],
)
def test_what_is_in_hand_and_not_full_can_be_loaded(item: Item, reasons: list[str]) -> None:
    table = fight(r={"items": {"it": item}}, x={}, apart={"rx": 10})

    assert table.why_not("ready", "r", weapon="it", **ready("reload")) == reasons


@pytest.mark.clause("GU-1310")
def test_a_bow_takes_two_seconds() -> None:
    bow = {"longbow": Item("longbow", held="both", marks={"ammo": 0})}
    table = fight(r={"items": bow, "trait_values": {"altered_time_rate": 1}}, x={}, apart={"rx": 10})

    table.play("ready", "r", weapon="longbow", **ready("reload"))
    assert table.who("r").items["longbow"].marks == {"ammo": 0, "loading": 1}
    table.play("ready", "r", weapon="longbow", **ready("reload"))

    assert table.who("r").items["longbow"].marks["ammo"] == 1


# Recovering


@pytest.mark.clause("GU-1320")
@pytest.mark.parametrize(("st", "unready"), [(14, True), (17, True), (18, False)])
def test_a_great_axe_is_out_of_control_after_a_blow_of_somebody_too_weak(st: int, unready: bool) -> None:
    axe = {"great_axe": Item("great_axe", held="both")}
    skill = {"two_handed_axe_mace": 13}
    table = fight(x={"items": axe, "st": st, "skills": skill}, s={}, apart={"sx": 1})

    done = table.play("attack", "x", "s", weapon="great_axe", to_hit=(6, 6, 4))

    assert [mark.clause for mark in done.of(ev.ItemMarked)] == (["GU-1320"] if unready else [])
    table.end_turn()
    table.end_turn()
    assert table.why_not("attack", "x", "s", weapon="great_axe") == (["weapon_not_ready"] if unready else [])
    assert table.why_not("ready", "x", weapon="great_axe", **ready("recover_weapon")) == (
        [] if unready else ["already_ready"]
    )


@pytest.mark.clause("GU-1320")
@pytest.mark.parametrize(("option", "more"), [("recover_weapon", {}), ("change_reach", {"reach": 1})])
def test_what_lies_on_the_ground_is_not_ready_and_nothing_else(option: str, more: dict[str, int]) -> None:
    table = fight(p={"items": {"spear": lying("spear")}}, x={}, apart={"px": 1})

    assert table.why_not("ready", "p", weapon="spear", **ready(option, **more)) == ["weapon_not_ready"]


@pytest.mark.clause("GU-1320")
@pytest.mark.parametrize("option", ["recover_weapon", "draw"])
def test_one_ready_brings_a_weapon_under_control(option: str) -> None:
    table = fight(x={"items": {"axe": Item("axe", held="main", marks={"unready": 1})}}, s={}, apart={"sx": 1})

    table.play("ready", "x", weapon="axe", **ready(option))

    assert table.who("x").items["axe"].marks == {"unready": 0}
    table.end_turn()
    table.end_turn()
    assert table.why_not("attack", "x", "s", weapon="axe") == []


@pytest.mark.clause("GU-1320")
def test_what_is_not_in_hand_cannot_be_recovered() -> None:
    table = fight(x={"items": {"axe": Item("axe", marks={"unready": 1})}}, s={}, apart={"sx": 1})

    assert table.why_not("ready", "x", weapon="axe", **ready("recover_weapon")) == ["weapon_not_ready"]


# Reach


@pytest.mark.clause("GU-1330")
@pytest.mark.parametrize("on_map", [False, True])
def test_a_spear_strikes_at_the_reach_it_is_set_to(on_map: bool) -> None:
    table = fight(p=HERE if on_map else {}, x=THERE if on_map else {}, apart=None if on_map else {"px": 1})

    assert table.why_not("attack", "p", "x", weapon="spear") == ["reach_not_set"]
    done = table.play("ready", "p", weapon="spear", **ready("change_reach", reach=1))
    mark = done.one(ev.ItemMarked)
    assert (mark.mark, mark.value, mark.clause) == ("reach", 1, "GU-1330")
    table.end_turn()
    table.end_turn()

    assert table.why_not("attack", "p", "x", weapon="spear") == []


@pytest.mark.clause("GU-1330")
def test_it_stays_ready_meanwhile() -> None:
    table = fight(p={}, x={}, apart={"px": 1})

    table.play("ready", "p", weapon="spear", **ready("change_reach", reach=1))
    table.end_turn()
    parried = table.play("attack", "x", "p", weapon="axe", to_hit=(4, 4, 4), defend="parry", parry=(4, 4, 3))

    assert parried.of(ev.CheckRolled)[1].target == 11


@pytest.mark.clause("GU-1330")
@pytest.mark.parametrize(
    ("weapon", "reach", "reasons"),
    [
        ("spear", 2, ["already_ready"]),
        ("spear", 3, ["invalid_option_value"]),
        ("spear", 0, ["invalid_option_value"]),
        ("spear", None, ["missing_input"]),
        ("large_knife", 1, ["weapon_not_ready", "invalid_option_value"]),
    ],
)
def test_only_a_listed_reach_of_such_a_weapon_can_be_set(weapon: str, reach: int | None, reasons: list[str]) -> None:
    table = fight(p={}, x={}, apart={"px": 1})
    options = {} if reach is None else {"reach": reach}

    assert sorted(table.why_not("ready", "p", weapon=weapon, **ready("change_reach", **options))) == sorted(reasons)


# Tasks


@pytest.mark.clause("GU-1340")
def test_a_door_takes_one_second() -> None:
    table = fight(s={}, x={}, **NEAR)

    done = table.play("ready", "s", **ready("task", task="door"))

    assert (done.one(ev.Noted).fact, done.one(ev.Noted).words) == ("task_done", ("door",))
    assert not table.has("s", "working")


@pytest.mark.clause("GU-1340")
@pytest.mark.parametrize(("roll", "fact"), [((4, 4, 4), "task_done"), ((4, 4, 5), "task_failed")])
def test_a_lock_of_three_seconds_is_rolled_for_at_the_end_of_the_third(roll: tuple[int, ...], fact: str) -> None:
    table = fight(s={"skills": {"lockpicking": 12}}, x={}, **NEAR)
    pick = ready("task", task="the lock", skill="lockpicking", seconds_needed=3)

    for second in (1, 2):
        table.play("ready", "s", **pick)
        assert table.table.effect(CombatantId("s"), "working").value == second  # type: ignore[union-attr]
        table.end_turn()
        table.end_turn()
    done = table.play("ready", "s", **ready("task", task="the lock"), task=roll)

    assert (done.check.check, done.check.target, done.check.clause) == ("lockpicking", 12, "GU-1340")
    assert done.of(ev.Noted)[-1].fact == fact
    assert not table.has("s", "working")


@pytest.mark.clause("GU-1340")
@pytest.mark.parametrize("between", ["move", "ready"])
def test_the_seconds_come_in_a_row(between: str) -> None:
    table = fight(s={}, x={}, **NEAR)
    dig = ready("task", task="dig", seconds_needed=3)

    table.play("ready", "s", **dig)
    table.end_turn()
    table.end_turn()
    if between == "move":
        table.play("move", "s", options={"away_from": "x"}, said={"length": 1})
    else:
        table.play("ready", "s", weapon="medium_shield", **ready("stow"))
    assert not table.has("s", "working")
    table.end_turn()
    table.end_turn()
    table.play("ready", "s", **dig)

    assert table.table.effect(CombatantId("s"), "working").value == 1  # type: ignore[union-attr]


@pytest.mark.clause("GU-1340")
def test_another_task_begins_anew() -> None:
    table = fight(s={"trait_values": {"altered_time_rate": 1}}, x={}, **NEAR)

    table.play("ready", "s", **ready("task", task="dig", seconds_needed=3))
    table.play("ready", "s", **ready("task", task="lift", seconds_needed=2))

    working = table.table.effect(CombatantId("s"), "working")
    assert working is not None
    assert (working.word, working.value) == ("lift", 1)


@pytest.mark.clause("GU-1340")
def test_the_gm_may_make_the_roll_harder() -> None:
    table = fight(s={}, x={}, **NEAR)

    done = table.play("ready", "s", **ready("task", task="lift", skill="st"), modifiers=[-2], task=(4, 3, 3))

    assert done.check.target == 10
    assert {term.id: term.value for term in done.check.terms} == {"st": 12, "gm": -2}


@pytest.mark.clause("GU-1340")
@pytest.mark.parametrize(
    ("options", "modifiers", "reasons"),
    [
        ({}, [], ["missing_input"]),
        ({"task": "lift", "skill": "juggling"}, [], ["unknown_skill"]),
        ({"task": "pick", "skill": "lockpicking"}, [], ["untrained"]),
        ({"task": "lift", "skill": "st"}, [-9], []),
        ({"task": "lift", "skill": "st"}, [-10], ["skill_too_low"]),
        ({"task": "lift", "skill": "st", "seconds_needed": 2}, [-10], []),
    ],
)
def test_a_task_has_a_name_and_a_roll_that_can_be_tried(
    options: dict[str, Any], modifiers: list[int], reasons: list[str]
) -> None:
    table = fight(s={}, x={}, **NEAR)

    assert table.why_not("ready", "s", **ready("task", **options), modifiers=modifiers) == reasons


# Traits


@pytest.mark.clause("GU-1350")
def test_an_implant_is_switched_on_and_off_at_the_end_of_the_maneuver() -> None:
    table = fight(s={"talents": ["night_vision_implant"]}, x={}, **NEAR)
    option = {"trait": "night_vision_implant"}

    on = table.play("ready", "s", **ready("toggle_trait", turn_on=True, **option))
    began = [event for event in on.of(ev.EffectBegan) if event.effect.kind == "trait_on"]
    assert [(one.effect.word, one.effect.clause) for one in began] == [("night_vision_implant", "GU-1350")]
    assert on.events[-1] == began[0]
    table.end_turn()
    table.end_turn()
    assert table.why_not("ready", "s", **ready("toggle_trait", turn_on=True, **option)) == ["already_ready"]
    table.play("ready", "s", **ready("toggle_trait", **option))

    assert not table.has("s", "trait_on")


@pytest.mark.clause("GU-1350")
def test_it_is_on_only_once_the_step_after_it_is_done() -> None:
    table = fight(s={"talents": ["night_vision_implant"], **HERE}, x=THERE)

    done = table.play(
        "ready",
        "s",
        path=[(-1, 0)],
        **ready("toggle_trait", trait="night_vision_implant", act_at=0),
    )

    assert [type(event) for event in done.events[-2:]] == [ev.Moved, ev.EffectBegan]


@pytest.mark.clause("GU-1350")
@pytest.mark.parametrize(
    ("talents", "trait", "reasons"),
    [
        (["night_vision_implant"], "night_vision_implant", []),
        (["targeting_implant"], "targeting_implant", []),
        ([], "night_vision_implant", ["trait_not_switchable"]),
        (["combat_reflexes"], "combat_reflexes", ["trait_not_switchable"]),
        ([], None, ["missing_input"]),
    ],
)
def test_only_an_advantage_that_is_not_always_on_is_switched(
    talents: list[str], trait: str | None, reasons: list[str]
) -> None:
    table = fight(s={"talents": talents}, x={}, **NEAR)
    options = {} if trait is None else {"trait": trait}

    assert table.why_not("ready", "s", **ready("toggle_trait", **options)) == reasons


# Movement and defence


@pytest.mark.clause("GU-1360")
@pytest.mark.parametrize("on_map", [False, True])
@pytest.mark.parametrize(("yards", "reasons"), [(1, []), (2, ["step_too_far"])])
def test_a_ready_goes_with_a_step(on_map: bool, yards: int, reasons: list[str]) -> None:
    table = fight(
        r={"items": {"auto_pistol": Item("auto_pistol")}, **(HERE if on_map else {})},
        x={"at": (9, 0, 270)} if on_map else {},
        apart=None if on_map else {"rx": 9},
    )
    way: dict[str, Any] = {"path": [(0, yards)]} if on_map else {"said": {"length": yards}}

    assert table.why_not("ready", "r", weapon="auto_pistol", **way, **ready("draw")) == reasons


@pytest.mark.clause("GU-1360")
def test_what_was_drawn_parries_in_the_same_second() -> None:
    table = fight(p={}, x={}, apart={"px": 1})

    table.play("drop_item", "p", weapon="spear")
    table.play("ready", "p", weapon="large_knife", **ready("draw"))
    table.end_turn()
    done = table.play(
        "attack",
        "x",
        "p",
        weapon="axe",
        to_hit=(4, 4, 4),
        defend=("parry", {"with": "large_knife"}),
        parry=(3, 3, 3),
    )

    assert done.of(ev.CheckRolled)[1].target == 3 + 6 - 1 + 1


@pytest.mark.clause("GU-1360")
def test_a_ready_leaves_every_defence_open() -> None:
    table = fight(s={}, x={}, **NEAR)

    table.play("ready", "s", **ready("task", task="door"))
    table.end_turn()
    done = table.play(
        "attack", "x", "s", weapon="axe", to_hit=(4, 4, 4), defend=("dodge", {"retreat": True}), dodge=(4, 4, 4)
    )

    asked = done.questions("defend")[0]
    assert {option.id for option in asked.options} == {"dodge", "parry", "block", "none"}
    assert done.of(ev.CheckRolled)[1].target == 9 + 3


@pytest.mark.clause("GU-1300", "GU-1340")
@pytest.mark.parametrize(
    ("option", "weapon", "extra", "at"),
    [
        ("draw", "axe", {"reach": 1}, "/options/reach"),
        ("reload", "axe", {"hand": "main"}, "/options/hand"),
        ("task", "axe", {"task": "door"}, "/weapon"),
        ("toggle_trait", None, {"trait": "x", "task": "door"}, "/options/task"),
    ],
)
def test_what_a_ready_has_no_use_for_is_refused(
    option: str, weapon: str | None, extra: dict[str, Any], at: str
) -> None:
    table = fight(x={}, s={}, apart={"sx": 1})

    refused = table.reasons("ready", "x", weapon=weapon, **ready(option, **extra))

    assert ("unused_input", at) in [(one.code, one.at) for one in refused]


@pytest.mark.clause("GU-1300")
def test_a_ruling_gives_back_what_was_lost() -> None:
    table = fight(x={"items": {}}, s={}, apart={"sx": 1})

    table.rule(cmd.SetItem(CombatantId("x"), ItemId("axe"), Item("axe")))
    table.play("ready", "x", weapon="axe", **ready("draw"))

    assert held(table, "x") == {"axe": "main"}


# Out of a Wait


@pytest.mark.clause("GU-1300", "GU-1400", "GU-1480")
def test_a_wait_may_become_a_ready() -> None:
    table = fight(r={"items": {"auto_pistol": Item("auto_pistol")}}, x={}, apart={"rx": 9})
    wait = {"trigger": "starts_maneuver", "response": "ready", "response_option": "draw", "hand": "off"}
    table.play("wait", "r", weapon="auto_pistol", options=wait)
    table.end_turn()

    table.play("do_nothing", "x", use_wait="act")

    assert held(table, "r") == {"auto_pistol": "off"}


@pytest.mark.clause("GU-1340", "GU-1530")
def test_a_reflex_is_a_task_unless_it_says_otherwise() -> None:
    table = fight(s={}, x={}, **NEAR)
    table.play(
        "wait",
        "s",
        options={"kind": "reflex", "trigger": "starts_maneuver", "task": "slam the grate"},
        single_motion="yes",
    )
    table.end_turn()

    done = table.play("do_nothing", "x", use_wait="act")

    assert [(event.fact, event.words) for event in done.of(ev.Noted)] == [("task_done", ("slam the grate",))]
