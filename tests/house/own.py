"""House rules with an attack, a move and an effect of the table's own for each ruleset, with figures that show."""

from typing import Any

Json = dict[str, Any]


def named(en: str, ru: str, pl: str) -> Json:
    """A name in three languages."""
    return {"en": en, "ru": ru, "pl": pl}


BLOW = named("Crushing Blow", "Сокрушающий удар", "Miażdżący cios")
DASH = named("Mad Dash", "Безумный рывок", "Szalony zryw")
COIL = named("Coil up", "Сжаться пружиной", "Skulenie się")
COILED = named("Coiled", "Сжат", "Skulony")


def effect(cost: Json, moment: str) -> Json:
    """A stance that ends at the bearer's next moment of that kind."""
    return {
        "effects": {"coiled": {"name": COILED, "clause": "HR-30", "until": [[{"at": moment, "who": "bearer"}]]}},
        "actions": {
            "coil": {
                "name": COIL,
                "cost": cost,
                "resolver": "effect",
                "params": {"do": {"one": {"kind": "begin", "effect": "coiled", "value": 3}}},
                "clauses": ["HR-30"],
            }
        },
    }


def table(extends: str, cost: Json, moment: str, blow: Json, dash: Json) -> Json:
    """All three in one document."""
    made = effect(cost, moment)
    blow = {"name": BLOW, "clauses": ["HR-10"], **blow}
    dash = {"name": DASH, "clauses": ["HR-20"], "tags": ["movement"], "needs": ["path"], **dash}
    actions = {**made["actions"], "crushing_blow": blow, "mad_dash": dash}
    return {"extends": extends, "title": {"en": "Our own"}, **made, "actions": actions}


OWN: dict[str, Json] = {
    "dark_heresy_2e": table(
        "dark_heresy_2e",
        {"half": {"half_action": 1}},
        "turn_start",
        {
            "cost": {"full": {"half_action": 2}},
            "tags": ["attack", "melee"],
            "targets": {"who": "enemy"},
            "weapons": {"kinds": ["melee"]},
            "resolver": "attack",
            "params": {
                "term": "crushing_blow",
                "to_hit": -7,
                "modes": ["melee"],
                "hits": {"formula": "fixed", "count": 2},
                "cites": {"needs": "HR-10", "test": "HR-10", "hits": "HR-10"},
            },
        },
        {
            "cost": {"half": {"half_action": 1}},
            "resolver": "move",
            "params": {"reach": {"half": "half"}, "beyond": 2.5, "clause": "HR-20"},
        },
    ),
    "gurps_4e": table(
        "gurps_4e",
        {"free": {}},
        "slot_start",
        {
            "cost": {"maneuver": {"maneuver": 1}},
            "tags": ["attack"],
            "targets": {"who": "other"},
            "weapons": {"kinds": ["melee"]},
            "needs": ["path"],
            "resolver": "attack",
            "params": {"extent": "half", "to_hit": -3, "clause": "HR-10"},
        },
        {
            "cost": {"maneuver": {"maneuver": 1}},
            "weapons": {"kinds": ["held"]},
            "form": {"toward": {"type": "combatant"}, "away_from": {"type": "combatant"}},
            "resolver": "move",
            "params": {"extent": "full", "beyond": 2.5, "clause": "HR-20"},
        },
    ),
    "manewry_ap": table(
        "manewry_ap",
        {"action": {"ap": 2}},
        "turn_end",
        {
            "cost": {"action": {}},
            "tags": ["attack"],
            "targets": {"who": "other"},
            "weapons": {"kinds": ["melee"]},
            "resolver": "attack",
            "params": {"kinds": ["melee"], "to_hit": 9, "st": 4, "damage": 5, "ap": 1},
        },
        {"cost": {"movement": {}}, "resolver": "move", "params": {"per_unit": 1, "clause": "HR-20"}},
    ),
    "shadowrun_5e": table(
        "shadowrun_5e",
        {"simple": {"simple": 1}},
        "phase_start",
        {
            "cost": {"complex": {"simple": 2}},
            "tags": ["attack", "melee"],
            "targets": {"who": "other"},
            "weapons": {"kinds": ["melee"]},
            "resolver": "melee",
            "params": {"dice": 4, "damage": 3},
        },
        {"cost": {"no_action": {}}, "resolver": "walk", "params": {"beyond": 3}},
    ),
    "wh40k_d100": table(
        "wh40k_d100",
        {"half": {"half_action": 1}},
        "turn_start",
        {
            "cost": {"half": {"half_action": 1}},
            "tags": ["attack", "physical"],
            "targets": {"who": "enemy"},
            "weapons": {"kinds": ["melee"]},
            "resolver": "attack",
            "params": {"mode": "single", "to_hit": -15, "clause": "HR-10"},
        },
        {"cost": {"half": {"half_action": 1}}, "resolver": "move", "params": {"reach": "half", "beyond": 2.5}},
    ),
}
