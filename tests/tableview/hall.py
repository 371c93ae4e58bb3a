"""What every test of the page needs: a host who sets the table, a page that is open, and how a page must read."""

import re

import httpx

from tests.support.browser import Browser, Page
from tests.support.served import Served
from tests.tableview.fights import FIGHTS, Json

RAW = re.compile(r"\b(?:cmb|dec|enc|cmp)_\w+|\b[a-z]+_[a-z_]+\b")
"""What a person should never read: an id, or a key for which there was no word."""
NAMELESS = """[...document.querySelectorAll("input, select, button, a, svg[role]")].filter((one) => {
  const labels = one.labels ? [...one.labels].map((label) => label.textContent).join("") : "";
  const own = one.matches("button, a") ? one.textContent : "";
  return !(labels || one.getAttribute("aria-label") || own).trim();
}).map((one) => one.outerHTML.slice(0, 120))"""


class Host:
    """Makes what a page cannot: campaign, tokens, encounter."""

    def __init__(self, server: Served) -> None:
        self.server = server

    def post(self, token: str, path: str, body: Json) -> Json:
        """Do, and it must have worked."""
        answer = httpx.post(f"{self.server.url}{path}", json=body, headers={"Authorization": f"Bearer {token}"})
        assert answer.is_success, answer.text
        found: Json = answer.json()
        return found

    def get(self, token: str, path: str) -> Json:
        """Read."""
        answer = httpx.get(f"{self.server.url}{path}", headers={"Authorization": f"Bearer {token}"})
        assert answer.is_success, answer.text
        found: Json = answer.json()
        return found

    def patch(self, token: str, path: str, body: Json) -> None:
        """Change, and it must have worked."""
        answer = httpx.patch(f"{self.server.url}{path}", json=body, headers={"Authorization": f"Bearer {token}"})
        assert answer.is_success, answer.text

    def fight(self, ruleset: str, mode: str, *others: Json) -> tuple[str, dict[str, str]]:
        """An encounter that has not begun, and everybody's tokens. `others` is what is otherwise with its people."""
        campaign = self.post(self.server.token, "/v1/campaigns", {"name": "Table"})
        body = FIGHTS[ruleset].body(campaign["id"], mode)
        for person, other in zip(body["combatants"], others, strict=False):
            person.update(other)
        made = self.post(campaign["gm_token"], "/v1/encounters", body)
        tokens = {"gm": str(campaign["gm_token"])}
        for name in ("one", "other"):
            body = {"role": "player", "name": name, "combatants": [f"ref:{name}"]}
            tokens[name] = self.post(tokens["gm"], f"/v1/campaigns/{campaign['id']}/tokens", body)["token"]
        return made["id"], tokens


def opened(chromium: Browser, server: Served, encounter: str, token: str, language: str = "en") -> Page:
    """The page in a browser of its own."""
    page = chromium.page(f"{server.url}/table/assets/icon.svg")
    page.run(f"localStorage.setItem('turnwright.language', '{language}')")
    page.go(f"{server.url}/table/{encounter}#token={token}")
    page.wait("document.documentElement.dataset.status")
    return page


def reads_well(page: Page) -> None:
    """Nothing was thrown, nothing raw is shown, everything that can be used has a name, nothing sticks out."""
    assert not page.thrown
    raw, nameless = RAW.findall(page.run("document.body.innerText")), page.run(NAMELESS)
    assert not raw, raw
    assert not nameless, nameless
    assert page.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
