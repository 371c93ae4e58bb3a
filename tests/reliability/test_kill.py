"""A killed server loses nothing: neither what a crowd writes nor a fight that waits for an answer."""

import asyncio
import contextlib
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import pytest

from tests.live.club import Club
from tests.reliability.crowd import clock, logged
from tests.reliability.history import Entry, violations
from tests.reliability.survivors import Survivor, together
from tests.support.chance import chance
from tests.support.repository import ROOT
from tests.support.served import Served, environment, served, turnwright
from tests.support.sizes import IS_LONG, sized

Json = dict[str, Any]
PEOPLE = [
    {"sample": "sable", "side": "acolytes", "external_ref": "sable", "position": [2, 3]},
    {"sample": "brok", "side": "cult", "external_ref": "brok", "position": [10, 3]},
]
KILLS = sized(3, 6, 250)
"""On each database."""
CLIENTS, ENCOUNTERS = 16, 4
READY_S = 3.0
INITIATIVE = {"Sable": [8], "Brok": [3]}
CHARGE = {
    "actor": "ref:sable",
    "action": "charge",
    "targets": ["ref:brok"],
    "weapon": "sword",
    "rolls": {"to_hit": [41]},
}


class Fight:
    """One fight over HTTP, at whatever address the server now has."""

    def __init__(self, server: Served, token: str) -> None:
        self._token = token
        self.move_to(server)
        campaign = self._call("POST", "/v1/campaigns", {"name": "Thursday"})
        self._token = campaign["gm_token"]
        body = {
            "campaign": campaign["id"],
            "name": "Hollow Gate",
            "ruleset": "dark_heresy_2e",
            "dice": "client",
            "space": {"mode": "map"},
            "combatants": PEOPLE,
        }
        made = self._call("POST", "/v1/encounters", body)
        self._path = f"/v1/encounters/{made['id']}"
        self._names = {one["id"]: one["external_ref"] for one in made["combatants"]}

    def move_to(self, server: Served) -> None:
        """Go on with the server at its new address."""
        self._url = server.url

    def _call(self, method: str, path: str, body: Json | None = None) -> Json:
        headers = {"Authorization": f"Bearer {self._token}"}
        answer = httpx.request(method, f"{self._url}{path}", json=body, headers=headers, timeout=30)
        assert answer.is_success, answer.text
        found: Json = answer.json()
        return found

    def until_brok_must_answer(self) -> Json:
        """Start, roll for initiative, charge; the question whether Brok evades."""
        asked = self._call("POST", f"{self._path}/start")["waiting_for"]
        for one in asked:
            self._answer(one, {"dice": INITIATIVE[one["prompt"].partition(":")[0]]})
        (question,) = self._call("POST", f"{self._path}/actions", CHARGE)["waiting_for"]
        assert question["kind"] == "defend"
        found: Json = question
        return found

    def waiting_for(self) -> list[Json]:
        """The open decisions, as the server tells them when asked."""
        found: list[Json] = self._call("GET", f"{self._path}/decisions")["items"]
        return found

    def to_the_end(self, question: Json) -> None:
        """Brok dodges in vain, and the damage die falls."""
        (dodge,) = self._answer(question, {"option": "dodge"})["waiting_for"]
        (damage,) = self._answer(dodge, {"dice": [55]})["waiting_for"]
        assert self._answer(damage, {"dice": [9]})["status"] == "done"

    def _answer(self, decision: Json, body: Json) -> Json:
        return self._call("POST", f"{self._path}/decisions/{decision['id']}", body)

    def log(self) -> list[Json]:
        """Every event, without its time and with names for ids."""
        events = self._call("GET", f"{self._path}/log?limit=200")["items"]
        found: list[Json] = self._plain([{k: v for k, v in event.items() if k != "at"} for event in events])
        return found

    def _plain(self, value: Any) -> Any:
        if isinstance(value, dict):
            # The secret of the dice is another in each encounter, and so are the names of its rolls.
            told = {key: one for key, one in value.items() if key not in ("dice_commitment", "roll", "by")}
            return {self._names.get(key, key): self._plain(one) for key, one in told.items()}
        if isinstance(value, list):
            return [self._plain(one) for one in value]
        if isinstance(value, str):
            return self._names.get(value, "dec" if value.startswith("dec_") else value)
        return value


