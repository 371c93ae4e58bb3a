"""What is wrong with a document, all of it at once: place, code, figures, and a sentence made from them."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST = 200
"""Findings told at once; of more than that the rest is only counted."""

MOST_ENTRIES = 400
"""Entries of a map or list of a client's that are looked at."""

LONGEST_GUESS = 64
LONGEST_FIGURE = 400
"""Characters of a figure that are told."""

MESSAGES: Mapping[str, str] = {
    "alias": "an alias (*{got}); write the value out",
    "ambiguous": "{got} could be read as something else; write it in quotes, or as a plain number, true, false or null",
    "anchor": "an anchor (&{got}); write the value out",
    "armour_layers": "armour is the name of one, a list of names, or points by location",
    "bad_dice": "{got} is no dice notation ({need})",
    "bad_key": "the key {got} is no word",
    "bad_text": "{got} does not have the form {need}",
    "bad_yaml": "not YAML: {got}",
    "choices_repeat": "{got} stands twice in the list",
    "code_missing": "the package {got} has no CODE",
    "code_refused": "{got}",
    "contradiction": "{got}",
    "default_not_offered": "{got} is none of the choices: {need}{hint}",
    "empty": "nothing is given; write null, or quotes for an empty text",
    "given_and_planned": "{got} is an action and stands among the planned ones too",
    "invalid": "{got}",
    "missing": "{got} is missing",
    "missing_file": "the file {got} is missing",
    "missing_name": "no name in {need} ({got})",
    "no_default_type": "an action with several types needs default_type, one of {need}",
    "not_hundredths": "{got} has more than two decimals",
    "not_utf8": "not UTF-8",
    "out_of_bounds": "{got} is outside {need}",
    "out_of_step": "{got} is no multiple of {need}",
    "placeholder": "the text has {got}; only {need} can be filled in",
    "plain_missing": "a text with figures needs a second one without them, under {need}",
    "quality_figure": "the quality {got} takes {need}",
    "repeated_key": "the key {got} stands twice",
    "tag": "a tag ({got}); tags are not read",
    "talent_figure": "the talent {got} takes {need}",
    "too_big": "{got} bytes; at most {need} are read",
    "too_deep": "nested more than {need} deep",
    "too_long": "{got} entries; at most {need} are read",
    "too_few": "at least {need} must be given",
    "too_many": "at most {need} may be given",
    "unknown_field": "the field {got} is not known here{hint}",
    "unknown_file": "the file {got} belongs to no ruleset",
    "unknown_kind": "{got} is none of {need}; what stands beside it is judged when this is mended{hint}",
    "unknown_name": "there is no {need} {got}{hint}",
    "unknown_tag": "nothing ever sets the tag {got}{hint}",
    "unknown_word": "{got} is none of {need}{hint}",
    "wrong_type": "{need} is needed here",
    # House rules alone
    "breaks_base": "with this the ruleset itself no longer holds together, at {got} ({need})",
    "clash_less": "{got} is less than {need} beside it",
    "clash_more": "{got} is more than {need} beside it",
    "clash_absent": "{need} is missing, and the action can be taken so",
    "clash_length": "rows or columns of different length: {got}",
    "clash_order": "{got} does not come after {need}",
    "ends_turn": "{got} ends a turn, without which no fight goes on; it can be changed, not forbidden",
    "near_miss": "the base has no {got}, so that it is new here and needs everything that an entry needs{hint}",
    "needed_by_rules": "the rules use {got} by themselves; it can be changed, not removed",
    "not_addable": "{got} cannot be added here{hint}",
    "not_carried": "{got} is nothing that the rule behind this action takes; it takes {need}",
    "not_removable": "{got} cannot be removed, only changed",
    "not_settable": "{got} belongs to the ruleset's code and cannot be set",
    "nothing_to_remove": "the base has no {got}{hint}",
    "not_playable": "with these figures the rules cannot be played",
    "null_in_new": "{got} is null, but there is nothing to remove: leave it out",
    "other_ruleset": "{got} is another ruleset than {need}",
    "resolver_closed": "no action can be built on {got}; these can be built on: {need}",
    "still_used": "{got} is used in {need} places: {names}",
    "text_too_long": "{got} characters; at most {need} are read",
    "unfit_sample": "nobody could begin so: {got} ({need})",
    "too_many_values": "more than {need} values",
}
"""Code -> sentence. Figures stand in braces, so that the same finding can be told in another language."""

UNREAD = frozenset({"alias", "ambiguous", "anchor", "bad_yaml", "empty", "not_hundredths", "repeated_key", "tag"})
"""Findings that leave open what was meant, so that nothing more can be said of their place."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing wrong. `place` is a JSON Pointer into the document, `file` and `line` where it was read, if it was."""

    place: str
    code: str
    figures: tuple[tuple[str, str], ...] = ()
    file: str | None = None
    line: int | None = None

    @property
    def message(self) -> str:
        """The finding as a sentence."""
        return MESSAGES[self.code].format(**{"got": "", "need": "", "hint": "", "names": "", **dict(self.figures)})

    def __str__(self) -> str:
        where = "" if self.file is None else f"{self.file}{'' if self.line is None else f':{self.line}'} "
        return f"{where}{self.place or '/'}: {self.code}: {self.message}"


