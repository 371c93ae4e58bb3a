"""Sheets of rulesets whose skills have levels: between wire and engine, in the schema, in what a reader sees."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.catalog import Rulebook, Unfit
from app.catalog.findings import Findings
from app.catalog.registry import make_rulebook, read_folder
from app.engine.ids import CombatantId
from app.engine.state import Sheet
from tests.catalog.conftest import HOME, Judge
from tests.catalog.rulesets import toy
from tests.catalog.test_document import Change, at, without

GOOD: dict[str, Any] = {"might": 12, "life": 20}


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
    knight = rich.sample("knight", CombatantId("c1"), "red", "Knight")

    assert knight is not None
    comes_back(rich, knight.sheet)


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


def test_a_sheet_with_ranks_is_stored_as_ever() -> None:
    document, texts = read_folder(HOME, Findings())
    sheet = make_rulebook(document, texts, toy.CODE, Findings()).read_sheet(GOOD)

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
