"""Where Discord posts interactions: the signature first, then whoever it is, then the conversation."""

import hashlib
import secrets
from typing import Any

import msgspec
from fastapi import Request
from starlette.responses import Response

from app.api.asking import Parts, address_of
from app.api.discord import signature
from app.api.discord.parts import MODAL, Json, answer, message, plain
from app.api.discord.shapes import DiscordAnswer, DiscordInteraction
from app.api.discord.table import Table, decoded
from app.api.discord.talk import Talk
from app.api.discord.words import language_of, say
from app.api.examples import examples_of
from app.api.operations import JSON, Operations
from app.api.problem_texts import Code
from app.api.problems import Problem, ReasonOut, from_error
from app.api.schemas import component_name
from app.api.strict_json import parse, read_body
from app.engine.reasons import EngineError
from app.services import discord_links, encounters, invites, picture
from app.services.caller import Attempt, Role
from app.services.errors import Busy, KeyReused, ServiceError, Stale, StorageFull, UnknownOutcome
from app.services.invites import JoinIn

operations = Operations("integrations", "Chat programs that call this server themselves.")
PING, COMMAND, COMPONENT, AUTOCOMPLETE, FORM = 1, 2, 3, 4, 5
_MANAGE_CHANNELS, _ADMINISTRATOR = 0x10, 0x8
_ERRORS = (Problem, ServiceError, EngineError, Stale, KeyReused, Busy, UnknownOutcome, StorageFull)
_GM: tuple[Role, ...] = ("co_gm",)
_SEATS: tuple[Role, ...] = ("co_gm", "player", "spectator")


@operations.post(
    "/v1/integrations/discord/interactions",
    body=DiscordInteraction,
    answers=DiscordAnswer,
    is_open=True,
    is_signed=True,
    problems=(Code.SIGNATURE_INVALID,),
    headers=("DiscordSignature", "DiscordTimestamp"),
    media_types={
        JSON: {
            "schema": {"$ref": f"#/components/schemas/{component_name(DiscordAnswer)}"},
            "examples": examples_of("answer_discord", "response"),
        },
        "multipart/form-data": {"schema": {"type": "object", "description": "A message with a picture."}},
    },
    told="What Discord is to show.",
)
async def answer_discord(request: Request) -> Response:
    """Answer an interaction of Discord.

    For Discord itself, which is given this address as the interactions endpoint of an application. Served where the
    operator has set `TURNWRIGHT_DISCORD_PUBLIC_KEY`; 404 elsewhere. The body is signed by Ed25519 together with the
    time, which may be five minutes away. Whoever plays has joined by the code of an invite, and may do what the token
    behind it may; what the game refuses is answered with a message that only he sees.
    """
    parts: Parts = request.app.state.parts
    settings = parts.settings
    if settings.discord_public_key is None:
        raise Problem(Code.NOT_FOUND)
    headers = dict(request.scope["headers"])
    raw = await read_body(request.receive, headers, settings.body_limit, settings.body_timeout_s)
    signed = headers.get(b"x-signature-ed25519", b""), headers.get(b"x-signature-timestamp", b"")
    if not signature.is_good(settings.discord_public_key, *signed, raw, parts.service.clock()):
        await parts.rates.check_bad(address_of(request.scope))
        await parts.rates.count_bad(address_of(request.scope))
        raise Problem(Code.SIGNATURE_INVALID)
    one = parse(raw, DiscordInteraction)
    if one.type == PING:
        return _sent(DiscordAnswer(1))
    conversation = _Conversation(parts, one, raw)
    try:
        made = await conversation.answer()
    except _ERRORS as error:
        made = conversation.refusal(error)
    return made if isinstance(made, Response) else _sent(answer(made))


def _sent(made: DiscordAnswer) -> Response:
    return Response(msgspec.json.encode(made), 200, {"cache-control": "no-store"}, JSON)


def _place(reason: ReasonOut) -> str:
    return f" {reason.at}" if reason.code == "missing_input" and isinstance(reason.at, str) else ""


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


