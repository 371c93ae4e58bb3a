"""The small language of message templates, compiled once.

`{name}` is a value, `{name:low}` the same with a small first letter, `{name:signed}` a number with its sign,
`{name:noun}` a number with a noun of the catalogue that it counts. What stands in `[...]` is left out when a value in
it is missing. A template that is `-` says nothing.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from app.services.narration.numbers import CATEGORIES, counted

SILENCE = "-"
Value = str | int | None
Forms = Callable[[str], tuple[str, ...] | None]
"""Forms of a counted noun by its name."""

_PIECE = re.compile(r"\{([a-z_]+)(?::([a-z_]+))?\}|(\[)|(\])|([^\[\]{}]+)|([{}])")


class BadTemplate(ValueError):
    """A template that cannot be read."""


@lru_cache(maxsize=8192)
def lowered(text: str) -> str:
    """A name in the middle of a sentence. One with more capitals or digits is a title and stays as it is; what a
    comma sets off (`Rifle, 5.56 mm`) only specifies.
    """
    rest = text[1:].partition(",")[0]
    if rest != rest.lower() or any(letter.isdigit() for letter in rest):
        return text
    return text[:1].lower() + text[1:]


class _Slot:
    """A place for a value."""

    __slots__ = ("forms", "how", "language", "name")

    def __init__(self, name: str, how: str, language: str, forms: tuple[str, ...]) -> None:
        self.name, self.how, self.language, self.forms = name, how, language, forms

    def filled(self, values: Mapping[str, Value]) -> str | None:
        """The text that stands here, None where there is no value."""
        value = values.get(self.name)
        if value is None or value == "":
            return None
        if self.forms and isinstance(value, int):
            return counted(self.language, value, self.forms)
        if self.how == "signed" and isinstance(value, int):
            return f"{value:+d}"
        return lowered(value) if self.how == "low" and isinstance(value, str) else str(value)


Piece = str | _Slot


class Template:
    """A compiled template of one language."""

    __slots__ = ("_parts", "names")

    def __init__(self, parts: tuple[Piece | tuple[Piece, ...], ...], names: frozenset[str]) -> None:
        self._parts = parts
        self.names = names
        """Every value it can show."""

    def fill(self, values: Mapping[str, Value]) -> str:
        """The sentence. A missing value outside brackets leaves nothing behind."""
        out: list[str] = []
        for part in self._parts:
            if isinstance(part, str):
                out.append(part)
            elif isinstance(part, _Slot):
                out.append(part.filled(values) or "")
            elif (text := _group(part, values)) is not None:
                out.append(text)
        return "".join(out)


def _group(pieces: tuple[Piece, ...], values: Mapping[str, Value]) -> str | None:
    out: list[str] = []
    for piece in pieces:
        text = piece if isinstance(piece, str) else piece.filled(values)
        if text is None:
            return None
        out.append(text)
    return "".join(out)


def compiled(text: str, language: str, forms: Forms) -> Template | None:
    """The template, None for one that says nothing. Raises `BadTemplate`."""
    if text == SILENCE:
        return None
    parts: list[Piece | tuple[Piece, ...]] = []
    group: list[Piece] | None = None
    names: set[str] = set()
    for found in _PIECE.finditer(text):
        name, how, opens, closes, words, stray = found.groups()
        if stray or (opens and group is not None) or (closes and group is None):
            raise BadTemplate(f"{text!r}: unexpected {found[0]} at {found.start()}")
        if opens:
            group = []
        elif closes:
            parts.append(tuple(group or ()))
            group = None
        else:
            names.update([name] if name else [])
            piece = words if words else _Slot(name, how or "", language, _forms(text, how, language, forms))
            (parts if group is None else group).append(piece)
    if group is not None:
        raise BadTemplate(f"{text!r}: a bracket is not closed")
    return Template(tuple(parts), frozenset(names))


def _forms(text: str, how: str | None, language: str, forms: Forms) -> tuple[str, ...]:
    if how in (None, "low", "signed"):
        return ()
    found = forms(how or "")
    if found is None or len(found) != len(CATEGORIES[language]):
        raise BadTemplate(f"{text!r}: {how} is no counted noun with {len(CATEGORIES[language])} forms")
    return found
