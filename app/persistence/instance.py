"""A lock file beside a SQLite database: one process at a time, for a second writer could damage it."""

import os
import sys
from pathlib import Path

from app.persistence.work import PersistenceError


class AlreadyOpen(PersistenceError):
    """Another process uses this SQLite file."""


class InstanceLock:
    """Held from opening to closing. The system lets go of it when the process ends, however it ends."""

    def __init__(self, database: str) -> None:
        path = Path(f"{database}.lock")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(self._file)
        except OSError as error:
            os.close(self._file)
            raise AlreadyOpen(
                f"{database} is in use by another process. A SQLite file serves one process; "
                f"for more than one set TURNWRIGHT_DATABASE_URL to a PostgreSQL database."
            ) from error

    def release(self) -> None:
        """Let others in. The file stays: removing it would let two processes lock two files of one name."""
        os.close(self._file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
