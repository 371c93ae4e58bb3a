"""A command that waits, run again from where it began: it must come to what is kept of it, and to nothing else."""

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection

from app.catalog import Catalog, Rulebook
from app.engine.asks import Input
from app.engine.run import run
from app.engine.state import State
from app.engine.visibility import secrets_of
from app.persistence.parts import whole
from app.persistence.work import Decision, Head, Pending
from app.services.play import MAX_OPEN, asks_whom, in_secret, is_hidden
from app.services.service import stored_document


def flaws(
    book: Rulebook, state: State, base: State, pending: Pending, decisions: tuple[Decision, ...]
) -> Iterator[str]:
    """What is wrong with it: `state` is what it had come to, `decisions` are what it asked then."""

    def nothing(_ask: object) -> Input | None:
        return None

    try:
        outcome = run(
            book.ruleset,
            base,
            pending.command,
            inputs=pending.inputs,
            source=nothing,
            rulings=pending.rulings,
            shown=pending.shown,
            digest=pending.digest,
            accepted=not pending.rulings,
        )
    except Exception as bad:  # what was made up by somebody may do anything to a rule
        yield f"what waits does not run again: {type(bad).__name__}"
        return
    if whole(outcome.state) != whole(state):
        yield "what waits comes to another state when it is run again"
    if not pending.rulings and outcome.used - {ask.key for ask in outcome.open} != pending.inputs.keys():
        yield "what waits has answers to what it has not asked"
    secrets = secrets_of(outcome.state, in_secret(pending.command))
    asked = {ask.key: (ask, asks_whom(ask), is_hidden(secrets, ask, asks_whom(ask))) for ask in outcome.open[:MAX_OPEN]}
    opened = {one.key: (one.ask, one.owner, one.hidden) for one in decisions}
    if asked != opened or not asked:
        yield "what waits asks something else when it is run again"


class Rerun:
    """The same for rows of a database, by the rules that are stored with it."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._books: dict[str, Rulebook | None] = {}

    def __call__(
        self,
        connection: Connection,
        head: Head,
        state: State,
        base: State,
        pending: Pending,
        decisions: tuple[Decision, ...],
    ) -> Iterable[str] | None:
        """What is wrong; None where its rules are not known here."""
        book = self._book(connection, head.pin)
        return None if book is None else flaws(book, state, base, pending, decisions)

    def _book(self, connection: Connection, pin: str) -> Rulebook | None:
        if pin not in self._books:
            self._books[pin] = self._catalog.by_pin(pin) or self._restored(connection, pin)
        return self._books[pin]

    def _restored(self, connection: Connection, pin: str) -> Rulebook | None:
        try:
            book = self._catalog.restore(stored_document(connection, pin))
        except Exception:  # a document of another version may be anything today
            return None
        return book if book.ruleset.pin == pin else None
