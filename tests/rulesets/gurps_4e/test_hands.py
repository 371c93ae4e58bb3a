"""What counts as ready, and what hands hold. Clauses GU-1370, GU-1380."""

from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.state import Item
from rulesets.gurps_4e.weapons import free_hand, free_hands, is_ready, misfits
from tests.rulesets.gurps_4e.fights import fight
from tests.support.play import PlayTable, item, ruleset

R, S = CombatantId("r"), CombatantId("s")
FORCE_SWORD = {"skills": {"force_sword": 12}}


def ready(option: str, **more: Any) -> dict[str, Any]:
    """Options of a Ready."""
    return {"options": {"option": option, **more}}


def held(table: PlayTable, who: str) -> dict[str, str | None]:
    """What somebody holds, by hand."""
    return {key: item.held for key, item in table.who(who).items.items() if item.held}


# What counts as ready


@pytest.mark.clause("GU-1370")
def test_what_is_carried_is_not_ready_and_what_is_empty_is_told_apart() -> None:
    empty = {
        "assault_rifle": Item("assault_rifle", held="both", marks={"ammo": 0}),
        "auto_pistol": Item("auto_pistol"),
    }
    table = fight(r={"items": empty}, x={}, apart={"rx": 10})

    pistol = table.reasons("attack", "r", "x", weapon="auto_pistol")
    rifle = table.reasons("attack", "r", "x", weapon="assault_rifle")
    aimed = table.reasons("aim", "r", "x", weapon="assault_rifle")
    covered = table.why_not(
        "wait",
        "r",
        "x",
        weapon="assault_rifle",
        options={"kind": "cover", "response": "attack"},
    )

    assert [(one.code, one.clause) for one in pistol] == [("weapon_not_ready", "GU-610")]
    assert [(one.code, one.clause) for one in rifle] == [("not_enough_ammo", "GU-1370")]
    assert [(one.code, one.clause) for one in aimed] == [("not_enough_ammo", "GU-1370")]
    assert covered == ["not_enough_ammo"]


@pytest.mark.clause("GU-1370")
@pytest.mark.parametrize(
    ("thing", "fit"),
    [
        (Item("assault_rifle", held="both"), True),
        (Item("assault_rifle", held="main"), False),
        (Item("assault_rifle", held="both", marks={"unready": 1}), False),
        (Item("assault_rifle", held="both", marks={"broken": 1}), False),
        (Item("assault_rifle", on_ground=True), False),
        (Item("assault_rifle"), False),
        (Item("auto_pistol", held="off"), True),
        (Item("auto_pistol", held="both"), True),
        (Item("force_sword", held="main"), True),
        (Item("force_sword", held="main", marks={"on": 0}), False),
        (Item("medium_shield", held="off"), True),
        (Item("medium_shield"), False),
        (Item("torch", held="main"), True),
        (Item("torch"), False),
    ],
)
def test_ready_is_held_in_as_many_hands_as_it_needs_and_in_working_state(thing: Item, fit: bool) -> None:
    table = fight(r={"items": {"it": thing}}, x={}, apart={"rx": 10})

    assert is_ready(table.table, R, item("it")) is fit


@pytest.mark.clause("GU-1370")
def test_a_force_sword_takes_one_ready_to_draw_and_one_to_switch_on() -> None:
    table = fight(s={"items": {"force_sword": Item("force_sword")}, **FORCE_SWORD}, x={}, apart={"sx": 1})

    table.play("ready", "s", weapon="force_sword", **ready("draw"))
    table.end_turn()
    table.end_turn()
    assert table.why_not("attack", "s", "x", weapon="force_sword") == ["weapon_not_ready"]
    on = table.play("ready", "s", weapon="force_sword", **ready("draw"))
    table.end_turn()
    table.end_turn()

    assert (on.one(ev.ItemMarked).mark, on.one(ev.ItemMarked).clause) == ("on", "GU-1370")
    assert table.why_not("attack", "s", "x", weapon="force_sword") == []
    assert table.why_not("ready", "s", weapon="force_sword", **ready("draw")) == ["already_ready"]


