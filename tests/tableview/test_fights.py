"""A whole fight of each ruleset through the page: two browsers against each other, and the GM in a third.

Every day with one ruleset; all of them where CI is set. The page knows no rule, so it is the same page for all five.
"""

import os
import time

import pytest

from tests.support.browser import Browser, Page
from tests.support.served import Served
from tests.tableview.fights import FIGHTS
from tests.tableview.hall import Host, opened, reads_well
from tests.tableview.seat import Seat

EVERY_DAY = ("dark_heresy_2e",)
PLAYED = sorted(FIGHTS) if os.environ.get("CI") else EVERY_DAY
PATIENCE = 60
LANGUAGES = {"map": ("ru", "pl", "en"), "stated": ("pl", "en", "ru")}


@pytest.mark.parametrize("mode", ["map", "stated"])
@pytest.mark.parametrize("ruleset", PLAYED)
def test_a_whole_fight_is_played_through_the_page(server: Served, chromium: Browser, ruleset: str, mode: str) -> None:
    encounter, tokens = Host(server).fight(ruleset, mode)
    fight = FIGHTS[ruleset]
    pages = {
        who: opened(chromium, server, encounter, tokens[who], language)
        for who, language in zip(("one", "other", "gm"), LANGUAGES[mode], strict=True)
    }
    one = Seat(pages["one"], "one", fight.wishes, fight.first if mode == "map" else "", fight.apart)
    other = Seat(pages["other"], "other", fight.wishes, "", fight.apart)
    gm = Seat(pages["gm"], "gm")

    pages["gm"].click("[data-key='start']")
    _play(one, other, gm)

    assert one.typed, "nobody rolled by hand"
    # Dice decide who comes to it: one may fall before his first blow.
    assert (set(one.done) | set(other.done)) & set(fight.wishes)
    if mode == "map":
        assert fight.first in one.done
    assert set(one.answered) | set(other.answered) > {"roll"}, "nobody was asked anything"
    _end(pages["gm"], one, other, gm)
    for page in pages.values():
        page.wait("document.documentElement.dataset.status === 'ended'")
        reads_well(page)
        assert page.run("document.querySelectorAll('.log li').length") > 10


def _end(page: Page, one: Seat, other: Seat, gm: Seat) -> None:
    """The game master ends it; what the last blow has still asked is answered first, or the server refuses to."""
    deadline = time.monotonic() + PATIENCE
    while page.run("document.documentElement.dataset.status") != "ended":
        assert time.monotonic() < deadline, page.said[-5:]
        shown = gm.look()
        if shown["trouble"]:  # he was faster than the news that somebody is asked once more
            page.click("[data-key='dismiss']")
        elif page.run("document.querySelector(\"[data-key='end']\")?.disabled === false"):
            page.click("[data-key='end']")
            time.sleep(0.5)
        elif not (one.step(acts=False) or other.step(acts=False) or gm.step()):
            time.sleep(0.05)


def _play(one: Seat, other: Seat, gm: Seat) -> None:
    """Until one side is down, and what was asked by then has been answered."""
    deadline = time.monotonic() + PATIENCE
    while True:
        shown = gm.look()
        is_over = shown["status"] == "running" and len(set(shown["up"])) < 2
        if is_over and not shown["waiting"]:
            return
        if not (one.step(acts=not is_over) or other.step(acts=not is_over) or gm.step()):
            time.sleep(0.05)
        assert time.monotonic() < deadline, (shown, one.look(), other.look(), one.refused[-3:], other.refused[-3:])
