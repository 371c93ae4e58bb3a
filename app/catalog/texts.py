"""What people read: names in their language, messages of refusals, and what each clause says."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from app.catalog.document import LANGUAGES
from app.catalog.findings import Findings, mapping, pointer

FALLBACK = "en"
SECTION_OF: Mapping[str, str] = {
    "action": "action",
    "action_type": "action_type",
    "arc": "arc",
    "armour": "armour",
    "band": "band",
    "budget": "budget",
    "choice": "option",
    "damage_type": "damage_type",
    "cover_rating": "cover_rating",
    "effect": "effect",
    "field": "field",
    "location": "location",
    "modifier": "modifier",
    "option": "house_option",
    "quality": "quality",
    "question": "question",
    "rank": "rank",
    "reason": "reason",
    "region": "region",
    "resource": "resource",
    "sample": "sample",
    "skill": "skill",
    "stat": "stat",
    "tag": "subtype",
    "trait": "talent",
    "unit": "unit",
    "weapon": "weapon",
}
"""Kind of thing -> section of `locale/*.yaml` that holds its names."""

PLAIN = "__plain"
"""Ending of a message that needs no figures."""
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
FIGURES = frozenset({"need", "got", "names", "at"})
"""What a message may have filled in."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of the rules in one language."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one ruleset: `clauses` by id, `locale` by language, section and id."""

    clauses: Mapping[str, Any]
    locale: Mapping[str, Mapping[str, Mapping[str, str]]]

    def find(self, section: str, key: str, language: str) -> str | None:
        """A text of a section, in English if the language has none."""
        for one in (language, FALLBACK):
            text = self.locale.get(one, {}).get(section, {}).get(key)
            if text is not None:
                return text
        return None

    def keys(self, section: str) -> tuple[str, ...]:
        """Everything that a section names, sorted."""
        return tuple(sorted(self.locale.get(FALLBACK, {}).get(section, {})))

    def name(self, kind: str, key: str, language: str) -> str:
        """The name of something (`effect`, `prone`), its id if it has none."""
        return self.find(SECTION_OF.get(kind, kind), key, language) or key

    def choice(self, field: str, choice: str, language: str) -> str | None:
        """The name of one choice of a form field or question, the field's own before the common one."""
        for section, key in choice_keys(field, choice):
            found = self.find(section, key, language)
            if found is not None:
                return found
        return None

    def clause(self, clause: str, language: str) -> Clause | None:
        """What a clause says."""
        found = self.clauses.get(clause)
        if found is None:
            return None
        title, text = found["title"], found["text"]
        return Clause(clause, title.get(language) or title[FALLBACK], text.get(language) or text[FALLBACK])

    def message(self, code: str, language: str, *, plain: bool = False) -> str | None:
        """The template of a refusal's message; `plain` for one that needs no figures."""
        if plain:
            found = self.find("reason", code + PLAIN, language)
            if found is not None:
                return found
        return self.find("reason", code, language)


def choice_keys(field: str, choice: str) -> tuple[tuple[str, str], ...]:
    """Where the name of a choice may stand, the most particular first."""
    return (
        ("option", f"{choice}__{field}"),
        (field, choice),
        ("option", choice),
        ("action", choice),
        ("location", choice),
        ("skill", choice),
    )


def check_texts(texts: Texts, needed: Iterable[tuple[str, str]], findings: Findings) -> None:
    """Note every name that a language lacks, and every message that cannot be filled in."""
    for kind, key in sorted(set(needed)):
        section = SECTION_OF[kind]
        for language in LANGUAGES:
            if not mapping(mapping(texts.locale.get(language)).get(section)).get(key):
                findings.add(pointer("locale", language, section, key), "missing_name", need=language, got=kind)
    for language in LANGUAGES:
        held = mapping(mapping(texts.locale.get(language)).get("reason"))
        for code, message in held.items():
            if not isinstance(message, str):
                continue
            found = set(_PLACEHOLDER.findall(message))
            place = pointer("locale", language, "reason", code)
            if found - FIGURES or (code.endswith(PLAIN) and found):
                figures = "nothing" if code.endswith(PLAIN) else ", ".join(sorted(FIGURES))
                findings.add(place, "placeholder", got=", ".join(sorted(found)), need=figures)
            elif found and code + PLAIN not in held:
                findings.add(place, "plain_missing", need=code + PLAIN)


def check_choice(texts: Texts, field: str, choice: str, findings: Findings) -> None:
    """Note a choice of a form that has no name in some language."""
    for language in LANGUAGES:
        locale = mapping(texts.locale.get(language))
        if not any(mapping(locale.get(section)).get(key) for section, key in choice_keys(field, choice)):
            place = pointer("locale", language, "option", choice)
            findings.add(place, "missing_name", need=language, got=f"choice of {field}")
