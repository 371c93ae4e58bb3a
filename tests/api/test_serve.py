"""The server as a user starts it: what it prints, how it streams, and how it stops."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.repository import ROOT
from tests.support.served import Served, environment, served, turnwright


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{tmp_path}/turnwright.sqlite3")
    with served(command, tmp_path / "printed") as running:
        yield running


def seated(server: Served) -> tuple[httpx.Client, str, str]:
    """A GM's client with an encounter of his, and a spectator's token."""
    admin = httpx.Client(base_url=server.url, headers={"authorization": f"Bearer {server.token}"})
    campaign = admin.post("/v1/campaigns", json={"name": "Thursday"}).json()
    gm = httpx.Client(base_url=server.url, headers={"authorization": f"Bearer {campaign['gm_token']}"}, timeout=20)
    body = {
        "campaign": campaign["id"],
        "name": "Bridge",
        "ruleset": "dark_heresy_2e",
        "combatants": [{"sample": "sable", "side": "blue"}],
    }
    encounter = gm.post("/v1/encounters", json=body).json()["id"]
    token = gm.post(f"/v1/campaigns/{campaign['id']}/tokens", json={"role": "spectator", "name": "Wanda"}).json()
    admin.close()
    return gm, f"/v1/encounters/{encounter}", json.dumps({**token, "campaign": campaign["id"]})


def test_what_it_prints_can_be_pasted(server: Served, tmp_path: Path) -> None:
    printed = (tmp_path / "printed").read_text(encoding="utf-8")
    command = next(line.strip() for line in printed.splitlines() if line.strip().startswith("curl"))

    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=30, check=True)

    assert json.loads(done.stdout)["name"] == "Thursday"
    assert f"{server.url}/docs" in printed


def test_a_stream_ends_soon_after_its_token_is_revoked(server: Served) -> None:
    gm, path, made = seated(server)
    token = json.loads(made)
    headers = {"authorization": f"Bearer {token['token']}"}
    with httpx.stream("GET", f"{server.url}{path}/stream", headers=headers, timeout=20) as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith(("id:", "event:", "retry:"))
        gm.delete(f"/v1/campaigns/{token['campaign']}/tokens/{token['id']}")
        began = time.monotonic()
        for _ in lines:
            continue
    gm.close()

    assert time.monotonic() - began < 5


def test_it_stops_at_once_with_streams_and_long_polls_open(tmp_path: Path) -> None:
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{tmp_path}/turnwright.sqlite3")
    ended: list[str] = []
    with served(command, tmp_path / "printed") as server:
        gm, path, _ = seated(server)
        cursor = gm.get(path).json()["cursor"]

        def follow() -> None:
            with gm.stream("GET", f"{path}/stream") as stream:
                for _ in stream.iter_bytes():
                    continue
            ended.append("stream")

        def wait() -> None:
            assert gm.get(f"{path}/log", params={"after": cursor, "wait": 20}).json()["items"] == []
            ended.append("poll")

        readers = [threading.Thread(target=one) for one in (follow,) * 5 + (wait,) * 5]
        for reader in readers:
            reader.start()
        time.sleep(0.5)
        began = time.monotonic()
        os.kill(server.process.pid, signal.SIGTERM)
        code = server.process.wait(20)
        took = time.monotonic() - began
        for reader in readers:
            reader.join(10)
        gm.close()

    assert code == 0
    assert took < 5
    assert sorted(ended) == ["poll"] * 5 + ["stream"] * 5


def test_a_second_server_on_the_same_file_is_told_why_not(server: Served, tmp_path: Path) -> None:
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{tmp_path}/turnwright.sqlite3")

    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 3
    assert "in use by another process" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = turnwright("serve", "--port", str(port), "--database", f"sqlite:///{tmp_path}/turnwright.sqlite3")

        done = subprocess.run(
            command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60, check=False
        )

    assert done.returncode == 3
    assert f"127.0.0.1:{port}" in done.stderr


def test_several_workers_share_a_postgres_database(postgres_url: str, tmp_path: Path) -> None:
    command = turnwright("serve", "--port", "0", "--workers", "2", "--database", postgres_url)
    with served(command, tmp_path / "printed") as server:
        gm, path, _ = seated(server)
        seen = {gm.get(path).json()["id"] for _ in range(20)}
        gm.close()
        os.kill(server.process.pid, signal.SIGTERM)
        code = server.process.wait(20)

    assert seen == {path.rsplit("/", 1)[-1]}
    assert code == 0


def test_several_workers_on_a_file_are_refused(tmp_path: Path) -> None:
    command = turnwright("serve", "--workers", "2", "--database", f"sqlite:///{tmp_path}/turnwright.sqlite3")

    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 3
    assert "PostgreSQL" in done.stderr


def test_a_database_that_cannot_be_reached_is_told_in_a_sentence() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        database = f"postgresql+psycopg://turnwright:secret@127.0.0.1:{nobody.getsockname()[1]}/turnwright"
        done = subprocess.run(
            turnwright("serve", "--port", "0", "--database", database),
            env=environment(),
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    assert done.returncode == 3
    assert done.stderr.startswith("The database cannot be used: ")
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr


@pytest.mark.parametrize(
    ("setting", "value"),
    [("TURNWRIGHT_RATE_LIMITS", "perhaps"), ("TURNWRIGHT_PORT", "99999"), ("TURNWRIGHT_PORT", "x1")],
)
def test_a_setting_that_cannot_be_is_named_without_its_value(setting: str, value: str) -> None:
    done = subprocess.run(
        turnwright("serve"),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=environment(**{setting: value}),
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"{setting}: ")
    assert value not in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_connections_are_bounded_in_number_and_time(tmp_path: Path) -> None:
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{tmp_path}/turnwright.sqlite3")
    limits = {"TURNWRIGHT_KEEP_ALIVE_S": "1", "TURNWRIGHT_CONNECTIONS": "3"}
    request = b"GET /healthz HTTP/1.1\r\nHost: table\r\n\r\n"
    with served(command, tmp_path / "printed", **limits) as running, contextlib.ExitStack() as lines:
        host, port = running.url.removeprefix("http://").split(":")

        def line() -> socket.socket:
            return lines.enter_context(socket.create_connection((host, int(port)), timeout=10))

        _, _, third, fourth = (line() for _ in range(4))
        fourth.sendall(request)
        beyond = fourth.recv(4096)
        fourth.close()
        time.sleep(0.2)
        third.sendall(request)
        within = third.recv(4096)
        began = time.monotonic()
        while third.recv(4096):
            pass

        assert (beyond[:13], within[:13]) == (b"HTTP/1.1 503 ", b"HTTP/1.1 200 ")
        assert time.monotonic() - began < 5
