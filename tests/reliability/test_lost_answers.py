"""T5: a request that is sent again acts once and gets the same bytes, wherever its first answer was lost."""

import asyncio
import json
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.persistence.verify import verify
from tests.live.club import Club
from tests.support.served import Served, served, turnwright
from tests.support.sizes import not_everyday, sized

pytestmark = not_everyday

TOGETHER = 50
TIMES = sized(1, 2, 20)
RULING = {"combatant": "ref:brok", "resource": "wounds", "change": -1}


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a database of either kind, with nothing in it. Afterwards everything stored must fit together."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('lost')}/turnwright.sqlite3"
        yield url
        assert verify(url).findings == ()
        return
    with request.getfixturevalue("postgres_server").database() as url:
        yield url
        assert verify(url).findings == ()


@pytest.fixture(scope="module")
def server(place: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server on it."""
    with running(place, tmp_path_factory.mktemp("server") / "printed") as made:
        yield made


@pytest.fixture(scope="module")
def club(server: Served) -> Iterator[Club]:
    """A campaign there."""
    with Club.of(server) as made:
        yield made


def running(place: str, printed: Path, **settings: str) -> Any:
    """A server on that database."""
    command = turnwright("serve", "--port", "0", "--database", place)
    return served(command, printed, TURNWRIGHT_RATE_LIMITS="false", **settings)


class Act:
    """Something that a GM does once, under a key: a wound more for Brok."""

    def __init__(self, club: Club, key: str) -> None:
        self.club, self.key = club, key
        self.path = club.encounter()
        self.before = self.wounds()
        self.body = json.dumps({"reason": "an arrow", "changes": [RULING]}).encode()

    @property
    def headers(self) -> dict[str, str]:
        """Those of each try."""
        said = {"authorization": f"Bearer {self.club.gm}", "content-type": "application/json"}
        return {**said, "idempotency-key": self.key}

    def raw(self) -> bytes:
        """The whole request as it goes over the wire."""
        told = {"Host": "table", "Content-Length": str(len(self.body)), **self.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        return f"POST {self.path}/rulings HTTP/1.1\r\n{lines}\r\n".encode() + self.body

    def again(self) -> httpx.Response:
        """Send it, and wait for the answer."""
        return self.club.client.post(f"{self.club.url}{self.path}/rulings", content=self.body, headers=self.headers)

    def wounds(self) -> int:
        """How Brok is."""
        told = self.club.get(f"{self.path}/combatants/ref:brok")["resources"]
        (found,) = (one["value"] for one in told if one["id"] == "wounds")
        return int(found)

    def settled(self) -> httpx.Response:
        """Sent again until it is done, it was done once, and every further try gets the same bytes."""
        first = self.again()
        assert first.status_code == 201, first.text
        second = self.again()
        assert (second.status_code, second.content) == (201, first.content)
        assert second.headers["idempotency-replayed"] == "true"
        assert self.wounds() == self.before - 1
        return first


def connected(club: Club) -> socket.socket:
    """A connection whose end the other side notices at once."""
    host, port = club.url.removeprefix("http://").split(":")
    made = socket.create_connection((host, int(port)), timeout=20)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return made


@pytest.mark.parametrize("place_of_cut", ["before it was sent", "in its head", "in its body", "when it was sent"])
def test_a_request_cut_off_is_done_once_when_sent_again(club: Club, place_of_cut: str) -> None:
    for number in range(TIMES):
        act = Act(club, f"{place_of_cut}-{number}".replace(" ", "-"))
        raw = act.raw()
        sent = {
            "before it was sent": 0,
            "in its head": 40,
            "in its body": len(raw) - len(act.body) // 2,
            "when it was sent": len(raw),
        }[place_of_cut]
        with connected(club) as line:
            line.sendall(raw[:sent])

        act.settled()


def test_an_answer_cut_off_in_the_middle_comes_whole_when_asked_again(club: Club) -> None:
    for number in range(TIMES):
        act = Act(club, f"cut-{number}")
        with connected(club) as line:
            line.sendall(act.raw())
            part = line.recv(20)
        assert part.startswith(b"HTTP/1.1 201 ")

        assert act.settled().headers["idempotency-replayed"] == "true"


async def test_fifty_at_once_with_one_key_act_once(club: Club) -> None:
    for number in range(TIMES):
        act = Act(club, f"fifty-{number}")
        limits = httpx.Limits(max_connections=TOGETHER)
        async with httpx.AsyncClient(limits=limits, timeout=60, headers=act.headers) as client:
            tries = (client.post(f"{club.url}{act.path}/rulings", content=act.body) for _ in range(TOGETHER))
            answers = await asyncio.gather(*tries)

        assert {one.status_code for one in answers} == {201}
        assert len({one.content for one in answers}) == 1
        assert sum("idempotency-replayed" not in one.headers for one in answers) == 1
        act.settled()


def test_a_key_is_bound_to_its_request_and_seen_by_its_token_alone(club: Club) -> None:
    act = Act(club, "mine")
    first = act.settled()
    other = club.token("gm")["token"]
    url = f"{club.url}{act.path}"

    body = club.client.post(f"{url}/rulings", json={"reason": "another"}, headers=act.headers)
    path = club.client.post(f"{url}/start", json={}, headers=act.headers)
    elsewhere = club.client.post(f"{club.url}{club.encounter()}/rulings", content=act.body, headers=act.headers)
    by_other = club.client.post(
        f"{url}/rulings", content=act.body, headers={**act.headers, "authorization": f"Bearer {other}"}
    )

    for answer in (body, path, elsewhere):
        assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert by_other.status_code == 201
    assert "idempotency-replayed" not in by_other.headers
    assert by_other.json()["version"] != first.json()["version"]
    assert act.wounds() == act.before - 2


def test_a_key_of_something_refused_is_free_again(club: Club) -> None:
    path = club.encounter()
    headers = {"authorization": f"Bearer {club.gm}", "idempotency-key": "refused"}
    early = club.client.post(f"{club.url}{path}/end-turn", headers=headers)
    club.call("POST", f"{path}/start")
    for asked in club.get(f"{path}/decisions")["items"]:
        club.call("POST", f"{path}/decisions/{asked['id']}", {"dice": [5]})

    later = club.client.post(f"{club.url}{path}/end-turn", headers=headers)

    assert early.status_code == 409, early.text
    assert later.status_code == 201, later.text
    assert "idempotency-replayed" not in later.headers


def test_what_left_a_decision_is_answered_the_same_when_the_decision_is_long_gone(club: Club) -> None:
    path = club.encounter(dice="client")
    club.call("POST", f"{path}/start")
    headers = {"authorization": f"Bearer {club.gm}", "idempotency-key": "asks"}
    while asked := club.get(f"{path}/decisions")["items"]:
        club.call("POST", f"{path}/decisions/{asked[0]['id']}", {"dice": [5]})
    turn = club.get(path)["turn"]["combatant"]
    others = [one["id"] for one in club.get(f"{path}/combatants")["items"] if one["id"] != turn]
    body = {"actor": turn, "action": "standard_attack", "targets": others, "said": {"distance": {others[0]: 1}}}

    def submit() -> httpx.Response:
        return club.client.post(f"{club.url}{path}/actions", json=body, headers=headers)

    first = submit()
    assert first.status_code == 201, first.text
    (decision,) = first.json()["waiting_for"]
    club.call("POST", f"{path}/decisions/{decision['id']}", {"dice": [99]})
    answered = submit()
    club.call("POST", f"{path}/end-turn")
    later = submit()

    for again in (answered, later):
        assert (again.status_code, again.content) == (201, first.content)
        assert again.headers["idempotency-replayed"] == "true"
        assert again.headers["etag"] == first.headers["etag"]
