"""Sheets of rulesets that hold more than the toy's: levels, decimals, figures that may be left out."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from app.catalog import Rulebook, Unfit
from app.catalog.findings import Findings
from app.catalog.registry import make_rulebook, read_folder
from app.engine.ids import CombatantId
from app.engine.state import Sheet
from app.services.newcomers import sheet_over
from tests.catalog.conftest import HOME, Judge
from tests.catalog.rulesets import toy
from tests.catalog.test_document import Change, at, places, without

GOOD: dict[str, Any] = {"might": 12}


def wrong(book: Rulebook, change: dict[str, Any]) -> list[str]:
    """What reading finds; the schema refuses the same."""
    try:
        book.read_sheet(GOOD | change, "/sheet")
        found = []
    except Unfit as unfit:
        found = [f"{finding.place} {finding.code}" for finding in unfit.findings]
    assert Draft202012Validator(book.sheet_schema("en")).is_valid(GOOD | change) is not bool(found)
    return found


def comes_back(book: Rulebook, sheet: Sheet) -> dict[str, Any]:
    """The sheet on the wire, which is read as the same sheet and fits the schema."""
    written = book.write_sheet(sheet)
    assert book.read_sheet(json.loads(json.dumps(written))) == sheet
    assert Draft202012Validator(book.sheet_schema("en")).is_valid(written)
    return written


def changed(book: Rulebook, *path: str, value: Any) -> Rulebook:
    """The ruleset after a change of its document."""
    document = json.loads(json.dumps(book.document)) | {"samples": {}}
    at(*path, value=value)(document)
    return make_rulebook(document, book.texts, toy.CODE, Findings())


def test_the_sample_of_every_kind_of_sheet_survives_the_way_to_the_wire_and_back(rich: Rulebook) -> None:
    for sample in rich.document["samples"]:
        body = rich.sample(sample, CombatantId("c1"), "red", "Knight")
        assert body is not None
        comes_back(rich, body.sheet)


@pytest.mark.parametrize(
    ("skills", "held"),
    [
        ({}, {}),
        ({"block": 1}, {"block": 1}),
        ({"sneak": 30, "block": 12}, {"block": 12, "sneak": 30}),
    ],
)
def test_a_sheet_has_levels_of_the_skills_it_names_and_of_no_others(
    rich: Rulebook, skills: dict[str, int], held: dict[str, int]
) -> None:
    sheet = rich.read_sheet(GOOD | {"skills": skills, "defaults": {"chess": 6}})

    assert (sheet.levels, sheet.defaults, sheet.ranks) == (held, {"chess": 6}, {})
    written = comes_back(rich, sheet)
    assert (written["skills"], written["defaults"]) == (held, {"chess": 6})


def test_a_skill_may_have_a_level_and_a_default_at_once(rich: Rulebook) -> None:
    sheet = rich.read_sheet(GOOD | {"skills": {"block": 9}, "defaults": {"block": 3}})

    assert (sheet.levels, sheet.defaults) == ({"block": 9}, {"block": 3})
    comes_back(rich, sheet)


def test_where_levels_have_a_default_every_skill_has_one(rich: Rulebook) -> None:
    book = changed(rich, "stats", "levels", value={"min": 0, "max": 13, "default": 0})
    sheet = book.read_sheet(GOOD | {"skills": {"sneak": 5}})

    assert sheet.levels == {"block": 0, "chess": 0, "sneak": 5}
    assert "defaults" not in comes_back(book, sheet)
    assert wrong(book, {"skills": {"sneak": -1}}) == ["/sheet/skills/sneak out_of_bounds"]
    assert wrong(book, {"skills": {"sneak": 14}}) == ["/sheet/skills/sneak out_of_bounds"]
    assert wrong(book, {"defaults": {}}) == ["/sheet/defaults unknown_field"]
    skills = book.sheet_schema("en")["properties"]["skills"]["properties"]
    assert skills["chess"] == {
        "type": "integer", "minimum": 0, "maximum": 13, "default": 0, "title": "Chess (en)", "x-stat": "wits",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "findings"),
    [
        ({"skills": {"block": 1, "sneak": 30}}, []),
        ({"skills": {"block": 0}}, ["/sheet/skills/block out_of_bounds"]),
        ({"skills": {"block": 31}}, ["/sheet/skills/block out_of_bounds"]),
        ({"skills": {"block": "12"}}, ["/sheet/skills/block wrong_type"]),
        ({"skills": {"block": True}}, ["/sheet/skills/block wrong_type"]),
        ({"skills": {"blokc": 12}}, ["/sheet/skills/blokc unknown_name"]),
        ({"skills": []}, ["/sheet/skills wrong_type"]),
        ({"defaults": {"chess": 1, "block": 30}}, []),
        ({"defaults": {"chess": 0}}, ["/sheet/defaults/chess out_of_bounds"]),
        ({"defaults": {"chess": 31}}, ["/sheet/defaults/chess out_of_bounds"]),
        ({"defaults": {"ches": 3}}, ["/sheet/defaults/ches unknown_name"]),
        ({"defaults": 3}, ["/sheet/defaults wrong_type"]),
    ],
)  # fmt: skip
def test_each_mistake_of_such_a_sheet_has_its_place(
    rich: Rulebook, change: dict[str, Any], findings: list[str]
) -> None:
    assert wrong(rich, change) == findings


@pytest.mark.parametrize(
    ("change", "held"),
    [
        ({}, {}),
        ({"nerve": 1, "life": 50}, {"nerve": 1, "life": 50}),
        ({"speed": 5.75}, {"speed": 575}),
        ({"speed": 6}, {"speed": 600}),
        ({"speed": 0.25}, {"speed": 25}),
        ({"nerve": None, "speed": None}, {}),
    ],
)
def test_figures_may_be_left_out_where_the_ruleset_says_so(
    rich: Rulebook, change: dict[str, Any], held: dict[str, int]
) -> None:
    sheet = rich.read_sheet({"might": 12} | change)

    assert sheet.stats == {"might": 12, "wits": 8, "undead": 0, "bulk": 150, "soul": 600} | held
    written = comes_back(rich, sheet)
    assert {name: written[name] for name in ("nerve", "life", "speed") if name in written} == {
        name: value for name, value in change.items() if value is not None
    }
    assert (written["bulk"], written["soul"]) == (1.5, 6)


@pytest.mark.parametrize(
    ("change", "findings"),
    [
        ({"speed": 0.25}, []),
        ({"speed": 20}, []),
        ({"speed": 0}, ["/sheet/speed out_of_bounds"]),
        ({"speed": 20.25}, ["/sheet/speed out_of_bounds"]),
        ({"speed": 5.8}, ["/sheet/speed out_of_step"]),
        ({"speed": 5.125}, ["/sheet/speed out_of_step"]),
        ({"speed": "5.75"}, ["/sheet/speed wrong_type"]),
        ({"speed": True}, ["/sheet/speed wrong_type"]),
        ({"bulk": -2.5}, []),
        ({"bulk": 0}, []),
        ({"bulk": -3}, ["/sheet/bulk out_of_bounds"]),
        ({"bulk": 1.25}, ["/sheet/bulk out_of_step"]),
        ({"bulk": None}, ["/sheet/bulk missing"]),
        ({"nerve": 0}, ["/sheet/nerve out_of_bounds"]),
        ({"nerve": 31}, ["/sheet/nerve out_of_bounds"]),
        ({"nerve": 1.5}, ["/sheet/nerve wrong_type"]),
        ({"might": None}, ["/sheet/might missing"]),
    ],
)  # fmt: skip
def test_decimals_lie_in_their_bounds_and_steps(rich: Rulebook, change: dict[str, Any], findings: list[str]) -> None:
    assert wrong(rich, change) == findings


def test_the_schema_says_what_a_decimal_is_and_what_may_be_left_out(rich: Rulebook) -> None:
    schema = rich.sheet_schema("pl")

    assert schema["required"] == ["might"]
    assert schema["properties"]["speed"] == {
        "type": ["number", "null"], "multipleOf": 0.25, "minimum": 0.25, "maximum": 20, "title": "Speed (pl)",
        "x-kind": "decimal",
    }  # fmt: skip
    assert schema["properties"]["bulk"] == {
        "type": "number", "multipleOf": 0.5, "minimum": -2.5, "maximum": 2.5, "title": "Bulk (pl)",
        "x-kind": "decimal", "default": 1.5, "x-clause": "TY-20",
    }  # fmt: skip
    assert schema["properties"]["nerve"]["type"] == ["integer", "null"]


@pytest.mark.parametrize(
    ("armour", "points", "worn", "written"),
    [
        ("mail", {"top": 1, "bottom": 4, "bottom/cr": 2}, ("mail",), "mail"),
        ("vest", {"bottom": 2, "bottom/pi-": 8, "bottom/pi": 8}, ("vest",), "vest"),
        ("ward", {"top/cr": 5}, ("ward",), "ward"),
        (["none", "cap"], {"top": 2}, ("cap",), "cap"),
        # each layer holds against a type with its own points, or with those against any damage
        (["mail", "plate"], {"top": 3, "bottom": 4, "bottom/cr": 3}, ("mail", "plate"), ["mail", "plate"]),
        (["mail", "vest"], {"top": 1, "bottom": 4, "bottom/pi-": 8, "bottom/pi": 8, "bottom/cr": 2},
         ("mail", "vest"), ["mail", "vest"]),
        (["plate", "ward"], {"top": 3, "top/cr": 5, "bottom": 3}, ("plate", "ward"), ["plate", "ward"]),
        ({"top": {"dr": 4, "cr": 2}}, {"top": 4, "top/cr": 2}, (), {"top": {"dr": 4, "cr": 2}}),
        ({"top": {"dr": 4, "cr": 0}}, {"top": 4, "top/cr": 0}, (), {"top": {"dr": 4, "cr": 0}}),
        ({"top": {"dr": 4, "cr": 4}, "bottom": {"dr": 9}}, {"top": 4, "bottom": 9}, (), {"top": 4, "bottom": 9}),
        ({"top": {"pi-": 3, "pi": 9}}, {"top/pi-": 3, "top/pi": 9}, (), {"top": {"dr": 0, "pi-": 3, "pi": 9}}),
        ({"top": {}, "bottom": {"dr": 0, "cr": 0}}, {}, (), "none"),
    ],
)  # fmt: skip
def test_armour_may_hold_differently_against_types_of_damage(
    rich: Rulebook, armour: Any, points: dict[str, int], worn: tuple[str, ...], written: Any
) -> None:
    sheet = rich.read_sheet(GOOD | {"armour": armour})

    assert (sheet.armour, sheet.worn) == (points, worn)
    assert comes_back(rich, sheet)["armour"] == written


@pytest.mark.parametrize(
    ("armour", "findings"),
    [
        ({"top": {"dr": 9, "pi-": 0}}, []),
        ({"top": {"dr": 10}}, ["/sheet/armour/top/dr out_of_bounds"]),
        ({"top": {"cr": 10}}, ["/sheet/armour/top/cr out_of_bounds"]),
        ({"top": {"cr": -1}}, ["/sheet/armour/top/cr out_of_bounds"]),
        ({"top": {"cut": 1}}, ["/sheet/armour/top/cut unknown_name"]),
        ({"top": {"cr": "1"}}, ["/sheet/armour/top/cr wrong_type"]),
        ({"top": {"cr": {"dr": 1}}}, ["/sheet/armour/top/cr wrong_type"]),
        ({"top": [4]}, ["/sheet/armour/top wrong_type"]),
        ({"middle": {"dr": 1}}, ["/sheet/armour/middle unknown_name"]),
    ],
)  # fmt: skip
def test_each_mistake_of_such_armour_has_its_place(rich: Rulebook, armour: Any, findings: list[str]) -> None:
    assert wrong(rich, {"armour": armour}) == findings


def test_where_no_types_are_declared_points_are_whole(book: Rulebook) -> None:
    with pytest.raises(Unfit) as unfit:
        book.read_sheet({"might": 12, "life": 20, "armour": {"top": {"dr": 1}}}, "/sheet")

    assert [(one.place, one.code) for one in unfit.value.findings] == [("/sheet/armour/top", "wrong_type")]
    assert "damage_types" not in book.describe_ruleset("en")


def test_the_rules_have_the_points_of_each_piece_and_readers_the_types(rich: Rulebook) -> None:
    view = rich.describe_ruleset("pl")

    assert rich.ruleset.armour["mail"] == {"top": 1, "bottom": 4, "bottom/cr": 2}
    assert rich.ruleset.armour["ward"] == {"top": 0, "top/cr": 5}
    assert next(one["points"] for one in view["armour"] if one["id"] == "mail") == {
        "top": 1, "bottom": {"dr": 4, "cr": 2},
    }  # fmt: skip
    assert view["damage_types"][0] == {"id": "pi-", "name": "Pi- (pl)"}
    top = rich.sheet_schema("pl")["properties"]["armour"]["anyOf"][2]["properties"]["top"]
    assert top["title"] == "Top (pl)"
    assert list(top["anyOf"][1]["properties"]) == ["dr", "pi-", "pi", "cr"]


@pytest.mark.parametrize(
    ("talents", "traits", "values", "written"),
    [
        ([], (), {}, []),
        (["brute"], ("brute",), {}, ["brute"]),
        (["brute", {"id": "alert", "value": 4}], ("alert", "brute"), {"alert": 4},
         [{"id": "alert", "value": 4}, "brute"]),
        ([{"value": 1, "id": "alert"}], ("alert",), {"alert": 1}, [{"id": "alert", "value": 1}]),
    ],
)  # fmt: skip
def test_a_talent_may_carry_a_figure(
    rich: Rulebook, talents: Any, traits: tuple[str, ...], values: dict[str, int], written: Any
) -> None:
    sheet = rich.read_sheet(GOOD | {"talents": talents})

    assert (sheet.traits, sheet.trait_values) == (traits, values)
    assert comes_back(rich, sheet)["talents"] == written


@pytest.mark.parametrize(
    ("talents", "findings"),
    [
        ([{"id": "alert", "value": 1}], []),
        ([{"id": "alert", "value": 4}], []),
        ([{"id": "alert", "value": 0}], ["/sheet/talents/0/value out_of_bounds"]),
        ([{"id": "alert", "value": 5}], ["/sheet/talents/0/value out_of_bounds"]),
        ([{"id": "alert", "value": "1"}], ["/sheet/talents/0/value wrong_type"]),
        ([{"id": "alert", "value": True}], ["/sheet/talents/0/value wrong_type"]),
        (["alert"], ["/sheet/talents/0 talent_figure"]),
        ([{"id": "alert"}], ["/sheet/talents/0 talent_figure"]),
        ([{"id": "alert", "value": None}], ["/sheet/talents/0 talent_figure"]),
        ([{"id": "brute", "value": 1}], ["/sheet/talents/0 talent_figure"]),
        ([{"id": "brute"}], ["/sheet/talents/0 talent_figure"]),
        ([{"id": "alert", "value": 1, "x": 1}], ["/sheet/talents/0/x unknown_field"]),
        ([{"value": 1}], ["/sheet/talents/0 unknown_name"]),
        ([{"id": ["alert"], "value": 1}], ["/sheet/talents/0 unknown_name"]),
    ],
)  # fmt: skip
def test_a_figure_that_is_missing_or_too_much_has_its_place(rich: Rulebook, talents: Any, findings: list[str]) -> None:
    assert wrong(rich, {"talents": talents}) == findings


def test_nobody_has_a_talent_twice(rich: Rulebook) -> None:
    with pytest.raises(Unfit) as unfit:
        rich.read_sheet(GOOD | {"talents": [{"id": "alert", "value": 1}, {"id": "alert", "value": 2}]}, "/sheet")

    assert [(one.place, one.code) for one in unfit.value.findings] == [("/sheet/talents/1", "choices_repeat")]


def test_a_schema_offers_talents_with_and_without_figures(rich: Rulebook) -> None:
    items = rich.sheet_schema("pl")["properties"]["talents"]["items"]
    alert = {
        "type": "object", "additionalProperties": False, "required": ["id", "value"], "title": "Alert (pl)",
        "properties": {"id": {"const": "alert"}, "value": {"type": "integer", "minimum": 1, "maximum": 4}},
    }  # fmt: skip

    assert items == {"anyOf": [{"type": "string", "oneOf": [{"const": "brute", "title": "Brute (pl)"}]}, alert]}
    only = changed(rich, "stats", "traits", value={"alert": rich.document["stats"]["traits"]["alert"]})
    assert only.sheet_schema("pl")["properties"]["talents"]["items"] == alert
    view = rich.describe_ruleset("en")["talents"]
    assert view[0] == {"id": "alert", "name": "Alert", "clause": "TY-20", "figure": True, "min": 1, "max": 4}


def test_a_resource_may_go_below_nothing(rich: Rulebook, book: Rulebook) -> None:
    assert (rich.least("hurt"), book.least("hurt"), rich.least("luck")) == (-200, 0, 0)


def test_a_sheet_with_ranks_is_stored_as_ever() -> None:
    document, texts = read_folder(HOME, Findings())
    sheet = make_rulebook(document, texts, toy.CODE, Findings()).read_sheet(GOOD | {"life": 20})

    assert (sheet.levels, sheet.defaults) == ({}, {})


def test_a_reader_learns_of_the_levels(rich: Rulebook, book: Rulebook) -> None:
    view = rich.describe_ruleset("en")

    assert (view["ranks"], view["levels"]) == ([], {"min": 1, "max": 30, "default": None, "defaults": True})
    block = next(skill for skill in view["skills"] if skill["id"] == "block")
    assert block["untrained"] == {"stat": "wits", "modifier": -5}
    assert changed(rich, "stats", "levels", value={"min": 0, "max": 13, "default": 2}).describe_ruleset("en")[
        "levels"
    ] == {"min": 0, "max": 13, "default": 2, "defaults": False}
    assert "levels" not in book.describe_ruleset("en")


def test_the_rules_know_what_stands_for_a_skill_nobody_learned(rich: Rulebook, book: Rulebook) -> None:
    assert rich.ruleset.untrained == {"block": ("wits", -5), "sneak": ("wits", 0)}
    assert (book.ruleset.untrained, rich.ruleset.ranks) == ({}, {})


STATS = ("stats",)

BAD: list[tuple[Change, list[str]]] = [
    (at(*STATS, "figures", "defaults", value={"kind": "flag", "default": True}),
     ["/stats/figures/defaults contradiction", "/samples/knight/sheet/defaults wrong_type"]),
    (without(*STATS, "traits", "alert", "max"), ["/stats/traits/alert/max missing"]),
    (without(*STATS, "traits", "alert", "min"), ["/stats/traits/alert/min missing"]),
    (at(*STATS, "traits", "alert", "min", value=5), ["/stats/traits/alert/max contradiction",
                                                     "/samples/knight/sheet/talents/1/value out_of_bounds"]),
    (at(*STATS, "traits", "brute", "max", value=5), ["/stats/traits/brute/max contradiction"]),
    (at(*STATS, "traits", "brute", "figure", value=1), ["/stats/traits/brute/figure wrong_type"]),
    (at(*STATS, "traits", "alert", "figure", value=False), ["/stats/traits/alert/max contradiction",
        "/stats/traits/alert/min contradiction", "/samples/knight/sheet/talents/1 talent_figure"]),
    (at(*STATS, "armour", "types", value=["cr", "pi", "pi-", "dr"]), ["/stats/armour/types/3 contradiction", *(
        f"/locale/{language}/damage_type/dr missing_name" for language in ("en", "pl", "ru"))]),
    (at(*STATS, "armour", "types", 0, value="Pi-"), ["/stats/armour/types/0 bad_text", *(
        f"/locale/{language}/damage_type/Pi- missing_name" for language in ("en", "pl", "ru")),
        "/armour/vest/bottom/pi- unknown_name", "/samples/knave/sheet/armour/top/pi- unknown_name"]),
    (at(*STATS, "armour", "types", 0, value="cr"), ["/stats/armour/types choices_repeat",
        "/armour/vest/bottom/pi- unknown_name", "/samples/knave/sheet/armour/top/pi- unknown_name"]),
    (at("armour", "mail", "bottom", "cut", value=3), ["/armour/mail/bottom/cut unknown_name"]),
    (at("armour", "mail", "bottom", "cr", value=10), ["/armour/mail/bottom/cr out_of_bounds"]),
    (at("armour", "mail", "bottom", "cr", value=-1), ["/armour/mail/bottom/cr out_of_bounds"]),
    (at("armour", "mail", "bottom", "dr", value="4"), ["/armour/mail/bottom/dr wrong_type"]),
    (at("armour", "mail", "top", value="4"), ["/armour/mail/top wrong_type"]),
    (at("armour", "mail", "top", value=10), ["/armour/mail/top out_of_bounds"]),
    (at(*STATS, "figures", "nerve", "default", value=5), ["/stats/figures/nerve/optional contradiction"]),
    (at(*STATS, "figures", "undead", "optional", value=True), ["/stats/figures/undead/optional contradiction"]),
    (at(*STATS, "figures", "nerve", "step", value=1), ["/stats/figures/nerve/step unknown_field"]),
    (at(*STATS, "figures", "bulk", "step", value=0), ["/stats/figures/bulk/step out_of_bounds"]),
    (at(*STATS, "figures", "bulk", "step", value=0.005), ["/stats/figures/bulk/step not_hundredths"]),
    (without(*STATS, "figures", "bulk", "step"), ["/stats/figures/bulk/step missing"]),
    (at(*STATS, "figures", "bulk", "default", value=1.25), ["/stats/figures/bulk/default out_of_step"]),
    (at(*STATS, "figures", "bulk", "default", value=3), ["/stats/figures/bulk/default out_of_bounds"]),
    (at(*STATS, "figures", "speed", "step", value=0.5), ["/samples/knight/sheet/speed out_of_step"]),
    (at(*STATS, "levels", "min", value=31), ["/samples/knight/sheet/defaults/chess out_of_bounds",
                                             "/samples/knight/sheet/skills/block out_of_bounds",
                                             "/samples/knight/sheet/skills/sneak out_of_bounds",
                                             "/stats/levels/max contradiction"]),
    (at(*STATS, "levels", "default", value="some"), ["/stats/levels/default wrong_type"]),
    (at(*STATS, "levels", "default", value=2), ["/stats/levels/defaults contradiction"]),
    (at(*STATS, "levels", value={"min": 1, "max": 30, "default": 0}),
     ["/samples/knight/sheet/defaults unknown_field", "/stats/levels/default out_of_bounds"]),
    (without(*STATS, "levels", "max"), ["/stats/levels/max missing"]),
    (at(*STATS, "ranks", value={"low": 0}), ["/stats/levels contradiction", *(
        f"/locale/{language}/rank/low missing_name" for language in ("en", "pl", "ru"))]),
    (at(*STATS, "skills", "block", "untrained", "stat", value="life"),
     ["/stats/skills/block/untrained/stat unknown_name"]),
    (without(*STATS, "skills", "block", "untrained", "modifier"),
     ["/stats/skills/block/untrained/modifier missing"]),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), BAD, ids=[f"{n}-{one[1][0]}" for n, one in enumerate(BAD)])
def test_each_kind_of_bad_data_has_its_place(judge_rich: Judge, change: Change, expected: list[str]) -> None:
    assert sorted(f"{one.place} {one.code}" for one in judge_rich(change)) == sorted(expected)


def test_nonsense_at_any_place_of_such_sheets_is_told_and_never_breaks_the_check(
    judge_rich: Judge, rich: Rulebook
) -> None:
    nonsense: list[Any] = [None, [], {}, "", "x", -1, 1.5, True, 10**40, [[]], {"": None}, {"a": {"b": [1]}}]
    sections = {"stats": rich.document["stats"], "armour": rich.document["armour"], "samples": rich.document["samples"]}

    for number, path in enumerate(places(sections)):
        for value in (nonsense[number % len(nonsense)], nonsense[(number + 5) % len(nonsense)]):
            for finding in judge_rich(at(*path, value=value)):
                assert finding.message


def test_the_document_fits_its_schema(rich: Rulebook) -> None:
    assert [one.message for one in Draft202012Validator(rich.document_schema()).iter_errors(rich.document)] == []


def test_a_change_of_a_sheet_leaves_what_it_does_not_name(rich: Rulebook) -> None:
    knight = rich.sample("knight", CombatantId("c1"), "red", "Knight")
    assert knight is not None
    findings: list[Any] = []

    same = sheet_over(rich, knight, {}, "/sheet", findings)
    changed_ = sheet_over(rich, knight, {"might": 13, "speed": None, "skills": {"block": 15}}, "/sheet", findings)

    assert (findings, same) == ([], knight.sheet)
    stats = {name: value for name, value in knight.sheet.stats.items() if name != "speed"} | {"might": 13}
    assert changed_ == replace(knight.sheet, stats=stats, levels={"block": 15})
