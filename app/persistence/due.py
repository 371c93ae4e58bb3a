"""Decisions whose time is up: who answers them by default."""

from sqlalchemy import Connection, or_, select, update

from app.persistence.tables import decision, encounter
from app.persistence.work import Due


def claim_due(connection: Connection, now: int, limit: int, lease_ms: int) -> list[Due]:
    """Those that nobody else answers at the moment. One that is still open after the lease is given out again."""
    found = connection.execute(
        select(decision.c.encounter_id, decision.c.id, decision.c.expires_at, encounter.c.public_id)
        .join(encounter, encounter.c.id == decision.c.encounter_id)
        .where(
            decision.c.status == "open",
            decision.c.expires_at <= now,
            or_(decision.c.claimed_until.is_(None), decision.c.claimed_until <= now),
        )
        .order_by(decision.c.expires_at, decision.c.encounter_id, decision.c.id)
        .limit(limit)
        .with_for_update(of=decision, skip_locked=True)
    ).all()
    for row in found:
        connection.execute(
            update(decision)
            .where(decision.c.encounter_id == row.encounter_id, decision.c.id == row.id)
            .values(claimed_until=now + lease_ms)
        )
    return [Due(row.public_id, row.id, row.expires_at) for row in found]
