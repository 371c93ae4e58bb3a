"""A ruleset's words and the service's in one language: names with their fallbacks, templates with their variants."""

from collections.abc import Callable, Mapping

from app.engine.events import Die
from app.engine.ids import CombatantId
from app.engine.state import Combatant
from app.services.narration.catalogue import Catalogue, catalogue, split_forms
from app.services.narration.numbers import LANGUAGES, category, hundredths
from app.services.narration.plain import TEXT_LIMIT, clipped, plain
from app.services.narration.templates import BadTemplate, Template, Value, compiled

Names = Callable[[str, str, str], str | None]
"""A ruleset's name of something: (kind, id, language) -> name, None if it has none."""

LINE_LIMIT = 300
NAME_OF_THING_LIMIT = 80
SUMMED_DICE = 4
LISTED_DICE = 20
MOST_REMEMBERED = 4096


class Voice:
    """Speaks one language with one ruleset's words. Remembers what it has looked up and compiled."""

    def __init__(self, language: str, names: Names, unit: str) -> None:
        self.language = language
        self._names = names
        self._own: Catalogue = catalogue(language)
        self._words: dict[tuple[tuple[str, ...], str], str] = {}
        self._templates: dict[tuple[str, str, tuple[str, ...]], Template | None] = {}
        self._unit = self._own.forms(unit)
        self._unit_word = plain(unit)
        self.someone = self.own("someone")
        self.gm = self.own("gm")
        self._small = (self.someone, self.gm)
        self.die_letter = self.own("die_letter")

    # Names

    def own(self, key: str) -> str:
        """A word of the service's own that belongs to no ruleset."""
        return self._own.text("word", key) or key

    def find(self, kinds: tuple[str, ...], key: str) -> str | None:
        """The ruleset's name under the first of these kinds that has it, else the service's, else None."""
        for kind in kinds:
            name = self._names(kind, key, self.language)
            if name and name != key:
                return plain(name, NAME_OF_THING_LIMIT)
        for kind in kinds:
            text = self._own.text(kind, key)
            if text is not None:
                return text
        return None

    def word(self, kinds: tuple[str, ...], key: str) -> str:
        """The name of something; what nobody has named is called by its id, in words."""
        known = (kinds, key)
        word = self._words.get(known)
        if word is None:
            word = self.find(kinds, key) or plain(key.replace("_", " "), NAME_OF_THING_LIMIT)
            if len(self._words) >= MOST_REMEMBERED:
                self._words.clear()
            self._words[known] = word
        return word

    # Figures

    def length(self, length: int) -> str:
        """A length in the ruleset's unit."""
        number = hundredths(self.language, length)
        if self._unit is None:
            return f"{number} {self._unit_word}"
        exact = length // 100 if length % 100 == 0 else length / 100
        return f"{number} {self._unit[category(self.language, exact)]}"

    def dice(self, dice: tuple[Die, ...]) -> str:
        """Dice as they fell: one face, a sum, or a list where there are many."""
        if 1 < len(dice) <= SUMMED_DICE:
            return f"{'+'.join([str(die.value) for die in dice])}={sum([die.value for die in dice])}"
        return self.faces(dice)

    def faces(self, dice: tuple[Die, ...]) -> str:
        """The faces alone, of dice that are not added up."""
        listed = ", ".join([str(die.value) for die in dice[:LISTED_DICE]])
        return listed if len(dice) <= LISTED_DICE else f"{listed}, …"

    # Sentences

    def say(self, key: str, values: Mapping[str, Value], *variants: str) -> str:
        """The sentence of the first variant (`key__variant`) that has one, else of `key`. Empty for a silence."""
        return self._spoken("message", key, variants, values)

    def ask(self, key: str, values: Mapping[str, Value], *variants: str) -> str:
        """The same for a prompt: `prompt__variant` of the ruleset, a variant of the service's prompts, else `key`."""
        return self._spoken("prompt", key, variants, values)

    def _spoken(self, section: str, key: str, variants: tuple[str, ...], values: Mapping[str, Value]) -> str:
        template = self._compiled(section, key, variants)
        if template is None:
            return ""
        text = template.fill(values)
        if text.startswith(self._small):
            text = text[:1].upper() + text[1:]
        return clipped(text, LINE_LIMIT)

    def _compiled(self, section: str, key: str, variants: tuple[str, ...]) -> Template | None:
        """The template of the first variant that has one, None for a silence."""
        known = (section, key, variants)
        try:
            return self._templates[known]
        except KeyError:
            if len(self._templates) >= MOST_REMEMBERED:
                self._templates.clear()
            template = self._templates[known] = self._template(section, key, variants)
            return template

    def _template(self, section: str, key: str, variants: tuple[str, ...]) -> Template | None:
        for one in (*(f"{key}__{variant}" for variant in variants), key):
            their_text = self._names("narration", one, self.language)
            if their_text and their_text != one:
                try:
                    return compiled(their_text, self.language, self._forms)
                except BadTemplate:
                    # A slip in a ruleset's text must not close the log; the tests of the catalogues find it.
                    pass
            own_text = self._own.text(section, one)
            if own_text is not None:
                return compiled(own_text, self.language, self._forms)
        raise LookupError(f"no text for {key} in {self.language}")

    def _forms(self, noun: str) -> tuple[str, ...] | None:
        theirs = self._names("counted", noun, self.language)
        return split_forms(theirs) if theirs and theirs != noun else self._own.forms(noun)


class Book:
    """All languages of one ruleset. Make it once for each ruleset document and keep it: it caches."""

    def __init__(self, names: Names, unit: str) -> None:
        self._voices = {language: Voice(language, names, unit) for language in LANGUAGES}

    def voice(self, language: str) -> Voice:
        """The voice of a language, English for one that we do not have."""
        return self._voices.get(language) or self._voices["en"]


class Context:
    """Who is who for one reader. `sees_hidden` tells whether names of hidden combatants may be told to him."""

    __slots__ = ("_bodies", "_sees_hidden", "book")

    def __init__(self, book: Book, bodies: Mapping[CombatantId, Combatant], *, sees_hidden: bool) -> None:
        self.book = book
        self._bodies = bodies
        self._sees_hidden = sees_hidden

    def name(self, voice: Voice, who: str) -> str:
        """What a combatant is called, the game master included; `someone` for whom the reader may not know."""
        body = self._bodies.get(CombatantId(who))
        if body is None:
            return voice.gm if who == "gm" else voice.someone
        if body.hidden and not self._sees_hidden:
            return voice.someone
        return plain(body.name) or voice.someone

    def item(self, voice: Voice, who: str | None, item: str | None) -> str | None:
        """What an item is called by its kind; one that is no longer there by its id, which is made from its kind."""
        if item is None:
            return None
        return thing(voice, self.kind_of(who, item) or item.rstrip("0123456789").rstrip("_"))

    def kind_of(self, who: str | None, item: str) -> str | None:
        """The kind of something that a combatant carries, None if he does not."""
        body = self._bodies.get(CombatantId(who or ""))
        held = None if body is None else body.items.get(item)
        return None if held is None else held.kind

    def knows(self, who: str) -> bool:
        """Whether there is a combatant of that id."""
        return CombatantId(who) in self._bodies


THINGS = ("weapon", "armour", "gear", "item")


def thing(voice: Voice, kind: str) -> str:
    """The name of an item of the catalogue."""
    return voice.word(THINGS, kind)


def spoken(text: str | None, limit: int = TEXT_LIMIT) -> str | None:
    """Free text of a player or GM, fit for a sentence."""
    return None if text is None else plain(text, limit)
