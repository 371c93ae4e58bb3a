"""Somebody before the page: looks at what it shows and presses what it offers. Knows no rules and no API."""

import json
import time
from typing import Any

from tests.support.browser import BrowserError, Page

Json = dict[str, Any]
LOOK = """((which) => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const own = document.querySelector(which);
  const asked = own && {
    id: own.dataset.decision, kind: own.dataset.kind, roll: Boolean(own.querySelector("[data-roll]")),
    options: all("[data-option]", own).map((one) => one.dataset.option),
    strong: all("[data-option].strong", own).map((one) => one.dataset.option),
  };
  const end = document.querySelector("[data-key='end-turn']");
  const { version, status } = document.documentElement.dataset;
  return {
    version, status, asked, waiting: !document.getElementById("asked").hidden, turn: Boolean(end) && !end.disabled,
    actions: all("[data-action]").map((one) => one.dataset.action),
    trouble: document.querySelector(".trouble")?.innerText ?? "",
    up: all(".card.up").map((card) => [...card.classList].find((name) => name.startsWith("side-"))),
  };
})"""
SPOT = """(() => {
  const map = document.querySelector("svg.map.picking");
  const [me, him] = ["side-0", "side-1"].map((side) => document.querySelector(`.person.${side} circle`));
  if (!map || !me || !him) return null;
  map.scrollIntoView({block: "center"});
  const box = (one) => one.getBoundingClientRect();
  const middle = (one) => [box(one).x + box(one).width / 2, box(one).y + box(one).height / 2];
  const [[x, y], [toX, toY]] = [middle(me), middle(him)];
  const unit = map.getBoundingClientRect().width / map.viewBox.baseVal.width;
  const far = Math.hypot(toX - x, toY - y);
  const part = Math.max(0, far - unit) / far;
  return [x + (toX - x) * part, y + (toY - y) * part];
})()"""
UNSAID = """((where) => {
  for (const box of document.querySelectorAll(where)) {
    for (const one of box.querySelectorAll("input[type=number], select")) {
      if (one.value === "" && one.dataset.key !== "said-more") {
        return [one.dataset.key, one.tagName, one.options ? one.options[1]?.value : one.min];
      }
    }
  }
  return null;
})"""
JUDGING = """(() => {
  const it = document.querySelector(".preview");
  return it ? it.dataset.state ?? "asking" : "gone";
})()"""
GONE_S = 3.0
"""News may close the form of an action that is there no more: it is gone for good after so long."""
PATIENCE_S = 30.0
MOST_INPUTS = 8


