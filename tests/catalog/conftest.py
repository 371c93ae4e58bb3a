"""A copy of the toy ruleset to spoil, the ruleset itself, and one whose sheets hold what the toy's do not."""

import copy
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Rulebook
from app.catalog.findings import Finding, Findings
from app.catalog.registry import load_ruleset, make_rulebook, read_folder
from app.engine.reasons import BadRuleset
from tests.catalog.rulesets import toy

PACKAGE = "tests.catalog.rulesets"
HOME = Path(__file__).parent / "rulesets" / "toy"
RICH = Path(__file__).parent / "rich"
"""Files that stand in place of the toy's own."""
RICH_NAMES: Mapping[str, tuple[str, ...]] = {
    "armour": ("vest", "plate", "ward"),
    "damage_type": ("pi-", "pi", "cr"),
    "stat": ("defaults", "nerve", "speed", "bulk", "soul"),
    "skill": ("chess",),
    "sample": ("knave", "knight"),
}
"""Names beside the toy's own, by section."""


class Copy:
    """The toy's files in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "toy"
        shutil.copytree(HOME, self.home, ignore=shutil.ignore_patterns("*.py", "__pycache__"))

    def change(self, file: str, old: str, new: str) -> "Copy":
        """Replace a piece of a file that stands there once."""
        path = self.home / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return self

    def write(self, file: str, raw: bytes) -> "Copy":
        """Replace a whole file."""
        (self.home / file).write_bytes(raw)
        return self

    def load(self) -> Rulebook:
        """The ruleset of this folder."""
        return load_ruleset(self.home, PACKAGE)

    def told(self) -> list[str]:
        """What is wrong with it, as it would be told at the start."""
        try:
            self.load()
        except BadRuleset as error:
            return list(error.findings)
        return []


@pytest.fixture
def spoiled(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


@pytest.fixture(scope="session")
def book() -> Rulebook:
    return load_ruleset(HOME, PACKAGE)


Judge = Callable[[Callable[[dict[str, Any]], object]], list[Finding]]


@pytest.fixture(scope="session")
def judge() -> Judge:
    """Findings about the toy's document after a change, without its files."""
    return judge_of(HOME)


def judge_of(home: Path) -> Judge:
    """The same for the document in any folder that the toy's code plays."""
    sound, texts = read_folder(home, Findings())

    def judged(change: Callable[[dict[str, Any]], object]) -> list[Finding]:
        document = copy.deepcopy(sound)
        change(document)
        findings = Findings()
        try:
            make_rulebook(document, texts, toy.CODE, findings)
        except BadRuleset:
            return list(findings)
        return []

    return judged


@pytest.fixture(scope="session")
def rich_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the toy with other sheets."""
    copied = Copy(tmp_path_factory.mktemp("rich"))
    for file in RICH.iterdir():
        copied.write(file.name, file.read_bytes())
    for language in ("en", "ru", "pl"):
        for section, names in RICH_NAMES.items():
            added = "".join(f'  {name}: "{name.title()} ({language})"\n' for name in names)
            texts = (copied.home / "locale" / f"{language}.yaml").read_text(encoding="utf-8")
            new = texts.replace(f"\n{section}:\n", f"\n{section}:\n{added}")
            new = new if new != texts else f"{texts}{section}:\n{added}"
            copied.write(f"locale/{language}.yaml", new.encode())
    return copied.home


@pytest.fixture(scope="session")
def rich(rich_home: Path) -> Rulebook:
    return load_ruleset(rich_home, PACKAGE)


@pytest.fixture(scope="session")
def judge_rich(rich_home: Path) -> Judge:
    return judge_of(rich_home)
