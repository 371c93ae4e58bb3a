"""What the log of this ruleset says in each language."""

from collections.abc import Iterable
from functools import cache

from app.engine import events as ev
from app.services.narration.sentences import narrate
from app.services.narration.voice import Book, Context
from tests.support.play import PlayTable, book


@cache
def words() -> Book:
    """The words of this ruleset."""
    return Book(book("shadowrun_5e").texts.find, "m")


def told(table: PlayTable, events: Iterable[ev.AnyEvent], language: str = "en") -> list[str]:
    """The lines of the log as the GM reads them, without the silences."""
    ctx = Context(words(), table.state.combatants, sees_hidden=True)
    lines = (narrate(event, ctx, language) for event in events)
    return [line for line in lines if line]
