"""T9: the rows of the plan's table of hostile input that no other module tries.

`test_bodies` sends what is no JSON of ours to every door, `test_bounds` what is beyond a bound, `test_edge`,
`test_queries` and `test_retries` try addresses, queries and headers by hand. Here every field of every body, every
part of every address and every parameter of every query gets what does not belong there.
"""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.api.operations import Operation
from app.api.problems import Problem
from app.api.routes import operations
from app.api.strict_json import parse
from app.engine.dice import BadDice, parse_dice
from tests.api.table import Table, contract
from tests.api.test_bodies import RAW, address
from tests.api.walk import Json, body_of, pointer, trials
from tests.support.sizes import IS_LONG, sized

READ = [one for one in operations() if one.body is not None and one.id not in ("put_house_rules", "answer_discord")]
"""Bodies that are read into a type: a house-rules document is judged by itself, and what Discord sends beyond what we
know is not judged."""
LONG = 10**3_999
TEXTS = ("a\x00b", "\ud800", "a\udfff", "a\u202eb", "a\u2066b", "\x1b[31mred", "a\x7f", "\ufeffa", "a\u2028b", "a\x85b")
IN_PATHS = (
    "%00",
    "a%00b",
    "%ff",
    "%ed%a0%80",
    "%0d%0aX-Evil:%20yes",
    "%E2%80%AE",
    "%1b%5b31m",
    "..%2f..%2fetc%2fpasswd",
    "%27%20OR%201=1--",
    "-1",
    "1.0",
    "1e400",
    "9" * 400,
    "x" * 1_500,
    "ref:%00",
    "ref:%ed%a0%80",
)
IN_QUERIES = (
    *IN_PATHS,
    "",
    "%20",
    "NaN",
    "Infinity",
    "true",
    "null",
    "9" * 4_000,
    "%F0%9F%90%89",
    "0x10",
    "1_0",
    "%2B1",
)


def of_another_kind(schema: Json) -> Iterator[Any]:
    """What stands where a number or a text is wanted, and is none that can be meant."""
    if "enum" in schema:
        return
    kind = schema.get("type")
    if kind == "integer":
        yield from (1.0, 1.5, True, "5", "", [5], LONG, -LONG, 2**63, 2**70, -(2**63) - 1, 2**53)
    elif kind == "number":
        yield from (True, "5", LONG, -LONG, 2**70, 1e308, -1e308)
    elif kind == "boolean":
        yield from (0, 1, 1.0, "true", "")
    elif kind == "string":
        yield from (*TEXTS, 5, True, ["a"])


@pytest.mark.parametrize("operation", READ, ids=lambda one: one.id)
def test_every_field_of_every_body_refuses_what_does_not_belong_there(operation: Operation) -> None:
    document, kind = contract().document, operation.body
    assert kind is not None
    schema = contract().by_id(operation.id)["requestBody"]["content"]["application/json"]["schema"]
    tried = 0
    for path, value in trials(document, schema, of_another_kind):
        at = pointer(path)
        with pytest.raises(Problem) as refused:
            parse(json.dumps(body_of(path, value)).encode(), kind)
        told = [one.at for one in refused.value.findings]
        assert refused.value.status == 422, (at, value)
        assert any(one == at or one.startswith(f"{at}/") for one in told), (at, str(value)[:40], told[:5])
        tried += 1
    assert tried


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(("ref:ann", "strike", "1d6")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=sized(50, 100, 50_000))
@given(operation=st.sampled_from(READ), chance=st.data())
def test_bytes_are_read_or_refused_and_never_anything_else(operation: Operation, chance: st.DataObject) -> None:
    assert operation.body is not None
    names = st.sampled_from([field.encode_name for field in msgspec.structs.fields(operation.body)])
    bodies = st.dictionaries(names, VALUES, max_size=6).map(lambda body: json.dumps(body).encode())
    raw = chance.draw(st.binary(max_size=300) | bodies)
    cut = chance.draw(st.integers(0, len(raw)))
    for content in (raw, raw[:cut], raw[:cut] + chance.draw(st.binary(max_size=4)) + raw[cut:]):
        refused: Problem | None = None
        try:
            assert isinstance(parse(content, operation.body), operation.body)
        except Problem as problem:
            refused = problem
        assert refused is None or refused.status in (400, 422)
        assert refused is None or all(one.at.startswith("/") or one.at == "" for one in refused.findings)


