"""What belongs to a campaign (tokens, invites, webhooks): whether the campaign is there, and its rows in pages."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Table, select

from app.persistence.tables import campaign as campaigns
from app.services.errors import BadInput, Finding, NotFound


def need_campaign(connection: Connection, campaign: str) -> None:
    """Raises `NotFound`."""
    if connection.execute(select(campaigns.c.id).where(campaigns.c.id == campaign)).one_or_none() is None:
        raise NotFound("campaign", campaign)


def owned(connection: Connection, table: Table, campaign: str, name: str) -> Row[Any]:
    """The row of that public id. Raises `NotFound`; what is another campaign's is not there."""
    row = connection.execute(select(table).where(table.c.public_id == name)).one_or_none()
    if row is None or row.campaign_id != campaign:
        raise NotFound(table.name, name)
    return row


def page_of(
    connection: Connection, table: Table, campaign: str, after: str | None, limit: int
) -> tuple[Sequence[Row[Any]], str | None]:
    """A page of the campaign's rows, oldest first, and behind which one the next begins.

    Raises `NotFound` for a campaign that is not there, `BadInput` for a cursor that is none of its.
    """
    need_campaign(connection, campaign)
    query = select(table).where(table.c.campaign_id == campaign).order_by(table.c.id)
    if after is not None:
        try:
            query = query.where(table.c.id > owned(connection, table, campaign, after).id)
        except NotFound:
            raise BadInput([Finding("bad_cursor", "/after")]) from None
    rows = connection.execute(query.limit(limit + 1)).all()
    return rows[:limit], rows[limit - 1].public_id if len(rows) > limit else None