class _Conversation:
    """One interaction: who it is, in which channel, in which languages."""

    def __init__(self, parts: Parts, one: DiscordInteraction, raw: bytes) -> None:
        self.parts, self.service, self.one = parts, parts.service, one
        self.data = _object(one.data)
        self.member = _object(one.member)
        self.user = _object(self.member.get("user")) or _object(one.user)
        self.language = language_of(one.locale or None)
        self.public_language = language_of(one.guild_locale or None) if one.guild_locale else self.language
        # Under its own id as key: what is sent twice happens once.
        self.attempt = Attempt(f"discord_interaction_{one.id}", hashlib.sha256(raw).digest())

    def _private(self, word: str, **names: str) -> Json:
        told = say(self.language, word, **{name: plain(value) for name, value in names.items()})
        return message([told], private=True)

    def refusal(self, error: Exception) -> Json:
        """What went wrong, to whoever asked, in his language."""
        problem = from_error(error, self.language, is_answer=self.one.type in (COMPONENT, FORM))
        if problem is None:
            raise error
        if self.one.type == AUTOCOMPLETE:
            return {"type": 8, "data": {"choices": []}}
        told = problem.body(self.language, "", None)
        # Where something is missing, its place is what the line for more takes.
        reasons = (
            [one.message + _place(one) for one in told.reasons] or [one.message for one in told.errors] or [told.detail]
        )
        return message([f"**{plain(told.title)}**", *(plain(one) for one in reasons)], private=True)

    async def answer(self) -> Json | Response:
        user, channel = self.user.get("id"), self.one.channel_id
        if not isinstance(user, str) or not isinstance(channel, str):
            return self._private("no_channel")
        await self.parts.rates.count_token(f"discord:{user}")
        name, options, focused = self._command()
        if name in ("bind", "join") and self.one.type == COMMAND:
            return await self._come_in(name, str(options.get("code", ""))[:40], user, channel)
        where = await discord_links.bound(self.service, channel)
        if where is None:
            return self._nothing("not_bound")
        caller = await discord_links.caller_of(self.service, self.parts.gate, user, where, self.language)
        if caller is None:
            return self._nothing("join_first")
        table = Table(self.parts, where.encounter, caller, self.public_language, self.attempt)
        talk = Talk(table, self.language, self.public_language)
        match self.one.type:
            case 2 if name == "map":
                return await self._map(table)
            case 2:
                return await talk.command(name, options)
            case 4:
                return await talk.complete(focused, str(options.get(focused, "")), options)
            case 3:
                marks = [one for one in self.data.get("values", ()) if isinstance(one, str)]
                return await talk.pressed(str(self.data.get("custom_id", "")).split("|"), marks)
            case 5:
                made = await talk.sent(str(self.data.get("custom_id", "")).split("|"), self.data)
                # Discord opens no form for a form.
                return self._private("gone") if made["type"] == MODAL else made
            case _:
                return self._private("gone")

    def _nothing(self, word: str) -> Json:
        return {"type": 8, "data": {"choices": []}} if self.one.type == AUTOCOMPLETE else self._private(word)

    def _command(self) -> tuple[str, Json, str]:
        """The subcommand, its options, and which of them is being typed."""
        sub = next(iter(_objects(self.data.get("options"))), {})
        listed = _objects(sub.get("options"))
        options = {str(one.get("name")): one.get("value") for one in listed}
        focused = next((str(one.get("name")) for one in listed if one.get("focused")), "")
        return str(sub.get("name", "")), options, focused

    async def _come_in(self, name: str, code: str, user: str, channel: str) -> Json:
        """Join by a code; a game master's binds the channel."""
        if name == "bind" and not self._may_manage():
            return self._private("manage")
        await self.parts.rates.count_join(f"discord:{user}")
        called = self.member.get("nick") or self.user.get("global_name") or self.user.get("username") or "Discord"
        body = parse(msgspec.json.encode({"code": code or "-", "name": str(called)[:80]}), JoinIn)
        seats = _GM if name == "bind" else _SEATS
        made = decoded(await invites.join(self.service, body, self.attempt, seats))
        caller = await self.parts.gate.named(made["id"])
        if caller is None:
            raise Problem(Code.TOKEN_INVALID)
        await discord_links.link(self.service, user, caller)
        self.parts.gate.forget()
        if name == "join":
            return self._private("joined", name=body.name)
        await discord_links.bind(self.service, channel, caller)
        view = decoded(await encounters.read(self.service, caller, caller.encounter or ""))
        told = say(self.public_language, "bound", name=plain(view["name"]))
        return message([told])

    def _may_manage(self) -> bool:
        """Whether Discord lets him manage the channel; in a private one there is nobody else."""
        if not self.member:
            return True
        held = str(self.member.get("permissions", "0"))
        return bool(held.isdigit() and int(held[:30]) & (_MANAGE_CHANNELS | _ADMINISTRATOR))

    async def _map(self, table: Table) -> Response:
        """The map as a picture that comes with the message: no address that others could open."""
        drawn = await picture.picture(self.service, table.public, table.encounter, "png", "dark", 800)
        view = await table.view(public=True)
        told = message([say(self.public_language, "map", name=plain(view["name"]))])
        told["data"]["attachments"] = [{"id": 0, "filename": "map.png"}]
        edge = f"turnwright-{secrets.token_hex(12)}"
        body = b"".join(
            (
                f'--{edge}\r\ncontent-disposition: form-data; name="payload_json"\r\n'.encode(),
                b"content-type: application/json\r\n\r\n" + msgspec.json.encode(told) + b"\r\n",
                f'--{edge}\r\ncontent-disposition: form-data; name="files[0]"; filename="map.png"\r\n'.encode(),
                b"content-type: image/png\r\n\r\n" + (drawn.body or b"") + b"\r\n",
                f"--{edge}--\r\n".encode(),
            )
        )
        return Response(body, 200, {"cache-control": "no-store"}, f"multipart/form-data; boundary={edge}")
