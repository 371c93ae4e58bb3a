"""The work: a ranged attack with server dice, the defender's decision, damage, end of turn.

Every one of these is a submission of its own: a POST that makes a version. Everybody in a fight plays the same way. So
that it can go on for as long as is wanted, the GM heals whoever is badly hurt and mends guns that jam: about one turn
in twenty, in requests of their own, which take their time and are not counted.
"""

import itertools
import os
from collections.abc import Callable
from typing import Any

import msgspec

from bench.connection import Connection

RULESET = "dark_heresy_2e"
SHEET = {"ws": 35, "bs": 70, "s": 34, "t": 38, "ag": 40, "wp": 41, "wounds_max": 60, "armour": "guard_flak"}
SKILLS = {"dodge": "known", "parry": "known"}
TALENTS = ["weapon_training_las", "weapon_training_low_tech"]
GUN = {"kind": "lasgun", "held": "both", "marks": {"ammo": 60}}
ITEMS = {"gun": GUN, "sword": {"kind": "sword"}}
MENDED = msgspec.json.encode({"items": {"gun": GUN}})
FEW_WOUNDS, FEW_SHOTS = 20, 3
ORDINARY = ("shot_at",)
"""Effects that come with the work itself."""
HEALED = {"wounds": SHEET["wounds_max"], "critical_damage": 0, "fatigue": 0}
_number = itertools.count(1)


