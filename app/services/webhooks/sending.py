"""One try to send one message: signed, to the address that was judged, with an end to waiting and to reading."""

import asyncio
import base64
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import httpx
import msgspec
from standardwebhooks import Webhook

from app.services.errors import UrlForbidden
from app.services.webhooks.guard import Guard, Target

READ_LIMIT = 64 * 1024
"""Bytes of an answer that are read at most; none of them is kept."""
_ADDRESSES = 4
"""Addresses of one name that are tried at most."""
SECRET_PREFIX = "whsec_"
_AGENT = "Turnwright-Webhooks"


class Answer(msgspec.Struct, frozen=True):
    """What came of a try: a status, or why there is none."""

    status: int | None
    error: str | None = None


class Sender(Protocol):
    """Sends a message."""

    async def send(self, url: str, message: str, body: bytes, secrets: Sequence[str], at_ms: int) -> Answer:
        """Post it once, signed with each of the secrets."""
        ...


def secret_text(raw: bytes) -> str:
    """A secret as its receiver gets it."""
    return SECRET_PREFIX + base64.b64encode(raw).decode()


def signatures(secrets: Sequence[str], message: str, at_ms: int, body: bytes) -> dict[str, str]:
    """The headers of Standard Webhooks, with a signature for each secret that holds."""
    at = datetime.fromtimestamp(at_ms // 1000, UTC)
    signed = [Webhook(secret).sign(message, at, body.decode()) for secret in secrets]
    return {
        "webhook-id": message,
        "webhook-timestamp": str(at_ms // 1000),
        "webhook-signature": " ".join(signed),
    }


def tls(ca_file: Path | None = None) -> ssl.SSLContext:
    """Whom we believe: the usual authorities, and those of the operator's file."""
    context = httpx.create_ssl_context(trust_env=False)
    if ca_file is not None:
        context.load_verify_locations(cafile=ca_file)
    return context


class HttpSender:
    """Posts over HTTP. `transport` connects; the guard says where to."""

    def __init__(self, guard: Guard, timeout_s: float, transport: httpx.AsyncBaseTransport) -> None:
        self._guard = guard
        self._timeout_s = timeout_s
        self._client = httpx.AsyncClient(
            transport=transport, trust_env=False, follow_redirects=False, timeout=timeout_s, headers={}
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def send(self, url: str, message: str, body: bytes, secrets: Sequence[str], at_ms: int) -> Answer:
        """Post it once. Whatever goes wrong is an answer too."""
        headers = {
            "content-type": "application/json",
            "user-agent": _AGENT,
            "accept-encoding": "identity",
        } | signatures(secrets, message, at_ms, body)
        answered: list[int] = []
        try:
            async with asyncio.timeout(self._timeout_s):
                target = await self._guard.target(url)
                await self._post(target, headers, body, answered)
        except UrlForbidden:
            return Answer(None, "forbidden")
        except (TimeoutError, httpx.TimeoutException):
            # Whoever has said that he has it need not end his answer in time.
            return Answer(answered[0]) if answered else Answer(None, "timeout")
        except httpx.HTTPError as error:
            if answered:
                return Answer(answered[0])
            return Answer(None, "tls" if _is_tls(error) else "connection")
        return Answer(answered[0])

    async def _post(self, target: Target, headers: dict[str, str], body: bytes, answered: list[int]) -> None:
        """Connect to the first address that takes the connection, and note the status."""
        for place, address in enumerate(target.addresses[:_ADDRESSES], start=1):
            try:
                await self._post_to(address, target, headers, body, answered)
            except httpx.ConnectError as error:
                if place == min(len(target.addresses), _ADDRESSES) or _is_tls(error):
                    raise
            else:
                return

    async def _post_to(
        self, address: str, target: Target, headers: dict[str, str], body: bytes, answered: list[int]
    ) -> None:
        where = f"[{address}]" if ":" in address else address
        request = self._client.build_request(
            "POST",
            f"{target.scheme}://{where}:{target.port}{target.path}",
            content=body,
            headers={"host": target.authority, **headers},
            extensions={} if target.host.startswith("[") else {"sni_hostname": target.host},
        )
        request.extensions["timeout"] = httpx.Timeout(self._timeout_s).as_dict()
        response = await self._client.send(request, stream=True)
        answered.append(response.status_code)
        try:
            read = 0
            async for part in response.aiter_raw():
                read += len(part)
                if read >= READ_LIMIT:
                    break
        finally:
            await response.aclose()


def _is_tls(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False


def transport(context: ssl.SSLContext) -> httpx.AsyncBaseTransport:
    """Plain connections, closed after each message: none is used for another name than the one it was judged for."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    return httpx.AsyncHTTPTransport(verify=context, trust_env=False, limits=limits, retries=0)
