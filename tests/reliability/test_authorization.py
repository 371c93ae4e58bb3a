"""T10, the authorization matrix: every route for eight kinds of callers. A route without a row fails.

The routes are read from the application. Each row says what the first of them that may gets, and who may.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.main import create_app
from app.persistence.schema import migrate
from tests.api.table import Table, fighter, table
from tests.support import toy

pytestmark = pytest.mark.anyio

Json = dict[str, Any]
ROLES = ("anonymous", "stranger", "spectator", "a", "b", "ex", "co_gm", "gm")
"""Nobody, a GM of another campaign, a spectator, two players, one whose token was revoked, a co-GM, and the
GM.
"""

# What stands in a cell: a status, or two where an answer depends on what is going on (accepted, refused by the rules).
_ = 401
N = 404
F = 403
Cell = int | tuple[int, ...]
OK: Cell = 200
DONE: Cell = 201
DID: Cell = (201, 409, 422)
"""Carried out, or refused by the rules and not for who asks."""

#                                                     anonymous stranger spectator a    b    ex co_gm gm
MATRIX: dict[str, tuple[Cell, ...]] = {
    "GET /healthz": (OK,) * 8,
    "GET /readyz": (OK,) * 8,
    "GET /v1/meta": (OK,) * 8,
    "GET /v1/rulesets": (OK,) * 8,
    "GET /v1/rulesets/{ruleset}": (OK,) * 8,
    "GET /v1/rulesets/{ruleset}/actions/{action}": (OK,) * 8,
    "GET /v1/rulesets/{ruleset}/rules": (OK,) * 8,
    "GET /v1/rulesets/{ruleset}/rules/{clause}": (N,) * 8,  # the toy ruleset has no clauses to read
    "GET /v1/rulesets/{ruleset}/schema": (OK,) * 8,
    "GET /v1/rulesets/{ruleset}/house-rules-schema": (OK,) * 8,
    "GET /v1/me": (_, OK, OK, OK, OK, _, OK, OK),
    "GET /v1/campaigns": (_, OK, OK, OK, OK, _, OK, OK),
    "POST /v1/campaigns": (_, F, F, F, F, _, F, F),
    "GET /v1/campaigns/{campaign}": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/campaigns/{campaign}/tokens": (_, N, F, F, F, _, F, OK),
    "POST /v1/campaigns/{campaign}/tokens": (_, N, F, F, F, _, F, DONE),
    "GET /v1/campaigns/{campaign}/tokens/{token}": (_, N, F, F, F, _, F, OK),
    "PATCH /v1/campaigns/{campaign}/tokens/{token}": (_, N, F, F, F, _, F, OK),
    "DELETE /v1/campaigns/{campaign}/tokens/{token}": (_, N, F, F, F, _, F, 204),
    "GET /v1/campaigns/{campaign}/invites": (_, N, F, F, F, _, F, OK),
    "POST /v1/campaigns/{campaign}/invites": (_, N, F, F, F, _, F, DONE),
    "GET /v1/campaigns/{campaign}/invites/{invite}": (_, N, F, F, F, _, F, OK),
    "DELETE /v1/campaigns/{campaign}/invites/{invite}": (_, N, F, F, F, _, F, 204),
    "POST /v1/integrations/discord/interactions": (_,) * 8,  # whoever signs is let in, and no token
    "POST /v1/join": (N,) * 8,  # with a code that nobody has
    "GET /v1/campaigns/{campaign}/webhooks": (_, N, F, F, F, _, F, OK),
    "POST /v1/campaigns/{campaign}/webhooks": (_, N, F, F, F, _, F, DONE),
    "GET /v1/campaigns/{campaign}/webhooks/{webhook}": (_, N, F, F, F, _, F, OK),
    "PATCH /v1/campaigns/{campaign}/webhooks/{webhook}": (_, N, F, F, F, _, F, OK),
    "DELETE /v1/campaigns/{campaign}/webhooks/{webhook}": (_, N, F, F, F, _, F, 204),
    "POST /v1/campaigns/{campaign}/webhooks/{webhook}/test": (_, N, F, F, F, _, F, DONE),
    "POST /v1/campaigns/{campaign}/webhooks/{webhook}/rotate-secret": (_, N, F, F, F, _, F, OK),
    "GET /v1/campaigns/{campaign}/webhooks/{webhook}/deliveries": (_, N, F, F, F, _, F, OK),
    "POST /v1/campaigns/{campaign}/webhooks/{webhook}/deliveries/{delivery}/resend": (_, N, F, F, F, _, F, DID),
    "GET /v1/campaigns/{campaign}/house-rules": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/campaigns/{campaign}/house-rules/{name}": (_, N, N, N, N, _, N, N),
    "GET /v1/campaigns/{campaign}/house-rules/{name}/diff": (_, N, N, N, N, _, N, N),
    "PUT /v1/campaigns/{campaign}/house-rules/{name}": (_, N, F, F, F, _, F, 422),
    "DELETE /v1/campaigns/{campaign}/house-rules/{name}": (_, N, F, F, F, _, F, N),
    "GET /v1/encounters": (_, OK, OK, OK, OK, _, OK, OK),
    "POST /v1/encounters": (_, N, F, F, F, _, F, DONE),
    "POST /v1/encounters/import": (_, N, F, F, F, _, F, 422),
    "GET /v1/encounters/{encounter}": (_, N, OK, OK, OK, _, OK, OK),
    "PATCH /v1/encounters/{encounter}": (_, N, F, F, F, _, OK, OK),
    "DELETE /v1/encounters/{encounter}": (_, N, F, F, F, _, F, 204),
    "GET /v1/encounters/{encounter}/combatants": (_, N, OK, OK, OK, _, OK, OK),
    "POST /v1/encounters/{encounter}/combatants": (_, N, F, F, F, _, DID, DID),
    "GET /v1/encounters/{encounter}/decisions": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/log": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/stream": (_, N, OK, OK, OK, _, OK, OK),
    "POST /v1/encounters/{encounter}/stream-tickets": (_, N, DONE, DONE, DONE, _, DONE, DONE),
    "GET /v1/encounters/{encounter}/map.svg": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/map.png": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/branches": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/statistics": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/verify": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/versions/{version}": (_, N, F, F, F, _, OK, OK),
    "GET /v1/encounters/{encounter}/export": (_, N, F, F, F, _, OK, OK),
    "POST /v1/encounters/{encounter}/fork": (_, N, F, F, F, _, F, DONE),
    "GET /v1/encounters/{encounter}/ruleset": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/ruleset/actions/{action}": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/ruleset/rules/{clause}": (_, N, N, N, N, _, N, N),
    "GET /v1/encounters/{encounter}/ruleset/schema": (_, N, OK, OK, OK, _, OK, OK),
    "POST /v1/encounters/{encounter}/start": (_, N, F, F, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/end": (_, N, F, F, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/end-turn": (_, N, F, DID, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/facts": (_, N, F, F, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/rulings": (_, N, F, F, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/rewind": (_, N, F, F, F, _, DID, DID),
    # By whose the combatant is: `own` is A's, `foreign` is B's, `hidden` and `slot` are the GM's.
    "GET /v1/encounters/{encounter}/combatants/{own}": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/combatants/{foreign}": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/combatants/{hidden}": (_, N, N, N, N, _, OK, OK),
    "GET /v1/encounters/{encounter}/combatants/{slot}": (_, N, N, N, N, _, OK, OK),
    "GET /v1/encounters/{encounter}/combatants/{alias}": (_, N, N, N, N, _, N, N),
    "PATCH /v1/encounters/{encounter}/combatants/{own}": (_, N, F, DID, F, _, DID, DID),
    "PATCH /v1/encounters/{encounter}/combatants/{foreign}": (_, N, F, F, DID, _, DID, DID),
    "PATCH /v1/encounters/{encounter}/combatants/{hidden}": (_, N, N, N, N, _, DID, DID),
    "PATCH /v1/encounters/{encounter}/combatants/{slot}": (_, N, N, N, N, _, DID, DID),
    "DELETE /v1/encounters/{encounter}/combatants/{own}": (_, N, F, F, F, _, DID, DID),
    "DELETE /v1/encounters/{encounter}/combatants/{hidden}": (_, N, F, F, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/combatants/{own}/duplicate": (_, N, F, F, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/combatants/{hidden}/duplicate": (_, N, F, F, F, _, DID, DID),
    "GET /v1/encounters/{encounter}/combatants/{own}/actions": (_, N, F, OK, F, _, OK, OK),
    "GET /v1/encounters/{encounter}/combatants/{foreign}/actions": (_, N, F, F, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/combatants/{hidden}/actions": (_, N, N, N, N, _, OK, OK),
    "GET /v1/encounters/{encounter}/combatants/{slot}/actions": (_, N, N, N, N, _, OK, OK),
    # By whose the decision is: A's roll, B's defence, the defence of somebody hidden.
    "GET /v1/encounters/{encounter}/decisions/{of_a}": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/decisions/{of_b}": (_, N, OK, OK, OK, _, OK, OK),
    "GET /v1/encounters/{encounter}/decisions/{of_hidden}": (_, N, N, N, N, _, OK, OK),
    "POST /v1/encounters/{encounter}/decisions/{of_a}": (_, N, F, DID, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/decisions/{of_b}": (_, N, F, F, DID, _, DID, DID),
    "POST /v1/encounters/{encounter}/decisions/{of_hidden}": (_, N, N, N, N, _, DID, DID),
    "POST /v1/encounters/{encounter}/decisions/{proposal}": (_, N, F, F, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/decisions/{proposal}/withdraw": (_, N, F, DID, F, _, DID, DID),
    # By who acts.
    "POST /v1/encounters/{encounter}/actions as {own}": (_, N, F, DID, F, _, DID, DID),
    "POST /v1/encounters/{encounter}/actions as {foreign}": (_, N, F, F, DID, _, DID, DID),
    "POST /v1/encounters/{encounter}/actions as {hidden}": (_, N, DID, DID, DID, _, DID, DID),
    "POST /v1/encounters/{encounter}/actions/preview as {own}": (_, N, F, OK, F, _, OK, OK),
    "POST /v1/encounters/{encounter}/actions/preview as {hidden}": (_, N, OK, OK, OK, _, OK, OK),
}
"""Hidden actors are refused by the rules as somebody who does not exist is: `unknown_combatant`."""

KINDS = {
    "combatant": ("own", "foreign", "hidden", "slot", "alias"),
    "decision": ("of_a", "of_b", "of_hidden", "proposal"),
}
BODIES: dict[str, Json] = {
    "POST /v1/campaigns": {"name": "Ours"},
    "POST /v1/campaigns/{campaign}/tokens": {"role": "spectator", "name": "New"},
    "PATCH /v1/campaigns/{campaign}/tokens/{token}": {"name": "Renamed"},
    "PUT /v1/campaigns/{campaign}/house-rules/{name}": {"extends": toy.TOY},
    "POST /v1/campaigns/{campaign}/invites": {"role": "spectator"},
    "POST /v1/integrations/discord/interactions": {"id": "1", "type": 1},
    "POST /v1/join": {"code": "ZZZZ-ZZZZ", "name": "Nobody"},
    "POST /v1/campaigns/{campaign}/webhooks": {"url": "https://bot.example.org/hook", "name": "New"},
    "PATCH /v1/campaigns/{campaign}/webhooks/{webhook}": {"name": "Renamed"},
    "POST /v1/encounters/{encounter}/fork": {"at_version": 1},
    "POST /v1/encounters/{encounter}/decisions/{proposal}": {"option": "refuse"},
    "PATCH /v1/encounters/{encounter}": {"name": "Yard"},
    "POST /v1/encounters/{encounter}/combatants": {"combatants": [fighter("more", "red")]},
    "POST /v1/encounters/{encounter}/rulings": {"reason": "so be it", "changes": []},
    "POST /v1/encounters/{encounter}/rewind": {"to_version": 1, "reason": "anew"},
    "POST /v1/encounters/{encounter}/facts": {"facts": [{"from": "ref:a", "to": "ref:b", "distance": 2}]},
    "duplicate": {"count": 1},
    "PATCH combatant": {"policy": {"*": "ask"}},
    "decision": {"option": "none"},
}


def routes() -> set[str]:
    """Every route of the application that is described."""
    document = create_app().openapi()
    return {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method in methods
        if method in ("get", "post", "put", "patch", "delete")
    }


def route_of(row: str) -> str:
    """The route of a row: whose combatant or decision it is does not count."""
    row = row.partition(" as ")[0]
    for name, kinds in KINDS.items():
        for kind in kinds:
            row = row.replace(f"{{{kind}}}", f"{{{name}}}")
    return row


def test_every_route_has_a_row() -> None:
    assert {route_of(row) for row in MATRIX} == routes()
    assert all(len(cells) == len(ROLES) for cells in MATRIX.values())


class Seats:
    """Everybody at the table, and an encounter for each row, as it is when A has to roll, B or somebody hidden to
    defend.
    """

    def __init__(self, opened: Table) -> None:
        self.table = opened
        self.names: dict[str, str] = {}

    async def sit_down(self) -> None:
        """A fight in which it is A's turn."""
        opened = self.table
        who = [
            fighter("a", "blue", dice="client"),
            fighter("b", "red"),
            {**fighter("h", "red"), "hidden": True, "name": "Hidden"},
            {**fighter("s", "red"), "hidden": "slot", "name": "Slot"},
        ]
        view = await opened.create(*who)
        base = f"/v1/campaigns/{opened.campaign}/tokens"
        bodies: dict[str, Json] = {
            "spectator": {"role": "spectator"},
            "a": {"role": "player", "combatants": ["ref:a"]},
            "b": {"role": "player", "combatants": ["ref:b"]},
            "ex": {"role": "player", "combatants": ["ref:a"]},
            "co_gm": {"role": "co_gm", "encounter": view["id"]},
        }
        for name, body in bodies.items():
            made = await opened.made(base, {"name": name, **body})
            opened.tokens[name] = made["token"]
            if name == "ex":
                await opened.send("DELETE", f"{base}/{made['id']}")
        spare = await opened.made(base, {"role": "spectator", "name": "spare"})
        people = {body["external_ref"]: body for body in view["combatants"]}
        self.names = {
            "campaign": opened.campaign,
            "encounter": view["id"],
            "token": spare["id"],
            "ruleset": toy.TOY,
            "action": "strike",
            "clause": "TOY-100",
            "name": "none",
            "own": people["a"]["id"],
            "foreign": people["b"]["id"],
            "hidden": people["h"]["id"],
            "slot": people["s"]["id"],
            "alias": people["s"]["slot"],
            "of_a": "dec_none",
            "of_b": "dec_none",
            "of_hidden": "dec_none",
            "proposal": "dec_none",
            "version": "1",
        }
        asked = (await opened.made(f"{opened.encounter}/start"))["waiting_for"]
        for one in asked:
            await opened.made(f"{opened.encounter}/decisions/{one['id']}", {"dice": [10]})
        while (await opened.get(opened.encounter)).json()["turn"]["combatant"] != self.names["own"]:
            await opened.made(f"{opened.encounter}/end-turn")

    async def lay_out(self, row: str) -> None:
        """What only some rows are about: an invite, a webhook with a message that was sent."""
        home = f"/v1/campaigns/{self.table.campaign}"
        if "{invite}" in row:
            self.names["invite"] = (await self.table.made(f"{home}/invites", {"role": "spectator"}))["id"]
        if "{webhook}" in row:
            body = BODIES["POST /v1/campaigns/{campaign}/webhooks"]
            hook = (await self.table.made(f"{home}/webhooks", body))["id"]
            sent = await self.table.made(f"{home}/webhooks/{hook}/test")
            self.names |= {"webhook": hook, "delivery": sent["id"]}

    async def open_decision(self, whose: str) -> None:
        """A strikes at B, or at somebody hidden, and whoever is meant has not answered yet; or the GM has not."""
        if whose == "proposal":
            await self.table.send("PATCH", self.table.encounter, json={"approval": "actions"})
            told = await self.table.made(f"{self.table.encounter}/actions", self.table.strike("a", "b"), "a")
            self.names[whose] = told["waiting_for"][0]["id"]
            return
        target = {"of_hidden": "h"}.get(whose, "b")
        body = self.table.strike("a", target)
        if whose == "of_a":
            del body["rolls"]
        told = await self.table.made(f"{self.table.encounter}/actions", body)
        assert told["status"] == "waiting", told
        self.names[whose] = told["waiting_for"][0]["id"]
        owner = {"of_a": "own", "of_b": "foreign", "of_hidden": "hidden"}[whose]
        assert told["waiting_for"][0]["for"] == self.names[owner]

    async def ask(self, row: str, role: str) -> Any:
        """The request of a row, by somebody."""
        route, _, actor = row.partition(" as ")
        method, path = route.split(" ", 1)
        path = path.format(**self.names)
        body = BODIES.get(route)
        if body is None and "/decisions/" in path and method == "POST":
            body = {"dice": [1]} if "{of_a}" in row else BODIES["decision"]
        elif body is None and path.endswith("/duplicate"):
            body = BODIES["duplicate"]
        elif body is None and method == "PATCH":
            body = BODIES["PATCH combatant"]
        elif route == "POST /v1/encounters":
            body = {"campaign": self.table.campaign, "name": "More", "ruleset": toy.TOY, "combatants": []}
        elif actor:
            body = {"actor": actor.format(**self.names), "action": "end_turn"}
        if path.endswith("/import"):
            sent = {"content": b'{"kind":"nothing"}\n', "headers": {"content-type": "application/x-ndjson"}}
            path += f"?campaign={self.table.campaign}"
            return await self.table.send(method, path, None if role == "anonymous" else role, **sent)
        if path.endswith("/stream"):
            path += "?after=0&max_events=1"
        fields: Json = {} if body is None else {"json": body}
        return await self.table.send(method, path, None if role == "anonymous" else role, **fields)


