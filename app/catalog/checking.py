"""A whole document judged: its shape, what its parts say of each other, what the code makes of them, and its names.

Every source of findings runs, none stops the next, and all of them look at plain data: a document with one wrong figure
still tells everything else that is wrong with it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from app.catalog.armour import GENERAL
from app.catalog.conforming import check_shape
from app.catalog.document import OPTIONAL, SECTIONS, TEXTS, entries
from app.catalog.findings import Findings, child, listed, mapping, number, pointer, words
from app.catalog.shapes import fit, to_length
from app.catalog.sheets import OWN, ItemReader, SheetReader
from app.catalog.texts import Texts, check_choice, check_texts
from app.engine.rules import RulesetCode

ENGINE_REASONS = frozenset(
    {
        "decision_pending",
        "die_out_of_range",
        "encounter_already_started",
        "encounter_not_running",
        "invalid_option_value",
        "invalid_target",
        "item_not_carried",
        "missing_input",
        "no_combatants",
        "not_supported_yet",
        "option_locked",
        "roll_pending",
        "too_many_targets",
        "unused_input",
        "unknown_action",
        "unknown_combatant",
        "unknown_effect",
        "unknown_option",
        "unknown_option_key",
        "unknown_resource",
        "wrong_action_type",
    }
)
"""Refusals that come from outside a ruleset's own code; each needs a clause of the ruleset under `general`."""
MAY_LACK = frozenset({"roll_pending"})
"""Those that a game may have no word for: an awaited roll is an awaited decision then."""
OF_AN_ACTION = frozenset({"forbidden_by_house_rules"})
"""Those that cite the action's own clause. No document needs them: one may have been stored before they came."""
GIVEN = "given."
"""Beginning of the tag of a modifier that somebody states."""
EFFECT_ROLES = ("actor", "target")


class Names:
    """Everything a document declares, by kind."""

    def __init__(self, document: Mapping[str, Any], texts: Texts) -> None:
        stats, head = mapping(document.get("stats")), mapping(document.get("ruleset"))
        modifiers = entries(document, "modifiers")
        figures = entries(stats, "figures")
        self.by_kind: dict[str, frozenset[str]] = {
            "action": frozenset(mapping(document.get("actions"))),
            "planned": frozenset(mapping(head.get("planned"))),
            "effect": frozenset(mapping(document.get("effects"))),
            "modifier": frozenset({*modifiers, *(term_of(name, row) for name, row in modifiers.items())}),
            "option": frozenset(mapping(document.get("options"))),
            "weapon": frozenset(mapping(document.get("weapons"))),
            "armour": frozenset(mapping(document.get("armour"))),
            "quality": frozenset(mapping(document.get("qualities"))),
            "sample": frozenset(mapping(document.get("samples"))),
            "figure": frozenset(figures),
            "characteristic": frozenset(n for n, one in figures.items() if one.get("kind") == "characteristic"),
            "stat": frozenset({*figures, *mapping(stats.get("derived"))}),
            "skill": frozenset(mapping(stats.get("skills"))),
            "rank": frozenset(mapping(stats.get("ranks"))),
            "trait": frozenset(mapping(stats.get("traits"))),
            "damage_type": frozenset(one for _, one in words(mapping(stats.get("armour")).get("types"))),
            "location": frozenset(mapping(stats.get("locations"))),
            "part": frozenset(str(one.get("part")) for one in entries(stats, "locations").values()),
            "resource": frozenset(mapping(stats.get("resources"))),
            "budget": frozenset(mapping(stats.get("budgets"))),
            "reason": frozenset(mapping(head.get("kinds"))),
            "clause": frozenset(texts.clauses),
        }

    def known(self, kind: str, name: str) -> bool:
        """Whether something of this kind has this name."""
        return name in self.by_kind.get(kind, ())

    def need(self, kind: str, name: Any, at: str, findings: Findings) -> None:
        """Note a name that nothing of its kind has. What is no text at all has been found elsewhere."""
        if isinstance(name, str) and not self.known(kind, name):
            findings.unknown(at, kind, name, self.by_kind.get(kind, ()))


