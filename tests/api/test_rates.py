"""How much at once: per token and per address, with headers that say how one stands."""

from tests.api.table import Table, table


async def test_a_token_that_asks_too_often_has_to_wait(url: str) -> None:
    async with table(url, rate_limits=True, rate_token="10 per 1 hour", rate_address="1000 per 1 second") as seats:
        path = f"/v1/campaigns/{seats.campaign}"
        answers = [await seats.get(path, "watcher") for _ in range(11)]

        assert [answer.status_code for answer in answers] == [200] * 10 + [429]
        last = answers[-1]
        assert last.json()["code"] == "rate_limited"
        assert int(last.headers["retry-after"]) > 0
        assert last.headers["access-control-allow-origin"] == "*"
        assert [answer.headers["x-ratelimit-remaining"] for answer in answers[:3]] == ["9", "8", "7"]
        assert answers[0].headers["ratelimit-policy"] == '"token";q=10;w=3600'
        assert answers[0].headers["ratelimit"].startswith('"token";r=9;t=')
        assert (await seats.get(path, "ann")).status_code == 200
        assert "turnwright_rate_limited_total 1.0" in (await seats.get("/metrics", None)).text


async def test_whoever_has_no_token_is_counted_by_address(url: str) -> None:
    async with table(url, rate_limits=True, rate_token="1000 per 1 second", rate_address="3 per 1 hour") as seats:
        answers = [(await seats.get("/v1/meta", None)).status_code for _ in range(4)]

        assert answers == [200, 200, 200, 429]
        assert (await seats.get("/v1/campaigns", None)).status_code == 429
        assert (await seats.get("/healthz", None)).status_code == 200
        assert (await seats.get(f"/v1/campaigns/{seats.campaign}")).status_code == 200


async def test_limits_can_be_switched_off(seats: Table) -> None:
    answers = [await seats.get("/v1/meta", None) for _ in range(50)]

    assert {answer.status_code for answer in answers} == {200}
    assert "ratelimit" not in answers[0].headers
