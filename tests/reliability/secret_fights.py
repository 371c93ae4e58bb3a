"""Fights by chance over HTTP, of real rulesets, with combatants whom others must not know: told twice, they read alike.

The public story is drawn from one source of chance and played by what players see; what the hidden ones do, and the GM
with them, comes from another. Public dice are rolled by the table, so that nothing falls otherwise because somebody
hidden rolled in between.
"""

import random
import re
from typing import Any

import anyio
from httpx import Response
from sqlalchemy import Connection, func, select

from app.persistence.tables import outbox, webhook, webhook_delivery
from app.persistence.work import Live
from app.services.service import random_id
from tests.api.table import Table

Json = dict[str, Any]
MARK = "zq7canary"
"""Stands in every name that only the GM may know."""
HIDDEN = (f"{MARK}one", f"{MARK}two")
_ID = re.compile(r"\b(?:enc|cmb|cmd|dec|tok|unk|cmp)_[0-9a-z]+")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_COMMITMENT = re.compile(r'"(?:dice_commitment|commitment|roll)":"[0-9a-f.]+"')
_REQUEST = re.compile(r'"request_id":"[0-9a-z]+"')
KEPT_HEADERS = ("etag", "content-type", "content-length", "location", "link", "cache-control", "vary")
MOST_DECISIONS = 40
BIDING = frozenset({"delay", "wait", "wait_for", "delay_action", "delayed_action", "hold_action"})
"""Whoever bides his time is asked after each turn, of hidden ones too: the book has it so."""
UNLIKE: dict[str, Json] = {
    "dark_heresy_2e": {"ag": 3},
    "gurps_4e": {"basic_speed": 3.25},
    "shadowrun_5e": {"reaction": 1, "intuition": 1, "edge": 0},
    "wh40k_d100": {"ag": 3},
}
"""What keeps hidden ones from a tie with others, of whom the book then wants a roll."""
SCREEN = {"mode": "map", "walls": [[[30, -60], [30, 60]]]}
"""A map on which the hidden ones are out of sight."""


