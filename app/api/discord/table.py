"""One Discord user at one channel's fight: what he may see and do there, through the use cases everybody uses."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from app.api.asking import Parts
from app.api.discord.parts import Option, plain
from app.api.strict_json import parse
from app.services import actions, combatants, decisions, encounters, log
from app.services.bodies import AnswerIn, SubmissionIn
from app.services.caller import Attempt, Caller, Result

Json = dict[str, Any]
MOST_TOLD = 200
"""Events of one command that are told."""


def decoded(result: Result) -> Json:
    """An answer as anybody gets it."""
    found: Json = msgspec.json.decode(result.body)
    return found


class Table:
    """The fight, seen by its caller (private messages) and by everybody in the channel (public ones)."""

    def __init__(self, parts: Parts, encounter: str, caller: Caller, language: str, attempt: Attempt) -> None:
        self.parts, self.service, self.encounter, self.caller = parts, parts.service, encounter, caller
        self.attempt = attempt
        # Whatever stands in the channel is what somebody who only looks on would see, whoever caused it.
        self.public = msgspec.structs.replace(caller, role="spectator", combatants=frozenset(), language=language)

    async def view(self, *, public: bool = False) -> Json:
        """The encounter."""
        return decoded(await encounters.read(self.service, self.public if public else self.caller, self.encounter))

    async def actors(self, view: Json) -> list[Option]:
        """For whom the caller may act; whose turn it is comes first."""
        turn = (view["turn"] or {}).get("combatant")
        found = []
        for one in view["combatants"]:
            # Only those whom one controls have a policy to show.
            if one["status"] == "up" and "policy" in one:
                found.append(Option(one["id"], one["name"], "▶" if one["id"] == turn else ""))
        return sorted(found, key=lambda one: not one.note)

    async def possible(self, actor: str) -> list[Json]:
        """What he can do now."""
        found = await actions.possible(self.service, self.caller, self.encounter, actor, available_only=True)
        listed: list[Json] = decoded(found)["actions"]
        return listed

    async def name_of(self, combatant: str) -> str:
        """What somebody is called."""
        found = decoded(await combatants.read(self.service, self.caller, self.encounter, combatant))
        return str(found["name"])

    async def asked(self, *, public: bool = False) -> list[Json]:
        """The open decisions."""
        who = self.public if public else self.caller
        items: list[Json] = decoded(await decisions.page(self.service, who, self.encounter))["items"]
        return items

    async def decision(self, decision: str) -> Json:
        """One of them."""
        return decoded(await decisions.read(self.service, self.caller, self.encounter, decision))

    async def submit(self, body: Json) -> tuple[list[str], list[str]]:
        """Act. Gives what everybody may read of it, and what the caller may, in plain lines."""
        sent = parse(msgspec.json.encode(body), SubmissionIn)
        return await self._told(lambda: actions.submit(self.service, self.caller, self.encounter, sent, self.attempt))

    async def reply(self, decision: str, body: Json) -> tuple[list[str], list[str]]:
        """Answer. The same."""
        sent = parse(msgspec.json.encode(body), AnswerIn)
        return await self._told(
            lambda: decisions.answer(self.service, self.caller, self.encounter, decision, sent, self.attempt)
        )

    async def _told(self, command: Callable[[], Awaitable[Result]]) -> tuple[list[str], list[str]]:
        before = (await self.view(public=True))["cursor"]
        own = decoded(await command())
        after = await log.page(self.service, self.public, self.encounter, after=before, limit=MOST_TOLD)
        return _lines(decoded(after)["items"]), _lines(own["events"])


def _lines(events: list[Json]) -> list[str]:
    return [plain(one["text"]) for one in events if one["text"]]
