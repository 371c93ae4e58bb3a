"""Live encounters of this process, by public id. Only what was committed comes in here."""

from threading import Lock

from app.persistence.work import Live


class Cache:
    """The newest known version of some encounters; what changed longest ago goes first. Safe between threads."""

    def __init__(self, limit: int = 2000) -> None:
        self._limit = limit
        self._lives: dict[str, Live] = {}
        self._gone: dict[str, None] = {}
        self._lock = Lock()

    def get(self, encounter: str) -> Live | None:
        """What is known of an encounter."""
        return self._lives.get(encounter)

    def put(self, live: Live) -> None:
        """Know this version, unless a newer one is known already or the encounter was deleted."""
        name = live.head.public_id
        with self._lock:
            known = self._lives.get(name)
            if name in self._gone or (known is not None and known.head.version > live.head.version):
                return
            self._lives.pop(name, None)
            self._lives[name] = live
            if len(self._lives) > self._limit:
                del self._lives[next(iter(self._lives))]

    def drop(self, encounter: str) -> None:
        """Know nothing of an encounter."""
        with self._lock:
            self._lives.pop(encounter, None)

    def bury(self, encounter: str) -> None:
        """The encounter was deleted: a reader who still has it in hand must not bring it back."""
        with self._lock:
            self._lives.pop(encounter, None)
            self._gone[encounter] = None
            if len(self._gone) > self._limit:
                del self._gone[next(iter(self._gone))]

    def clear(self) -> None:
        """Know nothing: after a lost connection the database may be another one."""
        with self._lock:
            self._lives.clear()

    def recent(self) -> list[Live]:
        """Everything that is known."""
        with self._lock:
            return list(self._lives.values())