def rows(names: str, values: tuple[str, ...]) -> Iterator[Any]:
    """One case for each part of an operation's address or query, with the values to be put there: all of them at
    night, else every third, another third at the next.
    """
    parameters = (
        (operation, parameter["name"])
        for operation in operations()
        for parameter in contract().by_id(operation.id)["parameters"]
        if parameter.get("in") == names
    )
    for number, (operation, name) in enumerate(parameters):
        tried = values if IS_LONG else values[number % 3 :: 3]
        yield pytest.param(operation, name, tried, id=f"{operation.id} {name}")


async def refused(table: Table, operation: Operation, path: str, statuses: tuple[int, ...]) -> None:
    """Sent there, it is told that there is nothing, or what is wrong; and it shows up in no header."""
    who = "admin" if operation.id in ("create_campaign", "list_campaigns") else "gm"
    body: dict[str, Any] = {"json": {}} if operation.body is not None else {}
    response = await table.send(operation.method, path, who, **body)
    assert response.status_code in statuses, (path[:200], response.status_code, response.text[:200])
    assert "x-evil" not in response.headers


@pytest.mark.parametrize(("operation", "name", "values"), [*rows("path", IN_PATHS)])
async def test_no_part_of_an_address_is_more_than_a_name(
    shared: Table, operation: Operation, name: str, values: tuple[str, ...]
) -> None:
    for value in values:
        hostile = operation.path.replace(f"{{{name}}}", value.replace("{", "%7B"))
        await refused(shared, operation, filled(shared, hostile), (400, 403, 404, 409, 415, 422))


@pytest.mark.parametrize(("operation", "name", "values"), [*rows("query", IN_QUERIES)])
async def test_no_parameter_of_a_query_is_more_than_it_says(
    shared: Table, operation: Operation, name: str, values: tuple[str, ...]
) -> None:
    for value in values:
        await refused(
            shared, operation, f"{address(shared, operation)}?{name}={value}", (200, 400, 404, 409, 410, 415, 422)
        )


def filled(table: Table, path: str) -> str:
    """The rest of an address, so that nothing but the hostile part is wrong with it."""
    made: Any = type("Path", (), {"path": path})
    return address(table, made)


