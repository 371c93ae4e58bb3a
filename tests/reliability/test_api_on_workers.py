"""The tests of the API once more, over real HTTP, against two uvicorn workers that share a PostgreSQL database."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.persistence.database import open_database
from app.services import tokens
from app.services.service import Service
from tests.api.table import SERVER_VARIABLE
from tests.support import discord
from tests.support.repository import ROOT
from tests.support.workers import two_workers

MODULES = ("auth", "bodies", "campaigns", "language", "play", "queries", "retries")
"""All that play, retry, page and are refused. Left out is what needs settings of its own, or one process."""


LEFT_OUT = ("-k", "not each_role_may_do and not hostile_body and not takes_json_alone")
"""Hundreds of variants of what any worker answers for itself."""
WORDS = ("passed", "skipped")
SET = {"TURNWRIGHT_TOKEN_CACHE_S": "0", "TURNWRIGHT_DISCORD_PUBLIC_KEY": discord.PUBLIC}
"""Without the second in which a worker trusts a token, so that what one has changed counts at once on the other."""


@pytest.mark.concurrency
@pytest.mark.timeout(240)
async def test_the_api_is_the_same_on_two_workers(migrated_postgres_url: str, tmp_path: Path) -> None:
    async with open_database(migrated_postgres_url) as database:
        service = Service(database.writer, database.store, database.hub, Catalog({}))
        admin = await tokens.create_admin(service, "the operator")
    with two_workers(migrated_postgres_url, tmp_path / "printed", **SET) as server:
        told = json.dumps({"url": server.url, "admin": admin})
        files = [f"tests/api/test_{name}.py" for name in MODULES]
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                "-n",
                "0",
                "--durations=5",
                *LEFT_OUT,
                *files,
            ],
            cwd=ROOT,
            env={**os.environ, SERVER_VARIABLE: told},
            capture_output=True,
            text=True,
            timeout=220,
            check=False,
        )
        busy = server.busy_s()

    closing = done.stdout.strip().splitlines()[-1]
    passed, skipped = (int(found[1]) if (found := re.search(rf"(\d+) {word}", closing)) else 0 for word in WORDS)
    assert done.returncode == 0, done.stdout[-5000:]
    assert (passed > 250, skipped < 12) == (True, True), closing
    assert min(busy) > 0.1 * max(busy), f"one worker did nearly everything: {busy}"
