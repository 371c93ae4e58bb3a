"""Hostile bodies, at every door that takes one."""

import gzip
import json
from typing import Any

import msgspec
import pytest

from app.api.faults import faults_of
from app.api.operations import Operation
from app.api.problems import Problem
from app.api.routes import operations
from app.api.strict_json import parse
from app.services.bodies import EncounterIn, SubmissionIn
from tests.api.table import Table
from tests.support import discord

TAKING = [operation for operation in operations() if operation.body is not None]
RAW: list[tuple[str, bytes, int, str]] = [
    ("nothing", b"", 400, "invalid_json"),
    ("half a document", b'{"name": ', 400, "invalid_json"),
    ("two documents", b"{} {}", 400, "invalid_json"),
    ("NaN", b'{"name": NaN}', 400, "invalid_json"),
    ("Infinity", b'{"name": -Infinity}', 400, "invalid_json"),
    ("1e400", b'{"name": 1e400}', 400, "invalid_json"),
    ("a key twice", b'{"name": "a", "name": "b"}', 400, "duplicate_key"),
    ("a key twice, written otherwise", b'{"name": "a", "\\u006eame": "b"}', 400, "duplicate_key"),
    ("a byte-order mark", b'\xef\xbb\xbf{"name": "a"}', 400, "invalid_json"),
    ("UTF-16", '{"name": "a"}'.encode("utf-16"), 400, "invalid_json"),
    ("UTF-32", '{"name": "a"}'.encode("utf-32-le"), 400, "invalid_json"),
    ("bad UTF-8", b'{"name": "\xff"}', 400, "invalid_json"),
    ("deep arrays", b"[" * 2_000 + b"]" * 2_000, 400, "invalid_json"),
    ("deep objects", b'{"a":' * 5_000 + b"1" + b"}" * 5_000, 400, "invalid_json"),
    ("deeper than 32", b'{"name": ' + b"[" * 32 + b"]" * 32 + b"}", 400, "invalid_json"),
    ("a list", b"[]", 422, "invalid_request"),
    ("a word", b'"name"', 422, "invalid_request"),
    ("null", b"null", 422, "invalid_request"),
    ("an unknown field", b'{"unheard_of": 1}', 422, "invalid_request"),
    ("a lone surrogate", b'{"unheard_of": "\\ud800"}', 422, "invalid_request"),
    ("NUL", b'{"unheard_of": "a\\u0000b"}', 422, "invalid_request"),
    ("a huge number", b'{"unheard_of": ' + b"9" * 4_000 + b"}", 422, "invalid_request"),
    ("2^63", b'{"unheard_of": 9223372036854775808}', 422, "invalid_request"),
]


def address(table: Table, operation: Operation) -> str:
    """An address of the operation at this table."""
    encounter = table.encounter.rsplit("/", 1)[-1]
    return operation.path.format(
        encounter=encounter,
        campaign=table.campaign,
        combatant="ref:ann",
        decision="dec_0",
        token="tok_0",
        webhook="whk_0",
        name="ours",
        invite="inv_0",
        delivery="dlv_0",
        version="1",
        ruleset="toy",
        action="strike",
        clause="TOY-010",
    )


async def send(table: Table, operation: Operation, content: bytes, **headers: str) -> Any:
    who = "admin" if operation.id == "create_campaign" else "gm"
    given = {**(discord.signed(content) if operation.is_signed else {}), "content-type": "application/json", **headers}
    return await table.send(operation.method, address(table, operation), who, content=content, headers=given)


@pytest.mark.parametrize("operation", TAKING, ids=lambda one: one.id)
async def test_every_door_refuses_every_hostile_body(shared: Table, operation: Operation) -> None:
    for what, content, status, code in RAW:
        response = await send(shared, operation, content)

        assert (response.status_code, response.json()["code"]) == (status, code), what


@pytest.mark.parametrize("operation", TAKING, ids=lambda one: one.id)
async def test_every_door_takes_json_alone(shared: Table, operation: Operation) -> None:
    for kind in ("text/plain", "application/xml", "application/json; charset=utf-16", "multipart/form-data", ""):
        response = await send(shared, operation, b"{}", **{"content-type": kind})
        assert (response.status_code, response.json()["code"]) == (415, "unsupported_media_type"), kind
    packed = await send(shared, operation, gzip.compress(b"{}"), **{"content-encoding": "gzip"})
    assert packed.status_code == 415


@pytest.mark.parametrize("operation", TAKING, ids=lambda one: one.id)
async def test_every_door_has_a_limit(shared: Table, operation: Operation) -> None:
    large = b'{"x": "' + b"a" * 1_100_000 + b'"}'

    response = await send(shared, operation, large)

    assert (response.status_code, response.json()["code"]) == (413, "body_too_large")
    assert response.headers["connection"] == "close"


async def test_a_body_of_unknown_length_is_cut_at_the_limit(shared: Table) -> None:
    shared.must_be_here("a real connection is cut while this is still being sent")
    sent = 0

    async def endless() -> Any:
        nonlocal sent
        for _ in range(10_000):
            sent += 1024
            yield b" " * 1024

    response = await shared.client.post(
        f"{shared.encounter}/actions",
        content=endless(),
        headers={"content-type": "application/json", "authorization": f"Bearer {shared.tokens['gm']}"},
    )

    assert response.status_code == 413


