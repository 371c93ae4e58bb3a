"""The data of `dark_heresy_2e` against its ledger: weapons, armour, samples, tables, options, refusals."""

from typing import Any

import pytest

from app.catalog import Rulebook
from app.engine.ids import CombatantId
from tests.support import play

WEAPONS = """
laspistol      pistol  1 30    S/2/-  1d10+2   E 0 30 half        reliable
autopistol     pistol  1 30    S/-/6  1d10+2   I 0 18 full        -
autogun        basic   2 100   S/3/10 1d10+3   I 0 30 full        -
lasgun         basic   2 100   S/3/-  1d10+3   E 0 60 full        reliable
storm_bolter   basic   2 90    S/2/4  1d10+5   X 4 60 full        storm,tearing
shotgun        basic   2 30    S/-/-  1d10+4   I 0 8  extended:2  scatter
heavy_stubber  heavy   2 100   -/-/8  1d10+4   I 3 80 extended:2  -
hand_flamer    pistol  1 10    S/-/-  1d10+4   E 2 2  extended:2  spray
frag_grenade   grenade 1 3xSB  S/-/-  2d10     X 0 1  -           blast_3
sword          melee   1 -     -/-/-  1d10+SB  R 0 -  -           balanced
knife          melee   1 5     S/-/-  1d5+SB   R 0 -  -           -
chainsword     melee   1 -     -/-/-  1d10+2+SB R 2 - -           balanced,tearing
great_weapon   melee   2 -     -/-/-  2d10+SB  R 0 -  -           unbalanced
power_fist     melee   1 -     -/-/-  2d10+SB  E 8 -  -           unwieldy
shock_maul     melee   1 -     -/-/-  1d10+3+SB I 0 - -           shocking
unarmed        melee   1 -     -/-/-  1d5-3+SB I 0 -  -           -
"""

OPTIONS: dict[str, tuple[Any, list[str]]] = {
    "gm_free_action_limit": ("none", []),
    "extended_interrupts": (
        ["other_action", "reaction", "stunned", "prone", "grappled", "unconscious", "helpless", "moved"],
        ["other_action", "reaction", "stunned", "prone", "grappled", "unconscious", "helpless", "moved"],
    ),
    "ask_gm_on_damage": (False, []),
    "opposed_both_fail": ("stalemate", ["stalemate", "reroll"]),
    "opposed_margin": ("own", ["own", "difference"]),
    "split_hit_location": ("same_as_first", ["same_as_first", "roll_d100"]),
    "delay_cost": ("full", ["full", "half"]),
    "delay_window": ("between_turns", ["between_turns", "between_actions"]),
    "run_bonus_on_free_attack": (True, []),
    "all_out_bars": ("evasion", ["evasion", "dodge"]),
    "grapple_extra_options": (False, []),
    "grapple_free_hands": (1, []),
    "grapple_item_attack": (False, []),
    "slip_free_test": ("acrobatics_vs_strength", ["acrobatics_vs_strength", "challenging_acrobatics"]),
    "take_control_free_option": (True, []),
    "grapple_no_evasion": (True, []),
    "grapple_ws_bonus": (20, []),
    "defensive_stance_expires": ("own_turn", ["own_turn", "round"]),
    "stance_bars_free_attacks": (True, []),
    "evasion_multi": ("dos", ["dos", "one_plus_dos"]),
    "parry_multi": ("per_degree", ["per_degree", "one_only"]),
    "extended_test": ("at_end", ["at_end", "each_turn"]),
    "lightning_cap": ("additional", ["additional", "total"]),
    "gm_random_targets": (False, []),
    "kill_zone_range": ("published", ["published", "unlimited"]),
    "charge_knock_down_armed": (False, []),
    "knock_down_damage": ("instead", ["instead", "in_addition"]),
    "aim_both_weapons": (False, []),
    "run_up_limit": ("full_move", ["full_move", "charge", "run"]),
    "unbraced_burst": ("penalty", ["penalty", "forbid"]),
    "brace_arc_mode": ("total", ["total", "each_side"]),
    "tactical_advance_distance": ("half", ["half", "full"]),
    "unarmed_vs_armed_penalty": (True, []),
    "engagement_range_m": (1.5, []),
    "point_blank_m": (2, []),
    "multi_hit_side": ("parity", ["parity", "right", "gm"]),
    "parry_pistol_in_melee": (False, []),
    "stray_shots": ("none", ["none", "friend_on_miss"]),
    "short_burst": ("allow", ["allow", "forbid"]),
    "fall_damage": ("1d10", []),
    "storm_cap": ("after_doubling", ["after_doubling", "before_doubling"]),
    "spray_jam": (True, []),
    "fatigue_effect": ("halve_over_bonus", ["halve_over_bonus", "flat_minus_10"]),
    "pinned_must_seek_cover": (True, []),
    "reaction_refresh": ("round", ["round", "own_turn"]),
    "gm_confirms_distances": (False, []),
}

