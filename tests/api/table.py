"""A table of people who play the toy ruleset over HTTP: admin, GM, two players, one who looks on, and a stranger."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from app.api import logs
from app.api.openapi import document
from app.catalog import Catalog
from app.config import Settings
from app.main import create_app
from app.services import tokens
from app.services.webhooks.office import Network
from tests.api.contract import Contract
from tests.support import discord, toy

Json = dict[str, Any]
SERVER_VARIABLE = "TURNWRIGHT_TEST_SERVER"
"""`{"url", "admin"}` of a running server to play at, instead of an application in the test's own process."""


def fighter(name: str, side: str, **fields: Any) -> Json:
    """Somebody with a sword."""
    return {
        "name": name.capitalize(),
        "side": side,
        "sample": "ann",
        "external_ref": name,
        **fields,
    }


@cache
def contract() -> Contract:
    """What the application says of itself; the same for all of them."""
    return Contract(document(create_app(Settings())))


class Table:
    """One application with its clients."""

    def __init__(self, app: FastAPI | None, client: httpx.AsyncClient, admin: str) -> None:
        self._app = app
        self.client = client
        self.tokens = {"admin": admin}
        self.campaign = ""
        self.encounter = ""
        self.contract = contract()

    @property
    def app(self) -> FastAPI:
        """The application itself, where it runs in the test's own process."""
        if self._app is None:
            pytest.skip("looks into the process that serves, which is another one here")
        return self._app

    def must_be_here(self, why: str) -> None:
        """Skip where the application runs in another process: `why` tells what cannot be seen from outside."""
        if self._app is None:
            pytest.skip(why)

    async def send(self, method: str, path: str, who: str | None = "gm", **fields: Any) -> httpx.Response:
        """A request by somebody, whose answer is held to the document."""
        headers = dict(fields.pop("headers", {}))
        if who is not None:
            headers.setdefault("authorization", f"Bearer {self.tokens[who]}")
        response = await self.client.request(method, path, headers=headers, **fields)
        self.contract.check(response)
        return response

    async def get(self, path: str, who: str | None = "gm", **fields: Any) -> httpx.Response:
        """Read."""
        return await self.send("GET", path, who, **fields)

    async def post(self, path: str, json: Any = None, who: str | None = "gm", **fields: Any) -> httpx.Response:
        """Do."""
        return await self.send("POST", path, who, json=json, **fields)

    async def made(self, path: str, json: Any = None, who: str = "gm", **fields: Any) -> Any:
        """Do, and it must have worked."""
        response = await self.post(path, json, who, **fields)
        assert response.status_code == 201, response.text
        return response.json()

    async def open_campaign(self) -> None:
        """A campaign with everybody's tokens."""
        self.campaign = await self._campaign("gm")
        base = f"/v1/campaigns/{self.campaign}/tokens"
        for name, body in (
            ("ann", {"role": "player", "name": "Ann", "combatants": ["ref:ann"]}),
            ("orc", {"role": "player", "name": "Otto", "combatants": ["ref:orc"]}),
            ("watcher", {"role": "spectator", "name": "Wanda"}),
        ):
            self.tokens[name] = (await self.made(base, body))["token"]
        await self._campaign("stranger")

    async def _campaign(self, gm: str) -> str:
        made = await self.made("/v1/campaigns", {"name": f"Of {gm}"}, "admin")
        self.tokens[gm] = made["gm_token"]
        name: str = made["id"]
        return name

    async def create(self, *people: Json, **fields: Any) -> Json:
        """An encounter; by default Ann, who rolls her own dice, against an orc."""
        body = {
            "campaign": self.campaign,
            "name": "Bridge",
            "ruleset": toy.TOY,
            "combatants": list(people or (fighter("ann", "blue", dice="client"), fighter("orc", "red"))),
            **fields,
        }
        view: Json = await self.made("/v1/encounters", body)
        self.encounter = f"/v1/encounters/{view['id']}"
        return view

    async def start(self) -> None:
        """Begin, and let it be Ann's turn."""
        told = await self.made(f"{self.encounter}/start")
        for asked in told["waiting_for"]:
            await self.made(f"{self.encounter}/decisions/{asked['id']}", {"dice": [10]})
        while (await self.get(self.encounter)).json()["turn"]["combatant"] != await self.id_of("ann"):
            await self.made(f"{self.encounter}/end-turn")

    async def duel(self, *people: Json, **fields: Any) -> None:
        """A running encounter in which it is Ann's turn."""
        await self.create(*people, **fields)
        await self.start()

    async def id_of(self, name: str) -> str:
        """The id of somebody."""
        view = await self.get(f"{self.encounter}/combatants/ref:{name}")
        found: str = view.json()["id"]
        return found

    def strike(self, actor: str = "ann", target: str = "orc", **fields: Any) -> Json:
        """Somebody who rolls his own dice strikes from one metre, and hits unless the other reacts."""
        return {
            "actor": f"ref:{actor}",
            "action": "strike",
            "targets": [f"ref:{target}"],
            "weapon": "sword",
            "said": {"distance": {f"ref:{target}": 1}},
            "rolls": {"to_hit": [1]},
            **fields,
        }


async def _somewhere(host: str, port: int) -> list[str]:
    if host.endswith(".example.org"):
        return ["93.184.216.34"]
    raise OSError(host)


def nowhere() -> Network:
    """A network in which only names under example.org exist, and everybody there takes whatever comes."""
    taken = httpx.MockTransport(lambda request: httpx.Response(204, stream=httpx.ByteStream(b"")))
    return Network(resolve=_somewhere, transport=taken, resolve_s=0.05)


@asynccontextmanager
async def table(
    url: str, *, catalog: Catalog | None = None, network: Network | None = None, **fields: Any
) -> AsyncIterator[Table]:
    """A table on a migrated database, or at the server that SERVER_VARIABLE names.

    Its webhooks reach nobody, unless a network is given.
    """
    if named := os.environ.get(SERVER_VARIABLE):
        if fields or network is not None:
            pytest.skip("needs a server with settings of its own")
        async with _remote(**json.loads(named)) as made:
            yield made
        return
    settings = Settings(
        database_url=url, **{"rate_limits": False, "token_cache_s": 0.2, "discord_public_key": discord.PUBLIC, **fields}
    )
    app = create_app(settings, catalog=catalog or toy.catalog(), network=network or nowhere())
    pen = logs.set_up("error", as_json=True)
    try:
        async with app.router.lifespan_context(app):
            admin = await tokens.create_admin(app.state.parts.service, "the operator")
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
                made = Table(app, client, admin)
                await made.open_campaign()
                yield made
    finally:
        pen.close()


@asynccontextmanager
async def _remote(url: str, admin: str) -> AsyncIterator[Table]:
    """A table at a running server. Each request has a connection of its own, so that any worker may get it."""
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=30) as client:
        made = Table(None, client, admin)
        await made.open_campaign()
        yield made
