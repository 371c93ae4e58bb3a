"""What an encounter carries besides the fight itself, kept as JSON beside its head."""

from functools import lru_cache

import msgspec

from app.persistence.work import Head


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """`decision_timeout_s` is how long a decision may wait, None for ever; `commitment` binds us to our dice."""

    decision_timeout_s: int | None = None
    commitment: str = ""

    @staticmethod
    def of(head: Head) -> "Settings":
        """The settings of an encounter."""
        return _decoded(head.settings)

    @property
    def text(self) -> str:
        """As they are stored."""
        return msgspec.json.encode(self).decode()


@lru_cache(maxsize=1024)
def _decoded(text: str) -> Settings:
    return msgspec.json.decode(text, type=Settings)
