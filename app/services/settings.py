"""What an encounter carries besides the fight itself, kept as JSON beside its head."""

from functools import lru_cache
from typing import Literal

import msgspec
from msgspec.structs import replace

from app.engine import dice
from app.persistence.work import Head, PastSeed
from app.services.bodies import Approval


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """`decision_timeout_s` is how long a decision may wait, None for ever; `commitment` binds us to our dice.

    `turn_due_at` is when the time of the turn under way is up (UTC milliseconds), None for never, and `turns_missed`
    how many in a row the clock had to end. `house_rules` and `house_version` name the house rules it is played by.
    `dice_reveal` tells who is shown the seed of the dice after the end; `past_seeds` were in force before the present
    one, which is since `seed_epoch`. `forked` says that some dice may have fallen where it was forked from. `notes`
    are the GM's.
    """

    decision_timeout_s: int | None = None
    approval: Approval = "none"
    """Whether what players submit waits for the GM's yes: `actions` for every action but the end of a turn."""
    commitment: str = ""
    turn_due_at: int | None = None
    turns_missed: int = 0
    house_rules: str | None = None
    house_version: int = 0
    dice_reveal: Literal["everybody", "gm"] = "everybody"
    past_seeds: tuple[PastSeed, ...] = ()
    seed_epoch: int = 0
    forked: bool = False
    notes: str | None = None

    def reseeded(self, head: Head, seed: bytes, epoch: int, *, known: bool = True) -> "Settings":
        """With another seed in force from that epoch on; the one before joins the past."""
        past = PastSeed(self.seed_epoch, self.commitment, head.seed.hex() if known else None)
        commitment = dice.commitment(seed)
        return replace(self, commitment=commitment, past_seeds=(*self.past_seeds, past), seed_epoch=epoch)

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
