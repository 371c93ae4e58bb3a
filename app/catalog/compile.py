"""From a sound document and a ruleset's code to what the engine plays with.

Everything is built from the document in its canonical order, so that two documents with one pin play alike to the last
byte, whatever the order they were written in.
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from app.catalog.armour import flat
from app.catalog.checking import Names, term_of
from app.catalog.document import entries
from app.catalog.findings import Findings, mapping, pointer
from app.catalog.pinning import canonical, pin
from app.catalog.shapes import fit, to_length
from app.catalog.sheets import ranks_in_order
from app.catalog.texts import Texts
from app.engine.asks import Cost
from app.engine.forms import Field, Form
from app.engine.ids import ActionId, ClauseId, CombatantId, Scalar
from app.engine.modifiers import Modifier, Modifiers
from app.engine.reasons import BadRuleset
from app.engine.rules import Action, EffectKind, Figure, Ruleset, RulesetCode, Targets, Weapons
from app.engine.state import Chain, Tick

PROFILES_HELD = 1024
"""Weapon profiles of players' own that are kept decoded."""


def in_canonical_order(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as its canonical text reads."""
    ordered: dict[str, Any] = json.loads(canonical(document))
    return ordered


def compile_ruleset(document: Mapping[str, Any], texts: Texts, code: RulesetCode) -> Ruleset:
    """The ruleset of a document that `checking.check` has passed. Raises `BadRuleset` where it has not."""
    ordered = in_canonical_order(document)
    head = ordered["ruleset"]
    findings = Findings()
    names = Names(ordered, texts)
    forbidden = frozenset(name for name, action in ordered["actions"].items() if action.get("forbidden"))
    actions = {
        name: _action(name, action, code, names, findings, forbidden) for name, action in ordered["actions"].items()
    }
    weapons = {
        name: fit(code.weapon, weapon, pointer("weapons", name), findings, names.known)
        for name, weapon in mapping(ordered.get("weapons")).items()
    }
    tables = fit(code.tables, mapping(ordered.get("tables")), "/tables", findings, names.known)
    if findings:
        raise BadRuleset(findings.told())
    return Ruleset(
        id=head["id"],
        version=head["version"],
        pin=pin(ordered),
        unit=head["unit"],
        metric=head["metric"],
        actions=actions,
        effects={name: _effect(name, effect) for name, effect in ordered["effects"].items()},
        modifiers=Modifiers(_modifier(name, row) for name, row in ordered["modifiers"].items()),
        options={name: option_value(option, option["default"]) for name, option in ordered["options"].items()},
        weapons=weapons,
        armour={name: flat(points) for name, points in entries(ordered, "armour").items()},
        tables=tables,
        skills={name: skill["stat"] for name, skill in entries(ordered["stats"], "skills").items()},
        ranks=ranks_in_order(ordered),
        untrained=_untrained(ordered),
        turns=code.turns,
        handlers=code.handlers,
        kinds=head["kinds"],
        alone=frozenset(head["alone"]),
        to_fill_in=frozenset(("missing_input", *head.get("to_fill_in", ()))),
        order={reason: place for place, reason in enumerate(head.get("order", ()))},
        general={reason: ClauseId(clause) for reason, clause in head["general"].items()},
        make_weapon=weapon_maker(code),
        body_extra=code.body_extra,
        pools=code.pools,
        harm=code.harm,
        budgets=code.budgets,
        prepare=code.prepare,
        fits=code.fits,
        check_chance=code.check_chance,
        planned={ActionId(name): ClauseId(clause) for name, clause in head.get("planned", {}).items()},
        add_effect=code.add_effect,
        add_for_rounds=code.add_for_rounds,
        set_pool=code.set_pool,
        chance_among=code.chance_among,
        sums_hold_others=code.sums_hold_others,
        end_effect=code.end_effect,
        leaving=code.leaving,
        set_status=code.set_status,
        moved=code.moved,
        least=code.least,
        questions=code.questions,
        own_misfits=code.misfits,
        turn_limit=code.turn_limit,
        vocabulary=replace(code.vocabulary(tables), locations=tuple(entries(ordered["stats"], "locations"))),
        document=ordered,
    )


def _untrained(document: Mapping[str, Any]) -> dict[str, tuple[str, int]]:
    skills = entries(document["stats"], "skills").items()
    given = ((name, skill.get("untrained")) for name, skill in skills)
    return {name: (one["stat"], one["modifier"]) for name, one in given if one is not None}


def weapon_maker(code: RulesetCode) -> Callable[[str], Any]:
    """Decodes the JSON text of a profile as it stands in the state, with lengths in hundredths; each text once."""
    decoder = msgspec.json.Decoder(code.weapon)
    return lru_cache(maxsize=PROFILES_HELD)(decoder.decode)


def _action(
    name: str,
    action: Mapping[str, Any],
    code: RulesetCode,
    names: Names,
    findings: Findings,
    forbidden: frozenset[str] = frozenset(),
) -> Action:
    resolver = code.resolvers[action["resolver"]]
    costs = {form: tuple(Cost(*price) for price in prices.items()) for form, prices in action["cost"].items()}
    targets = action.get("targets")
    weapons = action.get("weapons") or {"kinds": []}
    return Action(
        id=ActionId(name),
        costs=costs,
        default_type=action.get("default_type") or next(iter(costs)),
        tags=frozenset(action.get("tags", ())),
        targets=Targets() if targets is None else _targets(targets),
        weapons=Weapons(tuple(weapons["kinds"]), weapons.get("second", False), weapons.get("required", False)),
        form=_allowed(form_of(action.get("form", {})), forbidden),
        params=fit(
            resolver.params, action.get("params", {}), pointer("actions", name, "params"), findings, names.known
        ),
        clauses=tuple(ClauseId(clause) for clause in action["clauses"]),
        check=resolver.check,
        resolve=resolver.resolve,
        needs=frozenset(action.get("needs", ())),
        forbids=frozenset(action.get("forbids", ())),
        listed=action.get("listed", True),
        forbidden=action.get("forbidden", False),
        before=resolver.before,
        type_for=resolver.type_for,
        becomes=resolver.becomes,
        chance=resolver.chance,
        extent=resolver.extent,
    )


def _allowed(form: Form, forbidden: frozenset[str]) -> Form:
    """The form without the choices that are actions which nobody may take; a field keeps them where it has no other."""
    return tuple(
        replace(field, choices=tuple(one for one in field.choices if one not in forbidden) or field.choices)
        if field.type in ("word", "words") and forbidden.intersection(field.choices)
        else field
        for field in form
    )


def _targets(targets: Mapping[str, Any]) -> Targets:
    nobody = targets["who"] == "none"
    most = 0 if nobody else targets.get("max", 1)
    return Targets(targets["who"], 0 if nobody else targets.get("min", 1), most, targets.get("or_place", False))


def form_of(fields: Mapping[str, Mapping[str, Any]]) -> Form:
    """The engine's form of one in the data."""
    return tuple(_field(name, field) for name, field in fields.items())


def _field(name: str, field: Mapping[str, Any]) -> Field:
    low, high = field.get("min"), field.get("max")
    if field["type"] == "length":
        low, high = (None if bound is None else to_length(bound) for bound in (low, high))
    clause = field.get("clause")
    return Field(
        name=name,
        type=field["type"],
        required=field.get("required", False),
        choices=tuple(field.get("choices", ())),
        minimum=low,
        maximum=high,
        total=field.get("total"),
        title=field.get("title"),
        clause=None if clause is None else ClauseId(clause),
        gm=field.get("gm", False),
        of=field.get("of"),
    )


def _effect(name: str, effect: Mapping[str, Any]) -> EffectKind:
    value = effect.get("value")
    return EffectKind(
        id=name,
        clause=ClauseId(effect["clause"]),
        until=tuple(_chain(chain) for chain in effect.get("until", ())),
        active_after=_chain(effect.get("active_after", ())),
        rank=effect.get("rank", 0),
        stacks=effect.get("stacks", False),
        hidden=effect.get("hidden", False),
        value=None if value is None else Figure(value["min"], value["max"], value.get("default")),
        against=effect.get("against", "none"),
        rounds=effect.get("rounds", True),
        ruled=effect.get("ruled", True),
    )


def _chain(ticks: Any) -> Chain:
    return tuple(Tick(tick["at"], _role(tick, "who"), _role(tick, "against"), tick.get("times", 1)) for tick in ticks)


def _role(tick: Mapping[str, Any], field: str) -> CombatantId | None:
    role = tick.get(field)
    return None if role is None else CombatantId(role)


def _modifier(name: str, row: Mapping[str, Any]) -> Modifier:
    when = row.get("when", {})
    return Modifier(
        id=name,
        term=term_of(name, row),
        stage=row["stage"],
        value=row["value"],
        clause=ClauseId(row["clause"]),
        all=frozenset(when.get("all", ())),
        any=frozenset(when.get("any", ())),
        without=frozenset(when.get("not", ())),
        scale=row.get("scale"),
    )


def option_value(option: Mapping[str, Any], value: Any) -> Scalar | tuple[str, ...]:
    """An option's value as the engine holds it: lengths in hundredths, `none` as None, lists in the choices' order."""
    match option["kind"]:
        case "length":
            return to_length(value)
        case "list":
            return tuple(choice for choice in option["choices"] if choice in value)
        case "optional_whole":
            return None if value in ("none", None) else int(value)
        case _:
            held: Scalar = value
            return held
