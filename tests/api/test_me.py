"""Who am I: each token tells its bearer what it lets him do, and nothing of its secret."""

import pytest

from tests.api.table import Table

pytestmark = pytest.mark.anyio


async def test_everybody_learns_what_his_own_token_is(duel: Table) -> None:
    told = {who: (await duel.get("/v1/me", who)).json() for who in ("gm", "ann", "watcher", "admin")}

    assert {who: one["role"] for who, one in told.items()} == {
        "gm": "gm",
        "ann": "player",
        "watcher": "spectator",
        "admin": "admin",
    }
    assert told["ann"]["campaign"] == duel.campaign
    assert told["ann"]["combatants"]
    assert told["admin"]["campaign"] is None
    for who, one in told.items():
        assert duel.tokens[who].split("_", 2)[2] not in str(one)


async def test_a_changed_token_says_so_at_once(duel: Table) -> None:
    name = (await duel.get("/v1/me", "ann")).json()["id"]
    base = f"/v1/campaigns/{duel.campaign}/tokens/{name}"

    changed = await duel.send("PATCH", base, json={"combatants": ["ref:orc"]})

    assert changed.status_code == 200, changed.text
    assert (await duel.get("/v1/me", "ann")).json()["combatants"] == ["ref:orc"]
    await duel.send("DELETE", base)
    assert (await duel.get("/v1/me", "ann")).status_code == 401
