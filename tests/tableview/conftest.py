"""A server and a Chromium for all tests of a module."""

from collections.abc import Iterator

import pytest

from tests.support.browser import Browser, browser
from tests.support.served import Served, served, turnwright


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server as a user starts it, without limits for whoever is quick."""
    folder = tmp_path_factory.mktemp("table")
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{folder}/turnwright.sqlite3")
    with served(command, folder / "printed", TURNWRIGHT_RATE_LIMITS="false") as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A real browser."""
    with browser() as running:
        yield running
