"""Names and short messages in a reader's language: of combatants, of whatever the ruleset names, of reasons."""

from collections.abc import Mapping

from app.catalog.texts import FIGURES, Texts
from app.engine.asks import Ask
from app.engine.events import AnyEvent
from app.engine.forms import Field
from app.engine.ids import CombatantId
from app.engine.reasons import Reason
from app.engine.state import Combatant
from app.services.lookup import ABSENT
from app.services.narration import (
    Book,
    Context,
    ability_name,
    field_title,
    input_title,
    narrate,
    option_name,
    prompt,
    purpose_name,
    standing_text,
    term_name,
    value_name,
)
from app.services.narration.numbers import hundredths

ENVELOPE = frozenset({"options", "said", "fields"})
"""Parts of a submission that only hold inputs together."""
MEANT = ("trait", "skill", "weapon", "location", "action", "effect", "stat", "option", "field", "resource", "quality")
"""What a word in a reason may be the name of, the likeliest first."""


class Words:
    """Everything in words for one reader of one fight."""

    __slots__ = ("_bodies", "_context", "_lacking", "_texts", "language")

    def __init__(
        self,
        language: str,
        texts: Texts,
        book: Book,
        bodies: Mapping[CombatantId, Combatant],
        *,
        sees_hidden: bool,
        lacking: frozenset[str] = frozenset({"missing_input"}),
    ) -> None:
        self.language = language
        self._lacking = lacking
        self._texts = texts
        self._bodies = bodies
        self._context = Context(book, bodies, sees_hidden=sees_hidden)

    def event(self, event: AnyEvent, left_out: tuple[str, ...] = ()) -> str:
        """What happened, as a sentence; nothing for pure bookkeeping. `left_out` are figures it must not tell."""
        return narrate(event, self._context, self.language, left_out)

    def prompt(self, ask: Ask) -> str:
        """What somebody is asked."""
        return prompt(ask, self._context, self.language)

    def field(self, field: Field) -> str:
        """The title of an input."""
        return field_title(field, self._context, self.language)

    def option(self, option: str, ask: Ask) -> str:
        """The name of one answer to a question."""
        return option_name(ask.name, option, self._context, self.language)

    def value(self, of: str, choice: str) -> str:
        """The name of one choice of a form: a word of the ruleset, or who it is."""
        return self._texts.choice(of, choice, self.language) or value_name(choice, self._context, self.language)

    def term(self, term: str) -> str:
        """The name of one part of a sum."""
        return term_name(term, self._context, self.language)

    def ability(self, check: str) -> str:
        """The name of what is rolled against."""
        return ability_name(check, self._context, self.language)

    def purpose(self, purpose: str) -> str:
        """What a roll is for."""
        return purpose_name(purpose, self._context, self.language)

    def reaction(self, option: str) -> str:
        """The name of a way to react."""
        return option_name("defend", option, self._context, self.language)

    def standing(self, standing: tuple[int, ...]) -> str | None:
        """Somebody's place in the order as the ruleset counts it."""
        return standing_text(standing, self._context, self.language) if standing else None

    def name(self, kind: str, name: str) -> str:
        """The name of something the ruleset names (`action`, `charge`), its id in plain words if it has none."""
        found = self._texts.name(kind, name, self.language)
        return name.replace("_", " ") if found == name else found

    def band(self, band: str) -> str:
        """How somebody looks."""
        return self._context.book.voice(self.language).word(("band",), band)

    def choice(self, of: str, choice: str) -> str:
        """The name of a word of the ruleset that is one of several of their kind."""
        return self._texts.choice(of, choice, self.language) or choice.replace("_", " ")

    def reason(self, reason: Reason) -> str:
        """What a reason says to a person."""
        figures = {
            "need": self._figure(reason.need, reason.need_length),
            "got": self._figure(reason.got, reason.got_length),
            "names": ", ".join(self._named(name) for name in reason.names) or None,
            "at": self._input(reason.at) if reason.at else None,
        }
        template = self._texts.message(reason.code, self.language)
        if template is not None and not _fits(template, figures):
            template = self._texts.message(reason.code, self.language, plain=True)
        words = template or reason.code.replace("_", " ").capitalize() + "."
        return words.format_map(_Figures(figures))

    def is_lacking(self, reason: Reason) -> bool:
        """Whether it is no refusal, and says only what a submission has yet to fill in."""
        return reason.to_fill_in or reason.code in self._lacking

    def _figure(self, value: int | None, length: int | None) -> str | None:
        if length is not None:
            return hundredths(self.language, length)
        return None if value is None else str(value)

    def _input(self, at: str) -> str:
        """What is to be given at a place of a submission: the input's name, and for whom where it is asked for each."""
        *path, last = [part for part in at.split("/")[1:] if part not in ENVELOPE] or [at.strip("/")]
        title = input_title(path[0] if path else last, self._context, self.language)
        return f"{title} ({self._named(last)})" if path else title

    def _named(self, name: str) -> str:
        """Somebody, or a word of the ruleset. Whose thing a key is, is not looked up: he may be hidden."""
        body = self._bodies.get(CombatantId(name))
        if body is not None:
            return body.name
        if name.startswith(ABSENT):
            return name.removeprefix(ABSENT)
        return self._context.book.voice(self.language).find(MEANT, name) or name


class _Figures(dict[str, str | None]):
    """Figures of a message; one that nobody knows is left out."""

    def __missing__(self, key: str) -> str:
        return ""


def _fits(template: str, figures: Mapping[str, str | None]) -> bool:
    return all(figures.get(name) is not None for name in FIGURES if f"{{{name}}}" in template)
