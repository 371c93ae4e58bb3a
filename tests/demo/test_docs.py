"""The pages about a ruleset say what its data say."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.repository import ROOT

PAGES = sorted((ROOT / "docs" / "rulesets").glob("*.md"))


def data(page: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "rulesets" / page.stem / name).read_text(encoding="utf-8"))
    return found


def written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(value) if isinstance(value, list) else str(value)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_option_stands_there_with_its_default_and_clause(page: Path) -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| .*? \| (.*?) \| ([A-Z]+-\d+) \|$", page.read_text(encoding="utf-8"), re.MULTILINE
    )

    assert rows == [(name, written(one["default"]), one["clause"]) for name, one in data(page, "options.yaml").items()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_sample_stands_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8").partition("## Sample combatants")[2]

    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == list(data(page, "samples.yaml"))
