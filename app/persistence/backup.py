"""A copy of a SQLite database while it is in use. For PostgreSQL its own tools do this (`pg_dump`)."""

import os
from pathlib import Path

from app.persistence.drivers import open_sqlite, sqlite_module, sqlite_path


def backup(url: str, target: Path) -> None:
    """Copy the database as it is at this moment; nobody who writes has to wait for it.

    The copy has its name only once it is whole. Raises `FileExistsError` rather than write over a file.
    """
    if target.exists():
        raise FileExistsError(target)
    unfinished = target.with_name(f"{target.name}.part")
    unfinished.unlink(missing_ok=True)
    source = open_sqlite(sqlite_path(url), reader=True)
    try:
        copy = sqlite_module().connect(str(unfinished))
        try:
            # In one go: a copy in steps begins anew whenever something is written in between.
            source.backup(copy)
            # One file, not three, until it is opened for use.
            copy.execute("PRAGMA journal_mode=DELETE").fetchall()
        finally:
            copy.close()
    finally:
        source.close()
    with unfinished.open("rb") as file:
        os.fsync(file.fileno())
    unfinished.rename(target)
