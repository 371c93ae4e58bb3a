"""House rules judged whole, and every finding brought back to the place that the author wrote.

Bounds, the merge, the shape, what parts say of each other, what resolvers carry: all of them always run, and none stops
the next. What dangles because something was removed is told once, at the removal.
"""

from collections.abc import Mapping
from typing import Any

from app.catalog.checking import Names, check
from app.catalog.compile import compile_ruleset
from app.catalog.findings import Finding, Findings, child, listed, mapping, pointer
from app.catalog.house.bounds import check_bounds
from app.catalog.house.contracts import check_actions
from app.catalog.house.merging import EXTENDS, FORBIDDEN, NAME, NAMES, SECTIONS, TITLE, Merge, merge
from app.catalog.house.names import KIND_OF, check_title, given_names, restored_texts
from app.catalog.rulebook import Rulebook
from app.engine.reasons import BadRuleset

MOST_TRIED = 40
"""Entries that are merged alone to see which of them the base contradicts."""
SHOWN = 3
"""Places that are named where something is still used."""


class BadHouseRules(Exception):
    """House rules that cannot be played; `findings` are all of them, with places in the author's document."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("\n".join(str(finding) for finding in findings))


def judge(base: Rulebook, given: Any) -> Rulebook:
    """The ruleset under these house rules. Raises `BadHouseRules` with everything that is wrong with them."""
    findings = Findings()
    if not isinstance(given, Mapping):
        findings.add("", "wrong_type", need="a map")
        raise BadHouseRules(tuple(findings))
    small = check_bounds(given, findings)
    check_title(given.get(TITLE), child("", TITLE), findings)
    if given.get(EXTENDS) != base.id:
        code = "missing" if EXTENDS not in given else "other_ruleset"
        findings.add(child("", EXTENDS), code, got=given.get(EXTENDS, EXTENDS), need=base.id)
    if not small:
        raise BadHouseRules(tuple(findings))
    merged, found = _merged(base, given, findings)
    _tell(base, given, merged, found, findings)
    if findings:
        raise BadHouseRules(tuple(findings))
    texts = restored_texts(merged.document, base.texts)
    try:
        return Rulebook(compile_ruleset(merged.document, texts, base.code), texts, base.code)
    except BadRuleset as error:
        findings.add("", "code_refused", got=error.findings[0])
        raise BadHouseRules(tuple(findings)) from None


def _merged(base: Rulebook, given: Mapping[str, Any], findings: Findings) -> tuple[Merge, Findings]:
    """The merged document, and what is wrong with it at its own places."""
    merged = merge(base.document, given, findings)
    for key, value in mapping(given.get("actions")).items():
        if key in base.code.ends_turn and mapping(mapping(merged.document["actions"]).get(key)).get(FORBIDDEN) is True:
            at = pointer("actions", key)
            findings.add(at if value is None else child(at, FORBIDDEN), "ends_turn", got=key)
    names = given_names(given, merged.added, findings)
    if names:
        merged.document[NAMES] = names
    found = Findings()
    texts = restored_texts(merged.document, base.texts)
    check(merged.document, texts, base.code, found)
    check_actions(base.document, merged.document, given, Names(merged.document, texts), base.code, found)
    return merged, found


def _tell(base: Rulebook, given: Mapping[str, Any], merged: Merge, found: Findings, findings: Findings) -> None:
    """Every finding at its place in the author's document, in the order of the merged one."""
    dangling: dict[str, list[str]] = {}
    left: list[Finding] = []
    for finding in found:
        place = _authors(finding, given)
        if place is not None:
            if not _follows(finding) or not findings.has(place):
                findings.add(place, finding.code, **dict(finding.figures))
            continue
        removal = _removal(finding, merged)
        if removal is None:
            left.append(finding)
        else:
            dangling.setdefault(removal, []).append(finding.place)
    for place, key in merged.removed:
        users = list(dict.fromkeys(_entry_of(user) for user in dangling.get(place, ())))
        if users:
            shown = ", ".join(users[:SHOWN]) + (" ..." if len(users) > SHOWN else "")
            findings.add(place, "still_used", got=key, need=len(users), names=shown)
        elif is_needed(base, place):
            findings.add(place, "needed_by_rules", got=key)
    if left:
        _blame(base, given, left, findings)
    for section, key in sorted(merged.added):
        _near_miss(section, key, base, findings)


