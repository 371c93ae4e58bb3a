"""What house rules change, in words and figures: the merged document beside its base, place by place."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.catalog.findings import child, mapping, plain
from app.catalog.house.merging import FORBIDDEN, NAMED, NAMES
from app.catalog.house.names import KIND_OF
from app.catalog.rulebook import Rulebook
from app.catalog.texts import Texts

SECTIONS: tuple[str, ...] = ("options", *NAMED, "stats", "tables")
SIGNED = frozenset({"to_hit", "modifier", "bonus", "damage_bonus"})
"""Fields that are added to something, wherever they stand; of a modifier its value is one too."""
_SECTION_WORDS: Mapping[str, tuple[str, str, str]] = {
    "actions": ("action", "действие", "akcja"),
    "armour": ("armour", "броня", "pancerz"),
    "effects": ("effect", "эффект", "efekt"),
    "modifiers": ("modifier", "модификатор", "modyfikator"),
    "names": ("name", "название", "nazwa"),
    "options": ("option", "настройка", "ustawienie"),
    "qualities": ("quality", "качество", "cecha"),
    "samples": ("sample", "образец", "wzorzec"),
    "stats": ("sheet", "лист персонажа", "karta postaci"),
    "tables": ("table", "таблица", "tabela"),
    "weapons": ("weapon", "оружие", "broń"),
}
_CHANGES: Mapping[str, tuple[str, str, str]] = {
    "added": ("added", "добавлено", "dodano"),
    "forbidden": ("forbidden", "запрещено", "zakazano"),
    "removed": ("removed", "убрано", "usunięto"),
}
_TRUTH: Mapping[bool, tuple[str, str, str]] = {True: ("yes", "да", "tak"), False: ("no", "нет", "nie")}
_AT: Mapping[str, int] = {"en": 0, "ru": 1, "pl": 2}
_NAMED_KINDS = ("action", "effect", "weapon", "quality", "armour", "action_type", "budget", "tag", "location", "trait")
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is otherwise. `place` points into the merged document, or the base where it is gone."""

    place: str
    change: str
    section: str
    id: str
    field: str
    clause: str | None
    before: Any
    after: Any


def differences(base: Mapping[str, Any], merged: Mapping[str, Any]) -> list[Difference]:
    """Everything that is otherwise, in the order of sections and ids. What is wholly new or gone is one thing."""
    found: list[Difference] = []
    for section in SECTIONS:
        old, new = mapping(base.get(section)), mapping(merged.get(section))
        for key in sorted({*old, *new}):
            before, after = old.get(key, _MISSING), new.get(key, _MISSING)
            if section == "options":
                before, after = before["default"], after["default"]
            clauses = _Clauses(old.get(key), new.get(key))
            if section == "actions" and _is_forbidden(after) and before is not _MISSING and not _is_forbidden(before):
                at = child(child("", section), key)
                found.append(Difference(at, FORBIDDEN, section, key, "", clauses.of([]), None, None))
                after = {name: one for name, one in after.items() if name != FORBIDDEN}
            found.extend(_walk(section, key, (), before, after, clauses))
    for section, names in sorted(mapping(merged.get(NAMES)).items()):
        for key, name in sorted(mapping(names).items()):
            if not _is_new(base, merged, section, key):
                at = child(child(child("", NAMES), section), key)
                found.append(Difference(at, "changed", NAMES, key, section, None, None, name))
    return found


def _is_forbidden(action: Any) -> bool:
    return mapping(action).get(FORBIDDEN) is True


def _is_new(base: Mapping[str, Any], merged: Mapping[str, Any], section: str, key: str) -> bool:
    """Whether the name came with an entry that was added, and was told with it."""
    homes = [home for home, kind in KIND_OF.items() if kind == section]
    return any(key in mapping(merged.get(home)) and key not in mapping(base.get(home)) for home in homes)


class _Clauses:
    """The clause behind a field: the one that the parameters cite for it, else the entry's own."""

    def __init__(self, before: Any, after: Any) -> None:
        entry = after if isinstance(after, Mapping) else mapping(before)
        self.entry = entry
        self.cites = mapping(mapping(entry.get("params")).get("cites"))

    def of(self, path: Sequence[str]) -> str | None:
        """The clause of the figure at that path."""
        if path[:1] == ["params"] and len(path) > 1:
            cited = self.cites.get(path[1])
            if isinstance(cited, str):
                return cited
            at: Any = self.entry
            nearest = None
            for part in path:
                at = at.get(part) if isinstance(at, Mapping) else None
                if isinstance(at, Mapping) and isinstance(at.get("clause"), str):
                    nearest = at["clause"]
            if nearest is not None:
                return str(nearest)
        own = self.entry.get("clause")
        several = self.entry.get("clauses")
        if isinstance(own, str):
            return own
        return str(several[0]) if isinstance(several, list) and several else None


