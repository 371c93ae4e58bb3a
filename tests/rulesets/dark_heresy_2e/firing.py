"""Weapons as tests need them, and what to look at when an attack was made."""

from typing import Any

import msgspec

from app.engine import events as ev
from app.engine.asks import Question
from app.engine.reasons import Reason
from app.engine.state import Item
from tests.support.play import Played, ruleset


def weapon(
    kind: str, held: str | None = "both", *, count: int = 1, changes: Any = None, **marks: int
) -> dict[str, Item]:
    """One item under the name of its kind: `marks` such as `ammo` or `braced`, `changes` to its profile."""
    custom = None
    if changes is not None:
        profile = msgspec.structs.replace(ruleset().weapons[kind], **changes)
        custom = msgspec.json.encode(profile).decode()
    return {kind: Item(kind, held=held, count=count, marks=dict(marks), custom=custom)}


def terms(done: Played) -> dict[str, int]:
    """The named parts of the attack's target number."""
    return {term.id: term.value for term in done.check.terms}


def result(done: Played) -> tuple[int, str, int]:
    """Target number, outcome and degrees of the attack roll."""
    return done.check.target, done.check.outcome, done.check.degrees


def places(done: Played) -> list[str | None]:
    """Where the hits land, in their order."""
    return [hit.location for hit in done.one(ev.HitsScored).hits]


def struck(done: Played) -> list[str]:
    """Whom the hits strike, in their order."""
    return [hit.target for hit in done.one(ev.HitsScored).hits]


def jammed(done: Played) -> bool:
    """Whether the weapon jammed."""
    return any(event.mark == "jammed" and event.value for event in done.of(ev.ItemMarked))


def fired(done: Played) -> int:
    """Rounds spent."""
    spent: list[ev.ItemMarked] = done.of(ev.ItemMarked)
    return -sum(event.delta for event in spent if event.mark == "ammo")


def cited(reasons: tuple[Reason, ...]) -> list[tuple[str, str]]:
    """Reasons with their clauses."""
    return [(reason.code, str(reason.clause)) for reason in reasons]


def barred(question: Question) -> dict[str, list[tuple[str, str]]]:
    """What a question bars, with the reasons and their clauses."""
    return {one.id: cited(one.reasons) for one in question.barred}
