"""A copy of the toy ruleset to spoil, and the ruleset itself."""

import copy
import shutil
from collections.abc import Callable
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
    sound, texts = read_folder(HOME, Findings())

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
