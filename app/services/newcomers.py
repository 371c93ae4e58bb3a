"""Combatants at the door: samples by name or sheets of their own, judged whole before anybody enters."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from app.catalog import Rulebook, Unfit
from app.catalog.findings import child
from app.engine.ids import CombatantId
from app.engine.space.model import Place
from app.engine.state import Combatant, Sheet, State
from app.services import door, stated
from app.services.bodies import CombatantIn
from app.services.errors import BadInput, Finding, LimitReached
from app.services.maps import validate_places
from app.services.play import ANY_KIND

MAX_COMBATANTS = 200
SLOT = "unk_"
"""How ids of unknown slots begin."""
_NUMBERED = re.compile(r"(.*\S) (\d{1,4})")


def count(bodies: Iterable[CombatantIn]) -> int:
    """How many these are."""
    return sum(body.count for body in bodies)


def slots_for(bodies: Iterable[CombatantIn], new_id: Callable[[str], str]) -> list[str]:
    """Ids for all of them who are to be unknown slots."""
    return [new_id(SLOT) for body in bodies if body.hidden == "slot" for _ in range(body.count)]


def read(
    book: Rulebook,
    state: State,
    bodies: Sequence[CombatantIn],
    ids: Sequence[CombatantId],
    slots: Sequence[str],
    language: str,
    at: str = "/combatants",
) -> tuple[Combatant, ...]:
    """Everybody whom these bodies describe, ready to enter, under these ids. Raises `BadInput` with all findings.

    `slots` are ids for those who are to be unknown slots. Who is given no name has that of his sample in this language.
    """
    room_for(state, len(ids))
    findings: list[Finding] = []
    made: list[Combatant] = []
    where: dict[CombatantId, str] = {}
    stands: dict[CombatantId, str] = {}
    unused, unseen = iter(ids), iter(slots)
    for place, body in enumerate(bodies):
        pointer = f"{at}/{place}"
        before = len(findings)
        for number, one in enumerate(_several(book, body, language, unused, pointer, findings)):
            made.append(replace(one, slot=next(unseen)) if body.hidden == "slot" else one)
            where[one.id] = pointer
            stands[one.id] = f"{pointer}/positions/{number}" if body.positions else f"{pointer}/position"
        if len(findings) == before:
            # They are alike; who does not fit his ruleset otherwise is not judged further.
            ready = book.ruleset.prepare(book.ruleset, made[-1])
            findings += (Finding(one.code, pointer + one.at, one.need) for one in book.ruleset.misfits(ready))
    findings += _references(state, made, where)
    findings += places_fit(book, state, made, stands)
    if findings:
        raise BadInput(findings)
    return tuple(book.ruleset.prepare(book.ruleset, one) for one in made)


def room_for(state: State, more: int) -> None:
    """Raises `LimitReached` where so many do not fit in."""
    present = sum(body.status != "gone" for body in state.combatants.values())
    if present + more > MAX_COMBATANTS:
        raise LimitReached("too_many_combatants", MAX_COMBATANTS)


def _several(
    book: Rulebook, body: CombatantIn, language: str, ids: Iterator[CombatantId], at: str, findings: list[Finding]
) -> Iterator[Combatant]:
    places = _places(body, at, findings)
    one = _one(book, body, language, next(ids), at, findings)
    for number in range(body.count):
        yield replace(
            one,
            id=one.id if number == 0 else next(ids),
            name=one.name if body.count == 1 else f"{one.name} {number + 1}",
            place=places[number] if number < len(places) else None,
            external_ref=one.external_ref if number == 0 else None,
        )


def _places(body: CombatantIn, at: str, findings: list[Finding]) -> list[Place]:
    if body.position is not None and body.positions:
        findings.append(Finding("given_twice", f"{at}/position", "position or positions"))
    elif body.position is not None and body.count > 1:
        findings.append(Finding("wrong_length", f"{at}/position", f"{body.count} positions"))
    elif body.positions and len(body.positions) != body.count:
        findings.append(Finding("wrong_length", f"{at}/positions", f"{body.count} positions"))
    if body.external_ref is not None and body.count > 1:
        findings.append(Finding("not_for_several", f"{at}/external_ref", "count 1"))
    given = body.positions or (() if body.position is None else (body.position,))
    return [door.place(one) for one in given]


def _one(
    book: Rulebook, body: CombatantIn, language: str, who: CombatantId, at: str, findings: list[Finding]
) -> Combatant:
    sample = None
    if body.sample is not None:
        sample = book.sample(body.sample, who, body.side, book.name("sample", body.sample, language))
        if sample is None:
            findings.append(
                Finding("unknown_sample", f"{at}/sample", ", ".join(sorted(book.document.get("samples", {}))))
            )
    elif body.sheet is None:
        findings.append(Finding("missing_input", f"{at}/sheet", "sample or sheet"))
    if body.name is None and body.sample is None:
        findings.append(Finding("missing_input", f"{at}/name", "name"))
    made = sample or Combatant(id=who, name=body.name or "", side=body.side, sheet=Sheet({}))
    if body.sheet is not None:
        made = replace(made, sheet=sheet_over(book, sample, body.sheet, f"{at}/sheet", findings))
    findings += policy_fits(book, body.policy, f"{at}/policy")
    findings += stated.cover_fits(book.ruleset.vocabulary, body.cover, f"{at}/cover")
    if body.items is not None:
        wire = {name: door.item_document(item) for name, item in body.items.items()}
        try:
            made = replace(made, items=book.read_items(wire, f"{at}/items"))
        except Unfit as unfit:
            findings += door.findings_of(unfit)
    return replace(
        made,
        name=body.name or made.name,
        external_ref=body.external_ref,
        hidden=bool(body.hidden),
        values=body.values,
        rolls=body.rolls,
        policy=body.policy,
        dice=body.dice,
        cover=None if body.cover is None else door.cover(body.cover),
        notes=body.notes,
    )


def policy_fits(book: Rulebook, policy: Mapping[str, str], at: str) -> Iterator[Finding]:
    """Whether a policy speaks of nothing but what a combatant is asked, or of everything."""
    known = sorted(kind for kind, whom in book.ruleset.questions.items() if whom == "combatant")
    for kind in policy:
        if kind != ANY_KIND and kind not in known:
            yield Finding("unknown_kind", child(at, kind), ", ".join((*known, ANY_KIND)))


def sheet_over(
    book: Rulebook, base: Combatant | None, given: Mapping[str, Any], at: str, findings: list[Finding]
) -> Sheet:
    """The sheet that is given, over the one that is there: what is left out stays as it is."""
    wire = dict(given) if base is None else {**book.write_sheet(base.sheet), **given}
    try:
        return book.read_sheet(wire, at)
    except Unfit as unfit:
        findings += door.findings_of(unfit)
        return Sheet({})


def _references(state: State, made: Sequence[Combatant], where: Mapping[CombatantId, str]) -> Iterator[Finding]:
    held = {body.external_ref for body in state.combatants.values() if body.status != "gone"}
    for one in made:
        if one.external_ref is None:
            continue
        if one.external_ref in held:
            yield Finding("external_ref_taken", f"{where[one.id]}/external_ref")
        held.add(one.external_ref)


def places_fit(
    book: Rulebook, state: State, bodies: Iterable[Combatant], where: Mapping[CombatantId, str]
) -> Iterator[Finding]:
    """Whether they may be put where they are to stand. `where` says what to point at."""
    placed = {str(body.id): body.place for body in bodies if body.place is not None}
    ground = state.scenery.ground
    if ground is None:
        for who in placed:
            yield Finding("no_map", where[CombatantId(who)], "an encounter with a map")
        return
    sizes = {str(body.id): book.ruleset.body_extra(body) for body in bodies if body.place is not None}
    for flaw in validate_places(ground, placed, sizes):
        who, _, rest = flaw.pointer.removeprefix("/").partition("/")
        yield Finding(flaw.code, where[CombatantId(who)] + (f"/{rest}" if rest else ""))


def next_names(state: State, name: str, count: int) -> list[str]:
    """Names for more of the same: after `Brok` and `Brok 3` come `Brok 4` and `Brok 5`."""
    numbered = _NUMBERED.fullmatch(name)
    stem = name if numbered is None else numbered[1]
    highest = 1
    for body in state.combatants.values():
        found = _NUMBERED.fullmatch(body.name)
        if found is not None and found[1] == stem:
            highest = max(highest, int(found[2]))
    return [f"{stem} {highest + number + 1}" for number in range(count)]
