"""Pages for people: they are whole without any other host, and a problem's `type` leads to what it says."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from app.api.problem_pages import wants_html
from app.api.problem_texts import CONFLICTS, FAULTS, PROBLEMS, Code
from app.api.routes import operations
from tests.api.table import Table
from tests.support.browser import Browser, Page, browser
from tests.support.served import Served, served, turnwright

BROWSERS = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class Links(HTMLParser):
    """What a page refers to, and whether its tags close."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("href", "src") and value]
        if tag not in ("meta", "link", "hr"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


@pytest.mark.parametrize("language", ["en", "ru", "pl"])
async def test_every_problem_says_what_it_is_in_the_language_asked_for(shared: Table, language: str) -> None:
    for code in Code:
        slug, words = code.value.replace("_", "-"), PROBLEMS[code].words(language)
        by_header = await shared.get(f"/problems/{slug}", None, headers={"accept-language": language})
        by_query = await shared.get(f"/problems/{slug}?lang={language}", None, headers={"accept-language": "de"})
        shown = await shared.get(f"/problems/{slug}?lang={language}", None, headers={"accept": BROWSERS})

        told = by_header.json()
        assert told == by_query.json()
        assert (told["code"], told["status"], told["title"]) == (code.value, PROBLEMS[code].status, words.title)
        assert told["type"] == f"/problems/{slug}"
        assert told["operations"] == [one.id for one in operations() if code in one.problems]
        assert by_query.headers["content-language"] == shown.headers["content-language"] == language
        assert "accept" in ",".join(shown.headers.get_list("vary")).lower().split(",")
        assert shown.headers["content-type"] == "text/html; charset=utf-8"
        assert f'<html lang="{language}">' in shown.text
        links = Links(shown.text).found
        assert {f"/problems/{slug}?lang={one}" for one in ("en", "ru", "pl")} <= set(links)
        assert all(link.startswith("/") for link in links)


async def test_the_type_of_a_problem_is_the_address_of_its_page(shared: Table) -> None:
    problem = (await shared.get("/v1/encounters/enc_none0000")).json()

    page = await shared.get(problem["type"], None)

    assert page.status_code == 200
    assert page.json()["code"] == problem["code"] == "not_found"


async def test_the_document_shows_the_same_addresses(shared: Table) -> None:
    text = json.dumps(shared.contract.document)
    shown = set(re.findall(r'"type": "(/problems/[a-z-]+)"', text))

    assert len(shown) > 20
    for address in shown:
        assert (await shared.get(address, None)).status_code == 200


async def test_an_unknown_problem_is_not_there_and_an_unknown_language_is_refused(shared: Table) -> None:
    for accept in (BROWSERS, "application/json"):
        unknown = await shared.get("/problems/tea-time", None, headers={"accept": accept})
        assert (unknown.status_code, unknown.json()["code"]) == (404, "not_found")
    strange = await shared.get("/problems/not-found?lang=xx", None)
    assert (strange.status_code, strange.json()["errors"][0]["at"]) == (422, "/lang")


async def test_all_problems_stand_on_one_page(shared: Table) -> None:
    listed = (await shared.get("/problems?lang=pl", None)).json()["items"]
    shown = await shared.get("/problems?lang=pl", None, headers={"accept": BROWSERS})

    assert [one["code"] for one in listed] == [code.value for code in Code]
    links = Links(shown.text).found
    for one in listed:
        assert f"{one['type']}?lang=pl" in links
        assert one["title"] in shown.text


async def test_places_and_conflicts_are_explained_where_they_happen(shared: Table) -> None:
    refused = (await shared.get("/problems/invalid-request", None)).json()
    conflict = (await shared.get("/problems/conflict?lang=ru", None)).json()
    page = await shared.get("/problems/bad-answer", None, headers={"accept": BROWSERS})

    assert set(refused["errors"]) == set(FAULTS)
    assert refused["errors"]["too_long"] == "Length: at most …"
    assert set(conflict["details"]) == set(CONFLICTS)
    assert all(f'id="{fault}"' in page.text for fault in FAULTS)


@pytest.mark.parametrize(
    ("accept", "is_html"),
    [
        (BROWSERS, True),
        ("text/html", True),
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("application/json, text/html;q=0.5", False),
        ("application/json;q=0.2, text/html;q=0.5", True),
        ("text/html;q=0", False),
        ("text/html;level=1", True),
    ],
)
def test_whoever_prefers_a_page_gets_one(accept: str, is_html: bool) -> None:
    assert wants_html(accept) is is_html


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that no page takes for a local one: neither `localhost` nor 127.0.0.1."""
    folder = tmp_path_factory.mktemp("pages")
    database = f"sqlite:///{folder}/turnwright.sqlite3"
    command = turnwright("serve", "--host", "127.0.0.2", "--port", "0", "--database", database)
    with served(command, folder / "printed") as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


class Watch:
    """A page, with all that it asks for and all that its policy forbids it."""

    def __init__(self, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
        # Swagger UI thinks for seconds at a time, and on a busy machine for many.
        monkeypatch.setattr("tests.support.browser.PATIENCE", 120.0)
        self.page = page
        self.asked: list[str] = []
        self.complaints: list[str] = []
        hear = page.hear

        def listen(method: str, params: dict[str, Any]) -> None:
            if method == "Network.requestWillBeSent":
                self.asked.append(params["request"]["url"])
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                self.complaints.append(params["entry"]["text"])
            hear(method, params)

        monkeypatch.setattr(page, "hear", listen)
        page.call("Log.enable")

    def others(self, server: Served) -> list[str]:
        """Whoever else was asked."""
        here = urlsplit(server.url).netloc
        return [url for url in self.asked if not url.startswith("data:") and urlsplit(url).netloc != here]


def test_the_watch_sees_who_else_is_asked(foreign: Served, chromium: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(chromium.page(), monkeypatch)
    watch.page.go(f"{foreign.url}/problems")
    watch.page.run("new Image().src = 'http://127.0.0.3:9/badge.png'")
    watch.page.wait("true")

    assert watch.others(foreign) == ["http://127.0.0.3:9/badge.png"] or watch.complaints


@pytest.mark.timeout(300)
def test_the_documentation_is_drawn_and_asks_nobody_else(
    foreign: Served, chromium: Browser, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    watch = Watch(chromium.page(), monkeypatch)
    watch.page.go(f"{foreign.url}/docs")
    count = len(operations())
    watch.page.wait(f"document.querySelectorAll('.opblock').length === {count}", 120)

    # One operation is opened: its examples and its answers are drawn from what is there.
    watch.page.run("document.querySelector('#operations-play-submit_action .opblock-summary-control').click()")
    shown = watch.page.wait(
        "document.querySelector('#operations-play-submit_action .responses-wrapper')?.innerText", 120
    )
    watch.page.picture(tmp_path / "docs.png")

    assert "Take an action" in watch.page.text("#operations-play-submit_action .opblock-summary")
    assert "illegal_action" in shown
    assert watch.page.run("document.querySelector('.title').innerText").startswith("Turnwright")
    assert watch.page.run("document.querySelectorAll('.errors-wrapper').length") == 0
    assert f"{foreign.url}/openapi.json" in watch.asked
    assert watch.others(foreign) == []
    assert (watch.complaints, watch.page.thrown) == ([], [])


@pytest.mark.timeout(300)
def test_a_request_is_tried_out_from_the_documentation(
    foreign: Served, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch(chromium.page(), monkeypatch)
    watch.page.go(f"{foreign.url}/docs")
    block = "#operations-service-read_meta"
    watch.page.wait(f"!!document.querySelector('{block}')", 120)
    watch.page.run(f"document.querySelector('{block} .opblock-summary-control').click()")
    watch.page.wait(f"!!document.querySelector('{block} .execute')", 120)
    watch.page.run(f"document.querySelector('{block} .execute').click()")

    answer = watch.page.wait(f"document.querySelector('{block} .live-responses-table .microlight')?.innerText", 120)

    assert json.loads(answer) == httpx.get(f"{foreign.url}/v1/meta").json()
    assert watch.others(foreign) == []


@pytest.mark.parametrize("language", ["en", "ru", "pl"])
def test_problem_pages_are_drawn_and_ask_nobody_else(
    language: str, foreign: Served, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = Watch(chromium.page(), monkeypatch)
    watch.page.go(f"{foreign.url}/problems?lang={language}")
    assert watch.page.run("document.querySelectorAll('dt').length") == len(Code)
    watch.page.click("a[href^='/problems/illegal-action']")

    watch.page.wait("location.pathname === '/problems/illegal-action' && document.readyState === 'complete'")

    assert watch.page.text("h1") == PROBLEMS[Code.ILLEGAL_ACTION].words(language).title
    assert watch.page.run("document.documentElement.lang") == language
    assert "submit_action" in watch.page.text("main")
    # Nothing sticks out sideways on a narrow screen.
    watch.page.call("Emulation.setDeviceMetricsOverride", width=360, height=640, deviceScaleFactor=1, mobile=True)
    watch.page.wait("innerWidth === 360")
    assert watch.page.run("document.documentElement.scrollWidth") <= 360
    assert watch.others(foreign) == []
    assert (watch.complaints, watch.page.thrown) == ([], [])