@pytest.fixture(scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Table]:
    path: Path = tmp_path_factory.mktemp("matrix") / "turnwright.sqlite3"
    migrate(f"sqlite:///{path}")
    async with table(f"sqlite:///{path}") as made:
        yield made


@pytest.mark.parametrize("row", MATRIX)
@pytest.mark.timeout(200)
async def test_everybody_gets_what_the_table_says(opened: Table, row: str) -> None:
    await opened.open_campaign()  # one holds only so many tokens
    seats = Seats(opened)
    whose = next((kind for kind in KINDS["decision"] if f"{{{kind}}}" in row), None)
    is_fresh = False
    for role, cell in zip(ROLES, MATRIX[row], strict=True):
        if not is_fresh:
            await seats.sit_down()
            await seats.lay_out(row)
            if whose is not None:
                await seats.open_decision(whose)
        response = await seats.ask(row, role)
        allowed = cell if isinstance(cell, tuple) else (cell,)
        if allowed == DID:
            allowed = (200, 204, *allowed)
        assert response.status_code in allowed, (role, response.status_code, response.text[:300])
        # What was changed by one is not what the next one is asked about.
        is_fresh = row.startswith("GET") or not response.is_success


HIDDEN_ROWS = [row for row in MATRIX if any(f"{{{kind}}}" in row for kind in ("hidden", "slot", "of_hidden", "alias"))]


@pytest.mark.parametrize("row", HIDDEN_ROWS)
@pytest.mark.timeout(200)
async def test_what_is_hidden_answers_as_what_is_not_there(opened: Table, row: str) -> None:
    await opened.open_campaign()  # one holds only so many tokens
    seats = Seats(opened)
    await seats.sit_down()
    if "{of_hidden}" in row:
        await seats.open_decision("of_hidden")
    real = dict(seats.names)
    nobody = {"of_hidden": "dec_0000000000"}
    absent = {name: nobody.get(name, "cmb_0000000000") for name in ("hidden", "slot", "alias", "of_hidden")}
    for role in ("spectator", "a", "b"):
        seats.names = dict(real)
        there = await seats.ask(row, role)
        seats.names = real | absent
        gone = await seats.ask(row, role)
        assert there.status_code == gone.status_code, (role, there.text, gone.text)
        assert there.json().get("code") == gone.json().get("code")
        assert there.headers.get("etag") == gone.headers.get("etag")
        named = next(name for name in absent if f"{{{name}}}" in row)
        same = there.text.replace(real[named], absent[named])
        assert len(same) == len(gone.text), (role, there.text, gone.text)
