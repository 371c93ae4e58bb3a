"""A chat bot in Python: follows a fight, tells it, shows decisions as buttons, and acts on commands.

It stands on the client that openapi-python-client makes of the server's own document, and on nothing else:

    pip install openapi-python-client==0.29.1
    openapi-python-client generate --url $TURNWRIGHT_URL/openapi.json --meta none --output-path turnwright_client

The bot itself knows no chat program. `Chat` has the two methods that it needs; with discord.py they are
`channel.send(text)` and a `discord.ui.View` with one button for each option, whose callback calls `bot.answer(...)`.
Usage: TURNWRIGHT_URL=... TURNWRIGHT_TOKEN=... (of a player or GM) python bot.py enc_...
"""

import asyncio
import json
import os
import re
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol, TypeVar

import httpx
from turnwright_client import AuthenticatedClient
from turnwright_client.api.combatants import list_actions
from turnwright_client.api.encounters import read_encounter
from turnwright_client.api.play import answer_decision, list_decisions, submit_action
from turnwright_client.models import ActionList, ActionOption, Answer, CommandResult, Decision, Problem, Submission
from turnwright_client.types import Response

T = TypeVar("T")
TRIES = 4


class Chat(Protocol):
    """A channel."""

    async def say(self, text: str) -> None:
        """Show a line."""

    async def ask(self, decision: Decision) -> None:
        """Show `prompt` with a button for each of `options`; without options, a field for `dice`."""


class Refused(Exception):
    """What the game does not allow, with every reason in the reader's language."""


class Bot:
    """One fight in one channel."""

    def __init__(self, url: str, token: str, encounter: str, chat: Chat, language: str = "en") -> None:
        headers, timeout = {"accept-language": language}, httpx.Timeout(10, read=60)
        self.client = AuthenticatedClient(base_url=url, token=token, headers=headers, timeout=timeout)
        self.encounter, self.chat = encounter, chat
        self.shown: set[str] = set()

    async def call(self, operation: Callable[..., Awaitable[Response[T | Problem]]], *names: str, **fields: Any) -> T:
        """One operation, tried again when the line breaks or the server has no time.

        A change carries a key of its own, which stays the same when it is sent again: it happens once.
        """
        for attempt in range(TRIES):
            is_last = attempt == TRIES - 1
            try:
                answer = await operation(self.encounter, *names, client=self.client, **fields)
            except httpx.TransportError:
                if is_last:
                    raise
            else:
                if is_last or answer.status_code not in (429, 503):
                    return self._good(answer)
            await asyncio.sleep(2**attempt)
        raise AssertionError("the last try has returned or raised")

    @staticmethod
    def _good(answer: Response[T | Problem]) -> T:
        told = answer.parsed
        if told is None:
            raise Refused(answer.status_code.phrase)
        if isinstance(told, Problem):
            raise Refused("\n".join(one.message for one in told.reasons or ()) or told.detail)
        return told

    # -- commands of the people in the channel

    async def actions(self, who: str) -> list[ActionOption]:
        """What he can do now: `id` and `name`, `targets` with their `chance`, `weapons`. A menu takes 25 of them."""
        listed: ActionList = await self.call(list_actions.asyncio_detailed, who, available=True)
        return listed.actions

    async def act(self, who: str, action: str, targets: tuple[str, ...] = (), **more: Any) -> CommandResult:
        """Do it. What is refused raises `Refused` with a text to show to whoever tried."""
        body = Submission(actor=who, action=action, targets=list(targets), **more)
        return await self.call(submit_action.asyncio_detailed, body=body, idempotency_key=uuid.uuid4().hex)

    async def answer(self, decision: str, **answer: Any) -> CommandResult:
        """A button was pressed (`option="dodge"`), or dice were rolled (`dice=[55]`)."""
        key = uuid.uuid4().hex
        return await self.call(answer_decision.asyncio_detailed, decision, body=Answer(**answer), idempotency_key=key)

    # -- what the channel is told

    async def follow(self) -> None:
        """Tell what happens, until the fight ends. A broken line goes on where it was."""
        fight = await self.call(read_encounter.asyncio_detailed)
        if fight.status == "ended":
            await self.chat.say("This fight is over.")
            return
        cursor = fight.cursor
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

    async def _events(self, after: int) -> AsyncIterator[dict[str, Any]]:
        """Server-sent events, one JSON object each. To every generator a stream is text: it is read line by line."""
        path, http = f"/v1/encounters/{self.encounter}/stream", self.client.get_async_httpx_client()
        async with http.stream("GET", path, params={"after": after}) as response:
            response.raise_for_status()
            async for line in response.aiter_lines():
                if line.startswith("data:"):
                    event = json.loads(line[5:])
                    if "seq" in event:
                        yield event

    async def _ask(self) -> None:
        for decision in (await self.call(list_decisions.asyncio_detailed)).items:
            if decision.id not in self.shown:
                self.shown.add(decision.id)
                await self.chat.ask(decision)


def bare(text: str) -> str:
    """A sentence as plain text: names in it are escaped for Markdown, which a channel wants and a terminal does not."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


class Terminal:
    """A chat of one who only reads, to try it: what a channel would be shown."""

    async def say(self, text: str) -> None:
        print(bare(text), flush=True)

    async def ask(self, decision: Decision) -> None:
        options = [one.id for one in decision.options or ()]
        print(f"? {bare(decision.prompt)} {options or decision.dice}", flush=True)


if __name__ == "__main__":
    asyncio.run(Bot(os.environ["TURNWRIGHT_URL"], os.environ["TURNWRIGHT_TOKEN"], sys.argv[1], Terminal()).follow())
