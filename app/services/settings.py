"""What an encounter carries besides the fight itself, kept as JSON beside its head."""

from functools import lru_cache

import msgspec

from app.persistence.work import Head


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """`decision_timeout_s` is how long a decision may wait, None for ever; `commitment` binds us to our dice.

    `turn_due_at` is when the time of the turn under way is up (UTC milliseconds), None for never, and `turns_missed`
    how many in a row the clock had to end. `house_rules` and `house_version` name the house rules it is played by;
    `notes` are the GM's.
    """

    decision_timeout_s: int | None = None
    commitment: str = ""
    turn_due_at: int | None = None
    turns_missed: int = 0
    house_rules: str | None = None
    house_version: int = 0
    notes: str | None = None

    @staticmethod
    def of(head: Head) -> "Settings":
        """The settings of an encounter."""
        return _decoded(head.settings)

    @staticmethod
    def of_text(text: str) -> "Settings":
        """The same, from how they are stored."""
        return _decoded(text)

    @property
    def text(self) -> str:
        """As they are stored."""
        return msgspec.json.encode(self).decode()


@lru_cache(maxsize=1024)
def _decoded(text: str) -> Settings:
    return msgspec.json.decode(text, type=Settings)