def check(document: Mapping[str, Any], texts: Texts, code: RulesetCode | None, findings: Findings) -> None:
    """Note everything that is wrong with a ruleset. Without its code, what only the code knows is left out."""
    for section in SECTIONS:
        if section not in OPTIONAL and section not in document and not findings.has(child("", section)):
            findings.add(child("", section), "missing", got=section)
    check_shape(document, SECTIONS, findings)
    check_shape({"clauses": texts.clauses, "locale": texts.locale}, TEXTS, findings)
    names = Names(document, texts)
    _clauses(document, "", names, findings)
    _head(document, names, findings)
    _stats(document, names, findings)
    _actions(document, names, code, findings)
    _effects(document, code, findings)
    _modifiers(document, code, findings)
    _options(document, findings)
    _weapons(document, names, code, findings)
    _armour(document, names, findings)
    _samples(document, names, code, findings)
    needed = [*_names_needed(document)]
    if code is not None:
        tables = fit(code.tables, mapping(document.get("tables")), "/tables", findings, names.known)
        needed += (("question", kind) for kind in code.questions)
        needed += [] if tables is None else _words_of_space(code, tables)
    check_texts(texts, needed, findings)
    for field, choice in _choices(document):
        check_choice(texts, field, choice, findings)


def term_of(name: str, row: Mapping[str, Any]) -> str:
    """The name under which a modifier is shown."""
    term = row.get("term")
    return term if isinstance(term, str) else name


def given_by(row: Mapping[str, Any]) -> Iterator[str]:
    """What somebody may state to make a modifier count. Each needs a name, which is what finds a slip of the pen."""
    for group in ("all", "any", "not"):
        for _, tag in words(mapping(row.get("when")).get(group)):
            if tag.startswith(GIVEN):
                yield tag.removeprefix(GIVEN)


