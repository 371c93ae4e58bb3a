"""What happened in a fight of these tests, as its log tells it."""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from app.engine import events as ev
from app.engine.asks import Ask
from app.engine.ids import CombatantId
from app.engine.state import Combatant
from app.services.narration import Book, Context, narrate, prompt
from app.services.narration.numbers import LANGUAGES
from app.services.narration.plain import plain
from tests.support.play import Played, book

Bodies = Mapping[CombatantId, Combatant]
NAMED_BY_THE_TABLE = (
    "concentrating",
    "maintained",
    "roll_failed",
    "roll_succeeded",
    "sustaining",
    "task_done",
    "task_failed",
    "working",
)
"""Facts and effects that hold a text which nobody but the table knows."""
_LATIN = re.compile(r"[A-Za-z]{2,}")


@cache
def words() -> Book:
    """The words of this ruleset."""
    return Book(book("gurps_4e").texts.find, "yd")


def context(bodies: Bodies) -> Context:
    """Everybody as the GM sees him."""
    return Context(words(), bodies, sees_hidden=True)


def story(done: Iterable[Played], bodies: Bodies, language: str) -> list[str]:
    """The lines of the log, without the silences."""
    ctx = context(bodies)
    lines = (narrate(event, ctx, language) for played in done for event in played.events)
    return [line for line in lines if line]


def flaws(event: ev.AnyEvent, bodies: Bodies) -> list[str]:
    """What is wrong with how an event is told in any language."""
    ctx = context(bodies)
    told = {language: narrate(event, ctx, language) for language in LANGUAGES}
    typed = [*_typed(event), *_made_up(bodies), *(text for body in bodies.values() for text in (body.name, body.side))]
    return [*_misshapen(told), *_foreign(told["ru"], typed)]


def flaws_of_prompt(ask: Ask, bodies: Bodies) -> list[str]:
    """What is wrong with how something is asked in any language."""
    ctx = context(bodies)
    told = {language: prompt(ask, ctx, language) for language in LANGUAGES}
    return [*_misshapen(told), *_foreign(told["ru"], [body.name for body in bodies.values()])]


def _misshapen(told: Mapping[str, str]) -> list[str]:
    found = []
    if len({bool(text) for text in told.values()}) > 1:
        found.append(f"not silent in every language: {told}")
    for text in told.values():
        for wrong in ("{", "}", "None", "()", "  ", " ,", "_", "[ ", ": .", ":."):
            if wrong in text.replace("\\_", ""):
                found.append(f"{wrong!r} in {text!r}")
        if text != text.strip() or (text and text[-1] not in ".!?…”»)"):
            found.append(f"no sentence: {text!r}")
    return found


def _foreign(text: str, typed: Iterable[str]) -> list[str]:
    """English where it should be Russian, but for what was typed."""
    for word in filter(None, typed):
        text = re.sub(rf"(?<!\w){re.escape(plain(word))}(?!\w)", "", text, flags=re.IGNORECASE)
    return [f"English in {text!r}"] if _LATIN.search(text) else []


def _made_up(bodies: Bodies) -> set[str]:
    """Kinds of item that no catalogue has."""
    kinds = {item.kind for body in bodies.values() for item in body.items.values()}
    return {kind.replace("_", " ") for kind in kinds - set(book("gurps_4e").ruleset.weapons)}


def _typed(event: ev.AnyEvent) -> list[str]:
    """What of an event somebody has written himself."""
    match event:
        case ev.ActionTaken(note=str(text)) | ev.Ruled(reason=text):
            return [text]
        case ev.Noted(fact=fact, words=words) if fact in NAMED_BY_THE_TABLE:
            return list(words)
        case ev.EffectBegan(effect=effect) if effect.kind in NAMED_BY_THE_TABLE:
            return [effect.word or ""]
        case _:
            return []