@dataclass(slots=True)
class Findings:
    """Collects findings, one for each place and code, and knows the lines of the files they come from."""

    sources: Mapping[str, tuple[str, Mapping[str, int]]] = field(default_factory=dict)
    """Root of a file's pointers -> (file name, pointer -> line)."""
    _held: dict[tuple[str, str], Finding] = field(default_factory=dict)
    _unread: set[str] = field(default_factory=set)
    _above: set[str] = field(default_factory=set)
    """Every place at which, or inside which, something was found."""

    def add(self, place: str, code: str, **figures: object) -> None:
        """Note one. A second one of that code at that place says nothing new, nor does what follows from bad YAML."""
        if (place, code) not in self._held and (code in UNREAD or place not in self._unread):
            if code in UNREAD:
                self._unread.add(place)
            file, line = self._where(place)
            told = tuple((name, _short(_told(value))) for name, value in sorted(figures.items()))
            self._held[place, code] = Finding(place, code, told, file, line)
            while place not in self._above:
                self._above.add(place)
                place = place.rpartition("/")[0]

    def unknown(self, place: str, kind: str, got: str, known: Iterable[str], code: str = "unknown_name") -> None:
        """Note a name that nothing has, with the nearest one that something has."""
        self.add(place, code, need=kind, got=got, hint=self.hint(got, known))

    def none_of(self, place: str, got: object, choices: Iterable[object], code: str = "unknown_word") -> None:
        """Note a word that is none of these, with the nearest of them."""
        words = [str(one) for one in choices]
        self.add(place, code, got=got, need=", ".join(words), hint=self.hint(str(got), words))

    def hint(self, got: str, known: Iterable[str]) -> str:
        """What was probably meant, as the end of a sentence; empty where nothing is near.

        Guessing costs time that grows with the text, and somebody may send a lot of nonsense.
        """
        if len(got) > LONGEST_GUESS or len(self._held) >= MOST:
            return ""
        near = difflib.get_close_matches(got, sorted(known), 1)
        return f"; did you mean {near[0]}?" if near else ""

    def has(self, place: str) -> bool:
        """Whether something at that place or inside it has been found already."""
        return place in self._above

    def _where(self, place: str) -> tuple[str | None, int | None]:
        root = max((r for r in self.sources if place == r or place.startswith(f"{r}/")), key=len, default=None)
        if root is None:
            return None, None
        file, lines = self.sources[root]
        at = place
        while at not in lines and at != root and at:
            at = at.rpartition("/")[0]
        return file, lines.get(at)

    def __iter__(self) -> Iterator[Finding]:
        return iter(sorted(self._held.values()))

    def __bool__(self) -> bool:
        return bool(self._held)

    def told(self) -> tuple[str, ...]:
        """All of them as sentences, cut at `MOST` with a word about the rest."""
        lines = [str(finding) for finding in self]
        if len(lines) <= MOST:
            return tuple(lines)
        return (*lines[:MOST], f"and {len(lines) - MOST} more")


class Unfit(Exception):
    """Something sent by a client (a sheet, an item, a weapon) does not fit the ruleset; carries every finding."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


def _told(figure: object) -> str:
    return plain(figure) if isinstance(figure, float) else str(figure)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_FIGURE else f"{text[:LONGEST_FIGURE]}..."


def pointer(*parts: object) -> str:
    """A JSON Pointer from keys and indices."""
    return "".join([child("", part) for part in parts])


def child(place: str, key: object) -> str:
    """The place of one entry below a place."""
    part = str(key)
    if "~" in part or "/" in part:
        part = part.replace("~", "~0").replace("/", "~1")
    return f"{place}/{part}"


def mapping(value: Any) -> Mapping[str, Any]:
    """The value if it is a map, else an empty one: what stands there instead has been found elsewhere."""
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def number(value: Any) -> int | float | None:
    """The value if it is a number."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def words(value: Any) -> list[tuple[int, str]]:
    """The texts of a list with their indices."""
    return [(index, one) for index, one in enumerate(listed(value)) if isinstance(one, str)]


def few(given: Sequence[Any], at: str, findings: Findings) -> Sequence[Any]:
    """The entries of something a client sent, if there are not absurdly many."""
    if len(given) <= MOST_ENTRIES:
        return given
    findings.add(at, "too_long", got=len(given), need=MOST_ENTRIES)
    return ()


def plain(value: float) -> str:
    """A number as people write it: all its digits, no exponent, nothing after the point that is not there."""
    if isinstance(value, int) or value.is_integer():
        return str(int(value))
    return f"{value:.6f}".rstrip("0").rstrip(".")


def bounded(value: float, bounds: Mapping[str, Any], at: str, findings: Findings) -> bool:
    """Whether the value lies between the `min` and `max` of its declaration, as far as these are numbers at all."""
    low, high = number(bounds.get("min", 0)), number(bounds.get("max"))
    if (low is not None and value < low) or (high is not None and value > high):
        ends = ["" if end is None else plain(end) for end in (low, high)]
        findings.add(at, "out_of_bounds", got=plain(value), need=" to ".join(ends).strip())
        return False
    return True
