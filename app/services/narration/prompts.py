"""What is asked, in words: prompts of decisions and rolls, titles and values of form fields, faults of answers."""

import re

from app.engine.asks import Ask, Question, Roll
from app.engine.forms import Field
from app.engine.ids import Scalar
from app.services.narration.catalogue import catalogue
from app.services.narration.numbers import LANGUAGES
from app.services.narration.plain import plain, sentence
from app.services.narration.sentences import ABILITIES
from app.services.narration.templates import Value, compiled
from app.services.narration.voice import Context, Voice

NEED_LIMIT = 200
_RANGE = re.compile(r"(-?\d+) to (-?\d+)")
_NAMED = ("option", "hand", "trigger", "action_type", "location", "action", "skill", "stat", "effect", "weapon")


def prompt(ask: Ask, ctx: Context, language: str) -> str:
    """What somebody must answer: `Brok: evade Sable's attack?`, `Sable: roll 1d100 — attack, target 72.`"""
    voice = ctx.book.voice(language)
    return _roll(ask, ctx, voice) if isinstance(ask, Roll) else _question(ask, ctx, voice)


def _roll(ask: Roll, ctx: Context, voice: Voice) -> str:
    values: dict[str, Value] = {
        "to": ctx.name(voice, ask.by),
        "dice": f"{ask.count}{voice.die_letter}{ask.sides}",
        "purpose": purpose_name(ask.purpose, ctx, voice.language),
        "target": ask.target,
    }
    if not ask.count:
        return voice.ask("prompt", values, "roll_unseen")
    return voice.ask("prompt", values, f"roll_{ask.purpose}", "roll")


def _question(ask: Question, ctx: Context, voice: Voice) -> str:
    values: dict[str, Value] = dict(ask.figures)
    values.update((name, voice.length(length)) for name, length in ask.lengths.items())
    values["to"] = ctx.name(voice, ask.to)
    values["about"] = None if ask.about is None else ctx.name(voice, ask.about)
    values["question"] = sentence(question_title(ask.kind, ctx, voice.language, name=ask.name))
    return voice.ask("prompt", values, *dict.fromkeys((ask.name, ask.kind)))


def question_title(kind: str, ctx: Context, language: str, *, name: str | None = None) -> str:
    """What a kind of question is called; by its own name first, where several share a kind."""
    voice = ctx.book.voice(language)
    found = None if name is None else voice.find(("question",), name)
    return found or voice.find(("question",), kind) or voice.own("decision_needed")


def purpose_name(purpose: str, ctx: Context, language: str) -> str:
    """What a roll is for."""
    return ctx.book.voice(language).word(("purpose", *ABILITIES, "action"), purpose)


def field_title(field: Field, ctx: Context, language: str) -> str:
    """The title of an input: by the key it names, else by its own name."""
    return input_title(field.title or field.name, ctx, language)


def input_title(name: str, ctx: Context, language: str) -> str:
    """The same by the name alone."""
    return ctx.book.voice(language).word(("field", "stat", "modifier", "action", "option"), name)


def value_name(value: Scalar, ctx: Context, language: str) -> str:
    """What a value of a form is called: a combatant, a word of the ruleset, yes and no, a number as it is."""
    voice = ctx.book.voice(language)
    if isinstance(value, bool):
        return voice.own("yes" if value else "no")
    if value is None:
        return voice.own("nothing")
    if isinstance(value, int):
        return str(value)
    return ctx.name(voice, value) if ctx.knows(value) else voice.word(_NAMED, value)


def fault(code: str, language: str, need: str = "") -> str:
    """What is wrong with one value of an answer, by the code of a `BadAnswer`, with what would have been right."""
    ours = catalogue(language if language in LANGUAGES else "en")
    text = ours.text("fault", code) or ours.text("fault", "bad_value") or code
    template = compiled(text, ours.language, ours.forms)
    return "" if template is None else template.fill({"need": _need(need, ours.text("need", need), ours.language)})


def _need(need: str, known: str | None, language: str) -> str:
    """What was needed: a phrase of the engine in that language, a range, or figures and ids as they are."""
    if known is not None:
        return known
    found = _RANGE.fullmatch(need)
    if found is not None:
        return (catalogue(language).text("word", "range") or "{low}–{high}").format(low=found[1], high=found[2])
    return plain(need, NEED_LIMIT)
