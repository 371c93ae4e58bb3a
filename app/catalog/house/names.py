"""Names in house rules: in the entry itself, or under `names` for the words inside it. English is needed.

They become the section `names` of the merged document (section of the texts -> id -> language -> name), so that
whoever fetches the document has its words, and two documents that differ in a name differ in their pin.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.catalog.document import LANGUAGES, entries
from app.catalog.findings import Findings, child, mapping, pointer
from app.catalog.house.merging import NAME, NAMED, NAMES
from app.catalog.texts import FALLBACK, SECTION_OF, Texts

KIND_OF = {
    "actions": "action",
    "armour": "armour",
    "effects": "effect",
    "modifiers": "modifier",
    "qualities": "quality",
    "samples": "sample",
    "weapons": "weapon",
}
"""Section of the document -> kind of what stands in it."""
NAMEABLE = tuple(sorted(set(SECTION_OF) - {"reason"}))
"""What `names` may name: everything but messages, which have figures in them."""
LONGEST = 120
MOST_TOLD = 6
"""Entries that the text of a clause of the table's own names."""
OWN_CLAUSE = re.compile(r"HR-[0-9]{2,5}")
"""The clause of a rule that stands in no book."""
_TITLES = {"en": "House rule {}", "ru": "Домашнее правило {}", "pl": "Zasada domowa {}"}
_SAYS = {
    "en": "This table's own rule: {}.",
    "ru": "Собственное правило этого стола: {}.",
    "pl": "Własna zasada tego stołu: {}.",
}
Names = dict[str, dict[str, dict[str, str]]]


def given_names(given: Mapping[str, Any], added: set[tuple[str, str]], findings: Findings) -> Names:
    """Every name that the author gives, by section of the texts. Notes what is none, and who has none."""
    made: Names = {}
    for section in NAMED:
        for key, entry in mapping(given.get(section)).items():
            at = pointer(section, key, NAME)
            if isinstance(entry, Mapping) and NAME in entry:
                name = _name(entry[NAME], at, findings)
                goal = str(entry.get("term", key)) if section == "modifiers" else key
                made.setdefault(SECTION_OF[KIND_OF[section]], {})[goal] = name
            elif (section, key) in added and not (section == "modifiers" and "term" in entry):
                findings.add(at, "missing_name", need=FALLBACK, got=KIND_OF[section])
    for kind, named in _all_named(given.get(NAMES), findings):
        for key, value in named.items():
            made.setdefault(SECTION_OF[kind], {})[key] = _name(value, pointer(NAMES, kind, key), findings)
    return made


def _all_named(given: Any, findings: Findings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if given is None:
        return
    if not isinstance(given, Mapping):
        findings.add(pointer(NAMES), "wrong_type", need="a map")
        return
    for kind, named in given.items():
        if kind not in NAMEABLE:
            findings.unknown(pointer(NAMES, kind), "field", kind, NAMEABLE, "unknown_field")
        elif not isinstance(named, Mapping):
            findings.add(pointer(NAMES, kind), "wrong_type", need="a map")
        else:
            yield kind, named


def check_title(title: Any, at: str, findings: Findings) -> None:
    """What the house rules are called, if they are."""
    if title is not None:
        _name(title, at, findings)


def _name(given: Any, at: str, findings: Findings) -> dict[str, str]:
    if not isinstance(given, Mapping):
        findings.add(at, "wrong_type", need="a map")
        return {FALLBACK: "?"}
    for language, text in given.items():
        if language not in LANGUAGES:
            findings.unknown(child(at, language), "field", str(language), LANGUAGES, "unknown_field")
        elif not isinstance(text, str):
            findings.add(child(at, language), "wrong_type", need="text")
        elif not text.strip():
            findings.add(child(at, language), "too_few", need=1)
        elif len(text) > LONGEST:
            findings.add(child(at, language), "text_too_long", got=len(text), need=LONGEST)
    if FALLBACK not in given:
        findings.add(child(at, FALLBACK), "missing", got=FALLBACK)
    made = {language: str(given[language]) for language in LANGUAGES if isinstance(given.get(language), str)}
    return {FALLBACK: "?"} | made


def restored_texts(document: Mapping[str, Any], base: Texts) -> Texts:
    """The base's texts with the names of a merged document, and its own clauses. The base's own for one without."""
    named = mapping(document.get(NAMES))
    own = sorted(_own_clauses(document))
    if not named and not own:
        return base
    locale: dict[str, dict[str, dict[str, str]]] = {
        language: {section: dict(texts) for section, texts in mapping(base.locale.get(language)).items()}
        for language in LANGUAGES
    }
    for section, names in named.items():
        for key, name in mapping(names).items():
            for language in LANGUAGES:
                text = mapping(name).get(language) or mapping(name).get(FALLBACK)
                if isinstance(text, str):
                    locale[language].setdefault(section, {})[key] = text
    texts = Texts(base.clauses, locale)
    return Texts({**base.clauses, **{clause: _clause(clause, document, texts) for clause in own}}, locale)


def _own_clauses(value: Any) -> set[str]:
    """Every clause of its own that a document cites."""
    found: set[str] = set()
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        elif isinstance(one, str) and OWN_CLAUSE.fullmatch(one):
            found.add(one)
    return found


def _few(names: Sequence[str]) -> str:
    """The first of them: a clause that hundreds of entries cite need not name them all."""
    return ", ".join((*names[:MOST_TOLD], "…") if len(names) > MOST_TOLD else names)


def _clause(clause: str, document: Mapping[str, Any], texts: Texts) -> dict[str, dict[str, str]]:
    """A clause of the table's own, told by the names of whatever cites it."""
    citing = [
        (kind, key)
        for section, kind in KIND_OF.items()
        for key, entry in entries(document, section).items()
        if clause in _own_clauses(entry)
    ]
    title = {language: words.format(clause) for language, words in _TITLES.items()}
    text = {
        language: words.format(_few([texts.name(kind, key, language) for kind, key in citing]) or clause)
        for language, words in _SAYS.items()
    }
    return {"title": title, "text": text}
