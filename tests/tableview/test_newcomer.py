"""What somebody stumbled over who saw the page for the first time."""

from tests.support.browser import Browser
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
