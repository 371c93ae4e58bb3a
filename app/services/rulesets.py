"""Rulesets for readers: everything a front end needs to build sheets and forms without a rule book."""

from collections.abc import Callable
from typing import Any

import msgspec

from app.catalog import Catalog, Rulebook
from app.services import lookup
from app.services.caller import Caller, Result
from app.services.errors import NotFound
from app.services.service import Service

__all__ = ["Catalog", "Rulebook", "action", "book_of", "clause", "clauses", "heads", "one", "page", "schema"]
View = dict[str, Any]


def heads(catalog: Catalog) -> list[tuple[str, str, str]]:
    """Id, version and pin of every ruleset."""
    return [(book.ruleset.id, book.ruleset.version, book.ruleset.pin) for book in catalog]


def book_of(catalog: Catalog, ruleset: str) -> Rulebook:
    """The ruleset of that id. Raises `NotFound`."""
    book = catalog.get(ruleset)
    if book is None:
        raise NotFound("ruleset", ruleset)
    return book


def pin(catalog: Catalog, ruleset: str) -> str:
    """The hash of a ruleset's data: whatever is told of it changes only with this."""
    return book_of(catalog, ruleset).ruleset.pin


def page(catalog: Catalog, language: str) -> View:
    """All of them, one line each; there are few, so it is one page."""
    return {"items": [book.summary(language) for book in catalog], "next_cursor": None}


def one(catalog: Catalog, ruleset: str, language: str) -> View:
    """A ruleset with everything it names."""
    return whole_of(book_of(catalog, ruleset), language)


def whole_of(book: Rulebook, language: str) -> View:
    """The same of any rules."""
    return book.describe_ruleset(language)


def action(catalog: Catalog, ruleset: str, name: str, language: str) -> View:
    """One action: its price, whom and what it takes, its form."""
    return action_of(book_of(catalog, ruleset), name, language)


def action_of(book: Rulebook, name: str, language: str) -> View:
    """The same of any rules."""
    try:
        return book.describe_action(name, language)
    except KeyError:
        raise NotFound("action", name) from None


def clause(catalog: Catalog, ruleset: str, name: str, language: str) -> View:
    """What a clause says."""
    return clause_of(book_of(catalog, ruleset), name, language)


def clause_of(book: Rulebook, name: str, language: str) -> View:
    """The same of any rules."""
    found = book.clause(name, language)
    if found is None:
        raise NotFound("clause", name)
    return {"id": found.id, "title": found.title, "text": found.text}


def clauses(catalog: Catalog, ruleset: str, language: str, *, after: str | None, limit: int) -> View:
    """The clauses in the order of their ids, in pages."""
    book = book_of(catalog, ruleset)
    names = [name for name in sorted(book.texts.clauses) if after is None or name > after]
    found = [book.clause(name, language) for name in names[:limit]]
    items = [{"id": each.id, "title": each.title, "text": each.text} for each in found if each is not None]
    return {"items": items, "next_cursor": names[limit - 1] if len(names) > limit else None}


def schema(catalog: Catalog, ruleset: str, language: str) -> View:
    """JSON Schemas of a sheet, of a weapon's own profile, of the options and of each action's form."""
    return schema_of(book_of(catalog, ruleset), language)


def schema_of(book: Rulebook, language: str) -> View:
    """The same of any rules."""
    return {
        "sheet": book.sheet_schema(language),
        "weapon": book.weapon_schema(),
        "options": book.options_schema(language),
        "actions": {name: book.action_form_schema(name, language) for name in book.ruleset.actions},
    }


def home(service: Service, encounter: str, book: Rulebook) -> str:
    """Where the pages of the rules of an encounter are: the ruleset's own, or the encounter's where they differ."""
    base = service.catalog.get(book.id)
    is_base = base is not None and base.ruleset.pin == book.ruleset.pin
    return f"/v1/rulesets/{book.id}" if is_base else f"/v1/encounters/{encounter}/ruleset"


async def of_encounter(service: Service, caller: Caller, encounter: str, view: Callable[[Rulebook], View]) -> Result:
    """Something of the rules that an encounter is played by, for whoever may see it."""
    live = await lookup.encounter(service.store, caller, encounter)
    book = await service.fetch(live.head.pin)
    return Result(encoded(view(book)))


def encoded(view: View) -> bytes:
    """A view as JSON."""
    return msgspec.json.encode(view)
