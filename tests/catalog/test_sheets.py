"""Sheets, items, options: what a client sends becomes the engine's, or everything wrong with it is told."""

import json
from typing import Any

import pytest

from app.catalog import Rulebook, Unfit
from app.engine.ids import CombatantId
from app.engine.reasons import Refused
from app.engine.state import Item, Sheet

GOOD: dict[str, Any] = {"might": 12, "life": 20}


def wrong(book: Rulebook, wire: Any) -> list[str]:
    try:
        book.read_sheet(wire, "/sheet")
    except Unfit as unfit:
        return [f"{finding.place} {finding.code}" for finding in unfit.findings]
    return []


def test_a_sheet_is_completed_with_its_defaults(book: Rulebook) -> None:
    sheet = book.read_sheet(GOOD)

    assert sheet == Sheet(
        stats={"life": 20, "might": 12, "undead": 0, "wits": 8},
        ranks={"block": "unlearned", "sneak": "unlearned"},
    )
    assert book.write_sheet(sheet) == {
        "might": 12, "life": 20, "wits": 8, "undead": False,
        "skills": {"block": "unlearned", "sneak": "unlearned"}, "talents": [], "armour": "none",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("armour", "points", "worn", "written"),
    [
        ("none", {}, (), "none"),
        ("mail", {"top": 1, "bottom": 4}, ("mail",), "mail"),
        (["mail", "cap"], {"top": 2, "bottom": 4}, ("cap", "mail"), ["cap", "mail"]),
        (["none", "cap"], {"top": 2}, ("cap",), "cap"),
        ({"top": 3}, {"top": 3}, (), {"top": 3}),
        ({"top": 3, "bottom": 0}, {"top": 3}, (), {"top": 3}),
        ({}, {}, (), "none"),
    ],
)
def test_armour_is_a_name_layers_or_points(
    book: Rulebook, armour: Any, points: dict[str, int], worn: tuple[str, ...], written: Any
) -> None:
    sheet = book.read_sheet(GOOD | {"armour": armour})

    assert (sheet.armour, sheet.worn) == (points, worn)
    assert book.write_sheet(sheet)["armour"] == written
    assert book.read_sheet(book.write_sheet(sheet)) == sheet


@pytest.mark.parametrize(
    ("change", "findings"),
    [
        ({"might": None}, ["/sheet/might missing"]),
        ({"might": 0}, ["/sheet/might out_of_bounds"]),
        ({"might": 21}, ["/sheet/might out_of_bounds"]),
        ({"might": "12"}, ["/sheet/might wrong_type"]),
        ({"might": 12.0}, ["/sheet/might wrong_type"]),
        ({"might": True}, ["/sheet/might wrong_type"]),
        ({"undead": 1}, ["/sheet/undead wrong_type"]),
        ({"mihgt": 3}, ["/sheet/mihgt unknown_field"]),
        ({"skills": []}, ["/sheet/skills wrong_type"]),
        ({"skills": {"blokc": "master"}}, ["/sheet/skills/blokc unknown_name"]),
        ({"skills": {"block": "mastr"}}, ["/sheet/skills/block unknown_word"]),
        ({"skills": {"block": 1}}, ["/sheet/skills/block unknown_word"]),
        ({"talents": "brute"}, ["/sheet/talents wrong_type"]),
        ({"talents": ["brute", "strong"]}, ["/sheet/talents/1 unknown_name"]),
        ({"talents": ["brute", "brute"]}, ["/sheet/talents/1 choices_repeat"]),
        ({"talents": [[]]}, ["/sheet/talents/0 unknown_name"]),
        ({"armour": "plate"}, ["/sheet/armour unknown_name"]),
        ({"armour": ["mail", "plate"]}, ["/sheet/armour/1 unknown_name"]),
        ({"armour": 3}, ["/sheet/armour armour_layers"]),
        ({"armour": {"middle": 1}}, ["/sheet/armour/middle unknown_name"]),
        ({"armour": {"top": 10}}, ["/sheet/armour/top out_of_bounds"]),
        ({"armour": {"top": "1"}}, ["/sheet/armour/top wrong_type"]),
    ],
)
def test_each_mistake_has_its_place(book: Rulebook, change: dict[str, Any], findings: list[str]) -> None:
    assert wrong(book, GOOD | change) == findings


def test_all_mistakes_of_a_sheet_are_told_at_once(book: Rulebook) -> None:
    sheet = {"might": 99, "skills": {"block": "x"}, "talents": ["y"], "armour": "z", "charm": 3}

    assert wrong(book, sheet) == [
        "/sheet/armour unknown_name",
        "/sheet/charm unknown_field",
        "/sheet/life missing",
        "/sheet/might out_of_bounds",
        "/sheet/skills/block unknown_word",
        "/sheet/talents/0 unknown_name",
    ]
    assert wrong(book, []) == ["/sheet wrong_type", "/sheet/life missing", "/sheet/might missing"]


def test_a_flood_of_nonsense_is_answered_shortly_and_soon(book: Rulebook) -> None:
    flood = GOOD | {f"x{number}": "y" for number in range(100_000)}
    long = GOOD | {"talents": ["brute"] * 100_000, "skills": {"z" * 100_000: "master"}, "armour": "w" * 100_000}

    assert wrong(book, flood) == ["/sheet too_long"]
    with pytest.raises(Unfit) as unfit:
        book.read_sheet(long, "/sheet")
    assert [finding.code for finding in unfit.value.findings] == ["unknown_name", "unknown_name", "too_long"]
    assert all(len(finding.message) < 600 for finding in unfit.value.findings)


