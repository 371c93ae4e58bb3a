"""Short fights over HTTP, each played by its GM from its making to somebody's end, and timed."""

import asyncio
import json
import random
import secrets
import time
from collections.abc import Callable
from typing import Any

from tests.reliability.crowd import Line, Told

Json = dict[str, Any]
SHEET = {
    **{"ws": 35, "bs": 90, "s": 34, "t": 25, "ag": 40, "wp": 41, "wounds_max": 4, "armour": "guard_flak"},
    "talents": ["weapon_training_las"],
}
GUN = {"kind": "lasgun", "held": "both", "marks": {"ammo": 60}}
MOST_TURNS = 60
Note = Callable[[float, float], None]
"""When a submission was sent, and how long it took."""


def people(count: int = 4) -> list[Json]:
    """So many, half on each side, twenty metres apart: one good shot is the end of anybody."""

    def line(side: str, y: int) -> Json:
        places = [[2 * place, y] for place in range(count // 2)]
        body = {"side": side, "name": side.capitalize(), "count": count // 2, "positions": places, "sheet": SHEET}
        return {**body, "items": {"gun": GUN}, "policy": {"*": "decline"}}

    return [line("north", 0), line("south", 20)]


class Duel:
    """One encounter, over one line."""

    def __init__(self, line: Line, campaign: str, note: Note, *, chance: random.Random, think_s: float = 0.0) -> None:
        self.line, self.campaign, self.note = line, campaign, note
        self.chance, self.think_s = chance, think_s
        self.path = ""
        self.is_over = False

    async def make(self, count: int = 4) -> None:
        """It is made and begun."""
        body = {
            "campaign": self.campaign,
            "name": "Yard",
            "ruleset": "dark_heresy_2e",
            "space": {"mode": "map"},
            "combatants": people(count),
        }
        made = await self.line.ask("POST", "/v1/encounters", body)
        assert made.status == 201, made.body
        self.path = f"/v1/encounters/{made.json()['id']}"
        await self.submit("/start", {})
        await self.look()

    async def look(self) -> Told:
        """How it stands now."""
        told = await self.line.ask("GET", self.path)
        assert told.status == 200, told.body
        view = told.json()
        self.turn: str = view["turn"]["combatant"] if view["turn"] else ""
        self.sides: dict[str, str] = {one["id"]: one["side"] for one in view["combatants"]}
        self.up = {one["id"] for one in view["combatants"] if one["status"] == "up"}
        return told

    async def submit(self, path: str, body: Json) -> Json:
        """Send a command, which must be carried out, and note how things stand after it."""
        if self.think_s:
            await asyncio.sleep(self.chance.uniform(0, self.think_s))
        begun = time.monotonic()
        told = await self.line.ask("POST", f"{self.path}{path}", body, idempotency_key=secrets.token_hex(10))
        self.note(begun, time.monotonic() - begun)
        # Whoever has let his gun fall, or cannot shoot any more, is refused, and his turn ends.
        assert told.status in (201, 409, 422) if path == "/actions" else told.status == 201, f"{path} {body}: {told}"
        found: Json = json.loads(told.body)
        return found

    async def play_turn(self) -> None:
        """Whoever's turn it is shoots at a foe, and ends it."""
        foes = sorted(one for one in self.up if self.sides[one] != self.sides[self.turn])
        shot = {"actor": self.turn, "action": "standard_attack", "targets": [self.chance.choice(foes)], "weapon": "gun"}
        told = await self.submit("/actions", shot)
        while told.get("waiting_for"):
            asked = told["waiting_for"][0]
            told = await self.submit(f"/decisions/{asked['id']}", {"option": asked["default"]})
        await self.look()
        if len({self.sides[one] for one in self.up}) > 1 and self.turn:
            await self.submit("/end-turn", {})
            await self.look()

    async def play(self) -> None:
        """To the end: of one side, or of everybody's patience. Then it is deleted."""
        for _ in range(MOST_TURNS):
            if len({self.sides[one] for one in self.up}) < 2 or self.turn not in self.up:
                break
            await self.play_turn()
        await self.submit("/end", {})
        self.is_over = len({self.sides[one] for one in self.up}) < 2
        gone = await self.line.ask("DELETE", self.path)
        assert gone.status == 204, gone.body


__all__ = ["Duel", "Line", "people"]
