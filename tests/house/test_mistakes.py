# ruff: noqa: E501 -- one document a line reads best
"""House rules that are wrong: every mistake at once, each at its place, in three languages, never worse."""

import json
import random
from typing import Any

import pytest

from app.catalog.findings import MESSAGES
from app.catalog.house import BadHouseRules, judge, message
from app.catalog.house.messages import TRANSLATED, untranslated
from tests.house.documents import DARK_HERESY, MANEWRY, SHADOWRUN, findings
from tests.support.play import book

SWING = DARK_HERESY["actions"]["heavy_swing"]
TWENTY: dict[str, Any] = {
    "extends": "dark_heresy_2e",
    "title": {"pl": "Bez angielskiego"},
    "colour": "red",
    "ruleset": {"id": "mine"},
    "options": {
        "evasion_mutli": "dos",
        "parry_multi": "sometimes",
        "point_blank_m": 1000,
        "stray_shots": None,
    },
    "actions": {
        "chargge": None,
        "all_out_attack": {"params": {"to_hit": "a lot"}},
        "semi_auto_burst": {"params": {"hits": {"formula": "by_feeling", "count": 1}}},
        "full_auto_burst": {"listed": False},
        "aim": {"cost": {"half": {"half_action": -1}}},
        "run": {"params": {"reach": {"full": "sideways"}}},
        "double_tap": {"resolver": "overwatch", "cost": {"half": {"half_action": 1}}, "clauses": ["DH-3890"]},
        "long_swing": {**SWING, "name": {"ru": "Длинный"}},
        "odd_swing": {**SWING, "targets": {"who": "any"}, "params": {**SWING["params"], "wings": 3}},
        "end_turn": None,
    },
    "effects": {"prone": None},
    "modifiers": {
        "our_light": {"name": {"en": "Our light"}, "stage": "hit", "value": 5, "when": {"all": ["target.prune"]}, "clause": "DH-9999"},
    },
    "qualities": {"accurate": None},
    "weapons": {"club": {"name": {"en": "Club"}, "class": "melee", "damage": "1d1000000", "type": "impact"}},
    "armour": {"guard_flak": {"tail": 4}},
    "samples": {"sable": {"sheet": {"ws": 1000}}},
    "stats": {"figures": {"luck": {"kind": "figure", "min": 0, "max": 9}}},
    "tables": {"weather": []},
}  # fmt: skip
PLACES = [
    ("/actions/aim/cost/half/half_action", "out_of_bounds"),
    ("/actions/all_out_attack/params/to_hit", "wrong_type"),
    ("/actions/chargge", "nothing_to_remove"),
    ("/actions/double_tap/name", "missing_name"),
    ("/actions/double_tap/resolver", "resolver_closed"),
    ("/actions/end_turn", "ends_turn"),
    ("/actions/full_auto_burst/listed", "not_settable"),
    ("/actions/long_swing/name/en", "missing"),
    ("/actions/odd_swing/params/wings", "unknown_field"),
    ("/actions/odd_swing/targets/who", "not_carried"),
    ("/actions/run/params/reach/full", "unknown_word"),
    ("/actions/semi_auto_burst/params/hits/formula", "unknown_word"),
    ("/armour/guard_flak/tail", "unknown_name"),
    ("/colour", "unknown_field"),
    ("/effects/prone", "still_used"),
    ("/modifiers/our_light/clause", "unknown_name"),
    ("/modifiers/our_light/when/all/0", "unknown_tag"),
    ("/options/evasion_mutli", "unknown_name"),
    ("/options/parry_multi", "default_not_offered"),
    ("/options/point_blank_m", "out_of_bounds"),
    ("/options/stray_shots", "not_removable"),
    ("/qualities/accurate", "still_used"),
    ("/ruleset", "not_settable"),
    ("/samples/sable/sheet/ws", "out_of_bounds"),
    ("/stats/figures/luck", "not_addable"),
    ("/tables/weather", "not_addable"),
    ("/title/en", "missing"),
    ("/weapons/club/damage", "bad_dice"),
]


def told() -> BadHouseRules:
    """All that is wrong with it."""
    with pytest.raises(BadHouseRules) as caught:
        judge(book("dark_heresy_2e"), TWENTY)
    return caught.value


def test_twenty_mistakes_and_more_come_back_each_with_its_place() -> None:
    found = [(one.place, one.code) for one in told().findings]
    assert found == PLACES
    assert len(found) >= 20


