"""A chat bot in Python: follows a fight, tells it, shows decisions as buttons, and acts on commands.

The bot itself knows no chat program. `Chat` has the two methods that it needs; with discord.py they are
`channel.send(text)` and a `discord.ui.View` with one button for each option, whose callback calls `bot.answer(...)`.
Needs httpx. Usage: TURNWRIGHT_URL=... TURNWRIGHT_TOKEN=... (of a player or GM) python bot.py enc_...
"""

import asyncio
import json
import os
import sys
import uuid
from collections.abc import AsyncIterator
from typing import Any, Protocol

import httpx

Json = dict[str, Any]
TRIES = 4


class Chat(Protocol):
    """A channel."""

    async def say(self, text: str) -> None:
        """Show a line."""

    async def ask(self, decision: Json) -> None:
        """Show `prompt` with a button for each of `options`; without options, a field for `dice`."""


class Refused(Exception):
    """What the game does not allow, with every reason in the reader's language."""


class Bot:
    """One fight in one channel."""

    def __init__(self, url: str, token: str, encounter: str, chat: Chat, language: str = "en") -> None:
        headers = {"authorization": f"Bearer {token}", "accept-language": language}
        self.http = httpx.AsyncClient(base_url=url, headers=headers, timeout=httpx.Timeout(10, read=60))
        self.fight, self.chat = f"/v1/encounters/{encounter}", chat
        self.shown: set[str] = set()

    async def call(self, method: str, path: str, body: Json | None = None) -> Json:
        """One request; a change is sent again under the same key when the line breaks, and happens once."""
        headers = {} if method == "GET" else {"idempotency-key": uuid.uuid4().hex}
        for attempt in range(TRIES):
            try:
                response = await self.http.request(method, self.fight + path, json=body, headers=headers)
            except httpx.TransportError:
                if attempt == TRIES - 1:
                    raise
            else:
                if response.status_code not in (429, 503) or attempt == TRIES - 1:
                    break
            await asyncio.sleep(2**attempt)
        told: Json = response.json()
        if response.is_error:
            reasons = [one["message"] for one in told.get("reasons") or ()]
            raise Refused("\n".join(reasons) or told["detail"])
        return told

    # -- commands of the people in the channel

    async def actions(self, who: str) -> list[Json]:
        """What he can do now: `id` and `name`, `targets` with their `chance`, `weapons`. A menu takes 25 of them."""
        found: list[Json] = (await self.call("GET", f"/combatants/{who}/actions?available=true"))["actions"]
        return found

    async def act(self, who: str, action: str, targets: tuple[str, ...] = (), **more: Any) -> Json:
        """Do it. What is refused raises `Refused` with a text to show to whoever tried."""
        return await self.call("POST", "/actions", {"actor": who, "action": action, "targets": targets, **more})

    async def answer(self, decision: str, **answer: Any) -> Json:
        """A button was pressed (`option="dodge"`), or dice were rolled (`dice=[55]`)."""
        return await self.call("POST", f"/decisions/{decision}", answer)

    # -- what the channel is told

    async def follow(self) -> None:
        """Tell what happens, until the fight ends. A broken line goes on where it was."""
        cursor = (await self.call("GET", ""))["cursor"]
        while True:
            await self._ask()
            try:
                async for event in self._events(cursor):
                    cursor = event["seq"]
                    if event["text"]:
                        await self.chat.say(event["text"])
                    if event["type"] == "decision_opened":
                        await self._ask()
                    if event["type"] == "encounter_ended":
                        return
            except httpx.TransportError:
                await asyncio.sleep(1)

    async def _events(self, after: int) -> AsyncIterator[Json]:
        """Server-sent events, one JSON object each."""
        async with self.http.stream("GET", f"{self.fight}/stream", params={"after": after}) as response:
            response.raise_for_status()
            async for line in response.aiter_lines():
                if line.startswith("data:"):
                    event = json.loads(line[5:])
                    if "seq" in event:
                        yield event

    async def _ask(self) -> None:
        for decision in (await self.call("GET", "/decisions"))["items"]:
            if decision["id"] not in self.shown:
                self.shown.add(decision["id"])
                await self.chat.ask(decision)


class Terminal:
    """A chat of one, to try it: type `ACTION TARGET`, or the answer to what is asked."""

    async def say(self, text: str) -> None:
        print(text, flush=True)

    async def ask(self, decision: Json) -> None:
        options = [one["id"] for one in decision.get("options", ())]
        print(f"? {decision['prompt']} {options or decision.get('dice')}", flush=True)


if __name__ == "__main__":
    asyncio.run(Bot(os.environ["TURNWRIGHT_URL"], os.environ["TURNWRIGHT_TOKEN"], sys.argv[1], Terminal()).follow())
