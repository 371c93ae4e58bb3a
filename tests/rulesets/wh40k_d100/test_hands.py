"""Off hands, two weapons, more than two arms, shooting while engaged. Clauses WH-600 to WH-660."""

from typing import Any

import msgspec
import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.soundness import Misfit
from app.engine.state import Item
from tests.rulesets.wh40k_d100.fights import begin, fight, held, terms, through
from tests.support.play import PlayTable, ruleset

SWORD = {"items": held("sword")}
TALENT = ("two_weapon_wielder",)
SWORDS = {"one": Item("sword", held="main"), "two": Item("sword", held="off")}


# WH-600, WH-610


@pytest.mark.clause("WH-600")
@pytest.mark.parametrize(
    ("hand", "changes", "target"),
    [
        ("off", {}, 35),
        ("main", {}, 55),
        ("off", {"off_hand_penalty": 0}, 55),
        ("off", {"off_hand_penalty": -10}, 45),
        ("off", {"left_handed": 1}, 35),
    ],
)
def test_the_off_hand(hand: str, changes: dict[str, int], target: int) -> None:
    table = fight(apart=10, varro={"items": held("laspistol", hand), **changes}, grash={})

    assert table.play("attack", "varro", "grash", to_hit=99).check.target == target


@pytest.mark.clause("WH-600")
def test_both_hands_together_have_no_penalty() -> None:
    table = fight(apart=60, varro={"items": held("lasgun", "both")}, grash={})

    assert terms(table.play("attack", "varro", "grash", to_hit=99).check) == {}


def parried(options: dict[str, Any] | None = None, **answers: Any) -> ev.CheckRolled:
    """The test of a parry with a balanced sword in the off hand at ws 50."""
    table = fight(apart=1, grash={}, varro={"ws": 50, "items": held("sword", "off")}, options=options or {})
    done = table.play("attack", "grash", "varro", to_hit=40, defend="parry", parry=10, **answers)
    check: ev.CheckRolled = done.of(ev.CheckRolled)[1]
    return check


@pytest.mark.clause("WH-610", "WH-960")
def test_parrying_with_the_off_hand() -> None:
    assert parried().target == 40
    assert parried({"off_hand_actions": ()}).target == 60


@pytest.mark.clause("WH-610")
def test_the_gm_may_say_that_it_does_not_count() -> None:
    assert parried({"ask_off_hand": True}, off_hand_applies="no").target == 60
    assert parried({"ask_off_hand": True}, off_hand_applies="yes").target == 40


@pytest.mark.clause("WH-610", "WH-600")
def test_the_gm_may_add_the_row_to_another_test() -> None:
    table = fight(apart=1, varro={**SWORD}, grash=SWORD)

    assert table.play("attack", "varro", "grash", to_hit=99, modifiers=("off_hand",)).check.target == 42 - 20


# WH-620, WH-630


@pytest.mark.clause("WH-620")
def test_two_weapons_take_the_talent_and_a_weapon_in_each_hand() -> None:
    knives = {"one": Item("combat_knife", held="main"), "two": Item("combat_knife", held="off")}
    table = fight(apart=1, trooper={"items": knives}, grash=SWORD)
    found = table.reasons("two_weapon_attack", "trooper", "grash")
    assert [(one.code, one.names) for one in found] == [("missing_talent", TALENT)]

    for items in (
        held("sword"),
        held("great_cleaver", "both"),
        {"one": Item("sword", held="main"), "two": Item("sword")},
    ):
        table = fight(apart=1, lyse={"items": items}, grash=SWORD)
        assert table.why_not("two_weapon_attack", "lyse", "grash") == ["needs_two_weapons"]


@pytest.mark.clause("WH-620", "WH-640")
def test_the_two_hands_are_of_one_pair() -> None:
    items = {"one": Item("sword", held="main"), "two": Item("sword", held="off", marks={"pair": 2})}
    table = fight(apart=1, quad={"items": items, "talents": ("multiple_arms", *TALENT)}, grash=SWORD)

    assert table.why_not("two_weapon_attack", "quad", "grash") == ["needs_two_weapons"]


