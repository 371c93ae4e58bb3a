"""One application for all stories of a module: each plays an encounter of its own in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.persistence.schema import migrate
from tests.api.table import Table, table
from tests.support.play import catalog


@pytest.fixture(scope="module")
async def town(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Table]:
    """An application with the real rulesets, a GM, two players, one who looks on, and two webhooks."""
    path: Path = tmp_path_factory.mktemp("town") / "turnwright.sqlite3"
    migrate(f"sqlite:///{path}")
    async with table(f"sqlite:///{path}", catalog=catalog(), encounters_per_campaign=20_000) as opened:
        base = f"/v1/campaigns/{opened.campaign}/tokens"
        for name, ref in (("ann", ["ref:a"]), ("orc", ["ref:b", "ref:foe"])):
            body = {"role": "player", "name": name, "combatants": ref}
            opened.tokens[name] = (await opened.made(base, body))["token"]
        for audience in ("public", "gm"):
            hook = {"url": "https://hooks.example.org/", "name": audience, "audience": audience}
            await opened.made(f"/v1/campaigns/{opened.campaign}/webhooks", hook)
        yield opened
