"""Walk the migrations up, compare with the tables in the code, down to nothing and up again, on both databases."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sqlalchemy import create_engine, inspect

from tests.support.postgres import postgres_server

ROOT = Path(__file__).resolve().parents[1]


def alembic(url: str, *words: str) -> None:
    """Run one alembic command as a user would; its output is shown only when it fails."""
    command = [sys.executable, "-m", "alembic", *words]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"TURNWRIGHT_DATABASE_URL": url},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"alembic {' '.join(words)} failed on {url.partition(':')[0]}:\n{done.stdout}")


def tables(url: str) -> list[str]:
    """What is in the database beside alembic's own note of where it stands."""
    engine = create_engine(url)
    try:
        return sorted(set(inspect(engine).get_table_names()) - {"alembic_version"})
    finally:
        engine.dispose()


def walk(url: str) -> None:
    """Up, compare, down, up. Exits with what is wrong."""
    name = url.partition(":")[0]
    alembic(url, "upgrade", "head")
    made = tables(url)
    if not made:
        sys.exit(f"{name}: the migrations made no table")
    alembic(url, "check")
    alembic(url, "downgrade", "base")
    if left := tables(url):
        sys.exit(f"{name}: going down to nothing left {', '.join(left)}")
    alembic(url, "upgrade", "head")
    if tables(url) != made:
        sys.exit(f"{name}: going up a second time made other tables")
    print(f"migrations on {name}: up, the same as the code, down and up again ({len(made)} tables)")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        walk(f"sqlite:///{folder}/turnwright.sqlite3")
    with postgres_server().database() as database:
        walk(database)