def _clauses(value: Any, at: str, names: Names, findings: Findings) -> None:
    """Every `clause` and `clauses` anywhere names one that exists."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            place = child(at, key)
            if key == "clause":
                names.need("clause", one, place, findings)
            elif key == "clauses":
                for index, clause in words(one):
                    names.need("clause", clause, child(place, index), findings)
            _clauses(one, place, names, findings)
    elif isinstance(value, list):
        for index, one in enumerate(value):
            _clauses(one, child(at, index), names, findings)


def _head(document: Mapping[str, Any], names: Names, findings: Findings) -> None:
    head = mapping(document.get("ruleset"))
    for field in ("alone", "order", "to_fill_in"):
        for index, code in words(head.get(field)):
            clause, _, reason = code.rpartition(":")
            names.need("reason", reason, pointer("ruleset", field, index), findings)
            if clause:
                names.need("clause", clause, pointer("ruleset", field, index), findings)
    general = mapping(head.get("general"))
    for code, clause in general.items():
        names.need("reason", code, pointer("ruleset", "general", code), findings)
        names.need("clause", clause, pointer("ruleset", "general", code), findings)
    for code in sorted(ENGINE_REASONS - MAY_LACK - set(general)):
        findings.add(pointer("ruleset", "general", code), "missing", got=code)
    for code in sorted(ENGINE_REASONS - (MAY_LACK - set(general)) - names.by_kind["reason"]):
        findings.add(pointer("ruleset", "kinds", code), "missing", got=code)
    for action, clause in mapping(head.get("planned")).items():
        place = pointer("ruleset", "planned", action)
        names.need("clause", clause, place, findings)
        if names.known("action", action):
            findings.add(place, "given_and_planned", got=action)


def _stats(document: Mapping[str, Any], names: Names, findings: Findings) -> None:
    stats = mapping(document.get("stats"))
    for name, figure in entries(stats, "figures").items():
        _figure(figure, pointer("stats", "figures", name), findings)
        if name in OWN:
            findings.add(pointer("stats", "figures", name), "contradiction", got=f"{name} is another field of a sheet")
    for name, skill in entries(stats, "skills").items():
        at = pointer("stats", "skills", name)
        names.need("characteristic", skill.get("stat"), child(at, "stat"), findings)
        untrained = mapping(skill.get("untrained"))
        names.need("characteristic", untrained.get("stat"), child(child(at, "untrained"), "stat"), findings)
    _levels(stats, findings)
    for name, talent in entries(stats, "traits").items():
        _talent(talent, pointer("stats", "traits", name), findings)
    armour = mapping(stats.get("armour"))
    if armour:
        names.need("armour", armour.get("default"), "/stats/armour/default", findings)
        _ordered(armour, "min", "max", "/stats/armour", findings)
        for index, kind in words(armour.get("types")):
            if kind == GENERAL:
                told = f"{GENERAL} are the points against any damage"
                findings.add(pointer("stats", "armour", "types", index), "contradiction", got=told)
    for name, resource in entries(stats, "resources").items():
        names.need("figure", resource.get("max"), pointer("stats", "resources", name, "max"), findings)


def _figure(figure: Mapping[str, Any], at: str, findings: Findings) -> None:
    _within(figure, at, findings)
    if figure.get("kind") == "word" and figure.get("default") not in (None, *listed(figure.get("choices"))):
        findings.none_of(child(at, "default"), figure["default"], listed(figure.get("choices")), "default_not_offered")
    if figure.get("optional") is True and figure.get("default") is not None:
        told = "a figure that may be left out has no default"
        findings.add(child(at, "optional"), "contradiction", got=told)
    if figure.get("kind") != "decimal":
        return
    step, default = to_length(figure.get("step")), to_length(figure.get("default"))
    if step is not None and step <= 0:
        findings.add(child(at, "step"), "out_of_bounds", got=figure["step"], need="more than 0")
    elif step and default is not None and default % step:
        findings.add(child(at, "default"), "out_of_step", got=figure["default"], need=figure["step"])


def _levels(stats: Mapping[str, Any], findings: Findings) -> None:
    """Skills have ranks or levels, never both."""
    levels = stats.get("levels")
    if stats.get("skills") and not stats.get("ranks") and levels is None:
        findings.add("/stats/ranks", "missing", got="ranks")
    if levels is None:
        return
    if stats.get("ranks"):
        findings.add("/stats/levels", "contradiction", got="skills have ranks or levels, not both")
    _within(mapping(levels), "/stats/levels", findings)
    if mapping(levels).get("defaults") is True and number(mapping(levels).get("default")) is not None:
        told = "where every skill has a level, none is used without one"
        findings.add("/stats/levels/defaults", "contradiction", got=told)


def _talent(talent: Mapping[str, Any], at: str, findings: Findings) -> None:
    _ordered(talent, "min", "max", at, findings)
    for bound in ("min", "max"):
        if talent.get("figure") is True and talent.get(bound) is None:
            findings.add(child(at, bound), "missing", got=bound)
        elif talent.get("figure") is not True and talent.get(bound) is not None:
            findings.add(child(at, bound), "contradiction", got="a talent without a figure has no bounds")


def _ordered(entry: Mapping[str, Any], low: str, high: str, at: str, findings: Findings) -> None:
    least, most = number(entry.get(low)), number(entry.get(high))
    if least is not None and most is not None and least > most:
        findings.add(child(at, high), "contradiction", got=f"{high} ({most}) is less than {low} ({least})")


def _within(entry: Mapping[str, Any], at: str, findings: Findings) -> None:
    """`default` lies between `min` and `max`, and these are in order."""
    _ordered(entry, "min", "max", at, findings)
    default, low, high = (number(entry.get(key)) for key in ("default", "min", "max"))
    if default is not None and low is not None and high is not None and not low <= default <= high:
        findings.add(child(at, "default"), "out_of_bounds", got=default, need=f"{low} to {high}")


def _actions(document: Mapping[str, Any], names: Names, code: RulesetCode | None, findings: Findings) -> None:
    for name, action in entries(document, "actions").items():
        at = pointer("actions", name)
        costs = mapping(action.get("cost"))
        for form, price in costs.items():
            for budget in mapping(price):
                kind = "resource" if names.known("resource", budget) else "budget"
                names.need(kind, budget, child(child(child(at, "cost"), form), budget), findings)
        default = action.get("default_type")
        if default is None and len(costs) > 1:
            findings.add(child(at, "default_type"), "no_default_type", need=", ".join(sorted(costs)))
        elif isinstance(default, str) and default not in costs:
            findings.none_of(child(at, "default_type"), default, sorted(costs))
        _targets(mapping(action.get("targets")), child(at, "targets"), findings)
        for field, form_field in entries(action, "form").items():
            _ordered(form_field, "min", "max", child(child(at, "form"), field), findings)
        resolver, params = action.get("resolver"), action.get("params", {})
        if code is None or not isinstance(resolver, str) or not isinstance(params, Mapping):
            continue
        if resolver not in code.resolvers:
            findings.none_of(child(at, "resolver"), resolver, sorted(code.resolvers), "unknown_kind")
            continue
        fit(code.resolvers[resolver].params, params, child(at, "params"), findings, names.known)


def _targets(targets: Mapping[str, Any], at: str, findings: Findings) -> None:
    if not targets:
        return
    who, most = targets.get("who"), targets.get("max", 1)
    _ordered({"min": 1, "max": 1, **targets}, "min", "max", at, findings)
    if who == "none" and most:
        findings.add(child(at, "max"), "contradiction", got="an action aimed at nobody has no targets")
    elif who in ("enemy", "other", "any", "self") and not most:
        findings.add(child(at, "max"), "contradiction", got="an action with targets may have at least one")


def tags_of(document: Mapping[str, Any], code: RulesetCode) -> frozenset[str]:
    """Every tag that something sets: the code's own, and those named after what the document declares."""
    tags = set(code.tags)
    for effect in mapping(document.get("effects")):
        tags.update(f"{role}.{effect}" for role in EFFECT_ROLES)
    for name, action in entries(document, "actions").items():
        tags.add(f"act.{name}")
        tags.update(tag for _, tag in words(action.get("tags")))
        for field, form_field in entries(action, "form").items():
            tags.add(f"form.{field}")
            tags.update(f"form.{field}.{choice}" for _, choice in words(form_field.get("choices")))
    for row in entries(document, "modifiers").values():
        tags.update(f"{GIVEN}{given}" for given in given_by(row))
    tags.update(f"quality.{quality}" for quality in mapping(document.get("qualities")))
    tags.update(f"trait.{trait}" for trait in mapping(mapping(document.get("stats")).get("traits")))
    for name, option in entries(document, "options").items():
        tags.add(f"option.{name}")
        tags.update(f"option.{name}.{choice}" for _, choice in words(option.get("choices")))
    return frozenset(tags)


