"""Samples that nobody could begin with: what an encounter would refuse is told where the author wrote it."""

from collections.abc import Mapping
from typing import Any

from app.catalog.findings import Finding, Findings, mapping, pointer
from app.catalog.rulebook import Rulebook
from app.engine.ids import CombatantId
from app.engine.soundness import Misfit

_ANYBODY = CombatantId("sample")


def unfit_samples(base: Rulebook, made: Rulebook, given: Mapping[str, Any]) -> tuple[Finding, ...]:
    """What a sample of the merged rules has that it cannot have, beside what that of the base has already."""
    findings = Findings()
    for key in made.document.get("samples", {}):
        for misfit in sorted(_misfits(made, key) - _misfits(base, key), key=lambda one: (one.at, one.code)):
            where = pointer("samples", key) + misfit.at
            findings.add(_place(made, given, key, misfit), "unfit_sample", got=where, need=misfit.need or misfit.code)
    return tuple(findings)


def _misfits(book: Rulebook, key: str) -> set[Misfit]:
    body = book.sample(key, _ANYBODY, "one", key)
    if body is None:
        return set()
    return set(book.ruleset.misfits(book.ruleset.prepare(book.ruleset, body)))


def _place(made: Rulebook, given: Mapping[str, Any], key: str, misfit: Misfit) -> str:
    """The sample if the author wrote it, else the weapon of his that makes it so, else the whole."""
    if key in mapping(given.get("samples")):
        return pointer("samples", key)
    steps = misfit.at.split("/")
    items = mapping(made.document["samples"][key].get("items"))
    kind = mapping(items.get(steps[2] if len(steps) > 2 else "")).get("kind")
    return pointer("weapons", kind) if kind in mapping(given.get("weapons")) else ""
