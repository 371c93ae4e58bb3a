"""The author's document laid over the base: maps merge by id, lists and figures are replaced, `null` removes. An action
stays, and nobody may take it: the rules may still call it.

What cannot be merged is noted at its place in the author's document, and the base stays as it is there, so that
nothing else is told of what follows from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.catalog.findings import Findings, child, mapping, pointer

EXTENDS, TITLE, NAMES, NAME = "extends", "title", "names", "name"
SECTIONS = (
    "options",
    "actions",
    "effects",
    "modifiers",
    "tables",
    "weapons",
    "armour",
    "qualities",
    "samples",
    "stats",
)
NAMED = ("actions", "effects", "modifiers", "weapons", "armour", "qualities", "samples")
"""Sections in which an entry may be added, and carries its name with it."""
HEAD = (EXTENDS, TITLE, NAMES)
CLOSED = ("ruleset", "clauses", "locale")
"""What a ruleset has besides, and nobody else can set."""
KIND_WORDS = ("formula", "kind", "type")
"""Fields that say what a map is: under another one the rest means something else, so that the map is replaced."""
RESOLVER, PARAMS = "resolver", "params"
FORBIDDEN = "forbidden"
FIXED = {"actions": ("listed",), "stats": ("kind", "choices"), "effects": ("ruled",)}
"""Fields of an entry that belong to the code beside it."""
STATS_OF_FIELDS = ("levels", "armour")
"""Parts of `stats` that are one map of fields, not a map of ids."""


@dataclass(slots=True)
class Merge:
    """What came of it. `removed` holds places and the ids that went there."""

    document: dict[str, Any]
    removed: list[tuple[str, str]] = field(default_factory=list)
    added: set[tuple[str, str]] = field(default_factory=set)
    """Section and id of every new entry."""


@dataclass(slots=True)
class _Merger:
    findings: Findings
    removed: list[tuple[str, str]] = field(default_factory=list)

    def maps(self, base: Mapping[str, Any], given: Mapping[str, Any], at: str) -> dict[str, Any]:
        """The given map over that of the base."""
        kind = next((word for word in KIND_WORDS if _changes(base, given, word)), None)
        if kind is not None:
            self.new(given, at)
            return dict(given)
        made = dict(base)
        if _changes(base, given, RESOLVER):
            made.pop(PARAMS, None)
            base = {key: value for key, value in base.items() if key != PARAMS}
        for key, value in given.items():
            place = child(at, key)
            if value is None:
                self.remove(base, made, key, place)
            elif isinstance(value, Mapping) and isinstance(base.get(key), Mapping):
                made[key] = self.maps(base[key], value, place)
            else:
                self.new(value, place)
                made[key] = value
        return made

    def remove(self, base: Mapping[str, Any], made: dict[str, Any], key: str, place: str) -> None:
        if key not in base:
            self.findings.unknown(place, "entry", key, base, "nothing_to_remove")
        elif base[key] is not None:
            del made[key]
            self.removed.append((place, key))

    def new(self, value: Any, at: str) -> None:
        """Nothing can be removed from what was not there. In a list, `null` is a value like others."""
        for key, one in mapping(value).items():
            if one is None:
                self.findings.add(child(at, key), "null_in_new", got=key)
            else:
                self.new(one, child(at, key))


def _changes(base: Mapping[str, Any], given: Mapping[str, Any], word: str) -> bool:
    return isinstance(base.get(word), str) and given.get(word) is not None and given[word] != base[word]


def merge(base: Mapping[str, Any], given: Mapping[str, Any], findings: Findings) -> Merge:
    """The whole document under the author's. Names are looked after elsewhere (`names.py`)."""
    merger = _Merger(findings)
    made = Merge({**base}, merger.removed)
    for section, value in given.items():
        at = child("", section)
        if section in HEAD:
            continue
        if section in CLOSED:
            findings.add(at, "not_settable", got=section)
        elif section not in SECTIONS:
            findings.unknown(at, "field", section, (*SECTIONS, *HEAD), "unknown_field")
        elif not isinstance(value, Mapping):
            findings.add(at, "wrong_type", need="a map")
        elif section == "options":
            made.document[section] = _options(mapping(base.get(section)), value, findings)
        elif section == "stats":
            made.document[section] = _stats(mapping(base.get(section)), value, merger)
        elif section == "tables":
            made.document[section] = _closed(mapping(base.get(section)), value, at, merger, "table")
        else:
            made.document[section] = _entries(section, mapping(base.get(section)), value, merger, made)
    return made