def _effects(document: Mapping[str, Any], code: RulesetCode | None, findings: Findings) -> None:
    for name, effect in entries(document, "effects").items():
        _within(mapping(effect.get("value")), pointer("effects", name, "value"), findings)
    if code is None or not code.moments:
        return
    for name, effect in entries(document, "effects").items():
        chains = [("until", chain) for chain in listed(effect.get("until"))]
        chains.append(("active_after", effect.get("active_after")))
        for place, (field, chain) in enumerate(chains):
            at = pointer("effects", name, field)
            at = child(at, place) if field == "until" else at
            for index, tick in enumerate(listed(chain)):
                moment = mapping(tick).get("at")
                if isinstance(moment, str) and moment not in code.moments:
                    findings.unknown(child(child(at, index), "at"), "moment", moment, code.moments)


def _modifiers(document: Mapping[str, Any], code: RulesetCode | None, findings: Findings) -> None:
    if code is None:
        return
    tags = tags_of(document, code)
    for name, row in entries(document, "modifiers").items():
        stage = row.get("stage")
        if code.stages and isinstance(stage, str) and stage not in code.stages:
            findings.unknown(pointer("modifiers", name, "stage"), "stage", stage, code.stages)
        when = mapping(row.get("when"))
        for group in ("all", "any", "not"):
            for index, tag in words(when.get(group)):
                if tag not in tags:
                    at = pointer("modifiers", name, "when", group, index)
                    findings.unknown(at, "tag", tag, tags, "unknown_tag")


def _options(document: Mapping[str, Any], findings: Findings) -> None:
    for name, option in entries(document, "options").items():
        at = pointer("options", name)
        _within(option, at, findings)
        choices = [choice for _, choice in words(option.get("choices"))]
        if option.get("kind") == "choice" and isinstance(option.get("default"), str) and choices:
            if option["default"] not in choices:
                findings.none_of(child(at, "default"), option["default"], choices, "default_not_offered")
        elif option.get("kind") == "list":
            for index, one in words(option.get("default")):
                if one not in choices:
                    findings.none_of(child(child(at, "default"), index), one, choices, "default_not_offered")


def _weapons(document: Mapping[str, Any], names: Names, code: RulesetCode | None, findings: Findings) -> None:
    for name, weapon in entries(document, "weapons").items():
        check_weapon(document, weapon, pointer("weapons", name), names, code, findings)