REASONS = """
aim_not_allowed already_braced already_grappled attack_limit attack_not_allowed_in_overwatch cannot_act
cannot_choose_to_fail cannot_parry cannot_parry_area cannot_parry_ranged dead decision_pending destination_blocked
destination_not_cover die_out_of_range encounter_not_running evasion_forbidden fire_mode_not_available
free_action_limit gm_refused grapple_must_be_declared_first grappled helpless immobilised insufficient_actions
invalid_option_value invalid_target item_not_carried magazine_full melee_weapon_required missing_input missing_talent
missing_talent_two_weapon_wielder move_too_far must_be_first_action must_run needs_two_weapons no_delay_banked
no_extended_action no_fate no_free_hand no_line_of_sight no_reaction_left no_spare_magazine not_controller not_engaged
not_enough_ammo not_extended not_grapple_target not_in_cover not_in_grapple not_jammed not_mounted not_prone
not_reloadable not_unarmed not_your_turn option_locked out_of_range out_of_reach outside_brace_arc path_blocked
path_not_straight pinned_may_not_leave_cover pinned_must_seek_cover prone reaction_in_own_turn roll_pending
run_up_too_short same_half_action_twice second_concentration_action stunned surprised target_harder_to_hit
target_too_far_from_primary too_close_to_charge turn_in_progress unaware unconscious unknown_action unknown_combatant
unknown_location unknown_option unknown_option_key unknown_power unknown_reaction unknown_skill weapon_jammed
weapon_not_heavy weapon_not_ready weapon_not_usable_in_melee weapon_quality_forbids wrong_action_type zone_arc_exceeded
"""

TYPES = {"E": "energy", "X": "explosive", "I": "impact", "R": "rending"}


@pytest.fixture(scope="module")
def rules() -> Rulebook:
    found = play.catalog().get("dark_heresy_2e")
    assert found is not None
    return found