@pytest.mark.parametrize(("what", "content", "_status", "_code"), RAW, ids=[row[0] for row in RAW])
async def test_no_hostile_line_is_imported(shared: Table, what: str, content: bytes, _status: int, _code: str) -> None:
    path = f"/v1/encounters/import?campaign={shared.campaign}"
    lines = (await shared.get(f"{shared.encounter}/export")).content.splitlines(keepends=True)
    held = len((await shared.get("/v1/encounters?limit=200")).json()["items"])
    for at in (0, 1, len(lines) // 2, len(lines)):
        hostile = b"".join((*lines[:at], content.replace(b"\n", b" ") + b"\n", *lines[at:]))
        response = await shared.send("POST", path, content=hostile, headers={"content-type": "application/x-ndjson"})

        assert (response.status_code, response.json()["code"]) == (422, "invalid_request"), (what, at)
        assert response.json()["errors"][0]["at"].startswith("/lines/"), (what, at)
    assert len((await shared.get("/v1/encounters?limit=200")).json()["items"]) == held


@pytest.mark.parametrize(
    "text",
    [
        "999999d999999", "d0", "1d0", "1d1", "0d6", "1d1001", "101d6", "51d6+50d6", "1d6*2", "1d6!", "1d6x", "d", "",
        " ", "+", "-", "--1d6", "1d6+", "1d6-+1", "(" * 5_000 + "1" + ")" * 5_000, "[1d6]", "1d6" + "+1" * 8, "1" * 101,
        "1d6+" + "1" * 97, "1d6\x00", "1d\uff16", "\uff11d6", "1d6;rm", "1e9d6", "1.5d6", "0x1d6", "NaN", "1d6\n+1",
        "dd6", "1d6d6", "9" * 7, "1d6+9999999", "²d6",
    ],
)  # fmt: skip
def test_no_dice_text_is_a_bomb(text: str) -> None:
    with pytest.raises(BadDice):
        parse_dice(text)


@pytest.mark.parametrize(
    ("text", "count", "highest"),
    [
        ("100d1000", 100, 100_000),
        ("50d6+50d1000", 100, 50_300),
        ("d2", 1, 2),
        ("1D6 - 3", 1, 6),
        ("1d6+1d6+1d6+1d6+1d6+1d6+1d6+1d6", 8, 48),
        ("1d6+" + " " * 94 + "10", 1, 6),
    ],
)
def test_dice_up_to_their_limits_are_dice(text: str, count: int, highest: int) -> None:
    dice = parse_dice(text)

    assert (dice.count, dice.highest) == (count, highest)


@pytest.mark.parametrize("rolls", [[0], [-1], [101], [], [1, 1], [1] * 100])
async def test_typed_in_dice_fit_the_roll_exactly(duel: Table, rolls: list[int]) -> None:
    before = (await duel.get(duel.encounter)).json()["version"]
    if len(rolls) == 1:
        # Brought along there may be more of them: what falls later in the same action is taken from the rest.
        brought = await duel.post(f"{duel.encounter}/actions", duel.strike(rolls={"to_hit": rolls}))
        assert brought.status_code == 422, brought.text
        assert (await duel.get(duel.encounter)).json()["version"] == before
    (roll,) = (await duel.made(f"{duel.encounter}/actions", duel.strike(rolls={})))["waiting_for"]
    path = f"{duel.encounter}/decisions/{roll['id']}"
    before = (await duel.get(duel.encounter)).json()["version"]

    answered = await duel.post(path, {"dice": rolls})

    assert (answered.status_code, answered.json()["errors"][0]["at"][:5]) == (422, "/dice"), answered.text
    assert (await duel.get(duel.encounter)).json()["version"] == before
    for odd in ("[1.0]", "[true]", '["1"]', "[null]", "[[1]]", "[" + "9" * 4_000 + "]"):
        headers = {"content-type": "application/json"}
        refused = await duel.send("POST", path, content=f'{{"dice": {odd}}}', headers=headers)
        assert refused.status_code == 422, odd
    assert (await duel.post(path, {"dice": [100]})).status_code == 201


PLACES = ("versions/{}", "log?after={}", "log?limit={}", "stream?max_events={}", "map.svg?width={}")


@pytest.mark.parametrize("text", ["1.0", "1_0", "+1", "%2B1", "%201", "1%20", "0x1", "1e1", "%D9%A1", "true"])
@pytest.mark.parametrize(
    "path", ["versions/{}", "log?after={}", "log?limit={}", "stream?max_events={}", "map.svg?width={}"]
)
async def test_a_whole_number_in_an_address_is_written_in_digits(shared: Table, path: str, text: str) -> None:
    response = await shared.get(f"{shared.encounter}/{path.format(text)}")

    wanted = (404, "not_found") if path.startswith("versions") else (422, "invalid_request")
    assert (response.status_code, response.json()["code"]) == wanted


async def test_what_a_caller_sends_is_in_no_header_of_an_answer(duel: Table) -> None:
    canary = "xcanaryx"
    headers = {
        "x-request-id": f"{canary} ",
        "idempotency-key": canary,
        "accept-language": canary,
        "if-none-match": f'"{canary}"',
        "origin": f"https://{canary}.example",
        "user-agent": canary,
        "cookie": canary,
        "x-forwarded-host": canary,
        "host": canary,
    }
    for response in (
        await duel.get(duel.encounter, headers=headers),
        await duel.get(f"{duel.encounter}/{canary}?{canary}={canary}", headers=headers),
        await duel.post(f"{duel.encounter}/actions", {"actor": canary, "action": canary}, headers=headers),
        await duel.post("/v1/campaigns", {"name": canary}, "admin", headers=headers),
    ):
        told = {name: value for name, value in response.headers.items() if canary in value}
        assert not told
