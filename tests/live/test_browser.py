"""A page on another origin follows a fight live in Chromium, loses the network, and goes on where it was."""

import functools
import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.club import Club
from tests.support.browser import browser
from tests.support.served import served, turnwright
from tests.support.wire import wire_to

HERE = Path(__file__).resolve().parent


class Pages(http.server.SimpleHTTPRequestHandler):
    """Somebody else's web server, which says nothing."""

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Address of a web server of another origin, with the page."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Pages, directory=HERE)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/follow.html"
        server.shutdown()
        thread.join()


def test_a_page_of_another_origin_follows_through_lost_networks(tmp_path: Path, elsewhere: str) -> None:
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{tmp_path}/turnwright.sqlite3")
    quiet = {"TURNWRIGHT_RATE_LIMITS": "false"}
    with (
        browser() as chromium,
        served(command, tmp_path / "printed", **quiet) as server,
        wire_to(server.url) as wire,
        Club.of(server) as club,
    ):
        path = club.encounter()
        begin = club.get(path)["cursor"]
        token = club.token()["token"]
        page = chromium.page(elsewhere)
        page.run(f"void follow({json.dumps(wire.url + path + '/stream')}, {json.dumps(token)})")
        page.wait("snapshots.length === 1")

        def play(times: int, pause: float = 0.02) -> None:
            for number in range(times):
                club.happen(path, f"ruling {number}")
                time.sleep(pause)

        def is_up_to_date() -> None:
            cursor = club.get(path, token)["cursor"]
            page.wait(f"window.cursor === '{cursor}'")

        play(5)
        is_up_to_date()

        # The connection breaks in the middle of a frame, and nobody can be reached for a while.
        wire.cut(after=1000)
        play(10)
        assert wire.is_cut
        page.wait("breaks > 1")
        behind = page.run("heard.length")
        play(5)
        assert page.run("heard.length") == behind
        wire.mend()
        is_up_to_date()

        # The device itself is without a network: what it had breaks, and nothing new comes about.
        breaks = page.run("breaks")
        page.offline(True)
        wire.cut()
        wire.mend()
        page.wait(f"breaks > {breaks} + 2")
        behind = page.run("heard.length")
        play(10)
        assert page.run("heard.length") == behind
        page.offline(False)
        is_up_to_date()
        play(5)
        is_up_to_date()

        heard, snapshots = page.run("heard"), page.run("snapshots")
        origins = page.run("location.origin"), wire.url
        request_id = page.run("requestId")
        log = club.log(path, token)

    assert origins[0] != origins[1]
    assert wire.opened > 2
    assert snapshots == [begin]
    assert heard == [[event["seq"], event["type"], event["seq"]] for event in log if event["seq"] > begin]
    assert len(heard) > 35
    assert request_id, "a page reads the headers that the server exposes"
    assert page.thrown == []
    assert page.said == []
