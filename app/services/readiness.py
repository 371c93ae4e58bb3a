"""Whether the service can be played on: the database answers, and the disk takes more."""

import secrets

from sqlalchemy import Connection, delete, insert

from app.persistence.tables import campaign
from app.services.service import Service, random_id

_FILL = 64 * 1024


class Disk:
    """Remembers that the disk was full, until a trial shows that there is room again."""

    def __init__(self) -> None:
        self.was_full = False


async def check(service: Service, disk: Disk) -> None:
    """Raise `Busy` or `StorageFull` while the service cannot be played on."""
    await service.store.ping()
    if not disk.was_full:
        return

    def trial(connection: Connection) -> None:
        name = random_id("trial_")
        # Of chance: PostgreSQL would squeeze anything else into next to nothing.
        values = {"id": name, "name": secrets.token_hex(_FILL // 2), "created_at": 0}
        connection.execute(insert(campaign).values(**values))
        connection.execute(delete(campaign).where(campaign.c.id == name))

    await service.writer.execute(trial)
    disk.was_full = False