class Fight:
    """One encounter: `a` and `b` have players, `foe` is the GM's, whoever is hidden too."""

    def __init__(self, seats: Table, ruleset: str, seed: int, *, hidden: bool | str | None) -> None:
        self.seats, self.ruleset, self.hidden = seats, ruleset, hidden
        self.chance = random.Random(f"{ruleset}/{seed}")
        self.unseen = random.Random(f"{ruleset}/{seed}/unseen")
        self.home = ""
        self.ids: dict[str, str] = {}
        self.told: list[str] = []
        self.players = {"a": "ann", "b": "orc", "foe": "orc"}
        """Who acts for whom; the GM for everybody else."""
        seats.app.state.parts.service.new_id = _Counted()

    async def begin(self, samples: list[str], *, on_map: bool = False, **fields: Any) -> None:
        """Everybody is there and the fight has begun."""
        foe_fields = fields.pop("foe", {})
        spots = {"a": [2, 2], "b": [2, 4], "foe": [4, 2], HIDDEN[0]: [41, 40], HIDDEN[1]: [42, 40]}
        spots |= fields.pop("spots", {})

        def body(ref: str, side: str, sample: str, **more: Any) -> Json:
            at = {"position": spots[ref]} if on_map else {}
            return {"sample": sample, "external_ref": ref, "name": ref.capitalize(), "side": side, **at, **more}

        pick = self.chance.choice
        people = [
            body("a", "blue", pick(samples), dice="client"),
            body("b", "blue", pick(samples), dice="client"),
            body("foe", "red", pick(samples), dice="client", **foe_fields),
        ]
        if self.hidden is not None:
            secret: Json = {
                "hidden": self.hidden,
                "dice": "server",
                "policy": {"*": "decline"},
                "notes": f"{MARK}notes",
            }
            if self.ruleset in UNLIKE:
                secret["sheet"] = UNLIKE[self.ruleset]
            people += [body(ref, f"{ref}side", samples[0], **secret) for ref in HIDDEN]
        space: Json = SCREEN if on_map else {"mode": "stated", "facts": self._facts()}
        whole = {
            "campaign": self.seats.campaign,
            "name": "Yard",
            "ruleset": self.ruleset,
            "dice": "client",
            "space": space,
            "combatants": people,
            **fields,
        }
        made = await self.send("POST", "/v1/encounters", whole)
        assert made.status_code == 201, made.text
        view = made.json()
        self.home = f"/v1/encounters/{view['id']}"
        self.ids = {one["external_ref"]: one["id"] for one in view["combatants"]}
        await self.send("POST", f"{self.home}/start", {})
        await self.settle()
        await self.hidden_turns()

    def _facts(self) -> list[Json]:
        pairs = [("a", "b", 2), ("a", "foe", 1), ("b", "foe", 3)]
        if self.hidden is not None:
            pairs.append((*HIDDEN, 1))
        facts: list[Json] = []
        for one, other, far in pairs:
            there = {"from": f"ref:{one}", "to": f"ref:{other}", "distance": far, "sees": True, "cover": "none"}
            back = {"from": f"ref:{other}", "to": f"ref:{one}", "sees": True, "cover": "none"}
            facts += [there, back]
        return facts

    async def send(self, method: str, path: str, json: Any = None, who: str = "gm", **headers: str) -> Response:
        """A request by somebody."""
        headers["authorization"] = f"Bearer {self.seats.tokens[who]}"
        given: Json = {} if json is None else {"json": json}
        return await self.seats.client.request(method, path, headers=headers, **given)

    async def settle(self) -> None:
        """Every roll rolled and every question answered: those that others see by the story, the rest by default."""
        for _ in range(MOST_DECISIONS):
            decisions = (await self.live()).decisions
            if not decisions:
                return
            waiting = (await self.send("GET", f"{self.home}/decisions")).json()["items"]
            public = {one.id for one in decisions if not one.hidden}
            one = next((one for one in waiting if one["id"] in public), waiting[0])
            chance = self.chance if one["id"] in public else self.unseen
            given = await self.send("POST", f"{self.home}/decisions/{one['id']}", _answer(one, chance))
            if not given.is_success:
                fallback = {"option": one["default"]} if one["kind"] != "roll" else _answer(one, chance)
                given = await self.send("POST", f"{self.home}/decisions/{one['id']}", fallback)
            assert given.is_success, given.text
        raise AssertionError("it never settles")

    async def seen(self, path: str, who: str, language: str = "en") -> Response:
        """Something of the encounter as somebody reads it."""
        where = f"{self.home}/{path}" if path else self.home
        return await self.send("GET", where, who=who, **{"accept-language": language})

    async def on_turn(self) -> str | None:
        """Whose turn it is."""
        slot = (await self.live()).state.clock.slot
        return None if slot is None else next(ref for ref, one in self.ids.items() if one == slot.owner)

    async def live(self) -> Live:
        """The encounter as it stands, without the way over HTTP."""
        found: Live = await self.seats.app.state.parts.service.store.live(self.home.rpartition("/")[2])
        return found

    async def step(self) -> None:
        """One public turn, and whatever the hidden do until the next."""
        owner = await self.on_turn()
        if owner is not None and owner not in HIDDEN:
            await self.public_turn(owner)
        await self.meddle()
        await self.hidden_turns()

    async def hidden_turns(self) -> None:
        """Whoever is hidden takes his turns, until it is one that everybody sees."""
        for _ in range(12):
            owner = await self.on_turn()
            if owner not in HIDDEN:
                return
            assert owner is not None
            await self.hidden_turn(owner)

    async def public_turn(self, owner: str) -> None:
        """Somebody whom everybody sees tries something, and ends the turn. What he is told is kept."""
        who = self.players.get(owner, "gm")
        reader = who if who != "gm" else "watcher"
        listed = await self.send("GET", f"{self.home}/combatants/{self.ids[owner]}/actions", who=who)
        if reader == who:
            self.keep("list", listed)
        body = self._submission(owner, listed.json()["actions"], self.chance, ("a", "b", "foe"))
        if reader == who and self.chance.random() < 0.3:
            self.keep("preview", await self.send("POST", f"{self.home}/actions/preview", body, who))
        given = await self.send("POST", f"{self.home}/actions", body, who)
        # Where the turn passes on, the answer tells of the next one, unless somebody hidden comes before it.
        if reader == who and (not given.is_success or await self.on_turn() == owner):
            self.keep("submit", given)
        await self.settle()
        if await self.on_turn() == owner:
            given = await self.send("POST", f"{self.home}/end-turn", {}, "gm")
            await self.settle()

    async def hidden_turn(self, owner: str) -> None:
        """Somebody hidden strikes at another who is hidden, and ends the turn."""
        listed = await self.send("GET", f"{self.home}/combatants/{self.ids[owner]}/actions")
        actions = [one for one in listed.json()["actions"] if one["targets"] and "attack" in one["tags"]]
        if actions:
            body = self._submission(owner, actions, self.unseen, HIDDEN)
            if body["targets"]:
                await self.send("POST", f"{self.home}/actions", body)
                await self.settle()
        if await self.on_turn() == owner:
            await self.send("POST", f"{self.home}/end-turn", {})
            await self.settle()

    async def meddle(self) -> None:
        """The GM does something with those whom nobody else knows."""
        if self.hidden is None:
            return
        who = self.ids[self.unseen.choice(HIDDEN)]
        path = f"{self.home}/combatants/{who}"
        what = self.unseen.randrange(4)
        if what == 0:
            await self.send("PATCH", path, {"notes": f"{MARK}more", "name": f"{MARK} anew"})
        elif what == 1:
            resource = (await self.send("GET", path)).json()["resources"][0]
            change = {"combatant": who, "resource": resource["id"], "set": max(0, resource["value"] - 1)}
            await self.send("POST", f"{self.home}/rulings", {"reason": f"{MARK}ruling", "changes": [change]})
        elif what == 2:
            await self.send("PATCH", self.home, {"notes": f"{MARK}plan", "secret_rolls": "silent"})
        else:
            await self.send("POST", f"{path}/duplicate", {"count": 1})
        for body in (await self.live()).state.combatants.values():
            if body.status != "gone" and body.id not in self.ids.values():
                await self.send("DELETE", f"{self.home}/combatants/{body.id}")
        await self.settle()

    def _submission(self, owner: str, actions: list[Json], chance: random.Random, people: tuple[str, ...]) -> Json:
        """Something on the list, aimed at one of these; with a way to go where it takes one."""
        actions = [one for one in actions if one["id"] not in BIDING]
        attacks = [one for one in actions if one["available"] and "attack" in one["tags"]]
        open_ = attacks if attacks and chance.random() < 0.6 else [one for one in actions if one["available"]]
        action = chance.choice(open_ or actions)
        named = {one: ref for ref, one in self.ids.items() if ref in people}
        targets = [one["id"] for one in action["targets"] if one["available"] and one["id"] in named]
        body: Json = {"actor": f"ref:{owner}", "action": action["id"], "targets": []}
        if targets:
            body["targets"] = [f"ref:{named[chance.choice(sorted(targets, key=lambda one: named[one]))]}"]
        if action["weapons"] and chance.random() < 0.7:
            body["weapon"] = chance.choice(sorted(action["weapons"]))
        if "path" in action["needs"]:
            body["destination"] = [chance.randrange(8), chance.randrange(8)]
        return body

    def keep(self, what: str, response: Response) -> None:
        """Keep an answer as somebody got it."""
        headers = [f"{name}: {response.headers[name]}" for name in KEPT_HEADERS if name in response.headers]
        self.told.append("\n".join((what, str(response.status_code), *headers, response.text)))

    async def look(self, who: str, language: str) -> None:
        """Keep everything that somebody can fetch."""
        for path in ("", "combatants", "decisions", "log?limit=200", "log?before=100000&limit=200"):
            self.keep(f"{who} {path}", await self.seen(path, who, language))
        last = (await self.seen("", who, language)).json()["cursor"]
        for after, most in (("?max_events=1", 1), (f"?after=0&max_events={last}", last)):
            if most and "after" in after:
                self.keep(f"{who} stream", await self.seen(f"stream{after}", who, language))

    async def sent(self, audience: str) -> list[str]:
        """What is sent to the webhook for that audience, oldest first, once all news has been looked through."""

        def news(connection: Connection) -> int:
            return connection.execute(select(func.count()).select_from(outbox)).scalar_one()

        def bodies(connection: Connection) -> list[str]:
            mine = select(webhook_delivery.c.body).join(webhook, webhook.c.id == webhook_delivery.c.webhook_id)
            mine = mine.where(webhook.c.audience == audience, webhook_delivery.c.encounter == self.home.split("/")[-1])
            return list(connection.execute(mine.order_by(webhook_delivery.c.id)).scalars())

        store = self.seats.app.state.parts.service.store
        with anyio.fail_after(20):
            while await store.read(news):
                await anyio.sleep(0.02)
        found: list[str] = await store.read(bodies)
        return found

    def story(self) -> str:
        """All that was kept, without times, and with ids counted in the order in which they come."""
        text = _REQUEST.sub("", _COMMITMENT.sub("", _TIME.sub("TIME", "\n\n".join(self.told))))
        text = re.sub(r"\ncontent-length: \d+", "", text)
        seen: dict[str, str] = {}
        return _ID.sub(lambda found: seen.setdefault(found[0], f"{found[0][:3]}#{len(seen)}"), text)


class _Counted:
    """Ids by chance, but combatants by number, so that their order is the same in every telling."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, prefix: str) -> str:
        if prefix != "cmb_":
            return random_id(prefix)
        self._count += 1
        return f"{prefix}{self._count:010d}"


def _answer(one: Json, chance: random.Random) -> Json:
    if one["kind"] == "roll":
        count, sides = (int(part) for part in one["dice"].split("d"))
        return {"dice": [chance.randint(1, sides) for _ in range(count)]}
    simple = [option["id"] for option in one["options"] if not option.get("form")]
    if simple and chance.random() < 0.5:
        return {"option": chance.choice(simple)}
    return {"option": one["default"]}
