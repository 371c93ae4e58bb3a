"""When something below gives way: clean refusals, and words for everything that can be wrong."""

import ast
import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from app.api.problem_texts import CONFLICTS, FAULTS
from app.services.errors import Busy, StorageFull, UnknownOutcome
from tests.api.table import Table, table
from tests.support.repository import ROOT


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Busy("locked"), 503, "unavailable"),
        (UnknownOutcome("gone"), 503, "unavailable"),
        (StorageFull("full"), 507, "storage_full"),
    ],
    ids=lambda one: type(one).__name__,
)
async def test_what_could_not_be_stored_is_refused_cleanly(
    duel: Table, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, code: str
) -> None:
    async def refuse(_job: object) -> None:
        raise error

    monkeypatch.setattr(duel.app.state.parts.service.writer, "submit", refuse)

    answer = await duel.post(f"{duel.encounter}/end-turn")

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert ("retry-after" in answer.headers) == (status == 503)
    assert (await duel.get(duel.encounter)).status_code == 200


async def test_readiness_goes_with_the_disk_and_comes_back_by_itself(
    duel: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = duel.app.state.parts.service.writer
    held_submit, held_execute = writer.submit, writer.execute

    async def full(*_: object) -> None:
        raise StorageFull("full")

    monkeypatch.setattr(writer, "submit", full)
    monkeypatch.setattr(writer, "execute", full)
    assert (await duel.get("/readyz", None)).status_code == 200
    assert (await duel.post(f"{duel.encounter}/end-turn")).status_code == 507
    assert (await duel.get("/readyz", None)).status_code == 503

    monkeypatch.setattr(writer, "submit", held_submit)
    monkeypatch.setattr(writer, "execute", held_execute)

    assert (await duel.get("/readyz", None)).status_code == 200
    assert (await duel.post(f"{duel.encounter}/end-turn")).status_code == 201
    assert [one["name"] for one in (await duel.get("/v1/campaigns", "admin")).json()["items"]] == [
        "Of stranger",
        "Of gm",
    ]


async def test_a_server_that_stops_says_so(seats: Table) -> None:
    seats.app.state.parts.service.is_closing = True

    assert (await seats.get("/readyz", None)).status_code == 503
    assert (await seats.get("/healthz", None)).status_code == 200


async def test_a_body_that_trickles_in_is_given_up(url: str) -> None:
    async with table(url, body_timeout_s=0.05) as seats:

        async def slow() -> Any:
            yield b"{"
            await asyncio.sleep(2)
            yield b"}"

        headers = {"content-type": "application/json", "authorization": f"Bearer {seats.tokens['admin']}"}
        answer = await seats.client.post("/v1/campaigns", content=slow(), headers=headers)

        assert (answer.status_code, answer.json()["code"]) == (408, "body_timeout")
        assert answer.headers["connection"] == "close"


def _first_words(name: str) -> Iterator[tuple[str, str]]:
    """The first argument of every call of that name in the code, where it is written out."""
    for folder in ("app", "rulesets"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == name and node.args:
                    place = 1 if name == "Flaw" else 0
                    word = node.args[place] if len(node.args) > place else None
                    if isinstance(word, ast.Constant) and isinstance(word.value, str):
                        yield str(path.name), word.value


@pytest.mark.parametrize("name", ["Finding", "Flaw", "Misfit", "BadAnswer"])
def test_every_fault_that_the_code_can_find_has_words(name: str) -> None:
    found = set(_first_words(name))

    assert found
    assert {(file, word) for file, word in found if word not in FAULTS} == set()


def test_every_conflict_has_words() -> None:
    assert {word for _, word in _first_words("NotTheTime")} <= set(CONFLICTS)
