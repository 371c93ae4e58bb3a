"""Run by alembic: one transaction for the whole way up or down, so that a killed migration leaves nothing half done."""

from alembic import context
from sqlalchemy import Connection

from app.config import Settings
from app.persistence.schema import migrating_engine
from app.persistence.tables import metadata


def run(connection: Connection) -> None:
    """Migrate on this connection."""
    context.configure(
        connection=connection,
        target_metadata=metadata,
        compare_type=True,
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if isinstance(given, Connection):
    run(given)
else:
    engine = migrating_engine(context.config.get_main_option("sqlalchemy.url") or Settings().database_url)
    with engine.connect() as connection:
        run(connection)
    engine.dispose()
