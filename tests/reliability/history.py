"""What clients asked a server for and were told, and whether one order of everything explains it.

The checker knows nothing of the server: only the history that clients recorded on one clock, and the log that is left.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

Outcome = Literal["done", "refused", "unknown"]


class Asked(NamedTuple):
    """One request. `version` is the one it made, or the one it read; `mark` is what it wrote, and nobody else."""

    client: int
    encounter: str
    kind: Literal["write", "read"]
    began: float
    ended: float
    outcome: Outcome
    version: int = 0
    mark: str = ""
    expected: int | None = None
    """The version that a write was conditional on."""


class Entry(NamedTuple):
    """One write, as the log has it in the end."""

    version: int
    mark: str


def violations(history: Iterable[Asked], logs: dict[str, Sequence[Entry]], first: int = 1) -> list[str]:
    """Everything that no order explains. `first` is the version that an encounter begins with."""
    by_encounter: defaultdict[str, list[Asked]] = defaultdict(list)
    for one in history:
        by_encounter[one.encounter].append(one)
    return [
        f"{encounter}: {told}"
        for encounter in sorted(set(by_encounter) | set(logs))
        for told in _of_one(by_encounter[encounter], logs.get(encounter, ()), first)
    ]


def _of_one(history: list[Asked], log: Sequence[Entry], first: int) -> Iterator[str]:
    writes = [one for one in history if one.kind == "write" and one.outcome == "done"]
    yield from _numbering(log, first)
    yield from _matches(history, writes, log)
    yield from _real_time(writes)
    yield from _reads(history, writes, log, first)
    for one in writes:
        if one.expected is not None and one.version != one.expected + 1:
            yield f"{one.mark} was to follow version {one.expected} and made {one.version}"


def _numbering(log: Sequence[Entry], first: int) -> Iterator[str]:
    versions = [one.version for one in log]
    if versions != list(range(first + 1, first + 1 + len(versions))):
        yield f"the log's versions are not one after another: {versions[:50]}"


def _matches(history: list[Asked], writes: list[Asked], log: Sequence[Entry]) -> Iterator[str]:
    """The log holds every success where it was told to be, may hold what is unknown, and nothing else."""
    logged = {one.mark: one.version for one in log}
    if len(logged) != len(log):
        yield "something was done twice"
    for one in writes:
        if logged.get(one.mark) != one.version:
            yield f"{one.mark} was acknowledged as version {one.version} and is at {logged.get(one.mark)}"
    possible = {one.mark for one in history if one.kind == "write" and one.outcome != "refused"}
    for mark in logged.keys() - possible:
        yield f"{mark} is in the log and was refused, or never asked for"


def _real_time(writes: list[Asked]) -> Iterator[str]:
    """Whatever ended before another one began comes before it."""
    highest: Asked | None = None
    ended = sorted(writes, key=lambda one: one.ended)
    place = 0
    for one in sorted(writes, key=lambda one: one.began):
        while place < len(ended) and ended[place].ended < one.began:
            if highest is None or ended[place].version > highest.version:
                highest = ended[place]
            place += 1
        if highest is not None and one.version <= highest.version:
            yield f"{one.mark} made version {one.version} after {highest.mark} had made {highest.version}"


def _reads(history: list[Asked], writes: list[Asked], log: Sequence[Entry], first: int) -> Iterator[str]:
    """Whoever reads sees what was acknowledged, or seen by anybody, before he began, and nothing of the future."""
    reads = [one for one in history if one.kind == "read" and one.outcome == "done"]
    seen = sorted([*writes, *reads], key=lambda one: one.ended)
    begun = {one.mark: one.began for one in history if one.kind == "write"}
    began_at = {one.version: begun[one.mark] for one in log if one.mark in begun}
    newest, place = first, 0
    for one in sorted(reads, key=lambda one: one.began):
        while place < len(seen) and seen[place].ended < one.began:
            newest = max(newest, seen[place].version)
            place += 1
        if one.version < newest:
            yield f"client {one.client} read version {one.version} when {newest} had been seen"
        if one.version > first and one.version not in began_at:
            yield f"client {one.client} read version {one.version}, which never was"
        elif one.version > first and began_at[one.version] > one.ended:
            yield f"client {one.client} read version {one.version} before anybody had asked for it"


def starved(history: Iterable[Asked], clients: Iterable[int]) -> list[int]:
    """Clients who never got anything done."""
    won = {one.client for one in history if one.kind == "write" and one.outcome == "done"}
    return [one for one in clients if one not in won]
