"""The list of seeded faults cannot rot: each still finds its place in the source, and its tests are there."""

import pytest

from tools.seeded_faults import Edit, Lost, faults, missing, texts

KINDS = (
    "synchronous=OFF",
    "answer before commit",
    "idempotency row in a second transaction",
    "version compare removed",
    "FOR UPDATE and the unique event key dropped",
    "unseeded random in one rule",
    "set iteration order in one rule",
    "float in one modifier",
    "hidden filter dropped",
    "wake-up lost",
    "redirect followed",
    "second DNS lookup",
    "== on a token",
    "unbounded queue per stream",
)
CHANNELS = (
    *("state", "initiative order", "log", "narration", "stream", "the answer to a command", "action list", "preview"),
    *("errors", "decisions", "ETags", "cursors", "counts", "webhooks", "exports", "earlier versions", "map pictures"),
    *("the answer of another token's key", "metrics", "server log"),
)
"""Through each of these something hidden could be learned: in each the filter is dropped once."""


def test_there_are_faults_of_every_kind_and_in_every_channel() -> None:
    listed = faults()

    assert list(dict.fromkeys(one.group for one in listed)) == [f"{at} {kind}" for at, kind in enumerate(KINDS, 1)]
    names = [one.name for one in listed if one.group.endswith("hidden filter dropped")]
    assert {name.partition(",")[0] for name in names} == set(CHANNELS)
    assert len({(one.group, one.name) for one in listed}) == len(listed)


def test_each_fault_finds_its_place_and_its_tests() -> None:
    for fault in faults():
        assert texts(fault)
        assert fault.tests
        assert missing(fault.tests) == []


def test_text_that_is_gone_or_stands_twice_is_told() -> None:
    with pytest.raises(Lost):
        Edit("a.py", "one = 1", "one = 2").applied("two = 2\n")
    with pytest.raises(Lost):
        Edit("a.py", "one = 1", "one = 2").applied("one = 1\none = 1\n")
    with pytest.raises(Lost):
        Edit("a.py", "if a:\n    b()\n", "b()\n").applied("if a:\n    c()\n")
    deep = Edit("a.py", "if a:\n    b()\n", "b()\n").applied("def f():\n    if a:\n        b()\n    c()\n")
    assert deep == "def f():\n    b()\n    c()\n"
