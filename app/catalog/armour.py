"""Armour on a sheet: by location and, where the ruleset tells types of damage apart, by type of damage there.

On the wire it is the name of one, a list of names worn together, or points by location. Points are a whole number, or a
map of `dr` (against any damage) and of what holds against single types of damage instead: `{"dr": 4, "cr": 2}`. The
state keeps them flat, `torso` and `torso/cr`, the second only where it differs from the first.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from app.catalog.findings import Findings, bounded, child, few, mapping, words
from app.engine.state import Sheet

GENERAL = "dr"
"""Points that hold against any damage, where points are told apart by type."""
Points = tuple[int, Mapping[str, int]]
"""What holds at one place against any damage, and instead of it against single types."""


class ArmourReader:
    """Reads and writes the armour of sheets of one document. What the document itself has wrong is found elsewhere."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        stats = mapping(document.get("stats"))
        self.locations = tuple(mapping(stats.get("locations")))
        self.bounds = mapping(stats.get("armour"))
        self.types = tuple(one for _, one in words(self.bounds.get("types")))
        self.catalogue = mapping(document.get("armour"))

    def read(self, given: Any, at: str, findings: Findings) -> tuple[dict[str, int], tuple[str, ...]]:
        """Points by location, and which catalogue entries they came from."""
        if given is None:
            return {}, ()
        if isinstance(given, Mapping):
            return self._points(given, at, findings), ()
        names = [given] if isinstance(given, str) else given
        if not isinstance(names, list | tuple):
            findings.add(at, "armour_layers")
            return {}, ()
        worn: list[str] = []
        for index, name in enumerate(few(names, at, findings)):
            place = at if isinstance(given, str) else child(at, index)
            if not isinstance(name, str) or name not in self.catalogue:
                findings.unknown(place, "armour", str(name), self.catalogue)
            elif name not in worn and any(flat(mapping(self.catalogue[name])).values()):
                worn.append(name)
        if not worn:
            return {}, ()
        layers = [mapping(self.catalogue[name]) for name in worn]
        best = {place: _best([_split(layer.get(place)) for layer in layers]) for place in self.locations}
        return self._kept(best), tuple(sorted(worn))

    def _points(self, given: Mapping[str, Any], at: str, findings: Findings) -> dict[str, int]:
        for location in few(list(given), at, findings):
            points, place = given[location], child(at, location)
            if location not in self.locations:
                findings.unknown(place, "location", str(location), self.locations)
            elif self.types and isinstance(points, Mapping):
                for kind in few(list(points), place, findings):
                    if kind != GENERAL and kind not in self.types:
                        findings.unknown(child(place, kind), "damage type", str(kind), (GENERAL, *self.types))
                    else:
                        self._whole(points[kind], child(place, kind), findings)
            else:
                self._whole(points, place, findings, " or points by type of damage" if self.types else "")
        return self._kept({place: _split(given.get(place)) for place in self.locations})

    def _whole(self, points: Any, at: str, findings: Findings, otherwise: str = "") -> None:
        if isinstance(points, bool) or not isinstance(points, int):
            findings.add(at, "wrong_type", need=f"a whole number{otherwise}")
        else:
            bounded(points, self.bounds, at, findings)

    def _kept(self, by_location: Mapping[str, Points]) -> dict[str, int]:
        """Flat, without what goes without saying."""
        made: dict[str, int] = {}
        for place, (general, typed) in by_location.items():
            if general:
                made[place] = general
            made.update(
                (f"{place}/{kind}", typed[kind]) for kind in self.types if kind in typed and typed[kind] != general
            )
        return made

    def write(self, sheet: Sheet) -> Any:
        """The armour as a client sends it: by name where it is known, else in points."""
        if not sheet.worn and not sheet.armour and "default" in self.bounds:
            return self.bounds["default"]
        if not sheet.worn:
            return _by_location(sheet.armour)
        return sheet.worn[0] if len(sheet.worn) == 1 else list(sheet.worn)


def flat(points: Mapping[str, Any]) -> dict[str, int]:
    """Points of a catalogue entry by `location` and `location/type`, everything in it."""
    made: dict[str, int] = {}
    for location, given in points.items():
        made[location], typed = _split(given)
        made.update((f"{location}/{kind}", held) for kind, held in typed.items())
    return made


def _split(given: Any) -> Points:
    """Points of one place as somebody wrote them; what are none count for nothing."""
    if isinstance(given, Mapping):
        sound = {kind: held for kind, held in given.items() if isinstance(held, int)}
        return sound.pop(GENERAL, 0), sound
    return (given if isinstance(given, int) else 0), {}


def _best(layers: Iterable[Points]) -> Points:
    """The best of several layers against each type; one that says nothing of a type counts with its `dr`."""
    held = list(layers)
    kinds = {kind for _, typed in held for kind in typed}
    return (
        max(general for general, _ in held),
        {kind: max(typed.get(kind, general) for general, typed in held) for kind in kinds},
    )


def _by_location(armour: Mapping[str, int]) -> dict[str, Any]:
    made: dict[str, Any] = {place: points for place, points in armour.items() if "/" not in place}
    for place, points in armour.items():
        location, _, kind = place.partition("/")
        if kind:
            held = made.get(location, 0)
            made[location] = (held if isinstance(held, dict) else {GENERAL: held}) | {kind: points}
    return made
