"""Every ruleset in the folder: what its Python cites and refuses must stand in its data."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.catalog import Rulebook
from app.catalog.checking import ENGINE_REASONS, OF_AN_ACTION
from app.catalog.registry import FOLDER
from tests.support import play
from tests.support.repository import ROOT

CATALOG = play.catalog()
BOOKS = [pytest.param(book, id=book.id) for book in CATALOG]


def code_of(book: Rulebook) -> list[Path]:
    return sorted((FOLDER / book.id).rglob("*.py"))


def texts_in(path: Path) -> Iterator[tuple[int, str]]:
    """Line and value of every text in a module that is no docstring."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def reasons_in(path: Path) -> Iterator[tuple[int, str]]:
    """Line and code of every refusal that a module gives by name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0]
        if name in ("reason", "Reason") and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield node.lineno, first.value


@pytest.mark.parametrize("book", BOOKS)
def test_every_clause_that_code_cites_is_in_the_ledger(book: Rulebook) -> None:
    prefix = next(iter(book.texts.clauses)).partition("-")[0] + "-"
    unknown = [
        f"{path.relative_to(FOLDER)}:{line}: {text}"
        for path in code_of(book)
        for line, text in texts_in(path)
        if text.startswith(prefix) and text[len(prefix) :].isdigit() and text not in book.texts.clauses
    ]

    assert unknown == []


@pytest.mark.parametrize("book", BOOKS)
def test_every_refusal_that_code_gives_has_a_kind_and_a_message(book: Rulebook) -> None:
    unknown = [
        f"{path.relative_to(FOLDER)}:{line}: {code}"
        for path in code_of(book)
        for line, code in reasons_in(path)
        if code not in book.ruleset.kinds
    ]

    assert unknown == []


def test_every_refusal_of_the_engine_needs_a_clause_of_the_ruleset() -> None:
    given = {code for path in (ROOT / "app" / "engine").rglob("*.py") for _, code in reasons_in(path)}

    assert given
    assert given - ENGINE_REASONS == OF_AN_ACTION
    for book in CATALOG:
        assert set(book.ruleset.kinds) >= OF_AN_ACTION


@pytest.mark.parametrize("book", BOOKS)
def test_samples_and_their_own_profiles_survive_the_way_to_the_wire_and_back(book: Rulebook) -> None:
    for wire in book.document["samples"].values():
        sheet = book.read_sheet(wire["sheet"])
        written = book.write_sheet(sheet)

        assert book.read_sheet(written) == sheet
        assert {name: written[name] for name in wire["sheet"]} | {"talents": sorted(written.get("talents", []))} == {
            **wire["sheet"],
            "talents": sorted(wire["sheet"].get("talents", [])),
        }
    for profile in book.document["weapons"].values():
        item = book.read_item({"kind": "own", "custom": profile})
        again = book.read_item(book.write_item(item))

        assert again == item


@pytest.mark.parametrize("book", BOOKS)
def test_the_catalog_itself_restores_what_it_stored(book: Rulebook) -> None:
    again = CATALOG.restore(book.document)

    assert again.ruleset.pin == book.ruleset.pin
    assert again.document == book.document
