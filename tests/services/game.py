"""A table of people playing the toy ruleset through the services: one GM, two players, one who looks on."""

from typing import Any

import msgspec
from sqlalchemy import Connection, insert

from app.persistence.database import Database
from app.persistence.tables import campaign
from app.services import actions, combatants, decisions, encounters, log, rewind, rulings
from app.services.bodies import (
    AnswerIn,
    CombatantEdit,
    CombatantIn,
    EncounterIn,
    EndIn,
    RewindIn,
    RulingIn,
    SetupIn,
    StartIn,
    SubmissionIn,
)
from app.services.caller import Attempt, Caller, Result
from app.services.service import Service
from tests.support import toy
from tests.support.clock import Clock

CAMPAIGN = "cmp_thursday"
GM = Caller("tok_gm", "gm", campaign=CAMPAIGN)
ANN = Caller("tok_ann", "player", campaign=CAMPAIGN, combatants=frozenset({"ref:ann"}))
ORC = Caller("tok_orc", "player", campaign=CAMPAIGN, combatants=frozenset({"ref:orc"}))
WATCHER = Caller("tok_watcher", "spectator", campaign=CAMPAIGN)
STRANGER = Caller("tok_stranger", "gm", campaign="cmp_other")
Json = dict[str, Any]


def as_body(kind: Any, fields: Json) -> Any:
    """A body as the HTTP edge decodes it."""
    return msgspec.json.decode(msgspec.json.encode(fields), type=kind)


def seen(result: Result) -> Any:
    """What a client reads."""
    return msgspec.json.decode(result.body)


class Game:
    """One encounter, by default with Ann and an orc who are each played by somebody."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database, self.clock = database, clock
        self.count = 0
        self.service = Service(
            database.writer, database.store, database.hub, toy.catalog(), clock=clock, new_id=self._id, new_seed=_seed
        )
        self.encounter = ""
        self.ids: dict[str, str] = {}

    @staticmethod
    async def opened(database: Database, clock: Clock) -> "Game":
        """A game in a campaign of its own."""

        def add(connection: Connection) -> None:
            connection.execute(insert(campaign).values(id=CAMPAIGN, name="Thursday", created_at=clock.now))

        await database.writer.execute(add)
        return Game(database, clock)

    def _id(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count:04d}"

    async def create(self, *people: Json, caller: Caller = GM, attempt: Attempt | None = None, **fields: Any) -> Any:
        """A new encounter, with these people or with Ann and the orc."""
        bodies = people or (fighter("ann", "blue"), fighter("orc", "red"))
        whole = {"campaign": CAMPAIGN, "name": "Bridge", "ruleset": toy.TOY, "combatants": list(bodies), **fields}
        result = await encounters.create(self.service, caller, as_body(EncounterIn, whole), attempt or Attempt())
        view = seen(result)
        self.encounter = view["id"]
        everybody = seen(await encounters.read(self.service, GM, self.encounter))["combatants"]
        self.ids = {body["external_ref"] or body["name"]: body["id"] for body in everybody}
        return view

    async def start(self, **fields: Any) -> Any:
        """Begin."""
        return seen(await encounters.start(self.service, GM, self.encounter, as_body(StartIn, fields), Attempt()))

    async def duel(self, *people: Json, **fields: Any) -> None:
        """A fight in which it is Ann's turn."""
        await self.create(*people, **fields)
        for asked in (await self.start())["waiting_for"]:
            await self.answer(GM, asked["id"], dice=[10])
        while (await self.read())["turn"]["combatant"] != self.ids["ann"]:
            await self.act(GM, (await self.read())["turn"]["combatant"], "end_turn")

    async def act(self, caller: Caller, actor: str, action: str, *targets: str, **fields: Any) -> Any:
        """Submit an action."""
        attempt = fields.pop("attempt", Attempt())
        body = as_body(SubmissionIn, {"actor": actor, "action": action, "targets": list(targets), **fields})
        return seen(await actions.submit(self.service, caller, self.encounter, body, attempt))

    async def answer(self, caller: Caller, decision: str, attempt: Attempt | None = None, **fields: Any) -> Any:
        """Answer a decision."""
        body = as_body(AnswerIn, fields)
        return seen(await decisions.answer(self.service, caller, self.encounter, decision, body, attempt or Attempt()))

    async def rule(self, *changes: Json, caller: Caller = GM, reason: str = "so be it") -> Any:
        """Overrule the game."""
        body = as_body(RulingIn, {"reason": reason, "changes": list(changes)})
        return seen(await rulings.rule(self.service, caller, self.encounter, body, Attempt()))

    async def rewind(self, version: int, caller: Caller = GM) -> Any:
        """Go back."""
        body = RewindIn(version, "wrong target")
        return seen(await rewind.rewind(self.service, caller, self.encounter, body, Attempt()))

    async def end(self, caller: Caller = GM) -> Any:
        """End the fight."""
        return seen(await encounters.end(self.service, caller, self.encounter, EndIn(), Attempt()))

    async def set_up(self, caller: Caller = GM, **fields: Any) -> Any:
        """Change how it is played."""
        body = as_body(SetupIn, fields)
        return seen(await encounters.set_up(self.service, caller, self.encounter, body, Attempt()))

    async def add(self, *people: Json) -> Any:
        """Let people enter."""
        bodies = tuple(as_body(CombatantIn, one) for one in people)
        return seen(await combatants.add(self.service, GM, self.encounter, bodies, Attempt()))

    async def edit(self, caller: Caller, who: str, **fields: Any) -> Any:
        """Change a combatant."""
        body = as_body(CombatantEdit, fields)
        return seen(await combatants.edit(self.service, caller, self.encounter, who, body, Attempt()))

    async def read(self, caller: Caller = GM) -> Any:
        """The encounter as somebody sees it."""
        return seen(await encounters.read(self.service, caller, self.encounter))

    async def combatant(self, who: str, caller: Caller = GM) -> Any:
        """A combatant as somebody sees him."""
        return seen(await combatants.read(self.service, caller, self.encounter, who))

    async def open(self, caller: Caller = GM) -> Any:
        """The decisions that somebody sees."""
        return seen(await decisions.page(self.service, caller, self.encounter))["items"]

    async def log(self, caller: Caller = GM, **fields: Any) -> Any:
        """A page of the log."""
        return seen(await log.page(self.service, caller, self.encounter, **fields))

    async def whole_log(self, caller: Caller = GM, limit: int = 200) -> list[Json]:
        """The whole log, page by page."""
        items: list[Json] = []
        cursor = 0
        while True:
            page = await self.log(caller, after=cursor, limit=limit)
            items += page["items"]
            cursor = page["next_cursor"]
            if not page["has_more"]:
                return items


def _seed() -> bytes:
    return b"0123456789abcdef0123456789abcdef"


def fighter(name: str, side: str, **fields: Any) -> Json:
    """Somebody who enters, known to the table by his name."""
    sample = {"ann": "ann"}.get(name, "orc")
    return {"sample": sample, "name": name.capitalize(), "side": side, "external_ref": name, **fields}


def types(result: Json) -> list[str]:
    """What happened, in words of the engine."""
    return [event["type"] for event in result["events"]]