@pytest.mark.clause("WH-630", "WH-790")
def test_two_tests_the_main_hand_first_and_only_the_off_hand_suffers() -> None:
    table = fight(apart=1, lyse={"items": SWORDS, "ws": 50}, grash={**SWORD, "wounds_max": 60})

    done = table.play(
        "two_weapon_attack",
        "lyse",
        "grash",
        main__to_hit=38,
        main__evade__grash__defend="none",
        main__hit1__damage=5,
        off__to_hit=31,
    )

    main, off = done.of(ev.CheckRolled)
    assert (main.target, main.degrees, main.outcome) == (50, 3, "success")
    assert (off.target, off.outcome) == (30, "failure")
    assert table.who("lyse").budget["half_action"] == 1
    assert table.why_not("attack", "lyse", "grash") == ["attack_limit"]


@pytest.mark.clause("WH-630")
def test_each_has_a_target_a_call_and_a_replacement_of_its_own() -> None:
    table = fight(
        apart=1,
        lyse={"items": SWORDS, "ws": 90},
        grash={**SWORD, "armour": 0, "t": 0},
        varro={**SWORD, "armour": 0, "t": 0},
    )

    done = table.play(
        "two_weapon_attack",
        "lyse",
        "grash",
        "varro",
        options={"called": "leg", "side": "left", "second_called": "head"},
        main__to_hit=20,
        main__evade__grash__defend="none",
        main__hit1__damage=1,
        main__die_replacement="replace",
        off__to_hit=20,
        off__evade__varro__defend="none",
        off__hit1__damage=2,
        off__die_replacement="replace",
    )

    main, off = done.of(ev.CheckRolled)
    assert (main.target, off.target) == (75, 50)
    assert [(hit.target, hit.location) for one in done.of(ev.HitsScored) for hit in one.hits] == [
        ("grash", "left_leg"),
        ("varro", "head"),
    ]
    assert through(done) == [6 + 3, 4 + 3]


@pytest.mark.clause("WH-630")
def test_what_two_weapons_cost_the_main_hand_and_their_order_are_the_tables_choice() -> None:
    options = {"two_weapon_main_hand_penalty": -10, "two_weapon_order": "off_first"}
    table = fight(apart=1, lyse={"items": SWORDS, "ws": 50}, grash=SWORD, options=options)

    done = table.play("two_weapon_attack", "lyse", "grash", off__to_hit=99, main__to_hit=99)

    assert [check.target for check in done.of(ev.CheckRolled)] == [30, 40]


@pytest.mark.clause("WH-630", "WH-650")
@pytest.mark.parametrize("answer", ["attack", "none"])
def test_if_the_second_is_no_longer_possible_another_target_may_be_chosen(answer: str) -> None:
    table = fight(
        apart=1, lyse={"items": SWORDS, "ws": 90, "side": "us"}, t1={"wounds_max": 1, "t": 0, "armour": 0}, t2={}
    )
    given: Any = ("attack", {"target": "t2"}) if answer == "attack" else "none"

    done = table.play(
        "two_weapon_attack",
        "lyse",
        "t1",
        main__to_hit=20,
        main__evade__t1__defend="none",
        main__hit1__damage=9,
        off__second_target=given,
        **({"off__to_hit": 99} if answer == "attack" else {}),
    )

    question = done.questions("second_target")[0]
    assert question.options[0].form[0].choices == ("t2",)
    assert len(done.of(ev.CheckRolled)) == (2 if answer == "attack" else 1)


@pytest.mark.clause("WH-630")
def test_with_nobody_left_the_second_attack_does_not_happen() -> None:
    table = fight(apart=1, lyse={"items": SWORDS, "ws": 90}, t1={"wounds_max": 1, "t": 0, "armour": 0})

    done = table.play("two_weapon_attack", "lyse", "t1", main__to_hit=20, defend="none", damage=9)

    assert len(done.of(ev.CheckRolled)) == 1
    assert done.of(ev.Noted)[-1].fact == "no_second_target"


@pytest.mark.clause("WH-650", "WH-660")
def test_a_blade_frees_the_hand_that_shoots() -> None:
    """A pistol that may not be fired in melee at this table, once the sword has ended the melee."""
    items = {"sword": Item("sword", held="main"), "laspistol": Item("laspistol", held="off", marks={"ammo": 30})}
    table = fight(
        apart={"lyse-t1": 1, "lyse-t2": 20},
        lyse={"items": items, "ws": 90, "bs": 60, "engaged": (CombatantId("t1"),)},
        t1={"wounds_max": 1, "t": 0, "armour": 0, "engaged": (CombatantId("lyse"),)},
        t2={},
        options={"engaged_shooting": "forbidden"},
    )

    done = table.play(
        "two_weapon_attack",
        "lyse",
        "t1",
        "t2",
        main__to_hit=20,
        main__evade__t1__defend="none",
        main__hit1__damage=9,
        off__to_hit=99,
    )

    assert [check.check for check in done.of(ev.CheckRolled)] == ["ws", "bs"]


