"""Sheets and items: between what a client sends and the engine's values, judged by `stats.yaml`, all errors at once.

On the wire a sheet is flat: `{"ws": 52, "skills": {...}, "talents": [...], "armour": "guard_flak"}`. A figure that may
be left out may also be null, which takes it off a sheet that is changed. Skills have ranks or, where the ruleset says
so, whole levels; then `defaults` may hold levels for skills that the sheet does not have. A talent
that carries a figure is listed as `{"id": "altered_time_rate", "value": 1}`. Of armour see `armour.py`.
"""

from collections.abc import Mapping
from typing import Any

from app.catalog.armour import ArmourReader
from app.catalog.document import entries
from app.catalog.findings import Findings, bounded, child, few, listed, mapping, number
from app.catalog.shapes import KnownNames, from_length, to_length
from app.engine.state import Item, Sheet

SKILLS, DEFAULTS, TALENTS, ARMOUR = "skills", "defaults", "talents", "armour"
OWN = (SKILLS, DEFAULTS, TALENTS, ARMOUR)
"""Fields of a sheet that are no figures."""
THING = "thing"
"""Kind of an item that is no weapon; its id says what it is."""
HANDS = ("main", "off", "both")
ITEM = ("kind", "held", "count", "marks", "custom", "on_ground")
"""Fields of an item that may be stated; where it lies only follows from play."""