def _options(base: Mapping[str, Any], given: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """A value each: what an option may be is not the author's to say."""
    made = dict(base)
    for key, value in given.items():
        at = pointer("options", key)
        if key not in base:
            findings.unknown(at, "option", key, base)
        elif value is None:
            findings.add(at, "not_removable", got=key)
        else:
            made[key] = {**base[key], "default": value}
    return made


def _closed(base: Mapping[str, Any], given: Mapping[str, Any], at: str, merger: _Merger, kind: str) -> dict[str, Any]:
    """A map whose ids are the code's: none is added, none removed, what stands under each may be changed."""
    made = dict(base)
    for key, value in given.items():
        place = child(at, key)
        if key not in base:
            merger.findings.unknown(place, kind, key, base, "not_addable")
        elif value is None:
            merger.findings.add(place, "not_removable", got=key)
        elif isinstance(base[key], Mapping):
            if isinstance(value, Mapping):
                made[key] = merger.maps(base[key], value, place)
            else:
                merger.findings.add(place, "wrong_type", need="a map")
        else:
            merger.new(value, place)
            made[key] = value
    return made


def _stats(base: Mapping[str, Any], given: Mapping[str, Any], merger: _Merger) -> dict[str, Any]:
    made = dict(base)
    for group, value in given.items():
        at = pointer("stats", group)
        if group not in base:
            merger.findings.unknown(at, "field", group, base, "not_addable")
        elif not isinstance(value, Mapping):
            merger.findings.add(at, "not_removable" if value is None else "wrong_type", need="a map", got=group)
        elif group in STATS_OF_FIELDS:
            made[group] = merger.maps(base[group], value, at)
        else:
            sound = {
                key: _unfixed("stats", one, child(at, key), merger.findings) if key in base[group] else one
                for key, one in value.items()
            }
            made[group] = _closed(base[group], sound, at, merger, "stat")
    return made


def _entries(
    section: str, base: Mapping[str, Any], given: Mapping[str, Any], merger: _Merger, made: Merge
) -> dict[str, Any]:
    merged = dict(base)
    for key, value in given.items():
        at = pointer(section, key)
        if value is None and section == "actions" and isinstance(base.get(key), Mapping):
            merged[key] = {**base[key], FORBIDDEN: True}
            continue
        if value is None:
            merger.remove(base, merged, key, at)
            continue
        if not isinstance(value, Mapping):
            merger.findings.add(at, "wrong_type", need="a map")
            continue
        entry = {name: one for name, one in value.items() if name != NAME}
        entry = _unfixed(section, entry, at, merger.findings)
        if key in base:
            merged[key] = merger.maps(base[key], entry, at)
        else:
            merger.new(entry, at)
            merged[key] = entry
            made.added.add((section, key))
        if section == "actions" and merged[key].get(FORBIDDEN) is False:
            merged[key] = {name: one for name, one in merged[key].items() if name != FORBIDDEN}
    return merged


def _unfixed(section: str, entry: Any, at: str, findings: Findings) -> Any:
    """The entry without the fields that only the code beside it can mean."""
    fixed = FIXED.get(section, ())
    for name in fixed:
        if isinstance(entry, Mapping) and name in entry:
            findings.add(child(at, name), "not_settable", got=name)
    return {k: v for k, v in entry.items() if k not in fixed} if isinstance(entry, Mapping) else entry