# WH-640


def four_arms(**more: Any) -> PlayTable:
    """Quad, engaged with a weak trooper, another one farther off."""
    return fight(
        apart={"quad-t1": 1, "quad-t2": 20},
        quad={"ws": 90, "engaged": (CombatantId("t1"),), **more},
        t1={"wounds_max": 1, "t": 0, "armour": 0, "items": held("combat_knife"), "engaged": (CombatantId("quad"),)},
        t2={"wounds_max": 60},
    )


@pytest.mark.clause("WH-640", "WH-040")
def test_each_pair_attacks_once_for_its_own_half_action() -> None:
    table = fight(apart=1, quad={}, grash={"wounds_max": 90, **SWORD})
    table.play("attack", "quad", "grash", weapon="sword", to_hit=99)

    found = table.reasons("attack", "quad", "grash", weapon="laspistol")
    assert [(one.code, one.clause) for one in found] == [("pair_already_attacked", "WH-640")]
    assert table.why_not("attack", "quad", "grash", options={"pair": 3}, weapon=None) == ["no_such_pair"]
    table.end_turn()
    table.end_turn()
    table.play("attack", "quad", "grash", weapon="laspistol", to_hit=99)
    assert table.why_not("attack", "quad", "grash", weapon="sword") == ["pair_already_attacked"]


@pytest.mark.clause("WH-640", "WH-650", "WH-660")
def test_one_pair_kills_and_the_other_shoots() -> None:
    table = four_arms()
    assert table.why_not("attack", "quad", "t2", weapon="autogun") == ["weapon_not_usable_in_melee"]
    table.play("attack", "quad", "t1", weapon="sword", to_hit=20, defend="none", damage=9)
    assert table.who("t1").status == "dead"

    done = table.play("attack", "quad", "t2", weapon="autogun", to_hit=99)

    assert done.check.target == 40 + 10
    assert table.who("quad").budget["half_action"] == 0


@pytest.mark.clause("WH-650", "WH-660")
def test_if_the_foe_survives_the_gun_stays_silent_and_the_half_action_unspent() -> None:
    table = four_arms()
    table.play("attack", "quad", "t1", weapon="sword", to_hit=99)

    assert table.why_not("attack", "quad", "t2", weapon="autogun") == ["weapon_not_usable_in_melee"]
    assert table.who("quad").budget["half_action"] == 1


@pytest.mark.clause("WH-640", "WH-020")
def test_six_arms_are_three_pairs_but_only_two_half_actions() -> None:
    items = {f"s{pair}": Item("sword", held="main", marks={"pair": pair}) for pair in (1, 2, 3)}
    table = fight(apart=1, quad={"items": items, "arms": 6}, grash=SWORD)
    table.play("attack", "quad", "grash", weapon="s1", to_hit=99)
    table.play("attack", "quad", "grash", weapon="s2", to_hit=99)

    assert table.why_not("attack", "quad", "grash", weapon="s3") == ["insufficient_actions"]


@pytest.mark.clause("WH-640")
def test_five_arms_are_two_pairs() -> None:
    items = {f"s{pair}": Item("sword", held="main", marks={"pair": pair}) for pair in (1, 2, 3)}
    table = fight(apart=1, quad={"items": items, "arms": 5}, grash=SWORD)

    assert table.why_not("attack", "quad", "grash", weapon="s2") == []
    assert table.why_not("attack", "quad", "grash", weapon="s3") == ["no_such_pair"]


@pytest.mark.clause("WH-640")
def test_many_arms_without_the_trait_are_one_pair() -> None:
    table = fight(apart=1, quad={"talents": ()}, grash=SWORD)

    assert table.why_not("attack", "quad", "grash", weapon="autogun", options={"pair": 2}) != []
    table.play("attack", "quad", "grash", weapon="sword", to_hit=99)
    assert "attack_limit" in table.why_not("attack", "quad", "grash", weapon="laspistol")


@pytest.mark.clause("WH-640", "WH-620")
def test_two_weapons_of_one_pair_use_that_pair() -> None:
    items = {**SWORDS, "three": Item("sword", held="main", marks={"pair": 2})}
    table = fight(
        apart=1,
        quad={"items": items, "talents": ("multiple_arms", *TALENT), "trait_values": {"multiple_arms": 4}},
        grash=SWORD,
    )
    table.play("two_weapon_attack", "quad", "grash", main__to_hit=99, off__to_hit=99)

    assert table.why_not("attack", "quad", "grash", weapon="one") == ["pair_already_attacked"]
    assert table.why_not("attack", "quad", "grash", weapon="three") == []


