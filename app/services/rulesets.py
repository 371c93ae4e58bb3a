"""Rulesets for readers: everything a front end needs to build sheets and forms without a rule book."""

from typing import Any

import msgspec

from app.catalog import Catalog, Rulebook
from app.services.errors import NotFound

__all__ = ["Catalog", "Rulebook", "action", "clause", "clauses", "heads", "one", "page", "schema"]
View = dict[str, Any]


def heads(catalog: Catalog) -> list[tuple[str, str, str]]:
    """Id, version and pin of every ruleset."""
    return [(book.ruleset.id, book.ruleset.version, book.ruleset.pin) for book in catalog]


def _book(catalog: Catalog, ruleset: str) -> Rulebook:
    book = catalog.get(ruleset)
    if book is None:
        raise NotFound("ruleset", ruleset)
    return book


def pin(catalog: Catalog, ruleset: str) -> str:
    """The hash of a ruleset's data: whatever is told of it changes only with this."""
    return _book(catalog, ruleset).ruleset.pin


def page(catalog: Catalog, language: str) -> View:
    """All of them, one line each; there are few, so it is one page."""
    return {"items": [book.summary(language) for book in catalog], "next_cursor": None}


def one(catalog: Catalog, ruleset: str, language: str) -> View:
    """A ruleset with everything it names."""
    return _book(catalog, ruleset).describe_ruleset(language)


def action(catalog: Catalog, ruleset: str, name: str, language: str) -> View:
    """One action: its price, whom and what it takes, its form."""
    book = _book(catalog, ruleset)
    try:
        return book.describe_action(name, language)
    except KeyError:
        raise NotFound("action", name) from None


def clause(catalog: Catalog, ruleset: str, name: str, language: str) -> View:
    """What a clause says."""
    found = _book(catalog, ruleset).clause(name, language)
    if found is None:
        raise NotFound("clause", name)
    return {"id": found.id, "title": found.title, "text": found.text}


def clauses(catalog: Catalog, ruleset: str, language: str, *, after: str | None, limit: int) -> View:
    """The clauses in the order of their ids, in pages."""
    book = _book(catalog, ruleset)
    names = [name for name in sorted(book.texts.clauses) if after is None or name > after]
    found = [book.clause(name, language) for name in names[:limit]]
    items = [{"id": each.id, "title": each.title, "text": each.text} for each in found if each is not None]
    return {"items": items, "next_cursor": names[limit - 1] if len(names) > limit else None}


def schema(catalog: Catalog, ruleset: str, language: str) -> View:
    """JSON Schemas of a sheet, of a weapon's own profile, of the options and of each action's form."""
    book = _book(catalog, ruleset)
    return {
        "sheet": book.sheet_schema(language),
        "weapon": book.weapon_schema(),
        "options": book.options_schema(language),
        "actions": {name: book.action_form_schema(name, language) for name in book.ruleset.actions},
    }


def encoded(view: View) -> bytes:
    """A view as JSON."""
    return msgspec.json.encode(view)
