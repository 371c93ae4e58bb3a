"""Wiring, and nothing else: settings to an application that serves them."""

import asyncio
import contextlib
import gc
import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from types import FrameType
from typing import Any

import structlog
from fastapi import FastAPI

from app.api import handlers, logs, openapi, routes
from app.api.asking import Parts
from app.api.edge import Edge
from app.api.follow import Streams
from app.api.metrics import Metrics
from app.api.rates import Rates
from app.catalog import Catalog
from app.config import Settings
from app.persistence.database import open_database
from app.services import decisions, overdue, readiness
from app.services.service import Service
from app.services.tokens import Gate
from app.services.webhooks.office import Network, open_webhooks

DEADLINES_EVERY_S = 0.5
LOOK_AGAIN_AFTER = 60
"""So many rounds, and deadlines of turns that another worker keeps are looked for."""
log = structlog.get_logger("main")


def create_app(
    settings: Settings | None = None,
    *,
    catalog: Catalog | None = None,
    network: Network | None = None,
    has_process: bool = False,
) -> FastAPI:
    """The application. Everything that lives opens with its lifespan and closes with it.

    `has_process` tells that the process is there for this application alone: its memory is arranged for it.
    """
    chosen = settings or Settings()
    app = FastAPI(
        title="Turnwright",
        version=openapi.VERSION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=_lifespan,
    )
    metrics = Metrics()
    app.state.settings = chosen
    app.state.catalog = catalog
    app.state.network = network or Network()
    app.state.has_process = has_process
    app.state.metrics = metrics
    app.state.streams = Streams(chosen.streams_per_token, metrics)
    app.state.disk = readiness.Disk()
    routes.install(app, chosen)
    handlers.install(app)
    app.add_middleware(
        Edge,
        settings=chosen,
        metrics=metrics,
        allowed=lambda scope: handlers.allowed_methods(app, scope),
        exact=handlers.written_out(app),
    )
    return app


def application() -> FastAPI:
    """The same in a process of its own, for servers that make several."""
    gc.disable()  # until everything is loaded
    settings = Settings()
    logs.set_up(settings.log_level, as_json=settings.log_json)
    threading.Thread(target=_end_with_parent, name="turnwright-parent", daemon=True).start()
    return create_app(settings, has_process=True)


def _end_with_parent() -> None:
    """A worker whose parent was killed would keep the port for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    catalog: Catalog = app.state.catalog or Catalog.load(settings.rulesets_folder)
    async with open_database(settings.database_url) as database:
        service = Service(
            database.writer,
            database.store,
            database.hub,
            catalog,
            encounters_per_campaign=settings.encounters_per_campaign,
        )
        gate = Gate(service, cache_s=settings.token_cache_s)
        app.state.is_ready = lambda: readiness.check(service, app.state.disk)
        async with open_webhooks(service, settings, app.state.network) as desk:
            app.state.parts = Parts(service, gate, Rates(settings), settings, desk)
            deadlines = asyncio.create_task(_keep_deadlines(service))
            with _closing_on_signals(service):
                if app.state.has_process:
                    _settle_memory()
                try:
                    yield
                finally:
                    _close(service)
                    deadlines.cancel()
                    await asyncio.gather(deadlines, return_exceptions=True)


def _settle_memory() -> None:
    """What has been loaded stays; the collector need not walk over it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


async def _keep_deadlines(service: Service) -> None:
    """Decisions whose time is up are answered with their default, turns whose time is up are ended."""
    for number in itertools.count():
        try:
            await decisions.expire_due(service, service.clock())
            if number % LOOK_AGAIN_AFTER == 0:
                await overdue.look_again(service)
            await overdue.end_due(service, service.clock())
        except Exception as error:
            # Whatever it is, the next round is to come: a table must not wait for ever on it.
            log.error("deadlines could not be kept", exc_info=error)
        await asyncio.sleep(DEADLINES_EVERY_S)


def _close(service: Service) -> None:
    """Let streams and long-polls end."""
    if not service.is_closing:
        service.is_closing = True
        service.hub.close()


Handler = Callable[[int, FrameType | None], Any]


@contextlib.contextmanager
def _closing_on_signals(service: Service) -> Any:
    """Wrap the server's own handlers: it waits for open streams before it tells us, so we must hear of it first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before: dict[signal.Signals, Any] = {}

    def wrapped(inner: Handler) -> Handler:
        def handle(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(_close, service)
            inner(number, frame)

        return handle

    for number in (signal.SIGTERM, signal.SIGINT):
        held = signal.getsignal(number)
        if callable(held):
            before[number] = held
            signal.signal(number, wrapped(held))
    try:
        yield
    finally:
        for number, held in before.items():
            signal.signal(number, held)
