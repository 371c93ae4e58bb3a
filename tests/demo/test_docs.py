"""The pages about a ruleset say what its data say, and the guides what the server does."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.config import Settings
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


GUIDES = ("five-minutes", "guide-vtt", "guide-discord", "guide-frontend", "security", "concepts")


@pytest.mark.parametrize("name", GUIDES)
def test_every_link_and_every_address_of_a_guide_leads_somewhere(name: str) -> None:
    page = ROOT / "docs" / f"{name}.md"
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (page.parent / link).exists(), link
    document = json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8"))
    served = {re.sub(r"\{\w+\}", "{}", path) for path in document["paths"]}
    # Shortened ones (`.../log`) are the end of some path.
    for method, path in re.findall(r"(GET|POST|PATCH|DELETE) ((?:/v1|\.\.\.)/[\w/{}.-]+)", text):
        wanted = re.sub(r"\{\w+\}", "{}", path.removeprefix("..."))
        assert any(one.endswith(wanted) if path.startswith("...") else one == wanted for one in served), (method, path)


def test_every_setting_that_the_guides_name_is_one() -> None:
    known = {f"TURNWRIGHT_{name.upper()}" for name in Settings.model_fields} | {"TURNWRIGHT_URL", "TURNWRIGHT_TOKEN"}
    for name in GUIDES:
        text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert set(re.findall(r"TURNWRIGHT_[A-Z_]+", text)) <= known, name


def test_the_key_of_the_discord_guide_is_one_that_the_server_takes() -> None:
    text = (ROOT / "docs" / "guide-discord.md").read_text(encoding="utf-8")
    shown = re.search(r"TURNWRIGHT_DISCORD_PUBLIC_KEY=(\S+)", text)

    assert shown is not None
    assert Settings(discord_public_key=shown[1]).discord_public_key == shown[1]


def test_the_module_of_the_guide_has_what_the_guide_calls() -> None:
    text = (ROOT / "docs" / "guide-vtt.md").read_text(encoding="utf-8")
    module = (ROOT / "docs" / "samples" / "vtt-module.mjs").read_text(encoding="utf-8")
    called = set(re.findall(r"\btable\.(\w+)", text))

    assert {"onchange", "onevent", "ondecision", "follow", "actions", "act"} <= called
    for name in called:
        assert re.search(rf"^  (async )?{name}\b", module, re.MULTILINE), name