def _walk(
    section: str, key: str, path: Sequence[str], before: Any, after: Any, clauses: _Clauses
) -> Iterator[Difference]:
    if before is _MISSING or after is _MISSING:
        if before is not after:
            yield _difference(section, key, path, before, after, clauses)
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in sorted({*before, *after}):
            one, other = before.get(name, _MISSING), after.get(name, _MISSING)
            yield from _walk(section, key, [*path, str(name)], one, other, clauses)
        return
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from _walk(section, key, [*path, str(place)], one, other, clauses)
        return
    if before != after or isinstance(before, bool) != isinstance(after, bool):
        yield _difference(section, key, path, before, after, clauses)


def _difference(section: str, key: str, path: Sequence[str], before: Any, after: Any, clauses: _Clauses) -> Difference:
    change = "added" if before is _MISSING else "removed" if after is _MISSING else "changed"
    at = child(child("", section), key)
    for part in path:
        at = child(at, part)
    held = [None if one is _MISSING else one for one in (before, after)]
    return Difference(at, change, section, key, ".".join(path), clauses.of(list(path)), *held)


# In words


def in_words(difference: Difference, base: Rulebook, merged: Rulebook, language: str) -> str:
    """`action Charge > params.to_hit (DH-3950): +20 -> +10`, in the reader's language."""
    at = _AT.get(language, 0)
    texts = base.texts if difference.change == "removed" and not difference.field else merged.texts
    words = [_SECTION_WORDS[difference.section][at], name_of(difference, texts, language)]
    if difference.section != NAMES and difference.field:
        words += [">", _field(difference.field, texts, language)]
    clause = f" ({difference.clause})" if difference.clause else ""
    head = f"{' '.join(words)}{clause}"
    if difference.change != "changed" and not difference.field:
        return f"{head}: {_CHANGES[difference.change][at]}"
    signed = _is_signed(difference)
    if difference.section == NAMES:
        return f"{head}: {mapping(difference.after).get(language) or mapping(difference.after).get('en')}"
    after = _value(difference.after, signed, texts, language)
    if difference.change == "added":
        return f"{head}: {_CHANGES['added'][at]}, {after}"
    before = _value(difference.before, signed, base.texts, language)
    if difference.change == "removed":
        return f"{head}: {_CHANGES['removed'][at]}, {before}"
    return f"{head}: {before} -> {after}"


def name_of(difference: Difference, texts: Texts, language: str) -> str:
    """What the entry is called."""
    kind = {**KIND_OF, "options": "option", NAMES: difference.field}.get(difference.section)
    if kind is None:
        return difference.id.replace("_", " ")
    found = texts.name(kind, difference.id, language)
    return found.replace("_", " ") if found == difference.id else found


def _field(field: str, texts: Texts, language: str) -> str:
    steps = []
    for step in field.split("."):
        kinds = ("stat", "field", "skill", *_NAMED_KINDS)
        named = next((n for kind in kinds if (n := texts.name(kind, step, language)) != step), None)
        steps.append(step if named is None else named)
    return " > ".join(steps)


def _is_signed(difference: Difference) -> bool:
    last = difference.field.rpartition(".")[2]
    return last in SIGNED or (difference.section == "modifiers" and last == "value")


def _value(value: Any, signed: bool, texts: Texts, language: str) -> str:
    if isinstance(value, bool):
        return _TRUTH[value][_AT.get(language, 0)]
    if isinstance(value, int | float):
        return f"+{plain(value)}" if signed and value >= 0 else plain(value)
    if isinstance(value, str):
        named = next((n for kind in _NAMED_KINDS if (n := texts.name(kind, value, language)) != value), None)
        return named or texts.choice("option", value, language) or value
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key}: {_value(one, key in SIGNED, texts, language)}" for key, one in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{', '.join(_value(one, False, texts, language) for one in value)}]"
    return "-"
