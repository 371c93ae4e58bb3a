"""House rules for tests: the three tables that play otherwise, and one that gets everything wrong."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.catalog import Rulebook
from app.catalog.house import BadHouseRules, judge
from tests.support.play import book

Json = dict[str, Any]

DARK_HERESY: Json = {
    "extends": "dark_heresy_2e",
    "title": {"en": "Heavy hands", "ru": "Тяжёлая рука", "pl": "Ciężka ręka"},
    "options": {"evasion_multi": "one_plus_dos"},
    "actions": {
        "heavy_swing": {
            "name": {"en": "Heavy Swing", "ru": "Тяжёлый взмах", "pl": "Ciężki zamach"},
            "cost": {"full": {"half_action": 2}},
            "tags": ["attack", "melee"],
            "targets": {"who": "enemy"},
            "weapons": {"kinds": ["melee"]},
            "form": {"aware": {"type": "bool", "clause": "DH-5050"}},
            "resolver": "attack",
            "params": {
                "term": "heavy_swing",
                "to_hit": -10,
                "modes": ["melee"],
                "hands": 2,
                "hits": {"formula": "fixed", "count": 2},
                "cites": {"needs": "HR-101", "test": "HR-101", "hits": "HR-101"},
            },
            "clauses": ["HR-101"],
        }
    },
    "weapons": {
        "laspistol": {"reload": {"kind": "full"}},
        "autogun": {"reload": {"kind": "extended", "steps": 2}},
    },
}
"""Evasion counted otherwise, slower reloads, a new attack with both hands."""

MANEWRY: Json = {
    "extends": "manewry_ap",
    "title": {"en": "Three dice", "pl": "Trzy kości"},
    "options": {"test_dice": "3d10", "base_st": 17},
    "tables": {"core": {"pools": {"ap": 12}}},
}
"""3d10 instead of a d100, 12 AP."""

SHADOWRUN: Json = {
    "extends": "shadowrun_5e",
    "title": {"en": "Trigger happy", "ru": "Лёгкий спуск"},
    "options": {"attack_actions_per_phase": 2},
}
"""Two attacks in a phase."""


def merged(given: Mapping[str, Any]) -> Rulebook:
    """The ruleset under house rules that are right."""
    return judge(book(given["extends"]), given)


def findings(given: Any, ruleset: str = "dark_heresy_2e") -> list[tuple[str, str]]:
    """(place, code) of everything wrong with a document; empty for one that is right."""
    try:
        judge(book(ruleset), given)
    except BadHouseRules as bad:
        return [(one.place, one.code) for one in bad.findings]
    return []


def figures(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every number and truth value of plain data, with the way to it. A list is passed as a whole."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from figures(one, (*path, str(key)))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from figures(one, (*path, str(place)))
    elif isinstance(value, int | float):
        yield path, value
