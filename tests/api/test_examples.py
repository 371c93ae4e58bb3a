"""The examples of the documentation are true: each is sent, and what comes back is what is shown."""

import json
import re
from pathlib import Path

import pytest

from app.api.examples import FOLDER, examples, refusals
from app.api.routes import operations
from tests.api.contract import Contract
from tests.api.story import Display, Story, without_chance
from tests.api.table import contract, table
from tests.support import play

WITHOUT = {
    "delete_encounter",
    "delete_house_rules",
    "delete_webhook",
    "draw_map_png",
    "draw_map_svg",
    "export_encounter",
    "revoke_invite",
    "revoke_token",
    "follow_encounter",
}
"""Their answers have no JSON body, and neither have their requests."""


def test_every_operation_shows_a_request_and_an_answer() -> None:
    known = {operation.id: operation for operation in operations()}
    for name, operation in known.items():
        if name in WITHOUT:
            continue
        assert examples(name), name
        for example in examples(name):
            assert example["response"], (name, example["name"])
            if operation.body is not None and operation.body_required:
                assert "request" in example, name
    assert {path.stem for path in Path(FOLDER).glob("*.json")} <= set(known)


@pytest.mark.parametrize("operation", [one for one in operations() if one.id not in WITHOUT], ids=lambda one: one.id)
def test_every_example_fits_its_schema(operation: object) -> None:
    judge: Contract = contract()
    name = operation.id  # type: ignore[attr-defined]
    told = judge.by_id(name)
    for example in examples(name):
        answers = [one for status, one in told["responses"].items() if status.startswith("2")]
        schema = answers[0]["content"]["application/json"]["schema"]["$ref"]
        assert not list(judge.validator(schema).iter_errors(example["response"])), (name, example["name"])
        if "request" in example:
            schema = told["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            assert not list(judge.validator(schema).iter_errors(example["request"])), (name, example["name"])


async def test_every_refusal_is_what_comes_when_it_is_provoked(url: str) -> None:
    told, shown = {}, Display()
    async with table(url, catalog=play.catalog()) as seats:
        without_chance(seats)
        async for code, response in Story(seats).refusals():
            problem = shown("", response.json())
            assert (response.status_code, problem["code"]) == (problem["status"], code), response.text
            told[code] = problem | {"request_id": ""}

    # Ids and places of a fight of its own: what is told is the same word for word.
    assert _anonymous(told) == _anonymous({code: one | {"request_id": ""} for code, one in refusals().items()})
    assert told["illegal_action"]["reasons"]
    assert {one["at"] for one in told["invalid_request"]["errors"]} >= {"/facing", "/weapn", "/action"}


def _anonymous(told: object) -> object:
    return json.loads(re.sub(r"\b(enc|dec|cmb)_[0-9a-z]+", r"\1", json.dumps(told)))


async def test_every_example_is_what_comes_when_it_is_sent(url: str) -> None:
    sent, shown = set(), Display()
    async with table(url, catalog=play.catalog()) as seats:
        without_chance(seats)
        async for operation, name, response in Story(seats).play():
            assert response.is_success, (operation, name, response.text)
            example = next(one for one in examples(operation) if one["name"] == name)
            assert shown(operation, response.json()) == example["response"], (operation, name)
            sent.add((operation, name))

    assert sent == {(one.id, example["name"]) for one in operations() for example in examples(one.id)}
