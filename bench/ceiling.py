"""The reference, "C": FastAPI on uvicorn, one async endpoint that validates a small body and makes one transaction.

Read one row, update it, insert four log rows, through SQLAlchemy Core. SQLite in WAL at NORMAL, called inline; or
PostgreSQL through asyncpg. One process. `/bare` does no transaction at all, `/stream` and `/tell` fan out. Started by
the benchmark as `python -m bench.ceiling DATABASE_URL`; serves on a free port of the loopback until it is told to stop.
"""

import asyncio
import json
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI, HTTPException
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from sqlalchemy import (
    Column,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    insert,
    make_url,
    select,
    update,
)
from sqlalchemy.ext.asyncio import create_async_engine

ROWS = 64
LOG_ROWS = 4
metadata = MetaData()
fight = Table(
    "fight", metadata, Column("id", Integer, primary_key=True), Column("version", Integer), Column("state", Text)
)
log = Table(
    "log",
    metadata,
    Column("fight_id", Integer, primary_key=True, autoincrement=False),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20)),
    Column("body", Text),
)


class Submission(BaseModel):
    """A body about as small as an action's."""

    actor: str = Field(max_length=100)
    action: str = Field(max_length=100)
    targets: list[str]
    weapon: str | None = None


class News(BaseModel):
    """Something that all readers of the stream are told."""

    text: str = Field(max_length=1000)
    number: int


class Done(BaseModel):
    """What answers it."""

    version: int
    seq: int


def _read(number: int) -> Any:
    return select(fight.c.version, fight.c.state).where(fight.c.id == number)


def _changed(number: int, row: Any, body: Submission) -> tuple[int, Any, list[dict[str, Any]]]:
    """The row after the command, and the log of it."""
    version = row.version + 1
    state = json.loads(row.state)
    state["wounds"][body.actor] = version
    change = update(fight).where(fight.c.id == number).values(version=version, state=json.dumps(state))
    entries = [
        {
            "fight_id": number,
            "seq": version * LOG_ROWS + n,
            "kind": "attacked",
            "body": json.dumps({"actor": body.actor, "action": body.action, "targets": body.targets, "step": n}),
        }
        for n in range(LOG_ROWS)
    ]
    return version, change, entries


def first_rows() -> list[dict[str, Any]]:
    """Rows to play on, one a connection."""
    state = json.dumps({"round": 1, "turn": "a", "wounds": {"a": 0, "b": 0, "c": 0, "d": 0}})
    return [{"id": number, "version": 0, "state": state} for number in range(ROWS)]


def on_sqlite(url: str) -> FastAPI:
    """The reference on SQLite: the transaction is made on the event loop itself."""
    engine = create_engine(url)

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, record: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")

    @event.listens_for(engine, "begin")
    def _begun(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    metadata.drop_all(engine)
    metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(insert(fight), first_rows())
    app = FastAPI()

    @app.post("/fights/{number}", status_code=201)
    async def submit(number: int, body: Submission) -> Done:
        with engine.begin() as connection:
            row = connection.execute(_read(number)).first()
            if row is None:
                raise HTTPException(404)
            version, change, entries = _changed(number, row, body)
            connection.execute(change)
            connection.execute(insert(log), entries)
        return Done(version=version, seq=version * LOG_ROWS)

    return app


def on_postgres(url: str) -> FastAPI:
    """The reference on PostgreSQL, through asyncpg."""
    engine = create_async_engine(make_url(url).set(drivername="postgresql+asyncpg"), pool_size=16, max_overflow=0)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with engine.begin() as connection:
            await connection.run_sync(metadata.drop_all)
            await connection.run_sync(metadata.create_all)
            await connection.execute(insert(fight), first_rows())
        yield
        await engine.dispose()

    app = FastAPI(lifespan=lifespan)

    @app.post("/fights/{number}", status_code=201)
    async def submit(number: int, body: Submission) -> Done:
        async with engine.begin() as connection:
            row = (await connection.execute(_read(number))).first()
            if row is None:
                raise HTTPException(404)
            version, change, entries = _changed(number, row, body)
            await connection.execute(change)
            await connection.execute(insert(log), entries)
        return Done(version=version, seq=version * LOG_ROWS)

    return app


def main(url: str) -> None:
    """Serve until told to stop."""
    app = on_postgres(url) if url.startswith("postgresql") else on_sqlite(url)

    @app.get("/healthz")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/bare/{number}")
    async def bare(number: int, body: Submission) -> Done:
        return Done(version=number, seq=number)

    queues: set[asyncio.Queue[bytes]] = set()

    async def frames() -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        queues.add(queue)
        try:
            yield b": here\n\n"
            while True:
                yield await queue.get()
        finally:
            queues.discard(queue)

    @app.get("/stream")
    async def stream() -> StreamingResponse:
        return StreamingResponse(frames(), media_type="text/event-stream")

    @app.post("/tell", status_code=201)
    async def tell(news: News) -> Done:
        frame = f"id: {news.number}\ndata: {news.model_dump_json()}\n\n".encode()
        for queue in queues:
            queue.put_nowait(frame)
        return Done(version=news.number, seq=news.number)

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    print(f"The reference serves on http://127.0.0.1:{listener.getsockname()[1]}\n", flush=True)
    config = uvicorn.Config(app, access_log=False, log_level="warning", ws="none")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(sys.argv[1])
