"""One address may not take all the connections there are."""

import contextlib
import socket
import time
from pathlib import Path

import pytest

from app.api.crowd import Crowd
from tests.support.served import served, turnwright

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: table\r\n\r\n"


def test_an_address_has_as_many_as_it_may_and_another_its_own() -> None:
    crowd = Crowd(2, "127.0.0.1")

    assert [crowd.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert crowd.enter("192.0.2.2")
    crowd.leave("192.0.2.1")
    assert [crowd.enter("192.0.2.1") for _ in range(2)] == [True, False]


def test_a_household_of_the_sixth_version_is_one_address() -> None:
    crowd = Crowd(1, "")

    assert crowd.enter("2001:db8:0:1::1")
    assert not crowd.enter("2001:db8:0:1:ffff::2")
    assert crowd.enter("2001:db8:0:2::1")
    assert crowd.enter("::ffff:192.0.2.1")
    assert not crowd.enter("192.0.2.1")


@pytest.mark.parametrize("proxies", ["127.0.0.1", "10.0.0.0/8,127.0.0.0/8", "*"])
def test_proxies_that_are_believed_stand_for_many(proxies: str) -> None:
    crowd = Crowd(1, proxies)

    assert all(crowd.enter("127.0.0.1") for _ in range(5))


@pytest.mark.parametrize("address", ["", "a path"])
def test_what_is_no_address_is_not_counted(address: str) -> None:
    crowd = Crowd(1, "")

    assert all(crowd.enter(address) for _ in range(5))


def test_nothing_is_left_of_those_who_left() -> None:
    crowd = Crowd(3, "")
    for number in range(200):
        assert crowd.enter(f"192.0.2.{number}")
        crowd.leave(f"192.0.2.{number}")

    assert not crowd._held


def test_a_server_refuses_the_connections_beyond_and_takes_them_again_later(tmp_path: Path) -> None:
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{tmp_path}/turnwright.sqlite3")
    # With nobody believed as a proxy the machine itself is counted as well.
    limits = {"TURNWRIGHT_CONNECTIONS_PER_ADDRESS": "3", "FORWARDED_ALLOW_IPS": "192.0.2.1"}
    with served(command, tmp_path / "printed", **limits) as running, contextlib.ExitStack() as lines:
        host, port = running.url.removeprefix("http://").split(":")

        def asked() -> socket.socket:
            line = lines.enter_context(socket.create_connection((host, int(port)), timeout=10))
            with contextlib.suppress(OSError):
                line.sendall(REQUEST)
            return line

        deadline = time.monotonic() + 10
        while True:  # whoever waited for it to be ready may still be leaving
            three = [asked() for _ in range(3)]
            if all(one.recv(4096).startswith(b"HTTP/1.1 200 ") for one in three):
                break
            assert time.monotonic() < deadline
            for one in three:
                one.close()
            time.sleep(0.1)
        fourth = asked()
        told = fourth.recv(4096)
        assert told.startswith(b"HTTP/1.1 429 ")
        assert b"connection: close" in told
        three[0].close()
        while not asked().recv(4096).startswith(b"HTTP/1.1 200 "):
            assert time.monotonic() < deadline
            time.sleep(0.1)
