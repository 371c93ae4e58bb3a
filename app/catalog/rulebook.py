"""One ruleset with everything beside its engine form: names, texts, sheets, schemas, and views for readers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from app.catalog import schemas
from app.catalog.checking import Names, check_weapon, given_by
from app.catalog.document import entries
from app.catalog.findings import Findings, Unfit, child, mapping, number
from app.catalog.options import options_in_force, read_options, write_option
from app.catalog.shapes import json_schema
from app.catalog.shapes import wire as wire_of
from app.catalog.sheets import ItemReader, SheetReader
from app.catalog.texts import Clause, Texts
from app.engine.forms import Form
from app.engine.ids import CombatantId, Scalar
from app.engine.rules import Ruleset, RulesetCode
from app.engine.state import Combatant, Item, Sheet

_OF_EFFECTS = ("clause", "value", "against", "rounds", "ruled")
"""What a reader is told of an effect beside its name: what a ruling that begins it takes."""
View = dict[str, Any]
"""Plain data for a reader: what a front end needs to draw something."""


@dataclass(frozen=True, eq=False)
class Rulebook:
    """A ruleset as the services use it. Immutable; what it hands out is made afresh or never changed."""

    ruleset: Ruleset
    texts: Texts
    code: RulesetCode

    @property
    def id(self) -> str:
        """The ruleset's id."""
        return self.ruleset.id

    @property
    def document(self) -> Mapping[str, Any]:
        """The document it was compiled from, in canonical order; its lengths are decimals."""
        return self.ruleset.document

    def name(self, kind: str, key: str, language: str) -> str:
        """The name of something (`name("effect", "prone", "pl")`), its id where it has none."""
        return self.texts.name(kind, key, language)

    def choice(self, of: str, choice: str, language: str) -> str:
        """The name of an option of a question or of a choice in a form field called `of`."""
        return self.texts.choice(of, choice, language) or choice

    def clause(self, clause: str, language: str) -> Clause | None:
        """What a clause says, None if there is none of that id."""
        return self.texts.clause(clause, language)

    def message(self, code: str, language: str, *, plain: bool = False) -> str | None:
        """Template of a refusal's message with `{need}`, `{got}`, `{names}`, `{at}`; `plain` is one without any."""
        return self.texts.message(code, language, plain=plain)

    @cached_property
    def _names(self) -> Names:
        return Names(self.document, self.texts)

    @cached_property
    def _sheets(self) -> SheetReader:
        return SheetReader(self.document)

    @cached_property
    def _items(self) -> ItemReader:
        return ItemReader(self._names.known, self._custom)

    def read_sheet(self, wire: Mapping[str, Any], at: str = "") -> Sheet:
        """A sheet as a client sends it. Raises `Unfit` with everything that is wrong with it, places below `at`."""
        findings = Findings()
        sheet = self._sheets.read(wire, at, findings)
        if findings:
            raise Unfit(findings)
        return sheet

    def write_sheet(self, sheet: Sheet) -> dict[str, Any]:
        """A sheet as a client sends it, every figure present that it has."""
        return self._sheets.write(sheet)

    def least(self, resource: str) -> int:
        """The least that a resource can be."""
        bound: int = entries(self.document["stats"], "resources").get(resource, {}).get("min", 0)
        return bound

    def read_items(self, wire: Mapping[str, Any], at: str = "") -> dict[str, Item]:
        """Items by id, as a client sends them. Raises `Unfit`."""
        findings = Findings()
        items = {name: self._items.read(one, child(at, name), findings) for name, one in wire.items()}
        if findings:
            raise Unfit(findings)
        return items

    def read_item(self, wire: Mapping[str, Any], at: str = "") -> Item:
        """One item. Raises `Unfit`."""
        findings = Findings()
        item = self._items.read(wire, at, findings)
        if findings:
            raise Unfit(findings)
        return item

    def write_item(self, item: Item) -> dict[str, Any]:
        """An item as a client sends it; a profile of its own is written out, its lengths as decimals."""
        made: dict[str, Any] = {"kind": item.kind, "held": item.held, "count": item.count, "marks": dict(item.marks)}
        made["on_ground"] = item.on_ground
        made["custom"] = None if item.custom is None else wire_of(self.ruleset.make_weapon(item.custom))
        return made

    def read_weapon(self, wire: Mapping[str, Any], at: str = "") -> str:
        """A weapon's profile as the JSON text that the state keeps (lengths in hundredths). Raises `Unfit`."""
        findings = Findings()
        text = self._custom(wire, at, findings)
        if findings:
            raise Unfit(findings)
        return text

    def _custom(self, wire: Any, at: str, findings: Findings) -> str:
        made = check_weapon(self.document, wire, at, self._names, self.code, findings)
        return "" if made is None else msgspec.json.encode(made, order="sorted").decode()

    def read_options(self, wire: Mapping[str, Any], at: str = "/options") -> dict[str, Scalar | tuple[str, ...]]:
        """House-rule options that differ from the ruleset's own. Raises `Refused`."""
        return read_options(self.ruleset, wire, at)

    def write_options(self, changed: Mapping[str, Any]) -> dict[str, Any]:
        """Every option with its value in force, in wire form."""
        return options_in_force(self.ruleset, changed)

    def sample(self, sample: str, combatant: CombatantId, side: str, name: str) -> Combatant | None:
        """A ready combatant under an id, side and name of its own, not yet prepared; None for an unknown sample."""
        wire = entries(self.document, "samples").get(sample)
        if wire is None:
            return None
        return Combatant(
            id=combatant,
            name=name,
            side=side,
            sheet=self.read_sheet(wire["sheet"]),
            items=self.read_items(wire.get("items", {})),
            sample=sample,
        )

    @cached_property
    def _forms(self) -> dict[tuple[str, str], View]:
        return {}

    def action_form_schema(self, action: str, language: str) -> View:
        """JSON Schema of an action's `options`. Raises `KeyError` for an action that is not there."""
        form = self.ruleset.actions[action].form
        found = self._forms.get((action, language))
        if found is None:
            title = self.name("action", action, language)
            found = {"$schema": schemas.DIALECT, "title": title, **self.form_schema(form, language)}
            self._forms[action, language] = found
        return found

    def form_schema(self, form: Form, language: str) -> View:
        """JSON Schema of the form of an open question's option."""
        return schemas.form_schema(form, self.texts, language)

    def sheet_schema(self, language: str) -> View:
        """JSON Schema of a sheet."""
        return schemas.sheet_schema(self.document, self.texts, language)

    def options_schema(self, language: str) -> View:
        """JSON Schema of an encounter's house-rule options."""
        return schemas.options_schema(self.document, self.texts, language)

    def weapon_schema(self) -> View:
        """JSON Schema of a weapon's own profile."""
        return {"$schema": schemas.DIALECT, **json_schema(self.code.weapon)}

    def document_schema(self) -> View:
        """JSON Schema of the whole document."""
        return schemas.document_schema(self.code)

    def summary(self, language: str) -> View:
        """One line of the list of rulesets."""
        rules, title = self.ruleset, self.document["ruleset"]["title"]
        return {
            "id": rules.id,
            "version": rules.version,
            "pin": rules.pin,
            "title": title.get(language) or title["en"],
            "unit": rules.unit,
            "unit_name": self.name("unit", rules.unit, language),
            "metric": rules.metric,
        }

    def describe_ruleset(self, language: str) -> View:
        """Everything a front end needs to know of a ruleset to build a sheet editor and action forms."""
        stats = self.document["stats"]
        made: View = {
            **self.summary(language),
            "actions": [
                self.describe_action(key, language)
                for key, action in self.ruleset.actions.items()
                if not action.forbidden
            ],
            "planned": [
                self._named("action", action, language) | {"clause": clause}
                for action, clause in self.ruleset.planned.items()
            ],
            "stats": self._cited("stat", stats.get("figures"), language),
            "derived": self._cited("stat", stats.get("derived"), language),
            "skills": self._cited("skill", stats.get("skills"), language),
            "ranks": [
                self._named("rank", rank, language) | {"value": value} for rank, value in self.ruleset.ranks.items()
            ],
            "talents": self._cited("trait", stats.get("traits"), language),
            "locations": self._cited("location", stats.get("locations"), language),
            "resources": self._cited("resource", stats.get("resources"), language),
            "budgets": self._cited("budget", stats.get("budgets"), language),
            "effects": self._cited("effect", self.document["effects"], language, only=_OF_EFFECTS),
            "qualities": self._cited("quality", self.document.get("qualities"), language),
            "weapons": [
                self._named("weapon", weapon, language) | {"profile": dict(profile)}
                for weapon, profile in entries(self.document, "weapons").items()
            ],
            "armour": [
                self._named("armour", armour, language) | {"points": dict(points)}
                for armour, points in entries(self.document, "armour").items()
            ],
            "samples": [
                self._named("sample", sample, language) | {"sheet": wire["sheet"], "items": wire.get("items", {})}
                for sample, wire in entries(self.document, "samples").items()
            ],
            "modifiers": self._cited("modifier", self.given_modifiers, language),
            "questions": [
                self._named("question", kind, language) | {"asked": whom}
                for kind, whom in sorted(self.ruleset.questions.items())
            ],
            "bands": self._all_named("band", self.ruleset.vocabulary.bands, language),
            "arcs": self._all_named("arc", self.ruleset.vocabulary.arcs, language),
            "air": self._all_named("region", self.ruleset.vocabulary.air, language),
            "ground": self._all_named("region", self.ruleset.vocabulary.ground, language),
            "marks": self._all_named("mark", self.texts.keys("mark"), language),
            "cover_ratings": self._all_named("cover_rating", self.ruleset.vocabulary.cover_ratings, language),
            "options": self.describe_options({}, language),
        }
        if stats.get("levels") is not None:
            levels = {"defaults": False, **stats["levels"]}
            made["levels"] = levels | {"default": number(levels.get("default"))}
        types = mapping(stats.get("armour")).get("types")
        if types:
            made["damage_types"] = self._all_named("damage_type", types, language)
        return made

    def describe_options(self, changed: Mapping[str, Any], language: str) -> list[View]:
        """House-rule options with the value in force where an encounter changed some of them."""
        made: list[View] = []
        for key, option in entries(self.document, "options").items():
            value = changed.get(key, self.ruleset.options[key])
            made.append(
                self._named("option", key, language)
                | {
                    "kind": option["kind"],
                    "value": write_option(self.ruleset, key, value),
                    "default": option["default"],
                    "choices": [
                        {"id": choice, "name": self.choice("option", choice, language)}
                        for choice in option.get("choices", ())
                    ],
                    "min": option.get("min"),
                    "max": option.get("max"),
                    "clause": option["clause"],
                }
            )
        return made

    def describe_action(self, action: str, language: str) -> View:
        """One action: its price by type, subtypes, whom and what it takes. Raises `KeyError`."""
        found = self.ruleset.actions[action]
        return {
            **self._named("action", action, language),
            "types": [
                self._named("action_type", form, language)
                | {"cost": [{"budget": cost.budget, "amount": cost.amount} for cost in costs]}
                for form, costs in found.costs.items()
            ],
            "default_type": found.default_type,
            "tags": self._all_named("tag", sorted(found.tags), language),
            "targets": {
                "who": found.targets.who,
                "min": found.targets.minimum,
                "max": found.targets.maximum,
                "or_place": found.targets.or_place,
            },
            "weapons": {
                "kinds": list(found.weapons.kinds),
                "second": found.weapons.second,
                "required": found.weapons.required,
            },
            "needs": sorted(found.needs),
            "form": self.action_form_schema(action, language),
            "clauses": list(found.clauses),
            "listed": found.listed and not found.forbidden,
        }

    @cached_property
    def given_modifiers(self) -> Mapping[str, Any]:
        """Modifiers that a submission may state by their id, with their clause."""
        given: dict[str, Any] = {}
        for row in entries(self.document, "modifiers").values():
            for stated in given_by(row):
                given.setdefault(stated, {"clause": row["clause"]})
        return dict(sorted(given.items()))

    def _named(self, kind: str, key: str, language: str) -> View:
        return {"id": key, "name": self.name(kind, key, language)}

    def _all_named(self, kind: str, keys: Iterable[str], language: str) -> list[View]:
        return [self._named(kind, key, language) for key in keys]

    def _cited(self, kind: str, section: Any, language: str, *, only: tuple[str, ...] | None = None) -> list[View]:
        """Entries of a section with their names, and their own fields (or only some of them)."""
        made: list[View] = []
        for key, entry in mapping(section).items():
            fields = {name: one for name, one in mapping(entry).items() if only is None or name in only}
            made.append(self._named(kind, key, language) | fields)
        return made