def test_a_sample_survives_the_way_to_the_wire_and_back(book: Rulebook) -> None:
    gnarl = book.sample("gnarl", CombatantId("c1"), "red", "Gnarl")

    assert gnarl is not None
    assert (gnarl.id, gnarl.side, gnarl.name, gnarl.sample) == ("c1", "red", "Gnarl", "gnarl")
    assert gnarl.items["club"] == Item("club", held="main")
    assert gnarl.items["bow_2"] == Item("bow", count=2, marks={"arrows": 12})
    assert book.read_sheet(json.loads(json.dumps(book.write_sheet(gnarl.sheet)))) == gnarl.sheet
    written = {name: book.write_item(item) for name, item in gnarl.items.items()}
    assert book.read_items(json.loads(json.dumps(written))) == gnarl.items
    assert book.sample("nobody", CombatantId("c1"), "red", "X") is None


@pytest.mark.parametrize(
    ("item", "findings"),
    [
        ({"kind": "club"}, []),
        ({"kind": "thing", "count": 3}, []),
        ({"kind": "clbu"}, ["/items/x/kind unknown_name"]),
        ({"kind": "clbu", "custom": {"class": "melee", "harm": "1d4"}}, []),
        ({}, ["/items/x/kind missing"]),
        ({"kind": 1}, ["/items/x/kind wrong_type"]),
        ({"kind": "club", "held": "left"}, ["/items/x/held unknown_word"]),
        ({"kind": "club", "count": 0}, ["/items/x/count out_of_bounds"]),
        ({"kind": "club", "count": "2"}, ["/items/x/count wrong_type"]),
        ({"kind": "club", "marks": {"ammo": 1.5}}, ["/items/x/marks/ammo wrong_type"]),
        ({"kind": "club", "marks": []}, ["/items/x/marks wrong_type"]),
        ({"kind": "club", "on_ground": 1}, ["/items/x/on_ground wrong_type"]),
        ({"kind": "club", "colour": "red"}, ["/items/x/colour unknown_field"]),
        ({"kind": "x", "custom": {"class": "melee", "harm": "lots", "rnage": 1}},
         ["/items/x/custom/harm bad_dice", "/items/x/custom/rnage unknown_field"]),
        ({"kind": "x", "custom": {"class": "melee", "harm": "1d4", "qualities": {"sharp": True}}},
         ["/items/x/custom/qualities/sharp unknown_name"]),
        ({"kind": "x", "custom": []}, ["/items/x/custom wrong_type"]),
        ("club", ["/items/x wrong_type"]),
    ],
)  # fmt: skip
def test_items_are_judged_as_sheets_are(book: Rulebook, item: Any, findings: list[str]) -> None:
    try:
        book.read_items({"x": item}, "/items")
        found = []
    except Unfit as unfit:
        found = [f"{finding.place} {finding.code}" for finding in unfit.findings]

    assert found == findings


@pytest.mark.parametrize(
    ("wire", "held"),
    [
        ({}, {}),
        ({"brutal": True}, {"brutal": True}),
        ({"brutal": False, "bonus": 3, "near_m": 1.5, "limit": "none", "stops": ["low"]}, {}),
        ({"near_m": 2}, {"near_m": 200}),
        ({"near_m": 0.25}, {"near_m": 25}),
        ({"limit": 4}, {"limit": 4}),
        ({"limit": None}, {}),
        ({"stops": []}, {"stops": ()}),
        ({"stops": ["high", "low"]}, {"stops": ("low", "high")}),
        ({"fall": "2d6+1"}, {"fall": "2d6+1"}),
    ],
)
def test_only_options_that_differ_are_kept(book: Rulebook, wire: dict[str, Any], held: dict[str, Any]) -> None:
    found = book.read_options(wire)

    assert found == held
    assert book.read_options(book.write_options(found)) == held


@pytest.mark.parametrize(
    ("wire", "codes"),
    [
        ({"near": 2}, ["unknown_option_key"]),
        *(
            ({key: value}, ["invalid_option_value"])
            for key, value in (
                ("brutal", 1), ("brutal", None), ("cap", "middle"), ("cap", ["low"]), ("stops", "low"),
                ("stops", ["low", "low"]), ("stops", [1]), ("bonus", 10), ("bonus", -1), ("bonus", True),
                ("bonus", 2.0), ("limit", "some"), ("limit", 10), ("near_m", 10.01), ("near_m", -1),
                ("near_m", 0.125), ("near_m", "2"), ("near_m", float("nan")), ("fall", "d"), ("fall", 6),
            )
        ),
        ({"near": 2, "bonus": 99, "cap": "x"}, ["invalid_option_value", "unknown_option_key"]),
    ],
)  # fmt: skip
def test_an_unknown_option_or_value_is_refused(book: Rulebook, wire: dict[str, Any], codes: list[str]) -> None:
    with pytest.raises(Refused) as refused:
        book.read_options(wire)

    assert [reason.code for reason in refused.value.reasons] == codes
    assert {name for reason in refused.value.reasons for name in reason.names} == set(wire)
    assert all(reason.kind == "input" for reason in refused.value.reasons)