@pytest.mark.clause("WH-640")
def test_bare_hands_of_another_pair_strike_too() -> None:
    table = fight(apart=1, quad={"items": held("sword")}, grash=SWORD)
    table.play("attack", "quad", "grash", weapon="sword", to_hit=99)

    done = table.play("attack", "quad", "grash", options={"pair": 2}, to_hit=99)

    assert done.one(ev.AttackMade).weapon is None
    table.end_turn()
    table.end_turn()
    assert table.why_not("attack", "quad", "grash", options={"pair": 2}) == []


@pytest.mark.clause("WH-640", "WH-085")
def test_what_is_drawn_goes_into_the_pair_that_is_named() -> None:
    table = fight(quad={"items": {"sword": Item("sword", held="main"), "knife": Item("combat_knife")}})

    table.play("ready", "quad", weapon="knife", options={"hand": "main", "pair": 2})

    assert table.who("quad").items["knife"] == Item("combat_knife", held="main", marks={"pair": 2})
    assert table.why_not("ready", "quad", weapon="knife", options={"hand": "main", "pair": 3}) == ["no_free_hand"]
    table.play("ready", "quad", weapon="sword", options={"hand": "off", "pair": 2})
    assert table.who("quad").items["sword"].marks == {"pair": 2}


@pytest.mark.clause("WH-640", "WH-290", "WH-085")
@pytest.mark.parametrize(
    ("items", "wrong"),
    [
        ({"a": Item("sword", held="main"), "b": Item("sword", held="main")}, ["hand_full", "hand_full"]),
        ({"a": Item("sword", held="main"), "b": Item("sword", held="main", marks={"pair": 2})}, []),
        ({"a": Item("sword", held="main", marks={"pair": 3})}, ["out_of_bounds"]),
        ({"a": Item("lasgun", held="both", marks={"ammo": 61})}, ["out_of_bounds"]),
        ({"a": Item("sword", marks={"ammo": 1})}, ["unknown_word"]),
        ({"a": Item("thing", held="main")}, []),
    ],
)
def test_what_cannot_be_in_hands(items: dict[str, Item], wrong: list[str]) -> None:
    rules = ruleset("wh40k_d100")
    body = msgspec.structs.replace(fight(quad={}).who("quad"), items=items)

    found: list[Misfit] = list(rules.misfits(body))

    assert [one.code for one in found] == wrong


# WH-660


@pytest.mark.clause("WH-660", "WH-090")
@pytest.mark.parametrize(
    ("options", "weapon", "reasons"),
    [
        ({}, "lasgun", ["weapon_not_usable_in_melee"]),
        ({}, "laspistol", []),
        ({"engaged_shooting": "all_weapons"}, "lasgun", []),
        ({"engaged_shooting": "forbidden"}, "laspistol", ["weapon_not_usable_in_melee"]),
    ],
)
def test_while_engaged_only_pistols_are_fired(options: dict[str, str], weapon: str, reasons: list[str]) -> None:
    hand = "both" if weapon == "lasgun" else "main"
    table = fight(
        apart=1,
        varro={"items": held(weapon, hand), "engaged": (CombatantId("grash"),)},
        grash={**SWORD, "engaged": (CombatantId("varro"),)},
        options=options,
    )

    assert table.why_not("attack", "varro", "grash", weapon=weapon) == reasons


@pytest.mark.clause("WH-660")
def test_grenades_are_barred_and_spells_are_not() -> None:
    spell = '{"kind":"spell","damage":"1d10","type":"energy","range":3000,"is_spell":true,"natural":true}'
    table = fight(
        apart=1,
        grash={
            "items": {**held("frag_grenade"), "bolt": Item("bolt", custom=spell)},
            "engaged": (CombatantId("varro"),),
        },
        varro={"engaged": (CombatantId("grash"),)},
    )

    assert table.why_not("area_attack", "grash", "varro") == ["weapon_not_usable_in_melee"]
    assert table.why_not("attack", "grash", "varro", weapon="bolt") == []
    begin(table, "varro", "unconscious")
    table.rule(cmd.SetEngaged(CombatantId("grash"), CombatantId("varro"), engaged=False))
    assert table.why_not("area_attack", "grash", "varro") == []