def in_the_ledgers_words(weapon: Any) -> str:
    """A weapon as a row of the ledger's table."""
    reach = "-" if weapon.range is None else str(weapon.range // 100)
    reach = reach if weapon.range_sb is None else f"{weapon.range_sb // 100}xSB"
    modes = ["S" if weapon.rof.single else "-", *(str(rate or "-") for rate in (weapon.rof.semi, weapon.rof.full))]
    reload = "-" if weapon.reload is None else weapon.reload.kind
    if reload == "extended":
        reload = f"extended:{weapon.reload.steps}"
    qualities = [key if figure is True else f"{key}_{figure}" for key, figure in sorted(weapon.qualities.items())]
    return " ".join([
        weapon.class_, str(weapon.hands), reach, "/".join(modes), weapon.damage + ("+SB" if weapon.add_sb else ""),
        next(letter for letter, word in TYPES.items() if word == weapon.type), str(weapon.penetration),
        "-" if weapon.clip is None else str(weapon.clip), reload, ",".join(qualities) or "-",
    ])  # fmt: skip


def test_weapons_are_those_of_the_ledger(rules: Rulebook) -> None:
    expected = {row.split()[0]: " ".join(row.split()[1:]) for row in WEAPONS.strip().splitlines()}

    assert {name: in_the_ledgers_words(weapon) for name, weapon in rules.ruleset.weapons.items()} == expected
    assert [name for name, weapon in rules.ruleset.weapons.items() if weapon.natural] == ["unarmed"]


def test_armour_is_that_of_the_ledger(rules: Rulebook) -> None:
    parts = ("head", "right_arm", "left_arm", "body", "right_leg", "left_leg")
    assert {name: [points[part] for part in parts] for name, points in rules.ruleset.armour.items()} == {
        "none": [0, 0, 0, 0, 0, 0],
        "heavy_leathers": [0, 1, 1, 1, 0, 0],
        "flak_vest": [0, 0, 0, 3, 0, 0],
        "guard_flak": [4, 4, 4, 4, 4, 4],
        "light_carapace": [5, 5, 5, 5, 5, 5],
    }


@pytest.mark.parametrize(
    ("sample", "stats", "carried", "worn"),
    [
        ("vane", [35, 45, 34, 38, 40, 33, 38, 41, 30, 4, 12, 2], ["autogun both", "frag_grenade x2", "sword"],
         ("guard_flak",)),
        ("sable", [52, 31, 36, 33, 47, 30, 35, 37, 32, 4, 10, 1], ["knife", "sword main", "sword_2 off"],
         ("heavy_leathers",)),
        ("brok", [30, 43, 45, 46, 28, 25, 30, 34, 22, 4, 15, 0], ["heavy_stubber both", "knife"],
         ("light_carapace",)),
        ("gorm", [38, 20, 58, 54, 26, 16, 28, 30, 12, 5, 20, 0], ["great_weapon"], ()),
    ],
)  # fmt: skip
def test_samples_are_those_of_the_ledger(
    rules: Rulebook, sample: str, stats: list[int], carried: list[str], worn: tuple[str, ...]
) -> None:
    body = rules.sample(sample, CombatantId("x"), "red", sample)

    assert body is not None
    names = ("ws", "bs", "s", "t", "ag", "int", "per", "wp", "fel", "size", "wounds_max", "fate_points")
    assert [body.sheet.stats[name] for name in names] == stats
    assert body.sheet.worn == worn
    told = [
        " ".join([name, *filter(None, [item.held, f"x{item.count}" if item.count > 1 else None])])
        for name, item in sorted(body.items.items())
    ]
    assert told == carried


def test_samples_have_the_ammunition_and_skills_of_the_ledger(rules: Rulebook) -> None:
    bodies = {name: rules.sample(name, CombatantId("x"), "red", name) for name in ("vane", "sable", "brok", "gorm")}
    skills = {
        name: [body.sheet.ranks[skill] for skill in ("dodge", "parry", "athletics", "stealth", "awareness")]
        for name, body in bodies.items()
        if body is not None
    }

    assert bodies["vane"] is not None
    assert bodies["vane"].items["autogun"].marks == {"ammo": 30}
    assert bodies["brok"] is not None
    assert bodies["brok"].items["heavy_stubber"].marks == {"ammo": 80, "braced": 0}
    assert skills == {
        "vane": ["known", "known", "untrained", "untrained", "known"],
        "sable": ["trained", "trained", "untrained", "trained", "known"],
        "brok": ["known", "untrained", "known", "untrained", "untrained"],
        "gorm": ["untrained", "untrained", "trained", "untrained", "untrained"],
    }


@pytest.mark.clause("DH-5120")
def test_movement_is_one_two_three_and_six_times_the_value(rules: Rulebook) -> None:
    first, *rows = rules.ruleset.tables.movement

    assert (first.mv, first.half, first.full, first.charge, first.run) == (0, 50, 100, 200, 300)
    assert [(row.mv, row.half, row.full, row.charge, row.run) for row in rows] == [
        (mv, 100 * mv, 200 * mv, 300 * mv, 600 * mv) for mv in range(1, 11)
    ]


@pytest.mark.clause("DH-5210", "DH-5220", "DH-5140", "DH-5160", "DH-2020", "DH-2080")
def test_tables_are_those_of_the_ledger(rules: Rulebook) -> None:
    tables = rules.ruleset.tables

    assert [(row.upto, row.location) for row in tables.hit_locations] == [
        (10, "head"), (20, "right_arm"), (30, "left_arm"), (70, "body"), (85, "right_leg"), (100, "left_leg"),
    ]  # fmt: skip
    assert {row.first: list(row.later) for row in tables.multiple_hits} == {
        "head": ["head", "arm", "body", "arm", "body"],
        "arm": ["arm", "body", "head", "body", "arm"],
        "body": ["body", "arm", "head", "arm", "body"],
        "leg": ["leg", "body", "arm", "head", "body"],
    }
    assert [(row.band, row.percent, row.edge) for row in tables.ranges] == [
        ("short", 50, False), ("normal", 200, True), ("long", 300, True), ("extreme", 400, True),
    ]  # fmt: skip
    assert [row.value for row in tables.difficulty] == list(range(60, -70, -10))
    assert {row.material: row.points for row in tables.cover} == {
        "wood": 4, "glass": 4, "sandbags": 8, "iron_plate": 8, "rockcrete": 16, "bulkhead": 32,
    }  # fmt: skip
    assert list(rules.ruleset.ranks.items()) == [
        ("untrained", -20), ("known", 0), ("trained", 10), ("experienced", 20), ("veteran", 30),
    ]  # fmt: skip


@pytest.mark.clause("DH-5520")
@pytest.mark.parametrize(
    ("value", "part", "steps"),
    [
        (1, "head", ["fatigue 1"]),
        (2, "head", ["fatigue 1", "shaken until next_turn"]),
        (2, "arm", ["drop_held", "fatigue 1"]),
        (2, "leg", ["fatigue 1", "movement_halved until next_turn"]),
        (3, "body", ["fatigue 1", "stun 1"]),
        (3, "leg", ["fatigue 1", "prone", "stun 1"]),
        (4, "head", ["fatigue 1", "stun 2"]),
        (4, "arm", ["drop_held", "fatigue 1", "stun 1"]),
        (5, "head", ["fatigue 2", "shaken", "stun 1"]),
        (5, "body", ["fatigue 2", "stun 1", "weakened"]),
        (6, "arm", ["arm_unusable", "fatigue 2", "prone", "stun 1d5"]),
        (7, "leg", ["blood_loss", "fatigue 3", "movement_halved", "prone", "stun 1d5"]),
        (8, "arm", ["arm_lost", "blood_loss", "fatigue 3", "prone"]),
        (8, "body", ["blood_loss", "fatigue 3", "prone", "unconscious"]),
        (9, "leg", ["blood_loss", "unconscious"]),
        (10, "head", ["die"]),
    ],
)
def test_critical_effects_are_those_of_the_ledger(rules: Rulebook, value: int, part: str, steps: list[str]) -> None:
    row = next(row for row in rules.ruleset.tables.criticals if row.value == value)
    told = sorted(
        " ".join(filter(None, [
            step.effect or step.do,
            step.amount if step.do in ("fatigue", "stun") else None,
            "until next_turn" if step.lasts == "next_turn" else None,
        ]))
        for step in row.steps(part)
    )  # fmt: skip

    assert told == steps


def test_every_option_of_the_ledger_is_there_with_its_values_and_default(rules: Rulebook) -> None:
    declared = rules.document["options"]

    assert {key: (one["default"], one.get("choices", [])) for key, one in declared.items()} == OPTIONS


@pytest.mark.parametrize("key", sorted(OPTIONS))
def test_every_value_of_every_option_is_taken(rules: Rulebook, key: str) -> None:
    option = rules.document["options"][key]
    values: dict[str, list[Any]] = {
        "flag": [True, False],
        "choice": option.get("choices", []),
        "list": [[], option.get("choices", [])],
        "whole": [option.get("min"), option.get("max")],
        "optional_whole": ["none", 2],
        "length": [option.get("min"), option.get("max"), 1.25],
        "dice": ["1d10", "2d10+3"],
    }

    for value in values[option["kind"]]:
        assert rules.write_options(rules.read_options({key: value}))[key] == value


def test_every_refusal_of_the_ledger_has_a_kind_and_a_message_in_each_language(rules: Rulebook) -> None:
    for code in REASONS.split():
        assert code in rules.ruleset.kinds
        assert len({rules.message(code, language) for language in ("en", "ru", "pl")}) == 3


@pytest.mark.clause("DH-1230")
def test_what_leaves_nothing_else_to_be_judged_stands_alone(rules: Rulebook) -> None:
    assert rules.ruleset.alone == {
        "encounter_not_running", "unknown_combatant", "unknown_action", "wrong_action_type", "decision_pending",
        "roll_pending",
    }  # fmt: skip


@pytest.mark.clause("DH-4200")
@pytest.mark.parametrize(
    ("language", "titles"),
    [
        ("en", ["Semi-auto", "Full auto"]),
        ("ru", ["Короткая очередь", "Длинная очередь"]),
        ("pl", ["Krótka seria", "Długa seria"]),
    ],
)
def test_the_bursts_of_suppressing_fire_go_by_the_names_of_bursts(
    rules: Rulebook, language: str, titles: list[str]
) -> None:
    mode: Any = rules.action_form_schema("suppressing_fire", language)["properties"]["mode"]

    assert [choice["title"] for choice in mode["oneOf"]] == titles
