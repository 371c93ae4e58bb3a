"""Whole stretches of the log of a table under test."""

from collections.abc import Iterable

from app.engine import events as ev
from tests.support.play import PlayTable
from tests.support.telling import told


def logged(table: PlayTable, events: Iterable[ev.AnyEvent], language: str = "en") -> list[str]:
    """The lines of the log as the GM reads them, without the silences."""
    return [line for event in events if (line := told(table, event, language))]
