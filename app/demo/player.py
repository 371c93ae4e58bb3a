"""The player: lists what is possible, submits what is intended, answers what is asked. Knows no rules."""

import contextlib
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from app.demo.client import Client, Json, Refused
from app.demo.scenario import Scenario, Step

SEED = 7
"""Dice of the table that the scenario does not name fall from here, so that they fall the same each time."""
END_TURN = "end_turn"


class Lost(Exception):
    """The fight did not go as the scenario means it to."""


class Player:
    """Plays one scenario once: the GM sets it up, and each side has a player of its own.

    `watch` is called whenever something may have happened.
    """

    def __init__(self, client: Client, scenario: Scenario, space: str, watch: Callable[["Player"], None]) -> None:
        self.client, self.scenario, self.space = client, scenario, space
        self.encounter = ""
        self.ids: dict[str, str] = {}
        self.began: dict[str, list[Json]] = {}
        """What everybody had at first, by id."""
        self._names: dict[str, str] = {}
        self._watch = watch
        self._rounds = [dict(intended) for intended in scenario.rounds]
        self._players: dict[str, Client] = {}
        self._rolled: Counter[str] = Counter()

    @property
    def path(self) -> str:
        """Where the encounter is."""
        return f"/v1/encounters/{self.encounter}"

    def play(self, campaign: str) -> None:
        """The whole fight."""
        self._create(campaign)
        with contextlib.ExitStack() as stack:
            self._seat(campaign, stack)
            self._fight()
        self.client.post(f"{self.path}/end")
        self._watch(self)

    def _fight(self) -> None:
        self._go_on(self.client.post(f"{self.path}/start"), self.scenario.start)
        for who in self.scenario.served:
            self.client.patch(f"{self.path}/combatants/ref:{who}", {"dice": "server"})
        self._watch(self)
        while any(any(intended.values()) for intended in self._rounds):
            turn = self._turn()
            if turn is None:
                break
            who, intended = turn
            left = list(intended.pop(who, ()))
            while left:
                self._take(who, left.pop(0))
                if left and not self._is_turn_of(who):
                    break
            if left:
                intended[who] = left
            if self._is_turn_of(who):
                self._submit(who, Step(END_TURN))

    def _create(self, campaign: str) -> None:
        scenario, on_map = self.scenario, self.space == "map"
        people = [
            {"external_ref": who, "dice": "client"}
            | ({"position": scenario.places[who]} if on_map else {})
            | scenario.people[who]
            for who in scenario.people
        ]
        body: Json = {
            "campaign": campaign,
            "name": scenario.title.en,
            "ruleset": scenario.ruleset,
            "space": {"mode": "map", **scenario.map} if on_map else {"mode": "stated"},
            "combatants": people,
        }
        made = self.client.post("/v1/encounters", body)
        self.encounter = made["id"]
        self.began = {one["id"]: one["resources"] for one in made["combatants"]}
        self.ids = {one["external_ref"]: one["id"] for one in made["combatants"]}
        self._names = {one: who for who, one in self.ids.items()}
        if not on_map:
            facts = [
                {"from": f"ref:{one}", "to": f"ref:{other}", "distance": far} for one, other, far in scenario.apart
            ]
            self.client.post(f"{self.path}/facts", {"facts": facts, "reason": scenario.title.en})
        if scenario.conditions:
            changes = [{"combatant": f"ref:{who}", "add_effect": {"id": kind}} for who, kind in scenario.conditions]
            self.client.post(f"{self.path}/rulings", {"changes": changes, "reason": scenario.title.en})

    def _seat(self, campaign: str, stack: contextlib.ExitStack) -> None:
        """A token for each side, which acts and answers for its own."""
        sides: dict[str, list[str]] = {}
        for who, body in self.scenario.people.items():
            sides.setdefault(body["side"], []).append(who)
        for side, members in sides.items():
            body = {"role": "player", "name": side, "combatants": [f"ref:{who}" for who in members]}
            token = self.client.post(f"/v1/campaigns/{campaign}/tokens", body)["token"]
            player = stack.enter_context(self.client.as_other(token))
            self._players |= dict.fromkeys(members, player)

    def _turn(self) -> tuple[str, dict[str, list[Step]]] | None:
        """Whose turn it is, and what is still intended in this round; None once the scenario has no more rounds."""
        now = self.client.get(self.path)
        if now["turn"] is None or now["round"] > len(self._rounds):
            return None
        return self._names[now["turn"]["combatant"]], self._rounds[now["round"] - 1]

    def _is_turn_of(self, who: str) -> bool:
        body = self.client.get(f"{self.path}/combatants/ref:{who}")
        is_turn: bool = body["is_turn"]
        return is_turn

    def _take(self, who: str, step: Step) -> None:
        """Take an action, if the list of what is possible has it."""
        listed = self._players[who].get(f"{self.path}/combatants/ref:{who}/actions")["actions"]
        action: Json = next((one for one in listed if one["id"] == step.action), {"available": False, "reasons": []})
        if action["available"]:
            try:
                self._submit(who, step)
                return
            except Refused as refused:
                if not step.maybe:
                    raise Lost(f"{who}, {step.action}: {refused}") from None
        elif not step.maybe:
            reasons = "; ".join(reason["message"] for reason in action["reasons"])
            raise Lost(f"{who}, {step.action}: {reasons}")

    def _submit(self, who: str, step: Step) -> None:
        body = {"actor": f"ref:{who}", "action": step.action, **step.body}
        body |= step.map if self.space == "map" else step.stated
        self._go_on(self._players[who].post(f"{self.path}/actions", body), step)

    def _go_on(self, result: Json, step: Step) -> None:
        """Answer until nothing waits."""
        dice = {name: list(faces) for name, faces in step.dice.items()}
        wanted = step.answers | (step.stated_answers if self.space != "map" else {})
        answers = {name: list(given) for name, given in wanted.items()}
        while result["status"] == "waiting":
            asked: Json = result["waiting_for"][0]
            who = self._names.get(asked["for"], "")
            answer = self._answer(who, asked, dice, answers)
            result = self._players.get(who, self.client).post(f"{self.path}/decisions/{asked['id']}", answer)
        self._watch(self)
        left = [name for name in step.dice if dice[name] == step.dice[name]]
        left += [name for name in wanted if answers[name] == wanted[name]]
        if left:
            raise Lost(f"{step.action}: nobody asked for {', '.join(left)}")

    def _answer(
        self, who: str, asked: Json, dice: Mapping[str, list[list[int]]], answers: Mapping[str, list[dict[str, Any]]]
    ) -> Json:
        """What the scenario has for it; else the table rolls, or takes what is usual."""
        if asked["kind"] == "roll":
            name = asked["name"]
            for key in (f"{who}/{name}", name):
                if dice.get(key):
                    return {"dice": dice[key].pop(0)}
            count, sides = (int(part) for part in asked["dice"].split("d"))
            self._rolled[f"{who}/{name}"] += 1
            table = random.Random(f"{SEED}/{who}/{name}/{self._rolled[f'{who}/{name}']}")
            return {"dice": [table.randint(1, sides) for _ in range(count)]}
        for key in (f"{who}/{asked['kind']}", asked["kind"]):
            if answers.get(key):
                return answers[key].pop(0)
        return {"option": asked["default"]}
