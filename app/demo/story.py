"""The log as a table hears it: what the server says of each event, with headings, and who is left at the end."""

from collections.abc import Callable, Iterator
from typing import Any

from app.demo.client import Json
from app.demo.player import Player
from app.demo.scenario import Expected

PAGE = 200
UNTOLD = frozenset({"encounter_set", "map_changed", "fact_stated", "ruled", "edited", "decision_opened"})
"""Setting up, and questions, which are answered at once here."""
HEADINGS = frozenset({"round_began", "pass_began"})
TURNS = frozenset({"turn_began"})

WORDS = {
    "en": {
        "map": "with a map",
        "stated": "without a map: distances are stated",
        "end": "How they stand",
        "checks": "What had to happen",
        "up": "up",
        "down": "down",
        "dead": "dead",
        "gone": "gone",
    },
    "ru": {
        "map": "с картой",
        "stated": "без карты: расстояния объявляются",
        "end": "Кто в каком состоянии",
        "checks": "Что должно было произойти",
        "up": "на ногах",
        "down": "вне боя",
        "dead": "мёртв",
        "gone": "вышел",
    },
    "pl": {
        "map": "z mapą",
        "stated": "bez mapy: odległości są podawane",
        "end": "Kto w jakim stanie",
        "checks": "Co musiało się zdarzyć",
        "up": "na nogach",
        "down": "poza walką",
        "dead": "nie żyje",
        "gone": "poza sceną",
    },
}


class Story:
    """One fight in one language, told as it goes on."""

    def __init__(self, language: str, tell: Callable[[str], None]) -> None:
        self.language = language
        self.events: list[Json] = []
        self._tell = tell
        self._cursor = 0
        self._told: set[str] = set()
        """Kinds of effect of which the server has said a word: the rest is bookkeeping."""

    @property
    def words(self) -> dict[str, str]:
        """What we say ourselves."""
        return WORDS[self.language]

    def begin(self, title: str, space: str) -> None:
        """The heading of the fight."""
        line = f"{title} ({self.words[space]})"
        self._tell(f"\n{line}\n{'=' * len(line)}\n")

    def catch_up(self, player: Player) -> None:
        """Tell what is new in the log."""
        more = True
        while more:
            query: dict[str, Any] = {"after": self._cursor, "limit": PAGE}
            page = player.client.get(f"{player.path}/log", self.language, **query)
            for event in page["items"]:
                self._hear(event)
            self._cursor = page["next_cursor"] if page["next_cursor"] is not None else self._cursor
            more = page["has_more"]

    def _hear(self, event: Json) -> None:
        self.events.append(event)
        text: str = event["text"]
        if not text or event["type"] in UNTOLD:
            return
        if event["type"] == "effect_began":
            self._told.add(event["effect"]["kind"])
        if event["type"] in HEADINGS:
            self._tell(f"\n-- {text.rstrip('.')} --")
        elif event["type"] in TURNS:
            self._tell(f"\n{text}")
        else:
            self._tell(f"  {text}")

    def end(self, player: Player) -> None:
        """Who stands, who does not, and with what."""
        now = player.client.get(player.path, self.language)
        self._tell(f"\n{self.words['end']}:")
        for body in now["combatants"]:
            first, *others = body["resources"]
            began = {one["id"]: one["value"] for one in player.began[body["id"]]}
            figures = [_figure(first), *(_figure(one) for one in others if one["value"] != began[one["id"]])]
            effects = [one["name"] for one in body["effects"] if one["active"] and one["kind"] in self._told]
            told = ", ".join([self.words[body["status"]], *figures, *effects])
            self._tell(f"  {body['name']:<8} {body['side']:<10} {told}")

    def judge(self, player: Player, expected: list[Expected]) -> list[str]:
        """Tell of each thing that had to happen whether it did. Gives what did not."""
        expected = [one for one in expected if one.space in (None, player.space)]
        missed = [one.name.of(self.language) for one in expected if not happened(self.events, one, player.ids)]
        self._tell(f"\n{self.words['checks']}:")
        for one in expected:
            name = one.name.of(self.language)
            self._tell(f"  [{' ' if name in missed else 'x'}] {name}")
        return missed


def _figure(resource: Json) -> str:
    most = "" if resource["max"] is None else f"/{resource['max']}"
    return f"{resource['name']} {resource['value']}{most}"


def happened(events: list[Json], expected: Expected, ids: dict[str, str]) -> bool:
    """Whether those events came, in that order, and between the first and the last of them none that must not."""
    wanted, unwanted = _with_ids(expected.events, ids), _with_ids(expected.without, ids)
    found = 0
    for event in events:
        if found == len(wanted):
            break
        if _fits(event, wanted[found]):
            found += 1
        elif found and any(_fits(event, one) for one in unwanted):
            return False
    return bool(found == len(wanted))


def _fits(found: Any, wanted: Any) -> bool:
    """Whether what was found holds what is wanted: each named field, and of a list each element wanted, in order."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(_fits(found.get(name), value) for name, value in wanted.items())
    if isinstance(wanted, list):
        rest: Iterator[Any] = iter(found if isinstance(found, list) else ())
        return all(any(_fits(one, want) for one in rest) for want in wanted)
    return bool(found == wanted)


def _with_ids(wanted: Any, ids: dict[str, str]) -> Any:
    if isinstance(wanted, dict):
        return {name: _with_ids(value, ids) for name, value in wanted.items()}
    if isinstance(wanted, list):
        return [_with_ids(value, ids) for value in wanted]
    if isinstance(wanted, str) and wanted.startswith("ref:"):
        return ids[wanted.removeprefix("ref:")]
    return wanted