def test_a_slip_of_the_pen_is_guessed_and_a_removal_says_where_it_is_missed() -> None:
    sentences = {one.place: one.message for one in told().findings}
    assert sentences["/actions/chargge"] == "the base has no chargge; did you mean charge?"
    assert "did you mean evasion_multi" in sentences["/options/evasion_mutli"]
    assert sentences["/effects/prone"].startswith("prone is used in 4 places: modifiers/attacker_prone")
    assert "did you mean target.prone" not in sentences["/modifiers/our_light/when/all/0"]


@pytest.mark.parametrize(
    ("document", "place", "hint"),
    [
        ({"actions": {"charge": {"parms": {}}}}, "/actions/charge/parms", "params"),
        ({"actions": {"charge": {"targets": {"mn": 1}}}}, "/actions/charge/targets/mn", "min"),
        ({"samples": {"sable": {"shet": {}}}}, "/samples/sable/shet", "sheet"),
        ({"actions": {"charge": {"targets": {"who": "enmy"}}}}, "/actions/charge/targets/who", "enemy"),
        ({"actions": {"charge": {"resolver": "chrge"}}}, "/actions/charge/resolver", "charge"),
        ({"weapons": {"laspistol": {"reload": {"kind": "ful"}}}}, "/weapons/laspistol/reload/kind", "full"),
        ({"options": {"evasion_multi": "one_plus_do"}}, "/options/evasion_multi", "one_plus_dos"),
        ({"weapons": {"laspistl": {"reload": {"kind": "full"}}}}, "/weapons/laspistl", "laspistol"),
        ({"actions": {"chrge": {"params": {"min_distance": 3}}}}, "/actions/chrge", "charge"),
    ],
)
def test_a_word_that_is_nearly_right_is_guessed_wherever_it_stands(
    document: dict[str, Any], place: str, hint: str
) -> None:
    with pytest.raises(BadHouseRules) as bad:
        judge(book("dark_heresy_2e"), {"extends": "dark_heresy_2e", **document})
    sentences = [message(one, "en") for one in bad.value.findings if one.place == place]
    assert any(f"; did you mean {hint}?" in one for one in sentences), bad.value
    assert any(f"; może {hint}?" in message(one, "pl") for one in bad.value.findings if one.place == place)


def test_a_new_entry_that_is_whole_is_no_slip_of_the_pen() -> None:
    near = {"laspistl": {**book("dark_heresy_2e").document["weapons"]["laspistol"], "name": {"en": "Laspistl"}}}
    made = judge(book("dark_heresy_2e"), {"extends": "dark_heresy_2e", "weapons": near})
    assert made.name("weapon", "laspistl", "en") == "Laspistl"


def test_every_mistake_is_told_in_three_languages() -> None:
    for one in told().findings:
        said = {language: message(one, language) for language in ("en", "ru", "pl")}
        assert len(set(said.values())) == 3, said
        assert any("а" <= letter <= "я" for letter in said["ru"])


def test_every_code_that_house_rules_can_give_has_its_sentence() -> None:
    of_yaml = {
        "alias",
        "ambiguous",
        "anchor",
        "bad_key",
        "bad_yaml",
        "code_missing",
        "empty",
        "missing_file",
        "not_utf8",
    }
    of_files = {"placeholder", "plain_missing", "repeated_key", "tag", "too_big", "unknown_file"}
    assert untranslated() == of_yaml | of_files
    for words in TRANSLATED.values():
        assert set(words) <= set(MESSAGES)


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ([], [("", "wrong_type")]),
        ({}, [("/extends", "missing")]),
        ({"extends": 7}, [("/extends", "other_ruleset")]),
        ({"extends": "gurps_4e"}, [("/extends", "other_ruleset")]),
        ({"extends": "dark_heresy_2e", "actions": []}, [("/actions", "wrong_type")]),
        ({"extends": "dark_heresy_2e", "actions": {"charge": 3}}, [("/actions/charge", "wrong_type")]),
        ({"extends": "dark_heresy_2e", "actions": None}, [("/actions", "wrong_type")]),
        ({"extends": "dark_heresy_2e", "names": {"reason": {"x": {"en": "{0.__class__}"}}}}, [("/names/reason", "unknown_field")]),
        ({"extends": "dark_heresy_2e", "names": {"modifier": {"x": "y"}}}, [("/names/modifier/x", "wrong_type")]),
        ({"extends": "dark_heresy_2e", "stats": {"figures": {"ws": None}}}, [("/stats/figures/ws", "not_removable")]),
        ({"extends": "dark_heresy_2e", "stats": {"figures": {"ws": {"kind": "flag"}}}}, [("/stats/figures/ws/kind", "not_settable")]),
        ({"extends": "dark_heresy_2e", "stats": {"armour": {"max": 1}}}, [("/stats/armour/max", "breaks_base")]),
        ({"extends": "dark_heresy_2e", "weapons": {"unarmed": None}}, [("/weapons/unarmed", "needed_by_rules")]),
        ({"extends": "dark_heresy_2e", "weapons": {"laspistol": {"clip": None, "rof": {"single": None, "x": None}}}}, [("/weapons/laspistol/rof/x", "nothing_to_remove")]),
        ({"extends": "dark_heresy_2e", "actions": {"charge": {"params": {"blow": {"cites": None}}}}}, [("/actions/charge/params/blow/cites", "missing")]),
        ({"extends": "dark_heresy_2e", "actions": {"move": {"cost": {"free": {"half_action": 0}}}}}, [("/actions/move/cost/free", "not_carried")]),
    ],
)  # fmt: skip
def test_a_single_mistake_makes_a_single_finding(document: Any, found: list[tuple[str, str]]) -> None:
    assert set(found) <= set(findings(document))
    assert len(findings(document)) <= len(found) + 1


