"""The PostgreSQL that the tests stand on does what they rely on."""

import os
import signal

import pytest

from tests.support.postgres import PostgresServer, connect, private_postgres


def test_a_database_is_fresh_and_may_copy_another(postgres_server: PostgresServer, postgres_url: str) -> None:
    with connect(postgres_url) as connection:
        connection.execute("CREATE TABLE seen (n int)")

    with postgres_server.database() as fresh, connect(fresh) as connection:
        assert connection.execute("SELECT to_regclass('seen')").fetchone() == (None,)
    with postgres_server.database(template=postgres_url) as copy, connect(copy) as connection:
        assert connection.execute("SELECT count(*) FROM seen").fetchone() == (0,)


@pytest.mark.alone
def test_what_was_committed_survives_the_kill_of_a_private_server() -> None:
    with private_postgres() as server:
        with connect(server.url) as connection:
            connection.execute("CREATE TABLE kept (n int)")
            connection.execute("INSERT INTO kept VALUES (7)")

        os.kill(server.pid(), signal.SIGKILL)
        server.start()

        with connect(server.url) as connection:
            assert connection.execute("SELECT n FROM kept").fetchone() == (7,)
        assert server.durable