def body_of(campaign: str, combatants: int) -> bytes:
    """An encounter of so many, half on each side, twenty metres apart on an open map."""
    half = combatants // 2

    def line(side: str, y: int) -> dict[str, Any]:
        return {
            "side": side,
            "name": side.capitalize(),
            "count": half,
            "positions": [[2 * (n % 25), y + 2 * (n // 25)] for n in range(half)],
            "sheet": {**SHEET, "skills": SKILLS, "talents": TALENTS},
            "items": ITEMS,
            "policy": {"die_replacement": "decline"},
        }

    whole = {
        "campaign": campaign,
        "name": "Bench",
        "ruleset": RULESET,
        "space": {"mode": "map"},
        "combatants": [line("north", 0), line("south", 20)],
    }
    return msgspec.json.encode(whole)


class Event(msgspec.Struct):
    """What the player reads of an event."""

    type: str
    combatant: str | None = None
    mark: str | None = None
    pool: str | None = None
    value: int | None = None


class Option(msgspec.Struct):
    """One way to answer."""

    id: str


class Decision(msgspec.Struct):
    """What the player reads of a decision."""

    id: str
    kind: str
    default: str
    options: list[Option]


class Answer(msgspec.Struct):
    """What the player reads of an answer."""

    status: str
    events: list[Event]
    waiting_for: list[Decision]


class _Effect(msgspec.Struct):
    id: str
    kind: str


class _Body(msgspec.Struct):
    id: str
    side: str
    status: str
    effects: list[_Effect]


class _Turn(msgspec.Struct):
    combatant: str


class _State(msgspec.Struct):
    turn: _Turn
    combatants: list[_Body]


class Unexpected(Exception):
    """The server did not do what was asked: a measurement of that would mean nothing."""


Note = Callable[[str, float, float], None]
"""Kind of the submission, when it began, when it was answered."""
_answer = msgspec.json.Decoder(Answer)
_state = msgspec.json.Decoder(_State)
_body = msgspec.json.Decoder(_Body)


def attack(actor: str, target: str) -> bytes:
    """A single shot."""
    shot = b'{"actor":"%b","action":"standard_attack","targets":["%b"],"weapon":"gun"}'
    return shot % (actor.encode(), target.encode())


class Fight:
    """One running encounter, played turn by turn."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._turn = ""
        self._hurt: dict[str, None] = {}
        self._foes: dict[str, list[str]] = {}
        self._side: dict[str, str] = {}
        self._next: dict[str, int] = {}

    async def look(self, connection: Connection) -> None:
        """Read who fights and whose turn it is."""
        state = _state.decode(await _sent(connection, "GET", f"/v1/encounters/{self.name}", b"", 200))
        self._turn = state.turn.combatant
        self._side = {body.id: body.side for body in state.combatants}
        self._foes = {
            side: [body.id for body in state.combatants if body.side != side] for side in set(self._side.values())
        }
        self._next = dict.fromkeys(self._foes, 0)

    async def play_turn(self, connection: Connection, clock: Callable[[], float], note: Note) -> None:
        """One combatant's turn, from the attack to its end."""
        actor, side = self._turn, self._side[self._turn]
        target = self._foes[side][self._next[side] % len(self._foes[side])]
        self._next[side] += 1
        path = f"/v1/encounters/{self.name}"
        answer = await self._submit(connection, clock, note, "attack", f"{path}/actions", attack(actor, target))
        while answer.waiting_for:
            asked = answer.waiting_for[0]
            option = next((one.id for one in asked.options if one.id == "dodge"), asked.default)
            given = b'{"option":"%b"}' % option.encode()
            answer = await self._submit(connection, clock, note, "answer", f"{path}/decisions/{asked.id}", given)
        while self._hurt:
            await self._mend(connection, self._hurt.popitem()[0])
        ending = b'{"actor":"%b","action":"end_turn"}' % actor.encode()
        answer = await self._submit(connection, clock, note, "end of turn", f"{path}/actions", ending)

    async def _mend(self, connection: Connection, who: str) -> None:
        path = f"/v1/encounters/{self.name}/combatants/{who}"
        body = _body.decode(await _sent(connection, "GET", path, b"", 200))
        changes: list[dict[str, Any]] = [
            {"combatant": who, "remove_effect": effect.id} for effect in body.effects if effect.kind not in ORDINARY
        ]
        changes += [{"combatant": who, "resource": name, "set": value} for name, value in HEALED.items()]
        if body.status != "up":
            changes.append({"combatant": who, "status": "up"})
        ruling = msgspec.json.encode({"reason": "to go on", "changes": changes})
        await _sent(connection, "POST", f"/v1/encounters/{self.name}/rulings", ruling, 201)
        await _sent(connection, "PATCH", path, MENDED, 200, 201)

    async def _submit(
        self, connection: Connection, clock: Callable[[], float], note: Note, kind: str, path: str, body: bytes
    ) -> Answer:
        key = f"bench-{os.getpid()}-{next(_number)}"
        begun = clock()
        status, told = await connection.request("POST", path, body, key)
        note(kind, begun, clock())
        if status != 201:
            raise Unexpected(f"{kind}: {status} {told[:600]!r}")
        answer = _answer.decode(told)
        for event in answer.events:
            if event.type == "turn_began" and event.combatant:
                self._turn = event.combatant
            elif event.combatant and _is_trouble(event):
                self._hurt[event.combatant] = None
        return answer


def _is_trouble(event: Event) -> bool:
    """Whether whom it is about could soon not play like the others."""
    if event.type == "pool_changed":
        return event.pool == "wounds" and event.value is not None and event.value < FEW_WOUNDS
    if event.type == "item_marked":
        return event.mark == "jammed" or (event.mark == "ammo" and event.value is not None and event.value < FEW_SHOTS)
    return event.type == "critical_suffered"


async def _sent(connection: Connection, method: str, path: str, body: bytes, *good: int) -> bytes:
    status, told = await connection.request(method, path, body)
    if status not in good:
        raise Unexpected(f"{method} {path}: {status} {told[:600]!r}")
    return told


async def open_campaign(port: int, admin: str) -> tuple[str, str]:
    """A campaign and its GM's token."""
    connection = await Connection.open(port, admin)
    made = msgspec.json.decode(await _sent(connection, "POST", "/v1/campaigns", b'{"name":"Bench"}', 201))
    connection.close()
    return made["id"], made["gm_token"]


async def create(port: int, token: str, campaign: str, combatants: int, count: int) -> list[str]:
    """So many fights, begun."""
    connection = await Connection.open(port, token)
    names = []
    for _ in range(count):
        made = await _sent(connection, "POST", "/v1/encounters", body_of(campaign, combatants), 201)
        name: str = msgspec.json.decode(made)["id"]
        await _sent(connection, "POST", f"/v1/encounters/{name}/start", b"{}", 201)
        names.append(name)
    connection.close()
    return names


async def pair(port: int, token: str, name: str) -> tuple[str, str]:
    """Whoever's turn it is in a fight, and a foe of his."""
    connection = await Connection.open(port, token)
    state = _state.decode(await _sent(connection, "GET", f"/v1/encounters/{name}", b"", 200))
    connection.close()
    actor = next(body for body in state.combatants if body.id == state.turn.combatant)
    return actor.id, next(body.id for body in state.combatants if body.side != actor.side)