async def test_a_problem_never_repeats_what_was_sent(shared: Table) -> None:
    canary = "xyzzy-canary"
    bodies: list[Any] = [
        {"actor": 1, "action": canary, canary: canary},
        {"actor": "ref:ann", "action": "strike", "type": [canary], "options": {canary: {}}},
        {"actor": "ref:ann", "action": canary + "\x00"},
    ]
    for body in bodies:
        response = await shared.post(f"{shared.encounter}/actions", body)

        assert response.status_code == 422
        told = response.json()
        assert canary not in json.dumps([{**one, "at": ""} for one in told["errors"]])
        assert canary not in told["detail"]


async def test_every_misfit_is_told_at_once_with_its_place(shared: Table) -> None:
    body = {"actor": 7, "targets": ["a", 3], "facing": 400, "path": [[1, "x"]], "modifiers": [{}], "speed": 1, "a/b": 2}

    response = await shared.post(f"{shared.encounter}/actions", body)

    told = {(one["at"], one["code"]) for one in response.json()["errors"]}
    assert told == {
        ("/actor", "wrong_type"),
        ("/action", "missing_input"),
        ("/targets/1", "wrong_type"),
        ("/facing", "out_of_bounds"),
        ("/path/0/1", "wrong_type"),
        ("/modifiers/0/id", "missing_input"),
        ("/speed", "unknown_field"),
        ("/a~1b", "unknown_field"),
    }


@pytest.mark.parametrize("value", [1_001, -1_001, 1_000_000])
async def test_a_modifier_of_the_gm_is_one_that_can_be_reckoned_with(shared: Table, value: int) -> None:
    body = {"actor": "x", "action": "y", "modifiers": [{"id": "gm", "value": value, "reason": "a tale"}]}

    response = await shared.post(f"{shared.encounter}/actions", body)

    assert response.status_code == 422
    assert [(one["at"], one["code"]) for one in response.json()["errors"]] == [("/modifiers/0/value", "out_of_bounds")]


@pytest.mark.parametrize(
    "name",
    ["a\nb", "a\tb", "a\u202eb", "a\u2066b", "\u200b", " ", "a" * 81, "a\u0000", "\x1b[31m", "e" + "\u0301" * 10_000],
)
async def test_a_name_is_something_one_can_read(shared: Table, name: str) -> None:
    response = await shared.post("/v1/campaigns", {"name": name}, "admin")

    assert response.status_code == 422
    assert response.json()["errors"][0]["at"] == "/name"


@pytest.mark.parametrize("name", ["Ola", "Żółw Łódź", "Сейбл", "日本", "a" * 80, "O'Neill & sons </b>", "🐉 dragon"])
async def test_names_of_every_script_are_taken(shared: Table, name: str) -> None:
    made = await shared.made("/v1/campaigns", {"name": name}, "admin")

    assert made["name"] == name


@pytest.mark.parametrize("value", ["1.0", "true", '"5"', "1e2", "null"])
def test_a_whole_number_is_written_as_one(value: str) -> None:
    raw = f'{{"actor": "a", "action": "b", "rolls": {{"to_hit": [{value}]}}}}'.encode()

    with pytest.raises(Problem) as refused:
        parse(raw, SubmissionIn)

    assert [(one.code, one.at) for one in refused.value.findings] == [("wrong_type", "/rolls/to_hit/0")]


def test_depth_is_counted_outside_of_text_alone() -> None:
    brackets = "[{" * 60 + '\\"'
    raw = f'{{"actor": "a", "action": "b", "note": "{brackets}"}}'.encode()

    assert parse(raw, SubmissionIn).note == brackets.replace('\\"', '"')


def test_a_note_may_have_lines_and_a_name_may_not() -> None:
    assert parse(b'{"actor": "a", "action": "b", "note": "one\\ntwo"}', SubmissionIn).note == "one\ntwo"
    with pytest.raises(Problem):
        parse(b'{"actor": "a\\nb", "action": "b"}', SubmissionIn)


BROKEN: list[Any] = [
    {},
    {"campaign": "c", "name": "n", "ruleset": "r", "space": {"mode": "moon"}},
    {"campaign": "c", "name": "n", "ruleset": "r", "space": {"grid": "hex"}},
    {"campaign": "c", "name": "n", "ruleset": "r", "space": {"mode": "map", "grid": "oval", "size": [1]}},
    {"campaign": "c", "name": "n", "ruleset": "r", "space": {"mode": "map", "walls": [[1, 2], {"a": [1, 2]}]}},
    {"campaign": "c", "name": "n", "ruleset": "r", "dice": "loaded", "decision_timeout_s": 0},
    {"campaign": "c", "name": "n", "ruleset": "r", "combatants": [{"side": "a", "count": 0, "policy": {"x": "maybe"}}]},
    {"campaign": "c", "name": "n", "ruleset": "r", "combatants": [{"side": "a", "position": [1, 2, 3]}, 7]},
    {"campaign": "c", "name": "n", "ruleset": "r", "options": {"a": [1], "b": {"c": 1}}},
    {"campaign": "c" * 101, "name": "", "ruleset": None, "options": []},
]


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_what_the_decoder_refuses_we_can_explain(body: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode(body), type=EncounterIn)

    assert faults_of(body, EncounterIn)
