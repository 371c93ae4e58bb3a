"""Texts for readers: events as sentences, questions as prompts, names of inputs, in English, Russian and Polish.

Rendered when somebody reads, never stored. Keep one `Book` for each ruleset document, make a `Context` for
each answer:

    book = Book(names, rules.unit)                              # names(kind, id, language) -> str | None
    ctx = Context(book, state.combatants, sees_hidden=caller.is_gm)
    text = narrate(event, ctx, caller.language)                 # "" for pure bookkeeping

A ruleset words its own facts under `narration` in its locale: `noted__righteous_fury`, `action_taken__charge`,
`effect_began__prone`, `pool_changed__wounds`, `prompt__defend`. `templates` tells how they are written. Besides,
`counted` may hold nouns with their plural forms, `purpose`, `field`, `question` and `option` names.
"""

from app.services.narration.names import ability_name, standing_text, term_name
from app.services.narration.prompts import (
    fault,
    field_title,
    input_title,
    prompt,
    purpose_name,
    question_title,
    value_name,
)
from app.services.narration.sentences import narrate, option_name
from app.services.narration.voice import Book, Context, Names

__all__ = [
    "Book",
    "Context",
    "Names",
    "ability_name",
    "fault",
    "field_title",
    "input_title",
    "narrate",
    "option_name",
    "prompt",
    "purpose_name",
    "question_title",
    "standing_text",
    "term_name",
    "value_name",
]
