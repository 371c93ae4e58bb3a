"""A whole fight of each ruleset through the page: two browsers against each other, and the GM in a third.

Every day with one ruleset; all of them where CI is set. The page knows no rule, so it is the same page for all five.
"""

import os
import time
from collections.abc import Iterator

import httpx
import pytest

from tests.support.browser import Browser, browser
from tests.support.served import Served, served, turnwright
from tests.tableview.fights import FIGHTS, Json
from tests.tableview.seat import Seat

EVERY_DAY = ("dark_heresy_2e",)
PLAYED = sorted(FIGHTS) if os.environ.get("CI") else EVERY_DAY
PATIENCE = 60
LANGUAGES = {"map": ("ru", "pl", "en"), "stated": ("pl", "en", "ru")}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("table")
    command = turnwright("serve", "--port", "0", "--database", f"sqlite:///{folder}/turnwright.sqlite3")
    with served(command, folder / "printed", TURNWRIGHT_RATE_LIMITS="false") as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


class Host:
    """Makes what a page cannot: campaign, tokens, encounter."""

    def __init__(self, server: Served) -> None:
        self.server = server

    def post(self, token: str, path: str, body: Json) -> Json:
        answer = httpx.post(f"{self.server.url}{path}", json=body, headers={"Authorization": f"Bearer {token}"})
        assert answer.is_success, answer.text
        found: Json = answer.json()
        return found

    def fight(self, ruleset: str, mode: str) -> tuple[str, dict[str, str]]:
        """An encounter that has not begun, and everybody's tokens."""
        campaign = self.post(self.server.token, "/v1/campaigns", {"name": "Table"})
        made = self.post(campaign["gm_token"], "/v1/encounters", FIGHTS[ruleset].body(campaign["id"], mode))
        tokens = {"gm": str(campaign["gm_token"])}
        for name in ("one", "other"):
            body = {"role": "player", "name": name, "combatants": [f"ref:{name}"]}
            tokens[name] = self.post(tokens["gm"], f"/v1/campaigns/{campaign['id']}/tokens", body)["token"]
        return made["id"], tokens


@pytest.mark.parametrize("mode", ["map", "stated"])
@pytest.mark.parametrize("ruleset", PLAYED)
def test_a_whole_fight_is_played_through_the_page(server: Served, chromium: Browser, ruleset: str, mode: str) -> None:
    encounter, tokens = Host(server).fight(ruleset, mode)
    fight = FIGHTS[ruleset]
    pages = {}
    for who, language in zip(("one", "other", "gm"), LANGUAGES[mode], strict=True):
        page = pages[who] = chromium.page(f"{server.url}/table/assets/icon.svg")
        page.run(f"localStorage.setItem('turnwright.language', '{language}')")
        page.go(f"{server.url}/table/{encounter}#token={tokens[who]}")
        page.wait("document.documentElement.dataset.status")
    one = Seat(pages["one"], "one", fight.wishes, fight.first if mode == "map" else "", fight.apart)
    other = Seat(pages["other"], "other", fight.wishes, "", fight.apart)
    gm = Seat(pages["gm"], "gm")

    pages["gm"].click("[data-key='start']")
    _play(one, other, gm)

    assert one.typed, "nobody rolled by hand"
    assert set(one.done) & set(fight.wishes)
    if mode == "map":
        assert fight.first in one.done
    assert set(one.answered) | set(other.answered) > {"roll"}, "nobody was asked anything"
    pages["gm"].click("[data-key='end']")
    for page in pages.values():
        page.wait("document.documentElement.dataset.status === 'ended'")
        assert not page.thrown
        assert page.run("document.querySelectorAll('.log li').length") > 10


def _play(one: Seat, other: Seat, gm: Seat) -> None:
    """Until one side is down."""
    deadline = time.monotonic() + PATIENCE
    while True:
        shown = gm.look()
        if shown["status"] == "running" and len(set(shown["up"])) < 2:
            return
        if not (one.step() or other.step() or gm.step()):
            time.sleep(0.05)
        assert time.monotonic() < deadline, (shown, one.look(), other.look(), one.refused[-3:], other.refused[-3:])
