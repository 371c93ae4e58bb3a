"""What readers are told of what happened at a table under test: in the words of its ruleset."""

from functools import cache

from app.engine import events as ev
from app.services.narration import Book, Context, narrate
from tests.support.play import PlayTable, book


@cache
def _words(name: str) -> Book:
    return Book(book(name).texts.find, "m")


def told(table: PlayTable, event: ev.AnyEvent, language: str = "en") -> str:
    """The sentence of one event, as the GM reads it."""
    return narrate(event, Context(_words(table.rules.id), table.state.combatants, sees_hidden=True), language)
