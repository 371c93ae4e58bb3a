"""Whoever keeps a server finds every setting in the documentation."""

import re

from app.config import Settings
from tests.support.repository import ROOT


def test_every_setting_is_documented() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    told = "\n".join(page.read_text(encoding="utf-8") for page in pages)

    missing = [name for name in Settings.model_fields if not re.search(rf"TURNWRIGHT_{name.upper()}\b", told)]

    assert missing == []