class SheetReader:
    """Reads and writes the sheets of one document. What the document itself has wrong is found elsewhere."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        stats = mapping(document.get("stats"))
        self.figures = entries(stats, "figures")
        self.skills = entries(stats, "skills")
        self.ranks = ranks_in_order(document)
        self.levels = None if stats.get("levels") is None else mapping(stats["levels"])
        self.traits = mapping(stats.get("traits"))
        self.armour = ArmourReader(document)
        self.own = {
            SKILLS: bool(self.skills),
            DEFAULTS: mapping(self.levels).get("defaults") is True,
            TALENTS: bool(self.traits),
            ARMOUR: bool(self.armour.bounds),
        }
        """Which fields a sheet has beside its figures."""

    def read(self, wire: Any, at: str, findings: Findings) -> Sheet:
        """The sheet; with findings it is only as good as what was left."""
        if not isinstance(wire, Mapping):
            findings.add(at, "wrong_type", need="a map")
            wire = {}
        known = {*self.figures, *(field for field, is_there in self.own.items() if is_there)}
        for name in few(list(wire), at, findings):
            if name not in known:
                findings.unknown(child(at, name), "field", str(name), known, "unknown_field")
        figures = ((name, self._figure(name, one, wire, at, findings)) for name, one in self.figures.items())
        given = wire.get(ARMOUR, self.armour.bounds.get("default"))
        armour, worn = self.armour.read(given, child(at, ARMOUR), findings)
        skills, defaults = wire.get(SKILLS, {}), wire.get(DEFAULTS, {}) if self.own[DEFAULTS] else {}
        talents, values = self._talents(wire.get(TALENTS, []), child(at, TALENTS), findings)
        return Sheet(
            stats={name: value for name, value in figures if value is not None},
            ranks=self._ranks(skills, child(at, SKILLS), findings) if self.levels is None else {},
            traits=talents,
            armour=armour,
            worn=worn,
            levels={} if self.levels is None else self._all_levels(skills, child(at, SKILLS), findings),
            defaults=self._levels(defaults, child(at, DEFAULTS), findings),
            trait_values=values,
        )

    def _figure(
        self, name: str, figure: Mapping[str, Any], wire: Mapping[str, Any], at: str, findings: Findings
    ) -> int | None:
        value, place = wire.get(name, figure.get("default")), child(at, name)
        if value is None:
            if figure.get("optional") is not True:
                findings.add(place, "missing", got=name)
            return None
        if name not in wire:
            return _held(value, figure)
        if figure.get("kind") == "decimal":
            _stepped(value, figure, place, findings)
        elif figure.get("kind") == "flag":
            if not isinstance(value, bool):
                findings.add(place, "wrong_type", need="true or false")
        elif figure.get("kind") == "word":
            if value not in listed(figure.get("choices")):
                findings.none_of(place, value, figure["choices"])
        elif isinstance(value, bool) or not isinstance(value, int):
            findings.add(place, "wrong_type", need="a whole number")
        else:
            bounded(value, figure, place, findings)
        return _held(value, figure)

    def _ranks(self, given: Any, at: str, findings: Findings) -> dict[str, str]:
        if not isinstance(given, Mapping):
            findings.add(at, "wrong_type", need="a map")
            given = {}
        for skill in few(list(given), at, findings):
            rank = given[skill]
            if skill not in self.skills:
                findings.unknown(child(at, skill), "skill", str(skill), self.skills)
            elif not isinstance(rank, str) or rank not in self.ranks:
                findings.none_of(child(at, skill), rank, self.ranks)
        lowest = next(iter(self.ranks), "")
        return {skill: str(given.get(skill, lowest)) for skill in self.skills}

    def _all_levels(self, given: Any, at: str, findings: Findings) -> dict[str, int]:
        """The levels given and, where the ruleset has one for the others, that of every other skill."""
        found = self._levels(given, at, findings)
        others = mapping(self.levels).get("default")
        if not isinstance(others, int):
            return found
        return {skill: found.get(skill, others) for skill in self.skills}

    def _levels(self, given: Any, at: str, findings: Findings) -> dict[str, int]:
        if not isinstance(given, Mapping):
            findings.add(at, "wrong_type", need="a map")
            return {}
        found: dict[str, int] = {}
        for skill in few(list(given), at, findings):
            level = given[skill]
            if skill not in self.skills:
                findings.unknown(child(at, skill), "skill", str(skill), self.skills)
            elif isinstance(level, bool) or not isinstance(level, int):
                findings.add(child(at, skill), "wrong_type", need="a whole number")
            else:
                bounded(level, mapping(self.levels), child(at, skill), findings)
                found[skill] = level
        return {skill: found[skill] for skill in self.skills if skill in found}

    def _talents(self, given: Any, at: str, findings: Findings) -> tuple[tuple[str, ...], dict[str, int]]:
        """The ids of the talents, and the figures of those that carry one."""
        if not isinstance(given, list | tuple):
            findings.add(at, "wrong_type", need="a list")
            return (), {}
        values: dict[str, int | None] = {}
        for index, one in enumerate(few(given, at, findings)):
            place = child(at, index)
            trait = one.get("id") if isinstance(one, Mapping) else one
            if isinstance(one, Mapping):
                for name in few(list(one), place, findings):
                    if name not in ("id", "value"):
                        findings.unknown(child(place, name), "field", str(name), ("id", "value"), "unknown_field")
            if not isinstance(trait, str) or trait not in self.traits:
                findings.unknown(place, "talent", str(trait), self.traits)
            elif trait in values:
                findings.add(place, "choices_repeat", got=trait)
            else:
                values[trait] = self._talent(trait, one, place, findings)
        held = dict(sorted(values.items()))
        return tuple(held), {trait: value for trait, value in held.items() if value is not None}

    def _talent(self, trait: str, given: Any, at: str, findings: Findings) -> int | None:
        """The figure of a talent, None where it carries none."""
        declared = mapping(self.traits[trait])
        if declared.get("figure") is not True:
            if isinstance(given, Mapping):
                findings.add(at, "talent_figure", got=trait, need="no figure, only its id")
            return None
        value = mapping(given).get("value")
        if value is None:
            findings.add(at, "talent_figure", got=trait, need="a figure, with its id")
        elif isinstance(value, bool) or not isinstance(value, int):
            findings.add(child(at, "value"), "wrong_type", need="a whole number")
        else:
            bounded(value, declared, child(at, "value"), findings)
            return value
        return None

    def write(self, sheet: Sheet) -> dict[str, Any]:
        """The sheet as a client sends it, every figure present that it has."""
        wire: dict[str, Any] = {}
        for name, figure in self.figures.items():
            if name in sheet.stats or figure.get("optional") is not True:
                wire[name] = _told(sheet.stats.get(name, 0), figure)
        own = {
            SKILLS: dict(sheet.ranks if self.levels is None else sheet.levels),
            DEFAULTS: dict(sheet.defaults),
            TALENTS: [
                {"id": trait, "value": sheet.trait_values[trait]} if trait in sheet.trait_values else trait
                for trait in sheet.traits
            ],
            ARMOUR: self.armour.write(sheet),
        }
        return wire | {field: value for field, value in own.items() if self.own[field]}


def _held(value: Any, figure: Mapping[str, Any]) -> int:
    """What a sheet keeps of a figure, 0 of what is none: decimals in hundredths, flags as 0 and 1, words as places."""
    if figure.get("kind") == "decimal":
        return to_length(value) or 0
    if figure.get("kind") == "word":
        choices = listed(figure.get("choices"))
        return choices.index(value) if value in choices else 0
    return int(value) if isinstance(value, int) else 0


def _told(value: int, figure: Mapping[str, Any]) -> int | float | str:
    match figure.get("kind"):
        case "flag":
            return bool(value)
        case "decimal":
            return from_length(value)
        case "word":
            return str(figure["choices"][value])
        case _:
            return value


def _stepped(value: Any, figure: Mapping[str, Any], at: str, findings: Findings) -> None:
    """The value is a number within its bounds and a multiple of its step."""
    if number(value) is None:
        findings.add(at, "wrong_type", need="a number")
        return
    step, length = to_length(figure.get("step")), to_length(value)
    if bounded(value, figure, at, findings) and (length is None or (step and length % step)):
        findings.add(at, "out_of_step", got=value, need=figure.get("step"))


def ranks_in_order(document: Mapping[str, Any]) -> dict[str, int]:
    """Ranks of skills with what they are worth, the lowest first."""
    ranks = mapping(mapping(document.get("stats")).get("ranks"))
    sound = {str(name): value for name, value in ranks.items() if isinstance(value, int)}
    return dict(sorted(sound.items(), key=lambda rank: (rank[1], rank[0])))


class ItemReader:
    """Reads and writes what somebody carries."""

    def __init__(self, known: KnownNames, make_weapon: Any) -> None:
        self.known, self.make_weapon = known, make_weapon

    def read(self, wire: Any, at: str, findings: Findings) -> Item:
        """An item; with findings it is only as good as what was left.

        `custom` is a weapon's profile of its own, else `kind` is a weapon of the catalogue, or `thing`.
        """
        if not isinstance(wire, Mapping):
            findings.add(at, "wrong_type", need="a map")
            return Item(THING)
        for name in wire:
            if name not in ITEM:
                findings.unknown(child(at, name), "field", str(name), ITEM, "unknown_field")
        kind, custom = wire.get("kind"), wire.get("custom")
        if not isinstance(kind, str):
            findings.add(child(at, "kind"), "missing" if kind is None else "wrong_type", got="kind", need="text")
            kind = THING
        elif custom is None and kind != THING and not self.known("weapon", kind):
            findings.add(child(at, "kind"), "unknown_name", need="weapon", got=kind)
        held = wire.get("held")
        if held is not None and held not in HANDS:
            findings.none_of(child(at, "held"), held, HANDS)
        return Item(
            kind=kind,
            held=held if held in HANDS else None,
            count=_count(wire.get("count", 1), child(at, "count"), findings),
            marks=_marks(wire.get("marks", {}), child(at, "marks"), findings),
            custom=None if custom is None else self.make_weapon(custom, child(at, "custom"), findings),
            on_ground=_flag(wire.get("on_ground", False), child(at, "on_ground"), findings),
        )


def _count(given: Any, at: str, findings: Findings) -> int:
    if isinstance(given, bool) or not isinstance(given, int):
        findings.add(at, "wrong_type", need="a whole number")
        return 1
    if given < 1:
        findings.add(at, "out_of_bounds", got=given, need="at least 1")
    return max(1, given)


def _flag(given: Any, at: str, findings: Findings) -> bool:
    if not isinstance(given, bool):
        findings.add(at, "wrong_type", need="true or false")
    return given is True


def _marks(given: Any, at: str, findings: Findings) -> dict[str, int]:
    if not isinstance(given, Mapping):
        findings.add(at, "wrong_type", need="a map")
        return {}
    for name in few(list(given), at, findings):
        value = given[name]
        if isinstance(value, bool) or not isinstance(value, int):
            findings.add(child(at, name), "wrong_type", need="a whole number")
    return {str(name): value for name, value in sorted(given.items()) if isinstance(value, int)}
