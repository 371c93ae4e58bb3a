"""The page's files: how they are sent, that its words are whole in each language, and that its colours can be read."""

import json
import re

import pytest

from app.api.language import LANGUAGES
from app.api.table_page import POLICY
from tests.api.table import Table
from tests.support.repository import ROOT

FOLDER = ROOT / "app" / "table"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in sorted((FOLDER / "js").glob("*.js"))}
WORDS = {one: json.loads((FOLDER / "words" / f"{one}.json").read_text(encoding="utf-8")) for one in LANGUAGES}
SHEET = (FOLDER / "table.css").read_text(encoding="utf-8")
LEAST = 4.5
"""Contrast of text as WCAG 2 has it at level AA."""
LARGEST = 60_000
"""Bytes of the page with everything that it loads, packed."""
WRITTEN = (
    *(("ink", ground) for ground in ("ground", "panel", "floor", "soft", "wait-soft", "bad-soft")),
    *(("dim", ground) for ground in ("ground", "panel", "floor", "soft", "wait-soft", "bad-soft")),
    *(("accent", ground) for ground in ("panel", "soft")),
    *(("bad", ground) for ground in ("panel", "bad-soft")),
    ("on-accent", "accent"),
    ("wait", "wait-soft"),
    *(("panel", f"side-{number}") for number in range(6)),
)


def _themes() -> dict[str, dict[str, str]]:
    found = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r"\{([^{}]*--ground:[^{}]*)\}", SHEET)
    ]
    light, dark, chosen_dark = found
    assert dark == chosen_dark
    return {"light": light, "dark": dark}


def _brightness(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


async def test_the_page_is_open_and_lets_nothing_else_in(seats: Table) -> None:
    answer = await seats.client.get("/table/enc_e7k2m9q4xw")
    again = await seats.client.get("/table/enc_e7k2m9q4xw", headers={"if-none-match": answer.headers["etag"]})

    assert answer.status_code == 200
    assert answer.headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|style=|https?://", answer.text)
    assert again.status_code == 304


@pytest.mark.parametrize(
    "name", sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.*") if path.suffix != ".py")
)
async def test_each_file_is_sent_as_what_it_is(seats: Table, name: str) -> None:
    if "__pycache__" in name:
        return
    answer = await seats.client.get(f"/table/assets/{name}")

    assert answer.status_code == 200
    assert answer.content == (FOLDER / name).read_bytes()
    wanted = {"js": "text/javascript", "css": "text/css", "json": "application/json", "svg": "image/svg+xml"}
    assert answer.headers["content-type"].startswith(wanted.get(name.rpartition(".")[2], "text/html"))


@pytest.mark.parametrize(("accepted", "packed"), [("gzip, br", True), ("br;q=1, gzip;q=0", False), ("", False)])
async def test_what_is_sent_is_packed_for_whoever_takes_it(seats: Table, accepted: str, packed: bool) -> None:
    headers = {"accept-encoding": accepted}
    answer = await seats.client.get("/table/assets/js/map.js", headers=headers)
    other = await seats.client.get("/table/assets/js/map.js", headers={"accept-encoding": "" if packed else "gzip"})

    assert ("content-encoding" in answer.headers) == packed
    assert answer.content == (FOLDER / "js" / "map.js").read_bytes()
    assert "accept-encoding" in answer.headers["vary"].lower()
    assert answer.headers["etag"] != other.headers["etag"]


async def test_the_whole_page_is_small(seats: Table) -> None:
    """What a browser fetches to show a fight in one language, as it goes over the line."""
    sent = 0
    names = [f"js/{name}" for name in SCRIPTS] + ["table.css", "icon.svg", "words/ru.json"]
    for path in ["/table/enc_e7k2m9q4xw", *(f"/table/assets/{name}" for name in names)]:
        answer = await seats.client.get(path, headers={"accept-encoding": "gzip"})
        sent += int(answer.headers["content-length"])

    assert sent < LARGEST


@pytest.mark.parametrize(
    "path", ["/table/nobody", "/table/assets/js/none.js", "/table/assets/__init__.py", "/table/assets/.."]
)
async def test_what_is_not_there_is_not_found(seats: Table, path: str) -> None:
    assert (await seats.client.get(path)).status_code in (404, 422)


async def test_a_token_in_the_address_is_refused(seats: Table) -> None:
    assert (await seats.client.get("/table/enc_e7k2m9q4xw?token=tw_secret")).status_code == 422


def test_every_word_is_there_in_each_language() -> None:
    for language, words in WORDS.items():
        assert list(words) == list(WORDS["en"]), language
        for key, text in words.items():
            assert text.strip(), (language, key)
            assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", WORDS["en"][key])), (
                language,
                key,
            )


def test_every_word_that_is_asked_for_is_known_and_none_is_idle() -> None:
    whole = "\n".join(SCRIPTS.values())
    asked = set(re.findall(r"\bt\(\"(\w+)\"", whole))
    begun = {one for one in re.findall(r"\bt\(`(\w+_)\$\{", whole)} | {"problem_"}
    named = set(re.findall(r'"(\w+)"', whole))

    assert asked <= set(WORDS["en"])
    idle = {key for key in WORDS["en"] if key not in asked | named and not key.startswith(tuple(begun))}
    assert not idle


def test_no_script_knows_a_ruleset() -> None:
    rulesets = [path.name for path in (ROOT / "rulesets").iterdir() if path.is_dir() and not path.name.startswith("_")]

    assert len(rulesets) >= 5
    for name, text in SCRIPTS.items():
        assert not [one for one in rulesets if one in text], name
        assert not re.search(r"\.ruleset\b\s*[=!]==", text), name
        assert len(text.splitlines()) < 400, name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_written_can_be_read(theme: str) -> None:
    colours = _themes()[theme]
    for above, below in WRITTEN:
        bright, less = sorted((_brightness(colours[above]), _brightness(colours[below])), reverse=True)
        assert (bright + 0.05) / (less + 0.05) >= LEAST, (theme, above, below)
