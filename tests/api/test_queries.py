"""Query parameters: every route takes those it declares, and nothing else."""

import re
from typing import Any

import pytest
from fastapi.routing import APIRoute

from app.api.queries import MOST_TOLD, declared
from app.config import Settings
from app.main import create_app
from tests.api.table import Table

ROUTES = [route for route in create_app(Settings()).routes if isinstance(route, APIRoute)]


def method(route: APIRoute) -> str:
    """Every route has one."""
    assert route.methods is not None
    (found,) = route.methods
    return found


NAMES = [f"{method(route)} {route.path}" for route in ROUTES]


def address(route: APIRoute) -> str:
    """The route's path with something in its braces; nothing of it need be there."""
    return re.sub(r"\{[^}]*\}", "x1", route.path)


async def told(seats: Table, route: APIRoute, query: str) -> Any:
    """The refusal of a request with that query."""
    response = await seats.client.request(method(route), f"{address(route)}?{query}")
    assert response.headers["content-type"] == "application/problem+json"
    return response.status_code, [(one["code"], one["at"]) for one in response.json()["errors"]]


def test_all_routes_are_walked() -> None:
    assert len(create_app(Settings()).routes) == len(ROUTES) > 40


@pytest.mark.parametrize("route", ROUTES, ids=NAMES)
async def test_a_parameter_that_a_route_does_not_declare_is_refused_by_name(shared: Table, route: APIRoute) -> None:
    expected = (422, [("unknown_parameter", "/limits"), ("unknown_parameter", "/a~1b")])

    assert await told(shared, route, "limits=5&a%2Fb") == expected


@pytest.mark.parametrize("route", ROUTES, ids=NAMES)
async def test_a_parameter_that_stands_there_twice_is_refused_by_name(shared: Table, route: APIRoute) -> None:
    for name in declared(route.dependant):
        assert await told(shared, route, f"{name}=1&{name}=1") == (422, [("given_twice", f"/{name}")])


def test_what_a_route_takes_is_what_the_document_says() -> None:
    paths = create_app(Settings()).openapi()["paths"]
    for route in ROUTES:
        if not route.include_in_schema:
            continue
        parameters = paths[route.path][method(route).lower()].get("parameters", [])
        described = {one["name"] for one in parameters if one.get("in") == "query"}

        assert set(declared(route.dependant)) == described, route.path


async def test_a_query_of_nonsense_is_refused_in_few_words(shared: Table) -> None:
    for query in ("%ff%00=1", "=1", "&".join(f"{number}{'x' * 200}=" for number in range(100))):
        response = await shared.get(f"/v1/meta?{query}", None)

        assert response.status_code == 422
        assert 1 <= len(response.json()["errors"]) <= MOST_TOLD
        assert all(len(one["at"]) <= 101 for one in response.json()["errors"])
    assert (await shared.get("/v1/meta?", None)).status_code == 200
    assert (await shared.get("/v1/meta?&", None)).status_code == 200
