"""What house rules can set: every configurable default of the home systems, every option, every figure of a base."""

import copy
from collections.abc import Mapping
from typing import Any

import pytest

from app.catalog import Rulebook
from app.catalog.document import entries
from app.catalog.house import BadHouseRules, differences, judge
from app.catalog.house.trial import odds, samples_of
from tests.house.configurable import BY_RULESET, ONE_VALUE
from tests.house.documents import DARK_HERESY, MANEWRY, SHADOWRUN, figures, findings, merged
from tests.support.play import book, catalog
from tests.support.sizes import sized

STRIDE = sized(7, 7, 1)
"""Every so many figures are taken in the everyday run."""
RULESETS = sorted(catalog().ids)
CLAUSES = [(ruleset, clause) for ruleset, walk in BY_RULESET.items() for clause in walk]
REACHED = ("actions", "armour", "effects", "modifiers", "qualities", "samples", "stats", "tables", "weapons")
"""Sections whose figures house rules can set, beside the options."""


def test_every_configurable_clause_of_the_ledgers_is_walked() -> None:
    assert {name: len(walk) for name, walk in BY_RULESET.items()} == {"wh40k_d100": 37, "manewry_ap": 29}
    for name, walk in BY_RULESET.items():
        assert set(walk) <= set(book(name).texts.clauses)


@pytest.mark.parametrize(("ruleset", "clause"), CLAUSES)
def test_a_configurable_default_can_be_set(ruleset: str, clause: str) -> None:
    base = book(ruleset)
    patch = copy.deepcopy(BY_RULESET[ruleset][clause])
    if patch.get("tables", {}).get("criticals") == "SHIFTED":
        rows = base.document["tables"]["criticals"]
        patch["tables"]["criticals"] = [{**row, "leg": rows[0]["leg"]} for row in rows]

    made = judge(base, {"extends": ruleset, **patch})

    found = differences(base.document, made.document)
    if clause in ONE_VALUE:
        (option,) = patch["options"]
        assert (found, base.document["options"][option]["clause"]) == ([], clause)
        assert len(base.document["options"][option]["choices"]) >= 1
    else:
        assert {one.section for one in found} == set(patch)
        assert made.ruleset.pin != base.ruleset.pin
    assert list(odds(made, samples_of(made)))


def another(option: Mapping[str, Any]) -> Any:
    """Another value that the option can have; its own where there is but one."""
    match option["kind"]:
        case "flag":
            return not option["default"]
        case "choice":
            return next((one for one in option["choices"] if one != option["default"]), option["default"])
        case "list":
            return [] if option["default"] else option["choices"]
        case "dice":
            return "2d6" if option["default"] != "2d6" else "3d6"
        case _:
            own = option["default"]
            return next(one for one in (option["max"], option["min"]) if one != own)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_option_can_be_set(ruleset: str) -> None:
    base = book(ruleset)
    alone = []
    for name, option in entries(base.document, "options").items():
        value = another(option)
        made = judge(base, {"extends": ruleset, "options": {name: value}})
        found = differences(base.document, made.document)
        if value == option["default"]:
            alone.append(option)
            assert found == []
        else:
            assert [(one.section, one.id, one.before, one.after) for one in found] == [
                ("options", name, option["default"], value)
            ]
            assert made.ruleset.options[name] != base.ruleset.options[name]
    assert all(option["kind"] == "choice" and len(option["choices"]) == 1 for option in alone)


def overlay_of(base: Rulebook, section: str, path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """House rules that set one figure; what stands in a list is sent with the whole list."""
    held: Any = base.document[section]
    walked = []
    for step in path:
        if isinstance(held, list):
            break
        held = held[step]
        walked.append(step)
    if isinstance(held, list):
        held = copy.deepcopy(held)
        at = held
        rest = path[len(walked) :]
        for step in rest[:-1]:
            at = at[int(step) if isinstance(at, list) else step]
        at[int(rest[-1]) if isinstance(at, list) else rest[-1]] = value
        value = held
    for step in reversed(walked):
        value = {step: value}
    return {"extends": base.id, section: value}


def judged(base: Rulebook, document: dict[str, Any]) -> tuple[Rulebook | None, list[str]]:
    """The ruleset under a document, or the places of what is wrong with it."""
    try:
        return judge(base, document), []
    except BadHouseRules as bad:
        return None, [one.place for one in bad.findings]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_single_figure_gives_one_difference_or_says_why_not(ruleset: str) -> None:
    """Every figure of the base, one after another, one more than it is: a difference, or what is wrong with it."""
    base, counted, refused = book(ruleset), 0, 0
    for section in REACHED:
        for path, value in list(figures(base.document.get(section, {})))[::STRIDE]:
            changed = (not value) if isinstance(value, bool) else value + 1
            document = overlay_of(base, section, path, changed)
            made, wrong = judged(base, document)
            if made is None:
                refused += 1
                assert wrong, path
                assert all(place.startswith(f"/{section}") for place in wrong), (path, wrong)
                continue
            counted += 1
            found = differences(base.document, made.document)
            assert [(one.before, one.after) for one in found] == [(value, changed)], path
    assert counted > 3 * refused


@pytest.mark.parametrize("given", [DARK_HERESY, MANEWRY, SHADOWRUN], ids=lambda given: given["extends"])
def test_the_same_rules_by_another_road_have_the_same_pin(given: Mapping[str, Any]) -> None:
    made = merged(given)
    turned = dict(reversed(list(given.items())))
    assert merged(turned).ruleset.pin == made.ruleset.pin
    again = catalog().restore(made.document)
    assert (again.ruleset.pin, again.ruleset.actions.keys()) == (made.ruleset.pin, made.ruleset.actions.keys())


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_ruleset_takes_an_attack_a_move_and_an_effect_of_the_tables_own(ruleset: str) -> None:
    base = book(ruleset)
    assert "effect" in base.code.open
    for resolver in sorted(base.code.open - {"effect"}):
        old = next(key for key, one in base.document["actions"].items() if one["resolver"] == resolver)
        made = copy.deepcopy(dict(base.document["actions"][old]))
        made.pop("listed", None)
        document = {
            "extends": ruleset,
            "actions": {"our_own": {**made, "name": {"en": "Our own"}, "clauses": ["HR-10"]}},
        }
        if resolver == "fire":
            document["tables"] = {"firing": {"our_own": base.document["tables"]["firing"][old]}}
        assert findings(document, ruleset) == []
    assert "attack" in {tag for one in base.document["actions"].values() for tag in one.get("tags", ())}
