"""Who asks: a token with its role, and what that lets it see and do."""

from typing import Literal

import msgspec

from app.engine.ids import CombatantId
from app.engine.state import Combatant
from app.persistence.work import Audience

Role = Literal["admin", "gm", "co_gm", "player", "spectator"]


class Caller(msgspec.Struct, frozen=True):
    """A token as it stands at this moment.

    `token` is its public id. `combatants` are those a player acts for: ids, or `ref:TOKEN` for whoever carries that
    external reference. `encounter` narrows a token to one encounter of its campaign, which a co-GM's always is. An
    admin is bound to no campaign.
    """

    token: str
    role: Role
    token_id: int = 0
    """Number of the token inside, never shown."""
    campaign: str | None = None
    encounter: str | None = None
    combatants: frozenset[str] = frozenset()
    language: str = "en"

    @property
    def audience(self) -> Audience:
        """Whose cut he reads: everything hidden is left out of the public one."""
        return "gm" if self.is_gm else "public"

    @property
    def is_gm(self) -> bool:
        """Whether he sees everything of a fight that is his business, and may do everything in it."""
        return self.role in ("gm", "co_gm", "admin")

    @property
    def manages(self) -> bool:
        """Whether he runs the table: hands out tokens, opens and deletes encounters, makes its rules."""
        return self.role in ("gm", "admin") and self.encounter is None

    def controls(self, body: Combatant) -> bool:
        """Whether he may act and answer for this combatant."""
        if self.is_gm:
            return True
        if self.role != "player" or body.hidden:
            return False
        return body.id in self.combatants or f"ref:{body.external_ref}" in self.combatants

    def answers_for(self, who: CombatantId, body: Combatant | None) -> bool:
        """Whether he may answer what is asked of `who`, which is `gm` where the game master is asked."""
        return self.is_gm or (body is not None and self.controls(body))


class Attempt(msgspec.Struct, frozen=True):
    """How a command was sent: its idempotency key with the hash of (method, path, body), and the version it expects.

    `if_match` counts as its reader does. `is_first` is sent by whoever wants to make something that is not there yet.
    """

    key: str | None = None
    request_hash: bytes = b""
    if_match: int | None = None
    is_first: bool = False


class Result(msgspec.Struct, frozen=True):
    """A JSON body ready to be sent, encoded once.

    `version` is the encounter's in the reader's own count (None where there is no encounter), `created` the id of what
    was made, `is_replay` tells that this key was answered before and these are the same bytes. `besides` is what the
    body says and that version does not: of a command that waits, be it for the GM alone, and of what he has set for
    his own.
    """

    body: bytes
    version: int | None = None
    created: str | None = None
    is_replay: bool = False
    besides: str = ""