def test_what_is_too_large_is_refused_before_it_is_merged() -> None:
    deep: Any = 1
    for _ in range(14):
        deep = {"a": deep}
    codes = {code for _, code in findings({"extends": "dark_heresy_2e", "actions": deep})}
    assert codes == {"too_deep"}
    many = {"extends": "dark_heresy_2e", "weapons": {f"w{n}": {} for n in range(401)}}
    assert findings(many) == [("/weapons", "too_long")]
    huge = {"extends": "dark_heresy_2e", "tables": {f"t{n}": [0] * 300 for n in range(30)}}
    assert ("", "too_many_values") in findings(huge)
    assert ("/title/en", "text_too_long") in findings({"extends": "dark_heresy_2e", "title": {"en": "x" * 401}})


def test_thousands_of_mistakes_are_found_in_no_time() -> None:
    document = {"extends": "dark_heresy_2e", "actions": {f"a{n}": {"x": 1} for n in range(400)}}
    assert len(findings(document)) > 400


@pytest.mark.parametrize("document", [DARK_HERESY, MANEWRY, SHADOWRUN, TWENTY], ids=["dh", "ma", "sr", "wrong"])
def test_a_document_with_anything_anywhere_is_judged_and_never_breaks(document: dict[str, Any]) -> None:
    """One value after another replaced by something of another kind: right, or wrong in words."""
    chance = random.Random(7)
    junk: list[Any] = [None, True, -1, 0.5, 10**9, "", "x", [], [None], {}, {"": None}, {"a": {"b": [{"c": None}]}}]
    text = json.dumps(document)
    for _ in range(60):
        changed = json.loads(text)
        at: Any = changed
        while True:
            keys = list(at) if isinstance(at, dict) else range(len(at))
            if not keys:
                break
            key = chance.choice(list(keys))
            if isinstance(at[key], dict | list) and at[key] and chance.random() < 0.8:
                at = at[key]
                continue
            at[key] = chance.choice(junk)
            break
        found = findings(changed, document["extends"])
        assert all(place == "" or place.startswith("/") for place, _ in found)


@pytest.mark.parametrize(
    ("ruleset", "section"),
    [
        ("manewry_ap", {"tables": {"core": {"melee_share": {"denominator": 0}}}}),
        ("manewry_ap", {"tables": {"core": {"sprint": {"units_per_ap": 0}}}}),
        ("wh40k_d100", {"tables": {"core": {"joint_divisor": 0}}}),
        ("wh40k_d100", {"actions": {"semi_auto_burst": {"params": {"hits": {"step": 0}}}}}),
        ("dark_heresy_2e", {"actions": {"semi_auto_burst": {"params": {"hits": {"step": 0}}}}}),
        ("shadowrun_5e", {"tables": {"core": {"boxes_per_wound": 0}}}),
        ("gurps_4e", {"tables": {"core": {"step_divisor": 0}}}),
    ],
)
def test_nothing_is_divided_by_nothing(ruleset: str, section: dict[str, Any]) -> None:
    ((_, code),) = findings({"extends": ruleset, **section}, ruleset)
    assert code == "out_of_bounds"
