"""Every ruleset there is: found in a folder, read, judged whole, compiled. Anything wrong stops the start."""

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from app.catalog.checking import check
from app.catalog.compile import compile_ruleset
from app.catalog.document import LANGUAGES, MERGED, OPTIONAL, SECTIONS
from app.catalog.findings import Findings, mapping, pointer
from app.catalog.house.names import restored_texts
from app.catalog.reading import read_yaml
from app.catalog.rulebook import Rulebook
from app.catalog.texts import Texts
from app.engine.reasons import BadRuleset
from app.engine.rules import RulesetCode

FOLDER = Path(__file__).resolve().parents[2] / "rulesets"
PACKAGE = "rulesets"


class Catalog:
    """The rulesets of this installation, by id and by pin."""

    def __init__(self, rulebooks: Mapping[str, Rulebook]) -> None:
        self._by_id = dict(sorted(rulebooks.items()))
        self._by_pin = {book.ruleset.pin: book for book in self._by_id.values()}

    @classmethod
    def load(cls, folder: Path = FOLDER, package: str = PACKAGE) -> "Catalog":
        """Every ruleset of a folder, with its code from the package of that name.

        Raises `BadRuleset` with every finding of every ruleset.
        """
        books: dict[str, Rulebook] = {}
        told: list[str] = []
        for home in sorted(one for one in folder.iterdir() if _is_ruleset(one)):
            try:
                books[home.name] = load_ruleset(home, package)
            except BadRuleset as error:
                told.extend(error.findings)
        if told:
            raise BadRuleset(told)
        return cls(books)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the rulesets."""
        return tuple(self._by_id)

    def __iter__(self) -> Iterator[Rulebook]:
        return iter(self._by_id.values())

    def get(self, ruleset: str) -> Rulebook | None:
        """The ruleset of that id."""
        return self._by_id.get(ruleset)

    def by_pin(self, pin: str) -> Rulebook | None:
        """The ruleset whose document has that fingerprint."""
        return self._by_pin.get(pin)

    def restore(self, document: Mapping[str, Any]) -> Rulebook:
        """A document that was stored with its pin, under today's code and texts of its ruleset.

        Raises `BadRuleset` if today's code can no longer play it.
        """
        name = mapping(document.get("ruleset")).get("id")
        base = self._by_id.get(str(name))
        if base is None:
            raise BadRuleset((f"there is no ruleset {name}",))
        return make_rulebook(document, restored_texts(document, base.texts), base.code, Findings())


def _is_ruleset(home: Path) -> bool:
    return home.is_dir() and not home.name.startswith((".", "_")) and any(home.rglob("*.yaml"))


def load_ruleset(home: Path, package: str = PACKAGE) -> Rulebook:
    """One ruleset from its folder. Raises `BadRuleset` with everything that is wrong with it."""
    findings = Findings()
    document, texts = read_folder(home, findings)
    head = mapping(document.get("ruleset"))
    if isinstance(head.get("id"), str) and head["id"] != home.name:
        findings.add("/ruleset/id", "contradiction", got=f"{head['id']} stands in the folder {home.name}")
    return make_rulebook(document, texts, _code_of(f"{package}.{home.name}", findings), findings)


def make_rulebook(document: Mapping[str, Any], texts: Texts, code: RulesetCode | None, findings: Findings) -> Rulebook:
    """Judge a whole document and compile it. Raises `BadRuleset` with the findings so far and all new ones."""
    check(document, texts, code, findings)
    if findings or code is None:
        raise BadRuleset(findings.told())
    return Rulebook(compile_ruleset(document, texts, code), texts, code)


def read_folder(home: Path, findings: Findings) -> tuple[dict[str, Any], Texts]:
    """The document and the texts in a ruleset's folder. What cannot be read is among the findings."""
    document: dict[str, Any] = {}
    texts: dict[str, Any] = {"clauses": {}, "locale": {}}
    seen: set[str] = set()
    for path in sorted(home.rglob("*.yaml")):
        parts = path.relative_to(home).with_suffix("").parts
        name = f"{home.name}/{path.relative_to(home).as_posix()}"
        root = pointer(*parts)
        if not _has_place(parts):
            findings.add(root, "unknown_file", got=name)
            continue
        seen.add(parts[0] if len(parts) == 1 else "/".join(parts))
        value = read_yaml(path.read_bytes(), name, root, findings)[0]
        goal = texts if parts[0] in texts else document
        if len(parts) == 1:
            goal[parts[0]] = value
        else:
            goal.setdefault(parts[0], {})[parts[1]] = value
    needed = [section for section in SECTIONS if section not in OPTIONAL]
    for name in (*needed, "clauses", *(f"locale/{language}" for language in LANGUAGES)):
        if name not in seen:
            findings.add(pointer(*name.split("/")), "missing_file", got=f"{home.name}/{name}.yaml")
    return document, Texts(mapping(texts["clauses"]), mapping(texts["locale"]))


def _has_place(parts: tuple[str, ...]) -> bool:
    match parts:
        case ("tables", _) | ("locale", "en" | "ru" | "pl"):
            return True
        case (name,):
            return name == "clauses" or (name in SECTIONS and name != "tables" and name not in MERGED)
        case _:
            return False


def _code_of(module: str, findings: Findings) -> RulesetCode | None:
    try:
        found = getattr(importlib.import_module(module), "CODE", None)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        found = None
    if not isinstance(found, RulesetCode):
        findings.add("/code", "code_missing", got=module)
        return None
    return found
