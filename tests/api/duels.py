"""A duel under house rules over HTTP in which every die lies with the client and falls as a script says."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.api.table import Table

Json = dict[str, Any]
FOE = {"one": "other", "other": "one"}
MOST_TURNS = 12
"""Turns of others that are waited for."""


class Duel:
    """`one` and `other` of two sides, near each other.

    `dice` has the faces of every roll by what it is for, or by who rolls it and what for (`one/attack`); a roll that
    the script does not name fails the test. `answers` are options by who is asked and the kind of question; anything
    else is answered by its default.
    """

    def __init__(
        self, seats: Table, dice: Mapping[str, Sequence[int]], answers: Mapping[str, str] | None = None
    ) -> None:
        self.seats = seats
        self.dice = dict(dice)
        self.answers = dict(answers or {})
        self.home = ""
        self._names: dict[str, str] = {}

    async def begin(self, document: Json, one: Json, other: Json, metres: float = 1, **fields: Any) -> None:
        """House rules put, an encounter made under them, and begun."""
        path = f"/v1/campaigns/{self.seats.campaign}/house-rules/ours"
        put = await self.seats.send("PUT", path, json=document)
        assert put.is_success, put.text
        there = {"to": "ref:other", "distance": metres, "engaged": metres <= 1}
        facts = [
            {"from": "ref:one", "sees": True, "cover": "none", **there},
            {"from": "ref:other", "to": "ref:one", "sees": True, "cover": "none"},
        ]
        people = [
            {"side": "one", "external_ref": "one", "dice": "client", **one},
            {"side": "other", "external_ref": "other", "dice": "client", **other},
        ]
        body = {
            "campaign": self.seats.campaign,
            "name": "Yard",
            "ruleset": document["extends"],
            "house_rules": "ours",
            "combatants": people,
            "space": {"mode": "stated", "facts": facts},
            **fields,
        }
        made = await self.seats.made("/v1/encounters", body)
        self.home = f"/v1/encounters/{made['id']}"
        self._names = {one["id"]: one["external_ref"] for one in made["combatants"]}
        await self.seats.made(f"{self.home}/start")
        await self.settle()

    async def settle(self) -> None:
        """Every roll rolled by the script, every question answered."""
        while waiting := (await self.seats.get(f"{self.home}/decisions")).json()["items"]:
            asked = waiting[0]
            response = await self.seats.post(f"{self.home}/decisions/{asked['id']}", self._answer(asked))
            assert response.is_success, response.text

    def _answer(self, asked: Json) -> Json:
        if asked["kind"] != "roll":
            who = self._names.get(asked["for"], "gm")
            return {"option": self.answers.get(f"{who}/{asked['kind']}", asked["default"])}
        who, name = self._names.get(asked["for"], "gm"), asked["purpose"]
        count, _, _ = asked["dice"].partition("d")
        faces = self.dice.get(f"{who}/{name}", self.dice.get(name))
        assert faces is not None, f"{who}/{name} {asked['dice']}"
        return {"dice": [faces[place % len(faces)] for place in range(int(count))]}

    async def view(self) -> Json:
        """The encounter."""
        found: Json = (await self.seats.get(self.home)).json()
        return found

    async def who(self, ref: str) -> Json:
        """One of the two."""
        found: Json = (await self.seats.get(f"{self.home}/combatants/ref:{ref}")).json()
        return found

    async def left(self, ref: str, budget: str) -> int:
        """What one has left of a budget."""
        return int(next(one["left"] for one in (await self.who(ref))["budgets"] if one["id"] == budget))

    async def on_turn(self) -> str:
        """Whose turn it is."""
        turn = (await self.view())["turn"]
        return self._names[turn["combatant"]] if turn else ""

    async def turn_of(self, ref: str) -> None:
        """Let it be his turn: whoever is before him ends his own."""
        for _ in range(MOST_TURNS):
            if await self.on_turn() == ref:
                return
            await self.end_turn()
        raise AssertionError(f"it never was the turn of {ref}")

    async def end_turn(self) -> None:
        """Whoever has the turn ends it."""
        await self.seats.made(f"{self.home}/end-turn")
        await self.settle()

    async def act(self, ref: str, action: str, **fields: Any) -> list[Json]:
        """He does it, and it must be allowed. Everything that happened until all was answered."""
        before = (await self.log())[-1]["seq"]
        response = await self.refusable(ref, action, **fields)
        assert response.status_code == 201, response.text
        return [one for one in await self.log() if one["seq"] > before]

    async def refusable(self, ref: str, action: str, **fields: Any) -> Any:
        """He does it, allowed or not."""
        response = await self.seats.post(f"{self.home}/actions", {"actor": f"ref:{ref}", "action": action, **fields})
        await self.settle()
        return response

    async def strike(self, ref: str, action: str, **fields: Any) -> list[Json]:
        """The same, at the other."""
        return await self.act(ref, action, targets=[f"ref:{FOE[ref]}"], **fields)

    async def reasons(self, ref: str, action: str, **fields: Any) -> set[tuple[str, str]]:
        """Why he may not: code and clause of each reason."""
        refused = await self.refusable(ref, action, targets=[f"ref:{FOE[ref]}"], **fields)
        assert refused.status_code == 409, refused.text
        return {(one["code"], one["clause"]) for one in refused.json()["reasons"]}

    async def log(self, language: str = "en") -> list[Json]:
        """Everything that has happened."""
        items: list[Json] = []
        page: Json = {"has_more": True, "next_cursor": 0}
        while page["has_more"]:
            address = f"{self.home}/log?limit=200&after={page['next_cursor']}"
            page = (await self.seats.get(address, headers={"accept-language": language})).json()
            items += page["items"]
        return items

    async def close(self) -> None:
        """Nobody is left to fight: the encounter is closed, as it always is, by the GM."""
        await self.seats.made(f"{self.home}/end")
        assert (await self.view())["status"] == "ended"


def of_type(log: Sequence[Json], kind: str) -> list[Json]:
    """The events of a type."""
    return [one for one in log if one["type"] == kind]
