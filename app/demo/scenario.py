"""A scenario: who fights where, what each of them intends, which dice fall on the table, and what must have happened.

Bodies are the API's own, sent as they stand. `ref:NAME` is a combatant, by the name he has in `people`.
"""

from pathlib import Path
from typing import Any

import msgspec
import yaml

FOLDER = Path(__file__).resolve().parent / "scenarios"
SPACES = ("map", "stated")
LANGUAGES = ("en", "ru", "pl")


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same in every language."""

    en: str
    ru: str
    pl: str

    def of(self, language: str) -> str:
        """In one language."""
        text: str = getattr(self, language)
        return text


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One intention: a submission without its actor, and what will be answered when it is asked for.

    `dice` and `answers` are found by `who/name` or by the name alone: what a roll is called, what kind a question has.
    A list of several dice falls one roll after the other. `map` and `stated` are parts of the submission for one way
    of placing people, `stated_answers` what the GM is asked only where there is no map. `maybe`: done only if it is
    possible by then.
    """

    action: str
    body: dict[str, Any] = {}
    map: dict[str, Any] = {}
    stated: dict[str, Any] = {}
    dice: dict[str, list[list[int]]] = {}
    answers: dict[str, list[dict[str, Any]]] = {}
    stated_answers: dict[str, list[dict[str, Any]]] = {}
    maybe: bool = False


class Expected(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that must have happened: events with these fields, in this order, and none of `without` in between.

    `space` is the one way of placing people in which it can happen, where the other knows nothing of it.
    """

    name: Texts
    events: list[dict[str, Any]]
    without: list[dict[str, Any]] = []
    space: str | None = None


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fight. `rounds` holds for each round what each one does in his turn, and where he has several of them what he
    does until each is over; `served` leave their dice to the server once the order of the turns is settled.
    `conditions` are what the GM lays on whom before it begins.
    """

    ruleset: str
    title: Texts
    map: dict[str, Any]
    people: dict[str, dict[str, Any]]
    places: dict[str, list[float] | dict[str, float | int]]
    apart: list[tuple[str, str, float]]
    start: Step
    served: list[str]
    rounds: list[dict[str, list[Step]]]
    expect: list[Expected]
    conditions: list[tuple[str, str]] = []


def scenario_for(ruleset: str) -> Scenario:
    """The scenario of a ruleset. Raises `LookupError` where there is none."""
    path = FOLDER / f"{ruleset}.yaml"
    if path not in FOLDER.glob("*.yaml"):
        known = ", ".join(sorted(one.stem for one in FOLDER.glob("*.yaml")))
        raise LookupError(f"There is no demo for {ruleset}. There is one for: {known}.")
    return msgspec.convert(yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader), Scenario)