def serve(url: str) -> list[str]:
    return turnwright("serve", "--port", "0", "--database", url)


@pytest.mark.crash
def test_a_fight_goes_on_where_it_stood_when_the_server_is_killed(empty_url: str, tmp_path: Path) -> None:
    with served(serve(empty_url), tmp_path / "first") as first:
        undisturbed = Fight(first, first.token)
        undisturbed.to_the_end(undisturbed.until_brok_must_answer())
        fight = Fight(first, first.token)
        question = fight.until_brok_must_answer()
        before = fight.log()
        first.kill()

    with served(serve(empty_url), tmp_path / "second") as second:
        fight.move_to(second)
        undisturbed.move_to(second)
        waiting, after = fight.waiting_for(), fight.log()
        fight.to_the_end(question)

        assert not second.token, "the first admin's token is shown once"
        assert waiting == [question]
        assert after == before
        assert fight.log() == undisturbed.log()


@pytest.mark.crash
@pytest.mark.timeout(0 if IS_LONG else 600)
async def test_a_crowd_loses_nothing_when_its_server_is_killed_again_and_again(empty_url: str, tmp_path: Path) -> None:
    """T1: SIGKILL after 50 to 600 ms of sixteen clients on four encounters; what got no answer is asked again by its
    key. Afterwards everything acknowledged is there once, at its version, and nothing that was refused."""
    luck = chance()
    started: list[float] = []
    worked: list[float] = []
    with _alive(empty_url, tmp_path, started, worked) as server:
        club = Club.of(server)
        paths = [club.encounter() for _ in range(ENCOUNTERS)]
    survivors = [Survivor(number, club.gm, paths, luck) for number in range(CLIENTS)]
    for _ in range(KILLS):
        with _alive(empty_url, tmp_path, started, worked) as server:
            for one in survivors:
                one.move_to(server)
            playing = [asyncio.create_task(one.play(clock() + 60)) for one in survivors]
            await _until_somebody_is_answered(survivors)
            await asyncio.sleep(luck.uniform(0.05, 0.6))
            server.kill()
            await asyncio.gather(*playing)
    with _alive(empty_url, tmp_path, started, worked) as server:
        for one in survivors:
            one.move_to(server)
            await one.settle()
            one.close()
        await asyncio.sleep(0.2)  # the loop lets go of their connections
        club.url = server.url
        logs: dict[str, Sequence[Entry]] = {path: logged(club, path) for path in paths}
        club.client.close()

    history, odd, told = together(survivors)
    command = turnwright("verify", "--database", empty_url)
    audit = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    print(
        f"{KILLS} kills, heard {dict(told)}; ready after {median(started):.2f} s, at most {max(started):.2f};", end=" "
    )
    print(f"{median(worked):.2f} s of processor time; {audit.stdout}")
    assert odd == []
    assert violations(history, logs) == []
    assert (audit.returncode, audit.stderr) == (0, "")
    assert told["broken"] >= KILLS
    assert sum(one.kind == "write" and one.outcome == "done" for one in history) > 2 * KILLS
    # By its own processor time, with the slack of an alarm: what else runs on this machine is not the server's fault.
    assert median(worked) < 2 * READY_S


@contextlib.contextmanager
def _alive(url: str, folder: Path, started: list[float], worked: list[float]) -> Iterator[Served]:
    """A server, and how long it took to be ready, by the clock and of the processor."""
    begun = time.monotonic()
    with served(serve(url), folder / "printed", TURNWRIGHT_RATE_LIMITS="false") as server:
        started.append(time.monotonic() - begun)
        worked.append(sum(server.busy_s()))
        yield server


async def _until_somebody_is_answered(survivors: Sequence[Survivor]) -> None:
    """On a busy machine the first answers take a while, and a kill before them would try nothing."""
    before = sum(one.told.total() for one in survivors)
    while sum(one.told.total() for one in survivors) == before:
        await asyncio.sleep(0.005)