class Seat:
    """One browser at the table."""

    def __init__(self, page: Page, name: str, wishes: tuple[str, ...] = (), first: str = "", apart: float = 1) -> None:
        self.is_gm = name == "gm"
        """The GM's page lets him answer for everybody; here he answers what he is asked himself."""
        self.page, self.name, self.wishes, self.first, self.apart = page, name, wishes, first, apart
        self.answered: list[str] = []
        """Kinds of decision that were answered."""
        self.done: list[str] = []
        """Actions that were taken."""
        self.typed = 0
        self.refused: list[str] = []
        """What the page said against a wish."""
        self.tried: set[tuple[str, str]] = set()

    def look(self) -> Json:
        """What the page shows."""
        own = "[data-decision][data-for=gm]" if self.is_gm else "[data-decision]"
        found: Json = self.page.run(f"{LOOK}({json.dumps(own)})")
        assert not self.page.thrown, self.page.thrown
        return found

    def step(self, *, acts: bool = True) -> bool:
        """Do one thing, if the page has one for this seat: answer, or else act."""
        seen = self.look()
        assert not seen["trouble"], f"{self.name}: {seen['trouble']}"
        if seen["asked"]:
            self._answer(seen["asked"])
        elif seen["turn"] and seen["status"] == "running" and acts and not self.is_gm:
            self._act(seen)
        else:
            return False
        self._moved_on()
        return True

    def _moved_on(self) -> None:
        """Wait until the page has sent what was pressed, and has read the fight anew."""
        self.page.wait("document.documentElement.dataset.busy === 'false'")

    def _answer(self, asked: Json) -> None:
        if asked["roll"]:
            self._roll(asked["id"])
        else:
            self._choose(asked)
        self.answered.append(asked["kind"])

    def _roll(self, decision: str) -> None:
        """The first time by hand, as the dice lie on the table, and then by the button."""
        box = f"[data-decision='{decision}']"
        if self.typed:
            self.page.click(f"{box} [data-roll]")
            return
        label = self.page.text(f"{box} label")
        count, sides = (int(part) for part in label.split("(")[1].split(")")[0].split("d"))
        self.page.type(f"{box} input", " ".join([str(min(3, sides))] * count))
        self.page.click(f"{box} button[type=submit]")
        self.typed += 1

    def _choose(self, asked: Json) -> None:
        box = f"[data-decision='{asked['id']}']"
        option = (asked["strong"] or asked["options"])[0]
        self.page.click(f"{box} [data-option={json.dumps(option)}]")
        # An option with a form opens it; its inputs have their own turn, required ones first.
        if self.page.run(f'Boolean(document.querySelector("{box} [data-answer]"))'):
            self._fill(f"{box} .composer .field:has([aria-required])")
            self.page.click(f"{box} [data-answer]")

    def _act(self, seen: Json) -> None:
        """Take the first wish that is possible; else end the turn."""
        wishes = ([self.first] if self.first and self.first not in self.done else []) + list(self.wishes)
        for wish in wishes:
            if wish not in seen["actions"] or (wish, seen["version"]) in self.tried:
                continue
            self.tried.add((wish, seen["version"]))
            self.page.click(f"[data-action='{wish}']")
            if wish == self.first and self.page.run("Boolean(document.querySelector(\"[data-key='pick.path']\"))"):
                self._point()
            if self._possible():
                self.page.click("[data-key='submit']")
                self.done.append(wish)
                return
            if self.page.run(JUDGING) == "gone":
                self.refused.append(f"{wish}: closed")
                return
            self.refused.append(f"{wish}: {self.page.text('.preview')}")
            self.page.click("[data-key='back']")
            self.page.wait("Boolean(document.querySelector('[data-action]'))")
        # Somebody may have been asked something meanwhile, by what is counted while nobody acts.
        if self.page.run("document.querySelector(\"[data-key='end-turn']\")?.disabled === false"):
            self.page.click("[data-key='end-turn']")

    def _point(self) -> None:
        """Show on the map where to go: beside the other one, on this side of him."""
        self.page.click("[data-key='pick.path']")
        spot = None
        # Pressed where it still is after a moment: news that come in may move the map on the page.
        while (there := self.page.wait(SPOT)) != spot:
            spot = there
            time.sleep(0.2)
        for kind in ("mousePressed", "mouseReleased"):
            self.page.call("Input.dispatchMouseEvent", type=kind, x=spot[0], y=spot[1], button="left", clickCount=1)
        self.page.wait("Boolean(document.querySelector('.map .end'))")
        self.page.click("[data-key='pick-done']")

    def _possible(self) -> bool:
        """Fill in whatever the page says is missing, until it is possible or nothing more can be said."""
        for _ in range(MOST_INPUTS):
            found = self._judged()
            if found in ("legal", "gone"):
                return found == "legal"
            if not self._fill("fieldset.said, .composer .field:has([aria-invalid])"):
                return False
        return False

    def _judged(self) -> str:
        """What the page says of the draft, once it says something."""
        begun = time.monotonic()
        while (found := str(self.page.run(JUDGING))) in ("asking", "gone"):
            waited = time.monotonic() - begun
            if found == "gone" and waited > GONE_S:
                break
            if waited > PATIENCE_S:
                shown = self.page.run("document.querySelector('main').innerText")
                raise BrowserError(f"{self.name}: nothing is said of the draft\n{self.page.said[-20:]}\n{shown}")
            time.sleep(0.05)
        return found

    def _fill(self, where: str) -> bool:
        """Say one thing that has not been said: a length, or the first answer of a list. False if there is none."""
        found = self.page.run(f"{UNSAID}({json.dumps(where)})")
        if not found:
            return False
        key, kind, value = found
        if kind == "SELECT":
            self.page.run(f"""(() => {{
              const one = document.querySelector('[data-key="{key}"]');
              one.value = {json.dumps(value)};
              one.dispatchEvent(new Event("change", {{bubbles: true}}));
            }})()""")
        else:
            self.page.type(f'[data-key="{key}"]', str(self.apart))
        time.sleep(0.15)
        return True
