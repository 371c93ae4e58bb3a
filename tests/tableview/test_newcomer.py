"""What somebody stumbled over who saw the page for the first time."""

import pytest

from tests.support.browser import Browser, Page
from tests.support.served import Served
from tests.tableview.hall import Host, opened


def test_names_in_sentences_are_shown_as_they_were_typed(server: Served, chromium: Browser) -> None:
    host = Host(server)
    encounter, tokens = host.fight("dark_heresy_2e", "map", {"name": "Gob_lin *1*"}, {"name": "[2] a\\b"})
    page = opened(chromium, server, encounter, tokens["gm"])
    page.click("[data-key='start']")
    page.wait("Boolean(document.querySelector('[data-decision]'))")

    prompt = page.text("[data-decision] .prompt")
    assert "Gob_lin *1*" in prompt
    page.click("[data-decision] [data-roll]")
    page.wait("document.querySelectorAll('.log li').length > 4")
    log = page.text(".log")
    assert "Gob_lin *1*" in log
    assert "[2] a\\b" in log
    page.go(f"{server.url}/table/{encounter}")
    page.wait("document.querySelectorAll('.log li').length > 4")
    assert "Gob_lin *1*" in page.text(".log")
    assert not page.thrown


@pytest.mark.parametrize("letter", ["W", "\N{DRAGON}"])
def test_a_long_name_breaks_no_page(server: Served, chromium: Browser, letter: str) -> None:
    host = Host(server)
    encounter, tokens = host.fight("dark_heresy_2e", "map", {"name": letter * 80, "dice": "server"})
    host.post(tokens["gm"], f"/v1/encounters/{encounter}/start", {})
    page = opened(chromium, server, encounter, tokens["gm"])
    page.wait("Boolean(document.querySelector('#actor'))")
    for width, height in ((390, 844), (1280, 800)):
        page.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        page.wait(f"innerWidth === {width} || document.documentElement.clientWidth <= {width}")
        assert page.run(
            "document.querySelector('#actor').getBoundingClientRect().right"
            " <= document.querySelector('#act').getBoundingClientRect().right"
        )
        assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert not page.thrown


def test_while_initiative_is_asked_for_nobody_begins_again(server: Served, chromium: Browser) -> None:
    encounter, tokens = Host(server).fight("dark_heresy_2e", "map")
    page = opened(chromium, server, encounter, tokens["gm"])
    assert page.run("document.querySelector(\"[data-key='start']\").disabled") is False
    page.click("[data-key='start']")
    page.wait("Boolean(document.querySelector('[data-decision]'))")
    page.wait("document.documentElement.dataset.busy === 'false'")

    assert page.run("document.querySelector(\"[data-key='start']\")?.disabled ?? true")


def test_a_refusal_is_told_once(server: Served, chromium: Browser) -> None:
    host = Host(server)
    encounter, tokens = host.fight("dark_heresy_2e", "map")
    page = opened(chromium, server, encounter, tokens["gm"])
    page.click("[data-key='start']")
    page.wait("Boolean(document.querySelector('[data-roll]'))")
    page.type("[data-decision] input", "777")
    page.click("[data-decision] button[type=submit]")
    page.wait("Boolean(document.querySelector('.trouble'))")

    told = [one.strip() for one in page.text(".trouble p").splitlines() if one.strip()]
    assert told
    assert len(told) == len(set(told))


@pytest.mark.parametrize(
    ("language", "name"), [("en", "Initiative Score"), ("ru", "Счёт Инициативы"), ("pl", "Wynik Inicjatywy")]
)
def test_what_is_paid_by_a_figure_of_the_body_has_its_name(
    server: Served, chromium: Browser, language: str, name: str
) -> None:
    host = Host(server)
    encounter, tokens = host.fight("shadowrun_5e", "map", {"dice": "server"})
    host.post(tokens["gm"], f"/v1/encounters/{encounter}/start", {})
    page = opened(chromium, server, encounter, tokens["one"], language)
    page.wait("Boolean(document.querySelector('[data-action]'))")

    assert f"{name} 10" in page.text("#act .actions") or f"{name} 5" in page.text("#act .actions")
    assert "initiative " not in page.text("#act .actions")
    assert not page.thrown


def enter(page: Page, selector: str) -> None:
    """Press Enter on something, as somebody without a mouse does."""
    page.run(f"document.querySelector({selector!r}).focus()")
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)


def test_the_keyboard_keeps_its_place(server: Served, chromium: Browser) -> None:
    host = Host(server)
    encounter, tokens = host.fight("dark_heresy_2e", "map", {"dice": "server"}, {"dice": "server"})
    host.post(tokens["gm"], f"/v1/encounters/{encounter}/start", {})
    page = opened(chromium, server, encounter, tokens["gm"])
    page.wait("Boolean(document.querySelector('[data-action]'))")

    enter(page, "[data-action]")
    page.wait("document.activeElement.id === 'compose-title'")
    enter(page, "[data-key='back']")
    page.wait("document.activeElement.id === 'act-title'")
    page.click("[data-action*='move']")
    page.wait("Boolean(document.querySelector(\"[data-key='pick.path']\"))")
    enter(page, "[data-key='pick.path']")
    page.wait("document.activeElement.matches('svg.map')")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Escape", code="Escape", windowsVirtualKeyCode=27)
    page.wait("document.activeElement.dataset.key === 'pick.path'")
    assert not page.thrown
