"""Every option of the table: an example that comes out otherwise under another value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from app.engine import commands as cmd
from app.engine import events as ev
from app.engine.ids import CombatantId
from app.engine.space.model import Cover, CoverPiece
from app.engine.state import Item
from rulesets.wh40k_d100.checks import judge
from tests.rulesets.wh40k_d100.fights import begin, fight, held, noted, set_up, terms, through
from tests.support.play import book

Options = Mapping[str, Any]
OPTIONS: dict[str, dict[str, Any]] = book("wh40k_d100").document["options"]
SWORD = {"items": held("sword")}
SWORDS = {"one": Item("sword", held="main"), "two": Item("sword", held="off")}
SOFT = {"t": 0, "armour": 0, "items": held("combat_knife"), "wounds_max": 60, "minor": 0}
ONE_WAY = {"refusals": "WH-995", "reasons": "WH-998"}
"""Of which there is one value: what a refusal changes and tells holds for every client."""


@dataclass(frozen=True)
class Example:
    """What is played, what comes of it by default, and with the options that differ."""

    play: Callable[[Options], Any]
    usual: Any
    options: Options
    other: Any


def initiative(options: Options) -> int:
    table = set_up(a={"ag": 36})
    table.command(cmd.Setup(options=dict(options)))
    table.command(cmd.Start(), a__initiative=(5, 6) if options else 5)
    return table.who("a").standing[0]


def half_actions(options: Options) -> int:
    return fight(varro={}, options=options).who("varro").budget["half_action"]


def reactions(options: Options) -> bool:
    table = fight(apart=1, a={"sample": "varro"}, b={"sample": "grash"}, options=options)
    table.until_turn_of("b")
    table.until_turn_of("a")
    return table.who("b").budget["reaction"] > 0


def second_attack(options: Options) -> list[str]:
    table = fight(apart=1, varro={}, grash={}, options=options)
    table.play("attack", "varro", "grash", weapon="chainsword", to_hit=99)
    return table.why_not("attack", "varro", "grash", weapon="chainsword")


def stun_lasts(options: Options) -> bool:
    table = fight(varro={}, grash={}, options=options)
    begin(table, "grash", "stunned", 1)
    table.end_turn()
    return table.has("grash", "stunned")


def burst_at_a_minor_one(options: Options) -> list[str]:
    """The first hit is extreme, the second takes him out: the d5 comes before that, or not at all."""
    frail = {"t": 0, "armour": 0, "items": held("sword"), "wounds_max": 25, "side": "them"}
    table = fight(
        apart=10, a={"sample": "varro", "bs": 90, "items": held("autogun", "both")}, t1=frail, options=options
    )
    rolls: dict[str, Any] = {} if options else {"hit1__extreme": 1}
    done = table.play("semi_auto_burst", "a", "t1", to_hit=70, defend="none", hit1__damage=10, hit2__damage=9, **rolls)
    return noted(done)


def target(weapon: str, far: float, to_hit: int = 99, **sheet: Any) -> Callable[[Options], int]:
    def play(options: Options) -> int:
        hand = "both" if weapon == "lasgun" else "main"
        table = fight(apart=far, varro={**sheet, "items": held(weapon, hand)}, grash=SWORD, options=options)
        return table.play("attack", "varro", "grash", to_hit=to_hit).check.target

    return play


def judged(number: int, die: int) -> Callable[[Options], tuple[bool, int, bool]]:
    def play(options: Options) -> tuple[bool, int, bool]:
        found = judge(fight(varro={}, options=options).table, number, die)
        return found.success, found.degrees, found.critical

    return play


def capped(options: Options) -> int:
    table = fight(varro={"bs": 55, "items": held("lasgun", "both")}, grash=SWORD, options=options)
    said = {"bands": {"grash": "extreme"}}
    return table.play("attack", "varro", "grash", options={"called": "eye"}, said=said, to_hit=99).check.target


def joint(options: Options) -> int:
    people: dict[str, Any] = {
        "varro": {"bs": 95, "items": held("lasgun", "both")},
        "b": {**SOFT, "armour": {"right_arm": 8}},
    }
    table = fight(apart=60, options=options, **people)
    called = {"options": {"called": "joint"}, "location": "right_arm"}
    return through(table.play("attack", "varro", "b", **called, to_hit=55, defend="none", damage=9))[0]


def rounds_left(options: Options) -> int:
    table = fight(apart=60, varro={"items": held("lasgun", "both", ammo=9)}, grash=SWORD, options=options)
    table.play("attack", "varro", "grash", to_hit=99)
    return table.who("varro").items["lasgun"].marks["ammo"]


def blind_in_the_dark(options: Options) -> int:
    table = fight(apart=1, varro={"ws": 50, **SWORD}, grash=SWORD, options=options)
    begin(table, "varro", "blinded", 1)
    return table.play("attack", "varro", "grash", modifiers=("darkness",), to_hit=99).check.target


def from_above(options: Options) -> int:
    people: dict[str, Any] = {"varro": {"at": (0, 0, 90), "elevation": 100, **SWORD}, "grash": {"at": (1, 0), **SWORD}}
    return fight(options=options, **people).play("attack", "varro", "grash", to_hit=99).check.target


def struck_beside(options: Options) -> list[str]:
    table = fight(
        apart=60,
        varro={"items": held("lasgun", "both"), "side": "us"},
        grash={**SWORD, "engaged": (CombatantId("lyse"),)},
        lyse={**SWORD, "side": "us", "engaged": (CombatantId("grash"),)},
        options=options,
    )
    rolls: dict[str, Any] = {"defend": "none", "damage": 9} if options else {}
    done = table.play("attack", "varro", "grash", to_hit=71, **rolls)
    return [hit.target for one in done.of(ev.HitsScored) for hit in one.hits]


def pistol_in_melee(options: Options) -> dict[str, int]:
    table = fight(
        apart=1,
        varro={"items": held("laspistol"), "engaged": (CombatantId("grash"),)},
        grash={**SWORD, "engaged": (CombatantId("varro"),)},
        options=options,
    )
    return terms(table.play("attack", "varro", "grash", to_hit=99).check)


def far_witness(options: Options) -> bool:
    table = fight(
        a={"at": (0, 1, 0), "items": held("combat_knife")},
        b={"at": (0, 0, 0), **SWORD},
        c={"at": (0, -500, 0), **SWORD},
        options=options,
    )
    begin(table, "c", "unaware")
    table.play("attack", "a", "b", to_hit=99)
    return table.has("c", "unaware")


def from_behind(options: Options) -> int | None:
    """The target number of the dodge, if there is one."""
    table = fight(a={"at": (0, 1, 0), **SWORD}, b={"at": (0, 0, 0), **SWORD, "ag": 40}, options=options)
    rolls: dict[str, Any] = {"defend": "dodge", "dodge": 5} if options else {"damage": 5}
    checks = table.play("attack", "a", "b", to_hit=20, **rolls).of(ev.CheckRolled)
    return checks[1].target if len(checks) > 1 else None


def surprised_one_is_asked(options: Options) -> bool:
    table = fight(apart=1, a=SWORD, b=SWORD, options=options)
    begin(table, "b", "surprised")
    rolls: dict[str, Any] = {"defend": "dodge", "dodge": 20} if options else {"damage": 5}
    return bool(table.play("attack", "a", "b", to_hit=20, **rolls).questions("defend"))


def off_hand_parry(options: Options) -> int:
    table = fight(apart=1, a={"ws": 60, **SWORD}, lyse={"ws": 50, "items": held("sword", "off")}, options=options)
    rolls: dict[str, Any] = {"off_hand_applies": "no"} if "ask_off_hand" in options else {}
    done = table.play("attack", "a", "lyse", to_hit=20, defend="parry", parry=5, **rolls)
    return int(done.of(ev.CheckRolled)[1].target)


def two_blades(options: Options) -> list[int]:
    table = fight(apart=1, lyse={"items": SWORDS, "ws": 50}, grash=SWORD, options=options)
    done = table.play("two_weapon_attack", "lyse", "grash", main__to_hit=99, off__to_hit=98)
    return [one.target for one in done.of(ev.CheckRolled)]


def rifle_in_melee(options: Options) -> list[str]:
    table = fight(
        apart=1,
        varro={"items": held("lasgun", "both"), "engaged": (CombatantId("grash"),)},
        grash={**SWORD, "engaged": (CombatantId("varro"),)},
        options=options,
    )
    return table.why_not("attack", "varro", "grash", weapon="lasgun")


def grenade(options: Options) -> int:
    table = fight(apart=8, grash={"bs": 50, "items": held("frag_grenade")}, b=SOFT, options=options)
    done = table.play("area_attack", "grash", "b", to_hit=49, said={"near": ("b",)}, b__defend="none", damage=(3, 4))
    return int(done.one(ev.DamageDealt).raw)


def is_asked_to_replace(options: Options) -> bool:
    table = fight(apart=60, a={"sample": "varro", "items": held("lasgun", "both")}, b=SOFT, options=options)
    done = table.play("attack", "a", "b", to_hit=19, defend="none", damage=6)
    return bool(done.questions("die_replacement"))


def command_at_30_m(options: Options) -> list[str]:
    people: dict[str, Any] = {"varro": {"side": "us", "at": (0, 0, 0)}, "t1": {"side": "us", "at": (30, 0, 0)}}
    return fight(options=options, **people).why_not("command_extreme_damage", "varro", "t1")


def blow_at_cover(options: Options) -> list[int]:
    table = fight(apart=1, a={"ws": 60, "s": 0, **SWORD}, b=SOFT, options=options)
    table.rule(cmd.SetCover(CombatantId("b"), Cover(pieces=(CoverPiece("crate", 8),))))
    return through(table.play("attack", "a", "b", to_hit=39, defend="none", damage=8))


def minor_at_0(options: Options) -> str:
    table = fight(apart=1, a={"ws": 60, "s": 0, **SWORD}, t1={**SOFT, "minor": 1, "wounds_max": 8}, options=options)
    table.play("attack", "a", "t1", to_hit=39, defend="none", damage=8)
    return table.who("t1").status


def stray_grenade(options: Options) -> list[str]:
    """79 against 45: four Failures, so four metres beyond the target, where somebody else stands."""
    table = fight(
        a={"at": (0, 0, 0), "bs": 45, "s": 60, "items": held("frag_grenade")},
        b={"at": (0, 10, 0), "side": "them", **SOFT},
        c={"at": (2, 14, 0), "side": "them", **SOFT},
        options=options,
    )
    rolls: dict[str, Any] = {"scatter": 6, "c__defend": "none", "damage": (3, 4)} if options else {}
    done = table.play("area_attack", "a", "b", to_hit=79, **rolls)
    return [hit.target for one in done.of(ev.HitsScored) for hit in one.hits]


EXAMPLES: dict[str, Example] = {
    "initiative": Example(initiative, 8, {"initiative": "2d6+1"}, 15),
    "half_actions_per_turn": Example(half_actions, 2, {"half_actions_per_turn": 3}, 3),
    "reactions_per_round": Example(reactions, True, {"reactions_per_round": 0}, False),
    "attack_actions_per_turn": Example(second_attack, ["attack_limit"], {"attack_actions_per_turn": 2}, []),
    "round_ends": Example(stun_lasts, True, {"round_ends": "turn_start"}, False),
    "attack_order": Example(burst_at_a_minor_one, ["extreme_damage"], {"attack_order": "extreme_last"}, []),
    "stated_light": Example(target("lasgun", 60), 45, {"stated_light": "darkness"}, 15),
    "stated_smoke": Example(target("lasgun", 60), 45, {"stated_smoke": True}, 25),
    "stated_terrain": Example(target("sword", 1), 42, {"stated_terrain": "very_difficult"}, 22),
    "core_test": Example(judged(42, 42), (True, 1, False), {"core_test": "d100_roll_below"}, (False, 1, False)),
    "critical_success": Example(judged(45, 33), (True, 2, False), {"critical_success": "doubles"}, (True, 2, True)),
    "critical_success_successes": Example(
        judged(45, 20),
        (True, 3, False),
        {"critical_success": "successes_at_least", "critical_success_successes": 3},
        (True, 3, True),
    ),
    "natural_success": Example(judged(-10, 4), (True, 1, True), {"natural_success": 1}, (False, 1, False)),
    "natural_failure": Example(judged(110, 96), (False, 1, False), {"natural_failure": 100}, (True, 3, False)),
    "successes": Example(judged(45, 39), (True, 2, False), {"successes": "tens_difference"}, (True, 1, False)),
    "failures": Example(judged(30, 40), (False, 2, False), {"failures": "tens_difference"}, (False, 1, False)),
    "modifier_cap": Example(capped, -25, {"modifier_cap": 60}, -5),
    "rounding": Example(joint, 9 + 3 - 2, {"rounding": "up"}, 9 + 3 - 3),
    "track_ammo": Example(rounds_left, 8, {"track_ammo": False}, 9),
    "blinded_replaces_light_rows": Example(blind_in_the_dark, 0, {"blinded_replaces_light_rows": True}, 20),
    "height_advantage_m": Example(from_above, 52, {"height_advantage_m": 200}, 42),
    "miss_hits_bystander": Example(struck_beside, [], {"miss_hits_bystander": True}, ["lyse"]),
    "point_blank_bonus_when_engaged": Example(
        pistol_in_melee, {"range_point_blank": 30}, {"point_blank_bonus_when_engaged": False}, {}
    ),
    "alert_on_attack": Example(far_witness, True, {"alert_on_attack": "everyone"}, False),
    "unseen_evasion": Example(from_behind, None, {"unseen_evasion": "allowed"}, 40),
    "unseen_evasion_penalty": Example(
        from_behind, None, {"unseen_evasion": "penalty", "unseen_evasion_penalty": -30}, 10
    ),
    "surprised_evasion": Example(surprised_one_is_asked, False, {"surprised_evasion": "allowed"}, True),
    "off_hand_actions": Example(off_hand_parry, 40, {"off_hand_actions": ()}, 60),
    "ask_off_hand": Example(off_hand_parry, 40, {"ask_off_hand": True}, 60),
    "two_weapon_order": Example(two_blades, [50, 30], {"two_weapon_order": "off_first"}, [30, 50]),
    "two_weapon_main_hand_penalty": Example(two_blades, [50, 30], {"two_weapon_main_hand_penalty": -10}, [40, 30]),
    "engaged_shooting": Example(
        rifle_in_melee, ["weapon_not_usable_in_melee"], {"engaged_shooting": "all_weapons"}, []
    ),
    "thrown_adds_sb": Example(grenade, 7, {"thrown_adds_sb": True}, 12),
    "ask_replacement": Example(is_asked_to_replace, False, {"ask_replacement": "always"}, True),
    "command_range_m": Example(command_at_30_m, ["out_of_range"], {"command_range_m": 3000}, []),
    "melee_meets_cover": Example(blow_at_cover, [8], {"melee_meets_cover": True}, [0]),
    "minor_falls_at_0": Example(minor_at_0, "dead", {"minor_falls_at_0": False}, "up"),
    "scatter": Example(stray_grenade, [], {"scatter": "strays"}, ["c"]),
}


@pytest.mark.clause("WH-070", "WH-100", "WH-980")
@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_changes_what_comes_out(name: str) -> None:
    if name in ONE_WAY:
        assert OPTIONS[name]["choices"] == [OPTIONS[name]["default"]]
        assert OPTIONS[name]["clause"] == ONE_WAY[name]
        return
    example = EXAMPLES[name]

    assert name in example.options
    assert example.play({}) == example.usual
    assert example.play(example.options) == example.other
    assert example.usual != example.other


def test_no_example_is_of_an_option_that_is_gone() -> None:
    assert {*EXAMPLES, *ONE_WAY} == set(OPTIONS)