@pytest.mark.clause("GU-1370")
def test_a_force_sword_that_is_put_away_goes_out() -> None:
    table = fight(s={"items": {"force_sword": Item("force_sword", held="main")}, **FORCE_SWORD}, x={}, apart={"sx": 1})

    table.play("ready", "s", weapon="force_sword", **ready("stow"))

    assert table.who("s").items["force_sword"].marks == {"on": 0}


@pytest.mark.clause("GU-1370")
def test_what_a_hand_holds_at_the_start_is_ready() -> None:
    table = fight(s={}, x={}, r={}, p={}, apart={"sx": 1})

    ready_now = {
        who: {key for key in table.who(who).items if is_ready(table.table, CombatantId(who), item(key))}
        for who in "sxrp"
    }

    assert ready_now == {
        "s": {"thrusting_broadsword", "medium_shield"},
        "x": {"axe"},
        "r": {"assault_rifle"},
        "p": {"spear"},
    }


# Hands


@pytest.mark.clause("GU-1380")
@pytest.mark.parametrize("how", ["free_action", "with_the_ready"])
def test_dropping_frees_the_hands_at_once(how: str) -> None:
    table = fight(r={}, x={}, apart={"rx": 10})
    assert table.why_not("ready", "r", weapon="auto_pistol", **ready("draw")) == ["no_free_hand"]

    if how == "free_action":
        table.play("drop_item", "r", weapon="assault_rifle")
        table.play("ready", "r", weapon="auto_pistol", **ready("draw"))
    else:
        table.play("ready", "r", weapon="auto_pistol", **ready("draw", drop="assault_rifle"))

    assert held(table, "r") == {"auto_pistol": "main"}
    assert table.who("r").items["assault_rifle"].on_ground


@pytest.mark.clause("GU-1380")
def test_what_is_dropped_only_later_frees_no_hand_in_time() -> None:
    table = fight(r={"at": (0, 0, 90)}, x={"at": (9, 0, 270)})
    late = ready("draw", drop="assault_rifle", act_at=0, drop_at=100)

    assert table.why_not("ready", "r", weapon="auto_pistol", path=[(0, 1)], **late) == ["no_free_hand"]


@pytest.mark.clause("GU-1380")
def test_a_shield_takes_one_hand_and_a_two_handed_weapon_both() -> None:
    table = fight(s={}, x={}, r={}, apart={"sx": 1})

    assert {who: free_hands(table.table, CombatantId(who)) for who in "sxr"} == {"s": 0, "x": 1, "r": 0}
    assert free_hand(table.table, CombatantId("x")) == "off"


@pytest.mark.clause("GU-1380")
@pytest.mark.parametrize(
    ("hand", "reasons"),
    [
        (None, []),
        ("off", []),
        ("main", ["no_free_hand"]),
        ("both", ["no_free_hand"]),
    ],
)
def test_the_hand_named_must_be_the_free_one(hand: str | None, reasons: list[str]) -> None:
    things = {"axe": Item("axe", held="main"), "large_knife": Item("large_knife")}
    table = fight(x={"items": things}, s={}, apart={"sx": 1})
    options = {} if hand is None else {"hand": hand}

    assert table.why_not("ready", "x", weapon="large_knife", **ready("draw", **options)) == reasons


@pytest.mark.clause("GU-1380")
def test_a_two_handed_weapon_is_not_readied_in_one_hand() -> None:
    table = fight(r={"items": {"assault_rifle": Item("assault_rifle")}}, x={}, apart={"rx": 9})

    assert table.why_not("ready", "r", weapon="assault_rifle", **ready("draw", hand="main")) == ["needs_two_hands"]
    table.play("ready", "r", weapon="assault_rifle", **ready("draw"))

    assert held(table, "r") == {"assault_rifle": "both"}


