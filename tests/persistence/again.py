"""Replay what a SQLite file holds, in a process of its own: `python -m tests.persistence.again FILE`.

For each version of each encounter the mark of its state is printed, once folded from the log alone and, where a command
waited, once more by running that command again. Chance and clock raise here.
"""

import sys
from pathlib import Path

from app.engine.fold import fold
from app.engine.run import run
from app.engine.state import State
from app.persistence.drivers import Driver, open_sqlite
from app.persistence.parts import from_whole
from app.persistence.reading import head_of, moment, page
from app.persistence.statements import HEAD_COLUMNS, Statements
from app.persistence.work import Entry, Head, Moment
from tests.laws.again import forbid
from tests.persistence.generated import mark
from tests.support.play import ruleset

Held = tuple[Head, State, list[Entry], list[Moment]]


def read(file: str) -> list[Held]:
    """Everything that is there."""
    raw: Driver = open_sqlite(file, reader=True)
    statements = Statements(is_sqlite=True)
    found: list[Held] = []
    rows = raw.execute(f"SELECT {', '.join(HEAD_COLUMNS)} FROM encounter ORDER BY id").fetchall()
    for row in rows:
        head = head_of(row)
        ruleset(head.ruleset)
        _, _, _, body = raw.execute(statements.snapshot, (head.id, 0)).fetchone()
        entries = page(raw, statements, head, "gm", limit=1_000_000)
        moments = [moment(raw, statements, head, version) for version in range(1, head.version + 1)]
        found.append((head, from_whole(body), entries, moments))
    return found


def told(held: Held) -> list[str]:
    """The marks of all versions, from the log alone; a rewind leads back to what was marked then."""
    head, state, entries, moments = held
    states = [state]
    for version in range(1, head.version + 1):
        for entry in entries:
            if entry.version == version and entry.type == "rewound":
                state = states[entry.event.to_version]  # type: ignore[union-attr]
            elif entry.version == version:
                state = fold(state, entry.event)
        states.append(state)
    lines = [f"{head.public_id} {number} {mark(one)}" for number, one in enumerate(states) if number]
    for stood in moments:
        if stood.pending is None or stood.base is None:
            continue
        again = run(
            ruleset(head.ruleset),
            stood.base,
            stood.pending.command,
            inputs=stood.pending.inputs,
            source=lambda ask: None,
            rulings=stood.pending.rulings,
            shown=stood.pending.shown,
            digest=stood.pending.digest,
            accepted=True,
        )
        assert len(again.events) == stood.pending.shown
        assert {ask.key for ask in again.open} >= {decision.key for decision in stood.decisions}
        lines.append(f"{head.public_id} {stood.version} {mark(again.state)}")
    return lines


if __name__ == "__main__":
    everything = read(str(Path(sys.argv[1])))
    forbid()
    for one in everything:
        print("\n".join(told(one)))
