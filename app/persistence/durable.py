"""Connections to PostgreSQL over which nothing is acknowledged before it is on disk, and what the server says of it."""

from typing import Any

import psycopg

from app.persistence.drivers import plain_url

LAZY = ("off", "local")
"""What `synchronous_commit` must not be."""


def connect(url: str) -> "psycopg.Connection[Any]":
    """A connection that writes: nothing is acknowledged before it is on disk, and no lock is waited for for ever."""
    connection = psycopg.connect(url, autocommit=True, connect_timeout=3, application_name="turnwright writer")
    connection.prepare_threshold = 0
    # Waited for twice at most, and the caller is to hear within six seconds.
    connection.execute("SET lock_timeout = '2500ms'")
    connection.execute("SET statement_timeout = '15s'")
    connection.execute("SET idle_in_transaction_session_timeout = '60s'")
    make_durable(connection)
    return connection


def make_durable(connection: Any) -> None:
    """Whatever the server's own setting is: what is acknowledged over this connection is on disk."""
    row = connection.execute("SHOW synchronous_commit").fetchone()
    if row is not None and row[0] in LAZY:
        connection.execute("SET synchronous_commit = on")
    if not connection.autocommit:
        connection.commit()


def lazy_commits(url: str) -> str:
    """How commits are acknowledged there, if that is before they are on disk."""
    with psycopg.connect(plain_url(url), autocommit=True) as connection:
        row = connection.execute("SHOW synchronous_commit").fetchone()
        return row[0] if row is not None and row[0] in LAZY else ""


def unsafe_settings(url: str) -> list[str]:
    """Server settings under which a crash may lose or damage what was acknowledged."""
    with psycopg.connect(plain_url(url), autocommit=True) as connection:
        found = []
        for name in ("fsync", "full_page_writes"):
            row = connection.execute(f"SHOW {name}".encode()).fetchone()
            if row is not None and row[0] == "off":
                found.append(name)
        return found
