"""The service's own words, one file a language: templates, nouns with plural forms, names that every ruleset shares."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from app.catalog.findings import Findings
from app.catalog.reading import read_yaml

FOLDER = Path(__file__).parent / "messages"
Section = Mapping[str, str]


@dataclass(frozen=True)
class Catalogue:
    """One language: its sections (`message`, `prompt`, `counted`, `fault` and kinds of names), each a map of texts."""

    language: str
    sections: Mapping[str, Section]

    def text(self, section: str, key: str) -> str | None:
        """A text of a section, None if it has none of that key."""
        return self.sections.get(section, {}).get(key)

    def forms(self, noun: str) -> tuple[str, ...] | None:
        """The plural forms of a counted noun or unit."""
        text = self.text("counted", noun)
        return None if text is None else split_forms(text)


def split_forms(text: str) -> tuple[str, ...]:
    """Plural forms written in one line: `degree | degrees`."""
    return tuple(form.strip() for form in text.split("|"))


@lru_cache(maxsize=8)
def catalogue(language: str) -> Catalogue:
    """The catalogue of a language. Raises `ValueError` for a file that is not as it should be, with every place."""
    file = FOLDER / f"{language}.yaml"
    findings = Findings()
    sections, _ = read_yaml(file.read_bytes(), file.name, "", findings)
    if findings:
        raise ValueError("\n".join(findings.told()))
    wrong = [
        f"{file.name}: {name}/{key} is no text"
        for name, section in sections.items()
        for key, text in section.items()
        if not isinstance(text, str)
    ]
    if wrong:
        raise ValueError("\n".join(wrong))
    return Catalogue(language, sections)
