"""`make run` is enough on a machine that has never seen the project."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from tests.support.repository import ROOT, repository_files

PATIENCE = 300
"""Seconds from the command to a ready service, installation included."""


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.alone
def test_make_run_in_an_empty_copy_ends_in_a_ready_service(tmp_path: Path) -> None:
    copy = tmp_path / "a copy"  # a folder with a space, as people have them
    for path in repository_files():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, copy / path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        name: value for name, value in os.environ.items() if not name.startswith(("TURNWRIGHT_", "MAKE", "PYTHON"))
    }
    printed = tmp_path / "printed"

    with printed.open("wb") as output:
        service = subprocess.Popen(
            ["make", "run", f"PORT={port}"],
            cwd=copy,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        assert is_ready(f"http://127.0.0.1:{port}/readyz", service), printed.read_text()
        os.killpg(service.pid, signal.SIGTERM)
        service.wait(timeout=30)
    finally:
        if service.poll() is None:
            os.killpg(service.pid, signal.SIGKILL)
            service.wait()

    said = printed.read_text()
    assert f"http://127.0.0.1:{port}" in said
    assert "curl" in said
    assert "tw_" in said, "the first admin token is shown once"


def is_ready(url: str, service: "subprocess.Popen[bytes]") -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and service.poll() is None:
        try:
            if httpx.get(url).status_code == 200:
                return True
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    return False
