"""What every request gets: an id, headers, methods, a log line; and nothing that an attacker could use."""

import io
import json
import re

import pytest
import structlog

from app.api import logs
from app.api.edge import new_request_id
from app.api.problem_texts import PROBLEMS, Code
from tests.api.table import Table


async def test_every_answer_carries_its_id_and_the_careful_headers(shared: Table) -> None:
    for path, status in (("/v1/meta", 200), ("/nowhere", 404), ("/v1/campaigns", 401)):
        response = await shared.get(path, None, headers={"x-request-id": "my-request.1"})

        assert response.status_code == status
        assert response.headers["x-request-id"] == "my-request.1"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
        assert response.headers["content-language"] == "en"
        assert {"Accept-Language", "Authorization"} <= set(response.headers["vary"].split(", "))
        if status >= 400:
            assert response.headers["content-type"] == "application/problem+json"
            assert response.json()["request_id"] == "my-request.1"


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "é", "a\tb"])
async def test_a_request_id_that_cannot_be_one_is_replaced(shared: Table, given: str) -> None:
    response = await shared.get("/v1/meta", None, headers={b"x-request-id": given.encode("latin-1")})

    assert re.fullmatch(r"[0-9a-z]{26}", response.headers["x-request-id"])


def test_request_ids_are_sorted_by_time_and_never_the_same() -> None:
    made = [new_request_id() for _ in range(1_000)]

    assert len(set(made)) == 1_000
    assert [one[:9] for one in made] == sorted(one[:9] for one in made)


async def test_any_page_may_call_without_cookies(shared: Table) -> None:
    for path, status in (("/v1/meta", 200), ("/nowhere", 404)):
        response = await shared.get(path, None, headers={"origin": "https://example.org"})

        assert response.status_code == status
        assert response.headers["access-control-allow-origin"] == "*"
        assert "ETag" in response.headers["access-control-expose-headers"]
        assert "access-control-allow-credentials" not in response.headers


async def test_a_preflight_is_answered_for_any_address(shared: Table) -> None:
    headers = {
        "origin": "https://example.org",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, idempotency-key",
    }

    response = await shared.send("OPTIONS", "/v1/campaigns", None, headers=headers)

    assert response.status_code == 204
    assert "Idempotency-Key" in response.headers["access-control-allow-headers"]
    assert "DELETE" in response.headers["access-control-allow-methods"]
    assert response.headers["access-control-max-age"] == "600"


async def test_a_list_of_origins_lets_others_out(url: str) -> None:
    from tests.api.table import table

    async with table(url, cors_origins=("https://table.example",)) as seats:
        good = await seats.get("/v1/meta", None, headers={"origin": "https://table.example"})
        bad = await seats.get("/v1/meta", None, headers={"origin": "https://evil.example"})

        assert good.headers["access-control-allow-origin"] == "https://table.example"
        assert "access-control-allow-origin" not in bad.headers
        assert "Origin" in bad.headers["vary"]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/campaigns", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("TRACE", "/v1/campaigns", {"GET", "HEAD", "POST", "OPTIONS"}),
        ("POST", "/v1/encounters/enc_0", {"GET", "HEAD", "PATCH", "DELETE", "OPTIONS"}),
        ("GET", "/v1/encounters/enc_0/start", {"POST", "OPTIONS"}),
        ("GET", "/v1/encounters/import", {"POST", "OPTIONS"}),
        ("HEAD", "/v1/encounters/import", {"POST", "OPTIONS"}),
        ("PATCH", "/v1/encounters/import", {"POST", "OPTIONS"}),
        ("DELETE", "/healthz", {"GET", "HEAD", "OPTIONS"}),
        ("POST", "/docs", {"GET", "HEAD", "OPTIONS"}),
    ],
)
async def test_a_wrong_method_names_the_right_ones(shared: Table, method: str, path: str, allowed: set[str]) -> None:
    refused = await shared.send(method, path)
    told = await shared.send("OPTIONS", path, None)

    assert refused.status_code == 405
    assert method == "HEAD" or refused.json()["code"] == "method_not_allowed"
    assert set(refused.headers["allow"].split(", ")) == allowed
    assert told.status_code == 204
    assert set(told.headers["allow"].split(", ")) == allowed


async def test_head_is_get_without_its_body(shared: Table) -> None:
    for path in ("/v1/meta", "/v1/rulesets", shared.encounter, "/nowhere", "/v1/campaigns"):
        got, headed = await shared.get(path), await shared.send("HEAD", path)

        assert headed.status_code == got.status_code
        assert headed.content == b""
        assert headed.headers["content-length"] == got.headers["content-length"]
        assert headed.headers.get("etag") == got.headers.get("etag")


async def test_head_of_a_stream_ends(shared: Table) -> None:
    response = await shared.send("HEAD", f"{shared.encounter}/stream")

    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/encounters/%00",
        "/%00",
        "/v1/encounters/enc_%0a",
        "/v1/encounters/" + "x" * 5_000,
        "/v1//encounters",
        "/v1/",
    ],
)
async def test_an_address_that_cannot_be_one_is_not_found(shared: Table, path: str) -> None:
    response = await shared.get(path)

    assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("limit=0", "/limit"),
        ("limit=-1", "/limit"),
        ("limit=1000000000", "/limit"),
        ("limit=many", "/limit"),
        ("after=-1", "/after"),
        ("after=99999999999999999999", "/after"),
        ("before=0", "/before"),
        ("wait=26", "/wait"),
        ("wait=NaN", "/wait"),
        ("after=1&before=2", "/before"),
        ("before=2&wait=1", "/wait"),
    ],
)
async def test_a_query_out_of_bounds_is_told_by_its_name(shared: Table, query: str, place: str) -> None:
    response = await shared.get(f"{shared.encounter}/log?{query}")

    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")
    assert response.json()["errors"][0]["at"] == place


