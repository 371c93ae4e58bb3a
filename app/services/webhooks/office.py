"""Webhooks of one process, opened and closed: the guard, the sender, the courier on his rounds."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import msgspec

from app.config import Settings
from app.services.service import Service
from app.services.webhooks.courier import Courier
from app.services.webhooks.guard import RESOLVE_S, Guard, Policy, Resolver, Resolving
from app.services.webhooks.hooks import Desk
from app.services.webhooks.sending import HttpSender, tls, transport


class Network(msgspec.Struct, frozen=True):
    """How names become addresses and addresses connections; None for the real way."""

    resolve: Resolver | None = None
    transport: httpx.AsyncBaseTransport | None = None
    resolve_s: float = RESOLVE_S


@asynccontextmanager
async def open_webhooks(service: Service, settings: Settings, network: Network) -> AsyncIterator[Desk]:
    """Send what is to be sent, until the end."""
    resolving = Resolving()
    guard = Guard(Policy.of(settings), network.resolve or resolving, resolve_s=network.resolve_s)
    lines = network.transport or transport(tls(settings.webhook_ca_file))
    sender = HttpSender(guard, settings.webhook_timeout_s, lines)
    courier = Courier(service, sender, timeout_s=settings.webhook_timeout_s, pauses_s=settings.webhook_retry_s)
    if not settings.is_postgres:
        await courier.begin_alone()
    rounds = asyncio.create_task(courier.run())
    try:
        yield Desk(guard, settings.webhooks_per_campaign, courier.wake)
    finally:
        rounds.cancel()
        await asyncio.gather(rounds, return_exceptions=True)
        await courier.close()
        await sender.close()
        resolving.close()