def check_weapon(
    document: Mapping[str, Any], weapon: Any, at: str, names: Names, code: RulesetCode | None, findings: Findings
) -> Any:
    """The profile as the code's Struct, None with findings. Qualities are known, with a figure where they have one."""
    made = None if code is None else fit(code.weapon, weapon, at, findings, names.known)
    declared = entries(document, "qualities")
    for quality, figure in mapping(mapping(weapon).get("qualities")).items():
        place = child(child(at, "qualities"), quality)
        if quality not in declared:
            findings.unknown(place, "quality", str(quality), declared)
        elif declared[quality].get("figure") and (isinstance(figure, bool) or not isinstance(figure, int)):
            findings.add(place, "quality_figure", got=quality, need="a whole number")
        elif not declared[quality].get("figure") and figure is not True:
            findings.add(place, "quality_figure", got=quality, need="no figure, only true")
    return made


def _armour(document: Mapping[str, Any], names: Names, findings: Findings) -> None:
    high = number(mapping(mapping(document.get("stats")).get("armour")).get("max"))
    for name, points in entries(document, "armour").items():
        for location, given in points.items():
            at = pointer("armour", name, location)
            names.need("location", location, at, findings)
            values = {at: given} | {child(at, kind): one for kind, one in mapping(given).items()}
            for place, one in values.items():
                value = number(one)
                if value is not None and high is not None and value > high:
                    findings.add(place, "out_of_bounds", got=value, need=f"at most {high}")
            for kind in mapping(given):
                if kind != GENERAL:
                    names.need("damage_type", kind, child(at, kind), findings)


def _samples(document: Mapping[str, Any], names: Names, code: RulesetCode | None, findings: Findings) -> None:
    sheets = SheetReader(document)

    def custom(profile: Any, at: str, found: Findings) -> str:
        made = check_weapon(document, profile, at, names, code, found)
        return "" if made is None else msgspec.json.encode(made).decode()

    items = ItemReader(names.known, custom)
    for name, sample in entries(document, "samples").items():
        at = pointer("samples", name)
        if "sheet" in sample:
            sheets.read(sample["sheet"], child(at, "sheet"), findings)
        for item, wire in mapping(sample.get("items")).items():
            items.read(wire, child(child(at, "items"), item), findings)


def _names_needed(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(kind, id) of everything that must have a name in every language."""
    stats, head = mapping(document.get("stats")), mapping(document.get("ruleset"))
    sections: Iterable[tuple[str, Any]] = (
        ("action", document.get("actions")),
        ("action", head.get("planned")),
        ("effect", document.get("effects")),
        ("option", document.get("options")),
        ("weapon", document.get("weapons")),
        ("quality", document.get("qualities")),
        ("armour", document.get("armour")),
        ("sample", document.get("samples")),
        ("stat", stats.get("figures")),
        ("stat", stats.get("derived")),
        ("skill", stats.get("skills")),
        ("rank", stats.get("ranks")),
        ("trait", stats.get("traits")),
        ("location", stats.get("locations")),
        ("resource", stats.get("resources")),
        ("budget", stats.get("budgets")),
        ("reason", head.get("kinds")),
    )
    for kind, section in sections:
        for name in mapping(section):
            yield kind, str(name)
    if isinstance(head.get("unit"), str):
        yield "unit", head["unit"]
    for _, name in words(mapping(stats.get("armour")).get("types")):
        yield "damage_type", name
    for name, row in entries(document, "modifiers").items():
        yield "modifier", term_of(name, row)
        for given in given_by(row):
            yield "modifier", given
    for action in entries(document, "actions").values():
        for form in mapping(action.get("cost")):
            yield "action_type", str(form)
        for _, tag in words(action.get("tags")):
            yield "tag", tag
        for field, form_field in entries(action, "form").items():
            yield "field", str(form_field.get("title", field))


def _words_of_space(code: RulesetCode, tables: Any) -> Iterator[tuple[str, str]]:
    words_ = code.vocabulary(tables)
    yield from (("band", band) for band in words_.bands)
    yield from (("arc", arc) for arc in words_.arcs)
    yield from (("region", kind) for kind in (*words_.air, *words_.ground))
    yield from (("cover_rating", rating) for rating in words_.cover_ratings)


def _choices(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, figure in entries(mapping(document.get("stats")), "figures").items():
        for _, choice in words(figure.get("choices")):
            yield name, choice
    for action in entries(document, "actions").values():
        for field, form_field in entries(action, "form").items():
            for _, choice in words(form_field.get("choices")):
                yield str(form_field.get("title", field)), choice