def _near_miss(section: str, key: str, base: Rulebook, findings: Findings) -> None:
    """Say so where an entry lacks what a new one needs, and may have been meant for one that is there."""
    at = pointer(section, key)
    if any(_follows(one) and one.place.startswith(f"{at}/") for one in findings):
        hint = findings.hint(key, mapping(base.document.get(section)))
        if hint:
            findings.add(at, "near_miss", got=key, hint=hint)


def _follows(finding: Finding) -> bool:
    """Whether it says no more than that something is missing, which follows where something else is wrong."""
    return finding.code in ("missing_name", "missing")


def is_needed(base: Rulebook, place: str) -> bool:
    """Whether the ruleset's code calls by its id what was removed there."""
    parts = place.split("/")[1:]
    if len(parts) != 2:
        return False
    return parts[0] == "effects" or "/".join(parts) in base.code.relied_on


def _authors(finding: Finding, given: Mapping[str, Any]) -> str | None:
    """The place in the author's document; None where he wrote nothing there."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in finding.place.split("/")[1:]]
    if parts[:1] == ["options"] and len(parts) >= 3:
        del parts[2]
    if parts[:1] == ["locale"]:
        return _named_place(parts, given)
    if parts[:1] == [NAMES]:
        return pointer(*parts)
    at: Any = given
    walked: list[object] = []
    for part in parts:
        if isinstance(at, Mapping) and at.get(part) is not None:
            at = at[part]
            walked.append(part)
        elif isinstance(at, list) and part.isdigit() and int(part) < len(at):
            at = at[int(part)]
            walked.append(int(part))
        else:
            break
    if len(walked) < 2:
        return None
    rest = parts[len(walked) :]
    is_absent = finding.code in ("missing", "no_default_type", "not_carried") and len(rest) == 1
    return pointer(*walked, *rest) if is_absent else pointer(*walked)


def _named_place(parts: list[str], given: Mapping[str, Any]) -> str | None:
    """Where a name is missing: at the entry of that id, or where a word without one was written."""
    kind_section, key = parts[2], parts[3]
    for section, kind in KIND_OF.items():
        if kind_section == kind and isinstance(mapping(given.get(section)).get(key), Mapping):
            return pointer(section, key, NAME)
    found = _place_of_word({name: given[name] for name in SECTIONS if name in given}, key, "")
    return found


def _place_of_word(value: Any, word: str, at: str) -> str | None:
    """The first place where the author wrote this word as a key or in a list."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            place = child(at, key)
            if (key == word and place.count("/") > 1) or one in (word, f"given.{word}"):
                return place
            found = _place_of_word(one, word, place)
            if found is not None:
                return found
    for index, one in enumerate(listed(value)):
        if one in (word, f"given.{word}"):
            return child(at, index)
        found = _place_of_word(one, word, child(at, index))
        if found is not None:
            return found
    return None


def _removal(finding: Finding, merged: Merge) -> str | None:
    """The removal that leaves this dangling."""
    got = dict(finding.figures).get("got", "")
    last = finding.place.rpartition("/")[2]
    for place, key in merged.removed:
        if key in {last, got} or got.endswith(f".{key}") or f".{key}." in got:
            return place
    return None


def _entry_of(place: str) -> str:
    return "/".join(place.split("/")[1:3])


def _blame(base: Rulebook, given: Mapping[str, Any], left: list[Finding], findings: Findings) -> None:
    """What the base now has wrong where the author did not write: told at whichever entry alone makes it so."""
    for place, part in each_alone(given)[:MOST_TRIED]:
        if not left:
            return
        _, found = _merged(base, part, Findings())
        places = {(one.place, one.code) for one in found}
        mine = [one for one in left if (one.place, one.code) in places]
        for one in mine[:1]:
            findings.add(place, "breaks_base", got=one.place, need=one.code)
        left = [one for one in left if one not in mine]
    if left and not findings:
        findings.add("", "breaks_base", got=left[0].place, need=left[0].code)


def each_alone(given: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The author's document in pieces of one entry each, as small as they can stand alone, each with its place."""
    pieces: list[tuple[str, Mapping[str, Any]]] = []
    for section in SECTIONS:
        for key, value in mapping(given.get(section)).items():
            if section in ("stats", "tables") and isinstance(value, Mapping):
                pieces += [
                    (pointer(section, key, inner), {section: {key: {inner: one}}}) for inner, one in value.items()
                ]
            else:
                pieces.append((pointer(section, key), {section: {key: value}}))
    return pieces
