"""The one place that tells version, ETag and cursor of an encounter as a reader counts them."""

import msgspec


class Revision(msgspec.Struct, frozen=True):
    """How far a reader is: `version` (commands he can know of) and `cursor` (events he can know of)."""

    version: int
    cursor: int

    @property
    def etag(self) -> str:
        """The entity tag of everything that depends on the encounter."""
        return f'"{self.version}"'
