"""A server that is told to stop amid sixteen who submit and fifty who listen ends in order, and soon."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from app.persistence.verify import verify
from tests.live.club import Club
from tests.reliability.crowd import Line
from tests.support.served import served, turnwright

SETTINGS = {"TURNWRIGHT_RATE_LIMITS": "false", "TURNWRIGHT_STREAMS_PER_TOKEN": "1000"}


@pytest.mark.crash
async def test_whoever_was_heard_is_answered_and_streams_end_with_a_comment(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/turnwright.sqlite3"
    command = turnwright("serve", "--port", "0", "--database", url)
    acknowledged: list[str] = []
    statuses: set[int] = set()
    broken: list[str] = []
    with served(command, tmp_path / "printed", **SETTINGS) as server, Club.of(server) as club:
        path, gm = club.encounter(), club.gm
        host, port = server.url.removeprefix("http://").split(":")
        is_told = False

        async def submit(number: int) -> None:
            line = Line(server.url, gm, anew=False)
            for count in range(10_000):
                mark = f"{number}-{count}"
                try:
                    answer = await line.ask("POST", f"{path}/rulings", {"reason": mark})
                except (ConnectionError, asyncio.IncompleteReadError) as error:
                    # Cut between two requests, or refused; but nobody is while the server still serves.
                    if not is_told:
                        broken.append(repr(error))
                    break
                statuses.add(answer.status)
                if answer.status != 201:
                    break
                acknowledged.append(mark)
            line.close()

        async def listen(kind: str) -> bytes:
            reader, writer = await asyncio.open_connection(host, int(port))
            head = f"GET {path}/stream HTTP/1.1\r\nHost: table\r\nAuthorization: Bearer {gm}\r\nAccept: {kind}\r\n\r\n"
            writer.write(head.encode())
            heard = await reader.read()
            writer.close()
            return heard

        listening = [
            asyncio.create_task(listen(kind))
            for kind in ("text/event-stream", "application/x-ndjson")
            for _ in range(25)
        ]
        submitting = [asyncio.create_task(submit(number)) for number in range(16)]
        await asyncio.sleep(2)
        is_told = True
        os.kill(server.process.pid, signal.SIGTERM)
        begun = time.monotonic()
        code = await asyncio.to_thread(server.process.wait, 20)
        took = time.monotonic() - begun
        await asyncio.gather(*submitting)
        heard = await asyncio.gather(*listening)

    assert (code, broken) == (0, [])
    assert took < 10
    assert statuses <= {201, 503}
    # Each ended whole: with its comment, and with the mark that nothing more comes.
    assert all(b":closing\n\n" in one for one in heard[:25])
    assert all(one.endswith(b"0\r\n\r\n") for one in heard)
    assert '"level":"error"' not in server.printed.read_text()
    assert verify(url).findings == ()
    with served(command, tmp_path / "again", **SETTINGS) as again, Club(again.url, server.token) as after:
        after.gm = gm
        logged = [event["reason"] for event in after.log(path) if event["type"] == "ruled"]
    assert len(acknowledged) > 16
    assert set(acknowledged) <= set(logged)
    assert len(logged) - len(acknowledged) <= 16
    assert len(logged) == len(set(logged))