@pytest.mark.clause("GU-1380")
def test_a_ready_changes_the_grip() -> None:
    spear = {"spear": Item("spear", held="main", marks={"reach": 1})}
    table = fight(p={"items": spear}, x={}, apart={"px": 1})

    table.play("ready", "p", weapon="spear", **ready("draw", hand="both"))

    assert held(table, "p") == {"spear": "both"}
    table.end_turn()
    table.end_turn()
    assert table.why_not("ready", "p", weapon="spear", **ready("draw", hand="both")) == ["already_ready"]
    assert table.why_not("attack", "p", "x", weapon="spear", options={"mode": "thrust_two_handed"}) == []


@pytest.mark.clause("GU-1380")
def test_the_grip_stays_one_handed_beside_a_shield() -> None:
    things = {"spear": Item("spear", held="main"), "medium_shield": Item("medium_shield", held="off")}
    table = fight(p={"items": things}, x={}, apart={"px": 1})

    assert table.why_not("ready", "p", weapon="spear", **ready("draw", hand="both")) == ["no_free_hand"]


@pytest.mark.clause("GU-1380")
def test_what_is_stowed_frees_its_hand_and_is_no_longer_ready() -> None:
    table = fight(s={"trait_values": {"altered_time_rate": 1}}, x={}, apart={"sx": 1})

    table.play("ready", "s", weapon="medium_shield", **ready("stow"))
    assert table.why_not("ready", "s", weapon="medium_shield", **ready("stow")) == ["item_not_ready"]
    table.play("ready", "s", weapon="medium_shield", **ready("draw"))

    assert held(table, "s") == {"thrusting_broadsword": "main", "medium_shield": "off"}


@pytest.mark.clause("GU-1380")
@pytest.mark.parametrize(
    ("hands", "main", "off"),
    [(0, None, None), (1, "main", None), (2, "main", "off"), (3, "main", "main"), (4, "main", "main")],
)
def test_the_sheet_says_how_many_hands_there_are(hands: int, main: str | None, off: str | None) -> None:
    knives = {"one": Item("large_knife"), "two": Item("large_knife")}
    table = fight(s={"items": knives, "hands": hands, "trait_values": {"altered_time_rate": 1}}, x={}, apart={"sx": 1})

    for key, expected in (("one", main), ("two", off)):
        if expected is None:
            assert table.why_not("ready", "s", weapon=key, **ready("draw")) == ["no_free_hand"]
        else:
            table.play("ready", "s", weapon=key, **ready("draw"))
            assert table.who("s").items[key].held == expected


@pytest.mark.clause("GU-1380")
@pytest.mark.parametrize(("hands", "sound"), [(2, False), (3, True), (4, True)])
def test_who_has_more_than_two_hands_may_hold_more(hands: int, sound: bool) -> None:
    things = {key: Item("large_knife", held="main") for key in ("one", "two")}
    table = fight(s={"items": things, "hands": hands}, x={}, apart={"sx": 1})

    found = list(misfits(ruleset("gurps_4e"), table.who("s")))

    assert (found == []) is sound
    assert {one.code for one in found} <= {"hand_full"}


@pytest.mark.clause("GU-1380")
def test_a_hand_that_holds_a_foe_holds_nothing_else() -> None:
    table = fight(x={"items": {"axe": Item("axe")}}, s={}, apart={"sx": 0})
    table.rule(cmd.AddEffect(CombatantId("x"), "grappling", 2, against=S))

    assert table.why_not("ready", "x", weapon="axe", **ready("draw")) == ["no_free_hand"]


@pytest.mark.clause("GU-1380")
def test_two_weapons_are_readied_one_after_the_other() -> None:
    knives = {"one": Item("large_knife"), "two": Item("large_knife")}
    table = fight(r={"items": knives}, x={}, apart={"rx": 1})

    table.play("ready", "r", weapon="one", **ready("draw"))
    assert table.why_not("ready", "r", weapon="two", **ready("draw")) == ["maneuver_already_used"]
    table.end_turn()
    table.end_turn()
    table.play("ready", "r", weapon="two", **ready("draw"))

    assert held(table, "r") == {"one": "main", "two": "off"}
