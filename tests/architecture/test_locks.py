"""The locks install the same packages everywhere, from wherever that machine's own pip fetches them."""

import re

import pytest

from tests.support.repository import ROOT

LOCKS = [
    "requirements.lock",
    "requirements-dev.lock",
    "tests/clients/requirements.lock",
    "bench/peers/requirements.lock",
]
SOURCES = ["requirements.in", "requirements-dev.in", "tests/clients/requirements.in", "bench/peers/requirements.in"]


def requirements(lock: str) -> list[str]:
    """The lock's requirements, each with its hashes on one line."""
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def pinned(lock: str) -> set[str]:
    """`name==version ; marker` of each requirement."""
    return {line.split("--hash")[0].strip() for line in requirements(lock)}


@pytest.mark.parametrize("file", LOCKS + SOURCES)
def test_no_requirement_says_where_to_fetch_from(file: str) -> None:
    text = (ROOT / file).read_text()

    for word in ("://", "index-url", "find-links", "trusted-host", "no-index", " @ ", "--editable", "-e ", "file:"):
        assert word not in text, word


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_one_version_with_its_hashes(lock: str) -> None:
    found = requirements(lock)

    assert len(found) >= (30 if "peers" not in lock else 3)
    for line in found:
        assert re.match(r"[a-z0-9.-]+(\[[a-z,]+\])?==\S+ ", line), line
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", line), line


def test_the_development_lock_contains_the_runtime_lock_version_for_version() -> None:
    assert pinned("requirements.lock") <= pinned("requirements-dev.lock")


@pytest.mark.parametrize(("source", "lock"), [*zip(SOURCES, LOCKS, strict=True)])
def test_every_requirement_asked_for_is_locked_and_says_why(source: str, lock: str) -> None:
    asked = [line for line in (ROOT / source).read_text().splitlines() if re.match(r"[A-Za-z]", line)]
    locked = {re.split(r"[=\[ ]", name)[0] for name in pinned(lock)}

    assert asked
    for line in asked:
        name = re.split(r"[\[<>=;\s]", line)[0].lower()
        assert name in locked, name
        assert re.search(r"  # \S+", line), f"{name}: no reason beside it"
