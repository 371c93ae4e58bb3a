"""What an action that the author touched may take: what its resolver was written for, or less of it.

A resolver in code reads targets, weapons and inputs in the ways its ruleset's own actions give them. So a new action is
held against every action of the base with the same resolver, and a changed one against its own base too.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from app.catalog.checking import Names
from app.catalog.document import entries
from app.catalog.findings import Findings, child, listed, mapping, number, pointer, words
from app.catalog.shapes import fit
from app.engine.rules import RulesetCode, Whole

NARROWER: Mapping[str, frozenset[str]] = {
    "any": frozenset({"any", "other", "enemy", "self"}),
    "other": frozenset({"other", "enemy"}),
    "enemy": frozenset({"enemy"}),
    "self": frozenset({"self"}),
    "none": frozenset({"none"}),
}
"""Whom an action may be aimed at where its resolver takes these."""
NOBODY: Mapping[str, Any] = {"who": "none", "min": 0, "max": 0}
FREELY: Mapping[str, Any] = {"targets": {"who": "any", "min": 0, "max": 100}, "form": {}, "needs": [], "cost": {}}
"""What a resolver takes that no ruleset's own action has: the engine's generic ones."""
Misfit = tuple[tuple[str, ...], str, object]
"""Where in the action, what it would have to be, what it is."""


def check_actions(
    base: Mapping[str, Any],
    merged: Mapping[str, Any],
    given: Mapping[str, Any],
    names: Names,
    code: RulesetCode,
    findings: Findings,
) -> None:
    """Note whatever a touched action takes that its resolver does not carry, and figures that contradict each other."""
    own, actions = entries(base, "actions"), entries(merged, "actions")
    types = _types_of(own)
    for key, value in mapping(given.get("actions")).items():
        action, at = actions.get(key), pointer("actions", key)
        if not isinstance(value, Mapping) or action is None:
            continue
        name = action.get("resolver")
        if not isinstance(name, str) or name not in code.resolvers:
            continue
        before = own.get(key)
        if name not in code.open and (before is None or before.get("resolver") != name):
            findings.add(child(at, "resolver"), "resolver_closed", got=name, need=", ".join(sorted(code.open)))
            continue
        patterns = [one for one in own.values() if one.get("resolver") == name]
        if name not in code.open and before is not None:
            patterns = [before]
        tried = [list(_misfits(action, one, types)) for one in patterns or [FREELY]]
        for where, need, got in min(tried, key=len):
            findings.add(at + pointer(*where), "not_carried", got=got, need=need or "-")
        _clashes(action, merged, at, names, code, findings)


def _types_of(actions: Mapping[str, Mapping[str, Any]]) -> dict[str, set[str]]:
    """What is paid for each way to take an action, anywhere in the base."""
    found: dict[str, set[str]] = {}
    for action in actions.values():
        for form, price in mapping(action.get("cost")).items():
            found.setdefault(form, set()).update(mapping(price))
    return found


def _misfits(action: Mapping[str, Any], pattern: Mapping[str, Any], types: Mapping[str, set[str]]) -> Iterator[Misfit]:
    yield from _cost(action, pattern, types)
    yield from _targets(mapping(action.get("targets")) or NOBODY, mapping(pattern.get("targets")) or NOBODY)
    yield from _weapons(mapping(action.get("weapons")), mapping(pattern.get("weapons")))
    needs = [need for _, need in words(pattern.get("needs"))]
    for place, need in words(action.get("needs")):
        if need not in needs:
            yield ("needs", str(place)), ", ".join(needs), need
    yield from _form(mapping(action.get("form")), mapping(pattern.get("form")))


def _cost(action: Mapping[str, Any], pattern: Mapping[str, Any], types: Mapping[str, set[str]]) -> Iterator[Misfit]:
    allowed = mapping(pattern.get("cost")) or types
    for form, price in mapping(action.get("cost")).items():
        if form not in allowed:
            yield ("cost", form), ", ".join(sorted(allowed)), form
            continue
        budgets = {budget for paid in types.values() for budget in paid}
        for budget in mapping(price):
            if budget not in budgets:
                yield ("cost", form, budget), ", ".join(sorted(budgets)), budget


def _targets(targets: Mapping[str, Any], pattern: Mapping[str, Any]) -> Iterator[Misfit]:
    who, needed = str(targets.get("who")), str(pattern.get("who"))
    low, high = number(pattern.get("min", 1)) or 0, number(pattern.get("max", 1)) or 0
    if who == "none" and low == 0:
        return
    if who not in NARROWER.get(needed, ()):
        yield ("targets", "who"), ", ".join(sorted(NARROWER.get(needed, ()))), who
        return
    least, most = number(targets.get("min", 1)), number(targets.get("max", 1))
    if least is not None and least < low:
        yield ("targets", "min"), f"at least {low}", least
    if most is not None and most > high:
        yield ("targets", "max"), f"at most {high}", most
    if targets.get("or_place") is True and pattern.get("or_place") is not True:
        yield ("targets", "or_place"), "false", "true"


def _weapons(weapons: Mapping[str, Any], pattern: Mapping[str, Any]) -> Iterator[Misfit]:
    kinds, known = [kind for _, kind in words(weapons.get("kinds"))], [kind for _, kind in words(pattern.get("kinds"))]
    if known and not kinds:
        yield ("weapons",), ", ".join(known), "nothing"
    for place, kind in enumerate(kinds):
        if kind not in known:
            yield ("weapons", "kinds", str(place)), ", ".join(known), kind
    if weapons.get("second") is True and pattern.get("second") is not True:
        yield ("weapons", "second"), "false", "true"


def _form(form: Mapping[str, Any], pattern: Mapping[str, Any]) -> Iterator[Misfit]:
    for name, field in form.items():
        if name not in pattern:
            yield ("form", name), ", ".join(pattern), name
            continue
        own, given = mapping(pattern[name]), mapping(field)
        if given.get("type") != own.get("type"):
            yield ("form", name, "type"), str(own.get("type")), str(given.get("type"))
        known = [choice for _, choice in words(own.get("choices"))]
        if known and not listed(given.get("choices")):
            yield ("form", name, "choices"), ", ".join(known), "nothing"
        for place, choice in words(given.get("choices")):
            if known and choice not in known:
                yield ("form", name, "choices", str(place)), ", ".join(known), choice
        for word, worse in (("min", -1), ("max", 1)):
            bound, wider = number(own.get(word)), number(given.get(word))
            if bound is not None and (wider is None or (wider - bound) * worse > 0):
                yield ("form", name, word), str(bound), "nothing" if wider is None else wider
    for name, field in pattern.items():
        if mapping(field).get("required") is True and mapping(form.get(name)).get("required") is not True:
            yield ("form", name, "required"), "true", "false"


def _clashes(
    action: Mapping[str, Any],
    merged: Mapping[str, Any],
    at: str,
    names: Names,
    code: RulesetCode,
    findings: Findings,
) -> None:
    name = action["resolver"]
    clashes = code.resolvers[name].clashes
    if clashes is None:
        return
    params = fit(code.resolvers[name].params, action.get("params", {}), "", Findings(), names.known)
    if params is None:
        return
    types, effects = frozenset(mapping(action.get("cost"))), names.by_kind["effect"]
    whole = Whole(at.rpartition("/")[2], types, mapping(merged.get("tables")), effects)
    for clash in clashes(params, whole):
        findings.add(at + pointer("params", *clash.at), clash.code, got=clash.got, need=clash.need)
