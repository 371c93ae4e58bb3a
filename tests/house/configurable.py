"""Every `default (configurable)` of the two home systems, with house rules that set it otherwise.

The clauses were read out of the ledgers once. Where the ledger's default is an order of steps, a metric or a law of the
service, the rule is code, and its option has the one value that code knows: those are in `ONE_VALUE`.
"""

from typing import Any

Json = dict[str, Any]

WH40K: dict[str, Json] = {
    "WH-010": {"options": {"initiative": "2d10"}},
    "WH-020": {"options": {"half_actions_per_turn": 3}},
    "WH-030": {"options": {"reactions_per_round": 2}},
    "WH-040": {"options": {"attack_actions_per_turn": 2}},
    "WH-060": {"options": {"round_ends": "turn_start"}},
    "WH-070": {"options": {"attack_order": "extreme_last"}},
    "WH-080": {"tables": {"core": {"move_multipliers": {"run": 5}}}},
    "WH-085": {"actions": {"stand_up": {"cost": {"half": {"half_action": 2}}}}},
    "WH-090": {"tables": {"engagement": [{"reach": 2, "metres": 1.5}, {"reach": 3, "metres": 3}]}},
    "WH-095": {"options": {"stated_light": "darkness"}},
    "WH-100": {"options": {"core_test": "d100_roll_below"}},
    "WH-110": {"options": {"critical_success": "doubles"}},
    "WH-120": {"options": {"successes": "tens_difference"}},
    "WH-130": {"options": {"failures": "tens_difference"}},
    "WH-140": {"options": {"modifier_cap": 60}},
    "WH-170": {"options": {"rounding": "up"}},
    "WH-290": {"options": {"track_ammo": False}},
    "WH-470": {"tables": {"core": {"outnumbering": [2, 4]}}},
    "WH-500": {"options": {"miss_hits_bystander": True}},
    "WH-510": {
        "tables": {
            "range_bands": [
                {"band": "point_blank", "metres": 3, "edge": True},
                {"band": "short", "percent": 50, "edge": False},
                {"band": "combat", "percent": 200, "edge": True},
                {"band": "long", "percent": 300, "edge": True},
                {"band": "extreme", "percent": 400, "edge": True},
            ]
        }
    },
    "WH-580": {"options": {"alert_on_attack": "everyone"}},
    "WH-590": {"options": {"unseen_evasion": "penalty"}},
    "WH-630": {"options": {"two_weapon_order": "off_first"}},
    "WH-660": {"options": {"engaged_shooting": "forbidden"}},
    "WH-880": {
        "options": {"command_range_m": 30},
        "actions": {"command_extreme_damage": {"cost": {"half": {"half_action": 2}}}},
    },
    "WH-900": {"options": {"melee_meets_cover": True}},
    "WH-910": {"tables": {"core": {"death_at": 8}}},
    "WH-920": {"tables": {"criticals": "SHIFTED"}},
    "WH-930": {"options": {"minor_falls_at_0": False}},
    "WH-940": {"tables": {"core": {"bleeding": {"amount": 2}}}},
    "WH-950": {
        "modifiers": {"critical_hit": {"value": -20}},
        "actions": {"dodge": {"cost": {"reaction": {"reaction": 2}}}},
    },
    "WH-960": {"modifiers": {"balanced": {"value": 5}}},
    "WH-970": {"actions": {"full_auto_burst": {"params": {"to_hit": -20}}}},
    "WH-980": {"tables": {"core": {"spray": {"arc": 45}}}},
    "WH-990": {"actions": {"charge": {"params": {"blow": {"to_hit": 10}}}, "aim": {"params": {"value": 20}}}},
    "WH-995": {"options": {"refusals": "change_nothing"}},
    "WH-998": {"options": {"reasons": "all_at_once"}},
}

MANEWRY: dict[str, Json] = {
    "MA-010": {"options": {"initiative": "2d10"}},
    "MA-020": {"tables": {"core": {"pools": {"ap": 12}}}, "options": {"ap_refill": "full_at_round_start"}},
    "MA-030": {"tables": {"core": {"pools": {"ep": 40}}}, "options": {"ep_regen": 3}},
    "MA-040": {"actions": {"drop_prone": {"cost": {"immediate": {"ap": 2}}}}, "options": {"immediate_per_turn": 2}},
    "MA-060": {"options": {"attack_order": "standard"}},
    "MA-070": {"effects": {"turn_over": {"until": [[{"at": "turn_end"}]]}}},
    "MA-080": {"options": {"map_metric": "chebyshev"}},
    "MA-090": {"options": {"refusals": "change_nothing"}},
    "MA-095": {"options": {"reasons": "all_at_once"}},
    "MA-100": {"options": {"test_dice": "3d10", "base_st": 17}},
    "MA-110": {"options": {"base_st": 60}},
    "MA-170": {"options": {"rounding": "up"}},
    "MA-200": {"weapons": {"sword": {"ap_cost": 5}}},
    "MA-210": {"weapons": {"bow": {"ap_cost": 5, "range_units": 40}}},
    "MA-220": {"options": {"defence_ap_cost": 2}},
    "MA-230": {"tables": {"core": {"melee_share": {"numerator": 1, "denominator": 1}}}},
    "MA-240": {"armour": {"mail": {"body": 5}}},
    "MA-250": {"options": {"surprise": "hit_bonus"}},
    "MA-260": {"options": {"down_targets": "defenceless"}},
    "MA-420": {"effects": {"holding": {"until": [[{"at": "turn_end", "who": "bearer", "times": 3}]]}}},
    "MA-470": {"actions": {"stand_up": {"cost": {"manoeuvre": {"ap": 4}}}}},
    "MA-490": {"modifiers": {"ground_attack_modifier": {"value": -10}}},
    "MA-535": {"options": {"leap_melee_only": False}},
    "MA-645": {"actions": {"sneak": {"params": {"per_unit": 3}}}},
    "MA-660": {"options": {"rest_ep": 10}},
    "MA-670": {"actions": {"ready_item": {"cost": {"action": {"ap": 1}}}}},
    "MA-750": {"effects": {"hidden": {"until": [[{"at": "turn_end", "who": "bearer"}]]}}},
    "MA-800": {"tables": {"core": {"pools": {"hp": 20}}}},
    "MA-830": {"actions": {"face": {"cost": {"free": {"ap": 1}}}}},
}

BY_RULESET = {"wh40k_d100": WH40K, "manewry_ap": MANEWRY}
ONE_VALUE = frozenset({"WH-995", "WH-998", "MA-060", "MA-080", "MA-090", "MA-095", "MA-260"})
