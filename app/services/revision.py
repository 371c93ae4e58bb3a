"""The one place that tells version, ETag and cursor of an encounter as a reader counts them."""

import msgspec

from app.persistence.work import Audience, Head, cursor, revision


class Revision(msgspec.Struct, frozen=True):
    """How far a reader is: `version` (what he can know of) and `cursor` (events he can know of).

    The GM has the encounter's own version and event number; everybody else one running count for both, which nothing
    hidden moves.
    """

    version: int
    cursor: int

    @property
    def etag(self) -> str:
        """The entity tag of everything that depends on the encounter."""
        return f'"{self.version}"'


def revision_of(head: Head, audience: Audience) -> Revision:
    """Where the encounter stands for that reader."""
    return Revision(revision(head, audience), cursor(head, audience))