async def test_a_forged_page_cursor_is_refused(shared: Table) -> None:
    for cursor in ("cmp_0", "x", "%00", "a" * 41):
        response = await shared.get(f"/v1/campaigns?after={cursor}", "admin")

        assert response.status_code == 422, cursor


async def test_what_breaks_on_our_side_shows_nothing_of_it(shared: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the secret inside")

    shared.must_be_here("it is broken in this process")
    monkeypatch.setattr("app.services.campaigns.read", broken)

    headers = {"authorization": f"Bearer {shared.tokens['gm']}"}
    response = await shared.client.get(f"/v1/campaigns/{shared.campaign}", headers=headers)

    assert (response.status_code, response.json()["code"]) == (500, "internal_error")
    assert "secret" not in response.text


@pytest.mark.parametrize("code", list(Code))
async def test_every_problem_has_a_page_in_three_languages(shared: Table, code: Code) -> None:
    slug = code.value.replace("_", "-")
    titles = set()
    for language in ("en", "ru", "pl"):
        told = await shared.get(f"/problems/{slug}", None, headers={"accept-language": language})
        shown = await shared.get(
            f"/problems/{slug}", None, headers={"accept-language": language, "accept": "text/html"}
        )
        assert told.json()["status"] == PROBLEMS[code].status
        assert told.headers["content-language"] == language
        assert shown.headers["content-type"].startswith("text/html")
        assert f'<html lang="{language}">' in shown.text
        titles.add(told.json()["title"])
    assert len(titles) == 3


async def test_pages_and_figures_come_from_here_alone(shared: Table) -> None:
    await shared.get(shared.encounter)
    page = await shared.get("/docs", None)
    script = await shared.get("/docs/swagger-ui-bundle.js", None)
    figures = await shared.get("/metrics", None)

    assert "http" not in page.text
    assert "script-src 'self';" in page.headers["content-security-policy"]
    assert script.status_code == 200
    assert (await shared.get("/docs/../main.py", None)).status_code == 404
    assert 'turnwright_requests_total{method="GET"' in figures.text
    assert shared.encounter not in figures.text
    assert (await shared.get("/", None)).headers["location"] == "/docs"
    assert (await shared.get("/openapi.json", None)).json()["openapi"] == "3.1.0"


async def test_pages_and_figures_can_be_switched_off(url: str) -> None:
    from tests.api.table import table

    async with table(url, docs=False, metrics=False) as seats:
        for path in ("/", "/docs", "/docs/swagger-ui.css", "/metrics"):
            assert (await seats.get(path, None)).status_code == 404


async def test_the_log_tells_what_happened_and_no_secret(shared: Table) -> None:
    stream = io.StringIO()
    pen = logs.set_up("info", as_json=True, stream=stream)
    token = shared.tokens["gm"]

    # Others use the same application: a request of theirs may still be closing.
    ours = {"x-request-id": "of-this-test"}
    await shared.get(f"{shared.encounter}?ticket={token}", headers=ours)
    await shared.get(shared.encounter, headers=ours)
    await shared.post("/v1/campaigns", {"name": "\x1b[31m\r\nforged"}, "admin", headers=ours)
    pen.close()

    told = [json.loads(line) for line in stream.getvalue().splitlines()]
    lines = [line for line in told if line["event"] == "request" and line["request_id"] == "of-this-test"]
    assert [line["status"] for line in lines] == [422, 200, 422]
    assert lines[1]["caller"] == "tok_" + token.split("_")[1]
    assert lines[0]["route"] == "/v1/encounters/{encounter}"
    assert token.split("_", 2)[2] not in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def test_whatever_is_written_is_written_without_secrets() -> None:
    stream = io.StringIO()
    pen = logs.set_up("info", as_json=True, stream=stream)
    token = f"tw_{'a' * 12}_{'b' * 43}"
    structlog.get_logger().info(
        f"came with {token}", ticket="sesame", header=f"Bearer {token}", deep={"secret": ["open"]}
    )
    pen.close()

    (line,) = stream.getvalue().splitlines()
    assert line.count("[redacted]") == 4
    assert not any(secret in line for secret in ("b" * 43, "sesame", "open"))


def test_secrets_are_taken_out_wherever_they_stand() -> None:
    token = f"tw_{'a' * 12}_{'B' * 43}"
    line = {
        "authorization": "Bearer abc",
        "note": f"he sent {token} again",
        "nested": {"gm_token": token, "list": [token]},
        "url": "postgresql+psycopg://me:pass@host/base",
        "count": 3,
    }

    told = logs.redact(line)

    assert "B" * 43 not in str(told)
    assert "pass@" not in str(told)
    assert told["authorization"] == "[redacted]"
    assert told["count"] == 3
