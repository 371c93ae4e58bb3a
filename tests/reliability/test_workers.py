"""Two servers on one PostgreSQL database, so that it is known who is asked; and one server whose workers die."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from app.persistence.verify import verify
from tests.live.club import PEOPLE, Club
from tests.support.pool import Pool
from tests.support.postgres import connect
from tests.support.served import served, turnwright

Two = tuple[Club, Club]
QUIET = {"TURNWRIGHT_RATE_LIMITS": "false"}


@pytest.fixture(scope="module")
def database(postgres_pool: Pool) -> Iterator[str]:
    with postgres_pool.database() as url:
        yield url
        assert verify(url).findings == ()


@pytest.fixture(scope="module")
def two(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    """One campaign, seen through either of two servers."""
    folder = tmp_path_factory.mktemp("two")
    command = turnwright("serve", "--port", "0", "--database", database)
    with (
        served(command, folder / "one", **QUIET) as first,
        served(command, folder / "other", **QUIET) as second,
        Club.of(first) as one,
        Club(second.url, first.token) as other,
    ):
        other.campaign, other.gm = one.campaign, one.gm
        yield one, other


def test_a_token_revoked_at_one_is_refused_at_the_other_within_a_second(two: Two) -> None:
    one, other = two
    path = one.encounter()
    for _ in range(3):
        token = one.token()
        headers = {"authorization": f"Bearer {token['token']}"}
        assert other.client.get(f"{other.url}{path}", headers=headers).status_code == 200
        one.revoke(token)
        revoked = time.monotonic()
        while other.client.get(f"{other.url}{path}", headers=headers).status_code == 200:
            asked = time.monotonic()
            # The answer to a question of within that second may be yes, and no other.
            assert asked - revoked < 1.5
            time.sleep(0.02)
        assert other.client.get(f"{other.url}{path}", headers=headers).status_code == 401


def test_a_stream_at_the_other_ends_with_its_token(two: Two) -> None:
    one, other = two
    path, token = one.encounter(), one.token()
    headers = {"authorization": f"Bearer {token['token']}"}
    with other.client.stream("GET", f"{other.url}{path}/stream", headers=headers) as stream:
        lines = stream.iter_lines()
        next(lines)
        one.revoke(token)
        begun = time.monotonic()
        for _ in lines:
            continue
    assert time.monotonic() - begun < 5


def test_one_key_at_both_at_once_is_one_command_with_one_answer(two: Two) -> None:
    paths = [two[0].encounter() for _ in range(3)]

    def ask(number: int, path: str, key: str) -> httpx.Response:
        club = two[number % 2]
        headers = {"authorization": f"Bearer {club.gm}", "idempotency-key": key}
        body = {"reason": key, "changes": [{"combatant": "ref:brok", "resource": "wounds", "set": 2}]}
        return club.client.post(f"{club.url}{path}/rulings", json=body, headers=headers)

    with ThreadPoolExecutor(max_workers=20) as threads:
        for turn, path in enumerate(paths * 3):
            key = f"race-{turn}"
            answers = list(threads.map(lambda number, path=path, key=key: ask(number, path, key), range(20)))
            assert [answer.status_code for answer in answers] == [201] * 20
            assert len({answer.content for answer in answers}) == 1
            assert len({answer.headers["etag"] for answer in answers}) == 1
            assert sum("idempotency-replayed" not in answer.headers for answer in answers) == 1
    for path in paths:
        assert len([event for event in two[1].log(path) if event["type"] == "ruled"]) == 3


def test_a_key_belongs_to_its_request_at_the_other_too(two: Two) -> None:
    one, other = two
    path = one.encounter()
    headers = {"authorization": f"Bearer {one.gm}", "idempotency-key": "mine"}
    one.client.post(f"{one.url}{path}/rulings", json={"reason": "first"}, headers=headers)

    answer = other.client.post(f"{other.url}{path}/rulings", json={"reason": "second"}, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")


def test_house_rules_put_at_one_are_played_by_at_the_other(two: Two) -> None:
    one, other = two
    headers = {"authorization": f"Bearer {one.gm}"}
    address = f"/v1/campaigns/{one.campaign}/house-rules/ours"
    document = {"extends": "dark_heresy_2e", "options": {"engagement_range_m": 2.5}}
    put = one.client.put(f"{one.url}{address}", json=document, headers=headers)
    assert put.is_success, put.text

    assert other.get(address) == one.get(address)
    path = other.encounter(house_rules="ours")
    assert one.get(path)["options"]["engagement_range_m"] == other.get(path)["options"]["engagement_range_m"] == 2.5
    assert one.get(path)["house_rules"] == other.get(path)["house_rules"] is not None
    # Played at one, which has never seen that encounter, by rules that the other has compiled.
    one.happen(path)
    assert other.get(path)["version"] == one.get(path)["version"] == 2


def hearing(club: Club, path: str, after: int, count: int) -> list[tuple[int, float]]:
    """The numbers of so many events, and when each was heard."""
    headers = {"authorization": f"Bearer {club.gm}"}
    heard: list[tuple[int, float]] = []
    with httpx.stream(
        "GET", f"{club.url}{path}/stream?after={after}&max_events={count}", headers=headers, timeout=30
    ) as stream:
        for line in stream.iter_lines():
            if line.startswith("id: "):
                heard.append((int(line[4:]), time.monotonic()))
    return heard


def test_streams_at_the_other_hear_at_once_and_everything_once(two: Two) -> None:
    one, other = two
    path = one.encounter()
    begin = one.get(path)["cursor"]
    with ThreadPoolExecutor(max_workers=4) as threads:
        readers = [threads.submit(hearing, club, path, begin, 40) for club in (one, other) for _ in range(2)]
        time.sleep(1)
        done: list[float] = []
        for number in range(40):
            # Both write, in turns.
            two[number % 2].client.post(
                f"{two[number % 2].url}{path}/rulings",
                json={"reason": f"{number}"},
                headers={"authorization": f"Bearer {one.gm}"},
            )
            done.append(time.monotonic())
            time.sleep(0.02)
        heard = [reader.result(30) for reader in readers]

    for one_heard in heard:
        assert [number for number, _ in one_heard] == list(range(begin + 1, begin + 41))
    late = sorted(when - written for one_heard in heard for (_, when), written in zip(one_heard, done, strict=True))
    print(f"heard {late[len(late) // 2] * 1000:.1f} ms after the answer, at worst {late[-1] * 1000:.0f} ms")
    # Without NOTIFY the middle one would have waited for half a second.
    assert late[len(late) // 2] < 0.25


def test_news_that_are_lost_cost_a_second(two: Two, database: str) -> None:
    one, other = two
    path = one.encounter()
    begin = one.get(path)["cursor"]
    with ThreadPoolExecutor(max_workers=1) as threads, connect(database) as connection:
        reader = threads.submit(hearing, other, path, begin, 5)
        time.sleep(0.5)
        stop = threading.Event()

        def end_listeners() -> None:
            # Whoever listens, or tells, is cut off again and again: no notification gets through.
            while not stop.is_set():
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                    " AND pid <> pg_backend_pid() AND (query LIKE 'LISTEN%' OR query LIKE '%pg_notify%')"
                )
                time.sleep(0.02)

        cutting = threading.Thread(target=end_listeners)
        cutting.start()
        time.sleep(0.2)
        done = []
        for _ in range(5):
            one.happen(path, wounds=2)
            done.append(time.monotonic())
            time.sleep(0.3)
        heard = reader.result(20)
        stop.set()
        cutting.join()

    assert [number for number, _ in heard] == list(range(begin + 1, begin + 6))
    assert max(when - done[0] for _, when in heard) < 5


def test_a_decision_whose_time_is_up_is_answered_by_one_of_both(two: Two) -> None:
    one, other = two
    paths = [one.encounter(dice="client", decision_timeout_s=1) for _ in range(6)]
    for number, path in enumerate(paths):
        club = two[number % 2]
        started = club.call("POST", f"{path}/start")
        assert len(started["waiting_for"]) == len(PEOPLE)

    deadline = time.monotonic() + 15
    while any(one.get(path)["status"] != "running" for path in paths) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)

    for path in paths:
        log = other.log(path)
        opened = [event["decision"] for event in log if event["type"] == "decision_opened"]
        answered = [event for event in log if event["type"] == "decision_answered"]
        assert sorted(event["decision"] for event in answered) == sorted(opened)
        assert {event["by"] for event in answered} == {"timeout"}
        assert len([event for event in log if event["type"] == "encounter_started"]) == 1


@pytest.mark.crash
def test_a_worker_that_dies_is_replaced_and_workers_end_with_their_parent(
    migrated_postgres_url: str, tmp_path: Path
) -> None:
    command = turnwright("serve", "--port", "0", "--workers", "2", "--database", migrated_postgres_url)
    with served(command, tmp_path / "printed", **QUIET) as server, Club.of(server) as club:
        path = club.encounter()
        club.happen(path, wounds=1)
        before = server.processes()
        assert len(before) == 2
        os.kill(before[0], signal.SIGKILL)
        for number in range(20):
            with contextlib.suppress(httpx.TransportError):
                club.happen(path, wounds=number % 3)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if len(server.processes()) == 2 and before[0] not in server.processes():
                break
            time.sleep(0.2)
        assert before[0] not in server.processes()
        assert len(server.processes()) == 2
        club.happen(path)
        versions = [event["version"] for event in club.log(path)]
        assert sorted(set(versions)) == list(range(1, versions[-1] + 1))

        # Killed itself, it cannot tell its workers; they must not keep the port.
        left = server.processes()
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
        deadline = time.monotonic() + 30
        while any(Path(f"/proc/{one}").exists() for one in left) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert not [one for one in left if Path(f"/proc/{one}").exists()]
