"""The application with the toy ruleset beside the real ones, for workers of a real server that tests speak to."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI

from app.api import logs
from app.catalog import Catalog
from app.config import Settings
from app.main import create_app
from tests.support import play, toy
from tests.support.served import Served, served


def application() -> FastAPI:
    """What uvicorn serves in each worker."""
    settings = Settings()
    logs.set_up(settings.log_level, as_json=settings.log_json)
    books = {book.id: book for catalog in (play.catalog(), toy.catalog()) for book in catalog}
    return create_app(settings, catalog=Catalog(books))


@contextmanager
def two_workers(url: str, printed: Path, **settings: str) -> Iterator[Served]:
    """Two uvicorn workers on one port and one migrated database, with the toy ruleset."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    options = ["--factory", "tests.support.workers:application", "--workers", "2", "--no-access-log"]
    options += ["--timeout-worker-healthcheck", "60"]
    command = [sys.executable, "-m", "tests.support.workers", *options, "--port", str(port)]
    given = {"TURNWRIGHT_DATABASE_URL": url, "TURNWRIGHT_RATE_LIMITS": "false", **settings}
    with served(command, printed, **given) as server:
        yield server


if __name__ == "__main__":
    import uvicorn

    print(f"serves on http://127.0.0.1:{sys.argv[-1]}", flush=True)
    uvicorn.main(sys.argv[1:])
