"""What the parts of a forecast are called, and how a place in the order of turns reads."""

from collections.abc import Sequence

from app.services.narration.numbers import hundredths
from app.services.narration.sentences import ABILITIES, TERMS
from app.services.narration.templates import Value
from app.services.narration.voice import Context


def standing_text(standing: Sequence[int], ctx: Context, language: str) -> str:
    """A place in the order of turns as the ruleset counts it: `12`, or `5.75` where it counts hundredths."""
    voice = ctx.book.voice(language)
    values: dict[str, Value] = {"value": standing[0], "hundredths": hundredths(voice.language, standing[0])}
    return voice.say("standing_set", values, "short")


def term_name(term: str, ctx: Context, language: str) -> str:
    """What one part of a sum is called."""
    return ctx.book.voice(language).word((*TERMS, *ABILITIES), term)


def ability_name(check: str, ctx: Context, language: str) -> str:
    """What is rolled against."""
    return ctx.book.voice(language).word(ABILITIES, check)
